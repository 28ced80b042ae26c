// The types of context-projector/stores/sql. In the package, the project's types stand beside these.

import type { AgentSessionStore } from "../../types.d.ts";

/** What is used of a `Database` of better-sqlite3. */
export interface SqliteLike {
  prepare(sql: string): unknown;
  exec(sql: string): unknown;
  transaction(work: (...given: any[]) => unknown): unknown;
  readonly inTransaction: boolean;
}

/** What is used of a `Pool` or a connected `Client` of pg. */
export interface PostgresLike {
  query(sql: string, values?: any[]): Promise<unknown>;
  connect(): Promise<unknown>;
}

/**
 * Sessions in SQLite (`better-sqlite3`) or PostgreSQL (`pg`): a row an event, one transaction a save. The tables are made, and
 * brought to the newest version, by themselves. Of two writers of a session the second is told (`conflict`).
 *
 * @example
 * ```ts
 * import { AgentSession } from "context-projector";
 * import { sqlStore, type PostgresLike } from "context-projector/stores/sql";
 *
 * declare const pool: PostgresLike; // new pg.Pool()
 *
 * const session = new AgentSession({ store: sqlStore(pool, { table: "sessions" }) });
 * session.addUserInput("Hello");
 * await session.save();
 * ```
 *
 * @param options `table`: of the events, a plain name; default `context_projector_events`
 * @throws {ContextProjectorError} `invalid_option` at `database` or `options.table`
 */
export function sqlStore(database: SqliteLike | PostgresLike, options?: { table?: string }): Required<AgentSessionStore>;
