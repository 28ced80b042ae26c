//! What a tool's answer says of itself: its text, and the exit code in the forms in which tools report one.

use crate::item::json::parse;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Lines at either end of an answer in which a tool reports an exit code; what is between is the command's own output.
const EDGE: usize = 6;

/// A tool's answer, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered<'t> {
    /// The output itself.
    pub text: Cow<'t, str>,
    /// The exit code, where one is reported.
    pub code: Option<i64>,
    /// It was stopped before it ended, or never begun.
    pub is_stopped: bool,
}

impl<'t> Answered<'t> {
    /// Takes an answer apart.
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        let start = text.trim_start();
        if start.starts_with(['{', '['])
            && let Some(value) = parse(start)
            && let Some(answered) = structured(&value)
        {
            return answered;
        }
        let mut code = None;
        let mut is_stopped = false;
        let lines: Vec<&str> = edges(text);
        for line in &lines {
            code = code.or_else(|| exit_code(line));
            is_stopped |= is_timeout(line) || is_refused(line);
        }
        Answered {
            text: Cow::Borrowed(text),
            code,
            is_stopped,
        }
    }
}

/// The first and the last lines.
fn edges(text: &str) -> Vec<&str> {
    let head: Vec<&str> = text.lines().take(EDGE).collect();
    let mut tail: Vec<&str> = text.lines().rev().take(EDGE).collect();
    tail.reverse();
    [head, tail].concat()
}

/// Answers that are JSON: an object with an output and a code, or the list of a hosted shell's.
fn structured(value: &Value) -> Option<Answered<'static>> {
    match value {
        Value::Object(object) => {
            let code = code_of(object).or_else(|| object.get("metadata")?.as_object().and_then(code_of));
            let text = output_of(object);
            if code.is_none() && text.is_none() {
                return None;
            }
            let is_stopped = object.get("timed_out").or_else(|| object.get("timedOut")) == Some(&Value::Bool(true));
            Some(Answered {
                text: Cow::Owned(text.unwrap_or_default()),
                code,
                is_stopped,
            })
        }
        Value::Array(list) => {
            let mut text = String::new();
            let mut code = None;
            let mut is_stopped = false;
            for entry in list.iter().filter_map(Value::as_object) {
                let outcome = entry.get("outcome")?.as_object()?;
                let found = code_of(outcome);
                code = match (code, found) {
                    (None | Some(0), Some(found)) => Some(found),
                    (code, _) => code,
                };
                is_stopped |= outcome.get("type").and_then(Value::as_str) == Some("timeout");
                text.push_str(&output_of(entry).unwrap_or_default());
                text.push('\n');
            }
            (!text.is_empty()).then_some(Answered {
                text: Cow::Owned(text),
                code,
                is_stopped,
            })
        }
        _ => None,
    }
}

fn code_of(object: &Map<String, Value>) -> Option<i64> {
    let keys = [
        "exit_code",
        "exitCode",
        "returncode",
        "returnCode",
        "return_code",
        "exit_status",
    ];
    keys.iter().find_map(|key| object.get(*key).and_then(Value::as_i64))
}

fn output_of(object: &Map<String, Value>) -> Option<String> {
    let at = |key: &str| object.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    if let Some(output) = at("output") {
        return Some(output.to_owned());
    }
    match (at("stdout"), at("stderr")) {
        (Some(out), Some(error)) => Some(format!("{out}\n{error}")),
        (Some(text), None) | (None, Some(text)) => Some(text.to_owned()),
        (None, None) => object.contains_key("stdout").then(String::new),
    }
}

/// Words in front of an exit code, in lower case.
const CODES: [&str; 8] = [
    "exit code",
    "exited with code",
    "exit_code",
    "exitcode",
    "exit status",
    "returncode",
    "return code",
    "exited with status",
];

/// `Exit code: 1`, `Process exited with code 1`, `<returncode>1</returncode>` and their like.
fn exit_code(line: &str) -> Option<i64> {
    if line.len() > 300 {
        return None;
    }
    let lower = line.to_ascii_lowercase();
    CODES.iter().find_map(|words| {
        let (_, rest) = lower.split_once(words)?;
        let rest = rest.trim_start_matches([' ', ':', '=', '"', '\'', '>', '`', '*']);
        let rest = rest.strip_prefix("is ").unwrap_or(rest);
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        let number: i64 = digits.get(..length)?.parse().ok()?;
        Some(if rest.starts_with('-') { -number } else { number })
    })
}

fn is_timeout(line: &str) -> bool {
    let lower = line.trim().to_ascii_lowercase();
    line.len() < 200 && (lower.starts_with("error: command timed out") || lower.starts_with("command timed out"))
}

/// A person said no: Codex's `patch rejected by user` and its like.
fn is_refused(line: &str) -> bool {
    let lower = line.trim().to_ascii_lowercase();
    line.len() < 200
        && [
            "rejected by user",
            "rejected by the user",
            "denied by user",
            "aborted by user",
        ]
        .iter()
        .any(|words| lower.contains(words))
}

/// Whether a line is a tool's own, not the command's.
pub fn is_frame(line: &str) -> bool {
    let lower = line.trim().to_ascii_lowercase();
    exit_code(line).is_some()
        || matches!(
            lower.trim_end_matches(':'),
            "stdout"
                | "stderr"
                | "output"
                | "stderr (empty)"
                | "signal (none)"
                | "error (none)"
                | "command output"
                | "```"
        )
        || [
            "wall time",
            "signal:",
            "background pids",
            "process group",
            "directory:",
            "chunk id",
            "original token count",
            "total output lines",
        ]
        .iter()
        .any(|words| lower.starts_with(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_in_every_form() {
        for (text, code) in [
            ("Exit code 1\nboom", Some(1)),
            ("Error: Exit code 127\nnot found", Some(127)),
            ("Exit code: 0\nWall time: 1 seconds\nOutput:\nfine", Some(0)),
            ("Chunk ID: a\nProcess exited with code 2\nOutput:\nx", Some(2)),
            ("Command: x\nStdout: y\nExit Code: 3\nSignal: (none)", Some(3)),
            ("EXIT CODE: -15\n\nSTDOUT:\n", Some(-15)),
            ("[The command completed with exit code 4.]", Some(4)),
            ("<returncode>5</returncode>\n<output>x</output>", Some(5)),
            ("{\"output\":\"x\",\"metadata\":{\"exit_code\":6}}", Some(6)),
            ("{\"stdout\":\"x\",\"stderr\":\"\",\"exitCode\":7}", Some(7)),
            (
                "[{\"stdout\":\"x\",\"stderr\":\"\",\"outcome\":{\"type\":\"exit\",\"exit_code\":8}}]",
                Some(8),
            ),
            ("hello", None),
            ("exit code unknown", None),
        ] {
            assert_eq!(Answered::of(text).code, code, "{text}");
        }
        let quoted = format!("{}process.exit code: 1\n{}", "line\n".repeat(20), "line\n".repeat(20));
        assert_eq!(Answered::of(&quoted).code, None, "the output's own words");
        assert!(Answered::of("patch rejected by user").is_stopped);
        assert!(Answered::of("ERROR: command timed out after 15s").is_stopped);
        assert_eq!(
            Answered::of("{\"output\":\"x\",\"metadata\":{\"exit_code\":0}}").text,
            "x"
        );
    }
}
