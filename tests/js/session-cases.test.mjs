// The cases of sessions: a cut that was made stays made, whatever is saved, restored or rewound.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CHECKS, DIALECTS, cases } from "./case-checks.mjs";
import { pkg } from "./load.mjs";

/** @typedef {import("./case-checks.mjs").Case} Case */

/** @param {any} session */
function assertRoundTrip(session) {
  const again = pkg.AgentSession.restore(JSON.stringify(session.snapshot()));
  assert.equal(JSON.stringify(again.project()), JSON.stringify(session.project()));
}

/** @param {any[]} items @param {Case} found @param {any} session */
function run(items, found, session) {
  for (const [check, wanted] of Object.entries(found.checks)) {
    if (check === "roundTrip") assertRoundTrip(session);
    else if (check === "idempotent") assert.deepEqual(session.project().items, items);
    else {
      assert.ok(CHECKS[check], `the check "${check}" is known`);
      CHECKS[check]?.(wanted, items, found, {});
    }
  }
}

/** A log of items and compactions, lived again. @param {Case} found */
async function lived({ items, budget }) {
  const session = new pkg.AgentSession({ budget });
  /** The event after which an entry of the log was there. @type {number[]} */
  const sequences = [];
  /** Entries of the log, by item. @type {Map<object, number>} */
  const places = new Map();
  for (const [index, entry] of items.entries()) {
    if (entry.kind === "compaction") {
      await session.compact({
        compact: (memory) =>
          /** @type {any} */ ({
            status: "compacted",
            memory: { items: memory.items.filter((item) => (places.get(item) ?? 0) >= entry.firstKept), summary: entry.summary },
            extra: entry.data ?? {},
            attempts: [],
          }),
      });
    } else {
      places.set(entry, index);
      session.addOutputItems([entry]);
    }
    sequences.push(session.sequence);
  }
  return { session, sequences };
}

describe("cases of sessions", { skip: cases.length === 0 ? "no cases" : false }, () => {
  for (const found of cases.filter(({ shape }) => shape === "session-log")) {
    it(found.id, async () => {
      const { session, sequences } = await lived(found);
      const to = found.also?.rewind_to;
      if (to !== undefined) session.rewind(/** @type {number} */ (sequences[to]));
      const { items } = session.project();
      const told = session.getLastCompactResult();
      // What the record carries beside the summary stands in the session's state.
      run([...items, told?.extra], found, session);
      assertRoundTrip(session);
      const log = JSON.stringify(session.getEvents());
      for (const entry of found.items.filter(({ kind }) => kind === undefined)) assert.ok(log.includes(JSON.stringify(entry)), "the log keeps it");
    });
  }

  for (const found of cases.filter(({ op, shape }) => op === "session" && shape !== "session-log")) {
    it(found.id, () => {
      const { then_append: more, then_project: later } = /** @type {any} */ (found.also);
      const session = new pkg.AgentSession({ dialect: /** @type {any} */ (DIALECTS[found.shape]), budget: { maxItems: later.max_items } });
      session.addOutputItems(found.items);
      session.getMemory().restore({ items: found.items.slice(-1), summary: null });
      session.addOutputItems(more);
      run(session.project().items, found, session);
    });
  }
});
