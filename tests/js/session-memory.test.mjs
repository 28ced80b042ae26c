// Memory: sessions are collected like any object, and those that are freed leave nothing behind.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { packageFolder } from "./load.mjs";

/** Runs a module with a garbage collector that can be called. @param {string} source */
const run = (source) => JSON.parse(execFileSync(process.execPath, ["--expose-gc", "--input-type=module", "-e", source], { encoding: "utf8" }));

describe("memory", () => {
  it("of sessions whose listeners refer to them is collected without free()", () => {
    const collected = run(`
      import { AgentSession } from ${JSON.stringify(pathToFileURL(join(packageFolder, "node.js")).href)};
      let collected = 0;
      const registry = new FinalizationRegistry(() => (collected += 1));
      const tick = () => new Promise((resolve) => setTimeout(resolve, 5));
      for (let n = 0; n < 200; n += 1) {
        const session = new AgentSession({ sessionId: String(n) });
        session.on("*", () => session.length);
        session.hook("before_compact", () => void session.length);
        session.addUserInput("hello");
        await session.prepareTurn();
        registry.register(session, n);
      }
      for (let n = 0; n < 30 && collected < 199; n += 1) { globalThis.gc(); await tick(); }
      console.log(collected);
    `);
    assert.ok(collected >= 195, `${collected} of 200 sessions collected`);
  });

  it("stays flat over 10,000 sessions made and freed", () => {
    const wasm = join(packageFolder, "context_projector_bg.wasm");
    assert.ok(readFileSync(wasm).length > 0);
    const [early, late] = run(`
      import { readFileSync } from "node:fs";
      import { initSync, AgentSession } from ${JSON.stringify(pathToFileURL(join(packageFolder, "slim.js")).href)};
      const { memory } = initSync({ module: readFileSync(${JSON.stringify(wasm)}) });
      const sizes = [];
      for (let n = 0; n < 10_000; n += 1) {
        const session = new AgentSession({ sessionId: "s" });
        session.addUserInput("hello");
        session.putAttribute("a", { deep: [1, 2, 3] });
        session.project();
        session.free();
        // What is kept of a history goes with its items: the collector needs a turn now and then.
        if (n % 100 === 99) { globalThis.gc(); await new Promise((resolve) => setTimeout(resolve)); }
        if (n === 999 || n === 9_999) sizes.push(memory.buffer.byteLength);
      }
      console.log(JSON.stringify(sizes));
    `);
    assert.equal(late, early);
  });
});
