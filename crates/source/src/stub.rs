//! Code that does nothing: the bodies that a change wrote, each with a stub in its place.
//!
//! ```text
//! changed lines ─► pieces: bodies of functions, values of constants ─► the source with stubs in them
//!               └► what is no piece: told, because tests may look at that
//! ```
//!
//! A body is that of the outermost function around a changed line, but for one that is called where it
//! stands: a module's own wrapping. Declarations, imports and comments do nothing by themselves. A body that
//! does nothing is one all the same, and is told as that. Pure, as all
//! of this room; whether a stub compiles is for who runs it to see.

mod dead;
mod go;
mod javascript;
mod python;
mod rust;

use std::ops::Range;

use tdd_core::proof::Stub;

use super::tree::{Tree, fold, is_comment};
use super::units::unit_spans;
use super::{Language, Unread};

/// Lines of one source, counted from 0.
pub type Lines = Range<usize>;

/// A source with stubs in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stubbed {
    pub text: String,
    /// What was stubbed, in order.
    pub bodies: Vec<StubbedBody>,
    /// Changed lines that do something and could not be stubbed by any kind.
    pub left: Vec<Left>,
}

/// One body with a stub in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StubbedBody {
    /// For a person: `Cart.total`.
    pub name: String,
    /// With its head.
    pub lines: Lines,
    /// What stands before the body, its name and parameters, blanks folded.
    pub head: String,
    /// All of it, blanks folded.
    pub code: String,
    /// It did nothing before it was stubbed, either.
    pub is_idle: bool,
}

/// What code says that is not implemented, in each language.
const NOT_IMPLEMENTED: &str = "not implemented";

/// Lines that could not be stubbed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    pub lines: Lines,
    /// The first of them, at most 80 characters.
    pub what: String,
}

/// A part of the source that can be stubbed.
#[derive(Clone, Debug)]
struct Piece {
    name: String,
    /// With its head, in bytes.
    whole: Range<usize>,
    /// What is replaced, and by what; nothing where this kind of stub does not fit.
    put: Vec<(Range<usize>, String)>,
    is_idle: bool,
}

/// What a language makes of a source.
#[derive(Clone, Debug, Default)]
struct Plan {
    pieces: Vec<Piece>,
    /// Bytes that do nothing by themselves.
    plain: Vec<Range<usize>>,
}

/// Replaces the bodies that these lines lie in. Which of several versions of a text a line is new in is for
/// the caller to know; a file that is new is changed from its first line to its last.
pub fn stubbed(language: Language, source: &str, changed: &[Lines], kind: Stub) -> Result<Stubbed, Unread> {
    stubbed_saying(language, source, changed, (kind, &|_| NOT_IMPLEMENTED.to_owned()))
}

/// The same, where each body that is not implemented says so in words of its own: letters, digits and blanks.
pub fn stubbed_saying(
    language: Language,
    source: &str,
    changed: &[Lines],
    (kind, says): (Stub, &dyn Fn(&Lines) -> String),
) -> Result<Stubbed, Unread> {
    let tree = Tree::parse(language, source)?;
    let starts = starts(source);
    let is_changed = |bytes: &Range<usize>| {
        let lines = lines_of(&starts, bytes);
        changed.iter().any(|change| change.start < lines.end && lines.start < change.end)
    };
    let plan = match language {
        Language::Python => python::plan(&tree, &is_changed, kind),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            javascript::plan(&tree, &is_changed, kind)
        }
        Language::Go => go::plan(&tree, &is_changed, kind),
        Language::Rust => rust::plan(&tree, &is_changed, kind),
    };
    Ok(carried_out(&tree, (&starts, changed), without_tests(&tree, plan), says))
}

/// What stands in a unit of tests is no production code.
fn without_tests(tree: &Tree<'_>, mut plan: Plan) -> Plan {
    let units: Vec<Range<usize>> = unit_spans(tree).iter().map(|span| tree.bytes(span)).collect();
    let is_in =
        |bytes: &Range<usize>| units.iter().any(|unit| unit.start <= bytes.start && bytes.end <= unit.end);
    plan.pieces.retain(|piece| !is_in(&piece.whole));
    plan.plain.extend(units);
    plan
}

fn carried_out(
    tree: &Tree<'_>,
    (starts, changed): (&[usize], &[Lines]),
    mut plan: Plan,
    says: &dyn Fn(&Lines) -> String,
) -> Stubbed {
    plan.pieces.sort_by_key(|piece| piece.whole.start);
    let left = left(tree, starts, &plan, changed);
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut bodies = Vec::new();
    for piece in plan.pieces {
        if !piece.put.is_empty() {
            let lines = lines_of(starts, &piece.whole);
            let says = says(&lines);
            bodies.push(StubbedBody {
                name: piece.name,
                lines,
                head: fold(tree.source.get(piece.whole.start..piece.put[0].0.start).unwrap_or_default()),
                code: fold(tree.source.get(piece.whole.clone()).unwrap_or_default()),
                is_idle: piece.is_idle,
            });
            edits.extend(piece.put.into_iter().map(|(at, put)| (at, put.replace(NOT_IMPLEMENTED, &says))));
        }
    }
    edits.sort_by_key(|(at, _)| (at.start, at.end));
    let mut text = String::with_capacity(tree.source.len());
    let mut done = 0;
    for (at, put) in edits {
        let Some(kept) = tree.source.get(done..at.start) else { continue };
        text.push_str(kept);
        text.push_str(&put);
        done = at.end;
    }
    text.push_str(tree.source.get(done..).unwrap_or_default());
    Stubbed { text, bodies, left }
}

/// Changed lines that are neither in a piece nor plain.
fn left(tree: &Tree<'_>, starts: &[usize], plan: &Plan, changed: &[Lines]) -> Vec<Left> {
    let mut covered: Vec<Range<usize>> = plan.pieces.iter().map(|piece| piece.whole.clone()).collect();
    covered.extend(plan.plain.iter().cloned());
    covered.extend(tree.all().filter(|at| is_comment(tree.kind(*at))).map(|at| bytes_of(tree, at)));
    let covered: Vec<Lines> = covered.iter().map(|bytes| lines_of(starts, bytes)).collect();
    let is_left = |line: &usize| {
        let text = line_text(tree.source, starts, *line).trim();
        // What only closes or opens does nothing by itself.
        let says = text.chars().any(|letter| letter.is_alphanumeric() || letter == '_');
        says && !covered.iter().any(|lines| lines.contains(line))
    };
    let mut found: Vec<Left> = Vec::new();
    for line in changed.iter().flat_map(Clone::clone).filter(is_left) {
        if let Some(last) = found.last_mut().filter(|last| last.lines.end == line) {
            last.lines.end += 1;
        } else {
            let what = line_text(tree.source, starts, line).trim().chars().take(80).collect();
            found.push(Left { lines: line..line + 1, what });
        }
    }
    found
}

fn starts(source: &str) -> Vec<usize> {
    let after = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(after).collect()
}

fn lines_of(starts: &[usize], bytes: &Range<usize>) -> Lines {
    let line = |at: usize| starts.partition_point(|start| *start <= at).saturating_sub(1);
    let last = bytes.end.saturating_sub(1).max(bytes.start);
    line(bytes.start)..line(last) + 1
}

fn line_text<'s>(source: &'s str, starts: &[usize], line: usize) -> &'s str {
    let Some(start) = starts.get(line) else { return "" };
    let end = starts.get(line + 1).copied().unwrap_or(source.len());
    source.get(*start..end).unwrap_or_default()
}

fn bytes_of(tree: &Tree<'_>, at: usize) -> Range<usize> {
    tree.node(at).begin..tree.node(at).end
}

#[cfg(test)]
mod tests;
