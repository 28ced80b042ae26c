//! What a model that writes code has answered: code in a fence, or its final output as JSON.

use crate::compact::without_thinking;
use crate::item::json::{compact, parse};
use serde_json::Value;

/// What an answer comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The final output.
    Final(String),
    /// Code to run.
    Code {
        /// As the fence names it.
        language: String,
        /// The code.
        source: String,
        /// More code blocks follow, which are not run.
        has_more: bool,
    },
    /// A fence that does not end.
    Unclosed,
}

/// The key that the final output stands under.
pub const FINAL: &str = "final_output";

/// Fences that hold something to read and nothing to run.
const READ: [&str; 8] = ["json", "text", "txt", "markdown", "md", "output", "console", "diff"];

/// A block between fences.
struct Block<'t> {
    language: &'t str,
    source: String,
}

/// Reads an answer. Text without code and without JSON is final as it stands.
#[must_use]
pub fn read(text: &str) -> Reply {
    // Elsewhere than in front, a closing tag may be part of the code; some models leave the opening one away.
    let spoken = if text.trim_start().starts_with('<') {
        without_thinking(text)
    } else {
        text.rsplit("</think>").next()
    };
    let Some(spoken) = spoken else { return Reply::Unclosed };
    if let Some(output) = final_output(spoken) {
        return Reply::Final(output);
    }
    let (blocks, is_closed) = blocks(spoken);
    let mut code = blocks
        .iter()
        .filter(|block| !READ.contains(&block.language.to_lowercase().as_str()));
    if let Some(block) = code.next() {
        return Reply::Code {
            language: block.language.to_owned(),
            source: block.source.clone(),
            has_more: code.next().is_some() || !is_closed,
        };
    }
    match blocks.iter().find_map(|block| final_output(&block.source)) {
        Some(output) => Reply::Final(output),
        None if !is_closed => Reply::Unclosed,
        None => Reply::Final(spoken.trim().to_owned()),
    }
}

/// The final output of a JSON object that has one: a string as it is, anything else as JSON text.
fn final_output(text: &str) -> Option<String> {
    let text = text.trim();
    if !text.starts_with('{') {
        return None;
    }
    match parse(text)?.as_object()?.get(FINAL)? {
        Value::String(output) => Some(output.clone()),
        other => Some(compact(other)),
    }
}

/// The fenced blocks of a text (CommonMark §4.5, without indentation over three spaces), and whether the last one ends.
fn blocks(text: &str) -> (Vec<Block<'_>>, bool) {
    let mut blocks = Vec::new();
    let mut open: Option<(char, usize, Block<'_>)> = None;
    for line in text.lines() {
        let fence = fence(line);
        match (&mut open, fence) {
            (None, Some((mark, length, info))) => {
                let language = info.split([' ', '\t', '{']).next().unwrap_or_default();
                open = Some((
                    mark,
                    length,
                    Block {
                        language,
                        source: String::new(),
                    },
                ));
            }
            (Some((mark, length, _)), Some((found, most, ""))) if found == *mark && most >= *length => {
                blocks.extend(open.take().map(|(_, _, block)| block));
            }
            (Some((_, _, block)), _) => {
                block.source.push_str(line);
                block.source.push('\n');
            }
            (None, None) => {}
        }
    }
    (blocks, open.is_none())
}

/// A line that opens or closes a block: its mark, how many, and what follows.
fn fence(line: &str) -> Option<(char, usize, &str)> {
    let inside = line.trim_start_matches(' ');
    if line.len() - inside.len() > 3 {
        return None;
    }
    let mark = inside.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = inside.trim_start_matches(mark);
    let length = inside.len() - info.len();
    let is_fence = length >= 3 && !(mark == '`' && info.contains('`'));
    is_fence.then(|| (mark, length, info.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(language: &str, source: &str, has_more: bool) -> Reply {
        Reply::Code {
            language: language.to_owned(),
            source: source.to_owned(),
            has_more,
        }
    }

    #[test]
    fn code_is_found_among_prose() {
        assert_eq!(
            read("I count.\n```js\nreturn 1;\n```\nThen."),
            code("js", "return 1;\n", false)
        );
        assert_eq!(read("~~~\nx\n~~~"), code("", "x\n", false));
        assert_eq!(read("```js\na\n```\n```js\nb\n```"), code("js", "a\n", true));
        assert_eq!(read("````js\n```\n````"), code("js", "```\n", false));
        assert_eq!(
            read("<think>```js\nno\n```</think>```js\nyes\n```"),
            code("js", "yes\n", false)
        );
    }

    #[test]
    fn a_final_output_is_text_or_json() {
        let is_final = |text: &str, output: &str| assert_eq!(read(text), Reply::Final(output.to_owned()), "{text}");
        is_final("{\"final_output\":\"42\"}", "42");
        is_final("{\"final_output\":{\"n\":42}}", "{\"n\":42}");
        is_final("Done.\n```json\n{\"final_output\": \"42\"}\n```", "42");
        is_final("The answer is 42.", "The answer is 42.");
        is_final("```json\n{\"x\":1}\n```", "```json\n{\"x\":1}\n```");
    }

    #[test]
    fn a_fence_that_does_not_end_is_no_code() {
        assert_eq!(read("```js\nfor (;;"), Reply::Unclosed);
        assert_eq!(read("<think>and on"), Reply::Unclosed);
    }
}
