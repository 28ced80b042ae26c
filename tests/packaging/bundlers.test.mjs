// The packed package through Vite and esbuild; what they make is run.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import * as vite from "vite";
import { PAGE, assertExercise, freePort, open, project, serve, write } from "./helpers.mjs";

const MAIN = `import * as api from "context-projector";
import { exercise } from "./exercise.js";
globalThis.result = exercise(api);
`;
const SLIM = `import init, * as api from "context-projector/slim";
import url from "context-projector/context_projector_bg.wasm?url";
import { exercise } from "./exercise.js";
init({ module_or_path: url }).then(() => { globalThis.result = exercise(api); });
`;

const { folder } = await project({
  "main.js": MAIN,
  "slim/main.js": SLIM.replace("./exercise.js", "../exercise.js"),
  "index.html": PAGE('<script type="module" src="/main.js"></script>'),
  "slim/index.html": PAGE('<script type="module" src="/slim/main.js"></script>'),
});

/** @param {string} place */
function listed(place) {
  return readdirSync(place, { recursive: true, encoding: "utf8" }).sort();
}

/**
 * @param {import("node:test").TestContext} t
 * @param {string} name
 * @param {string} place
 */
function sizes(t, name, place) {
  for (const file of listed(place).filter((file) => /\.(m?js|wasm)$/.test(file))) {
    const bytes = readFileSync(join(place, file));
    t.diagnostic(`${name}: ${file.replace(/-[\w-]{8}\./, ".")} ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} gzipped`);
  }
}

/** @param {string} outDir @param {string} input @returns {import("vite").InlineConfig} */
const config = (outDir, input) => ({
  root: folder,
  configFile: false,
  logLevel: "error",
  build: { outDir, rollupOptions: { input: join(folder, input) } },
});

test("Vite builds a page that works, with the wasm inside", async (t) => {
  const out = join(folder, "dist");
  await vite.build(config(out, "index.html"));
  assert.deepEqual(listed(out).filter((file) => file.endsWith(".wasm")), [], "no second wasm");
  sizes(t, "Vite", out);
  const { result } = await open(await serve(out));
  assertExercise(result);
});

test("Vite builds slim with one wasm, loaded by the page", async (t) => {
  const out = join(folder, "dist-slim");
  await vite.build(config(out, "slim/index.html"));
  assert.equal(listed(out).filter((file) => file.endsWith(".wasm")).length, 1, "one wasm");
  sizes(t, "Vite, slim", out);
  const { result, requests } = await open(`${await serve(out)}slim/`);
  assertExercise(result);
  assert.equal(requests.filter((path) => path.endsWith(".wasm")).length, 1);
});

test("Vite leaves the package out where nothing of it is used", async () => {
  write(folder, "unused.html", PAGE('<script type="module" src="/unused.js"></script>'));
  write(folder, "unused.js", 'import { project } from "context-projector";\nglobalThis.result = 1;\nexport const later = () => project;\n');
  const out = join(folder, "dist-unused");
  await vite.build(config(out, "unused.html"));
  for (const file of listed(out).filter((file) => file.endsWith(".js"))) assert.ok(readFileSync(join(out, file)).length < 5000, file);
});

test("Vite's development server", async () => {
  const server = await vite.createServer({
    root: folder,
    configFile: false,
    logLevel: "error",
    cacheDir: join(folder, "cache"),
    // Named beforehand: the page's socket would be told port 0.
    server: { host: "127.0.0.1", port: await freePort(), strictPort: true, watch: null },
  });
  after(() => server.close());
  await server.listen();
  const address = server.resolvedUrls?.local[0];
  assert.ok(address);
  assertExercise((await open(address)).result);
});

test("esbuild for browsers", async (t) => {
  const out = join(folder, "esbuild");
  await build({ entryPoints: [join(folder, "main.js")], bundle: true, minify: true, format: "esm", outfile: join(out, "main.js") });
  write(out, "index.html", PAGE('<script type="module" src="main.js"></script>'));
  sizes(t, "esbuild", out);
  assertExercise((await open(await serve(out))).result);
});

test("esbuild for browsers, as a classic script", async () => {
  const out = join(folder, "esbuild-classic");
  await build({ entryPoints: [join(folder, "main.js")], bundle: true, format: "iife", outfile: join(out, "main.js") });
  write(out, "index.html", PAGE('<script src="main.js"></script>'));
  assertExercise((await open(await serve(out))).result);
});

for (const format of /** @type {const} */ (["esm", "cjs"])) {
  test(`esbuild for Node, ${format}: one file that needs no other`, () => runInNode(format, []));
}

test("esbuild for workerd: the wasm stays a module of its own", () => runInNode("esm", ["workerd"]));

/**
 * @param {"esm" | "cjs"} format
 * @param {string[]} conditions
 */
async function runInNode(format, conditions) {
  const out = join(folder, `node-${format}-${conditions.join("-")}`, format === "esm" ? "main.mjs" : "main.cjs");
  write(folder, "print.js", `${MAIN}console.log(JSON.stringify(globalThis.result));\n`);
  let imported = 0;
  await build({
    entryPoints: [join(folder, "print.js")],
    bundle: true,
    outfile: out,
    format,
    ...(conditions.length > 0 ? { platform: "neutral", conditions } : { platform: "node" }),
    plugins: [{
      name: "workerd",
      // What Cloudflare's bundler does: an import of a .wasm file gives a compiled module.
      setup(setup) {
        setup.onLoad({ filter: /\.wasm$/ }, ({ path }) => {
          imported += 1;
          const base64 = readFileSync(path).toString("base64");
          return { contents: `export default new WebAssembly.Module(Buffer.from("${base64}", "base64"))` };
        });
      },
    }],
  });
  assert.equal(imported, conditions.length);
  // Nothing of the package may be needed any more, so it is run from elsewhere.
  assertExercise(JSON.parse(execFileSync(process.execPath, [out], { cwd: "/", encoding: "utf8" })));
}
