// The tools of one step: called together or one by one, their results kept in the order of the calls.

import { messageOf } from "../shared/errors.js";
import { jsonOf } from "../shared/items.js";
import { isPause } from "./pause.js";

/**
 * @typedef {object} Asked a call, as src/runtime/answer.rs reads it
 * @property {string} callId
 * @property {string} name
 * @property {any} input
 * @property {string | null} fault what is wrong with the arguments
 * @property {boolean} takesText
 * @property {boolean} needsPerson
 *
 * @typedef {{ output: unknown } | { failure: string } | { pause: string }} Outcome
 * @typedef {{ [name: string]: (args: any, call: any) => unknown }} Tools
 */

/** What a call gets whose run was given up. */
const ABORTED = { failure: "[no result: aborted]" };

/**
 * Calls tools; `keep` takes each outcome in, in the order of the calls, as soon as those before it are there. When the
 * signal fires, calls without an outcome are closed.
 * @param {readonly Asked[]} calls
 * @param {Tools} tools
 * @param {boolean} isParallel
 * @param {AbortSignal} signal
 * @param {(call: Asked, outcome: Outcome, index: number) => void} keep
 */
export async function callTools(calls, tools, isParallel, signal, keep) {
  const given = new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener("abort", () => resolve(null), { once: true });
  });
  /** @type {(Outcome | undefined)[]} */
  const settled = [];
  const start = async (/** @type {number} */ index) => {
    settled[index] = await outcomeOf(/** @type {Asked} */ (calls[index]), tools, signal);
  };
  const started = isParallel ? calls.map((_, index) => start(index)) : [];
  for (const [index, call] of calls.entries()) {
    if (!signal.aborted) await Promise.race([started[index] ?? start(index), given]);
    const outcome = settled[index] ?? ABORTED;
    // Nobody is asked any more.
    keep(call, signal.aborted && "pause" in outcome ? ABORTED : outcome, index);
  }
}

/** @param {Asked} call @param {Tools} tools @param {AbortSignal} signal @returns {Promise<Outcome>} */
async function outcomeOf(call, tools, signal) {
  const { callId, name, input, fault, takesText, needsPerson } = call;
  // A call whose type takes no text cannot be told what went wrong: a person has to look.
  const failed = (/** @type {string} */ message) => (takesText ? { failure: message } : { pause: message });
  if (needsPerson) return { pause: "the call waits for approval" };
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (tool === undefined) {
    const known = Object.keys(tools);
    return failed(`there is no tool "${name}"; ${known.length === 0 ? "there are none at all" : `known are: ${known.join(", ")}`}`);
  }
  if (fault !== null) return failed(`${name} was not called: ${fault}`);
  try {
    const output = await tool(input, { callId, name, signal });
    if (takesText) return { output: output === undefined ? undefined : JSON.parse(jsonOf(output) ?? "null") };
    if (typeof output === "object" && output !== null) return { output };
    return { pause: `the result of ${name} is no text: its tool must give the item that answers the call` };
  } catch (thrown) {
    return isPause(thrown) ? { pause: thrown.message } : failed(messageOf(thrown));
  }
}
