// Host side of the boundary: what is quicker, or only possible, in JavaScript. Imported by src/wasm/host.rs.
//
// The host's objects never cross into WebAssembly. What crosses is a sketch of each item (its shape, with short strings
// whole and long ones by their length), and on the way back a plan: which items, and which edits to make in a copy.
// Written as an ES module that uses nothing of any environment, so that it is the same on every target.

/** Deepest nesting inside one item. */
const MAX_DEPTH = 500;
/** Longest string that a sketch holds whole, and what it holds of a longer one, in UTF-16 units. */
const WHOLE = 1024;
const HEAD = 128;

/**
 * A real Error with the public contract's fields.
 * @param {string} code
 * @param {string} path
 * @param {string} message
 * @returns {Error}
 */
export function makeError(code, path, message) {
  const error = new Error(path === "" ? message : `${path}: ${message}`);
  Object.defineProperty(error, "name", { value: "ContextProjectorError", configurable: true, writable: true });
  return Object.assign(error, { code, path });
}

/**
 * @param {string} path
 * @param {string} message
 * @returns {never}
 */
function refuse(path, message) {
  throw makeError("invalid_item", path, message);
}

/**
 * The path of a value for a message: `items[3].content[0]`.
 * @param {string} base
 * @param {readonly (string | number)[]} keys
 */
function pathText(base, keys) {
  let text = base;
  for (const key of keys) text += typeof key === "number" ? `[${key}]` : `.${key}`;
  return text;
}

/**
 * Whether every surrogate has its other half. Engines before 2023 have no method for it.
 * @param {string} text
 */
function isWellFormed(text) {
  const known = /** @type {{ isWellFormed?: () => boolean }} */ (/** @type {unknown} */ (text));
  if (typeof known.isWellFormed === "function") return text.isWellFormed();
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}

/** @param {unknown} value */
function isBytes(value) {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

/** @param {unknown} value @returns {value is URL} */
function isUrl(value) {
  return typeof URL === "function" && value instanceof URL;
}

/**
 * Writes sketches. One instance serves one item; `keys` is the way to the value at hand, for messages.
 */
class Sketcher {
  /** @param {string} base */
  constructor(base) {
    this.base = base;
    /** @type {(string | number)[]} */
    this.keys = [];
    /** @type {object[]} */
    this.holders = [];
  }

  /** @param {string} text */
  text(text) {
    const mark = isWellFormed(text) ? "" : "!";
    return text.length <= WHOLE
      ? `${mark}"${text.length};${text}`
      : `${mark}~${text.length};${HEAD};${text.slice(0, HEAD)}`;
  }

  /**
   * @param {unknown} value
   * @param {string | number} key
   * @returns {string} "" where JSON has no member for the value
   */
  value(value, key) {
    switch (typeof value) {
      case "string":
        return this.text(value);
      case "boolean":
        return value ? "t" : "f";
      case "number":
        return Number.isFinite(value) ? `#${String(value === 0 ? 0 : value).length};` : "n";
      case "undefined":
        return "";
      case "object":
        return value === null ? "n" : this.object(value, key);
      default:
        return refuse(pathText(this.base, this.keys), `a ${typeof value} has no form in JSON`);
    }
  }

  /**
   * @param {object} value
   * @param {string | number} key
   * @returns {string}
   */
  object(value, key) {
    if (isBytes(value)) return "b";
    if (isUrl(value)) return this.text(value.href);
    if (typeof Blob === "function" && value instanceof Blob) {
      return refuse(pathText(this.base, this.keys), "a Blob must be read first: pass its bytes or a data URL");
    }
    const holder = /** @type {{ toJSON?: unknown }} */ (value);
    if (typeof holder.toJSON === "function") {
      const json = holder.toJSON(String(key));
      if (json !== value) return this.enter(value, () => this.value(json, key));
    }
    if (value instanceof Number || value instanceof String || value instanceof Boolean) {
      return this.value(value.valueOf(), key);
    }
    return this.enter(value, () => (Array.isArray(value) ? this.list(value) : this.members(value)));
  }

  /**
   * @param {object} value
   * @param {() => string} inside
   */
  enter(value, inside) {
    if (this.holders.includes(value)) refuse(pathText(this.base, this.keys), "is part of itself");
    if (this.holders.length >= MAX_DEPTH) refuse(pathText(this.base, this.keys.slice(0, 8)), `nests more than ${MAX_DEPTH} levels`);
    this.holders.push(value);
    const text = inside();
    this.holders.pop();
    return text;
  }

  /** @param {readonly unknown[]} list */
  list(list) {
    let text = "[";
    for (let index = 0; index < list.length; index += 1) {
      this.keys.push(index);
      // A hole and undefined are null in a list.
      text += this.value(list[index], index) || "n";
      this.keys.pop();
    }
    return `${text}]`;
  }

  /** @param {object} object */
  members(object) {
    let text = "{";
    const record = /** @type {Record<string, unknown>} */ (object);
    for (const key of Object.keys(object)) {
      this.keys.push(key);
      const value = this.value(record[key], key);
      this.keys.pop();
      if (value !== "") text += `${key.length};${key}${value}`;
    }
    return `${text}}`;
  }
}

/**
 * Sketches of the items from index `from` on, one after the other.
 * @param {readonly unknown[]} items
 * @param {number} from
 */
export function sketch(items, from) {
  let text = "";
  for (let index = from; index < items.length; index += 1) text += sketchItem(items[index], `items[${index}]`);
  return text;
}

/**
 * @param {unknown} item
 * @param {string} base
 */
function sketchItem(item, base) {
  const isRecord = typeof item === "object" && item !== null && !Array.isArray(item) && !isBytes(item);
  if (!isRecord) refuse(base, "must be an object");
  const text = new Sketcher(base).value(item, "");
  // What a toJSON gives back counts, and must be an object as well.
  if (!text.startsWith("{")) refuse(base, "must be an object");
  return text;
}

/**
 * The value as JSON.stringify sees it, one level deep.
 * @param {unknown} value
 * @param {string | number} key
 */
function asJson(value, key) {
  if (typeof value !== "object" || value === null || isBytes(value) || isUrl(value)) return value;
  const holder = /** @type {{ toJSON?: unknown }} */ (value);
  return typeof holder.toJSON === "function" ? holder.toJSON(String(key)) : value;
}

/**
 * The value at a path, as JSON sees it.
 * @param {unknown} item
 * @param {readonly (string | number)[]} path
 */
function valueAt(item, path) {
  let value = asJson(item, "");
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = asJson(/** @type {Record<string | number, unknown>} */ (value)[key], key);
  }
  return value;
}

/**
 * A replacer for JSON.stringify that writes bytes as base64 and addresses as text.
 * @this {Record<string, unknown>}
 * @param {string} key
 * @param {unknown} value
 */
function plain(key, value) {
  const original = this[key];
  if (isBytes(original)) return base64(/** @type {ArrayBuffer | ArrayBufferView} */ (original));
  if (isUrl(original)) return original.href;
  return value;
}

/** @param {ArrayBuffer | ArrayBufferView} value */
function base64(value) {
  const bytes = ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);
  let text = "";
  for (let start = 0; start < bytes.length; start += 8192) {
    text += String.fromCharCode(...bytes.subarray(start, start + 8192));
  }
  return btoa(text);
}

/**
 * The string at a path, or the compact JSON text of another value.
 * @param {unknown} item
 * @param {string} path JSON
 * @returns {string | undefined}
 */
export function textAt(item, path) {
  const value = valueAt(item, JSON.parse(path));
  return typeof value === "string" ? value : JSON.stringify(value, plain);
}

/**
 * String leaves in order, joined by newlines, without those at the paths to skip.
 * @param {unknown} item
 * @param {string} skip JSON, a list of paths
 */
export function leaves(item, skip) {
  const skipped = new Set(JSON.parse(skip).map((/** @type {unknown[]} */ path) => JSON.stringify(path)));
  /** @type {string[]} */
  const texts = [];
  collect(asJson(item, ""), [], skipped, texts);
  return texts.join("\n");
}

/**
 * @param {unknown} value
 * @param {(string | number)[]} path
 * @param {Set<string>} skipped
 * @param {string[]} texts
 */
function collect(value, path, skipped, texts) {
  if (typeof value === "string" || isUrl(value)) {
    if (skipped.size === 0 || !skipped.has(JSON.stringify(path))) texts.push(String(value));
  } else if (typeof value === "object" && value !== null && !isBytes(value)) {
    const isList = Array.isArray(value);
    for (const key of Object.keys(value)) {
      const step = isList ? Number(key) : key;
      path.push(step);
      collect(asJson(/** @type {Record<string, unknown>} */ (value)[key], key), path, skipped, texts);
      path.pop();
    }
  }
}

/**
 * Tokens by the host's counters, for each weight of media: an item is counted once in its life.
 * @type {WeakMap<Function, Map<number, WeakMap<object, number>>>}
 */
const counts = new WeakMap();

/**
 * @param {Function} count
 * @param {number} mediaTokens
 */
function countsOf(count, mediaTokens) {
  let byMedia = counts.get(count);
  if (byMedia === undefined) counts.set(count, (byMedia = new Map()));
  let known = byMedia.get(mediaTokens);
  if (known === undefined) byMedia.set(mediaTokens, (known = new WeakMap()));
  return known;
}

/**
 * The tokens of an item that was counted before; -1 where it was not.
 * @param {Function} count
 * @param {number} mediaTokens
 * @param {object} item
 */
export function knownTokens(count, mediaTokens, item) {
  return countsOf(count, mediaTokens).get(item) ?? -1;
}

/**
 * Keeps the tokens of an item.
 * @param {Function} count
 * @param {number} mediaTokens
 * @param {object} item
 * @param {number} tokens
 */
export function keepTokens(count, mediaTokens, item, tokens) {
  countsOf(count, mediaTokens).set(item, tokens);
}

/**
 * The host's count of a text. Its errors pass through unchanged.
 * @param {(text: string) => number} count
 * @param {string} text
 */
export function countText(count, text) {
  const tokens = count(text);
  if (typeof tokens !== "number" || !Number.isFinite(tokens) || tokens < 0) {
    throw makeError("invalid_option", "options.countTokens", "must answer with a number of at least 0");
  }
  return Math.ceil(tokens);
}

/**
 * Edited copies by source and edits, so that they keep their identity from call to call. Only the latest few of an
 * item are kept: a history's items rarely have more than one version at a time.
 * @type {WeakMap<object, Map<string, object>>}
 */
const copies = new WeakMap();
const COPIES = 4;

/**
 * A copy of the item with the edits made; it shares every untouched part, and keeps prototype and descriptors.
 * @param {object} item
 * @param {string} edits JSON: [[path, value] | [path], …]
 * @returns {object}
 */
export function edited(item, edits) {
  let versions = copies.get(item);
  if (versions === undefined) copies.set(item, (versions = new Map()));
  const known = versions.get(edits);
  if (known !== undefined) return known;
  const copy = /** @type {object} */ (applyAll(asJson(item, ""), JSON.parse(edits)));
  if (versions.size >= COPIES) versions.delete(/** @type {string} */ (versions.keys().next().value));
  versions.set(edits, copy);
  return copy;
}

/** @typedef {[path: (string | number)[], value?: unknown, order?: number[]]} Edit */

/**
 * @param {unknown} value
 * @param {Edit[]} edits paths refer to the value before any edit
 * @returns {unknown}
 */
function applyAll(value, edits) {
  /** @type {Map<string | number, Edit[]>} */
  const inner = new Map();
  /** @type {Map<string | number, unknown>} */
  const set = new Map();
  /** @type {Set<string | number>} */
  const removed = new Set();
  /** @type {number[] | undefined} */
  let order;
  for (const edit of edits) {
    const [first, ...rest] = edit[0];
    if (first === undefined) {
      order = edit[2];
    } else if (rest.length > 0 || edit.length > 2) {
      const below = inner.get(first);
      const step = /** @type {Edit} */ ([rest, ...edit.slice(1)]);
      if (below === undefined) inner.set(first, [step]);
      else below.push(step);
    } else if (edit.length > 1) set.set(first, edit[1]);
    else removed.add(first);
  }
  const source = /** @type {Record<string | number, unknown>} */ (value);
  for (const [key, below] of inner) {
    if (!set.has(key) && !removed.has(key)) set.set(key, applyAll(asJson(source[key], key), below));
  }
  return Array.isArray(value) ? copyList(value, set, removed, order) : copyObject(source, set, removed);
}

/**
 * @param {unknown[]} list
 * @param {Map<string | number, unknown>} set
 * @param {Set<string | number>} removed
 * @param {number[]} [order] the indexes that stay, in their new order
 */
function copyList(list, set, removed, order) {
  const copy = list.slice();
  for (const [index, value] of set) copy[Number(index)] = value;
  if (order !== undefined) return order.filter((index) => !removed.has(index)).map((index) => copy[index]);
  return removed.size === 0 ? copy : copy.filter((_, index) => !removed.has(index));
}

/**
 * @param {object} object
 * @param {Map<string | number, unknown>} set
 * @param {Set<string | number>} removed
 */
function copyObject(object, set, removed) {
  const descriptors = Object.getOwnPropertyDescriptors(object);
  for (const key of removed) delete (/** @type {Record<string, unknown>} */ (descriptors)[key]);
  for (const [key, value] of set) {
    const before = /** @type {PropertyDescriptorMap} */ (descriptors)[key];
    const descriptor = { value, writable: before?.writable ?? true, enumerable: true, configurable: before?.configurable ?? true };
    Object.defineProperty(descriptors, key, { value: descriptor, enumerable: true, configurable: true, writable: true });
  }
  return Object.create(Object.getPrototypeOf(object), descriptors);
}

/**
 * The JSON text of an item with edits made.
 * @param {object} item
 * @param {string} edits "" where there are none
 */
export function jsonText(item, edits) {
  return JSON.stringify(edits === "" ? item : edited(item, edits), plain);
}

/**
 * What the core keeps of a history between calls, found by its first item: it dies with the history.
 * @type {WeakMap<object, { items: unknown[], facts: object }>}
 */
const histories = new WeakMap();

/**
 * The facts kept for a history that begins like this one, and how many of its items they cover. The last item is
 * always read afresh, since streaming interfaces grow it in place.
 * @param {readonly unknown[]} items
 * @returns {{ facts: object | undefined, known: number }}
 */
export function recallFacts(items) {
  const first = items[0];
  const kept = typeof first === "object" && first !== null ? histories.get(first) : undefined;
  if (kept === undefined) return { facts: undefined, known: 0 };
  // What was last at the call before may have grown since, too.
  const most = Math.min(kept.items.length, items.length) - 1;
  let known = 0;
  while (known < most && kept.items[known] === items[known]) known += 1;
  // Taken, not lent: the core moves them out of their handle, and a call from inside a callback must not find it empty.
  histories.delete(/** @type {object} */ (first));
  return { facts: kept.facts, known };
}

/**
 * Keeps the facts of a history.
 * @param {readonly unknown[]} items
 * @param {object} facts
 */
export function keepFacts(items, facts) {
  const first = items[0];
  if (typeof first === "object" && first !== null) histories.set(first, { items: items.slice(), facts });
}

/**
 * The items of a projection. `plan` holds triples: kind 0 with a range [from, to) of source items, kind 1 with a source
 * index and the index of its edits, kind 2 with the index of a new item.
 * @param {readonly object[]} items
 * @param {Uint32Array} plan
 * @param {string[]} texts edits and new items, as JSON
 */
export function assemble(items, plan, texts) {
  if (plan.length === 3 && plan[0] === 0) return items.slice(plan[1], plan[2]);
  /** @type {object[]} */
  const out = [];
  for (let at = 0; at < plan.length; at += 3) {
    const [kind, first, second] = plan.subarray(at, at + 3);
    if (kind === 0) for (let index = first; index < second; index += 1) out.push(items[index]);
    else if (kind === 1) out.push(edited(items[first], texts[second]));
    else out.push(newItem(texts[first]));
  }
  return out;
}

/**
 * New items by their text, so that a summary or a reply to an open call keeps its identity from call to call. Bounded:
 * the oldest goes.
 * @type {Map<string, object>}
 */
const made = new Map();
const MADE = 256;

/**
 * An item of the library's own.
 * @param {string} text JSON
 * @returns {object}
 */
export function newItem(text) {
  let item = made.get(text);
  if (item === undefined) {
    item = /** @type {object} */ (JSON.parse(text));
    if (made.size >= MADE) made.delete(/** @type {string} */ (made.keys().next().value));
    made.set(text, item);
  }
  return item;
}

/** Fields of a report in the order in which the core sends their values. */
const NUMBERS = /** @type {const} */ ([
  "sourceItemCount", "projectedItemCount", "droppedItemCount", "insertedItemCount", "joinedItemCount",
  "sourceApproxChars", "projectedApproxChars", "sourceTokens", "projectedTokens",
]);
const FLAGS = /** @type {const} */ ([
  "itemLimitApplied", "characterLimitApplied", "tokenLimitApplied", "overBudget",
]);

/**
 * The report. `figures` holds the numbers of NUMBERS (-1 for null), the flags of FLAGS, the stable prefix, whether it
 * was rebased, then four figures a run of the ledger: from, to, fate, reason.
 * @param {Float64Array} figures
 * @param {string[]} pendingCallIds
 * @param {string[]} notes
 * @param {string[]} fates names of fates
 * @param {string[]} reasons texts of reasons
 */
export function makeReport(figures, pendingCallIds, notes, fates, reasons) {
  /** @type {Record<string, unknown>} */
  const report = {};
  let at = 0;
  for (const name of NUMBERS) report[name] = figures[at] < 0 ? null : figures[at], at += 1;
  for (const name of FLAGS) report[name] = figures[at] === 1, at += 1;
  report.stablePrefixItems = figures[at];
  report.rebased = figures[at + 1] === 1;
  report.pendingCallIds = pendingCallIds;
  report.notes = notes;
  // A copy: the figures are a view into the core's memory that holds only during this call.
  const runs = figures.slice(at + 2);
  Object.defineProperty(report, "ledger", {
    enumerable: true,
    configurable: true,
    // Decoded when first read, and then a plain field.
    get() {
      const ledger = decodeLedger(runs, fates, reasons);
      Object.defineProperty(report, "ledger", { value: ledger, enumerable: true, configurable: true, writable: true });
      return ledger;
    },
    set(value) {
      Object.defineProperty(report, "ledger", { value, enumerable: true, configurable: true, writable: true });
    },
  });
  return report;
}

/**
 * @param {Float64Array} runs
 * @param {string[]} fates
 * @param {string[]} reasons
 */
function decodeLedger(runs, fates, reasons) {
  const ledger = [];
  for (let at = 0; at < runs.length; at += 4) {
    ledger.push({ from: runs[at], to: runs[at + 1], fate: fates[runs[at + 2]], reason: reasons[runs[at + 3]] });
  }
  return ledger;
}
