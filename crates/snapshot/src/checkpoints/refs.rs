//! The refs of a repository, as git tells them, and the files that hold them.
//!
//! git is asked only when those files have changed: a ref that nobody touched need not be asked for
//! three times an attempt. The refs of the run are left out of that comparison, because `tdd` writes
//! them itself; each of them must lie in a file of its own with just the commit's name in it.
//!
//! A new ref of the run is a new file, which no other git can be about to change.
//!
//! ```text
//! for-each-ref   <name> NUL <object> NUL <the ref that it stands for, or nothing> NUL LF
//! ```
#![expect(clippy::disallowed_methods, reason = "looks at the files of refs")]

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fs::Metadata;
use std::io::Write;
use std::sync::Arc;
use std::time::SystemTime;

use super::edit::{Permissions, Tree};
use super::found::{Stamp, stamp_of};
use super::git::Git;
use super::git_files;
use super::import::settled;
use super::place::GitPlace;
use tdd_core::attempt::CheckpointId;
use tdd_core::trouble::Trouble;

/// What a ref holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RefValue {
    pub(super) object: String,
    /// For a symbolic ref, which one it stands for; else empty.
    pub(super) target: String,
}

/// Refs by their full names.
pub(super) type Refs = BTreeMap<String, RefValue>;

/// The run's own refs by their full names.
pub(super) type OurRefs = BTreeMap<String, CheckpointId>;

/// All refs whose names begin with `prefix`.
pub(super) fn refs(git: &Git, prefix: &str) -> Result<Refs, Trouble> {
    let format = "--format=%(refname)%00%(objectname)%00%(symref)%00";
    let said = if prefix.is_empty() {
        git.run(&["for-each-ref", format], b"")?
    } else {
        git.run(&["for-each-ref", format, prefix], b"")?
    };
    let said = String::from_utf8_lossy(&said);
    let mut refs = Refs::new();
    let mut parts = said.split('\0');
    while let (Some(name), Some(object), Some(target)) = (parts.next(), parts.next(), parts.next()) {
        let value = RefValue { object: object.to_owned(), target: target.to_owned() };
        refs.insert(name.trim_start_matches('\n').to_owned(), value);
    }
    Ok(refs)
}

/// Moves or makes refs: all at once, or, where one of them is in the way, one after the other.
pub(super) fn update(git: &Git, refs: &[(&String, &CheckpointId)]) -> Result<(), Trouble> {
    let mut lines = Vec::new();
    for (name, commit) in refs {
        lines.extend_from_slice(format!("update {name}\0{commit}\0\0").as_bytes());
    }
    if !refs.is_empty() && !git.ask(&["update-ref", "--no-deref", "--stdin", "-z"], &lines)?.ok {
        for (name, commit) in refs {
            git.run(&["update-ref", "--no-deref", name, &commit.0], b"")?;
        }
    }
    Ok(())
}

/// Writes a ref of the run's that is new, as git would, but without starting it, and without
/// looking whether the commit is there. `false` where that is for git to do: the refs do not lie in
/// plain files, or something has that name.
pub(super) fn write_new(place: &GitPlace, name: &str, commit: &CheckpointId) -> bool {
    let folder = &place.common_dir;
    if has_other_store(place) || std::fs::symlink_metadata(folder.join(name)).is_ok() {
        return false;
    }
    let fill = |file: &mut std::fs::File| {
        file.write_all(format!("{commit}\n").as_bytes())?;
        file.sync_all()
    };
    Tree::open(folder).and_then(|tree| tree.put_file(name.as_bytes(), Permissions::Plain, fill)).is_ok()
}

fn has_other_store(place: &GitPlace) -> bool {
    place.common_dir.join("reftable").exists()
}

/// The files that hold the refs, but the run's own, at one moment.
#[derive(Clone, Debug)]
pub(super) struct RefFiles {
    /// By path below the shared git folder.
    files: Files,
}

type Files = BTreeMap<Vec<u8>, Arc<RefFile>>;

#[derive(Debug)]
struct RefFile {
    stamp: Stamp,
    /// Whether any later change is sure to give another stamp.
    is_settled: bool,
    content: git_files::Copied,
}

impl RefFiles {
    /// Reads them, but what is in `before` with a stamp that proves it unchanged. `our_folder` is the
    /// beginning of the names of the run's refs. `None` where refs do not lie in plain files, or in
    /// more folders than one.
    pub(super) fn read(place: &GitPlace, our_folder: &str, before: Option<&Self>) -> Option<Self> {
        if has_other_store(place) || place.git_dir != place.common_dir {
            return None;
        }
        let names = ["refs", "packed-refs"];
        let left_out = our_folder.trim_end_matches('/').as_bytes();
        let found = git_files::found_outside(&place.common_dir, &names, left_out).ok()?;
        Some(Self { files: contents(place, found, before.map(|before| &before.files))? })
    }

    /// Whether they hold the same as they did in `before`.
    pub(super) fn say_the_same(&self, before: &Self) -> bool {
        let told = self.files.iter().map(|(path, file)| (path, &file.content));
        told.eq(before.files.iter().map(|(path, file)| (path, &file.content)))
    }

    /// Whether a ref has a file of its own, sound or not.
    pub(super) fn has(&self, path: &[u8]) -> bool {
        self.files.contains_key(path)
    }
}

/// The files of the run's own refs that were seen to hold what they should: a ref that gets another
/// commit gets another file. There are some for each attempt, so no list is made of them at each look.
#[derive(Debug, Default)]
pub(super) struct Sound(HashMap<OsString, Stamp>);

impl Sound {
    /// Whether of the run's own refs there are just `ours`, each in a file of its own.
    pub(super) fn are_all(&mut self, place: &GitPlace, our_folder: &str, ours: &OurRefs) -> bool {
        let now = SystemTime::now();
        let mut seen = 0;
        for entry in std::fs::read_dir(place.common_dir.join(our_folder)).into_iter().flatten() {
            let Ok((file, meta)) = entry.and_then(|entry| Ok((entry.file_name(), entry.metadata()?))) else {
                return false;
            };
            let stamp = stamp_of(&meta);
            if self.0.get(&file) != Some(&stamp) {
                let Some(name) = file.to_str().map(|file| format!("{our_folder}{file}")) else {
                    return false;
                };
                let copied = || git_files::copy_one(&place.common_dir, name.as_bytes(), &meta).ok().flatten();
                if !ours.get(&name).is_some_and(|commit| holds_just(copied(), commit)) {
                    return false;
                }
                if settled(stamp, now) {
                    self.0.insert(file, stamp);
                }
            }
            seen += 1;
        }
        seen == ours.len()
    }
}

fn holds_just(copied: Option<git_files::Copied>, commit: &CheckpointId) -> bool {
    let Some(git_files::Copied::File { bytes, .. }) = copied else { return false };
    bytes.strip_suffix(b"\n").is_some_and(|line| line == commit.0.as_bytes())
}

fn contents(place: &GitPlace, found: BTreeMap<Vec<u8>, Metadata>, known: Option<&Files>) -> Option<Files> {
    let now = SystemTime::now();
    if found.len() > git_files::MOST_FILES {
        return None;
    }
    let mut files = Files::new();
    for (path, meta) in found {
        let stamp = stamp_of(&meta);
        let known = known.and_then(|files| files.get(&path));
        let file = match known.filter(|file| file.is_settled && file.stamp == stamp) {
            Some(known) => Arc::clone(known),
            None => Arc::new(RefFile {
                stamp,
                is_settled: settled(stamp, now),
                content: git_files::copy_one(&place.common_dir, &path, &meta).ok()??,
            }),
        };
        files.insert(path, file);
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const OURS: &str = "refs/tdd/run/";
    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222";

    fn place() -> (tempfile::TempDir, GitPlace) {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        fs::create_dir_all(git.join("refs/heads")).unwrap();
        fs::write(git.join("refs/heads/main"), format!("{ONE}\n")).unwrap();
        fs::write(git.join("packed-refs"), format!("{ONE} refs/tags/v1\n")).unwrap();
        let place = GitPlace::find(folder.path()).unwrap();
        (folder, place)
    }

    fn ours(commits: &[(&str, &str)]) -> OurRefs {
        let named = |(name, commit): &(&str, &str)| (format!("{OURS}{name}"), CheckpointId((*commit).into()));
        commits.iter().map(named).collect()
    }

    #[test]
    fn what_somebody_did_to_the_files_is_seen_within_the_same_tick() {
        for (path, content) in [
            ("refs/heads/main", Some(format!("{TWO}\n"))),
            ("refs/heads/main", None),
            ("refs/heads/new", Some(format!("{ONE}\n"))),
            ("packed-refs", Some(format!("{TWO} refs/tags/v1\n"))),
            ("packed-refs", None),
            ("refs/tdd/run/good", Some(format!("{TWO}\n"))),
            ("refs/tdd/run/good", None),
            ("refs/tdd/run/new", Some(format!("{ONE}\n"))),
        ] {
            let (_folder, place) = place();
            let ours = ours(&[("good", ONE)]);
            assert!(write_new(&place, "refs/tdd/run/good", &CheckpointId(ONE.into())));
            let before = RefFiles::read(&place, OURS, None).unwrap();
            let again = RefFiles::read(&place, OURS, Some(&before)).unwrap();
            let mut sound = Sound::default();
            assert!(again.say_the_same(&before), "nothing was done");
            assert!(sound.are_all(&place, OURS, &ours) && sound.are_all(&place, OURS, &ours));
            let at = place.common_dir.join(path);
            match &content {
                Some(content) => fs::write(&at, content).unwrap(),
                None => fs::remove_file(&at).unwrap(),
            }
            let after = RefFiles::read(&place, OURS, Some(&again)).unwrap();
            let is_ours = path.starts_with(OURS);
            assert_eq!(after.say_the_same(&again), is_ours, "{path}: {content:?}");
            assert_eq!(sound.are_all(&place, OURS, &ours), !is_ours, "{path}: {content:?}");
        }
    }

    #[test]
    fn where_refs_do_not_lie_in_plain_files_git_is_asked() {
        let (_folder, place) = place();
        fs::create_dir(place.common_dir.join("reftable")).unwrap();
        assert!(RefFiles::read(&place, OURS, None).is_none());
        assert!(!write_new(&place, "refs/tdd/run/good", &CheckpointId(ONE.into())));
    }

    #[test]
    fn a_new_ref_is_written_over_nothing_and_through_no_link() {
        let (_folder, place) = place();
        assert!(!write_new(&place, "refs/heads/main", &CheckpointId(TWO.into())), "it is there");
        fs::create_dir(place.common_dir.join("refs/tdd")).unwrap();
        std::os::unix::fs::symlink("../heads", place.common_dir.join("refs/tdd/run")).unwrap();
        write_new(&place, "refs/tdd/run/other", &CheckpointId(TWO.into()));
        assert!(!place.common_dir.join("refs/heads/other").exists());
        let main = fs::read_to_string(place.common_dir.join("refs/heads/main")).unwrap();
        assert_eq!(main, format!("{ONE}\n"));
    }
}
