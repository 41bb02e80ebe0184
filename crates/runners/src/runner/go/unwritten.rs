//! Packages that have tests and no code yet.
//!
//! go builds the tests that lie in such a package, and refuses whatever imports it without a word of which
//! file does. With a source that declares nothing it says of each file what it misses, as everywhere. Nothing is run with
//! that: what is left then is built once more without it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::packages::Package;
use crate::runner::verification::{Verification, disk};
use crate::test_report::go_error::{self, BuildError};
use tdd_child::regular_file;
use tdd_core::trouble::Trouble;

/// What no test file is called.
const SOURCE: &str = "unwritten.go";

#[derive(Debug, Default)]
pub(super) struct Unwritten {
    /// Folder to the name of the package, of those that have no source of ours yet.
    known: BTreeMap<PathBuf, String>,
    /// Import paths of all of them.
    imports: BTreeSet<String>,
    /// Where a source seems to lie, and where its text is.
    sources: BTreeMap<PathBuf, PathBuf>,
}

impl Unwritten {
    pub(super) fn know(&mut self, packages: &[Package]) {
        for package in packages.iter().filter(|package| package.has_only_tests) {
            self.known.insert(PathBuf::from(&package.dir), package.name.clone());
            self.imports.insert(package.import.clone());
        }
    }

    /// Gives a source to those packages that go has refused for want of one: whether there is any. Each has one
    /// once.
    pub(super) fn stand_in(
        &mut self,
        (said, project): (&str, &Path),
        verification: &Verification,
    ) -> Result<bool, Trouble> {
        let before = self.sources.len();
        for folder in go_error::without_code(said).map(|folder| project.join(folder)) {
            let Some(name) = self.known.remove(&folder) else { continue };
            let text = verification.fresh(&format!("unwritten-{}.go", self.sources.len()));
            regular_file::write(&text, format!("package {name}\n")).map_err(|error| disk(&text, &error))?;
            self.sources.insert(folder.join(SOURCE), text);
        }
        Ok(self.sources.len() > before)
    }

    /// Takes them away again: whether there were any.
    pub(super) fn stand_down(&mut self) -> bool {
        !std::mem::take(&mut self.sources).is_empty()
    }

    /// For the overlay.
    pub(super) fn files(&self) -> impl Iterator<Item = (PathBuf, String)> + '_ {
        self.sources.iter().map(|(path, text)| (path.clone(), text.to_string_lossy().into_owned()))
    }

    /// Leaves out, of one file's errors, that a package is of no use which declares nothing yet, where there are others: a
    /// file that takes all of its names (`import .`) uses none as long as none is there.
    pub(super) fn leave_out_unused(&self, errors: &mut Vec<&BuildError>) {
        let is_unused = |error: &&BuildError| {
            self.imports.iter().any(|import| go_error::is_unused(&error.message, import))
        };
        if !errors.iter().all(is_unused) {
            errors.retain(|error| !is_unused(error));
        }
    }
}
