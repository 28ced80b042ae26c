use super::*;

#[test]
fn each_rule_sees_what_breaks_it_and_no_more() {
    let free = ProjectOptions::default;
    let stateless = || ProjectOptions {
        is_stateless: true,
        ..free()
    };
    let chained = || ProjectOptions {
        chained: true,
        ..free()
    };
    let user = || json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "q" }] });
    let said = || json!({ "type": "message", "id": "msg_1", "role": "assistant", "content": [{ "type": "output_text", "text": "a" }] });
    let call = |id: &str| json!({ "type": "function_call", "call_id": id, "name": "f", "arguments": "{}" });
    let output = |id: &str| json!({ "type": "function_call_output", "call_id": id, "output": "r" });
    let thought = |id: &str| json!({ "type": "reasoning", "id": id, "summary": [] });
    let of = |kind: &str, more: Value| {
        let mut item = json!({ "type": kind });
        for (key, value) in more.as_object().expect("an object") {
            item[key] = value.clone();
        }
        item
    };
    let long = "x".repeat(65);
    let custom = |input: Value| {
        of(
            "custom_tool_call",
            json!({ "call_id": "c", "name": "f", "input": input }),
        )
    };
    let custom_output = || of("custom_tool_call_output", json!({ "call_id": "c", "output": "r" }));
    let computer = || of("computer_call", json!({ "call_id": "c", "action": {} }));
    let request = |id: &str| {
        of(
            "mcp_approval_request",
            json!({ "id": id, "name": "f", "arguments": "{}", "server_label": "s" }),
        )
    };
    let approval = |id: &str| {
        of(
            "mcp_approval_response",
            json!({ "approval_request_id": id, "approve": true }),
        )
    };
    let search = |kind: &str| of(kind, json!({ "execution": "client", "tools": [] }));
    let with_output = |kind: &str, output: Value| of(kind, json!({ "call_id": "c", "output": output }));
    let mut pairs = vec![
        pair(
            free(),
            "E-R-ORPHOUT",
            Error,
            1,
            json!([user(), output("x")]),
            json!([user(), call("x"), output("x")]),
        ),
        pair(
            free(),
            "E-R-ORPHOUT",
            Error,
            0,
            json!([output("x"), user()]),
            json!([{ "id": "fc_1" }, output("x"), user()]),
        ),
        pair(
            free(),
            "E-R-NOOUT",
            Error,
            1,
            json!([user(), call("x"), user()]),
            json!([user(), call("x"), output("x"), user()]),
        ),
        pair(
            free(),
            "E-R-NOOUT",
            Pending,
            1,
            json!([user(), call("x")]),
            json!([user(), call("x"), output("x")]),
        ),
        pair(
            free(),
            "E-R-NOOUT",
            Pending,
            2,
            json!([user(), call("x"), call("y"), output("x")]),
            json!([user(), call("x"), call("y"), output("x"), output("y")]),
        ),
        pair(
            free(),
            "E-R-NOOUT",
            Pending,
            1,
            json!([user(), search("tool_search_call")]),
            json!([user(), search("tool_search_call"), search("tool_search_output")]),
        ),
        pair(
            free(),
            "R-ADJ",
            Warning,
            2,
            json!([user(), call("x"), said(), call("y"), output("x"), output("y")]),
            json!([user(), said(), call("x"), call("y"), output("x"), output("y")]),
        ),
        pair(
            free(),
            "R-ADJ",
            Warning,
            2,
            json!([user(), call("x"), user(), output("x")]),
            json!([user(), call("x"), output("x"), user()]),
        ),
        pair(
            free(),
            "E-R-DUPID",
            Error,
            2,
            json!([user(), said(), said(), user()]),
            json!([user(), said(), user()]),
        ),
        pair(
            free(),
            "E-R-DUPID",
            Error,
            2,
            json!([user(), said(), { "type": "item_reference", "id": "msg_1" }, user()]),
            json!([user(), said(), { "type": "item_reference", "id": "msg_2" }, user()]),
        ),
        pair(
            free(),
            "E-R-DUPCALL",
            Error,
            3,
            json!([user(), call("x"), output("x"), call("x"), output("x")]),
            json!([user(), call("x"), output("x"), call("y"), output("y")]),
        ),
        pair(
            free(),
            "E-R-DUPOUT",
            Error,
            3,
            json!([user(), call("x"), output("x"), output("x")]),
            json!([user(), call("x"), output("x")]),
        ),
        pair(
            free(),
            "E-R-REASONTAIL",
            Error,
            1,
            json!([user(), thought("rs_1")]),
            json!([user(), thought("rs_1"), said()]),
        ),
        pair(
            free(),
            "E-R-REASONTAIL",
            Error,
            2,
            json!([user(), thought("rs_1"), thought("rs_2"), user()]),
            json!([user(), thought("rs_1"), thought("rs_2"), said(), user()]),
        ),
        // pydantic-ai's thinking_with_modified_history, which OpenAI refused.
        pair(
            free(),
            "E-R-REASONID",
            Error,
            2,
            json!([user(), thought("rs_1"), { "role": "assistant", "content": "rewritten" }, user()]),
            json!([user(), { "role": "assistant", "content": "rewritten" }, user()]),
        ),
        pair(
            stateless(),
            "R-STORE",
            Error,
            1,
            json!([user(), { "type": "item_reference", "id": "msg_1" }, user()]),
            json!([user(), said(), user()]),
        ),
        pair(
            stateless(),
            "R-STORE",
            Error,
            1,
            json!([user(), thought("rs_1"), said(), user()]),
            // With nothing stored the item behind reasoning needs no id.
            json!([
                user(), of("reasoning", json!({ "id": "rs_1", "summary": [], "encrypted_content": "AA" })),
                { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "a" }] }, user()
            ]),
        ),
        pair(
            stateless(),
            "R-STORE",
            Error,
            1,
            json!([user(), of("image_generation_call", json!({ "id": "ig_1" })), user()]),
            json!([
                user(),
                of("image_generation_call", json!({ "id": "ig_1", "result": "QQ==" })),
                user()
            ]),
        ),
        pair(
            free(),
            "R-IDPREFIX",
            Error,
            1,
            json!([
                user(),
                of(
                    "function_call",
                    json!({ "id": "toolu_1", "call_id": "x", "name": "f", "arguments": "{}" })
                ),
                output("x")
            ]),
            json!([
                user(),
                of(
                    "function_call",
                    json!({ "id": "fc_1", "call_id": "x", "name": "f", "arguments": "{}" })
                ),
                output("x")
            ]),
        ),
        pair(
            free(),
            "E-R-ARGSTR",
            Error,
            1,
            json!([
                user(),
                of("function_call", json!({ "call_id": "x", "name": "f", "arguments": {} })),
                output("x")
            ]),
            json!([user(), call("x"), output("x")]),
        ),
        pair(
            free(),
            "E-R-ARGSTR",
            Error,
            1,
            json!([user(), custom(json!({})), custom_output()]),
            json!([user(), custom(json!("free text")), custom_output()]),
        ),
        pair(
            free(),
            "E-R-ARGSTR",
            Error,
            1,
            json!([
                user(),
                of("mcp_call", json!({ "id": "mcp_1", "arguments": {} })),
                user()
            ]),
            json!([
                user(),
                of("mcp_call", json!({ "id": "mcp_1", "arguments": "{}" })),
                user()
            ]),
        ),
        pair(
            free(),
            "E-TOOLNAME",
            Error,
            1,
            json!([
                user(),
                of(
                    "function_call",
                    json!({ "call_id": "x", "name": "browser.open", "arguments": "{}" })
                ),
                output("x")
            ]),
            json!([
                user(),
                of(
                    "function_call",
                    json!({ "call_id": "x", "name": "browser_open", "arguments": "{}" })
                ),
                output("x")
            ]),
        ),
        pair(
            free(),
            "R-OUTTYPE",
            Error,
            2,
            json!([
                user(),
                call("c"),
                with_output("function_call_output", json!({ "a": 1 }))
            ]),
            json!([
                user(),
                call("c"),
                with_output("function_call_output", json!([{ "type": "input_text", "text": "t" }]))
            ]),
        ),
        pair(
            free(),
            "R-OUTTYPE",
            Error,
            2,
            json!([
                user(),
                computer(),
                with_output("computer_call_output", json!("[cleared]"))
            ]),
            json!([
                user(),
                computer(),
                with_output(
                    "computer_call_output",
                    json!({ "type": "computer_screenshot", "file_id": "f" })
                )
            ]),
        ),
        pair(
            free(),
            "R-OUTTYPE",
            Error,
            2,
            json!([
                user(),
                of("shell_call", json!({ "call_id": "c" })),
                with_output("shell_call_output", json!("text"))
            ]),
            json!([
                user(),
                of("shell_call", json!({ "call_id": "c" })),
                with_output("shell_call_output", json!([]))
            ]),
        ),
        pair(
            free(),
            "R-OUTTYPE",
            Error,
            2,
            json!([
                user(),
                of("apply_patch_call", json!({ "call_id": "c" })),
                of("apply_patch_call_output", json!({ "call_id": "c" }))
            ]),
            json!([
                user(),
                of("apply_patch_call", json!({ "call_id": "c" })),
                of(
                    "apply_patch_call_output",
                    json!({ "call_id": "c", "status": "completed" })
                )
            ]),
        ),
        pair(
            free(),
            "R-OUTTYPE",
            Error,
            2,
            json!([
                user(),
                of("local_shell_call", json!({ "id": "l" })),
                of("local_shell_call_output", json!({ "id": "l", "output": [] }))
            ]),
            json!([
                user(),
                of("local_shell_call", json!({ "id": "l" })),
                of("local_shell_call_output", json!({ "id": "l", "output": "t" }))
            ]),
        ),
        pair(
            free(),
            "E-R-APPR",
            Error,
            1,
            json!([user(), approval("mcpr_1")]),
            json!([user(), request("mcpr_1"), approval("mcpr_1")]),
        ),
        pair(
            free(),
            "E-R-APPR",
            Pending,
            1,
            json!([user(), request("mcpr_1")]),
            json!([user(), request("mcpr_1"), approval("mcpr_1")]),
        ),
        pair(
            free(),
            "E-R-APPR",
            Warning,
            1,
            json!([user(), request("mcpr_1"), user()]),
            json!([user(), request("mcpr_1"), approval("mcpr_1"), user()]),
        ),
        pair(
            free(),
            "R-CMP",
            Warning,
            1,
            json!([{ "role": "developer", "content": "d" }, user(), said(), { "type": "compaction", "encrypted_content": "AA" }, user()]),
            json!([{ "role": "developer", "content": "d" }, { "type": "compaction", "encrypted_content": "AA" }, user()]),
        ),
        pair(
            free(),
            "R-CMP",
            Warning,
            0,
            json!([user(), said(), call("x"), { "type": "compaction", "encrypted_content": "AA" }, output("x"), user()]),
            // A call that is answered later keeps its place.
            json!([said(), call("x"), { "type": "compaction", "encrypted_content": "AA" }, output("x"), user()]),
        ),
        pair(
            free(),
            "E-R-TRIGLAST",
            Error,
            1,
            json!([user(), { "type": "compaction_trigger" }, user()]),
            json!([user(), user(), { "type": "compaction_trigger" }]),
        ),
        pair(
            free(),
            "R-CONTENT",
            Error,
            0,
            json!([{ "role": "user", "content": [{ "type": "output_text", "text": "q" }] }]),
            json!([user()]),
        ),
        pair(
            free(),
            "R-CONTENT",
            Error,
            1,
            json!([user(), { "role": "assistant", "content": [{ "type": "input_text", "text": "q" }] }, user()]),
            json!([user(), said(), user()]),
        ),
        pair(
            free(),
            "R-TYPES",
            Error,
            1,
            json!([user(), { "type": "ghost_snapshot" }]),
            json!([user()]),
        ),
        pair(
            free(),
            "R-TYPES",
            Error,
            1,
            json!([user(), { "type": "message", "role": "critic", "content": "c" }]),
            json!([user()]),
        ),
    ];
    pairs.push(Pair {
        options: free(),
        broken: json!([user(), call(&long), output(&long)]),
        says: vec![(1, "E-R-IDLEN", Error), (2, "E-R-IDLEN", Error)],
        mended: json!([user(), call(&long[..64]), output(&long[..64])]),
    });
    // Two rules see the same: the output fits no call, and the call has no output.
    pairs.push(Pair {
        options: free(),
        broken: json!([user(), custom(json!("t")), output("c")]),
        says: vec![(1, "E-R-NOOUT", Pending), (2, "E-R-ORPHOUT", Error)],
        mended: json!([user(), custom(json!("t")), custom_output()]),
    });
    let mut count = check(pairs, Dialect::OpenAiResponses);
    // Chained: the calls are at the provider, and so is what stands before a compaction item.
    for items in [
        json!([output("x"), user()]),
        json!([approval("mcpr_1")]),
        json!([user(), said(), { "type": "compaction", "encrypted_content": "AA" }, user()]),
    ] {
        assert_eq!(found(items.as_array().expect("a list"), &chained()), [], "{items}");
        count += 1;
    }
    println!("openai-responses: {count}");
}
