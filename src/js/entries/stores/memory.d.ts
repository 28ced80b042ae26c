// The types of context-projector/stores/memory. In the package, the project's types stand beside these.

import type { AgentSessionStore } from "../../types.d.ts";

/**
 * A store in this process: for tests, and for what need not outlive it.
 *
 * @example
 * ```ts
 * import { AgentSession } from "context-projector";
 * import { memoryStore } from "context-projector/stores/memory";
 *
 * const store = memoryStore();
 * const session = new AgentSession({ store });
 * session.addUserInput("Hello");
 * await session.save();
 * const again = await AgentSession.resume(store, session.sessionId);
 * ```
 */
export function memoryStore(): Required<AgentSessionStore>;
