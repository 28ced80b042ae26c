// Items as they are written: bytes as base64 text, URLs by their address.

import { jsonText } from "../boundary.js";

/** @type {WeakMap<object, object>} */
const written = new WeakMap();

/**
 * The item itself where JSON.stringify writes it as it is; else a copy that says the same in JSON.
 * @template {object} T
 * @param {T} item
 * @returns {T}
 */
export function plainItem(item) {
  if (!holdsMore(item, 0)) return item;
  const known = written.get(item);
  if (known !== undefined) return /** @type {T} */ (known);
  const copy = JSON.parse(jsonText(item, ""));
  written.set(item, copy);
  return copy;
}

/** @param {unknown} value @param {number} depth @returns {boolean} */
function holdsMore(value, depth) {
  if (typeof value !== "object" || value === null) return false;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || depth > 500) return true;
  if (Array.isArray(value)) return value.some((entry) => holdsMore(entry, depth + 1));
  if ("toJSON" in value) return true;
  return Object.values(value).some((entry) => holdsMore(entry, depth + 1));
}
