//! Units of tests inside sources: what of a shared file belongs to the test-writer (contract
//! section 7).
//!
//! ```text
//! Rust        an item under "#[cfg(test)]" or "#[test]", a whole file under "#![cfg(test)]",
//!             a fenced example in a doc comment
//! JavaScript  "if (import.meta.vitest) { … }"
//! any         a declared test that stands in none of these
//! ```
//!
//! A unit is its text without its formatting, wherever it stands. Of an import in it only the
//! names count, so that what they name may move.

mod changed;
mod leads;

use std::fmt::Write as _;

use super::examples::{Example, examples};
use super::split::condensed;
use super::tree::{Span, Tree, is_name};
use super::{Language, Unread, find, rust};
pub use changed::changed;

/// What a role may do with units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnitKind {
    /// A module of tests, or a test: others may write more of them.
    Tests,
    /// An example in a comment: others may write more of them.
    Example,
    /// Anything else that exists only under test: only the test-writer writes such.
    Scaffold,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// For a person: its name, or its first words.
    pub(super) name: String,
    pub(super) text: String,
    pub(super) kind: UnitKind,
    /// The nodes that it takes; empty for an example.
    pub(super) span: Span,
    /// Where it stands in its file.
    place: String,
    /// The tests in it, by their full names.
    tests: Vec<String>,
    /// Of a module of tests in Rust: its text in pieces, in order.
    pieces: Vec<Piece>,
}

/// A part of a module of tests: one of its tests, or what stands between them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    text: String,
    part: Part,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A plain test whose name stands nowhere else in its file, so that it hides nothing.
    Test,
    Rest,
}

/// Whether a source holds any.
pub fn has_units(language: Language, source: &str) -> Result<bool, Unread> {
    Ok(!units(&Tree::parse(language, source)?).is_empty())
}

/// Whether a source holds tests that stand in no unit which exists only under test: then the whole of it is a test file.
/// In Rust tests lie inside sources, and say nothing of the whole.
pub fn holds_plain_tests(language: Language, source: &str) -> bool {
    if language == Language::Rust {
        return false;
    }
    let Ok(tree) = Tree::parse(language, source) else { return false };
    let mut apart = units(&tree);
    apart.retain(|unit| unit.kind == UnitKind::Scaffold);
    let is_apart = |at: usize| apart.iter().any(|unit| unit.span.contains(&at));
    find(&tree).iter().any(|test| !is_apart(test.node))
}

/// How a source that others share differs from what it was, seen by who may write units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Additions {
    /// Units were added, or comments changed, and nothing else.
    OnlyUnits,
    /// Something that is no unit was changed, or a unit that was there is not any more.
    Others,
}

/// Compares two versions of one file; `before` is empty for one that is new. A file in which the
/// grammar loses its way now, and did not before, is one in which anything may have changed.
pub fn additions(language: Language, before: &str, after: &str) -> Result<Additions, Unread> {
    let (old, new) = (Tree::parse(language, before)?, Tree::parse(language, after)?);
    // In other languages than Rust a test that stands among sources is part of the program.
    let is_apart = |unit: &Unit| language == Language::Rust || unit.kind == UnitKind::Scaffold;
    let (mut kept, mut now) = (units(&old), units(&new));
    kept.retain(is_apart);
    now.retain(is_apart);
    let same_rest =
        rest(&old, &kept) == rest(&new, &now) && (new.errors.is_empty() || !old.errors.is_empty());
    Ok(if same_rest && keeps_all(kept, now) { Additions::OnlyUnits } else { Additions::Others })
}

/// Whether every unit is there still, as it was or with tests added to it.
fn keeps_all(kept: Vec<Unit>, mut now: Vec<Unit>) -> bool {
    let mut take = |is_it: &dyn Fn(&Unit) -> bool| {
        let at = now.iter().position(is_it);
        at.map(|at| now.swap_remove(at)).is_some()
    };
    let left: Vec<Unit> =
        kept.into_iter().filter(|unit| !take(&|new: &Unit| new.text == unit.text)).collect();
    left.iter().all(|unit| take(&|new: &Unit| grew(unit, new)))
}

/// Whether a module of tests is as it was but for tests that were added.
fn grew(old: &Unit, new: &Unit) -> bool {
    if old.name != new.name || new.pieces.is_empty() {
        return false;
    }
    let mut left: Vec<&str> =
        old.pieces.iter().filter(|piece| piece.part == Part::Test).map(|piece| piece.text.as_str()).collect();
    let mut was_there = |piece: &&Piece| {
        let at = left.iter().position(|text| *text == piece.text);
        piece.part == Part::Rest || at.map(|at| left.swap_remove(at)).is_some()
    };
    let kept = new.pieces.iter().filter(|piece| was_there(piece));
    kept.map(|piece| piece.text.as_str()).collect::<String>() == old.text
}

/// A module of tests in pieces.
fn pieces(tree: &Tree<'_>, span: &Span) -> Vec<Piece> {
    let module = tree.siblings(span.clone()).find(|at| tree.kind(*at) == "mod_item");
    let Some(body) = module.and_then(|module| tree.child(module, "body")) else { return Vec::new() };
    let mut pieces = Vec::new();
    let mut at = span.start;
    for item in tree.children(body).filter(|item| tree.kind(*item) == "function_item") {
        let attributes = rust::attributes(tree, item);
        let is_plain = attributes.iter().all(|attribute| {
            let text = tree.text(*attribute);
            rust::is_test_attribute(text) || text.contains("should_panic")
        });
        let is_test = attributes.iter().any(|attribute| rust::is_test_attribute(tree.text(*attribute)));
        let (Some(first), Some(name)) = (attributes.first(), tree.child(item, "name")) else { continue };
        if !is_plain || !is_test || !stands_once(tree, tree.text(name)) {
            continue;
        }
        let test = *first..tree.node(item).last;
        pieces.push(Piece { text: text_of(tree, &(at..test.start)), part: Part::Rest });
        at = test.end;
        pieces.push(Piece { text: text_of(tree, &test), part: Part::Test });
    }
    pieces.push(Piece { text: text_of(tree, &(at..span.end)), part: Part::Rest });
    pieces
}

fn stands_once(tree: &Tree<'_>, name: &str) -> bool {
    tree.tokens(tree.all()).filter(|at| tree.text(*at) == name).count() == 1
}

/// The nodes that units take; what stands in none of them is production code.
pub(super) fn unit_spans(tree: &Tree<'_>) -> Vec<Span> {
    units(tree).into_iter().map(|unit| unit.span).filter(|span| !span.is_empty()).collect()
}

/// The tokens outside all units.
pub(super) fn rest(tree: &Tree<'_>, units: &[Unit]) -> String {
    let mut taken: Vec<&Span> = units.iter().map(|unit| &unit.span).filter(|span| !span.is_empty()).collect();
    taken.sort_by_key(|span| span.start);
    let mut text = String::new();
    let mut at = 0;
    for span in taken {
        if span.start >= at {
            text.push_str(&condensed(tree, &(at..span.start)));
            at = span.end;
        }
    }
    text.push_str(&condensed(tree, &(at..tree.all().end)));
    text
}

pub(super) fn units(tree: &Tree<'_>) -> Vec<Unit> {
    let mut found: Vec<Unit> = Vec::new();
    let tests = find(tree);
    let names_in = |span: &Span| -> Vec<String> {
        let first = tests.partition_point(|test| test.node < span.start);
        let inside = tests[first..].iter().take_while(|test| test.node < span.end);
        inside.map(|test| test.name.clone()).collect()
    };
    let mut at = 0;
    while at < tree.all().end {
        let span = match tree.language {
            Language::Rust => rust_unit(tree, at),
            Language::JavaScript | Language::TypeScript | Language::Tsx => script_unit(tree, at),
            Language::Python | Language::Go => None,
        };
        match span {
            Some((span, kind)) => {
                let is_rust = tree.language == Language::Rust;
                let pieces = if is_rust { pieces(tree, &span) } else { Vec::new() };
                found.push(Unit {
                    pieces,
                    name: name_of(tree, &span),
                    text: text_of(tree, &span),
                    kind,
                    place: place_of(tree, &span),
                    tests: names_in(&span),
                    span: span.clone(),
                });
                at = span.end;
            }
            None => at += 1,
        }
    }
    for test in &tests {
        let span = test.first..tree.node(test.node).last;
        if !found.iter().any(|unit| unit.span.contains(&span.start)) {
            let text = text_of(tree, &span);
            let (name, place) = (test.name.clone(), test.name.clone());
            let (kind, tests) = (UnitKind::Tests, vec![name.clone()]);
            found.push(Unit { name, text, kind, span, place, tests, pieces: Vec::new() });
        }
    }
    if tree.language == Language::Rust {
        found.extend(examples(tree).iter().map(example_unit));
    }
    found
}

/// An item and the attributes before it, if one of them keeps it for tests alone. Begins at the
/// first attribute.
fn rust_unit(tree: &Tree<'_>, at: usize) -> Option<(Span, UnitKind)> {
    match tree.kind(at) {
        "inner_attribute_item" if is_for_tests(tree.text(at)) => {
            let home = tree.node(at).parent;
            let span = if home == 0 { at..tree.all().end } else { at..tree.node(home).last };
            Some((span, UnitKind::Tests))
        }
        "attribute_item" => {
            let parent = tree.node(at).parent;
            let item = tree.siblings(at..tree.node(parent).last).find(|sibling| {
                !matches!(tree.kind(*sibling), "attribute_item" | "line_comment" | "block_comment")
            })?;
            let attributes = rust::attributes(tree, item);
            if attributes.first() != Some(&at) {
                return None;
            }
            let is_test = attributes.iter().any(|attribute| rust::is_test_attribute(tree.text(*attribute)));
            let is_kept = attributes.iter().any(|attribute| is_for_tests(tree.text(*attribute)));
            let is_module = tree.kind(item) == "mod_item";
            let kind = if is_test || is_module { UnitKind::Tests } else { UnitKind::Scaffold };
            (is_test || is_kept).then(|| (at..tree.node(item).last, kind))
        }
        _ => None,
    }
}

/// `#[cfg(test)]`, `#[cfg(all(test, unix))]`; not `#[cfg(not(test))]`, and not an option that
/// holds without tests too.
fn is_for_tests(attribute: &str) -> bool {
    let text: String = attribute.split_whitespace().collect();
    let inside = text.trim_start_matches(['#', '!', '[']).strip_prefix("cfg(");
    inside.is_some_and(|inside| {
        inside.starts_with("test)")
            || inside.strip_prefix("all(").is_some_and(|all| {
                let flat = all.split(',').map(|part| part.trim_end_matches([')', ']']));
                !all.contains("not(") && !all.contains("any(") && flat.into_iter().any(|part| part == "test")
            })
    })
}

fn script_unit(tree: &Tree<'_>, at: usize) -> Option<(Span, UnitKind)> {
    if tree.kind(at) != "if_statement" || tree.child(at, "alternative").is_some() {
        return None;
    }
    let condition = tree.text(tree.child(at, "condition")?);
    let plain: String = condition.chars().filter(|c| !c.is_whitespace() && !matches!(c, '(' | ')')).collect();
    (plain == "import.meta.vitest").then(|| (tree.span(at), UnitKind::Scaffold))
}

fn example_unit(example: &Example) -> Unit {
    let name = example.text.lines().next().unwrap_or_default().to_owned();
    let text = format!("example {}", example.whole.trim_end());
    let place = format!("example of {}", example.item);
    let (kind, tests) = (UnitKind::Example, Vec::new());
    Unit { name, text, kind, span: 0..0, place, tests, pieces: Vec::new() }
}

/// Its name and those of what it stands in.
fn place_of(tree: &Tree<'_>, span: &Span) -> String {
    let around = tree.ancestors(span.start).filter_map(|above| tree.child(above, "name"));
    let around: Vec<&str> = around.map(|name| tree.text(name)).collect();
    format!("{} in {}", name_of(tree, span), around.join(" in "))
}

fn name_of(tree: &Tree<'_>, span: &Span) -> String {
    let mut items = tree.siblings(span.clone()).filter_map(|at| tree.child(at, "name"));
    match items.next() {
        Some(name) => tree.text(name).to_owned(),
        None => tree.span_text(span).lines().next().unwrap_or_default().chars().take(80).collect(),
    }
}

/// The unit's text; of its imports only the names that they bring.
fn text_of(tree: &Tree<'_>, span: &Span) -> String {
    let mut text = String::new();
    let mut at = span.start;
    for import in span.clone().filter(|at| tree.kind(*at) == "use_declaration") {
        text.push_str(&condensed(tree, &(at..import)));
        let is_leaf = |at: &usize| {
            let node = tree.node(*at);
            (is_name(node.kind) || node.kind == "*")
                && node.field != "path"
                && !tree
                    .ancestors(*at)
                    .take_while(|around| *around != import)
                    .any(|at| tree.node(at).field == "path")
        };
        let names = tree.span(import).filter(is_leaf).map(|at| tree.text(at));
        let _ = write!(text, " use {};", names.collect::<Vec<_>>().join(" "));
        at = tree.node(import).last;
    }
    text.push_str(&condensed(tree, &(at..span.end)));
    text
}
