//! The checks that keep a cheat from getting through, each with a name.
//!
//! In a build with `debug_assertions` one of them can be switched off, so that a test sees whether
//! it is this check, and no other, that catches its cheat. In a release build there is nothing to
//! switch: [`stands`] is the constant `true`.

use crate::finding::{RedKind, TestAware, TestAwareKind};
use crate::verdict::Reason;

/// One check. The battery (`tests/suite/cheats`) has a cheat for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Guard {
    // Reasons of the judge.
    ClaimWorse,
    Exhaustion,
    ForbiddenChange,
    TouchedSeal,
    InlineTest,
    TestAware,
    NeedsTests,
    Hides,
    Reassigns,
    PublicNames,
    UnlistedChange,
    Rebound,
    UnmappedCriterion,
    UnownedRed,
    PassedAtRed,
    LoadRed,
    HollowRed,
    UnconditionalRed,
    FlakyRed,
    OtherRed,
    Superseded,
    BrokenGreen,
    NothingRan,
    TestFailed,
    TestSkipped,
    TestVanished,
    Regression,
    Unbuilt,
    FewerTests,
    GateRed,
    Evidence,
    // Of the final proof.
    ProofCheckout,
    ProofGate,
    ProofTakenBack,
    ProofStubs,
    ProofMoved,
    ErrorAlone,
    HeldOut,
    // What a claim says.
    Format,
    Dispute,
    PathEscape,
    SupersedeScope,
    // What a run has to show.
    OwnEnd,
    OldReport,
    Report,
    ReportsEnd,
    DoubleIds,
    Agreement,
    Canary,
    MutatedCanary,
    // Which file is what.
    GateFile,
    OwnGate,
    Support,
    NewlyLoaded,
    MixedKeys,
    // What is put back, and what is kept apart.
    SealAfterRun,
    Rewritten,
    LeftByRun,
    HardLink,
    GitState,
    GitConfig,
    OwnRefs,
    Journal,
    ExchangeFolder,
    Descendants,
    PythonCache,
    CargoTarget,
}

impl Guard {
    pub const ALL: [Self; 67] = [
        Self::ClaimWorse,
        Self::Exhaustion,
        Self::ForbiddenChange,
        Self::TouchedSeal,
        Self::InlineTest,
        Self::TestAware,
        Self::NeedsTests,
        Self::Hides,
        Self::Reassigns,
        Self::PublicNames,
        Self::UnlistedChange,
        Self::Rebound,
        Self::UnmappedCriterion,
        Self::UnownedRed,
        Self::PassedAtRed,
        Self::LoadRed,
        Self::HollowRed,
        Self::UnconditionalRed,
        Self::FlakyRed,
        Self::OtherRed,
        Self::Superseded,
        Self::BrokenGreen,
        Self::NothingRan,
        Self::TestFailed,
        Self::TestSkipped,
        Self::TestVanished,
        Self::Regression,
        Self::Unbuilt,
        Self::FewerTests,
        Self::GateRed,
        Self::Evidence,
        Self::ProofCheckout,
        Self::ProofGate,
        Self::ProofTakenBack,
        Self::ProofStubs,
        Self::ProofMoved,
        Self::ErrorAlone,
        Self::HeldOut,
        Self::Format,
        Self::Dispute,
        Self::PathEscape,
        Self::SupersedeScope,
        Self::OwnEnd,
        Self::OldReport,
        Self::Report,
        Self::ReportsEnd,
        Self::DoubleIds,
        Self::Agreement,
        Self::Canary,
        Self::MutatedCanary,
        Self::GateFile,
        Self::OwnGate,
        Self::Support,
        Self::NewlyLoaded,
        Self::MixedKeys,
        Self::SealAfterRun,
        Self::Rewritten,
        Self::LeftByRun,
        Self::HardLink,
        Self::GitState,
        Self::GitConfig,
        Self::OwnRefs,
        Self::Journal,
        Self::ExchangeFolder,
        Self::Descendants,
        Self::PythonCache,
        Self::CargoTarget,
    ];

    /// As the variable `TDD_SWITCH_OFF_GUARD` spells it: the variant's own name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|guard| format!("{guard:?}") == name)
    }

    /// The check that gives this reason.
    pub fn of(reason: &Reason) -> Self {
        match reason {
            Reason::ClaimedFailed => Self::ClaimWorse,
            Reason::Exhausted(_) => Self::Exhaustion,
            Reason::Format(_) => Self::Format,
            Reason::Forbidden(_) => Self::ForbiddenChange,
            Reason::Touched(_) => Self::TouchedSeal,
            Reason::Loaded(_) => Self::NewlyLoaded,
            Reason::InlineTest(_) => Self::InlineTest,
            Reason::TestAwareCode(TestAware { kind: TestAwareKind::NeedsTests { .. }, .. }) => {
                Self::NeedsTests
            }
            Reason::TestAwareCode(TestAware { kind: TestAwareKind::Hides { .. }, .. }) => Self::Hides,
            Reason::TestAwareCode(TestAware { kind: TestAwareKind::Reassigns { .. }, .. }) => Self::Reassigns,
            Reason::TestAwareCode(_) => Self::TestAware,
            Reason::LostName(_) => Self::PublicNames,
            Reason::Unlisted(_) => Self::UnlistedChange,
            Reason::Rebound(_) => Self::Rebound,
            Reason::NoCandidate(_) => Self::UnmappedCriterion,
            Reason::Unowned(_) => Self::UnownedRed,
            Reason::NotRed { kind, .. } => of_kind(*kind),
            Reason::NotSuperseded(_) | Reason::NoSuchTest(_) => Self::Superseded,
            Reason::Broken(_) => Self::BrokenGreen,
            Reason::NothingRan(_) => Self::NothingRan,
            Reason::TestFailed(_) => Self::TestFailed,
            Reason::TestSkipped(_) => Self::TestSkipped,
            Reason::TestVanished(_) => Self::TestVanished,
            Reason::Regressed(_) => Self::Regression,
            Reason::Unbuilt(_) => Self::Unbuilt,
            Reason::FewerTests { .. } => Self::FewerTests,
            Reason::GateRed => Self::GateRed,
            Reason::NoEvidence(_) => Self::Evidence,
            Reason::Outside(_) | Reason::GivenBack { .. } => Self::ProofCheckout,
            Reason::GateOutside => Self::ProofGate,
            Reason::StillGreen(_) => Self::ProofTakenBack,
            Reason::Hollow(_) => Self::ProofStubs,
            Reason::MovedForNothing(_) | Reason::MovedToothless(_) | Reason::MovedUnasked { .. } => {
                Self::ProofMoved
            }
            Reason::HeldOut(_) => Self::HeldOut,
            Reason::Toothless(_) => Self::MutatedCanary,
        }
    }
}

fn of_kind(kind: RedKind) -> Guard {
    match kind {
        RedKind::Passed => Guard::PassedAtRed,
        RedKind::Load => Guard::LoadRed,
        RedKind::None => Guard::HollowRed,
        RedKind::Unconditional => Guard::UnconditionalRed,
        RedKind::Flaky => Guard::FlakyRed,
        RedKind::Assertion
        | RedKind::Error
        | RedKind::Missing
        | RedKind::Unrelated
        | RedKind::Timeout
        | RedKind::Crash => Guard::OtherRed,
    }
}

pub use switch::stands;
#[cfg(debug_assertions)]
pub use switch::switch_off;

#[cfg(not(debug_assertions))]
mod switch {
    use super::Guard;

    /// Every check stands.
    pub const fn stands(_: Guard) -> bool {
        true
    }

    // Only a constant function can be asked here: nothing at run time decides.
    const _: () = assert!(stands(Guard::ForbiddenChange));
}

#[cfg(debug_assertions)]
mod switch {
    use std::sync::OnceLock;

    use super::Guard;

    static OFF: OnceLock<Guard> = OnceLock::new();

    /// Whether this check is made.
    pub fn stands(guard: Guard) -> bool {
        OFF.get() != Some(&guard)
    }

    /// From now on this check is not made in this process. The first call wins.
    pub fn switch_off(guard: Guard) {
        let _ = OFF.set(guard);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_guards() {
        for guard in Guard::ALL {
            assert_eq!(Guard::from_name(&format!("{guard:?}")), Some(guard));
        }
        assert_eq!(Guard::from_name("forbiddenchange"), None);
        assert!(Guard::ALL.into_iter().all(stands), "nothing is switched off by itself");
    }

    #[test]
    fn a_release_build_has_no_switch() {
        let text = include_str!("guard.rs");
        let (before, rest) = text.split_once("#[cfg(not(debug_assertions))]\nmod switch {").unwrap();
        let (release, debug) = rest.split_once("#[cfg(debug_assertions)]\nmod switch {").unwrap();
        assert!(release.contains("pub const fn stands(_: Guard) -> bool {\n        true\n    }"));
        assert!(!release.contains("static") && !before.contains("static "));
        assert!(debug.contains("static OFF"));
    }
}
