// The types of context-projector/import, written by hand. In the package, the project's types stand beside these.

import type { Dialect } from "../types.d.ts";

/** Something of a file that could not be read. */
export interface ImportProblem {
  /** From 1; 0 is the file as a whole. */
  line: number;
  message: string;
}

/** A transcript as a list of items. */
export interface Transcript {
  /** The history, ready for `project`. */
  items: { [key: string]: unknown }[];
  /** The dialect of most of the items. */
  dialect: Dialect;
  /** What kind of file it was, in words. */
  source: string;
  /** What was left out, and why. */
  problems: ImportProblem[];
}

/**
 * Reads a transcript: a JSON array or JSONL of items in any dialect, an object that holds such an array, or the session file of an
 * agent (Claude Code, Codex, Gemini CLI, pi). Nothing in the text makes it throw: what is broken is left out and told in
 * `problems`. What is no transcript gives no items, and one problem that says so.
 *
 * @example
 * const { items, problems } = importTranscript(await file.text());
 * for (const { line, message } of problems) console.warn(`line ${line}: ${message}`);
 */
export function importTranscript(text: string): Transcript;

/**
 * The same, with pauses in which the event loop may do other work. `done` and `total` count UTF-16 units of the text.
 *
 * An aborted `signal` rejects with a `ContextProjectorError` of the code `aborted`; what `onProgress` throws passes through.
 */
export function importTranscriptWithProgress(
  text: string,
  onProgress?: ((progress: { done: number; total: number }) => void) | null,
  signal?: { readonly aborted: boolean; readonly reason?: unknown } | null,
): Promise<Transcript>;
