//! The two projector classes.

use super::project::project_with;
use super::settings;
use crate::context::{ProjectOptions, Projector};
use js_sys::Function;
use wasm_bindgen::prelude::*;

/// Limits only: Tiers 1 and 2 off.
#[wasm_bindgen(js_name = DefaultContextProjector, skip_typescript)]
pub struct JsDefaultContextProjector {
    options: ProjectOptions,
    count: Option<Function>,
}

/// Knows what items are.
#[wasm_bindgen(js_name = TypeAwareContextProjector, skip_typescript)]
pub struct JsTypeAwareContextProjector {
    options: ProjectOptions,
    count: Option<Function>,
}

fn read(options: &JsValue, projector: Projector) -> Result<(ProjectOptions, Option<Function>), JsValue> {
    let (options, count) = settings::options(options)?;
    Ok((ProjectOptions { projector, ..options }, count))
}

#[wasm_bindgen(js_class = DefaultContextProjector)]
impl JsDefaultContextProjector {
    /// A projector with these options.
    ///
    /// # Errors
    /// `invalid_option` with the field's path.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &JsValue) -> Result<JsDefaultContextProjector, JsValue> {
        let (options, count) = read(options, Projector::Default)?;
        Ok(Self { options, count })
    }

    /// Projects a plain array of items.
    ///
    /// # Errors
    /// `invalid_item`, `invalid_budget`; what the host's functions throw.
    pub fn project(&self, items: &JsValue, budget: &JsValue) -> Result<JsValue, JsValue> {
        project_with(items, &settings::budget(budget)?, &self.options, self.count.as_ref())
    }
}

#[wasm_bindgen(js_class = TypeAwareContextProjector)]
impl JsTypeAwareContextProjector {
    /// A projector with these options.
    ///
    /// # Errors
    /// `invalid_option` with the field's path.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &JsValue) -> Result<JsTypeAwareContextProjector, JsValue> {
        let (options, count) = read(options, Projector::TypeAware)?;
        Ok(Self { options, count })
    }

    /// Projects a plain array of items.
    ///
    /// # Errors
    /// `invalid_item`, `invalid_budget`; what the host's functions throw.
    pub fn project(&self, items: &JsValue, budget: &JsValue) -> Result<JsValue, JsValue> {
        project_with(items, &settings::budget(budget)?, &self.options, self.count.as_ref())
    }
}
