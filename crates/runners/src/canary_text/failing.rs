//! A test file of the project's own, made to fail: for a command that takes no selection, in a copy
//! of the tree.
//!
//! ```text
//! Python, Rust, Go   the file, and behind it one more test that fails
//! JavaScript         as the runner's own canary; for a runner that is not known, a file that throws
//! ```

use super::{PythonRunner, Secret, python};
use crate::runner::{Source, of};
use tdd_core::commands::RunnerKind;
use tdd_source::Language;

/// `source` with a failing test whose message holds the token; `None` where no test can be written
/// in the file's language.
pub fn with_failing_test(
    runner: RunnerKind,
    source: &str,
    extension: &str,
    secret: &Secret,
) -> Option<String> {
    let Secret { name, token } = secret;
    let language = Language::of(extension)?;
    let own = (of(runner).failing)(language, &Source { text: source, extension, secret });
    own.or_else(|| {
        Some(match language {
            // Every Python runner knows a `TestCase`.
            Language::Python => format!("{source}\n\n{}", python(PythonRunner::Unittest, "", secret).source),
            Language::Rust => {
                format!("{source}\n#[test]\nfn zzz_{name}() {{\n    assert_eq!(1, 2, {token:?});\n}}\n")
            }
            Language::Go => {
                let test = name.to_uppercase();
                format!("{source}\nfunc Test{test}(t *testing.T) {{\n\tt.Fatal({token:?})\n}}\n")
            }
            Language::JavaScript | Language::TypeScript | Language::Tsx => {
                format!("{source}\n;throw new Error({token:?});\n")
            }
        })
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
