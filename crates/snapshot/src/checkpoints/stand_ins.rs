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
use tdd_child::regular_file;
use tdd_core::trouble::Trouble;

/// Entries of `info/` that are copied, and the size of each.
const MOST_FILES: usize = 100;
const MOST_BYTES: u64 = 64 << 20;

/// Files and folders of ours, each with the path that it is to be seen at. They are gone with it.
#[derive(Debug)]
pub struct StandIns {
    pairs: Vec<(PathBuf, PathBuf)>,
    /// The index that they were made of.
    of: Option<Stamp>,
    hidden: Vec<PathBuf>,
    _folder: tempfile::TempDir,
}

/// An index that was not written since.
type Stamp = (u64, u64, i64, i64);

impl StandIns {
    /// Hides files and folders of the work tree whose top is `repository`; others are left out. `root` is a
    /// folder of the run's own that no child sees.
    ///
    /// Fails with a trouble of the environment: no git, no space.
    pub fn make(repository: &Path, hidden: Vec<PathBuf>, root: &Path) -> Result<Self, Trouble> {
        let place = GitPlace::find(repository)?;
        let own = tempfile::Builder::new().prefix("git-").tempdir_in(root);
        let own = own.map_err(|error| super::disk(root, &error))?;
        let of = stamp(&place);
        let mut pairs = Vec::new();
        let inside: Vec<&Path> =
            hidden.iter().filter_map(|path| path.strip_prefix(repository).ok()).collect();
        if inside.is_empty() {
            return Ok(Self { pairs, of, hidden, _folder: own });
        }
        let failed = |error: io::Error| super::disk(own.path(), &error);
        if let Some(index) = index(&place, &inside, own.path())? {
            pairs.push((index, real(&place.git_dir.join("index"))));
        }
        let info = place.common_dir.join("info");
        if info.is_dir() {
            let copy = own.path().join("info");
            copy_folder(&info, &copy)
                .and_then(|()| add_attributes(&copy, &inside, repository))
                .map_err(failed)?;
            pairs.push((copy, real(&info)));
        }
        Ok(Self { pairs, of, hidden, _folder: own })
    }

    /// What is to be seen, and where; by real paths.
    pub fn pairs(&self) -> &[(PathBuf, PathBuf)] {
        &self.pairs
    }

    /// Whether they hide these, and git's index is still the one that they were made of.
    pub fn are_current(&self, repository: &Path, hidden: &[PathBuf]) -> bool {
        self.hidden == hidden && GitPlace::find(repository).is_ok_and(|place| stamp(&place) == self.of)
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
fn index(place: &GitPlace, hidden: &[&Path], folder: &Path) -> Result<Option<PathBuf>, Trouble> {
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
    let literal = |path: &&Path| [b":(top,literal)", path.as_os_str().as_bytes()].concat();
    let literals: Vec<Vec<u8>> = hidden.iter().map(literal).collect();
    let literals: Vec<&OsStr> = literals.iter().map(|literal| OsStr::from_bytes(literal)).collect();
    let listing = [words(&["ls-files", "-z", "--"]), literals].concat();
    let in_index = git(&listing, b"")?.unwrap_or_default();
    let paths = hidden.iter().map(|path| path.as_os_str()).collect();
    let listing = [words(&["ls-tree", "-r", "-z", "HEAD", "--"]), paths].concat();
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
fn add_attributes(info: &Path, hidden: &[&Path], repository: &Path) -> io::Result<()> {
    let file = info.join("attributes");
    let mut text = regular_file::read(&file).unwrap_or_default();
    if text.last().is_some_and(|byte| *byte != b'\n') {
        text.push(b'\n');
    }
    for path in hidden {
        let Some(name) = path.to_str() else { continue };
        let pattern = if repository.join(path).is_dir() { folder_pattern(name) } else { pattern(name) };
        text.extend_from_slice(format!("{pattern} -diff\n").as_bytes());
    }
    fs::write(file, text)
}

/// A pattern for all that is below a folder.
fn folder_pattern(folder: &str) -> String {
    let mut pattern = pattern(folder);
    pattern.insert_str(pattern.len() - 1, "/**");
    pattern
}

/// A pattern for a file, quoted as C would: blanks end a pattern.
fn pattern(file: &str) -> String {
    let mut quoted = String::from("\"/");
    for next in file.chars() {
        if matches!(next, '*' | '?' | '[' | '\\') {
            quoted.push_str("\\\\");
        }
        match next {
            '"' | '\\' => quoted.extend(['\\', next]),
            plain => quoted.push(plain),
        }
    }
    quoted + "\""
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
            assert_eq!(folder_pattern(folder), want);
        }
        assert_eq!(pattern("a \"b\".md"), r#""/a \"b\".md""#);
    }
}
