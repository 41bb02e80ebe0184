//! A test file of the project's own, made to fail: for a command that takes no selection, in a copy
//! of the tree.
//!
//! ```text
//! Python, Rust, Go   the file, and behind it one more test that fails
//! JavaScript         as the runner's own canary; for a runner that is not known, a file that throws
//! ```

use super::{JavaScriptRunner, PythonRunner, Secret, javascript, node, python};
use crate::core::commands::RunnerKind;
use crate::text::test_source::Language;

/// `source` with a failing test whose message holds the token; `None` where no test can be written
/// in the file's language.
pub fn with_failing_test(
    runner: RunnerKind,
    source: &str,
    extension: &str,
    secret: &Secret,
) -> Option<String> {
    let Secret { name, token } = secret;
    Some(match Language::of(extension)? {
        Language::Python => {
            // Every Python runner knows a `TestCase`.
            let runner =
                if runner == RunnerKind::Pytest { PythonRunner::Pytest } else { PythonRunner::Unittest };
            format!("{source}\n\n{}", python(runner, "", secret).source)
        }
        Language::Rust => {
            format!("{source}\n#[test]\nfn zzz_{name}() {{\n    assert_eq!(1, 2, {token:?});\n}}\n")
        }
        Language::Go => {
            let test = name.to_uppercase();
            format!("{source}\nfunc Test{test}(t *testing.T) {{\n\tt.Fatal({token:?})\n}}\n")
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let of = |runner| javascript(runner, source, extension, secret).source;
            match runner {
                RunnerKind::Vitest => of(JavaScriptRunner::Vitest),
                RunnerKind::Jest => of(JavaScriptRunner::Jest),
                RunnerKind::Bun => of(JavaScriptRunner::Bun),
                RunnerKind::Node => node(source, extension, secret).source,
                RunnerKind::Cargo
                | RunnerKind::Nextest
                | RunnerKind::Pytest
                | RunnerKind::Unittest
                | RunnerKind::Go
                | RunnerKind::Junit
                | RunnerKind::Tap
                | RunnerKind::ExitCode => format!("{source}\n;throw new Error({token:?});\n"),
            }
        }
    })
}

/// `source` as no program of any language that is known here.
pub fn broken(source: &str) -> String {
    format!("{source}\n)]}} (\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_test_stands_behind_the_files_own() {
        let secret = Secret { name: "q1".to_owned(), token: "t0ken".to_owned() };
        for (runner, extension, want) in [
            (RunnerKind::Pytest, "py", "def test_q1"),
            (RunnerKind::ExitCode, "py", "class Testq1(unittest.TestCase)"),
            (RunnerKind::Cargo, "rs", "#[test]\nfn zzz_q1()"),
            (RunnerKind::Go, "go", "func TestQ1(t *testing.T)"),
            (RunnerKind::Node, "js", "q1 0"),
            (RunnerKind::Vitest, "ts", "q1 0"),
            (RunnerKind::Tap, "ts", "throw new Error"),
        ] {
            let made = with_failing_test(runner, "SOURCE", extension, &secret).unwrap();
            // Type checkers are told to pass over a file of TypeScript before anything else.
            let own = made.trim_start().strip_prefix("// @ts-nocheck\n").unwrap_or(&made);
            assert!(own.starts_with("SOURCE\n"), "{made}");
            assert!(made.contains(want) && made.contains("t0ken"), "{made}");
        }
        assert_eq!(with_failing_test(RunnerKind::ExitCode, "", "bats", &secret), None);
        assert!(broken("x").starts_with("x\n"));
    }
}
