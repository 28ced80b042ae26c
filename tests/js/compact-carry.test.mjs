// Compaction after compaction: nothing is lost without a trace, and nothing grows without a bound.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { builders } from "./builders.mjs";
import { pkg } from "./load.mjs";

/** @typedef {import("../../src/js/types.d.ts").CompactResult<import("./builders.mjs").Item>} CompactResult */
/** @typedef {import("../../src/js/types.d.ts").Dialect} Dialect */
/** @typedef {import("../../src/js/types.d.ts").SummaryPrompt} SummaryPrompt */
/** @typedef {import("./builders.mjs").Item} Item */

/** A summary names a hundred entries of a list at most: this is a model that writes lines of ten. @param {string[]} markers */
const lines = (markers) => Array.from({ length: Math.ceil(markers.length / 10) }, (_, n) => markers.slice(n * 10, n * 10 + 10).join(" "));

const markersOf = (/** @type {string} */ text) => [...new Set(text.match(/FACT-\d+/g) ?? [])];

/** @param {Dialect} dialect @param {(prompt: SummaryPrompt) => string} model */
async function fiveCompactions(dialect, model) {
  const { user, assistant, exchange } = builders[dialect];
  const policy = new pkg.LlmCompactPolicy(model, { maxApproxChars: 6_000, maxSummaryChars: 5_000, dialect });
  let planted = 0;
  const fact = () => `FACT-${(planted += 1)} ${"and so on ".repeat(8)}`;
  /** @type {Item[]} */
  let items = [];
  /** @type {string | null} */
  let summary = null;
  /** @type {CompactResult | null} */
  let previous = null;
  /** @type {string[]} */
  const named = [];
  let rounds = 0;
  while (rounds < 5) {
    const id = `call_${planted}`;
    items.push(user(fact()), ...exchange(id, "look", { about: fact() }, fact()), assistant(fact()));
    if (!policy.shouldCompact({ items, summary })) continue;
    const result = /** @type {CompactResult} */ (await policy.compact({ items, summary }, { previous }));
    assert.equal(result.status, "compacted", JSON.stringify(result.attempts));
    for (const { from, to, fate } of result.contextReport.ledger) {
      if (fate === "summarized") named.push(...markersOf(JSON.stringify(items.slice(from, to))));
    }
    ({ items, summary } = result.memory);
    previous = result;
    rounds += 1;
  }
  const facts = Array.from({ length: planted }, (_, n) => `FACT-${n + 1}`);
  return { facts, kept: markersOf(JSON.stringify(items)), summary: markersOf(summary ?? ""), named: new Set(named) };
}

describe("planted facts", () => {
  for (const dialect of /** @type {Dialect[]} */ (Object.keys(builders))) {
    it(`are all there after five compactions with a faithful model, in ${dialect}`, async () => {
      const { facts, kept, summary, named } = await fiveCompactions(dialect, ({ input }) => JSON.stringify({ goal: "g", completed: lines(markersOf(input)) }));
      for (const fact of facts) {
        assert.ok(kept.includes(fact) || summary.includes(fact), `${fact} reached items or summary`);
        assert.ok(kept.includes(fact) !== named.has(fact), `${fact} is kept, or the ledger names it`);
      }
      assert.ok(named.size > 20);
    });

    it(`are named by the ledger after five compactions with a model that forgets, in ${dialect}`, async () => {
      const { facts, kept, summary, named } = await fiveCompactions(dialect, () => JSON.stringify({ goal: "g", completed: ["something"] }));
      for (const fact of facts) assert.ok(kept.includes(fact) !== named.has(fact), fact);
      assert.equal(summary.length, 0);
    });
  }
});

describe("bounds", () => {
  it("hold over 10,000 items and 300 compactions", async (context) => {
    const { user, assistant, exchange } = builders["openai-responses"];
    const most = { prompt: 0, summary: 0, files: 0, result: 0 };
    let added = 0;
    /** @type {Item[]} */
    let items = [];
    /** @type {string | null} */
    let summary = null;
    /** @type {CompactResult | null} */
    let previous = null;
    const policy = new pkg.LlmCompactPolicy(({ system, input }) => {
      most.prompt = Math.max(most.prompt, system.length + input.length);
      const list = (/** @type {string} */ name) => Array.from({ length: 40 }, (_, n) => `${name} ${added} ${n} ${"detail ".repeat(12)}`);
      return JSON.stringify({ goal: "g ".repeat(2_000), completed: list("done"), pending: list("open"), decisions: list("decided"), errors: list("failed"), mood: "x".repeat(3_000) });
    }, { maxItems: 40, maxPromptChars: 20_000, maxSummaryChars: 4_000, maxFiles: 30 });
    let compactions = 0;
    while (added < 10_000 || compactions < 300) {
      const file = `src/part-${added}.ts`;
      const step = [
        user(`do ${added}`),
        ...exchange(`r${added}`, "read_file", { path: file }, "text ".repeat(300)),
        ...exchange(`w${added}`, "write_file", { path: `${file}.out` }, "ok"),
        ...exchange(`b${added}`, "bash", { command: `cargo test ${added}` }, `Exit code 101\nerror: test ${added} failed\ntest result: FAILED. 1 passed; 1 failed; 0 ignored`),
        assistant(`did ${added}`),
      ];
      items.push(...step);
      added += step.length;
      if (!policy.shouldCompact({ items, summary })) continue;
      const result = /** @type {CompactResult} */ (await policy.compact({ items, summary }, { previous }));
      assert.equal(result.status, "compacted", JSON.stringify(result.attempts));
      compactions += 1;
      ({ items, summary } = result.memory);
      previous = result;
      most.summary = Math.max(most.summary, summary?.length ?? 0);
      most.files = Math.max(most.files, result.readFiles.length + result.modifiedFiles.length);
      const { memory, contextReport, ...rest } = result;
      most.result = Math.max(most.result, JSON.stringify(rest).length);
    }
    context.diagnostic(`${added} items, ${compactions} compactions: prompt ${most.prompt}, summary ${most.summary}, files ${most.files}, result ${most.result} characters at most`);
    assert.ok(compactions >= 300);
    assert.ok(most.prompt <= 20_000);
    assert.ok(most.summary <= 4_000);
    assert.ok(most.files <= 30);
    assert.ok(most.result <= 60_000);
  });

  it("hold for compactions without a model", async () => {
    const { user, assistant, exchange } = builders["openai-responses"];
    const policy = new pkg.StructuredSummaryCompactPolicy({ maxItems: 40 });
    /** @type {Item[]} */
    let items = [];
    /** @type {string | null} */
    let summary = null;
    /** @type {CompactResult | null} */
    let previous = null;
    let compactions = 0;
    for (let n = 0; compactions < 100; n += 1) {
      items.push(user(`do ${n}`), ...exchange(`r${n}`, "read_file", { path: `src/${n}.ts` }, "text ".repeat(100)), assistant(`did ${n}`));
      if (!policy.shouldCompact({ items, summary })) continue;
      const result = /** @type {CompactResult} */ (await policy.compact({ items, summary }, { previous }));
      assert.equal(result.status, "compacted");
      ({ items, summary } = result.memory);
      previous = result;
      compactions += 1;
      assert.equal(summary?.split("AI4J_COMPACT_SUMMARY").length, 2, "merged, not nested");
      assert.equal(result.goal, "do 0", "the first user message, for ever");
      assert.ok((summary?.length ?? 0) <= 8_000);
    }
    assert.match(summary ?? "", /in 100 compaction\(s\)/);
  });
});
