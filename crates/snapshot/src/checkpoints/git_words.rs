//! What is said of git's state: a line for each thing that differs. Pure.

use super::git_files::{Copied, Differs};
use super::refs::RefValue;
use tdd_core::event::LEFT_ALONE;

/// The end of a line about what stays. Whoever shows it tells by it what was put back and what was not.
pub(super) const LEFT: &str = LEFT_ALONE;

/// What is the matter with a ref. `kept` ends the line of one that stays.
pub(super) fn moved(
    name: &str,
    was: Option<&RefValue>,
    now: Option<&RefValue>,
    stays: Option<&str>,
) -> String {
    let shown = shown(name);
    let of = |value: &RefValue| short(if value.target.is_empty() { &value.object } else { &value.target });
    match (was, now, stays) {
        (Some(was), Some(now), None) => {
            format!("{shown} was moved from {} to {}; put back", of(was), of(now))
        }
        (Some(was), Some(now), Some(end)) => {
            format!("{shown} was moved from {} to {}; {end}", of(was), of(now))
        }
        (None, Some(now), None) => format!("{shown} was created at {}; removed", of(now)),
        (None, Some(now), Some(end)) => format!("{shown} was created at {}; {end}", of(now)),
        (Some(was), None, None) => format!("{shown} was deleted; put back at {}", of(was)),
        (Some(was), None, Some(end)) => format!("{shown}, which was {}, was deleted; {end}", of(was)),
        (None, None, _) => shown,
    }
}

fn shown(name: &str) -> String {
    if let Some(branch) = name.strip_prefix("refs/heads/") {
        format!("branch {branch}")
    } else if let Some(tag) = name.strip_prefix("refs/tags/") {
        format!("tag {tag}")
    } else if name == "refs/stash" {
        "the stash".to_owned()
    } else {
        name.to_owned()
    }
}

/// What is the matter with a file of git's. `end` stands in place of what was done about it.
pub(super) fn line(path: &[u8], differs: Differs, end: Option<String>) -> String {
    let what = file(path);
    let end = |done: &str| end.unwrap_or_else(|| done.to_owned());
    match differs {
        Differs::New => format!("{what} was left behind; {}", end("removed")),
        Differs::Gone => format!("{what} was removed; {}", end("put back")),
        Differs::Changed => format!("{what} was changed; {}", end("put back")),
    }
}

fn file(path: &[u8]) -> String {
    let path: String = String::from_utf8_lossy(path).chars().filter(|c| !c.is_control()).take(200).collect();
    let top = path.split('/').next().unwrap_or(&path);
    match top {
        "index" => "the index".to_owned(),
        "hooks" => format!("the hook {}", path.strip_prefix("hooks/").unwrap_or(&path)),
        "config" | "config.worktree" => format!("git's {path}"),
        "MERGE_HEAD" => "a merge in progress (MERGE_HEAD)".to_owned(),
        "rebase-merge" => format!("a rebase in progress ({path})"),
        "rebase-apply" => format!("a rebase or `git am` in progress ({path})"),
        _ => format!(".git/{path}"),
    }
}

pub(super) fn head_text(head: Option<&Copied>) -> String {
    match head {
        Some(Copied::File { bytes, .. }) => {
            let text = String::from_utf8_lossy(&bytes[..bytes.len().min(300)]).trim().to_owned();
            text.strip_prefix("ref: refs/heads/").map_or(text.clone(), |branch| format!("branch {branch}"))
        }
        Some(Copied::Link(target)) => String::from_utf8_lossy(target).into_owned(),
        None => "nothing".to_owned(),
    }
}

/// The first digits of an object's name; anything else as it is, on one line.
pub(super) fn short(text: &str) -> String {
    let is_object = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_object {
        text[..10].to_owned()
    } else {
        text.chars().filter(|c| !c.is_control()).take(80).collect()
    }
}

/// Whether a name can be in a command as it is.
pub(super) fn is_branch(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter);
    !name.is_empty() && !name.starts_with('-') && name.len() < 80 && name.chars().all(is_plain)
}
