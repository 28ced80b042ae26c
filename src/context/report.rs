//! The report: what the model sees, what it does not, and why.

use super::assemble::{Seen, Sent, assemble};
use super::budget::ContextBudget;
use super::fold::{Cut, Fold};
use super::ledger::{Fate, LedgerRun, Reasons, runs};
use super::options::ProjectOptions;
use super::plan::Plan;
use super::size::{Exceeded, Size};
use super::version::{Done, Scene};
use crate::item::json::write_string;
use crate::item::payload::Payloads;
use crate::item::text::thousands;
use serde_json::Value;

/// Names of the limits, with their units.
const LIMITS: [(&str, &str, Reasons); 3] = [
    ("maxItems", "items", Reasons::ITEMS),
    ("maxApproxChars", "characters", Reasons::CHARS),
    ("maxTokens", "tokens", Reasons::TOKENS),
];

/// An account of one projection; the fields are those of the public contract.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextReport {
    /// Items of the history.
    pub source_item_count: usize,
    /// Items of the projection.
    pub projected_item_count: usize,
    /// Items of which not one part is sent.
    pub dropped_item_count: usize,
    /// Items that the history does not have.
    pub inserted_item_count: usize,
    /// Items joined with a neighbour.
    pub joined_item_count: usize,
    /// Characters of the history.
    pub source_approx_chars: u64,
    /// Characters of the projection.
    pub projected_approx_chars: u64,
    /// Tokens of the history, where tokens are counted.
    pub source_tokens: Option<u64>,
    /// Tokens of the projection, where tokens are counted.
    pub projected_tokens: Option<u64>,
    /// `maxItems` made something fall.
    pub item_limit_applied: bool,
    /// `maxApproxChars` made something fall.
    pub character_limit_applied: bool,
    /// `maxTokens` made something fall.
    pub token_limit_applied: bool,
    /// What must always be there exceeds the budget alone.
    pub over_budget: bool,
    /// Leading items that are those of the projection at the call point before.
    pub stable_prefix_items: usize,
    /// That prefix is shorter than that projection.
    pub rebased: bool,
    /// Calls in flight.
    pub pending_call_ids: Vec<String>,
    /// What was done, in words.
    pub notes: Vec<String>,
    /// Every item's fate.
    pub ledger: Vec<LedgerRun>,
}

/// The plan and the report of a finished fold. `summary` is the summary item, where there is one.
pub fn conclude<P: Payloads>(
    fold: &Fold<'_, P>,
    budget: &ContextBudget,
    options: &ProjectOptions,
    summary: Option<&Value>,
    tokens: Option<u64>,
) -> (Plan, ContextReport) {
    let scene = fold.scene();
    let cut = fold.cut();
    let mut fates = Fates::new(fold, &cut);
    let mut done = Done::default();
    let sent = assemble(&scene, &cut, summary, |seen| {
        add_up(&mut done, &seen.version.done);
        fates.see(&scene, &seen);
    });
    let applied = fates.applied();
    let ledger = runs(&fates.finish());
    let total = fold.total();
    let exceeded = fold.limits().exceeded(total);
    let (stable_prefix_items, rebased) = stability(&scene, fold, &sent, summary);
    let [items, chars, token_limit] = applied.0;
    let dropped = ledger
        .iter()
        .filter(|run| run.fate == Fate::Dropped)
        .map(|run| run.to - run.from)
        .sum();
    let report = ContextReport {
        source_item_count: fold.history.items().len(),
        projected_item_count: sent.len(),
        dropped_item_count: dropped,
        inserted_item_count: usize::from(summary.is_some()),
        joined_item_count: 0,
        source_approx_chars: fold.history.items().iter().map(|facts| facts.chars).sum(),
        projected_approx_chars: sent.iter().map(|sent| sent.chars).sum(),
        source_tokens: tokens.map(|tokens| calibrated(fold, tokens)),
        projected_tokens: tokens.map(|_| calibrated(fold, total.tokens)),
        item_limit_applied: items,
        character_limit_applied: chars,
        token_limit_applied: token_limit,
        over_budget: exceeded.any(),
        stable_prefix_items,
        rebased,
        pending_call_ids: pending(fold),
        notes: notes(fold, budget, options, &done, applied, exceeded),
        ledger,
    };
    let entries = sent.into_iter().map(|sent| sent.entry).collect();
    (Plan { entries }, report)
}

fn calibrated<P: Payloads>(fold: &Fold<'_, P>, tokens: u64) -> u64 {
    let size = Size {
        tokens,
        ..Size::default()
    };
    fold.limits().tokens(size).round() as u64
}

fn pending<P: Payloads>(fold: &Fold<'_, P>) -> Vec<String> {
    let mut ids: Vec<String> = fold
        .history
        .in_flight()
        .filter_map(|call| call.id.as_ref().or(call.name.as_ref()))
        .map(|id| id.to_string())
        .collect();
    ids.reverse();
    ids
}

/// Leading items equal to those of the projection at the call point before, and whether that is fewer than it has.
fn stability<P: Payloads>(
    scene: &Scene<'_, P>,
    fold: &Fold<'_, P>,
    sent: &[Sent],
    summary: Option<&Value>,
) -> (usize, bool) {
    let Some(previous) = fold.previous() else {
        return (0, false);
    };
    let before = assemble(scene, &previous, summary, |_| {});
    let same = before
        .iter()
        .zip(sent)
        .take_while(|(left, right)| is_same(scene, left, right))
        .count();
    (same, same < before.len())
}

fn is_same<P: Payloads>(scene: &Scene<'_, P>, left: &Sent, right: &Sent) -> bool {
    if left.chars != right.chars {
        return false;
    }
    match (Plan::source(&left.entry), Plan::source(&right.entry)) {
        (Some(left), Some(right)) => left == right || scene.payloads.is_same(left, right),
        _ => left.entry == right.entry,
    }
}

fn add_up(sum: &mut Done, done: &Done) {
    sum.cleared_results += done.cleared_results;
    sum.cleared_inputs += done.cleared_inputs;
    sum.shortened_results += done.shortened_results;
    sum.shortened_inputs += done.shortened_inputs;
    sum.images += done.images;
    sum.reasoning += done.reasoning;
    sum.skipped_inputs += done.skipped_inputs;
}

/// Fates of the source items, collected unit by unit.
struct Fates {
    fates: Vec<Slot>,
    leading: usize,
    has_summary: bool,
    pinned: usize,
    anchor: Option<usize>,
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
    fn new<P: Payloads>(fold: &Fold<'_, P>, cut: &Cut) -> Self {
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
            reasoning: cut.marks.reasoning,
        }
    }

    fn see<P: Payloads>(&mut self, scene: &Scene<'_, P>, seen: &Seen<'_>) {
        let Some(unit) = scene.history.units().get(seen.unit) else {
            return;
        };
        let Some(slot) = self.fates.get_mut(unit.item) else {
            return;
        };
        let done = &seen.version.done;
        // The opener that is kept in front of the tail was passed by it once: it has not fallen.
        if slot.units_seen == 0 && self.anchor == Some(seen.atom) {
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
            .with_if(is_summary, Reasons::SUMMARY)
            .with_if(is_pinned, Reasons::PINNED)
            .with_if(self.anchor == Some(atom), Reasons::TURN);
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
    fn applied(&self) -> Exceeded {
        let fallen = self
            .fates
            .iter()
            .filter(|slot| slot.fate.is_none() || slot.units_seen < slot.units);
        let reasons = fallen.fold(Reasons::default(), |all, slot| all.with(slot.reasons));
        Exceeded(LIMITS.map(|(_, _, reason)| reasons.holds(reason)))
    }

    fn finish(self) -> Vec<(Fate, Reasons)> {
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

fn notes<P: Payloads>(
    fold: &Fold<'_, P>,
    budget: &ContextBudget,
    options: &ProjectOptions,
    done: &Done,
    applied: Exceeded,
    exceeded: Exceeded,
) -> Vec<String> {
    let mut notes = Vec::new();
    if done.cleared_results > 0 {
        notes.push(format!(
            "tier1 microcompact: cleared {} old tool result(s), kept recent {}",
            done.cleared_results,
            fold.kept_results()
        ));
    }
    if done.cleared_inputs > 0 {
        notes.push(format!(
            "clearToolInputs applied: emptied the arguments of {} call(s)",
            done.cleared_inputs
        ));
    }
    if done.images > 0 {
        notes.push(format!(
            "maxRecentImages applied: cleared {} old image(s), kept recent {}",
            done.images,
            fold.kept_images()
        ));
    }
    if let (1.., Some(limit)) = (done.shortened_results, budget.max_tool_result_chars) {
        let count = done.shortened_results;
        notes.push(format!(
            "maxToolResultChars applied: {limit}, shortened {count} tool result(s)"
        ));
    }
    if let (1.., Some(limit)) = (done.shortened_inputs, budget.max_tool_input_chars) {
        let count = done.shortened_inputs;
        notes.push(format!(
            "maxToolInputChars applied: {limit}, shortened the arguments of {count} call(s)"
        ));
    }
    if done.skipped_inputs > 0 {
        notes.push(format!(
            "arguments of {} call(s) left as they are: their reasoning or signature is bound to them",
            done.skipped_inputs
        ));
    }
    if done.reasoning > 0 {
        notes.push(format!(
            "tier2 reasoning-trim: cleared {} reasoning item(s)",
            done.reasoning
        ));
    }
    let limits = [budget.max_items, budget.max_approx_chars, budget.max_tokens];
    for (((name, _, _), limit), is_applied) in LIMITS.iter().zip(limits).zip(applied.0) {
        if let (true, Some(limit)) = (is_applied, limit) {
            notes.push(format!("{name} applied: {limit}"));
        }
    }
    if let Some(widened) = fold.widened_pin() {
        notes.push(format!(
            "pinnedPrefixItems widened from {} to {widened}: a step is kept whole",
            budget.pinned_prefix_items
        ));
    }
    for (index, is_over) in exceeded.0.into_iter().enumerate() {
        if is_over {
            notes.push(over_budget(fold, budget, options, index));
        }
    }
    if fold.always_rebases() {
        notes.push("prefix changes at every call: set lowWater".to_owned());
    }
    notes
}

/// `over budget: system 1, pinned 2, summary 1, newest step 45,210 of 40,000 characters`.
fn over_budget<P: Payloads>(
    fold: &Fold<'_, P>,
    budget: &ContextBudget,
    options: &ProjectOptions,
    limit: usize,
) -> String {
    let amount = |size: Size| match limit {
        0 => size.items,
        1 => size.chars,
        _ => fold.limits().tokens(size).round() as u64,
    };
    let floor = fold.floor();
    let parts: Vec<String> = floor
        .iter()
        .map(|(name, size)| (name, amount(*size)))
        .filter(|(_, amount)| *amount > 0)
        .map(|(name, amount)| format!("{name} {}", thousands(amount)))
        .collect();
    let calibrated = options.calibration.map_or(0, |calibration| calibration.overhead_tokens);
    let room = match limit {
        0 => budget.max_items.unwrap_or(0),
        1 => budget.max_approx_chars.unwrap_or(0),
        _ => budget
            .max_tokens
            .unwrap_or(0)
            .saturating_sub(budget.overhead_tokens.max(calibrated)),
    };
    let unit = LIMITS.get(limit).map_or("", |(_, unit, _)| unit);
    format!("over budget: {} of {} {unit}", parts.join(", "), thousands(room))
}

impl ContextReport {
    /// The report as JSON text, in the order of the public contract, ledger included.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::from("{");
        let numbers = [
            ("sourceItemCount", Some(self.source_item_count as u64)),
            ("projectedItemCount", Some(self.projected_item_count as u64)),
            ("droppedItemCount", Some(self.dropped_item_count as u64)),
            ("insertedItemCount", Some(self.inserted_item_count as u64)),
            ("joinedItemCount", Some(self.joined_item_count as u64)),
            ("sourceApproxChars", Some(self.source_approx_chars)),
            ("projectedApproxChars", Some(self.projected_approx_chars)),
            ("sourceTokens", self.source_tokens),
            ("projectedTokens", self.projected_tokens),
        ];
        for (name, number) in numbers {
            let number = number.map_or_else(|| "null".to_owned(), |number| number.to_string());
            out.push_str(&format!("\"{name}\":{number},"));
        }
        let flags = [
            ("itemLimitApplied", self.item_limit_applied),
            ("characterLimitApplied", self.character_limit_applied),
            ("tokenLimitApplied", self.token_limit_applied),
            ("overBudget", self.over_budget),
        ];
        for (name, flag) in flags {
            out.push_str(&format!("\"{name}\":{flag},"));
        }
        out.push_str(&format!(
            "\"stablePrefixItems\":{},\"rebased\":{},",
            self.stable_prefix_items, self.rebased
        ));
        for (name, texts) in [("pendingCallIds", &self.pending_call_ids), ("notes", &self.notes)] {
            out.push_str(&format!("\"{name}\":["));
            for (index, text) in texts.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(text, &mut out);
            }
            out.push_str("],");
        }
        out.push_str("\"ledger\":[");
        for (index, run) in self.ledger.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            let (from, to, fate, reason) = (run.from, run.to, run.fate.as_str(), run.reasons.text());
            out.push_str(&format!(
                "{{\"from\":{from},\"to\":{to},\"fate\":\"{fate}\",\"reason\":\"{reason}\"}}"
            ));
        }
        out.push_str("]}");
        out
    }
}
