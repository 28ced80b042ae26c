// P6 and P8 over random lives of a session: what was saved, what was replayed and what lived agree; nothing is lost; what was
// undone was never there.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { builders } from "./builders.mjs";
import { packageFolder, pkg } from "./load.mjs";

/** @typedef {import("../../src/js/types.d.ts").Dialect} Dialect */

const { memoryStore } = createRequire(import.meta.url)(join(packageFolder, "store-memory.cjs"));
const { AgentSession, LlmCompactPolicy } = pkg;
const runs = Number(process.env.CONTEXT_PROJECTOR_RUNS ?? (process.env.CONTEXT_PROJECTOR_PKG ? 40 : 300));

const ANSWERS = ['{"goal":"g","completed":["one"],"pending":["two"]}', "{}", "", "prose that is much too short", '{"goal":"h","decisions":["three"],"resolved":[1]}'];

/** @typedef {{ do: "user" | "step" | "open" | "answer" | "turn" | "compact" | "save" | "restore" | "usage" | "overflow" | "attribute" | "summary" | "clear", n: number } | { do: "rewind" | "prune", n: number }} Operation */

const operation = fc.record({
  do: fc.oneof(
    ...["user", "step", "step", "open", "answer", "turn", "turn", "compact", "save", "restore", "rewind", "usage", "overflow", "attribute", "summary", "prune"].map((name) => fc.constant(name)),
    fc.constant("clear"),
  ),
  n: fc.nat({ max: 1_000 }),
});

/** @param {any} session */
const view = (session) => JSON.parse(JSON.stringify({ memory: session.getMemory().snapshot(), sent: session.project(), attributes: session.getAttributes(), calibration: session.getCalibration() }));

describe("sessions that live at random", () => {
  for (const dialect of /** @type {Dialect[]} */ (Object.keys(builders))) {
    it(`agree with what is read again, in ${dialect}`, async (context) => {
      const made = /** @type {any} */ (builders[dialect]);
      let turns = 0;
      let rewinds = 0;
      let compacted = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { minLength: 20, maxLength: 60, size: "max" }), fc.nat(), async (operations, seed) => {
          let answers = seed;
          const policy = new LlmCompactPolicy(() => {
            answers += 1;
            if (answers % 7 === 0) throw new Error("down");
            return /** @type {string} */ (ANSWERS[answers % ANSWERS.length]);
          }, { maxApproxChars: 1_600, dialect });
          const store = memoryStore();
          const options = { sessionId: "s", dialect, store, compactPolicy: policy, budget: { maxApproxChars: 1_500, maxRecentToolResults: 3, lowWater: 0.7 }, now: () => 1 };
          /** @type {any} */
          let session = new AgentSession(options);
          /** Results by call, as long as the log has them. @type {Map<string, string>} */
          const results = new Map();
          /** @type {string[]} */
          const open = [];
          /** What was sent, by the event of the turn. @type {Map<number, string>} */
          const sent = new Map();
          let calls = 0;
          for (const { do: what, n } of operations) {
            switch (what) {
              case "user":
                session.addUserInput(`${"question ".repeat(1 + (n % 20))}${n}`);
                break;
              case "step": {
                const id = `call_${(calls += 1)}`;
                results.set(id, `result ${calls} ${"text ".repeat(n % 60)}`);
                session.addOutputItems(made.exchange(id, "look", { n }, results.get(id)));
                break;
              }
              case "open":
                open.push(`call_${(calls += 1)}`);
                session.addOutputItems([made.call(open.at(-1), "look", { n })]);
                break;
              case "answer": {
                const id = open.pop();
                if (id === undefined) break;
                results.set(id, `late ${n}`);
                try {
                  session.addToolOutput(id, `late ${n}`);
                } catch (error) {
                  // A part of a UIMessage that was summarised meanwhile, or a call that was gone back before.
                  assert.equal(/** @type {any} */ (error).code, "unknown_call");
                  results.delete(id);
                }
                break;
              }
              case "turn": {
                const { items, compaction } = await session.prepareTurn();
                turns += 1;
                compacted += Number(compaction?.status === "compacted");
                sent.set(session.sequence, JSON.stringify(items));
                break;
              }
              case "compact":
                await session.compact().catch((/** @type {any} */ error) => assert.ok(["compaction_failed", undefined].includes(error.code), error.code));
                break;
              case "save":
                await session.save();
                break;
              case "restore":
                session = AgentSession.restore(JSON.stringify(session.snapshot()), { ...options, store: memoryStore() });
                break;
              case "rewind": {
                const first = session.getEvents()[0].sequence;
                session.rewind(first + (n % (session.sequence - first + 1)));
                rewinds += 1;
                break;
              }
              case "usage":
                session.reportUsage({ inputTokens: 500 + n });
                break;
              case "overflow":
                session.reportOverflow(n % 2 === 0 ? { maxTokens: 100_000 } : {});
                break;
              case "attribute":
                session.putAttribute(`k${n % 3}`, n % 5 === 0 ? undefined : { n });
                break;
              case "summary":
                session.getMemory().setSummary(n % 3 === 0 ? null : `summary ${n}`);
                break;
              case "clear":
                if (n % 4 === 0) session.getMemory().clear();
                break;
              case "prune": {
                const at = session.sequence - (n % 10);
                if (n % 3 !== 0 || at <= session.getEvents()[0].sequence + 1) break;
                try {
                  session.prune(at);
                } catch (error) {
                  assert.equal(/** @type {any} */ (error).code, "invalid_option");
                  break;
                }
                for (const sequence of sent.keys()) if (sequence < at) sent.delete(sequence);
                // What a checkpoint took with it cannot be recalled.
                const text = JSON.stringify(session.getEvents());
                for (const [id, result] of results) if (!text.includes(JSON.stringify(result).slice(1, -1))) results.delete(id);
                break;
              }
            }
          }
          const wanted = view(session);
          assert.deepEqual(view(AgentSession.restore(session.snapshot(), options)), wanted, "restore");
          assert.deepEqual(view(AgentSession.replay(JSON.parse(JSON.stringify(session.getEvents())), options)), wanted, "replay");
          for (const [sequence, items] of sent) assert.equal(JSON.stringify(session.contextAt(sequence).items), items, `contextAt(${sequence})`);
          for (const [id, result] of results) assert.ok(JSON.stringify(session.recall(id)).includes(JSON.stringify(result).slice(1, -1)), `recall(${id})`);
          const errors = pkg.validate(wanted.sent.items, { dialect }).filter(({ severity }) => severity === "error");
          assert.deepEqual(errors, []);
        }),
        { seed: 20_261, numRuns: runs },
      );
      context.diagnostic(`${runs} sessions: ${turns} turns, ${compacted} compactions, ${rewinds} rewinds`);
      assert.ok(turns > runs && rewinds > runs / 2);
    });
  }
});
