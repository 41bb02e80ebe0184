//! Secrets that stand in what the project or the person names: they are used, and neither kept nor shown
//! (contract section 11). What children print is `agent_outcomes`.
#![expect(clippy::disallowed_methods, reason = "a test reads what a run kept")]

use super::cycle::{honest_shop_cassette, shop};
use super::sandbox::{Ran, Sandbox, has_python};

const OF_TEST: &str = "sk-ant-api03-aB3dE6gH9kL2mN5pQ8rT1vW4";
const OF_GATE: &str = "ghp_aB3dE6gH9kL2mN5pQ8rT1vW4xY7zA0cD3fG6";
const SUITE: &str = "python3 -m unittest discover -s tests -t .";

/// A project whose tests are green with a real secret alone: that of the test command stands in `tdd.yaml`.
fn keyed_shop() -> (Sandbox, String) {
    let sandbox = shop();
    sandbox.write("tdd.yaml", &format!("test: API_KEY={OF_TEST} {SUITE}\n"));
    let keyed = format!(
        "{}\nimport os\nkey = os.environ.get('API_KEY') or os.environ['GATE_TOKEN']\nassert len(key) > 30, key\n",
        sandbox.read("tests/test_old.py")
    );
    sandbox.write("tests/test_old.py", &keyed);
    sandbox.commit();
    (sandbox, format!("GATE_TOKEN={OF_GATE} {SUITE}"))
}

fn cassette(sandbox: &Sandbox, name: &str, text: String) -> String {
    let file = sandbox.beside(name);
    std::fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

#[track_caller]
fn hidden(what: &str, text: &str) {
    for secret in [OF_TEST, OF_GATE] {
        assert!(!text.contains(&secret[8..]), "{what}: {text}");
    }
}

/// What the newest run keeps, but for the raw logs.
fn kept(sandbox: &Sandbox) -> String {
    let run = sandbox.run_dir();
    let side = std::fs::read_dir(run.join("files")).into_iter().flatten().flatten().map(|file| file.path());
    let named =
        ["events.jsonl", "summary.txt", "summary.json", "halt.txt", "halt.json"].map(|name| run.join(name));
    let texts = named.into_iter().chain(side).map(|path| std::fs::read(path).unwrap_or_default());
    texts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
}

fn shown(ran: &Ran) -> String {
    format!("{}{}", ran.stdout, ran.stderr)
}

#[test]
fn a_secret_in_a_command_is_in_nothing_that_is_kept_or_shown() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let (sandbox, gate) = keyed_shop();
    sandbox.write("tdd.yaml", &format!("{}gate: {gate}\n", sandbox.read("tdd.yaml")));
    sandbox.commit();
    let honest = cassette(&sandbox, "honest.yaml", honest_shop_cassette());
    let wrong = cassette(&sandbox, "wrong.yaml", honest_shop_cassette().replace("return 2", "return 3"));
    let calls: [(&[&str], i32); 14] = [
        (&["config"], 0),
        (&["config", "--json"], 0),
        (&["doctor"], 1),
        (&["STE-1", "--dry-run", "--gate", &gate, "--cassette", &honest], 0),
        (&["STE-1", "--dry-run", "--json", "--gate", &gate, "--cassette", &honest], 0),
        (&["STE-1", "--test", &format!("GATE_TOKEN={OF_GATE} sh run"), "--cassette", &honest], 2),
        (&["STE-1", "--gate", &gate, "--cassette", &wrong], 1),
        (&["status"], 0),
        (&["log"], 0),
        (&["log", "--json"], 0),
        (&["undo"], 0),
        (&["STE-1", "--json", "--gate", &gate, "--cassette", &honest], 0),
        (&["undo"], 0),
        (&["fix", "--max-retries", "0", "--check", &gate, "--check", "false"], 1),
    ];
    for (args, code) in calls {
        let told = shown(&sandbox.tdd(args).expect(code));
        hidden(&format!("{args:?}"), &told);
        if args.contains(&"STE-1") {
            assert!(told.contains("[masked]"), "{args:?}: {told}");
            hidden(
                "kept",
                &if code == 2 || args.contains(&"--dry-run") { String::new() } else { kept(&sandbox) },
            );
        }
    }
    hidden("fix", &kept(&sandbox));
}

#[test]
fn a_run_whose_commands_hold_secrets_is_gone_on_with_by_the_real_ones() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let (sandbox, gate) = keyed_shop();
    let honest = cassette(&sandbox, "honest.yaml", honest_shop_cassette());
    let begin = ["STE-1", "--stop-after", "red", "--gate", &gate, "--cassette", &honest];
    hidden("paused", &shown(&sandbox.tdd(&begin).expect(3)));
    let settings = sandbox.read("tdd.yaml");
    let resume = |more: &[&str], code: i32, words: &[&str]| {
        let args: Vec<&str> =
            ["resume", "--cassette", &honest].into_iter().chain(more.iter().copied()).collect();
        let ran = sandbox.tdd(&args).expect(code).says(words);
        hidden(&format!("{more:?}"), &shown(&ran));
    };
    // A flag's secret is kept nowhere, and what a report shows of it is no secret.
    resume(&[], 2, &["the gate command of the run holds a secret", "--gate 'GATE_TOKEN=[masked]"]);
    let copied = gate.replace(OF_GATE, "[masked]");
    resume(&["--gate", &copied], 2, &["`[masked]` stands in the secret's place"]);
    resume(&["--gate", &format!("{gate} -v")], 2, &["what is found now is `GATE_TOKEN=[masked]", " -v`"]);
    // What tdd.yaml says is found again as it was, or told.
    sandbox.write("tdd.yaml", &settings.replace("discover", "discover -v"));
    resume(&["--gate", &gate], 2, &["the test command of the run holds a secret", "(tdd.yaml)"]);
    sandbox.write("tdd.yaml", &settings);
    assert_eq!(sandbox.events().iter().filter(|event| *event == "resumed").count(), 0, "nothing was begun");
    resume(&["--gate", &gate], 0, &["gate"]);
    hidden("kept", &kept(&sandbox));
    assert!(kept(&sandbox).contains(&copied));
}

#[test]
fn a_run_without_secrets_goes_on_with_its_own_commands_whatever_is_set() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let honest = cassette(&sandbox, "honest.yaml", honest_shop_cassette());
    sandbox.tdd(&["STE-1", "--stop-after", "red", "--cassette", &honest]).expect(3);
    sandbox.write("tdd.yaml", "test: make nothing\n");
    let other = ["resume", "--test", "pytest", "--cassette", &honest];
    sandbox.tdd(&other).expect(2).says(&["--test: a run goes on with the commands that it was begun with"]);
    sandbox.tdd(&["resume", "--edited", "--cassette", &honest]).expect(0);
}
