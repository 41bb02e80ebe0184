use super::*;
use crate::model_server::script::Step;

const SCRIPT: &str = "rules:
- name: again
  when: { role: implementer, last: re-emit }
  turns: [{ say: done }]
- name: work
  when: { role: implementer, criterion: AC-X-1.1 }
  turns:
  - [{ say: hello }, { write: { path: a.py, content: \"x\\n\" } }]
  - [{ fault: { status: 429, times: 1 } }, { run: make test }]
  - [{ say: bye }, { usage: { input: 9, cached: 4, output: 2 } }]
";

fn server() -> Server {
    Server::new(Script::read(SCRIPT).unwrap(), Log::open(None, None).unwrap())
}

const ROLE: &str = "You are it. role: implementer";
const PROMPT: &str = "Meet AC-X-1.1 now.";

/// The same conversation in each dialect: so many calls of a tool, each with its result.
fn asked(dialect: Dialect, prompt: &str, calls: usize) -> Asked {
    let schema = |command: &str| json!({ "type": "object", "properties": { command: { "type": "string" }, "why": { "type": "string" } }, "required": [command, "why"] });
    let many = |pair: Vec<Value>| std::iter::repeat_n(pair, calls).flatten();
    let (path, body) = match dialect {
        Dialect::Anthropic => (
            "/v1/messages",
            json!({
                "model": "m", "stream": true, "system": [{ "type": "text", "text": ROLE }],
                "tools": [{ "name": "Bash", "input_schema": schema("command") },
                          { "name": "Write", "input_schema": { "properties": { "file_path": {}, "content": {} } } }],
                "messages": std::iter::once(json!({ "role": "user", "content": [
                    { "type": "text", "text": "<system-reminder>x</system-reminder>" }, { "type": "text", "text": prompt } ] }))
                    .chain(many(vec![
                        json!({ "role": "assistant", "content": [{ "type": "text", "text": "t" }, { "type": "tool_use", "name": "Bash", "id": "i", "input": {} }] }),
                        json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "i", "content": "result" }, { "type": "text", "text": "a reminder" }] }),
                    ])).collect::<Vec<_>>(),
            }),
        ),
        Dialect::Responses => (
            "/v1/responses",
            json!({
                "model": "m", "stream": true, "instructions": ROLE,
                "tools": [{ "type": "function", "name": "exec_command", "parameters": schema("cmd") }, { "type": "custom", "name": "apply_patch" }],
                "input": Vec::from([json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "<environment_context><cwd>/w</cwd></environment_context>" }] }),
                          json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": prompt }] })])
                    .into_iter().chain(many(vec![
                        json!({ "type": "function_call", "name": "exec_command", "call_id": "i", "arguments": "{}" }),
                        json!({ "type": "function_call_output", "call_id": "i", "output": "result" }),
                    ])).collect::<Vec<_>>(),
            }),
        ),
        Dialect::Chat => (
            "/v1/chat/completions",
            json!({
                "model": "m", "stream": true,
                "tools": [{ "type": "function", "function": { "name": "bash", "parameters": schema("command") } },
                          { "type": "function", "function": { "name": "write", "parameters": { "properties": { "filePath": {}, "content": {} } } } }],
                "messages": Vec::from([json!({ "role": "system", "content": ROLE }), json!({ "role": "user", "content": prompt })])
                    .into_iter().chain(many(vec![
                        json!({ "role": "assistant", "content": null, "tool_calls": [{ "function": { "name": "bash" } }] }),
                        json!({ "role": "tool", "content": "result" }),
                    ])).collect::<Vec<_>>(),
            }),
        ),
        Dialect::Gemini => (
            "/v1beta/models/m:streamGenerateContent",
            json!({
                "systemInstruction": { "parts": [{ "text": ROLE }] },
                "tools": [{ "functionDeclarations": [{ "name": "run_shell_command", "parametersJsonSchema": schema("command") },
                                                     { "name": "write_file", "parametersJsonSchema": { "properties": { "file_path": {}, "content": {} } } }] }],
                "contents": std::iter::once(json!({ "role": "user", "parts": [{ "text": prompt }] })).chain(many(vec![
                    json!({ "role": "model", "parts": [{ "functionCall": { "name": "run_shell_command" } }] }),
                    json!({ "role": "user", "parts": [{ "functionResponse": { "response": { "output": "result" } } }] }),
                ])).collect::<Vec<_>>(),
            }),
        ),
    };
    assert_eq!(Dialect::of(path), Some(dialect));
    dialect.read(path, &body)
}

const DIALECTS: [Dialect; 4] = [Dialect::Anthropic, Dialect::Responses, Dialect::Chat, Dialect::Gemini];

#[test]
fn which_answer_is_due_follows_from_the_messages() {
    for dialect in DIALECTS {
        let server = server();
        let answered = |prompt: &str, calls| {
            let (rule, service) = server.service(&asked(dialect, prompt, calls));
            (rule, words(&service))
        };
        let (name, first) = answered(PROMPT, 0);
        assert_eq!(name, "work", "{dialect:?}");
        assert!(first.starts_with("text, call "), "{dialect:?}: {first}");
        assert_eq!(answered(PROMPT, 1).1, "status 429", "{dialect:?}");
        assert!(answered(PROMPT, 1).1.starts_with("call "), "{dialect:?}: shown once");
        assert_eq!(answered(PROMPT, 2).1, "text", "{dialect:?}");
        assert_eq!(answered("re-emit it", 0).0, "again", "{dialect:?}");
        assert_eq!(answered("Meet AC-X-1.10 now.", 0).0, "", "{dialect:?}: another criterion");
        assert_eq!(asked(dialect, PROMPT, 2).results(), ["result"], "{dialect:?}");
    }
}

#[test]
fn every_dialect_streams_texts_calls_and_usage() {
    for dialect in DIALECTS {
        let server = server();
        let stream = |calls| match server.service(&asked(dialect, PROMPT, calls)).1 {
            Service::Answered(answer) => (dialect.stream(&answer, "m").concat(), dialect.whole(&answer, "m")),
            other @ (Service::Broken(..) | Service::Refused(_)) => panic!("{other:?}"),
        };
        let (events, whole) = stream(0);
        let whole = whole.to_string();
        for text in [&events, &whole] {
            assert!(text.contains("hello") && text.contains("a.py"), "{dialect:?}: {text}");
        }
        for line in events.lines().filter_map(|line| line.strip_prefix("data: ")) {
            assert!(line == "[DONE]" || serde_json::from_str::<Value>(line).is_ok(), "{dialect:?}: {line}");
        }
        let (last, _) = stream(2);
        let cached = match dialect {
            Dialect::Anthropic => "\"cache_read_input_tokens\":4",
            Dialect::Responses | Dialect::Chat => "\"cached_tokens\":4",
            Dialect::Gemini => "\"cachedContentTokenCount\":4",
        };
        assert!(last.contains("bye") && last.contains(cached), "{dialect:?}: {last}");
    }
}

#[test]
fn what_a_tool_requires_is_given() {
    let call =
        tools::call(&Step::Run("make".to_owned()), &asked(Dialect::Anthropic, PROMPT, 0)).unwrap().unwrap();
    assert_eq!(call.input, json!({ "command": "make", "why": "scripted" }));
    let patched = tools::call(
        &Step::Write { path: "a.py".to_owned(), content: "x\n".to_owned() },
        &asked(Dialect::Responses, PROMPT, 0),
    );
    assert_eq!(
        patched.unwrap().unwrap().input,
        "*** Begin Patch\n*** Add File: /w/a.py\n+x\n*** End Patch\n"
    );
}

#[test]
fn a_wrong_script_is_refused() {
    for (script, why) in [
        ("rules: [{ wen: {} }]", "wen"),
        ("rules: [{ turns: [{ sing: la }] }]", "Turn"),
        ("rules: [{ turns: [{ fault: nap }] }]", ""),
        ("rules: [", ""),
    ] {
        let error = Script::read(script).unwrap_err();
        assert!(error.contains(why), "{script}: {error}");
    }
}
