//! What was done, in words.

use super::budget::ContextBudget;
use super::fold::Fold;
use super::ledger::Reasons;
use super::mend::Mended;
use super::options::ProjectOptions;
use super::size::{Exceeded, Size};
use super::version::Done;
use crate::item::dialect::Dialect;
use crate::item::payload::Payloads;
use crate::item::rule::Rule;
use crate::item::text::thousands;

/// Names of the limits, with their units.
pub const LIMITS: [(&str, &str, Reasons); 3] = [
    ("maxItems", "items", Reasons::ITEMS),
    ("maxApproxChars", "characters", Reasons::CHARS),
    ("maxTokens", "tokens", Reasons::TOKENS),
];

/// What was done, in words.
pub fn notes<P: Payloads>(
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
    let taken = if parts.is_empty() {
        "nothing".to_owned()
    } else {
        parts.join(", ")
    };
    format!("over budget: {taken} of {} {unit}", thousands(room))
}

/// What was mended, a note a rule: `mended E-C-ORPHTOOL in 2 item(s): results without their call left out`.
pub fn mending(mended: &Mended, dialect: Option<Dialect>) -> Vec<String> {
    let mut counts: Vec<(Rule, usize)> = Vec::new();
    let all = mended
        .gone
        .iter()
        .chain(mended.entries.iter().map(|entry| &entry.rules));
    for rule in all.flat_map(|rules| rules.iter()) {
        match counts.iter_mut().find(|(counted, _)| *counted == rule) {
            Some((_, count)) => *count += 1,
            None => counts.push((rule, 1)),
        }
    }
    counts.sort_unstable();
    counts
        .iter()
        .map(|(rule, count)| format!("mended {} in {count} item(s): {}", rule.id(dialect), rule.says()))
        .collect()
}
