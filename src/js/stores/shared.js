// What the stores share.

import { failure } from "../shared/errors.js";

/**
 * @typedef {import("../types.d.ts").AgentSessionSnapshot} AgentSessionSnapshot
 * @typedef {import("../types.d.ts").SessionEvent} SessionEvent
 */

/** Another writer was there. @param {number} there @param {number} expected */
export function conflict(there, expected) {
  return failure("conflict", "sequence", `the store has events up to ${there}, and ${expected} was expected: another writer was there; resume the session and do it again`);
}

/** @param {unknown} sessionId @returns {string} */
export function checkedId(sessionId) {
  if (typeof sessionId !== "string" || sessionId === "") throw failure("invalid_option", "sessionId", "must be a text");
  return sessionId;
}

/** The newest event's sequence; 0 where there is none. @param {readonly { sequence: number }[]} events */
export const lastOf = (events) => events.at(-1)?.sequence ?? 0;

/**
 * A snapshot of events alone: memory is where they lead.
 * @param {string} sessionId
 * @param {SessionEvent[]} events
 * @returns {AgentSessionSnapshot}
 */
export function journal(sessionId, events) {
  const [first] = events;
  const created = /** @type {any} */ (first)?.payload.createdAtEpochMs ?? first?.recordedAtEpochMs ?? 0;
  const updated = events.at(-1)?.recordedAtEpochMs ?? created;
  return { format: "context-projector/session", version: 1, metadata: { sessionId, createdAtEpochMs: created, updatedAtEpochMs: updated, attributes: {} }, events };
}

/**
 * Checks that events go on where a store ends.
 * @param {number} there
 * @param {number} expected
 * @param {readonly { sequence: number }[]} events
 */
export function checkAppend(there, expected, events) {
  if (there !== expected) throw conflict(there, expected);
  for (const [index, { sequence }] of events.entries()) {
    // A store that has nothing may begin with a checkpoint.
    const isNext = sequence === expected + 1 + index || (expected === 0 && index === 0);
    if (!isNext && expected !== 0) throw failure("invalid_option", `events[${index}].sequence`, `must be ${expected + 1 + index}`);
  }
}
