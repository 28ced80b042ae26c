// What memory and sessions share about items.

import { failure, messageOf } from "./errors.js";

/** @param {readonly unknown[]} items @param {string} name @returns {object[]} */
export function checked(items, name) {
  for (const [index, item] of items.entries()) {
    if (typeof item !== "object" || item === null || Array.isArray(item)) throw failure("invalid_item", `${name}[${index}]`, "must be an object");
  }
  return /** @type {object[]} */ (items.slice());
}

/** @param {object} item @returns {item is { id: string, parts: unknown[] }} */
const isUiMessage = (item) => "parts" in item && Array.isArray(item.parts) && "id" in item && typeof item.id === "string" && item.id !== "";

/**
 * Where an item stands that this one is a newer version of: a message of the AI SDK's UI comes again as it grows. -1: nowhere.
 * @param {readonly object[]} items
 * @param {object} item
 */
export function versionOf(items, item) {
  if (!isUiMessage(item)) return -1;
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const known = /** @type {object} */ (items[index]);
    if (isUiMessage(known) && known.id === item.id) return index;
  }
  return -1;
}

/** A tool's output as JSON; nothing where there is none. @param {unknown} output @param {string} [name] */
export function jsonOf(output, name = "output") {
  try {
    return JSON.stringify(output);
  } catch (thrown) {
    throw failure("invalid_item", name, `has no form in JSON: ${messageOf(thrown)}`);
  }
}

/** An id. `crypto.randomUUID` is missing on pages without TLS. */
export function newId() {
  const { crypto } = globalThis;
  if (typeof crypto?.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
