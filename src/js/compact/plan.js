// Compaction without the call: plans are plain JSON.

import { compactionAnswer, compactionCommit, compactionPlan } from "build:glue";
import { failure } from "../shared/errors.js";
import { given, readSnapshot } from "../shared/snapshot.js";
import { previousOf, resultOf } from "./result.js";

/**
 * @typedef {import("../types.d.ts").CompactionPlan} CompactionPlan
 * @typedef {import("../types.d.ts").CompactResult} CompactResult
 * @typedef {import("../types.d.ts").LlmCompactOptions} LlmCompactOptions
 * @typedef {import("../types.d.ts").MemorySnapshot} MemorySnapshot
 * @typedef {import("../types.d.ts").SummaryAnswer} SummaryAnswer
 */

/**
 * @param {MemorySnapshot} snapshot
 * @param {LlmCompactOptions} options
 * @param {CompactResult | null} [previous]
 * @returns {CompactionPlan}
 */
export function planCompaction(snapshot, options, previous) {
  const { items, summary } = readSnapshot(snapshot);
  return JSON.parse(compactionPlan(items, given(summary), options, previousOf(previous)));
}

/**
 * @param {CompactionPlan} plan
 * @param {SummaryAnswer} answer
 * @returns {CompactionPlan}
 */
export function continueCompaction(plan, answer) {
  const { text, finishReason } = answerOf(answer);
  return JSON.parse(compactionAnswer(textOf(plan), text, finishReason));
}

/**
 * @param {MemorySnapshot} snapshot
 * @param {CompactionPlan} plan
 * @returns {CompactResult}
 */
export function commitCompaction(snapshot, plan) {
  const before = readSnapshot(snapshot);
  return resultOf(before, compactionCommit(before.items, given(before.summary), textOf(plan)));
}

/** A plan as text. @param {CompactionPlan} plan */
export function textOf(plan) {
  if (typeof plan !== "object" || plan === null) throw failure("invalid_option", "plan", "must be a plan of planCompaction");
  return JSON.stringify(plan);
}

/**
 * The two things that matter in an answer.
 * @param {unknown} answer
 * @returns {{ text: string | undefined, finishReason: string | undefined }}
 */
function answerOf(answer) {
  if (typeof answer === "string") return { text: answer, finishReason: undefined };
  if (answer === null || answer === undefined) return { text: undefined, finishReason: undefined };
  if (typeof answer !== "object") throw failure("invalid_option", "answer", "must be a string or an object with text");
  const { text, finishReason } = /** @type {{ text?: unknown, finishReason?: unknown }} */ (answer);
  if (text !== undefined && text !== null && typeof text !== "string") throw failure("invalid_option", "answer.text", "must be a string or null");
  return { text: text ?? undefined, finishReason: typeof finishReason === "string" ? finishReason : undefined };
}
