//! The conformance kit over the real programs of agents (`TDD_TEST_AGENTS` names the folder where
//! they are), and what `tdd doctor` says when it can't begin.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sandbox::{Ran, Sandbox, agents, path_with};

/// Which agents are proven: with `TDD_AGENTS=all` the slow ones, too.
fn names() -> Vec<&'static str> {
    let all = std::env::var_os("TDD_AGENTS").is_some_and(|value| value == "all");
    if all { vec!["claude", "codex", "opencode", "gemini", "pi"] } else { vec!["claude", "codex"] }
}

/// What is proven of each agent for every change, one of each kind: an agent takes a second or two for each.
const SAMPLE: &str =
    "prompt,role,tools,planted,block-before-call,session,protected-shell,turn-cap,401,ctrl-c";

/// `TDD_KIT=all` proves all obligations, as `.ci/nightly/agents` does.
fn proves_all() -> bool {
    let is_all = |name: &str| std::env::var_os(name).is_some_and(|value| value == "all");
    is_all("TDD_KIT") || is_all("TDD_AGENTS") || std::env::var_os("UPDATE_FIXTURES").is_some()
}

/// `tdd doctor` at the strongest level that works here.
fn doctor(sandbox: &Sandbox, agents: &Path) -> Command {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.env("PATH", path_with(agents)).env("TDD_SANDBOX", "auto");
    command.arg("doctor");
    command
}

fn page_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/agents.md")
}

#[test]
fn agents_meet_their_obligations_and_the_page_says_so() {
    left_to_the_night!();
    let Some(agents) = agents(&names()) else { return };
    let sandbox = Sandbox::with(&[("a", "")]);
    let mut command = doctor(&sandbox, &agents);
    for name in names() {
        command.args(["--agent", name]);
    }
    if !proves_all() {
        command.args(["--only", SAMPLE]);
    }
    let ran = Ran::of(&command.arg("--markdown").output().unwrap()).expect(0);
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::write(page_file(), &ran.stdout).unwrap();
        return;
    }
    let (found, kept) = (columns(&ran.stdout), columns(&std::fs::read_to_string(page_file()).unwrap()));
    for (agent, verdicts) in found {
        let kept = kept.get(&agent).unwrap_or_else(|| panic!("specs/agents.md does not know {agent}"));
        // Without an OS sandbox what was refused is put back.
        let plain = |verdict: &String| verdict.replace("met: put back", "met: refused");
        for (row, verdict) in &verdicts {
            let kept = kept.get(row).map(plain);
            assert_eq!(Some(plain(verdict)), kept, "{agent}, {row}: specs/agents.md is stale");
        }
        // And its version.
        let count = if proves_all() { kept.len() } else { SAMPLE.split(',').count() + 1 };
        assert_eq!(verdicts.len(), count, "{agent}");
    }
}

/// As it is installed: the program alone, and no project anywhere near.
#[test]
fn a_copy_of_the_program_alone_proves_an_agent() {
    left_to_the_night!();
    let Some(agents) = agents(&["claude"]) else { return };
    let sandbox = Sandbox::empty();
    let copy = sandbox.beside("installed/tdd");
    std::fs::create_dir(copy.parent().unwrap()).unwrap();
    // By another process: a program that we write can't be started while a child of another test's, caught
    // between its fork and its exec, holds the descriptor.
    let copied = sandbox.command("cp").arg(env!("CARGO_BIN_EXE_tdd")).arg(&copy).status().unwrap();
    assert!(copied.success());
    let mut command = sandbox.command(&copy);
    command.env("PATH", path_with(&agents)).env("TDD_SANDBOX", "auto");
    command.args(["doctor", "--agent", "claude", "--only", "prompt,402", "--json"]);
    let ran = Ran::of(&command.output().unwrap()).expect(0);
    assert_eq!(ran.stdout.matches("\"verdict\":\"met\"").count(), 2, "{}", ran.stdout);
    assert!(ran.stdout.contains("2.1.330, tested"), "{}", ran.stdout);
}

/// The verdicts of each agent in the table of a page by obligation, and its version.
fn columns(page: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let cells = |row: &str| -> Vec<String> {
        row.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()
    };
    let head = page.lines().find(|line| line.starts_with("| obligation")).unwrap();
    let rows: Vec<Vec<String>> = page.lines().filter(|line| line.starts_with("| `")).map(cells).collect();
    let column = |(index, agent): (usize, String)| {
        let version = page.lines().find(|line| line.starts_with(&format!("- {agent}: "))).unwrap();
        let verdicts = rows.iter().map(|row| (row[0].clone(), row[index].clone()));
        (agent, verdicts.chain([("version".to_owned(), version.to_owned())]).collect())
    };
    cells(head).into_iter().enumerate().skip(2).map(column).collect()
}

#[test]
fn a_table_that_breaks_its_word_is_found_out() {
    left_to_the_night!();
    let Some(agents) = agents(&["claude"]) else { return };
    let claude = include_str!("../../crates/agents/tables/claude.yaml");
    for (obligation, old, new, why) in [
        ("role", "--system-prompt-file", "--add-dir", "not in the system prompt"),
        ("tools", "Read,Grep,Glob,Edit,Write,Bash", "Read,Bash,NotebookEdit", "it offers NotebookEdit"),
        ("block-before-call", "/type: assistant, /parent", "/type: result, /parent", "no message was found"),
        ("401", "[401, 403]", "[499, 403]", "it was taken for"),
    ] {
        assert!(claude.contains(old), "{old}");
        let table = claude.replace(old, new).replace('\n', "\n    ");
        let sandbox = Sandbox::with(&[("tdd.yaml", &format!("agents:\n  mine:\n    {table}\n"))]);
        let mut command = doctor(&sandbox, &agents);
        command.args(["--agent", "mine", "--json", "--only", obligation]);
        let ran = Ran::of(&command.output().unwrap()).expect(1);
        let line: serde_json::Value = serde_json::from_str(ran.stdout.trim()).unwrap();
        assert_eq!(line["verdict"], "not-met", "{line}");
        assert!(line["why"].as_str().unwrap().contains(why), "{line}");
    }
}

#[test]
fn an_agent_that_never_asks_its_model_meets_nothing() {
    let sandbox = Sandbox::with(&[(
        "tdd.yaml",
        "agents:\n  deaf:\n    argv: [sh, -c, 'echo I am done.', '{prompt_file}']\n    \
         kit: { api: chat, env: { URL: '{server}' } }\n",
    )]);
    for (only, why) in
        [("empty", "the model was never asked"), ("401", "an attempt that ended by saying: I am done.")]
    {
        let mut command = doctor(&sandbox, Path::new("/nowhere"));
        command.args(["--agent", "deaf", "--json", "--only", only]);
        let ran = Ran::of(&command.output().unwrap()).expect(1);
        let line: serde_json::Value = serde_json::from_str(ran.stdout.trim()).unwrap();
        assert_eq!(line["verdict"], "not-met", "{line}");
        assert!(line["why"].as_str().unwrap().contains(why), "{line}");
    }
}

#[test]
fn what_keeps_the_kit_from_its_work_is_told() {
    let sandbox = Sandbox::with(&[(
        "tdd.yaml",
        "agents:\n  bare: { argv: [sh, '{prompt_file}'] }\n  \
         gone: { argv: [no-such-program, '{prompt_file}'], kit: { api: chat, env: { URL: '{server}' } } }\n",
    )]);
    for (args, words) in [
        (&["doctor", "--agent", "nobody"][..], &["no agent is named `nobody`"][..]),
        (&["doctor", "--agent", "bare", "--reap"], &["--reap"]),
        (&["doctor", "--markdown"], &["--agent"]),
        (&["doctor", "--agent", "bare"], &["no `kit:` section", "{server}"]),
        (&["doctor", "--agent", "gone"], &["no-such-program"]),
        (&["doctor", "--agent", "gone", "--only", "sense"], &["`sense`", "known are: prompt, role"]),
        (&["doctor", "--agent", "gone", "--model-server", "/dev/null"], &["/dev/null does not start"]),
    ] {
        sandbox.tdd(args).expect(2).says(words);
    }
}
