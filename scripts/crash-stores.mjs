// The stores that outlive a process, opened at a place.

import { createRequire } from "node:module";
import { join } from "node:path";
import { CommandError, root } from "./lib/run.mjs";

const require = createRequire(import.meta.url);

/** @type {Record<string, (place: string) => Promise<import("../src/js/types.d.ts").AgentSessionStore>>} */
const stores = {
  file: async (place) => require(join(root, "pkg", "store-file.cjs")).fileStore(place),
};

/** @param {string} name @param {string} place */
export async function openStore(name, place) {
  const open = stores[name];
  if (open === undefined) throw new CommandError(`--store takes one of ${Object.keys(stores).join(", ")}, and "${name}" is none`);
  return open(place);
}
