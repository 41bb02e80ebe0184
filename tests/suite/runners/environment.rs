//! The environment of commands is the person's own, and colours are read through.

use super::*;
use crate::sandbox::node_modules;

/// What people and runners decide by, and what programs add most often.
const LOOKED_AT: &[&str] = &[
    "CI",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR_FORCE",
    "CARGO_TERM_COLOR",
    "RUST_BACKTRACE",
    "GITHUB_ACTIONS",
];

/// A list `[["NAME", "value" or nothing], …]` of what the suite itself has, with the word for nothing.
fn own(nothing: &str) -> String {
    let value =
        |name: &str| std::env::var(name).map_or_else(|_| nothing.to_owned(), |own| format!("{own:?}"));
    let pairs: Vec<String> = LOOKED_AT.iter().map(|name| format!("[{name:?}, {}]", value(name))).collect();
    format!("[{}]", pairs.join(", "))
}

fn javascript(kind: RunnerKind, test: &str, head: &str) -> Option<Lab> {
    let lab = Lab::new(kind, test);
    if kind != RunnerKind::Node {
        std::os::unix::fs::symlink(node_modules(kind.name())?, lab.project().join("node_modules")).unwrap();
    }
    lab.write("package.json", "{\"name\":\"shop\",\"private\":true,\"type\":\"commonjs\"}\n");
    lab.write("test/a.test.js", head);
    Some(lab)
}

#[test]
fn no_variable_is_added_that_tests_can_see() {
    left_to_the_night!();
    let script = format!(
        "test('own', () => {{ for (const [name, value] of {}) if (process.env[name] !== value) throw new Error(`${{name}}=${{process.env[name]}}`); }});\n",
        own("undefined")
    );
    for (kind, test, head) in [
        (RunnerKind::Node, "node --test", "const { test } = require('node:test');\n"),
        (RunnerKind::Vitest, "npx vitest --globals", ""),
        (RunnerKind::Jest, "npx jest", ""),
        (RunnerKind::Bun, "bun test", "import { test } from 'bun:test';\n"),
    ] {
        let Some(lab) = javascript(kind, test, &format!("{head}{script}")) else { continue };
        check(&lab.run(), &["test/a.test.js::own=ok"]);
    }
    let python = format!("import os\nOWN = dict({})\n", own("None"));
    let assert = "assert {name: os.environ.get(name) for name in OWN} == OWN";
    if has_pytest() {
        let lab = Lab::new(RunnerKind::Pytest, "python3 -m pytest");
        lab.write("test_a.py", &format!("{python}def test_own():\n    {assert}\n"));
        check(&lab.run(), &["test_a.py::test_own=ok"]);
    }
    let lab = rust_lab();
    let rust = own("\"\"").replace('[', "(").replace(']', ")");
    lab.write(
        "tests/base.rs",
        &format!(
            "#[test]\nfn own() {{ for (name, value) in [{}] {{ assert_eq!(std::env::var(name).unwrap_or_default(), value); }} }}\n",
            &rust[1..rust.len() - 1]
        ),
    );
    check(&lab.run(), &["src/lib.rs::tests::unit=ok", "tests/base.rs::own=ok"]);
    let ci = std::env::var("CI").unwrap_or_default();
    let mut lab = Lab::new(RunnerKind::ExitCode, "true");
    lab.gate = format!(
        "test \"$CI$NO_COLOR\" = {}",
        shell(&format!("{ci}{}", std::env::var("NO_COLOR").unwrap_or_default()))
    );
    assert_eq!(Runs::new(&lab).gate(&[]).exit, Exit::Code(0));
}

fn shell(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[test]
fn an_unrecorded_snapshot_is_recorded_by_nobody() {
    left_to_the_night!();
    let script = "test('one', () => expect({ a: 1 }).toMatchSnapshot());\ntest('two', () => {});\n";
    for (kind, test, head) in [
        (RunnerKind::Vitest, "npx vitest --globals", ""),
        (RunnerKind::Jest, "npx jest", ""),
        (RunnerKind::Bun, "bun test", "import { test, expect } from 'bun:test';\n"),
    ] {
        let Some(lab) = javascript(kind, test, &format!("{head}{script}")) else { continue };
        let before = walk(&lab.project().join("test"));
        let run = lab.run();
        let words = words(&run);
        assert!(
            words[0].starts_with("test/a.test.js::one=") && !words[0].ends_with("=ok"),
            "{kind:?} {words:?}"
        );
        assert_eq!(words[1], "test/a.test.js::two=ok", "{kind:?}");
        assert_eq!(walk(&lab.project().join("test")), before, "{kind:?}");
    }
}

#[test]
fn what_a_runner_paints_is_read_all_the_same() {
    left_to_the_night!();
    let script = "test('red', () => { require('../nope').f(); });\ntest('green', () => {});\n";
    for (kind, test, head) in [
        (RunnerKind::Node, "FORCE_COLOR=1 node --test", "const { test } = require('node:test');\n"),
        (RunnerKind::Vitest, "FORCE_COLOR=1 npx vitest --globals", ""),
        (RunnerKind::Jest, "FORCE_COLOR=1 npx jest", ""),
        (RunnerKind::Bun, "FORCE_COLOR=1 bun test", "import { test } from 'bun:test';\n"),
    ] {
        let Some(lab) = javascript(kind, test, &format!("{head}{script}")) else { continue };
        lab.write("test/b.test.js", &format!("{head}const {{ = broken;\n"));
        let run = lab.run();
        check(&run, &["test/a.test.js::green=ok", "test/a.test.js::red=missing", "test/b.test.js!load"]);
    }
}
