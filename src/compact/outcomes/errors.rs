//! Whether a command failed, and the line that says why.

use super::answer::{Answered, is_frame};
use super::quoted;

/// Words of lines that report an error, in lower case.
const ERRORS: [&str; 20] = [
    "error",
    "failed",
    "failure",
    "fatal",
    "exception",
    "panicked",
    "cannot ",
    "can't ",
    "not found",
    "no such",
    "denied",
    "undefined",
    "unexpected",
    "invalid",
    "timed out",
    "refused",
    "missing",
    "traceback",
    "unable to",
    "err!",
];

/// Lines that only point somewhere else.
const POINTERS: [&str; 3] = [
    "a complete log of this run",
    "for more information about this error",
    "run with `rust_backtrace",
];

/// The last error line of an answer whose command failed, at most 200 characters; `None`: it did not fail. A code of 1
/// without a word is the answer of a search that found nothing, and no failure.
#[must_use]
pub fn last_error(answered: &Answered<'_>, is_error: bool) -> Option<String> {
    let has_failed = match answered.code {
        Some(code) => code != 0,
        None => is_error || answered.is_stopped,
    };
    if !has_failed {
        return None;
    }
    let lines: Vec<&str> = answered
        .text
        .lines()
        .rev()
        .filter(|line| !line.trim().is_empty() && !is_frame(line))
        .take(400)
        .collect();
    let reports = |line: &&&str| {
        let lower = line.to_ascii_lowercase();
        ERRORS.iter().any(|word| lower.contains(word)) && !POINTERS.iter().any(|words| lower.contains(words))
    };
    let found = lines.iter().find(reports).or_else(|| lines.first());
    match (found, answered.code) {
        (Some(line), _) => Some(quoted(&plain(line))),
        (None, Some(1)) if !is_error => None,
        (None, Some(code)) => Some(format!("exit code {code}")),
        (None, None) => Some("no output".to_owned()),
    }
}

/// A line without the escapes that colour a terminal.
pub fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(next) = chars.next() {
        if next == '\u{1b}' {
            if chars.next() == Some('[') {
                for inner in chars.by_ref() {
                    if inner.is_ascii_alphabetic() {
                        break;
                    }
                }
            }
        } else if !next.is_control() || next == '\t' {
            out.push(next);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, is_error: bool) -> Option<String> {
        last_error(&Answered::of(text), is_error)
    }

    #[test]
    fn failures_name_their_last_error_line() {
        assert_eq!(
            of(
                "Exit code 1\nerror[E0308]: mismatched types\n  --> src/a.rs:1\nnote: x",
                false
            )
            .as_deref(),
            Some("error[E0308]: mismatched types")
        );
        assert_eq!(
            of("{\"output\":\"\\u001b[31mnpm ERR! Test failed.\\u001b[0m\\nnpm ERR! A complete log of this run can be found in: x\",\"metadata\":{\"exit_code\":1}}", false).as_deref(),
            Some("npm ERR! Test failed.")
        );
        assert_eq!(
            of(
                "EXIT CODE: 100\n\nSTDOUT:\nE: Unable to locate package x\n\nSTDERR:\n",
                false
            )
            .as_deref(),
            Some("E: Unable to locate package x")
        );
        assert_eq!(of("one\ntwo", true).as_deref(), Some("two"));
        assert_eq!(of("one\nerror: two", false), None);
        assert_eq!(of("Exit code: 0\nOutput:\nerror: no", true), None);
        assert_eq!(of("{\"output\":\"\",\"metadata\":{\"exit_code\":1}}", false), None);
        assert_eq!(
            of("{\"output\":\"\",\"metadata\":{\"exit_code\":2}}", false).as_deref(),
            Some("exit code 2")
        );
        assert_eq!(
            of("ERROR: command timed out after 15s", false).as_deref(),
            Some("ERROR: command timed out after 15s")
        );
    }
}
