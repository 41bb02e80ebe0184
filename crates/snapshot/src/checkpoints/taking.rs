//! From the tree as it lies there to a commit. Somebody may write meanwhile.

use std::time::{SystemTime, UNIX_EPOCH};

use super::GitCheckpoints;
use super::found::Scan;
use super::import::{self, Known};
use super::packs;
use tdd_core::attempt::CheckpointId;
use tdd_core::trouble::Trouble;

/// How often a tree is looked at anew that changes while it is read.
const MOST_LOOKS: usize = 5;

impl GitCheckpoints {
    /// The tree as it is, as a commit that need not have a ref yet.
    pub(super) fn snapshot(&mut self, message: &str) -> Result<(CheckpointId, Scan), Trouble> {
        let taken = self.snapshot_of_open(message);
        self.close_again();
        taken
    }

    fn snapshot_of_open(&mut self, message: &str) -> Result<(CheckpointId, Scan), Trouble> {
        let mut looks = 1;
        loop {
            let (moment, scan) = (SystemTime::now(), self.scan()?);
            match self.commit_of_scan(message, (moment, &scan)) {
                Ok(commit) => return Ok((commit, scan)),
                // An editor's own file, that lay there a moment ago, say.
                Err(_) if looks < MOST_LOOKS && self.scan()?.differs_from(&scan) => looks += 1,
                Err(trouble) => return Err(trouble),
            }
        }
    }

    fn commit_of_scan(
        &mut self,
        message: &str,
        (moment, scan): (SystemTime, &Scan),
    ) -> Result<CheckpointId, Trouble> {
        let delta = self.known.delta(scan, &self.tree);
        if let (Some(commit), true) = (self.known.commit.clone(), delta.is_empty()) {
            self.known.age(moment);
            return Ok(commit);
        }
        let seconds = moment.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let from = self.known.commit.as_ref();
        let label = (message, seconds);
        let (commit, sent) = import::commit(&self.private, &self.tree, (from, &delta), label)
            .or_else(|trouble| {
                // The commit before this one may be gone: a child can run `git gc --prune=now`.
                let Some(from) = from else { return Err(trouble) };
                if self.private.holds(from) {
                    return Err(trouble);
                }
                let all = Known::default().delta(scan, &self.tree);
                import::commit(&self.private, &self.tree, (None, &all), label)
            })
            .inspect_err(|_| packs::remove_abandoned(&self.place))?;
        self.known.note(commit.clone(), scan, (moment, &sent));
        Ok(commit)
    }
}
