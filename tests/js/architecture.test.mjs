// The architecture check itself: each rule, broken in a small tree of its own.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("../../scripts/architecture.mjs", import.meta.url));
/** @type {string[]} */
const trees = [];
after(() => trees.forEach((tree) => rmSync(tree, { recursive: true, force: true })));

/** @param {Record<string, string>} files */
function check(files) {
  const tree = mkdtempSync(join(tmpdir(), "architecture-"));
  trees.push(tree);
  for (const [path, content] of Object.entries(files)) {
    const file = join(tree, "src", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const { status, stderr } = spawnSync(process.execPath, [script, "--root", tree], { encoding: "utf8" });
  return { status, stderr };
}

describe("the architecture check", () => {
  it("takes imports from above, comments, strings and tests", () => {
    const { status, stderr } = check({
      "context/mod.rs": [
        "use crate::{error::Error, item::{facts::Facts, path}};",
        "// use crate::wasm::host; tool_calls",
        'const A: &str = "use crate::session::x";',
        '#[cfg(test)]\nmod tests { const B: &str = "tool_calls"; use crate::wasm::host; }',
      ].join("\n"),
      "wasm/mod.rs": "use crate::context::project;\nuse wasm_bindgen::prelude::*;\npub fn take(&self) {}",
      "item/dialect/chat.rs": 'const FIELD: &str = "tool_calls";',
    });
    assert.equal(stderr, "");
    assert.equal(status, 0);
  });

  /** @type {[name: string, path: string, content: string, line: number][]} */
  const broken = [
    ["an import from below", "history/mod.rs", "\nuse crate::context::fold;", 2],
    ["a grouped import from below", "item/mod.rs", "use crate::{\n  error::Error,\n  history::{Atom, Unit},\n};", 1],
    ["a path from below", "item/facts.rs", "fn f() { crate::context::project(); }", 1],
    ["JavaScript outside wasm/", "context/mod.rs", "use js_sys::Array;", 1],
    ["a clock", "context/mod.rs", "\n\nuse std::time::Instant;", 3],
    ["a provider's field outside item/dialect/", "context/fold.rs", 'let x = item.get("tool_calls");', 1],
    ["&mut self on the boundary", "wasm/mod.rs", "impl A {\n  pub fn f(&mut self) {}\n}", 2],
    ["async fn on the boundary", "wasm/mod.rs", "pub async fn f() {}", 1],
  ];
  for (const [name, path, content, line] of broken) {
    it(`refuses ${name}`, () => {
      const { status, stderr } = check({ [path]: content });
      assert.equal(status, 1);
      assert.match(stderr, new RegExp(`src/${path}:${line}: `));
    });
  }
});
