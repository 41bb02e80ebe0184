//! One line of the battery: a child in a role, what it does, and what must come of it.

use tdd_core::role::Role;

use super::projects::{self, Project};

pub const TW: Role = Role::TestWriter;
pub const IM: Role = Role::Implementer;
pub const RF: Role = Role::Refactorer;

/// What must come of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The operation itself fails or has no effect, and the run ends well.
    Prevented,
    /// The attempt fails for a reason that holds these words, and the tree is as it was before it.
    Failed(&'static str),
    /// The run ends well, what was done is undone, and these words tell of it.
    Recorded(&'static str),
    /// The run stops, with these words, and goes on to a good end as the entry's `again` says.
    Stops(&'static str),
    /// The run ends with a criterion that is not verified, and says so in these words.
    Unverified(&'static str),
    /// Nothing keeps the child from it at this level, and the summary says so in these words.
    Named(&'static str),
    /// Nothing catches it at any level, and the guide says so in these words.
    Listed(&'static str),
    /// An honest child: the run ends well and blames nobody.
    Passes,
}

/// Whether the child means well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    Cheat,
    Honest,
}

/// How a run that stopped goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// `tdd resume`.
    Resume,
    /// `tdd resume`, after a person did this, in `sh`.
    After(&'static str),
    /// `tdd <FR> --new`: what the run needs was destroyed.
    Anew,
}

#[derive(Clone, Debug)]
pub struct Entry {
    pub name: &'static str,
    pub intent: Intent,
    pub role: Role,
    /// What the child does, in `sh`; its last command is the attempt. `red`, `green`, `wrong` and
    /// `$T` are what the project's prelude defines.
    pub action: &'static str,
    /// More of the prelude, for all roles.
    pub prelude: &'static str,
    /// More keys of the cassette's entry, as JSON: `say`, `raw`, `misbehave`, …
    pub more: &'static str,
    pub project: Project,
    /// Files besides the project's own.
    pub files: Vec<(&'static str, &'static str)>,
    /// Done before the run, in `sh`, and not committed.
    pub setup: &'static str,
    /// Lines added to `tdd.yaml`.
    pub settings: &'static str,
    pub args: Vec<&'static str>,
    /// A shell condition that holds if the attempt had its effect, looked at after the run.
    pub effect: &'static str,
    /// A shell condition that must hold after a run that ended well, instead of the project's.
    pub truth: &'static str,
    pub again: Again,
    pub audit: Wanted,
    pub enforce: Wanted,
}

/// A child of this role that tries this.
pub fn cheat(name: &'static str, role: Role, action: &'static str) -> Entry {
    Entry {
        name,
        intent: Intent::Cheat,
        role,
        action,
        prelude: "",
        more: "{}",
        project: projects::UNITTEST,
        files: Vec::new(),
        setup: "",
        settings: "",
        args: Vec::new(),
        effect: "",
        truth: projects::UNITTEST.truth,
        again: Again::Resume,
        audit: Wanted::Passes,
        enforce: Wanted::Passes,
    }
}

/// A child of this role that means well, and must get through.
pub fn honest(name: &'static str, role: Role, action: &'static str) -> Entry {
    Entry { intent: Intent::Honest, ..cheat(name, role, action) }
}

impl Entry {
    /// The same at both levels.
    pub fn wants(self, wanted: Wanted) -> Self {
        Self { audit: wanted, enforce: wanted, ..self }
    }

    pub fn fails(self, words: &'static str) -> Self {
        self.wants(Wanted::Failed(words))
    }

    pub fn recorded(self, words: &'static str) -> Self {
        self.wants(Wanted::Recorded(words))
    }

    /// Another outcome at level `enforce`.
    pub fn enforced(self, wanted: Wanted) -> Self {
        Self { enforce: wanted, ..self }
    }

    pub fn prevented_by_enforce(self) -> Self {
        self.enforced(Wanted::Prevented)
    }

    pub fn on(self, project: Project) -> Self {
        Self { truth: project.truth, project, ..self }
    }

    pub fn with(mut self, path: &'static str, text: &'static str) -> Self {
        self.files.push((path, text));
        self
    }

    pub fn more(self, more: &'static str) -> Self {
        Self { more, ..self }
    }

    pub fn prelude(self, prelude: &'static str) -> Self {
        Self { prelude, ..self }
    }

    pub fn setup(self, setup: &'static str) -> Self {
        Self { setup, ..self }
    }

    pub fn settings(self, settings: &'static str) -> Self {
        Self { settings, ..self }
    }

    pub fn arg(mut self, arg: &'static str) -> Self {
        self.args.push(arg);
        self
    }

    pub fn effect(self, effect: &'static str) -> Self {
        Self { effect, ..self }
    }

    pub fn again(self, again: Again) -> Self {
        Self { again, ..self }
    }

    pub fn truth(self, truth: &'static str) -> Self {
        Self { truth, ..self }
    }
}
