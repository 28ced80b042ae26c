//! The one door to what items hold, with two implementations: `serde_json::Value` here, JavaScript values in `wasm/`.
//!
//! Facts answer nearly every question; the payload is asked only for a text that is to be shortened or mended, for tokens,
//! for whether two items read the same, and to make changed items.

use crate::error::{Error, ErrorCode};
use crate::item::dialect::media::{Found, scan};
use crate::item::dialect::{Dialect, read};
use crate::item::edit::{Edit, apply, value_at};
use crate::item::facts::Facts;
use crate::item::json::compact;
use crate::item::path::{Path, Step};
use crate::item::sketch::Sketch;
use crate::item::tokens::{ITEM_TOKENS, estimate, opaque};
use serde_json::Value;
use std::borrow::Cow;

/// Where an item of a mended history comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// An item of the history, by its index.
    Source(usize),
    /// The library.
    New(Value),
}

/// Items made from others, and the facts of those that are not as they were.
pub type Rebuilt<R> = (R, Vec<Option<Facts>>);

/// Access to the items of a history by their index.
pub trait Payloads {
    /// What may go wrong: our own errors, and those of the host's functions.
    type Error: From<Error>;
    /// Items made from these.
    type Rebuilt: Payloads<Error = Self::Error>;

    /// The string at a path, or the compact JSON text of another value; `None` where nothing is.
    fn text(&self, item: usize, path: &Path) -> Option<String>;

    /// Tokens of the item with these edits made.
    ///
    /// # Errors
    /// What the host's counter throws, or `invalid_option` where its answer is no count.
    fn tokens(&self, item: usize, edits: &[Edit]) -> Result<u64, Self::Error>;

    /// The JSON text of the item with these edits made.
    ///
    /// # Errors
    /// What the host's objects throw.
    fn json(&self, item: usize, edits: &[Edit]) -> Result<String, Self::Error>;

    /// Other items, made from these: as they are, with edits, or new. With them come facts of those that are not as
    /// they were; `dialect` is that of the history.
    ///
    /// # Errors
    /// What the host's objects throw.
    fn rebuild(
        &self,
        entries: &[(&Origin, &[Edit])],
        dialect: Option<Dialect>,
    ) -> Result<Rebuilt<Self::Rebuilt>, Self::Error>;
}

/// A counter of tokens for the text of one item.
pub type CountTokens<'a> = &'a dyn Fn(&str) -> u64;

/// Items as JSON values.
pub struct Values<'a> {
    /// The items.
    pub items: Cow<'a, [Value]>,
    /// Tokens of an image, audio or file.
    pub media_tokens: u64,
    /// The host's counter; `None`: the built-in estimate.
    pub count_tokens: Option<CountTokens<'a>>,
}

impl Values<'_> {
    fn at(&self, item: usize) -> Result<&Value, Error> {
        let missing = || Error::new(ErrorCode::InvalidItem, format!("items[{item}]"), "is not there");
        self.items.get(item).ok_or_else(missing)
    }
}

impl<'a> Payloads for Values<'a> {
    type Error = Error;
    type Rebuilt = Values<'a>;

    fn text(&self, item: usize, path: &Path) -> Option<String> {
        Some(match value_at(self.items.get(item)?, path)? {
            Value::String(text) => text.clone(),
            other => compact(other),
        })
    }

    fn tokens(&self, item: usize, edits: &[Edit]) -> Result<u64, Error> {
        let value = self.at(item)?;
        let edited;
        let value = if edits.is_empty() {
            value
        } else {
            edited = apply(value, edits);
            &edited
        };
        let found = scan(&Sketch::of(value));
        let mut texts = Vec::new();
        leaves(value, &mut Vec::new(), &skipped(&found), &mut texts);
        let text = texts.join("\n");
        let count = self.count_tokens.map_or_else(|| estimate(&text), |count| count(&text));
        Ok(count + framing(&found, self.media_tokens))
    }

    fn json(&self, item: usize, edits: &[Edit]) -> Result<String, Error> {
        Ok(compact(&apply(self.at(item)?, edits)))
    }

    fn rebuild(&self, entries: &[(&Origin, &[Edit])], dialect: Option<Dialect>) -> Result<Rebuilt<Values<'a>>, Error> {
        let mut items = Vec::with_capacity(entries.len());
        let mut facts = Vec::with_capacity(entries.len());
        for (origin, edits) in entries {
            let (value, is_changed) = match origin {
                Origin::Source(item) => (apply(self.at(*item)?, edits), !edits.is_empty()),
                Origin::New(value) => (value.clone(), true),
            };
            facts.push(is_changed.then(|| read(&Sketch::of(&value), dialect)));
            items.push(value);
        }
        let values = Values {
            items: Cow::Owned(items),
            media_tokens: self.media_tokens,
            count_tokens: self.count_tokens,
        };
        Ok((values, facts))
    }
}

/// Tokens of what is not text: the frame of the item, its media, its opaque payloads.
#[must_use]
pub fn framing(found: &Found, media_tokens: u64) -> u64 {
    let media = found.media.len() as u64 * media_tokens;
    ITEM_TOKENS + media + found.opaque.iter().map(|(_, chars)| opaque(*chars)).sum::<u64>()
}

/// Paths that are no text to count: media payloads and opaque ones.
#[must_use]
pub fn skipped(found: &Found) -> Vec<Path> {
    let media = found.media.iter().filter_map(|media| media.leaf.clone());
    media.chain(found.opaque.iter().map(|(path, _)| path.clone())).collect()
}

/// String leaves in order.
fn leaves<'v>(value: &'v Value, steps: &mut Vec<Step>, skip: &[Path], out: &mut Vec<&'v str>) {
    match value {
        Value::String(text) if !skip.iter().any(|path| path.steps() == steps.as_slice()) => out.push(text),
        Value::Array(list) => {
            for (index, element) in list.iter().enumerate() {
                steps.push(Step::Index(index));
                leaves(element, steps, skip, out);
                steps.pop();
            }
        }
        Value::Object(object) => {
            for (key, element) in object {
                steps.push(Step::Key(std::borrow::Cow::Owned(key.clone())));
                leaves(element, steps, skip, out);
                steps.pop();
            }
        }
        _ => {}
    }
}
