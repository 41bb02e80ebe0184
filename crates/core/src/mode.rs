//! Why an attempt failed (contract section 9).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::role::Stage;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Mode {
    /// False RED.
    A,
    /// The implementer did not reach GREEN.
    B,
    /// The refactorer broke GREEN.
    C,
    /// The final message holds no valid block.
    D,
    /// Turns, tokens, time or output ran out before a valid block.
    E,
}

/// Which of the two independent budgets an attempt of a mode is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum BudgetKind {
    Semantic,
    Format,
}

impl Mode {
    /// The mode of work that was judged and found wanting.
    pub fn of_stage(stage: Stage) -> Self {
        match stage {
            Stage::Red => Self::A,
            Stage::Green => Self::B,
            Stage::Refactor => Self::C,
        }
    }

    pub fn budget(self) -> BudgetKind {
        match self {
            Self::A | Self::B | Self::C | Self::E => BudgetKind::Semantic,
            Self::D => BudgetKind::Format,
        }
    }

    pub fn description(self) -> &'static str {
        match self {
            Self::A => "false RED: the tests do not fail for the right reason",
            Self::B => "not GREEN: the criterion's tests do not pass, or a rule was broken",
            Self::C => "GREEN broken: after the refactoring something no longer passes, or a rule was broken",
            Self::D => "format violation: the final message holds no valid `tdd-result` block",
            Self::E => "exhaustion: turns, tokens, time or output ran out before a valid block",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
            Self::E => "E",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mode_has_its_letter_its_stage_its_budget_and_its_words() {
        for (mode, letter, stage, budget, words) in [
            (Mode::A, "A", Some(Stage::Red), BudgetKind::Semantic, "false RED"),
            (Mode::B, "B", Some(Stage::Green), BudgetKind::Semantic, "not GREEN"),
            (Mode::C, "C", Some(Stage::Refactor), BudgetKind::Semantic, "GREEN broken"),
            (Mode::D, "D", None, BudgetKind::Format, "format violation"),
            (Mode::E, "E", None, BudgetKind::Semantic, "exhaustion"),
        ] {
            assert_eq!(mode.to_string(), letter);
            assert_eq!(stage.map_or(mode, Mode::of_stage), mode);
            assert_eq!(mode.budget(), budget, "{mode}");
            assert!(mode.description().starts_with(words), "{mode}");
        }
    }
}
