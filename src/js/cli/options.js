// The command's arguments. The parser is Node's own, which needs no dependency and is kept as long as Node is.

import { parseArgs } from "node:util";

/** Something that the caller can put right: printed as one sentence, exit code 2. */
export class Complaint extends Error {}

export const version = "0.1.0";

export const USAGE = `context-projector inspect FILE [options]

Shows what a projection makes of a transcript: a JSON array or JSON lines of any
provider's messages, or a session of Claude Code, Codex, Gemini CLI or pi.
FILE "-" is standard input.

  --max-items N       most items in the prompt
  --max-chars N       most characters
  --max-tokens N      most tokens, by the built-in estimate
  --pinned N          items at the head that are always kept
  --keep-results N    newest tool results that keep their text
  --trim-reasoning    leave reasoning of earlier turns out
  --low-water X       what crosses a limit is cut back to this share (0.6)
  --json              print one JSON object
  --help, --version`;

/** Options by the budget's field, with what they take. */
const NUMBERS = /** @type {const} */ ({
  "max-items": "maxItems",
  "max-chars": "maxApproxChars",
  "max-tokens": "maxTokens",
  pinned: "pinnedPrefixItems",
  "keep-results": "maxRecentToolResults",
  "low-water": "lowWater",
});

/**
 * @typedef {{ kind: "help" } | { kind: "version" }
 *   | { kind: "inspect", file: string, budget: import("context-projector").ContextBudget, json: boolean }} Options
 */

/**
 * @param {string[]} args
 * @returns {Options}
 */
export function readOptions(args) {
  const { values, positionals } = parsed(args);
  if (values.help) return { kind: "help" };
  if (values.version) return { kind: "version" };
  const [command, file, ...more] = positionals;
  if (command === undefined) throw new Complaint("name a command: inspect FILE. --help says more.");
  if (command !== "inspect") throw new Complaint(`there is no command "${command}": only inspect FILE.`);
  if (file === undefined) throw new Complaint("inspect needs a FILE.");
  if (more.length > 0) throw new Complaint(`inspect takes one FILE, and "${more[0]}" is a second.`);
  /** @type {Record<string, number | boolean>} */
  const budget = { lowWater: 0.6 };
  for (const [option, field] of Object.entries(NUMBERS)) {
    const text = /** @type {Record<string, string | boolean | undefined>} */ (values)[option];
    if (text === undefined) continue;
    const number = Number(text);
    if (typeof text !== "string" || text.trim() === "" || Number.isNaN(number)) {
      throw new Complaint(`--${option} takes a number, and "${text}" is none.`);
    }
    budget[field] = number;
  }
  if (values["trim-reasoning"]) budget.trimOldReasoning = true;
  return { kind: "inspect", file, budget, json: values.json ?? false };
}

/** @param {string[]} args */
function parsed(args) {
  /** @type {Record<string, { type: "string" }>} */
  const numbers = Object.fromEntries(Object.keys(NUMBERS).map((option) => [option, { type: /** @type {const} */ ("string") }]));
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        ...numbers,
        "trim-reasoning": { type: "boolean" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean", short: "v" },
      },
    });
  } catch (error) {
    throw new Complaint(`${/** @type {Error} */ (error).message.split(". ")[0]}. --help lists the options.`);
  }
}
