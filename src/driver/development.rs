//! Production code that needs what its project names for development alone: it is there for the tests, and for nobody
//! who installs the project.

use std::collections::BTreeSet;

use tdd_core::attempt::CheckpointId;
use tdd_core::finding::{ChangeKind, ClassedChange, Notice};
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::Checkpoints;
use tdd_core::trouble::Trouble;
use tdd_source::{Files, Language};

use super::work_diff::{Between, WorkDiff};

impl<C: Checkpoints> WorkDiff<'_, C> {
    /// Changed sources that need such a package and did not before. Where other code of the project does as well, that is
    /// its way. What nobody else imports is a tool beside the code.
    pub(super) fn needing_development(
        &mut self,
        (base, after): Between<'_>,
        changed: &[ClassedChange],
    ) -> Result<Vec<Notice>, Trouble> {
        let is_source =
            |change: &&ClassedChange| change.class == FileClass::Source && change.kind != ChangeKind::Deleted;
        let mut found = Vec::new();
        for ClassedChange { path, .. } in changed.iter().filter(is_source) {
            let new = self.new_packages((base, after), path)?;
            if new.is_empty() {
                continue;
            }
            let files = self.files_at(after)?;
            let Some((manifest, development)) = self.for_development(path, after, &files)? else { continue };
            for package in new.intersection(&development) {
                let then = self.files_at(base)?;
                if !self.is_needed_elsewhere((path, package), base, &then)?
                    && self.is_imported(path, after, &files)?
                {
                    let (path, package, manifest) = (path.clone(), package.clone(), manifest.clone());
                    found.push(Notice::ForDevelopment { path, package, manifest });
                }
            }
        }
        Ok(found)
    }

    fn new_packages(
        &mut self,
        (base, after): Between<'_>,
        path: &RelPath,
    ) -> Result<BTreeSet<String>, Trouble> {
        let mut now = self.packages_at(path, after)?;
        if !now.is_empty() {
            let before = self.packages_at(path, base)?;
            now.retain(|package| !before.contains(package));
        }
        Ok(now)
    }

    fn packages_at(&mut self, path: &RelPath, at: &CheckpointId) -> Result<BTreeSet<String>, Trouble> {
        let (Some(language), Some(text)) = (Language::of(path.extension()), self.source(at, path)?) else {
            return Ok(BTreeSet::new());
        };
        Ok(tdd_source::needed_packages(language, &text))
    }

    /// The next manifest above a source, and what it names for development alone.
    fn for_development(
        &mut self,
        path: &RelPath,
        at: &CheckpointId,
        files: &Files,
    ) -> Result<Option<(RelPath, BTreeSet<String>)>, Trouble> {
        let name = match Language::of(path.extension()) {
            Some(Language::Python) => "pyproject.toml",
            Some(Language::JavaScript | Language::TypeScript | Language::Tsx) => "package.json",
            Some(Language::Go | Language::Rust) | None => return Ok(None),
        };
        let above = |manifest: &&RelPath| {
            manifest.file_name() == name
                && (manifest.folder().is_empty() || path.is_within(manifest.folder()))
        };
        let Some(manifest) = files.paths().filter(above).max_by_key(|path| path.folder().len()).cloned()
        else {
            return Ok(None);
        };
        let text = self.source(at, &manifest)?.unwrap_or_default();
        let development = tdd_spec::mixed_file::for_development(name, &text);
        Ok(Some((manifest, development)))
    }

    /// Whether other production code needed this package before.
    fn is_needed_elsewhere(
        &mut self,
        (path, package): (&RelPath, &str),
        base: &CheckpointId,
        files: &Files,
    ) -> Result<bool, Trouble> {
        for other in self.sources_like(path, files, &[FileClass::Source]) {
            if self.packages_at(&other, base)?.contains(package) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
