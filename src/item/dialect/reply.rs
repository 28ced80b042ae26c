//! Items that the library itself puts into a projection to close what was left open.

use crate::item::facts::ReplyForm;
use serde_json::{Value, json};

/// What a call gets that never got a result.
pub const INTERRUPTED: &str = "[no result: interrupted]";

/// What a user message says that stands in front of a history that the model opened.
pub const OPENING: &str = "[the conversation began before this]";

/// An item that answers a call with [`INTERRUPTED`].
#[must_use]
pub fn reply(form: ReplyForm, id: Option<&str>, name: Option<&str>) -> Value {
    let name = name.unwrap_or("_");
    let text = INTERRUPTED;
    match form {
        ReplyForm::ResponsesFunction => json!({ "type": "function_call_output", "call_id": id, "output": text }),
        ReplyForm::ResponsesCustom => json!({ "type": "custom_tool_call_output", "call_id": id, "output": text }),
        ReplyForm::ResponsesLocalShell => {
            json!({ "type": "local_shell_call_output", "id": id, "call_id": id, "output": text })
        }
        ReplyForm::ChatTool => json!({ "role": "tool", "tool_call_id": id, "content": text }),
        ReplyForm::ChatFunction => json!({ "role": "function", "name": name, "content": text }),
        ReplyForm::Anthropic => json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": id, "content": text, "is_error": true }
        ] }),
        ReplyForm::Gemini => {
            let response = match id {
                Some(id) => json!({ "id": id, "name": name, "response": { "error": text } }),
                None => json!({ "name": name, "response": { "error": text } }),
            };
            json!({ "role": "user", "parts": [{ "functionResponse": response }] })
        }
        ReplyForm::AiSdk => json!({ "role": "tool", "content": [{
            "type": "tool-result", "toolCallId": id, "toolName": name,
            "output": { "type": "error-text", "value": text }
        }] }),
    }
}
