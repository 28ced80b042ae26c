//! What the rules of all dialects share: how a finding is written down, ids, names, and when a call is in flight.
//!
//! A long string may be known by its beginning only (see `Sketch`), so none is judged by more than that: a string of
//! more than [`LONGEST_READ`] units counts as non-blank, and as JSON if it begins like an object. The same natively.

use crate::item::json;
use crate::item::sketch::{Sketch, Text};
use serde_json::Value;

/// Strings up to this many UTF-16 units are read whole.
pub const LONGEST_READ: usize = 1_024;

/// How grave a violation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The provider refuses the request.
    Error,
    /// Some providers or models refuse it, or quality is lost.
    Warning,
    /// A call in flight: no fault.
    Pending,
}

impl Severity {
    /// The word in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Pending => "pending",
        }
    }
}

/// A rule that an item breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Index of the item.
    pub index: usize,
    /// The rule's id.
    pub rule: &'static str,
    /// How grave it is.
    pub severity: Severity,
    /// What is wrong, and what to do.
    pub message: String,
}

/// What the host says about the request beside its items.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terms {
    /// OpenAI: responses are not stored at the provider.
    pub is_stateless: bool,
    /// Earlier items are at the provider: results without a call are fine.
    pub is_chained: bool,
    /// A call without its reasoning text is refused.
    pub reasoning_content_required: bool,
    /// One system message, alternating roles.
    pub strict_roles: bool,
}

/// Violations found so far.
#[derive(Debug, Default)]
pub struct Findings(Vec<Violation>);

impl Findings {
    /// Adds an error.
    pub fn error(&mut self, index: usize, rule: &'static str, message: impl Into<String>) {
        self.add(index, rule, Severity::Error, message.into());
    }

    /// Adds a warning.
    pub fn warning(&mut self, index: usize, rule: &'static str, message: impl Into<String>) {
        self.add(index, rule, Severity::Warning, message.into());
    }

    /// Adds a call without a result: in flight, or an error.
    pub fn unanswered(&mut self, index: usize, rule: &'static str, call: &str, in_flight: bool) {
        if in_flight {
            let message = format!("{call} is in flight: append its result before the model is called");
            self.add(index, rule, Severity::Pending, message);
        } else {
            self.error(
                index,
                rule,
                format!("{call} has no result where one must be: put its result directly behind it, or drop the call"),
            );
        }
    }

    fn add(&mut self, index: usize, rule: &'static str, severity: Severity, message: String) {
        self.0.push(Violation {
            index,
            rule,
            severity,
            message,
        });
    }

    /// All, by index; those of one item in the order in which they were found.
    pub fn sorted(mut self) -> Vec<Violation> {
        self.0.sort_by_key(|violation| violation.index);
        self.0
    }
}

/// An id: its text, or its beginning with its whole length.
pub type Id<'a> = (&'a str, usize);

/// The id at a key, empty ones included.
pub fn id_at<'a>(holder: &Sketch<'a>, key: &str) -> Option<Id<'a>> {
    holder.get(key).and_then(text_of).map(|text| (text.head, text.units))
}

/// The id at a key, unless it is empty.
pub fn named<'a>(holder: &Sketch<'a>, key: &str) -> Option<Id<'a>> {
    id_at(holder, key).filter(|id| id.1 > 0)
}

/// The string that a value is.
pub fn text_of<'a>(value: &Sketch<'a>) -> Option<Text<'a>> {
    match value {
        Sketch::Text(text) => Some(*text),
        _ => None,
    }
}

/// An id as messages show it.
pub fn shown(id: Option<Id<'_>>) -> String {
    match id {
        Some((text, _)) if text.chars().count() > 40 => {
            format!("\"{}…\"", text.chars().take(40).collect::<String>())
        }
        Some((text, _)) => format!("\"{text}\""),
        None => "without an id".to_owned(),
    }
}

/// Whether a string has nothing but white space in it.
pub fn is_blank(text: Text<'_>) -> bool {
    text.units <= LONGEST_READ && text.head.trim().is_empty()
}

/// Whether a string holds a JSON object.
pub fn holds_object(text: Text<'_>) -> bool {
    if text.units > LONGEST_READ {
        return text.head.trim_start().starts_with('{');
    }
    matches!(json::parse(text.head), Some(Value::Object(_)))
}

/// Whether an id is made of letters, digits, `_` and `-` only, and has at least one.
pub fn is_plain(id: Id<'_>) -> bool {
    // Of a long string no more than this is there everywhere.
    let read = if id.1 > LONGEST_READ { 128 } else { LONGEST_READ };
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    id.1 > 0 && id.0.bytes().take(read).all(fits)
}

/// Whether a flag is set.
pub fn is_true(holder: &Sketch<'_>, key: &str) -> bool {
    matches!(holder.get(key), Some(Sketch::Bool(true)))
}

/// E-TOOLNAME: the name of a call of the history.
pub fn tool_name(findings: &mut Findings, index: usize, name: Option<Id<'_>>, longest: usize) {
    if let Some(fault) = name_fault(name, longest) {
        findings.error(index, "E-TOOLNAME", fault);
    }
}

/// E-TOOLNAME where the provider is not known: some take more than others.
pub fn portable_tool_name(findings: &mut Findings, index: usize, name: Option<Id<'_>>) {
    if let Some(fault) = name_fault(name, 64) {
        findings.warning(index, "E-TOOLNAME", fault);
    }
}

fn name_fault(name: Option<Id<'_>>, longest: usize) -> Option<String> {
    let Some(id) = name else {
        return Some("a call has no tool name: name it, or write \"_\"".to_owned());
    };
    let shown = shown(name);
    if id.1 > longest {
        return Some(format!("tool name {shown} has more than {longest} characters: cut it"));
    }
    (!is_plain(id)).then(|| format!("tool name {shown} may hold letters, digits, _ and - only: write _ for all else"))
}

/// Follows the last step: a call is in flight if it is one of it and no user or model item follows.
#[derive(Debug, Default)]
pub struct LastStep {
    start: Option<usize>,
    is_open: bool,
}

impl LastStep {
    /// An item of the model.
    pub fn model(&mut self, index: usize) {
        if !self.is_open {
            self.start = Some(index);
        }
        self.is_open = true;
    }

    /// An item of a person.
    pub fn user(&mut self) {
        self.start = None;
        self.is_open = false;
    }

    /// Any other item.
    pub fn other(&mut self) {
        self.is_open = false;
    }

    /// Whether a call at this index is in flight.
    pub fn holds(&self, index: usize) -> bool {
        self.start.is_some_and(|start| index >= start)
    }
}
