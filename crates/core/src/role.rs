//! Roles, stages, and the key that budgets are counted by.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::criterion::CriterionId;

/// What a child is asked to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    TestWriter,
    Implementer,
    Refactorer,
    /// Outside the cycle: the one whom `tdd fix` asks.
    Fixer,
}

impl Role {
    /// The roles of a cycle, in their order.
    pub const ALL: [Self; 3] = [Self::TestWriter, Self::Implementer, Self::Refactorer];
    /// Those, and the one of `tdd fix`.
    pub const KNOWN: [Self; 4] = [Self::TestWriter, Self::Implementer, Self::Refactorer, Self::Fixer];

    pub fn name(self) -> &'static str {
        match self {
            Self::TestWriter => "test-writer",
            Self::Implementer => "implementer",
            Self::Refactorer => "refactorer",
            Self::Fixer => "fixer",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::KNOWN.into_iter().find(|role| role.name() == name)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A stage of a run; GREEN is entered once per criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum Stage {
    Red,
    Green,
    Refactor,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Red => "RED",
            Self::Green => "GREEN",
            Self::Refactor => "REFACTOR",
        })
    }
}

/// What one budget belongs to: a role, and for the implementer its criterion (section 9).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Key {
    TestWriter,
    Implementer(CriterionId),
    Refactorer,
}

impl Key {
    pub fn role(&self) -> Role {
        match self {
            Self::TestWriter => Role::TestWriter,
            Self::Implementer(_) => Role::Implementer,
            Self::Refactorer => Role::Refactorer,
        }
    }

    pub fn stage(&self) -> Stage {
        match self {
            Self::TestWriter => Stage::Red,
            Self::Implementer(_) => Stage::Green,
            Self::Refactorer => Stage::Refactor,
        }
    }

    pub fn criterion(&self) -> Option<&CriterionId> {
        match self {
            Self::Implementer(id) => Some(id),
            Self::TestWriter | Self::Refactorer => None,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Implementer(id) => write!(f, "implementer {id}"),
            Self::TestWriter | Self::Refactorer => f.write_str(self.role().name()),
        }
    }
}

/// Whom a child is asked to be: what one of a cycle's keys is for, or the fixer of `tdd fix`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Asked {
    Fixer,
    #[serde(untagged)]
    Key(Key),
}

impl Asked {
    pub fn role(&self) -> Role {
        match self {
            Self::Fixer => Role::Fixer,
            Self::Key(key) => key.role(),
        }
    }

    pub fn criterion(&self) -> Option<&CriterionId> {
        match self {
            Self::Fixer => None,
            Self::Key(key) => key.criterion(),
        }
    }
}

impl From<Key> for Asked {
    fn from(key: Key) -> Self {
        Self::Key(key)
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixer => f.write_str(Role::Fixer.name()),
            Self::Key(key) => key.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_read_by_the_name_that_it_has() {
        for role in Role::KNOWN {
            assert_eq!(Role::from_name(role.name()), Some(role));
            assert_eq!(role.to_string(), role.name());
            assert_eq!(serde_json::to_value(role).unwrap(), role.name(), "as it is journalled");
        }
        for stranger in ["", "writer", "Implementer", "implementer "] {
            assert_eq!(Role::from_name(stranger), None, "{stranger:?}");
        }
    }

    #[test]
    fn a_key_has_its_role_its_stage_and_its_criterion() {
        let one = CriterionId::new("X", 1).unwrap();
        for (key, role, stage, name) in [
            (Key::TestWriter, Role::TestWriter, "RED", "test-writer"),
            (Key::Implementer(one.clone()), Role::Implementer, "GREEN", "implementer AC-X.1"),
            (Key::Refactorer, Role::Refactorer, "REFACTOR", "refactorer"),
        ] {
            assert_eq!(
                (key.role(), key.stage().to_string(), key.to_string()),
                (role, stage.into(), name.into())
            );
            assert_eq!(key.criterion(), (role == Role::Implementer).then_some(&one), "{key}");
        }
    }

    #[test]
    fn whoever_is_asked_is_journalled_by_one_word_or_with_a_criterion() {
        let one = CriterionId::new("X", 1).unwrap();
        for (asked, json) in [
            (Asked::Fixer, "\"fixer\""),
            (Key::TestWriter.into(), "\"test-writer\""),
            (Key::Implementer(one).into(), "{\"implementer\":\"AC-X.1\"}"),
        ] {
            assert_eq!(serde_json::to_string(&asked).unwrap(), json);
            assert_eq!(serde_json::from_str::<Asked>(json).unwrap(), asked);
        }
        serde_json::from_str::<Asked>("\"judge\"").unwrap_err();
        serde_json::from_str::<Key>("\"fixer\"").unwrap_err();
    }
}
