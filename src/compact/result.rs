//! What a compaction came to.

use super::files::FileLists;
use super::render::read_back;
use super::state::{Entry, State};
use crate::context::ContextReport;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How a compaction ended, or how far its plan is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompactStatus {
    /// A plan: its prompt waits for an answer.
    Ready,
    /// A plan: all prompts are answered.
    Answered,
    /// Memory was replaced.
    Compacted,
    /// Nothing is there to summarise.
    NothingToDo,
    /// What must stay is over the limit alone.
    Irreducible,
    /// A hook of the host's said no.
    Vetoed,
    /// The answer holds no summary.
    EmptySummary,
    /// The summary is no smaller than what it replaces.
    InflatedSummary,
    /// The model call failed.
    SummaryFailed,
    /// The host aborted.
    Cancelled,
    /// Memory is no longer what was summarised.
    Stale,
}

impl CompactStatus {
    /// The name in results.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Answered => "answered",
            Self::Compacted => "compacted",
            Self::NothingToDo => "nothing_to_do",
            Self::Irreducible => "irreducible",
            Self::Vetoed => "vetoed",
            Self::EmptySummary => "empty_summary",
            Self::InflatedSummary => "inflated_summary",
            Self::SummaryFailed => "summary_failed",
            Self::Cancelled => "cancelled",
            Self::Stale => "stale",
        }
    }
}

/// A model call, or why an attempt was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// How it ended; `compacted`: the answer was accepted.
    pub status: CompactStatus,
    /// In words.
    pub message: String,
}

/// What a compaction takes from the result of the one before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Previous {
    /// What the user wants.
    pub goal: Option<String>,
    /// What was done.
    pub completed: Vec<String>,
    /// What remains.
    pub pending: Vec<String>,
    /// What was decided.
    pub decisions: Vec<String>,
    /// What failed.
    pub failed_commands: Vec<String>,
    /// What tests said.
    pub test_results: Vec<String>,
    /// What is not known.
    pub open_questions: Vec<String>,
    /// Files read so far.
    pub read_files: Vec<String>,
    /// Files modified so far.
    pub modified_files: Vec<String>,
    /// Keys of an answer beyond those asked for.
    pub extra: Map<String, Value>,
}

impl Previous {
    /// The state that it leaves to the next compaction.
    #[must_use]
    pub fn state(self) -> State {
        let earlier = |texts: Vec<String>| texts.iter().map(|text| Entry::earlier(text)).collect();
        State {
            goal: self.goal,
            prose: None,
            completed: self.completed,
            pending: earlier(self.pending),
            decisions: earlier(self.decisions),
            errors: self.failed_commands,
            test_results: self.test_results,
            open_questions: self.open_questions,
            extra: self.extra,
            left_out: 0,
        }
    }

    /// The files that it knows.
    #[must_use]
    pub fn files(&self) -> FileLists {
        FileLists {
            read: self.read_files.clone(),
            modified: self.modified_files.clone(),
            left_out: 0,
        }
    }
}

/// What is known before a compaction: from the result of the one before, else from the text of its summary.
#[must_use]
pub fn earlier(previous: Option<&Previous>, summary: Option<&str>) -> (State, FileLists) {
    match previous {
        Some(previous) => (previous.clone().state(), previous.files()),
        None => (read_back(summary.unwrap_or_default()), FileLists::default()),
    }
}

/// What a compaction came to, apart from the items that stay: the fields are those of the public contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub status: CompactStatus,
    /// The summary that memory has now.
    pub summary: Option<String>,
    /// What is known of the work.
    pub state: State,
    /// The files.
    pub files: FileLists,
    /// The account.
    pub report: ContextReport,
    /// Model calls, and why an attempt was refused.
    pub attempts: Vec<Attempt>,
}

impl Outcome {
    /// The fields of the public contract as a JSON object, without `memory` and `contextReport`.
    #[must_use]
    pub fn fields(&self) -> Value {
        let marked = |entries: &[Entry]| entries.iter().map(Entry::marked).collect::<Vec<_>>();
        serde_json::json!({
            "status": self.status.as_str(),
            "summary": self.summary,
            "goal": self.state.goal,
            "completed": self.state.completed,
            "pending": marked(&self.state.pending),
            "decisions": marked(&self.state.decisions),
            "changedArtifacts": [],
            "failedCommands": self.state.errors,
            "testResults": self.state.test_results,
            "userConfirmations": [],
            "sandboxState": [],
            "openQuestions": self.state.open_questions,
            "readFiles": self.files.read,
            "modifiedFiles": self.files.modified,
            "extra": self.state.extra,
            "attempts": self.attempts.iter().map(|attempt| serde_json::json!({
                "status": attempt.status.as_str(), "message": attempt.message
            })).collect::<Vec<_>>(),
        })
    }
}
