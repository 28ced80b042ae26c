// A compressor that keeps the newest items.

import { memoryWindow } from "build:glue";
import { failure } from "../shared/errors.js";
import { readSnapshot } from "../shared/snapshot.js";

/** @typedef {import("../types.d.ts").MemorySnapshot} MemorySnapshot */

export class WindowedMemoryCompressor {
  #maxItems;

  /** @param {number} maxItems */
  constructor(maxItems) {
    if (!Number.isSafeInteger(maxItems) || maxItems < 1) throw failure("invalid_option", "maxItems", "must be an integer of at least 1");
    this.#maxItems = maxItems;
  }

  /**
   * @param {MemorySnapshot} snapshot
   * @returns {MemorySnapshot}
   */
  compress(snapshot) {
    const { items, summary } = readSnapshot(snapshot);
    return { items: memoryWindow(items, this.#maxItems), summary };
  }
}
