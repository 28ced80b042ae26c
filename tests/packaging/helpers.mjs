// What the packaging tests share: the packed package in a project of its own, a static server, a browser.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, extname, join, normalize } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const pkg = process.env.CONTEXT_PROJECTOR_PKG ?? join(here, "..", "..", "pkg");

/** Runs a program; answers what it prints. */
export const execute = promisify(execFile);

/** @type {(() => unknown)[]} */
const endings = [];
after(async () => {
  for (const end of endings.reverse()) await end();
});

/** A folder outside of the repository, so that nothing is found in the repository's node_modules. */
export function temporary() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "context-projector-")));
  endings.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * The package as `npm pack` makes it.
 * @returns {Promise<{ tarball: string, files: string[] }>}
 */
export async function packed() {
  const folder = temporary();
  const { stdout } = await execute("npm", ["pack", "--json", "--ignore-scripts", "--offline", "--pack-destination", folder], { cwd: pkg });
  const said = JSON.parse(stdout);
  // npm 10 and 11 list the packages, npm 12 names them.
  const [{ filename, files }] = /** @type {any[]} */ (Object.values(said));
  return { tarball: join(folder, filename), files: files.map((/** @type {{ path: string }} */ { path }) => path).sort() };
}

/**
 * A project with the package installed: unpacked, since a registry must not be asked.
 * @param {Record<string, string>} [files] what the project holds besides
 * @returns {Promise<{ folder: string, installed: string }>}
 */
export async function project(files = {}) {
  const folder = temporary();
  const { tarball } = await packed();
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  await execute("tar", ["-xzf", tarball, "-C", modules]);
  const installed = join(modules, "context-projector");
  cpSync(join(modules, "package"), installed, { recursive: true });
  rmSync(join(modules, "package"), { recursive: true });
  copyFileSync(join(here, "exercise.js"), join(folder, "exercise.js"));
  for (const [name, text] of Object.entries({ "package.json": '{ "type": "module" }', ...files })) write(folder, name, text);
  return { folder, installed };
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {string} text
 */
export function write(folder, name, text) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

/**
 * Says what is wrong with what `exercise` answered.
 * @param {any} result
 */
export function assertExercise(result) {
  assert.equal(result.isSame, true, "a kept item is the same object");
  assert.deepEqual(result.items.map((/** @type {any} */ item) => item.content), ["Die Prüfung ist rot. 🚦", "step 16", "step 17", "step 18", "step 19"]);
  assert.deepEqual(result.json, result.items);
  assert.deepEqual([result.plain, result.aware], [5, 5]);
  assert.equal(result.code, "invalid_budget");
  assert.ok(result.ledger.some((/** @type {any} */ { fate }) => fate === "dropped"));
}

const MIME = /** @type {Record<string, string>} */ ({
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
});

/**
 * Serves a folder; answers the address.
 * @param {string} folder
 * @returns {Promise<string>}
 */
export function serve(folder) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://local").pathname));
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    try {
      if (!statSync(file).isFile()) throw new Error("no file");
      response.writeHead(200, { "content-type": MIME[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
    } catch {
      response.writeHead(404).end();
    }
  });
  endings.push(() => new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  }));
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = /** @type {import("node:net").AddressInfo} */ (server.address());
      resolve(`http://127.0.0.1:${address.port}/`);
    });
  });
}

/**
 * A port that is free at the moment.
 * @returns {Promise<number>}
 */
export function freePort() {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/** @type {Promise<import("playwright-core").Browser> | undefined} */
let running;

/**
 * Opens a page in Chromium and waits for what it puts into `window.result`. Errors in its console fail the test.
 * @param {string} address
 * @returns {Promise<{ result: any, requests: string[] }>} with the paths that the page asked for
 */
export async function open(address) {
  if (running === undefined) {
    running = chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
    endings.push(async () => (await running)?.close());
  }
  const page = await (await running).newPage();
  /** @type {string[]} */
  const requests = [];
  /** @type {string[]} */
  const faults = [];
  page.on("request", (request) => requests.push(request.url().replace(new URL(address).origin, "")));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  try {
    await page.goto(address);
    await page.waitForFunction("window.result !== undefined", undefined, { timeout: 20_000 }).catch((error) => faults.push(String(error)));
    assert.deepEqual(faults, []);
    assert.ok(requests.every((path) => path.startsWith("/")), `a request left the page: ${requests.join(" ")}`);
    return { result: await page.evaluate("window.result"), requests };
  } finally {
    await page.close();
  }
}

/** A page that runs a module. The icon keeps Chromium from asking for one. */
export const PAGE = (/** @type {string} */ script) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>test</title><link rel="icon" href="data:,">${script}`;
