//! What was found in git after a child, and what was there before it: kept under `refs/tdd/<run>/kept-…`,
//! so that nobody's commit is lost, whichever of the two stays.
#![expect(clippy::disallowed_methods, reason = "a folder of ours")]

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use super::edit::{Permissions, Tree};
use super::git::Git;
use super::git_files::{Copied, Copies};
use super::git_midst;
use super::git_words::{LEFT, moved};
use super::refs::{RefValue, Refs};
use super::slug;
use super::walk::full_path;
use tdd_core::event::BRINGS_BACK;
use tdd_core::harmless::shell_word;
use tdd_core::trouble::Trouble;

/// Refs that were moved or deleted and of which what they were is kept.
const MOST_KEPT: usize = 500;
/// The folder of this work tree's HEAD and index, in a command.
const GIT_DIR: &str = "\"$(git rev-parse --git-dir)\"";
/// What stays when a merge or a cherry-pick has come to its end.
const LEFT_BEHIND: &[u8] = b"AUTO_MERGE";

/// A ref that differs: what it was, and what it is.
pub(super) type Moved = (String, Option<RefValue>, Option<RefValue>);

/// Gives objects names of the run's.
pub(super) struct Keeper<'k> {
    pub(super) git: &'k Git,
    /// The beginning of the names.
    pub(super) prefix: String,
    /// A folder of the run's for files of git's that are no objects.
    pub(super) folder: PathBuf,
}

impl Keeper<'_> {
    /// Gives an object a name below `refs/tdd/`, so that it is not lost. `None` if it is no object.
    /// A name that is taken by another object gets a number.
    pub(super) fn commit(&mut self, object: &str, name: &str) -> Result<Option<String>, Trouble> {
        let last = slug(&name.strip_prefix("refs/").unwrap_or(name).replace('/', "-"));
        let zeros = "0".repeat(object.len());
        for number in 1..100 {
            let number = if number == 1 { String::new() } else { format!(".{number}") };
            let kept = format!("{}-{last}{number}", self.prefix);
            if self.git.ask(&["update-ref", "--no-deref", &kept, object, &zeros], b"")?.ok {
                return Ok(Some(kept));
            }
            let held = self.git.ask(&["rev-parse", "--verify", "--quiet", &kept], b"")?;
            match String::from_utf8_lossy(&held.stdout).trim() {
                same if held.ok && same == object => return Ok(Some(kept)),
                _ if held.ok => {}
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The same for what an index holds, as a commit; of one with paths that are not merged the file as well. Says
    /// where, and how it comes back, unless it held nothing but what the commit holds that HEAD, as found, stood for.
    pub(super) fn index(&mut self, index: Option<&Copied>, head: Option<&Copied>) -> Option<String> {
        let index = index?;
        let Copied::File { bytes, .. } = index else { return None };
        let file = in_a_file(bytes)?;
        let tree = self.git.tree_of_index(file.path())?;
        let message = b"tdd: the index as it was found";
        let commit = self.git.run(&["commit-tree", &tree], message).ok()?;
        let commit = String::from_utf8(commit).ok()?;
        let kept = self.commit(commit.trim(), "index").ok().flatten()?;
        let back = if self.git.list_index(file.path()).is_ok_and(|listed| is_unmerged(&listed)) {
            // No tree has more than one version of a path.
            let file = shell_word(&self.file(b"index", index)?.to_string_lossy());
            format!("{BRINGS_BACK}cp {file} {GIT_DIR}/index")
        } else if self.is_of_head(head, &tree) {
            String::new()
        } else {
            format!("{BRINGS_BACK}git read-tree {kept}")
        };
        Some(format!("put back, what was staged is kept as {kept}{back}"))
    }

    fn is_of_head(&self, head: Option<&Copied>, tree: &str) -> bool {
        let Some(Copied::File { bytes, .. }) = head else { return false };
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim();
        let commit = text.strip_prefix("ref: ").unwrap_or(text);
        let asked = self.git.ask(&["rev-parse", "--verify", "--quiet", &format!("{commit}^{{tree}}")], b"");
        asked.is_ok_and(|said| said.ok && String::from_utf8_lossy(&said.stdout).trim() == tree)
    }

    /// The same for what git was in the midst of.
    pub(super) fn midst(&mut self, files: &Copies) -> String {
        let kept = git_midst::commit(self.git, files).and_then(|commit| self.commit(&commit, "in-progress"));
        match kept {
            Ok(Some(kept)) => {
                let stash = git_midst::autostash(files).map(|stash| format!("; {stash}"));
                let stash = stash.unwrap_or_default();
                let is_open = files.keys().any(|path| path != LEFT_BEHIND);
                let back = format!("{BRINGS_BACK}git archive {kept} | tar -xC {GIT_DIR}");
                let back = if is_open { back } else { String::new() };
                format!("what git was in the midst of is kept as {kept}: git ls-tree -r {kept}{stash}{back}")
            }
            Ok(None) => "what git was in the midst of could not be kept".to_owned(),
            Err(trouble) => format!("what git was in the midst of could not be kept: {}", trouble.why),
        }
    }

    /// Keeps a file of git's as it was, readable by its owner alone; of a link its target. Gives where.
    pub(super) fn file(&self, path: &[u8], was: &Copied) -> Option<PathBuf> {
        let bytes = match was {
            Copied::File { bytes, .. } => bytes,
            Copied::Link(target) => target,
        };
        std::fs::create_dir_all(&self.folder).ok()?;
        let put = |tree: Tree| tree.put_file(path, Permissions::Exact(0o600), |file| file.write_all(bytes));
        Tree::open(&self.folder).and_then(put).ok()?;
        Some(full_path(&self.folder, path))
    }

    /// Whether two versions of the index say the same of every path: `git status` writes the index
    /// anew with other times in it.
    pub(super) fn says_the_same(&self, was: Option<&Copied>, now: Option<&Copied>) -> bool {
        let (Some(Copied::File { bytes: was, .. }), Some(Copied::File { bytes: now, .. })) = (was, now)
        else {
            return false;
        };
        let entries = |bytes: &[u8]| self.git.list_index(in_a_file(bytes)?.path()).ok();
        match (entries(was), entries(now)) {
            (Some(was), Some(now)) => was == now,
            _ => false,
        }
    }

    /// Says of refs that stay as they are what became of them. What they were is kept if nothing
    /// else holds it.
    pub(super) fn tell(&mut self, refs: &[Moved], now: &Refs) -> Result<Vec<String>, Trouble> {
        let mut held: BTreeSet<String> = now.values().map(|value| value.object.clone()).collect();
        let mut said = Vec::new();
        let mut kept_count = 0;
        for (name, was, is) in refs {
            let mut end = LEFT.to_owned();
            if let Some(was) = was.as_ref().filter(|was| was.target.is_empty())
                && kept_count < MOST_KEPT
                && held.insert(was.object.clone())
                && let Some(kept) = self.commit(&was.object, &format!("was-{name}"))?
            {
                kept_count += 1;
                end = format!("what it was is kept as {kept}; {LEFT}");
            }
            said.push(moved(name, was.as_ref(), is.as_ref(), Some(&end)));
        }
        Ok(said)
    }
}

/// Whether any line of a list with stages is of another one than the first: `… <stage> TAB <path>`.
fn is_unmerged(listed: &[u8]) -> bool {
    let heads = listed.split(|byte| *byte == 0).filter_map(|line| line.split(|byte| *byte == b'\t').next());
    heads.filter(|head| !head.is_empty()).any(|head| !head.ends_with(b" 0"))
}

pub(super) fn in_a_file(bytes: &[u8]) -> Option<tempfile::NamedTempFile> {
    let mut file = tempfile::NamedTempFile::new().ok()?;
    file.write_all(bytes).ok()?;
    Some(file)
}
