// The packed package in Node.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { publicNames } from "../../scripts/lib/package.mjs";
import { assertExercise, project, write } from "./helpers.mjs";

const { folder, installed } = await project();
const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
const names = (await publicNames()).sort();
// A real module of the project, so that both ways of loading start from there.
write(folder, "load.js", `export const load = (name) => import(name); export { exercise } from "./exercise.js";`);
const { load, exercise } = await import(pathToFileURL(join(folder, "load.js")).href);
const requires = createRequire(join(folder, "load.js"));

test("import", async () => {
  const api = await load("context-projector");
  assert.deepEqual(Object.keys(api).sort(), names);
  assertExercise(exercise(api));
});

test("require", () => {
  const api = requires("context-projector");
  assert.deepEqual(Object.keys(api).sort(), names);
  assertExercise(exercise(api));
});

test("import and require share one instance", async () => {
  const [imported, required] = [await load("context-projector"), requires("context-projector")];
  for (const name of names) assert.equal(imported[name], required[name], name);
});

test("require needs no ES module", () => {
  const code = `const { project } = require("context-projector"); console.log(project([], {}).items.length)`;
  // Older versions of Node know neither the flag nor the feature.
  const flags = process.allowedNodeEnvironmentFlags.has("--no-experimental-require-module") ? ["--no-experimental-require-module"] : [];
  assert.equal(execFileSync(process.execPath, [...flags, "-e", code], { cwd: folder, encoding: "utf8" }), "0\n");
});

test("the folder alone can be required", () => {
  assert.equal(requires(installed), requires("context-projector"));
});

test("slim, with the wasm loaded by the user", async () => {
  const slim = await load("context-projector/slim");
  const bytes = readFileSync(requires.resolve("context-projector/context_projector_bg.wasm"));
  slim.initSync({ module: bytes });
  assertExercise(exercise(slim));
});

test("import of transcripts, in both ways", { skip: manifest.exports["./import"] === undefined && "not built yet" }, async () => {
  const written = await import("../../src/js/import/index.js");
  // The declarations are written by hand: the type check of these lines holds them against the code. Results only of the
  // second, whose signal is declared by what is used of it, since users need not have the type AbortSignal.
  /** @typedef {typeof import("../../src/js/entries/import.d.ts")} Declared */
  /** @type {Declared["importTranscript"]} */
  const plain = written.importTranscript;
  /** @type {(text: string) => ReturnType<Declared["importTranscriptWithProgress"]>} */
  const slow = written.importTranscriptWithProgress;
  assert.ok(plain !== undefined && slow !== undefined);
  for (const api of [await load("context-projector/import"), requires("context-projector/import")]) {
    assert.deepEqual(Object.keys(api).sort(), Object.keys(written).sort());
    const { items, dialect, problems } = api.importTranscript('{"role":"user","content":"hello"}\n{"role":"assistant","content":"hi"}\n');
    assert.deepEqual([items.length, typeof dialect, problems], [2, "string", []]);
    assert.equal((await api.importTranscriptWithProgress('[{"role":"user","content":"hello"}]')).items.length, 1);
  }
});

test("the stores, in both ways, with sessions of either", async () => {
  for (const [get, other] of [[load, requires], [requires, load]]) {
    const { AgentSession } = await get("context-projector");
    const stores = [(await get("context-projector/stores/memory")).memoryStore(), (await get("context-projector/stores/file")).fileStore(join(folder, `sessions-${get === load}`))];
    for (const store of stores) {
      const session = new AgentSession({ store });
      session.addUserInput("hello");
      await session.save();
      const again = await (await other("context-projector")).AgentSession.resume(store, session.sessionId);
      assert.deepEqual(again.snapshot(), session.snapshot());
    }
    // They are for browsers, and load anywhere.
    assert.equal(typeof (await get("context-projector/stores/indexed-db")).indexedDbStore(), "object");
    assert.equal(typeof (await get("context-projector/stores/web-storage")).webStorageStore, "function");
  }
});

test("the command", { skip: manifest.bin === undefined && "not built yet" }, () => {
  const cli = join(installed, manifest.bin["context-projector"]);
  assert.match(readFileSync(cli, "utf8"), /^#!\/usr\/bin\/env node\n/);
  write(folder, "chat.json", JSON.stringify([{ role: "user", content: "hello" }, { role: "assistant", content: "hi" }]));
  const said = execFileSync(process.execPath, [cli, "inspect", "chat.json", "--max-items", "1", "--json"], { cwd: folder, encoding: "utf8" });
  assert.equal(typeof JSON.parse(said), "object");
  assert.ok(existsSync(cli));
});
