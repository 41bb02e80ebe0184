//! Whose a change of the tree is, how it is told for the journal and how it is listed for a person.

use std::collections::BTreeSet;

use tdd_core::attempt::CheckpointId;
use tdd_core::event::Event;
use tdd_core::harmless;
use tdd_core::labels;
use tdd_core::machine::PutBack;
use tdd_core::path::RelPath;
use tdd_core::policy::{FileClass, Policy};
use tdd_core::ports::{Checkpoints, Protection};
use tdd_core::trouble::Trouble;
use tdd_source::Language;

/// How many paths are listed one by one.
pub(super) const LISTED: usize = 20;

/// Those of these protected files that no child could have written to.
pub(super) fn held<P: Protection>(protection: &P, touched: &[RelPath]) -> Vec<RelPath> {
    touched.iter().filter(|path| protection.is_held(path)).cloned().collect()
}

/// For the journal: protected files that no child could have written to.
pub(super) fn no_childs(paths: &[RelPath], kept: &CheckpointId) -> Event {
    Event::Edited { paths: paths.to_vec(), kept: kept.clone(), before: None, put_back: None }
}

/// Labels a tree that may be all that holds what a person saved: it was taken out of the work tree, or may
/// be by an undo. At once, because nobody else knows of it if we are killed; which files those are the journal tells
/// next.
pub(super) fn hold_theirs<C: Checkpoints>(checkpoints: &mut C, tree: &CheckpointId) -> Result<(), Trouble> {
    checkpoints.label(&labels::of_tree(labels::THEIRS, tree), tree)?;
    checkpoints.write_labels()
}

/// Paths for a person, and how many more there are; a line break in a name does not tear the list.
pub(super) fn listed<'p>(paths: impl ExactSizeIterator<Item = &'p RelPath>) -> Vec<String> {
    let more = paths.len().saturating_sub(LISTED);
    let mut listed: Vec<String> = paths.take(LISTED).map(|path| harmless::line(path.as_str())).collect();
    listed.extend((more > 0).then(|| format!("and {more} more")));
    listed
}

/// Where what was put back is kept; nothing if there is nothing.
pub(super) fn kept_as<'p>(
    found: &CheckpointId,
    mut put_back: impl Iterator<Item = &'p RelPath>,
) -> Option<Event> {
    put_back.next()?;
    let line = format!("what lay there then is kept as {found}: git restore --source={found} -- :/FILE");
    Some(Event::Restored { what: vec![line] })
}

/// For the journal: files that were put back, and nobody can tell whose they were.
pub(super) fn unsure(paths: Vec<RelPath>, kept: &CheckpointId) -> Event {
    Event::Edited { paths, kept: kept.clone(), before: None, put_back: Some(PutBack::Unsure) }
}

/// The same of work that no block tells to be a role's.
pub(super) fn unnamed(paths: Vec<RelPath>, kept: &CheckpointId) -> Event {
    Event::Edited { paths, kept: kept.clone(), before: None, put_back: Some(PutBack::Unnamed) }
}

/// Whether what the project's own commands write is theirs whatever they write: data beside tests, and
/// what was not there. Of other code only what is written as it was, since code decides what a test says.
pub(super) fn is_own_writing(policy: &Policy, known: &BTreeSet<RelPath>, path: &RelPath) -> bool {
    policy.is_data_of_tests(path) || !known.contains(path)
}

/// Whether what changed beside tests before any child may be what a person has saved just then: code is, new or
/// not, and what commands write is data.
pub(super) fn may_be_a_persons(policy: &Policy, known: &BTreeSet<RelPath>, path: &RelPath) -> bool {
    let is_new_code =
        !known.contains(path) && policy.classify(path) == FileClass::Test && !policy.is_data_of_tests(path);
    is_new_code || !is_own_writing(policy, known, path)
}

/// What the project's own commands wrote beside tests, before any child; all of it is put back, but for modes that they
/// set, of whatever is protected: those stay, and are set again.
pub(super) fn written_beside_tests(
    protection: &mut impl Protection,
    policy: &Policy,
    known: &BTreeSet<RelPath>,
) -> Result<Vec<RelPath>, Trouble> {
    let mut touched = protection.check()?;
    // The next requirement is its writer's, and no command's.
    touched.retain(|path| !policy.is_requirement(path) || known.contains(path));
    let rewritten = protection.rewritten();
    let modes = protection.modes_alone()?;
    touched.retain(|path| !modes.contains(path));
    protection.restore(&touched)?;
    let changed = touched.into_iter().filter(|path| is_own_writing(policy, known, path));
    let written = changed.chain(rewritten).filter(|path| policy.classify(path) == FileClass::Test);
    Ok(written.chain(modes).collect())
}

/// Whether tests have left it for copies of ours: nobody's of the project, and put back without a word. No code is.
pub(super) fn is_of_a_canary(path: &RelPath) -> bool {
    Language::of(path.extension()).is_none() && tdd_runners::is_named_after_one(path)
}
