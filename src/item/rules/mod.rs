//! Rules: what each provider refuses, as far as a list of items shows it (the ids are those of PROVIDER-RULES).
//!
//! One file a dialect, each one pass over the items. What no list of items shows is kept by construction and tested by
//! properties: that opaque values are unmodified and of this account (A-THINK-MOD, R-ACCT, R-PHASE, C-RDETAILS,
//! R-PROGRAM, G-SIGPLACE, A-MODEL), that reasoning was there once (E-R-MSGREASON), and well-formed text (E-UTF: a Rust
//! string cannot hold a lone surrogate).

mod ai_sdk;
mod ai_sdk_ui;
mod anthropic;
mod common;
mod gemini;
mod openai_chat;
mod openai_responses;

pub use common::{Severity, Terms, Violation};

use crate::item::dialect::Dialect;
use crate::item::sketch::Sketch;
use common::Findings;

/// What the rules of a dialect find in a history.
#[must_use]
pub fn check(dialect: Dialect, items: &[Sketch<'_>], terms: Terms) -> Vec<Violation> {
    let mut findings = Findings::default();
    match dialect {
        Dialect::OpenAiResponses => openai_responses::check(items, terms, &mut findings),
        Dialect::OpenAiChat => openai_chat::check(items, terms, &mut findings),
        Dialect::Anthropic => anthropic::check(items, terms, &mut findings),
        Dialect::Gemini => gemini::check(items, terms, &mut findings),
        Dialect::AiSdk => ai_sdk::check(items, terms, &mut findings),
        Dialect::AiSdkUi => ai_sdk_ui::check(items, terms, &mut findings),
    }
    findings.sorted()
}

/// The ids of a dialect's rules about pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairRules {
    /// A result without a call.
    pub orphan: &'static str,
    /// A second result of a call.
    pub duplicate: &'static str,
    /// A call without a result.
    pub unanswered: &'static str,
}

/// The ids of a dialect's rules about pairs.
#[must_use]
pub const fn pair_rules(dialect: Dialect) -> PairRules {
    let (orphan, duplicate, unanswered) = match dialect {
        Dialect::OpenAiResponses => ("E-R-ORPHOUT", "E-R-DUPOUT", "E-R-NOOUT"),
        Dialect::OpenAiChat => ("E-C-ORPHTOOL", "E-C-DUPTOOL", "E-C-UNANSWERED"),
        Dialect::Anthropic => ("E-A-ORPHRES", "E-A-DUPRES", "E-A-NORESULT"),
        Dialect::Gemini => ("E-G-ORPHRESP", "E-G-COUNT", "E-G-COUNT"),
        Dialect::AiSdk | Dialect::AiSdkUi => ("E-V-ORPHRES", "E-V-ORPHRES", "E-V-MISSING"),
    };
    PairRules {
        orphan,
        duplicate,
        unanswered,
    }
}
