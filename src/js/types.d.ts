// The types of context-projector, written by hand. The build puts this text into the package's declarations, so it holds
// top-level exports only and imports nothing.

// ───────────────────────────── items ─────────────────────────────

/**
 * One entry of an agent's history: a message, a tool call, a tool result, a piece of reasoning.
 *
 * It is an object in the shape of its provider, so the message type of any SDK fits as it is. The library reads an item
 * as `JSON.stringify` would (`undefined` is absent, `toJSON` counts) and never changes it; a projection that must alter
 * something holds a copy, which shares every part that stayed the same. ArrayBuffer, typed arrays, Buffer and URL may
 * stand inside.
 *
 * Refused as `invalid_item`, with the path of the culprit: BigInt, symbol, function, Blob, a cycle, more than 500
 * levels of nesting.
 */
export type Item = object;

/**
 * The shape that items have.
 *
 * | value | items are |
 * |---|---|
 * | `openai-responses` | input items of OpenAI's Responses API |
 * | `openai-chat` | messages of OpenAI's Chat Completions and of the many providers that copy it |
 * | `anthropic` | messages of Anthropic's Messages API |
 * | `gemini` | `contents` of the Gemini API |
 * | `ai-sdk` | `ModelMessage` of the Vercel AI SDK |
 * | `ai-sdk-ui` | `UIMessage` of the Vercel AI SDK, in which a call and its result are one part |
 */
export type Dialect = "openai-responses" | "openai-chat" | "anthropic" | "gemini" | "ai-sdk" | "ai-sdk-ui";

// ─────────────────────────── projection ──────────────────────────

/**
 * What a projection may hold. Every field is optional, and an absent one sets no limit; `{}` only mends.
 *
 * Limits are kept by giving up the oldest steps, whole: a call never loses its result, nor reasoning the call that it
 * led to. What has to be there in any case (leading system items, the pinned prefix, the summary, the opening message
 * of the turn, the newest step) is never cut; if it alone is too much, {@link ContextReport.overBudget} says so.
 *
 * A value of the wrong type or outside its range throws {@link ContextProjectorError} with code `invalid_budget` and
 * the field as path, such as `budget.maxItems`.
 *
 * @example
 * ```ts
 * import { type ContextBudget, project } from "context-projector";
 *
 * const budget: ContextBudget = {
 *   maxTokens: 120_000,          // the model's window …
 *   overheadTokens: 12_000,      // … less system prompt, tool schemas and room for the answer
 *   maxRecentToolResults: 8,     // older results become one line each
 *   keepTools: ["todo_write"],   // except these
 *   lowWater: 0.6,               // cut rarely and deep, so that the prompt cache holds
 * };
 * const { items } = project([{ role: "user", content: "Hello" }], budget);
 * ```
 */
export interface ContextBudget {
  /**
   * Most items in the projection, the summary and everything pinned included. An integer of at least 1.
   *
   * Default: no limit. Error: `invalid_budget` at `budget.maxItems`.
   */
  maxItems?: number;

  /**
   * Most characters in the projection: the length of the items' compact JSON before escaping, in UTF-16 units; an
   * inline image, sound or file counts 6,400 whatever its size. An integer of at least 1.
   *
   * Default: no limit. Error: `invalid_budget` at `budget.maxApproxChars`.
   */
  maxApproxChars?: number;

  /**
   * Most tokens in the prompt. The items may take `maxTokens − overheadTokens`; nothing left is reported as
   * `overBudget` and is no error. Counted by {@link ProjectOptions.countTokens}, or by the built-in estimate. An
   * integer of at least 1.
   *
   * Default: no limit, and no tokens are counted. Error: `invalid_budget` at `budget.maxTokens`.
   */
  maxTokens?: number;

  /**
   * Tokens of the prompt that are not history: system prompt, tool schemas, room for the answer. Taken off `maxTokens`,
   * and of no effect without it. An integer of at least 0.
   *
   * Default: 0. Error: `invalid_budget` at `budget.overheadTokens`.
   */
  overheadTokens?: number;

  /**
   * How many items at the head of the history are always kept, counted from index 0, system items included. A number
   * that would cut through a step is widened to the step's end, and a note says so. An integer of at least 0.
   *
   * Default: 0. Error: `invalid_budget` at `budget.pinnedPrefixItems`.
   */
  pinnedPrefixItems?: number;

  /**
   * Tier 1: how many of the newest tool results keep their text. An older result stays in place with its id, and its
   * content becomes `[tool result cleared: NAME(CALL_ID)]`. A result that the model has not seen yet is never cleared,
   * not even at 0. {@link DefaultContextProjector} ignores this. An integer of at least 0.
   *
   * Default: off. Error: `invalid_budget` at `budget.maxRecentToolResults`.
   */
  maxRecentToolResults?: number;

  /**
   * Names of tools, exactly as they are called, whose results are neither cleared nor shortened. They do not count
   * toward `maxRecentToolResults`.
   *
   * Default: none. Error: `invalid_budget` at `budget.keepTools`, or at the entry that is no string.
   */
  keepTools?: string[];

  /**
   * Tier 1 also empties the arguments of each call whose result it clears, in a form that the provider still accepts. A
   * call that goes with stored reasoning or a signature is left as it is.
   *
   * Default: false. Error: `invalid_budget` at `budget.clearToolInputs`.
   */
  clearToolInputs?: boolean;

  /**
   * Longest tool result, in UTF-16 units. A longer one keeps its beginning and its end and says how much is missing
   * between them; no character is ever split. {@link DefaultContextProjector} ignores this. An integer of at least 1.
   *
   * Default: off. Error: `invalid_budget` at `budget.maxToolResultChars`.
   */
  maxToolResultChars?: number;

  /**
   * Longest string inside the arguments of a call, in UTF-16 units. A longer one is shortened in the middle; the
   * arguments stay valid JSON. {@link DefaultContextProjector} ignores this. An integer of at least 1.
   *
   * Default: off. Error: `invalid_budget` at `budget.maxToolInputChars`.
   */
  maxToolInputChars?: number;

  /**
   * How many of the newest images and screenshots are kept; where an older screenshot cannot be replaced by text, its
   * call goes as well. {@link DefaultContextProjector} ignores this. An integer of at least 0.
   *
   * Default: off. Error: `invalid_budget` at `budget.maxRecentImages`.
   */
  maxRecentImages?: number;

  /**
   * Tier 2: take out the reasoning of earlier turns, in whole blocks; that of the running turn stays. A history without
   * a user message has no earlier turn. {@link DefaultContextProjector} ignores this.
   *
   * Default: false. Error: `invalid_budget` at `budget.trimOldReasoning`.
   */
  trimOldReasoning?: boolean;

  /**
   * How far to cut back once a limit is crossed, as a fraction of that limit: 0 < `lowWater` ≤ 1. It holds for all
   * three limits and for `maxRecentToolResults` and `maxRecentImages` alike.
   *
   * At 1 the window slides: each further item changes the head of the prompt, and the provider's prompt cache misses
   * each time. At 0.6 the prompt loses two fifths at once and then only grows at its end for a while. Recommended: 0.6.
   *
   * Default: 1. Error: `invalid_budget` at `budget.lowWater`.
   */
  lowWater?: number;
}

/**
 * What the provider's own token counts taught about an estimate: `real = overheadTokens + ratio × estimated`.
 *
 * @example
 * ```ts
 * import { type Calibration, project } from "context-projector";
 *
 * const calibration: Calibration = { overheadTokens: 3_200, ratio: 1.08 };
 * const { report } = project([{ role: "user", content: "Hello" }], { maxTokens: 100_000 }, { calibration });
 * console.log(report.projectedTokens);
 * ```
 */
export interface Calibration {
  /** Tokens of each prompt that are not history, as the provider counts them. */
  overheadTokens: number;
  /** Real tokens for each estimated one: from 0.5 to 2. */
  ratio: number;
}

/**
 * How to project, beside how much: all fields are optional.
 *
 * A value of the wrong type or outside its range, or an unknown name for one of the choices, throws {@link
 * ContextProjectorError} with code `invalid_option` and the field as path, such as `options.dialect`.
 *
 * @example
 * ```ts
 * import { type ProjectOptions, project } from "context-projector";
 *
 * const options: ProjectOptions = {
 *   dialect: "openai-chat",
 *   summary: "The user is porting a parser from C; the lexer is done.",
 *   countTokens: (text) => Math.ceil(text.length / 4),
 * };
 * project([{ role: "user", content: "Go on" }], { maxTokens: 8_000 }, options);
 * ```
 */
export interface ProjectOptions {
  /**
   * Which built-in projector: `type-aware` knows Tier 1 and Tier 2, `default` mends and keeps the limits only. The
   * projector classes are made for one of the two.
   *
   * Default: `"type-aware"`.
   */
  projector?: "default" | "type-aware";

  /**
   * The shape of the items. Give it where a history may begin with items that fit several shapes, such as `{ role:
   * "user", content: "Hi" }`.
   *
   * Default: the shape of the first item that fits one only.
   */
  dialect?: Dialect;

  /**
   * A summary of what is no longer in the history. It becomes one item behind the leading system items and the pinned
   * prefix, is always kept, and counts toward the limits; it is not a source item.
   *
   * Default: null, no summary.
   */
  summary?: string | null;

  /**
   * The role of the summary's item. A summary is made from text that nobody vetted, and several providers refuse a
   * second system message: hence `user`. `system` is possible in the dialects `openai-responses`, `openai-chat` and
   * `ai-sdk`.
   *
   * Default: `"user"`.
   */
  summaryRole?: "user" | "system";

  /**
   * What to do with calls of the last step that have no result yet: `keep` leaves them open and lists them in {@link
   * ContextReport.pendingCallIds}; `close` answers each with a placeholder, for a prompt that is sent without the
   * results.
   *
   * Default: `"keep"`.
   */
  pending?: "keep" | "close";

  /**
   * Counts the tokens of a text: an integer of at least 0. Called with the strings of one item, joined by newlines;
   * media and opaque payloads are left out and counted apart. Four are added for each item. What it throws reaches you
   * unchanged.
   *
   * Default: a built-in estimate that knows Latin, CJK and other scripts, code, digits and base64.
   */
  countTokens?: (text: string) => number;

  /**
   * Tokens that one image takes.
   *
   * Default: 1600.
   */
  imageTokens?: number;

  /**
   * Corrects token totals by what the provider has reported.
   *
   * Default: none; the estimate is taken as it is.
   */
  calibration?: Calibration;

  /**
   * OpenAI Responses: are responses stored at the provider, as they are unless a request says `store: false`? With
   * stored ones an item that follows reasoning must come back exactly as it was.
   *
   * Default: true.
   */
  store?: boolean;

  /**
   * Earlier items are at the provider already (`previous_response_id`, `conversation`), and these are sent after them.
   * Then a result without its call is right, and nothing is dropped from the front.
   *
   * Default: false.
   */
  chained?: boolean;

  /**
   * Chat Completions: the provider refuses a call that comes back without its `reasoning_content`, as DeepSeek, Kimi
   * and GLM do.
   *
   * Default: false.
   */
  reasoningContentRequired?: boolean;

  /**
   * Chat Completions: the model's template takes one system message and roles in turn, as those of Qwen and Mistral do.
   * Neighbours of one role are then joined, and {@link ContextReport.joinedItemCount} says how many.
   *
   * Default: false.
   */
  strictRoles?: boolean;
}

/**
 * What became of a source item. Where several apply, the strongest is named; from strong to weak:
 *
 * | fate | the item |
 * |---|---|
 * | `summarized` | was replaced by a summary |
 * | `dropped` | is not sent, not one part of it |
 * | `mended` | was repaired, moved or answered so that the provider accepts it |
 * | `cleared` | lost the text of a result, or the arguments of a call, to a placeholder |
 * | `shortened` | lost the middle of a long string, or the older steps of a message that holds several |
 * | `trimmed` | lost its reasoning |
 * | `pinned` | is sent as it is, because it always is |
 * | `kept` | is sent as it is |
 */
export type Fate = "kept" | "pinned" | "trimmed" | "shortened" | "cleared" | "mended" | "dropped" | "summarized";

/**
 * A run of neighbouring source items that met one fate for the same reasons. The runs of a ledger cover the source
 * exactly once and in order: the first begins at 0, each begins where the one before ends, the last ends at the number
 * of source items.
 *
 * @example
 * ```ts
 * import { type LedgerRun, project } from "context-projector";
 *
 * const line = (run: LedgerRun) => `${run.from}–${run.to - 1} ${run.fate} ${run.reason}`;
 * const history = [{ role: "user", content: "Hello" }, { role: "assistant", content: "Ahoy" }];
 * console.log(project(history, { maxItems: 20 }).report.ledger.map(line).join("\n"));
 * ```
 */
export interface LedgerRun {
  /** Index of the run's first source item. */
  from: number;
  /** Index behind the run's last source item. */
  to: number;
  /** What became of each of them. */
  fate: Fate;
  /**
   * Why: budget fields, rule ids and anchors, separated by commas, such as `maxItems` or `E-C-ORPHTOOL`; may be empty
   * for `kept`.
   */
  reason: string;
}

/**
 * What a projection did, in figures and notes, with the fate of every source item.
 *
 * `projectedItemCount` = `sourceItemCount` − dropped − summarized + inserted − joined, where summarized is the number
 * of source items with that fate.
 *
 * @example
 * ```ts
 * import { type ContextReport, project } from "context-projector";
 *
 * function explain(report: ContextReport): string {
 *   const dropped = report.ledger.filter((run) => run.fate === "dropped");
 *   return [
 *     `${report.projectedItemCount} of ${report.sourceItemCount} items`,
 *     ...report.notes,
 *     ...dropped.map((run) => `gone: ${run.from} to ${run.to - 1} (${run.reason})`),
 *   ].join("\n");
 * }
 * const history = [{ role: "user", content: "Hello" }, { role: "assistant", content: "Ahoy" }];
 * console.log(explain(project(history, { maxItems: 20 }).report));
 * ```
 */
export interface ContextReport {
  /** Items that went in. */
  sourceItemCount: number;
  /** Items that came out. */
  projectedItemCount: number;
  /** Source items of which nothing came out. */
  droppedItemCount: number;
  /** Items that came out and are no source item: the summary, and placeholder results. */
  insertedItemCount: number;
  /** Items saved by joining neighbours of one role; 0 without {@link ProjectOptions.strictRoles}. */
  joinedItemCount: number;
  /** Size of what went in, in characters as {@link ContextBudget.maxApproxChars} counts them. */
  sourceApproxChars: number;
  /** Size of what came out, in the same unit. */
  projectedApproxChars: number;
  /** Tokens of what went in. Null when no tokens are counted: neither `maxTokens` nor `countTokens` is given. */
  sourceTokens: number | null;
  /** Tokens of what came out. Null when no tokens are counted. */
  projectedTokens: number | null;
  /** `maxItems` made items go. */
  itemLimitApplied: boolean;
  /** `maxApproxChars` made items go. */
  characterLimitApplied: boolean;
  /** `maxTokens` made items go. */
  tokenLimitApplied: boolean;
  /**
   * What must always be there is more than the budget allows; a note says by what. The projection is larger than its
   * limit then.
   */
  overBudget: boolean;
  /**
   * How many items at the head are the same, as JSON, as in the projection that belongs to the model call before this
   * one: the part of the prompt that a provider's cache can serve. Computed from the items alone. 0 when there was no
   * such call.
   */
  stablePrefixItems: number;
  /**
   * The projection for the call before is not the beginning of this one: the prompt cache misses from {@link
   * stablePrefixItems} on.
   */
  rebased: boolean;
  /** Ids of calls that are still waiting for their results. */
  pendingCallIds: string[];
  /** What was done, one sentence each, such as `maxItems applied: 40`. Made for people and logs. */
  notes: string[];
  /** The fate of every source item, as runs. Decoded when first read; an ordinary, enumerable property. */
  ledger: LedgerRun[];
}

/**
 * The outcome of a projection.
 *
 * @example
 * ```ts
 * import { type ContextProjection, project } from "context-projector";
 *
 * type Message = { role: "user" | "assistant"; content: string };
 * const history: Message[] = [{ role: "user", content: "Hello" }];
 * const projection: ContextProjection<Message> = project(history);
 * console.log(projection.items[0] === history[0]); // true: the very same object
 * ```
 */
export interface ContextProjection<T extends Item = Item> {
  /** What to send, in order. Items that were not altered are the very objects that went in. */
  items: T[];
  /** What was done to get there. */
  report: ContextReport;
}

/**
 * Projects a history: what the model should be sent of it, within a budget and in a form that its provider accepts.
 *
 * Stateless as seen from outside: the outcome depends on the arguments only. (Inside, what was learned about an array's
 * items is remembered for as long as its first item lives, so that a history which grows is not read anew each time.)
 * Neither the array nor any item is changed.
 *
 * @param items the whole history, oldest first
 * @param budget what the projection may hold; default: no limits
 * @param options how to project
 * @returns the items to send, of the type that went in, and the report
 * @throws {ContextProjectorError} `invalid_budget` for a wrong budget, `invalid_option` for a wrong option,
 * `invalid_item` for something that is no array or for an item that is no plain data; `path` says where. Nothing has
 * changed then.
 *
 * @example
 * ```ts
 * import { project } from "context-projector";
 *
 * const history = Array.from({ length: 55 }, (_, n) => ({
 *   role: n % 2 === 0 ? "user" : "assistant",
 *   content: `message ${n}`,
 * }));
 * const { items, report } = project(history, { maxItems: 20, pinnedPrefixItems: 1 });
 *
 * console.log(items.length); // 20: item 0, then 36 to 54
 * console.log(report.droppedItemCount); // 35
 * console.log(report.notes); // [ "maxItems applied: 20" ]
 * ```
 */
export function project<T extends Item>(items: readonly T[], budget?: ContextBudget, options?: ProjectOptions): ContextProjection<T>;

/**
 * {@link project} over JSON text: for histories that come from storage, for hosts in other languages, and for numbers
 * that a JavaScript double cannot hold. The text of an item that was not altered comes out unchanged, digit by digit.
 *
 * @param itemsJson a JSON array of items
 * @param budget a budget, or its JSON text
 * @param options options, or their JSON text (which has no place for `countTokens`)
 * @returns the JSON text of `{ "items": […], "report": {…} }`
 * @throws {ContextProjectorError} as {@link project} does; also for text that is no JSON, with the code of the argument
 * it stands for
 *
 * @example
 * ```ts
 * import { projectJson } from "context-projector";
 *
 * const text = '[{"role":"user","content":"Order 12345678901234567890, please"}]';
 * const { items, report } = JSON.parse(projectJson(text, '{"maxItems":20}'));
 * console.log(items.length, report.notes);
 * ```
 */
export function projectJson(itemsJson: string, budget?: ContextBudget | string, options?: ProjectOptions | string): string;

/**
 * What would make the provider refuse these items; empty when nothing would. Linear in the history.
 *
 * The rules are those of the dialect, which is the option's or that of the first unambiguous item; of a history that
 * mixes dialects only the pairing of calls and results is judged. What a list of items cannot show (that a signature is
 * unmodified, that an id belongs to this account) is not judged: projections keep to it by construction.
 *
 * @param items The history, or what is about to be sent. Not changed.
 * @param options The dialect alone, or the options of {@link project}: `store`, `chained`, `strictRoles` and
 *   `reasoningContentRequired` count.
 * @throws {ContextProjectorError} `invalid_item`, `invalid_option`.
 *
 * @example
 * const [first] = validate([{ role: "tool", tool_call_id: "a", content: "42" }], "openai-chat");
 * // { index: 0, rule: "E-C-ORPHTOOL", severity: "error", message: "…" }
 */
export function validate(items: readonly Item[], options?: Dialect | ProjectOptions): Violation[];

/**
 * Something that a provider would refuse, or that some would.
 *
 * @example
 * const refused = validate(items).filter(({ severity }) => severity === "error");
 */
export interface Violation {
  /** Index of the item. */
  index: number;
  /** The rule's id, such as `E-C-ORPHTOOL`. */
  rule: string;
  /** `error`: the request is refused; `warning`: by some providers or models; `pending`: a call in flight, no fault. */
  severity: "error" | "warning" | "pending";
  /** What is wrong and what to do, in a sentence. */
  message: string;
}

/**
 * Anything that projects: the two built-in classes, and yours. An implementation returns some of the items it was
 * given, in order, and a report about it.
 *
 * @example
 * ```ts
 * import { type ContextBudget, type ContextProjection, type ContextProjector, type Item, project } from "context-projector";
 *
 * // Leaves out what the host marked as private, then projects as usual.
 * class DiscreetProjector implements ContextProjector {
 *   project<T extends Item>(items: readonly T[], budget?: ContextBudget): ContextProjection<T> {
 *     return project(items.filter((item) => !("private" in item)), budget);
 *   }
 * }
 * new DiscreetProjector().project([{ role: "user", content: "Hello" }]);
 * ```
 */
export interface ContextProjector {
  /**
   * Projects a history.
   *
   * @param items the whole history, oldest first; not to be changed
   * @param budget what the projection may hold; default: no limits
   */
  project<T extends Item>(items: readonly T[], budget?: ContextBudget): ContextProjection<T>;
}

/**
 * The plain projector: it mends what a provider would refuse and keeps the three limits, and never looks into an item's
 * text. Tier 1 and Tier 2 fields of a budget have no effect.
 *
 * An instance holds a little memory inside WebAssembly. It is given back when the instance is garbage-collected, or at
 * once by `free` or `using`.
 *
 * @example
 * ```ts
 * import { DefaultContextProjector } from "context-projector";
 *
 * const projector = new DefaultContextProjector({ dialect: "openai-chat" });
 * const { items } = projector.project([{ role: "user", content: "Hello" }], { maxItems: 40, lowWater: 0.6 });
 * projector.free();
 * ```
 */
export class DefaultContextProjector implements ContextProjector {
  /**
   * @param options how to project
   * @throws {ContextProjectorError} `invalid_option` for a wrong one
   */
  constructor(options?: ProjectOptions);

  /**
   * Projects a history as {@link project} does, with this projector's options.
   *
   * @param items the whole history, oldest first
   * @param budget what the projection may hold; default: no limits
   * @throws {ContextProjectorError} `invalid_budget` or `invalid_item`, with the path
   */
  project<T extends Item>(items: readonly T[], budget?: ContextBudget): ContextProjection<T>;

  /** Gives the memory back at once; the instance must not be used any more. */
  free(): void;

  /** `free`, for `using`. */
  [Symbol.dispose](): void;
}

/**
 * The projector that knows calls, results and reasoning: besides what {@link DefaultContextProjector} does it clears
 * and shortens old tool results and arguments, drops old images, and takes out the reasoning of earlier turns. This is
 * what {@link project} uses.
 *
 * An instance holds a little memory inside WebAssembly. It is given back when the instance is garbage-collected, or at
 * once by `free` or `using`.
 *
 * @example
 * ```ts
 * import { type ContextBudget, type ContextProjection, type Item, TypeAwareContextProjector } from "context-projector";
 *
 * // Keeps the plan of the agent whatever the budget says.
 * class PlanKeeper extends TypeAwareContextProjector {
 *   override project<T extends Item>(items: readonly T[], budget: ContextBudget = {}): ContextProjection<T> {
 *     return super.project(items, { ...budget, keepTools: [...(budget.keepTools ?? []), "update_plan"] });
 *   }
 * }
 * const { report } = new PlanKeeper().project([{ role: "user", content: "Hello" }], { maxRecentToolResults: 5 });
 * console.log(report.notes);
 * ```
 */
export class TypeAwareContextProjector implements ContextProjector {
  /**
   * @param options how to project
   * @throws {ContextProjectorError} `invalid_option` for a wrong one
   */
  constructor(options?: ProjectOptions);

  /**
   * Projects a history as {@link project} does, with this projector's options.
   *
   * @param items the whole history, oldest first
   * @param budget what the projection may hold; default: no limits
   * @throws {ContextProjectorError} `invalid_budget` or `invalid_item`, with the path
   */
  project<T extends Item>(items: readonly T[], budget?: ContextBudget): ContextProjection<T>;

  /** Gives the memory back at once; the instance must not be used any more. */
  free(): void;

  /** `free`, for `using`. */
  [Symbol.dispose](): void;
}

// ──────────────────────────── memory ─────────────────────────────

/**
 * What an agent works from: the items it still has, and a summary of those it has not.
 *
 * @example
 * ```ts
 * import { InMemoryAgentMemory, type MemorySnapshot } from "context-projector";
 *
 * const memory = new InMemoryAgentMemory();
 * memory.addUserInput("Hello");
 * const saved: string = JSON.stringify(memory.snapshot());
 * new InMemoryAgentMemory().restore(JSON.parse(saved) as MemorySnapshot);
 * ```
 */
export interface MemorySnapshot<T extends Item = Item> {
  /** The items, oldest first, without the summary. */
  items: T[];
  /** What came before them; `null` where nothing did. */
  summary: string | null;
}

/**
 * What makes memory smaller. Any object with this method fits; it may answer at once or with a promise.
 *
 * @example
 * ```ts
 * import { InMemoryAgentMemory, type MemoryCompressor } from "context-projector";
 *
 * const forgetful: MemoryCompressor = { compress: ({ items, summary }) => ({ items: items.slice(-1), summary }) };
 * new InMemoryAgentMemory({ compressor: forgetful });
 * ```
 */
export interface MemoryCompressor {
  /** Answers the memory that takes the place of `snapshot`, which is a copy. */
  compress(snapshot: MemorySnapshot): MemorySnapshot | Promise<MemorySnapshot>;
}

/**
 * A compressor that keeps the newest items, cut between steps: a call never loses its result. Leading system items, the
 * user message of the turn that is cut, and calls in flight stay, whatever the number. What falls is gone without a
 * trace; {@link CompactPolicyMemoryCompressor} summarises it.
 *
 * @example
 * ```ts
 * import { InMemoryAgentMemory, WindowedMemoryCompressor } from "context-projector";
 *
 * new InMemoryAgentMemory({ compressor: new WindowedMemoryCompressor(200) });
 * ```
 */
export class WindowedMemoryCompressor implements MemoryCompressor {
  /**
   * @param maxItems most items to keep, an integer of at least 1
   * @throws {ContextProjectorError} `invalid_option` at `maxItems`
   */
  constructor(maxItems: number);

  /**
   * Keeps the newest items; the summary stays as it is.
   *
   * @throws {ContextProjectorError} `invalid_option` at `snapshot`, `invalid_item`
   */
  compress(snapshot: MemorySnapshot): MemorySnapshot;
}

/** What an agent reads from and writes to. {@link InMemoryAgentMemory} is one. */
export interface AgentMemory<T extends Item = Item> {
  /** Adds what a person wrote: a text, which becomes an item of the history's dialect, or an item. */
  addUserInput(input: string | T): void;
  /** Adds what the model gave, and what tools gave where the items are there already. */
  addOutputItems(items: readonly T[]): void;
  /** Adds what a tool gave, in the form of the call that it answers. */
  addToolOutput(callId: string, output: unknown): void;
  /** Leading system items, the summary as one item of the dialect, then the rest: what {@link project} takes. */
  getItems(): T[];
  /** The summary of what is no longer there. */
  getSummary(): string | null;
  /** Sets or removes the summary. */
  setSummary(summary: string | null): void;
  /** Items and summary as they are now. */
  snapshot(): MemorySnapshot<T>;
  /** Replaces items and summary. */
  restore(snapshot: MemorySnapshot<T>): void;
  /** Forgets everything. */
  clear(): void;
}

/**
 * Memory in an array. Items are kept as the very objects that were added.
 *
 * With a compressor it is made smaller after each write, one compression at a time. A compressor may take its time:
 * items added meanwhile follow what it answers, in order, and what it answers for a memory that was replaced meanwhile
 * is of no use and dropped.
 *
 * @example
 * ```ts
 * import { InMemoryAgentMemory, project } from "context-projector";
 *
 * const memory = new InMemoryAgentMemory({ dialect: "openai-chat" });
 * memory.addUserInput("How warm is it in Kyoto?");
 * memory.addOutputItems([
 *   { role: "assistant", tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } }] },
 * ]);
 * memory.addToolOutput("call_1", { celsius: 21 });
 * const { items } = project(memory.getItems(), { maxItems: 40 });
 * ```
 */
export class InMemoryAgentMemory<T extends Item = Item> implements AgentMemory<T> {
  /**
   * @param options the dialect, where the first items do not show it, and a compressor
   * @throws {ContextProjectorError} `invalid_option` for a wrong one
   */
  constructor(options?: { dialect?: Dialect; compressor?: MemoryCompressor });

  /**
   * Adds what a person wrote. A text becomes an item of the dialect; where none is known yet, `{ role, content }`.
   *
   * @throws {ContextProjectorError} `invalid_item`
   */
  addUserInput(input: string | T): void;

  /**
   * Adds items. A `UIMessage` whose `id` is in memory takes the place of that one.
   *
   * @throws {ContextProjectorError} `invalid_item`, with the path
   */
  addOutputItems(items: readonly T[]): void;

  /**
   * Adds what a tool gave, in the form of the call that it answers. A string stays one; anything else becomes JSON text,
   * or JSON where the dialect has a place for it; `undefined` says that there was no output. In a `UIMessage` the part
   * of the call gets it.
   *
   * @param callId the call's id; its name where calls have no ids
   * @throws {ContextProjectorError} `unknown_call` at `callId`; `invalid_item` at `output` where it has no form in JSON,
   * or where the result of such a call is no text (a screenshot): add the item itself then
   */
  addToolOutput(callId: string, output: unknown): void;

  /** Leading system items, the summary as one item of the dialect, then the rest. */
  getItems(): T[];

  /** The summary of what is no longer there. */
  getSummary(): string | null;

  /** Sets or removes the summary. */
  setSummary(summary: string | null): void;

  /** Items and summary as they are now; a copy of the list, with the same items. */
  snapshot(): MemorySnapshot<T>;

  /**
   * Replaces items and summary.
   *
   * @throws {ContextProjectorError} `invalid_option` at `snapshot`, `invalid_item`; memory is then as it was
   */
  restore(snapshot: MemorySnapshot<T>): void;

  /** Forgets everything. */
  clear(): void;

  /** Settles when a compressor that answers asynchronously has answered; rejects with what it threw, once. */
  settled(): Promise<void>;
}

// ─────────────────────────── compaction ──────────────────────────

/**
 * The platform's `AbortSignal`. Where no types of a platform are there (neither DOM nor Node), what is used of it.
 */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } }
  ? Known
  : { readonly aborted: boolean; readonly reason: unknown; addEventListener(type: "abort", listener: () => void): void };

/**
 * How a compaction ended.
 *
 * | status | memory | why |
 * |---|---|---|
 * | `compacted` | is smaller | a summary was accepted |
 * | `nothing_to_do` | is as it was | there is nothing that a summary could take the place of; no call was made |
 * | `irreducible` | is as it was | what must stay is over the limit alone; no call was made |
 * | `vetoed` | is as it was | a hook said no |
 * | `empty_summary` | is as it was | the model's answer holds no summary, or was cut off |
 * | `inflated_summary` | is as it was | the summary is no smaller than what it would replace |
 * | `summary_failed` | is as it was | the host's model threw |
 * | `cancelled` | is as it was | the caller's signal ended it |
 * | `stale` | is as it was | memory became another one meanwhile |
 */
export type CompactStatus =
  | "compacted"
  | "nothing_to_do"
  | "irreducible"
  | "vetoed"
  | "empty_summary"
  | "inflated_summary"
  | "summary_failed"
  | "cancelled"
  | "stale";

/**
 * What a compaction came to. Plain JSON, items aside: keep it and give it to the next compaction as `previous`, so that
 * lists accumulate as data instead of passing through the model's prose.
 */
export interface CompactResult<T extends Item = Item> {
  /** How it ended. */
  status: CompactStatus;
  /** Memory as it is now; the same as before unless `status` is `compacted`. */
  memory: MemorySnapshot<T>;
  /** The summary, as in `memory`. */
  summary: string | null;
  /** What the user wants. */
  goal: string | null;
  /** What was done. */
  completed: string[];
  /** What remains. An entry that the model did not answer for ends in `[carried 1]` to `[carried 3]`. */
  pending: string[];
  /** What was decided; carried in the same way. */
  decisions: string[];
  /** Left to policies of your own. */
  changedArtifacts: string[];
  /** What failed, commands with their last error line. */
  failedCommands: string[];
  /** What tests said. */
  testResults: string[];
  /** Left to policies of your own. */
  userConfirmations: string[];
  /** Left to policies of your own. */
  sandboxState: string[];
  /** What is not known. */
  openQuestions: string[];
  /** Files that tools read and did not change, the last touched last. */
  readFiles: string[];
  /** Files that tools created or changed, the last touched last. */
  modifiedFiles: string[];
  /** Keys of the model's answer beyond those asked for. */
  extra: { [key: string]: unknown };
  /** What became of each item of the memory that was compacted. */
  contextReport: ContextReport;
  /** Model calls made, and why an attempt was refused, in order. */
  attempts: { status: CompactStatus; message: string }[];
}

/** What is known when a policy is asked whether to compact. */
export interface CompactContext {
  /** Tokens of the last prompt as the provider measured them; `null` where that is not known. */
  tokens: number | null;
  /** Tokens of what is not history: instructions, tool schemas, room for the answer. */
  overheadTokens: number;
  /** Failures in a row. */
  failures: number;
  /** The result of the compaction before. */
  previous: CompactResult | null;
}

/**
 * When and how memory is compacted. Any object with these methods fits. Policies keep no state: whoever owns the memory
 * counts failures and passes the result before.
 */
export interface CompactPolicy {
  /** Whether it is time. Absent: never; `compact` is then for you to call. */
  shouldCompact?(snapshot: MemorySnapshot, context?: CompactContext): boolean;
  /** Compacts. What it answers takes the place of memory only with the status `compacted`. */
  compact(snapshot: MemorySnapshot, options?: { signal?: Signal; previous?: CompactResult | null }): CompactResult | Promise<CompactResult>;
}

/**
 * Compaction without a model: keeps what a projection under its budget keeps, and puts a text that states what can be
 * known in the place of the rest: counts, goal (the first user message, shortened), files, failed commands with their
 * last error line, test results. Deterministic; earlier texts of its own are merged, not nested.
 *
 * @example
 * ```ts
 * import { StructuredSummaryCompactPolicy } from "context-projector";
 *
 * const policy = new StructuredSummaryCompactPolicy({ maxItems: 40 });
 * const snapshot = { items: [{ role: "user", content: "Hello" }], summary: null };
 * if (policy.shouldCompact(snapshot)) console.log((await policy.compact(snapshot)).summary);
 * ```
 */
export class StructuredSummaryCompactPolicy implements CompactPolicy {
  /**
   * @param budget its limits say what stays; tiers have no effect, since memory keeps items whole
   * @param options the dialect and the token counter are used
   * @throws {ContextProjectorError} `invalid_budget`, `invalid_option`
   */
  constructor(budget: ContextBudget, options?: ProjectOptions);

  /** Whether memory is over a limit of the budget and something can go. */
  shouldCompact(snapshot: MemorySnapshot, context?: CompactContext): boolean;

  /**
   * Compacts.
   *
   * @throws {ContextProjectorError} (as a rejection) `invalid_option` at `snapshot` or `previous`, `invalid_item`
   */
  compact(snapshot: MemorySnapshot, options?: { signal?: Signal; previous?: CompactResult | null }): Promise<CompactResult>;
}

/** What the host's model is asked. Send `system` as instructions and `input` as the user message, in a conversation of its own. */
export interface SummaryPrompt {
  /** What to do. */
  system: string;
  /** The transcript, in a fence, and the instruction behind it. */
  input: string;
  /** Aborted when the compaction is. */
  signal: Signal;
}

/** What the host's model said. A `finishReason` of `length` or the like tells that the text was cut off. */
export type SummaryAnswer = string | { text: string | null; finishReason?: string };

/** The host's model call. It may answer at once, throw or reject: memory then stays as it is. */
export type SummaryModel = (prompt: SummaryPrompt) => SummaryAnswer | Promise<SummaryAnswer>;

/**
 * How to compact with a model. A field of another name is refused, since a misspelt limit would be a compaction that
 * never comes.
 */
export interface LlmCompactOptions {
  /** Compact when the items number more than this. At least one of the three limits for automatic use. At least 1. */
  maxItems?: number;
  /** Compact when the items and the summary take more characters than this. At least 1. */
  maxApproxChars?: number;
  /** Compact when the prompt takes more tokens than this. At least 1. */
  maxTokens?: number;
  /** Tokens of what is not history. Default 0. */
  overheadTokens?: number;
  /** Newest items to keep, before the cut is moved to a safe place. Default: half of the limit that fired. */
  keepRecentItems?: number;
  /** Newest items to keep, in tokens. */
  keepRecentTokens?: number;
  /** First items that are never summarised. Default 0. */
  pinnedPrefixItems?: number;
  /** Longest prompt for the model, in characters; a longer one is summarised in chunks. At least 4,000; default 120,000. */
  maxPromptChars?: number;
  /** Longest summary, in characters. At least 400; default 8,000. */
  maxSummaryChars?: number;
  /** Most files in the two lists together; those that were only read give way first. Default 100. */
  maxFiles?: number;
  /** Instructions of yours for the summariser, behind the built-in ones. */
  instructions?: string;
  /** How tools of yours touch files, by their names, beside the built-in map of the known agents' tools. */
  fileTools?: { [tool: string]: "read" | "modify" | "ignore" };
  /** What takes the place of an answer that was refused: nothing, or what can be known without a model. Default `none`. */
  fallback?: "none" | "structured";
  /** Counts the tokens of a text. Default: the built-in estimate. */
  countTokens?: (text: string) => number;
  /** The shape of the items. Default: that of the first item that shows it. */
  dialect?: Dialect;
  /** OpenAI: whether responses are stored at the provider. Default true. */
  store?: boolean;
}

/**
 * Compaction with a model of yours. The newest items stay; what came before becomes a summary that the model writes,
 * together with lists that the library keeps by itself. Whatever the model does, memory is never worse: an answer that
 * is empty, cut off, an echo, or no smaller than what it would replace is refused, and memory stays as it was.
 *
 * @example
 * ```ts
 * import { LlmCompactPolicy } from "context-projector";
 *
 * declare function ask(system: string, input: string, signal: AbortSignal): Promise<string>;
 *
 * const policy = new LlmCompactPolicy(({ system, input, signal }) => ask(system, input, signal), { maxTokens: 100_000 });
 * const snapshot = { items: [{ role: "user", content: "Hello" }], summary: null };
 * if (policy.shouldCompact(snapshot)) {
 *   const result = await policy.compact(snapshot, { signal: AbortSignal.timeout(60_000) });
 *   console.log(result.status, result.summary);
 * }
 * ```
 */
export class LlmCompactPolicy implements CompactPolicy {
  /**
   * @param model your model call
   * @param options when to compact, and how
   * @throws {ContextProjectorError} `invalid_option` with the field's path
   */
  constructor(model: SummaryModel, options: LlmCompactOptions);

  /** Whether memory is over a limit, and a compaction would take a fair share of it away. */
  shouldCompact(snapshot: MemorySnapshot, context?: CompactContext): boolean;

  /**
   * Compacts. Resolves also where the model failed: `status` says how it ended.
   *
   * @throws {ContextProjectorError} (as a rejection) `invalid_option` at `snapshot` or `previous`, `invalid_item`
   */
  compact(snapshot: MemorySnapshot, options?: { signal?: Signal; previous?: CompactResult | null }): Promise<CompactResult>;
}

/**
 * A policy as the compressor of a memory. It is asked after each write. After a failure it is not asked again before
 * memory has grown by a tenth, and by one item at least; after three in a row not before the memory is another one.
 *
 * @example
 * ```ts
 * import { CompactPolicyMemoryCompressor, InMemoryAgentMemory, StructuredSummaryCompactPolicy } from "context-projector";
 *
 * const compressor = new CompactPolicyMemoryCompressor(new StructuredSummaryCompactPolicy({ maxItems: 40 }));
 * const memory = new InMemoryAgentMemory({ compressor });
 * memory.addUserInput("Hello");
 * await memory.settled();
 * console.log(compressor.getLastResult()?.status);
 * ```
 */
export class CompactPolicyMemoryCompressor implements MemoryCompressor {
  /**
   * @param policy when and how to compact
   * @throws {ContextProjectorError} `invalid_option` at `policy`
   */
  constructor(policy: CompactPolicy);

  /** Memory after a compaction, or as it was. Rejects with what the policy threw. */
  compress(snapshot: MemorySnapshot): Promise<MemorySnapshot>;

  /** The result of the newest compaction that was tried. */
  getLastResult(): CompactResult | null;
}

/**
 * Plans a compaction for hosts that run the model elsewhere: {@link LlmCompactPolicy} without the call. The plan is plain
 * JSON: it can be stored, sent, and gone on with in another process.
 *
 * @example
 * ```ts
 * import { commitCompaction, continueCompaction, planCompaction } from "context-projector";
 *
 * declare function ask(system: string, input: string): Promise<string>;
 *
 * const snapshot = { items: [{ role: "user", content: "Hello" }], summary: null };
 * let plan = planCompaction(snapshot, { maxItems: 100 });
 * while (plan.status === "ready" && plan.prompt !== null) {
 *   plan = continueCompaction(plan, await ask(plan.prompt.system, plan.prompt.input));
 * }
 * const { status, memory } = commitCompaction(snapshot, plan);
 * ```
 *
 * @param snapshot the memory to compact
 * @param options how
 * @param previous the result of the compaction before, if any
 * @throws {ContextProjectorError} `invalid_option`, `invalid_item`
 */
export function planCompaction(snapshot: MemorySnapshot, options: LlmCompactOptions, previous?: CompactResult | null): CompactionPlan;

/**
 * The plan with the model's answer: the next prompt, `answered`, or why the answer was refused.
 *
 * @param plan a plan whose status is `ready`
 * @param answer what the model said to its prompt
 * @throws {ContextProjectorError} `invalid_option` at `plan` or `answer`
 */
export function continueCompaction(plan: CompactionPlan, answer: SummaryAnswer): CompactionPlan;

/**
 * Puts the summary of an answered plan in the place of what it summarises. Items that were appended since the plan was
 * made follow in order; if what was summarised is no longer there as it was, the result is `stale`. A plan that ended
 * otherwise gives a result that says so.
 *
 * @param snapshot memory as it is now
 * @param plan a plan that waits for no answer
 * @throws {ContextProjectorError} `invalid_option` at `snapshot` or `plan`, `invalid_item`
 */
export function commitCompaction(snapshot: MemorySnapshot, plan: CompactionPlan): CompactResult;

/** A compaction under way. The fields named here are yours to read; the others belong to the library. */
export interface CompactionPlan {
  /** `ready`: `prompt` waits for an answer. `answered`: ready to commit. Otherwise: why it ended. */
  status: "ready" | "answered" | Exclude<CompactStatus, "compacted">;
  /** What to ask the model next; `null` where nothing is to be asked. */
  prompt: { system: string; input: string } | null;
  /** Which call this is, from 1; 0 where none is made. */
  call: number;
  /** How many calls there are: one for each chunk of the transcript. */
  calls: number;
  [key: string]: unknown;
}

// ───────────────────────────── session ───────────────────────────

/** Settings that decide what a projection looks like: kept in the log. */
export interface SessionSettings extends Omit<ProjectOptions, "summary" | "countTokens" | "calibration" | "projector"> {
  /** What a projection may hold. */
  budget?: ContextBudget;
  /** Which projector runs; `custom`: one of the host's own, which has to be given again at restoring. */
  projector?: "default" | "type-aware" | "custom";
}

/**
 * How a session works. What decides the look of a projection is kept in the log and need not be given again at restoring;
 * functions and parts (counter, policy, compressor, store, projector, clock) do.
 */
export interface SessionOptions extends Omit<ProjectOptions, "summary" | "calibration" | "projector" | "store"> {
  /** Default: a random UUID. */
  sessionId?: string;
  /** What a projection may hold. */
  budget?: ContextBudget;
  /** `default`, `type-aware` (the default), or an object of yours with a method `project`. */
  projector?: "default" | "type-aware" | ContextProjector;
  /** When and how `prepareTurn` compacts. */
  compactPolicy?: CompactPolicy;
  /** A compaction that takes longer is cancelled. In milliseconds; default 120,000. */
  compactTimeoutMs?: number;
  /** What makes memory smaller after each write. */
  memoryCompressor?: MemoryCompressor;
  /** OpenAI: whether responses are stored at the provider, {@link ProjectOptions.store}; `store` is another thing here. */
  storedResponses?: boolean;
  /** Where `save` saves to. */
  store?: AgentSessionStore;
  /** Attributes to begin with. */
  attributes?: { [key: string]: unknown };
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  now?: () => number;
}

/** What the model is sent this turn. */
export interface ModelContext<T extends Item = Item> extends ContextProjection<T> {
  /** The summary that stands among the items. */
  summary: string | null;
  /** The compaction of this turn; `null` where none was asked for. */
  compaction: CompactResult<T> | null;
}

/**
 * One object that an app holds for a conversation: the log of everything that happened, memory as what follows from it,
 * and the prompt of each turn. Everything can be saved, restored, rewound and recalled.
 *
 * Parts of your own are called and checked, and what a projector of yours did is accounted for by comparing what it
 * returned with what it was given.
 *
 * @example
 * ```ts
 * import { AgentSession } from "context-projector";
 *
 * declare function ask(items: object[]): Promise<object[]>;
 *
 * const session = new AgentSession({ dialect: "openai-responses", budget: { maxItems: 60, lowWater: 0.6 } });
 * session.addUserInput("Fix the build.");
 * const { items } = await session.prepareTurn();
 * session.addOutputItems(await ask(items));
 * const saved = JSON.stringify(session.snapshot());
 * const again = AgentSession.restore(saved);
 * console.log(again.sequence === session.sequence); // true
 * ```
 */
export class AgentSession<T extends Item = Item> {
  /**
   * Begins a session.
   *
   * @throws {ContextProjectorError} `invalid_option`, `invalid_budget`
   */
  constructor(options?: SessionOptions);

  /**
   * A session from a snapshot or its text. The events rule; whatever else a snapshot says must agree with them.
   *
   * @throws {ContextProjectorError} `invalid_snapshot` with the path, `unsupported_version`
   */
  static restore<T extends Item = Item>(snapshot: AgentSessionSnapshot<T> | string, options?: SessionOptions): AgentSession<T>;

  /**
   * A session from its events.
   *
   * @throws {ContextProjectorError} `invalid_snapshot` with the path
   */
  static replay<T extends Item = Item>(events: readonly SessionEvent<T>[], options?: SessionOptions): AgentSession<T>;

  /** A session from a store, which it goes on saving to; `null` where the store has none of this id. */
  static resume<T extends Item = Item>(store: AgentSessionStore, sessionId: string, options?: SessionOptions): Promise<AgentSession<T> | null>;

  /** The session's id. */
  readonly sessionId: string;
  /** Items in memory. */
  readonly length: number;
  /** Sequence of the newest event. */
  readonly sequence: number;

  /** Adds what a person wrote: a text, which becomes an item of the history's dialect, or an item. */
  addUserInput(input: string | T): void;
  /** Adds items. A `UIMessage` whose `id` is in memory takes the place of that one; the log keeps both. */
  addOutputItems(items: readonly T[]): void;
  /**
   * Adds what a tool gave, in the form of the call that it answers, also if that was compacted away meanwhile.
   *
   * @throws {ContextProjectorError} `unknown_call` at `callId`, `invalid_item` at `output`
   */
  addToolOutput(callId: string, output: unknown): void;

  /**
   * Compacts if the policy says so, then projects. Never rejects because of a compaction: `compaction` tells how that
   * ended. Two at once share one compaction, which is aborted when all who wait for it have given up.
   */
  prepareTurn(options?: { signal?: Signal }): Promise<ModelContext<T>>;

  /** Projection only, synchronously; logs nothing. `budget` takes the place of the session's. */
  project(budget?: ContextBudget): ContextProjection<T>;

  /**
   * Compacts now, with the session's policy or another.
   *
   * @throws {ContextProjectorError} (as a rejection) `compaction_failed`, with the result as `result`; `aborted`;
   * `conflict` where memory became another one meanwhile. What the host's model threw arrives unchanged.
   */
  compact(policy?: CompactPolicy, options?: { signal?: Signal }): Promise<CompactResult<T>>;

  /** The result of the last compaction that was accepted. */
  getLastCompactResult(): CompactResult<T> | null;

  /** The item with the original result of a tool call, whatever was cleared, dropped or compacted since; `null`: none is known. */
  recall(callId: string): T | null;

  /**
   * The prompt as it was at an earlier event: at a MEMORY_COMPRESS event, what was sent then.
   *
   * @throws {ContextProjectorError} `invalid_option` at `sequence`
   */
  contextAt(sequence: number): ContextProjection<T>;

  /**
   * Goes back to the state right after an earlier event, compactions included. The log keeps what was undone.
   *
   * @throws {ContextProjectorError} `invalid_option` at `sequence`
   */
  rewind(sequence: number): void;

  /**
   * Replaces the events before `sequence` by one checkpoint. What stood in them cannot be recalled any more.
   *
   * @throws {ContextProjectorError} `invalid_option` at `sequence`
   */
  prune(sequence: number): void;

  /**
   * Input tokens of the whole last prompt, cached ones included: calibrates the estimate.
   *
   * @throws {ContextProjectorError} `invalid_option` at `usage.inputTokens`
   */
  reportUsage(usage: { inputTokens: number }): void;

  /** What the reports taught. */
  getCalibration(): Calibration;

  /**
   * The provider refused the last prompt as too long: the next `prepareTurn` compacts, and from then on no prompt is as
   * long as 70 % of it.
   *
   * @throws {ContextProjectorError} `invalid_option` at `details.maxTokens` or `details.inputTokens`
   */
  reportOverflow(details?: { maxTokens?: number; inputTokens?: number }): void;

  /** Memory as an {@link AgentMemory}: what is written through it is logged. */
  getMemory(): AgentMemory<T>;
  /** The events from a sequence on; not to be changed. */
  getEvents(fromSequence?: number): SessionEvent<T>[];
  /** A copy of the attributes. */
  getAttributes(): { [key: string]: unknown };
  /** Sets an attribute to a JSON value; `undefined` takes it away. */
  putAttribute(key: string, value: unknown): void;

  /**
   * Listens. Listeners run after the change, in order; events that a listener causes come after the current one has
   * reached all. One that throws is reported and disturbs nothing. Returns the function that takes the listener away.
   */
  on(type: SessionEvent["type"] | "*", listener: (event: SessionEvent<T>) => void): () => void;

  /** Asked before a compaction: `false` is a veto, a policy takes the other's place. Returns the function that takes it away. */
  hook(name: "before_compact", fn: (snapshot: MemorySnapshot<T>) => void | boolean | CompactPolicy | Promise<void | boolean | CompactPolicy>): () => void;
  /** Told after a compaction was committed. */
  hook(name: "on_compact", fn: (result: CompactResult<T>) => void): () => void;

  /** Everything, as plain JSON: bytes as base64 text, URLs by their address. */
  snapshot(): AgentSessionSnapshot<T>;

  /**
   * Saves what is new.
   *
   * @throws {ContextProjectorError} (as a rejection) `conflict` where another writer was there: resume, and do it again
   */
  save(): Promise<void>;

  /** Gives the log's memory back at once; the session must not be used any more. */
  free(): void;
  /** `free`, for `using`. */
  [Symbol.dispose](): void;
}

/** One event: its place in the log from 1, when it was recorded, what happened. */
export interface EventOf<K extends string, P> {
  /** Its place in the log, from 1. */
  sequence: number;
  /** When, in milliseconds since 1970. */
  recordedAtEpochMs: number;
  /** What kind. */
  type: K;
  /** What happened. */
  payload: P;
}

/**
 * An event of a session. An item's *ordinal* is how many items were added before it; `keep` names ordinals that stay, each
 * range without its second number.
 */
export type SessionEvent<T extends Item = Item> =
  | EventOf<"SESSION_CREATED", { sessionId: string; settings: SessionSettings }>
  | EventOf<"SETTINGS_CHANGED", { settings: SessionSettings }>
  | EventOf<"ITEMS_ADDED", { ordinal: number; origin: "user" | "output" | "tool"; items: T[] }>
  | EventOf<"ITEM_REPLACED", { ordinal: number; item: T }>
  | EventOf<"MEMORY_SET", { keep?: [from: number, to: number][]; items: T[]; summary: string | null; cause: "restore" | "clear" | "summary" | "compressor" }>
  | EventOf<"COMPACTED", { keep: [from: number, to: number][]; summary: string | null; result: Omit<CompactResult<T>, "memory" | "contextReport"> }>
  | EventOf<"COMPACTION_FAILED", { status: CompactStatus; message: string }>
  | EventOf<"MEMORY_COMPRESS", { cause: "projection" | "compaction"; report: Omit<ContextReport, "ledger"> }>
  | EventOf<"ATTRIBUTE_SET", { key: string; value?: unknown }>
  | EventOf<"USAGE_REPORTED", { inputTokens: number; estimatedTokens?: number }>
  | EventOf<"OVERFLOW_REPORTED", { maxTokens?: number; inputTokens?: number }>
  | EventOf<"REWOUND", { to: number }>
  | EventOf<"CHECKPOINT", { memory: MemorySnapshot<T>; attributes: { [key: string]: unknown }; compactResult: CompactResult<T> | null; [key: string]: unknown }>
  | EventOf<"STEP_START" | "STEP_END", { step: number; runtime: string }>
  | EventOf<"MODEL_REQUEST", { step: number; itemCount: number }>
  | EventOf<"MODEL_RESPONSE", { step: number; inputTokens?: number }>
  | EventOf<"TOOL_CALL" | "TOOL_RESULT", { step: number; callId: string; name: string; ok?: boolean }>
  | EventOf<"FINAL_OUTPUT", { step: number; outputText: string }>
  | EventOf<"ERROR", { message: string; code?: string }>;

/** A saved session: plain JSON of version 1. */
export interface AgentSessionSnapshot<T extends Item = Item> {
  /** What it is. */
  format: "context-projector/session";
  /** The form of what follows. */
  version: 1;
  /** Of which session, and its attributes. */
  metadata: { sessionId: string; createdAtEpochMs: number; updatedAtEpochMs: number; attributes: { [key: string]: unknown } };
  /** Where the events lead. A store that keeps events alone may leave it out. */
  memory?: MemorySnapshot<T>;
  /** Everything that happened. */
  events: SessionEvent<T>[];
  /** The lists of the last compaction. */
  compactResult?: Omit<CompactResult<T>, "contextReport"> | null;
}

/**
 * Your storage. `append`, where a store has it, saves only what is new. Both writers throw an error with the code `conflict`
 * when another writer was there: when what is stored does not end where they were told.
 */
export interface AgentSessionStore {
  /** Saves a session whole. `expectedSequence` is the newest event that the store is thought to have, 0 for none; `undefined`: whatever it has. */
  save(snapshot: AgentSessionSnapshot, expectedSequence?: number): Promise<void>;
  /** A session, or `null`. */
  load(sessionId: string): Promise<AgentSessionSnapshot | null>;
  /** Deletes a session; whether there was one. */
  delete(sessionId: string): Promise<boolean>;
  /** The ids of all sessions. */
  listSessionIds(): Promise<string[]>;
  /** Adds events behind `afterSequence`, 0 where the store has none. */
  append?(sessionId: string, afterSequence: number, events: readonly SessionEvent[]): Promise<void>;
}

// ───────────────────────────── runtime ───────────────────────────

/** What the model is called with: the projection of the turn, and what the runtime adds. */
export interface ModelRequest<T extends Item = Item> extends ModelContext<T> {
  /** Your instructions, the runtime's rules, the plan: for the provider's system prompt or instructions field. */
  instructions: string;
  /** The step of this run, from 1. */
  step: number;
  /** Fires when the run is given up. */
  signal: Signal;
}

/** A tool: its arguments are an object, or a string where the tool takes free text. */
export type AgentTool = (args: any, call: { callId: string; name: string; signal: Signal }) => unknown;

/** What a run is to do. */
export interface AgentRunRequest<T extends Item = Item> {
  /** What the person says. Without it the run goes on: calls in flight first, then the model. */
  input?: string | T;
  /** Handed to the model at every step. */
  instructions?: string;
  /** Calls the model; gives its output items, in the session's dialect, and what the provider counted. */
  model: (context: ModelRequest<T>) => Promise<{ items: readonly T[]; usage?: { inputTokens: number } }>;
  /**
   * By name. What a tool throws becomes an error result that the model reads. A call whose type takes no text, such as
   * `computer_call`, gets its item as arguments, and its tool gives the item that answers it.
   */
  tools?: { [name: string]: AgentTool };
  /** Most model calls of the run; 32 by default. */
  maxSteps?: number;
  /** Calls of one answer run together (the default) or one after another. Their results keep the order of the calls. */
  parallelToolCalls?: boolean;
  /** Ends the run with `aborted`; what is open gets an error result. */
  signal?: Signal;
  /** Says that an error of the model means "prompt too long": the step is made again once, after `reportOverflow`. */
  isOverflow?: (error: unknown) => boolean;
}

/** What became of a run. */
export interface AgentRunResult {
  /** The model's answer; the last text of a run that came to none. */
  outputText: string;
  /** Model calls that were begun, repeated ones once. */
  steps: number;
  /** Why it ended. A model that fails, or your `plan`, rejects instead. */
  stopReason: "final" | "max_steps" | "aborted" | "paused";
  /** What a paused run waits for. Give the result with `addToolOutput`, or run again without input to call the tool again. */
  pause: { callId: string; reason: string } | null;
  /** All calls with a result, in order. */
  toolCalls: { callId: string; name: string; ok: boolean }[];
}

/** Thrown by a tool that needs a person: other open calls of the step get results first, and the run ends as `paused`. */
export class PauseRun extends Error {
  constructor(reason?: string);
}

/** A way to run an agent on a session. */
export interface AgentRuntime {
  /**
   * Runs until the model answers.
   *
   * @throws {ContextProjectorError} `invalid_option`, `invalid_item`; `conflict` where the session is in another run.
   * What the model throws, unchanged, with an `ERROR` event in the log and the history intact.
   */
  run<T extends Item>(session: AgentSession<T>, request: AgentRunRequest<T>): Promise<AgentRunResult>;
}

/**
 * Reason and act: the model calls tools until it answers. At the top of each step the session compacts where that is due,
 * and projects.
 *
 * @example
 * ```ts
 * import { AgentSession, ReActRuntime } from "context-projector";
 *
 * const session = new AgentSession({ budget: { maxItems: 40, lowWater: 0.6 } });
 * const result = await new ReActRuntime().run(session, {
 *   input: "What is 6 times 7?",
 *   tools: { multiply: ({ a, b }) => a * b },
 *   // The provider's client goes here.
 *   model: async ({ items, instructions, signal }) => ({ items: [{ role: "assistant", content: "42" }] }),
 * });
 * result.outputText; // "42"
 * ```
 */
export class ReActRuntime implements AgentRuntime {
  constructor();
  run<T extends Item>(session: AgentSession<T>, request: AgentRunRequest<T>): Promise<AgentRunResult>;
}

/** The same along a plan, which stands in the instructions: of your planner, or five steps of our own. */
export class DeepResearchRuntime implements AgentRuntime {
  /** `plan` is asked once a goal; a run that goes on keeps its plan. */
  constructor(options?: { plan?: (goal: string) => string[] | Promise<string[]> });
  run<T extends Item>(session: AgentSession<T>, request: AgentRunRequest<T>): Promise<AgentRunResult>;
}

/**
 * The model acts by writing code, which your `execute` runs: in a sandbox of your choice, with a time limit of your choice.
 * What it printed comes back as a user message. The model ends with `{"final_output": …}`, or with text without code.
 */
export class CodeActRuntime implements AgentRuntime {
  /** What `execute` throws is output of code that failed. */
  constructor(options: {
    execute: (code: { language: string; source: string; signal: Signal }) => Promise<{ ok: boolean; output: string }>;
  });
  run<T extends Item>(session: AgentSession<T>, request: AgentRunRequest<T>): Promise<AgentRunResult>;
}

// ───────────────────────────── errors ────────────────────────────

/**
 * Every failure that the library itself reports: a real `Error`. There is no class to test against with `instanceof`;
 * look at `name` and `code`. What a function of yours throws, such as `countTokens`, reaches you unchanged.
 *
 * @example
 * ```ts
 * import { type ContextProjectorError, project } from "context-projector";
 *
 * const isOurs = (error: unknown): error is ContextProjectorError =>
 *   error instanceof Error && error.name === "ContextProjectorError";
 *
 * try {
 *   project([], { maxItems: 0 });
 * } catch (error) {
 *   if (!isOurs(error)) throw error;
 *   console.error(error.code, error.path); // invalid_budget budget.maxItems
 * }
 * ```
 */
export interface ContextProjectorError extends Error {
  /** Always `"ContextProjectorError"`. */
  name: "ContextProjectorError";
  /**
   * What kind of failure it is. Stable: made for programs.
   *
   * | code | meaning |
   * |---|---|
   * | `invalid_budget` | a field of a budget has the wrong type or is out of range |
   * | `invalid_item` | the items are no array, or one of them is no plain data or is nested too deeply |
   * | `invalid_option` | an option or another argument is wrong |
   * | `invalid_snapshot` | a snapshot or a list of events contradicts itself |
   * | `unsupported_version` | a snapshot was written by a later version of the format |
   * | `unknown_call` | a call id that the history does not know |
   * | `conflict` | another writer changed the stored session meanwhile |
   * | `compaction_failed` | a compaction that was asked for came to nothing |
   * | `aborted` | the caller's signal ended the work |
   */
  code:
    | "invalid_budget"
    | "invalid_item"
    | "invalid_option"
    | "invalid_snapshot"
    | "unsupported_version"
    | "unknown_call"
    | "conflict"
    | "compaction_failed"
    | "aborted";
  /**
   * Where in the input the fault is, such as `budget.maxItems` or `items[3].call_id`. Absent where no place can be
   * named.
   */
  path?: string;
}
