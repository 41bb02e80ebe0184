//! What is to be started, and how.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use super::descendants::Ended;
use crate::sandbox::Enclosure;

/// A child to be started by [`pty::spawn`](crate::pty::spawn) or
/// [`spawn_piped`](super::spawn_piped).
#[derive(Clone, Debug)]
pub struct SpawnOrder {
    /// Program and arguments. A program without a `/` is looked up in the child's own `PATH`.
    pub argv: Vec<OsString>,
    pub cwd: PathBuf,
    pub env: EnvPlan,
    pub stdin: StdinPlan,
    /// All that is printed goes here as it comes, mode 0600; what was there before is removed.
    pub log: PathBuf,
    /// The terminal's size; a child on a pipe has none.
    pub size: Size,
    /// The `tdd` binary whose `__exec` starts the child; [`exec::shim`](crate::exec::shim)
    /// unless a test says otherwise.
    pub shim: PathBuf,
    /// The OS sandbox around the child, if there is one.
    pub enclosure: Option<Enclosure>,
    /// Gets the processes that outlive the child.
    pub ended: Ended,
}

/// The child's environment. `TDD_CHILD` is set on top of it: it marks the child's descendants.
#[derive(Clone, Debug)]
pub struct EnvPlan {
    pub base: EnvBase,
    /// Set on top of the base.
    pub set: BTreeMap<OsString, OsString>,
}

/// Where the child's environment starts from.
#[derive(Clone, Debug)]
pub enum EnvBase {
    /// All that we have, less these.
    Inherit { remove: Vec<OsString> },
    /// Nothing but these, as far as we have them.
    Clear { pass: Vec<OsString> },
}

impl Default for EnvPlan {
    fn default() -> Self {
        Self { base: EnvBase::Inherit { remove: Vec::new() }, set: BTreeMap::new() }
    }
}

/// What the child reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StdinPlan {
    /// `/dev/null`: its input ends at once.
    #[default]
    Null,
    /// This file, opened read-only, also for a child on a terminal.
    File(PathBuf),
}

/// A terminal's size in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub rows: u16,
    pub cols: u16,
}

impl Default for Size {
    /// Wide, so that few lines are wrapped; never 0x0, on which some programs break.
    fn default() -> Self {
        Self { rows: 50, cols: 200 }
    }
}
