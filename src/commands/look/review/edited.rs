//! Whether anything was edited since a halt.

use std::collections::BTreeSet;

use super::Halted;
use crate::cli::{Cli, Command};
use crate::commands::given::surroundings;
use crate::commands::resume::as_it_reads_now;
use crate::text::halt_report;
use crate::world::project;
use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;
use tdd_core::ports::Checkpoints as _;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::GitCheckpoints;

impl Halted {
    /// Whether the command would go on after an edit, and none was made. Where that can't be told, the command
    /// itself judges.
    pub(super) fn is_still_unedited(&self, cli: &Cli) -> bool {
        let says_so = matches!(&cli.command, Some(Command::Resume(args)) if args.edited);
        says_so && !self.is_edited().unwrap_or(true)
    }

    /// Whether files that the run has written are not those of the last good work any more, or the requirement is
    /// another one. What somebody writes elsewhere does not mend the halt.
    pub(super) fn is_past_good(&self) -> Result<bool, Trouble> {
        let Some(good) = &self.story.state.good else { return Ok(false) };
        let Some((mut checkpoints, now)) = self.looked_at()? else { return Ok(true) };
        let own = self.story.attempts.iter().flat_map(|told| told.findings.changed());
        let own: BTreeSet<&RelPath> = own.map(|change| &change.path).collect();
        Ok(checkpoints.diff(good, &now)?.iter().any(|change| own.contains(&change.path)))
    }

    /// The tree as it is now; `None` if the requirement is another one.
    fn looked_at(&self) -> Result<Option<(GitCheckpoints, CheckpointId)>, Trouble> {
        let state = &self.story.state;
        let (cwd, environment) = surroundings()?;
        let place = project::locate(&cwd)?;
        if as_it_reads_now(state, (&place, &environment))? != state.run.requirement {
            return Ok(None);
        }
        // No label is written, so nothing stays of it.
        let mut checkpoints = GitCheckpoints::open(&self.repository, &self.run.id, &self.run.path)?;
        let now = checkpoints.take("looked-at")?;
        Ok(Some((checkpoints, now)))
    }

    fn is_edited(&self) -> Result<bool, Trouble> {
        let state = &self.story.state;
        let Some(known) = &state.facts.tree else { return Ok(true) };
        let Some((mut checkpoints, now)) = self.looked_at()? else { return Ok(true) };
        if checkpoints.diff(known, &now)?.is_empty() {
            return Ok(false);
        }
        // Work that was judged and brought back is as bad as it was, until somebody mends it.
        let failed = self.last().and_then(|entry| entry.kept_as.as_ref());
        let failed = failed.filter(|_| halt_report::is_mended_by_hand(state, &self.halt));
        Ok(match failed {
            Some(failed) => !checkpoints.diff(failed, &now)?.is_empty(),
            None => true,
        })
    }
}
