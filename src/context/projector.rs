//! The two projectors, over JSON values and over JSON text.

use super::budget::ContextBudget;
use super::options::{ProjectOptions, Projector};
use super::pipeline::{Outcome, plan_projection};
use super::plan::Entry;
use super::report::ContextReport;
use super::setting::Setting;
use crate::error::{Error, ErrorCode};
use crate::item::depth::{MAX_ITEM_DEPTH, MAX_TEXT_DEPTH, text_is_shallow, value_is_shallow};
use crate::item::dialect::{Dialect, read};
use crate::item::edit::apply;
use crate::item::facts::Facts;
use crate::item::json::{compact, parse, parse_as_javascript, without_half_pairs, write};
use crate::item::payload::{CountTokens, Values};
use crate::item::sketch::Sketch;
use crate::item::tokens::estimate;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
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
    let outcome = plan_values(items, budget, options, count_tokens)?;
    let sources = outcome.rebuilt.as_ref().map_or(items, |(values, _)| &values.items);
    let items = outcome
        .plan
        .entries
        .into_iter()
        .filter_map(|entry| match entry {
            Entry::Source(index) => sources.get(index).cloned(),
            Entry::Edited(index, edits) => sources.get(index).map(|item| apply(item, &edits)),
            Entry::New(item) => Some(item),
        })
        .collect();
    Ok(Projection {
        items,
        report: outcome.report,
    })
}

fn plan_values<'a>(
    items: &'a [Value],
    budget: &ContextBudget,
    options: &ProjectOptions,
    count_tokens: Option<CountTokens<'a>>,
) -> Result<Outcome<Values<'a>>, Error> {
    let facts = read_items(items.iter().map(Sketch::of), options.dialect);
    let values = Values {
        items: Cow::Borrowed(items),
        media_tokens: options.media_tokens(),
        count_tokens,
    };
    plan_projection(&facts, &values, budget, options, |text| {
        Ok(count_tokens.map_or_else(|| estimate(text), |count| count(text)))
    })
}

/// Whether a value can be an item.
///
/// # Errors
/// `invalid_item` where it is no object or nests too deeply.
pub fn check_item(item: &Value, index: usize) -> Result<(), Error> {
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
    // Half of a surrogate pair has no UTF-8: mended on reading.
    let mended = without_half_pairs(items);
    let texts = item_texts(mended.as_deref().unwrap_or(items))?;
    let mut values = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        let value = parse_as_javascript(text.get())
            .ok_or_else(|| Error::new(ErrorCode::InvalidItem, format!("items[{index}]"), "could not be read"))?;
        check_item(&value, index)?;
        values.push(value);
    }
    let outcome = plan_values(&values, budget, options, count_tokens)?;
    let source_text = |entry: usize| match &outcome.rebuilt {
        None => texts.get(entry).map(|text| text.get()),
        Some((_, sources)) => sources
            .get(entry)
            .copied()
            .flatten()
            .and_then(|item| texts.get(item))
            .map(|text| text.get()),
    };
    let sources = outcome
        .rebuilt
        .as_ref()
        .map_or(values.as_slice(), |(values, _)| &values.items);
    let mut out = String::from("{\"items\":[");
    for (position, entry) in outcome.plan.entries.iter().enumerate() {
        if position > 0 {
            out.push(',');
        }
        match entry {
            Entry::Source(index) => match (source_text(*index), sources.get(*index)) {
                (Some(text), _) => out.push_str(text),
                (None, Some(value)) => write(value, &mut out),
                (None, None) => out.push_str("null"),
            },
            Entry::Edited(index, edits) => match sources.get(*index) {
                Some(value) => write(&apply(value, edits), &mut out),
                None => out.push_str("null"),
            },
            Entry::New(item) => out.push_str(&compact(item)),
        }
    }
    out.push_str("],\"report\":");
    out.push_str(&outcome.report.to_json());
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
