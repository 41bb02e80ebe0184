//! What phases are called.

use super::Phase;

impl Phase {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Baselining => "baselining",
            Self::Due { .. } => "due",
            Self::Forked { .. } => "forked",
            Self::Returned { .. } => "returned",
            Self::Keeping { .. } => "keeping",
            Self::RollingBack { .. } => "rolling-back",
            Self::CutOff { .. } => "cut-off",
            Self::Taking { .. } => "taking",
            Self::Rechecking { .. } => "rechecking",
            Self::GateDue => "gate-due",
            Self::Proving => "proving",
            Self::HoldingOut { .. } => "holding-out",
            Self::Halting { .. } => "halting",
            Self::Finishing { .. } => "finishing",
            Self::Ended { .. } => "ended",
        }
    }
}
