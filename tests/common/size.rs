//! Sizes a second time (SEMANTICS §2), for items without media.

use super::boundary::Kind;
use serde_json::Value;

fn units(text: &str) -> u64 {
    text.encode_utf16().count() as u64
}

/// Characters of a value that holds no media.
pub fn chars(value: &Value) -> u64 {
    match value {
        Value::Null => 4,
        Value::Bool(flag) => {
            if *flag {
                4
            } else {
                5
            }
        }
        Value::Number(number) => {
            let double = number.as_f64().expect("a double");
            ryu_js::Buffer::new().format(double).len() as u64
        }
        Value::String(text) => units(text) + 2,
        Value::Array(list) => {
            // Brackets, and a comma behind each element but the last.
            let inner: u64 = list.iter().map(|element| chars(element) + 1).sum();
            if list.is_empty() { 2 } else { inner + 1 }
        }
        Value::Object(object) => {
            let inner: u64 = object
                .iter()
                .map(|(key, element)| units(key) + 3 + chars(element) + 1)
                .sum();
            if object.is_empty() { 2 } else { inner + 1 }
        }
    }
}

/// Whether an item holds something that may be media. Errs on the side of yes.
pub fn may_hold_media(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().any(may_hold_media),
        Value::Object(object) => {
            let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
            let is_media = ["image", "file", "document", "audio", "media", "screenshot"]
                .iter()
                .any(|word| kind.contains(word));
            is_media
                || ["inlineData", "fileData", "inline_data", "file_data", "image_url"]
                    .iter()
                    .any(|key| object.contains_key(*key))
                || object.values().any(may_hold_media)
        }
        _ => false,
    }
}

/// Images as the corpus holds them, screenshots included.
pub fn images(value: &Value) -> usize {
    match value {
        Value::Array(list) => list.iter().map(images).sum(),
        Value::Object(object) => {
            let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
            let is_image = matches!(
                kind,
                "image" | "input_image" | "image_url" | "computer_screenshot" | "image_generation_call" | "image-data"
            ) || (matches!(kind, "media" | "file") && object.contains_key("mediaType"))
                || object.contains_key("inlineData");
            if is_image { 1 } else { object.values().map(images).sum() }
        }
        _ => 0,
    }
}

/// The counter that tests hand over: one token for each UTF-16 unit.
pub fn count(text: &str) -> u64 {
    units(text)
}

/// Tokens of an item without media under [`count`]. Opaque payloads of the generators are too short to count.
pub fn tokens(item: &Value) -> u64 {
    fn leaves<'a>(value: &'a Value, out: &mut Vec<&'a str>) {
        match value {
            Value::String(text) => out.push(text),
            Value::Array(list) => list.iter().for_each(|element| leaves(element, out)),
            Value::Object(object) => {
                for (key, element) in object {
                    if !matches!(key.as_str(), "encrypted_content" | "signature") {
                        leaves(element, out);
                    }
                }
            }
            _ => {}
        }
    }
    let mut all = Vec::new();
    leaves(item, &mut all);
    count(&all.join("\n")) + 4
}

/// The summary item of SEMANTICS §3, given its text.
pub fn summary_item(kind: Kind, knows_dialect: bool, as_system: bool, text: &str) -> Value {
    use serde_json::json;
    let role = |may_be_system: bool| if as_system && may_be_system { "system" } else { "user" };
    match kind {
        _ if !knows_dialect => json!({ "role": role(true), "content": text }),
        Kind::Responses => json!({
            "type": "message", "role": role(true), "content": [{ "type": "input_text", "text": text }]
        }),
        Kind::Chat | Kind::Mixed => json!({ "role": role(true), "content": text }),
        Kind::Anthropic => json!({ "role": "user", "content": [{ "type": "text", "text": text }] }),
        Kind::AiSdk if as_system => json!({ "role": "system", "content": text }),
        Kind::AiSdk => json!({ "role": "user", "content": [{ "type": "text", "text": text }] }),
        Kind::Gemini => json!({ "role": "user", "parts": [{ "text": text }] }),
        Kind::AiSdkUi => json!({ "role": "user", "parts": [{ "type": "text", "text": text }] }),
    }
}
