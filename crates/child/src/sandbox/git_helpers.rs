//! Where git's own helpers keep passwords, as its settings say.
#![expect(clippy::disallowed_methods, reason = "asks git for its settings")]

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::known::Known;
use super::probe;

/// Files and sockets that helpers are told. Git is asked once; what it says of a repository counts, too.
pub(super) fn places(known: &Known, repository: &Path) -> Vec<PathBuf> {
    let Some(home) = known.homes.first() else { return Vec::new() };
    let Some(said) = ask(known, repository) else { return Vec::new() };
    let values = said.split('\0').filter_map(|entry| entry.split_once('\n')).map(|(_, value)| value);
    values.flat_map(|value| of_helper(value, &home.spelled)).collect()
}

fn ask(known: &Known, repository: &Path) -> Option<String> {
    let path = known.vars.get(OsStr::new("PATH")).map(OsString::as_os_str);
    let mut command = Command::new(probe::in_path("git", path)?);
    command.args(["config", "--null", "--get-regexp", "^credential\\.(.*\\.)?helper$"]);
    command.env_clear().envs(&known.vars).current_dir(repository).stdin(Stdio::null());
    let output = command.stderr(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What `store` and `cache` are told, and whoever takes such an option.
fn of_helper(value: &str, home: &Path) -> Vec<PathBuf> {
    let mut words = value.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        let named = match word.split_once('=') {
            Some(("--file" | "--socket", path)) => Some(path),
            None if ["--file", "--socket", "-f"].contains(&word) => words.next(),
            Some(_) | None => None,
        };
        let Some(path) = named.map(|path| path.trim_matches(['"', '\''])) else { continue };
        let below = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|begin| path.strip_prefix(begin));
        let path = below.map_or_else(|| PathBuf::from(path), |below| home.join(below));
        found.extend(Some(path).filter(|path| path.is_absolute()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_helper_is_told_is_understood() {
        for (value, want) in [
            ("store --file=/x/y", &["/x/y"][..]),
            ("store --file ~/y", &["/h/y"]),
            ("cache --timeout 9 --socket=\"$HOME/s\"", &["/h/s"]),
            ("!git credential-store --file '/x'", &["/x"]),
            ("netrc -f ~/n -v", &["/h/n"]),
            ("store", &[]),
            ("cache --timeout=5", &[]),
            ("store --file relative", &[]),
        ] {
            let want: Vec<PathBuf> = want.iter().map(PathBuf::from).collect();
            assert_eq!(of_helper(value, Path::new("/h")), want, "{value}");
        }
    }
}
