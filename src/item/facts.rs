//! Facts: what the core knows about one item. Taken once, when the item arrives; plain data from then on.
//!
//! A dialect turns an item into facts; everything that may later be done to the item (clear a result, empty arguments,
//! take reasoning or an image away) is prepared here as paths and sizes, so that projection needs no field names.

use crate::item::dialect::Dialect;
use crate::item::edit::Edit;
use crate::item::path::{Path, Step};
use crate::item::rule::Rule;
use serde_json::{Value, json};
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

/// Who an item comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// System or developer.
    System,
    /// A person: opens a turn.
    User,
    /// A summary of earlier history, made by this library: opens no turn.
    Summary,
    /// The model: text, reasoning, calls, hosted items.
    Model,
    /// Carries results of tools or answers to approval requests, with or without text beside them.
    Tool,
    /// None of these: stands alone.
    Other,
}

/// What is known about one item.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The dialect that the item's shape proves; `None` where several would do.
    pub dialect: Option<Dialect>,
    /// Who it comes from.
    pub author: Author,
    /// Size in characters (SEMANTICS §2).
    pub chars: u64,
    /// What it consists of, in order.
    pub parts: Vec<Part>,
    /// Server ids that must go when the reasoning in front of them goes.
    pub links: Vec<Link>,
    /// Images and screenshots, in order.
    pub images: Vec<Image>,
    /// Parts of the item that can be cut away from the front; one for most items.
    pub segments: Vec<Segment>,
    /// The key of the list that segments are ranges of; `None` where the item is one piece.
    pub list: Option<&'static str>,
    /// The first thing in it is reasoning that must open the message.
    pub opens_with_thinking: bool,
    /// The reasoning in it must open its message while its turn runs.
    pub thinks: bool,
    /// Its server id is what others refer to, so the reasoning in front of it stays.
    pub keeps_reasoning: bool,
    /// What is wrong with it whatever stands around it, and how that is mended.
    pub repairs: Vec<Repair>,
    /// It holds the provider's own compaction of what stands before it.
    pub is_compaction: bool,
    /// What gives it the reasoning that some providers want with every call, where it has none.
    pub lacks_reasoning: Option<Edit>,
    /// It is never sent, for this rule.
    pub refused: Option<Rule>,
    /// What it is to the rules that look at the items around it.
    pub role: Role,
    /// The item's own id at the provider.
    pub item_id: Option<ItemId>,
    /// Marks for the provider's prompt cache.
    pub cache_marks: Vec<Path>,
    /// Strings with half of a surrogate pair in them.
    pub ill_formed: Vec<Path>,
    /// Tokens by the built-in estimate, once they were asked for: for this many tokens of media, so many tokens.
    pub tokens: Cell<Option<(u64, u64)>>,
}

impl Facts {
    /// The path of the element that a part is, in an item whose parts are the elements of one list.
    #[must_use]
    pub fn element_of(&self, part: usize) -> Option<Path> {
        self.parts.iter().find_map(|found| match found.place() {
            Some(Place::At(path)) => match path.steps() {
                [list, Step::Index(_)] => Some(Path::of([list.clone(), part.into()])),
                _ => None,
            },
            _ => None,
        })
    }
}

/// Something that is wrong with an item by itself.
#[derive(Clone, Debug)]
pub struct Repair {
    /// The rule that it breaks.
    pub rule: Rule,
    /// What mends it.
    pub edits: Vec<Edit>,
}

/// What an item is to the rules that look at the items around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Nothing special.
    #[default]
    Plain,
    /// Reasoning that is an item of its own.
    Reasoning {
        /// It carries its content, so that it needs no copy at the provider.
        is_complete: bool,
    },
    /// A reference to an item at the provider.
    Reference,
    /// The provider's own compaction: what stands before it is in it.
    Compaction,
    /// A request for compaction: only as the last item.
    Trigger,
}

/// An item's own id at the provider.
#[derive(Clone, Debug)]
pub struct ItemId {
    /// The id.
    pub text: Rc<str>,
    /// Where it stands.
    pub path: Path,
    /// Others refer to the item by it, so it stays.
    pub is_needed: bool,
}

/// A stretch of an item's list: what one model call gave, with its results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Indexes into [`Facts::parts`].
    pub parts: Range<usize>,
    /// Indexes into the item's list.
    pub elements: Range<usize>,
    /// Characters of these elements, a comma each.
    pub chars: u64,
}

/// One thing that an item consists of.
#[derive(Clone, Debug)]
pub enum Part {
    /// Visible text; blank where there is nothing in it.
    Text {
        /// Nothing is in it, as its dialect sees it.
        blank: bool,
        /// White space at most is in it.
        white: bool,
        /// Its element, where it is one of a list and may leave it.
        element: Option<Path>,
    },
    /// Reasoning.
    Reasoning(Reasoning),
    /// A call that a client answers.
    Call(Call),
    /// A result.
    Result(ToolResult),
    /// A request for approval that hangs on a call of the same step.
    ApprovalRequest {
        /// Its id.
        id: Rc<str>,
        /// The id of the call.
        call: Option<Rc<str>>,
        /// Where it stands.
        place: Place,
    },
    /// An answer to a request for approval.
    ApprovalAnswer {
        /// The id of the request.
        id: Rc<str>,
        /// Where it stands.
        place: Place,
    },
    /// Anything else that carries meaning: media, hosted tools, unknown parts.
    Other,
}

impl Part {
    /// Where this part stands, where it may be left out by itself.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Call(call) => Some(&call.place),
            Self::Result(result) => Some(&result.place),
            Self::ApprovalRequest { place, .. } | Self::ApprovalAnswer { place, .. } => Some(place),
            _ => None,
        }
    }

    /// Whether an item that holds this part has something in it.
    #[must_use]
    pub fn is_substance(&self) -> bool {
        !matches!(self, Self::Reasoning(_) | Self::Text { blank: true, .. })
    }
}

/// Where reasoning or an image stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// It is the whole item.
    Item,
    /// It is a value inside the item.
    At(Path),
}

/// Reasoning of the model.
#[derive(Clone, Debug)]
pub struct Reasoning {
    /// Where it stands.
    pub place: Place,
    /// Characters that go with it, its key and comma included.
    pub chars: u64,
    /// The provider keeps it and holds the items behind it to be exactly what it sent.
    pub stored: bool,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct Call {
    /// The id that its result names; `None`: paired by name and position.
    pub id: Option<Rc<str>>,
    /// The tool's name.
    pub name: Option<Rc<str>>,
    /// Its arguments, where they may be edited.
    pub input: Option<Input>,
    /// The signature that it carries.
    pub signature: Signature,
    /// Where the call stands.
    pub place: Place,
    /// Where its id stands, and where its name does.
    pub id_path: Option<Path>,
    /// Where its name stands.
    pub name_path: Option<Path>,
    /// How it is closed where no result ever came.
    pub closing: Closing,
}

/// The signature of a call, which holds while its turn runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Signature {
    /// It carries one.
    Signed,
    /// It carries none, and needs none.
    Unsigned,
    /// It carries none; where others of its turn do, these edits give it the value for one that was lost.
    Missing(Edit),
}

/// How a call is closed that never got a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Closing {
    /// Its type takes no text: it is left out.
    LeaveOut,
    /// An item of this form answers it.
    Item(ReplyForm),
    /// Edits in place answer it.
    Edits(Vec<Edit>),
}

/// The form of an item that answers a call with a text (`dialect::reply`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyForm {
    /// Output of a function at OpenAI Responses.
    ResponsesFunction,
    /// Output of a custom tool there.
    ResponsesCustom,
    /// Output of a local shell there.
    ResponsesLocalShell,
    /// Tool message at Chat Completions.
    ChatTool,
    /// Function message there, of old.
    ChatFunction,
    /// Block in a user message at Anthropic.
    Anthropic,
    /// Part in a user content at Gemini.
    Gemini,
    /// Part in a tool message of the AI SDK.
    AiSdk,
}

/// The arguments of a call.
#[derive(Clone, Debug)]
pub struct Input {
    /// Where they stand.
    pub path: Path,
    /// Their form.
    pub form: InputForm,
    /// Their characters.
    pub chars: u64,
    /// They are what the form demands: an object, or the JSON text of one; `None` until somebody looked.
    pub is_valid: Cell<Option<bool>>,
}

/// The form of a call's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputForm {
    /// A string that holds JSON.
    JsonText,
    /// An object.
    Object,
    /// Free text.
    Text,
}

impl InputForm {
    /// Empty arguments of this form, still valid.
    #[must_use]
    pub fn empty(self) -> Value {
        match self {
            Self::JsonText => json!("{}"),
            Self::Object => json!({}),
            Self::Text => json!(""),
        }
    }
}

/// The result of a call.
#[derive(Clone, Debug)]
pub struct ToolResult {
    /// The id of the call that it answers.
    pub id: Option<Rc<str>>,
    /// The tool's name as the result gives it.
    pub name: Option<Rc<str>>,
    /// Its payload, where text may stand in its place.
    pub payload: Option<Payload>,
    /// Where the result stands.
    pub place: Place,
    /// Where the id stands that it names.
    pub id_path: Option<Path>,
    /// Where the name stands that it gives.
    pub name_path: Option<Path>,
}

/// The payload of a result.
#[derive(Clone, Debug)]
pub struct Payload {
    /// Where it stands.
    pub path: Path,
    /// How text stands in its place.
    pub form: TextForm,
    /// Its characters.
    pub chars: u64,
    /// It is of the type that its field demands.
    pub is_formed: bool,
    /// The one text that it consists of, and its length.
    pub text: Option<(Path, usize)>,
    /// It holds media: its texts are shortened one by one.
    pub texts: Option<Vec<(Path, usize)>>,
    /// What goes with it when text takes its place, with its characters.
    pub beside: Option<(Path, u64)>,
}

/// How a text stands in a result's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextForm {
    /// As a string.
    Text,
    /// As the value of this key in an object.
    Field(&'static str),
    /// As `{type, value}` of this type.
    Typed(&'static str),
}

impl TextForm {
    /// The payload that says `text`.
    #[must_use]
    pub fn of(self, text: String) -> Value {
        match self {
            Self::Text => Value::String(text),
            Self::Field(key) => json!({ key: text }),
            Self::Typed(kind) => json!({ "type": kind, "value": text }),
        }
    }
}

/// A server id that goes with the reasoning in front of it.
#[derive(Clone, Debug)]
pub struct Link {
    /// Where it stands.
    pub path: Path,
    /// Characters that go with it.
    pub chars: u64,
    /// The part of [`Facts::segments`] that it lies in.
    pub segment: usize,
}

/// An image or screenshot.
#[derive(Clone, Debug)]
pub struct Image {
    /// How it is taken away.
    pub removal: ImageRemoval,
    /// The part of [`Facts::segments`] that it lies in.
    pub segment: usize,
}

/// How an image is taken away.
#[derive(Clone, Debug)]
pub enum ImageRemoval {
    /// A note takes its place.
    Note {
        /// Where the image's part stands.
        path: Path,
        /// What takes its place.
        value: Value,
        /// Characters before, less characters after.
        saves: i64,
    },
    /// Its element leaves its list.
    Element {
        /// Where it stands.
        path: Path,
        /// Characters that go with it.
        chars: u64,
    },
    /// The item goes, with what it is paired with.
    Item,
}
