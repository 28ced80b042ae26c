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
      "item/dialect/chat.rs": 'const FIELD: &str = "tool_calls"; use super::super::path;',
      "history/mod.rs": [
        "/* a /* nested */ use crate::wasm::x; */",
        "use super::item::{self, facts::Facts};",
        "fn f<'a>(x: &'a str) -> char { let _ = r#\"crate::wasm \"\"#.len(); '\"' }",
        'const NOTE: &str = "the role of its parts";',
        '#[cfg(test)]\n#[allow(clippy::panic)]\npub(crate) mod tests { const B: &str = "call_id"; }',
      ].join("\n"),
    });
    assert.equal(stderr, "");
    assert.equal(status, 0);
  });

  /** @type {[name: string, path: string, content: string, line: number][]} */
  const broken = [
    ["an import from below", "history/mod.rs", "\nuse crate::context::fold;", 2],
    ["a grouped import from below", "item/mod.rs", "use crate::{\n  error::Error,\n  history::{Atom, Unit},\n};", 3],
    ["a path from below", "item/facts.rs", "fn f() { crate::context::project(); }", 1],
    ["a path from below by super", "history/mod.rs", "use super::context::fold;", 1],
    ["a path from below by a grouped super", "item/facts.rs", "use super::{path, super::{error::Error,\n wasm}};", 2],
    ["a name that hides its room", "item/facts.rs", "use crate::Projector;", 1],
    ["a room that is not in the list", "util/mod.rs", "fn f() {}", 1],
    ["code after a test module", "item/mod.rs", "#[cfg(test)]\nmod tests { fn f() { if a {} } }\nuse crate::wasm::host;", 3],
    ["code after a test module in a comment", "item/mod.rs", "// #[cfg(test)] mod x {\nuse crate::wasm::host;", 2],
    ["code after a quote in a nested comment", "item/mod.rs", '/* /* a */ " */ use crate::wasm::x; // "', 1],
    ["a clock in a group", "context/mod.rs", "use std::{\n  collections::HashMap,\n  time::Instant,\n};", 3],
    ["a provider's field inside a longer string", "compact/mod.rs", 'let x = item.pointer("/tool_calls/0");', 1],
    ["&mut self with a lifetime", "wasm/mod.rs", "impl A {\n  fn f<'a>(&'a mut self) {}\n}", 2],
    ["self: &mut Self", "wasm/mod.rs", "impl A { fn f(self: &mut Self) {} }", 1],
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

  it("refuses a tree without Rust files", () => {
    const { status, stderr } = check({});
    assert.equal(status, 1);
    assert.match(stderr, /no Rust file/);
  });
});
