// The controls of the budget: one for each field, with its sentence, its error and a slider where it is a number.

import { fill, h, setText } from "./dom.js";
import { GROUPS, START } from "./fields.js";
import { sentence } from "./words.js";

/** @typedef {import("./fields.js").Extent} Extent */
/** @typedef {import("./fields.js").Field} Field */
/** @typedef {import("./fields.js").NumberField} NumberField */
/** @typedef {import("context-projector").ContextBudget} ContextBudget */
/**
 * One field on the page. `value` is what the library is given, whatever that is: it says itself what is wrong.
 * @typedef {{ element: HTMLElement, value: () => unknown, set: (value: unknown) => void, suit: (extent: Extent) => void, focus: () => void }} Control
 */

const STEPS = 1000;

export class BudgetForm {
  /** @type {Map<string, { control: Control, error: HTMLElement }>} */
  #fields = new Map();

  /**
   * @param {HTMLElement} place
   * @param {() => void} onChange
   */
  constructor(place, onChange) {
    const groups = GROUPS.map(({ title, says, fields }) =>
      h("fieldset", {}, h("legend", {}, title), h("p", { class: "quiet" }, says), ...fields.map((field) => this.#add(field, onChange))));
    fill(place, ...groups);
    this.set(START);
  }

  /**
   * @param {Field} field
   * @param {() => void} onChange
   */
  #add(field, onChange) {
    const error = h("p", { class: "field-error", id: `error-${field.name}`, role: "alert" });
    const control = field.kind === "number" ? numberControl(field, onChange) : field.kind === "flag" ? flagControl(field, onChange) : toolsControl(field, onChange);
    control.element.append(error);
    this.#fields.set(field.name, { control, error });
    return control.element;
  }

  /** @returns {ContextBudget} what the controls say, wrong values too */
  value() {
    const entries = [...this.#fields].map(([name, { control }]) => [name, control.value()]);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }

  /** @param {ContextBudget} budget */
  set(budget) {
    for (const [name, { control }] of this.#fields) control.set(budget[/** @type {keyof ContextBudget} */ (name)]);
  }

  /** Gives the sliders the ranges of a history. @param {Extent} extent */
  suit(extent) {
    for (const { control } of this.#fields.values()) control.suit(extent);
  }

  /**
   * Shows what is wrong at the field it is about.
   * @param {{ path?: string, message: string } | null} error
   * @returns {boolean} whether there is such a field
   */
  complain(error) {
    const name = /^budget\.(\w+)/.exec(error?.path ?? "")?.[1];
    let isShown = false;
    for (const [key, { control, error: place }] of this.#fields) {
      const isHere = error !== null && key === name;
      isShown ||= isHere;
      setText(place, isHere ? sentence(error.message.slice(error.message.indexOf(": ") + 2)) : "");
      control.element.classList.toggle("has-error", isHere);
      for (const input of control.element.querySelectorAll("input[type=number], input[type=checkbox]")) {
        if (isHere) input.setAttribute("aria-invalid", "true");
        else input.removeAttribute("aria-invalid");
      }
    }
    return isShown;
  }

  /** @param {string} name */
  focus(name) {
    this.#fields.get(name)?.control.focus();
  }
}

/** @param {Field} field */
const says = (field) => h("p", { class: "says", id: `says-${field.name}` }, field.says);
/** @param {Field} field */
const describedBy = (field) => `says-${field.name} error-${field.name}`;

/**
 * @param {NumberField} field
 * @param {() => void} onChange
 * @returns {Control}
 */
function numberControl(field, onChange) {
  let most = field.least + 1;
  const input = h("input", {
    type: "number", id: `field-${field.name}`, "aria-describedby": describedBy(field), step: field.step ?? 1,
    placeholder: field.off ?? field.initial, inputmode: field.step !== undefined && field.step < 1 ? "decimal" : "numeric", autocomplete: "off",
    oninput: () => {
      place();
      onChange();
    },
  });
  const slider = h("input", {
    type: "range", min: 0, max: STEPS, step: 1, "aria-label": `${field.label}, slider`,
    oninput: () => {
      input.value = valueAt(slider.valueAsNumber / STEPS);
      spell();
      onChange();
    },
  });

  /** @param {number} share */
  const valueAt = (share) => {
    if (field.off !== undefined && share === 1) return "";
    // Just below the end the whole range has been used; the end itself is "off".
    const inside = field.off === undefined ? share : share * STEPS / (STEPS - 1);
    const raw = field.isWide ? Math.max(field.least, 1) * (most / Math.max(field.least, 1)) ** inside : field.least + (most - field.least) * inside;
    return String(tidy(raw, field, most));
  };
  const place = () => {
    slider.value = String(Math.round(STEPS * shareOf(input, field, most)));
    spell();
  };
  const spell = () => {
    slider.setAttribute("aria-valuetext", input.value || field.off || field.initial || "");
  };

  return {
    element: h("div", { class: "field", "data-field": field.name }, label(field), input, slider, says(field)),
    // What the browser cannot read as a number is handed on as NaN: the library refuses it in its own words.
    value: () => (input.validity.badInput ? Number.NaN : input.value.trim() === "" ? undefined : Number(input.value)),
    set: (value) => {
      input.value = value === undefined ? "" : String(value);
      place();
    },
    suit: (extent) => {
      most = Math.max(field.most(extent), field.least + (field.step ?? 1));
      place();
    },
    focus: () => input.focus(),
  };
}

/** @param {Field} field */
const label = (field) => h("label", { for: `field-${field.name}` }, field.label, " ", h("code", {}, field.name));

/**
 * @param {HTMLInputElement} input
 * @param {NumberField} field
 * @param {number} most
 */
function shareOf(input, field, most) {
  const value = input.value === "" ? (field.off === undefined ? Number(field.initial) : Infinity) : Number(input.value);
  if (!(value > field.least)) return 0;
  if (value >= most) return value === Infinity || field.off === undefined ? 1 : (STEPS - 1) / STEPS;
  const least = field.isWide ? Math.max(field.least, 1) : field.least;
  return field.isWide ? Math.log(value / least) / Math.log(most / least) : (value - least) / (most - least);
}

/**
 * A number that one would choose: two digits that count in wide ranges, whole steps in others.
 * @param {number} raw
 * @param {NumberField} field
 * @param {number} most
 */
function tidy(raw, field, most) {
  const step = field.step ?? (field.isWide ? 10 ** Math.max(0, Math.floor(Math.log10(raw)) - 1) : 1);
  const value = Math.min(most, Math.max(field.least, Math.round(raw / step) * step));
  return Number(value.toFixed(4));
}

/**
 * @param {Field} field
 * @param {() => void} onChange
 * @returns {Control}
 */
function flagControl(field, onChange) {
  const input = h("input", { type: "checkbox", id: `field-${field.name}`, "aria-describedby": describedBy(field), onchange: onChange });
  return {
    element: h("div", { class: "field flag", "data-field": field.name }, input, label(field), says(field)),
    value: () => input.checked || undefined,
    set: (value) => {
      input.checked = value === true;
    },
    suit: () => {},
    focus: () => input.focus(),
  };
}

/**
 * The tools of the history as tags to switch on.
 * @param {Field} field
 * @param {() => void} onChange
 * @returns {Control}
 */
function toolsControl(field, onChange) {
  /** @type {Set<string>} */
  let chosen = new Set();
  /** @type {string[]} */
  let tools = [];
  const tags = h("div", { class: "tags", role: "group", "aria-labelledby": `label-${field.name}`, "aria-describedby": describedBy(field) });
  const show = () => {
    const all = [...new Set([...tools, ...chosen])];
    fill(tags, ...all.map((tool) => h("button", {
      type: "button", class: "tag", "aria-pressed": chosen.has(tool),
      onclick: (/** @type {MouseEvent} */ event) => {
        if (!chosen.delete(tool)) chosen.add(tool);
        /** @type {HTMLElement} */ (event.currentTarget).setAttribute("aria-pressed", String(chosen.has(tool)));
        onChange();
      },
    }, tool)), all.length === 0 && h("span", { class: "quiet" }, "No tool is called in this history."));
  };
  return {
    element: h("div", { class: "field", "data-field": field.name },
      h("span", { class: "label", id: `label-${field.name}` }, field.label, " ", h("code", {}, field.name)), tags, says(field)),
    value: () => (chosen.size > 0 ? [...chosen] : undefined),
    set: (value) => {
      chosen = new Set(Array.isArray(value) ? value : []);
      show();
    },
    suit: (extent) => {
      tools = extent.tools;
      // A tool that this history does not know cannot be seen to be chosen.
      chosen = new Set([...chosen].filter((tool) => tools.includes(tool)));
      show();
    },
    focus: () => tags.querySelector("button")?.focus(),
  };
}
