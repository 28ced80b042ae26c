// projectJson: the same as project(), over text; what is not touched keeps its text to the letter.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, it } from "node:test";
import { builders, dialects, prose } from "./builders.mjs";
import { corpusFiles, pkg } from "./load.mjs";

const { project, projectJson } = pkg;

/** @typedef {import("../../src/js/types.d.ts").ContextBudget} Budget */
/** @typedef {import("../../src/js/types.d.ts").ProjectOptions} Options */

const sample = readFileSync(new URL("../../www/samples/coding.responses.json", import.meta.url), "utf8");

/** Items as somebody else's program may write them. */
const odd = [
  '{ "role" : "user" , "content":"one" , "n":1.0 }',
  '{"role":"assistant","content":"two","big":12345678901234567890,"tiny":-0.0,"e":1E+2}',
  '{"z":1,"role":"user","a":[ ],"content":"\\u0041\\/\\u00e9 \\ud83d\\ude00","b":{ }}',
  '{"role":"assistant","content":"four",\n\t"nested": [1,\n  2.50, {"y":0.10, "x":null}]\r\n}',
  '{"10":"ten","role":"user","2":"two","content":"five"}',
  '{"role":"assistant","content":"six","precise":0.1000000000000000055511151231257827}',
];

/** The texts of the items in an answer, cut out by where the report begins. @param {string} answer */
const itemsText = (answer) => answer.slice('{"items":['.length, answer.lastIndexOf('],"report":{'));

describe("untouched items", () => {
  it("keep their text: numbers, the order of keys, escapes, white space inside", () => {
    assert.equal(itemsText(projectJson(`[${odd.join(",")}]`)), odd.join(","));
  });

  it("keep a number that no double holds", () => {
    for (const number of ["1e400", "-1e400", "1E+9999", "1e-400", "1".repeat(400), `0.${"3".repeat(400)}`]) {
      const item = `{"role":"user","content":"Hello","n":${number}}`;
      assert.equal(itemsText(projectJson(`[${item}]`)), item, number);
    }
  });

  it("lose the white space between them, and no more", () => {
    assert.equal(itemsText(projectJson(` \n[ ${odd.join(" ,\n\t")}\r\n] \n`)), odd.join(","));
  });

  it("keep it when others go", () => {
    for (let maxItems = 1; maxItems <= odd.length; maxItems += 1) {
      const answer = projectJson(`[${odd.join(",")}]`, { maxItems });
      /** @type {import("../../src/js/types.d.ts").LedgerRun[]} */
      const ledger = JSON.parse(answer).report.ledger;
      const kept = ledger.filter(({ fate }) => fate !== "dropped").flatMap(({ from, to }) => odd.slice(from, to));
      assert.ok(kept.length === maxItems || maxItems === 1, `${kept.length} items`);
      assert.equal(itemsText(answer), kept.join(","));
    }
  });

  it("keep it beside edited ones, whose other numbers stay exact too", () => {
    const call = '{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\\"n\\":1.0}"}}], "big":12345678901234567890}';
    const result = `{"role":"tool","tool_call_id":"c1", "content":${JSON.stringify(prose(300))}}`;
    const answer = projectJson(`[${odd[0]},${call},${result},${odd[1]}]`, { maxRecentToolResults: 0 });
    const texts = itemsText(answer);
    assert.ok(texts.startsWith(`${odd[0]},${call},`), texts);
    assert.ok(texts.endsWith(`,${odd[1]}`), texts);
    assert.deepEqual(JSON.parse(texts.slice(`${odd[0]},${call},`.length, -`,${odd[1]}`.length)), { role: "tool", tool_call_id: "c1", content: "[tool result cleared: read(c1)]" });
  });

  it("keep it when a summary is put before them", () => {
    const answer = projectJson(`[${odd.join(",")}]`, {}, { summary: "Before.", dialect: "openai-chat" });
    assert.ok(itemsText(answer).endsWith(`,${odd.join(",")}`));
    assert.equal(JSON.parse(answer).items.length, odd.length + 1);
  });

  it("keep it in what JSON.stringify wrote of the sample", () => {
    const whole = JSON.parse(sample).map((/** @type {object} */ item) => JSON.stringify(item, null, 2));
    assert.equal(itemsText(projectJson(`[${whole.join(",\n")}]`)), whole.join(","));
  });
});

describe("budget and options", () => {
  const budget = { maxItems: 30, maxRecentToolResults: 4, keepTools: ["apply_patch"], lowWater: 0.6 };
  /** @type {Options} */
  const options = { dialect: "openai-responses", summary: "The clock is \"mended\".\n", calibration: { overheadTokens: 10, ratio: 1.5 }, store: false };

  it("are objects or their JSON text", () => {
    const expected = projectJson(sample, budget, options);
    assert.equal(projectJson(sample, JSON.stringify(budget), options), expected);
    assert.equal(projectJson(sample, budget, JSON.stringify(options, null, 2)), expected);
    assert.equal(projectJson(sample, ` ${JSON.stringify(budget)}\n`, JSON.stringify(options)), expected);
    assert.notEqual(projectJson(sample), expected);
  });

  it("may be left out", () => {
    const expected = projectJson(sample);
    for (const answer of [projectJson(sample, undefined), projectJson(sample, {}), projectJson(sample, "{}"), projectJson(sample, undefined, "{}"), projectJson(sample, "{}", {})]) {
      assert.equal(answer, expected);
    }
  });

  it("countTokens counts here too", () => {
    const countTokens = (/** @type {string} */ text) => text.length;
    const { report } = JSON.parse(projectJson(sample, { maxTokens: 40_000 }, { countTokens }));
    const direct = project(JSON.parse(sample), { maxTokens: 40_000 }, { countTokens }).report;
    assert.equal(report.sourceTokens, direct.sourceTokens);
    assert.deepEqual(report, JSON.parse(JSON.stringify(direct)));
    assert.equal(report.tokenLimitApplied, true);
  });
});

/** @type {{ budget: Budget, options?: Options }[]} */
const settings = [
  { budget: {} },
  { budget: { maxItems: 9, lowWater: 0.6 } },
  { budget: { maxItems: 40, maxRecentToolResults: 5, lowWater: 0.6 }, options: { summary: "Before." } },
  { budget: { maxApproxChars: 20_000, maxToolResultChars: 700, maxToolInputChars: 90 } },
  { budget: { maxTokens: 9_000, overheadTokens: 1_000, lowWater: 0.8, trimOldReasoning: true, maxRecentImages: 1 }, options: { store: false } },
  { budget: { maxRecentToolResults: 0, clearToolInputs: true }, options: { pending: "close" } },
  { budget: { maxItems: 20, maxRecentToolResults: 1 }, options: { projector: "default" } },
  { budget: { maxItems: 25 }, options: { strictRoles: true } },
];

/** What both give, as one text. @param {string} text @param {Budget} budget @param {Options} [options] */
function assertSame(text, budget, options) {
  const direct = JSON.stringify(project(JSON.parse(text), budget, options));
  assert.equal(JSON.stringify(JSON.parse(projectJson(text, budget, options))), direct, `${JSON.stringify(budget)} ${JSON.stringify(options)}`);
}

describe("projectJson equals project", () => {
  it("on the sample", () => {
    for (const { budget, options } of settings) assertSame(sample, budget, options);
  });

  for (const dialect of dialects) {
    it(`on a session of ${dialect}`, () => {
      const b = builders[dialect];
      const items = [b.user("Read."), ...Array.from({ length: 12 }, (_, index) => [...b.exchange(`c${index}`, "read", { text: prose(150) }, prose(900)), b.assistant("Ü – 好 😀")]).flat(), b.call("open", "read", {})];
      for (const { budget, options } of settings) assertSame(JSON.stringify(items), budget, { dialect, ...options });
    });
  }

  const files = corpusFiles();
  it("on every transcript of the corpus", { skip: files.length === 0 ? "there is no corpus" : false }, (context) => {
    let compared = 0;
    for (const file of files) {
      const text = readFileSync(file, "utf8");
      for (const { budget, options } of settings) {
        try {
          assertSame(text, budget, options);
        } catch (error) {
          throw new Error(`${basename(file)}: ${String(error).slice(0, 1_000)}`, { cause: error });
        }
        compared += 1;
      }
    }
    context.diagnostic(`${compared} projections of ${files.length} transcripts compared`);
    assert.equal(compared, files.length * settings.length);
  });
});
