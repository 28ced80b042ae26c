//! What the two policies do, over any payloads.

use super::commit::{Committed, Range, commit, report_of};
use super::files::FileLists;
use super::options::{LlmCompactOptions, MAX_FILES, MAX_SUMMARY_CHARS};
use super::plan::{CompactionPlan, plan_compaction};
use super::reading;
use super::result::{Attempt, CompactStatus, Outcome, Previous, earlier};
use super::select::{Decision, Measured, Whole, selection_of, summary_chars};
use super::state::State;
use super::structured::{self, Counts, MARK};
use crate::context::{ContextBudget, Entry, Fate, Fold, Plan, ProjectOptions, Reasons, Size};
use crate::item::facts::Facts;
use crate::item::payload::Payloads;
use crate::item::text::thousands;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A memory: facts of its items, the items, the summary.
pub struct History<'a, P> {
    /// Facts of the items.
    pub facts: &'a [Rc<Facts>],
    /// The items.
    pub payloads: &'a P,
    /// The summary of what came before.
    pub summary: Option<&'a str>,
}

/// A plan of a compaction with a model.
///
/// # Errors
/// What the host's objects and its token counter throw.
pub fn plan<P: Payloads>(
    memory: &History<'_, P>,
    options: &LlmCompactOptions,
    measured: Measured,
    previous: Option<&Previous>,
    count_text: impl Fn(&str) -> Result<u64, P::Error>,
) -> Result<CompactionPlan, P::Error> {
    let whole = Whole::of(options);
    let survey = whole.survey(memory.facts, memory.payloads, memory.summary, count_text)?;
    plan_compaction(&survey, memory.payloads, memory.summary, options, measured, previous)
}

/// Whether memory is over a limit, and a compaction would take a fair share of it away.
///
/// # Errors
/// Those of the host's token counter.
pub fn should_compact<P: Payloads>(
    memory: &History<'_, P>,
    options: &LlmCompactOptions,
    measured: Measured,
    count_text: impl Fn(&str) -> Result<u64, P::Error>,
) -> Result<bool, P::Error> {
    let whole = Whole::of(options);
    let survey = whole.survey(memory.facts, memory.payloads, memory.summary, count_text)?;
    Ok(matches!(
        survey.decide(options, measured),
        Decision::Cut {
            is_worthwhile: true,
            ..
        }
    ))
}

/// Commits a plan onto memory as it is now.
///
/// # Errors
/// `invalid_option` where the plan still waits for an answer; what the host's objects throw.
pub fn commit_plan<P: Payloads>(memory: &History<'_, P>, plan: CompactionPlan) -> Result<Committed, P::Error> {
    let options = LlmCompactOptions {
        dialect: plan.dialect(),
        ..LlmCompactOptions::default()
    };
    let whole = Whole::of(&options);
    let survey = whole.survey(memory.facts, memory.payloads, memory.summary, |_| Ok(0))?;
    commit(survey.history(), memory.payloads, memory.summary, plan)
}

fn fold<'p, P: Payloads>(
    memory: &History<'_, P>,
    budget: &'p ContextBudget,
    options: &'p ProjectOptions,
    payloads: &'p P,
    count_text: impl Fn(&str) -> Result<u64, P::Error>,
) -> Result<Fold<'p, P>, P::Error> {
    let mut fold = Fold::new(budget, options, payloads, Size::default());
    if let Some(summary) = memory.summary.filter(|summary| !summary.is_empty()) {
        let counts = budget.max_tokens.is_some() || options.counts_tokens;
        let dialect = options
            .dialect
            .or_else(|| memory.facts.iter().find_map(|facts| facts.dialect));
        let history = crate::history::History::new(dialect);
        let size = Size {
            // A limit of items counts what is in memory; the summary is beside it.
            items: 0,
            chars: summary_chars(&history, summary),
            tokens: if counts { count_text(summary)? } else { 0 },
        };
        fold = Fold::new(budget, options, payloads, size);
    }
    for facts in memory.facts {
        fold.push(facts.clone())?;
    }
    Ok(fold)
}

/// The budget without tiers: memory keeps items whole.
fn limits_of(budget: &ContextBudget) -> ContextBudget {
    budget.without_tiers()
}

/// Whether memory is over a limit of the budget, and something can be summarised.
///
/// # Errors
/// Those of the host's token counter.
pub fn structured_should_compact<P: Payloads>(
    memory: &History<'_, P>,
    budget: &ContextBudget,
    options: &ProjectOptions,
    count_text: impl Fn(&str) -> Result<u64, P::Error>,
) -> Result<bool, P::Error> {
    let budget = limits_of(budget);
    let fold = fold(memory, &budget, options, memory.payloads, count_text)?;
    let cut = fold.cut();
    let selection = selection_of(&fold, &cut, fold.limits().exceeded(fold.total()));
    Ok(!fold.drops.is_empty() && selection.kept.iter().any(|kept| !kept))
}

/// Compacts memory without a model: what the budget's projection keeps stays.
///
/// # Errors
/// What the host's objects and its token counter throw.
pub fn structured<P: Payloads>(
    memory: &History<'_, P>,
    budget: &ContextBudget,
    options: &ProjectOptions,
    previous: Option<&Previous>,
    count_text: impl Fn(&str) -> Result<u64, P::Error>,
) -> Result<Committed, P::Error> {
    let budget = limits_of(budget);
    let fold = fold(memory, &budget, options, memory.payloads, count_text)?;
    let cut = fold.cut();
    let fired = fold
        .drops
        .iter()
        .fold(fold.limits().exceeded(Size::default()), |all, drop| {
            let mut both = all;
            for (one, other) in both.0.iter_mut().zip(drop.exceeded.0) {
                *one |= other;
            }
            both
        });
    let selection = selection_of(&fold, &cut, fired);
    let (state, files) = earlier(previous, memory.summary);
    let unchanged = |status: CompactStatus, message: String, state: State, files: FileLists| {
        let fates = vec![(Fate::Kept, Reasons::default()); fold.history.items().len()];
        let mut report = report_of(&fold.history, &fates);
        report.notes.push(format!("{}: {message}", status.as_str()));
        Committed {
            plan: Plan {
                entries: (0..fates.len()).map(Entry::Source).collect(),
            },
            outcome: Outcome {
                status,
                summary: memory.summary.map(str::to_owned),
                state,
                files,
                report,
                attempts: vec![Attempt { status, message }],
            },
        }
    };
    let range = match Range::of(&fold.history, memory.payloads, &selection)? {
        Some(range) => range,
        None if fold.limits().exceeded(fold.total()).any() => {
            let message = "what must stay is over the limit alone".to_owned();
            return Ok(unchanged(CompactStatus::Irreducible, message, state, files));
        }
        None => {
            let message = "there is nothing to summarise".to_owned();
            return Ok(unchanged(CompactStatus::NothingToDo, message, state, files));
        }
    };
    let goes = |unit: usize| {
        let atom = fold.history.units().get(unit).map_or(0, |unit| unit.atom);
        selection.kept.get(atom) == Some(&false)
    };
    let reading = reading::read(&fold.history, memory.payloads, &BTreeMap::new(), goes)?;
    let before = (state.clone(), files.clone());
    let mut files = files;
    files.apply(reading.file_ops.iter().cloned());
    files.cap(MAX_FILES as usize);
    let state = structured::known(state, &reading);
    let atoms = selection.kept.iter().enumerate().filter(|(_, kept)| !**kept);
    let gone: u64 = atoms.map(|(atom, _)| fold.atom_size(atom).chars).sum();
    let items = range.length - range.kept.len() - usize::from(range.cut.is_some());
    let own = memory.summary.and_then(Counts::read);
    let counts = own.unwrap_or_default().and(items as u64, gone);
    let foreign = memory.summary.filter(|text| own.is_none() && !text.is_empty());
    let room = MAX_SUMMARY_CHARS as usize;
    // What was read back from an earlier summary stands in the sections: only prose of others is taken over whole.
    let foreign = foreign.filter(|text| !text.starts_with("## "));
    let earlier_size = memory.summary.filter(|text| !text.is_empty());
    let earlier_size = earlier_size.map_or(0, |text| summary_chars(&fold.history, text));
    let full = structured::text(counts, foreign, &state, &files, room);
    let bare = format!("{MARK}\n{} items left memory.", thousands(counts.items));
    let fits = |text: &String| summary_chars(&fold.history, text) < earlier_size + gone;
    // A bare count would lose an earlier summary.
    let choices = [Some(full), Some(bare).filter(|_| earlier_size == 0)];
    let Some(summary) = choices.into_iter().flatten().find(fits) else {
        let message = "the summary is no smaller than what it would replace".to_owned();
        return Ok(unchanged(CompactStatus::InflatedSummary, message, before.0, before.1));
    };
    let plan = CompactionPlan::made(range, memory.summary, summary, state, files);
    commit(&fold.history, memory.payloads, memory.summary, plan)
}
