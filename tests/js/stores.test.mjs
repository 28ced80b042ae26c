// Stores: one set of tests for all of them, and what each has of its own.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { createStorage } from "unstorage";
import fsDriver from "unstorage/drivers/fs";
import redisDriver from "unstorage/drivers/redis";
import { packageFolder, pkg } from "./load.mjs";
import { postgres } from "../../scripts/lib/postgres.mjs";
import { redis } from "../../scripts/lib/redis.mjs";

/** @typedef {import("../../src/js/types.d.ts").AgentSessionStore} Store */

const require = createRequire(import.meta.url);
const { memoryStore } = require(join(packageFolder, "store-memory.cjs"));
const { fileStore } = require(join(packageFolder, "store-file.cjs"));
const { webStorageStore } = require(join(packageFolder, "store-web-storage.cjs"));
const { unstorageStore } = require(join(packageFolder, "store-unstorage.cjs"));
const { sqlStore } = require(join(packageFolder, "store-sql.cjs"));
const { AgentSession } = pkg;

/** @type {string[]} */
const folders = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
function folder() {
  const made = mkdtempSync(join(tmpdir(), "context-projector-store-"));
  folders.push(made);
  return made;
}

/** What a browser's Storage does, with a quota. Chromium's own is tested in the browser. */
class FakeStorage {
  /** @type {Map<string, string>} */
  #map = new Map();
  quota = Infinity;
  get length() {
    return this.#map.size;
  }
  key(/** @type {number} */ index) {
    return [...this.#map.keys()][index] ?? null;
  }
  getItem(/** @type {string} */ key) {
    return this.#map.get(key) ?? null;
  }
  setItem(/** @type {string} */ key, /** @type {string} */ value) {
    const others = [...this.#map].filter(([known]) => known !== key).reduce((sum, [known, text]) => sum + known.length + text.length, 0);
    if (others + key.length + value.length > this.quota) throw Object.assign(new Error("full"), { name: "QuotaExceededError" });
    this.#map.set(key, value);
  }
  removeItem(/** @type {string} */ key) {
    this.#map.delete(key);
  }
}

/** Each makes a store and another writer's view of the same storage. @type {Record<string, () => [Required<Store>, Required<Store>]>} */
const stores = {
  memory() {
    const store = memoryStore();
    return [store, store];
  },
  file() {
    const place = join(folder(), "not/yet");
    return [fileStore(place), fileStore(place)];
  },
  "web-storage"() {
    const storage = new FakeStorage();
    return [webStorageStore(storage), webStorageStore(storage)];
  },
};

stores["unstorage, in memory"] = () => {
  const storage = createStorage();
  return [unstorageStore(storage), unstorageStore(storage)];
};
stores["unstorage, in files"] = () => {
  const place = folder();
  const open = () => unstorageStore(createStorage({ driver: /** @type {any} */ (fsDriver)({ base: place }) }));
  return [open(), open()];
};

const redisServer = await redis();
if (redisServer === null) console.log("# skipped: unstorage in Redis, since no server is installed here");
else {
  /** @type {import("unstorage").Storage[]} */
  const opened = [];
  let bases = 0;
  stores["unstorage, in Redis"] = () => {
    const base = `test-${(bases += 1)}`;
    const open = () => {
      opened.push(createStorage({ driver: /** @type {any} */ (redisDriver)({ path: redisServer.socket, base }) }));
      return unstorageStore(/** @type {any} */ (opened.at(-1)));
    };
    return [open(), open()];
  };
  after(async () => {
    await Promise.all(opened.map((storage) => storage.dispose()));
    await redisServer.stop();
  });
}

const Sqlite = await import("better-sqlite3").then(({ default: Database }) => Database, () => null);
if (Sqlite === null) console.log("# skipped: sqlite, since better-sqlite3 was not built here");
else {
  stores.sqlite = () => {
    const file = join(folder(), "sessions.db");
    return [sqlStore(new Sqlite(file)), sqlStore(new Sqlite(file))];
  };
}
const server = await postgres();
if (server === null) console.log("# skipped: postgresql, since no server is installed here");
else {
  let tables = 0;
  stores.postgresql = () => {
    const table = `events_${(tables += 1)}`;
    return [sqlStore(server.pool, { table }), sqlStore(server.pool, { table })];
  };
  after(server.stop);
}

const HOSTILE = ["../../etc/passwd", "a/b\\c", "'; DROP TABLE sessions; --", 'quo"te', "漢字 😀", "__proto__", "constructor", "x".repeat(10_000), ".", "a:b:1", "%2e%2e%2f", "\u0000", "a\nb"];

for (const [name, make] of Object.entries(stores)) {
  describe(name, () => {
    it("saves, goes on, and gives back", async () => {
      const [store, other] = make();
      const session = new AgentSession({ sessionId: "s", store, attributes: { title: "x" } });
      session.addUserInput("one");
      await session.save();
      session.addUserInput("two");
      await session.save();
      await session.save();
      const again = await AgentSession.resume(other, "s");
      assert.deepEqual(again?.getEvents(), session.getEvents());
      assert.deepEqual(again?.snapshot(), session.snapshot());
      again?.addUserInput("three");
      await again?.save();
      assert.equal((await AgentSession.resume(store, "s"))?.length, 3);
      assert.equal(await AgentSession.resume(store, "none"), null);
    });

    it("tells the second of two writers, and loses nothing", async () => {
      const [store, other] = make();
      const first = new AgentSession({ sessionId: "s", store });
      await first.save();
      const second = /** @type {import("../../src/js/types.d.ts").AgentSession} */ (await AgentSession.resume(other, "s"));
      first.addUserInput("of the first");
      await first.save();
      second.addUserInput("of the second");
      await assert.rejects(second.save(), { name: "ContextProjectorError", code: "conflict" });
      await assert.rejects(second.save(), { code: "conflict" }, "and again");
      const retry = /** @type {import("../../src/js/types.d.ts").AgentSession} */ (await AgentSession.resume(other, "s"));
      retry.addUserInput("of the second");
      await retry.save();
      const texts = JSON.stringify((await AgentSession.resume(store, "s"))?.getMemory().getItems());
      assert.ok(texts.includes("of the first") && texts.includes("of the second"));
      await assert.rejects(new AgentSession({ sessionId: "s", store }).save(), { code: "conflict" }, "a new session of the same id");
      await assert.rejects(store.save(first.snapshot(), 1), { code: "conflict" });
      await store.save(first.snapshot());
    });

    it("takes a pruned session whole", async () => {
      const [store, other] = make();
      const session = new AgentSession({ sessionId: "s", store });
      for (let n = 0; n < 10; n += 1) session.addUserInput(`m${n}`);
      await session.save();
      session.prune(8);
      await session.save();
      session.addUserInput("more");
      await session.save();
      const again = await AgentSession.resume(other, "s");
      assert.deepEqual(again?.getEvents(), session.getEvents());
      assert.equal(again?.getEvents()[0]?.type, "CHECKPOINT");
    });

    it("keeps sessions of every id apart", async () => {
      const [store] = make();
      for (const sessionId of HOSTILE) {
        const session = new AgentSession({ sessionId, store });
        session.addUserInput(`of ${sessionId}`);
        await session.save();
      }
      assert.deepEqual(await store.listSessionIds(), [...HOSTILE].sort());
      for (const sessionId of HOSTILE) {
        const again = await AgentSession.resume(store, sessionId);
        assert.equal(again?.sessionId, sessionId);
        assert.equal(again?.length, 1);
      }
      assert.equal(await store.delete(/** @type {string} */ (HOSTILE[0])), true);
      assert.equal(await store.delete(/** @type {string} */ (HOSTILE[0])), false);
      assert.equal(await store.load(/** @type {string} */ (HOSTILE[0])), null);
      assert.equal((await store.listSessionIds()).length, HOSTILE.length - 1);
      for (const wrong of ["", 5, null]) await assert.rejects(async () => store.load(/** @type {any} */ (wrong)), { code: "invalid_option", path: "sessionId" });
    });

    it("saves in order, whatever is asked at once", async () => {
      const [store] = make();
      const session = new AgentSession({ sessionId: "s", store });
      const saves = [];
      for (let n = 0; n < 20; n += 1) {
        session.addUserInput(`m${n}`);
        saves.push(session.save());
      }
      await Promise.all(saves);
      assert.deepEqual((await AgentSession.resume(store, "s"))?.getEvents(), session.getEvents());
    });
  });
}

describe("the file store", () => {
  const journalOf = (/** @type {string} */ place) => join(place, readdirSync(place).find((name) => name.endsWith(".journal")) ?? "");

  it("appends what is new, and nothing else", async () => {
    const place = folder();
    const session = new AgentSession({ sessionId: "s", store: fileStore(place) });
    session.addUserInput("x".repeat(100_000));
    await session.save();
    const before = readFileSync(journalOf(place));
    session.addUserInput("y");
    await session.save();
    const now = readFileSync(journalOf(place));
    assert.ok(now.subarray(0, before.length).equals(before));
    assert.ok(now.length - before.length < 300);
    assert.deepEqual(readdirSync(place).length, 1, "no lock and no file beside it is left");
  });

  it("leaves a torn last line out, says so, and goes on behind the whole ones", async () => {
    const place = folder();
    const store = fileStore(place);
    const session = new AgentSession({ sessionId: "s", store });
    session.addUserInput("whole");
    await session.save();
    const size = statSync(journalOf(place)).size;
    appendFileSync(journalOf(place), '{"sequence":3,"recordedAt');
    /** @type {any[]} */
    const warnings = [];
    const heard = (/** @type {Error} */ warning) => warnings.push(warning);
    process.on("warning", heard);
    const again = /** @type {import("../../src/js/types.d.ts").AgentSession} */ (await AgentSession.resume(store, "s"));
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", heard);
    assert.equal(warnings.find(({ code }) => code === "CONTEXT_PROJECTOR_TORN")?.message, "the last line of a session's journal was torn, 25 bytes: left out");
    assert.equal(again.length, 1);
    again.addUserInput("next");
    await again.save();
    assert.ok(statSync(journalOf(place)).size > size);
    assert.equal((await AgentSession.resume(store, "s"))?.length, 2);
  });

  it("breaks the lock of a writer that is gone, and waits for one that is there", async () => {
    const place = folder();
    const store = fileStore(place);
    const session = new AgentSession({ sessionId: "s", store });
    await session.save();
    const child = spawn(process.execPath, ["-e", ""]);
    await new Promise((resolve) => child.on("exit", resolve));
    writeFileSync(`${journalOf(place)}.lock`, String(child.pid));
    session.addUserInput("x");
    await session.save();
    writeFileSync(`${journalOf(place)}.lock`, String(process.pid));
    setTimeout(() => rmSync(`${journalOf(place)}.lock`), 60);
    session.addUserInput("y");
    const begun = performance.now();
    await session.save();
    assert.ok(performance.now() - begun > 40);
    assert.equal((await AgentSession.resume(store, "s"))?.length, 2);
  });

  it("says which line of a file is none of its own", async () => {
    const place = folder();
    const store = fileStore(place);
    const session = new AgentSession({ sessionId: "s", store });
    session.addUserInput("x");
    await session.save();
    const file = journalOf(place);
    const [head, ...rest] = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, [head, "{broken", ...rest.slice(1)].join("\n"));
    await assert.rejects(AgentSession.resume(store, "s"), { code: "invalid_snapshot" });
    writeFileSync(file, '{"format":"other"}\n');
    await assert.rejects(AgentSession.resume(store, "s"), { code: "invalid_snapshot" });
    assert.throws(() => fileStore(""), { code: "invalid_option", path: "folder" });
  });
});

describe("the sql store", () => {
  it("takes a plain name for its table, and a database it knows", () => {
    for (const table of ["a b", "a;drop", "", "1a", "x".repeat(42)]) assert.throws(() => sqlStore({ prepare() {}, transaction() {} }, { table }), { code: "invalid_option", path: "options.table" });
    assert.throws(() => sqlStore({}), { code: "invalid_option", path: "database" });
  });

  it("knows tables of a later version, and leaves them alone", { skip: Sqlite === null && "no better-sqlite3" }, async () => {
    const database = new /** @type {any} */ (Sqlite)(join(folder(), "later.db"));
    const store = sqlStore(database, { table: "t" });
    assert.deepEqual(await store.listSessionIds(), []);
    database.exec("INSERT INTO t_version (version) VALUES (99)");
    await assert.rejects(sqlStore(database, { table: "t" }).listSessionIds(), { code: "unsupported_version" });
  });
});

describe("the web storage", () => {
  it("over quota says so and keeps the last good state", async () => {
    const storage = new FakeStorage();
    const store = webStorageStore(storage);
    const session = new AgentSession({ sessionId: "s", store });
    session.addUserInput("small");
    await session.save();
    storage.quota = 2_000;
    session.addUserInput("x".repeat(5_000));
    await assert.rejects(session.save(), { name: "QuotaExceededError" });
    assert.equal((await AgentSession.resume(store, "s"))?.length, 1);
    storage.quota = 20_000;
    await session.save();
    assert.equal((await AgentSession.resume(store, "s"))?.length, 2);
    assert.throws(() => webStorageStore(/** @type {any} */ ({})), { code: "invalid_option", path: "storage" });
  });
});
