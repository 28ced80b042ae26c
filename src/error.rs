//! One error type with a stable code for every failure that a user can meet.

use std::fmt;

/// What kind of failure an [`Error`] is. The text form (`invalid_budget`, …) is part of the public contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorCode {
    /// A field of a budget has a value that means nothing.
    InvalidBudget,
    /// An item cannot be a history item: not an object, cyclic, too deep, or holding something that JSON has no form for.
    InvalidItem,
    /// An option has a value that means nothing.
    InvalidOption,
    /// No call of this id is known.
    UnknownCall,
    /// A snapshot or a list of events contradicts itself.
    InvalidSnapshot,
    /// A later version of the format wrote a snapshot.
    UnsupportedVersion,
}

impl ErrorCode {
    /// The code as users see it in `error.code`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidBudget => "invalid_budget",
            Self::InvalidItem => "invalid_item",
            Self::InvalidOption => "invalid_option",
            Self::UnknownCall => "unknown_call",
            Self::InvalidSnapshot => "invalid_snapshot",
            Self::UnsupportedVersion => "unsupported_version",
        }
    }
}

/// A failure with a code, the place in the input, and a sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    code: ErrorCode,
    path: String,
    message: String,
}

impl Error {
    /// Makes an error. `path` names the offending place (`budget.maxItems`, `items[3].content`).
    pub fn new(code: ErrorCode, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            code,
            path: path.into(),
            message: message.into(),
        }))
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// Where in the input the failure lies.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// What is wrong, in a sentence, without code and path.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.path, self.0.message)
    }
}

impl std::error::Error for Error {}
