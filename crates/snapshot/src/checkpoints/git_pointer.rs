//! The way from a work tree to its git folder, which a child may have moved.

use super::edit::{Permissions, Tree};
use super::git_files::{self, Copied};
use super::place::{GitPlace, Pointer};
use tdd_core::trouble::{Trouble, Why};

/// In a linked work tree `.git` is a file; a child may have pointed it elsewhere.
pub(super) fn put_back_pointer(place: &GitPlace) -> Result<Vec<String>, Trouble> {
    let dot_git = place.work_tree.join(".git");
    let is_there = |meta: std::io::Result<std::fs::Metadata>| meta.is_ok_and(|meta| meta.is_dir());
    let lost = |why: Why| {
        Trouble::environment("the repository's .git folder was moved away or replaced")
            .because(why)
            .mend("bring it back to where it was")
    };
    if place.pointer == Pointer::Folder {
        if is_there(std::fs::symlink_metadata(&dot_git)) {
            return Ok(Vec::new());
        }
        return Err(lost(format!("{} is no folder", dot_git.display()).into()));
    }
    let now = git_files::copy_file(&place.work_tree, ".git")?;
    let tree = Tree::open(&place.work_tree).map_err(|error| lost(error.into()))?;
    let put = match (&place.pointer, &now) {
        (Pointer::Folder, _) => return Ok(Vec::new()),
        (Pointer::File(was), Some(Copied::File { bytes: now, .. })) if was == now => return Ok(Vec::new()),
        (Pointer::Link(was), Some(Copied::Link(now))) if was == now => return Ok(Vec::new()),
        (Pointer::File(was), _) => {
            tree.put_file(b".git", Permissions::Plain, |file| std::io::Write::write_all(file, was))
        }
        (Pointer::Link(was), _) => tree.put_link(b".git", was),
    };
    put.map_err(|error| lost(error.into()))?;
    if !is_there(std::fs::metadata(&place.git_dir)) {
        return Err(lost(format!("{} is no folder", place.git_dir.display()).into()));
    }
    Ok(vec!["the file .git was changed; put back".to_owned()])
}
