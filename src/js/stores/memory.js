// A store in this process: for tests, and for what need not outlive it.

import { checkAppend, checkedId, conflict, journal, lastOf } from "./shared.js";

/**
 * @typedef {import("../types.d.ts").AgentSessionStore} AgentSessionStore
 * @typedef {import("../types.d.ts").SessionEvent} SessionEvent
 */

/** @returns {Required<AgentSessionStore>} */
export function memoryStore() {
  /** Events as text, by session: what is stored shares nothing with who stored it. @type {Map<string, { sequence: number, text: string }[]>} */
  const sessions = new Map();
  const rows = (/** @type {readonly SessionEvent[]} */ events) => events.map((event) => ({ sequence: event.sequence, text: JSON.stringify(event) }));
  return {
    async save(snapshot, expectedSequence) {
      const id = checkedId(snapshot.metadata.sessionId);
      const there = lastOf(sessions.get(id) ?? []);
      if (expectedSequence !== undefined && there !== expectedSequence) throw conflict(there, expectedSequence);
      sessions.set(id, rows(snapshot.events));
    },
    async append(sessionId, afterSequence, events) {
      const id = checkedId(sessionId);
      const known = sessions.get(id) ?? [];
      checkAppend(lastOf(known), afterSequence, events);
      if (events.length > 0) sessions.set(id, [...known, ...rows(events)]);
    },
    async load(sessionId) {
      const known = sessions.get(checkedId(sessionId));
      return known === undefined ? null : journal(sessionId, known.map(({ text }) => JSON.parse(text)));
    },
    delete: async (sessionId) => sessions.delete(checkedId(sessionId)),
    listSessionIds: async () => [...sessions.keys()].sort(),
  };
}
