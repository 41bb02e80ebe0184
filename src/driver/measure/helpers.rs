//! What lies around a test file: the helpers that it calls, read from the checkpoint that it is
//! judged in.

use std::collections::{BTreeMap, BTreeSet};

use crate::driver::cycle::Drive;
use tdd_core::attempt::CheckpointId;
use tdd_core::finding::ClassedChange;
use tdd_core::path::RelPath;
use tdd_core::policy::{self, FileClass};
use tdd_core::ports::{Checkpoints, World};
use tdd_core::trouble::Trouble;
use tdd_source::{Around, Files, Helpers, Home, Language, Package, Place};

/// Files of helpers that call helpers of another file.
const DEPTH: usize = 4;

/// Helper files that are read for all tests of an attempt. What lies beyond can't be read.
const MOST_READ: usize = 200;

/// Manifests that are asked for the names of packages.
const MOST_MANIFESTS: usize = 100;

/// A file and what it says.
pub(in crate::driver) type Named = (RelPath, String);

/// The helpers of one checkpoint, each read once.
pub(super) struct HelperBook {
    at: CheckpointId,
    pub(super) files: Files,
    read: BTreeMap<RelPath, Helpers>,
    /// Files that are being read: who calls in a circle learns nothing new.
    open: BTreeSet<RelPath>,
}

impl<W: World> Drive<'_, W> {
    pub(super) fn helper_book(&mut self, at: &CheckpointId) -> Result<HelperBook, Trouble> {
        let files = self.ports.checkpoints.files(at)?;
        let is_manifest =
            |path: &&RelPath| matches!(path.file_name(), "Cargo.toml" | "package.json" | "go.mod");
        let manifests: Vec<RelPath> =
            files.iter().filter(is_manifest).take(MOST_MANIFESTS).cloned().collect();
        let mut packages: Vec<Package> = Vec::new();
        for path in manifests {
            let text = self.source(at, &path)?.unwrap_or_default();
            packages.extend(Files::package(&path, &text));
        }
        Ok(HelperBook {
            at: at.clone(),
            files: Files::new(files, packages),
            read: BTreeMap::new(),
            open: BTreeSet::new(),
        })
    }

    /// Those of these files that another file of the run's change takes something from, or names.
    pub(in crate::driver) fn named_by_others(
        &mut self,
        files: &[RelPath],
        at: &CheckpointId,
    ) -> Result<BTreeSet<RelPath>, Trouble> {
        let mut users = Vec::new();
        for change in self.changed_since_start(at)? {
            let source = self.source(at, &change.path)?;
            users.extend(source.map(|source| (change.path, source)));
        }
        self.named_in(files, at, &users)
    }

    pub(in crate::driver) fn changed_since_start(
        &mut self,
        at: &CheckpointId,
    ) -> Result<Vec<ClassedChange>, Trouble> {
        Ok(self.work_since_start(at)?.changed)
    }

    /// The same of these sources.
    pub(in crate::driver) fn named_in(
        &mut self,
        files: &[RelPath],
        at: &CheckpointId,
        users: &[Named],
    ) -> Result<BTreeSet<RelPath>, Trouble> {
        let book = self.helper_book(at)?;
        let mut texts = BTreeMap::new();
        for file in files {
            texts.insert(file.clone(), self.source(at, file)?.unwrap_or_default());
        }
        let mut named = BTreeSet::new();
        for (path, source) in users {
            let taken = taken_from(&book.files, (path, source));
            let is_named = |(file, text): &(&RelPath, &String)| {
                *file != path && (taken.contains(*file) || names((path, source), (file, text)))
            };
            named.extend(texts.iter().filter(is_named).map(|(file, _)| file.clone()));
        }
        Ok(named)
    }

    pub(in crate::driver) fn text_at(
        &mut self,
        at: &CheckpointId,
        path: &RelPath,
    ) -> Result<Option<String>, Trouble> {
        self.source(at, path)
    }

    /// What the imports of a file lead to, and what it may use without one.
    pub(super) fn around(
        &mut self,
        book: &mut HelperBook,
        (file, source): (&RelPath, &str),
        depth: usize,
    ) -> Result<Around, Trouble> {
        let mut around = Around::default();
        let Some(language) = Language::of(file.extension()) else { return Ok(around) };
        for need in tdd_source::needs(language, source) {
            let home = match book.files.place(language, file, &need) {
                Place::Absent => Home::Production,
                Place::Own => Home::Own,
                Place::Library => Home::Library,
                Place::Files(files) => {
                    let files: Vec<RelPath> =
                        files.into_iter().filter(|path| self.takes_part(path)).collect();
                    if files.is_empty() {
                        Home::Production
                    } else {
                        Home::Helpers(self.read_helpers(book, &files, depth)?)
                    }
                }
            };
            around.homes.insert(need, home);
        }
        let beside = book.files.beside(language, file);
        around.beside = self.read_helpers(book, &beside, depth)?;
        Ok(around)
    }

    /// Whether a file takes part in tests: by its class, or by a word of its path.
    pub(super) fn takes_part(&self, path: &RelPath) -> bool {
        let says = |part: &str| {
            let part = part.to_ascii_lowercase();
            ["test", "spec", "fixture", "helper", "mock"].iter().any(|word| part.contains(word))
        };
        match self.policy.classify(path) {
            FileClass::Test | FileClass::Gate => true,
            FileClass::Source => policy::names_a_test(path) || path.as_str().split('/').any(says),
            FileClass::ByProduct | FileClass::Lock | FileClass::Mixed => false,
        }
    }

    fn read_helpers(
        &mut self,
        book: &mut HelperBook,
        files: &[RelPath],
        depth: usize,
    ) -> Result<Helpers, Trouble> {
        let mut all = Helpers::default();
        for file in files {
            if let Some(known) = book.read.get(file) {
                all.join(known);
                continue;
            }
            let has_room = depth > 0 && book.read.len() + book.open.len() < MOST_READ;
            let language = Language::of(file.extension()).filter(|_| has_room);
            let (Some(language), true) = (language, book.open.insert(file.clone())) else { continue };
            let source = self.source(&book.at, file)?.unwrap_or_default();
            let around = self.around(book, (file, &source), depth - 1)?;
            let found = tdd_source::helpers(language, &source, &around).unwrap_or_default();
            book.open.remove(file);
            all.join(&found);
            book.read.insert(file.clone(), found);
        }
        Ok(all)
    }

    pub(super) fn around_test(
        &mut self,
        book: &mut HelperBook,
        test: (&RelPath, &str),
    ) -> Result<Around, Trouble> {
        self.around(book, test, DEPTH)
    }
}

/// The project's files that the imports of this one lead to.
pub(super) fn taken_from(files: &Files, (path, source): (&RelPath, &str)) -> BTreeSet<RelPath> {
    let Some(language) = Language::of(path.extension()) else { return BTreeSet::new() };
    let needs = tdd_source::needs(language, source).into_iter();
    let leads_to = needs.flat_map(|need| match files.place(language, path, &need) {
        Place::Files(files) => files,
        Place::Absent | Place::Own | Place::Library => Vec::new(),
    });
    // An import of Go's names a whole package.
    leads_to.filter(|_| language != Language::Go).collect()
}

/// Whether a file names another one in another way than by an import: by its path, as one of its package, or, where no
/// grammar tells, by a word.
pub(super) fn names((path, source): (&RelPath, &str), (other, text): (&RelPath, &str)) -> bool {
    let name = other.file_name();
    if source.contains(name) {
        return true;
    }
    match Language::of(path.extension()) {
        Some(Language::Go) => {
            path.folder() == other.folder() && tdd_source::leans_on(Language::Go, source, text)
        }
        Some(_) => false,
        None => source.contains(name.split('.').next().unwrap_or(name)),
    }
}
