// Compaction without a model.

import { structuredCompaction, structuredDue, structuredOptions } from "build:glue";
import { given, readSnapshot } from "../shared/snapshot.js";
import { previousOf, resultOf } from "./result.js";

/**
 * @typedef {import("../types.d.ts").CompactResult} CompactResult
 * @typedef {import("../types.d.ts").ContextBudget} ContextBudget
 * @typedef {import("../types.d.ts").MemorySnapshot} MemorySnapshot
 * @typedef {import("../types.d.ts").ProjectOptions} ProjectOptions
 */

export class StructuredSummaryCompactPolicy {
  #budget;
  #options;

  /**
   * @param {ContextBudget} budget
   * @param {ProjectOptions} [options]
   */
  constructor(budget, options) {
    structuredOptions(budget, options);
    this.#budget = budget;
    this.#options = options;
  }

  /**
   * @param {MemorySnapshot} snapshot
   * @returns {boolean}
   */
  shouldCompact(snapshot) {
    const { items, summary } = readSnapshot(snapshot);
    return structuredDue(items, given(summary), this.#budget, this.#options);
  }

  /**
   * @param {MemorySnapshot} snapshot
   * @param {{ signal?: AbortSignal, previous?: CompactResult | null }} [options]
   * @returns {Promise<CompactResult>}
   */
  async compact(snapshot, { previous } = {}) {
    const before = readSnapshot(snapshot);
    return resultOf(before, structuredCompaction(before.items, given(before.summary), this.#budget, this.#options, previousOf(previous)));
  }
}
