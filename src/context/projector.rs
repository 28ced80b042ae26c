//! The two projectors, over JSON values and over JSON text.

use super::budget::ContextBudget;
use super::fold::{Fold, counts_tokens};
use super::options::{ProjectOptions, Projector, SummaryRole};
use super::plan::{Entry, Plan};
use super::report::{ContextReport, conclude};
use super::setting::Setting;
use super::size::Size;
use crate::error::{Error, ErrorCode};
use crate::item::depth::{MAX_ITEM_DEPTH, MAX_TEXT_DEPTH, text_is_shallow, value_is_shallow};
use crate::item::dialect::{Dialect, read, summary_item};
use crate::item::edit::apply;
use crate::item::facts::Facts;
use crate::item::json::{compact, parse, write};
use crate::item::measure::chars;
use crate::item::payload::{CountTokens, Payloads, Values};
use crate::item::sketch::Sketch;
use crate::item::tokens::{ITEM_TOKENS, estimate};
use serde_json::Value;
use serde_json::value::RawValue;
use std::rc::Rc;

/// What the model is sent this turn, and the account of it.
#[derive(Clone, Debug)]
pub struct Projection {
    /// The items.
    pub items: Vec<Value>,
    /// The account.
    pub report: ContextReport,
}

/// Facts of each item in order. An item's shape decides; where it fits several dialects, the history's does.
#[must_use]
pub fn read_items<'s>(sketches: impl Iterator<Item = Sketch<'s>>, dialect: Option<Dialect>) -> Vec<Rc<Facts>> {
    let mut history = dialect;
    sketches
        .map(|sketch| {
            let facts = read(&sketch, history);
            history = history.or(facts.dialect);
            Rc::new(facts)
        })
        .collect()
}

/// The plan and report of a projection, from facts.
///
/// # Errors
/// Those of the host's token counter.
pub fn plan_projection<P: Payloads>(
    facts: &[Rc<Facts>],
    payloads: &P,
    budget: &ContextBudget,
    options: &ProjectOptions,
    count_text: impl Fn(&str) -> Result<u64, P::Error>,
) -> Result<(Plan, ContextReport), P::Error> {
    let limited;
    let budget = match options.projector {
        Projector::TypeAware => budget,
        Projector::Default => {
            limited = budget.without_tiers();
            &limited
        }
    };
    let dialect = options.dialect.or_else(|| facts.iter().find_map(|facts| facts.dialect));
    let as_system = options.summary_role == SummaryRole::System;
    let summary = options.summary.as_deref().filter(|text| !text.is_empty());
    let summary = summary.map(|text| summary_item(dialect, text, as_system));
    let does_count = counts_tokens(budget, options);
    let summary_size = match &summary {
        Some(item) => Size {
            items: 1,
            chars: chars(&Sketch::of(item)),
            tokens: if does_count {
                count_text(&texts(item))? + ITEM_TOKENS
            } else {
                0
            },
        },
        None => Size::default(),
    };
    let mut fold = Fold::new(budget, options, payloads, summary_size);
    for facts in facts {
        fold.push(facts.clone())?;
    }
    let tokens = does_count.then(|| fold.scene().source_tokens()).transpose()?;
    Ok(conclude(&fold, budget, options, summary.as_ref(), tokens))
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

/// Projects a history of JSON values. `count_tokens` counts the text of one item; `None`: the built-in estimate.
///
/// # Errors
/// `invalid_item` where an item is no object or nests too deeply.
pub fn project(
    items: &[Value],
    budget: &ContextBudget,
    options: &ProjectOptions,
    count_tokens: Option<CountTokens<'_>>,
) -> Result<Projection, Error> {
    for (index, item) in items.iter().enumerate() {
        check_item(item, index)?;
    }
    let (plan, report) = plan_values(items, budget, options, count_tokens)?;
    let items = plan
        .entries
        .into_iter()
        .filter_map(|entry| match entry {
            Entry::Source(index) => items.get(index).cloned(),
            Entry::Edited(index, edits) => items.get(index).map(|item| apply(item, &edits)),
            Entry::New(item) => Some(item),
        })
        .collect();
    Ok(Projection { items, report })
}

fn plan_values(
    items: &[Value],
    budget: &ContextBudget,
    options: &ProjectOptions,
    count_tokens: Option<CountTokens<'_>>,
) -> Result<(Plan, ContextReport), Error> {
    let facts = read_items(items.iter().map(Sketch::of), options.dialect);
    let values = Values {
        items,
        media_tokens: options.media_tokens(),
        count_tokens,
    };
    plan_projection(&facts, &values, budget, options, |text| {
        Ok(count_tokens.map_or_else(|| estimate(text), |count| count(text)))
    })
}

fn check_item(item: &Value, index: usize) -> Result<(), Error> {
    let problem = if !item.is_object() {
        "must be an object".to_owned()
    } else if !value_is_shallow(item) {
        format!("nests more than {MAX_ITEM_DEPTH} levels")
    } else {
        return Ok(());
    };
    Err(Error::new(ErrorCode::InvalidItem, format!("items[{index}]"), problem))
}

/// Projects a history given as JSON text, an array of items; answers `{"items":[…],"report":{…}}`. Each untouched item
/// comes back as the very text that came in. `budget` and `options` are JSON texts too, or empty.
///
/// # Errors
/// `invalid_item`, `invalid_budget` or `invalid_option` with the path of what is wrong.
pub fn project_json(items: &str, budget: &str, options: &str) -> Result<String, Error> {
    let budget = ContextBudget::read(&setting(budget, "budget", ErrorCode::InvalidBudget)?)?;
    let options = ProjectOptions::read(&setting(options, "options", ErrorCode::InvalidOption)?)?;
    project_texts(items, &budget, &options, None)
}

/// [`project_json`] with settings that are read already.
///
/// # Errors
/// `invalid_item` with the path of what is wrong.
pub fn project_texts(
    items: &str,
    budget: &ContextBudget,
    options: &ProjectOptions,
    count_tokens: Option<CountTokens<'_>>,
) -> Result<String, Error> {
    let texts = item_texts(items)?;
    let mut values = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        let value = parse(text.get()).ok_or_else(|| {
            Error::new(
                ErrorCode::InvalidItem,
                format!("items[{index}]"),
                "holds a text that is no Unicode",
            )
        })?;
        check_item(&value, index)?;
        values.push(value);
    }
    let (plan, report) = plan_values(&values, budget, options, count_tokens)?;
    let mut out = String::from("{\"items\":[");
    for (position, entry) in plan.entries.iter().enumerate() {
        if position > 0 {
            out.push(',');
        }
        match entry {
            Entry::Source(index) => out.push_str(texts.get(*index).map_or("null", |text| text.get())),
            Entry::Edited(index, edits) => match values.get(*index) {
                Some(value) => write(&apply(value, edits), &mut out),
                None => out.push_str("null"),
            },
            Entry::New(item) => out.push_str(&compact(item)),
        }
    }
    out.push_str("],\"report\":");
    out.push_str(&report.to_json());
    out.push('}');
    Ok(out)
}

fn item_texts(items: &str) -> Result<Vec<&RawValue>, Error> {
    let error = |message: String| Error::new(ErrorCode::InvalidItem, "items", message);
    if !text_is_shallow(items) {
        return Err(error(format!("nests more than {MAX_TEXT_DEPTH} levels")));
    }
    if items.trim_start().starts_with('[') {
        serde_json::from_str(items).map_err(|problem| error(format!("is no JSON: {problem}")))
    } else {
        Err(error("must be a JSON array of items".to_owned()))
    }
}

/// Settings given as JSON text.
///
/// # Errors
/// Of `code` at `name`, where the text is no JSON.
pub fn setting(json: &str, name: &str, code: ErrorCode) -> Result<Setting, Error> {
    if json.trim().is_empty() {
        return Ok(Setting::Absent);
    }
    parse(json)
        .map(|value| Setting::from(&value))
        .ok_or_else(|| Error::new(code, name, "is no JSON"))
}

/// The projector with Tiers 1 and 2 off: limits only.
#[derive(Clone, Debug, Default)]
pub struct DefaultContextProjector {
    options: ProjectOptions,
}

/// The projector that knows what items are: Tier 1 clears old results, Tier 2 old reasoning.
#[derive(Clone, Debug, Default)]
pub struct TypeAwareContextProjector {
    options: ProjectOptions,
}

macro_rules! projector {
    ($name:ident, $kind:expr) => {
        impl $name {
            /// A projector with these options; which projector they name makes no difference.
            #[must_use]
            pub fn new(options: ProjectOptions) -> Self {
                Self {
                    options: ProjectOptions {
                        projector: $kind,
                        ..options
                    },
                }
            }

            /// Projects a history.
            ///
            /// # Errors
            /// `invalid_item` where an item is no object or nests too deeply.
            pub fn project(&self, items: &[Value], budget: &ContextBudget) -> Result<Projection, Error> {
                project(items, budget, &self.options, None)
            }
        }
    };
}

projector!(DefaultContextProjector, Projector::Default);
projector!(TypeAwareContextProjector, Projector::TypeAware);
