//! Budgets and options as they come from JavaScript.

use crate::context::{ContextBudget, ProjectOptions, Setting, read_setting};
use crate::error::ErrorCode;
use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::prelude::*;

/// A budget from an object, from JSON text, or from nothing.
///
/// # Errors
/// `invalid_budget` with the field's path; what a getter of the host throws.
pub fn budget(value: &JsValue) -> Result<ContextBudget, JsValue> {
    let mut setting = read(value, "budget", ErrorCode::InvalidBudget, &ContextBudget::FIELDS)?;
    if let Setting::Object(values) = &mut setting {
        // A field that is none is refused, so it has to be seen.
        if let Some(object) = value.dyn_ref::<Object>() {
            for key in Object::keys(object).iter().filter_map(|key| key.as_string()) {
                if !ContextBudget::FIELDS.contains(&key.as_str())
                    && !Reflect::get(value, &JsValue::from(&key))?.is_undefined()
                {
                    values.push((key, Setting::Other));
                }
            }
        }
    }
    Ok(ContextBudget::read(&setting)?)
}

/// Options, and the host's token counter among them.
///
/// # Errors
/// `invalid_option` with the field's path; what a getter of the host throws.
pub fn options(value: &JsValue) -> Result<(ProjectOptions, Option<Function>), JsValue> {
    let setting = read(value, "options", ErrorCode::InvalidOption, &ProjectOptions::FIELDS)?;
    let options = ProjectOptions::read(&setting)?;
    let count = if options.counts_tokens {
        Reflect::get(value, &JsValue::from("countTokens"))?
            .dyn_into::<Function>()
            .ok()
    } else {
        None
    };
    Ok((options, count))
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
