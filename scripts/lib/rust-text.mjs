// Reads Rust source as text, for checks that need no compiler: what is code, what is a string, which paths are named.

/** @typedef {{ text: string, line: number }} Literal */
/** @typedef {{ segments: string[], line: number }} Path */

const RAW_STRING = /[bc]?r(#*)"/y;
const STRING = /"(?:\\[\s\S]|[^"\\])*"?/y;
/** A character; what else begins with a quote is a lifetime. */
const CHARACTER = /'(?:\\(?:u\{[^}]*\}|x[0-9a-fA-F]{2}|.)|[^\\'\n])'/uy;
const TEST_MODULE = /#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*\{/g;

/**
 * Code with comments, strings and test modules blanked out, lines kept; and the strings with their lines.
 * @param {string} source
 * @returns {{ code: string, strings: Literal[] }}
 */
export function split(source) {
  /** @type {{ text: string, index: number }[]} */
  const strings = [];
  let code = "";
  let index = 0;
  while (index < source.length) {
    const end = commentEnd(source, index) ?? stringEnd(source, index, strings) ?? matchEnd(CHARACTER, source, index);
    code += end === null ? source[index] : blank(source.slice(index, end));
    index = end ?? index + 1;
  }
  for (const [start, end] of testModules(code)) {
    code = code.slice(0, start) + blank(code.slice(start, end)) + code.slice(end);
    strings.forEach((string, at) => {
      if (string.index >= start && string.index < end) delete strings[at];
    });
  }
  // flatMap passes over what was deleted.
  return { code, strings: strings.flatMap(({ text, index: at }) => [{ text, line: lineOf(source, at) }]) };
}

/**
 * Every path that begins with one of the names, groups (`a::{b, c::d}`) written out.
 * @param {string} code
 * @param {readonly string[]} heads
 * @returns {Path[]}
 */
export function paths(code, heads) {
  /** @type {Path[]} */
  const found = [];
  const head = new RegExp(`\\b(?:${heads.join("|")})\\s*::`, "g");
  for (let match = head.exec(code); match !== null; match = head.exec(code)) {
    head.lastIndex = Math.max(head.lastIndex, tree(code, match.index, [], found));
  }
  return found;
}

/**
 * Reads one tree of a path; answers where it ends.
 * @param {string} code
 * @param {number} start
 * @param {readonly string[]} prefix
 * @param {Path[]} found
 * @returns {number}
 */
function tree(code, start, prefix, found) {
  const segments = [...prefix];
  let index = start;
  for (;;) {
    index = matchEnd(/\s*/y, code, index) ?? index;
    if (code[index] === "{") return group(code, index + 1, segments, found);
    const end = matchEnd(/\w+|\*/y, code, index);
    if (end !== null) segments.push(code.slice(index, end));
    const next = end === null ? null : matchEnd(/\s*::/y, code, end);
    if (next !== null) index = next;
    else {
      if (segments.length > prefix.length) found.push({ segments, line: lineOf(code, index) });
      return end ?? index;
    }
  }
}

/**
 * @param {string} code
 * @param {number} start
 * @param {readonly string[]} prefix
 * @param {Path[]} found
 */
function group(code, start, prefix, found) {
  let index = start;
  while (index < code.length && code[index] !== "}") {
    index = tree(code, index, prefix, found);
    // On to the next name, past `as name` too.
    while (index < code.length && code[index] !== "," && code[index] !== "}") index += 1;
    if (code[index] === ",") index = matchEnd(/,\s*/y, code, index) ?? index + 1;
  }
  return index + 1;
}

/**
 * Comments nest in Rust.
 * @param {string} source
 * @param {number} start
 */
function commentEnd(source, start) {
  if (source.startsWith("//", start)) return matchEnd(/[^\n]*/y, source, start);
  if (!source.startsWith("/*", start)) return null;
  let depth = 0;
  for (let index = start; index < source.length; index += 1) {
    if (source.startsWith("/*", index)) depth += 1;
    else if (source.startsWith("*/", index)) depth -= 1;
    else continue;
    index += 1;
    if (depth === 0) return index + 1;
  }
  return source.length;
}

/**
 * @param {string} source
 * @param {number} start
 * @param {{ text: string, index: number }[]} strings
 */
function stringEnd(source, start, strings) {
  const open = /\w/.test(source[start - 1] ?? "") ? null : matchEnd(RAW_STRING, source, start);
  if (open !== null) {
    const close = `"${source.slice(start, open - 1).replace(/^[bc]?r/, "")}`;
    const found = source.indexOf(close, open);
    const end = found < 0 ? source.length : found;
    strings.push({ text: source.slice(open, end), index: start });
    return Math.min(end + close.length, source.length);
  }
  const end = matchEnd(STRING, source, start);
  if (end !== null) strings.push({ text: source.slice(start + 1, end - 1), index: start });
  return end;
}

/**
 * Where `#[cfg(test)] mod name { … }` begins and ends.
 * @param {string} code
 * @returns {[start: number, end: number][]}
 */
function testModules(code) {
  return [...code.matchAll(TEST_MODULE)].map((match) => {
    let index = match.index + match[0].length;
    for (let depth = 1; depth > 0 && index < code.length; index += 1) {
      if (code[index] === "{") depth += 1;
      if (code[index] === "}") depth -= 1;
    }
    return [match.index, index];
  });
}

/**
 * @param {RegExp} pattern sticky
 * @param {string} text
 * @param {number} index
 */
function matchEnd(pattern, text, index) {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : null;
}

/** @param {string} text */
function blank(text) {
  return text.replace(/[^\n]/g, " ");
}

/**
 * @param {string} text
 * @param {number} index
 */
function lineOf(text, index) {
  return text.slice(0, index).split("\n").length;
}
