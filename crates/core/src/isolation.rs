//! How strongly children are held: the levels of contract section 12.

use std::fmt;

use serde::{Deserialize, Serialize};

mod fences;

pub use fences::Fenced;

/// What keeps a child from what its role may not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// What children may reach of what is the person's and not the project's, in level `enforce`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reach {
    pub home: HomeAccess,
    pub network: Network,
    pub hide: Hide,
}

/// What may be done in the person's home outside of the repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HomeAccess {
    /// But for the caches of package managers.
    #[default]
    ReadOnly,
    Writable,
}

impl HomeAccess {
    /// As `tdd.yaml` spells it.
    pub const WORDS: [(&'static str, Self); 2] = [("ro", Self::ReadOnly), ("rw", Self::Writable)];
}

/// The network of the project's commands; an agent can't do without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Network {
    #[default]
    On,
    Off,
}

impl Network {
    /// As `tdd.yaml` spells it.
    pub const WORDS: [(&'static str, Self); 2] = [("on", Self::On), ("off", Self::Off)];
}

/// What is out of sight: places where credentials lie, and what a project adds or takes out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hide {
    pub credentials: Credentials,
    /// More places, absolute or from `~/`.
    pub more: Vec<String>,
    /// Places that stay in sight though they would be hidden.
    pub shown: Vec<String>,
    /// What the person's own settings hide; no project shows it.
    pub own: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Credentials {
    #[default]
    Hidden,
    Shown,
}

/// What stays open on this machine though the settings close it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Openings {
    /// Writable where the home can't be closed.
    pub home: HomeAccess,
    /// Places of credentials that a child sees all the same, each with why.
    pub seen: Vec<String>,
}

impl Reach {
    /// What is open, for a person; what `tdd.yaml` has opened comes last.
    pub fn words(&self, open: &Openings) -> String {
        let home = match (self.home, open.home) {
            (HomeAccess::ReadOnly, HomeAccess::ReadOnly) => "home read-only, caches writable",
            (HomeAccess::ReadOnly, HomeAccess::Writable) => {
                "home writable, since it is or lies in the repository or a folder for temporary files"
            }
            (HomeAccess::Writable, _) => "home writable",
        };
        let credentials = match self.hide.credentials {
            Credentials::Hidden if open.seen.is_empty() => "credentials out of sight".to_owned(),
            Credentials::Hidden => format!("credentials out of sight but for {}", open.seen.join(", ")),
            Credentials::Shown => "credentials in sight".to_owned(),
        };
        let network = match self.network {
            Network::On => "network open",
            Network::Off => "network open to agents alone",
        };
        let mut words = format!("{home}, {credentials}, {network}");
        let mut opened: Vec<&str> = Vec::new();
        opened.extend((self.home == HomeAccess::Writable).then_some("home"));
        opened.extend((self.hide.credentials == Credentials::Shown).then_some("credentials"));
        opened.extend(self.hide.shown.iter().map(String::as_str));
        if !opened.is_empty() {
            words.push_str("; opened by tdd.yaml: ");
            words.push_str(&opened.join(", "));
        }
        words
    }
}

/// The level of a run, and how it is kept or why it is no better.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    fn what_is_open_is_one_line_and_names_what_a_project_has_opened() {
        let closed = Reach::default();
        let words = |reach: &Reach| reach.words(&Openings::default());
        assert_eq!(words(&closed), "home read-only, caches writable, credentials out of sight, network open");
        let open =
            Openings { home: HomeAccess::Writable, seen: vec!["~/.ssh (a)".into(), "~/.aws (b)".into()] };
        assert_eq!(
            closed.words(&open),
            "home writable, since it is or lies in the repository or a folder for temporary files, \
             credentials out of sight but for ~/.ssh (a), ~/.aws (b), network open"
        );
        let hide = Hide { shown: vec!["~/.ssh".into()], ..Hide::default() };
        let opened = Reach { home: HomeAccess::Writable, network: Network::Off, hide };
        assert_eq!(
            words(&opened),
            "home writable, credentials out of sight, network open to agents alone; opened by tdd.yaml: home, ~/.ssh"
        );
        let hide = Hide { credentials: Credentials::Shown, ..Hide::default() };
        let bare = words(&Reach { hide, ..Reach::default() });
        assert!(bare.contains("credentials in sight") && bare.ends_with("opened by tdd.yaml: credentials"));
    }

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
