//! Reasoning that is an item of its own: it goes where nothing of the model follows it, and where what follows is not
//! what the provider keeps. What stood behind reasoning that is gone loses its server id.

use super::Bench;
use super::draft::Draft;
use crate::item::edit::Edit;
use crate::item::facts::{Author, Facts, Role};
use crate::item::rule::Rule;
use std::collections::BTreeMap;

/// Settles all reasoning of a mended history.
pub fn settle<P>(bench: &Bench<'_, P>, drafts: &mut [Draft], refused: &BTreeMap<usize, Rule>) {
    let mut index = 0;
    while index < drafts.len() {
        let run = run_at(bench, drafts, index);
        if run == 0 {
            index += 1;
            continue;
        }
        if let Some(rule) = fault(bench, drafts, index, run) {
            for draft in drafts.iter_mut().skip(index).take(run) {
                if !draft.is_gone {
                    draft.leave_out(rule);
                }
            }
        }
        index += run;
    }
    unlink(bench, drafts, refused);
}

fn facts<'b, P>(bench: &'b Bench<'_, P>, draft: &Draft) -> Option<&'b Facts> {
    draft
        .source()
        .and_then(|source| bench.facts.get(source))
        .map(std::rc::Rc::as_ref)
}

fn atom<P>(bench: &Bench<'_, P>, draft: &Draft) -> Option<usize> {
    draft
        .unit
        .and_then(|unit| bench.history.units().get(unit))
        .map(|unit| unit.atom)
}

fn is_reasoning<P>(bench: &Bench<'_, P>, draft: &Draft) -> bool {
    facts(bench, draft).is_some_and(|facts| matches!(facts.role, Role::Reasoning { .. }))
}

/// Length of the run of reasoning items of one step that begins here.
fn run_at<P>(bench: &Bench<'_, P>, drafts: &[Draft], index: usize) -> usize {
    let step = drafts.get(index).and_then(|draft| atom(bench, draft));
    drafts
        .iter()
        .skip(index)
        .take_while(|draft| is_reasoning(bench, draft) && atom(bench, draft) == step)
        .count()
}

/// What is wrong with a run of reasoning.
fn fault<P>(bench: &Bench<'_, P>, drafts: &[Draft], index: usize, run: usize) -> Option<Rule> {
    let step = drafts.get(index).and_then(|draft| atom(bench, draft));
    let is_stored = drafts
        .iter()
        .skip(index)
        .take(run)
        .any(|draft| facts(bench, draft).is_some_and(|facts| facts.item_id.is_some()));
    // What the reasoning belongs to is the very next item of its step; one that is gone took its reasoning along.
    let next = drafts.get(index + run).filter(|next| atom(bench, next) == step);
    let Some((next, follower)) = next.and_then(|next| Some((next, facts(bench, next)?))) else {
        return Some(Rule::LooseReasoning);
    };
    if follower.author != Author::Model {
        return Some(Rule::LooseReasoning);
    }
    if next.is_gone {
        return Some(next.rules.iter().next().unwrap_or(Rule::LooseReasoning));
    }
    let loses_id = follower
        .item_id
        .as_ref()
        .is_none_or(|id| next.edits.iter().any(|edit| edit.path == id.path));
    let is_foreign = is_stored && !bench.options.is_stateless && (loses_id || next.is_rewritten());
    is_foreign.then_some(Rule::ForeignReasoning)
}

/// Takes the server ids from what stands in a step behind reasoning that is gone.
fn unlink<P>(bench: &Bench<'_, P>, drafts: &mut [Draft], refused: &BTreeMap<usize, Rule>) {
    let mut last_source = None;
    let mut broken_step = None;
    let mut follows_reasoning = false;
    for draft in drafts.iter_mut() {
        let (Some(source), step) = (draft.source(), atom(bench, draft)) else {
            continue;
        };
        // Reasoning that was refused before there were steps stood right in front of this item.
        let lost_in_front = (last_source.map_or(0, |last: usize| last + 1)..source).any(|item| {
            let rule = refused.get(&item);
            // A second copy of the reasoning that stands there already is no loss.
            let is_copy = rule == Some(&Rule::DuplicateId) && follows_reasoning;
            rule.is_some()
                && !is_copy
                && bench
                    .facts
                    .get(item)
                    .is_some_and(|facts| matches!(facts.role, Role::Reasoning { .. }))
        });
        last_source = Some(source);
        follows_reasoning = facts(bench, draft).is_some_and(|facts| matches!(facts.role, Role::Reasoning { .. }));
        let is_reasoning = follows_reasoning;
        if (is_reasoning && draft.is_gone) || lost_in_front {
            broken_step = step;
        }
        if is_reasoning && !draft.is_gone {
            // What follows belongs to this one.
            broken_step = None;
        }
        if is_reasoning || draft.is_gone || broken_step.is_none() || broken_step != step {
            continue;
        }
        if let Some(found) = bench.facts.get(source)
            && !found.links.is_empty()
        {
            let edits: Vec<Edit> = found.links.iter().map(|link| Edit::remove(link.path.clone())).collect();
            draft.edit(Rule::ForeignReasoning, edits);
        }
    }
}
