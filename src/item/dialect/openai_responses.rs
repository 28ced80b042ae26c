//! Items of OpenAI's Responses API: most items are one thing each.

use super::Dialect;
use super::builder::Builder;
use crate::item::facts::{Author, Facts, InputForm, TextForm};
use crate::item::path::Path;
use crate::item::sketch::Sketch;

pub fn read(item: &Sketch<'_>) -> Facts {
    match item.kind() {
        "message" | "" => message(item),
        "reasoning" => {
            let mut builder = Builder::new(item, Author::Model);
            builder.reasoning_item(item.name("id").is_some());
            builder.finish(Some(Dialect::OpenAiResponses))
        }
        "mcp_approval_response" => {
            let mut builder = Builder::new(item, Author::Tool);
            builder.result_without_text(item.name("approval_request_id"), None);
            builder.finish(Some(Dialect::OpenAiResponses))
        }
        "compaction" | "compaction_trigger" | "context_compaction" | "additional_tools" => {
            let mut builder = Builder::new(item, Author::Other);
            builder.part(crate::item::facts::Part::Other);
            builder.finish(Some(Dialect::OpenAiResponses))
        }
        kind if kind.ends_with("_output") => output(item, kind),
        kind => model_item(item, kind),
    }
}

fn message(item: &Sketch<'_>) -> Facts {
    let author = match item.str("role") {
        Some("user") => Author::User,
        Some("system" | "developer") => Author::System,
        Some("assistant") => Author::Model,
        _ => Author::Other,
    };
    let mut builder = Builder::new(item, author);
    match item.get("content") {
        Some(Sketch::List(parts)) => {
            for part in parts {
                match part.kind() {
                    "input_text" | "output_text" | "text" => builder.text(part.str("text")),
                    "refusal" => builder.text(part.str("refusal")),
                    _ => builder.part(crate::item::facts::Part::Other),
                }
            }
        }
        content => builder.text(content.and_then(Sketch::text)),
    }
    if author == Author::Model {
        builder.link(item, &Path::default(), "id", 0);
    }
    builder.finish(Some(Dialect::OpenAiResponses))
}

fn output(item: &Sketch<'_>, kind: &str) -> Facts {
    let mut builder = Builder::new(item, Author::Tool);
    // A local shell output may name its call by `id` alone.
    let id = item
        .name("call_id")
        .or_else(|| (kind == "local_shell_call_output").then(|| item.name("id")).flatten());
    let name = (id.is_none() && kind == "tool_search_output").then_some("tool_search");
    let takes_text = matches!(
        kind,
        "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" | "apply_patch_call_output"
    );
    match item.given("output") {
        Some(value) if takes_text => {
            builder.result(
                id,
                name,
                Some((Path::of(["output".into()]), value, TextForm::Text)),
                None,
            );
        }
        _ => builder.result_without_text(id, name),
    }
    builder.finish(Some(Dialect::OpenAiResponses))
}

fn model_item(item: &Sketch<'_>, kind: &str) -> Facts {
    let mut builder = Builder::new(item, Author::Model);
    let arguments = |key: &'static str, form| item.given(key).map(|value| (Path::of([key.into()]), value, form));
    let mut id_pairs = false;
    match kind {
        "function_call" => {
            builder.call(
                item.name("call_id"),
                item.name("name"),
                arguments("arguments", InputForm::JsonText),
                false,
            );
        }
        "custom_tool_call" => {
            builder.call(
                item.name("call_id"),
                item.name("name"),
                arguments("input", InputForm::Text),
                false,
            );
        }
        "computer_call" | "shell_call" | "apply_patch_call" | "program" => {
            builder.call(item.name("call_id"), Some(kind.trim_end_matches("_call")), None, false);
        }
        "tool_search_call" if item.str("execution") != Some("server") => {
            builder.call(item.name("call_id"), Some("tool_search"), None, false);
        }
        "local_shell_call" => {
            id_pairs = item.name("call_id").is_none();
            builder.call(
                item.name("call_id").or_else(|| item.name("id")),
                Some("local_shell"),
                None,
                false,
            );
        }
        "mcp_approval_request" => {
            id_pairs = true;
            builder.call(item.name("id"), item.name("name"), None, false);
        }
        // Hosted tools carry their result; unknown items are what a model has said until a rule says otherwise.
        _ => builder.part(crate::item::facts::Part::Other),
    }
    if id_pairs {
        builder.keeps_reasoning();
    }
    if !id_pairs && kind != "item_reference" {
        builder.link(item, &Path::default(), "id", 0);
    }
    builder.finish(Some(Dialect::OpenAiResponses))
}
