//! Where the parts of a repository lie. Found by reading two small files, so that neither an
//! inherited `GIT_DIR` nor a configuration can point elsewhere.
#![expect(clippy::disallowed_methods, reason = "reads and writes files of the git folder")]

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use tdd_child::regular_file;
use tdd_core::path::RelPath;
use tdd_core::trouble::{Trouble, Why};

/// The lines that keep the runs, and the sessions of agents, out of git.
const RUNS_LINE: &str = "/.tdd/runs/";
const SESSIONS_LINE: &str = "/.tdd/sessions/";

/// A work tree and its git folders.
#[derive(Clone, Debug)]
pub struct GitPlace {
    /// The top of the work tree.
    pub work_tree: PathBuf,
    /// The work tree's own folder: HEAD and the index are here.
    pub git_dir: PathBuf,
    /// What all work trees of the repository share: refs, objects, configuration, hooks.
    pub common_dir: PathBuf,
    pub pointer: Pointer,
}

/// What `.git` is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pointer {
    Folder,
    /// A file with these bytes: a linked work tree or a submodule.
    File(Vec<u8>),
    /// A link with this target.
    Link(Vec<u8>),
}

impl GitPlace {
    /// The outermost folder above `path` that has a `.git` of its own.
    pub(super) fn inner_repository(&self, path: &RelPath) -> Option<RelPath> {
        let folders = path.as_str().match_indices('/').map(|(at, _)| &path.as_str()[..at]);
        let has_git =
            |folder: &&str| std::fs::symlink_metadata(self.work_tree.join(folder).join(".git")).is_ok();
        folders.into_iter().find(has_git).and_then(RelPath::new)
    }

    /// Finds the git folders of the work tree whose top is `repository`. Fails with a trouble of
    /// the environment if there are none.
    pub fn find(repository: &Path) -> Result<Self, Trouble> {
        let dot_git = repository.join(".git");
        let lost = |why: Why| {
            Trouble::environment(format!("{} is no git work tree", repository.display()))
                .because(why)
                .advise("run `git init` there, or go to a repository")
        };
        let meta =
            std::fs::symlink_metadata(&dot_git).map_err(|error| lost(Why::of(dot_git.display(), &error)))?;
        let (git_dir, pointer) = if meta.is_file() {
            let bytes =
                regular_file::read(&dot_git).map_err(|error| lost(Why::of(dot_git.display(), &error)))?;
            let target = pointed_at(&bytes)
                .ok_or_else(|| lost(format!("{} does not say `gitdir: …`", dot_git.display()).into()))?;
            (repository.join(target), Pointer::File(bytes))
        } else if meta.is_symlink() {
            let target = std::fs::read_link(&dot_git).map_err(|error| lost(error.into()))?;
            (dot_git, Pointer::Link(target.into_os_string().into_vec()))
        } else {
            (dot_git, Pointer::Folder)
        };
        if !git_dir.is_dir() {
            return Err(lost(format!("{} is no folder", git_dir.display()).into()));
        }
        let common_dir = match regular_file::read(git_dir.join("commondir")) {
            Ok(bytes) => git_dir.join(OsString::from_vec(trimmed(&bytes).to_vec())),
            Err(_) => git_dir.clone(),
        };
        Ok(Self { work_tree: repository.to_owned(), git_dir, common_dir, pointer })
    }
}

impl GitPlace {
    /// Whether `.git` is still a folder where it was one. A file or a link can be put back.
    pub(super) fn is_as_found(&self) -> bool {
        let meta = std::fs::symlink_metadata(self.work_tree.join(".git"));
        self.pointer != Pointer::Folder || meta.is_ok_and(|meta| meta.is_dir())
    }
}

/// The work tree's own git folder, and the one that all work trees of the repository share.
pub fn git_folders(repository: &Path) -> Result<[PathBuf; 2], Trouble> {
    let place = GitPlace::find(repository)?;
    Ok([place.git_dir, place.common_dir])
}

/// Keeps `.tdd/runs/` out of git through `info/exclude` of the folder that all work trees share.
/// Doing it twice does nothing more. Contract section 11.
pub fn exclude_runs(repository: &Path) -> Result<(), Trouble> {
    exclude(repository, RUNS_LINE)
}

/// The same for `.tdd/sessions/`.
pub fn exclude_sessions(repository: &Path) -> Result<(), Trouble> {
    exclude(repository, SESSIONS_LINE)
}

fn exclude(repository: &Path, wanted: &str) -> Result<(), Trouble> {
    let place = GitPlace::find(repository)?;
    let folder = place.common_dir.join("info");
    let file = folder.join("exclude");
    let name = wanted.trim_matches('/');
    let failed = |error: io::Error| {
        Trouble::environment(format!("can't keep {name} out of git: {}", file.display()))
            .because(error)
            .advise(format!("make the file writable, or add the line `{wanted}` to it"))
    };
    let mut bytes = match regular_file::read(&file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(failed(error)),
    };
    if bytes.split(|byte| *byte == b'\n').any(|line| line.trim_ascii() == wanted.as_bytes()) {
        return Ok(());
    }
    if bytes.last().is_some_and(|byte| *byte != b'\n') {
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(wanted.as_bytes());
    bytes.push(b'\n');
    std::fs::create_dir_all(&folder).map_err(failed)?;
    std::fs::write(&file, bytes).map_err(failed)
}

fn pointed_at(bytes: &[u8]) -> Option<OsString> {
    let target = trimmed(bytes).strip_prefix(b"gitdir:")?.trim_ascii_start();
    (!target.is_empty()).then(|| OsString::from_vec(target.to_vec()))
}

/// Git writes one newline at the end; a path may end in a space.
fn trimmed(bytes: &[u8]) -> &[u8] {
    let mut bytes = bytes;
    while let Some(rest) = bytes.strip_suffix(b"\n").or_else(|| bytes.strip_suffix(b"\r")) {
        bytes = rest;
    }
    bytes
}
