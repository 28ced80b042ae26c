//! Media and opaque payloads, found by the shape of the object that holds them, in every dialect alike.
//!
//! Arguments, JSON results and provider metadata are the user's own data: nothing in them is taken for media.

use crate::item::facts::{Image, ImageRemoval};
use crate::item::measure::{MEDIA_CHARS, chars};
use crate::item::path::{Path, Step};
use crate::item::sketch::Sketch;
use serde_json::{Value, json};

/// What a removed image leaves in its place.
pub const IMAGE_NOTE: &str = "[image cleared]";

/// A media object inside an item.
pub struct Media {
    /// Where the object stands.
    pub path: Path,
    /// The payload, or the address, where one is there.
    pub leaf: Option<Path>,
    /// The payload is inline; its characters as text.
    pub inline: Option<u64>,
    /// How it goes, where it is an image.
    pub image: Option<Removal>,
    /// Characters of the whole object, the payload counted as media.
    pub chars: u64,
}

/// How an image goes.
pub enum Removal {
    /// This value takes the object's place.
    Note(Value),
    /// The object leaves its list.
    Element,
    /// The item goes.
    Item,
}

/// What a scan of an item finds.
#[derive(Default)]
pub struct Found {
    /// Media, in order.
    pub media: Vec<Media>,
    /// Opaque payloads with their lengths, in order.
    pub opaque: Vec<(Path, u64)>,
}

impl Found {
    /// Characters of the value at `path`, media counted as media.
    pub fn sized(&self, sketch: &Sketch<'_>, path: &Path) -> u64 {
        let mut size = chars(sketch);
        for media in &self.media {
            if let (Some(raw), Some(leaf)) = (media.inline, &media.leaf)
                && leaf.is_within(path)
            {
                size = (size + MEDIA_CHARS).saturating_sub(raw);
            }
        }
        size
    }

    /// Whether media lies at or below `path`.
    pub fn is_media_in(&self, path: &Path) -> bool {
        self.media.iter().any(|media| media.path.is_within(path))
    }
}

/// Finds media and opaque payloads in an item.
pub fn scan(item: &Sketch<'_>) -> Found {
    let mut found = Found::default();
    walk(item, &mut Vec::new(), &mut found);
    found
}

/// Paths of all strings with half of a surrogate pair in them.
pub fn broken_texts(item: &Sketch<'_>) -> Vec<Path> {
    let mut paths = Vec::new();
    broken(item, &mut Vec::new(), &mut paths);
    paths
}

fn broken<'s>(sketch: &'s Sketch<'_>, steps: &mut Vec<StepRef<'s>>, paths: &mut Vec<Path>) {
    match sketch {
        Sketch::Text(text) if text.is_broken => paths.push(path_of(steps)),
        Sketch::List(list) => {
            for (index, element) in list.iter().enumerate() {
                steps.push(StepRef::Index(index));
                broken(element, steps, paths);
                steps.pop();
            }
        }
        Sketch::Object(entries) => {
            for (key, value) in entries {
                steps.push(StepRef::Key(key));
                broken(value, steps, paths);
                steps.pop();
            }
        }
        _ => {}
    }
}

/// Keys below which everything is the user's own data.
fn is_free(key: &str, holder: &Sketch<'_>) -> bool {
    match key {
        "input" | "args" | "arguments" | "metadata" => true,
        // A Gemini result; elsewhere the key has no meaning of its own.
        "response" => holder.get("name").is_some(),
        // The output of a UI tool part is whatever the tool gave back.
        "output" => holder.get("state").is_some() && holder.get("toolCallId").is_some(),
        "value" => matches!(holder.kind(), "json" | "error-json"),
        _ => false,
    }
}

fn walk<'s>(sketch: &'s Sketch<'_>, steps: &mut Vec<StepRef<'s>>, found: &mut Found) {
    match sketch {
        Sketch::List(list) => {
            for (index, element) in list.iter().enumerate() {
                steps.push(StepRef::Index(index));
                walk(element, steps, found);
                steps.pop();
            }
        }
        Sketch::Object(entries) => {
            if let Some(shape) = shape_of(sketch) {
                let path = path_of(steps);
                let leaf = shape
                    .leaf
                    .as_ref()
                    .map(|(keys, _)| keys.iter().fold(path.clone(), |path, key| path.then(*key)));
                let raw = shape.leaf.as_ref().map(|(_, leaf)| chars(leaf));
                let inline = raw.filter(|_| shape.inline);
                let size = chars(sketch) + inline.map_or(0, |_| MEDIA_CHARS) - inline.unwrap_or(0);
                found.media.push(Media {
                    path,
                    leaf,
                    inline,
                    image: shape.image,
                    chars: size,
                });
                return;
            }
            for (key, value) in entries {
                if is_free(key, sketch) {
                    continue;
                }
                match value {
                    Sketch::Text(text) if is_opaque(key, sketch) => {
                        steps.push(StepRef::Key(key));
                        found.opaque.push((path_of(steps), text.units as u64));
                        steps.pop();
                    }
                    Sketch::List(_) | Sketch::Object(_) => {
                        steps.push(StepRef::Key(key));
                        walk(value, steps, found);
                        steps.pop();
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

fn is_opaque(key: &str, holder: &Sketch<'_>) -> bool {
    matches!(
        key,
        "encrypted_content"
            | "encrypted_index"
            | "signature"
            | "thoughtSignature"
            | "thought_signature"
            | "reasoningEncryptedContent"
            | "redactedData"
            | "fingerprint"
    ) || (key == "data" && holder.kind() == "redacted_thinking")
}

struct Shape<'s, 'a> {
    leaf: Option<(Vec<&'static str>, &'s Sketch<'a>)>,
    inline: bool,
    image: Option<Removal>,
}

fn shape_of<'s, 'a>(object: &'s Sketch<'a>) -> Option<Shape<'s, 'a>> {
    let text_note = || Removal::Note(json!({ "type": "text", "text": IMAGE_NOTE }));
    let part_note = || Removal::Note(json!({ "text": IMAGE_NOTE }));
    let at = |keys: &[&'static str]| {
        keys.iter()
            .try_fold(object, |value, key| value.given(key))
            .filter(|leaf| matches!(leaf, Sketch::Text(_) | Sketch::Bytes))
            .map(|leaf| (keys.to_vec(), leaf))
    };
    let shape = |leaf: Option<(Vec<&'static str>, &'s Sketch<'a>)>, always_inline: bool, image: Option<Removal>| {
        let inline = leaf.as_ref().is_some_and(|(_, leaf)| is_inline(leaf, always_inline));
        Some(Shape { leaf, inline, image })
    };
    match object.kind() {
        "input_image" => shape(
            at(&["image_url"]),
            false,
            Some(Removal::Note(json!({ "type": "input_text", "text": IMAGE_NOTE }))),
        ),
        "computer_screenshot" => shape(at(&["image_url"]), false, Some(Removal::Item)),
        "input_file" => shape(at(&["file_data"]), true, None),
        "image_generation_call" => shape(at(&["result"]), true, Some(Removal::Item)),
        "image_url" => shape(
            at(&["image_url", "url"]).or_else(|| at(&["image_url"])),
            false,
            Some(text_note()),
        ),
        "input_audio" => shape(at(&["input_audio", "data"]), true, None),
        "file" if object.get("file").is_some() => shape(at(&["file", "file_data"]), true, None),
        "image" if object.get("source").is_some() => shape(
            at(&["source", "data"]).or_else(|| at(&["source", "url"])),
            false,
            Some(text_note()),
        )
        .map(|shape| based(shape, object)),
        "document"
            if object
                .get("source")
                .is_some_and(|source| matches!(source.kind(), "base64" | "url")) =>
        {
            shape(at(&["source", "data"]).or_else(|| at(&["source", "url"])), false, None)
                .map(|shape| based(shape, object))
        }
        "image" if object.get("image").is_some() => shape(at(&["image"]), true, Some(text_note())),
        "file" if object.get("mediaType").is_some() || object.get("mimeType").is_some() => {
            let image = is_image_type(object).then(text_note);
            match at(&["url"]) {
                Some(url) => shape(Some(url), false, image),
                None => shape(at(&["data"]), true, image),
            }
        }
        "media" | "image-data" | "file-data" if object.get("data").is_some() => {
            let image = (object.kind() == "image-data" || is_image_type(object)).then(text_note);
            shape(at(&["data"]), true, image)
        }
        "image-url" => shape(at(&["url"]), false, Some(text_note())),
        "" => match (object.get("inlineData"), object.get("fileData")) {
            (Some(data), _) => {
                let image = is_image_type(data).then(part_note);
                shape(at(&["inlineData", "data"]), true, image)
            }
            (_, Some(data)) => {
                let image = is_image_type(data).then(part_note);
                shape(at(&["fileData", "fileUri"]), false, image)
            }
            _ => None,
        },
        _ => None,
    }
}

/// A `source` of type base64 holds its payload without a data URL.
fn based<'s, 'a>(mut shape: Shape<'s, 'a>, object: &Sketch<'_>) -> Shape<'s, 'a> {
    if object.get("source").is_some_and(|source| source.kind() == "base64") {
        shape.inline = shape.leaf.is_some();
    }
    shape
}

fn is_image_type(object: &Sketch<'_>) -> bool {
    ["mediaType", "mimeType"]
        .iter()
        .filter_map(|key| object.str(key))
        .any(|kind| kind.starts_with("image/"))
}

fn is_inline(leaf: &Sketch<'_>, always: bool) -> bool {
    match leaf {
        Sketch::Bytes => true,
        Sketch::Text(text) if text.head.starts_with("data:") => true,
        Sketch::Text(text) => always && !text.head.starts_with("http://") && !text.head.starts_with("https://"),
        _ => false,
    }
}

impl Media {
    /// The image that the core may take away, in the part `segment` of its item.
    pub fn into_image(self, segment: usize) -> Option<Image> {
        let removal = match self.image? {
            Removal::Item => ImageRemoval::Item,
            Removal::Element => ImageRemoval::Element {
                path: self.path,
                chars: self.chars + 1,
            },
            Removal::Note(value) => ImageRemoval::Note {
                saves: self.chars as i64 - chars(&Sketch::of(&value)) as i64,
                path: self.path,
                value,
            },
        };
        Some(Image { removal, segment })
    }
}

/// A step of a path that borrows its key; owned only when a path is kept.
enum StepRef<'s> {
    Key(&'s str),
    Index(usize),
}

fn path_of(steps: &[StepRef<'_>]) -> Path {
    steps.iter().fold(Path::default(), |path, step| match step {
        StepRef::Key(key) => path.then(Step::Key(std::borrow::Cow::Owned((*key).to_owned()))),
        StepRef::Index(index) => path.then(*index),
    })
}
