//! Files of tests that no target compiles.
//!
//! Where a manifest says `autotests = false`, a new file in `tests/` is nothing before a `[[test]]` names
//! it, and a module is nothing before its target declares it. cargo passes over both without a word,
//! and whoever wrote the tests would hear only that none of them ran. rustc tells what it has read
//! (`deps/*.d`), so a file that appears and is not among that is told as one that can't be loaded. What
//! was there before the first build is nobody's news.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::options::Options;
use super::{Base, folder_of};
use crate::test_report::cargo_build::Build;
use crate::test_report::failure;
use tdd_child::regular_file;
use tdd_core::path::RelPath;
use tdd_core::test::{FailureKind, LoadFailure};
use tdd_source::Language;

/// Those of the first build; `None` before it.
#[derive(Debug, Default)]
pub(super) struct Strays {
    known: Option<BTreeSet<RelPath>>,
}

impl Strays {
    /// Those that have appeared since, if all that there is to compile did compile.
    pub(super) fn new_ones(&mut self, base: &Base<'_>, build: &Build, options: &Options) -> Vec<LoadFailure> {
        let Some(workspace) = base.workspace.filter(|_| build.success == Some(true)) else {
            return Vec::new();
        };
        let root = Path::new(&workspace.root);
        let made = build.artifacts.iter().filter_map(|artifact| artifact.executable.as_deref());
        let read: BTreeSet<PathBuf> = made.flat_map(|made| sources(Path::new(made), root)).collect();
        let mut strays = BTreeSet::new();
        for package in workspace.chosen(&options.shared) {
            let tests = folder_of(&package.manifest_path).join("tests");
            let files = base.place.files_below(&tests).into_iter();
            let files = files.filter(|file| file.extension() == "rs");
            strays.extend(files.filter(|file| !read.contains(&base.place.absolute(file))));
        }
        let Some(known) = &self.known else {
            self.known = Some(strays);
            return Vec::new();
        };
        let new = strays.into_iter().filter(|file| !known.contains(file));
        new.filter(|file| holds_tests(&base.place.absolute(file))).map(told).collect()
    }
}

fn holds_tests(path: &Path) -> bool {
    let text = regular_file::read_to_string(path).unwrap_or_default();
    !tdd_source::declared(Language::Rust, &text).is_empty()
}

fn told(file: RelPath) -> LoadFailure {
    let words = format!(
        "no test target compiles {file}: name it in a [[test]] table of its package's Cargo.toml (name and \
         path; needed where the manifest says `autotests = false`), or declare it as a module of a target"
    );
    LoadFailure::new(file, failure(FailureKind::Load, &words, None))
}

/// The files that rustc has read for a binary, as the rules of its `.d` file name them.
fn sources(executable: &Path, root: &Path) -> Vec<PathBuf> {
    let text = regular_file::read_to_string(executable.with_extension("d")).unwrap_or_default();
    // Each source has a rule of its own without prerequisites; a blank in a name is escaped.
    let rules = text.lines().filter_map(|line| line.strip_suffix(':'));
    rules.map(|path| root.join(path.replace("\\ ", " "))).collect()
}
