// The modules that scripts/lib/package.mjs puts in while it bundles the entries.

declare module "build:glue" {
  /** wasm-bindgen's way to start, for bytes or a compiled module. */
  export function initSync(options: { module: BufferSource | WebAssembly.Module }): unknown;
  /** wasm-bindgen's way to start with a file that is still to be loaded. */
  export default function init(options?: { module_or_path: unknown }): Promise<unknown>;
}

declare module "build:wasm" {
  const wasm: BufferSource | WebAssembly.Module;
  export default wasm;
}

/** The public names, each re-exported from the glue; src/js/types.d.ts is their list. */
declare module "build:public" {}
