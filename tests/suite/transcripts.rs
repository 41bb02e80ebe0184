//! What is read from streams that real programs printed: `fixtures/transcripts/<agent>/<version>/`.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads fixtures, and fails by a panic"
)]

use std::fs;
use std::path::{Path, PathBuf};

use tdd_agents::agent_stream::reset::Reset;
use tdd_agents::agent_stream::{AgentStream, Found, Trust};
use tdd_agents::agent_table::{AgentFailure, BUILTIN, builtin, read_text};
use tdd_core::role::Role;
use tdd_core::usage::Usage;
use tdd_spec::tdd_result;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/transcripts")
}

fn read(agent: &str, file: &str, exit: i32) -> Found {
    let table = read_text(agent, builtin(agent).unwrap()).unwrap();
    let mut stream = AgentStream::new(&table);
    let bytes = fs::read(folder().join(agent).join(file)).unwrap();
    // Cut anywhere: no reader may depend on where a chunk ends.
    bytes.chunks(11).for_each(|chunk| stream.feed(chunk));
    stream.finish(Some(exit))
}

/// What a person sees who looks on: calls of tools, and what is said between them.
#[test]
fn what_an_agent_does_is_told_while_it_does_it() {
    for (agent, file, call) in [
        ("claude", "2.1.330/finished.jsonl", "echo hi > src/b.txt && cat src/b.txt"),
        ("codex", "0.169.0/finished.jsonl", "/bin/bash -lc 'echo hi > src/b.txt && cat src/b.txt'"),
        ("gemini", "0.61.0/finished.jsonl", "python3 src/new.py"),
        ("opencode", "1.18.33/finished.jsonl", "python3 src/new.py"),
        ("pi", "0.73.1/finished.jsonl", "python3 src/new.py"),
    ] {
        let mut stream = AgentStream::new(&read_text(agent, builtin(agent).unwrap()).unwrap());
        let bytes = fs::read(folder().join(agent).join(file)).unwrap();
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let told: Vec<String> = lines
            .filter_map(|line| {
                stream.feed(line);
                stream.news()
            })
            .collect();
        assert!(told.iter().any(|line| line == call), "{agent}: {told:#?}");
        assert!(told.last().is_some_and(|line| line != call), "{agent}: what it says last: {told:#?}");
    }
}

/// The program's exit code, and what is to be read.
type Case = (&'static str, &'static str, i32, Option<AgentFailure>);

const CASES: &[Case] = &[
    ("claude", "2.1.330/finished.jsonl", 0, None),
    ("claude", "2.1.330/empty.jsonl", 0, None),
    ("claude", "2.1.330/settings-dropped.jsonl", 0, None),
    ("claude", "2.1.330/settings-refused.jsonl", 1, Some(AgentFailure::Usage)),
    ("claude", "2.1.330/turn-cap.jsonl", 1, Some(AgentFailure::TurnCap)),
    ("claude", "2.1.330/cost-cap.jsonl", 1, Some(AgentFailure::Budget)),
    ("claude", "2.1.330/status-400.jsonl", 1, Some(AgentFailure::Usage)),
    ("claude", "2.1.330/status-401.jsonl", 1, Some(AgentFailure::NotLoggedIn)),
    ("claude", "2.1.330/status-404.jsonl", 1, Some(AgentFailure::Usage)),
    ("claude", "2.1.330/status-429.jsonl", 1, Some(AgentFailure::RateLimit)),
    ("claude", "2.1.330/status-500.jsonl", 1, Some(AgentFailure::Overload)),
    ("claude", "2.1.330/status-529.jsonl", 1, Some(AgentFailure::Overload)),
    ("claude", "2.1.330/usage-limit.jsonl", 1, Some(AgentFailure::UsageLimit)),
    ("claude", "2.1.330/not-logged-in.jsonl", 1, Some(AgentFailure::NotLoggedIn)),
    ("claude", "2.1.330/low-credit.jsonl", 1, Some(AgentFailure::NoCredit)),
    ("claude", "2.1.330/status-402.jsonl", 1, Some(AgentFailure::NoCredit)),
    ("claude", "2.1.330/refused.jsonl", 1, Some(AgentFailure::Network)),
    ("codex", "0.169.0/finished.jsonl", 0, None),
    ("codex", "0.169.0/batches.jsonl", 0, None),
    ("codex", "0.169.0/empty.jsonl", 0, None),
    ("codex", "0.169.0/status-400.jsonl", 1, Some(AgentFailure::Usage)),
    ("codex", "0.169.0/status-400-budget.jsonl", 1, Some(AgentFailure::Usage)),
    ("codex", "0.169.0/cost-cap.jsonl", 1, Some(AgentFailure::Budget)),
    ("codex", "0.169.0/status-401.jsonl", 1, Some(AgentFailure::NotLoggedIn)),
    ("codex", "0.169.0/status-404.jsonl", 1, Some(AgentFailure::Usage)),
    ("codex", "0.169.0/status-429.jsonl", 1, Some(AgentFailure::RateLimit)),
    ("codex", "0.169.0/status-500.jsonl", 1, Some(AgentFailure::Overload)),
    ("codex", "0.169.0/status-529.jsonl", 1, Some(AgentFailure::Overload)),
    ("codex", "0.169.0/usage-limit.jsonl", 1, Some(AgentFailure::UsageLimit)),
    ("codex", "0.169.0/quota.jsonl", 1, Some(AgentFailure::NoCredit)),
    ("codex", "0.169.0/status-402.jsonl", 1, Some(AgentFailure::NoCredit)),
    ("codex", "0.169.0/refused.jsonl", 1, Some(AgentFailure::Network)),
    ("gemini", "0.61.0/finished.jsonl", 0, None),
    ("gemini", "0.61.0/empty.jsonl", 0, None),
    ("gemini", "0.61.0/turn-cap.jsonl", 53, Some(AgentFailure::TurnCap)),
    ("gemini", "0.61.0/status-400.jsonl", 144, Some(AgentFailure::Usage)),
    ("gemini", "0.61.0/status-401.jsonl", 145, Some(AgentFailure::NotLoggedIn)),
    ("gemini", "0.61.0/status-429.jsonl", 173, Some(AgentFailure::RateLimit)),
    ("gemini", "0.61.0/status-500.jsonl", 244, Some(AgentFailure::Overload)),
    ("gemini", "0.61.0/status-503.jsonl", 247, Some(AgentFailure::Overload)),
    ("gemini", "0.61.0/status-529.jsonl", 17, Some(AgentFailure::Overload)),
    ("gemini", "0.61.0/refused.jsonl", 1, Some(AgentFailure::Network)),
    ("gemini", "0.61.0/cut.jsonl", 1, Some(AgentFailure::Network)),
    ("opencode", "1.18.33/finished.jsonl", 0, None),
    ("opencode", "1.18.33/empty.jsonl", 0, None),
    ("opencode", "1.18.33/status-401.jsonl", 1, Some(AgentFailure::NotLoggedIn)),
    ("opencode", "1.18.33/no-provider.jsonl", 1, Some(AgentFailure::Usage)),
    ("pi", "0.73.1/finished.jsonl", 0, None),
    ("pi", "0.73.1/empty.jsonl", 0, None),
    ("pi", "0.73.1/status-401.jsonl", 0, Some(AgentFailure::NotLoggedIn)),
];

#[test]
fn every_outcome_has_its_class() {
    for (agent, file, exit, want) in CASES {
        let found = read(agent, file, *exit);
        assert_eq!(found.failure, *want, "{agent}/{file}: {}", found.tail);
        // The class is told by the structured output: the exit code adds nothing to it. Gemini tells
        // the status of its service by its exit code alone.
        if !file.contains("settings-refused") && *agent != "gemini" {
            assert_eq!(read(agent, file, 0).failure, *want, "{agent}/{file} with exit code 0");
        }
    }
}

/// The service's own words stand in the real lines: whatever they are, its status says the class.
#[test]
fn what_the_service_says_is_no_sign_of_what_ran_out() {
    const WORDS: &str = "Budget has been exceeded! budget reached, usage limit, quota, Not logged in, 401 status \
                         500, exceeded retry limit, last status: 429 Too Many Requests";
    for (agent, file, exit, said, want) in [
        ("codex", "0.169.0/status-400.jsonl", 1, "prompt is too long", AgentFailure::Usage),
        ("codex", "0.169.0/status-401.jsonl", 1, "bad key", AgentFailure::NotLoggedIn),
        ("codex", "0.169.0/status-404.jsonl", 1, "model: nope", AgentFailure::Usage),
        ("codex", "0.169.0/status-529.jsonl", 1, "Overloaded", AgentFailure::Overload),
        ("claude", "2.1.330/status-400.jsonl", 1, "Prompt is too long", AgentFailure::Usage),
        ("claude", "2.1.330/status-401.jsonl", 1, "bad key", AgentFailure::NotLoggedIn),
        ("claude", "2.1.330/status-404.jsonl", 1, "an issue with the selected model", AgentFailure::Usage),
        ("claude", "2.1.330/status-500.jsonl", 1, "boom", AgentFailure::Overload),
        ("gemini", "0.61.0/status-400.jsonl", 144, "The script answers", AgentFailure::Usage),
        ("gemini", "0.61.0/status-500.jsonl", 244, "The script answers", AgentFailure::Overload),
        ("opencode", "1.18.33/status-401.jsonl", 1, "The script answers", AgentFailure::NotLoggedIn),
        ("pi", "0.73.1/status-401.jsonl", 0, "The script answers", AgentFailure::NotLoggedIn),
    ] {
        let text = fs::read_to_string(folder().join(agent).join(file)).unwrap();
        let found = said_so(agent, &text, exit, said, WORDS);
        assert_eq!(found.failure, Some(want), "{agent}/{file}");
        if file.contains("status-401") && matches!(agent, "opencode" | "pi") {
            for (status, want) in [
                ("400", AgentFailure::Usage),
                ("402", AgentFailure::NoCredit),
                ("500", AgentFailure::Overload),
                ("503", AgentFailure::Overload),
            ] {
                let text = text.replace("401", status);
                let found = said_so(agent, &text, exit, said, WORDS);
                assert_eq!(found.failure, Some(want), "{agent} {status}");
            }
        }
    }
    // What codex was answered to a bad request has no status before it.
    let line = r#"{"type":"turn.failed","error":{"message":"Budget has been exceeded! Current cost: 10.2"}}"#;
    assert_eq!(said_so("codex", line, 1, "10.2", "10.3").failure, Some(AgentFailure::Network));
}

/// The stream of an agent with `words` in the place of `said`.
fn said_so(agent: &str, text: &str, exit: i32, said: &str, words: &str) -> Found {
    let changed = text.replace(said, words);
    assert!(changed != text, "{agent} did not say `{said}`");
    let mut stream = AgentStream::new(&read_text(agent, builtin(agent).unwrap()).unwrap());
    stream.feed(changed.as_bytes());
    stream.finish(Some(exit))
}

#[test]
fn every_transcript_is_read_here() {
    let mut missing = Vec::new();
    for agent in BUILTIN {
        for version in fs::read_dir(folder().join(agent)).into_iter().flatten().flatten() {
            for file in fs::read_dir(version.path()).unwrap().flatten() {
                let name = format!("{}/{}", version.file_name().display(), file.file_name().display());
                let is_read = CASES.iter().any(|(known, file, ..)| *known == agent && *file == name);
                if !is_read && !name.ends_with("rollout.jsonl") {
                    missing.push(format!("{agent}/{name}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "add these to the table: {missing:?}");
}

#[test]
fn a_finished_session_gives_its_message_and_no_more() {
    for (agent, file) in [
        ("claude", "2.1.330/finished.jsonl"),
        ("codex", "0.169.0/finished.jsonl"),
        ("gemini", "0.61.0/finished.jsonl"),
        ("opencode", "1.18.33/finished.jsonl"),
        ("pi", "0.73.1/finished.jsonl"),
    ] {
        let found = read(agent, file, 0);
        let message = found.message.unwrap();
        assert!(message.starts_with("An example first:\n\n```python\n"), "{agent}: {message}");
        let claim = tdd_result::read(&message, Role::Implementer, &["/repo"]).unwrap();
        assert_eq!(claim.files[0].as_str(), "src/new.py", "{agent}");
        assert_eq!(found.trust, Trust::Earned, "{agent}");
        assert_eq!(found.reset, None, "{agent}");
    }
    assert_eq!(read("claude", "2.1.330/finished.jsonl", 0).turns, Some(4));
    assert_eq!(read("codex", "0.169.0/finished.jsonl", 0).turns, Some(2));
    assert!(read("codex", "0.169.0/finished.jsonl", 0).session.is_some());
    let gemini = read("gemini", "0.61.0/finished.jsonl", 0);
    assert_eq!(
        (gemini.turns, gemini.used.usage.output, gemini.used.usage.input),
        (Some(3), Some(80), Some(68))
    );
}

#[test]
fn an_empty_answer_is_no_message_whatever_the_exit_code_says() {
    for (agent, file) in [
        ("claude", "2.1.330/empty.jsonl"),
        ("codex", "0.169.0/empty.jsonl"),
        ("gemini", "0.61.0/empty.jsonl"),
        ("opencode", "1.18.33/empty.jsonl"),
        ("pi", "0.73.1/empty.jsonl"),
    ] {
        let found = read(agent, file, 0);
        assert!(found.message.is_none(), "{agent}: {:?}", found.message);
        assert_eq!(found.failure, None, "{agent}");
    }
}

#[test]
fn settings_that_were_dropped_without_a_word_are_noticed() {
    let found = read("claude", "2.1.330/settings-dropped.jsonl", 0);
    assert_eq!(found.trust, Trust::Lost);
    // The stream is whole and well in every other way.
    assert!(found.message.is_some_and(|message| tdd_result::holds_block(&message)));
    assert_eq!(found.failure, None);
}

#[test]
fn a_usage_limit_tells_when_it_is_lifted() {
    assert_eq!(read("claude", "2.1.330/usage-limit.jsonl", 1).reset, Some(Reset::At(1_795_400_000)));
    let words = Reset::Words("Nov 23rd, 2026 2:13 AM".to_owned());
    assert_eq!(read("codex", "0.169.0/usage-limit.jsonl", 1).reset, Some(words));
}

#[test]
fn what_went_wrong_is_told_in_the_agent_s_own_words() {
    for (agent, file, words) in [
        ("claude", "2.1.330/settings-refused.jsonl", "Expected boolean, but received string"),
        ("claude", "2.1.330/not-logged-in.jsonl", "Not logged in · Please run /login"),
        ("claude", "2.1.330/turn-cap.jsonl", "Reached maximum number of turns (2)"),
        ("gemini", "0.61.0/cut.jsonl", "[API Error: terminated]"),
        ("codex", "0.169.0/status-401.jsonl", "unexpected status 401 Unauthorized: bad key"),
    ] {
        let error = read(agent, file, 1).error.unwrap();
        assert!(error.contains(words), "{agent}/{file}: {error}");
    }
    assert_eq!(read("claude", "2.1.330/finished.jsonl", 0).error, None);
}

#[test]
fn what_the_program_refused_is_named_by_its_path() {
    assert_eq!(read("claude", "2.1.330/finished.jsonl", 0).denied, ["/repo/tests/t2.py"]);
    let rollout = fs::read_to_string(folder().join("codex/0.169.0/rollout.jsonl")).unwrap();
    let found = codex_with("finished.jsonl", &rollout, Usage::default());
    assert_eq!((found.denied, found.turns), (vec!["tests/new.py".to_owned()], Some(3)));
}

/// Codex's stream and its own record, where the session had used something `before`.
fn codex_with(file: &str, rollout: &str, before: Usage) -> Found {
    let mut stream = AgentStream::new(&read_text("codex", builtin("codex").unwrap()).unwrap()).after(before);
    if !file.is_empty() {
        stream.feed(&fs::read(folder().join("codex/0.169.0").join(file)).unwrap());
    }
    rollout.as_bytes().chunks(11).for_each(|chunk| stream.hear_record(chunk));
    stream.finish(Some(0))
}

/// Three commands, a script of two, a script of none, a patch: four responses, and five commands and a patch in
/// the stream.
#[test]
fn a_turn_of_codex_is_a_response_however_many_commands_it_runs() {
    let whole = fs::read_to_string(folder().join("codex/0.169.0/batches-rollout.jsonl")).unwrap();
    let resumed = whole.match_indices("task_started").nth(1).unwrap().0;
    let (first, _) = whole.split_at(whole[..resumed].rfind('\n').unwrap() + 1);
    let bare = read("codex", "0.169.0/batches.jsonl", 0);
    assert_eq!(bare.turns, Some(6), "all that the stream tells");
    let found = codex_with("batches.jsonl", first, Usage::default());
    assert_eq!((found.turns, found.used), (Some(4), bare.used));
    // What tells the responses of an earlier version apart.
    let older = first.replace("sampled_through_sequence", "unknown");
    assert_eq!(codex_with("batches.jsonl", &older, Usage::default()).turns, Some(4));
    // In the run that goes on with the session.
    let found = codex_with("", &whole, bare.used.session);
    assert_eq!(
        (found.turns, found.used.usage.input, found.used.usage.output),
        (Some(1), Some(12_602), Some(40))
    );
    assert_eq!(found.used.session.input, Some(44_087));
}

#[test]
fn a_codex_that_is_stopped_tells_its_use_in_its_record() {
    let whole = fs::read_to_string(folder().join("codex/0.169.0/batches-rollout.jsonl")).unwrap();
    let at = whole.find("token_count").unwrap();
    let used = |rollout: &str, file| {
        let used = codex_with(file, rollout, Usage::default()).used.usage;
        (used.input, used.output)
    };
    // In the middle of a line, before the calls of the first response were over.
    assert_eq!(used(&whole[..at], ""), (Some(6_297), Some(20)));
    for hostile in [
        "",
        "no JSON\n{\n[1]\n",
        "{\"type\":\"token_usage_record\",\"payload\":{\"thread_token_usage\":{\"input_tokens\":-1,\"output_tokens\":1e300}}}\n",
        "{\"type\":\"token_usage_record\",\"payload\":[]}\n{\"type\":\"token_usage_record\"}\n",
    ] {
        assert_eq!(used(hostile, ""), (None, None), "{hostile}");
        assert_eq!(used(hostile, "batches.jsonl"), (Some(31_485), Some(100)), "{hostile}");
    }
    let low = "{\"type\":\"token_usage_record\",\"payload\":{\"thread_token_usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n";
    assert_eq!(
        used(low, "batches.jsonl"),
        (Some(31_485), Some(100)),
        "it never takes away from the stream's"
    );
}
