// What the packed package holds, and what its linters say.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { execute, packed, project } from "./helpers.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { tarball, files } = await packed();
const { installed } = await project();
const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
const read = (/** @type {string} */ name) => readFileSync(join(installed, name));

test("the tarball holds these files and no others", () => {
  const expected = [
    "LICENSE-APACHE", "LICENSE-MIT", "README.md", "package.json", "context_projector_bg.wasm",
    "index.js", "index.cjs", "index.d.mts", "index.d.cts", "node.js", "workerd.js", "slim.js", "slim.d.mts",
    ...(existsSync(join(root, "src/js/import/index.js")) ? ["import.js", "import.cjs", "import.d.mts", "import.d.cts"] : []),
    ...(existsSync(join(root, "src/js/cli/main.js")) ? ["cli.js"] : []),
    ...["file", "indexed-db", "memory", "sql", "unstorage", "web-storage"].flatMap((store) => ["js", "cjs", "d.mts", "d.cts"].map((ending) => `store-${store}.${ending}`)),
  ];
  assert.deepEqual(files, expected.sort());
});

test("every file that package.json names is there", () => {
  const named = [manifest.main, manifest.types, ...Object.values(manifest.bin ?? {})];
  const walk = (/** @type {any} */ value) => {
    if (typeof value === "string") named.push(value);
    else Object.values(value).forEach(walk);
  };
  walk(manifest.exports);
  for (const name of named) assert.ok(files.includes(name.replace(/^\.\//, "")), name);
  assert.equal(manifest.dependencies, undefined, "the package needs no other");
});

test("no file names a folder of this machine or a registry", () => {
  const folders = [root.replace(/[\\/]$/, ""), dirname(root.replace(/[\\/]$/, "")), homedir(), process.env.CARGO_HOME]
    .filter((folder) => folder !== undefined && folder.length > 1);
  const texts = files.map((name) => ({ name, text: read(name).toString("latin1") }));
  // The copies inside the code are base64: what is checked of the file holds for them if they are the same bytes.
  const base64 = read("context_projector_bg.wasm").toString("base64");
  for (const name of ["index.js", "index.cjs"]) assert.ok(read(name).toString("latin1").includes(base64), `${name} holds the same wasm`);
  for (const { name, text } of texts) {
    for (const folder of folders) assert.ok(!text.includes(`${folder}/`), `${name} holds ${folder}`);
    assert.ok(!/registry\/src|index\.crates\.io|\/rustup\//.test(text), `${name} names a registry or a toolchain's folder`);
  }
});

test("the entries take nothing from their environment that bundlers would stumble over", () => {
  for (const name of ["index.js", "index.cjs", "workerd.js"]) {
    const code = read(name).toString("utf8").replace(/"[A-Za-z0-9+/=]{1000,}"/, '""');
    assert.doesNotMatch(code, /import\.meta|import_meta|\bfetch\(|\brequire\(|^await |\bBuffer\b|\bprocess\b/m, name);
    assert.doesNotMatch(code, /export \*/, name);
  }
  assert.match(read("slim.js").toString("utf8"), /\/\* @vite-ignore \*\/\s+\/\* webpackIgnore: true \*\//);
});

test("publint has nothing to say", async () => {
  const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
  assert.deepEqual(messages.map((message) => formatMessage(message, manifest)), []);
});

/** @param {string[]} args */
async function attw(args) {
  const require = createRequire(import.meta.url);
  const path = require.resolve("@arethetypeswrong/cli/package.json");
  const cli = join(dirname(path), JSON.parse(readFileSync(path, "utf8")).bin.attw);
  try {
    // Without the look into DefinitelyTyped, which would ask a registry.
    await execute(process.execPath, [cli, tarball, "--no-definitely-typed", "--format", "json", ...args]);
  } catch (error) {
    const { stdout, stderr } = /** @type {{ stdout: string, stderr: string }} */ (error);
    assert.fail(stdout.slice(0, 4000) + stderr);
  }
}

test("@arethetypeswrong/cli has nothing to say", async () => {
  // node16 leaves out the resolution of Node 10, which knows no `exports` and so no subpath.
  await attw(["--profile", "node16", "--exclude-entrypoints", "./slim", "./context_projector_bg.wasm"]);
});

test("@arethetypeswrong/cli has nothing to say of slim, which is an ES module only", async () => {
  await attw(["--profile", "esm-only", "--entrypoints", "./slim"]);
});
