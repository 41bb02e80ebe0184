//! What somebody else did to the tree while a child or a run was at work. Where a protected file was
//! read-only to every child, a change of it is nobody's fault, and nothing for `tdd` to take back: the
//! run pauses. Everywhere else nobody can tell whose work it is; what lay there is kept and named.

use std::collections::BTreeSet;

use tdd_core::attempt::CheckpointId;
use tdd_core::event::Event;
use tdd_core::finding::{ChangeKind, ClassedChange};
use tdd_core::harmless;
use tdd_core::isolation::Level;
use tdd_core::path::RelPath;
use tdd_core::role::Key;
use tdd_core::trouble::Trouble;

use super::cycle::Drive;
use super::setup::sealed_classes;
use super::whose::{self, LISTED, hold_theirs, listed, no_childs};
use crate::text::summary;
use tdd_core::ports::{Checkpoints, Protection, World};

/// A tree from before a child, its files, and protected files that were there, too, and that git ignores.
pub(super) type Before<'b> = (&'b CheckpointId, &'b [RelPath], &'b [RelPath]);

/// Pauses where there are such files; `kept` holds them as they are, and `others` that are put back. `run` can be
/// gone on with.
pub(super) fn refuse_edited(
    (edited, others): (&[RelPath], &[RelPath]),
    (kept, before): (&CheckpointId, Option<Before<'_>>),
    run: Option<&str>,
) -> Result<(), Trouble> {
    if edited.is_empty() {
        return Ok(());
    }
    let mut next = vec![match others {
        // `tdd fix`, which nobody goes on with, takes the attempt's other files back.
        [] if run.is_none() => format!("they were left as they are, and are kept as {kept}"),
        [] => format!("nothing was put back, and what is there now is kept as {kept}"),
        others => format!(
            "that was not put back, and what was there is kept as {kept}\n\
             also changed while tests ran, by those or by somebody, and put back: {}",
            listed(others.iter()).join(", ")
        ),
    }];
    if let Some((before, known, ignored)) = before {
        let (changed, others): (Vec<_>, Vec<_>) = edited.iter().partition(|path| known.contains(path));
        let (there, new): (Vec<_>, Vec<_>) = others.into_iter().partition(|path| ignored.contains(path));
        next.extend((!there.is_empty()).then(|| {
            format!(
                "git ignores it, so no snapshot has it as it was: mend it by hand if it was not on purpose: {}",
                listed(there.iter().copied()).join(", ")
            )
        }));
        next.extend((!changed.is_empty()).then(|| {
            format!(
                "if it was not on purpose: git restore --source={before} --worktree -- {}",
                in_a_command(&changed)
            )
        }));
        let put_away = format!(
            "what is new takes no part yet: move it out of the repository until the run is over: {}",
            listed(new.iter().copied()).join(", ")
        );
        next.extend((!new.is_empty()).then_some(put_away));
    }
    next.push(match run {
        Some(run) => format!(
            "then go on:               tdd resume {run}\n\
             if it was on purpose:     tdd resume {run} --abandon, and begin anew"
        ),
        None => "then begin anew".to_owned(),
    });
    Err(Trouble::passing("protected files were changed by somebody else while the run was at work")
        .because(format!(
            "{}: read-only to every child, or staged in git's index, which is: so none of them did it",
            listed(edited.iter()).join(", ")
        ))
        .advise(next.join("\n")))
}

/// Those of these files that lay there when they were sealed, and in no checkpoint.
pub(super) fn ignored<P: Protection>(protection: &P, edited: &[RelPath], known: &[RelPath]) -> Vec<RelPath> {
    let is_ignored = |path: &&RelPath| !known.contains(path) && protection.was_there(path);
    edited.iter().filter(is_ignored).cloned().collect()
}

/// All of them as git takes them, or a word to be replaced where they are too many for a line.
fn in_a_command(paths: &[&RelPath]) -> String {
    if paths.len() > LISTED {
        return "FILE…".to_owned();
    }
    let words = paths.iter().map(|path| harmless::typed_word(&summary::pathspec(path)));
    words.collect::<Vec<_>>().join(" ")
}

impl<W: World> Drive<'_, W> {
    /// Files that the key's role may not change and that are not as they were, although they were there and
    /// so were read-only to it. For a process that was not there when the child ran.
    pub(super) fn held_since(
        &self,
        key: &Key,
        changed: &[ClassedChange],
        forbidden: &[RelPath],
    ) -> Vec<RelPath> {
        if self.setup.isolation.level != Level::Enforce || self.own.has_sealed {
            return Vec::new();
        }
        let was_sealed = |change: &&ClassedChange| match change.kind {
            ChangeKind::Modified | ChangeKind::Deleted | ChangeKind::Retyped => {
                sealed_classes(key).contains(&change.class)
            }
            ChangeKind::Added | ChangeKind::Submodule => false,
        };
        // Of what is new, or staged, only the process that ran the child could tell, and did.
        let is_told = |change: &&ClassedChange| self.state.facts.edited.contains(&change.path);
        let is_forbidden = |change: &&ClassedChange| forbidden.contains(&change.path);
        let held = changed.iter().filter(|change| was_sealed(change) || is_told(change)).filter(is_forbidden);
        held.map(|change| change.path.clone()).collect()
    }

    pub(super) fn refuse_edited(&mut self, edited: &[RelPath], kept: &CheckpointId) -> Result<(), Trouble> {
        let mut others = Vec::new();
        if !edited.is_empty() {
            hold_theirs(&mut self.ports.checkpoints, kept)?;
            self.record(&[no_childs(edited, kept)])?;
            self.hold_beside_edited(kept)?;
            // As without the protected file: else they would be a role's once the run goes on.
            let left = self.put_away_left_by_tests()?.map(|(left, _)| left).unwrap_or_default();
            let own = self.suite_rewrites();
            others.extend(left.into_iter().filter(|path| !own.contains(path)));
        }
        let before = self.state.attempt().map(|attempt| attempt.before.clone());
        let known = match &before {
            Some(before) if !edited.is_empty() => self.ports.checkpoints.files(before)?,
            _ => Vec::new(),
        };
        let ignored = ignored(&self.ports.protection, edited, &known);
        let before = before.as_ref().map(|before| (before, known.as_slice(), ignored.as_slice()));
        refuse_edited((edited, &others), (kept, before), Some(&self.state.run.run.to_string()))
    }

    /// Somebody was at work beside the role: what no block names of the rest may be theirs, too.
    fn hold_beside_edited(&mut self, kept: &CheckpointId) -> Result<(), Trouble> {
        let Some(before) = self.state.attempt().map(|attempt| attempt.before.clone()) else { return Ok(()) };
        let changed = self.differences(&before, kept)?;
        let paths = self.unclaimed(&changed, &before)?;
        if paths.is_empty() { Ok(()) } else { self.record(&[whose::unsure(paths, kept)]) }
    }

    /// A role's work that was put back may be a person's where the role could have written it: then no fence
    /// tells the two apart. So is what seemed to be left by the tests that the role ran.
    pub(super) fn hold_taken<'p>(
        &mut self,
        after: &CheckpointId,
        base: &CheckpointId,
        taken: impl Iterator<Item = &'p RelPath>,
    ) -> Result<(), Trouble> {
        let own = self.suite_rewrites();
        let known: BTreeSet<RelPath> = self.ports.checkpoints.files(base)?.into_iter().collect();
        let there: BTreeSet<RelPath> = self.ports.checkpoints.files(after)?.into_iter().collect();
        let is_kept = |path: &RelPath| known.contains(path) || there.contains(path);
        let is_own = |path: &RelPath| own.contains(path) || self.is_like_a_leftover(path, &known);
        let held: BTreeSet<RelPath> = taken.filter(|path| is_kept(path) && !is_own(path)).cloned().collect();
        if held.is_empty() {
            return Ok(());
        }
        let untold = self.untold(held.into_iter().collect(), after)?;
        self.hold_unknown(untold, after)
    }

    /// Where files are put back after tests ran, nobody can tell whether those or a person wrote them; but for
    /// those that the suite itself writes. What was not there before may be a person's as well: what tests make
    /// they make again.
    pub(super) fn hold_after_runs<'p>(
        &mut self,
        found: &CheckpointId,
        base: &CheckpointId,
        changed: impl Iterator<Item = &'p RelPath>,
    ) -> Result<(), Trouble> {
        let own = self.suite_rewrites();
        let mut held: Vec<RelPath> = changed.filter(|path| !own.contains(path)).cloned().collect();
        if held.is_empty() {
            return Ok(());
        }
        let known: BTreeSet<RelPath> = self.ports.checkpoints.files(base)?.into_iter().collect();
        held.retain(|path| !self.is_like_a_leftover(path, &known));
        let there: BTreeSet<RelPath> = self.ports.checkpoints.files(found)?.into_iter().collect();
        // Of an installed tool's files no checkpoint has any.
        held.retain(|path| known.contains(path) || there.contains(path));
        self.note_put_back(held.into_iter(), (found, &known))
    }

    /// Of what goes with a failed attempt, what its role does not name may be a person's, written while the role
    /// or tests were at work. It is named, and `clean` asks before it goes; but for what tests leave.
    pub(super) fn hold_unclaimed(
        &mut self,
        taken: &[ClassedChange],
        (to, kept): (&CheckpointId, &CheckpointId),
    ) -> Result<Vec<Event>, Trouble> {
        let is_gone = |path: &RelPath| {
            taken.iter().any(|change| change.path == *path && change.kind == ChangeKind::Deleted)
        };
        // Of what is gone nothing is kept that could be brought back.
        let (gone, paths): (Vec<_>, Vec<_>) = self.unclaimed(taken, to)?.into_iter().partition(is_gone);
        let removed = (!gone.is_empty()).then(|| {
            let gone = listed(gone.iter()).join(", ");
            format!("brought back with the attempt, though its role does not name it: {gone}; somebody had removed it")
        });
        let mut told: Vec<Event> =
            removed.into_iter().map(|what| Event::Restored { what: vec![what] }).collect();
        if paths.is_empty() {
            return Ok(told);
        }
        // Who names nothing at all tells nothing of what is whose.
        let is_silent = self.claims().is_empty();
        hold_theirs(&mut self.ports.checkpoints, kept)?;
        if is_silent {
            told.push(whose::unnamed(paths, kept));
            return Ok(told);
        }
        let what = format!(
            "taken back with the attempt, though its role does not name it: {}; what lay there is kept as \
             {kept}: git restore --source={kept} -- :/FILE",
            listed(paths.iter()).join(", ")
        );
        told.extend([Event::Restored { what: vec![what] }, whose::unsure(paths, kept)]);
        Ok(told)
    }

    /// The same for what lies between two trees, as it is before the way back.
    pub(super) fn hold_left(&mut self, measured: &CheckpointId, found: &CheckpointId) -> Result<(), Trouble> {
        if measured == found {
            return Ok(());
        }
        let base = self.state.attempt().map(|attempt| attempt.before.clone());
        let base = base.unwrap_or_else(|| measured.clone());
        let left = self.differences(measured, found)?;
        self.hold_after_runs(found, &base, left.iter().map(|change| &change.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_break_in_a_name_does_not_tear_a_list() {
        let paths: Vec<RelPath> =
            ["a\nb.txt", "c.txt"].iter().filter_map(|name| RelPath::new(name)).collect();
        assert_eq!(listed(paths.iter()), ["a b.txt", "c.txt"]);
    }
}
