// A session: one log of everything that happened, memory as what follows from it, and the prompt of each turn.

import { SessionLog, checkItems, memoryItems, memoryRecall, memoryToolOutput, memoryUserItem, project } from "build:glue";
import { Compressing } from "../shared/compressing.js";
import { failure, messageOf } from "../shared/errors.js";
import { jsonOf, newId, versionOf } from "../shared/items.js";
import { readSnapshot } from "../shared/snapshot.js";
import { thrownOf } from "../shared/thrown.js";
import { SharedCompaction } from "./compaction.js";
import { accounted, runsOf } from "./custom.js";
import { Emitter, guarded } from "./emitter.js";
import { isBuiltIn, projectorOf } from "./parts.js";
import { plainItem } from "./plain.js";
import { FORMAT, VERSION, isObject, readSaved, sameJson } from "./read.js";
import { stored, withoutLedger } from "./results.js";
import { settingsOf } from "./settings.js";

/**
 * @typedef {import("../types.d.ts").AgentSessionSnapshot} AgentSessionSnapshot
 * @typedef {import("../types.d.ts").AgentSessionStore} AgentSessionStore
 * @typedef {import("../types.d.ts").CompactPolicy} CompactPolicy
 * @typedef {import("../types.d.ts").CompactResult} CompactResult
 * @typedef {import("../types.d.ts").ContextBudget} ContextBudget
 * @typedef {import("../types.d.ts").ContextProjection} ContextProjection
 * @typedef {import("../types.d.ts").MemorySnapshot} MemorySnapshot
 * @typedef {import("../types.d.ts").ModelContext} ModelContext
 * @typedef {import("../types.d.ts").SessionEvent} SessionEvent
 * @typedef {import("../types.d.ts").SessionOptions} SessionOptions
 * @typedef {Record<string, any>} State the state apart from items, as src/session/state.rs writes it
 */

/** Failures in a row after which nothing is tried until something else changes, and the growth that is waited for. */
const MOST_FAILURES = 3;
const GROWTH = 1.1;
const TIMEOUT = 120_000;

/**
 * @typedef {object} Inside what a runtime needs of a session beside its public face
 * @property {() => import("../types.d.ts").Dialect | undefined} dialect that of the settings
 * @property {() => object[]} items memory's items themselves
 * @property {(type: string, payload: Record<string, any>) => void} record an event that changes nothing in memory
 * @property {(item: object) => void} addAnswer an item that answers a call, as its tool made it
 * @property {(callId: string, message: string) => void} addFailure the result of a call that went wrong
 */

/** Opens a session for a runtime; null for anything else. @type {(session: any) => Inside | null} */
export let insideOf;

export class AgentSession {
  #log = new SessionLog();
  /** @type {any[]} */
  #events = [];
  /** Memory's items as they are now. @type {object[]} */
  #items = [];
  /** @type {SessionOptions} */
  #options;
  #emitter = new Emitter();
  /** Events that listeners have not been told of. @type {SessionEvent[]} */
  #untold = [];
  /** @type {{ before: ((snapshot: MemorySnapshot) => unknown)[], after: ((result: CompactResult) => unknown)[] }} */
  #hooks = { before: [], after: [] };
  /** Another number once memory was replaced. */
  #generation = 0;
  #createdAt = 0;
  /** The state, read when first asked for. @type {State | null} */
  #state = null;
  /** @type {SharedCompaction | null} */
  #compaction = null;
  /** @type {Compressing | null} */
  #compressing = null;
  /** @type {CompactResult | null} */
  #lastResult = null;
  /** The items of the last prompt. @type {object[] | null} */
  #lastPrompt = null;
  /** The newest event that the store has; null: all must be saved again. @type {number | null} */
  #saved = 0;
  /** @type {Promise<void>} */
  #saving = Promise.resolve();

  /** @param {SessionOptions} [options] */
  constructor(options = {}) {
    this.#options = { ...options };
    const settings = settingsOf(this.#options);
    const { memoryCompressor } = this.#options;
    if (memoryCompressor !== undefined) {
      this.#compressing = new Compressing(memoryCompressor, {
        snapshot: () => this.#snapshotOfMemory(),
        generation: () => this.#generation,
        take: (memory, seen) => this.#takeCompressed(memory, seen),
      });
    }
    const restored = restoring;
    restoring = null;
    if (restored === null) this.#begin(settings);
    else this.#adopt(restored, settings);
    // Nobody listened yet.
    this.#untold = [];
  }

  /** @param {AgentSessionSnapshot | string} snapshot @param {SessionOptions} [options] */
  static restore(snapshot, options = {}) {
    restoring = readSaved(snapshot);
    try {
      return new this(options);
    } finally {
      restoring = null;
    }
  }

  /** @param {readonly SessionEvent[]} events @param {SessionOptions} [options] */
  static replay(events, options = {}) {
    if (!Array.isArray(events) || events.length === 0) throw failure("invalid_snapshot", "events", "must be a list of events, SESSION_CREATED or CHECKPOINT first");
    restoring = { events: /** @type {any} */ (events), createdAt: null, sessionId: null, memory: undefined };
    try {
      return new this(options);
    } finally {
      restoring = null;
    }
  }

  static {
    insideOf = (session) =>
      #log in session
        ? {
            dialect: () => session.#dialect(),
            items: () => session.#items,
            record(type, payload) {
              session.#record(type, payload);
              session.#tell();
            },
            addAnswer: (item) => session.#add([item], "tool", "output"),
            addFailure: (callId, message) => session.#answer(callId, JSON.stringify(message), true),
          }
        : null;
  }

  /** @param {AgentSessionStore} store @param {string} sessionId @param {SessionOptions} [options] */
  static async resume(store, sessionId, options = {}) {
    const saved = await store.load(sessionId);
    if (saved === null) return null;
    const session = this.restore(saved, { ...options, store });
    session.#saved = saved.events.at(-1)?.sequence ?? 0;
    return session;
  }

  get sessionId() {
    return this.#current().sessionId;
  }

  get length() {
    return this.#items.length;
  }

  get sequence() {
    return this.#log.sequence();
  }

  /** @param {string | object} input */
  addUserInput(input) {
    this.#add([typeof input === "string" ? memoryUserItem(this.#items, this.#dialect(), input, newId()) : input], "user", "input");
  }

  /** @param {readonly object[]} items */
  addOutputItems(items) {
    this.#add(items, "output", "items");
  }

  /** @param {string} callId @param {unknown} output */
  addToolOutput(callId, output) {
    if (typeof callId !== "string") throw failure("invalid_option", "callId", "must be a string");
    this.#answer(callId, jsonOf(output), false);
  }

  /** @param {{ signal?: AbortSignal }} [options] @returns {Promise<ModelContext>} */
  async prepareTurn({ signal } = {}) {
    const policy = this.#options.compactPolicy;
    /** @type {CompactResult | null} */
    let compaction = null;
    if (policy !== undefined && (this.#compaction !== null || this.#isDue(policy))) compaction = await this.#compactWith(policy, signal);
    const { items, report } = this.#projection(this.#settingsNow(), this.#items, this.#current());
    this.#lastPrompt = items;
    this.#record("MEMORY_COMPRESS", { cause: "projection", report: withoutLedger(report) });
    this.#tell();
    return { items, report, summary: this.#current().summary, compaction };
  }

  /** @param {ContextBudget} [budget] @returns {ContextProjection} */
  project(budget) {
    const settings = this.#settingsNow();
    return this.#projection(budget === undefined ? settings : { ...settings, budget }, this.#items, this.#current());
  }

  /** @param {CompactPolicy} [policy] @param {{ signal?: AbortSignal }} [options] @returns {Promise<CompactResult>} */
  async compact(policy = this.#options.compactPolicy, { signal } = {}) {
    if (typeof policy?.compact !== "function") throw failure("invalid_option", "policy", "must have a method compact(): give one, or the session's compactPolicy");
    // One at a time: another's result is not this policy's.
    while (this.#compaction !== null) await this.#compaction.done;
    const result = await this.#compactWith(policy, signal);
    const message = result.attempts.at(-1)?.message ?? result.status;
    switch (result.status) {
      case "empty_summary":
      case "inflated_summary":
        throw Object.assign(failure("compaction_failed", "policy", message), { result });
      case "summary_failed": {
        const thrown = thrownOf(result);
        throw thrown === undefined ? Object.assign(failure("compaction_failed", "policy", message), { result }) : thrown.error;
      }
      case "cancelled":
        throw Object.assign(failure("aborted", "signal", message), { result });
      case "stale":
        throw Object.assign(failure("conflict", "memory", message), { result });
      default:
        return result;
    }
  }

  /** @returns {CompactResult | null} */
  getLastCompactResult() {
    const { compactResult, compactedAt } = this.#current();
    if (compactResult === null) return null;
    if (this.#lastResult !== null && /** @type {any} */ (this.#lastResult)[AT] === compactedAt) return this.#lastResult;
    return this.#rebuiltResult(compactResult, compactedAt);
  }

  /** @param {string} callId @returns {object | null} */
  recall(callId) {
    if (typeof callId !== "string") throw failure("invalid_option", "callId", "must be a string");
    const items = this.#everything();
    const index = memoryRecall(items, this.#dialect(), callId);
    return items[index] ?? null;
  }

  /** @param {number} sequence @returns {ContextProjection} */
  contextAt(sequence) {
    const state = this.#stateAt(sequence);
    return this.#projection(settingsUnder(state), this.#itemsAt(sequence), state);
  }

  /** @param {number} sequence */
  rewind(sequence) {
    this.#stateAt(sequence);
    this.#record("REWOUND", { to: sequence });
    this.#generation += 1;
    this.#lastPrompt = null;
    this.#tell();
  }

  /** @param {number} sequence */
  prune(sequence) {
    const first = this.#log.first();
    if (!Number.isSafeInteger(sequence) || sequence < 1 || sequence > this.sequence + 1) throw failure("invalid_option", "sequence", `must be from 1 to ${this.sequence + 1}`);
    if (sequence <= first + 1) return;
    if (this.#log.goesBackBefore(sequence)) throw failure("invalid_option", "sequence", "a later event goes back before it: its state would be lost");
    const at = sequence - 1;
    const state = JSON.parse(/** @type {string} */ (this.#log.state(at, true)));
    const items = this.#itemsAt(at);
    const payload = { memory: { items, summary: state.summary }, attributes: state.attributes, compactResult: state.compactResult, createdAtEpochMs: this.#createdAt, state };
    const checkpoint = { sequence: at, recordedAtEpochMs: this.#events[at - first].recordedAtEpochMs, type: "CHECKPOINT", payload };
    const events = [checkpoint, ...this.#events.slice(sequence - first)];
    const log = new SessionLog();
    for (const [index, event] of events.entries()) enter(log, event, `events[${index}]`);
    const before = this.#log;
    [this.#log, this.#events, this.#saved] = [log, events, null];
    before.free();
  }

  /** @param {{ inputTokens: number }} usage */
  reportUsage(usage) {
    const { inputTokens } = usage ?? {};
    if (!(typeof inputTokens === "number" && inputTokens >= 0 && Number.isFinite(inputTokens))) throw failure("invalid_option", "usage.inputTokens", "must be a number of at least 0");
    const prompt = this.#lastPrompt ?? this.#promptBefore();
    const estimatedTokens = prompt === null ? null : this.#estimate(prompt);
    this.#record("USAGE_REPORTED", estimatedTokens === null ? { inputTokens } : { inputTokens, estimatedTokens });
    this.#tell();
  }

  getCalibration() {
    const { ratio, overheadTokens } = this.#current().usage;
    return { overheadTokens, ratio };
  }

  /** @param {{ maxTokens?: number, inputTokens?: number }} [details] */
  reportOverflow(details = {}) {
    /** @type {Record<string, number>} */
    const payload = {};
    for (const field of /** @type {const} */ (["maxTokens", "inputTokens"])) {
      const value = details[field];
      if (value === undefined) continue;
      if (!(Number.isSafeInteger(value) && value >= 1)) throw failure("invalid_option", `details.${field}`, "must be an integer of at least 1");
      payload[field] = value;
    }
    this.#record("OVERFLOW_REPORTED", payload);
    this.#tell();
  }

  getMemory() {
    const session = this;
    return {
      addUserInput: (/** @type {string | object} */ input) => session.addUserInput(input),
      addOutputItems: (/** @type {readonly object[]} */ items) => session.addOutputItems(items),
      addToolOutput: (/** @type {string} */ callId, /** @type {unknown} */ output) => session.addToolOutput(callId, output),
      getItems() {
        const { summary } = session.#current();
        return summary === null || summary === "" ? session.#items.slice() : memoryItems(session.#items, summary, session.#dialect());
      },
      getSummary: () => session.#current().summary,
      setSummary(/** @type {string | null} */ summary) {
        if (summary !== null && typeof summary !== "string") throw failure("invalid_option", "summary", "must be a string or null");
        session.#setMemory({ items: [], summary, cause: "summary" });
      },
      snapshot: () => session.#snapshotOfMemory(),
      restore(/** @type {MemorySnapshot} */ snapshot) {
        const { items, summary } = readSnapshot(snapshot);
        checkItems(items);
        session.#setMemory({ items: items.slice(), summary, cause: "restore" });
      },
      clear: () => session.#setMemory({ items: [], summary: null, cause: "clear" }),
    };
  }

  /** @param {number} [fromSequence] @returns {SessionEvent[]} */
  getEvents(fromSequence = 1) {
    return this.#events.slice(Math.max(0, fromSequence - this.#log.first()));
  }

  getAttributes() {
    return structuredClone(this.#current().attributes);
  }

  /** @param {string} key @param {unknown} value */
  putAttribute(key, value) {
    if (typeof key !== "string") throw failure("invalid_option", "key", "must be a string");
    let json;
    try {
      json = JSON.stringify(value);
    } catch (thrown) {
      throw failure("invalid_option", "value", `has no form in JSON: ${messageOf(thrown)}`);
    }
    this.#record("ATTRIBUTE_SET", json === undefined ? { key } : { key, value: JSON.parse(json) });
    this.#tell();
  }

  /** @param {string} type @param {(event: any) => void} listener */
  on(type, listener) {
    return this.#emitter.on(type, listener);
  }

  /** @param {string} name @param {(...given: any[]) => unknown} hook @returns {() => void} */
  hook(name, hook) {
    if (typeof hook !== "function") throw failure("invalid_option", "hook", "must be a function");
    const list = name === "before_compact" ? "before" : name === "on_compact" ? "after" : null;
    if (list === null) throw failure("invalid_option", "name", "must be before_compact or on_compact");
    this.#hooks[list] = [...this.#hooks[list], hook];
    return () => {
      this.#hooks[list] = /** @type {any[]} */ (this.#hooks[list]).filter((known) => known !== hook);
    };
  }

  /** @returns {AgentSessionSnapshot} */
  snapshot() {
    const { sessionId, attributes, summary, compactResult } = this.#current();
    const last = this.#events.at(-1);
    return /** @type {any} */ ({
      format: FORMAT,
      version: VERSION,
      metadata: { sessionId, createdAtEpochMs: this.#createdAt, updatedAtEpochMs: last.recordedAtEpochMs, attributes },
      memory: { items: this.#items.map(plainItem), summary },
      events: this.#events.map(plainEvent),
      compactResult: compactResult === null ? null : { ...compactResult, memory: { items: [], summary: compactResult.summary } },
    });
  }

  async save() {
    const { store } = this.#options;
    if (store === undefined) throw failure("invalid_option", "options.store", "is needed to save");
    const saving = this.#saving.then(() => this.#save(store));
    this.#saving = saving.catch(() => {});
    return saving;
  }

  free() {
    this.#log.free();
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    this.free();
  }

  /** @param {AgentSessionStore} store */
  async #save(store) {
    const until = this.sequence;
    if (this.#saved === until) return;
    if (this.#saved === null || store.append === undefined) await store.save(this.snapshot(), this.#saved ?? undefined);
    else await store.append(this.sessionId, this.#saved, this.getEvents(this.#saved + 1).map(plainEvent).filter(({ sequence }) => sequence <= until));
    this.#saved = until;
  }

  // ── state ──

  /** @returns {State} */
  #current() {
    this.#state ??= JSON.parse(/** @type {string} */ (this.#log.state(this.sequence, false)));
    return /** @type {State} */ (this.#state);
  }

  /** @param {number} sequence @returns {State} */
  #stateAt(sequence) {
    const json = Number.isSafeInteger(sequence) ? this.#log.state(sequence, false) : undefined;
    if (json === undefined) throw failure("invalid_option", "sequence", `must be from ${this.#log.first()} to ${this.sequence}`);
    return JSON.parse(json);
  }

  /** @param {number} sequence @returns {object[]} */
  #itemsAt(sequence) {
    const places = this.#log.memory(sequence) ?? new Float64Array();
    const first = this.#log.first();
    const items = [];
    for (let at = 0; at < places.length; at += 3) {
      const { payload } = this.#events[/** @type {number} */ (places[at + 1]) - first];
      items.push(payload.item ?? (payload.items ?? payload.memory.items)[/** @type {number} */ (places[at + 2])]);
    }
    return items;
  }

  /** The ordinals of memory's items. @returns {number[]} */
  #ordinals() {
    const places = this.#log.memory(this.sequence) ?? new Float64Array();
    return Array.from({ length: places.length / 3 }, (_, index) => /** @type {number} */ (places[index * 3]));
  }

  /** All items that the log holds, in order. @returns {object[]} */
  #everything() {
    return this.#events.flatMap(({ payload }) => payload.items ?? payload.memory?.items ?? (payload.item === undefined ? [] : [payload.item]));
  }

  #dialect() {
    return this.#current().settings.dialect;
  }

  /** @returns {MemorySnapshot} */
  #snapshotOfMemory() {
    return { items: this.#items.slice(), summary: this.#current().summary };
  }

  // ── writing ──

  /**
   * Appends an event: the log and what follows from it change together, or not at all.
   * @param {string} type
   * @param {Record<string, any>} payload
   */
  #record(type, payload) {
    const now = this.#options.now ?? Date.now;
    const event = { sequence: this.#log.sequence() + 1, recordedAtEpochMs: now(), type, payload };
    enter(this.#log, event, "event");
    this.#events.push(event);
    this.#untold.push(/** @type {any} */ (event));
    this.#state = null;
    if (type === "ITEMS_ADDED") this.#items.push(...payload.items);
    else if (REPLACING.has(type)) this.#items = this.#itemsAt(this.sequence);
  }

  /** Tells listeners, once a change is whole. */
  #tell() {
    this.#emitter.emit(this.#untold.splice(0));
  }

  /** @param {readonly object[]} items @param {"user" | "output" | "tool"} origin @param {string} name */
  #add(items, origin, name) {
    if (!Array.isArray(items)) throw failure("invalid_item", name, "must be an array");
    checkItems(items);
    /** @type {object[]} */
    let run = [];
    const flush = () => {
      if (run.length > 0) this.#record("ITEMS_ADDED", { ordinal: this.#log.nextOrdinal(), origin, items: run });
      run = [];
    };
    for (const item of items) {
      const index = versionOf([...this.#items, ...run], item);
      if (index < 0) run.push(item);
      else if (index >= this.#items.length) run[index - this.#items.length] = item;
      else {
        flush();
        this.#record("ITEM_REPLACED", { ordinal: this.#ordinals()[index], item });
      }
    }
    flush();
    this.#tell();
    this.#compressing?.written();
  }

  /** @param {string} callId @param {string | undefined} json the output, or the text of what went wrong @param {boolean} isFailure */
  #answer(callId, json, isFailure) {
    try {
      const [index, item] = memoryToolOutput(this.#items, this.#dialect(), callId, json, isFailure);
      if (index < 0) this.#add([item], "tool", "output");
      else this.#replace(index, item);
    } catch (thrown) {
      if (/** @type {any} */ (thrown)?.code !== "unknown_call") throw thrown;
      // The call may have been compacted away while its tool was at work.
      const [index, item] = memoryToolOutput(this.#everything(), this.#dialect(), callId, json, isFailure);
      if (index >= 0) throw thrown;
      this.#add([item], "tool", "output");
    }
    this.#tell();
  }

  /** @param {number} index @param {object} item */
  #replace(index, item) {
    this.#record("ITEM_REPLACED", { ordinal: this.#ordinals()[index], item });
    this.#compressing?.written();
  }

  /** @param {{ items: object[], summary: string | null, cause: string, keep?: [number, number][] }} payload */
  #setMemory(payload) {
    this.#record("MEMORY_SET", payload);
    this.#generation += 1;
    this.#tell();
  }

  /** @param {MemorySnapshot} memory @param {readonly object[]} seen */
  #takeCompressed({ items, summary }, seen) {
    checkItems(items);
    const isSame = items.length === seen.length && items.every((item, index) => item === seen[index]);
    if (isSame && summary === this.#current().summary) return;
    const places = placesOf(items, seen);
    const later = this.#items.slice(seen.length);
    if (places === null) {
      this.#setMemory({ items: [...items, ...later], summary, cause: "compressor" });
      return;
    }
    const ordinals = this.#ordinals();
    const kept = [...places, ...later.map((_, index) => seen.length + index)];
    this.#setMemory({ keep: ranges(kept.map((place) => /** @type {number} */ (ordinals[place]))), items: [], summary, cause: "compressor" });
  }

  // ── projecting ──

  #settingsNow() {
    return settingsUnder(this.#current());
  }

  /** @param {Record<string, any>} settings @param {object[]} items @param {State} state @returns {ContextProjection} */
  #projection(settings, items, state) {
    const { budget = {}, projector, ...rest } = settings;
    const options = { ...rest, summary: state.summary ?? undefined, countTokens: this.#options.countTokens, calibration: calibrationOf(state) };
    const custom = projectorOf(this.#options.projector);
    if (projector !== "custom" || custom === null) return project(items, budget, { ...options, projector: projector === "default" ? "default" : "type-aware" });
    const given = state.summary === null || state.summary === "" ? items.slice() : memoryItems(items, state.summary, settings.dialect);
    const answer = custom.project(given, budget);
    return isBuiltIn(custom) ? answer : accounted(items, answer, rest);
  }

  /** @param {object[]} items */
  #estimate(items) {
    const { dialect, imageTokens } = this.#current().settings;
    return project(items.slice(), { maxTokens: Number.MAX_SAFE_INTEGER }, { dialect, imageTokens, countTokens: this.#options.countTokens }).report.sourceTokens;
  }

  /** The last prompt of a session that was restored. */
  #promptBefore() {
    const last = this.#events.findLast(({ type, payload }) => type === "MEMORY_COMPRESS" && payload.cause === "projection");
    return last === undefined ? null : this.contextAt(last.sequence).items;
  }

  // ── compacting ──

  /** @param {CompactPolicy} policy */
  #isDue(policy) {
    const { isOverflown, failures, failedAt, compactResult, usage, settings, summary } = this.#current();
    if (isOverflown) return true;
    const count = this.#items.length;
    if (failures >= MOST_FAILURES || (failures > 0 && !(count > failedAt && count >= failedAt * GROWTH))) return false;
    // Measured once the provider has counted: what the estimate of memory comes to by that.
    const tokens = usage.reports === 0 ? null : Math.round(usage.overheadTokens + usage.ratio * (this.#estimate(this.#items) ?? 0));
    const context = { tokens, overheadTokens: Math.max(usage.overheadTokens, settings.budget?.overheadTokens ?? 0), failures, previous: compactResult };
    try {
      return policy.shouldCompact?.({ items: this.#items.slice(), summary }, /** @type {any} */ (context)) === true;
    } catch (thrown) {
      this.#record("COMPACTION_FAILED", { status: "summary_failed", message: messageOf(thrown) });
      this.#tell();
      return false;
    }
  }

  /** @param {CompactPolicy} policy @param {AbortSignal | undefined} signal @returns {Promise<CompactResult>} */
  async #compactWith(policy, signal) {
    if (this.#compaction === null) {
      const begun = new SharedCompaction(
        {
          snapshot: () => this.#snapshotOfMemory(),
          previous: () => this.#current().compactResult,
          generation: () => this.#generation,
          hooks: this.#hooks.before,
          timeout: this.#options.compactTimeoutMs ?? TIMEOUT,
          commit: (result, seen) => this.#commit(result, seen),
          fail: ({ status, attempts }) => {
            this.#record("COMPACTION_FAILED", { status, message: attempts.at(-1)?.message ?? status });
            this.#tell();
          },
        },
        policy,
      );
      this.#compaction = begun;
      begun.done.then(() => {
        if (this.#compaction === begun) this.#compaction = null;
      });
    }
    return this.#compaction.join(signal);
  }

  /**
   * Puts an accepted summary in the place of what it summarises. Items added meanwhile follow.
   * @param {CompactResult} result
   * @param {readonly object[]} seen
   * @returns {CompactResult}
   */
  #commit(result, seen) {
    const { items: wanted, summary } = readSnapshot(result.memory, "policy.compact().memory");
    checkItems(wanted);
    const fates = result.contextReport?.ledger ?? [];
    const shortened = fates.flatMap(({ from, to, fate }) => (fate === "shortened" ? Array.from({ length: to - from }, (_, index) => from + index) : []));
    let ordinals = this.#ordinals();
    const known = new Set(seen);
    // An item that is a whole turn loses its older steps: a newer version of it.
    const edited = wanted.filter((item) => !known.has(item));
    const isEdit = edited.length === shortened.length && edited.length > 0;
    const at = new Map(isEdit ? edited.map((item, index) => [item, /** @type {number} */ (shortened[index])]) : []);
    const places = placesOf(wanted, seen, at);
    const later = this.#items.slice(seen.length).map((_, index) => seen.length + index);
    if (places === null) {
      this.#record("MEMORY_SET", { items: [...wanted, ...this.#items.slice(seen.length)], summary, cause: "compressor" });
      ordinals = this.#ordinals();
    } else {
      for (const [item, place] of at) this.#record("ITEM_REPLACED", { ordinal: /** @type {number} */ (ordinals[place]), item });
    }
    const kept = places === null ? ordinals : [...places, ...later].map((place) => /** @type {number} */ (ordinals[place]));
    const report = result.contextReport ?? accounted(seen.slice(), { items: wanted }, {}).report;
    this.#record("COMPACTED", { keep: ranges(kept), summary, result: stored({ ...result, memory: { items: [], summary } }) });
    const compactedAt = this.sequence;
    this.#record("MEMORY_COMPRESS", { cause: "compaction", report: withoutLedger(report) });
    this.#generation += 1;
    this.#lastPrompt = null;
    /** @type {CompactResult} */
    const committed = { ...result, memory: this.#snapshotOfMemory(), summary, contextReport: report };
    Object.defineProperty(committed, AT, { value: compactedAt });
    this.#lastResult = committed;
    this.#tell();
    for (const hook of this.#hooks.after) guarded(() => hook(committed));
    return committed;
  }

  /** The result of a compaction as the log tells it. @param {any} result @param {number} at @returns {CompactResult | null} */
  #rebuiltResult(result, at) {
    const first = this.#log.first();
    // Pruned away: the lists are there, what became of the items is not known any more.
    const before = at - 1 < first ? [] : this.#itemsAt(at - 1);
    const items = at < first ? [] : this.#itemsAt(at);
    const left = new Set(items);
    const told = this.#events[at + 1 - first]?.payload.report ?? project(items.slice(), {}).report;
    const ledger = runsOf(before.map((item) => left.has(item)), { kept: "kept", gone: "summarized", reason: "compaction" });
    return { ...result, memory: { items, summary: result.summary }, contextReport: { ...told, ledger } };
  }

  // ── beginning ──

  /** @param {Record<string, any>} settings */
  #begin(settings) {
    const { sessionId = newId(), attributes = {} } = this.#options;
    this.#record("SESSION_CREATED", { sessionId, settings });
    this.#createdAt = this.#events[0].recordedAtEpochMs;
    for (const [key, value] of Object.entries(attributes)) this.putAttribute(key, value);
  }

  /** @param {{ events: any[], createdAt: number | null, sessionId: string | null, memory: any }} saved @param {Record<string, any>} settings */
  #adopt({ events, createdAt, sessionId, memory }, settings) {
    for (const [index, event] of events.entries()) {
      const name = `events[${index}]`;
      if (!isObject(event) || !isObject(event.payload)) throw failure("invalid_snapshot", name, "must be an event");
      const { items, item, memory: held } = event.payload;
      for (const [list, path] of /** @type {[any, string][]} */ ([[items, "items"], [item === undefined ? undefined : [item], "item"], [held?.items, "memory.items"]])) {
        if (list === undefined) continue;
        if (!Array.isArray(list)) throw failure("invalid_snapshot", `${name}.payload.${path}`, "must be an array");
        try {
          checkItems(list);
        } catch (thrown) {
          throw failure("invalid_snapshot", `${name}.payload.${path}`, messageOf(thrown));
        }
      }
      enter(this.#log, event, name);
      this.#events.push(event);
    }
    const state = this.#current();
    if (sessionId !== null && sessionId !== state.sessionId) throw failure("invalid_snapshot", "metadata.sessionId", "is not that of the events");
    if (this.#options.sessionId !== undefined && this.#options.sessionId !== state.sessionId) throw failure("invalid_option", "options.sessionId", "is not that of the session");
    this.#items = this.#itemsAt(this.sequence);
    const lead = { items: this.#items.map(plainItem), summary: state.summary };
    if (memory !== undefined && !sameJson({ items: memory.items, summary: memory.summary ?? null }, lead)) throw failure("invalid_snapshot", "memory", "is not what the events lead to");
    const [first] = events;
    this.#createdAt = createdAt ?? first.payload.createdAtEpochMs ?? first.recordedAtEpochMs;
    const next = { ...state.settings, ...settings };
    if (!sameJson(next, state.settings)) this.#record("SETTINGS_CHANGED", { settings: next });
    if (next.projector === "custom" && projectorOf(this.#options.projector) === null) throw failure("invalid_option", "options.projector", "the session was made with a projector of its own: give it again");
    for (const [key, value] of Object.entries(this.#options.attributes ?? {})) if (!sameJson(state.attributes[key], value)) this.putAttribute(key, value);
  }
}

/** What `restore` hands to the constructor. @type {{ events: any[], createdAt: number | null, sessionId: string | null, memory: any } | null} */
let restoring = null;

/** Marks a result with the event that committed it. */
const AT = Symbol("event");

/** Events after which memory is another list. */
const REPLACING = new Set(["ITEM_REPLACED", "MEMORY_SET", "COMPACTED", "REWOUND"]);

/** @param {SessionLog} log @param {any} event @param {string} name */
function enter(log, event, name) {
  const { items, item, memory, ...rest } = event.payload;
  const count = items?.length ?? memory?.items?.length ?? (item === undefined ? 0 : 1);
  log.push(JSON.stringify({ ...event, payload: memory === undefined ? rest : { ...rest, memory: {} } }), count, name);
}

/** An event as it is written. @param {any} event */
function plainEvent(event) {
  const { payload } = event;
  const isPlain = (/** @type {object[]} */ items) => items.every((item) => plainItem(item) === item);
  if (payload.items !== undefined && !isPlain(payload.items)) return { ...event, payload: { ...payload, items: payload.items.map(plainItem) } };
  if (payload.item !== undefined && !isPlain([payload.item])) return { ...event, payload: { ...payload, item: plainItem(payload.item) } };
  if (payload.memory !== undefined && !isPlain(payload.memory.items)) return { ...event, payload: { ...payload, memory: { ...payload.memory, items: payload.memory.items.map(plainItem) } } };
  return event;
}

/** The settings that hold in a state: the budget no larger than what the provider took. @param {State} state @returns {Record<string, any>} */
function settingsUnder({ settings, mostChars, mostTokens }) {
  if (mostChars === null && mostTokens === null) return settings;
  const budget = { ...settings.budget };
  if (mostChars !== null) budget.maxApproxChars = Math.min(budget.maxApproxChars ?? mostChars, mostChars);
  if (mostTokens !== null) budget.maxTokens = Math.min(budget.maxTokens ?? mostTokens, mostTokens);
  return { ...settings, budget };
}

/** @param {State} state */
function calibrationOf({ usage }) {
  return usage.reports === 0 ? undefined : { overheadTokens: usage.overheadTokens, ratio: usage.ratio };
}

/**
 * Where items stand among those seen; null where one is not among them, or their order is another.
 * @param {readonly object[]} items
 * @param {readonly object[]} seen
 * @param {Map<object, number>} [more]
 * @returns {number[] | null}
 */
function placesOf(items, seen, more = new Map()) {
  const at = new Map(seen.map((item, index) => [item, index]));
  const places = [];
  let last = -1;
  for (const item of items) {
    const place = more.get(item) ?? at.get(item);
    if (place === undefined || place <= last) return null;
    places.push(place);
    last = place;
  }
  return places;
}

/** Rising numbers as ranges, the second of each behind the last. @param {readonly number[]} numbers @returns {[number, number][]} */
function ranges(numbers) {
  /** @type {[number, number][]} */
  const out = [];
  for (const number of numbers) {
    const last = out.at(-1);
    if (last !== undefined && last[1] === number) last[1] = number + 1;
    else out.push([number, number + 1]);
  }
  return out;
}
