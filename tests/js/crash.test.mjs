// Writers that are killed at random: `npm run crash` does it a thousand times, this a few.

import assert from "node:assert/strict";
import { it } from "node:test";
import { crash } from "../../scripts/crash.mjs";

// The writer uses the release package.
const skip = process.env.CONTEXT_PROJECTOR_PKG?.includes("dev") ? "the release package alone" : false;

it("what was acknowledged outlives the writer: files", { skip }, async (context) => {
  const { kills, acknowledged, losses, unreadable } = await crash("file", 20, (line) => context.diagnostic(line));
  context.diagnostic(`${kills} kills, ${acknowledged} acknowledged appends`);
  assert.deepEqual([kills, losses, unreadable], [20, 0, 0]);
  assert.ok(acknowledged > 20);
});
