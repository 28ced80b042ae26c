// Memory: items in the dialect of the history, compressors that take their time, and what is refused.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { builders } from "./builders.mjs";
import { pkg } from "./load.mjs";

/** @typedef {import("./builders.mjs").Item} Item */
/** @typedef {import("../../src/js/types.d.ts").Dialect} Dialect */
/** @typedef {import("../../src/js/types.d.ts").MemorySnapshot} Snapshot */

const dialects = /** @type {Dialect[]} */ (Object.keys(builders));
const later = () => new Promise((resolve) => setImmediate(resolve));

describe("InMemoryAgentMemory", () => {
  for (const dialect of dialects) {
    const made = builders[dialect];
    it(`takes texts and outputs in the form of ${dialect}`, () => {
      const memory = new pkg.InMemoryAgentMemory({ dialect });
      memory.addUserInput("hello");
      memory.addOutputItems([made.call("call_1", "look", { at: 1 })]);
      memory.addToolOutput(dialect === "gemini" ? "call_1" : "call_1", { celsius: 21 });
      const items = /** @type {Item[]} */ (memory.getItems());
      const strip = (/** @type {unknown} */ value) => JSON.parse(JSON.stringify(value, (key, inner) => (key === "id" && dialect === "ai-sdk-ui" ? undefined : inner)));
      assert.deepEqual(strip(items[0]), strip(made.user("hello")));
      assert.ok(JSON.stringify(items.at(-1)).includes("21"));
      assert.deepEqual(pkg.validate(items, { dialect }), []);
      const { report } = pkg.project(items, {}, { dialect });
      assert.deepEqual([report.pendingCallIds, report.notes], [[], []]);
    });

    it(`gives leading system items, the summary, then the rest in ${dialect}`, () => {
      const memory = new pkg.InMemoryAgentMemory({ dialect });
      const system = made.system?.("rules");
      if (system) memory.addOutputItems([system]);
      memory.addOutputItems([made.user("now")]);
      memory.setSummary("what was before");
      const items = /** @type {Item[]} */ (memory.getItems());
      const place = system ? 1 : 0;
      assert.ok(JSON.stringify(items[place]).includes("what was before"));
      assert.equal(items.length, place + 2);
      // Known by its first line: in front of the source it opens no turn and is not a source item twice.
      const { items: sent } = pkg.project(items, { maxItems: place + 2 }, { dialect });
      assert.deepEqual(sent, items);
      assert.equal(memory.getSummary(), "what was before");
      memory.setSummary(null);
      assert.equal(memory.getItems().length, place + 1);
    });
  }

  it("keeps the very objects, and hands out copies of the list", () => {
    const item = { role: "user", content: "x" };
    const memory = new pkg.InMemoryAgentMemory();
    memory.addOutputItems([item]);
    const { items } = memory.snapshot();
    assert.equal(items[0], item);
    items.push(item);
    memory.getItems().push(item);
    assert.equal(memory.snapshot().items.length, 1);
  });

  it("writes a plain message where no dialect is known, and follows the history's where one is", () => {
    const memory = new pkg.InMemoryAgentMemory();
    memory.addUserInput("x");
    assert.deepEqual(memory.getItems(), [{ role: "user", content: "x" }]);
    memory.addOutputItems([builders.gemini.assistant("y")]);
    memory.addUserInput("z");
    assert.deepEqual(memory.getItems()[2], { role: "user", parts: [{ text: "z" }] });
  });

  it("replaces a UIMessage that comes again", () => {
    const memory = new pkg.InMemoryAgentMemory({ dialect: "ai-sdk-ui" });
    const first = { id: "m1", role: "assistant", parts: [{ type: "text", text: "on" }] };
    const second = { ...first, parts: [{ type: "text", text: "one" }] };
    memory.addOutputItems([{ id: "u1", role: "user", parts: [] }, first]);
    memory.addOutputItems([second]);
    assert.deepEqual(memory.getItems().slice(1), [second]);
  });

  it("answers to strings, nothing, cycles and unknown calls", () => {
    const { call } = builders["openai-responses"];
    const memory = new pkg.InMemoryAgentMemory();
    memory.addOutputItems([call("a", "look", {}), call("b", "look", {})]);
    memory.addToolOutput("a", "as it is");
    memory.addToolOutput("b", undefined);
    assert.deepEqual(memory.getItems().slice(2).map((item) => /** @type {Item} */ (item).output), ["as it is", "(no output)"]);
    /** @type {Record<string, unknown>} */
    const cycle = {};
    cycle.self = cycle;
    assert.throws(() => memory.addToolOutput("a", cycle), { code: "invalid_item", path: "output" });
    assert.throws(() => memory.addToolOutput("nobody", 1), { code: "unknown_call", path: "callId" });
    assert.throws(() => memory.addToolOutput(/** @type {any} */ (1), 1), { code: "invalid_option", path: "callId" });
    memory.addOutputItems([{ type: "computer_call", call_id: "c", id: "cu_c", action: { type: "screenshot" }, status: "completed", pending_safety_checks: [] }]);
    assert.throws(() => memory.addToolOutput("c", "x"), { code: "invalid_item", path: "output" });
    assert.equal(memory.getItems().length, 5, "nothing is half done");
  });

  it("refuses what is wrong, with its place", () => {
    const { InMemoryAgentMemory } = pkg;
    const wrong = /** @type {any} */ (InMemoryAgentMemory);
    assert.throws(() => new wrong({ dialect: "cobol" }), { code: "invalid_option", path: "options.dialect" });
    assert.throws(() => new wrong({ compressor: {} }), { code: "invalid_option", path: "options.compressor" });
    const memory = new InMemoryAgentMemory();
    memory.addUserInput("x");
    const before = memory.snapshot();
    for (const [call, path] of /** @type {[() => void, string][]} */ ([
      [() => memory.addOutputItems(/** @type {any} */ ("x")), "items"],
      [() => memory.addOutputItems([{ role: "user" }, /** @type {any} */ (null)]), "items[1]"],
      [() => memory.restore(/** @type {any} */ (null)), "snapshot"],
      [() => memory.restore(/** @type {any} */ ({ items: {} })), "snapshot.items"],
      [() => memory.restore(/** @type {any} */ ({ items: [1] })), "snapshot.items[0]"],
      [() => memory.restore(/** @type {any} */ ({ items: [], summary: 1 })), "snapshot.summary"],
      [() => memory.setSummary(/** @type {any} */ (1)), "summary"],
    ])) {
      assert.throws(call, (/** @type {any} */ error) => error.name === "ContextProjectorError" && error.path === path, path);
      assert.deepEqual(memory.snapshot(), before);
    }
    memory.clear();
    assert.deepEqual(memory.snapshot(), { items: [], summary: null });
  });
});

describe("compressors", () => {
  it("keep the newest items between steps", () => {
    const { user, exchange } = builders["openai-chat"];
    const compressor = new pkg.WindowedMemoryCompressor(5);
    const memory = new pkg.InMemoryAgentMemory({ compressor });
    for (let n = 0; n < 20; n += 1) memory.addOutputItems([user(`q${n}`), ...exchange(`c${n}`, "look", {}, "x")]);
    const items = /** @type {Item[]} */ (memory.getItems());
    assert.deepEqual(items.map(({ role }) => role), ["assistant", "tool", "user", "assistant", "tool"]);
    for (const wrong of [0, 1.5, -1, NaN, "5"]) assert.throws(() => new pkg.WindowedMemoryCompressor(/** @type {any} */ (wrong)), { code: "invalid_option", path: "maxItems" });
  });

  it("may take their time: items added meanwhile follow in order", async () => {
    let running = 0;
    let most = 0;
    const memory = new pkg.InMemoryAgentMemory({
      compressor: {
        async compress({ items, summary }) {
          running += 1;
          most = Math.max(most, running);
          await later();
          await later();
          running -= 1;
          return { items: items.slice(-2), summary: `${summary ?? ""}+${items.length - Math.min(2, items.length)}` };
        },
      },
    });
    const texts = [];
    for (let n = 0; n < 30; n += 1) {
      texts.push(`m${n}`);
      memory.addUserInput(`m${n}`);
      if (n % 3 === 0) await later();
    }
    await memory.settled();
    const { items, summary } = memory.snapshot();
    assert.deepEqual(items.map((item) => /** @type {Item} */ (item).content), texts.slice(-2));
    const counted = (summary ?? "").split("+").filter(Boolean).reduce((sum, text) => sum + Number(text), 0);
    assert.equal(counted + items.length, 30, "each item once: kept or counted");
    assert.equal(most, 1, "one at a time");
  });

  it("answer for nothing once memory was replaced", async () => {
    const memory = new pkg.InMemoryAgentMemory({ compressor: { compress: async () => (await later(), { items: [], summary: "of another" }) } });
    memory.addUserInput("x");
    memory.restore({ items: [{ role: "user", content: "new" }], summary: null });
    await memory.settled();
    assert.deepEqual(memory.snapshot(), { items: [{ role: "user", content: "new" }], summary: null });
  });

  it("may fail: memory stays, and settled() says so once", async () => {
    for (const compress of /** @type {any[]} */ ([
      () => {
        throw new Error("mine");
      },
      () => Promise.reject(new Error("mine")),
    ])) {
      const memory = new pkg.InMemoryAgentMemory({ compressor: { compress } });
      memory.addUserInput("x");
      await assert.rejects(memory.settled(), { message: "mine" });
      await memory.settled();
      assert.equal(memory.snapshot().items.length, 1);
    }
    for (const answer of [null, {}, { items: [1] }, { items: [], summary: 1 }]) {
      const memory = new pkg.InMemoryAgentMemory({ compressor: { compress: () => /** @type {any} */ (answer) } });
      memory.addUserInput("x");
      await assert.rejects(memory.settled(), { name: "ContextProjectorError" });
      assert.equal(memory.snapshot().items.length, 1);
    }
  });

  it("may call the memory from inside", async () => {
    /** @type {import("../../src/js/types.d.ts").InMemoryAgentMemory} */
    let memory;
    let calls = 0;
    const compressor = {
      compress(/** @type {Snapshot} */ { items, summary }) {
        calls += 1;
        if (calls === 1) memory.addUserInput("from inside");
        return { items, summary };
      },
    };
    memory = new pkg.InMemoryAgentMemory({ compressor: /** @type {any} */ (compressor) });
    memory.addUserInput("x");
    await memory.settled();
    assert.deepEqual(memory.getItems().map((item) => /** @type {Item} */ (item).content), ["x", "from inside"]);
  });

  it("of a policy keep its newest result", async () => {
    const policy = new pkg.LlmCompactPolicy(() => '{"goal":"g","completed":["much"]}', { maxItems: 10 });
    const compressor = new pkg.CompactPolicyMemoryCompressor(policy);
    const memory = new pkg.InMemoryAgentMemory({ compressor });
    assert.equal(compressor.getLastResult(), null);
    for (let n = 0; n < 12; n += 1) memory.addUserInput(`message ${n} ${"x".repeat(60)}`);
    await memory.settled();
    assert.equal(compressor.getLastResult()?.status, "compacted");
    assert.ok(memory.snapshot().items.length <= 10);
    assert.throws(() => new pkg.CompactPolicyMemoryCompressor(/** @type {any} */ ({})), { code: "invalid_option", path: "policy" });
  });
});

describe("plans", () => {
  const items = Array.from({ length: 30 }, (_, n) => ({ role: n % 2 === 0 ? "user" : "assistant", content: `message ${n} ${"x".repeat(80)}` }));

  it("are plain JSON, and can be gone on with elsewhere", () => {
    const sent = (/** @type {any} */ value) => JSON.parse(JSON.stringify(value));
    const plan = sent(pkg.planCompaction({ items, summary: null }, { maxItems: 10 }));
    assert.deepEqual([plan.status, plan.call, plan.calls], ["ready", 1, 1]);
    const answered = sent(pkg.continueCompaction(plan, '{"goal":"g"}'));
    assert.equal(answered.status, "answered");
    const grown = [...items, { role: "user", content: "more" }];
    const result = pkg.commitCompaction({ items: grown, summary: null }, answered);
    assert.equal(result.status, "compacted");
    assert.equal(result.memory.items.at(-1), grown.at(-1));
    assert.equal(result.contextReport.sourceItemCount, 31);
    assert.equal(plan.status, "ready", "a plan is not changed");
  });

  it("are stale where memory is another one", () => {
    const answered = pkg.continueCompaction(pkg.planCompaction({ items, summary: null }, { maxItems: 10 }), '{"goal":"g"}');
    const others = /** @type {import("../../src/js/types.d.ts").MemorySnapshot[]} */ ([
      { items: items.slice(1), summary: null },
      { items: items.map((item, n) => (n === 3 ? { ...item, content: "changed" } : item)), summary: null },
      { items, summary: "another" },
      { items: [], summary: null },
    ]);
    for (const snapshot of others) {
      const result = pkg.commitCompaction(snapshot, answered);
      assert.equal(result.status, "stale");
      assert.deepEqual(result.memory, snapshot);
    }
    const result = pkg.commitCompaction({ items: structuredClone(items), summary: null }, answered);
    assert.equal(result.status, "compacted", "what stands there counts, not whose objects it is");
  });

  it("refuse what is none, with its place", () => {
    const { commitCompaction, continueCompaction, planCompaction } = /** @type {any} */ (pkg);
    const ready = planCompaction({ items, summary: null }, { maxItems: 10 });
    const answered = continueCompaction(ready, '{"goal":"g"}');
    for (const [call, code, path] of /** @type {[() => void, string, RegExp][]} */ ([
      [() => planCompaction(null, {}), "invalid_option", /^snapshot$/],
      [() => planCompaction({ items: [1], summary: null }, {}), "invalid_item", /^items\[0\]$/],
      [() => planCompaction({ items, summary: null }, { maxItems: 0 }), "invalid_option", /^options\.maxItems$/],
      [() => planCompaction({ items, summary: null }, { maxItmes: 5 }), "invalid_option", /^options\.maxItmes$/],
      [() => planCompaction({ items, summary: null }, { fileTools: { x: "eat" } }), "invalid_option", /^options\.fileTools\.x$/],
      [() => planCompaction({ items, summary: null }, {}, 5), "invalid_option", /^previous$/],
      [() => planCompaction({ items, summary: null }, {}, { pending: [1] }), "invalid_option", /^previous\.pending$/],
      [() => continueCompaction({}, "x"), "invalid_option", /^plan$/],
      [() => continueCompaction("x", "x"), "invalid_option", /^plan$/],
      [() => continueCompaction({ ...ready, form: 2 }, "x"), "invalid_option", /^plan$/],
      [() => continueCompaction({ form: 1 }, "x"), "invalid_option", /^plan$/],
      [() => continueCompaction(answered, "x"), "invalid_option", /^plan\.status$/],
      [() => continueCompaction(ready, 5), "invalid_option", /^answer$/],
      [() => continueCompaction(ready, { text: 5 }), "invalid_option", /^answer\.text$/],
      [() => commitCompaction({ items, summary: null }, ready), "invalid_option", /^plan\.status$/],
    ])) {
      assert.throws(call, (/** @type {any} */ error) => error.code === code && path.test(error.path), String(path));
    }
    assert.throws(() => new pkg.LlmCompactPolicy(/** @type {any} */ (null), {}), { code: "invalid_option", path: "model" });
    assert.throws(() => new pkg.StructuredSummaryCompactPolicy({ maxItems: 0 }), { code: "invalid_budget", path: "budget.maxItems" });
  });

  it("can be stopped before and while the model thinks", async () => {
    const policy = new pkg.LlmCompactPolicy(({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))), { maxItems: 10 });
    const before = await policy.compact({ items, summary: null }, { signal: AbortSignal.abort(new Error("never begun")) });
    assert.deepEqual([before.status, before.attempts.at(-1)?.message], ["cancelled", "never begun"]);
    const control = new AbortController();
    const running = policy.compact({ items, summary: null }, { signal: control.signal });
    await later();
    control.abort(new Error("enough"));
    const result = await running;
    assert.deepEqual([result.status, result.attempts.at(-1)?.message], ["cancelled", "enough"]);
    assert.deepEqual(result.memory.items, items);
  });

  it("may be made inside the model's call", async () => {
    const policy = new pkg.LlmCompactPolicy(async () => {
      const inner = await new pkg.LlmCompactPolicy(() => '{"goal":"inner"}', { maxItems: 10 }).compact({ items, summary: null });
      return JSON.stringify({ goal: `outer of ${inner.goal}` });
    }, { maxItems: 10 });
    assert.equal((await policy.compact({ items, summary: null })).goal, "outer of inner");
  });
});
