//! Options of compaction with a model.

use super::files::Touch;
use crate::context::{Setting, Settings};
use crate::error::{Error, ErrorCode};
use crate::item::dialect::Dialect;
use std::collections::BTreeMap;

/// Longest prompt for the model, in characters, where the host names none.
pub const MAX_PROMPT_CHARS: u64 = 120_000;
/// Below this a prompt has no room for a transcript beside its instructions.
const LEAST_PROMPT_CHARS: u64 = 4_000;
/// Longest summary, in characters, where the host names none.
pub const MAX_SUMMARY_CHARS: u64 = 8_000;
const LEAST_SUMMARY_CHARS: u64 = 200;
/// Most files over both lists, where the host names no number.
pub const MAX_FILES: u64 = 100;

/// What happens when the model fails or its answer is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// Memory stays as it is.
    #[default]
    None,
    /// What can be known without a model takes the answer's place.
    Structured,
}

/// Options of a compaction with a model. Limits say when memory is too large, the rest how it is made smaller.
#[derive(Clone, Debug, PartialEq)]
pub struct LlmCompactOptions {
    /// Most items.
    pub max_items: Option<u64>,
    /// Most characters (SEMANTICS §2), summary included.
    pub max_approx_chars: Option<u64>,
    /// Most tokens of the whole prompt.
    pub max_tokens: Option<u64>,
    /// Tokens taken by what is not history.
    pub overhead_tokens: u64,
    /// Newest items to keep.
    pub keep_recent_items: Option<u64>,
    /// Tokens of the newest items to keep.
    pub keep_recent_tokens: Option<u64>,
    /// Items at the head that are never summarised.
    pub pinned_prefix_items: u64,
    /// Longest prompt for the model, in characters.
    pub max_prompt_chars: u64,
    /// Longest summary, in characters.
    pub max_summary_chars: u64,
    /// Most files over both lists.
    pub max_files: u64,
    /// Further instructions for the model.
    pub instructions: Option<String>,
    /// How tools of the host's touch files.
    pub file_tools: BTreeMap<String, Touch>,
    /// What happens when the model fails.
    pub fallback: Fallback,
    /// The host counts tokens.
    pub counts_tokens: bool,
    /// The history's dialect; `None`: that of its first unambiguous item.
    pub dialect: Option<Dialect>,
    /// OpenAI: responses are not stored at the provider.
    pub is_stateless: bool,
}

impl Default for LlmCompactOptions {
    fn default() -> Self {
        Self {
            max_items: None,
            max_approx_chars: None,
            max_tokens: None,
            overhead_tokens: 0,
            keep_recent_items: None,
            keep_recent_tokens: None,
            pinned_prefix_items: 0,
            max_prompt_chars: MAX_PROMPT_CHARS,
            max_summary_chars: MAX_SUMMARY_CHARS,
            max_files: MAX_FILES,
            instructions: None,
            file_tools: BTreeMap::new(),
            fallback: Fallback::None,
            counts_tokens: false,
            dialect: None,
            is_stateless: false,
        }
    }
}

impl LlmCompactOptions {
    /// The fields, as users write them.
    pub const FIELDS: [&'static str; 16] = [
        "maxItems",
        "maxApproxChars",
        "maxTokens",
        "overheadTokens",
        "keepRecentItems",
        "keepRecentTokens",
        "pinnedPrefixItems",
        "maxPromptChars",
        "maxSummaryChars",
        "maxFiles",
        "instructions",
        "fileTools",
        "fallback",
        "countTokens",
        "dialect",
        "store",
    ];

    /// Reads options; absent or null is the default.
    ///
    /// # Errors
    /// `invalid_option` with the field's path, for a value that means nothing and for a field that is none: a misspelt
    /// limit would be a compaction that never comes.
    pub fn read(setting: &Setting) -> Result<Self, Error> {
        let values = match setting {
            Setting::Absent => return Ok(Self::default()),
            Setting::Object(values) => values,
            _ => return Err(Error::new(ErrorCode::InvalidOption, "options", "must be an object")),
        };
        let settings = Settings {
            name: "options",
            code: ErrorCode::InvalidOption,
            values,
        };
        settings.only(&Self::FIELDS)?;
        let dialects = Dialect::ALL.map(|dialect| (dialect.as_str(), dialect));
        let fallbacks = [("none", Fallback::None), ("structured", Fallback::Structured)];
        Ok(Self {
            max_items: settings.whole("maxItems", 1)?,
            max_approx_chars: settings.whole("maxApproxChars", 1)?,
            max_tokens: settings.whole("maxTokens", 1)?,
            overhead_tokens: settings.whole("overheadTokens", 0)?.unwrap_or(0),
            keep_recent_items: settings.whole("keepRecentItems", 0)?,
            keep_recent_tokens: settings.whole("keepRecentTokens", 0)?,
            pinned_prefix_items: settings.whole("pinnedPrefixItems", 0)?.unwrap_or(0),
            max_prompt_chars: settings
                .whole("maxPromptChars", LEAST_PROMPT_CHARS)?
                .unwrap_or(MAX_PROMPT_CHARS),
            max_summary_chars: settings
                .whole("maxSummaryChars", LEAST_SUMMARY_CHARS)?
                .unwrap_or(MAX_SUMMARY_CHARS),
            max_files: settings.whole("maxFiles", 0)?.unwrap_or(MAX_FILES),
            instructions: settings.text("instructions")?.map(str::to_owned),
            file_tools: file_tools(&settings)?,
            fallback: settings.choice("fallback", &fallbacks)?.unwrap_or_default(),
            counts_tokens: settings.function("countTokens")?,
            dialect: settings.choice("dialect", &dialects)?,
            is_stateless: settings.flag("store")? == Some(false),
        })
    }

    /// Longest summary in characters: what the host allows, and at most a quarter of what the limits leave, so that a
    /// summary by itself does not call for the next compaction.
    #[must_use]
    pub fn summary_room(&self) -> usize {
        let by_chars = self.max_approx_chars.map_or(u64::MAX, |limit| limit / 4);
        // A token may be a single character.
        let by_tokens = self
            .max_tokens
            .map_or(u64::MAX, |limit| limit.saturating_sub(self.overhead_tokens) / 2);
        let by_prompt = self.max_prompt_chars / 4;
        let room = by_chars.min(by_tokens).max(LEAST_SUMMARY_CHARS);
        self.max_summary_chars.min(room).min(by_prompt) as usize
    }
}

fn file_tools(settings: &Settings<'_>) -> Result<BTreeMap<String, Touch>, Error> {
    let values = settings.object("fileTools")?.unwrap_or_default();
    let touches = [
        ("read", Touch::Read),
        ("modify", Touch::Modify),
        ("ignore", Touch::Ignore),
    ];
    let tools = Settings {
        name: "options.fileTools",
        code: ErrorCode::InvalidOption,
        values,
    };
    let mut found = BTreeMap::new();
    for (name, _) in values {
        if let Some(touch) = tools.choice(name, &touches)? {
            found.insert(name.clone(), touch);
        }
    }
    Ok(found)
}
