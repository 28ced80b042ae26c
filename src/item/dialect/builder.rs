//! What the dialects share in turning a sketch into facts.

use super::Dialect;
use super::media::{Found, Removal, scan};
use crate::item::edit::Edit;
use crate::item::facts::{
    Author, Call, Closing, Facts, Input, InputForm, ItemId, Link, Part, Payload, Place, Reasoning, Repair, Role,
    Segment, Signature, TextForm, ToolResult,
};
use crate::item::measure::key_chars;
use crate::item::path::{Path, Step};
use crate::item::rule::Rule;
use crate::item::sketch::Sketch;
use std::cell::Cell;
use std::rc::Rc;

/// The first line of a summary item, by which it is known again.
pub const SUMMARY_LINE: &str = "[Summary of the conversation so far]";

/// A call as a dialect finds it.
pub struct CallSpec<'p, 's, 'a> {
    /// What holds it.
    pub holder: &'p Path,
    /// What holds its name, where that is something else.
    pub names: Option<&'p Path>,
    /// The call itself, to be left out.
    pub place: Place,
    /// Its id.
    pub id: Option<&'a str>,
    /// The key of the holder at which the id stands, or would.
    pub id_key: Option<&'static str>,
    /// The tool's name.
    pub name: Option<&'a str>,
    /// The key at which the name stands.
    pub name_key: Option<&'static str>,
    /// Its arguments: where, what, in which form.
    pub input: Option<(Path, &'s Sketch<'a>, InputForm)>,
    /// Its signature.
    pub signature: Signature,
    /// How it is closed where no result came.
    pub closing: Closing,
}

/// A result as a dialect finds it.
pub struct ResultSpec<'p, 's, 'a> {
    /// What holds it.
    pub holder: &'p Path,
    /// The result itself, to be left out.
    pub place: Place,
    /// The id that it names.
    pub id: Option<&'a str>,
    /// The key of the holder at which the id stands, or would.
    pub id_key: Option<&'static str>,
    /// The tool's name as it gives it.
    pub name: Option<&'a str>,
    /// The key at which the name stands.
    pub name_key: Option<&'static str>,
    /// Its payload, where text may take its place: where, what, how.
    pub payload: Option<(Path, &'s Sketch<'a>, TextForm)>,
    /// What goes when text takes the payload's place, with its characters.
    pub beside: Option<(Path, u64)>,
}

/// Collects the facts of one item.
pub struct Builder {
    found: Found,
    facts: Facts,
    blank: Blank,
}

/// What counts as a text without anything in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blank {
    /// The empty string.
    Empty,
    /// White space as well.
    White,
}

impl Builder {
    /// Begins with an item of this author.
    pub fn new(item: &Sketch<'_>, author: Author) -> Self {
        let found = scan(item);
        let facts = Facts {
            dialect: None,
            author,
            chars: found.sized(item, &Path::default()),
            parts: Vec::new(),
            links: Vec::new(),
            images: Vec::new(),
            segments: Vec::new(),
            list: None,
            opens_with_thinking: false,
            thinks: false,
            keeps_reasoning: false,
            repairs: Vec::new(),
            is_compaction: false,
            lacks_reasoning: None,
            refused: None,
            role: Role::Plain,
            item_id: None,
            cache_marks: Vec::new(),
            ill_formed: Vec::new(),
            tokens: Cell::new(None),
        };
        Self {
            found,
            facts,
            blank: Blank::Empty,
        }
    }

    /// Characters of a value of the item, media counted as media.
    pub fn sized(&self, value: &Sketch<'_>, path: &Path) -> u64 {
        self.found.sized(value, path)
    }

    /// Adds a part.
    pub fn part(&mut self, part: Part) {
        self.facts.parts.push(part);
    }

    /// Says what counts as a blank text.
    pub fn blanks_are(&mut self, blank: Blank) {
        self.blank = blank;
    }

    /// Adds visible text; `element` is where it stands, where it is one of a list that it may leave.
    pub fn text(&mut self, text: Option<&Sketch<'_>>, element: Option<Path>) {
        let head = text.and_then(Sketch::text);
        self.part(Part::Text {
            blank: match text {
                Some(text @ Sketch::Text(found)) => found.units == 0 || (self.blank == Blank::White && text.is_blank()),
                // What is no string says nothing either.
                _ => true,
            },
            white: text.is_none_or(|text| text.is_blank() || !matches!(text, Sketch::Text(_))),
            element,
        });
        let is_first = self.facts.parts.len() == 1;
        if is_first && self.facts.author == Author::User && head.is_some_and(is_summary) {
            self.facts.author = Author::Summary;
        }
    }

    /// Notes something that is wrong with the item by itself.
    pub fn repair(&mut self, rule: Rule, edits: Vec<Edit>) {
        self.facts.repairs.push(Repair { rule, edits });
    }

    /// Notes that the item holds the provider's own compaction.
    pub fn compacts(&mut self) {
        self.facts.is_compaction = true;
    }

    /// Notes what gives the item the reasoning that some providers want with every call.
    pub fn lacks_reasoning(&mut self, edit: Edit) {
        self.facts.lacks_reasoning = Some(edit);
    }

    /// Notes that the item is never sent.
    pub fn refuse(&mut self, rule: Rule) {
        self.facts.refused.get_or_insert(rule);
    }

    /// Says what the item is to the rules that look at the items around it.
    pub fn role(&mut self, role: Role) {
        self.facts.role = role;
    }

    /// Notes the item's own id at the provider.
    pub fn item_id(&mut self, id: &str, is_needed: bool) {
        self.facts.item_id = Some(ItemId {
            text: Rc::from(id),
            path: Path::of(["id".into()]),
            is_needed,
        });
    }

    /// Notes a mark for the prompt cache at a key of what stands at `path`.
    pub fn cache_mark(&mut self, holder: &Sketch<'_>, path: &Path) {
        if holder.given("cache_control").is_some() {
            self.facts.cache_marks.push(path.then("cache_control"));
        }
    }

    /// Leaves blank texts out of their list; an item in which nothing is left is never sent.
    pub fn without_blanks(&mut self) {
        let blanks: Vec<Edit> = self
            .facts
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Text {
                    blank: true,
                    element: Some(path),
                    ..
                } => Some(Edit::remove(path.clone())),
                _ => None,
            })
            .collect();
        if !blanks.is_empty() {
            self.repair(Rule::EmptyText, blanks);
        }
        self.never_empty();
    }

    /// Refuses the item where it says nothing and calls nothing, reasoning or not.
    pub fn never_silent(&mut self) {
        if !self.facts.parts.iter().any(Part::is_substance) {
            self.refuse(Rule::EmptyItem);
        }
    }

    /// Refuses the item where there is nothing in it.
    pub fn never_empty(&mut self) {
        let is_empty = |part: &Part| matches!(part, Part::Text { blank: true, .. });
        if self.facts.parts.iter().all(is_empty) {
            self.refuse(Rule::EmptyItem);
        }
    }

    /// Adds reasoning that is the whole item.
    pub fn reasoning_item(&mut self, stored: bool) {
        let chars = self.facts.chars;
        self.part(Part::Reasoning(Reasoning {
            place: Place::Item,
            chars,
            stored,
        }));
    }

    /// Adds reasoning at an element of a list.
    pub fn reasoning_element(&mut self, value: &Sketch<'_>, path: Path, stored: bool) {
        let chars = self.sized(value, &path) + 1;
        self.part(Part::Reasoning(Reasoning {
            place: Place::At(path),
            chars,
            stored,
        }));
    }

    /// Adds reasoning at a key of the item.
    pub fn reasoning_key(&mut self, key: &'static str, value: &Sketch<'_>) {
        let path = Path::of([key.into()]);
        let chars = self.sized(value, &path) + key_chars(key) + 1;
        self.part(Part::Reasoning(Reasoning {
            place: Place::At(path),
            chars,
            stored: false,
        }));
    }

    /// Notes that this item's reasoning must open its message while the turn runs.
    pub fn thinks(&mut self) {
        self.facts.thinks = true;
        self.facts.opens_with_thinking |= self.facts.parts.is_empty();
    }

    /// Notes that the reasoning in front of this item must stay.
    pub fn keeps_reasoning(&mut self) {
        self.facts.keeps_reasoning = true;
    }

    /// Adds a call.
    pub fn call(&mut self, spec: CallSpec<'_, '_, '_>) {
        let input = spec.input.map(|(path, value, form)| Input {
            chars: self.sized(value, &path),
            is_valid: match form {
                InputForm::Object => Cell::new(Some(matches!(value, Sketch::Object(_)))),
                InputForm::Text => Cell::new(Some(true)),
                InputForm::JsonText => Cell::new(None),
            },
            path,
            form,
        });
        self.part(Part::Call(Call {
            id: spec.id.map(Rc::from),
            id_path: spec.id_key.map(|key| spec.holder.then(key)),
            name: spec.name.map(Rc::from),
            name_path: spec.name_key.map(|key| spec.names.unwrap_or(spec.holder).then(key)),
            input,
            signature: spec.signature,
            place: spec.place,
            closing: spec.closing,
        }));
    }

    /// Adds a result.
    pub fn result(&mut self, spec: ResultSpec<'_, '_, '_>) {
        let payload = spec.payload.map(|(path, value, form)| Payload {
            chars: self.sized(value, &path),
            text: text_of(value, &path, form),
            is_formed: match (form, value) {
                (TextForm::Text, _) => true,
                (TextForm::Field(_), value) => matches!(value, Sketch::Object(_)),
                (TextForm::Typed(_), value) => matches!(value, Sketch::Object(_)) && !value.kind().is_empty(),
            },
            texts: self.found.is_media_in(&path).then(|| texts_of(value, &path)),
            path,
            form,
            beside: spec.beside,
        });
        self.part(Part::Result(ToolResult {
            id: spec.id.map(Rc::from),
            id_path: spec.id_key.map(|key| spec.holder.then(key)),
            name: spec.name.map(Rc::from),
            name_path: spec.name_key.map(|key| spec.holder.then(key)),
            payload,
            place: spec.place,
        }));
    }

    /// Notes a server id at `key` of `holder`, which stands at `path`.
    pub fn link(&mut self, holder: &Sketch<'_>, path: &Path, key: &'static str, segment: usize) {
        if let Some(value) = holder.given(key) {
            let comma = u64::from(holder.entries().len() > 1);
            let path = path.then(key);
            let chars = self.sized(value, &path) + key_chars(key) + comma;
            self.facts.links.push(Link { path, chars, segment });
        }
    }

    /// Says that the item is read in segments: ranges of parts and of elements of its list, with their characters.
    pub fn segments(&mut self, list: &'static str, segments: Vec<Segment>) {
        self.facts.list = Some(list);
        self.facts.segments = segments;
    }

    /// Number of parts so far.
    pub fn len(&self) -> usize {
        self.facts.parts.len()
    }

    /// Makes images at or below `path` leave their list instead of giving way to text.
    pub fn images_leave(&mut self, path: &Path) {
        for media in &mut self.found.media {
            if media.image.is_some() && media.path.is_within(path) {
                media.image = Some(Removal::Element);
            }
        }
    }

    /// The facts.
    pub fn finish(mut self, dialect: Option<Dialect>) -> Facts {
        self.facts.dialect = dialect;
        if self.facts.segments.is_empty() {
            self.facts.segments.push(Segment {
                parts: 0..self.facts.parts.len(),
                elements: 0..0,
                chars: self.facts.chars,
            });
        }
        let segments = &self.facts.segments;
        for media in self.found.media {
            let element = match media.path.steps().get(1) {
                Some(Step::Index(index)) => *index,
                _ => 0,
            };
            let segment = segments
                .iter()
                .position(|segment| segment.elements.contains(&element))
                .unwrap_or(0);
            if let Some(image) = media.into_image(segment) {
                self.facts.images.push(image);
            }
        }
        self.facts
    }
}

/// Whether a text is that of a summary item.
pub fn is_summary(text: &str) -> bool {
    text.strip_prefix(SUMMARY_LINE)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'))
}

/// The one text of a payload that is a text already, as `form` writes one.
fn text_of(value: &Sketch<'_>, path: &Path, form: TextForm) -> Option<(Path, usize)> {
    match (value, form) {
        (Sketch::Text(text), _) => Some((path.clone(), text.units)),
        (Sketch::Object(entries), TextForm::Field(_)) => match entries.as_slice() {
            [(key @ ("output" | "error" | "result"), Sketch::Text(text))] => Some((
                path.then(crate::item::path::Step::Key((*key).to_owned().into())),
                text.units,
            )),
            _ => None,
        },
        (Sketch::Object(_), TextForm::Typed(_)) if matches!(value.kind(), "text" | "error-text") => {
            match value.get("value") {
                Some(Sketch::Text(text)) => Some((path.then("value"), text.units)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Texts of a list of parts, with their lengths.
fn texts_of(value: &Sketch<'_>, path: &Path) -> Vec<(Path, usize)> {
    let list = match value {
        Sketch::List(list) => (path.clone(), list.as_slice()),
        // `{type: "content", value: […]}`.
        other => (path.then("value"), other.list("value")),
    };
    let mut texts = Vec::new();
    for (index, part) in list.1.iter().enumerate() {
        if let Some(Sketch::Text(text)) = part.get("text") {
            texts.push((list.0.then(index).then("text"), text.units));
        }
    }
    texts
}
