//! What a run wants done, as JSON for whoever drives it.

use super::answer::Asked;
use serde_json::{Map, Value, json};

/// What a run's events are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A step began.
    StepStart,
    /// The model is called.
    ModelRequest,
    /// The model answered.
    ModelResponse,
    /// The model asked for a tool.
    ToolCall,
    /// A tool gave something.
    ToolResult,
    /// A step ended.
    StepEnd,
    /// The run has its answer.
    FinalOutput,
    /// The run failed.
    Error,
}

impl EventKind {
    /// The type in the log.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::StepStart => "STEP_START",
            Self::ModelRequest => "MODEL_REQUEST",
            Self::ModelResponse => "MODEL_RESPONSE",
            Self::ToolCall => "TOOL_CALL",
            Self::ToolResult => "TOOL_RESULT",
            Self::StepEnd => "STEP_END",
            Self::FinalOutput => "FINAL_OUTPUT",
            Self::Error => "ERROR",
        }
    }
}

/// Something to do before what comes next.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// An event for the log, with its payload.
    Event(EventKind, Value),
    /// A user message for the history.
    Say(String),
}

/// A tool that was called, and how that went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The call's id; its tool's name where it has none.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// It gave a result that is no error.
    pub is_ok: bool,
}

/// A call that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// The call.
    pub call_id: String,
    /// What for.
    pub reason: String,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The model gave its answer.
    Final,
    /// No step was left.
    MaxSteps,
    /// The host gave it up.
    Aborted,
    /// A call waits for a person.
    Paused,
}

impl Stop {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Final => "final",
            Self::MaxSteps => "max_steps",
            Self::Aborted => "aborted",
            Self::Paused => "paused",
        }
    }
}

/// What comes next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Compaction where due, and a projection for the model.
    Turn,
    /// The model, with these instructions.
    Model {
        /// The step, from 1.
        step: u64,
        /// Host's instructions, rules of the runtime, plan.
        instructions: String,
    },
    /// These tools.
    Tools(Vec<Asked>),
    /// This code.
    Execute {
        /// As the fence names it; blank where it does not.
        language: String,
        /// The code.
        source: String,
    },
    /// The end.
    End {
        /// The model's answer; of a run that did not come to one, its last text.
        output_text: String,
        /// Model calls made.
        steps: u64,
        /// Why.
        stop: Stop,
        /// What it waits for.
        pause: Option<Pause>,
        /// All tools that were called.
        calls: Vec<ToolCall>,
    },
}

/// What a run wants done.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// First these, in order.
    pub effects: Vec<Effect>,
    /// Then this.
    pub next: Option<Next>,
}

impl Action {
    /// As JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let effects: Vec<Value> = self.effects.iter().map(effect).collect();
        let mut action = match self.next.as_ref().map(next) {
            Some(Value::Object(next)) => next,
            _ => Map::new(),
        };
        action.insert("effects".to_owned(), effects.into());
        action.into()
    }
}

fn effect(effect: &Effect) -> Value {
    match effect {
        Effect::Event(kind, payload) => json!({ "type": kind.as_str(), "payload": payload }),
        Effect::Say(text) => json!({ "say": text }),
    }
}

fn next(next: &Next) -> Value {
    match next {
        Next::Turn => json!({ "do": "turn" }),
        Next::Model { step, instructions } => json!({ "do": "model", "step": step, "instructions": instructions }),
        Next::Tools(calls) => json!({ "do": "tools", "calls": calls.iter().map(asked).collect::<Vec<_>>() }),
        Next::Execute { language, source } => json!({ "do": "execute", "language": language, "source": source }),
        Next::End {
            output_text,
            steps,
            stop,
            pause,
            calls,
        } => {
            let pause = pause.as_ref();
            let pause = pause.map(|pause| json!({ "callId": pause.call_id, "reason": pause.reason }));
            let calls = calls
                .iter()
                .map(|call| json!({ "callId": call.call_id, "name": call.name, "ok": call.is_ok }));
            json!({ "do": "end", "result": {
                "outputText": output_text,
                "steps": steps,
                "stopReason": stop.as_str(),
                "pause": pause,
                "toolCalls": calls.collect::<Vec<_>>(),
            } })
        }
    }
}

fn asked(call: &Asked) -> Value {
    json!({
        "callId": call.call_id,
        "name": call.name,
        "input": call.input,
        "fault": call.fault,
        "takesText": call.takes_text,
        "needsPerson": call.needs_person,
    })
}
