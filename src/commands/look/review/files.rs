//! The files that a review speaks of: as they lie in the tree, or as the failed attempt left them. After a halt
//! the tree holds the last good work, so what is to be judged is often not in it.

use std::path::{Path, PathBuf};

use super::{Halted, is_file_of};
use crate::text::halt_report::Work;
use tdd_child::regular_file;
use tdd_core::finding::Change;
use tdd_core::halt::Halt;
use tdd_core::path::RelPath;
use tdd_core::state::State;
use tdd_snapshot::checkpoints::{self, SameAs};

/// Bytes of a file that are shown.
const MOST: u64 = 64 * 1024;

/// Files of the failed work that are looked at to say where it is.
const MOST_COMPARED: usize = 200;

/// Whether the files that the failed attempt changed lie in the tree as it left them, as they were before it, or
/// otherwise. Where that can't be told, nothing was done to them since the halt.
pub(super) fn where_the_work_is(
    repository: &Path,
    state: &State,
    (halt, changed): (&Halt, &[Change]),
) -> Work {
    let failed = state.ledgers.get(&halt.key).and_then(|ledger| ledger.entries.last()?.kept_as.as_ref());
    let Some((good, failed)) = state.good.as_ref().zip(failed) else { return Work::Kept };
    let paths: Vec<RelPath> = changed.iter().take(MOST_COMPARED).map(|change| change.path.clone()).collect();
    let Ok(same) = checkpoints::same_as(repository, [good, failed], &paths) else { return Work::Kept };
    let of = |wanted: SameAs| paths.iter().zip(&same).filter(move |(_, same)| **same == wanted);
    let edited: Vec<RelPath> = of(SameAs::Neither).map(|(path, _)| path.clone()).collect();
    match (of(SameAs::First).count(), of(SameAs::Second).count()) {
        _ if !edited.is_empty() => Work::Edited(edited),
        (_, 0) => Work::Kept,
        (0, _) => Work::InTree,
        // Part of it was brought back.
        (_, _) => Work::Edited(of(SameAs::Second).map(|(path, _)| path.clone()).collect()),
    }
}

/// Where a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Tree,
    /// The tree has another one, or none.
    FailedWork,
}

impl Halted {
    /// The path in the repository of a file that is named in the project or in the repository, with its path on
    /// the disk. `None` for what is no path here: a child may have printed the name.
    pub(super) fn file(&self, named: &str) -> Option<(RelPath, PathBuf)> {
        let project = self.story.state.run.project.as_str();
        let within = (!project.is_empty()).then(|| format!("{project}/{named}"));
        let all = within.iter().map(String::as_str).chain([named]).filter_map(RelPath::new);
        let all = all.map(|path| (path.clone(), self.repository.join(path.as_str())));
        let is_known =
            |(path, on_disk): &(RelPath, PathBuf)| self.has_changed(path) || is_file_of(self, on_disk);
        let known: Vec<_> = all.collect();
        known.iter().find(|one| is_known(one)).or(known.last()).cloned()
    }

    /// Its first bytes, and where they were read: what the failed attempt left, unless somebody has put another
    /// file into the tree since.
    pub(super) fn read_file(&self, named: &str) -> Option<(Vec<u8>, Source)> {
        let (path, on_disk) = self.file(named)?;
        let is_file = is_file_of(self, &on_disk);
        let in_tree = is_file.then(|| regular_file::head(&on_disk, MOST).ok()).flatten();
        let work = [self.story.state.good.as_ref(), self.last().and_then(|it| it.kept_as.as_ref())];
        let [Some(good), Some(failed)] = work.map(|of| of.filter(|_| self.has_changed(&path))) else {
            return in_tree.map(|text| (text, Source::Tree));
        };
        let of = |checkpoint| {
            let text = checkpoints::file(&self.repository, checkpoint, &path).ok().flatten();
            text.map(|text| text[..text.len().min(usize::try_from(MOST).unwrap_or(usize::MAX))].to_vec())
        };
        if in_tree != of(good) {
            return in_tree.map(|text| (text, Source::Tree));
        }
        of(failed).map(|text| (text, Source::FailedWork)).or(in_tree.map(|text| (text, Source::Tree)))
    }

    fn has_changed(&self, path: &RelPath) -> bool {
        self.facts.changed.iter().any(|change| change.path == *path)
    }
}
