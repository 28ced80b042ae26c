// Reason and act: the model calls tools until it answers.

import { drive } from "./drive.js";

/**
 * @typedef {import("../types.d.ts").AgentRunRequest} AgentRunRequest
 * @typedef {import("../types.d.ts").AgentRunResult} AgentRunResult
 * @typedef {import("../session/session.js").AgentSession} AgentSession
 */

export class ReActRuntime {
  /** @param {AgentSession} session @param {AgentRunRequest} request @returns {Promise<AgentRunResult>} */
  run(session, request) {
    return drive(session, request, { style: "ReActRuntime" });
  }
}
