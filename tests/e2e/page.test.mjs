// The page in Chromium: the built one, as a server of files gives it out. What it shows is held against the package in Node.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { build, preview } from "vite";
import { corpusFolder, packageFolder, pkg } from "../js/load.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("../../src/js/types.d.ts").ContextBudget} ContextBudget */
/** @typedef {import("../../src/js/types.d.ts").LedgerRun} LedgerRun */

/** @type {typeof import("../../src/js/entries/import.d.ts")} */
const { importTranscript } = await import(pathToFileURL(join(packageFolder, "import.js")).href);

const www = fileURLToPath(new URL("../../www", import.meta.url));
const config = { root: www, configFile: join(www, "vite.config.js"), logLevel: /** @type {const} */ ("error") };
/** What the page starts with. */
const START = { maxItems: 40, maxRecentToolResults: 5, lowWater: 0.6 };

/** @type {import("vite").PreviewServer} */
let server;
/** @type {import("playwright-core").Browser} */
let browser;
let address = "";
/** @type {Page} */
let page;
/** @type {string[]} */
let faults = [];
/** @type {string[]} */
let requests = [];

before(async () => {
  await build(config);
  server = await preview({ ...config, preview: { host: "127.0.0.1", port: await freePort(), strictPort: true } });
  address = server.resolvedUrls?.local[0] ?? "";
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"],
  });
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** @returns {Promise<number>} */
function freePort() {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (probe.address());
      probe.close(() => resolve(port));
    });
  });
}

/** @param {import("playwright-core").BrowserContextOptions} [options] */
async function open(options = { viewport: { width: 1440, height: 900 } }) {
  page = await browser.newPage(options);
  faults = [];
  requests = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(address);
  await page.locator(".row").first().waitFor();
}

/** Nothing in the console, and no request to elsewhere: in every test. */
async function close() {
  await page.close();
  assert.deepEqual(faults, []);
  const away = requests.filter((url) => !url.startsWith(address) && !url.startsWith("data:"));
  assert.deepEqual(away, [], "a request left the page");
}

/** Drops a file where a person would: on the page. @param {string} name @param {string} text */
async function drop(name, text) {
  const data = await page.evaluateHandle(([fileName, content]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content ?? ""], fileName ?? ""));
    return transfer;
  }, [name, text]);
  await page.dispatchEvent("main", "dragover", { dataTransfer: data });
  await page.locator("#overlay").waitFor({ state: "visible" });
  await page.dispatchEvent("main", "drop", { dataTransfer: data });
  await page.locator("#overlay").waitFor({ state: "hidden" });
}

const text = (/** @type {string} */ selector) => page.locator(selector).innerText();
const status = (/** @type {string} */ name) => page.locator("#status", { hasText: `${name} ·` }).waitFor();
const english = new Intl.NumberFormat("en");

/**
 * Waits until the page shows the projection of these items, and compares the report and the rows in sight with it.
 * @param {{ items: object[], dialect: import("../../src/js/types.d.ts").Dialect }} transcript
 * @param {ContextBudget} budget
 */
async function assertShown({ items, dialect }, budget) {
  const { report } = pkg.project(items, budget, { dialect });
  await page.locator(`[data-figure="projected-chars"]`, { hasText: new RegExp(`^${english.format(report.projectedApproxChars)}$`) }).waitFor({ timeout: 5_000 });
  assert.equal(await text(`[data-figure="source-items"]`), english.format(report.sourceItemCount));
  assert.equal(await text(`[data-figure="projected-items"]`), english.format(report.projectedItemCount));
  assert.equal(await text(`[data-figure="source-chars"]`), english.format(report.sourceApproxChars));
  assert.equal(await text(`[data-figure="projected-tokens"]`), report.projectedTokens === null ? "–" : english.format(report.projectedTokens));
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { from, to, fate } of report.ledger) counts[fate] = (counts[fate] ?? 0) + to - from;
  for (const [fate, count] of Object.entries(counts)) assert.equal(await text(`.chip[data-fate="${fate}"] b`), String(count), fate);
  const shares = await page.locator("[data-share]").allInnerTexts();
  assert.equal(shares.map((share) => Number(share.replaceAll(",", ""))).reduce((sum, share) => sum + share), report.sourceApproxChars, "the bar's parts are the whole");
  const notes = await page.locator(".notes li").allInnerTexts();
  assert.deepEqual(notes, report.notes);
  const rows = await page.locator(".row:not([data-fate=added])").evaluateAll((elements) => elements.map((element) => ({
    source: Number(element.getAttribute("data-source")),
    fate: element.getAttribute("data-fate"),
    reason: element.querySelector(".reason")?.textContent,
  })));
  assert.ok(rows.length > 0);
  for (const { source, fate, reason } of rows) {
    const run = /** @type {LedgerRun} */ (report.ledger.find(({ from, to }) => from <= source && source < to));
    assert.deepEqual({ source, fate, reason }, { source, fate: run.fate, reason: run.reason.replaceAll(",", ", ") });
  }
  assert.deepEqual(rows.map(({ source }) => source), rows.map(({ source }) => source).sort((a, b) => a - b), "rows stand in the order of the history");
}

const sample = (/** @type {string} */ name) => importTranscript(readFileSync(join(www, "samples", name), "utf8"));

describe("the page", () => {
  beforeEach(() => open());
  afterEach(close);

  it("shows a sample at once, and the other one at a click", async () => {
    await assertShown(sample("coding.responses.json"), START);
    await page.getByRole("button", { name: "Sample: photos" }).click();
    await status("trip.anthropic.json");
    await assertShown(sample("trip.anthropic.json"), START);
  });

  for (const name of ["items/openai-responses/codex-rollout-e.json", "sessions/claude-code/cc-session-h-image.jsonl", "sessions/codex/codex-rollout-b-image.jsonl"]) {
    const path = join(corpusFolder, name);
    it(`shows ${name} when it is dropped, and follows the budget`, { skip: !existsSync(path) && "the corpus is not there" }, async () => {
      const content = readFileSync(path, "utf8");
      const transcript = importTranscript(content);
      await drop(basename(name), content);
      await status(basename(name));
      await assertShown(transcript, START);
      await page.getByLabel("maxItems").fill("24");
      await assertShown(transcript, { ...START, maxItems: 24 });
      await page.getByLabel("maxItems").fill("");
      await page.getByLabel("maxTokens").fill("9000");
      await page.getByLabel("overheadTokens").fill("1000");
      await page.getByLabel("maxToolResultChars").fill("400");
      await page.getByLabel("trimOldReasoning").check();
      await page.getByLabel("lowWater", { exact: false }).and(page.locator("[type=number]")).fill("0.8");
      const { maxItems: _, ...rest } = START;
      await assertShown(transcript, { ...rest, maxTokens: 9000, overheadTokens: 1000, maxToolResultChars: 400, trimOldReasoning: true, lowWater: 0.8 });
    });
  }

  it("follows a slider under the keyboard, and tags of tools", async () => {
    const transcript = sample("coding.responses.json");
    const slider = page.getByRole("slider", { name: "Results that keep their text, slider" });
    await slider.press("Home");
    await page.getByRole("button", { name: "No limits" }).click();
    await assertShown(transcript, { lowWater: 0.6 });
    await slider.press("Home");
    await assertShown(transcript, { lowWater: 0.6, maxRecentToolResults: 0 });
    await page.getByRole("button", { name: "read_file", exact: true }).click();
    await assertShown(transcript, { lowWater: 0.6, maxRecentToolResults: 0, keepTools: ["read_file"] });
    await slider.press("End");
    await assertShown(transcript, { lowWater: 0.6, keepTools: ["read_file"] });
    await page.getByRole("button", { name: "Start values" }).click();
    await assertShown(transcript, START);
  });

  it("opens a row to the item and to what the model gets instead", async () => {
    await page.getByRole("button", { name: "No limits" }).click();
    await page.getByLabel("maxRecentToolResults").fill("3");
    const row = page.locator(".row[data-fate=cleared]").first();
    await row.locator(".line").click();
    const { items } = sample("coding.responses.json");
    const item = /** @type {any} */ (items[Number(await row.getAttribute("data-source"))]);
    const [before, instead] = await row.locator(".pane pre").allTextContents();
    assert.equal(before?.slice(0, 8000), item.output.slice(0, 8000));
    assert.match(instead ?? "", /^\[tool result cleared: \w+\(call_\w+\)\]$/);
    assert.equal(await row.locator(".line").getAttribute("aria-expanded"), "true");
    // The rows behind it have made room.
    const boxes = await page.locator(".row").evaluateAll((rows) => rows.map((element) => element.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom]));
    boxes.slice(1).forEach(([top], index) => assert.ok(Math.abs((top ?? 0) - (boxes[index]?.[1] ?? 0)) < 1, `row ${index + 1} begins at ${top}`));
    await row.locator(".line").press("Enter");
    assert.equal(await row.locator(".pane").count(), 0);
  });

  it("goes from row to row by the keyboard, and filters by fate", async () => {
    await page.locator(".row .line").first().focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) await page.keyboard.press(key);
    assert.equal(await page.evaluate("document.activeElement.closest('.row').dataset.source"), "1");
    await page.keyboard.press("End");
    assert.equal(await page.evaluate("document.activeElement.closest('.row').dataset.source"), "122");
    assert.ok(await page.locator(".row[data-source='122']").evaluate((row) => row.getBoundingClientRect().bottom <= innerHeight));
    await page.evaluate("scrollTo(0, 0)");
    await page.locator(".chip[data-fate=cleared]").click();
    assert.deepEqual(new Set(await page.locator(".row").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-fate")))), new Set(["cleared"]));
    assert.equal(await page.evaluate("document.activeElement.dataset.fate"), "cleared");
  });

  it("explains a bad budget at its field, and keeps the last good one in sight", async () => {
    for (const [value, says] of /** @type {const} */ ([["0", "Must be a whole number of at least 1, not 0."], ["2.5", "Must be a whole number of at least 1, not 2.5."]])) {
      await page.getByLabel("maxItems").fill(value);
      await page.locator("#error-maxItems", { hasText: says }).waitFor();
      assert.equal(await page.getByLabel("maxItems").getAttribute("aria-invalid"), "true");
      assert.match(await text("#budget-error"), /^The budget cannot be used\. maxItems: must be /);
    }
    await assertShown(sample("coding.responses.json"), START);
    // Another history meanwhile stands under its own name.
    await page.getByRole("button", { name: "Sample: photos" }).click();
    await status("trip.anthropic.json");
    await assertShown(sample("trip.anthropic.json"), START);
    await page.getByRole("button", { name: "Go to the field" }).click();
    assert.equal(await page.evaluate("document.activeElement.id"), "field-maxItems");
    await page.getByLabel("maxItems").fill("30");
    await page.locator("#budget-error").waitFor({ state: "hidden" });
    assert.equal(await text("#error-maxItems"), "");
    await assertShown(sample("trip.anthropic.json"), { ...START, maxItems: 30 });
  });

  it("explains a file that is no transcript, and shows what it showed before", async () => {
    for (const [name, content] of /** @type {const} */ ([["notes.txt", "Buy milk\nand bread"], ["empty.json", ""], ["numbers.json", "[1, 2, 3]"], ["binary.bin", "\0\x01\x02\x7f\0"]])) {
      await drop(name, content);
      const alert = page.locator("#problems [role=alert]", { hasText: name });
      await alert.waitFor();
      const said = await alert.innerText();
      const [problem] = importTranscript(content).problems;
      assert.ok(said.includes(problem?.message ?? "?"), said);
      assert.ok(said.includes("still coding.responses.json"), said);
    }
    await assertShown(sample("coding.responses.json"), START);
  });

  it("names the lines that are broken, and reads the rest", async () => {
    const content = '{"role":"user","content":"Hi"}\n{oops\n{"role":"assistant","content":"Hello","refusal":null}\n';
    await drop("broken.jsonl", content);
    await status("broken.jsonl");
    assert.match(await text("#problems"), /broken\.jsonl: 1 place could not be read[^]*Line 2: /);
    await assertShown(importTranscript(content), START);
  });

  it("takes a pasted text", async () => {
    const content = JSON.stringify([{ role: "user", content: [{ type: "text", text: "Grüße" }] }, { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "look", input: {} }] }]);
    await page.getByRole("button", { name: "Paste text" }).click();
    await page.getByRole("textbox", { name: "Transcript" }).fill(content);
    await page.getByRole("button", { name: "Read it" }).click();
    await status("Pasted text");
    await assertShown(importTranscript(content), START);
  });

  it("shows a hostile transcript as text, and asks for none of its images", async () => {
    const script = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>";
    const content = JSON.stringify([
      { role: "user", content: [{ type: "text", text: script }, { type: "image_url", image_url: { url: "https://example.com/spy.png" } }] },
      { role: "assistant", content: script, tool_calls: [{ id: script, type: "function", function: { name: script, arguments: "{" } }] },
    ]);
    await drop(`${script}.json`, content);
    await page.locator(".row[data-source='1']").waitFor();
    for (const source of [0, 1]) await page.locator(`.row[data-source='${source}'] .line`).click();
    assert.equal(await page.locator(".row[data-source='0'] pre").first().textContent(), script);
    assert.match(await page.title(), /^context-projector/);
  });

  it("stays quick with 5,000 items, and tells how far it has read", async () => {
    const items = Array.from({ length: 5_000 }, (_, index) => (index % 2 === 0 ? { role: "user", content: `question ${index} ${"x".repeat(800)}` } : { role: "assistant", content: `answer ${index}`, refusal: null }));
    const content = items.map((item) => JSON.stringify(item)).join("\n");
    await page.evaluate(() => {
      const told = /** @type {string[]} */ (Reflect.set(window, "told", []) && Reflect.get(window, "told"));
      new MutationObserver(() => told.push(document.querySelector("#status")?.textContent ?? "")).observe(document.querySelector("#status") ?? document, { childList: true, characterData: true, subtree: true });
    });
    await drop("long.jsonl", content);
    await status("long.jsonl");
    await assertShown({ items, dialect: "openai-chat" }, START);
    const told = /** @type {string[]} */ (await page.evaluate("window.told"));
    assert.ok(told.some((line) => /^Reading long\.jsonl: \d+ %$/.test(line)), told.join("\n"));
    assert.ok((await page.locator(".row").count()) < 80, "only the rows in sight are in the document");
    // From a changed budget to the painted picture, and one screen after the other.
    const milliseconds = await page.evaluate(async () => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
      const times = [];
      for (let step = 0; step < 30; step++) {
        const start = performance.now();
        scrollTo(0, step * 7_000);
        await frame();
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b);
    });
    const median = milliseconds[15] ?? Infinity;
    console.log(`# page: a jump among 5,000 rows takes ${median.toFixed(0)} ms to the next frame (median of 30)`);
    assert.ok(median < 150, `${median} ms`);
    const change = await page.evaluate(async () => {
      const input = /** @type {HTMLInputElement} */ (document.querySelector("#field-maxItems"));
      const figure = () => document.querySelector("[data-figure=projected-items]")?.textContent;
      const before = figure();
      const start = performance.now();
      input.value = "3000";
      input.dispatchEvent(new Event("input"));
      while (figure() === before) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
      return performance.now() - start;
    });
    console.log(`# page: another budget for 5,000 items is in sight after ${change.toFixed(0)} ms, 40 of which it waits for more`);
    assert.ok(change < 1_000, `${change} ms`);
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await page.locator(".row[data-source='4999']").waitFor();
    await page.getByLabel("maxItems").fill("1000");
    await assertShown({ items, dialect: "openai-chat" }, { ...START, maxItems: 1000 });
  });
});

describe("the page on a phone, and in the dark", () => {
  afterEach(close);

  it("needs no scrolling to the side at 390 pixels, with everything open", async () => {
    await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const width = () => page.evaluate("document.documentElement.scrollWidth");
    assert.equal(await width(), 390);
    for (const panel of ["budget", "report"]) await page.locator(`.${panel} > summary`).click();
    await page.locator(".row .line").first().click();
    await page.locator(".row .pane").first().waitFor();
    await drop(`${"long-name".repeat(20)}.txt`, "no transcript");
    await page.locator("#problems [role=alert]").waitFor();
    assert.equal(await width(), 390);
    await assertShown(sample("coding.responses.json"), START);
  });

  it("takes the system's theme, and keeps another one that is chosen", async () => {
    await open({ colorScheme: "dark" });
    const paper = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const dark = await paper();
    const button = page.getByRole("button", { name: /^Theme/ });
    await button.click();
    assert.equal(await button.innerText(), "Theme: light");
    assert.notEqual(await paper(), dark);
    await page.reload();
    await page.locator(".row").first().waitFor();
    assert.equal(await button.innerText(), "Theme: light");
    await button.click();
    assert.equal(await paper(), dark);
  });
});
