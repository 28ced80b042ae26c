// lowWater, to the item: what crosses a limit is cut back to the low mark, and until it is reached again nothing moves.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { builders, dialects, prose } from "./builders.mjs";
import { pkg } from "./load.mjs";

const { project } = pkg;

/** @typedef {import("./builders.mjs").Item} Item */
/** @typedef {import("../../src/js/types.d.ts").ContextBudget} Budget */

/**
 * How many are there at each length, when `most` may be and a cut leaves `low`.
 * @param {number} count @param {number} most @param {number} low
 */
function saw(count, most, low) {
  let there = 0;
  return Array.from({ length: count }, () => (there = there + 1 > most ? low : there + 1));
}

for (const dialect of dialects) {
  const b = builders[dialect];

  describe(`low water, in ${dialect}`, () => {
    // A person's words only: each is a turn of its own and all are of one size.
    const items = Array.from({ length: 40 }, (_, index) => b.user(`Message ${100 + index}.`)).map((item, index) => ("id" in item ? { ...item, id: `m-${100 + index}` } : item));
    const size = project(items.slice(0, 1), {}, { dialect }).report.sourceApproxChars;

    /** @param {Budget} budget */
    const lengths = (budget) =>
      items.map((_, index) => {
        const { items: out, report } = project(items.slice(0, index + 1), budget, { dialect, ...(budget.maxTokens ? { countTokens: () => 6 } : {}) });
        assert.deepEqual(out, items.slice(index + 1 - out.length, index + 1), "the newest");
        return { there: out.length, rebased: report.rebased, stable: report.stablePrefixItems };
      });

    /** @type {{ [name: string]: { budget: Budget, most: number, low: number } }} */
    const cases = {
      "of items": { budget: { maxItems: 10, lowWater: 0.6 }, most: 10, low: 6 },
      "of items, floored": { budget: { maxItems: 7, lowWater: 0.8 }, most: 7, low: 5 },
      "of characters": { budget: { maxApproxChars: size * 10 + 1, lowWater: 0.6 }, most: 10, low: 6 },
      "of tokens, behind the overhead": { budget: { maxTokens: 200, overheadTokens: 100, lowWater: 0.6 }, most: 10, low: 6 },
      "of the limit that is hit first": { budget: { maxItems: 12, maxApproxChars: size * 10 + 1, lowWater: 0.5 }, most: 10, low: 5 },
      "at the lowest, which leaves the newest": { budget: { maxItems: 4, lowWater: 0.01 }, most: 4, low: 1 },
      "at 1, which slides": { budget: { maxItems: 10, lowWater: 1 }, most: 10, low: 10 },
      "by default at 1": { budget: { maxItems: 10 }, most: 10, low: 10 },
    };
    for (const [name, { budget, most, low }] of Object.entries(cases)) {
      it(name, () => {
        const found = lengths(budget);
        const expected = saw(items.length, most, low);
        assert.deepEqual(found.map(({ there }) => there), expected);
        assert.deepEqual(found.map(({ rebased }) => rebased), expected.map((there, index) => index > 0 && there <= (expected[index - 1] ?? 0)));
        found.forEach(({ stable, rebased }, index) => assert.equal(stable, rebased || index === 0 ? 0 : expected[index - 1]));
      });
    }

    /** @type {[most: number, lowWater: number, low: number][]} */
    const results = [[5, 0.6, 3], [10, 0.55, 5], [2, 0.1, 1], [1, 0.5, 1], [3, 1, 3]];
    for (const [most, lowWater, low] of results) {
      it(`of ${most} results at ${lowWater} leaves ${low}`, () => {
        const session = [b.user("Read.")];
        const found = [];
        for (let index = 1; index <= 24; index += 1) {
          session.push(...b.exchange(`c${index}`, "read", {}, `${index} ${prose(200)}`), b.assistant(`Read ${index}.`));
          const shown = JSON.stringify(project(session, { maxRecentToolResults: most, lowWater }, { dialect }).items);
          const texts = Array.from({ length: index }, (_, at) => shown.includes(`"${at + 1} The tide`));
          const first = texts.indexOf(true);
          assert.ok(texts.slice(first).every(Boolean), "the newest keep their text");
          found.push(index - first);
        }
        assert.deepEqual(found, saw(24, most, low));
      });
    }
  });
}
