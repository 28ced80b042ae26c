//! Compaction without I/O: a plan asks, the host's model answers, and the plan goes on. A plan is plain JSON, so it can be
//! kept, sent elsewhere, and answered there.

use super::answer::{Given, Read, read};
use super::commit::Range;
use super::files::FileLists;
use super::options::{Fallback, LlmCompactOptions};
use super::prompt::{Parts, Prompt, is_echo, prompt, transcript_room};
use super::reading;
use super::render::{render, without_files};
use super::result::{Attempt, CompactStatus, Previous, earlier};
use super::select::{Decision, Measured, Selection, Survey, summary_chars};
use super::state::State;
use super::structured;
use super::transcript::chunks;
use crate::error::{Error, ErrorCode};
use crate::item::dialect::{Dialect, summary_item};
use crate::item::json::{parse, without_half_pairs};
use crate::item::measure::chars;
use crate::item::payload::Payloads;
use crate::item::sketch::Sketch;
use crate::item::text::{thousands, utf16_len};
use serde::{Deserialize, Serialize};

/// The form of plans that this version writes and reads.
const FORM: u32 = 1;

/// A compaction under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactionPlan {
    /// How far it is: `ready`, `answered`, or why it ended.
    pub status: CompactStatus,
    /// What the model is to be asked; none where nothing is.
    pub prompt: Option<Prompt>,
    /// Which call this is, from 1.
    pub call: u32,
    /// How many there are.
    pub calls: u32,
    /// The form of the plan.
    pub form: u32,
    /// What is summarised.
    pub range: Option<Range>,
    /// The summary that memory had.
    pub previous_summary: Option<String>,
    /// Characters that the new summary must stay below: the old one and the range.
    pub replaced_chars: u64,
    /// Characters of the range alone.
    pub range_chars: u64,
    /// The dialect's name.
    pub dialect: Option<String>,
    /// Longest summary.
    pub summary_room: usize,
    /// Longest prompt.
    pub max_prompt_chars: u64,
    /// The host's instructions.
    pub instructions: Option<String>,
    /// Parts of the transcript that are still to be asked about.
    pub transcript: Vec<String>,
    /// What is known so far.
    pub state: State,
    /// Files read and modified, this range included.
    pub read_files: Vec<String>,
    /// The same.
    pub modified_files: Vec<String>,
    /// Files beyond `maxFiles`.
    pub files_left_out: usize,
    /// What takes the answer's place where it is refused.
    pub fallback: Option<State>,
    /// The new summary.
    pub summary: Option<String>,
    /// Calls made.
    pub attempts: Vec<Attempt>,
}

impl CompactionPlan {
    /// A plan that ended before it began.
    fn ended(status: CompactStatus, message: &str, summary: Option<&str>, state: State, files: FileLists) -> Self {
        Self {
            status,
            prompt: None,
            call: 0,
            calls: 0,
            form: FORM,
            range: None,
            previous_summary: summary.map(str::to_owned),
            replaced_chars: 0,
            range_chars: 0,
            dialect: None,
            summary_room: 0,
            max_prompt_chars: 0,
            instructions: None,
            transcript: Vec::new(),
            state,
            read_files: files.read,
            modified_files: files.modified,
            files_left_out: 0,
            fallback: None,
            summary: None,
            attempts: vec![Attempt {
                status,
                message: message.to_owned(),
            }],
        }
    }

    /// Reads a plan from its JSON text.
    ///
    /// # Errors
    /// `invalid_option` at `plan` where the text is no plan of this form.
    pub fn read(json: &str) -> Result<Self, Error> {
        let error = |message: String| Error::new(ErrorCode::InvalidOption, "plan", message);
        let mended = without_half_pairs(json);
        let value = parse(mended.as_deref().unwrap_or(json)).ok_or_else(|| error("is no JSON".to_owned()))?;
        let form = value.get("form").and_then(serde_json::Value::as_u64);
        if form != Some(u64::from(FORM)) {
            return Err(error(format!("must be a plan of planCompaction, of form {FORM}")));
        }
        serde_json::from_value(value).map_err(|problem| error(format!("is no plan: {problem}")))
    }

    /// The plan as JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The files that it knows.
    #[must_use]
    pub fn files(&self) -> FileLists {
        FileLists {
            read: self.read_files.clone(),
            modified: self.modified_files.clone(),
            left_out: self.files_left_out,
        }
    }

    /// A plan that needs no model: its summary is there.
    #[must_use]
    pub fn made(range: Range, before: Option<&str>, summary: String, state: State, files: FileLists) -> Self {
        let left_out = files.left_out;
        Self {
            range: Some(range),
            summary: Some(summary),
            files_left_out: left_out,
            attempts: Vec::new(),
            ..Self::ended(CompactStatus::Answered, "", before, state, files)
        }
    }

    /// The history's dialect.
    #[must_use]
    pub fn dialect(&self) -> Option<Dialect> {
        self.dialect.as_deref().and_then(Dialect::named)
    }

    /// The prompt for the next part of the transcript.
    fn next_prompt(&self) -> Option<Prompt> {
        let transcript = self.transcript.first()?;
        let summary = if self.call == 1 {
            self.previous_summary.as_deref().map(without_files)
        } else {
            // Files are given by themselves.
            Some(render("", &self.state, &FileLists::default(), self.summary_room))
        };
        let files = self.files();
        Some(prompt(&Parts {
            summary: summary.as_deref().filter(|summary| !summary.is_empty()),
            state: &self.state,
            files: &files,
            transcript,
            part: (self.call, self.calls),
            instructions: self.instructions.as_deref(),
            max_prompt_chars: self.max_prompt_chars,
            summary_room: self.summary_room,
        }))
    }

    /// The plan with the model's answer: the next prompt, `answered`, or why the answer was refused.
    ///
    /// # Errors
    /// `invalid_option` where the plan waits for no answer.
    pub fn answer(mut self, given: &Given) -> Result<Self, Error> {
        let Some(asked) = self.prompt.take().filter(|_| self.status == CompactStatus::Ready) else {
            let message = format!("waits for no answer: its status is {}", self.status.as_str());
            return Err(Error::new(ErrorCode::InvalidOption, "plan.status", message));
        };
        let text_units = given.text.as_deref().map_or(0, utf16_len) as u64;
        if given.text.as_deref().is_some_and(|text| is_echo(&asked, text)) {
            return Ok(self.refuse(CompactStatus::EmptySummary, "the answer repeats its prompt"));
        }
        self.state = match read(given, self.range_chars) {
            Read::Refused(why) => return Ok(self.refuse(CompactStatus::EmptySummary, why)),
            Read::Prose(_) if text_units >= self.replaced_chars => {
                return Ok(self.refuse(
                    CompactStatus::InflatedSummary,
                    "the answer is longer than what it would replace",
                ));
            }
            Read::Object(answer) => std::mem::take(&mut self.state).after(*answer),
            Read::Prose(text) => std::mem::take(&mut self.state).after_prose(text),
        };
        self.attempts.push(Attempt {
            status: CompactStatus::Compacted,
            message: format!("call {} of {} answered", self.call, self.calls),
        });
        if !self.transcript.is_empty() {
            self.transcript.remove(0);
        }
        if self.transcript.is_empty() {
            return Ok(self.conclude());
        }
        self.call += 1;
        self.prompt = self.next_prompt();
        Ok(self)
    }

    /// The plan after a call that failed.
    #[must_use]
    pub fn fail(mut self, status: CompactStatus, message: &str) -> Self {
        self.prompt = None;
        self.refuse(status, message)
    }

    /// Every part is answered: accepts the summary or refuses it.
    fn conclude(mut self) -> Self {
        self.state = std::mem::take(&mut self.state).finished();
        let summary = render("", &self.state, &self.files(), self.summary_room);
        let size = self.size_of(&summary);
        if summary.trim().is_empty() {
            return self.refuse(CompactStatus::EmptySummary, "the summary has no text");
        }
        if size >= self.replaced_chars {
            let message = format!(
                "the summary takes {} characters, what it would replace {}",
                thousands(size),
                thousands(self.replaced_chars)
            );
            return self.refuse(CompactStatus::InflatedSummary, &message);
        }
        self.summary = Some(summary);
        self.status = CompactStatus::Answered;
        self
    }

    fn size_of(&self, summary: &str) -> u64 {
        chars(&Sketch::of(&summary_item(self.dialect(), summary, false)))
    }

    fn refuse(mut self, status: CompactStatus, message: &str) -> Self {
        self.attempts.push(Attempt {
            status,
            message: message.to_owned(),
        });
        self.transcript = Vec::new();
        self.prompt = None;
        self.status = status;
        // The host gave up by itself: nothing is to take the answer's place.
        if matches!(status, CompactStatus::Cancelled | CompactStatus::Stale) {
            return self;
        }
        let Some(state) = self.fallback.take() else { return self };
        let summary = structured::fallback(&state, &self.files(), self.summary_room);
        if self.size_of(&summary) >= self.replaced_chars {
            return self;
        }
        self.state = state;
        self.summary = Some(summary);
        self.status = CompactStatus::Answered;
        self
    }
}

/// A plan for the history of a survey.
///
/// # Errors
/// What the host's objects throw.
pub fn plan_compaction<P: Payloads>(
    survey: &Survey<'_, P>,
    payloads: &P,
    summary: Option<&str>,
    options: &LlmCompactOptions,
    measured: Measured,
    previous: Option<&Previous>,
) -> Result<CompactionPlan, P::Error> {
    let (state, files) = earlier(previous, summary);
    let ended = |status, message: &str| {
        Ok(CompactionPlan::ended(
            status,
            message,
            summary,
            state.clone(),
            files.clone(),
        ))
    };
    let selection = match survey.decide(options, measured) {
        Decision::Nothing => {
            return ended(CompactStatus::NothingToDo, "there is nothing to summarise");
        }
        Decision::Irreducible(words) => return ended(CompactStatus::Irreducible, &words),
        Decision::Cut { selection, .. } => selection,
    };
    let history = survey.history();
    let Some(range) = Range::of(history, payloads, &selection)? else {
        return ended(CompactStatus::NothingToDo, "there is nothing to summarise");
    };
    let range_chars = gone_chars(survey, &selection);
    let goes = |unit: usize| {
        let atom = history.units().get(unit).map_or(0, |unit| unit.atom);
        selection.kept.get(atom) == Some(&false)
    };
    let reading = reading::read(history, payloads, &options.file_tools, goes)?;
    let mut files = files;
    files.apply(reading.file_ops.iter().cloned());
    files.cap(options.max_files as usize);
    let fallback = (options.fallback == Fallback::Structured).then(|| structured::known(state.clone(), &reading));
    let room = transcript_room(options.max_prompt_chars, options.instructions.as_deref());
    let mut transcript = chunks(&reading.items, room);
    if transcript.is_empty() {
        transcript.push("(nothing readable)".to_owned());
    }
    let mut plan = CompactionPlan {
        status: CompactStatus::Ready,
        prompt: None,
        call: 1,
        calls: transcript.len() as u32,
        form: FORM,
        range: Some(range),
        previous_summary: summary.map(str::to_owned),
        replaced_chars: range_chars
            + summary
                .filter(|text| !text.is_empty())
                .map_or(0, |text| summary_chars(history, text)),
        range_chars,
        dialect: history.dialect().map(|dialect| dialect.as_str().to_owned()),
        summary_room: options.summary_room(),
        max_prompt_chars: options.max_prompt_chars,
        instructions: options.instructions.clone(),
        transcript,
        state,
        read_files: files.read,
        modified_files: files.modified,
        files_left_out: files.left_out,
        fallback,
        summary: None,
        attempts: Vec::new(),
    };
    plan.prompt = plan.next_prompt();
    Ok(plan)
}

/// Characters of what goes.
pub fn gone_chars<P: Payloads>(survey: &Survey<'_, P>, selection: &Selection) -> u64 {
    let atoms = selection.kept.iter().enumerate().filter(|(_, kept)| !**kept);
    atoms.map(|(atom, _)| survey.atom_chars(atom)).sum()
}
