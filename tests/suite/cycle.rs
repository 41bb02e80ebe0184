//! The whole cycle through the real binary, on real projects with real runners.

use std::fmt::Write as _;

use super::sandbox::{
    Sandbox, fixtures, has_go, has_nextest, has_node, has_pytest, has_python, node_modules,
};

/// A three-criterion cycle with the scripted agent: five forks, all green, nothing committed.
fn goes_through(fixture: &str, requirement: &str) {
    goes_through_in(&Sandbox::of_fixture(fixture), (fixture, requirement), &[]);
}

/// The same with more arguments.
fn goes_through_with(fixture: &str, requirement: &str, more: &[&str]) {
    goes_through_in(&Sandbox::of_fixture(fixture), (fixture, requirement), more);
}

fn goes_through_in(sandbox: &Sandbox, (fixture, requirement): (&str, &str), more: &[&str]) {
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    let cassette = fixtures().join("cassettes").join(format!("{fixture}.yaml"));
    let mut args = vec![requirement, "--cassette", cassette.to_str().unwrap()];
    args.extend(more);
    let ran = sandbox.tdd(&args).expect(0);
    assert_eq!(sandbox.forks(), 5, "one test-writer, three implementers, one refactorer");
    assert!(ran.stdout.contains("done"), "{}", ran.stdout);
    super::modes::prompts::check(&sandbox.run_dir());
    assert_eq!(sandbox.events().last().map(String::as_str), Some("finished"));
    assert_eq!(sandbox.git(&["rev-parse", "HEAD"]), head, "the user's branch is never written");
    assert_eq!(sandbox.git(&["diff", "--cached", "--name-only"]), "", "the user's index is never written");
    assert!(sandbox.git(&["for-each-ref", "refs/tdd"]).contains("refs/tdd/"));
    let status = sandbox.tdd(&["status"]).expect(0);
    assert!(status.stdout.contains(requirement), "{}", status.stdout);
    sandbox.tdd(&["log"]).expect(0);
}

#[test]
fn a_rust_project_goes_through() {
    left_to_the_night!();
    goes_through("demo", "DEMO-1");
}

#[test]
fn a_nextest_project_goes_through() {
    left_to_the_night!();
    if has_nextest() {
        let command = "cargo nextest run --offline";
        goes_through_with("demo", "DEMO-1", &["--test", command, "--gate", command]);
    }
}

#[test]
fn a_python_project_goes_through() {
    left_to_the_night!();
    if has_pytest() {
        goes_through("python", "PY-1");
    }
}

#[test]
fn a_node_project_goes_through() {
    left_to_the_night!();
    if has_node() {
        goes_through("node", "NODE-1");
    }
}

/// The same with the packages that the project's runner needs.
fn goes_through_with_packages(runner: &str, requirement: &str) {
    let Some(packages) = node_modules(runner) else { return };
    let sandbox = Sandbox::of_fixture(runner);
    std::os::unix::fs::symlink(packages, sandbox.path("node_modules")).unwrap();
    goes_through_in(&sandbox, (runner, requirement), &[]);
}

#[test]
fn a_vitest_project_goes_through() {
    left_to_the_night!();
    goes_through_with_packages("vitest", "VITEST-1");
}

#[test]
fn a_jest_project_goes_through() {
    left_to_the_night!();
    goes_through_with_packages("jest", "JEST-1");
}

#[test]
fn a_bun_project_goes_through() {
    left_to_the_night!();
    goes_through_with_packages("bun", "BUN-1");
}

#[test]
fn a_go_project_goes_through() {
    left_to_the_night!();
    if has_go() {
        goes_through("go", "GO-1");
    }
}

#[test]
fn the_demo_goes_through() {
    let sandbox = Sandbox::empty();
    let ran = sandbox.tdd(&["demo"]).expect(0);
    assert_eq!(recorded_and_not_told(&format!("{}\n{}", ran.stderr, ran.stdout)), Vec::<String>::new());
    assert!(ran.stdout.contains("done"), "{}", ran.stdout);
}

const OLD_TEST: &str = "import unittest\nimport shop\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        self.assertEqual(shop.one(), 1)\n";
pub const NEW_TEST: &str = "import unittest\nimport shop\n\nclass New(unittest.TestCase):\n    def test_new(self):\n        self.assertEqual(shop.two(), 2)\n";

/// A tiny Python project with one criterion.
pub fn shop() -> Sandbox {
    Sandbox::with(&[
        ("shop.py", "def one():\n    return 1\n"),
        ("tests/__init__.py", ""),
        ("tests/test_old.py", OLD_TEST),
        ("tdd.yaml", "test: python3 -m unittest discover -s tests -t .\n"),
        ("specs/frs/STE-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: `two()` gives 2.\n"),
    ])
}

pub fn honest_shop_cassette() -> String {
    let mut cassette = String::new();
    let _ = writeln!(cassette, "- role: test-writer\n  write:\n    tests/test_ac_ste_1_1.py: |");
    for line in NEW_TEST.lines() {
        let _ = writeln!(cassette, "      {line}");
    }
    cassette.push_str(
        "  say: { status: ok, files: [tests/test_ac_ste_1_1.py], command: t, output_excerpt: red }\n",
    );
    cassette.push_str("- role: implementer\n  write:\n    shop.py: |\n      def one():\n          return 1\n\n\n      def two():\n          return 2\n");
    cassette.push_str("  say: { status: ok, files: [shop.py], command: t, output_excerpt: green }\n");
    cassette.push_str(
        "- role: refactorer\n  say: { status: ok, files: [], command: t, output_excerpt: green }\n",
    );
    cassette
}

/// A program of the generic table: it reads its prompt from a file and edits the tree.
const PROGRAM: &str = r#"
import sys, pathlib
role, prompt_file, criterion = sys.argv[1:4]
prompt = pathlib.Path(prompt_file).read_text()
assert prompt.strip(), "no prompt"
if role == "test-writer":
    assert "AC-STE-1.1" in prompt
    pathlib.Path("tests/test_ac_ste_1_1.py").write_text(NEW_TEST)
    files = "[tests/test_ac_ste_1_1.py]"
elif role == "implementer":
    assert criterion == "AC-STE-1.1" and "specs/frs" not in prompt
    text = pathlib.Path("shop.py").read_text()
    pathlib.Path("shop.py").write_text(text + "\n\ndef two():\n    return 2\n")
    files = "[shop.py]"
else:
    files = "[]"
print("I did it.")
print(f"```tdd-result\nrole: {role}\nstatus: ok\nfiles: {files}\ncommand: t\noutput_excerpt: |2\n  x\n```")
"#;

#[test]
fn a_program_of_the_generic_table_goes_through() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let program = format!("NEW_TEST = {NEW_TEST:?}\n{PROGRAM}");
    sandbox.write("agent.py", &program);
    for (stdio, prompt) in [("pty", "file"), ("pipe", "file")] {
        let sandbox = shop();
        sandbox.write("agent.py", &program);
        sandbox.write(
            "tdd.yaml",
            &format!(
                "test: python3 -m unittest discover -s tests -t .\nagent: mine\nagents:\n  mine:\n    argv: [python3, \"{{cwd}}/agent.py\", \"{{role}}\", \"{{prompt_file}}\", \"{{criterion}}\"]\n    prompt: {prompt}\n    stdio: {stdio}\n"
            ),
        );
        sandbox.tdd(&["STE-1"]).expect(0);
        assert!(sandbox.read("shop.py").contains("def two"));
        assert_eq!(sandbox.forks(), 3);
    }
}

/// A test is a line `FILE WORD`: it passes while FILE holds WORD. Nothing tells which file it is of.
const PLAIN_TAP: &str = r#"[ $# -gt 0 ] || set -- tests/*.t
bad=0 n=0
for test; do
    read -r file word < "$test"
    n=$((n + 1))
    if grep -qs "$word" "$file"; then
        echo "ok $n - $word holds"
    else
        bad=1
        echo "not ok $n - $word holds"
    fi
done
echo "1..$n"
exit $bad
"#;

#[test]
fn tests_of_plain_tap_that_were_there_before_take_part_in_every_run() {
    left_to_the_night!();
    let sandbox = Sandbox::with(&[
        ("run.sh", PLAIN_TAP),
        (
            "tdd.yaml",
            "test: sh run.sh\ntest_files: [\"tests/**\"]\nrunner: { kind: tap, all: sh run.sh, select: \"sh run.sh {files}\" }\n",
        ),
        ("tests/base.t", "src/base base\n"),
        ("src/base", "base\n"),
        ("specs/frs/STE-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: one.\n- AC-STE-1.2: two.\n"),
    ]);
    let say =
        |file: &str| format!("  say: {{ status: ok, files: [{file}], command: t, output_excerpt: x }}\n");
    let implementer = |number: u8, file: &str, word: &str| {
        format!(
            "- role: implementer\n  criterion: AC-STE-1.{number}\n  write:\n    {file}: |\n      {word}\n{}",
            say(file)
        )
    };
    let cassette = [
        "- role: test-writer\n  write:\n    tests/ac_ste_1_1.t: |\n      src/a one\n    tests/ac_ste_1_2.t: |\n      src/b two\n".to_owned(),
        say("tests/ac_ste_1_1.t, tests/ac_ste_1_2.t"),
        implementer(1, "src/a", "one"),
        implementer(2, "src/b", "two"),
        format!("- role: refactorer\n{}", say("")),
    ]
    .concat();
    let file = sandbox.repo().parent().unwrap().join("c.yaml");
    std::fs::write(&file, cassette).unwrap();
    let ran = sandbox.tdd(&["STE-1", "--cassette", file.to_str().unwrap()]).expect(0);
    assert_eq!(sandbox.forks(), 4, "nobody is blamed for a test that took no part: {}", ran.stderr);
}

#[test]
fn ac_tdd_6_45_json_prints_one_object_a_line_and_people_are_told_on_stderr() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let cassette = sandbox.repo().parent().unwrap().join("c.yaml");
    std::fs::write(&cassette, honest_shop_cassette()).unwrap();
    let ran = sandbox.tdd(&["STE-1", "--json", "--cassette", cassette.to_str().unwrap()]).expect(0);
    let told = ran.stderr.clone();
    assert!(told.contains("AC-STE-1.1") && !told.contains('{'), "people are told on stderr: {told}");
    for words in [&["--json", "--quiet"][..], &["--json=summary", "--quiet"]] {
        let sandbox = shop();
        let args = [&["STE-1", "--cassette", cassette.to_str().unwrap()][..], words].concat();
        assert_eq!(sandbox.tdd(&args).expect(0).stderr, "", "{words:?}");
    }
    let types: Vec<String> = ran
        .stdout
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["type"].as_str().unwrap().to_owned()
        })
        .collect();
    assert!(types.contains(&"run_started".to_owned()) && types.contains(&"finished".to_owned()), "{types:?}");
}

/// Lines of the README's recording that a run does not print any more, whatever its figures; `docs/record` makes it anew.
fn recorded_and_not_told(output: &str) -> Vec<String> {
    let shape = |line: &str| line.chars().filter(|char| !char.is_ascii_digit()).collect::<String>();
    let told: Vec<String> = output.lines().map(shape).collect();
    let recording = include_str!("../../docs/src/demo.svg");
    let texts = recording.lines().filter_map(|line| line.split_once("/>")?.1.strip_suffix("</text>"));
    let texts: Vec<String> = texts
        .map(|line| line.replace("&quot;", "\"").replace("&#x27;", "'").replace("&amp;", "&"))
        // Tests leave the final proof out.
        .filter(|line| !line.starts_with('$') && !line.contains("/tmp/") && !line.contains("seen failing"))
        .map(|line| shape(line.trim_end_matches('…')))
        .collect();
    assert!(texts.len() > 20, "{recording}");
    texts.into_iter().filter(|text| !told.iter().any(|line| line.starts_with(text))).collect()
}
