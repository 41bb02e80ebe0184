//! What a role is not shown: it does not look deleted, and who sees it all the same is told of.

use serde_json::Value;

use crate::sandbox::{Ran, has, has_python};

const REQUIREMENT: &str = "# Two\n\nThe pelican of the harbour insists on a number that nobody else may know of.\n\n\
                           ## Acceptance Criteria\n\n- AC-STE-1.1: `two()` gives the number two, and no other number at all.\n";
const SECRET: &str = "The pelican of the harbour insists on a number";

/// Plays all roles; `$DEED` is what the implementer does besides.
const AGENT: &str = r#"
block() {
    printf 'Done.\n\n```tdd-result\nrole: %s\nstatus: ok\nfiles: [%s]\ncommand: t\noutput_excerpt: x\n```\n' "$1" "$2"
}
case $1 in
test-writer)
    printf 'import unittest\nimport shop\n\nclass New(unittest.TestCase):\n    def test_two(self):\n        self.assertEqual(shop.two(), 2)\n' > tests/test_ac_ste_1_1.py
    block test-writer tests/test_ac_ste_1_1.py ;;
implementer)
    printf '\n\ndef two():\n    return 2\n' >> shop.py
    eval "$DEED"
    block implementer shop.py ;;
*) block refactorer '' ;;
esac
"#;

/// One run with that deed at that level: what the implementer printed, and what it was told to have seen.
fn run(action: &str, level: &str) -> (String, Vec<Value>, Ran) {
    let sandbox = crate::cycle::shop();
    sandbox.write("specs/frs/STE-1.md", REQUIREMENT);
    sandbox.write("../agent.sh", AGENT);
    sandbox.write(
        "tdd.yaml",
        "test: python3 -m unittest discover -s tests -t .\nagent: mine\nagents:\n  mine:\n    \
         argv: [sh, ../agent.sh, '{role}', '{prompt_file}']\n",
    );
    sandbox.commit();
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.env("DEED", action).args(["STE-1", "--sandbox", level]);
    let ran = Ran::of(&command.output().unwrap()).expect(0);
    let run = sandbox.run_dir();
    let printed = std::fs::read_to_string(run.join("logs/implementer-AC-STE-1.1-1.log")).unwrap();
    let journal = std::fs::read_to_string(run.join("events.jsonl")).unwrap();
    let events = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    (printed, events.filter(|event| event["type"] == "glimpsed").collect(), ran)
}

fn levels() -> &'static [&'static str] {
    let works = cfg!(target_os = "linux") && has("bwrap", &["bwrap", "--bind", "/", "/", "true"]);
    if works { &["enforce", "audit"] } else { &["audit"] }
}

#[test]
fn who_reads_the_requirement_is_told_of_and_not_blamed() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    for level in levels() {
        let (printed, glimpsed, ran) = run("git show HEAD:specs/frs/STE-1.md", level);
        assert!(printed.contains(SECRET), "{level}: {printed}");
        assert_eq!(glimpsed.len(), 1, "{level}");
        assert!(glimpsed[0]["what"][0].as_str().unwrap().starts_with(SECRET), "{level}: {glimpsed:?}");
        assert!(
            ran.stderr.contains("a part of the requirement that its role is not shown"),
            "{}",
            ran.stderr
        );
    }
}

/// The honest twin: git is asked for everything that an implementer may want to know of its work.
#[test]
fn who_looks_at_its_own_work_sees_that_and_no_more() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    for level in levels() {
        let action = "echo 'AC-STE-1.1: two() gives the number two, and no other number at all.'; \
                    git status --short; git diff; cat tests/*.py; ls -R specs > /dev/null";
        let (printed, glimpsed, ran) = run(action, level);
        assert_eq!(glimpsed, Vec::<Value>::new(), "{level}: {}", ran.stderr);
        for part in [" M shop.py", "?? tests/test_ac_ste_1_1.py", "+def two():"] {
            assert!(printed.contains(part), "{level}, {part}: {printed}");
        }
        assert!(!printed.contains("specs"), "{level}: {printed}");
    }
}
