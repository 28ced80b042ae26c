//! A model's answer: found among fences, prose and thinking, read forgivingly, or refused.

use crate::item::json::{compact, parse, without_half_pairs};
use crate::item::text::{shorten, utf16_len};
use serde_json::{Map, Value};

/// Prose shorter than this is no summary of a range longer than [`LONG_RANGE`] characters.
const SHORT_PROSE: usize = 200;
const LONG_RANGE: u64 = 4_000;
/// Longest entry, and most entries of a list, in a result.
const LONGEST_ENTRY: usize = 2_000;
const MOST_ENTRIES: usize = 100;
/// Keys beyond those asked for are kept up to so many characters of JSON.
const MOST_EXTRA: usize = 8_000;

/// What a model answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// Its text; `None`: it gave none.
    pub text: Option<String>,
    /// Why it stopped, in the provider's word.
    pub finish_reason: Option<String>,
}

/// The object that was asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// What the user wants.
    pub goal: Option<String>,
    /// What was done.
    pub completed: Vec<String>,
    /// What remains.
    pub pending: Vec<String>,
    /// What was decided.
    pub decisions: Vec<String>,
    /// What failed.
    pub errors: Vec<String>,
    /// What tests said.
    pub test_results: Vec<String>,
    /// What is not known.
    pub open_questions: Vec<String>,
    /// Numbers of earlier entries that are settled.
    pub resolved: Vec<usize>,
    /// Keys beyond these.
    pub extra: Map<String, Value>,
}

impl Answer {
    /// All entries of all lists.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        let lists = [
            &self.completed,
            &self.pending,
            &self.decisions,
            &self.errors,
            &self.test_results,
            &self.open_questions,
        ];
        lists.into_iter().flatten().map(String::as_str)
    }

    fn is_empty(&self) -> bool {
        self.goal.is_none() && self.entries().next().is_none()
    }
}

/// What an answer came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Read {
    /// The object that was asked for.
    Object(Box<Answer>),
    /// A summary in prose.
    Prose(String),
    /// Nothing that may replace anything, and why.
    Refused(&'static str),
}

/// Reads an answer about a range of so many characters.
#[must_use]
pub fn read(given: &Given, range_chars: u64) -> Read {
    if given.finish_reason.as_deref().is_some_and(is_cut_off) {
        return Read::Refused("the answer was cut off or withheld");
    }
    let Some(text) = given.text.as_deref().filter(|text| !text.trim().is_empty()) else {
        return Read::Refused("the answer has no text");
    };
    let Some(text) = without_thinking(text) else {
        return Read::Refused("the answer ends inside its thinking");
    };
    let text = text.trim();
    if text.is_empty() {
        return Read::Refused("the answer is all thinking");
    }
    match best_object(text) {
        Found::Object(object) => {
            let answer = fields(object);
            if answer.is_empty() {
                Read::Refused("the answer is an object with nothing in it")
            } else {
                Read::Object(Box::new(answer))
            }
        }
        Found::Unfinished => Read::Refused("the answer is an object that does not end"),
        Found::None => prose(text, range_chars),
    }
}

/// Whether the provider's word says that the answer did not end by itself.
fn is_cut_off(reason: &str) -> bool {
    let reason = reason.to_ascii_lowercase().replace('-', "_");
    matches!(
        reason.as_str(),
        "length"
            | "max_tokens"
            | "max_output_tokens"
            | "model_length"
            | "incomplete"
            | "content_filter"
            | "safety"
            | "error"
    )
}

fn prose(text: &str, range_chars: u64) -> Read {
    let bare = without_fence(text).trim();
    let text = match parse(bare) {
        Some(Value::String(text)) => text,
        // `[]`, `null`, a number, an object without one key that was asked for.
        Some(_) => return Read::Refused("the answer is JSON, but not the object that was asked for"),
        None => bare.to_owned(),
    };
    let text = text.trim();
    if text.is_empty() {
        Read::Refused("the answer has no text")
    } else if range_chars > LONG_RANGE && utf16_len(text) < SHORT_PROSE {
        Read::Refused("the answer is too short to be a summary of so much")
    } else {
        Read::Prose(text.to_owned())
    }
}

/// Tags that models put around their thinking.
const TAGS: [&str; 5] = ["think", "thinking", "analysis", "reasoning", "scratchpad"];

/// A text without the thinking in front of its answer; `None` where the thinking does not end. Any of the tags closes any
/// other: models mix them up.
pub fn without_thinking(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    if let Some(end) = last_closing(rest)
        && !rest.starts_with('{')
    {
        rest = rest.get(end..)?;
        return Some(rest);
    }
    let opens = TAGS.iter().any(|tag| {
        let after = rest.strip_prefix('<').and_then(|rest| rest.strip_prefix(tag));
        after.is_some_and(|rest| rest.starts_with('>'))
    });
    (!opens).then_some(rest)
}

/// Behind the last closing tag that stands in front of the object, or of the end.
fn last_closing(text: &str) -> Option<usize> {
    TAGS.iter()
        .filter_map(|tag| {
            let closing = format!("</{tag}>");
            text.rfind(&closing).map(|at| at + closing.len())
        })
        .max()
}

/// The text inside a fence that is all of the text.
fn without_fence(text: &str) -> &str {
    let Some(inside) = text.strip_prefix("```") else {
        return text;
    };
    let inside = inside.split_once('\n').map_or(inside, |(_, inside)| inside);
    inside.trim_end().strip_suffix("```").unwrap_or(inside)
}

const LISTS: [&str; 6] = [
    "completed",
    "pending",
    "decisions",
    "errors",
    "testResults",
    "openQuestions",
];

fn is_known(key: &str) -> bool {
    key == "goal" || key == "resolved" || LISTS.contains(&key)
}

enum Found {
    Object(Map<String, Value>),
    Unfinished,
    None,
}

/// Scanning for objects looks at no more than so many bytes in all, over all attempts, per byte of text.
const MOST_LOOKS: usize = 8;

/// The object with most of the keys that were asked for, among all that are balanced; the later one where two have as
/// many.
fn best_object(text: &str) -> Found {
    let mut best: Option<(usize, Map<String, Value>)> = None;
    let mut is_unfinished = false;
    let mut at = 0;
    let mut looks = text.len().saturating_mul(MOST_LOOKS);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('{')) {
        let start = at + found;
        let Some(rest) = text.get(start..) else { break };
        let end = balanced(rest, looks);
        looks = looks.saturating_sub(end.unwrap_or(rest.len()));
        let object = end.and_then(|end| rest.get(..end)).and_then(parse_object);
        match object {
            Some(object) => {
                let (known, object) = most_known(object);
                if known > 0 && best.as_ref().is_none_or(|(most, _)| known >= *most) {
                    best = Some((known, object));
                }
                at = start + end.unwrap_or(1);
            }
            None => {
                is_unfinished |= end.is_none() && names_a_key(rest);
                at = start + 1;
            }
        }
        if looks == 0 {
            break;
        }
    }
    match best {
        Some((_, object)) => Found::Object(object),
        None if is_unfinished => Found::Unfinished,
        None => Found::None,
    }
}

fn parse_object(text: &str) -> Option<Map<String, Value>> {
    let mended = without_half_pairs(text);
    match parse(mended.as_deref().unwrap_or(text))? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// The object itself, or the one inside it that has more of the keys: some models wrap their answer.
fn most_known(object: Map<String, Value>) -> (usize, Map<String, Value>) {
    let count = |object: &Map<String, Value>| object.keys().filter(|key| is_known(key)).count();
    let own = count(&object);
    let inner = object
        .values()
        .filter_map(Value::as_object)
        .max_by_key(|inner| count(inner));
    match inner.map(|inner| (count(inner), inner.clone())) {
        Some((known, inner)) if own == 0 && known > 0 => (known, inner),
        _ => (own, object),
    }
}

/// Whether an object that does not end begins as the one that was asked for.
fn names_a_key(rest: &str) -> bool {
    let key = rest
        .get(1..)
        .map(str::trim_start)
        .and_then(|rest| rest.strip_prefix('"'));
    key.and_then(|rest| rest.split_once('"'))
        .is_some_and(|(key, _)| is_known(key))
}

/// Length of the balanced object at the beginning, strings aside; `None` where it does not end within `most` bytes.
fn balanced(text: &str, most: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut is_string = false;
    let mut is_escaped = false;
    for (index, byte) in text.bytes().enumerate().take(most) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            _ if is_string => {}
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(index + 1);
                }
            }
            _ => {}
        }
    }
    None
}

fn fields(object: Map<String, Value>) -> Answer {
    let mut answer = Answer::default();
    let mut extra_room = MOST_EXTRA;
    for (key, value) in object {
        match key.as_str() {
            "goal" => answer.goal = Some(list(value).join("; ")).filter(|goal| !goal.is_empty()),
            "completed" => answer.completed = list(value),
            "pending" => answer.pending = list(value),
            "decisions" => answer.decisions = list(value),
            "errors" => answer.errors = list(value),
            "testResults" => answer.test_results = list(value),
            "openQuestions" => answer.open_questions = list(value),
            "resolved" => answer.resolved = numbers(&value),
            _ => {
                let size = key.len() + compact(&value).len();
                if let Some(rest) = extra_room.checked_sub(size) {
                    extra_room = rest;
                    answer.extra.insert(key, value);
                }
            }
        }
    }
    answer
}

/// A list of texts; a single one stands for a list of one, anything that is no text is written as JSON.
fn list(value: Value) -> Vec<String> {
    let elements = match value {
        Value::Array(elements) => elements,
        other => vec![other],
    };
    let texts = elements.into_iter().filter_map(|element| match element {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(compact(&other)),
    });
    let trimmed = texts.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    trimmed
        .take(MOST_ENTRIES)
        .map(|text| shorten(&text, LONGEST_ENTRY).unwrap_or(text))
        .collect()
}

fn numbers(value: &Value) -> Vec<usize> {
    let of = |value: &Value| match value {
        Value::Number(number) => number.as_u64().map(|number| number as usize),
        Value::String(text) => text.trim().trim_start_matches('#').parse().ok(),
        _ => None,
    };
    match value {
        Value::Array(list) => list.iter().filter_map(of).collect(),
        one => of(one).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Given {
        Given {
            text: Some(text.to_owned()),
            finish_reason: None,
        }
    }

    fn goal(given: &str) -> Option<String> {
        match read(&text(given), 100) {
            Read::Object(answer) => answer.goal,
            _ => None,
        }
    }

    #[test]
    fn the_object_is_found_wherever_it_stands() {
        for given in [
            r#"{"goal":"g"}"#,
            "```json\n{\"goal\":\"g\"}\n```",
            "```json\n{\"goal\":\"g\"}",
            "Here you are:\n{\"goal\":\"g\"}\nAnything else?",
            "<think>I see {\"goal\": \"no\"} here</think>\n{\"goal\":\"g\"}",
            "<analysis>hm</think>{\"goal\":\"g\"}",
            "thinking without a beginning</think>{\"goal\":\"g\"}",
            "the set {a} and {b: 1} {\"goal\":\"g\",\"completed\":[]} and {c}",
            r#"{"goal":"no"} {"goal":"g","pending":["p"]} {"x":1}"#,
            r#"{"result":{"goal":"g"}}"#,
            r#"[{"goal":"g"}]"#,
            r#"{"goal":["g"]}"#,
            "quote \" in prose {\"goal\":\"g\"}",
        ] {
            assert_eq!(goal(given).as_deref(), Some("g"), "{given}");
        }
    }

    #[test]
    fn single_strings_unknown_keys_and_odd_types() {
        let given = r##"{"pending":"one","completed":[1,{"a":2},null," "],"mood":"fine","resolved":["#2",1,"x"]}"##;
        let Read::Object(answer) = read(&text(given), 100) else {
            panic!("an object")
        };
        assert_eq!(answer.pending, ["one"]);
        assert_eq!(answer.completed, ["1", "{\"a\":2}"]);
        assert_eq!(answer.resolved, [2, 1]);
        assert_eq!(answer.extra.get("mood"), Some(&Value::from("fine")));
    }

    #[test]
    fn what_is_no_summary_is_refused() {
        let cut = Given {
            finish_reason: Some("MAX_TOKENS".to_owned()),
            ..text(r#"{"goal":"g"}"#)
        };
        assert!(matches!(read(&cut, 100), Read::Refused(_)));
        assert!(matches!(read(&Given::default(), 100), Read::Refused(_)));
        for given in [
            "",
            " \n",
            "{}",
            "[]",
            "null",
            "\"\"",
            "42",
            "true",
            "```\n```",
            r#"{"goal":""}"#,
            r#"{"foo":"bar"}"#,
            r#"{"goal":"g","completed":["a"#,
            "```json\n{\"goal\": \"g",
            "<think>never ends {\"a\":1}",
            "<think>x</think> ",
            r#"{"goal":null,"completed":[]}"#,
        ] {
            assert!(matches!(read(&text(given), 100), Read::Refused(_)), "{given}");
        }
        assert!(matches!(read(&text("Done."), 5_000), Read::Refused(_)));
    }

    #[test]
    fn prose_is_a_summary() {
        assert_eq!(
            read(&text("All is well {so far}."), 100),
            Read::Prose("All is well {so far}.".to_owned())
        );
        assert_eq!(
            read(&text("\"quoted prose\""), 100),
            Read::Prose("quoted prose".to_owned())
        );
        assert_eq!(read(&text("```\nprose\n```"), 100), Read::Prose("prose".to_owned()));
    }

    #[test]
    fn a_hostile_answer_costs_no_more_than_its_length() {
        let braces = "{".repeat(300_000);
        assert!(matches!(read(&text(&braces), 100), Read::Prose(_)));
        let deep = "{\"goal\":".repeat(5_000);
        assert!(matches!(read(&text(&deep), 100), Read::Refused(_)));
    }
}
