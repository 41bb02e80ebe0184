use super::*;
use crate::agent_table::{builtin, read_text};

const BLOCK: &str = "```tdd-result\nrole: implementer\n```";

fn table(yaml: &str) -> AgentTable {
    read_text("mine", &format!("argv: [a, '{{prompt_file}}']\n{yaml}")).unwrap()
}

fn found(table: &AgentTable, output: &str, exit: Option<i32>) -> Found {
    let mut stream = AgentStream::new(table);
    // Cut at every seventh byte: no reader may depend on where a chunk ends.
    for chunk in output.as_bytes().chunks(7) {
        stream.feed(chunk);
    }
    stream.finish(exit)
}

fn assistant(id: &str, parent: Option<&str>, block: &Value) -> String {
    let line = serde_json::json!({
        "type": "assistant",
        "parent_tool_use_id": parent,
        "session_id": "s-1",
        "message": {"id": id, "role": "assistant", "content": [block]},
    });
    format!("{line}\n")
}

fn text(text: &str) -> Value {
    serde_json::json!({"type": "text", "text": text})
}

fn tool() -> Value {
    serde_json::json!({"type": "tool_use", "id": "t", "name": "Read", "input": {}})
}

const INIT: &str = "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\"}\n";

#[test]
fn claude_the_last_message_with_a_block_counts_and_not_the_result_line() {
    let claude = read_text("claude", builtin("claude").unwrap()).unwrap();
    let output = [
        INIT.to_owned(),
        assistant("m1", None, &text("I look around.")),
        assistant("m1", None, &tool()),
        assistant("m1", None, &tool()),
        "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\"}]}}\n".to_owned(),
        assistant("sub", Some("t"), &text(&format!("a sub-agent's {BLOCK}"))),
        assistant("sub", Some("t"), &tool()),
        assistant("m2", None, &text("Done.")),
        assistant("m2", None, &text(BLOCK)),
        assistant("m2", None, &tool()),
        assistant("m3", None, &text("bye")),
        "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"bye\"}\n".to_owned(),
    ]
    .concat();
    let found = found(&claude, &output, Some(0));
    assert_eq!(found.message.as_deref(), Some(format!("Done.\n{BLOCK}").as_str()));
    assert_eq!(found.turns, Some(2));
    assert_eq!(found.failure, None);
}

#[test]
fn claude_without_a_block_the_last_message_counts() {
    let claude = read_text("claude", builtin("claude").unwrap()).unwrap();
    let output =
        [INIT.to_owned(), assistant("m1", None, &text("one")), assistant("m2", None, &text("two"))].concat();
    assert_eq!(found(&claude, &output, Some(0)).message.as_deref(), Some("two"));
}

#[test]
fn claude_signs_that_no_stream_shows() {
    let claude = read_text("claude", builtin("claude").unwrap()).unwrap();
    let fixed = serde_json::json!({"type":"result","subtype":"success","is_error":false,
        "result":"API Error: 429 is what I fixed"});
    for (output, exit, want) in [
        (format!("{INIT}{fixed}\n"), 0, None),
        ("Not logged in · Please run /login\r\n".to_owned(), 1, Some(AgentFailure::NotLoggedIn)),
        ("error: unknown option '--frobnicate'\r\n".to_owned(), 1, Some(AgentFailure::Usage)),
        (String::new(), 0, None),
    ] {
        assert_eq!(found(&claude, &output, Some(exit)).failure, want, "{output}");
    }
    assert_eq!(found(&claude, "", None).failure, None, "stopped by us before its first line");
}

#[test]
fn trust_is_lost_by_the_first_turn_without_the_sign() {
    let claude = read_text("claude", builtin("claude").unwrap()).unwrap();
    let hook = "{\"type\":\"system\",\"subtype\":\"hook_response\",\"hook_event\":\"SessionStart\"}\n";
    for (lines, meanwhile, at_end) in [
        (vec![], Trust::Pending, Trust::Pending),
        (vec![INIT.to_owned()], Trust::Pending, Trust::Lost),
        (vec![INIT.to_owned(), assistant("m", None, &tool())], Trust::Lost, Trust::Lost),
        (vec![hook.to_owned(), INIT.to_owned(), assistant("m", None, &tool())], Trust::Earned, Trust::Earned),
        (vec![INIT.to_owned(), hook.to_owned()], Trust::Earned, Trust::Earned),
    ] {
        let mut stream = AgentStream::new(&claude);
        stream.feed(lines.concat().as_bytes());
        assert_eq!(stream.trust(), meanwhile, "{lines:?}");
        assert_eq!(stream.finish(Some(0)).trust, at_end, "{lines:?}");
    }
    let other = table("turns: { where: { /type: tool } }");
    assert_eq!(found(&other, "{\"type\":\"tool\"}\n", Some(0)).trust, Trust::Earned);
}

#[test]
fn codex_items_and_its_thread_are_read() {
    let codex = read_text("codex", builtin("codex").unwrap()).unwrap();
    let message =
        serde_json::json!({"type":"item.completed","item":{"id":"i3","type":"agent_message","text":BLOCK}});
    let output = format!(
        "Reading prompt from stdin...\n\
         {{\"type\":\"thread.started\",\"thread_id\":\"0199-x\"}}\n\
         {{\"type\":\"item.completed\",\"item\":{{\"id\":\"i1\",\"type\":\"command_execution\"}}}}\n\
         {{\"type\":\"item.completed\",\"item\":{{\"id\":\"i2\",\"type\":\"file_change\"}}}}\n\
         {{\"type\":\"item.completed\",\"item\":{{\"id\":\"iw\",\"type\":\"error\",\"message\":\"only a warning\"}}}}\n\
         {message}\n{{\"type\":\"turn.completed\",\"usage\":{{}}}}\n"
    );
    let found = found(&codex, &output, Some(0));
    assert_eq!(found.message.as_deref(), Some(BLOCK));
    assert_eq!(found.session.as_deref(), Some("0199-x"));
    assert_eq!(found.turns, Some(2));
    assert_eq!(found.failure, None);
}

#[test]
fn one_json_document_is_read_behind_warnings() {
    let table = table("message: { json: /response }\nsession: /session_id");
    let document = "{\n  \"session_id\": \"abc\",\n  \"response\": \"hi\\nthere\"\n}\n";
    for (output, want) in [
        (document.to_owned(), Some("hi\nthere")),
        (format!("warning: {{old}}\n{{\"note\":1}}\n{document}bye\n"), Some("hi\nthere")),
        ("{\"error\":{\"message\":\"no\"}}".to_owned(), None),
        ("nothing".to_owned(), None),
        (String::new(), None),
    ] {
        assert_eq!(found(&table, &output, Some(0)).message.as_deref(), want, "{output}");
    }
    assert_eq!(found(&table, document, Some(0)).session.as_deref(), Some("abc"));
}

#[test]
fn plain_text_is_the_whole_message_and_bounded() {
    let table = table("message: { from: stdout }");
    let said = found(&table, "\u{1b}[1mhello\u{1b}[0m\r\n```tdd-result\r\nx\r\n```\r\n", Some(0));
    assert_eq!(said.message.as_deref(), Some("hello\n```tdd-result\nx\n```\n"));
    assert_eq!(said.turns, None);
    assert_eq!(found(&table, " \r\n", Some(0)).message, None);
    let mut stream = AgentStream::new(&table);
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..40 {
        stream.feed(&chunk);
    }
    stream.feed(b"\nend\n");
    let found = stream.finish(None);
    assert!(found.message.as_deref().is_some_and(|text| text.len() <= MAX_TEXT && text.ends_with("end\n")));
    assert!(found.tail.len() <= 4 << 10 && found.tail.ends_with("end\n"));
}

#[test]
fn turns_are_counted_while_the_stream_comes() {
    let table = table("message: { from: stdout }\nturns: { where: { /type: tool }, by: /id }");
    let mut stream = AgentStream::new(&table);
    let mut counts = Vec::new();
    for line in [
        "{\"type\":\"tool\",\"id\":1}\n",
        "{\"type\":\"tool\",\"id\":1}\n",
        "{\"type\":\"tool\",\"id\":2}",
        "\nwords\n",
        "{\"type\":\"tool\"}\n",
        "{\"type\":\"tool\"}\n",
    ] {
        stream.feed(line.as_bytes());
        counts.push(stream.turns().unwrap());
    }
    assert_eq!(counts, [1, 1, 1, 2, 3, 4]);
}

#[test]
fn lines_that_follow_one_another_are_one_message_and_one_turn() {
    let table = table(
        "message: { jsonl: { where: { /t: say }, take: /text, by: run } }\nturns: { where: { /t: call }, by: run }",
    );
    let say = |text: &str| serde_json::json!({ "t": "say", "text": text }).to_string() + "\n";
    let call = "{\"t\":\"call\"}\n";
    let pieces =
        [say("```tdd-"), "[WARNING] noise\n".to_owned(), say("result\nrole: implementer\n`"), say("``")];
    for (output, want, turns) in [
        (pieces.concat(), Some(BLOCK), 0),
        (format!("{}{call}{call}{}{call}", pieces.concat(), say("bye")), Some(BLOCK), 2),
        (format!("{}{call}{}", say("a"), say("b") + &say("c")), Some("bc"), 1),
        (format!("{}{{\"t\":\"result\"}}\n{call}{{}}\n{call}", say("a")), Some("a"), 2),
        (call.to_owned(), None, 1),
    ] {
        let found = found(&table, &output, Some(0));
        assert_eq!((found.message.as_deref(), found.turns), (want, Some(turns)), "{output}");
    }
    let mut stream = AgentStream::new(&table);
    let long = say(&"x".repeat(1 << 20));
    (0..40).for_each(|_| stream.feed(long.as_bytes()));
    stream.feed(say("end").as_bytes());
    let message = stream.finish(None).message.unwrap();
    assert!(message.len() == MAX_TEXT && message.ends_with("xend"));
}

#[test]
fn the_newest_line_is_news_once() {
    let mut stream = AgentStream::new(&table("message: { from: stdout }"));
    assert_eq!(stream.news(), None);
    stream.feed(b"\x1b[1mone\x1b[0m\r\ntwo\r\n\r\n");
    assert_eq!(stream.news().as_deref(), Some("two"));
    assert_eq!(stream.news(), None);
    stream.feed("ü".repeat(5_000).as_bytes());
    assert_eq!(stream.news().map(|line| line.chars().count()), Some(200));
    let claude = read_text("claude", builtin("claude").unwrap()).unwrap();
    let mut stream = AgentStream::new(&claude);
    stream.feed(assistant("m1", None, &text("I look\naround.\n")).as_bytes());
    assert_eq!(stream.news().as_deref(), Some("around."));
}

#[test]
fn a_session_that_could_be_an_option_is_none() {
    let table = table("message: { jsonl: { take: /text, session: /id } }");
    for (id, want) in
        [("abc-1", true), ("-abc", false), ("", false), ("a\u{7}", false), (&"x".repeat(300), false)]
    {
        let line = serde_json::json!({"id": id, "text": "x"}).to_string();
        assert_eq!(found(&table, &line, Some(0)).session.is_some(), want, "{id:?}");
    }
}

#[test]
fn of_two_places_the_one_with_a_block_is_better() {
    let some = |text: &str| Some(text.to_owned());
    for (first, second, want) in [
        (some(BLOCK), some("x"), some(BLOCK)),
        (some("x"), some(BLOCK), some(BLOCK)),
        (some("x"), some("y"), some("x")),
        (some(" \n"), some("y"), some("y")),
        (None, some("y"), some("y")),
        (some("x"), None, some("x")),
        (None, None, None),
    ] {
        assert_eq!(better_message(first.clone(), second.clone()), want, "{first:?} {second:?}");
    }
}
