//! Ways around the gate, and the honest work that looks like them.

use std::io::{BufRead as _, Write as _};
use std::process::Stdio;

use serde_json::json;

use super::{
    HELD, ID, RIGHT, SHOP, TEST, WRONG, begun, claims, edits, hook, journal, project, red, stops, types,
};
use crate::sandbox::{Sandbox, has_python, wait_for};
use crate::terminal::Terminal;

/// What a model runs in its shell, between the hooks of the tool.
pub fn shell(sandbox: &Sandbox, script: &str) -> super::Ran {
    let input = json!({ "command": script });
    hook(sandbox, "PreToolUse", "Bash", input.clone()).expect(0);
    let own = std::path::Path::new(env!("CARGO_BIN_EXE_tdd")).parent().unwrap();
    let mut command = sandbox.command("sh");
    command.args(["-c", script]).env("PATH", crate::sandbox::path_with(own));
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    hook(sandbox, "PostToolUse", "Bash", input)
}

#[test]
fn ac_tdd_10_18_only_the_agent_says_that_a_turn_begins() {
    left_to_the_night!();
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    for event in ["UserPromptSubmit", "SessionStart"] {
        let call = super::call(event, "", json!({})).to_string();
        std::fs::write(sandbox.beside("forged.json"), call).unwrap();
        let forged = sandbox.beside("forged.json").to_str().unwrap().to_owned();
        for way in [
            format!("sed -i s/0/7/ shop.py; tdd gate hook claude < {forged}"),
            format!("sed -i s/0/7/ shop.py; cat {forged} | sh -c 'tdd gate hook claude'; true"),
            format!("sed -i s/0/7/ shop.py; setsid -w sh -c 'tdd gate hook claude' < {forged}; true"),
        ] {
            shell(&sandbox, &way);
            assert_eq!(sandbox.read("shop.py"), SHOP, "{event}: {way}");
        }
    }
    let repairs = types(&sandbox).iter().filter(|name| *name == "repair").count();
    assert_eq!(repairs, 6, "each was found");
    assert!(!types(&sandbox).contains(&"rebased".to_owned()));
    // What a person changes between two turns is theirs, as ever.
    sandbox.write("shop.py", WRONG);
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.read("shop.py"), WRONG);
    // An agent that was started anew is the one from then on.
    let note = sandbox.path(".tdd/sessions/s-1/caller");
    std::fs::write(&note, "1 1 of another boot").unwrap();
    sandbox.write("shop.py", SHOP);
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.read("shop.py"), SHOP);
}

#[test]
fn ac_tdd_10_21_a_session_that_is_removed_under_way_is_not_begun_anew() {
    left_to_the_night!();
    for removal in [
        "rm -rf .tdd/sessions",
        "rm -rf .tdd",
        "rm -rf .tdd/sessions/s-1",
        ": >.tdd/sessions/s-1/events.jsonl; rm -f .tdd/sessions/s-1/*.json",
    ] {
        let sandbox = project();
        hook(&sandbox, "SessionStart", "", json!({})).expect(0);
        let ran = shell(&sandbox, &format!("{removal}; sed -i s/0/7/ shop.py")).expect(2);
        assert!(ran.stderr.contains("the journal of this session is gone"), "{removal}: {}", ran.stderr);
        stops(&sandbox).expect(2);
        hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(2);
        // A person ends it as they are told, and the next call begins a new one. We stand for the agent, so that
        // what is noted of us would have to end first.
        let _ = std::fs::remove_file(sandbox.path(".tdd/sessions/s-1/caller"));
        sandbox.tdd(&["clean", "s-1"]).expect(0);
        hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
        stops(&sandbox).expect(0);
    }
    // With its refs gone as well, a call that comes after a tool can't be the first.
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let ran = shell(&sandbox, "rm -rf .tdd .git/refs/tdd; sed -i s/0/7/ shop.py").expect(2);
    ran.says(&["comes after a tool has run", "tdd clean s-1"]);
    for event in ["PreToolUse", "UserPromptSubmit", "Stop"] {
        hook(&sandbox, event, "Bash", json!({ "command": "true" })).expect(2);
    }
    let _ = std::fs::remove_file(sandbox.path(".tdd/sessions/s-1/caller"));
    sandbox.tdd(&["clean", "s-1"]).expect(0);
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    // Where nothing was changed there is nothing to look at.
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    // A commit of the same files that was made at another time is another one.
    let later = "git -c user.name=a -c user.email=a@b commit-tree -m later refs/tdd/s-1/begin^{tree}";
    shell(&sandbox, &format!("rm -rf .tdd; git update-ref refs/tdd/s-1/begin $({later})")).expect(0);
    edits(&sandbox, "shop.py", RIGHT).expect(2);
}

#[test]
fn ac_tdd_10_21_a_repository_that_is_moved_away_under_way_is_missed() {
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let ran = shell(&sandbox, "mv .git ../away; sed -i s/0/7/ shop.py").expect(2);
    assert!(ran.stderr.contains("its .git is gone"), "{}", ran.stderr);
    stops(&sandbox).expect(2);
    std::fs::rename(sandbox.beside("away"), sandbox.path(".git")).unwrap();
    stops(&sandbox);
    assert_eq!(sandbox.read("shop.py"), SHOP);
}

#[test]
fn ac_tdd_10_28_tests_run_in_the_agents_environment_and_not_in_a_commands() {
    left_to_the_night!();
    if !crate::sandbox::has_pytest() {
        return;
    }
    let sandbox = project();
    let evil = sandbox.beside("evil");
    std::fs::create_dir(&evil).unwrap();
    let patch =
        "import sys, types\nshop = types.ModuleType('shop')\nshop.total = sum\nsys.modules['shop'] = shop\n";
    std::fs::write(evil.join("evil.py"), patch).unwrap();
    let mut agent = StandIn::start(&sandbox);
    agent.begins(&sandbox);
    let set = format!("EVIL_TOKEN={0} PYTHONPATH={0} PYTEST_ADDOPTS='-p evil'", evil.display());
    // Neither a made-up green nor a made-up red.
    let told = agent.runs(&format!("{set} tdd gate test {ID}"));
    assert!(told.contains(&format!("red {ID}")), "{told}");
    agent.runs(&format!("tdd gate claim {ID} shop.py"));
    assert_eq!(edits(&sandbox, "shop.py", WRONG).code, 0);
    let told = agent.runs(&format!("{set} tdd gate flush"));
    assert!(told.contains("red") && sandbox.read("shop.py") == SHOP, "{told}");
    // What the agent itself has holds, and so does a secret of its own that is not kept.
    let kept = std::fs::read_to_string(sandbox.path(".tdd/sessions/s-1/environment")).unwrap();
    assert!(kept.contains("\"HOME\"") && !kept.contains("evil"), "{kept}");
}

/// A program that stands for an agent: it calls the hook by itself, and runs what its model says.
pub struct StandIn {
    process: std::process::Child,
    said: std::io::BufReader<std::process::ChildStdout>,
}

impl StandIn {
    pub fn start(sandbox: &Sandbox) -> Self {
        let own = std::path::Path::new(env!("CARGO_BIN_EXE_tdd")).parent().unwrap();
        let mut command = sandbox.command("sh");
        command.env("PATH", crate::sandbox::path_with(own)).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let said = std::io::BufReader::new(process.stdout.take().unwrap());
        Self { process, said }
    }

    /// Its session, by its own call of the hook.
    pub fn begins(&mut self, sandbox: &Sandbox) {
        let call = super::call("SessionStart", "", json!({})).to_string();
        std::fs::write(sandbox.beside("start.json"), call).unwrap();
        let hook = format!("tdd gate hook claude < {}", sandbox.beside("start.json").display());
        assert!(self.runs(&hook).contains("red test"));
    }

    /// What a command says on both streams.
    pub fn runs(&mut self, command: &str) -> String {
        let mut stdin = self.process.stdin.as_ref().unwrap();
        writeln!(stdin, "{command} 2>&1; echo; echo END-OF-IT").unwrap();
        let mut told = String::new();
        while !told.ends_with("END-OF-IT\n") {
            assert!(self.said.read_line(&mut told).unwrap() > 0, "{told}");
        }
        told
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

#[test]
fn ac_tdd_10_19_a_model_switches_its_gate_off_in_no_terminal_that_the_agent_opened() {
    if !crate::sandbox::has("script", &["script", "--version"]) {
        return;
    }
    let sandbox = project();
    let mut agent = StandIn::start(&sandbox);
    agent.begins(&sandbox);
    let is_on = || sandbox.tdd(&["gate", "status"]).expect(0).stdout.contains("the gate is on");
    // Its model has no terminal, opens one, leaves it to nobody, or has one served by a process of its own.
    let log = sandbox.beside("log");
    let log = log.to_str().unwrap();
    let pty = |command: &str| format!("script -qec \"{command}\" /dev/null < /dev/null");
    for (way, why) in [
        ("tdd gate off".to_owned(), "this is no terminal"),
        (pty("tdd gate off"), "opened by the agent of session s-1"),
        (pty("tdd gate look"), "opened by the agent of session s-1"),
        (pty("sh -c 'sh -c \\\"tdd gate off\\\"; true'"), "opened by the agent of session s-1"),
        (
            format!(
                "CLAUDECODE=1 setsid -f {} > {log}; while ! grep -q person {log}; do :; done; cat {log}",
                pty("tdd gate off")
            ),
            "CLAUDECODE stands in its environment",
        ),
    ] {
        let told = agent.runs(&way).replace("\r\n", "\n");
        assert!(told.contains("only a person") && told.contains(why), "{way}: {told}");
        assert!(is_on(), "{way}");
    }
    // A person in a terminal beside it, which the same program may have opened: the one that opened the agent's.
    let (code, screen) = Terminal::tdd(&sandbox, &["gate", "off"]).end();
    assert!(code == 0 && screen.contains("the gate is off for session s-1"), "{code}: {screen}");
    sandbox.tdd(&["gate", "on"]).expect(0);
    // Once the agent has ended the terminal is whoever's it is.
    drop(agent);
    let (code, screen) = Terminal::tdd(&sandbox, &["gate", "off"]).end();
    assert!(code == 0 && screen.contains("the gate is off for session s-1"), "{code}: {screen}");
}

#[test]
fn ac_tdd_10_9_a_program_and_a_formatter_are_caught_like_sed() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let formatter = "import pathlib\nfor file in pathlib.Path('.').glob('*.py'):\n    file.write_text(file.read_text().replace('0', '0  # formatted'))\n";
    std::fs::write(sandbox.beside("format.py"), formatter).unwrap();
    let format = format!("python3 {}", sandbox.beside("format.py").display());
    for script in [
        "python3 -c \"open('shop.py', 'a').write('x = 1')\"",
        "printf x | tee -a shop.py",
        "git apply ../no; echo >> shop.py",
        &format,
    ] {
        shell(&sandbox, script).expect(2).says(&["shop.py refused", "taken back"]);
        assert_eq!(sandbox.read("shop.py"), SHOP, "{script}");
    }
    // In refactor mode a formatter is what it is for, and outside it what changes no code stands.
    shell(&sandbox, "python3 -c \"open('README.md', 'a').write('more')\"").expect(0);
    assert!(sandbox.read("README.md").ends_with("more"));
    sandbox.tdd(&["gate", "refactor", "on", "--files", "*.py", "--why", "format"]).expect(0);
    shell(&sandbox, &format).expect(0);
    assert!(sandbox.read("shop.py").contains("# formatted"));
}

#[test]
fn ac_tdd_10_2_a_test_that_is_claimed_for_cannot_go() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    red(&sandbox, ID);
    claims(&sandbox, ID, "shop.py");
    shell(&sandbox, "rm tests/test_total.py").expect(2).says(&["protected until", "taken back"]);
    assert_eq!(sandbox.read("tests/test_total.py"), TEST);
    edits(&sandbox, "shop.py", WRONG).expect(0);
    // Renamed past the hooks, right before the end of the turn.
    sandbox.write("tests/test_total.py", &TEST.replace("test_sum", "test_other"));
    stops(&sandbox).expect(2).says(&["protected until", "red: tests/test_total.py::test_sum"]);
    assert_eq!(
        (sandbox.read("tests/test_total.py").as_str(), sandbox.read("shop.py").as_str()),
        (TEST, SHOP)
    );
    // Before a claim a test may be renamed, and is then another one.
    edits(&sandbox, "tests/test_total.py", &TEST.replace("test_sum", "test_other")).expect(0);
    sandbox.tdd(&["gate", "test", ID]).expect(1).says_on_stdout(&["there is no test"]);
}

#[test]
fn a_command_for_each_test_where_the_runner_cannot_select() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let script = "import sys\nname = sys.argv[1]\nimport shop\nsys.exit(0 if name == 'held' or shop.total([1, 2]) == 3 else 1)\n";
    let settings = "test: python3 check.py all\nrunner: { kind: exit-code, all: python3 check.py all }\ntest_command_for: python3 check.py {name}\n";
    let sandbox = Sandbox::with(&[
        ("shop.py", SHOP),
        ("check.py", script),
        ("tests/test_all.py", "def sum():\n    pass\n"),
        ("tdd.yaml", settings),
    ]);
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    sandbox
        .tdd(&["gate", "test", "tests/test_all.py::sum", "tests/test_all.py::held"])
        .expect(0)
        .says_on_stdout(&["red tests/test_all.py::sum (error)", "green tests/test_all.py::held"]);
    claims(&sandbox, "tests/test_all.py::sum", "shop.py");
    edits(&sandbox, "shop.py", WRONG).expect(0);
    stops(&sandbox).expect(2).says(&["taken back: shop.py"]);
    claims(&sandbox, "tests/test_all.py::sum", "shop.py");
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.read("shop.py"), RIGHT);
    // A name is one word, whatever is in it.
    sandbox.tdd(&["gate", "test", "tests/test_all.py::x; touch pwned"]).expect(0);
    assert!(!sandbox.path("pwned").exists());
}

#[test]
fn a_flush_that_is_killed_leaves_nothing_of_its_own_in_the_tree() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    let began = sandbox.beside("began");
    let slow = format!(
        "import os\nimport time\n\n\ndef test_sum():\n    import shop\n    open({began:?}, 'w')\n    time.sleep(0 if os.path.exists({:?}) else 600)\n    assert shop.total([1, 2]) == 3\n",
        sandbox.beside("quick")
    );
    std::fs::write(sandbox.beside("quick"), "").unwrap();
    edits(&sandbox, "tests/test_total.py", &slow).expect(0);
    red(&sandbox, ID);
    claims(&sandbox, ID, "shop.py");
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    std::fs::remove_file(sandbox.beside("quick")).unwrap();
    std::fs::remove_file(&began).unwrap();
    let mut flush = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    let mut flush =
        flush.args(["gate", "flush"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(|| began.exists());
    let files = || sandbox.git(&["ls-files", "-co", "--exclude-standard"]);
    flush.kill().unwrap();
    flush.wait().unwrap();
    std::fs::write(sandbox.beside("quick"), "").unwrap();
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.read("shop.py"), RIGHT);
    assert!(files().lines().all(|file| !file.contains("canary")), "{}", files());
    let edited: Vec<String> = journal(&sandbox)
        .iter()
        .filter(|event| event["type"] == "edit")
        .map(|event| event["edit_target"].as_str().unwrap().to_owned())
        .collect();
    assert!(
        edited.iter().all(|file| ["tests/test_total.py", "shop.py"].contains(&file.as_str())),
        "{edited:?}"
    );
}

#[test]
fn what_git_ignores_is_refused_at_the_tool_and_not_compared() {
    let sandbox = project();
    sandbox.write(".gitignore", "generated.py\n");
    sandbox.commit();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    edits(&sandbox, "generated.py", "x = 1\n").expect(2).says(&["no red test"]);
    shell(&sandbox, "echo 'x = 1' > generated.py").expect(0);
    assert!(sandbox.path("generated.py").exists());
}

#[test]
fn the_journal_of_a_session_is_printed_like_a_runs() {
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    edits(&sandbox, "notes/a.md", "x").expect(0);
    sandbox.tdd(&["log", "s-1"]).expect(0).says_on_stdout(&["notes/a.md"]);
    let lines = sandbox.tdd(&["log", "s-1", "--json"]).expect(0).stdout;
    assert_eq!(lines.lines().count(), journal(&sandbox).len());
    sandbox.tdd(&["log", "s-2"]).expect(2);
    assert!(sandbox.path(HELD).exists());
}
