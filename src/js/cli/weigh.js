// What each kind of content weighs, in a history and in its projection.

/** @typedef {Record<string, any>} Fields */
/** @typedef {"system" | "user" | "assistant" | "arguments" | "results" | "reasoning" | "media" | "other"} Kind */
/** @typedef {{ kind: Kind, items: number, chars: number, projectedChars: number }} Weight */

/** @type {readonly Kind[]} */
const KINDS = ["system", "user", "assistant", "arguments", "results", "reasoning", "media", "other"];
/** What an inline image or file counts, as in the library's own sizes. */
const MEDIA = 6_400;

/**
 * @param {readonly object[]} items
 * @param {readonly object[]} projected
 * @returns {Weight[]}
 */
export function weigh(items, projected) {
  const source = sums(items);
  const sent = sums(projected);
  return KINDS.map((kind) => ({
    kind,
    items: source[kind].items,
    chars: source[kind].chars,
    projectedChars: sent[kind].chars,
  })).filter(({ chars, projectedChars }) => chars + projectedChars > 0);
}

/** @param {readonly object[]} items */
function sums(items) {
  const found = /** @type {Record<Kind, { items: number, chars: number }>} */ (
    Object.fromEntries(KINDS.map((kind) => [kind, { items: 0, chars: 0 }]))
  );
  for (const item of items) {
    /** @type {Set<Kind>} */
    const seen = new Set();
    for (const { kind, chars } of parts(/** @type {Fields} */ (item))) {
      found[kind].chars += chars;
      seen.add(kind);
    }
    for (const kind of seen) found[kind].items += 1;
  }
  return found;
}

/**
 * @param {Fields} item
 * @returns {{ kind: Kind, chars: number }[]}
 */
function parts(item) {
  const own = author(item);
  const whole = wholeKind(item);
  const total = size(item);
  if (whole !== null) return split(whole, item, total);
  const lists = [item.content, item.parts, item.tool_calls].filter(Array.isArray);
  const found = lists.flat().flatMap((part) => split(partKind(part, own), part, size(part)));
  for (const key of ["reasoning_content", "reasoning", "reasoning_details"]) {
    if (item[key]) found.push({ kind: /** @type {Kind} */ ("reasoning"), chars: size(item[key]) });
  }
  const rest = total - found.reduce((sum, { chars }) => sum + chars, 0);
  return [...found, { kind: own, chars: Math.max(0, rest) }];
}

/**
 * The media of a part by itself, and what is left of it.
 * @param {Kind} kind
 * @param {unknown} value
 * @param {number} chars
 */
function split(kind, value, chars) {
  const media = Math.min(chars, mediaIn(value) * MEDIA);
  return media > 0 ? [{ kind: /** @type {Kind} */ ("media"), chars: media }, { kind, chars: chars - media }] : [{ kind, chars }];
}

/** @param {Fields} item @returns {Kind} */
function author(item) {
  if (item.role === "system" || item.role === "developer") return "system";
  if (item.role === "user") return "user";
  if (item.role === "assistant" || item.role === "model") return "assistant";
  return item.role === "tool" || item.role === "function" ? "results" : "other";
}

/** @param {Fields} item @returns {Kind | null} the kind of an item that is one thing */
function wholeKind(item) {
  const type = String(item.type ?? "");
  if (type === "reasoning") return "reasoning";
  if (type.endsWith("_output") || item.role === "tool" || item.role === "function") return "results";
  if (type.endsWith("_call")) return "arguments";
  return null;
}

/**
 * @param {unknown} part
 * @param {Kind} own
 * @returns {Kind}
 */
function partKind(part, own) {
  if (typeof part !== "object" || part === null) return own;
  const fields = /** @type {Fields} */ (part);
  const type = String(fields.type ?? "");
  if (fields.thought === true || /thinking|reasoning/.test(type)) return "reasoning";
  if (fields.functionResponse || type === "tool-result" || type.endsWith("tool_result")) return "results";
  // A tool part of a UI message is call and result in one.
  if (fields.output !== undefined && type.startsWith("tool-")) return "results";
  if (fields.functionCall || fields.function || type === "tool-call" || type.endsWith("tool_use") || type.startsWith("tool-")) {
    return "arguments";
  }
  return own;
}

/** @param {unknown} text */
const isMedia = (text) => typeof text === "string" && text.length > 200 && (/^data:[^,]{1,100};base64,/.test(text) || /^[A-Za-z0-9+/]{200}/.test(text));

/** @param {unknown} value */
function size(value) {
  return (JSON.stringify(value, (_, inner) => (isMedia(inner) ? "x".repeat(MEDIA - 2) : inner)) ?? "").length;
}

/** @param {unknown} value */
function mediaIn(value) {
  let count = 0;
  JSON.stringify(value, (_, inner) => {
    if (isMedia(inner)) count += 1;
    return inner;
  });
  return count;
}
