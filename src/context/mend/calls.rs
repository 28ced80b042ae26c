//! Calls and results by themselves: ids, names, arguments, payloads.

use super::Bench;
use super::draft::Draft;
use crate::history::{Answer, History};
use crate::item::dialect::{Dialect, IdScope, mended_call_id, mended_tool_name};
use crate::item::edit::Edit;
use crate::item::facts::{Call, Facts, Input, InputForm, Part, ToolResult};
use crate::item::json::{compact, parse};
use crate::item::payload::Payloads;
use crate::item::rule::Rule;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::rc::Rc;

/// Ids that calls get instead of their own: where the provider refuses them, or has seen them in the same scope. The
/// same call gets the same id however the history grows.
pub fn new_ids(history: &History, dialect: Option<Dialect>) -> HashMap<usize, String> {
    let mut new = HashMap::new();
    let mut uses: HashMap<(usize, Rc<str>), usize> = HashMap::new();
    for (index, call) in history.calls().iter().enumerate() {
        let own = history.unit_facts(call.unit).and_then(|(facts, _)| facts.dialect);
        let Some(dialect) = own.or(dialect) else { continue };
        let Some(id) = &call.id else {
            if dialect.needs_call_ids() {
                new.insert(index, mended_call_id(&format!("call#{index}")));
            }
            continue;
        };
        let scope = match dialect.call_id_scope() {
            IdScope::Request => Some(0),
            IdScope::Step => Some(call.atom),
            IdScope::Message => Some(call.unit),
            IdScope::Any => None,
        };
        let before = scope.map_or(0, |scope| {
            let uses = uses.entry((scope, id.clone())).or_default();
            *uses += 1;
            *uses - 1
        });
        if before > 0 {
            new.insert(index, mended_call_id(&format!("{id}#{before}")));
        } else if !dialect.takes_call_id(id) {
            new.insert(index, mended_call_id(id));
        }
    }
    new
}

/// Mends the calls and results of a draft.
pub fn mend<P: Payloads>(bench: &Bench<'_, P>, facts: &Facts, unit: usize, draft: &mut Draft) {
    let Some(found) = bench.history.units().get(unit) else {
        return;
    };
    let dialect = bench.dialect_of(facts);
    for index in found.calls.clone() {
        let Some(entry) = bench.history.calls().get(index) else {
            continue;
        };
        let Some(Part::Call(call)) = facts.parts.get(entry.part) else {
            continue;
        };
        if let (Some(id), Some(path)) = (bench.new_ids.get(&index), &call.id_path) {
            draft.edit(Rule::CallId, [Edit::set(path.clone(), id.as_str().into())]);
        }
        name(dialect, call, draft);
        if let Some(input) = &call.input {
            arguments(bench, dialect, input, draft);
        }
    }
    for index in found.results.clone() {
        let Some(entry) = bench.history.results().get(index) else {
            continue;
        };
        let Some(Part::Result(result)) = facts.parts.get(entry.part) else {
            continue;
        };
        if let (Answer::Call(call), Some(path)) = (entry.answer, &result.id_path) {
            // A result that names no call got one by its place: it names it from now on.
            let own = bench.history.calls().get(call).and_then(|call| call.id.as_deref());
            let given = own.filter(|_| result.id.is_none() && dialect.is_some_and(Dialect::needs_call_ids));
            if let Some(id) = bench.new_ids.get(&call).map(String::as_str).or(given) {
                draft.edit(Rule::CallId, [Edit::set(path.clone(), id.into())]);
            }
        }
        if let (Answer::Call(call), Some(path), true) = (
            entry.answer,
            &result.name_path,
            dialect.is_some_and(Dialect::names_results),
        ) {
            let name = bench.history.calls().get(call).and_then(|call| call.name.as_ref());
            if let Some(name) = name.filter(|name| result.name.as_ref() != Some(name)) {
                draft.edit(Rule::ResultForm, [Edit::set(path.clone(), name.as_ref().into())]);
            }
        }
        self::result(bench, dialect, result, draft);
    }
}

fn name(dialect: Option<Dialect>, call: &Call, draft: &mut Draft) {
    let name = call.name.as_deref().unwrap_or_default();
    if let (Some(dialect), Some(path)) = (dialect, &call.name_path)
        && !dialect.takes_tool_name(name)
    {
        draft.edit(Rule::ToolName, [Edit::set(path.clone(), mended_tool_name(name).into())]);
    }
}

fn arguments<P: Payloads>(bench: &Bench<'_, P>, dialect: Option<Dialect>, input: &Input, draft: &mut Draft) {
    let (Some(wanted), Some(source)) = (dialect.and_then(Dialect::arguments), draft.source()) else {
        return;
    };
    if input.form == InputForm::Text {
        return;
    }
    if input.form == InputForm::JsonText && wanted == input.form && !dialect.is_some_and(Dialect::parses_arguments) {
        return;
    }
    let text = || bench.payloads.text(source, &input.path).unwrap_or_default();
    let is_valid = input.is_valid.get().unwrap_or_else(|| {
        let is_object = parse(&text()).is_some_and(|value| value.is_object());
        input.is_valid.set(Some(is_object));
        is_object
    });
    if is_valid && input.form == wanted {
        return;
    }
    let text = text();
    let object = match (is_valid, text.trim().is_empty()) {
        (true, _) => parse(&text).unwrap_or_else(|| json!({})),
        (false, true) => json!({}),
        (false, false) => json!({ "_raw": text }),
    };
    let value = if wanted == InputForm::JsonText {
        Value::String(compact(&object))
    } else {
        object
    };
    draft.edit(Rule::Arguments, [Edit::set(input.path.clone(), value)]);
}

fn result<P: Payloads>(bench: &Bench<'_, P>, dialect: Option<Dialect>, result: &ToolResult, draft: &mut Draft) {
    if let (Some(dialect), Some(name), Some(path)) = (dialect, &result.name, &result.name_path)
        && !dialect.takes_tool_name(name)
    {
        draft.edit(Rule::ToolName, [Edit::set(path.clone(), mended_tool_name(name).into())]);
    }
    let Some(payload) = result.payload.as_ref().filter(|payload| !payload.is_formed) else {
        return;
    };
    let text = draft
        .source()
        .and_then(|source| bench.payloads.text(source, &payload.path))
        .unwrap_or_default();
    draft.edit(
        Rule::ResultForm,
        [Edit::set(payload.path.clone(), payload.form.of(text))],
    );
}
