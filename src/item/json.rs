//! Compact JSON text as `JSON.stringify` writes it, numbers included.

use serde_json::{Number, Value};

/// The ECMAScript text of a number.
#[must_use]
pub fn number_text(number: &Number) -> String {
    // Integers below 2^53 are written alike everywhere; all others go through the double that JavaScript would hold.
    if let Some(integer) = number.as_i64().filter(|n| n.unsigned_abs() < 1 << 53) {
        return integer.to_string();
    }
    match number.as_f64() {
        Some(double) if double.is_finite() => ryu_js::Buffer::new().format_finite(double).to_owned(),
        _ => "null".to_owned(),
    }
}

/// Parses a JSON text of at most [`MAX_TEXT_DEPTH`](crate::item::depth::MAX_TEXT_DEPTH) levels.
#[must_use]
pub fn parse(json: &str) -> Option<Value> {
    if !crate::item::depth::text_is_shallow(json) {
        return None;
    }
    let mut reader = serde_json::Deserializer::from_str(json);
    reader.disable_recursion_limit();
    let value = serde::Deserialize::deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    Some(value)
}

/// Parses a JSON text as JavaScript would read and write it again: a number beyond all doubles is `null`.
#[must_use]
pub fn parse_as_javascript(json: &str) -> Option<Value> {
    parse(json).or_else(|| parse(&without_infinities(json)?))
}

/// A JSON text in which each number beyond all doubles is `null`; `None` where there is none.
fn without_infinities(json: &str) -> Option<String> {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    let mut is_changed = false;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string_length(rest),
            '-' | '0'..='9' => {
                let is_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
                rest.find(|c| !is_number(c)).unwrap_or(rest.len())
            }
            other => other.len_utf8(),
        };
        let (token, after) = rest.split_at_checked(length)?;
        // A number that is one by its characters, and yet cannot be read, is out of range.
        let is_number = first == '-' || first.is_ascii_digit();
        let is_infinite = is_number && serde_json::from_str::<f64>(token).is_err();
        out.push_str(if is_infinite { "null" } else { token });
        is_changed |= is_infinite;
        rest = after;
    }
    is_changed.then_some(out)
}

/// Length of the string literal at the beginning, quotes included; of all, where it does not end.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return index + 1,
            _ => {}
        }
    }
    text.len()
}

/// A JSON text in which each escape of half a surrogate pair is replaced by U+FFFD; `None` where there is none.
#[must_use]
pub fn without_half_pairs(json: &str) -> Option<String> {
    if !json.contains("\\u") {
        return None;
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    let mut is_changed = false;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let unit = unit_of(escape);
        let (length, is_half) = match unit {
            Some(high) if (0xd800..0xdc00).contains(&high) => {
                let low = escape.get(6..).and_then(unit_of);
                match low {
                    Some(low) if (0xdc00..0xe000).contains(&low) => (12, false),
                    _ => (6, true),
                }
            }
            Some(low) if (0xdc00..0xe000).contains(&low) => (6, true),
            Some(_) => (6, false),
            None => (
                1 + escape
                    .get(1..)
                    .and_then(|rest| rest.chars().next())
                    .map_or(0, char::len_utf8),
                false,
            ),
        };
        let (taken, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        out.push_str(if is_half { "\u{fffd}" } else { taken });
        is_changed |= is_half;
        rest = after;
    }
    out.push_str(rest);
    is_changed.then_some(out)
}

/// The UTF-16 unit that a `\\uXXXX` at the beginning stands for.
fn unit_of(escape: &str) -> Option<u32> {
    let digits = escape.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

/// The compact JSON text of a value.
#[must_use]
pub fn compact(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// Appends the compact JSON text of a value.
pub fn write(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => out.push_str(&number_text(number)),
        Value::Array(list) => {
            out.push('[');
            for (index, element) in list.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(element, out);
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (index, (key, element)) in object.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                write(element, out);
            }
            out.push('}');
        }
        Value::String(text) => write_string(text, out),
        Value::Null | Value::Bool(_) => out.push_str(&value.to_string()),
    }
}

/// Appends a JSON string literal.
pub fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            control if (control as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", control as u32)),
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_javascript_does() {
        for (text, expected) in [
            ("1.0", "1"),
            ("-0.0", "0"),
            ("1e21", "1e+21"),
            ("123456789012345678", "123456789012345680"),
            ("0.000001", "0.000001"),
            ("1e-7", "1e-7"),
            ("5", "5"),
        ] {
            let value: Value = serde_json::from_str(text).expect("a number");
            assert_eq!(compact(&value), expected, "{text}");
        }
    }

    #[test]
    fn numbers_beyond_all_doubles_are_null() {
        let value =
            parse_as_javascript("{\"a\": [1e400, -1e400, 1e5], \"1e400 \\\" 1e999\": \"1e400\"}").expect("JSON");
        assert_eq!(
            compact(&value),
            "{\"a\":[null,null,100000],\"1e400 \\\" 1e999\":\"1e400\"}"
        );
        assert_eq!(parse_as_javascript("[1e400"), None);
    }

    #[test]
    fn half_pairs_are_replaced_and_whole_ones_stay() {
        assert_eq!(
            without_half_pairs("\"ok \\ud83d… \\ude00 \\ud83d\\ude00 \\\\ud83d\"").as_deref(),
            Some("\"ok \u{fffd}… \u{fffd} \\ud83d\\ude00 \\\\ud83d\"")
        );
        assert_eq!(without_half_pairs("\"\\ud83d\\ude00 \\n\""), None);
        assert_eq!(without_half_pairs("\"\\ud83d").as_deref(), Some("\"\u{fffd}"));
    }

    #[test]
    fn strings_are_escaped_as_javascript_does() {
        let value = Value::String("\"\\\n\u{1}\u{7f}é😀/".to_owned());
        assert_eq!(compact(&value), "\"\\\"\\\\\\n\\u0001\u{7f}é😀/\"");
    }
}
