//! Items that are never sent, whatever stands around them.

use super::super::options::ProjectOptions;
use crate::history::{Answer, History};
use crate::item::facts::{Author, Facts, Role};
use crate::item::payload::Payloads;
use crate::item::rule::Rule;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The items that are left out before anything else is looked at, with the rule for each.
pub fn refused<P: Payloads>(
    facts: &[Rc<Facts>],
    history: &History,
    payloads: &P,
    options: &ProjectOptions,
    pinned: usize,
) -> BTreeMap<usize, Rule> {
    let mut refused = BTreeMap::new();
    let mut ids: HashMap<Rc<str>, usize> = HashMap::new();
    for (item, found) in facts.iter().enumerate() {
        let by_itself = found.refused.or_else(|| by_storage(found, options)).or_else(|| {
            let is_last = item + 1 == facts.len();
            (found.role == Role::Trigger && !is_last).then_some(Rule::Trigger)
        });
        if let Some(rule) = by_itself {
            refused.insert(item, rule);
            continue;
        }
        let Some(id) = &found.item_id else { continue };
        match ids.get(&id.text) {
            None => {
                ids.insert(id.text.clone(), item);
            }
            Some(first) if id.is_needed || is_same(payloads, *first, item) => {
                refused.insert(item, Rule::DuplicateId);
            }
            Some(_) => {}
        }
    }
    before_compaction(facts, history, options, pinned, &mut refused);
    refused
}

fn is_same<P: Payloads>(payloads: &P, left: usize, right: usize) -> bool {
    matches!((payloads.json(left, &[]), payloads.json(right, &[])), (Ok(left), Ok(right)) if left == right)
}

/// What a provider that stores nothing cannot resolve.
fn by_storage(facts: &Facts, options: &ProjectOptions) -> Option<Rule> {
    match facts.role {
        Role::Reference if options.is_stateless => Some(Rule::Reference),
        Role::Reasoning { is_complete: false } if options.is_stateless && facts.item_id.is_some() => {
            Some(Rule::UnstoredReasoning)
        }
        _ => None,
    }
}

/// What the provider's own compaction holds already: all before the newest one, except instructions, what is pinned,
/// and calls whose results came after it.
fn before_compaction(
    facts: &[Rc<Facts>],
    history: &History,
    options: &ProjectOptions,
    pinned: usize,
    refused: &mut BTreeMap<usize, Rule>,
) {
    if options.chained {
        return;
    }
    let Some(compaction) = facts.iter().rposition(|facts| facts.role == Role::Compaction) else {
        return;
    };
    let item_of = |unit: usize| history.units().get(unit).map_or(0, |unit| unit.item);
    let awaited: Vec<usize> = history
        .results()
        .iter()
        .filter(|result| item_of(result.unit) > compaction)
        .filter_map(|result| match result.answer {
            Answer::Call(call) => history.calls().get(call).map(|call| item_of(call.unit)),
            _ => None,
        })
        .collect();
    let leading = facts.iter().take_while(|facts| facts.author == Author::System).count();
    for item in leading.max(pinned)..compaction {
        if !awaited.contains(&item) {
            refused.entry(item).or_insert(Rule::Compaction);
        }
    }
}
