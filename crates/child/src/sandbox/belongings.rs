//! What is the person's and not the project's, and what a child may reach of it: the part of a fence that
//! does not depend on the run.
//!
//! ```text
//! home            read-only; the repository, caches and temporary folders in it writable
//! credentials     folders masked, files and sockets emptied; settings with tokens shown without them
//! runtime folder  a fresh one, without the session's bus, keyring and key agents
//! timetables      read-only
//! ```
//!
//! Credentials are looked for at every start, since one may have been made meanwhile. Caches are found
//! once, and never through what a child could have put there: see [`Known::resolved`].

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::caches::{CACHES, CARGO, CARGO_LOCKS, Cache, Make};
use super::fence::{Fence, Rule};
use super::known::{Home, Known, Whose};
use super::places::TIMETABLES;
use super::told::{Told, registered_home};
use super::uses::Uses;
use super::{hidden, probe};
use crate::regular_file;
use tdd_core::isolation::{HomeAccess, Reach};

/// Whoever lives in one of these has no home of their own.
const EVERYBODYS: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// Of one person on this machine. Nothing, where nothing is known of anybody.
#[derive(Clone, Debug, Default)]
pub struct Belongings(Option<Rc<Known>>);

impl Belongings {
    /// Those of the person with this environment.
    pub fn of(reach: &Reach, vars: &[(OsString, OsString)]) -> Self {
        let vars: BTreeMap<OsString, OsString> = vars.iter().cloned().collect();
        let named = vars.get(OsStr::new("HOME")).map(PathBuf::from);
        let mut homes: Vec<Home> = Vec::new();
        for spelled in [named, registered_home()].into_iter().flatten().filter(|home| home.is_absolute()) {
            let Ok(real) = spelled.canonicalize() else { continue };
            // Everything lies in the one, and programs in the other.
            if real != Path::new("/") && real.is_dir() && !homes.iter().any(|known| known.real == real) {
                homes.push(Home { spelled, real });
            }
        }
        let (writable, made, ours) = (OnceCell::new(), RefCell::default(), OnceCell::new());
        let (reach, uses, noted, git) = (reach.clone(), None, OnceCell::new(), OnceCell::new());
        Self(Some(Rc::new(Known { reach, vars, homes, uses, writable, made, noted, ours, git })))
    }

    /// For a project that uses these, before anything was laid.
    #[must_use = "this returns the belongings as the project uses them"]
    pub fn used_by(mut self, uses: Option<Uses>) -> Self {
        if let Some(known) = self.0.as_mut().and_then(Rc::get_mut) {
            known.uses = uses;
        }
        self
    }

    /// Puts into the fence what `whose` may do to all this. To be called before any rule of the run's own.
    pub(super) fn lay(&self, fence: &mut Fence, whose: &Whose<'_>) {
        let Some(known) = &self.0 else { return };
        let writable = known.lay_homes(fence, whose.repository);
        if rustix::process::geteuid().is_root() {
            for table in TIMETABLES.iter().filter_map(|path| Path::new(path).canonicalize().ok()) {
                fence.set(&table, Rule::ReadOnly);
            }
        }
        hidden::lay(known, fence, whose);
        for path in whose.lent {
            fence.set(path, Rule::Writable);
        }
        // What lies in a folder that can be written to must not be moved along with it.
        for root in &writable {
            fence.hold_parents(root);
        }
    }

    /// The real place of something of the agent's own below the person's home. A folder is made if it is
    /// not there, as the agent's program would; a name with an extension is one of a file.
    pub fn own(&self, below: &str) -> Option<PathBuf> {
        let known = self.0.as_ref()?;
        let path = known.homes.first()?.spelled.join(below);
        if path.extension().is_none() {
            // What can't be made is told by the program that wants it.
            known.make(&path, None);
        }
        path.canonicalize().ok()
    }

    /// A folder of ours that no child may write to, if one was made.
    pub(super) fn ours(&self) -> Option<PathBuf> {
        let folder = self.0.as_ref()?.ours.get()?.as_ref()?;
        folder.path().canonicalize().ok()
    }

    pub(super) fn network(&self) -> tdd_core::isolation::Network {
        self.0.as_ref().map(|known| known.reach.network).unwrap_or_default()
    }

    /// Gives the fence an empty file of ours to show, if it empties any.
    pub(super) fn show_empty(&self, fence: &mut Fence, repository: &Path) {
        if let Some(known) = &self.0 {
            hidden::show_empty(known, fence, repository);
        }
    }

    pub(super) fn known(&self) -> Option<&Known> {
        self.0.as_deref()
    }
}

impl Known {
    /// Closes the homes, and gives the folders that are writable in them.
    fn lay_homes(&self, fence: &mut Fence, repository: &Path) -> Vec<PathBuf> {
        if self.reach.home == HomeAccess::Writable {
            return self.homes.iter().map(|home| home.real.clone()).collect();
        }
        let (closed, open): (Vec<&Home>, Vec<&Home>) =
            self.homes.iter().partition(|home| self.can_close(home, repository));
        for home in &closed {
            fence.set(&home.real, Rule::ReadOnly);
        }
        let mut roots: Vec<PathBuf> = open.iter().map(|home| home.real.clone()).collect();
        for path in self.writable(repository) {
            // Another run may have made it, and has ended since.
            if !path.exists() && !CARGO_LOCKS.iter().any(|name| path.ends_with(name)) {
                self.make(path, Some(repository));
            }
            if closed.iter().any(|home| path.starts_with(&home.real)) {
                fence.set(path, Rule::Writable);
                roots.push(path.clone());
            }
        }
        if fence.rule(repository) == Some(Rule::ReadOnly) {
            fence.set(repository, Rule::Writable);
        }
        roots
    }

    /// Whether a home can be read-only though the repository and temporary files stay writable.
    pub(super) fn can_close(&self, home: &Home, repository: &Path) -> bool {
        let temporary = self.var("TMPDIR").and_then(|path| path.canonicalize().ok());
        let everybodys = EVERYBODYS.iter().map(PathBuf::from);
        let mut open = everybodys.chain(temporary);
        !home.real.starts_with(repository) && !open.any(|open| open == home.real)
    }

    fn writable(&self, repository: &Path) -> &[PathBuf] {
        self.writable.get_or_init(|| self.find_writable(repository))
    }

    fn find_writable(&self, repository: &Path) -> Vec<PathBuf> {
        let home = self.homes.first().map(|home| home.spelled.as_path());
        let told = Told::of(home, &|name| self.var(name));
        let mut found: Vec<PathBuf> = Vec::new();
        let mut wanted: Vec<(PathBuf, Make)> = Vec::new();
        for cache in CACHES {
            wanted.extend(self.places(cache, &told).into_iter().map(|path| (path, cache.make)));
        }
        // What lies in another one is that one's.
        wanted.sort();
        for (path, make) in wanted {
            let Some(path) = self.resolved(&path, repository, &found) else { continue };
            if path.is_dir() || (self.wants(make) && self.make(&path, Some(repository))) {
                found.push(path);
            }
        }
        let is_used = self.wants(Make::With("cargo", CARGO));
        found.extend(
            cargo_locks(&found).into_iter().filter(|lock| (is_used || lock.exists()) && can_write(lock)),
        );
        found
    }

    /// Where a cache is, by its variable or by default.
    fn places(&self, cache: &Cache, told: &Told) -> Vec<PathBuf> {
        let named = self.var(cache.variable).or_else(|| told.0.get(cache.variable).cloned());
        if let Some(named) = named {
            return vec![if cache.below.is_empty() { named } else { named.join(cache.below) }];
        }
        if cache.default.is_empty() {
            return Vec::new();
        }
        self.homes.iter().map(|home| home.spelled.join(cache.default)).collect()
    }

    /// The real path of something in a home, there or not; `None` if it lies elsewhere, or below what
    /// is writable already. No link is followed that a child could have made: what it led to would
    /// become writable.
    fn resolved(&self, path: &Path, repository: &Path, found: &[PathBuf]) -> Option<PathBuf> {
        let below = |base: &Path| path.strip_prefix(base).ok().map(Path::to_owned);
        let (mut real, rest) = self.homes.iter().find_map(|home| {
            let rest = below(&home.spelled).or_else(|| below(&home.real))?;
            Some((home.real.clone(), rest))
        })?;
        for part in rest.components() {
            let std::path::Component::Normal(part) = part else { return None };
            real.push(part);
            if std::fs::symlink_metadata(&real).is_ok() {
                real = real.canonicalize().ok()?;
            }
            let is_free = real.starts_with(repository) || found.iter().any(|root| real.starts_with(root));
            if is_free || !self.homes.iter().any(|home| real.starts_with(&home.real)) {
                return None;
            }
        }
        // A variable may name the home itself, or a folder that holds it.
        (!self.homes.iter().any(|home| home.real.starts_with(&real))).then_some(real)
    }

    fn wants(&self, make: Make) -> bool {
        match make {
            Make::Where(files) => self.uses.as_ref().is_none_or(|uses| uses.any_of(files)),
            Make::Never => false,
            Make::With(program, files) => {
                self.uses.as_ref().is_none_or(|uses| uses.program(program, files))
                    && probe::in_path(program, self.vars.get(OsStr::new("PATH")).map(OsString::as_os_str))
                        .is_some()
            }
        }
    }
}

/// By which cargo locks what it shares; its own folder can't be writable, since its settings name programs.
fn cargo_locks(found: &[PathBuf]) -> Vec<PathBuf> {
    let registries = found.iter().filter(|path| path.ends_with("registry"));
    let homes = registries.filter_map(|path| path.parent());
    homes.flat_map(|home| CARGO_LOCKS.iter().map(|name| home.join(name))).collect()
}

fn can_write(file: &Path) -> bool {
    regular_file::with(std::fs::OpenOptions::new().write(true).create(true), file).is_ok()
}
