// Which of a session's parts are the host's own.

import { DefaultContextProjector, TypeAwareContextProjector } from "build:glue";

/** @typedef {import("../types.d.ts").ContextProjector} ContextProjector */

/** A projector that is an object; null where one is named or none given. @param {unknown} projector @returns {ContextProjector | null} */
export const projectorOf = (projector) => (typeof projector === "object" && projector !== null ? /** @type {ContextProjector} */ (projector) : null);

/** Whether a projector is one of the library's own, and no subclass of it: its account is taken over. @param {ContextProjector} projector */
export function isBuiltIn(projector) {
  const own = Object.getPrototypeOf(projector);
  return own === DefaultContextProjector.prototype || own === TypeAwareContextProjector.prototype;
}
