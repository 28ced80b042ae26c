// Sessions in SQLite (`better-sqlite3`) or PostgreSQL (`pg`): a row an event, one transaction a save.
//
// Ids and events are values of statements, never part of their text; the table's name is, and so it is checked.

import { failure } from "../shared/errors.js";
import { checkAppend, checkedId, conflict, journal } from "./shared.js";

/**
 * @typedef {import("../types.d.ts").AgentSessionStore} AgentSessionStore
 * @typedef {import("../types.d.ts").SessionEvent} SessionEvent
 * @typedef {(sql: string, values?: readonly (string | number)[]) => Promise<Record<string, any>[]>} Query values stand for `?`
 * @typedef {{ transaction<T>(work: (query: Query) => Promise<T>, session: string): Promise<T> }} Database
 */

/** What each version of the tables adds to the one before. @type {readonly ((table: string) => string[])[]} */
const MIGRATIONS = [
  (table) => [
    `CREATE TABLE ${table}_sessions (session VARCHAR(64) PRIMARY KEY, id TEXT NOT NULL)`,
    `CREATE TABLE ${table} (session VARCHAR(64) NOT NULL, sequence BIGINT NOT NULL, event TEXT NOT NULL, PRIMARY KEY (session, sequence))`,
  ],
];

/**
 * @param {unknown} database a Database of better-sqlite3, or a Pool or Client of pg
 * @param {{ table?: string }} [options] table: of the events; default `context_projector_events`
 * @returns {Required<AgentSessionStore>}
 */
export function sqlStore(database, { table = "context_projector_events" } = {}) {
  if (typeof table !== "string" || !/^[A-Za-z_][A-Za-z0-9_]{0,40}$/.test(table)) throw failure("invalid_option", "options.table", "must be a plain name: letters, digits and _, at most 41");
  const base = databaseOf(/** @type {any} */ (database));
  /** @type {Promise<void> | null} */
  let migrated = null;

  /** @template T @param {string} session @param {(query: Query) => Promise<T>} work @returns {Promise<T>} */
  async function within(session, work) {
    migrated ??= base.transaction((query) => migrate(query, table), table).catch((error) => {
      migrated = null;
      throw error;
    });
    await migrated;
    return base.transaction(work, session);
  }

  /** @param {Query} query @param {string} session */
  async function last(query, session) {
    const [row] = await query(`SELECT MAX(sequence) AS last FROM ${table} WHERE session = ?`, [session]);
    return Number(row?.last ?? 0);
  }

  /** @param {Query} query @param {string} session @param {string} id @param {readonly SessionEvent[]} events */
  async function insert(query, session, id, events) {
    // As JSON: PostgreSQL's text takes no NUL, and an id may hold one.
    await query(`INSERT INTO ${table}_sessions (session, id) VALUES (?, ?) ON CONFLICT (session) DO NOTHING`, [session, JSON.stringify(id)]);
    for (const event of events) await query(`INSERT INTO ${table} (session, sequence, event) VALUES (?, ?, ?)`, [session, event.sequence, JSON.stringify(event)]);
  }

  return {
    async save(snapshot, expectedSequence) {
      const { sessionId } = snapshot.metadata;
      const session = await digestOf(sessionId);
      await within(session, async (query) => {
        const there = await last(query, session);
        if (expectedSequence !== undefined && there !== expectedSequence) throw conflict(there, expectedSequence);
        await query(`DELETE FROM ${table} WHERE session = ?`, [session]);
        await insert(query, session, sessionId, snapshot.events);
      });
    },
    async append(sessionId, afterSequence, events) {
      const session = await digestOf(sessionId);
      await within(session, async (query) => {
        checkAppend(await last(query, session), afterSequence, events);
        await insert(query, session, sessionId, events);
      });
    },
    async load(sessionId) {
      const session = await digestOf(sessionId);
      const rows = await within(session, (query) => query(`SELECT event FROM ${table} WHERE session = ? ORDER BY sequence`, [session]));
      return rows.length === 0 ? null : journal(sessionId, rows.map(({ event }) => JSON.parse(event)));
    },
    async delete(sessionId) {
      const session = await digestOf(sessionId);
      return within(session, async (query) => {
        const isThere = (await last(query, session)) > 0;
        await query(`DELETE FROM ${table} WHERE session = ?`, [session]);
        await query(`DELETE FROM ${table}_sessions WHERE session = ?`, [session]);
        return isThere;
      });
    },
    async listSessionIds() {
      const rows = await within("", (query) => query(`SELECT id FROM ${table}_sessions`));
      return rows.map(({ id }) => /** @type {string} */ (JSON.parse(id))).sort();
    },
  };
}

/** @param {string} sessionId */
async function digestOf(sessionId) {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(checkedId(sessionId))));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Brings the tables to the newest version. @param {Query} query @param {string} table */
async function migrate(query, table) {
  await query(`CREATE TABLE IF NOT EXISTS ${table}_version (version INTEGER NOT NULL)`);
  const [row] = await query(`SELECT MAX(version) AS version FROM ${table}_version`);
  const version = Number(row?.version ?? 0);
  if (version > MIGRATIONS.length) throw failure("unsupported_version", `${table}_version`, `is ${version}, and this library knows ${MIGRATIONS.length}: a later one made the tables`);
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (index < version) continue;
    for (const statement of migration(table)) await query(statement);
    await query(`INSERT INTO ${table}_version (version) VALUES (?)`, [index + 1]);
  }
}

/** @param {any} database @returns {Database} */
function databaseOf(database) {
  if (typeof database?.prepare === "function" && typeof database.transaction === "function") return sqlite(database);
  if (typeof database?.query === "function" && typeof database.connect === "function") return postgres(database);
  throw failure("invalid_option", "database", "must be a Database of better-sqlite3, or a Pool or Client of pg");
}

/** The transactions of a connection, one after the other: they would run into each other. @type {WeakMap<object, Promise<unknown>>} */
const turns = new WeakMap();

/** @template T @param {object} connection @param {() => Promise<T>} work @returns {Promise<T>} */
function inTurn(connection, work) {
  const turn = (turns.get(connection) ?? Promise.resolve()).then(work);
  turns.set(connection, turn.catch(() => {}));
  return turn;
}

/** @param {any} database @returns {Database} */
function sqlite(database) {
  /** @type {Query} */
  const query = async (sql, values = []) => {
    const statement = database.prepare(sql);
    if (statement.reader) return statement.all(...values);
    statement.run(...values);
    return [];
  };
  return {
    transaction: (work) =>
      inTurn(database, async () => {
        // At once a writer: two that only read first could both go on.
        database.exec("BEGIN IMMEDIATE");
        try {
          const answer = await work(query);
          database.exec("COMMIT");
          return answer;
        } catch (thrown) {
          if (database.inTransaction) database.exec("ROLLBACK");
          throw thrown;
        }
      }),
  };
}

/** @param {any} database @returns {Database} */
function postgres(database) {
  const isPool = typeof database.totalCount === "number";
  /** @param {any} client @returns {Query} */
  const queryOf = (client) => async (sql, values = []) => {
    let number = 0;
    const { rows } = await client.query(sql.replace(/\?/g, () => `$${(number += 1)}`), values);
    return rows;
  };
  /** @template T @param {any} client @param {(query: Query) => Promise<T>} work @param {string} session @returns {Promise<T>} */
  async function run(client, work, session) {
    const query = queryOf(client);
    await query("BEGIN");
    try {
      // One writer a session: the lock goes with the transaction.
      await query("SELECT pg_advisory_xact_lock(hashtext(?))", [session]);
      const answer = await work(query);
      await query("COMMIT");
      return answer;
    } catch (thrown) {
      await query("ROLLBACK").catch(() => {});
      throw thrown;
    }
  }
  return {
    async transaction(work, session) {
      if (!isPool) return inTurn(database, () => run(database, work, session));
      const client = await database.connect();
      try {
        return await run(client, work, session);
      } finally {
        client.release();
      }
    },
  };
}
