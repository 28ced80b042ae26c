// Saved sessions, read: the form is checked here, the events by the core.

import { failure } from "../shared/errors.js";

/** @typedef {import("../types.d.ts").SessionEvent} SessionEvent */

export const FORMAT = "context-projector/session";
export const VERSION = 1;

/**
 * @param {unknown} given a snapshot or its text
 * @returns {{ events: SessionEvent[], createdAt: number | null, sessionId: string, memory: any }}
 */
export function readSaved(given) {
  let snapshot = given;
  if (typeof given === "string") {
    try {
      snapshot = JSON.parse(given);
    } catch {
      throw failure("invalid_snapshot", "snapshot", "is no JSON");
    }
  }
  if (!isObject(snapshot)) throw failure("invalid_snapshot", "snapshot", "must be an object");
  const { format, version, metadata, events, memory } = snapshot;
  if (format !== FORMAT) throw failure("invalid_snapshot", "format", `must be "${FORMAT}"`);
  if (typeof version === "number" && Number.isInteger(version) && version > VERSION) {
    throw failure("unsupported_version", "version", `is ${version}, and this library reads up to ${VERSION}: a later one wrote it`);
  }
  if (version !== VERSION) throw failure("invalid_snapshot", "version", `must be ${VERSION}`);
  if (!isObject(metadata)) throw failure("invalid_snapshot", "metadata", "must be an object");
  if (typeof metadata.sessionId !== "string") throw failure("invalid_snapshot", "metadata.sessionId", "must be a string");
  if (!Array.isArray(events) || events.length === 0) throw failure("invalid_snapshot", "events", "must be a list of events, SESSION_CREATED or CHECKPOINT first");
  // A store that keeps events alone gives no memory: it is what they lead to.
  if (memory !== undefined && (!isObject(memory) || !Array.isArray(memory.items))) throw failure("invalid_snapshot", "memory", "must be an object with items and summary");
  return { events, createdAt: typeof metadata.createdAtEpochMs === "number" ? metadata.createdAtEpochMs : null, sessionId: metadata.sessionId, memory };
}

/** @param {unknown} value @returns {value is Record<string, any>} */
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether two values are the same as JSON, whatever the order of their keys. @param {any} left @param {any} right @returns {boolean} */
export function sameJson(left, right) {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = (/** @type {object} */ value) => Object.keys(value).filter((key) => /** @type {any} */ (value)[key] !== undefined);
  const [mine, others] = [keys(left), keys(right)];
  return mine.length === others.length && mine.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]));
}
