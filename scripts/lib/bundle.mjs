// esbuild with the settings that all entries share.

import { root } from "./run.mjs";

/**
 * @param {import("esbuild").BuildOptions} options
 * @returns {Promise<import("esbuild").BuildResult>}
 */
export async function bundle(options) {
  // Not at the top of the file: the scripts that import this one install esbuild.
  const { build } = await import("esbuild");
  return build({
    bundle: true,
    absWorkingDir: root,
    // No environment's modules or globals are taken for granted.
    platform: "neutral",
    target: "es2022",
    charset: "utf8",
    logLevel: "warning",
    logOverride: {
      // wasm-bindgen lists the snippet among its imports once for each room of the crate that uses it.
      "duplicate-object-key": "silent",
      // The one `import.meta` stands in a function of the glue that only slim.js holds.
      "empty-import-meta": "silent",
    },
    ...options,
  });
}
