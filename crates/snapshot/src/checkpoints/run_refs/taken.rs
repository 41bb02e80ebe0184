//! What a session's or a run's refs alone hold of what was taken back in it: an agent's edit, or what a person changed
//! meanwhile.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStringExt;

use super::{FOLDER, RunRefs};
use crate::checkpoints::listing::{self, Listed};
use crate::checkpoints::{shown, walk};
use tdd_child::regular_file;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// Begins the label of a tree whose files were taken back.
pub const TAKEN: &str = "taken-";
/// The label of the tree that a session began with.
const BEGIN: &str = "begin";
/// A file that is compared with what was taken back.
const LARGEST: u64 = 64 << 20;

/// Files that were taken back, and the label of the tree that keeps them.
#[derive(Clone, Debug)]
pub struct Taken {
    pub label: String,
    /// `None`: it is not known which, so any file of the tree may be one.
    pub files: Option<BTreeSet<RelPath>>,
}

/// A content that a ref alone holds.
#[derive(Clone, Debug)]
pub struct Alone {
    /// The full name of the ref.
    pub label: String,
    pub path: RelPath,
    object: String,
}

impl Alone {
    /// What `git show` takes for it.
    pub fn revision(&self) -> String {
        if self.path.is_lossy() { self.object.clone() } else { format!("{}:{}", self.label, self.path) }
    }
}

impl RunRefs {
    /// Whether refs of this name are a session's.
    pub fn is_session(&self, name: &str) -> bool {
        let begin = format!("{FOLDER}{name}/{BEGIN}");
        self.by_run.get(name).is_some_and(|refs| refs.contains(&begin))
    }

    /// The labels of trees out of which something was taken back, where no journal tells which files.
    pub fn all_taken(&self, session: &str) -> Vec<Taken> {
        self.all_labelled(session, TAKEN)
    }

    /// The same of labels that begin so.
    pub fn all_labelled(&self, session: &str, kind: &str) -> Vec<Taken> {
        let begins = format!("{FOLDER}{session}/");
        let refs = self.by_run.get(session).map(Vec::as_slice).unwrap_or_default();
        let labels = refs.iter().filter_map(|name| name.strip_prefix(&begins));
        let taken = labels.filter(|label| label.starts_with(kind));
        taken.map(|label| Taken { label: label.to_owned(), files: None }).collect()
    }

    /// The contents of those files that lie neither in the work tree, there, nor in a tree that other refs hold.
    pub fn only_contents(&self, session: &str, taken: &[Taken]) -> Result<Vec<Alone>, Trouble> {
        let exclude = format!("--exclude={FOLDER}{session}/*");
        let known = self.by_run.get(session).map(Vec::as_slice).unwrap_or_default();
        let mut only = Vec::new();
        for one in taken {
            let name = format!("{FOLDER}{session}/{}", one.label);
            if !known.contains(&name) {
                continue;
            }
            let args = ["rev-list", "--objects", "--no-object-names", &name, "--not", &exclude, "--all"];
            let said = self.own.run(&args, b"")?;
            let said = String::from_utf8_lossy(&said).into_owned();
            let unheld: BTreeSet<&str> = said.lines().collect();
            let listed = self.own.run(&["ls-tree", "-r", "-z", &name], b"")?;
            for entry in listed.split(|byte| *byte == 0) {
                // Folders of other repositories are no files.
                let Some(file) = listing::one_file(entry).filter(|file| file.mode != "160000") else {
                    continue;
                };
                let path = shown(&file.path);
                let is_asked = one.files.as_ref().is_none_or(|files| files.contains(&path));
                let may_be = is_asked && unheld.contains(file.object.as_str());
                let is_alone = || Ok(!self.lies_there(&file) && !self.is_in_history(&exclude, &file.object)?);
                if may_be && is_alone()? {
                    only.push(Alone { label: name.clone(), path, object: file.object });
                }
            }
        }
        Ok(only)
    }

    /// Whether other refs hold this content: the list above leaves out what commits near by hold, and no more.
    fn is_in_history(&self, exclude: &str, object: &str) -> Result<bool, Trouble> {
        let find = format!("--find-object={object}");
        let args = ["log", "--root", "--max-count=1", "--format=%H", &find, exclude, "--all"];
        Ok(!self.own.run(&args, b"")?.trim_ascii().is_empty())
    }

    /// Whether the work tree's file has just this content, or its link leads there.
    fn lies_there(&self, listed: &Listed) -> bool {
        let file = walk::full_path(&self.place.work_tree, &listed.path);
        let target = std::fs::read_link(&file).map(|target| target.into_os_string().into_vec());
        let Ok(bytes) = target.or_else(|_| regular_file::head(&file, LARGEST + 1)) else { return false };
        let name = || self.own.run(&["hash-object", "--no-filters", "--stdin"], &bytes).ok();
        bytes.len() as u64 <= LARGEST
            && name().is_some_and(|name| name.trim_ascii() == listed.object.as_bytes())
    }
}
