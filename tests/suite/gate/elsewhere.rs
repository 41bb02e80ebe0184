//! Calls from other folders, amid a turn, beside files of any size; and what the gate says when it refuses.

use serde_json::json;

use super::ways_around::{StandIn, shell};
use super::{ID, RIGHT, SHOP, WRONG, begun, call, edits, hook, hook_with, project, red, stops};
use crate::sandbox::Sandbox;

/// An agent's call of its hook with its shell in this folder.
fn from(agent: &mut StandIn, sandbox: &Sandbox, folder: &str, call: &serde_json::Value) -> String {
    std::fs::write(sandbox.beside("call.json"), call.to_string()).unwrap();
    let call = sandbox.beside("call.json");
    agent.runs(&format!("{{ env -C {folder} tdd gate hook claude < {}; echo code=$?; }}", call.display()))
}

#[test]
fn ac_tdd_10_22_an_agent_is_held_where_it_works_wherever_its_shell_has_gone() {
    left_to_the_night!();
    let sandbox = project();
    let mut agent = StandIn::start(&sandbox);
    agent.begins(&sandbox);
    let other = sandbox.beside("other");
    std::fs::create_dir(&other).unwrap();
    let git = sandbox.command("git").args(["init", "-q"]).arg(&other).output().unwrap();
    assert!(git.status.success());
    let (other, top) = (other.to_str().unwrap().to_owned(), sandbox.repo().to_str().unwrap().to_owned());
    for folder in [other.as_str(), "/", &format!("{top}/gone")] {
        let is_gone = folder.ends_with("gone");
        let to = if is_gone { "." } else { folder };
        let mut told = call("PreToolUse", "Write", json!({ "file_path": sandbox.path("shop.py") }));
        told["cwd"] = folder.into();
        let refused = from(&mut agent, &sandbox, to, &told);
        assert!(refused.contains("code=2") && refused.contains("shop.py refused"), "{folder}: {refused}");
        for event in ["PostToolUse", "Stop"] {
            sandbox.write("shop.py", WRONG);
            let mut told = call(event, "Bash", json!({ "command": "sed" }));
            told["cwd"] = folder.into();
            let taken = from(&mut agent, &sandbox, to, &told);
            assert!(taken.contains("code=2") && taken.contains("taken back"), "{folder} {event}: {taken}");
            assert_eq!(sandbox.read("shop.py"), SHOP, "{folder} {event}");
        }
    }
    // The honest twin: a file of another repository is that one's business.
    let mut told = call("PreToolUse", "Write", json!({ "file_path": format!("{other}/a.py") }));
    told["cwd"] = other.as_str().into();
    assert!(from(&mut agent, &sandbox, &other, &told).contains("code=0"));
    assert!(!std::path::Path::new(&other).join(".tdd").exists());
}

#[test]
fn ac_tdd_10_23_an_edit_beside_a_file_of_any_size_is_taken_back() {
    left_to_the_night!();
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let ran = shell(&sandbox, "truncate -s 70000000 big.py; sed -i s/0/7/ shop.py").expect(2);
    ran.says(&["big.py refused", "shop.py refused", "taken back"]);
    assert_eq!(sandbox.read("shop.py"), SHOP);
    stops(&sandbox).expect(0);
}

#[test]
fn what_agents_read_of_hooks_for_all_projects_is_a_persons() {
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let home = sandbox.beside("home");
    std::fs::create_dir_all(home.join(".claude")).unwrap();
    let writes = |file: &str| {
        let input = json!({ "file_path": home.join(file), "content": "{}" });
        hook(&sandbox, "PreToolUse", "Write", input)
    };
    for file in [".claude/settings.json", ".claude/../.codex/hooks.json", ".codex/config.toml"] {
        writes(file).expect(2).says(&["only a person edits it"]);
    }
    // Agents keep their own notes there, too.
    writes(".claude/projects/shop/memory/MEMORY.md").expect(0);
}

#[test]
fn ac_tdd_10_24_a_shorter_memory_begins_no_turn() {
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let compacted = || {
        let mut told = call("SessionStart", "", json!({}));
        told["source"] = "compact".into();
        told["cwd"] = sandbox.repo().to_str().unwrap().into();
        hook_with(&sandbox, &["claude"], told.to_string().as_bytes()).expect(0).says_on_stdout(&["red test"]);
    };
    sandbox.write("shop.py", WRONG);
    compacted();
    hook(&sandbox, "PostToolUse", "Bash", json!({ "command": "sed" })).expect(2).says(&["taken back"]);
    assert_eq!(sandbox.read("shop.py"), SHOP);
    // The honest twin: a person edits between two turns, and has the memory made shorter before the next.
    sandbox.write("shop.py", WRONG);
    compacted();
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.read("shop.py"), WRONG);
}

#[test]
fn what_a_model_is_told_to_type_can_be_typed() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    red(&sandbox, ID);
    for (file, word) in [
        ("my file.py", "'my file.py'"),
        ("it's.py", r"'it'\''s.py'"),
        ("$(touch x).py", "'$(touch x).py'"),
        ("plain.py", "plain.py"),
    ] {
        let ran = edits(&sandbox, file, RIGHT).expect(2);
        let next = format!("tdd gate claim {ID} {word}\n");
        assert!(ran.stderr.ends_with(&next), "{file}: {}", ran.stderr);
        let typed = format!(
            "cd {} && {}",
            sandbox.repo().display(),
            next.replacen("tdd", env!("CARGO_BIN_EXE_tdd"), 1)
        );
        assert!(sandbox.command("sh").args(["-c", &typed]).output().unwrap().status.success(), "{file}");
        edits(&sandbox, file, RIGHT).expect(0);
    }
    let ran = edits(&sandbox, "two\nlines.py", RIGHT).expect(2);
    assert!(
        ran.stderr.starts_with("tdd: two\u{fffd}lines.py") || ran.stderr.starts_with("tdd: two"),
        "{}",
        ran.stderr
    );
    let help = sandbox.tdd(&["gate", "hook", "--help"]).expect(0).stdout;
    assert!(help.contains("Usage: tdd gate hook") && !help.contains("__hook"), "{help}");
    sandbox.tdd(&["gate", "hook"]).expect(2).says(&["tdd gate hook <AGENT>"]);
}

#[test]
fn a_claim_that_is_refused_says_why_and_what_to_do() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    sandbox.write("tests/test_odd.py", "def test_odd():\n    assert False\n\n\ndef test_fine():\n    pass\n");
    let odd = "tests/test_odd.py::test_odd";
    sandbox.tdd(&["gate", "test", odd]).expect(0).says_on_stdout(&["it fails whatever the code does"]);
    let claim = |id: &str| sandbox.tdd(&["gate", "claim", id, "shop.py"]).expect(2);
    claim(odd).says(&["is red, but not for a reason", "it fails whatever the code does", "mend the test"]);
    let fine = "tests/test_odd.py::test_fine";
    claim(fine).says(&["was not seen red", "tdd gate test"]);
    sandbox.tdd(&["gate", "test", fine]).expect(0);
    claim(fine).says(&["is green, so nothing can be claimed", "write a test that fails"]);
}

#[test]
fn a_test_that_git_ignores_is_claimed_by_nobody() {
    left_to_the_night!();
    if !crate::sandbox::has_pytest() {
        return;
    }
    let sandbox = project();
    std::fs::write(sandbox.path(".git/info/exclude"), "tests/mine/\n").unwrap();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    sandbox.write("tests/mine/test_mine.py", super::TEST);
    let id = "tests/mine/test_mine.py::test_sum";
    red(&sandbox, id);
    sandbox.tdd(&["gate", "claim", id, "shop.py"]).expect(2).says(&["git ignores the file", ".gitignore"]);
}

#[test]
fn ac_tdd_10_65_a_test_with_parameters_is_run_by_its_name_and_claimed_by_a_case() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    let text = "import pytest, shop\n\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_p(n):\n    assert shop.total([n]) == n\n\n\n\
                def test_other():\n    assert shop.total([3]) == 3\n";
    sandbox.write("tests/test_p.py", text);
    let whole = "tests/test_p.py::test_p";
    let ran = sandbox.tdd(&["gate", "test", whole]).expect(0);
    let next = "next: tdd gate claim 'tests/test_p.py::test_p[1]' FILE";
    let ran = ran.says_on_stdout(&["red tests/test_p.py::test_p[1]", "red tests/test_p.py::test_p[2]", next]);
    assert!(!ran.stdout.contains("red tests/test_p.py::test_other"));
    let claim = sandbox.tdd(&["gate", "claim", whole, "shop.py"]).expect(2);
    claim.says(&[
        "it has cases",
        "'tests/test_p.py::test_p[1]' 'tests/test_p.py::test_p[2]'",
        "claim a case: tdd gate claim 'tests/test_p.py::test_p[1]' FILE",
    ]);
    sandbox.tdd(&["gate", "claim", "tests/test_p.py::test_p[2]", "shop.py"]).expect(0);
    // A name that is mistyped is no test with cases.
    let wrong = sandbox.tdd(&["gate", "test", "tests/test_p.py::test_othr"]).expect(1);
    wrong.says_on_stdout(&["there is no test", "is it tests/test_p.py::test_other?"]);
}

#[test]
fn a_claim_names_its_file_from_the_folder_or_from_the_repository() {
    left_to_the_night!();
    if !crate::sandbox::has_pytest() {
        return;
    }
    let sandbox = Sandbox::with(&[
        ("apps/py/shop.py", SHOP),
        ("apps/py/conftest.py", ""),
        ("apps/py/tests/test_total.py", super::TEST),
        ("apps/py/tdd.yaml", "test: python3 -m pytest -q\n"),
    ]);
    let in_folder = |words: &[&str]| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        super::Ran::of(&command.current_dir(sandbox.path("apps/py")).args(words).output().unwrap())
    };
    let hook = |event: &str, tool: &str, input: serde_json::Value| {
        let mut told = call(event, tool, input);
        told["cwd"] = sandbox.path("apps/py").to_str().unwrap().into();
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        command.current_dir(sandbox.path("apps/py")).args(["gate", "hook", "claude"]);
        command.stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), told.to_string().as_bytes()).unwrap();
        super::Ran::of(&child.wait_with_output().unwrap())
    };
    hook("SessionStart", "", json!({})).expect(0);
    in_folder(&["gate", "test", ID]).expect(0).says_on_stdout(&["red"]);
    let edit = json!({ "file_path": sandbox.path("apps/py/shop.py"), "content": RIGHT });
    hook("PreToolUse", "Write", edit.clone())
        .expect(2)
        .says(&[&format!("tdd gate claim {ID} apps/py/shop.py")]);
    for file in ["apps/py/shop.py", "shop.py", "apps/py/new.py"] {
        let path = if file.starts_with("apps") { file.to_owned() } else { format!("apps/py/{file}") };
        let told = in_folder(&["gate", "claim", ID, file]).expect(0);
        assert!(told.stdout.contains(&format!("claimed {path} for")), "{}", told.stdout);
    }
    hook("PreToolUse", "Write", edit).expect(0);
}

/// The gate and a run are both of tdd: what the run has judged the session does not judge again.
#[test]
fn ac_tdd_10_29_what_a_run_has_left_stands() {
    let sandbox = crate::stops::project(crate::stops::HONEST_AGENT, crate::stops::HONEST_CHECK, "");
    sandbox.write("tests/held.sh", "true\n");
    sandbox.commit();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let input = json!({ "command": "tdd STE-1" });
    hook(&sandbox, "PreToolUse", "Bash", input.clone()).expect(0);
    sandbox.tdd(&["STE-1"]).expect(0);
    hook(&sandbox, "PostToolUse", "Bash", input.clone()).expect(0);
    assert_eq!(sandbox.read("src.txt"), "one\ntwo\n");
    stops(&sandbox).expect(0);
    // Behind it nothing stands that it has not left.
    sandbox.write("src.txt", "one\ntwo\nthree\n");
    hook(&sandbox, "PostToolUse", "Bash", input).expect(2).says(&["src.txt refused"]);
    assert_eq!(sandbox.read("src.txt"), "one\ntwo\n");
}

#[test]
fn a_test_is_known_however_its_file_is_spelt() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    for file in [
        "./tests/test_total.py",
        "tests/../tests/test_total.py",
        sandbox.path("tests/test_total.py").to_str().unwrap(),
    ] {
        sandbox
            .tdd(&["gate", "test", &format!("{file}::test_sum")])
            .expect(0)
            .says_on_stdout(&[&format!("red {ID} (")]);
    }
    sandbox
        .tdd(&["gate", "claim", "./tests/test_total.py::test_sum", "shop.py"])
        .expect(0)
        .says_on_stdout(&[ID]);
    // What git ignores may have changed, and only who calls knows.
    sandbox.tdd(&["gate", "test", ID]).expect(0).says_on_stdout(&["not run: nothing has changed since"]);
    let again = sandbox.tdd(&["gate", "test", "--again", ID]).expect(0);
    assert!(again.stdout.contains("AssertionError"), "{}", again.stdout);
}

#[test]
fn ac_tdd_10_30_a_command_is_about_the_session_of_the_agent_that_runs_it() {
    let sandbox = project();
    let mut agents = ["s-1", "s-2"].map(|id| {
        let mut agent = StandIn::start(&sandbox);
        let mut told = call("SessionStart", "", json!({}));
        told["session_id"] = id.into();
        from(&mut agent, &sandbox, ".", &told);
        agent
    });
    for (agent, id) in agents.iter_mut().zip(["s-1", "s-2"]).rev() {
        let told = agent.runs("sh -c 'tdd gate status; true'");
        assert!(told.contains(id), "{id}: {told}");
    }
}
