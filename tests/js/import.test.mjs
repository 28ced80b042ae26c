// The importer: real session files against the items cut out of them, every other corpus file as the array that it is, and
// what happens to broken files. Needs no built package, but for one case.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { describe, it } from "node:test";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import { importTranscript, importTranscriptWithProgress } from "../../src/js/import/index.js";

/** @typedef {{ [key: string]: any }} Plain */

/** @param {string} path */
const beside = (path) => fileURLToPath(new URL(path, import.meta.url));
const corpus = env.CONTEXT_PROJECTOR_CORPUS ? resolve(env.CONTEXT_PROJECTOR_CORPUS) : beside("../../../shared/corpus");
const cases = join(dirname(corpus), "cases");
const noCorpus = existsSync(join(corpus, "sessions")) ? false : `no corpus at ${corpus}`;
const noCases = existsSync(cases) ? false : `no cases at ${cases}`;

/** @param {string} folder @returns {string[]} */
function filesOf(folder) {
  if (!existsSync(join(corpus, folder))) return [];
  return readdirSync(join(corpus, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.jsonl?$/.test(name))
    .map((name) => join(corpus, folder, name))
    .sort();
}

/** @param {string} file */
const load = (file) => readFileSync(file, "utf8");
/** @param {readonly unknown[]} values */
const lines = (values) => values.map((value) => JSON.stringify(value)).join("\n");

const sessions = filesOf("sessions");
const arrays = [...filesOf("items"), ...filesOf("derived")];
const SOURCES = new Map([
  ["claude-code", ["claude code session", "anthropic"]],
  ["claude-code-cua", ["claude code session", "anthropic"]],
  ["codex", ["codex rollout", "openai-responses"]],
  ["gemini-cli", ["gemini cli session", "gemini"]],
]);

/**
 * Where an import differs from its counterpart on purpose: base name → why, and the items that are to come instead. None does so far.
 * @type {Map<string, { why: string, items: (counterpart: Plain[]) => Plain[] }>}
 */
const DIFFERENCES = new Map();

/**
 * Files whose shape proves no dialect, so that the default comes out, as in the core: base name → why.
 * @type {Map<string, string>}
 */
const UNPROVEN = new Map([
  ["api-pyai-bedrock_anthropic_tool_result_followed_by_document_accepted.json", "blocks of Bedrock's Converse API, which is no dialect"],
  ["api-pyai-mistral_model_thinking_part.json", "one user message with a string: fits four dialects"],
  ["api-pyai-openai_responses_compact_messages.json", "roles and strings only: fits four dialects"],
]);

/** What E-A-NORESULT, -RESULTORDER, -ORPHRES and -DUPRES ask for. @param {Plain[]} items */
function assertAnthropic(items) {
  /** @type {Plain[]} */
  const turns = [];
  for (const { role, content } of items) {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    assert.ok(blocks.length > 0, "content is not empty");
    const last = turns.at(-1);
    if (last && last.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks: [...blocks] });
  }
  turns.forEach(({ role, blocks }, index) => {
    const uses = role === "assistant" ? blocks.filter((/** @type {Plain} */ block) => block.type === "tool_use") : [];
    const next = turns[index + 1]?.blocks ?? [];
    const results = role === "assistant" ? next.filter((/** @type {Plain} */ block) => block.type === "tool_result") : [];
    assert.deepEqual(results.map((/** @type {Plain} */ block) => block.tool_use_id).sort(), uses.map((/** @type {Plain} */ block) => block.id).sort());
    assert.deepEqual(next.slice(0, results.length), results, "results come first");
  });
}

/** Numbers that are the same in every run. @param {number} seed */
function random(seed) {
  let state = seed >>> 0;
  return (/** @type {number} */ below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe("cases of import", { skip: noCases }, () => {
  const all = noCases ? [] : readdirSync(cases).filter((name) => name.endsWith(".json")).map((name) => JSON.parse(load(join(cases, name))));
  const mine = all.filter(({ op }) => op === "import");
  it("are there", () => assert.ok(mine.length >= 3, `${mine.length}`));
  for (const { id, shape, items: records, checks, budget } of mine) {
    it(id, async () => {
      const raw = shape === "openai-chat-jsonl-lines";
      const found = importTranscript(raw ? records.map((/** @type {unknown} */ record) => (typeof record === "string" ? record : JSON.stringify(record))).join("\n") : lines(records));
      if (checks.validAfterImport === "anthropic") assertAnthropic(found.items);
      let { items } = found;
      if (checks.drops) {
        const { pkg } = await import("./load.mjs");
        items = pkg.project(items, budget).items;
      }
      const text = JSON.stringify(items);
      for (const kept of checks.keeps ?? []) assert.ok(text.includes(kept), kept);
      for (const dropped of checks.drops ?? []) assert.ok(!text.includes(dropped), dropped);
      let at = -1;
      for (const next of checks.order ?? []) assert.ok((at = text.indexOf(next, at + 1)) >= 0, `${next} in order`);
      // What the cases' `expect` says in words.
      if (id === "corrupt-lines-do-not-eat-the-limit") assert.deepEqual(found.problems.map(({ line }) => line), [2, 5]);
      else if (id === "resume-dangling-parent") {
        assert.equal(items.length, 3);
        assert.deepEqual(found.problems.map(({ line }) => line), [3]);
        assert.match(found.problems[0]?.message ?? "", /dangling-parent.*missing-uuid/);
      } else if (id === "resume-parallel-results-on-sibling-branches") {
        assert.deepEqual(items.map(({ role, content }) => [role, content.length]), [["assistant", 2], ["user", 2], ["assistant", 1]]);
        assert.deepEqual(found.problems, []);
      } else assert.deepEqual(found.problems, []);
    });
  }
});

describe("real sessions", { skip: noCorpus }, () => {
  for (const file of sessions) {
    const counterpart = arrays.find((other) => dirname(dirname(other)).endsWith("items") && basename(other) === basename(file).replace(/\.jsonl$/, ".json"));
    it(`${relative(corpus, file)} imports${counterpart ? " as its counterpart" : ""}`, () => {
      const { items, source, dialect, problems } = importTranscript(load(file));
      assert.deepEqual([source, dialect], SOURCES.get(basename(dirname(file))));
      assert.deepEqual(problems, []);
      assert.ok(items.length > 0);
      if (!counterpart) return;
      const wanted = JSON.parse(load(counterpart));
      const difference = DIFFERENCES.get(basename(file));
      // As text, so that the order of keys counts too.
      assert.equal(lines(items), lines(difference ? difference.items(wanted) : wanted), difference?.why);
    });
  }

  it("have counterparts", () => {
    const names = new Set(arrays.map((file) => basename(file, ".json")));
    assert.ok(sessions.length >= 10);
    assert.ok(sessions.filter((file) => names.has(basename(file).replace(/\.jsonl?$/, ""))).length >= 10);
  });
});

describe("corpus arrays", { skip: noCorpus }, () => {
  /** @param {string} file */
  const dialectOf = (file) => {
    const folder = basename(dirname(file));
    if (UNPROVEN.has(basename(file)) && !file.includes("openai-chat")) return "openai-chat";
    return folder === "ai-sdk-model" ? "ai-sdk" : folder;
  };

  it("are there", () => assert.ok(arrays.length > 80, `${arrays.length}`));
  for (const file of arrays) {
    it(relative(corpus, file), () => {
      const text = load(file);
      const items = JSON.parse(text);
      const dialect = dialectOf(file);
      assert.deepEqual(importTranscript(text), { items, dialect, source: "json array", problems: [] });
      assert.deepEqual(importTranscript(lines(items)), { items, dialect, source: "jsonl", problems: [] });
      const windows = `\ufeff\r\n${lines(items).replaceAll("\n", "\r\n\r\n")}\r\n`;
      assert.deepEqual(importTranscript(windows), { items, dialect, source: "jsonl", problems: [] });
      assert.deepEqual(importTranscript(JSON.stringify(items, null, 2)), { items, dialect, source: "json array", problems: [] });
      for (const key of ["messages", "input", "contents", "items", "history"]) {
        const wrapped = JSON.stringify({ model: "m", tools: [{ name: "t" }], [key]: items, temperature: 1 });
        assert.deepEqual(importTranscript(wrapped), { items, dialect, source: "json object", problems: [] });
      }
    });
  }
});

describe("broken files", () => {
  const user = (/** @type {string} */ content) => ({ role: "user", content });
  /** @type {[name: string, text: string, contents: string[], lines: number[], words: RegExp][]} */
  const table = [
    ["bad JSON between lines", `${lines([user("a")])}\n{"role": user}\n${lines([user("b")])}`, ["a", "b"], [2], /not valid JSON/],
    ["a broken first line", `{"role":"user","con\r\n\r\n${lines([user("a")])}\n`, ["a"], [1], /not valid JSON/],
    ["a truncated last line", `${lines([user("a"), user("b")])}\n{"role":"user","content":"c`, ["a", "b"], [3], /ends in the middle/],
    ["binary garbage", `\0\u0001\ufffd\n${lines([user("a")])}\n\ufffd\ufffd`, ["a"], [1, 3], /binary/],
    ["a value that is no item", `${lines([user("a"), 42, "text", null, [], { a: 1 }, user("b")])}`, ["a", "b"], [2, 3, 4, 5, 6], /no item/],
    ["a line that is too deep", `${deep(501)}\n${lines([user("a")])}\n${deep(2_000_000)}`, ["a"], [1, 3], /500 levels/],
    ["an array cut off", JSON.stringify([user("a"), user("b"), user("c")], null, 1).slice(0, -10), ["a", "b"], [10], /no end/],
    ["an array cut off between items", `[\n${lines([user("a")])},\n`, ["a"], [3], /ends before/],
    ["an array on one line, cut off", JSON.stringify([user("a"), user("b")]).slice(0, -5), ["a"], [1], /no end/],
    ["a wrapped array cut off", JSON.stringify({ model: "m", messages: [user("a"), user("b")] }, null, 1).slice(0, -12), ["a"], [8], /no end/],
    ["an object cut off after its array", `{"messages":[${lines([user("a")])}],"model":"m`, ["a"], [1], /not whole/],
    ["an array with a missing quote", `[\n${lines([user("a")])},\n{"role":"user","content":"b},\n${lines([user("c")])}\n]`, ["a", "c"], [3], /not valid JSON/],
    ["an array with a missing bracket", `[\n${lines([user("a")])},\n{"role":"user","content":["b"},\n${lines([user("c")])}\n]`, ["a", "c"], [3], /not valid JSON/],
    ["an array with a missing comma inside", `[${lines([user("a")])},{"role":"user" "content":"b"},${lines([user("c")])}]`, ["a", "c"], [1], /not valid JSON/],
    ["an array with deep items", `[\n${deep(500)},\n${deep(501)},\n${deep(1_000_000)}\n]`, ["deep"], [3, 4], /500 levels/],
    ["something after an array", `[\n${lines([user("a")])}\n]\nmore`, ["a"], [4], /after the end/],
    ["several histories, one a line", lines([{ messages: [user("a"), user("b")] }, { messages: [user("c")] }]), ["a", "b"], [2], /further history/],
  ];
  /** @param {number} levels */
  function deep(levels) {
    return `{"role":"user","content":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  }
  for (const [name, text, contents, where, words] of table) {
    it(`${name}: the rest is read, the place is told`, () => {
      const { items, problems } = importTranscript(text);
      assert.deepEqual(items.map(({ content }) => (typeof content === "string" ? content : "deep")), contents);
      assert.deepEqual(problems.map(({ line }) => line), where);
      for (const { message } of problems) assert.match(message, words);
    });
  }

  /** @type {[name: string, text: string, words: RegExp][]} */
  const nothing = [
    ["an empty file", "", /empty/],
    ["blanks and a byte order mark", "\ufeff \r\n\t\n", /empty/],
    ["prose", "Dear all,\n\nplease find attached.\n", /nothing in it is JSON/],
    ["a log", "[2031-01-01 10:00] started\n[2031-01-01 10:01] stopped\n", /nothing in it is JSON/],
    ["binary data", "\u007fELF\u0002\u0001\0\0\n\0\0", /binary/],
    ["other JSON", JSON.stringify({ name: "x", version: "1.0.0", files: ["a"] }, null, 2), /no transcript/],
    ["a list of numbers", "[1,2,3]", /no transcript/],
    ["a feature list", JSON.stringify({ items: [{ type: "Feature", geometry: null }] }), /no transcript/],
    ["an empty list", "[]", /empty list/],
    ["one broken line", '{"role":"user","content":"x', /Line 1/],
    ["only brackets", "[".repeat(1_000_000), /no transcript/],
    ["a session without messages", lines([{ type: "summary", summary: "s", leafUuid: "u" }]), /claude code session holds no messages/],
  ];
  for (const [name, text, words] of nothing) {
    it(`${name}: no items, and one sentence`, () => {
      const { items, problems } = importTranscript(text);
      assert.deepEqual(items, []);
      assert.equal(problems.length, 1);
      assert.ok(problems[0] && problems[0].line <= 1);
      assert.match(problems[0]?.message ?? "", words);
      assert.match(problems[0]?.message ?? "", /^[A-Z].*\.$/);
    });
  }

  it("only a text is taken", () => {
    assert.throws(() => importTranscript(/** @type {any} */ (null)), { name: "ContextProjectorError", code: "invalid_option" });
  });

  it("no file throws or makes items up when cut, torn or spoilt at random places", { skip: noCorpus }, () => {
    const next = random(20_310_101);
    for (const file of [...sessions, ...arrays]) {
      const text = load(file);
      const items = importTranscript(text).items.length;
      for (let round = 0; round < 6; round += 1) {
        const at = next(text.length);
        const upTo = Math.min(text.length, at + next(400));
        const cut = importTranscript(text.slice(0, at));
        assert.ok(cut.items.length <= items, file);
        assert.ok(cut.items.length > 0 || cut.problems.length > 0, file);
        for (const spoilt of [text.slice(at), text.slice(0, at) + text.slice(upTo), `${text.slice(0, at)}\0"]}{[\n${text.slice(upTo)}`]) {
          const found = importTranscript(spoilt);
          assert.ok(found.items.length > 0 || found.problems.length > 0, file);
          for (const { line, message } of found.problems) assert.ok(Number.isInteger(line) && line >= 0 && message.endsWith("."), message);
        }
      }
    }
  });

  it("time grows with the length, not with its square", () => {
    const item = lines([{ role: "user", content: "x" }]);
    /** @type {((n: number) => string)[]} */
    const bad = [
      (n) => `[\n${item},\n${'{"role":"u","a":[\n'.repeat(n)}`,
      (n) => `[\n${item},\n${'{"role":"u","a":"x\n'.repeat(n)}`,
      (n) => `[${item},${'{"a":['.repeat(n)}`,
      (n) => `{"messages":[${item}],${'"memory":{'.repeat(n)}`,
      (n) => `${item}\n${'{"a":"\n'.repeat(n)}`,
      (n) => lines(Array.from({ length: n }, (_, i) => ({ type: "user", uuid: `u${i}`, parentUuid: "u0", message: { role: "user", content: "x" } }))),
      (n) => lines(Array.from({ length: n }, (_, i) => ({ type: "assistant", uuid: `u${i}`, parentUuid: `u${i - 1}`, message: { id: "m", role: "assistant", content: [{ type: "text", text: "x" }] } }))),
    ];
    for (const make of bad) {
      const start = performance.now();
      importTranscript(make(60_000));
      // Quadratic work would take minutes.
      assert.ok(performance.now() - start < 8_000, make.toString());
    }
  });
});

describe("Claude Code", () => {
  /** @param {string} uuid @param {string | null} parentUuid @param {unknown} content @param {Plain} [more] */
  const user = (uuid, parentUuid, content, more) => ({ type: "user", uuid, parentUuid, message: { role: "user", content }, ...more });
  /** @param {string} uuid @param {string | null} parentUuid @param {string} id @param {unknown} content @param {Plain} [more] */
  const answer = (uuid, parentUuid, id, content, more) => ({ type: "assistant", uuid, parentUuid, message: { id, role: "assistant", model: "m", content }, ...more });
  /** @param {string} id */
  const use = (id) => ({ type: "tool_use", id, name: "read", input: {} });
  /** @param {string} id */
  const result = (id) => ({ type: "tool_result", tool_use_id: id, content: `result ${id}` });
  const text = (/** @type {string} */ words) => ({ type: "text", text: words });

  it("leaves out what was never sent", () => {
    const { items, problems } = importTranscript(lines([
      { type: "file-history-snapshot", messageId: "x", snapshot: {} },
      user("1", null, "meta", { isMeta: true }),
      user("2", "1", "prompt"),
      { type: "attachment", uuid: "3", parentUuid: "2", attachment: {} },
      user("s1", null, "side", { isSidechain: true }),
      { type: "assistant", uuid: "4", parentUuid: "3", message: { id: "m0", role: "assistant", model: "<synthetic>", content: [text("API error")] } },
      answer("5", "4", "m1", [text("answer")]),
      { type: "system", uuid: "6", parentUuid: "5", content: "note" },
      { type: "queue-operation", operation: "enqueue", sessionId: "s" },
    ]));
    assert.deepEqual(items, [{ role: "user", content: "prompt" }, { role: "assistant", content: [text("answer")] }]);
    assert.deepEqual(problems, []);
  });

  it("puts late results after their call, before what the user wrote meanwhile, and text after results", () => {
    const { items } = importTranscript(lines([
      user("1", null, "go"),
      answer("2", "1", "m1", [use("A")]),
      user("3", "2", [result("A"), text("beside")]),
      answer("4", "2", "m1", [use("B")]),
      user("5", "4", "meanwhile"),
      user("6", "4", [result("B")]),
    ]));
    assert.deepEqual(items, [
      { role: "user", content: "go" },
      { role: "assistant", content: [use("A"), use("B")] },
      { role: "user", content: [result("A"), result("B"), text("beside")] },
      { role: "user", content: "meanwhile" },
    ]);
  });

  it("takes one result for a call, pairs a reused id with the newer call, and keeps orphans", () => {
    const { items, problems } = importTranscript(lines([
      answer("1", null, "m1", [use("A")]), user("2", "1", [result("A")]), user("3", "1", [result("A")]),
      answer("4", "3", "m2", [use("A")]), user("5", "4", [result("A")]), user("6", "5", [result("Z")]),
      answer("4", "3", "m2", [use("A")]),
    ]));
    assert.deepEqual(items.map(({ content }) => content.length), [1, 1, 1, 1, 1]);
    assert.deepEqual(problems.map(({ line }) => line), [3]);
    assert.match(problems[0]?.message ?? "", /second-result/);
  });

  it("leaves out a branch that was left by a rewind, and says so", () => {
    const { items, problems } = importTranscript(lines([
      user("1", null, "first"), answer("2", "1", "m1", [text("one")]),
      user("3", "2", "wrong way"), answer("4", "3", "m2", [use("A")]), user("5", "4", [result("A")]),
      user("6", "2", "right way"), answer("7", "6", "m3", [text("two")]),
    ]));
    assert.deepEqual(items.map(({ content }) => (typeof content === "string" ? content : content[0].text)), ["first", "one", "right way", "two"]);
    assert.deepEqual(problems.map(({ line }) => line), [3]);
    assert.match(problems[0]?.message ?? "", /left-branch.*3 record/);
  });

  it("restarts at a compaction's summary", () => {
    const { items } = importTranscript(lines([
      user("1", null, "first"), answer("2", "1", "m1", [text("one")]),
      { type: "system", subtype: "compact_boundary", uuid: "3", parentUuid: null, logicalParentUuid: "2" },
      user("4", "3", "the summary", { isCompactSummary: true, isVisibleInTranscriptOnly: true }), user("5", "4", "next"),
    ]));
    assert.deepEqual(items.map(({ content }) => content), ["the summary", "next"]);
  });

  it("reads the file of a sub-agent, which is a side chain as a whole", () => {
    const { items } = importTranscript(lines([user("1", null, "task", { isSidechain: true }), answer("2", "1", "m", [text("done")], { isSidechain: true })]));
    assert.equal(items.length, 2);
  });
});

describe("Codex", () => {
  const message = (/** @type {string} */ role, /** @type {string} */ text) => ({ type: "message", role, content: [{ type: role === "assistant" ? "output_text" : "input_text", text }] });
  const item = (/** @type {Plain} */ payload) => ({ timestamp: "t", type: "response_item", payload });
  const head = { timestamp: "t", type: "session_meta", payload: { id: "x" } };

  it("reads the bare items of old rollouts", () => {
    const call = { type: "function_call", name: "shell", arguments: "{}", call_id: "c" };
    const found = importTranscript(lines([{ id: "x", timestamp: "t", instructions: null }, { record_type: "state" }, message("user", "a"), call]));
    assert.deepEqual(found, { items: [message("user", "a"), call], dialect: "openai-responses", source: "codex rollout", problems: [] });
  });

  it("leaves out local records", () => {
    const found = importTranscript(lines([head, item({ type: "ghost_snapshot" }), item(message("user", "a")), { type: "world_state", payload: {} }, { type: "event_msg", payload: { type: "user_message" } }]));
    assert.deepEqual(found.items, [message("user", "a")]);
  });

  it("restarts at a compaction, with its replacement or with the summary", () => {
    const before = [head, item(message("developer", "rules")), item(message("user", "a")), item(message("assistant", "b"))];
    const replaced = importTranscript(lines([...before, { type: "compacted", payload: { message: "", replacement_history: [message("user", "kept"), { type: "compaction", encrypted_content: "e" }] } }, item(message("user", "c"))]));
    assert.deepEqual(replaced.items, [message("user", "kept"), { type: "compaction", encrypted_content: "e" }, message("user", "c")]);
    const summed = importTranscript(lines([...before, { type: "compacted", payload: { message: "summary" } }, item(message("user", "c"))]));
    assert.deepEqual(summed.items, [message("developer", "rules"), message("user", "a"), message("user", "summary"), message("user", "c")]);
  });

  it("takes back turns that were rolled back", () => {
    const found = importTranscript(lines([
      head, item(message("user", "a")), item(message("assistant", "b")), item(message("user", "c")), item(message("user", "<environment_context>\n")), item(message("assistant", "d")),
      { type: "event_msg", payload: { type: "thread_rolled_back", num_turns: 1 } }, item(message("user", "e")),
    ]));
    assert.deepEqual(found.items, [message("user", "a"), message("assistant", "b"), message("user", "e")]);
  });
});

describe("Gemini CLI", () => {
  const session = { sessionId: "s", projectHash: "h", startTime: "t" };
  const call = { id: "c", name: "ls", args: { path: "." }, result: [{ functionResponse: { id: "c", name: "ls", response: { output: "x" } } }] };

  it("makes contents of messages, thoughts and calls", () => {
    const { items, source } = importTranscript(JSON.stringify({ ...session, messages: [
      { id: "1", type: "user", content: [{ text: "hi" }] },
      { id: "2", type: "info", content: "Update available" },
      { id: "3", type: "gemini", content: "", thoughts: [{ subject: "S", description: "D" }], toolCalls: [call, { id: "d", name: "open" }, { id: "e", name: "cat", args: {}, result: "plain" }] },
    ] }));
    assert.equal(source, "gemini cli session");
    assert.deepEqual(items, [
      { role: "user", parts: [{ text: "hi" }] },
      { role: "model", parts: [
        { text: "S: D", thought: true },
        { functionCall: { id: "c", name: "ls", args: { path: "." } } }, { functionCall: { id: "d", name: "open", args: {} } }, { functionCall: { id: "e", name: "cat", args: {} } },
      ] },
      { role: "user", parts: [call.result[0], { functionResponse: { id: "e", name: "cat", response: { output: "plain" } } }] },
    ]);
  });

  it("reads the lines of newer versions: again, rewound, replaced", () => {
    const text = [session, { id: "1", type: "user", content: "a" }, { id: "2", type: "gemini", content: "half" }, { id: "2", type: "gemini", content: "whole" }, { id: "3", type: "user", content: "b" }, { $rewindTo: "3" }, { $set: { lastUpdated: "t" } }];
    const { items, dialect } = importTranscript(lines(text));
    assert.equal(dialect, "gemini");
    assert.deepEqual(items, [{ role: "user", parts: [{ text: "a" }] }, { role: "model", parts: [{ text: "whole" }] }]);
  });
});

describe("pi", () => {
  const entry = (/** @type {string} */ id, /** @type {string | null} */ parentId, /** @type {Plain} */ message) => ({ type: "message", id, parentId, message });
  const head = { type: "session", version: 3, id: "s", cwd: "/" };
  const say = (/** @type {string} */ text) => ({ role: "user", content: text });
  const calls = { role: "assistant", api: "anthropic-messages", content: [
    { type: "thinking", thinking: "t", thinkingSignature: "sig" }, { type: "thinking", thinking: "unsigned" },
    { type: "toolCall", id: "A", name: "read", arguments: { f: 1 } }, { type: "toolCall", id: "B", name: "read", arguments: {} },
  ] };
  const result = (/** @type {string} */ toolCallId, isError = false) => ({ role: "toolResult", toolCallId, toolName: "read", isError, content: [{ type: "text", text: `r${toolCallId}` }] });

  it("makes Anthropic messages of the last branch", () => {
    const { items, source, problems } = importTranscript(lines([
      head, entry("1", null, say("a")), entry("x", "1", say("left")), entry("2", "1", calls), entry("3", "2", result("A")), entry("4", "3", result("B", true)),
    ]));
    assert.deepEqual([source, problems], ["pi session", []]);
    assertAnthropic(items);
    assert.deepEqual(items, [
      { role: "user", content: [{ type: "text", text: "a" }] },
      { role: "assistant", content: [{ type: "thinking", thinking: "t", signature: "sig" }, { type: "tool_use", id: "A", name: "read", input: { f: 1 } }, { type: "tool_use", id: "B", name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "A", content: [{ type: "text", text: "rA" }] }, { type: "tool_result", tool_use_id: "B", content: [{ type: "text", text: "rB" }], is_error: true }] },
    ]);
  });

  it("restarts at a compaction with what that kept", () => {
    const { items } = importTranscript(lines([
      head, entry("1", null, say("a")), entry("2", "1", say("b")), { type: "compaction", id: "3", parentId: "2", summary: "sum", firstKeptEntryId: "2" }, entry("4", "3", say("c")),
    ]));
    assert.deepEqual(items.map(({ content }) => content[0].text), ["sum", "b", "c"]);
  });
});

describe("import with progress", () => {
  const many = lines(Array.from({ length: 20_000 }, (_, index) => ({ role: "user", content: `${index} ${"x".repeat(60)}` })));

  it("gives the same, tells how far it is, and lets others work", async () => {
    /** @type {{ done: number, total: number }[]} */
    const told = [];
    let others = 0;
    const timer = setInterval(() => (others += 1), 0);
    for (const text of [many, `[${many.replaceAll("\n", ",\n")}]`, "", "prose"]) {
      told.length = 0;
      assert.deepEqual(await importTranscriptWithProgress(text, (progress) => void told.push(progress)), importTranscript(text));
      assert.ok(told.every(({ done, total }, index) => total === text.length && done <= total && done >= (told[index - 1]?.done ?? 0)));
      assert.deepEqual(told.at(-1), { done: text.length, total: text.length });
      if (text.length > 1_000_000) assert.ok(told.length > 3, `${told.length} times told`);
    }
    clearInterval(timer);
    assert.ok(others > 2, `${others} other tasks ran`);
  });

  it("gives the same for every session", { skip: noCorpus }, async () => {
    for (const file of sessions) assert.deepEqual(await importTranscriptWithProgress(load(file)), importTranscript(load(file)));
  });

  it("stops when aborted, with the reason", async () => {
    const control = new AbortController();
    const reason = new Error("enough");
    const running = importTranscriptWithProgress(many, ({ done }) => done > 500_000 && control.abort(reason), control.signal);
    await assert.rejects(running, { name: "ContextProjectorError", code: "aborted", cause: reason });
    await assert.rejects(importTranscriptWithProgress("", null, AbortSignal.abort()), { code: "aborted" });
  });

  it("passes an error of the listener through", async () => {
    await assert.rejects(importTranscriptWithProgress("x", () => assert.fail("mine")), { message: "mine" });
  });
});

describe("the sample trip.anthropic.json", () => {
  const text = load(beside("../../www/samples/trip.anthropic.json"));
  const { items, dialect, source, problems } = importTranscript(text);
  /** @type {Plain[]} */
  const blocks = items.flatMap(({ content }) => content);
  const results = blocks.filter(({ type }) => type === "tool_result");
  /** @param {Plain[]} list */
  const imagesOf = (list) => list.filter(({ type }) => type === "image");

  it("is an array of 60 to 90 Anthropic messages, one a line, at most 150 kB", () => {
    assert.deepEqual([dialect, source, problems], ["anthropic", "json array", []]);
    assert.ok(items.length >= 60 && items.length <= 90, `${items.length} items`);
    assert.equal(text.trimEnd().split("\n").length, items.length + 2);
    assert.ok(Buffer.byteLength(text) <= 150_000);
    assert.doesNotMatch(text, /\\ud[89a-f]/i, "no escaped surrogate");
  });

  it("obeys the rules: pairs, first results, alternating turns, no empty text, ids, an answer last", () => {
    assertAnthropic(items);
    items.forEach(({ role }, index) => assert.equal(role, index % 2 === 0 ? "user" : "assistant"));
    assert.equal(items.at(-1)?.role, "assistant");
    assert.doesNotMatch(blocks.at(-1)?.text, /\s$/);
    const ids = blocks.flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^[a-zA-Z0-9_-]{1,64}$/);
    for (const block of [...blocks, ...results.flatMap(({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content))]) {
      if (block.type === "text") assert.notEqual(block.text.trim(), "");
    }
  });

  it("opens each loop of tools with signed thinking, the last one at every step", () => {
    const turns = items.flatMap(({ role, content }, index) => (role === "user" && content[0].type !== "tool_result" ? [index] : []));
    assert.ok(turns.length >= 4 && turns.length <= 5);
    for (const index of turns) assert.equal(items[index + 1]?.content[0].type, "thinking");
    for (const { content } of items.slice(turns.at(-1))) {
      if (content.some((/** @type {Plain} */ block) => block.type === "tool_use")) assert.equal(content[0].type, "thinking");
    }
    for (const block of blocks) if (block.type === "thinking") assert.match(block.signature, /^[A-Za-z0-9+/]{100,}=*$/);
  });

  it("has images in messages and results, batches, an error, long results and many scripts", () => {
    const inResults = imagesOf(results.flatMap(({ content }) => (typeof content === "string" ? [] : content)));
    assert.ok(imagesOf(blocks).length >= 3 && inResults.length >= 3);
    for (const { source: image } of [...imagesOf(blocks), ...inResults]) {
      assert.equal(image.media_type, "image/png");
      assert.equal(Buffer.from(image.data, "base64").subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n");
      assert.ok(image.data.length < 1500);
    }
    assert.ok(results.some((block) => block.is_error === true));
    assert.ok(items.filter(({ content }) => content.filter((/** @type {Plain} */ block) => block.type === "tool_use").length >= 2).length >= 6);
    assert.ok(results.filter(({ content }) => Buffer.byteLength(JSON.stringify(content)) >= 2000).length >= 8);
    for (const script of ["Han", "Hiragana", "Katakana", "Arabic", "Devanagari", "Cyrillic"]) assert.match(text, new RegExp(`\\p{Script=${script}}`, "u"));
    assert.match(text, /\p{Emoji_Presentation}/u);
  });
});
