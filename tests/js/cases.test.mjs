// The cases: public bug reports as small inputs with what must hold. Those that a later part of the project covers are
// listed as waiting, by name.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { importTranscript } from "../../src/js/import/index.js";
import { CHECKS, cases } from "./case-checks.mjs";
import { pkg } from "./load.mjs";

/** @typedef {import("./case-checks.mjs").Fields} Fields */
/** @typedef {import("./case-checks.mjs").Case} Case */

/**
 * Where a case and SEMANTICS differ, SEMANTICS rules: what is run instead, and why.
 * @type {Record<string, { budget: Fields, why: string }>}
 */
const DIFFERS = {
  "chat-call-kept-one-result-trimmed": {
    budget: { maxApproxChars: 512, maxToolResultChars: 100 },
    why: "its 400 count strings alone; characters are those of the compact JSON (SEMANTICS, section 2), of which it has 512",
  },
};

/** What a later part covers, and which. @param {Case} found */
function waitsFor(found) {
  if (found.shape === "langchain") return "the LangChain adapter";
  return null;
}

/** @param {Case} found @returns {Fields[]} the budgets that the case runs under */
function budgets(found) {
  const cut = found.also?.truncate_tool_results;
  if (cut === undefined) return [DIFFERS[found.id]?.budget ?? found.budget];
  const marker = 48;
  const sizes = cut.sizes ?? [cut.head + cut.tail + marker];
  return sizes.map((/** @type {number} */ size) => ({ ...found.budget, maxToolResultChars: size }));
}

/** What `expect` says in words beyond the checks. @type {Record<string, (items: any[], found: Case) => void>} */
const BEYOND = {
  "anthropic-foreign-tool-ids"(items) {
    const calls = items.flatMap(({ content }) => content).filter(({ type }) => type === "tool_use").map(({ id }) => id);
    const results = items.flatMap(({ content }) => content).filter(({ type }) => type === "tool_result").map((block) => block.tool_use_id);
    assert.deepEqual(results, calls);
    assert.equal(new Set(calls).size, 2, "the rewritten id meets no other");
    assert.equal(calls[1], "Write_6", "a good id is left alone");
  },
  "chat-history-ends-in-partial-batch"(items) {
    assert.deepEqual(items.slice(2).map((item) => item.tool_call_id), ["k1", "k2", "k3"]);
    assert.equal(items[3].content, "[no result: interrupted]");
  },
  "responses-duplicate-ids-after-restore": (items) => assert.equal(items.length, 4),
  "responses-trailing-reasoning-after-abort": (items, { items: source }) => assert.deepEqual(items, source.slice(0, 4)),
  "stored-arguments-are-not-json"(items) {
    const text = items[1].tool_calls[0].function.arguments;
    assert.deepEqual(JSON.parse(text), { _raw: '{"command": "echo hi' });
  },
  "shrink-arguments-stays-json"(items) {
    const { path, content, ...more } = JSON.parse(items[1].tool_calls[0].function.arguments);
    assert.equal(path, "notes/a.md");
    assert.ok(content.length <= 200);
    assert.deepEqual(more, {});
  },
  "gemini-calls-without-ids"(items) {
    const responses = items.flatMap(({ parts }) => parts).map((part) => part.functionResponse).filter(Boolean);
    for (const response of responses) {
      assert.equal(response.name, "search");
      assert.equal(typeof response.response, "object");
    }
  },
  "responses-old-screenshots"(items, { items: source }) {
    assert.ok(items.includes(source[4]), "the newest screenshot stays as it is");
    assert.ok(!items.some(({ call_id }) => call_id === "call_s1"), "the old pair is gone");
  },
  "responses-items-before-compaction-item"(items, { items: source }) {
    assert.equal(items[0], source[2]);
  },
  "responses-output-after-compaction-item"(items) {
    assert.deepEqual(items.map(({ type }) => type), ["compaction", "function_call", "function_call_output", "message"]);
  },
  "anthropic-redacted-thinking-survives": (items, { items: source }) => assert.equal(items[3], source[3]),
};

describe("cases", { skip: cases.length === 0 ? "no cases" : false }, () => {
  const waiting = cases.filter((found) => waitsFor(found) !== null);
  // Those of compaction are in compact-cases.test.mjs, those of sessions in session-cases.test.mjs.
  const others = cases.filter(({ op, shape }) => !["compact", "decide", "session"].includes(op) && shape !== "session-log");
  for (const found of others.filter((found) => waitsFor(found) === null)) {
    it(found.id, () => {
      for (const budget of budgets(found)) {
        const items =
          found.op === "import" ? imported(found) : /** @type {any[]} */ (pkg.project(found.items, found.op === "count" ? {} : budget, found.options).items);
        for (const [check, wanted] of Object.entries(found.checks)) {
          const run = CHECKS[check];
          assert.ok(run, `the check "${check}" is known`);
          run(wanted, items, found, budget);
        }
        BEYOND[found.id]?.(items, found);
      }
    });
  }
  it("lists what waits", () => {
    for (const found of waiting) console.log(`# waiting for ${waitsFor(found)}: ${found.id}`);
    console.log(`# cases: ${cases.length - waiting.length} run, those of compaction and sessions included, ${waiting.length} waiting`);
    assert.ok(cases.length - waiting.length > 50);
  });
});

/**
 * @param {Case} found
 * @returns {any[]}
 */
function imported({ items, budget, shape }) {
  const text = items.map((item) => (typeof item === "string" ? item : JSON.stringify(item))).join("\n");
  const { items: read, problems } = importTranscript(text);
  if (shape !== "openai-chat-jsonl-lines") return read;
  assert.deepEqual(problems.map(({ line }) => line), [2, 5]);
  return /** @type {any[]} */ (pkg.project(read, budget).items);
}
