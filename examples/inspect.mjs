#!/usr/bin/env node
// Shows what a projection does to a transcript, item by item.
//
//   node examples/inspect.mjs FILE [BUDGET]
//   node examples/inspect.mjs www/samples/coding.responses.json '{"maxApproxChars":40000,"lowWater":0.6}'
//
// FILE holds a JSON array of items in any of the dialects, BUDGET is a ContextBudget as JSON. The package is taken from
// ../pkg, or from the folder that the environment variable CONTEXT_PROJECTOR_PKG names.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { argv, env, stderr, stdout } from "node:process";
import { fileURLToPath } from "node:url";

/**
 * @typedef {import("../src/js/types.d.ts").ContextBudget} ContextBudget
 * @typedef {import("../src/js/types.d.ts").ContextReport} ContextReport
 * @typedef {import("../src/js/types.d.ts").ContextProjectorError} ContextProjectorError
 * @typedef {typeof import("../src/js/types.d.ts")} Package
 */

const DEFAULT_BUDGET = { maxItems: 40, maxRecentToolResults: 5, lowWater: 0.6 };

/** Something that the caller can put right: printed as one sentence, without a stack. */
class Complaint extends Error {}

/**
 * @param {string[]} args
 * @returns {string}
 */
function main(args) {
  const [file, budgetText, ...rest] = args;
  if (file === undefined || rest.length > 0) throw new Complaint("usage: node examples/inspect.mjs FILE [BUDGET as JSON]");
  const items = readItems(file);
  const budget = budgetText === undefined ? DEFAULT_BUDGET : /** @type {ContextBudget} */ (parse(budgetText, "The budget"));
  const report = projectWith(loadPackage(), items, budget);
  return [
    `${file} under ${JSON.stringify(budget)}`,
    figures(report),
    section("Notes", report.notes.map((note) => `  ${note}`)),
    section("Ledger", ledger(report, items)),
    section("Fates", fates(report)),
  ].join("\n\n");
}

// ── input ──

/**
 * @param {string} file
 * @returns {object[]}
 */
function readItems(file) {
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Complaint(`${file} cannot be read: ${reason(error)}.`);
  }
  const items = parse(text.replace(/^\uFEFF/, ""), file);
  if (!Array.isArray(items)) throw new Complaint(`${file} holds no JSON array of items.`);
  return items;
}

/**
 * @param {string} text
 * @param {string} what
 * @returns {unknown}
 */
function parse(text, what) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Complaint(`${what} is no valid JSON: ${reason(error)}.`);
  }
}

/** @returns {Package} */
function loadPackage() {
  const here = dirname(fileURLToPath(import.meta.url));
  const folder = env.CONTEXT_PROJECTOR_PKG ? resolve(env.CONTEXT_PROJECTOR_PKG) : resolve(here, "../pkg");
  const require = createRequire(import.meta.url);
  try {
    return require(folder);
  } catch (error) {
    if (/** @type {{ code?: unknown }} */ (error).code !== "MODULE_NOT_FOUND") throw error;
    throw new Complaint("The package is not built yet: run `npm run build`, or name its folder in CONTEXT_PROJECTOR_PKG.");
  }
}

/**
 * @param {Package} contextProjector
 * @param {object[]} items
 * @param {ContextBudget} budget
 * @returns {ContextReport}
 */
function projectWith(contextProjector, items, budget) {
  try {
    return contextProjector.project(items, budget).report;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "ContextProjectorError") throw error;
    const { code, path } = /** @type {ContextProjectorError} */ (error);
    throw new Complaint(`${code}${path === undefined ? "" : ` at ${path}`}: ${error.message}`);
  }
}

/** @param {unknown} error */
function reason(error) {
  const { code, message } = /** @type {{ code?: string, message: string }} */ (error);
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a folder";
  return message.replace(/,? "[^]*is not valid JSON$/, "").replace(/\.$/, "").replaceAll("\n", " ");
}

// ── output ──

/** @param {ContextReport} report */
function figures(report) {
  /** @param {number | null} value */
  const number = (value) => (value === null ? "–" : value.toLocaleString("en"));
  /** @param {number | null} before @param {number | null} after */
  const share = (before, after) => (before && after !== null ? `${((100 * after) / before).toFixed(1)} %` : "");
  const limits = [
    report.itemLimitApplied && "items",
    report.characterLimitApplied && "characters",
    report.tokenLimitApplied && "tokens",
  ].filter(Boolean);
  return [
    ...table(
      ["", ">source", ">projected", ">share"],
      [
        ["items", number(report.sourceItemCount), number(report.projectedItemCount), share(report.sourceItemCount, report.projectedItemCount)],
        ["characters", number(report.sourceApproxChars), number(report.projectedApproxChars), share(report.sourceApproxChars, report.projectedApproxChars)],
        ["tokens", number(report.sourceTokens), number(report.projectedTokens), share(report.sourceTokens, report.projectedTokens)],
      ],
    ),
    "",
    ...table(
      ["", ""],
      [
        ["dropped", number(report.droppedItemCount)],
        ["inserted", number(report.insertedItemCount)],
        ["joined", number(report.joinedItemCount)],
        ["limits applied", limits.join(", ") || "none"],
        ["over budget", report.overBudget ? "yes" : "no"],
        ["stable prefix", `${number(report.stablePrefixItems)} items${report.rebased ? ", rebased here" : ""}`],
        ["calls in flight", report.pendingCallIds.join(", ") || "none"],
      ],
    ).slice(1),
  ].join("\n");
}

/**
 * @param {ContextReport} report
 * @param {object[]} items
 */
function ledger(report, items) {
  const names = toolNames(items);
  const rows = report.ledger.map(({ from, to, fate, reason: why }) => [
    to - from === 1 ? String(from) : `${from}–${to - 1}`,
    String(to - from),
    fate,
    why || "–",
    to - from === 1 ? describe(items[from], names) : "",
  ]);
  return table([">items", ">n", "fate", "reason", "what"], rows);
}

/** @param {ContextReport} report */
function fates(report) {
  /** @type {Map<string, { items: number, runs: number, reasons: Set<string> }>} */
  const sums = new Map();
  for (const { from, to, fate, reason: why } of report.ledger) {
    const sum = sums.get(fate) ?? { items: 0, runs: 0, reasons: new Set() };
    sum.items += to - from;
    sum.runs += 1;
    for (const one of why.split(",")) if (one.trim()) sum.reasons.add(one.trim());
    sums.set(fate, sum);
  }
  return [...sums].map(([fate, { items, runs, reasons }]) => {
    const why = reasons.size > 0 ? `: ${[...reasons].join(", ")}` : "";
    return `  ${fate.padEnd(10)} ${String(items).padStart(5)} item${items === 1 ? " " : "s"} in ${runs} run${runs === 1 ? "" : "s"}${why}`;
  });
}

/** @param {string} title @param {string[]} lines */
function section(title, lines) {
  return [title, ...(lines.length > 0 ? lines : ["  none"])].join("\n");
}

/**
 * Lines of a table. A title that begins with ">" is that of a column of figures, set to the right.
 *
 * @param {string[]} titles
 * @param {string[][]} rows
 */
function table(titles, rows) {
  const right = titles.map((title) => title.startsWith(">"));
  const all = [titles.map((title) => title.replace(/^>/, "")), ...rows];
  const widths = titles.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    `  ${row.map((cell, column) => (right[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0))).join("  ")}`.trimEnd(),
  );
}

// ── what an item is, at a glance ──
//
// Good enough for a line in a table, and for nothing else: the core knows the dialects properly.

/** @typedef {{ [key: string]: any }} Loose */

/** The parts inside an item, whatever its dialect calls them. @param {Loose} item @returns {Loose[]} */
function partsOf(item) {
  const inside = [item.content, item.parts, item.tool_calls].filter(Array.isArray).flat();
  return [item, ...inside.filter((part) => part !== null && typeof part === "object")];
}

/** Call id → name of the tool. A call that uses an id again overwrites the earlier one. @param {Loose[]} items */
function toolNames(items) {
  /** @type {Map<string, string>} */
  const names = new Map();
  for (const part of items.filter((item) => item !== null && typeof item === "object").flatMap(partsOf)) {
    const id = part.call_id ?? part.toolCallId ?? part.functionCall?.id ?? part.id;
    const name = part.name ?? part.toolName ?? part.function?.name ?? part.functionCall?.name;
    if (typeof id === "string" && typeof name === "string") names.set(id, name);
  }
  return names;
}

/**
 * Author or type, kinds of content, tools: "assistant: text, tool_use read_file".
 *
 * @param {Loose | undefined} item
 * @param {Map<string, string>} names
 */
function describe(item, names) {
  if (item === null || typeof item !== "object") return "";
  const [self, ...parts] = partsOf(item);
  /** @param {Loose} part */
  const tool = (part) => {
    const id = part.call_id ?? part.tool_call_id ?? part.tool_use_id ?? part.toolCallId;
    const direct = part.name ?? part.toolName ?? part.function?.name ?? part.functionCall?.name ?? part.functionResponse?.name;
    return direct ?? (typeof id === "string" ? names.get(id) : undefined);
  };
  /** @param {Loose} part */
  const kind = (part) =>
    part.type ?? (part.functionCall ? "functionCall" : part.functionResponse ? "functionResponse" : part.text === undefined ? "part" : "text");
  /** @param {Loose} part */
  const words = (part) => [kind(part), tool(part)].filter(Boolean).join(" ");

  const head = self?.role ?? [self?.type, tool(item)].filter(Boolean).join(" ");
  const inner = new Map();
  for (const text of parts.map(words)) inner.set(text, (inner.get(text) ?? 0) + 1);
  const list = [...inner].map(([text, count]) => (count > 1 ? `${count} × ${text}` : text)).join(", ");
  const answers = self?.role === "tool" && tool(item) ? ` ${tool(item)}` : "";
  return `${head || "item"}${answers}${list ? `: ${list}` : ""}`;
}

// A reader such as `head` that has seen enough is no failure.
stdout.on("error", (error) => {
  if (/** @type {{ code?: string }} */ (error).code !== "EPIPE") throw error;
});

try {
  stdout.write(`${main(argv.slice(2))}\n`);
} catch (error) {
  if (!(error instanceof Complaint)) throw error;
  stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
