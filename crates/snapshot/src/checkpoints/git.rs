//! git as a program: no hooks, no prompts, no pager, no identity or configuration of anybody
//! else, and never without a deadline.
#![expect(clippy::disallowed_methods, reason = "starts git and reads which GIT_ variables to take away")]

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::mpsc;
use std::time::Duration;

use super::at_times;
use super::git_child::{STARTS, end_now, is_from_a_terminal, lost, spawn};
use super::place::GitPlace;
use tdd_child::free_space;
use tdd_core::attempt::CheckpointId;
use tdd_core::trouble::{Obstacle, Trouble, Why};

/// No plumbing command that is used here takes longer, even on a slow disk. A folder in which a
/// child left a FIFO instead of a ref would hold git for ever.
const DEADLINE: Duration = Duration::from_mins(2);

/// What git printed and how it ended.
pub(super) struct Said {
    pub(super) ok: bool,
    /// `None` where a signal ended it.
    pub(super) code: Option<i32>,
    pub(super) stdout: Vec<u8>,
    /// What it complained of; never empty where it failed.
    pub(super) stderr: String,
}

/// One way to call git: which folder is its `GIT_DIR`.
#[derive(Clone, Debug)]
pub(super) struct Git {
    folder: PathBuf,
    /// Set for the private folder: where the objects really are.
    objects: Option<PathBuf>,
    /// Objects that are read, and not written, besides.
    besides: Option<PathBuf>,
    work_tree: PathBuf,
    /// Set for the private folder that shares the user's refs: where they really are.
    refs: Option<PathBuf>,
}

impl Git {
    /// git on the user's own git folder, for what lies nowhere else: configuration, what is tracked.
    pub(super) fn own(place: &GitPlace) -> Self {
        Self {
            folder: place.git_dir.clone(),
            objects: None,
            besides: None,
            work_tree: place.work_tree.clone(),
            refs: None,
        }
    }

    /// git on a folder of ours that shares nothing with the user's but the objects, and the refs where
    /// the folder leads to them: no configuration, attributes or hooks of a repository that a child may
    /// have written to.
    pub(super) fn private(place: &GitPlace, git_dir: &Path) -> Self {
        Self {
            folder: git_dir.to_owned(),
            objects: Some(place.common_dir.join("objects")),
            besides: None,
            work_tree: place.work_tree.clone(),
            refs: None,
        }
    }

    /// The same for the folder that leads to the user's refs.
    pub(super) fn sharing_refs(place: &GitPlace, git_dir: &Path) -> Self {
        Self { refs: Some(place.common_dir.clone()), ..Self::private(place, git_dir) }
    }

    /// The same git, but new objects go into a folder of their own.
    pub(super) fn in_quarantine(&self, folder: &Path, objects: &Path) -> Self {
        let (folder, objects) = (folder.to_owned(), objects.to_owned());
        Self { objects: Some(folder), besides: Some(objects), ..self.clone() }
    }

    /// git with what makes it quiet and harmless; pipes and arguments are the caller's.
    pub(super) fn command(&self) -> Command {
        if let Some(refs) = &self.refs {
            at_times::lead_to_what_comes_and_goes(&self.folder, refs);
        }
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"GIT_") {
                command.env_remove(name);
            }
        }
        command
            .args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"])
            .args(["-c", "core.untrackedCache=false", "-c", "core.logAllRefUpdates=false"])
            .args(["-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "core.fsync=all"])
            .args(["-c", "core.bare=false", "-c", "core.commitGraph=false", "--no-pager"])
            .current_dir(&self.work_tree)
            .env("GIT_DIR", &self.folder)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_NO_LAZY_FETCH", "1")
            // An older git knows no such variable, and fetches a missing object by whatever program
            // the repository's configuration names.
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_GRAFT_FILE", "/dev/null")
            .env("GIT_ADVICE", "0")
            .env("GIT_AUTHOR_NAME", "tdd")
            .env("GIT_AUTHOR_EMAIL", "tdd@localhost")
            .env("GIT_COMMITTER_NAME", "tdd")
            .env("GIT_COMMITTER_EMAIL", "tdd@localhost")
            .env("LC_ALL", "C")
            .env("GIT_WORK_TREE", &self.work_tree);
        if let Some(objects) = &self.objects {
            command.env("GIT_OBJECT_DIRECTORY", objects);
        }
        if let Some(besides) = &self.besides {
            // Quoted as C would: a blank or a colon parts the paths else.
            let path = besides.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
            command.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", format!("\"{path}\""));
        }
        command
    }

    /// Runs git to its end and gives its stdout; any other end than success is a trouble.
    pub(super) fn run<S: AsRef<OsStr>>(&self, args: &[S], input: &[u8]) -> Result<Vec<u8>, Trouble> {
        let said = self.ask(args, input)?;
        if said.ok { Ok(said.stdout) } else { Err(refused(args, &said.stderr)) }
    }

    /// Runs git to its end, whatever that is. A trouble only if it can't be started or hangs.
    pub(super) fn ask<S: AsRef<OsStr>>(&self, args: &[S], input: &[u8]) -> Result<Said, Trouble> {
        let mut command = self.command();
        command.args(args);
        finish(command, input, &words(args))
    }

    /// Whether a commit and its tree are still there.
    pub(super) fn holds(&self, commit: &CheckpointId) -> bool {
        self.ask(&["cat-file", "-e", &format!("{commit}^{{tree}}")], b"").is_ok_and(|said| said.ok)
    }

    /// What an index file says of every path, without the times that it holds.
    pub(super) fn list_index(&self, index: &Path) -> Result<Vec<u8>, Trouble> {
        let mut command = self.command();
        command.env("GIT_INDEX_FILE", index).args(["ls-files", "--stage", "-v", "-z"]);
        let said = finish(command, b"", "ls-files")?;
        if said.ok { Ok(said.stdout) } else { Err(refused(&["ls-files"], &said.stderr)) }
    }

    /// The tree that an index file stands for. Unmerged paths lie below `stage-1` to `stage-3`.
    /// `None` where git can't read the index, or an object of it is gone.
    pub(super) fn tree_of_index(&self, index: &Path) -> Option<String> {
        let git = |args: &[&str], input: &[u8], index: &Path| {
            let mut command = self.command();
            command.args(["-c", "core.splitIndex=false"]).env("GIT_INDEX_FILE", index).args(args);
            finish(command, input, args[0]).ok().filter(|said| said.ok).map(|said| said.stdout)
        };
        let name = |tree: Vec<u8>| object_name(&tree, "write-tree").ok();
        if let Some(tree) = git(&["write-tree"], b"", index) {
            return name(tree);
        }
        let listed = git(&["ls-files", "--stage", "-z"], b"", index)?;
        let mut entries = Vec::new();
        for line in listed.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
            let tab = line.iter().position(|byte| *byte == b'\t')?;
            let (head, path) = (std::str::from_utf8(&line[..tab]).ok()?, &line[tab + 1..]);
            let (object, stage) = head.rsplit_once(' ')?;
            let folder = if stage == "0" { String::new() } else { format!("stage-{stage}/") };
            entries.extend_from_slice(format!("{object}\t{folder}").as_bytes());
            entries.extend_from_slice(path);
            entries.push(0);
        }
        let folder = tempfile::tempdir().ok()?;
        let plain = folder.path().join("index");
        git(&["update-index", "-z", "--index-info"], &entries, &plain)?;
        name(git(&["write-tree"], b"", &plain)?)
    }

    /// Asks for one value of the configuration as the user's own git sees it.
    pub(super) fn setting(&self, name: &str) -> Option<OsString> {
        use std::os::unix::ffi::OsStringExt;
        let mut command = self.command();
        command.env_remove("GIT_CONFIG_GLOBAL").env_remove("GIT_CONFIG_NOSYSTEM");
        command.args(["config", "--type=path", "--get", name]);
        let said = finish(command, b"", "config").ok().filter(|said| said.ok)?;
        let value = said.stdout.strip_suffix(b"\n").unwrap_or(&said.stdout).to_vec();
        Some(OsString::from_vec(value))
    }
}

/// The trouble of a git that said no.
pub(super) fn refused<S: AsRef<OsStr>>(args: &[S], stderr: &str) -> Trouble {
    let words = words(args);
    let shown: String = without_noise(stderr).chars().take(2000).collect();
    let obstacle = stderr.lines().find_map(|line| Obstacle::told_by(line).or_else(|| unsaid(line)));
    let why = Why { words: shown, obstacle };
    Trouble::environment(format!("git {words} failed"))
        .because(why)
        .mend("run `git fsck` to see whether the repository is damaged")
}

/// Of a lock of a ref that it could not write git never says why.
fn unsaid(line: &str) -> Option<Obstacle> {
    let (path, _) = line.split_once("couldn't write '")?.1.split_once('\'')?;
    let error = free_space::full(Path::new(path).parent()?)?;
    Obstacle::of(&error)
}

/// Less what fast-import prints besides, which says nothing of the cause.
fn without_noise(stderr: &str) -> String {
    let is_noise =
        |line: &&str| line.contains("dumping crash report") || line.contains("die() called many times");
    let lines: Vec<String> = stderr
        .trim()
        .lines()
        .filter(|line| !is_noise(line))
        .map(|line| line.replace(" (disk corruption?)", ""))
        .collect();
    lines.join("\n")
}

/// What a git complained of. One that was killed, or had no memory to say why, says nothing.
pub(super) fn complaint(status: ExitStatus, stderr: &str) -> String {
    match (status.success() || !stderr.trim().is_empty(), status.signal()) {
        (true, _) => stderr.to_owned(),
        (false, Some(signal)) => format!("it was ended by signal {signal} before it said anything"),
        (false, None) => format!("it said nothing ({status})"),
    }
}

/// The one object's name that git has answered.
pub(super) fn object_name(answer: &[u8], words: &str) -> Result<String, Trouble> {
    let name = String::from_utf8_lossy(answer).trim().to_owned();
    if matches!(name.len(), 40 | 64) && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(name);
    }
    let shown: String = name.chars().take(200).collect();
    let shown = if shown.is_empty() { "it said nothing".to_owned() } else { format!("it said: {shown}") };
    Err(Trouble::environment(format!("git {words} gave no name of an object"))
        .because(shown)
        .mend("see that git works here (`git status`, `git fsck`)"))
}

pub(super) fn finish(mut command: Command, input: &[u8], words: &str) -> Result<Said, Trouble> {
    for _ in 0..STARTS {
        let (status, said) = finish_once(&mut command, input, words)?;
        if !is_from_a_terminal(status) {
            return Ok(said);
        }
    }
    Ok(finish_once(&mut command, input, words)?.1)
}

fn finish_once(command: &mut Command, input: &[u8], words: &str) -> Result<(ExitStatus, Said), Trouble> {
    let mut child = spawn(command)?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (done, wait) = mpsc::channel();
    std::thread::scope(|scope| {
        let start = || {
            Ok::<_, std::io::Error>((
                // A git that ends early closes its input; its exit code tells the rest.
                in_scope(scope, move || {
                    stdin.map(|mut pipe| pipe.write_all(input));
                })?,
                in_scope(scope, move || drain(stderr))?,
                in_scope(scope, move || {
                    let bytes = drain(stdout);
                    let _ = done.send(());
                    bytes
                })?,
            ))
        };
        let (_, noise, result) = match start() {
            Ok(threads) => threads,
            Err(error) => {
                end_now(&mut child);
                return Err(lost(error));
            }
        };
        let in_time = wait.recv_timeout(DEADLINE).is_ok();
        if !in_time {
            let _ = child.kill();
        }
        let status = child.wait().map_err(|error| Trouble::environment("git got lost").because(error));
        let stdout = result.join().unwrap_or_else(|_| Ok(Vec::new()));
        let stderr = noise.join().unwrap_or_else(|_| Ok(Vec::new()));
        if !in_time {
            return Err(Trouble::environment(format!("git {words} did not end within {DEADLINE:?}"))
                .because("the disk hangs, or something in the git folder is a pipe instead of a file")
                .mend("look into the .git folder"));
        }
        let status = status?;
        // Half an answer is none.
        let stdout = stdout.map_err(lost)?;
        let stderr = complaint(status, &String::from_utf8_lossy(&stderr.map_err(lost)?));
        Ok((status, Said { ok: status.success(), code: status.code(), stdout, stderr }))
    })
}

/// A scoped thread; std's own way to start one panics where the system has none left.
pub(super) fn in_scope<'scope, T: Send + 'scope>(
    scope: &'scope std::thread::Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> std::io::Result<std::thread::ScopedJoinHandle<'scope, T>> {
    std::thread::Builder::new().name("tdd-git".to_owned()).spawn_scoped(scope, work)
}

pub(super) fn drain(pipe: Option<impl Read>) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn words<S: AsRef<OsStr>>(args: &[S]) -> String {
    args.first().map(|arg| arg.as_ref().to_string_lossy().into_owned()).unwrap_or_default()
}
