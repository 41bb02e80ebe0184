//! Who is whose child, in a small file.
//!
//! ```text
//! note = JSON {"v":1, "boot":"…", "owner":{"pid":n,"started":ticks},
//!              "child":{"pid":n,"started":ticks} | null, "repository":"…" | null}
//! ```
//!
//! Written by us where children can write too, so a reader believes none of it unless the system
//! says the same.
#![expect(clippy::disallowed_methods, reason = "a note is a file")]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::process::descendants::MARK;
use crate::regular_file;
use crate::unix::proc_table::{self, Life, Process};

const VERSION: u32 = 1;
/// A note is shorter, but for a repository's path.
const LONGEST: u64 = 16 * 1024;

/// A process, named for good as long as the system is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Named {
    pub pid: i32,
    /// Clock ticks after boot.
    pub started: u64,
}

impl Named {
    pub fn of(pid: i32) -> Option<Self> {
        proc_table::process(pid).map(|one| Self { pid, started: one.started })
    }

    /// One that has ended and that nobody waits for is not: in a container there may be nobody who ever does.
    pub fn is_alive(self) -> bool {
        let is_it = |one: &Process| one.started == self.started && one.life == Life::Alive;
        proc_table::process(self.pid).as_ref().is_some_and(is_it)
    }

    /// How the variable begins that marks all of its children.
    pub(super) fn mark(self) -> String {
        format!("{MARK}={}-{}.", self.pid, self.started)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    v: u32,
    /// When and where the process ids are valid.
    pub(super) boot: String,
    pub(super) owner: Named,
    pub(super) child: Option<Named>,
    pub(super) repository: Option<PathBuf>,
}

impl Note {
    /// `None` where processes can't be told apart.
    pub(super) fn of_us(repository: Option<&Path>) -> Option<Self> {
        let owner = Named::of(std::process::id().cast_signed())?;
        let repository = repository.map(Path::to_owned);
        Some(Self { v: VERSION, boot: proc_table::boot()?, owner, child: None, repository })
    }

    pub(super) fn of_child(pid: i32) -> Option<Self> {
        Some(Self { child: Some(Named::of(pid)?), ..Self::of_us(None)? })
    }

    /// Nobody will need what the note stands for: its owner is dead, or was of an earlier boot.
    /// Another namespace of processes can't be looked into, so its notes stay.
    pub(super) fn is_over(&self, boot: &str) -> bool {
        let same_system = self.boot.split(' ').next() == boot.split(' ').next();
        if self.boot == boot { !self.owner.is_alive() } else { !same_system }
    }

    /// In a new file, 0600, which is returned.
    pub(super) fn write(&self, path: &Path) -> io::Result<File> {
        // An older one under the same process id is nobody's any more.
        let _ = std::fs::remove_file(path);
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        self.write_into(&file)?;
        Ok(file)
    }

    /// In a file that is empty now.
    pub(super) fn write_into(&self, file: &File) -> io::Result<()> {
        let text = serde_json::to_vec(self).map_err(io::Error::other)?;
        file.write_all_at(&text, 0)
    }

    /// `None` for anything but a regular file with a note of this version.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let bytes = regular_file::head_of(regular_file::open(path).ok()?, LONGEST).ok()?;
        let note: Self = serde_json::from_slice(&bytes).ok()?;
        let is_possible = |one: Named| one.pid > 1;
        let is_ours = note.v == VERSION && is_possible(note.owner) && note.child.is_none_or(is_possible);
        is_ours.then_some(note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a container nobody may ever wait for it.
    #[test]
    fn a_process_that_has_ended_is_at_work_no_more() {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        if Note::of_us(None).is_none() {
            println!("skipped: no /proc");
            return;
        }
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let named = Named::of(child.id().cast_signed()).unwrap();
        assert!(named.is_alive());
        drop(child.stdin.take());
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(Pid::from_child(&child)), ended).unwrap();
        assert!(!named.is_alive());
        child.wait().unwrap();
    }

    #[test]
    fn a_note_is_over_when_its_owner_can_not_be_alive() {
        let Some(ours) = Note::of_us(None) else {
            println!("skipped: no /proc");
            return;
        };
        let boot = ours.boot.clone();
        let dead = Named { started: ours.owner.started + 1, ..ours.owner };
        assert!(!ours.is_over(&boot), "we live");
        assert!(Note { owner: dead, ..ours.clone() }.is_over(&boot), "our id, but another start");
        assert!(Note { boot: "earlier pid:[1]".to_owned(), ..ours.clone() }.is_over(&boot));
        let elsewhere = format!("{} pid:[1]", boot.split(' ').next().unwrap());
        assert!(!Note { boot: elsewhere, owner: dead, ..ours }.is_over(&boot), "a container's");
    }

    #[test]
    fn what_is_no_note_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("note");
        for text in [
            "",
            "{}",
            "null",
            r#"{"v":2,"boot":"b","owner":{"pid":7,"started":1},"child":null,"repository":null}"#,
            r#"{"v":1,"boot":"b","owner":{"pid":7,"started":1},"child":{"pid":1,"started":1},"repository":null}"#,
            r#"{"v":1,"boot":"b","owner":{"pid":-7,"started":1},"child":null,"repository":null}"#,
        ] {
            std::fs::write(&at, text).unwrap();
            assert_eq!(Note::read(&at), None, "{text}");
        }
        let note = Note {
            v: VERSION,
            boot: "b".to_owned(),
            owner: Named { pid: 7, started: 1 },
            child: Some(Named { pid: 8, started: 2 }),
            repository: None,
        };
        note.write(&at).unwrap();
        assert_eq!(Note::read(&at), Some(note));
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&at, &link).unwrap();
        assert_eq!(Note::read(&link), None);
        assert_eq!(Note::read(folder.path()), None);
    }
}
