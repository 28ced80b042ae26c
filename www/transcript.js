// Reads a file or a text into a history, and measures its items. Everything here answers later, so that it can move into a worker.

import { project } from "context-projector";
import { importTranscriptWithProgress } from "context-projector/import";

/** @typedef {import("context-projector/import").Transcript} Transcript */
/** @typedef {(share: number) => void} OnProgress */

/**
 * @param {File | string} from
 * @param {OnProgress} onProgress
 * @param {AbortSignal} signal
 * @returns {Promise<Transcript>}
 */
export async function readTranscript(from, onProgress, signal) {
  onProgress(0);
  const text = typeof from === "string" ? from : await from.text();
  let shown = 0;
  return importTranscriptWithProgress(text, ({ done, total }) => {
    // The page is not painted more often than it can be seen.
    if (performance.now() - shown < 30 && done < total) return;
    shown = performance.now();
    onProgress(total === 0 ? 1 : done / total);
  }, signal);
}

/** Sizes as the library measures them, which is the sum over the items. */
export class Sizes {
  /** @type {WeakMap<object, number>} */
  #known = new WeakMap();

  /** @param {import("context-projector").Dialect} dialect */
  constructor(dialect) {
    this.dialect = dialect;
  }

  /** Of one item, measured once. @param {object} item */
  of(item) {
    let size = this.#known.get(item);
    if (size === undefined) {
      size = this.ofAll([item]);
      this.#known.set(item, size);
    }
    return size;
  }

  /** @param {readonly object[]} items */
  ofAll(items) {
    if (items.length === 0) return 0;
    // A copy of the first: the library remembers a history by its first item, and the whole history is the one to remember.
    const [first, ...rest] = items;
    return project([{ ...first }, ...rest], {}, { dialect: this.dialect }).report.sourceApproxChars;
  }
}
