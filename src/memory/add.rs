//! Items for what people write and what tools give, in the dialect of the history.

use crate::error::{Error, ErrorCode};
use crate::history::History;
use crate::item::dialect::{Dialect, answer, failure, failure_edits, output_edits, user_item};
use crate::item::edit::Edit;
use crate::item::facts::{Call, Closing, Facts, Part, Place};
use serde_json::Value;
use std::rc::Rc;

/// What adding a tool's output comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Added {
    /// An item to append.
    Item(Value),
    /// Edits of the item that holds the call.
    Edits(usize, Vec<Edit>),
}

/// What became of a call.
#[derive(Clone, Copy, Debug)]
pub enum Outcome<'a> {
    /// What its tool gave; `None`: nothing.
    Output(Option<&'a Value>),
    /// What went wrong.
    Failure(&'a str),
}

/// So many newest items are looked at first for a call.
const NEWEST: usize = 64;

/// What a person wrote, as an item of the history's dialect. `id` is the item's where the dialect gives one.
#[must_use]
pub fn user_input(facts: &[Rc<Facts>], dialect: Option<Dialect>, text: &str, id: &str) -> Value {
    user_item(dialect_of(facts, dialect), text, id)
}

fn dialect_of(facts: &[Rc<Facts>], dialect: Option<Dialect>) -> Option<Dialect> {
    dialect.or_else(|| facts.iter().find_map(|facts| facts.dialect))
}

/// What became of a call, in the form of the call: the newest of this id, unanswered ones first.
///
/// # Errors
/// `unknown_call` at `callId`; `invalid_item` at `output` where the call's type takes no text.
pub fn tool_output(
    facts: &[Rc<Facts>],
    dialect: Option<Dialect>,
    id: &str,
    outcome: Outcome<'_>,
) -> Result<Added, Error> {
    let dialect = dialect_of(facts, dialect);
    for from in [facts.len().saturating_sub(NEWEST), 0] {
        let found = find(facts.get(from..).unwrap_or_default(), dialect, id);
        let Some((item, call)) = found else { continue };
        let (id, name) = (call.id.as_deref(), call.name.as_deref());
        return match (&call.closing, &call.place) {
            (Closing::Item(form), _) => Ok(Added::Item(match outcome {
                Outcome::Output(output) => answer(*form, id, name, output),
                Outcome::Failure(message) => failure(*form, id, name, message),
            })),
            (Closing::Edits(_), Place::At(path)) => {
                let edits = match outcome {
                    Outcome::Output(output) => output_edits(path, output),
                    Outcome::Failure(message) => failure_edits(path, message),
                };
                Ok(Added::Edits(from + item, edits))
            }
            _ => Err(Error::new(
                ErrorCode::InvalidItem,
                "output",
                "the result of a call of this type is no text: add its item with addOutputItems",
            )),
        };
    }
    let message = format!("no call with the id \"{id}\" is in memory");
    Err(Error::new(ErrorCode::UnknownCall, "callId", message))
}

fn find(facts: &[Rc<Facts>], dialect: Option<Dialect>, id: &str) -> Option<(usize, Call)> {
    let history = History::of(facts.iter(), dialect);
    let of_id = |is_open: bool| {
        let calls = history.calls().iter().rev();
        calls
            .filter(|call| call.answer.is_none() == is_open)
            // Where calls have no ids, the name stands for one.
            .find(|call| call.id.as_deref().or(call.name.as_deref()) == Some(id))
    };
    let entry = of_id(true).or_else(|| of_id(false))?;
    let item = history.units().get(entry.unit)?.item;
    match history.facts(item)?.parts.get(entry.part)? {
        Part::Call(call) => Some((item, call.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::read_items;
    use crate::item::sketch::Sketch;
    use serde_json::json;

    fn added(items: &[Value], id: &str, output: Option<Value>) -> Result<Added, Error> {
        let facts = read_items(items.iter().map(Sketch::of), None);
        tool_output(&facts, None, id, Outcome::Output(output.as_ref()))
    }

    fn item(items: &[Value], id: &str, output: Option<Value>) -> Value {
        match added(items, id, output) {
            Ok(Added::Item(item)) => item,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn outputs_take_the_form_of_their_call() {
        let responses = [json!({ "type": "function_call", "call_id": "a", "name": "f", "arguments": "{}" })];
        let output = json!({ "type": "function_call_output", "call_id": "a", "output": "{\"x\":1}" });
        assert_eq!(item(&responses, "a", Some(json!({ "x": 1 }))), output);
        let chat = [json!({ "role": "assistant", "tool_calls": [
            { "id": "a", "type": "function", "function": { "name": "f", "arguments": "{}" } }
        ] })];
        assert_eq!(
            item(&chat, "a", None),
            json!({ "role": "tool", "tool_call_id": "a", "content": "(no output)" })
        );
        let anthropic =
            [json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "f", "input": {} }] })];
        assert_eq!(
            item(&anthropic, "a", Some(json!("x"))),
            json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": "x" }] })
        );
        let gemini = [json!({ "role": "model", "parts": [{ "functionCall": { "name": "f", "args": {} } }] })];
        let response = |response: Value| json!({ "role": "user", "parts": [{ "functionResponse": { "name": "f", "response": response } }] });
        assert_eq!(item(&gemini, "f", Some(json!({ "x": 1 }))), response(json!({ "x": 1 })));
        assert_eq!(item(&gemini, "f", Some(json!("x"))), response(json!({ "output": "x" })));
        let sdk = [
            json!({ "role": "assistant", "content": [{ "type": "tool-call", "toolCallId": "a", "toolName": "f", "input": {} }] }),
        ];
        assert_eq!(
            item(&sdk, "a", Some(json!([1])))["content"][0]["output"],
            json!({ "type": "json", "value": [1] })
        );
    }

    #[test]
    fn a_ui_message_is_edited_in_place() {
        let ui = [
            json!({ "id": "u", "role": "user", "parts": [{ "type": "text", "text": "hi" }] }),
            json!({ "id": "m", "role": "assistant", "parts": [
                { "type": "tool-f", "toolCallId": "a", "state": "input-available", "input": {} }
            ] }),
        ];
        let Ok(Added::Edits(1, edits)) = added(&ui, "a", Some(json!("x"))) else {
            panic!("no edits");
        };
        let after = crate::item::edit::apply(&ui[1], &edits);
        assert_eq!(
            after["parts"][0],
            json!({ "type": "tool-f", "toolCallId": "a", "state": "output-available", "input": {}, "output": "x" })
        );
    }

    #[test]
    fn a_failure_is_marked_where_its_dialect_has_a_mark() {
        let failed = |item: Value| {
            let facts = read_items([&item].into_iter().map(Sketch::of), None);
            match tool_output(&facts, None, "a", Outcome::Failure("no")) {
                Ok(Added::Item(item)) => item,
                Ok(Added::Edits(_, edits)) => crate::item::edit::apply(&item, &edits),
                Err(error) => panic!("{error}"),
            }
        };
        let anthropic = failed(
            json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "f", "input": {} }] }),
        );
        assert_eq!(anthropic["content"][0]["is_error"], true);
        let gemini =
            failed(json!({ "role": "model", "parts": [{ "functionCall": { "id": "a", "name": "f", "args": {} } }] }));
        assert_eq!(
            gemini["parts"][0]["functionResponse"]["response"],
            json!({ "error": "no" })
        );
        let sdk = failed(
            json!({ "role": "assistant", "content": [{ "type": "tool-call", "toolCallId": "a", "toolName": "f", "input": {} }] }),
        );
        assert_eq!(
            sdk["content"][0]["output"],
            json!({ "type": "error-text", "value": "no" })
        );
        let ui = failed(json!({ "id": "m", "role": "assistant", "parts": [
            { "type": "tool-f", "toolCallId": "a", "state": "input-available", "input": {} }
        ] }));
        assert_eq!(ui["parts"][0]["state"], "output-error");
        assert_eq!(ui["parts"][0]["errorText"], "no");
        let responses = failed(json!({ "type": "function_call", "call_id": "a", "name": "f", "arguments": "{}" }));
        assert_eq!(responses["output"], "no");
    }

    #[test]
    fn the_newest_open_call_is_meant() {
        let call = |name: &str| json!({ "type": "function_call", "call_id": "a", "name": name, "arguments": "{}" });
        let custom = json!({ "type": "custom_tool_call", "call_id": "a", "name": "g", "input": "" });
        let output = json!({ "type": "custom_tool_call_output", "call_id": "a", "output": "x" });
        let items = [custom, output, call("f")];
        assert_eq!(item(&items, "a", None)["type"], "function_call_output");
        let far = [vec![call("f")], vec![json!({ "role": "user", "content": "x" }); 200]].concat();
        assert_eq!(item(&far, "a", None)["type"], "function_call_output");
    }

    #[test]
    fn what_cannot_be_answered_says_so() {
        let computer = [json!({ "type": "computer_call", "call_id": "a", "id": "cu_1", "action": {} })];
        assert_eq!(added(&computer, "a", None).unwrap_err().code(), ErrorCode::InvalidItem);
        assert_eq!(added(&computer, "b", None).unwrap_err().code(), ErrorCode::UnknownCall);
    }
}
