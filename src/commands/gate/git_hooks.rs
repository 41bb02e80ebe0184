//! Hooks of git's that a shell has written: they run at a person's next commit, outside any session. And objects that stand
//! in for others (`git replace`), which show a person another history than there is. Neither is the tree's, so they are told
//! and not taken back.
//!
//! ```text
//! .tdd/sessions/<session>/git-hooks        a line for each that is there, as it was seen last
//! .tdd/sessions/<session>/git-hooks-new    the names that came in this turn
//! ```

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::desk::Desk;
use tdd_child::regular_file;
use tdd_core::counted::and_more;
use tdd_core::harmless;
use tdd_snapshot::checkpoints::git_folders;

const SEEN: &str = "git-hooks";
const NEW: &str = "git-hooks-new";
const LARGEST: u64 = 256 << 10;
const LARGEST_REFS: u64 = 16 << 20;
const REPLACE: &str = "refs/replace/";
const NAMED: usize = 5;

/// What is there when a turn begins is a person's.
pub(super) fn settle(desk: &Desk) {
    let folder = desk.session.folder.as_path();
    keep(folder, SEEN, &there(&desk.place.repository));
    if folder.join(NEW).exists() {
        keep(folder, NEW, &[]);
    }
}

/// In words what has come or changed since the last look.
pub(super) fn news(desk: &Desk) -> String {
    let new = look(desk);
    if new.is_empty() { String::new() } else { words(&new) }
}

/// In words what has come in this turn, once.
pub(super) fn of_turn(desk: &Desk) -> Option<String> {
    look(desk);
    let folder = desk.session.folder.as_path();
    let new = lines(folder, NEW).filter(|new| !new.is_empty())?;
    keep(folder, NEW, &[]);
    Some(words(&new))
}

fn look(desk: &Desk) -> Vec<String> {
    let folder = desk.session.folder.as_path();
    let now = there(&desk.place.repository);
    let Some(before) = lines(folder, SEEN) else {
        keep(folder, SEEN, &now);
        return Vec::new();
    };
    let new = now.iter().filter(|line| !before.contains(line));
    let names: Vec<String> = new.filter_map(|line| line.split('\t').next()).map(str::to_owned).collect();
    if before != now {
        keep(folder, SEEN, &now);
    }
    if !names.is_empty() {
        let mut all = lines(folder, NEW).unwrap_or_default();
        all.extend(names.clone());
        keep(folder, NEW, &all);
    }
    names
}

fn words(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| harmless::line(name)).collect();
    let more = and_more(names.len().saturating_sub(NAMED));
    format!(
        "tdd: written in this session, and used by git outside of it: {}{more}. Tell the person, who looks at it before the \
         next commit",
        shown.join(", ")
    )
}

/// A line for each hook, and for where git is told to look for them.
fn there(repository: &Path) -> Vec<String> {
    let Ok([git_dir, common]) = git_folders(repository) else { return Vec::new() };
    let mut found = Vec::new();
    let mut folders = vec![common.join("hooks")];
    for settings in [common.join("config"), git_dir.join("config.worktree")] {
        let text = regular_file::head(&settings, LARGEST).unwrap_or_default();
        for line in String::from_utf8_lossy(&text).lines() {
            let Some((key, value)) = line.split_once('=') else { continue };
            if key.trim().eq_ignore_ascii_case("hookspath") {
                found.push(format!("core.hooksPath = {}\t", value.trim()));
                folders.push(repository.join(PathBuf::from(value.trim().trim_matches('"'))));
            }
        }
    }
    for folder in folders {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|end| end == "sample") {
                continue;
            }
            let Ok(about) = path.metadata() else { continue };
            let stamp = (about.size(), about.mtime(), about.mtime_nsec(), about.ino(), about.mode());
            let shown = path.strip_prefix(repository).unwrap_or(&path).display().to_string();
            found.push(format!("{}\t{stamp:?}", shown.replace(['\t', '\n'], "?")));
        }
    }
    found.extend(replacing(&common));
    found.sort();
    found
}

/// A line for each object that stands in for another, packed or not.
fn replacing(common: &Path) -> Vec<String> {
    let loose = common.join("refs/replace");
    let read = |entry: std::fs::DirEntry| {
        let name = entry.file_name().to_str()?.to_owned();
        let text = regular_file::head(&entry.path(), LARGEST).ok()?;
        Some((name, String::from_utf8_lossy(&text).trim().to_owned()))
    };
    let mut found: Vec<(String, String)> =
        std::fs::read_dir(loose).into_iter().flatten().flatten().filter_map(read).collect();
    let packed = regular_file::head(&common.join("packed-refs"), LARGEST_REFS).unwrap_or_default();
    if packed.windows(REPLACE.len()).any(|part| part == REPLACE.as_bytes()) {
        let text = String::from_utf8_lossy(&packed).into_owned();
        let named = text.lines().filter_map(|line| line.split_once(' '));
        let packed =
            named.filter_map(|(by, name)| Some((name.strip_prefix(REPLACE)?.to_owned(), by.to_owned())));
        found.extend(packed);
    }
    // Where git packs them nothing has come.
    found.sort();
    found.dedup();
    found.into_iter().map(|(name, by)| format!("git replace {name}\t{by}")).collect()
}

fn lines(folder: &Path, name: &str) -> Option<Vec<String>> {
    let bytes = regular_file::head(&folder.join(name), LARGEST).ok()?;
    Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
}

/// Where it can't be kept nothing is told.
fn keep(folder: &Path, name: &str, lines: &[String]) {
    let _ = regular_file::write_private(&folder.join(name), lines.join("\n").as_bytes());
}
