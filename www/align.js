// Lays a projection beside its history: for each source item its fate, and what the model gets in its place.

/** @typedef {{ [key: string]: any }} Loose */
/** @typedef {import("./words.js").RowFate} RowFate */
/**
 * `source` is the index in the history, -1 for what was put in; `sent` what the model gets: null where it gets nothing, undefined
 * where it cannot be told apart.
 * @typedef {{ source: number, item: object, fate: RowFate, reason: string, sent: object | null | undefined }} Row
 */

/**
 * @param {readonly object[]} items
 * @param {import("context-projector").ContextProjection<object>} projection
 * @returns {Row[]}
 */
export function align(items, { items: projected, report }) {
  /** @type {Map<object, number[]>} */
  const places = new Map();
  projected.forEach((item, place) => push(places, item, place));
  /** @type {Row[]} */
  const rows = [];
  /** Place in the projection of each row, -1 where there is none. @type {number[]} */
  const placed = [];
  const taken = new Set();
  for (const { from, to, fate, reason } of report.ledger) {
    for (let source = from; source < to; source++) {
      const item = /** @type {object} */ (items[source]);
      const isGone = fate === "dropped" || fate === "summarized";
      // What is untouched comes back as the very same object.
      const place = isGone ? undefined : places.get(item)?.shift();
      if (place !== undefined) taken.add(place);
      placed.push(place ?? -1);
      rows.push({ source, item, fate, reason, sent: isGone ? null : place === undefined ? undefined : item });
    }
  }
  const changed = rows.flatMap((row, index) => (row.sent === undefined ? [index] : []));
  // Changed copies keep author, type and the ids of their calls; where they do not, author and type and their order have to do.
  for (const mark of [signature, weakSignature]) {
    /** @type {Map<string, number[]>} */
    const free = new Map();
    projected.forEach((item, place) => {
      if (!taken.has(place)) push(free, mark(item), place);
    });
    for (const index of changed) {
      const row = /** @type {Row} */ (rows[index]);
      if (row.sent !== undefined) continue;
      const place = free.get(mark(row.item))?.shift();
      if (place === undefined) continue;
      row.sent = projected[place];
      placed[index] = place;
      taken.add(place);
    }
  }
  return taken.size === projected.length ? rows : withAdded(rows, placed, projected, taken);
}

/**
 * What is in the prompt and not from the history stands behind the item that it follows there.
 * @param {Row[]} rows
 * @param {number[]} placed
 * @param {readonly object[]} projected
 * @param {Set<number>} taken
 */
function withAdded(rows, placed, projected, taken) {
  /** @type {Map<number, number>} */
  const rowAt = new Map();
  placed.forEach((place, index) => {
    if (place >= 0) rowAt.set(place, index);
  });
  /** @type {Map<number, Row[]>} */
  const behind = new Map();
  let last = -1;
  projected.forEach((item, place) => {
    const index = rowAt.get(place);
    if (index !== undefined) last = index;
    else if (!taken.has(place)) push(behind, last, { source: -1, item, fate: /** @type {const} */ ("added"), reason: "", sent: item });
  });
  return [...(behind.get(-1) ?? []), ...rows.flatMap((row, index) => [row, ...(behind.get(index) ?? [])])];
}

/**
 * @template K, V
 * @param {Map<K, V[]>} map
 * @param {K} key
 * @param {V} value
 */
function push(map, key, value) {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** @param {Loose} item */
const weakSignature = (item) => `${item?.type} ${item?.role}`;

/** @param {Loose} item */
function signature(item) {
  const parts = [item?.content, item?.parts, item?.tool_calls].filter(Array.isArray).flat();
  const ids = [item, ...parts].map((part) => part?.call_id ?? part?.tool_call_id ?? part?.tool_use_id ?? part?.toolCallId
    ?? (part === item ? undefined : part?.id) ?? part?.functionCall?.name ?? part?.functionResponse?.name);
  return JSON.stringify([item?.type, item?.role, ids.filter((id) => id !== undefined)]);
}
