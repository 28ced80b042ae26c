// A writer that is going to be killed: it adds items to a session, saves, and tells each save that was acknowledged.

import { writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { openStore } from "./crash-stores.mjs";
import { root } from "./lib/run.mjs";

const [name = "", place = "", sessionId = ""] = process.argv.slice(2);
const { AgentSession } = createRequire(import.meta.url)(join(root, "pkg"));
const store = await openStore(name, place);
const session = (await AgentSession.resume(store, sessionId)) ?? new AgentSession({ sessionId, store });
for (let n = 0; ; n += 1) {
  session.addUserInput(`${session.sequence} ${"word ".repeat(n % 400)}`);
  // A journal that was pruned is written whole.
  if (n % 50 === 49) session.prune(session.sequence - 20);
  await session.save();
  writeSync(1, `${session.sequence}\n`);
}
