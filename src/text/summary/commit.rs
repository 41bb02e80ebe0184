//! The commit that a summary proposes: what the run changed, and nothing else.

use std::collections::BTreeSet;

use super::{LISTED, SummaryFacts, counted, kept};
use tdd_core::finding::{ChangeKind, ClassedChange};
use tdd_core::harmless;
use tdd_core::path::RelPath;
use tdd_core::state::State;

/// Above so many files the proposed commit reads their names from [`COMMIT_PATHS`].
const NAMED_IN_COMMIT: usize = 40;
/// The file in the run's folder that holds the paths of the proposed commit, a NUL after each.
pub const COMMIT_PATHS: &str = "commit-paths";

/// What a commit of this repository can hold.
fn ours(facts: &SummaryFacts) -> impl Iterator<Item = &ClassedChange> {
    let is_ours =
        |path: &RelPath| !facts.inner_repositories.iter().any(|inner| path.is_within(inner.as_str()));
    kept(facts).filter(move |change| is_ours(&change.path))
}

/// What no commit holds yet.
fn uncommitted(facts: &SummaryFacts) -> impl Iterator<Item = &ClassedChange> {
    ours(facts).filter(|change| !facts.committed.contains(&change.path))
}

/// What git commits of this run. A person may have staged more, which is theirs.
fn named(facts: &SummaryFacts) -> impl Iterator<Item = &ClassedChange> {
    uncommitted(facts).filter(|change| !facts.unnamed.contains(&change.path))
}

/// Relative to the repository's root wherever the command is typed, and for one file alone.
pub fn pathspec(path: &RelPath) -> String {
    // What follows `:/` may be magic of a pathspec: git has letters for some of it, and takes any for it that is
    // neither a letter nor a digit.
    let is_magic = !path.as_str().starts_with(|first: char| first.is_ascii_alphanumeric() || first == '.');
    let is_pattern = path.as_str().contains(['*', '?', '[', '\\']);
    if is_pattern || is_magic { format!(":(top,literal){path}") } else { format!(":/{path}") }
}

/// What [`COMMIT_PATHS`] holds, where the proposed commit reads it.
pub fn commit_paths(facts: &SummaryFacts) -> Option<String> {
    let paths: Vec<String> = named(facts).map(|change| pathspec(&change.path)).collect();
    (paths.len() > NAMED_IN_COMMIT).then(|| paths.join("\0") + "\0")
}

/// Takes what the run changed alone, whatever else is staged.
pub(super) fn commit_command(state: &State, facts: &SummaryFacts) -> Option<String> {
    uncommitted(facts).next()?;
    let typed = |change: &ClassedChange| harmless::typed_word(&pathspec(&change.path));
    let paths: Vec<String> = named(facts).map(typed).collect();
    if paths.is_empty() {
        return Some("git status".to_owned());
    }
    let subject = harmless::shell_word(&harmless::line(&subject(state)));
    if paths.len() > NAMED_IN_COMMIT {
        let file = harmless::shell_word(&format!("{}/{COMMIT_PATHS}", facts.run_dir));
        let these = format!("--pathspec-file-nul --pathspec-from-file={file}");
        return Some(format!("git add {these} && git commit -m {subject} {these}"));
    }
    // What is gone needs no `git add`, which refuses a file whose removal is staged already.
    let there: Vec<String> =
        named(facts).filter(|change| change.kind != ChangeKind::Deleted).map(typed).collect();
    let added = if there.is_empty() { String::new() } else { format!("git add -- {} && ", there.join(" ")) };
    Some(format!("{added}git commit -m {subject} -- {}", paths.join(" ")))
}

/// The requirement's id, once, and its title.
fn subject(state: &State) -> String {
    let requirement = &state.run.requirement;
    let id = &requirement.id;
    let Some(title) = &requirement.title else { return id.clone() };
    let rest = match title.get(..id.len()) {
        Some(begin) if begin.eq_ignore_ascii_case(id) => &title[id.len()..],
        Some(_) | None => title,
    };
    // `STE-12` begins `STE-123`, too.
    let is_id = rest.len() < title.len() && !rest.starts_with(|letter: char| letter.is_alphanumeric());
    let rest =
        if is_id { rest.trim_start_matches([':', '-', '.', ' ', '\u{2013}', '\u{2014}']) } else { title };
    if rest.is_empty() { id.clone() } else { format!("{id}: {}", harmless::short(rest, 60)) }
}

/// Behind the path of a file.
const THEIRS: &str = "  (changed by hand)";
/// The same of one that may be somebody's.
pub const UNCLAIMED: &str = "  (named by no role)";

pub(super) fn changed_lines(facts: &SummaryFacts) -> Vec<String> {
    let mine: Vec<&ClassedChange> = kept(facts).collect();
    if mine.is_empty() {
        return vec!["changed: nothing".to_owned()];
    }
    let mut lines = vec![format!("changed: {}", counted(mine.len(), "file"))];
    let path = |change: &&ClassedChange| {
        let whose = if facts.theirs.contains(&change.path) {
            THEIRS
        } else if facts.unclaimed.contains(&change.path) {
            UNCLAIMED
        } else {
            ""
        };
        format!("  {}{whose}", harmless::line(change.path.as_str()))
    };
    lines.extend(mine.iter().take(LISTED).map(path));
    if mine.len() > LISTED {
        lines.push(format!("  and {} more", mine.len() - LISTED));
    }
    lines
}

/// What of the proposed commit a person wrote, as far as it can be told, or may have written.
pub(super) fn of_others(facts: &SummaryFacts) -> Vec<String> {
    let count =
        |of: &BTreeSet<RelPath>| uncommitted(facts).filter(|change| of.contains(&change.path)).count();
    let theirs = count(&facts.theirs);
    let unclaimed = uncommitted(facts)
        .filter(|change| facts.unclaimed.contains(&change.path) && !facts.theirs.contains(&change.path));
    let unclaimed = unclaimed.count();
    let theirs = (theirs > 0).then(|| {
        let files = counted(theirs, "file");
        format!("that holds {files} that somebody changed by hand while no agent was at work, as named above")
    });
    let unclaimed = (unclaimed > 0).then(|| {
        let files = counted(unclaimed, "file");
        format!(
            "that holds {files} that no role names as its work, as told above: leave out what somebody else has \
             written meanwhile"
        )
    });
    theirs.into_iter().chain(unclaimed).collect()
}

/// What git would find nothing to commit of.
pub(super) fn committed_already(facts: &SummaryFacts) -> Option<String> {
    let count = ours(facts).filter(|change| facts.committed.contains(&change.path)).count();
    (count > 0).then(|| format!("committed meanwhile by somebody, as it is here: {}", counted(count, "file")))
}

/// A name that is masked, or not known byte for byte, can't be in a command.
pub(super) fn nameless(facts: &SummaryFacts) -> Vec<String> {
    let unnamed = uncommitted(facts).map(|change| &change.path).filter(|path| facts.unnamed.contains(*path));
    let (lossy, secret): (Vec<&RelPath>, Vec<&RelPath>) = unnamed.partition(|path| path.is_lossy());
    let told = |paths: Vec<&RelPath>, why: &str| {
        (!paths.is_empty()).then(|| {
            let files = counted(paths.len(), "file");
            format!("that leaves out {files}, for {why}: see `git status`, and add what is to stay")
        })
    };
    let told = [told(secret, "a secret in the name"), told(lossy, "a name that is not UTF-8")];
    told.into_iter().flatten().collect()
}
