//! The sessions of a work tree as `tdd clean` sees them: the newest first, and each removed whole or not at all.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::SystemTime;

use super::{
    LAST, LOCK, SessionId, Trouble, folder, is_at, last, lock_in, named, refuse_links, sessions, unusable,
};
use crate::world::journal_file;
use tdd_child::regular_file;
use tdd_child::run_folder::EVENTS;
use tdd_core::session::Session;
use tdd_snapshot::checkpoints::edit::Tree;

/// The beginning of the name of a folder that is being removed.
const REMOVED: &str = ".removed-";

/// What a session's journal tells: its state, and every event.
pub struct Told {
    pub state: Session,
    pub records: Vec<journal_file::Record>,
}

/// Reads a session and changes nothing.
pub fn told(folder: &Path) -> Result<Told, Trouble> {
    let records = journal_file::read_only(folder)?;
    let unfit = |why: String| {
        Trouble::environment(format!("the journal in {} tells no session", folder.display()))
            .because(why)
            .advise("move the folder away; the agent's next call begins a new session")
    };
    let first = records.first().ok_or_else(|| unfit("it has no line".to_owned()))?;
    let mut state = Session::open(&first.event).map_err(|error| unfit(error.to_string()))?;
    for record in &records[1..] {
        state.apply(&record.event).map_err(|error| unfit(error.to_string()))?;
    }
    Ok(Told { state, records })
}

/// A session as it stands: by what is kept of it where that fits its journal, else by reading all.
pub fn glance(folder: &Path) -> Result<Session, Trouble> {
    match super::kept(folder) {
        Some((_, state)) => Ok(state),
        None => told(folder).map(|told| told.state),
    }
}

/// All sessions, the one that was journalled in last first. A trouble where a link stands in the place of their folder.
pub fn newest_first(repository: &Path) -> Result<Vec<SessionId>, Trouble> {
    refuse_links(repository, &sessions(repository))?;
    let entries = std::fs::read_dir(sessions(repository)).into_iter().flatten().flatten();
    let of = |entry: std::fs::DirEntry| {
        // What lies behind a link is not ours.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let id = named(&entry.file_name().to_string_lossy()).filter(|_| is_folder)?;
        let written = std::fs::symlink_metadata(entry.path().join(EVENTS)).and_then(|about| about.modified());
        Some((written.unwrap_or(SystemTime::UNIX_EPOCH), id))
    };
    let mut all: Vec<(SystemTime, SessionId)> = entries.filter_map(of).collect();
    all.sort_by(|one, other| other.cmp(one));
    Ok(all.into_iter().map(|(_, id)| id).collect())
}

/// Whether a process works on the session at this moment.
pub fn is_held(folder: &Path) -> bool {
    matches!(hold(folder), Err(TryLockError::WouldBlock))
}

/// The lock, if nobody has it; `None` where there is none.
fn hold(folder: &Path) -> Result<Option<File>, TryLockError> {
    let Ok(lock) = regular_file::open(&folder.join(LOCK)) else { return Ok(None) };
    lock.try_lock().map(|()| Some(lock))
}

/// Removes a session's folder with all that is in it, once `first` has removed what lies elsewhere. Until both are
/// gone the session's lock is held, so that nobody can begin one of this name that loses what is new; who waits for
/// the lock finds another folder.
pub fn remove(
    repository: &Path,
    session: &SessionId,
    first: impl FnOnce() -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let folder = folder(repository, session);
    refuse_links(repository, &folder)?;
    let held = |why: &str| {
        Trouble::passing(format!("a process works on the session {}", session.0))
            .because(why.to_owned())
            .advise("try again when it has ended")
    };
    // Of refs alone there is no folder: it is made, so that there is a lock.
    let lock = lock_in(&folder).map_err(|error| unusable(&folder, &error))?;
    lock.try_lock().map_err(|_| held("it holds the session's lock"))?;
    if !is_at(&lock, &folder.join(LOCK)) {
        return Err(held("it has put another lock in the place of the session's"));
    }
    first()?;
    let going = format!("{REMOVED}{}", session.0);
    let cleared = Tree::open(repository).and_then(|tree| {
        tree.rename_beside(format!(".tdd/sessions/{}", session.0).as_bytes(), &going)?;
        if last(repository).as_ref() == Some(session) {
            tree.clear(format!(".tdd/sessions/{LAST}").as_bytes())?;
        }
        tree.clear(format!(".tdd/sessions/{going}").as_bytes())
    });
    cleared.map_err(|error| {
        Trouble::environment(format!("{} can't be removed", folder.display()))
            .because(error)
            .advise("see that the folder may be written")
    })
}

/// Removes what a killed removal has left.
pub fn finish_removals(repository: &Path) {
    let Ok(tree) = Tree::open(repository) else { return };
    for name in half_removed(repository) {
        let _ = tree.clear(format!(".tdd/sessions/{name}").as_bytes());
    }
}

/// The folders of sessions whose removal was cut short.
pub fn half_removed(repository: &Path) -> Vec<String> {
    if refuse_links(repository, &sessions(repository)).is_err() {
        return Vec::new();
    }
    let entries = std::fs::read_dir(sessions(repository)).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.strip_prefix(REMOVED).is_some_and(|id| named(id).is_some())).collect()
}
