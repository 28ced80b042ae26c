//! Tier 2: reasoning of earlier turns, and the server ids behind reasoning that is gone.

use super::super::fold::Watermarks;
use super::{Scene, Version};
use crate::history::Unit;
use crate::item::edit::Edit;
use crate::item::facts::{Facts, Part, Place, Segment};
use crate::item::payload::Payloads;

impl<P: Payloads> Scene<'_, P> {
    pub(super) fn trim(
        &self,
        index: usize,
        unit: &Unit,
        facts: &Facts,
        segment: &Segment,
        marks: &Watermarks,
        version: &mut Version,
    ) {
        let is_trimmed = self.is_trimmed(unit.atom, marks);
        if is_trimmed {
            self.remove_reasoning(unit, facts, segment, version);
        }
        if version.is_removed || facts.links.is_empty() {
            return;
        }
        if self.reasoning_is_gone_before(index, unit.atom, is_trimmed, marks) {
            for link in facts.links.iter().filter(|link| link.segment == unit.segment) {
                version.edits.push(Edit::remove(link.path.clone()));
                version.saves += link.chars as i64;
                version.done.unlinked = true;
            }
        }
    }

    pub(super) fn remove_reasoning(&self, unit: &Unit, facts: &Facts, segment: &Segment, version: &mut Version) {
        if self.options.reasoning_content_required && !unit.calls.is_empty() {
            return;
        }
        let parts = facts.parts.get(segment.parts.clone()).unwrap_or_default();
        let is_whole = facts.segments.len() == 1;
        let before = version.done.reasoning;
        for part in parts {
            let Part::Reasoning(reasoning) = part else { continue };
            version.done.reasoning += 1;
            match &reasoning.place {
                Place::Item => version.is_removed = true,
                Place::At(path) => {
                    version.edits.push(Edit::remove(path.clone()));
                    version.saves += reasoning.chars as i64;
                }
            }
        }
        if version.done.reasoning > before && is_whole && !parts.iter().any(Part::is_substance) {
            version.is_removed = true;
        }
    }

    /// Whether Tier 2 has taken the reasoning of an atom.
    pub fn is_trimmed(&self, atom: usize, marks: &Watermarks) -> bool {
        atom < marks.reasoning && self.may_trim(atom)
    }

    /// Whether Tier 2 may take the reasoning of an atom, once its turn is over.
    pub fn may_trim(&self, atom: usize) -> bool {
        self.budget.trim_old_reasoning
            && self.history.atoms().get(atom).is_some_and(|atom| {
                atom.reasons
                    && !atom.units.iter().any(|unit| {
                        self.history
                            .unit_facts(*unit)
                            .is_some_and(|(facts, _)| facts.keeps_reasoning)
                    })
            })
    }

    /// Whether reasoning at or before this unit in its atom goes, so that server ids behind it must go too.
    pub(super) fn reasoning_is_gone_before(
        &self,
        index: usize,
        atom: usize,
        is_trimmed: bool,
        marks: &Watermarks,
    ) -> bool {
        let Some(found) = self.history.atoms().get(atom).filter(|atom| atom.reasons) else {
            return false;
        };
        found.units.iter().take_while(|unit| **unit <= index).any(|unit| {
            let Some((facts, segment)) = self.history.unit_facts(*unit) else {
                return false;
            };
            let parts = facts.parts.get(segment.parts.clone()).unwrap_or_default();
            let reasons = parts.iter().any(|part| matches!(part, Part::Reasoning(_)));
            reasons
                && (is_trimmed
                    || self
                        .history
                        .units()
                        .get(*unit)
                        .is_some_and(|unit_at| self.goes_with_image(*unit, unit_at, marks)))
        })
    }
}
