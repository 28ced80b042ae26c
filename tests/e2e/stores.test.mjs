// The browser's own storage in a real Chromium: IndexedDB and localStorage, over reloads, with two tabs, over quota.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { after, before, describe, it } from "node:test";
import { chromium } from "playwright-core";
import { packageFolder } from "../js/load.mjs";

const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** What the page knows. @typedef {{ AgentSession: any, make: (kind: string) => any }} Page */

describe("a browser's storage", () => {
  /** @type {import("playwright-core").Browser} */
  let browser;
  /** @type {import("playwright-core").BrowserContext} */
  let context;
  let address = "";
  const server = createServer((request, response) => {
    const path = join(packageFolder, normalize(new URL(request.url ?? "/", "http://localhost").pathname));
    if (request.url === "/") return response.setHeader("content-type", "text/html").end("<!doctype html>");
    if (!path.startsWith(packageFolder) || !existsSync(path)) return response.writeHead(404).end();
    response.setHeader("content-type", path.endsWith(".wasm") ? "application/wasm" : "text/javascript");
    response.end(readFileSync(path));
  });

  before(async () => {
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    address = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}/`;
    browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"] });
    context = await browser.newContext();
  });
  after(async () => {
    await browser?.close();
    server.close();
  });

  async function tab() {
    const page = await context.newPage();
    await ready(page);
    return page;
  }

  /** @param {import("playwright-core").Page} page */
  async function ready(page) {
    await page.goto(address);
    await page.evaluate(async () => {
      const load = (/** @type {string} */ path) => import(path);
      const [{ AgentSession }, { indexedDbStore }, { webStorageStore }] = await Promise.all([load("/index.js"), load("/store-indexed-db.js"), load("/store-web-storage.js")]);
      const make = (/** @type {string} */ kind) => (kind === "indexed-db" ? indexedDbStore() : webStorageStore(localStorage));
      Object.assign(globalThis, { AgentSession, make });
    });
  }

  for (const kind of ["indexed-db", "web-storage"]) {
    it(`${kind}: a session is there after a reload`, async () => {
      const page = await tab();
      const saved = await page.evaluate(async (kind) => {
        const { AgentSession, make } = /** @type {Page} */ (/** @type {unknown} */ (globalThis));
        const store = make(kind);
        const session = new AgentSession({ sessionId: "reloaded", store });
        for (let n = 0; n < 30; n += 1) {
          session.addUserInput(`message ${n} 😀`);
          await session.save();
        }
        session.prune(10);
        await session.save();
        session.addUserInput("last");
        await session.save();
        return JSON.stringify(session.snapshot());
      }, kind);
      await ready(page);
      const [again, ids, gone] = await page.evaluate(async (kind) => {
        const { AgentSession, make } = /** @type {Page} */ (/** @type {unknown} */ (globalThis));
        const store = make(kind);
        const session = await AgentSession.resume(store, "reloaded");
        await new AgentSession({ sessionId: "../\u0000'\"漢", store }).save();
        const ids = await store.listSessionIds();
        return [JSON.stringify(session.snapshot()), ids, [await store.delete("reloaded"), await store.delete("reloaded"), await store.load("reloaded")]];
      }, kind);
      assert.equal(again, saved);
      assert.deepEqual(ids, ["../\u0000'\"漢", "reloaded"]);
      assert.deepEqual(gone, [true, false, null]);
      await page.close();
    });

    it(`${kind}: of two tabs that write at once each save counts once, and no event is lost`, async () => {
      const pages = [await tab(), await tab()];
      await pages[0]?.evaluate(async (kind) => {
        const { AgentSession, make } = /** @type {Page} */ (/** @type {unknown} */ (globalThis));
        await new AgentSession({ sessionId: "shared", store: make(kind) }).save();
      }, kind);
      const counts = await Promise.all(
        pages.map((page, number) =>
          page.evaluate(
            async ([kind, number]) => {
              const { AgentSession, make } = /** @type {Page} */ (/** @type {unknown} */ (globalThis));
              const store = make(String(kind));
              let conflicts = 0;
              for (let n = 0; n < 25; n += 1) {
                for (;;) {
                  const session = await AgentSession.resume(store, "shared");
                  session.addUserInput(`tab ${number} message ${n}`);
                  try {
                    await session.save();
                    break;
                  } catch (error) {
                    if (/** @type {any} */ (error).code !== "conflict") throw error;
                    conflicts += 1;
                  }
                }
              }
              return conflicts;
            },
            /** @type {const} */ ([kind, number]),
          ),
        ),
      );
      const texts = await pages[1]?.evaluate(async (kind) => {
        const { AgentSession, make } = /** @type {Page} */ (/** @type {unknown} */ (globalThis));
        const session = await AgentSession.resume(make(kind), "shared");
        return session.getMemory().getItems().map((/** @type {any} */ { content }) => content);
      }, kind);
      assert.equal(texts?.length, 50);
      for (const number of [0, 1]) for (let n = 0; n < 25; n += 1) assert.ok(texts?.includes(`tab ${number} message ${n}`));
      console.log(`# ${kind}: 50 saves of two tabs, ${counts[0] + counts[1]} conflicts told, none lost`);
      await Promise.all(pages.map((page) => page.close()));
    });
  }

  it("web-storage: over quota the browser's error arrives, and the last good state is there", async () => {
    const page = await tab();
    const [name, length] = await page.evaluate(async () => {
      const { AgentSession, make } = /** @type {Page} */ (/** @type {unknown} */ (globalThis));
      const store = make("web-storage");
      const session = new AgentSession({ sessionId: "full", store });
      session.addUserInput("small");
      await session.save();
      session.addUserInput("x".repeat(12_000_000));
      const name = await session.save().then(() => "saved", (/** @type {Error} */ error) => error.name);
      return [name, (await AgentSession.resume(store, "full")).length];
    });
    assert.deepEqual([name, length], ["QuotaExceededError", 1]);
    await page.close();
  });

  it("indexed-db: over quota the browser's error arrives, the last good state is there, and a save goes on with room again", async () => {
    // A profile of its own: Chromium remembers for half a minute how much room an origin had at its last write.
    const fresh = await browser.newContext();
    const page = await fresh.newPage();
    await ready(page);
    const developer = await fresh.newCDPSession(page);
    const quota = (/** @type {number | undefined} */ quotaSize) =>
      developer.send("Storage.overrideQuotaForOrigin", { origin: address.slice(0, -1), ...(quotaSize === undefined ? {} : { quotaSize }) });
    await quota(1_000_000);
    await page.evaluate(async () => {
      const { AgentSession, make } = /** @type {Page} */ (/** @type {unknown} */ (globalThis));
      const session = new AgentSession({ sessionId: "full", store: make("indexed-db") });
      session.addUserInput("small");
      await session.save();
      Object.assign(globalThis, { session });
    });
    const [name, length] = await page.evaluate(async () => {
      const { AgentSession, make, session } = /** @type {Page & { session: any }} */ (/** @type {unknown} */ (globalThis));
      session.addUserInput("two");
      session.addUserInput("x".repeat(12_000_000));
      const name = await session.save().then(() => "saved", (/** @type {Error} */ error) => error.name);
      return [name, (await AgentSession.resume(make("indexed-db"), "full")).length];
    });
    assert.deepEqual([name, length], ["QuotaExceededError", 1]);
    await quota(undefined);
    const again = await page.evaluate(async () => {
      const { AgentSession, make, session } = /** @type {Page & { session: any }} */ (/** @type {unknown} */ (globalThis));
      await session.save();
      return (await AgentSession.resume(make("indexed-db"), "full")).length;
    });
    assert.equal(again, 3);
    await fresh.close();
  });
});
