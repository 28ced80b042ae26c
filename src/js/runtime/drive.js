// Drives a run: the core says what comes next, here it is done.

import { RuntimeRun, runtimeGoal } from "build:glue";
import { insideOf } from "../session/session.js";
import { failure, messageOf } from "../shared/errors.js";
import { checkedAnswer, checkedRequest } from "./request.js";
import { callTools } from "./tools.js";

/**
 * @typedef {import("../types.d.ts").AgentRunRequest} AgentRunRequest
 * @typedef {import("../types.d.ts").AgentRunResult} AgentRunResult
 * @typedef {import("../session/session.js").AgentSession} AgentSession
 * @typedef {import("../session/session.js").Inside} Inside
 * @typedef {(code: { language: string, source: string, signal: AbortSignal }) => Promise<{ ok: boolean, output: string }>} Execute
 * @typedef {object} Manner what is special to a runtime
 * @property {string} style its name
 * @property {((goal: string) => string[] | Promise<string[]>) | undefined} [plan]
 * @property {Execute} [execute]
 */

/** Sessions at work: two runs at once would mix their calls. @type {WeakSet<object>} */
const atWork = new WeakSet();

/** The attribute that keeps the plan of a research, so that a run that goes on does not make another. */
const PLAN = "deepResearch.plan";

/**
 * @param {AgentSession} session
 * @param {AgentRunRequest} request
 * @param {Manner} manner
 * @returns {Promise<AgentRunResult>}
 */
export async function drive(session, request, manner) {
  const inside = Object(session) === session ? insideOf(session) : null;
  if (inside === null) throw failure("invalid_option", "session", "must be an AgentSession");
  const asked = checkedRequest(request);
  if (atWork.has(session)) throw failure("conflict", "session", "another run of this session is under way");
  atWork.add(session);
  // Its own: a tool may listen long after the run, and the caller's signal may live for ever.
  const control = new AbortController();
  const give = () => control.abort(asked.signal?.reason);
  if (asked.signal?.aborted) give();
  else asked.signal?.addEventListener("abort", give, { once: true });
  /** @type {Driver | null} */
  let driver = null;
  try {
    if (control.signal.aborted) return { outputText: "", steps: 0, stopReason: "aborted", pause: null, toolCalls: [] };
    if (asked.input !== undefined) session.addUserInput(asked.input);
    const plan = manner.style === "DeepResearchRuntime" ? await planOf(session, inside, manner.plan, asked.input === undefined) : undefined;
    driver = new Driver(session, inside, asked, manner, control.signal, plan);
    return await driver.run();
  } finally {
    asked.signal?.removeEventListener("abort", give);
    atWork.delete(session);
    driver?.free();
  }
}

/**
 * The plan for what the newest user message asks for.
 * @param {AgentSession} session
 * @param {Inside} inside
 * @param {Manner["plan"]} make
 * @param {boolean} goesOn
 * @returns {Promise<string[] | undefined>} undefined: the default one
 */
async function planOf(session, inside, make, goesOn) {
  if (make === undefined) return undefined;
  const goal = runtimeGoal(inside.items(), inside.dialect()) ?? "";
  const known = /** @type {any} */ (session.getAttributes()[PLAN]);
  if (goesOn && known?.goal === goal) return known.steps;
  let steps;
  try {
    steps = await make(goal);
  } catch (thrown) {
    inside.record("ERROR", { message: messageOf(thrown) });
    throw thrown;
  }
  if (!Array.isArray(steps) || steps.length === 0 || steps.some((step) => typeof step !== "string")) {
    throw failure("invalid_option", "options.plan", "must give a list of strings, at least one");
  }
  session.putAttribute(PLAN, { goal, steps });
  return steps;
}

/** The signal fired while something was waited for. */
const GIVEN_UP = Symbol("given up");

class Driver {
  #session;
  #inside;
  #asked;
  #execute;
  #signal;
  #run;
  /** Resolves once the run is given up. @type {Promise<typeof GIVEN_UP>} */
  #givenUp;

  /**
   * @param {AgentSession} session
   * @param {Inside} inside
   * @param {ReturnType<typeof checkedRequest>} asked
   * @param {Manner} manner
   * @param {AbortSignal} signal
   * @param {string[] | undefined} plan
   */
  constructor(session, inside, asked, { style, execute }, signal, plan) {
    this.#session = session;
    this.#inside = inside;
    this.#asked = asked;
    this.#execute = execute;
    this.#signal = signal;
    this.#run = new RuntimeRun(style, asked.maxSteps, asked.instructions, plan);
    this.#givenUp = new Promise((resolve) => {
      if (signal.aborted) resolve(GIVEN_UP);
      else signal.addEventListener("abort", () => resolve(GIVEN_UP), { once: true });
    });
  }

  free() {
    this.#run.free();
  }

  /** @returns {Promise<AgentRunResult>} */
  async run() {
    try {
      const open = this.#asked.input === undefined ? this.#inside.items() : undefined;
      let next = this.#do(this.#run.begin(open, this.#inside.dialect()));
      while (next.do !== "end") next = this.#do(await this.#make(next));
      return next.result;
    } catch (thrown) {
      const code = /** @type {any} */ (thrown)?.code;
      this.#do(this.#run.failed(messageOf(thrown), typeof code === "string" ? code : undefined));
      throw thrown;
    }
  }

  /** Does what comes before the next thing, and answers that. @param {string} json @returns {Record<string, any>} */
  #do(json) {
    const { effects, ...next } = JSON.parse(json);
    for (const { say, type, payload } of effects) {
      if (say === undefined) this.#inside.record(type, payload);
      else this.#session.addUserInput(say);
    }
    return next;
  }

  /** @param {Record<string, any>} next @returns {Promise<string>} the action after it */
  async #make(next) {
    switch (next.do) {
      case "turn":
        return this.#turn();
      case "tools":
        return this.#callTools(next.calls);
      default:
        return this.#runCode(next.language, next.source);
    }
  }

  /** Compaction where due, projection, model. */
  async #turn() {
    const context = await this.#session.prepareTurn({ signal: this.#signal });
    if (this.#signal.aborted) return this.#run.aborted();
    const { step, instructions } = this.#do(this.#run.prepared(context.items.length));
    let answer;
    try {
      const asking = this.#asked.model(/** @type {any} */ ({ ...context, instructions, step, signal: this.#signal }));
      answer = await this.#orGivenUp(asking);
    } catch (thrown) {
      if (this.#signal.aborted) return this.#run.aborted();
      const again = this.#asked.isOverflow?.(thrown) === true ? this.#run.overflowed() : undefined;
      if (again === undefined) throw thrown;
      this.#session.reportOverflow();
      return again;
    }
    if (answer === GIVEN_UP) return this.#run.aborted();
    const { items, inputTokens } = checkedAnswer(answer);
    if (inputTokens !== undefined) this.#session.reportUsage({ inputTokens });
    this.#session.addOutputItems(items);
    return this.#run.answered(items, this.#inside.dialect(), inputTokens);
  }

  /** @param {import("./tools.js").Asked[]} calls */
  async #callTools(calls) {
    /** @type {{ callId: string, reason: string } | null} */
    let pause = null;
    await callTools(calls, this.#asked.tools, this.#asked.parallelToolCalls, this.#signal, (call, outcome, index) => {
      if ("pause" in outcome) {
        pause ??= { callId: call.callId, reason: outcome.pause };
        return;
      }
      this.#keep(call, outcome);
      this.#do(this.#run.resulted(index, "output" in outcome));
    });
    if (this.#signal.aborted) return this.#run.aborted();
    const { callId, reason } = pause ?? { callId: undefined, reason: undefined };
    return this.#run.toolsDone(callId, reason);
  }

  /** @param {import("./tools.js").Asked} call @param {{ output: unknown } | { failure: string }} outcome */
  #keep(call, outcome) {
    if ("failure" in outcome) {
      // A call that takes no text and was given up stays open; each projection leaves it out.
      if (call.takesText) this.#inside.addFailure(call.callId, outcome.failure);
    } else if (call.takesText) this.#session.addToolOutput(call.callId, outcome.output);
    else this.#inside.addAnswer(/** @type {object} */ (outcome.output));
  }

  /** @param {string} language @param {string} source */
  async #runCode(language, source) {
    /** @type {any} */
    let done;
    try {
      done = await this.#orGivenUp(/** @type {Execute} */ (this.#execute)({ language, source, signal: this.#signal }));
    } catch (thrown) {
      done = { ok: false, output: messageOf(thrown) };
    }
    if (done === GIVEN_UP || this.#signal.aborted) return this.#run.aborted();
    return this.#run.executed(done?.ok === true, String(done?.output ?? ""));
  }

  /** Waits, but no longer than the run is wanted. @template T @param {T | Promise<T>} wanted @returns {Promise<T | typeof GIVEN_UP>} */
  #orGivenUp(wanted) {
    return Promise.race([wanted, this.#givenUp]);
  }
}
