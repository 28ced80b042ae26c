// The packed package's declarations, from the side of users with strict settings.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { execute, project, write } from "./helpers.mjs";

const tsc = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
const { folder, installed } = await project();
const hasImport = existsSync(join(installed, "import.js"));

const USE = `
import { DefaultContextProjector, TypeAwareContextProjector, project, projectJson } from "context-projector";
import type { ContextBudget, ContextProjection, ContextReport } from "context-projector";
type Message = { role: "user" | "assistant"; content: string };
const history: readonly Message[] = [{ role: "user", content: "hello" }];
const budget: ContextBudget = { maxItems: 3, lowWater: 0.6 };
const projection: ContextProjection<Message> = project(history, budget);
export const report: ContextReport = projection.report;
export const text: string = projectJson(JSON.stringify(projection.items), budget);
export const both = [new DefaultContextProjector(), new TypeAwareContextProjector({ summary: "so far" })]
  .map((projector) => projector.project(projection.items, budget).items.length satisfies number);
// @ts-expect-error a budget is no number
project(history, 5);
// @ts-expect-error internal
import { KeptFacts } from "context-projector";
// @ts-expect-error internal
import { initSync } from "context-projector";
${hasImport ? `
import { importTranscript, importTranscriptWithProgress } from "context-projector/import";
import type { Transcript } from "context-projector/import";
const transcript: Transcript = importTranscript("");
project(transcript.items, budget);
export const later: Promise<Transcript> = importTranscriptWithProgress("", ({ done, total }) => void (done / total));
// @ts-expect-error a transcript is text
importTranscript(5);
` : ""}
import {
  AgentSession, CompactPolicyMemoryCompressor, InMemoryAgentMemory, LlmCompactPolicy, StructuredSummaryCompactPolicy, WindowedMemoryCompressor,
  commitCompaction, continueCompaction, planCompaction,
} from "context-projector";
import type { AgentSessionStore, CompactPolicy, CompactResult, ModelContext, SessionEvent } from "context-projector";
import { fileStore } from "context-projector/stores/file";
import { indexedDbStore } from "context-projector/stores/indexed-db";
import { memoryStore } from "context-projector/stores/memory";
import { sqlStore } from "context-projector/stores/sql";
import { unstorageStore } from "context-projector/stores/unstorage";
import { webStorageStore } from "context-projector/stores/web-storage";
const policy: CompactPolicy = new LlmCompactPolicy(({ system, input }) => system + input, { maxItems: 40, fileTools: { mine: "read" } });
// @ts-expect-error a misspelt limit
new LlmCompactPolicy(() => "", { maxItmes: 40 });
export const memory = new InMemoryAgentMemory<Message>({ compressor: new CompactPolicyMemoryCompressor(policy) });
memory.addUserInput("hello");
export const kept: Message[] = memory.getItems();
export const others = [new StructuredSummaryCompactPolicy({ maxItems: 4 }), new WindowedMemoryCompressor(4)];
const plan = planCompaction(memory.snapshot(), { maxItems: 4 });
export const result: CompactResult = commitCompaction(memory.snapshot(), continueCompaction(plan, { text: "", finishReason: "stop" }));
export const stores: AgentSessionStore[] = [memoryStore(), fileStore("x"), indexedDbStore({ name: "x" })];
// @ts-expect-error no database
sqlStore(5);
// @ts-expect-error no storage
unstorageStore({});
// @ts-expect-error no Storage
webStorageStore(5);
const session = new AgentSession<Message>({ compactPolicy: policy, budget, store: memoryStore() });
export const turn: Promise<ModelContext<Message>> = session.prepareTurn();
export const off: () => void = session.on("ITEMS_ADDED", (event: SessionEvent<Message>) => void event.sequence);
session.hook("before_compact", () => false);
export const again: AgentSession<Message> = AgentSession.restore<Message>(session.snapshot());
`;

const SLIM = `
import init, { initSync, project } from "context-projector/slim";
initSync({ module: new Uint8Array() });
export const ready: Promise<unknown> = init({ module_or_path: new URL("https://example.org/a.wasm") });
export const length: number = project([{ role: "user" }]).items.length;
`;

/**
 * @param {string} name
 * @param {Record<string, string>} files
 * @param {Record<string, unknown>} options
 */
async function check(name, files, options) {
  for (const [file, text] of Object.entries(files)) write(folder, `${name}/${file}`, text);
  write(folder, `${name}/tsconfig.json`, JSON.stringify({
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      // The package's declarations are checked as well.
      skipLibCheck: false,
      noEmit: true,
      types: [],
      target: "es2022",
      ...options,
    },
    files: Object.keys(files),
  }));
  try {
    await execute(process.execPath, [tsc, "-p", join(folder, name)]);
  } catch (error) {
    assert.fail(/** @type {{ stdout: string }} */ (error).stdout);
  }
}

const PLAIN = ["es2022"];

test("node16, an ES module", () => check("esm", { "use.mts": USE }, { module: "node16", moduleResolution: "node16", lib: PLAIN }));

test("node16, CommonJS", () => check("cjs", { "use.cts": USE }, { module: "node16", moduleResolution: "node16", lib: PLAIN }));

test("nodenext, both", () =>
  check("next", { "use.mts": USE, "use.cts": USE }, { module: "nodenext", moduleResolution: "nodenext", lib: PLAIN }));

test("bundler", () => check("bundler", { "use.ts": USE }, { module: "esnext", moduleResolution: "bundler", lib: PLAIN }));

test("slim, with the browser's types", () =>
  check("slim", { "use.ts": SLIM }, { module: "esnext", moduleResolution: "bundler", lib: ["es2022", "dom"] }));

test("node16, slim in an ES module", () =>
  check("slim16", { "use.mts": SLIM }, { module: "node16", moduleResolution: "node16", lib: ["es2022", "dom"] }));

test("the declarations are those of the project, behind the line that they need", () => {
  const own = readFileSync(fileURLToPath(new URL("../../src/js/types.d.ts", import.meta.url)), "utf8");
  for (const ending of ["mts", "cts"]) assert.equal(readFileSync(join(installed, `index.d.${ending}`), "utf8"), `/// <reference lib="esnext.disposable" />\n${own}`);
});
