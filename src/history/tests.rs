use super::{Answer, AtomKind, History};
use crate::item::dialect::{Dialect, read};
use crate::item::sketch::Sketch;
use serde_json::{Value, json};
use std::rc::Rc;

fn history(items: &[Value], dialect: Option<Dialect>) -> History {
    let mut history = History::new(dialect);
    for item in items {
        let facts = Rc::new(read(&Sketch::of(item), history.dialect()));
        let segments = facts.segments.len();
        history.add_item(facts);
        for segment in 0..segments {
            history.push_unit(segment);
        }
    }
    history
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

fn calls(ids: &[&str]) -> Value {
    let calls: Vec<Value> = ids
        .iter()
        .map(|id| json!({ "id": id, "type": "function", "function": { "name": format!("tool-{id}"), "arguments": "{}" } }))
        .collect();
    json!({ "role": "assistant", "content": null, "tool_calls": calls })
}

fn result(id: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": id, "content": "done" })
}

fn kinds(history: &History) -> Vec<(AtomKind, usize)> {
    history
        .atoms()
        .iter()
        .map(|atom| (atom.kind, atom.units.len()))
        .collect()
}

#[test]
fn a_step_takes_its_results_and_a_model_item_behind_them_opens_the_next() {
    let said = json!({ "role": "assistant", "content": "let me look" });
    let items = [
        user("go"),
        said.clone(),
        calls(&["a", "b"]),
        result("a"),
        result("b"),
        said,
    ];
    let history = history(&items, None);
    assert_eq!(
        kinds(&history),
        [(AtomKind::User, 1), (AtomKind::Step, 4), (AtomKind::Step, 1)]
    );
    assert_eq!(history.running_opener(), Some(0));
}

#[test]
fn a_late_result_joins_the_step_of_its_call() {
    let items = [user("go"), calls(&["a"]), user("still there?"), result("a")];
    let history = history(&items, None);
    assert_eq!(
        kinds(&history),
        [(AtomKind::User, 1), (AtomKind::Step, 2), (AtomKind::User, 1)]
    );
    assert_eq!(history.results()[0].answer, Answer::Call(0));
}

#[test]
fn an_id_used_again_is_a_new_pair_and_a_second_result_a_duplicate() {
    let items = [
        user("go"),
        calls(&["a"]),
        result("a"),
        calls(&["a"]),
        result("a"),
        result("a"),
        result("z"),
    ];
    let answers: Vec<Answer> = history(&items, None)
        .results()
        .iter()
        .map(|result| result.answer)
        .collect();
    assert_eq!(
        answers,
        [Answer::Call(0), Answer::Call(1), Answer::Duplicate, Answer::Orphan]
    );
}

#[test]
fn the_nearest_step_with_an_open_call_is_answered_first() {
    let items = [
        user("go"),
        calls(&["a"]),
        user("again"),
        calls(&["a"]),
        result("a"),
        result("a"),
    ];
    let answers: Vec<Answer> = history(&items, None)
        .results()
        .iter()
        .map(|result| result.answer)
        .collect();
    assert_eq!(answers, [Answer::Call(1), Answer::Call(0)]);
}

#[test]
fn without_ids_names_decide_and_then_positions() {
    let call = |name: &str| json!({ "functionCall": { "name": name, "args": {} } });
    let answer = |name: &str| json!({ "functionResponse": { "name": name, "response": { "output": "x" } } });
    let items = [
        json!({ "role": "user", "parts": [{ "text": "go" }] }),
        json!({ "role": "model", "parts": [call("f"), call("g"), call("f")] }),
        json!({ "role": "user", "parts": [answer("g"), answer("f"), answer("f")] }),
    ];
    let history = history(&items, None);
    let answers: Vec<Answer> = history.results().iter().map(|result| result.answer).collect();
    assert_eq!(answers, [Answer::Call(1), Answer::Call(0), Answer::Call(2)]);
    assert!(history.is_call_point());
}

#[test]
fn calls_are_in_flight_until_a_user_or_model_item_follows() {
    let ids = |history: &History| history.in_flight().filter_map(|call| call.id.clone()).count();
    let mut items = vec![user("go"), calls(&["a", "b"]), result("a")];
    let open = history(&items, None);
    assert_eq!(ids(&open), 1);
    assert!(!open.is_call_point());
    items.push(user("forget it"));
    let stale = history(&items, None);
    assert_eq!(ids(&stale), 0);
    assert!(stale.is_call_point());
}

#[test]
fn a_ui_message_is_read_in_steps() {
    let tool = |id: &str, state: &str| json!({ "type": "tool-read", "toolCallId": id, "state": state, "input": {}, "output": "x" });
    let items = [
        json!({ "id": "1", "role": "user", "parts": [{ "type": "text", "text": "go" }] }),
        json!({ "id": "2", "role": "assistant", "parts": [
            { "type": "step-start" }, tool("a", "output-available"),
            { "type": "step-start" }, tool("b", "input-available")
        ] }),
    ];
    let history = history(&items, None);
    assert_eq!(history.dialect(), Some(Dialect::AiSdkUi));
    assert_eq!(
        kinds(&history),
        [(AtomKind::User, 1), (AtomKind::Step, 1), (AtomKind::Step, 1)]
    );
    assert_eq!(history.in_flight().count(), 1);
}

#[test]
fn thinking_welds_a_step_to_the_one_before_it_while_its_turn_runs() {
    let think = |id: &str| {
        json!({ "role": "assistant", "content": [
        { "type": "thinking", "thinking": "hm", "signature": "s" },
        { "type": "tool_use", "id": id, "name": "f", "input": {} }
    ] })
    };
    let act = |id: &str| json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "f", "input": {} }] });
    let answer =
        |id: &str| json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": "x" }] });
    let mut items = vec![
        user("go"),
        think("a"),
        answer("a"),
        act("b"),
        answer("b"),
        think("c"),
        answer("c"),
    ];
    let running = history(&items, None);
    let cuts = |history: &History| {
        (0..history.atoms().len())
            .filter(|atom| history.can_cut_before(*atom))
            .collect::<Vec<_>>()
    };
    assert_eq!(cuts(&running), [0, 1, 3]);
    items.push(json!({ "role": "user", "content": [{ "type": "text", "text": "next" }] }));
    assert_eq!(cuts(&history(&items, None)), [0, 1, 2, 3, 4]);
}
