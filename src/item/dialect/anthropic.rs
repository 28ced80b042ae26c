//! Messages of Anthropic's Messages API: calls, results and thinking are blocks of a message.

use super::Dialect;
use super::builder::Builder;
use crate::item::facts::{Author, Facts, InputForm, Part, TextForm};
use crate::item::path::Path;
use crate::item::sketch::Sketch;

pub fn read(item: &Sketch<'_>) -> Facts {
    let blocks = item.list("content");
    let author = match item.str("role") {
        Some("system") => Author::System,
        Some("assistant") => Author::Model,
        Some("user") if blocks.iter().any(|block| block.kind() == "tool_result") => Author::Tool,
        Some("user") => Author::User,
        _ => Author::Other,
    };
    let mut builder = Builder::new(item, author);
    if blocks.is_empty() {
        builder.text(item.str("content"));
    }
    for (index, block) in blocks.iter().enumerate() {
        let path = Path::of(["content".into(), index.into()]);
        match block.kind() {
            "text" => builder.text(block.str("text")),
            "thinking" | "redacted_thinking" => {
                builder.thinks();
                builder.reasoning_element(block, path, false);
            }
            "tool_use" => {
                let input = block
                    .given("input")
                    .map(|value| (path.then("input"), value, InputForm::Object));
                builder.call(block.name("id"), block.name("name"), input, false);
            }
            "tool_result" => {
                let payload = block
                    .given("content")
                    .map(|value| (path.then("content"), value, TextForm::Text));
                builder.result(block.name("tool_use_id"), None, payload, None);
            }
            // Server tools live with their results inside the turn; other blocks are carried as they are.
            _ => builder.part(Part::Other),
        }
    }
    builder.finish(Some(Dialect::Anthropic))
}
