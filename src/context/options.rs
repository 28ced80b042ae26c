//! How a history is to be read and projected, beside the budget.

use super::setting::{Setting, Settings};
use crate::error::{Error, ErrorCode};
use crate::item::dialect::Dialect;
use crate::item::tokens::MEDIA_TOKENS;

/// Which projector runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Projector {
    /// Limits only.
    Default,
    /// Tiers 1 and 2 as well.
    #[default]
    TypeAware,
}

/// The role of the summary item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SummaryRole {
    /// A user item: the summary derives from untrusted text.
    #[default]
    User,
    /// A system item, where the dialect takes one.
    System,
}

/// What becomes of calls in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pending {
    /// They stay open.
    #[default]
    Keep,
    /// They are closed as stale ones are.
    Close,
}

/// What reported usage says of the estimate: input = overhead + ratio × estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// Tokens of what is not history.
    pub overhead_tokens: u64,
    /// Real tokens to an estimated one.
    pub ratio: f64,
}

/// Options of a projection.
#[derive(Clone, Debug, Default)]
pub struct ProjectOptions {
    /// Which projector runs.
    pub projector: Projector,
    /// The history's dialect; `None`: that of its first unambiguous item.
    pub dialect: Option<Dialect>,
    /// A summary of what came before the history.
    pub summary: Option<String>,
    /// The role of the summary item.
    pub summary_role: SummaryRole,
    /// What becomes of calls in flight.
    pub pending: Pending,
    /// The host counts tokens.
    pub counts_tokens: bool,
    /// Tokens of an image, audio or file; `None`: the default.
    pub image_tokens: Option<u64>,
    /// What reported usage says of the estimate.
    pub calibration: Option<Calibration>,
    /// OpenAI: responses are not stored at the provider.
    pub is_stateless: bool,
    /// Earlier items are at the provider.
    pub chained: bool,
    /// A call without its reasoning is refused.
    pub reasoning_content_required: bool,
    /// One system message, alternating roles.
    pub strict_roles: bool,
}

impl ProjectOptions {
    /// The fields, as users write them.
    pub const FIELDS: [&'static str; 12] = [
        "projector",
        "dialect",
        "summary",
        "summaryRole",
        "pending",
        "countTokens",
        "imageTokens",
        "calibration",
        "store",
        "chained",
        "reasoningContentRequired",
        "strictRoles",
    ];

    /// Reads options; absent or null is the default. Fields that are none are passed over, so that a larger options
    /// object may be handed on.
    ///
    /// # Errors
    /// `invalid_option` with the field's path.
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
        let projectors = [("default", Projector::Default), ("type-aware", Projector::TypeAware)];
        let roles = [("user", SummaryRole::User), ("system", SummaryRole::System)];
        let dialects = Dialect::ALL.map(|dialect| (dialect.as_str(), dialect));
        Ok(Self {
            projector: settings.choice("projector", &projectors)?.unwrap_or_default(),
            dialect: settings.choice("dialect", &dialects)?,
            summary: settings.text("summary")?.map(str::to_owned),
            summary_role: settings.choice("summaryRole", &roles)?.unwrap_or_default(),
            pending: settings
                .choice("pending", &[("keep", Pending::Keep), ("close", Pending::Close)])?
                .unwrap_or_default(),
            counts_tokens: settings.function("countTokens")?,
            image_tokens: settings.whole("imageTokens", 0)?,
            calibration: settings.object("calibration")?.map(calibration).transpose()?,
            is_stateless: settings.flag("store")? == Some(false),
            chained: settings.flag("chained")?.unwrap_or(false),
            reasoning_content_required: settings.flag("reasoningContentRequired")?.unwrap_or(false),
            strict_roles: settings.flag("strictRoles")?.unwrap_or(false),
        })
    }

    /// Tokens of an image, audio or file.
    #[must_use]
    pub fn media_tokens(&self) -> u64 {
        self.image_tokens.unwrap_or(MEDIA_TOKENS)
    }
}

fn calibration(values: &[(String, Setting)]) -> Result<Calibration, Error> {
    let settings = Settings {
        name: "options.calibration",
        code: ErrorCode::InvalidOption,
        values,
    };
    let overhead = settings.number("overheadTokens", "a number of at least 0", |number| {
        number >= 0.0 && number.is_finite()
    })?;
    let ratio = settings.number("ratio", "a number above 0", |number| number > 0.0 && number.is_finite())?;
    match (overhead, ratio) {
        (Some(overhead), Some(ratio)) => Ok(Calibration {
            overhead_tokens: overhead.round() as u64,
            ratio,
        }),
        (None, _) => Err(settings.error("overheadTokens", "a number of at least 0")),
        (_, None) => Err(settings.error("ratio", "a number above 0")),
    }
}
