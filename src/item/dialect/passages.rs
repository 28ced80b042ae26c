//! What an item says, as text: for a prompt that tells a model what happened, and for what can be known without one.
//!
//! Calls and results come in the order in which the dialect's own file finds them, so that they can be matched with the
//! history's. Opaque payloads and media data are left out.

use crate::item::json::compact;
use serde_json::{Map, Value};

/// One thing that an item says.
#[derive(Clone, Debug, PartialEq)]
pub enum Passage {
    /// Visible text.
    Text(String),
    /// Readable reasoning.
    Reasoning(String),
    /// A call of a tool that a client answers.
    Call {
        /// The tool's name.
        name: String,
        /// Its arguments: parsed where they are the text of JSON.
        input: Value,
    },
    /// The result of a call.
    Result {
        /// The tool's name as the result gives it.
        name: Option<String>,
        /// What it says.
        text: String,
        /// It calls itself an error.
        is_error: bool,
    },
    /// An image, a file, audio.
    Media(String),
    /// Anything else, in short: hosted tools, approvals.
    Other(String),
}

type Object = Map<String, Value>;

/// What an item says, in order.
#[must_use]
pub fn passages(item: &Value) -> Vec<Passage> {
    let mut out = Vec::new();
    let Some(item) = item.as_object() else { return out };
    match str_at(item, "type") {
        Some(kind) if kind != "message" && !item.contains_key("role") => responses_item(item, kind, &mut out),
        _ => message(item, &mut out),
    }
    out
}

fn str_at<'v>(object: &'v Object, key: &str) -> Option<&'v str> {
    object.get(key).and_then(Value::as_str)
}

fn texts<'v>(value: Option<&'v Value>, key: &str) -> Vec<&'v str> {
    let list = value.and_then(Value::as_array);
    let found = list.into_iter().flatten();
    found.filter_map(|part| part.get(key).and_then(Value::as_str)).collect()
}

fn push_text(text: &str, out: &mut Vec<Passage>) {
    if !text.trim().is_empty() {
        out.push(Passage::Text(text.to_owned()));
    }
}

fn push_reasoning(text: &str, out: &mut Vec<Passage>) {
    if !text.trim().is_empty() {
        out.push(Passage::Reasoning(text.to_owned()));
    }
}

/// An item of the Responses API that is no message.
fn responses_item(item: &Object, kind: &str, out: &mut Vec<Passage>) {
    match kind {
        "reasoning" => {
            let mut all = texts(item.get("summary"), "text");
            all.extend(texts(item.get("content"), "text"));
            push_reasoning(&all.join("\n"), out);
        }
        "function_call" => out.push(call(str_at(item, "name"), item.get("arguments"))),
        "custom_tool_call" => out.push(Passage::Call {
            name: str_at(item, "name").unwrap_or_default().to_owned(),
            input: item.get("input").cloned().unwrap_or(Value::Null),
        }),
        "computer_call" | "shell_call" | "apply_patch_call" | "local_shell_call" => {
            let input = item.get("action").or_else(|| item.get("operation"));
            out.push(call(kind.strip_suffix("_call"), input));
        }
        "program" => out.push(call(Some("program"), item.get("code"))),
        "tool_search_call" if str_at(item, "execution") != Some("server") => {
            out.push(call(Some("tool_search"), item.get("arguments")));
        }
        "mcp_approval_request" => out.push(call(str_at(item, "name"), item.get("arguments"))),
        "mcp_approval_response" => {
            let is_approved = item.get("approve").and_then(Value::as_bool) == Some(true);
            let text = if is_approved { "approved" } else { "not approved" };
            out.push(result(None, text.to_owned(), false));
        }
        _ if kind.ends_with("_output") => {
            let is_failed = matches!(str_at(item, "status"), Some("failed" | "incomplete"));
            out.push(result(None, said(item.get("output")), is_failed));
        }
        "compaction" | "context_compaction" | "item_reference" | "compaction_trigger" => {}
        _ => out.push(Passage::Other(in_short(item, kind))),
    }
}

/// A message of any dialect: content, parts, calls beside them.
fn message(item: &Object, out: &mut Vec<Passage>) {
    if let Some(text) = str_at(item, "reasoning_content") {
        push_reasoning(text, out);
    }
    match (str_at(item, "role"), item.get("content")) {
        // A Chat message of a tool is its result as a whole.
        (Some("tool" | "function"), content) if !has_results(content) && !item.contains_key("parts") => {
            out.push(result(str_at(item, "name"), said(content), false));
        }
        (_, Some(Value::String(text))) => push_text(text, out),
        (_, Some(Value::Array(parts))) => parts.iter().for_each(|found| part(found, out)),
        _ => {}
    }
    let parts = item.get("parts").and_then(Value::as_array);
    parts.into_iter().flatten().for_each(|found| part(found, out));
    if let Some(text) = str_at(item, "refusal") {
        push_text(text, out);
    }
    let calls = item.get("tool_calls").and_then(Value::as_array);
    for found in calls.into_iter().flatten() {
        let (function, arguments) = match found.get("custom") {
            Some(custom) => (Some(custom), custom.get("input")),
            None => (
                found.get("function"),
                found.get("function").and_then(|function| function.get("arguments")),
            ),
        };
        let name = function
            .and_then(|function| function.get("name"))
            .and_then(Value::as_str);
        out.push(call(name, arguments));
    }
    if let Some(function) = item.get("function_call").filter(|function| !function.is_null()) {
        let name = function.get("name").and_then(Value::as_str);
        out.push(call(name, function.get("arguments")));
    }
}

fn has_results(content: Option<&Value>) -> bool {
    let parts = content.and_then(Value::as_array);
    parts.into_iter().flatten().any(|part| {
        let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
        kind.starts_with("tool-")
    })
}

/// One part of a message: a block, a content part, a part of a UI message.
fn part(part: &Value, out: &mut Vec<Passage>) {
    let Some(part) = part.as_object() else { return };
    let kind = str_at(part, "type").unwrap_or_default();
    let is_hosted = part.get("providerExecuted").and_then(Value::as_bool) == Some(true);
    match kind {
        "text" | "input_text" | "output_text" => push_text(str_at(part, "text").unwrap_or_default(), out),
        "refusal" => push_text(str_at(part, "refusal").unwrap_or_default(), out),
        "thinking" => {
            let text = str_at(part, "thinking").map(str::to_owned);
            push_reasoning(
                &text.unwrap_or_else(|| texts(part.get("thinking"), "text").join("\n")),
                out,
            );
        }
        "reasoning" => push_reasoning(str_at(part, "text").unwrap_or_default(), out),
        "redacted_thinking" | "step-start" | "cache_edits" => {}
        "tool_use" => out.push(call(str_at(part, "name"), part.get("input"))),
        "tool_result" => {
            let is_error = part.get("is_error").and_then(Value::as_bool) == Some(true);
            out.push(result(None, said(part.get("content")), is_error));
        }
        "tool-call" if !is_hosted => out.push(call(str_at(part, "toolName"), part.get("input"))),
        "tool-result" if !is_hosted => {
            let output = part.get("output");
            let form = output.and_then(|output| output.get("type")).and_then(Value::as_str);
            let is_error = form.is_some_and(|form| form.starts_with("error"));
            let value = output.and_then(|output| output.get("value").or(output.get("reason")));
            out.push(result(str_at(part, "toolName"), said(value.or(output)), is_error));
        }
        "tool-approval-request" | "tool-approval-response" => {
            out.push(Passage::Other(in_short(part, kind)));
        }
        _ if (kind == "dynamic-tool" || kind.starts_with("tool-")) && str_at(part, "state").is_some() && !is_hosted => {
            ui_tool(part, kind, out);
        }
        "compaction" => push_text(str_at(part, "content").unwrap_or_default(), out),
        "" => gemini(part, out),
        _ if is_media(kind) => out.push(Passage::Media(media_name(part, kind))),
        _ => out.push(Passage::Other(in_short(part, kind))),
    }
}

fn ui_tool(part: &Object, kind: &str, out: &mut Vec<Passage>) {
    let name = kind.strip_prefix("tool-").or_else(|| str_at(part, "toolName"));
    out.push(call(name, part.get("input")));
    match str_at(part, "state") {
        Some("output-available") => out.push(result(name, said(part.get("output")), false)),
        Some("output-error") => out.push(result(name, said(part.get("errorText")), true)),
        Some("output-denied") => out.push(result(name, "denied".to_owned(), true)),
        _ => {}
    }
}

fn gemini(part: &Object, out: &mut Vec<Passage>) {
    let is_thought = part.get("thought").and_then(Value::as_bool) == Some(true);
    if let Some(found) = part.get("functionCall") {
        out.push(call(found.get("name").and_then(Value::as_str), found.get("args")));
    } else if let Some(found) = part.get("functionResponse") {
        let response = found.get("response");
        let error = response.and_then(|response| response.get("error"));
        let output = response.and_then(|response| response.get("output").or_else(|| response.get("result")));
        let name = found.get("name").and_then(Value::as_str);
        out.push(result(name, said(error.or(output).or(response)), error.is_some()));
    } else if let Some(text) = str_at(part, "text") {
        if is_thought {
            push_reasoning(text, out);
        } else {
            push_text(text, out);
        }
    } else if let Some(found) = part.get("executableCode") {
        out.push(Passage::Other(format!("ran code: {}", said(found.get("code")))));
    } else if let Some(found) = part.get("codeExecutionResult") {
        out.push(Passage::Other(format!("code printed: {}", said(found.get("output")))));
    } else if part.contains_key("inlineData") || part.contains_key("fileData") {
        out.push(Passage::Media("file".to_owned()));
    }
}

fn is_media(kind: &str) -> bool {
    matches!(
        kind,
        "image" | "image_url" | "input_image" | "file" | "input_file" | "document" | "input_audio" | "audio" | "video"
    )
}

fn media_name(part: &Object, kind: &str) -> String {
    let name = str_at(part, "filename")
        .or_else(|| str_at(part, "name"))
        .or_else(|| str_at(part, "title"));
    let kind = kind.strip_prefix("input_").unwrap_or(kind);
    let kind = kind.strip_suffix("_url").unwrap_or(kind);
    match name {
        Some(name) => format!("{kind} {name}"),
        None => kind.to_owned(),
    }
}

fn call(name: Option<&str>, input: Option<&Value>) -> Passage {
    let input = match input {
        Some(Value::String(text)) => crate::item::json::parse(text).unwrap_or_else(|| Value::String(text.clone())),
        Some(input) => input.clone(),
        None => Value::Null,
    };
    Passage::Call {
        name: name.unwrap_or_default().to_owned(),
        input,
    }
}

fn result(name: Option<&str>, text: String, is_error: bool) -> Passage {
    Passage::Result {
        name: name.map(str::to_owned),
        text,
        is_error,
    }
}

/// What a payload says: a string, the texts of a list of parts with a word for each medium, other JSON as its text.
fn said(payload: Option<&Value>) -> String {
    match payload {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) if parts.iter().all(|part| part.get("type").is_some()) => {
            let words = parts.iter().filter_map(Value::as_object).map(|part| {
                let kind = str_at(part, "type").unwrap_or_default();
                match str_at(part, "text") {
                    Some(text) => text.to_owned(),
                    None => format!("[{}]", media_name(part, kind)),
                }
            });
            words.collect::<Vec<_>>().join("\n")
        }
        Some(Value::Object(object)) if object.len() == 1 && object.contains_key("image_url") => "[image]".to_owned(),
        Some(Value::Object(object)) if str_at(object, "type").is_some_and(is_screenshot) => "[screenshot]".to_owned(),
        Some(other) => compact(other),
    }
}

fn is_screenshot(kind: &str) -> bool {
    matches!(kind, "computer_screenshot" | "input_image")
}

/// A part that has no words of its own, by its kind and its short strings.
fn in_short(object: &Object, kind: &str) -> String {
    const LONGEST: usize = 300;
    let mut words = vec![kind.to_owned()];
    collect(&Value::Object(object.clone()), &mut words, 0);
    let text = words.join(" ");
    crate::item::text::shorten(&text, LONGEST).unwrap_or(text)
}

fn collect(value: &Value, words: &mut Vec<String>, depth: usize) {
    const DEEPEST: usize = 4;
    const LONGEST_WORD: usize = 120;
    const MOST: usize = 24;
    if depth > DEEPEST || words.len() > MOST {
        return;
    }
    match value {
        Value::String(text) if text.len() <= LONGEST_WORD => words.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|element| collect(element, words, depth + 1)),
        Value::Object(object) => {
            let telling = object
                .iter()
                .filter(|(key, _)| !matches!(key.as_str(), "type" | "id" | "role" | "signature"));
            telling.for_each(|(_, element)| collect(element, words, depth + 1));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(text: &str) -> Passage {
        Passage::Text(text.to_owned())
    }

    fn read_call() -> Passage {
        Passage::Call {
            name: "read".to_owned(),
            input: json!({ "path": "a" }),
        }
    }

    fn answer(name: Option<&str>, is_error: bool) -> Passage {
        result(name, "out".to_owned(), is_error)
    }

    #[test]
    fn every_dialect_says_the_same() {
        let calls = [
            json!({ "type": "function_call", "call_id": "c", "name": "read", "arguments": "{\"path\":\"a\"}" }),
            json!({ "role": "assistant", "content": null, "tool_calls": [
                { "id": "c", "type": "function", "function": { "name": "read", "arguments": "{\"path\":\"a\"}" } }
            ] }),
            json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "c", "name": "read", "input": { "path": "a" } }] }),
            json!({ "role": "model", "parts": [{ "functionCall": { "name": "read", "args": { "path": "a" } } }] }),
            json!({ "role": "assistant", "content": [
                { "type": "tool-call", "toolCallId": "c", "toolName": "read", "input": { "path": "a" } }
            ] }),
            json!({ "role": "assistant", "parts": [
                { "type": "tool-read", "toolCallId": "c", "state": "input-available", "input": { "path": "a" } }
            ] }),
        ];
        for item in calls {
            assert_eq!(passages(&item), [read_call()], "{item}");
        }
        let results = [
            (
                json!({ "type": "function_call_output", "call_id": "c", "output": "out" }),
                None,
                false,
            ),
            (
                json!({ "role": "tool", "tool_call_id": "c", "content": "out" }),
                None,
                false,
            ),
            (
                json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c", "is_error": true, "content": [{ "type": "text", "text": "out" }] }] }),
                None,
                true,
            ),
            (
                json!({ "role": "user", "parts": [{ "functionResponse": { "name": "read", "response": { "error": "out" } } }] }),
                Some("read"),
                true,
            ),
            (
                json!({ "role": "tool", "content": [{ "type": "tool-result", "toolCallId": "c", "toolName": "read", "output": { "type": "text", "value": "out" } }] }),
                Some("read"),
                false,
            ),
        ];
        for (item, name, is_error) in results {
            assert_eq!(passages(&item), [answer(name, is_error)], "{item}");
        }
    }

    #[test]
    fn opaque_payloads_and_media_are_not_spelt_out() {
        let item = json!({ "role": "user", "content": [
            { "type": "text", "text": "look" },
            { "type": "image", "source": { "type": "base64", "data": "A".repeat(5_000) } },
        ] });
        assert_eq!(passages(&item), [text("look"), Passage::Media("image".to_owned())]);
        let item = json!({ "type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "gAAAA" });
        assert_eq!(passages(&item), []);
    }
}
