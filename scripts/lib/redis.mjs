// A Redis server for tests alone, in a temporary folder; none where none is installed.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** @returns {Promise<{ socket: string, stop: () => Promise<void> } | null>} */
export async function redis() {
  const program = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "redis-server")).find((path) => existsSync(path));
  if (program === undefined) return null;
  const place = mkdtempSync(join(tmpdir(), "context-projector-redis-"));
  const socket = join(place, "socket");
  // Reached by a socket in the folder: no port is taken.
  const child = spawn(program, ["--port", "0", "--unixsocket", socket, "--dir", place, "--appendonly", "yes"], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  for (let attempt = 0; !existsSync(socket); attempt += 1) {
    if (attempt > 200 || child.exitCode !== null) throw new Error("redis-server did not open its socket");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    socket,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      rmSync(place, { recursive: true, force: true });
    },
  };
}
