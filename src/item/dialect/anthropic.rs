//! Messages of Anthropic's Messages API: calls, results and thinking are blocks of a message.

use super::Dialect;
use super::builder::{Blank, Builder, CallSpec, ResultSpec};
use super::openai_chat::NO_OUTPUT;
use crate::item::edit::Edit;
use crate::item::facts::{Author, Closing, Facts, InputForm, Part, Place, ReplyForm, Signature, TextForm};
use crate::item::path::Path;
use crate::item::rule::Rule;
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
    builder.blanks_are(Blank::White);
    if blocks.is_empty() {
        builder.text(item.get("content"), None);
    }
    for (index, block) in blocks.iter().enumerate() {
        let path = Path::of(["content".into(), index.into()]);
        builder.cache_mark(block, &path);
        match block.kind() {
            "text" => builder.text(block.get("text"), Some(path)),
            "thinking" | "redacted_thinking" => {
                builder.thinks();
                builder.reasoning_element(block, path, false);
            }
            // Without content it failed, and holds nothing.
            "compaction" => {
                if block.given("content").is_some() {
                    builder.compacts();
                }
                builder.part(Part::Other);
            }
            "tool_use" => call(block, &path, &mut builder),
            "tool_result" => result(block, &path, &mut builder),
            // Server tools live with their results inside the turn; other blocks are carried as they are.
            _ => builder.part(Part::Other),
        }
    }
    results_first(blocks, &mut builder);
    if author != Author::System {
        builder.without_blanks();
    }
    builder.finish(Some(Dialect::Anthropic))
}

fn call(block: &Sketch<'_>, path: &Path, builder: &mut Builder) {
    if block.given("input").is_none() {
        let edit = Edit::set(path.then("input"), InputForm::Object.empty());
        builder.repair(Rule::Arguments, vec![edit]);
    }
    builder.call(CallSpec {
        holder: path,
        names: None,
        place: Place::At(path.clone()),
        id: block.name("id"),
        id_key: Some("id"),
        name: block.name("name"),
        name_key: Some("name"),
        input: block
            .given("input")
            .map(|value| (path.then("input"), value, InputForm::Object)),
        signature: Signature::Unsigned,
        closing: Closing::Item(ReplyForm::Anthropic),
    });
}

fn result(block: &Sketch<'_>, path: &Path, builder: &mut Builder) {
    let content = path.then("content");
    let inner = block.list("content");
    let is_blank = |block: &&Sketch<'_>| block.kind() == "text" && block.get("text").is_none_or(Sketch::is_blank);
    if !inner.is_empty() && inner.iter().all(|block| is_blank(&block)) {
        builder.repair(Rule::EmptyResult, vec![Edit::set(content.clone(), NO_OUTPUT.into())]);
    } else {
        let blanks = inner.iter().enumerate().filter(|(_, block)| is_blank(block));
        let edits: Vec<Edit> = blanks.map(|(index, _)| Edit::remove(content.then(index))).collect();
        if !edits.is_empty() {
            builder.repair(Rule::EmptyText, edits);
        }
    }
    builder.result(ResultSpec {
        holder: path,
        place: Place::At(path.clone()),
        id: block.name("tool_use_id"),
        id_key: Some("tool_use_id"),
        name: None,
        name_key: None,
        payload: block.given("content").map(|value| (content, value, TextForm::Text)),
        beside: None,
    });
}

/// Results come first in their message.
fn results_first(blocks: &[Sketch<'_>], builder: &mut Builder) {
    let is_result = |index: &usize| blocks.get(*index).is_some_and(|block| block.kind() == "tool_result");
    let (mut order, others): (Vec<usize>, Vec<usize>) = (0..blocks.len()).partition(is_result);
    if order.is_empty() {
        return;
    }
    order.extend(others);
    if !order.is_sorted() {
        builder.repair(
            Rule::ResultsFirst,
            vec![Edit::order(Path::of(["content".into()]), order)],
        );
    }
}
