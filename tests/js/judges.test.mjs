// Other people's judgement: the AI SDK, its provider packages and LangChain take what we project, from the corpus and from
// generated histories that were broken on purpose.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { after, describe, it } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { coerceMessageLikeToMessage } from "@langchain/core/messages";
import * as ai7 from "ai";
import { MockLanguageModelV4 } from "ai/test";
import * as ai6 from "ai6";
import { MockLanguageModelV3 } from "ai6/test";
import fc from "fast-check";
import { render, scripts } from "./histories.mjs";
import { corpusFiles, pkg } from "./load.mjs";

/** @typedef {Record<string, any>} Fields */
/** @typedef {import("../../src/js/types.d.ts").Dialect} Dialect */

// What the SDK drops of another provider's reasoning is its own affair.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const RUNS = Number(process.env.CONTEXT_PROJECTOR_RUNS ?? 200);
const seed = Number(process.env.CONTEXT_PROJECTOR_SEED ?? 1);
const budgets = [
  {},
  { maxItems: 12, lowWater: 0.6 },
  { maxApproxChars: 4_000, maxRecentToolResults: 2, clearToolInputs: true, trimOldReasoning: true },
  { maxItems: 6, pinnedPrefixItems: 2, maxToolResultChars: 100, maxRecentImages: 1 },
];
/** Judgements by judge. @type {Record<string, number>} */
const judged = {};
after(() => {
  for (const [judge, count] of Object.entries(judged)) console.log(`# judgements of ${judge}: ${count}`);
  console.log(`# SDK judgements: ${Object.values(judged).reduce((all, count) => all + count, 0)} (seed ${seed})`);
});

/** @param {string} judge */
const count = (judge) => (judged[judge] = (judged[judge] ?? 0) + 1);

const silent = {
  doGenerate: /** @type {any} */ ({
    content: [{ type: "text", text: "ok" }],
    finishReason: { unified: "stop", raw: "stop" },
    usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
    warnings: [],
  }),
};

/** Both majors that are in use, each with a model that says nothing. @type {[name: string, sdk: any, model: () => any][]} */
const SDKS = [
  ["ai 7", ai7, () => new MockLanguageModelV4(silent)],
  ["ai 6", ai6, () => new MockLanguageModelV3(silent)],
];

/**
 * The SDK's own conversion.
 * @param {Fields[]} messages
 */
async function takenByGenerateText(messages) {
  if (messages.length === 0) return;
  for (const [name, sdk, model] of SDKS) {
    await sdk.generateText({ model: model(), messages, allowSystemInMessages: true, maxRetries: 0 });
    count(`generateText of ${name}`);
  }
}

/** @param {Fields[]} messages */
async function takenAsUiMessages(messages) {
  if (messages.length === 0) return;
  for (const [name, sdk, model] of SDKS) {
    const valid = await sdk.validateUIMessages({ messages });
    const converted = await sdk.convertToModelMessages(valid);
    if (converted.length > 0) await sdk.generateText({ model: model(), messages: converted, allowSystemInMessages: true, maxRetries: 0 });
    count(`validateUIMessages and convertToModelMessages of ${name}`);
  }
}

/** Enough of an answer for each provider's package. @type {Record<string, object>} */
const ANSWERS = {
  responses: { id: "resp_1", created_at: 0, model: "m", output: [{ type: "message", role: "assistant", id: "msg_1", content: [{ type: "output_text", text: "ok", annotations: [] }] }], usage: { input_tokens: 1, output_tokens: 1 } },
  "chat/completions": { id: "c", created: 0, model: "m", choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }], usage: { prompt_tokens: 1, completion_tokens: 1 } },
  messages: { type: "message", id: "m", model: "m", content: [{ type: "text", text: "ok" }], stop_reason: "end_turn", usage: { input_tokens: 1, output_tokens: 1 } },
  generateContent: { candidates: [{ content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP" }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } },
};

/**
 * The providers' packages with a `fetch` that keeps the body: which model, which dialect the body is in, and where.
 * @type {[name: string, dialect: Dialect, list: string, model: (fetch: any) => any][]}
 */
const PROVIDERS = [
  ["@ai-sdk/openai responses", "openai-responses", "input", (fetch) => createOpenAI({ apiKey: "k", fetch }).responses("gpt-5")],
  ["@ai-sdk/openai chat", "openai-chat", "messages", (fetch) => createOpenAI({ apiKey: "k", fetch }).chat("gpt-4.1")],
  ["@ai-sdk/anthropic", "anthropic", "messages", (fetch) => createAnthropic({ apiKey: "k", fetch })("claude-sonnet-4-5")],
  ["@ai-sdk/google", "gemini", "contents", (fetch) => createGoogleGenerativeAI({ apiKey: "k", fetch })("gemini-2.5-pro")],
];

/**
 * Each provider's package builds a request, and the request passes our rules of its dialect.
 * @param {Fields[]} messages
 * @param {string} from
 */
async function takenByProviders(messages, from) {
  // A request of system messages alone is refused by all of them, before it is one.
  if (!messages.some(({ role }) => role === "user")) return;
  // Anthropic's and Google's packages refuse system messages behind others, wherever they come from: the history's own.
  const first = messages.findIndex(({ role }) => role !== "system");
  if (messages.slice(first).some(({ role }) => role === "system")) return;
  for (const [name, dialect, list, model] of PROVIDERS) {
    /** @type {Fields} */
    let body = {};
    const fetch = async (/** @type {string} */ url, /** @type {{ body: string }} */ init) => {
      body = JSON.parse(init.body);
      const path = Object.keys(ANSWERS).find((path) => String(url).includes(path));
      return Response.json(ANSWERS[path ?? "messages"]);
    };
    await ai7.generateText({ model: model(fetch), messages: /** @type {any} */ (messages), allowSystemInMessages: true, maxRetries: 0 });
    count(name);
    // Google's package writes results with images as parts of their own, without the response that the call waits for.
    if (dialect === "gemini" && messages.some(hasMediaResult)) continue;
    // An id used again is legal in a history of the AI SDK, whose provider is unknown: Responses alone refuses it.
    const found = pkg.validate(body[list], { dialect, store: false });
    const errors = found.filter(({ severity, rule }) => severity === "error" && rule !== "E-R-DUPCALL" && rule !== "E-R-DUPOUT");
    assert.deepEqual(errors, [], `${name} from ${from}: ${JSON.stringify(body[list]).slice(0, 2_000)}`);
  }
}

/** @param {Fields} message */
function hasMediaResult({ role, content }) {
  return role === "tool" && content.some((/** @type {Fields} */ part) => part.output?.type === "content");
}

/** @param {Fields[]} messages */
function takenByLangChain(messages) {
  for (const message of messages) {
    const made = /** @type {any} */ (coerceMessageLikeToMessage(/** @type {any} */ (message)));
    if (message.role === "tool") assert.equal(made.tool_call_id, message.tool_call_id);
    const ids = (message.tool_calls ?? []).map((/** @type {Fields} */ call) => call.id);
    const kept = [...(made.tool_calls ?? []), ...(made.invalid_tool_calls ?? [])].map((call) => call.id);
    assert.deepEqual(kept, ids);
  }
  count("LangChain's message classes");
}

/** What breaks a history; the numbers choose where. @param {Fields[]} items @param {[number, number, number]} fault */
function broken(items, [kind, first, second]) {
  if (items.length === 0) return items;
  const at = first % items.length;
  const to = second % items.length;
  const copy = items.slice();
  if (kind === 0) copy.splice(at, 1);
  else if (kind === 1) copy.splice(to, 0, copy[at]);
  else if (kind === 2) copy.splice(to, 0, ...copy.splice(at, 1));
  else if (kind === 3) copy.length = at + 1;
  else copy.push(...copy.slice(at));
  return copy;
}

const faults = fc.array(fc.tuple(fc.nat(4), fc.nat(1_000), fc.nat(1_000)), { maxLength: 3 });

/**
 * @param {"ai-sdk" | "ai-sdk-ui"} kind
 * @param {(sent: Fields[]) => Promise<void>} judge
 */
async function judgeGenerated(kind, judge) {
  const property = fc.asyncProperty(scripts(), faults, fc.constantFrom(...budgets), async (script, faults, budget) => {
    const items = faults.reduce(broken, /** @type {Fields[]} */ (render(script, kind)));
    await judge(/** @type {Fields[]} */ (pkg.project(items, budget, { dialect: kind, pending: "close" }).items));
  });
  await fc.assert(property, { numRuns: RUNS, seed });
}

describe("generated and broken histories", () => {
  it("of ModelMessages are taken by generateText", () => judgeGenerated("ai-sdk", takenByGenerateText));
  it("of UIMessages are taken by validateUIMessages and convertToModelMessages", () => judgeGenerated("ai-sdk-ui", takenAsUiMessages));
  it("of ModelMessages become requests of each provider", () => judgeGenerated("ai-sdk", (sent) => takenByProviders(sent, "a generated history")));
});

const files = corpusFiles();
describe("the corpus", { skip: files.length === 0 ? "no corpus" : false }, () => {
  /** @param {string} folder @returns {[string, any[]][]} */
  const inFolder = (folder) =>
    files.filter((file) => basename(dirname(file)) === folder).map((file) => [basename(file), JSON.parse(readFileSync(file, "utf8"))]);
  /**
   * @param {string} folder
   * @param {Dialect} dialect
   * @param {(sent: Fields[], file: string) => void | Promise<void>} judge
   */
  async function judgeFiles(folder, dialect, judge) {
    for (const [file, items] of inFolder(folder)) {
      for (const budget of budgets) {
        await judge(/** @type {Fields[]} */ (pkg.project(items, budget, { dialect, pending: "close" }).items), file);
      }
    }
  }

  it("is taken by generateText", () => judgeFiles("ai-sdk-model", "ai-sdk", takenByGenerateText));
  it("is taken as UI messages", () => judgeFiles("ai-sdk-ui", "ai-sdk-ui", takenAsUiMessages));
  it("becomes requests of each provider", () => judgeFiles("ai-sdk-model", "ai-sdk", takenByProviders));
  it("is taken by LangChain's message classes", () => judgeFiles("openai-chat", "openai-chat", takenByLangChain));
});
