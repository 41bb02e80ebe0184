//! Folders of a run's outside of its work tree, each with a note of whose it is.
//!
//! ```text
//! $TMPDIR/tdd-<uid>/               0700, of all runs of a user                       shared_folder
//!     tdd-exchange-<random>/       what is handed to roles, and back
//!     tdd-temp-<random>/           temporary files of commands, which may write there
//!     tdd-made-<random>/           which folders of the home were made for a run, for whoever comes after a kill
//! <parent of the repository>/tdd-copy-<random>/     a copy of the tree
//! ```
//!
//! A role's sandbox hides what is in the folder that all share by one mount over it. Each run has something in it
//! for as long as it lives, so that nobody removes it meanwhile; the last one out takes the empty folder along.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::note::{Named, Note};
use crate::{folder, regular_file};
use tdd_core::trouble::Trouble;

const EXCHANGE_PREFIX: &str = "tdd-exchange-";
const TEMPORARY_PREFIX: &str = "tdd-temp-";
const MADE_PREFIX: &str = "tdd-made-";
/// In a folder of that name: the paths, a NUL after each.
const MADE: &str = "made";
/// More than the paths of some folders have.
const LONGEST_MADE: u64 = 1 << 16;
const COPY_PREFIX: &str = "tdd-copy-";
const OWNER: &str = "owner.json";
/// In a copy of a tree: where no tool of the project's looks.
const COPY_OWNER: &str = ".tdd/copy.json";
/// Folders of one directory that are looked at.
const MOST_FOLDERS: usize = 10_000;

/// A folder of ours, gone when it is dropped. Its note goes last: what a kill meanwhile leaves is known to be
/// nobody's.
#[derive(Debug)]
pub struct OwnFolder {
    folder: TempDir,
    /// Dropped after the folder.
    _within: Within,
}

impl OwnFolder {
    fn new(folder: TempDir) -> Self {
        let within = folder.path().parent().filter(|above| **above == *shared_folder()).map(Path::to_owned);
        Self { folder, _within: Within(within) }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// The folder that all share, if it is in that.
#[derive(Debug)]
struct Within(Option<PathBuf>);

impl Drop for Within {
    fn drop(&mut self) {
        if let Some(shared) = &self.0 {
            // What is not empty stays.
            let _ = fs::remove_dir(shared);
        }
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        if fs::read_dir(self.path()).is_err_and(|error| error.kind() == ErrorKind::PermissionDenied) {
            let _ = fs::set_permissions(self.path(), Permissions::from_mode(0o700));
        }
        let entries = fs::read_dir(self.path()).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_name() != OWNER) {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let path = entry.path();
            // The folder itself is removed next, with whatever is still in it.
            let _ = if is_folder { folder::remove_all(&path) } else { fs::remove_file(path) };
        }
    }
}

/// A new folder for the exchange folders of a run, outside the repository, 0700, gone when it is
/// dropped. It names us as its owner, so that [`super::reap_leftovers`] can tell when it is nobody's.
pub fn exchange_folder(repository: &Path) -> Result<OwnFolder, Trouble> {
    folder_of_ours(EXCHANGE_PREFIX, repository)
}

/// The same for the temporary files of verifications' commands, which may write there.
pub fn temporary_folder(repository: &Path) -> Result<OwnFolder, Trouble> {
    folder_of_ours(TEMPORARY_PREFIX, repository)
}

/// A note of folders that were made outside of the work tree, and that go if nobody has put anything into them.
#[derive(Debug)]
pub struct MadeFolders(OwnFolder);

impl MadeFolders {
    pub fn new(repository: &Path) -> Result<Self, Trouble> {
        folder_of_ours(MADE_PREFIX, repository).map(Self)
    }

    /// To be told before they are made, each behind the one that it lies in.
    pub fn add<'p>(&self, folders: impl Iterator<Item = &'p Path>) {
        let lines: Vec<u8> = folders.flat_map(|path| [path.as_os_str().as_bytes(), b"\0"].concat()).collect();
        let file =
            fs::OpenOptions::new().create(true).append(true).mode(0o600).open(self.0.path().join(MADE));
        // Without the note an empty folder may be left, and nothing else.
        let _ = file.and_then(|mut file| file.write_all(&lines));
    }
}

/// Removes what a run that was killed had made for itself, of what such a note names. What holds anything stays.
pub(super) fn forget_made(folder: &Path) {
    let is_one = folder.file_name().is_some_and(|name| name.as_bytes().starts_with(MADE_PREFIX.as_bytes()));
    if !is_one {
        return;
    }
    let bytes = regular_file::head(&folder.join(MADE), LONGEST_MADE).unwrap_or_default();
    for path in bytes.split(|byte| *byte == 0).filter(|path| !path.is_empty()).rev() {
        let _ = fs::remove_dir(Path::new(OsStr::from_bytes(path)));
    }
}

/// Where the folders of all runs of this user lie.
pub fn shared_folder() -> PathBuf {
    std::env::temp_dir().join(format!("tdd-{}", rustix::process::geteuid().as_raw()))
}

/// The same folder, made if it is not there; `None` if it can't be, or is somebody else's.
pub fn made_shared_folder() -> Option<PathBuf> {
    ready(&shared_folder()).ok()?.ok()
}

fn folder_of_ours(prefix: &str, repository: &Path) -> Result<OwnFolder, Trouble> {
    let failed = |error: io::Error| no_temporary_folder(&error);
    // Whose it is stands in its name, too: between its making and its note there may be a kill.
    let named = format!("{prefix}{}-", std::process::id());
    let new = |parent: &Path| tempfile::Builder::new().prefix(&named).tempdir_in(parent);
    let in_shared = || Ok::<_, Trouble>(ready(&shared_folder())?.and_then(|shared| new(&shared)));
    let mut made = in_shared()?;
    // The last run before us may take it along at this moment.
    for _ in 0..3 {
        if made.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            made = in_shared()?;
        }
    }
    let folder = match made {
        // It can be hidden from us by a sandbox that another run has put around us.
        Err(error) if is_closed(&error) => new(&std::env::temp_dir()),
        made => made,
    };
    let folder = folder.map_err(failed)?;
    if let Some(note) = Note::of_us(Some(repository)) {
        note.write(&folder.path().join(OWNER)).map_err(failed)?;
    }
    Ok(OwnFolder::new(folder))
}

fn is_closed(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied)
}

/// Makes the folder if it is not there. Whoever else could write to it could put there what runs would
/// take for theirs, so it must be a folder, and the user's own.
fn ready(shared: &Path) -> Result<io::Result<PathBuf>, Trouble> {
    match DirBuilder::new().mode(0o700).create(shared) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Ok(Err(error)),
        Ok(()) | Err(_) => {}
    }
    let data = match fs::symlink_metadata(shared) {
        Ok(data) => data,
        Err(error) => return Ok(Err(error)),
    };
    if !data.is_dir() || data.uid() != rustix::process::geteuid().as_raw() {
        return Err(Trouble::environment(format!("{} is no folder of yours", shared.display()))
            .because("somebody else made it, and could read and change there what runs of tdd rely on")
            .advise("remove it, or set TMPDIR to a folder that only you can write to"));
    }
    if data.mode() & 0o077 != 0
        && let Err(error) = fs::set_permissions(shared, Permissions::from_mode(0o700))
    {
        return Ok(Err(error));
    }
    Ok(Ok(shared.to_owned()))
}

pub fn no_temporary_folder(error: &io::Error) -> Trouble {
    Trouble::environment("no temporary folder can be made")
        .because(error)
        .advise("check TMPDIR and free space")
}

/// An empty folder for a copy of a tree, gone when it is dropped.
#[derive(Debug)]
pub struct CopyFolder {
    path: PathBuf,
    /// It or its parent is what goes.
    _going: OwnFolder,
    /// The repository's file system is another one.
    pub is_far: bool,
}

impl CopyFolder {
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Makes a folder for a copy of a tree: beside the repository, where tools that look upwards find what they
/// would find from the tree, if files can be made there and it is the same file system; else in the
/// temporary folder. No part of its path begins with a dot unless one of the repository's own does: what
/// serves or searches files may refuse such a folder.
pub fn copy_folder(repository: &Path) -> Result<CopyFolder, Trouble> {
    let failed = |error: io::Error| no_temporary_folder(&error);
    let device = |path: &Path| fs::metadata(path).map(|data| data.dev()).ok();
    let near = repository.parent().filter(|parent| device(parent) == device(repository));
    if let Some(parent) = near {
        match tempfile::Builder::new().prefix(COPY_PREFIX).tempdir_in(parent) {
            Ok(folder) => {
                let note = folder.path().join(COPY_OWNER);
                note.parent().map_or(Ok(()), fs::create_dir).map_err(failed)?;
                if let Some(us) = Note::of_us(Some(repository)) {
                    us.write(&note).map_err(failed)?;
                }
                return Ok(CopyFolder {
                    path: folder.path().to_owned(),
                    _going: OwnFolder::new(folder),
                    is_far: false,
                });
            }
            Err(error) if is_closed(&error) => {}
            Err(error) => return Err(failed(error)),
        }
    }
    let going = temporary_folder(repository)?;
    let name = repository.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.trim_start_matches('.');
    let path = going.path().join(if name.is_empty() { "tree" } else { name });
    fs::create_dir(&path).map_err(failed)?;
    if below_a_dot_folder(going.path()) && !below_a_dot_folder(repository) {
        return Err(Trouble::environment(format!("no place for a copy of the tree: {}", path.display()))
            .because("a folder of that path begins with a dot, and the repository's parent folder can't be written")
            .advise("set TMPDIR to a folder that lies below no such folder"));
    }
    Ok(CopyFolder { is_far: device(&path) != device(repository), path, _going: going })
}

fn below_a_dot_folder(path: &Path) -> bool {
    path.iter().any(|part| part.as_encoded_bytes().starts_with(b"."))
}

/// Removes folders that were made by processes which are gone, and got no note before that, or one without a word:
/// nothing else is in them.
pub(super) fn remove_unnoted() {
    remove_unnoted_in(&shared_folder());
}

fn remove_unnoted_in(shared: &Path) {
    for entry in fs::read_dir(shared).into_iter().flatten().flatten().take(MOST_FOLDERS) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let handed = [EXCHANGE_PREFIX, TEMPORARY_PREFIX, MADE_PREFIX];
        let rest = handed.iter().find_map(|prefix| name.strip_prefix(prefix));
        let maker = rest.and_then(|rest| rest.split_once('-')?.0.parse::<i32>().ok());
        let is_at_work = |pid| Named::of(pid).is_some_and(Named::is_alive);
        if maker.is_some_and(|pid| !is_at_work(pid)) {
            let note = entry.path().join(OWNER);
            if note.symlink_metadata().is_ok_and(|data| data.is_file() && data.len() == 0) {
                let _ = fs::remove_file(note);
            }
            // One that holds anything stays.
            let _ = fs::remove_dir(entry.path());
        }
    }
    let _ = fs::remove_dir(shared);
}

/// The folders that runs on this work tree made, each with its note.
pub(super) fn of_runs(repository: &Path) -> Vec<(Note, PathBuf)> {
    let us = rustix::process::geteuid().as_raw();
    let is_ours =
        |path: &PathBuf| path.symlink_metadata().is_ok_and(|data| data.is_dir() && data.uid() == us);
    let below = |folder: PathBuf, prefixes: &'static [&'static str], owner: &'static str| {
        let named = move |path: &PathBuf| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            prefixes.iter().any(|prefix| name.starts_with(prefix))
        };
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_FOLDERS);
        let paths = entries.map(|entry| entry.path()).filter(named).filter(is_ours);
        paths.filter_map(move |path| Some((Note::read(&path.join(owner))?, path)))
    };
    let handed: &[&str] = &[EXCHANGE_PREFIX, TEMPORARY_PREFIX, MADE_PREFIX];
    let shared = below(shared_folder(), handed, OWNER).chain(below(std::env::temp_dir(), handed, OWNER));
    let beside = repository.parent().map(Path::to_owned).into_iter();
    let copies = beside.flat_map(|parent| below(parent, &[COPY_PREFIX], COPY_OWNER));
    shared.chain(copies).filter(|(note, _)| note.repository.as_deref() == Some(repository)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_that_all_share_is_the_users_own_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let shared = folder.path().join("tdd-1");
        assert_eq!(ready(&shared).unwrap().unwrap(), shared, "made");
        fs::set_permissions(&shared, Permissions::from_mode(0o777)).unwrap();
        ready(&shared).unwrap().unwrap();
        assert_eq!(fs::metadata(&shared).unwrap().mode() & 0o777, 0o700, "closed to others");
        fs::remove_dir(&shared).unwrap();
        let theirs = folder.path().join("theirs");
        fs::create_dir(&theirs).unwrap();
        std::os::unix::fs::symlink(&theirs, &shared).unwrap();
        let refused = ready(&shared).unwrap_err();
        assert!(refused.to_string().contains("no folder of yours"), "{refused}");
        fs::remove_file(&shared).unwrap();
        fs::write(&shared, "").unwrap();
        assert!(ready(&shared).is_err(), "a file");
    }

    #[test]
    fn a_folder_whose_maker_was_killed_before_its_note_was_written_goes() {
        if Note::of_us(None).is_none() {
            println!("skipped: no /proc");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let make = |name: String, files: &[(&str, &str)]| {
            let path = folder.path().join(name);
            fs::create_dir(&path).unwrap();
            for (name, text) in files {
                fs::write(path.join(name), text).unwrap();
            }
            path
        };
        // Above what ids of processes go up to.
        let dead = |rest: &str| format!("{EXCHANGE_PREFIX}5000000-{rest}");
        let gone = [make(dead("a"), &[]), make(dead("b"), &[(OWNER, "")])];
        let kept = [
            make(dead("c"), &[(OWNER, "{}")]),
            make(dead("d"), &[(OWNER, ""), ("prompt.md", "x")]),
            make(format!("{EXCHANGE_PREFIX}{}-e", std::process::id()), &[(OWNER, "")]),
        ];
        remove_unnoted_in(folder.path());
        assert!(gone.iter().all(|path| !path.exists()));
        assert!(kept.iter().all(|path| path.exists()));
    }

    #[test]
    fn a_copy_lies_beside_the_repository_and_goes() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let repository = root.join("repo");
        fs::create_dir(&repository).unwrap();
        let copy = copy_folder(&repository).unwrap();
        let path = copy.path().to_owned();
        assert_eq!((path.parent(), copy.is_far), (Some(root.as_path()), false));
        if Note::of_us(None).is_some() {
            let found = of_runs(&repository);
            assert!(found.iter().any(|(_, found)| *found == path), "{found:?}");
            assert!(of_runs(&root).is_empty(), "another repository's");
        }
        drop(copy);
        assert!(!path.exists());
    }

    #[test]
    fn only_names_that_begin_with_a_dot_are_dot_folders() {
        for (path, want) in [("/a/.tdd/x", true), ("/a/.x", true), ("/a/b.c", false), ("/", false)] {
            assert_eq!(below_a_dot_folder(Path::new(path)), want, "{path}");
        }
    }
}
