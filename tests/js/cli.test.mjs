// The command line, as the package ships it: every session of the corpus, the samples, and everything that can go wrong.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { corpusFolder, packageFolder, pkg } from "./load.mjs";

const cli = join(packageFolder, "cli.js");
const samples = fileURLToPath(new URL("../../www/samples", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "cli-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/**
 * @param {string[]} args
 * @returns {Promise<{ code: number, stdout: string, stderr: string }>}
 */
function run(...args) {
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, ...args], { maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : error ? 1 : 0, stdout, stderr });
    });
  });
}

/**
 * @param {string} name
 * @param {string | Uint8Array} content
 */
function file(name, content) {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** @param {string} text */
const widest = (text) => Math.max(...text.split("\n").map((line) => [...line].length));

describe("inspect", () => {
  it("prints report, ledger and weights of the samples", async () => {
    for (const sample of ["coding.responses.json", "trip.anthropic.json"]) {
      const { code, stdout, stderr } = await run("inspect", join(samples, sample), "--max-items", "40", "--keep-results", "5");
      assert.equal(stderr, "");
      assert.equal(code, 0);
      for (const title of ["history", "Notes", "Ledger", "Weight", "maxItems applied: 40", "dropped"]) assert.ok(stdout.includes(title), title);
      assert.ok(widest(stdout) <= 80, "80 columns");
    }
  });

  it("gives as JSON what the package gives", async () => {
    const path = join(samples, "coding.responses.json");
    const flags = ["--max-chars", "30000", "--pinned", "1", "--trim-reasoning", "--low-water", "0.5", "--max-tokens", "9000"];
    const { stdout } = await run("inspect", path, "--json", ...flags);
    const shown = JSON.parse(stdout);
    const budget = { lowWater: 0.5, maxApproxChars: 30_000, pinnedPrefixItems: 1, trimOldReasoning: true, maxTokens: 9_000 };
    const { report } = pkg.project(JSON.parse(readFileSync(path, "utf8")), budget);
    assert.deepEqual(shown.report, JSON.parse(JSON.stringify(report)));
    assert.equal(shown.dialect, "openai-responses");
    assert.deepEqual(shown.problems, []);
    const sum = shown.weights.reduce((/** @type {number} */ all, /** @type {any} */ { chars }) => all + chars, 0);
    assert.ok(Math.abs(sum / report.sourceApproxChars - 1) < 0.1, "the kinds add up to about the whole, escapes aside");
  });

  it("reads standard input, and stops without a word when nobody listens", async () => {
    const child = spawn(process.execPath, [cli, "inspect", "-"], { stdio: ["pipe", "pipe", "pipe"] });
    let errors = "";
    child.stderr.on("data", (chunk) => (errors += chunk));
    child.stdin.end(readFileSync(join(samples, "trip.anthropic.json")));
    child.stdout.destroy();
    const code = await new Promise((resolve) => child.on("close", resolve));
    assert.equal(errors, "");
    assert.equal(code, 0);
  });

  it("says which lines could not be read", async () => {
    const lines = ['{"role":"user","content":"hi"}', "{oops", '{"role":"assistant","content":"yes"}'];
    const { code, stdout } = await run("inspect", file("broken.jsonl", lines.join("\n")));
    assert.equal(code, 0);
    assert.match(stdout, /Problems\n {2}line 2: /);
    assert.match(stdout, /2 items/);
  });

  const sessions = corpusFolder === null || !existsSync(join(corpusFolder, "sessions")) ? [] : readdirSync(join(corpusFolder, "sessions"), { recursive: true, encoding: "utf8" });
  const transcripts = sessions.filter((name) => /\.jsonl?$/.test(name));
  it("reads every session of the corpus", { skip: transcripts.length === 0 ? "no corpus" : false }, async () => {
    for (const name of transcripts) {
      const path = join(corpusFolder ?? "", "sessions", name);
      const { code, stdout, stderr } = await run("inspect", path, "--max-items", "30", "--json");
      assert.equal(stderr, "", name);
      assert.equal(code, 0, name);
      const { report } = JSON.parse(stdout);
      assert.ok(report.projectedItemCount <= 30 || report.overBudget, name);
    }
    console.log(`# sessions inspected: ${transcripts.length}`);
  });
});

describe("what cannot be done", () => {
  /** @type {[string, string[], RegExp][]} */
  const wrong = [
    ["no command", [], /inspect FILE/],
    ["another command", ["project", "x"], /no command "project"/],
    ["no file", ["inspect"], /needs a FILE/],
    ["two files", ["inspect", "a", "b"], /"b" is a second/],
    ["an unknown flag", ["inspect", "a", "--max-item", "5"], /--max-item/],
    ["a flag without its number", ["inspect", "a", "--max-items"], /--max-items/],
    ["a number that is none", ["inspect", "a", "--max-items", "many"], /takes a number/],
    ["a missing file", ["inspect", join(folder, "none.json")], /is not there/],
    ["a folder", ["inspect", folder], /is a folder/],
    ["binary data", ["inspect", file("data.bin", new Uint8Array([1, 0, 2, 0]))], /binary data/],
    ["an empty file", ["inspect", file("empty.json", "")], /is empty/],
    ["a file that is no transcript", ["inspect", file("notes.txt", "Dear diary,\ntoday was fine.\n")], /no transcript/],
  ];
  for (const [name, args, says] of wrong) {
    it(`says so in a sentence, with code 2: ${name}`, async () => {
      const { code, stdout, stderr } = await run(...args);
      assert.equal(code, 2);
      assert.equal(stdout, "");
      assert.match(stderr, says);
      assert.equal(stderr.trim().split("\n").length, 1);
      assert.doesNotMatch(stderr, /\bat .*:\d+/, "no stack");
    });
  }

  it("names a budget that means nothing", async () => {
    const path = join(samples, "coding.responses.json");
    for (const flags of [["--max-items", "0"], ["--low-water", "2"]]) {
      const { code, stderr } = await run("inspect", path, ...flags);
      assert.equal(code, 2);
      assert.match(stderr, /budget\.(maxItems|lowWater)/);
    }
  });

  it("helps", async () => {
    const help = await run("--help");
    assert.equal(help.code, 0);
    assert.ok(help.stdout.includes("--max-items") && widest(help.stdout) <= 80);
    const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
    assert.equal((await run("--version")).stdout, `${version}\n`);
  });
});
