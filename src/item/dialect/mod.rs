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

pub use builder::SUMMARY_LINE;

use crate::item::facts::Facts;
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

    /// Whether a summary may be a system item.
    #[must_use]
    pub const fn takes_system_summary(self) -> bool {
        matches!(self, Self::OpenAiResponses | Self::OpenAiChat | Self::AiSdk)
    }
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
    facts
}

/// The text of a summary item: a fixed first line, by which it is known again, and the summary.
#[must_use]
pub fn summary_text(summary: &str) -> String {
    format!("{SUMMARY_LINE}\n{summary}")
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
