//! Restores a checkpoint of a run: what it would overwrite, whose work that is, and
//! the going there (`tdd undo`, contract section 2).
//!
//! A path is the run's own if one of the run's trees holds it as it is now, or if it changed while
//! the run was at work. Everything else was changed by somebody else and is not overwritten unasked.
//!
//! The run's folder may have been written to by a child, so nothing is written into it and one
//! file of it is read: the frozen rules about ignored files. What they would hide from a
//! checkpoint, and so lose, is looked for on the disk itself.
#![expect(clippy::disallowed_methods, reason = "a folder of ours, and what stands in a file's place")]

mod broken_off;
mod commits;
mod elsewhere;
mod folders;
mod own;
mod permissions;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

pub use self::commits::Commit;
pub use self::elsewhere::Elsewhere;
use self::folders::Folder;
pub use self::own::{Own, Theirs};
pub use self::permissions::LeftMode;
use super::census::{self, Census, Entries};
use super::edit::Tree;
use super::git;
use super::in_the_way::{changed_within, stands_in_the_way};
use super::intent::{self, Intent};
use super::listing::{self, Difference};
use super::place::GitPlace;
use super::rules::Rules;
use super::{GitCheckpoints, disk, ref_folder, shown};
use tdd_core::attempt::CheckpointId;
use tdd_core::counted::counted;
use tdd_core::event::RunId;
use tdd_core::finding::Change;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// Rules of a tree with thousands of `.gitignore` files fit in easily.
const LARGEST_RULES: u64 = 64 << 20;

/// What going to a checkpoint would do.
#[derive(Debug)]
pub struct Outlook {
    /// The tree as it is.
    census: Census,
    to: CheckpointId,
    wanted: Entries,
    /// A commit that holds the tree as it is, if there is one already.
    pub now: Option<CheckpointId>,
    /// An undo to the same checkpoint that was killed; its label holds what `changes` begin from.
    pub broken_off: Option<(String, CheckpointId)>,
    /// Files of which the run changed the permissions and nothing else, with those that they had.
    permissions: BTreeMap<Vec<u8>, u32>,
    /// Files with other permissions than then, now and then, that somebody else may have set since.
    pub left_permissions: Vec<LeftMode>,
    /// Folders that git keeps nothing of, with the permissions that they had.
    folders: Vec<Folder>,
    /// Whether it goes to where the run began, of which more is known than git keeps.
    to_beginning: bool,
    /// Blobs that git has.
    known: BTreeSet<String>,
    /// What differs to the checkpoint, sorted by path.
    pub changes: Vec<Change>,
    /// The part of `changes` that would overwrite somebody else's work.
    pub foreign: Vec<Change>,
    /// The part of `changes` that is as HEAD's commit has it.
    pub committed: Vec<Change>,
    /// Commits of HEAD that have touched those since the run began, the newest first.
    pub commits: Vec<Commit>,
    /// What stands where a file would come back, and is in no checkpoint since it is ignored.
    pub in_the_way: Vec<RelPath>,
    /// What is as somebody else left it afterwards, and not as in the checkpoint.
    pub given_back: Vec<RelPath>,
}

impl Outlook {
    /// Whether the tree is as it is to be.
    pub fn is_there(&self) -> bool {
        self.census.entries == self.wanted
            && self.permissions.is_empty()
            && self.folders.iter().all(|folder| folder.change.is_none())
    }
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
pub struct Restore {
    checkpoints: GitCheckpoints,
    run: RunId,
    pub rules: RulesUsed,
    /// Holds our git folders, and is removed with us; whoever takes the lock after a kill removes it.
    #[expect(dead_code, reason = "dropping it removes the folder")]
    scratch: Scratch,
}

impl Drop for Restore {
    fn drop(&mut self) {
        self.checkpoints.close_again();
    }
}

#[derive(Debug)]
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Scratch {
    /// In the work tree's own git folder; where that is full, elsewhere.
    fn lay(place: &GitPlace) -> Result<Self, Trouble> {
        let near = place.git_dir.join(intent::SCRATCH);
        let [far, memory] = intent::far_scratch(std::process::id());
        let in_one = |folder: PathBuf| {
            // Without this a full disk would be noticed only later.
            let try_out = || {
                Tree::open(folder.parent().unwrap_or(&folder))?.clear(intent::name_of(&folder))?;
                std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
                std::fs::write(folder.join("room"), vec![b' '; 1 << 16])?;
                std::fs::remove_file(folder.join("room"))
            };
            let laid = try_out();
            let scratch = Self(folder);
            laid.map(|()| scratch)
        };
        let laid = in_one(near).or_else(|_| in_one(far.clone()));
        // The disk that is to be made room on is told, not what stood in for it.
        laid.or_else(|error| in_one(memory).map_err(|_| error)).map_err(|error| disk(&far, &error))
    }
}

impl Restore {
    /// Opens the checkpoints of `run`, whose folder is `run_dir`. The caller holds the work
    /// tree's lock. Fails with a trouble of the environment: no git, no repository, no space.
    pub fn open(repository: &Path, run: &RunId, run_dir: &Path) -> Result<Self, Trouble> {
        let scratch = Scratch::lay(&GitPlace::find(repository)?)?;
        let folder = scratch.0.join(super::SCRATCH);
        let copy = folder.join("rules.json");
        let copied = std::fs::create_dir_all(&folder)
            .and_then(|()| frozen(run_dir))
            .and_then(|bytes| std::fs::write(&copy, bytes));
        let rules = match copied.ok().and_then(|()| Rules::load(&copy)) {
            Some(_) => RulesUsed::OfTheRun,
            None => RulesUsed::OfToday,
        };
        let checkpoints = GitCheckpoints::open(repository, run, &scratch.0)?;
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

    /// Keeps the tree as it is, and gives the label: of an earlier checkpoint if one holds just this, of the
    /// undo that was broken off, else the next free `undone-<n>`. What is about to be done is noted first.
    pub fn keep_undone(&mut self, outlook: &Outlook) -> Result<(String, CheckpointId), Trouble> {
        if let Some((label, checkpoint)) = &outlook.broken_off {
            self.keep(label, checkpoint)?;
            return Ok((label.clone(), checkpoint.clone()));
        }
        let held = outlook.now.clone().and_then(|now| Some((self.label_of(&now)?, now)));
        let (label, now) = if let Some(held) = held {
            held
        } else {
            let written = || {
                let message = "tdd: before an undo";
                census::write(&self.checkpoints, &outlook.census, &outlook.known, message)
            };
            let now = outlook.now.clone().map_or_else(written, Ok)?;
            (self.next_label(), now)
        };
        self.intent(outlook, (&label, &now)).note(&self.checkpoints.place)?;
        self.keep(&label, &now)?;
        Ok((label, now))
    }

    fn label_of(&self, checkpoint: &CheckpointId) -> Option<String> {
        let name = self.checkpoints.refs.iter().find(|(_, held)| *held == checkpoint)?.0;
        name.strip_prefix(&ref_folder(&self.run)).map(str::to_owned)
    }

    fn next_label(&self) -> String {
        let number = |label: &String| label.strip_prefix("undone-")?.parse::<u32>().ok();
        let last = self.labels().iter().filter_map(number).max().unwrap_or(0);
        format!("undone-{}", u64::from(last) + 1)
    }

    /// Looks at the tree as it is and at what going to `to` would do. Changes nothing. A trouble
    /// of the environment if a file of `to` is no longer in git. `since` is when the run began, s.
    pub fn outlook(&mut self, to: &CheckpointId, own: &Own, since: Option<u64>) -> Result<Outlook, Trouble> {
        let mut wanted = self.without_live(own, census::entries(self.whole(to)?));
        let census = Census::take(&self.checkpoints, None)?;
        let mut now = (census.entries == wanted).then(|| to.clone());
        let mut known: BTreeSet<String> = wanted.values().map(|(_, object)| object.clone()).collect();
        own.leave_alone(&mut wanted, &census.entries);
        let spared = self.give_back((own, since), &census.entries, (&mut wanted, &mut known));
        let differences = census::differences(&census.entries, &wanted);
        let broken_off = self.broken_off(to, &census.entries, &wanted);
        let intended = broken_off.as_ref().map(|(_, checkpoint)| checkpoint);
        let mut foreign: Vec<&Difference> = differences.iter().collect();
        for tree in intended.into_iter().chain(&own.trees) {
            // A tree that is gone explains nothing.
            let Some(other) = self.entries_of(tree) else { continue };
            let is_own = |path: &Vec<u8>| census.entries.get(path) == other.get(path);
            foreign.retain(|difference| !is_own(&difference.path));
            if now.is_none() && other == census.entries {
                now = Some(tree.clone());
            }
            known.extend(other.into_values().map(|(_, object)| object));
        }
        // What is gone since an undo began is what that took away to make room.
        foreign.retain(|one| broken_off.is_none() || census.entries.contains_key(&one.path));
        if let Some(window) = own.at_work {
            foreign.retain(|difference| !changed_within(&census.scan, &difference.path, window));
        }
        let is_asked_for = |path: &[u8]| broken_off.is_none() && spared.is_asked_for(path);
        foreign.extend(differences.iter().filter(|one| is_asked_for(&one.path)));
        let lived = since.and(own.lived);
        let permissions = lived.map(|lived| self.permissions(&census, &wanted, lived));
        let (permissions, left_permissions) = permissions.unwrap_or_default();
        let before = intended.and_then(|before| self.entries_of(before));
        let folders =
            lived.map_or_else(Vec::new, |lived| self.folders(&census, (&wanted, before.as_ref()), lived));
        let committed = self.committed(&differences, &census.entries, since)?;
        let foreign = sorted(foreign);
        let commits = self.commits(&committed, &foreign, since)?;
        let comes = differences.iter().filter(|difference| difference.is_addition());
        let in_the_way = comes.filter(|one| self.is_in_the_way(&census, &one.path));
        let in_the_way = in_the_way.map(|one| shown(&one.path)).collect();
        let whole = before.as_ref().map(|before| census::differences(before, &wanted));
        let mut changes = sorted(whole.as_ref().unwrap_or(&differences).iter().collect());
        changes.extend(permissions.keys().map(|path| permissions::told(path)));
        changes.extend(folders.iter().filter_map(Folder::told));
        let changes: BTreeSet<Change> = changes.into_iter().collect();
        Ok(Outlook {
            census,
            to: to.clone(),
            wanted,
            now,
            broken_off,
            permissions,
            left_permissions,
            folders,
            to_beginning: since.is_some(),
            known,
            changes: changes.into_iter().collect(),
            foreign,
            committed,
            commits,
            in_the_way,
            given_back: spared.given,
        })
    }

    fn is_in_the_way(&self, census: &Census, path: &[u8]) -> bool {
        stands_in_the_way(&self.checkpoints.place.work_tree, &census.scan, path)
    }

    /// Makes the work tree as the checkpoint holds it, and looks whether it is. What is neither file nor link
    /// stays. If this fails the same again goes on. A trouble of the user's if the tree has changed meanwhile.
    pub fn go(&mut self, outlook: &Outlook) -> Result<(), Trouble> {
        let again = Census::take(&self.checkpoints, Some(&outlook.census))?;
        if !again.is_as(&outlook.census) && again.entries != outlook.census.entries {
            return Err(census::changing());
        }
        let differences = census::differences(&again.entries, &outlook.wanted);
        self.checkpoints.carry_out(&differences, &[])?;
        let after = Census::take(&self.checkpoints, Some(&again))?;
        let left = census::differences(&after.entries, &outlook.wanted);
        if left.is_empty() {
            self.give_permissions(outlook, &after, &differences)?;
            self.finish_folders(outlook)?;
            return self.give_folders(outlook);
        }
        let paths: Vec<String> = left.iter().take(10).map(|one| shown(&one.path).to_string()).collect();
        Err(Trouble::environment(format!("{} did not come back as they were", counted(left.len(), "file")))
            .because(paths.join(", "))
            .advise("see that nothing else writes to them, then try again"))
    }

    /// Notes that nothing is under way any more.
    pub fn done(&self) {
        Intent::forget(&self.checkpoints.place);
    }

    /// Whether git still has every file of a checkpoint: half a way back is worse than none.
    fn whole(&self, at: &CheckpointId) -> Result<Vec<listing::Listed>, Trouble> {
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
            None => Ok(files),
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
