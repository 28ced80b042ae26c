// Reads transcripts: `context-projector/import`. Pure JavaScript without any environment's interface (but setTimeout, in the
// variant with progress), so that it works in browsers, workers and Node alike, before and without the WebAssembly core.

import { formatOf } from "./formats.js";
import { readFirstHistory, readItems } from "./items.js";
import { read, unwrap } from "./read.js";
import { dialectOfAll, isItem } from "./shapes.js";

/** @typedef {import("./types.js").Dialect} Dialect */
/** @typedef {import("./types.js").Plain} Plain */
/** @typedef {import("./types.js").Problem} Problem */
/** @typedef {import("./types.js").Reading} Reading */
/** @typedef {import("./types.js").Transcript} Transcript */

const SOURCES = { lines: "jsonl", array: "json array", object: "json object", values: "json values" };

/**
 * Reads a transcript: a JSON array or JSONL of items in any dialect, an object that holds such an array, a Claude Code session,
 * a Codex rollout, a Gemini CLI session, a pi session. Nothing in the text makes it throw: what is broken is left out and told in
 * `problems`, by line (from 1; 0 is the file as a whole). What is no transcript gives no items, and one problem that says so.
 *
 * `source` names the kind of file: "json array", "jsonl", "json object", "json values", "claude code session", "codex rollout",
 * "gemini cli session", "pi session", or "unknown". Where a session was compacted, its history is what the model was sent since.
 *
 * @example
 * const { items, dialect, problems } = importTranscript(await file.text());
 * for (const { line, message } of problems) console.warn(`line ${line}: ${message}`);
 *
 * @param {string} text
 * @returns {Transcript}
 */
export function importTranscript(text) {
  const steps = transcript(text);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * The same, with pauses in which the event loop may do other work. `done` and `total` count UTF-16 units of the text.
 *
 * @param {string} text
 * @param {((progress: { done: number, total: number }) => void) | null} [onProgress] its errors pass through
 * @param {AbortSignal | null} [signal] rejects with a `ContextProjectorError` of the code `aborted`
 * @returns {Promise<Transcript>}
 */
export async function importTranscriptWithProgress(text, onProgress, signal) {
  const steps = transcript(text);
  for (;;) {
    if (signal?.aborted) throw makeError("aborted", "The import was aborted.", signal.reason);
    const step = steps.next();
    onProgress?.({ done: step.done ? text.length : step.value, total: text.length });
    if (step.done) return step.value;
    await new Promise((resume) => setTimeout(resume, 0));
  }
}

/**
 * @param {string} text
 * @returns {Generator<number, Transcript, void>}
 */
function* transcript(text) {
  if (typeof text !== "string") throw makeError("invalid_option", `text: is a ${typeof text}, no string`);
  return convert(yield* read(text), text);
}

/**
 * @param {Reading} reading
 * @param {string} text
 * @returns {Transcript}
 */
function convert({ form, entries, problems }, text) {
  const format = formatOf(entries);
  if (format === null && entries.some(({ value }) => unwrap(value)?.some(isItem))) {
    const items = readFirstHistory(entries, problems);
    return { items, dialect: dialectOfAll(items), source: SOURCES[form], problems: sorted(problems) };
  }
  if (format === null) return nothing("unknown", "openai-chat", whyNothing(entries.length, problems, text));
  if (format === "items") {
    const items = readItems(entries, problems);
    const found = { items, dialect: dialectOfAll(items), source: SOURCES[form], problems: sorted(problems) };
    return items.length > 0 ? found : { ...found, problems: problems.length > 0 ? found.problems : noItems("file") };
  }
  const items = format.read(entries, problems);
  if (items.length === 0 && problems.length === 0) return nothing(format.name, format.dialect, noItems(format.name)[0]?.message ?? "");
  return { items, dialect: format.dialect, source: format.name, problems: sorted(problems) };
}

/** @param {string} what @returns {Problem[]} */
const noItems = (what) => [{ line: 0, message: `The ${what} holds no messages.` }];

/**
 * @param {string} source
 * @param {Dialect} dialect
 * @param {string} message
 * @returns {Transcript}
 */
function nothing(source, dialect, message) {
  return { items: [], dialect, source, problems: [{ line: 0, message }] };
}

/**
 * @param {number} values
 * @param {Problem[]} problems
 * @param {string} text
 */
function whyNothing(values, problems, text) {
  if (text.trim() === "" || text.trim() === "\ufeff") return "The file is empty.";
  if (values === 0 && problems.length === 0) return "The file holds an empty list, no transcript.";
  if (values > 0) return "The file is JSON, but no transcript: none of its values is an item of a known shape.";
  if (/[\0-\x08]/.test(text.slice(0, 4096))) return "The file is no transcript: it holds binary data.";
  const [first] = problems;
  if (problems.length === 1 && first) return `The file is no transcript that can be read. Line ${first.line}: ${first.message}`;
  return "The file is no transcript: nothing in it is JSON.";
}

/**
 * In the order of the lines; several stages have added to the list.
 *
 * @param {Problem[]} problems
 */
const sorted = (problems) => problems.sort((a, b) => a.line - b.line);

/**
 * @param {string} code
 * @param {string} message
 * @param {unknown} [cause]
 */
function makeError(code, message, cause) {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  Object.defineProperty(error, "name", { value: "ContextProjectorError", configurable: true, writable: true });
  return Object.assign(error, { code });
}
