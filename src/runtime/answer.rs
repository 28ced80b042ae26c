//! What a model's answer says and asks for, in whatever dialect it is.

use crate::history::{CallEntry, History};
use crate::item::dialect::{Dialect, Passage, passages};
use crate::item::facts::{Author, Call, Closing, Facts, InputForm, Part};
use crate::item::json::{parse, parse_as_javascript, without_half_pairs};
use crate::item::payload::Payloads;
use serde_json::{Value, json};
use std::rc::Rc;

/// A call that a tool of the host answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Its id; its tool's name where it has none.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// The arguments: an object, a string for tools that take free text, the item itself where `takes_text` is false.
    pub input: Value,
    /// What is wrong with the arguments.
    pub fault: Option<String>,
    /// A text can answer it. Where not, its tool gives the answering item itself.
    pub takes_text: bool,
    /// The model's side asks for a person's approval first.
    pub needs_person: bool,
}

/// A model's answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Its visible text.
    pub text: String,
    /// Its calls without a result, in order.
    pub calls: Vec<Asked>,
}

/// Reads a model's answer: items that it gave, and nothing else.
///
/// # Errors
/// What the host's objects throw.
pub fn read_answer<P: Payloads>(
    facts: &[Rc<Facts>],
    payloads: &P,
    dialect: Option<Dialect>,
) -> Result<Answer, P::Error> {
    let history = History::of(facts.iter(), dialect);
    let mut texts = Vec::new();
    for (index, facts) in facts.iter().enumerate() {
        if facts.author == Author::Model {
            let text = text_of(facts, &payloads.json(index, &[])?);
            if !text.is_empty() {
                texts.push(text);
            }
        }
    }
    let open = history.calls().iter().filter(|call| call.answer.is_none());
    let calls = open.map(|call| asked(&history, payloads, call));
    Ok(Answer {
        text: texts.join("\n"),
        calls: calls.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect(),
    })
}

/// Calls of a history that a tool may still answer: those of the last step, where nothing follows it.
///
/// # Errors
/// What the host's objects throw.
pub fn open_calls<P: Payloads>(
    facts: &[Rc<Facts>],
    payloads: &P,
    dialect: Option<Dialect>,
) -> Result<Vec<Asked>, P::Error> {
    let history = History::of(facts.iter(), dialect);
    let calls = history.in_flight().map(|call| asked(&history, payloads, call));
    Ok(calls.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// What the newest user message says: what a run is for.
///
/// # Errors
/// What the host's objects throw.
pub fn goal<P: Payloads>(facts: &[Rc<Facts>], payloads: &P) -> Result<Option<String>, P::Error> {
    let Some(index) = facts.iter().rposition(|facts| facts.author == Author::User) else {
        return Ok(None);
    };
    let Some(facts) = facts.get(index) else { return Ok(None) };
    Ok(Some(text_of(facts, &payloads.json(index, &[])?)))
}

/// The visible text of an item; of one that is a whole turn, that of its last step.
fn text_of(facts: &Facts, json: &str) -> String {
    let mended = without_half_pairs(json);
    let Some(mut value) = parse_as_javascript(mended.as_deref().unwrap_or(json)) else {
        return String::new();
    };
    if let (Some(list), Some(segment)) = (facts.list, facts.segments.last())
        && let Some(elements) = value.get_mut(list).and_then(Value::as_array_mut)
    {
        elements.truncate(segment.elements.end);
        elements.drain(..segment.elements.start.min(elements.len()));
    }
    let said = passages(&value).into_iter();
    said.filter_map(|passage| match passage {
        Passage::Text(text) => Some(text),
        _ => None,
    })
    .collect()
}

fn asked<P: Payloads>(history: &History, payloads: &P, entry: &CallEntry) -> Result<Option<Asked>, P::Error> {
    let unit = history.units().get(entry.unit);
    let Some((item, facts)) = unit.and_then(|unit| Some((unit.item, history.facts(unit.item)?))) else {
        return Ok(None);
    };
    let Some(Part::Call(call)) = facts.parts.get(entry.part) else {
        return Ok(None);
    };
    let name = call.name.as_deref().unwrap_or_default();
    let takes_text = call.closing != Closing::LeaveOut;
    let (input, fault) = if takes_text {
        arguments(
            call,
            call.input.as_ref().and_then(|input| payloads.text(item, &input.path)),
        )
    } else {
        (parse(&payloads.json(item, &[])?).unwrap_or(Value::Null), None)
    };
    Ok(Some(Asked {
        call_id: call.id.as_deref().unwrap_or(name).to_owned(),
        name: name.to_owned(),
        input,
        fault,
        takes_text,
        needs_person: awaits_approval(history, facts, call),
    }))
}

/// Arguments as a tool takes them, or what is wrong with them.
fn arguments(call: &Call, text: Option<String>) -> (Value, Option<String>) {
    let form = call.input.as_ref().map(|input| input.form);
    let text = text.unwrap_or_default();
    if form == Some(InputForm::Text) {
        return (text.into(), None);
    }
    if text.trim().is_empty() || text.trim() == "null" {
        return (json!({}), None);
    }
    let mended = without_half_pairs(&text);
    match parse(mended.as_deref().unwrap_or(&text)) {
        Some(Value::Object(object)) => (object.into(), None),
        Some(_) => (Value::Null, Some("the arguments are no JSON object".to_owned())),
        None => (Value::Null, Some("the arguments are no valid JSON".to_owned())),
    }
}

/// A request for approval of this call stands among the items, without an answer.
fn awaits_approval(history: &History, facts: &Facts, call: &Call) -> bool {
    let parts = || history.items().iter().flat_map(|facts| &facts.parts);
    let is_answered =
        |asked: &str| parts().any(|part| matches!(part, Part::ApprovalAnswer { id, .. } if **id == *asked));
    facts.parts.iter().any(|part| match part {
        Part::ApprovalRequest { id, call: of, .. } => of.is_some() && *of == call.id && !is_answered(id),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::read_items;
    use crate::item::payload::Values;
    use crate::item::sketch::Sketch;
    use std::borrow::Cow;

    fn read(items: &[Value]) -> Answer {
        let facts = read_items(items.iter().map(Sketch::of), None);
        read_answer(&facts, &values(items), None).unwrap()
    }

    fn values(items: &[Value]) -> Values<'_> {
        Values {
            items: Cow::Borrowed(items),
            media_tokens: 0,
            count_tokens: None,
        }
    }

    #[test]
    fn calls_and_text_are_read_in_each_dialect() {
        let answers = [
            vec![
                json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "hi" }] }),
                json!({ "type": "function_call", "call_id": "c", "name": "f", "arguments": "{\"x\":1}" }),
            ],
            vec![json!({ "role": "assistant", "content": "hi", "tool_calls": [
                { "id": "c", "type": "function", "function": { "name": "f", "arguments": "{\"x\":1}" } }
            ] })],
            vec![json!({ "role": "assistant", "content": [
                { "type": "text", "text": "hi" }, { "type": "tool_use", "id": "c", "name": "f", "input": { "x": 1 } }
            ] })],
            vec![json!({ "role": "model", "parts": [
                { "text": "hi" }, { "functionCall": { "id": "c", "name": "f", "args": { "x": 1 } } }
            ] })],
            vec![json!({ "role": "assistant", "content": [
                { "type": "text", "text": "hi" },
                { "type": "tool-call", "toolCallId": "c", "toolName": "f", "input": { "x": 1 } }
            ] })],
            vec![json!({ "id": "m", "role": "assistant", "parts": [
                { "type": "step-start" }, { "type": "text", "text": "before" },
                { "type": "step-start" }, { "type": "text", "text": "hi" },
                { "type": "tool-f", "toolCallId": "c", "state": "input-available", "input": { "x": 1 } }
            ] })],
        ];
        for items in answers {
            let answer = read(&items);
            assert_eq!(answer.text, "hi", "{items:?}");
            let [call] = answer.calls.as_slice() else {
                panic!("{items:?}: {answer:?}")
            };
            assert_eq!((call.call_id.as_str(), call.name.as_str()), ("c", "f"));
            assert_eq!(call.input, json!({ "x": 1 }));
            assert!(call.fault.is_none() && call.takes_text && !call.needs_person);
        }
    }

    #[test]
    fn arguments_that_do_not_parse_are_a_fault() {
        for (text, fault) in [
            ("", None),
            ("null", None),
            ("{\"x\":", Some("the arguments are no valid JSON")),
            ("[1]", Some("the arguments are no JSON object")),
        ] {
            let answer = read(&[json!({ "type": "function_call", "call_id": "c", "name": "f", "arguments": text })]);
            assert_eq!(answer.calls[0].fault.as_deref(), fault, "{text}");
        }
        let custom = read(&[json!({ "type": "custom_tool_call", "call_id": "c", "name": "f", "input": "{x" })]);
        assert_eq!(custom.calls[0].input, "{x");
    }

    #[test]
    fn a_type_without_a_text_result_hands_its_item_over() {
        let item = json!({ "type": "computer_call", "call_id": "c", "id": "cu_1", "action": { "type": "click" } });
        let call = &read(std::slice::from_ref(&item)).calls[0];
        assert!(!call.takes_text);
        assert_eq!(call.input, item);
    }

    #[test]
    fn a_call_may_wait_for_approval() {
        let mut items = vec![json!({ "role": "assistant", "content": [
            { "type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {} },
            { "type": "tool-approval-request", "approvalId": "a", "toolCallId": "c" }
        ] })];
        assert!(read(&items).calls[0].needs_person);
        items.push(json!({ "role": "tool", "content": [
            { "type": "tool-approval-response", "approvalId": "a", "approved": true }
        ] }));
        let facts = read_items(items.iter().map(Sketch::of), None);
        let open = open_calls(&facts, &values(&items), None).unwrap();
        assert!(!open[0].needs_person);
    }

    #[test]
    fn a_goal_is_what_the_newest_user_message_says() {
        let items = [
            json!({ "role": "user", "content": "first" }),
            json!({ "role": "assistant", "content": "x" }),
            json!({ "role": "user", "content": "second" }),
            json!({ "role": "assistant", "content": "y" }),
        ];
        let facts = read_items(items.iter().map(Sketch::of), None);
        assert_eq!(goal(&facts, &values(&items)).unwrap().as_deref(), Some("second"));
    }
}
