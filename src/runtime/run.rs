//! One run: a state machine over steps.

use super::action::{Action, Effect, EventKind, Next, Pause, Stop, ToolCall};
use super::answer::{Answer, Asked};
use super::code::{self, Reply};
use super::instructions::{Style, compose};
use serde_json::{Value, json};

/// What a run works by.
#[derive(Clone, Debug)]
pub struct Terms {
    /// How.
    pub style: Style,
    /// Most model calls.
    pub max_steps: u64,
    /// The host's instructions.
    pub instructions: String,
    /// The plan; empty where there is none.
    pub plan: Vec<String>,
}

/// A run under way.
#[derive(Debug)]
pub struct Run {
    terms: Terms,
    /// The step under way; 0 before the first.
    step: u64,
    is_step_open: bool,
    /// The step's model call was made again already.
    is_repeated: bool,
    open: Vec<Asked>,
    calls: Vec<ToolCall>,
    last_text: String,
    /// Code blocks that were not run stood in the answer.
    has_more_code: bool,
}

impl Run {
    /// A run that has not begun.
    #[must_use]
    pub fn new(terms: Terms) -> Self {
        Self {
            terms,
            step: 0,
            is_step_open: false,
            is_repeated: false,
            open: Vec::new(),
            calls: Vec::new(),
            last_text: String::new(),
            has_more_code: false,
        }
    }

    /// Begins: with calls that an earlier run left open, else with the first step.
    pub fn begin(&mut self, open: Vec<Asked>) -> Action {
        if open.is_empty() {
            return self.start_step(Vec::new());
        }
        self.ask(open, Vec::new())
    }

    /// The prompt is ready and has so many items.
    pub fn prepared(&mut self, item_count: u64) -> Action {
        let step = self.step;
        let is_last = step >= self.terms.max_steps;
        Action {
            effects: vec![event(
                EventKind::ModelRequest,
                json!({ "step": step, "itemCount": item_count }),
            )],
            next: Some(Next::Model {
                step,
                instructions: compose(&self.terms.instructions, self.terms.style, &self.terms.plan, is_last),
            }),
        }
    }

    /// The model answered; its items are in the history.
    pub fn answered(&mut self, answer: Answer, input_tokens: Option<f64>) -> Action {
        let mut payload = json!({ "step": self.step });
        if let (Some(tokens), Some(payload)) = (input_tokens, payload.as_object_mut()) {
            // Counts are integers in JSON wherever they are whole.
            let count = if tokens.fract() == 0.0 {
                json!(tokens as u64)
            } else {
                json!(tokens)
            };
            payload.insert("inputTokens".to_owned(), count);
        }
        let effects = vec![event(EventKind::ModelResponse, payload)];
        self.last_text.clone_from(&answer.text);
        if !answer.calls.is_empty() {
            return self.ask(answer.calls, effects);
        }
        if self.terms.style != Style::CodeAct {
            return self.finish(answer.text, effects);
        }
        match code::read(&answer.text) {
            Reply::Final(output) => self.finish(output, effects),
            _ if self.step >= self.terms.max_steps => self.end(Stop::MaxSteps, None, effects),
            Reply::Code {
                language,
                source,
                has_more,
            } => {
                self.has_more_code = has_more;
                Action {
                    effects,
                    next: Some(Next::Execute { language, source }),
                }
            }
            Reply::Unclosed => {
                let text = "Nothing was run: the code block does not end. Send it again, whole.";
                self.say(text.to_owned(), effects)
            }
        }
    }

    /// A call of the last [`Next::Tools`] has its result in the history.
    pub fn resulted(&mut self, index: usize, is_ok: bool) -> Action {
        let mut effects = Vec::new();
        if let Some(call) = self.open.get(index) {
            let payload = json!({ "step": self.step, "callId": call.call_id, "name": call.name, "ok": is_ok });
            effects.push(event(EventKind::ToolResult, payload));
            self.calls.push(ToolCall {
                call_id: call.call_id.clone(),
                name: call.name.clone(),
                is_ok,
            });
        }
        Action { effects, next: None }
    }

    /// All calls of the last [`Next::Tools`] have their results, or one of them waits for a person.
    pub fn tools_done(&mut self, pause: Option<Pause>) -> Action {
        self.open.clear();
        if pause.is_some() {
            return self.end(Stop::Paused, pause, Vec::new());
        }
        self.go_on(Vec::new())
    }

    /// The code of the last [`Next::Execute`] was run.
    pub fn executed(&mut self, is_ok: bool, output: &str) -> Action {
        let mut text = String::from(if is_ok { "The code ran." } else { "The code failed." });
        if std::mem::take(&mut self.has_more_code) {
            text.push_str(" Only the first block was run.");
        }
        if output.trim().is_empty() {
            text.push_str(" It printed nothing.");
        } else {
            text.push_str(" Output:\n");
            text.push_str(output);
        }
        self.say(text, Vec::new())
    }

    /// The prompt was too long for the model. The step is made again, once: `None` the second time.
    pub fn overflowed(&mut self) -> Option<Action> {
        if std::mem::replace(&mut self.is_repeated, true) {
            return None;
        }
        Some(Action {
            effects: Vec::new(),
            next: Some(Next::Turn),
        })
    }

    /// The host gave it up. What was open is closed already.
    pub fn aborted(&mut self) -> Action {
        self.end(Stop::Aborted, None, Vec::new())
    }

    /// Something failed that no result can stand for: the caller is told.
    pub fn failed(&mut self, message: &str, code: Option<&str>) -> Action {
        let payload = match code {
            Some(code) => json!({ "message": message, "code": code }),
            None => json!({ "message": message }),
        };
        let mut effects = vec![event(EventKind::Error, payload)];
        self.close_step(&mut effects);
        Action { effects, next: None }
    }

    fn ask(&mut self, calls: Vec<Asked>, mut effects: Vec<Effect>) -> Action {
        for call in &calls {
            let payload = json!({ "step": self.step, "callId": call.call_id, "name": call.name });
            effects.push(event(EventKind::ToolCall, payload));
        }
        self.open.clone_from(&calls);
        Action {
            effects,
            next: Some(Next::Tools(calls)),
        }
    }

    fn say(&mut self, text: String, mut effects: Vec<Effect>) -> Action {
        effects.push(Effect::Say(text));
        self.go_on(effects)
    }

    /// The next step, where one is left.
    fn go_on(&mut self, mut effects: Vec<Effect>) -> Action {
        if self.step >= self.terms.max_steps {
            return self.end(Stop::MaxSteps, None, effects);
        }
        self.close_step(&mut effects);
        self.start_step(effects)
    }

    fn start_step(&mut self, mut effects: Vec<Effect>) -> Action {
        self.step += 1;
        self.is_step_open = true;
        self.is_repeated = false;
        effects.push(event(EventKind::StepStart, self.named_step()));
        Action {
            effects,
            next: Some(Next::Turn),
        }
    }

    fn close_step(&mut self, effects: &mut Vec<Effect>) {
        if std::mem::take(&mut self.is_step_open) {
            effects.push(event(EventKind::StepEnd, self.named_step()));
        }
    }

    fn finish(&mut self, output: String, mut effects: Vec<Effect>) -> Action {
        let payload = json!({ "step": self.step, "outputText": output });
        effects.push(event(EventKind::FinalOutput, payload));
        self.last_text = output;
        self.end(Stop::Final, None, effects)
    }

    fn end(&mut self, stop: Stop, pause: Option<Pause>, mut effects: Vec<Effect>) -> Action {
        self.close_step(&mut effects);
        Action {
            effects,
            next: Some(Next::End {
                output_text: std::mem::take(&mut self.last_text),
                steps: self.step,
                stop,
                pause,
                calls: std::mem::take(&mut self.calls),
            }),
        }
    }

    fn named_step(&self) -> Value {
        json!({ "step": self.step, "runtime": self.terms.style.as_str() })
    }
}

fn event(kind: EventKind, payload: Value) -> Effect {
    Effect::Event(kind, payload)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(style: Style, max_steps: u64) -> Run {
        Run::new(Terms {
            style,
            max_steps,
            instructions: "Be brief.".to_owned(),
            plan: Vec::new(),
        })
    }

    fn said(text: &str) -> Answer {
        Answer {
            text: text.to_owned(),
            calls: Vec::new(),
        }
    }

    fn call(id: &str) -> Asked {
        Asked {
            call_id: id.to_owned(),
            name: "f".to_owned(),
            input: json!({}),
            fault: None,
            takes_text: true,
            needs_person: false,
        }
    }

    fn kinds(actions: &[&Action]) -> Vec<&'static str> {
        let effects = actions.iter().flat_map(|action| &action.effects);
        effects
            .map(|effect| match effect {
                Effect::Event(kind, _) => kind.as_str(),
                Effect::Say(_) => "say",
            })
            .collect()
    }

    #[test]
    fn a_step_opens_and_closes_whatever_happens() {
        let mut one = run(Style::ReAct, 8);
        let begun = one.begin(Vec::new());
        assert_eq!(begun.next, Some(Next::Turn));
        let asked = one.prepared(3);
        let tools = one.answered(
            Answer {
                text: String::new(),
                calls: vec![call("a")],
            },
            Some(12.0),
        );
        let result = one.resulted(0, true);
        let done = one.tools_done(None);
        let again = one.prepared(5);
        let end = one.answered(said("42"), None);
        assert_eq!(
            kinds(&[&begun, &asked, &tools, &result, &done, &again, &end]),
            [
                "STEP_START",
                "MODEL_REQUEST",
                "MODEL_RESPONSE",
                "TOOL_CALL",
                "TOOL_RESULT",
                "STEP_END",
                "STEP_START",
                "MODEL_REQUEST",
                "MODEL_RESPONSE",
                "FINAL_OUTPUT",
                "STEP_END"
            ]
        );
        let Some(Next::End {
            output_text,
            steps,
            stop: Stop::Final,
            calls,
            ..
        }) = end.next
        else {
            panic!("{end:?}");
        };
        assert_eq!((output_text.as_str(), steps, calls.len()), ("42", 2, 1));
        let mut failing = run(Style::ReAct, 8);
        failing.begin(Vec::new());
        assert_eq!(kinds(&[&failing.failed("no", None)]), ["ERROR", "STEP_END"]);
        let mut given_up = run(Style::ReAct, 8);
        given_up.begin(Vec::new());
        assert_eq!(kinds(&[&given_up.aborted()]), ["STEP_END"]);
        assert_eq!(kinds(&[&given_up.aborted()]), [""; 0]);
    }

    #[test]
    fn the_last_step_is_the_last() {
        let mut one = run(Style::ReAct, 1);
        one.begin(Vec::new());
        one.prepared(1);
        one.answered(
            Answer {
                text: "I look".to_owned(),
                calls: vec![call("a")],
            },
            None,
        );
        one.resulted(0, true);
        let end = one.tools_done(None);
        assert!(
            matches!(
                end.next,
                Some(Next::End {
                    stop: Stop::MaxSteps,
                    ..
                })
            ),
            "{end:?}"
        );
        let mut code = run(Style::CodeAct, 1);
        code.begin(Vec::new());
        let asked = code.prepared(1);
        let Some(Next::Model { instructions, .. }) = asked.next else {
            panic!("{asked:?}")
        };
        assert!(instructions.starts_with("Be brief.\n\n## How to work\n") && instructions.contains("## Last step"));
        let end = code.answered(said("```js\n1\n```"), None);
        assert!(
            matches!(
                end.next,
                Some(Next::End {
                    stop: Stop::MaxSteps,
                    ..
                })
            ),
            "{end:?}"
        );
    }

    #[test]
    fn code_runs_and_comes_back_as_a_message() {
        let mut one = run(Style::CodeAct, 8);
        one.begin(Vec::new());
        let action = one.answered(said("```js\na\n```\n```js\nb\n```"), None);
        assert!(matches!(action.next, Some(Next::Execute { .. })));
        let back = one.executed(false, "ReferenceError: a");
        let say = Effect::Say("The code failed. Only the first block was run. Output:\nReferenceError: a".to_owned());
        assert_eq!(back.effects.first(), Some(&say));
        assert_eq!(back.next, Some(Next::Turn));
        let end = one.answered(said("{\"final_output\":\"7\"}"), None);
        assert!(matches!(end.next, Some(Next::End { output_text, .. }) if output_text == "7"));
    }

    #[test]
    fn an_overflow_is_tried_again_once_a_step() {
        let mut one = run(Style::ReAct, 8);
        one.begin(Vec::new());
        assert!(one.overflowed().is_some());
        assert!(one.overflowed().is_none());
    }

    #[test]
    fn calls_left_open_come_first() {
        let mut one = run(Style::DeepResearch, 8);
        let begun = one.begin(vec![call("a")]);
        assert!(matches!(begun.next, Some(Next::Tools(_))));
        let paused = one.tools_done(Some(Pause {
            call_id: "a".to_owned(),
            reason: "ask".to_owned(),
        }));
        let Some(Next::End {
            steps: 0,
            stop: Stop::Paused,
            pause: Some(pause),
            ..
        }) = paused.next
        else {
            panic!("{paused:?}");
        };
        assert_eq!(pause.reason, "ask");
    }
}
