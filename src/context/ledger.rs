//! The ledger: every source item's fate and its reasons, as runs.

use super::mend::Rules;
use crate::item::dialect::Dialect;
use crate::item::rule::Rule;

/// The bits of rules begin here; those before are fields and anchors.
const FIRST_RULE: u64 = 16;

/// What became of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// Sent as it is.
    Kept,
    /// Sent because the budget pins it.
    Pinned,
    /// Sent without its old reasoning.
    Trimmed,
    /// Sent shorter.
    Shortened,
    /// Sent with a placeholder in its place.
    Cleared,
    /// Sent as the provider wants it.
    Mended,
    /// Not one part of it is sent.
    Dropped,
    /// Replaced by a summary.
    Summarized,
}

impl Fate {
    /// All, weakest first.
    pub const ALL: [Self; 8] = [
        Self::Kept,
        Self::Pinned,
        Self::Trimmed,
        Self::Shortened,
        Self::Cleared,
        Self::Mended,
        Self::Dropped,
        Self::Summarized,
    ];

    /// The name in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Pinned => "pinned",
            Self::Trimmed => "trimmed",
            Self::Shortened => "shortened",
            Self::Cleared => "cleared",
            Self::Mended => "mended",
            Self::Dropped => "dropped",
            Self::Summarized => "summarized",
        }
    }
}

/// A set of reasons, in the order in which a report names them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reasons(u64);

macro_rules! reasons {
    ($($constant:ident = $bit:literal, $name:literal;)*) => {
        impl Reasons {
            $(#[doc = concat!("`", $name, "`")] pub const $constant: Self = Self(1 << $bit);)*
            /// All, in the order in which a report names them.
            pub const NAMES: &'static [(Self, &'static str)] = &[$((Self::$constant, $name)),*];
        }
    };
}

reasons! {
    SYSTEM = 0, "anchor:system";
    SUMMARY = 1, "anchor:summary";
    TURN = 2, "anchor:turn";
    PINNED = 3, "pinnedPrefixItems";
    RESULTS = 4, "maxRecentToolResults";
    INPUTS = 5, "clearToolInputs";
    RESULT_CHARS = 6, "maxToolResultChars";
    INPUT_CHARS = 7, "maxToolInputChars";
    IMAGES = 8, "maxRecentImages";
    REASONING = 9, "trimOldReasoning";
    STEPS = 10, "steps";
    ITEMS = 11, "maxItems";
    CHARS = 12, "maxApproxChars";
    TOKENS = 13, "maxTokens";
    COMPACTION = 14, "compaction";
}

impl Reasons {
    /// Both sets.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it holds all of `other`.
    #[must_use]
    pub const fn holds(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// With `other` where `condition` holds.
    #[must_use]
    pub const fn with_if(self, condition: bool, other: Self) -> Self {
        if condition { self.with(other) } else { self }
    }

    /// Without the limits, which made only a part of the item fall.
    #[must_use]
    pub const fn without_limits(self) -> Self {
        Self(self.0 & !(Self::ITEMS.0 | Self::CHARS.0 | Self::TOKENS.0))
    }

    /// One rule.
    #[must_use]
    pub const fn of_rule(rule: Rule) -> Self {
        Self(1 << (FIRST_RULE + rule as u64))
    }

    /// Rules that were mended.
    #[must_use]
    pub fn of(rules: Rules) -> Self {
        rules.iter().fold(Self::default(), |all, rule| {
            Self(all.0 | 1 << (FIRST_RULE + rule as u64))
        })
    }

    /// The names, comma-separated; rules under their id in the dialect.
    #[must_use]
    pub fn text(self, dialect: Option<Dialect>) -> String {
        let names = Self::NAMES
            .iter()
            .filter(|(reason, _)| self.0 & reason.0 != 0)
            .map(|(_, name)| *name);
        let rules = Rule::ALL
            .iter()
            .filter(|rule| self.0 & (1 << (FIRST_RULE + **rule as u64)) != 0);
        let mut all: Vec<&str> = names.chain(rules.map(|rule| rule.id(dialect))).collect();
        all.dedup();
        all.join(",")
    }
}

/// Source items [from, to) share one fate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRun {
    /// First item.
    pub from: usize,
    /// Behind the last item.
    pub to: usize,
    /// What became of them.
    pub fate: Fate,
    /// Why: names of fields, anchors and rules, comma-separated.
    pub reason: String,
}

/// Joins neighbours of one fate and reason. Rules go by their id in the dialect.
#[must_use]
pub fn runs(fates: &[(Fate, Reasons)], dialect: Option<Dialect>) -> Vec<LedgerRun> {
    let mut runs: Vec<LedgerRun> = Vec::new();
    let mut last = None;
    for (index, of_item) in fates.iter().enumerate() {
        if last == Some(of_item)
            && let Some(run) = runs.last_mut()
        {
            run.to = index + 1;
            continue;
        }
        last = Some(of_item);
        let (fate, reason) = (of_item.0, of_item.1.text(dialect));
        match runs.last_mut() {
            // Two rules may have one id in a dialect.
            Some(run) if run.fate == fate && run.reason == reason => run.to = index + 1,
            _ => runs.push(LedgerRun {
                from: index,
                to: index + 1,
                fate,
                reason,
            }),
        }
    }
    runs
}
