//! Private folders for what an agent keeps: its sessions, caches, settings.
//!
//! ```text
//! <run>/state/<key>-<number>/<VARIABLE>/      one session's; a format retry goes on in the same
//!     auth.json -> the person's own           the log-in, as a link: no secret is copied into the run
//!     settings.json                           what the table makes there, see `made`
//! ```
//!
//! They lie in the run's folder, so that a session can be gone on with after a crash, and so that
//! `tdd clean` removes them. No role sees another's: the runs are out of sight but for this one.
#![expect(clippy::disallowed_methods, reason = "these folders are on the disk")]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use super::AgentSetup;
use super::call::Call;
use super::exchange::{make_folder, slug, unwritable};
use crate::agent_table::{AgentTable, StateDir};
use tdd_child::folder;
use tdd_child::regular_file;
use tdd_core::ports::AgentOrder;
use tdd_core::trouble::Trouble;

mod made;

/// The longest log-in that is given back to where it came from.
const LONGEST_LOGIN: u64 = 1 << 20;

/// Whether a session begins, or goes on where the last one of its key was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Session {
    New,
    GoesOn,
}

/// The private folders of one session; empty for a table without `state_dirs`.
#[derive(Debug, Default)]
pub(super) struct Home {
    /// Holds all of the folders.
    base: Option<PathBuf>,
    folders: Vec<(OsString, PathBuf)>,
    dirs: Vec<StateDir>,
    carried: Vec<Carried>,
}

#[derive(Debug)]
struct Carried {
    own: PathBuf,
    private: PathBuf,
}

impl Home {
    pub(super) fn open(
        setup: &AgentSetup,
        table: &AgentTable,
        order: &AgentOrder,
        session: Session,
    ) -> Result<Self, Trouble> {
        if table.state_dirs.is_empty() {
            return Ok(Self::default());
        }
        let base = match session {
            Session::New => fresh(&numbered(&setup.state_root, order, order.number))?,
            Session::GoesOn => last(setup, order)?,
        };
        let (folders, dirs, carried) = (Vec::new(), Vec::new(), Vec::new());
        let mut home = Self { base: Some(base.clone()), folders, dirs, carried };
        for dir in &table.state_dirs {
            let folder = base.join(&dir.variable);
            make_folder(&folder).map_err(|error| unwritable(&folder, &error))?;
            home.carry(dir, &folder, setup)?;
            home.folders.push((OsString::from(&dir.variable), folder));
            home.dirs.push(dir.clone());
        }
        Ok(home)
    }

    /// Makes the table's files in the folders; the person's own are only read.
    pub(super) fn fill(&self, call: &Call<'_>, setup: &AgentSetup) -> Result<(), Trouble> {
        let mut folders = self.dirs.iter().zip(&self.folders);
        folders.try_for_each(|(dir, (_, folder))| made::make(dir, folder, call, setup))
    }

    /// What the child may write to besides its exchange folder.
    pub(super) fn base(&self) -> Option<&Path> {
        self.base.as_deref()
    }

    /// The person's own log-in, which the child reads and renews through a link.
    pub(super) fn lent(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.carried.iter().filter_map(|carried| carried.own.canonicalize().ok())
    }

    /// The variables that name the folders.
    pub(super) fn variables(&self) -> impl Iterator<Item = (OsString, OsString)> + '_ {
        self.folders.iter().map(|(name, folder)| (name.clone(), folder.clone().into_os_string()))
    }

    /// The private folder that this variable names.
    pub(super) fn folder(&self, variable: &str) -> Option<PathBuf> {
        let named = self.folders.iter().find(|(name, _)| name == OsStr::new(variable));
        named.map(|(_, folder)| folder.clone())
    }

    fn carry(&mut self, dir: &StateDir, folder: &Path, setup: &AgentSetup) -> Result<(), Trouble> {
        let Some(own) = persons_own(dir, setup) else { return Ok(()) };
        for path in &dir.carry {
            let (own, private) = (own.join(path), folder.join(path));
            if !own.is_file() {
                continue;
            }
            if fs::symlink_metadata(&private).is_err() {
                let above = private.parent().unwrap_or(folder);
                make_folder(above)
                    .and_then(|()| symlink(&own, &private))
                    .map_err(|error| unwritable(&private, &error))?;
            }
            self.carried.push(Carried { own, private });
        }
        Ok(())
    }

    /// A program that renews its log-in may put a file in the link's place. The old one is worth
    /// nothing then, so the new one goes to where the link led, and the run keeps no copy. It keeps none
    /// of the person's settings either.
    fn give_back(&self) {
        for (dir, (_, folder)) in self.dirs.iter().zip(&self.folders) {
            made::take_away(dir, folder);
        }
        for carried in &self.carried {
            let about = fs::symlink_metadata(&carried.private);
            if about.is_ok_and(|about| about.is_file() && about.len() <= LONGEST_LOGIN) {
                // If it can't be done the person has to log in again, and the agent will say so.
                let _ = carried.give_back();
            }
        }
    }
}

/// However the attempt ended.
impl Drop for Home {
    fn drop(&mut self) {
        self.give_back();
    }
}

impl Carried {
    fn give_back(&self) -> std::io::Result<()> {
        let renewed = regular_file::head_of(regular_file::open(&self.private)?, LONGEST_LOGIN)?;
        // What the person's file is now: a link in its place is followed, and stays.
        let own = self.own.canonicalize()?;
        let mut beside = own.clone().into_os_string();
        beside.push(format!(".tdd-{}", std::process::id()));
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true).mode(0o600).open(&beside)?.write_all(&renewed)?;
        fs::rename(&beside, own)?;
        fs::remove_file(&self.private)?;
        symlink(&self.own, &self.private)
    }
}

/// The folder that the program would use without us.
pub(super) fn persons_own(dir: &StateDir, setup: &AgentSetup) -> Option<PathBuf> {
    folder_of(&dir.variable, &dir.of, setup)
}

/// The person's folder that a variable names; else the one `of` below HOME.
pub(super) fn folder_of(variable: &str, of: &str, setup: &AgentSetup) -> Option<PathBuf> {
    let value = |name: &str| {
        let found = setup.env.iter().find(|(key, _)| key == OsStr::new(name));
        found.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute())
    };
    let below = |home: PathBuf| if of == "." { home } else { home.join(of) };
    value(variable).or_else(|| value("HOME").map(below))
}

fn numbered(root: &Path, order: &AgentOrder, number: u8) -> PathBuf {
    root.join(format!("{}-{number}", slug(&order.asked)))
}

/// An attempt that a crash or a back-off made again has a session of its own.
fn fresh(base: &Path) -> Result<PathBuf, Trouble> {
    if fs::symlink_metadata(base).is_ok() {
        folder::remove_all(base).map_err(|error| unwritable(base, &error))?;
    }
    make_folder(base).map_err(|error| unwritable(base, &error))?;
    Ok(base.to_owned())
}

/// A retry that goes on makes no folder, so the last one of its key is its session's.
fn last(setup: &AgentSetup, order: &AgentOrder) -> Result<PathBuf, Trouble> {
    let earlier = (1..order.number).rev().map(|number| numbered(&setup.state_root, order, number));
    earlier.into_iter().find(|base| base.is_dir()).ok_or_else(|| {
        let first = numbered(&setup.state_root, order, 1);
        Trouble::environment(format!("the session of {} can't be gone on with", order.asked))
            .because(format!("its folder is gone: {}", first.display()))
            .advise("begin this stage anew: tdd resume --retry after a halt, or tdd <FR> --new")
    })
}
