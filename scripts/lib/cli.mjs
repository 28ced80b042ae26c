// The command of the package, from src/js/cli.

import { chmod, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundle } from "./bundle.mjs";
import { CommandError, root } from "./run.mjs";

export const CLI = join(root, "src", "js", "cli", "main.js");

/**
 * The command: everything that it uses from npm is bundled, so that the package depends on nothing; the package's own
 * entries stay what they are.
 * @param {string} out
 */
export async function addCli(out) {
  const file = join(out, "cli.js");
  /** @type {import("esbuild").Plugin} */
  const own = {
    name: "own entries",
    setup(build) {
      build.onResolve({ filter: /^context-projector$/ }, () => ({ path: "./node.js", external: true }));
      build.onResolve({ filter: /^context-projector\/import$|\/import\/index\.js$/ }, () => ({ path: "./import.js", external: true }));
    },
  };
  // A bundled CommonJS package may call `require` for one of Node's modules, which an ES module does not have.
  const require = 'import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);';
  const made = await bundle({
    entryPoints: [CLI], outfile: file, platform: "node", target: "node20", format: "esm", plugins: [own], metafile: true,
    banner: { js: `#!/usr/bin/env node\n${require}` },
  });
  const licences = await bundledLicences(Object.keys(made.metafile?.inputs ?? {}));
  // The entry's own first line, if it has one, stands behind the banner, where it is an error.
  const code = (await readFile(file, "utf8")).replace(/(?<=\n)#!.*\n/, "");
  await writeFile(file, code + licences);
  await chmod(file, 0o755);
}

/**
 * The licences of bundled packages, as a comment: most of them ask to go along with the code.
 * @param {readonly string[]} inputs
 */
async function bundledLicences(inputs) {
  const packages = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  let text = "";
  for (const path of [...packages].sort()) {
    const name = (await readdir(join(root, path))).find((file) => /^licen[cs]e/i.test(file));
    if (name === undefined) throw new CommandError(`${path} has no licence file: it cannot be bundled`);
    const licence = (await readFile(join(root, path, name), "utf8")).trim().replaceAll("*/", "* /");
    text += `\n/*\nBundled: ${path.replace(/^.*node_modules\//, "")}\n\n${licence}\n*/\n`;
  }
  return text;
}
