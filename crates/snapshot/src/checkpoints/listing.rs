//! What git says of commits: lists of files, differences, the bytes of objects.
//!
//! ```text
//! ls-tree -r -z     <mode> SP <type> SP <object> TAB <path> NUL
//! diff-tree -r -z   ":" <mode> SP <mode> SP <object> SP <object> SP <status> NUL <path> NUL
//! cat-file --batch  <object> SP <type> SP <size> LF <bytes> LF   |   <object> SP "missing" LF
//! ```

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};

use super::git::Git;
use super::git_child;
use tdd_core::attempt::CheckpointId;
use tdd_core::finding::ChangeKind;
use tdd_core::trouble::{Trouble, Why};

/// One file of a commit.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) mode: String,
    pub(super) object: String,
    pub(super) path: Vec<u8>,
}

/// One path that differs.
#[derive(Debug)]
pub(super) struct Difference {
    pub(super) old_mode: String,
    pub(super) new_mode: String,
    pub(super) old_object: String,
    pub(super) new_object: String,
    pub(super) path: Vec<u8>,
}

impl Difference {
    pub(super) fn is_removal(&self) -> bool {
        self.new_mode == ABSENT
    }

    pub(super) fn is_addition(&self) -> bool {
        self.old_mode == ABSENT
    }

    /// Whether nothing but the executable bit differs.
    pub(super) fn is_of_mode(&self) -> bool {
        let is_file = |mode: &str| mode.starts_with("100");
        is_file(&self.old_mode) && is_file(&self.new_mode) && self.old_object == self.new_object
    }

    pub(super) fn kind(&self) -> ChangeKind {
        match (self.old_mode.as_str(), self.new_mode.as_str()) {
            ("160000", _) | (_, "160000") => ChangeKind::Submodule,
            (ABSENT, _) => ChangeKind::Added,
            (_, ABSENT) => ChangeKind::Deleted,
            (old, new) if old != new => ChangeKind::Retyped,
            _ => ChangeKind::Modified,
        }
    }
}

const ABSENT: &str = "000000";

/// All files of a commit, in git's order: by the bytes of their paths.
pub(super) fn files(git: &Git, at: &CheckpointId) -> Result<Vec<Listed>, Trouble> {
    let listed = git.run(&["ls-tree", "-r", "-z", "--full-tree", sound(at)?], b"")?;
    let mut files = Vec::new();
    for line in listed.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let file = one_file(line).ok_or_else(|| Trouble::internal("git ls-tree said what we can't read"))?;
        files.push(file);
    }
    Ok(files)
}

/// What differs between two commits; renames are a removal and an addition.
pub(super) fn differences(
    git: &Git,
    from: &CheckpointId,
    to: &CheckpointId,
) -> Result<Vec<Difference>, Trouble> {
    if from == to {
        return Ok(Vec::new());
    }
    let args =
        ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", "--full-index"];
    let mut args: Vec<&str> = args.to_vec();
    args.extend([sound(from)?, sound(to)?]);
    let said = git.run(&args, b"")?;
    let mut parts = said.split(|byte| *byte == 0);
    let mut found = Vec::new();
    while let (Some(head), Some(path)) = (parts.next(), parts.next()) {
        let difference = one_difference(head, path)
            .ok_or_else(|| Trouble::internal("git diff-tree said what we can't read"))?;
        found.push(difference);
    }
    Ok(found)
}

/// The objects that these names lead to, `None` for one that leads to nothing; none of them holds the end of a line.
pub(super) fn objects(git: &Git, names: &[Vec<u8>]) -> Result<Vec<Option<String>>, Trouble> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let said = git.run(&["cat-file", "--batch-check=%(objectname)"], &names.join(&b'\n'))?;
    let said = String::from_utf8_lossy(&said);
    let mut found: Vec<Option<String>> =
        said.lines().map(|line| is_name(line).then(|| line.to_owned())).collect();
    found.resize(names.len(), None);
    Ok(found)
}

/// A `git cat-file --batch` that stays and is asked for one object after the other: to start it
/// takes longer than to read most files.
#[derive(Debug)]
pub(super) struct Reader {
    batch: Batch,
    objects: ChildStdin,
}

impl Reader {
    pub(super) fn start(git: &Git) -> Result<Self, Trouble> {
        let (batch, objects) = Batch::spawn(git)?;
        Ok(Self { batch, objects })
    }

    /// An object's bytes, which must be no more than `most`. After a trouble it can't be asked again.
    pub(super) fn bytes(&mut self, object: &str, most: u64) -> Result<Vec<u8>, Trouble> {
        writeln!(self.objects, "{object}").map_err(broken)?;
        self.batch.bytes(object, most)
    }
}

/// A `git cat-file --batch` that gives the objects that it was started with, in that order.
#[derive(Debug)]
pub(super) struct Batch {
    child: Child,
    watchdog: Option<git_child::Watchdog>,
    from: BufReader<ChildStdout>,
}

impl Batch {
    pub(super) fn start(git: &Git, objects: Vec<String>) -> Result<Self, Trouble> {
        let (batch, mut stdin) = Self::spawn(git)?;
        // By a thread of its own, because git waits with its answers until they are read.
        let ask = move || {
            for object in objects {
                if writeln!(stdin, "{object}").is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("tdd-git".to_owned()).spawn(ask).map_err(git_child::lost)?;
        Ok(batch)
    }

    fn spawn(git: &Git) -> Result<(Self, ChildStdin), Trouble> {
        let mut command = git.command();
        command.args(["cat-file", "--batch"]);
        let mut child = git_child::start(command)?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Trouble::internal("no pipe to git"));
        };
        let watchdog = Some(git_child::Watchdog::over(&mut child)?);
        Ok((Self { child, watchdog, from: BufReader::with_capacity(1 << 16, stdout) }, stdin))
    }

    /// The next object's bytes, which must be `object` and no more than `most`.
    pub(super) fn bytes(&mut self, object: &str, most: u64) -> Result<Vec<u8>, Trouble> {
        let size = self.next(object)?;
        if size > most {
            return Err(Trouble::environment(format!("a file of {size} bytes is too large to be read"))
                .because(format!("at most {most} bytes of a file are taken into memory"))
                .advise("remove the file, or list it in .gitignore before the run"));
        }
        let mut bytes = Vec::new();
        (&mut self.from).take(size).read_to_end(&mut bytes).map_err(broken)?;
        self.end_of_object(bytes.len() as u64, size)?;
        Ok(bytes)
    }

    /// Copies the next object, which must be `object`.
    pub(super) fn copy(&mut self, object: &str, to: &mut impl Write) -> Result<(), Trouble> {
        let size = self.next(object)?;
        let copied = std::io::copy(&mut (&mut self.from).take(size), to).map_err(broken)?;
        self.end_of_object(copied, size)
    }

    fn next(&mut self, object: &str) -> Result<u64, Trouble> {
        let mut head = String::new();
        (&mut self.from).take(200).read_line(&mut head).map_err(broken)?;
        let mut words = head.split_ascii_whitespace();
        match (words.next(), words.next(), words.next().and_then(|size| size.parse().ok())) {
            (Some(name), Some("blob"), Some(size)) if name == object => Ok(size),
            _ => Err(Trouble::environment(format!("the git object {object} is missing or damaged"))
                .because(format!("git cat-file said: {}", head.trim()))
                .advise("run `git fsck`; `git gc --prune=now` in mid-run loses checkpoints")),
        }
    }

    fn end_of_object(&mut self, got: u64, size: u64) -> Result<(), Trouble> {
        let mut newline = [0_u8; 1];
        let ended = self.from.read_exact(&mut newline).is_ok();
        if got == size && ended { Ok(()) } else { Err(broken("the object was cut short")) }
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        drop(self.watchdog.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn broken(why: impl Into<Why>) -> Trouble {
    Trouble::environment("a file can't be brought back from its checkpoint")
        .because(why)
        .mend("make sure that the disk has room")
}

/// A journal that somebody wrote to must not make an option out of a commit's name.
fn sound(id: &CheckpointId) -> Result<&str, Trouble> {
    if is_name(&id.0) { Ok(&id.0) } else { Err(Trouble::internal(format!("`{}` names no checkpoint", id.0))) }
}

/// Whether a word is the whole name of an object.
pub(super) fn is_name(word: &str) -> bool {
    matches!(word.len(), 40 | 64) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

pub(super) fn one_file(line: &[u8]) -> Option<Listed> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let mut words = std::str::from_utf8(&line[..tab]).ok()?.split(' ');
    let mode = words.next()?.to_owned();
    let object = words.nth(1)?.to_owned();
    Some(Listed { mode, object, path: line[tab + 1..].to_vec() })
}

fn one_difference(head: &[u8], path: &[u8]) -> Option<Difference> {
    let mut words = std::str::from_utf8(head).ok()?.strip_prefix(':')?.split(' ');
    let old_mode = words.next()?.to_owned();
    let new_mode = words.next()?.to_owned();
    let old_object = words.next()?.to_owned();
    let new_object = words.next()?.to_owned();
    Some(Difference { old_mode, new_mode, old_object, new_object, path: path.to_vec() })
}
