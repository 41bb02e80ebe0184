//! What keeps the tests of a file from running.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{Behind, Failure, FailureKind, LoadFailure, TestReport};
use crate::path::RelPath;

impl TestReport {
    /// The failure that keeps this file's tests from running, the project's own included.
    ///
    /// A file that needs a helper of another test file lacks what that one lacks: it is missing if both take part (as
    /// `takes_part` says of the other) and the other waits for the code alone.
    pub fn load_failure(
        &self,
        file: &RelPath,
        takes_part: &dyn Fn(&RelPath) -> bool,
    ) -> Option<Cow<'_, Failure>> {
        let own = self.load_failures.iter().find(|load| load.file == *file);
        own.map(|load| load.lacking(takes_part)).or_else(|| self.project_broken.as_ref().map(Cow::Borrowed))
    }

    /// Whether tests of others wait for what this file lacks, too: a helper that they share.
    pub fn keeps_others_back(&self, file: &RelPath, owned: &BTreeSet<&RelPath>) -> bool {
        let own = self.load_failure(file, &|_| true);
        let Some(own) = own.filter(|own| own.kind == FailureKind::Missing) else { return false };
        self.load_failures.iter().filter(|load| owned.contains(&load.file)).any(|load| {
            let is_behind =
                load.behind.as_ref().is_some_and(|behind| behind.needs.iter().any(|load| load.file == *file));
            let lacks = |name: &String| load.failure.all_absent().any(|other| other == name);
            is_behind || (load.failure.kind == FailureKind::Missing && own.all_absent().any(lacks))
        })
    }
}

impl LoadFailure {
    fn lacking(&self, takes_part: &dyn Fn(&RelPath) -> bool) -> Cow<'_, Failure> {
        let Some(Behind { needs, absent }) = &self.behind else { return Cow::Borrowed(&self.failure) };
        let mut absent = absent.clone();
        for other in needs {
            if !takes_part(&other.file) || other.failure.kind != FailureKind::Missing {
                return Cow::Borrowed(&self.failure);
            }
            absent.extend(other.failure.all_absent().cloned());
        }
        let mut names = absent.into_iter();
        Cow::Owned(Failure {
            kind: FailureKind::Missing,
            message: self.failure.message.clone(),
            absent: names.next(),
            absent_too: names.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::new(text).unwrap()
    }

    fn failure(kind: FailureKind, absent: &[&str]) -> Failure {
        let mut names = absent.iter().map(|name| (*name).to_owned());
        Failure { kind, message: "said".into(), absent: names.next(), absent_too: names.collect() }
    }

    fn behind(file: &str, needs: &[LoadFailure], absent: &[&str]) -> LoadFailure {
        let absent = absent.iter().map(|name| (*name).to_owned()).collect();
        let load = LoadFailure::new(path(file), failure(FailureKind::Load, &[]));
        LoadFailure { behind: Some(Behind { needs: needs.to_vec(), absent }), ..load }
    }

    fn report(loads: Vec<LoadFailure>) -> TestReport {
        TestReport { load_failures: loads, complete: true, ..TestReport::default() }
    }

    #[test]
    fn who_needs_a_helper_lacks_what_the_helper_lacks() {
        let helper = LoadFailure::new(path("helpers_test.go"), failure(FailureKind::Missing, &["Double"]));
        let waits = report(vec![behind("a_test.go", from_ref(&helper), &["check", "Halve"])]);
        let found = waits.load_failure(&path("a_test.go"), &|_| true).unwrap();
        assert_eq!(*found, failure(FailureKind::Missing, &["check", "Halve", "Double"]));
        let first = LoadFailure::new(path("a_test.go"), failure(FailureKind::Missing, &["check", "Halve"]));
        let chain = report(vec![behind("b_test.go", &[first, helper], &["start"])]);
        let found = chain.load_failure(&path("b_test.go"), &|_| true).unwrap();
        assert_eq!(*found, failure(FailureKind::Missing, &["start", "check", "Halve", "Double"]));
        // The helper that the other one needs does not take part.
        let without = |file: &RelPath| file.as_str() != "helpers_test.go";
        assert_eq!(chain.load_failure(&path("b_test.go"), &without).unwrap().kind, FailureKind::Load);
    }

    #[test]
    fn a_helper_that_takes_no_part_or_can_never_load_mends_nothing() {
        let of = |kind| LoadFailure::new(path("helpers_test.go"), failure(kind, &["Double"]));
        let kind = |of_helper, takes_part: &dyn Fn(&RelPath) -> bool| {
            let report = report(vec![behind("a_test.go", &[of(of_helper)], &["check"])]);
            report.load_failure(&path("a_test.go"), takes_part).unwrap().kind
        };
        assert_eq!(kind(FailureKind::Missing, &|_| true), FailureKind::Missing);
        assert_eq!(kind(FailureKind::Missing, &|_| false), FailureKind::Load);
        assert_eq!(kind(FailureKind::Load, &|_| true), FailureKind::Load);
    }

    #[test]
    fn a_shared_helper_is_known_by_those_who_lack_the_same() {
        let (helper, test) = (path("test/helpers.js"), path("test/a.test.js"));
        let load = |file: &RelPath, kind, absent| LoadFailure::new(file.clone(), failure(kind, &[absent]));
        for (kind, lacks, test_lacks, want) in [
            (FailureKind::Missing, "double", "double", true),
            (FailureKind::Missing, "double", "halve", false),
            (FailureKind::Load, "double", "double", false),
        ] {
            let report =
                report(vec![load(&helper, kind, lacks), load(&test, FailureKind::Missing, test_lacks)]);
            assert_eq!(report.keeps_others_back(&helper, &BTreeSet::from([&test])), want, "{lacks}");
            assert!(!report.keeps_others_back(&helper, &BTreeSet::new()));
        }
    }
}
