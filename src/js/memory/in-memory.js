// Memory in an array.

import { memoryItems, memoryToolOutput, memoryUserItem } from "build:glue";
import { Compressing } from "../shared/compressing.js";
import { failure } from "../shared/errors.js";
import { checked, jsonOf, newId, versionOf } from "../shared/items.js";
import { readSnapshot } from "../shared/snapshot.js";

/**
 * @typedef {import("../types.d.ts").Dialect} Dialect
 * @typedef {import("../types.d.ts").MemoryCompressor} MemoryCompressor
 * @typedef {import("../types.d.ts").MemorySnapshot} MemorySnapshot
 */

export class InMemoryAgentMemory {
  /** @type {object[]} */
  #items = [];
  /** @type {string | null} */
  #summary = null;
  /** @type {Dialect | undefined} */
  #dialect;
  /** How often memory was replaced. */
  #generation = 0;
  /** @type {Compressing | null} */
  #compressing = null;

  /** @param {{ dialect?: Dialect, compressor?: MemoryCompressor }} [options] */
  constructor({ dialect, compressor } = {}) {
    // Named now, so that a wrong name is not found at the first write.
    memoryItems([], "", dialect);
    this.#dialect = dialect;
    if (compressor === undefined) return;
    if (typeof compressor?.compress !== "function") throw failure("invalid_option", "options.compressor", "must have a method compress()");
    this.#compressing = new Compressing(compressor, {
      snapshot: () => this.snapshot(),
      generation: () => this.#generation,
      take: (memory, seen) => this.#take(memory, seen),
    });
  }

  /** @param {string | object} input */
  addUserInput(input) {
    this.#add([typeof input === "string" ? memoryUserItem(this.#items, this.#dialect, input, newId()) : input]);
  }

  /** @param {readonly object[]} items */
  addOutputItems(items) {
    if (!Array.isArray(items)) throw failure("invalid_item", "items", "must be an array");
    this.#add(items);
  }

  /**
   * @param {string} callId
   * @param {unknown} output
   */
  addToolOutput(callId, output) {
    if (typeof callId !== "string") throw failure("invalid_option", "callId", "must be a string");
    const [index, item] = memoryToolOutput(this.#items, this.#dialect, callId, jsonOf(output));
    if (index < 0) this.#items.push(item);
    else this.#items[index] = item;
    this.#compressing?.written();
  }

  /** @returns {object[]} */
  getItems() {
    return this.#summary === null || this.#summary === "" ? this.#items.slice() : memoryItems(this.#items, this.#summary, this.#dialect);
  }

  /** @returns {string | null} */
  getSummary() {
    return this.#summary;
  }

  /** @param {string | null} summary */
  setSummary(summary) {
    if (summary !== null && typeof summary !== "string") throw failure("invalid_option", "summary", "must be a string or null");
    this.#summary = summary;
    this.#generation += 1;
  }

  /** @returns {MemorySnapshot} */
  snapshot() {
    return { items: this.#items.slice(), summary: this.#summary };
  }

  /** @param {MemorySnapshot} snapshot */
  restore(snapshot) {
    const { items, summary } = readSnapshot(snapshot);
    this.#items = checked(items, "snapshot.items");
    this.#summary = summary;
    this.#generation += 1;
  }

  clear() {
    this.restore({ items: [], summary: null });
  }

  /** Settles when a compressor that answers asynchronously has answered. */
  async settled() {
    await this.#compressing?.settled();
  }

  /** @param {readonly unknown[]} items */
  #add(items) {
    for (const item of checked(items, "items")) {
      const index = versionOf(this.#items, item);
      if (index < 0) this.#items.push(item);
      else this.#items[index] = item;
    }
    this.#compressing?.written();
  }

  /**
   * Puts what a compressor answered in the place of what it saw. Items added meanwhile follow; of an item that was replaced
   * meanwhile the newer version stays.
   * @param {MemorySnapshot} memory
   * @param {readonly object[]} seen
   */
  #take({ items, summary }, seen) {
    checked(items, "compressor.compress().items");
    const newer = new Map(seen.map((item, index) => [item, /** @type {object} */ (this.#items[index])]));
    this.#items = [...items.map((item) => newer.get(item) ?? item), ...this.#items.slice(seen.length)];
    this.#summary = summary;
  }
}
