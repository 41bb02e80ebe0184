//! Where a test's log goes, and what is in it afterwards.
#![expect(clippy::disallowed_methods, reason = "logs lie on the disk")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::discovery::Test;
use tdd_child::leftovers::Named;
use tdd_child::regular_file;
use tdd_core::harmless;
use tdd_spec::mdtest;
use tdd_spec::mdtest::log::{self, Extent, HEAD, LogError, Word};

/// Names that are tried before it is given up.
const TRIES: usize = 10_000;

/// How the name ends that keeps a log's.
const TAKEN: &str = ".taken";
/// More bytes than its owner's number takes.
const LONGEST_OWNER: u64 = 256;

/// The path of one test's log, ours alone until this is dropped.
///
/// The log itself is for the agent to make: some programs refuse to write over a file that they have
/// not read. So what is taken is a name beside it, which keeps other suites and jobs away.
#[derive(Debug)]
pub(super) struct LogPlace {
    path: PathBuf,
    taken: PathBuf,
}

/// Why a log does not count.
#[derive(Debug)]
pub(super) struct Unread {
    pub(super) why: String,
    pub(super) line: Option<usize>,
}

impl LogPlace {
    /// Finds the first free name, and makes the folder if it is missing. `timestamp` is UTC,
    /// `YYYY-MM-DDTHH-MM-SSZ`. `Err` says why the test can't have a log.
    pub(super) fn take(test: &Test, timestamp: &str) -> Result<Self, String> {
        let name = test.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let folder = test.path.parent().unwrap_or(Path::new("/")).join(mdtest::log_folder(&name));
        let unusable =
            |error: io::Error| format!("its log folder {} can't be used: {error}", folder.display());
        match fs::symlink_metadata(&folder) {
            Ok(about) if about.is_dir() => {}
            Ok(_) => return Err(unusable(io::ErrorKind::NotADirectory.into())),
            Err(_) => match fs::create_dir(&folder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(unusable(error)),
                Ok(()) | Err(_) => {}
            },
        }
        remove_left(&folder);
        for name in mdtest::log_names(timestamp).take(TRIES) {
            let path = folder.join(&name);
            let taken = folder.join(format!(".{name}{TAKEN}"));
            match fs::OpenOptions::new().write(true).create_new(true).open(&taken) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(unusable(error)),
                Ok(mut file) => {
                    let place = Self { path, taken };
                    let owner = Named::of(std::process::id().cast_signed());
                    // Without its owner it is one that nobody removes.
                    let _ = owner.and_then(|owner| serde_json::to_writer(&mut file, &owner).ok());
                    if fs::symlink_metadata(&place.path).is_err() {
                        return Ok(place);
                    }
                }
            }
        }
        Err(unusable(io::Error::other("no free name for a log is left in it")))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What the log says; only its head is read. A link or a pipe in its place is not opened: the
    /// agent could make us read anything, or wait for ever.
    pub(super) fn read(&self) -> Result<Word, Unread> {
        let unread = |why: String| Unread { why: format!("read log: {why}"), line: None };
        let file = regular_file::open(&self.path).map_err(|error| match (error.kind(), self.stray()) {
            (io::ErrorKind::NotFound, Some(stray)) => {
                unread(format!("no log was written to its path, but there is a new one beside it: {stray}"))
            }
            (io::ErrorKind::NotFound, None) => unread("no log was written to its path".to_owned()),
            _ if fs::symlink_metadata(&self.path).is_ok_and(|about| about.is_symlink()) => {
                unread("a link was put in its place".to_owned())
            }
            _ => unread(error.to_string()),
        })?;
        let about = file.metadata().map_err(|error| unread(error.to_string()))?;
        let head = regular_file::head_of(file, HEAD as u64).map_err(|error| unread(error.to_string()))?;
        let extent = if about.len() > head.len() as u64 { Extent::Head } else { Extent::Whole };
        log::read(&head, extent)
            .map_err(|error: LogError| Unread { why: error.to_string(), line: error.line })
    }

    /// A file in the log's folder that is younger than the taken name and is nobody's log: the agent
    /// may have misread its path.
    fn stray(&self) -> Option<String> {
        let since = fs::metadata(&self.taken).and_then(|about| about.modified()).ok()?;
        let folder = self.path.parent()?;
        let entries = fs::read_dir(folder).ok()?.flatten().take(TRIES);
        let mut names = entries.filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let young = entry.metadata().and_then(|about| about.modified()).is_ok_and(|time| time >= since);
            let is_taken = folder.join(format!(".{name}{TAKEN}")).exists();
            (young && !name.starts_with('.') && !is_taken).then_some(name)
        });
        names.next().map(|name| harmless::short(&name, 100))
    }
}

impl Drop for LogPlace {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.taken);
    }
}

/// Removes the names that were taken by a process which was killed.
fn remove_left(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(TRIES) {
        let name = entry.file_name();
        let is_taken = name.to_str().is_some_and(|name| name.starts_with('.') && name.ends_with(TAKEN));
        let read = || regular_file::head(&entry.path(), LONGEST_OWNER).ok();
        let owner =
            is_taken.then(read).flatten().and_then(|text| serde_json::from_slice::<Named>(&text).ok());
        if owner.is_some_and(|owner| owner.pid > 1 && !owner.is_alive()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use tdd_core::mdtest::Status;

    const NOW: &str = "2026-02-11T08-30-00Z";

    fn test() -> (tempfile::TempDir, Test) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("checkout.test.md");
        fs::write(&path, "").unwrap();
        (dir, Test { name: "checkout.test.md".to_owned(), path, obstacle: None, print: None })
    }

    fn name(place: &LogPlace) -> String {
        place.path().file_name().unwrap().to_string_lossy().into_owned()
    }

    #[test]
    fn collision_suffix() {
        let (dir, test) = test();
        let first = LogPlace::take(&test, NOW).unwrap();
        assert_eq!(first.path(), dir.path().join("checkout.logs/2026-02-11T08-30-00Z.log.md"));
        let second = LogPlace::take(&test, NOW).unwrap();
        assert_eq!(name(&second), "2026-02-11T08-30-00Z-1.log.md", "the first one's name is taken");
        fs::write(first.path(), "").unwrap();
        drop(first);
        drop(second);
        let third = LogPlace::take(&test, NOW).unwrap();
        assert_eq!(name(&third), "2026-02-11T08-30-00Z-1.log.md", "the first one's log is there");
        drop(third);
        let left: Vec<_> = fs::read_dir(dir.path().join("checkout.logs")).unwrap().flatten().collect();
        assert_eq!(left.len(), 1, "nothing is left but the log: {left:?}");
    }

    #[test]
    fn a_name_that_a_killed_process_has_taken_is_free_again() {
        let (dir, test) = test();
        drop(LogPlace::take(&test, NOW).unwrap());
        let taken = dir.path().join("checkout.logs").join(format!(".{NOW}.log.md.taken"));
        let us = Named::of(std::process::id().cast_signed()).unwrap();
        // The same number of an earlier process.
        let gone = Named { started: us.started + 1, ..us };
        for (owner, is_free) in [(gone, true), (us, false)] {
            fs::write(&taken, serde_json::to_vec(&owner).unwrap()).unwrap();
            let place = LogPlace::take(&test, NOW).unwrap();
            assert_eq!(name(&place) == format!("{NOW}.log.md"), is_free, "{owner:?}");
        }
        assert!(taken.exists());
    }

    #[test]
    fn a_log_folder_that_is_none_is_told() {
        for make in [|path: &Path| fs::write(path, "").unwrap(), |path: &Path| symlink("/tmp", path).unwrap()]
        {
            let (dir, test) = test();
            make(&dir.path().join("checkout.logs"));
            assert!(LogPlace::take(&test, NOW).unwrap_err().contains("log folder"));
        }
    }

    #[test]
    fn what_is_no_log_is_not_opened() {
        let (dir, test) = test();
        let place = LogPlace::take(&test, NOW).unwrap();
        assert!(place.read().unwrap_err().why.contains("no log was written"));
        fs::write(dir.path().join("checkout.logs/mine.md"), "").unwrap();
        assert!(place.read().unwrap_err().why.contains("mine.md"));
        symlink("mine.md", place.path()).unwrap();
        assert!(place.read().unwrap_err().why.contains("link"));
        fs::remove_file(place.path()).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, place.path(), rustix::fs::Mode::RUSR).unwrap();
        assert!(place.read().unwrap_err().why.contains("regular file"));
        fs::remove_file(place.path()).unwrap();
        fs::create_dir(place.path()).unwrap();
        assert!(place.read().is_err());
    }

    #[test]
    fn a_log_of_100_mb_is_read_by_its_head() {
        let (_dir, test) = test();
        let place = LogPlace::take(&test, NOW).unwrap();
        fs::write(place.path(), "---\nstatus: pass\n---\n").unwrap();
        // A hole, so that the disk is not filled.
        fs::OpenOptions::new().append(true).open(place.path()).unwrap().set_len(100 << 20).unwrap();
        assert_eq!(place.read().unwrap().status, Status::Pass);
        fs::write(place.path(), "---\nstatus: pass\n").unwrap();
        fs::OpenOptions::new().append(true).open(place.path()).unwrap().set_len(100 << 20).unwrap();
        assert!(place.read().unwrap_err().why.contains("64 KiB"));
    }
}
