//! Neighbours of one role as one message, for chat templates that take no two of them.

use crate::item::path::Path;
use serde_json::{Value, json};

/// Where the content of a message stands, and the content of several as one: texts behind each other with an empty line
/// between, or one list of parts.
#[must_use]
pub fn joined_content(items: &[Value]) -> (Path, Value) {
    let contents = items.iter().filter_map(|item| item.get("content"));
    let texts: Option<Vec<&str>> = contents.clone().map(Value::as_str).collect();
    let content = match texts {
        Some(texts) => Value::String(texts.join("\n\n")),
        None => Value::Array(contents.flat_map(parts).collect()),
    };
    (Path::of(["content".into()]), content)
}

fn parts(content: &Value) -> Vec<Value> {
    match content {
        Value::Array(parts) => parts.clone(),
        Value::String(text) => vec![json!({ "type": "text", "text": text })],
        _ => Vec::new(),
    }
}
