//! A terminal that a killed `tdd` left to the person as it was, and its end by the next one.
//!
//! ```text
//! $TMPDIR/tdd-<uid>/terminal-<device>.json    while a child has the terminal      Note
//! ```
//!
//! SIGKILL can't be heard, and what the child had set stays: raw mode, another screen, a reported mouse,
//! marked pastes. The next command on that terminal finds the note and puts it right. A note lies where a
//! child may write, so nothing of it is written to a terminal as it is: it holds numbers and words, and of
//! the modes only those that a terminal in use has are believed. A device's number is given to another
//! terminal when one is closed; so a terminal is the noted one only if the same session has it, or if its
//! file was made at the same time.
#![expect(clippy::disallowed_methods, reason = "a note is a file")]

use std::fs;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use rustix::fs::fstat;
use rustix::stdio::{stderr, stdin, stdout};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, OutputModes, Termios, isatty, tcgetattr, tcgetpgrp, tcsetattr,
};
use serde::{Deserialize, Serialize};

use crate::leftovers::{self, Named};
use crate::regular_file;
use crate::terminal_modes::Set;
use crate::unix::proc_table;

const VERSION: u32 = 1;
const LONGEST: u64 = 16 << 10;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    v: u32,
    /// When and where the process ids are valid.
    boot: String,
    owner: Named,
    /// Who leads the terminal's session: the person's shell.
    session: Option<Named>,
    /// The terminal's number, and when its file changed last: when it was made, or given to somebody.
    device: u64,
    made: (i64, i64),
    /// What it was before: input, output and local modes.
    modes: (u32, u32, u32),
    set: Set,
}

/// Where we are.
struct Here {
    boot: String,
    device: u64,
    made: (i64, i64),
    leader: Option<Named>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meant {
    /// Its owner lives, or can't be looked at from here.
    Nothing,
    /// A terminal that is no more.
    Gone,
    /// Ours.
    This,
}

impl Note {
    fn meant(&self, here: &Here) -> Meant {
        if self.boot != here.boot || self.owner.is_alive() {
            return Meant::Nothing;
        }
        if self.device == here.device && (self.made == here.made || self.session == here.leader) {
            return Meant::This;
        }
        // Somebody who leads the session may still sit at the terminal that was meant.
        if self.session.is_some_and(Named::is_alive) { Meant::Nothing } else { Meant::Gone }
    }
}

/// The terminal is noted as long as this lives.
#[derive(Debug)]
pub(super) struct Noted {
    path: PathBuf,
    note: Note,
}

impl Noted {
    /// Before anything is done to it. `None` where processes can't be told apart or nothing can be written:
    /// then a kill leaves the terminal to the person.
    pub(super) fn terminal(terminal: BorrowedFd<'_>) -> Option<Self> {
        let (device, made) = identity(terminal)?;
        let before = tcgetattr(terminal).ok()?;
        let note = Note {
            v: VERSION,
            boot: proc_table::boot()?,
            owner: Named::of(std::process::id().cast_signed())?,
            session: leader(),
            device,
            made,
            modes: (before.input_modes.bits(), before.output_modes.bits(), before.local_modes.bits()),
            set: Set::default(),
        };
        let noted = Self { path: place(&leftovers::made_shared_folder()?, device), note };
        noted.write();
        Some(noted)
    }

    /// What the child has set by now.
    pub(super) fn update(&mut self, set: &Set) {
        if self.note.set != *set {
            self.note.set.clone_from(set);
            self.write();
        }
    }

    /// Whole or not at all: we may be killed in the middle.
    fn write(&self) {
        let beside = self.path.with_extension("new");
        let _ = fs::remove_file(&beside);
        let Ok(text) = serde_json::to_vec(&self.note) else { return };
        if regular_file::write(&beside, text).is_ok() {
            let _ = fs::rename(&beside, &self.path);
        }
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Puts the terminal right that we are on, if a killed `tdd` has left it otherwise. Says what it did.
pub fn put_right() -> Option<String> {
    let terminal = [stderr(), stdout(), stdin()].into_iter().find(|one| isatty(one))?;
    let (device, made) = identity(terminal)?;
    let path = place(&leftovers::shared_folder(), device);
    let note = read(&path)?;
    let here = Here { boot: proc_table::boot()?, device, made, leader: leader() };
    match note.meant(&here) {
        Meant::Nothing => return None,
        Meant::Gone => {
            let _ = fs::remove_file(&path);
            return None;
        }
        // In the background it is another job's, and we would be stopped.
        Meant::This if !tcgetpgrp(terminal).is_ok_and(|group| group == rustix::process::getpgrp()) => {
            return None;
        }
        Meant::This => {}
    }
    let _ = fs::remove_file(&path);
    let was_raw = cook(terminal, &note);
    if !note.set.is_plain() {
        let _ = rustix::io::write(terminal, &note.set.undo());
    }
    (was_raw || !note.set.is_plain()).then(|| {
        "put the terminal right, which a `tdd` that was killed had left to an agent's screen".to_owned()
    })
}

/// Whether lines had to be switched on again. A shell may have done so itself.
fn cook(terminal: BorrowedFd<'_>, note: &Note) -> bool {
    let lines = LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
    let Ok(mut now) = tcgetattr(terminal) else { return false };
    if now.local_modes.contains(lines) {
        return false;
    }
    let (input, output, local) = note.modes;
    let before = LocalModes::from_bits_retain(local);
    if before.contains(lines) {
        now.local_modes = before;
        now.input_modes = InputModes::from_bits_retain(input);
        now.output_modes = OutputModes::from_bits_retain(output);
    } else {
        usual(&mut now);
    }
    tcsetattr(terminal, OptionalActions::Now, &now).is_ok()
}

/// What a terminal has when nobody wished otherwise.
fn usual(modes: &mut Termios) {
    modes.local_modes |= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
    modes.input_modes |= InputModes::ICRNL | InputModes::IXON;
    modes.output_modes |= OutputModes::OPOST | OutputModes::ONLCR;
}

/// A terminal's number, and when its file was made.
fn identity(terminal: impl AsFd) -> Option<(u64, (i64, i64))> {
    let about = fstat(terminal).ok()?;
    #[expect(clippy::useless_conversion, reason = "the types differ between systems")]
    Some((
        u64::try_from(about.st_rdev).ok()?,
        (about.st_ctime.into(), i64::try_from(about.st_ctime_nsec).ok()?),
    ))
}

fn leader() -> Option<Named> {
    let session = rustix::process::getsid(None).ok()?;
    Named::of(session.as_raw_nonzero().get())
}

fn place(folder: &Path, device: u64) -> PathBuf {
    folder.join(format!("terminal-{device}.json"))
}

fn read(path: &Path) -> Option<Note> {
    let bytes = regular_file::head_of(regular_file::open(path).ok()?, LONGEST).ok()?;
    let note: Note = serde_json::from_slice(&bytes).ok()?;
    (note.v == VERSION).then_some(note)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_terminal_of_a_dead_owner_is_meant() {
        let Some(us) = Named::of(std::process::id().cast_signed()) else {
            println!("skipped: no /proc");
            return;
        };
        let dead = Named { started: us.started + 1, ..us };
        let note = Note {
            v: VERSION,
            boot: "b".to_owned(),
            owner: dead,
            session: Some(us),
            device: 7,
            made: (1, 2),
            modes: (0, 0, 0),
            set: Set::default(),
        };
        let here = |boot: &str, device, made, leader| Here { boot: boot.to_owned(), device, made, leader };
        let ours = here("b", 7, (1, 2), Some(us));
        for (what, note, here, want) in [
            ("ours", note.clone(), &ours, Meant::This),
            ("its owner lives", Note { owner: us, ..note.clone() }, &ours, Meant::Nothing),
            ("another boot", note.clone(), &here("c", 7, (1, 2), Some(us)), Meant::Nothing),
            ("its file was touched", note.clone(), &here("b", 7, (9, 9), Some(us)), Meant::This),
            (
                "the session's leader was killed with it",
                Note { session: Some(dead), ..note.clone() },
                &ours,
                Meant::This,
            ),
            (
                "the number is another terminal's now",
                Note { session: Some(dead), made: (3, 4), ..note.clone() },
                &ours,
                Meant::Gone,
            ),
            ("somebody else's, who lives", note.clone(), &here("b", 7, (9, 9), None), Meant::Nothing),
        ] {
            assert_eq!(note.meant(here), want, "{what}");
        }
    }

    #[test]
    fn what_is_no_note_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = place(folder.path(), 7);
        for text in ["", "{}", r#"{"v":1,"boot":"b","owner":{"pid":7,"started":1},"set":{"on":["x"]}}"#] {
            fs::write(&path, text).unwrap();
            assert_eq!(read(&path), None, "{text}");
        }
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert_eq!(read(&path), None);
    }
}
