//! What the model gets of one unit at given watermarks: the unit as it is, an edited copy, or nothing.
//!
//! A pure function of the unit, its atom and the watermarks, so that a prompt can be rebuilt at any earlier length.

use super::budget::ContextBudget;
use super::fold::Watermarks;
use super::inputs::shorten_input;
use super::options::ProjectOptions;
use super::size::Size;
use crate::history::{CallEntry, History, ResultEntry, Unit};
use crate::item::edit::Edit;
use crate::item::facts::{Call, Facts, ImageRemoval, Part, Payload, Place, Segment};
use crate::item::measure::chars;
use crate::item::payload::Payloads;
use crate::item::sketch::Sketch;
use crate::item::text::{SHORTEST, shorten, utf16_len};
use serde_json::Value;
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

    fn edit_results(&self, unit: &Unit, facts: &Facts, marks: &Watermarks, version: &mut Version) {
        for index in unit.results.clone() {
            let Some(entry) = self.history.results().get(index) else {
                continue;
            };
            let Some(Part::Result(result)) = facts.parts.get(entry.part) else {
                continue;
            };
            let Some(payload) = &result.payload else { continue };
            if self.is_cleared(index, marks) {
                let value = payload.form.of(self.placeholder(entry));
                version.saves += payload.chars as i64 - chars(&Sketch::of(&value)) as i64;
                version.edits.push(Edit::set(payload.path.clone(), value));
                if let Some((path, size)) = &payload.beside {
                    version.saves += *size as i64;
                    version.edits.push(Edit::remove(path.clone()));
                }
                version.done.cleared_results += 1;
            } else if let Some(limit) = self.budget.max_tool_result_chars
                && !self.is_kept_tool(entry)
                && self.shorten_result(unit.item, entry, payload, limit as usize, version)
            {
                version.done.shortened_results += 1;
            }
        }
    }

    /// Shortens a result: the one text that it is, the texts beside its media, or its JSON text.
    fn shorten_result(
        &self,
        item: usize,
        entry: &ResultEntry,
        payload: &Payload,
        limit: usize,
        version: &mut Version,
    ) -> bool {
        let placeholder = self.placeholder(entry);
        let least = limit.max(SHORTEST);
        let single = payload.text.iter().cloned();
        let texts: Vec<_> = single.chain(payload.texts.iter().flatten().cloned()).collect();
        let mut is_shortened = false;
        for (path, units) in &texts {
            if *units <= least {
                continue;
            }
            // A placeholder, from an earlier projection, is left as it is, however long its names.
            let text = self.payloads.text(item, path).filter(|text| *text != placeholder);
            if let Some(short) = text.and_then(|text| shorten(&text, limit)) {
                version.saves += *units as i64 - utf16_len(&short) as i64;
                version.edits.push(Edit::set(path.clone(), Value::String(short)));
                is_shortened = true;
            }
        }
        if texts.is_empty()
            && payload.texts.is_none()
            && payload.chars > least as u64
            && let Some(short) = self
                .payloads
                .text(item, &payload.path)
                .and_then(|text| shorten(&text, limit))
        {
            let value = payload.form.of(short);
            let saves = payload.chars as i64 - chars(&Sketch::of(&value)) as i64;
            // Escapes make the JSON text of a small payload longer than the payload counts.
            if saves > 0 {
                version.saves += saves;
                version.edits.push(Edit::set(payload.path.clone(), value));
                is_shortened = true;
            }
        }
        is_shortened
    }

    fn edit_inputs(&self, unit: &Unit, facts: &Facts, marks: &Watermarks, version: &mut Version) {
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
    fn is_bound(&self, entry: &CallEntry, call: &Call, marks: &Watermarks) -> bool {
        if call.signed && entry.atom >= marks.settled {
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

    fn edit_images(&self, index: usize, facts: &Facts, version: &mut Version, marks: &Watermarks) {
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

    fn trim(
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

    fn remove_reasoning(&self, unit: &Unit, facts: &Facts, segment: &Segment, version: &mut Version) {
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
    fn reasoning_is_gone_before(&self, index: usize, atom: usize, is_trimmed: bool, marks: &Watermarks) -> bool {
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

    /// Whether a unit goes because an old screenshot does: the pair that holds it, whole, and the reasoning in front.
    fn goes_with_image(&self, index: usize, unit: &Unit, marks: &Watermarks) -> bool {
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
    fn item_images(&self, index: usize, marks: &Watermarks) -> usize {
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

    fn is_cleared(&self, result: usize, marks: &Watermarks) -> bool {
        self.ranks
            .of_result
            .get(result)
            .copied()
            .flatten()
            .is_some_and(|rank| rank < marks.cleared)
    }

    /// Whether a result belongs to a tool whose results stay.
    pub fn is_kept_tool(&self, entry: &ResultEntry) -> bool {
        self.history
            .tool_name(entry)
            .is_some_and(|name| self.budget.keep_tools.iter().any(|kept| **kept == **name))
    }

    /// The text that a cleared result leaves.
    fn placeholder(&self, entry: &ResultEntry) -> String {
        let name = self.history.tool_name(entry);
        match (name, &entry.id) {
            (Some(name), Some(id)) => format!("[tool result cleared: {name}({id})]"),
            (Some(only), None) | (None, Some(only)) => format!("[tool result cleared: {only}]"),
            (None, None) => "[tool result cleared]".to_owned(),
        }
    }

    /// Whether a result counts for Tier 1: text may take its place, its tool is not kept, and it is longer than its
    /// placeholder.
    pub fn counts(&self, entry: &ResultEntry) -> bool {
        let Some((facts, _)) = self.history.unit_facts(entry.unit) else {
            return false;
        };
        match facts.parts.get(entry.part) {
            Some(Part::Result(result)) => result.payload.as_ref().is_some_and(|payload| {
                let placeholder = payload.form.of(self.placeholder(entry));
                !self.is_kept_tool(entry) && payload.chars > chars(&Sketch::of(&placeholder))
            }),
            _ => false,
        }
    }

    /// Tokens of an item with these edits made. The built-in estimate of an item as it is stays with its facts; the
    /// host's counts stay on the host's side.
    ///
    /// # Errors
    /// Those of the host's counter.
    pub fn tokens(&self, item: usize, facts: &Facts, edits: &[Edit]) -> Result<u64, P::Error> {
        if self.options.counts_tokens || !edits.is_empty() {
            return self.payloads.tokens(item, edits);
        }
        let media_tokens = self.options.media_tokens();
        match facts.tokens.get() {
            Some((for_media, tokens)) if for_media == media_tokens => Ok(tokens),
            _ => {
                let tokens = self.payloads.tokens(item, edits)?;
                facts.tokens.set(Some((media_tokens, tokens)));
                Ok(tokens)
            }
        }
    }

    /// Tokens of a unit with these edits made: of its item, or of its segment, with the frame beside the first one. A
    /// segment counts what it adds to the frame, so that the parts of an item add up alike however much is cut away.
    fn unit_tokens(&self, unit: &Unit, facts: &Facts, edits: Vec<Edit>) -> Result<u64, P::Error> {
        if facts.segments.len() == 1 {
            return self.tokens(unit.item, facts, &edits);
        }
        let known = self.frames.borrow().get(&unit.item).copied();
        let frame = match known {
            Some(frame) => frame,
            None => {
                let end = facts.segments.last().map_or(0, |segment| segment.elements.end);
                let frame = self.payloads.tokens(unit.item, &elements(facts, 0..end))?;
                self.frames.borrow_mut().insert(unit.item, frame);
                frame
            }
        };
        let mut all = other_segments(facts, unit.segment);
        all.extend(edits);
        let own = self.payloads.tokens(unit.item, &all)?.saturating_sub(frame);
        Ok(if unit.segment == 0 { frame + own } else { own })
    }

    /// Tokens of the whole history as it is.
    ///
    /// # Errors
    /// Those of the host's counter.
    pub fn source_tokens(&self) -> Result<u64, P::Error> {
        let mut sum = 0;
        for unit in self.history.units() {
            if let Some(facts) = self.history.facts(unit.item) {
                sum += self.unit_tokens(unit, facts, Vec::new())?;
            }
        }
        Ok(sum)
    }

    /// What a unit takes at these watermarks; tokens only where they are counted.
    ///
    /// # Errors
    /// Those of the host's counter.
    pub fn size(&self, index: usize, marks: &Watermarks, counts_tokens: bool) -> Result<Size, P::Error> {
        let Some((facts, segment)) = self.history.unit_facts(index) else {
            return Ok(Size::default());
        };
        let version = self.version(index, marks);
        if version.is_removed {
            return Ok(Size::default());
        }
        let Some(unit) = self.history.units().get(index) else {
            return Ok(Size::default());
        };
        let is_first = unit.segment == 0;
        let own = if facts.segments.len() == 1 {
            facts.chars
        } else {
            segment.chars
        };
        let frame = if facts.segments.len() > 1 && is_first {
            frame_chars(facts)
        } else {
            0
        };
        let tokens = if counts_tokens {
            self.unit_tokens(unit, facts, version.edits)?
        } else {
            0
        };
        Ok(Size {
            items: u64::from(is_first),
            chars: (own + frame).saturating_add_signed(-version.saves),
            tokens,
        })
    }
}

/// Characters of an item that belong to none of its segments.
pub fn frame_chars(facts: &Facts) -> u64 {
    facts.chars
        - facts
            .segments
            .iter()
            .map(|segment| segment.chars)
            .sum::<u64>()
            .min(facts.chars)
}

/// The edits that cut an item's segments before `segment` away.
pub fn leading_segments(facts: &Facts, segment: usize) -> Vec<Edit> {
    let end = facts.segments.get(segment).map_or(0, |segment| segment.elements.start);
    elements(facts, 0..end)
}

fn other_segments(facts: &Facts, segment: usize) -> Vec<Edit> {
    if facts.segments.len() == 1 {
        return Vec::new();
    }
    let Some(own) = facts.segments.get(segment) else {
        return Vec::new();
    };
    let end = facts.segments.last().map_or(0, |segment| segment.elements.end);
    let mut edits = elements(facts, 0..own.elements.start);
    edits.extend(elements(facts, own.elements.end..end));
    edits
}

fn elements(facts: &Facts, range: Range<usize>) -> Vec<Edit> {
    let Some(list) = facts.list else { return Vec::new() };
    range
        .map(|index| Edit::remove(crate::item::path::Path::of([list.into(), index.into()])))
        .collect()
}
