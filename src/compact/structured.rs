//! Compaction without a model: what can be known by reading (SEMANTICS §4, `StructuredSummaryCompactPolicy`).

use super::files::FileLists;
use super::reading::Reading;
use super::render::render;
use super::state::State;
use crate::item::text::{shorten, thousands};

/// What every text of this policy begins with.
pub const MARK: &str = "AI4J_COMPACT_SUMMARY";
/// Longest goal taken from a user message.
const LONGEST_GOAL: usize = 400;
/// Newest failures and test reports that are kept over all compactions.
const MOST_FAILURES: usize = 20;
const MOST_TESTS: usize = 10;

/// The state after a range, from what was known before and what was read: nothing is guessed.
#[must_use]
pub fn known(before: State, reading: &Reading) -> State {
    let goal = before.goal.clone().or_else(|| {
        let first = reading
            .first_user
            .as_deref()
            .map(str::trim)
            .filter(|text| !text.is_empty())?;
        Some(shorten(first, LONGEST_GOAL).unwrap_or_else(|| first.to_owned()))
    });
    let newest = |before: &[String], new: &[String], most: usize| {
        let mut all: Vec<String> = Vec::new();
        for entry in before.iter().chain(new) {
            all.retain(|earlier| earlier != entry);
            all.push(entry.clone());
        }
        all.split_off(all.len().saturating_sub(most))
    };
    State {
        goal,
        errors: newest(&before.errors, &reading.failures, MOST_FAILURES),
        test_results: newest(&before.test_results, &reading.tests, MOST_TESTS),
        ..before
    }
}

/// Counts over all compactions of this policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Items summarised.
    pub items: u64,
    /// Their characters.
    pub chars: u64,
    /// Compactions.
    pub compactions: u64,
}

impl Counts {
    /// The counts that a summary of this policy states.
    #[must_use]
    pub fn read(summary: &str) -> Option<Self> {
        let line = summary.strip_prefix(MARK)?.trim_start().lines().next()?;
        let numbers: Vec<u64> = line
            .split(|c: char| !c.is_ascii_digit() && c != ',')
            .map(|number| number.replace(',', ""))
            .filter_map(|number| number.parse().ok())
            .collect();
        match numbers.as_slice() {
            [items, chars, compactions, ..] => Some(Self {
                items: *items,
                chars: *chars,
                compactions: *compactions,
            }),
            _ => None,
        }
    }

    /// With another range.
    #[must_use]
    pub fn and(self, items: u64, chars: u64) -> Self {
        Self {
            items: self.items + items,
            chars: self.chars + chars,
            compactions: self.compactions + 1,
        }
    }
}

/// The text of this policy's summary. `earlier` is a summary of somebody else's, which is taken over.
#[must_use]
pub fn text(counts: Counts, earlier: Option<&str>, state: &State, files: &FileLists, room: usize) -> String {
    let mut head = format!(
        "{MARK}\n{} items ({} characters) left memory in {} compaction(s).",
        thousands(counts.items),
        thousands(counts.chars),
        thousands(counts.compactions)
    );
    if let Some(earlier) = earlier {
        head.push_str("\n\n");
        head.push_str(&shorten(earlier, room / 2).unwrap_or_else(|| earlier.to_owned()));
    }
    render(&head, state, files, room)
}

/// The summary that takes the place of a model's answer.
#[must_use]
pub fn fallback(state: &State, files: &FileLists, room: usize) -> String {
    render("(made without a model)", state, files, room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_merged_not_nested() {
        let first = text(
            Counts::default().and(1_200, 45_678),
            None,
            &State::default(),
            &FileLists::default(),
            8_000,
        );
        let counts = Counts::read(&first).expect("its own text");
        assert_eq!((counts.items, counts.chars, counts.compactions), (1_200, 45_678, 1));
        let second = text(
            counts.and(3, 100),
            None,
            &State::default(),
            &FileLists::default(),
            8_000,
        );
        assert!(
            second.starts_with("AI4J_COMPACT_SUMMARY\n1,203 items (45,778 characters) left memory in 2 compaction(s)")
        );
        assert_eq!(Counts::read("## Goal\n5 (6) 7"), None);
    }

    #[test]
    fn failures_are_the_newest_ones_once() {
        let reading = Reading {
            failures: (0..30).map(|n| format!("cmd {}: no", n % 25)).collect(),
            first_user: Some("Do it".to_owned()),
            ..Reading::default()
        };
        let state = known(State::default(), &reading);
        assert_eq!(state.errors.len(), MOST_FAILURES);
        assert_eq!(state.errors.last().map(String::as_str), Some("cmd 4: no"));
        assert_eq!(state.goal.as_deref(), Some("Do it"));
    }
}
