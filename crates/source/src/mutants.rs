//! Tests in which one expectation is changed, so that they must fail: `205` becomes another number,
//! `"a"` another text, a bound its opposite, an error's type one that nobody throws.
//!
//! ```text
//! source ─► claims of each test ─► ways to change each, best first ─► a text with one of them applied
//! ```
//!
//! Literals are changed only where something must be equal to them, and far enough that no counter and no
//! tolerance reaches them. What can't be read is left out; nobody is blamed for a test that has no mutant.

mod go;
mod itself;
mod javascript;
mod literals;
mod python;
mod rust;

use std::ops::Range;

use super::alike::Alike;
use super::claim::{Claim, Says, Weight, arguments, callee};
use super::claims::claims;
use super::tree::{Span, Tree};
use super::{Declared, Language, find};
pub use literals::Reach;
use literals::{Dice, another, changed, far, leaves};

/// How a mutant must fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fails {
    ByExpectation,
    /// The error that nobody expects any more is what makes it fail.
    Anyhow,
}

/// One change of one expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    edits: Vec<(Range<usize>, String)>,
    pub fails: Fails,
}

impl Mutant {
    fn replace(at: Range<usize>, by: impl Into<String>) -> Self {
        Self { edits: vec![(at, by.into())], fails: Fails::ByExpectation }
    }

    fn anyhow(self) -> Self {
        Self { fails: Fails::Anyhow, ..self }
    }
}

/// One expectation of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutable {
    /// From 1.
    pub line: usize,
    /// Different ways, the best first; never empty.
    pub ways: Vec<Mutant>,
    /// A certain failure in its place, whose message holds [`PROBE`]: shows that it is reached.
    pub probe: Mutant,
}

/// In the message of the failure that stands in for an expectation.
pub const PROBE: &str = "reached as it must be";

/// A test with what can be changed in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestMutants {
    /// Its full name within the file, as [`declared`](super::declared) tells it.
    pub name: String,
    pub claims: Vec<Mutable>,
}

/// Expectations of one test that are looked at.
const MOST_CLAIMS: usize = 16;

/// Tests of one file that are looked at.
const MOST_TESTS: usize = 2_000;

/// All tests of a source that are declared by their own names and run by themselves, with what can be
/// changed in each. The same seed gives the same mutants. Empty for a source that can't be read.
pub fn mutants(language: Language, source: &str, seed: u64, reach: Reach) -> Vec<TestMutants> {
    let Ok(tree) = Tree::parse(language, source) else { return Vec::new() };
    let mut dice = Dice::new(seed, reach);
    let tests = find(&tree);
    let own = tests.iter().filter(|test| test.skipped.is_none() && !test.body.is_empty());
    own.take(MOST_TESTS)
        .map(|test| TestMutants { name: test.name.clone(), claims: of_test(&tree, test, &mut dice) })
        .collect()
}

/// The source with these changes. `None` if two of them touch.
pub fn mutated<'m>(source: &str, mutants: impl IntoIterator<Item = &'m Mutant>) -> Option<String> {
    let mut edits: Vec<&(Range<usize>, String)> =
        mutants.into_iter().flat_map(|mutant| &mutant.edits).collect();
    edits.sort_by_key(|(at, _)| (at.start, at.end));
    let mut text = String::with_capacity(source.len() + 64);
    let mut done = 0;
    for (at, by) in edits {
        text.push_str(source.get(done..at.start)?);
        text.push_str(by);
        done = at.end;
    }
    text.push_str(source.get(done..)?);
    Some(text)
}

fn of_test(tree: &Tree<'_>, test: &Declared, dice: &mut Dice) -> Vec<Mutable> {
    if tree.is_torn(&test.body) {
        return Vec::new();
    }
    let all = claims(tree, &test.body);
    let alike = Alike::of(tree, &test.body, &all);
    // Go says by a condition around it what a failure is about.
    let says = |claim: &Claim| claim.says != Says::Fails || tree.language == Language::Go;
    let can_tell = |claim: &Claim| says(claim) && !itself::compares_itself(tree, claim, &test.body, &alike);
    let full = all.into_iter().filter(|claim| claim.weight == Weight::Full && can_tell(claim));
    let full: Vec<Claim> = full.take(MOST_CLAIMS).collect();
    let sides: Vec<Option<[Span; 2]>> = full.iter().map(|claim| sides(tree, claim)).collect();
    for side in sides.iter().flatten().flatten() {
        dice.note(tree, side);
    }
    let mut found = Vec::new();
    for (at, claim) in full.iter().enumerate() {
        let equality = equality(tree, test, at, &sides);
        let mutants = match tree.language {
            Language::Python => python::of_claim(tree, claim, equality, dice),
            Language::JavaScript | Language::TypeScript | Language::Tsx => {
                javascript::of_claim(tree, claim, equality, dice)
            }
            Language::Go => go::of_claim(tree, claim, &test.body, dice),
            Language::Rust => rust::of_claim(tree, claim, equality, dice),
        };
        let begin = tree.node(claim.whole.start).begin;
        let line = tree.source.get(..begin).map_or(1, |before| before.matches('\n').count() + 1);
        found.extend(mutants.into_iter().filter(|(ways, _)| !ways.is_empty()).map(|(ways, probe)| Mutable {
            line,
            ways,
            probe,
        }));
    }
    found
}

/// The two that a claim holds to be equal.
fn sides(tree: &Tree<'_>, claim: &Claim) -> Option<[Span; 2]> {
    match tree.language {
        Language::Python => python::sides(tree, claim),
        Language::JavaScript | Language::TypeScript | Language::Tsx => javascript::sides(claim),
        Language::Rust => rust::sides(claim),
        Language::Go => None,
    }
}

/// Whether something else in the place of what is expected can't be equal to what it is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Equality {
    Strict,
    /// The test itself expects one thing to be equal to several: a counter, a value that fits all.
    Loose,
}

fn equality(tree: &Tree<'_>, test: &Declared, at: usize, all: &[Option<[Span; 2]>]) -> Equality {
    let Some([left, right]) = all.get(at).and_then(Option::as_ref) else { return Equality::Strict };
    let word = |span: &Span| tree.span_text(span);
    let differs = |[one, other]: &[Span; 2]| {
        (word(one) == word(left) && word(other) != word(right))
            || (word(other) == word(right) && word(one) != word(left) && !leaves(tree, left).is_empty())
    };
    let given = handed_in(tree, test);
    let is_given = |side: &Span| given.contains(&word(side));
    let depends =
        |side: &Span| side.clone().any(|at| tree.kind(at) == "identifier" && given.contains(&tree.text(at)));
    let varies = |one: &Span, other: &Span| is_given(one) && is_fixed(tree, other) && !depends(other);
    if all.iter().flatten().any(differs) || varies(right, left) || varies(left, right) {
        Equality::Loose
    } else {
        Equality::Strict
    }
}

/// A call or a path, not a name that the test may have bound anew for each case.
fn is_fixed(tree: &Tree<'_>, side: &Span) -> bool {
    tree.kind(side.start) != "identifier"
}

/// Names that a test is given anew for each case: its parameters and the names of its loops.
fn handed_in<'s>(tree: &Tree<'s>, test: &Declared) -> Vec<&'s str> {
    let whole = tree.span(test.node);
    let lists = whole.filter(|at| {
        matches!(tree.kind(*at), "parameters" | "formal_parameters")
            || (tree.node(*at).field == "left" && tree.kind(tree.node(*at).parent).starts_with("for"))
    });
    let names = lists.flat_map(|at| tree.span(at)).filter(|at| tree.kind(*at) == "identifier");
    names.map(|at| tree.text(at)).collect()
}

/// What was found of one claim: ways to change it, and a probe; a claim may hold several things.
type Found = Vec<(Vec<Mutant>, Mutant)>;

/// The ways in which two things that must be equal are made unequal: another literal on either side, else
/// something else altogether on the side that the test itself made.
fn unequal(tree: &Tree<'_>, [left, right]: [&Span; 2], sentinel: &str, dice: &mut Dice) -> Vec<Mutant> {
    let mut ways: Vec<Mutant> = Vec::new();
    for side in [right, left] {
        let (found, distance) = value_leaves(tree, side);
        let Some(leaf) = dice.pick(&found).copied() else { continue };
        let by = match distance {
            // What a leaf within a collection is to another one, nobody knows.
            Distance::Another if leaf == side.start => another(tree, leaf, dice),
            Distance::Another => changed(tree, leaf, dice),
            Distance::Far => far(tree, leaf, dice),
        };
        ways.extend(by.map(|by| Mutant::replace(bytes(tree, leaf), by)));
        break;
    }
    let is_call = |side: &Span| {
        matches!(tree.kind(side.start), "call" | "call_expression" | "await" | "await_expression")
    };
    let own = if is_call(right) && !is_call(left) && !approximates(tree, right.start) { left } else { right };
    ways.push(Mutant::replace(tree.bytes(own), sentinel));
    ways
}

/// How far another number has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Distance {
    Another,
    /// Beyond any tolerance.
    Far,
}

/// Literals of a side; of an approximation those that it is about. What a constructor is given is none: a
/// class may call things equal that differ in it.
fn value_leaves(tree: &Tree<'_>, side: &Span) -> (Vec<usize>, Distance) {
    if !approximates(tree, side.start) {
        return (leaves(tree, side), Distance::Another);
    }
    let given = tree.child(side.start, "arguments").map(|list| arguments(tree, list)).unwrap_or_default();
    (given.first().map(|first| leaves(tree, first)).unwrap_or_default(), Distance::Far)
}

/// `pytest.approx(0.3)`, `expect.closeTo(0.3)`
fn approximates(tree: &Tree<'_>, at: usize) -> bool {
    callee(tree, at).is_some_and(|name| is_approximate(&name))
}

fn is_approximate(name: &str) -> bool {
    matches!(name.rsplit('.').next(), Some("approx" | "closeTo"))
}

fn bytes(tree: &Tree<'_>, at: usize) -> Range<usize> {
    tree.node(at).begin..tree.node(at).end
}

#[cfg(test)]
mod tests;
