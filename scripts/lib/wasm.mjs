// Compiles the crate to WebAssembly and its glue: once, for the web target. Every entry of the package is made from this
// one pair (see package.mjs), so that all of them run the very same module.

import { existsSync } from "node:fs";
import { readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ask, root, run } from "./run.mjs";
import { rustTools } from "./tools.mjs";

/** wasm-pack's names for what it makes. */
export const GLUE = "context_projector.js";
export const GLUE_TYPES = "context_projector.d.ts";
export const WASM = "context_projector_bg.wasm";

/**
 * Fills a folder with the wasm and its glue.
 * @param {string} folder relative to the project
 * @param {"--release" | "--dev"} profile
 */
export async function compile(folder, profile) {
  const env = await rustTools();
  // Made beside and moved into place: a failed build leaves the last good one. Removed first: wasm-pack would leave the
  // snippets of earlier builds where they are.
  const [out, partial] = [join(root, folder), join(root, `${folder}.partial`)];
  await rm(partial, { recursive: true, force: true });
  await run(
    "wasm-pack",
    // no-install: it would fetch a wasm-bindgen of its own; no-opt and the crate's metadata keep it from Debian's
    // Binaryen 108, which breaks the module without a word.
    ["build", "--target", "web", profile, "--mode", "no-install", "--no-opt", "--out-dir", `${folder}.partial`],
    { env: { ...env, CARGO_ENCODED_RUSTFLAGS: await flags(env) } },
  );
  const wasm = join(partial, WASM);
  if (profile === "--release") await optimise(wasm);
  // wasm-pack ignores everything in its folder, and `npm pack` would obey if the folder were ever packed.
  await rm(join(partial, ".gitignore"), { force: true });
  // A glue that Node may import from here too (the parity tests do).
  await writeFile(join(partial, "package.json"), `${JSON.stringify({ private: true, type: "module" }, null, 2)}\n`);
  const bytes = await readFile(wasm);
  await rm(out, { recursive: true, force: true });
  await rename(partial, out);
  console.log(`build: wasm ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} gzipped`);
}

/**
 * Compiler flags that keep this machine's folders out of panic messages: rustc writes the full path of each dependency's
 * source into the module. Encoded, because plain RUSTFLAGS are split at spaces, which folders may have.
 * @param {NodeJS.ProcessEnv} env
 */
async function flags(env) {
  const cargo = env.CARGO_HOME ?? join(homedir(), ".cargo");
  const sysroot = await ask("rustc", ["--print", "sysroot"], env);
  const given = env.CARGO_ENCODED_RUSTFLAGS?.split("\x1f") ?? env.RUSTFLAGS?.split(/\s+/).filter(Boolean) ?? [];
  // The last one that fits wins, so the most particular stand last.
  const places = [[homedir(), "~"], [cargo, "cargo"], [sysroot, "rust"], [root.replace(/[\\/]$/, ""), "."]];
  // Cargo names a registry's folder after its host.
  const registries = join(cargo, "registry", "src");
  if (existsSync(registries)) for (const name of await readdir(registries)) places.push([join(registries, name), "crates"]);
  const remaps = places.flatMap(([from, to]) => (from ? [`--remap-path-prefix=${from}=${to}`] : []));
  return [...given, ...remaps].join("\x1f");
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
