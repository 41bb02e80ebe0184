//! What kind of red a node error is (contract section 7).
//!
//! A file that does not load has no error object in node's events: its process died, and the
//! reason is in what it printed on its standard error:
//!
//! ```text
//! Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/abs/src/c1.mjs' imported from /abs/test
//! Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x' imported from /abs/test
//! Error: Cannot find module './c1' NL "Require stack:"
//! SyntaxError: The requested module '../src/core.mjs' does not provide an export named 'nope'
//! SyntaxError: Named export 'nope' not found. The requested module '../src/core.cjs' is a CommonJS module…
//! SyntaxError: Unexpected token ':'
//! ```

use super::jsonl::Raised;
use super::{failure, quoted};
use crate::core::test::{Failure, FailureKind};

/// Judges a file that died while it was loading, from what it printed. `root` is the project's
/// absolute path: an absolute module within it, less its `node_modules`, is the project's own.
pub fn load_failure(output: &str, root: &str) -> Failure {
    let said = output
        .lines()
        .find(|line| {
            let word = line.split([':', ' ', '[']).next().unwrap_or_default();
            (word.ends_with("Error") || word.ends_with("Exception")) && line.contains(':')
        })
        .unwrap_or_default();
    let message = if said.is_empty() { output } else { said };
    match absent(said, root) {
        Some(absent) => failure(FailureKind::Missing, message, Some(absent)),
        None => failure(FailureKind::Load, message, None),
    }
}

/// Judges an error that a test threw.
pub fn test_failure(raised: Option<&Raised>, root: &str) -> Failure {
    let Some(raised) = raised else {
        return failure(FailureKind::Error, "the runner gave no reason", None);
    };
    let message = format!("{}: {}", raised.class, raised.message);
    let code = raised.code.as_deref().unwrap_or_default();
    if code == "testTimeoutFailure" {
        return failure(FailureKind::Timeout, &message, None);
    }
    if raised.class == "AssertionError" || code == "ERR_ASSERTION" {
        return failure(FailureKind::Assertion, &message, None);
    }
    if let Some(absent) = absent(&raised.message, root) {
        return failure(FailureKind::Missing, &message, Some(absent));
    }
    if matches!(code, "ERR_MODULE_NOT_FOUND" | "MODULE_NOT_FOUND") || raised.class == "SyntaxError" {
        return failure(FailureKind::Load, &message, None);
    }
    if raised.class == "TypeError" {
        let callee = ["is not a function", "is not a constructor"]
            .iter()
            .find_map(|tail| raised.message.strip_suffix(tail))
            .map(str::trim);
        if let Some(callee) = callee {
            return failure(FailureKind::Missing, &message, Some(callee.to_owned()));
        }
    }
    failure(FailureKind::Error, &message, None)
}

fn absent(said: &str, root: &str) -> Option<String> {
    if let Some((_, rest)) = said.split_once("Cannot find module '") {
        let module = rest.split('\'').next()?;
        let relative = module.starts_with("./") || module.starts_with("../");
        let own = module.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
        return match own {
            Some(path) if !path.contains("node_modules/") => Some(path.to_owned()),
            Some(_) => None,
            None => relative.then(|| module.to_owned()),
        };
    }
    if let Some((before, rest)) = said.split_once(" does not provide an export named ") {
        let own = quoted(before, 0).is_some_and(|module| module.starts_with('.') || module.starts_with('/'));
        return quoted(rest, 0).filter(|_| own).map(str::to_owned);
    }
    if let Some((_, rest)) = said.split_once("Named export ") {
        let own = quoted(rest, 1).is_some_and(|module| module.starts_with('.') || module.starts_with('/'));
        return quoted(rest, 0).filter(|_| own).map(str::to_owned);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_does_not_load_is_judged_by_its_last_words() {
        use FailureKind::{Load, Missing};
        for (said, kind, absent) in [
            (
                "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/p/src/c1.mjs' imported from /p/test/a",
                Missing,
                Some("src/c1.mjs"),
            ),
            (
                "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/p/node_modules/x/y.js' imported from /p/a",
                Load,
                None,
            ),
            ("Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'nosuchpkg' imported from /p/e", Load, None),
            ("Error: Cannot find module '../src/c1'", Missing, Some("../src/c1")),
            ("Error: Cannot find module 'left-pad'", Load, None),
            (
                "SyntaxError: The requested module '../src/core.mjs' does not provide an export named 'nope'",
                Missing,
                Some("nope"),
            ),
            (
                "SyntaxError: The requested module 'node:fs' does not provide an export named 'nope'",
                Load,
                None,
            ),
            (
                "SyntaxError: Named export 'nope' not found. The requested module '../src/core.cjs' is a CommonJS module",
                Missing,
                Some("nope"),
            ),
            ("SyntaxError: Unexpected token ':'", Load, None),
            ("Error: top", Load, None),
            ("", Load, None),
        ] {
            let output = format!("file:///p/x.mjs:2\ncode\n    ^\n\n{said}\n    at x\n");
            let got = load_failure(&output, "/p");
            assert_eq!((got.kind, got.absent.as_deref()), (kind, absent), "{said}");
        }
    }

    #[test]
    fn a_thrown_error_is_judged_by_its_class() {
        use FailureKind::{Assertion, Error, Missing, Timeout};
        for (class, code, message, kind) in [
            ("AssertionError", Some("ERR_ASSERTION"), "1 !== 2", Assertion),
            ("TypeError", None, "core.nope is not a function", Missing),
            ("TypeError", None, "Cannot read properties of undefined", Error),
            ("ReferenceError", None, "x is not defined", Error),
            (
                "Error",
                Some("ERR_MODULE_NOT_FOUND"),
                "Cannot find module '/p/src/c9.mjs' imported from /p/k",
                Missing,
            ),
            ("Error", Some("testTimeoutFailure"), "test timed out after 100ms", Timeout),
        ] {
            let raised = Raised {
                class: class.to_owned(),
                code: code.map(str::to_owned),
                message: message.to_owned(),
                ..Raised::default()
            };
            assert_eq!(test_failure(Some(&raised), "/p").kind, kind, "{message}");
        }
    }
}
