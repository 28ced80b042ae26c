//! `ModelMessage` of the Vercel AI SDK.

use super::Dialect;
use super::builder::{Builder, CallSpec, ResultSpec};
use crate::item::facts::{Author, Closing, Facts, InputForm, Part, Place, ReplyForm, Signature, TextForm};
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
        builder.text(item.get("content"), None);
        // The SDK itself leaves an empty tool message out.
        if matches!(item.get("content"), Some(Sketch::List(_))) && matches!(author, Author::User | Author::Model) {
            builder.never_empty();
        }
    }
    for (index, part) in parts.iter().enumerate() {
        let path = Path::of(["content".into(), index.into()]);
        read_part(part, &path, author, &mut builder);
        if part.kind() != "reasoning" {
            link(part, &path, "providerOptions", &mut builder, 0);
        }
    }
    builder.finish(Some(Dialect::AiSdk))
}

fn read_part(part: &Sketch<'_>, path: &Path, author: Author, builder: &mut Builder) {
    let hosted = matches!(part.get("providerExecuted"), Some(Sketch::Bool(true)));
    let (id, id_key) = (part.name("toolCallId"), Some("toolCallId"));
    match part.kind() {
        "text" => builder.text(part.get("text"), None),
        "reasoning" => {
            let stored = server_id(part, "providerOptions").is_some();
            builder.reasoning_element(part, path.clone(), stored);
        }
        "tool-call" if !hosted => builder.call(CallSpec {
            holder: path,
            names: None,
            place: Place::At(path.clone()),
            id,
            id_key,
            name: part.name("toolName"),
            name_key: Some("toolName"),
            input: part
                .given("input")
                .map(|value| (path.then("input"), value, InputForm::Object)),
            signature: signature(part, "providerOptions"),
            closing: Closing::Item(ReplyForm::AiSdk),
        }),
        "tool-result" if author == Author::Tool => builder.result(ResultSpec {
            holder: path,
            place: Place::At(path.clone()),
            id,
            id_key,
            name: part.name("toolName"),
            name_key: Some("toolName"),
            payload: part
                .given("output")
                .map(|value| (path.then("output"), value, TextForm::Typed("text"))),
            beside: None,
        }),
        "tool-approval-request" | "tool-approval-response" => match part.name("approvalId").map(Rc::from) {
            Some(id) if author == Author::Tool => builder.part(Part::ApprovalAnswer {
                id,
                place: Place::At(path.clone()),
            }),
            Some(id) => builder.part(Part::ApprovalRequest {
                id,
                call: part.name("toolCallId").map(Rc::from),
                place: Place::At(path.clone()),
            }),
            None => builder.part(Part::Other),
        },
        _ => builder.part(Part::Other),
    }
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

/// Google's signature of a call, if it carries one.
pub(super) fn signature(part: &Sketch<'_>, metadata: &str) -> Signature {
    let google = part.get(metadata).and_then(|options| options.get("google"));
    match google.and_then(|google| google.given("thoughtSignature")) {
        Some(_) => Signature::Signed,
        None => Signature::Unsigned,
    }
}
