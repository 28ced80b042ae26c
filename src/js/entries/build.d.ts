// The modules that scripts/lib/package.mjs puts in while it bundles the entries.

declare module "build:glue" {
  /** wasm-bindgen's way to start, for bytes or a compiled module. */
  export function initSync(options: { module: BufferSource | WebAssembly.Module }): unknown;
  /** wasm-bindgen's way to start with a file that is still to be loaded. */
  export default function init(options?: { module_or_path: unknown }): Promise<unknown>;

  // What src/wasm/compact.rs exports for src/js/compact and src/js/memory.
  type Dialect = import("../types.d.ts").Dialect;
  type Committed = { items: object[]; report: import("../types.d.ts").ContextReport; fields: string };
  export function compactionOptions(options: unknown): void;
  export function compactionPlan(items: object[], summary: string | undefined, options: unknown, previous: string | undefined): string;
  export function compactionDue(items: object[], summary: string | undefined, options: unknown, tokens: number, overheadTokens: number): boolean;
  export function compactionAnswer(plan: string, text: string | undefined, finishReason: string | undefined): string;
  export function compactionFail(plan: string, isCancelled: boolean, message: string): string;
  export function compactionCommit(items: object[], summary: string | undefined, plan: string): Committed;
  export function structuredOptions(budget: unknown, options: unknown): void;
  export function structuredCompaction(
    items: object[], summary: string | undefined, budget: unknown, options: unknown, previous: string | undefined,
  ): Committed;
  export function structuredDue(items: object[], summary: string | undefined, budget: unknown, options: unknown): boolean;
  export function memoryUserItem(items: object[], dialect: Dialect | undefined, text: string, id: string): object;
  export function memoryToolOutput(items: object[], dialect: Dialect | undefined, callId: string, output: string | undefined, isFailure?: boolean): [number, object];
  export function memoryItems(items: object[], summary: string, dialect: Dialect | undefined): object[];
  export function memoryWindow(items: object[], maxItems: number): object[];
  export function memoryRecall(items: object[], dialect: Dialect | undefined, callId: string): number;
  export function checkItems(items: object[]): void;
  export const DefaultContextProjector: typeof import("../types.d.ts").DefaultContextProjector;
  export const TypeAwareContextProjector: typeof import("../types.d.ts").TypeAwareContextProjector;
  export const project: typeof import("../types.d.ts").project;

  export function runtimeGoal(items: object[], dialect: Dialect | undefined): string | undefined;

  /** A run of a runtime; its actions are JSON (src/wasm/runtime.rs). */
  export class RuntimeRun {
    constructor(style: string, maxSteps: number, instructions: string, plan: string[] | undefined);
    begin(open: object[] | undefined, dialect: Dialect | undefined): string;
    prepared(itemCount: number): string;
    answered(items: object[], dialect: Dialect | undefined, inputTokens: number | undefined): string;
    resulted(index: number, isOk: boolean): string;
    toolsDone(paused: string | undefined, reason: string | undefined): string;
    executed(isOk: boolean, output: string): string;
    overflowed(): string | undefined;
    aborted(): string;
    failed(message: string, code: string | undefined): string;
    free(): void;
  }

  /** The log of a session, without its items (src/wasm/session.rs). */
  export class SessionLog {
    push(event: string, count: number, name: string): void;
    sequence(): number;
    first(): number;
    nextOrdinal(): number;
    state(sequence: number, withOrdinals: boolean): string | undefined;
    memory(sequence: number): Float64Array | undefined;
    goesBackBefore(sequence: number): boolean;
    free(): void;
  }
}

declare module "build:wasm" {
  const wasm: BufferSource | WebAssembly.Module;
  export default wasm;
}

/** The public names: those of src/js/host.js, the others from the glue; src/js/types.d.ts is their list. */
declare module "build:public" {}
