//! What this machine can keep, tried once for each process.
#![expect(clippy::disallowed_methods, reason = "tries whether programs can be started")]

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::Backend;
use super::bubblewrap::{Bubblewrap, Processes, User};

/// The longest explanation of a program that is passed on.
const LONGEST: usize = 300;

static FOUND: OnceLock<Result<Backend, String>> = OnceLock::new();

/// The backend that works here, or why none does. `path` is where programs are looked for; only
/// the first call's counts.
pub(super) fn backend(path: Option<&OsStr>) -> Result<Backend, String> {
    FOUND.get_or_init(|| look(path)).clone()
}

fn look(path: Option<&OsStr>) -> Result<Backend, String> {
    if cfg!(target_os = "macos") {
        return in_path("sandbox-exec", path)
            .map(Backend::Seatbelt)
            .ok_or_else(|| "sandbox-exec is not in PATH".to_owned());
    }
    let Some(program) = in_path("bwrap", path) else {
        return Err("bubblewrap (bwrap) is not installed, and Landlock can't say \"everything but these \
                    files\" in a folder where new files may be made"
            .to_owned());
    };
    let user = if rustix::process::geteuid().is_root() { User::Root } else { User::Ordinary };
    let version = version(&program).ok_or_else(|| format!("{} can't be started", program.display()))?;
    let mut first = None;
    for processes in [Processes::Own, Processes::OwnWithoutProc, Processes::Shared] {
        let candidate = Bubblewrap { program: program.clone(), version: version.clone(), user, processes };
        match try_out(&candidate.base(), path) {
            Ok(()) => return Ok(Backend::Bubblewrap(candidate)),
            Err(why) => first = first.or(Some(why)),
        }
    }
    let why = first.unwrap_or_default();
    Err(format!("bubblewrap {version} does not work here: {why}{}", hint()))
}

/// A distribution may refuse user namespaces to ordinary programs.
fn hint() -> &'static str {
    let restricted = std::fs::read_to_string("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
    if restricted.is_ok_and(|text| text.trim() == "1") {
        " (AppArmor refuses user namespaces to it: it needs a profile that allows `userns`)"
    } else {
        ""
    }
}

/// Runs `true` behind these words; what was said on stderr if that fails.
pub(super) fn try_out(words: &[OsString], path: Option<&OsStr>) -> Result<(), String> {
    let Some((program, rest)) = words.split_first() else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(rest).args(["--", "true"]).env_clear().stdin(Stdio::null());
    if let Some(path) = path {
        command.env("PATH", path);
    }
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    Err(line.trim().chars().take(LONGEST).collect())
}

fn version(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").env_clear().stdin(Stdio::null()).output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout);
    said.split_whitespace().next_back().map(|word| word.chars().take(20).collect())
}

pub(super) fn in_path(name: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    let folders = path.map(std::env::split_paths).into_iter().flatten();
    // A relative folder of PATH would be looked up from wherever the child runs.
    let files = folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
    files.into_iter().find(|file| file.is_file())
}
