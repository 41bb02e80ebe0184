//! The final proof: what was measured of the result as it would be committed (contract section 7).
//!
//! ```text
//! (i)   a fresh checkout                          tests and gate as green as in the work tree
//! (ii)  the production change taken back          each criterion's tests red again
//! (iii) the bodies that it wrote without a deed   a test of each criterion red: it is *seen*
//! ```

use serde::{Deserialize, Serialize};

use crate::attempt::CheckpointId;
use crate::criterion::CriterionId;
use crate::finding::{RedKind, RunRef};
use crate::path::RelPath;
use crate::test::{Exit, TestId};

/// How much of it is made. A journal of before it was there has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Extent {
    /// (i), (ii), and every kind of stub that a criterion needs to be seen.
    Full,
    /// (i), and "not implemented": who is not seen by that is told of, and no more.
    Quick,
    #[default]
    Off,
}

impl Extent {
    /// Every word of `proof:`.
    pub const WORDS: [(&'static str, Self); 3] =
        [("full", Self::Full), ("quick", Self::Quick), ("off", Self::Off)];

    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Quick => "quick",
            Self::Off => "off",
        }
    }
}

/// What stands in a body's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Stub {
    /// It says that it is not implemented, as its language does.
    NotImplemented,
    /// It gives nothing: `None`, `undefined`, the type's zero value.
    Nothing,
    /// It gives the number 0.
    Zero,
    /// It gives an empty text.
    Text,
    /// It gives an empty list.
    List,
    /// It gives back what it was given first.
    First,
    /// It gives a value that is not the type's own nothing: a number, `true`, a text, a list that holds something.
    Other,
}

impl Stub {
    pub const ALL: [Self; 7] =
        [Self::NotImplemented, Self::Nothing, Self::Zero, Self::Text, Self::List, Self::First, Self::Other];

    /// Those that give something.
    pub fn values() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|kind| *kind != Self::NotImplemented)
    }

    /// What a body does then, for a person.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotImplemented => "not implemented",
            Self::Nothing => "gives nothing",
            Self::Zero => "gives 0",
            Self::Text => "gives an empty text",
            Self::List => "gives an empty list",
            Self::First => "gives back its first argument",
            Self::Other => "gives another value",
        }
    }
}

/// What the proof says of one criterion.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CriterionProof {
    pub id: CriterionId,
    /// With the production change taken back.
    pub back: Back,
    pub seen: Seen,
}

/// What its tests do with the production change taken back.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Back {
    /// It was not tried, or its run is no evidence.
    Unknown,
    Red(RedKind),
    /// All of them pass, in two runs.
    Green,
}

/// Whether one of its tests was seen failing on code that does nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Seen {
    /// This test is red, by an expectation or error of its own.
    By { stub: Stub, test: TestId },
    /// This test is red by nothing but the error that `not implemented` throws through it; whatever value stands in
    /// the place of each body, they pass, and no copy of them in which an expectation is changed fails, or
    /// what they run does nothing.
    ByErrorAlone { test: TestId },
    /// Nothing that they expect is reached with the code as it is, in this test and all others.
    NeverReached { test: TestId },
    /// This test is red with stubs in what other criteria's implementers wrote alone: with every one of its own bodies
    /// stubbed, its tests pass.
    ByOthersAlone { test: TestId },
    /// They pass under every stub, and nothing else of the change could be what they look at.
    Hollow,
    /// They pass under every stub that was tried, and this may be why.
    Not { why: String },
}

/// What was measured of the proposed commit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProofFindings {
    pub extent: Extent,
    /// The tree that was proven.
    pub tree: CheckpointId,
    /// Criteria with tests of their own that this run turned green, in order.
    pub criteria: Vec<CriterionProof>,
    /// Criteria of which no proof was asked, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exempt: Vec<(CriterionId, String)>,
    /// Tests of this run that are green in the work tree, and in the checkout only with what git ignores
    /// and what came while the run was under way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<TestId>,
    /// That: what no commit holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside_files: Vec<RelPath>,
    /// Files of the change that git gives back otherwise than they lie here, if tests of this run are not green then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given_back: Vec<RelPath>,
    /// Those tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_given_back: Vec<TestId>,
    /// What git ignores and was there before the run, without which the tests are not green.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs_ignored: Vec<RelPath>,
    /// How the gate command ends in the checkout, where it is green in the work tree, and was in a checkout of the
    /// state before the run: what it rests on here no commit holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate_outside: Option<Exit>,
    /// Files of the change that no grammar reads, without which the gate is red in the checkout and the tests are
    /// green: what decides the gate, and not the product.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gate_rests_on: Vec<RelPath>,
    /// Bodies and lines of the change that could not be stubbed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unstubbed: Vec<String>,
    /// Tests of this run that pass whatever they expect, where their own files say something else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub toothless: Vec<TestId>,
    /// Tests of this run of which no expectation is reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never_reached: Vec<TestId>,
    /// Existing tests that were given another example, and pass with their own with the code as it is now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved_for_nothing: Vec<TestId>,
    /// Existing tests of which a copy that expects something else passes with their new example, and did not before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved_toothless: Vec<TestId>,
    /// Existing tests whose old example fell with a part of the change that no test of this run asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved_unasked: Vec<Unasked>,
    /// Parts of the proof that could not be made, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_made: Vec<String>,
    /// Bodies that were stubbed.
    #[serde(default)]
    pub bodies: usize,
    pub runs: Vec<RunRef>,
}

/// A part of the change without which an existing test passes with its old example, and every test of this run passes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unasked {
    pub test: TestId,
    pub file: RelPath,
    /// Where the part stands in the file; the first is 1.
    pub line: usize,
}

impl ProofFindings {
    /// Whether an existing test was given another example without need, or one that says nothing.
    pub fn has_wrongly_moved(&self) -> bool {
        !(self.moved_for_nothing.is_empty()
            && self.moved_toothless.is_empty()
            && self.moved_unasked.is_empty())
    }

    pub fn new(extent: Extent, tree: CheckpointId) -> Self {
        Self {
            extent,
            tree,
            criteria: Vec::new(),
            exempt: Vec::new(),
            outside: Vec::new(),
            outside_files: Vec::new(),
            given_back: Vec::new(),
            not_given_back: Vec::new(),
            needs_ignored: Vec::new(),
            gate_outside: None,
            gate_rests_on: Vec::new(),
            unstubbed: Vec::new(),
            toothless: Vec::new(),
            never_reached: Vec::new(),
            moved_for_nothing: Vec::new(),
            moved_toothless: Vec::new(),
            moved_unasked: Vec::new(),
            not_made: Vec::new(),
            bodies: 0,
            runs: Vec::new(),
        }
    }

    pub fn of(&self, id: &CriterionId) -> Option<&CriterionProof> {
        self.criteria.iter().find(|proof| proof.id == *id)
    }

    /// Whether no expectation of this criterion's tests was ever seen failing, though all was tried.
    pub fn asserts_nothing(&self, id: &CriterionId) -> bool {
        let is_so = |seen: &Seen| {
            matches!(seen, Seen::ByErrorAlone { .. } | Seen::ByOthersAlone { .. } | Seen::NeverReached { .. })
        };
        self.of(id).is_some_and(|proof| is_so(&proof.seen))
    }

    /// Whether this criterion's tests were seen failing with stubs in other criteria's code alone.
    pub fn is_seen_by_others(&self, id: &CriterionId) -> bool {
        self.of(id).is_some_and(|proof| matches!(proof.seen, Seen::ByOthersAlone { .. }))
    }

    /// Whether nothing that this criterion's tests expect is reached.
    pub fn reaches_nothing(&self, id: &CriterionId) -> bool {
        self.of(id).is_some_and(|proof| matches!(proof.seen, Seen::NeverReached { .. }))
    }

    /// Whether a test of this criterion was seen failing on code that does nothing.
    pub fn is_seen(&self, id: &CriterionId) -> bool {
        self.of(id).is_some_and(|proof| matches!(proof.seen, Seen::By { .. }))
    }
}
