// The package.json of the package.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./run.mjs";
import { WASM } from "./wasm.mjs";

/**
 * @param {{ hasImport: boolean, hasCli: boolean, stores: readonly string[] }} parts
 * @returns {Promise<Record<string, unknown>>}
 */
export async function manifest({ hasImport, hasCli, stores }) {
  const cargo = await readFile(join(root, "Cargo.toml"), "utf8");
  const field = (/** @type {string} */ name) => new RegExp(`^${name} = "([^"]*)"`, "m").exec(cargo)?.[1];
  const keywords = /^keywords = (\[[^\]]*\])/m.exec(cargo)?.[1];
  // `types` first: TypeScript takes the first condition that fits.
  const esm = (/** @type {string} */ file, types = "./index.d.mts") => ({ types, default: file });
  const cjs = (/** @type {string} */ file, types = "./index.d.cts") => ({ types, default: file });
  return {
    name: "context-projector",
    version: field("version"),
    description: field("description"),
    keywords: JSON.parse(keywords ?? "[]"),
    license: field("license"),
    // ES modules end in .js and not in .mjs: several servers send the latter with a type that browsers refuse.
    type: "module",
    engines: { node: ">=20" },
    // For tools that know no `exports`, and for `require` of the folder.
    main: "./index.cjs",
    types: "./index.d.cts",
    exports: {
      ".": {
        // Before `node`: Cloudflare's bundler may set both, and workerd refuses to compile bytes.
        workerd: esm("./workerd.js"),
        // One instance for `import` and `require`.
        node: { import: esm("./node.js"), require: cjs("./index.cjs") },
        require: cjs("./index.cjs"),
        default: esm("./index.js"),
      },
      "./slim": esm("./slim.js", "./slim.d.mts"),
      ...(hasImport ? { "./import": { require: cjs("./import.cjs", "./import.d.cts"), default: esm("./import.js", "./import.d.mts") } } : {}),
      ...Object.fromEntries(
        stores.map((name) => [
          `./stores/${name}`,
          { require: cjs(`./store-${name}.cjs`, `./store-${name}.d.cts`), default: esm(`./store-${name}.js`, `./store-${name}.d.mts`) },
        ]),
      ),
      [`./${WASM}`]: `./${WASM}`,
      "./package.json": "./package.json",
    },
    ...(hasCli ? { bin: { "context-projector": "./cli.js" } } : {}),
    files: ["*.js", "*.cjs", "*.d.mts", "*.d.cts", WASM, "LICENSE-MIT", "LICENSE-APACHE"],
    // True although index.js makes an instance on import: it is whole in itself, so who uses one of its names gets the
    // instance with it, and who uses none loses nothing.
    sideEffects: false,
  };
}
