//! How a run ends.

use serde::{Deserialize, Serialize};

use crate::mode::Mode;
use crate::role::Key;
use crate::verdict::Verdict;

/// The end of a run whose budget ran out or that was disputed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Halt {
    pub key: Key,
    /// Failed or disputed, never passed.
    pub verdict: Verdict,
}

impl Halt {
    /// Whether a limit stopped the attempt.
    pub fn is_of_a_limit(&self) -> bool {
        matches!(&self.verdict, Verdict::Failed(fault) if fault.mode == Mode::E)
    }
}

/// How a run that went through ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Every criterion is GREEN by finding: exit 0.
    Verified,
    /// Some criteria were accepted by the operator or can't be judged by `tdd`: exit 4.
    PartlyUnverified,
}
