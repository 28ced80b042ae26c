//! The items of a history as JavaScript values: one array, never copied.

use super::host;
use crate::item::dialect::media::scan;
use crate::item::dialect::{Dialect, read};
use crate::item::edit::{Edit, to_json};
use crate::item::json::compact;
use crate::item::path::Path;
use crate::item::payload::{Origin, Payloads, Rebuilt, framing, skipped};
use crate::item::sketch::Reader;
use crate::item::tokens::estimate;
use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

/// Items in a JavaScript array.
#[derive(Clone)]
pub struct JsItems {
    /// The array.
    pub items: Array,
    /// Tokens of an image, audio or file.
    pub media_tokens: u64,
    /// The host's counter; `None`: the built-in estimate.
    pub count_tokens: Option<Function>,
}

impl JsItems {
    fn at(&self, item: usize) -> JsValue {
        self.items.get(u32::try_from(item).unwrap_or(u32::MAX))
    }

    /// Tokens of a text that is no item of the host's.
    ///
    /// # Errors
    /// What the host's counter throws.
    pub fn count(&self, text: &str) -> Result<u64, JsValue> {
        match &self.count_tokens {
            Some(count) => Ok(host::count_text(count, text)? as u64),
            None => Ok(estimate(text)),
        }
    }
}

impl Payloads for JsItems {
    type Error = JsValue;
    type Rebuilt = JsItems;

    fn text(&self, item: usize, path: &Path) -> Option<String> {
        let mut one = String::new();
        path.write_json(&mut one);
        host::text_at(&self.at(item), &one).ok().flatten()
    }

    fn tokens(&self, item: usize, edits: &[Edit]) -> Result<u64, JsValue> {
        let source = self.at(item);
        let value = if edits.is_empty() {
            source
        } else {
            host::edited(&source, &to_json(edits))?
        };
        let media_tokens = self.media_tokens as f64;
        if let Some(count) = &self.count_tokens {
            let known = host::known_tokens(count, media_tokens, &value);
            if known >= 0.0 {
                return Ok(known as u64);
            }
        }
        let encoded = host::sketch(&Array::of1(&value), 0)?;
        let Some(sketch) = Reader::new(&encoded).value() else {
            return Ok(0);
        };
        let found = scan(&sketch);
        let text = host::leaves(&value, &paths_json(&skipped(&found)))?;
        let tokens = self.count(&text)? + framing(&found, self.media_tokens);
        if let Some(count) = &self.count_tokens {
            host::keep_tokens(count, media_tokens, &value, tokens as f64);
        }
        Ok(tokens)
    }

    fn json(&self, item: usize, edits: &[Edit]) -> Result<String, JsValue> {
        let edits = if edits.is_empty() {
            String::new()
        } else {
            to_json(edits)
        };
        host::json_text(&self.at(item), &edits)
    }

    fn rebuild(&self, entries: &[(&Origin, &[Edit])], dialect: Option<Dialect>) -> Result<Rebuilt<JsItems>, JsValue> {
        let items = Array::new();
        let changed = Array::new();
        let mut is_changed = Vec::with_capacity(entries.len());
        for (origin, edits) in entries {
            let item = match origin {
                Origin::Source(item) if edits.is_empty() => self.at(*item),
                Origin::Source(item) => host::edited(&self.at(*item), &to_json(edits))?,
                Origin::New(value) => host::new_item(&compact(value)),
            };
            let is_new = matches!(origin, Origin::New(_)) || !edits.is_empty();
            if is_new {
                changed.push(&item);
            }
            is_changed.push(is_new);
            items.push(&item);
        }
        let encoded = host::sketch(&changed, 0)?;
        let mut reader = Reader::new(&encoded);
        let facts = is_changed
            .into_iter()
            .map(|is_new| {
                if is_new {
                    reader.value().map(|sketch| read(&sketch, dialect))
                } else {
                    None
                }
            })
            .collect();
        let rebuilt = JsItems { items, ..self.clone() };
        Ok((rebuilt, facts))
    }
}

/// Paths as a JSON list.
fn paths_json(paths: &[Path]) -> String {
    let mut out = String::from("[");
    for (index, path) in paths.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        path.write_json(&mut out);
    }
    out.push(']');
    out
}
