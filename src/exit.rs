//! The exit code table of `run` and `resume` (contract section 2).

use tdd_core::halt::Ending;
use tdd_core::trouble::{Trouble, TroubleKind};

/// How `run` and `resume` end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Verified,
    Halted,
    /// Set-up or usage error before the first fork: nothing was changed.
    SetUp,
    Paused,
    PartlyUnverified,
    Internal,
    Stopped(i32),
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Self::Verified => 0,
            Self::Halted => 1,
            Self::SetUp => 2,
            Self::Paused => 3,
            Self::PartlyUnverified => 4,
            Self::Internal => 70,
            Self::Stopped(signal) => u8::try_from(128 + signal).unwrap_or(143),
        }
    }

    pub fn of_ending(ending: Ending) -> Self {
        match ending {
            Ending::Verified => Self::Verified,
            Ending::PartlyUnverified => Self::PartlyUnverified,
        }
    }

    /// For a trouble before the first fork.
    pub fn of_trouble(trouble: &Trouble) -> Self {
        match trouble.kind {
            TroubleKind::User | TroubleKind::Config | TroubleKind::Environment => Self::SetUp,
            TroubleKind::Passing => Self::Paused,
            TroubleKind::Internal => Self::Internal,
            TroubleKind::Stopped(signal) => Self::Stopped(signal),
        }
    }
}
