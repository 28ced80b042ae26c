//! Mending: whatever happened to a history, its projection is one that the provider takes.
//!
//! Well-formed histories are broken by mutators (drop, duplicate, move, truncate, concatenate, spoil), projected under
//! random budgets, and judged by `validate`, which shares nothing with mending but the reading of an item's shape.

#![cfg(not(target_arch = "wasm32"))]
// Helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::boundary::{Kind, render};
use common::check::{Case, check_mended};
use common::{corpus, generate};
use context_projector::context::{Pending, Severity, Violation, validate};
use context_projector::item::sketch::Sketch;
use context_projector::{ContextBudget, ProjectOptions, Projection, project};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::{Value, json};

/// One thing that goes wrong; the numbers choose where.
type Fault = (u8, usize, usize);

const FAULTS: u8 = 13;

fn faults() -> impl Strategy<Value = Vec<Fault>> {
    proptest::collection::vec((0..FAULTS, any::<usize>(), any::<usize>()), 0..5)
}

fn break_history(items: &mut Vec<Value>, fault: Fault) {
    let (kind, first, second) = fault;
    if items.is_empty() {
        return;
    }
    let at = first % items.len();
    let to = second % items.len();
    match kind {
        0 => {
            items.remove(at);
        }
        1 => items.insert(to, items[at].clone()),
        2 => {
            let item = items.remove(at);
            items.insert(to.min(items.len()), item);
        }
        3 => items.truncate(at + 1),
        4 => {
            items.drain(..at);
        }
        5 => {
            let again: Vec<Value> = items[at..].to_vec();
            items.extend(again);
        }
        6 => spoil_list(&mut items[at], second),
        7 => each_string(&mut items[at], &mut |key, text| {
            if ["text", "content", "output"].contains(&key) {
                *text = " \n".to_owned();
            }
        }),
        8 => each_string(&mut items[at], &mut |key, text| {
            if ["id", "call_id", "tool_call_id", "tool_use_id", "toolCallId"].contains(&key) {
                *text = format!("{text}:{}", "x".repeat(second % 80));
            }
        }),
        9 => each_string(&mut items[at], &mut |key, text| {
            if key == "name" || key == "toolName" {
                *text = ["", "browser.open", &"long".repeat(30), "漢"][second % 4].to_owned();
            }
        }),
        10 => each_string(&mut items[at], &mut |key, text| {
            if key == "arguments" {
                *text = ["", "{\"a\": \"unfinished", "[1]", "null"][second % 4].to_owned();
            }
        }),
        11 => sign_calls(items, second),
        _ => {
            if let Some(object) = items[at].as_object_mut() {
                let keys: Vec<String> = object.keys().cloned().collect();
                let key = &keys[second % keys.len()];
                // Without role or type an item is of no dialect at all.
                // Without its id a UI message is none.
                let is_needed = ["role", "type", "parts", "content"].contains(&key.as_str());
                let is_ui_id = key == "id" && object.contains_key("parts");
                if !is_needed && !is_ui_id {
                    object.shift_remove(key);
                }
            }
        }
    }
}

/// Signs the first call of some contents, as a history has it whose other signatures were lost.
fn sign_calls(items: &mut [Value], choice: usize) {
    for (index, item) in items.iter_mut().enumerate() {
        let parts = item.get_mut("parts").and_then(Value::as_array_mut);
        let call = parts.and_then(|parts| parts.iter_mut().find(|part| part.get("functionCall").is_some()));
        if let Some(call) = call
            && choice >> (index % 32) & 1 == 1
        {
            call["thoughtSignature"] = "c2lnbmVk".into();
        }
    }
}

/// Drops or repeats an element of the item's list.
fn spoil_list(item: &mut Value, choice: usize) {
    for key in ["content", "parts", "tool_calls"] {
        if let Some(list) = item.get_mut(key).and_then(Value::as_array_mut)
            && !list.is_empty()
        {
            let at = choice / 2 % list.len();
            if choice.is_multiple_of(2) {
                list.remove(at);
            } else {
                let element = list[at].clone();
                list.insert(at, element);
            }
        }
    }
}

fn each_string(value: &mut Value, change: &mut impl FnMut(&str, &mut String)) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|element| each_string(element, change)),
        Value::Object(object) => {
            for (key, element) in object.iter_mut() {
                match element {
                    Value::String(text) => change(key, text),
                    _ => each_string(element, change),
                }
            }
        }
        _ => {}
    }
}

fn judge(items: &[Value], options: &ProjectOptions) -> Vec<Violation> {
    let sketches: Vec<Sketch<'_>> = items.iter().map(Sketch::of).collect();
    validate(&sketches, options)
}

fn errors(items: &[Value], options: &ProjectOptions) -> Vec<Violation> {
    let found = judge(items, options).into_iter();
    let is_error = |violation: &Violation| match violation.severity {
        Severity::Error => true,
        Severity::Pending => options.pending == Pending::Close,
        Severity::Warning => false,
    };
    found.filter(is_error).collect()
}

fn send(items: &[Value], budget: &ContextBudget, options: &ProjectOptions) -> Result<Projection, String> {
    project(items, budget, options, None).map_err(|error| error.to_string())
}

/// Warnings that mending leaves, since it would have to say or unsay something for the host (ARCHITECTURE, "Mending").
const LEFT: [&str; 7] = [
    // It ends in the model's words: what the user says next is the host's.
    "G-LAST",
    "W-A-PREFILL",
    "A-TRAIL",
    // A step of the running turn never had thinking: the host sends the request with thinking off.
    "A-THINK-LOOP",
    // Only some providers behind the AI SDK refuse the name, and the host's tools may have it.
    "E-TOOLNAME",
    // The model spoke between its calls and their results.
    "R-ADJ",
    // A leading system message is always kept, be it empty.
    "V-EMPTY",
];

fn holds(kind: Kind, items: &[Value], budget: &ContextBudget, options: &ProjectOptions) -> Result<(), String> {
    let before = items.to_vec();
    let projection = send(items, budget, options)?;
    let case = Case {
        kind,
        items,
        budget,
        options,
        is_plain: false,
    };
    check_mended(&case, &projection)?;
    let fresh = send(&projection.items, &ContextBudget::default(), options)?;
    if projection.report.projected_approx_chars != fresh.report.source_approx_chars {
        return Err(format!(
            "the size of the projection is not that of its items: {} and {}\nsent: {}",
            projection.report.projected_approx_chars,
            fresh.report.source_approx_chars,
            Value::Array(projection.items.clone())
        ));
    }
    if options.pending == Pending::Close {
        let rest = judge(&projection.items, options);
        if let Some(rest) = rest.iter().find(|found| !LEFT.contains(&found.rule)) {
            return Err(format!(
                "left with pending: close: {rest:?}\nsent: {}",
                Value::Array(projection.items.clone())
            ));
        }
    }
    let found = errors(&projection.items, options);
    if let Some(violation) = found.first() {
        return Err(format!(
            "{violation:?}\nsent: {}",
            Value::Array(projection.items.clone())
        ));
    }
    // What is pinned is counted in items of the source: replies that mending puts in make it another prefix next time.
    if budget.low_water >= 1.0 && options.summary.is_none() && budget.pinned_prefix_items == 0 && !thinks(items) {
        let again = send(&projection.items, budget, options)?;
        if again.items != projection.items {
            return Err(format!(
                "projecting the projection changes it\nonce: {}\ntwice: {}\n{:?}",
                Value::Array(projection.items.clone()),
                Value::Array(again.items.clone()),
                again.report.notes
            ));
        }
    }
    if judge(items, options).is_empty() {
        let all = send(items, &ContextBudget::default(), options)?;
        let extra = usize::from(options.summary.as_deref().is_some_and(|text| !text.is_empty()));
        // Legal for the AI SDK, and mended all the same, since providers behind it differ: a result behind a later text
        // of the model, a call that nothing of a user's stands in front of, one id twice in a step.
        let moved = |note: &String| {
            note.contains("results moved behind their calls")
                || note.contains("a user message put in front")
                || note.contains("call ids rewritten")
        };
        if extra == 0 && all.items != items && !all.report.notes.iter().all(moved) {
            return Err(format!("nothing was wrong, and yet: {:?}", all.report.notes));
        }
    }
    if items != before {
        return Err("the history was changed".to_owned());
    }
    Ok(())
}

/// Whether there is thinking that binds steps together: a projection may drop the only one, and then cuts elsewhere.
fn thinks(items: &[Value]) -> bool {
    items.iter().any(|item| item.to_string().contains("\"thinking\""))
}

fn generated(kind: Kind) {
    let options = (
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        proptest::option::weighted(0.2, "[a-z]{1,20}"),
    );
    let strategy = (generate::script(), faults(), generate::budget(), options);
    let cases = generate::cases_or(20_000);
    println!("# broken histories in {kind:?}: {cases}");
    let result = generate::runner(cases).run(&strategy, |(script, faults, budget, options)| {
        let (names_dialect, closes, is_stateless, summary) = options;
        let options = ProjectOptions {
            dialect: names_dialect.then(|| kind.dialect()),
            pending: if closes { Pending::Close } else { Pending::Keep },
            is_stateless,
            summary,
            ..ProjectOptions::default()
        };
        let mut items = render(&script, kind);
        for fault in faults {
            break_history(&mut items, fault);
        }
        holds(kind, &items, &budget, &options).map_err(|problem| {
            let history = Value::Array(items.clone());
            TestCaseError::fail(format!("{problem}\nhistory: {history}\n{budget:?}\n{options:?}"))
        })
    });
    if let Err(failure) = result {
        let text = failure.to_string();
        panic!("{kind:?}: {}", text.chars().take(5_000).collect::<String>());
    }
}

#[test]
fn broken_responses() {
    generated(Kind::Responses);
}

#[test]
fn broken_chat() {
    generated(Kind::Chat);
}

/// Templates that take one system message and alternating roles: nothing to warn of between the items that were joined.
#[test]
fn strict_roles_alternate() {
    let strategy = (generate::script(), faults(), generate::budget(), any::<bool>());
    let result = generate::runner(generate::cases()).run(&strategy, |(script, faults, budget, has_summary)| {
        let options = ProjectOptions {
            strict_roles: true,
            pending: Pending::Close,
            summary: has_summary.then(|| "so far".to_owned()),
            ..ProjectOptions::default()
        };
        let mut items = render(&script, Kind::Chat);
        for fault in faults.into_iter().filter(|fault| fault.0 != 2 && fault.0 != 1) {
            break_history(&mut items, fault);
        }
        let fail =
            |problem: String| TestCaseError::fail(format!("{problem}\nhistory: {}", Value::Array(items.clone())));
        let projection = send(&items, &budget, &options).map_err(fail)?;
        let case = Case {
            kind: Kind::Chat,
            items: &items,
            budget: &budget,
            options: &options,
            is_plain: false,
        };
        check_mended(&case, &projection).map_err(fail)?;
        let plain = |item: &Value| item.get("tool_calls").is_none() && item["role"] != "tool";
        for pair in projection.items.windows(2) {
            if pair[0]["role"] == pair[1]["role"] && plain(&pair[0]) && plain(&pair[1]) && pair[0]["role"] != "system" {
                return Err(fail(format!("two of one role: {pair:?}")));
            }
        }
        let systems = projection
            .items
            .iter()
            .take_while(|item| item["role"] == "system")
            .count();
        prop_assert!(systems < 2, "{systems} leading system messages");
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{}", failure.to_string().chars().take(4_000).collect::<String>());
    }
}

#[test]
fn broken_anthropic() {
    generated(Kind::Anthropic);
}

#[test]
fn broken_gemini() {
    generated(Kind::Gemini);
}

/// A signature that was lost between others of the running turn gets the value that stands for one; earlier turns, and
/// turns without any, are left as they are.
#[test]
fn lost_gemini_signatures() {
    let user = |text: &str| json!({ "role": "user", "parts": [{ "text": text }] });
    let call = |name: &str, signature: Option<&str>| {
        let mut part = json!({ "functionCall": { "name": name, "args": {} } });
        if let Some(signature) = signature {
            part["thoughtSignature"] = signature.into();
        }
        json!({ "role": "model", "parts": [part, { "functionCall": { "name": "beside", "args": {} } }] })
    };
    let results = |name: &str| {
        json!({ "role": "user", "parts": [
            { "functionResponse": { "name": name, "response": { "output": "ok" } } },
            { "functionResponse": { "name": "beside", "response": { "output": "ok" } } },
        ] })
    };
    let steps = [call("a", Some("c2ln")), results("a"), call("b", None), results("b")];
    let mut items = vec![user("one")];
    items.extend(steps.clone());
    let earlier = items.len();
    items.push(user("two"));
    items.extend(steps);
    let options = ProjectOptions::default();
    assert_eq!(
        errors(&items, &options).len(),
        1,
        "the provider refuses it as it stands"
    );
    let sent = send(&items, &ContextBudget::default(), &options).unwrap();
    assert_eq!(errors(&sent.items, &options), []);
    assert_eq!(sent.items[..=earlier], items[..=earlier]);
    assert_eq!(
        sent.items[earlier + 3]["parts"][0]["thoughtSignature"],
        "skip_thought_signature_validator"
    );
    assert!(sent.items[earlier + 3]["parts"][1].get("thoughtSignature").is_none());
    assert!(
        sent.report.notes.iter().any(|note| note.contains("E-G-SIG")),
        "{:?}",
        sent.report.notes
    );
}

/// A cut may leave a call in front that stood behind a system message: it is given its user message as well.
#[test]
fn a_call_behind_a_system_message_is_opened() {
    let part = |text: &str| json!({ "type": "text", "text": text });
    let items = [
        json!({ "id": "a", "role": "assistant", "parts": [part("Good day.")] }),
        json!({ "id": "b", "role": "system", "parts": [part("Be brief.")] }),
        json!({ "id": "c", "role": "assistant", "parts": [
            { "type": "tool-read", "toolCallId": "1", "state": "output-available", "input": {}, "output": "ok" },
        ] }),
    ];
    for limit in [1, 2, 3] {
        let once = send(&items, &limited(limit), &ProjectOptions::default()).unwrap();
        assert_eq!(once.items[0]["role"], "user", "{limit}: {:?}", once.items);
        let twice = send(&once.items, &limited(limit), &ProjectOptions::default()).unwrap();
        assert_eq!(twice.items, once.items, "{limit}");
    }
}

/// Plain messages do not say that they are Anthropic's. Where a later item does, a tail that was cut before gets its
/// opener back.
#[test]
fn a_dialect_that_is_known_late_opens_all_the_same() {
    let say = |role: &str, text: &str| json!({ "role": role, "content": text });
    let mut items: Vec<Value> = ["user", "user", "assistant", "user", "assistant", "user"]
        .iter()
        .map(|role| say(role, "words"))
        .collect();
    let budget = ContextBudget {
        low_water: 0.4,
        ..limited(5)
    };
    let before = send(&items, &budget, &ProjectOptions::default()).unwrap();
    assert_eq!(before.items, items[4..], "as long as nothing tells the provider");
    items.push(
        json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "1", "name": "read", "input": {} }] }),
    );
    items.push(json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "1", "content": "ok" }] }));
    let sent = send(&items, &budget, &ProjectOptions::default()).unwrap();
    assert_eq!(sent.items, items[3..]);
    assert!(sent.report.rebased && sent.report.stable_prefix_items == 0);
}

fn limited(items: u64) -> ContextBudget {
    ContextBudget {
        max_items: Some(items),
        ..ContextBudget::default()
    }
}

#[test]
fn broken_ai_sdk() {
    generated(Kind::AiSdk);
}

#[test]
fn broken_ai_sdk_ui() {
    generated(Kind::AiSdkUi);
}

/// Every corpus file, every length of it as a limit, tiers on and off: no error that its store setting does not excuse.
#[test]
fn the_corpus_at_every_cut() {
    let Some(files) = corpus::load("the_corpus_at_every_cut") else {
        return;
    };
    let mut checked = 0;
    for file in &files {
        let options = ProjectOptions {
            is_stateless: file.name.contains("_zdr"),
            ..ProjectOptions::default()
        };
        let count = file.items.len();
        for limit in 1..=count {
            for tiers in [false, true] {
                let budget = ContextBudget {
                    max_items: Some(limit as u64),
                    max_recent_tool_results: tiers.then_some(2),
                    clear_tool_inputs: tiers,
                    max_recent_images: tiers.then_some(1),
                    max_tool_result_chars: tiers.then_some(300),
                    trim_old_reasoning: tiers,
                    ..ContextBudget::default()
                };
                let projection = send(&file.items, &budget, &options).expect("a good history");
                let found = errors(&projection.items, &options);
                assert!(
                    found.is_empty(),
                    "{} at {limit}, tiers {tiers}: {:?}",
                    file.name,
                    found[0]
                );
                checked += 1;
            }
        }
    }
    println!("# corpus projections checked: {checked}");
}
