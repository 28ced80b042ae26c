// The cases of the public bug reports, and their checks.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pkg } from "./load.mjs";

/** @typedef {Record<string, any>} Fields */
/** @typedef {{ id: string, shape: string, op: string, budget: Fields, options?: Fields, also?: Fields, items: any[], checks: Fields }} Case */

const folder = process.env.CONTEXT_PROJECTOR_CASES_DIR ?? fileURLToPath(new URL("../../../shared/cases", import.meta.url));
/** @type {Case[]} */
export const cases = existsSync(folder)
  ? readdirSync(folder).filter((name) => name.endsWith(".json")).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")))
  : [];

/** Dialects by the names that the cases use. @type {Record<string, import("../../src/js/types.d.ts").Dialect>} */
export const DIALECTS = {
  "openai-responses": "openai-responses",
  "openai-chat": "openai-chat",
  anthropic: "anthropic",
  gemini: "gemini",
  "ai-sdk-model": "ai-sdk",
};

/** All strings of a value. @param {unknown} value @returns {string[]} */
function strings(value) {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}

/**
 * @param {Fields[]} items
 * @param {string} shape
 * @param {Fields} [options]
 */
function assertValid(items, shape, options) {
  const dialect = /** @type {any} */ (DIALECTS[shape]);
  assert.ok(dialect, `${shape} is a dialect`);
  const found = pkg.validate(items, { ...options, dialect });
  assert.deepEqual(found.filter(({ severity }) => severity === "error"), []);
}

/**
 * Each check: what it is given, the items that came out, the case.
 * @type {Record<string, (wanted: any, items: Fields[], found: Case, budget: Fields) => void>}
 */
export const CHECKS = {
  valid: (shape, items, { options }) => assertValid(items, shape, options),
  validAfterImport: (shape, items) => assertValid(/** @type {any} */ (pkg.project(items).items), shape),
  keeps: (wanted, items) => wanted.forEach((/** @type {string} */ text) => assert.ok(JSON.stringify(items).includes(text), `keeps ${text}`)),
  drops: (wanted, items) => wanted.forEach((/** @type {string} */ text) => assert.ok(!JSON.stringify(items).includes(text), `drops ${text}`)),
  order(wanted, items) {
    const text = JSON.stringify(items);
    let at = -1;
    for (const part of wanted) {
      const next = text.indexOf(part, at + 1);
      assert.ok(next > at, `${part} in its place`);
      at = next;
    }
  },
  count(wanted, items) {
    for (const [text, count] of Object.entries(wanted)) assert.equal(JSON.stringify(items).split(text).length - 1, count, text);
  },
  length: (wanted, items) => assert.equal(items.length, wanted),
  firstRole: (wanted, items) => assert.equal(items[0]?.role, wanted),
  identical: (_, items, found) => assert.deepEqual(items, found.items),
  inputUnchanged(_, __, found, budget) {
    const before = structuredClone(found.items);
    pkg.project(found.items, budget, found.options);
    assert.deepEqual(found.items, before);
  },
  idempotent: (_, items, { options }, budget) => assert.deepEqual(pkg.project(items, budget, options).items, items),
  maxChars(wanted, items) {
    const sum = strings(items).reduce((all, text) => all + text.length, 0);
    assert.ok(sum <= wanted, `${sum} characters of ${wanted}`);
  },
  wellFormed(_, items, found) {
    const marks = (/** @type {unknown} */ value) => strings(value).join("").split("\ufffd").length - 1;
    const lone = strings(found.items).join("\n").match(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g);
    assert.ok(strings(items).every((text) => text.isWellFormed()), "well-formed");
    assert.ok(marks(items) <= marks(found.items) + (lone?.length ?? 0), "no new U+FFFD");
  },
  tokensAtLeast(wanted, _, found) {
    assert.ok((tokens(found) ?? 0) >= wanted, `${tokens(found)} tokens of at least ${wanted}`);
  },
  tokensBetween([low, high], _, found) {
    const counted = tokens(found) ?? 0;
    assert.ok(counted >= low && counted <= high, `${counted} tokens between ${low} and ${high}`);
  },
};

/** @param {Case} found */
function tokens(found) {
  return pkg.project(found.items, { maxTokens: 1e9 }, found.options).report.sourceTokens;
}
