// Finds the borders of JSON values in a text without building them: where a value ends, how deep it nests, whether it is
// whole. JSON.parse judges each piece afterwards, so this needs to know brackets and strings only. No recursion.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** @param {number} code */
const isSpace = (code) => code === 0x20 || code === LINE_FEED || code === 0x0d || code === 0x09;

/**
 * @param {string} text
 * @param {number} at
 * @returns {number} where the next character stands that is no white space
 */
export function skipSpace(text, at) {
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/**
 * @param {string} text
 * @param {number} start at the opening quote
 * @param {number} limit
 * @returns {number} after the closing quote; -1 where the string ends at a line's end or at the limit
 */
export function stringEnd(text, start, limit) {
  for (let at = start + 1; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at += 1;
    else if (code === LINE_FEED) return -1;
  }
  return -1;
}

/**
 * One value from `start` on, looked for before `limit`.
 *
 * @param {string} text
 * @param {number} start
 * @param {number} [limit]
 * @returns {{ end: number, depth: number, whole: boolean }} `depth`: how many objects and lists stand inside each other
 */
export function scanValue(text, start, limit = text.length) {
  let open = 0;
  let depth = 0;
  let at = start;
  while (at < limit) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = stringEnd(text, at, limit);
      if (end < 0) return { end: limit, depth, whole: false };
      at = end;
      if (open === 0) return { end: at, depth, whole: true };
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      open += 1;
      if (open > depth) depth = open;
      at += 1;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      at += 1;
      open -= 1;
      if (open <= 0) return { end: at, depth, whole: open === 0 };
    } else if (open === 0) {
      return { end: plainEnd(text, at, limit), depth, whole: true };
    } else {
      at += 1;
    }
  }
  return { end: limit, depth, whole: false };
}

/**
 * The end of a number, a word, or of anything else that stands between commas.
 *
 * @param {string} text
 * @param {number} at
 * @param {number} limit
 */
function plainEnd(text, at, limit) {
  while (at < limit) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT || isSpace(code)) break;
    at += 1;
  }
  return at;
}

/**
 * Whether objects and lists of a value stand inside each other more than `limit` times.
 *
 * @param {unknown} value
 * @param {number} limit
 */
export function nestsDeeper(value, limit) {
  /** @type {{ value: unknown, depth: number }[]} */
  const rest = [{ value, depth: 1 }];
  for (let next = rest.pop(); next; next = rest.pop()) {
    if (typeof next.value !== "object" || next.value === null) continue;
    if (next.depth > limit) return true;
    for (const inner of Object.values(next.value)) {
      if (typeof inner === "object" && inner !== null) rest.push({ value: inner, depth: next.depth + 1 });
    }
  }
  return false;
}

/** Line numbers of places that are asked for in rising order. */
export class LineCounter {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.line = 1;
    this.next = text.indexOf("\n");
  }

  /**
   * @param {number} at
   * @returns {number} counted from 1
   */
  at(at) {
    while (this.next >= 0 && this.next < at) {
      this.line += 1;
      this.next = this.text.indexOf("\n", this.next + 1);
    }
    return this.line;
  }
}
