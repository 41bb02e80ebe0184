//! What `tdd` is handed out as: the action, the installer, the packages, and the workflow that makes a release.

mod action;
mod gitlab;
mod guide;
mod installer;
mod packages;
mod workflows;

use std::path::{Path, PathBuf};

use super::sandbox::{Ran, Sandbox, has, make_executable};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

fn yaml(text: &str) -> serde_yaml::Value {
    serde_yaml::from_str(text).unwrap()
}

/// What a release calls the build for this machine.
fn target() -> String {
    let system = if cfg!(target_os = "macos") { "apple-darwin" } else { "unknown-linux-gnu" };
    format!("{}-{system}", std::env::consts::ARCH)
}

/// A program that says what it was called with, in place of the real one; it has a page and completions.
const STAND_IN: &str = "#!/bin/sh
case \"$1\" in
--version) echo tdd 0.1.0;;
man) mkdir -p \"$2\"; echo .TH tdd >\"$2/tdd.1\";;
completions) echo \"# $2\";;
*) printf '<%s>' \"$@\"; exit 7;;
esac
";

/// A script that lies there to be run.
fn script(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    make_executable(path);
}

fn release(sandbox: &Sandbox) -> PathBuf {
    release_of(sandbox, STAND_IN)
}

/// A folder as a release has one, with an archive of this program and its checksum.
fn release_of(sandbox: &Sandbox, program: &str) -> PathBuf {
    let folder = sandbox.beside("release");
    let target = target();
    script(&folder.join(format!("tdd-{target}/tdd")), program);
    let script = format!(
        "tar -czf tdd-{target}.tar.gz tdd-{target} && rm -r tdd-{target} && echo other >tdd-other.tar.gz
         if command -v sha256sum; then sha256sum *.gz; else shasum -a 256 *.gz; fi | grep gz >SHA256SUMS"
    );
    let mut sh = sandbox.command("sh");
    assert!(sh.current_dir(&folder).args(["-ec", &script]).status().unwrap().success());
    folder
}

/// Whether shellcheck has nothing to say of a script. Missing: as in [`has`].
#[track_caller]
fn checked_shell(sandbox: &Sandbox, shell: &str, text: &str) {
    if has("shellcheck", &["shellcheck", "--version"]) {
        let file = sandbox.beside("checked.sh");
        std::fs::write(&file, text).unwrap();
        let mut command = sandbox.command("shellcheck");
        let output = command.arg(format!("--shell={shell}")).arg(&file).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

/// Runs a script of `packaging/` with these words, beside the repository of the sandbox.
#[track_caller]
fn packaging(sandbox: &Sandbox, program: &str, words: &[&str]) -> Ran {
    let mut command = sandbox.command(root().join("packaging").join(program));
    let folder = sandbox.beside("packed");
    std::fs::create_dir_all(&folder).unwrap();
    Ran::of(&command.current_dir(folder).args(words).output().unwrap())
}

/// The stand-in as a build that lies there.
fn build(sandbox: &Sandbox) -> String {
    let binary = sandbox.beside("build/tdd");
    script(&binary, STAND_IN);
    binary.to_str().unwrap().to_owned()
}

/// The names of what lies in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

const TARGETS: [&str; 6] = [
    "aarch64-apple-darwin",
    "aarch64-unknown-linux-gnu",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "x86_64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
];

fn has_npm() -> bool {
    has("npm", &["npm", "--version"])
}

fn has_pip() -> bool {
    has("pip", &["python3", "-m", "pip", "--version"])
}

fn has_dpkg() -> bool {
    has("dpkg-deb", &["dpkg-deb", "--version"])
}
