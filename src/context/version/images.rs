//! Old images and screenshots.

use super::super::fold::Watermarks;
use super::{Scene, Version};
use crate::history::Unit;
use crate::item::edit::Edit;
use crate::item::facts::{Facts, ImageRemoval, Part, Place};
use crate::item::payload::Payloads;

impl<P: Payloads> Scene<'_, P> {
    pub(super) fn edit_images(&self, index: usize, facts: &Facts, version: &mut Version, marks: &Watermarks) {
        for rank in self.ranks.of_unit.get(index).cloned().unwrap_or_default() {
            if rank >= marks.images {
                break;
            }
            let image = self
                .ranks
                .images
                .get(rank)
                .and_then(|(_, image)| facts.images.get(*image));
            let Some(image) = image else { continue };
            let (path, edit, saves) = match &image.removal {
                ImageRemoval::Note { path, value, saves } => (path, Edit::set(path.clone(), value.clone()), *saves),
                ImageRemoval::Element { path, chars } => (path, Edit::remove(path.clone()), *chars as i64),
                ImageRemoval::Item => continue,
            };
            // A cleared result has taken its images along.
            if version.edits.iter().any(|earlier| path.is_within(&earlier.path)) {
                continue;
            }
            version.edits.push(edit);
            version.saves += saves;
            version.done.images += 1;
        }
    }

    /// Whether a unit goes because an old screenshot does: the pair that holds it, whole, and the reasoning in front.
    pub(super) fn goes_with_image(&self, index: usize, unit: &Unit, marks: &Watermarks) -> bool {
        if marks.images == 0 {
            return false;
        }
        if self.item_images(index, marks) > 0 {
            return true;
        }
        let calls = self.history.calls().get(unit.calls.clone()).unwrap_or_default();
        let answered_by_old_image = calls.iter().any(|call| {
            let result = call.answer.and_then(|answer| self.history.results().get(answer));
            result.is_some_and(|result| self.item_images(result.unit, marks) > 0)
        });
        if answered_by_old_image {
            return true;
        }
        let is_reasoning = |unit: usize| {
            self.history.unit_facts(unit).is_some_and(|(facts, _)| {
                matches!(facts.parts.as_slice(), [Part::Reasoning(reasoning)] if reasoning.place == Place::Item)
            })
        };
        if !is_reasoning(index) {
            return false;
        }
        let units = self
            .history
            .atoms()
            .get(unit.atom)
            .map(|atom| atom.units.as_slice())
            .unwrap_or_default();
        let next = units.iter().find(|next| **next > index && !is_reasoning(**next));
        next.and_then(|next| Some((*next, self.history.units().get(*next)?)))
            .is_some_and(|(next, unit)| self.goes_with_image(next, unit, marks))
    }

    /// Old images of a unit that take their item with them.
    pub(super) fn item_images(&self, index: usize, marks: &Watermarks) -> usize {
        let Some((facts, _)) = self.history.unit_facts(index) else {
            return 0;
        };
        let ranks = self.ranks.of_unit.get(index).cloned().unwrap_or_default();
        ranks
            .filter(|rank| *rank < marks.images)
            .filter(|rank| {
                let image = self
                    .ranks
                    .images
                    .get(*rank)
                    .and_then(|(_, image)| facts.images.get(*image));
                image.is_some_and(|image| matches!(image.removal, ImageRemoval::Item))
            })
            .count()
    }
}
