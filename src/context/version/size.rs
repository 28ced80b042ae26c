//! What a unit takes, in items, characters and tokens.

use super::super::fold::Watermarks;
use super::super::size::Size;
use super::Scene;
use crate::history::Unit;
use crate::item::edit::Edit;
use crate::item::facts::Facts;
use crate::item::path::Path;
use crate::item::payload::Payloads;
use std::ops::Range;

impl<P: Payloads> Scene<'_, P> {
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
    pub(super) fn unit_tokens(&self, unit: &Unit, facts: &Facts, edits: Vec<Edit>) -> Result<u64, P::Error> {
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
        .map(|index| Edit::remove(Path::of([list.into(), index.into()])))
        .collect()
}
