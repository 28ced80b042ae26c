// Text is cut between characters, never inside one, and what is ill-formed does no harm. And the head of the prompt stays
// the same, to the byte, for several turns.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { builders, dialects, prose } from "./builders.mjs";
import { pkg } from "./load.mjs";

const { project, projectJson } = pkg;

/** @typedef {import("./builders.mjs").Item} Item */

/** A surrogate without its other half. */
const half = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** @param {unknown} value */
const json = (value) => JSON.stringify(value, (_, each) => (typeof each === "string" && half.test(each) ? `ILL-FORMED(${each.length})` : each));

/** Half surrogates show as escapes in JSON. @param {unknown} value */
function assertWellFormed(value, message = "") {
  assert.ok(!json(value).includes("ILL-FORMED"), `${message}: a half surrogate in ${json(value).slice(0, 300)}`);
}

for (const dialect of dialects) {
  const b = builders[dialect];
  const options = { dialect };

  describe(`emoji at the cut, in ${dialect}`, () => {
    // Pairs of surrogates that begin at odd and at even places, flags and families of several, and single units between.
    const texts = { even: "😀".repeat(400), odd: `a${"😀".repeat(400)}`, mixed: "x😀yy🇳🇴zzz👩‍👩‍👧é".repeat(40), han: "𠮷好".repeat(300) };
    for (const [name, text] of Object.entries(texts)) {
      it(`${name}: no length cuts one in two, in results and in arguments`, () => {
        const items = [b.user("Read."), ...b.exchange("c1", "read", { text }, text), b.assistant("Read.")];
        const pair = (/** @type {readonly object[]} */ out) => /** @type {Item[]} */ (out.slice(1, -1));
        for (let most = 60; most < 100; most += 1) {
          const { items: out, report } = project(items, { maxToolResultChars: most, maxToolInputChars: most }, options);
          const shown = [b.result(pair(out)), /** @type {any} */ (b.args(pair(out))).text];
          for (const short of shown) {
            assert.ok(short.length <= most && short.length > most / 2, `${short.length} of ${most}`);
            const [head, tail] = short.split(/\s*\[…[^\]]*…\]\s*/);
            assert.ok(head && tail && text.startsWith(head) && text.endsWith(tail), short);
          }
          assertWellFormed(out, `at ${most}`);
          assert.ok(!JSON.stringify(out).includes("\uFFFD"), `at ${most}`);
          assert.ok(report.notes.every((note) => !half.test(note)));
          // Over text it is the same.
          assert.deepEqual(JSON.parse(projectJson(JSON.stringify(items), { maxToolResultChars: most, maxToolInputChars: most }, options)).items, out);
        }
      });
    }

    it("a tool's name and a call's id with emoji are not cut either, where a provider refuses them", () => {
      const items = [b.user("Read."), ...b.exchange("c😀1", "read_🐟", {}, prose(300)), b.assistant("Read.")];
      const { items: out } = project(items, { maxRecentToolResults: 0 }, options);
      const text = b.result(/** @type {Item[]} */ (out.slice(1, -1)));
      assert.match(text, /^\[tool result cleared: read_\S*\(c\S*1\S*\)\]$/u);
      assertWellFormed(out);
    });
  });

  describe(`half surrogates, in ${dialect}`, () => {
    const wrongs = { high: "a\uD83Db", low: "a\uDE00b", swapped: "a\uDE00\uD83Db", "at the end": "ab\uD83D", many: "\uD83D".repeat(3_000), "in a long text": `${prose(2_000)}\uD83D${prose(2_000)}` };
    for (const [name, text] of Object.entries(wrongs)) {
      it(`${name}: they do not stop anything, and come out well-formed`, () => {
        const items = [b.user(text), ...b.exchange("c1", "read", { text }, text), b.assistant(text), b.user("Go on."), b.assistant("Gone.")];
        const before = structuredClone(items);
        for (const budget of [{}, { maxItems: 4 }, { maxRecentToolResults: 0 }, { maxToolResultChars: 80, maxToolInputChars: 80 }, { maxTokens: 2_000 }]) {
          const { items: out, report } = project(items, budget, options);
          assertWellFormed(out, JSON.stringify(budget));
          assert.ok(Number.isSafeInteger(report.sourceApproxChars));
          // The source keeps what it has.
          assert.deepEqual(items, before);
          out.forEach((item) => assert.doesNotThrow(() => encodeURIComponent(JSON.stringify(item))));
        }
        const same = project(items, {}, options).items;
        items.forEach((item, index) => {
          if (!half.test(JSON.stringify(item)) && !/\\ud[89a-f]/i.test(JSON.stringify(item))) assert.equal(same[index], item);
        });
      });
    }

    it("in a summary, an id, a name and a key do not stop anything", () => {
      const items = [b.user("Read."), ...b.exchange("c\uD83D1", "re\uDE00ad", { ["k\uD83D"]: 1 }, prose(300)), b.assistant("Read.")];
      const { items: out } = project(items, { maxRecentToolResults: 0 }, { ...options, summary: "Before\uD83D." });
      assertWellFormed(out);
      assert.equal(out.length, items.length + 1);
      assert.ok(project(items, { keepTools: ["re\uD83Dad"], maxRecentToolResults: 0 }, options).items.length === items.length);
    });

    it("U+FFFD comes in for them only", () => {
      const good = [b.user("😀 🇳🇴 é"), ...b.exchange("c1", "read", { text: "👩‍👩‍👧".repeat(50) }, "🐟".repeat(700)), b.assistant("🐟")];
      for (let most = 60; most < 90; most += 1) {
        for (const budget of [{ maxToolResultChars: most, maxToolInputChars: most }, { maxItems: 2 }, { maxRecentToolResults: 0, clearToolInputs: true }]) {
          assert.ok(!JSON.stringify(project(good, budget, { ...options, summary: "🐟" })).includes("\uFFFD"));
        }
      }
      const bad = project([b.user("one\uD83Dtwo"), b.assistant("😀")], {}, options).items;
      assert.ok(JSON.stringify(bad[0]).includes("one\uFFFDtwo"), JSON.stringify(bad[0]));
      assert.ok(JSON.stringify(bad[1]).includes("😀"));
    });

    it("as escapes in JSON text they do not stop anything either", () => {
      const items = JSON.stringify([b.user("ONE"), ...b.exchange("c1", "read", { text: "ONE" }, `ONE ${prose(300)}`), b.assistant("Read.")]).replaceAll("ONE", "a\\ud83db");
      for (const budget of [{}, { maxItems: 2 }, { maxToolResultChars: 80 }, { maxRecentToolResults: 0 }]) {
        assertWellFormed(JSON.parse(projectJson(items, budget, options)).items, JSON.stringify(budget));
      }
    });
  });

  describe(`a long session's prompt, in ${dialect}`, () => {
    /** The session after `count` turns of one result of 5 kB each. @param {number} count */
    const turns = (count) => {
      const items = [b.user("Read all of it.")];
      for (let index = 1; index <= count; index += 1) items.push(...b.exchange(`c${index}`, "read", { page: index }, `${index} ${prose(5_000)}`), b.assistant(`Page ${index} is read.`), b.user(`Page ${index + 1}?`));
      return items;
    };

    /** @type {{ [name: string]: { budget: import("../../src/js/types.d.ts").ContextBudget, least: number } }} */
    const cases = {
      // Ten keep their text, cut back to six: the turn that cuts and the four after it have one head.
      "by results": { budget: { maxRecentToolResults: 10, lowWater: 0.6 }, least: 5 },
      // A turn takes some 5,300 characters of the 40,000 that are free after a cut.
      "by characters": { budget: { maxApproxChars: 100_000, lowWater: 0.6 }, least: 6 },
      "by tokens": { budget: { maxTokens: 25_000, lowWater: 0.6 }, least: 6 },
    };
    for (const [name, { budget, least }] of Object.entries(cases)) {
      it(`${name}: stays the same, to the byte, for ${least} turns at least`, (context) => {
        const session = turns(140);
        const perTurn = (session.length - 1) / 140;
        let before = "";
        let calm = 0;
        /** @type {number[]} */
        const stretches = [];
        for (let turn = 100; turn <= 140; turn += 1) {
          const { items, report } = project(session.slice(0, 1 + turn * perTurn), budget, options);
          // Without the closing bracket, so that a longer list may follow.
          const text = JSON.stringify(items).slice(0, -1);
          if (before === "" || text.startsWith(before)) calm += 1;
          else {
            stretches.push(calm);
            calm = 1;
          }
          before = text;
          assert.equal(report.overBudget, false);
        }
        context.diagnostic(`turns between rebases: ${stretches.join(", ")}`);
        assert.ok(stretches.length >= 2, `${stretches.length} rebases in 40 turns`);
        // The first stretch began before we looked.
        for (const stretch of stretches.slice(1)) assert.ok(stretch >= least, `${stretches}`);
      });
    }

    it("without lowWater it changes at each call of the model, and a note says so", () => {
      const steps = Array.from({ length: 60 }, (_, index) => b.exchange(`c${index}`, "read", { page: index }, `${index} ${prose(5_000)}`));
      const opener = b.user("Read all of it.");
      const at = (/** @type {number} */ count, lowWater = 1) => project([opener, ...steps.slice(0, count).flat()], { maxRecentToolResults: 10, lowWater }, options);
      const note = "prefix changes at every call: set lowWater";
      for (let count = 40; count < 60; count += 1) {
        const [now, next] = [at(count), at(count + 1)];
        assert.ok(!JSON.stringify(next.items).startsWith(JSON.stringify(now.items).slice(0, -1)), `${count} steps`);
        assert.equal(next.report.rebased, true);
        assert.ok(next.report.notes.includes(note), next.report.notes.join("\n"));
        assert.ok(!at(count, 0.6).report.notes.includes(note));
      }
      assert.ok(!at(5).report.notes.includes(note));
    });
  });
}
