//! A checkout beside the work tree.
//!
//! It lies where a copy of the tree would, at one path for all that is tried in it, and goes with it. What git
//! ignores comes by links: nothing is copied, and a folder of packages is a folder of links, so that what tools
//! write into it stays in the checkout.
#![expect(clippy::disallowed_methods, reason = "a checkout is made on the disk")]

use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use tdd_child::folder;
use tdd_child::leftovers::{self, CopyFolder};
use tdd_child::regular_file;
use tdd_core::likeness;
use tdd_core::path::RelPath;
use tdd_core::ports::{Bench, Bring};
use tdd_core::trouble::Trouble;
use tdd_snapshot::git_facts;

use crate::ignored::{self, Kind};
use crate::packages;

/// Ours in such a folder: it says whose it is.
const OURS: &str = ".tdd";
/// A folder of packages.
const PACKAGES: &str = "node_modules";
/// Entries of a folder of packages that are linked one by one.
const MOST_LINKS: usize = 20_000;
/// Files of one kind that are told.
const MOST_LIKE: usize = 64;
/// A longer file is compared with none by what it says.
const MOST_READ: u64 = 64 << 10;
/// What tools write between packages.
const WRITTEN: [&str; 6] =
    [".cache", ".vite", ".vite-temp", ".vitest", ".package-lock.json", ".modules.yaml"];

/// Makes one after the other.
#[derive(Debug)]
pub struct Checkouts {
    repository: PathBuf,
    /// What git ignores and changed since is none of what was there before.
    since: SystemTime,
    folder: Option<CopyFolder>,
    leads_to: Vec<PathBuf>,
}

impl Checkouts {
    pub fn new(repository: &Path, since: SystemTime) -> Self {
        Self { repository: repository.to_owned(), since, folder: None, leads_to: Vec::new() }
    }

    fn root(&self) -> Result<&Path, Trouble> {
        self.folder.as_ref().map(CopyFolder::path).ok_or_else(|| Trouble::internal("no checkout is open"))
    }

    /// `without`: packages that stay out of it.
    fn link(&self, path: &RelPath, without: &[PathBuf]) -> io::Result<()> {
        let Ok(root) = self.root() else { return Ok(()) };
        let (from, to) = (self.repository.join(path.as_str()), root.join(path.as_str()));
        // Its folder may hold nothing that a commit knows.
        if let Some(above) = to.parent() {
            std::fs::create_dir_all(above)?;
        }
        if to.symlink_metadata().is_ok() {
            return Ok(());
        }
        if path.file_name() == PACKAGES && from.is_dir() {
            return self.link_packages((&from, &to), (root, without));
        }
        symlink(&from, &to)
    }

    /// A folder of packages: a link for each, so that a package of the repository's own is the checkout's.
    fn link_packages(
        &self,
        (from, to): (&Path, &Path),
        (root, without): (&Path, &[PathBuf]),
    ) -> io::Result<()> {
        std::fs::create_dir_all(to)?;
        for entry in folder::entries_if_any(from)?.into_iter().take(MOST_LINKS) {
            let (name, path) = (entry.file_name(), entry.path());
            let target = to.join(&name);
            let is_scope = name.as_encoded_bytes().starts_with(b"@") && entry.file_type()?.is_dir();
            if WRITTEN.iter().any(|written| name == *written) || without.contains(&path) {
                continue;
            }
            if is_scope {
                self.link_packages((&path, &target), (root, without))?;
            } else {
                symlink(self.own_package(&path, root).unwrap_or(path), &target)?;
            }
        }
        Ok(())
    }

    fn in_repository(&self, path: &Path) -> Option<RelPath> {
        RelPath::new(path.strip_prefix(&self.repository).ok()?.to_str()?)
    }

    /// Where a link into the repository leads to in the checkout.
    fn own_package(&self, path: &Path, root: &Path) -> Option<PathBuf> {
        let real = path.is_symlink().then(|| path.canonicalize().ok()).flatten()?;
        let inside = real.strip_prefix(&self.repository).ok()?;
        let is_package = inside.components().any(|part| part == Component::Normal("node_modules".as_ref()));
        (!is_package).then(|| root.join(inside))
    }
}

impl Bench for Checkouts {
    fn open(&mut self) -> Result<PathBuf, Trouble> {
        if self.folder.is_none() {
            self.folder = Some(leftovers::copy_folder(&self.repository)?);
        }
        let root = self.root()?.to_owned();
        let failed = |error: io::Error| disk(&root, &error);
        for entry in folder::entries_if_any(&root).map_err(failed)? {
            let path = entry.path();
            if entry.file_name() == OURS {
                continue;
            }
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let gone = if is_folder { folder::remove_all(&path) } else { std::fs::remove_file(&path) };
            gone.map_err(failed)?;
        }
        Ok(root)
    }

    fn bring(&mut self, what: Bring) -> Result<Vec<RelPath>, Trouble> {
        let mut brought = Vec::new();
        self.leads_to.clear();
        let ignored = git_facts::ignored(&self.repository);
        for path in ignored.iter().filter_map(|path| RelPath::new(path.trim_end_matches('/'))) {
            if path.is_within(OURS) {
                continue;
            }
            let known = ignored::by_name(&self.repository, &path, self.since);
            // To look for the age of all takes long, and the first checkout asks for none.
            let is_asked = what > Bring::Dependencies;
            let kind = match known {
                Some(kind) => kind,
                None if is_asked => ignored::by_age(&self.repository, &path, self.since),
                None => continue,
            };
            let is_wanted = match kind {
                Kind::Dependency => true,
                Kind::Cache => false,
                Kind::Before => what >= Bring::Before,
                Kind::Since => what >= Bring::Everything,
            };
            if is_wanted {
                let full = self.repository.join(path.as_str());
                let unasked = match path.file_name() {
                    PACKAGES => packages::unasked(&self.repository, &full, self.since),
                    _ => Vec::new(),
                };
                let without = if what >= Bring::Everything { &[][..] } else { &unasked };
                self.leads_to.push(full.clone());
                self.link(&path, without).map_err(|error| disk(&full, &error))?;
                if without.is_empty() {
                    brought.extend(unasked.iter().filter_map(|package| self.in_repository(package)));
                }
            }
            if is_wanted && kind != Kind::Dependency {
                brought.push(path);
            }
        }
        Ok(brought)
    }

    fn leads_to(&self) -> Vec<PathBuf> {
        self.leads_to.clone()
    }

    fn put(&mut self, files: &[(RelPath, Option<Vec<u8>>)]) -> Result<(), Trouble> {
        let root = self.root()?.to_owned();
        for (path, bytes) in files {
            let full = root.join(path.as_str());
            let written = match bytes {
                Some(bytes) => over(&full, bytes),
                None => gone(&full),
            };
            written.map_err(|error| disk(&full, &error))?;
        }
        Ok(())
    }

    fn differs(&self, path: &RelPath, before: &[u8]) -> bool {
        let Ok(root) = self.root() else { return false };
        match regular_file::open(&root.join(path.as_str())) {
            Ok(file) => {
                let most = before.len() as u64 + 1;
                regular_file::head_of(file, most).is_ok_and(|bytes| bytes != before)
            }
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    fn mode(&self, path: &RelPath) -> Option<u32> {
        let about = self.root().ok()?.join(path.as_str()).symlink_metadata().ok()?;
        about.is_file().then(|| about.permissions().mode())
    }

    fn like(&self, path: &RelPath) -> Vec<RelPath> {
        let Ok(root) = self.root() else { return Vec::new() };
        let mut like = vec![String::new()];
        for part in path.as_str().split('/') {
            like = like.iter().flat_map(|folder| of_kind(root, folder, part)).take(MOST_LIKE).collect();
        }
        let is_file = |path: &RelPath| {
            let about = root.join(path.as_str()).symlink_metadata();
            about.is_ok_and(|about| !about.is_dir())
        };
        like.iter().filter_map(|path| RelPath::new(path)).filter(is_file).collect()
    }

    fn read(&self, path: &RelPath) -> Option<Vec<u8>> {
        let file = regular_file::open(&self.root().ok()?.join(path.as_str())).ok()?;
        let head = regular_file::head_of(file, MOST_READ + 1).ok()?;
        (head.len() as u64 <= MOST_READ).then_some(head)
    }

    fn written_at(&self, path: &RelPath) -> Option<(i64, i64)> {
        let about = self.repository.join(path.as_str()).symlink_metadata().ok()?;
        Some((about.ctime(), about.ctime_nsec()))
    }

    fn close(&mut self) {
        self.folder = None;
    }
}

/// What lies in a folder of the checkout, links not followed, and has such a name.
fn of_kind(root: &Path, inside: &str, name: &str) -> Vec<String> {
    let folder = root.join(inside);
    if folder.symlink_metadata().is_ok_and(|about| !about.is_dir()) {
        return Vec::new();
    }
    let entries = folder::entries_if_any(&folder).unwrap_or_default();
    let names = entries.into_iter().filter_map(|entry| entry.file_name().into_string().ok());
    let mut like: Vec<String> = names.filter(|other| likeness::alike(other, name)).collect();
    like.sort_by_key(|other| other != name);
    let path = |other: String| if inside.is_empty() { other } else { format!("{inside}/{other}") };
    like.into_iter().map(path).collect()
}

/// Whatever mode the file has stays.
fn over(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mode =
        path.symlink_metadata().ok().filter(std::fs::Metadata::is_file).map(|about| about.permissions());
    if let Some(above) = path.parent() {
        std::fs::create_dir_all(above)?;
    }
    gone(path)?;
    regular_file::write(path, bytes)?;
    mode.map_or(Ok(()), |mode| std::fs::set_permissions(path, mode))
}

fn gone(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn disk(path: &Path, error: &io::Error) -> Trouble {
    Trouble::environment(format!("can't make a checkout: {}", path.display()))
        .because(error)
        .advise("see that the folder above the repository may be written and has room")
}
