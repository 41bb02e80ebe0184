//! Checkpoints: snapshots of the work tree as git objects, and the guard of the user's git state (contract 7 and 12).
//!
//! A snapshot holds every file and link that is tracked or not ignored, byte for byte, with the executable bit. It does not hold: empty
//! folders, other permission bits, times, ignored files, `.git` of any nested repository, `.tdd/runs`, `.tdd/sessions`. Files of submodules and
//! nested repositories are ordinary files to it. Files that a sparse checkout left out are absent and stay absent.
//!
//! git is asked through private folders that share the objects and the refs with the user's, so nothing that a child writes into configuration,
//! attributes or hooks reaches it. Commits hang below `refs/tdd/<run>/`. The user's index is read once (what is tracked) and never written, but
//! by [`Checkpoints::restore_git`], which puts it back where a child could write to it.
#![expect(clippy::disallowed_methods, reason = "a folder of ours, and the time of a commit")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::git_facts;
use tdd_child::sandbox::OutOfSight;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::{GONE, RunId};
use tdd_core::finding::Change;
use tdd_core::isolation::Level;
use tdd_core::path::RelPath;
use tdd_core::ports::Checkpoints;
use tdd_core::trouble::Trouble;

mod after_a_child;
pub mod altered;
mod at_times;
mod beside;
mod carry;
mod census;
pub mod checkout;
mod choosing;
mod contents;
pub mod edit;
mod filters;
mod found;
mod git;
mod git_child;
mod git_files;
mod git_kept;
mod git_locks;
mod git_midst;
mod git_pointer;
mod git_restoring;
mod git_state;
mod git_told;
mod git_words;
mod given_back;
mod hidden;
mod history;
mod import;
mod in_the_way;
mod index;
pub mod intent;
mod labels;
mod lay;
mod listing;
mod merging;
pub mod packs;
pub mod pairs;
mod patch;
pub mod place;
mod private;
mod refs;
pub mod restore;
pub mod returning;
mod rules;
pub mod run_refs;
mod specials;
mod stand_ins;
mod taking;
mod walk;
pub mod watch;

use carry::Extent;
use contents::Contents;
use edit::Tree;
use git::Git;
use git_state::GitState;
use import::Known;
use labels::ref_folder;
pub use labels::slug;
pub use patch::{SameAs, file, patch, same_as};
use place::GitPlace;
pub use place::{exclude_runs, exclude_sessions, git_folders};
use private::{Private, disk, frozen_rules};
use refs::{OurRefs, Sound};
use rules::Rules;
use specials::Clean;
pub use stand_ins::StandIns;
use walk::Reading;
pub(crate) use walk::others_inside;

/// The folder of this in the folder that [`GitCheckpoints::open`] is given.
pub const SCRATCH: &str = "checkpoints";

/// Whether other work trees that lie in this one are looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    LeftOut,
    /// A session's gate tells itself whose what is there.
    Looked,
}

/// The checkpoints of one run.
#[derive(Debug)]
pub struct GitCheckpoints {
    place: GitPlace,
    run: RunId,
    rules: Rules,
    /// On our folder: objects go in and out.
    private: Git,
    /// On our folder that leads to the user's refs.
    own: Git,
    tree: Tree,
    known: Known,
    /// Our refs and what they point at, so that one that a child deletes can be put back.
    refs: OurRefs,
    /// Names of commits that another of our refs holds already: written at the end, since each is one file more to look at.
    waiting: BTreeMap<String, CheckpointId>,
    recorded: Option<GitState>,
    clean: Clean,
    sound: Sound,
    /// FIFOs and the like that are known to be gone.
    gone: BTreeSet<Vec<u8>>,
    /// How the children are held: where git's folder is read-only to all of them, what changes there
    /// is somebody else's.
    level: Level,
    beside: Beside,
    /// What is out of every child's sight at the moment, for whoever keeps it so.
    hidden: OutOfSight,
    folders: Private,
    /// Ours, in the run's own folder.
    scratch: PathBuf,
    contents: Contents,
    /// What branches, tags and stashes led to when that was asked last, and the commit that holds it.
    tips: Option<(BTreeSet<String>, CheckpointId)>,
}

impl GitCheckpoints {
    /// Opens the repository whose work tree's top is `repository`. `scratch` is a folder of the
    /// run's own; a run that is resumed must name the same one, because the rules about ignored
    /// files are kept there as they were when it was opened first.
    ///
    /// Fails with a trouble of the environment: no git, no repository, no space.
    pub fn open(repository: &Path, run: &RunId, scratch: &Path) -> Result<Self, Trouble> {
        Self::open_with((repository, run, scratch), Beside::LeftOut)
    }

    fn open_with(
        (repository, run, scratch): (&Path, &RunId, &Path),
        beside: Beside,
    ) -> Result<Self, Trouble> {
        let place = GitPlace::find(repository)?;
        let theirs = Git::own(&place);
        let scratch = scratch.join(SCRATCH);
        let folders = Private::lay(&scratch, &place, &theirs)?;
        let private = Git::private(&place, &folders.for_objects());
        let own = Git::sharing_refs(&place, &folders.for_refs());
        let tree = Tree::open(repository).map_err(|error| disk(repository, &error))?;
        let rules = frozen_rules((&place, beside), &tree, &theirs, &scratch.join("rules.json"))?;
        let mut refs = BTreeMap::new();
        for (name, value) in refs::refs(&own, &ref_folder(run))? {
            refs.insert(name, CheckpointId(value.object));
        }
        let run = run.clone();
        let (known, waiting) = (Known::default(), BTreeMap::new());
        Ok(Self {
            contents: Contents::new(private.clone()),
            tips: None,
            place,
            run,
            rules,
            private,
            own,
            tree,
            known,
            refs,
            waiting,
            recorded: None,
            clean: Clean::default(),
            sound: Sound::default(),
            gone: BTreeSet::new(),
            level: Level::Audit,
            beside,
            hidden: OutOfSight::default(),
            folders,
            scratch,
        })
    }

    /// For a run whose children are held at this level.
    #[must_use = "this returns the checkpoints of that level"]
    pub fn at_level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    fn scan(&self) -> Result<found::Scan, Trouble> {
        walk::walk(&self.place.work_tree, &self.tree, Reading::Frozen(&self.rules), |folder| {
            self.beside == Beside::Looked || self.known.holds_below(folder)
        })
    }

    /// What had to be opened to be read, and was closed when the run began, is closed again. What a child has
    /// closed stays open.
    fn close_again(&self) {
        self.tree.close_again(|path, mode| self.rules.was_closed(path, mode));
    }
}

impl Checkpoints for GitCheckpoints {
    fn take(&mut self, label: &str) -> Result<CheckpointId, Trouble> {
        let taken = self.snapshot(&format!("tdd: {label}")).and_then(|(commit, _)| {
            self.set_ref(label, &commit)?;
            Ok(commit)
        });
        if self.recorded.is_none() {
            return taken;
        }
        taken.map_err(|trouble| self.after_a_child(trouble, label))
    }

    fn with_ignored(&mut self, tree: &CheckpointId, paths: &[RelPath]) -> Result<CheckpointId, Trouble> {
        beside::hold(self, tree, paths)
    }

    fn label(&mut self, label: &str, checkpoint: &CheckpointId) -> Result<(), Trouble> {
        self.set_ref(label, checkpoint)
    }

    fn write_labels(&mut self) -> Result<(), Trouble> {
        self.write_waiting()
    }

    fn diff(&mut self, from: &CheckpointId, to: &CheckpointId) -> Result<Vec<Change>, Trouble> {
        Ok(self.changes(&listing::differences(&self.private, from, to)?))
    }

    fn inner_changes(&mut self, from: &CheckpointId, to: &CheckpointId) -> Result<Vec<RelPath>, Trouble> {
        let differences = listing::differences(&self.private, from, to)?.into_iter();
        let inner = differences.filter(|one| self.rules.submodule(&one.path).is_some());
        Ok(inner.map(|one| shown(&one.path)).collect())
    }

    fn patch(
        &mut self,
        from: &CheckpointId,
        to: &CheckpointId,
        paths: &[RelPath],
    ) -> Result<String, Trouble> {
        patch::shown(&self.private, (from, to), paths)
    }

    fn restore_all_but(&mut self, to: &CheckpointId, spared: &[RelPath]) -> Result<(), Trouble> {
        self.go_back(to, if spared.is_empty() { Extent::All } else { Extent::AllBut(spared) })
    }

    fn restore(&mut self, to: &CheckpointId, paths: &[RelPath]) -> Result<(), Trouble> {
        if paths.is_empty() { Ok(()) } else { self.go_back(to, Extent::These(paths)) }
    }

    fn read(&mut self, at: &CheckpointId, path: &RelPath) -> Result<Option<Vec<u8>>, Trouble> {
        self.contents.read(at, path)
    }

    fn files(&mut self, at: &CheckpointId) -> Result<Vec<RelPath>, Trouble> {
        let mut files: Vec<RelPath> = self.contents.files(at)?.iter().map(|file| shown(&file.path)).collect();
        files.sort_unstable();
        Ok(files)
    }

    fn lay(&mut self, at: &CheckpointId, to: &Path) -> Result<(), Trouble> {
        let files = self.contents.files(at)?;
        lay::lay(&self.private, &files, to)
    }

    fn give_back(
        &mut self,
        tree: &CheckpointId,
        laid: &Path,
        paths: &[RelPath],
    ) -> Result<Vec<RelPath>, Trouble> {
        self.given_back(tree, laid, paths)
    }

    fn write(&mut self, files: &[(RelPath, Option<Vec<u8>>)]) -> Result<(), Trouble> {
        self.write_files(files)
    }

    fn hide(&mut self, whole: &CheckpointId, open: &[CheckpointId]) -> Result<usize, Trouble> {
        self.hide_objects(whole, open)
    }

    fn show_all(&mut self) -> Result<(), Trouble> {
        self.hidden.tell(Vec::new());
        Ok(())
    }

    fn inner_repository(&self, path: &RelPath) -> Option<RelPath> {
        self.place.inner_repository(path)
    }

    fn half_merged(&self) -> Option<String> {
        git_facts::half_merged(&self.place.work_tree)
    }

    fn staged(&mut self, tree: &CheckpointId, paths: &[RelPath]) -> Result<Vec<RelPath>, Trouble> {
        self.staged_since(tree, paths)
    }

    fn committed(&mut self, tree: &CheckpointId, paths: &[RelPath]) -> Result<Vec<RelPath>, Trouble> {
        self.same_in_head(tree, paths)
    }

    fn record_git(&mut self) -> Result<(), Trouble> {
        self.contents.rest();
        let known = self.recorded.as_ref();
        let recorded = GitState::record(&self.place, &self.own, &ref_folder(&self.run), known)?;
        self.recorded = Some(recorded);
        Ok(())
    }

    fn restore_git(&mut self, label: &str) -> Result<Vec<String>, Trouble> {
        self.contents.rest();
        let Some(mut recorded) = self.recorded.take() else { return Ok(Vec::new()) };
        let mut restored = self.looked_at(&mut recorded, label);
        if let Ok(said) = &mut restored {
            said.extend(self.lost_specials());
        }
        // What was told once is known from now on.
        let again = match &restored {
            Ok(said) if !said.is_empty() && self.level == Level::Audit => {
                GitState::record(&self.place, &self.own, &ref_folder(&self.run), Some(&recorded)).ok()
            }
            _ => None,
        };
        self.recorded = Some(again.unwrap_or(recorded));
        restored.map_err(|trouble| self.after_a_child(trouble, label))
    }
}

impl GitCheckpoints {
    /// FIFOs, sockets and devices from before the run that are no longer there, each told once: there is no copy
    /// of one.
    fn lost_specials(&mut self) -> Vec<String> {
        let is_there = |path: &[u8]| {
            let about = std::fs::symlink_metadata(walk::full_path(&self.place.work_tree, path));
            about.is_ok_and(|about| found::kind_of(&about).is_none() && !about.is_dir())
        };
        let lost = self.rules.specials().filter(|path| !self.gone.contains(*path) && !is_there(path));
        let lost: Vec<Vec<u8>> = lost.cloned().collect();
        let lines =
            lost.iter().map(|path| format!("{} was no file, and is gone; {GONE}", shown(path))).collect();
        self.gone.extend(lost);
        lines
    }

    fn looked_at(&mut self, recorded: &mut GitState, label: &str) -> Result<Vec<String>, Trouble> {
        if self.level == Level::Audit {
            self.folders.lay_again()?;
        }
        let keeper = git_kept::Keeper {
            git: &self.own,
            prefix: format!("{}kept-{}", ref_folder(&self.run), slug(label)),
            folder: self.scratch.join(format!("kept-{}", slug(label))),
        };
        let mut restoring = git_restoring::Restoring {
            place: &self.place,
            git: &self.own,
            keeper,
            ours: &self.refs,
            clean: &mut self.clean,
            sound: &mut self.sound,
        };
        match self.level {
            Level::Audit => recorded.restore(&mut restoring),
            Level::Enforce => recorded.restore_ours(&mut restoring),
        }
    }
}

/// Whether a file is among those of these names; one that is no UTF-8 is known by what is shown of it.
fn holds(names: &BTreeSet<Vec<u8>>, path: &RelPath) -> bool {
    let is_shown = || path.is_lossy() && names.iter().any(|name| shown(name) == *path);
    names.contains(path.as_str().as_bytes()) || is_shown()
}

/// A path for a person and for the rules: bytes that are no UTF-8 are replaced.
fn shown(path: &[u8]) -> RelPath {
    let text = String::from_utf8_lossy(path);
    RelPath::new(&text).or_else(|| RelPath::new("?")).unwrap_or_else(|| unreachable!("`?` is a path"))
}
