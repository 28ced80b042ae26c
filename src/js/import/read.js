// From text to values with line numbers: JSON Lines, one JSON array, an object that wraps an array, or values one after
// the other. What is broken is reported and passed over. A generator, so that one caller may run it in one go and another
// may pause between its steps; each step yields how far it has come.

import { LineCounter, scanValue, skipSpace, stringEnd } from "./scan.js";
import { isPlain } from "./shapes.js";

/** @typedef {import("./types.js").Reading} Reading */

/** Deepest nesting inside one item: what the core takes. */
export const MAX_DEPTH = 500;
/** A record wraps its item in a few levels more. What is deeper than this is not even parsed. */
const MAX_PARSED_DEPTH = MAX_DEPTH + 20;
/** Characters between two steps. */
const STEP = 262_144;
/** Broken values in a row at the head of a document after which it is none. */
const PATIENCE = 1000;

/** Keys under which an object holds its history, the likeliest first; and those that hold such an object. */
export const LISTS = ["messages", "input", "contents", "items", "history", "conversation", "transcript", "turns", "traj", "output"];
const HOLDERS = ["memory", "session", "conversation", "body", "request", "data", "state"];

/** @typedef {{ key: string, start: number, end: number, whole: boolean }} Member */

/**
 * @param {string} text
 * @returns {Generator<number, Reading, void>}
 */
export function* read(text) {
  const start = skipSpace(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  const first = text[start];
  if (first !== "{" && first !== "[") return yield* readLines(text, start);
  const feed = text.indexOf("\n", start);
  const line = scanValue(text, start, feed < 0 ? text.length : feed);
  if (line.whole && skipSpace(text, line.end) < text.length) return yield* readLines(text, start);
  if (first === "[") return yield* readArray(text, start);
  const { end, whole } = line.whole ? line : scanValue(text, start);
  if (whole && skipSpace(text, end) < text.length) return yield* readElements(text, start, { form: "values", bracket: false });
  if (!whole && looksLikeLines(text, start)) return yield* readLines(text, start);
  return yield* readObject(text, start, whole);
}

/**
 * Whether one of the lines after a broken first one is an object of its own.
 *
 * @param {string} text
 * @param {number} start
 */
function looksLikeLines(text, start) {
  let at = text.indexOf("\n", start);
  for (let tries = 0; at >= 0 && tries < 20; tries += 1) {
    const end = text.indexOf("\n", at + 1);
    const line = text.slice(at + 1, end < 0 ? text.length : end);
    if (line.startsWith("{") && parse(line) !== undefined) return true;
    at = end;
  }
  return false;
}

/**
 * @param {string} json
 * @returns {unknown} undefined where it is no JSON
 */
function parse(json) {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/**
 * Takes one value into the reading, or reports why not.
 *
 * @param {Reading} reading
 * @param {number} line
 * @param {string} json
 * @param {number} depth
 * @returns {boolean} false where it is broken
 */
function take(reading, line, json, depth) {
  if (depth > MAX_PARSED_DEPTH) {
    reading.problems.push({ line, message: tooDeep });
    return true;
  }
  const value = parse(json);
  if (value === undefined) return false;
  reading.entries.push({ line, value, deep: depth > MAX_DEPTH });
  return true;
}

export const tooDeep = `The item nests more than ${MAX_DEPTH} levels and is left out.`;

/**
 * @param {string} json
 * @returns {boolean} whether it holds characters that no text has
 */
const isBinary = (json) => /[\0-\x08\x0e-\x1f\ufffd]/.test(json);

/**
 * @param {string} text
 * @param {number} start
 * @returns {Generator<number, Reading, void>}
 */
function* readLines(text, start) {
  /** @type {Reading} */
  const reading = { form: "lines", entries: [], problems: [] };
  let line = new LineCounter(text).at(start);
  let reported = start;
  for (let at = start; at < text.length; line += 1) {
    const feed = text.indexOf("\n", at);
    const end = feed < 0 ? text.length : feed;
    const json = text.slice(at, end).trim();
    // A shorter line has no room for too many levels and their ends.
    const depth = json.length > 2 * MAX_DEPTH ? scanValue(json, 0).depth : 0;
    if (json !== "" && !take(reading, line, json, depth)) {
      const cut = feed < 0 && !scanValue(json, 0).whole;
      const message = isBinary(json)
        ? "The line holds binary data, no JSON, and is left out."
        : cut
          ? "The file ends in the middle of this line; it is left out."
          : "The line is not valid JSON and is left out.";
      reading.problems.push({ line, message });
    }
    at = end + 1;
    if (at - reported >= STEP) {
      reported = at;
      yield Math.min(at, text.length);
    }
  }
  return reading;
}

/**
 * @param {string} text
 * @param {number} start at the bracket
 */
function readArray(text, start) {
  return readElements(text, start + 1, { form: "array", bracket: true });
}

/**
 * The values of a list, up to its closing bracket. From the first broken one on, an element reaches at most to the next line
 * that begins as elements do, so that one missing bracket or quote costs one element.
 *
 * @param {string} text
 * @param {number} start
 * @param {{ form: Reading["form"], bracket: boolean }} how
 * @returns {Generator<number, Reading, void>}
 */
function* readElements(text, start, { form, bracket }) {
  /** @type {Reading} */
  const reading = { form, entries: [], problems: [] };
  const lines = new LineCounter(text);
  /** @type {string | null} */
  let fresh = null;
  let border = start;
  let reported = start;
  let at = start;
  for (;;) {
    at = skipSpace(text, at);
    if (at >= text.length) {
      if (bracket) reading.problems.push({ line: lines.at(text.length), message: "The file ends before its list does; what stands before is read." });
      return reading;
    }
    if (text[at] === ",") {
      at += 1;
      continue;
    }
    if (bracket && text[at] === "]") {
      if (form === "array" && skipSpace(text, at + 1) < text.length) {
        reading.problems.push({ line: lines.at(skipSpace(text, at + 1)), message: "Something follows after the end of the list; it is left out." });
      }
      return reading;
    }
    if (fresh !== null && border <= at) border = borderAfter(text, fresh, at);
    const { end, depth, whole } = scanValue(text, at, fresh === null ? text.length : border);
    const line = lines.at(at);
    if (whole && take(reading, line, text.slice(at, end), depth)) {
      at = end;
    } else {
      fresh ??= lineStart(text, at);
      border = border > at ? border : borderAfter(text, fresh, at);
      if (!whole && border >= text.length) {
        reading.problems.push({ line, message: "The item that begins here has no end; it and what may follow are left out." });
        return reading;
      }
      reading.problems.push({ line, message: "The item that begins here is not valid JSON and is left out." });
      at = !whole || border < end ? border : Math.max(end, at + 1);
      if (reading.entries.length === 0 && reading.problems.length >= PATIENCE) return reading;
    }
    if (at - reported >= STEP) {
      reported = at;
      yield at;
    }
  }
}

/**
 * How a line begins that begins an element: as the line of this one, or as the next line that begins with an object.
 *
 * @param {string} text
 * @param {number} at
 */
function lineStart(text, at) {
  const before = text.slice(Math.max(0, at - 200), at);
  const own = /\n[ \t]*$/.exec(before);
  if (own && text[at] === "{") return `${own[0]}{`;
  const next = /\n[ \t]*\{/g;
  next.lastIndex = at;
  return next.exec(text)?.[0] ?? "\n{";
}

/**
 * @param {string} text
 * @param {string} fresh
 * @param {number} at
 */
function borderAfter(text, fresh, at) {
  const found = text.indexOf(fresh, at);
  return found < 0 ? text.length : found + fresh.length - 1;
}

/**
 * An object that wraps a history, or that is the only value of the file.
 *
 * @param {string} text
 * @param {number} start at the brace
 * @param {boolean} whole
 * @returns {Generator<number, Reading, void>}
 */
function* readObject(text, start, whole) {
  const list = findList(text, start);
  if (list >= 0) {
    const reading = yield* readElements(text, list + 1, { form: "object", bracket: true });
    if (!whole && reading.problems.length === 0) {
      reading.problems.push({ line: new LineCounter(text).at(text.length), message: "The object around the list is not whole; the list is read." });
    }
    return reading;
  }
  return yield* readElements(text, start, { form: text.slice(start).trimEnd().includes("\n") ? "object" : "lines", bracket: false });
}

/**
 * @param {string} text
 * @param {number} start at the brace
 * @param {number} [levels] how far down to look
 * @returns {number} where the list of the history begins, or -1
 */
function findList(text, start, levels = 3) {
  const members = membersOf(text, start);
  if (members.some(({ key }) => key === "role" || key === "call_id")) return -1;
  const named = (/** @type {string} */ key, /** @type {string} */ opening) =>
    members.find((member) => member.key === key && text[member.start] === opening);
  for (const key of LISTS) {
    const member = named(key, "[");
    if (member && text[skipSpace(text, member.start + 1)] === "{") return member.start;
  }
  for (const key of levels > 1 ? HOLDERS : []) {
    const member = named(key, "{");
    const found = member ? findList(text, member.start, levels - 1) : -1;
    if (found >= 0) return found;
  }
  return -1;
}

/**
 * @param {string} text
 * @param {number} start at the brace
 * @returns {Member[]} those before the first that is broken, and that one
 */
function membersOf(text, start) {
  /** @type {Member[]} */
  const members = [];
  let at = start + 1;
  for (;;) {
    at = skipSpace(text, at);
    if (text[at] === ",") {
      at += 1;
      continue;
    }
    const end = text[at] === '"' ? stringEnd(text, at, text.length) : -1;
    if (end < 0) return members;
    const key = parse(text.slice(at, end));
    at = skipSpace(text, end);
    if (text[at] !== ":" || typeof key !== "string") return members;
    at = skipSpace(text, at + 1);
    const value = scanValue(text, at);
    members.push({ key, start: at, end: value.end, whole: value.whole });
    if (!value.whole || value.end <= at) return members;
    at = value.end;
  }
}

/**
 * The history inside a value that wraps one: a list of objects, or an object with such a list.
 *
 * @param {unknown} value
 * @returns {unknown[] | null}
 */
export function unwrap(value) {
  if (Array.isArray(value)) return value;
  if (!isPlain(value) || typeof value.role === "string") return null;
  for (const key of LISTS) {
    const list = value[key];
    if (Array.isArray(list) && list.some(isPlain)) return list;
  }
  return null;
}
