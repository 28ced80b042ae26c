//! What the model gets of one unit at given watermarks: the unit as it is, an edited copy, or nothing.
//!
//! A pure function of the unit, its atom and the watermarks, so that a prompt can be rebuilt at any earlier length.

mod images;
mod inputs;
mod reasoning;
mod results;
mod size;

pub use size::{frame_chars, leading_segments};

use super::budget::ContextBudget;
use super::fold::Watermarks;
use super::options::ProjectOptions;
use crate::history::History;
use crate::item::edit::Edit;
use crate::item::payload::Payloads;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

/// What was done to a unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Version {
    /// Nothing of it is sent.
    pub is_removed: bool,
    /// What is changed in the copy that is sent.
    pub edits: Vec<Edit>,
    /// Characters that the edits save.
    pub saves: i64,
    /// What was done, by kind.
    pub done: Done,
}

/// Counts of what was done to a unit, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Results cleared.
    pub cleared_results: usize,
    /// Arguments emptied.
    pub cleared_inputs: usize,
    /// Results shortened.
    pub shortened_results: usize,
    /// Arguments shortened.
    pub shortened_inputs: usize,
    /// Images taken away.
    pub images: usize,
    /// Pieces of reasoning taken away by Tier 2.
    pub reasoning: usize,
    /// Gone because a pair with an old screenshot went, or changed for it.
    pub with_image: bool,
    /// Changed because reasoning in front of it went.
    pub unlinked: bool,
    /// Arguments that would have been edited, were they not bound to reasoning or a signature.
    pub skipped_inputs: usize,
}

/// Everything that versions depend on beside the watermarks.
pub struct Scene<'a, P> {
    /// The history.
    pub history: &'a History,
    /// Ranks of results and images.
    pub ranks: &'a Ranks,
    /// The budget.
    pub budget: &'a ContextBudget,
    /// The options.
    pub options: &'a ProjectOptions,
    /// The items themselves.
    pub payloads: &'a P,
    /// Tokens of the frames of items that are read in segments, as far as they are known.
    pub frames: &'a RefCell<HashMap<usize, u64>>,
}

/// The order in which results and images are cleared.
#[derive(Debug, Default)]
pub struct Ranks {
    /// Results that count for Tier 1, in order of arrival, as indexes into the history's results.
    pub counted: Vec<usize>,
    /// Rank of each of the history's results among the counted ones.
    pub of_result: Vec<Option<usize>>,
    /// Images in order of arrival: unit, and index into the images of its item.
    pub images: Vec<(usize, usize)>,
    /// The images of each unit, as ranks.
    pub of_unit: Vec<Range<usize>>,
}

impl<P: Payloads> Scene<'_, P> {
    /// The version of a unit at these watermarks.
    pub fn version(&self, index: usize, marks: &Watermarks) -> Version {
        let mut version = Version::default();
        let (Some(unit), Some((facts, segment))) = (self.history.units().get(index), self.history.unit_facts(index))
        else {
            return version;
        };
        if self.goes_with_image(index, unit, marks) {
            version.is_removed = true;
            version.done.with_image = true;
            version.done.images = self.item_images(index, marks);
            return version;
        }
        self.edit_results(unit, facts, marks, &mut version);
        self.edit_inputs(unit, facts, marks, &mut version);
        self.edit_images(index, facts, &mut version, marks);
        self.trim(index, unit, facts, segment, marks, &mut version);
        version
    }
}
