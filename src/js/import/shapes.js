// Which dialect an item's shape proves: the same decisions as src/item/dialect/detect.rs. And whether a value is an item.

/** @typedef {import("./types.js").Dialect} Dialect */
/** @typedef {import("./types.js").Plain} Plain */

/** Types of OpenAI Responses items; what is not listed here may still be one, beside items that surely are. */
const RESPONSES_TYPES = /^(message|reasoning|item_reference|program|additional_tools|compaction|compaction_trigger|context_compaction)$|_call$|_output$|^mcp_/;
const ROLES = new Set(["system", "developer", "user", "assistant", "model", "tool", "function"]);
const CHAT_KEYS = ["tool_calls", "function_call", "refusal", "reasoning_content", "reasoning", "reasoning_details", "audio"];
const BLOCKS = new Set([
  "tool_use", "tool_result", "thinking", "redacted_thinking", "document", "search_result", "compaction", "container_upload", "fallback",
]);
const MODEL_PARTS = new Set(["tool-call", "tool-result", "reasoning", "tool-approval-request", "tool-approval-response"]);
const INPUT_PARTS = new Set(["input_text", "output_text", "input_image", "input_file"]);

/**
 * @param {unknown} value
 * @returns {value is Plain}
 */
export function isPlain(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * @param {unknown} value
 * @returns {boolean} whether the value is an item, whatever stands beside it
 */
export function isItem(value) {
  if (!isPlain(value)) return false;
  if (typeof value.role === "string") {
    return ROLES.has(value.role) && ["content", "parts", ...CHAT_KEYS].some((key) => key in value);
  }
  return typeof value.type === "string" && RESPONSES_TYPES.test(value.type) && !("payload" in value);
}

/**
 * @param {unknown} value
 * @returns {boolean} whether the value passes for an item in a list that holds sure ones
 */
export function mayBeItem(value) {
  return isPlain(value) && (typeof value.role === "string" || typeof value.type === "string" || Array.isArray(value.parts));
}

/**
 * @param {Plain} item
 * @returns {Dialect | null} null where the shape fits several
 */
export function dialectOf(item) {
  const role = typeof item.role === "string" ? item.role : null;
  const type = typeof item.type === "string" ? item.type : "";
  if (Array.isArray(item.parts)) return ofParts(item, item.parts);
  const content = Array.isArray(item.content) ? item.content : [];
  /** @type {Dialect | null} */
  let found = null;
  for (const part of content) {
    found = isPlain(part) ? ofContent(part) : null;
    if (found) break;
  }
  if (type === "message") {
    return found === "anthropic" || (found === null && "stop_reason" in item) ? "anthropic" : "openai-responses";
  }
  if (type !== "" && role === null && type !== "constructor") return "openai-responses";
  if (found) return found;
  if (role === "function" || (role === "tool" && "tool_call_id" in item)) return "openai-chat";
  if (role === "assistant" && CHAT_KEYS.some((key) => key in item)) return "openai-chat";
  return role !== null && "providerOptions" in item ? "ai-sdk" : null;
}

/**
 * @param {Plain} item
 * @param {unknown[]} parts
 * @returns {Dialect}
 */
function ofParts(item, parts) {
  if (item.role === "model") return "gemini";
  const first = parts[0];
  if (parts.length === 0) return "id" in item ? "ai-sdk-ui" : "gemini";
  return isPlain(first) && "type" in first ? "ai-sdk-ui" : "gemini";
}

/**
 * @param {Plain} part
 * @returns {Dialect | null}
 */
function ofContent(part) {
  const type = typeof part.type === "string" ? part.type : "";
  if (INPUT_PARTS.has(type)) return "openai-responses";
  if (type === "image_url" || type === "input_audio" || (type === "file" && "file" in part)) return "openai-chat";
  // Mistral's reasoning is a list of parts under the name that Anthropic uses for a string.
  if (type === "thinking" && Array.isArray(part.thinking)) return "openai-chat";
  if (BLOCKS.has(type)) return "anthropic";
  if (type === "image" && "source" in part) return "anthropic";
  if (type === "text" && ("cache_control" in part || "citations" in part)) return "anthropic";
  if (MODEL_PARTS.has(type)) return "ai-sdk";
  if (type === "image" && "image" in part) return "ai-sdk";
  if (type === "file" && ("mediaType" in part || "mimeType" in part)) return "ai-sdk";
  if (type === "text" && "providerOptions" in part) return "ai-sdk";
  return type.endsWith("_tool_use") || type.endsWith("_tool_result") ? "anthropic" : null;
}

/**
 * The dialect of a history: that of its first item whose shape proves one.
 *
 * @param {readonly Plain[]} items
 * @returns {Dialect}
 */
export function dialectOfAll(items) {
  for (const item of items) {
    const dialect = dialectOf(item);
    if (dialect) return dialect;
  }
  return "openai-chat";
}
