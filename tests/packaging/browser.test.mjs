// The packed package in Chromium without a bundler.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE, assertExercise, open, project, serve, write } from "./helpers.mjs";

const { folder } = await project();
const base = "../node_modules/context-projector";
const address = await serve(folder);

/**
 * @param {string} name
 * @param {string} script
 */
function page(name, script) {
  write(folder, `${name}/index.html`, PAGE(`<script type="module">import { exercise } from "../exercise.js";${script}</script>`));
  return open(`${address}${name}/`);
}

test("the whole package is one request", async () => {
  const { result, requests } = await page("main", `import * as api from "${base}/index.js"; window.result = exercise(api);`);
  assertExercise(result);
  assert.deepEqual(requests.filter((path) => path.includes("context-projector")), ["/node_modules/context-projector/index.js"]);
});

test("slim loads the wasm beside it by itself", async () => {
  const { result } = await page("slim", `import init, * as api from "${base}/slim.js"; await init(); window.result = exercise(api);`);
  assertExercise(result);
});

test("slim with a module that the page compiled", async () => {
  const script = `import { initSync } from "${base}/slim.js";
    import * as api from "${base}/slim.js";
    initSync({ module: await WebAssembly.compileStreaming(fetch("${base}/context_projector_bg.wasm")) });
    window.result = exercise(api);`;
  assertExercise((await page("slim-sync", script)).result);
});

test("in a module worker", async () => {
  write(folder, "worker/worker.js", `import * as api from "${base}/index.js"; import { exercise } from "../exercise.js"; postMessage(exercise(api));`);
  const { result } = await page("worker", `new Worker("worker.js", { type: "module" }).onmessage = ({ data }) => { window.result = data; };`);
  assertExercise(result);
});
