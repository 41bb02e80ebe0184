//! Edits below a folder that never leave it: every part of a path is opened by itself without
//! following links, and a file is never written in place but put there whole under its name.
//! So a link that a child planted is replaced and not written through, and a file that shares
//! its inode with another name (a hard link) leaves that other name alone.
//!
//! What its owner may not read or enter is opened for as long as it has to be, and noted: who knows that it
//! was so before any child closes it again ([`Tree::close_again`]).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{DirEntry, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};
use tdd_child::folder;

/// The beginning of the name of a file that is on its way to its own; then come our process id and a
/// number. Whoever takes the lock after we were killed removes them by it.
pub(super) const TEMPORARY: &str = ".tdd-put-";

/// What it takes to look into a folder.
const LOOK: Mode = Mode::RUSR.union(Mode::XUSR);

/// A folder whose contents are to be edited.
#[derive(Debug)]
pub struct Tree {
    root: OwnedFd,
    path: PathBuf,
    /// What was opened, with the permissions that it had; the tree's top has an empty path.
    opened: RefCell<BTreeMap<Vec<u8>, u32>>,
}

/// An open folder of the tree, and its path.
struct Place<'p> {
    folder: OwnedFd,
    path: &'p [u8],
}

/// Which permissions a file gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permissions {
    /// What the umask leaves of read and write for all.
    Plain,
    /// The same, and execute.
    Executable,
    /// These bits.
    Exact(u32),
}

/// What to do about a parent that is missing or is no folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Missing {
    Make,
    Stop,
}

impl Tree {
    /// Opens the folder itself; that it is no link is the caller's concern.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = retry_on_intr(|| rustix::fs::openat(CWD, path, flags, Mode::empty()))?;
        Ok(Self { root, path: path.to_owned(), opened: RefCell::default() })
    }

    /// Every entry of a folder; none if there is none, or it belongs to somebody else and is empty to us, as it is
    /// to git.
    pub fn entries(&self, path: &[u8]) -> io::Result<Vec<DirEntry>> {
        let full = self.path.join(OsStr::from_bytes(path));
        let is_denied = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
        let listed = folder::entries_if_any(&full);
        let is_closed = match &listed {
            // What may be listed and not entered tells names alone.
            Ok(entries) => {
                entries.first().is_some_and(|one| one.metadata().is_err_and(|error| is_denied(&error)))
            }
            Err(error) => is_denied(error),
        };
        if !is_closed || self.open_up(path, LOOK).is_err() {
            return if listed.as_ref().is_err_and(is_denied) { Ok(Vec::new()) } else { listed };
        }
        folder::entries_if_any(&full)
    }

    /// Gives what was opened the permissions that it had, where that `was_so` before.
    pub fn close_again(&self, mut was_so: impl FnMut(&[u8], u32) -> bool) {
        // The way to what lies in a folder that somebody closed meanwhile opens that: it comes in the next round.
        while !self.opened.borrow().is_empty() {
            // What lies in a folder is closed before the folder.
            for (path, mode) in self.opened.take().into_iter().rev() {
                if was_so(&path, mode) {
                    let _ = self.give_mode(&path, Mode::from_raw_mode(mode));
                }
            }
        }
    }

    /// Gives the owner what he lacks of `wanted`, and notes what there was.
    fn open_up(&self, path: &[u8], wanted: Mode) -> io::Result<()> {
        let about = match self.parent(path, Missing::Stop)? {
            Some((place, name)) => rustix::fs::statat(&place.folder, name, AtFlags::SYMLINK_NOFOLLOW)?,
            None => rustix::fs::fstat(&self.root)?,
        };
        let mode = Mode::from_raw_mode(about.st_mode & 0o7777);
        if mode.contains(wanted) {
            // It is not that which keeps us out.
            return Err(Errno::ACCESS.into());
        }
        self.give_mode(path, mode | wanted)?;
        self.opened.borrow_mut().entry(path.to_vec()).or_insert(mode.as_raw_mode());
        Ok(())
    }

    fn give_mode(&self, path: &[u8], mode: Mode) -> io::Result<()> {
        let Some((place, name)) = self.parent(path, Missing::Stop)? else {
            return Ok(rustix::fs::fchmod(&self.root, mode)?);
        };
        let about = rustix::fs::statat(&place.folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if rustix::fs::FileType::from_raw_mode(about.st_mode).is_symlink() {
            return Ok(());
        }
        Ok(rustix::fs::chmodat(&place.folder, name, mode, AtFlags::empty())?)
    }

    /// Tries again with the owner's rights on the folder, if they were missing.
    fn retried<T>(&self, place: &Place<'_>, action: impl Fn() -> Result<T, Errno>) -> Result<T, Errno> {
        self.entered(place, Mode::RWXU, action)
    }

    /// The same for what changes nothing.
    fn looked<T>(&self, place: &Place<'_>, action: impl Fn() -> Result<T, Errno>) -> Result<T, Errno> {
        self.entered(place, LOOK, action)
    }

    fn entered<T>(
        &self,
        place: &Place<'_>,
        wanted: Mode,
        action: impl Fn() -> Result<T, Errno>,
    ) -> Result<T, Errno> {
        match action() {
            Err(Errno::ACCESS) if self.open_up(place.path, wanted).is_ok() => action(),
            other => other,
        }
    }

    /// Removes a file, link or special file, and the folders that are empty without it. What is
    /// not there, or only there through a link, needs no removing. A folder stays.
    pub fn remove(&self, path: &[u8]) -> io::Result<()> {
        let Some((place, name)) = self.parent(path, Missing::Stop)? else { return Ok(()) };
        match self.retried(&place, || rustix::fs::unlinkat(&place.folder, name, AtFlags::empty())) {
            Ok(()) => {}
            Err(Errno::NOENT | Errno::ISDIR | Errno::PERM | Errno::NOTDIR) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        drop(place);
        self.prune(path);
        Ok(())
    }

    /// Renames what stands at `from`; both are in the same folder.
    pub fn rename_beside(&self, from: &[u8], to: &str) -> io::Result<()> {
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        let (place, name) = self.parent(from, Missing::Stop)?.ok_or_else(gone)?;
        let folder = &place.folder;
        Ok(self.retried(&place, || rustix::fs::renameat(folder, name, folder, to))?)
    }

    /// Removes a file or link, and no folder above it.
    pub fn remove_alone(&self, path: &[u8]) -> io::Result<()> {
        let Some((place, name)) = self.parent(path, Missing::Stop)? else { return Ok(()) };
        Ok(self.retried(&place, || rustix::fs::unlinkat(&place.folder, name, AtFlags::empty()))?)
    }

    /// Removes whatever stands at `path`, a folder with all that is in it.
    pub fn clear(&self, path: &[u8]) -> io::Result<()> {
        let Some((place, name)) = self.parent(path, Missing::Stop)? else { return Ok(()) };
        self.clear_name(&place, name, path)
    }

    /// Puts a regular file at `path`; `fill` writes its bytes. Folders are made as needed, and
    /// whatever stands in the way gives way.
    pub fn put_file(
        &self,
        path: &[u8],
        permissions: Permissions,
        fill: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<()> {
        let Some((place, name)) = self.parent(path, Missing::Make)? else { return Ok(()) };
        let bits = match permissions {
            Permissions::Plain => 0o666,
            Permissions::Executable => 0o777,
            Permissions::Exact(bits) => bits & 0o700 | 0o600,
        };
        let temporary = temporary_name();
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = || {
            retry_on_intr(|| rustix::fs::openat(&place.folder, &*temporary, flags, Mode::from_raw_mode(bits)))
        };
        let mut target = File::from(self.retried(&place, open)?);
        let mut written = fill(&mut target);
        if let Permissions::Exact(bits) = permissions {
            written = written.and_then(|()| target.set_permissions(std::fs::Permissions::from_mode(bits)));
        }
        drop(target);
        let placed = written.and_then(|()| self.rename(&place, &temporary, name, path));
        if placed.is_err() {
            let _ = rustix::fs::unlinkat(&place.folder, &*temporary, AtFlags::empty());
        }
        placed
    }

    /// The permissions of the regular file at `path`, if there is one that has no other name.
    pub fn permissions(&self, path: &[u8]) -> Option<u32> {
        let (place, name) = self.parent(path, Missing::Stop).ok()??;
        let about = rustix::fs::statat(&place.folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let is_file = rustix::fs::FileType::from_raw_mode(about.st_mode).is_file();
        (is_file && about.st_nlink == 1).then_some(about.st_mode & 0o7777)
    }

    /// Changes the permissions of the regular file at `path` and nothing else of it.
    pub fn set_permissions(&self, path: &[u8], bits: u32) -> io::Result<()> {
        let file = self.read_file(path)?;
        file.set_permissions(std::fs::Permissions::from_mode(bits))
    }

    /// Makes a folder where nothing stands, and gives one that is there these permissions. What is no folder
    /// stays as it is.
    pub fn put_folder(&self, path: &[u8], bits: u32) -> io::Result<()> {
        let Some((place, name)) = self.parent(path, Missing::Stop)? else { return Ok(()) };
        let folder = &place.folder;
        match self.retried(&place, || rustix::fs::mkdirat(folder, name, Mode::from_raw_mode(0o777))) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(folder, name, flags, Mode::empty()) {
            Ok(made) => Ok(rustix::fs::fchmod(made, Mode::from_raw_mode(bits))?),
            Err(Errno::NOTDIR | Errno::LOOP | Errno::MLINK | Errno::ACCESS) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Puts a symbolic link at `path`.
    pub fn put_link(&self, path: &[u8], target: &[u8]) -> io::Result<()> {
        let Some((place, name)) = self.parent(path, Missing::Make)? else { return Ok(()) };
        let temporary = temporary_name();
        let target = OsStr::from_bytes(target);
        self.retried(&place, || rustix::fs::symlinkat(target, &place.folder, &*temporary))?;
        let placed = self.rename(&place, &temporary, name, path);
        if placed.is_err() {
            let _ = rustix::fs::unlinkat(&place.folder, &*temporary, AtFlags::empty());
        }
        placed
    }

    /// Opens the file at `path` for reading if it is a regular one that is reached through real
    /// folders. A file that its owner may not read is made readable.
    pub fn read_file(&self, path: &[u8]) -> io::Result<File> {
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        let (place, name) = self.parent(path, Missing::Stop)?.ok_or_else(gone)?;
        // NONBLOCK, because a FIFO that took the file's place a moment ago must not hold us.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let open = || retry_on_intr(|| rustix::fs::openat(&place.folder, name, flags, Mode::empty()));
        let file = match self.looked(&place, open) {
            Err(Errno::ACCESS) => {
                self.open_up(path, Mode::RUSR)?;
                open()?
            }
            other => other?,
        };
        let file = File::from(file);
        if file.metadata()?.is_file() { Ok(file) } else { Err(gone()) }
    }

    /// The target of the link at `path`, if it is one and is reached through real folders.
    pub fn read_link(&self, path: &[u8]) -> io::Result<Vec<u8>> {
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        let (place, name) = self.parent(path, Missing::Stop)?.ok_or_else(gone)?;
        let read = || rustix::fs::readlinkat(&place.folder, name, Vec::new());
        Ok(self.looked(&place, read)?.into_bytes())
    }

    /// The folder that holds `path`, and the last part of it. `None` if there is no such folder
    /// and none was to be made, or the path is empty.
    fn parent<'p>(&self, path: &'p [u8], missing: Missing) -> io::Result<Option<(Place<'p>, &'p OsStr)>> {
        let slash = path.iter().rposition(|byte| *byte == b'/');
        let (above, name) = slash.map_or((&path[..0], path), |at| (&path[..at], &path[at + 1..]));
        if name.is_empty() {
            return Ok(None);
        }
        let mut place = Place { folder: self.root.try_clone()?, path: &path[..0] };
        let ends = above.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        for end in ends.chain((!above.is_empty()).then_some(above.len())) {
            match self.step(&place, &path[..end], missing)? {
                Some(folder) => place = Place { folder, path: &path[..end] },
                None => return Ok(None),
            }
        }
        Ok(Some((place, OsStr::from_bytes(name))))
    }

    /// One step down to `path`, never through a link.
    fn step(&self, place: &Place<'_>, path: &[u8], missing: Missing) -> io::Result<Option<OwnedFd>> {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let (folder, part) = (&place.folder, OsStr::from_bytes(name));
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = || retry_on_intr(|| rustix::fs::openat(folder, part, flags, Mode::empty()));
        let make = || -> io::Result<Option<OwnedFd>> {
            self.retried(place, || rustix::fs::mkdirat(folder, part, Mode::from_raw_mode(0o777)))?;
            Ok(Some(open()?))
        };
        match (self.looked(place, open), missing) {
            (Ok(next), _) => Ok(Some(next)),
            (Err(Errno::NOENT), Missing::Make) => make(),
            (Err(Errno::NOTDIR | Errno::LOOP | Errno::MLINK), Missing::Make) => {
                self.retried(place, || rustix::fs::unlinkat(folder, part, AtFlags::empty()))?;
                make()
            }
            (Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::MLINK), Missing::Stop) => Ok(None),
            (Err(Errno::ACCESS), _) => {
                self.open_up(path, LOOK)?;
                Ok(Some(open()?))
            }
            (Err(error), _) => Err(error.into()),
        }
    }

    fn rename(&self, place: &Place<'_>, from: &str, name: &OsStr, path: &[u8]) -> io::Result<()> {
        let folder = &place.folder;
        match rustix::fs::renameat(folder, from, folder, name) {
            Err(Errno::ISDIR | Errno::NOTDIR | Errno::EXIST | Errno::NOTEMPTY) => {
                self.clear_name(place, name, path)?;
                Ok(rustix::fs::renameat(folder, from, folder, name)?)
            }
            other => Ok(other?),
        }
    }

    fn clear_name(&self, place: &Place<'_>, name: &OsStr, path: &[u8]) -> io::Result<()> {
        match self.retried(place, || rustix::fs::unlinkat(&place.folder, name, AtFlags::empty())) {
            Ok(()) | Err(Errno::NOENT) => return Ok(()),
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
        // All parents were just opened as real folders, and no child is alive to change that.
        let full = self.path.join(OsStr::from_bytes(path));
        folder::remove_all(&full)
    }

    /// Removes the folders above `path` that are empty, the deepest first; some may be gone already.
    pub fn prune(&self, path: &[u8]) {
        let mut path = path;
        while let Some(slash) = path.iter().rposition(|byte| *byte == b'/') {
            path = &path[..slash];
            let Ok(parent) = self.parent(path, Missing::Stop) else { return };
            let Some((place, name)) = parent else { continue };
            let remove = || rustix::fs::unlinkat(&place.folder, name, AtFlags::REMOVEDIR);
            match self.retried(&place, remove) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(_) => return,
            }
        }
    }
}

/// Whether nothing lies at a path, be it that what should be a folder above it is none.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn temporary_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{TEMPORARY}{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}
