//! What `js/boundary.js` does for the core.

use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

/// Cargo watches what a crate includes: without this, a change of the file alone would not rebuild the package.
const _: &str = include_str!("../js/boundary.js");

#[wasm_bindgen(module = "/src/js/boundary.js")]
extern "C" {
    /// A real `Error` with `name`, `code` and `path`.
    #[wasm_bindgen(js_name = makeError)]
    pub fn make_error(code: &str, path: &str, message: &str) -> JsValue;

    /// Sketches of the items from an index on; throws `invalid_item`.
    #[wasm_bindgen(catch)]
    pub fn sketch(items: &Array, from: u32) -> Result<String, JsValue>;

    /// The string at a path, or the JSON text of another value.
    #[wasm_bindgen(catch, js_name = textAt)]
    pub fn text_at(item: &JsValue, path: &str) -> Result<Option<String>, JsValue>;

    /// String leaves joined by newlines, without those at the paths to skip.
    #[wasm_bindgen(catch)]
    pub fn leaves(item: &JsValue, skip: &str) -> Result<String, JsValue>;

    /// Tokens of an item that the host's counter has counted before; -1 where it has not.
    #[wasm_bindgen(js_name = knownTokens)]
    pub fn known_tokens(count: &Function, media_tokens: f64, item: &JsValue) -> f64;

    /// Keeps the tokens of an item.
    #[wasm_bindgen(js_name = keepTokens)]
    pub fn keep_tokens(count: &Function, media_tokens: f64, item: &JsValue, tokens: f64);

    /// The host's count of a text.
    #[wasm_bindgen(catch, js_name = countText)]
    pub fn count_text(count: &Function, text: &str) -> Result<f64, JsValue>;

    /// An edited copy of an item.
    #[wasm_bindgen(catch)]
    pub fn edited(item: &JsValue, edits: &str) -> Result<JsValue, JsValue>;

    /// The JSON text of an item with edits made; no edits: an empty text.
    #[wasm_bindgen(catch, js_name = jsonText)]
    pub fn json_text(item: &JsValue, edits: &str) -> Result<String, JsValue>;

    /// An item of the library's own.
    #[wasm_bindgen(js_name = newItem)]
    pub fn new_item(text: &str) -> JsValue;

    /// What is kept of a history.
    pub type Recalled;

    /// The handle of the facts.
    #[wasm_bindgen(method, getter)]
    pub fn facts(this: &Recalled) -> JsValue;

    /// How many items they cover.
    #[wasm_bindgen(method, getter)]
    pub fn known(this: &Recalled) -> u32;

    /// The facts kept for a history that begins like this one.
    #[wasm_bindgen(js_name = recallFacts)]
    pub fn recall_facts(items: &Array) -> Recalled;

    /// Keeps the facts of a history.
    #[wasm_bindgen(js_name = keepFacts)]
    pub fn keep_facts(items: &Array, facts: JsValue);

    /// The items of a projection.
    #[wasm_bindgen(catch)]
    pub fn assemble(items: &Array, plan: &[u32], texts: Vec<String>) -> Result<Array, JsValue>;

    /// The report of a projection.
    #[wasm_bindgen(js_name = makeReport)]
    pub fn make_report(
        figures: &[f64],
        pending: Vec<String>,
        notes: Vec<String>,
        fates: Vec<String>,
        reasons: Vec<String>,
    ) -> JsValue;
}
