use super::*;

#[test]
fn each_rule_sees_what_breaks_it_and_no_more() {
    let free = ProjectOptions::default;
    let strict = || ProjectOptions {
        strict_roles: true,
        ..free()
    };
    let required = || ProjectOptions {
        reasoning_content_required: true,
        ..free()
    };
    let user = || json!({ "role": "user", "content": "q" });
    let said = || json!({ "role": "assistant", "content": "a" });
    let system = || json!({ "role": "system", "content": "s" });
    let with = |name: &str, arguments: Value| {
        json!({ "role": "assistant", "content": null, "tool_calls": [
            { "id": "x", "type": "function", "function": { "name": name, "arguments": arguments } }
        ] })
    };
    let calls = |ids: &[&str]| {
        let calls: Vec<_> = ids
            .iter()
            .map(|id| json!({ "id": id, "type": "function", "function": { "name": "f", "arguments": "{}" } }))
            .collect();
        json!({ "role": "assistant", "content": null, "tool_calls": calls })
    };
    let tool = |id: &str| json!({ "role": "tool", "tool_call_id": id, "content": "r" });
    let thinking = |text: Value| {
        let mut item = calls(&["x"]);
        item["reasoning_content"] = text;
        item
    };
    let long = "x".repeat(41);
    let mut pairs = vec![
        pair(
            free(),
            "E-C-ORPHTOOL",
            Error,
            1,
            json!([user(), tool("x"), user()]),
            json!([user(), calls(&["x"]), tool("x"), user()]),
        ),
        pair(
            free(),
            "E-C-UNANSWERED",
            Error,
            1,
            json!([user(), calls(&["x"]), user()]),
            json!([user(), calls(&["x"]), tool("x"), user()]),
        ),
        pair(
            free(),
            "E-C-UNANSWERED",
            Pending,
            1,
            json!([user(), calls(&["x", "y"]), tool("y")]),
            json!([user(), calls(&["x", "y"]), tool("y"), tool("x")]),
        ),
        pair(
            free(),
            "E-C-DUPTOOL",
            Error,
            3,
            json!([user(), calls(&["x"]), tool("x"), tool("x")]),
            json!([user(), calls(&["x"]), tool("x"), calls(&["x"]), tool("x")]),
        ),
        pair(
            free(),
            "E-C-TOOLNULL",
            Error,
            2,
            json!([user(), calls(&["x"]), { "role": "tool", "tool_call_id": "x", "content": null }]),
            json!([user(), calls(&["x"]), { "role": "tool", "tool_call_id": "x", "content": "" }]),
        ),
        pair(
            free(),
            "E-C-TOOLNULL",
            Error,
            2,
            json!([user(), calls(&["x"]), { "role": "tool", "tool_call_id": "x", "content": [{ "type": "image_url", "image_url": { "url": "u" } }] }]),
            json!([user(), calls(&["x"]), { "role": "tool", "tool_call_id": "x", "content": [{ "type": "text", "text": "t" }] }]),
        ),
        pair(
            free(),
            "E-C-EMPTYASSIST",
            Error,
            1,
            json!([user(), { "role": "assistant", "content": null }, user()]),
            json!([user(), { "role": "assistant", "content": null, "refusal": "no" }, user()]),
        ),
        pair(
            free(),
            "E-C-EMPTYASSIST",
            Warning,
            1,
            json!([user(), { "role": "assistant", "content": "" }, user()]),
            json!([user(), said(), user()]),
        ),
        pair(
            free(),
            "E-C-EMPTYCALLS",
            Error,
            1,
            json!([user(), { "role": "assistant", "content": "a", "tool_calls": [] }, user()]),
            json!([user(), said(), user()]),
        ),
        pair(
            free(),
            "E-C-ARGJSON",
            Error,
            1,
            json!([user(), with("f", json!({})), tool("x")]),
            json!([user(), with("f", json!("{}")), tool("x")]),
        ),
        pair(
            free(),
            "E-C-ARGJSON",
            Warning,
            1,
            json!([user(), with("f", json!("{\"a\": \"cut")), tool("x")]),
            json!([user(), with("f", json!("{\"a\": 1}")), tool("x")]),
        ),
        pair(
            free(),
            "E-TOOLNAME",
            Error,
            1,
            json!([user(), with("", json!("{}")), tool("x")]),
            json!([user(), with("_", json!("{}")), tool("x")]),
        ),
        pair(
            free(),
            "E-TOOLNAME",
            Error,
            1,
            json!([user(), with(&"f".repeat(65), json!("{}")), tool("x")]),
            json!([user(), with(&"f".repeat(64), json!("{}")), tool("x")]),
        ),
        pair(
            required(),
            "C-REASON",
            Error,
            1,
            json!([user(), calls(&["x"]), tool("x")]),
            json!([user(), thinking(json!("t")), tool("x")]),
        ),
        pair(
            required(),
            "C-REASON",
            Warning,
            1,
            json!([user(), thinking(json!("")), tool("x")]),
            json!([user(), thinking(json!("t")), tool("x")]),
        ),
        pair(
            strict(),
            "C-STRICT",
            Warning,
            1,
            json!([system(), system(), user()]),
            json!([system(), user()]),
        ),
        pair(
            strict(),
            "C-STRICT",
            Warning,
            1,
            json!([user(), user()]),
            json!([user(), calls(&["x", "y"]), tool("x"), tool("y"), said(), user()]),
        ),
        pair(
            strict(),
            "C-STRICT",
            Warning,
            2,
            json!([user(), said(), said(), user()]),
            json!([user(), calls(&["x"]), tool("x"), calls(&["y"]), tool("y")]),
        ),
        pair(
            strict(),
            "C-LAST",
            Warning,
            1,
            json!([user(), said()]),
            json!([user(), said(), user()]),
        ),
    ];
    pairs.push(Pair {
        options: free(),
        broken: json!([user(), calls(&["x"]), said(), tool("x"), user()]),
        says: vec![(1, "E-C-UNANSWERED", Error), (3, "E-C-ORPHTOOL", Error)],
        mended: json!([user(), calls(&["x"]), tool("x"), said(), user()]),
    });
    pairs.push(Pair {
        options: free(),
        broken: json!([user(), calls(&["x"]), system(), tool("x")]),
        says: vec![(1, "E-C-UNANSWERED", Error), (3, "E-C-ORPHTOOL", Error)],
        mended: json!([user(), calls(&["x"]), tool("x"), system()]),
    });
    // One of two calls with one id can be answered.
    pairs.push(Pair {
        options: free(),
        broken: json!([user(), calls(&["x", "x"]), tool("x")]),
        says: vec![(1, "E-C-DUPCALL", Error), (1, "E-C-UNANSWERED", Pending)],
        mended: json!([user(), calls(&["x", "y"]), tool("x"), tool("y")]),
    });
    pairs.push(Pair {
        options: free(),
        broken: json!([user(), calls(&[&long]), tool(&long)]),
        says: vec![(1, "E-C-IDLEN", Error), (2, "E-C-IDLEN", Error)],
        mended: json!([user(), calls(&[&long[..40]]), tool(&long[..40])]),
    });
    let legacy = json!({ "role": "assistant", "content": null, "function_call": { "name": "f", "arguments": "{}" } });
    pairs.push(pair(
        free(),
        "E-C-UNANSWERED",
        Error,
        1,
        json!([user(), legacy, user()]),
        json!([user(), legacy, { "role": "function", "name": "f", "content": "r" }, user()]),
    ));
    println!("openai-chat: {}", check(pairs, Dialect::OpenAiChat));
}
