// Sessions in localStorage or sessionStorage: one key an append, so that saving costs what is new. Over quota nothing is lost:
// what was stored stays, and the error says so. Two tabs are kept apart by Web Locks, where the browser has them (see web-locks.js).

import { failure } from "../shared/errors.js";
import { checkAppend, checkedId, conflict, journal, lastOf } from "./shared.js";
import { Turns } from "./web-locks.js";

/**
 * @typedef {import("../types.d.ts").AgentSessionStore} AgentSessionStore
 * @typedef {import("../types.d.ts").SessionEvent} SessionEvent
 * @typedef {{ readonly length: number, key(index: number): string | null, getItem(key: string): string | null, setItem(key: string, value: string): void, removeItem(key: string): void }} WebStorage
 */

/** Events that a log begins with. */
const BEGINNINGS = new Set(["SESSION_CREATED", "CHECKPOINT"]);

/**
 * @param {WebStorage} storage
 * @param {{ prefix?: string }} [options] prefix: of all keys; default `context-projector`
 * @returns {Required<AgentSessionStore>}
 */
export function webStorageStore(storage, { prefix = "context-projector" } = {}) {
  if (typeof storage?.setItem !== "function") throw failure("invalid_option", "storage", "must be a Storage, such as localStorage");
  // The id is encoded, so that no id reaches into the keys of another.
  const baseOf = (/** @type {string} */ id) => `${prefix}:${encodeURIComponent(wellFormed(checkedId(id)))}:`;
  const turns = new Turns(storage);

  /** Keys of a session's parts, in order. @param {string} base */
  function keysOf(base) {
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "").filter((key) => key.startsWith(base));
    return keys.sort((one, other) => Number(one.slice(base.length)) - Number(other.slice(base.length)));
  }

  /** @param {string} base @returns {SessionEvent[]} */
  function eventsOf(base) {
    const parts = keysOf(base).map((key) => /** @type {SessionEvent[]} */ (JSON.parse(storage.getItem(key) ?? "[]")));
    // A session that was saved whole is in one part; those before it were to be taken away, and may still be there.
    const whole = parts.map(([first]) => BEGINNINGS.has(first?.type ?? "")).lastIndexOf(true);
    return parts.slice(Math.max(0, whole)).flat();
  }

  /** One key is written or it is not: over quota the browser's own error says so. @param {string} base @param {readonly SessionEvent[]} events */
  const put = (base, events) => storage.setItem(`${base}${lastOf(events)}`, JSON.stringify(events));

  return {
    save: async (snapshot, expectedSequence) =>
      turns.write(baseOf(snapshot.metadata.sessionId), () => {
        const base = baseOf(snapshot.metadata.sessionId);
        const keys = keysOf(base);
        const there = lastOf(eventsOf(base));
        if (expectedSequence !== undefined && there !== expectedSequence) throw conflict(there, expectedSequence);
        put(base, snapshot.events);
        for (const key of keys) if (key !== `${base}${lastOf(snapshot.events)}`) storage.removeItem(key);
      }),
    append: async (sessionId, afterSequence, events) =>
      turns.write(baseOf(sessionId), () => {
        const base = baseOf(sessionId);
        const last = keysOf(base).at(-1);
        checkAppend(last === undefined ? 0 : Number(last.slice(base.length)), afterSequence, events);
        if (events.length > 0) put(base, events);
      }),
    load: async (sessionId) =>
      turns.read(baseOf(sessionId), () => {
        const events = eventsOf(baseOf(sessionId));
        return events.length === 0 ? null : journal(sessionId, events);
      }),
    delete: async (sessionId) =>
      turns.write(baseOf(sessionId), () => {
        const keys = keysOf(baseOf(sessionId));
        for (const key of keys) storage.removeItem(key);
        return keys.length > 0;
      }),
    async listSessionIds() {
      const start = `${prefix}:`;
      const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "").filter((key) => key.startsWith(start));
      return [...new Set(keys.map((key) => decodeURIComponent(key.slice(start.length, key.lastIndexOf(":")))))].sort();
    },
  };
}

/** encodeURIComponent refuses half a pair. @param {string} text */
const wellFormed = (text) => text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD");
