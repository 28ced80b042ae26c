// A PostgreSQL server for tests alone, in a temporary folder; none where none is installed.

import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";

/** The folder of the newest server's programs. @returns {string | null} */
function programs() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((one, other) => Number(other) - Number(one)) : [];
  const folders = [...versions.map((version) => join(debian, version, "bin")), ...(process.env.PATH ?? "").split(":")];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres"))) ?? null;
}

/** PostgreSQL refuses to run as root. @returns {{ uid: number, gid: number } | {} | null} */
function user() {
  if (process.getuid?.() !== 0) return {};
  try {
    const id = (/** @type {string} */ flag) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
    return { uid: id("-u"), gid: id("-g") };
  } catch {
    return null;
  }
}

/** @returns {Promise<{ pool: import("pg").Pool, place: string, stop: () => Promise<void> } | null>} */
export async function postgres() {
  const folder = programs();
  const as = user();
  if (folder === null || as === null) return null;
  const place = mkdtempSync(join(tmpdir(), "context-projector-postgres-"));
  if ("uid" in as) chownSync(place, as.uid, as.gid);
  const data = join(place, "data");
  execFileSync(join(folder, "initdb"), ["-D", data, "-U", "tests", "--auth=trust", "-E", "UTF8", "--locale=C", "-N"], { ...as, cwd: place, stdio: "ignore" });
  // Reached by a socket in the folder: no port is taken.
  const child = spawn(join(folder, "postgres"), ["-D", data, "-k", place, "-c", "listen_addresses="], { ...as, cwd: place, stdio: "ignore" });
  const pool = new pg.Pool({ host: place, user: "tests", database: "postgres", max: 4 });
  pool.on("error", () => {});
  for (let attempt = 0; ; attempt += 1) {
    try {
      await pool.query("SELECT 1");
      break;
    } catch (error) {
      if (attempt > 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return {
    pool,
    place,
    async stop() {
      await pool.end();
      const ended = new Promise((resolve) => child.on("exit", resolve));
      child.kill("SIGINT");
      await ended;
      rmSync(place, { recursive: true, force: true });
    },
  };
}
