//! Files that did not load, where the runner tells nothing of them but a failure.
//!
//! mocha, rspec, deno and compilers end without a report if one file does not load, and with it goes what
//! all others would have told. So a failed run without a word of some file is made again: each such file
//! alone, and of a whole run the files that are judged alone and the rest without them. A file that alone
//! leaves nothing did not load. What the failed run speaks of is looked at first: all that it does not speak of is tried
//! in one call, and only where that leaves nothing either each by itself.

use super::{Format, Shell, tap};
use crate::runner::place::Place;
use crate::runner::scope::Scope;
use crate::runner::verification::{Measured, Verification};
use crate::test_report::tap::load_failure;
use tdd_core::path::RelPath;
use tdd_core::ports::Observer;
use tdd_core::terminal_noise;
use tdd_core::test::{Exit, LoadFailure, Outcome};
use tdd_core::trouble::Trouble;

/// What is to be run in further calls.
type Again = Vec<Option<Vec<RelPath>>>;

impl Shell {
    /// Whether a whole run told nothing of what lies behind one file: tape ends at the first exception,
    /// before its plan, and what is compiled together leaves no report if one file does not compile.
    pub(super) fn is_cut_short(&self, whole: &Measured, scope: &Scope) -> bool {
        if self.select.is_none() || scope.told_apart.is_empty() || !matches!(whole.exit, Exit::Code(1..)) {
            return false;
        }
        match self.format {
            Format::Tap(_) => whole.unreadable.is_some(),
            Format::Junit(_) => {
                let tells_tests = whole.report.as_ref().is_some_and(|report| !report.tests.is_empty());
                self.has_word("{stem}") && !tells_tests
            }
            Format::ExitCode => false,
        }
    }

    /// The files that are judged each alone, and all others in a copy without them.
    pub(super) async fn in_parts(
        &mut self,
        (place, scope): (&Place, &Scope),
        verification: &mut Verification,
        observer: Observer<'_>,
    ) -> Result<Measured, Trouble> {
        let without = |files: &mut dyn Iterator<Item = &RelPath>| {
            let mut rest = scope.clone();
            rest.leave_out.extend(files.cloned());
            rest
        };
        let rest = without(&mut scope.told_apart.iter());
        let mut joined = self.run_once(None, (place, &rest), verification, observer).await?;
        for file in &scope.told_apart {
            // Only where files are compiled together does it matter that the others are there.
            let others = &mut scope.told_apart.iter().filter(|other| *other != file);
            let scope = if self.has_word("{stem}") { without(others) } else { scope.clone() };
            let chosen = std::slice::from_ref(file);
            let mut alone = self.run_once(Some(chosen), (place, &scope), verification, observer).await?;
            if matches!(self.format, Format::Junit(_)) && !untold(chosen, &alone).is_empty() {
                alone = not_loaded(alone, file, verification);
            }
            joined = tap::joined(joined, alone);
        }
        Ok(joined)
    }

    /// What a call's result is worth, and what to run again for it. `files` are those that were chosen.
    pub(super) fn sifted(
        &self,
        measured: Measured,
        files: Option<&[RelPath]>,
        scope: &Scope,
        verification: &Verification,
    ) -> (Option<Measured>, Again) {
        if !matches!(self.format, Format::Junit(_)) || self.select.is_none() {
            return (Some(measured), Vec::new());
        }
        let alone = |files: &[RelPath]| files.iter().map(|file| Some(vec![file.clone()])).collect::<Again>();
        // An exit code that its report does not explain must not be lost, so such a run is made again.
        let is_red = |outcome: &Outcome| matches!(outcome, Outcome::Failed(_));
        let is_explained = measured.report.as_ref().is_some_and(|report| {
            !report.load_failures.is_empty() || report.tests.iter().any(|test| is_red(&test.outcome))
        });
        let judged = files.unwrap_or(&scope.told_apart);
        let lost = untold(judged, &measured);
        let said = terminal_noise::clean_owned(verification.last_words(0).into_bytes());
        let named = |files: &[RelPath]| -> Vec<RelPath> {
            files.iter().filter(|file| is_named_in(&said, file)).cloned().collect()
        };
        match (files, lost.as_slice()) {
            (None, []) if measured.report.is_none() && matches!(measured.exit, Exit::Code(1..)) => {
                let known: Vec<RelPath> = self.known.iter().cloned().collect();
                // What is compiled together does not compile without it either.
                match parted(&known, &named(&known))
                    .filter(|_| !self.is_for_each() && !self.has_word("{stem}"))
                {
                    Some(again) => (None, again),
                    None => (Some(measured), Vec::new()),
                }
            }
            (_, []) => (Some(measured), Vec::new()),
            (Some([file]), _) => (Some(not_loaded(measured, file, verification)), Vec::new()),
            _ if is_explained => (Some(measured), alone(&lost)),
            (Some(files), _) => (None, parted(files, &named(files)).unwrap_or_else(|| alone(files))),
            (None, _) => {
                let is_rest = |file: &&RelPath| !scope.told_apart.contains(file);
                let rest: Vec<RelPath> = self.known.iter().filter(is_rest).cloned().collect();
                let mut again = if self.is_for_each() { alone(&rest) } else { vec![Some(rest)] };
                again.retain(|files| files.as_ref().is_some_and(|files| !files.is_empty()));
                again.extend(alone(&scope.told_apart));
                (None, again)
            }
        }
    }
}

/// Those that a failed run speaks of, each alone, and all others in one call; `None` if it speaks of none.
fn parted(files: &[RelPath], named: &[RelPath]) -> Option<Again> {
    let others: Vec<RelPath> = files.iter().filter(|file| !named.contains(file)).cloned().collect();
    let alone = named.iter().map(|file| Some(vec![file.clone()]));
    let others = Some(others).filter(|others| !others.is_empty()).map(Some);
    (!named.is_empty()).then(|| others.into_iter().chain(alone).collect())
}

/// Whether a text says the path of a file as a whole.
fn is_named_in(said: &str, file: &RelPath) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    said.match_indices(file.as_str()).any(|(at, path)| {
        let (before, after) = (said[..at].chars().next_back(), said[at + path.len()..].chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// A run of one file that failed and told nothing of it.
fn not_loaded(measured: Measured, file: &RelPath, verification: &Verification) -> Measured {
    let failure = load_failure(&verification.last_words(0));
    let mut report = measured.report.unwrap_or_default();
    report.complete = true;
    report.load_failures.push(LoadFailure::new(file.clone(), failure));
    Measured { report: Some(report), unreadable: None, ..measured }
}

/// The chosen files of which a failed run told nothing; all of them if it left no report.
fn untold(files: &[RelPath], measured: &Measured) -> Vec<RelPath> {
    if !matches!(measured.exit, Exit::Code(1..)) {
        return Vec::new();
    }
    let Some(report) = &measured.report else { return files.to_vec() };
    let is_told = |file: &&RelPath| {
        report.tests.iter().any(|test| test.file.as_ref().is_none_or(|of| of == *file))
            || report.load_failures.iter().any(|load| load.file == **file)
    };
    files.iter().filter(|file| !is_told(file)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tdd_core::test::FailureKind;

    fn files(names: &[&str]) -> Vec<RelPath> {
        names.iter().filter_map(|name| RelPath::new(name)).collect()
    }

    #[test]
    fn ac_tdd_8_117_files_that_a_failed_run_names_are_run_alone_and_all_others_together() {
        let all = files(&["a_test.ts", "b/a_test.ts", "c_test.ts"]);
        let said = "TS2304 [ERROR]: …\n    at file:///p/b/a_test.ts:9:59\n";
        let named: Vec<RelPath> = all.iter().filter(|file| is_named_in(said, file)).cloned().collect();
        assert_eq!(named, files(&["a_test.ts", "b/a_test.ts"]), "a path may be told from any folder");
        let again = parted(&all, &named).unwrap();
        let want = [&["c_test.ts"] as &[_], &["a_test.ts"], &["b/a_test.ts"]].map(|names| Some(files(names)));
        assert_eq!(again, want);
        assert_eq!(parted(&all[..1], &all[..1]).unwrap(), [Some(files(&["a_test.ts"]))]);
        assert_eq!(parted(&all, &[]), None);
        for said in ["xc_test.ts", "c_test.tsx", "c-c_test.ts", ""] {
            assert!(!is_named_in(said, &all[2]), "{said}");
        }
    }

    #[test]
    fn ac_tdd_8_117_colours_hide_nothing_of_what_a_compiler_says() {
        let said = "\u{1b}[0m\u{1b}[32mCheck\u{1b}[0m a_test.ts\n\u{1b}[0m\u{1b}[1mTS2554 \u{1b}[0m[ERROR]: Expected 1 arguments, but got 2.\n";
        assert_eq!(load_failure(said).kind, FailureKind::Missing);
    }
}
