// Sessions: what is written, what follows from it, and what can be gone back to.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { builders } from "./builders.mjs";
import { pkg } from "./load.mjs";

/** @typedef {import("./builders.mjs").Item} Item */
/** @typedef {import("../../src/js/types.d.ts").SessionOptions} Options */
/** @typedef {import("../../src/js/types.d.ts").CompactPolicy} CompactPolicy */

const { AgentSession, LlmCompactPolicy } = pkg;
const { user, assistant, exchange, call } = builders["openai-responses"];
const later = () => new Promise((resolve) => setImmediate(resolve));
const GOOD = '{"goal":"g","completed":["much"],"pending":["more"]}';

let clock = 1_000;
/** @param {Options} [options] @returns {any} */
const begin = (options = {}) => new AgentSession({ sessionId: "s", now: () => (clock += 1), ...options });

/** @param {any} session @param {number} turns */
function live(session, turns, from = 0) {
  for (let n = from; n < from + turns; n += 1) {
    session.addUserInput(`question ${n} ${"x".repeat(80)}`);
    session.addOutputItems(exchange(`c${n}`, "look", { n }, `result ${n} ${"y".repeat(120)}`));
    session.addOutputItems([assistant(`answer ${n}`)]);
  }
}

/** What must agree between a session and one that was read again. @param {any} session */
const view = (session) => JSON.parse(JSON.stringify({ memory: session.getMemory().snapshot(), items: session.getMemory().getItems(), sent: session.project(), attributes: session.getAttributes(), calibration: session.getCalibration(), sequence: session.sequence }));

/** @param {any} session @param {Options} [options] */
function assertReplayable(session, options = {}) {
  const now = () => 1;
  const wanted = view(session);
  assert.deepEqual(view(AgentSession.restore(session.snapshot(), { ...options, now })), wanted, "restore(snapshot)");
  assert.deepEqual(view(AgentSession.restore(JSON.stringify(session.snapshot()), { ...options, now })), wanted, "restore(text)");
  assert.deepEqual(view(AgentSession.replay(session.getEvents(), { ...options, now })), wanted, "replay(events)");
}

describe("a session", () => {
  it("logs what happens, with ordinals", () => {
    const session = begin({ dialect: "openai-responses", budget: { maxItems: 40 }, attributes: { user: "u1" } });
    session.addUserInput("hello");
    session.addOutputItems([assistant("hi"), call("c1", "look", {})]);
    session.addToolOutput("c1", { ok: true });
    session.putAttribute("user", undefined);
    const events = session.getEvents();
    assert.deepEqual(events.map((/** @type {any} */ { type }) => type), ["SESSION_CREATED", "ATTRIBUTE_SET", "ITEMS_ADDED", "ITEMS_ADDED", "ITEMS_ADDED", "ATTRIBUTE_SET"]);
    assert.deepEqual(events.map((/** @type {any} */ { sequence }) => sequence), [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(events[0].payload, { sessionId: "s", settings: { dialect: "openai-responses", budget: { maxItems: 40 } } });
    assert.deepEqual([events[2].payload.ordinal, events[3].payload.ordinal, events[4].payload.ordinal], [0, 1, 3]);
    assert.deepEqual([session.length, session.sequence, session.sessionId], [4, 6, "s"]);
    assert.deepEqual(session.getAttributes(), {});
    assertReplayable(session);
  });

  it("keeps the host's own objects", async () => {
    const session = begin();
    const item = user("x");
    session.addUserInput(item);
    const { items } = await session.prepareTurn();
    assert.equal(items[0], item);
    assert.equal(session.getEvents()[1].payload.items[0], item);
  });

  it("gives an id of its own where none is given", () => {
    const { sessionId } = new AgentSession();
    assert.match(sessionId, /^[0-9a-f-]{32,36}$/);
  });

  it("prepares turns: compacts when it is time, then projects, and logs both", async () => {
    const policy = new LlmCompactPolicy(() => GOOD, { maxItems: 20 });
    const session = begin({ compactPolicy: policy, budget: { maxItems: 18 } });
    live(session, 3);
    const first = await session.prepareTurn();
    assert.equal(first.compaction, null);
    live(session, 3, 3);
    const second = await session.prepareTurn();
    assert.equal(second.compaction?.status, "compacted");
    assert.ok(second.summary?.includes("much"));
    assert.ok(session.length <= 11);
    const types = session.getEvents().map((/** @type {any} */ { type }) => type).filter((/** @type {string} */ type) => type !== "ITEMS_ADDED");
    assert.deepEqual(types, ["SESSION_CREATED", "MEMORY_COMPRESS", "COMPACTED", "MEMORY_COMPRESS", "MEMORY_COMPRESS"]);
    const told = session.getLastCompactResult();
    assert.equal(told?.status, "compacted");
    const again = AgentSession.restore(session.snapshot()).getLastCompactResult();
    assert.deepEqual(JSON.parse(JSON.stringify([again?.memory, again?.pending, again?.summary])), JSON.parse(JSON.stringify([told?.memory, told?.pending, told?.summary])));
    assert.equal(again?.contextReport.ledger.at(-1)?.to, told?.contextReport.ledger.at(-1)?.to);
    assertReplayable(session);
  });

  it("sends again what was sent then", async () => {
    const policy = new LlmCompactPolicy(() => GOOD, { maxItems: 14 });
    const session = begin({ compactPolicy: policy, budget: { maxItems: 12, maxRecentToolResults: 2, lowWater: 0.6 } });
    const sent = new Map();
    for (let n = 0; n < 20; n += 1) {
      live(session, 1, n);
      if (n === 7) session.reportUsage({ inputTokens: 4_000 });
      if (n === 12) session.reportOverflow({ maxTokens: 100_000 });
      const { items } = await session.prepareTurn();
      sent.set(session.sequence, JSON.stringify(items));
    }
    for (const [sequence, items] of sent) assert.equal(JSON.stringify(session.contextAt(sequence).items), items);
    const again = AgentSession.restore(session.snapshot());
    for (const [sequence, items] of sent) assert.equal(JSON.stringify(again.contextAt(sequence).items), items);
    for (const wrong of [0, -1, 1.5, session.sequence + 1, NaN, "1"]) assert.throws(() => session.contextAt(wrong), { code: "invalid_option", path: "sequence" });
  });

  it("recalls any result ever added, also by the id that was sent", async () => {
    const policy = new LlmCompactPolicy(() => GOOD, { maxItems: 10 });
    const session = begin({ compactPolicy: policy, dialect: "anthropic" });
    const made = builders.anthropic;
    for (let n = 0; n < 20; n += 1) {
      session.addUserInput(`q${n} ${"x".repeat(100)}`);
      session.addOutputItems(made.exchange(`a:${n}`, "look", { n }, `result ${n}`));
      await session.prepareTurn();
    }
    assert.ok(session.length < 20);
    for (let n = 0; n < 20; n += 1) assert.ok(JSON.stringify(session.recall(`a:${n}`)).includes(`"result ${n}"`));
    const { items } = session.project();
    const sent = items.flatMap((/** @type {any} */ { content }) => content).find((/** @type {any} */ { type }) => type === "tool_use").id;
    assert.ok(!sent.includes(":"), "the provider takes no colon");
    assert.ok(session.recall(sent) !== null, sent);
    assert.equal(session.recall("nobody"), null);
  });

  it("answers a call that was compacted away meanwhile", async () => {
    const session = begin({ dialect: "openai-responses" });
    session.addOutputItems([call("lost", "look", {})]);
    session.getMemory().restore({ items: [], summary: "what was" });
    session.addToolOutput("lost", "late");
    assert.deepEqual(session.getMemory().snapshot().items, [{ type: "function_call_output", call_id: "lost", output: "late" }]);
    assert.throws(() => session.addToolOutput("nobody", 1), { code: "unknown_call", path: "callId" });
  });

  it("goes back, compactions included, as if what was undone had never been", async () => {
    const policy = new LlmCompactPolicy(() => GOOD, { maxItems: 14 });
    const options = { compactPolicy: policy, budget: { maxItems: 12 } };
    const session = begin(options);
    const twin = begin(options);
    for (const each of [session, twin]) {
      live(each, 3);
      await each.prepareTurn();
    }
    const mark = session.sequence;
    live(session, 5, 3);
    session.putAttribute("a", 1);
    await session.prepareTurn();
    assert.notEqual(session.getLastCompactResult(), null);
    session.rewind(mark);
    assert.equal(session.getLastCompactResult(), null);
    const same = (/** @type {any} */ each) => ({ ...view(each), sequence: null });
    assert.deepEqual(same(session), same(twin));
    // The next ordinals are those of the state gone back to.
    for (const each of [session, twin]) {
      live(each, 4, 20);
      await each.prepareTurn();
    }
    assert.deepEqual(same(session), same(twin));
    session.rewind(session.sequence);
    session.rewind(1);
    assert.equal(session.length, 0);
    session.rewind(mark);
    assert.equal(session.length, 12);
    assertReplayable(session, options);
    assert.throws(() => session.rewind(0), { code: "invalid_option", path: "sequence" });
    assert.throws(() => session.rewind(session.sequence + 1), { code: "invalid_option", path: "sequence" });
  });

  it("prunes old events into a checkpoint", async () => {
    const policy = new LlmCompactPolicy(() => GOOD, { maxItems: 14 });
    const session = begin({ compactPolicy: policy, attributes: { a: [1] } });
    for (let n = 0; n < 8; n += 1) {
      live(session, 1, n);
      await session.prepareTurn();
    }
    const before = view(session);
    const at = session.sequence - 6;
    session.prune(at);
    assert.deepEqual(view(session), before);
    assert.equal(session.getEvents()[0].type, "CHECKPOINT");
    assert.equal(session.getEvents()[0].sequence, at - 1);
    assertReplayable(session);
    live(session, 3, 8);
    await session.prepareTurn();
    assertReplayable(session);
    assert.equal(session.recall("c0"), null);
    assert.throws(() => session.contextAt(2), { code: "invalid_option" });
    session.rewind(at);
    assert.throws(() => session.prune(at + 3), { code: "invalid_option", path: "sequence" });
  });

  it("replaces UI messages, and takes outputs into them", () => {
    const session = begin({ dialect: "ai-sdk-ui" });
    session.addUserInput("hi");
    const message = { id: "m", role: "assistant", parts: [{ type: "tool-look", toolCallId: "c", state: "input-available", input: {} }] };
    session.addOutputItems([message]);
    session.addToolOutput("c", { is: "sunny" });
    assert.equal(session.getEvents().at(-1).type, "ITEM_REPLACED");
    assert.equal(session.length, 2);
    const [, now] = session.getMemory().snapshot().items;
    assert.deepEqual(now.parts[0].output, { is: "sunny" });
    assert.equal(message.parts[0]?.state, "input-available", "the older version stays in the log");
    session.addOutputItems([{ ...message, parts: [...now.parts, { type: "text", text: "It is sunny." }] }]);
    assert.equal(session.length, 2);
    assertReplayable(session);
  });

  it("learns from reported usage", async () => {
    const session = begin({ budget: { maxTokens: 50_000 } });
    live(session, 30);
    await session.prepareTurn();
    const estimate = session.project().report.projectedTokens;
    session.reportUsage({ inputTokens: estimate + 3_000 });
    assert.deepEqual(session.getCalibration(), { overheadTokens: 3_000, ratio: 1 });
    assertReplayable(session);
    for (const wrong of [{}, { inputTokens: -1 }, { inputTokens: NaN }, null]) assert.throws(() => session.reportUsage(/** @type {any} */ (wrong)), { code: "invalid_option", path: "usage.inputTokens" });
  });

  it("cuts after an overflow where nothing compacts, and stays below from then on", async () => {
    const session = begin();
    live(session, 20);
    const before = (await session.prepareTurn()).report.projectedApproxChars;
    session.reportOverflow();
    const after = await session.prepareTurn();
    assert.ok(after.report.projectedApproxChars <= before * 0.7);
    assert.ok((await session.prepareTurn()).report.projectedApproxChars <= before * 0.7);
    assertReplayable(session);
  });

  it("compacts after an overflow, whatever the policy thinks, once", async () => {
    let calls = 0;
    const policy = new LlmCompactPolicy(() => ((calls += 1), GOOD), { maxItems: 1_000 });
    const session = begin({ compactPolicy: policy });
    live(session, 10);
    await session.prepareTurn();
    assert.equal(calls, 0);
    session.reportOverflow();
    assert.equal((await session.prepareTurn()).compaction?.status, "compacted");
    assert.equal((await session.prepareTurn()).compaction, null);
    assert.equal(calls, 1);
  });
});

describe("compaction in a session", () => {
  it("is shared by two turns at once", async () => {
    let calls = 0;
    const policy = new LlmCompactPolicy(async () => ((calls += 1), await later(), GOOD), { maxItems: 10 });
    const session = begin({ compactPolicy: policy });
    live(session, 6);
    const [one, two] = await Promise.all([session.prepareTurn(), session.prepareTurn()]);
    assert.equal(calls, 1);
    assert.equal(one.compaction, two.compaction);
  });

  it("goes on while one of two waits, and is aborted when nobody does", async () => {
    /** @type {AbortSignal[]} */
    const signals = [];
    const policy = new LlmCompactPolicy(({ signal }) => (signals.push(signal), new Promise((resolve, reject) => (signal.addEventListener("abort", () => reject(signal.reason)), setTimeout(() => resolve(GOOD), 30)))), { maxItems: 10 });
    const session = begin({ compactPolicy: policy });
    live(session, 6);
    const control = new AbortController();
    const alone = session.prepareTurn({ signal: control.signal });
    const other = session.prepareTurn();
    await later();
    control.abort(new Error("enough"));
    assert.equal((await alone).compaction?.status, "cancelled");
    assert.equal((await other).compaction?.status, "compacted");
    live(session, 6, 6);
    const last = new AbortController();
    const turn = session.prepareTurn({ signal: last.signal });
    await later();
    last.abort(new Error("all"));
    assert.equal((await turn).compaction?.status, "cancelled");
    await later();
    assert.equal(signals.at(-1)?.aborted, true);
    assert.ok(session.getEvents().slice(-2).some((/** @type {any} */ { type }) => type === "COMPACTION_FAILED"));
  });

  it("keeps what is added while the model thinks", async () => {
    /** @type {any} */
    let session;
    const policy = new LlmCompactPolicy(async () => {
      session.addUserInput("meanwhile");
      await later();
      session.addOutputItems([assistant("and more")]);
      return GOOD;
    }, { maxItems: 10 });
    session = begin({ compactPolicy: policy });
    live(session, 6);
    const { compaction } = await session.prepareTurn();
    assert.equal(compaction?.status, "compacted");
    const texts = JSON.stringify(session.getMemory().snapshot().items.slice(-2));
    assert.ok(texts.includes("meanwhile") && texts.includes("and more"));
    assertReplayable(session);
  });

  it("is stale where memory was replaced meanwhile", async () => {
    /** @type {any} */
    let session;
    const policy = new LlmCompactPolicy(async () => {
      session.rewind(3);
      await later();
      return GOOD;
    }, { maxItems: 10 });
    session = begin({ compactPolicy: policy });
    live(session, 6);
    const { compaction, items } = await session.prepareTurn();
    assert.equal(compaction?.status, "stale");
    assert.equal(items.length, 3);
    await assert.rejects(async () => {
      live(session, 6, 6);
      await session.compact();
    }, { code: "conflict" });
  });

  it("rejects by hand with what the model threw, and as the table says", async () => {
    const mine = new RangeError("no credit");
    const answers = /** @type {[any, any][]} */ ([
      [() => Promise.reject(mine), (/** @type {unknown} */ error) => error === mine],
      [() => "{}", { code: "compaction_failed" }],
      [() => "w".repeat(100_000), { code: "compaction_failed" }],
    ]);
    for (const [model, wanted] of answers) {
      const session = begin();
      live(session, 8);
      const before = view(session);
      await assert.rejects(session.compact(new LlmCompactPolicy(model, { maxItems: 10 })), wanted);
      assert.equal(session.getEvents().at(-1).type, "COMPACTION_FAILED");
      assert.deepEqual({ ...view(session), sequence: 0 }, { ...before, sequence: 0 });
    }
    const session = begin();
    live(session, 8);
    await assert.rejects(session.compact(new LlmCompactPolicy(() => GOOD, { maxItems: 10 }), { signal: AbortSignal.abort() }), { code: "aborted" });
    await assert.rejects(session.compact(), { code: "invalid_option", path: "policy" });
    assert.equal((await session.compact(new LlmCompactPolicy(() => GOOD, { maxItems: 10 }))).status, "compacted");
    const small = begin();
    small.addUserInput("x");
    assert.equal((await small.compact(new LlmCompactPolicy(() => GOOD, {}))).status, "nothing_to_do");
    assert.equal(small.getEvents().some((/** @type {any} */ { type }) => type.startsWith("COMPACT")), false);
  });

  it("ends when it takes too long", async () => {
    const session = begin({ compactPolicy: new LlmCompactPolicy(() => new Promise(() => {}), { maxItems: 10 }), compactTimeoutMs: 20 });
    live(session, 6);
    const { compaction } = await session.prepareTurn();
    assert.equal(compaction?.status, "cancelled");
    assert.match(compaction?.attempts.at(-1)?.message ?? "", /20 ms/);
  });

  it("backs off", async () => {
    let calls = 0;
    const session = begin({ compactPolicy: new LlmCompactPolicy(() => ((calls += 1), "{}"), { maxItems: 20 }) });
    const at = [];
    for (let n = 1; n <= 80; n += 1) {
      session.addUserInput(`m${n}`);
      const before = calls;
      await session.prepareTurn();
      if (calls > before) at.push(n);
    }
    assert.deepEqual(at, [21, 24, 27]);
    assertReplayable(session);
    session.getMemory().setSummary("another");
    await session.prepareTurn();
    assert.equal(calls, 4);
  });

  it("can be vetoed, replaced and told of", async () => {
    const session = begin({ compactPolicy: new LlmCompactPolicy(() => assert.fail("asked"), { maxItems: 10 }) });
    live(session, 6);
    const off = session.hook("before_compact", () => false);
    assert.equal((await session.prepareTurn()).compaction?.status, "vetoed");
    off();
    /** @type {any[]} */
    const told = [];
    session.hook("before_compact", async () => new LlmCompactPolicy(() => GOOD, { maxItems: 10 }));
    session.hook("on_compact", (/** @type {any} */ result) => told.push(result.status));
    session.hook("on_compact", () => {
      throw new Error("mine");
    });
    const error = console.error;
    console.error = (/** @type {any} */ thrown) => told.push(thrown.message);
    try {
      assert.equal((await session.prepareTurn()).compaction?.status, "compacted");
    } finally {
      console.error = error;
    }
    assert.deepEqual(told, ["compacted", "mine"]);
  });
});

describe("listeners", () => {
  it("run after the change, in order, what they cause behind it", () => {
    const session = begin();
    /** @type {string[]} */
    const seen = [];
    session.on("*", (/** @type {any} */ event) => {
      seen.push(`a${event.sequence}`);
      if (event.sequence === 2) session.putAttribute("from", "inside");
    });
    const off = session.on("ITEMS_ADDED", (/** @type {any} */ event) => {
      seen.push(`b${event.sequence}:${session.length}`);
    });
    session.addUserInput("x");
    assert.deepEqual(seen, ["a2", "b2:1", "a3"]);
    off();
    session.addUserInput("y");
    assert.equal(seen.at(-1), "a4");
  });

  it("may throw, and disturb nothing", () => {
    const session = begin();
    /** @type {unknown[]} */
    const reported = [];
    const error = console.error;
    console.error = (thrown) => reported.push(thrown);
    try {
      session.on("*", () => {
        throw new Error("mine");
      });
      /** @type {number[]} */
      const seen = [];
      session.on("*", (/** @type {any} */ { sequence }) => seen.push(sequence));
      session.addUserInput("x");
      assert.deepEqual(seen, [2]);
    } finally {
      console.error = error;
    }
    assert.equal(reported.length, 1);
  });
});

describe("parts of one's own", () => {
  it("are called, checked and accounted for", async () => {
    const projector = { project: (/** @type {readonly any[]} */ items) => ({ items: items.filter((item) => !item.private), report: /** @type {any} */ ({ notes: ["left out what is private"] }) }) };
    const session = begin({ projector });
    session.addOutputItems([user("a"), { ...user("b"), private: true }, user("c")]);
    const { items, report } = await session.prepareTurn();
    assert.equal(items.length, 2);
    assert.deepEqual(report.ledger.map((/** @type {any} */ { from, to, fate }) => [from, to, fate]), [[0, 1, "kept"], [1, 2, "dropped"], [2, 3, "kept"]]);
    assert.deepEqual([report.sourceItemCount, report.projectedItemCount, report.droppedItemCount], [3, 2, 1]);
    assert.throws(() => AgentSession.restore(session.snapshot()), { code: "invalid_option", path: "options.projector" });
    assertReplayable(session, { projector });
    const broken = begin({ projector: /** @type {any} */ ({ project: () => ({ items: 5 }) }) });
    assert.throws(() => broken.project(), { code: "invalid_item" });
  });

  it("built-in projectors keep their own account", () => {
    const session = begin({ projector: new pkg.DefaultContextProjector({ dialect: "openai-responses" }), budget: { maxItems: 3 } });
    live(session, 3);
    assert.ok(session.project().report.ledger.some((/** @type {any} */ { reason }) => reason === "maxItems"));
  });

  it("policies may answer items of their own", async () => {
    /** @type {CompactPolicy} */
    const policy = { compact: ({ items }) => /** @type {any} */ ({ status: "compacted", memory: { items: [user("made anew"), ...items.slice(-2)], summary: "S" }, attempts: [] }) };
    const session = begin();
    live(session, 4);
    const result = await session.compact(policy);
    assert.equal(result.memory.items.length, 3);
    assert.equal(session.getMemory().getSummary(), "S");
    assertReplayable(session);
    await assert.rejects(session.compact({ compact: () => /** @type {any} */ (null) }), { code: "invalid_option" });
  });

  it("compressors work after each write", async () => {
    const session = begin({ memoryCompressor: new pkg.WindowedMemoryCompressor(6) });
    live(session, 20);
    assert.ok(session.length <= 6);
    assert.ok(JSON.stringify(session.getEvents()).length < 60_000, "what stays is named, not written again");
    assertReplayable(session);
    assert.ok(session.recall("c0") !== null);
  });
});

describe("snapshots", () => {
  it("write bytes and URLs as JSON has them", () => {
    const session = begin({ dialect: "ai-sdk" });
    const data = new Uint8Array([1, 2, 3]);
    session.addUserInput({ role: "user", content: [{ type: "file", data, mediaType: "image/png" }, { type: "image", image: new URL("https://a.test/x.png") }] });
    const text = JSON.stringify(session.snapshot());
    assert.ok(text.includes('"AQID"') && text.includes('"https://a.test/x.png"'));
    assert.equal(AgentSession.restore(text).length, 1);
    assert.equal(session.getMemory().snapshot().items[0].content[0].data, data);
  });

  it("keep key order, numbers and what looks like a prototype", () => {
    const session = begin();
    const item = JSON.parse('{"role":"user","content":"x","z":1e21,"a":-0.5,"__proto__":{"polluted":true},"constructor":{"x":1}}');
    session.addUserInput(item);
    session.putAttribute("__proto__", { polluted: true });
    const again = AgentSession.restore(JSON.stringify(session.snapshot()));
    assert.equal(JSON.stringify(again.getMemory().snapshot().items[0]), JSON.stringify(item));
    assert.equal(/** @type {any} */ ({}).polluted, undefined);
  });

  it("that are wrong are refused with the place", () => {
    const session = begin();
    live(session, 2);
    const good = () => JSON.parse(JSON.stringify(session.snapshot()));
    for (const [change, code, path] of /** @type {[(snapshot: any) => void, string, RegExp][]} */ ([
      [(s) => (s.format = "x"), "invalid_snapshot", /^format$/],
      [(s) => (s.version = 2), "unsupported_version", /^version$/],
      [(s) => delete s.version, "invalid_snapshot", /^version$/],
      [(s) => delete s.metadata, "invalid_snapshot", /^metadata$/],
      [(s) => (s.metadata.sessionId = "t"), "invalid_snapshot", /^metadata\.sessionId$/],
      [(s) => (s.events = []), "invalid_snapshot", /^events$/],
      [(s) => s.events.splice(2, 1), "invalid_snapshot", /^events\[2\]\.sequence$/],
      [(s) => (s.events[1].payload.items = [5]), "invalid_snapshot", /^events\[1\]\.payload\.items$/],
      [(s) => delete s.events[1].payload.ordinal, "invalid_snapshot", /^events\[1\]\.payload\.ordinal$/],
      [(s) => delete s.events[1].type, "invalid_snapshot", /^events\[1\]\.type$/],
      [(s) => (s.events[1] = null), "invalid_snapshot", /^events\[1\]$/],
      [(s) => s.memory.items.pop(), "invalid_snapshot", /^memory$/],
      [(s) => (s.memory.summary = "x"), "invalid_snapshot", /^memory$/],
    ])) {
      const snapshot = good();
      change(snapshot);
      assert.throws(() => AgentSession.restore(snapshot), (/** @type {any} */ error) => error.code === code && path.test(error.path), String(path));
    }
    for (const text of ["", "{", "null", "5", "[]"]) assert.throws(() => AgentSession.restore(text), { code: "invalid_snapshot" });
    assert.throws(() => AgentSession.replay([]), { code: "invalid_snapshot", path: "events" });
    assert.doesNotThrow(() => new AgentSession(), "nothing half restored is left behind");
  });

  it("take other settings at restoring, and log them", () => {
    const session = begin({ budget: { maxItems: 10 } });
    live(session, 6);
    const again = AgentSession.restore(session.snapshot(), { budget: { maxItems: 4 } });
    assert.ok(again.project().items.length <= 5);
    assert.equal(again.getEvents().at(-1)?.type, "SETTINGS_CHANGED");
    assert.equal(AgentSession.restore(session.snapshot(), { budget: { maxItems: 10 } }).sequence, session.sequence);
  });
});

describe("BUGS, section J and what needs a session", () => {
  it("74, 46: the prompt before saving and after resuming is the same, exclusion and summary together", async () => {
    const store = { saved: /** @type {any} */ (null), save: async (/** @type {any} */ snapshot) => void (store.saved = JSON.parse(JSON.stringify(snapshot))), load: async () => store.saved, delete: async () => true, listSessionIds: async () => [] };
    const session = begin({ store, compactPolicy: new LlmCompactPolicy(() => GOOD, { maxItems: 10 }), budget: { maxItems: 9, maxRecentToolResults: 1 } });
    live(session, 8);
    const { items } = await session.prepareTurn();
    await session.save();
    const again = /** @type {any} */ (await AgentSession.resume(/** @type {any} */ (store), "s"));
    assert.equal(JSON.stringify(again.project().items), JSON.stringify(items));
    // A store without append is given the whole.
    again.addUserInput("more");
    await again.save();
    assert.equal(store.saved.events.length, again.sequence);
  });

  it("77: a failure and the fallback that took its place are both told", async () => {
    const session = begin({ compactPolicy: new LlmCompactPolicy(() => "{}", { maxItems: 10, fallback: "structured" }) });
    live(session, 6);
    const { compaction } = await session.prepareTurn();
    assert.deepEqual([compaction?.status, compaction?.attempts[0]?.status], ["compacted", "empty_summary"]);
    assert.equal(session.getEvents().find((/** @type {any} */ { type }) => type === "COMPACTED").payload.result.attempts.length, 1);
  });

  it("78: a compaction that failed is an event", async () => {
    const session = begin({ compactPolicy: new LlmCompactPolicy(() => Promise.reject(new Error("down")), { maxItems: 10 }) });
    live(session, 6);
    /** @type {any[]} */
    const told = [];
    session.on("COMPACTION_FAILED", (/** @type {any} */ { payload }) => told.push(payload));
    await session.prepareTurn();
    assert.deepEqual(told, [{ status: "summary_failed", message: "down" }]);
  });

  it("52: an overflow compacts at most once", async () => {
    let calls = 0;
    const session = begin({ compactPolicy: new LlmCompactPolicy(() => ((calls += 1), "{}"), { maxItems: 1_000 }) });
    live(session, 8);
    await session.prepareTurn();
    session.reportOverflow();
    for (let n = 0; n < 5; n += 1) await session.prepareTurn();
    assert.equal(calls, 1);
  });
});

describe("bad input", () => {
  it("is refused with its place, and nothing is added", () => {
    const wrong = /** @type {any} */ (AgentSession);
    for (const [options, code, path] of /** @type {[any, string, string][]} */ ([
      [{ budget: { maxItems: 0 } }, "invalid_budget", "budget.maxItems"],
      [{ dialect: "x" }, "invalid_option", "options.dialect"],
      [{ projector: "x" }, "invalid_option", "options.projector"],
      [{ projector: {} }, "invalid_option", "options.projector"],
      [{ compactPolicy: {} }, "invalid_option", "options.compactPolicy"],
      [{ memoryCompressor: {} }, "invalid_option", "options.memoryCompressor"],
      [{ store: {} }, "invalid_option", "options.store"],
      [{ sessionId: "" }, "invalid_option", "options.sessionId"],
      [{ sessionId: 5 }, "invalid_option", "options.sessionId"],
      [{ compactTimeoutMs: 0 }, "invalid_option", "options.compactTimeoutMs"],
      [{ now: 5 }, "invalid_option", "options.now"],
      [{ countTokens: 5 }, "invalid_option", "options.countTokens"],
    ])) {
      assert.throws(() => new wrong(options), { code, path });
    }
    const session = begin();
    session.addUserInput("x");
    const before = session.sequence;
    const cycle = /** @type {any} */ ({ role: "user" });
    cycle.self = cycle;
    for (const call of [
      () => session.addUserInput(5),
      () => session.addUserInput(cycle),
      () => session.addOutputItems([user("fine"), cycle]),
      () => session.addOutputItems("x"),
      () => session.addToolOutput(5, "x"),
      () => session.putAttribute(5, 1),
      () => session.putAttribute("a", 5n),
      () => session.reportOverflow({ maxTokens: 0 }),
      () => session.prune(99),
      () => session.recall(5),
      () => session.hook("x", () => {}),
      () => session.on("*", 5),
    ]) {
      assert.throws(call, { name: "ContextProjectorError" });
      assert.equal(session.sequence, before);
    }
    assert.equal(session.length, 1);
  });
});
