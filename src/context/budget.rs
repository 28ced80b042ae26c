//! What a projection may cost.

use super::setting::{Setting, Settings};
use crate::error::{Error, ErrorCode};

/// Limits and tiers of a projection. Absent limits do not hold; the default keeps everything.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextBudget {
    /// Most items in the projection.
    pub max_items: Option<u64>,
    /// Most characters (SEMANTICS §2).
    pub max_approx_chars: Option<u64>,
    /// Most tokens of the whole prompt.
    pub max_tokens: Option<u64>,
    /// Tokens taken by what is not history.
    pub overhead_tokens: u64,
    /// Items at the head that are always kept.
    pub pinned_prefix_items: u64,
    /// How many newest tool results keep their text.
    pub max_recent_tool_results: Option<u64>,
    /// Tools whose results are never cleared or shortened.
    pub keep_tools: Vec<String>,
    /// Empties the arguments of cleared calls too.
    pub clear_tool_inputs: bool,
    /// Longest result, in characters.
    pub max_tool_result_chars: Option<u64>,
    /// Longest string inside arguments, in characters.
    pub max_tool_input_chars: Option<u64>,
    /// How many newest images and screenshots are kept.
    pub max_recent_images: Option<u64>,
    /// Removes reasoning of earlier turns.
    pub trim_old_reasoning: bool,
    /// What crosses a limit is cut back to this share of it; above 0, at most 1.
    pub low_water: f64,
}

impl Default for ContextBudget {
    fn default() -> Self {
        Self {
            max_items: None,
            max_approx_chars: None,
            max_tokens: None,
            overhead_tokens: 0,
            pinned_prefix_items: 0,
            max_recent_tool_results: None,
            keep_tools: Vec::new(),
            clear_tool_inputs: false,
            max_tool_result_chars: None,
            max_tool_input_chars: None,
            max_recent_images: None,
            trim_old_reasoning: false,
            low_water: 1.0,
        }
    }
}

impl ContextBudget {
    /// The fields, as users write them.
    pub const FIELDS: [&'static str; 13] = [
        "maxItems",
        "maxApproxChars",
        "maxTokens",
        "overheadTokens",
        "pinnedPrefixItems",
        "maxRecentToolResults",
        "keepTools",
        "clearToolInputs",
        "maxToolResultChars",
        "maxToolInputChars",
        "maxRecentImages",
        "trimOldReasoning",
        "lowWater",
    ];

    /// Reads a budget; absent or null is the default.
    ///
    /// # Errors
    /// `invalid_budget` with the field's path, for a value that means nothing and for a field that is none.
    pub fn read(setting: &Setting) -> Result<Self, Error> {
        let values = match setting {
            Setting::Absent => return Ok(Self::default()),
            Setting::Object(values) => values,
            _ => return Err(Error::new(ErrorCode::InvalidBudget, "budget", "must be an object")),
        };
        let settings = Settings {
            name: "budget",
            code: ErrorCode::InvalidBudget,
            values,
        };
        settings.only(&Self::FIELDS)?;
        let low_water = settings.number("lowWater", "a number above 0 and at most 1", |number| {
            number > 0.0 && number <= 1.0
        })?;
        Ok(Self {
            max_items: settings.whole("maxItems", 1)?,
            max_approx_chars: settings.whole("maxApproxChars", 1)?,
            max_tokens: settings.whole("maxTokens", 1)?,
            overhead_tokens: settings.whole("overheadTokens", 0)?.unwrap_or(0),
            pinned_prefix_items: settings.whole("pinnedPrefixItems", 0)?.unwrap_or(0),
            max_recent_tool_results: settings.whole("maxRecentToolResults", 0)?,
            keep_tools: settings.texts("keepTools")?.unwrap_or_default(),
            clear_tool_inputs: settings.flag("clearToolInputs")?.unwrap_or(false),
            max_tool_result_chars: settings.whole("maxToolResultChars", 1)?,
            max_tool_input_chars: settings.whole("maxToolInputChars", 1)?,
            max_recent_images: settings.whole("maxRecentImages", 0)?,
            trim_old_reasoning: settings.flag("trimOldReasoning")?.unwrap_or(false),
            low_water: low_water.unwrap_or(1.0),
        })
    }

    /// This budget with Tiers 1 and 2 off, as `DefaultContextProjector` reads it.
    #[must_use]
    pub fn without_tiers(&self) -> Self {
        Self {
            max_items: self.max_items,
            max_approx_chars: self.max_approx_chars,
            max_tokens: self.max_tokens,
            overhead_tokens: self.overhead_tokens,
            pinned_prefix_items: self.pinned_prefix_items,
            low_water: self.low_water,
            ..Self::default()
        }
    }
}
