//! Edits: set or remove one value at a path inside one item (as in RFC 6902).
//!
//! All edits of a list refer to the item as it was before any of them, so their order does not matter. In JavaScript
//! an edited copy shares every untouched part with its source (`js/boundary.js`); here it is a changed clone.

use crate::item::json::write;
use crate::item::path::{Path, Step};
use serde_json::Value;

/// One change at one path.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// Where; never the item itself.
    pub path: Path,
    /// What is done there.
    pub change: Change,
}

/// What an edit does.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Sets the value.
    Set(Value),
    /// Removes a key, or an element of a list.
    Remove,
    /// Keeps these elements of the list, in this order.
    Order(Vec<usize>),
}

impl Edit {
    /// Sets the value at `path`.
    pub fn set(path: Path, value: Value) -> Self {
        Self {
            path,
            change: Change::Set(value),
        }
    }

    /// Removes what is at `path`: a key, or an element of a list.
    pub fn remove(path: Path) -> Self {
        Self {
            path,
            change: Change::Remove,
        }
    }

    /// Puts the list at `path` into this order of its indexes; those left out go.
    pub fn order(path: Path, order: Vec<usize>) -> Self {
        Self {
            path,
            change: Change::Order(order),
        }
    }
}

/// A copy of `item` with the edits made. Paths that lead nowhere are passed over.
#[must_use]
pub fn apply(item: &Value, edits: &[Edit]) -> Value {
    let mut copy = item.clone();
    for edit in edits {
        if let (Change::Set(value), Some((last, parents))) = (&edit.change, edit.path.steps().split_last()) {
            match (find(&mut copy, parents), last) {
                (Some(Value::Object(object)), Step::Key(key)) => {
                    object.insert(key.to_string(), value.clone());
                }
                (Some(Value::Array(list)), Step::Index(index)) => {
                    if let Some(place) = list.get_mut(*index) {
                        *place = value.clone();
                    }
                }
                _ => {}
            }
        }
    }
    // From the back and from within, so that an index still means what it meant.
    let mut others: Vec<&Edit> = edits
        .iter()
        .filter(|edit| !matches!(edit.change, Change::Set(_)))
        .collect();
    others.sort_unstable_by(|left, right| left.path.cmp(&right.path));
    for edit in others.into_iter().rev() {
        match &edit.change {
            Change::Order(order) => {
                let gone = removed_below(edits, &edit.path);
                if let Some(Value::Array(list)) = find(&mut copy, edit.path.steps()) {
                    reorder(list, order, &gone);
                }
            }
            _ => remove(&mut copy, &edit.path),
        }
    }
    copy
}

/// Indexes of the list at `path` that other edits remove.
fn removed_below(edits: &[Edit], path: &Path) -> Vec<usize> {
    edits
        .iter()
        .filter(|edit| edit.change == Change::Remove)
        .filter_map(|edit| match edit.path.steps().split_last() {
            Some((Step::Index(index), parents)) if parents == path.steps() => Some(*index),
            _ => None,
        })
        .collect()
}

/// The removed elements are gone from the list already; `order` speaks of the list before.
fn reorder(list: &mut Vec<Value>, order: &[usize], gone: &[usize]) {
    let kept: Vec<Value> = order
        .iter()
        .filter(|index| !gone.contains(index))
        .filter_map(|index| {
            let shift = gone.iter().filter(|removed| *removed < index).count();
            list.get(index - shift).cloned()
        })
        .collect();
    *list = kept;
}

fn remove(copy: &mut Value, path: &Path) {
    if let Some((last, parents)) = path.steps().split_last() {
        match (find(copy, parents), last) {
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

/// The edits as JSON text for the boundary: `[[path, value], [path], [path, null, order], …]`: a pair sets, a single
/// path removes, a triple orders.
#[must_use]
pub fn to_json(edits: &[Edit]) -> String {
    let mut out = String::from("[");
    for (index, edit) in edits.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push('[');
        edit.path.write_json(&mut out);
        match &edit.change {
            Change::Set(value) => {
                out.push(',');
                write(value, &mut out);
            }
            Change::Remove => {}
            Change::Order(order) => {
                let indexes: Vec<String> = order.iter().map(ToString::to_string).collect();
                out.push_str(&format!(",null,[{}]", indexes.join(",")));
            }
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
        let order = Edit::order(Path::of(["content".into()]), vec![2, 0, 1]);
        assert_eq!(
            apply(&item, std::slice::from_ref(&order))["content"],
            json!(["c", "a", "b"])
        );
        assert_eq!(
            apply(&item, &[order, Edit::remove(at(0))])["content"],
            json!(["c", "b"])
        );
        assert_eq!(to_json(&edits[..2]), r#"[[["content",0]],[["content",1],"B"]]"#);
    }
}
