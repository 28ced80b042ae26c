//! What the dialects share in turning a sketch into facts.

use super::Dialect;
use super::media::{Found, Removal, scan};
use crate::item::facts::{
    Author, Call, Facts, Input, InputForm, Link, Part, Payload, Place, Reasoning, Segment, TextForm, ToolResult,
};
use crate::item::measure::key_chars;
use crate::item::path::{Path, Step};
use crate::item::sketch::Sketch;
use std::rc::Rc;

/// The first line of a summary item, by which it is known again.
pub const SUMMARY_LINE: &str = "[Summary of the conversation so far]";

/// Collects the facts of one item.
pub struct Builder {
    found: Found,
    facts: Facts,
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
            tokens: std::cell::Cell::new(None),
        };
        Self { found, facts }
    }

    /// Characters of a value of the item, media counted as media.
    pub fn sized(&self, value: &Sketch<'_>, path: &Path) -> u64 {
        self.found.sized(value, path)
    }

    /// Adds a part.
    pub fn part(&mut self, part: Part) {
        self.facts.parts.push(part);
    }

    /// Adds visible text.
    pub fn text(&mut self, text: Option<&str>) {
        self.part(Part::Text {
            blank: text.is_none_or(|text| text.trim().is_empty()),
        });
        let is_first = self.facts.parts.len() == 1;
        if is_first && self.facts.author == Author::User && text.is_some_and(is_summary) {
            self.facts.author = Author::Summary;
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

    /// Adds a call; `input` is where its arguments stand, the value there, and its form.
    pub fn call(
        &mut self,
        id: Option<&str>,
        name: Option<&str>,
        input: Option<(Path, &Sketch<'_>, InputForm)>,
        signed: bool,
    ) {
        let input = input.map(|(path, value, form)| Input {
            chars: self.sized(value, &path),
            path,
            form,
        });
        self.part(Part::Call(Call {
            id: id.map(Rc::from),
            name: name.map(Rc::from),
            input,
            signed,
        }));
    }

    /// Adds a result whose payload takes no text.
    pub fn result_without_text(&mut self, id: Option<&str>, name: Option<&str>) {
        self.part(Part::Result(ToolResult {
            id: id.map(Rc::from),
            name: name.map(Rc::from),
            payload: None,
        }));
    }

    /// Adds a result; `beside` is a key of the same holder that goes when text takes the payload's place.
    pub fn result(
        &mut self,
        id: Option<&str>,
        name: Option<&str>,
        payload: Option<(Path, &Sketch<'_>, TextForm)>,
        beside: Option<(Path, u64)>,
    ) {
        let payload = payload.map(|(path, value, form)| Payload {
            chars: self.sized(value, &path),
            text: text_of(value, &path, form),
            texts: self.found.is_media_in(&path).then(|| texts_of(value, &path)),
            path,
            form,
            beside,
        });
        self.part(Part::Result(ToolResult {
            id: id.map(Rc::from),
            name: name.map(Rc::from),
            payload,
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
