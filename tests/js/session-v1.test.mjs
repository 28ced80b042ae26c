// A snapshot that version 1 wrote stays loadable. The fixture is never made anew: should this test fail, the library has to give way.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { pkg } from "./load.mjs";

const text = readFileSync(new URL("fixtures/session-v1.json", import.meta.url), "utf8");

it("a snapshot of version 1 is read", () => {
  const saved = JSON.parse(text);
  const session = pkg.AgentSession.restore(text);
  assert.equal(session.sessionId, "fixture");
  assert.equal(session.sequence, saved.events.length);
  assert.deepEqual(session.getMemory().snapshot(), saved.memory);
  assert.deepEqual(session.getAttributes(), { title: "Weather", list: [1, 2.5, null] });
  assert.deepEqual(session.getLastCompactResult()?.pending, ["answer about Osaka"]);
  assert.deepEqual(session.getCalibration(), saved.expected.calibration);
  assert.deepEqual(JSON.parse(JSON.stringify(session.snapshot())).events, saved.events);
  // Every kind of event that moves the state is in it.
  const kinds = new Set(saved.events.map((/** @type {{ type: string }} */ { type }) => type));
  for (const kind of ["SESSION_CREATED", "SETTINGS_CHANGED", "ITEMS_ADDED", "ITEM_REPLACED", "MEMORY_SET", "COMPACTED", "COMPACTION_FAILED", "MEMORY_COMPRESS", "ATTRIBUTE_SET", "USAGE_REPORTED", "OVERFLOW_REPORTED", "REWOUND"]) assert.ok(kinds.has(kind), kind);
  session.addUserInput("and on it goes");
  assert.equal(session.length, saved.memory.items.length + 1);
});
