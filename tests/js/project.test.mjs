// What a projection gives: the limits, the tiers, the summary, the anchors and the report, in each of the six dialects.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { builders, dialects, prose } from "./builders.mjs";
import { pkg } from "./load.mjs";

const { DefaultContextProjector, project } = pkg;

/** @typedef {import("./builders.mjs").Item} Item */
/** @typedef {import("./builders.mjs").Dialect} Dialect */
/** @typedef {import("../../src/js/types.d.ts").ContextReport} Report */

/** @param {Report} report */
const runs = ({ ledger }) => ledger.map(({ from, to, fate }) => `${fate} ${from}–${to}`).join(", ");

/** @template T @param {number} count @param {(index: number) => T[]} make @returns {T[]} */
const times = (count, make) => Array.from({ length: count }, (_, index) => make(index + 1)).flat();

/**
 * `count` exchanges of `read`, each followed by a text: item 0 is the user's.
 * @param {Dialect} dialect @param {number} count @param {{ name?: string, args?: object, length?: number }} [how]
 */
function reading(dialect, count, { name = "read", args = { page: 1 }, length = 200 } = {}) {
  const { user, exchange, assistant } = builders[dialect];
  const exchanges = times(count, (index) => [exchange(`call-${index}`, name, args, `${index} ${prose(length)}`)]);
  const texts = exchanges.map((_, index) => assistant(`Read number ${index + 1}.`));
  return { items: [user("Read it all."), ...exchanges.flatMap((pair, index) => [...pair, /** @type {Item} */ (texts[index])])], exchanges };
}

/** The exchanges of `reading`, as they stand in a projection that dropped nothing. @param {readonly object[]} items @param {Dialect} dialect */
function exchangesOf(items, dialect) {
  const size = dialect === "ai-sdk-ui" ? 1 : 2;
  const all = /** @type {Item[]} */ (items.slice(1));
  return times(all.length / (size + 1), (index) => [all.slice((index - 1) * (size + 1), (index - 1) * (size + 1) + size)]);
}

for (const dialect of dialects) {
  const b = builders[dialect];
  const options = { dialect };

  describe(dialect, () => {
    it("keeps the pinned item and the newest of 55 messages", () => {
      const items = times(55, (index) => [index % 2 === 1 ? b.user(`Question ${index}?`) : b.assistant(`Answer ${index}.`)]);
      for (const projection of [project(items, { maxItems: 20, pinnedPrefixItems: 1 }, options), new DefaultContextProjector(options).project(items, { maxItems: 20, pinnedPrefixItems: 1 })]) {
        const { items: out, report } = projection;
        assert.equal(out.length, 20);
        [0, ...Array.from({ length: 19 }, (_, index) => index + 36)].forEach((from, to) => assert.equal(out[to], items[from]));
        assert.equal(report.droppedItemCount, 35);
        assert.ok(report.notes.includes("maxItems applied: 20"), report.notes.join("\n"));
        assert.equal(report.itemLimitApplied, true);
        assert.equal(report.characterLimitApplied || report.tokenLimitApplied || report.overBudget, false);
        assert.equal(runs(report), "pinned 0–1, dropped 1–36, kept 36–55");
      }
    });

    it("clears the three oldest of eight results, in place", () => {
      const { items, exchanges } = reading(dialect, 8);
      const { items: out, report } = project(items, { maxRecentToolResults: 5 }, options);
      assert.equal(out.length, items.length);
      assert.deepEqual(report.notes, ["tier1 microcompact: cleared 3 old tool result(s), kept recent 5"]);
      exchangesOf(out, dialect).forEach((pair, index) => {
        const source = /** @type {Item[]} */ (exchanges[index]);
        if (index >= 3) return assert.deepEqual(pair, source);
        // Nothing but the result's text is another.
        const expected = b.exchange(`call-${index + 1}`, "read", { page: 1 }, `[tool result cleared: read(call-${index + 1})]`);
        assert.deepEqual(pair, expected.map((item, at) => ("id" in item ? { ...item, id: source[at]?.id } : item)));
      });
      assert.equal(report.ledger.filter((run) => run.fate === "cleared").length, 3);
    });

    it("the default projector leaves results and reasoning alone", () => {
      const { items } = reading(dialect, 8);
      const { items: out, report } = new DefaultContextProjector(options).project(items, { maxRecentToolResults: 0, maxToolResultChars: 10, trimOldReasoning: true });
      out.forEach((item, index) => assert.equal(item, items[index]));
      assert.deepEqual(report.notes, []);
    });

    it("leaves the results of keepTools, and does not count them", () => {
      const items = [b.user("Read."), ...times(6, (index) => [...b.exchange(`c${index}`, index % 2 === 0 ? "plan" : "read", {}, `${index} ${prose(200)}`)]), b.assistant("Done.")];
      const { items: out, report } = project(items, { maxRecentToolResults: 1, keepTools: ["plan"], maxToolResultChars: 60 }, options);
      assert.match(report.notes.join("\n"), /^tier1 microcompact: cleared 2 old tool result\(s\), kept recent 1$/m);
      const size = dialect === "ai-sdk-ui" ? 1 : 2;
      const texts = times(6, (index) => [{ text: b.result(out.slice(1 + (index - 1) * size, 1 + index * size)) }]).map(({ text }) => text);
      assert.deepEqual([texts[0], texts[2]], ["[tool result cleared: read(c1)]", "[tool result cleared: read(c3)]"]);
      for (const index of [1, 3, 5]) assert.equal(texts[index], `${index + 1} ${prose(200)}`);
      assert.ok(texts[4]?.startsWith("5 The") && texts[4].length <= 60, texts[4]);
    });

    it("leaves results that are no longer than their placeholder", () => {
      const { items } = reading(dialect, 4, { length: 5 });
      const { items: out, report } = project(items, { maxRecentToolResults: 1 }, options);
      out.forEach((item, index) => assert.equal(item, items[index]));
      assert.deepEqual(report.notes, []);
    });

    it("empties the arguments of the calls that it clears, validly", () => {
      const { items } = reading(dialect, 4, { args: { page: 3, text: prose(100) } });
      const { items: out } = project(items, { maxRecentToolResults: 2, clearToolInputs: true }, options);
      const all = exchangesOf(out, dialect);
      assert.deepEqual(all.map(b.args), [{}, {}, { page: 3, text: prose(100) }, { page: 3, text: prose(100) }]);
      all.forEach((pair, index) => assert.ok(JSON.stringify(b.callPart(pair)).includes(`call-${index + 1}`)));
    });

    it("shortens long results in the middle and says how much went", () => {
      const { items, exchanges } = reading(dialect, 3, { length: 1_000 });
      const { items: out, report } = project(items, { maxToolResultChars: 200 }, options);
      exchangesOf(out, dialect).forEach((pair, index) => {
        const source = b.result(/** @type {Item[]} */ (exchanges[index]));
        assertShortened(b.result(pair), source, 200);
      });
      assert.ok(report.notes.some((note) => note.includes("maxToolResultChars") && note.includes("3")), report.notes.join("\n"));
      assert.ok(report.ledger.some(({ fate, reason }) => fate === "shortened" && reason === "maxToolResultChars"));
      const exact = b.result(/** @type {Item[]} */ (exchanges[0])).length;
      assert.equal(project(items, { maxToolResultChars: exact }, options).items[2], items[2], "what fits stays");
    });

    it("shortens long strings in arguments, which stay what they are", () => {
      const args = { path: "a/b", deep: [{ text: prose(900) }], more: { n: 1.5, yes: true, no: null } };
      const { items } = reading(dialect, 2, { args });
      const { items: out } = project(items, { maxToolInputChars: 150 }, options);
      for (const pair of exchangesOf(out, dialect)) {
        const found = /** @type {any} */ (b.args(pair));
        assertShortened(found.deep[0].text, prose(900), 150);
        assert.deepEqual(found, { ...args, deep: [{ text: found.deep[0].text }] });
      }
    });

    it("at 0 clears what the model has seen, and nothing else", () => {
      const { items } = reading(dialect, 2);
      const unread = [...items, b.user("And?"), ...b.exchange("late-1", "read", {}, prose(300))];
      const seen = [...unread, b.assistant("Seen.")];
      const at = unread.length - 1;
      const before = project(unread, { maxRecentToolResults: 0 }, options);
      assert.equal(before.items[at], unread[at]);
      assert.match(before.report.notes.join(), /cleared 2 old/);
      const after = project(seen, { maxRecentToolResults: 0 }, options);
      assert.notEqual(after.items[at], unread[at]);
      assert.match(after.report.notes.join(), /cleared 3 old/);
    });

    it("puts the summary into one user item, and knows it again", () => {
      const { items } = reading(dialect, 2);
      const text = "The reader was at page 12.\nNothing was found.";
      const { items: out, report } = project(items, {}, { ...options, summary: text });
      assert.equal(report.insertedItemCount, 1);
      const summary = /** @type {Item} */ (out[0]);
      const whole = (dialect === "openai-chat" ? summary.content : (summary.content ?? summary.parts)[0].text);
      const [first, ...rest] = whole.split("\n");
      assert.ok(first.length > 0 && first.length < 60, first);
      assert.equal(rest.join("\n"), text);
      const { id, ...fields } = summary;
      assert.deepEqual(fields, b.summary(whole));
      if (dialect === "ai-sdk-ui") assert.match(id, /^summary-[0-9a-f]+$/);
      else assert.equal(id, undefined);
      // Projected again it is no source item of a turn: what follows is counted as if it were not there.
      const again = project(out, {}, options);
      assert.equal(again.items[0], summary);
      assert.equal(again.items.length, out.length);
      // The pinned prefix passes over it, and it stays when the head goes.
      const short = project(out, { maxItems: 5, pinnedPrefixItems: 1 }, options);
      assert.equal(short.items[0], summary);
      assert.equal(short.items[1], items[0]);
    });

    it("keeps leading system items, with the summary behind them", () => {
      if (b.system === null) return;
      const system = b.system("Be brief.");
      const items = [system, ...times(10, (index) => [b.user(`Question ${index}?`), b.assistant(`Answer ${index}.`)])];
      const { items: out, report } = project(items, { maxItems: 4 }, { ...options, summary: "Before." });
      assert.equal(out.length, 4);
      assert.equal(out[0], system);
      assert.match(JSON.stringify(out[1]), /Before\./);
      assert.equal(out[3], items[20]);
      const [first] = report.ledger;
      assert.deepEqual([first?.from, first?.to, first?.reason], [0, 1, "anchor:system"]);
    });

    it("keeps the opener of the running turn", () => {
      const { items } = reading(dialect, 10);
      const { items: out, report } = project(items, { maxItems: 7 }, options);
      assert.equal(out[0], items[0]);
      assert.ok(out.length <= 7 && out.length > 2);
      const [first] = report.ledger;
      assert.deepEqual([first?.from, first?.to, first?.reason], [0, 1, "anchor:turn"]);
    });

    it("says by what it is over budget", () => {
      const items = [b.user(prose(2_000)), ...b.exchange("c1", "read", {}, prose(3_000))];
      const { items: out, report } = project(items, { maxApproxChars: 1_000 }, options);
      assert.equal(out.length, items.length);
      assert.equal(report.overBudget, true);
      assert.ok(report.notes.some((note) => /^over budget: .*newest step [\d,]+ of 1,000 characters$/.test(note)), report.notes.join("\n"));
    });

    it("names the calls in flight, and closes them when asked", () => {
      const items = [b.user("Read."), b.call("open-1", "read", {})];
      const open = project(items, {}, options);
      assert.deepEqual(open.report.pendingCallIds, ["open-1"]);
      assert.deepEqual(open.items, items);
      const closed = project(items, {}, { ...options, pending: "close" });
      assert.match(JSON.stringify(closed.items), /\[no result: interrupted\]/);
      assert.equal(closed.report.insertedItemCount, dialect === "ai-sdk-ui" ? 0 : 1);
      assert.deepEqual(closed.report.pendingCallIds, []);
    });
  });
}

/** @param {string} text @param {string} source @param {number} most */
function assertShortened(text, source, most) {
  assert.ok(text.length <= most && text.length > most / 2, `${text.length} characters`);
  const cut = Number(/(\d[\d,]*) characters/.exec(text)?.[1]?.replaceAll(",", ""));
  const [head, tail] = text.split(/\s*\[…[^\]]*…\]\s*/);
  assert.ok(head && tail && source.startsWith(head) && source.endsWith(tail), text);
  assert.ok(cut > 0 && Math.abs(source.length - cut - head.length - tail.length) <= 4, `${cut} of ${source.length} went, ${head.length} and ${tail.length} stayed`);
}

describe("the mixed form of tool_calls answered by function_call_output", () => {
  const mixed = (/** @type {number} */ count) => times(count, (index) => [
    { role: "assistant", tool_calls: [{ id: `call-${index}`, type: "function", function: { name: "read", arguments: "{}" } }] },
    { type: "function_call_output", call_id: `call-${index}`, output: `${index} ${prose(200)}` },
    { role: "assistant", content: `Read number ${index}.` },
  ]);

  it("clears like the others", () => {
    const items = mixed(8);
    const { items: out, report } = project(items, { maxRecentToolResults: 5 });
    assert.deepEqual(report.notes, ["tier1 microcompact: cleared 3 old tool result(s), kept recent 5"]);
    out.forEach((item, index) => {
      if (index >= 9 || index % 3 !== 1) assert.equal(item, items[index]);
      else assert.deepEqual(item, { ...items[index], output: `[tool result cleared: read(call-${(index + 2) / 3})]` });
    });
  });

  it("keeps calls and results together", () => {
    const items = [{ role: "user", content: "Read." }, ...mixed(8)];
    for (let maxItems = 4; maxItems < 25; maxItems += 1) {
      const out = /** @type {Item[]} */ (project(items, { maxItems }).items);
      const calls = out.flatMap((item) => item.tool_calls ?? []).map(({ id }) => id);
      assert.deepEqual(out.filter((item) => item.type === "function_call_output").map((item) => item.call_id), calls);
      assert.ok(out.length <= maxItems);
    }
  });
});

describe("placeholders", () => {
  it("say what is known", () => {
    const gemini = [
      { role: "user", parts: [{ text: "Go" }] },
      { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "look", response: { output: prose(200) } } }] },
      { role: "model", parts: [{ text: "Done." }] },
    ];
    const out = /** @type {Item[]} */ (project(gemini, { maxRecentToolResults: 0 }).items);
    assert.deepEqual(out[2]?.parts[0].functionResponse, { name: "look", response: { output: "[tool result cleared: look]" } });
    const chained = [
      { type: "function_call_output", call_id: "far", output: prose(200) },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
    ];
    const kept = /** @type {Item[]} */ (project(chained, { maxRecentToolResults: 0 }, { chained: true }).items);
    assert.equal(kept[0]?.output, "[tool result cleared: far]");
  });
});

describe("images", () => {
  const data = (/** @type {string} */ letter) => `data:image/png;base64,${letter.repeat(400)}`;
  /** @param {string} letter @returns {Item[]} */
  const shot = (letter) => [
    { type: "reasoning", id: `rs_${letter}`, summary: [], encrypted_content: letter.repeat(40) },
    { type: "computer_call", id: `cu_${letter}`, call_id: `c_${letter}`, status: "completed", pending_safety_checks: [], action: { type: "screenshot" } },
    { type: "computer_call_output", call_id: `c_${letter}`, output: { type: "computer_screenshot", image_url: data(letter) } },
  ];
  const text = (/** @type {string} */ letter) => ({ type: "message", role: "assistant", content: [{ type: "output_text", text: letter }] });

  it("take a computer call and its screenshot away together, with its reasoning", () => {
    const items = [{ type: "message", role: "user", content: [{ type: "input_text", text: "Look." }] }, ...[..."ABCD"].flatMap((letter) => [...shot(letter), text(letter)])];
    const { items: out, report } = project(items, { maxRecentImages: 2 }, { store: false });
    const rest = out.map((item) => JSON.stringify(item)).join("\n");
    for (const letter of "AB") assert.ok(!rest.includes(`c_${letter}`) && !rest.includes(`rs_${letter}`), letter);
    for (const letter of "CD") for (const item of items.filter((each) => JSON.stringify(each).includes(`_${letter}"`))) assert.ok(out.includes(item));
    assert.equal(report.droppedItemCount, 6);
    assert.ok(report.ledger.some(({ fate, reason }) => fate === "dropped" && reason.includes("maxRecentImages")));
  });

  it("stay when only results are cleared", () => {
    const items = [...[..."ABC"].flatMap((letter) => [...shot(letter), text(letter)])];
    const { items: out } = project(items, { maxRecentToolResults: 0 });
    out.forEach((item, index) => assert.equal(item, items[index]));
  });

  /** @type {[dialect: Dialect, image: (letter: string) => Item][]} */
  const shapes = [
    ["openai-responses", (letter) => ({ type: "message", role: "user", content: [{ type: "input_text", text: letter }, { type: "input_image", detail: "auto", image_url: data(letter) }] })],
    ["openai-chat", (letter) => ({ role: "user", content: [{ type: "text", text: letter }, { type: "image_url", image_url: { url: data(letter) } }] })],
    ["anthropic", (letter) => ({ role: "user", content: [{ type: "text", text: letter }, { type: "image", source: { type: "base64", media_type: "image/png", data: letter.repeat(400) } }] })],
    ["gemini", (letter) => ({ role: "user", parts: [{ text: letter }, { inlineData: { mimeType: "image/png", data: letter.repeat(400) } }] })],
    ["ai-sdk", (letter) => ({ role: "user", content: [{ type: "text", text: letter }, { type: "image", image: letter.repeat(400), mediaType: "image/png" }] })],
    ["ai-sdk-ui", (letter) => ({ id: letter, role: "user", parts: [{ type: "text", text: letter }, { type: "file", mediaType: "image/png", url: data(letter) }] })],
  ];
  for (const [dialect, image] of shapes) {
    it(`of ${dialect} go, oldest first, and the words beside them stay`, () => {
      const items = [..."ABCD"].flatMap((letter) => [image(letter), builders[dialect].assistant("Seen.")]);
      const { items: out, report } = project(items, { maxRecentImages: 2 }, { dialect });
      const texts = out.map((item) => JSON.stringify(item));
      assert.equal(out.length, items.length);
      for (const [index, letter] of [..."ABCD"].entries()) {
        assert.equal(texts[index * 2]?.includes(letter.repeat(400)), index >= 2, `${letter}: ${texts[index * 2]?.slice(0, 200)}`);
        assert.ok(texts[index * 2]?.includes(`"${letter}"`));
        if (index >= 2) assert.equal(out[index * 2], items[index * 2]);
      }
      assert.ok(report.sourceApproxChars - report.projectedApproxChars > 2 * 6_000);
    });
  }
});

describe("Tier 2", () => {
  /** @type {{ [name: string]: { dialect: Dialect, think: (n: number) => Item[], options?: import("../../src/js/types.d.ts").ProjectOptions, whole: boolean }}} */
  const shapes = {
    "openai-responses": { dialect: "openai-responses", whole: true, think: (n) => [
      { type: "reasoning", id: `rs_${n}`, summary: [], encrypted_content: `SECRET${n}` },
      { type: "message", id: `msg_${n}`, role: "assistant", content: [{ type: "output_text", text: `Answer ${n}.` }] },
    ] },
    "openai-chat": { dialect: "openai-chat", whole: false, think: (n) => [{ role: "assistant", content: `Answer ${n}.`, reasoning_content: `SECRET${n}` }] },
    anthropic: { dialect: "anthropic", whole: false, think: (n) => [{ role: "assistant", content: [{ type: "thinking", thinking: `SECRET${n}`, signature: "c2ln" }, { type: "text", text: `Answer ${n}.` }] }] },
    "anthropic, redacted": { dialect: "anthropic", whole: false, think: (n) => [{ role: "assistant", content: [{ type: "redacted_thinking", data: `SECRET${n}` }, { type: "text", text: `Answer ${n}.` }] }] },
    gemini: { dialect: "gemini", whole: false, think: (n) => [{ role: "model", parts: [{ text: `SECRET${n}`, thought: true }, { text: `Answer ${n}.` }] }] },
    "ai-sdk": { dialect: "ai-sdk", whole: false, think: (n) => [{ role: "assistant", content: [{ type: "reasoning", text: `SECRET${n}` }, { type: "text", text: `Answer ${n}.` }] }] },
    "ai-sdk-ui": { dialect: "ai-sdk-ui", whole: false, think: (n) => [{ id: `a${n}`, role: "assistant", parts: [{ type: "reasoning", text: `SECRET${n}` }, { type: "text", text: `Answer ${n}.` }] }] },
  };
  for (const [name, { dialect, think, whole }] of Object.entries(shapes)) {
    it(`${name}: reasoning of earlier turns goes, the words stay, the running turn is whole`, () => {
      const turns = [1, 2, 3].map((n) => [builders[dialect].user(`Question ${n}?`), ...think(n)]);
      const { items: out, report } = project(turns.flat(), { trimOldReasoning: true }, { dialect });
      const text = JSON.stringify(out);
      for (const n of [1, 2]) assert.ok(!text.includes(`SECRET${n}`), `turn ${n}`);
      for (const n of [1, 2, 3]) assert.ok(text.includes(`Answer ${n}.`), `turn ${n}`);
      const last = turns[2] ?? [];
      assert.deepEqual(out.slice(-last.length), last);
      last.forEach((item, index) => assert.equal(out.at(index - last.length), item));
      assert.ok(report.notes.includes("tier2 reasoning-trim: cleared 2 reasoning item(s)"), report.notes.join("\n"));
      assert.equal(report.droppedItemCount, whole ? 2 : 0);
      assert.ok(report.ledger.some(({ reason }) => reason.includes("trimOldReasoning")));
    });

    it(`${name}: without a user message there is no earlier turn`, () => {
      const items = [1, 2, 3].flatMap(think);
      const out = project(items, { trimOldReasoning: true }, { dialect }).items;
      // At Anthropic an opener is put before them.
      assert.deepEqual(out.filter((item) => items.includes(item)), items);
      assert.equal(out.length, dialect === "anthropic" ? 4 : items.length);
    });
  }

  it("at OpenAI what followed loses its id, never its call_id", () => {
    const items = [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Read." }] },
      { type: "reasoning", id: "rs_1", summary: [] },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "Text." },
      { type: "reasoning", id: "rs_2", summary: [] },
      { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Read." }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Again." }] },
    ];
    const { items: out } = project(items, { trimOldReasoning: true });
    const without = (/** @type {any} */ { id, ...rest }) => rest;
    assert.deepEqual(out, [items[0], without(items[2]), items[3], without(items[5]), items[6]]);
  });
});

describe("calls that reasoning or a signature is bound to", () => {
  const args = { text: prose(500) };
  const budget = { maxRecentToolResults: 1, clearToolInputs: true, maxToolInputChars: 100 };

  it("keep their arguments at OpenAI, where responses are stored, and a note says how many", () => {
    const items = [builders["openai-responses"].user("Read."), ...times(3, (index) => [
      { type: "reasoning", id: `rs_${index}`, summary: [] },
      { type: "function_call", id: `fc_${index}`, call_id: `call_${index}`, name: "read", arguments: JSON.stringify(args) },
      { type: "function_call_output", call_id: `call_${index}`, output: prose(500) },
    ]), ...builders["openai-responses"].exchange("free", "read", args, prose(500)), builders["openai-responses"].assistant("Read.")];
    const { items: out, report } = project(items, budget);
    for (const at of [2, 5, 8]) {
      assert.equal(out[at], items[at]);
      assert.match(/** @type {Item} */ (out[at + 1]).output, /^\[tool result cleared/);
    }
    assert.ok(JSON.parse(/** @type {Item} */ (out[10]).arguments).text.length <= 100, "a call without reasoning is free");
    assert.ok(report.notes.some((note) => /^arguments of 3 call/.test(note)), report.notes.join("\n"));
  });

  it("keep them at Gemini in the running turn", () => {
    const turn = (/** @type {number} */ number) => [builders.gemini.user("Read."), ...times(3, (index) => [
      { role: "model", parts: [{ functionCall: { id: `c${number}${index}`, name: "read", args }, thoughtSignature: "c2lnbmF0dXJl" }] },
      { role: "user", parts: [{ functionResponse: { id: `c${number}${index}`, name: "read", response: { output: prose(500) } } }] },
    ]), builders.gemini.assistant("Read.")];
    const items = turn(1);
    const { items: out, report } = project(items, budget, { dialect: "gemini" });
    for (const at of [1, 3, 5]) assert.equal(out[at], items[at]);
    assert.ok(report.notes.some((note) => /^arguments of 3 call/.test(note)), report.notes.join("\n"));
    assert.match(JSON.stringify(out[2]), /tool result cleared/);
  });
});

describe("the summary's other role", () => {
  for (const dialect of /** @type {Dialect[]} */ (["openai-responses", "openai-chat", "ai-sdk"])) {
    it(`${dialect} takes a system item`, () => {
      const items = [builders[dialect].user("Go on."), builders[dialect].assistant("Gone.")];
      const { items: out } = project(items, {}, { dialect, summary: "Before.", summaryRole: "system" });
      assert.equal(out.length, 3);
      assert.equal(/** @type {Item} */ (out[0]).role, "system");
      assert.match(JSON.stringify(out[0]), /Before\./);
    });
  }
});

describe("the pinned prefix", () => {
  it("is widened to the end of a step, with a note", () => {
    const items = [builders["openai-chat"].user("Read."), ...times(6, (index) => builders["openai-chat"].exchange(`c${index}`, "read", {}, "Text.")), builders["openai-chat"].assistant("Done.")];
    const { items: out, report } = project(items, { maxItems: 6, pinnedPrefixItems: 2 });
    assert.deepEqual(out.slice(0, 3), items.slice(0, 3));
    assert.ok(report.notes.some((note) => /pinnedPrefixItems.*\b2\b.*\b3\b/.test(note)), report.notes.join("\n"));
    assert.equal(runs(report).startsWith("pinned 0–3, dropped"), true);
    const exact = project(items, { maxItems: 6, pinnedPrefixItems: 3 });
    assert.ok(!exact.report.notes.some((note) => note.includes("pinnedPrefixItems")));
    assert.deepEqual(exact.items, out);
  });

  it("longer than the history pins all of it", () => {
    const items = [builders.anthropic.user("Hello."), builders.anthropic.assistant("Hello.")];
    const { report } = project(items, { maxItems: 1, pinnedPrefixItems: 50 });
    assert.equal(runs(report), "pinned 0–2");
    assert.equal(report.overBudget, true);
  });
});

describe("the report", () => {
  const order = [
    "sourceItemCount", "projectedItemCount", "droppedItemCount", "insertedItemCount", "joinedItemCount", "sourceApproxChars", "projectedApproxChars", "sourceTokens",
    "projectedTokens", "itemLimitApplied", "characterLimitApplied", "tokenLimitApplied", "overBudget", "stablePrefixItems", "rebased", "pendingCallIds", "notes", "ledger",
  ];
  const items = times(6, (index) => [builders.anthropic.user(`Question ${index}?`), builders.anthropic.assistant(`Answer ${index}.`)]);

  it("has its fields in one order, the ledger last, enumerable and in JSON", () => {
    const { report } = project(items, { maxItems: 4 });
    assert.deepEqual(Object.keys(report), order);
    const copy = JSON.parse(JSON.stringify(report));
    assert.deepEqual(Object.keys(copy), order);
    assert.deepEqual(copy.ledger, [{ from: 0, to: 8, fate: "dropped", reason: "maxItems" }, { from: 8, to: 12, fate: "kept", reason: "" }]);
    assert.deepEqual(Object.keys(JSON.parse(pkg.projectJson(JSON.stringify(items), { maxItems: 4 })).report), order);
    assert.deepEqual({ ...project(items, { maxItems: 4 }).report }, copy);
    assert.deepEqual(structuredClone(project(items, { maxItems: 4 }).report), copy);
  });

  it("reads its ledger once, and lets it be changed", () => {
    const { report } = project(items, { maxItems: 4 });
    const { ledger } = report;
    assert.equal(report.ledger, ledger);
    report.ledger = [];
    assert.deepEqual(report.ledger, []);
    // One report's ledger is not another's.
    assert.equal(project(items, { maxItems: 4 }).report.ledger.length, 2);
  });

  it("keeps its ledger when other projections have come between", () => {
    const { report } = project(items, { maxItems: 4 });
    for (let count = 1; count < 12; count += 1) project(items.slice(0, count), { maxItems: 1, maxApproxChars: 10 });
    assert.equal(runs(report), "dropped 0–8, kept 8–12");
  });

  it("counts tokens only when asked", () => {
    assert.equal(project(items).report.sourceTokens, null);
    assert.equal(project(items).report.projectedTokens, null);
    assert.ok(Number(project(items, { maxTokens: 10_000 }).report.sourceTokens) > 12 * 4);
    const { report } = project(items, {}, { countTokens: (text) => text.length });
    const texts = items.map((item) => `${item.role}\ntext\n${item.content[0].text}`.length + 4);
    assert.equal(report.sourceTokens, texts.reduce((sum, each) => sum + each));
  });

  it("takes the overhead off maxTokens, and nothing left is no error", () => {
    const countTokens = () => 6;
    const most = (/** @type {number} */ maxTokens, overheadTokens = 0) => project(items, { maxTokens, overheadTokens }, { countTokens });
    assert.equal(most(40).items.length, 4);
    assert.deepEqual(most(140, 100).items, most(40).items);
    assert.deepEqual(most(40).report.notes, ["maxTokens applied: 40"]);
    assert.equal(most(40).report.tokenLimitApplied, true);
    for (const overhead of [100, 200]) assert.equal(most(100, overhead).report.overBudget, true);
  });
});
