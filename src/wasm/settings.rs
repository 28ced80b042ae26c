//! Budgets and options as they come from JavaScript.

use crate::compact::LlmCompactOptions;
use crate::context::{ContextBudget, ProjectOptions, Setting, read_setting};
use crate::error::ErrorCode;
use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::prelude::*;

/// A budget from an object, from JSON text, or from nothing.
///
/// # Errors
/// `invalid_budget` with the field's path; what a getter of the host throws.
pub fn budget(value: &JsValue) -> Result<ContextBudget, JsValue> {
    let setting = read_strictly(value, "budget", ErrorCode::InvalidBudget, &ContextBudget::FIELDS)?;
    Ok(ContextBudget::read(&setting)?)
}

/// Options of a compaction, and the host's token counter among them.
///
/// # Errors
/// `invalid_option` with the field's path; what a getter of the host throws.
pub fn compaction(value: &JsValue) -> Result<(LlmCompactOptions, Option<Function>), JsValue> {
    let setting = read_strictly(value, "options", ErrorCode::InvalidOption, &LlmCompactOptions::FIELDS)?;
    let options = LlmCompactOptions::read(&setting)?;
    let count = counter(value, options.counts_tokens)?;
    Ok((options, count))
}

/// Options, and the host's token counter among them.
///
/// # Errors
/// `invalid_option` with the field's path; what a getter of the host throws.
pub fn options(value: &JsValue) -> Result<(ProjectOptions, Option<Function>), JsValue> {
    let setting = read(value, "options", ErrorCode::InvalidOption, &ProjectOptions::FIELDS)?;
    let options = ProjectOptions::read(&setting)?;
    let count = counter(value, options.counts_tokens)?;
    Ok((options, count))
}

fn counter(value: &JsValue, is_given: bool) -> Result<Option<Function>, JsValue> {
    if !is_given {
        return Ok(None);
    }
    let count = Reflect::get(value, &JsValue::from("countTokens"))?;
    Ok(count.dyn_into::<Function>().ok())
}

/// The terms on which a history is validated: options, or the name of a dialect alone.
///
/// # Errors
/// `invalid_option` with the field's path; what a getter of the host throws.
pub fn terms(value: &JsValue) -> Result<ProjectOptions, JsValue> {
    match value.as_string() {
        Some(name) => {
            let dialect = ("dialect".to_owned(), Setting::Text(name));
            Ok(ProjectOptions::read(&Setting::Object(vec![dialect]))?)
        }
        None => Ok(options(value)?.0),
    }
}

/// The same where a field that is none is refused, so that it has to be seen.
fn read_strictly(value: &JsValue, name: &str, code: ErrorCode, fields: &[&str]) -> Result<Setting, JsValue> {
    let mut setting = read(value, name, code, fields)?;
    if let (Setting::Object(values), Some(object)) = (&mut setting, value.dyn_ref::<Object>()) {
        for key in Object::keys(object).iter().filter_map(|key| key.as_string()) {
            if !fields.contains(&key.as_str()) && !Reflect::get(value, &JsValue::from(&key))?.is_undefined() {
                values.push((key, Setting::Other));
            }
        }
    }
    Ok(setting)
}

fn read(value: &JsValue, name: &str, code: ErrorCode, fields: &[&str]) -> Result<Setting, JsValue> {
    if value.is_undefined() || value.is_null() {
        return Ok(Setting::Absent);
    }
    if let Some(text) = value.as_string() {
        return Ok(read_setting(&text, name, code)?);
    }
    if !value.is_object() || value.is_function() || Array::is_array(value) {
        return Ok(Setting::Other);
    }
    let mut values = Vec::new();
    for field in fields {
        let found = Reflect::get(value, &JsValue::from(*field))?;
        if !found.is_undefined() {
            values.push(((*field).to_owned(), of(found)));
        }
    }
    Ok(Setting::Object(values))
}

fn of(value: JsValue) -> Setting {
    if value.is_function() {
        return Setting::Function;
    }
    // A bigint would be read as a number.
    if value.is_bigint() {
        return Setting::Other;
    }
    serde_wasm_bindgen::from_value(value).unwrap_or(Setting::Other)
}
