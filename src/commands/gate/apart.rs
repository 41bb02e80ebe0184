//! A gate of several commands, `a && b`, one by one: where the first is red the others say nothing.

use super::desk::{Desk, Project};
use super::runs;
use super::worse::{Beside, new_reds};
use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;
use tdd_core::ports::Checkpoints as _;
use tdd_core::test::TestRun;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::GitCheckpoints;

/// Words that change what the commands after them find.
const SETTINGS: [&str; 6] = ["cd", "export", "set", ".", "source", "unset"];

/// Runs each part with the mode's edits and without them; `None` for a gate of one part.
pub(super) fn beside(
    desk: &Desk,
    project: &Project,
    (since, files): (&CheckpointId, &[RelPath]),
) -> Result<Option<Beside>, Trouble> {
    let parts = parts(&project.chosen.commands.gate);
    if parts.len() < 2 {
        return Ok(None);
    }
    let run_all = || -> Result<Vec<TestRun>, Trouble> {
        parts.iter().map(|part| runs::gate_of(desk, project, part)).collect()
    };
    let with = run_all()?;
    let as_before = |checkpoints: &mut GitCheckpoints| checkpoints.restore(since, files);
    let without = runs::where_otherwise(desk, files, as_before, run_all)?;
    let (mut worse, mut is_unsure) = (Vec::new(), false);
    for ((part, with), without) in parts.iter().zip(&with).zip(&without) {
        if with.own_exit().is_success() {
            continue;
        }
        if without.own_exit().is_success() {
            worse.push(part.clone());
            continue;
        }
        match new_reds(desk, with, without) {
            Some(reds) => worse.extend(reds.into_iter().map(|id| id.0)),
            None => is_unsure = true,
        }
    }
    Ok(Some(match (worse.is_empty(), is_unsure) {
        (false, _) => Beside::Worse(worse),
        (true, true) => Beside::BothRed,
        (true, false) => Beside::NoWorse,
    }))
}

/// The commands of a line that are joined by `&&` alone, each with what was set before it; the line itself if it is
/// made otherwise.
fn parts(line: &str) -> Vec<String> {
    let Some(commands) = joined_by_and(line) else { return vec![line.to_owned()] };
    let (mut parts, mut before) = (Vec::new(), String::new());
    for command in commands {
        let first = command.split_whitespace().next().unwrap_or_default();
        let is_setting =
            SETTINGS.contains(&first) || command.split_whitespace().all(|word| word.contains('='));
        if is_setting {
            before.push_str(command);
            before.push_str(" && ");
        } else {
            parts.push(format!("{before}{command}"));
        }
    }
    parts
}

/// `None` where anything else than `&&` joins two commands, or a quote stays open.
fn joined_by_and(line: &str) -> Option<Vec<&str>> {
    let (mut commands, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let mut quote: Option<char> = None;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some('\''), '\'') | (Some('"'), '"') | (Some('`'), '`') => quote = None,
            (None | Some('"' | '`'), '\\') => {
                chars.next();
            }
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '(' | '{') => depth += 1,
            (None, ')' | '}') => depth = depth.checked_sub(1)?,
            (None, '&') if depth == 0 && chars.next_if(|(_, next)| *next == '&').is_some() => {
                commands.push(line.get(start..at)?.trim());
                start = at + 2;
            }
            // A redirection, `2>&1`.
            (None, '&') if line.get(..at).is_some_and(|before| before.ends_with('>')) => {}
            (None, ';' | '|' | '&' | '\n') if depth == 0 => return None,
            (Some(_) | None, _) => {}
        }
    }
    commands.push(line.get(start..)?.trim());
    let is_whole = quote.is_none() && depth == 0 && commands.iter().all(|command| !command.is_empty());
    is_whole.then_some(commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_where_both_sides_stand_by_themselves() {
        for (line, wanted) in [
            ("pytest -q", "pytest -q"),
            ("pytest -q && ruff .", "pytest -q | ruff ."),
            ("cd a && A=1 && pytest && ruff .", "cd a && A=1 && pytest | cd a && A=1 && ruff ."),
            ("A=1 pytest && ruff", "A=1 pytest | ruff"),
            ("sh -c 'a && b' && c", "sh -c 'a && b' | c"),
            ("(a && b) && c 2>&1", "(a && b) | c 2>&1"),
            ("echo \"$(a && b)\" && c", "echo \"$(a && b)\" | c"),
            // What joins them otherwise is one command.
            ("a && b || c", "a && b || c"),
            ("a; b && c", "a; b && c"),
            ("a && b &", "a && b &"),
            ("a && 'b", "a && 'b"),
            ("a &&", "a &&"),
        ] {
            assert_eq!(parts(line).join(" | "), wanted, "{line}");
        }
    }
}
