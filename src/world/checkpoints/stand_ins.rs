//! What git says of files that are out of a child's sight: nothing.
//!
//! A file that a sandbox hides is one that git misses: it would list it as deleted and print all of it. So
//! in the child's sight there stand, in place of git's own,
//!
//! ```text
//! index             a copy, where each hidden file is as in HEAD and marked `skip-worktree`
//! info/attributes   with one more line: hidden files have no text, so no diff and no log prints them
//! ```
//!
//! The person's own are only read. What names an object (`git show HEAD:path`) prints it all the same.
#![expect(clippy::disallowed_methods, reason = "copies of git's own files, in a folder of ours")]

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::git::{Git, finish};
use super::place::GitPlace;
use crate::core::trouble::Trouble;
use crate::world::regular_file;

/// Entries of `info/` that are copied, and the size of each.
const MOST_FILES: usize = 100;
const MOST_BYTES: u64 = 64 << 20;

/// Files and folders of ours, each with the path that it is to be seen at. They are gone with it.
#[derive(Debug)]
pub struct StandIns {
    pairs: Vec<(PathBuf, PathBuf)>,
    /// The index that they were made of.
    of: Option<Stamp>,
    _folder: tempfile::TempDir,
}

/// An index that was not written since.
type Stamp = (u64, u64, i64, i64);

impl StandIns {
    /// Hides `folder`, which lies in the work tree whose top is `repository`. `root` is a folder of the
    /// run's own that no child sees.
    ///
    /// Fails with a trouble of the environment: no git, no space.
    pub fn make(repository: &Path, folder: &Path, root: &Path) -> Result<Self, Trouble> {
        let place = GitPlace::find(repository)?;
        let own = tempfile::Builder::new().prefix("git-").tempdir_in(root);
        let own = own.map_err(|error| super::disk(root, &error))?;
        let of = stamp(&place);
        let mut pairs = Vec::new();
        let Ok(hidden) = folder.strip_prefix(repository) else { return Ok(Self { pairs, of, _folder: own }) };
        let failed = |error: io::Error| super::disk(own.path(), &error);
        if let Some(index) = index(&place, hidden, own.path())? {
            pairs.push((index, real(&place.git_dir.join("index"))));
        }
        let info = place.common_dir.join("info");
        if info.is_dir() {
            let copy = own.path().join("info");
            copy_folder(&info, &copy).and_then(|()| add_attribute(&copy, hidden)).map_err(failed)?;
            pairs.push((copy, real(&info)));
        }
        Ok(Self { pairs, of, _folder: own })
    }

    /// What is to be seen, and where; by real paths.
    pub fn pairs(&self) -> impl Iterator<Item = (&Path, &Path)> {
        self.pairs.iter().map(|(ours, gits)| (ours.as_path(), gits.as_path()))
    }

    /// Whether git's index is still the one that they were made of.
    pub fn are_current(&self, repository: &Path) -> bool {
        GitPlace::find(repository).is_ok_and(|place| stamp(&place) == self.of)
    }
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn stamp(place: &GitPlace) -> Option<Stamp> {
    let about = fs::metadata(place.git_dir.join("index")).ok()?;
    Some((about.ino(), about.len(), about.mtime(), about.mtime_nsec()))
}

/// A copy of the index that speaks of nothing hidden; `None` if nothing hidden is in it or in HEAD.
fn index(place: &GitPlace, hidden: &Path, folder: &Path) -> Result<Option<PathBuf>, Trouble> {
    let (own, copy) = (place.git_dir.join("index"), folder.join("index"));
    if !own.is_file() {
        return Ok(None);
    }
    copy_file(&own, &copy).map_err(|error| super::disk(&copy, &error))?;
    let git = |args: &[&OsStr], input: &[u8]| -> Result<Option<Vec<u8>>, Trouble> {
        let mut command = Git::own(place).command();
        // Nothing of it may go to the person's folder, as a split index would.
        command.args(["-c", "core.splitIndex=false"]).env("GIT_INDEX_FILE", &copy).args(args);
        let said = finish(command, input, "update-index")?;
        Ok(said.ok.then_some(said.stdout))
    };
    let mut literal = b":(top,literal)".to_vec();
    literal.extend_from_slice(hidden.as_os_str().as_bytes());
    let listing = [words(&["ls-files", "-z", "--"]), vec![OsStr::from_bytes(&literal)]].concat();
    let in_index = git(&listing, b"")?.unwrap_or_default();
    let listing = [words(&["ls-tree", "-r", "-z", "HEAD", "--"]), vec![hidden.as_os_str()]].concat();
    let in_head = git(&listing, b"")?.unwrap_or_default();
    if in_index.is_empty() && in_head.is_empty() {
        return Ok(None);
    }
    // "<mode> <type> <object>\t<path>"
    let object =
        in_head.split(|byte| *byte == b'\t').next().and_then(|head| head.rsplit(|byte| *byte == b' ').next());
    let nowhere = format!("0 {}\t", "0".repeat(object.map_or(SHA1, <[u8]>::len)));
    let gone = in_index.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    let mut entries: Vec<u8> = gone.flat_map(|path| [nowhere.as_bytes(), path, b"\0"].concat()).collect();
    entries.extend_from_slice(&in_head);
    let names = in_head.split(|byte| *byte == 0).filter_map(|entry| {
        let at = entry.iter().position(|byte| *byte == b'\t')?;
        Some([&entry[at + 1..], b"\0"].concat())
    });
    let names: Vec<u8> = names.flatten().collect();
    let taken = git(&words(&["update-index", "-z", "--index-info"]), &entries)?.is_some()
        && git(&words(&["update-index", "-z", "--skip-worktree", "--stdin"]), &names)?.is_some();
    // A HEAD without a commit has nothing to be like, and an index that git can't write is left alone.
    Ok(taken.then_some(copy))
}

fn words<'w>(words: &[&'w str]) -> Vec<&'w OsStr> {
    words.iter().copied().map(OsStr::new).collect()
}

/// Digits of an object's name, where there is none to look at.
const SHA1: usize = 40;

fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let mut from = regular_file::open_linked(from)?;
    io::copy(&mut from, &mut fs::File::create_new(to)?)?;
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)?.take(MOST_FILES) {
        let entry = entry?;
        let about = entry.metadata()?;
        if about.is_file() && about.len() <= MOST_BYTES {
            copy_file(&entry.path(), &to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// The last line that fits a path counts.
fn add_attribute(info: &Path, hidden: &Path) -> io::Result<()> {
    let Some(hidden) = hidden.to_str() else { return Ok(()) };
    let file = info.join("attributes");
    let mut text = regular_file::read(&file).unwrap_or_default();
    if text.last().is_some_and(|byte| *byte != b'\n') {
        text.push(b'\n');
    }
    text.extend_from_slice(format!("{} -diff\n", pattern(hidden)).as_bytes());
    fs::write(file, text)
}

/// A pattern for all that is below a folder, quoted as C would: blanks end a pattern.
fn pattern(folder: &str) -> String {
    let mut quoted = String::from("\"/");
    for next in folder.chars() {
        if matches!(next, '*' | '?' | '[' | '\\') {
            quoted.push_str("\\\\");
        }
        match next {
            '"' | '\\' => quoted.extend(['\\', next]),
            plain => quoted.push(plain),
        }
    }
    quoted + "/**\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_becomes_a_pattern_for_all_that_is_in_it() {
        for (folder, want) in [
            ("specs/frs", "\"/specs/frs/**\""),
            ("my specs", "\"/my specs/**\""),
            ("a*b", "\"/a\\\\*b/**\""),
            ("a\"b", "\"/a\\\"b/**\""),
        ] {
            assert_eq!(pattern(folder), want);
        }
    }
}
