//! Sessions under the gate, as `tdd clean` removes them: by the same rules as runs.

use std::path::{Path, PathBuf};

use super::{Candidate, Kind, LISTED, Removable, counted};
use crate::commands::gate;
use crate::world::journal_file::folders;
use crate::world::session_file;
use crate::world::session_file::shelf::{self, Told};
use tdd_child::run_folder::{self, RunDir};
use tdd_core::event::{Event, RunId, SessionEvent, SessionId};
use tdd_core::harmless::{line, typed_word};
use tdd_core::session::Session;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::run_refs::RunRefs;
use tdd_snapshot::checkpoints::run_refs::taken::Taken;

/// All of a work tree, the newest first.
pub(super) fn survey(repository: &Path, refs: &RunRefs) -> Result<Vec<Candidate>, Trouble> {
    let all = shelf::newest_first(repository)?;
    Ok(all.iter().map(|id| of_folder(repository, id, refs)).collect())
}

/// Sessions of which only refs are left, in no work tree of the repository.
pub(super) fn left_over(tops: &[PathBuf], refs: &RunRefs) -> Vec<Candidate> {
    let left =
        refs.runs().filter(|name| !folders::is_run_id(name) && refs.is_session(name) && !lives(tops, name));
    left.map(|name| Candidate { kind: Kind::Session, ..Candidate::of_refs(name, refs) }).collect()
}

/// Whether a work tree has a folder for it.
fn lives(tops: &[PathBuf], name: &str) -> bool {
    tops.iter().any(|top| session_file::sessions(top).join(name).symlink_metadata().is_ok())
}

fn of_folder(repository: &Path, id: &SessionId, refs: &RunRefs) -> Candidate {
    let path = session_file::folder(repository, id);
    let (removable, state) = standing(&path);
    Candidate {
        kind: Kind::Session,
        name: id.0.clone(),
        removable,
        state: line(&state),
        bytes: folders::size(&path),
        refs: refs.count(&id.0),
        folder: Some(RunDir { id: RunId(id.0.clone()), path }),
    }
}

/// Removes a session, unless it is no longer as it was found: a hook may have been called meanwhile.
pub(super) fn remove(repository: &Path, refs: &RunRefs, candidate: &Candidate) -> Result<(), Trouble> {
    let id = SessionId(candidate.name.clone());
    let folder = session_file::folder(repository, &id);
    refs.check(&id.0)?;
    // What only refs are left of may go on in another work tree by now.
    if candidate.folder.is_none() && refs.work_trees().is_none_or(|tops| lives(&tops, &id.0)) {
        return Err(goes_on(&id));
    }
    shelf::remove(repository, &id, || {
        let (removable, state) = unheld(&folder);
        let is_as_found = match &candidate.folder {
            Some(_) => (removable, line(&state)) == (candidate.removable, candidate.state.clone()),
            None => folder.join(run_folder::EVENTS).symlink_metadata().is_err(),
        };
        if !is_as_found {
            return Err(goes_on(&id));
        }
        refs.delete(&id.0)
    })
}

fn goes_on(id: &SessionId) -> Trouble {
    Trouble::passing(format!("the session {} is not removed", id.0))
        .because("its agent has gone on with it meanwhile")
        .advise("look again: tdd clean --dry-run")
}

/// What can become of a session, and why, in words.
fn standing(folder: &Path) -> (Removable, String) {
    if shelf::is_held(folder) {
        return (Removable::InUse, "a process works on it".to_owned());
    }
    unheld(folder)
}

fn unheld(folder: &Path) -> (Removable, String) {
    if let Some(pid) = gate::user_of(folder) {
        return (Removable::InUse, format!("its agent or its terminal is there, process {pid}"));
    }
    if folder.join(run_folder::EVENTS).symlink_metadata().is_err() {
        return (Removable::Over, "it never began".to_owned());
    }
    match shelf::glance(folder) {
        Ok(state) => of_state(&state),
        Err(trouble) => (Removable::Damaged, format!("damaged: {}", trouble.why)),
    }
}

fn of_state(state: &Session) -> (Removable, String) {
    let agent = &state.started.agent;
    match state.touched().len() {
        0 => (Removable::Over, format!("{agent}, ended")),
        count => {
            let tests = counted(count, "test");
            (Removable::Unfinished, format!("{agent}, ended before the edits for {tests} were judged"))
        }
    }
}

/// What is said of a session that alone holds what was taken back in it.
pub(super) fn held_alone(refs: &RunRefs, candidate: &Candidate) -> Result<Option<String>, Trouble> {
    let name = &candidate.name;
    let told = candidate.folder.as_ref().and_then(|dir| shelf::told(&dir.path).ok());
    let taken = told.as_ref().map_or_else(|| refs.all_taken(name), repairs);
    let only = refs.only_contents(name, &taken)?;
    let Some(first) = only.first() else { return Ok(None) };
    let lines = only.iter().take(LISTED).map(|one| format!("  {}  {}", one.label, line(one.path.as_str())));
    let lines: Vec<String> = lines.collect();
    Ok(Some(format!(
        "{name}: nothing else holds {} that was taken back:\n{}\n\
         keep one: git show {} > FILE\nremove them with the session: tdd clean {name} --discard-commits",
        counted(only.len(), "version"),
        lines.join("\n"),
        typed_word(&first.revision())
    )))
}

fn repairs(told: &Told) -> Vec<Taken> {
    let of = |event: &Event| {
        let Event::Session(event) = event else { return None };
        let SessionEvent::Repair(repair) = &**event else { return None };
        let files = Some(repair.taken_back.iter().cloned().collect());
        Some(Taken { label: repair.label.clone(), files })
    };
    told.records.iter().filter_map(|record| of(&record.event)).collect()
}

/// What `tdd status` tells of one.
pub(in crate::commands) struct Standing {
    pub(in crate::commands) session: SessionId,
    pub(in crate::commands) words: String,
    /// It ended in the midst of a turn.
    pub(in crate::commands) is_unfinished: bool,
}

/// The sessions of a work tree, the newest first; none where they can't be looked at.
pub(in crate::commands) fn all(repository: &Path) -> Vec<Standing> {
    let told = |session: SessionId| {
        let (removable, words) = standing(&session_file::folder(repository, &session));
        Standing { session, words: line(&words), is_unfinished: removable == Removable::Unfinished }
    };
    shelf::newest_first(repository).unwrap_or_default().into_iter().map(told).collect()
}
