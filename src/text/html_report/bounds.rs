//! A report that can be sent, whatever children have written: its texts share one budget.
//!
//! A text counts as long as it is in HTML, where `"` takes six bytes. If all of them are too much, the long ones
//! are cut in their middle to one length, so that the short ones stay whole.

use std::collections::HashMap;

use super::{AttemptPage, RunPage};

/// Bytes of all texts together.
const BUDGET: usize = 1_600_000;
/// Bytes of one text that is never cut: below it there is nothing to read.
const LEAST: usize = 160;
/// What a line of a diff takes besides its text: its colour, and that of its words.
const DIFF_LINE: usize = 48;
/// The tests of all criteria of a run that are told one by one.
const TESTS: usize = 2000;
/// Attempts that are told one by one; no run of ours has so many.
const ATTEMPTS: usize = 1000;

/// Cuts what is too much.
pub(super) fn fit(runs: &mut [RunPage]) {
    for run in runs.iter_mut() {
        let each = (TESTS / run.criteria.len().max(1)).max(1);
        for criterion in &mut run.criteria {
            criterion.more = criterion.tests.len().saturating_sub(each);
            criterion.tests.truncate(each);
        }
        run.left_out = run.attempts.len().saturating_sub(ATTEMPTS);
        run.attempts.drain(..run.left_out);
        tell_once(&mut run.attempts);
    }
    let sizes: Vec<usize> = texts(runs).map(|(text, line)| weight(text, line)).collect();
    let most = longest(sizes);
    for (text, line) in texts(runs) {
        cut(text, line, most);
    }
}

/// A part of a prompt that an earlier attempt was told, too, is told there.
fn tell_once(attempts: &mut [AttemptPage]) {
    let mut told: HashMap<String, usize> = HashMap::new();
    for attempt in attempts {
        for part in &mut attempt.prompt {
            match told.get(&part.text) {
                Some(first) if part.text.len() > LEAST => {
                    part.as_in = Some(*first);
                    part.text.clear();
                }
                Some(_) => {}
                None => {
                    told.insert(part.text.clone(), attempt.index);
                }
            }
        }
    }
}

/// All that may be long, with what each of its lines takes besides.
fn texts(runs: &mut [RunPage]) -> impl Iterator<Item = (&mut String, usize)> {
    runs.iter_mut().flat_map(|run| {
        let own = [&mut run.title, &mut run.state].into_iter().chain(&mut run.cause).chain(&mut run.held);
        let criteria = run.criteria.iter_mut().flat_map(|one| {
            std::iter::once(&mut one.text).chain(one.tests.iter_mut().map(|test| &mut test.0))
        });
        let attempts = run.attempts.iter_mut().flat_map(of_attempt);
        own.chain(criteria).map(|text| (text, 0)).chain(attempts)
    })
}

fn of_attempt(attempt: &mut AttemptPage) -> impl Iterator<Item = (&mut String, usize)> {
    let cells = attempt.claim.iter_mut().flat_map(|part| [&mut part.claimed, &mut part.found]);
    let prompt = attempt.prompt.iter_mut().map(|part| &mut part.text);
    let runs = attempt.runs.iter_mut().flat_map(|run| [&mut run.command, &mut run.output]);
    let plain = attempt.reasons.iter_mut().chain(&mut attempt.message).chain(prompt).chain(runs);
    let cells = cells.map(|cell| (cell, "<br>".len()));
    plain.map(|text| (text, 0)).chain(cells).chain(std::iter::once((&mut attempt.diff, DIFF_LINE)))
}

/// The length at which the long ones are cut, so that all of them together keep to the budget.
fn longest(mut sizes: Vec<usize>) -> usize {
    sizes.sort_unstable();
    let (mut left, mut count) = (BUDGET, sizes.len());
    for size in sizes {
        if size * count > left {
            return (left / count).max(LEAST);
        }
        left -= size;
        count -= 1;
    }
    usize::MAX
}

/// The length of a text in HTML.
fn weight(text: &str, line: usize) -> usize {
    text.chars().map(|c| of_char(c, line)).sum()
}

fn of_char(c: char, line: usize) -> usize {
    match c {
        '\n' => 1 + line,
        '"' => "&quot;".len(),
        '&' => "&amp;".len(),
        '<' | '>' => "&lt;".len(),
        // It becomes a sign of three bytes.
        c if c.is_control() => 3,
        c => c.len_utf8(),
    }
}

/// Head and tail of a text that is longer than `most`.
fn cut(text: &mut String, line: usize, most: usize) {
    if weight(text, line) <= most {
        return;
    }
    let room = |chars: &mut dyn Iterator<Item = char>| {
        let (mut bytes, mut taken) = (0, 0);
        for c in chars {
            taken += of_char(c, line);
            if taken > most / 2 {
                break;
            }
            bytes += c.len_utf8();
        }
        bytes
    };
    let (head, tail) = (room(&mut text.chars()), room(&mut text.chars().rev()));
    let left_out = text.len() - head - tail;
    *text = format!("{}\n… {left_out} bytes left out …\n{}", &text[..head], &text[text.len() - tail..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_long_ones_are_cut_and_the_short_ones_stay_whole() {
        assert_eq!(longest(vec![]), usize::MAX);
        assert_eq!(longest(vec![BUDGET]), usize::MAX);
        assert_eq!(longest(vec![100, BUDGET * 2]), BUDGET - 100);
        assert_eq!(longest(vec![BUDGET; 4]), BUDGET / 4);
        assert_eq!(longest(vec![BUDGET; BUDGET]), LEAST);
    }

    #[test]
    fn a_cut_text_keeps_its_head_and_its_tail_as_html_counts_them() {
        let mut text = format!("head{}täil", "\"".repeat(1000));
        cut(&mut text, 0, 100);
        assert!(text.starts_with("head\"") && text.ends_with("täil"), "{text}");
        assert!(text.contains("bytes left out") && weight(&text, 0) < 150, "{text}");
        let mut short = "as it is".to_owned();
        cut(&mut short, 0, 100);
        assert_eq!(short, "as it is");
    }
}
