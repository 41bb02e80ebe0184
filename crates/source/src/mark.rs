//! What a mark that skips a test means: `@pytest.mark.xfail`, `@unittest.skipIf(…)`, `.skip`, `t.Skip(…)`.
//!
//! `#[ignore]` is none here: a project may run what is ignored, and its command alone tells.

use std::collections::BTreeSet;

use tdd_core::classify::Mark;

use super::tree::{Tree, is_name};
use super::{Declared, Language};

/// Names by which tests are skipped, of pytest, unittest, Go and the runners of JavaScript. What a helper of the project's own
/// does under another name is not seen.
const SKIPS: &[&str] = &[
    "skip",
    "skipif",
    "skipIf",
    "skipUnless",
    "skipTest",
    "SkipTest",
    "importorskip",
    "xfail",
    "Skip",
    "Skipf",
    "SkipNow",
    "todo",
    "runIf",
    "xit",
    "xtest",
    "xdescribe",
];

/// Whether a name in the text of a test is one by which tests are skipped or expected to fail.
pub(super) fn says_skip(tree: &Tree<'_>, test: &Declared) -> bool {
    let of_rust = tree.language == Language::Rust;
    let is_one = |name: &str| (of_rust && name == "ignore") || (!of_rust && SKIPS.contains(&name));
    let own = (test.first..tree.all().end).take_while(|at| tree.node(*at).begin < test.whole.end);
    own.filter(|at| is_name(tree.kind(*at))).any(|at| is_one(tree.text(at)))
}

/// Reads a mark as it is written. A condition is not worked out; its words are told.
pub fn mark(text: &str) -> Mark {
    let (name, arguments) = text.split_once('(').map_or((text, ""), |(name, rest)| (name, rest.trim_start()));
    let last = name.rsplit(['.', '@']).next().unwrap_or_default().trim();
    match last {
        "skip" | "todo" | "xit" | "xtest" | "fails" | "failing" | "expectedFailure" | "Skip" | "Skipf"
        | "SkipNow" => Mark::Always(text.to_owned()),
        "xfail" if !has_condition(arguments) => Mark::Always(text.to_owned()),
        "xfail" | "skipif" | "skipIf" | "skipUnless" => Mark::Under(text.to_owned(), words(arguments)),
        _ => Mark::None,
    }
}

/// Whether the first argument is one by place or by the name of a condition.
fn has_condition(arguments: &str) -> bool {
    let first = arguments.split(',').next().unwrap_or_default().trim_end_matches(')').trim();
    match first.split_once('=') {
        Some((name, value)) if !value.starts_with('=') => name.trim() == "condition",
        Some(_) | None => !first.is_empty(),
    }
}

fn words(text: &str) -> BTreeSet<String> {
    let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_told_from_a_mark_that_always_holds() {
        for text in [
            "@pytest.mark.skip",
            "@pytest.mark.skip(reason=\"x\")",
            "@pytest.mark.xfail",
            "@pytest.mark.xfail(reason=\"a, b\", strict=True)",
            "@pytest.mark.xfail()",
            "@unittest.expectedFailure",
            ".todo",
            ".fails",
            "t.Skip(\"later\")",
        ] {
            assert_eq!(mark(text), Mark::Always(text.to_owned()), "{text}");
        }
        for (text, word) in [
            ("@pytest.mark.skipif(hasattr(calc, \"add\"), reason=\"x\")", "add"),
            ("@pytest.mark.xfail(sys.platform == \"win32\")", "platform"),
            ("@pytest.mark.xfail(condition=calc.add, reason=\"x\")", "add"),
            ("@unittest.skipUnless(os.name == \"nt\", \"x\")", "name"),
        ] {
            let Mark::Under(_, words) = mark(text) else { panic!("{text}") };
            assert!(words.contains(word), "{text}: {words:?}");
        }
        for text in ["#[ignore]", "@pytest.mark.slow", ".runIf", ""] {
            assert_eq!(mark(text), Mark::None, "{text}");
        }
    }
}
