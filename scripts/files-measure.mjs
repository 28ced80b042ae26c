// `npm run files:measure`: the file ledger of compaction, held against what the tools of real coding sessions say that they read
// and changed. The truth is read here by other means than the core's: results, not arguments.
//
//   Claude Code   toolUseResult.filePath and .structuredPatch of the raw file; where only items are there, the results' own words
//   Codex         the list in the output of apply_patch; for reads, which no result names, commands of one plain form that succeeded
//   Gemini CLI    the results' own words
//
// What no result tells is in BY_HAND.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { build } from "./build.mjs";
import { CommandError, root, runMain } from "./lib/run.mjs";

/** @typedef {{ read: Set<string>, modified: Set<string> }} Truth */

const corpus = process.env.CONTEXT_PROJECTOR_CORPUS ? resolve(process.env.CONTEXT_PROJECTOR_CORPUS) : join(root, "..", "shared", "corpus");

/** Items, and the raw session where the corpus has it. */
const SESSIONS = [
  ["anthropic", "cc-session-a", null],
  ["anthropic", "cc-session-b", null],
  ["anthropic", "cc-session-d-ja", "claude-code/cc-session-d-ja.jsonl"],
  ["anthropic", "cc-session-e", "claude-code/cc-session-e.jsonl"],
  ["anthropic", "cc-session-g", "claude-code/cc-session-g.jsonl"],
  ["anthropic", "cc-session-h-image", "claude-code/cc-session-h-image.jsonl"],
  ["anthropic", "cua-a", null],
  ["anthropic", "cua-b", "claude-code-cua/cua-b.jsonl"],
  ["anthropic", "cua-d-images", null],
  ["anthropic", "cua-g", "claude-code-cua/cua-g.jsonl"],
  ["openai-responses", "codex-rollout-a", null],
  ["openai-responses", "codex-rollout-b-image", null],
  ["openai-responses", "codex-rollout-e", null],
  ["gemini", "gemini-cli-a", null],
];

/** Read by eye. @type {Record<string, { read?: string[], modified?: string[], gone?: string[] }>} */
const BY_HAND = {
  // `git diff … | head` names no file; the two commands below do, and say nothing.
  "cc-session-b": {
    // curl had written the archive before a later command of the chain failed.
    modified: ["todomvc.zip", "/Users/testuser/Documents/GitHub/example-org/example-project/docker/Containerfile"],
    gone: [
      "/Users/testuser/Documents/GitHub/example-org/example-project/docker/Dockerfile",
      "/Users/testuser/Documents/GitHub/example-org/example-project/docker/docker-compose.yml",
    ],
  },
  "cc-session-e": { read: ["/Users/dev/code/debugtest/src/find_issues.ts"] },
};

/** Tools of the sandbox server, as its host would name them. What runs in its shell is no file of the session's. */
const fileTools = /** @type {const} */ ({ mcp__sandbox__sandbox_read: "read", mcp__sandbox__sandbox_write: "modify" });

/** @param {any} content */
const textOf = (content) => (typeof content === "string" ? content : (content ?? []).map((/** @type {any} */ part) => part.text ?? "").join("\n"));

/** @param {any[]} items @returns {Truth} */
function claudeItems(items) {
  const read = new Set();
  const modified = new Set();
  /** @type {Map<string, any>} */
  const calls = new Map();
  for (const block of items.flatMap(({ content }) => (Array.isArray(content) ? content : []))) {
    if (block.type === "tool_use") calls.set(block.id, block);
    if (block.type !== "tool_result") continue;
    const { name, input } = calls.get(block.tool_use_id) ?? {};
    const text = textOf(block.content);
    const changed = /^The file (.+?) has been updated|^(?:File|New file) created successfully at: (.+)|^OK: wrote \d+ bytes to (.+)/.exec(text);
    if (changed) modified.add((changed[1] ?? changed[2] ?? changed[3] ?? "").trim());
    else if ((name === "Read" || name === "mcp__sandbox__sandbox_read") && block.is_error !== true && !text.startsWith("<tool_use_error>") && !/^(Error|ERROR)/.test(text)) read.add(input.file_path ?? input.path);
  }
  return { read, modified };
}

/** @param {string} text @param {any[]} items @returns {Truth} */
function claudeRaw(text, items) {
  // Images and the sandbox server's results name no file: their words do.
  const { read, modified } = claudeItems(items);
  for (const line of text.split("\n").filter(Boolean)) {
    const { toolUseResult: result, isSidechain } = JSON.parse(line);
    // What a sub-agent does is in a history of its own.
    if (typeof result !== "object" || result === null || isSidechain === true) continue;
    if (typeof result.filePath === "string" && (result.structuredPatch !== undefined || result.type === "create")) modified.add(result.filePath);
    if (typeof result.file?.filePath === "string") read.add(result.file.filePath);
  }
  return { read, modified };
}

/** @param {any[]} items @returns {Truth & { cwd: string }} */
function codex(items) {
  const read = new Set();
  const modified = new Set();
  /** @type {Map<string, any>} */
  const calls = new Map();
  let cwd = "";
  for (const item of items) {
    if (item.type === "function_call") {
      const args = JSON.parse(item.arguments);
      calls.set(item.call_id, args);
      if (cwd === "" && args.workdir?.startsWith("/")) cwd = args.workdir;
    }
    if (item.type !== "function_call_output") continue;
    const { command, workdir } = calls.get(item.call_id) ?? {};
    if (!Array.isArray(command) || !String(item.output).includes('"exit_code":0')) continue;
    const { output } = JSON.parse(item.output);
    const at = (/** @type {string} */ path) => (workdir?.startsWith("/") ? resolve(workdir, path) : path);
    const patched = /^Success\. Updated the following files:\n([^]*)/.exec(output);
    for (const line of patched?.[1]?.split("\n").filter(Boolean) ?? []) modified.add(at(line.slice(2)));
    const script = String(command.at(-1));
    const file = /(?:^|&& )(?:sed -n '[^']*'|nl -ba|cat) (?:'([^']*)'|([^\s|&;<]+))/.exec(script);
    if (file && !script.includes("<<")) read.add(at((file[1] ?? file[2] ?? "").replaceAll("\\", "")));
  }
  return { read, modified, cwd };
}

/** @param {any[]} items @returns {Truth} */
function geminiCli(items) {
  const read = new Set();
  const modified = new Set();
  /** @type {any[]} */
  const calls = [];
  for (const part of items.flatMap(({ parts }) => parts)) {
    if (part.functionCall) calls.push(part.functionCall);
    if (!part.functionResponse) continue;
    const { id, name, response } = part.functionResponse;
    const at = calls.findIndex((call) => (id ? call.id === id : call.name === name));
    const [{ args }] = calls.splice(at, 1);
    const changed = /^Successfully (?:created and wrote to new file|overwrote file|modified file): (.+?)\.?(?:\s\(|$)/m.exec(String(response.output ?? ""));
    if (changed) modified.add(args.file_path ?? changed[1]);
    else if (name === "read_file" && response.output !== undefined) read.add(args.absolute_path ?? args.file_path);
  }
  return { read, modified };
}

/** @param {typeof import("../src/js/types.d.ts")} pkg @param {object[]} items @param {any} dialect */
function ledger(pkg, items, dialect) {
  const memory = new pkg.InMemoryAgentMemory({ dialect });
  memory.addOutputItems(items);
  memory.addUserInput("Thank you.");
  let plan = pkg.planCompaction(memory.snapshot(), { keepRecentItems: 0, maxFiles: 1_000, dialect, fileTools });
  while (plan.status === "ready") plan = pkg.continueCompaction(plan, "What was asked was done, step by step, and every step was looked at afterwards. ".repeat(4));
  const result = pkg.commitCompaction(memory.snapshot(), plan);
  if (result.status !== "compacted") throw new CommandError(`${result.status}: ${JSON.stringify(result.attempts)}`);
  return result;
}

await runMain(async () => {
  if (!existsSync(corpus)) throw new CommandError(`no corpus at ${corpus}: name its folder in CONTEXT_PROJECTOR_CORPUS`);
  await build("release");
  const pkg = createRequire(import.meta.url)(join(root, "pkg"));
  const sum = { truth: 0, found: 0, listed: 0 };
  console.log("session                   true  found  listed  recall  precision");
  for (const [dialect, name, raw] of SESSIONS) {
    const items = JSON.parse(readFileSync(join(corpus, "items", String(dialect), `${name}.json`), "utf8"));
    const read = { anthropic: claudeItems, "openai-responses": codex, gemini: geminiCli }[String(dialect)];
    const truth = raw === null ? read?.(items) : claudeRaw(readFileSync(join(corpus, "sessions", String(raw)), "utf8"), items);
    if (truth === undefined) throw new CommandError(`${name} cannot be read`);
    const cwd = "cwd" in truth ? String(truth.cwd) : null;
    // Windows' own paths are no paths for node:path here.
    const at = (/** @type {string} */ path) => (cwd === null ? path : resolve(cwd, path));
    truth.read = new Set([...truth.read].map(at));
    truth.modified = new Set([...truth.modified].map(at));
    const { read: alsoRead = [], modified: alsoModified = [], gone = [] } = BY_HAND[String(name)] ?? {};
    for (const path of alsoRead) truth.read.add(path);
    for (const path of alsoModified) truth.modified.add(path);
    for (const path of gone) [truth.read, truth.modified].forEach((list) => list.delete(path));
    for (const path of truth.modified) truth.read.delete(path);
    const result = ledger(pkg, items, dialect);
    let found = 0;
    const wrong = [];
    const pairs = /** @type {const} */ ([["read", result.readFiles], ["modified", result.modifiedFiles]]);
    for (const [list, paths] of pairs) {
      const wanted = new Set(truth[list]);
      for (const path of paths) {
        if (wanted.delete(at(path))) found += 1;
        else wrong.push(`  ${list}, but not so: ${path}`);
      }
      for (const path of wanted) wrong.push(`  ${list}, but not listed: ${path}`);
    }
    const count = truth.read.size + truth.modified.size;
    const listed = result.readFiles.length + result.modifiedFiles.length;
    const share = (/** @type {number} */ part, /** @type {number} */ all) => (all === 0 ? "–" : (part / all).toFixed(3));
    console.log(`${String(name).padEnd(24)} ${String(count).padStart(5)} ${String(found).padStart(6)} ${String(listed).padStart(7)} ${share(found, count).padStart(7)} ${share(found, listed).padStart(10)}`);
    for (const line of wrong) console.log(line);
    sum.truth += count;
    sum.found += found;
    sum.listed += listed;
  }
  const [recall, precision] = [sum.found / sum.truth, sum.found / sum.listed];
  console.log(`${"all".padEnd(24)} ${String(sum.truth).padStart(5)} ${String(sum.found).padStart(6)} ${String(sum.listed).padStart(7)} ${recall.toFixed(3).padStart(7)} ${precision.toFixed(3).padStart(10)}`);
  if (recall < 0.98 || precision < 0.95) throw new CommandError("below recall 0.98 or precision 0.95");
});
