//! Hooks go into an agent's settings and out again, and nothing else there changes.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use super::{Sandbox, project};
use crate::sandbox::{Ran, path_with};

fn install(sandbox: &Sandbox, words: &[&str]) -> Ran {
    let tdd = std::path::Path::new(env!("CARGO_BIN_EXE_tdd"));
    let mut command = sandbox.command(tdd);
    command.args(["gate", "install"]).args(words).env("PATH", path_with(tdd.parent().unwrap()));
    Ran::of(&command.output().unwrap())
}

const THEIRS: &str = "{\n    \"model\" : \"opus\", \"n\": 1.0,\n  \"hooks\": {\n    \"PreToolUse\": [{ \"matcher\": \"Bash\", \"hooks\": [{\"type\":\"command\",\"command\":\"lint\"}] }]\n  }\n}\n";

#[test]
fn ac_tdd_10_13_hooks_are_merged_and_taken_out_byte_for_byte() {
    left_to_the_night!();
    for (agent, at) in [
        ("claude", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
    ] {
        let sandbox = project();
        sandbox.write(at, THEIRS);
        install(&sandbox, &[agent, "--dry-run"]).expect(0).says_on_stdout(&["+ ", "gate hook"]);
        assert_eq!(sandbox.read(at), THEIRS, "nothing was changed");
        install(&sandbox, &[agent]).expect(0).says_on_stdout(&["+ ", "blocks what it has to"]);
        let once = sandbox.read(at);
        let read: Value = serde_json::from_str(&once).unwrap();
        assert_eq!(read["hooks"]["PreToolUse"][0]["hooks"][0]["command"], "lint", "{agent}");
        assert!(once.starts_with("{\n    \"model\" : \"opus\", \"n\": 1.0,\n"), "{once}");
        assert!(once.matches(" gate hook ").count() >= 5, "{once}");
        install(&sandbox, &[agent]).expect(0).says_on_stdout(&["stays as it is"]);
        assert_eq!(sandbox.read(at), once, "twice is once");
        install(&sandbox, &[agent, "--uninstall"]).expect(0).says_on_stdout(&["- "]);
        assert_eq!(sandbox.read(at), THEIRS, "{agent}");
        // What held nothing but the hooks goes with them.
        std::fs::remove_file(sandbox.path(at)).unwrap();
        install(&sandbox, &[agent]).expect(0);
        install(&sandbox, &[agent, "--uninstall"]).expect(0);
        assert!(!sandbox.path(at).exists(), "{agent}");
        sandbox.write(at, "{}\n");
        install(&sandbox, &[agent, "--uninstall"]).expect(0).says_on_stdout(&["stays as it is"]);
        assert_eq!(sandbox.read(at), "{}\n");
    }
}

#[test]
fn ac_tdd_10_13_every_agent_has_its_form() {
    left_to_the_night!();
    for (agent, at) in [
        ("copilot", ".github/hooks/tdd.json"),
        ("vscode", ".github/hooks/tdd-vscode.json"),
        ("opencode", ".opencode/plugins/tdd-gate.js"),
        ("pi", ".pi/extensions/tdd-gate.ts"),
    ] {
        let sandbox = project();
        install(&sandbox, &[agent]).expect(0).says_on_stdout(&["blocks what it has to"]);
        assert!(sandbox.read(at).contains("gate hook "), "{agent}");
        install(&sandbox, &[agent, "--uninstall"]).expect(0);
        assert!(!sandbox.path(at).exists(), "{agent}");
        sandbox.write(at, "{}");
        install(&sandbox, &[agent]).expect(2).says(&["is left as it is"]);
        assert_eq!(sandbox.read(at), "{}");
    }
    let sandbox = project();
    install(&sandbox, &["claude", "--user"]).expect(0);
    let own = std::fs::read_to_string(sandbox.beside("home/.claude/settings.json")).unwrap();
    assert!(own.contains(env!("CARGO_BIN_EXE_tdd")), "{own}");
    install(&sandbox, &["teleporter"]).expect(2).says(&["no agent is called"]);
}

#[test]
fn ac_tdd_10_14_settings_that_cannot_be_merged_are_left_as_they_are() {
    let at = ".claude/settings.json";
    for (name, text, want) in [
        ("no JSON", "{", "it is no JSON"),
        ("comments", "{\n  // mine\n  \"model\": \"opus\"\n}\n", "it is no JSON"),
        ("another shape", "[]", "another shape"),
        ("hooks of another shape", "{\"hooks\": []}", "another shape"),
    ] {
        let sandbox = project();
        sandbox.write(at, text);
        install(&sandbox, &["claude"]).expect(2).says(&["is left as it is", want]);
        assert_eq!(sandbox.read(at), text, "{name}");
    }
    let sandbox = project();
    sandbox.write("real.json", "{}");
    std::fs::create_dir_all(sandbox.path(".claude")).unwrap();
    std::os::unix::fs::symlink("../real.json", sandbox.path(at)).unwrap();
    install(&sandbox, &["claude"]).expect(2).says(&["it is a link"]);
    assert_eq!(sandbox.read("real.json"), "{}");
    std::fs::remove_file(sandbox.path(at)).unwrap();
    sandbox.write(at, "{}");
    std::fs::set_permissions(sandbox.path(at), std::fs::Permissions::from_mode(0o444)).unwrap();
    install(&sandbox, &["claude"]).expect(2).says(&["read-only"]);
    assert_eq!(sandbox.read(at), "{}");
}

#[test]
fn ac_tdd_10_16_the_doctor_tells_of_hooks_that_are_silent_or_off() {
    left_to_the_night!();
    let sandbox = project();
    install(&sandbox, &["claude"]).expect(0);
    let doctor = || sandbox.tdd(&["doctor"]).stdout;
    let silent = "hooks of claude are installed and were never called here";
    assert!(doctor().contains(silent), "{}", doctor());
    super::hook(&sandbox, "SessionStart", "", serde_json::json!({})).expect(0);
    let told = doctor();
    assert!(!told.contains(silent) && told.contains("hooks of claude were called"), "{told}");
    sandbox.write(".claude/settings.local.json", "{\"disableAllHooks\": true}");
    assert!(doctor().contains("`disableAllHooks` switches"), "{}", doctor());
}

#[test]
fn ac_tdd_10_16_the_doctor_tells_what_weakens_the_gate() {
    left_to_the_night!();
    let sandbox = project();
    let doctor = || {
        let tdd = std::path::Path::new(env!("CARGO_BIN_EXE_tdd"));
        let mut command = sandbox.command(tdd);
        Ran::of(&command.arg("doctor").env("PATH", path_with(tdd.parent().unwrap())).output().unwrap()).stdout
    };
    let before = "another hook of claude is called before the gate's: `lint`";
    install(&sandbox, &["claude"]).expect(0);
    super::hook(&sandbox, "SessionStart", "", serde_json::json!({})).expect(0);
    let honest = doctor();
    for words in [before, "does not hold", "in refactor mode", "no test_file_path"] {
        assert!(!honest.contains(words), "{words}: {honest}");
    }
    // Behind ours it is no matter.
    let ours = sandbox.read(".claude/settings.json");
    let mut settings: Value = serde_json::from_str(&ours).unwrap();
    let lint: Value =
        serde_json::json!({ "matcher": "*", "hooks": [{ "type": "command", "command": "lint" }] });
    settings["hooks"]["PreToolUse"].as_array_mut().unwrap().push(lint.clone());
    sandbox.write(".claude/settings.json", &settings.to_string());
    assert!(!doctor().contains(before));
    settings["hooks"]["PreToolUse"].as_array_mut().unwrap().insert(0, lint);
    sandbox.write(".claude/settings.json", &settings.to_string());
    assert!(doctor().contains(before), "{}", doctor());
    // One that is never called for an edit is no matter, either.
    settings["hooks"]["PreToolUse"][0]["matcher"] = "Bash".into();
    sandbox.write(".claude/settings.json", &settings.to_string());
    assert!(!doctor().contains(before));
    sandbox.write(".claude/settings.json", &ours);
    // A plan of a journal that another program wrote.
    let at = sandbox.path(".tdd/sessions/s-1/events.jsonl");
    let mut journal = std::fs::read_to_string(&at).unwrap();
    for (file, is_told) in [("\"tests/a.py\"", false), ("null", true)] {
        let step = "{\"step\":\"sum\",\"test_id\":\"t::a\",\"test_file_path\":FILE}".replace("FILE", file);
        journal = [&journal, "{\"type\":\"planned\",\"steps\":[", &step, "]}\n"].concat();
        std::fs::write(&at, &journal).unwrap();
        assert_eq!(doctor().contains("names the test t::a and no test_file_path"), is_told, "{file}");
    }
    // Where the program is another one, the canary tells.
    let other = sandbox.beside("other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("tdd"), "#!/bin/sh\nexit 0\n").unwrap();
    crate::sandbox::make_executable(&other.join("tdd"));
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    let told = Ran::of(&command.arg("doctor").env("PATH", path_with(&other)).output().unwrap()).stdout;
    assert!(told.contains("the hook of claude is installed, and does not hold"), "{told}");
    // Without a test there is nothing that could be red.
    let empty = Sandbox::with(&[("shop.py", super::SHOP)]);
    super::hook(&empty, "SessionStart", "", serde_json::json!({})).expect(0);
    let told = empty.tdd(&["doctor"]).stdout;
    assert!(told.contains("the gate is in refactor mode, because there was no test"), "{told}");
}

#[test]
fn ac_tdd_10_16_the_doctor_tells_of_a_version_whose_hooks_were_never_tried() {
    left_to_the_night!();
    let sandbox = project();
    install(&sandbox, &["claude"]).expect(0);
    let programs = sandbox.beside("programs");
    std::fs::create_dir_all(&programs).unwrap();
    for (version, is_told) in [("2.1.330", false), ("2.9.0", true)] {
        std::fs::write(programs.join("claude"), format!("#!/bin/sh\necho '{version} (Claude Code)'\n"))
            .unwrap();
        crate::sandbox::make_executable(&programs.join("claude"));
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        let told = Ran::of(&command.arg("doctor").env("PATH", path_with(&programs)).output().unwrap()).stdout;
        let words = format!("the gate's hooks were never tried with claude {version}");
        assert_eq!(told.contains(&words), is_told, "{told}");
    }
}

#[test]
fn ac_tdd_10_76_an_install_from_a_folder_below_says_where_the_hooks_are_not_called() {
    let tdd = std::path::Path::new(env!("CARGO_BIN_EXE_tdd"));
    let below = |sandbox: &Sandbox, words: &[&str]| {
        std::fs::create_dir_all(sandbox.path("apps/web")).unwrap();
        let mut command = sandbox.command(tdd);
        command.args(["gate", "install"]).args(words).env("PATH", path_with(tdd.parent().unwrap()));
        Ran::of(&command.current_dir(sandbox.path("apps/web")).output().unwrap()).expect(0)
    };
    for agent in ["claude", "gemini"] {
        let sandbox = project();
        below(&sandbox, &[agent])
            .says_on_stdout(&["it calls no hook", &format!("tdd gate install {agent} --user")]);
        // The twins: at the top, and for the person.
        for ran in [install(&sandbox, &[agent]), below(&sandbox, &[agent, "--user"])] {
            assert!(!ran.expect(0).stdout.contains("calls no hook"), "{agent}");
        }
    }
    let sandbox = project();
    assert!(!below(&sandbox, &["codex"]).stdout.contains("calls no hook"), "it reads the folders above");
}
