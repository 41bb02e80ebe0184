//! New files of tests that are loaded in the place of what existing tests import.
//!
//! ```text
//! pytest   tests/shop.py beside no __init__.py    in the place of shop.py, or of an installed module
//! jest     __mocks__/chek.js in the root          in the place of the package chek, without a word in any test
//! ```

use std::collections::BTreeSet;

use crate::driver::cycle::Drive;
use tdd_core::commands::RunnerKind;
use tdd_core::finding::{ChangeKind, Rebound};
use tdd_core::mapping;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::World;
use tdd_core::test::TestId;
use tdd_core::trouble::Trouble;
use tdd_source::{Files, Language};

use super::Work;

const MOCKS: &str = "__mocks__/";

impl<W: World> Drive<'_, W> {
    /// One for each such file that a test imports which is known and not `answered` for. `hiding`: files of which
    /// the runner said that they hide an installed module.
    pub(super) fn in_place_of_others(
        &mut self,
        (work, hiding): (&Work, &BTreeSet<RelPath>),
        (known, answered): (&[TestId], &BTreeSet<&TestId>),
    ) -> Result<Vec<Rebound>, Trouble> {
        let Some(zero) = self.state.facts.zero.clone() else { return Ok(Vec::new()) };
        let new = work.changed.iter().filter(|change| {
            change.class == FileClass::Test
                && change.kind == ChangeKind::Added
                && Language::of(change.path.extension()).is_some()
        });
        let new: Vec<RelPath> = new.map(|change| change.path.clone()).collect();
        if new.is_empty() {
            return Ok(Vec::new());
        }
        let (then, now) = (self.diff().files_at(&zero)?, self.diff().files_at(&work.after)?);
        let taken = |path: RelPath| Some((self.taken_name(&path, hiding, (&then, &now))?, path));
        let taken: Vec<(String, RelPath)> = new.into_iter().filter_map(taken).collect();
        if taken.is_empty() {
            return Ok(Vec::new());
        }
        let mut found: Vec<Rebound> = Vec::new();
        let tests: BTreeSet<&str> = known.iter().map(TestId::file).collect();
        let is_of_tests =
            |path: &&RelPath| tests.contains(mapping::in_project(path, &self.state.run.project));
        let old: Vec<RelPath> = then.paths().filter(is_of_tests).cloned().collect();
        for from in old {
            let Some(language) = Language::of(from.extension()) else { continue };
            let Some(text) = self.source(&zero, &from)? else { continue };
            let imported = tdd_source::imported_roots(language, &text);
            let file = mapping::in_project(&from, &self.state.run.project);
            for (name, by) in &taken {
                let is_found = found.iter().any(|known| known.by.as_ref() == Some(by));
                let root = name.split('/').next().unwrap_or_default();
                let mut using = known.iter().filter(|id| id.file() == file && !answered.contains(id));
                if let (false, true, Some(first)) = (is_found, imported.contains(root), using.next()) {
                    let more = using.count();
                    let (name, by) = (name.clone(), Some(by.clone()));
                    found.push(Rebound { name, line: 0, test: first.clone(), more, by });
                }
            }
        }
        Ok(found)
    }

    /// The name by which others would take this new file for what they had before.
    fn taken_name(
        &self,
        path: &RelPath,
        hiding: &BTreeSet<RelPath>,
        (then, now): (&Files, &Files),
    ) -> Option<String> {
        if path.extension() != "py" {
            let is_jest = self.state.run.commands.runner == RunnerKind::Jest;
            let inside = mapping::in_project(path, &self.state.run.project).strip_prefix(MOCKS)?;
            let name = inside.rsplit_once('.').map_or(inside, |(name, _)| name);
            return is_jest.then(|| name.to_owned());
        }
        let (folder, name) = module(path);
        let is_there = |files: &Files, file: &str| files.paths().any(|path| path.as_str() == file);
        let is_package = |files: &Files, folder: &str| is_there(files, &joined(folder, "__init__.py"));
        if is_package(now, folder) {
            return None;
        }
        // Any folder that is no package may be one that modules are looked for in.
        let is_namesake = |other: &&RelPath| {
            let (folder, its) = module(other);
            *other != path && its == name && other.extension() == "py" && !is_package(then, folder)
        };
        (hiding.contains(path) || then.paths().any(|other| is_namesake(&other))).then(|| name.to_owned())
    }
}

/// The folder that a module is looked for in, and its name; a package is called like its folder.
fn module(path: &RelPath) -> (&str, &str) {
    if path.stem() != "__init__" {
        return (path.folder(), path.stem());
    }
    path.folder().rsplit_once('/').unwrap_or(("", path.folder()))
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
