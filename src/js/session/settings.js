// The options of a session: what is kept in the log, and what only lives.

import { checkSettings } from "./check.js";

/**
 * @typedef {import("../types.d.ts").SessionOptions} SessionOptions
 * @typedef {import("../types.d.ts").SessionSettings} SessionSettings
 */

const KEPT = /** @type {const} */ (["dialect", "budget", "summaryRole", "pending", "imageTokens", "chained", "reasoningContentRequired", "strictRoles"]);

/**
 * The settings that options name: absent ones are not there.
 * @param {SessionOptions} options
 * @returns {SessionSettings}
 */
export function settingsOf(options) {
  /** @type {Record<string, unknown>} */
  const settings = {};
  for (const field of KEPT) if (options[field] !== undefined && options[field] !== null) settings[field] = structuredClone(options[field]);
  if (options.storedResponses !== undefined) settings.store = options.storedResponses;
  if (options.projector !== undefined) settings.projector = typeof options.projector === "string" ? options.projector : "custom";
  checkSettings(settings, options);
  return settings;
}
