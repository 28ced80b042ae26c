// A policy in the place of a memory's compressor, with the back-off that policies do not keep themselves.

import { failure } from "../shared/errors.js";
import { readSnapshot } from "../shared/snapshot.js";

/**
 * @typedef {import("../types.d.ts").CompactPolicy} CompactPolicy
 * @typedef {import("../types.d.ts").CompactResult} CompactResult
 * @typedef {import("../types.d.ts").CompactStatus} CompactStatus
 * @typedef {import("../types.d.ts").MemorySnapshot} MemorySnapshot
 */

/** Failures in a row after which only another memory makes it try again. */
const MOST_FAILURES = 3;
/** By so much memory must have grown after a failure. */
const GROWTH = 1.1;
/** Failures: a call was made in vain. @type {ReadonlySet<CompactStatus>} */
const FAILURES = new Set(/** @type {const} */ (["empty_summary", "inflated_summary", "summary_failed", "cancelled"]));

export class CompactPolicyMemoryCompressor {
  #policy;
  #failures = 0;
  /** Items at the last failure. */
  #failedAt = 0;
  /** The first item and the summary at the last failure: of another memory nothing is known. @type {{ first: unknown, summary: string | null } | null} */
  #failedOn = null;
  /** @type {CompactResult | null} */
  #last = null;
  /** The newest result that compacted: its lists go on. @type {CompactResult | null} */
  #previous = null;

  /** @param {CompactPolicy} policy */
  constructor(policy) {
    if (typeof policy?.compact !== "function") throw failure("invalid_option", "policy", "must have a method compact()");
    this.#policy = policy;
  }

  /**
   * @param {MemorySnapshot} snapshot
   * @returns {Promise<MemorySnapshot>}
   */
  async compress(snapshot) {
    const memory = readSnapshot(snapshot);
    const { items, summary } = memory;
    if (this.#previous !== null && this.#previous.memory.summary !== summary) this.#previous = null;
    if (this.#failedOn !== null && (this.#failedOn.first !== items[0] || this.#failedOn.summary !== summary)) this.#forgive();
    if (!this.#mayTry(items.length)) return memory;
    const context = { tokens: null, overheadTokens: 0, failures: this.#failures, previous: this.#previous };
    if (this.#policy.shouldCompact?.(memory, context) !== true) return memory;
    /** @type {CompactResult} */
    let result;
    try {
      result = await this.#policy.compact(memory, { previous: this.#previous });
    } catch (thrown) {
      this.#fail(memory);
      throw thrown;
    }
    if (typeof result !== "object" || result === null || typeof result.status !== "string") {
      this.#fail(memory);
      throw failure("invalid_option", "policy.compact()", "must answer a result with a status");
    }
    this.#last = result;
    if (FAILURES.has(result.status)) this.#fail(memory);
    if (result.status !== "compacted") return memory;
    this.#forgive();
    this.#previous = result;
    return readSnapshot(result.memory, "policy.compact().memory");
  }

  /** @returns {CompactResult | null} */
  getLastResult() {
    return this.#last;
  }

  /** @param {number} count */
  #mayTry(count) {
    if (this.#failures === 0) return true;
    if (this.#failures >= MOST_FAILURES) return false;
    return count > this.#failedAt && count >= this.#failedAt * GROWTH;
  }

  /** @param {MemorySnapshot} memory */
  #fail({ items, summary }) {
    this.#failures += 1;
    this.#failedAt = items.length;
    this.#failedOn = { first: items[0], summary };
  }

  #forgive() {
    this.#failures = 0;
    this.#failedAt = 0;
    this.#failedOn = null;
  }
}
