//! Many pairs of trees at once: what differs, and what files hold. To start git for each of them would take
//! longer than all the rest, so three processes do for any number:
//!
//! ```text
//! cat-file --batch-check     <commit>^{tree}, <commit>:<path>      ─► names of trees and blobs
//! diff-tree --stdin -p       <tree> SP <tree>                      ─► a head line and a patch for each
//! cat-file --batch           <blob>                                ─► the bytes of files
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use super::git::{self, Git, in_scope};
use super::git_child;
use super::listing::{self, Batch};
use super::place::GitPlace;
use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// What is asked of two trees.
#[derive(Clone, Debug)]
pub struct Asked {
    pub from: CheckpointId,
    pub to: CheckpointId,
    /// Files of the second one.
    pub files: Vec<RelPath>,
}

/// What they hold.
#[derive(Clone, Debug)]
pub struct Told {
    /// The names of the two trees.
    pub trees: (String, String),
    pub patch: Bounded,
    /// In the order in which they were asked for; `None` for what is no file there.
    pub files: Vec<Option<Bounded>>,
}

/// The first bytes of something, and a hash of all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounded {
    pub bytes: Vec<u8>,
    pub size: u64,
    /// BLAKE3, 64 hex digits.
    pub hash: String,
}

/// Answers in the order of what is asked; `None` where a commit is gone. Of a patch or a file at most `most`
/// bytes are kept. A part of a patch about a path that `is_wanted` says no to is left out.
pub fn pairs(
    repository: &Path,
    asked: &[Asked],
    most: usize,
    is_wanted: &dyn Fn(&RelPath) -> bool,
) -> Result<Vec<Option<Told>>, Trouble> {
    let git = Git::own(&GitPlace::find(repository)?);
    let names = Names::look_up(&git, asked)?;
    let trees: Vec<Option<(String, String)>> = asked.iter().map(|one| names.trees(one)).collect();
    let different: BTreeSet<&(String, String)> = trees.iter().flatten().collect();
    let patches = patches(&git, &different, (most, is_wanted))?;
    let files = asked.iter().flat_map(|one| one.files.iter().filter_map(|file| names.file(&one.to, file)));
    let files = contents(&git, files.collect(), most)?;
    let told = |(one, trees): (&Asked, Option<(String, String)>)| {
        let trees = trees?;
        let patch = patches.get(&trees).cloned().unwrap_or_default();
        let of = |file: &RelPath| files.get(names.file(&one.to, file)?).cloned();
        Some(Told { patch, files: one.files.iter().map(of).collect(), trees })
    };
    Ok(asked.iter().zip(trees).map(told).collect())
}

/// What git calls what is asked for.
struct Names(BTreeMap<Vec<u8>, (String, String)>);

impl Names {
    fn look_up(git: &Git, asked: &[Asked]) -> Result<Self, Trouble> {
        let mut wanted: BTreeSet<Vec<u8>> = BTreeSet::new();
        for one in asked {
            wanted.extend([tree_of(&one.from), tree_of(&one.to)].into_iter().flatten());
            wanted.extend(one.files.iter().filter_map(|file| file_of(&one.to, file)));
        }
        let input: Vec<u8> = wanted.iter().flat_map(|name| [name.as_slice(), b"\n"].concat()).collect();
        if input.is_empty() {
            return Ok(Self(BTreeMap::new()));
        }
        let said = git.run(&["cat-file", "--batch-check"], &input)?;
        let mut lines = said.split(|byte| *byte == b'\n');
        let mut names = BTreeMap::new();
        for name in wanted {
            let line = String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
            let words: Vec<&str> = line.split(' ').collect();
            // What is not there is told as `<what was asked> missing`, which may hold any words.
            let is_told = words.len() == 3 && listing::is_name(words[0]) && words[2].parse::<u64>().is_ok();
            if let ([object, kind, _], true) = (words.as_slice(), is_told) {
                names.insert(name, ((*object).to_owned(), (*kind).to_owned()));
            }
        }
        Ok(Self(names))
    }

    fn of_kind(&self, name: &[u8], wanted: &str) -> Option<&String> {
        self.0.get(name).filter(|(_, kind)| kind == wanted).map(|(object, _)| object)
    }

    fn trees(&self, asked: &Asked) -> Option<(String, String)> {
        let of = |commit| self.of_kind(&tree_of(commit)?, "tree").cloned();
        Some((of(&asked.from)?, of(&asked.to)?))
    }

    fn file(&self, at: &CheckpointId, file: &RelPath) -> Option<&String> {
        self.of_kind(&file_of(at, file)?, "blob")
    }
}

/// A journal that somebody wrote to must not ask for anything else.
fn tree_of(commit: &CheckpointId) -> Option<Vec<u8>> {
    listing::is_name(&commit.0).then(|| format!("{commit}^{{tree}}").into_bytes())
}

fn file_of(commit: &CheckpointId, file: &RelPath) -> Option<Vec<u8>> {
    let fits = listing::is_name(&commit.0) && !file.as_str().contains('\n');
    fits.then(|| format!("{commit}:{file}").into_bytes())
}

type Patches = BTreeMap<(String, String), Bounded>;

fn patches(
    git: &Git,
    trees: &BTreeSet<&(String, String)>,
    (most, is_wanted): (usize, &dyn Fn(&RelPath) -> bool),
) -> Result<Patches, Trouble> {
    if trees.is_empty() {
        return Ok(Patches::new());
    }
    let input = trees.iter().map(|(from, to)| format!("{from} {to}\n")).collect::<Vec<_>>().concat();
    let mut command = git.command();
    command.args(["diff-tree", "--stdin", "-r", "-p", "--no-ext-diff", "--no-textconv", "--no-color"]);
    command.args(["--no-renames", "--full-index", "--src-prefix=a/", "--dst-prefix=b/"]);
    let mut child = git_child::start(command)?;
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Trouble::internal("no pipe to git"));
    };
    let watchdog = git_child::Watchdog::over(&mut child)?;
    let read = std::thread::scope(|scope| {
        // git waits with its answers until they are read.
        in_scope(scope, move || stdin.write_all(input.as_bytes()).is_ok()).map_err(git_child::lost)?;
        let mut parts = Parts { done: Patches::new(), at: None, wanted: true, most, is_wanted };
        parts.read(BufReader::with_capacity(1 << 16, stdout)).map_err(git_child::lost)?;
        Ok::<_, Trouble>(parts.done)
    });
    drop(watchdog);
    let status = child.wait().map_err(git_child::lost)?;
    if status.success() { read } else { Err(git::refused(&["diff-tree"], "it did not come to its end")) }
}

/// Takes the answers of `diff-tree` apart. No line of a patch looks like its head line: they begin with a
/// word, a blank, a sign or `@`.
struct Parts<'a> {
    done: Patches,
    at: Option<((String, String), Patch)>,
    /// Whether the part about one file that is read is kept.
    wanted: bool,
    most: usize,
    is_wanted: &'a dyn Fn(&RelPath) -> bool,
}

#[derive(Default)]
struct Patch {
    kept: Bounded,
    hasher: blake3::Hasher,
}

impl Patch {
    fn take(&mut self, bytes: &[u8], most: usize) {
        let room = most.saturating_sub(self.kept.bytes.len());
        self.kept.bytes.extend_from_slice(&bytes[..room.min(bytes.len())]);
        self.kept.size += bytes.len() as u64;
        self.hasher.update(bytes);
    }

    fn end(self) -> Bounded {
        Bounded { hash: self.hasher.finalize().to_hex().to_string(), ..self.kept }
    }
}

/// A line's beginning is looked at; a line may be as long as a file.
const LOOKED_AT: usize = 16 * 1024;

impl Parts<'_> {
    fn read(&mut self, mut from: impl BufRead) -> std::io::Result<()> {
        let mut begun: Vec<u8> = Vec::new();
        let mut in_midst = false;
        loop {
            let read = from.fill_buf()?;
            if read.is_empty() {
                break;
            }
            let end = read.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
            let piece = &read[..end.unwrap_or(read.len())];
            let length = piece.len();
            if in_midst {
                self.take(piece);
            } else {
                begun.extend_from_slice(piece);
            }
            if !in_midst && (end.is_some() || begun.len() > LOOKED_AT) {
                self.line(&std::mem::take(&mut begun));
                in_midst = true;
            }
            if end.is_some() {
                in_midst = false;
            }
            from.consume(length);
        }
        self.line(&begun);
        self.end();
        Ok(())
    }

    fn line(&mut self, line: &[u8]) {
        if let Some(trees) = head_line(line) {
            self.end();
            self.at = Some((trees, Patch::default()));
            self.wanted = true;
            return;
        }
        if let Some(names) = line.strip_prefix(b"diff --git ") {
            self.wanted = about(names).as_ref().is_none_or(self.is_wanted);
        }
        self.take(line);
    }

    fn take(&mut self, bytes: &[u8]) {
        if let (Some((_, patch)), true) = (&mut self.at, self.wanted) {
            patch.take(bytes, self.most);
        }
    }

    fn end(&mut self) {
        if let Some((trees, patch)) = self.at.take() {
            self.done.insert(trees, patch.end());
        }
    }
}

fn head_line(line: &[u8]) -> Option<(String, String)> {
    let text = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let (from, to) = text.split_once(' ')?;
    (listing::is_name(from) && listing::is_name(to)).then(|| (from.to_owned(), to.to_owned()))
}

/// The path of a file from the line that begins its part, if it is written as it is. Nothing is renamed, so the
/// two names are the same.
fn about(names: &[u8]) -> Option<RelPath> {
    let names = std::str::from_utf8(names.strip_suffix(b"\n").unwrap_or(names)).ok()?;
    let (one, other) = names.split_at_checked(names.len() / 2)?;
    let (one, other) = (one.strip_prefix("a/")?, other.strip_prefix(" b/")?);
    (one == other).then(|| RelPath::new(one))?
}

fn contents(git: &Git, blobs: BTreeSet<&String>, most: usize) -> Result<BTreeMap<String, Bounded>, Trouble> {
    let mut all = BTreeMap::new();
    if blobs.is_empty() {
        return Ok(all);
    }
    let mut batch = Batch::start(git, blobs.iter().map(|name| (*name).clone()).collect())?;
    for blob in blobs {
        let mut into = Into { patch: Patch::default(), most };
        batch.copy(blob, &mut into)?;
        all.insert(blob.clone(), into.patch.end());
    }
    Ok(all)
}

struct Into {
    patch: Patch,
    most: usize,
}

impl Write for Into {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.patch.take(bytes, self.most);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

    fn read(text: &[u8], most: usize) -> Patches {
        let is_wanted = |path: &RelPath| path.extension() != "pyc";
        let mut parts = Parts { done: Patches::new(), at: None, wanted: true, most, is_wanted: &is_wanted };
        // In pieces as a pipe gives them.
        parts.read(BufReader::with_capacity(7, text)).unwrap();
        parts.done
    }

    #[test]
    fn answers_are_taken_apart_and_parts_that_nobody_wants_are_left_out() {
        let text = format!(
            "{A} {B}\ndiff --git a/x y.py b/x y.py\n+one\n+{A} {B}\ndiff --git a/x.pyc b/x.pyc\nBinary\n{B} {A}\n{B} {B}\n\
             diff --git \"a/\\303\" \"b/\\303\"\n-no newline"
        );
        let read = read(text.as_bytes(), 1000);
        let patch = |from: &str, to: &str| {
            let bytes = read[&(from.to_owned(), to.to_owned())].bytes.clone();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(patch(A, B), format!("diff --git a/x y.py b/x y.py\n+one\n+{A} {B}\n"));
        assert_eq!(patch(B, A), "");
        assert_eq!(patch(B, B), "diff --git \"a/\\303\" \"b/\\303\"\n-no newline");
    }

    #[test]
    fn a_patch_of_any_length_is_hashed_whole_and_kept_to_its_bound() {
        let line = [b"+".repeat(100_000), b"\n".to_vec()].concat();
        let head = format!("{A} {B}\ndiff --git a/f b/f\n");
        let text = [head.as_bytes(), &line, &line].concat();
        let told = read(&text, 50).remove(&(A.to_owned(), B.to_owned())).unwrap();
        let all = &text[A.len() * 2 + 2..];
        assert_eq!((told.bytes.as_slice(), told.size), (&all[..50], all.len() as u64));
        assert_eq!(told.hash, blake3::hash(all).to_hex().as_str());
    }
}
