//! What git's index has of files: what somebody has staged, and those whose removal is taken back, which without an
//! entry would be gone with the next commit. No filter is asked, and no entry that is there is changed.

use std::collections::{BTreeMap, BTreeSet};

use super::git_files::Copied;
use super::git_kept::in_a_file;
use super::listing::Listed;
use super::{GitCheckpoints, shown};
use tdd_core::attempt::CheckpointId;
use tdd_core::isolation::Level;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

impl GitCheckpoints {
    /// Those of these files that the index has just as `tree` does, and had not when git was recorded. Only where no
    /// child can write to it.
    pub(super) fn staged_since(
        &mut self,
        tree: &CheckpointId,
        paths: &[RelPath],
    ) -> Result<Vec<RelPath>, Trouble> {
        let (Some(recorded), Level::Enforce, false) = (&self.recorded, self.level, paths.is_empty()) else {
            return Ok(Vec::new());
        };
        let then = match recorded.index() {
            None => BTreeMap::new(),
            Some(Copied::File { bytes, .. }) => match in_a_file(bytes) {
                Some(file) => entries(&self.own_git().list_index(file.path())?),
                // What can't be read tells nothing.
                None => return Ok(Vec::new()),
            },
            Some(Copied::Link(_)) => return Ok(Vec::new()),
        };
        let now = entries(&self.own_git().list_index(&self.place.git_dir.join("index"))?);
        let lies_there = self.contents.files(tree)?;
        let is_staged = |file: &Listed| {
            let staged = now.get(&file.path);
            let is_new = staged != then.get(&file.path);
            is_new && staged.is_some_and(|(mode, object)| *mode == file.mode && *object == file.object)
        };
        let staged: BTreeSet<RelPath> =
            lies_there.iter().filter(|file| is_staged(file)).map(|file| shown(&file.path)).collect();
        Ok(paths.iter().filter(|path| staged.contains(path)).cloned().collect())
    }

    /// Gives these files the entries of HEAD's commit that the index has no more, where they lie in the work tree.
    pub fn index_again(&self, paths: &[RelPath]) -> Result<(), Trouble> {
        let there: Vec<&str> = paths
            .iter()
            .filter(|path| self.place.work_tree.join(path.as_str()).symlink_metadata().is_ok())
            .map(RelPath::as_str)
            .collect();
        if there.is_empty() {
            return Ok(());
        }
        let git = self.own_git();
        let ask = |words: &[&str]| git.ask(&[words, there.as_slice()].concat(), b"");
        let indexed = ask(&["--literal-pathspecs", "ls-files", "-z", "--"])?.stdout;
        let indexed: Vec<&[u8]> = indexed.split(|byte| *byte == 0).collect();
        let committed = ask(&["--literal-pathspecs", "ls-tree", "-r", "-z", "HEAD", "--"])?;
        let missing = committed.stdout.split(|byte| *byte == 0).filter(|line| {
            let path = line.iter().position(|byte| *byte == b'\t').map(|at| &line[at + 1..]);
            path.is_some_and(|path| !indexed.contains(&path))
        });
        let entries: Vec<u8> = missing.flat_map(|line| [line, &b"\0"[..]].concat()).collect();
        if committed.ok && !entries.is_empty() {
            // Where somebody holds the index it stays as it is.
            git.ask(&["update-index", "-z", "--add", "--index-info"], &entries)?;
        }
        Ok(())
    }
}

/// `H 100644 OBJECT 0\tPATH` each: the mode and the object of every path that is merged.
fn entries(listed: &[u8]) -> BTreeMap<Vec<u8>, (String, String)> {
    let entry = |line: &[u8]| {
        let tab = line.iter().position(|byte| *byte == b'\t')?;
        let about = std::str::from_utf8(&line[..tab]).ok()?;
        let mut words = about.split(' ').skip(1);
        let (mode, object, stage) = (words.next()?, words.next()?, words.next()?);
        (stage == "0").then(|| (line[tab + 1..].to_vec(), (mode.to_owned(), object.to_owned())))
    };
    listed.split(|byte| *byte == 0).filter_map(entry).collect()
}
