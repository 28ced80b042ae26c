//! P4: a history that grows keeps its prefix, and says exactly where it does not; the tail moves no further than it
//! must; a resumed session gets the same bytes.
#![cfg(not(target_arch = "wasm32"))]
// Helpers of a test fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::boundary::{Kind, render};
use common::check::{Analysis, Case, check, check_mended, is_beyond};
use common::reader::{Reading, Unit, Who, all_units, read};
use common::size::{chars, images, may_hold_media};
use common::{corpus, generate};
use context_projector::{ContextBudget, ProjectOptions, Projection, TypeAwareContextProjector, project};
use proptest::prelude::*;
use serde_json::Value;

const LOW_WATERS: [f64; 3] = [1.0, 0.8, 0.6];

/// A history that is grown, with what the reader makes of it.
struct Growth<'a> {
    kind: Kind,
    items: &'a [Value],
    units: Vec<Unit>,
    /// Characters of the items as the crate counts them: checked elsewhere, and here too where there is no media.
    sizes: Vec<u64>,
    budget: ContextBudget,
    options: ProjectOptions,
    is_plain: bool,
}

/// What growing came to.
#[derive(Default)]
struct Grown {
    rebases: usize,
    moves: usize,
}

impl<'a> Growth<'a> {
    fn new(kind: Kind, items: &'a [Value], budget: ContextBudget, options: ProjectOptions) -> Self {
        Self {
            kind,
            items,
            units: all_units(items, kind),
            sizes: items.iter().map(size_of).collect(),
            is_plain: generate::plain(&budget) == budget,
            budget,
            options,
        }
    }

    fn case(&self, length: usize) -> Case<'_> {
        Case {
            kind: self.kind,
            items: &self.items[..length],
            budget: &self.budget,
            options: &self.options,
            is_plain: self.is_plain,
        }
    }

    fn reading(&self, length: usize) -> Reading {
        let end = self.units.iter().take_while(|unit| unit.item < length).count();
        read(&self.units[..end], self.kind)
    }

    fn call_points(&self) -> Vec<usize> {
        (1..=self.items.len())
            .filter(|length| self.reading(*length).is_call_point)
            .collect()
    }

    /// Grows the history from call point to call point.
    fn grow(&self) -> Result<Grown, String> {
        let mut grown = Grown::default();
        let mut before: Option<(usize, Projection, Option<Analysis>)> = None;
        let call_points = self.call_points();
        for (count, length) in call_points.iter().copied().enumerate() {
            let case = self.case(length);
            let projection = case.project();
            let at = |problem: String| format!("at {length}: {problem}");
            let analysis = match is_beyond(&case, &projection) {
                true => check_mended(&case, &projection).map(|()| None),
                false => check(&case, &projection).map(Some),
            };
            let analysis = analysis.map_err(at)?;
            let report = &projection.report;
            let (stable, rebased) = match &before {
                None => (0, false),
                Some((_, earlier, _)) => {
                    let stable = earlier
                        .items
                        .iter()
                        .zip(&projection.items)
                        .take_while(|(a, b)| a == b)
                        .count();
                    (stable, stable < earlier.items.len())
                }
            };
            if (report.stable_prefix_items, report.rebased) != (stable, rebased) {
                return Err(at(format!(
                    "stablePrefixItems {}, rebased {}; measured {stable}, {rebased}",
                    report.stable_prefix_items, report.rebased
                )));
            }
            grown.rebases += usize::from(rebased);
            if let (Some((earlier_length, _, Some(earlier))), Some(analysis)) = (before, &analysis)
                && analysis.tail > earlier.tail.max(analysis.head)
                && self.is_plain
            {
                grown.moves += self.check_moves(earlier_length, earlier, length)?;
            }
            // A projector made afresh, as in a session that was resumed here, gives the same.
            if count % 7 == 0 && self.budget.max_tokens.is_none() {
                let fresh = TypeAwareContextProjector::new(self.options.clone());
                let resumed = fresh.project(case.items, &self.budget).expect("a good history");
                if (&resumed.items, &resumed.report) != (&projection.items, &projection.report) {
                    return Err(at("a fresh projector gives another answer".to_owned()));
                }
            }
            before = Some((length, projection, analysis));
        }
        Ok(grown)
    }

    /// Finds where the tail moved between two call points, and that no earlier boundary would have done.
    fn check_moves(&self, from: usize, mut before: Analysis, to: usize) -> Result<usize, String> {
        let mut moves = 0;
        let mut is_hidden = false;
        for length in from + 1..=to {
            let case = self.case(length);
            let projection = case.project();
            // Between two call points a history may be broken: reasoning, say, that nothing follows yet.
            if is_beyond(&case, &projection) {
                is_hidden = true;
                continue;
            }
            let analysis = check(&case, &projection).map_err(|problem| format!("at {length}: {problem}"))?;
            if analysis.any_fallen && analysis.tail > before.tail.max(analysis.head) {
                // Where the moment of the move was not seen, what has come since is in the way.
                if !is_hidden {
                    self.check_move(&analysis, before.tail, length)?;
                }
                moves += 1;
            }
            is_hidden = false;
            before = analysis;
        }
        if moves == 0 {
            return Err(format!("the tail moved between {from} and {to}, but at no item"));
        }
        Ok(moves)
    }

    /// Brute force: every boundary between the old tail and the new one leaves more than low water allows.
    fn check_move(&self, analysis: &Analysis, old: usize, length: usize) -> Result<(), String> {
        let reading = &analysis.reading;
        let fits = |tail: usize, share: f64| {
            let totals = self.totals(reading, analysis.head, tail);
            let limits = self.case(length).limits();
            limits.iter().zip(totals).enumerate().all(|(index, (limit, total))| {
                limit.is_none_or(|limit| {
                    let low = limit as f64 * share;
                    total as f64 <= if index == 0 { low.floor() } else { low }
                })
            })
        };
        // A tail right behind its anchor looks like one that begins with it, so both ends may be one further on.
        let behind = |tail: usize| tail + usize::from(reading.atoms[tail].opener == Some(tail));
        for tail in behind(old.max(analysis.head)) + 1..analysis.tail {
            if reading.may_cut(tail) && fits(tail, self.budget.low_water) {
                return Err(format!(
                    "at {length} the tail went from {old} to {}, and {tail} would have done: {:?} under {:?}",
                    analysis.tail,
                    self.totals(reading, analysis.head, tail),
                    self.budget
                ));
            }
        }
        if behind(analysis.tail) < reading.newest()
            && self.kind != Kind::AiSdkUi
            && !fits(analysis.tail, self.budget.low_water)
        {
            return Err(format!(
                "at {length} the tail went to {}, which leaves {:?} under {:?}",
                analysis.tail,
                self.totals(reading, analysis.head, analysis.tail),
                self.budget
            ));
        }
        Ok(())
    }

    /// Items and characters of head, anchor and tail.
    fn totals(&self, reading: &Reading, head: usize, tail: usize) -> [u64; 3] {
        let opener = reading.atoms[tail]
            .opener
            .filter(|opener| (head..tail).contains(opener));
        let must_open = self.kind.opens_with_user();
        let anchor = opener.filter(|opener| must_open || reading.running == Some(*opener));
        let atoms = (0..head).chain(anchor).chain(tail..reading.atoms.len());
        let units = atoms
            .flat_map(|atom| &reading.atoms[atom].units)
            .map(|unit| &reading.units[*unit]);
        let mut totals = [0, 0, 0];
        let mut last = None;
        for unit in units {
            if last == Some(unit.item) {
                continue;
            }
            last = Some(unit.item);
            totals[0] += 1;
            totals[1] += if unit.segment == 0 {
                self.sizes[unit.item]
            } else {
                let mut item = self.items[unit.item].clone();
                item["parts"]
                    .as_array_mut()
                    .expect("parts")
                    .drain(..unit.elements.start);
                size_of(&item)
            };
        }
        totals
    }

    /// The largest number of rebases that the strides allow; `None` where what must always be there takes so much
    /// room that there is no stride.
    fn most_rebases(&self) -> Option<f64> {
        let low = self.budget.low_water;
        let reading = self.reading(self.items.len());
        let head = reading.head(self.budget.pinned_prefix_items);
        let mut allowed = 0.0;
        for (index, limit) in self.case(self.items.len()).limits().into_iter().enumerate() {
            let Some(limit) = limit else { continue };
            let limit = limit as f64;
            let size = |atom: usize| -> f64 {
                let items: std::collections::BTreeSet<usize> = reading.atoms[atom]
                    .units
                    .iter()
                    .map(|unit| reading.units[*unit].item)
                    .collect();
                items
                    .iter()
                    .map(|item| if index == 0 { 1 } else { self.sizes[*item] } as f64)
                    .sum()
            };
            let floor: f64 = (0..head).map(size).sum();
            let users = (0..reading.atoms.len()).filter(|atom| reading.atoms[*atom].who == Who::User);
            let largest = users.map(size).fold(0.0, f64::max);
            if index == 2 || floor + largest > (2.0 * low - 1.0) * limit {
                return None;
            }
            let stride = (1.0 - low) * limit;
            let sizes: Vec<f64> = (0..reading.atoms.len()).map(size).collect();
            allowed += sizes.iter().sum::<f64>() / stride;
            allowed += sizes.iter().filter(|size| **size > stride).count() as f64;
        }
        let results: usize = reading.units.iter().map(|unit| unit.answers.len()).sum();
        let images: usize = self.items.iter().map(images).sum();
        for (most, count) in [
            (self.budget.max_recent_tool_results, results),
            (self.budget.max_recent_images, images),
        ] {
            if let Some(most) = most {
                let kept = if most == 0 {
                    0.0
                } else {
                    (most as f64 * low).floor().max(1.0)
                };
                allowed += count as f64 / (most as f64 - kept);
            }
        }
        if self.budget.trim_old_reasoning {
            let turns = reading
                .units
                .iter()
                .zip(&reading.atom_of)
                .filter(|(unit, _)| unit.reasons);
            let turns: std::collections::BTreeSet<Option<usize>> =
                turns.map(|(_, atom)| reading.atoms[*atom].opener).collect();
            allowed += turns.len() as f64;
        }
        allowed += reading.late as f64;
        // While a history grows into its pinned prefix, the summary behind that moves with it.
        if self.options.summary.is_some() {
            allowed += self.budget.pinned_prefix_items as f64;
        }
        allowed.is_finite().then_some(2.0 + 1.2 * allowed)
    }

    fn check(&self) -> Result<(Grown, bool), String> {
        let grown = self.grow()?;
        let most = (self.budget.low_water < 1.0).then(|| self.most_rebases()).flatten();
        if let Some(most) = most
            && grown.rebases as f64 > most
        {
            return Err(format!("{} rebases, {most:.1} allowed", grown.rebases));
        }
        Ok((grown, most.is_some()))
    }
}

fn size_of(item: &Value) -> u64 {
    if may_hold_media(item) {
        let empty = ContextBudget::default();
        let one = std::slice::from_ref(item);
        return project(one, &empty, &ProjectOptions::default(), None)
            .expect("an item")
            .report
            .source_approx_chars;
    }
    chars(item)
}

/// Budgets that a history of this size feels.
fn budgets(file: &corpus::File) -> Vec<ContextBudget> {
    let count = file.items.len() as u64;
    let total: u64 = file.items.iter().map(size_of).sum();
    let none = ContextBudget::default;
    vec![
        ContextBudget {
            max_items: Some((count / 5).max(4)),
            ..none()
        },
        ContextBudget {
            max_approx_chars: Some((total / 5).max(400)),
            pinned_prefix_items: 1,
            ..none()
        },
        ContextBudget {
            max_recent_tool_results: Some(5),
            trim_old_reasoning: true,
            ..none()
        },
        ContextBudget {
            max_items: Some((count / 4).max(4)),
            max_approx_chars: Some((total / 6).max(400)),
            max_recent_tool_results: Some(10),
            max_recent_images: Some(2),
            max_tool_result_chars: Some(800),
            clear_tool_inputs: true,
            trim_old_reasoning: true,
            ..none()
        },
    ]
}

#[test]
fn the_corpus_grows_with_a_stable_prefix() {
    let Some(files) = corpus::load("the_corpus_grows_with_a_stable_prefix") else {
        return;
    };
    let (mut problems, mut rebases, mut moves, mut bounded, mut grown_count) = (Vec::new(), 0, 0, 0, 0);
    for file in &files {
        // Quadratic: what is long is grown under every third pair of budget and low water.
        let weight: usize = file.items.len() * file.items.iter().map(|item| item.to_string().len()).sum::<usize>();
        let stride = if weight > 30_000_000 { 3 } else { 1 };
        let offset = file.name.len();
        let settings = budgets(file)
            .into_iter()
            .flat_map(|budget| LOW_WATERS.map(|low| (budget.clone(), low)));
        for (index, (budget, low_water)) in settings.enumerate() {
            if (index + offset) % stride != 0 {
                continue;
            }
            let options = ProjectOptions {
                dialect: Some(file.kind.dialect()),
                ..ProjectOptions::default()
            };
            let budget = ContextBudget { low_water, ..budget };
            let growth = Growth::new(file.kind, &file.items, budget, options);
            grown_count += 1;
            match growth.check() {
                Ok((grown, is_bounded)) => {
                    rebases += grown.rebases;
                    moves += grown.moves;
                    bounded += usize::from(is_bounded);
                }
                Err(problem) => {
                    let problem: String = problem.chars().take(500).collect();
                    problems.push(format!("{} under {:?}: {problem}", file.name, growth.budget));
                }
            }
        }
    }
    println!("{grown_count} histories grown, {rebases} rebases, {moves} moves of the tail checked, {bounded} bounds");
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
    assert!(
        rebases > 500 && moves > 200 && bounded > 100,
        "{rebases} {moves} {bounded}: the budgets are felt"
    );
}

fn grows(kind: Kind) {
    let strategy = (
        generate::script(),
        generate::budget(),
        proptest::option::weighted(0.2, "[a-z]{0,30}"),
        any::<bool>(),
    );
    let result = generate::runner(generate::cases() / 8).run(&strategy, |(script, budget, summary, is_plain)| {
        let items = render(&script, kind);
        let options = ProjectOptions {
            dialect: Some(kind.dialect()),
            summary,
            ..ProjectOptions::default()
        };
        let budget = if is_plain { generate::plain(&budget) } else { budget };
        // The brute force knows items and characters; of summaries and tokens it knows nothing.
        let budget = ContextBudget {
            max_tokens: None,
            ..budget
        };
        for low_water in LOW_WATERS {
            let budget = ContextBudget {
                low_water,
                ..budget.clone()
            };
            let mut growth = Growth::new(kind, &items, budget, options.clone());
            growth.is_plain &= growth.options.summary.is_none();
            growth.check().map_err(|problem| {
                TestCaseError::fail(format!(
                    "{problem}\n{} items: {}\n{:?}\nsummary {:?}",
                    items.len(),
                    Value::Array(items.clone()),
                    growth.budget,
                    growth.options.summary
                ))
            })?;
        }
        Ok(())
    });
    if let Err(failure) = result {
        let text = failure.to_string();
        panic!("{kind:?}: {}", text.chars().take(6_000).collect::<String>());
    }
}

#[test]
fn generated_histories_grow_with_a_stable_prefix() {
    for kind in Kind::ALL {
        grows(kind);
    }
}
