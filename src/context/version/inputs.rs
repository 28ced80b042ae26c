//! Tier 1: arguments emptied with their result, or made shorter, where nothing binds them.

use super::super::fold::Watermarks;
use super::super::inputs::shorten_input;
use super::{Scene, Version};
use crate::history::{CallEntry, Unit};
use crate::item::edit::Edit;
use crate::item::facts::{Call, Facts, Part, Signature};
use crate::item::measure::chars;
use crate::item::payload::Payloads;
use crate::item::sketch::Sketch;
use crate::item::text::SHORTEST;

impl<P: Payloads> Scene<'_, P> {
    pub(super) fn edit_inputs(&self, unit: &Unit, facts: &Facts, marks: &Watermarks, version: &mut Version) {
        if !self.budget.clear_tool_inputs && self.budget.max_tool_input_chars.is_none() {
            return;
        }
        for entry in self.history.calls().get(unit.calls.clone()).unwrap_or_default() {
            let Some(Part::Call(call)) = facts.parts.get(entry.part) else {
                continue;
            };
            let Some(input) = &call.input else { continue };
            let is_cleared =
                self.budget.clear_tool_inputs && entry.answer.is_some_and(|result| self.is_cleared(result, marks));
            let empty = input.form.empty();
            let empty_chars = chars(&Sketch::of(&empty));
            let (edits, saves) = if is_cleared && input.chars > empty_chars {
                let saves = input.chars as i64 - empty_chars as i64;
                (vec![Edit::set(input.path.clone(), empty)], saves)
            } else {
                match self.budget.max_tool_input_chars {
                    Some(limit) if !is_cleared && input.chars > limit.max(SHORTEST as u64) => {
                        match self.payloads.text(unit.item, &input.path) {
                            Some(text) => shorten_input(input, &text, limit as usize),
                            None => continue,
                        }
                    }
                    _ => continue,
                }
            };
            if edits.is_empty() {
                continue;
            }
            if self.is_bound(entry, call, marks) {
                version.done.skipped_inputs += 1;
                continue;
            }
            version.edits.extend(edits);
            version.saves += saves;
            if is_cleared {
                version.done.cleared_inputs += 1;
            } else {
                version.done.shortened_inputs += 1;
            }
        }
    }

    /// Whether a call's arguments may not be rewritten (R-INPUTEDIT): reasoning that the provider stores stands in
    /// front of it, or it carries a signature and its turn ran at the last rebase.
    pub(super) fn is_bound(&self, entry: &CallEntry, call: &Call, marks: &Watermarks) -> bool {
        if call.signature == Signature::Signed && entry.atom >= marks.settled {
            return true;
        }
        if self.options.is_stateless || (self.is_trimmed(entry.atom, marks)) {
            return false;
        }
        let Some(atom) = self.history.atoms().get(entry.atom) else {
            return false;
        };
        atom.reasons
            && atom.units.iter().take_while(|unit| **unit <= entry.unit).any(|unit| {
                self.history.unit_facts(*unit).is_some_and(|(facts, segment)| {
                    let parts = facts.parts.get(segment.parts.clone()).unwrap_or_default();
                    parts
                        .iter()
                        .any(|part| matches!(part, Part::Reasoning(reasoning) if reasoning.stored))
                })
            })
    }
}
