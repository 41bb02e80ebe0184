//! The run's own target directory, and whether anybody else has written to it.
//!
//! A build is believed because of what lies in its target directory, and everybody with the
//! person's rights can put a test binary there that passes, or a library that was built from other
//! sources. So verifying runs never use the project's own (contract section 12: private caches).
//! The private one is made with the first build of a run and kept warm. While no role has run yet, it
//! is sown with what the person's own builds made of packages from outside of the project (`seed`);
//! the project's own are compiled, and later ones from scratch.
//!
//! It lies where a role could find it too. So its files are remembered after each build, with the
//! system's own change times, which nobody can set: what differs before the next build is thrown
//! away with all the rest, and what differs after the tests makes their run no evidence.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::seed::Seed;
use crate::runner::stamp::{Stamp, survey};
use crate::runner::verification::disk;
use tdd_core::trouble::Trouble;

const PREFIX: &str = "cargo-target-";

/// Where tests may write: `CARGO_TARGET_TMPDIR`, and what tests of compilers build.
const OF_TESTS: &[&str] = &["tmp", "tests"];

/// Where cargo keeps of each unit what it was made of; without that it makes the unit again.
const FINGERPRINTS: &str = ".fingerprint";

#[derive(Debug)]
pub(super) struct TargetDir {
    work: PathBuf,
    /// `None` before the first build.
    folder: Option<PathBuf>,
    /// A role may have run: nothing is taken over from anywhere any more.
    cold: bool,
    sealed: BTreeMap<PathBuf, Stamp>,
}

impl TargetDir {
    /// `work` is the run's private folder; nothing is made in it yet.
    pub(super) fn new(work: &Path) -> Self {
        // cargo runs elsewhere, so the path must not depend on where we are.
        let work = std::path::absolute(work).unwrap_or_else(|_| work.to_owned());
        Self { work, folder: None, cold: false, sealed: BTreeMap::new() }
    }

    /// The directory for the next build: the one of the last build if it is as that left it, else
    /// an empty one. The very first one gets the `seed`.
    pub(super) fn ready(&mut self, seed: Option<&Seed>) -> Result<PathBuf, Trouble> {
        if let Some(folder) = &self.folder
            && survey(folder, OF_TESTS) == self.sealed
        {
            return Ok(folder.clone());
        }
        // What an earlier process of this run left behind can't be vouched for by anybody.
        self.remove_all();
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&self.work);
        let folder = folder.map_err(|error| disk(&self.work, &error))?.keep();
        if let Some(seed) = seed.filter(|_| !self.cold) {
            seed.sow(&folder);
        }
        self.cold = true;
        self.folder = Some(folder.clone());
        Ok(folder)
    }

    /// From now on nothing that lies elsewhere is taken over.
    pub(super) fn grow_cold(&mut self) {
        self.cold = true;
    }

    /// Remembers what a build has made.
    pub(super) fn seal(&mut self) {
        let of_build = self.folder.as_deref().map(|folder| survey(folder, OF_TESTS));
        self.sealed = of_build.unwrap_or_default();
    }

    /// A file of the build that was changed or removed since; `None` if there is none. New files
    /// do no harm to what has been run.
    pub(super) fn touched(&self) -> Option<&Path> {
        let touched = |(path, stamp): &(&PathBuf, &Stamp)| Stamp::of(path) != Some(**stamp);
        self.sealed.iter().find(touched).map(|(path, _)| path.as_path())
    }

    /// Removes what a build made of a target that will never be built again. What is not of that
    /// build stays unknown, so nobody's file is vouched for by this.
    pub(super) fn forget(&mut self, target: &str) {
        let is_its = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().contains(target))
                || path
                    .parent()
                    .and_then(Path::file_name)
                    .is_some_and(|name| name.to_string_lossy().contains(target))
        };
        let own: Vec<PathBuf> = self.sealed.keys().filter(|path| is_its(path)).cloned().collect();
        for path in own {
            if std::fs::remove_file(&path).is_ok() {
                self.sealed.remove(&path);
            }
        }
    }

    /// What was made of all packages but these is made anew.
    pub(super) fn forget_all_but(&mut self, kept: &BTreeSet<String>) {
        let is_forgotten = |path: &&PathBuf| {
            let mut parts = path.iter().skip_while(|part| *part != FINGERPRINTS).skip(1);
            let unit = parts.next().map(OsStr::to_string_lossy).unwrap_or_default();
            unit.rsplit_once('-').is_some_and(|(name, _)| !kept.contains(name))
        };
        let gone: Vec<PathBuf> = self.sealed.keys().filter(is_forgotten).cloned().collect();
        for path in gone {
            if std::fs::remove_file(&path).is_err() {
                return self.remove_all();
            }
            self.sealed.remove(&path);
        }
    }

    /// Removal is tried and no more: what stays is in nobody's way but the disk's.
    pub(super) fn remove_all(&mut self) {
        self.folder = None;
        self.sealed.clear();
        for entry in std::fs::read_dir(&self.work).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(PREFIX) {
                let _ = tdd_child::folder::remove_all(&entry.path());
            }
        }
    }
}

/// The builds of a run are of no use after it, and they are large.
impl Drop for TargetDir {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = tdd_child::folder::remove_all(folder);
        }
    }
}
