//! Tools that have begun and of which nobody has said that they ended: the person pressed Esc, or the agent was killed.
//! What such a tool has changed is not the person's because the next word is.
//!
//! ```text
//! .tdd/sessions/<session>/open    a line for each shell under way; `?` once the person was asked
//! ```
//!
//! Tools that name their files are judged before they run, so that nothing of theirs is left to be asked about.

use std::fmt::Write as _;
use std::path::Path;

use tdd_child::regular_file;
use tdd_core::harmless;
use tdd_core::path::RelPath;

const OPEN: &str = "open";
const ASKED: &str = "?";
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

pub(super) fn began(folder: &Path, id: &str) {
    let mut open = lines(folder);
    open.push(noted(id));
    keep(folder, &open);
}

pub(super) fn ended(folder: &Path, id: &str) {
    let mut open = lines(folder);
    let id = noted(id);
    if id.is_empty() {
        // The end of several at once.
        open.clear();
    } else if let Some(at) = open.iter().position(|line| *line == id) {
        open.remove(at);
    } else {
        return;
    }
    keep(folder, &open);
}

pub(super) fn all_ended(folder: &Path) {
    if is_open(folder) {
        keep(folder, &[]);
    }
}

pub(super) fn is_open(folder: &Path) -> bool {
    !lines(folder).is_empty()
}

/// Whether the person was asked; from now on they were.
pub(super) fn was_asked(folder: &Path) -> bool {
    let mut open = lines(folder);
    if open.iter().any(|line| line == ASKED) {
        return true;
    }
    open.push(ASKED.to_owned());
    keep(folder, &open);
    false
}

pub(super) fn question(files: &[RelPath]) -> String {
    let mut named = String::new();
    for file in files.iter().take(NAMED) {
        let _ = write!(named, " {}", harmless::line(file.as_str()));
    }
    if files.len() > NAMED {
        let _ = write!(named, " and {} more", files.len() - NAMED);
    }
    format!(
        "tdd: a tool was cut off, and since it began these were changed without a red test and a claim:{named}. If it \
         was you, send the same word again: they are yours then. If not: tdd gate flush takes them back, and keeps them"
    )
}
