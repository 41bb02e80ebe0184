//! What somebody who has nothing yet begins with: what `tdd init` and `tdd new` write. The tutorial is typed by
//! `tutorial`.

use super::sandbox::{Sandbox, has_python};
use super::stops::project;

#[test]
fn ac_tdd_12_2_init_writes_what_it_said_once_and_takes_it_back() {
    left_to_the_night!();
    let sandbox = Sandbox::with(&[("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", "")]);
    let before = sandbox.everything();
    let init = |more: &[&str]| sandbox.tdd(&[&["init", "--no-doctor"], more].concat());
    init(&["--dry-run"]).expect(0).says_on_stdout(&[
        "cargo test (found Cargo.toml",
        "to write: tdd.yaml",
        "Nothing was",
    ]);
    init(&[]).expect(2).says(&["nobody can be asked", "--yes"]);
    init(&["--yes", "--agent", "nobody"]).expect(2).says(&["no agent is named `nobody`"]);
    init(&["--yes", "--with", "gitea"]).expect(2);
    assert_eq!(sandbox.everything(), before);
    init(&["--yes"]).expect(0).says_on_stdout(&["Written.", "Next: write down"]);
    let written = sandbox.everything();
    assert!(sandbox.read("tdd.yaml").contains("# test: cargo test"));
    init(&["--yes"]).expect(0).says_on_stdout(&["is there: tdd.yaml"]);
    assert_eq!(sandbox.everything(), written, "once is enough");
    sandbox.tdd(&["init", "--undo"]).expect(0).says_on_stdout(&["removed:  tdd.yaml"]);
    assert_eq!(sandbox.everything(), before);
    sandbox.tdd(&["init", "--undo"]).expect(0).says_on_stdout(&["nothing to take back"]);
}

#[test]
fn ac_tdd_12_2_what_a_person_wrote_is_neither_overwritten_nor_taken_back() {
    let mine = "test: cargo test --all\n";
    let sandbox = Sandbox::with(&[("Cargo.toml", "[package]\nname = \"a\"\n"), ("tdd.yaml", mine)]);
    let init = |more: &[&str]| sandbox.tdd(&[&["init", "--no-doctor", "--yes"], more].concat());
    init(&["--agent", "claude"]).expect(2).says(&["tdd.yaml is there already", "--force"]);
    init(&["--agent", "claude", "--force"]).expect(0);
    assert!(sandbox.read("tdd.yaml").contains("\nagent: claude\n"));
    let frs = std::fs::read_dir(sandbox.path("specs/frs")).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&frs, "mine\n").unwrap();
    sandbox
        .tdd(&["init", "--undo"])
        .expect(0)
        .says_on_stdout(&["restored: tdd.yaml", "kept, for it was changed"]);
    assert_eq!(
        (sandbox.read("tdd.yaml").as_str(), std::fs::read_to_string(frs).unwrap().as_str()),
        (mine, "mine\n")
    );
}

#[test]
fn ac_tdd_12_2_where_nothing_tells_a_language_the_first_steps_are_told() {
    let sandbox = Sandbox::with(&[("notes.txt", "")]);
    sandbox.tdd(&["init", "--yes"]).expect(2).says(&[
        "no test command was found",
        "cargo init",
        "go mod init",
        "--test",
    ]);
    assert!(!sandbox.path("tdd.yaml").exists());
    sandbox.tdd(&["init", "--yes", "--no-doctor", "--test", "npx vitest run"]).expect(0);
    assert!(sandbox.read("tdd.yaml").contains("\ntest: npx vitest run\n"));
}

/// Without a command and a first test, by what a project of that language has at least.
#[test]
fn ac_tdd_12_16_a_python_project_is_known_by_a_package_or_what_it_requires() {
    left_to_the_night!();
    for (files, is_known) in [
        (&["shop/__init__.py"][..], true),
        (&["src/shop/__init__.py"], true),
        (&["requirements.txt"], true),
        (&["Pipfile"], true),
        (&["docs/conf.txt", "shop/readme.md"], false),
    ] {
        let files: Vec<(&str, &str)> = files.iter().map(|path| (*path, "")).collect();
        let sandbox = Sandbox::with(&files);
        let ran = sandbox.tdd(&["init", "--dry-run"]).expect(if is_known { 0 } else { 2 });
        assert_eq!(ran.stdout.contains("python3 -m "), is_known, "{files:?}: {}", ran.stdout);
    }
}

/// An agent that writes what pytest alone would collect, and when it is asked again what unittest does.
const BY_HABIT: &str = "case $role in
test-writer)
  if [ ! -e ../asked ]; then touch ../asked
    printf 'from shop import two\\n\\n\\ndef test_two():\\n    assert two() == 2\\n' >test_ac_ste_1_1.py
  else
    printf 'import unittest\\n\\nfrom shop import two\\n\\n\\nclass Two(unittest.TestCase):\\n    def test_two(self):\\n        self.assertEqual(two(), 2)\\n' >test_ac_ste_1_1.py
  fi
  block test_ac_ste_1_1.py;;
implementer) printf 'def two():\\n    return 2\\n' >shop.py; block shop.py;;
*) block '';;
esac
";

#[test]
fn ac_tdd_12_15_a_function_that_unittest_never_runs_is_no_red_test() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = project(BY_HABIT, "", "");
    let yaml = sandbox.read("tdd.yaml");
    let (_, agent) = yaml.split_once("backoff").unwrap();
    sandbox.write("tdd.yaml", &format!("test: python3 -m unittest\nbackoff{agent}"));
    sandbox.write("shop.py", "");
    sandbox.commit();
    let ran = sandbox.tdd(&["STE-1"]).expect(0);
    ran.says(&["RED failed, attempt 1", "would never run: a plain function", "attempt 2, "]);
    let told = sandbox.tdd(&["log", "STE-1", "--json"]).expect(0).stdout;
    assert!(told.contains("test_ac_ste_1_1.py::Two"), "{told}");
}

#[test]
fn ac_tdd_12_3_new_counts_on_and_what_nobody_filled_in_is_not_run() {
    let sandbox = Sandbox::with(&[("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", "")]);
    sandbox
        .tdd(&["new", "STE-12", "Short links"])
        .expect(0)
        .says_on_stdout(&["specs/frs/STE-12.md", "`tdd STE-12`"]);
    sandbox
        .tdd(&["STE-12", "--dry-run"])
        .expect(2)
        .says(&["nobody has filled it in", "specs/frs/STE-12.md:"]);
    sandbox
        .tdd(&["new", "Long links", "-c", "a", "-c", "b"])
        .expect(0)
        .says_on_stdout(&["specs/frs/STE-13.md"]);
    sandbox.tdd(&["criteria", "STE-13"]).expect(0).says_on_stdout(&[
        "Long links",
        "AC-STE-13.1",
        "AC-STE-13.2",
    ]);
    for (words, why) in [
        (&["STE-12", "Again"][..], "there is a requirement STE-12 already"),
        (&["ste-12", "Again"], "already"),
        (&["../x", "Out"], "can't be the id"),
        (&["A-1", ""], "empty"),
        (&["A-1", "two\nlines"], "the title is empty, or holds more than one line"),
        (&["A-1"], "A-1 is an id without a title"),
        (&["A-1", &"long ".repeat(60)], "more than 200 characters"),
    ] {
        sandbox.tdd(&[&["new"], words].concat()).expect(2).says(&[why]);
    }
}

#[test]
fn ac_tdd_12_11_the_requirement_that_init_left_to_be_filled_in_gives_way_to_ones_own() {
    let sandbox = Sandbox::with(&[("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", "")]);
    let before = sandbox.everything();
    let files = || {
        let all = std::fs::read_dir(sandbox.path("specs/frs")).unwrap();
        let mut all: Vec<String> =
            all.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        all.sort();
        all
    };
    let init = |more: &[&str]| sandbox.tdd(&[&["init", "--no-doctor", "--yes"], more].concat()).expect(0);
    init(&[]).says_on_stdout(&["`tdd new STE-12 \"Short links\"` puts one"]);
    let [first] = &files()[..] else { panic!("{:?}", files()) };
    let instead = format!("in place of specs/frs/{first}, which nobody had filled in");
    sandbox
        .tdd(&["new", "STE-12", "Links", "-c", "a"])
        .expect(0)
        .says_on_stdout(&["specs/frs/STE-12.md\n", &instead]);
    assert_eq!(files(), ["STE-12.md"]);
    sandbox.tdd(&["init", "--undo"]).expect(0);
    std::fs::remove_file(sandbox.path("specs/frs/STE-12.md")).unwrap();
    std::fs::remove_dir_all(sandbox.path("specs")).unwrap();
    assert_eq!(sandbox.everything(), before);

    // Without an id it bears the one that was waiting.
    init(&[]);
    sandbox.tdd(&["new", "Links"]).expect(0).says_on_stdout(&[&instead]);
    assert_eq!(&files(), std::slice::from_ref(first));
    assert!(sandbox.read(&format!("specs/frs/{first}")).contains("# Links\n"));
    sandbox.tdd(&["init", "--undo"]).expect(0).says_on_stdout(&["kept, for it was changed since: specs/frs"]);

    // What a person began stays, be it no more than a title.
    let number = |n: u8| first.replace("-1.", &format!("-{n}."));
    sandbox.tdd(&["new", "Long links"]).expect(0);
    assert_eq!(files(), [number(1), number(2)]);
    std::fs::remove_dir_all(sandbox.path("specs")).unwrap();
    init(&["--title", "A total"]);
    sandbox.tdd(&["new", "Links"]).expect(0);
    assert_eq!(files(), [number(1), number(2)]);
}

#[test]
fn ac_tdd_12_9_a_markdown_test_that_nobody_can_carry_out_is_told_with_the_criteria() {
    let requirement = "# Links\n\n## Acceptance Criteria\n\n- AC-STE-12.1: the page shows it\n  verify: mdtest checks/page.test.md\n- AC-STE-12.2: it is read\n  verify: mdtest notes.md\n- AC-STE-12.3: two() gives 2\n";
    let sandbox = Sandbox::with(&[("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", "")]);
    sandbox.write("specs/frs/STE-12.md", requirement);
    let criteria = || sandbox.tdd(&["criteria", "STE-12"]).expect(0).stdout;
    let told = criteria();
    for words in ["can't be judged so: there is no such file", "its name does not end in .test.md"] {
        assert!(told.contains(words), "no `{words}` in {told}");
    }
    let rows = sandbox.tdd(&["criteria", "STE-12", "--json"]).expect(0).stdout;
    let unfit = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["unfit"].is_string();
    assert_eq!(rows.lines().map(unfit).collect::<Vec<_>>(), [true, true, false]);
    sandbox.write("checks/page.test.md", "# Page\n");
    assert!(!criteria().contains("no such file"));
}

#[test]
fn ac_tdd_12_4_words_are_explained_and_slips_named() {
    let sandbox = Sandbox::with(&[("a.txt", "")]);
    sandbox.tdd(&["explain", "B"]).expect(0).says_on_stdout(&["not GREEN"]);
    sandbox.tdd(&["explain", "exit", "2"]).expect(0).says_on_stdout(&["set-up"]);
    sandbox.tdd(&["explain", "false", "red"]).expect(0).says_on_stdout(&["pass at once"]);
    sandbox.tdd(&["explain", "touched"]).expect(0).says_on_stdout(&["A protected file was not as it was"]);
    sandbox.tdd(&["explain", "gate-red"]).expect(0).says_on_stdout(&["The gate command failed"]);
    sandbox.tdd(&["explain", "misssing"]).expect(2).says(&["did you mean missing?"]);
    sandbox.tdd(&["explain"]).expect(0).says_on_stdout(&["Failure modes:", "Exit codes of a run:", "canary"]);
}

#[test]
fn ac_tdd_12_4_shells_and_man_are_told_the_commands() {
    let sandbox = Sandbox::with(&[("a.txt", "")]);
    for shell in ["bash", "zsh", "fish", "powershell"] {
        sandbox.tdd(&["completions", shell]).expect(0).says_on_stdout(&["doctor", "criteria", "tdd"]);
    }
    sandbox.tdd(&["completions", "csh"]).expect(2).says(&["bash"]);
    let bash = sandbox.tdd(&["completions", "bash"]);
    let mut sh = sandbox.command("bash");
    let script = format!(
        "{}\nCOMP_WORDS=(tdd doc)\nCOMP_CWORD=1\n_tdd tdd doc tdd\necho \"${{COMPREPLY[@]}}\"",
        bash.stdout
    );
    if let Ok(out) = sh.args(["--norc", "-c", &script]).output() {
        assert!(String::from_utf8_lossy(&out.stdout).contains("doctor"), "{out:?}");
    }
    sandbox.tdd(&["man", "man"]).expect(0);
    let page = sandbox.read("man/tdd-resume.1");
    assert!(page.starts_with('.') && page.contains("halted"), "{page}");
    assert!(sandbox.path("man/tdd.1").is_file());
}

/// What was run has tests that bear its id: it is neither taken away with the set-up nor given out again.
#[test]
fn ac_tdd_12_3_an_id_that_was_run_is_not_given_out_again() {
    let sandbox = Sandbox::with(&[("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", "")]);
    let init = |more: &[&str]| sandbox.tdd(&[&["init", "--no-doctor"], more].concat());
    init(&["--yes", "-c", "two() gives 2"]).expect(0);
    let id = std::fs::read_dir(sandbox.path("specs/frs")).unwrap().next().unwrap().unwrap().path();
    let id = id.file_stem().unwrap().to_str().unwrap().to_owned();
    let (name, _) = id.rsplit_once('-').unwrap();
    std::fs::create_dir_all(sandbox.path(&format!(".tdd/runs/20261124T171500Z-{id}-0a1b"))).unwrap();
    init(&["--undo"]).expect(0).says_on_stdout(&["kept, for it has runs", "removed:  tdd.yaml"]);
    std::fs::remove_dir_all(sandbox.path("specs")).unwrap();
    sandbox.tdd(&["new", "Short links"]).expect(0).says_on_stdout(&[&format!("{name}-2.md")]);
}

#[test]
fn a_plan_is_told_where_no_agent_is_installed_yet() {
    let sandbox = Sandbox::with(&[("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", "")]);
    sandbox.tdd(&["new", "STE-12", "Links", "-c", "two() gives 2"]).expect(0);
    let dry = sandbox.tdd(&["STE-12", "--dry-run"]);
    dry.expect(0).says_on_stdout(&["AC-STE-12.1", "no agent program was found", "a run needs one"]);
    sandbox.tdd(&["STE-12"]).expect(2).says(&["no agent program was found"]);
    sandbox.tdd(&["STE-12", "--dry-run", "--agent", "nobody"]).expect(2);
}

#[test]
fn ac_tdd_6_41_a_program_that_is_nowhere_is_looked_for_before_its_runner_is_asked_for() {
    let sandbox = Sandbox::with(&[("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", "")]);
    sandbox.tdd(&["new", "STE-12", "Short links", "-c", "a"]).expect(0);
    for (command, said) in [
        ("no-such-program --all", "`no-such-program` is in none of the folders of PATH"),
        ("env --all", "it can't be told how to run only some tests"),
        ("cd src && no-such-program", "it can't be told how to run only some tests"),
    ] {
        sandbox.tdd(&["STE-12", "--dry-run", "--test", command]).expect(2).says(&[said]);
    }
}
