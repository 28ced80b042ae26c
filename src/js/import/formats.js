// Which client wrote a file: decided by the first value that only one of them writes.

import { readClaudeCode } from "./claude-code.js";
import { readCodex } from "./codex.js";
import { readGemini } from "./gemini.js";
import { readPi } from "./pi.js";
import { isItem, isPlain } from "./shapes.js";

/** @typedef {import("./types.js").Entry} Entry */
/** @typedef {import("./types.js").Format} Format */
/** @typedef {import("./types.js").Plain} Plain */

/** @type {Format} */
const CLAUDE_CODE = { name: "claude code session", dialect: "anthropic", read: readClaudeCode };
/** @type {Format} */
const CODEX = { name: "codex rollout", dialect: "openai-responses", read: readCodex };
/** @type {Format} */
const GEMINI = { name: "gemini cli session", dialect: "gemini", read: readGemini };
/** @type {Format} */
const PI = { name: "pi session", dialect: "anthropic", read: readPi };

const CLAUDE_NOTES = new Set(["summary", "file-history-snapshot", "queue-operation", "attachment", "system", "progress"]);
const CODEX_RECORDS = new Set(["session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"]);

/**
 * @param {readonly Entry[]} entries
 * @returns {Format | "items" | null} null where no value shows what the file is
 */
export function formatOf(entries) {
  for (const { value } of entries) {
    const format = isPlain(value) ? ofValue(value) : null;
    if (format) return format;
  }
  return null;
}

/**
 * @param {Plain} value
 * @returns {Format | "items" | null}
 */
function ofValue(value) {
  const { type, message } = value;
  if (isPlain(message) && typeof message.role === "string") {
    if (type === "user" || type === "assistant") return CLAUDE_CODE;
    if (type === "message") return PI;
  }
  if (CODEX_RECORDS.has(type) && (isPlain(value.payload) || type === "compacted")) return CODEX;
  if (isItem(value)) return "items";
  if (typeof value.role === "string") return null;
  if (CLAUDE_NOTES.has(type) && ["uuid", "leafUuid", "sessionId", "messageId"].some((key) => key in value)) return CLAUDE_CODE;
  if (type === "session" && typeof value.id === "string") return PI;
  if ((type === "user" || type === "gemini") && "content" in value && typeof value.id === "string") return GEMINI;
  if ("$set" in value || "$rewindTo" in value || (typeof value.sessionId === "string" && typeof value.projectHash === "string")) return GEMINI;
  // The head of an old rollout, whose other lines are bare items.
  if ("record_type" in value || (type === undefined && typeof value.id === "string" && typeof value.timestamp === "string" && "instructions" in value)) return CODEX;
  return null;
}
