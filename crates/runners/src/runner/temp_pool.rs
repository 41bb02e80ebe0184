//! Private folders of verifications, used again while they are left empty.
//!
//! Some file systems look past every file that was deleted within the last minutes before they give a
//! new one its place: a run that makes and deletes two folders for each verification would slow itself
//! down. A folder that is used again gets another name, so that nobody can know it before.

use std::cell::RefCell;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tdd_child::folder;

/// Device, inode and mode: what stays of a folder when its name changes.
type Identity = (u64, u64, u32);

/// Keeps one empty folder for the next that is needed.
#[derive(Clone, Debug, Default)]
pub(super) struct TempPool(Rc<RefCell<Spare>>);

#[derive(Debug, Default)]
struct Spare(Option<(PathBuf, Identity)>);

/// What becomes of a folder that is not empty when nobody needs it any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// It goes with all that is in it.
    Goes,
    /// It stays where it is, for a person.
    Stays,
}

/// A folder that only we may use, 0700.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// `None` if it can't be used again.
    identity: Option<Identity>,
    pub(super) rest: Rest,
    pool: TempPool,
}

impl TempPool {
    /// An empty folder in `parent`, which is there. Its name begins with `prefix` and ends with
    /// `random` letters and digits.
    pub(super) fn folder(
        &self,
        parent: &Path,
        prefix: &str,
        random: usize,
        rest: Rest,
    ) -> io::Result<Folder> {
        let mut names = tempfile::Builder::new();
        names.prefix(prefix).rand_bytes(random);
        if let Some((spare, identity)) = self.0.borrow_mut().0.take() {
            let renamed = names.make_in(parent, |path| std::fs::rename(&spare, path));
            let path = renamed.and_then(|renamed| Ok(renamed.into_temp_path().keep()?));
            match path {
                Ok(path) if is_empty_and(&path, identity) => {
                    return Ok(Folder { path, identity: Some(identity), rest, pool: self.clone() });
                }
                // A child has removed it, or put something else in its place.
                Ok(other) => remove(&other),
                Err(_) => remove(&spare),
            }
        }
        let path = names.permissions(Permissions::from_mode(0o700)).tempdir_in(parent)?.keep();
        Ok(Folder { identity: identity(&path), path, rest, pool: self.clone() })
    }
}

impl Folder {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        match self.identity {
            Some(identity) if is_empty_and(&self.path, identity) => {
                let mut spare = self.pool.0.borrow_mut();
                let before = spare.0.replace((std::mem::take(&mut self.path), identity));
                drop(Spare(before));
            }
            _ if self.rest == Rest::Goes => remove(&self.path),
            _ => {}
        }
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        if let Some((path, _)) = &self.0 {
            remove(path);
        }
    }
}

/// What can't be removed is only rubbish in a private folder. A link goes, and not what it leads to.
fn remove(path: &Path) {
    let _ = folder::remove_all(path).or_else(|_| std::fs::remove_file(path));
}

fn identity(path: &Path) -> Option<Identity> {
    let meta = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_dir)?;
    Some((meta.dev(), meta.ino(), meta.mode()))
}

fn is_empty_and(path: &Path, was: Identity) -> bool {
    identity(path) == Some(was) && std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder(pool: &TempPool, parent: &Path) -> Folder {
        pool.folder(parent, "a-", 6, Rest::Goes).unwrap()
    }

    #[test]
    fn an_empty_folder_is_used_again_under_another_name() {
        let parent = tempfile::tempdir().unwrap();
        let pool = TempPool::default();
        let first = folder(&pool, parent.path());
        let (path, was) = (first.path().to_owned(), identity(first.path()));
        drop(first);
        let second = folder(&pool, parent.path());
        assert_eq!(identity(second.path()), was);
        assert_ne!(second.path(), path);
        assert!(!path.exists());
        // Two at a time are two.
        let third = folder(&pool, parent.path());
        assert_ne!(identity(third.path()), was);
        drop((second, third, pool));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0, "nothing is left behind");
    }

    #[test]
    fn what_a_child_did_to_a_folder_is_not_handed_on() {
        type Action = fn(&Path);
        let actions: [(&str, Action); 5] = [
            ("left a file", |path| fs::write(path.join("0-report.xml"), "forged").unwrap()),
            ("removed it", |path| fs::remove_dir(path).unwrap()),
            ("a link in its place", |path| {
                fs::remove_dir(path).unwrap();
                std::os::unix::fs::symlink(path.parent().unwrap().join("theirs"), path).unwrap();
            }),
            ("another in its place", |path| {
                fs::rename(path, path.with_file_name("moved")).unwrap();
                fs::create_dir(path).unwrap();
            }),
            ("opened it to all", |path| {
                fs::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
            }),
        ];
        for (what, action) in actions {
            for in_the_pool in [false, true] {
                let parent = tempfile::tempdir().unwrap();
                fs::create_dir(parent.path().join("theirs")).unwrap();
                let pool = TempPool::default();
                let first = folder(&pool, parent.path());
                let path = first.path().to_owned();
                if in_the_pool {
                    drop(first);
                    action(&path);
                } else {
                    action(&path);
                    drop(first);
                }
                let next = folder(&pool, parent.path());
                assert_eq!(fs::read_dir(next.path()).unwrap().count(), 0, "{what}, {in_the_pool}");
                assert!(next.path().symlink_metadata().unwrap().is_dir(), "{what}, {in_the_pool}");
                assert_eq!(identity(next.path()).unwrap().2 & 0o777, 0o700, "{what}, {in_the_pool}");
                assert!(parent.path().join("theirs").is_dir(), "{what}: a link is not followed");
            }
        }
    }

    #[test]
    fn what_is_for_a_person_stays() {
        let parent = tempfile::tempdir().unwrap();
        let pool = TempPool::default();
        for (rest, stays) in [(Rest::Stays, true), (Rest::Goes, false)] {
            let folder = pool.folder(parent.path(), "a-", 6, rest).unwrap();
            let path = folder.path().to_owned();
            fs::write(path.join("0-log"), "said").unwrap();
            drop(folder);
            assert_eq!(path.join("0-log").exists(), stays);
        }
    }
}
