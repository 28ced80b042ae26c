// The page: a transcript is read, projected under the budget of the controls, and shown item by item.

import { project } from "context-projector";
import { align } from "./align.js";
import { BudgetForm } from "./budget-form.js";
import { Cast } from "./describe.js";
import { byId, counted, fill, h, setText } from "./dom.js";
import { START } from "./fields.js";
import { headline, showReport } from "./report.js";
import { Rows } from "./rows.js";
import { showStrip } from "./strip.js";
import { watchTheme } from "./theme.js";
import { Sizes, readTranscript } from "./transcript.js";
import { FATES, sentence } from "./words.js";

/** @typedef {import("./align.js").Row} Row */
/** @typedef {import("./words.js").RowFate} RowFate */
/** @typedef {import("context-projector/import").Transcript} Transcript */
/** @typedef {{ name: string, transcript: Transcript, cast: Cast, sizes: Sizes }} History */

const SAMPLES = [
  { name: "coding.responses.json", url: new URL("./samples/coding.responses.json", import.meta.url) },
  { name: "trip.anthropic.json", url: new URL("./samples/trip.anthropic.json", import.meta.url) },
];
/** Long enough for a slider not to stumble, short enough to seem at once. */
const DELAY = 40;

/** @type {History | null} */
let history = null;
/** @type {{ rows: Row[], notes: readonly string[] }} */
let shown = { rows: [], notes: [] };
/** Fates to show; all when empty. @type {Set<RowFate>} */
const filter = new Set();
/** @type {AbortController | null} */
let reading = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** The newest budget that could be used. */
let lastGood = START;

const rows = new Rows(byId("rows", HTMLElement));
const form = new BudgetForm(byId("fields", HTMLElement), later);
watchTheme(byId("theme", HTMLButtonElement));

// ── reading ──

/**
 * @param {string} name
 * @param {File | string | (() => Promise<string>)} from
 */
async function open(name, from) {
  reading?.abort();
  const mine = new AbortController();
  reading = mine;
  const progress = byId("progress", HTMLProgressElement);
  const busy = (/** @type {boolean} */ is) => {
    progress.hidden = !is;
    byId("cancel", HTMLElement).hidden = !is;
  };
  busy(true);
  fill(byId("problems", HTMLElement));
  try {
    const text = typeof from === "function" ? await from() : from;
    const transcript = await readTranscript(text, (share) => {
      if (reading !== mine) return;
      progress.value = share;
      setText(byId("status", HTMLElement), `Reading ${name}: ${Math.round(100 * share)} %`);
    }, mine.signal);
    if (reading !== mine) return;
    if (transcript.items.length === 0) refuse(name, transcript);
    else accept(name, transcript);
  } catch (error) {
    if (reading !== mine) return;
    const { code, message } = /** @type {{ code?: string, message: string }} */ (error);
    if (code !== "aborted") complain(`${name} could not be read.`, [{ line: 0, message }]);
  } finally {
    if (reading === mine) {
      reading = null;
      busy(false);
      showStatus();
    }
  }
}

/** @param {string} name @param {Transcript} transcript */
function accept(name, transcript) {
  const cast = new Cast(transcript.items);
  history = { name, transcript, cast, sizes: new Sizes(transcript.dialect) };
  filter.clear();
  if (transcript.problems.length > 0) complain(`${name}: ${counted(transcript.problems.length, "place")} could not be read; the rest is below.`, transcript.problems, "notice");
  for (const button of document.querySelectorAll("#samples button")) button.setAttribute("aria-pressed", String(button.getAttribute("data-name") === name));
  refresh(true);
}

/** @param {string} name @param {Transcript} transcript */
function refuse(name, transcript) {
  complain(`${name} holds nothing that could be shown.`, transcript.problems);
}

/**
 * Says what is wrong with a file, by line.
 * @param {string} title
 * @param {{ line: number, message: string }[]} problems
 * @param {"error" | "notice"} [kind]
 */
function complain(title, problems, kind = "error") {
  const list = h("ul", {}, ...problems.slice(0, 200).map(({ line, message }) => h("li", {}, line > 0 && h("strong", {}, `Line ${line}: `), sentence(message))),
    problems.length > 200 && h("li", {}, `and ${counted(problems.length - 200, "more", "more")}.`));
  const still = kind === "error" && history !== null && h("p", {}, `What is shown below is still ${history.name}.`);
  const close = h("button", { type: "button", class: "plain", onclick: () => fill(byId("problems", HTMLElement)) }, "Close");
  const isMany = problems.length > 3;
  fill(byId("problems", HTMLElement), h("div", { class: `banner ${kind}`, role: "alert" },
    h("div", { class: "banner-head" }, h("strong", {}, title), close),
    isMany ? h("details", {}, h("summary", {}, "What, and where"), list) : list,
    still));
}

function showStatus() {
  if (history === null) return setText(byId("status", HTMLElement), "No transcript yet: choose a sample, or drop a file.");
  const { name, transcript: { items, dialect, source } } = history;
  fill(byId("status", HTMLElement), h("strong", {}, name), ` · ${source} · ${counted(items.length, "item")} · ${dialect}`);
}

// ── projecting ──

function later() {
  clearTimeout(timer);
  timer = setTimeout(() => refresh(false), DELAY);
}

/** @param {boolean} isNew another history than before */
function refresh(isNew) {
  clearTimeout(timer);
  if (history === null) return;
  try {
    if (isNew) suit(history);
    const budget = form.value();
    setText(byId("budget-line", HTMLElement), budgetLine(budget));
    show(history, budget, isNew);
    fault(null);
    lastGood = budget;
  } catch (error) {
    fault(error);
    if (isNew) showDespite(error);
  }
}

/** Gives the controls the ranges of a history. @param {History} of */
function suit({ transcript: { items }, cast, sizes }) {
  form.suit({ items: items.length, chars: sizes.ofAll(items), results: cast.results, images: cast.images, tools: [...cast.tools].sort() });
}

/** Another history came while something is wrong: nothing of the old one may stand under its name. @param {unknown} error */
function showDespite(error) {
  if (history !== null && isBudgetError(error)) return show(history, lastGood, true);
  shown = { rows: [], notes: [] };
  fill(byId("report", HTMLElement));
  fill(byId("strip", HTMLElement));
  setText(byId("headline", HTMLElement), "");
  showFates();
  showRows(true);
}

/**
 * @param {History} of
 * @param {import("context-projector").ContextBudget} budget
 * @param {boolean} isNew
 */
function show({ transcript: { items, dialect }, sizes }, budget, isNew) {
  const projection = project(/** @type {object[]} */ (items), budget, { dialect });
  const { report } = projection;
  const dropped = sizes.ofAll(report.ledger.flatMap(({ from, to, fate }) => (fate === "dropped" || fate === "summarized" ? items.slice(from, to) : [])));
  shown = { rows: align(items, projection), notes: report.notes };
  const added = sizes.ofAll(shown.rows.filter(({ source }) => source < 0).map(({ item }) => item));
  const sent = Math.min(report.projectedApproxChars - added, report.sourceApproxChars - dropped);
  showReport(byId("report", HTMLElement), report, { sent, cut: report.sourceApproxChars - dropped - sent, dropped });
  setText(byId("headline", HTMLElement), headline(report));
  setText(byId("spoken", HTMLElement), `The prompt: ${headline(report)}.`);
  showStrip(byId("strip", HTMLElement), report.ledger, (source) => rows.reveal(source));
  showFates();
  showRows(isNew);
}

/** @param {boolean} isNew */
function showRows(isNew) {
  if (history === null) return;
  const { cast, sizes } = history;
  rows.show({ ...shown, cast, sizes }, ({ fate }) => filter.size === 0 || filter.has(fate), isNew);
  const isEmpty = !shown.rows.some(({ fate }) => filter.size === 0 || filter.has(fate));
  const empty = byId("empty", HTMLElement);
  empty.hidden = !isEmpty;
  setText(empty, filter.size > 0 && shown.rows.length > 0 ? "No item has one of these fates under this budget." : "Nothing to show.");
}

/** @param {unknown} error */
const isBudgetError = (error) => error instanceof Error && "code" in error && error.code === "invalid_budget";

/** Shows a refusal of the library at its field, and above the rows. @param {unknown} error */
function fault(error) {
  const place = byId("budget-error", HTMLElement);
  const known = error instanceof Error && error.name === "ContextProjectorError" ? /** @type {import("context-projector").ContextProjectorError} */ (error) : null;
  form.complain(known);
  document.body.classList.toggle("stale", error !== null);
  place.hidden = error === null;
  if (error === null) return;
  if (known === null) console.error(error);
  const message = /** @type {Error} */ (error).message;
  const field = /^budget\.(\w+)/.exec(known?.path ?? "")?.[1];
  if (field === undefined) return fill(place, `This history cannot be projected: ${sentence(message)}`);
  fill(place, h("strong", {}, "The budget cannot be used. "), h("code", {}, field), sentence(message.slice(message.indexOf(":"))), " Items and report are those of the last one that could. ",
    h("button", { type: "button", class: "plain", onclick: () => {
      document.querySelector("details.budget")?.setAttribute("open", "");
      form.focus(field);
    } }, "Go to the field"));
}

/** @param {import("context-projector").ContextBudget} budget */
function budgetLine(budget) {
  const parts = Object.entries(budget).map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(", ") : value}`);
  return parts.join(" · ") || "no limits";
}

function showFates() {
  const counts = new Map();
  for (const { fate } of shown.rows) counts.set(fate, (counts.get(fate) ?? 0) + 1);
  for (const fate of filter) if (!counts.has(fate)) counts.set(fate, 0);
  const order = /** @type {RowFate[]} */ (Object.keys(FATES)).filter((fate) => counts.has(fate));
  const place = byId("fates", HTMLElement);
  const focused = document.activeElement instanceof HTMLElement && place.contains(document.activeElement) ? document.activeElement.dataset.fate : undefined;
  fill(place, ...order.map((fate) => h("button", {
    type: "button", class: "chip", "data-fate": fate, "aria-pressed": filter.has(fate), title: FATES[fate].says,
    onclick: () => {
      if (!filter.delete(fate)) filter.add(fate);
      showFates();
      showRows(false);
    },
  }, h("span", { class: "glyph", "aria-hidden": "true" }, FATES[fate].glyph), `${fate} `, h("b", {}, String(counts.get(fate))))));
  if (focused) /** @type {HTMLElement | null} */ (place.querySelector(`[data-fate="${focused}"]`))?.focus();
}

// ── what one can do ──

for (const button of byId("samples", HTMLElement).querySelectorAll("button")) {
  const sample = SAMPLES.find(({ name }) => name === button.dataset.name);
  if (sample) button.addEventListener("click", () => openSample(sample));
}

/** @param {typeof SAMPLES[number]} sample */
function openSample({ name, url }) {
  return open(name, async () => {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`The server answered ${response.status}`);
    return response.text();
  });
}

/** @param {DataTransfer | null} data */
function take(data) {
  const [file] = data?.files ?? [];
  const text = data?.getData("text/plain") ?? "";
  if (file) open(file.name, file);
  else if (text !== "") open("Pasted text", text);
}

const file = byId("file", HTMLInputElement);
byId("pick", HTMLElement).addEventListener("click", () => file.click());
file.addEventListener("change", () => {
  const [chosen] = file.files ?? [];
  if (chosen) open(chosen.name, chosen);
  // The same file may be chosen again, after it was changed.
  file.value = "";
});
byId("cancel", HTMLElement).addEventListener("click", () => reading?.abort());

const dialog = byId("paste-dialog", HTMLDialogElement);
const pasted = byId("paste-text", HTMLTextAreaElement);
byId("paste", HTMLElement).addEventListener("click", () => {
  pasted.value = "";
  dialog.returnValue = "";
  dialog.showModal();
});
dialog.addEventListener("close", () => {
  if (dialog.returnValue === "read") open("Pasted text", pasted.value);
});
addEventListener("paste", (event) => {
  if (event.target instanceof Element && event.target.closest("input, textarea")) return;
  take(event.clipboardData);
});

const overlay = byId("overlay", HTMLElement);
addEventListener("dragover", (event) => {
  event.preventDefault();
  overlay.hidden = false;
});
addEventListener("dragleave", (event) => {
  if (event.relatedTarget === null) overlay.hidden = true;
});
addEventListener("drop", (event) => {
  event.preventDefault();
  overlay.hidden = true;
  take(event.dataTransfer);
});

byId("budget", HTMLFormElement).addEventListener("submit", (event) => event.preventDefault());
byId("reset", HTMLElement).addEventListener("click", () => {
  form.set(START);
  refresh(false);
});
byId("unlimited", HTMLElement).addEventListener("click", () => {
  form.set({ lowWater: START.lowWater });
  refresh(false);
});

showStatus();
openSample(SAMPLES[0]);
