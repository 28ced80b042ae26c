// The same input gives the same JSON natively, in Node and in Chromium: every corpus file under a grid of budgets.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { corpusFiles, pkg } from "../js/load.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const web = process.env.CONTEXT_PROJECTOR_WEB ?? join(root, "target", "pkg-web");
const native = process.env.CONTEXT_PROJECTOR_NATIVE ?? join(root, "target", "debug", "examples", "project");
const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";

const grid = [
  { budget: {}, options: {} },
  { budget: { maxItems: 20, pinnedPrefixItems: 1, lowWater: 0.6 }, options: { summary: "Earlier: 😀 \"quoted\"." } },
  { budget: { maxTokens: 8_000, maxRecentToolResults: 3, maxRecentImages: 1, trimOldReasoning: true, lowWater: 0.8 }, options: { store: false } },
  { budget: { maxApproxChars: 30_000, maxToolResultChars: 500, maxToolInputChars: 200, clearToolInputs: true }, options: { pending: "close" } },
];

const digest = (/** @type {string} */ text) => createHash("sha256").update(text).digest("hex");

/**
 * Digests of both forms of a projection.
 * @param {{ projectJson: Function, project: Function }} library
 * @param {string} text
 * @param {object} budget
 * @param {object} options
 */
function here(library, text, budget, options) {
  const byText = library.projectJson(text, budget, options);
  const byValue = JSON.stringify(library.project(JSON.parse(text), budget, options));
  return { byText: digest(byText), byValue: digest(byValue), meant: JSON.stringify(JSON.parse(byText)) === byValue };
}

const files = corpusFiles();
const missing = files.length === 0 ? "no corpus" : !existsSync(web) ? "no browser build" : false;

describe("a projection", { skip: missing }, () => {
  /** @type {import("playwright-core").Browser} */
  let browser;
  /** @type {import("playwright-core").Page} */
  let page;
  const server = createServer((request, response) => {
    const path = join(web, normalize(new URL(request.url ?? "/", "http://localhost").pathname));
    if (request.url === "/") return response.setHeader("content-type", "text/html").end("<!doctype html>");
    if (!path.startsWith(web) || !existsSync(path)) return response.writeHead(404).end();
    response.setHeader("content-type", path.endsWith(".wasm") ? "application/wasm" : "text/javascript");
    response.end(readFileSync(path));
  });

  before(async () => {
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    const address = /** @type {import("node:net").AddressInfo} */ (server.address());
    browser = await chromium.launch({
      executablePath: browserPath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"],
    });
    page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${address.port}/`);
    await page.evaluate(async () => {
      // @ts-ignore the page's own address
      const library = await import("/context_projector.js");
      await library.default();
      Object.assign(globalThis, { library });
    });
  });
  after(async () => {
    await browser?.close();
    server.close();
  });

  it("is the same in Node and in Chromium", async () => {
    let compared = 0;
    for (const file of files) {
      const text = readFileSync(file, "utf8");
      const inBrowser = await page.evaluate(
        async ([text, grid]) => {
          const library = /** @type {any} */ (globalThis).library;
          const hex = async (/** @type {string} */ text) => {
            const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
            return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
          };
          const all = [];
          for (const { budget, options } of grid) {
            all.push({
              byText: await hex(library.projectJson(text, budget, options)),
              byValue: await hex(JSON.stringify(library.project(JSON.parse(text), budget, options))),
            });
          }
          return all;
        },
        /** @type {const} */ ([text, grid]),
      );
      grid.forEach(({ budget, options }, index) => {
        const { byText, byValue, meant } = here(pkg, text, budget, options);
        assert.ok(meant, `${file}: text and values differ under ${JSON.stringify(budget)}`);
        assert.deepEqual(inBrowser[index], { byText, byValue }, `${file} under ${JSON.stringify(budget)}`);
        compared += 1;
      });
    }
    assert.equal(compared, files.length * grid.length);
    console.log(`# projections compared between Node and Chromium: ${compared}`);
  });

  it("is the same natively", { skip: existsSync(native) ? false : "no native build" }, async () => {
    const child = spawn(native, { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    let compared = 0;
    for (const file of files) {
      const text = readFileSync(file, "utf8");
      for (const { budget, options } of grid) {
        child.stdin.write(`${JSON.stringify({ file, budget, options })}\n`);
        const { output, error } = JSON.parse((await lines.next()).value);
        assert.equal(error, undefined, `${file} under ${JSON.stringify(budget)}`);
        assert.equal(digest(output), digest(pkg.projectJson(text, budget, /** @type {any} */ (options))), `${file} under ${JSON.stringify(budget)}`);
        compared += 1;
      }
    }
    child.stdin.end();
    assert.equal(compared, files.length * grid.length);
    console.log(`# projections compared between Node and native: ${compared}`);
  });
});
