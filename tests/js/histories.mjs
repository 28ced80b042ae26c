// Histories for the invariants: a reader of calls and results that knows nothing of the core, and well-formed histories of every
// dialect, generated from one script.

import fc from "fast-check";

/** @typedef {import("./builders.mjs").Item} Item */
/** @typedef {import("../../src/js/types.d.ts").Dialect} Dialect */
/** @typedef {Dialect | "mixed"} Kind the seed's own form beside the six: `tool_calls` answered by `function_call_output` */

// ───────────────────────────── reading ───────────────────────────

/** @param {unknown} value @returns {Item[]} */
const list = (value) => (Array.isArray(value) ? value.filter((part) => part !== null && typeof part === "object") : []);

/** The types of the Responses shape whose calls the host answers. */
const CLIENT_CALLS = new Set(["function_call", "custom_tool_call", "computer_call", "shell_call", "apply_patch_call", "local_shell_call", "tool_search_call"]);

/** UIMessage parts of tools, in the states in which somebody still has to act. */
const isTool = (/** @type {Item} */ part) => typeof part.type === "string" && (part.type.startsWith("tool-") || part.type === "dynamic-tool") && typeof part.state === "string";
const WAITING = new Set(["input-available", "approval-requested", "approval-responded"]);

/** The calls that an item makes of the host. @param {Item} item @returns {{ id: string | undefined, name: string }[]} */
export function callsOf(item) {
  if (item.type === "mcp_approval_request") return [{ id: item.id, name: item.name }];
  if (CLIENT_CALLS.has(item.type)) {
    const id = item.call_id ?? (item.type === "local_shell_call" ? item.id : undefined);
    return id == null ? [] : [{ id, name: item.name ?? item.type.replace(/_call$/, "") }];
  }
  return [
    ...list(item.tool_calls).map(({ id, function: fn, custom }) => ({ id, name: (fn ?? custom)?.name })),
    ...list(item.content).filter((part) => part.type === "tool_use").map(({ id, name }) => ({ id, name })),
    ...list(item.content)
      .filter((part) => part.type === "tool-call" && part.providerExecuted !== true)
      .map(({ toolCallId, toolName }) => ({ id: toolCallId, name: toolName })),
    ...list(item.parts).filter((part) => part.functionCall).map(({ functionCall }) => ({ id: functionCall.id, name: functionCall.name })),
    ...list(item.parts).filter((part) => isTool(part) && WAITING.has(part.state)).map(({ toolCallId, type }) => ({ id: toolCallId, name: type.slice(5) })),
  ];
}

/** The results that an item brings, and a person's answers to requests. @param {Item} item @returns {{ id: string | undefined, name?: string }[]} */
export function resultsOf(item) {
  if (item.type === "mcp_approval_response") return [{ id: item.approval_request_id }];
  if (typeof item.type === "string" && /_call_output$|^tool_search_output$/.test(item.type)) return item.call_id == null && item.id == null ? [] : [{ id: item.call_id ?? item.id }];
  if (item.role === "tool" && typeof item.tool_call_id === "string") return [{ id: item.tool_call_id }];
  return [
    ...list(item.content).filter((part) => part.type === "tool_result").map(({ tool_use_id: id }) => ({ id })),
    ...(item.role === "tool" ? list(item.content).filter((part) => part.type === "tool-result").map(({ toolCallId: id }) => ({ id })) : []),
    ...list(item.parts).filter((part) => part.functionResponse).map(({ functionResponse }) => ({ id: functionResponse.id, name: functionResponse.name })),
  ];
}

/** @param {Item} item */
export const isSystem = (item) => item.role === "system" || item.role === "developer";

/** A message that a person wrote: results beside its text make it none. @param {Item} item */
export const isUser = (item) => item.role === "user" && resultsOf(item).length === 0;

/** @typedef {{ id?: string, name: string, at: number, step: number }} OpenCall */

/**
 * Pairs calls and results, in order: a result answers the nearest earlier step in which a call of its id waits; without ids, of its name.
 *
 * @param {readonly Item[]} items
 * @returns {{ pairs: { call: OpenCall, at: number }[], strays: number[], open: OpenCall[] }}
 */
export function pair(items) {
  /** @type {OpenCall[]} */
  const open = [];
  /** @type {{ call: OpenCall, at: number }[]} */
  const pairs = [];
  /** @type {number[]} */
  const strays = [];
  let step = 0;
  let answered = true;
  for (const [at, item] of items.entries()) {
    const calls = callsOf(item);
    const results = resultsOf(item);
    if (calls.length > 0 && answered) step += 1;
    if (calls.length > 0) answered = false;
    for (const result of results) {
      const waits = open.filter((call) => (result.id === undefined ? call.name === result.name : call.id === result.id));
      const call = waits.find((each) => each.step === waits.at(-1)?.step);
      if (call) pairs.push({ call: open.splice(open.indexOf(call), 1)[0] ?? call, at });
      else strays.push(at);
    }
    if (results.length > 0 || isUser(item)) answered = true;
    open.push(...calls.map((call) => ({ ...call, at, step })));
  }
  return { pairs, strays, open };
}

/**
 * Whether a model call would be made when the history ends here: in what a person wrote, or in results behind which no call of their
 * step waits.
 * @param {readonly Item[]} items
 */
export function isCallPoint(items) {
  const last = items.at(-1);
  if (last === undefined) return false;
  if (isUser(last)) return true;
  if (Array.isArray(last.parts) && last.role === "assistant") {
    // A UIMessage that ends in results: every tool part behind the last step-start is done, and there is one.
    const parts = list(last.parts);
    const tools = parts.slice(parts.findLastIndex((part) => part.type === "step-start") + 1).filter(isTool);
    return tools.length > 0 && tools.every(({ state }) => !WAITING.has(state) && state !== "input-streaming");
  }
  const { pairs, open } = pair(items);
  const steps = pairs.filter(({ at }) => at === items.length - 1).map(({ call }) => call.step);
  return steps.length > 0 && !open.some(({ step }) => steps.includes(step));
}

// ──────────────────────────── generating ─────────────────────────

/**
 * @typedef {{ kind: "user", text: string } | { kind: "say", text: string, thought: string | null }
 *   | { kind: "step", text: string | null, thought: string | null, together: boolean, calls: { name: string, argument: string, result: string }[] }} Event
 * @typedef {{ system: string[], events: Event[], unanswered: number }} Script unanswered: how many results the last step lacks, if it is a step
 */

/** Scripts that begin with a person's message. @returns {import("fast-check").Arbitrary<Script>} */
export function scripts() {
  const text = fc.tuple(fc.constantFrom("The tide ", "漢字と", "😀👩‍👧 ", 'a "b"\\\n', "é̄ "), fc.integer({ min: 1, max: 25 })).map(([word, times]) => `${word.repeat(times)}.`);
  const result = fc.tuple(text, fc.constantFrom(1, 1, 1, 12)).map(([word, times]) => word.repeat(times));
  const thought = fc.option(text, { freq: 2 });
  const call = fc.record({ name: fc.constantFrom("read", "search", "bash"), argument: text, result });
  /** @type {import("fast-check").Arbitrary<Event>} */
  const event = fc.oneof(
    { weight: 2, arbitrary: fc.record({ kind: fc.constant(/** @type {const} */ ("user")), text }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant(/** @type {const} */ ("say")), text, thought }) },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant(/** @type {const} */ ("step")),
        text: fc.option(text, { freq: 1 }),
        thought,
        together: fc.boolean(),
        calls: fc.array(call, { minLength: 1, maxLength: 4 }),
      }),
    },
  );
  return fc.record({
    system: fc.array(text, { maxLength: 2 }),
    events: fc.tuple(text, fc.array(event, { maxLength: 24 })).map(([first, rest]) => /** @type {Event[]} */ ([{ kind: "user", text: first }, ...rest])),
    unanswered: fc.constantFrom(0, 0, 0, 0, 1, 2),
  });
}

/** The kinds that have system items. */
const WITH_SYSTEM = new Set(["openai-responses", "openai-chat", "mixed", "ai-sdk", "ai-sdk-ui"]);

/** @typedef {{ id: string, name: string, argument: string, result: string | null }} Call */
/** @typedef {{ user: (text: string) => Item[], system: (text: string) => Item[], step: (text: string | null, thought: string | null, calls: Call[], together: boolean, n: number, signs: boolean) => Item[] }} Shape */

const args = (/** @type {Call} */ { argument }) => ({ argument, page: 1.5 });
/** @param {Call[]} calls */
const done = (calls) => /** @type {(Call & { result: string })[]} */ (calls.filter(({ result }) => result !== null));
/** @template T @param {T | "" | null | false} value @returns {T[]} */
const some = (value) => (value ? [value] : []);

/** @type {Shape} */
const chat = {
  user: (content) => [{ role: "user", content }],
  system: (content) => [{ role: "system", content }],
  step: (text, thought, calls) => [
    {
      role: "assistant",
      content: text,
      ...(thought ? { reasoning_content: thought } : {}),
      ...(calls.length > 0 ? { tool_calls: calls.map((call) => ({ id: call.id, type: "function", function: { name: call.name, arguments: JSON.stringify(args(call)) } })) } : {}),
    },
    ...done(calls).map(({ id, result }) => ({ role: "tool", tool_call_id: id, content: result })),
  ],
};

/** @param {Item[][]} parts @param {boolean} together @param {(parts: Item[]) => Item} make */
const grouped = (parts, together, make) => (parts.length === 0 ? [] : together ? [make(parts.flat())] : parts.map(make));

/** @type {Record<Exclude<Kind, "ai-sdk-ui">, Shape>} */
const shapes = {
  "openai-responses": {
    user: (text) => [{ type: "message", role: "user", content: [{ type: "input_text", text }] }],
    system: (text) => [{ type: "message", role: "developer", content: [{ type: "input_text", text }] }],
    step: (text, thought, calls, _, n) => [
      ...some(thought && { type: "reasoning", id: `rs_${n}`, summary: [{ type: "summary_text", text: thought }] }),
      ...some(text !== null && { type: "message", id: `msg_${n}`, role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [] }] }),
      ...calls.map((call) => ({ type: "function_call", id: `fc_${call.id}`, call_id: call.id, name: call.name, arguments: JSON.stringify(args(call)) })),
      ...done(calls).map(({ id, result }) => ({ type: "function_call_output", call_id: id, output: result })),
    ],
  },
  "openai-chat": chat,
  mixed: {
    ...chat,
    step: (...how) => chat.step(...how).map((item) => (item.role === "tool" ? { type: "function_call_output", call_id: item.tool_call_id, output: item.content } : item)),
  },
  anthropic: {
    user: (text) => [{ role: "user", content: [{ type: "text", text }] }],
    system: () => [],
    step: (text, thought, calls, together) => [
      {
        role: "assistant",
        content: [
          ...some(thought && { type: "thinking", thinking: thought, signature: "c2lnbmF0dXJl" }),
          ...some(text !== null && { type: "text", text }),
          ...calls.map((call) => ({ type: "tool_use", id: call.id, name: call.name, input: args(call) })),
        ],
      },
      ...grouped(done(calls).map(({ id, result }) => [{ type: "tool_result", tool_use_id: id, content: result }]), together, (content) => ({ role: "user", content })),
    ],
  },
  gemini: {
    user: (text) => [{ role: "user", parts: [{ text }] }],
    system: () => [],
    // A model that signs, signs the first call of each step, thought or not.
    step: (text, thought, calls, together, _n, signs) => [
      {
        role: "model",
        parts: [
          ...some(thought && { text: thought, thought: true }),
          ...some(text !== null && { text }),
          ...calls.map((call, index) => ({ functionCall: { id: call.id, name: call.name, args: args(call) }, ...(signs && index === 0 ? { thoughtSignature: "c2lnbmF0dXJl" } : {}) })),
        ],
      },
      ...grouped(done(calls).map(({ id, name, result }) => [{ functionResponse: { id, name, response: { output: result } } }]), together, (parts) => ({ role: "user", parts })),
    ],
  },
  "ai-sdk": {
    user: (text) => [{ role: "user", content: [{ type: "text", text }] }],
    system: (content) => [{ role: "system", content }],
    step: (text, thought, calls, together) => [
      {
        role: "assistant",
        content: [
          ...some(thought && { type: "reasoning", text: thought }),
          ...some(text !== null && { type: "text", text }),
          ...calls.map((call) => ({ type: "tool-call", toolCallId: call.id, toolName: call.name, input: args(call) })),
        ],
      },
      ...grouped(done(calls).map(({ id, name, result }) => [{ type: "tool-result", toolCallId: id, toolName: name, output: { type: "text", value: result } }]), together, (content) => ({ role: "tool", content })),
    ],
  },
};

/** Every kind of history. */
export const kinds = /** @type {Kind[]} */ (["openai-responses", "openai-chat", "mixed", "anthropic", "gemini", "ai-sdk", "ai-sdk-ui"]);

/** @param {Script} script @param {Kind} kind @returns {Item[]} */
export function render({ system, events, unanswered }, kind) {
  /** @type {Item[]} */
  const items = [];
  let messages = 0;
  const shape = kind === "ai-sdk-ui" ? null : shapes[kind];
  const signs = events.some((event) => event.kind !== "user" && event.thought);
  /** @param {string} role @param {Item[]} parts */
  const message = (role, parts) => items.push({ id: `m${(messages += 1)}`, role, parts });
  if (WITH_SYSTEM.has(kind)) for (const text of system) shape ? items.push(...shape.system(text)) : message("system", [{ type: "text", text }]);
  for (const [n, event] of events.entries()) {
    if (event.kind === "user") {
      if (shape) items.push(...shape.user(event.text));
      else message("user", [{ type: "text", text: event.text }]);
      continue;
    }
    const isLast = n === events.length - 1;
    const plans = event.kind === "step" ? event.calls : [];
    const calls = plans.map(({ name, argument, result }, index) => ({
      id: `call_${n}_${index}`,
      name,
      argument,
      result: isLast && index >= plans.length - unanswered ? null : result,
    }));
    const { text } = event;
    if (shape) {
      items.push(...shape.step(text, event.thought, calls, event.kind === "step" && event.together, n, signs));
      continue;
    }
    // An assistant UIMessage is all of a turn.
    const parts = [
      { type: "step-start" },
      ...some(event.thought && { type: "reasoning", text: event.thought, state: "done" }),
      ...some(text !== null && { type: "text", text, state: "done" }),
      ...calls.map((call) => ({
        type: `tool-${call.name}`,
        toolCallId: call.id,
        input: args(call),
        ...(call.result === null ? { state: "input-available" } : { state: "output-available", output: call.result }),
      })),
    ];
    const last = items.at(-1);
    if (last?.role === "assistant") last.parts.push(...parts);
    else message("assistant", parts);
  }
  return items;
}
