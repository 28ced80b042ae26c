//! One item of the Responses API: what it is, and the types of its fields.

use crate::item::dialect::SUMMARY_LINE;
use crate::item::rules::common::{Findings, named, shown, text_of, tool_name};
use crate::item::sketch::Sketch;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A person's message.
    User,
    /// A system or developer message.
    System,
    /// A message of the model or a hosted item.
    Model,
    /// Reasoning.
    Reasoning,
    /// A call that the client answers, by its family.
    Call(&'static str),
    /// The output of such a call.
    Output(&'static str),
    /// A request for approval.
    Request,
    /// The answer to one.
    Approval,
    /// The provider's own summary.
    Compaction,
    /// Asks for one.
    Trigger,
    /// The id of an item that the provider keeps.
    Reference,
    /// Tools that are there from now on.
    Tools,
    /// None of these.
    Unknown,
}

const FAMILIES: [&str; 8] = [
    "function",
    "custom_tool",
    "computer",
    "shell",
    "apply_patch",
    "local_shell",
    "tool_search",
    "program",
];

/// What an item is.
pub fn class(item: &Sketch<'_>) -> Class {
    let by_server = item.str("execution") == Some("server");
    match item.kind() {
        "message" => role(item),
        "" if item.get("role").is_some() => role(item),
        "" if item.get("id").is_some() => Class::Reference,
        "reasoning" => Class::Reasoning,
        "mcp_approval_request" => Class::Request,
        "mcp_approval_response" => Class::Approval,
        "compaction" => Class::Compaction,
        "compaction_trigger" => Class::Trigger,
        "item_reference" => Class::Reference,
        "additional_tools" => Class::Tools,
        // The server searched: call and result are its own.
        "tool_search_call" | "tool_search_output" if by_server => Class::Model,
        "web_search_call"
        | "file_search_call"
        | "code_interpreter_call"
        | "image_generation_call"
        | "mcp_call"
        | "mcp_list_tools" => Class::Model,
        "program" => Class::Call("program"),
        kind => {
            let family = |name: Option<&str>| FAMILIES.into_iter().find(|family| Some(*family) == name);
            if let Some(family) = family(kind.strip_suffix("_output").map(|kind| kind.trim_end_matches("_call"))) {
                Class::Output(family)
            } else if let Some(family) = family(kind.strip_suffix("_call")) {
                Class::Call(family)
            } else {
                Class::Unknown
            }
        }
    }
}

fn role(item: &Sketch<'_>) -> Class {
    match item.str("role") {
        Some("user") => Class::User,
        Some("system" | "developer") => Class::System,
        Some("assistant") => Class::Model,
        _ => Class::Unknown,
    }
}

/// Types of the item and of its fields.
pub fn shape(findings: &mut Findings, index: usize, item: &Sketch<'_>, class: Class) {
    match class {
        Class::Unknown => {
            let kind = item.get("type").or_else(|| item.get("role")).and_then(text_of);
            let kind = shown(kind.map(|kind| (kind.head, kind.units)));
            let message = format!("the provider knows no item {kind}: drop it");
            findings.error(index, "R-TYPES", message);
        }
        Class::User | Class::System => content(
            findings,
            index,
            item,
            &["input_text", "input_image", "input_file", "input_audio"],
        ),
        Class::Model if matches!(item.kind(), "message" | "") => {
            content(findings, index, item, &["output_text", "refusal"]);
        }
        Class::Call("function") => {
            string(findings, index, item, "arguments");
            tool_name(findings, index, named(item, "name"), 64);
        }
        Class::Call("custom_tool") => {
            string(findings, index, item, "input");
            tool_name(findings, index, named(item, "name"), 64);
        }
        Class::Request => string(findings, index, item, "arguments"),
        Class::Model if item.kind() == "mcp_call" => string(findings, index, item, "arguments"),
        Class::Output(family) => output_type(findings, index, item, family),
        _ => {}
    }
}

fn content(findings: &mut Findings, index: usize, item: &Sketch<'_>, kinds: &[&str]) {
    let wrong = match item.get("content") {
        Some(Sketch::Text(_)) => return,
        Some(Sketch::List(parts)) => match parts.iter().find(|part| !kinds.contains(&part.kind())) {
            Some(part) => format!("a part of type \"{}\"", part.kind()),
            None => return,
        },
        _ => "no content".to_owned(),
    };
    let role = item.str("role").unwrap_or_default();
    let message = format!(
        "a {role} message has {wrong}: write a string, or {}",
        kinds.join(" or ")
    );
    findings.error(index, "R-CONTENT", message);
}

fn string(findings: &mut Findings, index: usize, item: &Sketch<'_>, key: &str) {
    if item.get(key).and_then(text_of).is_none() {
        let message = format!("{key} must be a string: write its JSON text");
        findings.error(index, "E-R-ARGSTR", message);
    }
}

fn output_type(findings: &mut Findings, index: usize, item: &Sketch<'_>, family: &str) {
    let output = item.given("output");
    let (fits, wanted) = match family {
        "function" | "custom_tool" => (
            match output {
                Some(Sketch::List(parts)) => parts
                    .iter()
                    .all(|part| matches!(part.kind(), "input_text" | "input_image" | "input_file")),
                other => matches!(other, Some(Sketch::Text(_))),
            },
            "a string or a list of input_text, input_image, input_file",
        ),
        "computer" => (
            output.is_some_and(|output| output.kind() == "computer_screenshot"),
            "an object of type computer_screenshot",
        ),
        "shell" => (matches!(output, Some(Sketch::List(_))), "a list of chunks"),
        "local_shell" => (matches!(output, Some(Sketch::Text(_))), "a string"),
        "apply_patch" => (
            matches!(output, None | Some(Sketch::Text(_))) && item.str("status").is_some(),
            "a status and, if any, a string",
        ),
        _ => return,
    };
    if !fits {
        let message = format!("the output of a {family} call is {wanted}: write that, or drop call and output");
        findings.error(index, "R-OUTTYPE", message);
    }
}

/// Whether it is a summary that this library made.
pub fn is_summary(item: &Sketch<'_>) -> bool {
    let text = match item.get("content") {
        Some(Sketch::Text(text)) => Some(text.head),
        _ => item.list("content").first().and_then(|part| part.str("text")),
    };
    text.is_some_and(|text| text.starts_with(SUMMARY_LINE))
}

/// What the id of a type begins with.
pub fn prefix(item: &Sketch<'_>, class: Class) -> Option<&'static str> {
    Some(match class {
        Class::Reasoning => "rs",
        Class::Compaction => "cmp",
        Class::Request => "mcpr",
        Class::Call("function") => "fc",
        Class::Call("custom_tool") => "ctc",
        _ => match item.kind() {
            "message" => "msg",
            "web_search_call" => "ws",
            "code_interpreter_call" => "ci",
            "image_generation_call" => "ig",
            "mcp_list_tools" => "mcpl",
            "mcp_call" => "mcp",
            _ => return None,
        },
    })
}
