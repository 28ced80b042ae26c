// The history as rows. Only the rows in sight are in the document; the page itself scrolls, so this works in any layout.

import { asJson, lineOf, piecesOf } from "./describe.js";
import { counted, fill, h, number, setText } from "./dom.js";
import { FATES, explain } from "./words.js";

/** @typedef {import("./align.js").Row} Row */
/** @typedef {import("./describe.js").Cast} Cast */
/** @typedef {import("./describe.js").Line} Line */
/** @typedef {import("./transcript.js").Sizes} Sizes */
/** What all rows are drawn with. @typedef {{ rows: Row[], cast: Cast, sizes: Sizes, notes: readonly string[] }} Scene */
/**
 * @typedef {{ element: HTMLElement, button: HTMLButtonElement, index: HTMLElement, fate: HTMLElement, author: HTMLElement, title: HTMLElement,
 *   preview: HTMLElement, reason: HTMLElement, size: HTMLElement, detail: HTMLElement, row: Row | null, isOpen: boolean }} Slot
 */

/** Rows beyond the edges of the window that are drawn as well. */
const OVERSCAN = 8;
/** A text is shown up to here; the rest on demand. */
const LONG = 8_000;

export class Rows {
  #list;
  /** @type {Scene} */
  #scene = { rows: [], cast: /** @type {any} */ (null), sizes: /** @type {any} */ (null), notes: [] };
  /** The rows that the filter lets through. @type {Row[]} */
  #shown = [];
  /** @type {Map<number, Slot>} */
  #slots = new Map();
  /** Open rows by their key, with the height of what they show. @type {Map<string, number>} */
  #open = new Map();
  /** Keys of the shown rows, in order. @type {string[]} */
  #keys = [];
  /** The row that the keyboard is at. */
  #current = 0;
  #rowHeight = 44;
  #frame = 0;
  /** @type {WeakMap<object, Line>} */
  #lines = new WeakMap();
  #observer;

  /** @param {HTMLElement} list */
  constructor(list) {
    this.#list = list;
    this.#observer = new ResizeObserver((entries) => {
      let isChanged = false;
      for (const { target } of entries) {
        const key = /** @type {HTMLElement} */ (target).dataset.key ?? "";
        const height = /** @type {HTMLElement} */ (target).offsetHeight;
        if (!this.#open.has(key) || height === 0 || this.#open.get(key) === height) continue;
        this.#open.set(key, height);
        isChanged = true;
      }
      if (isChanged) this.#later();
    });
    addEventListener("scroll", () => this.#later(), { passive: true });
    addEventListener("resize", () => this.#measure());
    list.addEventListener("keydown", (event) => this.#onKey(event));
    this.#measure();
  }

  /**
   * @param {Scene} scene
   * @param {(row: Row) => boolean} filter
   * @param {boolean} isNew another history: nothing is open, and the first row comes first
   */
  show(scene, filter, isNew) {
    if (isNew) {
      this.#open.clear();
      this.#lines = new WeakMap();
      this.#current = 0;
      for (const index of [...this.#slots.keys()]) this.#remove(index);
    }
    this.#scene = scene;
    this.#shown = scene.rows.filter(filter);
    let added = 0;
    this.#keys = this.#shown.map((row) => (row.source < 0 ? `+${added++}` : String(row.source)));
    this.#current = Math.min(this.#current, Math.max(0, this.#shown.length - 1));
    this.#draw();
  }

  /** Scrolls to a source item. @param {number} source */
  reveal(source) {
    const at = this.#shown.findIndex((row) => row.source >= source);
    if (at < 0) return;
    scrollTo({ top: scrollY + this.#list.getBoundingClientRect().top + this.#top(at) - innerHeight / 3 });
    this.#current = at;
    this.#draw();
  }

  #later() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  /** The height of a closed row is the style sheet's. */
  #measure() {
    this.#rowHeight = Number.parseFloat(getComputedStyle(this.#list).getPropertyValue("--row")) || 44;
    this.#later();
  }

  /** Open rows with their places, in order. @returns {[at: number, height: number][]} */
  #opened() {
    if (this.#open.size === 0) return [];
    return this.#keys.flatMap((key, at) => (this.#open.has(key) ? [/** @type {[number, number]} */ ([at, this.#open.get(key) ?? 0])] : []));
  }

  /** @param {number} at */
  #top(at, opened = this.#opened()) {
    let top = at * this.#rowHeight;
    for (const [place, height] of opened) if (place < at) top += height;
    return top;
  }

  #draw() {
    const opened = this.#opened();
    const total = this.#top(this.#shown.length, opened);
    this.#list.style.height = `${total}px`;
    const offset = this.#list.getBoundingClientRect().top;
    const at = (/** @type {number} */ y) => {
      let [low, high] = [0, this.#shown.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.#top(middle + 1, opened) <= y) low = middle + 1;
        else high = middle;
      }
      return low;
    };
    const from = Math.max(0, at(-offset) - OVERSCAN);
    const to = Math.min(this.#shown.length, at(innerHeight - offset) + OVERSCAN + 1);
    const wanted = new Set();
    for (let index = from; index < to; index++) wanted.add(index);
    // The row with the focus stays, wherever the page has been scrolled to.
    const focused = [...this.#slots].find(([, slot]) => slot.element.contains(document.activeElement));
    if (focused && focused[0] < this.#shown.length) wanted.add(focused[0]);
    for (const index of [...this.#slots.keys()]) if (!wanted.has(index)) this.#remove(index);
    // In the order of the history in the document as well: that is the order in which they are read aloud.
    let before = /** @type {Element | null} */ (this.#list.firstElementChild);
    for (const index of [...wanted].sort((a, b) => a - b)) {
      let slot = this.#slots.get(index);
      if (!slot) {
        slot = this.#make(index);
        this.#slots.set(index, slot);
        this.#list.insertBefore(slot.element, before);
      } else before = slot.element.nextElementSibling;
      this.#write(slot, index, this.#top(index, opened));
    }
  }

  /** @param {number} index */
  #remove(index) {
    const slot = this.#slots.get(index);
    if (!slot) return;
    this.#observer.unobserve(slot.detail);
    slot.element.remove();
    this.#slots.delete(index);
  }

  /** @param {number} place @returns {Slot} */
  #make(place) {
    const part = (/** @type {string} */ name) => h("span", { class: name });
    const [index, fate, author, title, preview, reason, size] = ["index", "fate", "author", "title", "preview", "reason", "size"].map(part);
    const detail = h("div", { class: "detail", hidden: true });
    const why = h("span", { class: "why-line" }, fate, reason);
    const what = h("span", { class: "what" }, h("span", { class: "head-line" }, author, title), preview);
    const button = h("button", { type: "button", class: "line", "aria-expanded": "false", onclick: () => this.#toggle(place) }, index, why, what, size);
    const element = h("li", { class: "row" }, button, detail);
    return /** @type {Slot} */ ({ element, button, index, fate, author, title, preview, reason, size, detail, row: null, isOpen: false });
  }

  /**
   * @param {Slot} slot
   * @param {number} index
   * @param {number} top
   */
  #write(slot, index, top) {
    const row = /** @type {Row} */ (this.#shown[index]);
    const key = this.#keys[index] ?? "";
    const isOpen = this.#open.has(key);
    slot.element.style.transform = `translateY(${top}px)`;
    slot.button.tabIndex = index === this.#current ? 0 : -1;
    slot.element.setAttribute("aria-posinset", String(index + 1));
    slot.element.setAttribute("aria-setsize", String(this.#shown.length));
    const isSame = slot.row !== null && slot.row.item === row.item && slot.row.fate === row.fate && slot.row.reason === row.reason && slot.row.sent === row.sent;
    if (!isSame) this.#fill(slot, row);
    if (isOpen && (!isSame || !slot.isOpen)) fill(slot.detail, ...this.#detail(row));
    if (isOpen !== slot.isOpen || slot.detail.dataset.key !== key) {
      slot.detail.dataset.key = key;
      slot.detail.hidden = !isOpen;
      slot.button.setAttribute("aria-expanded", String(isOpen));
      slot.element.classList.toggle("open", isOpen);
      if (isOpen) this.#observer.observe(slot.detail);
      else {
        this.#observer.unobserve(slot.detail);
        fill(slot.detail);
      }
    }
    slot.isOpen = isOpen;
    slot.row = row;
  }

  /** @param {Slot} slot @param {Row} row */
  #fill(slot, row) {
    const { cast, sizes, notes } = this.#scene;
    let line = this.#lines.get(row.item);
    if (!line) {
      line = lineOf(row.item, cast);
      this.#lines.set(row.item, line);
    }
    slot.element.dataset.fate = row.fate;
    slot.element.dataset.source = String(row.source);
    setText(slot.index, row.source < 0 ? "new" : String(row.source));
    fill(slot.fate, h("span", { class: "glyph", "aria-hidden": "true" }, FATES[row.fate].glyph), row.fate);
    setText(slot.author, line.author);
    slot.author.dataset.author = line.author;
    setText(slot.title, line.title);
    setText(slot.preview, line.preview);
    setText(slot.reason, row.reason.replaceAll(",", ", "));
    slot.reason.title = [FATES[row.fate].says, ...explain(row.reason, notes)].join(" ");
    const size = sizes.of(row.item);
    const sent = row.sent && row.sent !== row.item ? sizes.of(row.sent) : null;
    fill(slot.size, ...(sent === null || sent === size ? [number(size)] : [h("s", {}, number(size)), " ", number(sent)]));
    slot.size.title = sent === null ? counted(size, "character") : `${counted(size, "character")} in the history, ${number(sent)} in the prompt`;
  }

  /** @param {number} index */
  #toggle(index) {
    const key = this.#keys[index];
    if (key === undefined) return;
    if (!this.#open.delete(key)) this.#open.set(key, 0);
    this.#current = index;
    this.#draw();
    // The height is known once it is laid out.
    const slot = this.#slots.get(index);
    if (!slot || !this.#open.has(key)) return;
    this.#open.set(key, slot.detail.offsetHeight);
    this.#draw();
  }

  /** Up, down, page, home and end go from row to row. @param {KeyboardEvent} event */
  #onKey(event) {
    if (!(event.target instanceof Element) || !event.target.matches(".line")) return;
    const last = this.#shown.length - 1;
    const page = Math.max(1, Math.floor(innerHeight / this.#rowHeight) - 3);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || last < 0) return;
    event.preventDefault();
    this.#current = Math.min(last, Math.max(0, this.#current + step));
    const top = scrollY + this.#list.getBoundingClientRect().top + this.#top(this.#current);
    const margin = 120;
    if (top < scrollY + margin) scrollTo({ top: top - margin });
    else if (top + this.#rowHeight > scrollY + innerHeight - margin) scrollTo({ top: top + this.#rowHeight + margin - innerHeight });
    this.#draw();
    this.#slots.get(this.#current)?.button.focus({ preventScroll: true });
  }

  // ── an open row ──

  /** @param {Row} row @returns {HTMLElement[]} */
  #detail(row) {
    const { notes } = this.#scene;
    const why = h("p", { class: "why" }, h("strong", {}, FATES[row.fate].says), " ", explain(row.reason, notes).join(" "));
    if (row.source < 0) return [why, this.#pane("What the model gets", row.item)];
    if (row.sent === row.item) return [why, this.#pane("In the history, and what the model gets", row.item)];
    const sent = row.sent
      ? this.#pane("What the model gets instead", row.sent)
      : h("section", { class: "pane nothing" }, h("h3", {}, "What the model gets instead"), h("p", {}, row.sent === null ? "Nothing." : "The item is in the prompt, changed beyond what this page can match."));
    return [why, h("div", { class: "panes" }, this.#pane("In the history", row.item), sent)];
  }

  /** @param {string} title @param {object} item */
  #pane(title, item) {
    const body = h("div", { class: "pieces" }, ...piecesOf(item, this.#scene.cast).map(pieceBox));
    const raw = h("button", {
      type: "button", class: "plain", "aria-pressed": "false",
      onclick: (/** @type {MouseEvent} */ event) => {
        const button = /** @type {HTMLElement} */ (event.currentTarget);
        const isRaw = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(isRaw));
        if (isRaw) fill(body, pieceBox({ label: "JSON", text: asJson(item) }));
        else fill(body, ...piecesOf(item, this.#scene.cast).map(pieceBox));
      },
    }, "JSON");
    return h("section", { class: "pane" }, h("header", {}, h("h3", {}, title), raw), body);
  }
}

/** @param {import("./describe.js").Piece} piece */
function pieceBox({ label, text, image }) {
  const isLong = text.length > LONG;
  const pre = h("pre", { tabindex: "0", dir: "auto", "aria-label": label }, isLong ? text.slice(0, LONG) : text);
  const more = isLong && h("button", {
    type: "button", class: "plain",
    onclick: (/** @type {MouseEvent} */ event) => {
      setText(pre, text);
      /** @type {HTMLElement} */ (event.currentTarget).remove();
    },
  }, `Show the other ${counted(text.length - LONG, "character")}`);
  return h("div", { class: "piece" }, h("h4", {}, label), image !== undefined && h("img", { src: image, alt: "An image of the transcript" }), text !== "" && pre, text === "" && image === undefined && h("p", { class: "quiet" }, "(empty)"), more);
}
