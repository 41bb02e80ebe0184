//! Production code that takes what it needs from files of tests: it works where these lie beside it, and in no
//! installation. The tests, which bring them along, are green either way. And code that changes what tests take from
//! others: a module in the place of an installed one.

use std::collections::BTreeSet;

use tdd_core::attempt::CheckpointId;
use tdd_core::finding::{ChangeKind, ClassedChange, TestAware, TestAwareKind};
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::Checkpoints;
use tdd_core::trouble::Trouble;
use tdd_source::{Files, Language};

use super::work_diff::{Between, WorkDiff};

/// Sources that are read, where some rest on tests, to see whether that is a habit of the project.
const MOST_SOURCES: usize = 2000;

impl<C: Checkpoints> WorkDiff<'_, C> {
    /// Changed sources that need a file of tests and did not before. Where other code of the project does as well, that
    /// is its way: such files are shipped. What nobody else imports is a tool beside the code, as benchmarks are.
    pub(super) fn needing_tests(
        &mut self,
        (base, after): Between<'_>,
        changed: &[ClassedChange],
    ) -> Result<Vec<TestAware>, Trouble> {
        let sources: Vec<&RelPath> = changed
            .iter()
            .filter(|change| change.class == FileClass::Source && change.kind != ChangeKind::Deleted)
            .map(|change| &change.path)
            .filter(|path| Language::of(path.extension()).is_some())
            .collect();
        if sources.is_empty() {
            return Ok(Vec::new());
        }
        let new = self.files_at(after)?;
        let mut found = Vec::new();
        for path in sources {
            let Some(on) = self.needed_test(path, after, &new)? else { continue };
            let old = self.files_at(base)?;
            if self.needed_test(path, base, &old)?.is_some()
                || self.is_habit(path, base, &old)?
                || !self.is_imported(path, after, &new)?
            {
                continue;
            }
            found.push(TestAware { path: path.clone(), kind: TestAwareKind::NeedsTests { on } });
        }
        Ok(found)
    }

    /// New sources that Python loaded in the place of a module that is installed, which a file of tests from before the
    /// run imports: what those tests expect by it would mean something else. New tests may be about the new module.
    pub(in crate::driver) fn hiding(
        &mut self,
        (zero, hiding): (&CheckpointId, &BTreeSet<RelPath>),
        changed: &[ClassedChange],
    ) -> Result<Vec<TestAware>, Trouble> {
        let is_new = |change: &&ClassedChange| {
            change.class == FileClass::Source
                && change.kind == ChangeKind::Added
                && hiding.contains(&change.path)
        };
        let new: Vec<&RelPath> = changed.iter().filter(is_new).map(|change| &change.path).collect();
        if new.is_empty() {
            return Ok(Vec::new());
        }
        // A module that becomes a package was there, and may be installed from here.
        let then = self.files_at(zero)?;
        let was_own = |path: &RelPath| {
            let (folder, stem) = (path.folder(), path.stem());
            let other = if stem == "__init__" {
                format!("{folder}.py")
            } else {
                format!("{folder}/{stem}/__init__.py")
            };
            let other = other.trim_start_matches('/');
            then.paths().any(|file| file.as_str() == other)
        };
        // A file of fixtures is one of the gate's.
        let is_test = |path: &RelPath| {
            path.extension() == "py"
                && matches!(self.policy.classify(path), FileClass::Test | FileClass::Gate)
        };
        let tests: Vec<RelPath> = self.checkpoints.files(zero)?.into_iter().filter(is_test).collect();
        let mut found: Vec<TestAware> = Vec::new();
        for from in tests {
            let Some(text) = self.source(zero, &from)? else { continue };
            let imported = tdd_source::imported_roots(Language::Python, &text);
            for path in new.iter().filter(|path| !was_own(path)) {
                let name = if path.stem() == "__init__" { folder_name(path) } else { path.stem() };
                if imported.contains(name) && found.iter().all(|known| known.path != **path) {
                    let kind = TestAwareKind::Hides { from: from.clone() };
                    found.push(TestAware { path: (*path).clone(), kind });
                }
            }
        }
        Ok(found)
    }

    pub(super) fn files_at(&mut self, at: &CheckpointId) -> Result<Files, Trouble> {
        Ok(Files::new(self.checkpoints.files(at)?, Vec::new()))
    }

    /// A file of tests that this source can't do without.
    fn needed_test(
        &mut self,
        path: &RelPath,
        at: &CheckpointId,
        files: &Files,
    ) -> Result<Option<RelPath>, Trouble> {
        let (Some(language), Some(text)) = (Language::of(path.extension()), self.source(at, path)?) else {
            return Ok(None);
        };
        if language != Language::Go {
            // What only pytest loads decides for tests, too; a helper that is known as one by its use may be shipped.
            let helpers = &self.policy.effective().learned.support;
            let is_test = |file: &RelPath| {
                (self.policy.classify(file) == FileClass::Test && !helpers.contains(file))
                    || file.file_name() == "conftest.py"
            };
            let mut taken = tdd_source::taken(language, files, path, &text);
            taken.retain(|taken| taken.files.iter().all(is_test));
            for taken in taken {
                let name = taken.by_name.as_deref();
                if !name.map(|name| self.is_asked_for(name, at, files)).transpose()?.unwrap_or(false) {
                    return Ok(taken.files.into_iter().next());
                }
            }
            return Ok(None);
        }
        let beside: Vec<RelPath> = files
            .paths()
            .filter(|file| file.folder() == path.folder() && file.extension() == "go")
            .cloned()
            .collect();
        let (mut package, mut tests) = (Vec::new(), Vec::new());
        for file in beside {
            let Some(text) = self.source(at, &file)? else { continue };
            if file.as_str().ends_with("_test.go") { tests.push((file, text)) } else { package.push(text) }
        }
        let package: Vec<&str> = package.iter().map(String::as_str).collect();
        let told = tdd_source::declared_by_others_alone(&text, &package, &tests);
        Ok(told.map(|(_, file)| file.clone()))
    }

    /// Whether a manifest of Python's speaks of a package of this name: then that is what the import brings.
    fn is_asked_for(&mut self, name: &str, at: &CheckpointId, files: &Files) -> Result<bool, Trouble> {
        let is_manifest = |path: &&RelPath| {
            let file = path.file_name();
            matches!(file, "pyproject.toml" | "setup.py" | "setup.cfg" | "Pipfile" | "environment.yml")
                || (file.starts_with("requirements") || path.folder().ends_with("requirements"))
                    && matches!(path.extension(), "txt" | "in")
        };
        let name = name.to_lowercase().replace('_', "-");
        for manifest in files.paths().filter(is_manifest) {
            let text = self.source(at, manifest)?.unwrap_or_default();
            if text.to_lowercase().replace('_', "-").contains(&name) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether other production code of this language took from tests before.
    fn is_habit(&mut self, path: &RelPath, base: &CheckpointId, files: &Files) -> Result<bool, Trouble> {
        for other in self.sources_like(path, files, &[FileClass::Source]) {
            if self.needed_test(&other, base, files)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether another file takes from this one, or a manifest offers it. A file of Go is of its package.
    pub(super) fn is_imported(
        &mut self,
        path: &RelPath,
        at: &CheckpointId,
        files: &Files,
    ) -> Result<bool, Trouble> {
        let Some(language) = Language::of(path.extension()).filter(|language| *language != Language::Go)
        else {
            return Ok(true);
        };
        for manifest in files.paths() {
            let inside = match manifest.folder() {
                "" => Some(path.as_str()),
                folder => path.as_str().strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')),
            };
            let is_one = matches!(manifest.file_name(), "package.json" | "pyproject.toml");
            let Some(inside) = inside.filter(|_| is_one) else { continue };
            let text = self.source(at, manifest)?.unwrap_or_default();
            let offered = tdd_source::offered_files(manifest.file_name(), &text);
            if offered.iter().any(|file| inside == file || inside.strip_prefix("src/") == Some(file)) {
                return Ok(true);
            }
        }
        for other in self.sources_like(path, files, &[FileClass::Source, FileClass::Test]) {
            let Some(text) = self.source(at, &other)? else { continue };
            if text.contains(path.stem()) || text.contains(folder_name(path)) {
                let taken = tdd_source::taken(language, files, &other, &text);
                if taken.iter().any(|taken| taken.files.contains(path)) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    pub(super) fn sources_like(&self, path: &RelPath, files: &Files, classes: &[FileClass]) -> Vec<RelPath> {
        let language = Language::of(path.extension());
        let is_like = |other: &&RelPath| {
            *other != path
                && Language::of(other.extension()) == language
                && classes.contains(&self.policy.classify(other))
        };
        files.paths().filter(is_like).take(MOST_SOURCES).cloned().collect()
    }
}

/// What a package is imported by: `__init__.py` and `index.js` lend their folder's name.
fn folder_name(path: &RelPath) -> &str {
    path.folder().rsplit('/').next().unwrap_or_default()
}
