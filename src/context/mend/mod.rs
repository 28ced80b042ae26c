//! Mending (SEMANTICS §1.1): a broken history as its provider would take it, in the projection and never in memory.
//!
//! Runs before the fold, on the whole history at its present length: the fold then sees a well-formed history, so
//! everything that it promises holds for broken ones too. A history that needs no mending passes through untouched.

mod calls;
mod draft;
mod opening;
mod order;
mod reasoning;
mod refuse;
mod repair;
mod signatures;

pub use draft::{Mended, Rules};

use super::options::{Pending, ProjectOptions};
use crate::history::History;
use crate::item::dialect::Dialect;
use crate::item::facts::{Author, Facts};
use crate::item::payload::Payloads;
use crate::item::rule::Rule;
use draft::Draft;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// What mending works on.
pub struct Bench<'a, P> {
    /// Facts of the source items.
    pub facts: &'a [Rc<Facts>],
    /// The history of those that may be sent at all.
    pub history: &'a History,
    /// The source index of each item of `history`.
    pub sources: &'a [usize],
    /// The items themselves.
    pub payloads: &'a P,
    /// The options.
    pub options: &'a ProjectOptions,
    /// The dialect of the whole history.
    pub dialect: Option<Dialect>,
    /// Calls that stay open, as indexes into the history's calls.
    pub open: HashSet<usize>,
    /// Ids that calls get instead of their own, by the index of the call.
    pub new_ids: HashMap<usize, String>,
}

impl<P> Bench<'_, P> {
    /// The dialect that an item obeys: its own, where its shape proves one.
    pub fn dialect_of(&self, facts: &Facts) -> Option<Dialect> {
        facts.dialect.or(self.dialect)
    }

    /// The source index of a unit's item.
    pub fn source(&self, unit: usize) -> usize {
        let item = self.history.units().get(unit).map_or(0, |unit| unit.item);
        self.sources.get(item).copied().unwrap_or(0)
    }
}

/// Mends a history; `None` where nothing has to be mended. `history` is that of all `facts`; `pinned` counts the items
/// that the budget pins.
pub fn mend<P: Payloads>(
    facts: &[Rc<Facts>],
    history: &History,
    payloads: &P,
    options: &ProjectOptions,
    pinned: usize,
) -> Option<Mended> {
    let refused = refuse::refused(facts, history, payloads, options, pinned);
    let sources: Vec<usize> = (0..facts.len()).filter(|item| !refused.contains_key(item)).collect();
    let rest;
    let kept = if refused.is_empty() {
        history
    } else {
        rest = History::of(sources.iter().filter_map(|item| facts.get(*item)), history.dialect());
        &rest
    };
    let bench = Bench {
        facts,
        history: kept,
        sources: &sources,
        payloads,
        options,
        dialect: history.dialect(),
        open: open_calls(kept, options),
        new_ids: calls::new_ids(kept, history.dialect()),
    };
    let mut drafts = order::ordered(&bench);
    repair::repair(&bench, &mut drafts);
    reasoning::settle(&bench, &mut drafts, &refused);
    signatures::complete(&bench, &mut drafts);
    repair::cache_marks(&bench, &mut drafts);
    opening::open(&bench, &mut drafts, pinned);
    finish(facts.len(), drafts, refused)
}

pub use calls::new_ids as new_call_ids;

/// Calls that stay open. Where a result must follow the very message of its call, those of the step's last message.
fn open_calls(history: &History, options: &ProjectOptions) -> HashSet<usize> {
    if options.pending == Pending::Close {
        return HashSet::new();
    }
    let in_flight = history.in_flight_indexes();
    if !history.dialect().is_some_and(Dialect::answers_each_message) {
        return in_flight.collect();
    }
    let unit_of = |call: &usize| history.calls().get(*call).map(|call| call.unit);
    let is_models = |unit: &usize| {
        history
            .unit_facts(*unit)
            .is_some_and(|(facts, _)| facts.author == Author::Model)
    };
    let last = (0..history.units().len()).rev().find(is_models);
    in_flight.filter(|call| unit_of(call) == last).collect()
}

/// The entries, and what is gone; `None` where each item is sent as it is, in its place.
fn finish(items: usize, drafts: Vec<Draft>, refused: BTreeMap<usize, Rule>) -> Option<Mended> {
    let is_untouched = refused.is_empty()
        && drafts.len() == items
        && drafts
            .iter()
            .enumerate()
            .all(|(index, draft)| draft.is_untouched() && draft.source() == Some(index));
    if is_untouched {
        return None;
    }
    let mut gone: Vec<Rules> = vec![Rules::default(); items];
    for (item, rule) in refused {
        if let Some(rules) = gone.get_mut(item) {
            rules.add(rule);
        }
    }
    let mut entries = Vec::with_capacity(drafts.len());
    for draft in drafts {
        match (draft.is_gone, draft.source()) {
            (true, Some(item)) => {
                if let Some(rules) = gone.get_mut(item) {
                    rules.add_all(draft.rules);
                }
            }
            (true, None) => {}
            (false, _) => entries.push(draft.into_entry()),
        }
    }
    Some(Mended { entries, gone })
}
