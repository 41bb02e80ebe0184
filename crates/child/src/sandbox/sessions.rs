//! Programs of the person's that do what they are asked: terminals, editors, key agents. Their sockets lie in
//! folders for temporary files, where a child's own may lie, too: so they go by name.
//!
//! ```text
//! folder of one program (tmux-1000)     a fresh one: what a child starts itself finds its place there
//! single socket (vscode-ipc-….sock)     emptied
//! ```

use std::ffi::OsStr;
use std::fs::{DirEntry, FileType};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::known::Known;
use super::told;
use tdd_core::isolation::Credentials;

/// Variables with the path of a socket, maybe behind `unix:` and before a comma.
pub(super) const NAMING: &[&str] = &[
    "TMUX",
    "ZELLIJ_SOCKET",
    "VSCODE_IPC_HOOK",
    "VSCODE_IPC_HOOK_CLI",
    "VSCODE_GIT_IPC_HANDLE",
    "KITTY_LISTEN_ON",
    "WEZTERM_UNIX_SOCKET",
    "ALACRITTY_SOCKET",
    "NVIM",
    "NVIM_LISTEN_ADDRESS",
    "I3SOCK",
    "SWAYSOCK",
    "GPG_AGENT_INFO",
];

/// Variables with a folder that holds such sockets, or a folder of them for each user.
const FOLDERS: &[(&str, &str)] =
    &[("TMUX_TMPDIR", "tmux-{uid}"), ("SCREENDIR", ""), ("ZELLIJ_SOCKET_DIR", ""), ("ABDUCO_SOCKET_DIR", "")];

/// Where everybody's folders of such sockets are, and those of one user there.
const SHARED: &[(&str, &str)] = &[
    ("/run/screen", "S-{user}"),
    ("/run/screens", "S-{user}"),
    ("/tmp/screens", "S-{user}"),
    ("/tmp/uscreens", "S-{user}"),
    ("/tmp/abduco", "{user}"),
];

/// Folders of one user among temporary files.
const AMONG: &[&str] = &["tmux-{uid}", "zellij-{uid}", "emacs{uid}", "nvim.{user}", "i3-{user}.*"];

/// Single sockets among temporary files.
const SINGLE: &[&str] = &[
    "vscode-ipc-*.sock",
    "vscode-git-*.sock",
    "vscode-ssh-auth-*",
    "vscode-remote-containers-*.sock",
    "mykitty*",
    "kitty-*",
];

/// Folders of key agents, which are started for each session.
const KEY_AGENTS: &[&str] = &["ssh-??????????*"];

/// The most of them that one folder has; the eldest, which are the person's, come first.
const MOST: usize = 300;

/// What to put in the place of each.
pub(super) struct Sessions {
    pub(super) folders: Vec<PathBuf>,
    pub(super) sockets: Vec<PathBuf>,
}

/// Those that are there. No link is followed: a child may have left it.
pub(super) fn find(known: &Known) -> Sessions {
    let mut found = Sessions { folders: Vec::new(), sockets: Vec::new() };
    if known.reach.hide.credentials == Credentials::Shown {
        return found;
    }
    let uid = rustix::process::geteuid().as_raw().to_string();
    let users = users(known);
    let filled = |pattern: &str| -> Vec<String> {
        let pattern = pattern.replace("{uid}", &uid);
        if !pattern.contains("{user}") {
            return vec![pattern];
        }
        users.iter().map(|user| pattern.replace("{user}", user)).collect()
    };
    for (variable, below) in FOLDERS {
        let named = known.var(variable).into_iter();
        let folders = named.flat_map(|path| filled(below).into_iter().map(move |below| path.join(below)));
        found.folders.extend(folders);
    }
    for (shared, below) in SHARED {
        found.folders.extend(filled(below).into_iter().map(|below| Path::new(shared).join(below)));
    }
    let among: Vec<String> = AMONG.iter().flat_map(|pattern| filled(pattern)).collect();
    for temporary in temporary(known) {
        let (mut folders, mut sockets) = (Vec::new(), Vec::new());
        for entry in std::fs::read_dir(&temporary).into_iter().flatten().flatten() {
            let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else { continue };
            let Some(name) = name.to_str() else { continue };
            let is_one_of = |patterns: &[&str]| patterns.iter().any(|pattern| matches(pattern, name));
            let is_folder = among.iter().any(|pattern| matches(pattern, name))
                || (is_one_of(KEY_AGENTS) && !known.shows_keys());
            if kind.is_dir() && is_folder {
                folders.push(entry);
            } else if kind.is_socket() && is_one_of(SINGLE) {
                sockets.push(entry);
            }
        }
        found.folders.extend(eldest(folders));
        found.sockets.extend(eldest(sockets));
    }
    found.sockets.extend(NAMING.iter().filter_map(|variable| named(known, variable)));
    found.folders.retain(|path| is_plain(path, FileType::is_dir));
    found.sockets.retain(|path| is_plain(path, FileTypeExt::is_socket));
    found
}

/// The socket that a variable names.
pub(super) fn named(known: &Known, variable: &str) -> Option<PathBuf> {
    let value = known.vars.get(OsStr::new(variable))?.to_str()?;
    let value = value.strip_prefix("unix:").unwrap_or(value);
    let end = if matches!(variable, "TMUX") { ',' } else { ':' };
    let path = PathBuf::from(value.split(end).next()?);
    path.is_absolute().then_some(path)
}

/// Whoever the person is called.
fn users(known: &Known) -> Vec<String> {
    let by_variables = ["USER", "LOGNAME"].into_iter().filter_map(|name| {
        let name = known.vars.get(OsStr::new(name))?.to_str()?;
        (!name.is_empty() && !name.contains(['/', '*', '?'])).then(|| name.to_owned())
    });
    let mut users: Vec<String> = by_variables.chain(told::registered_name()).collect();
    users.sort();
    users.dedup();
    users
}

fn temporary(known: &Known) -> Vec<PathBuf> {
    let named = ["TMPDIR", "XDG_RUNTIME_DIR"].into_iter().filter_map(|name| known.var(name));
    let mut all: Vec<PathBuf> =
        named.chain([PathBuf::from("/tmp")]).filter_map(|path| path.canonicalize().ok()).collect();
    all.sort();
    all.dedup();
    all
}

fn eldest(mut entries: Vec<DirEntry>) -> impl Iterator<Item = PathBuf> {
    if entries.len() > MOST {
        entries.sort_by_key(|entry| entry.metadata().map_or(i64::MAX, |about| about.ctime()));
        entries.truncate(MOST);
    }
    entries.into_iter().map(|entry| entry.path())
}

fn is_plain(path: &Path, is_kind: impl Fn(&FileType) -> bool) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|about| is_kind(&about.file_type()))
}

/// `?` is any letter, and one `*` any text.
fn matches(pattern: &str, name: &str) -> bool {
    let same = |pattern: &str, name: &str| {
        pattern.len() == name.len() && pattern.bytes().zip(name.bytes()).all(|(a, b)| a == b || a == b'?')
    };
    let Some((begin, end)) = pattern.split_once('*') else { return same(pattern, name) };
    name.len() >= begin.len() + end.len()
        && name.is_char_boundary(begin.len())
        && name.is_char_boundary(name.len() - end.len())
        && same(begin, &name[..begin.len()])
        && same(end, &name[name.len() - end.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_programs_are_left() {
        for (pattern, name, is_it) in [
            ("vscode-ipc-*.sock", "vscode-ipc-1a.sock", true),
            ("vscode-ipc-*.sock", "vscode-ipc-.soc", false),
            ("tmux-7", "tmux-7", true),
            ("tmux-7", "tmux-77", false),
            ("ssh-??????????*", "ssh-XXXXXXabcd", true),
            ("ssh-??????????*", "ssh-tests", false),
            ("kitty-*", ".s.PGSQL.5432", false),
        ] {
            assert_eq!(matches(pattern, name), is_it, "{pattern} {name}");
        }
    }
}
