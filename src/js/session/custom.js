// Parts of the host's own: what they answer is checked, and accounted for by comparing identities.

import { project } from "build:glue";
import { failure } from "../shared/errors.js";

/**
 * @typedef {import("../types.d.ts").ContextProjection} ContextProjection
 * @typedef {import("../types.d.ts").ContextReport} ContextReport
 */

/**
 * The outcome of a projector of the host's own.
 * @param {readonly object[]} source
 * @param {unknown} answer
 * @param {object} options for measuring
 * @returns {ContextProjection}
 */
export function accounted(source, answer, options) {
  const { items, report: told } = /** @type {{ items?: unknown, report?: any }} */ (answer ?? {});
  if (!Array.isArray(items)) throw failure("invalid_item", "projector.project().items", "must be an array");
  for (const [index, item] of items.entries()) {
    if (typeof item !== "object" || item === null) throw failure("invalid_item", `projector.project().items[${index}]`, "must be an object");
  }
  const report = /** @type {ContextReport} */ ({ ...project(source.slice(), {}, options).report });
  const sent = new Set(items);
  const own = new Set(source);
  const dropped = source.filter((item) => !sent.has(item)).length;
  return {
    items,
    report: {
      ...report,
      projectedItemCount: items.length,
      droppedItemCount: dropped,
      insertedItemCount: items.filter((item) => !own.has(item)).length,
      joinedItemCount: 0,
      projectedApproxChars: project(items.slice(), {}, options).report.sourceApproxChars,
      notes: Array.isArray(told?.notes) ? told.notes.map(String) : [],
      ledger: runsOf(source.map((item) => sent.has(item))),
    },
  };
}

/**
 * A ledger of what was kept.
 * @param {readonly boolean[]} kept
 * @param {{ kept: "kept", gone: "dropped" | "summarized", reason: string }} [names]
 */
export function runsOf(kept, names = { kept: "kept", gone: "dropped", reason: "custom" }) {
  /** @type {import("../types.d.ts").LedgerRun[]} */
  const runs = [];
  for (const [index, isKept] of kept.entries()) {
    const fate = isKept ? names.kept : names.gone;
    const last = runs.at(-1);
    if (last !== undefined && last.fate === fate) last.to = index + 1;
    else runs.push({ from: index, to: index + 1, fate, reason: isKept ? "" : names.reason });
  }
  return runs;
}
