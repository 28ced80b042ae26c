// `npm run properties -- --runs N [--seed S]`: the properties over generated and broken histories, as many as one likes.

import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { CommandError, run, runMain } from "./lib/run.mjs";

await runMain(async () => {
  const { values } = parseArgs({ options: { runs: { type: "string", default: "20000" }, seed: { type: "string" } } });
  const seed = values.seed ?? String(Date.now() % 1_000_000_007);
  for (const [name, value] of Object.entries({ runs: values.runs, seed })) {
    if (!/^[1-9]\d*$/.test(value)) throw new CommandError(`--${name} takes a whole number of at least 1, and "${value}" is none`);
  }
  console.log(`seed ${seed}, ${values.runs} runs a dialect`);
  const env = { ...process.env, CONTEXT_PROJECTOR_SEED: seed, CONTEXT_PROJECTOR_CASES: values.runs, CONTEXT_PROJECTOR_RUNS: values.runs };
  await run("cargo", ["test", "--release", "--test", "mending", "--test", "projection"], { env });
  await build("release");
  await run(process.execPath, ["--test", "tests/js/judges.test.mjs"], { env });
  console.log(`seed ${seed}: every property held`);
});
