//! Folders of other people's code, by what `lstat` says of each file: far too large to be hashed
//! before each run, but whoever replaces `node_modules/.bin/vitest` or rewrites a module of the
//! test runner decides what every test says.
//!
//! Each file is hashed once, when it is first seen, up to a bound: an installation that is made again
//! (`npm ci`) writes every file anew with the same bytes, and only they tell it from one that was
//! forged. Nothing but those bytes counts then, not a size or a time that was set back. Beyond the bound
//! `lstat` decides alone. What is the same and was written anew is told apart ([`Tools::rewritten`]):
//! while tests run it may have been another file for a while.
//!
//! A file that is new is honest, but for one in a package that was there before ([`packages`]): an implementer installs
//! dependencies, and does so again for the next criterion, so that what came while one was at work may be written again. A file that was there and
//! was changed or removed is not; it can't be put back, because no copy was kept, so it stays
//! reported for as long as the run goes on, and every verdict says so. `sitecustomize` and
//! `usercustomize` are reported although they are new: no package brings them, and Python runs
//! them before any test.
//!
//! What the project's own commands write before any child has run is found by two looks ([`Tools::left`])
//! and not told later. A record of what a tool saw (`tsc`'s of a program) is written only where there is something new, so
//! that they run in a checkout as well, where all is, if there may be such a one ([`Tools::may_be_written`]).
//!
//! Not watched: what a tool writes for itself (`node_modules/.cache`, `__pycache__`, records of
//! what is installed), and a change of nothing but `ctime` in a file of several names (`pnpm` and
//! `uv` link one copy into all projects).

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::stamp::Stamp;
use super::survey;
use packages::Packages;
use proof::{Proof, Room};
use tdd_core::ports::Installed;

mod packages;
mod proof;

/// More files than any project has; what lies beyond is not watched.
const MOST_FILES: usize = 300_000;
/// A reinstallation changes all files, and a few say as much as all of them.
const MOST_TOLD: usize = 20;
/// What Python runs before all else, where it looks for it.
const HOOKS: [&str; 2] = ["sitecustomize.py", "usercustomize.py"];
const SITE: &[u8] = b"/site-packages";
/// What each package of node's has, as its installation wrote it.
const PACKAGE: &[u8] = b"/package.json";
/// Seconds; longer than one package takes.
const INSTALLED_WITHIN: i64 = 10;
/// More files than tools write for themselves; of a command that installs packages no more are learned.
const MOST_LEARNED: usize = 1000;

/// A file of a tool folder as it was first seen.
#[derive(Debug)]
struct Seen {
    mode: u32,
    /// What `lstat` said when it was last known to be as it was first seen.
    stamp: Cell<Stamp>,
    /// What `lstat` said at the last look.
    last: Cell<Stamp>,
    proof: Option<Proof>,
}

/// All files of all tool folders.
#[derive(Debug, Default)]
pub(super) struct Tools {
    files: BTreeMap<Vec<u8>, Seen>,
    /// Before anything of the project's had run; `None` if nobody looked.
    first: Option<BTreeMap<Vec<u8>, Stamp>>,
    /// Came while somebody was at work who may install.
    installed: BTreeSet<Vec<u8>>,
    packages: Packages,
    /// Whether such a one was at work since the last look.
    installs: bool,
    /// When the first of them began, if that was in a process before this one.
    installing_since: Option<SystemTime>,
    /// How much more may be hashed.
    room: Room,
    /// Written anew since this was last asked for, with the bytes that they had.
    rewritten: RefCell<BTreeSet<Vec<u8>>>,
}

impl Tools {
    /// Looks at these folders. What was seen before stays as it was seen first: a retry must not
    /// take for granted what the attempt before it did.
    pub(super) fn watch(&mut self, root: &Path, folders: &[Vec<u8>]) {
        let hooks = self.new_hooks(root);
        let installs = std::mem::take(&mut self.installs);
        let since = self.installing_since.take();
        for path in folders.iter().flat_map(|folder| survey::files_below(root, folder, is_for_itself)) {
            if self.files.len() + self.installed.len() >= MOST_FILES {
                return;
            }
            if self.files.contains_key(&path) || self.installed.contains(&path) || hooks.contains(&path) {
                continue;
            }
            if installs || since.is_some_and(|since| is_made_since(root, &path, since)) {
                self.installed.insert(path);
            } else if let Some(seen) = look(root, &path, &mut self.room) {
                self.packages.know(root, &path);
                self.files.insert(path, seen);
            }
        }
    }

    /// What comes until the next look was installed by whoever works now.
    pub(super) fn let_install(&mut self) {
        self.installs = true;
    }

    /// The same of what has come since then, for the next look.
    pub(super) fn let_have_installed(&mut self, since_ms: Option<u64>) {
        self.installing_since = since_ms.map(|ms| SystemTime::UNIX_EPOCH + Duration::from_millis(ms));
    }

    pub(super) fn look_first(&mut self, root: &Path, folders: &[Vec<u8>]) {
        self.first = Some(stamps(root, folders));
    }

    /// Whether something has written into a package since it was installed, and not since the first look: what keeps a
    /// record of what it saw has had nothing new to see. Times are believed here, because nobody is judged by it.
    pub(super) fn may_be_written(&self, root: &Path) -> bool {
        let Some(first) = &self.first else { return false };
        let is_later = |path: &Vec<u8>, stamp: &Stamp| {
            let folders = path.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/');
            let mut packages = folders.filter_map(|(at, _)| first.get(&[&path[..at], PACKAGE].concat()));
            packages.next().is_some_and(|package| stamp.is_newer_by(INSTALLED_WITHIN, package))
        };
        let is_as_it_was = |path: &Vec<u8>, stamp: &Stamp| {
            let now = std::fs::symlink_metadata(survey::full_path(root, path));
            now.is_ok_and(|meta| Stamp::of(&meta) == *stamp)
        };
        let is_one = |(path, stamp): (&Vec<u8>, &Stamp)| {
            !stamp.is_link() && is_later(path, stamp) && is_as_it_was(path, stamp)
        };
        first.iter().any(is_one)
    }

    /// What differs from the first look by now, which is forgotten.
    pub(super) fn left(&mut self, root: &Path, folders: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let Some(mut before) = self.first.take() else { return Vec::new() };
        let mut left = Vec::new();
        for (path, now) in stamps(root, folders) {
            let is_same =
                before.remove(&path).is_some_and(|stamp| now == stamp || now.is_same_shared(&stamp));
            if !is_same {
                left.push(path);
            }
        }
        left.extend(before.into_keys());
        left.truncate(MOST_LEARNED);
        left
    }

    /// The first files that are no longer as they were, less those that are learned.
    pub(super) fn differing(&self, root: &Path, is_learned: &dyn Fn(&[u8]) -> bool) -> BTreeSet<Vec<u8>> {
        let differs = |(path, seen): &(&Vec<u8>, &Seen)| !is_learned(path) && self.differs(root, path, seen);
        let changed = self.files.iter().filter(differs).map(|(path, _)| path.clone());
        let into_packages =
            self.packages.new_files(root, &|path| self.files.contains_key(path), &self.installed);
        let into_packages = into_packages.into_iter().filter(|path| !is_learned(path));
        changed.chain(self.new_hooks(root)).chain(into_packages).take(MOST_TOLD).collect()
    }

    fn differs(&self, root: &Path, path: &[u8], seen: &Seen) -> bool {
        let began = SystemTime::now();
        let full = survey::full_path(root, path);
        let Ok(now) = std::fs::symlink_metadata(&full).map(|meta| Stamp::of(&meta)) else { return true };
        let before = seen.last.replace(now);
        if now == seen.stamp.get() {
            return false;
        }
        let is_same = now.mode == seen.mode
            && match &seen.proof {
                Some(proof) => proof.holds(&full, &now),
                None => now.is_same_shared(&seen.stamp.get()),
            };
        if is_same && let Some(proof) = &seen.proof {
            if before != now && !now.is_same_shared(&before) && !proof.is_often_written(path) {
                self.rewritten.borrow_mut().insert(path.to_vec());
            }
            if now.is_settled(began) {
                seen.stamp.set(now);
            }
        }
        !is_same
    }

    /// What the looks since this was last asked found written anew, and as it was first seen.
    pub(super) fn rewritten(&self) -> BTreeSet<Vec<u8>> {
        self.rewritten.take()
    }

    pub(super) fn installed(&self, path: &[u8]) -> Option<Installed> {
        let of_known = |seen: &Seen| if seen.proof.is_some() { Installed::Known } else { Installed::Beyond };
        let is_hook = || HOOKS.iter().any(|name| path.ends_with(&[SITE, b"/", name.as_bytes()].concat()));
        let known = |path: &[u8]| self.files.contains_key(path);
        let is_new = || self.packages.counts(path, &known).then_some(Installed::New);
        self.files.get(path).map(of_known).or_else(|| is_hook().then_some(Installed::Hook)).or_else(is_new)
    }

    /// Modules that Python runs at its start, in folders where it looks for them.
    fn new_hooks(&self, root: &Path) -> Vec<Vec<u8>> {
        let folder = |path: &Vec<u8>| {
            let at = path.iter().rposition(|byte| *byte == b'/')?;
            path[..at].ends_with(SITE).then(|| path[..at].to_vec())
        };
        let folders: BTreeSet<Vec<u8>> = self.files.keys().filter_map(folder).collect();
        let hooks = folders
            .iter()
            .flat_map(|folder| HOOKS.map(|name| [folder.as_slice(), b"/", name.as_bytes()].concat()));
        let is_new = |path: &Vec<u8>| {
            !self.files.contains_key(path) && std::fs::symlink_metadata(survey::full_path(root, path)).is_ok()
        };
        hooks.filter(is_new).collect()
    }
}

fn stamps(root: &Path, folders: &[Vec<u8>]) -> BTreeMap<Vec<u8>, Stamp> {
    let paths = folders.iter().flat_map(|folder| survey::files_below(root, folder, is_for_itself));
    let stamp = |path: Vec<u8>| {
        let meta = std::fs::symlink_metadata(survey::full_path(root, &path)).ok()?;
        Some((path, Stamp::of(&meta)))
    };
    paths.take(MOST_FILES).filter_map(stamp).collect()
}

/// Where a file system does not tell when a file was made, it was there before.
fn is_made_since(root: &Path, path: &[u8], since: SystemTime) -> bool {
    let meta = std::fs::symlink_metadata(survey::full_path(root, path));
    meta.and_then(|meta| meta.created()).is_ok_and(|made| made >= since)
}

fn look(root: &Path, path: &[u8], left: &mut Room) -> Option<Seen> {
    let full = survey::full_path(root, path);
    let stamp = Stamp::of(&std::fs::symlink_metadata(&full).ok()?);
    let proof = Proof::of(&full, &stamp, left);
    Some(Seen { mode: stamp.mode, stamp: Cell::new(stamp), last: Cell::new(stamp), proof })
}

/// Whether a tool writes this for itself, as the last part of a path and the part above it say.
fn is_for_itself(above: &[u8], name: &[u8]) -> bool {
    let is_hidden_tool_state = above == b"node_modules"
        && name.starts_with(b".")
        && ![b".bin".as_slice(), b".pnpm", b".store"].contains(&name);
    let is_record = above.ends_with(b".dist-info") && name != b"entry_points.txt";
    is_hidden_tool_state || is_record || name == b"__pycache__" || name.ends_with(b".pyc")
}
