// Bad input: a clear error with a code and the path, nothing changed, and the next call works. Runs on the release and on
// the debug build.

import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { pkg } from "./load.mjs";

const user = { role: "user", content: "hi" };
const good = [user, { role: "assistant", content: "hello" }];
const answer = JSON.stringify(pkg.project(good, { maxItems: 1 }));

// Whatever went wrong: the next call works, and gives what it gave.
afterEach(() => assert.equal(JSON.stringify(pkg.project(good, { maxItems: 1 })), answer));

/**
 * @param {() => unknown} call
 * @param {string} code
 * @param {string | RegExp} path
 */
function refuses(call, code, path) {
  assert.throws(call, (/** @type {any} */ error) => {
    assert.ok(/** @type {unknown} */ (error) instanceof Error);
    assert.equal(error.name, "ContextProjectorError");
    assert.equal(error.code, code, error.message);
    if (typeof path === "string") assert.equal(error.path, path);
    else assert.match(error.path, path);
    assert.ok(error.message.length > error.path.length, "there is a sentence");
    return true;
  });
}

/** @param {number} levels the item itself is the first */
function nested(levels) {
  /** @type {object} */
  let value = {};
  for (let level = 1; level < levels; level += 1) value = { a: value };
  return value;
}

describe("a budget", () => {
  const whole = ["maxItems", "maxApproxChars", "maxTokens", "maxToolResultChars", "maxToolInputChars"];
  const orZero = ["overheadTokens", "pinnedPrefixItems", "maxRecentToolResults", "maxRecentImages"];
  const flags = ["clearToolInputs", "trimOldReasoning"];
  const notNumbers = [-1, 1.5, NaN, Infinity, "5", {}, [], true, () => 1, Symbol("x"), 10n];
  /** @type {[string, unknown[]][]} */
  const wrong = [
    ...whole.map((field) => /** @type {[string, unknown[]]} */ ([field, [0, ...notNumbers]])),
    ...orZero.map((field) => /** @type {[string, unknown[]]} */ ([field, notNumbers])),
    ...flags.map((field) => /** @type {[string, unknown[]]} */ ([field, [0, 1, "true", {}, NaN]])),
    ["lowWater", [0, -1, 1.5, NaN, "0.5", {}, true]],
    ["keepTools", ["read", [1], {}, 0, NaN]],
  ];
  for (const [field, values] of wrong) {
    it(`names ${field}`, () => {
      for (const value of values) {
        refuses(() => pkg.project(good, { [field]: value }), "invalid_budget", `budget.${field}`);
        refuses(() => new pkg.TypeAwareContextProjector().project(good, { [field]: value }), "invalid_budget", `budget.${field}`);
      }
    });
  }

  it("refuses fields that are none, and things that are no object", () => {
    refuses(() => pkg.project(good, /** @type {any} */ ({ maxItem: 5 })), "invalid_budget", "budget.maxItem");
    for (const budget of [[1], 5, true, () => 1]) {
      refuses(() => pkg.project(good, /** @type {any} */ (budget)), "invalid_budget", "budget");
    }
    refuses(() => pkg.projectJson("[]", "{oops"), "invalid_budget", "budget");
  });

  it("takes undefined and null for absent", () => {
    const none = /** @type {any} */ ({ maxItems: undefined, maxTokens: null });
    assert.equal(pkg.project(good, none).items.length, 2);
    assert.equal(pkg.project(good, undefined, undefined).items.length, 2);
  });
});

describe("options", () => {
  /** @type {[string, unknown[]][]} */
  const wrong = [
    ["projector", ["typeaware", 1, {}]],
    ["dialect", ["openai", 1, {}]],
    ["summary", [1, {}, true]],
    ["summaryRole", ["assistant", 1]],
    ["pending", ["open", true]],
    ["countTokens", ["x", 1, {}]],
    ["imageTokens", [-1, 1.5, NaN, "x"]],
    ["calibration", [1, "x", { ratio: 1 }, { overheadTokens: 1 }, { overheadTokens: 1, ratio: 0 }]],
    ["store", ["false", 0]],
    ["chained", [1]],
    ["strictRoles", ["yes"]],
  ];
  for (const [field, values] of wrong) {
    it(`names ${field}`, () => {
      for (const value of values) {
        const path = new RegExp(`^options\\.${field}`);
        refuses(() => pkg.project(good, {}, /** @type {any} */ ({ [field]: value })), "invalid_option", path);
      }
    });
  }

  it("passes an error of the host's counter through, and names a counter that does not count", () => {
    const mine = new TypeError("mine");
    const countTokens = () => {
      throw mine;
    };
    assert.throws(() => pkg.project(good, {}, { countTokens }), (error) => error === mine);
    assert.throws(() => pkg.projectJson(JSON.stringify(good), {}, { countTokens }), (error) => error === mine);
    for (const count of [NaN, -1, "x", undefined, Infinity]) {
      const options = /** @type {any} */ ({ countTokens: () => count });
      refuses(() => pkg.project(good, {}, options), "invalid_option", "options.countTokens");
    }
  });

  it("lets the counter call back in", () => {
    const countTokens = () => pkg.project(good).items.length;
    assert.equal(pkg.project(good, {}, { countTokens }).report.sourceTokens, 2 * (2 + 4));
  });
});

describe("items", () => {
  it("must be an array of objects", () => {
    for (const items of [null, undefined, "x", 5, {}, () => 1, new Set([user])]) {
      refuses(() => pkg.project(/** @type {any} */ (items)), "invalid_item", "items");
      refuses(() => pkg.validate(/** @type {any} */ (items)), "invalid_item", "items");
    }
    for (const item of [null, undefined, "x", 5, [user], () => 1, true]) {
      const items = /** @type {any} */ ([user, item]);
      refuses(() => pkg.project(items), "invalid_item", "items[1]");
      assert.equal(items[1], item);
    }
  });

  it("must have a form in JSON", () => {
    /** @type {any} */
    const cyclic = { role: "user", content: [{}] };
    cyclic.content[0].self = cyclic;
    for (const value of [cyclic, { a: 1n }, { a: () => 1 }, { a: Symbol("x") }, { a: new Blob(["x"]) }]) {
      const before = [user, value];
      refuses(() => pkg.project(before), "invalid_item", /^items\[1\]\./);
      assert.equal(before.length, 2);
    }
  });

  it("may nest 500 levels, and no more", () => {
    assert.equal(pkg.project([user, nested(500)]).items.length, 2);
    for (const levels of [501, 10_000]) {
      refuses(() => pkg.project([user, nested(levels)]), "invalid_item", /^items\[1\]/);
    }
    const text = (/** @type {number} */ levels) => `[${"[".repeat(levels)}${"]".repeat(levels)}]`;
    for (const levels of [601, 100_000]) refuses(() => pkg.projectJson(text(levels)), "invalid_item", "items");
    refuses(() => pkg.projectJson(`[{"a":${text(500).slice(1, -1)}}]`), "invalid_item", "items[0]");
  });

  it("may hold 50 MB of text", () => {
    const large = [user, { role: "assistant", content: "y".repeat(50_000_000) }];
    const { items, report } = pkg.project(large, { maxApproxChars: 1_000 });
    assert.equal(items[1], large[1]);
    assert.equal(report.overBudget, true);
  });

  it("as text must be a JSON array of objects", () => {
    for (const text of ["", "{}", "[", "[{]", "null"]) refuses(() => pkg.projectJson(text), "invalid_item", "items");
    refuses(() => pkg.projectJson("[{},1]"), "invalid_item", "items[1]");
    refuses(() => pkg.projectJson(/** @type {any} */ (5)), "invalid_item", "items");
  });
});

/** A history with an exchange of tools. @returns {{ [key: string]: any }[]} */
const session = () => [
  { role: "user", content: "How warm is it in Bergen and in Turku?" },
  { role: "assistant", content: null, tool_calls: ["c1", "c2"].map((id) => ({ id, type: "function", function: { name: "weather", arguments: "{}" } })) },
  { role: "tool", tool_call_id: "c1", content: "Eleven degrees, and rain from the west until evening; wind force five." },
  { role: "tool", tool_call_id: "c2", content: "Nine degrees and dry, with a little fog over the river at sunrise." },
  { role: "assistant", content: "Eleven in Bergen, nine in Turku." },
];
const limits = { maxItems: 5, maxRecentToolResults: 1 };
const settled = JSON.stringify(pkg.project(session(), limits));

describe("a failing call", () => {
  it("changes nothing, and spoils nothing that is remembered of the history", () => {
    const items = session();
    const objects = items.slice();
    assert.equal(JSON.stringify(pkg.project(items, limits)), settled);
    refuses(() => pkg.project(items, { ...limits, lowWater: 2 }), "invalid_budget", "budget.lowWater");
    refuses(() => pkg.project(items, limits, { imageTokens: -1 }), "invalid_option", "options.imageTokens");
    items.push({ role: "user", content: 5n });
    refuses(() => pkg.project(items, limits), "invalid_item", "items[5].content");
    items[5] = { role: "user", content: "Five." };
    assert.deepEqual(pkg.project(items, limits), pkg.project([...session(), { role: "user", content: "Five." }], limits));
    items.pop();
    assert.deepEqual(items, session());
    items.forEach((item, index) => assert.equal(item, objects[index]));
    assert.equal(JSON.stringify(pkg.project(items, limits)), settled);
  });

  it("names the culprit exactly", () => {
    const item = { role: "user", content: [{ type: "text", text: "one" }, { type: "text", text: "two", size: 5n }] };
    refuses(() => pkg.project([user, item]), "invalid_item", "items[1].content[1].size");
    refuses(() => pkg.project(Object.assign(Array(3), { 0: user, 2: user })), "invalid_item", "items[1]");
  });

  it("is an error that a caller can print", () => {
    for (const run of [() => pkg.project(good, { maxItems: 0 }), () => pkg.project(/** @type {any} */ ([null])), () => pkg.projectJson("[".repeat(100_000))]) {
      assert.throws(run, (error) => /^ContextProjectorError: .{5,300}$/.test(String(error)));
    }
  });
});

describe("bad values in odd places", () => {
  it("refuses the entry of keepTools that is no name", () => {
    for (const entry of [7, null, {}, undefined]) {
      refuses(() => pkg.project(good, { keepTools: ["read", /** @type {any} */ (entry)] }), "invalid_budget", /^budget\.keepTools/);
    }
  });

  it("refuses fields that every object has by birth, where they are given", () => {
    for (const field of ["", "toString", "__proto__", "constructor"]) {
      const given = Object.defineProperty({}, field, { value: 5, enumerable: true });
      refuses(() => pkg.project(good, given), "invalid_budget", `budget.${field}`);
    }
  });

  it("takes the least value that each field allows", () => {
    const least = {
      maxItems: 1, maxApproxChars: 1, maxTokens: 1, overheadTokens: 0, pinnedPrefixItems: 0, maxRecentToolResults: 0, keepTools: [],
      clearToolInputs: false, maxToolResultChars: 1, maxToolInputChars: 1, maxRecentImages: 0, trimOldReasoning: false, lowWater: Number.MIN_VALUE,
    };
    for (const [field, value] of Object.entries(least)) assert.equal(pkg.project(session(), { [field]: value }).report.sourceItemCount, 5, field);
  });

  it("refuses the same in the projectors' options and in projectJson", () => {
    const wrong = { dialect: "openai", summary: 5, summaryRole: "assistant", pending: "open", countTokens: 5, imageTokens: NaN, calibration: 5, store: 0, chained: 1, strictRoles: "no" };
    for (const [field, value] of Object.entries(wrong)) {
      const options = /** @type {any} */ ({ [field]: value });
      for (const Projector of [pkg.DefaultContextProjector, pkg.TypeAwareContextProjector]) {
        refuses(() => new Projector(options).project(good), "invalid_option", `options.${field}`);
      }
      refuses(() => pkg.projectJson("[]", {}, options), "invalid_option", `options.${field}`);
    }
    refuses(() => pkg.project(good, {}, /** @type {any} */ ({ reasoningContentRequired: "yes" })), "invalid_option", "options.reasoningContentRequired");
  });

  it("refuses a value without a form in JSON wherever it stands, in every projector", () => {
    /** @type {any[]} */
    const ring = [];
    ring.push([ring]);
    /** @type {any} */
    let lists = [];
    for (let level = 1; level < 10_000; level += 1) lists = [lists];
    class Part {}
    const values = [ring, 5n, Part, Symbol("x"), new Blob(["x"]), lists, nested(500)];
    for (const value of values) {
      for (const item of [{ role: "user", content: value }, { type: "function_call", call_id: "c", name: "n", arguments: value }, { type: "unheard_of", it: { value } }]) {
        refuses(() => pkg.project([user, item, user]), "invalid_item", /^items\[1\]/);
        refuses(() => new pkg.DefaultContextProjector().project([user, item, user]), "invalid_item", /^items\[1\]/);
      }
    }
  });

  it("takes one part in two places: that is no cycle", () => {
    const shared = { type: "text", text: "again" };
    const items = [{ role: "user", content: [shared, shared] }, { role: "assistant", content: [shared] }];
    assert.equal(pkg.project(items).items[0], items[0]);
  });

  it("passes on, unchanged, what getters and toJSON throw", () => {
    const mine = new RangeError("mine");
    const fails = () => {
      throw mine;
    };
    const getter = (/** @type {string} */ key) => Object.defineProperty({}, key, { enumerable: true, get: fails });
    for (const run of [
      () => pkg.project([{ role: "user", toJSON: fails }]),
      () => pkg.project([user, getter("content")]),
      () => pkg.project(good, getter("maxItems")),
      () => pkg.project(good, {}, getter("dialect")),
    ]) {
      assert.throws(run, (error) => error === mine);
    }
  });

  it("shortens a result of 50 MB", () => {
    const items = session();
    items[2] = { ...items[2], content: "0123456789".repeat(5_000_000) };
    const { items: out, report } = pkg.project(items, { maxToolResultChars: 1_000 });
    assert.ok(/** @type {any} */ (out[2]).content.length <= 1_000);
    assert.ok(report.projectedApproxChars < 5_000);
    assert.equal(items[2]?.content.length, 50_000_000);
  });
});

describe("text", () => {
  it("that is broken is refused, however it is broken", () => {
    for (const text of [" ", "[{}", "{", "[{}] x", "[{},]", "undefined", "[NaN]", "[{'a':1}]", '[{"a":"\u0001"}]', "\0", '["', "5", '"[]"', "true"]) {
      refuses(() => pkg.projectJson(text), "invalid_item", /^items/);
    }
    for (const brackets of ["[".repeat(100_000), '{"a":'.repeat(100_000), `[${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}]`]) {
      refuses(() => pkg.projectJson(brackets), "invalid_item", /^items/);
    }
  });

  it("may hold any number of brackets in its strings", () => {
    const item = JSON.stringify({ role: "user", content: `${"[".repeat(2_000)}\\"${"{".repeat(2_000)}` });
    assert.ok(pkg.projectJson(`[${item}]`).includes(item));
  });

  it("as budget or options is a JSON object with the same fields", () => {
    for (const given of ["{", "[]", "5", '"x"', "{maxItems:5}", "[".repeat(100_000), `{"maxItems":${"[".repeat(700)}${"]".repeat(700)}}`]) {
      refuses(() => pkg.projectJson("[]", given), "invalid_budget", /^budget/);
      refuses(() => pkg.projectJson("[]", {}, given), "invalid_option", /^options/);
    }
    refuses(() => pkg.projectJson("[]", '{"maxItems":0}'), "invalid_budget", "budget.maxItems");
    refuses(() => pkg.projectJson("[]", '{"maxItem":5}'), "invalid_budget", "budget.maxItem");
    refuses(() => pkg.projectJson("[]", {}, '{"dialect":"x"}'), "invalid_option", "options.dialect");
  });
});

describe("the host's counter", () => {
  it("may throw anything, early or late, and it arrives as it is", () => {
    for (const mine of [{ reason: "plain" }, "text", 5, null, undefined]) {
      for (const late of [1, 4]) {
        let calls = 0;
        const countTokens = (/** @type {string} */ text) => {
          calls += 1;
          if (calls === late) throw mine;
          return text.length;
        };
        const items = session();
        /** @type {unknown[]} */
        const caught = [];
        try {
          pkg.project(items, {}, { countTokens });
        } catch (error) {
          caught.push(error);
        }
        assert.equal(caught.length, 1);
        assert.ok(Object.is(caught[0], mine), String(caught[0]));
        // What was counted before stands, and the rest is counted now.
        const length = (/** @type {string} */ text) => text.length;
        assert.equal(pkg.project(items, {}, { countTokens }).report.sourceTokens, pkg.project(session(), {}, { countTokens: length }).report.sourceTokens);
      }
    }
  });

  it("may project the history that is being projected, and may fail at it", () => {
    const items = session();
    let inner = 0;
    const countTokens = (/** @type {string} */ text) => {
      inner += 1;
      assert.equal(JSON.stringify(pkg.project(items, limits)), settled);
      refuses(() => pkg.project(items, { maxItems: -1 }), "invalid_budget", "budget.maxItems");
      assert.equal(pkg.project(items, {}, { countTokens: () => 1 }).report.sourceTokens, items.length * 5);
      return text.length;
    };
    const outer = pkg.project(items, { maxTokens: 150 }, { countTokens });
    assert.equal(JSON.stringify(outer), JSON.stringify(pkg.project(session(), { maxTokens: 150 }, { countTokens: (text) => text.length })));
    assert.equal(inner, items.length);
  });

  it("may use the projector that calls it", () => {
    /** @type {import("../../src/js/types.d.ts").TypeAwareContextProjector} */
    let projector;
    let depth = 0;
    /** @type {unknown[]} */
    const totals = [];
    const countTokens = (/** @type {string} */ text) => {
      depth += 1;
      if (depth === 1) totals.push(projector.project(session()).report.sourceTokens);
      depth -= 1;
      return text.length;
    };
    projector = new pkg.TypeAwareContextProjector({ countTokens });
    totals.push(projector.project(session()).report.sourceTokens);
    assert.equal(totals.length, 6);
    assert.equal(new Set(totals).size, 1);
  });
});
