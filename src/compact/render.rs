//! From what is known to the text of a summary, within its room, and back.

use super::files::FileLists;
use super::state::{Entry, State};
use crate::item::text::{shorten, utf16_len};

/// Headings of the summary, in order.
const GOAL: &str = "## Goal";
const PROGRESS: &str = "## Progress";
const PENDING: &str = "## Pending";
const DECISIONS: &str = "## Key Decisions";
const ERRORS: &str = "## Errors";
const TESTS: &str = "## Test Results";
const QUESTIONS: &str = "## Open Questions";
const FILES: &str = "## Files";

/// Most files of each list that a summary names; the result has them all.
const MOST_FILES: usize = 30;

/// Ever less: the longest entry and the most entries of a list. Pending and decisions get twice the entries.
const LEVELS: [(usize, usize); 7] = [
    (usize::MAX, usize::MAX),
    (600, 40),
    (300, 20),
    (200, 10),
    (140, 6),
    (100, 3),
    (80, 1),
];

/// The text of a summary of at most `room` UTF-16 units; it says what it leaves out.
#[must_use]
pub fn render(head: &str, state: &State, files: &FileLists, room: usize) -> String {
    let mut text = String::new();
    for (longest, most) in LEVELS {
        text = at_level(head, state, files, longest, most, room);
        if utf16_len(&text) <= room {
            return text;
        }
    }
    shorten(&text, room).unwrap_or(text)
}

fn at_level(head: &str, state: &State, files: &FileLists, longest: usize, most: usize, room: usize) -> String {
    let mut out = String::from(head);
    if let Some(goal) = &state.goal {
        section(GOAL, &mut out);
        out.push_str(&fitted(goal, longest.saturating_mul(2)));
    }
    let marked = |entries: &[Entry]| entries.iter().map(Entry::marked).collect::<Vec<_>>();
    let twice = most.saturating_mul(2);
    list(PROGRESS, &state.completed, 0, longest, most, &mut out);
    list(
        PENDING,
        &marked(&state.pending),
        state.left_out,
        longest,
        twice,
        &mut out,
    );
    list(DECISIONS, &marked(&state.decisions), 0, longest, twice, &mut out);
    list(ERRORS, &state.errors, 0, longest, most, &mut out);
    list(TESTS, &state.test_results, 0, longest, most, &mut out);
    list(QUESTIONS, &state.open_questions, 0, longest, most, &mut out);
    file_section(files, most.min(MOST_FILES), &mut out);
    match &state.prose {
        // Prose stands first, with all the room that the lists leave.
        Some(prose) if !out.is_empty() => {
            let rest = room.saturating_sub(utf16_len(&out) + 2);
            format!("{}\n\n{out}", fitted(prose, rest))
        }
        Some(prose) => fitted(prose, room),
        None => out,
    }
}

fn section(heading: &str, out: &mut String) {
    if !out.is_empty() {
        out.push_str("\n\n");
    }
    out.push_str(heading);
    out.push('\n');
}

/// A list with its newest entries; `gone` were let go of before.
fn list(heading: &str, entries: &[String], gone: usize, longest: usize, most: usize, out: &mut String) {
    if entries.is_empty() && gone == 0 {
        return;
    }
    section(heading, out);
    let skipped = entries.len().saturating_sub(most);
    let mut lines: Vec<String> = Vec::new();
    if skipped + gone > 0 {
        lines.push(format!("({} earlier entries left out)", skipped + gone));
    }
    let kept = entries.iter().skip(skipped);
    lines.extend(kept.map(|entry| format!("- {}", fitted(&one_line(entry), longest))));
    out.push_str(&lines.join("\n"));
}

fn file_section(files: &FileLists, most: usize, out: &mut String) {
    if files.read.is_empty() && files.modified.is_empty() {
        return;
    }
    section(FILES, out);
    let mut lines = Vec::new();
    for (name, paths) in [("modified", &files.modified), ("read", &files.read)] {
        if paths.is_empty() {
            continue;
        }
        let skipped = paths.len().saturating_sub(most);
        let newest: Vec<&str> = paths.iter().skip(skipped).map(String::as_str).collect();
        let more = if skipped > 0 {
            format!(" (and {skipped} before)")
        } else {
            String::new()
        };
        lines.push(format!("- {name}: {}{more}", newest.join(", ")));
    }
    out.push_str(&lines.join("\n"));
}

/// Entries are lines: what has several becomes one, so that a summary can be read back.
fn one_line(text: &str) -> String {
    if text.contains(['\n', '\r']) {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        text.to_owned()
    }
}

fn fitted(text: &str, longest: usize) -> String {
    shorten(text, longest).unwrap_or_else(|| text.to_owned())
}

/// What a summary of ours says of the work: for a host that kept the summary and not the result. Prose that is none of our
/// sections is left out.
#[must_use]
pub fn read_back(summary: &str) -> State {
    let mut state = State::default();
    let mut heading = "";
    let mut goal: Vec<&str> = Vec::new();
    for line in summary.lines() {
        if line.starts_with("## ") {
            heading = line.trim_end();
            continue;
        }
        let entry = line.strip_prefix("- ");
        match (heading, entry) {
            (GOAL, _) if !line.trim().is_empty() => goal.push(line),
            (PROGRESS, Some(entry)) => state.completed.push(entry.to_owned()),
            (PENDING, Some(entry)) => state.pending.push(Entry::earlier(entry)),
            (DECISIONS, Some(entry)) => state.decisions.push(Entry::earlier(entry)),
            (ERRORS, Some(entry)) => state.errors.push(entry.to_owned()),
            (TESTS, Some(entry)) => state.test_results.push(entry.to_owned()),
            (QUESTIONS, Some(entry)) => state.open_questions.push(entry.to_owned()),
            _ => {}
        }
    }
    state.goal = Some(goal.join("\n")).filter(|goal| !goal.is_empty());
    state
}

/// A summary without the lists of files, which the next prompt gives by themselves: the section of ours, and the tagged
/// blocks that other programs write.
#[must_use]
pub fn without_files(summary: &str) -> String {
    const BLOCKS: [(&str, &str); 2] = [
        ("<read-files>", "</read-files>"),
        ("<modified-files>", "</modified-files>"),
    ];
    let mut text = summary.to_owned();
    for (open, close) in BLOCKS {
        while let Some(start) = text.find(open) {
            let Some(end) = text.get(start..).and_then(|rest| rest.find(close)) else {
                break;
            };
            text.replace_range(start..start + end + close.len(), "");
        }
    }
    let mut lines = Vec::new();
    let mut is_in_files = false;
    for line in text.lines() {
        if line.starts_with("## ") {
            is_in_files = line.trim_end() == FILES;
        }
        if !is_in_files {
            lines.push(line);
        }
    }
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> State {
        State {
            goal: Some("Ship it".to_owned()),
            completed: (0..200).map(|n| format!("step {n} {}", "x".repeat(50))).collect(),
            pending: vec![Entry::new("write\nthe docs".to_owned())],
            errors: vec!["cargo test: no such file".to_owned()],
            ..State::default()
        }
    }

    fn files() -> FileLists {
        FileLists {
            read: (0..40).map(|n| format!("src/{n}.rs")).collect(),
            modified: vec!["a.ts".to_owned()],
            left_out: 0,
        }
    }

    #[test]
    fn fits_its_room_and_says_what_is_left_out() {
        for room in [200, 500, 2_000, 8_000, 100_000] {
            let text = render("", &state(), &files(), room);
            assert!(utf16_len(&text) <= room, "{room}: {}", utf16_len(&text));
            assert!(text.starts_with("## Goal\nShip it"), "{text}");
            if (500..8_000).contains(&room) {
                assert!(text.contains("earlier entries left out)"), "{text}");
                assert!(text.contains("step 199"), "the newest stay: {text}");
            }
        }
    }

    #[test]
    fn sections_can_be_read_back() {
        let text = render("", &state(), &files(), 100_000);
        assert!(text.contains("- modified: a.ts\n- read: src/10.rs"), "{text}");
        assert!(text.ends_with("src/39.rs (and 10 before)"), "{text}");
        let back = read_back(&text);
        assert_eq!(back.goal.as_deref(), Some("Ship it"));
        assert_eq!(back.completed.len(), 200);
        assert_eq!(back.pending[0].text, "write the docs");
        assert_eq!(back.errors, ["cargo test: no such file"]);
    }

    #[test]
    fn file_lists_leave_a_summary() {
        let text = render("", &state(), &files(), 100_000);
        assert!(!without_files(&text).contains("## Files"));
        let other = "Earlier.\n<read-files>\na\n</read-files>\n<modified-files>\nb\n</modified-files>";
        assert_eq!(without_files(other), "Earlier.");
    }

    #[test]
    fn prose_stands_first_and_gives_way() {
        let state = State {
            prose: Some("p".repeat(10_000)),
            pending: vec![Entry::earlier("docs")],
            ..State::default()
        };
        let text = render("", &state, &FileLists::default(), 1_000);
        assert!(utf16_len(&text) <= 1_000);
        assert!(
            text.starts_with("ppp") && text.ends_with("## Pending\n- docs"),
            "{text}"
        );
    }
}
