//! How strongly children are held: the levels of contract section 12.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What keeps a child from what its role may not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// An OS sandbox makes protected files read-only and hides what a role must not see.
    Enforce,
    /// Nothing is prevented: files are hashed, put back and reported.
    Audit,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Audit => "audit",
        }
    }
}

/// Which level a person asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// The strongest that this machine can keep.
    #[default]
    Auto,
    /// Refuse to run without the sandbox.
    Enforce,
    /// Leave the sandbox out even where it works.
    Audit,
}

impl Wanted {
    /// Every word, as flags and `tdd.yaml` spell it.
    pub const WORDS: [(&'static str, Self); 3] =
        [("auto", Self::Auto), ("enforce", Self::Enforce), ("audit", Self::Audit)];
}

/// The level of a run, and how it is kept or why it is no better.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Confinement {
    pub level: Level,
    /// For a person, without a full stop.
    pub words: String,
}

impl fmt::Display for Confinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.level.name(), self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_told_by_the_word_that_asks_for_it() {
        for (level, wanted) in [(Level::Enforce, Wanted::Enforce), (Level::Audit, Wanted::Audit)] {
            assert!(Wanted::WORDS.contains(&(level.name(), wanted)));
            assert_eq!(serde_json::to_value(level).unwrap(), level.name(), "as it is journalled");
            let confinement = Confinement { level, words: "why".into() };
            assert_eq!(confinement.to_string(), format!("{} (why)", level.name()));
        }
    }
}
