// The sample session of the project: is it what it claims to be, and does a projection of it keep its promises?

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, it } from "node:test";

/** @typedef {{ [key: string]: any }} Item */

const text = readFileSync(new URL("../../www/samples/coding.responses.json", import.meta.url), "utf8");
/** @type {Item[]} */
const sample = JSON.parse(text);

/** @param {Item} item */
const isCall = (item) => item.type === "function_call";
/** @param {Item} item */
const isOutput = (item) => item.type === "function_call_output";
/** @param {Item} item */
const isModelItem = (item) => isCall(item) || (item.type === "message" && item.role === "assistant");

/** Runs of neighbouring items of one kind, as [from, to). @param {Item[]} items @param {(item: Item) => boolean} is */
function runs(items, is) {
  /** @type {[from: number, to: number][]} */
  const found = [];
  items.forEach((item, index) => {
    if (!is(item)) return;
    const last = found.at(-1);
    if (last && last[1] === index) last[1] = index + 1;
    else found.push([index, index + 1]);
  });
  return found;
}

/** Reasoning without the model item that it led to: a provider refuses that. @param {Item[]} items */
function assertReasoningIsFollowed(items) {
  for (const [, to] of runs(items, (item) => item.type === "reasoning")) {
    const next = items[to];
    assert.ok(next !== undefined && isModelItem(next), `reasoning before ${to} is followed by ${next?.type ?? "nothing"}`);
  }
}

/**
 * Each output follows its call, each call has one output; `open` names calls that may have none.
 *
 * @param {Item[]} items
 * @param {string[]} open
 */
function assertPaired(items, open = []) {
  const waiting = new Set();
  for (const [index, item] of items.entries()) {
    if (isCall(item)) waiting.add(item.call_id);
    if (isOutput(item)) assert.ok(waiting.delete(item.call_id), `output ${index} (${item.call_id}) has no open call before it`);
  }
  assert.deepEqual([...waiting].sort(), [...open].sort(), "calls without output");
}

describe("the sample session", () => {
  it("is a JSON array of 110 to 130 items, one a line", () => {
    assert.ok(Array.isArray(sample));
    assert.ok(sample.length >= 110 && sample.length <= 130, `${sample.length} items`);
    assert.equal(text.trimEnd().split("\n").length, sample.length + 2);
  });

  it("weighs between 120 and 250 kB", () => {
    const kilobytes = Buffer.byteLength(text) / 1000;
    assert.ok(kilobytes >= 120 && kilobytes <= 250, `${kilobytes} kB`);
  });

  it("begins with the developer, has 4 to 6 user turns and ends with an answer", () => {
    assert.equal(sample[0]?.role, "developer");
    const turns = sample.filter((item) => item.role === "user").length;
    assert.ok(turns >= 4 && turns <= 6, `${turns} turns`);
    assert.equal(sample.at(-1)?.role, "assistant");
  });

  it("answers every call exactly once, after the call", () => {
    const calls = sample.filter(isCall).map((item) => item.call_id);
    assert.equal(new Set(calls).size, calls.length, "call ids are unique");
    assert.equal(sample.filter(isOutput).length, calls.length);
    assertPaired(sample);
  });

  it("has unique ids that begin as their type asks", () => {
    const ids = sample.flatMap((item) => (item.id === undefined ? [] : [item.id]));
    assert.equal(new Set(ids).size, ids.length);
    const prefixes = new Map([["reasoning", "rs_"], ["function_call", "fc_"], ["message", "msg_"]]);
    for (const item of sample) {
      if (item.id !== undefined) assert.ok(item.id.startsWith(prefixes.get(item.type) ?? "?"), `${item.type} ${item.id}`);
    }
  });

  it("has reasoning, each followed by what it led to", () => {
    assert.ok(sample.some((item) => item.type === "reasoning" && item.summary.length > 0 && item.encrypted_content));
    assertReasoningIsFollowed(sample);
  });

  it("has parallel batches: calls together, then their outputs in the same order", () => {
    const batches = runs(sample, isCall);
    for (const [from, to] of batches) {
      const calls = sample.slice(from, to).map((item) => item.call_id);
      const after = sample.slice(to, to + calls.length);
      assert.deepEqual(after.map((item) => (isOutput(item) ? item.call_id : item.type)), calls);
    }
    const sizes = batches.map(([from, to]) => to - from);
    assert.ok(sizes.filter((size) => size >= 2).length >= 4, `sizes of the batches: ${sizes}`);
    assert.ok(Math.max(...sizes) <= 4);
  });

  it("has arguments that are JSON objects, and texts that are well-formed", () => {
    for (const item of sample.filter(isCall)) assert.equal(typeof JSON.parse(item.arguments), "object");
    assert.doesNotMatch(text, /\\ud[89a-f]/i, "no escaped surrogate");
  });

  it("has long results, an error, other scripts and an emoji", () => {
    const outputs = sample.filter(isOutput).map((item) => item.output);
    assert.ok(outputs.filter((output) => output.length >= 2000).length >= 8);
    assert.ok(outputs.some((output) => output.startsWith("error: ")));
    for (const script of ["Han", "Hiragana", "Cyrillic", "Hangul"]) assert.match(text, new RegExp(`\\p{Script=${script}}`, "u"));
    assert.match(text, /\p{Emoji_Presentation}/u);
  });
});

describe("a projection of the sample session", () => {
  /** @type {typeof import("../../src/js/types.d.ts")} */
  let pkg;
  before(async () => {
    ({ pkg } = await import("./load.mjs"));
    freeze(sample);
  });

  /** @typedef {import("../../src/js/types.d.ts").ContextBudget} Budget */
  /** @type {Budget[]} */
  const budgets = [
    {},
    { maxItems: 40 },
    { maxItems: 40, maxRecentToolResults: 5, lowWater: 0.6 },
    { maxItems: 20, pinnedPrefixItems: 2 },
    { maxApproxChars: 30_000 },
    { maxApproxChars: 60_000, lowWater: 0.6, trimOldReasoning: true },
    { maxTokens: 12_000, overheadTokens: 2_000, lowWater: 0.8 },
    { maxRecentToolResults: 0, clearToolInputs: true },
    { maxRecentToolResults: 8, keepTools: ["apply_patch"], lowWater: 0.6 },
    { maxToolResultChars: 1_500, maxToolInputChars: 500 },
    { maxItems: 1 },
  ];

  for (const budget of budgets) {
    describe(`under ${JSON.stringify(budget)}`, () => {
      /** @type {import("../../src/js/types.d.ts").ContextProjection<Item>} */
      let projection;
      before(() => {
        projection = pkg.project(sample, budget);
      });

      it("accounts for every item once, and the counts add up", () => assertAccounted(sample, projection));
      it("keeps calls with their outputs, and reasoning with what it led to", () => {
        assertPaired(projection.items);
        assertReasoningIsFollowed(projection.items);
      });
      it("stays within the limits, or says by what it does not", () => assertWithin(budget, projection));
      it("keeps the developer's message and the last answer", () => {
        assert.equal(projection.items[0], sample[0]);
        assert.equal(projection.items.at(-1), sample.at(-1));
      });
      it("measures what it returns as a fresh projection would", () => {
        assert.equal(projection.report.projectedApproxChars, pkg.project(projection.items).report.sourceApproxChars);
      });
    });
  }

  it("leaves a well-formed history as it is when there is no limit", () => {
    const { items, report } = pkg.project(sample);
    assert.equal(items.length, sample.length);
    items.forEach((item, index) => assert.equal(item, sample[index]));
    assert.deepEqual(report.notes, []);
    assert.equal(report.projectedApproxChars, report.sourceApproxChars);
    assert.equal(report.sourceTokens, null);
  });

  it("cannot go below what must be there, and says so", () => {
    const { items, report } = pkg.project(sample, { maxItems: 1 });
    assert.deepEqual(items.map((item) => item.role), ["developer", "user", "assistant"]);
    assert.equal(report.overBudget, true);
  });

  it("clears old results to one line with the tool's name and the call's id, in place", () => {
    const n = 5;
    const { items, report } = pkg.project(sample, { maxRecentToolResults: n });
    const names = new Map(sample.filter(isCall).map((item) => [item.call_id, item.name]));
    /** @param {Item} item */
    const placeholder = (item) => `[tool result cleared: ${names.get(item.call_id)}(${item.call_id})]`;
    const worthClearing = sample.filter((item) => isOutput(item) && item.output.length > placeholder(item).length);
    const old = new Set(worthClearing.slice(0, -n));
    assert.equal(items.length, sample.length);
    items.forEach((item, index) => {
      const source = /** @type {Item} */ (sample[index]);
      if (!old.has(source)) assert.equal(item, source);
      else assert.deepEqual(item, { ...source, output: placeholder(source) });
    });
    assert.ok(report.notes.includes(`tier1 microcompact: cleared ${old.size} old tool result(s), kept recent ${n}`), report.notes.join("\n"));
  });

  it("puts a summary behind the developer's message and counts it", () => {
    const summary = "The repository is tidetable; the clock bug is mended.";
    const projection = pkg.project(sample, { maxItems: 30 }, { summary });
    assert.equal(projection.report.insertedItemCount, 1);
    assert.equal(projection.items[1]?.role, "user");
    assert.match(projection.items[1]?.content[0].text, /the clock bug is mended\./);
    assertAccounted(sample, projection);
    assertWithin({ maxItems: 30 }, projection);
  });

  it("keeps its promises at every length of the history", () => {
    const budget = { maxItems: 30, maxRecentToolResults: 6, lowWater: 0.6 };
    for (let length = 1; length <= sample.length; length++) {
      const history = sample.slice(0, length);
      const projection = pkg.project(history, budget);
      assertAccounted(history, projection);
      assertPaired(projection.items, projection.report.pendingCallIds);
      assertWithin(budget, projection);
    }
  });

  it("is the same as text", () => {
    const budget = { maxItems: 40, maxRecentToolResults: 5, lowWater: 0.6 };
    const direct = pkg.project(sample, budget);
    assert.deepEqual(JSON.parse(pkg.projectJson(text, budget)), JSON.parse(JSON.stringify(direct)));
  });

  /**
   * @param {Item[]} source
   * @param {import("../../src/js/types.d.ts").ContextProjection<Item>} projection
   */
  function assertAccounted(source, { items, report }) {
    let next = 0;
    /** @type {{ [fate: string]: number }} */
    const sums = {};
    for (const { from, to, fate, reason } of report.ledger) {
      assert.equal(from, next, "runs follow each other");
      assert.ok(to > from, "no run is empty");
      assert.equal(typeof reason, "string");
      next = to;
      sums[fate] = (sums[fate] ?? 0) + to - from;
    }
    assert.equal(next, source.length, "the last run ends with the source");
    assert.equal(report.sourceItemCount, source.length);
    assert.equal(report.projectedItemCount, items.length);
    assert.equal(report.droppedItemCount, sums.dropped ?? 0);
    assert.equal(
      report.projectedItemCount,
      report.sourceItemCount - report.droppedItemCount - (sums.summarized ?? 0) + report.insertedItemCount - report.joinedItemCount,
    );

    // What is kept or pinned comes back as the very same object, in the same order; what is dropped does not come back.
    /** @param {string[]} fates */
    const having = (...fates) => report.ledger.flatMap((run) => (fates.includes(run.fate) ? source.slice(run.from, run.to) : []));
    const same = new Set(source);
    const untouched = having("kept", "pinned");
    assert.deepEqual(items.filter((item) => same.has(item)).map((item) => source.indexOf(item)), untouched.map((item) => source.indexOf(item)));
  }

  /**
   * @param {Budget} budget
   * @param {import("../../src/js/types.d.ts").ContextProjection<Item>} projection
   */
  function assertWithin(budget, { items, report }) {
    if (report.overBudget) {
      assert.ok(report.notes.some((note) => note.startsWith("over budget: ")), report.notes.join("\n"));
      return;
    }
    assert.ok(items.length <= (budget.maxItems ?? Infinity), `${items.length} items`);
    assert.ok(report.projectedApproxChars <= (budget.maxApproxChars ?? Infinity), `${report.projectedApproxChars} characters`);
    if (budget.maxTokens !== undefined) {
      assert.ok((report.projectedTokens ?? Infinity) <= budget.maxTokens - (budget.overheadTokens ?? 0), `${report.projectedTokens} tokens`);
    }
  }
});

/** @param {any} value */
function freeze(value) {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return;
  Object.freeze(value);
  Object.values(value).forEach(freeze);
}
