use super::*;

#[test]
fn each_rule_sees_what_breaks_it_and_no_more() {
    let free = ProjectOptions::default;
    let user = || json!({ "role": "user", "parts": [{ "text": "q" }] });
    let model = |parts: Value| json!({ "role": "model", "parts": parts });
    let told = |parts: Value| json!({ "role": "user", "parts": parts });
    let call = |name: &str| json!({ "functionCall": { "name": name, "args": {} } });
    let call_as = |id: &str| json!({ "functionCall": { "id": id, "name": "f", "args": {} } });
    let signed = |name: &str| json!({ "functionCall": { "name": name, "args": {} }, "thoughtSignature": "s" });
    let response = |name: &str| json!({ "functionResponse": { "name": name, "response": { "output": "r" } } });
    let response_to =
        |id: &str| json!({ "functionResponse": { "id": id, "name": "f", "response": { "output": "r" } } });
    let mut pairs = vec![
        pair(
            free(),
            "E-G-COUNT",
            Error,
            1,
            json!([user(), model(json!([call("f")])), user()]),
            json!([user(), model(json!([call("f")])), told(json!([response("f")])), user()]),
        ),
        pair(
            free(),
            "E-G-COUNT",
            Pending,
            2,
            json!([
                user(),
                model(json!([call("f")])),
                model(json!([call("g")])),
                told(json!([response("f")]))
            ]),
            // Neighbours are counted together.
            json!([
                user(),
                model(json!([call("f")])),
                model(json!([call("g")])),
                told(json!([response("g"), response("f")]))
            ]),
        ),
        pair(
            free(),
            "E-G-COUNT",
            Error,
            2,
            json!([
                user(),
                model(json!([call("f")])),
                told(json!([response("f"), response("f")]))
            ]),
            json!([
                user(),
                model(json!([call("f"), call("f")])),
                told(json!([response("f"), response("f")]))
            ]),
        ),
        pair(
            free(),
            "E-G-COUNT",
            Error,
            3,
            json!([
                user(),
                model(json!([call_as("a")])),
                told(json!([response_to("a")])),
                told(json!([response_to("a")]))
            ]),
            json!([user(), model(json!([call_as("a")])), told(json!([response_to("a")]))]),
        ),
        pair(
            free(),
            "E-G-ORPHRESP",
            Error,
            0,
            json!([told(json!([response("f")])), user()]),
            json!([user()]),
        ),
        pair(
            free(),
            "E-G-FIRST",
            Error,
            0,
            json!([model(json!([call("f")])), told(json!([response("f")]))]),
            json!([user(), model(json!([call("f")])), told(json!([response("f")]))]),
        ),
        pair(
            free(),
            "G-ALT",
            Error,
            0,
            json!([{ "role": "system", "parts": [{ "text": "s" }] }, user()]),
            json!([user()]),
        ),
        pair(
            free(),
            "G-LAST",
            Warning,
            1,
            json!([user(), model(json!([{ "text": "a" }]))]),
            json!([user(), model(json!([{ "text": "a" }])), user()]),
        ),
        pair(
            free(),
            "G-RESP",
            Error,
            2,
            json!([
                user(),
                model(json!([call("f")])),
                told(json!([{ "functionResponse": { "name": "f", "response": "text" } }]))
            ]),
            json!([user(), model(json!([call("f")])), told(json!([response("f")]))]),
        ),
        pair(
            free(),
            "G-RESP",
            Error,
            2,
            json!([user(), model(json!([call("f")])), told(json!([response("g")]))]),
            json!([user(), model(json!([call("f")])), told(json!([response("f")]))]),
        ),
        pair(
            free(),
            "E-G-SIG",
            Error,
            3,
            json!([
                user(),
                model(json!([signed("f")])),
                told(json!([response("f")])),
                model(json!([call("f")])),
                told(json!([response("f")]))
            ]),
            // Siblings need none, nor do older turns.
            json!([
                user(),
                model(json!([call("f")])),
                told(json!([response("f")])),
                user(),
                model(json!([signed("f"), call("g")])),
                told(json!([response("f"), response("g")]))
            ]),
        ),
        pair(
            free(),
            "G-EMPTY",
            Error,
            0,
            json!([told(json!([])), user()]),
            json!([user()]),
        ),
        pair(
            free(),
            "G-EMPTY",
            Error,
            1,
            json!([user(), model(json!([{ "text": "" }])), user()]),
            json!([user(), model(json!([{ "text": "", "thoughtSignature": "s" }])), user()]),
        ),
    ];
    pairs.push(Pair {
        options: free(),
        broken: json!([user(), model(json!([call_as("a")])), told(json!([response_to("b")]))]),
        says: vec![(1, "E-G-COUNT", Pending), (2, "E-G-ORPHRESP", Error)],
        mended: json!([user(), model(json!([call_as("a")])), told(json!([response_to("a")]))]),
    });
    println!("gemini: {}", check(pairs, Dialect::Gemini));
}
