// What the JavaScript tests share: the built package, and the list of real transcripts.

import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";

/** @param {string} path relative to this file */
const beside = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The folder of the package under test: `pkg`, or what CONTEXT_PROJECTOR_PKG names. */
export const packageFolder = env.CONTEXT_PROJECTOR_PKG ? resolve(env.CONTEXT_PROJECTOR_PKG) : beside("../../pkg");

if (!existsSync(packageFolder)) {
  throw new Error("The package is not built: run `npm run build`, or name its folder in CONTEXT_PROJECTOR_PKG.");
}

/** @type {typeof import("../../src/js/types.d.ts")} */
export const pkg = createRequire(import.meta.url)(packageFolder);
export default pkg;

/**
 * The folder of real transcripts. It is no part of the project and may be absent; CONTEXT_PROJECTOR_CORPUS names another place.
 */
export const corpusFolder = env.CONTEXT_PROJECTOR_CORPUS
  ? resolve(env.CONTEXT_PROJECTOR_CORPUS)
  : beside("../../../shared/corpus");

/**
 * The full names of all JSON files in `items` and `derived` of the corpus, sorted; none where there is no corpus. A test that finds none
 * skips itself visibly.
 *
 * @returns {string[]}
 */
export function corpusFiles() {
  return ["items", "derived"]
    .map((part) => join(corpusFolder, part))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)))
    .filter((file) => file.endsWith(".json"))
    .sort();
}
