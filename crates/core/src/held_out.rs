//! Held-out tests: of each criterion's tests a coin hides some before an implementer sees the tree, and what is
//! hidden judges the work all the same (contract section 7).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::attempt::CheckpointId;
use crate::criterion::CriterionId;
use crate::finding::CriterionRed;
use crate::halt::Halt;
use crate::path::RelPath;
use crate::test::TestId;

/// Whether a run holds tests out: `--held-out`, `held_out: true`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Holding {
    #[default]
    Off,
    On,
}

impl Holding {
    pub fn is_off(&self) -> bool {
        *self == Self::Off
    }
}

/// How the tests of the criteria were parted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Parting {
    /// The tree that holds all of them.
    pub whole: CheckpointId,
    pub criteria: Vec<Parted>,
}

/// How the tests of one criterion were parted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Parted {
    pub id: CriterionId,
    pub shown: Vec<TestId>,
    /// What the coin has hidden; none if `none` says why.
    pub hidden: Vec<TestId>,
    /// The files that hold them in the whole tree.
    pub files: Vec<HeldFile>,
    /// Snapshots that runners keep for the hidden files, and files beside tests that only these rest on: out of the tree
    /// with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub snapshots: Vec<RelPath>,
    /// Why nothing is held out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub none: Option<String>,
}

impl Parted {
    pub fn nothing(id: &CriterionId, why: impl Into<String>) -> Self {
        Self {
            id: id.clone(),
            shown: Vec::new(),
            hidden: Vec::new(),
            files: Vec::new(),
            snapshots: Vec::new(),
            none: Some(why.into()),
        }
    }
}

impl Parted {
    /// Every file that is not in the tree, or not as a whole.
    pub fn all_files(&self) -> impl Iterator<Item = HeldFile> + '_ {
        let whole = |path: &RelPath| HeldFile { path: path.clone(), how: Hidden::Whole };
        self.files.iter().cloned().chain(self.snapshots.iter().map(whole))
    }
}

/// Whether a runner keeps snapshots of this file of tests there: `__snapshots__/a.test.js.snap` beside
/// `a.test.js`, `__snapshots__/test_a.ambr` beside `test_a.py`, `snapshots/a__name.snap` beside `a.rs`.
pub fn is_snapshot_of(path: &RelPath, test: &RelPath) -> bool {
    let (folder, name) = test.as_str().rsplit_once('/').map_or(("", test.as_str()), |parts| parts);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let rest = match folder {
        "" => Some(path.as_str()),
        folder => path.as_str().strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')),
    };
    let Some((kept_in, rest)) = rest.and_then(|rest| rest.split_once('/')) else { return false };
    let follows =
        |begin: &str, between: &str| rest.strip_prefix(begin).is_some_and(|rest| rest.starts_with(between));
    match kept_in {
        "__snapshots__" => follows(name, ".") || follows(stem, ".ambr") || follows(stem, "/"),
        "snapshots" => follows(stem, "__"),
        _ => false,
    }
}

/// A file of recorded snapshots, as the libraries name them.
pub fn is_snapshot(path: &RelPath) -> bool {
    let in_folder = path.as_str().split('/').any(|part| matches!(part, "__snapshots__" | "snapshots"));
    in_folder || matches!(path.extension(), "snap" | "snapshot" | "ambr")
}

/// A file that holds hidden tests.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeldFile {
    pub path: RelPath,
    pub how: Hidden,
}

/// How it is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Hidden {
    /// It is not in the tree at all.
    Whole,
    /// It is there without the hidden tests.
    Cut,
}

/// What is to be done about held-out tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hold {
    /// RED stands: throw the coin.
    Part,
    /// Take the hidden ones out of the work tree.
    TakeOut,
    /// All is done but the proof: bring them back, and judge the work by them once more.
    BringBack,
}

/// What was done about them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Held {
    /// These criteria have one test each: a second test-writer is to write more, before a coin is thrown.
    More {
        criteria: Vec<CriterionId>,
    },
    Parted(Parting),
    /// They are out of the work tree, which is this now.
    Out {
        checkpoint: CheckpointId,
    },
    Back(Back),
}

/// More tests for criteria that have one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum More {
    /// Its session is to come, or under way.
    Due(Vec<CriterionId>),
    /// Whatever came of it, there is no other.
    Tried,
}

/// They are in the work tree again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Back {
    pub checkpoint: CheckpointId,
    /// Those that are green there.
    pub green: Vec<TestId>,
    /// Files that somebody has changed meanwhile, and that stay as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_back: Vec<RelPath>,
    /// Criteria whose hidden tests judge nothing: accepted ones, and those whose files were changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unjudged: Vec<CriterionId>,
    /// What the run halts for; none if all that judge are green.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halt: Option<Halt>,
}

/// Where a run's held-out tests are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Where {
    /// In the work tree still, to be taken out.
    InTree,
    Out,
    /// In the work tree again.
    Back,
}

/// What a state knows of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HeldOut {
    pub parting: Parting,
    /// The hidden tests as they were seen red.
    pub red: Vec<CriterionRed>,
    pub place: Where,
    /// Those that did not come back, because their files were changed.
    #[serde(default)]
    pub not_back: Vec<RelPath>,
    /// Criteria whose hidden tests judged nothing at the end.
    #[serde(default)]
    pub unjudged: Vec<CriterionId>,
    /// Criteria whose hidden tests a person has put back into the tree before.
    #[serde(default)]
    pub put_back: Vec<CriterionId>,
}

impl HeldOut {
    pub fn new(parting: Parting, red: Vec<CriterionRed>) -> Self {
        let (not_back, unjudged, put_back) = (Vec::new(), Vec::new(), Vec::new());
        Self { parting, red, place: Where::InTree, not_back, unjudged, put_back }
    }

    /// Files that are not in the tree as they were written, as far as is known.
    pub fn away(&self) -> Vec<HeldFile> {
        let is_away = |parted: &&Parted| self.place == Where::Out && !self.put_back.contains(&parted.id);
        let mut files: Vec<HeldFile> = Vec::new();
        for file in self.parted().filter(is_away).flat_map(Parted::all_files) {
            files.extend((!files.contains(&file)).then_some(file));
        }
        files
    }

    /// Whether any test is out of the roles' sight.
    pub fn hides(&self) -> bool {
        self.place != Where::Back && !self.red.is_empty()
    }

    /// The criteria with hidden tests.
    pub fn parted(&self) -> impl Iterator<Item = &Parted> {
        self.parting.criteria.iter().filter(|parted| !parted.hidden.is_empty())
    }

    /// Every file that is hidden, or that holds hidden tests, once.
    pub fn files(&self) -> Vec<HeldFile> {
        let mut seen = BTreeSet::new();
        let files = self.parted().flat_map(Parted::all_files);
        files.filter(|file| seen.insert(file.path.clone())).collect()
    }

    /// Those of them that hold tests.
    pub fn test_files(&self) -> Vec<RelPath> {
        let is_test = |file: &HeldFile| self.parted().any(|parted| parted.files.contains(file));
        self.files().into_iter().filter(is_test).map(|file| file.path).collect()
    }

    /// The names of the hidden tests in one file.
    pub fn hidden_in(&self, path: &RelPath) -> Vec<TestId> {
        let holds = |parted: &&Parted| parted.files.iter().any(|file| file.path == *path);
        self.parted().filter(holds).flat_map(|parted| parted.hidden.clone()).collect()
    }
}

/// Which of so many are hidden: a coin for each, and at least one of each side where there are two. `None` where
/// there is nothing to part.
pub fn toss(count: usize, random: &[u8]) -> Option<Vec<bool>> {
    if count < 2 || random.len() < count + 1 {
        return None;
    }
    let mut sides: Vec<bool> = random.iter().take(count).map(|byte| byte & 1 == 1).collect();
    let first = sides[0];
    if sides.iter().all(|side| *side == first) {
        let at = usize::from(random[count]) % count;
        sides[at] = !first;
    }
    Some(sides)
}

/// The same where something is shown whatever the coin says: at least one of them is hidden.
pub fn toss_beside_shown(count: usize, random: &[u8]) -> Option<Vec<bool>> {
    let (last, random) = random.split_last()?;
    let mut sides: Vec<bool> = random.iter().take(count).map(|byte| byte & 1 == 1).collect();
    if count == 0 || sides.len() < count {
        return None;
    }
    if !sides.contains(&true) {
        sides[usize::from(*last) % count] = true;
    }
    Some(sides)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ac_tdd_8_53_beside_what_is_shown_anyway_something_is_hidden() {
        assert_eq!(toss_beside_shown(1, &[0, 0]), Some(vec![true]));
        assert_eq!(toss_beside_shown(3, &[0, 2, 0, 4]), Some(vec![false, true, false]));
        assert_eq!(toss_beside_shown(2, &[1, 1, 0]), Some(vec![true, true]));
        assert_eq!((toss_beside_shown(0, &[1]), toss_beside_shown(2, &[1, 1])), (None, None));
    }

    #[test]
    fn ac_tdd_8_40_a_coin_leaves_something_on_each_side() {
        for count in 2..6 {
            for byte in [0, 1, 2, 255] {
                let sides = toss(count, &vec![byte; count + 1]).unwrap();
                assert_eq!(sides.len(), count);
                assert!(sides.contains(&true) && sides.contains(&false), "{count} {byte}");
            }
        }
        assert_eq!(toss(3, &[1, 0, 3, 9]), Some(vec![true, false, true]));
    }

    #[test]
    fn ac_tdd_8_54_snapshots_are_known_by_the_file_of_tests_that_they_lie_beside() {
        let path = |text: &str| RelPath::new(text).unwrap();
        for (kept, test, want) in [
            ("src/__snapshots__/a.test.js.snap", "src/a.test.js", true),
            ("__snapshots__/a.test.js.snap", "a.test.js", true),
            ("tests/__snapshots__/test_a.ambr", "tests/test_a.py", true),
            ("tests/__snapshots__/test_a/test_one.json", "tests/test_a.py", true),
            ("tests/snapshots/a__one.snap", "tests/a.rs", true),
            ("tests/snapshots/ab__one.snap", "tests/a.rs", false),
            ("src/__snapshots__/b.test.js.snap", "src/a.test.js", false),
            ("other/__snapshots__/a.test.js.snap", "src/a.test.js", false),
            ("src/a.test.js", "src/a.test.js", false),
        ] {
            assert_eq!(is_snapshot_of(&path(kept), &path(test)), want, "{kept}");
        }
    }

    #[test]
    fn ac_tdd_8_44_one_test_is_not_parted() {
        assert_eq!((toss(1, &[1, 1, 1]), toss(0, &[1])), (None, None));
        assert_eq!(toss(3, &[1, 0]), None, "no coin is thrown twice");
    }
}
