//! What is wrong with an item by itself, and marks for the prompt cache beyond what the provider takes.

use super::draft::Draft;
use super::{Bench, calls};
use crate::item::dialect::Dialect;
use crate::item::edit::Edit;
use crate::item::facts::{Author, Facts, Part};
use crate::item::payload::Payloads;
use crate::item::rule::Rule;
use serde_json::Value;

/// Mends each draft by itself.
pub fn repair<P: Payloads>(bench: &Bench<'_, P>, drafts: &mut [Draft]) {
    let mut ids: std::collections::HashSet<&str> = std::collections::HashSet::new();
    for draft in drafts.iter_mut().filter(|draft| !draft.is_gone) {
        let (Some(unit), Some(source)) = (draft.unit, draft.source()) else {
            continue;
        };
        let Some(facts) = bench.facts.get(source) else { continue };
        for repair in &facts.repairs {
            draft.edit(repair.rule, repair.edits.iter().cloned());
        }
        if bench.options.reasoning_content_required
            && let Some(edit) = &facts.lacks_reasoning
        {
            draft.edit(Rule::MissingReasoning, [edit.clone()]);
        }
        if facts.dialect.is_none() && bench.dialect.is_some_and(Dialect::refuses_white_text) {
            without_white(facts, draft);
        }
        for path in &facts.ill_formed {
            if let Some(text) = bench.payloads.text(source, path) {
                draft.edit(Rule::Unicode, [Edit::set(path.clone(), Value::String(text))]);
            }
        }
        for unit in units_of(bench, unit) {
            calls::mend(bench, facts, unit, draft);
        }
        // What is left of two items with one id after equal ones have gone: the second keeps its text, not its id.
        if let Some(id) = &facts.item_id
            && !ids.insert(&id.text)
            && !id.is_needed
        {
            draft.edit(Rule::DuplicateId, [Edit::remove(id.path.clone())]);
        }
    }
}

/// An item whose shape fits several dialects was read before the history's was known: what is blank to this one alone
/// is left out here.
fn without_white(facts: &Facts, draft: &mut Draft) {
    if !matches!(facts.author, Author::User | Author::Model) {
        return;
    }
    let is_white = |part: &&Part| matches!(part, Part::Text { white: true, .. });
    if facts.parts.iter().all(|part| is_white(&part)) {
        draft.leave_out(Rule::EmptyItem);
        return;
    }
    for part in facts.parts.iter().filter(is_white) {
        if let Part::Text {
            element: Some(path), ..
        } = part
        {
            draft.edit(Rule::EmptyText, [Edit::remove(path.clone())]);
        }
    }
}

/// The units of the item that a draft was made for: its segments.
fn units_of<P>(bench: &Bench<'_, P>, first: usize) -> impl Iterator<Item = usize> {
    let units = bench.history.units();
    let item = units.get(first).map(|unit| unit.item);
    let count = units
        .iter()
        .skip(first)
        .take_while(|unit| Some(unit.item) == item)
        .count();
    first..first + count
}

/// Keeps the first mark for the prompt cache, which is the stable one, and the last ones, up to what the provider takes.
pub fn cache_marks<P>(bench: &Bench<'_, P>, drafts: &mut [Draft]) {
    let most = bench.dialect.map_or(usize::MAX, Dialect::most_cache_marks);
    let marks_of = |draft: &Draft| {
        let facts = draft
            .source()
            .filter(|_| !draft.is_gone)
            .and_then(|source| bench.facts.get(source));
        facts.map(|facts| facts.cache_marks.clone()).unwrap_or_default()
    };
    let total: usize = drafts.iter().map(|draft| marks_of(draft).len()).sum();
    if total <= most {
        return;
    }
    let mut seen = 0;
    for draft in drafts.iter_mut() {
        for path in marks_of(draft) {
            if seen > 0 && seen + most <= total {
                draft.edit(Rule::CacheMarks, [Edit::remove(path)]);
            }
            seen += 1;
        }
    }
}
