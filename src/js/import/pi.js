// Sessions of the pi coding agent, as Anthropic messages: a tree of entries, of which the branch of the last one counts.

import { isShallow, nameOf } from "./items.js";
import { isPlain } from "./shapes.js";

/** @typedef {import("./types.js").Entry} Entry */
/** @typedef {import("./types.js").Plain} Plain */
/** @typedef {import("./types.js").Problem} Problem */
/** @typedef {{ entry: Entry, value: Plain }} Node */

/**
 * @param {readonly Entry[]} entries
 * @param {Problem[]} problems
 * @returns {Plain[]}
 */
export function readPi(entries, problems) {
  /** @type {Plain[]} */
  const items = [];
  for (const { entry, value } of afterCompaction(branchOf(entries, problems))) {
    for (const item of itemsOf(value)) {
      if (!isShallow(entry, item, problems)) continue;
      const last = items.at(-1);
      const joins = isResults(item) && last && isResults(last);
      if (joins) last.content.push(...item.content);
      else items.push(item);
    }
  }
  return items;
}

/** @param {Plain} item */
const isResults = (item) => Array.isArray(item.content) && item.content.every((/** @type {Plain} */ block) => block.type === "tool_result");

/**
 * From the root to the last entry. One whose parent is missing goes on after the entry before it; files of the first version
 * have no parents at all.
 *
 * @param {readonly Entry[]} entries
 * @param {Problem[]} problems
 * @returns {Node[]}
 */
function branchOf(entries, problems) {
  /** @type {Node[]} */
  const nodes = [];
  /** @type {Map<string, number>} */
  const byId = new Map();
  for (const entry of entries) {
    const { line, value } = entry;
    if (!isPlain(value)) {
      problems.push({ line, message: `Here stands ${nameOf(value)}, no entry of a pi session; it is left out.` });
    } else if (value.type !== "session") {
      if (typeof value.id === "string") byId.set(value.id, nodes.length);
      nodes.push({ entry, value });
    }
  }
  /** @type {Node[]} */
  const branch = [];
  for (let at = nodes.length - 1; at >= 0; ) {
    const node = /** @type {Node} */ (nodes[at]);
    branch.push(node);
    const parent = node.value.parentId;
    if (parent === null) break;
    const known = typeof parent === "string" ? byId.get(parent) : undefined;
    if (typeof parent === "string" && known === undefined) {
      problems.push({ line: node.entry.line, message: `dangling-parent: the entry names the parent ${parent}, which is not in the file; it stays after the entry before it.` });
    }
    at = known !== undefined && known < at ? known : at - 1;
  }
  return branch.reverse();
}

/**
 * The newest compaction's summary, then what it kept and what followed.
 *
 * @param {Node[]} branch
 * @returns {Node[]}
 */
function afterCompaction(branch) {
  const at = branch.findLastIndex(({ value }) => value.type === "compaction");
  const compaction = branch[at];
  if (!compaction) return branch;
  const kept = branch.findIndex(({ value }) => value.id === compaction.value.firstKeptEntryId);
  return [compaction, ...branch.slice(kept >= 0 && kept < at ? kept : at, at), ...branch.slice(at + 1)];
}

/**
 * @param {Plain} value
 * @returns {Plain[]}
 */
function itemsOf(value) {
  if (value.type === "compaction" || value.type === "branch_summary") return userText(value.summary);
  const message = value.message;
  if (value.type !== "message" || !isPlain(message)) return [];
  const content = contentOf(message.content, message.api === "anthropic-messages");
  switch (message.role) {
    case "user":
      return content.length > 0 ? [{ role: "user", content }] : [];
    case "assistant":
      return content.length > 0 ? [{ role: "assistant", content }] : [];
    case "toolResult": {
      const result = { type: "tool_result", tool_use_id: message.toolCallId, content, ...(message.isError === true ? { is_error: true } : {}) };
      return [{ role: "user", content: [result] }];
    }
    case "bashExecution":
      return userText(`Ran \`${message.command}\`\n${message.output ?? ""}`);
    default:
      return [];
  }
}

/**
 * @param {unknown} text
 * @returns {Plain[]}
 */
function userText(text) {
  return typeof text === "string" && text.trim() !== "" ? [{ role: "user", content: [{ type: "text", text }] }] : [];
}

/**
 * @param {unknown} content
 * @param {boolean} signed whether thinking blocks are those of Anthropic: the others would be refused
 * @returns {Plain[]}
 */
function contentOf(content, signed) {
  if (typeof content === "string") return content.trim() === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.filter(isPlain).flatMap((part) => /** @type {Plain[]} */ (blocksOf(part, signed)));
}

/**
 * @param {Plain} part
 * @param {boolean} signed
 * @returns {Plain[]}
 */
function blocksOf(part, signed) {
  switch (part.type) {
    case "text":
      return typeof part.text === "string" && part.text.trim() !== "" ? [{ type: "text", text: part.text }] : [];
    case "image":
      return [{ type: "image", source: { type: "base64", media_type: part.mimeType, data: part.data } }];
    case "thinking":
      if (!signed || typeof part.thinkingSignature !== "string" || part.thinkingSignature === "") return [];
      return part.redacted === true
        ? [{ type: "redacted_thinking", data: part.thinkingSignature }]
        : [{ type: "thinking", thinking: part.thinking, signature: part.thinkingSignature }];
    case "toolCall":
      return [{ type: "tool_use", id: part.id, name: part.name, input: isPlain(part.arguments) ? part.arguments : {} }];
    default:
      return [];
  }
}
