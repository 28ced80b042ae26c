// Builds the package. `npm run build` fills pkg/ whole; it is generated and not tracked.
//
//   node scripts/build.mjs           release build for Node into pkg/
//   node scripts/build.mjs --dev     debug build for Node into target/pkg-dev
//   node scripts/build.mjs --web     release build for browsers into target/pkg-web
//   --force                          builds even where nothing has changed

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { root, run, runMain } from "./lib/run.mjs";
import { npmPackages, rustTools } from "./lib/tools.mjs";

/** @typedef {"release" | "dev" | "web"} Kind */

/** @type {Record<Kind, { folder: string, target: string, profile: string }>} */
const kinds = {
  release: { folder: "pkg", target: "nodejs", profile: "--release" },
  dev: { folder: "target/pkg-dev", target: "nodejs", profile: "--dev" },
  web: { folder: "target/pkg-web", target: "web", profile: "--release" },
};

/**
 * Builds one kind of package, where its sources have changed.
 * @param {Kind} kind
 * @param {boolean} [force]
 */
export async function build(kind, force = false) {
  await npmPackages();
  const { folder, target, profile } = kinds[kind];
  const out = join(root, folder);
  const stamp = join(root, "target", `stamp-${kind}`);
  const hash = await sourceHash();
  const isBuilt = existsSync(join(out, "package.json")) && existsSync(stamp);
  if (!force && isBuilt && (await readFile(stamp, "utf8")) === hash) {
    console.log(`build: ${folder} is up to date`);
    return;
  }
  console.log(`build: ${folder}`);
  const env = await rustTools();
  // wasm-pack leaves the snippets of earlier builds where they are.
  await rm(out, { recursive: true, force: true });
  await run(
    "wasm-pack",
    // no-install: it would fetch a wasm-bindgen of its own; no-opt and the crate's metadata keep it from Debian's
    // Binaryen 108, which breaks the module without a word.
    ["build", "--target", target, profile, "--mode", "no-install", "--no-opt", "--out-dir", folder],
    { env },
  );
  const wasm = join(out, "context_projector_bg.wasm");
  if (profile === "--release") await optimise(wasm);
  await complete(out, target);
  const bytes = await readFile(wasm);
  console.log(`build: wasm ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} gzipped`);
  await mkdir(join(root, "target"), { recursive: true });
  await writeFile(stamp, hash);
}

/**
 * Shrinks the module with the pinned Binaryen. Plain -Oz: `-all` would let it use features that browsers lack.
 * @param {string} wasm
 */
async function optimise(wasm) {
  const script = join(root, "node_modules", "binaryen", "bin", "wasm-opt");
  // rustc emits these features by default, and all of our targets have them.
  const features = ["--enable-bulk-memory", "--enable-nontrapping-float-to-int", "--enable-sign-ext",
    "--enable-mutable-globals", "--enable-reference-types", "--enable-multivalue"];
  await run(process.execPath, [script, "-Oz", ...features, wasm, "-o", wasm]);
}

/**
 * Adds what wasm-pack does not: it writes package.json anew on each run, so ours is made from it here.
 * @param {string} out
 * @param {string} target
 */
async function complete(out, target) {
  for (const file of ["README.md", "LICENSE-MIT", "LICENSE-APACHE"]) await copyFile(join(root, file), join(out, file));
  // wasm-pack ignores everything in its folder, and `npm pack` would obey.
  await rm(join(out, ".gitignore"), { force: true });
  const path = join(out, "package.json");
  const made = JSON.parse(await readFile(path, "utf8"));
  const ours = {
    name: "context-projector",
    version: made.version,
    description: made.description,
    license: made.license,
    ...(target === "web" ? { type: "module" } : {}),
    // The glue is CommonJS and requires its one ES module, which Node does from this version on.
    engines: { node: ">=20.19" },
    main: "context_projector.js",
    types: "context_projector.d.ts",
    files: ["context_projector.js", "context_projector.d.ts", "context_projector_bg.wasm",
      "context_projector_bg.wasm.d.ts", "snippets", "LICENSE-MIT", "LICENSE-APACHE"],
    sideEffects: ["./context_projector.js", "./snippets/*"],
  };
  await writeFile(path, `${JSON.stringify(ours, null, 2)}\n`);
}

/** A digest of everything that the package is made from. */
async function sourceHash() {
  const hash = createHash("sha256");
  const files = ["Cargo.toml", "Cargo.lock", "README.md", "scripts/build.mjs", ...(await listed(join(root, "src")))];
  for (const file of files) hash.update(file).update(await readFile(join(root, file)));
  return hash.digest("hex");
}

/**
 * @param {string} folder
 * @returns {Promise<string[]>}
 */
async function listed(folder) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const kind = process.argv.includes("--dev") ? "dev" : process.argv.includes("--web") ? "web" : "release";
  await runMain(() => build(kind, process.argv.includes("--force")));
}
