// How Vite serves and builds the page. The page imports the package as its users do; here its name leads to the built pkg/.

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const www = fileURLToPath(new URL(".", import.meta.url));
const pkg = process.env.CONTEXT_PROJECTOR_PKG ? resolve(process.env.CONTEXT_PROJECTOR_PKG) : fileURLToPath(new URL("../pkg", import.meta.url));

/** No inline script, no eval, nothing from elsewhere. Only in the built page: Vite's development client puts styles inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

export default defineConfig({
  root: www,
  // Relative addresses: the built page works in any folder of any server.
  base: "./",
  clearScreen: false,
  resolve: { alias: entries() },
  // The package lies beside www/, and Vite serves nothing outside of what is named here.
  server: { host: "127.0.0.1", fs: { allow: [www, pkg] } },
  preview: { host: "127.0.0.1" },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    // The first that know light-dark().
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // The package's entry holds the WebAssembly as text: a warning about its size tells nothing.
    chunkSizeWarningLimit: 2000,
  },
  plugins: [
    {
      name: "content-security-policy",
      apply: "build",
      transformIndexHtml: () => [{ tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content: POLICY }, injectTo: "head-prepend" }],
    },
  ],
});

/** The package's published entries, as a bundler for browsers picks them. */
function entries() {
  const manifest = resolve(pkg, "package.json");
  if (!existsSync(manifest)) throw new Error("The package is not built yet: run `npm run build` first.");
  /** @type {{ name: string, exports: Record<string, string | { default: string | { default: string } }> }} */
  const { name, exports } = JSON.parse(readFileSync(manifest, "utf8"));
  return Object.entries(exports).map(([subpath, target]) => {
    const chosen = typeof target === "string" ? target : typeof target.default === "string" ? target.default : target.default.default;
    const specifier = `${name}${subpath.slice(1)}`.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    return { find: new RegExp(`^${specifier}$`), replacement: resolve(pkg, chosen) };
  });
}
