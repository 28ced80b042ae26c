// Sessions in IndexedDB: a row an event, keyed by session and sequence. An append is one transaction, so all of its events are
// there or none, and two tabs cannot both be the next.

import { openDB } from "idb";
import { checkAppend, checkedId, conflict, journal } from "./shared.js";

/**
 * @typedef {import("../types.d.ts").AgentSessionStore} AgentSessionStore
 * @typedef {import("../types.d.ts").SessionEvent} SessionEvent
 * @typedef {import("idb").IDBPTransaction<unknown, ["events"], "readwrite">} Writing
 */

/** The form of the database. */
const VERSION = 1;

/**
 * @param {{ name?: string }} [options] name: of the database; default `context-projector`
 * @returns {Required<AgentSessionStore>}
 */
export function indexedDbStore({ name = "context-projector" } = {}) {
  /** @type {Promise<import("idb").IDBPDatabase> | null} */
  let opening = null;
  const open = () => {
    opening ??= openDB(name, VERSION, {
      upgrade: (database) => void database.createObjectStore("events", { keyPath: ["session", "sequence"] }),
      // Another tab has a later version to open, or the browser closes it: the next call opens anew.
      blocking: (_, __, event) => /** @type {IDBDatabase} */ (event.target).close(),
      terminated: () => void (opening = null),
    }).catch((error) => {
      opening = null;
      throw error;
    });
    return opening;
  };
  /** All rows of a session. @param {string} id */
  const rowsOf = (id) => IDBKeyRange.bound([id, 0], [id, Number.MAX_SAFE_INTEGER]);

  /**
   * One transaction: what throws in it leaves nothing behind.
   * @template T
   * @param {(writing: Writing) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async function writing(work) {
    const transaction = (await open()).transaction(["events"], "readwrite", { durability: "strict" });
    try {
      const answer = await work(/** @type {any} */ (transaction));
      await transaction.done;
      return answer;
    } catch (thrown) {
      transaction.done.catch(() => {});
      try {
        transaction.abort();
      } catch {
        // It has ended by itself.
      }
      throw thrown;
    }
  }

  /** @param {Writing} transaction @param {string} id */
  async function last(transaction, id) {
    const cursor = await transaction.objectStore("events").openKeyCursor(rowsOf(id), "prev");
    return cursor === null ? 0 : Number(/** @type {any} */ (cursor.primaryKey)[1]);
  }

  /** @param {Writing} transaction @param {string} id @param {readonly SessionEvent[]} events */
  async function put(transaction, id, events) {
    const rows = transaction.objectStore("events");
    await Promise.all(events.map((event) => rows.put({ session: id, sequence: event.sequence, text: JSON.stringify(event) })));
  }

  return {
    async save(snapshot, expectedSequence) {
      const id = checkedId(snapshot.metadata.sessionId);
      await writing(async (transaction) => {
        const there = await last(transaction, id);
        if (expectedSequence !== undefined && there !== expectedSequence) throw conflict(there, expectedSequence);
        await transaction.objectStore("events").delete(rowsOf(id));
        await put(transaction, id, snapshot.events);
      });
    },
    async append(sessionId, afterSequence, events) {
      const id = checkedId(sessionId);
      await writing(async (transaction) => {
        checkAppend(await last(transaction, id), afterSequence, events);
        await put(transaction, id, events);
      });
    },
    async load(sessionId) {
      const id = checkedId(sessionId);
      const rows = await (await open()).getAll("events", rowsOf(id));
      return rows.length === 0 ? null : journal(id, rows.map(({ text }) => JSON.parse(text)));
    },
    async delete(sessionId) {
      const id = checkedId(sessionId);
      return writing(async (transaction) => {
        const isThere = (await last(transaction, id)) > 0;
        await transaction.objectStore("events").delete(rowsOf(id));
        return isThere;
      });
    },
    async listSessionIds() {
      /** @type {string[]} */
      const ids = [];
      const rows = (await open()).transaction("events").store;
      let cursor = await rows.openKeyCursor();
      while (cursor !== null) {
        const [id] = /** @type {any} */ (cursor.primaryKey);
        ids.push(id);
        // To the first row of the next session.
        cursor = await cursor.continue([id, Infinity]);
      }
      return ids.sort();
    },
  };
}
