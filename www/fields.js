// The fields of a ContextBudget, as the page offers them.

/** @typedef {import("context-projector").ContextBudget} ContextBudget */

/** What a history is made of, as far as the controls' ranges depend on it. */
/** @typedef {{ items: number, chars: number, results: number, images: number, tools: string[] }} Extent */

/**
 * A number: absent when its input is empty. Its slider runs from `least` to `most`, by ratio where `isWide`; with `off`, its right
 * end means that the field is absent.
 * @typedef {{ kind: "number", name: keyof ContextBudget, label: string, says: string, off?: string, initial?: string, least: number,
 *   most: (extent: Extent) => number, isWide?: boolean, step?: number }} NumberField
 */
/** @typedef {{ kind: "flag", name: keyof ContextBudget, label: string, says: string }} FlagField */
/** @typedef {{ kind: "tools", name: keyof ContextBudget, label: string, says: string }} ToolsField */
/** @typedef {NumberField | FlagField | ToolsField} Field */

/** What the page starts with: enough to see something happen in either sample. @type {ContextBudget} */
export const START = { maxItems: 40, maxRecentToolResults: 5, lowWater: 0.6 };

/** @type {{ title: string, says: string, fields: Field[] }[]} */
export const GROUPS = [
  {
    title: "Limits",
    says: "Crossing one gives up the oldest steps, whole: a call never loses its result.",
    fields: [
      { kind: "number", name: "maxItems", label: "Items", says: "Most items in the prompt.", off: "no limit", least: 1, most: (extent) => extent.items, isWide: true },
      { kind: "number", name: "maxApproxChars", label: "Characters", says: "Most characters in the prompt; an image counts 6,400.", off: "no limit", least: 500, most: (extent) => extent.chars, isWide: true },
      { kind: "number", name: "maxTokens", label: "Tokens", says: "Most tokens in the prompt, by a built-in estimate.", off: "no limit", least: 200, most: (extent) => Math.ceil(extent.chars / 2), isWide: true },
      { kind: "number", name: "overheadTokens", label: "Tokens for the rest", says: "Taken off the tokens: system prompt, tool schemas, room for the answer.", initial: "0", least: 0, most: () => 20_000, step: 100 },
      { kind: "number", name: "lowWater", label: "Low water", says: "How far to cut back once a limit is crossed. Below 1 the prompt is cut rarely and deep, and the provider’s cache holds.", initial: "1", least: 0.05, most: () => 1, step: 0.05 },
      { kind: "number", name: "pinnedPrefixItems", label: "Pinned items", says: "Items at the head of the history that are always kept.", initial: "0", least: 0, most: (extent) => Math.min(extent.items, 50), step: 1 },
    ],
  },
  {
    title: "Tool results and calls",
    says: "Old results become one line each, in place; long texts lose their middle.",
    fields: [
      { kind: "number", name: "maxRecentToolResults", label: "Results that keep their text", says: "How many of the newest tool results stay as they are.", off: "off", least: 0, most: (extent) => Math.max(extent.results, 1) },
      { kind: "flag", name: "clearToolInputs", label: "Empty the calls too", says: "Takes the arguments out of each call whose result is cleared." },
      { kind: "tools", name: "keepTools", label: "Tools to leave alone", says: "Results of these tools are neither cleared nor shortened." },
      { kind: "number", name: "maxToolResultChars", label: "Longest result", says: "A longer tool result is shortened in the middle; in characters.", off: "off", least: 100, most: () => 50_000, isWide: true },
      { kind: "number", name: "maxToolInputChars", label: "Longest argument", says: "A longer text inside a call’s arguments is shortened; in characters.", off: "off", least: 100, most: () => 50_000, isWide: true },
    ],
  },
  {
    title: "Images and reasoning",
    says: "What is large and soon of little use.",
    fields: [
      { kind: "number", name: "maxRecentImages", label: "Images", says: "How many of the newest images and screenshots are kept.", off: "off", least: 0, most: (extent) => Math.max(extent.images, 1) },
      { kind: "flag", name: "trimOldReasoning", label: "Trim old reasoning", says: "Takes out the reasoning of earlier turns." },
    ],
  },
];
