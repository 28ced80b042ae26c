// The stores that outlive a process, opened at a place: a folder, or the folder of a server's socket.

import { createRequire } from "node:module";
import { join } from "node:path";
import { CommandError, root } from "./lib/run.mjs";

const require = createRequire(import.meta.url);

/** @type {Record<string, (place: string) => Promise<import("../src/js/types.d.ts").AgentSessionStore>>} */
const stores = {
  file: async (place) => require(join(root, "pkg", "store-file.cjs")).fileStore(place),
  sqlite: async (place) => {
    const { default: Database } = await import("better-sqlite3");
    return require(join(root, "pkg", "store-sql.cjs")).sqlStore(new Database(join(place, "sessions.db")));
  },
  postgresql: async (place) => {
    const { default: pg } = await import("pg");
    const pool = new pg.Pool({ host: place, user: "tests", database: "postgres", max: 1, idleTimeoutMillis: 10, allowExitOnIdle: true });
    // Idle when the server is stopped.
    pool.on("error", () => {});
    return require(join(root, "pkg", "store-sql.cjs")).sqlStore(pool);
  },
};

export const STORES = Object.keys(stores);

/** @param {string} name @param {string} place */
export async function openStore(name, place) {
  const open = stores[name];
  if (open === undefined) throw new CommandError(`there is no store "${name}"`);
  return open(place);
}
