// Turns of several tabs at one Storage.
//
// A lock alone is not enough: what one process writes into localStorage reaches another a little later, and a lock may arrive
// before it. So writes are counted, in the storage itself; who wrote holds a second lock that names the count. Who comes next asks
// the browser for the locks that are held and waits until its own view of the storage has come so far.

/** @typedef {import("./web-storage.js").WebStorage} WebStorage */

/** @typedef {{ name?: string }} Held */
/** @typedef {{ request<T>(name: string, work: () => T | Promise<T>): Promise<T>, query(): Promise<{ held?: Held[] }> }} Locks */

/** A count that never arrives belongs to a tab that is going down: after so long its word is not waited for. */
const PATIENCE_MS = 3_000;

export class Turns {
  #storage;
  /** Gives back the lock that names the newest count, by session. @type {Map<string, () => void>} */
  #said = new Map();

  /** @param {WebStorage} storage */
  constructor(storage) {
    this.#storage = storage;
  }

  /** @template T @param {string} base @param {() => T} work @returns {Promise<T>} */
  async read(base, work) {
    const locks = locksOf();
    if (locks === undefined) return work();
    return locks.request(base, async () => {
      await this.#catchUp(locks, base);
      return work();
    });
  }

  /** @template T @param {string} base @param {() => T} work @returns {Promise<T>} */
  async write(base, work) {
    const locks = locksOf();
    if (locks === undefined) return work();
    return locks.request(base, async () => {
      await this.#catchUp(locks, base);
      const answer = work();
      await this.#say(locks, base);
      return answer;
    });
  }

  /** @param {string} base */
  #count(base) {
    return Number(this.#storage.getItem(counterOf(base)) ?? 0);
  }

  /** @param {Locks} locks @param {string} base */
  async #catchUp(locks, base) {
    const start = `${base}@`;
    const { held = [] } = await locks.query();
    const counts = held.flatMap(({ name }) => (name?.startsWith(start) ? [Number(name.slice(start.length))] : []));
    const newest = Math.max(0, ...counts);
    for (const begun = Date.now(); this.#count(base) < newest && Date.now() - begun < PATIENCE_MS; ) await new Promise((resolve) => setTimeout(resolve, 2));
  }

  /** Counts a write, and says so. @param {Locks} locks @param {string} base */
  async #say(locks, base) {
    const count = this.#count(base) + 1;
    try {
      this.#storage.setItem(counterOf(base), String(count));
    } catch {
      // Full to the last byte: the write itself is there, and others see it when it arrives.
      return;
    }
    this.#said.get(base)?.();
    await new Promise((granted) => {
      locks.request(`${base}@${count}`, () => {
        granted(undefined);
        return new Promise((release) => void this.#said.set(base, () => release(undefined)));
      });
    });
  }
}

/** Beside the keys of sessions, so that none is taken for one. @param {string} base */
const counterOf = (base) => `!${base}`;

/** @returns {Locks | undefined} */
const locksOf = () => /** @type {{ locks?: Locks }} */ (globalThis.navigator ?? {}).locks;
