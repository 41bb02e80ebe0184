//! What git says of the repository before a run begins.
#![expect(clippy::disallowed_methods, reason = "asks git")]

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::checkpoints::place::GitPlace;
use crate::half_done::{self, HalfDone, Leaves};
use tdd_core::harmless;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// Bytes of an answer that are read; what is longer is cut.
const MOST: u64 = 4 << 20;
/// A git that takes longer hangs.
const LONGEST: Duration = Duration::from_secs(30);

/// Paths that a message names.
const LISTED: usize = 5;

/// Refuses while another git command holds the index, or has left its lock behind.
pub fn refuse_locked_index(repository: &Path) -> Result<(), Trouble> {
    let lock = GitPlace::find(repository)?.git_dir.join("index.lock");
    if std::fs::symlink_metadata(&lock).is_err() {
        return Ok(());
    }
    Err(Trouble::environment("another git command is at work in this repository")
        .because(format!("{} exists", lock.display()))
        .advise("wait until it is done; if none is running, remove that file"))
}

/// Refuses while a merge or a rebase is open, or files are in conflict: what is half merged would be the tree
/// that the run begins with, and a commit of its own paths can't be made.
pub fn refuse_half_merged(repository: &Path) -> Result<(), Trouble> {
    let place = GitPlace::find(repository)?;
    let (open, conflicts) = (half_done::in_the_way(&place.git_dir), conflicts(repository));
    if conflicts.is_empty() && !open.is_some_and(|open| open.leaves == Leaves::HalfMerged) {
        return Ok(());
    }
    let why = in_conflict(&conflicts)
        .unwrap_or_else(|| "what is half merged would be taken for the beginning".to_owned());
    let (what, next) = words_of(open);
    Err(Trouble::user(what).because(why).mend(next))
}

/// What git is in the midst of, and how that ends, where it takes no commit of single files meanwhile.
pub fn half_merged(repository: &Path) -> Option<String> {
    let place = GitPlace::find(repository).ok()?;
    let (open, conflicts) = (half_done::in_the_way(&place.git_dir), conflicts(repository));
    if conflicts.is_empty() && open.is_none() {
        return None;
    }
    let (what, next) = words_of(open);
    let why = in_conflict(&conflicts).map(|why| format!(" ({why})")).unwrap_or_default();
    Some(format!("{what}{why}, and takes no commit of single files until then: {next}"))
}

fn in_conflict(paths: &[String]) -> Option<String> {
    let named = paths.iter().take(LISTED).map(|path| harmless::line(path));
    (!paths.is_empty()).then(|| format!("files are in conflict: {}", named.collect::<Vec<_>>().join(", ")))
}

/// What it is, and what ends it.
fn words_of(open: Option<&HalfDone>) -> (String, String) {
    match open {
        Some(HalfDone { what, going_on, giving_up, .. }) => (
            format!("git is in the midst of {what}"),
            format!("finish it: {going_on}; or give it up: {giving_up}"),
        ),
        None => (
            "files are half merged".to_owned(),
            "settle the conflicts, and tell git of it: git add FILE; or take HEAD's: git checkout HEAD FILE"
                .to_owned(),
        ),
    }
}

/// The rule by which git ignores `path`, as `file:line:pattern`; `None` if it does not.
pub fn ignoring_rule(repository: &Path, path: &Path) -> Option<String> {
    let flags = ["check-ignore", "--no-index", "-v", "--"].map(OsStr::new);
    let said = ask(repository, &[&flags[..], &[path.as_os_str()]].concat())?;
    let said = String::from_utf8_lossy(&said).into_owned();
    let rule = said.split('\t').next()?.trim().to_owned();
    // A pattern that begins with `!` takes the file back in.
    let pattern = rule.rsplit(':').next().unwrap_or_default();
    (!pattern.starts_with('!') && !rule.is_empty()).then_some(rule)
}

/// What differs from a commit: tracked files that do, and files that git does not know and does not
/// ignore. `None` for a repository without any commit yet.
///
/// # Errors
/// There is no such commit.
pub fn changed_since(repository: &Path, commit: &str) -> Result<Option<Vec<RelPath>>, Trouble> {
    let revision = format!("{commit}^{{commit}}");
    let verified = ask(repository, &["rev-parse", "--verify", "--quiet", "--end-of-options", &revision]);
    let Some(verified) = verified else {
        if commit == "HEAD" {
            return Ok(None);
        }
        return Err(Trouble::user(format!("--since: git knows no commit `{commit}`"))
            .advise("name a commit, a branch or a tag, for example --since main"));
    };
    let base = String::from_utf8_lossy(&verified).trim().to_owned();
    let options = ["diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", base.as_str(), "--"];
    let differing = ask(repository, &options);
    let unknown = ask(repository, &["ls-files", "--others", "--exclude-standard", "-z"]);
    let (Some(differing), Some(unknown)) = (differing, unknown) else {
        return Err(Trouble::environment("git can't tell what was changed")
            .advise("see what `git status` says in this repository"));
    };
    let names = differing.split(|byte| *byte == 0).chain(unknown.split(|byte| *byte == 0));
    let paths =
        names.filter(|name| !name.is_empty()).map(|name| RelPath::new(&String::from_utf8_lossy(name)));
    // A name that is no path of ours is no document either.
    let paths: Option<Vec<RelPath>> = paths.collect();
    Ok(Some(paths.unwrap_or_default()))
}

/// Whether nothing that differs between these two commits differs from HEAD by now: it was committed, or taken
/// out again. `None` where git can't tell.
pub fn is_as_head(repository: &Path, from: &str, to: &str) -> Option<bool> {
    let options = ["diff-tree", "-r", "--name-only", "--no-renames", "-z", from, to, "--"];
    let differing = ask(repository, &options)?;
    let names = differing.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let of_run: Option<Vec<RelPath>> =
        names.map(|name| RelPath::new(&String::from_utf8_lossy(name))).collect();
    let now = changed_since(repository, "HEAD").ok()??;
    Some(!of_run?.iter().any(|path| now.contains(path)))
}

/// What git says of its version; `None` if there is no git.
pub fn version(folder: &Path) -> Option<String> {
    let said = ask(folder, &["--version"])?;
    Some(String::from_utf8_lossy(&said).trim().to_owned())
}

/// Where `origin` is, without a log-in; `None` if no remote is named so.
pub fn origin(repository: &Path) -> Option<String> {
    let said = ask(repository, &["config", "--get", "remote.origin.url"])?;
    let url = String::from_utf8_lossy(&said).trim().to_owned();
    let without = match url.split_once("://") {
        Some((scheme, rest)) => {
            let host = rest.find('/').unwrap_or(rest.len());
            let from = rest[..host].rfind('@').map_or(0, |at| at + 1);
            format!("{scheme}://{}", &rest[from..])
        }
        None => url,
    };
    (!without.is_empty()).then_some(without)
}

/// What is ignored, relative to the repository; a folder of which all is ignored ends in `/` and
/// stands for all that is in it.
pub fn ignored(repository: &Path) -> Vec<String> {
    list(repository, &["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"])
}

/// The submodules that the index knows.
pub fn submodules(repository: &Path) -> Vec<String> {
    let staged = list(repository, &["ls-files", "-z", "--stage"]);
    let path = |line: &String| Some(line.strip_prefix("160000 ")?.split_once('\t')?.1.to_owned());
    staged.iter().filter_map(path).collect()
}

/// Paths that a merge left in conflict.
pub fn conflicts(repository: &Path) -> Vec<String> {
    let mut paths: Vec<String> = list(repository, &["ls-files", "-z", "--unmerged"])
        .iter()
        .filter_map(|line| Some(line.split_once('\t')?.1.to_owned()))
        .collect();
    paths.dedup();
    paths
}

/// Files below `folder` that git has in its index.
pub fn tracked(repository: &Path, folder: &RelPath) -> Vec<String> {
    list(repository, &["ls-files", "-z", "--", folder.as_str()])
}

/// The paths of all files that git knows or would add; `None` where they are too many to be told.
pub fn files(repository: &Path) -> Option<Vec<String>> {
    let said = ask(repository, &["ls-files", "-z", "--cached", "--others", "--exclude-standard"])?;
    let names = said.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Some(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// Entries that end in NUL, less one that was cut.
fn list(repository: &Path, args: &[&str]) -> Vec<String> {
    let said = hear(repository, args).unwrap_or_default();
    let whole = said.iter().rposition(|byte| *byte == 0).unwrap_or(0);
    let entries = said[..whole].split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
    entries.map(|entry| String::from_utf8_lossy(entry).into_owned()).collect()
}

/// What git prints, whole; `None` if it says no, is not there, hangs or prints too much.
fn ask<S: AsRef<OsStr>>(folder: &Path, args: &[S]) -> Option<Vec<u8>> {
    hear(folder, args).filter(|said| (said.len() as u64) < MOST)
}

/// The same, cut after [`MOST`] bytes.
fn hear<S: AsRef<OsStr>>(folder: &Path, args: &[S]) -> Option<Vec<u8>> {
    let mut command = Command::new("git");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    command.current_dir(folder).args(["-c", "core.fsmonitor=false"]).args(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let pipe = child.stdout.take()?;
    let (send, said) = mpsc::channel();
    // Where no thread can be started, `send` is dropped, and nothing is heard.
    let _ = std::thread::Builder::new().name("tdd-git".to_owned()).spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.take(MOST).read_to_end(&mut bytes);
        let _ = send.send(read.map(|_| bytes));
    });
    let said = said.recv_timeout(LONGEST).ok().and_then(Result::ok);
    let is_cut = said.as_ref().is_none_or(|said| said.len() as u64 >= MOST);
    if is_cut {
        let _ = child.kill();
    }
    let status = child.wait().ok()?;
    said.filter(|_| is_cut || status.success())
}
