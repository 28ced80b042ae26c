// Builds the package. `npm run build` fills pkg/ whole; it is generated and not tracked.
//
//   node scripts/build.mjs           the package, into pkg/
//   node scripts/build.mjs --dev     the same from a debug build, into target/pkg-dev
//   node scripts/build.mjs --web     wasm and glue of the release build alone, into target/pkg-web
//   --force                          builds even where nothing has changed

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { fill } from "./lib/package.mjs";
import { root, runMain } from "./lib/run.mjs";
import { npmPackages } from "./lib/tools.mjs";
import { compile } from "./lib/wasm.mjs";

/** @typedef {"release" | "dev" | "web"} Kind */

/** What is compiled, where to, and the package that is filled from it. */
/** @type {Record<Kind, { wasm: string, profile: "--release" | "--dev", package: string | null }>} */
const kinds = {
  release: { wasm: "target/pkg-web", profile: "--release", package: "pkg" },
  dev: { wasm: "target/pkg-dev-web", profile: "--dev", package: "target/pkg-dev" },
  web: { wasm: "target/pkg-web", profile: "--release", package: null },
};

/** What only the entries are made from: a change here compiles nothing. */
const ENTRIES = /^src[\\/]js[\\/](entries|import|cli|compact|memory|session|shared|stores|host\.js)/;

/**
 * Builds one kind of package, where its sources have changed.
 * @param {Kind} kind
 * @param {boolean} [force]
 */
export async function build(kind, force = false) {
  await npmPackages();
  const { wasm, profile, package: folder } = kinds[kind];
  const sources = ["Cargo.toml", "Cargo.lock", "package-lock.json", "scripts/build.mjs", ...(await listed("scripts/lib")), ...(await listed("src"))];
  const core = await digest(sources.filter((file) => !ENTRIES.test(file)));
  await keep(wasm, core, force, () => compile(wasm, profile));
  if (folder === null) return;
  const all = await digest([...sources, "README.md", "LICENSE-MIT", "LICENSE-APACHE"]);
  await keep(folder, all, force, () => fill(join(root, wasm), join(root, folder)));
}

/**
 * Fills a folder, unless it holds already what was made from these sources.
 * @param {string} folder
 * @param {string} sources
 * @param {boolean} force
 * @param {() => Promise<void>} make
 */
async function keep(folder, sources, force, make) {
  const stamp = join(root, "target", `stamp-${folder.replace(/\W+/g, "-")}`);
  // The files that were made count too: `wasm-pack build` on its own writes over pkg/.
  const state = async () => `${sources} ${await digest(await listed(folder))}\n`;
  if (!force && existsSync(stamp) && (await readFile(stamp, "utf8")) === (await state())) {
    console.log(`build: ${folder} is up to date`);
    return;
  }
  console.log(`build: ${folder}`);
  await make();
  await mkdir(join(root, "target"), { recursive: true });
  await writeFile(stamp, await state());
}

/** @param {readonly string[]} files */
async function digest(files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update(await readFile(join(root, file)));
  return hash.digest("hex");
}

/**
 * All files of a folder, relative to the project; none where there is no folder.
 * @param {string} folder
 * @returns {Promise<string[]>}
 */
async function listed(folder) {
  if (!existsSync(join(root, folder))) return [];
  const entries = await readdir(join(root, folder), { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const kind = process.argv.includes("--dev") ? "dev" : process.argv.includes("--web") ? "web" : "release";
  await runMain(() => build(kind, process.argv.includes("--force")));
}
