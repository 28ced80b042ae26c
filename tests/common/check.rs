//! What every projection of a history must satisfy, whatever its history, budget and options (P2, P3, P5).

use super::boundary::Kind;
use super::reader::{Place, Reading, Who, all_units, read, units};
use super::size::{chars, count, images, may_hold_media, summary_item, tokens};
use context_projector::context::{Fate, SummaryRole};
use context_projector::{ContextBudget, ProjectOptions, Projection, project};
use serde_json::{Value, json};

macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err(format!($($message)+));
        }
    };
}

pub struct Case<'a> {
    pub kind: Kind,
    pub items: &'a [Value],
    pub budget: &'a ContextBudget,
    pub options: &'a ProjectOptions,
    /// No tier field plays a part: those of the budget are absent, or the projector leaves them out.
    pub is_plain: bool,
}

/// What became of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Sent,
    /// A limit made it fall.
    Fallen,
    /// Gone for another reason.
    Removed,
}

/// What the checks found out about a projection.
pub struct Analysis {
    pub reading: Reading,
    /// Atoms that are always there at the beginning.
    pub head: usize,
    /// The atom behind the last fallen one; `head` where none fell.
    pub tail: usize,
    pub states: Vec<State>,
    /// Whether a limit made something fall.
    pub any_fallen: bool,
}

impl Case<'_> {
    pub fn project(&self) -> Projection {
        let counter: &dyn Fn(&str) -> u64 = &count;
        project(self.items, self.budget, self.options, Some(counter)).expect("items are objects and shallow")
    }

    /// The limits; that of tokens is what the overhead leaves, and may be negative.
    pub fn limits(&self) -> [Option<i64>; 3] {
        let whole = |limit: Option<u64>| limit.map(|limit| limit as i64);
        let room = whole(self.budget.max_tokens).map(|most| most - self.budget.overhead_tokens as i64);
        [whole(self.budget.max_items), whole(self.budget.max_approx_chars), room]
    }

    fn trims(&self) -> bool {
        !self.is_plain && self.budget.trim_old_reasoning
    }

    fn placeholder(&self, name: Option<&str>, id: Option<&str>) -> Value {
        let text = match (name, id) {
            (Some(name), Some(id)) => format!("[tool result cleared: {name}({id})]"),
            (Some(one), None) | (None, Some(one)) => format!("[tool result cleared: {one}]"),
            (None, None) => "[tool result cleared]".to_owned(),
        };
        match self.kind {
            Kind::Gemini => json!({ "output": text }),
            Kind::AiSdk => json!({ "type": "text", "value": text }),
            _ => json!(text),
        }
    }
}

const LIMITS: [&str; 3] = ["maxItems", "maxApproxChars", "maxTokens"];

/// Paths at which two values differ.
fn differences(left: &Value, right: &Value, path: &str, out: &mut Vec<String>) {
    match (left, right) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                match b.get(key) {
                    Some(other) => differences(value, other, &format!("{path}/{key}"), out),
                    None => out.push(format!("{path}/{key}")),
                }
            }
            out.extend(
                b.keys()
                    .filter(|key| !a.contains_key(*key))
                    .map(|key| format!("{path}/{key}")),
            );
            let order = |object: &serde_json::Map<String, Value>| object.keys().cloned().collect::<Vec<_>>();
            if a.len() == b.len() && order(a) != order(b) {
                out.push(path.to_owned());
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (value, other)) in a.iter().zip(b).enumerate() {
                differences(value, other, &format!("{path}/{index}"), out);
            }
        }
        _ if left == right => {}
        _ => out.push(path.to_owned()),
    }
}

/// An item without its reasoning; `None` where nothing else is in it.
fn without_reasoning(item: &Value, kind: Kind) -> Option<Value> {
    let mut item = item.clone();
    let object = item.as_object_mut()?;
    let is_reasoning = |part: &Value| {
        matches!(
            part["type"].as_str(),
            Some("thinking" | "redacted_thinking" | "reasoning")
        ) || part["thought"] == json!(true)
    };
    if is_reasoning(&Value::Object(object.clone())) {
        return None;
    }
    if kind != Kind::Responses {
        object.shift_remove("reasoning_content");
        for key in ["content", "parts"] {
            if let Some(Value::Array(parts)) = object.get_mut(key) {
                parts.retain(|part| !is_reasoning(part));
            }
        }
    }
    Some(item)
}

/// What was done to the results of an item, by their place in the source.
#[derive(Default)]
struct Edits {
    cleared: Vec<Place>,
    shortened: Vec<Place>,
    inputs: usize,
    images: usize,
    trimmed: bool,
}

/// Compares a sent item with its source, of which segments before `cut` are gone.
fn compare(case: &Case<'_>, reading: &Reading, index: usize, cut: usize, sent: &Value) -> Result<Edits, String> {
    let own: Vec<usize> = (0..reading.units.len())
        .filter(|unit| reading.units[*unit].item == index && reading.units[*unit].segment >= cut)
        .collect();
    let first = own
        .first()
        .ok_or_else(|| format!("item {index} has no segment {cut}"))?;
    let mut source = case.items[index].clone();
    if cut > 0 {
        let start = reading.units[*first].elements.start;
        source["parts"].as_array_mut().ok_or("no parts")?.drain(..start);
    }
    let is_old = reading.running.is_some_and(|running| reading.atom_of[*first] < running);
    let mut variants = vec![(source.clone(), false)];
    if case.trims() && is_old {
        variants.extend(without_reasoning(&source, case.kind).map(|variant| (variant, true)));
    }
    let mut problem = String::new();
    for (variant, trimmed) in variants {
        match edits_between(case, reading, &own, &variant, sent, trimmed) {
            Ok(edits) => return Ok(edits),
            Err(found) => problem = found,
        }
    }
    Err(format!("item {index}: {problem}; sent as {sent}"))
}

fn edits_between(
    case: &Case<'_>,
    reading: &Reading,
    own: &[usize],
    variant: &Value,
    sent: &Value,
    trimmed: bool,
) -> Result<Edits, String> {
    let mut edits = Edits {
        trimmed,
        ..Edits::default()
    };
    let mut paths = Vec::new();
    differences(variant, sent, "", &mut paths);
    if paths.is_empty() {
        return Ok(edits);
    }
    ensure!(!case.is_plain, "changed at {paths:?}");
    let read_again = units(variant, 0, case.kind);
    let answers: Vec<Option<String>> = read_again
        .iter()
        .flat_map(|unit| &unit.answers)
        .map(|answer| answer.payload.clone())
        .collect();
    let places: Vec<Place> = own
        .iter()
        .flat_map(|unit| (0..reading.units[*unit].answers.len()).map(move |at| (*unit, at)))
        .collect();
    ensure!(
        answers.len() == places.len(),
        "{} results became {}",
        places.len(),
        answers.len()
    );
    let inputs: Vec<String> = read_again
        .iter()
        .flat_map(|unit| &unit.calls)
        .filter_map(|call| call.input.clone())
        .collect();
    let holds = |outer: &str, path: &str| path == outer || path.starts_with(&format!("{outer}/"));
    let mut touched = Vec::new();
    let mut gone: Vec<&str> = Vec::new();
    for path in &paths {
        // An image gives way to a text that says so, inside results too.
        let mut ends = path
            .match_indices('/')
            .map(|(at, _)| &path[..at])
            .chain([path.as_str()]);
        let image = ends.find(|end| variant.pointer(end).is_some_and(is_image));
        let note = image
            .and_then(|end| sent.pointer(end))
            .and_then(|note| note["text"].as_str());
        if let (Some(image), Some(_)) = (image, note.filter(|note| note.contains("image cleared"))) {
            ensure!(case.budget.max_recent_images.is_some(), "an image went at {image}");
            gone.push(image);
        } else if let Some(at) = answers
            .iter()
            .position(|answer| answer.as_ref().is_some_and(|outer| holds(outer, path)))
        {
            touched.push(at);
        } else if let Some(input) = inputs.iter().find(|outer| holds(outer, path)) {
            ensure!(
                case.budget.clear_tool_inputs || case.budget.max_tool_input_chars.is_some(),
                "arguments changed at {path}"
            );
            let value = sent
                .pointer(input)
                .ok_or_else(|| format!("arguments gone at {input}"))?;
            let is_valid = match (variant.pointer(input), value) {
                (Some(Value::String(before)), Value::String(text)) => {
                    serde_json::from_str::<Value>(before).is_err() || serde_json::from_str::<Value>(text).is_ok()
                }
                (before, after) => before.is_some_and(Value::is_object) == after.is_object(),
            };
            ensure!(is_valid, "arguments at {input} became {value}");
            edits.inputs += 1;
        } else if path == "/id" && case.kind == Kind::Responses && case.trims() {
            edits.trimmed = true;
        } else {
            return Err(format!("changed at {path}"));
        }
    }
    gone.dedup();
    edits.images = gone.len();
    touched.dedup();
    for at in touched {
        let place = places[at];
        let answer = &reading.units[place.0].answers[place.1];
        let path = answers[at].clone().unwrap_or_default();
        let after = sent.pointer(&path).ok_or_else(|| format!("payload gone at {path}"))?;
        if *after == expected_placeholder(case, reading, place) {
            edits.cleared.push(place);
            continue;
        }
        let limit = case
            .budget
            .max_tool_result_chars
            .ok_or_else(|| format!("result {answer:?} became {after}"))?;
        let before = variant.pointer(&path).ok_or("no payload")?;
        ensure!(
            chars(after) < chars(before) && after.to_string().contains("characters cut"),
            "result of {} characters shortened to {after}",
            chars(before)
        );
        // A field's own frame and a sentence, and no more.
        ensure!(chars(after) <= limit.max(48) + 80, "limit {limit}, but {after}");
        edits.shortened.push(place);
    }
    Ok(edits)
}

fn expected_placeholder(case: &Case<'_>, reading: &Reading, place: Place) -> Value {
    let answer = &reading.units[place.0].answers[place.1];
    let name = reading
        .call_of(place)
        .and_then(|call| call.name.clone())
        .or(answer.name.clone());
    case.placeholder(name.as_deref(), answer.id.as_deref())
}

/// Whether a projection was mended: what is sent is then no longer a selection of the source.
pub fn is_mended(projection: &Projection) -> bool {
    projection.report.notes.iter().any(|note| note.starts_with("mended "))
}

/// Whether this check has no notion of a projection: it was mended, or it keeps the provider's own compaction, wherever
/// that stands.
pub fn is_beyond(case: &Case<'_>, projection: &Projection) -> bool {
    let compacts = |item: &Value| item.to_string().contains("\"type\":\"compaction\"");
    is_mended(projection) || case.items.iter().any(compacts)
}

/// P5 alone: all that is checked here of a mended history (`mending.rs` checks the rest).
pub fn check_mended(case: &Case<'_>, projection: &Projection) -> Result<(), String> {
    accounted(case.items, projection).map(|_| ())
}

/// P5: the ledger covers each item once, and the counts add up. Answers each item's fate.
fn accounted(source: &[Value], projection: &Projection) -> Result<Vec<(Fate, String)>, String> {
    let report = &projection.report;

    // P5: the ledger covers each item once, and the counts add up.
    let mut next = 0;
    for (index, run) in report.ledger.iter().enumerate() {
        ensure!(run.from == next && run.to > run.from, "ledger run {run:?} after {next}");
        let before = index.checked_sub(1).map(|index| &report.ledger[index]);
        ensure!(
            before.is_none_or(|before| (before.fate, &before.reason) != (run.fate, &run.reason)),
            "two runs of one fate: {run:?}"
        );
        next = run.to;
    }
    ensure!(next == source.len(), "the ledger ends at {next} of {}", source.len());
    ensure!(
        report.source_item_count == source.len(),
        "sourceItemCount {}",
        report.source_item_count
    );
    ensure!(
        report.projected_item_count == projection.items.len(),
        "projectedItemCount {}",
        report.projected_item_count
    );
    let fates: Vec<(Fate, String)> = report
        .ledger
        .iter()
        .flat_map(|run| (run.from..run.to).map(|_| (run.fate, run.reason.clone())))
        .collect();
    let dropped = fates.iter().filter(|(fate, _)| *fate == Fate::Dropped).count();
    ensure!(
        report.dropped_item_count == dropped,
        "droppedItemCount {} of {dropped}",
        report.dropped_item_count
    );
    ensure!(
        projection.items.len() + dropped + report.joined_item_count == source.len() + report.inserted_item_count,
        "counts do not add up: {report:?}"
    );
    Ok(fates)
}

/// Checks the projection of a well-formed history against everything that must hold of it alone.
pub fn check(case: &Case<'_>, projection: &Projection) -> Result<Analysis, String> {
    let report = &projection.report;
    let source = case.items;
    let has_summary = case.options.summary.as_deref().is_some_and(|text| !text.is_empty());
    ensure!(!is_mended(projection), "mended: {:?}", report.notes);
    let fates = accounted(source, projection)?;
    ensure!(
        report.inserted_item_count == usize::from(has_summary),
        "insertedItemCount {}",
        report.inserted_item_count
    );

    let reading = read(&all_units(source, case.kind), case.kind);
    let head = reading.head(case.budget.pinned_prefix_items);
    let kept: Vec<usize> = reading
        .order()
        .into_iter()
        .filter(|item| fates[*item].0 != Fate::Dropped)
        .collect();

    // The summary stands behind the head, or in front of a call in flight that is part of it.
    let mut sent = projection.items.clone();
    if has_summary {
        let in_head = |item: &usize| {
            reading
                .units
                .iter()
                .zip(&reading.atom_of)
                .any(|(unit, atom)| unit.item == *item && *atom < head)
        };
        let position = kept.iter().filter(|item| in_head(item)).count();
        let is_here = |at: &usize| {
            sent.get(*at)
                .is_some_and(|item| item.to_string().contains("[Summary of the conversation"))
        };
        let position = match report.pending_call_ids.is_empty() {
            true => position,
            false => (0..=position).rev().find(is_here).unwrap_or(position),
        };
        ensure!(position < sent.len(), "no summary: {} items", sent.len());
        let item = sent.remove(position);
        check_summary(case, item).map_err(|problem| format!("summary at {position}: {problem}"))?;
    }
    ensure!(
        sent.len() == kept.len(),
        "{} items sent, {} kept by the ledger",
        sent.len(),
        kept.len()
    );

    // Each sent item is its source, with the edits that the budget allows.
    let mut states: Vec<State> = reading
        .units
        .iter()
        .map(|unit| match &fates[unit.item] {
            (Fate::Dropped, reason) if LIMITS.iter().any(|limit| reason.contains(limit)) => State::Fallen,
            (Fate::Dropped, _) => State::Removed,
            _ => State::Sent,
        })
        .collect();
    let mut cleared: Vec<Place> = Vec::new();
    let mut cuts: Vec<usize> = Vec::new();
    for (item, out) in kept.iter().zip(&sent) {
        let (fate, reason) = &fates[*item];
        let segments = reading.units.iter().filter(|unit| unit.item == *item).count();
        let is_cut = reason.split(',').any(|name| name == "steps");
        let choices = if is_cut { 1..segments } else { 0..1 };
        let mut found = Err(format!("item {item}: nothing to cut in {segments} segment(s)"));
        for cut in choices {
            found = compare(case, &reading, *item, cut, out).map(|edits| (cut, edits));
            if found.is_ok() {
                break;
            }
        }
        let (cut, edits) = found?;
        for (state, unit) in states.iter_mut().zip(&reading.units) {
            if unit.item == *item && unit.segment < cut {
                *state = State::Fallen;
            }
        }
        let atom = reading
            .units
            .iter()
            .position(|unit| unit.item == *item)
            .map(|unit| reading.atom_of[unit]);
        let is_pinned = atom.is_some_and(|atom| atom < pinned_atoms(&reading, case.budget.pinned_prefix_items));
        let expected = if !edits.cleared.is_empty() || edits.images > 0 {
            Fate::Cleared
        } else if edits.inputs > 0 {
            *fate
        } else if !edits.shortened.is_empty() || cut > 0 {
            Fate::Shortened
        } else if edits.trimmed {
            Fate::Trimmed
        } else if is_pinned {
            Fate::Pinned
        } else {
            Fate::Kept
        };
        ensure!(
            *fate == expected,
            "item {item} is {fate:?} in the ledger, {expected:?} to the eye"
        );
        cleared.extend(edits.cleared);
        cuts.push(cut);
    }
    check_kept_removals(case, &reading, &fates)?;

    let analysis = check_holes(case, reading, head, states)?;
    let reading = &analysis.reading;
    for (unit, state) in reading.units.iter().zip(&analysis.states) {
        let (fate, reason) = &fates[unit.item];
        let atom = reading
            .units
            .iter()
            .position(|other| other.item == unit.item)
            .map(|unit| reading.atom_of[unit]);
        let is_system = atom.is_some_and(|atom| atom < reading.leading());
        if *state == State::Sent && case.is_plain && *fate == Fate::Kept {
            let allowed = if is_system {
                ["anchor:system"].as_slice()
            } else {
                &["", "anchor:turn"]
            };
            ensure!(
                allowed.contains(&reason.as_str()),
                "item {} kept for {reason:?}",
                unit.item
            );
        }
        if *state == State::Fallen && *fate == Fate::Dropped {
            for (name, flag) in LIMITS.iter().zip(flags(projection)) {
                ensure!(
                    !reason.contains(name) || flag,
                    "item {} fell for {reason}, flag not set",
                    unit.item
                );
            }
        }
    }
    check_pairs(case, reading, &analysis.states, &kept, &cuts, &sent)?;
    check_results(case, reading, &analysis.states, &cleared, &report.notes)?;
    check_images(case, projection, reading)?;
    check_limits(case, projection, &analysis)?;
    Ok(analysis)
}

fn flags(projection: &Projection) -> [bool; 3] {
    let report = &projection.report;
    [
        report.item_limit_applied,
        report.character_limit_applied,
        report.token_limit_applied,
    ]
}

fn pinned_atoms(reading: &Reading, pinned: u64) -> usize {
    let units = reading.units.iter().zip(&reading.atom_of);
    units
        .filter(|(unit, _)| (unit.item as u64) < pinned)
        .map(|(_, atom)| atom + 1)
        .max()
        .unwrap_or(0)
}

fn check_summary(case: &Case<'_>, mut item: Value) -> Result<(), String> {
    let as_system = case.options.summary_role == SummaryRole::System;
    let summary = case.options.summary.as_deref().unwrap_or_default();
    let text = ["/content/0/text", "/content", "/parts/0/text"]
        .iter()
        .find_map(|path| item.pointer(path).and_then(Value::as_str))
        .ok_or_else(|| format!("no text in {item}"))?
        .to_owned();
    let first_line = text.lines().next().unwrap_or_default();
    ensure!(
        first_line.len() < 60 && !first_line.is_empty(),
        "first line {first_line:?}"
    );
    ensure!(text == format!("{first_line}\n{summary}"), "text {text:?}");
    if case.kind == Kind::AiSdkUi
        && let Some(id) = item.as_object_mut().and_then(|object| object.shift_remove("id"))
    {
        ensure!(
            id.as_str()
                .is_some_and(|id| id.starts_with("summary-") && id.len() > 10),
            "id {id}"
        );
    }
    let known = summary_item(case.kind, true, as_system, &text);
    let unknown = summary_item(case.kind, false, as_system, &text);
    ensure!(
        item == known || (case.options.dialect.is_none() && item == unknown),
        "{item} is not {known}"
    );
    Ok(())
}

/// Whole items go for their reasoning only where Tier 2 may take it.
fn check_kept_removals(case: &Case<'_>, reading: &Reading, fates: &[(Fate, String)]) -> Result<(), String> {
    for (unit, atom) in reading.units.iter().zip(&reading.atom_of) {
        let (fate, reason) = &fates[unit.item];
        let fell = LIMITS.iter().any(|limit| reason.contains(limit));
        let is_old = reading.running.is_some_and(|running| *atom < running);
        if *fate == Fate::Dropped && !fell {
            ensure!(
                !case.is_plain,
                "item {} dropped for {reason:?} without a tier",
                unit.item
            );
            let by_image = reason.contains("maxRecentImages") && case.budget.max_recent_images.is_some();
            ensure!(
                by_image || (unit.reasons && case.trims() && is_old && reason.contains("trimOldReasoning")),
                "item {} dropped for {reason:?}",
                unit.item
            );
        }
    }
    Ok(())
}

/// What the limits made fall is one contiguous range of whole atoms behind the head, less the anchor.
fn check_holes(case: &Case<'_>, reading: Reading, head: usize, states: Vec<State>) -> Result<Analysis, String> {
    let state_of = |atom: usize, state: State| reading.atoms[atom].units.iter().any(|unit| states[*unit] == state);
    for atom in 0..reading.atoms.len() {
        ensure!(
            !(state_of(atom, State::Sent) && state_of(atom, State::Fallen)),
            "atom {atom} is torn: {:?}",
            reading.atoms[atom]
        );
    }
    let last = (0..reading.atoms.len())
        .rev()
        .find(|atom| state_of(*atom, State::Fallen));
    let tail = last.map_or(head, |atom| atom + 1);
    if let Some(last) = last {
        ensure!(last >= head, "atom {last} of the head fell");
        ensure!(tail < reading.atoms.len(), "the newest atom fell");
        ensure!(
            tail <= reading.newest(),
            "the tail begins at {tail}, behind the newest atom {}",
            reading.newest()
        );
        ensure!(
            reading.may_cut(tail),
            "the tail begins at {tail}, which belongs to the atom before it"
        );
        let opener = reading.atoms[tail]
            .opener
            .filter(|opener| (head..tail).contains(opener));
        for atom in head..tail {
            ensure!(
                !state_of(atom, State::Sent) || Some(atom) == opener,
                "atom {atom} stands between head {head} and tail {tail} and is no anchor"
            );
        }
        let knows_dialect = case.options.dialect.is_some();
        let must_open = case.kind.opens_with_user() && knows_dialect;
        if let Some(opener) = opener
            && (must_open || reading.running == Some(opener))
        {
            ensure!(
                state_of(opener, State::Sent),
                "the opener of the tail's turn, atom {opener}, is not there"
            );
        }
    }
    // The head is whole.
    for atom in 0..head {
        ensure!(!state_of(atom, State::Fallen), "atom {atom} of the head fell");
    }
    Ok(Analysis {
        reading,
        head,
        tail,
        states,
        any_fallen: last.is_some(),
    })
}

/// Pairs of the output are those of the source.
fn check_pairs(
    case: &Case<'_>,
    reading: &Reading,
    states: &[State],
    kept: &[usize],
    cuts: &[usize],
    sent: &[Value],
) -> Result<(), String> {
    let out = read(&all_units(sent, case.kind), case.kind);
    let source_unit = |unit: usize| {
        let found = &out.units[unit];
        let (item, segment) = (kept[found.item], found.segment + cuts[found.item]);
        reading
            .units
            .iter()
            .position(|unit| unit.item == item && unit.segment == segment)
            .expect("a source unit")
    };
    let mut pairs: Vec<(Place, Place)> = out
        .pairs
        .iter()
        .map(|(call, answer)| ((source_unit(call.0), call.1), (source_unit(answer.0), answer.1)))
        .collect();
    let is_sent = |place: &Place| states[place.0] == State::Sent;
    for (call, answer) in &reading.pairs {
        ensure!(is_sent(call) == is_sent(answer), "a pair is torn: {call:?} {answer:?}");
    }
    let mut expected: Vec<(Place, Place)> = reading
        .pairs
        .iter()
        .filter(|(call, _)| is_sent(call))
        .copied()
        .collect();
    pairs.sort_unstable();
    expected.sort_unstable();
    ensure!(pairs == expected, "pairs {pairs:?} are not {expected:?}");
    let stray = reading.stray.iter().filter(|place| is_sent(place)).count();
    ensure!(
        out.stray.len() == stray,
        "{} results without a call, {stray} in the source",
        out.stray.len()
    );
    Ok(())
}

/// How many results the fold of SEMANTICS §1.4 clears when nothing else moves.
fn cleared_by_fold(reading: &Reading, counted: &[Place], most: usize, low: usize) -> usize {
    let (mut so_far, mut unread_from, mut cleared) = (0, 0, 0);
    for (index, unit) in reading.units.iter().enumerate() {
        if unit.who == Who::Model {
            unread_from = so_far;
        }
        so_far += counted.iter().filter(|place| place.0 == index).count();
        if so_far - cleared > most {
            cleared = cleared.max(so_far.saturating_sub(low).min(unread_from));
        }
    }
    cleared
}

/// Tier 1: old results are cleared first, the newest never, and no more keep their text than may.
fn check_results(
    case: &Case<'_>,
    reading: &Reading,
    states: &[State],
    cleared: &[Place],
    notes: &[String],
) -> Result<(), String> {
    let note = notes.iter().find(|note| note.starts_with("tier1 microcompact: "));
    let Some(most) = case.budget.max_recent_tool_results.filter(|_| !case.is_plain) else {
        ensure!(
            cleared.is_empty() && note.is_none(),
            "cleared {cleared:?} without being asked, {note:?}"
        );
        return Ok(());
    };
    let low = if most == 0 {
        0
    } else {
        ((most as f64 * case.budget.low_water).floor() as usize).max(1)
    };
    let counts = |place: &Place| {
        let answer = &reading.units[place.0].answers[place.1];
        let name = reading
            .call_of(*place)
            .and_then(|call| call.name.clone())
            .or(answer.name.clone());
        let is_kept = name.is_some_and(|name| case.budget.keep_tools.contains(&name));
        let item = &case.items[reading.units[place.0].item];
        let payload = answer.payload.as_ref().and_then(|path| item.pointer(path));
        let takes_text = item["type"] != json!("tool_search_output");
        takes_text
            && !is_kept
            && payload.is_some_and(|payload| {
                // Media inside a payload makes it longer than any placeholder.
                may_hold_media(payload) || chars(payload) > chars(&expected_placeholder(case, reading, *place))
            })
    };
    let counted: Vec<Place> = (0..reading.units.len())
        .flat_map(|unit| (0..reading.units[unit].answers.len()).map(move |at| (unit, at)))
        .filter(counts)
        .collect();
    for place in cleared {
        ensure!(
            counted.contains(place),
            "result {place:?} cleared, though it does not count"
        );
    }
    let last_model = reading
        .units
        .iter()
        .rposition(|unit| unit.who == Who::Model)
        .unwrap_or(0);
    let unread: Vec<&Place> = counted.iter().filter(|place| place.0 >= last_model).collect();
    ensure!(
        unread.iter().all(|place| !cleared.contains(place)),
        "a result was cleared that the model has not read"
    );
    let newest = &counted[counted.len().saturating_sub(low)..];
    ensure!(
        newest.iter().all(|place| !cleared.contains(place)),
        "one of the {low} newest results was cleared"
    );
    let budget = case.budget;
    let others = budget.trim_old_reasoning || budget.max_recent_images.is_some();
    if !others && case.limits().iter().all(Option::is_none) {
        let expected = cleared_by_fold(reading, &counted, most as usize, low);
        ensure!(
            cleared.len() == expected,
            "{} results cleared, the fold clears {expected}",
            cleared.len()
        );
    }
    let visible: Vec<&Place> = counted.iter().filter(|place| states[place.0] == State::Sent).collect();
    let full = visible.iter().filter(|place| !cleared.contains(place)).count();
    ensure!(
        full as u64 <= most.max(unread.len() as u64),
        "{full} results keep their text, {most} may, {} are unread",
        unread.len()
    );
    let first_full = visible
        .iter()
        .position(|place| !cleared.contains(place))
        .unwrap_or(visible.len());
    ensure!(
        visible[first_full..].iter().all(|place| !cleared.contains(place)),
        "a result was cleared behind one that was not"
    );
    let expected = (!cleared.is_empty()).then(|| {
        format!(
            "tier1 microcompact: cleared {} old tool result(s), kept recent {full}",
            cleared.len()
        )
    });
    ensure!(note == expected.as_ref(), "note {note:?}, not {expected:?}");
    Ok(())
}

fn is_image(value: &Value) -> bool {
    value.is_object()
        && images(value) == 1
        && value
            .as_object()
            .is_some_and(|object| object.values().all(|inner| images(inner) == 0))
}

/// No more images than may be, but for those that the model has not seen.
fn check_images(case: &Case<'_>, projection: &Projection, reading: &Reading) -> Result<(), String> {
    let sent: usize = projection.items.iter().map(images).sum();
    let Some(most) = case.budget.max_recent_images.filter(|_| !case.is_plain) else {
        return Ok(());
    };
    let last_model = reading
        .units
        .iter()
        .rposition(|unit| unit.who == Who::Model)
        .unwrap_or(0);
    let unseen: usize = reading.units[last_model..]
        .iter()
        .map(|unit| images(&case.items[unit.item]))
        .sum();
    ensure!(
        sent as u64 <= most.max(unseen as u64),
        "{sent} images, {most} may be, {unseen} are unseen"
    );
    let source: usize = case.items.iter().map(images).sum();
    let low = if most == 0 {
        0
    } else {
        ((most as f64 * case.budget.low_water).floor() as usize).max(1)
    };
    let falls = case.limits().iter().any(Option::is_some) || case.budget.max_recent_tool_results.is_some();
    ensure!(
        falls || sent >= source.min(low),
        "{sent} images of {source}, the newest {low} stay"
    );
    Ok(())
}

/// P3, and the figures of the report.
fn check_limits(case: &Case<'_>, projection: &Projection, analysis: &Analysis) -> Result<(), String> {
    let report = &projection.report;
    let fresh = |items: &[Value]| {
        let options = ProjectOptions {
            dialect: case.options.dialect,
            ..ProjectOptions::default()
        };
        project(items, &ContextBudget::default(), &options, None).map_err(|error| error.to_string())
    };
    let again = fresh(&projection.items)?;
    ensure!(
        again.report.source_approx_chars == report.projected_approx_chars,
        "projectedApproxChars {}, but {} in a fresh report",
        report.projected_approx_chars,
        again.report.source_approx_chars
    );
    ensure!(again.items == projection.items, "an empty budget changes something");
    let has_media = projection.items.iter().any(may_hold_media);
    if !has_media {
        let measured: u64 = projection.items.iter().map(chars).sum();
        ensure!(
            report.projected_approx_chars == measured,
            "{} characters, measured {measured}",
            report.projected_approx_chars
        );
    }
    if !case.items.iter().any(may_hold_media) {
        let measured: u64 = case.items.iter().map(chars).sum();
        ensure!(
            report.source_approx_chars == measured,
            "source: {} characters, measured {measured}",
            report.source_approx_chars
        );
    }
    let counts_tokens = case.budget.max_tokens.is_some() || case.options.counts_tokens;
    ensure!(
        report.projected_tokens.is_some() == counts_tokens,
        "tokens {:?}",
        report.projected_tokens
    );
    let is_calibrated = case.options.calibration.is_some();
    let measured_tokens: u64 = projection.items.iter().map(tokens).sum();
    if let (Some(reported), false, false) = (report.projected_tokens, has_media, is_calibrated) {
        ensure!(
            reported == measured_tokens,
            "{reported} tokens, measured {measured_tokens}"
        );
    }
    let totals = [
        projection.items.len() as u64,
        report.projected_approx_chars,
        report.projected_tokens.unwrap_or(0),
    ];
    let mut is_over = false;
    for ((limit, total), unit) in case
        .limits()
        .into_iter()
        .zip(totals)
        .zip(["items", "characters", "tokens"])
    {
        let Some(limit) = limit else { continue };
        let note = report
            .notes
            .iter()
            .find(|note| note.starts_with("over budget: ") && note.ends_with(unit));
        // No room for tokens at all is over budget, even with nothing to send.
        let exceeds = total as i64 > limit || limit <= 0;
        is_over |= exceeds;
        ensure!(note.is_some() == exceeds, "{total} of {limit} {unit}, note {note:?}");
        if let Some(note) = note {
            let numbers: Vec<u64> = note
                .split([' ', ':'])
                .map(|word| word.trim_end_matches(',').replace(',', ""))
                .filter_map(|word| word.parse().ok())
                .collect();
            let (room, parts) = numbers.split_last().ok_or("no numbers")?;
            ensure!(
                *room == limit.max(0) as u64 && parts.iter().sum::<u64>() == total,
                "{note:?} does not add up to {total} of {limit}"
            );
        }
    }
    ensure!(
        report.over_budget == is_over,
        "overBudget {}, totals {totals:?}",
        report.over_budget
    );
    if is_over {
        let reading = &analysis.reading;
        let newest = reading.newest();
        let opener = reading.atoms.get(newest).and_then(|atom| atom.opener);
        for atom in analysis.head..newest {
            let is_sent = reading.atoms[atom]
                .units
                .iter()
                .any(|unit| analysis.states[*unit] == State::Sent);
            ensure!(
                !is_sent || Some(atom) == opener,
                "over budget, and atom {atom} is still there"
            );
        }
    }
    for ((name, limit), flag) in LIMITS
        .iter()
        .zip([
            case.budget.max_items,
            case.budget.max_approx_chars,
            case.budget.max_tokens,
        ])
        .zip(flags(projection))
    {
        let note = limit.map(|limit| format!("{name} applied: {limit}"));
        let is_noted = note.is_some_and(|note| report.notes.contains(&note));
        ensure!(is_noted == flag, "{name}: flag {flag}, noted {is_noted}");
    }
    let applied = flags(projection).contains(&true);
    ensure!(
        applied == analysis.any_fallen,
        "limits applied: {applied}, something fell: {}",
        analysis.any_fallen
    );
    Ok(())
}
