// What holds of every projection: of the real transcripts of the corpus and of generated histories, in each dialect, under a grid of
// budgets (DESIGN §5, P2 to P5), and at every length of a history that grows.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isCallPoint, isSystem, isUser, kinds, pair, render, scripts } from "./histories.mjs";
import { corpusFiles, pkg } from "./load.mjs";

const { DefaultContextProjector, TypeAwareContextProjector, project } = pkg;

/** @typedef {import("./builders.mjs").Item} Item */
/** @typedef {import("../../src/js/types.d.ts").ContextBudget} Budget */
/** @typedef {import("../../src/js/types.d.ts").ContextReport} Report */
/** @typedef {import("../../src/js/types.d.ts").Dialect} Dialect */
/** @typedef {import("../../src/js/types.d.ts").ProjectOptions} Options */

const LIMITS = new Set(["maxItems", "maxApproxChars", "maxTokens"]);
const TIERS = new Set(["maxRecentToolResults", "keepTools", "clearToolInputs", "maxToolResultChars", "maxToolInputChars", "maxRecentImages", "trimOldReasoning"]);
const FATES = ["kept", "pinned", "trimmed", "shortened", "cleared", "mended", "dropped", "summarized"];

/** @param {Report} report @returns {{ fate: string, reasons: string[] }[]} each source item's */
function fatesOf({ ledger, sourceItemCount }) {
  let next = 0;
  const fates = [];
  for (const [index, { from, to, fate, reason }] of ledger.entries()) {
    assert.equal(from, next, "a run begins where the one before ends");
    assert.ok(to > from, "a run is not empty");
    assert.ok(FATES.includes(fate), fate);
    const before = ledger[index - 1];
    assert.ok(!before || before.fate !== fate || before.reason !== reason, "neighbours that are alike are one run");
    for (; next < to; next += 1) fates.push({ fate, reasons: reason === "" ? [] : reason.split(/,\s*/) });
  }
  assert.equal(next, sourceItemCount, "the ledger covers the source");
  return fates;
}

/** What holds of a projection of any history. @param {readonly Item[]} items @param {Budget} budget @param {Options} options */
function check(items, budget, options) {
  const { items: out, report } = /** @type {{ items: Item[], report: Report }} */ (project(items, budget, options));
  const fates = fatesOf(report);

  // P5: accounted.
  assert.equal(report.sourceItemCount, items.length);
  assert.equal(report.projectedItemCount, out.length);
  assert.equal(out.length, items.length - report.droppedItemCount + report.insertedItemCount - report.joinedItemCount, "the counts add up");
  const count = (/** @type {string} */ name) => fates.filter(({ fate }) => fate === name).length;
  assert.equal(report.droppedItemCount, count("dropped"), "dropped");
  assert.equal(count("summarized"), 0);
  const places = new Map(items.map((item, index) => [item, index]));
  const own = out.flatMap((item) => places.get(item) ?? []);
  assert.equal(new Set(own).size, own.length, "no item comes twice");
  const untouched = fates.flatMap(({ fate }, index) => (fate === "kept" || fate === "pinned" ? [index] : []));
  const isMended = count("mended") > 0;
  assert.deepEqual(own.filter((index) => fates[index]?.fate !== "mended"), untouched, "what is kept is there, as it was and in order, and nothing else is");
  const edited = count("trimmed") + count("shortened") + count("cleared") + count("mended");
  assert.equal(out.length, untouched.length + edited + report.insertedItemCount - report.joinedItemCount, "one item for each that is not dropped");

  // P2: anchored.
  const leading = items.findIndex((item) => !isSystem(item));
  items.slice(0, leading === -1 ? items.length : leading).forEach((item) => assert.ok(out.includes(item), "leading system items stay"));
  const pinned = budget.pinnedPrefixItems ?? 0;
  const falls = ({ fate = "", reasons = /** @type {string[]} */ ([]) } = {}) => fate === "dropped" && reasons.some((reason) => LIMITS.has(reason));
  fates.slice(0, pinned).forEach((fate, index) => assert.ok(!falls(fate), `item ${index} is pinned`));
  assert.ok(items.length === 0 || !falls(fates.at(-1)), "the newest item stays");
  const opener = items.findLastIndex(isUser);
  assert.ok(opener === -1 || !falls(fates[opener]), "the opener of the running turn stays");

  // P3: within budget.
  if (!report.overBudget) {
    assert.ok(report.projectedItemCount <= (budget.maxItems ?? Infinity), "maxItems");
    assert.ok(report.projectedApproxChars <= (budget.maxApproxChars ?? Infinity), "maxApproxChars");
    assert.ok((report.projectedTokens ?? 0) <= (budget.maxTokens ?? Infinity) - (budget.overheadTokens ?? 0), "maxTokens");
    assert.ok(!report.notes.some((note) => note.startsWith("over budget")));
  } else {
    assert.ok(report.notes.some((note) => /^over budget: .*[\d,]+ of -?[\d,]+ (items|characters|tokens)/.test(note)), report.notes.join("\n"));
    const over =
      report.projectedItemCount > (budget.maxItems ?? Infinity) ||
      report.projectedApproxChars > (budget.maxApproxChars ?? Infinity) ||
      (report.projectedTokens ?? 0) > (budget.maxTokens ?? Infinity) - (budget.overheadTokens ?? 0) ||
      (budget.maxTokens ?? Infinity) - (budget.overheadTokens ?? 0) <= 0;
    assert.ok(over, "over budget, and yet within it");
  }
  const drops = (/** @type {string} */ limit) => fates.some(({ fate, reasons }) => fate === "dropped" && reasons.includes(limit));
  assert.equal(!report.itemLimitApplied && drops("maxItems"), false);
  assert.equal(!report.characterLimitApplied && drops("maxApproxChars"), false);
  assert.equal(!report.tokenLimitApplied && drops("maxTokens"), false);

  // Pairs are whole, and no result is without its call.
  const { open, strays } = pair(out);
  assert.deepEqual(strays, [], "results without a call");
  const ids = open.map(({ id, name }) => id ?? name).sort();
  assert.deepEqual(ids, report.pendingCallIds.slice().sort(), "calls without a result are in flight");

  // No holes in the tail, but those of the tiers and of mending.
  if (!isMended) {
    const first = fates.findIndex(falls);
    const last = fates.findLastIndex(falls);
    fates.slice(Math.max(first, 0), last + 1).forEach(({ fate, reasons }, index) => {
      const stays = fate !== "dropped" && !reasons.some((reason) => reason.startsWith("anchor:"));
      assert.ok(!stays, `item ${first + index} stays between dropped ones: ${fate} ${reasons}`);
    });
  }

  // A projection's size is what a fresh look finds.
  const fresh = project(out, {}, { dialect: options.dialect }).report;
  assert.equal(fresh.sourceApproxChars, report.projectedApproxChars, "projectedApproxChars");

  // Without tiers, both projectors agree.
  if (!Object.keys(budget).some((field) => TIERS.has(field))) {
    const plain = new DefaultContextProjector(options).project(items, budget);
    assert.equal(JSON.stringify(plain), JSON.stringify(new TypeAwareContextProjector(options).project(items, budget)), "both projectors agree");
    plain.items.forEach((item, index) => assert.ok(item === out[index] || !places.has(/** @type {Item} */ (item)), "the very same objects"));
  }
  return { out, report, fates };
}

/** Says where it was. @template T @param {string} where @param {() => T} run @returns {T} */
function at(where, run) {
  try {
    return run();
  } catch (error) {
    throw new Error(`${where}: ${String(/** @type {Error} */ (error).message).slice(0, 1_500)}`, { cause: error });
  }
}

const ROOMS = /** @type {{ [folder: string]: Dialect }} */ ({ "ai-sdk-model": "ai-sdk" });
const files = corpusFiles().map((file) => {
  const folder = basename(dirname(file));
  return { name: `${folder}/${basename(file)}`, dialect: /** @type {Dialect} */ (ROOMS[folder] ?? folder), items: /** @type {Item[]} */ (JSON.parse(readFileSync(file, "utf8"))) };
});
const skip = files.length === 0 ? "there is no corpus" : false;

/** Budgets that a history of this length and size feels. @param {number} length @param {number} size @returns {Budget[]} */
const grid = (length, size) => [
  {},
  { maxItems: 1 },
  { maxItems: Math.ceil(length / 3), pinnedPrefixItems: 2 },
  { maxItems: Math.ceil(length / 2), lowWater: 0.6 },
  { maxApproxChars: Math.ceil(size / 4) + 1 },
  { maxApproxChars: Math.ceil(size / 2) + 1, lowWater: 0.8, pinnedPrefixItems: 1 },
  { maxTokens: Math.ceil(size / 12) + 1 },
  { maxTokens: Math.ceil(size / 8) + 201, overheadTokens: 200, lowWater: 0.5 },
  { maxTokens: 100, overheadTokens: 300 },
  { maxRecentToolResults: 0 },
  { maxRecentToolResults: 3, trimOldReasoning: true, lowWater: 0.6 },
  { maxRecentToolResults: 2, clearToolInputs: true, maxToolResultChars: 150, maxToolInputChars: 60, maxRecentImages: 1, keepTools: ["search"] },
  { maxItems: Math.ceil(length / 3), maxApproxChars: Math.ceil(size / 4) + 1, maxRecentToolResults: 5, maxToolResultChars: 300, trimOldReasoning: true, lowWater: 0.7 },
];

describe("the corpus", { skip }, () => {
  it("keeps every promise under a grid of budgets", (context) => {
    let count = 0;
    let over = 0;
    let mended = 0;
    /** @type {string[]} */
    const broken = [];
    for (const { name, dialect, items } of files) {
      const source = structuredClone(items);
      const size = project(items, {}, { dialect }).report.sourceApproxChars;
      for (const options of [{ dialect }, { dialect, summary: "The task was begun; three files were read.", pending: /** @type {const} */ ("close") }]) {
        for (const budget of grid(items.length, size)) {
          count += 1;
          try {
            const { report } = check(items, budget, options);
            over += Number(report.overBudget);
            mended += Number(report.ledger.some(({ fate }) => fate === "mended"));
          } catch (error) {
            broken.push(`${name} under ${JSON.stringify(budget)}${options.summary ? " with a summary" : ""}: ${/** @type {Error} */ (error).message.slice(0, 300)}`);
          }
        }
      }
      assert.deepEqual(items, source, `${name} is as it was`);
    }
    context.diagnostic(`${count} projections of ${files.length} transcripts: ${over} over budget, ${mended} mended`);
    assert.equal(broken.length, 0, `${broken.length} of ${count}:\n${broken.slice(0, 20).join("\n")}`);
    assert.ok(over > 0 && over < count / 2);
  });
});

describe("generated histories", () => {
  const runs = Number(process.env.CONTEXT_PROJECTOR_CASES ?? 150);
  for (const kind of kinds) {
    it(`of ${kind} keep every promise`, (context) => {
      const options = kind === "mixed" ? {} : { dialect: kind };
      let count = 0;
      let dropped = 0;
      let cleared = 0;
      fc.assert(
        fc.property(scripts(), (script) => {
          const items = render(script, kind);
          const source = structuredClone(items);
          const size = project(items, {}, options).report.sourceApproxChars;
          for (const budget of grid(items.length, size)) {
            at(JSON.stringify(budget), () => {
              const { out, report, fates } = check(items, budget, options);
              count += 1;
              dropped += Number(report.droppedItemCount > 0);
              cleared += fates.filter(({ fate }) => fate === "cleared").length;
              assert.ok(!fates.some(({ fate }) => fate === "mended"), "what is well-formed is not mended");
              assert.equal(report.insertedItemCount, 0);
              if (Object.keys(budget).length === 0) assert.deepEqual(out, items);
            });
          }
          assert.deepEqual(items, source, "the source is as it was");
        }),
        { seed: 20_261, numRuns: runs },
      );
      context.diagnostic(`${count} projections: ${dropped} dropped items; ${cleared} items cleared`);
      assert.ok(dropped > runs && cleared > runs);
    });
  }
});

/** @type {WeakMap<object, string>} */
const texts = new WeakMap();
/** @param {object} item */
function textOf(item) {
  const known = texts.get(item) ?? JSON.stringify(item);
  texts.set(item, known);
  return known;
}

/** The lengths at which a model call would be made. @param {readonly Item[]} items */
const callPointsOf = (items) => new Set(items.map((_, index) => index + 1).filter((length) => isCallPoint(items.slice(0, length))));

/**
 * Grows a history item by item, and holds what the report says of its prefix against what was sent before.
 * @param {readonly Item[]} items @param {ReadonlySet<number>} callPoints @param {Budget} budget @param {Options} options
 */
function grow(items, callPoints, budget, options) {
  /** @type {string[] | null} */
  let before = null;
  let points = 0;
  let rebases = 0;
  for (let length = 1; length <= items.length; length += 1) {
    const head = items.slice(0, length);
    at(`at ${length}`, () => {
      const { items: out, report } = project(head, budget, options);
      const now = out.map(textOf);
      const differs = before?.findIndex((text, index) => text !== now[index]) ?? 0;
      const stable = differs === -1 ? (before?.length ?? 0) : differs;
      assert.equal(report.stablePrefixItems, stable, "stablePrefixItems");
      assert.equal(report.rebased, before !== null && stable < before.length, "rebased");
      if (!callPoints.has(length)) return;
      rebases += Number(report.rebased);
      points += 1;
      before = now;
    });
  }
  return { points, rebases };
}

const LOW_WATERS = [1, 0.8, 0.6];
/** @param {number} length @param {number} size @returns {Budget[]} */
const growing = (length, size) => [
  { maxItems: Math.max(4, Math.ceil(length / 4)) },
  { maxApproxChars: Math.ceil(size / 4) + 400, pinnedPrefixItems: 1 },
  { maxItems: Math.max(6, Math.ceil(length / 3)), maxRecentToolResults: 5, maxRecentImages: 2, maxToolResultChars: 800, clearToolInputs: true, trimOldReasoning: true },
];

describe("a history that grows", () => {
  const selection = files.filter(({ items }) => items.length >= 8);
  it("of the corpus says exactly where its prefix changes", { skip }, (context) => {
    /** @type {{ [lowWater: number]: { points: number, rebases: number } }} */
    const totals = {};
    for (const { name, dialect, items } of selection) {
      const size = project(items, {}, { dialect }).report.sourceApproxChars;
      const callPoints = callPointsOf(items);
      for (const lowWater of LOW_WATERS) {
        for (const plain of growing(items.length, size)) {
          const budget = { ...plain, lowWater };
          const { points, rebases } = at(`${name} ${JSON.stringify(budget)}`, () => grow(items, callPoints, budget, { dialect }));
          const total = (totals[lowWater] ??= { points: 0, rebases: 0 });
          total.points += points;
          total.rebases += rebases;
        }
      }
    }
    for (const lowWater of LOW_WATERS) context.diagnostic(`lowWater ${lowWater}: ${totals[lowWater]?.rebases} rebases at ${totals[lowWater]?.points} call points of ${selection.length} transcripts`);
    // The lower the water, the fewer the rebases: what it is for.
    const [sliding, middle, low] = LOW_WATERS.map((lowWater) => totals[lowWater]?.rebases ?? 0);
    assert.ok(Number(sliding) > Number(middle) && Number(middle) > Number(low) && Number(low) > 0, `${sliding}, ${middle}, ${low}`);
  });

  for (const kind of kinds) {
    it(`generated in ${kind} says exactly where its prefix changes`, (context) => {
      const options = kind === "mixed" ? {} : { dialect: kind };
      let points = 0;
      let rebases = 0;
      fc.assert(
        fc.property(scripts(), fc.constantFrom(...LOW_WATERS), fc.nat(2), (script, lowWater, which) => {
          const items = render(script, kind);
          const size = project(items, {}, options).report.sourceApproxChars;
          const grown = grow(items, callPointsOf(items), { ...growing(items.length, size)[which], lowWater }, options);
          points += grown.points;
          rebases += grown.rebases;
        }),
        { seed: 20_262, numRuns: Number(process.env.CONTEXT_PROJECTOR_CASES ?? 150) },
      );
      context.diagnostic(`${rebases} rebases at ${points} call points`);
      assert.ok(rebases > 0 && points > rebases);
    });
  }
});
