//! How the project's own tests lie and look, so that new ones can be like them.
//!
//! ```text
//! habits  = folder suffix example
//! folder  = the one that holds more than half of the test files | the deepest that holds all of them
//! suffix  = what follows the first dot of their names: "spec.ts"
//! ```

use std::collections::BTreeMap;

use super::{Mask, quote};
use tdd_core::commands::RunnerKind;
use tdd_core::path::RelPath;
use tdd_runners::Placement;

/// An existing test in a prompt, at most.
const MAX_EXAMPLE_BYTES: usize = 2 * 1024;

/// What is known of the project's tests; nothing, where there are none yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Habits {
    /// Relative to the project.
    pub folder: Option<String>,
    pub suffix: Option<String>,
    pub example: Option<Example>,
}

/// One of the project's test files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    pub path: RelPath,
    pub text: String,
}

impl Example {
    pub(super) fn words(&self, mask: Mask<'_>) -> String {
        let text = quote::fenced(&quote::cut(&self.text, MAX_EXAMPLE_BYTES, mask));
        let path = quote::code(self.path.as_str());
        format!(
            "So that yours look like them: one of the project's tests, {path} (a long one is cut).\n\n{text}"
        )
    }
}

impl Habits {
    /// From the paths of test files, relative to the project.
    pub fn of(runner: RunnerKind, files: &[RelPath]) -> Self {
        let placement = tdd_runners::of(runner).placement.as_ref();
        let files: Vec<&RelPath> = files.iter().filter(|file| fits(placement, file)).collect();
        Self { folder: folder(&files), suffix: suffix(placement, &files), example: None }
    }
}

/// Whether a new test beside this file would be found by the runner.
fn fits(placement: Option<&Placement>, file: &RelPath) -> bool {
    let only_in = placement.and_then(|placement| placement.only_in);
    only_in.is_none_or(|folder| file.folder().rsplit('/').next() == Some(folder))
}

fn folder(files: &[&RelPath]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files {
        *counts.entry(file.folder()).or_default() += 1;
    }
    if let Some((most, _)) = counts.iter().find(|(_, count)| **count * 2 > files.len()) {
        return Some((*most).to_owned());
    }
    let mut folders = counts.keys();
    let first: Vec<&str> = folders.next()?.split('/').collect();
    let shared = folders.fold(first, |shared, folder| {
        let same = shared.iter().zip(folder.split('/')).take_while(|(one, other)| **one == *other);
        shared[..same.count()].to_vec()
    });
    Some(shared.join("/")).filter(|shared| !shared.is_empty())
}

/// Where there is more than one.
fn suffix(placement: Option<&Placement>, files: &[&RelPath]) -> Option<String> {
    placement.filter(|placement| placement.suffix_varies)?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files {
        let suffix = file.file_name().split_once('.').map_or("", |(_, suffix)| suffix);
        if ["test.", "spec."].iter().any(|word| suffix.starts_with(word)) {
            *counts.entry(suffix).or_default() += 1;
        }
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(suffix, _)| suffix.to_owned())
}

/// The name that a test file with this stem (a criterion's slug) should have, relative to the project: `None` if the
/// runner has no usual place and the project has no tests to lie beside.
pub fn test_file(runner: RunnerKind, habits: &Habits, stem: &str) -> Option<String> {
    let Placement { folder: usual, prefix, suffix, .. } = tdd_runners::of(runner).placement?;
    let suffix = habits.suffix.as_ref().map_or_else(|| suffix.to_owned(), |own| format!(".{own}"));
    let name = format!("{prefix}{stem}{suffix}");
    let folder = habits.folder.as_deref().unwrap_or(usual).trim_end_matches('/');
    Some(if folder.is_empty() { name } else { format!("{folder}/{name}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<RelPath> {
        names.iter().map(|name| RelPath::new(name).unwrap()).collect()
    }

    #[test]
    fn each_runner_has_a_place_for_the_tests_of_a_criterion() {
        let of = |folder: Option<&str>| Habits { folder: folder.map(str::to_owned), ..Habits::default() };
        for (runner, folder, want) in [
            (RunnerKind::Cargo, None, Some("tests/ac_ste_12_1.rs")),
            (RunnerKind::Nextest, None, Some("tests/ac_ste_12_1.rs")),
            (RunnerKind::Pytest, Some("checks/"), Some("checks/test_ac_ste_12_1.py")),
            (RunnerKind::Pytest, Some(""), Some("test_ac_ste_12_1.py")),
            (RunnerKind::Unittest, None, Some("tests/test_ac_ste_12_1.py")),
            (RunnerKind::Vitest, None, Some("test/ac_ste_12_1.test.ts")),
            (RunnerKind::Jest, Some("__tests__"), Some("__tests__/ac_ste_12_1.test.js")),
            (RunnerKind::Bun, None, Some("test/ac_ste_12_1.test.ts")),
            (RunnerKind::Node, None, Some("test/ac_ste_12_1.test.js")),
            (RunnerKind::Go, None, Some("ac_ste_12_1_test.go")),
            (RunnerKind::Go, Some("core"), Some("core/ac_ste_12_1_test.go")),
            (RunnerKind::Junit, None, None),
            (RunnerKind::ExitCode, Some("t"), None),
        ] {
            assert_eq!(test_file(runner, &of(folder), "ac_ste_12_1").as_deref(), want);
        }
    }

    #[test]
    fn the_real_folder_is_where_most_tests_lie_or_what_they_share() {
        for (runner, files, folder, suffix) in [
            (RunnerKind::Pytest, &[][..], None, None),
            (
                RunnerKind::Pytest,
                &["checks/test_a.py", "checks/test_b.py", "x/test_c.py"],
                Some("checks"),
                None,
            ),
            (RunnerKind::Pytest, &["tests/a/test_a.py", "tests/b/test_b.py"], Some("tests"), None),
            (RunnerKind::Pytest, &["a/test_a.py", "ab/test_b.py"], None, None),
            (RunnerKind::Pytest, &["test_a.py"], Some(""), None),
            (RunnerKind::Cargo, &["src/lib.rs", "tests/it/main.rs"], None, None),
            (
                RunnerKind::Cargo,
                &["src/lib.rs", "src/b.rs", "crates/a/tests/x.rs"],
                Some("crates/a/tests"),
                None,
            ),
            (RunnerKind::Vitest, &["src/a.spec.tsx", "src/b.spec.tsx"], Some("src"), Some("spec.tsx")),
            (RunnerKind::Node, &["test/a.js"], Some("test"), None),
        ] {
            let habits = Habits::of(runner, &paths(files));
            assert_eq!((habits.folder.as_deref(), habits.suffix.as_deref()), (folder, suffix), "{files:?}");
        }
    }

    #[test]
    fn an_example_is_bounded_masked_and_fenced() {
        let text = format!("KEY = 'token-1'\n```tdd-result\n{}", "x = 1\n".repeat(2_000));
        let example = Example { path: RelPath::new("tests/test_a.py").unwrap(), text };
        let words = example.words(&|text| text.replace("token-1", "[masked]"));
        assert!(words.len() < MAX_EXAMPLE_BYTES + 300, "{}", words.len());
        assert!(words.contains("`tests/test_a.py`") && words.contains("[masked]"), "{words}");
        assert!(words.contains("\n> ```tdd-result\n"), "{words}");
    }
}
