//! What a projection must be, over written-out cases, generated histories, and the corpus (P2, P3, P5, P9).
#![cfg(not(target_arch = "wasm32"))]
// Helpers of a test fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::boundary::{self, CallPlan, Event, Kind, Script, Step, render};
use common::check::{Case, check, check_mended, is_beyond};
use common::{corpus, generate};
use context_projector::context::{Fate, Projector, SummaryRole};
use context_projector::{
    ContextBudget, DefaultContextProjector, ProjectOptions, Projection, TypeAwareContextProjector, project,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn project_plainly(items: &[Value], budget: &ContextBudget) -> Projection {
    project(items, budget, &ProjectOptions::default(), None).expect("a good history")
}

fn fates(projection: &Projection) -> Vec<(Fate, usize, usize)> {
    projection
        .report
        .ledger
        .iter()
        .map(|run| (run.fate, run.from, run.to))
        .collect()
}

#[test]
fn fifty_five_messages_under_twenty() {
    let items: Vec<Value> = (0..55)
        .map(
            |index| json!({ "role": if index % 2 == 0 { "user" } else { "assistant" }, "content": format!("{index}") }),
        )
        .collect();
    let budget = ContextBudget {
        max_items: Some(20),
        pinned_prefix_items: 1,
        ..ContextBudget::default()
    };
    let projection = project_plainly(&items, &budget);
    let mut expected = vec![items[0].clone()];
    expected.extend_from_slice(&items[36..]);
    assert_eq!(projection.items, expected);
    let report = &projection.report;
    assert_eq!(
        (report.dropped_item_count, report.item_limit_applied, report.over_budget),
        (35, true, false)
    );
    assert!(
        report.notes.contains(&"maxItems applied: 20".to_owned()),
        "{:?}",
        report.notes
    );
    assert_eq!(
        fates(&projection),
        [(Fate::Pinned, 0, 1), (Fate::Dropped, 1, 36), (Fate::Kept, 36, 55)]
    );
}

/// Eight exchanges of a tool `read`, each followed by an assistant text.
fn exchanges() -> Script {
    let exchange = |index: usize| {
        let call = CallPlan {
            name: "read",
            argument: "src/lib.rs".to_owned(),
            number: 1.0,
            result: format!("contents of the file, number {index}. ").repeat(10),
        };
        let step = Step {
            id: index,
            reasoning: None,
            text: None,
            calls: vec![call],
        };
        [
            Event::User(format!("read file {index}")),
            Event::Step(step),
            Event::Say(format!("this is file {index}")),
        ]
    };
    Script {
        system: Vec::new(),
        events: (1..=8).flat_map(exchange).collect(),
        with_ids: true,
        split_results: false,
        with_parts: true,
        is_open: false,
    }
}

fn three_oldest_are_cleared(kind: Kind) {
    let items = render(&exchanges(), kind);
    let budget = ContextBudget {
        max_recent_tool_results: Some(5),
        ..ContextBudget::default()
    };
    let projection = project_plainly(&items, &budget);
    // Only the payloads of the first three results differ.
    let mut expected = items.clone();
    let mut cleared = 0;
    for item in &mut expected {
        let (path, wrap): (&str, fn(String) -> Value) = match kind {
            Kind::Responses | Kind::Mixed if item["type"] == "function_call_output" => ("/output", |text| json!(text)),
            Kind::Chat if item["role"] == "tool" => ("/content", |text| json!(text)),
            Kind::Anthropic if item.pointer("/content/0/type") == Some(&json!("tool_result")) => {
                ("/content/0/content", |text| json!(text))
            }
            Kind::Gemini if item.pointer("/parts/0/functionResponse").is_some() => {
                ("/parts/0/functionResponse/response", |text| json!({ "output": text }))
            }
            Kind::AiSdk if item["role"] == "tool" => {
                ("/content/0/output", |text| json!({ "type": "text", "value": text }))
            }
            Kind::AiSdkUi if item.pointer("/parts/0/type") == Some(&json!("tool-read")) => {
                ("/parts/0/output", |text| json!(text))
            }
            _ => continue,
        };
        cleared += 1;
        if cleared <= 3 {
            let payload = item.pointer_mut(path).expect("a payload");
            // Ids of Responses count events, of which an exchange has three.
            let id = if kind == Kind::Responses {
                3 * cleared - 2
            } else {
                cleared
            };
            *payload = wrap(format!("[tool result cleared: read(call-{id}-0)]"));
        }
    }
    assert_eq!(cleared, 8, "the test finds all results");
    assert_eq!(projection.items, expected);
    let note = "tier1 microcompact: cleared 3 old tool result(s), kept recent 5";
    assert_eq!(projection.report.notes, [note]);
    assert_eq!(projection.report.dropped_item_count, 0);
}

#[test]
fn the_oldest_results_are_cleared_in_every_dialect() {
    for kind in Kind::ALL {
        three_oldest_are_cleared(kind);
    }
}

/// All that must hold of one history under one budget.
fn holds(kind: Kind, items: &[Value], budget: &ContextBudget, options: &ProjectOptions) -> Result<(), String> {
    let untouched = items.to_vec();
    let plain = generate::plain(budget);
    let default = ProjectOptions {
        projector: Projector::Default,
        ..options.clone()
    };

    let case = Case {
        kind,
        items,
        budget,
        options,
        is_plain: plain == *budget,
    };
    let aware = case.project();
    if is_beyond(&case, &aware) {
        check_mended(&case, &aware)?;
    } else {
        check(&case, &aware)?;
    }
    let again = case.project();
    if (&aware.items, &aware.report) != (&again.items, &again.report) {
        return Err("projecting twice gives two answers".to_owned());
    }

    let case = Case {
        kind,
        items,
        budget: &plain,
        options,
        is_plain: true,
    };
    let limited = case.project();
    if !is_beyond(&case, &limited) {
        check(&case, &limited).map_err(|problem| format!("limits only: {problem}"))?;
    }
    for (budget, name) in [(&plain, "without tier fields"), (budget, "with tier fields")] {
        let by_default = Case {
            kind,
            items,
            budget,
            options: &default,
            is_plain: true,
        }
        .project();
        if (&by_default.items, &by_default.report) != (&limited.items, &limited.report) {
            return Err(format!(
                "the default projector {name} differs from the type-aware one without any"
            ));
        }
    }
    if items != untouched {
        return Err("the history was changed".to_owned());
    }
    Ok(())
}

fn generated(kind: Kind) {
    let options = (
        any::<bool>(),
        proptest::option::weighted(0.25, "[a-z漢😀]{0,40}"),
        any::<bool>(),
        any::<bool>(),
    );
    let strategy = (generate::script(), generate::budget(), options, 0.0..1.0_f64);
    let result = generate::runner(generate::cases()).run(&strategy, |(script, budget, options, share)| {
        let (names_dialect, summary, as_system, counts_tokens) = options;
        let options = ProjectOptions {
            dialect: names_dialect.then(|| kind.dialect()),
            summary,
            summary_role: if as_system {
                SummaryRole::System
            } else {
                SummaryRole::User
            },
            counts_tokens,
            ..ProjectOptions::default()
        };
        let items = render(&script, kind);
        let shorter = (items.len() as f64 * share) as usize;
        for length in [items.len(), shorter] {
            holds(kind, &items[..length], &budget, &options).map_err(|problem| {
                TestCaseError::fail(format!(
                    "{problem}\n{} items: {}\n{budget:?}\ndialect {:?}, summary {:?}",
                    length,
                    Value::Array(items[..length].to_vec()),
                    options.dialect,
                    options.summary
                ))
            })?;
        }
        Ok(())
    });
    if let Err(failure) = result {
        let text = failure.to_string();
        panic!("{kind:?}: {}", text.chars().take(6_000).collect::<String>());
    }
}

#[test]
fn generated_responses() {
    generated(Kind::Responses);
}

#[test]
fn generated_chat() {
    generated(Kind::Chat);
}

#[test]
fn generated_mixed() {
    generated(Kind::Mixed);
}

#[test]
fn generated_anthropic() {
    generated(Kind::Anthropic);
}

#[test]
fn generated_gemini() {
    generated(Kind::Gemini);
}

#[test]
fn generated_ai_sdk() {
    generated(Kind::AiSdk);
}

#[test]
fn generated_ai_sdk_ui() {
    generated(Kind::AiSdkUi);
}

/// Budgets for real histories of any size.
fn grid() -> Vec<ContextBudget> {
    let none = ContextBudget::default;
    vec![
        none(),
        ContextBudget {
            max_items: Some(1),
            ..none()
        },
        ContextBudget {
            max_items: Some(12),
            pinned_prefix_items: 3,
            low_water: 0.6,
            ..none()
        },
        ContextBudget {
            max_items: Some(40),
            max_recent_tool_results: Some(5),
            low_water: 0.6,
            ..none()
        },
        ContextBudget {
            max_approx_chars: Some(20_000),
            low_water: 0.8,
            ..none()
        },
        ContextBudget {
            max_approx_chars: Some(20_000),
            max_items: Some(30),
            trim_old_reasoning: true,
            ..none()
        },
        ContextBudget {
            max_recent_tool_results: Some(0),
            trim_old_reasoning: true,
            clear_tool_inputs: true,
            ..none()
        },
        ContextBudget {
            max_tool_result_chars: Some(300),
            max_tool_input_chars: Some(200),
            ..none()
        },
    ]
}

#[test]
fn the_corpus_under_a_grid_of_budgets() {
    let Some(files) = corpus::load("the_corpus_under_a_grid_of_budgets") else {
        return;
    };
    let mut problems = Vec::new();
    for file in &files {
        let count = file.items.len();
        let options = ProjectOptions {
            dialect: Some(file.kind.dialect()),
            ..ProjectOptions::default()
        };
        for budget in grid() {
            for length in [count, count * 2 / 3, count / 3] {
                if let Err(problem) = holds(file.kind, &file.items[..length], &budget, &options) {
                    let problem: String = problem.chars().take(400).collect();
                    problems.push(format!("{} to {length} under {budget:?}: {problem}", file.name));
                }
            }
        }
    }
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

#[test]
fn the_dialect_is_found_in_every_corpus_file() {
    let Some(files) = corpus::load("the_dialect_is_found_in_every_corpus_file") else {
        return;
    };
    let budget = ContextBudget {
        max_items: Some(9),
        max_recent_tool_results: Some(2),
        ..ContextBudget::default()
    };
    for file in &files {
        let named = ProjectOptions {
            dialect: Some(file.kind.dialect()),
            ..ProjectOptions::default()
        };
        let with = project(&file.items, &budget, &named, None).expect("a good history");
        let without = project_plainly(&file.items, &budget);
        assert_eq!(with.items, without.items, "{}", file.name);
    }
}

#[test]
fn a_reused_id_belongs_to_its_own_call() {
    let Some(files) = corpus::load("a_reused_id_belongs_to_its_own_call") else {
        return;
    };
    let budget = ContextBudget {
        max_recent_tool_results: Some(1),
        ..ContextBudget::default()
    };
    let mut placeholders = 0;
    for file in files.iter().filter(|file| file.name.contains("tau-airline")) {
        let projection = project_plainly(&file.items, &budget);
        // In these histories a result stands right behind its only call.
        for (index, item) in projection.items.iter().enumerate() {
            let text = item["content"].as_str().unwrap_or_default();
            if item["role"] == "tool" && text.starts_with("[tool result cleared: ") {
                let call = &file.items[index - 1]["tool_calls"][0];
                let (name, id) = (call["function"]["name"].as_str().unwrap(), call["id"].as_str().unwrap());
                assert_eq!(
                    text,
                    format!("[tool result cleared: {name}({id})]"),
                    "{} item {index}",
                    file.name
                );
                placeholders += 1;
            }
        }
    }
    assert!(placeholders > 50, "{placeholders}");
}

#[test]
fn a_reused_id_answers_the_nearest_step_that_waits() {
    let call = |name: &str| {
        let function = json!({ "name": name, "arguments": "{}" });
        json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": "a", "type": "function", "function": function }] })
    };
    let user = json!({ "role": "user", "content": "go" });
    let result = json!({ "role": "tool", "tool_call_id": "a", "content": "a long text. ".repeat(20) });
    let said = json!({ "role": "assistant", "content": "done" });
    let items = [user.clone(), call("search"), user, call("read"), result, said];
    let budget = ContextBudget {
        max_recent_tool_results: Some(0),
        ..ContextBudget::default()
    };
    let texts = project_plainly(&items, &budget).items;
    let cleared: Vec<&str> = texts
        .iter()
        .filter_map(|item| item["content"].as_str())
        .filter(|text| text.starts_with("[tool result cleared"))
        .collect();
    assert_eq!(cleared, ["[tool result cleared: read(a)]"]);
}

#[test]
fn projectors_are_the_function_with_their_name() {
    let items = render(&exchanges(), Kind::Chat);
    let budget = ContextBudget {
        max_items: Some(9),
        max_recent_tool_results: Some(1),
        ..ContextBudget::default()
    };
    // Which projector the options name makes no difference to a projector.
    let options = |projector| ProjectOptions {
        projector,
        ..ProjectOptions::default()
    };
    let aware = TypeAwareContextProjector::new(options(Projector::Default))
        .project(&items, &budget)
        .unwrap();
    let default = DefaultContextProjector::new(options(Projector::TypeAware))
        .project(&items, &budget)
        .unwrap();
    let by_option = |projector| project(&items, &budget, &options(projector), None).unwrap();
    assert_eq!(aware.items, by_option(Projector::TypeAware).items);
    assert_eq!(default.items, by_option(Projector::Default).items);
    assert_ne!(aware.items, default.items);
}

#[test]
fn native_gives_the_digest_that_wasm_must_give() {
    assert_eq!(
        boundary::digest_of_histories(),
        boundary::DIGEST,
        "if this is meant, put it into boundary.rs"
    );
}

#[test]
fn hostile_input_is_survived() {
    boundary::survives_hostile_input();
}
