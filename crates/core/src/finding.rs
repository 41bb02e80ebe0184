//! Findings: what `tdd` measured itself. Verdicts are made of nothing else.

use serde::{Deserialize, Serialize};

use crate::attempt::CheckpointId;
use crate::criterion::CriterionId;
use crate::file_class::FileClass;
use crate::greens::GreensChange;
use crate::mapping::Mapping;
use crate::path::RelPath;
use crate::role::Stage;
use crate::test::TestId;

mod notice;
mod production;
mod rebound;
mod red_kind;
mod run;
mod superseded;
mod whole;

pub use notice::Notice;
pub use production::{LostName, NameLoss, TestAware, TestAwareKind};
pub use rebound::Rebound;
pub use red_kind::RedKind;
pub use run::{FailedItem, RunRef};
pub use superseded::{MovedExample, NoSuchTest, Superseded};
pub use whole::{Judged, SuiteBaseline};

/// One path that differs between two checkpoints.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    pub path: RelPath,
    pub kind: ChangeKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    /// Mode or type: a file became executable, a link, or a folder's place was taken.
    Retyped,
    /// A submodule's commit.
    Submodule,
}

/// A change with what the changed file is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassedChange {
    pub path: RelPath,
    pub kind: ChangeKind,
    pub class: FileClass,
}

/// One test of a criterion at RED.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RedTest {
    pub id: TestId,
    pub kind: RedKind,
    pub seen: Seen,
    /// The first line of what the runner said.
    pub message: String,
    /// Why it proves nothing, if its source tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
}

/// What the source of a test tells of why it is no RED.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Why {
    /// What follows the test's id in a sentence.
    pub words: String,
    /// Where, in the test's own file; none if it is where the runner says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// How a test's id is known at RED.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Seen {
    /// The runner reported it.
    #[default]
    Reported,
    /// Its file did not load, so the id was read from the source, and may differ in detail.
    Declared,
    /// Its file did not load and no test was found in its source: the id is the file's path.
    FileOnly,
}

/// One criterion at RED. No test at all means that it has no candidate.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CriterionRed {
    pub id: CriterionId,
    pub files: Vec<RelPath>,
    pub tests: Vec<RedTest>,
    /// Tests of it that their own text may keep from being run: beside others that run they count for nothing then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may_skip: Vec<TestId>,
}

/// An assertion that holds whatever the code does, or asks only whether something is there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VacuousAssertion {
    pub test: TestId,
    /// As it is written, at most 120 characters.
    pub what: String,
}

/// What was measured after an attempt of the test-writer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RedFindings {
    pub changed: Vec<ClassedChange>,
    /// Paths among `changed` that the role may not change.
    pub forbidden: Vec<RelPath>,
    /// Which files and tests belong to which criterion.
    pub mapping: Mapping,
    /// One entry for each criterion that RED must cover, in order.
    pub criteria: Vec<CriterionRed>,
    /// Known greens that are no longer green, and are not superseded.
    pub broken: Vec<TestId>,
    /// Existing tests that were changed or removed and are not named in `supersedes:`.
    pub unlisted: Vec<TestId>,
    /// Names that mean something else now to existing tests that are not named in `supersedes:`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rebound: Vec<Rebound>,
    pub superseded: Vec<Superseded>,
    /// Those of them that no test was called before the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub no_such_tests: Vec<NoSuchTest>,
    /// Superseded tests that are given another example, and need not be red.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<MovedExample>,
    /// New tests that belong to no criterion and are red: nobody would ever turn them green.
    #[serde(default)]
    pub unowned: Vec<TestId>,
    /// Named to the operator; no verdict rests on them alone.
    #[serde(default)]
    #[serde(rename = "hollow")]
    pub vacuous: Vec<VacuousAssertion>,
    /// Why the run is no evidence at all, if it is none.
    pub no_evidence: Option<String>,
    pub runs: Vec<RunRef>,
    /// How the known greens change if this stands.
    #[serde(default)]
    pub greens: GreensChange,
    /// Criteria that were green when the operator changed their tests: what was seen red of them is
    /// there no longer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub finished: Vec<CriterionId>,
    /// Criteria whose tests are as they were seen red, and pass now with the operator's own code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_hand: Vec<CriterionId>,
}

impl RedFindings {
    /// What is known of one criterion.
    pub fn of(&self, id: &CriterionId) -> Option<&CriterionRed> {
        self.criteria.iter().find(|one| one.id == *id)
    }
}

/// Which findings make a criterion GREEN: its own tests, or (other `verify:` kinds) the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GreenJudge {
    #[default]
    OwnTests,
    /// `verify: gate | manual | mdtest`: no regression, and for `gate` the gate command.
    TheRest,
    /// Nothing can be read test by test: the command's exit code is all there is.
    ExitCode,
}

/// What was measured after an attempt of an implementer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GreenFindings {
    pub judged_by: GreenJudge,
    pub changed: Vec<ClassedChange>,
    pub forbidden: Vec<RelPath>,
    /// Protected files that were not as they were, before or after our run; they are restored.
    pub touched: Vec<RelPath>,
    /// New or changed files that the runner has come to load by itself and nothing else uses; they stay as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loaded: Vec<RelPath>,
    /// Sources that do not compile any more, though tests do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unbuilt: Vec<String>,
    /// Sources in which a test was changed or removed; they stay as they are.
    #[serde(default)]
    pub weakened: Vec<RelPath>,
    /// Sources that the tests now see another face of; they stay as they are.
    #[serde(default, rename = "slanted")]
    pub test_aware: Vec<TestAware>,
    #[serde(default)]
    #[serde(rename = "remarks")]
    pub notices: Vec<Notice>,
    /// The criterion's own tests: passed, failed, skipped, or expected and not seen.
    pub passed: Vec<TestId>,
    pub failed: Vec<TestId>,
    pub skipped: Vec<TestId>,
    pub vanished: Vec<TestId>,
    pub regressed: Vec<TestId>,
    pub flaky: Vec<TestId>,
    /// Tests collected at the last good checkpoint less those left out, and now.
    pub collected_before: usize,
    pub collected_now: usize,
    /// Green with no change at all: turned green by an earlier criterion's work.
    pub early_green: bool,
    /// For `verify: gate`: the gate command failed.
    pub gate_red: bool,
    /// Criteria whose hidden tests are not green.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_out: Vec<CriterionId>,
    pub no_evidence: Option<String>,
    pub runs: Vec<RunRef>,
    /// How the known greens change if this stands.
    #[serde(default)]
    pub greens: GreensChange,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<Box<Judged>>,
    /// Nothing was run: this is the tree that was judged by the same command before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_at: Option<CheckpointId>,
}

/// What was measured after an attempt of the refactorer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RefactorFindings {
    pub changed: Vec<ClassedChange>,
    pub forbidden: Vec<RelPath>,
    pub touched: Vec<RelPath>,
    /// New or changed files that the runner has come to load by itself and nothing else uses; they stay as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loaded: Vec<RelPath>,
    /// Sources that do not compile any more, though tests do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unbuilt: Vec<String>,
    /// Sources in which a test was changed or removed; they stay as they are.
    #[serde(default)]
    pub weakened: Vec<RelPath>,
    /// Sources that the tests now see another face of; they stay as they are.
    #[serde(default, rename = "slanted")]
    pub test_aware: Vec<TestAware>,
    /// Public names from before the run that the refactorer took away or changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_names: Vec<LostName>,
    #[serde(default)]
    #[serde(rename = "remarks")]
    pub notices: Vec<Notice>,
    pub regressed: Vec<TestId>,
    pub flaky: Vec<TestId>,
    pub collected_before: usize,
    pub collected_now: usize,
    pub gate_red: bool,
    /// Criteria whose hidden tests are not green.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_out: Vec<CriterionId>,
    pub no_evidence: Option<String>,
    pub runs: Vec<RunRef>,
    /// Nothing was run: this is the tree that was judged by the same command before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_at: Option<CheckpointId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Findings {
    Red(RedFindings),
    Green(GreenFindings),
    Refactor(RefactorFindings),
}

impl Findings {
    pub fn runs(&self) -> &[RunRef] {
        match self {
            Self::Red(findings) => &findings.runs,
            Self::Green(findings) => &findings.runs,
            Self::Refactor(findings) => &findings.runs,
        }
    }

    pub fn stage(&self) -> Stage {
        match self {
            Self::Red(_) => Stage::Red,
            Self::Green(_) => Stage::Green,
            Self::Refactor(_) => Stage::Refactor,
        }
    }

    pub fn changed(&self) -> &[ClassedChange] {
        match self {
            Self::Red(findings) => &findings.changed,
            Self::Green(findings) => &findings.changed,
            Self::Refactor(findings) => &findings.changed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{Canary, Exit};

    #[test]
    fn a_kind_of_red_has_one_name_and_a_meaning_of_its_own() {
        let meanings: std::collections::BTreeSet<&str> = RedKind::ALL.map(RedKind::meaning).into();
        assert_eq!(meanings.len(), RedKind::ALL.len());
        for kind in RedKind::ALL {
            assert_eq!(kind.to_string(), kind.name());
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name(), "as it is journalled");
        }
        let accepted: Vec<RedKind> = RedKind::ALL.into_iter().filter(|kind| kind.is_accepted()).collect();
        assert_eq!(accepted, [RedKind::Assertion, RedKind::Error, RedKind::Missing]);
    }

    #[test]
    fn findings_are_asked_alike_whatever_their_stage() {
        let exit = Exit::Code(0);
        let run = RunRef {
            command: "c".into(),
            exit,
            duration_ms: 1,
            log: "l".into(),
            output: "o".into(),
            canary: Canary::NotAsked,
            copies: crate::test::Copies::default(),
            failed: Vec::new(),
            in_place: false,
        };
        let path = RelPath::new("src/a.rs").unwrap();
        let change = ClassedChange { path, kind: ChangeKind::Added, class: FileClass::Source };
        let (runs, changed) = (vec![run], vec![change]);
        let (mut red, mut green) = (RedFindings::default(), GreenFindings::default());
        let mut refactor = RefactorFindings::default();
        (red.runs, red.changed) = (runs.clone(), changed.clone());
        (green.runs, green.changed) = (runs.clone(), changed.clone());
        (refactor.runs, refactor.changed) = (runs.clone(), changed.clone());
        for (stage, findings) in [
            (Stage::Red, Findings::Red(red)),
            (Stage::Green, Findings::Green(green)),
            (Stage::Refactor, Findings::Refactor(refactor)),
        ] {
            assert_eq!(findings.stage(), stage);
            assert_eq!((findings.runs(), findings.changed()), (&runs[..], &changed[..]), "{stage}");
        }
    }
}
