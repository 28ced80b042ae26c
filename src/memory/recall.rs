//! Finding the result of a call again.

use crate::context::new_call_ids;
use crate::history::{Answer, History};
use crate::item::dialect::Dialect;
use crate::item::facts::Facts;
use std::rc::Rc;

/// The item that holds the newest result of a call: by the call's id, by the id that mending gave it for its provider, or
/// by its name where calls have no ids.
#[must_use]
pub fn recall(facts: &[Rc<Facts>], dialect: Option<Dialect>, id: &str) -> Option<usize> {
    let history = History::of(facts.iter(), dialect);
    let new_ids = new_call_ids(&history, history.dialect());
    let is_meant = |index: usize| {
        let Some(call) = history.calls().get(index) else {
            return false;
        };
        let own = call.id.as_deref().or(call.name.as_deref());
        own == Some(id) || new_ids.get(&index).is_some_and(|new| new == id)
    };
    let results = history.results().iter().rev();
    let mut answering = results.filter(|result| match result.answer {
        Answer::Call(call) => is_meant(call),
        // The call may have been pruned away.
        _ => result.id.as_deref() == Some(id),
    });
    let found = answering.next()?;
    history.units().get(found.unit).map(|unit| unit.item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::read_items;
    use crate::item::sketch::Sketch;
    use serde_json::{Value, json};

    #[test]
    fn results_are_found_by_either_id() {
        let call = |id: &str| json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "f", "input": {} }] });
        let result = |id: &str| json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": "x" }] });
        let items: Vec<Value> = vec![
            call("a"),
            result("a"),
            call("a"),
            result("a"),
            call("b:c"),
            result("b:c"),
            call("d"),
        ];
        let facts = read_items(items.iter().map(Sketch::of), None);
        let of = |id: &str| recall(&facts, None, id);
        assert_eq!((of("a"), of("b:c"), of("d"), of("e")), (Some(3), Some(5), None, None));
        let history = History::of(facts.iter(), None);
        let new = new_call_ids(&history, history.dialect());
        let renamed = new.values().next().expect("a colon is refused");
        assert_eq!(of(renamed), Some(5));
    }
}
