//! Putting a summary in the place of what it summarises, whatever memory has become since.

use super::plan::CompactionPlan;
use super::result::{Attempt, CompactStatus, Outcome};
use super::select::Selection;
use crate::context::{ContextReport, Entry, Exceeded, Fate, Plan, Reasons, runs};
use crate::error::{Error, ErrorCode};
use crate::history::History;
use crate::item::edit::Edit;
use crate::item::path::{Path, Step};
use crate::item::payload::Payloads;
use crate::item::text::digest;
use serde::{Deserialize, Serialize};

/// What is summarised, by its place in the items, and by what stood there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// The first item.
    pub from: usize,
    /// How many items.
    pub length: usize,
    /// A digest of their compact JSON, as 16 hexadecimal digits.
    pub digest: String,
    /// Items among them that stay, counted from the first.
    pub kept: Vec<usize>,
    /// The last item, where only its leading elements go.
    pub cut: Option<ElementCut>,
    /// Leading system items in front of it.
    pub leading: usize,
    /// These and the pinned prefix.
    pub head: usize,
    /// The limits that fired: items, characters, tokens.
    pub fired: [bool; 3],
}

/// Elements of an item's list that go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElementCut {
    /// The item, counted from the first of the range.
    pub item: usize,
    /// The list's key.
    pub list: String,
    /// So many elements at its front.
    pub elements: usize,
}

/// What becomes of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stay {
    Whole,
    /// From this segment on.
    From(usize),
    Gone,
}

impl Range {
    /// The range of a selection; `None` where nothing goes.
    ///
    /// # Errors
    /// What the host's objects throw.
    pub fn of<P: Payloads>(history: &History, payloads: &P, selection: &Selection) -> Result<Option<Self>, P::Error> {
        let stays = stays(history, selection);
        let goes = |stay: &Stay| *stay != Stay::Whole;
        let (Some(from), Some(last)) = (stays.iter().position(goes), stays.iter().rposition(goes)) else {
            return Ok(None);
        };
        let inside = stays.get(from..=last).unwrap_or_default();
        let kept = inside.iter().enumerate().filter(|(_, stay)| **stay == Stay::Whole);
        let kept = kept.map(|(offset, _)| offset).collect();
        let cut = inside.iter().enumerate().find_map(|(offset, stay)| match stay {
            Stay::From(segment) => {
                let facts = history.facts(from + offset)?;
                Some(ElementCut {
                    item: offset,
                    list: facts.list?.to_owned(),
                    elements: facts.segments.get(*segment)?.elements.start,
                })
            }
            _ => None,
        });
        let before = |atom: usize| {
            let units = history.units().iter().filter(|unit| unit.atom < atom);
            units.map(|unit| unit.item + 1).max().unwrap_or(0)
        };
        Ok(Some(Self {
            from,
            length: last + 1 - from,
            digest: digest_of(payloads, from, last + 1 - from)?,
            kept,
            cut,
            leading: before(selection.leading),
            head: before(selection.head),
            fired: selection.fired.0,
        }))
    }

    /// What becomes of an item.
    fn fate(&self, item: usize) -> (Fate, Reasons) {
        let fired = Exceeded(self.fired);
        match item.checked_sub(self.from).filter(|offset| *offset < self.length) {
            Some(offset) if self.kept.contains(&offset) => (Fate::Kept, Reasons::TURN),
            Some(offset) if self.cut.as_ref().is_some_and(|cut| cut.item == offset) => {
                (Fate::Shortened, Reasons::STEPS)
            }
            Some(_) => {
                let [items, chars, tokens] = fired.0;
                let reasons = Reasons::COMPACTION
                    .with_if(items, Reasons::ITEMS)
                    .with_if(chars, Reasons::CHARS)
                    .with_if(tokens, Reasons::TOKENS);
                (Fate::Summarized, reasons)
            }
            None if item < self.leading => (Fate::Kept, Reasons::SYSTEM),
            None if item < self.head => (Fate::Pinned, Reasons::PINNED),
            None if item < self.from => (Fate::Kept, Reasons::TURN),
            None => (Fate::Kept, Reasons::default()),
        }
    }

    fn entry(&self, item: usize) -> Option<Entry> {
        match self.fate(item).0 {
            Fate::Summarized => None,
            Fate::Shortened => {
                let cut = self.cut.as_ref()?;
                let list = Step::Key(cut.list.clone().into());
                let element = |index: usize| Edit::remove(Path::of([list.clone(), index.into()]));
                Some(Entry::Edited(item, (0..cut.elements).map(element).collect()))
            }
            _ => Some(Entry::Source(item)),
        }
    }
}

/// A digest of the compact JSON of some items.
///
/// # Errors
/// What the host's objects throw.
fn digest_of<P: Payloads>(payloads: &P, from: usize, length: usize) -> Result<String, P::Error> {
    let mut sum = 0;
    for item in from..from + length {
        sum = digest(&format!("{sum:016x}{}", payloads.json(item, &[])?));
    }
    Ok(format!("{sum:016x}"))
}

fn stays(history: &History, selection: &Selection) -> Vec<Stay> {
    let mut stays = vec![Stay::Gone; history.items().len()];
    let is_kept = |atom: usize| selection.kept.get(atom) == Some(&true);
    for unit in history.units().iter().filter(|unit| is_kept(unit.atom)) {
        if let Some(stay) = stays.get_mut(unit.item)
            && *stay == Stay::Gone
        {
            *stay = if unit.segment == 0 {
                Stay::Whole
            } else {
                Stay::From(unit.segment)
            };
        }
    }
    stays
}

/// What memory becomes: the items that stay, and the outcome.
pub struct Committed {
    /// The items.
    pub plan: Plan,
    /// The outcome.
    pub outcome: Outcome,
}

/// Commits a plan onto memory as it is now. Items that came meanwhile follow in order; where something else stands in the
/// range's place, or the summary is another, the outcome is `stale` and nothing changes.
///
/// # Errors
/// `invalid_option` where the plan still waits for an answer; what the host's objects throw.
pub fn commit<P: Payloads>(
    history: &History,
    payloads: &P,
    summary: Option<&str>,
    plan: CompactionPlan,
) -> Result<Committed, P::Error> {
    if plan.status == CompactStatus::Ready {
        let message = "still waits for an answer: give it to continueCompaction";
        return Err(Error::new(ErrorCode::InvalidOption, "plan.status", message).into());
    }
    let ranged = plan.range.clone().filter(|_| plan.status == CompactStatus::Answered);
    let Some(range) = ranged else {
        return Ok(unchanged(history, summary, plan));
    };
    let is_there = range.from + range.length <= history.items().len()
        && summary.unwrap_or_default() == plan.previous_summary.as_deref().unwrap_or_default()
        && digest_of(payloads, range.from, range.length)? == range.digest;
    if !is_there {
        let plan = plan.fail(CompactStatus::Stale, "memory is no longer what was summarised");
        return Ok(unchanged(history, summary, plan));
    }
    let items = 0..history.items().len();
    let entries: Vec<Entry> = items.clone().filter_map(|item| range.entry(item)).collect();
    let fates: Vec<(Fate, Reasons)> = items.map(|item| range.fate(item)).collect();
    let kept_chars = kept_chars(history, &range);
    let mut report = report_of(history, &fates);
    let summary_size = super::select::summary_chars(history, plan.summary.as_deref().unwrap_or_default());
    report.projected_item_count = entries.len() + 1;
    report.inserted_item_count = 1;
    report.projected_approx_chars = kept_chars + summary_size;
    [
        report.item_limit_applied,
        report.character_limit_applied,
        report.token_limit_applied,
    ] = range.fired;
    let summarized = fates.iter().filter(|(fate, _)| *fate == Fate::Summarized).count();
    report.notes.push(format!(
        "tier3 compaction: summarized {summarized} item(s), kept {}",
        entries.len()
    ));
    if plan.files_left_out > 0 {
        report
            .notes
            .push(format!("maxFiles applied: {} file(s) left out", plan.files_left_out));
    }
    let outcome = Outcome {
        status: CompactStatus::Compacted,
        summary: plan.summary.clone(),
        files: plan.files(),
        state: plan.state,
        report,
        attempts: plan.attempts,
    };
    Ok(Committed {
        plan: Plan { entries },
        outcome,
    })
}

/// Memory as it is, with what the plan says of why.
fn unchanged(history: &History, summary: Option<&str>, plan: CompactionPlan) -> Committed {
    let fates = vec![(Fate::Kept, Reasons::default()); history.items().len()];
    let entries = (0..fates.len()).map(Entry::Source).collect();
    let mut report = report_of(history, &fates);
    if let Some(Attempt { status, message }) = plan.attempts.last() {
        report.notes.push(format!("{}: {message}", status.as_str()));
    }
    Committed {
        plan: Plan { entries },
        outcome: Outcome {
            status: plan.status,
            summary: summary.map(str::to_owned),
            files: plan.files(),
            state: plan.state,
            report,
            attempts: plan.attempts,
        },
    }
}

/// A report of everything as it stands.
pub fn report_of(history: &History, fates: &[(Fate, Reasons)]) -> ContextReport {
    let items = history.items().len();
    let chars = history.items().iter().map(|facts| facts.chars).sum();
    let in_flight = history.in_flight();
    ContextReport {
        source_item_count: items,
        projected_item_count: items,
        source_approx_chars: chars,
        projected_approx_chars: chars,
        pending_call_ids: in_flight
            .filter_map(|call| call.id.as_ref().or(call.name.as_ref()))
            .map(ToString::to_string)
            .collect(),
        ledger: runs(fates, history.dialect()),
        ..ContextReport::default()
    }
}

fn kept_chars(history: &History, range: &Range) -> u64 {
    let items = history.items().iter().enumerate();
    items
        .map(|(item, facts)| match range.fate(item).0 {
            Fate::Summarized => 0,
            Fate::Shortened => {
                let cut = range.cut.as_ref().map_or(0, |cut| cut.elements);
                let gone = facts.segments.iter().filter(|segment| segment.elements.end <= cut);
                facts.chars.saturating_sub(gone.map(|segment| segment.chars).sum())
            }
            _ => facts.chars,
        })
        .sum()
}
