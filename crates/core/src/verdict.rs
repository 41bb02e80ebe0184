//! What a judgement says: passed, failed with every reason that was found, or disputed. `judge` makes it.

mod words;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::attempt::Exhaustion;
use crate::claim::{ClaimError, Dispute};
use crate::criterion::CriterionId;
use crate::finding::{LostName, NoSuchTest, Rebound, RedKind, TestAware, Why};
use crate::mode::Mode;
use crate::path::RelPath;
use crate::test::TestId;

/// The judgement on an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Passed,
    Failed(Fault),
    /// The role says that a test is wrong: the operator decides.
    Disputed(Dispute),
}

/// Why an attempt failed: its mode and every reason that was found, at least one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fault {
    pub mode: Mode,
    pub reasons: Vec<Reason>,
}

impl Fault {
    /// What the role meant to dispute in a block that can't be read.
    pub fn meant(&self) -> Option<&Dispute> {
        self.reasons
            .iter()
            .find_map(|reason| if let Reason::Format(error) = reason { error.meant.as_ref() } else { None })
    }
}

/// One reason. Its [`Display`](fmt::Display) is one fixed line made of measured paths and ids only.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The role says itself that it failed.
    ClaimedFailed,
    /// The role was stopped at a bound.
    Exhausted(Exhaustion),
    /// The role's result block is missing, or can't be read.
    Format(ClaimError),
    /// The role may not change this file.
    Forbidden(RelPath),
    /// A protected file was not as it was.
    Touched(RelPath),
    /// The runner has come to load this file by itself, and nothing else of the project uses it.
    Loaded(RelPath),
    /// A test that lives in this source was changed or removed.
    InlineTest(RelPath),
    /// Production code that tests see another face of.
    TestAwareCode(TestAware),
    /// A public name from before the run was taken away or changed.
    LostName(LostName),
    /// An existing test was changed or removed and not named in `supersedes:`.
    Unlisted(TestId),
    /// A name that an existing test uses means something else.
    Rebound(Rebound),
    /// No new or changed test belongs to the criterion.
    NoCandidate(CriterionId),
    /// A new test that is red and belongs to no criterion.
    Unowned(TestId),
    /// A new test is not red in a way that code can mend.
    NotRed {
        criterion: CriterionId,
        test: TestId,
        kind: RedKind,
        /// For people: what its source tells of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<Why>,
    },
    /// A superseded test was not changed, or is not red in an accepted kind.
    NotSuperseded(TestId),
    /// A superseded test that never existed.
    NoSuchTest(NoSuchTest),
    /// A known green is red after RED.
    Broken(TestId),
    /// No test of the criterion ran.
    NothingRan(CriterionId),
    /// A test of the criterion is red.
    TestFailed(TestId),
    /// A test of the criterion was skipped.
    TestSkipped(TestId),
    /// A test of the criterion was expected and not seen.
    TestVanished(TestId),
    /// A test was green and is red now.
    Regressed(TestId),
    /// The suite has fewer tests than before.
    FewerTests { before: usize, now: usize },
    /// The gate command failed.
    GateRed,
    /// The run says nothing of the work.
    NoEvidence(String),
    /// A copy that expects something else passes too: what the code does with expectations is no work.
    Toothless(TestId),
    /// A test that passes in the work tree, and in a checkout of the commit only with what git ignores.
    Outside(TestId),
    /// A test that passes with a file as it lies here, and not as git gives it back to whoever clones the commit.
    GivenBack { test: TestId, file: RelPath },
    /// The gate is green in the work tree, and not in a checkout of the commit, where it was before the run.
    GateOutside,
    /// An existing test that was given another example, and passes with its own.
    MovedForNothing(TestId),
    /// An existing test that was given an example with which it passes whatever it expects.
    MovedToothless(TestId),
    /// An existing test that was given another example since a part of the change broke its own, for which no test asks.
    MovedUnasked { test: TestId, file: RelPath, line: usize },
    /// Tests that pass without the production change.
    StillGreen(CriterionId),
    /// Tests that pass whatever the bodies of the change do.
    Hollow(CriterionId),
    /// Source, or what a compiler said, that compiled before the run and does not any more.
    Unbuilt(String),
    /// Tests of the criterion that no role has seen are not green. Nothing more is ever told of them.
    HeldOut(CriterionId),
}

impl Reason {
    /// Whether a rule and not a test failed: then a retry prompt holds this line instead of output.
    pub fn is_rule(&self) -> bool {
        match self {
            Self::Forbidden(_)
            | Self::Touched(_)
            | Self::Loaded(_)
            | Self::InlineTest(_)
            | Self::TestAwareCode(_)
            | Self::LostName(_)
            | Self::Unlisted(_)
            | Self::Rebound(_)
            | Self::NoCandidate(_)
            | Self::Unowned(_)
            | Self::NotRed { .. }
            | Self::NotSuperseded(_)
            | Self::NoSuchTest(_)
            | Self::NothingRan(_)
            | Self::TestSkipped(_)
            | Self::TestVanished(_)
            | Self::Toothless(_)
            | Self::FewerTests { .. }
            | Self::Outside(_)
            | Self::GivenBack { .. }
            | Self::MovedForNothing(_)
            | Self::MovedToothless(_)
            | Self::MovedUnasked { .. }
            | Self::GateOutside
            | Self::StillGreen(_)
            | Self::Hollow(_)
            | Self::HeldOut(_)
            // No rule of files, but a bound: who is not told of it runs into it again.
            | Self::Exhausted(_) => true,
            Self::ClaimedFailed
            | Self::Format(_)
            | Self::Broken(_)
            | Self::TestFailed(_)
            | Self::Regressed(_)
            | Self::Unbuilt(_)
            | Self::GateRed
            | Self::NoEvidence(_) => false,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ClaimedFailed => f.write_str("the role itself said `status: failed`"),
            Self::Exhausted(what) => write!(f, "the role was stopped: {what}"),
            Self::Format(error) => write!(f, "{}: {}", error.kind, error.message),
            Self::Forbidden(path) => words::forbidden(path, f),
            Self::Loaded(path) => words::loaded(path, f),
            Self::InlineTest(path) => words::inline_test(path, f),
            Self::TestAwareCode(aware) => write!(f, "{aware}"),
            Self::LostName(lost) => write!(f, "{lost}"),
            Self::Touched(path) => words::touched(path, f),
            Self::Unlisted(id) => {
                write!(f, "an existing test was changed and is not named in `supersedes:`: {id}")
            }
            Self::Rebound(rebound) => write!(f, "{rebound}"),
            Self::NoCandidate(id) => words::no_candidate(id, f),
            Self::Unowned(id) => words::unowned(id, f),
            Self::NotRed { criterion, test, kind, why: _ } => {
                write!(f, "{criterion} is not RED: {test}: {}", kind.meaning())
            }
            Self::NotSuperseded(id) => words::not_superseded(id, f),
            Self::NoSuchTest(one) => write!(f, "{one}"),
            Self::Broken(id) => write!(f, "a test that was green is red now: {id}"),
            Self::NothingRan(id) => write!(f, "no test of {id} ran"),
            Self::TestFailed(id) => write!(f, "failed: {id}"),
            Self::TestSkipped(id) => write!(f, "skipped: {id}"),
            Self::TestVanished(id) => write!(f, "expected and not seen: {id}"),
            Self::Regressed(id) => write!(f, "was green and is red now: {id}"),
            Self::Unbuilt(what) => {
                write!(f, "compiled before, and does not any more, though tests do: {what}")
            }
            Self::FewerTests { before, now } => {
                write!(f, "fewer tests than before: {now} now, {before} before")
            }
            Self::GateRed => f.write_str("the gate command failed"),
            Self::NoEvidence(why) => write!(f, "the run is no evidence: {why}"),
            Self::Toothless(id) => words::toothless(id, f),
            Self::Outside(id) => words::outside(id, f),
            Self::GivenBack { test, file } => words::given_back(test, file, f),
            Self::GateOutside => f.write_str(words::GATE_OUTSIDE),
            Self::MovedForNothing(id) => words::moved_for_nothing(id, f),
            Self::MovedToothless(id) => words::moved_toothless(id, f),
            Self::MovedUnasked { test, file, line } => words::moved_unasked(test, (file, *line), f),
            Self::StillGreen(id) => {
                write!(f, "the tests of {id} pass without the code that was written for it")
            }
            Self::Hollow(id) => words::hollow(id, f),
            Self::HeldOut(id) => words::held_out(id, f),
        }
    }
}

/// What a return alone decides.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AtReturn {
    /// The tree and the tests have to be measured.
    Measure,
    Settled(Verdict),
}
