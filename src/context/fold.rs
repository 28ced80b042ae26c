//! The fold (SEMANTICS §1.4): watermarks that only move forward, a pure function of items and settings.
//!
//! After each unit a *rebase* happens if a limit, the count of results or images, or a closed turn's reasoning asks for
//! one and something can move. One rebase moves all that can move, down to low water, so that the prompts between two
//! rebases are prefixes of each other and stay in the provider's cache.

use super::budget::ContextBudget;
use super::options::ProjectOptions;
use super::size::{Exceeded, Limits, Size, low_count};
use super::version::{Ranks, Scene, frame_chars};
use crate::history::{AtomKind, History};
use crate::item::facts::{Author, Facts, Part};
use crate::item::payload::Payloads;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::rc::Rc;

/// How far a projection has moved. Positions are atoms, except `cleared` and `images`, which are ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watermarks {
    /// Where the tail begins.
    pub tail: usize,
    /// Results before this rank are cleared.
    pub cleared: usize,
    /// Images before this rank are gone.
    pub images: usize,
    /// Reasoning before this atom is gone.
    pub reasoning: usize,
    /// The turn that ran at the last rebase: signatures before it no longer bind.
    pub settled: usize,
    /// The user message that is kept in front of the tail.
    pub anchor: Option<usize>,
}

/// What a projection at some length of the history is made from.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// Items.
    pub items: usize,
    /// Units.
    pub units: usize,
    /// Atoms of the head.
    pub head: usize,
    /// The atom that holds the provider's newest compaction.
    pub compaction: Option<usize>,
    /// The watermarks.
    pub marks: Watermarks,
}

/// Atoms that the tail passed, and the limits that made it.
#[derive(Clone, Copy, Debug)]
pub struct Drop {
    /// Where the tail went.
    pub until: usize,
    /// The limits that were exceeded.
    pub exceeded: Exceeded,
}

/// The fold's state.
pub struct Fold<'a, P> {
    budget: &'a ContextBudget,
    options: &'a ProjectOptions,
    payloads: &'a P,
    limits: Limits,
    counts_tokens: bool,
    summary: Size,
    /// The history so far.
    pub history: History,
    /// Ranks of results and images.
    pub ranks: Ranks,
    marks: Watermarks,
    /// Sizes of the units as they stand.
    sizes: Vec<Size>,
    head: Head,
    /// The atom that holds the provider's newest compaction: what stands before it is in it, so it never falls.
    compaction: Option<usize>,
    head_size: Size,
    tail_size: Size,
    /// What fell, in order.
    pub drops: Vec<Drop>,
    present_results: usize,
    present_images: usize,
    first_unread_result: usize,
    first_unread_image: usize,
    /// Atoms whose reasoning Tier 2 may take, in order.
    reasoning: VecDeque<usize>,
    /// Tokens of the frames of items that are read in segments.
    frames: RefCell<HashMap<usize, u64>>,
    previous: Option<Cut>,
    rebases_since_call: usize,
    /// Call points in a row, each with a rebase since the one before.
    rebased_calls: usize,
}

/// What is always kept at the beginning.
#[derive(Clone, Copy, Debug, Default)]
pub struct Head {
    /// Leading system items, and a summary item behind them: atoms.
    pub leading: usize,
    /// The last of these is a summary item.
    pub has_summary: bool,
    /// Nothing but leading items so far.
    is_leading: bool,
    /// The pinned prefix, widened to whole atoms.
    pub pinned: usize,
}

impl Head {
    /// Atoms of the head.
    pub fn atoms(&self) -> usize {
        self.leading.max(self.pinned)
    }
}

impl<'a, P: Payloads> Fold<'a, P> {
    /// A fold over nothing. `summary` is the size of the summary item, where there is one.
    pub fn new(budget: &'a ContextBudget, options: &'a ProjectOptions, payloads: &'a P, summary: Size) -> Self {
        Self {
            budget,
            options,
            payloads,
            limits: Limits::of(budget, options),
            counts_tokens: counts_tokens(budget, options),
            summary,
            history: History::new(options.dialect),
            ranks: Ranks::default(),
            marks: Watermarks::default(),
            sizes: Vec::new(),
            head: Head {
                is_leading: true,
                ..Head::default()
            },
            compaction: None,
            head_size: Size::default(),
            tail_size: Size::default(),
            drops: Vec::new(),
            present_results: 0,
            present_images: 0,
            first_unread_result: 0,
            first_unread_image: 0,
            reasoning: VecDeque::new(),
            frames: RefCell::default(),
            previous: None,
            rebases_since_call: 0,
            rebased_calls: 0,
        }
    }

    /// Takes the next item in.
    ///
    /// # Errors
    /// Those of the host's token counter.
    pub fn push(&mut self, facts: Rc<Facts>) -> Result<(), P::Error> {
        if self.history.is_call_point() {
            self.previous = Some(self.cut());
            self.count_call();
        }
        let segments = facts.segments.len();
        let was_unknown = self.history.dialect().is_none();
        self.history.add_item(facts);
        if was_unknown && self.history.dialect().is_some() {
            self.anchor_late();
        }
        for segment in 0..segments {
            let unit = self.history.push_unit(segment);
            self.enter(unit)?;
            self.check()?;
        }
        Ok(())
    }

    fn count_call(&mut self) {
        self.rebased_calls = if self.rebases_since_call > 0 {
            self.rebased_calls + 1
        } else {
            0
        };
        self.rebases_since_call = 0;
    }

    /// What the projection is made from as things stand.
    pub fn cut(&self) -> Cut {
        Cut {
            items: self.history.items().len(),
            units: self.history.units().len(),
            head: self.head.atoms(),
            compaction: self.compaction,
            marks: self.marks,
        }
    }

    /// The same at the call point before.
    pub fn previous(&self) -> Option<Cut> {
        self.previous
    }

    /// The head as things stand.
    pub fn head(&self) -> Head {
        self.head
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Counted results in the projection that keep their text.
    pub fn kept_results(&self) -> usize {
        self.present_results
    }

    /// Images in the projection.
    pub fn kept_images(&self) -> usize {
        self.present_images
    }

    /// The number of items that the pinned prefix covers, where it had to be widened to whole atoms.
    pub fn widened_pin(&self) -> Option<usize> {
        let pinned = self.budget.pinned_prefix_items as usize;
        let is_in_pin = |unit: &&crate::history::Unit| unit.atom < self.head.pinned;
        let last = self
            .history
            .units()
            .iter()
            .filter(is_in_pin)
            .map(|unit| unit.item)
            .max()?;
        let covered = last + 1 - usize::from(self.head.has_summary);
        (pinned > 0 && covered > pinned).then_some(covered)
    }

    /// Whether each of the last ten call points had a rebase.
    pub fn always_rebases(&self) -> bool {
        let now = usize::from(self.history.is_call_point() && self.rebases_since_call > 0);
        let before = if self.history.is_call_point() && now == 0 {
            0
        } else {
            self.rebased_calls
        };
        before + now >= 10
    }

    /// Everything that versions depend on.
    pub fn scene(&self) -> Scene<'_, P> {
        Scene {
            history: &self.history,
            ranks: &self.ranks,
            budget: self.budget,
            options: self.options,
            payloads: self.payloads,
            frames: &self.frames,
        }
    }

    /// Enters a new unit into ranks, sums and head.
    fn enter(&mut self, unit: usize) -> Result<(), P::Error> {
        let Some(found) = self.history.units().get(unit).cloned() else {
            return Ok(());
        };
        self.extend_head(found.atom, found.item);
        if self.history.facts(found.item).is_some_and(|facts| facts.is_compaction) {
            self.compaction = Some(found.atom);
        }
        let is_present = self.is_present(found.atom);
        let (author, images, reasons) = match self.history.unit_facts(unit) {
            Some((facts, segment)) => {
                let parts = facts.parts.get(segment.parts.clone()).unwrap_or_default();
                let images: Vec<usize> = (0..facts.images.len())
                    .filter(|index| {
                        facts
                            .images
                            .get(*index)
                            .is_some_and(|image| image.segment == found.segment)
                    })
                    .collect();
                (
                    facts.author,
                    images,
                    parts.iter().any(|part| matches!(part, Part::Reasoning(_))),
                )
            }
            None => return Ok(()),
        };
        if author == Author::Model {
            self.first_unread_result = self.ranks.counted.len();
            self.first_unread_image = self.ranks.images.len();
        }
        for result in found.results.clone() {
            let counts = self.budget.max_recent_tool_results.is_some()
                && self
                    .history
                    .results()
                    .get(result)
                    .is_some_and(|entry| self.scene().counts(entry));
            self.ranks.of_result.push(counts.then_some(self.ranks.counted.len()));
            if counts {
                self.ranks.counted.push(result);
                self.present_results += usize::from(is_present);
            }
        }
        let first = self.ranks.images.len();
        self.ranks.images.extend(images.iter().map(|image| (unit, *image)));
        self.ranks.of_unit.push(first..self.ranks.images.len());
        if is_present {
            self.present_images += images.len();
        }
        if reasons && self.reasoning.back() != Some(&found.atom) && self.scene().may_trim(found.atom) {
            self.reasoning.push_back(found.atom);
        }
        let size = self.scene().size(unit, &self.marks, self.counts_tokens)?;
        self.sizes.push(size);
        self.add(found.atom, size);
        Ok(())
    }

    fn extend_head(&mut self, atom: usize, item: usize) {
        if self.head.is_leading && atom == self.head.leading {
            match self.history.atoms().get(atom).map(|atom| atom.kind) {
                Some(AtomKind::System) => self.head.leading += 1,
                Some(AtomKind::Summary) => {
                    self.head.leading += 1;
                    self.head.has_summary = true;
                    self.head.is_leading = false;
                }
                _ => self.head.is_leading = false,
            }
        }
        // A summary item that the library itself put there is no part of what the host pins.
        let pinned = self.budget.pinned_prefix_items as usize;
        let pinned = if pinned > 0 {
            pinned.saturating_add(usize::from(self.head.has_summary))
        } else {
            0
        };
        if item < pinned {
            self.head.pinned = self.head.pinned.max(atom + 1);
        }
        let head = self.head.atoms();
        while self.marks.tail < head {
            let size = self.atom_size(self.marks.tail);
            self.tail_size -= size;
            self.head_size += size;
            self.marks.tail += 1;
        }
    }

    fn add(&mut self, atom: usize, size: Size) {
        if atom < self.head.atoms() {
            self.head_size += size;
        } else if atom >= self.marks.tail {
            self.tail_size += size;
        }
    }

    fn is_present(&self, atom: usize) -> bool {
        atom < self.head.atoms() || atom >= self.marks.tail || self.is_anchored(atom)
    }

    /// Whether an atom is kept in front of the tail.
    fn is_anchored(&self, atom: usize) -> bool {
        self.marks.anchor == Some(atom) || self.compaction == Some(atom)
    }

    /// What an atom takes.
    pub fn atom_size(&self, atom: usize) -> Size {
        let units = self
            .history
            .atoms()
            .get(atom)
            .map(|atom| atom.units.as_slice())
            .unwrap_or_default();
        let sizes = units.iter().filter_map(|unit| self.sizes.get(*unit));
        sizes.fold(Size::default(), |sum, size| sum + *size)
    }

    /// What the frame of an item takes whose leading segments are cut away.
    pub fn partial(&self, tail: usize) -> Size {
        let first = self.history.atoms().get(tail).and_then(|atom| atom.units.first());
        let (item, segment) = first
            .and_then(|unit| self.history.units().get(*unit))
            .map_or((0, 0), |unit| (unit.item, unit.segment));
        match first.and_then(|unit| self.history.unit_facts(*unit)) {
            Some((facts, _)) if segment > 0 => Size {
                items: 1,
                chars: frame_chars(facts),
                tokens: self.frames.borrow().get(&item).copied().unwrap_or(0),
            },
            _ => Size::default(),
        }
    }

    /// What the provider's compaction takes, where it is in neither head, anchor nor tail.
    fn compaction_size(&self, tail: usize, anchor: Option<usize>) -> Size {
        let alone = self
            .compaction
            .filter(|atom| *atom < tail && *atom >= self.head.atoms() && Some(*atom) != anchor);
        alone.map_or(Size::default(), |atom| self.atom_size(atom))
    }

    fn anchor_size(&self, anchor: Option<usize>) -> Size {
        anchor.map_or(Size::default(), |atom| self.atom_size(atom))
    }

    /// The user message to keep in front of a tail: the opener of the turn in which it begins, if that turn is running
    /// or the dialect must open with a user message.
    fn anchor_for(&self, tail: usize) -> Option<usize> {
        let opener = self.history.atoms().get(tail)?.opener?;
        let must_open = self
            .history
            .dialect()
            .is_some_and(crate::item::dialect::Dialect::opens_with_user);
        let is_running = self.history.running_opener() == Some(opener);
        (opener < tail && opener >= self.head.atoms() && (is_running || must_open)).then_some(opener)
    }

    /// Plain messages do not tell their dialect. Where a later item does, a tail that was cut before may lack its opener.
    fn anchor_late(&mut self) {
        let anchor = self.anchor_for(self.marks.tail);
        if self.marks.anchor != anchor {
            self.marks.anchor = anchor;
            self.rebases_since_call += 1;
            self.recount();
        }
    }

    /// The size of the projection as things stand.
    pub fn total(&self) -> Size {
        self.total_with(self.tail_size, self.marks.tail, self.marks.anchor)
    }

    fn total_with(&self, tail_size: Size, tail: usize, anchor: Option<usize>) -> Size {
        self.head_size
            + self.summary
            + self.compaction_size(tail, anchor)
            + self.anchor_size(anchor)
            + tail_size
            + self.partial(tail)
    }

    /// Sizes of what is always there: system, pinned, summary, opener, newest atom.
    pub fn floor(&self) -> [(&'static str, Size); 5] {
        let mut system = Size::default();
        let mut pinned = Size::default();
        for atom in 0..self.head.atoms() {
            let size = self.atom_size(atom);
            if atom < self.head.leading {
                system += size;
            } else {
                pinned += size;
            }
        }
        let newest = (self.marks.tail..self.history.atoms().len())
            .fold(self.partial(self.marks.tail), |sum, atom| sum + self.atom_size(atom));
        [
            ("system", system),
            ("pinned", pinned),
            (
                "summary",
                self.summary + self.compaction_size(self.marks.tail, self.marks.anchor),
            ),
            ("turn opener", self.anchor_size(self.marks.anchor)),
            ("newest step", newest),
        ]
    }

    /// Rebases where something asks for it and something can move.
    fn check(&mut self) -> Result<(), P::Error> {
        let too_many_results = self
            .budget
            .max_recent_tool_results
            .is_some_and(|most| self.present_results as u64 > most);
        let too_many_images = self
            .budget
            .max_recent_images
            .is_some_and(|most| self.present_images as u64 > most);
        let opener = self.history.running_opener().unwrap_or(0);
        while self.reasoning.front().is_some_and(|atom| !self.is_present(*atom)) {
            self.reasoning.pop_front();
        }
        let turn_closed = self.reasoning.front().is_some_and(|atom| *atom < opener);
        let exceeded = self.limits.exceeded(self.total());
        if !(too_many_results || too_many_images || turn_closed || exceeded.any()) {
            return Ok(());
        }
        let marks = self.moved_marks(opener);
        let affected = self.affected(&marks);
        // What stands in front of a chained history is at the provider: nothing more may fall there.
        let can_cut = !self.options.chained && exceeded.any() && self.history.newest() > self.marks.tail;
        if affected.is_empty() && !can_cut {
            return Ok(());
        }
        let mut is_changed = !affected.is_empty();
        self.apply(marks, affected)?;
        let exceeded = self.limits.exceeded(self.total());
        if can_cut && exceeded.any() {
            is_changed |= self.move_tail(exceeded);
        }
        self.rebases_since_call += usize::from(is_changed);
        Ok(())
    }

    fn moved_marks(&self, opener: usize) -> Watermarks {
        let low = self.budget.low_water;
        let mut marks = self.marks;
        if let Some(most) = self.budget.max_recent_tool_results {
            let target = self.ranks.counted.len().saturating_sub(low_count(most, low));
            marks.cleared = marks.cleared.max(target.min(self.first_unread_result));
        }
        if let Some(most) = self.budget.max_recent_images {
            let target = self.ranks.images.len().saturating_sub(low_count(most, low));
            marks.images = marks.images.max(target.min(self.first_unread_image));
        }
        if self.budget.trim_old_reasoning {
            marks.reasoning = marks.reasoning.max(opener);
        }
        marks
    }

    /// The atoms in the projection that new watermarks change.
    fn affected(&self, marks: &Watermarks) -> BTreeSet<usize> {
        let atom_of = |unit: usize| self.history.units().get(unit).map(|unit| unit.atom);
        let results = self
            .ranks
            .counted
            .get(self.marks.cleared..marks.cleared)
            .unwrap_or_default();
        let results = results.iter().filter_map(|result| self.history.results().get(*result));
        let images = self
            .ranks
            .images
            .get(self.marks.images..marks.images)
            .unwrap_or_default();
        let reasoning = self
            .reasoning
            .iter()
            .copied()
            .take_while(|atom| *atom < marks.reasoning);
        results
            .filter_map(|result| atom_of(result.unit))
            .chain(images.iter().filter_map(|(unit, _)| atom_of(*unit)))
            .chain(reasoning)
            .filter(|atom| self.is_present(*atom))
            .collect()
    }

    fn apply(&mut self, mut marks: Watermarks, mut affected: BTreeSet<usize>) -> Result<(), P::Error> {
        let settled = self.history.running_opener().unwrap_or(0).max(self.marks.settled);
        if self.budget.clear_tool_inputs || self.budget.max_tool_input_chars.is_some() {
            affected.extend((self.marks.settled..settled).filter(|atom| self.is_present(*atom)));
        }
        marks.settled = settled;
        self.marks = marks;
        while self.reasoning.front().is_some_and(|atom| *atom < marks.reasoning) {
            self.reasoning.pop_front();
        }
        for atom in affected {
            let before = self.atom_size(atom);
            let units = self
                .history
                .atoms()
                .get(atom)
                .map(|atom| atom.units.clone())
                .unwrap_or_default();
            for unit in units {
                let size = self.scene().size(unit, &self.marks, self.counts_tokens)?;
                if let Some(entry) = self.sizes.get_mut(unit) {
                    *entry = size;
                }
            }
            let after = self.atom_size(atom);
            if atom < self.head.atoms() {
                self.head_size = self.head_size - before + after;
            } else if atom >= self.marks.tail {
                self.tail_size = self.tail_size - before + after;
            }
        }
        self.recount();
        Ok(())
    }

    /// Moves the tail to the first place where every total is at low water, at most to the newest atom. Answers whether
    /// anything fell: an opener that is kept as the anchor does not.
    fn move_tail(&mut self, exceeded: Exceeded) -> bool {
        let newest = self.history.newest();
        let mut rest = self.tail_size;
        for tail in self.marks.tail..newest {
            rest -= self.atom_size(tail);
            let next = tail + 1;
            if !self.history.can_cut_before(next) {
                continue;
            }
            let anchor = self.anchor_for(next);
            if next < newest && !self.limits.is_low(self.total_with(rest, next, anchor)) {
                continue;
            }
            let from = self.marks.tail;
            let has_fallen = (from..next).any(|atom| Some(atom) != anchor && Some(atom) != self.compaction)
                || (self.marks.anchor.is_some() && self.marks.anchor != anchor);
            self.marks.tail = next;
            self.marks.anchor = anchor;
            self.tail_size = rest;
            self.drops.push(Drop { until: next, exceeded });
            self.recount();
            return has_fallen;
        }
        false
    }

    fn recount(&mut self) {
        let in_projection = |unit: usize| {
            self.history
                .units()
                .get(unit)
                .is_some_and(|unit| self.is_present(unit.atom))
        };
        let results = self.ranks.counted.get(self.marks.cleared..).unwrap_or_default();
        let results = results.iter().filter_map(|result| self.history.results().get(*result));
        let present_results = results.filter(|result| in_projection(result.unit)).count();
        let images = self.ranks.images.get(self.marks.images..).unwrap_or_default();
        let present_images = images.iter().filter(|(unit, _)| in_projection(*unit)).count();
        self.present_results = present_results;
        self.present_images = present_images;
    }
}

/// Whether tokens are counted: only where a limit or the host's counter asks for it.
pub fn counts_tokens(budget: &ContextBudget, options: &ProjectOptions) -> bool {
    budget.max_tokens.is_some() || options.counts_tokens
}
