//! What a runtime tells the model beside the host's instructions.

use super::code::FINAL;

/// How a run works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Reason and act (Yao et al. 2022): the model calls tools until it answers.
    ReAct,
    /// The same along a plan that is made first.
    DeepResearch,
    /// The model acts by code (Wang et al. 2024), which the host runs.
    CodeAct,
}

impl Style {
    /// The name in events.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReAct => "ReActRuntime",
            Self::DeepResearch => "DeepResearchRuntime",
            Self::CodeAct => "CodeActRuntime",
        }
    }

    /// The style of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::ReAct, Self::DeepResearch, Self::CodeAct]
            .into_iter()
            .find(|style| style.as_str() == name)
    }
}

/// The plan of a research whose host has no planner.
pub const DEFAULT_PLAN: [&str; 5] = [
    "Say what exactly is asked, and what a good answer has to contain.",
    "Collect what is needed with the tools, from more than one source where there are several.",
    "Check what was found: where sources disagree, find out why.",
    "Look for what is still missing, and go back to collecting where something is.",
    "Write the answer: the result first, then what supports it, with sources, and what stayed open.",
];

/// Instructions of a step: the host's, then the runtime's, then the plan, parted by blank lines.
#[must_use]
pub fn compose(host: &str, style: Style, plan: &[String], is_last_step: bool) -> String {
    let mut parts: Vec<String> = Vec::new();
    if !host.trim().is_empty() {
        parts.push(host.to_owned());
    }
    if style == Style::CodeAct {
        parts.push(format!(
            "## How to work\nAct by writing code. Put the code to run next into one fenced block that names its \
             language; only the first block of an answer is run, and what it printed comes back in the next message. \
             When you know the result, answer without code, with one JSON object: {{\"{FINAL}\": …}}."
        ));
        if is_last_step {
            parts.push(format!(
                "## Last step\nNo more code is run. Answer now with {{\"{FINAL}\": …}}, from what you know."
            ));
        }
    }
    if !plan.is_empty() {
        let steps = plan.iter().enumerate();
        let steps = steps.map(|(index, step)| format!("{}. {}", index + 1, step.trim()));
        parts.push(format!("## Plan\n{}", steps.collect::<Vec<_>>().join("\n")));
    }
    parts.join("\n\n")
}
