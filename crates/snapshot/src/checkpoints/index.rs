//! What git's index has of files whose removal is taken back: without an entry they would be gone with the next commit.
//! No filter is asked, and no entry that is there is changed.

use super::GitCheckpoints;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

impl GitCheckpoints {
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
