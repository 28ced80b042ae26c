// The architecture check: fails where a room imports one that stands below it, where a room knows what it must not, and
// where `&mut self` or `async fn` stands on the wasm boundary. `--root DIR` checks another tree.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { root as project } from "./lib/run.mjs";

/** From top to bottom: a room uses only those above it. */
const ROOMS = ["error", "item", "history", "context", "memory", "compact", "session", "runtime", "wasm"];
/** Rooms that work on facts and never name a provider's field. */
const FIELDLESS = ["history", "context", "memory", "compact", "session", "runtime"];
const FIELDS = new Set([
  "tool_calls", "tool_call_id", "call_id", "tool_use", "tool_use_id", "tool_result", "function_call",
  "function_call_output", "functionCall", "functionResponse", "toolCallId", "toolName", "tool-call", "tool-result",
  "encrypted_content", "reasoning_content", "input_text", "output_text", "thoughtSignature", "parts", "content", "role",
]);
/** What only wasm/ may know, and what no room may. */
const OUTSIDE = /\b(wasm_bindgen\w*|js_sys|serde_wasm_bindgen|web_sys)\b/;
const NOWHERE = /\b(std::(time|thread|fs|io|net|env|process)|tokio|rand|getrandom)\b/;

const root = process.argv.includes("--root") ? process.argv[process.argv.indexOf("--root") + 1] ?? project : project;
/** @type {string[]} */
const faults = [];

for (const path of rustFiles(join(root, "src"))) check(path);
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error(`architecture: ${faults.length} fault(s)`);
  process.exitCode = 1;
} else {
  console.log("architecture: every room imports only from above, and the boundary is clean");
}

/** @param {string} folder @returns {string[]} */
function rustFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return rustFiles(path);
    return entry.name.endsWith(".rs") ? [path] : [];
  });
}

/** @param {string} path */
function check(path) {
  const place = relative(join(root, "src"), path).split(sep);
  const room = place[0]?.replace(/\.rs$/, "") ?? "";
  const rank = ROOMS.indexOf(room);
  if (rank < 0) return;
  const { code, strings } = split(readFileSync(path, "utf8"), place.at(-1) === "tests.rs");
  const name = relative(root, path);
  code.split("\n").forEach((line, index) => {
    const at = `${name}:${index + 1}`;
    if (room !== "wasm" && OUTSIDE.test(line)) faults.push(`${at}: only wasm/ may know JavaScript`);
    if (NOWHERE.test(line)) faults.push(`${at}: no clock, randomness, I/O or threads in the core`);
  });
  for (const { used, line } of imports(code)) {
    if (ROOMS.indexOf(used) > rank) faults.push(`${name}:${line}: ${room}/ stands above ${used}/ and may not use it`);
  }
  if (FIELDLESS.includes(room)) {
    for (const { text, line } of strings) {
      if (FIELDS.has(text)) faults.push(`${name}:${line}: "${text}" is a provider's field: only item/dialect/ names those`);
    }
  }
  if (room === "wasm") boundary(code, name);
}

/**
 * Rooms named by `crate::room` and by grouped imports.
 * @param {string} code
 */
function imports(code) {
  const found = [];
  for (const match of code.matchAll(/\bcrate::(?:(\w+)|\{([^;]*?)\}\s*;)/gs)) {
    const line = code.slice(0, match.index).split("\n").length;
    const names = match[1] !== undefined ? [match[1]] : topLevel(match[2] ?? "");
    for (const used of names) if (ROOMS.includes(used)) found.push({ used, line });
  }
  return found;
}

/**
 * The first names of a group: of `a::{b, c}, d` it is a and d.
 * @param {string} group
 */
function topLevel(group) {
  let flat = group;
  while (/\{[^{}]*\}/.test(flat)) flat = flat.replace(/\{[^{}]*\}/g, "");
  return flat.split(",").map((name) => name.trim().split("::")[0] ?? "");
}

/**
 * @param {string} code
 * @param {string} name
 */
function boundary(code, name) {
  code.split("\n").forEach((line, index) => {
    if (/&\s*mut\s+self\b/.test(line)) faults.push(`${name}:${index + 1}: \`&mut self\` on the boundary: a call from inside a callback would fail`);
    if (/\basync\s+fn\b/.test(line)) faults.push(`${name}:${index + 1}: \`async fn\` on the boundary: return a Promise made from owned clones`);
  });
}

/**
 * Code without comments and strings, and the strings with their lines; test modules are left out of both.
 * @param {string} source
 * @param {boolean} isTest
 */
function split(source, isTest) {
  /** @type {{ text: string, line: number }[]} */
  const strings = [];
  if (isTest) return { code: "", strings };
  const tests = source.search(/#\[cfg\(test\)\]\s*mod\s+\w+\s*\{/);
  const text = tests < 0 ? source : source.slice(0, tests);
  const pattern = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|r(#*)"([\s\S]*?)"\1|"((?:\\[\s\S]|[^"\\])*)"|'(?:\\.|[^\\'])'/g;
  const code = text.replace(pattern, (found, _hashes, raw, plain, index) => {
    const string = raw ?? plain;
    if (string !== undefined) strings.push({ text: string, line: text.slice(0, index).split("\n").length });
    return found.replace(/[^\n]/g, " ");
  });
  return { code, strings };
}
