//! Messages of OpenAI's Chat Completions API and of the many that follow it. Also reads plain messages whose shape
//! fits several dialects.

use super::Dialect;
use super::builder::Builder;
use crate::item::facts::{Author, Facts, InputForm, Part, TextForm};
use crate::item::path::Path;
use crate::item::sketch::Sketch;

/// Fields in which compatible providers hand back reasoning.
const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_details"];

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
        Author::Tool => {
            let payload = item
                .given("content")
                .map(|value| (Path::of(["content".into()]), value, TextForm::Text));
            builder.result(item.name("tool_call_id"), item.name("name"), payload, None);
        }
        Author::Other => builder.part(Part::Other),
        _ => {
            for key in REASONING {
                if let Some(value) = item.given(key) {
                    builder.reasoning_key(key, value);
                }
            }
            content(item, &mut builder);
            calls(item, &mut builder);
        }
    }
    builder.finish(Some(Dialect::OpenAiChat))
}

fn content(item: &Sketch<'_>, builder: &mut Builder) {
    match item.get("content") {
        Some(Sketch::List(parts)) => {
            for (index, part) in parts.iter().enumerate() {
                match part.kind() {
                    "text" => builder.text(part.str("text")),
                    "thinking" => {
                        builder.reasoning_element(part, Path::of(["content".into(), index.into()]), false);
                    }
                    _ => builder.part(Part::Other),
                }
            }
        }
        content => builder.text(content.and_then(Sketch::text)),
    }
    if item.given("refusal").is_some() || item.given("audio").is_some() {
        builder.part(Part::Other);
    }
}

fn calls(item: &Sketch<'_>, builder: &mut Builder) {
    for (index, call) in item.list("tool_calls").iter().enumerate() {
        let path = Path::of(["tool_calls".into(), index.into()]);
        if let Some(custom) = call.get("custom") {
            let input = custom
                .given("input")
                .map(|value| (path.then("custom").then("input"), value, InputForm::Text));
            builder.call(call.name("id"), custom.name("name"), input, false);
        } else {
            let function = call.get("function").unwrap_or(&Sketch::Null);
            let input = function
                .given("arguments")
                .map(|value| (path.then("function").then("arguments"), value, form_of(value)));
            builder.call(call.name("id"), function.name("name"), input, false);
        }
    }
    if let Some(function) = item.given("function_call") {
        let path = Path::of(["function_call".into(), "arguments".into()]);
        let input = function.given("arguments").map(|value| (path, value, form_of(value)));
        builder.call(None, function.name("name"), input, false);
    }
}

/// Arguments are a string of JSON; some stores keep them parsed.
fn form_of(arguments: &Sketch<'_>) -> InputForm {
    match arguments {
        Sketch::Text(_) => InputForm::JsonText,
        _ => InputForm::Object,
    }
}
