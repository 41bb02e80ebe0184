//! Which run is meant, and what its journal tells of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::own;
use super::{LISTED, ZERO};
use crate::cli::UndoArgs;
use crate::commands::runs::chosen::{chosen_run, chosen_work};
use crate::commands::runs::journalled::Journalled;
use crate::commands::runs::status::{self as run_status, For, RunStatus};
use crate::view::print;
use crate::world::journal_file::{Record, folders};
use tdd_child::run_folder::RunDir;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::RunId;
use tdd_core::labels;
use tdd_core::path::RelPath;
use tdd_core::run_name::{self, Meaning};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::restore::{Own, Restore};
use tdd_snapshot::checkpoints::run_refs::RunRefs;

/// The run whose work lies in the tree, or, for a checkpoint of it, the newest. A run whose journal or folder is gone is
/// found by its refs.
pub(super) fn chosen(repository: &Path, args: &UndoArgs) -> Result<RunDir, Trouble> {
    let name = args.run.as_deref();
    let found = match &args.to {
        Some(_) => chosen_run(repository, name),
        None => chosen_work(repository, name, For::Undoing),
    };
    let trouble = match found {
        Ok(run) => return Ok(run),
        Err(trouble) => trouble,
    };
    // Its refs are here, but not what they would be brought back to.
    if name.is_some_and(|name| run_status::of_another_work_tree(repository, name).is_some()) {
        return Err(trouble);
    }
    let refs = RunRefs::list(repository)?;
    let mut held: Vec<&str> = refs.runs().filter(|name| folders::is_run_id(name)).collect();
    held.sort_unstable();
    let newest_first: Vec<&str> = held.iter().rev().copied().collect();
    let whole = name.filter(|name| refs.count(name) > 0).map(Meaning::One);
    if let Some(Meaning::One(id)) = whole.or_else(|| name.map(|name| run_name::look_up(name, &newest_first)))
    {
        return Ok(RunDir { id: RunId(id.to_owned()), path: repository.join(".tdd/runs").join(id) });
    }
    if held.is_empty() {
        return Err(trouble);
    }
    let held = held.iter().rev().take(LISTED).copied().collect::<Vec<_>>().join("\n");
    Err(trouble.advise(format!("name a run; git has checkpoints of these:\n{held}")))
}

/// What the journal tells of the run.
pub(super) struct Story {
    pub(super) zero: Option<CheckpointId>,
    pub(super) own: Own,
    /// When the run began, ms since the epoch.
    pub(super) began_ms: Option<u64>,
    /// Where the run stands, if it has not ended.
    pub(super) unfinished: Option<String>,
    /// Checkpoints by their labels: a run that was killed may have left no refs for them.
    pub(super) labels: BTreeMap<String, CheckpointId>,
    /// Where it stands besides.
    pub(super) status: RunStatus,
    /// It ended before anybody was at work.
    pub(super) left_nothing: bool,
    /// Of its work, what no block of the roles names.
    pub(super) unnamed: BTreeSet<RelPath>,
}

impl Story {
    /// Without a journal nothing is the run's own and checkpoint 0 is what its ref says, so the
    /// operator must have said that changes may be discarded.
    pub(super) fn read(
        repository: &Path,
        run: &RunDir,
        way: &Restore,
        args: &UndoArgs,
    ) -> Result<Self, Trouble> {
        let trouble = match Journalled::read(run) {
            Ok((told, records)) => {
                let status = RunStatus::of(repository, run, &told);
                return Self::of((repository, &told, &records), way, status);
            }
            Err(trouble) => trouble,
        };
        let zero = way.labelled(ZERO);
        match &zero {
            Some(_) if args.discard_changes => {
                print::message(&format!("tdd: {trouble}"));
                let status = RunStatus::AsJournalled;
                let (own, labels) = (Own::default(), BTreeMap::new());
                let (began_ms, unfinished, left_nothing) = (None, None, false);
                let unnamed = BTreeSet::new();
                Ok(Self { zero, own, began_ms, unfinished, labels, status, left_nothing, unnamed })
            }
            Some(zero) => Err(trouble.advise(format!(
                "checkpoint 0 is kept as {}, {zero}; which changes are the run's can't be told any more.\n\
                 go back all the same, with the tree as it is kept first: tdd undo {} --discard-changes",
                way.ref_name(ZERO),
                run.id
            ))),
            None => Err(trouble),
        }
    }

    fn of(
        (repository, run, records): (&Path, &Journalled, &[Record]),
        way: &Restore,
        status: RunStatus,
    ) -> Result<Self, Trouble> {
        let zero = run.zero();
        if let (Some(told), Some(held)) = (&zero, way.labelled(ZERO))
            && *told != held
        {
            let name = way.ref_name(ZERO);
            return Err(Trouble::environment("the journal and git name different checkpoints 0")
                .because(format!("the journal says {told}, {name} is {held}; somebody changed one of them"))
                .advise(format!(
                    "see what differs: git diff {told} {held}\nif the journal is right: git update-ref {name} {told}"
                )));
        }
        let ended = run.has_ended();
        let own = own::of(repository, run, records);
        let labels = labels::told(records.iter().map(|record| &record.event));
        let began_ms = records.first().map(|record| record.ts);
        let (unfinished, left_nothing) = ((!ended).then(|| run.phase()), run.left_nothing());
        let unnamed = own::beside_named(records).into_iter().flat_map(|(paths, _)| paths).collect();
        Ok(Self { zero, own, began_ms, unfinished, labels, status, left_nothing, unnamed })
    }
}
