// What every environment of the packaging tests does with the package. Copied into the test projects.

/** @typedef {typeof import("../../src/js/types.d.ts")} Api */

/**
 * Uses each public name once and answers what came of it, as plain data.
 * @param {Pick<Api, "project" | "projectJson" | "DefaultContextProjector" | "TypeAwareContextProjector">} api
 */
export function exercise({ project, projectJson, DefaultContextProjector, TypeAwareContextProjector }) {
  const history = [{ role: "user", content: "Die Prüfung ist rot. 🚦" }];
  for (let index = 0; index < 20; index += 1) history.push({ role: index % 2 ? "user" : "assistant", content: `step ${index}` });
  const budget = { maxItems: 5, pinnedPrefixItems: 1 };
  const { items, report } = project(history, budget);
  let code = "";
  try {
    project(history, { maxItems: -1 });
  } catch (error) {
    code = /** @type {{ code: string }} */ (error).code;
  }
  const text = projectJson(JSON.stringify(history), budget);
  return {
    isSame: items[0] === history[0],
    items,
    json: JSON.parse(text).items,
    ledger: report.ledger,
    plain: new DefaultContextProjector().project(history, budget).items.length,
    aware: new TypeAwareContextProjector().project(history, budget).items.length,
    code,
  };
}
