//! Words for paths and what becomes of them. Pure.

use std::fmt::Write as _;
use std::path::Path;

use super::LISTED;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::RunId;
use tdd_core::finding::{Change, ChangeKind};
use tdd_core::harmless::{line, typed_word};
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::restore::{Commit, Elsewhere, LeftMode};

pub(super) fn files(count: usize) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}

/// Paths with what is the matter with each.
pub(super) fn listed(changes: &[Change], words: fn(ChangeKind) -> &'static str) -> String {
    let one = |change: &Change| format!("  {} ({})", line(change.path.as_str()), words(change.kind));
    let mut lines: Vec<String> = changes.iter().take(LISTED).map(one).collect();
    if changes.len() > LISTED {
        lines.push(format!("  and {} more", changes.len() - LISTED));
    }
    lines.join("\n")
}

/// What the way back does to a path.
pub(super) fn action(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "brought back",
        ChangeKind::Deleted => "removed",
        ChangeKind::Modified => "changed back",
        ChangeKind::Retyped => "mode or kind changed back",
        ChangeKind::Submodule => "a submodule, left alone",
    }
}

/// What the path is now, as somebody who looks back sees it.
pub(super) fn present(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "deleted",
        ChangeKind::Deleted => "not there before the run",
        ChangeKind::Modified => "changed",
        ChangeKind::Retyped => "mode or kind changed",
        ChangeKind::Submodule => "a submodule",
    }
}

/// How files of trees are compared with what lies there, a line each: `git diff` shows nothing of a file that is not
/// tracked.
pub(super) fn see(repository: &Path, apart: &[(&CheckpointId, RelPath)]) -> Option<String> {
    let one = |(tree, path): &(&CheckpointId, RelPath)| {
        let was = typed_word(&format!("{tree}:{path}"));
        let now = repository.join(path.as_str());
        // What a link leads to is nothing that git keeps.
        let is_file = now.symlink_metadata().is_ok_and(|there| there.is_file());
        let compared = is_file.then(|| format!(" | diff - {}", typed_word(&now.to_string_lossy())));
        format!("git show {was}{}", compared.unwrap_or_default())
    };
    let lines: Vec<String> = apart.iter().map(one).collect();
    match lines.as_slice() {
        [] => None,
        [line] => Some(format!("see what was changed: {line}")),
        lines => Some(format!("see what was changed:\n  {}", lines.join("\n  "))),
    }
}

/// Somebody else's files that are as they left them; a line each, and none if there are none.
pub(super) fn given_back(paths: &[RelPath]) -> String {
    if paths.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "{} of somebody else's, changed while no role was at work, as they left it:\n",
        files(paths.len())
    );
    for path in paths.iter().take(LISTED) {
        let _ = writeln!(text, "  {}", line(path.as_str()));
    }
    if paths.len() > LISTED {
        let _ = writeln!(text, "  and {} more", paths.len() - LISTED);
    }
    text
}

/// What is committed, and whose it is.
pub(super) fn of_run_and_others(committed: &[Change], foreign: &[Change]) -> String {
    let others = committed.iter().filter(|change| foreign.contains(change)).count();
    match (committed.len() - others, others) {
        (of_run, 0) => format!("{} of this run {} committed since", files(of_run), were(of_run)),
        (0, others) => format!("{} of somebody else's {} committed since", files(others), were(others)),
        (of_run, others) => {
            format!(
                "{} of this run {} committed since, and {} of somebody else's",
                files(of_run),
                were(of_run),
                files(others)
            )
        }
    }
}

fn lies(places: &[Elsewhere]) -> String {
    let words = |place: &Elsewhere| match place {
        Elsewhere::Branch(name) => format!("on branch {}", line(name)),
        Elsewhere::Ref(name) => format!("in {}", line(name)),
        Elsewhere::Stash => "in the stash".to_owned(),
    };
    places.iter().take(LISTED).map(words).collect::<Vec<_>>().join(", and ")
}

/// The same where somebody else's changes go from the tree all the same.
pub(super) fn left_elsewhere(places: &[Elsewhere], run: &RunId) -> String {
    format!("tdd: the work of {run} is not in the tree; it lies {}, and is left there", lies(places))
}

/// The run's work is not in the tree, but there.
pub(super) fn elsewhere(places: &[Elsewhere], run: &RunId) -> Trouble {
    let way = |place: &Elsewhere| match place {
        Elsewhere::Branch(name) => format!("git switch {}", typed_word(name)),
        Elsewhere::Ref(name) => format!("git switch --detach {}", typed_word(name)),
        Elsewhere::Stash => "git stash list, and git stash pop".to_owned(),
    };
    let go = places.first().map(way).unwrap_or_default();
    Trouble::user(format!("the work of {run} is not in the tree; it lies {}", lies(places)))
        .because("an undo takes work out of the work tree, and this one is as if the run had not been")
        .advise(format!(
            "nothing was changed, and the run is not marked as undone\n\
             to take it back where it lies: {go}, then tdd undo {run}\n\
             to forget the run and leave its work there: tdd clean {run}"
        ))
}

fn were(count: usize) -> &'static str {
    if count == 1 { "was" } else { "were" }
}

/// How the commit itself is taken back. A person may have committed more on top of it, or in it.
pub(super) fn commit_advice(commits: &[Commit]) -> String {
    let named = |one: &Commit| {
        let more = if one.is_mixed { "   (holds other work, too)" } else { "" };
        format!("  {}  {}{more}", one.shown(), line(&one.subject))
    };
    match commits {
        [] => {
            "to take the commit itself back: git log names it, and git revert COMMIT takes it back".to_owned()
        }
        [one] if one.is_mixed => format!(
            "the commit holds other work, too, which git revert would take back with it:\n{}\n\
             to take back the run's alone: undo it in the work tree, and commit that",
            named(one)
        ),
        [one] if one.is_head => {
            format!("to take the commit itself back: git revert {}, or git reset", one.shown())
        }
        [one] => format!("to take the commit itself back: git revert {}", one.shown()),
        many => {
            let mut text =
                "to take a commit itself back: git revert COMMIT; these have touched the files since:"
                    .to_owned();
            for one in many.iter().take(LISTED) {
                let _ = write!(text, "\n{}", named(one));
            }
            text
        }
    }
}

/// Permissions that are not as they were before the run, where the file was touched after it: nobody can tell
/// who has set them.
pub(super) fn left_permissions(left: &[LeftMode]) -> Option<String> {
    let (path, now, then) = left.first()?;
    let mut text = format!(
        "tdd: permissions of {} are not as before the run, and were left: each was touched since, perhaps by \
         somebody else; as before: chmod {then:o} {}",
        files(left.len()),
        typed_word(path.as_str())
    );
    let _ = write!(text, "\n  {} ({now:o}, was {then:o})", line(path.as_str()));
    for (path, now, then) in left.iter().take(LISTED).skip(1) {
        let _ = write!(text, "\n  {} ({now:o}, was {then:o})", line(path.as_str()));
    }
    Some(text)
}
