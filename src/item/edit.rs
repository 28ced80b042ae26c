//! Edits: set or remove one value at a path inside one item (as in RFC 6902).
//!
//! All edits of a list refer to the item as it was before any of them, so their order does not matter. In JavaScript
//! an edited copy shares every untouched part with its source (`js/boundary.js`); here it is a changed clone.

use crate::item::json::{write, write_string};
use crate::item::path::{Path, Step};
use serde_json::Value;

/// One change at one path.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// Where; never the item itself.
    pub path: Path,
    /// The new value; `None` removes what is there.
    pub value: Option<Value>,
}

impl Edit {
    /// Sets the value at `path`.
    pub fn set(path: Path, value: Value) -> Self {
        Self {
            path,
            value: Some(value),
        }
    }

    /// Removes what is at `path`: a key, or an element of a list.
    pub fn remove(path: Path) -> Self {
        Self { path, value: None }
    }
}

/// A copy of `item` with the edits made. Paths that lead nowhere are passed over.
#[must_use]
pub fn apply(item: &Value, edits: &[Edit]) -> Value {
    let mut copy = item.clone();
    for edit in edits {
        if let (Some(value), Some(place)) = (&edit.value, find(&mut copy, edit.path.steps())) {
            *place = value.clone();
        }
    }
    // From the back, so that an earlier index still means what it meant.
    let mut removals: Vec<&Path> = edits
        .iter()
        .filter(|edit| edit.value.is_none())
        .map(|edit| &edit.path)
        .collect();
    removals.sort_unstable();
    for path in removals.into_iter().rev() {
        if let Some((last, parents)) = path.steps().split_last() {
            match (find(&mut copy, parents), last) {
                (Some(Value::Object(object)), Step::Key(key)) => {
                    object.shift_remove(key.as_ref());
                }
                (Some(Value::Array(list)), Step::Index(index)) if *index < list.len() => {
                    list.remove(*index);
                }
                _ => {}
            }
        }
    }
    copy
}

/// The edits as JSON text for the boundary: `[[path, value], [path], …]`, a pair sets, a single path removes.
#[must_use]
pub fn to_json(edits: &[Edit]) -> String {
    let mut out = String::from("[");
    for (index, edit) in edits.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str("[[");
        for (index, step) in edit.path.steps().iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            match step {
                Step::Key(key) => write_string(key, &mut out),
                Step::Index(index) => out.push_str(&index.to_string()),
            }
        }
        out.push(']');
        if let Some(value) = &edit.value {
            out.push(',');
            write(value, &mut out);
        }
        out.push(']');
    }
    out.push(']');
    out
}

/// The value at a path.
#[must_use]
pub fn value_at<'v>(item: &'v Value, path: &Path) -> Option<&'v Value> {
    path.steps().iter().try_fold(item, |value, step| match step {
        Step::Key(key) => value.get(key.as_ref()),
        Step::Index(index) => value.get(*index),
    })
}

fn find<'v>(item: &'v mut Value, steps: &[Step]) -> Option<&'v mut Value> {
    steps.iter().try_fold(item, |value, step| match step {
        Step::Key(key) => value.get_mut(key.as_ref()),
        Step::Index(index) => value.get_mut(*index),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn edits_refer_to_the_item_before_them() {
        let item = json!({"content": ["a", "b", "c"], "id": 1, "role": "user"});
        let at = |index: usize| Path::of(["content".into(), index.into()]);
        let edits = [
            Edit::remove(at(0)),
            Edit::set(at(1), json!("B")),
            Edit::remove(at(2)),
            Edit::remove(Path::of(["id".into()])),
            Edit::remove(Path::of(["nowhere".into(), 3.into()])),
        ];
        assert_eq!(apply(&item, &edits), json!({"content": ["B"], "role": "user"}));
        assert_eq!(to_json(&edits[..2]), r#"[[["content",0]],[["content",1],"B"]]"#);
    }
}
