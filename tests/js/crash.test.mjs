// Writers that are killed at random: `npm run crash` does it a thousand times, this a few.

import assert from "node:assert/strict";
import { it } from "node:test";
import { crash } from "../../scripts/crash.mjs";

// The writer uses the release package.
const skip = process.env.CONTEXT_PROJECTOR_PKG?.includes("dev") ? "the release package alone" : false;

const sqlite = await import("better-sqlite3").then(() => false, () => "better-sqlite3 was not built here");

for (const [store, missing] of /** @type {[string, string | false][]} */ ([["file", false], ["sqlite", sqlite]])) {
  it(`what was acknowledged outlives the writer: ${store}`, { skip: skip || missing }, async (context) => {
    const { kills, acknowledged, losses, unreadable } = await crash(store, 15, (line) => context.diagnostic(line));
    context.diagnostic(`${store}: ${kills} kills, ${acknowledged} acknowledged appends`);
    assert.deepEqual([kills, losses, unreadable], [15, 0, 0]);
    assert.ok(acknowledged > 15);
  });
}
