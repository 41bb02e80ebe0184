use super::super::AgentStream;
use super::*;
use crate::agent_table;

/// What a program with this `usage:` key told by these lines, after a session that had used `before`.
fn told(usage: &str, lines: &[&str], before: &Usage) -> ChildUse {
    let table = format!("argv: [x, \"{{prompt_file}}\"]\nmessage: {{from: stdout}}\nusage:\n{usage}");
    let table = agent_table::read_text("mine", &table).unwrap();
    let mut stream = AgentStream::new(&table).after(*before);
    for line in lines {
        stream.feed(format!("{line}\n").as_bytes());
    }
    let running = stream.used();
    let found = stream.finish(Some(0));
    assert_eq!(found.used, running, "all lines had ended");
    found.used
}

fn usage(figures: [Option<u64>; 4]) -> Usage {
    let [input, cached, output, usd] = figures;
    Usage { input, cached, output, usd: usd.map(Usd) }
}

const CALL: &str =
    "  {where: {/t: u}, of: call, by: /id, input: [/in, /read], cached: /read, output: /out, usd: /$}";

#[test]
fn calls_are_added_and_repeats_of_one_count_once() {
    for (lines, want) in [
        (&[][..], [None, None, None, None]),
        (&[r#"{"t":"u","in":5,"read":3,"out":2,"$":0.25}"#], [Some(8), Some(3), Some(2), Some(250_000)]),
        (&[r#"{"t":"u","in":5}"#, r#"{"t":"u","in":7}"#], [Some(12), None, None, None]),
        (
            &[r#"{"t":"u","id":1,"in":5,"out":1}"#, r#"{"t":"u","id":1,"in":5,"out":9}"#],
            [Some(5), None, Some(9), None],
        ),
        (&[r#"{"t":"u","id":1,"in":5}"#, r#"{"t":"u","id":2,"in":5}"#], [Some(10), None, None, None]),
        (&[r#"{"t":"other","in":5}"#, "not json", r#"{"t":"u","in":"#], [None, None, None, None]),
    ] {
        assert_eq!(told(CALL, lines, &Usage::default()).usage, usage(want), "{lines:?}");
    }
}

#[test]
fn figures_that_are_none_count_as_not_told() {
    for bad in [
        "-1",
        "1.5",
        "1e300",
        "1000000000001",
        "99999999999999999999999",
        "null",
        "true",
        "\"7\"",
        "[1]",
        "{}",
    ] {
        let line = format!(r#"{{"t":"u","in":{bad},"out":4}}"#);
        assert_eq!(
            told(CALL, &[&line], &Usage::default()).usage,
            usage([None, None, Some(4), None]),
            "{bad}"
        );
    }
    for bad in ["-0.01", "1e7", "1e999", "null", "\"1\""] {
        let line = format!(r#"{{"t":"u","out":4,"$":{bad}}}"#);
        assert_eq!(told(CALL, &[&line], &Usage::default()).usage.usd, None, "{bad}");
    }
    let float = r#"{"t":"u","in":12.0}"#;
    assert_eq!(told(CALL, &[float], &Usage::default()).usage.input, Some(12));
    let absurd = format!(r#"{{"t":"u","in":{MOST_TOKENS},"read":1}}"#);
    assert_eq!(told(CALL, &[&absurd], &Usage::default()).usage.input, None, "the sum is bounded too");
}

#[test]
fn of_a_run_the_last_line_counts_and_of_a_session_what_came_on_top() {
    let run = "  {where: {/t: u}, of: run, output: /out}";
    let session = "  {where: {/t: u}, of: session, output: /out}";
    let lines = [r#"{"t":"u","out":10}"#, r#"{"t":"u","out":30}"#];
    let before = Usage { output: Some(25), usd: Some(Usd(9)), ..Usage::default() };
    assert_eq!(told(run, &lines, &before).usage.output, Some(30));
    assert_eq!(told(session, &lines, &Usage::default()).usage.output, Some(30));
    let resumed = told(session, &lines, &before);
    assert_eq!(resumed.usage.output, Some(5));
    assert_eq!(resumed.session, Usage { output: Some(30), ..before }, "for the next child of the session");
    let silent = told(session, &[], &before);
    assert_eq!((silent.usage, silent.session), (Usage::default(), before));
}

#[test]
fn of_several_sources_the_largest_figure_counts() {
    let sources = "  - {where: {/t: end}, of: session, usd: /$}\n  - {where: {/t: end}, of: run, output: /out}\n  - {where: {/t: u}, of: call, input: /in, output: /out}";
    let calls = [r#"{"t":"u","in":5,"out":1}"#, r#"{"t":"u","in":6,"out":1}"#];
    let before = Usage { usd: Some(Usd(1_000_000)), ..Usage::default() };
    assert_eq!(told(sources, &calls, &before).usage, usage([Some(11), None, Some(2), None]), "cut short");
    let all = [calls[0], calls[1], r#"{"t":"end","out":40,"$":1.5}"#];
    assert_eq!(told(sources, &all, &before).usage, usage([Some(11), None, Some(40), Some(500_000)]));
    let short = [calls[0], calls[1], r#"{"t":"end","out":0,"$":1.5}"#];
    let want = usage([Some(11), None, Some(2), Some(500_000)]);
    assert_eq!(told(sources, &short, &before).usage, want, "a total that leaves a call out");
}

#[test]
fn figures_below_names_that_nobody_knows_are_found() {
    let document = "  {of: run, input: /stats/models/*/tokens/prompt}";
    let line = r#"{"stats":{"models":{"a":{"tokens":{"prompt":5}},"b":{"tokens":{"prompt":6}}}}}"#;
    assert_eq!(told(document, &[line], &Usage::default()).usage.input, Some(11));
}

#[test]
fn lines_that_tell_figures_are_no_part_of_the_message() {
    let table = format!("argv: [x, \"{{prompt_file}}\"]\nmessage: {{from: stdout}}\nusage:\n{CALL}");
    let table = agent_table::read_text("mine", &table).unwrap();
    let mut stream = AgentStream::new(&table);
    stream.feed(b"Done.\r\n{\"t\":\"u\",\"in\":1}\r\n{\"t\":\"x\"}\r\nBye.\r\n");
    assert_eq!(stream.finish(Some(0)).message.as_deref(), Some("Done.\n{\"t\":\"x\"}\nBye.\n"));
}

#[test]
fn a_wrong_source_is_refused_with_its_place() {
    for (usage, words) in [
        ("  {of: call}", "`agents.mine.usage` tells nothing"),
        ("  {of: calls, usd: /a}", "`agents.mine.usage.of` can't be used"),
        ("  {usd: /a}", "`agents.mine.usage.of` can't be used"),
        ("  {of: run, by: /a, usd: /a}", "`agents.mine.usage.by` means nothing"),
        ("  [{of: run, usd: a}]", "`agents.mine.usage[0].usd` is no JSON pointer"),
        ("  {of: run, cost: /a}", "cost` is not known"),
        ("  7", "`agents.mine.usage` can't be used"),
    ] {
        let table = format!("argv: [x, \"{{prompt_file}}\"]\nusage:\n{usage}");
        let said = agent_table::read_text("mine", &table).unwrap_err().to_string();
        assert!(said.contains(words), "{usage}: {said}");
    }
}

/// Input, cached, output, millionths of a dollar. The lines of claude's single messages tell the
/// output as it was when they began.
const CLAUDE_WHOLE: [Option<u64>; 4] = [Some(535), Some(35), Some(100), Some(4007)];
const CLAUDE_CUT: [Option<u64>; 4] = [Some(535), Some(35), Some(5), None];
const CODEX_WHOLE: [Option<u64>; 4] = [Some(400), Some(28), Some(80), None];

/// What the real programs told of their use in recorded streams, whole and cut before their last line.
#[test]
fn the_built_in_tables_find_the_figures_of_recorded_streams() {
    let claude = include_str!("../../../../../fixtures/transcripts/claude/2.1.330/finished.jsonl");
    let codex = include_str!("../../../../../fixtures/transcripts/codex/0.169.0/finished.jsonl");
    for (name, stream, whole, cut) in
        [("claude", claude, CLAUDE_WHOLE, CLAUDE_CUT), ("codex", codex, CODEX_WHOLE, [None; 4])]
    {
        let table = agent_table::read_text(name, agent_table::builtin(name).unwrap()).unwrap();
        let read = |text: &str| {
            let mut stream = AgentStream::new(&table);
            stream.feed(text.as_bytes());
            stream.finish(Some(0)).used.usage
        };
        assert_eq!(read(stream), usage(whole), "{name}");
        let last = |line: &&str| !line.contains("\"type\":\"result\"") && !line.contains("turn.completed");
        let lines: Vec<&str> = stream.lines().filter(last).collect();
        assert_eq!(read(&lines.join("\n")), usage(cut), "{name}, stopped before its end");
    }
}
