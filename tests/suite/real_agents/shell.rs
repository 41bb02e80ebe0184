//! A project that needs the person's virtual environment and a variable of theirs: an agent's shell runs its
//! tests with the same result as we do.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use super::{Agent, Server, block, rule, tdd, write};
use crate::sandbox::{Ran, Sandbox, agents, has_pytest, path_with};

const TEST: &str = "import os\n\nimport rates\nfrom shop import price\n\n\ndef test_price():\n    assert price() == rates.RATE * int(os.environ[\"SHOP_FACTOR\"])\n";
const OTHER: &str = "from shop import price\n\n\ndef test_it_is_a_number():\n    assert price() > 0\n";
const SOURCE: &str =
    "import os\n\nimport rates\n\n\ndef price():\n    return rates.RATE * int(os.environ[\"SHOP_FACTOR\"])\n";
const REQUIREMENT: &str = "---\nid: STE-1\n---\n\n# A price\n\n## Acceptance Criteria\n\n- AC-STE-1.1: `price()` is the rate times the factor.\n";

/// A virtual environment beside the repository, where the tests' runner and a module are found.
fn virtual_environment(sandbox: &Sandbox) -> PathBuf {
    let folder = sandbox.beside("venv");
    let made = Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&folder).status().unwrap();
    assert!(made.success());
    let print = "import os, pytest, sysconfig; print(os.path.dirname(os.path.dirname(pytest.__file__)))";
    let found = Command::new("python3").args(["-c", print]).output().unwrap();
    let lib = std::fs::read_dir(folder.join("lib")).unwrap().next().unwrap().unwrap().path();
    std::fs::write(lib.join("site-packages/runner.pth"), found.stdout).unwrap();
    std::fs::write(lib.join("site-packages/rates.py"), "RATE = 7\n").unwrap();
    folder.join("bin")
}

fn runs_as_ours(agent: Agent) {
    let Some(programs) = agents(&["claude", "codex"]) else { return };
    if !has_pytest() {
        return;
    }
    let sandbox = Sandbox::with(&[
        ("specs/frs/STE-1.md", REQUIREMENT),
        ("shop.py", "def price():\n    return 1\n"),
        ("conftest.py", ""),
        ("tests/test_shop.py", OTHER),
    ]);
    let test = "tests/test_ac_ste_1_1.py";
    let check = || format!("- run: {}\n", json!("python -m pytest -q 2>&1 | tail -n 1; echo key=$KIT_KEY."));
    let rules = [
        rule("writer", "role: test-writer", &[write(test, TEST), check(), block("test-writer", test)]),
        rule(
            "implementer",
            "role: implementer",
            &[
                check(),
                "- read: shop.py\n".to_owned(),
                write("shop.py", SOURCE),
                check(),
                block("implementer", "shop.py"),
            ],
        ),
    ];
    let server = Server::start(&sandbox, &format!("rules:\n{}", rules.concat()));
    let bin = virtual_environment(&sandbox);
    sandbox.own_settings(&agent.table(&server));
    sandbox.write("tdd.yaml", "test: python -m pytest\n");
    sandbox.commit();
    let mut command = tdd(&sandbox, &server, &programs);
    command.env("PATH", in_front(&bin, &programs)).env("SHOP_FACTOR", "6");
    command.env("VIRTUAL_ENV", bin.parent().unwrap());
    let args = ["STE-1", "--no-refactor", "--agent", agent.name()];
    Ran::of(&command.args(args).output().unwrap()).expect(0);
    let results = |rule: &str| -> String {
        let asked = server.requests();
        asked
            .iter()
            .filter(|asked| asked["rule"] == rule)
            .map(|asked| asked["asked"]["results"].to_string())
            .collect()
    };
    assert!(results("writer").contains("1 failed, 1 passed"), "{}", results("writer"));
    let seen = results("implementer");
    assert!(seen.contains("1 failed, 1 passed") && seen.contains("2 passed"), "{seen}");
    if matches!(agent, Agent::Codex) {
        assert!(seen.contains("key=."), "what is secret is the agent's alone: {seen}");
    }
}

/// The virtual environment first, as its activation puts it.
fn in_front(bin: &Path, programs: &Path) -> std::ffi::OsString {
    let mut path = bin.as_os_str().to_owned();
    path.push(":");
    path.push(path_with(programs));
    path
}

#[test]
fn the_shell_of_the_real_claude_runs_tests_as_we_do() {
    left_to_the_night!();
    runs_as_ours(Agent::Claude);
}

#[test]
fn the_shell_of_the_real_codex_runs_tests_as_we_do() {
    left_to_the_night!();
    runs_as_ours(Agent::Codex);
}
