use super::*;

#[test]
fn each_rule_sees_what_breaks_it_and_no_more() {
    let free = ProjectOptions::default;
    let message = |role: &str, parts: Value| json!({ "id": "m", "role": role, "parts": parts });
    let text = || json!({ "type": "text", "text": "t" });
    let user = || message("user", json!([{ "type": "text", "text": "q" }]));
    let said = |parts: Value| message("assistant", parts);
    let start = || json!({ "type": "step-start" });
    let tool = |state: &str, more: Value| {
        let mut part = json!({ "type": "tool-f", "toolCallId": "x", "state": state, "input": {} });
        for (key, value) in more.as_object().expect("an object") {
            part[key] = value.clone();
        }
        part
    };
    let done = || tool("output-available", json!({ "output": "r" }));
    let waits = || tool("input-available", json!({}));
    let thinks = || json!({ "type": "reasoning", "text": "t", "providerMetadata": { "openai": { "itemId": "rs_1" } } });
    let pairs = vec![
        pair(
            free(),
            "E-V-MISSING",
            Error,
            1,
            json!([user(), said(json!([start(), waits()])), user()]),
            json!([user(), said(json!([start(), done()])), user()]),
        ),
        pair(
            free(),
            "E-V-MISSING",
            Error,
            1,
            json!([user(), said(json!([start(), waits(), start(), text()]))]),
            json!([user(), said(json!([start(), done(), start(), text()]))]),
        ),
        pair(
            free(),
            "E-V-MISSING",
            Pending,
            1,
            json!([user(), said(json!([start(), waits()]))]),
            json!([user(), said(json!([start(), done()]))]),
        ),
        pair(
            free(),
            "E-V-MISSING",
            Pending,
            1,
            json!([
                user(),
                said(json!([tool(
                    "approval-requested",
                    json!({ "approval": { "id": "p" } })
                )]))
            ]),
            json!([
                user(),
                said(json!([tool(
                    "approval-responded",
                    json!({ "approval": { "id": "p", "approved": false } })
                )])),
                user()
            ]),
        ),
        pair(
            free(),
            "V-SCHEMA",
            Error,
            0,
            json!([{ "role": "user", "parts": [text()] }]),
            json!([user()]),
        ),
        pair(
            free(),
            "V-SCHEMA",
            Error,
            0,
            json!([message("tool", json!([text()]))]),
            json!([user()]),
        ),
        pair(
            free(),
            "V-SCHEMA",
            Error,
            0,
            json!([{ "id": "m", "role": "user", "content": "q" }]),
            json!([user()]),
        ),
        pair(
            free(),
            "V-SCHEMA",
            Error,
            0,
            json!([message("user", json!([{ "type": "image" }]))]),
            json!([message("user", json!([{ "type": "data-x", "data": 1 }]))]),
        ),
        pair(
            free(),
            "V-SCHEMA",
            Error,
            0,
            json!([message("user", json!([{ "type": "text" }]))]),
            json!([user()]),
        ),
        pair(
            free(),
            "V-SCHEMA",
            Error,
            1,
            json!([user(), said(json!([tool("done", json!({}))]))]),
            json!([user(), said(json!([done()]))]),
        ),
        pair(
            free(),
            "V-SCHEMA",
            Error,
            1,
            json!([user(), said(json!([tool("output-error", json!({}))]))]),
            json!([user(), said(json!([tool("output-error", json!({ "errorText": "e" }))]))]),
        ),
        pair(
            free(),
            "V-SCHEMA",
            Error,
            1,
            json!([user(), said(json!([tool("output-denied", json!({}))]))]),
            json!([
                user(),
                said(json!([tool(
                    "output-denied",
                    json!({ "approval": { "id": "p", "approved": false } })
                )]))
            ]),
        ),
        pair(
            free(),
            "V-SCHEMA",
            Error,
            1,
            json!([
                user(),
                said(json!([tool(
                    "output-error",
                    json!({ "errorText": "e", "output": "r" })
                )]))
            ]),
            json!([user(), said(json!([done()]))]),
        ),
        pair(
            free(),
            "V-EMPTY",
            Warning,
            0,
            json!([message("user", json!([]))]),
            json!([user()]),
        ),
        pair(
            free(),
            "V-REASON",
            Error,
            1,
            json!([user(), said(json!([start(), thinks()])), user()]),
            json!([user(), said(json!([start(), text()])), user()]),
        ),
        pair(
            free(),
            "V-REASON",
            Error,
            1,
            json!([user(), said(json!([thinks(), text()]))]),
            json!([user(), said(json!([text()]))]),
        ),
        pair(
            free(),
            "E-TOOLNAME",
            Warning,
            1,
            json!([
                user(),
                said(
                    json!([{ "type": "tool-a b", "toolCallId": "x", "state": "output-available", "input": {}, "output": 1 }])
                )
            ]),
            json!([
                user(),
                said(
                    json!([{ "type": "dynamic-tool", "toolName": "a_b", "toolCallId": "x", "state": "output-available", "input": {}, "output": 1 }])
                )
            ]),
        ),
    ];
    println!("ai-sdk-ui: {}", check(pairs, Dialect::AiSdkUi));
}
