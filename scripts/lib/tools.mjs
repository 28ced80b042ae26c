// Makes sure of the tools that the project needs: looks first, and installs what is missing once, at pinned versions.

import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { CommandError, ask, root, run } from "./run.mjs";

const WASM_PACK = "0.15.1";

/** Where tools are installed. */
const folder =
  process.env.CONTEXT_PROJECTOR_TOOLS ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "context-projector");

/**
 * The environment in which the tools are found.
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
export async function rustTools() {
  await rustup();
  const bindgen = await lockedVersion("wasm-bindgen");
  const folders = [
    await cargoTool("wasm-pack", "wasm-pack", WASM_PACK),
    // wasm-bindgen refuses a crate that was built with another version of itself.
    await cargoTool("wasm-bindgen-cli", "wasm-bindgen", bindgen),
  ];
  const path = [...folders.filter((found) => found !== null), process.env.PATH].join(delimiter);
  return { ...process.env, PATH: path };
}

async function rustup() {
  const target = "wasm32-unknown-unknown";
  const installed = await ask("rustup", ["target", "list", "--installed"]);
  if (installed === null) throw new CommandError("rustup is not there: install Rust from https://rustup.rs first");
  if (!installed.split("\n").includes(target)) {
    console.log(`set-up: Rust target ${target}`);
    await run("rustup", ["target", "add", target]);
  }
}

/**
 * The version of a crate in Cargo.lock.
 * @param {string} name
 */
async function lockedVersion(name) {
  const lock = await readFile(join(root, "Cargo.lock"), "utf8");
  const version = new RegExp(`name = "${name}"\\nversion = "([^"]+)"`).exec(lock)?.[1];
  if (version === undefined) throw new CommandError(`Cargo.lock names no ${name}`);
  return version;
}

/**
 * The folder of an installed cargo tool; null where the right version is on PATH.
 * @param {string} crate
 * @param {string} binary
 * @param {string} version
 */
async function cargoTool(crate, binary, version) {
  const isRight = (/** @type {string | null} */ text) => text !== null && text.split(" ").includes(version);
  if (isRight(await ask(binary, ["--version"]))) return null;
  const home = join(folder, `${crate}-${version}`);
  const bin = join(home, "bin");
  if (isRight(await ask(join(bin, binary), ["--version"]))) return bin;
  console.log(`set-up: ${crate} ${version} (a few minutes, once)`);
  // Installed beside and moved into place, so that an interrupted installation is no installation.
  const partial = `${home}.partial`;
  await rm(partial, { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  // The project's own build settings are not those of its tools.
  const env = { ...process.env };
  for (const name of ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR", "CARGO_BUILD_TARGET", "CARGO_BUILD_RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS"]) delete env[name];
  const install = ["install", crate, "--version", version, "--root", partial];
  try {
    await run("cargo", [...install, "--locked"], { env });
  } catch {
    // A crate's lock file may name a release that a registry's mirror does not have (yet): seen with wasm-bindgen-cli.
    console.log(`set-up: ${crate} once more, without its lock file`);
    await run("cargo", install, { env });
  }
  await rename(partial, home);
  return bin;
}

/** npm packages: installed where they are missing or older than the lock file. */
export async function npmPackages() {
  const lock = join(root, "package-lock.json");
  const stamp = join(root, "node_modules", ".package-lock.json");
  if (existsSync(stamp) && (await stat(stamp)).mtimeMs >= (await stat(lock)).mtimeMs) return;
  console.log("set-up: npm packages");
  // All of them are development packages: NODE_ENV=production would leave every one out.
  await run("npm", ["ci", "--include=dev", "--no-progress"]);
  const now = new Date();
  await utimes(stamp, now, now);
}

/**
 * Chromium and its driver, with their paths.
 * @returns {Promise<{ chromium: string, chromedriver: string }>}
 */
export async function browser() {
  const find = () => {
    const chromium = firstThere([process.env.CHROMIUM, ...onPath("chromium"), ...onPath("google-chrome")]);
    const chromedriver = firstThere([process.env.CHROMEDRIVER, ...onPath("chromedriver")]);
    return chromium !== null && chromedriver !== null ? { chromium, chromedriver } : null;
  };
  const found = find();
  if (found !== null) return found;
  await debianPackages(["chromium", "chromium-driver"]);
  const installed = find();
  if (installed !== null) return installed;
  throw new CommandError(
    "Chromium and its driver are not there: install both, or name them in CHROMIUM and CHROMEDRIVER",
  );
}

/** Servers that the tests of the stores start for themselves; without one those tests are skipped, and say so. */
export async function servers() {
  if (firstThere(onPath("redis-server")) !== null) return;
  try {
    await debianPackages(["redis-server"]);
  } catch (error) {
    console.log(`set-up: no redis-server: ${error instanceof Error ? error.message : error}`);
  }
}

/** Installs packages where that is ours to do: on Debian as root. @param {readonly string[]} names */
async function debianPackages(names) {
  if (!existsSync("/etc/debian_version") || process.getuid?.() !== 0) return;
  console.log(`set-up: ${names.join(" and ")}`);
  await run("apt-get", ["update"], { quiet: true });
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get", ["install", "-y", "--no-install-recommends", ...names], { env, quiet: true });
}

/** @param {string} name */
function onPath(name) {
  return (process.env.PATH ?? "").split(delimiter).map((place) => join(place, name));
}

/** @param {readonly (string | undefined)[]} paths */
function firstThere(paths) {
  return paths.find((path) => path !== undefined && existsSync(path)) ?? null;
}
