// Small histories in each of the six dialects, for the JavaScript tests. A builder's method gives the items that one event adds.

/** @typedef {{ [key: string]: any }} Item */
/** @typedef {import("../../src/js/types.d.ts").Dialect} Dialect */

/**
 * exchange: a call and its result, as two items; in `ai-sdk-ui`, where both are one part, as one.
 * calls, results: the places of a call's arguments and of a result in what `exchange` gives.
 *
 * @typedef {object} Builder
 * @property {(text: string) => Item} user
 * @property {((text: string) => Item) | null} system null where the dialect has no such item
 * @property {(text: string) => Item} assistant
 * @property {(id: string, name: string, args: object, result: string) => Item[]} exchange
 * @property {(id: string, name: string, args: object) => Item} call one without a result
 * @property {(items: readonly Item[]) => Item} callPart the call in what `exchange` gives
 * @property {(items: readonly Item[]) => unknown} args the arguments there, parsed where they are text
 * @property {(items: readonly Item[]) => string} result the text of the result there
 * @property {(text: string) => Item} summary what SEMANTICS §3 says of its shape
 */

let uiIds = 0;
/** @param {string} role @param {Item[]} parts @returns {Item} */
const ui = (role, parts) => ({ id: `ui-${(uiIds += 1)}`, role, parts });

/** @type {Record<Dialect, Builder>} */
export const builders = {
  "openai-responses": {
    user: (text) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] }),
    system: (text) => ({ type: "message", role: "system", content: [{ type: "input_text", text }] }),
    assistant: (text) => ({ type: "message", role: "assistant", content: [{ type: "output_text", text }] }),
    call: (id, name, args) => ({ type: "function_call", call_id: id, name, arguments: JSON.stringify(args) }),
    exchange: (id, name, args, result) => [
      { type: "function_call", call_id: id, name, arguments: JSON.stringify(args) },
      { type: "function_call_output", call_id: id, output: result },
    ],
    callPart: ([call]) => /** @type {Item} */ (call),
    args: ([call]) => JSON.parse(call?.arguments),
    result: (items) => items[1]?.output,
    summary: (text) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] }),
  },
  "openai-chat": {
    user: (content) => ({ role: "user", content }),
    system: (content) => ({ role: "system", content }),
    assistant: (content) => ({ role: "assistant", content }),
    call: (id, name, args) => ({ role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }] }),
    exchange: (id, name, args, content) => [
      { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }] },
      { role: "tool", tool_call_id: id, content },
    ],
    callPart: ([call]) => call?.tool_calls[0],
    args: ([call]) => JSON.parse(call?.tool_calls[0].function.arguments),
    result: (items) => items[1]?.content,
    summary: (content) => ({ role: "user", content }),
  },
  anthropic: {
    user: (text) => ({ role: "user", content: [{ type: "text", text }] }),
    system: null,
    assistant: (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
    call: (id, name, input) => ({ role: "assistant", content: [{ type: "tool_use", id, name, input }] }),
    exchange: (id, name, input, content) => [
      { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
    ],
    callPart: ([call]) => call?.content[0],
    args: ([call]) => call?.content[0].input,
    result: (items) => items[1]?.content[0].content,
    summary: (text) => ({ role: "user", content: [{ type: "text", text }] }),
  },
  gemini: {
    user: (text) => ({ role: "user", parts: [{ text }] }),
    system: null,
    assistant: (text) => ({ role: "model", parts: [{ text }] }),
    call: (id, name, args) => ({ role: "model", parts: [{ functionCall: { id, name, args } }] }),
    exchange: (id, name, args, output) => [
      { role: "model", parts: [{ functionCall: { id, name, args } }] },
      { role: "user", parts: [{ functionResponse: { id, name, response: { output } } }] },
    ],
    callPart: ([call]) => call?.parts[0].functionCall,
    args: ([call]) => call?.parts[0].functionCall.args,
    result: (items) => {
      const { response } = items[1]?.parts[0].functionResponse;
      const texts = Object.values(response);
      return texts.length === 1 ? texts[0] : JSON.stringify(response);
    },
    summary: (text) => ({ role: "user", parts: [{ text }] }),
  },
  "ai-sdk": {
    user: (text) => ({ role: "user", content: [{ type: "text", text }] }),
    system: (content) => ({ role: "system", content }),
    assistant: (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
    call: (toolCallId, toolName, input) => ({ role: "assistant", content: [{ type: "tool-call", toolCallId, toolName, input }] }),
    exchange: (toolCallId, toolName, input, value) => [
      { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName, input }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value } }] },
    ],
    callPart: ([call]) => call?.content[0],
    args: ([call]) => call?.content[0].input,
    result: (items) => items[1]?.content[0].output.value,
    summary: (text) => ({ role: "user", content: [{ type: "text", text }] }),
  },
  "ai-sdk-ui": {
    user: (text) => ui("user", [{ type: "text", text }]),
    system: (text) => ui("system", [{ type: "text", text }]),
    assistant: (text) => ui("assistant", [{ type: "text", text }]),
    call: (toolCallId, name, input) => ui("assistant", [{ type: `tool-${name}`, toolCallId, state: "input-available", input }]),
    exchange: (toolCallId, name, input, output) => [ui("assistant", [{ type: `tool-${name}`, toolCallId, state: "output-available", input, output }])],
    callPart: ([item]) => item?.parts[0],
    args: ([item]) => item?.parts[0].input,
    result: ([item]) => item?.parts[0].output,
    summary: (text) => ({ role: "user", parts: [{ type: "text", text }] }),
  },
};

/** The six, in the order of api.d.ts. */
export const dialects = /** @type {Dialect[]} */ (Object.keys(builders));

/** A text of `length` characters in lines. @param {number} length */
export function prose(length) {
  const line = "The tide table gives high water at noon and low water at dusk.\n";
  return line.repeat(Math.ceil(length / line.length)).slice(0, length);
}
