//! What is known of a person's places, and the child that a fence is for.
#![expect(
    clippy::disallowed_methods,
    reason = "caches are made as their programs would, and stand-ins are files"
)]

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::uses::Uses;
use crate::leftovers;
use crate::regular_file;
use tdd_core::isolation::Reach;

pub(super) struct Known {
    pub(super) reach: Reach,
    pub(super) vars: BTreeMap<OsString, OsString>,
    /// By `HOME`, and by the system's list of users, which `ssh` goes by.
    pub(super) homes: Vec<Home>,
    /// Of the project; where nothing is known of it, every program that is there counts.
    pub(super) uses: Option<Uses>,
    /// What must be writable in the homes, by real paths.
    pub(super) writable: OnceCell<Vec<PathBuf>>,
    /// Folders that we made, each behind the one that it lies in.
    pub(super) made: RefCell<Vec<PathBuf>>,
    /// Tells whoever comes after a kill which these are.
    pub(super) noted: OnceCell<Option<leftovers::MadeFolders>>,
    /// For what is shown in place of the person's files.
    pub(super) ours: OnceCell<Option<leftovers::OwnFolder>>,
    /// What git's settings say of where its helpers keep passwords.
    pub(super) git: OnceCell<Vec<PathBuf>>,
}

/// Without the values of variables, some of which are secrets.
impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Known")
            .field("reach", &self.reach)
            .field("homes", &self.homes)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Home {
    /// As the person's programs spell it.
    pub(super) spelled: PathBuf,
    pub(super) real: PathBuf,
}

/// The child that a fence is for.
pub(super) struct Whose<'a> {
    pub(super) repository: &'a Path,
    /// What can't be hidden, because the child or its run needs it.
    pub(super) needed: Vec<&'a Path>,
    /// What of the person's it uses as its own.
    pub(super) lent: &'a [PathBuf],
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Agent,
    Command,
}

impl Known {
    pub(super) fn var(&self, name: &str) -> Option<PathBuf> {
        let value = self.vars.get(OsStr::new(name)).map(PathBuf::from);
        value.filter(|path| path.is_absolute())
    }

    /// A place of `tdd.yaml`.
    pub(super) fn expanded(&self, place: &str) -> Option<PathBuf> {
        match place.strip_prefix("~/") {
            Some(below) => self.homes.first().map(|home| home.spelled.join(below)),
            None => Some(PathBuf::from(place)),
        }
    }

    /// Makes a folder with those above it, and remembers which were not there. A file of that name is none.
    pub(super) fn make(&self, path: &Path, repository: Option<&Path>) -> bool {
        let absent: Vec<&Path> = path.ancestors().take_while(|folder| !folder.exists()).collect();
        if let Some(repository) = repository.filter(|_| !absent.is_empty()) {
            let noted = self.noted.get_or_init(|| leftovers::MadeFolders::new(repository).ok());
            if let Some(noted) = noted {
                noted.add(absent.iter().rev().copied());
            }
        }
        let made = std::fs::create_dir_all(path).is_ok();
        self.made.borrow_mut().extend(absent.into_iter().rev().map(Path::to_owned));
        made
    }

    /// An empty file of ours, or a text, to be seen in place of one of the person's.
    pub(super) fn stand_in(&self, name: &str, text: &[u8], repository: &Path) -> Option<PathBuf> {
        let folder = self.ours.get_or_init(|| leftovers::temporary_folder(repository).ok()).as_ref()?;
        let file = folder.path().join(name);
        if regular_file::read(&file).ok().as_deref() != Some(text) {
            // Another child may see the old one; it keeps it.
            let new = folder.path().join(format!("{name}.new"));
            std::fs::write(&new, text).ok()?;
            std::fs::rename(&new, &file).ok()?;
        }
        file.canonicalize().ok()
    }
}

/// What nobody has put anything into is of no use to anybody.
impl Drop for Known {
    fn drop(&mut self) {
        for folder in self.made.take().iter().rev() {
            let _ = std::fs::remove_dir(folder);
        }
    }
}
