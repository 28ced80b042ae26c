// Providers and simulators reuse call ids. Each result belongs to its own call: the one before it that is still open.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, it } from "node:test";
import { builders, dialects, prose } from "./builders.mjs";
import { corpusFiles, pkg } from "./load.mjs";

const { project } = pkg;

/** @typedef {import("./builders.mjs").Item} Item */

/**
 * The tool that each result of a Chat history answers, by its index: of the calls open before it, the newest of its id.
 * @param {readonly Item[]} items
 */
function toolsOf(items) {
  /** @type {Map<string, string[]>} */
  const open = new Map();
  /** @type {Map<number, string>} */
  const tools = new Map();
  items.forEach((item, index) => {
    for (const { id, function: { name } } of item.tool_calls ?? []) open.set(id, [...(open.get(id) ?? []), name]);
    if (item.role !== "tool") return;
    const name = open.get(item.tool_call_id)?.pop();
    if (name !== undefined) tools.set(index, name);
  });
  return tools;
}

/** @param {readonly Item[]} items */
function reusedIds(items) {
  const ids = items.flatMap((item) => item.tool_calls ?? []).map(({ id }) => id);
  return new Set(ids.filter((id, index) => ids.indexOf(id) !== index));
}

const files = corpusFiles().filter((file) => basename(file).startsWith("tau-airline-"));

describe("transcripts with reused call ids", { skip: files.length === 0 ? "there is no corpus" : false }, () => {
  it("do reuse ids, for tools of different names too", (context) => {
    let reused = 0;
    let renamed = 0;
    for (const file of files) {
      /** @type {Item[]} */
      const items = JSON.parse(readFileSync(file, "utf8"));
      for (const id of reusedIds(items)) {
        reused += 1;
        const names = new Set(items.flatMap((item) => item.tool_calls ?? []).filter((call) => call.id === id).map((call) => call.function.name));
        if (names.size > 1) renamed += 1;
      }
    }
    context.diagnostic(`${files.length} transcripts, ${reused} reused ids, ${renamed} of them by tools of different names`);
    assert.ok(reused > 0);
  });

  for (const file of files) {
    /** @type {Item[]} */
    const items = JSON.parse(readFileSync(file, "utf8"));
    const tools = toolsOf(items);

    it(`${basename(file)}: nothing is mended, and placeholders name the right tool`, () => {
      const whole = project(items);
      whole.items.forEach((item, index) => assert.equal(item, items[index]));
      assert.equal(whole.items.length, items.length);

      const { items: out } = project(items, { maxRecentToolResults: 0 });
      let cleared = 0;
      out.forEach((item, index) => {
        if (item === items[index]) return;
        const source = /** @type {Item} */ (items[index]);
        assert.equal(source.role, "tool", `item ${index}`);
        assert.ok(tools.has(index));
        assert.deepEqual(item, { ...source, content: `[tool result cleared: ${tools.get(index)}(${source.tool_call_id})]` });
        cleared += 1;
      });
      const long = [...tools].filter(([index, name]) => {
        const { content, tool_call_id: id } = /** @type {Item} */ (items[index]);
        return content.length > `[tool result cleared: ${name}(${id})]`.length && items.slice(index).some((item) => item.role === "assistant");
      });
      assert.equal(cleared, long.length);
    });

    it(`${basename(file)}: a result stays or goes with its own call`, () => {
      for (let maxItems = 2; maxItems < items.length; maxItems += 3) {
        const { items: out, report } = project(items, { maxItems });
        const open = new Set();
        for (const item of out) {
          if (item.role === "tool") assert.ok(open.delete(item.tool_call_id), `a result of ${item.tool_call_id} without its call at ${maxItems}`);
          else {
            assert.equal(open.size, 0, `calls without a result at ${maxItems}`);
            for (const { id } of item.tool_calls ?? []) open.add(id);
          }
        }
        // By identity: the result that came after the call in the source, not another of that id.
        const places = out.map((item) => items.indexOf(item)).filter((index) => index >= 0);
        assert.deepEqual(places, [...places].sort((a, b) => a - b));
        assert.equal(places.length, out.length);
        for (const place of places.filter((index) => items[index]?.tool_calls)) {
          (items[place]?.tool_calls ?? []).forEach((/** @type {unknown} */ _, /** @type {number} */ call) => assert.ok(places.includes(place + call + 1)));
        }
        assert.deepEqual(report.pendingCallIds, []);
      }
    });
  }
});

for (const dialect of dialects) {
  describe(`one id for every call, in ${dialect}`, () => {
    const b = builders[dialect];
    const names = ["read", "write", "list", "read", "search", "write"];
    const exchanges = names.map((name, index) => b.exchange("call_1", name, { index }, `${index} ${prose(200)}`));
    const texts = names.map((_, index) => b.assistant(`Done with ${index}.`));
    const items = [b.user("Go."), ...exchanges.flatMap((pair, index) => [...pair, /** @type {Item} */ (texts[index])])];
    const size = exchanges[0]?.length ?? 0;

    /** @param {readonly object[]} out @returns {Item[][]} */
    const pairsOf = (out) => {
      const rest = /** @type {Item[]} */ (out.slice(1));
      return names.map((_, index) => rest.slice(index * (size + 1), index * (size + 1) + size));
    };

    it("each placeholder carries the name of its own call's tool", () => {
      const { items: out } = project(items, { maxRecentToolResults: 2 }, { dialect });
      assert.equal(out.length, items.length);
      pairsOf(out).forEach((pair, index) => {
        const text = b.result(pair);
        if (index >= 4) return assert.equal(text, `${index} ${prose(200)}`);
        // Where the provider refuses an id that was used before, it is another one; the tool is the same in any case.
        assert.match(text, new RegExp(`^\\[tool result cleared: ${names[index]}\\(call_1[^)]*\\)\\]$`));
        assert.deepEqual(b.args(pair), { index });
      });
    });

    it("keepTools keeps the results of its tools, and of no other", () => {
      const { items: out } = project(items, { maxRecentToolResults: 0, keepTools: ["write"] }, { dialect });
      assert.deepEqual(pairsOf(out).map((pair) => !b.result(pair).startsWith("[tool result cleared")), names.map((name) => name === "write"));
    });

    it("a limit cuts between the exchanges", () => {
      for (let maxItems = size + 2; maxItems < items.length; maxItems += 1) {
        const { items: out } = project(items, { maxItems }, { dialect });
        assert.ok(out.length <= maxItems);
        const shown = JSON.stringify(out);
        names.forEach((_, index) => {
          const args = /** @type {any} */ (b.args(/** @type {Item[]} */ (exchanges[index])));
          const hasCall = shown.includes(`{"index":${args.index}}`) || shown.includes(`{\\"index\\":${args.index}}`);
          assert.equal(shown.includes(`"${index} The tide`), hasCall, `exchange ${index} under ${maxItems}`);
        });
      }
    });

    it("the last call is open, though earlier ones of its id are answered", () => {
      const open = [...items, b.call("call_1", "late", {})];
      const { report } = project(open, {}, { dialect });
      assert.equal(report.pendingCallIds.length, 1);
      assert.match(report.pendingCallIds[0] ?? "", /^call_1/);
      const answered = [...items, ...b.exchange("call_1", "late", {}, "Late."), b.assistant("Done.")];
      assert.deepEqual(project(answered, {}, { dialect }).report.pendingCallIds, []);
    });
  });
}
