// The types of context-projector/stores/web-storage. In the package, the project's types stand beside these.

import type { AgentSessionStore } from "../../types.d.ts";

/** What is used of a `Storage`. */
export interface WebStorage {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/**
 * Sessions in `localStorage` or `sessionStorage`: one key a save, so that saving costs what is new. Over quota the browser's
 * own `QuotaExceededError` arrives, and what was saved before is there as it was. Two tabs are kept apart by Web Locks,
 * where the browser has them.
 *
 * @example
 * ```ts
 * import { AgentSession } from "context-projector";
 * import { webStorageStore, type WebStorage } from "context-projector/stores/web-storage";
 *
 * declare const localStorage: WebStorage;
 *
 * const session = new AgentSession({ store: webStorageStore(localStorage) });
 * session.addUserInput("Hello");
 * await session.save();
 * ```
 *
 * @param options `prefix`: of all keys; default `context-projector`
 * @throws {ContextProjectorError} `invalid_option` at `storage`
 */
export function webStorageStore(storage: WebStorage, options?: { prefix?: string }): Required<AgentSessionStore>;
