//! Refactor mode leaves tests as good as they were: where files of tests, or what decides how they run, were changed, the
//! code is judged by the tests as they were, too.
//!
//! ```text
//! suite           code     tests
//! before          before   before     what has to pass
//! as they were    now      before     not where they differ by names alone
//! now             now      now        as many as before
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::compare::compare;
use super::desk::{Desk, NO_TESTS, Project};
use super::faces;
use super::inner_tests;
use super::runs;
use tdd_core::attempt::CheckpointId;
use tdd_core::counted::and_more;
use tdd_core::finding::{Change, ChangeKind};
use tdd_core::mapping;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::Checkpoints as _;
use tdd_core::session::Refactor;
use tdd_core::session::kept_tests::{Kept, Suite, kept};
use tdd_core::test::{TestId, TestRun};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::GitCheckpoints;
use tdd_snapshot::checkpoints::watch::Look;
use tdd_source::{Language, Names};

/// Tests and files that are named one by one.
const NAMED: usize = 5;

/// What became of the tests, in words where anything is to be said.
pub(super) enum Tests {
    Kept,
    /// The code does not do any more what they expect.
    Broken(String),
    /// Only a person can say whether that is meant.
    Unsure(String),
}

/// A file that differs from what it was before the mode, and the tree in which it is as it was.
struct Changed {
    path: RelPath,
    base: CheckpointId,
    kind: ChangeKind,
    class: FileClass,
    before: Option<String>,
    now: Option<String>,
}

impl Changed {
    fn language(&self) -> Option<Language> {
        Language::of(self.path.extension())
    }

    fn is_of_tests(&self) -> bool {
        matches!(self.class, FileClass::Test | FileClass::Gate)
    }
}

/// Compares what the suite says now with what it said before; `run` is the gate's.
pub(super) fn judged(desk: &mut Desk, project: &Project, run: &TestRun) -> Result<Tests, Trouble> {
    let Some(refactor) = desk.state().refactor.clone().filter(|refactor| refactor.why != NO_TESTS) else {
        return Ok(Tests::Kept);
    };
    let changed = changed(desk, &refactor)?;
    let of_tests: Vec<&Changed> = changed.iter().filter(|file| file.is_of_tests()).collect();
    let names = names(&changed);
    if let Some(told) = among_code(&changed, &names) {
        return Ok(Tests::Unsure(told));
    }
    if let Some((_, why)) = faces::since(desk, &refactor.good)?.into_iter().next() {
        return Ok(Tests::Broken(why));
    }
    let is_skipping = run.report.is_some() && !Suite::of(run).skipped.is_empty();
    if changed.is_empty() || (of_tests.is_empty() && !is_skipping) {
        return Ok(Tests::Kept);
    }
    let same = same_but_for(&of_tests, &names);
    let all: Vec<&Changed> = changed.iter().collect();
    let others: Vec<&Changed> = of_tests.iter().copied().filter(|file| !same.contains(&file.path)).collect();
    let before = with_files_as_they_were(desk, &all)?;
    let now = if run.report.is_some() { run.clone() } else { runs::suite(desk, project)? };
    let now = Suite::of(&now);
    let as_they_were = if others.is_empty() { now.clone() } else { with_files_as_they_were(desk, &others)? };
    let _ = compare(desk, None, Look::Quick)?;
    if !before.names_tests {
        let count = |kind| of_tests.iter().filter(|file| file.kind == kind).count();
        if count(ChangeKind::Deleted) > count(ChangeKind::Added) {
            return Ok(Tests::Unsure(format!("test files are gone: {}", listed(&of_tests))));
        }
    }
    let folder = desk.place.project_in_repository();
    let is_same = |id: &TestId| same.iter().any(|path| mapping::in_project(path, &folder) == id.file());
    Ok(match kept(&before, &as_they_were, &now, is_same) {
        Kept::All => Tests::Kept,
        Kept::Broken(ids) => {
            Tests::Broken(format!("the code fails tests as they were before the mode: {}", named(&ids)))
        }
        Kept::Changed(ids) if ids.is_empty() => {
            Tests::Unsure(format!("the tests as they were before the mode do not pass: {}", listed(&others)))
        }
        Kept::Changed(ids) => {
            Tests::Unsure(format!("as they were before the mode these tests do not pass: {}", named(&ids)))
        }
        Kept::Fewer(reason) => {
            let gone: Vec<TestId> = before.passed.difference(&now.passed).cloned().collect();
            Tests::Unsure(format!("{reason}; not passing any more: {}", named(&gone)))
        }
    })
}

/// Files of tests that are not as they were before the mode, for a person.
pub(super) fn changed_tests(desk: &Desk) -> Vec<RelPath> {
    let Some(refactor) = &desk.state().refactor else { return Vec::new() };
    let is_of_tests =
        |path: &&RelPath| matches!(desk.rules.policy().classify(path), FileClass::Test | FileClass::Gate);
    refactor.edited.iter().filter(is_of_tests).cloned().collect()
}

/// All that differs from the last good tree before the mode, but for what others have changed.
fn changed(desk: &Desk, refactor: &Refactor) -> Result<Vec<Changed>, Trouble> {
    let mut checkpoints = desk.checkpoints(Look::Quick)?;
    let tree = desk.state().tree.clone();
    let mut found = Vec::new();
    for Change { path, kind } in checkpoints.diff(&refactor.good, &tree)? {
        let base = refactor.others.get(&path);
        if let Some(base) = base
            && !checkpoints.same_in(base, &tree, std::slice::from_ref(&path))?.is_empty()
        {
            continue;
        }
        let base = base.unwrap_or(&refactor.good).clone();
        let class = desk.rules.policy().classify(&path);
        if class == FileClass::ByProduct {
            continue;
        }
        let has_text = Language::of(path.extension()).is_some();
        let mut read = |at: &CheckpointId| -> Result<Option<String>, Trouble> {
            let bytes = if has_text { checkpoints.read(at, &path)? } else { None };
            Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
        };
        let (before, now) = (read(&base)?, read(&tree)?);
        found.push(Changed { path, base, kind, class, before, now });
    }
    Ok(found)
}

/// New names of what has no other: the old ones are declared nowhere any more, and the new ones were not before.
fn names(changed: &[Changed]) -> Names {
    let mut names = Names::new();
    for was in changed.iter().filter(|file| file.is_of_tests()) {
        for is in changed.iter().filter(|file| is_pair(was, file)) {
            let renamed =
                text_pair(was, is).and_then(|(language, was, is)| tdd_source::renamed(language, was, is));
            names.extend(renamed.unwrap_or_default());
        }
    }
    for (language, before, now) in sources(changed) {
        names.extend(tdd_source::renamed_in_units(language, &before, &now));
    }
    names.retain(|from, to| is_renamed(changed, from, to));
    names
}

fn is_renamed(changed: &[Changed], from: &str, to: &str) -> bool {
    let declares = |text: Option<&String>, language: Option<Language>, name: &str| {
        let (Some(text), Some(language)) = (text, language) else { return false };
        tdd_source::declares_anywhere(language, text, name)
    };
    let before =
        |name: &str| changed.iter().any(|file| declares(file.before.as_ref(), file.language(), name));
    let now = |name: &str| changed.iter().any(|file| declares(file.now.as_ref(), file.language(), name));
    let moves = |kind: ChangeKind, name: &str| {
        changed.iter().any(|file| file.kind == kind && !file.is_of_tests() && file.path.stem() == name)
    };
    let is_moved = moves(ChangeKind::Deleted, from) && moves(ChangeKind::Added, to);
    is_moved || (before(from) && !now(from) && now(to) && !before(to))
}

/// One file in both trees, or one that has gone and one that has come.
fn is_pair(was: &Changed, is: &Changed) -> bool {
    let is_moved = was.kind == ChangeKind::Deleted && is.kind == ChangeKind::Added && is.is_of_tests();
    was.path == is.path || is_moved
}

fn text_pair<'c>(was: &'c Changed, is: &'c Changed) -> Option<(Language, &'c str, &'c str)> {
    let language = was.language().filter(|language| is.language() == Some(*language))?;
    Some((language, was.before.as_deref()?, is.now.as_deref()?))
}

/// Test files that differ from what they were, or from one that was there, by these names alone.
fn same_but_for(of_tests: &[&Changed], names: &Names) -> BTreeSet<RelPath> {
    let mut same = BTreeSet::new();
    let mut taken: BTreeSet<&RelPath> = BTreeSet::new();
    for was in of_tests {
        let is_same = |is: &&&Changed| {
            let renamed =
                || text_pair(was, is).and_then(|(language, was, is)| tdd_source::renamed(language, was, is));
            is_pair(was, is)
                && !taken.contains(&is.path)
                && renamed().is_some_and(|own| own.iter().all(|(from, to)| names.get(from) == Some(to)))
        };
        if let Some(is) = of_tests.iter().find(is_same) {
            taken.insert(&is.path);
            same.extend([was.path.clone(), is.path.clone()]);
        }
    }
    same
}

/// What is said where tests among the code are not what they were.
fn among_code(changed: &[Changed], names: &Names) -> Option<String> {
    let mut parts = Vec::new();
    for (language, before, now) in sources(changed) {
        let is_of_tests =
            |path: &str| changed.iter().any(|file| file.path.as_str() == path && file.is_of_tests());
        let units = tdd_source::changed_but_for(language, &before, &now, names).into_iter();
        let units = units.filter(|(path, _)| !is_of_tests(path));
        parts.extend(units.map(|(path, part)| format!("{part} in {path}")));
    }
    parts.truncate(NAMED);
    (!parts.is_empty()).then(|| format!("tests among the code were changed: {}", parts.join(", ")))
}

type Texts<'c> = Vec<(&'c str, &'c str)>;

/// Sources that may hold tests, by their language, as they were and as they are.
fn sources(changed: &[Changed]) -> Vec<(Language, Texts<'_>, Texts<'_>)> {
    let mut by_language: BTreeMap<Language, (Texts<'_>, Texts<'_>)> = BTreeMap::new();
    for file in changed {
        let Some(language) = inner_tests::language(&file.path) else { continue };
        let (before, now) = by_language.entry(language).or_default();
        // They may move into a file of their own.
        let inner = file.before.as_deref().filter(|_| !file.is_of_tests());
        before.extend(inner.map(|text| (file.path.as_str(), text)));
        now.extend(file.now.as_deref().map(|text| (file.path.as_str(), text)));
    }
    by_language.into_iter().map(|(language, (before, now))| (language, before, now)).collect()
}

/// The suite where these files are as they were.
fn with_files_as_they_were(desk: &Desk, files: &[&Changed]) -> Result<Suite, Trouble> {
    let paths: Vec<RelPath> = files.iter().map(|file| file.path.clone()).collect();
    let as_they_were = |checkpoints: &mut GitCheckpoints| put(checkpoints, files);
    let ran = runs::where_otherwise(desk, &paths, as_they_were, || runs::suite(desk, &desk.project()?))?;
    Ok(Suite::of(&ran))
}

fn put(checkpoints: &mut GitCheckpoints, files: &[&Changed]) -> Result<(), Trouble> {
    let mut by_base: BTreeMap<&str, (&CheckpointId, Vec<RelPath>)> = BTreeMap::new();
    for file in files {
        let (_, paths) = by_base.entry(&file.base.0).or_insert_with(|| (&file.base, Vec::new()));
        paths.push(file.path.clone());
    }
    by_base.into_values().try_for_each(|(base, paths)| checkpoints.restore(base, &paths))
}

fn named(ids: &[TestId]) -> String {
    ids.iter().map(|id| id.0.as_str()).take(NAMED).collect::<Vec<_>>().join(", ")
        + &and_more(ids.len().saturating_sub(NAMED))
}

fn listed(files: &[&Changed]) -> String {
    files.iter().map(|file| file.path.as_str()).take(NAMED).collect::<Vec<_>>().join(", ")
}
