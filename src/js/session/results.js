// Results of compactions as the log keeps them, and those that a session makes by itself.

import { project } from "build:glue";
import { runsOf } from "./custom.js";

/**
 * @typedef {import("../types.d.ts").CompactResult} CompactResult
 * @typedef {import("../types.d.ts").CompactStatus} CompactStatus
 * @typedef {import("../types.d.ts").ContextReport} ContextReport
 * @typedef {import("../types.d.ts").MemorySnapshot} MemorySnapshot
 */

const LISTS = /** @type {const} */ ([
  "completed", "pending", "decisions", "changedArtifacts", "failedCommands", "testResults", "userConfirmations", "sandboxState",
  "openQuestions", "readFiles", "modifiedFiles",
]);

/** A result without memory and report, every field there. @param {any} result */
export function stored(result) {
  /** @type {Record<string, any>} */
  const kept = { status: result.status, summary: typeof result.memory?.summary === "string" ? result.memory.summary : null, goal: typeof result.goal === "string" ? result.goal : null };
  for (const list of LISTS) kept[list] = Array.isArray(result[list]) ? result[list].filter((/** @type {unknown} */ entry) => typeof entry === "string") : [];
  kept.extra = typeof result.extra === "object" && result.extra !== null && !Array.isArray(result.extra) ? result.extra : {};
  kept.attempts = Array.isArray(result.attempts) ? result.attempts : [];
  return JSON.parse(JSON.stringify(kept));
}

/** A report without its ledger, which is decoded only when read. @param {ContextReport} report */
export function withoutLedger(report) {
  /** @type {Record<string, any>} */
  const rest = {};
  for (const key of Object.keys(report)) if (key !== "ledger") rest[key] = /** @type {any} */ (report)[key];
  return /** @type {Omit<ContextReport, "ledger">} */ (JSON.parse(JSON.stringify(rest)));
}

/**
 * The result of a compaction that changed nothing.
 * @param {CompactStatus} status
 * @param {string} message
 * @param {MemorySnapshot} memory
 * @param {any} previous the stored result before
 * @returns {CompactResult}
 */
export function unchanged(status, message, memory, previous) {
  const known = stored({ ...previous, status, memory, attempts: [{ status, message }] });
  const report = { ...project(memory.items.slice(), {}).report, notes: [`${status}: ${message}`], ledger: runsOf(memory.items.map(() => true)) };
  return /** @type {any} */ ({ ...known, memory, summary: memory.summary, contextReport: report });
}
