//! `project` and `projectJson`.

use super::items::JsItems;
use super::{host, settings};
use crate::context::{
    ContextBudget, ContextReport, Entry, Fate, Plan, ProjectOptions, plan_projection, project_texts, read_items,
};
use crate::error::{Error, ErrorCode};
use crate::item::dialect::Dialect;
use crate::item::edit::to_json;
use crate::item::facts::Facts;
use crate::item::json::compact;
use crate::item::sketch::Reader;
use js_sys::{Array, Function, Object, Reflect};
use std::rc::Rc;
use wasm_bindgen::convert::TryFromJsValue;
use wasm_bindgen::prelude::*;

/// Facts of a history's items, kept between calls by `js/boundary.js`.
#[wasm_bindgen(skip_typescript)]
pub struct KeptFacts {
    facts: Vec<Rc<Facts>>,
    dialect: Option<Dialect>,
}

/// Projects a plain array of items; kept items come back as the very same objects.
///
/// # Errors
/// `invalid_item`, `invalid_budget`, `invalid_option`; what the host's functions throw.
#[wasm_bindgen(js_name = project, skip_typescript)]
pub fn project(items: &JsValue, budget: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let (options, count) = settings::options(options)?;
    project_with(items, &settings::budget(budget)?, &options, count.as_ref())
}

/// Projects a history given as JSON text.
///
/// # Errors
/// `invalid_item`, `invalid_budget`, `invalid_option`; what the host's functions throw.
#[wasm_bindgen(js_name = projectJson, skip_typescript)]
pub fn project_json(items: &JsValue, budget: &JsValue, options: &JsValue) -> Result<String, JsValue> {
    let Some(text) = items.as_string() else {
        return Err(Error::new(ErrorCode::InvalidItem, "items", "must be JSON text").into());
    };
    let budget = settings::budget(budget)?;
    let (options, count) = settings::options(options)?;
    let Some(count) = count else {
        return Ok(project_texts(&text, &budget, &options, None)?);
    };
    // The core's counter cannot fail, so a failure of the host's is kept aside and thrown at the end.
    let failure = std::cell::RefCell::new(None);
    let counter = |text: &str| match host::count_text(&count, text) {
        Ok(tokens) => tokens as u64,
        Err(error) => {
            failure.borrow_mut().get_or_insert(error);
            0
        }
    };
    let output = project_texts(&text, &budget, &options, Some(&counter));
    match failure.into_inner() {
        Some(error) => Err(error),
        None => Ok(output?),
    }
}

/// What would make the provider refuse these items.
///
/// # Errors
/// `invalid_item`, `invalid_option`.
#[wasm_bindgen(js_name = validate, skip_typescript)]
pub fn validate(items: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let items = array(items)?;
    let options = settings::terms(options)?;
    let encoded = host::sketch(items, 0)?;
    let mut reader = Reader::new(&encoded);
    let sketches: Vec<_> = std::iter::from_fn(|| reader.value()).collect();
    let found = Array::new();
    for violation in crate::context::validate(&sketches, &options) {
        let entry = Object::new();
        Reflect::set(&entry, &"index".into(), &JsValue::from(violation.index as u32))?;
        Reflect::set(&entry, &"rule".into(), &violation.rule.into())?;
        Reflect::set(&entry, &"severity".into(), &violation.severity.as_str().into())?;
        Reflect::set(&entry, &"message".into(), &violation.message.into())?;
        found.push(&entry);
    }
    Ok(found.into())
}

/// An array of items.
///
/// # Errors
/// `invalid_item` at `items`.
pub fn array(items: &JsValue) -> Result<&Array, JsValue> {
    if Array::is_array(items) {
        Ok(items.unchecked_ref())
    } else {
        Err(Error::new(ErrorCode::InvalidItem, "items", "must be an array").into())
    }
}

/// Projects with settings that are read already.
///
/// # Errors
/// `invalid_item`; what the host's functions throw.
pub fn project_with(
    items: &JsValue,
    budget: &ContextBudget,
    options: &ProjectOptions,
    count: Option<&Function>,
) -> Result<JsValue, JsValue> {
    let items = array(items)?;
    let read = read_facts(items, options.dialect)?;
    let payloads = JsItems {
        items: items.clone(),
        media_tokens: options.media_tokens(),
        count_tokens: count.cloned(),
    };
    let outcome = plan_projection(&read.facts, &payloads, budget, options, |text| payloads.count(text));
    read.keep(items);
    let outcome = outcome?;
    let sources = outcome.rebuilt.as_ref().map_or(items, |(rebuilt, _)| &rebuilt.items);
    answer(sources, &outcome.plan, &outcome.report)
}

/// Facts of a history.
pub struct Read {
    /// Of each item.
    pub facts: Vec<Rc<Facts>>,
    dialect: Option<Dialect>,
}

impl Read {
    /// Keeps them for the next call.
    pub fn keep(self, items: &Array) {
        let kept = KeptFacts {
            facts: self.facts,
            dialect: self.dialect,
        };
        host::keep_facts(items, kept.into());
    }
}

/// Facts of all items; those of leading items that were read before are taken from there.
///
/// # Errors
/// `invalid_item`.
pub fn read_facts(items: &Array, dialect: Option<Dialect>) -> Result<Read, JsValue> {
    let recalled = host::recall_facts(items);
    let mut facts = match KeptFacts::try_from_js_value(recalled.facts()) {
        Ok(kept) if kept.dialect == dialect => kept.facts,
        _ => Vec::new(),
    };
    facts.truncate(recalled.known() as usize);
    let history = dialect.or_else(|| facts.iter().find_map(|facts| facts.dialect));
    let encoded = host::sketch(items, facts.len() as u32)?;
    let mut reader = Reader::new(&encoded);
    let sketches = std::iter::from_fn(|| reader.value());
    facts.extend(read_items(sketches, history));
    // The boundary writes one sketch an item; fewer would mean that its text was not understood.
    if facts.len() != items.length() as usize {
        return Err(Error::new(
            ErrorCode::InvalidItem,
            format!("items[{}]", facts.len()),
            "could not be read",
        )
        .into());
    }
    Ok(Read { facts, dialect })
}

fn answer(items: &Array, plan: &Plan, account: &ContextReport) -> Result<JsValue, JsValue> {
    let projection = Object::new();
    Reflect::set(&projection, &"items".into(), &assemble(items, plan)?.into())?;
    Reflect::set(&projection, &"report".into(), &report(account))?;
    Ok(projection.into())
}

/// The items that a plan names.
///
/// # Errors
/// What the host's objects throw.
pub fn assemble(items: &Array, plan: &Plan) -> Result<Array, JsValue> {
    let (triples, texts) = encode(plan);
    host::assemble(items, &triples, texts)
}

/// A report as a JavaScript object.
pub fn report(report: &ContextReport) -> JsValue {
    let fates = Fate::ALL.iter().map(|fate| fate.as_str().to_owned()).collect();
    let (figures, reasons) = figures(report);
    host::make_report(
        &figures,
        report.pending_call_ids.clone(),
        report.notes.clone(),
        fates,
        reasons,
    )
}

/// The plan for `assemble()` of `js/boundary.js`.
fn encode(plan: &Plan) -> (Vec<u32>, Vec<String>) {
    let mut triples: Vec<u32> = Vec::new();
    let mut texts = Vec::new();
    let mut run: Option<(u32, u32)> = None;
    let flush = |run: &mut Option<(u32, u32)>, triples: &mut Vec<u32>| {
        if let Some((from, to)) = run.take() {
            triples.extend([0, from, to]);
        }
    };
    for entry in &plan.entries {
        match entry {
            Entry::Source(index) => {
                let index = *index as u32;
                match &mut run {
                    Some((_, to)) if *to == index => *to += 1,
                    _ => {
                        flush(&mut run, &mut triples);
                        run = Some((index, index + 1));
                    }
                }
            }
            Entry::Edited(index, edits) => {
                flush(&mut run, &mut triples);
                triples.extend([1, *index as u32, texts.len() as u32]);
                texts.push(to_json(edits));
            }
            Entry::New(item) => {
                flush(&mut run, &mut triples);
                triples.extend([2, texts.len() as u32, 0]);
                texts.push(compact(item));
            }
        }
    }
    flush(&mut run, &mut triples);
    (triples, texts)
}

/// The figures for `makeReport()` of `js/boundary.js`, and the texts of reasons that they name.
fn figures(report: &ContextReport) -> (Vec<f64>, Vec<String>) {
    let flag = |flag: bool| f64::from(u8::from(flag));
    let tokens = |tokens: Option<u64>| tokens.map_or(-1.0, |tokens| tokens as f64);
    let mut figures = vec![
        report.source_item_count as f64,
        report.projected_item_count as f64,
        report.dropped_item_count as f64,
        report.inserted_item_count as f64,
        report.joined_item_count as f64,
        report.source_approx_chars as f64,
        report.projected_approx_chars as f64,
        tokens(report.source_tokens),
        tokens(report.projected_tokens),
        flag(report.item_limit_applied),
        flag(report.character_limit_applied),
        flag(report.token_limit_applied),
        flag(report.over_budget),
        report.stable_prefix_items as f64,
        flag(report.rebased),
    ];
    let mut reasons: Vec<String> = Vec::new();
    for run in &report.ledger {
        let reason = reasons
            .iter()
            .position(|reason| *reason == run.reason)
            .unwrap_or_else(|| {
                reasons.push(run.reason.clone());
                reasons.len() - 1
            });
        figures.extend([run.from as f64, run.to as f64, run.fate as u8 as f64, reason as f64]);
    }
    (figures, reasons)
}
