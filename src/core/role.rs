//! Roles, stages, and the key that budgets are counted by.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::criterion::CriterionId;

/// What a child is asked to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    TestWriter,
    Implementer,
    Refactorer,
}

impl Role {
    pub const ALL: [Self; 3] = [Self::TestWriter, Self::Implementer, Self::Refactorer];

    pub fn name(self) -> &'static str {
        match self {
            Self::TestWriter => "test-writer",
            Self::Implementer => "implementer",
            Self::Refactorer => "refactorer",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A stage of a run; GREEN is entered once per criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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
