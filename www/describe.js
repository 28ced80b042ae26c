// What an item is, for the eye: author, kinds of content, tools, text. The library knows the dialects properly; this only has to be
// readable for any of them, and to survive whatever a file holds.

/** @typedef {{ [key: string]: any }} Loose */
/** One piece of an item: a text, a call, a result, an image. @typedef {{ label: string, text: string, image?: string }} Piece */
/** @typedef {{ author: string, title: string, preview: string }} Line */

/** @param {unknown} value @returns {value is Loose} */
const isPlain = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** @param {unknown} value @returns {value is string} */
const isText = (value) => typeof value === "string";

/** @param {unknown} value @param {number} [indent] */
function json(value, indent = 2) {
  try {
    return JSON.stringify(value, null, indent) ?? "";
  } catch {
    return String(value);
  }
}

/** The parts inside an item, whatever its dialect calls them. @param {Loose} item @returns {Loose[]} */
function partsOf(item) {
  return [item.content, item.parts].filter(Array.isArray).flat().filter(isPlain);
}

/** Names of tools by the ids of their calls, and the figures that the controls' ranges need. */
export class Cast {
  /** @type {Map<string, string>} */
  names = new Map();
  /** @type {Set<string>} */
  tools = new Set();
  results = 0;
  images = 0;

  /** @param {readonly object[]} items */
  constructor(items) {
    for (const item of items) {
      if (!isPlain(item)) continue;
      if (item.role === "tool" && isText(item.content)) this.results += 1;
      for (const part of [item, ...partsOf(item), ...(Array.isArray(item.tool_calls) ? item.tool_calls.filter(isPlain) : [])]) this.#meet(part);
    }
  }

  /** @param {Loose} part */
  #meet(part) {
    const type = isText(part.type) ? part.type : "";
    const isResult = /(^|[-_])(output|result)$/.test(type) || isPlain(part.functionResponse) || ("output" in part && isText(part.toolCallId));
    if (isResult) this.results += 1;
    if (imageOf(part) !== null) this.images += 1;
    for (const inner of [part.content, part.output].filter(Array.isArray).flat()) {
      if (isResult && isPlain(inner) && imageOf(inner) !== null) this.images += 1;
    }
    const name = toolOf(part);
    if (name === undefined) return;
    this.tools.add(name);
    const id = part.call_id ?? part.toolCallId ?? part.functionCall?.id ?? part.id;
    if (isText(id)) this.names.set(id, name);
  }

  /** @param {Loose} part */
  nameFor(part) {
    const id = part.call_id ?? part.tool_call_id ?? part.tool_use_id ?? part.toolCallId;
    return toolOf(part) ?? (isText(id) ? this.names.get(id) : undefined);
  }
}

/** @param {Loose} part @returns {string | undefined} */
function toolOf(part) {
  const ui = isText(part.type) && isText(part.toolCallId) ? /^tool-(?!call$|result$|error$|approval)(.+)$/.exec(part.type)?.[1] : undefined;
  const name = part.toolName ?? part.function?.name ?? part.custom?.name ?? part.functionCall?.name ?? part.functionResponse?.name ?? ui
    ?? (isText(part.type) && /(call|tool_use)$/.test(part.type) ? part.name : undefined);
  return isText(name) && name !== "" ? name : undefined;
}

/** The image that a part holds: a data URL, or "" for one that lies elsewhere. It is never fetched. @param {Loose} part @returns {string | null} */
function imageOf(part) {
  const inline = part.inlineData ?? part.inline_data;
  if (isPlain(inline)) return dataUrl(inline.mimeType ?? inline.mime_type, inline.data);
  const type = isText(part.type) ? part.type : "";
  if (!/image|screenshot/.test(type) && !(type === "file" && /^image\//.test(part.mediaType ?? part.mimeType ?? ""))) return null;
  if (type === "image_generation_call") return dataUrl("image/png", part.result);
  if (isPlain(part.source)) return dataUrl(part.source.media_type, part.source.data);
  const place = part.image_url?.url ?? part.image_url ?? part.url ?? part.image ?? part.data;
  if (isText(place) && place.startsWith("data:image/")) return place;
  return isText(place) && !/^\w+:/.test(place) ? dataUrl(part.mediaType ?? part.mimeType, place) : "";
}

/** @param {unknown} type @param {unknown} data */
function dataUrl(type, data) {
  const isImage = isText(type) && /^image\/[\w.+-]+$/.test(type);
  return isImage && isText(data) && /^[\w+/=\s-]+$/.test(data.slice(0, 200)) ? `data:${type};base64,${data}` : "";
}

/**
 * The pieces of an item, in order.
 * @param {object} item
 * @param {Cast} cast
 * @returns {Piece[]}
 */
export function piecesOf(item, cast) {
  if (!isPlain(item)) return [{ label: "value", text: json(item) }];
  /** @type {Piece[]} */
  const pieces = [];
  for (const key of ["reasoning_content", "reasoning"]) if (isText(item[key]) && item[key]) pieces.push({ label: "reasoning", text: item[key] });
  const isResult = item.role === "tool" || item.role === "function";
  if (isText(item.content)) pieces.push({ label: isResult ? called("result", cast.nameFor(item)) : "text", text: item.content });
  const parts = partsOf(item);
  if (parts.length > 0) for (const part of parts) pieces.push(...pieceOf(part, cast));
  if (Array.isArray(item.tool_calls)) {
    for (const call of item.tool_calls.filter(isPlain)) {
      pieces.push({ label: called("call", cast.nameFor(call)), text: readable(call.function?.arguments ?? call.custom?.input ?? call.function ?? "") });
    }
  }
  if (isText(item.type) && item.role === undefined && parts.length === 0) pieces.push(...pieceOf(item, cast));
  return pieces.length > 0 ? pieces : [{ label: "item", text: json(item) }];
}

/** @param {string} what @param {string | undefined} tool */
const called = (what, tool) => (tool === undefined ? what : `${what} · ${tool}`);

/**
 * @param {Loose} part
 * @param {Cast} cast
 * @returns {Piece[]}
 */
function pieceOf(part, cast) {
  const type = isText(part.type) ? part.type : "";
  const tool = cast.nameFor(part);
  const image = imageOf(part);
  if (image !== null) return [{ label: "image", text: image === "" ? `An image elsewhere; this page does not fetch it. ${elsewhere(part)}` : "", image: image || undefined }];
  if (isPlain(part.functionCall)) return [{ label: called("call", tool), text: json(part.functionCall.args ?? {}) }];
  if (isPlain(part.functionResponse)) return [{ label: called("result", tool), text: json(part.functionResponse.response ?? {}) }];
  if (type === "reasoning" || /thinking$/.test(type) || part.thought === true) {
    const text = part.thinking ?? part.text ?? [part.summary, part.content].filter(Array.isArray).flat().map((one) => one?.text ?? "").join("\n\n");
    return [{ label: "reasoning", text: isText(text) && text !== "" ? text : "Without a readable text." }];
  }
  if (isText(part.toolCallId) && /^(tool-|dynamic-tool)/.test(type) && !/^tool-(call|result|error)$/.test(type)) {
    const pieces = [{ label: called("call", tool), text: readable(part.input) }];
    const output = part.output ?? part.errorText;
    if (output !== undefined) pieces.push({ label: called("result", tool), text: readable(output) });
    return pieces;
  }
  if (/(output|result)$/.test(type)) return resultOf(part, tool, cast);
  if (/(call|tool_use)$/.test(type)) return [{ label: called(type === "function_call" || type === "tool_use" || type === "tool-call" ? "call" : type, tool), text: readable(part.arguments ?? part.input ?? part.action ?? part) }];
  if (isText(part.text)) return [{ label: type === "" || /text$/.test(type) ? "text" : type, text: part.text }];
  if (isText(part.refusal)) return [{ label: "refusal", text: part.refusal }];
  return [{ label: type || "part", text: json(part) }];
}

/**
 * @param {Loose} part
 * @param {string | undefined} tool
 * @param {Cast} cast
 * @returns {Piece[]}
 */
function resultOf(part, tool, cast) {
  const body = part.output ?? part.content ?? part.result ?? "";
  const value = isPlain(body) && isText(body.type) && "value" in body ? body.value : body;
  if (!Array.isArray(value)) return [{ label: called("result", tool), text: readable(value) }];
  return value.flatMap((inner) => (isPlain(inner) ? pieceOf(inner, cast) : [{ label: "text", text: readable(inner) }]))
    .map((piece) => ({ ...piece, label: piece.label === "text" ? called("result", tool) : `result · ${piece.label}` }));
}

/** @param {Loose} part */
function elsewhere(part) {
  const place = part.image_url?.url ?? part.image_url ?? part.url ?? part.source?.url ?? part.file_id ?? "";
  return isText(place) ? place.slice(0, 200) : "";
}

/** JSON in a string is set out; other strings stay as they are. @param {unknown} value */
function readable(value) {
  if (!isText(value)) return json(value ?? "");
  if (value.length > 200_000 || !/^\s*[{[]/.test(value)) return value;
  try {
    return json(JSON.parse(value));
  } catch {
    return value;
  }
}

/**
 * An item in one line.
 * @param {object} item
 * @param {Cast} cast
 * @returns {Line}
 */
export function lineOf(item, cast) {
  if (!isPlain(item)) return { author: "?", title: "no item", preview: json(item).slice(0, 200) };
  const pieces = piecesOf(item, cast);
  /** @type {Map<string, number>} */
  const kinds = new Map();
  for (const { label } of pieces) kinds.set(label, (kinds.get(label) ?? 0) + 1);
  const list = [...kinds].map(([label, count]) => (count > 1 ? `${label} ×${count}` : label));
  const title = list.length > 4 ? `${list.slice(0, 3).join(", ")} and ${list.length - 3} more` : list.join(", ");
  const first = pieces.find(({ label, text }) => label === "text" && text.trim() !== "") ?? pieces.find(({ text }) => text.trim() !== "");
  const nothing = pieces.some(({ image }) => image !== undefined) ? "" : "(empty)";
  return { author: authorOf(item, pieces), title, preview: (first?.text ?? nothing).slice(0, 400).replaceAll(/\s+/g, " ").trim() };
}

/** @param {Loose} item @param {Piece[]} pieces */
function authorOf(item, pieces) {
  if (item.role === "user" && pieces.length > 0 && pieces.every(({ label }) => label.startsWith("result"))) return "tool";
  if (isText(item.role)) return item.role === "model" ? "assistant" : item.role === "function" ? "tool" : item.role;
  return isText(item.type) && /(output|result)$/.test(item.type) ? "tool" : "assistant";
}

/** @param {object} item */
export const asJson = (item) => json(item);
