// Memory as the host gives it.

import { failure } from "./errors.js";

/** @typedef {import("../types.d.ts").MemorySnapshot} MemorySnapshot */

/**
 * A snapshot with its fields checked. Items are checked where they are read.
 * @param {unknown} value
 * @param {string} [name] for messages
 * @returns {MemorySnapshot}
 */
export function readSnapshot(value, name = "snapshot") {
  if (typeof value !== "object" || value === null) throw failure("invalid_option", name, "must be an object with items and summary");
  const { items, summary } = /** @type {{ items?: unknown, summary?: unknown }} */ (value);
  if (!Array.isArray(items)) throw failure("invalid_option", `${name}.items`, "must be an array");
  if (summary !== undefined && summary !== null && typeof summary !== "string") throw failure("invalid_option", `${name}.summary`, "must be a string or null");
  return { items, summary: summary ?? null };
}

/** The summary as the core takes it: none is nothing. @param {string | null} summary */
export const given = (summary) => (summary === null ? undefined : summary);
