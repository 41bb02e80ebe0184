//! Code that shows tests another face than everybody else, as a run of `tdd` refuses it, too: only what is new counts.

use std::collections::{BTreeMap, BTreeSet};

use super::desk::Desk;
use tdd_child::regular_file;
use tdd_core::attempt::CheckpointId;
use tdd_core::finding::{TestAware, TestAwareKind};
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::Checkpoints as _;
use tdd_core::trouble::Trouble;
use tdd_core::verdict::Reason;
use tdd_snapshot::checkpoints::watch::Look;
use tdd_source::{Language, TestAwareSign, new_test_aware};

/// A test file that is read.
const LARGEST_SOURCE: u64 = 2 << 20;

type Texts<'c> = Vec<(&'c str, &'c str)>;

/// The sources that look at tests and did not in this tree, each with what is wrong with it.
pub(super) fn since(desk: &Desk, good: &CheckpointId) -> Result<Vec<(RelPath, String)>, Trouble> {
    let mut checkpoints = desk.checkpoints(Look::Quick)?;
    let now = desk.state().tree.clone();
    let mut read: Vec<(RelPath, Language, Option<String>, Option<String>)> = Vec::new();
    for change in checkpoints.diff(good, &now)? {
        let Some(language) = Language::of(change.path.extension()) else { continue };
        if !is_code(desk, &change.path) {
            continue;
        }
        let mut text = |at| -> Result<Option<String>, Trouble> {
            let bytes = checkpoints.read(at, &change.path)?;
            Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
        };
        let (before, after) = (text(good)?, text(&now)?);
        read.push((change.path, language, before, after));
    }
    let mut by_language: BTreeMap<Language, (Texts<'_>, Texts<'_>)> = BTreeMap::new();
    for (path, language, before, after) in &read {
        let (was, is) = by_language.entry(*language).or_default();
        was.extend(before.as_deref().map(|text| (path.as_str(), text)));
        is.extend(after.as_deref().map(|text| (path.as_str(), text)));
    }
    let found = by_language.iter().flat_map(|(language, (before, after))| new(*language, before, after));
    let tests = claimed_tests(desk);
    let is_meant = |it: &TestAware, line: &str| it.kind == TestAwareKind::Asks && is_named(line, &tests);
    let found = found.filter(|(it, line)| !is_meant(it, line));
    Ok(found.map(|(it, _)| (it.path.clone(), Reason::TestAwareCode(it).to_string())).collect())
}

fn is_code(desk: &Desk, path: &RelPath) -> bool {
    match desk.rules.policy().classify(path) {
        FileClass::Source | FileClass::Mixed => !desk.rules.is_free(path),
        FileClass::Test | FileClass::Gate | FileClass::Lock | FileClass::ByProduct => false,
    }
}

/// A line that has another word beside its sign is no new one: of each sign there must be more than before.
fn new(language: Language, before: &[(&str, &str)], after: &[(&str, &str)]) -> Vec<(TestAware, String)> {
    let kind = |sign: TestAwareSign| match sign {
        TestAwareSign::UnderTest => Some(TestAwareKind::UnderTest),
        TestAwareSign::Shadow => Some(TestAwareKind::Shadow),
        TestAwareSign::Asks => Some(TestAwareKind::Asks),
        TestAwareSign::Looks | TestAwareSign::Ends => None,
    };
    let count = |sources: &[(&str, &str)], sign: TestAwareSign| {
        new_test_aware(language, &[], sources).iter().filter(|(_, other, _)| *other == sign).count()
    };
    let signs = new_test_aware(language, before, after).into_iter();
    let more = signs.filter(|(_, sign, _)| count(after, *sign) > count(before, *sign));
    more.filter_map(|(path, sign, line)| {
        Some((TestAware { path: RelPath::new(&path)?, kind: kind(sign)? }, line))
    })
    .collect()
}

/// What the files of the claimed tests say.
fn claimed_tests(desk: &Desk) -> Vec<String> {
    let state = desk.state();
    let files: BTreeSet<RelPath> =
        state.claims.iter().filter_map(|claim| state.test_file(&claim.test_id)).collect();
    let read =
        |file: &RelPath| regular_file::head(&desk.place.repository.join(file.as_str()), LARGEST_SOURCE);
    files.iter().map(|file| String::from_utf8_lossy(&read(file).unwrap_or_default()).into_owned()).collect()
}

/// Whether a test is about the variable that this line asks for: it names it.
fn is_named(line: &str, tests: &[String]) -> bool {
    let mut words = line.split(|c: char| !c.is_ascii_uppercase() && c != '_').filter(|word| word.len() >= 6);
    words.any(|word| tests.iter().any(|test| test.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Language::{Python, Rust};

    #[test]
    fn only_a_new_look_at_tests_counts() {
        let faces = |language, before: &str, after: &str| {
            new(language, &[("a", before)], &[("a", after)])
                .iter()
                .map(|(it, _)| it.kind.clone())
                .collect::<Vec<_>>()
        };
        let looks = "fn f() -> u8 { if cfg!(test) { 1 } else { 2 } }";
        assert_eq!(faces(Rust, "fn f() -> u8 { 2 }", looks), [TestAwareKind::UnderTest]);
        assert_eq!(faces(Rust, looks, &looks.replace("2 }", "3 }")), []);
        assert_eq!(faces(Rust, "", "macro_rules! assert_eq { ($($t:tt)*) => {} }"), [TestAwareKind::Shadow]);
        assert_eq!(faces(Rust, "", "macro_rules! same { ($($t:tt)*) => {} }"), []);
        let asks = "import os\nX = 'PYTEST_CURRENT_TEST' in os.environ\n";
        assert_eq!(faces(Python, "", asks), [TestAwareKind::Asks]);
        let loaded = "import sys\nX = 'test_shop' in sys.modules\n";
        assert_eq!(faces(Python, "", loaded), [TestAwareKind::Asks]);
        assert_eq!(faces(Python, "", &loaded.replace("test_shop", "shop")), []);
        let tests = |text: &str| [text.to_owned()];
        let line = "X = 'PYTEST_CURRENT_TEST' in os.environ";
        assert!(is_named(line, &tests("setenv('PYTEST_CURRENT_TEST', 'x')")) && !is_named(line, &tests("X")));
        assert_eq!(faces(Python, "", "import unittest\n"), [], "an import alone is what settings do");
    }
}
