//! From facts to plan and report: fold, mend where something is broken, fold again, account.

use super::assemble::{Sent, assemble};
use super::budget::ContextBudget;
use super::fold::{Fold, counts_tokens};
use super::join::join;
use super::mend::{Mended, mend};
use super::options::{Pending, ProjectOptions, Projector, SummaryRole};
use super::plan::Plan;
use super::report::{ContextReport, Source, conclude};
use super::size::Size;
use crate::item::dialect::{Dialect, summary_item};
use crate::item::edit::Edit;
use crate::item::facts::Facts;
use crate::item::measure::chars;
use crate::item::payload::{Origin, Payloads};
use crate::item::sketch::Sketch;
use crate::item::tokens::ITEM_TOKENS;
use serde_json::Value;
use std::rc::Rc;

/// The outcome of a projection.
pub struct Outcome<R> {
    /// What is sent.
    pub plan: Plan,
    /// The account of it.
    pub report: ContextReport,
    /// Where the history was mended: the items that the plan's indexes mean, and for each the source item that it is,
    /// unchanged, if it is one.
    pub rebuilt: Option<(R, Vec<Option<usize>>)>,
}

/// The plan and report of a projection, from facts.
///
/// # Errors
/// Those of the host's token counter and of the host's objects.
pub fn plan_projection<P: Payloads>(
    facts: &[Rc<Facts>],
    payloads: &P,
    budget: &ContextBudget,
    options: &ProjectOptions,
    count_text: impl Fn(&str) -> Result<u64, P::Error>,
) -> Result<Outcome<P::Rebuilt>, P::Error> {
    let limited;
    let budget = match options.projector {
        Projector::TypeAware => budget,
        Projector::Default => {
            limited = budget.without_tiers();
            &limited
        }
    };
    let dialect = options.dialect.or_else(|| facts.iter().find_map(|facts| facts.dialect));
    let (summary, summary_size) = summary(dialect, budget, options, count_text)?;
    let run = Run {
        budget,
        options,
        summary: summary.as_ref(),
        summary_size,
    };
    let fold = run.fold(budget, facts, payloads)?;
    let mended = run.mend(facts, &fold, payloads);
    let counts = counts_tokens(budget, options);
    let source = Source {
        items: facts.len(),
        chars: facts.iter().map(|facts| facts.chars).sum(),
        tokens: counts.then(|| fold.scene().source_tokens()).transpose()?,
        pending: if options.pending == Pending::Keep {
            pending(&fold)
        } else {
            Vec::new()
        },
        dialect,
        mended: mended.as_ref(),
    };
    match &mended {
        None => run.conclude(&fold, source),
        Some(mended) => run.conclude_mended(facts, payloads, &fold, mended, source),
    }
}

/// The summary item and its size.
fn summary<E>(
    dialect: Option<Dialect>,
    budget: &ContextBudget,
    options: &ProjectOptions,
    count_text: impl Fn(&str) -> Result<u64, E>,
) -> Result<(Option<Value>, Size), E> {
    let Some(text) = options.summary.as_deref().filter(|text| !text.is_empty()) else {
        return Ok((None, Size::default()));
    };
    let item = summary_item(dialect, text, options.summary_role == SummaryRole::System);
    let tokens = if counts_tokens(budget, options) {
        count_text(&texts(&item))? + ITEM_TOKENS
    } else {
        0
    };
    let size = Size {
        items: 1,
        chars: chars(&Sketch::of(&item)),
        tokens,
    };
    Ok((Some(item), size))
}

/// String leaves of an item that the library made.
fn texts(item: &Value) -> String {
    match item {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(texts).collect::<Vec<_>>().join("\n"),
        Value::Object(object) => object.values().map(texts).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

fn pending<P: Payloads>(fold: &Fold<'_, P>) -> Vec<String> {
    let ids = fold
        .history
        .in_flight()
        .filter_map(|call| call.id.as_ref().or(call.name.as_ref()));
    ids.map(|id| id.to_string()).collect()
}

/// The settings of one projection.
struct Run<'a> {
    budget: &'a ContextBudget,
    options: &'a ProjectOptions,
    summary: Option<&'a Value>,
    summary_size: Size,
}

impl<'a> Run<'a> {
    fn fold<'p, P: Payloads>(
        &self,
        budget: &'p ContextBudget,
        facts: &[Rc<Facts>],
        payloads: &'p P,
    ) -> Result<Fold<'p, P>, P::Error>
    where
        'a: 'p,
    {
        let mut fold = Fold::new(budget, self.options, payloads, self.summary_size);
        for facts in facts {
            fold.push(facts.clone())?;
        }
        Ok(fold)
    }

    fn mend<P: Payloads>(&self, facts: &[Rc<Facts>], fold: &Fold<'_, P>, payloads: &P) -> Option<Mended> {
        mend(
            facts,
            &fold.history,
            payloads,
            self.options,
            self.budget.pinned_prefix_items as usize,
        )
    }

    /// The budget of a mended history: what is pinned of the source is pinned of it.
    fn budget_of(&self, mended: &Mended) -> ContextBudget {
        let pinned = self.budget.pinned_prefix_items as usize;
        let is_pinned = |origin: &Origin| match origin {
            Origin::Source(item) => *item < pinned,
            Origin::New(_) => pinned > 0,
        };
        let count = mended
            .entries
            .iter()
            .take_while(|entry| is_pinned(&entry.origin))
            .count();
        ContextBudget {
            pinned_prefix_items: count as u64,
            ..self.budget.clone()
        }
    }

    /// The outcome for a history that needs no mending.
    fn conclude<P: Payloads>(&self, fold: &Fold<'_, P>, source: Source<'_>) -> Result<Outcome<P::Rebuilt>, P::Error> {
        let (sent, mut report) = conclude(fold, self.budget, self.options, self.summary, source)?;
        if let Some(previous) = fold.previous() {
            let scene = fold.scene();
            let before = assemble(&scene, &previous, self.summary, |_| {});
            let (before, _) = join(fold, self.options, before)?;
            let same = common(&before, scene.payloads, &sent, scene.payloads)?;
            (report.stable_prefix_items, report.rebased) = (same, same < before.len());
        }
        Ok(Outcome {
            plan: plan(sent),
            report,
            rebuilt: None,
        })
    }

    /// The outcome for a mended history.
    fn conclude_mended<P: Payloads>(
        &self,
        facts: &[Rc<Facts>],
        payloads: &P,
        plain: &Fold<'_, P>,
        mended: &Mended,
        source: Source<'_>,
    ) -> Result<Outcome<P::Rebuilt>, P::Error> {
        let dialect = plain.history.dialect();
        let (rebuilt, mended_facts) = rebuild(facts, payloads, mended, dialect)?;
        let budget = self.budget_of(mended);
        let fold = self.fold(&budget, &mended_facts, &rebuilt)?;
        let (sent, mut report) = conclude(&fold, &budget, self.options, self.summary, source)?;
        // The call point before is one of the source; how it was mended then may have been another way.
        if let Some(previous) = plain.previous() {
            let earlier = facts.get(..previous.items).unwrap_or_default();
            let (same, before) = self.compare(earlier, payloads, &sent, &rebuilt)?;
            (report.stable_prefix_items, report.rebased) = (same, same < before);
        }
        drop(fold);
        let as_they_are = |origin: &Origin, is_edited: bool| match origin {
            Origin::Source(item) if !is_edited => Some(*item),
            _ => None,
        };
        let sources = mended
            .entries
            .iter()
            .map(|entry| as_they_are(&entry.origin, !entry.edits.is_empty()))
            .collect();
        Ok(Outcome {
            plan: plan(sent),
            report,
            rebuilt: Some((rebuilt, sources)),
        })
    }

    /// How many leading items the projection of an earlier length has in common with `sent`, and how many it has.
    fn compare<P: Payloads>(
        &self,
        earlier: &[Rc<Facts>],
        payloads: &P,
        sent: &[Sent],
        now: &P::Rebuilt,
    ) -> Result<(usize, usize), P::Error> {
        let fold = self.fold(self.budget, earlier, payloads)?;
        let Some(mended) = self.mend(earlier, &fold, payloads) else {
            let before = assemble(&fold.scene(), &fold.cut(), self.summary, |_| {});
            let (before, _) = join(&fold, self.options, before)?;
            return Ok((common(&before, payloads, sent, now)?, before.len()));
        };
        let (rebuilt, facts) = rebuild(earlier, payloads, &mended, fold.history.dialect())?;
        let budget = self.budget_of(&mended);
        let fold = self.fold(&budget, &facts, &rebuilt)?;
        let before = assemble(&fold.scene(), &fold.cut(), self.summary, |_| {});
        let (before, _) = join(&fold, self.options, before)?;
        Ok((common(&before, &rebuilt, sent, now)?, before.len()))
    }
}

/// Items and their facts.
type Remade<R> = (R, Vec<Rc<Facts>>);

/// Items and facts of a mended history; those of untouched items are taken over.
#[allow(
    clippy::type_complexity,
    reason = "the two halves have no name of their own anywhere else"
)]
fn rebuild<P: Payloads>(
    facts: &[Rc<Facts>],
    payloads: &P,
    mended: &Mended,
    dialect: Option<Dialect>,
) -> Result<Remade<P::Rebuilt>, P::Error> {
    let entries: Vec<(&Origin, &[Edit])> = mended
        .entries
        .iter()
        .map(|entry| (&entry.origin, entry.edits.as_slice()))
        .collect();
    let (rebuilt, changed) = payloads.rebuild(&entries, dialect)?;
    let all = changed
        .into_iter()
        .zip(&entries)
        .filter_map(|(changed, (origin, _))| match (changed, origin) {
            (Some(changed), _) => Some(Rc::new(changed)),
            (None, Origin::Source(item)) => facts.get(*item).cloned(),
            (None, Origin::New(_)) => None,
        });
    let facts = all.collect();
    Ok((rebuilt, facts))
}

fn plan(sent: Vec<Sent>) -> Plan {
    Plan {
        entries: sent.into_iter().map(|sent| sent.entry).collect(),
    }
}

/// Leading items that two projections have in common, as JSON.
fn common<A: Payloads, B: Payloads<Error = A::Error>>(
    before: &[Sent],
    payloads: &A,
    sent: &[Sent],
    now: &B,
) -> Result<usize, A::Error> {
    let is_one_history = std::ptr::addr_eq(payloads, now);
    let mut same = 0;
    for (left, right) in before.iter().zip(sent) {
        let is_same = left.chars == right.chars
            && match (Plan::source(&left.entry), Plan::source(&right.entry)) {
                (Some(left), Some(right)) if is_one_history && left == right => true,
                (Some(left), Some(right)) => payloads.json(left.0, left.1)? == now.json(right.0, right.1)?,
                _ => left.entry == right.entry,
            };
        if !is_same {
            break;
        }
        same += 1;
    }
    Ok(same)
}
