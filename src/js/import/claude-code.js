// Claude Code sessions: a record for each content block, in a tree of uuids.
//
// Not one chain is walked, for the results of parallel calls hang on branches beside each other: records are taken in the
// order of the file, joined by the id of their message, and results stand after the message that made the call. Only what
// a rewind has left is taken away.

import { isShallow, nameOf } from "./items.js";
import { isPlain } from "./shapes.js";

/** @typedef {import("./types.js").Entry} Entry */
/** @typedef {import("./types.js").Plain} Plain */
/** @typedef {import("./types.js").Problem} Problem */
/** @typedef {{ entry: Entry, value: Plain, parent: number }} Node `parent`: its index, or -1 */
/** @typedef {{ content: Plain[], whole: unknown, results: Plain[], rest: Plain[], ids: Set<string>, answered: Set<string> }} Step */

/**
 * @param {readonly Entry[]} entries
 * @param {Problem[]} problems
 * @returns {Plain[]}
 */
export function readClaudeCode(entries, problems) {
  const nodes = nodesOf(entries, problems);
  const left = leftBranches(nodes, problems);
  const inFile = nodes.filter((node, index) => !left.has(index) && isSent(node.value));
  // The file of a sub-agent is a side chain from end to end.
  const main = inFile.filter(({ value }) => value.isSidechain !== true);
  const history = new History(problems);
  for (const { entry, value } of main.length > 0 ? main : inFile) {
    if (value.isCompactSummary === true) history.restart();
    if (!isShallow(entry, value.message, problems)) continue;
    if (value.type === "assistant") history.addAnswer(value.message);
    else history.addUser(value.message, entry.line);
  }
  return history.items();
}

/**
 * Whether a record is part of what the model is sent.
 *
 * @param {Plain} value
 */
function isSent(value) {
  if (value.type !== "user" && value.type !== "assistant") return false;
  if (!isPlain(value.message) || value.isMeta === true) return false;
  if (value.message.model === "<synthetic>" || value.isApiErrorMessage === true) return false;
  const { content } = value.message;
  return typeof content === "string" || (Array.isArray(content) && content.length > 0);
}

/**
 * @param {readonly Entry[]} entries
 * @param {Problem[]} problems
 * @returns {Node[]}
 */
function nodesOf(entries, problems) {
  /** @type {Node[]} */
  const nodes = [];
  /** @type {Map<string, number>} */
  const byId = new Map();
  for (const entry of entries) {
    const { line, value } = entry;
    if (!isPlain(value)) {
      problems.push({ line, message: `Here stands ${nameOf(value)}, no record of a Claude Code session; it is left out.` });
      continue;
    }
    if (typeof value.uuid === "string") {
      // A session that was resumed repeats records of the former file.
      if (byId.has(value.uuid)) continue;
      byId.set(value.uuid, nodes.length);
    }
    nodes.push({ entry, value, parent: -1 });
  }
  nodes.forEach((node, index) => {
    const id = node.value.parentUuid;
    if (typeof id !== "string") return;
    const parent = byId.get(id);
    node.parent = parent ?? index - 1;
    if (parent === undefined && isSent(node.value)) {
      problems.push({
        line: node.entry.line,
        message: `dangling-parent: the record names the parent ${id}, which is not in the file; it stays after the record before it.`,
      });
    }
  });
  return nodes;
}

/** @param {Plain} value */
function isPrompt(value) {
  if (value.type !== "user" || !isSent(value) || value.isSidechain === true) return false;
  const { content } = value.message;
  const text = typeof content === "string" ? content : content[0]?.text;
  // Commands and interruptions are written by the client, more than one at a place.
  return typeof text === "string" && !/^\s*(<|\[Request interrupted)/.test(text);
}

/**
 * Two prompts after the same record: the user went back and wrote another. The branch that goes on longest in the file is the
 * conversation.
 *
 * @param {Node[]} nodes
 * @param {Problem[]} problems
 * @returns {Set<number>}
 */
function leftBranches(nodes, problems) {
  /** @type {Map<number, number[]>} */
  const prompts = new Map();
  const last = nodes.map((_, index) => index);
  for (let index = nodes.length - 1; index >= 0; index -= 1) {
    const node = /** @type {Node} */ (nodes[index]);
    if (node.parent < 0 || node.parent >= index) continue;
    last[node.parent] = Math.max(last[node.parent] ?? 0, last[index] ?? 0);
    if (typeof node.value.parentUuid === "string" && isPrompt(node.value)) {
      const siblings = prompts.get(node.parent);
      if (siblings) siblings.push(index);
      else prompts.set(node.parent, [index]);
    }
  }
  /** @type {Map<number, number>} index in a left branch → index where that begins */
  const left = new Map();
  for (const siblings of prompts.values()) {
    const kept = siblings.reduce((best, index) => ((last[index] ?? 0) > (last[best] ?? 0) ? index : best));
    for (const index of siblings) if (index !== kept) left.set(index, index);
  }
  if (left.size === 0) return new Set();
  /** @type {Map<number, number>} */
  const sizes = new Map();
  nodes.forEach((node, index) => {
    const root = node.parent < index ? left.get(node.parent) ?? left.get(index) : left.get(index);
    if (root === undefined) return;
    left.set(index, root);
    sizes.set(root, (sizes.get(root) ?? 0) + 1);
  });
  for (const [root, size] of sizes) {
    const line = nodes[root]?.entry.line ?? 0;
    problems.push({ line, message: `left-branch: the user went back before this prompt and wrote another; ${size} record(s) of the left branch are left out.` });
  }
  return new Set(left.keys());
}

/** Builds the messages. */
class History {
  /** @param {Problem[]} problems */
  constructor(problems) {
    this.problems = problems;
    this.restart();
  }

  restart() {
    /** @type {({ step: Step } | { user: Plain })[]} */
    this.parts = [];
    /** @type {Map<string, Step>} message id → step */
    this.steps = new Map();
    /** @type {Map<string, Step>} id of a call → the newest step that makes it */
    this.calls = new Map();
  }

  /** @param {Plain} message */
  addAnswer({ id, content }) {
    let step = typeof id === "string" ? this.steps.get(id) : undefined;
    if (step) {
      step.whole = undefined;
    } else {
      step = { content: [], whole: content, results: [], rest: [], ids: new Set(), answered: new Set() };
      this.parts.push({ step });
      if (typeof id === "string") this.steps.set(id, step);
    }
    for (const block of typeof content === "string" ? [{ type: "text", text: content }] : content) {
      if (isPlain(block) && block.type === "tool_use" && typeof block.id === "string") {
        if (step.ids.has(block.id)) continue;
        step.ids.add(block.id);
        this.calls.set(block.id, step);
      }
      step.content.push(block);
    }
  }

  /**
   * @param {Plain} message
   * @param {number} line
   */
  addUser({ content }, line) {
    if (typeof content === "string") {
      this.parts.push({ user: { role: "user", content } });
      return;
    }
    /** @type {Step | null} */
    let answered = null;
    /** @type {Plain[]} */
    const others = [];
    for (const block of content) {
      const step = isPlain(block) && block.type === "tool_result" ? this.calls.get(block.tool_use_id) : undefined;
      if (!step) {
        others.push(block);
      } else if (step.answered.has(block.tool_use_id)) {
        this.problems.push({ line, message: `second-result: the call ${block.tool_use_id} has its result already; this one is left out.` });
        answered ??= step;
      } else {
        step.answered.add(block.tool_use_id);
        step.results.push(block);
        answered = step;
      }
    }
    if (others.length === 0) return;
    // Text in the record of a result stays in its message, after all results.
    if (answered && !others.some((block) => block?.type === "tool_result")) answered.rest.push(...others);
    else this.parts.push({ user: { role: "user", content: others } });
  }

  /** @returns {Plain[]} */
  items() {
    return this.parts.flatMap((part) => {
      if ("user" in part) return [part.user];
      const { content, whole, results, rest } = part.step;
      const answer = { role: "assistant", content: typeof whole === "string" ? whole : content };
      const answers = [...results, ...rest];
      return answers.length > 0 ? [answer, { role: "user", content: answers }] : [answer];
    });
  }
}
