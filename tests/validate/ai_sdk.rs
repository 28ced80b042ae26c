use super::*;

#[test]
fn each_rule_sees_what_breaks_it_and_no_more() {
    let free = ProjectOptions::default;
    let user = || json!({ "role": "user", "content": "q" });
    let said = |parts: Value| json!({ "role": "assistant", "content": parts });
    let tool = |parts: Value| json!({ "role": "tool", "content": parts });
    let call = |id: &str| json!({ "type": "tool-call", "toolCallId": id, "toolName": "f", "input": {} });
    let output =
        |id: &str, output: Value| json!({ "type": "tool-result", "toolCallId": id, "toolName": "f", "output": output });
    let result = |id: &str| output(id, json!({ "type": "text", "value": "r" }));
    let asks = |id: &str, call: &str| json!({ "type": "tool-approval-request", "approvalId": id, "toolCallId": call });
    let answers = |id: &str| json!({ "type": "tool-approval-response", "approvalId": id, "approved": true });
    let thinks = || json!({ "type": "reasoning", "text": "t", "providerOptions": { "openai": { "itemId": "rs_1" } } });
    let text = || json!({ "type": "text", "text": "a", "providerOptions": { "openai": { "itemId": "msg_1" } } });
    let hosted =
        json!({ "type": "tool-call", "toolCallId": "x", "toolName": "f", "input": {}, "providerExecuted": true });
    let pairs = vec![
        pair(
            free(),
            "E-V-MISSING",
            Error,
            1,
            json!([user(), said(json!([call("x")])), user()]),
            json!([user(), said(json!([call("x")])), tool(json!([result("x")])), user()]),
        ),
        pair(
            free(),
            "E-V-MISSING",
            Error,
            1,
            json!([user(), said(json!([call("x")])), user(), tool(json!([result("x")]))]),
            json!([user(), said(json!([hosted])), user()]),
        ),
        pair(
            free(),
            "E-V-MISSING",
            Pending,
            1,
            json!([user(), said(json!([call("x"), call("y")])), tool(json!([result("x")]))]),
            json!([
                user(),
                said(json!([call("x"), call("y")])),
                tool(json!([result("x")])),
                tool(json!([result("y")]))
            ]),
        ),
        pair(
            free(),
            "E-V-MISSING",
            Pending,
            1,
            json!([
                user(),
                said(json!([call("x"), asks("p", "x")])),
                tool(json!([answers("p")]))
            ]),
            json!([
                user(),
                said(json!([call("x"), asks("p", "x")])),
                tool(json!([answers("p"), result("x")]))
            ]),
        ),
        pair(
            free(),
            "E-V-ORPHRES",
            Error,
            1,
            json!([user(), tool(json!([result("x")]))]),
            json!([user(), said(json!([call("x")])), tool(json!([result("x")]))]),
        ),
        pair(
            free(),
            "E-V-ORPHRES",
            Error,
            3,
            json!([
                user(),
                said(json!([call("x")])),
                tool(json!([result("x")])),
                tool(json!([result("x")]))
            ]),
            json!([
                user(),
                said(json!([call("x")])),
                tool(json!([result("x")])),
                said(json!([call("x")])),
                tool(json!([result("x")]))
            ]),
        ),
        pair(
            free(),
            "E-V-OUTPUT",
            Error,
            2,
            json!([
                user(),
                said(json!([call("x")])),
                tool(json!([output("x", json!("text"))]))
            ]),
            json!([
                user(),
                said(json!([call("x")])),
                tool(json!([output("x", json!({ "type": "json", "value": null }))]))
            ]),
        ),
        pair(
            free(),
            "E-V-OUTPUT",
            Error,
            2,
            json!([
                user(),
                said(json!([call("x")])),
                tool(json!([output("x", json!({ "type": "content", "value": "t" }))]))
            ]),
            json!([
                user(),
                said(json!([call("x")])),
                tool(json!([output("x", json!({ "type": "execution-denied" }))]))
            ]),
        ),
        pair(
            free(),
            "E-V-APPRREQ",
            Error,
            1,
            json!([user(), tool(json!([answers("p")]))]),
            json!([user()]),
        ),
        pair(
            free(),
            "E-V-APPRCALL",
            Error,
            1,
            json!([user(), said(json!([asks("p", "x")])), tool(json!([answers("p")]))]),
            json!([
                user(),
                said(json!([asks("p", "x"), call("x")])),
                tool(json!([answers("p"), result("x")]))
            ]),
        ),
        pair(
            free(),
            "V-SCHEMA",
            Error,
            0,
            json!([{ "role": "system", "content": [{ "type": "text", "text": "s" }] }]),
            json!([{ "role": "system", "content": "s" }]),
        ),
        pair(
            free(),
            "V-SCHEMA",
            Error,
            0,
            json!([{ "role": "data", "content": "s" }]),
            json!([user()]),
        ),
        pair(
            free(),
            "V-SCHEMA",
            Error,
            0,
            json!([{ "role": "tool", "content": "r" }]),
            json!([tool(json!([]))]),
        ),
        pair(
            free(),
            "V-SCHEMA",
            Error,
            0,
            json!([{ "role": "user", "content": [call("x")] }]),
            json!([user()]),
        ),
        pair(
            free(),
            "V-SCHEMA",
            Error,
            0,
            json!([{ "role": "user", "content": [{ "type": "file", "data": "QQ==" }] }]),
            json!([{ "role": "user", "content": [{ "type": "file", "data": "QQ==", "mediaType": "image/png" }] }]),
        ),
        pair(
            free(),
            "V-EMPTY",
            Warning,
            1,
            json!([user(), said(json!([])), user()]),
            json!([user(), said(json!("a")), user()]),
        ),
        pair(
            free(),
            "V-REASON",
            Error,
            1,
            json!([user(), said(json!([thinks()])), user()]),
            json!([user(), said(json!([thinks(), text()])), user()]),
        ),
        pair(
            free(),
            "V-REASON",
            Error,
            1,
            json!([
                user(),
                said(json!([thinks(), { "type": "text", "text": "new" }])),
                user()
            ]),
            json!([user(), said(json!([{ "type": "text", "text": "new" }])), user()]),
        ),
        pair(
            free(),
            "E-TOOLNAME",
            Warning,
            1,
            json!([
                user(),
                said(json!([{ "type": "tool-call", "toolCallId": "x", "toolName": "a.b", "input": {} }])),
                tool(json!([result("x")]))
            ]),
            json!([user(), said(json!([call("x")])), tool(json!([result("x")]))]),
        ),
    ];
    println!("ai-sdk: {}", check(pairs, Dialect::AiSdk));
}
