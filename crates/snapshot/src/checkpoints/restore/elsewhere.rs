//! A run's work that was committed or stashed and then left: the tree is as if there was nothing to take back.

use super::{Outlook, Own, Restore};
use crate::checkpoints::census::{self, Entries};
use crate::checkpoints::git::Git;
use crate::checkpoints::listing;
use tdd_core::attempt::CheckpointId;
use tdd_core::trouble::Trouble;

/// More branches than anybody works on at a time.
const MOST_BRANCHES: &str = "--count=50";

/// Where such work lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elsewhere {
    Branch(String),
    /// A branch of a remote, or a tag, by its short name; where no branch here holds the work.
    Ref(String),
    Stash,
}

/// Which place a ref is; none for the branch that a remote begins with, which has another name, too.
fn place(name: &str) -> Option<Elsewhere> {
    if let Some(branch) = name.strip_prefix("refs/heads/") {
        return Some(Elsewhere::Branch(branch.to_owned()));
    }
    let short = name.strip_prefix("refs/remotes/").filter(|short| !short.ends_with("/HEAD"));
    let short = short.or_else(|| name.strip_prefix("refs/tags/"));
    short.map(|short| Elsewhere::Ref(short.to_owned())).or((name == "refs/stash").then_some(Elsewhere::Stash))
}

impl Restore {
    /// Branches, tags and the stash that hold work of the run where the tree holds none of it; `since` is when it began, s.
    pub fn elsewhere(&self, outlook: &Outlook, own: &Own, since: u64) -> Result<Vec<Elsewhere>, Trouble> {
        let Some(zero) = self.entries_of(&outlook.to) else { return Ok(Vec::new()) };
        let trees = own.trees.iter().filter_map(|tree| self.entries_of(tree));
        let work = trees.map(|tree| work_of(&tree, &zero)).find(|work| !work.is_empty());
        let Some(work) = work.filter(|work| !holds(&outlook.census.entries, work)) else {
            return Ok(Vec::new());
        };
        let own = Git::own(&self.checkpoints.place);
        let format = "--format=%(objectname) %(creatordate:unix) %(HEAD) %(refname)";
        let places = ["refs/heads", "refs/stash", "refs/remotes", "refs/tags"];
        let args = ["for-each-ref", "--sort=-creatordate", MOST_BRANCHES, format].into_iter().chain(places);
        let args: Vec<&str> = args.collect();
        let said = String::from_utf8_lossy(&own.run(&args, b"")?).into_owned();
        let mut found = Vec::new();
        for line in said.lines() {
            let Some((commit, rest)) = line.split_once(' ') else { continue };
            let Some((time, name)) = rest.split_once(' ') else { continue };
            // Of the branch that one is on the tree tells.
            if name.starts_with('*') || time.parse().is_ok_and(|time: u64| time < since) {
                continue;
            }
            let name = name.trim_start();
            let is_there = match place(name) {
                Some(Elsewhere::Stash) if !self.is_stashed(&own, &work)? => None,
                Some(Elsewhere::Branch(_) | Elsewhere::Ref(_)) if !self.commit_holds(commit, &work) => None,
                place => place,
            };
            found.extend(is_there);
        }
        // What was pushed lies on its own branch, too.
        let is_ref = |place: &Elsewhere| matches!(place, Elsewhere::Ref(_));
        if !found.iter().all(is_ref) {
            found.retain(|place| !is_ref(place));
        }
        Ok(found)
    }

    fn commit_holds(&self, commit: &str, work: &Entries) -> bool {
        self.entries_of(&CheckpointId(commit.to_owned())).is_some_and(|entries| holds(&entries, work))
    }

    /// In any entry of the stash; what was untracked lies in the third parent of one.
    fn is_stashed(&self, own: &Git, work: &Entries) -> Result<bool, Trouble> {
        let said = own.ask(&["log", "-g", "--format=%H %P", "refs/stash"], b"")?;
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        let entry = |line: &str| {
            let commits: Vec<&str> = line.split(' ').collect();
            let held = [commits.first(), commits.get(3)];
            held.into_iter()
                .flatten()
                .any(|commit| listing::is_name(commit) && self.commit_holds(commit, work))
        };
        Ok(text.lines().any(entry))
    }
}

/// Files that are not as they were.
fn work_of(tree: &Entries, zero: &Entries) -> Entries {
    let differs = |(path, entry): &(&Vec<u8>, &census::Entry)| zero.get(*path) != Some(*entry);
    tree.iter().filter(differs).map(|(path, entry)| (path.clone(), entry.clone())).collect()
}

fn holds(entries: &Entries, work: &Entries) -> bool {
    work.iter().any(|(path, entry)| entries.get(path) == Some(entry))
}
