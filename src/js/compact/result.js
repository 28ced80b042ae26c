// Results of compactions, in the order of the public contract's fields.

import { failure } from "../shared/errors.js";

/**
 * @typedef {import("../types.d.ts").CompactResult} CompactResult
 * @typedef {import("../types.d.ts").MemorySnapshot} MemorySnapshot
 * @typedef {import("../types.d.ts").ContextReport} ContextReport
 */

/**
 * @param {MemorySnapshot} before memory as it was
 * @param {{ items: object[], report: ContextReport, fields: string }} done what the core says
 * @returns {CompactResult}
 */
export function resultOf(before, { items, report, fields }) {
  const { status, attempts, ...known } = JSON.parse(fields);
  // What was not compacted stays as the host has it, its summary to the letter.
  const memory = status === "compacted" ? { items, summary: known.summary } : { items: before.items.slice(), summary: before.summary };
  return { status, memory, ...known, summary: memory.summary, contextReport: report, attempts };
}

/** What a compaction takes from the result before. */
const LISTS = /** @type {const} */ (["completed", "pending", "decisions", "failedCommands", "testResults", "openQuestions", "readFiles", "modifiedFiles"]);

/**
 * The result before, as the core takes it.
 * @param {unknown} previous
 * @returns {string | undefined}
 */
export function previousOf(previous) {
  if (previous === undefined || previous === null) return undefined;
  if (typeof previous !== "object") throw failure("invalid_option", "previous", "must be the result of a compaction, or null");
  const source = /** @type {Record<string, unknown>} */ (previous);
  /** @type {Record<string, unknown>} */
  const taken = {};
  if (typeof source.goal === "string") taken.goal = source.goal;
  for (const field of LISTS) {
    const list = source[field];
    if (list === undefined || list === null) continue;
    if (!Array.isArray(list) || list.some((entry) => typeof entry !== "string")) throw failure("invalid_option", `previous.${field}`, "must be a list of strings");
    taken[field] = list;
  }
  if (typeof source.extra === "object" && source.extra !== null && !Array.isArray(source.extra)) taken.extra = source.extra;
  return JSON.stringify(taken);
}
