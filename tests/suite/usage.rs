//! What agents use: told wherever a run is told, and bounded per attempt and per run.

use std::path::PathBuf;

use serde_json::Value;

use super::cycle::{honest_shop_cassette, shop};
use super::sandbox::{Ran, Sandbox, has_python};
use tdd_core::machine::Machine;

/// The honest cassette with more keys for each role, test-writer first.
fn cassette_with(more: [&str; 3]) -> String {
    let mut text = honest_shop_cassette();
    for (role, more) in ["test-writer", "implementer", "refactorer"].iter().zip(more) {
        let head = format!("- role: {role}\n");
        text = text.replace(&head, &format!("{head}{more}"));
    }
    text
}

fn put(sandbox: &Sandbox, name: &str, text: &str) -> PathBuf {
    let path = sandbox.repo().parent().unwrap().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// `tdd <words> --cassette` with this cassette.
fn tdd(sandbox: &Sandbox, words: &[&str], cassette: &str) -> Ran {
    let file = put(sandbox, "c.yaml", cassette);
    let mut args = words.to_vec();
    args.extend(["--cassette", file.to_str().unwrap()]);
    sandbox.tdd(&args)
}

fn status(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&sandbox.tdd(&["status", "--json"]).expect(0).stdout).unwrap()
}

fn spent(sandbox: &Sandbox) -> Vec<u64> {
    let budgets = status(sandbox)["budgets"].as_array().unwrap().clone();
    budgets.iter().map(|budget| budget["semantic"]["spent"].as_u64().unwrap()).collect()
}

const USES: [&str; 3] = [
    "  usage: [{ input: 1000, cached: 400, output: 50, usd: 0.25 }, { input: 500, output: 50, usd: 0.25 }]\n",
    "  usage: { input: 2000, output: 10, usd: 1 }\n",
    "",
];

#[test]
fn use_is_told_in_summary_status_and_journal() {
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let ran = tdd(&sandbox, &["STE-1", "--verbose"], &cassette_with(USES)).expect(0);
    assert!(ran.stderr.contains("used 1,500 tokens in (400 cached), 100 out, $0.5000"), "{}", ran.stderr);
    for line in [
        "usage: 3,500 tokens in (400 cached), 110 out, $1.50 at least (1 of 3 children did not tell)",
        "  RED: 1,500 tokens in (400 cached), 100 out, $0.5000",
        "  GREEN: 2,000 tokens in, 10 out, $1.00",
        "  REFACTOR: tokens unknown, cost unknown",
        "  AC-STE-1.1: 2,000 tokens in, 10 out, $1.00",
    ] {
        assert!(ran.stdout.contains(line), "no `{line}` in\n{}", ran.stdout);
    }
    let usage = &status(&sandbox)["usage"];
    assert_eq!(usage["total"]["usd"], 1.5);
    assert_eq!(usage["purposes"]["refactor"]["output_tokens"], Value::Null, "never 0");
    assert_eq!(usage["attempts"].as_array().unwrap().len(), 3);
    assert!(sandbox.tdd(&["status"]).expect(0).stdout.contains("usage: 3,500 tokens in"));
    assert_eq!(sandbox.events().iter().filter(|name| *name == "used").count(), 3);
    assert!(sandbox.tdd(&["log"]).expect(0).stdout.contains("used 2,000 tokens in"));
}

#[test]
fn what_no_agent_tells_is_unknown_and_what_is_absurd_too() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let bad = r#"{"type":"tdd-usage","input":-5,"cached":1e300,"output":99999999999999999999,"usd":-1}"#;
    let bad = format!("  print: '{bad}'\n");
    for more in [["", "", ""], [bad.as_str(), bad.as_str(), bad.as_str()]] {
        let ran = tdd(&shop(), &["STE-1"], &cassette_with(more)).expect(0);
        assert!(ran.stdout.contains("usage: unknown, scripted tells none"), "{}", ran.stdout);
    }
}

#[test]
fn ac_tdd_6_46_a_cap_of_the_run_pauses_before_the_next_fork_and_a_higher_one_goes_on() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    for (flag, low, high, said) in [
        ("--max-tokens", "1600", "3200", "1,600 of 1,600 tokens"),
        ("--max-usd", "0.5", "1", "$0.5000 of $0.5000"),
    ] {
        let sandbox = shop();
        let cassette = cassette_with(USES);
        let ran = tdd(&sandbox, &["STE-1", flag, low], &cassette).expect(3);
        let ran = ran.says(&[
            "cap is reached",
            said,
            &format!("--cassette {}", put(&sandbox, "c.yaml", &cassette).display()),
            flag,
        ]);
        assert_eq!((sandbox.forks(), spent(&sandbox)), (1, vec![0]), "{}", ran.stderr);
        tdd(&sandbox, &["resume"], &cassette).expect(3).says(&["cap is reached"]);
        assert_eq!(sandbox.forks(), 1, "nothing was forked");
        let paused = tdd(&sandbox, &["resume", "--json=summary", "--quiet"], &cassette).expect(3).stdout;
        let resume = serde_json::from_str::<Value>(&paused).unwrap()["resume"].as_str().unwrap().to_owned();
        assert!(resume.ends_with(&format!(" {flag} {high}")), "{resume}");
        let words: Vec<&str> = resume.split(' ').skip(1).collect();
        sandbox.tdd(&words).expect(3).says(&["cap is reached"]);
        tdd(&sandbox, &["resume", flag, "99999"], &cassette).expect(0);
        assert_eq!((sandbox.forks(), spent(&sandbox)), (3, vec![0, 0, 0]));
        assert!(sandbox.events().contains(&"capped".to_owned()));
    }
}

const RUNS_OVER: &str = "  usage: [{ output: 60, usd: 0.6 }, { output: 60, usd: 0.6 }]\n  misbehave: hang\n";

#[test]
fn a_cap_of_the_run_stops_the_child_that_runs_over_and_spends_no_budget() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    for (flag, low, high) in
        [("--max-tokens", "100", "1M"), ("--max-usd", "1", "9"), ("--max-wall", "6s", "1h")]
    {
        let sandbox = shop();
        tdd(&sandbox, &["STE-1", flag, low], &cassette_with([RUNS_OVER, "", ""])).expect(3).says(&[
            "cap is reached",
            flag,
            "does not count",
        ]);
        assert_eq!((sandbox.forks(), spent(&sandbox)), (1, vec![0]));
        tdd(&sandbox, &["resume", flag, high], &cassette_with(USES)).expect(0);
        assert_eq!(spent(&sandbox), [0, 0, 0]);
        let usage = &status(&sandbox)["usage"];
        let failed = &usage["purposes"]["failed_attempts"];
        assert_eq!(failed["output_tokens"], 120, "what the stopped child used counts: {usage}");
        assert_eq!(usage["total"]["output_tokens"], 230);
    }
}

#[test]
fn a_cap_of_an_attempt_is_mode_e() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    for (flag, cap, why) in [
        ("--max-tokens-attempt", "100", "token or cost cap"),
        ("--max-usd-attempt", "1", "token or cost cap"),
        ("--max-wall-attempt", "1s", "its deadline passed"),
    ] {
        let sandbox = shop();
        let ran = tdd(&sandbox, &["STE-1", flag, cap], &cassette_with([RUNS_OVER, "", ""])).expect(1);
        assert!(ran.stdout.contains("failure mode: E") && ran.stdout.contains(why), "{}", ran.stdout);
        assert!(
            ran.stdout.contains("failed attempts: unknown tokens in, 240 out")
                || flag == "--max-wall-attempt",
            "{}",
            ran.stdout
        );
        assert_eq!((sandbox.forks(), spent(&sandbox)), (2, vec![2]));
        let again = format!("--cassette {}", put(&sandbox, "c.yaml", "").display());
        assert!(ran.stdout.contains(&again), "the proposed commands repeat it: {}", ran.stdout);
    }
}

#[test]
fn caps_are_settings_too() {
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let yaml = format!("{}max_tokens: 1k\nmax_usd_attempt: 3.5\n", sandbox.read("tdd.yaml"));
    sandbox.write("tdd.yaml", &yaml);
    tdd(&sandbox, &["STE-1"], &cassette_with(USES)).expect(3).says(&["--max-tokens"]);
    let caps = &status(&sandbox)["usage"]["caps"];
    assert_eq!((&caps["run"]["tokens"], &caps["attempt"]["micro_usd"]), (&1000.into(), &3_500_000.into()));
}

#[test]
fn a_cap_that_can_t_hold_is_refused_before_the_first_fork() {
    let sandbox = shop();
    let table = "agent: mine\nagents:\n  mine:\n    argv: [python3, agent.py, \"{prompt_file}\"]\n    usage: {of: run, output: /out}\n";
    sandbox.write("tdd.yaml", &format!("{}{table}", sandbox.read("tdd.yaml")));
    sandbox.tdd(&["STE-1", "--max-usd", "5"]).expect(2).says(&[
        "--max-usd",
        "`mine`",
        "usage:",
        "--max-tokens",
    ]);
    sandbox
        .tdd(&["STE-1", "--max-usd-attempt", "5"])
        .expect(2)
        .says(&["--max-usd-attempt can't be held", "use --max-tokens-attempt instead"]);
    for (flag, value) in [
        ("--max-usd", "-1"),
        ("--max-usd", "nan"),
        ("--max-tokens", "0"),
        ("--max-tokens", "99999999999999999999"),
        ("--max-wall", "10"),
        ("--max-wall-attempt", "2 days"),
    ] {
        let equals = format!("{flag}={value}");
        sandbox.tdd(&["STE-1", &equals]).expect(2).says(&[flag, value, "It wants"]);
    }
    sandbox.write("tdd.yaml", "test: \"true\"\nmax_usd: lots\n");
    sandbox.tdd(&["STE-1"]).expect(2).says(&["tdd.yaml:2", "max_usd", "`lots`"]);
}

#[test]
fn a_journal_from_before_use_was_told_still_replays() {
    if !has_python() {
        return;
    }
    let sandbox = shop();
    tdd(&sandbox, &["STE-1"], &cassette_with(USES)).expect(0);
    let records = tdd::world::journal_file::read_for_state(&sandbox.run_dir()).unwrap();
    let old = records
        .iter()
        .map(|record| &record.event)
        .filter(|event| !["used", "worked"].contains(&event.name()));
    let state = tdd_core::state::State::replay(old).unwrap().unwrap();
    assert_eq!(state.spending().total.children, 0);
    assert_eq!(state.forks(), 3);
}

/// An agent whose counts go on over a resumed session: 100, then 130 in all.
const SESSION_AGENT: &str = r#"
import sys, pathlib
role, session = sys.argv[1:3]
if role != "test-writer":
    sys.exit("only the test-writer is asked")
print('{"thread": "t-1"}')
if session:
    print('{"total": {"output": 130, "usd": 0.13}}')
    print("```tdd-result\nrole: test-writer\nstatus: failed\nfiles: []\ncommand: t\noutput_excerpt: x\n```")
else:
    print('{"total": {"output": 100, "usd": 0.1}}')
"#;

#[test]
fn counts_of_a_resumed_session_are_told_by_their_steps() {
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let program = put(&sandbox, "agent.py", SESSION_AGENT);
    let program = program.display();
    let table = format!(
        "agent: mine\nbudgets: {{ semantic: 1 }}\nagents:\n  mine:\n    argv: [python3, {program}, \"{{role}}\", \"\"]\n    resume_argv: [python3, {program}, \"{{role}}\", \"{{session}}\"]\n    prompt: stdin\n    session: /thread\n    usage: {{of: session, output: /total/output, usd: /total/usd}}\n"
    );
    sandbox.write("tdd.yaml", &format!("{}{table}", sandbox.read("tdd.yaml")));
    sandbox.tdd(&["STE-1"]).expect(1);
    let usage = &status(&sandbox)["usage"];
    let outputs: Vec<&Value> =
        usage["attempts"].as_array().unwrap().iter().map(|attempt| &attempt["output_tokens"]).collect();
    assert_eq!(outputs, [&Value::from(100), &Value::from(30)], "{usage}");
    assert_eq!(usage["total"]["usd"], 0.13);
    assert_eq!(usage["purposes"]["format_retries"]["output_tokens"], 30);
}

#[test]
fn ac_tdd_3_12_a_turn_cap_is_moved_both_ways_and_the_role_is_told_its_number() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let table = |turns: u32| {
        format!(
            "agents:\n  scripted:\n    argv: [\"{{tdd}}\", __agent, --cassette, \"{{cassette}}\", --role, \"{{role}}\", \
             --criterion, \"{{criterion}}\", --number, \"{{number}}\", --prompt-file, \"{{prompt_file}}\"]\n    \
             turns: {{ where: {{ /type: tdd-turn }} }}\n    max_turns: {turns}\n"
        )
    };
    let role = |turns: u32| format!("roles: {{ implementer: {{ max_turns: {turns} }} }}\n");
    let none = String::new;
    for (own, settings, turns, code, told) in [
        (none(), none(), 40, 0, 40),
        (none(), none(), 41, 1, 40),
        (none(), role(60), 41, 0, 60),
        (none(), role(8), 9, 1, 8),
        (table(60), none(), 41, 0, 60),
        (table(8), none(), 9, 1, 8),
        (table(8), role(9), 9, 0, 9),
        (table(60), role(9), 10, 1, 9),
    ] {
        let sandbox = shop();
        sandbox.own_settings(&own);
        sandbox.write("tdd.yaml", &(sandbox.read("tdd.yaml") + &settings));
        let honest = honest_shop_cassette();
        // One that would end by itself could be faster than its stop.
        let hangs = if code == 1 { "  misbehave: hang\n" } else { "" };
        let more = format!("- role: implementer\n  turns: {turns}\n{hangs}");
        let cassette = honest.replace("- role: implementer\n", &more);
        let ran = tdd(&sandbox, &["STE-1", "--no-refactor"], &cassette).expect(code);
        let is_capped = ran.stdout.contains("its turn cap was reached");
        assert_eq!(is_capped, code == 1, "{settings}{turns}: {}", ran.stdout);
        let files = std::fs::read_dir(sandbox.run_dir().join("files")).unwrap();
        let mut kept = files.filter_map(|file| std::fs::read_to_string(file.unwrap().path()).ok());
        assert!(kept.any(|text| text.contains(&format!("You have {told} turns."))), "{settings}");
    }
}
