// Compressing memory after each write, one compression at a time.

import { readSnapshot } from "./snapshot.js";

/**
 * @typedef {import("../types.d.ts").MemoryCompressor} MemoryCompressor
 * @typedef {import("../types.d.ts").MemorySnapshot} MemorySnapshot
 * @typedef {{ snapshot(): MemorySnapshot, generation(): number, take(memory: MemorySnapshot, seen: readonly object[]): void }} Owner
 *   generation: another number once memory was replaced; take: puts `memory` in the place of the items seen
 */

export class Compressing {
  #compressor;
  #owner;
  /** A compressor is at work. */
  #isBusy = false;
  /** There were writes since it began. */
  #isDue = false;
  /** The compression that is awaited. @type {Promise<void> | null} */
  #running = null;
  /** What a compressor threw. @type {{ thrown: unknown } | null} */
  #failure = null;

  /** @param {MemoryCompressor} compressor @param {Owner} owner */
  constructor(compressor, owner) {
    this.#compressor = compressor;
    this.#owner = owner;
  }

  /** Memory was written to. */
  written() {
    this.#isDue = true;
    if (!this.#isBusy) this.#compress();
  }

  /** Settles when everything was answered; rejects with what a compressor threw, once. */
  async settled() {
    while (this.#running !== null) await this.#running;
    const found = this.#failure;
    this.#failure = null;
    if (found !== null) throw found.thrown;
  }

  #compress() {
    while (this.#isDue) {
      this.#isDue = false;
      this.#isBusy = true;
      const { items, summary } = this.#owner.snapshot();
      const generation = this.#owner.generation();
      try {
        const answer = this.#compressor.compress({ items: items.slice(), summary });
        if (isThenable(answer)) {
          this.#running = this.#await(answer, items, generation);
          return;
        }
        this.#take(answer, items, generation);
      } catch (thrown) {
        this.#failure ??= { thrown };
      }
      this.#isBusy = false;
    }
  }

  /**
   * @param {PromiseLike<unknown>} answer
   * @param {readonly object[]} seen
   * @param {number} generation
   */
  async #await(answer, seen, generation) {
    try {
      this.#take(await answer, seen, generation);
    } catch (thrown) {
      this.#failure ??= { thrown };
    }
    this.#running = null;
    this.#isBusy = false;
    this.#compress();
  }

  /** @param {unknown} answer @param {readonly object[]} seen @param {number} generation */
  #take(answer, seen, generation) {
    const memory = readSnapshot(answer, "compressor.compress()");
    // Of no use for a memory that was replaced meanwhile.
    if (generation === this.#owner.generation()) this.#owner.take(memory, seen);
  }
}

/** @param {unknown} value @returns {value is PromiseLike<unknown>} */
const isThenable = (value) => typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
