//! A range of a history, read once: what each item says, whose results are whose, and what can be known without a model.

use super::files::{FileOp, Operations, Touch, operations};
use super::outcomes::{Answered, command, last_error, test_result};
use crate::history::{Answer, History};
use crate::item::dialect::{Passage, passages};
use crate::item::facts::Author;
use crate::item::json::{parse_as_javascript, without_half_pairs};
use crate::item::payload::Payloads;
use std::collections::{BTreeMap, HashMap};

/// What one item says.
#[derive(Clone, Debug)]
pub struct Spoken {
    /// Who.
    pub author: Author,
    /// What, in order.
    pub passages: Vec<Passage>,
}

/// A range of a history, read.
#[derive(Debug, Default)]
pub struct Reading {
    /// Its items in order.
    pub items: Vec<Spoken>,
    /// What its calls did to files, failed ones aside.
    pub file_ops: Vec<FileOp>,
    /// Commands that failed, each with its last error line.
    pub failures: Vec<String>,
    /// What test runners reported.
    pub tests: Vec<String>,
    /// What the first user message says.
    pub first_user: Option<String>,
    /// The folder of the first call that names one in full.
    pub folder: Option<String>,
}

/// A call while its result has not been read.
struct Open {
    name: String,
    command: Option<String>,
    ops: Operations,
}

/// Reads the units of a history that `takes` names.
///
/// # Errors
/// What the host's objects throw.
pub fn read<P: Payloads>(
    history: &History,
    payloads: &P,
    tools: &BTreeMap<String, Touch>,
    takes: impl Fn(usize) -> bool,
) -> Result<Reading, P::Error> {
    let mut reading = Reading::default();
    let mut open: HashMap<usize, Open> = HashMap::new();
    let mut unit = 0;
    let units = history.units();
    while let Some(first) = units.get(unit) {
        let item = first.item;
        let end = unit + units.iter().skip(unit).take_while(|unit| unit.item == item).count();
        let taken: Vec<usize> = (unit..end).filter(|unit| takes(*unit)).collect();
        if !taken.is_empty() {
            let json = payloads.json(item, &[])?;
            let mended = without_half_pairs(&json);
            if let Some(value) = parse_as_javascript(mended.as_deref().unwrap_or(&json)) {
                let said = passages(&value);
                reading.take(history, item, unit..end, &taken, said, tools, &mut open);
            }
        }
        unit = end;
    }
    // Calls that name no folder are made where the others are.
    if let Some(folder) = &reading.folder {
        let ops = std::mem::take(&mut reading.file_ops);
        reading.file_ops = ops.into_iter().map(|op| op.within(folder)).collect();
    }
    Ok(reading)
}

impl Reading {
    /// Takes the passages of one item in. Calls and results come in the order of the history's.
    #[allow(clippy::too_many_arguments, reason = "the parts of one loop's body")]
    fn take(
        &mut self,
        history: &History,
        item: usize,
        units: std::ops::Range<usize>,
        taken: &[usize],
        said: Vec<Passage>,
        tools: &BTreeMap<String, Touch>,
        open: &mut HashMap<usize, Open>,
    ) {
        let Some(facts) = history.facts(item) else { return };
        let in_units = |pick: fn(&crate::history::Unit) -> std::ops::Range<usize>| {
            let found = history.units().get(units.clone()).unwrap_or_default();
            found.iter().flat_map(pick).collect::<Vec<usize>>()
        };
        let (calls, results) = (
            in_units(|unit| unit.calls.clone()),
            in_units(|unit| unit.results.clone()),
        );
        let count = |is_it: fn(&&Passage) -> bool| said.iter().filter(is_it).count();
        let are_calls_known = count(|passage| matches!(passage, Passage::Call { .. })) == calls.len();
        let are_results_known = count(|passage| matches!(passage, Passage::Result { .. })) == results.len();
        // Of an item that is read in segments only the leading ones may be meant.
        let is_partial = taken.len() < units.len();
        let is_taken = |unit: usize| taken.contains(&unit);
        let (mut next_call, mut next_result) = (0, 0);
        let mut passages = Vec::with_capacity(said.len());
        for mut passage in said {
            match &mut passage {
                Passage::Call { name, input } => {
                    let call = calls.get(next_call).copied().filter(|_| are_calls_known);
                    next_call += 1;
                    let entry = call.and_then(|call| Some((call, history.calls().get(call)?)));
                    if entry.is_some_and(|(_, entry)| !is_taken(entry.unit)) {
                        break;
                    }
                    if let Some((call, _)) = entry {
                        let made = Open {
                            name: name.clone(),
                            command: command(name, input),
                            ops: operations(name, input, tools),
                        };
                        if self.folder.is_none() {
                            self.folder.clone_from(&made.ops.folder);
                        }
                        open.insert(call, made);
                    }
                }
                Passage::Result { name, text, is_error } => {
                    let result = results.get(next_result).copied().filter(|_| are_results_known);
                    next_result += 1;
                    let entry = result.and_then(|result| history.results().get(result));
                    if entry.is_some_and(|entry| !is_taken(entry.unit)) {
                        break;
                    }
                    let call = entry.and_then(|entry| match entry.answer {
                        Answer::Call(call) => open.remove(&call),
                        _ => None,
                    });
                    if let Some(call) = &call {
                        *name = Some(call.name.clone());
                    }
                    *is_error |= self.observe(call, text, *is_error);
                }
                Passage::Text(text) if facts.author == Author::User && self.first_user.is_none() => {
                    self.first_user = Some(text.clone());
                }
                _ => {}
            }
            passages.push(passage);
        }
        if !passages.is_empty() || !is_partial {
            self.items.push(Spoken {
                author: facts.author,
                passages,
            });
        }
    }

    /// What a result says of its call; answers whether that failed.
    fn observe(&mut self, call: Option<Open>, text: &str, is_error: bool) -> bool {
        let answered = Answered::of(text);
        let failed = last_error(&answered, is_error);
        let command = call.as_ref().and_then(|call| call.command.clone());
        let is_command = command.is_some();
        // A file's text may quote what a runner printed: only commands run tests.
        if is_command && let Some(result) = test_result(&answered.text) {
            self.tests.push(result);
        }
        match (&failed, command) {
            (Some(line), Some(command)) => self.failures.push(format!("{command}: {line}")),
            (Some(line), None) if is_error => {
                let name = call.as_ref().map_or("a tool", |call| call.name.as_str());
                self.failures.push(format!("{name}: {line}"));
            }
            _ => {}
        }
        // Only commands tell a failure by their words; the text of a file may hold any.
        let has_failed = failed.is_some() && (is_command || is_error);
        if let Some(call) = call {
            let done = call.ops.done(is_command, has_failed, &answered.text);
            self.file_ops.extend(done);
        }
        has_failed
    }
}
