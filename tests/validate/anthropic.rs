use super::*;

#[test]
fn each_rule_sees_what_breaks_it_and_no_more() {
    let free = ProjectOptions::default;
    let text = |text: &str| json!({ "type": "text", "text": text });
    let user = || json!({ "role": "user", "content": [{ "type": "text", "text": "q" }] });
    let said = |blocks: Value| json!({ "role": "assistant", "content": blocks });
    let told = |blocks: Value| json!({ "role": "user", "content": blocks });
    let uses = |id: &str| json!({ "type": "tool_use", "id": id, "name": "f", "input": {} });
    let result = |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": "r" });
    let thinks = || json!({ "type": "thinking", "thinking": "t", "signature": "s" });
    let server = |id: &str| json!({ "type": "server_tool_use", "id": id, "name": "web_search", "input": {} });
    let server_result =
        |id: &str, content: Value| json!({ "type": "web_search_tool_result", "tool_use_id": id, "content": content });
    let marked = || json!({ "type": "text", "text": "t", "cache_control": { "type": "ephemeral" } });
    let after = || json!({ "role": "user", "content": "next" });
    let mut pairs = vec![
        pair(
            free(),
            "E-A-NORESULT",
            Error,
            1,
            json!([user(), said(json!([uses("x")])), user()]),
            json!([user(), said(json!([uses("x")])), told(json!([result("x")])), user()]),
        ),
        pair(
            free(),
            "E-A-NORESULT",
            Pending,
            1,
            json!([user(), said(json!([uses("x")]))]),
            json!([user(), said(json!([uses("x")])), told(json!([result("x")]))]),
        ),
        pair(
            free(),
            "E-A-NORESULT",
            Pending,
            1,
            json!([
                user(),
                said(json!([uses("x"), uses("y")])),
                told(json!([result("x"), text("t")]))
            ]),
            json!([
                user(),
                said(json!([uses("x"), uses("y")])),
                told(json!([result("x")])),
                told(json!([result("y"), text("t")]))
            ]),
        ),
        pair(
            free(),
            "E-A-RESULTORDER",
            Error,
            2,
            json!([user(), said(json!([uses("x")])), told(json!([text("t"), result("x")]))]),
            json!([user(), said(json!([uses("x")])), told(json!([result("x"), text("t")]))]),
        ),
        pair(
            free(),
            "E-A-RESULTORDER",
            Error,
            3,
            json!([user(), said(json!([uses("x")])), after(), told(json!([result("x")]))]),
            json!([user(), said(json!([uses("x")])), told(json!([result("x")])), after()]),
        ),
        pair(
            free(),
            "E-A-ORPHRES",
            Error,
            0,
            json!([told(json!([result("x"), text("t")]))]),
            json!([user()]),
        ),
        pair(
            free(),
            "E-A-DUPRES",
            Error,
            3,
            json!([
                user(),
                said(json!([uses("x")])),
                told(json!([result("x")])),
                told(json!([result("x")]))
            ]),
            // A later turn may use an id again.
            json!([
                user(),
                said(json!([uses("x")])),
                told(json!([result("x")])),
                said(json!([uses("x")])),
                told(json!([result("x")]))
            ]),
        ),
        pair(
            free(),
            "E-A-INPUTOBJ",
            Error,
            1,
            json!([
                user(),
                said(json!([{ "type": "tool_use", "id": "x", "name": "f", "input": "{}" }])),
                told(json!([result("x")]))
            ]),
            json!([user(), said(json!([uses("x")])), told(json!([result("x")]))]),
        ),
        pair(
            free(),
            "E-A-EMPTY",
            Error,
            1,
            json!([user(), said(json!([])), after()]),
            json!([user(), said(json!([text("a")])), after()]),
        ),
        pair(
            free(),
            "E-A-EMPTY",
            Error,
            0,
            json!([{ "role": "user", "content": "" }]),
            json!([user()]),
        ),
        pair(
            free(),
            "E-A-EMPTYTEXT",
            Error,
            0,
            json!([told(json!([text("q"), text(" \n")]))]),
            json!([user()]),
        ),
        pair(
            free(),
            "E-A-EMPTYTEXT",
            Error,
            0,
            json!([{ "role": "user", "content": " " }]),
            json!([user()]),
        ),
        pair(
            free(),
            "E-A-EMPTYTEXT",
            Error,
            2,
            json!([
                user(),
                said(json!([uses("x")])),
                told(json!([{ "type": "tool_result", "tool_use_id": "x", "content": [text("")] }]))
            ]),
            json!([
                user(),
                said(json!([uses("x")])),
                told(json!([{ "type": "tool_result", "tool_use_id": "x" }]))
            ]),
        ),
        pair(
            free(),
            "W-A-PREFILL",
            Warning,
            1,
            json!([user(), said(json!([text("a")]))]),
            json!([user(), said(json!([text("a")])), after()]),
        ),
        pair(
            free(),
            "W-A-FIRST",
            Warning,
            0,
            json!([said(json!([text("a")])), user()]),
            json!([user(), said(json!([text("a")])), user()]),
        ),
        pair(
            free(),
            "A-THINK-ROLE",
            Error,
            0,
            json!([told(json!([text("q"), thinks()]))]),
            json!([user()]),
        ),
        pair(
            free(),
            "A-THINK-ROLE",
            Error,
            1,
            json!([
                user(),
                said(
                    json!([{ "type": "thinking", "thinking": "", "signature": "s", "cache_control": { "type": "ephemeral" } }, text("a")])
                ),
                after()
            ]),
            json!([user(), said(json!([thinks(), text("a")])), after()]),
        ),
        pair(
            free(),
            "A-THINK-LOOP",
            Warning,
            1,
            json!([
                user(),
                said(json!([uses("x")])),
                told(json!([result("x")])),
                said(json!([thinks(), uses("y")])),
                told(json!([result("y")]))
            ]),
            json!([
                user(),
                said(json!([thinks(), uses("x")])),
                told(json!([result("x")])),
                said(json!([uses("y")])),
                told(json!([result("y")]))
            ]),
        ),
        pair(
            free(),
            "E-A-CACHE4",
            Error,
            1,
            json!([
                told(json!([marked(), marked()])),
                told(json!([marked(), marked(), marked()]))
            ]),
            json!([
                told(json!([marked(), marked()])),
                told(json!([marked(), marked(), text("t")]))
            ]),
        ),
        pair(
            free(),
            "A-SERVER",
            Error,
            1,
            json!([user(), said(json!([server_result("s", json!([])), text("a")])), after()]),
            json!([
                user(),
                said(json!([server("s"), server_result("s", json!([])), text("a")])),
                after()
            ]),
        ),
        pair(
            free(),
            "A-SERVER",
            Error,
            1,
            json!([
                user(),
                said(json!([server("s"), server_result("s", json!("[cleared]")), text("a")])),
                after()
            ]),
            json!([
                user(),
                said(json!([server("s"), server_result("s", json!([])), text("a")])),
                after()
            ]),
        ),
        pair(
            free(),
            "A-SERVER",
            Pending,
            1,
            json!([user(), said(json!([server("s")]))]),
            json!([
                user(),
                said(json!([server("s"), uses("x")])),
                told(json!([result("x")]))
            ]),
        ),
        pair(
            free(),
            "A-SERVER",
            Warning,
            1,
            json!([user(), said(json!([server("s"), text("a")])), after()]),
            json!([user(), said(json!([text("a")])), after()]),
        ),
        pair(
            free(),
            "A-CMP",
            Error,
            1,
            json!([
                user(),
                said(json!([{ "type": "compaction", "content": "" }, text("a")])),
                after()
            ]),
            json!([
                user(),
                said(json!([{ "type": "compaction", "content": null }, text("a")])),
                after()
            ]),
        ),
        pair(
            free(),
            "E-TOOLNAME",
            Error,
            1,
            json!([
                user(),
                said(json!([{ "type": "tool_use", "id": "x", "name": "a b", "input": {} }])),
                told(json!([result("x")]))
            ]),
            json!([
                user(),
                said(json!([{ "type": "tool_use", "id": "x", "name": "n".repeat(200), "input": {} }])),
                told(json!([result("x")]))
            ]),
        ),
    ];
    pairs.push(Pair {
        options: free(),
        broken: json!([user(), said(json!([uses("x"), uses("x")])), told(json!([result("x")]))]),
        says: vec![(1, "E-A-DUPUSE", Error), (1, "E-A-NORESULT", Pending)],
        mended: json!([
            user(),
            said(json!([uses("x"), uses("y")])),
            told(json!([result("x"), result("y")]))
        ]),
    });
    pairs.push(Pair {
        options: free(),
        broken: json!([user(), said(json!([uses("f:1")])), told(json!([result("f:1")]))]),
        says: vec![(1, "E-A-IDPAT", Error), (2, "E-A-IDPAT", Error)],
        mended: json!([user(), said(json!([uses("f_1")])), told(json!([result("f_1")]))]),
    });
    // White space at the end is refused where an assistant message at the end is not.
    pairs.push(Pair {
        options: free(),
        broken: json!([user(), said(json!([text("a ")]))]),
        says: vec![(1, "W-A-PREFILL", Warning), (1, "A-TRAIL", Warning)],
        mended: json!([user(), said(json!([text("a ")])), after()]),
    });
    println!("anthropic: {}", check(pairs, Dialect::Anthropic));
}
