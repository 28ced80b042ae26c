//! Items that answer calls: what the library itself puts into a projection to close what was left open, and what a host's
//! tool gave.

use super::openai_chat::NO_OUTPUT;
use crate::item::facts::ReplyForm;
use crate::item::json::compact;
use serde_json::{Value, json};

/// What a call gets that never got a result.
pub const INTERRUPTED: &str = "[no result: interrupted]";

/// What a user message says that stands in front of a history that the model opened.
pub const OPENING: &str = "[the conversation began before this]";

/// An item that answers a call with [`INTERRUPTED`].
#[must_use]
pub fn reply(form: ReplyForm, id: Option<&str>, name: Option<&str>) -> Value {
    failure(form, id, name, INTERRUPTED)
}

/// An item that answers a call with what went wrong, marked as an error where the form has a mark for it.
#[must_use]
pub fn failure(form: ReplyForm, id: Option<&str>, name: Option<&str>, message: &str) -> Value {
    let text = Value::from(message);
    match form {
        ReplyForm::Anthropic => json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": id, "content": text, "is_error": true }
        ] }),
        ReplyForm::Gemini => gemini(id, name, &json!({ "error": text })),
        ReplyForm::AiSdk => ai_sdk(id, name, &json!({ "type": "error-text", "value": text })),
        _ => answer(form, id, name, Some(&text)),
    }
}

/// An item that answers a call with what its tool gave: a text as it is, other values as JSON text, or as JSON where the
/// form has a place for it. `None`: the tool gave nothing.
#[must_use]
pub fn answer(form: ReplyForm, id: Option<&str>, name: Option<&str>, output: Option<&Value>) -> Value {
    let text = match output {
        None => NO_OUTPUT.to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => compact(value),
    };
    match form {
        ReplyForm::ResponsesFunction => json!({ "type": "function_call_output", "call_id": id, "output": text }),
        ReplyForm::ResponsesCustom => json!({ "type": "custom_tool_call_output", "call_id": id, "output": text }),
        ReplyForm::ResponsesLocalShell => {
            json!({ "type": "local_shell_call_output", "id": id, "call_id": id, "output": text })
        }
        ReplyForm::ChatTool => json!({ "role": "tool", "tool_call_id": id, "content": text }),
        ReplyForm::ChatFunction => json!({ "role": "function", "name": name.unwrap_or("_"), "content": text }),
        ReplyForm::Anthropic => json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": id, "content": text }
        ] }),
        ReplyForm::Gemini => match output {
            Some(Value::Object(_)) => gemini(id, name, output.unwrap_or(&Value::Null)),
            Some(value) => gemini(id, name, &json!({ "output": value })),
            None => gemini(id, name, &json!({ "output": text })),
        },
        ReplyForm::AiSdk => match output {
            Some(Value::String(_)) | None => ai_sdk(id, name, &json!({ "type": "text", "value": text })),
            Some(value) => ai_sdk(id, name, &json!({ "type": "json", "value": value })),
        },
    }
}

fn gemini(id: Option<&str>, name: Option<&str>, response: &Value) -> Value {
    let name = name.unwrap_or("_");
    let response = match id {
        Some(id) => json!({ "id": id, "name": name, "response": response }),
        None => json!({ "name": name, "response": response }),
    };
    json!({ "role": "user", "parts": [{ "functionResponse": response }] })
}

fn ai_sdk(id: Option<&str>, name: Option<&str>, output: &Value) -> Value {
    json!({ "role": "tool", "content": [{
        "type": "tool-result", "toolCallId": id, "toolName": name.unwrap_or("_"), "output": output
    }] })
}
