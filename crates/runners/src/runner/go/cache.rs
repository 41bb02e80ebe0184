//! A build cache of the run's own.
//!
//! What go finds in its cache it does not build again, so whoever can write there decides what is
//! judged. The cache lies in a private folder of a name that nobody knew before, and packages are
//! built in a step of their own that runs none of them. What that step has left is remembered, and
//! an entry that was changed while tests ran makes the run no evidence. Entries that tests have
//! added would be found by a later build, so such a cache is not used again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::runner::stamp::Stamp;
use crate::runner::verification::disk;
use tdd_child::regular_file;
use tdd_core::trouble::Trouble;

const PREFIX: &str = "go-cache-";
/// An entry of the index is this short; go writes it again with the time of now when it is used.
const LONGEST_INDEX_ENTRY: u64 = 1024;

#[derive(Debug)]
pub(super) struct Cache {
    work: PathBuf,
    folder: Option<PathBuf>,
    /// Nothing was made yet, and no role has run: what others have built may be taken over.
    unused: bool,
    sealed: BTreeMap<PathBuf, Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    stamp: Stamp,
    /// What an entry of the index says, but for its time.
    says: Option<String>,
}

impl Cache {
    /// `work` is the run's private folder; nothing is made in it yet.
    pub(super) fn new(work: &Path) -> Self {
        let work = std::path::absolute(work).unwrap_or_else(|_| work.to_owned());
        Self { work, folder: None, unused: true, sealed: BTreeMap::new() }
    }

    /// Whether the next folder is the run's first.
    pub(super) fn is_unused(&self) -> bool {
        self.unused
    }

    /// From now on nothing is taken over.
    pub(super) fn grow_cold(&mut self) {
        self.unused = false;
    }

    /// The folder for the next build: the one of the last build if it is as that was left, else an
    /// empty one.
    pub(super) fn ready(&mut self) -> Result<PathBuf, Trouble> {
        if let Some(folder) = &self.folder
            && difference(&self.sealed, &survey(folder)).is_none()
        {
            return Ok(folder.clone());
        }
        self.remove();
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&self.work);
        let folder = folder.map_err(|error| disk(&self.work, &error))?.keep();
        self.unused = false;
        self.folder = Some(folder.clone());
        Ok(folder)
    }

    /// Remembers what a build has made.
    pub(super) fn seal(&mut self) {
        self.sealed = self.folder.as_deref().map(survey).unwrap_or_default();
    }

    /// To be called when the tests have run: an entry of the build that was changed or removed
    /// since. What is left is sealed anew, or thrown away if anything was added to it.
    pub(super) fn settle(&mut self) -> Option<PathBuf> {
        let now = self.folder.as_deref().map(survey).unwrap_or_default();
        let found = difference(&self.sealed, &now);
        let touched = found.clone().filter(|path| self.sealed.contains_key(path));
        if found.is_some() {
            self.remove();
        } else {
            self.sealed = now;
        }
        touched
    }

    fn remove(&mut self) {
        self.sealed.clear();
        if let Some(folder) = self.folder.take() {
            // What stays is in nobody's way but the disk's.
            let _ = tdd_child::folder::remove_all(&folder);
        }
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        self.remove();
    }
}

/// The first entry that is not as it was, one that was changed before one that was added.
fn difference(before: &BTreeMap<PathBuf, Entry>, now: &BTreeMap<PathBuf, Entry>) -> Option<PathBuf> {
    let same = |one: &Entry, other: &Entry| {
        one.stamp == other.stamp || (one.says.is_some() && one.says == other.says)
    };
    let changed = before.iter().find(|(path, entry)| !now.get(*path).is_some_and(|other| same(entry, other)));
    let added = || now.keys().find(|path| !before.contains_key(*path));
    changed.map(|(path, _)| path).or_else(added).cloned()
}

/// All entries, by path. The cache's own notes of when it was cleaned say nothing about a build.
fn survey(folder: &Path) -> BTreeMap<PathBuf, Entry> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(inner) = open.pop() {
        for entry in std::fs::read_dir(&inner).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(path);
            } else if inner != *folder
                && let Some(stamp) = Stamp::of(&path)
            {
                let says = says(&path, &entry);
                found.insert(path, Entry { stamp, says });
            }
        }
    }
    found
}

fn says(path: &Path, entry: &std::fs::DirEntry) -> Option<String> {
    let is_index = path.to_string_lossy().ends_with("-a");
    let short = || entry.metadata().is_ok_and(|data| data.is_file() && data.len() <= LONGEST_INDEX_ENTRY);
    // The others are the build itself, which may be large.
    if !is_index || !short() {
        return None;
    }
    let text = regular_file::read_to_string(path).ok()?;
    // `v1 ACTION OUTPUT SIZE TIME`
    text.trim_end().rsplit_once(' ').map(|(says, _)| says.trim_end().to_owned())
}
