//! How what is left looks after pieces were cut out of a source: as if they had never been there, as far as formatters
//! look. Of the blank lines around a piece those stay that would stand there without it.

use std::ops::Range;

use crate::Language;
use crate::tree::{Tree, is_comment};

/// The source without these pieces; `None` where they are not in it.
pub(super) fn cut(tree: &Tree<'_>, pieces: Vec<Range<usize>>) -> Option<String> {
    let source = tree.source;
    let mut blocks: Vec<Range<usize>> =
        pieces.into_iter().map(|piece| with_its_lines(tree, &piece)).collect();
    blocks.sort_by_key(|block| (block.start, block.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for block in blocks {
        match merged.last_mut() {
            Some(last) if source.get(last.end..block.start).is_none_or(|gap| gap.trim().is_empty()) => {
                last.end = last.end.max(block.end);
            }
            Some(_) | None => merged.push(block),
        }
    }
    let mut text = String::with_capacity(source.len());
    let mut from = 0;
    for block in merged {
        let (cut, blanks) = with_its_blanks(tree, &block);
        text.push_str(source.get(from..cut.start)?);
        text.push_str(source.get(blanks)?);
        from = cut.end;
    }
    text.push_str(source.get(from..)?);
    Some(text)
}

fn start_of_line(source: &str, at: usize) -> usize {
    source.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1)
}

/// Behind the line's end.
fn end_of_line(source: &str, at: usize) -> usize {
    source.get(at..).and_then(|after| after.find('\n')).map_or(source.len(), |end| at + end + 1)
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn margin(source: &str, at: usize) -> usize {
    let line = source.get(start_of_line(source, at)..end_of_line(source, at)).unwrap_or_default();
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// All of its lines, with the comments that belong to it. A piece that shares its line with other code is no more
/// than itself.
fn with_its_lines(tree: &Tree<'_>, piece: &Range<usize>) -> Range<usize> {
    let source = tree.source;
    let begin = start_of_line(source, piece.start);
    let end = end_of_line(source, piece.end);
    let is_first = is_blank(source.get(begin..piece.start).unwrap_or_default());
    let rest = source.get(piece.end..end).unwrap_or_default().trim_matches([';', ' ', '\t', '\r', '\n', ',']);
    let is_remark = rest.starts_with("//")
        || (tree.language == Language::Python && rest.starts_with('#'))
        || (rest.starts_with("/*") && rest.ends_with("*/"));
    let is_last = rest.is_empty() || is_remark;
    if !is_first || !is_last {
        let behind = if is_last {
            end - usize::from(source.get(..end).is_some_and(|all| all.ends_with('\n')))
        } else {
            piece.end
        };
        return piece.start..if is_remark { piece.end } else { behind };
    }
    let end = if tree.language == Language::Python { with_comments_in_it(source, begin, end) } else { end };
    comments_above(tree, begin)..end
}

/// Comments at the end of a body of Python: to its grammar they are no part of it.
fn with_comments_in_it(source: &str, begin: usize, end: usize) -> usize {
    let outer = margin(source, begin);
    let (mut at, mut last) = (end, end);
    while at < source.len() {
        let next = end_of_line(source, at);
        let line = source.get(at..next).unwrap_or_default();
        if line.trim_start().starts_with('#') && margin(source, at) > outer {
            last = next;
        } else if !is_blank(line) {
            break;
        }
        at = next;
    }
    last
}

/// Where the comments begin that stand right above this line. What stands at the head of the file is about the file.
fn comments_above(tree: &Tree<'_>, line: usize) -> usize {
    let source = tree.source;
    let comments: Vec<Range<usize>> = tree
        .all()
        .filter(|at| is_comment(tree.kind(*at)))
        .map(|at| tree.node(at).begin..tree.node(at).end)
        .take_while(|comment| comment.start < line)
        .collect();
    let mut top = line;
    for comment in comments.iter().rev() {
        let begin = start_of_line(source, comment.start);
        let text = source.get(comment.clone()).unwrap_or_default();
        let is_alone = is_blank(source.get(begin..comment.start).unwrap_or_default());
        // A comment of Rust's documentation ends behind its line.
        let end = comment.start + text.trim_end().len();
        let is_right_above =
            end_of_line(source, end) == top && is_blank(source.get(end..top).unwrap_or_default());
        let is_of_the_file = text.starts_with("//!") || text.starts_with("/*!");
        if !is_alone || !is_right_above || is_of_the_file {
            break;
        }
        if begin == 0 {
            return line;
        }
        top = begin;
    }
    top
}

/// What is cut out, blank lines included, and which of these stay.
fn with_its_blanks(tree: &Tree<'_>, block: &Range<usize>) -> (Range<usize>, Range<usize>) {
    let source = tree.source;
    let is_lines = start_of_line(source, block.start) == block.start
        && (block.end == source.len() || start_of_line(source, block.end) == block.end);
    if !is_lines {
        return (block.clone(), block.start..block.start);
    }
    let mut above = block.start;
    while above > 0 && is_blank(source.get(start_of_line(source, above - 1)..above).unwrap_or_default()) {
        above = start_of_line(source, above - 1);
    }
    let mut below = block.end;
    while below < source.len() && is_blank(source.get(below..end_of_line(source, below)).unwrap_or_default())
    {
        below = end_of_line(source, below);
    }
    let (before, after) = (above..block.start, block.end..below);
    let count = |blanks: &Range<usize>| source.get(blanks.clone()).unwrap_or_default().matches('\n').count();
    let is_python = tree.language == Language::Python;
    let outer = |at: usize| is_python && margin(source, at) < margin(source, block.start);
    let opens = source.get(..above).unwrap_or_default().trim_end();
    let is_first = opens.is_empty() || opens.ends_with(['{', '(', '[']) || outer(above.saturating_sub(1));
    let closes = source.get(below..).unwrap_or_default().trim_start();
    let is_last = closes.is_empty() || closes.starts_with(['}', ')', ']']) || outer(below);
    // Between two others as many as the more spacious of both has.
    let stays_before = !is_last && (is_first || count(&before) > count(&after));
    let stay = if stays_before { before } else { after };
    (above..below, stay)
}
