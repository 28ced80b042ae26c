//! Arguments of calls, made shorter and still valid.

use crate::item::edit::Edit;
use crate::item::facts::{Input, InputForm};
use crate::item::json::{parse, write_string};
use crate::item::path::{Path, Step};
use crate::item::text::{shorten, utf16_len};
use serde_json::Value;

/// The edits that shorten each string of more than `limit` characters inside arguments, and the characters that they
/// save. `text` is the text of free or JSON arguments, and the compact JSON text of an object. Empty where nothing is
/// too long, and where a text that should be JSON is none.
pub fn shorten_input(input: &Input, text: &str, limit: usize) -> (Vec<Edit>, i64) {
    match input.form {
        InputForm::Text => match shorten(text, limit) {
            Some(short) => replace(input, short),
            None => (Vec::new(), 0),
        },
        InputForm::JsonText => match shorten_json_text(text, limit) {
            Some(short) => replace(input, short),
            None => (Vec::new(), 0),
        },
        InputForm::Object => {
            let mut edits = Vec::new();
            let mut saves = 0;
            if let Some(value) = parse(text) {
                collect(&value, &input.path, limit, &mut edits, &mut saves);
            }
            (edits, saves)
        }
    }
}

fn replace(input: &Input, short: String) -> (Vec<Edit>, i64) {
    let saves = input.chars as i64 - (utf16_len(&short) as i64 + 2);
    (vec![Edit::set(input.path.clone(), Value::String(short))], saves)
}

fn collect(value: &Value, path: &Path, limit: usize, edits: &mut Vec<Edit>, saves: &mut i64) {
    match value {
        Value::String(text) => {
            if let Some(short) = shorten(text, limit) {
                *saves += utf16_len(text) as i64 - utf16_len(&short) as i64;
                edits.push(Edit::set(path.clone(), Value::String(short)));
            }
        }
        Value::Array(list) => {
            for (index, element) in list.iter().enumerate() {
                collect(element, &path.then(index), limit, edits, saves);
            }
        }
        Value::Object(object) => {
            for (key, element) in object {
                collect(element, &path.then(Step::Key(key.clone().into())), limit, edits, saves);
            }
        }
        _ => {}
    }
}

/// Shortens the long string values of a JSON text in place: everything else, numbers and white space included, stays
/// as it is written. `None` where nothing is too long or the text is no JSON.
fn shorten_json_text(json: &str, limit: usize) -> Option<String> {
    parse(json)?;
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    let mut is_changed = false;
    while let Some(open) = rest.find('"') {
        let (before, literal) = rest.split_at(open);
        out.push_str(before);
        let end = literal_end(literal)?;
        let (literal, after) = literal.split_at(end);
        rest = after;
        let is_key = after.trim_start().starts_with(':');
        let short = if is_key {
            None
        } else {
            serde_json::from_str::<String>(literal)
                .ok()
                .and_then(|text| shorten(&text, limit))
        };
        match short {
            Some(short) => {
                write_string(&short, &mut out);
                is_changed = true;
            }
            None => out.push_str(literal),
        }
    }
    out.push_str(rest);
    is_changed.then_some(out)
}

/// Where a string literal ends, quotes included.
fn literal_end(literal: &str) -> Option<usize> {
    let mut escaped = false;
    for (index, byte) in literal.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(index + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_text_stays_json_and_untouched_parts_stay_as_written() {
        let long = "x\\\"y".repeat(100);
        let json = format!("{{ \"path\" : \"a.rs\",\"n\":1.50, \"body\":\"{long}\", \"{long}\": 2 }}");
        let short = shorten_json_text(&json, 60).expect("one value is too long");
        let value: Value = serde_json::from_str(&short).expect("still JSON");
        assert!(utf16_len(value["body"].as_str().expect("a string")) <= 60);
        assert!(short.starts_with("{ \"path\" : \"a.rs\",\"n\":1.50, \"body\":"));
        assert!(short.ends_with(&format!("\"{long}\": 2 }}")), "keys stay");
        assert_eq!(shorten_json_text(&short, 60), None);
        assert_eq!(shorten_json_text("{\"a\": \"unfinished", 60), None);
    }
}
