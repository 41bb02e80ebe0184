//! Tests that RED told of and a later run does not.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{CriterionRed, RedTest, Seen};
use crate::test::{TestId, TestResult};

/// What is expected and not among a criterion's own results.
pub(super) fn vanished(red: &CriterionRed, results: &[&TestResult]) -> Vec<TestId> {
    let made = results.iter().flat_map(|test| test.id.made_from());
    let seen: BTreeSet<&str> = results.iter().map(|test| test.id.0.as_str()).chain(made).collect();
    let absent = |test: &&RedTest| !seen.contains(test.id.0.as_str());
    let reported = red.tests.iter().filter(|test| test.seen == Seen::Reported).filter(absent);
    let mut gone = without_successors(red, reported.map(|test| &test.id).collect(), results);
    // Names read from a source may differ from the runner's (parameters, computed titles), so of
    // them only the number has to be reached.
    let declared: Vec<&RedTest> = red.tests.iter().filter(|test| test.seen == Seen::Declared).collect();
    if results.len() < red.tests.iter().filter(|test| test.seen != Seen::FileOnly).count() {
        gone.extend(declared.into_iter().filter(absent).map(|test| test.id.clone()));
    }
    gone
}

/// Those of `gone` in whose place nothing new stands: a suite or a hook that failed by itself was told instead of the
/// tests in it, and rows that are named by what the code gives have other names now, and are as many.
fn without_successors(red: &CriterionRed, gone: Vec<&TestId>, results: &[&TestResult]) -> Vec<TestId> {
    let known: BTreeSet<&TestId> = red.tests.iter().map(|test| &test.id).collect();
    let new: Vec<&TestId> = results.iter().map(|test| &test.id).filter(|id| !known.contains(id)).collect();
    let mut rows: BTreeMap<&str, usize> = BTreeMap::new();
    for table in new.iter().filter_map(|id| table(id)) {
        *rows.entry(table).or_default() += 1;
    }
    let holds = |gone: &TestId| results.iter().any(|test| stands_for(gone, &test.id));
    let mut left: Vec<TestId> = gone.into_iter().filter(|id| !holds(id)).cloned().collect();
    let mut wanted: BTreeMap<&str, usize> = BTreeMap::new();
    let gone = left.clone();
    for table in gone.iter().filter_map(table) {
        *wanted.entry(table).or_default() += 1;
    }
    let is_renamed = |id: &TestId| {
        table(id).is_some_and(|table| rows.get(table).copied().unwrap_or_default() >= wanted[table])
    };
    left.retain(|id| !is_renamed(id));
    left
}

/// Whether `gone` is a suite that this test stands in, or a hook of one: `two "before all" hook for "adds"`.
fn stands_for(gone: &TestId, test: &TestId) -> bool {
    let hook =
        [" \"before ", " \"after ", "::\"before ", "::\"after "].iter().find_map(|word| gone.0.find(word));
    let (suite, joints) = match hook.filter(|_| gone.0.contains("\" hook")) {
        // Titles are joined by blanks alone there.
        Some(at) => (&gone.0[..at], &[" > ", " ", "::"][..]),
        None => (gone.0.as_str(), &[" > "][..]),
    };
    let inside = test.0.strip_prefix(suite).filter(|_| !suite.is_empty());
    inside.is_some_and(|inside| joints.iter().any(|joint| inside.starts_with(joint)))
}

/// What several tests have in common that differ in the last part of their names.
fn table(id: &TestId) -> Option<&str> {
    let (file, rest) = (id.file().len(), &id.0[id.file().len()..]);
    let extension = id.file().rsplit_once('.').map_or("", |(_, extension)| extension);
    let at = match extension {
        "py" => rest.find('[').filter(|_| rest.ends_with(']')),
        "go" => rest.rfind('/'),
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => rest.rfind(" > ").or(Some(0)),
        _ => None,
    };
    at.map(|at| &id.0[..file + at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::RedKind;
    use crate::path::RelPath;
    use crate::test::Outcome;

    fn gone(red: &[&str], now: &[&str]) -> String {
        let test = |id: &&str| RedTest {
            id: TestId((*id).to_owned()),
            kind: RedKind::Missing,
            seen: Seen::Reported,
            message: String::new(),
            why: None,
        };
        let id = crate::criterion::CriterionId::new("STE-1", 1).unwrap();
        let red = CriterionRed {
            id,
            files: Vec::new(),
            tests: red.iter().map(test).collect(),
            may_skip: Vec::new(),
        };
        let results: Vec<TestResult> = now
            .iter()
            .map(|id| TestResult {
                id: TestId((*id).to_owned()),
                file: RelPath::new("a"),
                outcome: Outcome::Passed,
                duration_ms: 0,
            })
            .collect();
        let ids: Vec<String> =
            vanished(&red, &results.iter().collect::<Vec<_>>()).into_iter().map(|id| id.0).collect();
        ids.join(" | ")
    }

    #[test]
    fn ac_tdd_8_136_a_suite_that_failed_by_itself_is_followed_by_the_tests_in_it() {
        for (red, now, want) in [
            // node: a hook, or what the suite itself asks for.
            (&["a.test.js::two"][..], &["a.test.js::two > is 2"][..], ""),
            (&["a.test.js::two", "a.test.js::two > is 2"], &["a.test.js::two > is 2"], ""),
            (&["a.test.js::two"], &["a.test.js::twofold > is 2"], "a.test.js::two"),
            (&["a.test.js::two"], &[], "a.test.js::two"),
            (&["a.test.js::two", "a.test.js::two is 2"], &["a.test.js::two is 2"], "a.test.js::two"),
            // mocha.
            (&["two \"before all\" hook for \"is 2\""], &["two is 2"], ""),
            (&["t.js::\"before all\" hook for \"is 2\""], &["t.js::is 2"], ""),
            (
                &["two \"before all\" hook for \"is 2\""],
                &["three is 2"],
                "two \"before all\" hook for \"is 2\"",
            ),
            // A test that is gone has none in it.
            (&["a.py::test_a", "a.py::test_b"], &["a.py::test_b"], "a.py::test_a"),
        ] {
            assert_eq!(gone(red, now), want, "{red:?} {now:?}");
        }
    }

    #[test]
    fn ac_tdd_8_136_rows_that_are_named_by_what_the_code_gives_may_have_other_names() {
        for (red, now, want) in [
            (
                &["a.py::test_up[one]", "a.py::test_up[two]"][..],
                &["a.py::test_up[ONE]", "a.py::test_up[TWO]"][..],
                "",
            ),
            (&["a_test.go::TestUp/one"], &["a_test.go::TestUp/ONE", "a_test.go::TestUp"], ""),
            (&["a.test.ts::up > one"], &["a.test.ts::up > ONE"], ""),
            (&["a.test.ts::one is up"], &["a.test.ts::ONE is up"], ""),
            (&["a.test.ts::one is up", "a.test.ts::two"], &["a.test.ts::two"], "a.test.ts::one is up"),
            // One row fewer is a row that is gone.
            (
                &["a.py::test_up[one]", "a.py::test_up[two]"],
                &["a.py::test_up[ONE]"],
                "a.py::test_up[one] | a.py::test_up[two]",
            ),
            (&["a.py::test_up[one]"], &["a.py::test_down[ONE]"], "a.py::test_up[one]"),
            (&["a.rs::up"], &["a.rs::UP"], "a.rs::up"),
        ] {
            assert_eq!(gone(red, now), want, "{red:?} {now:?}");
        }
    }
}
