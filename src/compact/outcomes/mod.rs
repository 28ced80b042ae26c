//! What commands came to, read from what tools answered: failures with their last error line, results of test runs.

mod answer;
mod errors;
mod tests_run;

pub use answer::Answered;
pub use errors::last_error;
pub use tests_run::test_result;

use super::files::{COMMAND_KEYS, is_shell};
use serde_json::Value;

/// Longest command or line that is quoted, in characters.
const MOST_QUOTED: usize = 200;

/// The command that a call runs, in one line; `None` where the tool runs none.
#[must_use]
pub fn command(tool: &str, input: &Value) -> Option<String> {
    if !is_shell(tool) {
        return None;
    }
    let found = match input {
        Value::String(_) => Some(input),
        _ => COMMAND_KEYS.iter().find_map(|key| input.get(*key)),
    };
    let text = match found? {
        Value::String(text) => text.clone(),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [shell, option, script] if is_shell_name(shell) && option.starts_with('-') => (*script).to_owned(),
                words => words.join(" "),
            }
        }
        _ => return None,
    };
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next()?.trim();
    let more = if lines.next().is_some() { " …" } else { "" };
    Some(format!("{}{more}", quoted(first)))
}

fn is_shell_name(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    matches!(name, "bash" | "sh" | "zsh" | "dash" | "ksh")
}

/// A line, shortened.
fn quoted(line: &str) -> String {
    let line = line.trim();
    match line.char_indices().nth(MOST_QUOTED) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or(line)),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn commands_are_quoted_in_a_line() {
        let of = |input: Value| command("shell", &input);
        assert_eq!(
            of(json!({ "command": ["bash", "-lc", "npm test"] })).as_deref(),
            Some("npm test")
        );
        assert_eq!(of(json!({ "command": "\nmake\ninstall" })).as_deref(), Some("make …"));
        assert_eq!(of(json!({ "command": ["cat", "a"] })).as_deref(), Some("cat a"));
        assert_eq!(of(json!({ "command": " " })), None);
        assert_eq!(command("Read", &json!({ "command": "x" })), None);
        assert_eq!(
            of(json!({ "command": "x".repeat(500) })).map(|text| text.chars().count()),
            Some(201)
        );
    }
}
