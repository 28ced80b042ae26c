//! Fates, collected unit by unit, and carried over from a mended history to its source.

use super::assemble::Seen;
use super::fold::{Cut, Fold};
use super::ledger::{Fate, Reasons};
use super::mend::Mended;
use super::notes::LIMITS;
use super::size::Exceeded;
use super::version::Scene;
use crate::item::payload::{Origin, Payloads};

/// Fates of the source items, collected unit by unit.
pub struct Fates {
    fates: Vec<Slot>,
    leading: usize,
    has_summary: bool,
    pinned: usize,
    anchor: Option<usize>,
    compaction: Option<usize>,
    head: usize,
    tail: usize,
    reasoning: usize,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    fate: Option<Fate>,
    reasons: Reasons,
    units_seen: usize,
    units: usize,
}

impl Fates {
    /// Begins with every item fallen, for the reasons of the cuts that passed it.
    pub fn new<P: Payloads>(fold: &Fold<'_, P>, cut: &Cut) -> Self {
        let mut fates = vec![Slot::default(); fold.history.items().len()];
        let head = fold.head();
        let mut drops = fold.drops.iter();
        let mut drop = drops.next();
        for atom in cut.head..cut.marks.tail {
            while drop.is_some_and(|drop| drop.until <= atom) {
                drop = drops.next();
            }
            let exceeded = drop.map_or(Exceeded::default(), |drop| drop.exceeded);
            let reasons = LIMITS
                .iter()
                .zip(exceeded.0)
                .fold(Reasons::default(), |all, ((_, _, reason), is_over)| {
                    all.with_if(is_over, *reason)
                });
            let units = fold
                .history
                .atoms()
                .get(atom)
                .map(|atom| atom.units.as_slice())
                .unwrap_or_default();
            for unit in units {
                let item = fold.history.units().get(*unit).map_or(0, |unit| unit.item);
                if let Some(slot) = fates.get_mut(item) {
                    slot.reasons = slot.reasons.with(reasons);
                }
            }
        }
        for unit in fold.history.units() {
            if let Some(slot) = fates.get_mut(unit.item) {
                slot.units += 1;
            }
        }
        Self {
            fates,
            leading: head.leading,
            has_summary: head.has_summary,
            pinned: head.pinned,
            anchor: cut.marks.anchor,
            compaction: cut.compaction,
            head: cut.head,
            tail: cut.marks.tail,
            reasoning: cut.marks.reasoning,
        }
    }

    pub fn see<P: Payloads>(&mut self, scene: &Scene<'_, P>, seen: &Seen<'_>) {
        let Some(unit) = scene.history.units().get(seen.unit) else {
            return;
        };
        let Some(slot) = self.fates.get_mut(unit.item) else {
            return;
        };
        let done = &seen.version.done;
        // The opener that is kept in front of the tail was passed by it once: it has not fallen.
        let is_anchor = self.anchor == Some(seen.atom);
        let is_compaction = self.compaction == Some(seen.atom) && (self.head..self.tail).contains(&seen.atom);
        if slot.units_seen == 0 && (is_anchor || is_compaction) {
            slot.reasons = Reasons::default();
        }
        slot.units_seen += 1;
        slot.reasons = slot
            .reasons
            .with_if(done.cleared_results > 0, Reasons::RESULTS)
            .with_if(done.cleared_inputs > 0, Reasons::INPUTS)
            .with_if(done.shortened_results > 0, Reasons::RESULT_CHARS)
            .with_if(done.shortened_inputs > 0, Reasons::INPUT_CHARS)
            .with_if(done.images > 0 || done.with_image, Reasons::IMAGES)
            .with_if(
                done.reasoning > 0 || (done.unlinked && seen.atom < self.reasoning),
                Reasons::REASONING,
            )
            .with_if(done.unlinked && seen.atom >= self.reasoning, Reasons::IMAGES);
        if seen.version.is_removed {
            return;
        }
        let atom = seen.atom;
        let is_summary = self.has_summary && atom + 1 == self.leading;
        let is_pinned = atom < self.pinned;
        slot.reasons = slot
            .reasons
            .with_if(atom < self.leading && !is_summary, Reasons::SYSTEM)
            .with_if(is_summary || is_compaction, Reasons::SUMMARY)
            .with_if(is_pinned, Reasons::PINNED)
            .with_if(is_anchor, Reasons::TURN);
        let fate = if done.cleared_results + done.cleared_inputs + done.images > 0 {
            Fate::Cleared
        } else if done.shortened_results + done.shortened_inputs > 0 {
            Fate::Shortened
        } else if done.reasoning > 0 || done.unlinked {
            Fate::Trimmed
        } else if is_pinned {
            Fate::Pinned
        } else {
            Fate::Kept
        };
        slot.fate = slot.fate.max(Some(fate));
    }

    /// The limits that made something fall: an item, or the leading steps of one.
    pub fn applied(&self) -> Exceeded {
        let fallen = self
            .fates
            .iter()
            .filter(|slot| slot.fate.is_none() || slot.units_seen < slot.units);
        let reasons = fallen.fold(Reasons::default(), |all, slot| all.with(slot.reasons));
        Exceeded(LIMITS.map(|(_, _, reason)| reasons.holds(reason)))
    }

    pub fn finish(self) -> Vec<(Fate, Reasons)> {
        self.fates
            .into_iter()
            .map(|slot| match slot.fate {
                None => (Fate::Dropped, slot.reasons),
                Some(fate) if slot.units_seen < slot.units => (
                    fate.max(Fate::Shortened),
                    slot.reasons.without_limits().with(Reasons::STEPS),
                ),
                Some(fate) => (fate, slot.reasons),
            })
            .collect()
    }
}

/// The fates of the source items of a mended history. A copy that is sent counts before one that is not.
pub fn of_sources(mended: &Mended, fates: &[(Fate, Reasons)]) -> Vec<(Fate, Reasons)> {
    let mut sources: Vec<(Option<Fate>, Reasons)> =
        mended.gone.iter().map(|rules| (None, Reasons::of(*rules))).collect();
    for (entry, (fate, reasons)) in mended.entries.iter().zip(fates) {
        let Origin::Source(item) = entry.origin else { continue };
        let Some(slot) = sources.get_mut(item) else { continue };
        let is_mended = !entry.rules.is_empty();
        slot.1 = slot.1.with(*reasons);
        if *fate != Fate::Dropped {
            let fate = if is_mended { Fate::Mended.max(*fate) } else { *fate };
            slot.0 = slot.0.max(Some(fate));
            slot.1 = slot.1.with(Reasons::of(entry.rules));
        }
    }
    sources
        .into_iter()
        .map(|(fate, reasons)| match fate {
            // A part of it is gone by a rule: what is left is not what it was.
            Some(fate) => (fate, reasons),
            None => (Fate::Dropped, reasons),
        })
        .collect()
}
