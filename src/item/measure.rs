//! Sizes in characters: compact JSON before escaping, strings by UTF-16 length.

use crate::item::sketch::Sketch;
use crate::item::text::utf16_len;

/// What an inline media payload (a data URL, the base64 of an image, audio or file, bytes) counts, whatever its length.
pub const MEDIA_CHARS: u64 = 6_400;

/// Characters of a value: strings + 2, keys + 3, numbers by their ECMAScript text, literals, commas and brackets.
/// Bytes count [`MEDIA_CHARS`]; media in strings is corrected for by `dialect::media`.
#[must_use]
pub fn chars(sketch: &Sketch<'_>) -> u64 {
    match sketch {
        Sketch::Null | Sketch::Bool(true) => 4,
        Sketch::Bool(false) => 5,
        Sketch::Number(length) => *length as u64,
        Sketch::Text(text) => text.units as u64 + 2,
        Sketch::Bytes => MEDIA_CHARS,
        Sketch::List(list) => 2 + commas(list.len()) + list.iter().map(chars).sum::<u64>(),
        Sketch::Object(entries) => {
            2 + commas(entries.len())
                + entries
                    .iter()
                    .map(|(key, value)| key_chars(key) + chars(value))
                    .sum::<u64>()
        }
    }
}

/// Characters of a key with its quotes and colon.
#[must_use]
pub fn key_chars(key: &str) -> u64 {
    utf16_len(key) as u64 + 3
}

fn commas(count: usize) -> u64 {
    count.saturating_sub(1) as u64
}
