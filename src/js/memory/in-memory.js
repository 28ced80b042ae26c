// Memory in an array.

import { memoryItems, memoryToolOutput, memoryUserItem } from "build:glue";
import { failure, messageOf } from "../shared/errors.js";
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
  /** @type {MemoryCompressor | undefined} */
  #compressor;
  /** How often memory was replaced: what a compressor answers for an earlier one is of no use. */
  #generation = 0;
  /** The compression under way. @type {Promise<void> | null} */
  #running = null;
  /** A compressor is at work. */
  #isBusy = false;
  /** There were writes since it began. */
  #isDue = false;
  /** What a compressor threw, for `settled()`. @type {{ thrown: unknown } | null} */
  #failure = null;

  /** @param {{ dialect?: Dialect, compressor?: MemoryCompressor }} [options] */
  constructor({ dialect, compressor } = {}) {
    // Named now, so that a wrong name is not found at the first write.
    memoryItems([], "", dialect);
    if (compressor !== undefined && typeof compressor?.compress !== "function") throw failure("invalid_option", "options.compressor", "must have a method compress()");
    this.#dialect = dialect;
    this.#compressor = compressor;
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
    if (index < 0) this.#add([item]);
    else this.#write(() => (this.#items[index] = item));
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
    checked(items, "snapshot.items");
    this.#items = items.slice();
    this.#summary = summary;
    this.#generation += 1;
  }

  clear() {
    this.restore({ items: [], summary: null });
  }

  /** Settles when a compressor that answers asynchronously has answered. */
  async settled() {
    while (this.#running !== null) await this.#running;
    const found = this.#failure;
    this.#failure = null;
    if (found !== null) throw found.thrown;
  }

  /** @param {readonly unknown[]} items */
  #add(items) {
    const added = checked(items, "items");
    this.#write(() => {
      for (const item of added) {
        const index = isUiMessage(item) ? this.#items.map((known) => isUiMessage(known) && known.id === item.id).lastIndexOf(true) : -1;
        // A message of the AI SDK's UI comes again as it grows.
        if (index < 0) this.#items.push(item);
        else this.#items[index] = item;
      }
    });
  }

  /** @param {() => unknown} change */
  #write(change) {
    change();
    if (this.#compressor === undefined) return;
    this.#isDue = true;
    if (!this.#isBusy) this.#compress();
  }

  /** Compresses as often as there is something new, one compression at a time. */
  #compress() {
    while (this.#isDue) {
      this.#isDue = false;
      this.#isBusy = true;
      const seen = this.#items.slice();
      const generation = this.#generation;
      try {
        const answer = /** @type {MemoryCompressor} */ (this.#compressor).compress({ items: seen.slice(), summary: this.#summary });
        if (isThenable(answer)) {
          this.#running = this.#await(answer, seen, generation);
          return;
        }
        this.#take(answer, seen, generation);
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

  /**
   * Puts what a compressor answered in the place of what it saw. Items added meanwhile follow; of an item that was replaced
   * meanwhile the newer version stays.
   * @param {unknown} answer
   * @param {readonly object[]} seen
   * @param {number} generation
   */
  #take(answer, seen, generation) {
    const { items, summary } = readSnapshot(answer, "compressor.compress()");
    checked(items, "compressor.compress().items");
    if (generation !== this.#generation) return;
    const newer = new Map(seen.map((item, index) => [item, /** @type {object} */ (this.#items[index])]));
    this.#items = [...items.map((item) => newer.get(item) ?? item), ...this.#items.slice(seen.length)];
    this.#summary = summary;
  }
}

/** @param {readonly unknown[]} items @param {string} name @returns {object[]} */
function checked(items, name) {
  for (const [index, item] of items.entries()) {
    if (typeof item !== "object" || item === null || Array.isArray(item)) throw failure("invalid_item", `${name}[${index}]`, "must be an object");
  }
  return /** @type {object[]} */ (items.slice());
}

/** @param {object} item @returns {item is { id: string, parts: unknown[] }} */
const isUiMessage = (item) => "parts" in item && Array.isArray(item.parts) && "id" in item && typeof item.id === "string" && item.id !== "";

/** @param {unknown} value @returns {value is PromiseLike<unknown>} */
const isThenable = (value) => typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

/** A tool's output as JSON; nothing where there is none. @param {unknown} output */
function jsonOf(output) {
  try {
    return JSON.stringify(output);
  } catch (thrown) {
    throw failure("invalid_item", "output", `has no form in JSON: ${messageOf(thrown)}`);
  }
}

/** An id for a message that needs one. `crypto.randomUUID` is missing on pages without TLS. */
function newId() {
  const { crypto } = globalThis;
  if (typeof crypto?.randomUUID === "function") return crypto.randomUUID();
  const random = () => Math.floor(Math.random() * 2 ** 32).toString(16).padStart(8, "0");
  return `msg-${random()}${random()}`;
}

