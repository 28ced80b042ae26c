//! `UIMessage` of the Vercel AI SDK: an assistant message is a whole turn, each tool part a call with its result.

use super::Dialect;
use super::ai_sdk::{is_signed, link, server_id};
use super::builder::Builder;
use crate::item::facts::{Author, Facts, InputForm, Part, Segment, TextForm};
use crate::item::path::Path;
use crate::item::sketch::Sketch;

pub fn read(item: &Sketch<'_>) -> Facts {
    let author = match item.str("role") {
        Some("system") => Author::System,
        Some("user") => Author::User,
        Some("assistant") => Author::Model,
        _ => Author::Other,
    };
    let mut builder = Builder::new(item, author);
    let parts = item.list("parts");
    if parts.is_empty() {
        builder.text(None);
    }
    let mut segments: Vec<Segment> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        if index == 0 || (author == Author::Model && part.kind() == "step-start") {
            segments.push(Segment {
                parts: builder.len()..builder.len(),
                elements: index..index,
                chars: 0,
            });
        }
        let segment = segments.len().saturating_sub(1);
        let path = Path::of(["parts".into(), index.into()]);
        read_part(part, &path, segment, &mut builder);
        let size = builder.sized(part, &path) + 1;
        if let Some(segment) = segments.last_mut() {
            segment.parts.end = builder.len();
            segment.elements.end = index + 1;
            segment.chars += size;
        }
    }
    if author == Author::Model && !segments.is_empty() {
        builder.segments("parts", segments);
    }
    builder.finish(Some(Dialect::AiSdkUi))
}

fn read_part(part: &Sketch<'_>, path: &Path, segment: usize, builder: &mut Builder) {
    let kind = part.kind();
    match kind {
        "text" => {
            builder.text(part.str("text"));
            link(part, path, "providerMetadata", builder, segment);
        }
        "reasoning" => {
            let stored = server_id(part, "providerMetadata").is_some();
            builder.reasoning_element(part, path.clone(), stored);
        }
        "step-start" => builder.text(None),
        _ if kind == "dynamic-tool" || kind.starts_with("tool-") => tool(part, path, segment, builder),
        _ => builder.part(Part::Other),
    }
}

fn tool(part: &Sketch<'_>, path: &Path, segment: usize, builder: &mut Builder) {
    link(part, path, "callProviderMetadata", builder, segment);
    if matches!(part.get("providerExecuted"), Some(Sketch::Bool(true))) {
        builder.part(Part::Other);
        return;
    }
    let name = part.kind().strip_prefix("tool-").or_else(|| part.name("toolName"));
    let id = part.name("toolCallId");
    let input = part
        .given("input")
        .map(|value| (path.then("input"), value, InputForm::Object));
    builder.call(id, name, input, is_signed(part, "callProviderMetadata"));
    let payload_at = |key: &'static str| part.given(key).map(|value| (path.then(key), value, TextForm::Text));
    match part.str("state") {
        Some("output-available") => builder.result(id, name, payload_at("output"), None),
        Some("output-error") => builder.result(id, name, payload_at("errorText"), None),
        Some("output-denied") => builder.result_without_text(id, name),
        _ => {}
    }
}
