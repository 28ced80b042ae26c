// Sessions in any storage of `unstorage`: memory, files, Redis, Cloudflare KV and the rest. A key an append.
//
// unstorage has no compare-and-set, so this store is for one writer at a time: another is noticed where its keys can be seen before
// or right after a write, which is most of the time and not always.

import { failure } from "../shared/errors.js";
import { checkAppend, checkedId, conflict, journal, lastOf } from "./shared.js";

/**
 * @typedef {import("../types.d.ts").AgentSessionStore} AgentSessionStore
 * @typedef {import("../types.d.ts").SessionEvent} SessionEvent
 * @typedef {{ getItem(key: string): Promise<unknown>, setItem(key: string, value: string): Promise<void>, removeItem(key: string): Promise<void>, getKeys(base?: string): Promise<string[]> }} Storage
 * @typedef {{ key: string, from: number, to: number }} Part the events of one write
 */

/** In front of what is written: unstorage reads what looks like JSON as JSON, and drops keys on the way. */
const MARK = "events ";
/** Events that a log begins with. */
const BEGINNINGS = new Set(["SESSION_CREATED", "CHECKPOINT"]);

/**
 * @param {Storage} storage
 * @param {{ base?: string }} [options] base: in front of all keys; default `context-projector`
 * @returns {Required<AgentSessionStore>}
 */
export function unstorageStore(storage, { base = "context-projector" } = {}) {
  if (typeof storage?.setItem !== "function" || typeof storage.getKeys !== "function") throw failure("invalid_option", "storage", "must be a storage of unstorage");

  /** Ids become digests: no driver's rules for keys matter. @param {string} sessionId */
  async function placeOf(sessionId) {
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(checkedId(sessionId))));
    return `${base}:${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  }

  /** The parts of a session in order. @param {string} place @returns {Promise<Part[]>} */
  async function partsOf(place) {
    const keys = await storage.getKeys(place);
    const parts = keys.flatMap((key) => {
      const range = /:(\d+)-(\d+)$/.exec(key);
      return range === null ? [] : [{ key, from: Number(range[1]), to: Number(range[2]) }];
    });
    return parts.sort((one, other) => one.to - other.to || one.from - other.from);
  }

  /** @param {string} key @returns {Promise<{ sessionId: string, events: SessionEvent[] } | null>} */
  async function read(key) {
    const value = await storage.getItem(key);
    if (value === null || value === undefined) return null;
    if (typeof value !== "string" || !value.startsWith(MARK)) throw failure("invalid_snapshot", key, "is no part of a session");
    return JSON.parse(value.slice(MARK.length));
  }

  /** @param {string} place @param {string} sessionId @param {readonly SessionEvent[]} events @returns {Promise<string>} the key */
  async function put(place, sessionId, events) {
    const key = `${place}:${events[0]?.sequence ?? 0}-${lastOf(events)}`;
    await storage.setItem(key, MARK + JSON.stringify({ sessionId, events }));
    return key;
  }

  /** Events, and where they were: a session that was saved whole is in one part, and what stood before it may still be there. @param {string} place */
  async function eventsOf(place) {
    const parts = await partsOf(place);
    const contents = (await Promise.all(parts.map(({ key }) => read(key)))).flatMap((content) => content ?? []);
    const whole = contents.map(({ events: [first] }) => BEGINNINGS.has(first?.type ?? "")).lastIndexOf(true);
    return { parts, sessionId: contents[0]?.sessionId ?? null, events: contents.slice(Math.max(0, whole)).flatMap(({ events }) => events) };
  }

  return {
    async save(snapshot, expectedSequence) {
      const { sessionId } = snapshot.metadata;
      const place = await placeOf(sessionId);
      const { parts } = await eventsOf(place);
      const there = parts.at(-1)?.to ?? 0;
      if (expectedSequence !== undefined && there !== expectedSequence) throw conflict(there, expectedSequence);
      const key = await put(place, sessionId, snapshot.events);
      for (const part of parts) if (part.key !== key) await storage.removeItem(part.key);
    },
    async append(sessionId, afterSequence, events) {
      const place = await placeOf(sessionId);
      const parts = await partsOf(place);
      checkAppend(parts.at(-1)?.to ?? 0, afterSequence, events);
      if (events.length === 0) return;
      const key = await put(place, sessionId, events);
      // Another writer who began at the same event is seen now: this one gives way.
      const others = (await partsOf(place)).filter((part) => part.key !== key && part.to > afterSequence);
      if (others.length > 0) {
        await storage.removeItem(key);
        throw conflict(/** @type {Part} */ (others.at(-1)).to, afterSequence);
      }
    },
    async load(sessionId) {
      const { events } = await eventsOf(await placeOf(sessionId));
      return events.length === 0 ? null : journal(sessionId, events);
    },
    async delete(sessionId) {
      const parts = await partsOf(await placeOf(sessionId));
      for (const { key } of parts) await storage.removeItem(key);
      return parts.length > 0;
    },
    async listSessionIds() {
      const keys = await storage.getKeys(base);
      /** One part of each session. @type {Map<string, string>} */
      const firsts = new Map();
      for (const key of keys) if (/:\d+-\d+$/.test(key)) firsts.set(key.slice(0, key.lastIndexOf(":")), key);
      const contents = await Promise.all([...firsts.values()].map(read));
      return contents.flatMap((content) => content?.sessionId ?? []).sort();
    },
  };
}
