// The types of context-projector/stores/indexed-db. In the package, the project's types stand beside these.

import type { AgentSessionStore } from "../../types.d.ts";

/**
 * Sessions in the browser's IndexedDB, also in workers: a row an event, one transaction a save. Of two tabs that write to one
 * session the second is told (`conflict`). Over quota the browser's own `QuotaExceededError` arrives, and what was saved
 * before is there.
 *
 * @example
 * ```ts
 * import { AgentSession } from "context-projector";
 * import { indexedDbStore } from "context-projector/stores/indexed-db";
 *
 * const store = indexedDbStore();
 * const session = (await AgentSession.resume(store, "chat-7")) ?? new AgentSession({ sessionId: "chat-7", store });
 * session.addUserInput("Hello");
 * await session.save();
 * ```
 *
 * @param options `name`: of the database; default `context-projector`
 */
export function indexedDbStore(options?: { name?: string }): Required<AgentSessionStore>;
