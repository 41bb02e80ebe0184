//! What stands though the session's own claims do not allow it: what git has brought from its history, what a run of
//! `tdd` or another session has done in order, and what is another work tree's.

use std::collections::BTreeMap;
use std::path::Path;

use super::desk::{self, Desk, of};
use super::{brought, caller};
use crate::commands::runs::journalled::Journalled;
use crate::world::session_file::{self, shelf};
use tdd_child::run_folder;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::{EditGround, Event, GitSeen, SessionEvent, Switch};
use tdd_core::finding::{Change, ChangeKind};
use tdd_core::path::RelPath;
use tdd_core::ports::Checkpoints as _;
use tdd_core::session::{Permit, Refusal, Session};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::GitCheckpoints;

/// The newest runs, whose work may have come since the last look.
const MOST_RUNS: usize = 4;
/// The newest sessions, likewise.
const MOST_SESSIONS: usize = 8;

/// Those of the refused files that somebody else answers for.
pub(super) fn of_others(
    desk: &Desk,
    checkpoints: &mut GitCheckpoints,
    trees: (&CheckpointId, &CheckpointId),
    refused: &BTreeMap<RelPath, Refusal>,
) -> Result<Vec<RelPath>, Trouble> {
    if refused.is_empty() {
        return Ok(Vec::new());
    }
    let mut standing = brought::by_git(desk, checkpoints, trees, refused)?;
    standing.extend(by_runs(desk, checkpoints, trees, refused)?);
    standing.extend(by_sessions(desk, checkpoints, trees.1, refused)?);
    standing.extend(older(desk, checkpoints, trees.0, refused)?);
    Ok(standing)
}

/// What other sessions of this work tree have edited in order: for a claim of theirs or in their refactor mode, and as
/// they have seen it last; or what such a claim of a living one allows now.
fn by_sessions(
    desk: &Desk,
    checkpoints: &mut GitCheckpoints,
    now: &CheckpointId,
    refused: &BTreeMap<RelPath, Refusal>,
) -> Result<Vec<RelPath>, Trouble> {
    let own = &desk.state().started.session;
    let mut standing = Vec::new();
    let others = shelf::newest_first(&desk.place.repository)?.into_iter().filter(|id| id != own);
    for id in others.take(MOST_SESSIONS) {
        let folder = session_file::folder(&desk.place.repository, &id);
        let Ok(other) = shelf::glance(&folder) else { continue };
        if other.switch == Switch::Off {
            continue;
        }
        // One that this agent began itself is no way around its own halt.
        let is_free = other.started.within.is_none();
        let answers = |(_, refusal): &(&RelPath, &Refusal)| match refusal {
            Refusal::NoRed { .. } | Refusal::NoClaim { .. } | Refusal::NotCounted { .. } => true,
            Refusal::Halted { .. } => is_free,
            Refusal::Protected { .. }
            | Refusal::Weakened { .. }
            | Refusal::Gate { .. }
            | Refusal::Part { .. }
            | Refusal::Guarded { .. }
            | Refusal::Link { .. }
            | Refusal::Run { .. } => false,
        };
        let asked: Vec<RelPath> = refused.iter().filter(answers).map(|(path, _)| path.clone()).collect();
        let Ok(rules) = desk::rules(&other) else { continue };
        let standing_of = standing_of(desk, &folder, &other);
        if standing_of == Standing::AtWork {
            let claimed = |path: &&RelPath| {
                matches!(other.may_edit(&rules, path), Permit::Allowed(EditGround::Claim, _))
            };
            standing.extend(asked.iter().filter(claimed).cloned());
        }
        let mut done: Vec<RelPath> = asked.into_iter().filter(|path| other.own.contains_key(path)).collect();
        if standing_of != Standing::AtWork {
            // Nobody has judged what its refactor mode allowed, and nobody will.
            let unjudged = other.refactor.as_ref().map(|refactor| &refactor.edited);
            done.retain(|path| unjudged.is_none_or(|edited| !edited.contains(path)));
        }
        if standing_of == Standing::Over {
            done.retain(|path| !other.claims.iter().any(|claim| &claim.edit_target == path));
        }
        // Of a session that was cleaned nothing is held.
        standing.extend(checkpoints.same_in(&other.tree, now, &done).unwrap_or_default());
    }
    Ok(standing)
}

/// What another session can still answer for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Another window's, a child of this agent's own process, or another chat of it: it judges its turns itself.
    AtWork,
    /// A command of an agent's began it: its claims are judged with that agent's turn.
    Begun,
    /// Its agent has ended, or has gone on to a session after it.
    Over,
}

fn standing_of(desk: &Desk, folder: &Path, other: &Session) -> Standing {
    let agent = |folder: &Path| caller::at_work(folder).map(|agent| (agent.pid, agent.started));
    let (own, others) = (agent(&desk.session.folder), agent(folder));
    let is_childs = other.started.within.as_ref() == Some(&desk.state().started.session);
    let is_same = others.is_some() && others == own;
    let is_beside = || caller::is_beside(&desk.session.folder, folder);
    if is_same && (is_childs || is_beside()) || !is_same && others.is_some() && other.started.within.is_none()
    {
        Standing::AtWork
    } else if !is_same && other.started.within.is_some() {
        Standing::Begun
    } else {
        Standing::Over
    }
}

/// What git has begun to track, and was there before the session began: it is new to the gate alone.
fn older(
    desk: &Desk,
    checkpoints: &mut GitCheckpoints,
    before: &CheckpointId,
    refused: &BTreeMap<RelPath, Refusal>,
) -> Result<Vec<RelPath>, Trouble> {
    let journal = desk.session.folder.join(run_folder::EVENTS);
    let began = std::fs::metadata(journal).and_then(|about| about.created());
    let Ok(began) = began else { return Ok(Vec::new()) };
    let is_older = |path: &&RelPath| checkpoints.is_older(path, began);
    let mut paths: Vec<RelPath> = refused.keys().filter(is_older).cloned().collect();
    if !paths.is_empty() {
        let known = checkpoints.files(before)?;
        paths.retain(|path| known.binary_search(path).is_err());
    }
    Ok(paths)
}

/// Other work trees of the repository that lie in this one, as agents make them: what is done there is no change of
/// this tree, and no commit of it can hold it. Each has a gate of its own.
pub(super) struct Beside {
    folders: Vec<RelPath>,
    /// Those that were known, and may be gone.
    known: Vec<RelPath>,
    pub(super) news: Option<Event>,
}

impl Beside {
    /// A folder that had files of this tree's is none.
    pub(super) fn of(
        desk: &Desk,
        checkpoints: &mut GitCheckpoints,
        before: &CheckpointId,
    ) -> Result<Self, Trouble> {
        let known = desk.state().git.as_ref().map(|git| git.work_trees.clone()).unwrap_or_default();
        let mut folders = checkpoints.linked_work_trees();
        if folders.is_empty() && known.is_empty() {
            return Ok(Self { folders, known, news: None });
        }
        let files = checkpoints.files(before)?;
        folders.retain(|folder| {
            known.contains(folder) || !files.iter().any(|file| file.is_within(folder.as_str()))
        });
        let is_new = folders != known;
        let git = desk.state().git.clone().filter(|_| is_new);
        let news = git.map(|git| GitSeen { work_trees: folders.clone(), ..git });
        Ok(Self { folders, known, news: news.map(|git| of(SessionEvent::Committed { git })) })
    }

    pub(super) fn has(&self, change: &Change) -> bool {
        let is_in = |folder: &RelPath| change.path.is_within(folder.as_str());
        self.folders.iter().any(is_in) || (change.kind == ChangeKind::Deleted && self.known.iter().any(is_in))
    }
}

/// What runs of `tdd` have left: good work by their own judgement, on files that were as they had been seen.
fn by_runs(
    desk: &Desk,
    checkpoints: &mut GitCheckpoints,
    (before, now): (&CheckpointId, &CheckpointId),
    refused: &BTreeMap<RelPath, Refusal>,
) -> Result<Vec<RelPath>, Trouble> {
    if refused.is_empty() {
        return Ok(Vec::new());
    }
    let mut paths: Vec<RelPath> = refused.keys().cloned().collect();
    let mut left = Vec::new();
    for run in run_folder::list_runs(&desk.place.repository).iter().take(MOST_RUNS) {
        let Ok((told, _)) = Journalled::read(run) else { continue };
        let (Journalled::Cycle(state), Some(zero), None) = (&told, told.zero(), told.undone()) else {
            continue;
        };
        let Some(good) = &state.good else { continue };
        // Of a run that was cleaned nothing is held.
        let Ok(untouched) = checkpoints.same_in(&zero, before, &paths) else { continue };
        let own = checkpoints.same_in(good, now, &untouched)?;
        paths.retain(|path| !own.contains(path));
        left.extend(own);
    }
    Ok(left)
}
