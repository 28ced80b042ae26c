//! Compaction for `js/compact/`, and memory for `js/memory/`: stateless, on the host's arrays. The classes stand in
//! JavaScript, since a class of the glue would hold the host's functions for ever.

use super::items::JsItems;
use super::project::{Read, array, assemble, read_facts, report};
use super::settings;
use crate::compact::{
    self, Committed, CompactStatus, CompactionPlan, Given, History, LlmCompactOptions, Measured, Previous,
};
use crate::context::{Entry, Plan, ProjectOptions};
use crate::error::{Error, ErrorCode};
use crate::item::dialect::{Dialect, summary_item};
use crate::item::json::{parse, without_half_pairs};
use crate::memory::{self, Added, Outcome};
use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::prelude::*;

/// Runs `use_it` on memory as the core sees it, and keeps the facts.
fn with_memory<T>(
    items: &JsValue,
    summary: Option<&str>,
    options: &ProjectOptions,
    count: Option<&Function>,
    use_it: impl FnOnce(&History<'_, JsItems>) -> Result<T, JsValue>,
) -> Result<T, JsValue> {
    let items = array(items)?;
    let read = read_facts(items, options.dialect)?;
    let payloads = JsItems {
        items: items.clone(),
        media_tokens: options.media_tokens(),
        count_tokens: count.cloned(),
    };
    let answer = use_it(&History {
        facts: &read.facts,
        payloads: &payloads,
        summary,
    });
    read.keep(items);
    answer
}

fn previous(json: Option<String>) -> Result<Option<Previous>, JsValue> {
    let Some(json) = json else { return Ok(None) };
    let mended = without_half_pairs(&json);
    let value = parse(mended.as_deref().unwrap_or(&json));
    let read = value.and_then(|value| serde_json::from_value(value).ok());
    let error = || Error::new(ErrorCode::InvalidOption, "previous", "is no result of a compaction");
    Ok(Some(read.ok_or_else(error)?))
}

fn measured(tokens: f64, overhead_tokens: f64) -> Measured {
    Measured {
        tokens: (tokens >= 0.0).then_some(tokens),
        overhead_tokens: if overhead_tokens > 0.0 {
            overhead_tokens as u64
        } else {
            0
        },
    }
}

/// The options of a history that is compacted, as a projection would have them.
fn terms(options: &LlmCompactOptions) -> ProjectOptions {
    ProjectOptions {
        dialect: options.dialect,
        is_stateless: options.is_stateless,
        ..ProjectOptions::default()
    }
}

/// A plan as JSON text. `tokens` is negative where the host has not measured any.
///
/// # Errors
/// `invalid_item`, `invalid_option`; what the host's functions throw.
#[wasm_bindgen(js_name = compactionPlan, skip_typescript)]
pub fn compaction_plan(
    items: &JsValue,
    summary: Option<String>,
    options: &JsValue,
    before: Option<String>,
) -> Result<String, JsValue> {
    let (options, count) = settings::compaction(options)?;
    let before = previous(before)?;
    let project = terms(&options);
    with_memory(items, summary.as_deref(), &project, count.as_ref(), |memory| {
        let counted = |text: &str| memory.payloads.count(text);
        let plan = compact::plan(memory, &options, Measured::default(), before.as_ref(), counted)?;
        Ok(plan.to_json())
    })
}

/// Whether a compaction with a model is due.
///
/// # Errors
/// `invalid_item`, `invalid_option`; what the host's functions throw.
#[wasm_bindgen(js_name = compactionDue, skip_typescript)]
pub fn compaction_due(
    items: &JsValue,
    summary: Option<String>,
    options: &JsValue,
    tokens: f64,
    overhead_tokens: f64,
) -> Result<bool, JsValue> {
    let (options, count) = settings::compaction(options)?;
    let project = terms(&options);
    with_memory(items, summary.as_deref(), &project, count.as_ref(), |memory| {
        let counted = |text: &str| memory.payloads.count(text);
        compact::should_compact(memory, &options, measured(tokens, overhead_tokens), counted)
    })
}

/// Checks the options of a compaction with a model.
///
/// # Errors
/// `invalid_option` with the field's path.
#[wasm_bindgen(js_name = compactionOptions, skip_typescript)]
pub fn compaction_options(options: &JsValue) -> Result<(), JsValue> {
    settings::compaction(options).map(|_| ())
}

/// The plan with the model's answer.
///
/// # Errors
/// `invalid_option` at `plan`.
#[wasm_bindgen(js_name = compactionAnswer, skip_typescript)]
pub fn compaction_answer(plan: &str, text: Option<String>, finish_reason: Option<String>) -> Result<String, JsValue> {
    let given = Given { text, finish_reason };
    Ok(CompactionPlan::read(plan)?.answer(&given)?.to_json())
}

/// The plan after a call that failed (`summary_failed`) or was given up (`cancelled`).
///
/// # Errors
/// `invalid_option` at `plan`.
#[wasm_bindgen(js_name = compactionFail, skip_typescript)]
pub fn compaction_fail(plan: &str, is_cancelled: bool, message: &str) -> Result<String, JsValue> {
    let status = if is_cancelled {
        CompactStatus::Cancelled
    } else {
        CompactStatus::SummaryFailed
    };
    Ok(CompactionPlan::read(plan)?.fail(status, message).to_json())
}

/// What memory becomes: `{ items, report, fields }`, the last as JSON text.
///
/// # Errors
/// `invalid_item`, `invalid_option` at `plan`; what the host's objects throw.
#[wasm_bindgen(js_name = compactionCommit, skip_typescript)]
pub fn compaction_commit(items: &JsValue, summary: Option<String>, plan: &str) -> Result<JsValue, JsValue> {
    let plan = CompactionPlan::read(plan)?;
    let options = ProjectOptions {
        dialect: plan.dialect(),
        ..ProjectOptions::default()
    };
    with_memory(items, summary.as_deref(), &options, None, |memory| {
        committed(&memory.payloads.items, &compact::commit_plan(memory, plan)?)
    })
}

/// Compacts without a model: `{ items, report, fields }`.
///
/// # Errors
/// `invalid_item`, `invalid_budget`, `invalid_option`; what the host's functions throw.
#[wasm_bindgen(js_name = structuredCompaction, skip_typescript)]
pub fn structured_compaction(
    items: &JsValue,
    summary: Option<String>,
    budget: &JsValue,
    options: &JsValue,
    before: Option<String>,
) -> Result<JsValue, JsValue> {
    let budget = settings::budget(budget)?;
    let (options, count) = settings::options(options)?;
    let before = previous(before)?;
    with_memory(items, summary.as_deref(), &options, count.as_ref(), |memory| {
        let counted = |text: &str| memory.payloads.count(text);
        let done = compact::structured(memory, &budget, &options, before.as_ref(), counted)?;
        committed(&memory.payloads.items, &done)
    })
}

/// Whether a compaction without a model is due.
///
/// # Errors
/// `invalid_item`, `invalid_budget`, `invalid_option`; what the host's functions throw.
#[wasm_bindgen(js_name = structuredDue, skip_typescript)]
pub fn structured_due(
    items: &JsValue,
    summary: Option<String>,
    budget: &JsValue,
    options: &JsValue,
) -> Result<bool, JsValue> {
    let budget = settings::budget(budget)?;
    let (options, count) = settings::options(options)?;
    with_memory(items, summary.as_deref(), &options, count.as_ref(), |memory| {
        let counted = |text: &str| memory.payloads.count(text);
        compact::structured_should_compact(memory, &budget, &options, counted)
    })
}

/// Checks a budget and options.
///
/// # Errors
/// `invalid_budget`, `invalid_option` with the field's path.
#[wasm_bindgen(js_name = structuredOptions, skip_typescript)]
pub fn structured_options(budget: &JsValue, options: &JsValue) -> Result<(), JsValue> {
    settings::budget(budget)?;
    settings::options(options).map(|_| ())
}

fn committed(items: &Array, done: &Committed) -> Result<JsValue, JsValue> {
    let answer = Object::new();
    Reflect::set(&answer, &"items".into(), &assemble(items, &done.plan)?.into())?;
    Reflect::set(&answer, &"report".into(), &report(&done.outcome.report))?;
    let fields = done.outcome.fields().to_string();
    Reflect::set(&answer, &"fields".into(), &fields.into())?;
    Ok(answer.into())
}

/// The dialect of this name.
///
/// # Errors
/// `invalid_option` at `options.dialect`.
pub fn named(dialect: Option<String>) -> Result<Option<Dialect>, JsValue> {
    let options = match dialect {
        Some(name) => settings::terms(&name.into())?,
        None => return Ok(None),
    };
    Ok(options.dialect)
}

/// The facts of a host's items.
///
/// # Errors
/// `invalid_item`.
pub fn facts_of(items: &JsValue, dialect: Option<Dialect>) -> Result<(Array, Read), JsValue> {
    let items = array(items)?;
    Ok((items.clone(), read_facts(items, dialect)?))
}

/// What a person wrote, as an item of the history's dialect.
///
/// # Errors
/// `invalid_item`, `invalid_option`.
#[wasm_bindgen(js_name = memoryUserItem, skip_typescript)]
pub fn memory_user_item(items: &JsValue, dialect: Option<String>, text: &str, id: &str) -> Result<JsValue, JsValue> {
    let dialect = named(dialect)?;
    let (items, read) = facts_of(items, dialect)?;
    let item = memory::user_input(&read.facts, dialect, text, id);
    read.keep(&items);
    first(&items, Entry::New(item))
}

/// What a tool gave, or with `is_failure` the text of what went wrong: `[index, item]`, the index of the item that takes the
/// place of another, or -1.
///
/// # Errors
/// `unknown_call`, `invalid_item`, `invalid_option`.
#[wasm_bindgen(js_name = memoryToolOutput, skip_typescript)]
pub fn memory_tool_output(
    items: &JsValue,
    dialect: Option<String>,
    call_id: &str,
    output: Option<String>,
    is_failure: Option<bool>,
) -> Result<Array, JsValue> {
    let dialect = named(dialect)?;
    let (items, read) = facts_of(items, dialect)?;
    let output = output.and_then(|json| {
        let mended = without_half_pairs(&json);
        parse(mended.as_deref().unwrap_or(&json))
    });
    let outcome = match output.as_ref().and_then(|output| output.as_str()) {
        Some(message) if is_failure == Some(true) => Outcome::Failure(message),
        _ => Outcome::Output(output.as_ref()),
    };
    let added = memory::tool_output(&read.facts, dialect, call_id, outcome);
    read.keep(&items);
    let (index, entry) = match added? {
        Added::Item(item) => (-1.0, Entry::New(item)),
        Added::Edits(index, edits) => (index as f64, Entry::Edited(index, edits)),
    };
    Ok(Array::of2(&index.into(), &first(&items, entry)?))
}

fn first(items: &Array, entry: Entry) -> Result<JsValue, JsValue> {
    let plan = Plan { entries: vec![entry] };
    Ok(assemble(items, &plan)?.get(0))
}

/// Leading system items, the summary as one item, then the rest.
///
/// # Errors
/// `invalid_item`, `invalid_option`.
#[wasm_bindgen(js_name = memoryItems, skip_typescript)]
pub fn memory_items(items: &JsValue, summary: &str, dialect: Option<String>) -> Result<Array, JsValue> {
    let dialect = named(dialect)?;
    let (items, read) = facts_of(items, dialect)?;
    let leading = memory::leading_items(&read.facts, dialect);
    let dialect = dialect.or_else(|| read.facts.iter().find_map(|facts| facts.dialect));
    let mut entries: Vec<Entry> = (0..read.facts.len()).map(Entry::Source).collect();
    read.keep(&items);
    entries.insert(leading, Entry::New(summary_item(dialect, summary, false)));
    assemble(&items, &Plan { entries })
}

/// The newest items, cut between atoms.
///
/// # Errors
/// `invalid_item`; what the host's objects throw.
#[wasm_bindgen(js_name = memoryWindow, skip_typescript)]
pub fn memory_window(items: &JsValue, max_items: f64) -> Result<Array, JsValue> {
    with_memory(items, None, &ProjectOptions::default(), None, |memory| {
        let plan = memory::window(memory.facts, memory.payloads, max_items as u64)?;
        assemble(&memory.payloads.items, &plan)
    })
}

/// The index of the item that holds the newest result of a call; -1 where there is none.
///
/// # Errors
/// `invalid_item`, `invalid_option`.
#[wasm_bindgen(js_name = memoryRecall, skip_typescript)]
pub fn memory_recall(items: &JsValue, dialect: Option<String>, call_id: &str) -> Result<f64, JsValue> {
    let dialect = named(dialect)?;
    let (items, read) = facts_of(items, dialect)?;
    let found = memory::recall(&read.facts, dialect, call_id);
    read.keep(&items);
    Ok(found.map_or(-1.0, |index| index as f64))
}
