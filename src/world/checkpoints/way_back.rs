//! A person's way back to a checkpoint of a run: what it would overwrite, whose work that is, and
//! the going there (`tdd undo`, contract section 2).
//!
//! A path is the run's own if one of the run's trees holds it as it is now, or if it changed while
//! the run was at work. Everything else was changed by somebody else and is not overwritten unasked.
//!
//! The run's folder may have been written to by a child, so nothing is written into it and one
//! file of it is read: the frozen rules about ignored files. What they would hide from a
//! checkpoint, and so lose, is looked for on the disk itself.
#![expect(clippy::disallowed_methods, reason = "a folder of ours, and what stands in a file's place")]

use std::io::Read;
use std::path::Path;

use super::edit::Tree;
use super::git;
use super::listing::{self, Difference};
use super::rules::Rules;
use super::walk::{self, Scan, Stamp, full_path};
use super::{GitCheckpoints, ref_folder, shown};
use crate::core::attempt::CheckpointId;
use crate::core::event::RunId;
use crate::core::finding::Change;
use crate::core::path::RelPath;
use crate::core::trouble::Trouble;

/// Rules of a tree with thousands of `.gitignore` files fit in easily.
const LARGEST_RULES: u64 = 64 << 20;
/// Entries of a folder that are looked at before it counts as holding something.
const MOST_LOOKED_AT: usize = 100_000;

/// Which states of files are the run's own.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// Trees of the run, the likeliest first.
    pub trees: Vec<CheckpointId>,
    /// From when to when the run was at work after the last of them, ms since the epoch; `None`
    /// if it was not, or its end is not known.
    pub at_work: Option<(u64, u64)>,
}

/// What going to a checkpoint would do.
#[derive(Clone, Debug)]
pub struct Outlook {
    /// The tree as it is; it has no ref yet.
    pub now: CheckpointId,
    /// What differs from `now` to the checkpoint, sorted by path.
    pub changes: Vec<Change>,
    /// The part of `changes` that would overwrite somebody else's work.
    pub foreign: Vec<Change>,
    /// What stands where a file would come back, and is in no checkpoint since it is ignored.
    pub in_the_way: Vec<RelPath>,
}

/// Which rules about ignored files count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulesUsed {
    /// Those that were frozen when the run began.
    OfTheRun,
    /// Those of today, because the run's are gone or damaged.
    OfToday,
}

/// The least of a commit's name that is taken for one.
const SHORTEST_COMMIT: usize = 7;

/// The checkpoints of a run that is not at work.
#[derive(Debug)]
pub struct WayBack {
    checkpoints: GitCheckpoints,
    run: RunId,
    pub rules: RulesUsed,
    /// Holds our git folder, and goes with us.
    #[expect(dead_code, reason = "dropping it removes the folder")]
    scratch: tempfile::TempDir,
}

impl WayBack {
    /// Opens the checkpoints of `run`, whose folder is `run_dir`. The caller holds the work
    /// tree's lock. Fails with a trouble of the environment: no git, no repository, no space.
    pub fn open(repository: &Path, run: &RunId, run_dir: &Path) -> Result<Self, Trouble> {
        let scratch = tempfile::Builder::new().prefix("tdd-undo-").tempdir().map_err(|error| {
            Trouble::environment("no temporary folder can be made")
                .because(error)
                .advise("check TMPDIR and free space")
        })?;
        let folder = scratch.path().join(super::SCRATCH);
        let copy = folder.join("rules.json");
        let copied = std::fs::create_dir_all(&folder)
            .and_then(|()| frozen(run_dir))
            .and_then(|bytes| std::fs::write(&copy, bytes));
        let rules = match copied.ok().and_then(|()| Rules::load(&copy)) {
            Some(_) => RulesUsed::OfTheRun,
            None => RulesUsed::OfToday,
        };
        let checkpoints = GitCheckpoints::open(repository, run, scratch.path())?;
        Ok(Self { checkpoints, run: run.clone(), rules, scratch })
    }

    /// The full name of the ref `label` of this run.
    pub fn ref_name(&self, label: &str) -> String {
        format!("{}{label}", ref_folder(&self.run))
    }

    /// The checkpoint that this ref of the run names, if there is one.
    pub fn labelled(&self, label: &str) -> Option<CheckpointId> {
        self.checkpoints.refs.get(&self.ref_name(label)).cloned()
    }

    /// The same, or the one whose commit begins so.
    pub fn named(&self, wanted: &str) -> Option<CheckpointId> {
        let is_commit = wanted.len() >= SHORTEST_COMMIT;
        let mut kept = self.checkpoints.refs.values();
        let begins = |kept: &&CheckpointId| is_commit && kept.0.starts_with(wanted);
        self.labelled(wanted).or_else(|| kept.find(begins).cloned())
    }

    /// The labels of the run's refs, sorted.
    pub fn labels(&self) -> Vec<String> {
        let folder = ref_folder(&self.run);
        let label = |name: &String| name.strip_prefix(&folder).map(str::to_owned);
        self.checkpoints.refs.keys().filter_map(label).collect()
    }

    /// Gives a checkpoint a ref of the run, which must not exist or name it already.
    pub fn keep(&mut self, label: &str, checkpoint: &CheckpointId) -> Result<(), Trouble> {
        self.checkpoints.set_ref(label, checkpoint)?;
        // A person is told of it at once.
        self.checkpoints.write_waiting()
    }

    /// Keeps a checkpoint under the next free label `undone-<n>`, and gives that label.
    pub fn keep_undone(&mut self, checkpoint: &CheckpointId) -> Result<String, Trouble> {
        let number = |label: &String| label.strip_prefix("undone-")?.parse::<u32>().ok();
        let last = self.labels().iter().filter_map(number).max().unwrap_or(0);
        let label = format!("undone-{}", u64::from(last) + 1);
        self.keep(&label, checkpoint)?;
        Ok(label)
    }

    /// Looks at the tree as it is and at what going to `to` would do. Changes nothing. A trouble
    /// of the environment if a file of `to` is no longer in git.
    pub fn outlook(&mut self, to: &CheckpointId, own: &Own) -> Result<Outlook, Trouble> {
        self.whole(to)?;
        let (now, scan) = self.checkpoints.snapshot("tdd: before an undo")?;
        let private = &self.checkpoints.private;
        let differences = listing::differences(private, &now, to)?;
        let mut foreign: Vec<&Difference> = differences.iter().collect();
        for tree in &own.trees {
            if foreign.is_empty() {
                break;
            }
            // A tree that is gone explains nothing.
            let Ok(other) = listing::differences(private, &now, tree) else { continue };
            let other: std::collections::BTreeSet<Vec<u8>> =
                other.into_iter().map(|difference| difference.path).collect();
            foreign.retain(|difference| other.contains(&difference.path));
        }
        if let Some(window) = own.at_work {
            foreign.retain(|difference| !changed_within(&scan, &difference.path, window));
        }
        let foreign = sorted(foreign);
        let root = &self.checkpoints.place.work_tree;
        let comes = differences.iter().filter(|difference| difference.is_addition());
        let in_the_way = comes.filter(|difference| stands_in_the_way(root, &scan, &difference.path));
        let in_the_way = in_the_way.map(|difference| shown(&difference.path)).collect();
        Ok(Outlook { now, changes: sorted(differences.iter().collect()), foreign, in_the_way })
    }

    /// A trouble of the user's if the work tree is no longer as `now` holds it.
    pub fn unchanged_since(&mut self, now: &CheckpointId) -> Result<(), Trouble> {
        let (again, _) = self.checkpoints.snapshot("tdd: before an undo")?;
        if listing::differences(&self.checkpoints.private, now, &again)?.is_empty() {
            return Ok(());
        }
        Err(Trouble::user("files of the work tree change at this moment")
            .because("they were not the same when they were looked at twice")
            .advise("nothing was changed; end what writes to them, then try again"))
    }

    /// Makes the work tree, which is as `now` holds it, as `to` holds it, and looks whether it is.
    /// What is neither file nor link stays. If this fails the tree is somewhere between the two.
    pub fn go(&mut self, now: &CheckpointId, to: &CheckpointId) -> Result<(), Trouble> {
        let differences = listing::differences(&self.checkpoints.private, now, to)?;
        self.checkpoints.carry_out(&differences, &[])?;
        let (after, _) = self.checkpoints.snapshot("tdd: after an undo")?;
        let left = listing::differences(&self.checkpoints.private, &after, to)?;
        if left.is_empty() {
            return Ok(());
        }
        let paths: Vec<String> = left.iter().take(10).map(|one| shown(&one.path).to_string()).collect();
        Err(Trouble::environment(format!("{} files did not come back as they were", left.len()))
            .because(paths.join(", "))
            .advise("see that nothing else writes to them, then try again"))
    }

    /// Whether git still has every file of a checkpoint: half a way back is worse than none.
    fn whole(&self, at: &CheckpointId) -> Result<(), Trouble> {
        let lost = |why: String| {
            Trouble::environment(format!("checkpoint {at} is no longer whole in git"))
                .because(why)
                .advise("nothing was changed; `git fsck` says more, and a clone or a copy may still have it")
        };
        let files = listing::files(&self.checkpoints.private, at).map_err(|trouble| lost(trouble.why))?;
        let mut asked = String::new();
        for file in files.iter().filter(|file| file.mode != "160000") {
            asked.push_str(&file.object);
            asked.push('\n');
        }
        let args = ["cat-file", "--batch-check=%(objecttype)"];
        let said = self.checkpoints.private.ask(&args, asked.as_bytes())?;
        if !said.ok {
            return Err(git::refused(&args, &said.stderr));
        }
        let answers = String::from_utf8_lossy(&said.stdout);
        match answers.lines().find(|line| *line != "blob") {
            None => Ok(()),
            Some(line) => Err(lost(format!("git says: {line}"))),
        }
    }
}

/// The frozen rules of a run, if no link stands on the way to them.
fn frozen(run_dir: &Path) -> std::io::Result<Vec<u8>> {
    let file = Tree::open(run_dir)?.read_file(b"checkpoints/rules.json")?;
    let mut bytes = Vec::new();
    file.take(LARGEST_RULES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn sorted(differences: Vec<&Difference>) -> Vec<Change> {
    let change = |difference: &Difference| Change { path: shown(&difference.path), kind: difference.kind() };
    let mut changes: Vec<Change> = differences.into_iter().map(change).collect();
    changes.sort_unstable();
    changes.dedup();
    changes
}

/// Whether the file last changed within these times. One that is gone has no time of its own;
/// bringing it back loses nothing.
fn changed_within(scan: &Scan, path: &[u8], (from, to): (u64, u64)) -> bool {
    match scan.files.binary_search_by(|found| found.path.as_slice().cmp(path)) {
        Err(_) => true,
        Ok(at) => changed_ms(scan.files[at].stamp).is_some_and(|ms| (from..=to).contains(&ms)),
    }
}

/// Nobody can set a ctime back, unlike the time of the last write.
fn changed_ms(stamp: Stamp) -> Option<u64> {
    let (seconds, nanos) = stamp.changed;
    u64::try_from(seconds.checked_mul(1000)?.checked_add(nanos / 1_000_000)?).ok()
}

/// Whether something that no checkpoint holds gives way if a file is put at `path`.
fn stands_in_the_way(root: &Path, scan: &Scan, path: &[u8]) -> bool {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    for end in slashes.chain([path.len()]) {
        let part = &path[..end];
        let Ok(meta) = std::fs::symlink_metadata(full_path(root, part)) else { return false };
        if !meta.is_dir() {
            // A FIFO or a socket holds nothing.
            return walk::kind_of(&meta).is_some() && !holds(scan, part);
        }
    }
    has_more(root, scan, path)
}

/// Whether a folder holds files that the scan has not seen.
fn has_more(root: &Path, scan: &Scan, folder: &[u8]) -> bool {
    use std::os::unix::ffi::OsStringExt;
    let mut waiting = vec![folder.to_vec()];
    let mut looked_at = 0;
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(full_path(root, &folder)) else { return true };
        for entry in entries.flatten() {
            let path = [folder.as_slice(), b"/", &entry.file_name().into_vec()].concat();
            looked_at += 1;
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && looked_at < MOST_LOOKED_AT => waiting.push(path),
                Ok(kind) if !kind.is_dir() && holds(scan, &path) => {}
                _ => return true,
            }
        }
    }
    false
}

fn holds(scan: &Scan, path: &[u8]) -> bool {
    scan.files.binary_search_by(|found| found.path.as_slice().cmp(path)).is_ok()
}
