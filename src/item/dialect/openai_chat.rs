//! Messages of OpenAI's Chat Completions API and of the many that follow it. Also reads plain messages whose shape
//! fits several dialects.

use super::Dialect;
use super::builder::{Builder, CallSpec, ResultSpec};
use crate::item::edit::Edit;
use crate::item::facts::{Author, Closing, Facts, InputForm, Part, Place, ReplyForm, Signature, TextForm};
use crate::item::path::Path;
use crate::item::rule::Rule;
use crate::item::sketch::Sketch;

/// Fields in which compatible providers hand back reasoning.
const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_details"];

/// What stands for a result that has no text.
pub(super) const NO_OUTPUT: &str = "(no output)";

pub fn read(item: &Sketch<'_>) -> Facts {
    let author = match item.str("role") {
        Some("system" | "developer") => Author::System,
        Some("user") => Author::User,
        Some("assistant") => Author::Model,
        Some("tool" | "function") => Author::Tool,
        _ => Author::Other,
    };
    let mut builder = Builder::new(item, author);
    match author {
        Author::Tool => result(item, &mut builder),
        Author::Other => builder.part(Part::Other),
        _ => {
            for key in REASONING {
                if let Some(value) = item.given(key) {
                    builder.reasoning_key(key, value);
                }
            }
            content(item, &mut builder);
            calls(item, &mut builder);
            if author == Author::Model {
                empties(item, &mut builder);
            }
        }
    }
    builder.finish(Some(Dialect::OpenAiChat))
}

fn result(item: &Sketch<'_>, builder: &mut Builder) {
    let holder = Path::default();
    let content = Path::of(["content".into()]);
    if item.given("content").is_none() {
        builder.repair(Rule::EmptyResult, vec![Edit::set(content.clone(), NO_OUTPUT.into())]);
    }
    builder.result(ResultSpec {
        holder: &holder,
        place: Place::Item,
        id: item.name("tool_call_id"),
        id_key: Some("tool_call_id"),
        name: item.name("name"),
        name_key: item.get("name").map(|_| "name"),
        payload: item.given("content").map(|value| (content, value, TextForm::Text)),
        beside: None,
    });
}

/// An assistant message says something or calls something, and an empty list of calls is refused.
fn empties(item: &Sketch<'_>, builder: &mut Builder) {
    if matches!(item.get("tool_calls"), Some(Sketch::List(calls)) if calls.is_empty()) {
        builder.repair(Rule::EmptyCalls, vec![Edit::remove(Path::of(["tool_calls".into()]))]);
    }
    let calls = !item.list("tool_calls").is_empty();
    if calls && item.given("reasoning_content").is_none() {
        let path = Path::of(["reasoning_content".into()]);
        builder.lacks_reasoning(Edit::set(path, "".into()));
    }
    builder.never_silent();
}

fn content(item: &Sketch<'_>, builder: &mut Builder) {
    match item.get("content") {
        Some(Sketch::List(parts)) => {
            for (index, part) in parts.iter().enumerate() {
                match part.kind() {
                    "text" => builder.text(part.get("text"), Some(Path::of(["content".into(), index.into()]))),
                    "thinking" => {
                        builder.reasoning_element(part, Path::of(["content".into(), index.into()]), false);
                    }
                    _ => builder.part(Part::Other),
                }
            }
        }
        content => builder.text(content, None),
    }
    if item.given("refusal").is_some() || item.given("audio").is_some() {
        builder.part(Part::Other);
    }
}

fn calls(item: &Sketch<'_>, builder: &mut Builder) {
    for (index, call) in item.list("tool_calls").iter().enumerate() {
        let path = Path::of(["tool_calls".into(), index.into()]);
        let (key, arguments) = if call.get("custom").is_some() {
            ("custom", "input")
        } else {
            ("function", "arguments")
        };
        let names = path.then(key);
        let function = call.get(key).unwrap_or(&Sketch::Null);
        if function.get("name").is_some() && function.given(arguments).is_none() {
            let edit = Edit::set(names.then(arguments), InputForm::JsonText.empty());
            builder.repair(Rule::Arguments, vec![edit]);
        }
        builder.call(CallSpec {
            holder: &path,
            names: Some(&names),
            place: Place::At(path.clone()),
            id: call.name("id"),
            id_key: Some("id"),
            name: function.name("name"),
            name_key: Some("name"),
            input: function.given(arguments).map(|value| {
                let form = if key == "custom" {
                    InputForm::Text
                } else {
                    form_of(value)
                };
                (names.then(arguments), value, form)
            }),
            signature: Signature::Unsigned,
            closing: Closing::Item(ReplyForm::ChatTool),
        });
    }
    if let Some(function) = item.given("function_call") {
        let path = Path::of(["function_call".into()]);
        builder.call(CallSpec {
            holder: &path,
            names: None,
            place: Place::At(path.clone()),
            id: None,
            id_key: None,
            name: function.name("name"),
            name_key: Some("name"),
            input: function
                .given("arguments")
                .map(|value| (path.then("arguments"), value, form_of(value))),
            signature: Signature::Unsigned,
            closing: Closing::Item(ReplyForm::ChatFunction),
        });
    }
}

/// Arguments are a string of JSON; some stores keep them parsed.
fn form_of(arguments: &Sketch<'_>) -> InputForm {
    match arguments {
        Sketch::Text(_) => InputForm::JsonText,
        _ => InputForm::Object,
    }
}
