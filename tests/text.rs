//! `project_json`: text in, text out. What is untouched comes back to the letter; what is wrong is refused with a code
//! and a path, and the next call works.
#![cfg(not(target_arch = "wasm32"))]
// Helpers of a test fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::boundary::{Kind, Xorshift, nested_text, render};
use common::corpus;
use context_projector::context::{Calibration, Pending, Projector, SummaryRole};
use context_projector::item::dialect::Dialect;
use context_projector::{ContextBudget, ProjectOptions, project, project_json};
use serde_json::value::RawValue;
use serde_json::{Value, json};

#[derive(serde::Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    items: Vec<&'a RawValue>,
    report: Value,
}

fn answer(text: &str) -> Answer<'_> {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

fn refusal(items: &str, budget: &str, options: &str) -> (String, String) {
    let error = project_json(items, budget, options)
        .map(|answer| panic!("accepted: {}", &answer[..answer.len().min(200)]))
        .unwrap_err();
    assert!(error.message().len() > 5, "{error}");
    // Nothing is left behind: the next call works.
    assert!(project_json("[{\"role\":\"user\",\"content\":\"x\"}]", "", "").is_ok());
    (error.code().as_str().to_owned(), error.path().to_owned())
}

#[test]
fn untouched_items_come_back_to_the_letter() {
    // White space, escapes, key order, numbers that no double holds, a key twice: nothing is read and written anew.
    let items = [
        r#"{ "role" : "system","content":"\u0061\/b" }"#,
        r#"{"content":[ ],"role":"user","n":[1.0,1e2,-0,123456789012345678901234567890, 0.10]}"#,
        "{\"role\":\"assistant\",\n\t\"content\":\"\\ud83d\\ude00\",\"a\":1,\"a\":2}",
        r#"{"role":"user","content":"last","__proto__":{"x":1},"10":1,"2":2}"#,
    ];
    let text = format!("[\n{}\n]", items.join(" ,\n "));
    let whole = project_json(&text, "{}", "{}").unwrap();
    let whole = answer(&whole);
    assert_eq!(whole.items.iter().map(|item| item.get()).collect::<Vec<_>>(), items);
    let cut = project_json(&text, r#"{"maxItems":2}"#, "").unwrap();
    let cut = answer(&cut);
    assert_eq!(
        cut.items.iter().map(|item| item.get()).collect::<Vec<_>>(),
        [items[0], items[3]]
    );
    assert_eq!(cut.report["droppedItemCount"], 2);
}

#[test]
fn only_what_is_edited_is_written_anew() {
    let long = "x".repeat(200);
    let call = r#"{"role":"assistant", "content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{ }"}}]}"#;
    let result = format!(r#"{{ "role":"tool","n":1.0,"tool_call_id":"c1", "content":"{long}" }}"#);
    let said = r#"{"role":"assistant",  "content":"done"}"#;
    let text = format!(r#"[{{"role":"user", "content":"go"}},{call},{result},{said}]"#);
    let out = project_json(&text, r#"{"maxRecentToolResults":0}"#, "").unwrap();
    let out = answer(&out);
    assert_eq!(out.items[1].get(), call);
    assert_eq!(out.items[3].get(), said);
    assert_eq!(
        out.items[2].get(),
        r#"{"role":"tool","n":1,"tool_call_id":"c1","content":"[tool result cleared: read(c1)]"}"#
    );
}

/// Numbers as the doubles that they are: an edited item is written anew, and 42.0 becomes 42.
fn doubles(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(list) => list.iter().map(doubles).collect(),
        Value::Object(object) => object
            .iter()
            .map(|(key, value)| (key.clone(), doubles(value)))
            .collect(),
        other => other.clone(),
    }
}

#[test]
fn text_and_values_agree() {
    let mut random = Xorshift(77);
    for round in 0..150_usize {
        let kind = Kind::ALL[round % Kind::ALL.len()];
        let items = render(&random.script(), kind);
        let budget =
            json!({ "maxItems": 1 + random.below(20), "maxRecentToolResults": random.below(5), "lowWater": 0.6 });
        let read = ContextBudget {
            max_items: budget["maxItems"].as_u64(),
            max_recent_tool_results: budget["maxRecentToolResults"].as_u64(),
            low_water: 0.6,
            ..ContextBudget::default()
        };
        let by_value = project(&items, &read, &ProjectOptions::default(), None).unwrap();
        let text = project_json(&Value::Array(items).to_string(), &budget.to_string(), "").unwrap();
        let parsed = answer(&text);
        let values: Vec<Value> = parsed
            .items
            .iter()
            .map(|item| doubles(&serde_json::from_str(item.get()).unwrap()))
            .collect();
        assert_eq!(
            values,
            by_value.items.iter().map(doubles).collect::<Vec<_>>(),
            "{kind:?}"
        );
        assert_eq!(
            parsed.report,
            serde_json::from_str::<Value>(&by_value.report.to_json()).unwrap()
        );
    }
}

#[test]
fn corpus_files_come_back_to_the_letter() {
    let Some(files) = corpus::load("corpus_files_come_back_to_the_letter") else {
        return;
    };
    let mut mended = 0;
    for file in &files {
        let text = serde_json::to_string_pretty(&file.items).unwrap();
        let source: Vec<&RawValue> = serde_json::from_str(&text).unwrap();
        // Its reasoning is followed by messages without ids, which is right where nothing is stored.
        let options = if file.name.contains("_zdr") {
            "{\"store\":false}"
        } else {
            ""
        };
        let out = project_json(&text, "", options).unwrap();
        let parsed = answer(&out);
        // What is mended (items that the provider's own compaction holds, an empty list of calls) comes back changed.
        if parsed.report["notes"].to_string().contains("mended ") {
            mended += 1;
            continue;
        }
        assert_eq!(parsed.items.len(), source.len(), "{}", file.name);
        assert!(
            parsed.items.iter().zip(&source).all(|(a, b)| a.get() == b.get()),
            "{}",
            file.name
        );
    }
    assert!(mended < 5, "{mended} files were mended");
}

/// The report's keys, in the order of the public contract.
#[test]
fn the_report_has_the_fields_of_the_contract() {
    let out = project_json("[]", "", "").unwrap();
    let parsed = answer(&out);
    let keys: Vec<&str> = parsed.report.as_object().unwrap().keys().map(String::as_str).collect();
    let contract = [
        "sourceItemCount",
        "projectedItemCount",
        "droppedItemCount",
        "insertedItemCount",
        "joinedItemCount",
        "sourceApproxChars",
        "projectedApproxChars",
        "sourceTokens",
        "projectedTokens",
        "itemLimitApplied",
        "characterLimitApplied",
        "tokenLimitApplied",
        "overBudget",
        "stablePrefixItems",
        "rebased",
        "pendingCallIds",
        "notes",
        "ledger",
    ];
    assert_eq!(keys, contract);
    assert_eq!(parsed.report["sourceTokens"], Value::Null);
}

#[test]
fn broken_items_are_refused() {
    let item = |path: &str| ("invalid_item".to_owned(), path.to_owned());
    for text in [
        "",
        " ",
        "{}",
        "null",
        "1",
        "\"[]\"",
        "[",
        "[{]",
        "[{}",
        "[{\"a\":}]",
        "[{}] x",
        "[{},]",
        "\u{feff}[]",
    ] {
        assert_eq!(refusal(text, "", ""), item("items"), "{text:?}");
    }
    for (text, index) in [
        ("[1]", 0),
        ("[{},null]", 1),
        ("[{},{},[]]", 2),
        ("[\"{}\"]", 0),
        ("[{\"role\":\"user\"},true]", 1),
    ] {
        assert_eq!(refusal(text, "", ""), item(&format!("items[{index}]")), "{text}");
    }
    // Half a surrogate pair is no Unicode text: mended on reading (SEMANTICS, section 6).
    let mended = project_json(r#"[{"content":"a\ud800"}]"#, "", "").unwrap();
    assert_eq!(answer(&mended).items[0].get(), "{\"content\":\"a\u{fffd}\"}");
    // The scan of the text comes before anything else; then each item has its own limit.
    assert_eq!(refusal(&nested_text(600), "", ""), item("items"));
    assert_eq!(refusal(&nested_text(501), "", ""), item("items[0]"));
    assert!(project_json(&nested_text(500), "", "").is_ok());
    // Brackets in a string nest nothing.
    assert!(project_json(&format!("[{{\"content\":\"{}\"}}]", "[{".repeat(10_000)), "", "").is_ok());
    // A good history in front of a bad item is refused whole.
    let deep = nested_text(501);
    assert_eq!(
        refusal(&format!("[{{}},{}", deep.strip_prefix('[').unwrap()), "", ""),
        item("items[1]")
    );
}

#[test]
fn wrong_budget_fields_are_refused() {
    let whole = [
        "maxItems",
        "maxApproxChars",
        "maxTokens",
        "maxToolResultChars",
        "maxToolInputChars",
    ];
    let from_zero = [
        "overheadTokens",
        "pinnedPrefixItems",
        "maxRecentToolResults",
        "maxRecentImages",
    ];
    let wrong = ["-1", "1.5", "\"3\"", "{}", "[1]", "true", "1e300", "-0.5"];
    let refused = |field: &str, value: &str| {
        let found = refusal("[]", &format!("{{\"{field}\":{value}}}"), "");
        assert_eq!(
            found,
            ("invalid_budget".to_owned(), format!("budget.{field}")),
            "{field}: {value}"
        );
    };
    let accepted = |field: &str, value: &str| {
        let budget = format!("{{\"{field}\":{value}}}");
        assert!(project_json("[]", &budget, "").is_ok(), "{budget}");
    };
    for field in whole {
        refused(field, "0");
        accepted(field, "1");
    }
    for field in from_zero {
        accepted(field, "0");
    }
    for field in whole.into_iter().chain(from_zero) {
        for value in wrong {
            refused(field, value);
        }
        accepted(field, "7");
        accepted(field, "7.0");
        accepted(field, "null");
    }
    for value in ["0", "-0.1", "1.0001", "\"0.6\"", "{}", "true", "[]"] {
        refused("lowWater", value);
    }
    for value in ["1", "0.6", "1e-9", "null"] {
        accepted("lowWater", value);
    }
    for field in ["clearToolInputs", "trimOldReasoning"] {
        for value in ["0", "1", "\"true\"", "{}", "[]"] {
            refused(field, value);
        }
        accepted(field, "true");
    }
    for value in ["1", "\"read\"", "{}", "[1]", "[null]", "[\"read\",{}]", "true"] {
        refused("keepTools", value);
    }
    accepted("keepTools", "[\"read\",\"\"]");
    for field in ["maxitems", "max_items", "max", ""] {
        refused(field, "3");
    }
    for text in ["[]", "1", "\"{}\"", "true"] {
        assert_eq!(
            refusal("[]", text, ""),
            ("invalid_budget".to_owned(), "budget".to_owned()),
            "{text}"
        );
    }
    for text in ["{", "{\"maxItems\":NaN}", "{} {}", "maxItems: 3"] {
        assert_eq!(
            refusal("[]", text, ""),
            ("invalid_budget".to_owned(), "budget".to_owned()),
            "{text}"
        );
    }
    assert!(project_json("[]", "null", "null").is_ok());
}

#[test]
fn wrong_options_are_refused() {
    for (field, value) in [
        ("projector", "\"aware\""),
        ("projector", "1"),
        ("dialect", "\"openai\""),
        ("dialect", "[]"),
        ("summary", "3"),
        ("summaryRole", "\"assistant\""),
        ("pending", "true"),
        ("countTokens", "\"gpt\""),
        ("imageTokens", "-1"),
        ("imageTokens", "0.5"),
        ("calibration", "3"),
        ("store", "\"false\""),
        ("chained", "0"),
        ("reasoningContentRequired", "\"\""),
        ("strictRoles", "{}"),
    ] {
        let found = refusal("[]", "", &format!("{{\"{field}\":{value}}}"));
        assert_eq!(
            found,
            ("invalid_option".to_owned(), format!("options.{field}")),
            "{field}: {value}"
        );
    }
    for (calibration, field) in [
        ("{\"ratio\":1}", "overheadTokens"),
        ("{\"overheadTokens\":1}", "ratio"),
        ("{\"overheadTokens\":-1,\"ratio\":1}", "overheadTokens"),
        ("{\"overheadTokens\":1,\"ratio\":0}", "ratio"),
    ] {
        let found = refusal("[]", "", &format!("{{\"calibration\":{calibration}}}"));
        assert_eq!(
            found,
            ("invalid_option".to_owned(), format!("options.calibration.{field}")),
            "{calibration}"
        );
    }
    assert_eq!(
        refusal("[]", "", "[]"),
        ("invalid_option".to_owned(), "options".to_owned())
    );
    assert_eq!(
        refusal("[]", "", "{"),
        ("invalid_option".to_owned(), "options".to_owned())
    );
}

#[test]
fn options_in_text_are_those_of_the_struct() {
    let items = render(&Xorshift(5).script(), Kind::AiSdk);
    let text = Value::Array(items.clone()).to_string();
    let options = r#"{"projector":"default","dialect":"ai-sdk","summary":"so far","summaryRole":"system","pending":"keep",
        "imageTokens":10,"calibration":{"overheadTokens":100,"ratio":1.5},"store":false,"chained":false,
        "reasoningContentRequired":false,"strictRoles":false}"#;
    let out = project_json(&text, r#"{"maxTokens":900}"#, options).unwrap();
    let parsed = answer(&out);
    let options = ProjectOptions {
        projector: Projector::Default,
        dialect: Some(Dialect::AiSdk),
        summary: Some("so far".to_owned()),
        summary_role: SummaryRole::System,
        pending: Pending::Keep,
        image_tokens: Some(10),
        calibration: Some(Calibration {
            overhead_tokens: 100,
            ratio: 1.5,
        }),
        is_stateless: true,
        ..ProjectOptions::default()
    };
    let budget = ContextBudget {
        max_tokens: Some(900),
        ..ContextBudget::default()
    };
    let by_value = project(&items, &budget, &options, None).unwrap();
    let values: Vec<Value> = parsed
        .items
        .iter()
        .map(|item| serde_json::from_str(item.get()).unwrap())
        .collect();
    assert_eq!(values, by_value.items);
    assert_eq!(
        parsed.report,
        serde_json::from_str::<Value>(&by_value.report.to_json()).unwrap()
    );
    assert!(
        values
            .iter()
            .any(|item| item["role"] == "system"
                && item["content"].as_str().is_some_and(|text| text.ends_with("so far")))
    );
}
