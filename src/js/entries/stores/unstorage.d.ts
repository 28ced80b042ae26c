// The types of context-projector/stores/unstorage. In the package, the project's types stand beside these.

import type { AgentSessionStore } from "../../types.d.ts";

/** What is used of a storage of `unstorage`. */
export interface UnstorageLike {
  getItem(key: string): Promise<unknown>;
  setItem(key: string, value: string): Promise<void>;
  removeItem(key: string): Promise<void>;
  getKeys(base?: string): Promise<string[]>;
}

/**
 * Sessions in any storage of the package `unstorage`, and so in Redis, files, Cloudflare KV and others: a key a save. It has no
 * compare-and-set, so this store is for one writer at a time; another is noticed most of the time, and not always.
 *
 * @example
 * ```ts
 * import { AgentSession } from "context-projector";
 * import { unstorageStore, type UnstorageLike } from "context-projector/stores/unstorage";
 *
 * declare const storage: UnstorageLike; // createStorage({ driver: redisDriver({ url }) })
 *
 * const session = new AgentSession({ store: unstorageStore(storage) });
 * session.addUserInput("Hello");
 * await session.save();
 * ```
 *
 * @param options `base`: in front of all keys; default `context-projector`
 * @throws {ContextProjectorError} `invalid_option` at `storage`
 */
export function unstorageStore(storage: UnstorageLike, options?: { base?: string }): Required<AgentSessionStore>;
