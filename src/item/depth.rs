//! One limit on nesting, the same everywhere, checked before anything recursive.

/// Deepest nesting inside one item.
pub const MAX_ITEM_DEPTH: usize = 500;

/// Deepest nesting of incoming JSON text.
pub const MAX_TEXT_DEPTH: usize = 600;

/// Whether JSON text nests at most [`MAX_TEXT_DEPTH`] levels. Strings are passed over; the text need not be valid.
#[must_use]
pub fn text_is_shallow(json: &str) -> bool {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for byte in json.bytes() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => {
                depth += 1;
                if depth > MAX_TEXT_DEPTH {
                    return false;
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    true
}

/// Whether a value nests at most [`MAX_ITEM_DEPTH`] levels.
#[must_use]
pub fn value_is_shallow(value: &serde_json::Value) -> bool {
    value_is_within(value, MAX_ITEM_DEPTH)
}

/// Whether a value nests at most so many levels, by an explicit stack.
#[must_use]
pub fn value_is_within(value: &serde_json::Value, most: usize) -> bool {
    let mut stack = vec![(value, 1_usize)];
    while let Some((value, depth)) = stack.pop() {
        if value.is_object() || value.is_array() {
            if depth > most {
                return false;
            }
            match value {
                serde_json::Value::Array(list) => stack.extend(list.iter().map(|element| (element, depth + 1))),
                serde_json::Value::Object(object) => stack.extend(object.values().map(|element| (element, depth + 1))),
                _ => {}
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_inside_strings_do_not_count() {
        assert!(text_is_shallow(&format!("\"{}\"", "[".repeat(10_000))));
        assert!(text_is_shallow(&"[".repeat(MAX_TEXT_DEPTH)));
        assert!(!text_is_shallow(&"[".repeat(MAX_TEXT_DEPTH + 1)));
        assert!(text_is_shallow("\"\\\"[\""));
    }

    #[test]
    fn values_have_the_same_limit() {
        let nested = |levels: usize| (0..levels).fold(serde_json::Value::Null, |inner, _| serde_json::json!([inner]));
        assert!(value_is_shallow(&nested(MAX_ITEM_DEPTH)));
        assert!(!value_is_shallow(&nested(MAX_ITEM_DEPTH + 1)));
    }
}
