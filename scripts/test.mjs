// `npm test`: sets up what is missing and runs every test. `--list` names the stages, `--only a,b` runs some.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { CommandError, root, run, runMain } from "./lib/run.mjs";
import { browser, npmPackages, rustTools, servers } from "./lib/tools.mjs";

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
/**
 * needs: a file or folder without which there is nothing to run; the stage is then skipped, and says so.
 * @typedef {{ name: string, does: string, needs?: string, run: () => Promise<string | void> }} Stage
 */

/** @type {NodeJS.ProcessEnv} */
let env = process.env;

const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

/**
 * Runs test files on a built package.
 * @param {string} folder
 * @param {string} pkg
 */
function nodeTests(folder, pkg) {
  const files = readdirSync(join(root, folder)).filter((file) => file.endsWith(".test.mjs")).sort();
  const paths = files.map((file) => join(folder, file));
  // Without a file's name Node would look for tests of its own, everywhere.
  if (paths.length === 0) throw new CommandError(`${folder} holds no *.test.mjs`);
  return run(process.execPath, ["--test", "--test-reporter=tap", ...paths], {
    env: { ...env, CONTEXT_PROJECTOR_PKG: join(root, pkg) },
    quiet: true,
  });
}

/** Where cargo builds: not always in target/, CARGO_TARGET_DIR moves it, and an old program there would be compared. */
async function targetFolder() {
  const metadata = await run("cargo", ["metadata", "--format-version", "1", "--no-deps"], { env, quiet: true });
  return /** @type {{ target_directory: string }} */ (JSON.parse(metadata.slice(metadata.indexOf("{")))).target_directory;
}

/** @type {Stage[]} */
const stages = [
  { name: "fmt", does: "rustfmt", run: () => run("cargo", ["fmt", "--check"], { env }) },
  { name: "architecture", does: "rooms and boundary", run: () => run(process.execPath, ["scripts/architecture.mjs"]) },
  {
    name: "clippy",
    does: "lints, natively and for wasm",
    run: async () => {
      await run("cargo", ["clippy", "--all-targets", "--", "-D", "warnings"], { env });
      await run("cargo", ["clippy", "--lib", "--target", "wasm32-unknown-unknown", "--", "-D", "warnings"], { env });
    },
  },
  { name: "native", does: "Rust tests", run: () => run("cargo", ["test", "--no-fail-fast"], { env }) },
  {
    name: "wasm-node",
    does: "wasm tests in Node",
    needs: "tests/node.rs",
    run: () => run("wasm-pack", ["test", "--node", "--mode", "no-install", "--", "--test", "node"], { env }),
  },
  {
    name: "wasm-chromium",
    does: "wasm tests in headless Chromium",
    needs: "tests/browser.rs",
    run: async () => {
      const { chromedriver } = await browser();
      const args = ["test", "--headless", "--chrome", "--chromedriver", chromedriver, "--mode", "no-install"];
      return run("wasm-pack", [...args, "--", "--test", "browser"], { env });
    },
  },
  {
    name: "build",
    does: "the package, its debug build and its browser build",
    run: async () => {
      await build("release");
      await build("dev");
      await build("web");
    },
  },
  {
    name: "js",
    does: "JavaScript tests on the package",
    run: async () => {
      await servers();
      return nodeTests("tests/js", "pkg");
    },
  },
  { name: "js-debug", does: "the same on the debug build", run: () => nodeTests("tests/js", "target/pkg-dev") },
  {
    name: "parity",
    does: "the same output natively, in Node and in Chromium",
    needs: "tests/e2e",
    run: async () => {
      await run("cargo", ["build", "--example", "project"], { env });
      const { chromium } = await browser();
      env = {
        ...env,
        CHROMIUM: chromium,
        CONTEXT_PROJECTOR_WEB: join(root, "target", "pkg-web"),
        CONTEXT_PROJECTOR_NATIVE: join(await targetFolder(), "debug", "examples", "project"),
      };
      return nodeTests("tests/e2e", "pkg");
    },
  },
  {
    name: "packaging",
    does: "the packed package: Node, bundlers, Chromium, types, linters",
    run: async () => {
      // Old files would be packed without a word.
      await build("release");
      env = { ...env, CHROMIUM: (await browser()).chromium };
      return nodeTests("tests/packaging", "pkg");
    },
  },
  {
    name: "types",
    does: "strict TypeScript on the providers' types, and JSDoc",
    run: async () => {
      await run(process.execPath, [tsc, "-p", "tests/types"]);
      await run(process.execPath, [tsc, "-p", "tsconfig.json"]);
    },
  },
];

/**
 * What a runner's closing lines say.
 * @param {string} output
 * @returns {Counts}
 */
function count(output) {
  const sum = (/** @type {RegExp} */ pattern) => {
    let total = 0;
    for (const match of output.matchAll(pattern)) total += Number(match[1]);
    return total;
  };
  return {
    passed: sum(/test result: \w+\. (\d+) passed/g) + sum(/^# pass (\d+)/gm),
    failed: sum(/test result: \w+\. \d+ passed; (\d+) failed/g) + sum(/^# fail (\d+)/gm),
    skipped: sum(/passed; \d+ failed; (\d+) ignored/g) + sum(/^# skipped (\d+)/gm),
  };
}

/**
 * @param {Stage} stage
 */
async function runStage(stage) {
  console.log(`\n── ${stage.name}: ${stage.does}`);
  const start = performance.now();
  if (stage.needs !== undefined && !existsSync(join(root, stage.needs))) {
    console.log(`skipped: there is no ${stage.needs}`);
    return { stage, result: "skipped", seconds: 0, counts: { passed: 0, failed: 0, skipped: 1 } };
  }
  let isGood = true;
  let output = "";
  try {
    output = (await stage.run()) ?? "";
    // What tests say of themselves (counts over the corpus, skips) is worth reading; passing lines are not.
    for (const [line] of output.matchAll(/^(# |.*# SKIP).*$/gm)) {
      if (!/^# (Subtest|duration|suites|cancelled|todo)/.test(line)) console.log(line);
    }
  } catch (error) {
    isGood = false;
    // A stage that breaks in another way has failed too: the others still run.
    if (!(error instanceof CommandError)) console.error(error);
    else {
      output = /** @type {{ output?: string }} */ (error).output ?? "";
      if (["js", "js-debug", "parity", "packaging"].includes(stage.name)) console.log(failures(output));
      console.error(error.message);
    }
  }
  return { stage, result: isGood ? "ok" : "FAILED", seconds: (performance.now() - start) / 1000, counts: count(output) };
}

/**
 * The failing parts of a TAP report.
 * @param {string} output
 */
function failures(output) {
  const lines = output.split("\n");
  /** @type {string[]} */
  const shown = [];
  lines.forEach((line, index) => {
    if (/^\s*not ok/.test(line)) shown.push(...lines.slice(index, index + 40), "…");
  });
  return shown.slice(0, 400).join("\n");
}

await runMain(async () => {
  const chosen = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1]?.split(",") : null;
  if (process.argv.includes("--list")) {
    for (const { name, does } of stages) console.log(`${name.padEnd(14)} ${does}`);
    return;
  }
  // A misspelt stage would run nothing, and nothing has no failures.
  const unknown = chosen === undefined ? ["--only"] : (chosen ?? []).filter((name) => !stages.some((stage) => stage.name === name));
  if (unknown.length > 0) throw new CommandError(`no such stage: ${unknown.join(", ")} (--list names them)`);
  await npmPackages();
  env = await rustTools();
  if (!existsSync(join(root, "..", "shared", "corpus")) && process.env.CONTEXT_PROJECTOR_CORPUS === undefined) {
    console.log("note: no corpus of transcripts beside the project: tests that read it are skipped");
  }
  const results = [];
  for (const stage of stages) {
    if (chosen === null || chosen?.includes(stage.name)) results.push(await runStage(stage));
  }
  console.log("\nstage          result   seconds   passed   failed  skipped");
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { stage, result, seconds, counts } of results) {
    const figures = [counts.passed, counts.failed, counts.skipped].map((figure) => String(figure).padStart(8));
    console.log(`${stage.name.padEnd(14)} ${result.padEnd(7)} ${seconds.toFixed(1).padStart(8)} ${figures.join(" ")}`);
    total.passed += counts.passed;
    total.failed += counts.failed + (result === "FAILED" && counts.failed === 0 ? 1 : 0);
    total.skipped += counts.skipped;
  }
  console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  if (results.some(({ result }) => result === "FAILED")) process.exitCode = 1;
});
