// The model acts by code, which the host runs.

import { failure } from "../shared/errors.js";
import { drive } from "./drive.js";

/**
 * @typedef {import("../types.d.ts").AgentRunRequest} AgentRunRequest
 * @typedef {import("../types.d.ts").AgentRunResult} AgentRunResult
 * @typedef {import("../session/session.js").AgentSession} AgentSession
 * @typedef {import("./drive.js").Execute} Execute
 */

export class CodeActRuntime {
  /** @type {Execute} */
  #execute;

  /** @param {{ execute: Execute }} options */
  constructor(options) {
    const { execute } = options ?? {};
    if (typeof execute !== "function") throw failure("invalid_option", "options.execute", "must be a function");
    this.#execute = execute;
  }

  /** @param {AgentSession} session @param {AgentRunRequest} request @returns {Promise<AgentRunResult>} */
  run(session, request) {
    return drive(session, request, { style: "CodeActRuntime", execute: this.#execute });
  }
}
