// The command's output for people: plain text of at most 80 columns.

/** @typedef {Record<string, any>} Fields */
/** @typedef {import("context-projector").ContextReport} Report */
/** @typedef {import("context-projector").LedgerRun} Run */
/**
 * @typedef {object} Shown
 * @property {string} file
 * @property {string} source
 * @property {string} dialect
 * @property {readonly { line: number, message: string }[]} problems
 * @property {import("context-projector").ContextBudget} budget
 * @property {Report} report
 * @property {readonly import("./weigh.js").Weight[]} weights
 */

const WIDTH = 80;
const MOST_PROBLEMS = 10;

/**
 * @param {Shown} shown
 * @param {readonly object[]} items
 */
export function printed(shown, items) {
  const { file, source, dialect, report, weights, budget } = shown;
  const blocks = [
    `${clip(file, WIDTH)}\n${source}, ${dialect}, ${number(items.length)} items\nbudget ${JSON.stringify(budget)}`,
    problems(shown.problems),
    figures(report),
    section("Notes", report.notes.flatMap((note) => wrapped(note))),
    section("Ledger", ledger(report.ledger, items)),
    section("Weight", weight(weights)),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

/** @param {Shown["problems"]} found */
function problems(found) {
  const lines = found.slice(0, MOST_PROBLEMS).flatMap(({ line, message }) => wrapped(line > 0 ? `line ${line}: ${message}` : message));
  if (found.length > MOST_PROBLEMS) lines.push(`  and ${number(found.length - MOST_PROBLEMS)} more`);
  return section("Problems", lines);
}

/** @param {Report} report */
function figures(report) {
  /** @type {[string, number | null, number | null][]} */
  const rows = [
    ["items", report.sourceItemCount, report.projectedItemCount],
    ["characters", report.sourceApproxChars, report.projectedApproxChars],
    ["tokens", report.sourceTokens, report.projectedTokens],
  ];
  const counted = rows.filter(([, source]) => source !== null);
  const lines = [["", "history", "prompt", "share"], ...counted.map(([name, source, sent]) => [name, number(source ?? 0), number(sent ?? 0), share(sent ?? 0, source ?? 0)])];
  const applied = [
    report.itemLimitApplied ? "items" : "",
    report.characterLimitApplied ? "characters" : "",
    report.tokenLimitApplied ? "tokens" : "",
  ].filter((name) => name !== "");
  return [
    table(lines, "lrrr"),
    "",
    `  dropped ${number(report.droppedItemCount)}, inserted ${number(report.insertedItemCount)}, limits applied: ${applied.join(", ") || "none"}`,
    `  stable prefix ${number(report.stablePrefixItems)} items${report.rebased ? ", rebased" : ""}${report.overBudget ? ", over budget" : ""}`,
    ...(report.pendingCallIds.length > 0 ? wrapped(`calls in flight: ${report.pendingCallIds.join(", ")}`) : []),
  ].join("\n");
}

/**
 * @param {readonly Run[]} runs
 * @param {readonly object[]} items
 */
function ledger(runs, items) {
  const rows = runs.map(({ from, to, fate, reason }) => [
    to - from === 1 ? String(from) : `${from}–${to - 1}`,
    number(to - from),
    fate,
    reason || "–",
    to - from === 1 ? describe(/** @type {Fields} */ (items[from])) : "",
  ]);
  return table([["items", "n", "fate", "reason", "what"], ...rows], "rrlll").split("\n");
}

/** @param {readonly import("./weigh.js").Weight[]} weights */
function weight(weights) {
  const total = weights.reduce((sum, { chars }) => sum + chars, 0);
  const rows = weights.map(({ kind, items, chars, projectedChars }) => [
    kind,
    number(items),
    number(chars),
    share(chars, total),
    "█".repeat(Math.round((12 * chars) / Math.max(1, total))).padEnd(12, "·"),
    number(projectedChars),
  ]);
  return table([["kind", "items", "characters", "share", "", "in the prompt"], ...rows], "lrrrlr").split("\n");
}

/** Author, type and tool of an item. @param {Fields} item */
function describe(item) {
  const parts = [item.content, item.parts, item.tool_calls].filter(Array.isArray).flat();
  const part = /** @type {Fields | undefined} */ (parts.find((part) => typeof part === "object" && part !== null && (part.name ?? part.toolName ?? part.function ?? part.functionCall ?? part.functionResponse)));
  const tool = item.name ?? part?.name ?? part?.toolName ?? part?.function?.name ?? part?.functionCall?.name ?? part?.functionResponse?.name;
  return [item.role, item.type === "message" ? undefined : item.type, tool].filter((word) => typeof word === "string").join(" ");
}

/**
 * Rows in aligned columns; the last column takes what room is left.
 * @param {readonly (readonly string[])[]} rows
 * @param {string} alignment a letter a column, l or r
 */
function table(rows, alignment) {
  const widths = [...alignment].map((_, column) => Math.max(...rows.map((row) => width(row[column] ?? ""))));
  const lines = rows.map((row) =>
    row.map((cell, column) => {
      const gap = " ".repeat((widths[column] ?? 0) - width(cell));
      return alignment[column] === "r" ? gap + cell : cell + gap;
    }),
  );
  return lines.map((cells) => clip(`  ${cells.join("  ")}`.trimEnd(), WIDTH)).join("\n");
}

/**
 * @param {string} title
 * @param {readonly string[]} lines
 */
const section = (title, lines) => (lines.length === 0 ? "" : [title, ...lines].join("\n"));

/** @param {number} value */
const number = (value) => value.toLocaleString("en-US");

/**
 * @param {number} part
 * @param {number} whole
 */
const share = (part, whole) => (whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`);

/** Columns of a text: wide scripts and emoji take two. @param {string} text */
function width(text) {
  let columns = 0;
  for (const character of text) columns += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(character) ? 2 : 1;
  return columns;
}

/**
 * @param {string} text
 * @param {number} most columns
 */
function clip(text, most) {
  if (width(text) <= most) return text;
  let clipped = "";
  for (const character of text) {
    if (width(clipped + character) >= most) break;
    clipped += character;
  }
  return `${clipped}…`;
}

/** @param {string} text */
function wrapped(text) {
  /** @type {string[]} */
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && width(`    ${line} ${word}`) > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.map((line, index) => clip(`${index === 0 ? "  " : "    "}${line}`, WIDTH));
}
