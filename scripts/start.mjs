// `npm start`: builds the package where its sources have changed, projects the sample session with it, and serves the page.
//
//   --no-serve   builds and projects only, as in continuous integration (CI is set)
//   --no-open    opens no browser
//   --port N     another port than 5173; a busy one is passed over

import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { CommandError, root, run, runMain } from "./lib/run.mjs";

const SAMPLE = "www/samples/coding.responses.json";

await runMain(async () => {
  const { serve, open, port } = options();
  await build("release");
  await run(process.execPath, ["examples/inspect.mjs", SAMPLE]);
  if (serve) await page(port, open);
});

function options() {
  try {
    const { values } = parseArgs({
      options: { "no-serve": { type: "boolean" }, "no-open": { type: "boolean" }, port: { type: "string", default: "5173" } },
    });
    const port = Number(values.port);
    if (!Number.isInteger(port) || port < 1 || port > 65535) throw new CommandError(`--port: ${values.port} is no port`);
    return { serve: !values["no-serve"] && !process.env.CI, open: !values["no-open"], port };
  } catch (error) {
    throw new CommandError(`start: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * @param {number} port
 * @param {boolean} mayOpen
 */
async function page(port, mayOpen) {
  // Loaded here: before the build, npm's packages may not be there.
  const { createServer } = await import("vite");
  const www = join(root, "www");
  const isWatched = process.stdout.isTTY === true && !process.env.CI;
  const server = await createServer({ root: www, configFile: join(www, "vite.config.js"), logLevel: "warn", server: { port, open: mayOpen && isWatched } });
  await server.listen();
  console.log(`The page: ${server.resolvedUrls?.local[0] ?? `port ${port}`}   (Ctrl+C ends it)`);
}
