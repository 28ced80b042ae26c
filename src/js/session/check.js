// Options are checked when a session is made, not at its first turn.

import { project } from "build:glue";
import { failure } from "../shared/errors.js";

/**
 * @param {Record<string, any>} settings
 * @param {Record<string, any>} options
 */
export function checkSettings(settings, options) {
  const { budget, projector, ...rest } = settings;
  project([], budget, { ...rest, ...(projector === "custom" ? {} : { projector }), countTokens: options.countTokens });
  const wanted = /** @type {const} */ ([
    ["projector", options.projector, "project"],
    ["compactPolicy", options.compactPolicy, "compact"],
    ["memoryCompressor", options.memoryCompressor, "compress"],
    ["store", options.store, "save"],
  ]);
  for (const [name, part, method] of wanted) {
    if (part === undefined || part === null || (name === "projector" && typeof part === "string")) continue;
    if (typeof part[method] !== "function") throw failure("invalid_option", `options.${name}`, `must have a method ${method}()`);
  }
  if (options.sessionId !== undefined && (typeof options.sessionId !== "string" || options.sessionId === "")) throw failure("invalid_option", "options.sessionId", "must be a text");
  const most = options.compactTimeoutMs;
  if (most !== undefined && !(typeof most === "number" && most > 0)) throw failure("invalid_option", "options.compactTimeoutMs", "must be a number above 0");
  if (options.now !== undefined && typeof options.now !== "function") throw failure("invalid_option", "options.now", "must be a function");
}
