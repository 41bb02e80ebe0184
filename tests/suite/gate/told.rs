//! What a person is asked and told: of tools that were cut off, of settings, and of what lies beside the tree.

use serde_json::json;

use super::ways_around::shell;
use super::{HELD, ID, RIGHT, SHOP, TAX, WRONG, begun, claims, edits, hook, project, red, stops, types};
use crate::sandbox::{Ran, Sandbox};

fn prompts(sandbox: &Sandbox) -> Ran {
    hook(sandbox, "UserPromptSubmit", "", json!({}))
}

#[test]
fn ac_tdd_10_48_what_a_claim_covers_is_asked_about_where_its_tool_was_cut_off() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    for (tool, input) in
        [("Bash", json!({ "command": "x" })), ("Write", json!({ "file_path": sandbox.path("shop.py") }))]
    {
        red(&sandbox, ID);
        claims(&sandbox, ID, "shop.py");
        // It was not the person: it is judged.
        hook(&sandbox, "PreToolUse", tool, input.clone()).expect(0);
        sandbox.write("shop.py", WRONG);
        prompts(&sandbox)
            .expect(2)
            .says(&["under a claim that nobody has judged: shop.py", "tdd gate flush judges"]);
        sandbox.tdd(&["gate", "flush"]).expect(1).says_on_stdout(&["red", "taken back: shop.py"]);
        assert_eq!(sandbox.read("shop.py"), SHOP, "{tool}");
        prompts(&sandbox).expect(0);
        // Right as it is, it stays.
        red(&sandbox, ID);
        claims(&sandbox, ID, "shop.py");
        hook(&sandbox, "PreToolUse", tool, input.clone()).expect(0);
        sandbox.write("shop.py", RIGHT);
        prompts(&sandbox).expect(2);
        sandbox.tdd(&["gate", "flush"]).expect(0).says_on_stdout(&["1 green"]);
        prompts(&sandbox).expect(0);
        sandbox.write("shop.py", SHOP);
        prompts(&sandbox).expect(0);
        // It was the person.
        red(&sandbox, ID);
        claims(&sandbox, ID, "shop.py");
        hook(&sandbox, "PreToolUse", tool, input).expect(0);
        sandbox.write("shop.py", WRONG);
        prompts(&sandbox).expect(2);
        prompts(&sandbox).expect(0);
        stops(&sandbox).expect(0);
        assert_eq!(sandbox.read("shop.py"), WRONG, "{tool}");
        sandbox.write("shop.py", SHOP);
        prompts(&sandbox).expect(0);
    }
    // Where the tool has ended nobody is asked; nor where what was edited needs no claim.
    red(&sandbox, ID);
    claims(&sandbox, ID, "shop.py");
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    prompts(&sandbox).expect(0);
    stops(&sandbox).expect(0);
    hook(&sandbox, "PreToolUse", "Write", json!({ "file_path": sandbox.path("README.md") })).expect(0);
    sandbox.write("tax.py", WRONG);
    prompts(&sandbox).expect(0);
}

#[test]
fn ac_tdd_10_6_refactor_mode_ends_where_the_gate_is_no_worse_than_without_it() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    let off = || sandbox.tdd(&["gate", "refactor", "off"]);
    let on = || sandbox.tdd(&["gate", "refactor", "on", "--why", "tidy"]).expect(0);
    // Two tests are red all along.
    on().says_on_stdout(&["It ends if the gate is green, or red with nothing that your edits made red"]);
    edits(&sandbox, "tax.py", &format!("# tidy\n{TAX}")).expect(0);
    off().expect(0).says_on_stdout(&["no worse than without your edits"]);
    // Another one is made red.
    on();
    edits(&sandbox, HELD, "def test_held():\n    assert 1 == 2\n").expect(0);
    off()
        .expect(1)
        .says_on_stdout(&["stays on", "without your edits these are not: tests/test_held.py::test_held"]);
    // All of it is undone.
    edits(&sandbox, HELD, "def test_held():\n    assert 1 == 1\n").expect(0);
    off().expect(0).says_on_stdout(&["none of the mode's edits is left"]);
    // What was turned green meanwhile is not red from before.
    on();
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    red(&sandbox, "tests/test_tax.py::test_tax");
    sandbox.tdd(&["gate", "test", ID]).expect(0).says_on_stdout(&["green"]);
    edits(&sandbox, "shop.py", WRONG).expect(0);
    off().expect(1).says_on_stdout(&["these are not: tests/test_total.py::test_sum"]);
    // A gate that tells no tests is not compared.
    edits(&sandbox, "shop.py", &format!("# x\n{SHOP}")).expect(0);
    sandbox.write("tdd.yaml", "test: python3 -m pytest -q\ngate: 'false'\n");
    prompts(&sandbox).expect(0);
    off().expect(1).says_on_stdout(&["red without your edits, too", "tdd gate off"]);
}

#[test]
fn ac_tdd_10_49_what_a_person_settles_between_two_turns_holds_once_they_say_so() {
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let settings = |gate: &str| {
        sandbox.write("tdd.yaml", &format!("test: python3 -m pytest -q\nsession_gate: {gate}\n"));
    };
    let reads = || hook(&sandbox, "PreToolUse", "mcp__x__get", json!({}));
    reads().expect(2);
    settings("{ free: [\"notes/**\", tax.py], tools: { mcp__x__get: read } }");
    prompts(&sandbox).expect(2).says(&["free besides: tax.py", "mcp__x__get", "send the same word again"]);
    reads().expect(2);
    prompts(&sandbox).expect(0);
    reads().expect(0);
    edits(&sandbox, "tax.py", WRONG).expect(0);
    edits(&sandbox, "shop.py", WRONG).expect(2);
    assert!(types(&sandbox).contains(&"settled".to_owned()));
    prompts(&sandbox).expect(0);
    // What forbids more is nobody's to confirm.
    settings("{ free: [\"notes/**\"] }");
    prompts(&sandbox).expect(0);
    edits(&sandbox, "tax.py", TAX).expect(2);
    // The agent's own change never counts.
    shell(&sandbox, "printf 'test: python3 -m pytest -q\nsession_gate: { mode: warn }\n' >tdd.yaml")
        .expect(2);
    prompts(&sandbox).expect(0);
    edits(&sandbox, "shop.py", WRONG).expect(2);
    // A person who did not do it puts it back.
    settings("{ mode: warn }");
    prompts(&sandbox).expect(2).says(&["mode strict, now warn", "put tdd.yaml back"]);
    settings("{ free: [\"notes/**\"] }");
    prompts(&sandbox).expect(0);
    edits(&sandbox, "shop.py", WRONG).expect(2);
}

#[test]
fn ac_tdd_10_50_a_hook_of_gits_that_a_shell_writes_is_told() {
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let told = |ran: Ran, words: &[&str]| {
        let ran = ran.expect(0);
        for word in words {
            assert!(ran.stdout.contains(word), "{word}: {}", ran.stdout);
        }
    };
    let write = "mkdir -p .git/hooks; printf '#!/bin/sh\ntouch ../ran\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit";
    told(shell(&sandbox, write), &["systemMessage", ".git/hooks/pre-commit", "Tell the person"]);
    told(shell(&sandbox, "git config core.hooksPath ../elsewhere"), &["core.hooksPath = ../elsewhere"]);
    // Once each, and at the end of the turn.
    assert_eq!(shell(&sandbox, "true").expect(0).stdout, "");
    stops(&sandbox).expect(2).says(&[".git/hooks/pre-commit", "core.hooksPath"]);
    stops(&sandbox).expect(0);
    assert!(!sandbox.beside("ran").exists(), "no git of the gate's runs it");
    // An object that stands in for another shows a person what is not there.
    let replace = "git replace $(git rev-parse HEAD:shop.py) $(git rev-parse HEAD:tax.py)";
    told(shell(&sandbox, replace), &["git replace "]);
    assert_eq!(shell(&sandbox, "git pack-refs --all").expect(0).stdout, "");
    stops(&sandbox).expect(2).says(&["git replace ", "Tell the person"]);
    stops(&sandbox).expect(0);
    // What the person has there is theirs.
    std::fs::write(sandbox.path(".git/hooks/pre-push"), "").unwrap();
    prompts(&sandbox).expect(0);
    assert_eq!(shell(&sandbox, "touch .git/hooks/a.sample").expect(0).stdout, "");
    stops(&sandbox).expect(0);
}

#[test]
fn ac_tdd_10_51_another_program_of_that_name_in_path_is_told() {
    let sandbox = project();
    let call = || {
        let mut call = super::call("SessionStart", "", json!({}));
        call["cwd"] = sandbox.repo().to_str().unwrap().into();
        call.to_string()
    };
    let begins = |path: &std::path::Path| {
        std::fs::write(sandbox.beside("call.json"), call()).unwrap();
        let mut command = sandbox.command("sh");
        let script = format!(
            "{} gate hook claude <{}",
            env!("CARGO_BIN_EXE_tdd"),
            sandbox.beside("call.json").display()
        );
        command.args(["-c", &script]).env("PATH", crate::sandbox::path_with(path));
        Ran::of(&command.output().unwrap()).expect(0)
    };
    let own = std::path::Path::new(env!("CARGO_BIN_EXE_tdd")).parent().unwrap();
    assert!(!begins(own).stdout.contains("another program"));
    sandbox.write(".venv/bin/tdd", "#!/bin/sh\nexit 0\n");
    begins(&sandbox.path(".venv/bin")).says_on_stdout(&["`tdd` is another program", ".venv/bin/tdd"]);
}

#[test]
fn ac_tdd_10_52_a_session_in_a_projects_folder_is_about_that_project() {
    let sandbox = Sandbox::with(&[
        ("apps/py/shop.py", SHOP),
        ("apps/py/pytest.ini", "[pytest]\npythonpath = .\n"),
        ("apps/py/tests/test_total.py", super::TEST),
        ("apps/js/i.js", "console.log(1)\n"),
    ]);
    let calls = |event: &str, tool: &str, input: serde_json::Value| {
        let mut call = super::call(event, tool, input);
        call["cwd"] = sandbox.path("apps/py").to_str().unwrap().into();
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        command.current_dir(sandbox.path("apps/py")).env("CLAUDE_PROJECT_DIR", sandbox.path("apps/py"));
        crate::gate::hook_by(command, &["claude"], call.to_string().as_bytes())
    };
    calls("SessionStart", "", json!({})).expect(0).says_on_stdout(&["code is edited only for a red test"]);
    let input = json!({ "file_path": sandbox.path("apps/py/shop.py"), "content": RIGHT });
    calls("PreToolUse", "Write", input.clone()).expect(2).says(&["apps/py/shop.py refused: no red test"]);
    calls("PreToolUse", "Write", json!({ "file_path": sandbox.path("apps/py/README.md"), "content": "" }))
        .expect(0);
    if !crate::sandbox::has_pytest() {
        return;
    }
    // A command is about the same project, wherever it is typed.
    red(&sandbox, ID);
    sandbox.tdd(&["gate", "claim", ID, "apps/py/shop.py"]).expect(0);
    calls("PreToolUse", "Write", input).expect(0);
    // At the top nothing can be begun still.
    let input = json!({ "file_path": sandbox.path("apps/py/shop.py"), "content": RIGHT });
    let mut call = super::call("PreToolUse", "Write", input);
    call["session_id"] = "s-2".into();
    call["cwd"] = sandbox.repo().to_str().unwrap().into();
    super::hook_with(&sandbox, &["claude"], call.to_string().as_bytes()).expect(2).says(&["test command"]);
}

#[test]
fn ac_tdd_10_53_a_claim_is_about_a_file_of_code_that_is_compared() {
    left_to_the_night!();
    if !crate::sandbox::has_pytest() {
        return;
    }
    let sandbox = project();
    sandbox.write(".gitignore", "ignored/\n");
    sandbox.write("ignored/x.py", "");
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    red(&sandbox, ID);
    shell(&sandbox, "touch shop.py~ .#shop.py '#shop.py#'").expect(0);
    for (target, why) in [
        ("tests", "it is a folder"),
        (".claude/settings.json", "it holds the gate"),
        (".git/hooks/pre-commit", "it holds the gate"),
        ("tdd.yaml", "it holds the gate"),
        ("*.py", "takes no pattern"),
        ("README.md", "may be edited at any time"),
        ("ignored/x.py", "git ignores it"),
        ("ignored/new.py", "git ignores it"),
        ("shop.py:1", "without a line: shop.py"),
        ("shop.py:1:12", "without a line: shop.py"),
        ("SHOP.py", "spelt otherwise here: shop.py"),
        ("shop.py/", "ends like a folder's"),
    ] {
        sandbox.tdd(&["gate", "claim", ID, target]).expect(2).says(&["can't be claimed", why]);
    }
    for target in ["shop.py", "new.py", "new/a:b.py"] {
        claims(&sandbox, ID, target);
    }
}
