//! What a session could hide a change behind: rules of git's, links, and settings of the gate's own.

use serde_json::json;

use super::ways_around::shell;
use super::{ID, RIGHT, SHOP, WRONG, begun, call, claims, edits, hook, hook_with, project, red, stops};
use crate::sandbox::Sandbox;

fn git(sandbox: &Sandbox, script: &str) {
    let identity = "git config user.name a; git config user.email a@b";
    let done = sandbox.command("sh").args(["-ec", &format!("{identity}; {script}")]).output().unwrap();
    assert!(done.status.success(), "{script}: {}", String::from_utf8_lossy(&done.stderr));
}

const STRICT: &str = "test: python3 -m pytest -q\n";
const WARNS: &str = "test: python3 -m pytest -q\nsession_gate: { mode: warn }\n";

/// A project whose `tdd.yaml` is a person's own, and not git's.
fn with_own_settings() -> Sandbox {
    let sandbox = project();
    git(&sandbox, "git rm -q --cached tdd.yaml; echo tdd.yaml >.gitignore; git add -A; git commit -qm own");
    sandbox.write("tdd.yaml", STRICT);
    sandbox
}

#[test]
fn ac_tdd_10_31_settings_that_git_ignores_are_compared() {
    left_to_the_night!();
    let sandbox = with_own_settings();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let loosen = "printf 'session_gate: { mode: warn }\\n' >>tdd.yaml";
    shell(&sandbox, loosen).expect(2).says(&["tdd.yaml refused: it holds the gate"]);
    assert_eq!(sandbox.read("tdd.yaml"), STRICT);
    shell(&sandbox, "rm tdd.yaml").expect(2);
    assert_eq!(sandbox.read("tdd.yaml"), STRICT);
    // So is a new one.
    let sandbox = project();
    git(
        &sandbox,
        "git rm -q tdd.yaml; echo tdd.yaml >.gitignore; echo >pytest.ini; git add -A; git commit -qm none",
    );
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    shell(&sandbox, loosen).expect(2).says(&["tdd.yaml refused"]);
    assert!(!sandbox.path("tdd.yaml").exists());
    // A person changes it between two turns.
    let sandbox = with_own_settings();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    sandbox.write("tdd.yaml", WARNS);
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(2).says(&["mode strict, now warn"]);
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.read("tdd.yaml"), WARNS);
}

/// The file by which the agent calls the gate: without it nothing is held.
#[test]
fn ac_tdd_10_64_hooks_that_git_ignores_are_compared() {
    let sandbox = project();
    git(&sandbox, "echo .claude/ >.gitignore; git add -A; git commit -qm own");
    let hooks = r#"{ "hooks": { "Stop": [] } }"#;
    sandbox.write(".claude/settings.json", hooks);
    sandbox.write(".claude/settings.local.json", "{}");
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    shell(&sandbox, "echo '{}' >.claude/settings.json").expect(2).says(&[".claude/settings.json refused"]);
    assert_eq!(sandbox.read(".claude/settings.json"), hooks);
    shell(&sandbox, "rm -r .claude").expect(2);
    assert_eq!(sandbox.read(".claude/settings.json"), hooks);
}

const LOCAL: &str = ".claude/settings.local.json";

/// The other file of the project's that the agent reads: it writes a person's answers there itself, in mid-turn.
#[test]
fn ac_tdd_10_66_what_switches_hooks_off_beside_a_persons_answers_is_put_back() {
    left_to_the_night!();
    let write = |text: &str| format!("mkdir -p .claude; printf '%s' '{text}' >{LOCAL}");
    let answers = r#"{"permissions":{"allow":["Bash(ls)"]},"enabledMcpjsonServers":["a"]}"#;
    let own = r#"{"env":{"A":"1"},"permissions":{"allow":[]}}"#;
    for ignored in [".claude/", "#"] {
        let sandbox = project();
        git(&sandbox, &format!("echo '{ignored}' >.gitignore; git add -A; git commit -qm own"));
        hook(&sandbox, "SessionStart", "", json!({})).expect(0);
        // What it writes of a person's answers is nobody's edit, and no less so where the file is new or goes.
        shell(&sandbox, &write(answers)).expect(0);
        assert_eq!(sandbox.read(LOCAL), answers, "{ignored}");
        shell(&sandbox, &format!("rm {LOCAL}")).expect(0);
        for (text, key) in [
            (r#"{"disableAllHooks":true}"#, "disableAllHooks"),
            (r#"{"hooks":{"Stop":[]},"permissions":{"allow":["Bash(ls)"]}}"#, "hooks"),
            (r#"{"env":{"PATH":"/tmp"}}"#, "env"),
            ("// a comment\n{\"disableAllHooks\":true}", "can't be read"),
        ] {
            let refused = shell(&sandbox, &write(text)).expect(2).says(&[LOCAL, "refused"]);
            assert!(ignored == "#" || refused.stderr.contains(key), "{text}: {}", refused.stderr);
            assert!(!sandbox.path(LOCAL).exists() || !sandbox.read(LOCAL).contains(key), "{ignored}: {text}");
        }
        shell(&sandbox, &format!("rm -f {LOCAL}")).expect(0);
        // Between two turns it is a person's, and from then on what the file holds.
        sandbox.write(LOCAL, own);
        hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
        shell(&sandbox, &write(r#"{"disableAllHooks":true,"permissions":{"allow":["Bash(ls)"]}}"#)).expect(2);
        let now: serde_json::Value = serde_json::from_str(&sandbox.read(LOCAL)).unwrap();
        assert_eq!((&now["env"]["A"], now.get("disableAllHooks")), (&json!("1"), None), "{ignored}");
        let allowed = if ignored == "#" { json!([]) } else { json!(["Bash(ls)"]) };
        assert_eq!(now["permissions"]["allow"], allowed);
        stops(&sandbox).expect(0);
        if ignored != "#" {
            let objects = "git cat-file --batch-check --batch-all-objects | grep blob | cut -d' ' -f1";
            let look =
                format!("for it in $({objects}); do git cat-file -p $it; done | grep -c enabledMcpjson");
            assert_eq!(sandbox.command("sh").args(["-c", &look]).output().unwrap().stdout, b"0\n");
        }
    }
}

/// What a person broke by hand is theirs, and stays.
#[test]
fn ac_tdd_10_66_settings_of_a_persons_that_cannot_be_read_stay() {
    let sandbox = project();
    git(&sandbox, "echo .claude/ >.gitignore; git add -A; git commit -qm own");
    sandbox.write(LOCAL, "{ broken");
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    shell(&sandbox, "true").expect(0);
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.read(LOCAL), "{ broken");
}

#[test]
fn ac_tdd_10_31_settings_come_with_a_persons_branch_where_they_settle_the_same() {
    left_to_the_night!();
    for (line, code) in [
        ("# mine\nagent: codex", 0),
        ("session_gate: { mode: warn }", 2),
        ("gate: 'true'", 2),
        ("test_files: [\"x/**\"]", 2),
    ] {
        let sandbox = project();
        sandbox.write("tdd.yaml", "test: python3 -m pytest -q\n");
        let branch = "git branch -M main; git add -A; git commit -qm own --allow-empty; git switch -qc other";
        let add = format!("{branch}; printf '%s\\n' '{}' >>tdd.yaml", line.replace('\'', "'\\''"));
        git(&sandbox, &format!("{add}; sed -i s/0/4/ shop.py; git commit -qam other; git switch -q main"));
        hook(&sandbox, "SessionStart", "", json!({})).expect(0);
        let ran = shell(&sandbox, "git switch -q other").expect(code);
        assert_eq!(sandbox.read("tdd.yaml").contains(line), code == 0, "{line}: {}", ran.stderr);
        assert_eq!(ran.stderr.contains("tdd.yaml refused"), code == 2, "{line}");
        // By hand it is a person's alone.
        if code == 0 {
            shell(&sandbox, "git switch -q main; echo '# x' >>tdd.yaml")
                .expect(2)
                .says(&["tdd.yaml refused"]);
        }
    }
}

#[test]
fn ac_tdd_10_31_settings_that_differ_from_the_last_sessions_are_told_at_the_next_ones_beginning() {
    let sandbox = with_own_settings();
    let begins = |id: &str| {
        let mut told = super::call("SessionStart", "", json!({}));
        told["session_id"] = id.into();
        told["cwd"] = sandbox.repo().to_str().unwrap().into();
        super::hook_with(&sandbox, &["claude"], told.to_string().as_bytes()).expect(0)
    };
    begins("s-1");
    let same = begins("s-2");
    assert!(!same.stdout.contains("has changed"), "{}", same.stdout);
    sandbox.write("tdd.yaml", WARNS);
    begins("s-3")
        .says_on_stdout(&["what settles the gate has changed since session s-2: mode strict, now warn"]);
    let same = begins("s-4");
    assert!(!same.stdout.contains("has changed"), "{}", same.stdout);
}

#[test]
fn ac_tdd_10_32_what_git_begins_to_track_is_compared_though_a_rule_ignores_it() {
    left_to_the_night!();
    let ignoring = || {
        let sandbox = project();
        git(
            &sandbox,
            "echo own/ >.gitignore; mkdir own; echo a=1 >own/old.py; git add -A; git commit -qm own",
        );
        hook(&sandbox, "SessionStart", "", json!({})).expect(0);
        sandbox
    };
    let commit = "git -c user.name=a -c user.email=a@b commit -qm x";
    // Written behind the rule, and committed in the same call or a later one.
    let sandbox = ignoring();
    shell(&sandbox, &format!("echo b=1 >own/new.py; git add -f own/new.py; {commit}"))
        .expect(2)
        .says(&["own/new.py refused: no red test", "HEAD has it still"]);
    assert!(!sandbox.path("own/new.py").exists());
    let sandbox = ignoring();
    shell(&sandbox, "echo b=1 >own/new.py").expect(0);
    shell(&sandbox, "git add -f own/new.py").expect(2).says(&["own/new.py refused"]);
    // A changed rule and `git add` are another way.
    let sandbox = ignoring();
    shell(&sandbox, "echo b=1 >own/new.py; : >.gitignore; git add own/new.py").expect(2);
    // What a person tracks between two turns is compared from then on, and so is what the agent tracks that was
    // there before the session.
    for by_person in [true, false] {
        let sandbox = ignoring();
        let add = "git add -f own/old.py";
        if by_person {
            git(&sandbox, add);
            hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
        } else {
            shell(&sandbox, add).expect(0);
            assert_eq!(sandbox.read("own/old.py"), "a=1\n");
        }
        shell(&sandbox, "sed -i s/1/2/ own/old.py").expect(2).says(&["own/old.py refused"]);
        assert_eq!(sandbox.read("own/old.py"), "a=1\n", "{by_person}");
        stops(&sandbox).expect(0);
    }
    // What stays behind the rule is nobody's business.
    let sandbox = ignoring();
    shell(&sandbox, "sed -i s/1/2/ own/old.py; git status").expect(0);
    assert_eq!(sandbox.read("own/old.py"), "a=2\n");
}

#[test]
fn ac_tdd_10_35_a_claimed_file_becomes_no_link_to_what_nobody_compares() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    std::fs::write(sandbox.path(".git/info/exclude"), "own/\n").unwrap();
    std::fs::create_dir(sandbox.path("own")).unwrap();
    std::fs::write(sandbox.beside("shop.py"), RIGHT).unwrap();
    red(&sandbox, ID);
    claims(&sandbox, ID, "shop.py");
    for target in [sandbox.beside("shop.py").to_str().unwrap(), "own/shop.py", "gone.py"] {
        shell(&sandbox, &format!("ln -sf {target} shop.py"))
            .expect(2)
            .says(&["shop.py refused: it is a link to what nobody compares"]);
        assert!(sandbox.path("shop.py").symlink_metadata().unwrap().is_file(), "{target}");
        assert_eq!(sandbox.read("shop.py"), SHOP);
    }
    // The honest twin: the code moves, and a link stays in its place.
    claims(&sandbox, ID, "real.py");
    shell(&sandbox, "sed s/0/'sum(prices)'/ shop.py >real.py; ln -sf real.py shop.py").expect(0);
    stops(&sandbox).expect(0);
    assert!(sandbox.path("shop.py").symlink_metadata().unwrap().is_symlink());
    assert_eq!(sandbox.read("shop.py"), RIGHT);
}

/// The person pressed Esc while a tool was under way: nobody says that it ended.
#[test]
fn ac_tdd_10_36_what_a_tool_did_that_was_cut_off_is_asked_about() {
    left_to_the_night!();
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let begins = || hook(&sandbox, "PreToolUse", "Bash", json!({ "command": "sed" })).expect(0);
    let prompts = || hook(&sandbox, "UserPromptSubmit", "", json!({}));
    begins();
    sandbox.write("shop.py", WRONG);
    prompts().expect(2).says(&[
        "a tool was cut off",
        "shop.py",
        "send the same word again",
        "tdd gate flush",
    ]);
    assert_eq!(sandbox.read("shop.py"), WRONG, "it may be the person's");
    // It was not the person: they have it taken back, and are asked no more.
    sandbox.tdd(&["gate", "flush"]).expect(1).says_on_stdout(&["shop.py refused", "taken back"]);
    assert_eq!(sandbox.read("shop.py"), SHOP);
    prompts().expect(0);
    // It was the person.
    begins();
    sandbox.write("shop.py", WRONG);
    prompts().expect(2);
    prompts().expect(0);
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.read("shop.py"), WRONG);
    // Another word is no yes: it may be the person's no.
    let says = |words: &str| {
        let mut call = call("UserPromptSubmit", "", json!({}));
        call["prompt"] = words.into();
        call["cwd"] = sandbox.repo().to_str().unwrap().into();
        hook_with(&sandbox, &["claude"], call.to_string().as_bytes())
    };
    sandbox.write("shop.py", SHOP);
    prompts().expect(0);
    begins();
    // What a turn has begun with is known.
    sandbox.write("shop.py", &format!("{WRONG}# more\n"));
    says("go on").expect(2);
    says("no, that was you: undo it").expect(2).says(&["tdd gate flush"]);
    says("no, that was you: undo it ").expect(0);
    sandbox.write("shop.py", WRONG);
    // A session that is gone on with asks at the first word.
    begins();
    sandbox.write("shop.py", SHOP);
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    prompts().expect(2).says(&["shop.py"]);
    prompts().expect(0);
    assert_eq!(sandbox.read("shop.py"), SHOP);
}

#[test]
fn ac_tdd_10_36_a_person_is_not_asked_where_no_tool_is_under_way_or_nothing_is_in_doubt() {
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let prompts = || hook(&sandbox, "UserPromptSubmit", "", json!({}));
    shell(&sandbox, "true").expect(0);
    sandbox.write("shop.py", WRONG);
    prompts().expect(0);
    // Two at once, the end of the one that came first last.
    for event in ["PreToolUse", "PreToolUse", "PostToolUse", "PostToolUse"] {
        hook(&sandbox, event, "Bash", json!({ "command": "true" })).expect(0);
    }
    sandbox.write("shop.py", SHOP);
    prompts().expect(0);
    // A turn that has ended has no tool left.
    hook(&sandbox, "PreToolUse", "Bash", json!({ "command": "true" })).expect(0);
    stops(&sandbox).expect(0);
    sandbox.write("shop.py", WRONG);
    prompts().expect(0);
    // One was cut off that changed nothing that needs a claim.
    hook(&sandbox, "PreToolUse", "Bash", json!({ "command": "true" })).expect(0);
    sandbox.write("README.md", "# More\n");
    sandbox.write("tests/test_more.py", "");
    prompts().expect(0);
    // A tool that names its file was judged before.
    edits(&sandbox, "tests/test_more.py", "import shop\n").expect(0);
    hook(&sandbox, "PreToolUse", "Write", json!({ "file_path": sandbox.path("README.md") })).expect(0);
    sandbox.write("shop.py", SHOP);
    prompts().expect(0);
    assert_eq!(sandbox.read("shop.py"), SHOP);
}
