// A file whose values are the items themselves.

import { MAX_DEPTH, tooDeep, unwrap } from "./read.js";
import { nestsDeeper } from "./scan.js";
import { isItem, mayBeItem } from "./shapes.js";

/** @typedef {import("./types.js").Entry} Entry */
/** @typedef {import("./types.js").Plain} Plain */
/** @typedef {import("./types.js").Problem} Problem */

/**
 * Whether an item may be taken; one that nests too much is reported.
 *
 * @param {Entry} entry
 * @param {unknown} item
 * @param {Problem[]} problems
 */
export function isShallow(entry, item, problems) {
  if (!entry.deep || !nestsDeeper(item, MAX_DEPTH)) return true;
  problems.push({ line: entry.line, message: tooDeep });
  return false;
}

/**
 * @param {readonly Entry[]} entries
 * @param {Problem[]} problems
 * @returns {Plain[]}
 */
export function readItems(entries, problems) {
  /** @type {Plain[]} */
  const items = [];
  for (const entry of entries) {
    if (!mayBeItem(entry.value)) {
      problems.push({ line: entry.line, message: `Here stands ${nameOf(entry.value)}, no item; it is left out.` });
    } else if (isShallow(entry, entry.value, problems)) {
      items.push(/** @type {Plain} */ (entry.value));
    }
  }
  return items;
}

/**
 * A file with a whole history on each line: its first one.
 *
 * @param {readonly Entry[]} entries
 * @param {Problem[]} problems
 * @returns {Plain[]}
 */
export function readFirstHistory(entries, problems) {
  /** @type {Plain[] | null} */
  let items = null;
  for (const entry of entries) {
    const list = unwrap(entry.value);
    if (list === null || !list.some(isItem)) {
      problems.push({ line: entry.line, message: `Here stands ${nameOf(entry.value)}, no history; it is left out.` });
    } else if (items) {
      problems.push({ line: entry.line, message: "Here stands a further history; only the first of the file is read." });
    } else {
      items = readItems(list.map((value) => ({ line: entry.line, value, deep: entry.deep })), problems);
    }
  }
  return items ?? [];
}

/** @param {unknown} value */
export function nameOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
