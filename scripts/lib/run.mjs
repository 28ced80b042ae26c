// Runs commands for the other scripts.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The project's top folder. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** A command that failed: the scripts print its message and exit, without a stack. */
export class CommandError extends Error {}

/**
 * Runs a command and answers what it printed; its output goes through as it comes.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, quiet?: boolean }} [options] quiet: the output is only answered
 * @returns {Promise<string>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: options.env ?? process.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const [stream, target] of /** @type {const} */ ([[child.stdout, process.stdout], [child.stderr, process.stderr]])) {
      // A character may be cut in two by the pipe.
      stream.setEncoding("utf8");
      stream.on("data", (/** @type {string} */ chunk) => {
        output += chunk;
        if (!options.quiet) target.write(chunk);
      });
    }
    child.on("error", (error) => reject(new CommandError(`${command}: ${error.message}`)));
    child.on("close", (code, signal) => {
      if (code === 0) return resolve(output);
      const error = new CommandError(`${command} ${args.join(" ")} ended with ${signal ?? code}`);
      reject(Object.assign(error, { output }));
    });
  });
}

/**
 * What a command prints, or null where it cannot be run.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
export async function ask(command, args, env) {
  try {
    return (await run(command, args, { env, quiet: true })).trim();
  } catch {
    return null;
  }
}

/**
 * Runs a script's main function; a failed command ends the process with its message and code 1.
 * @param {() => Promise<void>} main
 */
export async function runMain(main) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof CommandError ? error.message : error);
    process.exitCode = 1;
  }
}
