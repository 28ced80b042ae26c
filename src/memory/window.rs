//! The newest items, cut between atoms.

use crate::context::{ContextBudget, Entry, Fold, Plan, ProjectOptions, Size};
use crate::history::{AtomKind, History};
use crate::item::dialect::Dialect;
use crate::item::edit::Edit;
use crate::item::facts::Facts;
use crate::item::path::{Path, Step};
use crate::item::payload::Payloads;
use std::rc::Rc;

/// The newest items, at most so many: leading system items, the user message of the turn that is cut, and calls in
/// flight stay whatever the number.
///
/// # Errors
/// What the host's objects throw.
pub fn window<P: Payloads>(facts: &[Rc<Facts>], payloads: &P, max_items: u64) -> Result<Plan, P::Error> {
    let budget = ContextBudget {
        max_items: Some(max_items),
        ..ContextBudget::default()
    };
    let options = ProjectOptions::default();
    let mut fold = Fold::new(&budget, &options, payloads, Size::default());
    for facts in facts {
        fold.push(facts.clone())?;
    }
    let cut = fold.cut();
    let in_flight = fold.history.in_flight().map(|call| call.atom).min();
    let tail = cut.marks.tail.max(cut.head);
    let tail = in_flight.map_or(tail, |atom| tail.min(atom));
    let anchors = [cut.marks.anchor, cut.compaction];
    let stays = |atom: usize| atom < cut.head || atom >= tail || anchors.contains(&Some(atom));
    Ok(kept(&fold.history, stays))
}

/// The items of which atoms stay; one that is read in segments loses its leading ones.
pub fn kept(history: &History, stays: impl Fn(usize) -> bool) -> Plan {
    let mut first: Vec<Option<usize>> = vec![None; history.items().len()];
    for unit in history.units().iter().filter(|unit| stays(unit.atom)) {
        if let Some(segment) = first.get_mut(unit.item) {
            segment.get_or_insert(unit.segment);
        }
    }
    let entries = first.into_iter().enumerate().filter_map(|(item, segment)| {
        let facts = history.facts(item)?;
        match segment? {
            0 => Some(Entry::Source(item)),
            segment => Some(Entry::Edited(item, without(facts, segment)?)),
        }
    });
    Plan {
        entries: entries.collect(),
    }
}

/// What takes the elements in front of a segment out of an item's list.
fn without(facts: &Facts, segment: usize) -> Option<Vec<Edit>> {
    let list = Step::Key(facts.list?.into());
    let elements = facts.segments.get(segment)?.elements.start;
    let element = |index: usize| Edit::remove(Path::of([list.clone(), index.into()]));
    Some((0..elements).map(element).collect())
}

/// How many leading items are system items: a summary stands behind them.
#[must_use]
pub fn leading_items(facts: &[Rc<Facts>], dialect: Option<Dialect>) -> usize {
    let mut history = History::new(dialect);
    let is_system = |facts: &&Rc<Facts>| {
        history.add_item((*facts).clone());
        let atoms = (0..facts.segments.len()).map(|segment| history.push_unit(segment));
        let units: Vec<usize> = atoms.collect();
        units.iter().all(|unit| {
            let atom = history.units().get(*unit).map(|unit| unit.atom);
            atom.and_then(|atom| history.atoms().get(atom)).map(|atom| atom.kind) == Some(AtomKind::System)
        })
    };
    facts.iter().take_while(is_system).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::read_items;
    use crate::item::payload::Values;
    use crate::item::sketch::Sketch;
    use serde_json::{Value, json};

    fn windowed(items: &[Value], most: u64) -> Vec<usize> {
        let facts = read_items(items.iter().map(Sketch::of), None);
        let payloads = Values {
            items: items.into(),
            media_tokens: 0,
            count_tokens: None,
        };
        let plan = window(&facts, &payloads, most).unwrap();
        plan.entries
            .iter()
            .filter_map(|entry| Plan::source(entry).map(|(item, _)| item))
            .collect()
    }

    #[test]
    fn the_newest_stay_whole() {
        let call = |id: &str| json!({ "type": "function_call", "call_id": id, "name": "f", "arguments": "{}" });
        let output = |id: &str| json!({ "type": "function_call_output", "call_id": id, "output": "x" });
        let user = json!({ "role": "user", "content": "x" });
        let system = json!({ "role": "system", "content": "x" });
        let items = [
            system,
            user.clone(),
            call("a"),
            output("a"),
            user,
            call("b"),
            call("c"),
            output("b"),
            output("c"),
        ];
        assert_eq!(windowed(&items, 100), (0..9).collect::<Vec<_>>());
        assert_eq!(windowed(&items, 8), [0, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(windowed(&items, 6), [0, 4, 5, 6, 7, 8]);
        assert_eq!(windowed(&items[..7], 1), [0, 4, 5, 6], "calls in flight stay");
        let facts = read_items(items.iter().map(Sketch::of), None);
        assert_eq!(leading_items(&facts, None), 1);
    }
}
