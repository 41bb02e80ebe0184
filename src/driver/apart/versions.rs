//! Earlier versions of files that the project's own commands write from the code.

use tdd_core::attempt::CheckpointId;
use tdd_core::event::Event;
use tdd_core::machine::Machine;
use tdd_core::path::RelPath;
use tdd_core::ports::{Bench, Checkpoints, World};
use tdd_core::trouble::Trouble;

use super::{is_no_matter, made_again};
use crate::driver::drive::{Carry, Driver};

/// Trees on which the commands are run, to see whether they make a version of a file of one.
const MOST_TRIED: usize = 3;

impl<W: World, M: Machine, X> Driver<'_, W, M, X>
where
    Self: Carry<M>,
{
    /// Of files that the commands write anew in a checkout of the result, other versions may be what they made of
    /// the work as it was then, say a list of all functions after the first criterion, or its code in another format. Each
    /// is told to be that where they make just that version of the tree that holds it, with the file as it was before,
    /// as one of these trees has it.
    pub(super) async fn made_before(
        &mut self,
        trees: &[CheckpointId],
        rewritten: Vec<(Vec<RelPath>, CheckpointId)>,
    ) -> Result<Vec<Event>, Trouble> {
        let mut events = Vec::new();
        for (mut paths, kept) in rewritten {
            for from in self.nearest(trees, (&paths, &kept))? {
                let mut before = Vec::new();
                for path in &paths {
                    before.push((path.clone(), self.ports.checkpoints.read(&from, path)?));
                }
                let Some((folder, seen)) = self.lay_apart(&kept)? else { break };
                let ran = match self.ports.bench.put(&before) {
                    Ok(()) => self.run_apart(Some((&folder, &seen))).await,
                    Err(trouble) => Err(trouble),
                };
                let made = match ran {
                    Err(trouble) if !is_no_matter(&trouble) => Err(trouble),
                    Ok(()) | Err(_) => self.made_as_in(&kept, paths.clone()),
                };
                self.ports.bench.close();
                let made = made?;
                paths.retain(|path| !made.contains(path));
                events.extend(made_again(made, kept.clone()));
                if paths.is_empty() {
                    break;
                }
            }
        }
        Ok(events)
    }

    /// The trees that are the likeliest to be what the commands were run on, the nearest first. One that has a file as it
    /// was found would show nothing.
    fn nearest(
        &mut self,
        trees: &[CheckpointId],
        (paths, kept): (&[RelPath], &CheckpointId),
    ) -> Result<Vec<CheckpointId>, Trouble> {
        let mut found = Vec::new();
        for tree in trees {
            let changes = self.diff().differences(tree, kept)?;
            if !paths.iter().all(|path| changes.iter().any(|change| change.path == *path)) {
                continue;
            }
            let mut length = 0;
            for path in paths {
                let one = self.ports.checkpoints.read(tree, path)?.unwrap_or_default();
                let other = self.ports.checkpoints.read(kept, path)?.unwrap_or_default();
                length += one.len().abs_diff(other.len());
            }
            found.push((changes.len(), length, tree.clone()));
        }
        found.sort_by_key(|(changes, length, _)| (*changes, *length));
        Ok(found.into_iter().map(|(_, _, tree)| tree).take(MOST_TRIED).collect())
    }
}
