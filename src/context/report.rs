//! The report: what the model sees, what it does not, and why.

use super::assemble::{Sent, assemble};
use super::budget::ContextBudget;
use super::fates::{Fates, of_sources};
use super::fold::Fold;
use super::join::join;
use super::ledger::{Fate, LedgerRun, Reasons, runs};
use super::mend::Mended;
use super::notes::{mending, notes};
use super::options::ProjectOptions;
use super::size::Size;
use super::version::Done;
use crate::item::dialect::Dialect;
use crate::item::json::write_string;
use crate::item::payload::Payloads;
use crate::item::rule::Rule;
use serde_json::Value;

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

/// What is known of the history before it was mended.
pub struct Source<'a> {
    /// Its items.
    pub items: usize,
    /// Its characters.
    pub chars: u64,
    /// Its tokens, where they are counted, before calibration.
    pub tokens: Option<u64>,
    /// Its calls in flight.
    pub pending: Vec<String>,
    /// Its dialect.
    pub dialect: Option<Dialect>,
    /// How it was mended, if it was.
    pub mended: Option<&'a Mended>,
}

/// The items that are sent and the report of a finished fold, all but its stability. `summary` is the summary item,
/// where there is one.
///
/// # Errors
/// What the host's objects throw.
pub fn conclude<P: Payloads>(
    fold: &Fold<'_, P>,
    budget: &ContextBudget,
    options: &ProjectOptions,
    summary: Option<&Value>,
    source: Source<'_>,
) -> Result<(Vec<Sent>, ContextReport), P::Error> {
    let scene = fold.scene();
    let cut = fold.cut();
    let mut fates = Fates::new(fold, &cut);
    let mut done = Done::default();
    let sent = assemble(&scene, &cut, summary, |seen| {
        add_up(&mut done, &seen.version.done);
        fates.see(&scene, &seen);
    });
    let all = sent.len();
    let (sent, members) = join(fold, options, sent)?;
    let joined = all - sent.len();
    let applied = fates.applied();
    let dialect = source.dialect;
    let mut fates = fates.finish();
    for member in members {
        if let Some((fate, reasons)) = fates.get_mut(member) {
            *fate = Fate::Mended.max(*fate);
            *reasons = reasons.with(Reasons::of_rule(Rule::Roles));
        }
    }
    let mut said = Vec::new();
    if joined > 0 {
        said.push(format!(
            "mended {} in {joined} item(s): {}",
            Rule::Roles.id(dialect),
            Rule::Roles.says()
        ));
    }
    if let Some(mended) = source.mended {
        fates = of_sources(mended, &fates);
        said.extend(mending(mended, dialect));
    }
    let total = fold.total();
    let exceeded = fold.limits().exceeded(total);
    said.extend(notes(fold, budget, options, &done, applied, exceeded));
    let [items, chars, token_limit] = applied.0;
    let dropped = fates.iter().filter(|(fate, _)| *fate == Fate::Dropped).count();
    let report = ContextReport {
        source_item_count: source.items,
        projected_item_count: sent.len(),
        dropped_item_count: dropped,
        // All that the source does not have: the summary, replies to open calls, copies of items that were split.
        inserted_item_count: (sent.len() + dropped + joined).saturating_sub(source.items),
        joined_item_count: joined,
        source_approx_chars: source.chars,
        projected_approx_chars: sent.iter().map(|sent| sent.chars).sum(),
        source_tokens: source.tokens.map(|tokens| calibrated(fold, tokens)),
        projected_tokens: source.tokens.map(|_| calibrated(fold, total.tokens)),
        item_limit_applied: items,
        character_limit_applied: chars,
        token_limit_applied: token_limit,
        over_budget: exceeded.any(),
        stable_prefix_items: 0,
        rebased: false,
        pending_call_ids: source.pending,
        notes: said,
        ledger: runs(&fates, dialect),
    };
    Ok((sent, report))
}

fn calibrated<P: Payloads>(fold: &Fold<'_, P>, tokens: u64) -> u64 {
    let size = Size {
        tokens,
        ..Size::default()
    };
    fold.limits().tokens(size).round() as u64
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
            let (from, to, fate, reason) = (run.from, run.to, run.fate.as_str(), &run.reason);
            out.push_str(&format!(
                "{{\"from\":{from},\"to\":{to},\"fate\":\"{fate}\",\"reason\":\"{reason}\"}}"
            ));
        }
        out.push_str("]}");
        out
    }
}
