//! What tests alone rest on, read from the tree as it is before anybody forked.

use std::collections::{BTreeMap, BTreeSet};

use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;
use tdd_core::policy::{FileClass, Learned};
use tdd_core::ports::Checkpoints;
use tdd_core::trouble::Trouble;
use tdd_source::{Files, Language, Project, shipped, support_files};

use super::work_diff::WorkDiff;

/// Sources that are read; of a project with more nothing is said beyond them.
const MOST_SOURCES: usize = 20_000;
/// Bytes of a source that a person wrote.
const MOST_BYTES: usize = 512 * 1024;

const MANIFESTS: [&str; 6] =
    ["Cargo.toml", "go.mod", "package.json", "pyproject.toml", "setup.cfg", "setup.py"];

impl<C: Checkpoints> WorkDiff<'_, C> {
    /// The files that only tests rest on; `learned` is what else is known of the project by now.
    pub(super) fn support(
        &mut self,
        at: &CheckpointId,
        learned: &Learned,
    ) -> Result<BTreeSet<RelPath>, Trouble> {
        let all = self.checkpoints.files(at)?;
        let (mut tests, mut sources, mut manifests) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut data = BTreeSet::new();
        for path in &all {
            if MANIFESTS.contains(&path.file_name()) {
                manifests.extend(self.text_of(at, path)?.map(|text| (path.clone(), text)));
            }
            if learned.by_products.contains(path) {
                continue;
            }
            let class = self.policy.classify(path);
            let is_code = Language::of(path.extension()).is_some();
            let is_test = class == FileClass::Test || learned.tests.contains(path);
            match class {
                FileClass::Source | FileClass::Test | FileClass::Gate
                    if is_code && tests.len() + sources.len() < MOST_SOURCES =>
                {
                    let Some(text) = self.text_of(at, path)? else { continue };
                    let is_production = class == FileClass::Source && !is_test;
                    if is_production { &mut sources } else { &mut tests }.insert(path.clone(), text);
                }
                FileClass::Source if !is_code => {
                    data.insert(path.clone());
                }
                FileClass::Source
                | FileClass::Test
                | FileClass::Gate
                | FileClass::ByProduct
                | FileClass::Lock
                | FileClass::Mixed => {}
            }
        }
        if tests.is_empty() {
            return Ok(BTreeSet::new());
        }
        let packages = manifests.iter().filter_map(|(path, text)| Files::package(path, text)).collect();
        let shipped = shipped(&manifests, &all.iter().cloned().collect());
        let files = Files::new(all, packages);
        Ok(support_files(&Project {
            files: &files,
            tests: &tests,
            sources: &sources,
            data: &data,
            shipped: &shipped,
        }))
    }

    fn text_of(&mut self, at: &CheckpointId, path: &RelPath) -> Result<Option<String>, Trouble> {
        Ok(self.source(at, path)?.filter(|text| text.len() <= MOST_BYTES))
    }
}
