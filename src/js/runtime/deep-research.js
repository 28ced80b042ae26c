// Along a plan, which is made before the first step.

import { failure } from "../shared/errors.js";
import { drive } from "./drive.js";

/**
 * @typedef {import("../types.d.ts").AgentRunRequest} AgentRunRequest
 * @typedef {import("../types.d.ts").AgentRunResult} AgentRunResult
 * @typedef {import("../session/session.js").AgentSession} AgentSession
 */

export class DeepResearchRuntime {
  /** @type {((goal: string) => string[] | Promise<string[]>) | undefined} */
  #plan;

  /** @param {{ plan?: (goal: string) => string[] | Promise<string[]> }} [options] */
  constructor({ plan } = {}) {
    if (plan !== undefined && typeof plan !== "function") throw failure("invalid_option", "options.plan", "must be a function");
    this.#plan = plan;
  }

  /** @param {AgentSession} session @param {AgentRunRequest} request @returns {Promise<AgentRunResult>} */
  run(session, request) {
    return drive(session, request, { style: "DeepResearchRuntime", plan: this.#plan });
  }
}
