//! A git repository in a folder of its own, that no configuration of the machine reaches.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test works on real files and may fail anywhere"
)]

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tdd_core::event::RunId;
use tdd_core::path::RelPath;
use tdd_snapshot::checkpoints::GitCheckpoints;

pub(crate) struct Repository {
    folder: tempfile::TempDir,
    /// The top of the work tree.
    pub(crate) top: PathBuf,
}

impl Repository {
    /// `git init` and nothing more: HEAD is unborn.
    pub(crate) fn unborn() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("repo");
        std::fs::create_dir(&top).unwrap();
        let repository = Self { folder, top };
        repository.git(&["init", "-q", "-b", "main"]);
        repository
    }

    /// With these files, committed.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let repository = Self::unborn();
        for (path, text) in files {
            repository.write(path, text.as_bytes());
        }
        repository.commit("first");
        repository
    }

    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Runs git as the user would; its stdout without the last newline.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.top, args)
    }

    pub(crate) fn git_in(&self, cwd: &Path, args: &[&str]) -> String {
        let said = self.command(cwd).args(args).output().unwrap();
        assert!(said.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&said.stderr));
        String::from_utf8_lossy(&said.stdout).trim_end_matches('\n').to_owned()
    }

    pub(crate) fn command(&self, cwd: &Path) -> Command {
        let mut command = Command::new("git");
        command
            .current_dir(cwd)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.folder.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LC_ALL", "C")
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"])
            .args(["-c", "maintenance.auto=false"]);
        command
    }

    pub(crate) fn run_id() -> RunId {
        RunId("20260101T000000Z-STE-1-abcd".to_owned())
    }

    pub(crate) fn scratch(&self) -> PathBuf {
        self.folder.path().join("scratch")
    }

    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn checkpoints(&self) -> GitCheckpoints {
        GitCheckpoints::open(&self.top, &Self::run_id(), &self.scratch()).unwrap()
    }

    pub(crate) fn path(&self, path: impl AsRef<[u8]>) -> PathBuf {
        self.top.join(std::ffi::OsStr::from_bytes(path.as_ref()))
    }

    pub(crate) fn write(&self, path: impl AsRef<[u8]>, bytes: impl AsRef<[u8]>) {
        let at = self.path(path);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::fs::write(at, bytes).unwrap();
    }

    pub(crate) fn read(&self, path: impl AsRef<[u8]>) -> Option<Vec<u8>> {
        std::fs::read(self.path(path)).ok()
    }

    pub(crate) fn text(&self, path: &str) -> Option<String> {
        self.read(path).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    /// A shell command as a child might run it.
    pub(crate) fn child(&self, script: &str) {
        let said = Command::new("sh")
            .args(["-c", script])
            .current_dir(&self.top)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.folder.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs([("GIT_AUTHOR_NAME", "c"), ("GIT_AUTHOR_EMAIL", "c@d")])
            .envs([("GIT_COMMITTER_NAME", "c"), ("GIT_COMMITTER_EMAIL", "c@d")])
            .output()
            .unwrap();
        assert!(said.status.success(), "{script}: {}", String::from_utf8_lossy(&said.stderr));
    }

    /// Every file and link of the work tree but `.git`, with mode and bytes or target.
    pub(crate) fn tree(&self) -> Vec<(Vec<u8>, u32, Vec<u8>)> {
        let mut found = Vec::new();
        collect(&self.top, &self.top, &mut found);
        found.sort();
        found
    }
}

pub(crate) fn rel(path: &str) -> RelPath {
    RelPath::new(path).unwrap()
}

fn collect(top: &Path, folder: &Path, found: &mut Vec<(Vec<u8>, u32, Vec<u8>)>) {
    use std::os::unix::fs::MetadataExt;
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let meta = std::fs::symlink_metadata(&path).unwrap();
        let name = path.strip_prefix(top).unwrap().as_os_str().as_bytes().to_vec();
        if entry.file_name() == ".git" {
            continue;
        }
        if meta.is_dir() {
            collect(top, &path, found);
        } else if meta.is_symlink() {
            let target = std::fs::read_link(&path).unwrap();
            found.push((name, 0, target.as_os_str().as_bytes().to_vec()));
        } else if meta.is_file() {
            found.push((name, meta.mode() & 0o100, std::fs::read(&path).unwrap()));
        } else {
            found.push((name, meta.mode(), Vec::new()));
        }
    }
}
