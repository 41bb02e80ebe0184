//! Which tests belong to which criterion (contract section 6).
//!
//! A test file is named with its criterion's id: punctuation is free, letters and digit groups
//! must match whole and in order, so `ac_ste_12_1`, `AC-STE-12.1` and `acSte12-01` all name
//! AC-STE-12.1, and `ac_ste_12_10` does not.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::criterion::CriterionId;
use crate::path::RelPath;
use crate::test::{TestId, TestReport, TestResult};

/// What belongs to one criterion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Owned {
    /// Files all of whose tests are this criterion's, less those that another one owns by id.
    pub files: Vec<RelPath>,
    /// Single tests in files that are not this criterion's as a whole.
    pub ids: Vec<TestId>,
    /// Those of these tests' files that do not load before this criterion is green: the other tests in them wait for it,
    /// too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_back: Vec<RelPath>,
    /// Those of these tests that stand inside sources and do not compile before this criterion is green: until then their
    /// target is built without them, because one of them keeps back all others of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncompiled: Vec<InlineTest>,
}

/// A test that stands inside a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InlineTest {
    pub id: TestId,
    pub file: RelPath,
    /// As its file declares it.
    pub name: String,
}

/// What takes no part in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Without {
    /// Test files, as if they were not there.
    #[serde(rename = "leave_out")]
    pub files: Vec<RelPath>,
    /// Tests that are cut out of sources.
    #[serde(rename = "cut", default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<InlineTest>,
}

impl Without {
    /// Test files alone.
    pub fn files(files: Vec<RelPath>) -> Self {
        Self { files, tests: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.tests.is_empty()
    }
}

/// Criterion to what belongs to it. A file or test has one owner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mapping {
    pub owned: BTreeMap<CriterionId, Owned>,
}

/// Whether `text` names this criterion.
pub fn names_criterion(text: &str, id: &CriterionId) -> bool {
    let wanted = groups(&id.to_string());
    let have = groups(text);
    (0..have.len()).any(|at| starts_with(&have[at..], &wanted))
}

/// Letters and digits in runs; a run of letters is cut where a lower-case letter meets a capital.
fn groups(text: &str) -> Vec<String> {
    let mut groups: Vec<String> = Vec::new();
    let mut last = ' ';
    for c in text.chars() {
        if !c.is_ascii_alphanumeric() {
            last = ' ';
            continue;
        }
        let goes_on = (last.is_ascii_digit() && c.is_ascii_digit())
            || (last.is_ascii_alphabetic()
                && c.is_ascii_alphabetic()
                && !(last.is_ascii_lowercase() && c.is_ascii_uppercase()));
        if let (true, Some(group)) = (goes_on, groups.last_mut()) {
            group.push(c.to_ascii_lowercase());
        } else {
            groups.push(c.to_ascii_lowercase().to_string());
        }
        last = c;
    }
    groups
}

fn starts_with(have: &[String], wanted: &[String]) -> bool {
    have.len() >= wanted.len() && have.iter().zip(wanted).all(|(a, b)| value(a) == value(b))
}

/// A number without the zeros before it; letters have none.
fn value(group: &str) -> &str {
    group.trim_start_matches('0')
}

/// The one criterion that a path names; `None` if it names none or several.
fn named_by<'a>(path: &RelPath, criteria: &'a [CriterionId]) -> Option<&'a CriterionId> {
    let mut naming = criteria.iter().filter(|id| names_criterion(path.as_str(), id));
    let first = naming.next()?;
    naming.next().is_none().then_some(first)
}

impl Mapping {
    /// Assigns candidates: by file name first, then by the block's `tests:` map, which may assign
    /// what is left and never adds. `project` is the project's folder in the repository: ids and
    /// paths in a block are relative to it.
    pub fn assign(
        criteria: &[CriterionId],
        candidates: &[RelPath],
        tests: &BTreeMap<CriterionId, Vec<String>>,
        project: &str,
    ) -> Self {
        let mut owned: BTreeMap<CriterionId, Owned> = BTreeMap::new();
        let mut left: BTreeSet<&RelPath> = BTreeSet::new();
        for file in candidates {
            match named_by(file, criteria) {
                Some(id) => owned.entry(id.clone()).or_default().files.push(file.clone()),
                None => {
                    left.insert(file);
                }
            }
        }
        let mut taken: BTreeSet<TestId> = BTreeSet::new();
        for (id, entries) in tests.iter().filter(|(id, _)| criteria.contains(id)) {
            for entry in entries {
                let (path, name) =
                    entry.split_once("::").map_or((entry.as_str(), None), |(p, n)| (p, Some(n)));
                let Some(file) = in_repository(path, project, &left) else { continue };
                let own = owned.entry(id.clone()).or_default();
                match name {
                    None => {
                        left.remove(&file);
                        own.files.push(file);
                    }
                    Some(name) => {
                        let test = TestId(format!("{}::{name}", in_project(&file, project)));
                        if taken.insert(test.clone()) {
                            own.ids.push(test);
                        }
                    }
                }
            }
        }
        Self { owned }
    }

    /// Takes in what another mapping owns beside. A file or test has one owner: who has it keeps it.
    pub fn add(&mut self, other: Self) {
        let files: BTreeSet<RelPath> = self.owned.values().flat_map(|own| own.files.clone()).collect();
        let ids: BTreeSet<TestId> = self.owned.values().flat_map(|own| own.ids.clone()).collect();
        for (id, new) in other.owned {
            let own = self.owned.entry(id).or_default();
            own.files.extend(new.files.into_iter().filter(|file| !files.contains(file)));
            own.ids.extend(new.ids.into_iter().filter(|test| !ids.contains(test)));
        }
    }

    pub fn of(&self, id: &CriterionId) -> Option<&Owned> {
        self.owned.get(id)
    }

    /// Files that must not take part while these criteria are not reached: all whose owners are
    /// among them.
    pub fn left_out(&self, unreached: &[CriterionId]) -> Vec<RelPath> {
        let owned = unreached.iter().filter_map(|id| self.owned.get(id));
        let files: BTreeSet<&RelPath> =
            owned.flat_map(|owned| owned.files.iter().chain(&owned.held_back)).collect();
        files.into_iter().cloned().collect()
    }

    /// All that takes no part while these criteria are not reached.
    pub fn without(&self, unreached: &[CriterionId]) -> Without {
        let owned = unreached.iter().filter_map(|id| self.owned.get(id));
        let tests = owned.flat_map(|owned| &owned.uncompiled).cloned().collect();
        Without { files: self.left_out(unreached), tests }
    }

    /// All tests that do not compile before their criteria are green.
    pub fn uncompiled(&self) -> Vec<InlineTest> {
        self.owned.values().flat_map(|owned| &owned.uncompiled).cloned().collect()
    }

    /// All files that do not load before some criterion is green, and hold tests of others.
    pub fn held_back(&self) -> BTreeSet<&RelPath> {
        self.owned.values().flat_map(|owned| &owned.held_back).collect()
    }

    /// Whether a file takes part when work for `id` is judged, of criteria that are worked on in this order: files of
    /// later ones do not.
    pub fn is_reached_with(&self, file: &RelPath, id: &CriterionId, order: &[CriterionId]) -> bool {
        let at = |id: &CriterionId| order.iter().position(|other| other == id);
        let mut owners = self
            .owned
            .iter()
            .filter(|(_, owned)| owned.files.contains(file) || owned.held_back.contains(file))
            .peekable();
        owners.peek().is_none()
            || owners.any(|(owner, _)| at(owner).is_some_and(|owner| Some(owner) <= at(id)))
    }

    /// The results in `report` that are this criterion's.
    pub fn results<'a>(&'a self, id: &CriterionId, report: &'a TestReport) -> Vec<&'a TestResult> {
        let Some(owned) = self.owned.get(id) else { return Vec::new() };
        let named = |ids: &'a [TestId]| ids.iter().map(|id| id.0.as_str());
        let own: BTreeSet<&str> = named(&owned.ids).collect();
        let others = self.owned.iter().filter(|(other, _)| *other != id);
        let of_others: BTreeSet<&str> = others.flat_map(|(_, owned)| named(&owned.ids)).collect();
        // Who names a test means all its namesakes.
        let is_named =
            |ids: &BTreeSet<&str>, id: &TestId| ids.contains(id.0.as_str()) || ids.contains(id.shared());
        let is_among = |ids: &BTreeSet<&str>, id: &TestId| {
            is_named(ids, id) || id.made_from().any(|function| ids.contains(function))
        };
        // Of a function that one criterion has and one of whose cases another one names, the case is the other's.
        let is_own = |test: &&TestResult| {
            (is_named(&own, &test.id) || is_among(&own, &test.id) && !is_named(&of_others, &test.id))
                || (test.file.as_ref().is_some_and(|file| owned.files.contains(file))
                    && !is_among(&of_others, &test.id))
        };
        report.tests.iter().filter(is_own).collect()
    }
}

/// The candidate that a path in a block means: relative to the project, or to the repository.
fn in_repository(path: &str, project: &str, left: &BTreeSet<&RelPath>) -> Option<RelPath> {
    let joined = RelPath::new(format!("{project}/{path}").trim_start_matches('/'));
    [joined, RelPath::new(path)].into_iter().flatten().find(|path| left.contains(path))
}

/// A path as ids spell it: relative to the project.
pub fn in_project<'a>(path: &'a RelPath, project: &str) -> &'a str {
    let text = path.as_str();
    if project.is_empty() {
        return text;
    }
    text.strip_prefix(project).and_then(|rest| rest.strip_prefix('/')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::Outcome;

    fn path(text: &str) -> RelPath {
        RelPath::new(text).unwrap()
    }

    fn ids() -> Vec<CriterionId> {
        ["AC-STE-12.1", "AC-STE-12.2", "AC-STE-12.10"]
            .iter()
            .filter_map(|id| CriterionId::parse(id))
            .collect()
    }

    #[test]
    fn groups_match_whole_and_in_order() {
        let [one, two, ten] = <[CriterionId; 3]>::try_from(ids()).unwrap();
        for (file, want) in [
            ("tests/ac_ste_12_1.rs", Some(&one)),
            ("tests/test_ac_ste_12_01.py", Some(&one)),
            ("tests/AC-STE-12.2.test.js", Some(&two)),
            ("tests/acSte12_2.test.js", Some(&two)),
            ("tests/ac_ste_12_10.rs", Some(&ten)),
            ("tests/test_ac_ste_12_1b.py", Some(&one)),
            ("tests/mac_ste_12_1.rs", None),
            ("tests/ac_stem_12_1.rs", None),
            ("tests/ac_ste_112_1.rs", None),
            ("tests/ac_ste_12_1_and_ac_ste_12_2.rs", None),
            ("tests/ste_12_1.rs", None),
        ] {
            assert_eq!(named_by(&path(file), &ids()), want, "{file}");
        }
    }

    #[test]
    fn a_name_is_cut_at_marks_at_digits_and_at_capitals() {
        for (text, want) in [
            ("acSte12_1", &["ac", "ste", "12", "1"] as &[_]),
            ("AC-STE-12.1", &["ac", "ste", "12", "1"]),
            ("ABc1d22", &["abc", "1", "d", "22"]),
            ("a-b__c", &["a", "b", "c"]),
            ("a\u{e9}b", &["a", "b"]),
            ("--", &[]),
            ("", &[]),
        ] {
            assert_eq!(groups(text), want, "{text:?}");
        }
        let id = CriterionId::parse("AC-STE-12.1").unwrap();
        for (text, want) in [
            ("ac_ste_12_1", true),
            ("ac_ste_0012_001_more", true),
            ("x/ac/ste/12/1", true),
            ("ac_ste_12", false),
            ("ac_ste_12_", false),
            ("ac_ste_12_2", false),
            ("ac_ste_x_1", false),
            ("ac_ste_12_x", false),
            ("ac_stx_12_1", false),
            ("ac_ste_120_1", false),
            ("", false),
        ] {
            assert_eq!(names_criterion(text, &id), want, "{text:?}");
        }
        let zero = CriterionId::parse("AC-STE-0.0").unwrap();
        assert!(names_criterion("ac_ste_00_0", &zero) && !names_criterion("ac_ste_x_y", &zero));
    }

    #[test]
    fn a_path_in_a_block_is_the_project_s_or_the_repository_s() {
        let path_of = |text: &str| path(text);
        let candidates = [path_of("app/tests/a.py"), path_of("tests/a.py"), path_of("tests/b.py")];
        let left: BTreeSet<&RelPath> = candidates.iter().collect();
        for (text, project, want) in [
            ("tests/a.py", "app", Some("app/tests/a.py")),
            ("tests/b.py", "app", Some("tests/b.py")),
            ("app/tests/a.py", "app", Some("app/tests/a.py")),
            ("./tests/../tests/a.py", "", Some("tests/a.py")),
            ("tests/c.py", "app", None),
            ("../tests/a.py", "app", Some("tests/a.py")),
            ("", "app", None),
        ] {
            let found = in_repository(text, project, &left);
            assert_eq!(found.as_ref().map(RelPath::as_str), want, "{text:?} in {project:?}");
        }
        for (text, project, want) in [
            ("app/tests/a.py", "app", "tests/a.py"),
            ("app/tests/a.py", "", "app/tests/a.py"),
            ("application/a.py", "app", "application/a.py"),
            ("tests/a.py", "app", "tests/a.py"),
        ] {
            assert_eq!(in_project(&path(text), project), want);
        }
    }

    #[test]
    fn a_file_or_test_has_one_owner() {
        let [one, two, ten] = <[CriterionId; 3]>::try_from(ids()).unwrap();
        let claimed = |entries: &[(&CriterionId, &str)]| {
            let mut all: BTreeMap<CriterionId, Vec<String>> = BTreeMap::new();
            for (id, entry) in entries {
                all.entry((*id).clone()).or_default().push((*entry).to_owned());
            }
            Mapping::assign(&ids(), &[path("t/a.py"), path("t/b.py")], &all, "")
        };
        let mapping = claimed(&[(&one, "t/b.py"), (&one, "t/a.py"), (&two, "t/a.py"), (&two, "t/a.py::x")]);
        assert_eq!(mapping.of(&one).unwrap().files, [path("t/b.py"), path("t/a.py")]);
        assert_eq!(mapping.of(&two), None);
        assert_eq!(mapping.left_out(&[ten.clone(), one.clone()]), [path("t/a.py"), path("t/b.py")]);
        assert_eq!(mapping.left_out(std::slice::from_ref(&two)), []);
        let stranger = CriterionId::parse("AC-STE-99.1").unwrap();
        assert_eq!(claimed(&[(&stranger, "t/a.py")]), Mapping::default(), "a criterion that is not in hand");
        // The second owns one test by its id in the file that is the tenth's as a whole.
        let mapping = claimed(&[(&two, "t/a.py::x"), (&ten, "t/a.py")]);
        let result = |file: Option<&str>, name: &str| TestResult {
            id: TestId(format!("t/a.py::{name}")),
            file: file.map(path),
            outcome: Outcome::Passed,
            duration_ms: 0,
        };
        let tests = vec![result(Some("t/a.py"), "x"), result(Some("t/a.py"), "y"), result(None, "z")];
        let report = TestReport { tests, ..TestReport::default() };
        let names = |id: &CriterionId| -> Vec<&str> {
            mapping.results(id, &report).iter().filter_map(|test| test.id.0.rsplit("::").next()).collect()
        };
        assert_eq!((names(&one), names(&two), names(&ten)), (vec![], vec!["x"], vec!["y"]));
    }

    #[test]
    fn a_block_assigns_what_names_leave_over_and_adds_nothing() {
        let [one, two, _] = <[CriterionId; 3]>::try_from(ids()).unwrap();
        let candidates = [path("app/tests/ac_ste_12_1.py"), path("app/tests/test_more.py")];
        let claimed = BTreeMap::from([
            (one.clone(), vec!["tests/test_more.py::test_a".to_owned()]),
            (
                two.clone(),
                vec![
                    "tests/test_more.py::test_a".to_owned(),
                    "tests/test_more.py::test_b".to_owned(),
                    "tests/ac_ste_12_1.py".to_owned(),
                    "tests/old.py".to_owned(),
                    "../../etc/passwd".to_owned(),
                ],
            ),
        ]);
        let mapping = Mapping::assign(&ids(), &candidates, &claimed, "app");
        assert_eq!(mapping.of(&one).unwrap().files, [path("app/tests/ac_ste_12_1.py")]);
        assert_eq!(mapping.of(&one).unwrap().ids, [TestId("tests/test_more.py::test_a".into())]);
        assert_eq!(mapping.of(&two).unwrap().files, []);
        assert_eq!(mapping.of(&two).unwrap().ids, [TestId("tests/test_more.py::test_b".into())]);
        assert_eq!(mapping.left_out(&[one.clone(), two]), [path("app/tests/ac_ste_12_1.py")]);
        assert_eq!(mapping.left_out(&[]), []);
    }

    #[test]
    fn results_are_found_by_file_and_by_id() {
        let [one, two, ten] = <[CriterionId; 3]>::try_from(ids()).unwrap();
        let result = |file: &str, name: &str| TestResult {
            id: TestId(format!("{file}::{name}")),
            file: Some(path(file)),
            outcome: Outcome::Passed,
            duration_ms: 0,
        };
        let report = TestReport {
            tests: vec![result("t/ac_ste_12_1.py", "a"), result("t/more.py", "b"), result("t/more.py", "c")],
            ..TestReport::default()
        };
        let claimed = BTreeMap::from([(two.clone(), vec!["t/more.py::b".to_owned()])]);
        let mapping = Mapping::assign(&ids(), &[path("t/ac_ste_12_1.py"), path("t/more.py")], &claimed, "");
        let names = |id: &CriterionId| {
            mapping.results(id, &report).iter().map(|t| t.id.0.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&one), ["t/ac_ste_12_1.py::a"]);
        assert_eq!(names(&two), ["t/more.py::b"]);
        assert_eq!(names(&ten), Vec::<String>::new());
    }
}
