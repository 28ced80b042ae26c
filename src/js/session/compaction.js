// One compaction of a session, shared by all who wait for it.

import { failure, messageOf } from "../shared/errors.js";
import { keepThrown } from "../shared/thrown.js";
import { unchanged } from "./results.js";

/**
 * @typedef {import("../types.d.ts").CompactPolicy} CompactPolicy
 * @typedef {import("../types.d.ts").CompactResult} CompactResult
 * @typedef {import("../types.d.ts").MemorySnapshot} MemorySnapshot
 * @typedef {(snapshot: MemorySnapshot) => unknown} BeforeHook
 * @typedef {object} Owner what a compaction needs of its session
 * @property {() => MemorySnapshot} snapshot
 * @property {() => any} previous the stored result before
 * @property {() => number} generation another number once memory was replaced
 * @property {readonly BeforeHook[]} hooks
 * @property {number} timeout in milliseconds
 * @property {(result: CompactResult, seen: readonly object[]) => CompactResult} commit
 * @property {(result: CompactResult) => void} fail
 */

/** Statuses of compactions that were tried in vain. */
const FAILURES = new Set(["empty_summary", "inflated_summary", "summary_failed", "cancelled", "stale"]);

export class SharedCompaction {
  #owner;
  #control = new AbortController();
  #waiting = 0;
  /** @type {Promise<CompactResult>} */
  #result;

  /** @param {Owner} owner @param {CompactPolicy} policy */
  constructor(owner, policy) {
    this.#owner = owner;
    this.#result = this.#run(policy);
    // Whoever waits hears of it; nobody may wait any more.
    this.#result.catch(() => {});
  }

  /** Settles with it, whatever it comes to. */
  get done() {
    return this.#result.then(
      () => {},
      () => {},
    );
  }

  /**
   * Waits for the result. Who gives up alone gets `cancelled` at once; when all have, the compaction is aborted.
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<CompactResult>}
   */
  async join(signal) {
    this.#waiting += 1;
    /** @type {() => void} */
    let stop = () => {};
    const given = new Promise((resolve) => {
      stop = () => {
        this.#waiting -= 1;
        if (this.#waiting === 0) this.#control.abort(signal?.reason);
        resolve(unchanged("cancelled", messageOf(signal?.reason), this.#owner.snapshot(), this.#owner.previous()));
      };
    });
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
    try {
      return await Promise.race([given, this.#result]);
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  /** @param {CompactPolicy} policy @returns {Promise<CompactResult>} */
  async #run(policy) {
    const owner = this.#owner;
    const generation = owner.generation();
    const before = owner.snapshot();
    const { signal } = this.#control;
    const timer = setTimeout(() => this.#control.abort(failure("aborted", "compactTimeoutMs", `the compaction took longer than ${owner.timeout} ms`)), owner.timeout);
    /** @type {() => void} */
    let stop = () => {};
    const aborted = new Promise((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
    });
    aborted.catch(() => {});
    /** @type {CompactResult} */
    let result;
    try {
      result = await Promise.race([this.#ask(policy, before), aborted]);
    } catch (thrown) {
      result = unchanged(signal.aborted ? "cancelled" : "summary_failed", messageOf(thrown), before, owner.previous());
      if (!signal.aborted) keepThrown(result, thrown);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
    if (result.status === "compacted") {
      if (generation === owner.generation()) return owner.commit(result, before.items);
      result = unchanged("stale", "memory was replaced meanwhile", owner.snapshot(), owner.previous());
    }
    if (FAILURES.has(result.status)) owner.fail(result);
    return result;
  }

  /** @param {CompactPolicy} policy @param {MemorySnapshot} before @returns {Promise<CompactResult>} */
  async #ask(policy, before) {
    const owner = this.#owner;
    let chosen = policy;
    for (const hook of owner.hooks) {
      const answer = await hook({ items: before.items.slice(), summary: before.summary });
      if (answer === false) return unchanged("vetoed", "a before_compact hook said no", before, owner.previous());
      const other = /** @type {CompactPolicy | undefined} */ (typeof answer === "object" && answer !== null ? answer : undefined);
      if (typeof other?.compact === "function") chosen = other;
    }
    const previous = owner.previous();
    const result = await chosen.compact(
      { items: before.items.slice(), summary: before.summary },
      { signal: this.#control.signal, previous: previous === null ? null : /** @type {any} */ ({ ...previous, memory: before }) },
    );
    if (typeof result !== "object" || result === null || typeof result.status !== "string") {
      throw failure("invalid_option", "policy.compact()", "must answer a result with a status");
    }
    return result;
  }
}
