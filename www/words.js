// Fates and reasons in words.

/** @typedef {import("context-projector").Fate | "added"} RowFate */

/**
 * Beside its colour each fate has a glyph and its name: colour alone tells nothing to many.
 * @type {Record<RowFate, { glyph: string, says: string }>}
 */
export const FATES = {
  kept: { glyph: "●", says: "Sent as it is." },
  pinned: { glyph: "◆", says: "Sent as it is, because it always is." },
  trimmed: { glyph: "◔", says: "Sent without its old reasoning." },
  shortened: { glyph: "◑", says: "Sent shorter: a long text lost its middle, or a message its older steps." },
  cleared: { glyph: "○", says: "Sent with one line in the place of a result or of a call’s arguments." },
  mended: { glyph: "✚", says: "Changed, moved or answered, so that the provider accepts the history." },
  dropped: { glyph: "✕", says: "Not sent: the model does not see it." },
  summarized: { glyph: "≡", says: "Replaced by the summary." },
  added: { glyph: "+", says: "Not in the history: put into the prompt, so that the provider accepts it." },
};

/** @type {Record<string, string>} */
const REASONS = {
  "anchor:system": "Leading system items are always sent.",
  "anchor:summary": "The summary is always sent.",
  "anchor:turn": "It opens the turn that the prompt begins in.",
  pinnedPrefixItems: "Pinned at the head of the history.",
  maxRecentToolResults: "Newer tool results fill the number that keep their text.",
  clearToolInputs: "The call’s result is cleared, and its arguments go with it.",
  maxToolResultChars: "The tool result is longer than allowed.",
  maxToolInputChars: "A text in the call’s arguments is longer than allowed.",
  maxRecentImages: "Newer images fill the number that are kept.",
  trimOldReasoning: "Reasoning of an earlier turn.",
  steps: "Older steps of this message are left out.",
  maxItems: "Too old for the limit on items.",
  maxApproxChars: "Too old for the limit on characters.",
  maxTokens: "Too old for the limit on tokens.",
};

/**
 * What each reason of a ledger's run means. Rules of providers are explained by the report's own notes.
 * @param {string} reason comma-separated
 * @param {readonly string[]} notes
 * @returns {string[]}
 */
export function explain(reason, notes) {
  return reason.split(",").map((one) => one.trim()).filter(Boolean).map((one) => {
    if (REASONS[one]) return REASONS[one];
    const prefix = `mended ${one} in `;
    const note = notes.find((text) => text.startsWith(prefix));
    return note ? `A rule of the provider, ${one}: ${note.slice(note.indexOf(": ") + 2)}` : `A rule of the provider: ${one}.`;
  });
}

/** @param {string} text */
export const sentence = (text) => {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
};
