//! `UIMessage` of the Vercel AI SDK: call and result are one part, so results are never orphans.

use super::ai_sdk::StoredReasoning;
use super::common::{Findings, Id, Terms, is_true, named, portable_tool_name, shown, text_of};
use crate::item::sketch::Sketch;

struct OpenCall<'a> {
    index: usize,
    step: usize,
    id: Option<Id<'a>>,
    is_streaming: bool,
}

pub fn check(items: &[Sketch<'_>], terms: Terms, findings: &mut Findings) {
    let mut open: Vec<OpenCall<'_>> = Vec::new();
    let mut stored = StoredReasoning::default();
    // Counts steps over the whole history: each message of the model and each `step-start` begins one.
    let mut step = 0_usize;
    for (index, item) in items.iter().enumerate() {
        schema(index, item, findings);
        match item.str("role") {
            Some("assistant") => step += 1,
            Some("user") => {
                step += 1;
                stored.ends(findings);
                continue;
            }
            _ => continue,
        }
        let mut is_empty = true;
        for part in item.list("parts") {
            match part.kind() {
                "step-start" | "steering-message" => {
                    step += usize::from(!is_empty);
                    is_empty = true;
                    continue;
                }
                kind if is_tool(kind) && !is_true(part, "providerExecuted") && is_open(part) => {
                    open.push(OpenCall {
                        index,
                        step,
                        id: named(part, "toolCallId"),
                        is_streaming: part.str("state") == Some("input-streaming"),
                    });
                }
                _ => {}
            }
            is_empty = false;
            let metadata = if is_tool(part.kind()) {
                "callProviderMetadata"
            } else {
                "providerMetadata"
            };
            stored.part(index, part, metadata, terms, findings);
        }
        // An empty step at the end is not begun yet.
        step -= usize::from(is_empty && step > 0 && !item.list("parts").is_empty());
    }
    stored.ends(findings);
    for call in open {
        let in_flight = call.step == step;
        // A call whose input never came to its end is not sent.
        if in_flight || !call.is_streaming {
            let name = format!("the call {}", shown(call.id));
            findings.unanswered(call.index, "E-V-MISSING", &name, in_flight);
        }
    }
}

fn is_tool(kind: &str) -> bool {
    kind == "dynamic-tool" || kind.starts_with("tool-")
}

/// Whether a tool part waits for its output.
fn is_open(part: &Sketch<'_>) -> bool {
    match part.str("state") {
        Some("input-streaming" | "input-available" | "approval-requested") => true,
        // A denied one is given a result when it is sent.
        Some("approval-responded") => !is_flag(part.get("approval"), "approved", false),
        _ => false,
    }
}

fn is_flag(holder: Option<&Sketch<'_>>, key: &str, flag: bool) -> bool {
    matches!(holder.and_then(|holder| holder.get(key)), Some(Sketch::Bool(value)) if *value == flag)
}

/// V-SCHEMA and V-EMPTY.
fn schema(index: usize, item: &Sketch<'_>, findings: &mut Findings) {
    if item.get("id").and_then(text_of).is_none() {
        findings.error(
            index,
            "V-SCHEMA",
            "a UI message must have an id that is a string: give it one",
        );
    }
    if !matches!(item.str("role"), Some("system" | "user" | "assistant")) {
        findings.error(
            index,
            "V-SCHEMA",
            "the role must be system, user or assistant: give the message one of them",
        );
    }
    let Some(Sketch::List(parts)) = item.get("parts") else {
        findings.error(
            index,
            "V-SCHEMA",
            "a UI message must have a list of parts: give it one, or drop it",
        );
        return;
    };
    if parts.is_empty() {
        findings.warning(
            index,
            "V-EMPTY",
            "a message without parts says nothing, and is refused by some: drop it",
        );
    }
    for part in parts {
        let kind = part.kind();
        if is_tool(kind) {
            tool(index, part, findings);
            continue;
        }
        let strings: &[&str] = match kind {
            "text" | "reasoning" => &["text"],
            "file" | "reasoning-file" => &["mediaType", "url"],
            "source-url" => &["sourceId", "url"],
            "source-document" => &["sourceId", "mediaType", "title"],
            "custom" => &["kind"],
            "steering-message" => &["id"],
            "step-start" => &[],
            _ if kind.starts_with("data-") => &[],
            _ => {
                let message = format!("there is no part of type \"{kind}\": drop it");
                findings.error(index, "V-SCHEMA", message);
                continue;
            }
        };
        for key in strings {
            if part.get(key).and_then(text_of).is_none() {
                let message = format!("{key} of a {kind} part must be a string: write it, or drop the part");
                findings.error(index, "V-SCHEMA", message);
            }
        }
    }
}

fn tool<'a>(index: usize, part: &Sketch<'a>, findings: &mut Findings) {
    let name = match part.kind().strip_prefix("tool-") {
        Some(name) => Some((name, name.len())).filter(|name| name.1 > 0),
        None => named(part, "toolName"),
    };
    portable_tool_name(findings, index, name);
    let mut fault = |wrong: &str| {
        let message = format!("a tool part {wrong}: mend or drop the part");
        findings.error(index, "V-SCHEMA", message);
    };
    if part.get("toolCallId").and_then(text_of).is_none() {
        fault("must have a toolCallId that is a string");
    }
    let state = part.str("state").unwrap_or_default();
    let approval = part.get("approval");
    let has_approval = approval.is_some_and(|approval| named(approval, "id").is_some());
    match state {
        "output-available" | "input-streaming" | "input-available" => {}
        "output-error" if part.get("errorText").and_then(text_of).is_none() => {
            fault("in state output-error must have an errorText that is a string");
        }
        "output-error" => {}
        "approval-requested" if has_approval => {}
        "approval-responded"
            if has_approval && (is_flag(approval, "approved", true) || is_flag(approval, "approved", false)) => {}
        "output-denied" if has_approval && is_flag(approval, "approved", false) => {}
        "approval-requested" | "approval-responded" | "output-denied" => {
            fault(&format!("in state {state} must have the approval that belongs to it"));
        }
        _ => fault("must be in one of the states from input-streaming to output-denied"),
    }
    if state != "output-available" && part.given("output").is_some() {
        fault("has an output in a state that has none");
    }
    if state != "output-error" && part.given("errorText").is_some() {
        fault("has an errorText in a state that has none");
    }
}
