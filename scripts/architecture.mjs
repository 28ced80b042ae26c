// The architecture check: fails where a room imports one that stands below it, where a room knows what it must not, and
// where `&mut self` or `async fn` stands on the wasm boundary. `--root DIR` checks another tree.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { root as project } from "./lib/run.mjs";
import { paths, split } from "./lib/rust-text.mjs";

/** From top to bottom: a room uses only those above it. */
const ROOMS = ["error", "item", "history", "context", "memory", "compact", "session", "runtime", "wasm"];
/** Rooms that work on facts and never name a provider's field. */
const FIELDLESS = ["history", "context", "memory", "compact", "session", "runtime"];
const FIELDS = new Set([
  "tool_calls", "tool_call_id", "call_id", "tool_use", "tool_use_id", "tool_result", "function_call",
  "function_call_output", "functionCall", "functionResponse", "toolCallId", "toolName", "tool-call", "tool-result",
  "encrypted_content", "reasoning_content", "input_text", "output_text", "thoughtSignature", "parts", "content", "role",
]);
/** Names that are plain words as well: refused as a whole string, welcome inside a sentence. */
const WORDS = new Set(["parts", "content", "role", "tool-call", "tool-result"]);
/** What only wasm/ may know, and what no room may. */
const OUTSIDE = /\b(wasm_bindgen\w*|js_sys|serde_wasm_bindgen|web_sys)\b/;
const NOWHERE = /\b(tokio|rand|getrandom)\b/;
/** `&mut self`, `&'a mut self` and `self: &mut Self`. */
const MUT_SELF = /&\s*(?:'\w+\s+)?mut\s+self\b|\bself\s*:\s*&\s*(?:'\w+\s+)?mut\b/;
const NOWHERE_IN_STD = ["time", "thread", "fs", "io", "net", "env", "process"];

const at = process.argv.indexOf("--root");
const root = at < 0 ? project : process.argv[at + 1];
/** @type {string[]} */
const faults = [];

const files = root === undefined ? [] : rustFiles(join(root, "src"));
// A check that finds nothing to check must not pass.
if (files.length === 0) faults.push(`${root ?? "--root"}: no Rust file in src/`);
for (const path of files) check(path, root ?? project);
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

/**
 * @param {string} path
 * @param {string} top
 */
function check(path, top) {
  const place = relative(join(top, "src"), path).split(sep);
  // Test modules with a file of their own.
  if (place.at(-1) === "tests.rs") return;
  const room = place[0]?.replace(/\.rs$/, "") ?? "";
  const name = relative(top, path);
  const { code, strings } = split(readFileSync(path, "utf8"));
  outsiders(code, name, room);
  // The face of the crate shows every room.
  if (room === "lib") return;
  const rank = ROOMS.indexOf(room);
  if (rank < 0) return void faults.push(`${name}:1: ${room} is no room: give it its place in ROOMS`);
  for (const { used, line } of imports(code, place)) {
    if (!ROOMS.includes(used)) faults.push(`${name}:${line}: crate::${used} is no room: name the room that it lives in`);
    else if (ROOMS.indexOf(used) > rank) faults.push(`${name}:${line}: ${room}/ stands above ${used}/ and may not use it`);
  }
  if (FIELDLESS.includes(room)) fields(strings, name);
  if (room === "wasm") boundary(code, name);
}

/**
 * @param {string} code
 * @param {string} name
 * @param {string} room
 */
function outsiders(code, name, room) {
  const refuse = (/** @type {number} */ line) => faults.push(`${name}:${line}: no clock, randomness, I/O or threads in the core`);
  code.split("\n").forEach((line, index) => {
    if (room !== "wasm" && OUTSIDE.test(line)) faults.push(`${name}:${index + 1}: only wasm/ may know JavaScript`);
    if (NOWHERE.test(line)) refuse(index + 1);
  });
  for (const { segments, line } of paths(code, ["std"])) {
    if (NOWHERE_IN_STD.includes(segments[1] ?? "")) refuse(line);
  }
}

/**
 * What a file names of its crate's top: by `crate::name`, or by as many `super::` as it stands deep.
 * @param {string} code
 * @param {readonly string[]} place
 */
function imports(code, place) {
  const depth = place.at(-1) === "mod.rs" ? place.length - 1 : place.length;
  return paths(code, ["crate", "super"]).flatMap(({ segments, line }) => {
    const climbed = segments.findIndex((segment) => segment !== "super");
    const used = segments[0] === "crate" ? segments[1] : climbed === depth ? segments[climbed] : undefined;
    return used === undefined || used === "self" ? [] : [{ used, line }];
  });
}

/**
 * @param {readonly { text: string, line: number }[]} strings
 * @param {string} name
 */
function fields(strings, name) {
  for (const { text, line } of strings) {
    // Inside a longer string too: "/tool_calls/0" names a field as well.
    const field = FIELDS.has(text) ? text : text.split(/[^\w-]+/).find((word) => FIELDS.has(word) && !WORDS.has(word));
    if (field !== undefined) faults.push(`${name}:${line}: "${field}" is a provider's field: only item/dialect/ names those`);
  }
}

/**
 * @param {string} code
 * @param {string} name
 */
function boundary(code, name) {
  code.split("\n").forEach((line, index) => {
    if (MUT_SELF.test(line)) faults.push(`${name}:${index + 1}: \`&mut self\` on the boundary: a call from inside a callback would fail`);
    if (/\basync\s+fn\b/.test(line)) faults.push(`${name}:${index + 1}: \`async fn\` on the boundary: return a Promise made from owned clones`);
  });
}
