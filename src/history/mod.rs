//! Items in order: which result answers which call, steps, atoms, turns (the words of DESIGN §2).
//!
//! A history only grows. Each item is read as one or more *units*, pushed one at a time; a unit joins an atom, which is
//! the smallest thing that a projection keeps or drops. A late result joins the atom of its call, so atoms are ordered
//! as a mended history would be, and nothing moves when one arrives.

mod pairing;

use crate::item::dialect::Dialect;
use crate::item::facts::{Author, Facts, Part, Segment};
use pairing::Pairing;
pub use pairing::{Answer, CallEntry, ResultEntry};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// An item, or one segment of an item that is a whole turn.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Index of the item.
    pub item: usize,
    /// Index into the item's segments.
    pub segment: usize,
    /// Index of the atom that it belongs to.
    pub atom: usize,
    /// Its calls, as indexes into [`History::calls`].
    pub calls: Range<usize>,
    /// Its results, as indexes into [`History::results`].
    pub results: Range<usize>,
}

/// What an atom is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomKind {
    /// A system or developer item.
    System,
    /// A real user message: opens a turn.
    User,
    /// A summary made by this library.
    Summary,
    /// Model items with the results and approval answers of their calls.
    Step,
    /// Any other single item.
    Single,
}

/// The smallest thing that is kept or dropped.
#[derive(Clone, Debug)]
pub struct Atom {
    /// What it is.
    pub kind: AtomKind,
    /// Its units, in order of arrival: model items first, then results.
    pub units: Vec<usize>,
    /// The user message of its turn; `None` before the first one.
    pub opener: Option<usize>,
    /// It lacks the thinking that its dialect wants in front of a step, so in the running turn it cannot be cut off
    /// from the atom before it.
    pub welded: bool,
    /// Calls without a result.
    pub unanswered: usize,
    /// Holds reasoning.
    pub reasons: bool,
}

/// A history in its order.
#[derive(Debug, Default)]
pub struct History {
    dialect: Option<Dialect>,
    is_fixed: bool,
    items: Vec<Rc<Facts>>,
    units: Vec<Unit>,
    atoms: Vec<Atom>,
    pairing: Pairing,
    approvals: HashMap<Rc<str>, usize>,
    running_opener: Option<usize>,
    last_step: Option<usize>,
    /// The last unit was the model's, and a model item may join its step.
    run_is_open: bool,
    thinking_seen: bool,
}

impl History {
    /// An empty history; `dialect` where the host names it.
    #[must_use]
    pub fn new(dialect: Option<Dialect>) -> Self {
        Self {
            dialect,
            is_fixed: dialect.is_some(),
            ..Self::default()
        }
    }

    /// A history of these items, pushed whole.
    #[must_use]
    pub fn of<'f>(facts: impl Iterator<Item = &'f Rc<Facts>>, dialect: Option<Dialect>) -> Self {
        let mut history = Self::new(dialect);
        for facts in facts {
            let segments = facts.segments.len();
            history.add_item(facts.clone());
            for segment in 0..segments {
                history.push_unit(segment);
            }
        }
        history
    }

    /// The host's dialect, else that of the first unambiguous item.
    #[must_use]
    pub fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }

    /// Takes an item in; its segments are then pushed one by one.
    pub fn add_item(&mut self, facts: Rc<Facts>) {
        if !self.is_fixed && self.dialect.is_none() {
            self.dialect = facts.dialect;
        }
        self.items.push(facts);
    }

    /// Pushes one segment of the newest item as a unit; answers its index.
    pub fn push_unit(&mut self, segment: usize) -> usize {
        let item = self.items.len().saturating_sub(1);
        let unit = self.units.len();
        let facts = self.items.last().cloned();
        let (calls_from, results_from) = (self.pairing.calls.len(), self.pairing.results.len());
        let atom = match facts.as_deref() {
            Some(facts) => self.place(facts, segment, unit),
            None => 0,
        };
        if let Some(atom) = self.atoms.get_mut(atom) {
            atom.units.push(unit);
        }
        self.units.push(Unit {
            item,
            segment,
            atom,
            calls: calls_from..self.pairing.calls.len(),
            results: results_from..self.pairing.results.len(),
        });
        unit
    }

    fn place(&mut self, facts: &Facts, segment: usize, unit: usize) -> usize {
        let parts = facts
            .segments
            .get(segment)
            .and_then(|segment| facts.parts.get(segment.parts.clone()));
        let parts = parts.unwrap_or_default();
        match facts.author {
            Author::System => self.new_atom(AtomKind::System),
            Author::Summary => self.new_atom(AtomKind::Summary),
            Author::Other => self.new_atom(AtomKind::Single),
            Author::User => {
                let atom = self.new_atom(AtomKind::User);
                self.running_opener = Some(atom);
                if let Some(opener) = self.atoms.get_mut(atom) {
                    opener.opener = Some(atom);
                }
                atom
            }
            Author::Model => self.place_model(facts, parts, segment, unit),
            Author::Tool => {
                self.run_is_open = false;
                let answered = self.answer_all(parts, facts, segment, unit, None);
                match answered {
                    Some(atom) => atom,
                    None => self.new_atom(AtomKind::Single),
                }
            }
        }
    }

    fn place_model(&mut self, facts: &Facts, parts: &[Part], segment: usize, unit: usize) -> usize {
        let open_step = self.last_step.filter(|_| self.run_is_open && facts.list.is_none());
        let atom = match open_step {
            Some(step) => step,
            None => {
                let binds = self.dialect.is_some_and(Dialect::binds_thinking_to_its_turn);
                let welded = binds && self.thinking_seen && !facts.opens_with_thinking;
                let step = self.new_atom(AtomKind::Step);
                if let Some(atom) = self.atoms.get_mut(step) {
                    atom.welded = welded;
                }
                self.last_step = Some(step);
                step
            }
        };
        self.thinking_seen |= facts.thinks;
        self.answer_all(parts, facts, segment, unit, Some(atom));
        self.run_is_open = facts.list.is_none();
        atom
    }

    /// Enters the calls and pairs the results and approvals among `parts`; answers the last atom that one of them
    /// belongs to.
    fn answer_all(
        &mut self,
        parts: &[Part],
        facts: &Facts,
        segment: usize,
        unit: usize,
        step: Option<usize>,
    ) -> Option<usize> {
        let first = facts
            .segments
            .get(segment)
            .map_or(0, |segment: &Segment| segment.parts.start);
        let mut target = None;
        for (index, part) in parts.iter().enumerate() {
            match (part, step) {
                (Part::Call(call), Some(step)) => {
                    self.pairing.call(call, unit, first + index, step);
                    self.count_unanswered(step, 1);
                }
                (Part::Result(result), _) => {
                    if let Some(atom) = self.pairing.result(result, unit, first + index) {
                        self.count_unanswered(atom, -1);
                        target = target.max(Some(atom));
                    }
                }
                (Part::ApprovalRequest { id, .. }, Some(step)) => {
                    self.approvals.insert(id.clone(), step);
                }
                (Part::ApprovalAnswer { id, .. }, _) => {
                    target = target.max(self.approvals.get(id).copied());
                }
                (Part::Reasoning(_), Some(step)) => {
                    if let Some(atom) = self.atoms.get_mut(step) {
                        atom.reasons = true;
                    }
                }
                _ => {}
            }
        }
        target
    }

    fn count_unanswered(&mut self, atom: usize, change: isize) {
        if let Some(atom) = self.atoms.get_mut(atom) {
            atom.unanswered = atom.unanswered.saturating_add_signed(change);
        }
    }

    fn new_atom(&mut self, kind: AtomKind) -> usize {
        self.run_is_open = false;
        self.atoms.push(Atom {
            kind,
            units: Vec::new(),
            opener: self.running_opener,
            welded: false,
            unanswered: 0,
            reasons: false,
        });
        self.atoms.len() - 1
    }

    /// Facts of the items.
    #[must_use]
    pub fn items(&self) -> &[Rc<Facts>] {
        &self.items
    }

    /// Facts of one item.
    #[must_use]
    pub fn facts(&self, item: usize) -> Option<&Facts> {
        self.items.get(item).map(Rc::as_ref)
    }

    /// The units, in order of arrival.
    #[must_use]
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// The atoms, in order.
    #[must_use]
    pub fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    /// All calls, in order of arrival.
    #[must_use]
    pub fn calls(&self) -> &[CallEntry] {
        &self.pairing.calls
    }

    /// All results, in order of arrival.
    #[must_use]
    pub fn results(&self) -> &[ResultEntry] {
        &self.pairing.results
    }

    /// The user message that opened the running turn.
    #[must_use]
    pub fn running_opener(&self) -> Option<usize> {
        self.running_opener
    }

    /// Facts and segment of a unit.
    #[must_use]
    pub fn unit_facts(&self, unit: usize) -> Option<(&Facts, &Segment)> {
        let unit = self.units.get(unit)?;
        let facts = self.facts(unit.item)?;
        Some((facts, facts.segments.get(unit.segment)?))
    }

    /// A name for the tool whose result this is: that of its call, else the one that the result gives.
    #[must_use]
    pub fn tool_name<'h>(&'h self, result: &'h ResultEntry) -> Option<&'h Rc<str>> {
        match result.answer {
            Answer::Call(call) => self.pairing.calls.get(call).and_then(|call| call.name.as_ref()),
            Answer::Duplicate | Answer::Orphan => None,
        }
        .or(result.name.as_ref())
    }

    /// Whether a cut may fall in front of this atom as things stand.
    #[must_use]
    pub fn can_cut_before(&self, atom: usize) -> bool {
        self.atoms.get(atom).is_some_and(|found| {
            !(found.welded
                && self.running_opener.is_some_and(|opener| opener < atom)
                && found.opener == self.running_opener)
        })
    }

    /// Where the newest atom begins, atoms that cannot be cut off from it included.
    #[must_use]
    pub fn newest(&self) -> usize {
        let last = self.atoms.len().saturating_sub(1);
        (0..=last).rev().find(|atom| self.can_cut_before(*atom)).unwrap_or(last)
    }

    /// Whether a model call would be made at this length: the history ends in a user message or in a completed step's
    /// results.
    #[must_use]
    pub fn is_call_point(&self) -> bool {
        let Some(unit) = self.units.last() else { return false };
        let Some(atom) = self.atoms.get(unit.atom) else {
            return false;
        };
        match self.facts(unit.item).map(|facts| facts.author) {
            Some(Author::User) => true,
            Some(Author::Tool) => atom.unanswered == 0,
            Some(Author::Model) => !unit.results.is_empty() && atom.unanswered == 0,
            _ => false,
        }
    }

    /// Calls in flight, in order: the unanswered ones of the last step, where neither a user nor a model item follows it.
    pub fn in_flight(&self) -> impl Iterator<Item = &CallEntry> {
        self.in_flight_indexes().filter_map(|call| self.pairing.calls.get(call))
    }

    /// The same, as indexes into [`History::calls`].
    pub fn in_flight_indexes(&self) -> impl Iterator<Item = usize> {
        let step = self
            .last_step
            .filter(|step| self.running_opener.is_none_or(|opener| opener < *step));
        let calls = &self.pairing.calls;
        let of_step = calls.iter().rev().take_while(|call| Some(call.atom) == step).count();
        (calls.len() - of_step..calls.len()).filter(|call| calls.get(*call).is_some_and(|call| call.answer.is_none()))
    }

    /// Whether a request for approval of this id was made.
    #[must_use]
    pub fn knows_approval(&self, id: &str) -> bool {
        self.approvals.contains_key(id)
    }
}

#[cfg(test)]
mod tests;
