//! What changed in the tree since it was last seen, whoever changed it: what stands, and what is taken back.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::desk::{Desk, of};
use super::inner_tests::{self, may_hold_tests, only_tests};
use super::mixed;
use super::moved;
use super::own_settings;
use super::paths::{self, Target};
use super::stands::{self, Beside};
use tdd_child::leftovers;
use tdd_core::attempt::CheckpointId;
use tdd_core::counted::and_more;
use tdd_core::event::{
    EditFact, EditGround, Event, GateMode, GitSeen, Repair, RepairCause, SessionEvent, Switch,
};
use tdd_core::finding::Change;
use tdd_core::harmless;
use tdd_core::path::RelPath;
use tdd_core::ports::Checkpoints as _;
use tdd_core::session::{Permit, Refusal};
use tdd_core::test::TestId;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::GitCheckpoints;
use tdd_snapshot::checkpoints::returning::stash_label;
use tdd_snapshot::checkpoints::watch::{self, Look};
use tdd_snapshot::half_done::{HalfDone, in_the_midst_of};

/// Files that are named one by one.
const NAMED: usize = 10;

/// Good trees that a commit is compared with.
const MOST_GOOD: usize = 5;

/// What a look came to.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// For the model: what was taken back, and why; empty if all stands.
    pub(super) told: String,
    /// What would have been, where the gate warns alone.
    pub(super) warned: String,
}

/// What the change that is judged came with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Came<'t> {
    /// With this tool, or with nobody knows what.
    With(Option<&'t str>),
    /// While the session's own tests ran.
    Meanwhile,
}

/// Compares, journals what stands, and takes back what no claim allows. `tool` is the one that has just run.
pub(super) fn compare(desk: &mut Desk, tool: Option<&str>, look: Look) -> Result<Compared, Trouble> {
    compared(desk, Came::With(tool), look)
}

/// The same once tests have run: what they leave is no edit that wants a test.
pub(super) fn after_tests(desk: &mut Desk) -> Result<Compared, Trouble> {
    compared(desk, Came::Meanwhile, Look::Quick)
}

fn compared(desk: &mut Desk, came: Came<'_>, look: Look) -> Result<Compared, Trouble> {
    let tool = match came {
        Came::With(tool) => tool,
        Came::Meanwhile => None,
    };
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
    let vanished = moved::vanished(&changes);
    let (edits, mut refused) = judged(desk, &mut checkpoints, (&before, &now), (changes, tool, &beside));
    let warned = warned(desk, &edits);
    let mut events: Vec<Event> = edits.into_iter().map(|fact| of(SessionEvent::Edit(fact))).collect();
    events.extend(beside.news);
    let brought = stands::of_others(desk, &mut checkpoints, (&before, &now), &refused)?;
    refused.retain(|path, _| !brought.contains(path));
    desk.record(&events)?;
    let mut told = String::new();
    if !refused.is_empty() {
        let mut paths: Vec<RelPath> = refused.keys().cloned().collect();
        let sources = moved::sources(&mut checkpoints, (&before, &now), (&vanished, &paths));
        paths.extend(sources.iter().map(|(from, _)| from.clone()));
        let cause = (RepairCause::Unclaimed, &[][..]);
        let label = take_back(desk, &mut checkpoints, (&before, &now), &paths, cause)?;
        told = match came {
            Came::With(_) => words(desk, &refused, &label),
            Came::Meanwhile => left(desk, &paths, &label),
        };
        told += &moved::told(&sources);
        if let Some(git) = &desk.state().git
            && let Some(head) = checkpoints.head_holds(git, &now, &paths)?
        {
            let back = last_good(desk, &mut checkpoints, (&git.head, &head))?;
            told += &still_in_head(&back, &head);
            if checkpoints.is_merge(&head) {
                told += "\ntdd: a merge whose conflicts somebody resolves is an edit; at the person's word: tdd gate refactor \
                         on --why 'resolve the merge', then merge again";
            }
        }
        if let Some(git) = &desk.state().git {
            let dropped = checkpoints.dropped_stashes(git)?;
            told.extend(dropped.iter().map(|stash| dropped_stash(desk, stash)));
        }
        told += &in_the_midst(desk);
    }
    // What was taken back has been seen as it is then.
    let tree = if refused.is_empty() { now } else { desk.state().tree.clone() };
    if refused.is_empty() || !brought.is_empty() {
        let seen = seen(desk, &mut checkpoints, tree, brought)?;
        desk.record(&[seen])?;
    }
    Ok(Compared { told, warned })
}

/// The files that have changed and that nothing allows, and those that a claim alone does. Nothing is journalled or taken
/// back.
pub(super) fn in_doubt(desk: &Desk) -> Result<(Vec<RelPath>, Vec<RelPath>), Trouble> {
    let before = desk.state().tree.clone();
    if watch::is_as_seen(&desk.place.repository, &desk.session.folder, &before)? {
        return Ok((Vec::new(), Vec::new()));
    }
    let mut checkpoints = desk.checkpoints(Look::Quick)?;
    let (now, changes) = checkpoints.see_since(&before)?;
    let beside = Beside::of(desk, &mut checkpoints, &before)?;
    let (edits, mut refused) = judged(desk, &mut checkpoints, (&before, &now), (changes, None, &beside));
    let standing = stands::of_others(desk, &mut checkpoints, (&before, &now), &refused)?;
    refused.retain(|path, _| !standing.contains(path));
    let claimed = edits.into_iter().filter(|edit| edit.ground == EditGround::Claim);
    Ok((refused.into_keys().collect(), claimed.map(|edit| edit.edit_target).collect()))
}

/// What stands because the gate warns alone.
fn warned(desk: &Desk, edits: &[EditFact]) -> String {
    if desk.state().switch == Switch::Off {
        return String::new();
    }
    let ungated = || edits.iter().filter(|edit| edit.ground == EditGround::Ungated);
    let names: Vec<&str> = ungated().map(|edit| edit.edit_target.as_str()).take(NAMED).collect();
    match (names.as_slice(), ungated().count()) {
        ([], _) => String::new(),
        (names, count) => {
            let more = and_more(count.saturating_sub(NAMED));
            format!("tdd: (warning) changed without a red test and a claim: {}{more}", names.join(", "))
        }
    }
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
    let Some(now) = checkpoints.git_seen()? else { return Ok(None) };
    let Some(before) = &desk.state().git else { return Ok(Some(now)) };
    // Where HEAD was gone on from by somebody, what it holds is theirs to know.
    let unjudged = before.unjudged.clone().filter(|_| now.head == before.head);
    let (trusted, work_trees) = (before.trusted.clone(), before.work_trees.clone());
    Ok(Some(GitSeen { trusted, work_trees, unjudged, ..now }))
}

/// What to do where git waits for somebody who resolves a conflict.
pub(super) fn in_the_midst(desk: &Desk) -> String {
    let Some(HalfDone { what, giving_up, .. }) = in_the_midst_of(&desk.place.repository) else {
        return String::new();
    };
    // "a merge" with its article, "applying patches" without one.
    let it = what.strip_prefix("a ").map_or_else(|| (*what).to_owned(), |word| format!("the {word}"));
    format!(
        "\ntdd: git is in the midst of {what}. To resolve it at the person's word: tdd gate refactor on --why 'resolve \
         {it}'; else end it: {giving_up}"
    )
}

/// What was taken back in the tree alone, and what to do about it.
fn still_in_head(back: &str, head: &CheckpointId) -> String {
    format!(
        "\ntdd: HEAD has it still, at {}; where it was: git reset --soft {back}. What git brings stands if all of its \
         commits were there when the session began, or are a person's, and no claim is open; a person pulls \
         between two turns",
        short(head)
    )
}

fn short(commit: &CheckpointId) -> String {
    commit.0.get(..12).unwrap_or(&commit.0).to_owned()
}

/// The commit to go back to from one that holds what may not stand: the last that holds judged work alone.
pub(super) fn last_good(
    desk: &Desk,
    checkpoints: &mut GitCheckpoints,
    (since, head): (&CheckpointId, &CheckpointId),
) -> Result<String, Trouble> {
    let state = desk.state();
    let known = state.known.iter().rev().take(MOST_GOOD);
    let trees: Vec<CheckpointId> = [&state.tree, &state.good].into_iter().chain(known).cloned().collect();
    Ok(short(&checkpoints.last_judged(since, head, &trees)?))
}

/// What a `git stash pop` has ended that was taken back.
fn dropped_stash(desk: &Desk, stash: &CheckpointId) -> String {
    let label = stash_label(stash);
    format!(
        "\ntdd: git has dropped the stash; it is kept as {}, and this lists it again: git stash store -m kept {stash}",
        kept_as(desk, &label)
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
    if let Permit::Refused(Refusal::Guarded { .. }) = &permit
        && own_settings::is_it(desk, path)
    {
        let mut text = |tree| checkpoints.read(tree, path).ok().flatten();
        let (before, now) = (text(before), text(now));
        let is_same = own_settings::settle_the_same(before.as_deref(), now.as_deref());
        return if is_same { Permit::Allowed(EditGround::Free, Vec::new()) } else { permit };
    }
    if let Permit::Allowed(EditGround::Claim | EditGround::Test, _) = &permit
        && leads_away(desk, checkpoints, now, path)
    {
        return Permit::Refused(Refusal::Link { path: path.clone() });
    }
    if let Permit::Allowed(EditGround::Claim, _) = &permit
        && let Some(refusal) = mixed::changed_in(checkpoints, path, (before, now))
    {
        return Permit::Refused(refusal);
    }
    if let Permit::Allowed(EditGround::Claim | EditGround::Refactor, _) = &permit {
        return inner_tests::weakened(desk, checkpoints, path, now).map_or(permit, Permit::Refused);
    }
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
    if only_tests(desk, path, &old, &new) { Permit::Allowed(EditGround::Test, Vec::new()) } else { permit }
}

/// Whether it is a link to what nobody compares: its text could change unseen from then on.
fn leads_away(desk: &Desk, checkpoints: &mut GitCheckpoints, now: &CheckpointId, path: &RelPath) -> bool {
    let top = desk.place.repository.as_path();
    let at = top.join(path.as_str());
    if !at.symlink_metadata().is_ok_and(|about| about.is_symlink()) {
        return false;
    }
    let Ok(Target::Inside(leads_to)) = paths::target(top, top, path.as_str()) else { return true };
    let is_held = |file: &RelPath| *file == leads_to || file.is_within(leads_to.as_str());
    !checkpoints.files(now).is_ok_and(|files| files.iter().any(is_held))
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
    // A submodule is named as a whole, and its files are put back.
    let inner = checkpoints.inner_changes(to, now)?.into_iter();
    let inner = inner.filter(|file| paths.iter().any(|path| file.is_within(path.as_str())));
    let all: Vec<RelPath> = paths.iter().cloned().chain(inner).collect();
    checkpoints.restore(to, &all)?;
    checkpoints.index_again(paths)?;
    let tree = checkpoints.see()?;
    desk.record(&[Event::TreeSeen { tree }])?;
    Ok(label)
}

/// Where what was taken back is kept, for whoever wants it again.
pub(super) fn kept_as(desk: &Desk, label: &str) -> String {
    format!("refs/tdd/{}/{label}", desk.state().started.session.0)
}

/// What tests have left. No claim is advised for it: it is there again after each run.
fn left(desk: &Desk, paths: &[RelPath], label: &str) -> String {
    let names: Vec<_> = paths.iter().take(NAMED).map(|path| harmless::line(path.as_str())).collect();
    let more = and_more(paths.len().saturating_sub(NAMED));
    format!(
        "tdd: changed while the tests ran: {}{more}. Taken back; kept as {}. If tests leave it each time, tell the person: it \
         is for .gitignore, for session_gate: {{ free: […] }} in tdd.yaml, or for a commit",
        names.join(", "),
        kept_as(desk, label)
    )
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
