//! How many turns a child may take (contract section 9).
//!
//! A turn is one response of the model that calls tools, however many it calls. The bound is there
//! against a child that goes round in circles, so it lies far above what honest work takes: an
//! ordinary implementer of one small criterion takes about ten.

use std::collections::{BTreeMap, BTreeSet};

use crate::attempt::SetBy;
use crate::role::Role;

/// What an implementer has, and what every role begins with.
const BASE: u32 = 40;
/// For each criterion in hand of a role that has them all.
const EACH: u32 = 10;
/// The most that a role with many criteria gets by itself.
const MOST: u32 = 200;

/// The bounds that are set, by role; of a role without one the count of criteria says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnCaps {
    pub set: BTreeMap<Role, u32>,
    /// Those of them whose bound is their agent's.
    pub by_agent: BTreeSet<Role>,
}

impl TurnCaps {
    /// Who has set the cap of this role's children.
    pub fn set_by(&self, role: Role) -> SetBy {
        match (self.set.contains_key(&role), self.by_agent.contains(&role)) {
            (false, _) => SetBy::Nobody,
            (true, true) => SetBy::Agent,
            (true, false) => SetBy::Settings,
        }
    }

    /// The cap of one child, in turns. `criteria` are those in hand in this run.
    pub fn of(&self, role: Role, criteria: usize) -> u32 {
        let set = self.set.get(&role).copied();
        set.unwrap_or_else(|| match role {
            Role::Implementer | Role::Fixer => BASE,
            Role::TestWriter | Role::Refactorer => {
                let count = u32::try_from(criteria).unwrap_or(u32::MAX);
                EACH.saturating_mul(count).saturating_add(BASE).min(MOST)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_grows_with_the_criteria_in_hand_and_a_set_one_moves_it_both_ways() {
        let plain = TurnCaps::default();
        for (role, criteria, want) in [
            (Role::Implementer, 1, 40),
            (Role::Implementer, 30, 40),
            (Role::Fixer, 0, 40),
            (Role::TestWriter, 0, 40),
            (Role::TestWriter, 1, 50),
            (Role::TestWriter, 16, 200),
            (Role::TestWriter, 17, 200),
            (Role::Refactorer, 3, 70),
            (Role::Refactorer, usize::MAX, 200),
        ] {
            assert_eq!(plain.of(role, criteria), want, "{role}, {criteria}");
        }
        let set = TurnCaps {
            set: BTreeMap::from([(Role::Implementer, 4), (Role::Refactorer, 500)]),
            by_agent: BTreeSet::from([Role::Refactorer]),
        };
        assert_eq!(set.of(Role::Implementer, 1), 4, "down");
        assert_eq!(set.of(Role::Refactorer, 1), 500, "up");
        assert_eq!(set.of(Role::TestWriter, 1), 50, "the others are as they were");
        let by = [Role::Implementer, Role::Refactorer, Role::TestWriter].map(|role| set.set_by(role));
        assert_eq!(by, [SetBy::Settings, SetBy::Agent, SetBy::Nobody]);
    }
}
