//! Dialects: the shapes in which providers and frameworks write a history. The only place that knows their field names.
//!
//! A new provider is one new file here and a line in [`read`] and in [`summary_item`].

mod ai_sdk;
mod ai_sdk_ui;
mod anthropic;
mod builder;
mod detect;
mod gemini;
pub mod media;
mod openai_chat;
mod openai_responses;
mod passages;
mod reply;
mod roles;

pub use ai_sdk_ui::{failure_edits, output_edits};
pub use builder::SUMMARY_LINE;
pub use passages::{Passage, passages};
pub use reply::{INTERRUPTED, OPENING, answer, failure, reply};
pub use roles::joined_content;

use crate::item::facts::{Facts, InputForm};
use crate::item::sketch::Sketch;
use serde_json::{Value, json};

/// The shape of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Items of OpenAI's Responses API.
    OpenAiResponses,
    /// Messages of OpenAI's Chat Completions API and of all that follow it.
    OpenAiChat,
    /// Messages of Anthropic's Messages API.
    Anthropic,
    /// Contents of Google's Gemini API.
    Gemini,
    /// `ModelMessage` of the Vercel AI SDK.
    AiSdk,
    /// `UIMessage` of the Vercel AI SDK.
    AiSdkUi,
}

/// Within what an id of a call names one call only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdScope {
    /// Within a whole request.
    Request,
    /// Within a step: the messages of one turn are merged.
    Step,
    /// Within one message.
    Message,
    /// Nowhere.
    Any,
}

impl Dialect {
    /// All, in the order of the documentation.
    pub const ALL: [Self; 6] = [
        Self::OpenAiResponses,
        Self::OpenAiChat,
        Self::Anthropic,
        Self::Gemini,
        Self::AiSdk,
        Self::AiSdkUi,
    ];

    /// The name in options and documentation.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAiResponses => "openai-responses",
            Self::OpenAiChat => "openai-chat",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::AiSdk => "ai-sdk",
            Self::AiSdkUi => "ai-sdk-ui",
        }
    }

    /// The dialect of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.as_str() == name)
    }

    /// Whether a history must open with a user message (E-G-FIRST, W-A-FIRST). The AI SDK may send to such a provider.
    #[must_use]
    pub const fn opens_with_user(self) -> bool {
        matches!(self, Self::Anthropic | Self::Gemini | Self::AiSdk | Self::AiSdkUi)
    }

    /// Whether reasoning must open each message of the running turn (A-THINK-LOOP).
    #[must_use]
    pub const fn binds_thinking_to_its_turn(self) -> bool {
        matches!(self, Self::Anthropic)
    }

    /// Whether the provider takes this id of a call (E-R-IDLEN, E-C-IDLEN, E-A-IDPAT).
    #[must_use]
    pub fn takes_call_id(self, id: &str) -> bool {
        match self {
            Self::OpenAiResponses => id.chars().count() <= 64,
            Self::OpenAiChat => id.chars().count() <= 40,
            Self::Anthropic => is_plain(id),
            Self::Gemini | Self::AiSdk | Self::AiSdkUi => true,
        }
    }

    /// Whether the provider takes this name of a tool in its history (E-TOOLNAME).
    #[must_use]
    pub fn takes_tool_name(self, name: &str) -> bool {
        let longest = match self {
            Self::OpenAiResponses | Self::OpenAiChat => 64,
            Self::Anthropic => 200,
            Self::Gemini | Self::AiSdk | Self::AiSdkUi => return true,
        };
        is_plain(name) && name.len() <= longest
    }

    /// Whether a result must follow the very message of its call, before the model says anything else. The AI SDK may
    /// send to a provider that wants it so.
    #[must_use]
    pub const fn answers_each_message(self) -> bool {
        matches!(self, Self::OpenAiChat | Self::AiSdk)
    }

    /// Whether results come before all else in the turn that answers (E-A-RESULTORDER).
    #[must_use]
    pub const fn puts_results_first(self) -> bool {
        matches!(self, Self::Anthropic)
    }

    /// Within what an id may name one call only.
    #[must_use]
    pub const fn call_id_scope(self) -> IdScope {
        match self {
            Self::OpenAiResponses => IdScope::Request,
            // Every provider behind the AI SDK refuses an id twice in one turn of the model.
            Self::Anthropic | Self::AiSdk | Self::AiSdkUi => IdScope::Step,
            Self::OpenAiChat => IdScope::Message,
            Self::Gemini => IdScope::Any,
        }
    }

    /// How arguments must stand in a call: as the JSON text of an object, as an object, or as anything.
    #[must_use]
    pub const fn arguments(self) -> Option<InputForm> {
        match self {
            Self::OpenAiResponses | Self::OpenAiChat => Some(InputForm::JsonText),
            Self::Anthropic | Self::Gemini => Some(InputForm::Object),
            Self::AiSdk | Self::AiSdkUi => None,
        }
    }

    /// Whether white space alone is no text (E-A-EMPTYTEXT).
    #[must_use]
    pub const fn refuses_white_text(self) -> bool {
        matches!(self, Self::Anthropic)
    }

    /// Whether arguments that are a string must be the JSON text of an object (E-C-ARGJSON).
    #[must_use]
    pub const fn parses_arguments(self) -> bool {
        !matches!(self, Self::OpenAiResponses)
    }

    /// Whether each call has an id, and each result names one.
    #[must_use]
    pub const fn needs_call_ids(self) -> bool {
        !matches!(self, Self::Gemini)
    }

    /// Whether a result bears the name of its call (G-RESP).
    #[must_use]
    pub const fn names_results(self) -> bool {
        matches!(self, Self::Gemini)
    }

    /// Most marks for the prompt cache.
    #[must_use]
    pub const fn most_cache_marks(self) -> usize {
        match self {
            Self::Anthropic => 4,
            _ => usize::MAX,
        }
    }

    /// Whether a summary may be a system item.
    #[must_use]
    pub const fn takes_system_summary(self) -> bool {
        matches!(self, Self::OpenAiResponses | Self::OpenAiChat | Self::AiSdk)
    }
}

/// Letters, digits, `_` and `-`, and at least one.
fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// A call id that every provider takes: what may stay of the old one, and a digest, so that two different ids stay
/// different and the same one is always rewritten alike.
#[must_use]
pub fn mended_call_id(id: &str) -> String {
    let plain: String = id
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' })
        .take(20)
        .collect();
    format!("{plain}_{:016x}", crate::item::text::digest(id))
}

/// A tool name that every provider takes: other characters become `_`, cut to 64, empty becomes `_`.
#[must_use]
pub fn mended_tool_name(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' })
        .take(64)
        .collect();
    if plain.is_empty() { "_".to_owned() } else { plain }
}

/// The facts of one item. Its own shape decides; `history` is the dialect of the history so far, for shapes that fit
/// several.
#[must_use]
pub fn read(item: &Sketch<'_>, history: Option<Dialect>) -> Facts {
    let proven = detect::dialect(item);
    let mut facts = match proven.or(history) {
        Some(Dialect::OpenAiResponses) => openai_responses::read(item),
        Some(Dialect::Anthropic) => anthropic::read(item),
        Some(Dialect::Gemini) => gemini::read(item),
        Some(Dialect::AiSdk) => ai_sdk::read(item),
        Some(Dialect::AiSdkUi) => ai_sdk_ui::read(item),
        Some(Dialect::OpenAiChat) | None => openai_chat::read(item),
    };
    facts.dialect = proven;
    facts.ill_formed = media::broken_texts(item);
    facts
}

/// The text of a summary item: a fixed first line, by which it is known again, and the summary.
#[must_use]
pub fn summary_text(summary: &str) -> String {
    format!("{SUMMARY_LINE}\n{summary}")
}

/// A user message that stands in front of a history which the model opened.
#[must_use]
pub fn opening_item(dialect: Dialect) -> Value {
    user_item(Some(dialect), OPENING, "opening")
}

/// What a person wrote, as an item of a dialect. `id` is the item's where the dialect gives one.
#[must_use]
pub fn user_item(dialect: Option<Dialect>, text: &str, id: &str) -> Value {
    match dialect {
        Some(Dialect::OpenAiResponses) => json!({
            "type": "message", "role": "user", "content": [{ "type": "input_text", "text": text }]
        }),
        Some(Dialect::Anthropic | Dialect::AiSdk) => {
            json!({ "role": "user", "content": [{ "type": "text", "text": text }] })
        }
        Some(Dialect::Gemini) => json!({ "role": "user", "parts": [{ "text": text }] }),
        Some(Dialect::AiSdkUi) => json!({ "id": id, "role": "user", "parts": [{ "type": "text", "text": text }] }),
        Some(Dialect::OpenAiChat) | None => json!({ "role": "user", "content": text }),
    }
}

/// A summary as one item of a dialect (SEMANTICS §3).
#[must_use]
pub fn summary_item(dialect: Option<Dialect>, summary: &str, as_system: bool) -> Value {
    let text = summary_text(summary);
    let as_system = as_system && dialect.is_none_or(Dialect::takes_system_summary);
    let role = if as_system { "system" } else { "user" };
    match dialect {
        Some(Dialect::OpenAiResponses) => json!({
            "type": "message", "role": role, "content": [{ "type": "input_text", "text": text }]
        }),
        Some(Dialect::Anthropic) => json!({ "role": role, "content": [{ "type": "text", "text": text }] }),
        Some(Dialect::AiSdk) if !as_system => json!({ "role": role, "content": [{ "type": "text", "text": text }] }),
        Some(Dialect::OpenAiChat | Dialect::AiSdk) | None => json!({ "role": role, "content": text }),
        Some(Dialect::Gemini) => json!({ "role": role, "parts": [{ "text": text }] }),
        Some(Dialect::AiSdkUi) => json!({
            "id": format!("summary-{:016x}", crate::item::text::digest(&text)),
            "role": role,
            "parts": [{ "type": "text", "text": text }]
        }),
    }
}
