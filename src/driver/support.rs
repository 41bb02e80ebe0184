//! What tests alone rest on, read from the tree as it is before anybody forked.

use std::collections::{BTreeMap, BTreeSet};

use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;
use tdd_core::policy::{FileClass, Learned};
use tdd_core::ports::Checkpoints;
use tdd_core::trouble::Trouble;
use tdd_source::{Files, Language, Project, loaded_alone, shipped, support_files};

use super::work_diff::WorkDiff;

/// Sources that are read; of a project with more nothing is said beyond them.
const MOST_SOURCES: usize = 20_000;
/// Bytes of a source that a person wrote.
const MOST_BYTES: usize = 512 * 1024;

const MANIFESTS: [&str; 6] =
    ["Cargo.toml", "go.mod", "package.json", "pyproject.toml", "setup.cfg", "setup.py"];

/// Text beside code that may import some.
const PAGES: [&str; 7] = ["html", "vue", "svelte", "astro", "mdx", "htm", "cshtml"];

/// The files of a project by what they are.
#[derive(Debug, Default)]
struct Parted {
    all: Vec<RelPath>,
    tests: BTreeMap<RelPath, String>,
    sources: BTreeMap<RelPath, String>,
    manifests: BTreeMap<RelPath, String>,
    data: BTreeSet<RelPath>,
    pages: BTreeMap<RelPath, String>,
}

impl Parted {
    fn with<T>(self, loaded: &BTreeSet<RelPath>, look: impl FnOnce(&Project<'_>) -> T) -> T {
        let packages = self.manifests.iter().filter_map(|(path, text)| Files::package(path, text)).collect();
        let shipped = shipped(&self.manifests, &self.all.iter().cloned().collect());
        let files = Files::new(self.all, packages);
        look(&Project {
            files: &files,
            tests: &self.tests,
            sources: &self.sources,
            data: &self.data,
            shipped: &shipped,
            loaded,
            pages: &self.pages,
        })
    }
}

impl<C: Checkpoints> WorkDiff<'_, C> {
    /// The files that only tests rest on; `learned` is what else is known of the project by now, `loaded` what the
    /// runner itself has loaded.
    pub(super) fn support(
        &mut self,
        at: &CheckpointId,
        learned: &Learned,
        loaded: &BTreeSet<RelPath>,
    ) -> Result<BTreeSet<RelPath>, Trouble> {
        let parted = self.parted(at, learned)?;
        if parted.tests.is_empty() {
            return Ok(BTreeSet::new());
        }
        Ok(parted.with(&self.unallowed(loaded), support_files))
    }

    /// Those of the files that serve the runner alone, which has loaded all of `loaded`.
    pub(super) fn loaded_alone(
        &mut self,
        at: &CheckpointId,
        files: &BTreeSet<RelPath>,
        loaded: &BTreeSet<RelPath>,
    ) -> Result<BTreeSet<RelPath>, Trouble> {
        let learned = self.policy.effective().learned.clone();
        let alone = self.parted(at, &learned)?.with(&self.unallowed(loaded), loaded_alone);
        Ok(alone.intersection(files).cloned().collect())
    }

    /// Less what the requirement lets its roles write: what that names in its turn is of the feature, too.
    fn unallowed(&self, loaded: &BTreeSet<RelPath>) -> BTreeSet<RelPath> {
        loaded.difference(&self.policy.effective().allowed_config).cloned().collect()
    }

    fn parted(&mut self, at: &CheckpointId, learned: &Learned) -> Result<Parted, Trouble> {
        let mut parted = Parted { all: self.checkpoints.files(at)?, ..Parted::default() };
        for path in parted.all.clone() {
            if MANIFESTS.contains(&path.file_name()) {
                parted.manifests.extend(self.text_of(at, &path)?.map(|text| (path.clone(), text)));
            }
            if learned.by_products.contains(&path) {
                continue;
            }
            let class = self.policy.classify(&path);
            let is_code = Language::of(path.extension()).is_some();
            let is_test = class == FileClass::Test || learned.tests.contains(&path);
            match class {
                FileClass::Source | FileClass::Test | FileClass::Gate
                    if is_code && parted.tests.len() + parted.sources.len() < MOST_SOURCES =>
                {
                    let Some(text) = self.text_of(at, &path)? else { continue };
                    let is_production = class == FileClass::Source && !is_test;
                    if is_production { &mut parted.sources } else { &mut parted.tests }.insert(path, text);
                }
                FileClass::Source if !is_code => {
                    if PAGES.contains(&path.extension()) {
                        parted.pages.extend(self.text_of(at, &path)?.map(|text| (path.clone(), text)));
                    }
                    parted.data.insert(path);
                }
                FileClass::Source
                | FileClass::Test
                | FileClass::Gate
                | FileClass::ByProduct
                | FileClass::Lock
                | FileClass::Mixed => {}
            }
        }
        Ok(parted)
    }

    fn text_of(&mut self, at: &CheckpointId, path: &RelPath) -> Result<Option<String>, Trouble> {
        Ok(self.source(at, path)?.filter(|text| text.len() <= MOST_BYTES))
    }
}
