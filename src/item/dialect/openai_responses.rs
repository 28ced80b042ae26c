//! Items of OpenAI's Responses API: most items are one thing each.

use super::Dialect;
use super::builder::{Builder, CallSpec, ResultSpec};
use super::openai_chat::NO_OUTPUT;
use crate::item::edit::Edit;
use crate::item::facts::{Author, Closing, Facts, InputForm, Part, Place, ReplyForm, Role, Signature, TextForm};
use crate::item::path::Path;
use crate::item::rule::Rule;
use crate::item::sketch::Sketch;

/// Items that only a client's log has.
const LOCAL: [&str; 6] = [
    "ghost_snapshot",
    "event_msg",
    "turn_context",
    "world_state",
    "session_meta",
    "compacted",
];

pub fn read(item: &Sketch<'_>) -> Facts {
    match item.kind() {
        "message" | "" => message(item),
        "reasoning" => {
            let mut builder = Builder::new(item, Author::Model);
            builder.reasoning_item(item.name("id").is_some());
            builder.role(Role::Reasoning {
                is_complete: item.given("encrypted_content").is_some(),
            });
            own_id(item, &mut builder, false);
            finish(builder)
        }
        "mcp_approval_response" => {
            let mut builder = Builder::new(item, Author::Tool);
            let holder = Path::default();
            builder.result(ResultSpec {
                holder: &holder,
                place: Place::Item,
                id: item.name("approval_request_id"),
                id_key: Some("approval_request_id"),
                name: None,
                name_key: None,
                payload: None,
                beside: None,
            });
            finish(builder)
        }
        kind @ ("compaction" | "compaction_trigger" | "context_compaction" | "additional_tools") => other(item, kind),
        kind if LOCAL.contains(&kind) => {
            let mut builder = Builder::new(item, Author::Other);
            builder.part(Part::Other);
            builder.refuse(Rule::LocalType);
            finish(builder)
        }
        kind if kind.ends_with("_output") => output(item, kind),
        kind => model_item(item, kind),
    }
}

fn finish(builder: Builder) -> Facts {
    builder.finish(Some(Dialect::OpenAiResponses))
}

fn other(item: &Sketch<'_>, kind: &str) -> Facts {
    let mut builder = Builder::new(item, Author::Other);
    builder.part(Part::Other);
    match kind {
        "compaction" => {
            builder.role(Role::Compaction);
            builder.compacts();
        }
        "compaction_trigger" => builder.role(Role::Trigger),
        // What the item was called of old; without content there was nothing in it.
        "context_compaction" if item.given("encrypted_content").is_some() => {
            builder.role(Role::Compaction);
            builder.compacts();
            let edit = Edit::set(Path::of(["type".into()]), "compaction".into());
            builder.repair(Rule::LocalType, vec![edit]);
        }
        "context_compaction" => builder.refuse(Rule::LocalType),
        _ => {}
    }
    finish(builder)
}

/// Notes the item's own id and mends one that has not its type's prefix.
fn own_id(item: &Sketch<'_>, builder: &mut Builder, is_needed: bool) {
    let Some(id) = item.name("id") else { return };
    builder.item_id(id, is_needed);
    if let Some(prefix) = prefix(item.kind())
        && !is_needed
        && !id.starts_with(prefix)
    {
        builder.repair(Rule::IdPrefix, vec![Edit::remove(Path::of(["id".into()]))]);
    }
}

/// What ids of a type begin with, for the types that the provider is known to check.
fn prefix(kind: &str) -> Option<&'static str> {
    match kind {
        "message" => Some("msg_"),
        "reasoning" => Some("rs_"),
        "function_call" => Some("fc_"),
        "custom_tool_call" => Some("ctc_"),
        _ => None,
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
                    "input_text" | "output_text" | "text" => builder.text(part.get("text"), None),
                    "refusal" => builder.text(part.get("refusal"), None),
                    _ => builder.part(Part::Other),
                }
            }
        }
        content => builder.text(content, None),
    }
    if author == Author::Model {
        builder.link(item, &Path::default(), "id", 0);
        own_id(item, &mut builder, false);
    }
    finish(builder)
}

fn output(item: &Sketch<'_>, kind: &str) -> Facts {
    let mut builder = Builder::new(item, Author::Tool);
    // A local shell output may name its call by `id` alone.
    let by_id = item.name("call_id").is_none() && kind == "local_shell_call_output";
    let (id, id_key) = if by_id {
        (item.name("id"), "id")
    } else {
        (item.name("call_id"), "call_id")
    };
    let takes_text = matches!(
        kind,
        "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" | "apply_patch_call_output"
    );
    let holder = Path::default();
    builder.result(ResultSpec {
        holder: &holder,
        place: Place::Item,
        name: (id.is_none() && kind == "tool_search_output").then_some("tool_search"),
        id,
        id_key: Some(id_key),
        name_key: None,
        payload: item
            .given("output")
            .filter(|_| takes_text)
            .map(|value| (Path::of(["output".into()]), value, TextForm::Text)),
        beside: None,
    });
    if takes_text && kind != "apply_patch_call_output" && item.given("output").is_none() {
        let edit = Edit::set(Path::of(["output".into()]), NO_OUTPUT.into());
        builder.repair(Rule::EmptyResult, vec![edit]);
    }
    if let Some(id) = item.name("id").filter(|_| item.name("call_id").is_some()) {
        builder.item_id(id, false);
    }
    finish(builder)
}

fn model_item(item: &Sketch<'_>, kind: &str) -> Facts {
    let mut builder = Builder::new(item, Author::Model);
    let holder = Path::default();
    let arguments = |key: &'static str, form| item.given(key).map(|value| (Path::of([key.into()]), value, form));
    let mut id_pairs = false;
    let mut call = CallSpec {
        holder: &holder,
        names: None,
        place: Place::Item,
        id: item.name("call_id"),
        id_key: Some("call_id"),
        name: item.name("name"),
        name_key: Some("name"),
        input: None,
        signature: Signature::Unsigned,
        closing: Closing::LeaveOut,
    };
    let is_call = match kind {
        "function_call" => {
            // A string of JSON; some stores keep it parsed.
            let is_text = matches!(item.get("arguments"), Some(Sketch::Text(_)));
            call.input = arguments(
                "arguments",
                if is_text {
                    InputForm::JsonText
                } else {
                    InputForm::Object
                },
            );
            call.closing = Closing::Item(ReplyForm::ResponsesFunction);
            if item.given("arguments").is_none() {
                let edit = Edit::set(Path::of(["arguments".into()]), InputForm::JsonText.empty());
                builder.repair(Rule::Arguments, vec![edit]);
            }
            true
        }
        "custom_tool_call" => {
            call.input = arguments("input", InputForm::Text);
            call.closing = Closing::Item(ReplyForm::ResponsesCustom);
            true
        }
        "computer_call" | "shell_call" | "apply_patch_call" | "program" => {
            (call.name, call.name_key) = (Some(short_name(kind)), None);
            true
        }
        "tool_search_call" if item.str("execution") != Some("server") => {
            (call.name, call.name_key) = (Some("tool_search"), None);
            true
        }
        "local_shell_call" => {
            id_pairs = item.name("call_id").is_none();
            if id_pairs {
                (call.id, call.id_key) = (item.name("id"), Some("id"));
            }
            (call.name, call.name_key) = (Some("local_shell"), None);
            call.closing = Closing::Item(ReplyForm::ResponsesLocalShell);
            true
        }
        "mcp_approval_request" => {
            id_pairs = true;
            (call.id, call.id_key) = (item.name("id"), Some("id"));
            call.name_key = None;
            true
        }
        _ => false,
    };
    if is_call {
        builder.call(call);
    } else {
        // Hosted tools carry their result; unknown items are what a model has said until a rule says otherwise.
        builder.part(Part::Other);
    }
    if id_pairs {
        builder.keeps_reasoning();
    }
    if kind == "item_reference" {
        builder.role(Role::Reference);
        own_id(item, &mut builder, true);
    } else {
        if !id_pairs {
            builder.link(item, &Path::default(), "id", 0);
        }
        own_id(item, &mut builder, id_pairs);
    }
    finish(builder)
}

/// `computer` for `computer_call`.
fn short_name(kind: &str) -> &'static str {
    match kind {
        "computer_call" => "computer",
        "shell_call" => "shell",
        "apply_patch_call" => "apply_patch",
        _ => "program",
    }
}
