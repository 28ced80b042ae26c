// A model that fails in every way there is, while memory grows: memory is never worse, and what it lost is in a summary that
// was accepted.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { kinds, render, scripts } from "./histories.mjs";
import { corpusFiles, pkg } from "./load.mjs";

/** @typedef {import("./builders.mjs").Item} Item */
/** @typedef {import("../../src/js/types.d.ts").CompactResult} CompactResult */
/** @typedef {import("../../src/js/types.d.ts").Dialect} Dialect */
/** @typedef {import("../../src/js/types.d.ts").LlmCompactOptions} Options */
/** @typedef {import("../../src/js/types.d.ts").MemorySnapshot} Snapshot */
/** @typedef {import("../../src/js/types.d.ts").SummaryPrompt} Prompt */

/** The debug package is some ten times slower. */
const runs = Number(process.env.CONTEXT_PROJECTOR_RUNS ?? (process.env.CONTEXT_PROJECTOR_PKG ? 600 : 10_000));

const GOOD = JSON.stringify({ goal: "the goal", completed: ["one"], pending: ["two"], decisions: ["three"] });
const later = () => new Promise((resolve) => setImmediate(resolve));
const huge = "All work and no play makes a dull summary. ".repeat(240_000);

/** What a model does. @type {Record<string, (prompt: Prompt) => any>} */
const MODELS = {
  good: () => GOOD,
  goodLater: async () => (await later(), GOOD),
  fenced: () => `Here it is:\n\`\`\`json\n${GOOD}\n\`\`\`\nThat is all.`,
  thinking: () => `<think>{"goal": "not this"}</think>${GOOD}`,
  prose: () => "Much was asked, and much of it was answered. ".repeat(6),
  throws() {
    throw new Error("thrown");
  },
  rejects: () => Promise.reject(new TypeError("rejected")),
  throwsLater: () => later().then(() => assert.fail("thrown later")),
  throwsNothing: () => Promise.reject(undefined),
  hangs: ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  neverAnswers: () => new Promise(() => {}),
  empty: () => "",
  blank: () => " \n ",
  emptyObject: () => "{}",
  list: () => "[]",
  nothing: () => "null",
  noText: () => ({ text: null, finishReason: "tool_calls" }),
  undefined: () => undefined,
  number: () => 42,
  cutOff: () => ({ text: GOOD, finishReason: "length" }),
  cutText: () => GOOD.slice(0, 30),
  echo: ({ input }) => input,
  longer: ({ input }) => `${"More than there was. ".repeat(20)}${input}`.repeat(2),
  huge: () => huge,
  halves: () => `{"goal":"\ud800 and \udc00","completed":["\udfff"]}`,
};
/** They end only when the caller gives up. */
const ENDLESS = new Set(["hangs", "neverAnswers"]);

const corpus = corpusFiles()
  .map((file) => ({ dialect: /** @type {Dialect} */ (basename(dirname(file)).replace("ai-sdk-model", "ai-sdk")), items: JSON.parse(readFileSync(file, "utf8")) }))
  .filter(({ items }) => Array.isArray(items) && items.length > 12);

/**
 * @param {Item[]} all
 * @param {Dialect | undefined} dialect
 * @param {{ first: number, limit: number, fallback: boolean, models: string[], appends: number[] }} plan
 * @param {Map<string, number>} counts
 */
async function survive(all, dialect, { first, limit, fallback, models, appends }, counts) {
  const start = Math.max(2, Math.floor(all.length * first));
  const waiting = all.slice(start);
  const log = all.slice(0, start);
  /** @type {Set<object>} */
  const summarised = new Set();
  let calls = 0;
  /** @type {{ at: number, status: string }[]} */
  const tries = [];
  const size = pkg.project(all, {}, { dialect }).report.sourceApproxChars;
  /** @type {Options} */
  const options = { maxApproxChars: Math.max(200, Math.floor(size * limit)), fallback: fallback ? "structured" : "none", dialect };
  /** @type {import("../../src/js/types.d.ts").InMemoryAgentMemory<Item>} */
  let memory;
  const append = (/** @type {number} */ count) => {
    const items = waiting.splice(0, count);
    log.push(...items);
    memory.addOutputItems(items);
  };
  let abort = new AbortController();
  const policy = new pkg.LlmCompactPolicy((prompt) => {
    const model = models[calls % models.length] ?? "good";
    calls += 1;
    append(appends[0] ?? 0);
    if (ENDLESS.has(model)) setImmediate(() => (append(appends[1] ?? 0), abort.abort(new Error("given up"))));
    else setImmediate(() => append(appends[1] ?? 0));
    return MODELS[model]?.(prompt);
  }, options);
  const compressor = new pkg.CompactPolicyMemoryCompressor({
    shouldCompact: (snapshot, context) => policy.shouldCompact(snapshot, context),
    async compact(snapshot, more) {
      abort = new AbortController();
      const result = await policy.compact(snapshot, { ...more, signal: abort.signal });
      counts.set(result.status, (counts.get(result.status) ?? 0) + 1);
      tries.push({ at: snapshot.items.length, status: result.status });
      if (result.status !== "compacted") assert.deepEqual(result.memory, snapshot, result.status);
      for (const { from, to, fate } of result.contextReport.ledger) {
        assert.ok(fate !== "summarized" || result.status === "compacted");
        for (let index = from; index < to; index += 1) {
          const item = /** @type {object} */ (snapshot.items[index]);
          // Of a UIMessage that is a whole turn, the older steps may be gone.
          if (fate === "summarized" || fate === "shortened") summarised.add(item);
          else assert.equal(result.memory.items.includes(item), true);
        }
      }
      assert.equal(result.contextReport.ledger.at(-1)?.to ?? 0, snapshot.items.length, "the ledger covers memory");
      assert.ok(result.summary === null || result.summary.isWellFormed());
      return result;
    },
  });
  memory = new pkg.InMemoryAgentMemory({ dialect, compressor });
  memory.addOutputItems(log.slice());
  await memory.settled();
  while (waiting.length > 0) {
    append(3);
    await memory.settled();
  }
  // Nothing is lost, and order is kept.
  const { items, summary } = memory.snapshot();
  let at = -1;
  for (const item of items) {
    const place = log.indexOf(item);
    if (place < 0) continue;
    assert.ok(place > at, "in order");
    at = place;
  }
  for (const item of log) assert.ok(items.includes(item) || summarised.has(item), "every item is there, or summarised by an accepted answer");
  assert.ok(summarised.size === 0 || (summary ?? "") !== "");
  // What is sent is valid.
  const sent = pkg.project(memory.getItems(), {}, { dialect }).items;
  assert.deepEqual(pkg.validate(sent, { dialect }).filter(({ severity }) => severity === "error"), []);
  // No try without progress: after one that failed memory has grown by a tenth, and after three in a row there is none.
  let failures = 0;
  for (const [index, { at, status }] of tries.entries()) {
    const before = tries[index - 1];
    if (failures > 0 && before !== undefined) assert.ok(at > before.at && at >= before.at * 1.1, `${at} items after a failure at ${before.at}`);
    failures = status === "compacted" ? 0 : failures + 1;
    assert.ok(failures <= 3, "three failures in a row");
  }
  return calls;
}

describe("a model that fails", () => {
  it("never makes memory worse", async (context) => {
    /** @type {Map<string, number>} */
    const counts = new Map();
    let calls = 0;
    let begun = 0;
    const plan = fc.record({
      first: fc.double({ min: 0.2, max: 1, noNaN: true }),
      limit: fc.double({ min: 0.05, max: 0.7, noNaN: true }),
      fallback: fc.boolean(),
      models: fc.array(fc.oneof({ weight: 200, arbitrary: fc.constantFrom(...Object.keys(MODELS).filter((name) => name !== "huge")) }, { weight: 1, arbitrary: fc.constant("huge") }), { minLength: 1, maxLength: 5 }),
      appends: fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })).map((pair) => [...pair]),
    });
    const source = fc.oneof(
      { weight: 9, arbitrary: fc.tuple(scripts(), fc.constantFrom(...kinds)).map(([script, kind]) => ({ items: render(script, kind), dialect: kind === "mixed" ? undefined : /** @type {Dialect} */ (kind) })) },
      {
        weight: corpus.length > 0 ? 1 : 0,
        arbitrary: fc.tuple(fc.nat({ max: Math.max(0, corpus.length - 1) }), fc.integer({ min: 8, max: 50 })).map(([index, length]) => {
          const { dialect, items } = corpus[index] ?? { dialect: undefined, items: [] };
          return { items: items.slice(0, length), dialect };
        }),
      },
    );
    await fc.assert(
      fc.asyncProperty(source, plan, async ({ items, dialect }, settings) => {
        if (items.length < 2) return;
        begun += 1;
        calls += await survive(items, dialect, settings, counts);
      }),
      { seed: 20_261, numRuns: Math.ceil(runs * 1.06), endOnFailure: true },
    );
    const told = [...counts].sort(([, a], [, b]) => b - a).map(([status, count]) => `${status} ${count}`);
    context.diagnostic(`${begun} fault runs, ${calls} model calls: ${told.join(", ")}`);
    for (const status of ["compacted", "empty_summary", "inflated_summary", "summary_failed", "cancelled"]) assert.ok((counts.get(status) ?? 0) > runs / 500, status);
  });
});
