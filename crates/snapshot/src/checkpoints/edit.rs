//! Edits below a folder that never leave it: every part of a path is opened by itself without
//! following links, and a file is never written in place but put there whole under its name.
//! So a link that a child planted is replaced and not written through, and a file that shares
//! its inode with another name (a hard link) leaves that other name alone.
#![expect(clippy::disallowed_methods, reason = "this is the disk")]

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

/// The beginning of the name of a file that is on its way to its own; then come our process id and a
/// number. Whoever takes the lock after we were killed removes them by it.
pub(super) const TEMPORARY: &str = ".tdd-put-";

/// A folder whose contents are to be edited.
#[derive(Debug)]
pub struct Tree {
    root: OwnedFd,
    path: PathBuf,
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
        Ok(Self { root, path: path.to_owned() })
    }

    /// Removes a file, link or special file, and the folders that are empty without it. What is
    /// not there, or only there through a link, needs no removing. A folder stays.
    pub fn remove(&self, path: &[u8]) -> io::Result<()> {
        let Some((folder, name)) = self.parent(path, Missing::Stop)? else { return Ok(()) };
        match retried(&folder, || rustix::fs::unlinkat(&folder, name, AtFlags::empty())) {
            Ok(()) => {}
            Err(Errno::NOENT | Errno::ISDIR | Errno::PERM | Errno::NOTDIR) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        drop(folder);
        self.prune(path);
        Ok(())
    }

    /// Renames what stands at `from`; both are in the same folder.
    pub fn rename_beside(&self, from: &[u8], to: &str) -> io::Result<()> {
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        let (folder, name) = self.parent(from, Missing::Stop)?.ok_or_else(gone)?;
        Ok(retried(&folder, || rustix::fs::renameat(&folder, name, &folder, to))?)
    }

    /// Removes a file or link, and no folder above it.
    pub fn remove_alone(&self, path: &[u8]) -> io::Result<()> {
        let Some((folder, name)) = self.parent(path, Missing::Stop)? else { return Ok(()) };
        Ok(retried(&folder, || rustix::fs::unlinkat(&folder, name, AtFlags::empty()))?)
    }

    /// Removes whatever stands at `path`, a folder with all that is in it.
    pub fn clear(&self, path: &[u8]) -> io::Result<()> {
        let Some((folder, name)) = self.parent(path, Missing::Stop)? else { return Ok(()) };
        self.clear_name(&folder, name, path)
    }

    /// Puts a regular file at `path`; `fill` writes its bytes. Folders are made as needed, and
    /// whatever stands in the way gives way.
    pub fn put_file(
        &self,
        path: &[u8],
        permissions: Permissions,
        fill: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<()> {
        let Some((folder, name)) = self.parent(path, Missing::Make)? else { return Ok(()) };
        let bits = match permissions {
            Permissions::Plain => 0o666,
            Permissions::Executable => 0o777,
            Permissions::Exact(bits) => bits & 0o700 | 0o600,
        };
        let temporary = temporary_name();
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open =
            || retry_on_intr(|| rustix::fs::openat(&folder, &*temporary, flags, Mode::from_raw_mode(bits)));
        let mut target = File::from(retried(&folder, open)?);
        let mut written = fill(&mut target);
        if let Permissions::Exact(bits) = permissions {
            written = written.and_then(|()| target.set_permissions(std::fs::Permissions::from_mode(bits)));
        }
        drop(target);
        let placed = written.and_then(|()| self.rename(&folder, &temporary, name, path));
        if placed.is_err() {
            let _ = rustix::fs::unlinkat(&folder, &*temporary, AtFlags::empty());
        }
        placed
    }

    /// The permissions of the regular file at `path`, if there is one that has no other name.
    pub fn permissions(&self, path: &[u8]) -> Option<u32> {
        let (folder, name) = self.parent(path, Missing::Stop).ok()??;
        let about = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
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
        let Some((folder, name)) = self.parent(path, Missing::Stop)? else { return Ok(()) };
        match retried(&folder, || rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(0o777))) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(&folder, name, flags, Mode::empty()) {
            Ok(made) => Ok(rustix::fs::fchmod(made, Mode::from_raw_mode(bits))?),
            Err(Errno::NOTDIR | Errno::LOOP | Errno::MLINK | Errno::ACCESS) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Puts a symbolic link at `path`.
    pub fn put_link(&self, path: &[u8], target: &[u8]) -> io::Result<()> {
        let Some((folder, name)) = self.parent(path, Missing::Make)? else { return Ok(()) };
        let temporary = temporary_name();
        let target = OsStr::from_bytes(target);
        retried(&folder, || rustix::fs::symlinkat(target, &folder, &*temporary))?;
        let placed = self.rename(&folder, &temporary, name, path);
        if placed.is_err() {
            let _ = rustix::fs::unlinkat(&folder, &*temporary, AtFlags::empty());
        }
        placed
    }

    /// Opens the file at `path` for reading if it is a regular one that is reached through real
    /// folders. A file that its owner may not read is made readable.
    pub fn read_file(&self, path: &[u8]) -> io::Result<File> {
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        let (folder, name) = self.parent(path, Missing::Stop)?.ok_or_else(gone)?;
        // NONBLOCK, because a FIFO that took the file's place a moment ago must not hold us.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let open = || retry_on_intr(|| rustix::fs::openat(&folder, name, flags, Mode::empty()));
        let file = match open() {
            Err(Errno::ACCESS) => {
                let mode = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode;
                rustix::fs::chmodat(&folder, name, Mode::from_raw_mode(mode) | Mode::RUSR, AtFlags::empty())?;
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
        let (folder, name) = self.parent(path, Missing::Stop)?.ok_or_else(gone)?;
        Ok(rustix::fs::readlinkat(&folder, name, Vec::new())?.into_bytes())
    }

    /// The folder that holds `path`, and the last part of it. `None` if there is no such folder
    /// and none was to be made, or the path is empty.
    fn parent<'p>(&self, path: &'p [u8], missing: Missing) -> io::Result<Option<(OwnedFd, &'p OsStr)>> {
        let mut parts: Vec<&OsStr> = path.split(|byte| *byte == b'/').map(OsStr::from_bytes).collect();
        let Some(name) = parts.pop().filter(|name| !name.is_empty()) else { return Ok(None) };
        let mut folder = self.root.try_clone()?;
        for part in parts {
            match step(&folder, part, missing)? {
                Some(next) => folder = next,
                None => return Ok(None),
            }
        }
        Ok(Some((folder, name)))
    }

    fn rename(&self, folder: &OwnedFd, from: &str, name: &OsStr, path: &[u8]) -> io::Result<()> {
        match rustix::fs::renameat(folder, from, folder, name) {
            Err(Errno::ISDIR | Errno::NOTDIR | Errno::EXIST | Errno::NOTEMPTY) => {
                self.clear_name(folder, name, path)?;
                Ok(rustix::fs::renameat(folder, from, folder, name)?)
            }
            other => Ok(other?),
        }
    }

    fn clear_name(&self, folder: &OwnedFd, name: &OsStr, path: &[u8]) -> io::Result<()> {
        match retried(folder, || rustix::fs::unlinkat(folder, name, AtFlags::empty())) {
            Ok(()) | Err(Errno::NOENT) => return Ok(()),
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
        // All parents were just opened as real folders, and no child is alive to change that.
        let full = self.path.join(OsStr::from_bytes(path));
        match std::fs::remove_dir_all(&full) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                open_up(&full);
                std::fs::remove_dir_all(&full)
            }
            other => other,
        }
    }

    /// Removes the folders above `path` that are empty, the deepest first.
    fn prune(&self, path: &[u8]) {
        let mut path = path;
        while let Some(slash) = path.iter().rposition(|byte| *byte == b'/') {
            path = &path[..slash];
            let Ok(Some((folder, name))) = self.parent(path, Missing::Stop) else { return };
            if retried(&folder, || rustix::fs::unlinkat(&folder, name, AtFlags::REMOVEDIR)).is_err() {
                return;
            }
        }
    }
}

/// One step down, never through a link.
fn step(folder: &OwnedFd, part: &OsStr, missing: Missing) -> io::Result<Option<OwnedFd>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || retry_on_intr(|| rustix::fs::openat(folder, part, flags, Mode::empty()));
    let make = || -> io::Result<Option<OwnedFd>> {
        retried(folder, || rustix::fs::mkdirat(folder, part, Mode::from_raw_mode(0o777)))?;
        Ok(Some(open()?))
    };
    match (open(), missing) {
        (Ok(next), _) => Ok(Some(next)),
        (Err(Errno::NOENT), Missing::Make) => make(),
        (Err(Errno::NOTDIR | Errno::LOOP | Errno::MLINK), Missing::Make) => {
            retried(folder, || rustix::fs::unlinkat(folder, part, AtFlags::empty()))?;
            make()
        }
        (Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::MLINK), Missing::Stop) => Ok(None),
        (Err(Errno::ACCESS), _) => {
            // A child may have taken the owner's rights away; they are put back.
            rustix::fs::chmodat(folder, part, Mode::from_raw_mode(0o755), AtFlags::empty())?;
            Ok(Some(open()?))
        }
        (Err(error), _) => Err(error.into()),
    }
}

/// Tries again with the owner's rights on the folder restored, if they were missing.
fn retried<T>(folder: &OwnedFd, action: impl Fn() -> Result<T, Errno>) -> Result<T, Errno> {
    match action() {
        Err(Errno::ACCESS) => {
            let mode = Mode::from_raw_mode(rustix::fs::fstat(folder)?.st_mode);
            rustix::fs::fchmod(folder.as_fd(), mode | Mode::RWXU)?;
            action()
        }
        other => other,
    }
}

/// Gives the owner all rights on a folder and the folders in it.
fn open_up(path: &Path) {
    let mut waiting = vec![path.to_owned()];
    while let Some(folder) = waiting.pop() {
        let _ = std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700));
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        waiting.extend(folders.map(|entry| entry.path()));
    }
}

fn temporary_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{TEMPORARY}{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}
