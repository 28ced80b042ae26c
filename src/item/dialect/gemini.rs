//! Contents of Google's Gemini API: calls and responses are parts, often without ids.

use super::Dialect;
use super::builder::Builder;
use crate::item::facts::{Author, Facts, InputForm, Part, TextForm};
use crate::item::measure::key_chars;
use crate::item::path::Path;
use crate::item::sketch::Sketch;

pub fn read(item: &Sketch<'_>) -> Facts {
    let parts = item.list("parts");
    let author = match item.str("role") {
        Some("model") => Author::Model,
        Some("system") => Author::System,
        Some("function") => Author::Tool,
        _ if parts.iter().any(|part| part.given("functionResponse").is_some()) => Author::Tool,
        // A content without a role is the user's.
        Some("user") | None => Author::User,
        Some(_) => Author::Other,
    };
    let mut builder = Builder::new(item, author);
    if parts.is_empty() {
        builder.text(None);
    }
    for (index, part) in parts.iter().enumerate() {
        let path = Path::of(["parts".into(), index.into()]);
        if matches!(part.get("thought"), Some(Sketch::Bool(true))) {
            builder.reasoning_element(part, path, false);
        } else if let Some(call) = part.given("functionCall") {
            let signed = part.given("thoughtSignature").is_some();
            let input = call
                .given("args")
                .map(|value| (path.then("functionCall").then("args"), value, InputForm::Object));
            builder.call(call.name("id"), call.name("name"), input, signed);
        } else if let Some(response) = part.given("functionResponse") {
            let path = path.then("functionResponse");
            let media = path.then("parts");
            builder.images_leave(&media);
            let beside = response.get("parts").map(|value| {
                let size = builder.sized(value, &media) + key_chars("parts") + 1;
                (media, size)
            });
            let payload = response
                .given("response")
                .map(|value| (path.then("response"), value, TextForm::Field("output")));
            builder.result(response.name("id"), response.name("name"), payload, beside);
        } else if let Some(text) = part.get("text") {
            builder.text(text.text());
        } else {
            builder.part(Part::Other);
        }
    }
    builder.finish(Some(Dialect::Gemini))
}
