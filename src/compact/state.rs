//! What is known of the work so far, and how it is carried from one compaction to the next (SEMANTICS §4).

use super::answer::Answer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// An entry is carried on by the library alone for so many compactions.
const MOST_CARRIES: u32 = 3;
/// So many entries at most are carried on.
const MOST_CARRIED: usize = 20;
/// So much of an earlier entry's words an entry of the answer must share to take its place.
const SHARE: (usize, usize) = (60, 100);

/// An entry that a later answer has to deal with, or that is carried on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// What it says.
    pub text: String,
    /// For how many compactions it was carried on without a word of the model's.
    #[serde(default)]
    pub carried: u32,
    /// It comes from before this compaction.
    #[serde(default)]
    pub is_old: bool,
}

impl Entry {
    /// An entry of this compaction.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    /// An entry as a result or a summary gives it, its mark at the end.
    #[must_use]
    pub fn earlier(text: &str) -> Self {
        let marked = text
            .strip_suffix(']')
            .and_then(|rest| rest.rsplit_once(" [carried "))
            .and_then(|(text, number)| Some((text, number.parse().ok()?)));
        let (text, carried) = marked.unwrap_or((text, 0));
        Self {
            text: text.to_owned(),
            carried,
            is_old: true,
        }
    }

    /// The text with its mark.
    #[must_use]
    pub fn marked(&self) -> String {
        match self.carried {
            0 => self.text.clone(),
            times => format!("{} [carried {times}]", self.text),
        }
    }
}

/// What is known of the work so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct State {
    /// What the user wants.
    pub goal: Option<String>,
    /// A summary in prose, from a model that gave no object.
    pub prose: Option<String>,
    /// What was done.
    pub completed: Vec<String>,
    /// What remains.
    pub pending: Vec<Entry>,
    /// What was decided.
    pub decisions: Vec<Entry>,
    /// What failed.
    pub errors: Vec<String>,
    /// What tests said.
    pub test_results: Vec<String>,
    /// What is not known.
    pub open_questions: Vec<String>,
    /// Keys of the answer beyond those asked for.
    pub extra: Map<String, Value>,
    /// Earlier entries that were carried long enough, or were too many.
    pub left_out: usize,
}

impl State {
    /// The entries that an answer has to deal with, in the order of their numbers: pending first.
    pub fn open_entries(&self) -> impl Iterator<Item = (&'static str, &Entry)> {
        let pending = self.pending.iter().map(|entry| ("pending", entry));
        pending.chain(self.decisions.iter().map(|entry| ("decision", entry)))
    }

    /// The state after an answer: what it says, and what it passed over in silence.
    #[must_use]
    pub fn after(self, answer: Answer) -> Self {
        let said: Vec<HashSet<String>> = answer.entries().map(words).collect();
        let mut number = 0;
        let mut carry = |entries: Vec<Entry>| -> Vec<Entry> {
            let mut rest = entries;
            rest.retain(|entry| {
                number += 1;
                !answer.resolved.contains(&number) && !is_taken_up(&entry.text, &said)
            });
            rest
        };
        let mut pending = carry(self.pending);
        let mut decisions = carry(self.decisions);
        pending.extend(answer.pending.into_iter().map(Entry::new));
        decisions.extend(answer.decisions.into_iter().map(Entry::new));
        Self {
            goal: answer.goal.or(self.goal),
            prose: None,
            completed: answer.completed,
            pending,
            decisions,
            errors: answer.errors,
            test_results: answer.test_results,
            open_questions: answer.open_questions,
            extra: answer.extra,
            left_out: self.left_out,
        }
    }

    /// The state after an answer in prose: it becomes the summary, and the entries are carried on.
    #[must_use]
    pub fn after_prose(self, prose: String) -> Self {
        Self {
            prose: Some(prose),
            ..self
        }
    }

    /// Marks what was carried on, and lets go of what was for long enough.
    #[must_use]
    pub fn finished(mut self) -> Self {
        for entries in [&mut self.pending, &mut self.decisions] {
            let before = entries.len();
            entries.retain_mut(|entry| {
                entry.carried += u32::from(entry.is_old);
                entry.carried <= MOST_CARRIES
            });
            self.left_out += before - entries.len();
        }
        let carried = |entry: &Entry| entry.carried > 0;
        let count = self
            .pending
            .iter()
            .chain(&self.decisions)
            .filter(|entry| carried(entry))
            .count();
        for _ in MOST_CARRIED..count {
            let all = self
                .decisions
                .iter()
                .chain(&self.pending)
                .filter(|entry| carried(entry));
            let oldest = all.map(|entry| entry.carried).max().unwrap_or(0);
            let list = if self.decisions.iter().any(|entry| entry.carried == oldest) {
                &mut self.decisions
            } else {
                &mut self.pending
            };
            if let Some(at) = list.iter().position(|entry| entry.carried == oldest) {
                list.remove(at);
                self.left_out += 1;
            }
        }
        self
    }
}

/// Whether an entry of the answer says enough of what an earlier one said.
fn is_taken_up(earlier: &str, said: &[HashSet<String>]) -> bool {
    let own = words(earlier);
    let (share, of) = SHARE;
    !own.is_empty()
        && said
            .iter()
            .any(|entry| own.iter().filter(|word| entry.contains(*word)).count() * of >= own.len() * share)
}

/// The words of a text, case-folded. A script without spaces gives a word a character.
fn words(text: &str) -> HashSet<String> {
    let mut found = HashSet::new();
    let mut word = String::new();
    for character in text.chars() {
        let stands_alone = character >= '\u{2e80}';
        if !character.is_alphanumeric() || stands_alone {
            if !word.is_empty() {
                found.insert(std::mem::take(&mut word));
            }
            if stands_alone && character.is_alphanumeric() {
                found.insert(character.to_string());
            }
            continue;
        }
        word.extend(character.to_lowercase());
    }
    if !word.is_empty() {
        found.insert(word);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(pending: &[&str], completed: &[&str], resolved: &[usize]) -> Answer {
        let own = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        Answer {
            pending: own(pending),
            completed: own(completed),
            resolved: resolved.to_vec(),
            ..Answer::default()
        }
    }

    fn state(pending: &[&str]) -> State {
        State {
            pending: pending.iter().map(|text| Entry::earlier(text)).collect(),
            ..State::default()
        }
    }

    fn texts(state: &State) -> Vec<String> {
        state.pending.iter().map(Entry::marked).collect()
    }

    #[test]
    fn what_the_answer_passes_over_is_carried_three_times() {
        let mut texts_at_each = Vec::new();
        let mut current = state(&["Write the docs"]);
        for _ in 0..4 {
            current = current.after(answer(&[], &["something else"], &[])).finished();
            texts_at_each.push(texts(&current));
            current.pending = current
                .pending
                .iter()
                .map(|entry| Entry::earlier(&entry.marked()))
                .collect();
        }
        assert_eq!(
            texts_at_each,
            [
                vec!["Write the docs [carried 1]".to_owned()],
                vec!["Write the docs [carried 2]".to_owned()],
                vec!["Write the docs [carried 3]".to_owned()],
                vec![],
            ]
        );
        assert_eq!(current.left_out, 1);
    }

    #[test]
    fn an_entry_is_handled_by_number_or_by_its_words() {
        let earlier = ["fix the parser of dates", "write the docs", "日本語の文書を書く"];
        let after = state(&earlier)
            .after(answer(&[], &["Fixed the parser for dates"], &[2]))
            .finished();
        assert_eq!(texts(&after), ["日本語の文書を書く [carried 1]"]);
        let after = state(&earlier)
            .after(answer(&["日本語の文書を直す"], &[], &[1, 2]))
            .finished();
        assert_eq!(texts(&after), ["日本語の文書を直す"]);
    }

    #[test]
    fn at_most_twenty_are_carried_the_oldest_out_first() {
        let earlier: Vec<String> = (0..30).map(|n| format!("task{n} [carried {}]", n % 3)).collect();
        let refs: Vec<&str> = earlier.iter().map(String::as_str).collect();
        let after = state(&refs).after(answer(&["new"], &[], &[])).finished();
        assert_eq!(after.pending.len(), 21);
        assert_eq!(after.left_out, 10);
        assert!(
            after.pending.iter().all(|entry| entry.carried < 3),
            "the ten oldest went"
        );
    }

    #[test]
    fn prose_carries_all() {
        let after = state(&["a b"]).after_prose("all went well".to_owned()).finished();
        assert_eq!(texts(&after), ["a b [carried 1]"]);
        assert_eq!(after.prose.as_deref(), Some("all went well"));
    }
}
