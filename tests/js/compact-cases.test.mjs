// The cases of compaction: what went wrong for others when memory was replaced by a summary.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CHECKS, DIALECTS, cases } from "./case-checks.mjs";
import { pkg } from "./load.mjs";

/** @typedef {import("./case-checks.mjs").Fields} Fields */
/** @typedef {import("./case-checks.mjs").Case} Case */
/** @typedef {import("../../src/js/types.d.ts").CompactResult} CompactResult */

/** @param {Case} found */
function settingsOf({ budget, options = {} }) {
  const { modelAnswers = '{"goal":"g"}', previous, previousSummary = null, ...rest } = options;
  return { answers: modelAnswers, previous, summary: previousSummary, options: { ...budget, ...rest } };
}

/** @param {string} text */
const tokensOf = (text) => pkg.project([{ role: "user", content: text }], { maxTokens: 1e9 }).report.sourceTokens ?? 0;

/**
 * Checks of what a compaction asked and answered, beside those of its items.
 * @type {Record<string, (wanted: any, result: CompactResult, prompts: { system: string, input: string }[], items: any[], found: Case) => void>}
 */
const OF_RESULT = {
  details: (wanted, result) => assert.deepEqual({ modifiedFiles: result.modifiedFiles, readFiles: result.readFiles }, wanted),
  maxCount(wanted, _, prompts, items) {
    for (const [text, most] of Object.entries(wanted)) {
      for (const place of [JSON.stringify(items), ...prompts.map(({ input }) => input)]) assert.ok(place.split(text).length - 1 <= most, text);
    }
  },
  summarizerInputMaxTokens(wanted, _, prompts) {
    assert.ok(prompts.length > 0, "asked");
    for (const { input } of prompts) assert.ok(tokensOf(input) <= wanted, `${tokensOf(input)} tokens of ${wanted}`);
  },
  identical: (_, result, __, ___, { items }) => assert.deepEqual(result.memory.items, items),
  lastRole: (wanted, _, __, items) => assert.equal(items.at(-1).role, wanted),
  noWarn(rule, _, __, items, { shape }) {
    const found = pkg.validate(items, /** @type {any} */ ({ dialect: DIALECTS[shape] }));
    assert.ok(!found.some((violation) => violation.rule === rule), rule);
  },
  validWhenAppended({ shape, append }, _, __, items) {
    const found = pkg.validate([...items, ...append], /** @type {any} */ ({ dialect: DIALECTS[shape] }));
    assert.deepEqual(found.filter(({ severity }) => severity === "error"), []);
  },
};

describe("cases of compaction", { skip: cases.length === 0 ? "no cases" : false }, () => {
  for (const found of cases.filter(({ op, shape }) => op === "compact" && shape !== "langchain")) {
    it(found.id, async () => {
      const { answers, previous, summary, options } = settingsOf(found);
      /** @type {{ system: string, input: string }[]} */
      const prompts = [];
      const policy = new pkg.LlmCompactPolicy(({ system, input }) => {
        prompts.push({ system, input });
        return answers;
      }, options);
      const before = structuredClone(found.items);
      const result = await policy.compact({ items: found.items, summary }, { previous });
      assert.deepEqual(found.items, before, "memory is the host's");
      const memory = new pkg.InMemoryAgentMemory({ dialect: DIALECTS[found.shape] });
      memory.restore(result.memory);
      const dialect = /** @type {any} */ (DIALECTS[found.shape]);
      const items = /** @type {any[]} */ (pkg.project(memory.getItems(), {}, { dialect }).items);
      for (const [check, wanted] of Object.entries(found.checks)) {
        if (OF_RESULT[check]) OF_RESULT[check](wanted, result, prompts, items, found);
        else {
          assert.ok(CHECKS[check], `the check "${check}" is known`);
          CHECKS[check]?.(wanted, items, found, {});
        }
      }
      if (result.status !== "compacted") assert.deepEqual(result.memory, { items: found.items, summary });
    });
  }

  for (const found of cases.filter(({ op }) => op === "decide")) {
    it(found.id, () => {
      const { options, summary } = settingsOf(found);
      const policy = new pkg.LlmCompactPolicy(() => assert.fail("asked"), options);
      const also = found.also ?? {};
      // A figure from before a compaction tells nothing of memory as it is: whoever keeps it passes none.
      const tokens = also.usage_measured_before_compaction === true ? null : (also.last_usage_tokens ?? null);
      const overheadTokens = found.budget.overheadTokens ?? 0;
      const due = policy.shouldCompact({ items: found.items, summary }, { tokens, overheadTokens, failures: 0, previous: null });
      assert.equal(due, found.checks.shouldCompact);
    });
  }
});
