// Compaction with the host's model: a shell around the plan that calls the model and waits.

import { compactionDue, compactionFail, compactionOptions } from "build:glue";
import { failure, messageOf } from "../shared/errors.js";
import { given, readSnapshot } from "../shared/snapshot.js";
import { keepThrown } from "../shared/thrown.js";
import { commitCompaction, continueCompaction, planCompaction, textOf } from "./plan.js";

/**
 * @typedef {import("../types.d.ts").CompactContext} CompactContext
 * @typedef {import("../types.d.ts").CompactResult} CompactResult
 * @typedef {import("../types.d.ts").CompactionPlan} CompactionPlan
 * @typedef {import("../types.d.ts").LlmCompactOptions} LlmCompactOptions
 * @typedef {import("../types.d.ts").MemorySnapshot} MemorySnapshot
 * @typedef {import("../types.d.ts").SummaryModel} SummaryModel
 */

export class LlmCompactPolicy {
  #model;
  #options;

  /**
   * @param {SummaryModel} model
   * @param {LlmCompactOptions} options
   */
  constructor(model, options) {
    if (typeof model !== "function") throw failure("invalid_option", "model", "must be a function");
    compactionOptions(options);
    this.#model = model;
    this.#options = typeof options === "object" && options !== null ? { ...options } : options;
  }

  /**
   * @param {MemorySnapshot} snapshot
   * @param {CompactContext} [context]
   * @returns {boolean}
   */
  shouldCompact(snapshot, context) {
    const { items, summary } = readSnapshot(snapshot);
    return compactionDue(items, given(summary), this.#options, amount(context?.tokens) ?? -1, amount(context?.overheadTokens) ?? 0);
  }

  /**
   * @param {MemorySnapshot} snapshot
   * @param {{ signal?: AbortSignal, previous?: CompactResult | null }} [options]
   * @returns {Promise<CompactResult>}
   */
  async compact(snapshot, { signal, previous } = {}) {
    // As memory is now: the host's array may grow while the model thinks.
    const before = readSnapshot(snapshot);
    const source = { items: before.items.slice(), summary: before.summary };
    let plan = planCompaction(source, this.#options, previous);
    /** @type {{ error: unknown } | null} */
    let thrown = null;
    while (plan.status === "ready") plan = await this.#ask(plan, signal, (error) => (thrown = { error }));
    const result = commitCompaction(source, plan);
    if (thrown !== null) keepThrown(result, /** @type {{ error: unknown }} */ (thrown).error);
    return result;
  }

  /**
   * One call of the model.
   * @param {CompactionPlan} plan
   * @param {AbortSignal | undefined} signal
   * @param {(error: unknown) => void} tell takes what the model threw
   * @returns {Promise<CompactionPlan>}
   */
  async #ask(plan, signal, tell) {
    if (signal?.aborted) return failed(plan, true, messageOf(signal.reason));
    const { system, input } = /** @type {{ system: string, input: string }} */ (plan.prompt);
    const own = new AbortController();
    /** @type {() => void} */
    let stop = () => {};
    const aborted = new Promise((_, reject) => {
      stop = () => {
        own.abort(signal?.reason);
        reject(signal?.reason);
      };
    });
    signal?.addEventListener("abort", stop, { once: true });
    try {
      // Called from a promise: a host that throws is one that rejects.
      const asked = Promise.resolve().then(() => this.#model({ system, input, signal: own.signal }));
      const answer = await Promise.race([asked, aborted]);
      return continueCompaction(plan, answer);
    } catch (thrown) {
      if (signal?.aborted !== true) tell(thrown);
      return failed(plan, signal?.aborted === true, messageOf(thrown));
    } finally {
      signal?.removeEventListener("abort", stop);
      aborted.catch(() => {});
    }
  }
}

/** @param {CompactionPlan} plan @param {boolean} isCancelled @param {string} message @returns {CompactionPlan} */
const failed = (plan, isCancelled, message) => JSON.parse(compactionFail(textOf(plan), isCancelled, message));

/** @param {unknown} value */
const amount = (value) => (typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined);
