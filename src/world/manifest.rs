//! The seal on protected files (contract sections 7 and 12): what each is, and a copy of its
//! bytes, so that any change by any means is seen and undone.
//!
//! Links are never followed to compare or to write. What a protected link points at inside the
//! repository is protected too, because a runner follows it. Not walked: `.git`, `.tdd/runs`,
//! by-products, and dependency folders that hold nothing of the protected classes.
#![expect(clippy::disallowed_methods, reason = "this is the disk")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::checkpoints::edit::{Permissions, Tree};
use super::sandbox;
use crate::core::guard::{self, Guard};
use crate::core::path::RelPath;
use crate::core::policy::FileClass;
use crate::core::trouble::Trouble;
use crate::driver::ports::Protection;

mod survey;

use survey::Survey;

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

/// Implements [`Protection`] by hashing.
pub struct Manifest {
    repository: PathBuf,
    classify: Box<dyn Fn(&RelPath) -> FileClass>,
    scratch: PathBuf,
    classes: Vec<FileClass>,
    except: Vec<RelPath>,
    sealed: BTreeMap<Vec<u8>, Sealed>,
    /// Whoever makes these files read-only hears which they are.
    told: sandbox::Sealed,
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
    /// Protects nothing yet. `scratch` is a folder of the run's own where the copies go; it is
    /// made when it is needed. `classify` says what a path relative to the repository is.
    pub fn new(repository: PathBuf, classify: Box<dyn Fn(&RelPath) -> FileClass>, scratch: PathBuf) -> Self {
        Self {
            repository,
            classify,
            scratch,
            classes: Vec::new(),
            except: Vec::new(),
            sealed: BTreeMap::new(),
            told: sandbox::Sealed::default(),
        }
    }

    /// Tells of every seal from now on.
    #[must_use = "this returns the manifest that tells"]
    pub fn telling(mut self, told: sandbox::Sealed) -> Self {
        self.told = told;
        self
    }

    fn survey(&self) -> Survey<'_> {
        Survey {
            root: &self.repository,
            classify: &*self.classify,
            classes: &self.classes,
            except: &self.except,
        }
    }

    fn tree(&self) -> Result<Tree, Trouble> {
        Tree::open(&self.repository).map_err(|error| unusable(&self.repository, &error))
    }

    /// What is there at `path` now, told without following a link; `None` if nothing is.
    fn look(tree: &Tree, repository: &Path, path: &[u8]) -> io::Result<Option<Sealed>> {
        if !parents_are_folders(repository, path) {
            return Ok(None);
        }
        let meta = match std::fs::symlink_metadata(survey::full_path(repository, path)) {
            Ok(meta) => meta,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        if meta.is_symlink() {
            return Ok(Some(Sealed::Link { target: tree.read_link(path)? }));
        }
        if !meta.is_file() {
            return Ok(Some(Sealed::Special));
        }
        let mode = meta.mode() & 0o7777;
        let mut file = tree.read_file(path)?;
        let mut hasher = blake3::Hasher::new();
        let copied = io::copy(&mut file, &mut hasher);
        if mode & 0o400 == 0 {
            // Reading it meant to make it readable; what is to be seen is what was there.
            file.set_permissions(std::fs::Permissions::from_mode(mode))?;
        }
        copied?;
        Ok(Some(Sealed::File { mode, hash: hasher.finalize() }))
    }

    /// Seals one file and keeps its bytes.
    fn seal_one(&self, tree: &Tree, path: &[u8]) -> io::Result<Option<Sealed>> {
        let full = survey::full_path(&self.repository, path);
        let meta = std::fs::symlink_metadata(&full)?;
        if meta.is_file() && meta.nlink() > 1 && guard::stands(Guard::HardLink) {
            break_hard_link(tree, path, &meta)?;
        }
        let sealed = Self::look(tree, &self.repository, path)?;
        if let Some(Sealed::File { hash, .. }) = &sealed {
            self.keep_copy(tree, path, *hash)?;
        }
        Ok(sealed)
    }

    fn keep_copy(&self, tree: &Tree, path: &[u8], hash: blake3::Hash) -> io::Result<()> {
        let at = self.scratch.join(hash.to_hex().as_str());
        if std::fs::symlink_metadata(&at).is_ok_and(|meta| meta.is_file()) {
            return Ok(());
        }
        let mut copy = tempfile::NamedTempFile::new_in(&self.scratch)?;
        let mut hasher = blake3::Hasher::new();
        let mut file = tree.read_file(path)?;
        let mut both = Both { hasher: &mut hasher, file: copy.as_file_mut() };
        io::copy(&mut file, &mut both)?;
        if hasher.finalize() != hash {
            return Err(io::Error::other("it changed while it was read"));
        }
        copy.persist(&at).map_err(|error| error.error)?;
        Ok(())
    }

    fn restore_one(&self, tree: &Tree, path: &[u8], sealed: &Sealed) -> io::Result<()> {
        match sealed {
            Sealed::Link { target } => tree.put_link(path, target),
            Sealed::Special => Ok(()),
            Sealed::File { mode, hash } => {
                let mut copy = std::fs::File::open(self.scratch.join(hash.to_hex().as_str()))?;
                tree.put_file(path, Permissions::Exact(*mode), |file| {
                    let mut hasher = blake3::Hasher::new();
                    io::copy(&mut copy, &mut Both { hasher: &mut hasher, file })?;
                    let sound = hasher.finalize() == *hash || !guard::stands(Guard::SealedCopy);
                    if sound { Ok(()) } else { Err(io::Error::other("the copy kept of it was changed")) }
                })
            }
        }
    }

    /// Paths that differ from the seal, as they are on disk.
    fn differing(&self) -> Result<BTreeSet<Vec<u8>>, Trouble> {
        let tree = self.tree()?;
        let mut differing: BTreeSet<Vec<u8>> =
            self.survey().protected().into_iter().filter(|path| !self.sealed.contains_key(path)).collect();
        for (path, sealed) in &self.sealed {
            let now = Self::look(&tree, &self.repository, path).map_err(|error| unreadable(path, &error))?;
            let linked = || {
                std::fs::symlink_metadata(survey::full_path(&self.repository, path))
                    .is_ok_and(|meta| meta.is_file() && meta.nlink() > 1)
            };
            if now.as_ref() != Some(sealed) || linked() {
                differing.insert(path.clone());
            }
        }
        Ok(differing)
    }
}

impl Protection for Manifest {
    fn seal(&mut self, classes: &[FileClass], except: &[RelPath]) -> Result<(), Trouble> {
        self.classes = classes.to_vec();
        self.except = except.to_vec();
        self.sealed.clear();
        std::fs::create_dir_all(&self.scratch).map_err(|error| unusable(&self.scratch, &error))?;
        let tree = self.tree()?;
        let protected = self.survey().protected();
        let behind = self.survey().behind_links(&protected);
        for path in protected.iter().chain(&behind) {
            let sealed = self.seal_one(&tree, path).map_err(|error| unreadable(path, &error))?;
            if let Some(sealed) = sealed {
                self.sealed.insert(path.clone(), sealed);
            }
        }
        self.told.tell(classes, self.sealed.keys().map(Vec::as_slice));
        Ok(())
    }

    fn check(&mut self) -> Result<Vec<RelPath>, Trouble> {
        let mut touched: Vec<RelPath> =
            self.differing()?.iter().filter_map(|path| survey::shown(path)).collect();
        touched.sort_unstable();
        touched.dedup();
        Ok(touched)
    }

    fn restore(&mut self, touched: &[RelPath]) -> Result<(), Trouble> {
        if touched.is_empty() {
            return Ok(());
        }
        let tree = self.tree()?;
        let asked = |path: &[u8]| survey::shown(path).is_some_and(|path| touched.contains(&path));
        let differing = self.differing()?;
        let (known, new): (Vec<_>, Vec<_>) =
            differing.iter().filter(|path| asked(path)).partition(|path| self.sealed.contains_key(*path));
        // What is new goes first: it may be a link where a folder has to be.
        for path in new {
            tree.clear(path).map_err(|error| unreadable(path, &error))?;
        }
        for path in known {
            if let Some(sealed) = self.sealed.get(path) {
                self.restore_one(&tree, path, sealed).map_err(|error| unreadable(path, &error))?;
            }
        }
        Ok(())
    }
}

/// Writes to a hash and to a file at once.
struct Both<'a> {
    hasher: &'a mut blake3::Hasher,
    file: &'a mut std::fs::File,
}

impl io::Write for Both<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Gives a file an inode of its own, so that no other name can be used to write to it. Its
/// times stay, because build tools look at them.
fn break_hard_link(tree: &Tree, path: &[u8], meta: &std::fs::Metadata) -> io::Result<()> {
    let mut source = tree.read_file(path)?;
    tree.put_file(path, Permissions::Exact(meta.mode() & 0o7777), |file| {
        io::copy(&mut source.by_ref(), file)?;
        let times = std::fs::FileTimes::new().set_accessed(meta.accessed()?).set_modified(meta.modified()?);
        file.set_times(times)
    })
}

fn parents_are_folders(root: &Path, path: &[u8]) -> bool {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    let is_folder = |at: usize| {
        std::fs::symlink_metadata(survey::full_path(root, &path[..at])).is_ok_and(|meta| meta.is_dir())
    };
    slashes.map(|(at, _)| at).all(is_folder)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn unusable(path: &Path, error: &io::Error) -> Trouble {
    Trouble::environment(format!("{} can't be used", path.display()))
        .because(error)
        .advise("see that the folder is there, may be written, and has room; then `tdd resume`")
}

fn unreadable(path: &[u8], error: &io::Error) -> Trouble {
    let path = String::from_utf8_lossy(path);
    Trouble::environment(format!("the protected file {path} can't be read or put back"))
        .because(error)
        .advise("see that you own it and that nothing else writes to it; then `tdd resume`")
}
