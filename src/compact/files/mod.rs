//! Which files an agent's tools read and changed, from the arguments of its calls.

mod lists;
mod patch;
mod paths;
mod script;
mod shell;
mod tools;

pub use lists::FileLists;
pub use tools::{COMMAND_KEYS, Touch, is_shell, operations};

/// What a call does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileOp {
    /// Reads it.
    Read(String),
    /// Creates or changes it.
    Modify(String),
    /// Removes it: a file, or a folder with all that is in it.
    Delete(String),
    /// Moves it: a file, or a folder with all that is in it.
    Rename {
        /// Where it was.
        from: String,
        /// Where it is.
        to: String,
    },
}

impl FileOp {
    /// The operation with its paths as seen from a folder.
    #[must_use]
    pub fn within(self, folder: &str) -> Self {
        let at = |path: String| paths::join(folder, &path);
        match self {
            Self::Read(path) => Self::Read(at(path)),
            Self::Modify(path) => Self::Modify(at(path)),
            Self::Delete(path) => Self::Delete(at(path)),
            Self::Rename { from, to } => Self::Rename {
                from: at(from),
                to: at(to),
            },
        }
    }

    /// The path as it was before.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::Read(path) | Self::Modify(path) | Self::Delete(path) => path,
            Self::Rename { from, .. } => from,
        }
    }
}

/// What one call does to files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// In order.
    pub all: Vec<FileOp>,
    /// So many of them belong to commands in front of a script's last: they were done even where the script failed.
    pub before_last: usize,
    /// The folder in which the call was made, where it says so in full.
    pub folder: Option<String>,
}

/// Words in a line that says why a file could not be touched.
const REFUSALS: [&str; 9] = [
    "No such file",
    "not found",
    "cannot ",
    "can't ",
    "Permission denied",
    "Is a directory",
    "Not a directory",
    "does not exist",
    "no matches found",
];

impl Operations {
    /// What was done, by what the tool answered.
    #[must_use]
    pub fn done(self, is_command: bool, has_failed: bool, answer: &str) -> Vec<FileOp> {
        let has_begun = !(is_command && has_failed && answer.contains("syntax error"));
        let count = match (has_begun, has_failed) {
            (false, _) => 0,
            (true, true) => self.before_last,
            (true, false) => self.all.len(),
        };
        let mut done = self.all;
        done.truncate(count);
        if is_command {
            let refusals: Vec<&str> = answer
                .lines()
                .filter(|line| line.len() < 400 && REFUSALS.iter().any(|words| line.contains(words)))
                .collect();
            done.retain(|op| {
                let name = paths::name(op.path());
                !refusals.iter().any(|line| names(line, name))
            });
        }
        done
    }
}

/// Whether a line names a file: its name, with nothing before or behind that would make it another.
fn names(line: &str, name: &str) -> bool {
    let is_part =
        |next: Option<char>| next.is_some_and(|next| next.is_alphanumeric() || matches!(next, '_' | '-' | '.'));
    line.match_indices(name).any(|(at, _)| {
        let (before, behind) = (line.get(..at), line.get(at + name.len()..));
        !is_part(before.and_then(|text| text.chars().next_back()))
            && !is_part(behind.and_then(|text| text.chars().next()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(script: &str, has_failed: bool, answer: &str) -> Vec<FileOp> {
        shell::operations(script, "").done(true, has_failed, answer)
    }

    #[test]
    fn what_a_script_did_shows_in_its_answer() {
        let read = |path: &str| FileOp::Read(path.to_owned());
        assert_eq!(done("cat a; cat b", false, "x"), [read("a"), read("b")]);
        assert_eq!(
            done("cat a; cat b; echo", false, "cat: b: No such file or directory"),
            [read("a")]
        );
        assert_eq!(done("cat a && npm test", true, "1 failing"), [read("a")]);
        assert_eq!(done("cat a", true, "x"), []);
        assert_eq!(
            done("cat app/(x)/a b; cat c", true, "syntax error near unexpected token `('"),
            []
        );
    }
}
