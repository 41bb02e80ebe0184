//! Bad input: exit 2, a message with what to do, and the tree as it was. And what looks bad and
//! has to work.

use super::cycle::{honest_shop_cassette, shop};
use super::sandbox::{Sandbox, has_python};

fn cassette(sandbox: &Sandbox) -> String {
    let path = sandbox.repo().parent().unwrap().join("cassette.yaml");
    std::fs::write(&path, honest_shop_cassette()).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Refused before anything was done: exit 2, these words, the tree as it was, no run begun.
#[track_caller]
fn refused(sandbox: &Sandbox, args: &[&str], words: &[&str]) {
    let before = sandbox.everything();
    sandbox.tdd(args).expect(2).says(words).says(&["next:"]);
    assert_eq!(sandbox.everything(), before, "the tree is not as it was");
    assert!(!sandbox.path(".tdd").exists(), "a run was begun");
}

#[track_caller]
fn works(sandbox: &Sandbox) {
    let cassette = cassette(sandbox);
    sandbox.tdd(&["STE-1", "--cassette", &cassette]).expect(0);
    assert!(sandbox.read("shop.py").contains("def two"));
}

#[test]
fn an_agent_s_empty_table_is_told_as_one() {
    let sandbox = super::cycle::shop();
    let test = sandbox.read("tdd.yaml");
    sandbox.write("tdd.yaml", &format!("{test}agent: x\nagents:\n  x:\n"));
    sandbox.tdd(&["STE-1"]).expect(2).says(&["tdd.yaml:", "`agents.x`", "it is empty"]);
    sandbox.write("tdd.yaml", &format!("{test}agent: x\nagents:\n  x: {{ argvv: [a] }}\n"));
    sandbox.tdd(&["STE-1"]).expect(2).says(&["`agents.x.argvv` is not known", "Did you mean `argv`?"]);
    // Behind a built-in agent's name it changes nothing.
    sandbox.write("tdd.yaml", &format!("{test}agent: scripted\nagents:\n  scripted:\n"));
    sandbox.tdd(&["STE-1"]).expect(2).says(&["--cassette"]);
}

#[test]
fn no_requirement_named() {
    refused(&shop(), &[], &["requirement", "STE-1"]);
}

#[test]
fn no_such_requirement() {
    refused(&shop(), &["STE-2"], &["STE-2", "specs/frs", "STE-1"]);
}

#[test]
fn no_criterion() {
    let sandbox = shop();
    sandbox.write("specs/frs/STE-3.md", "# X\n\n## Acceptance Criteria\n\nnone\n");
    refused(&sandbox, &["STE-3"], &["criteri", "3"]);
}

#[test]
fn duplicate_criterion() {
    let sandbox = shop();
    sandbox.write("specs/frs/STE-3.md", "## Acceptance Criteria\n\n- AC-STE-3.1: a\n- AC-STE-3.01: b\n");
    refused(&sandbox, &["STE-3"], &["AC-STE-3.1", "3", "4"]);
}

#[test]
fn no_test_command() {
    let sandbox = Sandbox::with(&[("specs/frs/STE-1.md", "## Acceptance Criteria\n\n- AC-STE-1.1: a\n")]);
    refused(&sandbox, &["STE-1"], &["test command", "--test"]);
}

#[test]
fn ambiguous_test_command() {
    let sandbox = Sandbox::with(&[
        ("specs/frs/STE-1.md", "## Acceptance Criteria\n\n- AC-STE-1.1: a\n"),
        ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\n"),
    ]);
    refused(&sandbox, &["STE-1"], &["cargo test", "pytest"]);
}

#[test]
fn a_shell_string_without_a_known_runner() {
    refused(&shop(), &["STE-1", "--test", "make test && echo ok"], &["runner:", "kind:"]);
}

#[test]
fn no_repository() {
    let sandbox = Sandbox::empty();
    sandbox.write("specs/frs/STE-1.md", "## Acceptance Criteria\n\n- AC-STE-1.1: a\n");
    sandbox.tdd(&["STE-1"]).expect(2).says(&["git", "git init"]);
}

#[test]
fn a_requirement_outside_the_repository() {
    let sandbox = shop();
    let outside = sandbox.repo().parent().unwrap().join("STE-9.md");
    std::fs::write(&outside, "## Acceptance Criteria\n\n- AC-STE-9.1: a\n").unwrap();
    refused(&sandbox, &[outside.to_str().unwrap()], &["outside"]);
}

fn agent(argv: &str) -> String {
    format!(
        "test: python3 -m unittest discover -s tests -t .\nagent: mine\nagents:\n  mine:\n    argv: {argv}\n"
    )
}

#[test]
fn agents_that_can_not_start() {
    let sandbox = shop();
    sandbox.write("plain.sh", "#!/bin/sh\n");
    sandbox.write("bad.sh", "#!/no/such/interpreter\n");
    let bad = sandbox.path("bad.sh");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(bad, mode).unwrap();
    for (argv, words) in [
        ("[no-such-program-anywhere, \"{prompt_file}\"]", &["no-such-program-anywhere", "mine"][..]),
        ("[./plain.sh, \"{prompt_file}\"]", &["plain.sh", "executable"]),
        ("[./bad.sh, \"{prompt_file}\"]", &["bad.sh", "/no/such/interpreter"]),
    ] {
        sandbox.write("tdd.yaml", &agent(argv));
        refused(&sandbox, &["STE-1"], words);
    }
}

#[test]
fn an_unknown_key_is_named_with_the_nearest() {
    let sandbox = shop();
    sandbox.write("tdd.yaml", &agent("[python3]\n    promt: file"));
    refused(&sandbox, &["STE-1"], &["promt", "prompt"]);
    sandbox.write("tdd.yaml", "tests: python3 -m unittest\n");
    refused(&sandbox, &["STE-1"], &["tests", "test"]);
}

#[test]
fn a_prompt_that_is_too_long_for_an_argument() {
    let sandbox = shop();
    let long = format!("## Acceptance Criteria\n\n- AC-STE-1.1: {}\n", "word ".repeat(40_000));
    sandbox.write("specs/frs/STE-1.md", &long);
    sandbox.write("tdd.yaml", &agent("[python3, \"-c\", \"pass\", \"{prompt}\"]\n    prompt: argv"));
    let before = sandbox.everything();
    sandbox.tdd(&["STE-1"]).expect(2).says(&["128 KiB", "prompt: file"]);
    assert_eq!(sandbox.everything(), before);
    assert_eq!(sandbox.events().iter().filter(|name| *name == "agent_returned").count(), 0);
}

#[test]
fn an_agent_that_is_not_there_for_auto() {
    let sandbox = shop();
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    let git = std::process::Command::new("sh").args(["-c", "command -v git"]).output().unwrap();
    let bin = sandbox.repo().parent().unwrap().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(String::from_utf8_lossy(&git.stdout).trim(), bin.join("git")).unwrap();
    let ran = super::sandbox::Ran::of(&command.env("PATH", &bin).arg("STE-1").output().unwrap());
    ran.expect(2).says(&["claude", "codex", "--agent"]);
}

#[test]
fn a_second_run_on_the_same_work_tree() {
    if !has_python() {
        return;
    }
    let sandbox = shop();
    // The first run's implementer tries to start a second one, and says what came of it.
    let mut cassette_text = honest_shop_cassette();
    let tdd = env!("CARGO_BIN_EXE_tdd");
    cassette_text = cassette_text.replace(
        "- role: implementer\n",
        &format!("- role: implementer\n  run: [sh, -c, '{tdd} STE-1 --new --cassette x.yaml > ../second.out 2>&1; echo $? >> ../second.out']\n"),
    );
    let path = sandbox.repo().parent().unwrap().join("cassette.yaml");
    std::fs::write(&path, cassette_text).unwrap();
    std::fs::write(sandbox.repo().parent().unwrap().join("x.yaml"), "").unwrap();
    sandbox.tdd(&["STE-1", "--cassette", path.to_str().unwrap()]).expect(0);
    let second = std::fs::read_to_string(sandbox.repo().parent().unwrap().join("second.out")).unwrap();
    assert!(second.trim_end().ends_with('2'), "{second}");
    assert!(second.contains("another") || second.contains("already"), "{second}");
}

#[test]
fn an_unborn_head_works() {
    if !has_python() {
        return;
    }
    let committed = shop();
    let sandbox = Sandbox::empty();
    for file in committed.git(&["ls-files"]).lines() {
        sandbox.write(file, &committed.read(file));
    }
    sandbox.git(&["init", "-q", "-b", "main"]);
    works(&sandbox);
    assert!(!sandbox.path(".git/refs/heads/main").exists(), "the branch is still unborn");
}

#[test]
fn a_detached_head_works() {
    if has_python() {
        let sandbox = shop();
        sandbox.git(&["checkout", "-q", "--detach"]);
        works(&sandbox);
    }
}

#[test]
fn a_dirty_tree_works_and_stays_dirty() {
    if has_python() {
        let sandbox = shop();
        sandbox.write("notes.txt", "mine\r\n");
        sandbox.write(
            "tests/test_old.py",
            &format!("{}\n# changed by hand\n", sandbox.read("tests/test_old.py")),
        );
        works(&sandbox);
        assert_eq!(sandbox.read("notes.txt"), "mine\r\n");
        assert!(sandbox.read("tests/test_old.py").ends_with("# changed by hand\n"));
    }
}

#[test]
fn a_locked_index() {
    let sandbox = shop();
    std::fs::write(sandbox.path(".git/index.lock"), "").unwrap();
    sandbox.tdd(&["STE-1"]).expect(2).says(&["index.lock", "next:"]);
    assert!(sandbox.path(".git/index.lock").exists(), "somebody else's lock is left alone");
    assert!(!sandbox.path(".tdd").exists());
}

#[test]
fn tests_that_git_would_ignore() {
    let sandbox = shop();
    sandbox.write(".gitignore", "test_ac*\n");
    refused(
        &sandbox,
        &["STE-1", "--test", "python3 -m unittest discover -s tests -t ."],
        &["test_ac_ste_1_1", ".gitignore:1"],
    );
}

#[test]
fn criteria_that_contradict_each_other() {
    let sandbox = shop();
    sandbox.write("specs/frs/STE-1.md", "## Acceptance Criteria\n\n- AC-STE-1.1: a\n- AC-STE-1.2: b\n");
    refused(
        &sandbox,
        &["STE-1", "--only", "AC-STE-1.1", "--already-green", "AC-STE-1.2"],
        &["--already-green"],
    );
}

#[test]
fn a_project_in_a_folder_of_the_repository_works() {
    if !has_python() {
        return;
    }
    let flat = shop();
    let sandbox = Sandbox::empty();
    for file in flat.git(&["ls-files"]).lines() {
        sandbox.write(&format!("app/{file}"), &flat.read(file));
    }
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.commit();
    let cassette = cassette(&sandbox);
    let output = sandbox
        .command(env!("CARGO_BIN_EXE_tdd"))
        .current_dir(sandbox.path("app/tests"))
        .args(["STE-1", "--cassette", &cassette])
        .output()
        .unwrap();
    super::sandbox::Ran::of(&output).expect(0);
    assert!(sandbox.read("app/shop.py").contains("def two"));
}

#[test]
fn a_report_that_is_not_there_is_no_red_test() {
    let sandbox = shop();
    let table =
        "test: \"true\"\nrunner: { kind: junit, all: \"true\", select: \"true {files}\", report: r.xml }\n";
    sandbox.write("tdd.yaml", table);
    let cassette = cassette(&sandbox);
    let ran = sandbox.tdd(&["STE-1", "--cassette", &cassette]).expect(2);
    ran.says(&["the test command ends well, and its report can't be read", "left no report at"]);
}

#[cfg(unix)]
#[test]
fn tests_behind_a_symbolic_link_and_paths_that_are_not_there_are_refused_before_the_first_fork() {
    if !super::sandbox::has_pytest() {
        return;
    }
    let requirement = "---\nid: X-1\ntitle: Twice\n---\n## Acceptance Criteria\n- AC-X-1.1: `two()` is 2.\n";
    let sandbox = Sandbox::with(&[
        ("specs/frs/X-1.md", requirement),
        ("shop.py", "def one():\n    return 1\n"),
        ("real/test_one.py", "def test_one():\n    assert True\n"),
    ]);
    std::os::unix::fs::symlink("real", sandbox.path("tests")).unwrap();
    sandbox.commit();
    let path = cassette(&sandbox);
    let refused = |test: &str, words: &[&str]| {
        let ran = sandbox.tdd(&["X-1", "--new", "--cassette", &path, "--test", test]);
        ran.expect(2).says(words).says(&["next:"]);
        assert_eq!(sandbox.forks(), 0, "{test}");
    };
    refused("pytest tests", &["through the symbolic link tests", "tests/test_one.py"]);
    std::fs::remove_dir_all(sandbox.path("real")).unwrap();
    std::fs::remove_file(sandbox.path("tests")).unwrap();
    sandbox.commit();
    refused("pytest nope/", &["can't be carried out", "nope/"]);
}

#[test]
fn code_that_the_suite_writes_as_it_was_is_written_again_and_its_test_is_judged() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = super::cycle::shop();
    let text = "import pathlib\nimport unittest\nimport shop\n\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        made = pathlib.Path(__file__).parent / 'made.py'\n        made.write_text('X = 1\\n')\n        self.assertEqual(shop.one(), 1)\n";
    sandbox.write("tests/test_old.py", text);
    sandbox.write("tests/made.py", "X = 1\n");
    sandbox.commit();
    let path = cassette(&sandbox);
    let isolation = if super::sandbox::has("bwrap", &["bwrap", "--bind", "/", "/", "true"]) {
        "enforce"
    } else {
        "audit"
    };
    let ran = sandbox.tdd(&["STE-1", "--cassette", &path, "--sandbox", isolation]).expect(0);
    assert!(ran.stderr.contains("0 red, 0 flaky"), "{}", ran.stderr);
}

#[test]
fn a_repository_of_somebody_else_is_refused_as_git_refuses_it() {
    // Only root can give a folder away; elsewhere git's own refusal could not be brought about.
    if !we_are_root() {
        return;
    }
    let sandbox = shop();
    let cassette = cassette(&sandbox);
    let give = |uid: u32| std::os::unix::fs::chown(sandbox.repo(), Some(uid), None).unwrap();
    give(65534);
    for args in [
        &["STE-1", "--cassette", &cassette][..],
        &["fix", "--check", "touch ran"],
        &["doctor"],
        &["undo"],
        &["status"],
    ] {
        let ran = sandbox.tdd(args);
        let told = format!("{}{}", ran.stdout, ran.stderr);
        assert!(
            told.contains("belongs to somebody else") && told.contains("safe.directory"),
            "{args:?}: {told}"
        );
        assert_ne!(ran.code, 0, "{args:?}");
    }
    assert!(!sandbox.path("ran").exists() && !sandbox.path(".tdd").exists(), "nothing was run");
    // Who trusts its owner says so to git, and that is enough.
    let config = sandbox.beside("gitconfig");
    std::fs::write(&config, format!("[safe]\n\tdirectory = {}\n", sandbox.repo().display())).unwrap();
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.args(["STE-1", "--cassette", &cassette]).env("GIT_CONFIG_GLOBAL", &config);
    super::sandbox::Ran::of(&command.output().unwrap()).expect(0);
    give(0);
}

fn we_are_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|about| about.uid() == 0)
}

#[test]
fn a_link_in_place_of_the_runs_folder_is_refused() {
    let sandbox = shop();
    let cassette = cassette(&sandbox);
    let elsewhere = sandbox.beside("elsewhere");
    std::fs::create_dir_all(elsewhere.join("runs")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, sandbox.path(".tdd")).unwrap();
    for args in
        [&["STE-1", "--cassette", &cassette][..], &["fix", "--check", "true", "--cassette", &cassette]]
    {
        sandbox.tdd(args).expect(2).says(&[".tdd is a link", "remove the link"]);
    }
    std::fs::remove_file(sandbox.path(".tdd")).unwrap();
    std::fs::create_dir(sandbox.path(".tdd")).unwrap();
    std::os::unix::fs::symlink(elsewhere.join("runs"), sandbox.path(".tdd/runs")).unwrap();
    sandbox.tdd(&["STE-1", "--cassette", &cassette]).expect(2).says(&[".tdd/runs is a link"]);
    assert_eq!(std::fs::read_dir(elsewhere.join("runs")).unwrap().count(), 0, "nothing went there");
}
