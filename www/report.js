// The report of a projection: figures, a bar of what goes and what stays, notes.

import { counted, fill, h, number } from "./dom.js";

/** @typedef {import("context-projector").ContextReport} ContextReport */
/** Characters of the history by what becomes of them, and those that were put in. @typedef {{ sent: number, cut: number, dropped: number }} Shares */

/** @param {ContextReport} report */
export function headline(report) {
  return `${number(report.projectedItemCount)} of ${counted(report.sourceItemCount, "item")} · ${percent(report.projectedApproxChars, report.sourceApproxChars)} of the characters`;
}

/**
 * @param {HTMLElement} place
 * @param {ContextReport} report
 * @param {Shares} shares
 */
export function showReport(place, report, shares) {
  fill(place, figures(report), bar(shares), facts(report), notes(report.notes));
}

/** @param {ContextReport} report */
function figures(report) {
  const rows = /** @type {const} */ ([
    ["Items", report.sourceItemCount, report.projectedItemCount, "items"],
    ["Characters", report.sourceApproxChars, report.projectedApproxChars, "chars"],
    ["Tokens", report.sourceTokens, report.projectedTokens, "tokens"],
  ]);
  return h("table", { class: "figures" },
    h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, "History"), h("th", { scope: "col" }, "Prompt"), h("th", { scope: "col" }, "Share"))),
    h("tbody", {}, ...rows.map(([label, source, projected, id]) => h("tr", {},
      h("th", { scope: "row" }, label),
      h("td", { "data-figure": `source-${id}` }, source === null ? "–" : number(source)),
      h("td", { class: "strong", "data-figure": `projected-${id}` }, projected === null ? "–" : number(projected)),
      h("td", { class: "share" }, source === null || projected === null ? "–" : percent(projected, source))))));
}

/** @param {Shares} shares */
function bar({ sent, cut, dropped }) {
  const all = Math.max(1, sent + cut + dropped);
  const parts = /** @type {const} */ ([
    ["sent", sent, "sent"],
    ["cut", cut, "taken out of sent items"],
    ["dropped", dropped, "in dropped items"],
  ]);
  const pieces = parts.map(([name, size]) => {
    const piece = h("span", { class: `part ${name}` });
    piece.style.flexGrow = String(size / all);
    return piece;
  });
  return h("figure", { class: "shares" },
    h("figcaption", {}, "Characters of the history"),
    h("div", { class: "bar", "aria-hidden": "true" }, ...pieces),
    h("ul", {}, ...parts.map(([name, size, says]) => h("li", {}, h("span", { class: `key ${name}`, "aria-hidden": "true" }), h("strong", { "data-share": name }, number(size)), ` ${says}`))));
}

/** @param {ContextReport} report */
function facts(report) {
  const limits = [report.itemLimitApplied && "items", report.characterLimitApplied && "characters", report.tokenLimitApplied && "tokens"].filter(Boolean);
  /** @type {[string, string, string, boolean?][]} */
  const list = [
    ["Dropped", counted(report.droppedItemCount, "item"), "Items of which not one part is sent."],
    ["Put in", counted(report.insertedItemCount, "item"), "Items that are not from the history, so that the provider accepts it."],
    ["Limits crossed", limits.join(", ") || "none", "What made the oldest steps go."],
    ["Over budget", report.overBudget ? "yes" : "no", "Whether what must always be there is too much by itself.", report.overBudget],
    ["Stable prefix", counted(report.stablePrefixItems, "item"), "Items at the head that are the same as in the prompt before: a provider’s cache holds for these."],
    ["Rebased here", report.rebased ? "yes" : "no", "Whether this prompt changed something of the one before, and the cache missed.", report.rebased],
    ["Calls in flight", report.pendingCallIds.join(", ") || "none", "Calls that still wait for their result."],
  ];
  return h("dl", { class: "facts" }, ...list.map(([name, value, says, isNotable]) =>
    h("div", {}, h("dt", {}, name), h("dd", { class: isNotable ? "notable" : null }, value), h("dd", { class: "says" }, says))));
}

/** @param {readonly string[]} list */
function notes(list) {
  return h("section", { class: "notes" }, h("h3", {}, "Notes"),
    list.length === 0 ? h("p", { class: "quiet" }, "Nothing had to be done.") : h("ul", {}, ...list.map((note) => h("li", {}, note))));
}

/** @param {number} part @param {number} whole */
function percent(part, whole) {
  if (whole === 0) return "–";
  const share = (100 * part) / whole;
  return `${share >= 10 || share === 0 ? Math.round(share) : share.toFixed(1)} %`;
}
