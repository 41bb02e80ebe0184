//! Tools that have begun and of which nobody has said that they ended: the person pressed Esc, or the agent was killed.
//! What such a tool has changed is not the person's because the next word is.
//!
//! ```text
//! .tdd/sessions/<session>/open    a line for each shell under way, `edit ` before that of an edit for a claim; `?` once
//!                                 the person was asked
//! ```
//!
//! Other tools that name their files are judged before they run, so that nothing of theirs is left to be asked about.

use std::fmt::Write as _;
use std::path::Path;

use tdd_child::regular_file;
use tdd_core::harmless;
use tdd_core::path::RelPath;

const OPEN: &str = "open";
const ASKED: &str = "?";
const EDIT: &str = "edit ";
/// More than tools run at once.
const LARGEST: u64 = 64 << 10;
/// Files that are named one by one.
const NAMED: usize = 10;

fn lines(folder: &Path) -> Vec<String> {
    let bytes = regular_file::head(&folder.join(OPEN), LARGEST).unwrap_or_default();
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}

/// Where it can't be kept nothing is asked.
fn keep(folder: &Path, lines: &[String]) {
    let _ = regular_file::write_private(&folder.join(OPEN), lines.join("\n").as_bytes());
}

/// An agent's name for a call, as a line.
fn noted(id: &str) -> String {
    harmless::line(id).chars().take(200).collect()
}

/// What is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    Nothing,
    /// An edit that a claim allows, and nothing else.
    Edit,
    Shell,
}

pub(super) fn began(folder: &Path, id: &str) {
    push(folder, noted(id));
}

/// An edit that a claim allows: the end of the turn has to judge it.
pub(super) fn began_edit(folder: &Path, id: &str) {
    push(folder, format!("{EDIT}{}", noted(id)));
}

fn push(folder: &Path, line: String) {
    let mut open = lines(folder);
    open.push(line);
    keep(folder, &open);
}

pub(super) fn ended(folder: &Path, id: &str) {
    let mut open = lines(folder);
    let id = noted(id);
    if id.is_empty() {
        // The end of several at once.
        open.clear();
    } else if let Some(at) = open.iter().position(|line| line.strip_prefix(EDIT).unwrap_or(line) == id) {
        open.remove(at);
    } else {
        return;
    }
    keep(folder, &open);
}

pub(super) fn all_ended(folder: &Path) {
    if open(folder) != Open::Nothing {
        keep(folder, &[]);
    }
}

pub(super) fn open(folder: &Path) -> Open {
    let lines = lines(folder);
    let mut tools = lines.iter().filter(|line| !line.starts_with(ASKED));
    if tools.clone().next().is_none() {
        Open::Nothing
    } else if tools.all(|line| line.starts_with(EDIT)) {
        Open::Edit
    } else {
        Open::Shell
    }
}

/// Whether the person was asked, and has answered by the same word: another one may say no. From now on they were.
pub(super) fn was_asked(folder: &Path, said: &str) -> bool {
    let mut open = lines(folder);
    let asked = format!("{ASKED}{said}");
    if open.contains(&asked) {
        return true;
    }
    open.retain(|line| !line.starts_with(ASKED));
    open.push(asked);
    keep(folder, &open);
    false
}

/// What the person is asked: of files that nothing allows, and of those that a claim covers.
pub(super) fn question(unallowed: &[RelPath], claimed: &[RelPath]) -> String {
    let mut text = "tdd: a tool was cut off, and since it began these were changed".to_owned();
    if !unallowed.is_empty() {
        let _ = write!(text, " without a red test and a claim:{}", named(unallowed));
    }
    if !claimed.is_empty() {
        let and = if unallowed.is_empty() { "" } else { "; and" };
        let _ = write!(text, "{and} under a claim that nobody has judged:{}", named(claimed));
    }
    let flush = if claimed.is_empty() {
        "takes them back, and keeps them"
    } else {
        "judges what is claimed, takes back what is red or not claimed, and keeps it"
    };
    let _ = write!(
        text,
        ". If it was you, send the same word again: they are yours then. If not: tdd gate flush {flush}"
    );
    text
}

fn named(files: &[RelPath]) -> String {
    let mut named = String::new();
    for file in files.iter().take(NAMED) {
        let _ = write!(named, " {}", harmless::line(file.as_str()));
    }
    if files.len() > NAMED {
        let _ = write!(named, " and {} more", files.len() - NAMED);
    }
    named
}
