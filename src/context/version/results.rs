//! Tier 1: results that leave a placeholder, and results made shorter.

use super::super::fold::Watermarks;
use super::{Scene, Version};
use crate::history::{ResultEntry, Unit};
use crate::item::edit::Edit;
use crate::item::facts::{Facts, Part, Payload};
use crate::item::measure::chars;
use crate::item::payload::Payloads;
use crate::item::sketch::Sketch;
use crate::item::text::{SHORTEST, shorten, utf16_len};
use serde_json::Value;

impl<P: Payloads> Scene<'_, P> {
    pub(super) fn edit_results(&self, unit: &Unit, facts: &Facts, marks: &Watermarks, version: &mut Version) {
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
    pub(super) fn shorten_result(
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

    pub(super) fn is_cleared(&self, result: usize, marks: &Watermarks) -> bool {
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
    pub(super) fn placeholder(&self, entry: &ResultEntry) -> String {
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
}
