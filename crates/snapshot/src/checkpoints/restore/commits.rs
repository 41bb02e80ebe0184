//! Commits that hold work of a run by now.

use std::collections::BTreeSet;

use super::{Restore, sorted};
use crate::checkpoints::census::{self, Entries};
use crate::checkpoints::git::Git;
use crate::checkpoints::listing::{self, Difference};
use crate::checkpoints::shown;
use tdd_core::finding::Change;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// More paths than git is asked about in one command line.
const MOST_PATHS: usize = 200;

/// A commit of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    id: String,
    pub subject: String,
    pub is_head: bool,
    /// It holds other work than the run's, too.
    pub is_mixed: bool,
}

impl Commit {
    /// Enough of its name for a command line.
    pub fn shown(&self) -> &str {
        self.id.get(..12).unwrap_or(&self.id)
    }
}

impl Restore {
    /// What would be taken back although it is committed since the run began.
    pub(super) fn committed(
        &self,
        differences: &[Difference],
        entries: &Entries,
        since: Option<u64>,
    ) -> Result<Vec<Change>, Trouble> {
        let Some(since) = since else { return Ok(Vec::new()) };
        let Some((head, time)) = self.checkpoints.head()? else { return Ok(Vec::new()) };
        // Within the same second nobody knows which was first, and to ask is safe.
        if time < since {
            return Ok(Vec::new());
        }
        let head = census::entries(listing::files(&self.checkpoints.private, &head)?);
        let is_in_head = |one: &&Difference| {
            entries.get(&one.path).is_some_and(|entry| head.get(&one.path) == Some(entry))
        };
        Ok(sorted(differences.iter().filter(is_in_head).collect()))
    }

    /// Those of HEAD since `since` (s) that have touched these paths but the foreign ones, the newest first; none where that
    /// can't be told.
    pub(super) fn commits(
        &self,
        paths: &[Change],
        foreign: &[Change],
        since: Option<u64>,
    ) -> Result<Vec<Commit>, Trouble> {
        let paths: Vec<&Change> = paths.iter().filter(|change| !foreign.contains(change)).collect();
        let (Some(since), false) = (since, paths.is_empty() || paths.len() > MOST_PATHS) else {
            return Ok(Vec::new());
        };
        let own = Git::own(&self.checkpoints.place);
        let Some((head, _)) = self.checkpoints.head()? else { return Ok(Vec::new()) };
        let after = format!("--since=@{since}");
        let mut args = vec![
            "log".to_owned(),
            "--format=%H%x00%ct%x00%s".to_owned(),
            after,
            head.0.clone(),
            "--".to_owned(),
        ];
        args.extend(paths.iter().map(|change| format!(":(top,literal){}", change.path)));
        let said = own.ask(&args.iter().map(String::as_str).collect::<Vec<_>>(), b"")?;
        if !said.ok {
            return Ok(Vec::new());
        }
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        let commit = |line: &str| {
            let (id, (time, subject)) =
                line.split_once('\0').and_then(|(id, rest)| Some((id, rest.split_once('\0')?)))?;
            // Within the same second nobody knows which was first, but one from before holds nothing of it.
            let is_since =
                time.parse().is_ok_and(|time: u64| time > since) || holds_some(&own, id, &head.0, &paths);
            is_since.then(|| Commit {
                id: id.to_owned(),
                subject: subject.to_owned(),
                is_head: id == head.0,
                is_mixed: holds_more(&own, id, &paths),
            })
        };
        Ok(text.lines().filter_map(commit).collect())
    }
}

/// Whether a commit has any of these paths as HEAD has it.
fn holds_some(own: &Git, id: &str, head: &str, paths: &[&Change]) -> bool {
    let Ok(said) = own.ask(&["diff-tree", "-r", "--name-only", "--no-renames", "-z", id, head], b"") else {
        return true;
    };
    let differ: BTreeSet<RelPath> =
        said.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(shown).collect();
    !said.ok || paths.iter().any(|change| !differ.contains(&change.path))
}

/// Whether a commit touches anything but these paths; a merge does, whatever it holds.
fn holds_more(own: &Git, id: &str, paths: &[&Change]) -> bool {
    let options =
        ["diff-tree", "--no-commit-id", "--root", "-r", "-m", "--name-only", "--no-renames", "-z", id];
    let Ok(said) = own.ask(&options, b"") else { return true };
    let names = said.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    !said.ok || names.map(shown).any(|name| !paths.iter().any(|change| change.path == name))
}
