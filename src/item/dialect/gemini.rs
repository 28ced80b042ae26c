//! Contents of Google's Gemini API: calls and responses are parts, often without ids.

use super::Dialect;
use super::builder::{Builder, CallSpec, ResultSpec};
use crate::item::edit::Edit;
use crate::item::facts::{Author, Closing, Facts, InputForm, Part, Place, ReplyForm, Signature, TextForm};
use crate::item::measure::key_chars;
use crate::item::path::Path;
use crate::item::sketch::Sketch;

/// What the API takes in place of a signature that was lost (E-G-SIG).
const LOST_SIGNATURE: &str = "skip_thought_signature_validator";

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
        builder.text(None, None);
    }
    for (index, part) in parts.iter().enumerate() {
        let path = Path::of(["parts".into(), index.into()]);
        if matches!(part.get("thought"), Some(Sketch::Bool(true))) {
            builder.reasoning_element(part, path, false);
        } else if let Some(found) = part.given("functionCall") {
            call(part, found, &path, &mut builder);
        } else if let Some(found) = part.given("functionResponse") {
            response(found, &path, &mut builder);
        } else if part.get("text").is_some() {
            // A signature on an empty text is the model's and goes back as it came.
            let may_leave = part.given("thoughtSignature").is_none();
            if may_leave {
                builder.text(part.get("text"), Some(path));
            } else {
                builder.part(Part::Other);
            }
        } else {
            builder.part(Part::Other);
        }
    }
    if author != Author::System {
        builder.without_blanks();
    }
    builder.finish(Some(Dialect::Gemini))
}

fn call(part: &Sketch<'_>, call: &Sketch<'_>, path: &Path, builder: &mut Builder) {
    let holder = path.then("functionCall");
    builder.call(CallSpec {
        holder: &holder,
        names: None,
        place: Place::At(path.clone()),
        id: call.name("id"),
        id_key: Some("id"),
        name: call.name("name"),
        name_key: Some("name"),
        input: call
            .given("args")
            .map(|value| (holder.then("args"), value, InputForm::Object)),
        signature: match part.given("thoughtSignature") {
            Some(_) => Signature::Signed,
            None => Signature::Missing(Edit::set(path.then("thoughtSignature"), LOST_SIGNATURE.into())),
        },
        closing: Closing::Item(ReplyForm::Gemini),
    });
}

fn response(response: &Sketch<'_>, path: &Path, builder: &mut Builder) {
    let holder = path.then("functionResponse");
    let media = holder.then("parts");
    builder.images_leave(&media);
    let beside = response.get("parts").map(|value| {
        let size = builder.sized(value, &media) + key_chars("parts") + 1;
        (media, size)
    });
    builder.result(ResultSpec {
        holder: &holder,
        place: Place::At(path.clone()),
        id: response.name("id"),
        id_key: Some("id"),
        name: response.name("name"),
        name_key: Some("name"),
        payload: response
            .given("response")
            .map(|value| (holder.then("response"), value, TextForm::Field("output"))),
        beside,
    });
}
