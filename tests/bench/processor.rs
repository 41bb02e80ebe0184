//! Processor time of a run, with all its children, against as many plain runs of the suite as it makes.

use std::process::Command;

use super::project::{Project, whole_runs_in};
use super::table::{Figure, Row};

const CRITERIA: usize = 3;
const BOUND: f64 = 1.5;
const PLAIN_RUNS: usize = 5;
const TIMES: usize = 3;

/// A small project of one language, and what its scripted roles do in `sh`.
struct Kind {
    name: &'static str,
    program: &'static str,
    test: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// Writes the test of criterion `$n`.
    red: &'static str,
    /// Writes what the test of criterion `$n` wants; `$n` is the first that is not there.
    green: &'static str,
    /// What a person changes before each plain run: every run of `tdd` follows a change, too.
    change: &'static str,
}

const GO: Kind = Kind {
    name: "a Go module",
    program: "go",
    test: "go test ./...",
    files: &[
        ("go.mod", "module example.com/shop\n\ngo 1.18\n"),
        ("shop.go", "package shop\n\nfunc Zero() int { return 0 }\n"),
        (
            "old_test.go",
            "package shop\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) {\n\tif Zero() != 0 {\n\t\tt.Fatal(Zero())\n\t}\n}\n",
        ),
    ],
    red: "printf 'package shop\\n\\nimport \"testing\"\\n\\nfunc TestNew%s(t *testing.T) {\\n\\tif got := F%s(); got != %s {\\n\\t\\tt.Fatal(got)\\n\\t}\\n}\\n' $n $n $n > ac_b_1_${n}_test.go",
    green: "n=1; while [ -e f$n.go ]; do n=$((n + 1)); done; printf 'package shop\\n\\nfunc F%s() int { return %s }\\n' $n $n > f$n.go",
    change: "echo \"// $n\" >> shop.go",
};

const CARGO: Kind = Kind {
    name: "a cargo crate",
    program: "cargo",
    test: "cargo test",
    files: &[
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        ("Cargo.lock", "version = 4\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
        (".gitignore", "/target\n"),
        ("src/lib.rs", "pub fn zero() -> i32 {\n    0\n}\n"),
        ("tests/old.rs", "#[test]\nfn old() {\n    assert_eq!(shop::zero(), 0);\n}\n"),
    ],
    red: "printf '#[test]\\nfn new() {\\n    assert_eq!(shop::f%s(), %s);\\n}\\n' $n $n > tests/ac_b_1_$n.rs",
    green: "n=1; while grep -q \"fn f$n\" src/lib.rs; do n=$((n + 1)); done; printf '\\npub fn f%s() -> i32 {\\n    %s\\n}\\n' $n $n >> src/lib.rs",
    change: "echo \"// $n\" >> src/lib.rs",
};

pub fn measure() -> Vec<Row> {
    [GO, CARGO].iter().filter_map(row).collect()
}

fn row(kind: &Kind) -> Option<Row> {
    if Command::new(kind.program).arg("version").output().is_err() {
        println!("skipped: processor time of a run on {}: there is no `{}`", kind.name, kind.program);
        return None;
    }
    let mut ratios: Vec<(f64, String)> = (0..TIMES).map(|_| ratio(kind)).collect();
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (measured, note) = ratios.swap_remove(TIMES / 2);
    Some(Row {
        what: format!("{}: processor time of a run over its plain runs", kind.name),
        figure: Figure::Growth { measured, bound: BOUND },
        note: format!("median of {TIMES}; {note}"),
    })
}

fn ratio(kind: &Kind) -> (f64, String) {
    let project = Project::scripted(CRITERIA, kind.test, kind.files);
    let all = (1..=CRITERIA).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    let red = format!("for n in {all}; do {}; done", kind.red);
    let cassette = project.cassette(&red, kind.green, ":");

    // The person's own caches are warm, as they are after any work on a project.
    let plain = |n: usize| {
        let change = format!("n={n}; {}; {}", kind.change, kind.test);
        project.processor_time(&["sh", "-c", &change]).0
    };
    plain(0);
    let mut plains: Vec<f64> = (1..=PLAIN_RUNS).map(plain).collect();
    plains.sort_by(f64::total_cmp);
    let plain = plains[PLAIN_RUNS / 2];
    project.commit();

    let program = env!("CARGO_BIN_EXE_tdd");
    let (run, said) = project.processor_time(&[program, "B-1", "--cassette", &cassette.to_string_lossy()]);
    let (whole, _) = whole_runs_in(&said);
    let note = format!("{run:.2} s for {whole} whole runs, {plain:.2} s for a plain one after a change");
    (run / (whole as f64 * plain), note)
}
