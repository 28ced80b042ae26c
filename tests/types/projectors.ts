// The classes: used, subclassed, replaced.

import type { ResponseInputItem } from "openai/resources/responses/responses";
import {
  type ContextBudget,
  type ContextProjection,
  type ContextProjector,
  DefaultContextProjector,
  type Item,
  type ProjectOptions,
  TypeAwareContextProjector,
} from "context-projector";
import { proof, type Same } from "./helpers.js";

/** A subclass that changes the budget and reads the outcome. */
class PlanKeeper extends TypeAwareContextProjector {
  /** How many projections broke the prefix. */
  rebases = 0;

  constructor(options: ProjectOptions = {}) {
    super({ ...options, pending: "keep" });
  }

  override project<T extends Item>(items: readonly T[], budget: ContextBudget = {}): ContextProjection<T> {
    const projection = super.project(items, { ...budget, keepTools: [...(budget.keepTools ?? []), "update_plan"] });
    if (projection.report.rebased) this.rebases += 1;
    return projection;
  }
}

class Counting extends DefaultContextProjector {
  calls = 0;
  override project<T extends Item>(...given: [items: readonly T[], budget?: ContextBudget]): ContextProjection<T> {
    this.calls += 1;
    return super.project(...given);
  }
}

/** A projector of one's own, around another one. */
class Logged implements ContextProjector {
  readonly lines: string[] = [];
  readonly #inner: ContextProjector;

  constructor(inner: ContextProjector) {
    this.#inner = inner;
  }

  project<T extends Item>(items: readonly T[], budget?: ContextBudget): ContextProjection<T> {
    const { items: kept, report } = budget === undefined ? this.#inner.project(items) : this.#inner.project(items, budget);
    this.lines.push(`${report.projectedItemCount}/${report.sourceItemCount}`);
    return { items: kept, report: { ...report, notes: [...report.notes, "logged"] } };
  }
}

/** An object literal will do. */
const everything: ContextProjector = {
  project: (items, budget) => new TypeAwareContextProjector().project(items, budget ?? {}),
};

export function all(history: ResponseInputItem[]): ResponseInputItem[] {
  const projectors: ContextProjector[] = [
    new DefaultContextProjector(),
    new DefaultContextProjector({ dialect: "openai-responses", store: false }),
    new TypeAwareContextProjector({ countTokens: (text) => text.length }),
    new PlanKeeper({ summary: null }),
    new Counting(),
    new Logged(new PlanKeeper()),
    everything,
  ];
  return projectors.flatMap((projector) => {
    const { items } = projector.project(history, { maxTokens: 50_000, overheadTokens: 4_000 });
    proof<Same<typeof items, ResponseInputItem[]>>();
    return items;
  });
}

/** Given back by hand, or at the end of the block. */
export function released(history: Item[]): number {
  const byHand = new DefaultContextProjector();
  proof<Same<ReturnType<typeof byHand.free>, void>>();
  byHand.free();

  using keeper = new PlanKeeper();
  const { report } = keeper.project(history);
  return report.projectedItemCount + keeper.rebases;
}

export function wrong(): void {
  // @ts-expect-error: options are an object
  new TypeAwareContextProjector("openai-chat");
  // @ts-expect-error: no such dialect
  new TypeAwareContextProjector({ dialect: "openai" });
  // @ts-expect-error: a budget belongs to `project`, not to the constructor
  new DefaultContextProjector({ maxItems: 40 });
  // @ts-expect-error: it must answer with a report too
  const bare: ContextProjector = { project: (items) => ({ items: [...items] }) };
  void bare;
  // @ts-expect-error: a function is no projector
  const fn: ContextProjector = (items: readonly Item[]) => items;
  void fn;
}
