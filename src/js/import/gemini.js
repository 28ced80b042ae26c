// Gemini CLI sessions: messages with thoughts, text, and calls that carry their results; as one JSON document or, in newer
// versions, as lines, where a message written again replaces the former.

import { isShallow, nameOf } from "./items.js";
import { isPlain } from "./shapes.js";

/** @typedef {import("./types.js").Entry} Entry */
/** @typedef {import("./types.js").Plain} Plain */
/** @typedef {import("./types.js").Problem} Problem */

/**
 * @param {readonly Entry[]} entries
 * @param {Problem[]} problems
 * @returns {Plain[]}
 */
export function readGemini(entries, problems) {
  /** @type {Plain[]} */
  const items = [];
  for (const { entry, message } of messagesOf(entries, problems)) {
    for (const item of message.type === "user" ? fromUser(message) : fromModel(message)) {
      if (isShallow(entry, item, problems)) items.push(item);
    }
  }
  return items;
}

/**
 * The messages that are left when each record has done its work. What the CLI shows (info, error, warning) is none.
 *
 * @param {readonly Entry[]} entries
 * @param {Problem[]} problems
 */
function messagesOf(entries, problems) {
  /** @type {{ entry: Entry, message: Plain }[]} */
  const messages = [];
  /** @type {Map<string, number>} */
  const places = new Map();
  /** @param {Entry} entry @param {unknown} message */
  const add = (entry, message) => {
    if (!isPlain(message) || (message.type !== "user" && message.type !== "gemini")) return;
    const known = typeof message.id === "string" ? places.get(message.id) : undefined;
    if (known !== undefined) messages[known] = { entry, message };
    else {
      if (typeof message.id === "string") places.set(message.id, messages.length);
      messages.push({ entry, message });
    }
  };
  for (const entry of entries) {
    const { line, value } = entry;
    if (!isPlain(value)) {
      problems.push({ line, message: `Here stands ${nameOf(value)}, no message of a Gemini CLI session; it is left out.` });
    } else if (typeof value.$rewindTo === "string") {
      const place = places.get(value.$rewindTo) ?? messages.length;
      for (const { message } of messages.splice(place)) places.delete(message.id);
    } else if (isPlain(value.$set) && Array.isArray(value.$set.messages)) {
      messages.length = 0;
      places.clear();
      for (const message of value.$set.messages) add(entry, message);
    } else {
      add(entry, value);
    }
  }
  return messages;
}

/**
 * @param {unknown} content a string, a part, or a list of both
 * @returns {Plain[]}
 */
function partsOf(content) {
  return (Array.isArray(content) ? content : [content]).flatMap((part) => {
    if (typeof part === "string") return part === "" ? [] : [{ text: part }];
    return isPlain(part) ? [part] : [];
  });
}

/**
 * @param {Plain} message
 * @returns {Plain[]}
 */
function fromUser(message) {
  const parts = partsOf(message.content);
  return parts.length > 0 ? [{ role: "user", parts }] : [];
}

/**
 * @param {Plain} message
 * @returns {Plain[]} the model's content, and the user's with the results
 */
function fromModel(message) {
  const thoughts = Array.isArray(message.thoughts) ? message.thoughts.filter(isPlain) : [];
  const calls = Array.isArray(message.toolCalls) ? message.toolCalls.filter(isPlain) : [];
  const parts = [
    ...thoughts.map(({ subject, description }) => ({ text: [subject, description].filter(Boolean).join(": "), thought: true })),
    ...partsOf(message.content),
    ...calls.map(({ id, name, args }) => ({ functionCall: { ...(id === undefined ? {} : { id }), name, args: args ?? {} } })),
  ];
  const results = calls.flatMap(resultsOf);
  return [
    ...(parts.length > 0 ? [{ role: "model", parts }] : []),
    ...(results.length > 0 ? [{ role: "user", parts: results }] : []),
  ];
}

/**
 * @param {Plain} call
 * @returns {Plain[]}
 */
function resultsOf({ id, name, result }) {
  if (result === undefined || result === null) return [];
  const parts = partsOf(result);
  if (parts.some((part) => "functionResponse" in part)) return parts;
  const output = parts.map((part) => (typeof part.text === "string" ? part.text : "")).join("");
  return [{ functionResponse: { ...(id === undefined ? {} : { id }), name, response: { output } } }, ...parts.filter((part) => !("text" in part))];
}
