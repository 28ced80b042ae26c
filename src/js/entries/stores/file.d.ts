// The types of context-projector/stores/file. In the package, the project's types stand beside these.

import type { AgentSessionStore } from "../../types.d.ts";

/**
 * Sessions in a folder, for Node: one journal a session, an event a line. A save appends what is new and returns when the
 * disk has it; whatever was saved is there after a crash. A torn last line is left out, with a warning of the process
 * (`CONTEXT_PROJECTOR_TORN`). Ids never become paths.
 *
 * @example
 * ```ts
 * import { AgentSession } from "context-projector";
 * import { fileStore } from "context-projector/stores/file";
 *
 * const store = fileStore("./sessions");
 * const session = (await AgentSession.resume(store, "chat-7")) ?? new AgentSession({ sessionId: "chat-7", store });
 * session.addUserInput("Hello");
 * await session.save();
 * ```
 *
 * @param folder made where it is not there
 * @throws {ContextProjectorError} `invalid_option` at `folder`
 */
export function fileStore(folder: string): Required<AgentSessionStore>;
