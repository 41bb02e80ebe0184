//! A conflict of git's that somebody has settled by taking one side of it whole, as `git checkout --theirs` does: both sides
//! are known, so that nothing in the file is new.

use super::{GitCheckpoints, holds};
use tdd_core::attempt::CheckpointId;
use tdd_core::event::GitSeen;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

const MARK: &[u8] = b"<<<<<<< ";

impl GitCheckpoints {
    /// Those of these paths that were in conflict in `before`, as git had laid them, and are in `now` as one side has them:
    /// of a merge that is under way still, or that was committed since.
    pub fn chosen(
        &mut self,
        known: (&CheckpointId, &GitSeen),
        (before, now): (&CheckpointId, &CheckpointId),
        paths: &[RelPath],
    ) -> Result<Vec<RelPath>, Trouble> {
        let (_, seen) = known;
        let Some(laid) = &seen.laid else { return Ok(Vec::new()) };
        let Some(head) = self.commit_of("HEAD")? else { return Ok(Vec::new()) };
        let sides = match self.other_side() {
            Some((other, _)) if head == seen.head => vec![head, other],
            Some(_) => return Ok(Vec::new()),
            None => self.parents(&head)?,
        };
        if sides.len() != 2 || sides[0] != seen.head {
            return Ok(Vec::new());
        }
        let mut versions = Vec::new();
        for side in sides {
            if !self.is_known(known, &side)? {
                return Ok(Vec::new());
            }
            versions.push((self.differing(&side, now)?, side));
        }
        let left = self.differing(laid, before)?;
        let mut chosen = Vec::new();
        for path in paths {
            let text = self.contents.read(laid, path)?.unwrap_or_default();
            let in_conflict = text.split(|byte| *byte == b'\n').any(|line| line.starts_with(MARK));
            let was_laid = !holds(&left, path) || self.is_as_laid(path, laid, before);
            let is_sides = versions
                .iter()
                .any(|(differing, side)| !holds(differing, path) || self.differ_by_filters(path, side, now));
            if in_conflict && was_laid && is_sides {
                chosen.push(path.clone());
            }
        }
        Ok(chosen)
    }
}
