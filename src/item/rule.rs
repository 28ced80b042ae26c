//! Rules of providers that mending obeys, under their ids.

use crate::item::dialect::Dialect;

macro_rules! rules {
    ($($variant:ident, $id:literal, $says:literal;)*) => {
        /// A rule of a provider.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Rule {
            $(#[doc = $says] $variant,)*
        }

        impl Rule {
            /// All, in the order in which a report names them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            const fn default_id(self) -> &'static str {
                match self { $(Self::$variant => $id,)* }
            }

            /// What was done, for a note.
            #[must_use]
            pub const fn says(self) -> &'static str {
                match self { $(Self::$variant => $says,)* }
            }
        }
    };
}

rules! {
    OrphanResult, "E-C-ORPHTOOL", "results without their call left out";
    DuplicateResult, "E-C-DUPTOOL", "second results of a call left out";
    StaleCall, "E-C-UNANSWERED", "calls that never got a result closed";
    UnclosableCall, "E-R-NOOUT", "calls left out that never got a result, whose type takes no text";
    ResultOrder, "E-C-UNANSWERED", "results moved behind their calls";
    ResultsFirst, "E-A-RESULTORDER", "results put first in their message";
    EmptyItem, "E-C-EMPTYASSIST", "items without content left out";
    EmptyText, "E-A-EMPTYTEXT", "empty texts left out";
    EmptyResult, "E-C-TOOLNULL", "empty results given a text";
    EmptyCalls, "E-C-EMPTYCALLS", "empty lists of calls left out";
    CallId, "E-C-IDLEN", "call ids rewritten to what the provider takes";
    ToolName, "E-TOOLNAME", "tool names rewritten to what the provider takes";
    Arguments, "E-C-ARGJSON", "arguments that are no JSON object wrapped in one";
    ResultForm, "G-RESP", "results put into the form that their field takes";
    DuplicateId, "E-R-DUPID", "item ids that were used before left out";
    IdPrefix, "R-IDPREFIX", "item ids of another provider left out";
    LooseReasoning, "E-R-REASONTAIL", "reasoning left out that nothing of the model follows";
    ForeignReasoning, "E-R-REASONID", "reasoning left out whose item is not the one that the provider keeps";
    UnstoredReasoning, "R-REASONKEEP", "reasoning left out that the provider neither stores nor was sent";
    Reference, "R-STORE", "references left out that the provider cannot resolve";
    Compaction, "R-CMP", "items before the provider's own compaction left out";
    LocalType, "R-TYPES", "items left out that only a client knows";
    Trigger, "E-R-TRIGLAST", "compaction triggers left out that are not last";
    CacheMarks, "E-A-CACHE4", "cache marks beyond four left out";
    Opening, "W-A-FIRST", "a user message put in front, since the provider opens with one";
    LostSignature, "E-G-SIG", "calls given the value for a signature that was lost, since others of their turn carry one";
    MissingReasoning, "C-REASON", "calls given the field for reasoning that the provider demands";
    Roles, "C-STRICT", "neighbours of one role joined";
    Unicode, "E-UTF", "half surrogate pairs replaced";
}

impl Rule {
    /// The id in reports: that of the history's dialect, where each has its own for the same rule.
    #[must_use]
    pub fn id(self, dialect: Option<Dialect>) -> &'static str {
        use Dialect::{AiSdk, AiSdkUi, Anthropic, Gemini, OpenAiResponses};
        match (self, dialect) {
            (Self::OrphanResult, Some(OpenAiResponses)) => "E-R-ORPHOUT",
            (Self::OrphanResult, Some(Anthropic)) => "E-A-ORPHRES",
            (Self::OrphanResult, Some(Gemini)) => "E-G-ORPHRESP",
            (Self::OrphanResult, Some(AiSdk | AiSdkUi)) => "E-V-ORPHRES",
            (Self::DuplicateResult, Some(OpenAiResponses)) => "E-R-DUPOUT",
            (Self::DuplicateResult, Some(Anthropic)) => "E-A-DUPRES",
            (Self::DuplicateResult, Some(Gemini)) => "E-G-COUNT",
            (Self::DuplicateResult, Some(AiSdk | AiSdkUi)) => "E-V-ORPHRES",
            (Self::StaleCall, Some(OpenAiResponses)) => "E-R-NOOUT",
            (Self::StaleCall | Self::ResultOrder, Some(Anthropic)) => "E-A-NORESULT",
            (Self::StaleCall | Self::ResultOrder, Some(Gemini)) => "E-G-COUNT",
            (Self::StaleCall | Self::ResultOrder, Some(AiSdk | AiSdkUi)) => "E-V-MISSING",
            (Self::ResultOrder, Some(OpenAiResponses)) => "R-ADJ",
            (Self::EmptyItem, Some(Anthropic)) => "E-A-EMPTY",
            (Self::EmptyItem | Self::EmptyText, Some(Gemini)) => "G-EMPTY",
            (Self::EmptyItem, Some(AiSdk | AiSdkUi)) => "V-EMPTY",
            (Self::EmptyResult, Some(Anthropic)) => "E-A-EMPTYTEXT",
            (Self::CallId, Some(OpenAiResponses)) => "E-R-IDLEN",
            (Self::CallId, Some(Anthropic)) => "E-A-IDPAT",
            (Self::Arguments, Some(OpenAiResponses)) => "E-R-ARGSTR",
            (Self::Arguments, Some(Anthropic)) => "E-A-INPUTOBJ",
            (Self::ResultForm, Some(AiSdk | AiSdkUi)) => "E-V-OUTPUT",
            (Self::Opening, Some(Gemini)) => "E-G-FIRST",
            _ => self.default_id(),
        }
    }
}
