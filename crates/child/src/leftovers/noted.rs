//! The notes of children that live.
//!
//! A run starts some thousand children and has a handful at a time. So the file of one that is gone
//! is emptied and kept for the next: making a file is the dearest thing that a note takes. It is the
//! open file that is written again, and only while it still lies where it was made, because a child
//! could put a link to something else in its place.
#![expect(clippy::disallowed_methods, reason = "a note is a file")]

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::note::Note;
use crate::run_folder::{CANARIES, CHILDREN};

/// Files that are kept open for later children.
const MOST_KEPT: usize = 8;

/// A process works on one run.
static NOTES: Mutex<Notes> = Mutex::new(Notes { run: None, empty: Vec::new(), made: 0 });

#[derive(Debug)]
struct Notes {
    /// The run's folder.
    run: Option<PathBuf>,
    empty: Vec<Place>,
    /// Files so far, for their names.
    made: u64,
}

/// A file for one note after the other.
#[derive(Debug)]
struct Place {
    path: PathBuf,
    file: File,
}

impl Place {
    fn is_there(&self) -> bool {
        let same = |here: fs::Metadata, open: fs::Metadata| {
            (here.dev(), here.ino(), here.nlink()) == (open.dev(), open.ino(), 1)
        };
        let here = self.path.symlink_metadata();
        here.and_then(|here| Ok(same(here, self.file.metadata()?))).unwrap_or(false)
    }
}

/// Children are noted until it is dropped.
#[derive(Debug)]
#[must_use = "children are noted until it is dropped"]
pub struct NotingChildren(());

/// From now on every child of this process is noted in the run's folder as long as it lives. Call
/// it once the folder is there and before the first child. That a note can't be written keeps no
/// child from starting: it is for an accident that may never happen.
pub fn note_children_in(run_dir: &Path) -> NotingChildren {
    with_notes(|notes| notes.run = Some(run_dir.to_owned()));
    NotingChildren(())
}

impl Drop for NotingChildren {
    fn drop(&mut self) {
        let empty = with_notes(|notes| {
            notes.run = None;
            std::mem::take(&mut notes.empty)
        });
        for place in empty {
            let _ = fs::remove_file(place.path);
        }
    }
}

fn with_notes<T>(use_them: impl FnOnce(&mut Notes) -> T) -> T {
    use_them(&mut NOTES.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Where this run's canaries are noted.
pub(super) fn folder_of_canaries() -> Option<PathBuf> {
    with_notes(|notes| notes.run.as_deref().map(|run| run.join(CANARIES)))
}

/// The note of one child; dropping it empties the file.
#[derive(Debug)]
pub struct Noted(Option<Place>);

impl Noted {
    /// Notes a child that was just forked and not yet waited for.
    pub fn child(pid: i32) -> Self {
        let Some(run) = with_notes(|notes| notes.run.clone()) else { return Self(None) };
        let Some(note) = Note::of_child(pid) else { return Self(None) };
        while let Some(place) = with_notes(|notes| notes.empty.pop()) {
            if place.is_there() && note.write_into(&place.file).is_ok() {
                return Self(Some(place));
            }
        }
        let folder = run.join(CHILDREN);
        let _ = fs::create_dir(&folder);
        let number = with_notes(|notes| {
            notes.made += 1;
            notes.made
        });
        // The number is ours alone: another process may have worked on the same run.
        let path = folder.join(format!("{}-{number}", std::process::id()));
        Self(note.write(&path).ok().map(|file| Place { path, file }))
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        let Some(place) = self.0.take() else { return };
        let emptied = place.file.set_len(0).is_ok();
        let left = with_notes(|notes| {
            if emptied && notes.run.is_some() && notes.empty.len() < MOST_KEPT {
                notes.empty.push(place);
                return None;
            }
            Some(place)
        });
        if let Some(place) = left {
            let _ = fs::remove_file(place.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files of notes that are empty, and the others.
    fn files(run: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let files = fs::read_dir(run.join(CHILDREN)).unwrap().map(|entry| entry.unwrap().path());
        files.partition(|path| fs::read(path).unwrap().is_empty())
    }

    #[test]
    fn the_file_of_a_note_is_used_again_unless_something_else_lies_there() {
        let us = std::process::id().cast_signed();
        if Note::of_child(us).is_none() {
            println!("skipped: no /proc");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let noting = note_children_in(folder.path());
        drop(Noted::child(us));
        let [first] = files(folder.path()).0.try_into().unwrap();
        let noted = Noted::child(us);
        assert_eq!(files(folder.path()).1, std::slice::from_ref(&first), "written again");
        assert!(Note::read(&first).is_some());
        drop(noted);

        let victim = folder.path().join("victim");
        fs::write(&victim, "").unwrap();
        fs::remove_file(&first).unwrap();
        fs::hard_link(&victim, &first).unwrap();
        let noted = Noted::child(us);
        let [second] = files(folder.path()).1.try_into().unwrap();
        assert_ne!(second, first);
        assert_eq!(fs::read(&victim).unwrap(), b"");

        drop(noting);
        drop(noted);
        assert!(!second.exists(), "nothing is left when nobody is noted any more");
    }
}
