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
    assert.ok(error instanceof Error);
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
