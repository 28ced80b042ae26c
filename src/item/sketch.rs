//! The shape of an item, as the core reads it: every key, every short string, and the length of the long ones.
//!
//! A sketch is made from a `serde_json::Value` natively, and from the text that `js/boundary.js` writes in WebAssembly.
//! It borrows its strings and lives only while facts are taken.

use crate::item::text::utf16_len;
use serde_json::Value;

/// One value of an item.
#[derive(Debug)]
pub enum Sketch<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, by the length of its ECMAScript text.
    Number(usize),
    /// A string.
    Text(Text<'a>),
    /// Bytes (a typed array, an `ArrayBuffer`): always media.
    Bytes,
    /// A list.
    List(Vec<Sketch<'a>>),
    /// An object, keys in their order.
    Object(Vec<(&'a str, Sketch<'a>)>),
}

/// A string of an item. Of a long one only the beginning may be there.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The whole string, or its beginning.
    pub head: &'a str,
    /// Length of the whole string in UTF-16 units.
    pub units: usize,
    /// Half of a surrogate pair stands alone in it.
    pub is_broken: bool,
}

impl<'a> Sketch<'a> {
    /// The sketch of a JSON value. Strings are whole.
    #[must_use]
    pub fn of(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Number(number) => Self::Number(crate::item::json::number_text(number).len()),
            Value::String(text) => Self::Text(Text {
                head: text,
                units: utf16_len(text),
                is_broken: false,
            }),
            Value::Array(list) => Self::List(list.iter().map(Self::of).collect()),
            Value::Object(object) => Self::Object(
                object
                    .iter()
                    .map(|(key, value)| (key.as_str(), Self::of(value)))
                    .collect(),
            ),
        }
    }

    /// The value of a key, where this is an object that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(entries) => entries.iter().find(|(name, _)| *name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The value of a key, unless it is absent or null.
    #[must_use]
    pub fn given(&self, key: &str) -> Option<&Self> {
        self.get(key).filter(|value| !matches!(value, Self::Null))
    }

    /// The string at a key (its beginning, where it is long).
    #[must_use]
    pub fn str(&self, key: &str) -> Option<&'a str> {
        self.get(key).and_then(Self::text)
    }

    /// The string at a key, unless it is empty.
    #[must_use]
    pub fn name(&self, key: &str) -> Option<&'a str> {
        self.str(key).filter(|text| !text.is_empty())
    }

    /// This string's text (its beginning, where it is long).
    #[must_use]
    pub fn text(&self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text.head),
            _ => None,
        }
    }

    /// Whether this is a string with nothing but white space in it.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Text(text) => text.head.trim().is_empty() && utf16_len(text.head) == text.units,
            _ => false,
        }
    }

    /// The list at a key; empty where there is none.
    #[must_use]
    pub fn list(&self, key: &str) -> &[Self] {
        match self.get(key) {
            Some(Self::List(list)) => list,
            _ => &[],
        }
    }

    /// The `type` of an object.
    #[must_use]
    pub fn kind(&self) -> &'a str {
        self.str("type").unwrap_or_default()
    }

    /// The keys of an object.
    pub fn entries(&self) -> &[(&'a str, Self)] {
        match self {
            Self::Object(entries) => entries,
            _ => &[],
        }
    }
}

/// Reads what `sketch()` of `js/boundary.js` writes: one value after another, strings with their length in front.
///
/// `n` null, `t` true, `f` false, `#LEN;` number, `b` bytes, `"UNITS;text` whole string, `~UNITS;HEADUNITS;head` long
/// string, `!` in front of one with half a surrogate pair, `[`…`]` list, `{` then `UNITS;key` and a value each, `}`. Lengths count UTF-16 units.
pub struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Reads from the start of `encoded`.
    #[must_use]
    pub fn new(encoded: &'a str) -> Self {
        Self { rest: encoded }
    }

    /// The next value; `None` at the end or where the text is not of this form.
    pub fn value(&mut self) -> Option<Sketch<'a>> {
        Some(match self.tag()? {
            b'n' => Sketch::Null,
            b't' => Sketch::Bool(true),
            b'f' => Sketch::Bool(false),
            b'#' => Sketch::Number(self.length()?),
            b'b' => Sketch::Bytes,
            b'"' => {
                let units = self.length()?;
                Sketch::Text(Text {
                    head: self.take_units(units)?,
                    units,
                    is_broken: false,
                })
            }
            b'~' => {
                let units = self.length()?;
                let head = self.length()?;
                Sketch::Text(Text {
                    head: self.take_units(head)?,
                    units,
                    is_broken: false,
                })
            }
            b'!' => match self.value()? {
                Sketch::Text(text) => Sketch::Text(Text {
                    is_broken: true,
                    ..text
                }),
                _ => return None,
            },
            b'[' => {
                let mut list = Vec::new();
                while !self.closes(b']') {
                    list.push(self.value()?);
                }
                Sketch::List(list)
            }
            b'{' => {
                let mut entries = Vec::new();
                while !self.closes(b'}') {
                    let units = self.length()?;
                    let key = self.take_units(units)?;
                    entries.push((key, self.value()?));
                }
                Sketch::Object(entries)
            }
            _ => return None,
        })
    }

    fn tag(&mut self) -> Option<u8> {
        let tag = *self.rest.as_bytes().first()?;
        self.rest = self.rest.get(1..)?;
        Some(tag)
    }

    fn closes(&mut self, bracket: u8) -> bool {
        match self.rest.as_bytes().first() {
            Some(byte) if *byte == bracket => {
                self.rest = self.rest.get(1..).unwrap_or_default();
                true
            }
            Some(_) => false,
            // An unfinished text ends every list; the caller's next read then fails.
            None => true,
        }
    }

    fn length(&mut self) -> Option<usize> {
        let (digits, rest) = self.rest.split_once(';')?;
        self.rest = rest;
        digits.parse().ok()
    }

    fn take_units(&mut self, units: usize) -> Option<&'a str> {
        let end = match self.rest.as_bytes().get(..units) {
            Some(bytes) if bytes.is_ascii() => units,
            _ => byte_index(self.rest, units)?,
        };
        let (taken, rest) = (self.rest.get(..end)?, self.rest.get(end..)?);
        self.rest = rest;
        Some(taken)
    }
}

fn byte_index(text: &str, units: usize) -> Option<usize> {
    let mut left = units;
    for (index, character) in text.char_indices() {
        if left == 0 {
            return Some(index);
        }
        left = left.checked_sub(character.len_utf16())?;
    }
    (left == 0).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::measure::chars;
    use serde_json::json;

    #[test]
    fn reads_what_the_boundary_writes() {
        let encoded = "{4;role\"4;user7;content[\"4;aé😀~9000;2;ab#3;btfn]}";
        let sketch = Reader::new(encoded).value().expect("well-formed");
        assert_eq!(sketch.str("role"), Some("user"));
        let list = sketch.list("content");
        assert_eq!(list.len(), 7);
        assert_eq!(list[0].text(), Some("aé😀"));
        assert!(matches!(list[1], Sketch::Text(Text { units: 9000, .. })));
    }

    #[test]
    fn a_text_of_another_form_is_refused() {
        // A length that ends inside a character, a length past the end, an unknown tag, an unfinished object.
        for broken in ["\"2;a😀", "\"9;abc", "?", "{1;a", "#", ""] {
            assert!(Reader::new(broken).value().is_none(), "{broken}");
        }
    }

    #[test]
    fn sketches_of_values_weigh_as_their_json() {
        let value = json!({"a": [1, 2.5, "x"], "b": null, "c": true});
        assert_eq!(chars(&Sketch::of(&value)), value.to_string().len() as u64);
    }
}
