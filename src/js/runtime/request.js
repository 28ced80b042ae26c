// What a run is asked for, checked before anything is done.

import { checkItems } from "build:glue";
import { failure } from "../shared/errors.js";

/**
 * @typedef {import("../types.d.ts").AgentRunRequest} AgentRunRequest
 */

/** Steps of a run that names no limit. */
const MAX_STEPS = 32;

/** @param {AgentRunRequest} request */
export function checkedRequest(request) {
  if (typeof request !== "object" || request === null) throw failure("invalid_option", "request", "must be an object");
  const { input, instructions = "", model, tools = {}, maxSteps = MAX_STEPS, parallelToolCalls = true, signal, isOverflow } = request;
  const wrong = (/** @type {string} */ field, /** @type {string} */ message) => failure("invalid_option", `request.${field}`, message);
  if (typeof model !== "function") throw wrong("model", "must be a function");
  if (typeof instructions !== "string") throw wrong("instructions", "must be a string");
  if (!(Number.isSafeInteger(maxSteps) && maxSteps >= 1)) throw wrong("maxSteps", "must be an integer of at least 1");
  if (typeof parallelToolCalls !== "boolean") throw wrong("parallelToolCalls", "must be true or false");
  if (isOverflow !== undefined && typeof isOverflow !== "function") throw wrong("isOverflow", "must be a function");
  if (signal !== undefined && signal !== null && typeof signal.addEventListener !== "function") throw wrong("signal", "must be an AbortSignal");
  if (typeof tools !== "object" || tools === null) throw wrong("tools", "must be an object of functions");
  for (const [name, tool] of Object.entries(tools)) if (typeof tool !== "function") throw wrong(`tools.${name}`, "must be a function");
  if (input !== undefined && typeof input !== "string") checkItems([input]);
  return { input, instructions, model, tools, maxSteps, parallelToolCalls, signal: signal ?? undefined, isOverflow };
}

/**
 * What a model gave, checked before anything of it is kept.
 * @param {any} answer
 * @returns {{ items: object[], inputTokens: number | undefined }}
 */
export function checkedAnswer(answer) {
  const items = answer?.items;
  if (!Array.isArray(items)) throw failure("invalid_item", "model.items", "the model must answer with { items }, an array");
  try {
    checkItems(items);
  } catch (thrown) {
    const { message = "", path = "" } = /** @type {any} */ (thrown);
    throw failure("invalid_item", `model.${path}`, message.slice(`${path}: `.length));
  }
  const inputTokens = answer.usage?.inputTokens;
  if (inputTokens !== undefined && inputTokens !== null && !(Number.isFinite(inputTokens) && inputTokens >= 0)) {
    throw failure("invalid_option", "model.usage.inputTokens", "must be a number of at least 0");
  }
  return { items, inputTokens: inputTokens ?? undefined };
}
