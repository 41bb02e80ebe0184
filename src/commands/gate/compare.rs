//! What changed in the tree since it was last seen, whoever changed it: what stands, and what is taken back.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::desk::Desk;
use crate::commands::journalled::Journalled;
use tdd_child::{leftovers, run_folder};
use tdd_core::attempt::CheckpointId;
use tdd_core::event::{EditFact, EditGround, Event, GateMode, GitSeen, Repair, RepairCause, SessionEvent};
use tdd_core::finding::{Change, ChangeKind};
use tdd_core::path::RelPath;
use tdd_core::ports::Checkpoints as _;
use tdd_core::session::{Permit, Refusal};
use tdd_core::test::TestId;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::GitCheckpoints;
use tdd_snapshot::checkpoints::watch::{self, Look};
use tdd_source::{Additions, Language};

/// The newest runs, whose work may have come since the last look.
const MOST_RUNS: usize = 4;
/// Files that are named one by one.
const NAMED: usize = 10;

/// What a look came to.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// For the model: what was taken back, and why; empty if all stands.
    pub(super) told: String,
}

/// Compares, journals what stands, and takes back what no claim allows. `tool` is the one that has just run.
pub(super) fn compare(desk: &mut Desk, tool: Option<&str>, look: Look) -> Result<Compared, Trouble> {
    // What an earlier process planted and was killed over is nobody's edit.
    leftovers::reap_session(&desk.place.repository, &desk.session.folder);
    let before = desk.state().tree.clone();
    if look == Look::Quick && watch::is_as_seen(&desk.place.repository, &desk.session.folder, &before)? {
        return Ok(Compared::default());
    }
    let mut checkpoints = desk.checkpoints(look)?;
    let (now, changes) = checkpoints.see_since(&before)?;
    if now == before {
        return Ok(Compared::default());
    }
    let beside = Beside::of(desk, &mut checkpoints, &before)?;
    let (edits, mut refused) = judged(desk, &mut checkpoints, (&before, &now), (changes, tool, &beside));
    let mut events: Vec<Event> = edits.into_iter().map(|fact| of(SessionEvent::Edit(fact))).collect();
    events.extend(beside.news);
    let mut brought = brought(desk, &mut checkpoints, (&before, &now), &refused)?;
    brought.extend(by_runs(desk, &mut checkpoints, (&before, &now), &refused)?);
    refused.retain(|path, _| !brought.contains(path));
    desk.record(&events)?;
    let mut told = String::new();
    if !refused.is_empty() {
        let paths: Vec<RelPath> = refused.keys().cloned().collect();
        let cause = (RepairCause::Unclaimed, &[][..]);
        let label = take_back(desk, &mut checkpoints, (&before, &now), &paths, cause)?;
        told = words(desk, &refused, &label);
        if let Some(git) = &desk.state().git
            && let Some(head) = checkpoints.head_holds(git, &now, &paths)?
        {
            told += &still_in_head(git, &head);
        }
        if let Some(what) = checkpoints.in_the_midst_of() {
            let _ = write!(
                told,
                "\ntdd: git is in the midst of a {what}: end it (git {what} --abort), and leave it to the person"
            );
        }
    }
    // What was taken back has been seen as it is then.
    let tree = if refused.is_empty() { now } else { desk.state().tree.clone() };
    if refused.is_empty() || !brought.is_empty() {
        let seen = seen(desk, &mut checkpoints, tree, brought)?;
        desk.record(&[seen])?;
    }
    Ok(Compared { told })
}

/// The changes that stand, and those that do not.
fn judged(
    desk: &Desk,
    checkpoints: &mut GitCheckpoints,
    (before, now): (&CheckpointId, &CheckpointId),
    (changes, tool, beside): (Vec<Change>, Option<&str>, &Beside),
) -> (Vec<EditFact>, BTreeMap<RelPath, Refusal>) {
    let (mut edits, mut refused) = (Vec::new(), BTreeMap::new());
    for change in changes.into_iter().filter(|change| !beside.has(change)) {
        let fact = |ground, test_ids| EditFact {
            edit_target: change.path.clone(),
            test_ids,
            ground,
            tool: tool.map(str::to_owned),
            base: before.clone(),
            tree: now.clone(),
        };
        match judge(desk, checkpoints, (before, now), &change.path) {
            Permit::Allowed(ground, ids) => edits.push(fact(ground, ids)),
            Permit::Refused(_) if desk.state().started.mode == GateMode::Warn => {
                edits.push(fact(EditGround::Ungated, Vec::new()));
            }
            Permit::Refused(refusal) => {
                refused.insert(change.path, refusal);
            }
        }
    }
    (edits, refused)
}

/// Other work trees of the repository that lie in this one, as agents make them: what is done there is no change of
/// this tree, and no commit of it can hold it. Each has a gate of its own.
struct Beside {
    folders: Vec<RelPath>,
    /// Those that were known, and may be gone.
    known: Vec<RelPath>,
    news: Option<Event>,
}

impl Beside {
    /// A folder that had files of this tree's is none.
    fn of(desk: &Desk, checkpoints: &mut GitCheckpoints, before: &CheckpointId) -> Result<Self, Trouble> {
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

    fn has(&self, change: &Change) -> bool {
        let is_in = |folder: &RelPath| change.path.is_within(folder.as_str());
        self.folders.iter().any(is_in) || (change.kind == ChangeKind::Deleted && self.known.iter().any(is_in))
    }
}

/// What git has brought from its history of what would be refused: another branch, a merge. While a claim is open the
/// end of the turn is to judge it, and the tree that it would go back to is of the other commit.
fn brought(
    desk: &Desk,
    checkpoints: &mut GitCheckpoints,
    trees: (&CheckpointId, &CheckpointId),
    refused: &BTreeMap<RelPath, Refusal>,
) -> Result<Vec<RelPath>, Trouble> {
    let is_code = |(path, refusal): (&RelPath, &Refusal)| {
        (!matches!(refusal, Refusal::Guarded { .. })).then(|| path.clone())
    };
    let paths: Vec<RelPath> = refused.iter().filter_map(is_code).collect();
    match (&desk.state().started.git, &desk.state().git) {
        (Some(known), Some(seen)) if desk.state().claims.is_empty() && !paths.is_empty() => {
            checkpoints.brought((&known.tips, seen), trees, &paths)
        }
        _ => Ok(Vec::new()),
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

fn seen(
    desk: &Desk,
    checkpoints: &mut GitCheckpoints,
    tree: CheckpointId,
    brought: Vec<RelPath>,
) -> Result<Event, Trouble> {
    if brought.is_empty() {
        return Ok(Event::TreeSeen { tree });
    }
    let git = git_now(desk, checkpoints)?;
    Ok(of(SessionEvent::Rebased { tree, paths: brought, git }))
}

/// What git holds now; nothing of it is trusted that was not before.
pub(super) fn git_now(desk: &Desk, checkpoints: &mut GitCheckpoints) -> Result<Option<GitSeen>, Trouble> {
    let trusted = desk.state().git.as_ref().map(|git| git.trusted.clone()).unwrap_or_default();
    let known = desk.state().git.as_ref().map(|git| git.work_trees.clone()).unwrap_or_default();
    Ok(checkpoints.git_seen()?.map(|now| GitSeen { trusted, work_trees: known, ..now }))
}

/// What was taken back in the tree alone, and what to do about it.
fn still_in_head(git: &GitSeen, head: &CheckpointId) -> String {
    let short = |commit: &CheckpointId| commit.0.get(..12).unwrap_or(&commit.0).to_owned();
    format!(
        "\ntdd: HEAD has it still, at {}; where it was: git reset --soft {}. What git brings stands if all of its \
         commits were there when the session began, or are a person's, and no claim is open; a person pulls \
         between two turns",
        short(head),
        short(&git.head)
    )
}

/// Whether a change may stand, by what the file is now.
fn judge(
    desk: &Desk,
    checkpoints: &mut GitCheckpoints,
    (before, now): (&CheckpointId, &CheckpointId),
    path: &RelPath,
) -> Permit {
    let permit = desk.state().may_edit(&desk.rules, path);
    let Permit::Refused(Refusal::NoRed { .. } | Refusal::NoClaim { .. } | Refusal::NotCounted { .. }) =
        permit
    else {
        return permit;
    };
    // Another file is not read: it may be larger than anything that can be.
    if !may_hold_tests(path) {
        return permit;
    }
    let read = |checkpoints: &mut GitCheckpoints, tree| checkpoints.read(tree, path).ok().flatten();
    let (Some(old), Some(new)) = (read(checkpoints, before), read(checkpoints, now)) else {
        return permit;
    };
    if only_tests(path, &old, &new) { Permit::Allowed(EditGround::Test, Vec::new()) } else { permit }
}

fn may_hold_tests(path: &RelPath) -> bool {
    Language::of(path.extension()) == Some(Language::Rust)
}

/// Whether a source that holds tests beside its code has more of them now, and nothing else.
pub(super) fn only_tests(path: &RelPath, old: &[u8], new: &[u8]) -> bool {
    let (Ok(old), Ok(new)) = (std::str::from_utf8(old), std::str::from_utf8(new)) else { return false };
    let is_more = || tdd_source::additions(Language::Rust, old, new);
    may_hold_tests(path) && matches!(is_more(), Ok(Additions::OnlyUnits)) && !old.is_empty()
}

/// Makes these files as they are in `to`; what was there is kept under a label, which is given. The tree as it
/// is then is the one that was seen.
pub(super) fn take_back(
    desk: &mut Desk,
    checkpoints: &mut GitCheckpoints,
    (to, now): (&CheckpointId, &CheckpointId),
    paths: &[RelPath],
    (cause, red): (RepairCause, &[(TestId, Option<tdd_core::attempt::Digest>)]),
) -> Result<String, Trouble> {
    let label = format!("taken-{}", desk.state().count);
    checkpoints.label(&label, now)?;
    checkpoints.write_labels()?;
    let repair = Repair {
        cause,
        test_ids: red.iter().map(|(id, _)| id.clone()).collect(),
        taken_back: paths.to_vec(),
        to: to.clone(),
        kept_as: now.clone(),
        label: label.clone(),
        output: red.iter().find_map(|(_, output)| output.clone()),
    };
    desk.record_one(SessionEvent::Repair(repair))?;
    checkpoints.restore(to, paths)?;
    let tree = checkpoints.see()?;
    desk.record(&[Event::TreeSeen { tree }])?;
    Ok(label)
}

pub(super) fn of(event: SessionEvent) -> Event {
    Event::Session(Box::new(event))
}

/// Where what was taken back is kept, for whoever wants it again.
pub(super) fn kept_as(desk: &Desk, label: &str) -> String {
    format!("refs/tdd/{}/{label}", desk.state().started.session.0)
}

fn words(desk: &Desk, refused: &BTreeMap<RelPath, Refusal>, label: &str) -> String {
    let mut text = String::new();
    for refusal in refused.values().take(NAMED) {
        let _ = writeln!(text, "{refusal}");
    }
    if refused.len() > NAMED {
        let _ = writeln!(text, "tdd: and {} files more", refused.len() - NAMED);
    }
    let _ = write!(text, "tdd: taken back; kept as {}", kept_as(desk, label));
    text
}
