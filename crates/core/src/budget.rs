//! How many attempts are left for a key: two counts that never touch each other.

use serde::{Deserialize, Serialize};

use crate::mode::BudgetKind;

/// The bounds of one key, from the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bounds {
    /// Attempts that are judged on their work, the first included; at least 1.
    pub semantic: u8,
    /// Targeted retries after a format violation.
    pub format: u8,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { semantic: 2, format: 1 }
    }
}

/// What one key has used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spent {
    /// Attempts that failed in modes A, B, C or E.
    pub semantic: u8,
    /// Format violations.
    pub format: u8,
}

/// What may follow a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Allowance {
    Retry,
    Exhausted,
}

impl Spent {
    /// Books one failure of `kind` and says whether another attempt may follow it.
    #[must_use = "a spent budget halts the run"]
    pub fn book(&mut self, kind: BudgetKind, bounds: Bounds) -> Allowance {
        let may_retry = match kind {
            BudgetKind::Semantic => {
                self.semantic = self.semantic.saturating_add(1);
                self.semantic < bounds.semantic
            }
            BudgetKind::Format => {
                self.format = self.format.saturating_add(1);
                self.format <= bounds.format
            }
        };
        if may_retry { Allowance::Retry } else { Allowance::Exhausted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many failures of one kind come before the budget says no.
    #[test]
    fn each_bound_is_reached_and_not_passed() {
        for (bounds, kind, want) in [
            (Bounds { semantic: 1, format: 9 }, BudgetKind::Semantic, 1),
            (Bounds { semantic: 2, format: 9 }, BudgetKind::Semantic, 2),
            (Bounds { semantic: 3, format: 0 }, BudgetKind::Semantic, 3),
            (Bounds { semantic: 0, format: 9 }, BudgetKind::Semantic, 1),
            (Bounds { semantic: 9, format: 0 }, BudgetKind::Format, 1),
            (Bounds { semantic: 9, format: 1 }, BudgetKind::Format, 2),
            (Bounds { semantic: 1, format: 2 }, BudgetKind::Format, 3),
        ] {
            let mut spent = Spent::default();
            let failures = (1..20).find(|_| spent.book(kind, bounds) == Allowance::Exhausted);
            assert_eq!(failures, Some(want), "{bounds:?} {kind:?}");
            let other = if kind == BudgetKind::Semantic { spent.format } else { spent.semantic };
            assert_eq!(other, 0, "{bounds:?} {kind:?}: the other count is left alone");
        }
    }

    #[test]
    fn the_two_budgets_are_independent() {
        let bounds = Bounds::default();
        let mut spent = Spent::default();
        assert_eq!(spent.book(BudgetKind::Format, bounds), Allowance::Retry);
        assert_eq!(spent.book(BudgetKind::Semantic, bounds), Allowance::Retry);
        assert_eq!(spent.book(BudgetKind::Semantic, bounds), Allowance::Exhausted);
        assert_eq!(spent.book(BudgetKind::Format, bounds), Allowance::Exhausted);
    }
}
