//! `UIMessage` of the Vercel AI SDK: an assistant message is a whole turn, each tool part a call with its result.

use super::Dialect;
use super::ai_sdk::{link, server_id, signature};
use super::builder::{Builder, CallSpec, ResultSpec};
use super::openai_chat::NO_OUTPUT;
use super::reply::INTERRUPTED;
use crate::item::edit::Edit;
use crate::item::facts::{Author, Closing, Facts, InputForm, Part, Place, Segment, TextForm};
use crate::item::path::Path;
use crate::item::sketch::Sketch;
use serde_json::Value;

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
        builder.text(None, None);
        if author != Author::System {
            builder.never_empty();
        }
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
            builder.text(part.get("text"), None);
            link(part, path, "providerMetadata", builder, segment);
        }
        "reasoning" => {
            let stored = server_id(part, "providerMetadata").is_some();
            builder.reasoning_element(part, path.clone(), stored);
        }
        "step-start" => builder.text(None, None),
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
    let (id, id_key) = (part.name("toolCallId"), Some("toolCallId"));
    builder.call(CallSpec {
        holder: path,
        names: None,
        place: Place::At(path.clone()),
        id,
        id_key,
        name,
        name_key: None,
        input: part
            .given("input")
            .map(|value| (path.then("input"), value, InputForm::Object)),
        signature: signature(part, "callProviderMetadata"),
        closing: Closing::Edits(closed(part, path)),
    });
    let payload_at = |key: &'static str| part.given(key).map(|value| (path.then(key), value, TextForm::Text));
    let payload = match part.str("state") {
        Some("output-available") => payload_at("output"),
        Some("output-error") => payload_at("errorText"),
        Some("output-denied") => None,
        _ => return,
    };
    builder.result(ResultSpec {
        holder: path,
        place: Place::At(path.clone()),
        id,
        id_key,
        name,
        name_key: None,
        payload,
        beside: None,
    });
}

/// The part in the state of a call that failed; an approval that was never answered fits no such state.
fn closed(part: &Sketch<'_>, path: &Path) -> Vec<Edit> {
    let mut edits = vec![
        Edit::set(path.then("state"), "output-error".into()),
        Edit::set(path.then("errorText"), INTERRUPTED.into()),
    ];
    if part.get("approval").is_some() {
        edits.push(Edit::remove(path.then("approval")));
    }
    if part.get("input").is_none() {
        edits.push(Edit::set(path.then("input"), InputForm::Object.empty()));
    }
    edits
}

/// What says in the tool part at a path that its tool failed.
#[must_use]
pub fn failure_edits(path: &Path, message: &str) -> Vec<Edit> {
    vec![
        Edit::set(path.then("state"), "output-error".into()),
        Edit::set(path.then("errorText"), message.into()),
        Edit::remove(path.then("output")),
    ]
}

/// What gives the tool part at a path the output of its tool; `None`: it gave nothing.
#[must_use]
pub fn output_edits(path: &Path, output: Option<&Value>) -> Vec<Edit> {
    let output = output.cloned().unwrap_or_else(|| NO_OUTPUT.into());
    vec![
        Edit::set(path.then("state"), "output-available".into()),
        Edit::set(path.then("output"), output),
        Edit::remove(path.then("errorText")),
    ]
}
