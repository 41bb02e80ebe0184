//! The end of a turn: one run of the tests that were claimed; what is red is taken back.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::annotation::Names;
use super::compare::{self, after_tests, compare, git_now, kept_as};
use super::desk::Desk;
use super::faces;
use super::ran::Wanted;
use super::runs::{self, Why};
use tdd_core::attempt::CheckpointId;
use tdd_core::event::{GitSeen, PassFail, RepairCause, SessionEvent, Switch, TestRunFact};
use tdd_core::excerpt;
use tdd_core::path::RelPath;
use tdd_core::ports::Checkpoints as _;
use tdd_core::session::MOST_REPAIRS;
use tdd_core::test::TestId;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::watch::{self, Look};

/// Commits that are trusted one by one.
const MOST_TRUSTED: usize = 100;
/// What a model is shown of the tests' output.
pub(super) const SHOWN: usize = 6 << 10;

/// How a turn ended.
#[derive(Debug)]
pub(super) enum Turned {
    /// Nothing had to be judged.
    Nothing,
    /// In words: all that was touched is green; and what stands or is gone beside it without anybody's fault.
    Green { told: String, beside: String },
    /// In words: what nothing allows, and stands because the gate warns alone.
    Warned(String),
    /// In words: what was taken back, with the raw output.
    Red(String),
}

/// Compares the whole tree, then judges what was touched.
pub(super) fn flush(desk: &mut Desk) -> Result<Turned, Trouble> {
    if desk.state().switch == Switch::Off {
        return Ok(Turned::Nothing);
    }
    let compared = compare(desk, None, Look::Whole)?;
    let (mut touched, mut idle) = (desk.state().touched(), desk.state().idle());
    let undone = undone(desk, &touched)?;
    touched.retain(|id| !undone.contains(id));
    idle.extend(undone);
    if !idle.is_empty() {
        desk.record_one(SessionEvent::Released { test_ids: idle.into_iter().collect() })?;
    }
    if touched.is_empty() {
        return Ok(match (compared.told.is_empty(), compared.warned.is_empty()) {
            (true, true) => Turned::Nothing,
            (true, false) => Turned::Warned(compared.warned),
            (false, _) => Turned::Red(compared.told),
        });
    }
    let project = desk.project()?;
    let mut checkpoints = desk.checkpoints(Look::Quick)?;
    let tree = desk.state().tree.clone();
    let files = checkpoints.files(&tree)?;
    drop(checkpoints);
    let (wanted, lost) = wanted(desk, &touched, &files)?;
    let ran = runs::run(desk, &project, (&wanted, &[]), Why::ToJudge, &tree)?;
    let output = runs::note(desk, &ran)?;
    // What the run left in the tree is nobody's edit of code; it is looked at as anything else is.
    let after = after_tests(desk)?;
    let green = |id: &&TestId| {
        ran.facts.iter().any(|fact| fact.test_id == **id && fact.status == PassFail::Pass)
            && ran.no_evidence.is_none()
    };
    let faces = faces::since(desk, &desk.state().good)?;
    let shows_faces = |id: &TestId| {
        let files = desk.state().files_of(&BTreeSet::from([id.clone()]));
        faces.iter().any(|(path, _)| files.contains(path))
    };
    let red: BTreeSet<TestId> = touched.iter().filter(|id| !green(id) || shows_faces(id)).cloned().collect();
    let beside = in_lines([compared.warned, after.warned, after.told]);
    if red.is_empty() {
        let ids: Vec<TestId> = touched.into_iter().collect();
        let count = ids.len();
        let tree = desk.state().tree.clone();
        desk.record_one(SessionEvent::Flushed { test_ids: ids, tree })?;
        let green = format!("tdd: {count} green, edits kept ({} ms)", ran.duration_ms);
        let is_all = compared.told.is_empty();
        let told = in_lines([compared.told, green, beside.clone()]);
        // What was taken back is told, whatever else is green.
        return Ok(if is_all { Turned::Green { told, beside } } else { Turned::Red(told) });
    }
    let mut told = vec![in_lines([compared.told, beside, String::new()])];
    told.retain(|text| !text.is_empty());
    let gone: Vec<&TestId> = ran.gone.iter().chain(&lost).collect();
    told.extend(faces.into_iter().map(|(_, why)| format!("tdd: {why}")));
    told.push(repair(desk, &red, &gone, (&ran, output))?);
    Ok(Turned::Red(told.join("\n")))
}

pub(super) fn in_lines<const N: usize>(texts: [String; N]) -> String {
    let told: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    told.join("\n")
}

/// The tests of claims whose files are all as they were in the last good tree: an edit that was undone is none.
fn undone(desk: &Desk, touched: &BTreeSet<TestId>) -> Result<BTreeSet<TestId>, Trouble> {
    let state = desk.state();
    if touched.is_empty() {
        return Ok(BTreeSet::new());
    }
    let changes = desk.checkpoints(Look::Quick)?.diff(&state.good, &state.tree)?;
    let is_left = |id: &TestId| {
        let of = state.files_of(&BTreeSet::from([id.clone()]));
        changes.iter().any(|change| of.contains(&change.path))
    };
    Ok(touched.iter().filter(|id| !is_left(id)).cloned().collect())
}

/// Takes back the files of the red claims, and says so.
fn repair(
    desk: &mut Desk,
    red: &BTreeSet<TestId>,
    gone: &[&TestId],
    (ran, output): (&super::ran::Ran, Option<tdd_core::attempt::Digest>),
) -> Result<String, Trouble> {
    let files: Vec<RelPath> = desk.state().files_of(red).into_iter().collect();
    let (good, now): (CheckpointId, CheckpointId) = (desk.state().good.clone(), desk.state().tree.clone());
    let with_them = green_with(desk, red, &files, ran);
    let mut checkpoints = desk.checkpoints(Look::Quick)?;
    let ids: Vec<_> = red.iter().map(|id| (id.clone(), output.clone())).collect();
    let label = compare::take_back(desk, &mut checkpoints, (&good, &now), &files, (RepairCause::Red, &ids))?;
    let mut text = String::new();
    let names: Vec<&str> = red.iter().map(|id| id.0.as_str()).collect();
    let paths: Vec<&str> = files.iter().map(RelPath::as_str).collect();
    let _ = writeln!(text, "tdd: red: {}", names.join(", "));
    for id in gone {
        let _ = writeln!(text, "tdd: {id} is not there any more");
    }
    if let Some(why) = &ran.no_evidence {
        let _ = writeln!(text, "tdd: the run is no evidence: {why}");
    }
    let _ = writeln!(text, "tdd: taken back: {}; kept as {}", paths.join(", "), kept_as(desk, &label));
    if !with_them.is_empty() {
        let _ = writeln!(
            text,
            "tdd: green, and taken back with it: {}; run again, then claim again",
            with_them.join(", ")
        );
    }
    let halted = desk.state().halted();
    let halted: Vec<&str> = halted.iter().map(|id| id.0.as_str()).collect();
    if halted.is_empty() {
        let is_green = |fact: &TestRunFact| red.contains(&fact.test_id) && fact.status == PassFail::Pass;
        let first = if ran.facts.iter().any(is_green) { "run the test, " } else { "" };
        let _ = writeln!(text, "tdd: {first}claim again, then another edit. The tests said:");
    } else {
        let _ = writeln!(
            text,
            "tdd: halted: {} failed {MOST_REPAIRS} turns. Stop, and tell the person. The tests said:",
            halted.join(", ")
        );
    }
    text.push_str(&excerpt::head_and_tail(&ran.output, SHOWN));
    Ok(text)
}

/// The green tests whose claims share a file with a red one's.
fn green_with(desk: &Desk, red: &BTreeSet<TestId>, files: &[RelPath], ran: &super::ran::Ran) -> Vec<String> {
    let is_green =
        |id: &TestId| ran.facts.iter().any(|fact| fact.test_id == *id && fact.status == PassFail::Pass);
    let shared = desk.state().claims.iter().filter(|claim| files.contains(&claim.edit_target));
    let ids: BTreeSet<&TestId> = shared.map(|claim| &claim.test_id).collect();
    ids.into_iter().filter(|id| !red.contains(*id) && is_green(id)).map(|id| id.0.clone()).collect()
}

/// The tests of these ids, as their runner calls them; and those of slugs that are nowhere.
pub(super) fn wanted(
    desk: &Desk,
    ids: &BTreeSet<TestId>,
    files: &[RelPath],
) -> Result<(Vec<Wanted>, Vec<TestId>), Trouble> {
    let mut names = Names::new(&desk.place);
    let (mut wanted, mut lost) = (Vec::new(), Vec::new());
    for id in ids {
        let file = desk.state().tests.get(id).and_then(|last| last.file.clone());
        if id.0.contains("::") {
            wanted.push(Wanted { id: id.clone(), ..names.wanted(id, file) });
            continue;
        }
        match names.by_slug(&id.0, files)? {
            Some(one) => wanted.push(one),
            None => lost.push(id.clone()),
        }
    }
    Ok((wanted, lost))
}

/// A person may have worked between two turns, in the tree and in git.
pub(super) fn rebase(desk: &mut Desk) -> Result<(), Trouble> {
    let before = desk.state().tree.clone();
    let is_same = watch::is_as_seen(&desk.place.repository, &desk.session.folder, &before)?;
    let mut checkpoints = desk.checkpoints(Look::Quick)?;
    let tree = if is_same { before.clone() } else { checkpoints.see()? };
    let mut git = git_now(desk, &mut checkpoints)?;
    if let (Some(before), Some(now)) = (&desk.state().git, &mut git) {
        // What came while no turn was under way is a person's.
        now.trusted.extend(checkpoints.new_tips(before, now)?);
        now.trusted.drain(..now.trusted.len().saturating_sub(MOST_TRUSTED));
    }
    if tree == before && git == desk.state().git {
        return Ok(());
    }
    let changes = if tree == before { Vec::new() } else { checkpoints.diff(&before, &tree)? };
    let paths: Vec<RelPath> = changes.into_iter().map(|change| change.path).collect();
    // Where a turn was cut off its claims are open; what the person has taken over is not judged by them.
    let has_moved = git.as_ref().map(|git| &git.head) != desk.state().git.as_ref().map(|git| &git.head);
    let taken_over =
        desk.state().claims.iter().filter(|claim| has_moved || paths.contains(&claim.edit_target));
    let test_ids: Vec<TestId> = taken_over.map(|claim| claim.test_id.clone()).collect();
    if !test_ids.is_empty() {
        desk.record_one(SessionEvent::Released { test_ids })?;
    }
    desk.record_one(SessionEvent::Rebased { tree, paths, git })
}

/// Notes what git holds at the end of a turn, so that none of it is taken for a person's later. Says what HEAD was given
/// that was not judged; if there is nothing, its commit is trusted.
pub(super) fn committed(desk: &mut Desk) -> Result<Option<String>, Trouble> {
    let Some(before) = desk.state().git.clone() else { return Ok(None) };
    let mut checkpoints = desk.checkpoints(Look::Quick)?;
    let Some(mut now) = git_now(desk, &mut checkpoints)? else { return Ok(None) };
    if now == before && before.unjudged.is_none() {
        return Ok(None);
    }
    let tree = desk.state().tree.clone();
    let given_since = before.unjudged.as_ref().unwrap_or(&before.head);
    let unjudged =
        checkpoints.unjudged(&GitSeen { head: given_since.clone(), ..before.clone() }, &now.head, &tree)?;
    now.unjudged = (!unjudged.is_empty()).then(|| given_since.clone());
    if unjudged.is_empty() && now.head != before.head && !now.trusted.contains(&now.head) {
        now.trusted.push(now.head.clone());
    }
    let (head, is_new) = (now.head.clone(), now != before);
    let given_since = given_since.clone();
    if is_new {
        desk.record_one(SessionEvent::Committed { git: now })?;
    }
    let names: Vec<&str> = unjudged.iter().map(RelPath::as_str).take(5).collect();
    if names.is_empty() {
        return Ok(None);
    }
    let back = compare::last_good(desk, &mut checkpoints, (&given_since, &head))?;
    Ok(Some({
        format!(
            "tdd: HEAD holds other text than the files that were judged: {}. Commit them as they are, or take the commit \
             back (git reset --soft {back}), or tell the person",
            names.join(", ")
        )
    }))
}
