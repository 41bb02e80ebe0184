//! The tree as it is, as a list of names, modes and objects: told by hashing, without writing anything.
//! Only what no commit of the run holds is written, when it has to be kept.
#![expect(clippy::disallowed_methods, reason = "folders of ours, and the user's folder of objects")]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::GitCheckpoints;
use super::found::{Found, Kind, Scan, Stamp};
use super::git::{self, Git};
use super::git_child;
use super::import::quoted;
use super::listing::{Difference, Listed};
use crate::checkpoints::private::disk;
use tdd_child::folder;
use tdd_child::regular_file;
use tdd_core::attempt::CheckpointId;
use tdd_core::trouble::Trouble;

/// Mode and object.
pub(super) type Entry = (&'static str, String);

/// The files of a tree by their paths.
pub(super) type Entries = BTreeMap<Vec<u8>, Entry>;

/// The tree at one moment.
#[derive(Debug)]
pub(super) struct Census {
    pub(super) scan: Scan,
    pub(super) entries: Entries,
    stamps: BTreeMap<Vec<u8>, Stamp>,
}

impl Census {
    /// Looks at every file. What has the stamp that it had in `before` is not read again.
    pub(super) fn take(checkpoints: &GitCheckpoints, before: Option<&Self>) -> Result<Self, Trouble> {
        let scan = checkpoints.scan()?;
        let mut entries = Entries::new();
        let mut unread: Vec<&Found> = Vec::new();
        for found in &scan.files {
            let known = before.filter(|before| before.stamps.get(&found.path) == Some(&found.stamp));
            match known.and_then(|before| before.entries.get(&found.path)) {
                Some(entry) => drop(entries.insert(found.path.clone(), entry.clone())),
                None => unread.push(found),
            }
        }
        let objects = hashed(checkpoints, &unread, Writing::No)?;
        for (found, object) in unread.iter().zip(objects) {
            entries.insert(found.path.clone(), (mode(found.kind), object));
        }
        let stamps = scan.files.iter().map(|found| (found.path.clone(), found.stamp)).collect();
        Ok(Self { scan, entries, stamps })
    }

    /// Whether a later census found every file with the stamp that it has here.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        self.stamps == other.stamps
    }
}

impl GitCheckpoints {
    /// The commit that HEAD stands for, and when it was made, in seconds; `None` if there is none yet.
    pub(super) fn head(&self) -> Result<Option<(CheckpointId, u64)>, Trouble> {
        let own = Git::own(&self.place);
        let found = own.ask(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], b"")?;
        match found.code {
            Some(0) => {}
            Some(1) => return Ok(None),
            _ => return Err(git::refused(&["rev-parse"], &found.stderr)),
        }
        let head = CheckpointId(git::object_name(&found.stdout, "rev-parse")?);
        let said = self.private.run(&["cat-file", "commit", &head.0], b"")?;
        let text = String::from_utf8_lossy(&said).into_owned();
        // "committer <name> <mail> <seconds> <zone>"
        let line =
            text.lines().take_while(|line| !line.is_empty()).find(|line| line.starts_with("committer "));
        let seconds = line.and_then(|line| line.rsplit(' ').nth(1)?.parse().ok());
        Ok(seconds.map(|seconds| (head, seconds)))
    }
}

/// What a commit lists, as entries.
pub(super) fn entries(listed: Vec<Listed>) -> Entries {
    let mode = |mode: &str| match mode {
        "100755" => "100755",
        "120000" => "120000",
        "160000" => "160000",
        _ => "100644",
    };
    listed.into_iter().map(|file| (file.path, (mode(&file.mode), file.object))).collect()
}

/// What differs between two trees, sorted by path.
pub(super) fn differences(from: &Entries, to: &Entries) -> Vec<Difference> {
    let paths: BTreeSet<&Vec<u8>> = from.keys().chain(to.keys()).collect();
    let absent = || ("000000", String::new());
    let mut differences = Vec::new();
    for path in paths {
        let (was, is) = (from.get(path), to.get(path));
        if was == is {
            continue;
        }
        let (old_mode, old_object) = was.cloned().unwrap_or_else(absent);
        let (new_mode, new_object) = is.cloned().unwrap_or_else(absent);
        differences.push(Difference {
            old_mode: old_mode.to_owned(),
            new_mode: new_mode.to_owned(),
            old_object,
            new_object,
            path: path.clone(),
        });
    }
    differences
}

fn mode(kind: Kind) -> &'static str {
    match kind {
        Kind::Plain => "100644",
        Kind::Executable => "100755",
        Kind::Link => "120000",
    }
}

/// Whether objects are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writing {
    No,
    To,
}

/// A folder for new objects that nobody sees until they are whole; the user's are beside it.
struct Quarantine<'q> {
    git: Git,
    folder: PathBuf,
    /// The user's.
    objects: &'q Path,
}

/// Writes the tree as it was counted as a commit. Blobs that `known` trees hold are there already. New
/// objects are deflated once, out of sight, and then moved to where they belong, one by one: whoever
/// is killed meanwhile has left loose objects that nothing holds, and nothing half done.
pub(super) fn write(
    checkpoints: &GitCheckpoints,
    census: &Census,
    known: &BTreeSet<String>,
    message: &str,
) -> Result<CheckpointId, Trouble> {
    let folder = checkpoints.scratch.join("new");
    let objects = checkpoints.place.common_dir.join("objects");
    let laid = std::fs::create_dir_all(folder.join("objects"));
    laid.map_err(|error| disk(&folder, &error))?;
    let git = checkpoints.private.in_quarantine(&folder.join("objects"), &objects);
    let quarantine = Quarantine { git, folder, objects: &objects };
    let is_new =
        |found: &&Found| census.entries.get(&found.path).is_some_and(|(_, object)| !known.contains(object));
    let new: Vec<&Found> = census.scan.files.iter().filter(is_new).collect();
    let written = hashed_by(&quarantine.git, checkpoints, &new, Writing::To)?;
    let counted = new.iter().filter_map(|found| census.entries.get(&found.path));
    if counted.map(|(_, object)| object).ne(&written) {
        return Err(changing());
    }
    let commit = quarantine.commit(&census.entries, message)?;
    quarantine.release()?;
    Ok(CheckpointId(commit))
}

/// The trouble of files that somebody writes to.
pub(super) fn changing() -> Trouble {
    Trouble::user("files of the work tree change at this moment")
        .because("they were not the same when they were looked at twice")
        .advise("nothing was changed; end what writes to them, then try again")
}

impl Quarantine<'_> {
    fn commit(&self, entries: &Entries, message: &str) -> Result<String, Trouble> {
        let index = self.folder.join("index");
        let _ = std::fs::remove_file(&index);
        let mut lines = Vec::new();
        for (path, (mode, object)) in entries {
            lines.extend_from_slice(format!("{mode} {object}\t").as_bytes());
            lines.extend_from_slice(path);
            lines.push(0);
        }
        let said = |args: &[&str], input: &[u8]| {
            let mut command = self.git.command();
            command.args(["-c", "core.splitIndex=false"]).env("GIT_INDEX_FILE", &index).args(args);
            let said = git::finish(command, input, args[0])?;
            if said.ok { Ok(said.stdout) } else { Err(git::refused(args, &said.stderr)) }
        };
        said(&["update-index", "-z", "--index-info"], &lines)?;
        let tree = said(&["write-tree"], b"")?;
        let tree = git::object_name(&tree, "write-tree")?;
        let commit = said(&["commit-tree", &tree], message.as_bytes())?;
        let _ = std::fs::remove_file(&index);
        git::object_name(&commit, "commit-tree")
    }

    fn release(&self) -> Result<(), Trouble> {
        let objects = self.folder.join("objects");
        let failed = |error: std::io::Error| disk(self.objects, &error);
        for fan in folder::entries(&objects).map_err(failed)? {
            let name = fan.file_name();
            if name.len() != 2 || !name.as_bytes().iter().all(u8::is_ascii_hexdigit) {
                continue;
            }
            let to = self.objects.join(&name);
            std::fs::create_dir_all(&to).map_err(failed)?;
            for object in folder::entries(&fan.path()).map_err(failed)? {
                let is_whole = !object.file_name().as_bytes().starts_with(b"tmp_");
                let target = to.join(object.file_name());
                if is_whole && !target.exists() {
                    moved(&object.path(), &target).map_err(failed)?;
                }
            }
        }
        Ok(())
    }
}

/// The folder of objects may be a link to another disk.
fn moved(from: &Path, to: &Path) -> std::io::Result<()> {
    match std::fs::rename(from, to) {
        Err(error) if error.kind() == std::io::ErrorKind::CrossesDevices => {
            let near = to.with_extension("tdd");
            let written = regular_file::write(&near, regular_file::read(from)?);
            let there = written.and_then(|()| std::fs::rename(&near, to));
            // Of a disk that was full on the way nothing stays.
            there.inspect_err(|_| drop(std::fs::remove_file(&near)))
        }
        other => other,
    }
}

fn hashed(checkpoints: &GitCheckpoints, files: &[&Found], write: Writing) -> Result<Vec<String>, Trouble> {
    hashed_by(&checkpoints.private, checkpoints, files, write)
}

/// The objects that these files are, in their order.
fn hashed_by(
    git: &Git,
    checkpoints: &GitCheckpoints,
    files: &[&Found],
    write: Writing,
) -> Result<Vec<String>, Trouble> {
    let (links, plain): (Vec<&Found>, Vec<&Found>) = files.iter().partition(|found| found.kind == Kind::Link);
    let mut paths = String::new();
    for found in &plain {
        // Opening it makes it readable, where its owner may not read it.
        checkpoints.tree.read_file(&found.path).map_err(|error| unreadable(&found.path, &error))?;
        let _ = std::fmt::Write::write_fmt(&mut paths, format_args!("{}\n", quoted(&found.path)));
    }
    let mut args = vec!["-c", "core.bigFileThreshold=64g", "hash-object", "--no-filters"];
    if write == Writing::To {
        args.push("-w");
    }
    let mut objects = BTreeMap::new();
    if !plain.is_empty() {
        let said = asked(git, &[&args[..], &["--stdin-paths"]].concat(), paths.as_bytes())?;
        let names = said.lines().map(str::to_owned);
        objects.extend(plain.iter().map(|found| found.path.as_slice()).zip(names));
    }
    for found in links {
        let target = checkpoints.tree.read_link(&found.path);
        let target = target.map_err(|error| unreadable(&found.path, &error))?;
        let said = asked(git, &[&args[..], &["--stdin"]].concat(), &target)?;
        objects.insert(&found.path, git::object_name(said.as_bytes(), "hash-object")?);
    }
    let object = |found: &&Found| objects.get(found.path.as_slice()).cloned().ok_or_else(changing);
    files.iter().map(object).collect()
}

/// Hashing a large tree takes longer than any other answer of git's.
fn asked(git: &Git, args: &[&str], input: &[u8]) -> Result<String, Trouble> {
    let mut command = git.command();
    command.args(args);
    let mut child = git_child::start(command)?;
    let watchdog = git_child::Watchdog::over(&mut child)?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let heard = std::thread::scope(|scope| {
        git::in_scope(scope, move || {
            stdin.map(|mut pipe| pipe.write_all(input));
        })?;
        let noise = git::in_scope(scope, || git::drain(stderr))?;
        let said = git::drain(stdout)?;
        Ok((said, noise.join().unwrap_or_else(|_| Ok(Vec::new()))?))
    });
    drop(watchdog);
    let (said, noise) = match heard {
        Ok(heard) => heard,
        Err(error) => {
            git_child::end_now(&mut child);
            return Err(git_child::lost(error));
        }
    };
    let status = child.wait().map_err(|error| Trouble::environment("git got lost").because(error))?;
    if status.success() {
        return Ok(String::from_utf8_lossy(&said).into_owned());
    }
    let complaint = git::complaint(status, &String::from_utf8_lossy(&noise));
    Err(git::refused(&["hash-object"], &complaint))
}

fn unreadable(path: &[u8], error: &std::io::Error) -> Trouble {
    Trouble::environment(format!("{} can't be read", OsStr::from_bytes(path).display()))
        .because(error)
        .advise("nothing was changed; see that it can be read and that nothing writes to it")
}
