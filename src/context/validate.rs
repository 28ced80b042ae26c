//! What would make the provider refuse a history.

use super::options::ProjectOptions;
use crate::history::{Answer, History};
use crate::item::dialect::{self, Dialect};
use crate::item::facts::Facts;
use crate::item::rules::{self, Terms};
use crate::item::sketch::Sketch;
use std::collections::HashSet;
use std::rc::Rc;

pub use crate::item::rules::{Severity, Violation};

/// What would make the provider refuse these items, by index; nothing where nothing would.
///
/// The dialect is the option's, else that of the first item whose shape proves one. Of a history that mixes dialects
/// only the pairing of calls and results is judged. Calls in flight are reported as [`Severity::Pending`]. What a list
/// of items cannot show (that an opaque value is unmodified, say) is not judged: see [`crate::item::rules`].
///
/// ```
/// use context_projector::context::{Severity, validate};
/// use context_projector::{ProjectOptions, item::sketch::Sketch};
/// use serde_json::json;
///
/// let items = [json!({ "role": "user", "content": "hi" }), json!({ "role": "tool", "tool_call_id": "a", "content": "" })];
/// let sketches: Vec<_> = items.iter().map(Sketch::of).collect();
/// let found = validate(&sketches, &ProjectOptions::default());
/// assert_eq!((found[0].index, found[0].rule), (1, "E-C-ORPHTOOL"));
/// assert_eq!(found[0].severity, Severity::Error);
/// ```
#[must_use]
pub fn validate(items: &[Sketch<'_>], options: &ProjectOptions) -> Vec<Violation> {
    let mut dialect = options.dialect;
    let mut facts = Vec::with_capacity(items.len());
    let mut is_mixed = false;
    for item in items {
        let found = dialect::read(item, dialect);
        dialect = dialect.or(found.dialect);
        is_mixed |= found.dialect.is_some() && found.dialect != dialect;
        facts.push(found);
    }
    if is_mixed {
        return pairs(facts, dialect, options.chained);
    }
    let terms = Terms {
        is_stateless: options.is_stateless,
        is_chained: options.chained,
        reasoning_content_required: options.reasoning_content_required,
        strict_roles: options.strict_roles,
    };
    // Shapes that fit several dialects read as plain chat messages.
    rules::check(dialect.unwrap_or(Dialect::OpenAiChat), items, terms)
}

/// The pairing of a mixed history, each item under the ids of its own dialect.
fn pairs(facts: Vec<Facts>, dialect: Option<Dialect>, is_chained: bool) -> Vec<Violation> {
    let mut history = History::new(dialect);
    for facts in facts {
        let segments = facts.segments.len();
        history.add_item(Rc::new(facts));
        for segment in 0..segments {
            history.push_unit(segment);
        }
    }
    let item_of = |unit: usize| history.units().get(unit).map_or(0, |unit| unit.item);
    let rules_of = |index: usize| {
        let own = history.facts(index).and_then(|facts| facts.dialect).or(dialect);
        rules::pair_rules(own.unwrap_or(Dialect::OpenAiChat))
    };
    let mut found = Vec::new();
    let mut report = |index: usize, rule: &'static str, severity: Severity, message: &str| {
        found.push(Violation {
            index,
            rule,
            severity,
            message: message.to_owned(),
        });
    };
    for result in history.results() {
        let index = item_of(result.unit);
        let rules = rules_of(index);
        match result.answer {
            Answer::Orphan if !is_chained => {
                let message = "no call stands in front of this result: drop it";
                report(index, rules.orphan, Severity::Error, message);
            }
            Answer::Duplicate => {
                let message = "its call has a result already: drop this one";
                report(index, rules.duplicate, Severity::Error, message);
            }
            Answer::Call(_) | Answer::Orphan => {}
        }
    }
    let in_flight: HashSet<(usize, usize)> = history.in_flight().map(|call| (call.unit, call.part)).collect();
    for call in history.calls().iter().filter(|call| call.answer.is_none()) {
        let index = item_of(call.unit);
        let (severity, message) = if in_flight.contains(&(call.unit, call.part)) {
            (
                Severity::Pending,
                "a call is in flight: append its result before the model is called",
            )
        } else {
            (
                Severity::Error,
                "a call has no result: put its result directly behind it, or drop the call",
            )
        };
        report(index, rules_of(index).unanswered, severity, message);
    }
    found.sort_by_key(|violation| violation.index);
    found
}
