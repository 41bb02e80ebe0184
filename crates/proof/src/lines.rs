//! Which lines of a text are not as they were.

use similar::{Algorithm, DiffOp};
use tdd_source::Lines;

/// Lines of a text, against one from before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedLines {
    /// New, or in the place of others.
    pub now: Vec<Lines>,
    /// Lines with something in them were taken out before these.
    pub removed_before: Vec<usize>,
}

/// What differs between two texts, by lines.
pub fn changed_lines(before: &str, after: &str) -> ChangedLines {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut changed = ChangedLines::default();
    for op in similar::capture_diff_slices(Algorithm::Myers, &old, &new) {
        match op {
            DiffOp::Equal { .. } => {}
            DiffOp::Insert { new_index, new_len, .. } | DiffOp::Replace { new_index, new_len, .. } => {
                changed.now.push(new_index..new_index + new_len);
            }
            DiffOp::Delete { old_index, old_len, new_index } => {
                let gone = old.iter().skip(old_index).take(old_len);
                if gone.into_iter().any(|line| !line.trim().is_empty()) {
                    changed.removed_before.push(new_index);
                }
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_and_where_something_is_gone() {
        let of = |before, after| {
            let changed = changed_lines(before, after);
            (changed.now, changed.removed_before)
        };
        assert_eq!(of("a\nb\n", "a\nb\n"), (vec![], vec![]));
        assert_eq!(of("x\n", "a\nx\nb\n"), (vec![0..1, 2..3], vec![]));
        assert_eq!(of("a\nb\nc\n", "a\nB\nc\nd\n"), (vec![1..2, 3..4], vec![]));
        assert_eq!(of("a\nb\nc\n", "a\nc\n"), (vec![], vec![1]));
        assert_eq!(of("a\n\nc\n", "a\nc\n"), (vec![], vec![]), "an empty line says nothing");
        assert_eq!(of("a\n", ""), (vec![], vec![0]));
    }
}
