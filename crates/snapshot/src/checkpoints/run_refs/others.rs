//! What another `tdd` did to the refs of its own run, in another work tree, while a child was at work here.
//! Two work trees are how two requirements are worked on at once, so that is no sign of a child's hand.
//!
//! Told by the folders of runs: refs of one that the other work tree still has, and has written to since, are
//! made and moved by its run; refs of one that it had and has no more went with it, as `tdd clean` removes both.
//! Where a ref was all that held a commit, and its run is still there, it is told.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::super::git::Git;
use super::super::place::GitPlace;
use super::super::refs::{RefValue, Refs};
use super::{FOLDER, work_trees};
use tdd_child::run_folder::EVENTS;

/// The clock of a file system may be so much behind.
const BEHIND: Duration = Duration::from_millis(100);
/// Where the folders of runs lie, and of sessions, which have such refs, too.
const FOLDERS: [&str; 2] = [".tdd/runs", ".tdd/sessions"];

/// The other work trees at one moment.
#[derive(Debug)]
pub(in super::super) struct Others {
    tops: Vec<PathBuf>,
    runs: BTreeSet<String>,
    since: SystemTime,
}

impl Others {
    pub(in super::super) fn record(place: &GitPlace, git: &Git) -> Self {
        let tops = work_trees(place, git).unwrap_or_default();
        let real = |top: &Path| std::fs::canonicalize(top).ok();
        let here = real(&place.work_tree);
        let tops: Vec<PathBuf> = tops.into_iter().filter(|top| real(top) != here).collect();
        let now = SystemTime::now();
        Self { runs: runs(&tops), tops, since: now.checked_sub(BEHIND).unwrap_or(now) }
    }

    /// Whether another `tdd` made what became of a ref. `now` are all refs but our own.
    pub(in super::super) fn did(
        &self,
        name: &str,
        was: Option<&RefValue>,
        is: Option<&RefValue>,
        now: &Refs,
    ) -> bool {
        let Some((run, _)) = name.strip_prefix(FOLDER).and_then(|rest| rest.split_once('/')) else {
            return false;
        };
        let Some(written) = self.written(run) else { return is.is_none() && self.runs.contains(run) };
        let is_held = |was: &RefValue| now.values().any(|value| value.object == was.object);
        written >= self.since && was.is_none_or(is_held)
    }

    /// When the journal of another work tree's run was written last.
    fn written(&self, run: &str) -> Option<SystemTime> {
        let journals =
            self.tops.iter().flat_map(|top| FOLDERS.map(|folder| top.join(folder).join(run).join(EVENTS)));
        journals.filter_map(|journal| std::fs::symlink_metadata(journal).ok()?.modified().ok()).max()
    }
}

fn runs(tops: &[PathBuf]) -> BTreeSet<String> {
    let folders = tops.iter().flat_map(|top| FOLDERS.map(|folder| top.join(folder)));
    let entries = folders.filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}
