// Fills a package folder from the wasm and its glue.
//
//   index.js     browsers and bundlers: one ES module with the wasm inside
//   index.cjs    the same for `require`; Node's one instance
//   node.js      Node's `import`: the names of index.cjs
//   workerd.js   Cloudflare's workers, which compile no bytes: a static import of the wasm
//   slim.js      the glue alone, for those who load the wasm themselves
//   import.js .cjs, cli.js   src/js/import and src/js/cli
//   store-*.js .cjs          src/js/stores, one by one

import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { bundle } from "./bundle.mjs";
import { CLI, addCli } from "./cli.mjs";
import { manifest } from "./manifest.mjs";
import { CommandError, root } from "./run.mjs";
import { GLUE, GLUE_TYPES, WASM } from "./wasm.mjs";

const TYPES = join(root, "src", "js", "types.d.ts");
const ENTRIES = join(root, "src", "js", "entries");
const HOST = join(root, "src", "js", "host.js");
const STORES = join(root, "src", "js", "stores");
const IMPORT = join(root, "src", "js", "import", "index.js");

/**
 * @param {string} from the folder with wasm and glue
 * @param {string} folder
 */
export async function fill(from, folder) {
  // Made beside and moved into place: a failed build leaves the last good one.
  const out = join(root, "target", `${basename(folder)}.partial`);
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const names = await publicNames();
  const [main, slim] = [join(ENTRIES, "main.js"), join(ENTRIES, "slim.js")];
  const inlined = parts(from, names, false);
  await bundle({ entryPoints: [main], outfile: join(out, "index.js"), format: "esm", plugins: [inlined] });
  // Bundled and inlined for Node too. Bundled: wasm-pack's own Node glue requires the snippet, an ES module, which only
  // newer Nodes can. Inlined: who bundles a server leaves files behind that are read from beside the code.
  // The footer never runs: Node finds a CommonJS module's names by reading the text, and esbuild writes them in a way that
  // is not understood unless it bundles for Node alone (which would put Buffer into a file that browsers use too).
  const footer = { js: `0 && (module.exports = { ${names.join(", ")} });` };
  await bundle({ entryPoints: [main], outfile: join(out, "index.cjs"), format: "cjs", plugins: [inlined], footer });
  await bundle({ entryPoints: [main], outfile: join(out, "workerd.js"), format: "esm", plugins: [parts(from, names, true)] });
  await bundle({ entryPoints: [slim], outfile: join(out, "slim.js"), format: "esm", plugins: [inlined] });
  await writeFile(join(out, "node.js"), nodeEntry(names, "index.cjs"));
  await copyFile(join(from, WASM), join(out, WASM));
  await writeTypes(join(from, GLUE_TYPES), join(out, "slim.d.mts"));
  // The same declarations twice: the file's ending says whether TypeScript may `require` the module.
  await writeTypes(TYPES, join(out, "index.d.mts"));
  await writeTypes(TYPES, join(out, "index.d.cts"));
  const hasImport = existsSync(IMPORT);
  if (hasImport) await addImport(out);
  const stores = await storeNames();
  for (const name of stores) await addStore(name, out);
  const hasCli = existsSync(CLI);
  if (hasCli) await addCli(out);
  for (const file of ["README.md", "LICENSE-MIT", "LICENSE-APACHE"]) await copyFile(join(root, file), join(out, file));
  await writeFile(join(out, "package.json"), `${JSON.stringify(await manifest({ hasImport, hasCli, stores }), null, 2)}\n`);
  await rm(folder, { recursive: true, force: true });
  await rename(out, folder);
}

/**
 * Copies declarations. Their `[Symbol.dispose]` is an error for users whose `lib` is older than it and who check the
 * declarations of packages, unless the file itself says what it needs; src/js/types.d.ts cannot, since it becomes the middle
 * of another file as well.
 * @param {string} from
 * @param {string} to
 */
async function writeTypes(from, to) {
  await writeFile(to, `/// <reference lib="esnext.disposable" />\n${await readFile(from, "utf8")}`);
}

/**
 * The names that the package has: what src/js/types.d.ts declares beside types. It is the one list of them.
 * @returns {Promise<string[]>}
 */
export async function publicNames() {
  const declared = (await readFile(TYPES, "utf8")).matchAll(/^export (?:declare )?(?:abstract )?(?:function|class|const|enum) (\w+)/gm);
  // A name with overloads is declared more than once.
  return [...new Set(Array.from(declared, ([, name]) => /** @type {string} */ (name)))];
}

/**
 * The names among them that stand in JavaScript.
 * @returns {Promise<string[]>}
 */
async function hostNames() {
  const exported = (await readFile(HOST, "utf8")).matchAll(/^export \{ ([\w, ]+) \} from/gm);
  return Array.from(exported, ([, list]) => /** @type {string} */ (list).split(", ")).flat();
}

/**
 * Resolves the modules of src/js/entries/build.d.ts.
 * @param {string} from
 * @param {readonly string[]} names
 * @param {boolean} isExternal whether the wasm stays a file
 * @returns {import("esbuild").Plugin}
 */
function parts(from, names, isExternal) {
  return {
    name: "parts",
    setup(build) {
      build.onResolve({ filter: /^build:/ }, ({ path }) => {
        if (path === "build:wasm") return isExternal ? { path: `./${WASM}`, external: true } : { path: WASM, namespace: "bytes" };
        if (path === "build:host") return { path: HOST };
        return path === "build:glue" ? { path: join(from, GLUE) } : { path, namespace: "names" };
      });
      // Named without its folder: esbuild writes the names of modules into what it makes.
      build.onLoad({ filter: /./, namespace: "bytes" }, async () => ({ contents: await readFile(join(from, WASM)), loader: "binary" }));
      // One by one: esbuild then says so if the glue lacks a name, and nothing internal (KeptFacts, start) gets out.
      build.onLoad({ filter: /./, namespace: "names" }, async () => {
        const ofHost = await hostNames();
        const ofGlue = names.filter((name) => !ofHost.includes(name));
        return { contents: `export { ${ofGlue.join(", ")} } from "build:glue";\nexport { ${ofHost.join(", ")} } from "build:host";` };
      });
      build.onLoad({ filter: /context_projector\.js$/ }, async ({ path }) => ({ contents: quietGlue(await readFile(path, "utf8")) }));
    },
  };
}

/**
 * The glue without a fault of its own: bundlers read `new URL(…, import.meta.url)` as an order to put out the file, even
 * where the user loads the wasm in another way, and so it would be there twice.
 * @param {string} glue
 */
function quietGlue(glue) {
  const url = `new URL('${WASM}', import.meta.url)`;
  if (!glue.includes(url)) throw new CommandError(`the glue does not hold ${url}: wasm-bindgen writes it differently now`);
  return glue.replace(url, `new URL(/* @vite-ignore */ /* webpackIgnore: true */ '${WASM}', import.meta.url)`);
}

/**
 * Node's ES module: names from the CommonJS one, so that `import` and `require` share one instance. One by one, since
 * `export *` from CommonJS breaks Turbopack.
 * @param {readonly string[]} names
 * @param {string} file
 */
function nodeEntry(names, file) {
  return `export {\n${names.map((name) => `  ${name},\n`).join("")}} from "./${file}";\n`;
}

/**
 * `context-projector/import`: no wasm and no state in it, so that two copies (ES module, CommonJS) do no harm.
 * @param {string} out
 */
async function addImport(out) {
  await bundle({ entryPoints: [IMPORT], outfile: join(out, "import.js"), format: "esm" });
  await bundle({ entryPoints: [IMPORT], outfile: join(out, "import.cjs"), format: "cjs" });
  const text = await readFile(join(ENTRIES, "import.d.ts"), "utf8");
  for (const ending of ["mts", "cts"]) {
    // In the package, the project's types stand beside these.
    const beside = `"./index.${ending.replace("ts", "js")}"`;
    await writeFile(join(out, `import.d.${ending}`), text.replace('"../types.d.ts"', beside));
  }
}

/** The stores: each module of src/js/stores that has types in src/js/entries/stores. */
async function storeNames() {
  const typed = await readdir(join(ENTRIES, "stores"));
  return typed.map((name) => name.replace(/\.d\.ts$/, "")).sort();
}

/**
 * `context-projector/stores/NAME`: no wasm in it either.
 * @param {string} name
 * @param {string} out
 */
async function addStore(name, out) {
  const entry = join(STORES, `${name}.js`);
  await bundle({ entryPoints: [entry], outfile: join(out, `store-${name}.js`), format: "esm", external: ["node:*"] });
  await bundle({ entryPoints: [entry], outfile: join(out, `store-${name}.cjs`), format: "cjs", external: ["node:*"] });
  const text = await readFile(join(ENTRIES, "stores", `${name}.d.ts`), "utf8");
  for (const ending of ["mts", "cts"]) {
    await writeFile(join(out, `store-${name}.d.${ending}`), text.replace('"../../types.d.ts"', `"./index.${ending.replace("ts", "js")}"`));
  }
}
