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
}

/// Words in a line that says why a file could not be touched.
const REFUSALS: [&str; 8] = [
    "No such file",
    "not found",
    "cannot ",
    "can't ",
    "Permission denied",
    "Is a directory",
    "Not a directory",
    "does not exist",
];

impl Operations {
    /// What was done, by what the tool answered.
    #[must_use]
    pub fn done(self, is_command: bool, has_failed: bool, answer: &str) -> Vec<FileOp> {
        let count = if has_failed { self.before_last } else { self.all.len() };
        let mut done = self.all;
        done.truncate(count);
        if is_command {
            let refusals: Vec<&str> = answer
                .lines()
                .filter(|line| line.len() < 400 && REFUSALS.iter().any(|words| line.contains(words)))
                .collect();
            done.retain(|op| {
                let name = paths::name(op.path());
                !refusals.iter().any(|line| line.contains(name))
            });
        }
        done
    }
}
