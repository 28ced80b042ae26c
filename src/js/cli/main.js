#!/usr/bin/env node
// The command `context-projector`: shows what a projection does to a transcript.

import { readFile } from "node:fs/promises";
import { project } from "context-projector";
import { importTranscriptWithProgress } from "context-projector/import";
import { Complaint, readOptions, USAGE, version } from "./options.js";
import { printed } from "./print.js";
import { startProgress } from "./progress.js";
import { weigh } from "./weigh.js";

/** @typedef {import("context-projector").Item} Item */

/** @param {string} file "-" for standard input */
async function readText(file) {
  let bytes;
  try {
    bytes = file === "-" ? await standardInput() : await readFile(file);
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === "ENOENT") throw new Complaint(`${file} is not there.`);
    if (code === "EISDIR") throw new Complaint(`${file} is a folder: name a file in it.`);
    if (code === "EACCES") throw new Complaint(`${file} may not be read.`);
    throw new Complaint(`${file} cannot be read: ${message}.`);
  }
  if (bytes.length === 0) throw new Complaint(`${file} is empty.`);
  // No text file holds a zero byte.
  if (bytes.subarray(0, 65_536).includes(0)) throw new Complaint(`${file} is binary data, and no transcript.`);
  return bytes.toString("utf8");
}

async function standardInput() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(/** @type {Buffer} */ (chunk));
  return Buffer.concat(chunks);
}

/**
 * @param {string[]} args
 * @returns {Promise<string>} what to print
 */
async function main(args) {
  const options = readOptions(args);
  if (options.kind === "help") return USAGE;
  if (options.kind === "version") return version;
  const { file, budget, json } = options;
  const text = await readText(file);
  const progress = startProgress(file);
  const { items, dialect, source, problems } = await importTranscriptWithProgress(text, progress.show).finally(progress.end);
  if (items.length === 0) {
    throw new Complaint(`${file} is no transcript: ${problems[0]?.message ?? "there is no item in it"}`);
  }
  const projection = project(/** @type {Item[]} */ (items), budget, { dialect });
  const weights = weigh(items, projection.items);
  const shown = { file, source, dialect, problems, budget, report: projection.report, weights };
  return json ? JSON.stringify(shown, null, 2) : printed(shown, items);
}

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on("error", (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  process.stdout.write(`${await main(process.argv.slice(2))}\n`);
} catch (error) {
  const { name, message } = /** @type {Error} */ (error);
  if (!(error instanceof Complaint) && name !== "ContextProjectorError") throw error;
  process.stderr.write(`context-projector: ${message}\n`);
  process.exitCode = 2;
}
