//! What comes of an agent that does not do its work, through the real binary: a stand-in of the name
//! of a real program prints what that program printed (`fixtures/transcripts`).
#![expect(clippy::disallowed_methods, reason = "a test writes programs and reads what a run kept")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::cycle::{honest_shop_cassette, shop};
use super::sandbox::{Ran, Sandbox, fixtures, has_python};

/// A program beside the repository; it tells this version, and else does what `script` says.
fn program(sandbox: &Sandbox, name: &str, version: &str, script: &str) {
    let path = sandbox.beside("bin").join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = format!("#!/bin/sh\n[ \"$1\" = --version ] && {{ echo '{version}'; exit; }}\n{script}\n");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn tdd(sandbox: &Sandbox, args: &[&str], env: &[(&str, &str)]) -> Ran {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(sandbox.beside("bin")).chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(path).unwrap());
    Ran::of(&command.args(args).envs(env.iter().copied()).output().unwrap())
}

fn play(transcript: &str, exit: i32) -> String {
    format!("cat '{}'; exit {exit}", fixtures().join("transcripts").join(transcript).display())
}

const QUICK: &str = "test: python3 -m unittest discover -s tests -t .\nbackoff: []\n";

#[test]
fn each_outcome_has_its_exit_code_and_says_what_to_do() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let reset = "until 2026-11-23 02:13 UTC";
    for (agent, transcript, exit, code, words) in [
        (
            "claude",
            "claude/2.1.330/status-401.jsonl",
            1,
            2,
            &["is not logged in", "log in with", "`tdd STE-1` starts it anew"][..],
        ),
        ("claude", "claude/2.1.330/not-logged-in.jsonl", 1, 2, &["is not logged in"]),
        (
            "claude",
            "claude/2.1.330/low-credit.jsonl",
            1,
            2,
            &["has no credit left", "top up", "`tdd STE-1` starts"],
        ),
        ("codex", "codex/0.169.0/quota.jsonl", 1, 2, &["has no credit left", "top up"]),
        ("claude", "claude/2.1.330/status-404.jsonl", 1, 2, &["refused its task", "model"]),
        ("claude", "claude/2.1.330/settings-refused.jsonl", 1, 2, &["refused its task", "Expected boolean"]),
        (
            "claude",
            "claude/2.1.330/settings-dropped.jsonl",
            0,
            2,
            &["did not read its settings", "settings_seen"],
        ),
        ("claude", "claude/2.1.330/status-429.jsonl", 1, 3, &["out of its rate limit", "tdd resume"]),
        ("claude", "claude/2.1.330/usage-limit.jsonl", 1, 3, &["out of what its account may use", reset]),
        ("claude", "claude/2.1.330/status-529.jsonl", 1, 3, &["overloaded"]),
        ("claude", "claude/2.1.330/refused.jsonl", 1, 3, &["could not reach its model's service"]),
        ("claude", "claude/2.1.330/turn-cap.jsonl", 1, 1, &["mode E"]),
        ("claude", "claude/2.1.330/cost-cap.jsonl", 1, 1, &["mode E"]),
        ("claude", "claude/2.1.330/empty.jsonl", 0, 1, &["mode D"]),
        ("codex", "codex/0.169.0/status-401.jsonl", 1, 2, &["is not logged in"]),
        (
            "codex",
            "codex/0.169.0/status-400-budget.jsonl",
            1,
            2,
            &["refused its task", "Budget has been exceeded"],
        ),
        ("codex", "codex/0.169.0/cost-cap.jsonl", 1, 1, &["mode E", "token or cost cap"]),
        ("codex", "codex/0.169.0/usage-limit.jsonl", 1, 3, &["until Nov 23rd, 2026 2:13 AM"]),
        ("codex", "codex/0.169.0/status-500.jsonl", 1, 3, &["overloaded"]),
        ("codex", "codex/0.169.0/empty.jsonl", 0, 1, &["mode D"]),
    ] {
        let sandbox = shop();
        sandbox.write("tdd.yaml", QUICK);
        sandbox.commit();
        let before = sandbox.everything();
        let version = if agent == "claude" { "2.1.330 (Claude Code)" } else { "codex-cli 0.169.0" };
        program(&sandbox, agent, version, &play(transcript, exit));
        let ran = tdd(&sandbox, &["STE-1", "--agent", agent], &[]);
        let shown = format!("{transcript}: exit {}\n{}{}", ran.code, ran.stdout, ran.stderr);
        assert_eq!(ran.code, code, "{shown}");
        for word in words {
            assert!(shown.contains(word), "no `{word}` in {shown}");
        }
        if code == 2 {
            assert_eq!(sandbox.everything(), before, "{transcript}");
        }
    }
}

#[test]
fn after_the_first_child_the_same_failure_pauses_the_run() {
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let cassette = sandbox.beside("cassette.yaml");
    std::fs::write(&cassette, honest_shop_cassette()).unwrap();
    sandbox.write(
        "tdd.yaml",
        &format!(
            "{QUICK}agent: mine\nroles: {{ implementer: {{ agent: claude }} }}\nagents:\n  mine:\n    like: scripted\n    \
             argv: [\"{{tdd}}\", __agent, --cassette, \"{}\", --role, \"{{role}}\", --criterion, \"{{criterion}}\", --number, \"{{number}}\", --prompt-file, \"{{prompt_file}}\"]\n",
            cassette.display()
        ),
    );
    sandbox.commit();
    program(&sandbox, "claude", "2.1.330", &play("claude/2.1.330/status-401.jsonl", 1));
    tdd(&sandbox, &["STE-1"], &[]).expect(3).says(&["is not logged in", "tdd resume"]);
    assert_eq!(sandbox.events().last().map(String::as_str), Some("paused"));
    program(&sandbox, "claude", "2.1.330", &play("claude/2.1.330/low-credit.jsonl", 1));
    let ran = tdd(&sandbox, &["resume"], &[]).expect(3).says(&["has no credit left", "top up", "tdd resume"]);
    assert!(!ran.stderr.contains("log in with"), "{}", ran.stderr);
}

#[test]
fn a_program_that_is_slow_to_tell_its_version_is_asked_once_and_named() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    sandbox.write("tdd.yaml", QUICK);
    sandbox.commit();
    program(&sandbox, "claude", "2.1.330", &play("claude/2.1.330/status-529.jsonl", 1));
    let path = sandbox.beside("bin/claude");
    let script = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, script.replace("&& { echo", "&& { sleep 3; echo")).unwrap();
    let ran = tdd(&sandbox, &["STE-1", "--agent", "claude"], &[]).expect(3);
    assert_eq!(ran.stderr.matches("waiting for `claude --version`").count(), 1, "{}", ran.stderr);
    assert!(!ran.stderr.contains("unknown version"), "{}", ran.stderr);
}

#[test]
fn a_version_that_was_never_tried_is_said_and_one_too_old_is_refused() {
    if !has_python() {
        return;
    }
    for (version, code, words) in [
        ("2.1.299 (Claude Code)", 2, &["is too old: version 2.1.299", "from 2.1.300 on", "2.1.330"][..]),
        ("1.0.0", 2, &["is too old: version 1.0.0"]),
        (
            "99.0.0",
            3,
            &[
                "warning: the agent `claude` is version 99.0.0, newer than any tested (2.1.330)",
                "tdd doctor --agent claude",
            ],
        ),
        ("what", 3, &["warning: the agent `claude` is an unknown version (tested: 2.1.330)"]),
    ] {
        let sandbox = shop();
        sandbox.write("tdd.yaml", QUICK);
        sandbox.commit();
        program(&sandbox, "claude", version, &play("claude/2.1.330/status-529.jsonl", 1));
        let ran = tdd(&sandbox, &["STE-1", "--agent", "claude"], &[]).expect(code).says(words);
        assert_eq!(ran.stderr.matches("warning").count(), usize::from(code == 3), "once: {}", ran.stderr);
        assert_eq!(sandbox.path(".tdd/runs").exists(), code == 3, "{version}");
    }
}

/// Every file of the newest run but the raw logs and the agents' own folders.
fn kept(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            if !["logs", "state"].contains(&name.as_str()) {
                kept(&entry.path(), found);
            }
        } else if entry.file_type().unwrap().is_file() {
            found.push((name, String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()).into_owned()));
        }
    }
}

const KEY: &str = "k-0123456789-very-secret-abcdef";

#[test]
fn an_agent_that_prints_its_key_is_not_quoted() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let block = |notes: &str| {
        format!(
            "printf '```tdd-result\\nrole: test-writer\\nstatus: failed\\nfiles: []\\ncommand: run %s\\noutput_excerpt: |\\n  %s\\n{notes}```\\n' $MINE_API_KEY $MINE_API_KEY $MINE_API_KEY"
        )
    };
    for (script, more, code) in [
        ("echo $MINE_API_KEY".to_owned(), "", 1),
        (block("notes: has %s\\n"), "", 1),
        (block("dispute:\\n  tests: [a]\\n  reason: it is %s\\n"), "", 1),
        ("printf '```tdd-result\\nrole: %s\\n```\\n' $MINE_API_KEY".to_owned(), "", 1),
        ("echo $MINE_API_KEY; exit 9".to_owned(), "    exit_map: { 9: not-logged-in }\n", 2),
        (
            "echo \"limit, try again in $MINE_API_KEY\"; exit 8".to_owned(),
            "    exit_map: { 8: overload }\n",
            3,
        ),
    ] {
        let sandbox = shop();
        program(&sandbox, "mine", "1.0", &script);
        sandbox.write(
            "tdd.yaml",
            &format!("{QUICK}agent: mine\nagents:\n  mine:\n    argv: [mine, \"{{prompt_file}}\"]\n{more}"),
        );
        sandbox.commit();
        let ran = tdd(&sandbox, &["STE-1"], &[("MINE_API_KEY", KEY)]).expect(code);
        let mut files = Vec::new();
        kept(&sandbox.run_dir(), &mut files);
        files.push(("stdout".to_owned(), ran.stdout));
        files.push(("stderr".to_owned(), ran.stderr));
        assert!(
            files.iter().any(|(_, text)| text.contains("[masked]")),
            "{script}: nothing was there to mask"
        );
        for (name, text) in files {
            assert!(!text.contains(KEY), "{script}: the key is in {name}: {text}");
        }
    }
}

/// In the requirement itself: whatever is kept, said or told to a role has it masked, and the work is done.
#[test]
fn a_secret_in_a_criterion_is_in_nothing_that_is_kept_or_shown() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let (token, word, own) =
        (format!("ghp_{}", "aB3dE6gH9".repeat(4)), "hunter2hunter2", "my-own-secret-0123");
    let secrets = [token.as_str(), word, own];
    let text = format!(
        "# Two by {token}\n\n## Acceptance Criteria\n\n- AC-STE-1.1: `two()` gives 2, with {token} at \
         https://bob:{word}@example.org/x and {own}.\n"
    );
    let sandbox = shop();
    sandbox.write("specs/frs/STE-1.md", &text);
    let file = |name: &str, text: String| {
        let file = sandbox.beside(name);
        std::fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let honest = file("honest.yaml", honest_shop_cassette());
    let wrong = file("wrong.yaml", honest_shop_cassette().replace("return 2", "return 3"));
    let own_test = "tests/test_ac_ste_1_1.py";
    let calls: [(&[&str], i32); 15] = [
        (&["criteria", "STE-1"], 0),
        (&["criteria", "STE-1", "--json"], 0),
        (&["STE-1", "--dry-run", "--cassette", &honest], 0),
        (&["STE-1", "--dry-run", "--json", "--cassette", &honest], 0),
        (&["STE-1", "--cassette", &wrong], 1),
        (&["status"], 0),
        (&["status", "--json"], 0),
        (&["log"], 0),
        (&["log", "--json"], 0),
        // The file is read once more, which tells the run's own text from it.
        (&["resume", "--edited", "--json", "--cassette", &honest], 0),
        (&["STE-1", "--cassette", &honest], 0),
        (&["status"], 0),
        (&["log", "--json"], 0),
        // The person's own test lies where the role's was.
        (&["undo"], 2),
        (&["undo", "--discard-changes"], 0),
    ];
    let mut was_masked = false;
    for (args, code) in calls {
        if args.contains(&"--edited") {
            sandbox.write(own_test, &sandbox.read(own_test).replace("test_new", "test_mine"));
        }
        let ran = tdd(&sandbox, args, &[("MY_TOKEN", own)]).expect(code);
        let shown = format!("{}{}", ran.stdout, ran.stderr);
        was_masked |=
            shown.contains("gives 2, with [masked] at https://bob:[masked]@example.org/x and [masked]");
        for secret in secrets {
            assert!(!shown.contains(secret), "{args:?}: {shown}");
        }
    }
    assert!(was_masked, "nothing was there to mask");
    let run = sandbox.run_dir();
    let side = std::fs::read_dir(run.join("files")).unwrap().map(|file| file.unwrap().path());
    let named =
        ["events.jsonl", "summary.txt", "summary.json", "halt.txt", "halt.json"].map(|name| run.join(name));
    let mut prompts = 0;
    for path in named.into_iter().chain(side) {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        prompts += usize::from(text.contains("gives 2, with [masked] at"));
        for secret in secrets {
            assert!(!text.contains(secret), "{}: {text}", path.display());
        }
    }
    assert!(prompts > 1, "the roles read it masked");
}

/// Also where a role names a file after a secret: what is proposed is a command that works.
#[test]
fn a_secret_in_a_file_s_name_is_in_no_report_and_in_no_command() {
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let secret = "not-a-real-secret-0123";
    let cassette = sandbox.beside("cassette.yaml");
    let named = format!("  write:\n    a-{secret}.txt: x\n    shop.py: |");
    std::fs::write(&cassette, honest_shop_cassette().replace("  write:\n    shop.py: |", &named)).unwrap();
    let args = ["STE-1", "--cassette", cassette.to_str().unwrap()];
    let ran = tdd(&sandbox, &args, &[("MY_API_KEY", secret)]).expect(0);
    let shown = format!("{}{}", ran.stdout, ran.stderr);
    assert!(!shown.contains(secret), "{shown}");
    let command = shown.lines().find(|line| line.trim().starts_with("git add")).unwrap();
    assert!(command.contains(":/shop.py") && !command.contains("masked"), "{command}");
    assert!(shown.contains("leaves out 1 file"), "{shown}");
}

#[test]
fn a_fixer_that_can_t_work_is_answered_with_a_command_of_tdd_fix() {
    let sandbox = Sandbox::with(&[("a.cfg", "bad\n"), ("tdd.yaml", "backoff: []\n")]);
    sandbox.write("change.cfg", "x");
    program(&sandbox, "claude", "2.1.330", &play("claude/2.1.330/status-529.jsonl", 1));
    let args = ["fix", "--check", "! grep bad a.cfg", "--agent", "claude"];
    let ran = tdd(&sandbox, &args, &[]).expect(3);
    let goes_on = "then `tdd fix --check '! grep bad a.cfg' --agent claude` goes on";
    assert!(ran.stderr.contains(goes_on) && !ran.stderr.contains("tdd resume"), "{}", ran.stderr);
    let help = sandbox.tdd(&["fix", "--help"]).expect(0).stdout;
    assert!(!help.contains("tdd resume --max-usd"), "{help}");
}

/// The honest cassette, its implementer without a block: the code that it writes is right, or there is none.
fn forgetful(code: &str) -> String {
    let honest = honest_shop_cassette();
    let (before, rest) = honest.split_once("- role: implementer\n").unwrap();
    let after = &rest[rest.find("- role: refactorer").unwrap()..];
    format!("{before}- role: implementer\n{code}  misbehave: no-block\n{after}")
}

const RIGHT: &str = "  write:\n    shop.py: |\n      def one():\n          return 1\n\n\n      def two():\n          return 2\n";

#[test]
fn ac_tdd_7_7_work_without_a_block_that_passes_is_taken_by_the_operator_s_word() {
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let cassette = sandbox.beside("cassette.yaml");
    std::fs::write(&cassette, forgetful(RIGHT)).unwrap();
    let cassette = cassette.to_str().unwrap();
    let before = sandbox.read("shop.py");
    let halted = tdd(&sandbox, &["STE-1", "--cassette", cassette], &[]).expect(1);
    for words in ["failure mode: D", " --take", "work that measures as passed, without a valid block: "] {
        assert!(halted.stdout.contains(words), "no `{words}` in {}", halted.stdout);
    }
    assert_eq!((sandbox.read("shop.py"), sandbox.forks()), (before, 3), "it is a checkpoint and no more");
    let measured =
        |sandbox: &Sandbox| sandbox.events().iter().filter(|one| *one == "attempt_measured").count();
    assert_eq!(measured(&sandbox), 2);
    let taken = tdd(&sandbox, &["resume", "--take", "--cassette", cassette, "--json"], &[]).expect(0);
    let summary = taken.stdout.lines().last().unwrap();
    let summary: serde_json::Value = serde_json::from_str(summary).unwrap();
    let no_claim = serde_json::json!([{ "key": "implementer AC-STE-1.1", "attempt": 2 }]);
    assert_eq!((&summary["type"], &summary["no_claim"]), (&"summary".into(), &no_claim));
    assert_eq!((sandbox.forks(), measured(&sandbox)), (4, 3), "the refactorer alone");
    assert!(sandbox.read("shop.py").contains("return 2"));
    // What is finished can't be taken once more.
    let run = sandbox.run_dir().file_name().unwrap().to_str().unwrap().to_owned();
    tdd(&sandbox, &["resume", &run, "--take", "--cassette", cassette], &[]).expect(2).says(&["is finished"]);
}

#[test]
fn work_without_a_block_that_fails_is_not_taken_and_says_what_to_do() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    for settings in ["", "on_missing_block: take\n"] {
        let sandbox = shop();
        sandbox.write("tdd.yaml", &format!("{QUICK}{settings}"));
        sandbox.commit();
        let cassette = sandbox.beside("cassette.yaml");
        std::fs::write(&cassette, forgetful("")).unwrap();
        let cassette = cassette.to_str().unwrap();
        let halted = tdd(&sandbox, &["STE-1", "--cassette", cassette], &[]).expect(1);
        assert!(halted.stdout.contains("failure mode: D") && !halted.stdout.contains("--take"));
        let words =
            ["no work that could be taken", "nothing but a valid block is missing", "--retry", "halt.txt"];
        tdd(&sandbox, &["resume", "--take", "--cassette", cassette], &[]).expect(2).says(&words);
        assert_eq!(sandbox.forks(), 3);
    }
}

#[test]
fn the_settings_may_take_work_without_a_block_at_once() {
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let cassette = sandbox.beside("cassette.yaml");
    std::fs::write(&cassette, forgetful(RIGHT)).unwrap();
    let args = ["STE-1", "--cassette", cassette.to_str().unwrap()];
    sandbox.write("tdd.yaml", &format!("{QUICK}on_missing_block: keep\n"));
    sandbox.commit();
    tdd(&sandbox, &args, &[]).expect(2).says(&["on_missing_block", "`keep`", "halt, take"]);
    sandbox.write("tdd.yaml", &format!("{QUICK}on_missing_block: take\n"));
    sandbox.commit();
    let ran =
        tdd(&sandbox, &args, &[]).expect(0).says(&["AC-STE-1.1 green: ", "; the agent claimed nothing"]);
    assert!(ran.stdout.contains("no claim: implementer AC-STE-1.1, attempt 2"), "{}", ran.stdout);
    assert_eq!(sandbox.forks(), 4);
}

/// A table of one's own that calls `mine`, with these keys besides.
fn own_table(more: &str) -> String {
    format!(
        "{QUICK}agent: mine\nagents:\n  mine: {{ argv: [mine, \"{{prompt_file}}\"], message: {{ from: stdout }}{more} }}\n"
    )
}

#[test]
fn ac_tdd_6_40_a_program_that_fails_is_told_as_that_before_all_else() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let no_block = "ended without the result block";
    for (script, more, said, not_said) in [
        (
            "echo '401 key missing' >&2; exit 1",
            "",
            "the test-writer (`mine`) ended with exit code 1: 401 key missing",
            "name its file with",
        ),
        ("exit 7", "", "(`mine`) ended with exit code 7, and printed nothing", "name its file with"),
        ("kill -9 $$", "", "(`mine`) ended, killed by signal 9, and printed nothing", "name its file with"),
        // What looks like it: a code that is none of failure, and words without a block.
        ("echo 'I am done'; exit 3", ", ok_exit: [0, 3]", no_block, "exit code 3: "),
        ("echo 'I am done'", "", no_block, "exit code 0: "),
        ("exit 0", "", "(`mine`) ended without a final message, and printed nothing", "nothing; "),
    ] {
        let sandbox = shop();
        sandbox.write("tdd.yaml", &own_table(more));
        sandbox.commit();
        program(&sandbox, "mine", "mine 1.0", script);
        let ran = tdd(&sandbox, &["STE-1"], &[]);
        assert_eq!(ran.code, 1, "{script}: {}{}", ran.stdout, ran.stderr);
        let first = ran.stdout.lines().next().unwrap();
        let cause = ran.stdout.lines().find(|line| line.starts_with("cause: ")).unwrap();
        for line in [first, cause] {
            assert!(line.contains(said) && !line.contains(not_said), "{script}: {line}");
        }
        let is_dead = !said.contains("without");
        let (_, close) = ran.stdout.rsplit_once("recommended: ").unwrap();
        let close = close.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(close.contains("see why the program of `mine` fails"), is_dead, "{script}: {close}");
    }
}
