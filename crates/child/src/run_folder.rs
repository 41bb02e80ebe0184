//! The folders of runs below `.tdd/runs`, as far as anybody has to know them who reads no journal
//! (contract section 11). What lies behind a link in the place of one is not ours.

use std::path::{Path, PathBuf};

use crate::folder;
use tdd_core::event::RunId;
use tdd_core::trouble::Trouble;

/// The name of the journal in its run's folder.
pub const EVENTS: &str = "events.jsonl";
/// Payloads that are too long for a line, each named by its hash.
pub const SIDE_FILES: &str = "files";
/// Where canaries lie in the work tree, for whoever has to remove them.
pub const CANARIES: &str = "canaries";
/// The children that run, for whoever has to end them.
pub const CHILDREN: &str = "children";
/// What the agents said.
pub const LOGS: &str = "logs";
/// Copies of protected files.
pub const SEALED: &str = "sealed";
/// The agents' homes and sessions.
pub const STATE: &str = "state";
/// What the runs of the test command said, and their private folders.
pub const TESTS: &str = "tests";

/// A run's folder below `.tdd/runs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDir {
    pub id: RunId,
    pub path: PathBuf,
}

/// The runs of a repository, the newest first, as far as they can be told.
pub fn list_runs(repository: &Path) -> Vec<RunDir> {
    runs_of(repository).unwrap_or_default()
}

/// Those of them that came after this one, the newest first. Ids count seconds, so the list says which of two
/// in the same one came first.
pub fn later_runs(repository: &Path, run: &RunId) -> Vec<RunDir> {
    let mut runs = list_runs(repository);
    let at = runs.iter().position(|other| other.id == *run);
    runs.truncate(at.unwrap_or_else(|| runs.iter().take_while(|other| other.id > *run).count()));
    runs
}

/// Whether a process ended as it made a run's folder: there is nothing in it, or a journal without a byte
/// alone.
pub fn never_began(run: &Path) -> bool {
    let journal = std::fs::symlink_metadata(run.join(EVENTS));
    let least = match journal {
        Ok(about) if about.is_file() && about.len() == 0 => 1,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
        _ => return false,
    };
    folder::entries(run).is_ok_and(|entries| entries.len() == least)
}

/// The same; a trouble where there may be others.
pub fn runs_of(repository: &Path) -> Result<Vec<RunDir>, Trouble> {
    let folder = repository.join(".tdd/runs");
    let entries = folder::entries_if_any(&folder).map_err(|error| {
        Trouble::environment(format!("{} can't be looked at", folder.display()))
            .because(error)
            .advise("see that you may read it; the runs lie there")
    })?;
    let mut runs: Vec<RunDir> = entries
        .into_iter()
        .filter(|entry| entry.path().join(EVENTS).is_file() && !never_began(&entry.path()))
        .filter_map(|entry| {
            Some(RunDir { id: RunId(entry.file_name().into_string().ok()?), path: entry.path() })
        })
        // What a killed `clean` was about to remove is no run any more.
        .filter(|run| !run.id.0.starts_with('.'))
        .collect();
    // Ids count seconds; of two runs that began in the same one the last written is the newer.
    let age = |run: &RunDir| {
        let second = run.id.0.split('-').next().unwrap_or_default().to_owned();
        let written = std::fs::metadata(run.path.join(EVENTS)).and_then(|meta| meta.modified()).ok();
        (second, written, run.id.clone())
    };
    runs.sort_by_cached_key(|run| std::cmp::Reverse(age(run)));
    Ok(runs)
}
/// The id of the run whose folder this is.
pub fn id_of(folder: &Path) -> RunId {
    RunId(folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
}
