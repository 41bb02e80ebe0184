//! Whose what is that changed while the project's own commands ran and no role was alive: what they write again
//! where nobody else writes, in a checkout of the tree from before, is theirs. All else may be a person's.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use tdd_core::attempt::CheckpointId;
use tdd_core::event::Event;
use tdd_core::finding::ChangeKind;
use tdd_core::likeness;
use tdd_core::machine::{Facts, Machine, PutBack};
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::policy::tooling::is_editors;
use tdd_core::ports::{Bench, Bring, Checkpoints, Protection, World};
use tdd_core::trouble::{Obstacle, Trouble, TroubleKind};
use tdd_source::Language;

mod in_place;
mod versions;

use super::drive::{Carry, Driver};
use super::whose::{self, hold_theirs, is_own_writing, listed, may_be_a_persons, written_beside_tests};
use tdd_core::audience::News;

/// Files that the suite writes, as far as they are named.
const MOST_NAMED: usize = 10;

/// What was found beside tests and put back, and the tree that holds it.
#[derive(Default)]
pub(super) struct Found(Vec<(CheckpointId, Vec<RelPath>)>);

impl Found {
    /// Each with a tree that holds it.
    fn trees(&self) -> BTreeMap<RelPath, CheckpointId> {
        let of_one = |(tree, paths): &(CheckpointId, Vec<RelPath>)| {
            paths.iter().map(|path| (path.clone(), tree.clone())).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of_one).collect()
    }

    fn paths(&self) -> BTreeSet<RelPath> {
        self.0.iter().flat_map(|(_, paths)| paths.iter().cloned()).collect()
    }
}

/// What differs in the tree after the project's own commands ran, and was left as it is.
struct Changed {
    zero: CheckpointId,
    now: CheckpointId,
    paths: BTreeSet<RelPath>,
}

/// What is to be journalled as made by the commands; and versions of files that they write anew otherwise, each with
/// the tree that holds it.
type Made = (Vec<Event>, Vec<(Vec<RelPath>, CheckpointId)>);

fn made_again(paths: Vec<RelPath>, kept: CheckpointId) -> Option<Event> {
    let put_back = Some(PutBack::MadeAgain);
    (!paths.is_empty()).then_some(Event::Edited { paths, kept, before: None, put_back })
}

/// Whether a command that could not be carried out in a checkout is of no account there.
fn is_no_matter(trouble: &Trouble) -> bool {
    let passes = trouble.obstacle.is_some_and(Obstacle::passes);
    match trouble.kind {
        TroubleKind::Environment | TroubleKind::User | TroubleKind::Config => !passes,
        TroubleKind::Passing | TroubleKind::Internal | TroubleKind::Stopped(_) => false,
    }
}

impl<W: World, M: Machine, X> Driver<'_, W, M, X>
where
    Self: Carry<M>,
{
    /// Files of checkpoint 0.
    pub(super) fn files_of_zero(&mut self) -> Result<BTreeSet<RelPath>, Trouble> {
        let Some(zero) = self.state.facts().zero.clone() else { return Ok(BTreeSet::new()) };
        Ok(self.ports.checkpoints.files(&zero)?.into_iter().collect())
    }

    /// Code of tests that changed or came while no role was alive is put back; a person may have saved it just
    /// then. Data beside tests is kept until it is known who writes it.
    pub(super) fn find_beside_tests(&mut self, label: &str, found: &mut Found) -> Result<(), Trouble> {
        let known = self.files_of_zero()?;
        let mut touched = self.ports.protection.check()?;
        touched.retain(|path| !self.policy.is_requirement(path) || known.contains(path));
        // Whoever set it, it stays until it is known who did.
        let modes = self.ports.protection.modes_alone()?;
        touched.retain(|path| !modes.contains(path));
        if touched.is_empty() {
            return Ok(());
        }
        let tree = self.ports.checkpoints.take(label)?;
        let tree = self.with_ignored(&tree, &touched)?;
        let (policy, is_kept) = (&self.policy, |path: &RelPath| may_be_a_persons(&self.policy, &known, path));
        // A file of the gate that was not there, or that git ignores, may be a person's as well.
        let is_asked = |path: &RelPath| matches!(policy.classify(path), FileClass::Test | FileClass::Gate);
        let is_own =
            |path: &&RelPath| is_own_writing(policy, &known, path) && is_asked(path) && !is_kept(path);
        let written = touched.iter().filter(is_own).cloned().collect();
        let theirs = touched.iter().filter(|path| is_kept(path)).cloned().collect();
        found.0.push((tree.clone(), written));
        self.hold_unknown(theirs, &tree)
    }

    /// What was put back, and nobody has told whose it is.
    pub(super) fn still_set_aside(&self) -> Vec<(Vec<RelPath>, CheckpointId)> {
        let Facts { theirs, set_aside, .. } = self.state.facts();
        let asked = set_aside.iter().map(|(paths, kept)| {
            let paths: Vec<RelPath> = paths.iter().filter(|path| !theirs.contains(*path)).cloned().collect();
            (paths, kept.clone())
        });
        asked.filter(|(paths, _)| !paths.is_empty()).collect()
    }

    /// Those of these files that are in the checkout as they are in `kept`.
    fn made_as_in(&mut self, kept: &CheckpointId, paths: Vec<RelPath>) -> Result<Vec<RelPath>, Trouble> {
        let mut made = Vec::new();
        for path in paths {
            let lay_there = self.ports.checkpoints.read(kept, &path)?;
            let is_same = lay_there.is_some_and(|bytes| !self.ports.bench.differs(&path, &bytes));
            made.extend(is_same.then_some(path));
        }
        Ok(made)
    }

    /// Which of these the commands have made in the checkout of `good`; and which others they write anew there.
    fn made_of(
        &mut self,
        good: &CheckpointId,
        asked: Vec<(Vec<RelPath>, CheckpointId)>,
    ) -> Result<Made, Trouble> {
        let each = |(paths, kept): &(Vec<RelPath>, CheckpointId)| {
            paths.iter().map(|path| (path.clone(), kept.clone())).collect::<Vec<_>>()
        };
        let all: BTreeMap<RelPath, CheckpointId> = asked.iter().flat_map(each).collect();
        let written = self.written_apart(good, &all)?;
        let known: BTreeSet<RelPath> = self.ports.checkpoints.files(good)?.into_iter().collect();
        let (mut events, mut rewritten) = (Vec::new(), Vec::new());
        for (paths, kept) in asked {
            let (old, mut made): (Vec<_>, Vec<_>) = paths
                .into_iter()
                .filter(|path| written.contains(path))
                .partition(|path| known.contains(path));
            let same = self.made_as_in(&kept, old.clone())?;
            let others: Vec<RelPath> = old.into_iter().filter(|path| !same.contains(path)).collect();
            made.extend(same);
            rewritten.extend((!others.is_empty()).then(|| (others, kept.clone())));
            events.extend(made_again(made, kept));
        }
        Ok((events, rewritten))
    }

    /// What differs from checkpoint 0 and no name tells to be a command's: by-products, a tool's new lock file, a
    /// person's next requirement and what an editor holds are none of it.
    fn changed_since_zero(&mut self) -> Result<Option<Changed>, Trouble> {
        let Some(zero) = self.state.facts().zero.clone() else { return Ok(None) };
        let now = self.ports.checkpoints.take("seen")?;
        let known = self.files_of_zero()?;
        let changes = self.diff().differences(&zero, &now)?;
        let is_lock = |class, kind| class == FileClass::Lock && kind == ChangeKind::Added;
        let of_nobody = changes.into_iter().filter(|change| !is_lock(change.class, change.kind));
        let mut paths: BTreeSet<RelPath> = of_nobody.map(|change| change.path).collect();
        let is_next = |path: &RelPath| self.policy.is_requirement(path) && !known.contains(path);
        paths.retain(|path| !is_next(path) && !is_editors(path));
        Ok(Some(Changed { zero, now, paths }))
    }

    /// Nobody of the run's was alive: what the commands do not write again may be a person's. Leaves in `written` what
    /// they do; gives what is to be journalled with the tree as it is now.
    pub(super) async fn learn_whose(
        &mut self,
        found: &Found,
        written: &mut BTreeSet<RelPath>,
        label: &str,
    ) -> Result<Vec<Event>, Trouble> {
        let mut changed = self.changed_since_zero()?;
        let mut asked = found.trees();
        asked.extend(
            changed
                .iter()
                .flat_map(|changed| changed.paths.iter().map(|path| (path.clone(), changed.now.clone()))),
        );
        let mut again = self.made_again(&asked, label).await?;
        let asked: BTreeSet<RelPath> = asked.into_keys().collect();
        self.made_in_place(&mut changed, (&asked, &mut again), label).await?;
        let mut later = Found::default();
        self.find_beside_tests(label, &mut later)?;
        let known = self.files_of_zero()?;
        written_beside_tests(&mut self.ports.protection, &self.policy, &known)?;
        // What came meanwhile no command has made.
        self.tell_whose(&later, None, &BTreeSet::new())?;
        let (own, events) = self.tell_whose(found, changed, &again)?;
        written.retain(|path| !asked.contains(path) || own.contains(path) || again.contains(path));
        Ok(events)
    }

    /// Those of these files that the commands write again in a checkout; where none can be made, that they write
    /// beside tests once more. They run there as well where a tool may keep a record of what it saw in its own folder, which
    /// whoever looks at those finds.
    async fn made_again(
        &mut self,
        asked: &BTreeMap<RelPath, CheckpointId>,
        label: &str,
    ) -> Result<BTreeSet<RelPath>, Trouble> {
        let is_asked = !asked.is_empty() || self.ports.protection.may_write_in_tools();
        let Some(zero) = self.state.facts().zero.clone().filter(|_| is_asked) else {
            return Ok(BTreeSet::new());
        };
        let laid = self.lay_apart(&zero)?;
        let mode = |path: &RelPath| Some((path.clone(), self.ports.bench.mode(path)?));
        let modes: BTreeMap<RelPath, u32> = asked.keys().filter_map(mode).collect();
        let ran =
            self.run_apart(laid.as_ref().map(|(folder, seen)| (folder.as_path(), seen.as_slice()))).await;
        let again = match (laid, ran) {
            (_, Err(trouble)) if !is_no_matter(&trouble) => Err(trouble),
            (Some(_), Ok(()) | Err(_)) => self.written_apart(&zero, asked).map(|mut written| {
                let is_set = |path: &RelPath| self.ports.bench.mode(path) != modes.get(path).copied();
                written.extend(modes.keys().filter(|path| is_set(path)).cloned());
                written
            }),
            (None, Ok(()) | Err(_)) => {
                let mut again = Found::default();
                self.find_beside_tests(label, &mut again)?;
                Ok(again.paths())
            }
        };
        self.ports.bench.close();
        again
    }

    /// A checkout of a tree beside the repository, and what of the work tree it leads to; `None` where none can be
    /// made.
    fn lay_apart(&mut self, tree: &CheckpointId) -> Result<Option<(PathBuf, Vec<PathBuf>)>, Trouble> {
        let ports = &mut *self.ports;
        let laid = ports.bench.open().and_then(|folder| {
            ports.checkpoints.lay(tree, &folder)?;
            ports.bench.bring(Bring::Before)?;
            Ok((folder, ports.bench.leads_to()))
        });
        match laid {
            Err(trouble) if is_no_matter(&trouble) => Ok(None),
            laid => laid.map(Some),
        }
    }

    /// Those of the files that were written in the checkout of `zero`, too: themselves, or one that is like them,
    /// as tests name what they leave by time or process.
    fn written_apart(
        &mut self,
        zero: &CheckpointId,
        paths: &BTreeMap<RelPath, CheckpointId>,
    ) -> Result<BTreeSet<RelPath>, Trouble> {
        let known: BTreeSet<RelPath> = self.ports.checkpoints.files(zero)?.into_iter().collect();
        let mut written = BTreeSet::new();
        for (path, tree) in paths {
            let is_written = if known.contains(path) {
                let before = self.ports.checkpoints.read(zero, path)?;
                before.is_some_and(|before| self.ports.bench.differs(path, &before))
            } else {
                let mut like = self.ports.bench.like(path);
                let is_code = Language::of(path.extension()).is_some();
                like.retain(|like| like == path || (!is_code && !known.contains(like)));
                self.is_like_one((path, tree), &like)?
            };
            if is_written {
                written.insert(path.clone());
            }
        }
        Ok(written)
    }

    /// Whether one of these files of the checkout is this one, or as good as it: its name is of a time, a process or an
    /// id, or says little and the file says the same.
    fn is_like_one(
        &mut self,
        (path, tree): (&RelPath, &CheckpointId),
        like: &[RelPath],
    ) -> Result<bool, Trouble> {
        let is_so = |like: &RelPath| like == path || likeness::is_telling(path.as_str(), like.as_str());
        if like.is_empty() || like.iter().any(is_so) {
            return Ok(!like.is_empty());
        }
        let Some(mine) = self.ports.checkpoints.read(tree, path)? else { return Ok(false) };
        let mine = String::from_utf8_lossy(&mine);
        let says_it = |like: &RelPath| {
            let other = self.ports.bench.read(like);
            other.is_some_and(|other| likeness::say_alike(&mine, &String::from_utf8_lossy(&other)))
        };
        Ok(like.iter().any(says_it))
    }

    /// Notes what is not the commands' own: of what was put back it is kept, and the rest lies there for the
    /// person. Gives what is, and what is to be journalled with the tree as it is now.
    fn tell_whose(
        &mut self,
        found: &Found,
        changed: Option<Changed>,
        again: &BTreeSet<RelPath>,
    ) -> Result<(BTreeSet<RelPath>, Vec<Event>), Trouble> {
        for (tree, paths) in &found.0 {
            let unsure = paths.iter().filter(|path| !again.contains(path)).cloned().collect();
            self.hold_unknown(unsure, tree)?;
        }
        let mut own: BTreeSet<RelPath> = found.paths().intersection(again).cloned().collect();
        own.retain(|path| self.policy.classify(path) == FileClass::Test);
        for path in own.iter().take(MOST_NAMED) {
            let note = format!(
                "the suite itself writes {path}: it is put back after each run, and no role is blamed"
            );
            self.audience.news(&News::Note(note));
        }
        let Some(Changed { zero, now: then, paths }) = changed else { return Ok((own, Vec::new())) };
        let since = self.changed_since_zero()?;
        let now = since.as_ref().map_or(&then, |since| &since.now).clone();
        // What came meanwhile no command has made, in whatever it was run.
        let later: BTreeSet<RelPath> =
            self.diff().differences(&then, &now)?.into_iter().map(|change| change.path).collect();
        let is_theirs =
            |path: &RelPath| later.contains(path) || !paths.contains(path) || !again.contains(path);
        let theirs: Vec<RelPath> =
            since.map(|since| since.paths).unwrap_or_default().into_iter().filter(is_theirs).collect();
        if theirs.is_empty() {
            return Ok((own, Vec::new()));
        }
        hold_theirs(&mut self.ports.checkpoints, &now)?;
        // Whoever goes on was told of some of them right then.
        let earlier = &self.state.facts().theirs;
        let untold: Vec<&RelPath> = theirs.iter().filter(|path| !earlier.contains(*path)).collect();
        if !untold.is_empty() {
            let named = listed(untold.into_iter()).join(", ");
            self.audience.news(&News::Note(format!(
                "changed while the project's own commands ran and no role was alive, and not made by them when run \
                 again: {named}; left as it is, by an undo, too, and kept as {now}"
            )));
        }
        // No code and nothing protected: whatever a role would do with it is no work.
        let is_live = |path: &&RelPath| {
            let is_data = self.policy.classify(path) == FileClass::Source;
            paths.contains(*path)
                && later.contains(*path)
                && is_data
                && Language::of(path.extension()).is_none()
        };
        let live: Vec<RelPath> = theirs.iter().filter(is_live).cloned().collect();
        let mut events = vec![whose::unsure(theirs.clone(), &now)];
        if !live.is_empty() {
            self.audience.news(&News::Note(format!(
                "written by somebody else's program while nothing of the run could: {}; no part of the run, and left as \
                 it is",
                listed(live.iter()).join(", ")
            )));
            let put_back = Some(PutBack::StillWritten);
            events.push(Event::Edited { paths: live, kept: now.clone(), before: None, put_back });
        }
        events.push(Event::Edited { paths: theirs, kept: now, before: Some(zero), put_back: None });
        Ok((own, events))
    }
}
