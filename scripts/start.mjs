// `npm start`: builds the package and projects the sample session with it.

import { root, run, runMain } from "./lib/run.mjs";
import { build } from "./build.mjs";

await runMain(async () => {
  await build("release");
  await run(process.execPath, ["examples/inspect.mjs", "www/samples/coding.responses.json"], { cwd: root });
});
