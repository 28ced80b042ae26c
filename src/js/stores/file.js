// Sessions in a folder: one journal a session, an event a line. Appending writes what is new and waits until the disk has it;
// saving whole writes another file and puts it in the place of the old one. A name is a digest of the id, never the id itself.
//
// A writer holds a lock file while it writes. One that was killed leaves it behind; the next writer sees that its process is gone.

import { createHash } from "node:crypto";
import { mkdir, open, readFile, readdir, rename, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { failure } from "../shared/errors.js";
import { checkAppend, checkedId, conflict, journal, lastOf } from "./shared.js";

/**
 * @typedef {import("../types.d.ts").AgentSessionStore} AgentSessionStore
 * @typedef {import("../types.d.ts").SessionEvent} SessionEvent
 * @typedef {{ sessionId: string, events: SessionEvent[], bytes: number, torn: number }} Journal bytes: up to the last whole line; torn: what follows
 */

const FORMAT = "context-projector/journal";
const ENDING = ".journal";
/** A lock whose holder is on another machine, or cannot be told, is broken after so long. */
const STALE_MS = 30_000;
const WAIT_MS = 10_000;

/**
 * @param {string} folder made where it is not there
 * @returns {Required<AgentSessionStore>}
 */
export function fileStore(folder) {
  if (typeof folder !== "string" || folder === "") throw failure("invalid_option", "folder", "must be the path of a folder");
  const fileOf = (/** @type {string} */ sessionId) => join(folder, createHash("sha256").update(checkedId(sessionId)).digest("hex") + ENDING);

  /** @template T @param {string} sessionId @param {(file: string) => Promise<T>} work @returns {Promise<T>} */
  async function locked(sessionId, work) {
    const file = fileOf(sessionId);
    await mkdir(folder, { recursive: true });
    const unlock = await lock(`${file}.lock`);
    try {
      return await work(file);
    } finally {
      await unlock();
    }
  }

  return {
    save: (snapshot, expectedSequence) =>
      locked(snapshot.metadata.sessionId, async (file) => {
        const there = lastOf((await read(file))?.events ?? []);
        if (expectedSequence !== undefined && there !== expectedSequence) throw conflict(there, expectedSequence);
        await replace(folder, file, snapshot.metadata.sessionId, snapshot.events);
      }),
    append: (sessionId, afterSequence, events) =>
      locked(sessionId, async (file) => {
        const known = await read(file);
        checkAppend(lastOf(known?.events ?? []), afterSequence, events);
        if (events.length === 0) return;
        if (known === null) return replace(folder, file, sessionId, events);
        if (known.torn > 0) await truncate(file, known.bytes);
        await append(file, lines(events));
      }),
    async load(sessionId) {
      const known = await read(fileOf(sessionId));
      if (known === null) return null;
      if (known.torn > 0) process.emitWarning(`the last line of a session's journal was torn, ${known.torn} bytes: left out`, { code: "CONTEXT_PROJECTOR_TORN" });
      return journal(known.sessionId, known.events);
    },
    delete: (sessionId) =>
      locked(sessionId, async (file) => {
        const isThere = (await read(file)) !== null;
        await rm(file, { force: true });
        return isThere;
      }),
    async listSessionIds() {
      const names = await readdir(folder).catch(absent([]));
      const ids = await Promise.all(names.filter((name) => name.endsWith(ENDING)).map((name) => idOf(join(folder, name))));
      return ids.filter((id) => id !== null).sort();
    },
  };
}

/** @param {readonly SessionEvent[]} events */
const lines = (events) => events.map((event) => `${JSON.stringify(event)}\n`).join("");

/** Answers a default where a file is not there. @template T @param {T} value @returns {(error: any) => T} */
const absent = (value) => (error) => {
  if (error.code !== "ENOENT") throw error;
  return value;
};

/** @param {string} file @returns {Promise<Journal | null>} */
async function read(file) {
  const content = await readFile(file).catch(absent(null));
  if (content === null) return null;
  const end = content.lastIndexOf(10) + 1;
  const [head = "", ...rest] = content.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
  const { format, sessionId } = parsed(head, file, 1);
  if (format !== FORMAT) throw failure("invalid_snapshot", file, "is no journal of a session");
  const events = rest.map((line, index) => parsed(line, file, index + 2));
  return { sessionId, events, bytes: end, torn: content.length - end };
}

/** @param {string} line @param {string} file @param {number} number */
function parsed(line, file, number) {
  try {
    return JSON.parse(line);
  } catch {
    throw failure("invalid_snapshot", file, `line ${number} is no JSON`);
  }
}

/** The id of a journal's session. @param {string} file @returns {Promise<string | null>} */
async function idOf(file) {
  const known = await read(file).catch(() => null);
  return known?.sessionId ?? null;
}

/** @param {string} file @param {string} text */
async function append(file, text) {
  const handle = await open(file, "a");
  try {
    await handle.appendFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Writes a journal whole: into a file of its own that takes the other's place when the disk has it.
 * @param {string} folder
 * @param {string} file
 * @param {string} sessionId
 * @param {readonly SessionEvent[]} events
 */
async function replace(folder, file, sessionId, events) {
  const fresh = `${file}.new`;
  await rm(fresh, { force: true });
  await append(fresh, `${JSON.stringify({ format: FORMAT, version: 1, sessionId })}\n${lines(events)}`);
  await rename(fresh, file);
  await syncFolder(folder);
}

/** The name is on the disk, too. Windows opens no folders. @param {string} folder */
async function syncFolder(folder) {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Takes a lock. Answers the function that gives it back.
 * @param {string} file
 * @returns {Promise<() => Promise<void>>}
 */
async function lock(file) {
  const begun = Date.now();
  for (;;) {
    const handle = await open(file, "wx").catch((error) => {
      if (error.code !== "EEXIST") throw error;
      return null;
    });
    if (handle !== null) {
      await handle.writeFile(String(process.pid));
      await handle.close();
      return () => rm(file, { force: true });
    }
    if (await isLeft(file)) {
      // Whoever moves it away first has broken it; the others find nothing.
      const broken = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
      await rename(file, broken).then(
        () => rm(broken, { force: true }),
        absent(undefined),
      );
      continue;
    }
    if (Date.now() - begun > WAIT_MS) throw failure("conflict", "sessionId", "another writer has held the session for too long");
    await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 10));
  }
}

/** Whether a lock's holder is gone. @param {string} file */
async function isLeft(file) {
  const [text, age] = await Promise.all([readFile(file, "utf8").catch(absent("")), stat(file).then(({ mtimeMs }) => Date.now() - mtimeMs, absent(0))]);
  const holder = Number(text);
  if (Number.isSafeInteger(holder) && holder > 0) {
    if (holder === process.pid) return false;
    try {
      process.kill(holder, 0);
    } catch (error) {
      return /** @type {any} */ (error).code === "ESRCH";
    }
    return age > STALE_MS;
  }
  // Killed between making the file and writing into it.
  return age > 1_000;
}
