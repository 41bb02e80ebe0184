//! What may be a person's and is kept, for the reports at a run's end.

use tdd_core::attempt::CheckpointId;
use tdd_core::event::BRINGS_BACK;
use tdd_core::harmless;
use tdd_core::machine::Facts;
use tdd_core::path::RelPath;

/// Letters of a line about git.
const LONGEST: usize = 500;
/// How many files of somebody else's are named in one line.
const NAMED: usize = 8;

/// What was taken out of the tree, or stands there, and may be a person's.
pub fn set_aside(facts: &Facts) -> impl Iterator<Item = String> {
    // A pause for files that lie there still tells of them first.
    let is_told = |path: &&RelPath| facts.suspension.is_some() && facts.edited.contains(path);
    let theirs = facts.set_aside.iter().filter_map(move |(paths, kept)| {
        let paths: Vec<&RelPath> = paths.iter().filter(|path| !is_told(path)).collect();
        (!paths.is_empty()).then(|| line("may be somebody else's", &paths, kept))
    });
    let unnamed = facts.unnamed.iter().map(|(paths, kept)| {
        let paths: Vec<&RelPath> = paths.iter().collect();
        line("left by a role that names nothing of it, or written by somebody meanwhile", &paths, kept)
    });
    theirs
        .chain(unnamed)
        .chain(of_git(facts).map(|line| format!("look at: {}", harmless::short(line, LONGEST))))
}

/// What was taken off this work tree's branch, or of its HEAD, and a person may have made.
pub fn of_git(facts: &Facts) -> impl Iterator<Item = &String> {
    facts.left_in_git.iter().filter(|line| line.contains(BRINGS_BACK))
}

fn line(whose: &str, paths: &[&RelPath], kept: &CheckpointId) -> String {
    let mut named: Vec<String> = paths.iter().take(NAMED).map(|path| harmless::line(path.as_str())).collect();
    named.extend((paths.len() > NAMED).then(|| format!("and {} more", paths.len() - NAMED)));
    let named = named.join(", ");
    format!("look at: {whose}: {named}; kept as {kept}: git restore --source={kept} -- :/FILE")
}
