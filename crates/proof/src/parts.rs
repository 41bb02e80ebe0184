//! A change, taken back part by part.

use std::ops::Range;

use similar::{Algorithm, DiffOp};
use tdd_core::path::RelPath;

use crate::Changed;

/// A file without one part of its change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub path: RelPath,
    /// Where the part stands, or stood, in the changed file; the first is 1.
    pub line: usize,
    /// What the file holds then; `None` if it is not there.
    pub text: Option<Vec<u8>>,
}

/// The parts of a change, those first that take something old away: lines that are new or gone in a row, of files that
/// are text and were there. New lines in the place of old ones are as many parts as there are paragraphs among them: a
/// paragraph begins with a line that is indented no further than the first and closes nothing.
pub fn parts(changes: &[Changed]) -> Vec<Part> {
    let (olds, news): (Vec<_>, Vec<_>) =
        changes.iter().flat_map(parts_of).partition(|(takes_away, _)| *takes_away);
    olds.into_iter().chain(news).map(|(_, part)| part).collect()
}

fn whole(change: &Changed) -> Part {
    Part { path: change.path.clone(), line: 1, text: change.before.clone() }
}

/// Whether each takes something old away, and the file without it.
fn parts_of(change: &Changed) -> Vec<(bool, Part)> {
    let text = |bytes: &Option<Vec<u8>>| bytes.clone().and_then(|bytes| String::from_utf8(bytes).ok());
    let (Some(before), Some(after)) = (text(&change.before), text(&change.after)) else {
        return vec![(change.before.is_some(), whole(change))];
    };
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let without = |was: &[&str], is: Range<usize>| {
        let lines = [&new[..is.start], was, &new[is.end..]];
        let text = Some(lines.concat().concat().into_bytes());
        (!was.is_empty(), Part { path: change.path.clone(), line: is.start + 1, text })
    };
    let mut parts = Vec::new();
    for op in similar::capture_diff_slices(Algorithm::Myers, &old, &new) {
        let (was, is) = (&old[op.old_range()], op.new_range());
        match op {
            DiffOp::Equal { .. } => {}
            DiffOp::Insert { .. } | DiffOp::Delete { .. } => parts.push(without(was, is)),
            DiffOp::Replace { .. } => {
                let starts = paragraphs(&new[is.clone()]);
                let ends = starts.iter().skip(1).copied().chain([is.len()]);
                if starts.len() > 1 {
                    parts.push(without(was, is.clone()));
                }
                let each = starts.iter().zip(ends).map(|(from, to)| is.start + from..is.start + to);
                parts.extend(each.map(|paragraph| without(was, paragraph)));
            }
        }
    }
    parts
}

/// Where paragraphs begin; the first does with the first line.
fn paragraphs(lines: &[&str]) -> Vec<usize> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let least = lines.first().map_or(0, |line| indent(line));
    let begins = |(at, line): &(usize, &&str)| {
        let said = line.trim();
        *at == 0 || (!said.is_empty() && indent(line) <= least && !said.starts_with([')', ']', '}']))
    };
    lines.iter().enumerate().filter(begins).map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(path: &str, before: Option<&str>, after: Option<&str>) -> Changed {
        let bytes = |text: &str| text.as_bytes().to_vec();
        Changed { path: RelPath::new(path).unwrap(), before: before.map(bytes), after: after.map(bytes) }
    }

    fn told(changes: &[Changed]) -> Vec<(usize, String)> {
        let text = |part: Part| String::from_utf8(part.text.unwrap_or_default()).unwrap();
        parts(changes).into_iter().map(|part| (part.line, text(part))).collect()
    }

    fn owned<const N: usize>(parts: [(usize, &str); N]) -> Vec<(usize, String)> {
        parts.into_iter().map(|(line, text)| (line, text.to_owned())).collect()
    }

    #[test]
    fn each_part_is_taken_back_alone_and_first_what_takes_something_away() {
        let change = changed("a", Some("b\nc\nd"), Some("a\nB\nc\nd\n"));
        assert_eq!(
            told(&[change]),
            owned([(1, "b\nc\nd\n"), (1, "b\nB\nc\nd\n"), (2, "a\nb\nc\nd\n"), (4, "a\nB\nc\nd")])
        );
    }

    #[test]
    fn what_stands_beside_a_function_that_changed_is_a_part_of_its_own() {
        let before = "func Fee() int { return 1 }\n";
        let after = "func Fee() int {\n\treturn 2\n}\n\nfunc Tax() int { return 5 }\n";
        let alone = "func Fee() int { return 1 }\nfunc Tax() int { return 5 }\n";
        assert!(told(&[changed("a", Some(before), Some(after))]).contains(&(1, alone.to_owned())));
    }

    #[test]
    fn what_is_new_or_gone_or_no_text_is_one_part() {
        let mut torn = changed("c", Some(""), Some("x"));
        torn.before = Some(vec![0xff]);
        let all = [changed("a", None, Some("x\n")), changed("b", Some("y"), None), torn];
        let texts: Vec<Option<Vec<u8>>> = parts(&all).into_iter().map(|part| part.text).collect();
        assert_eq!(texts, [Some(b"y".to_vec()), Some(vec![0xff]), None]);
    }
}
