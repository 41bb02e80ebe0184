//! What can be looked at in a review, a key each: both faces show the same. All of it is made harmless for
//! a terminal.

use super::Halted;
use super::files::Source;
use crate::text::halt_report::{self, Review};
use crate::text::usage_words;
use crate::world::journal_file;
use tdd_child::regular_file;
use tdd_core::attempt::{AttemptKind, CheckpointId};
use tdd_core::claim::ClaimStatus;
use tdd_core::counted::counted;
use tdd_core::criterion::CriterionId;
use tdd_core::harmless;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;
use tdd_core::usage::Usage;
use tdd_snapshot::checkpoints;

/// Bytes of a child's output that are shown: its end.
const MOST_SAID: u64 = 64 * 1024;
/// Lines of the journal that are shown: the last.
const MOST_EVENTS: usize = 400;
/// Lines of a diff that are shown.
const MOST_OF_DIFF: usize = 5_000;

/// Stands before the line of a test at which it failed.
const MARK: char = '>';

/// Key and name of each, the one to look at first in front.
pub(super) const ALL: [(char, &str); 10] = [
    ('o', "output"),
    ('t', "test"),
    ('c', "criterion"),
    ('d', "diff"),
    ('a', "attempts"),
    ('p', "prompt"),
    ('s', "it said"),
    ('w', "work"),
    ('j', "journal"),
    ('r', "report"),
];

/// What stands behind a key, line by line.
pub(super) fn lines(halted: &Halted, shown: &Review, key: char) -> Result<Vec<String>, Trouble> {
    let lines = match key {
        'o' => shown.evidence.clone(),
        't' => tests(halted, shown),
        'c' => criterion(halted),
        'd' => diff(halted)?,
        'a' => attempts(halted)?,
        'p' => prompt(halted)?,
        's' => said(halted),
        'w' => work(halted),
        'j' => journal(halted)?,
        _ => split(&halt_report::text(&halted.story.state, &halted.halt, &halted.facts)),
    };
    let nothing = match key {
        'o' => "  (no test was run)",
        'd' => "  (the failed attempt changed no file)",
        'a' => "  (the last two attempts left the same files)",
        's' => "  (it printed nothing)",
        _ => "  (nothing)",
    };
    Ok(if lines.is_empty() { vec![nothing.to_owned()] } else { lines })
}

/// The line to read first: what failed, the line of the test that is marked, what happened last.
pub(super) fn begins(shown: &Review, key: char, lines: &[String]) -> usize {
    match key {
        'o' => shown.evidence_from,
        't' => lines.iter().position(|line| line.starts_with(MARK)).unwrap_or(0),
        'j' => lines.len(),
        _ => 0,
    }
}

fn split(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

fn harmless_lines(bytes: &[u8]) -> Vec<String> {
    split(&harmless::lines(&String::from_utf8_lossy(bytes)))
}

fn criterion(halted: &Halted) -> Vec<String> {
    let requirement = &halted.story.state.run.requirement;
    let about = halt_report::about(&halted.halt);
    let is_alone = halted.halt.key.criterion().is_some();
    let is_it = |id: &CriterionId| about == Some(id);
    let (own, others): (Vec<_>, Vec<_>) =
        requirement.criteria.iter().partition(|criterion| is_it(&criterion.id));
    let criteria = own.into_iter().chain(others.into_iter().filter(|_| !is_alone));
    let lines = criteria.map(|criterion| format!("{}: {}", criterion.id, harmless::lines(&criterion.text)));
    let head = harmless::line(requirement.path.as_str());
    std::iter::once(head).chain(lines.flat_map(|text| split(&text))).collect()
}

/// The test files of the criterion, the place of the failure marked.
fn tests(halted: &Halted, shown: &Review) -> Vec<String> {
    let place = shown.place.as_ref().and_then(|(file, line)| Some((halted.file(file)?.0, *line as usize)));
    let red = halted.story.state.red.iter().flat_map(|red| &red.criteria);
    let own = red.filter(|red| halted.halt.key.criterion().is_none_or(|id| *id == red.id));
    let mut files: Vec<RelPath> = own.flat_map(|red| red.files.iter().cloned()).collect();
    files.extend(place.iter().map(|(file, _)| file.clone()));
    files.sort_unstable();
    files.dedup();
    let mut lines = Vec::new();
    for file in files {
        let at = place.as_ref().filter(|(named, _)| *named == file).map(|(_, line)| *line);
        let name = harmless::line(file.as_str());
        let Some((text, source)) = halted.read_file(file.as_str()) else {
            lines.push(format!("--- {name} (not in the tree)"));
            continue;
        };
        lines.push(match source {
            Source::Tree => format!("--- {name}"),
            Source::FailedWork => format!("--- {name} (of the failed work; not among your files now)"),
        });
        for (index, line) in harmless_lines(&text).into_iter().enumerate() {
            let sign = if at == Some(index + 1) { MARK } else { ' ' };
            lines.push(format!("{sign}{:>4}  {line}", index + 1));
        }
    }
    lines
}

fn patch(halted: &Halted, from: &CheckpointId, to: &CheckpointId) -> Result<Vec<String>, Trouble> {
    let mut lines = by_file(harmless_lines(&checkpoints::patch(&halted.repository, (from, to), &[])?));
    if lines.len() > MOST_OF_DIFF {
        let more = lines.len() - MOST_OF_DIFF;
        lines.truncate(MOST_OF_DIFF);
        lines.push(format!("({more} lines more: tdd diff {} --failed)", halted.run.id));
    }
    Ok(lines)
}

/// A patch whose files each begin with their name and go on with their first change: git's own head of a file
/// says nothing that a reader needs.
fn by_file(patch: Vec<String>) -> Vec<String> {
    let (mut lines, mut in_head, mut how) = (Vec::new(), false, "changed");
    for line in patch {
        if let Some(both) = line.strip_prefix("diff --git ") {
            let name = both.rsplit_once(" b/").map_or(both, |(_, name)| name).trim_end_matches('"');
            (in_head, how) = (true, "changed");
            lines.push(format!("=== {name} ({how})"));
        } else if in_head && !line.starts_with("@@") && !line.starts_with("Binary files") {
            let told = [("new file", "new"), ("deleted file", "deleted"), ("old mode", "mode changed")];
            let told = told.into_iter().find(|(start, _)| line.starts_with(start));
            if let (Some((_, now)), Some(title)) = (told, lines.last_mut()) {
                *title = title.replacen(&format!(" ({how})"), &format!(" ({now})"), 1);
                how = now;
            }
        } else {
            in_head = false;
            lines.push(line);
        }
    }
    lines
}

/// What the last failed attempt changed.
fn diff(halted: &Halted) -> Result<Vec<String>, Trouble> {
    let failed = halted.last().and_then(|entry| entry.kept_as.as_ref());
    match (&halted.story.state.good, failed) {
        (Some(from), Some(to)) => patch(halted, from, to),
        (_, _) => Ok(Vec::new()),
    }
}

/// What the last attempt did otherwise than the one before it.
fn attempts(halted: &Halted) -> Result<Vec<String>, Trouble> {
    let kept: Vec<_> = halted.entries().iter().filter_map(|entry| entry.kept_as.as_ref()).collect();
    match kept.as_slice() {
        [.., before, after] => patch(halted, before, after),
        _ => Ok(vec!["  (there are no two failed attempts to compare)".to_owned()]),
    }
}

/// The parts of the last prompt, as the child was given them.
fn prompt(halted: &Halted) -> Result<Vec<String>, Trouble> {
    let mut lines = Vec::new();
    for part in halted.last().map(|entry| &entry.attempt.prompt[..]).unwrap_or_default() {
        let bytes = journal_file::read_side_file(&halted.run.path, &part.digest)?;
        lines.push(format!("--- prompt: {}", part.name));
        lines.extend(harmless_lines(&bytes));
    }
    Ok(lines)
}

fn said(halted: &Halted) -> Vec<String> {
    let log = halted.last().and_then(|entry| Some(entry.outcome.as_ref()?.log.clone()));
    let text = log.and_then(|log| regular_file::tail(log.as_ref(), MOST_SAID).ok()).unwrap_or_default();
    harmless_lines(&text)
}

/// What each attempt cost, and what of it is in the journal.
fn work(halted: &Halted) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in halted.entries() {
        let attempt = &entry.attempt;
        let outcome = entry.outcome.as_ref();
        let took = outcome.map_or(0, |outcome| outcome.duration_ms / 1000);
        let turns = outcome
            .and_then(|outcome| outcome.turns)
            .map_or("turns unknown".to_owned(), |turns| format!("{turns} turns"));
        let again =
            if attempt.kind == AttemptKind::Format { ", asked again for its result block" } else { "" };
        lines.push(format!("attempt {} of {}{again}: {took} s, {turns}", attempt.number, attempt.key));
        let used = Some(&entry.used.told).filter(|used| **used != Usage::default());
        lines.extend(used.map(|used| format!("  used {}", usage_words::usage(used))));
        for run in &entry.runs {
            lines.push(format!(
                "  tdd then ran {} ({}, {} ms)",
                harmless::line(&run.command),
                run.exit,
                run.duration_ms
            ));
        }
        let claim = outcome.and_then(|outcome| outcome.claim.as_ref().ok());
        lines.extend(claim.map(|claim| match claim.status {
            ClaimStatus::Ok => format!("  claimed to be done, {}", counted(claim.files.len(), "file")),
            ClaimStatus::Failed => "  said that it failed".to_owned(),
        }));
    }
    lines
}

fn journal(halted: &Halted) -> Result<Vec<String>, Trouble> {
    let text = crate::commands::log::lines(&journal_file::read_only(&halted.run.path)?);
    let all = split(&text);
    Ok(all[all.len().saturating_sub(MOST_EVENTS)..].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_begins_with_the_name_and_the_first_change() {
        let patch = "diff --git a/src/a.py b/src/a.py\nindex 1..2 100644\n--- a/src/a.py\n+++ b/src/a.py\n\
                     @@ -1 +1 @@\n-one\n+two\ndiff --git a/new b/new\nnew file mode 100644\nindex 0..3\n\
                     --- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+--- x\ndiff --git a/x b/x\nold mode 100644\n\
                     new mode 100755\ndiff --git a/b.png b/b.png\nindex 1..2\nBinary files a/b.png and b/b.png differ";
        let told = by_file(split(patch));
        assert_eq!(
            told.join("\n"),
            "=== src/a.py (changed)\n@@ -1 +1 @@\n-one\n+two\n=== new (new)\n@@ -0,0 +1 @@\n+--- x\n\
             === x (mode changed)\n=== b.png (changed)\nBinary files a/b.png and b/b.png differ"
        );
    }
}
