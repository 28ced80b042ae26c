// Budgets, options, the report and the error, as a user reads and writes them.

import {
  type Calibration,
  type ContextBudget,
  type ContextProjectorError,
  type ContextReport,
  type Dialect,
  type Fate,
  type LedgerRun,
  project,
  type ProjectOptions,
} from "context-projector";
import { proof, type Same } from "./helpers.js";

const history = [{ role: "user", content: "Hello" }];

export const full: Required<ContextBudget> = {
  maxItems: 40,
  maxApproxChars: 200_000,
  maxTokens: 100_000,
  overheadTokens: 8_000,
  pinnedPrefixItems: 2,
  maxRecentToolResults: 0,
  keepTools: ["todo_write"],
  clearToolInputs: true,
  maxToolResultChars: 8_000,
  maxToolInputChars: 2_000,
  maxRecentImages: 1,
  trimOldReasoning: true,
  lowWater: 0.6,
};

const calibration: Calibration = { overheadTokens: 3_200, ratio: 1.1 };

export const everyOption: Required<ProjectOptions> = {
  projector: "type-aware",
  dialect: "anthropic",
  summary: null,
  summaryRole: "user",
  pending: "close",
  countTokens: (text) => text.length,
  imageTokens: 1_600,
  calibration,
  store: true,
  chained: false,
  reasoningContentRequired: false,
  strictRoles: false,
};

/** A fate more or less must be noticed here. */
const colours: Record<Fate, string> = {
  kept: "green",
  pinned: "green",
  trimmed: "yellow",
  shortened: "yellow",
  cleared: "yellow",
  mended: "blue",
  dropped: "red",
  summarized: "red",
};

const dialects: Record<Dialect, true> = {
  "openai-responses": true,
  "openai-chat": true,
  anthropic: true,
  gemini: true,
  "ai-sdk": true,
  "ai-sdk-ui": true,
};

export function read(report: ContextReport): string {
  proof<Same<ContextReport["sourceTokens"], number | null>>();
  proof<Same<ContextReport["ledger"], LedgerRun[]>>();
  const counts =
    report.sourceItemCount -
    report.droppedItemCount -
    report.ledger.reduce((sum, { fate, from, to }) => sum + (fate === "summarized" ? to - from : 0), 0) +
    report.insertedItemCount -
    report.joinedItemCount;
  const limits = [report.itemLimitApplied, report.characterLimitApplied, report.tokenLimitApplied, report.overBudget];
  const share = report.projectedApproxChars / report.sourceApproxChars;
  const tokens = report.projectedTokens === null ? "not counted" : report.projectedTokens.toFixed(0);
  return [
    counts === report.projectedItemCount,
    limits.some(Boolean),
    share,
    tokens,
    report.rebased ? report.stablePrefixItems : "stable",
    report.pendingCallIds.join(" "),
    ...report.notes,
    ...report.ledger.map((run) => `${run.from}–${run.to} ${colours[run.fate]} ${run.reason}`),
    Object.keys(dialects).length,
  ].join("\n");
}

export function isOurs(error: unknown): error is ContextProjectorError {
  return error instanceof Error && error.name === "ContextProjectorError";
}

export function place(error: unknown): string {
  if (!isOurs(error)) return "elsewhere";
  proof<Same<typeof error.name, "ContextProjectorError">>();
  switch (error.code) {
    case "invalid_budget":
    case "invalid_item":
    case "invalid_option":
      return error.path ?? "somewhere";
    case "invalid_snapshot":
    case "unsupported_version":
    case "unknown_call":
    case "conflict":
    case "compaction_failed":
    case "aborted":
      return error.message;
    default:
      // A code that is missing above would not be `never`.
      return error.code satisfies never;
  }
}

export function wrong(report: ContextReport): void {
  // @ts-expect-error: a number, not its digits
  project(history, { maxItems: "40" });
  // @ts-expect-error: no such field
  project(history, { maxMessages: 40 });
  // @ts-expect-error: null is not "no limit": leave the field out
  project(history, { maxTokens: null });
  // @ts-expect-error: under exactOptionalPropertyTypes, neither is undefined
  project(history, { maxTokens: undefined });
  // @ts-expect-error: names of tools, in a list
  project(history, { keepTools: "read_file" });
  // @ts-expect-error: yes or no
  project(history, { trimOldReasoning: 1 });
  // @ts-expect-error: one fraction for all limits
  project(history, { lowWater: { maxItems: 0.6 } });
  // @ts-expect-error: a budget is an object
  project(history, 40);
  // @ts-expect-error: no such choice
  project(history, {}, { pending: "drop" });
  // @ts-expect-error: the counter answers at once
  project(history, {}, { countTokens: async (text: string) => text.length });
  // @ts-expect-error: a calibration has both numbers
  project(history, {}, { calibration: { ratio: 1 } });
  // @ts-expect-error: tokens may be missing
  report.projectedTokens.toFixed();
  // @ts-expect-error: the ledger holds runs, not one entry for each item
  report.ledger[0]?.index;
}
