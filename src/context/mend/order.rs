//! The order of a mended history: results behind their calls, open calls closed, orphans and duplicates left out.

use super::Bench;
use super::draft::Draft;
use crate::history::{Answer, AtomKind};
use crate::item::dialect::{Dialect, reply};
use crate::item::edit::Edit;
use crate::item::facts::{Author, Closing, Facts, Part, Place, ReplyForm, Role};
use crate::item::rule::Rule;
use std::collections::{BTreeMap, HashSet};

/// Results of one unit that belong to one step, as indexes into the parts of its item.
struct Share {
    unit: usize,
    parts: Vec<usize>,
    /// The unit's remaining parts go with this share.
    has_rest: bool,
}

/// The drafts of all items in their new order.
pub fn ordered<P>(bench: &Bench<'_, P>) -> Vec<Draft> {
    let shares = shares(bench);
    let mut drafts: Vec<Draft> = Vec::new();
    // What the provider's compaction must come before: calls from before it whose results came after it.
    let compaction = bench.history.atoms().iter().position(|atom| {
        atom.units
            .first()
            .is_some_and(|unit| facts(bench, *unit).is_some_and(|facts| facts.role == Role::Compaction))
    });
    let mut delayed: Vec<Draft> = Vec::new();
    for (index, atom) in bench.history.atoms().iter().enumerate() {
        let mut made = match atom.kind {
            AtomKind::Step => step(bench, index, shares.get(&index).map(Vec::as_slice).unwrap_or_default()),
            _ => single(bench, index, shares.get(&index).map(Vec::as_slice).unwrap_or_default()),
        };
        // Its result came behind the compaction: the call is made again there.
        let is_awaited = |compaction: usize| {
            let first = bench
                .history
                .atoms()
                .get(compaction)
                .and_then(|atom| atom.units.first());
            first < atom.units.last()
        };
        match compaction {
            Some(compaction) if index < compaction && !bench.options.chained && is_awaited(compaction) => {
                delayed.append(&mut made);
            }
            _ => drafts.append(&mut made),
        }
        if compaction == Some(index) {
            drafts.append(&mut delayed);
        }
    }
    drafts.append(&mut delayed);
    let mut drafts = join_segments(bench, drafts);
    mark_moved(bench, &mut drafts);
    drafts
}

/// An item that is read in segments has one draft, with the edits of all.
fn join_segments<P>(bench: &Bench<'_, P>, drafts: Vec<Draft>) -> Vec<Draft> {
    let mut joined: Vec<Draft> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let is_later = draft
            .unit
            .and_then(|unit| bench.history.units().get(unit))
            .is_some_and(|unit| unit.segment > 0);
        match joined.last_mut() {
            Some(first) if is_later && first.source() == draft.source() => {
                first.edits.extend(draft.edits);
                first.rules.add_all(draft.rules);
            }
            _ => joined.push(draft),
        }
    }
    joined
}

fn facts<'b, P>(bench: &'b Bench<'_, P>, unit: usize) -> Option<&'b Facts> {
    bench.history.unit_facts(unit).map(|(facts, _)| facts)
}

/// Results and approval answers by the step that they belong to; those that belong to none by their own atom.
fn shares<P>(bench: &Bench<'_, P>) -> BTreeMap<usize, Vec<Share>> {
    let mut shares: BTreeMap<usize, Vec<Share>> = BTreeMap::new();
    for (index, unit) in bench.history.units().iter().enumerate() {
        if facts(bench, index).is_none_or(|facts| facts.author != Author::Tool) {
            continue;
        }
        // By the step of the call; where each message has its own answer, by the message too.
        let each = facts(bench, index)
            .and_then(|facts| bench.dialect_of(facts))
            .is_some_and(Dialect::answers_each_message);
        let mut parts: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        let results = unit.results.clone();
        for result in results.filter_map(|result| bench.history.results().get(result)) {
            if let Answer::Call(call) = result.answer
                && let Some(call) = bench.history.calls().get(call)
            {
                let message = if each { call.unit } else { 0 };
                parts.entry((call.atom, message)).or_default().push(result.part);
            }
        }
        if !parts.keys().any(|(atom, _)| *atom == unit.atom) {
            parts.insert((unit.atom, 0), Vec::new());
        }
        let last = parts.keys().rev().find(|(atom, _)| *atom == unit.atom).copied();
        for (key, parts) in parts {
            shares.entry(key.0).or_default().push(Share {
                unit: index,
                parts,
                has_rest: Some(key) == last,
            });
        }
    }
    shares
}

fn single<P>(bench: &Bench<'_, P>, atom: usize, shares: &[Share]) -> Vec<Draft> {
    let units = bench
        .history
        .atoms()
        .get(atom)
        .map(|atom| atom.units.as_slice())
        .unwrap_or_default();
    let plain = units
        .iter()
        .filter(|unit| facts(bench, **unit).is_some_and(|facts| facts.author != Author::Tool));
    let mut drafts: Vec<Draft> = plain.map(|unit| Draft::of(bench.source(*unit), *unit)).collect();
    drafts.extend(shares.iter().map(|share| draft_of(bench, share, Keep::All)));
    drafts
}

/// What of a share goes into a draft.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    All,
    Results,
    Rest,
}

/// The draft of a share: the item without the results that belong elsewhere, or to no call at all.
fn draft_of<P>(bench: &Bench<'_, P>, share: &Share, keep: Keep) -> Draft {
    let mut draft = Draft::of(bench.source(share.unit), share.unit);
    let Some(facts) = facts(bench, share.unit) else {
        return draft;
    };
    let answers: Vec<(usize, Answer)> = bench
        .history
        .units()
        .get(share.unit)
        .into_iter()
        .flat_map(|unit| unit.results.clone())
        .filter_map(|result| bench.history.results().get(result))
        .map(|result| (result.part, result.answer))
        .collect();
    let mut left = 0;
    let mut removed: Vec<(usize, Rule)> = Vec::new();
    for (index, part) in facts.parts.iter().enumerate() {
        let answer = answers
            .iter()
            .find(|(part, _)| *part == index)
            .map(|(_, answer)| *answer);
        let is_result = answer.is_some();
        let fault = match (part, answer) {
            (_, Some(Answer::Orphan)) if !bench.options.chained => Some(Rule::OrphanResult),
            (_, Some(Answer::Duplicate)) => Some(Rule::DuplicateResult),
            (_, Some(Answer::Call(_))) if !share.parts.contains(&index) => Some(Rule::ResultOrder),
            (Part::ApprovalAnswer { id, .. }, _) if !bench.history.knows_approval(id) => Some(Rule::OrphanResult),
            _ if !is_result && (!share.has_rest || keep == Keep::Results) => Some(Rule::ResultOrder),
            _ if is_result && keep == Keep::Rest => Some(Rule::ResultOrder),
            _ => None,
        };
        match fault {
            Some(rule) => removed.push((index, rule)),
            None => left += usize::from(part.is_substance()),
        }
    }
    if left == 0 && !removed.is_empty() {
        let rule = removed.first().map_or(Rule::EmptyItem, |(_, rule)| *rule);
        draft.leave_out(rule);
        return draft;
    }
    // A result that is the whole item goes with it; there is nothing else in it then.
    for (index, rule) in removed {
        let path = match facts.parts.get(index).and_then(Part::place) {
            Some(Place::At(path)) => Some(path.clone()),
            _ => facts.element_of(index),
        };
        if let Some(path) = path {
            draft.edit(rule, [Edit::remove(path)]);
        }
    }
    draft
}

fn step<P>(bench: &Bench<'_, P>, atom: usize, shares: &[Share]) -> Vec<Draft> {
    let units = bench
        .history
        .atoms()
        .get(atom)
        .map(|atom| atom.units.as_slice())
        .unwrap_or_default();
    let models: Vec<usize> = units
        .iter()
        .copied()
        .filter(|unit| facts(bench, *unit).is_some_and(|facts| facts.author == Author::Model))
        .collect();
    let mut drafts = Vec::new();
    let mut taken: HashSet<usize> = HashSet::new();
    let mut replies = Vec::new();
    for unit in &models {
        let mut draft = Draft::of(bench.source(*unit), *unit);
        let mut own_replies = close(bench, *unit, &mut draft);
        let is_segment = bench.history.units().get(*unit).is_some_and(|unit| unit.segment > 0);
        drafts.push(draft);
        let each = facts(bench, *unit)
            .and_then(|facts| bench.dialect_of(facts))
            .is_some_and(Dialect::answers_each_message);
        if each && !is_segment {
            for (index, share) in shares.iter().enumerate() {
                if answers_unit(bench, share, *unit) && taken.insert(index) {
                    drafts.push(draft_of(bench, share, Keep::All));
                }
            }
            drafts.append(&mut own_replies);
        } else {
            replies.append(&mut own_replies);
        }
    }
    let rest: Vec<&Share> = shares
        .iter()
        .enumerate()
        .filter(|(index, _)| !taken.contains(index))
        .map(|(_, share)| share)
        .collect();
    let puts_first = bench.dialect.is_some_and(Dialect::puts_results_first);
    if puts_first && rest.len() + replies.len() > 1 {
        // Neighbours of one role are one turn: all results come before whatever stands beside one of them.
        drafts.append(&mut replies);
        for share in &rest {
            let has_more = share.has_rest && has_other_parts(bench, share);
            drafts.push(draft_of(bench, share, if has_more { Keep::Results } else { Keep::All }));
        }
        for share in rest
            .iter()
            .filter(|share| share.has_rest && has_other_parts(bench, share))
        {
            drafts.push(draft_of(bench, share, Keep::Rest));
        }
    } else {
        drafts.extend(rest.iter().map(|share| draft_of(bench, share, Keep::All)));
        drafts.append(&mut replies);
    }
    drafts
}

/// Whether a share holds the result of a call of this unit.
fn answers_unit<P>(bench: &Bench<'_, P>, share: &Share, unit: usize) -> bool {
    let results = bench
        .history
        .units()
        .get(share.unit)
        .map(|unit| unit.results.clone())
        .unwrap_or_default();
    results
        .filter_map(|result| bench.history.results().get(result))
        .filter(|result| share.parts.contains(&result.part))
        .any(|result| match result.answer {
            Answer::Call(call) => bench.history.calls().get(call).is_some_and(|call| call.unit == unit),
            _ => false,
        })
}

fn has_other_parts<P>(bench: &Bench<'_, P>, share: &Share) -> bool {
    facts(bench, share.unit).is_some_and(|facts| {
        facts
            .parts
            .iter()
            .any(|part| !matches!(part, Part::Result(_)) && part.is_substance())
    })
}

/// Closes the calls of a unit that never got a result: edits in its draft, or items that answer.
fn close<P>(bench: &Bench<'_, P>, unit: usize, draft: &mut Draft) -> Vec<Draft> {
    let mut replies = Vec::new();
    let Some(facts) = facts(bench, unit) else {
        return replies;
    };
    let calls = bench
        .history
        .units()
        .get(unit)
        .map(|unit| unit.calls.clone())
        .unwrap_or_default();
    let mut removed = 0;
    for index in calls {
        let Some(entry) = bench.history.calls().get(index) else {
            continue;
        };
        if entry.answer.is_some() || bench.open.contains(&index) {
            continue;
        }
        let Some(Part::Call(call)) = facts.parts.get(entry.part) else {
            continue;
        };
        match &call.closing {
            Closing::Item(form) => {
                let id = bench.new_ids.get(&index).map(String::as_str).or(call.id.as_deref());
                replies.push(reply_to(*form, id, call.name.as_deref()));
            }
            Closing::Edits(edits) => draft.edit(Rule::StaleCall, edits.iter().cloned()),
            Closing::LeaveOut => match &call.place {
                Place::Item => draft.leave_out(Rule::UnclosableCall),
                Place::At(path) => {
                    draft.edit(Rule::UnclosableCall, [Edit::remove(path.clone())]);
                    removed += 1;
                }
            },
        }
    }
    let substance = facts.parts.iter().filter(|part| part.is_substance()).count();
    if removed > 0 && substance <= removed {
        draft.leave_out(Rule::UnclosableCall);
    }
    replies
}

fn reply_to(form: ReplyForm, id: Option<&str>, name: Option<&str>) -> Draft {
    Draft::new(reply(form, id, name), Rule::StaleCall)
}

/// Notes which results stand elsewhere than they stood: those behind which something older comes.
fn mark_moved<P>(bench: &Bench<'_, P>, drafts: &mut [Draft]) {
    let mut oldest = usize::MAX;
    for draft in drafts.iter_mut().rev() {
        let (Some(source), Some(unit)) = (draft.source(), draft.unit) else {
            continue;
        };
        let is_result = bench
            .history
            .unit_facts(unit)
            .is_some_and(|(facts, _)| facts.author == Author::Tool);
        if is_result && source > oldest && !draft.is_gone {
            draft.rules.add(Rule::ResultOrder);
        }
        oldest = oldest.min(source);
    }
}
