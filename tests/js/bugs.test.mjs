// BUGS.md, sections A and G: what went wrong for people elsewhere, as tests of the kind, in every dialect that has it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { builders } from "./builders.mjs";
import { pkg } from "./load.mjs";

/** @typedef {import("./builders.mjs").Item} Item */
/** @typedef {import("../../src/js/types.d.ts").Dialect} Dialect */

const dialects = /** @type {Dialect[]} */ (Object.keys(builders));
/** Dialects in which call and result are two items. */
const apart = dialects.filter((dialect) => dialect !== "ai-sdk-ui");

/**
 * @param {readonly Item[]} items
 * @param {Dialect} dialect
 * @param {import("../../src/js/types.d.ts").ContextBudget} [budget]
 * @param {import("../../src/js/types.d.ts").ProjectOptions} [options]
 */
function sent(items, dialect, budget = {}, options = {}) {
  const before = structuredClone(items);
  const projection = pkg.project(items, budget, { ...options, dialect });
  assert.deepEqual(items, before, "the history is as it was");
  const errors = pkg.validate(projection.items, { ...options, dialect }).filter(({ severity }) => severity === "error");
  assert.deepEqual(errors, []);
  return projection;
}

/** @param {Dialect} dialect @param {number} n */
function steps(dialect, n) {
  const { user, assistant, exchange } = builders[dialect];
  const pairs = Array.from({ length: n }, (_, at) => exchange(`c${at}`, "read", { at }, `result ${at} `.repeat(20)));
  return [user("go"), ...pairs.flat(), assistant("done"), user("and now?")];
}

for (const dialect of dialects) {
  const { user, assistant, exchange, call } = builders[dialect];
  describe(dialect, () => {
    it("1, 2, 3: no limit parts a call from its result", () => {
      const items = steps(dialect, 10);
      for (let maxItems = 1; maxItems <= items.length; maxItems += 1) sent(items, dialect, { maxItems });
    });

    it("7: a call that has no output yet is kept open, and closed on demand", () => {
      const items = [user("go"), ...exchange("a", "read", {}, "x"), call("b", "read", {})];
      const open = sent(items, dialect, { maxItems: 2 });
      assert.deepEqual(open.report.pendingCallIds, ["b"]);
      const closed = sent(items, dialect, { maxItems: 2 }, { pending: "close" });
      assert.deepEqual(closed.report.pendingCallIds, []);
      assert.ok(JSON.stringify(closed.items).includes("[no result: interrupted]"));
    });

    it("8: ids survive every tier", () => {
      const budget = { maxRecentToolResults: 0, clearToolInputs: true, maxToolResultChars: 60, trimOldReasoning: true };
      const { items } = sent(steps(dialect, 4), dialect, budget);
      for (const at of [0, 1, 2, 3]) assert.ok(JSON.stringify(items).split(`"c${at}"`).length > 1);
    });

    it("15: one id used twice makes two pairs", () => {
      const items = [user("go"), ...exchange("a", "read", {}, "first ".repeat(30)), assistant("on"), ...exchange("a", "grep", {}, "second ".repeat(30)), assistant("done")];
      const { items: cleared } = sent(items, dialect, { maxRecentToolResults: 0 });
      const text = JSON.stringify(cleared);
      assert.ok(text.includes("[tool result cleared: read(") && text.includes("[tool result cleared: grep("));
    });
  });
}

for (const dialect of apart) {
  const { user, assistant, exchange, call } = builders[dialect];
  describe(`${dialect}, broken`, () => {
    it("4: twelve calls at once stay with their twelve results, wherever the cut falls", () => {
      const pairs = Array.from({ length: 12 }, (_, at) => exchange(`p${at}`, "read", { at }, `${at}`));
      const items = [user("go"), ...pairs.map(([made]) => made), ...pairs.map(([, result]) => result), user("next")];
      for (const maxItems of [1, 5, 12, 24, 26]) sent(items, dialect, { maxItems }, { pending: "close" });
    });

    it("5: a result of another stream is left out and reported", () => {
      const [, orphan] = exchange("z", "read", {}, "stray");
      const { items, report } = sent([user("go"), orphan, assistant("well"), ...exchange("a", "read", {}, "x"), user("next")], dialect);
      assert.ok(!JSON.stringify(items).includes("stray"));
      assert.equal(report.ledger.find(({ from }) => from === 1)?.fate, "dropped");
      assert.ok(report.notes.some((note) => note.includes("without their call")));
    });

    it("9, 14: a second result after a crash loses to the first", () => {
      const [made, first] = exchange("a", "read", {}, "the first");
      const [, second] = exchange("a", "read", {}, "the second");
      const { items } = sent([user("go"), made, first, second, user("next")], dialect);
      const text = JSON.stringify(items);
      assert.ok(text.includes("the first") && !text.includes("the second"));
    });

    it("15: a result behind a user message goes back to its call", () => {
      const [made, result] = exchange("a", "read", {}, "late");
      const { items, report } = sent([user("go"), made, user("still there?"), result, assistant("yes"), user("next")], dialect);
      const text = JSON.stringify(items);
      assert.ok(text.indexOf("late") < text.indexOf("still there?"));
      assert.equal(report.ledger.some(({ fate }) => fate === "mended"), true);
    });

    it("an aborted batch is closed", () => {
      const items = [user("go"), call("a", "read", {}), call("b", "read", {}), user("forget it")];
      const { items: closed } = sent(items, dialect);
      assert.equal(JSON.stringify(closed).split("[no result: interrupted]").length - 1, 2);
    });
  });
}

describe("approvals and reasoning", () => {
  it("10: an approval lives and falls with its call", () => {
    const items = [
      { role: "user", content: "delete it" },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "t", toolName: "rm", input: {} }, { type: "tool-approval-request", approvalId: "a", toolCallId: "t" }] },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a", approved: true }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "t", toolName: "rm", output: { type: "text", value: "gone" } }] },
      { role: "assistant", content: "done" },
      { role: "user", content: "thanks" },
    ];
    for (let maxItems = 1; maxItems <= items.length; maxItems += 1) sent(items, "ai-sdk", { maxItems });
    // The request was lost: so is its answer.
    const orphaned = sent([items[0], items[2], items[5]], "ai-sdk").items;
    assert.ok(!JSON.stringify(orphaned).includes("approval"));
  });

  it("11: a message left with reasoning alone is no empty shell", () => {
    const items = [
      { role: "user", content: [{ type: "text", text: "go" }] },
      { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "s" }] },
      { role: "user", content: [{ type: "text", text: "next" }] },
    ];
    const { items: trimmed } = sent(items, "anthropic", { trimOldReasoning: true });
    assert.equal(trimmed.length, 2);
  });

  it("68: a message and its reasoning go together, or the message loses its server id", () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "AAAA" };
    const message = { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "a", annotations: [] }] };
    const user = (/** @type {string} */ text) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
    const { items } = sent([user("1"), reasoning, message, user("2")], "openai-responses", { trimOldReasoning: true });
    assert.deepEqual(items[1], { type: "message", role: "assistant", content: message.content });
    const { id: _gone, ...rebuilt } = message;
    const without = sent([user("1"), reasoning, rebuilt, user("2")], "openai-responses").items;
    assert.ok(!JSON.stringify(without).includes("rs_1"));
  });

  it("69: reasoning gets no field that it did not have", () => {
    const items = [
      { type: "message", role: "user", content: [{ type: "input_text", text: "1" }] },
      { type: "reasoning", id: "rs_1", summary: [] },
      { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "a", annotations: [] }] },
    ];
    assert.equal(sent(items, "openai-responses").items[1], items[1]);
  });
});
