//! `ModelMessage` of the Vercel AI SDK.

use super::Dialect;
use super::builder::Builder;
use crate::item::facts::{Author, Facts, InputForm, Part, TextForm};
use crate::item::path::Path;
use crate::item::sketch::Sketch;
use std::rc::Rc;

pub fn read(item: &Sketch<'_>) -> Facts {
    let author = match item.str("role") {
        Some("system") => Author::System,
        Some("user") => Author::User,
        Some("assistant") => Author::Model,
        Some("tool") => Author::Tool,
        _ => Author::Other,
    };
    let mut builder = Builder::new(item, author);
    let parts = item.list("content");
    if parts.is_empty() {
        builder.text(item.str("content"));
    }
    for (index, part) in parts.iter().enumerate() {
        let path = Path::of(["content".into(), index.into()]);
        let hosted = matches!(part.get("providerExecuted"), Some(Sketch::Bool(true)));
        match part.kind() {
            "text" => builder.text(part.str("text")),
            "reasoning" => {
                let stored = server_id(part, "providerOptions").is_some();
                builder.reasoning_element(part, path.clone(), stored);
            }
            "tool-call" if !hosted => {
                let input = part
                    .given("input")
                    .map(|value| (path.then("input"), value, InputForm::Object));
                builder.call(
                    part.name("toolCallId"),
                    part.name("toolName"),
                    input,
                    is_signed(part, "providerOptions"),
                );
            }
            "tool-result" if author == Author::Tool => {
                let payload = part
                    .given("output")
                    .map(|value| (path.then("output"), value, TextForm::Typed("text")));
                builder.result(part.name("toolCallId"), part.name("toolName"), payload, None);
            }
            "tool-approval-request" => match part.name("approvalId") {
                Some(id) => builder.part(Part::ApprovalRequest { id: Rc::from(id) }),
                None => builder.part(Part::Other),
            },
            "tool-approval-response" => match part.name("approvalId") {
                Some(id) => builder.part(Part::ApprovalAnswer { id: Rc::from(id) }),
                None => builder.part(Part::Other),
            },
            _ => builder.part(Part::Other),
        }
        if part.kind() != "reasoning" {
            link(part, &path, "providerOptions", &mut builder, 0);
        }
    }
    builder.finish(Some(Dialect::AiSdk))
}

/// The id under which OpenAI keeps what a part came from.
pub(super) fn server_id<'s, 'a>(part: &'s Sketch<'a>, metadata: &str) -> Option<&'s Sketch<'a>> {
    part.get(metadata)
        .and_then(|options| options.get("openai"))
        .filter(|openai| openai.given("itemId").is_some())
}

/// Notes the server id of a part, which goes with the reasoning in front of it.
pub(super) fn link(part: &Sketch<'_>, path: &Path, metadata: &'static str, builder: &mut Builder, segment: usize) {
    if let Some(openai) = server_id(part, metadata) {
        builder.link(openai, &path.then(metadata).then("openai"), "itemId", segment);
    }
}

/// Whether a call carries Google's signature.
pub(super) fn is_signed(part: &Sketch<'_>, metadata: &str) -> bool {
    part.get(metadata)
        .and_then(|options| options.get("google"))
        .is_some_and(|google| google.given("thoughtSignature").is_some())
}
