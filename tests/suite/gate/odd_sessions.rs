//! Honest sessions that are odd, and what looks like them.

use serde_json::{Value, json};

use super::ways_around::shell;
use super::{
    ID, RIGHT, SHOP, TAX, TEST, begun, call, claims, edits, hook, hook_by, hook_with, project, red, stops,
};
use crate::sandbox::{Ran, Sandbox, has_pytest};

const NEW: &str = "import cart\n\n\ndef test_one():\n    assert cart.one() == 1\n\n\ndef test_two():\n    assert \
                   cart.two() == 2\n";

#[test]
fn ac_tdd_10_57_what_is_taken_back_is_told_beside_the_green() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    red(&sandbox, ID);
    claims(&sandbox, ID, "shop.py");
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    // As a process in the background does.
    sandbox.write("tax.py", "def tax(price):\n    return 19\n");
    stops(&sandbox).expect(2).says(&[
        "tax.py refused",
        "taken back; kept as refs/tdd/",
        "1 green, edits kept",
    ]);
    assert_eq!((sandbox.read("shop.py").as_str(), sandbox.read("tax.py").as_str()), (RIGHT, TAX));
    let again = stops(&sandbox).expect(0);
    assert_eq!((again.stdout, again.stderr), (String::new(), String::new()));
}

#[test]
fn ac_tdd_10_57_what_tests_leave_wants_no_claim() {
    if !has_pytest() {
        return;
    }
    let sandbox = project();
    sandbox
        .write("conftest.py", "def pytest_sessionfinish(session):\n    open('count.dat', 'a').write('1')\n");
    sandbox.commit();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let left = "changed while the tests ran: count.dat. Taken back; kept as refs/tdd/";
    let ran = sandbox.tdd(&["gate", "test", ID]).expect(0).says(&[left, ".gitignore"]);
    assert!(!ran.stderr.contains("no claim"), "{}", ran.stderr);
    claims(&sandbox, ID, "shop.py");
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    // It is told, and the turn ends.
    stops(&sandbox).expect(0).says_on_stdout(&[left]);
    assert_eq!(sandbox.read("shop.py"), RIGHT);
    assert!(!sandbox.path("count.dat").exists());
}

#[test]
fn ac_tdd_10_58_a_claim_is_not_about_how_tests_run() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let sandbox = project();
    let plain = "[project]\nname = \"shop\"\nversion = \"1\"\ndependencies = [\"attrs>=1\"]\n";
    sandbox.write("pyproject.toml", plain);
    sandbox.commit();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    red(&sandbox, ID);
    claims(&sandbox, ID, "pyproject.toml");
    claims(&sandbox, ID, "shop.py");
    let cheat = format!("{plain}[tool.pytest.ini_options]\npythonpath = [\"elsewhere\"]\n");
    let why = ["pyproject.toml refused: tool.pytest", "refactor on"];
    edits(&sandbox, "pyproject.toml", &cheat).expect(2).says(&why);
    shell(&sandbox, "printf '[tool.pytest.ini_options]\\npythonpath = [\"x\"]\\n' >> pyproject.toml")
        .expect(2)
        .says(&[why[0], "taken back"]);
    shell(&sandbox, "rm pyproject.toml").expect(2).says(&["it was deleted"]);
    assert_eq!(sandbox.read("pyproject.toml"), plain);
    // More code to use, for the code or for its tests, and another version of it.
    let more =
        plain.replace("attrs>=1", "attrs>=2\", \"rich") + "[dependency-groups]\ndev = [\"freezegun\"]\n";
    edits(&sandbox, "pyproject.toml", &more).expect(0);
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.read("pyproject.toml"), more);
    // It is what refactor mode is for.
    sandbox.tdd(&["gate", "refactor", "on", "--why", "settings"]).expect(0);
    edits(&sandbox, "pyproject.toml", &cheat).expect(0);
}

#[test]
fn ac_tdd_10_59_a_file_that_does_not_load_has_red_tests() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    edits(&sandbox, "tests/test_cart.py", NEW).expect(0);
    let (one, two) = ("tests/test_cart.py::test_one", "tests/test_cart.py::test_two");
    let said = [format!("red {one} (missing)"), format!("red {two} (missing)"), "No module named".to_owned()];
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    sandbox.tdd(&["gate", "test", "tests/test_cart.py"]).expect(0).says_on_stdout(&said);
    claims(&sandbox, two, "cart.py");
    edits(&sandbox, "cart.py", "def one():\n    return 1\n\n\ndef two():\n    return 2\n").expect(0);
    stops(&sandbox).expect(0);
    // An id beside a file.
    sandbox.tdd(&["gate", "test", one, "tests/test_tax.py", "tests/test_total.py"]).expect(0).says_on_stdout(
        &[
            &format!("green {one}"),
            "red tests/test_tax.py::test_tax (assertion)",
            &format!("red {ID} (assertion)"),
        ],
    );
    claims(&sandbox, ID, "shop.py");
    // A file without tests, and one that nobody can load or read.
    sandbox.tdd(&["gate", "test", "shop.py"]).expect(1).says_on_stdout(&["no test of shop.py has run"]);
    edits(&sandbox, "tests/test_odd.py", "def test_(:\n").expect(0);
    let ran = sandbox.tdd(&["gate", "test", "tests/test_odd.py"]);
    assert!(ran.stdout.contains("SyntaxError") && !ran.stdout.contains("nothing is red"), "{}", ran.stdout);
    // A file that is green says so no more than before.
    sandbox.tdd(&["gate", "test", "tests/test_held.py"]).expect(0).says_on_stdout(&["nothing is red"]);
}

/// A call of one of several sessions that this process has.
fn calls(sandbox: &Sandbox, session: &str, event: &str, tool: &str, input: Value) -> Ran {
    let mut told = call(event, tool, input);
    told["session_id"] = session.into();
    told["cwd"] = sandbox.repo().to_str().unwrap().into();
    hook_with(sandbox, &["claude"], told.to_string().as_bytes())
}

fn writes(sandbox: &Sandbox, session: &str, (file, text): (&str, &str)) -> Ran {
    let input = json!({ "file_path": sandbox.path(file), "content": text });
    calls(sandbox, session, "PreToolUse", "Write", input.clone()).expect(0);
    sandbox.write(file, text);
    calls(sandbox, session, "PostToolUse", "Write", input)
}

#[test]
fn ac_tdd_10_60_chats_of_one_program_are_each_at_work() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    let claim = |id: &str, file: &str, session: &str| {
        sandbox.tdd(&["gate", "test", id, "--session", session]).expect(0);
        sandbox.tdd(&["gate", "claim", id, file, "--session", session]).expect(0);
    };
    calls(&sandbox, "s-2", "SessionStart", "", json!({})).expect(0);
    claim(ID, "shop.py", "s-1");
    claim("tests/test_tax.py::test_tax", "tax.py", "s-2");
    let taxed = "def tax(price):\n    return 19\n";
    writes(&sandbox, "s-1", ("shop.py", RIGHT)).expect(0);
    writes(&sandbox, "s-2", ("tax.py", taxed)).expect(0);
    calls(&sandbox, "s-2", "Stop", "", json!({})).expect(0);
    calls(&sandbox, "s-1", "Stop", "", json!({})).expect(0);
    assert_eq!((sandbox.read("shop.py").as_str(), sandbox.read("tax.py").as_str()), (RIGHT, taxed));
}

#[test]
fn ac_tdd_10_60_a_chat_that_was_left_allows_nothing() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    let more = TEST.replace("== 3", "== 4");
    edits(&sandbox, "tests/test_total.py", &more).expect(0);
    red(&sandbox, ID);
    claims(&sandbox, ID, "shop.py");
    // As after /clear. What a command of the model's says in the old one's name makes it no chat at work.
    calls(&sandbox, "s-2", "SessionStart", "", json!({})).expect(0);
    let told = call("PreToolUse", "Bash", json!({ "command": "x" }));
    std::fs::write(sandbox.beside("forged.json"), told.to_string()).unwrap();
    let forged =
        format!("tdd gate hook claude < {}; sed -i s/0/4/ shop.py", sandbox.beside("forged.json").display());
    let input = json!({ "command": forged });
    calls(&sandbox, "s-2", "PreToolUse", "Bash", input.clone()).expect(0);
    let own = std::path::Path::new(env!("CARGO_BIN_EXE_tdd")).parent().unwrap();
    let path = crate::sandbox::path_with(own);
    assert!(sandbox.command("sh").args(["-c", &forged]).env("PATH", path).status().unwrap().success());
    calls(&sandbox, "s-2", "PostToolUse", "Bash", input).expect(2).says(&["shop.py refused"]);
    assert_eq!(sandbox.read("shop.py"), SHOP);
}

#[test]
fn ac_tdd_10_61_what_cant_be_claimed_is_told_for_its_own_reason() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    let other = "tests/test_other.py::test_other";
    let text = "import shop\n\n\ndef test_other():\n    assert shop.total([9]) == 10\n";
    edits(&sandbox, "tests/test_other.py", text).expect(0);
    red(&sandbox, ID);
    red(&sandbox, other);
    claims(&sandbox, ID, "shop.py");
    claims(&sandbox, other, "shop.py");
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    stops(&sandbox)
        .expect(2)
        .says(&[&format!("red: {other}"), &format!("green, and taken back with it: {ID}")]);
    let again = format!("tdd gate test {ID}");
    sandbox.tdd(&["gate", "claim", ID, "shop.py"]).expect(2).says(&["taken back", &again]);
    red(&sandbox, ID);
    claims(&sandbox, ID, "shop.py");
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    stops(&sandbox).expect(0);
    // A file of tests that was moved.
    shell(&sandbox, "mv tests/test_other.py tests/test_more.py").expect(0);
    let moved = "tests/test_more.py::test_other";
    sandbox.tdd(&["gate", "claim", other, "shop.py"]).expect(2).says(&["moved or removed", "tdd gate test"]);
    red(&sandbox, moved);
    claims(&sandbox, moved, "shop.py");
}

#[test]
fn ac_tdd_10_61_a_submodule_has_sessions_of_its_own() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let sandbox = project();
    let make = "git init -q -b main ../lib; cd ../lib; echo x=1 >lib.py; git add -A; git -c user.name=a -c user.email=a@b \
                commit -qm one; cd ../repo; git -c protocol.file.allow=always submodule --quiet add ../lib sub";
    assert!(sandbox.command("sh").args(["-c", make]).status().unwrap().success());
    sandbox.commit();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    red(&sandbox, ID);
    for file in ["sub", "sub/lib.py"] {
        sandbox.tdd(&["gate", "claim", ID, file]).expect(2).says(&["sub is a submodule", "begins in sub"]);
    }
    claims(&sandbox, ID, "shop.py");
    sandbox.tdd(&["gate", "refactor", "on", "--why", "take the next version"]).expect(0);
    edits(&sandbox, "sub/lib.py", "x=2\n").expect(0);
    assert_eq!(sandbox.read("sub/lib.py"), "x=2\n");
}

#[test]
fn ac_tdd_10_61_a_test_of_another_folder_is_for_a_session_there() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let sandbox = Sandbox::with(&[
        ("apps/a/pytest.ini", "[pytest]\n"),
        ("apps/a/test_a.py", "def test_a():\n    assert 1\n"),
        ("apps/b/pytest.ini", "[pytest]\n"),
        ("apps/b/test_b.py", "def test_b():\n    assert 1\n"),
    ]);
    let inner = |args: &[&str]| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        command.args(args).current_dir(sandbox.path("apps/a"));
        command
    };
    let mut told = call("SessionStart", "", json!({}));
    told["cwd"] = sandbox.path("apps/a").to_str().unwrap().into();
    hook_by(inner(&[]), &["claude"], told.to_string().as_bytes()).expect(0);
    let run = |id: &str| Ran::of(&inner(&["gate", "test", id]).output().unwrap());
    run("../b/test_b.py::test_b").expect(1).says_on_stdout(&["this session is about apps/a alone"]);
    let ran = run("test_a.py::test_c").expect(1);
    assert!(!ran.stdout.contains("alone"), "{}", ran.stdout);
    run("test_a.py::test_a").expect(0).says_on_stdout(&["green test_a.py::test_a"]);
}

#[test]
fn ac_tdd_11_6_a_test_that_a_comment_names_is_replayed() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    let text = TEST.replace("def test_sum", "# @tdd-test-id: sum\ndef test_sum");
    edits(&sandbox, "tests/test_total.py", &text).expect(0);
    red(&sandbox, "sum");
    claims(&sandbox, "sum", "shop.py");
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    stops(&sandbox).expect(0);
    let out = sandbox.beside("corpus.jsonl");
    let out = out.to_str().unwrap();
    sandbox.tdd(&["corpus", "export", "--out", out]).expect(0);
    let line: Value = serde_json::from_str(std::fs::read_to_string(out).unwrap().trim()).unwrap();
    assert_eq!(line["test_id"], "sum");
    sandbox.tdd(&["corpus", "verify", out]).expect(0).says_on_stdout(&["proven      sum", "not proven: 0"]);
}

#[test]
fn ac_tdd_10_59_a_class_is_spelt_as_its_runner_has_it() {
    left_to_the_night!();
    let sandbox = Sandbox::with(&[
        ("shop.py", SHOP),
        (
            "test_held.py",
            "import unittest\n\n\nclass H(unittest.TestCase):\n    def test_h(self):\n        pass\n",
        ),
        ("tdd.yaml", "test: python3 -m unittest\n"),
        (".gitignore", "__pycache__\n"),
    ]);
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let text = "import unittest\nimport cart\n\n\nclass T(unittest.TestCase):\n    def test_one(self):\n        \
                self.assertEqual(cart.one(), 1)\n\n    # @tdd-test-id: two\n    def test_two(self):\n        \
                self.assertEqual(cart.two(), 2)\n";
    edits(&sandbox, "test_cart.py", text).expect(0);
    let said = ["red test_cart.py::T.test_one (missing)", "red two (missing)"];
    sandbox.tdd(&["gate", "test", "test_cart.py"]).expect(0).says_on_stdout(&said);
    claims(&sandbox, "test_cart.py::T::test_one", "cart.py");
    claims(&sandbox, "two", "cart.py");
    let cart = "def one():\n    return 1\n\n\ndef two():\n    return 2\n";
    edits(&sandbox, "cart.py", cart).expect(0);
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.read("cart.py"), cart);
    sandbox
        .tdd(&["gate", "test", "test_cart.py::T::test_one"])
        .expect(0)
        .says_on_stdout(&["green test_cart.py::T.test_one"]);
}

/// How often a hook calls git for a change of code that nothing allows.
fn gits_for_a_refusal(sandbox: &Sandbox) -> usize {
    use std::os::unix::fs::PermissionsExt as _;
    let (folder, log) = (sandbox.beside("shim"), sandbox.beside("gits"));
    std::fs::create_dir_all(&folder).unwrap();
    let found = sandbox.command("sh").args(["-c", "command -v git"]).output().unwrap();
    let git = String::from_utf8(found.stdout).unwrap();
    let shim = format!("#!/bin/sh\necho >> '{}'\nexec '{}' \"$@\"\n", log.display(), git.trim());
    std::fs::write(folder.join("git"), shim).unwrap();
    std::fs::set_permissions(folder.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let input = json!({ "command": "x" });
    hook(sandbox, "PreToolUse", "Bash", input.clone()).expect(0);
    sandbox.write("tax.py", "x = 1\n");
    let _ = std::fs::remove_file(&log);
    let mut told = call("PostToolUse", "Bash", input);
    told["cwd"] = sandbox.repo().to_str().unwrap().into();
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.env("PATH", crate::sandbox::path_with(&folder));
    hook_by(command, &["claude"], told.to_string().as_bytes()).expect(2).says(&["tax.py refused"]);
    std::fs::read_to_string(&log).unwrap().lines().count()
}

#[test]
fn ac_tdd_10_62_git_is_not_called_more_often_after_many_turns_and_stashes() {
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let goes_on = |(stashes, turns): (std::ops::Range<u32>, std::ops::Range<u32>)| {
        for stash in stashes {
            let script =
                format!("echo 'n = {stash}' >> shop.py; git -c user.name=a -c user.email=a@b stash -q");
            assert!(sandbox.command("sh").args(["-c", &script]).status().unwrap().success());
        }
        for turn in turns {
            // A person's work between two turns is known from then on, as a good turn is.
            sandbox.write("shop.py", &format!("{SHOP}TURN = {turn}\n"));
            hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
        }
    };
    goes_on((0..1, 0..1));
    let at_first = gits_for_a_refusal(&sandbox);
    assert!((1..=40).contains(&at_first), "{at_first}");
    goes_on((1..4, 1..9));
    let later = gits_for_a_refusal(&sandbox);
    assert!(later <= at_first, "{at_first} and then {later}");
}

#[test]
fn ac_tdd_10_63_a_rebase_of_many_commits_stands() {
    let sandbox = project();
    let commits = "git config user.name a; git config user.email a@b; git branch -M main; git switch -qc feature; \
                   for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23; do echo \"n = $n\" >> many.py; \
                   git add -A; git commit -qm \"n $n\"; done; git switch -q main; echo 'x = 1' > up.py; git add -A; \
                   git commit -qm up; git switch -q feature";
    assert!(sandbox.command("sh").args(["-c", commits]).status().unwrap().success());
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    shell(&sandbox, "git rebase -q main").expect(0);
    assert_eq!(sandbox.read("up.py"), "x = 1\n");
    shell(&sandbox, "git reset -q --hard ORIG_HEAD").expect(0);
    assert!(!sandbox.path("up.py").exists());
    // One with more in it.
    shell(&sandbox, "git rebase -q main; echo 'x = 2' > up.py; git commit -qa --amend --no-edit")
        .expect(2)
        .says(&["up.py refused", "HEAD has it still"]);
    assert!(!sandbox.path("up.py").exists());
}
