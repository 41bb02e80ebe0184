//! The seal on protected files (contract sections 7 and 12): what each is, and a copy of its
//! bytes, so that any change by any means is seen and undone.
//!
//! Links are never followed to compare or to write, and no FIFO, socket or device is opened. What
//! a protected link points at inside the repository is protected too, because a runner follows it.
//! Not walked: `.git`, `.tdd/runs` and by-products. Tool folders (`node_modules`, `.venv`, …) are
//! watched by what `lstat` says, see `tools`; what the project's own commands write there before any
//! child has run is learned, and made as it was then before and after each run that counts.
//!
//! A file whose `lstat` says that nothing happened to it since it was hashed is not hashed again;
//! `ctime` is part of that (see `stamp`). Writing through a memory map that was made before the
//! seal is the one thing that it would not show, and whoever made such a map is gone by then.
#![expect(clippy::disallowed_methods, reason = "this is the disk")]

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::checkpoints::edit::{Permissions, Tree};
use crate::checkpoints::others_inside;
use tdd_child::sandbox::{self, ToolWrites};
use tdd_core::guard::{self, Guard};
use tdd_core::path::RelPath;
use tdd_core::policy::{FileClass, Policy};
use tdd_core::ports::{Installed, Protection};
use tdd_core::trouble::Trouble;

mod above;
mod closed;
mod copies;
mod hard_link;
mod learned;
mod look;
mod modes;
mod stamp;
mod survey;
mod tools;
mod troubles;

use above::Above;
use closed::{Closed, Pass};
use copies::Copies;
use hard_link::break_hard_link;
use stamp::Stamp;
use survey::Survey;
use tools::Tools;
use troubles::{unreadable, unusable};

/// What a file was when it was sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Sealed {
    File {
        mode: u32,
        hash: blake3::Hash,
    },
    Link {
        target: Vec<u8>,
    },
    /// A FIFO, a socket or a device: never opened, so never brought back.
    Special,
}

/// A file with the stamp that it had when it was last seen to be as it was sealed.
#[derive(Debug)]
struct Entry {
    sealed: Sealed,
    stamp: Cell<Option<Stamp>>,
    /// What `lstat` said at the last look, settled or not: a change of it is a change.
    last: Cell<Option<Stamp>>,
}

/// Implements [`Protection`] by hashing.
pub struct Manifest {
    repository: PathBuf,
    policy: Policy,
    scratch: PathBuf,
    closed: Rc<Closed>,
    classes: Vec<FileClass>,
    except: Vec<RelPath>,
    sealed: BTreeMap<Vec<u8>, Entry>,
    copies: RefCell<Copies>,
    /// What was rewritten since it was last asked for, and is as it was sealed.
    rewritten: RefCell<BTreeSet<Vec<u8>>>,
    tools: Tools,
    /// What the suite itself writes.
    free: BTreeSet<RelPath>,
    /// Files of tool folders that the project's own commands write, as they were when that was learned.
    learned: BTreeMap<Vec<u8>, Option<Sealed>>,
    /// Whoever makes these files read-only hears which they are.
    told: sandbox::Sealed,
    /// What lies above the repository, where children can write to it.
    above: Option<Above>,
}

impl std::fmt::Debug for Manifest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Manifest")
            .field("repository", &self.repository)
            .field("classes", &self.classes)
            .field("sealed", &self.sealed.len())
            .finish_non_exhaustive()
    }
}

impl Manifest {
    /// Protects nothing yet. `scratch`, made when needed, is the run's own, for copies in a file without a name.
    pub fn new(repository: PathBuf, policy: Policy, scratch: PathBuf) -> Self {
        Self {
            repository,
            policy,
            scratch,
            closed: Rc::default(),
            classes: Vec::new(),
            except: Vec::new(),
            sealed: BTreeMap::new(),
            copies: RefCell::default(),
            rewritten: RefCell::default(),
            tools: Tools::default(),
            free: BTreeSet::new(),
            learned: BTreeMap::new(),
            told: sandbox::Sealed::default(),
            above: None,
        }
    }

    /// Watches what tools find above the repository, too; what lies there later and is replaced is kept in `kept_in`.
    #[must_use = "this returns the manifest that watches"]
    pub fn watching_above(self, kept_in: PathBuf) -> Self {
        Self { above: Some(Above::look(&self.repository, kept_in)), ..self }
    }

    /// Tells of every seal from now on.
    #[must_use = "this returns the manifest that tells"]
    pub fn telling(self, told: sandbox::Sealed) -> Self {
        Self { told, ..self }
    }

    /// Files of tool folders that have come since then, ms since the epoch, were installed by roles that may.
    pub fn have_installed_since(&mut self, ms: Option<u64>) {
        self.tools.let_have_installed(ms);
    }

    fn tell(&self) {
        self.told.tell((&self.classes, &self.policy), self.sealed.keys().map(Vec::as_slice), &self.free);
    }

    fn survey<'s>(&'s self, pass: &'s Pass) -> Survey<'s> {
        Survey {
            root: &self.repository,
            tree: &pass.tree,
            policy: &self.policy,
            classes: &self.classes,
            except: &self.except,
            others: self.others(),
        }
    }

    /// Where a file of this tree was sealed, nobody else's work tree comes to be.
    fn others(&self) -> BTreeSet<PathBuf> {
        let mut others = others_inside(&self.repository);
        let sealed = || self.sealed.keys().map(|path| survey::full_path(Path::new(""), path));
        others.retain(|other| !sealed().any(|path| path.starts_with(other)));
        others
    }

    fn pass(&self) -> Result<Pass, Trouble> {
        let tree = Tree::open(&self.repository).map_err(|error| unusable(&self.repository, &error))?;
        Ok(Pass { tree, folders: RefCell::default(), closed: Rc::clone(&self.closed) })
    }

    fn tool_folders(&self) -> Vec<Vec<u8>> {
        let looked = self.pass().ok().and_then(|pass| self.survey(&pass).look().ok());
        looked.map(|found| found.tools).unwrap_or_default()
    }

    /// Seals one file and keeps its bytes. What was sealed before and did not change since is
    /// sealed as it was.
    fn seal_one(&self, pass: &Pass, path: &[u8], before: Option<Entry>) -> io::Result<Option<Entry>> {
        let Some(meta) = self.lstat(pass, path)? else { return Ok(None) };
        let known = before.filter(|entry| entry.stamp.get() == Some(Stamp::of(&meta)));
        if known.is_some() && meta.nlink() == 1 {
            return Ok(known);
        }
        if meta.is_file() && meta.nlink() > 1 && guard::stands(Guard::HardLink) {
            break_hard_link(&pass.tree, path, &meta)?;
        }
        let seen = self.look(pass, path, Some(&mut self.copies.borrow_mut()))?;
        let last = Cell::new(self.lstat(pass, path)?.as_ref().map(Stamp::of));
        Ok(seen.map(|(sealed, stamp)| Entry { sealed, stamp: Cell::new(stamp), last }))
    }

    fn restore_one(&self, tree: &Tree, path: &[u8], sealed: &Sealed) -> io::Result<()> {
        match sealed {
            Sealed::Link { target } => tree.put_link(path, target),
            Sealed::Special => Ok(()),
            Sealed::File { mode, hash } => {
                tree.put_file(path, Permissions::Exact(*mode), |file| self.copies.borrow().put(hash, file))
            }
        }
    }

    fn seal_all(&mut self, classes: &[FileClass], except: &[RelPath]) -> Result<(), Trouble> {
        (self.classes, self.except) = (classes.to_vec(), except.to_vec());
        let mut before = std::mem::take(&mut self.sealed);
        std::fs::create_dir_all(&self.scratch).map_err(|error| unusable(&self.scratch, &error))?;
        let pass = self.pass()?;
        let unusable = |error: io::Error| unusable(&self.repository, &error);
        let survey::Found { protected, tools } = self.survey(&pass).look().map_err(unusable)?;
        let behind = self.survey(&pass).behind_links(&protected).map_err(unusable)?;
        for path in protected.iter().chain(&behind) {
            let known = before.remove(path);
            let entry = self.seal_one(&pass, path, known).map_err(|error| unreadable(path, &error))?;
            if let Some(entry) = entry {
                self.sealed.insert(path.clone(), entry);
            }
        }
        drop(pass);
        self.closed.is_known();
        self.tools.watch(&self.repository, &tools);
        self.tell();
        Ok(())
    }

    /// Paths that differ from the seal, as they are on disk.
    fn differing(&self) -> Result<BTreeSet<Vec<u8>>, Trouble> {
        let pass = self.pass()?;
        let mut differing: BTreeSet<Vec<u8>> = self
            .survey(&pass)
            .look()
            .map_err(|error| unusable(&self.repository, &error))?
            .protected
            .into_iter()
            .filter(|path| !self.sealed.contains_key(path))
            .collect();
        for (path, entry) in &self.sealed {
            if self.differs(&pass, path, entry).map_err(|error| unreadable(path, &error))? {
                differing.insert(path.clone());
            }
        }
        Ok(differing)
    }

    fn differs(&self, pass: &Pass, path: &[u8], entry: &Entry) -> io::Result<bool> {
        let meta = self.lstat(pass, path)?;
        let stamp = meta.as_ref().map(Stamp::of);
        if stamp.is_some() && stamp == entry.stamp.get() {
            return Ok(false);
        }
        let linked = meta.is_some_and(|meta| meta.is_file() && meta.nlink() > 1);
        match self.look(pass, path, None)? {
            Some((now, settled)) if now == entry.sealed && !linked => {
                entry.stamp.set(settled);
                // To look at what its owner may not read is to write to its inode ourselves; and whoever ran
                // could not read it either.
                let is_closed = matches!(entry.sealed, Sealed::File { mode, .. } if mode & 0o400 == 0);
                if entry.last.replace(stamp) != stamp && !is_closed {
                    self.rewritten.borrow_mut().insert(path.to_vec());
                }
                Ok(false)
            }
            Some(_) | None => Ok(true),
        }
    }
}

impl Protection for Manifest {
    fn seal(&mut self, classes: &[FileClass], except: &[RelPath]) -> Result<(), Trouble> {
        let sealed = self.seal_all(classes, except);
        if sealed.is_err() {
            // Half a seal would take all that it lacks for new, and whoever restores it would remove that.
            self.classes.clear();
            self.sealed.clear();
        }
        sealed
    }

    fn loosen(&mut self) {
        self.told.tell((&[], &self.policy), [], &BTreeSet::new());
    }

    fn let_rewrite(&mut self, paths: &[RelPath]) {
        self.free.extend(paths.iter().cloned());
        self.tell();
    }

    fn classify_by(&mut self, policy: &Policy) {
        self.policy = policy.clone();
    }

    fn check(&mut self) -> Result<Vec<RelPath>, Trouble> {
        let tools = self.tools.differing(&self.repository, &|path| self.learned.contains_key(path));
        let differing = self.differing()?;
        let touched: BTreeSet<RelPath> =
            differing.iter().chain(&tools).filter_map(|path| survey::shown(path)).collect();
        Ok(touched.into_iter().collect())
    }

    fn is_held(&self, path: &RelPath) -> bool {
        self.told.is_held(Path::new(path.as_str()))
    }

    fn installed(&self, path: &RelPath) -> Option<Installed> {
        self.tools.installed(path.as_str().as_bytes())
    }

    fn was_there(&self, path: &RelPath) -> bool {
        self.sealed.contains_key(path.as_str().as_bytes())
    }

    fn restore(&mut self, touched: &[RelPath]) -> Result<(), Trouble> {
        self.above.iter_mut().for_each(Above::put_back);
        let pass = self.pass()?;
        let tree = &pass.tree;
        self.put_learned_back(tree);
        if touched.is_empty() {
            return Ok(());
        }
        let asked = |path: &[u8]| survey::shown(path).is_some_and(|path| touched.contains(&path));
        let differing = self.differing()?;
        let (known, new): (Vec<_>, Vec<_>) =
            differing.iter().filter(|path| asked(path)).partition(|path| self.sealed.contains_key(*path));
        // What is new goes first: it may be a link where a folder has to be.
        for path in new {
            tree.clear(path).map_err(|error| unreadable(path, &error))?;
        }
        for path in known {
            if let Some(entry) = self.sealed.get(path) {
                self.restore_one(tree, path, &entry.sealed).map_err(|error| unreadable(path, &error))?;
                // This was ours.
                entry.last.set(self.lstat(&self.pass()?, path).ok().flatten().as_ref().map(Stamp::of));
            }
        }
        Ok(())
    }

    fn modes_alone(&mut self) -> Result<Vec<RelPath>, Trouble> {
        self.of_other_modes()
    }

    fn rewritten(&mut self) -> Vec<RelPath> {
        let rewritten = self.rewritten.take().into_iter().chain(self.tools.rewritten());
        rewritten.filter_map(|path| survey::shown(&path)).collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn told_above(&mut self) -> Vec<String> {
        self.above.as_mut().map(Above::told).unwrap_or_default()
    }

    fn look_at_tools(&mut self) -> Result<(), Trouble> {
        let folders = self.tool_folders();
        self.tools.look_first(&self.repository, &folders);
        self.told.let_write_in_tools(ToolWrites::Anything);
        Ok(())
    }

    fn may_write_in_tools(&mut self) -> bool {
        self.tools.may_be_written(&self.repository)
    }

    fn left_in_tools(&mut self) -> Vec<RelPath> {
        self.told.let_write_in_tools(ToolWrites::default());
        let folders = self.tool_folders();
        self.tools.left(&self.repository, &folders).iter().filter_map(|path| survey::shown(path)).collect()
    }

    fn learn_tools(&mut self, files: &[RelPath]) {
        self.learn(files);
    }

    fn let_install(&mut self) {
        self.tools.let_install();
    }
}
