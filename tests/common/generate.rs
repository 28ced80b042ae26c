//! Well-formed histories and budgets for properties.

use super::boundary::{CallPlan, Event, Script, Step};
use context_projector::ContextBudget;
use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;
use proptest::sample::select;

/// How many cases a property runs.
pub fn cases() -> u32 {
    cases_or(2_000)
}

/// The same, with another default.
pub fn cases_or(default: u32) -> u32 {
    std::env::var("CONTEXT_PROJECTOR_CASES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

/// A runner whose cases are the same each time; `CONTEXT_PROJECTOR_SEED` (a number) gives others.
pub fn runner(cases: u32) -> proptest::test_runner::TestRunner {
    use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
    let seed: u64 = std::env::var("CONTEXT_PROJECTOR_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    let mut bytes = [0; 32];
    for (byte, seed) in bytes.iter_mut().zip(seed.to_le_bytes()) {
        *byte = seed;
    }
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 4_000,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

fn text() -> impl Strategy<Value = String> {
    let word = select(vec!["file ", "漢字", "😀👩‍👩‍👧", "\"q\"\\\n", "é̄", "\u{0}\u{7f}"]);
    prop_oneof![
        6 => (word.clone(), 1..20_usize).prop_map(|(word, times)| word.repeat(times)),
        1 => (word, 50..300_usize).prop_map(|(word, times)| word.repeat(times)),
    ]
}

/// Results may be empty.
fn result() -> impl Strategy<Value = String> {
    prop_oneof![9 => text(), 1 => Just(String::new())]
}

fn call() -> impl Strategy<Value = CallPlan> {
    let name = select(vec!["read", "search", "bash"]);
    let number = select(vec![0.0, 3.0, 1.5, -2.5e-7, 1e21, 5e-324, 123_456_789.25]);
    (name, text(), number, result()).prop_map(|(name, argument, number, result)| CallPlan {
        name,
        argument,
        number,
        result,
    })
}

fn event() -> impl Strategy<Value = Event> {
    let step = (0..8_usize, of(text()), weighted(0.3, text()), vec(call(), 1..5));
    prop_oneof![
        2 => text().prop_map(Event::User),
        2 => text().prop_map(Event::Say),
        5 => step.prop_map(|(id, reasoning, text, calls)| Event::Step(Step { id, reasoning, text, calls })),
    ]
}

/// A history; it begins with a user message but for one in eight.
pub fn script() -> impl Strategy<Value = Script> {
    let flags = (
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        weighted(0.2, Just(())),
        weighted(0.125, Just(())),
    );
    (vec(text(), 0..3), vec(event(), 0..24), flags, text()).prop_map(
        |(system, mut events, (with_ids, split_results, with_parts, open, headless), opening)| {
            if headless.is_none() {
                events.insert(0, Event::User(opening));
            }
            Script {
                system,
                events,
                with_ids,
                split_results,
                with_parts,
                is_open: open.is_some(),
            }
        },
    )
}

/// Limits without tier fields.
pub fn limits() -> impl Strategy<Value = ContextBudget> {
    (
        weighted(0.6, 1..25_u64),
        weighted(0.5, 1..6_000_u64),
        weighted(0.3, 1..4_000_u64),
        0..300_u64,
        prop_oneof![2 => Just(0), 1 => 0..6_u64],
        select(vec![1.0, 1.0, 0.8, 0.6, 0.5, 0.07]),
    )
        .prop_map(
            |(max_items, max_approx_chars, max_tokens, overhead_tokens, pinned_prefix_items, low_water)| {
                ContextBudget {
                    max_items,
                    max_approx_chars,
                    max_tokens,
                    overhead_tokens,
                    pinned_prefix_items,
                    low_water,
                    ..ContextBudget::default()
                }
            },
        )
}

/// Limits and tier fields.
pub fn budget() -> impl Strategy<Value = ContextBudget> {
    (
        limits(),
        weighted(0.7, 0..8_u64),
        weighted(0.3, Just("bash".to_owned())),
        weighted(0.3, 1..400_u64),
        weighted(0.2, 1..400_u64),
        any::<bool>(),
        weighted(0.3, Just(())),
    )
        .prop_map(
            |(limits, results, keep, result_chars, input_chars, trim, inputs)| ContextBudget {
                max_recent_tool_results: results,
                keep_tools: keep.into_iter().collect(),
                max_tool_result_chars: result_chars,
                max_tool_input_chars: input_chars,
                trim_old_reasoning: trim,
                clear_tool_inputs: inputs.is_some(),
                ..limits
            },
        )
}

/// The budget with its tier fields absent.
pub fn plain(budget: &ContextBudget) -> ContextBudget {
    ContextBudget {
        max_items: budget.max_items,
        max_approx_chars: budget.max_approx_chars,
        max_tokens: budget.max_tokens,
        overhead_tokens: budget.overhead_tokens,
        pinned_prefix_items: budget.pinned_prefix_items,
        low_water: budget.low_water,
        ..ContextBudget::default()
    }
}
