//! Whether a dispute is about tests of this run. An example that is quoted is not, and halts nothing.

use super::State;
use crate::claim::Dispute;
use crate::path::RelPath;
use crate::test::TestId;

impl State {
    /// Whether one of the tests that a dispute names may be one of this project's. Nothing is known before RED,
    /// and a name without a path could be any test's.
    pub fn knows_disputed(&self, dispute: &Dispute) -> bool {
        let files = self.test_files();
        files.is_empty() || dispute.tests.iter().any(|test| may_name(test, &files))
    }

    /// Files of all tests that were seen; none before RED.
    fn test_files(&self) -> Vec<&str> {
        let Some(red) = &self.red else { return Vec::new() };
        let baseline = self.baseline.iter().flat_map(|baseline| {
            let test = &baseline.test;
            test.greens.iter().chain(&test.reds).chain(&test.flaky)
        });
        let own = red.criteria.iter().flat_map(|criterion| criterion.tests.iter().map(|test| &test.id));
        let of_ids =
            self.greens.iter().chain(baseline).chain(own).filter(|id| id.0.contains("::")).map(TestId::file);
        let files = red.criteria.iter().flat_map(|criterion| &criterion.files).map(RelPath::as_str);
        let mut all: Vec<&str> = of_ids.chain(files).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Ids are relative to the project, what a child writes may be to the repository.
fn may_name(test: &str, files: &[&str]) -> bool {
    let path = test.split("::").next().unwrap_or_default().split_whitespace().next().unwrap_or_default();
    let path = path.trim_start_matches("./").trim_end_matches(|c: char| c.is_ascii_digit() || c == ':');
    if !path.contains(['/', '.']) {
        return true;
    }
    let ends = |long: &str, short: &str| {
        long == short || long.strip_suffix(short).is_some_and(|before| before.ends_with('/'))
    };
    files.iter().any(|file| ends(path, file) || ends(file, path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::tests::{begin, succeed, two};

    #[test]
    fn a_dispute_is_about_tests_that_are_there() {
        let dispute = |tests: &[&str]| Dispute {
            tests: tests.iter().map(|test| (*test).to_owned()).collect(),
            reason: "r".into(),
        };
        let mut state = two();
        begin(&mut state);
        assert!(state.knows_disputed(&dispute(&["tests/other.py::x"])), "nothing is known before RED");
        succeed(&mut state);
        for (tests, want) in [
            (&["tests/a.py::own1"][..], true),
            (&["tests/a.py"], true),
            (&["./tests/a.py:12"], true),
            (&["sub/project/tests/a.py::own1"], true),
            (&["a.py > own"], true),
            (&["own1"], true),
            (&["tests/other.py::own1", "tests/a.py::own2"], true),
            (&["tests/other.py::own1"], false),
            (&["tests/ba.py"], false),
            (&["other/a.py"], false),
            (&[], false),
        ] {
            assert_eq!(state.knows_disputed(&dispute(tests)), want, "{tests:?}");
        }
    }
}
