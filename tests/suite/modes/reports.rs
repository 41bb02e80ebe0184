//! The halt report of a real run in each mode, as a person and a machine get it, and the demo that
//! shows them.
//!
//! `UPDATE_FIXTURES=1 cargo test reports` writes `fixtures/halt/` anew; a change is read in the diff.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;
use tdd_core::run_name;

use serde_json::{Value, json};

use super::prompts;
use super::stage::{
    GOOD_CODE, OLD_FILE, Stage, TEST_FILE, entry, in_parallel, refactors, writes_code, writes_test,
};
use crate::battery;
use crate::sandbox::{Sandbox, fixtures, has_python};

/// Name, settings, and the entry that fails in this way.
fn stories() -> Vec<(&'static str, &'static str, Value)> {
    let passing = "import unittest\nimport shop\n\nclass New(unittest.TestCase):\n    def test_new(self):\n        self.assertEqual(shop.one(), 1)\n";
    vec![
        ("A", "", writes_test(passing)),
        ("B", "", writes_code(&GOOD_CODE.replace("return 2", "return 3"))),
        (
            "B-touched",
            "",
            entry(
                "implementer",
                &json!({ "write": { "shop.py": GOOD_CODE }, "misbehave": { "touch-test": OLD_FILE } }),
            ),
        ),
        ("C", "", refactors(&GOOD_CODE.replace("return 1", "return 0"))),
        (
            "D",
            "",
            entry("implementer", &json!({ "write": { "shop.py": GOOD_CODE }, "misbehave": "no-block" })),
        ),
        (
            "E",
            "attempt_deadline: 2s\n",
            entry("implementer", &json!({ "print": "let me think", "misbehave": "hang" })),
        ),
        (
            "dispute",
            "",
            entry(
                "implementer",
                &json!({ "say": { "status": "failed", "dispute": {
                    "tests": [format!("{TEST_FILE}::New.test_new")],
                    "reason": "the requirement says two, and the test wants the number 2",
                } } }),
            ),
        ),
    ]
}

#[test]
fn the_reports_of_real_runs_are_as_recorded() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    in_parallel(&stories(), |(name, settings, entry)| {
        let stage = Stage::new(settings, std::slice::from_ref(entry));
        let ran = stage.run(&[]).expect(1);
        let json = serde_json::to_string_pretty(&stage.halt()).unwrap() + "\n";
        compare(&format!("{name}.txt"), &plain(&ran.stdout, &stage.sandbox));
        compare(&format!("{name}.json"), &plain(&json, &stage.sandbox));
    });
}

fn compare(name: &str, text: &str) {
    let file = fixtures().join("halt").join(name);
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
    }
    let recorded = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        recorded == text,
        "the report differs from fixtures/halt/{name}: run with UPDATE_FIXTURES=1 and read the diff\n{text}"
    );
}

/// What differs from run to run made the same: paths, ids, times; and what Python versions print
/// differently.
fn plain(text: &str, sandbox: &Sandbox) -> String {
    let run = sandbox.run_dir();
    let mut text = text.replace(run.to_str().unwrap(), "/repo/.tdd/runs/RUN");
    let name = run.file_name().unwrap().to_str().unwrap();
    text = text.replace(name, "RUN").replace(run_name::short(name), "RUN");
    text = text.replace(sandbox.repo().to_str().unwrap(), "/repo");
    text = text.replace(sandbox.repo().parent().unwrap().to_str().unwrap(), "/beside");
    let carets = |line: &str| {
        let line = line.trim().trim_start_matches(['|', '"']).trim().trim_end_matches(['"', ',']);
        line.len() > 1 && line.chars().all(|c| matches!(c, '^' | '~'))
    };
    let lines: Vec<String> = text.lines().filter(|line| !carets(line)).map(without_times).collect();
    name_checkpoints(&(lines.join("\n") + "\n"))
}

fn without_times(line: &str) -> String {
    if let Some((before, _)) = line.split_once("\"duration_ms\": ") {
        return format!("{before}\"duration_ms\": 0,");
    }
    // How long it was silent is a matter of the machine.
    if line.starts_with("at its deadline it ") {
        return "at its deadline it (TIMES)".to_owned();
    }
    let Some((before, after)) = line.split_once(", after ") else { return line.to_owned() };
    match after.split_once(" s") {
        Some((_, rest)) if line.starts_with("exit status: ") => format!("{before}, after 0.0 s{rest}"),
        _ => line.to_owned(),
    }
}

/// Commits in the order in which they come up: `<commit 1>`.
fn name_checkpoints(text: &str) -> String {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_hexdigit()) {
        let end = rest[at..].find(|c: char| !c.is_ascii_hexdigit()).map_or(rest.len(), |end| at + end);
        plain.push_str(&rest[..at]);
        let word = &rest[at..end];
        // In full for machines, short for people.
        if (word.len() == 40 || word.len() == 12) && word.bytes().any(|byte| byte.is_ascii_digit()) {
            let next = names.len() + 1;
            let number = names.entry(word[..12].to_owned()).or_insert(next);
            write!(plain, "<commit {number}>").unwrap();
        } else {
            plain.push_str(word);
        }
        rest = &rest[end..];
    }
    plain + rest
}

/// Mode, children of the run, and a reason that the report names.
const DEMOS: [(&str, usize, &str); 5] = [
    ("A", 2, "AC-DEMO-1.2 is not RED"),
    ("B", 4, "failed: tests/ac_demo_1_2.rs::punctuation_is_no_word"),
    ("C", 6, "was green and is red now: tests/ac_demo_1_1.rs::words_are_joined_by_single_hyphens"),
    ("D", 3, "no-block"),
    ("E", 3, "its deadline passed"),
];

#[test]
fn the_demo_shows_each_mode() {
    left_to_the_night!();
    in_parallel(&battery::part(DEMOS, 2), |(mode, forks, reason)| {
        let sandbox = Sandbox::empty();
        let began = Instant::now();
        let ran = sandbox.tdd(&["demo", "--dir", ".", "--halt", mode]).expect(1);
        let report = format!("failure mode: {mode}, ");
        assert!(ran.stdout.contains(&report) && ran.stdout.contains(reason), "{mode}: {}", ran.stdout);
        assert!(ran.stderr.contains("tdd demo: "), "{}", ran.stderr);
        let run = newest(&sandbox.path("textkit/.tdd/runs"));
        assert_eq!(prompts::told(&run).len(), *forks, "{mode}");
        prompts::check(&run);
        assert!(*mode != "E" || began.elapsed().as_secs() < 60, "{mode} keeps people waiting");
    });
}

fn newest(runs: &Path) -> std::path::PathBuf {
    std::fs::read_dir(runs).unwrap().map(|entry| entry.unwrap().path()).max().unwrap()
}
