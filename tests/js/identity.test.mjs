// What is kept is the very same object, what is edited is a faithful copy, and the source stays as it was.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pkg } from "./load.mjs";

const { DefaultContextProjector, TypeAwareContextProjector, project, projectJson } = pkg;

/** @typedef {{ [key: string]: any }} Item */
/** @typedef {import("../../src/js/types.d.ts").ContextBudget} Budget */

const long = "A result of more than one line, so that a placeholder is shorter than it is. ";

/** A user's question, then `count` exchanges of the tool `read`, each with a word of the model. @param {number} count @returns {Item[]} */
function responses(count) {
  /** @type {Item[]} */
  const items = [{ type: "message", role: "user", content: [{ type: "input_text", text: "Look at all of it." }] }];
  for (let index = 1; index <= count; index += 1) {
    items.push(
      { type: "function_call", call_id: `call-${index}`, name: "read", arguments: `{"page":${index}}` },
      { type: "function_call_output", call_id: `call-${index}`, output: `${index}: ${long.repeat(3)}` },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: `Read page ${index}.` }] },
    );
  }
  return items;
}

/** Everything that a budget can do to it at once. @type {Budget} */
const harsh = { maxItems: 14, maxRecentToolResults: 2, clearToolInputs: true, maxToolResultChars: 120, maxToolInputChars: 40, maxRecentImages: 1, trimOldReasoning: true, lowWater: 0.7 };

/** @param {any} value */
function freeze(value) {
  if (value === null || typeof value !== "object" || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value;
  Object.freeze(value);
  Reflect.ownKeys(value).forEach((key) => freeze(value[key]));
  return value;
}

describe("kept items", () => {
  it("are the very same objects", () => {
    const items = responses(8);
    const { items: out, report } = project(items, { maxRecentToolResults: 3 });
    const { ledger } = report;
    assert.ok(ledger.some((run) => run.fate === "cleared"));
    for (const { from, to, fate } of ledger) {
      for (let index = from; index < to; index += 1) {
        if (fate === "kept" || fate === "pinned") assert.equal(out[index], items[index]);
        else assert.notEqual(out[index], items[index]);
      }
    }
  });

  it("stand in a list of their own: who changes it changes nothing else", () => {
    const items = responses(3);
    const first = project(items);
    assert.notEqual(first.items, items);
    first.items.length = 0;
    assert.equal(project(items).items.length, items.length);
    assert.equal(items.length, 10);
  });

  it("stay so with each projector", () => {
    const items = responses(4);
    for (const projector of [new DefaultContextProjector(), new TypeAwareContextProjector()]) {
      const out = projector.project(items, { maxItems: 7 }).items;
      assert.ok(out.length > 1 && out.length <= 7);
      assert.ok(out.every((item) => items.includes(item)));
    }
  });

  it("may be one object in several places", () => {
    const same = { role: "user", content: "Again." };
    const reply = { role: "assistant", content: "Again?" };
    const { items } = project([same, reply, same, reply, same, reply], { maxItems: 4 });
    assert.equal(items.length, 4);
    assert.ok(items.every((item) => item === same || item === reply));
  });
});

describe("edited copies", () => {
  it("keep their identity from call to call", () => {
    const items = responses(8);
    const budget = { maxRecentToolResults: 3 };
    const first = project(items, budget).items;
    const second = project(items, budget).items;
    const edited = first.filter((item) => !items.includes(item));
    assert.equal(edited.length, 5);
    second.forEach((item, index) => assert.equal(item, first[index]));
  });

  it("keep it when the history grows, in whatever array it stands", () => {
    const items = responses(8);
    const budget = { maxRecentToolResults: 3, lowWater: 0.6 };
    const before = project(items, budget).items;
    items.push({ type: "message", role: "user", content: [{ type: "input_text", text: "Go on." }] });
    for (const grown of [items, items.slice(), [...items]]) {
      const after = project(grown, budget).items;
      before.forEach((item, index) => assert.equal(after[index], item, `item ${index}`));
    }
  });

  it("a summary keeps it too", () => {
    const items = responses(2);
    const options = { summary: "Earlier pages were read." };
    const at = project(items, {}, options).items.findIndex((item) => !items.includes(item));
    assert.ok(at >= 0);
    assert.equal(project(items, {}, options).items[at], project(items.slice(0, 4), {}, options).items[at]);
  });

  it("share every part that stayed as it was", () => {
    const part = { type: "text", text: "Kept as it is." };
    const meta = { at: [1, 2, 3] };
    const items = [
      { role: "user", content: [part] },
      { role: "assistant", content: [part, { type: "tool_use", id: "t1", name: "read", input: { page: 1 } }], meta },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: long.repeat(3) }, part], meta },
      { role: "assistant", content: [part] },
    ];
    const out = /** @type {Item[]} */ (project(items, { maxRecentToolResults: 0, clearToolInputs: true }).items);
    for (const index of [1, 2]) assert.notEqual(out[index], items[index]);
    assert.equal(out[1]?.content[0], part);
    assert.equal(out[2]?.content[1], part);
    assert.equal(out[1]?.meta, meta);
    assert.equal(out[2]?.meta, meta);
    assert.equal(out[2]?.content[0].content, "[tool result cleared: read(t1)]");
  });

  it("keep prototype and property descriptors", () => {
    const hidden = Symbol("hidden");
    class Output {
      /** @param {string} id @param {string} text */
      constructor(id, text) {
        this.type = "function_call_output";
        this.call_id = id;
        this.output = text;
        Object.defineProperty(this, "internal", { value: "not for JSON", enumerable: false, writable: false, configurable: false });
        Object.defineProperty(this, "label", { get: () => `output of ${id}`, enumerable: true, configurable: false });
        Object.defineProperty(this, hidden, { value: 7, enumerable: false });
      }
      get size() {
        return this.output.length;
      }
    }
    const items = [...responses(1).slice(0, 2), new Output("call-1", long.repeat(4)), ...responses(2).slice(3)];
    const out = /** @type {any} */ (project(items, { maxRecentToolResults: 1 }).items[2]);
    const source = /** @type {any} */ (items[2]);
    assert.notEqual(out, source);
    assert.ok(out instanceof Output);
    assert.equal(out.output, "[tool result cleared: read(call-1)]");
    assert.equal(out.size, out.output.length);
    const before = Object.getOwnPropertyDescriptors(source);
    const after = Object.getOwnPropertyDescriptors(out);
    assert.deepEqual(Reflect.ownKeys(after), Reflect.ownKeys(before));
    assert.deepEqual(after, { ...before, output: { ...before.output, value: out.output } });
    assert.equal(source.output, long.repeat(4));
  });

  it("keep the prototype of the parts on the way", () => {
    class Part {
      /** @param {object} fields */
      constructor(fields) {
        /** @type {string | undefined} */
        this.content = undefined;
        Object.assign(this, fields);
      }
    }
    class Parts extends Array {}
    const items = [
      { role: "user", content: "Read it." },
      { role: "assistant", content: [new Part({ type: "tool_use", id: "t1", name: "read", input: {} })] },
      { role: "user", content: [new Part({ type: "tool_result", tool_use_id: "t1", content: long.repeat(2) })] },
      { role: "assistant", content: Parts.from([{ type: "text", text: "Done." }]) },
    ];
    const out = /** @type {Item[]} */ (project(items, { maxRecentToolResults: 0 }).items);
    assert.notEqual(out[2], items[2]);
    assert.ok(out[2]?.content[0] instanceof Part);
    assert.equal(out[2]?.content[0].content, "[tool result cleared: read(t1)]");
    assert.equal(out[3], items[3]);
  });

  it("`null` as a prototype stays", () => {
    const output = Object.assign(Object.create(null), { type: "function_call_output", call_id: "call-1", output: long.repeat(2) });
    const items = [...responses(1).slice(0, 2), output, ...responses(1).slice(3)];
    const out = project(items, { maxRecentToolResults: 0 }).items[2];
    assert.notEqual(out, output);
    assert.equal(Object.getPrototypeOf(out), null);
  });

  it("`__proto__` as a key of data stays data", () => {
    const text = `[{"type":"message","role":"user","content":[{"type":"input_text","text":"Read."}]},
      {"type":"function_call","call_id":"c1","name":"read","arguments":"{}","__proto__":{"polluted":1}},
      {"type":"function_call_output","call_id":"c1","output":"${long.repeat(2)}","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}},
      {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Read."}]}]`;
    /** @type {Item[]} */
    const items = JSON.parse(text);
    for (const output of [/** @type {Item} */ (project(items, { maxRecentToolResults: 0 }).items[2]), JSON.parse(projectJson(text, { maxRecentToolResults: 0 })).items[2]]) {
      assert.equal(output.output, "[tool result cleared: read(c1)]");
      assert.equal(Object.getPrototypeOf(output), Object.prototype);
      assert.deepEqual(Object.getOwnPropertyDescriptor(output, "__proto__")?.value, { polluted: 1 });
      assert.deepEqual(Object.keys(output), ["type", "call_id", "output", "__proto__", "constructor"]);
    }
    assert.equal(/** @type {any} */ ({}).polluted, undefined);
    // In the arguments of a call as well, where they are shortened.
    const call = { ...items[1], arguments: `{"__proto__":{"a":"${long.repeat(3)}"},"page":1}` };
    const short = /** @type {Item} */ (project([items[0] ?? {}, call, items[2] ?? {}, items[3] ?? {}], { maxToolInputChars: 60 }).items[1]);
    const args = JSON.parse(short.arguments);
    assert.deepEqual(Object.keys(args), ["__proto__", "page"]);
    assert.ok(Object.getOwnPropertyDescriptor(args, "__proto__")?.value.a.length <= 60);
  });
});

describe("the source", () => {
  const other = [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "What is it?" }, { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(400)}` } }] },
    { role: "assistant", content: "A cat." },
    { role: "user", content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${"B".repeat(400)}` } }] },
    { role: "assistant", content: null, tool_calls: [{ id: "x", type: "function", function: { name: "read", arguments: JSON.stringify({ text: long }) } }] },
    { role: "tool", tool_call_id: "x", content: long.repeat(4) },
    { role: "tool", tool_call_id: "orphan", content: "Of nothing." },
    { role: "assistant", content: "A dog." },
  ];

  for (const [name, source] of /** @type {[string, Item[]][]} */ ([["in the Responses shape", responses(12)], ["in the Chat shape", other]])) {
    it(`${name} is as it was`, () => {
      const items = structuredClone(source);
      const objects = items.slice();
      for (const options of [{}, { summary: "Before." }, { pending: /** @type {const} */ ("close") }, { strictRoles: true }]) {
        const { report } = project(items, harsh, options);
        assert.ok(report.ledger.some((run) => run.fate !== "kept"));
        assert.deepEqual(items, source);
        items.forEach((item, index) => assert.equal(item, objects[index]));
      }
    });

    it(`${name} may be frozen to the bottom`, () => {
      const frozen = freeze(structuredClone(source));
      const budget = freeze({ ...harsh, keepTools: ["other"] });
      const options = freeze({ summary: "Before." });
      assert.deepEqual(project(frozen, budget, options), project(structuredClone(source), { ...harsh, keepTools: ["other"] }, { summary: "Before." }));
      const { items } = project(frozen, budget, options);
      assert.ok(items.some((item) => !frozen.includes(item)), "something was edited");
    });
  }

  it("gets no property, not even a hidden one", () => {
    const items = responses(6);
    const keys = items.map((item) => Reflect.ownKeys(item));
    project(items, harsh);
    assert.deepEqual(items.map((item) => Reflect.ownKeys(item)), keys);
    assert.deepEqual(Reflect.ownKeys(items).length, items.length + 1);
  });
});

describe("values that only JavaScript has", () => {
  const bytes = new Uint8Array(64).fill(7);
  const values = { buffer: Buffer.from("of Node"), bytes, view: new DataView(new ArrayBuffer(8)), floats: new Float64Array(4), memory: new ArrayBuffer(16), url: new URL("https://example.org/a.png") };

  /** @returns {Item[]} */
  const items = () => [
    { role: "user", content: [{ type: "text", text: "What is this?" }, { type: "image", image: values.bytes }, { type: "file", data: values.url, mediaType: "image/png" }], more: values },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "read", input: { data: values.buffer, text: long.repeat(4) } }], more: values },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "text", value: long.repeat(4) }, more: values }], more: values },
    { role: "assistant", content: [{ type: "text", text: "Seven, over and over." }] },
  ];

  it("come through by identity", () => {
    const source = items();
    const out = project(source).items;
    source.forEach((item, index) => assert.equal(out[index], item));
  });

  it("come through by identity inside edited copies", () => {
    const source = items();
    const out = /** @type {Item[]} */ (project(source, { maxRecentToolResults: 0, maxToolInputChars: 50 }, { dialect: "ai-sdk" }).items);
    for (const index of [1, 2]) {
      assert.notEqual(out[index], source[index], `item ${index} is edited`);
      assert.equal(out[index]?.more, values);
    }
    assert.equal(out[1]?.content[0].input.data, values.buffer);
    assert.ok(out[1]?.content[0].input.text.length <= 50);
    assert.equal(out[2]?.content[0].more, values);
    assert.deepEqual(out[2]?.content[0].output, { type: "text", value: "[tool result cleared: read(c1)]" });
  });

  it("bytes count as media, whatever their number", () => {
    /** @param {object} image */
    const size = (image) => project([{ role: "user", content: [{ type: "image", image }] }], {}, { dialect: "ai-sdk" }).report.sourceApproxChars;
    const few = size(new Uint8Array(3));
    assert.ok(few > 6_400 && few < 6_500, `${few}`);
    for (const same of [new Uint8Array(100_000), Buffer.alloc(100_000), new ArrayBuffer(100_000)]) assert.equal(size(same), few);
  });

  it("are not copied: a later change shows", () => {
    const source = items();
    const shown = /** @type {any} */ (project(source).items[0]);
    bytes[0] = 99;
    assert.equal(shown.content[1].image[0], 99);
    bytes[0] = 7;
  });

  it("a Date counts as its text, and comes through as a Date", () => {
    const at = new Date("2025-03-04T05:06:07.089Z");
    const source = [{ role: "user", content: "When?", at }];
    const { items: out, report } = project(source);
    assert.equal(/** @type {any} */ (out[0]).at, at);
    assert.equal(report.sourceApproxChars, project([{ role: "user", content: "When?", at: at.toJSON() }]).report.sourceApproxChars);
  });

  it("a toJSON counts, wherever it stands", () => {
    const result = { toJSON: () => ({ type: "function_call_output", call_id: "call-1", output: long.repeat(2) }) };
    const source = [...responses(1).slice(0, 2), result, ...responses(1).slice(3)];
    const plain = [...responses(1).slice(0, 2), result.toJSON(), ...responses(1).slice(3)];
    assert.equal(project(source).items[2], result);
    assert.deepEqual(project(source).report, project(plain).report);
    const cleared = /** @type {Item} */ (project(source, { maxRecentToolResults: 0 }).items[2]);
    assert.equal(JSON.stringify(cleared), JSON.stringify(project(plain, { maxRecentToolResults: 0 }).items[2]));
  });

  it("undefined is absent, in a list it is null", () => {
    const source = [{ role: "user", content: "Hello", name: undefined, list: [undefined, 1], no: { a: undefined } }];
    const seen = JSON.parse(JSON.stringify(source));
    const { items: out, report } = project(source);
    assert.equal(out[0], source[0]);
    assert.equal(report.sourceApproxChars, project(seen).report.sourceApproxChars);
    // A role that is undefined is no role, a result that is undefined is none.
    assert.deepEqual(project([{ role: "user", content: "x", tool_calls: undefined }]).report, project([{ role: "user", content: "x" }]).report);
  });

  it("NaN and infinities are null, boxed values are plain ones, -0 is 0", () => {
    const odd = [{ role: "user", content: "Hello", a: NaN, b: Infinity, c: new Number(12), d: new String("text"), e: new Boolean(false), f: -0 }];
    assert.equal(project(odd).report.sourceApproxChars, project(JSON.parse(JSON.stringify(odd))).report.sourceApproxChars);
  });
});

describe("a history that is not what it was", () => {
  /** Projects the items as they are, and copies that nobody has seen, and compares. @param {Item[]} items @param {Budget} budget @param {string} what */
  function assertFresh(items, budget, what) {
    const copies = structuredClone(items);
    const here = project(items, budget);
    const there = project(copies, budget);
    assert.deepEqual(here, there, what);
    assert.equal(JSON.stringify(here), JSON.stringify(there), what);
    return here;
  }
  const budget = { maxItems: 12, maxRecentToolResults: 2, lowWater: 0.7 };

  it("the last item, grown in place between calls, is read afresh", () => {
    const items = responses(4);
    const last = /** @type {Item} */ (items.at(-1));
    const sizes = new Set();
    for (let word = 0; word < 20; word += 1) {
      last.content[0].text += " and on";
      sizes.add(assertFresh(items, budget, `word ${word}`).report.sourceApproxChars);
    }
    assert.equal(sizes.size, 20);
  });

  it("a last result, grown in place, is shortened by what it is now", () => {
    const items = responses(3).slice(0, -1);
    const last = /** @type {Item} */ (items.at(-1));
    const limit = { maxToolResultChars: 300 };
    for (let round = 0; round < 5; round += 1) {
      last.output += `<${round}>${"x".repeat(150)}<end ${round}>`;
      const { items: out } = assertFresh(items, limit, `round ${round}`);
      assert.ok(/** @type {Item} */ (out.at(-1)).output.endsWith(`<end ${round}>`));
    }
  });

  it("the last item, grown, is still right after others have come", () => {
    const items = responses(4);
    project(items, budget);
    /** @type {Item} */ (items.at(-1)).content[0].text += ", and more";
    items.push({ type: "message", role: "user", content: [{ type: "input_text", text: "More?" }] });
    assertFresh(items, budget, "grown and followed");
  });

  it("an item replaced in the middle is noticed", () => {
    const items = responses(6);
    project(items, budget);
    for (let index = 0; index < items.length; index += 1) {
      const before = /** @type {Item} */ (items[index]);
      items[index] = { type: "message", role: "user", content: [{ type: "input_text", text: `Something else, at ${index}, of another length.` }] };
      assertFresh(items, budget, `replaced ${index}`);
      items[index] = before;
      assertFresh(items, budget, `put back ${index}`);
    }
  });

  it("a shortened array is noticed", () => {
    const items = responses(6);
    project(items, budget);
    while (items.length > 0) {
      items.pop();
      assertFresh(items, budget, `${items.length} left`);
    }
  });

  it("items put in or taken out in the middle are noticed", () => {
    const items = responses(6);
    project(items, budget);
    items.splice(4, 3);
    assertFresh(items, budget, "taken out");
    items.splice(4, 0, ...responses(2).slice(1));
    assertFresh(items, budget, "put in");
    items.shift();
    assertFresh(items, budget, "without its first");
  });

  it("forks that share their first items do not disturb each other", () => {
    const trunk = responses(3);
    const tails = ["left", "right", "middle"].map((name) => [
      { type: "function_call", call_id: `call-${name}`, name, arguments: "{}" },
      { type: "function_call_output", call_id: `call-${name}`, output: `${name} ${long.repeat(name.length)}` },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: name }] },
    ]);
    for (let round = 0; round < 3; round += 1) {
      for (const tail of tails) assertFresh([...trunk, ...tail], budget, `round ${round}`);
    }
  });

  it("other settings on the same history are other settings", () => {
    const items = responses(6);
    /** @type {Budget[]} */
    const budgets = [{}, budget, { maxItems: 5 }, { maxRecentToolResults: 0 }, { maxTokens: 200 }, { maxToolResultChars: 80 }, {}, budget];
    for (const each of budgets) assertFresh(items, each, JSON.stringify(each));
    const options = [{ pending: /** @type {const} */ ("close") }, { dialect: /** @type {const} */ ("openai-responses") }, { imageTokens: 1 }, { countTokens: () => 3 }];
    for (const each of options) assert.deepEqual(project(items, budget, each), project(structuredClone(items), budget, each));
  });
});
