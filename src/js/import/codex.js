// Codex rollouts: `response_item` records, or the bare items of old files.

import { isShallow, nameOf } from "./items.js";
import { isItem, isPlain } from "./shapes.js";

/** @typedef {import("./types.js").Entry} Entry */
/** @typedef {import("./types.js").Plain} Plain */
/** @typedef {import("./types.js").Problem} Problem */

/** What Codex writes down for itself and never sends. */
const LOCAL = new Set(["ghost_snapshot", "world_state", "event_msg", "turn_context", "session_meta"]);

/**
 * `compacted` restarts the history, with the replacement that the record holds; an old one holds the summary only, and then
 * stand before it, as in Codex itself, the messages that were no answers.
 *
 * @param {readonly Entry[]} entries
 * @param {Problem[]} problems
 * @returns {Plain[]}
 */
export function readCodex(entries, problems) {
  /** @type {Plain[]} */
  let items = [];
  for (const entry of entries) {
    const { line, value } = entry;
    if (!isPlain(value)) {
      problems.push({ line, message: `Here stands ${nameOf(value)}, no record of a Codex rollout; it is left out.` });
      continue;
    }
    const payload = isPlain(value.payload) ? value.payload : null;
    if (value.type === "compacted") {
      const { replacement_history: replacement, message } = payload ?? value;
      const history = Array.isArray(replacement)
        ? replacement.filter(isSent)
        : [...items.filter((item) => item.type === "message" && item.role !== "assistant"), ...summary(message)];
      items = history.filter((item) => isShallow(entry, item, problems));
    } else if (value.type === "event_msg") {
      if (payload?.type === "thread_rolled_back") rollBack(items, payload.num_turns);
    } else {
      const item = value.type === "response_item" ? payload : payload ? null : value;
      if (item && isSent(item) && isShallow(entry, item, problems)) items.push(item);
    }
  }
  return items;
}

/**
 * @param {unknown} item
 * @returns {item is Plain}
 */
const isSent = (item) => isPlain(item) && !LOCAL.has(item.type) && (isItem(item) || typeof item.type === "string");

/**
 * @param {unknown} text
 * @returns {Plain[]}
 */
function summary(text) {
  return typeof text === "string" && text !== "" ? [{ type: "message", role: "user", content: [{ type: "input_text", text }] }] : [];
}

/**
 * Takes back the newest turns, in place. What Codex itself tells the model in the user's name begins none.
 *
 * @param {Plain[]} items
 * @param {unknown} turns
 */
function rollBack(items, turns) {
  let left = typeof turns === "number" ? turns : 0;
  for (let at = items.length - 1; at >= 0 && left > 0; at -= 1) {
    const item = items[at];
    if (item?.role !== "user" || /^\s*(<environment_context>|<user_instructions>|# AGENTS\.md)/.test(textOf(item.content))) continue;
    items.length = at;
    left -= 1;
  }
}

/** @param {unknown} content */
function textOf(content) {
  const first = Array.isArray(content) ? content[0]?.text : content;
  return typeof first === "string" ? first : "";
}
