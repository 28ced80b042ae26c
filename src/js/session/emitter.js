// Listeners and hooks. Events that a listener causes come after the current one has reached all.

import { failure } from "../shared/errors.js";

/** @typedef {import("../types.d.ts").SessionEvent} SessionEvent */

export class Emitter {
  /** @type {{ type: string, listener: (event: any) => void }[]} */
  #listeners = [];
  /** @type {SessionEvent[]} */
  #queue = [];
  #isDelivering = false;

  /**
   * @param {string} type
   * @param {(event: any) => void} listener
   * @returns {() => void}
   */
  on(type, listener) {
    if (typeof listener !== "function") throw failure("invalid_option", "listener", "must be a function");
    const entry = { type, listener };
    this.#listeners = [...this.#listeners, entry];
    return () => {
      this.#listeners = this.#listeners.filter((known) => known !== entry);
    };
  }

  /** @param {readonly SessionEvent[]} events */
  emit(events) {
    this.#queue.push(...events);
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
      for (const { type, listener } of this.#listeners) if (type === "*" || type === event.type) guarded(() => listener(event));
    }
    this.#isDelivering = false;
  }
}

/** Runs what must not disturb: what it throws is reported. @param {() => unknown} run */
export function guarded(run) {
  try {
    run();
  } catch (thrown) {
    const { reportError } = /** @type {{ reportError?: (error: unknown) => void }} */ (globalThis);
    if (typeof reportError === "function") reportError(thrown);
    else console.error(thrown);
  }
}
