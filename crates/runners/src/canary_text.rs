//! The source of a test that must fail.
//!
//! ```text
//! Python      the judged test's imports, then one failing test for each way of asserting it uses
//! JavaScript  the judged file itself, then the same (bun: as Python)
//! Rust        "mod" for each judged file, then one failing test whose name sorts last
//! ```
//!
//! Python's tests (and bun's) share a process with the judged ones, so what those do to it is seen without
//! doing it again. Elsewhere a file is a process of its own: the canary does first what the judged
//! tests do, and fails only then.
//!
//! Every failure's message holds a token that is in no other text, so that a canary that fails for
//! another reason (what it imports is broken) is not taken for one that failed as it must.

mod failing;
mod javascript;

use std::fmt::Write as _;

pub use failing::{broken, with_failing_test};
pub use javascript::{JavaScriptRunner, javascript, javascript_file};

/// A canary's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    pub source: String,
    /// The names of its tests within the file, as their runner tells them. All must fail.
    pub tests: Vec<String>,
}

/// What nobody can know before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// A word that file and tests are named with: lower-case letters and digits.
    pub name: String,
    /// A word in the message of each failure.
    pub token: String,
}

/// Who runs a Python file: names are joined in other ways, and unittest knows no plain functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PythonRunner {
    Pytest,
    Unittest,
}

/// Assertions of `unittest.TestCase` that a judged test may use, each with arguments that fail.
const TEST_CASE: &[(&str, &str)] = &[
    ("assertEqual", "1, 2"),
    ("assertTrue", "False"),
    ("assertFalse", "True"),
    ("assertNotEqual", "1, 1"),
    ("assertIs", "1, None"),
    ("assertIsNot", "None, None"),
    ("assertIsNone", "1"),
    ("assertIsNotNone", "None"),
    ("assertIn", "1, []"),
    ("assertNotIn", "1, [1]"),
    ("assertIsInstance", "1, str"),
    ("assertGreater", "1, 2"),
    ("assertGreaterEqual", "1, 2"),
    ("assertLess", "2, 1"),
    ("assertLessEqual", "2, 1"),
    ("assertAlmostEqual", "1, 2"),
    ("assertRegex", "'a', 'b'"),
    ("assertCountEqual", "[1], [2]"),
    ("assertListEqual", "[1], [2]"),
    ("assertDictEqual", "{1: 1}, {1: 2}"),
    ("assertMultiLineEqual", "'a', 'b'"),
];
/// Of these there is always one, whatever the judged test uses.
const ALWAYS: usize = 2;

/// For pytest and unittest. `judged` is the source of the judged file.
pub fn python(runner: PythonRunner, judged: &str, secret: &Secret) -> Script {
    let Secret { name, token } = secret;
    let mut source = String::from("import unittest\n");
    let mut tests = Vec::new();
    if runner == PythonRunner::Pytest {
        source.push_str("import pytest\n");
    }
    // A project that does not load is told by its own tests.
    source.push_str("try:\n    pass\n");
    for import in python_imports(judged) {
        let _ = writeln!(source, "    {import}");
    }
    source.push_str("except BaseException:\n    pass\n\n");
    if runner == PythonRunner::Pytest {
        let _ = writeln!(source, "\ndef test_{name}():\n    assert 1 == 2, {token:?}\n");
        tests.push(format!("test_{name}"));
        if judged.contains("raises") {
            let _ = writeln!(
                source,
                "\ndef test_{name}_raises():\n    try:\n        with pytest.raises(KeyError):\n            pass\n    except BaseException:\n        raise AssertionError({token:?})\n"
            );
            tests.push(format!("test_{name}_raises"));
        }
    }
    let class = format!("Test{name}");
    let _ = writeln!(source, "\nclass {class}(unittest.TestCase):");
    let mut method = |at: usize, body: &str| {
        let _ = writeln!(source, "    def test_{at}(self):\n        {body}\n");
        let joint = if runner == PythonRunner::Pytest { "::" } else { "." };
        tests.push(format!("{class}{joint}test_{at}"));
    };
    method(0, &format!("assert 1 == 2, {token:?}"));
    for (at, (name, arguments)) in (1..).zip(TEST_CASE) {
        if at <= ALWAYS || judged.contains(&format!("{name}(")) {
            method(at, &format!("self.{name}({arguments}, msg={token:?})"));
        }
    }
    if judged.contains("assertRaises") {
        let body = format!("with self.assertRaises(KeyError, msg={token:?}):\n            pass");
        method(TEST_CASE.len() + 1, &body);
    }
    Script { source, tests }
}

/// Statements at the margin that import, each as it stands; `__future__` may only come first.
fn python_imports(judged: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = judged.lines();
    while let Some(line) = lines.next() {
        let is_import =
            line.starts_with("import ") || (line.starts_with("from ") && line.contains(" import"));
        if !is_import || line.contains("__future__") {
            continue;
        }
        let mut statement = line.to_owned();
        let goes_on =
            |text: &str| text.ends_with('\\') || text.matches('(').count() > text.matches(')').count();
        while goes_on(&statement) && statement.len() < LONGEST_IMPORT {
            let Some(more) = lines.next() else { break };
            statement.push('\n');
            statement.push_str(more);
        }
        if !goes_on(&statement) {
            found.push(statement);
        }
    }
    found
}

const LONGEST_IMPORT: usize = 16 * 1024;

/// Functions of `node:assert` that a judged test may use, each with arguments that fail.
const NODE_ASSERT: &[(&str, &str)] = &[
    ("equal", "1, 2"),
    ("ok", "false"),
    ("strictEqual", "1, 2"),
    ("deepEqual", "[1], [2]"),
    ("deepStrictEqual", "[1], [2]"),
    ("notEqual", "1, 1"),
    ("notStrictEqual", "1, 1"),
    ("notDeepEqual", "[1], [1]"),
    ("notDeepStrictEqual", "[1], [1]"),
    ("match", "'a', /b/"),
    ("doesNotMatch", "'a', /a/"),
    ("throws", "() => {}"),
];

/// For `node --test`: `judged` and, behind it, the tests that must fail.
pub fn node(judged: &str, extension: &str, secret: &Secret) -> Script {
    let Secret { name, token } = secret;
    let assert = if judged.contains("assert/strict") { "node:assert/strict" } else { "node:assert" };
    let mut source = format!("{}\n;\n", without_shebang(judged));
    // An import may stand anywhere, and comes first all the same.
    let imports = if is_module(judged, extension) {
        format!("import {{ test as {name}_test }} from 'node:test';\nimport {name}_assert from '{assert}';\n")
    } else {
        format!(
            "const {name}_test = require('node:test').test;\nconst {name}_assert = require('{assert}');\n"
        )
    };
    source.push_str(&imports);
    let mut tests = Vec::new();
    let mut add = |at: usize, body: &str| {
        let _ = writeln!(source, "{name}_test('{name} {at}', () => {{ {body} }});");
        tests.push(format!("{name} {at}"));
    };
    add(0, &format!("throw new Error('{token}');"));
    for (at, (function, arguments)) in (1..).zip(NODE_ASSERT) {
        if at <= ALWAYS || judged.contains(&format!("{function}(")) {
            add(at, &format!("{name}_assert.{function}({arguments}, '{token}');"));
        }
    }
    Script { source, tests }
}

fn without_shebang(source: &str) -> &str {
    if source.starts_with("#!") { source.split_once('\n').map_or("", |(_, rest)| rest) } else { source }
}

/// By its name, else as node finds it out itself: by a statement that only a module may hold.
fn is_module(source: &str, extension: &str) -> bool {
    match extension {
        "mjs" | "mts" => true,
        "cjs" | "cts" => false,
        _ => source.lines().any(|line| {
            let line = line.trim_start();
            (line.starts_with("import ") || line.starts_with("import{") || line.starts_with("export "))
                && !line.starts_with("import (")
        }),
    }
}

/// How much a Rust canary does of what the judged tests do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imitation {
    /// It holds the judged files as modules, so their tests run before it in its process; and copies of
    /// them, too.
    Copied,
    /// The same without copies.
    Whole,
    /// For files that don't compile as modules of another target.
    None,
}

/// The module of the copy of this number.
pub fn rust_copy(number: usize) -> String {
    format!("copy_{number}")
}

/// For libtest. `judged` are paths relative to the canary's folder; copies have their texts.
pub fn rust(
    (judged, copies): (&[String], &[(usize, String)]),
    imitation: Imitation,
    secret: &Secret,
) -> Script {
    let Secret { name, token } = secret;
    // A number that was thrown may not fit into its type, and is another all the same.
    let mut source = String::from("#![allow(warnings)]\n#![allow(overflowing_literals)]\n");
    let files = if imitation == Imitation::None { &[] } else { judged };
    let copies = if imitation == Imitation::Copied { copies } else { &[] };
    for (number, text) in copies {
        let _ = writeln!(source, "mod {} {{\n{}\n}}", rust_copy(*number), without_shebang(text));
    }
    for (at, path) in files.iter().enumerate() {
        let _ = writeln!(source, "#[path = {path:?}]\nmod judged_{at};");
    }
    // One thread runs tests in the order of their names: this one is the last.
    let test = format!("zzz_{name}");
    let _ = writeln!(source, "#[test]\nfn {test}() {{\n    assert_eq!(1, 2, {token:?});\n}}");
    Script { source, tests: vec![test] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret() -> Secret {
        Secret { name: "q1".to_owned(), token: "t0ken".to_owned() }
    }

    #[test]
    fn a_python_canary_imports_and_asserts_as_the_judged_test() {
        let judged = "from __future__ import annotations\nimport shop  # x\nfrom a import (\n    b,\n)\ndef test_a(self):\n    import inner\n    self.assertIn(1, [])\n    with pytest.raises(KeyError): pass\n";
        let script = python(PythonRunner::Pytest, judged, &secret());
        for part in
            ["    import shop  # x\n    from a import (\n    b,\n)\nexcept", "assertIn(1, [], msg=\"t0ken\")"]
        {
            assert!(script.source.contains(part), "{part}\n{}", script.source);
        }
        assert!(!script.source.contains("__future__") && !script.source.contains("inner"));
        assert_eq!(
            script.tests,
            [
                "test_q1",
                "test_q1_raises",
                "Testq1::test_0",
                "Testq1::test_1",
                "Testq1::test_2",
                "Testq1::test_9"
            ]
        );
        let script = python(PythonRunner::Unittest, "", &secret());
        assert_eq!(script.tests, ["Testq1.test_0", "Testq1.test_1", "Testq1.test_2"]);
    }

    #[test]
    fn a_javascript_canary_is_of_the_judged_files_kind() {
        for (judged, extension, want) in [
            ("import a from 'a'", "js", "import { test as q1_test }"),
            ("const a = require('a')", "js", "require('node:test')"),
            ("", "mjs", "import { test as q1_test }"),
            ("import('a')", "js", "require('node:test')"),
            ("#!/usr/bin/env node\nexport const a = 1", "ts", "import { test as q1_test }"),
        ] {
            let script = node(judged, extension, &secret());
            assert!(script.source.contains(want), "{judged}\n{}", script.source);
            assert!(!script.source.starts_with("#!"));
        }
        let script = node("assert.deepEqual(a, b)", "js", &secret());
        assert_eq!(script.tests, ["q1 0", "q1 1", "q1 2", "q1 4"]);
    }

    #[test]
    fn a_rust_canary_sorts_after_the_tests_it_imitates() {
        let files = ["ac_1.rs".to_owned()];
        let copies = [(3, "#[test]\nfn a() {}".to_owned())];
        let with_them = rust((&files, &copies), Imitation::Copied, &secret()).source;
        assert!(
            with_them.contains("mod copy_3 {\n#[test]\nfn a() {}\n}") && with_them.contains("mod judged_0;")
        );
        let whole = rust((&files, &copies), Imitation::Whole, &secret());
        assert!(!whole.source.contains("copy_3"));
        assert!(whole.source.contains("#[path = \"ac_1.rs\"]\nmod judged_0;"), "{}", whole.source);
        assert!(whole.tests[0].as_str() > "judged_9");
        assert!(!rust((&files, &copies), Imitation::None, &secret()).source.contains("mod "));
    }
}
