//! What a clone gets in place of files that were laid out byte for byte (ends of lines, encodings, `$Id$`, modes): git
//! takes them in as its owner's configuration and attributes say, and gives them back as nobody's do but those of the
//! tree, for neither a configuration nor `.git/info/attributes` is cloned.
//!
//! No filter runs: its command stands in a configuration that a model may write. What Git LFS or another filter makes
//! of a file is not looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::edit::{Permissions, Tree};
use super::git::{Git, Said, finish};
use super::{GitCheckpoints, disk, shown};
use tdd_child::regular_file;
use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// A longer file is taken to come back as it is.
const MOST_READ: u64 = 64 << 20;

/// One file as git gives it back.
struct Back {
    bytes: Vec<u8>,
    is_executable: bool,
}

impl GitCheckpoints {
    /// Puts into `laid`, where this tree lies, each of these files as git gives it back, where that is not as it lies
    /// there. Gives those.
    pub(super) fn given_back(
        &mut self,
        tree: &CheckpointId,
        laid: &Path,
        paths: &[RelPath],
    ) -> Result<Vec<RelPath>, Trouble> {
        let asked: BTreeSet<&RelPath> =
            paths.iter().filter(|path| self.place.inner_repository(path).is_none()).collect();
        let files = self.contents.files(tree)?;
        let files: Vec<&[u8]> = files
            .iter()
            .filter(|file| matches!(file.mode.as_str(), "100644" | "100755"))
            .filter(|file| asked.contains(&shown(&file.path)))
            .map(|file| file.path.as_slice())
            .collect();
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let folder = tempfile::tempdir_in(&self.scratch).map_err(|error| disk(&self.scratch, &error))?;
        let out = folder.path().join("out");
        RoundTrip {
            owner: self.own_git(),
            clone: self.private.clone(),
            folder: folder.path(),
            laid,
            objects: &self.place.common_dir,
        }
        .make(&files, &out)?;
        let into = Tree::open(laid).map_err(|error| disk(laid, &error))?;
        let mut changed = Vec::new();
        for path in files {
            let Some(back) = differing(path, laid, &out) else { continue };
            let permissions = if back.is_executable { Permissions::Executable } else { Permissions::Plain };
            let put = into.put_file(path, permissions, |file| std::io::Write::write_all(file, &back.bytes));
            put.map_err(|error| disk(laid, &error))?;
            changed.push(shown(path));
        }
        Ok(changed)
    }
}

/// What git gives back of a file, if it is not what was laid out. What can't be read tells nothing.
fn differing(path: &[u8], laid: &Path, out: &Path) -> Option<Back> {
    let read = |root: &Path| {
        let full = root.join(std::ffi::OsStr::from_bytes(path));
        let file = regular_file::open(&full).ok()?;
        let is_executable = file.metadata().ok()?.permissions().mode() & 0o100 != 0;
        let bytes = regular_file::head_of(file, MOST_READ).ok()?;
        (bytes.len() as u64 != MOST_READ).then_some(Back { bytes, is_executable })
    };
    let (was, back) = (read(laid)?, read(out)?);
    (was.bytes != back.bytes || was.is_executable != back.is_executable).then_some(back)
}

struct RoundTrip<'a> {
    owner: Git,
    /// Has no configuration and no attributes of its own.
    clone: Git,
    /// For its index and objects.
    folder: &'a Path,
    laid: &'a Path,
    /// Of the repository: the folder above its objects.
    objects: &'a Path,
}

impl RoundTrip<'_> {
    fn make(&self, files: &[&[u8]], out: &Path) -> Result<(), Trouble> {
        let objects = self.folder.join("objects");
        for made in [out, objects.as_path()] {
            std::fs::create_dir(made).map_err(|error| disk(made, &error))?;
        }
        let filters = self.filters()?;
        if self.runs_any(&filters)? {
            return Err(Trouble::environment("this git runs filters though they are switched off")
                .because("it is older than 2.31")
                .advise("install a newer git"));
        }
        // A file that is known keeps its mode and its ends of lines by its entry. Before the first commit none is.
        if self.ask(&["rev-parse", "--verify", "--quiet", "HEAD^{tree}"], b"", &filters)?.ok {
            self.run(&["read-tree", "HEAD"], b"", &filters)?;
        }
        let names: Vec<u8> = files.iter().flat_map(|path| [path, &b"\0"[..]].concat()).collect();
        self.run(&["update-index", "--add", "--replace", "-z", "--stdin"], &names, &filters)?;
        let prefix = [b"--prefix=", out.as_os_str().as_bytes(), b"/"].concat();
        let prefix = OsString::from_vec(prefix);
        let mut checkout = self.on_own_index(&self.clone);
        checkout.env("GIT_ATTR_NOSYSTEM", "1").args([
            "-c",
            "core.attributesFile=/dev/null",
            "checkout-index",
            "-f",
        ]);
        checkout.arg(prefix).args(["-z", "--stdin"]);
        expect(&finish(checkout, &names, "give the files back")?)
    }

    /// The names of all filters that somebody has configured.
    fn filters(&self) -> Result<BTreeSet<Vec<u8>>, Trouble> {
        let said =
            self.ask(&["config", "--name-only", "-z", "--get-regexp", "^filter\\."], b"", &[].into())?;
        let name = |key: &[u8]| {
            let end = key.iter().rposition(|byte| *byte == b'.')?;
            key[..end].strip_prefix(b"filter.").map(<[u8]>::to_vec)
        };
        Ok(said.stdout.split(|byte| *byte == 0).filter_map(name).collect())
    }

    /// Whether a filter would run though all of them are switched off: what is said last of a key holds.
    fn runs_any(&self, filters: &BTreeSet<Vec<u8>>) -> Result<bool, Trouble> {
        if filters.is_empty() {
            return Ok(false);
        }
        let keys = ["config", "-z", "--get-regexp", r"^filter\..*\.(clean|smudge|process)$"];
        let said = self.ask(&keys, b"", filters)?;
        let lines = said.stdout.split(|byte| *byte == 0).filter(|line| !line.is_empty());
        let held: BTreeMap<&[u8], bool> = lines
            .map(|line| {
                let end = line.iter().position(|byte| *byte == b'\n').unwrap_or(line.len());
                (&line[..end], end + 1 < line.len())
            })
            .collect();
        Ok(held.values().any(|is_command| *is_command))
    }

    fn run<S: AsRef<std::ffi::OsStr>>(
        &self,
        args: &[S],
        input: &[u8],
        filters: &BTreeSet<Vec<u8>>,
    ) -> Result<(), Trouble> {
        expect(&self.ask(args, input, filters)?)
    }

    /// On an index and objects of ours, in the checkout.
    fn on_own_index(&self, git: &Git) -> Command {
        let objects = self.objects.join("objects");
        let mut command = git.in_quarantine(&self.folder.join("objects"), &objects).command();
        command
            .env("GIT_INDEX_FILE", self.folder.join("index"))
            .env("GIT_WORK_TREE", self.laid)
            .current_dir(self.laid);
        command
    }

    /// git with the person's own configuration.
    fn ask<S: AsRef<std::ffi::OsStr>>(
        &self,
        args: &[S],
        input: &[u8],
        filters: &BTreeSet<Vec<u8>>,
    ) -> Result<Said, Trouble> {
        let mut command = self.on_own_index(&self.owner);
        command
            .env_remove("GIT_CONFIG_NOSYSTEM")
            .env_remove("GIT_CONFIG_GLOBAL")
            // A conversion that can't be undone is what we ask for.
            .args(["-c", "core.safecrlf=false", "-c", "core.splitIndex=false"])
            .args(["-c", "core.sparseCheckout=false"]);
        let ends = [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];
        let off = filters.iter().flat_map(|name| ends.map(|(end, value)| (name, end, value)));
        for (at, (name, end, value)) in off.clone().enumerate() {
            let key = [b"filter.", name.as_slice(), b".", end.as_bytes()].concat();
            command.env(format!("GIT_CONFIG_KEY_{at}"), OsString::from_vec(key));
            command.env(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
        command.env("GIT_CONFIG_COUNT", off.count().to_string());
        command.args(args);
        finish(command, input, "give the files back")
    }
}

fn expect(said: &Said) -> Result<(), Trouble> {
    if said.ok {
        return Ok(());
    }
    Err(Trouble::environment("git does not take in the files as they would be committed")
        .because(said.stderr.trim())
        .advise("see what `git add` says of them"))
}
