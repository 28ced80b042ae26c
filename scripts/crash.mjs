// `npm run crash -- --store file --kills 1000`: kills a writer with SIGKILL at a random moment, again and again, and looks whether
// every save that was acknowledged is there.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { STORES, openStore } from "./crash-stores.mjs";
import { postgres } from "./lib/postgres.mjs";
import { CommandError, root, runMain } from "./lib/run.mjs";

/**
 * Runs a writer and kills it.
 * @param {string[]} args
 * @param {number} delay in milliseconds after its first acknowledged save
 * @returns {Promise<number>} the last acknowledged sequence; 0 where there was none
 */
function killed(args, delay) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, "scripts", "crash-writer.mjs"), ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let told = "";
    let complaint = "";
    child.stderr.on("data", (chunk) => (complaint += chunk));
    child.stdout.on("data", (chunk) => {
      if (told === "") setTimeout(() => child.kill("SIGKILL"), delay);
      told += chunk;
    });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (signal !== "SIGKILL") reject(new CommandError(`the writer ended by itself with ${code ?? signal}: ${complaint}`));
      // A line without an end was not written whole.
      else resolve(Number(told.split("\n").at(-2) ?? 0));
    });
  });
}

/**
 * @param {string} name
 * @param {number} kills
 * @param {(line: string) => void} say
 */
export async function crash(name, kills, say) {
  const { AgentSession } = createRequire(import.meta.url)(join(root, "pkg"));
  const server = name === "postgresql" ? await postgres() : null;
  if (name === "postgresql" && server === null) throw new CommandError("no PostgreSQL server is installed here");
  const place = server?.place ?? mkdtempSync(join(tmpdir(), "context-projector-crash-"));
  const sum = { kills: 0, acknowledged: 0, losses: 0, unreadable: 0, torn: 0 };
  process.removeAllListeners("warning");
  process.on("warning", (warning) => (sum.torn += Number(/** @type {any} */ (warning).code === "CONTEXT_PROJECTOR_TORN")));
  try {
    const sessions = Math.max(1, Math.ceil(kills / 25));
    for (let n = 0; n < kills; n += 1) {
      const sessionId = `session ${n % sessions}`;
      const store = await openStore(name, place);
      const before = (await AgentSession.resume(store, sessionId))?.sequence ?? 0;
      const last = await killed([name, place, sessionId], Math.random() * 60);
      sum.kills += 1;
      sum.acknowledged += Math.max(0, last - before);
      try {
        const there = (await AgentSession.resume(store, sessionId))?.sequence ?? 0;
        if (there < last) {
          sum.losses += last - there;
          say(`lost: ${last} was acknowledged, ${there} is there`);
        }
      } catch (error) {
        sum.unreadable += 1;
        say(`unreadable: ${error}`);
      }
      if (n % 100 === 99) say(`${n + 1} of ${kills}`);
    }
  } finally {
    await server?.stop();
    rmSync(place, { recursive: true, force: true });
  }
  return sum;
}

if (process.argv[1] === join(root, "scripts", "crash.mjs")) {
  await runMain(async () => {
    const { values } = parseArgs({ options: { store: { type: "string", default: "file" }, kills: { type: "string", default: "100" } } });
    if (!/^[1-9]\d*$/.test(values.kills)) throw new CommandError(`--kills takes a whole number of at least 1, and "${values.kills}" is none`);
    await build("release");
    // A wrong name is told before anything is done.
    if (!STORES.includes(values.store)) throw new CommandError(`--store takes one of ${STORES.join(", ")}, and "${values.store}" is none`);
    const { kills, acknowledged, losses, unreadable, torn } = await crash(values.store, Number(values.kills), console.log);
    console.log(`store ${values.store}: ${kills} kills, ${acknowledged} acknowledged appends, ${losses} losses, ${unreadable} unreadable, ${torn} torn lines left out`);
    if (losses + unreadable > 0) throw new CommandError("something that was acknowledged is gone");
  });
}
