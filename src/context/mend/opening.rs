//! What a history opens with, where its provider opens with a user message.

use super::super::options::SummaryRole;
use super::Bench;
use super::draft::Draft;
use crate::item::dialect::{Dialect, opening_item};
use crate::item::facts::{Author, Part};
use crate::item::rule::Rule;

/// Puts a user message in front of a history that the model opens. A summary stands in front by itself, unless
/// something is pinned before it.
pub fn open<P>(bench: &Bench<'_, P>, drafts: &mut Vec<Draft>, pinned: usize) {
    let Some(dialect) = bench.dialect.filter(|dialect| dialect.opens_with_user()) else {
        return;
    };
    // A summary that is a user item opens by itself.
    let is_users = bench.options.summary_role == SummaryRole::User || !dialect.takes_system_summary();
    let has_summary = is_users && bench.options.summary.as_deref().is_some_and(|text| !text.is_empty());
    if bench.options.chained || (has_summary && pinned == 0) {
        return;
    }
    let author = |draft: &Draft| {
        draft
            .source()
            .and_then(|source| bench.facts.get(source))
            .map(|facts| facts.author)
    };
    let first = drafts
        .iter()
        .position(|draft| !draft.is_gone && author(draft) != Some(Author::System));
    let Some(first) = first else { return };
    let found = |draft: &Draft| draft.source().and_then(|source| bench.facts.get(source)).cloned();
    let mut run = drafts.iter().skip(first).filter(|draft| !draft.is_gone).map(found);
    let opens_wrong = if dialect != Dialect::Anthropic {
        // Neighbours of one role are one turn at Gemini, and only a turn that calls must follow a user's. The AI SDK may
        // send to it. A cut may let any item before the first user message open the projection.
        run.flatten()
            .take_while(|facts| !matches!(facts.author, Author::User | Author::Summary))
            .any(|facts| facts.parts.iter().any(|part| matches!(part, Part::Call(_))))
    } else {
        run.next().flatten().is_some_and(|facts| facts.author == Author::Model)
    };
    if opens_wrong {
        drafts.insert(first, Draft::new(opening_item(dialect), Rule::Opening));
    }
}
