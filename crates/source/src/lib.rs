//! What the source of a test file says, by the grammar of its language.
//!
//! ```text
//! source ─► tree ─► declared tests ─► claims ─► facts of each body
//!                └► flow: what comes from what
//! ```
//!
//! For what reports do not tell: which tests a file that does not load would hold, whether a body
//! expects anything and of what, and whether a test is still what it was. Names made at run time
//! (parameters, templates, macros) are not seen:
//! such a test is judged by its file. Refuses to know: runners, criteria, verdicts.

mod alike;
mod annotation;
mod around;
mod body;
mod calls;
mod claim;
mod claims;
mod doctests;
mod doubtful;
mod examples;
mod flow;
mod go;
mod helpers;
mod homes;
mod imports;
mod insertions;
mod items;
mod javascript;
mod known_calls;
mod led_modules;
mod literal;
mod manifests;
mod mark;
mod modules;
mod moved_examples;
mod mutants;
mod needed;
mod own_names;
mod picked;
mod pieces;
mod plain;
mod public_names;
mod python;
mod reassigned;
mod rebound;
mod renamed;
mod rests;
mod rows;
mod rust;
mod skips;
mod split;
mod stub;
mod support;
mod swallowed;
mod symbols;
mod test_aware;
mod tokens;
mod tree;
mod undefined;
mod units;
mod without;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;

pub use self::annotation::annotated;
pub use self::around::{Around, Helpers, Holds, Home};
pub use self::body::{Ask, BodyFacts, Expectation};
pub use self::doctests::changed_examples;
pub use self::helpers::{helpers, needs};
pub use self::homes::{Files, Package, Place};
pub use self::imports::{asked_at_load, asked_for, imported_roots};
pub use self::insertions::{changes_tests_alone, keeps_tests, same_code};
pub use self::items::is_subsequence;
pub use self::led_modules::{has_module_of_its_own, led_modules};
pub use self::manifests::{offered, offered_files};
pub use self::mark::mark;
pub use self::modules::modules;
pub use self::moved_examples::moved_examples;
pub use self::mutants::{Fails, Mutable, Mutant, PROBE, Reach, TestMutants, mutants, mutated};
pub use self::needed::needed_packages;
pub use self::pieces::{Part, Piece, pieces};
pub use self::public_names::{Loss, LostName, lost_names, new_names};
pub use self::reassigned::{Reassigned, Use, Whose, reassigned, use_of_reassigned};
pub use self::rebound::{Origin, Rebound, rebound};
pub use self::renamed::{Names, changed_but_for, renamed, renamed_in_units};
pub use self::rests::{Taken, declared_by_others_alone, taken};
pub use self::rows::{CommonRows, common_rows};
pub use self::skips::speaks_of_skipping;
pub use self::split::{Outline, is_called, lost_assertions, outline, outline_beside};
pub use self::stub::{Left, Lines, Stubbed, StubbedBody, stubbed, stubbed_saying};
pub use self::support::{Project, loaded_alone, shipped, support_files};
pub use self::symbols::{declares, declares_anywhere, leans_on};
pub use self::test_aware::{TestAwareSign, new_test_aware};
pub use self::units::{Additions, additions, changed as changed_units, has_units, holds_plain_tests};
pub use self::without::{OuterTest, outer_tests, without_tests, without_tests_and_imports};

use self::tree::{Span, Tree};

/// Languages with a grammar here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    Rust,
    Python,
    JavaScript,
    TypeScript,
    /// TypeScript with elements of markup in it.
    Tsx,
    Go,
}

impl Language {
    /// JavaScript and whatever is compiled to it.
    pub fn is_javascript(self) -> bool {
        matches!(self, Self::JavaScript | Self::TypeScript | Self::Tsx)
    }

    /// By a file's extension, without the dot.
    pub fn of(extension: &str) -> Option<Self> {
        match extension {
            "rs" => Some(Self::Rust),
            "py" | "pyi" => Some(Self::Python),
            "js" | "mjs" | "cjs" | "jsx" => Some(Self::JavaScript),
            "ts" | "mts" | "cts" => Some(Self::TypeScript),
            "tsx" => Some(Self::Tsx),
            "go" => Some(Self::Go),
            _ => None,
        }
    }
}

/// Why the grammar could not read a source. None of this is ever taken for a test that is well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// Over 2 MiB.
    TooLong,
    /// It takes more steps, or has more parts, than any text that a person wrote.
    TooTangled,
    /// The grammar does not fit this build.
    NoGrammar,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "it is longer than 2 MiB",
            Self::TooTangled => "it is nested or broken beyond what a grammar can follow",
            Self::NoGrammar => "its grammar does not fit this build",
        })
    }
}

/// A test as its source declares it.
#[derive(Clone, Debug)]
struct Declared {
    name: String,
    /// Its name has parts that only a run fills in.
    is_pattern: bool,
    /// The node that it begins with: its first attribute or decorator.
    first: usize,
    /// From there to its end, in bytes.
    whole: Range<usize>,
    node: usize,
    body: Span,
    skipped: Option<String>,
    /// It passes only if its body fails (`#[should_panic]`).
    expects_failure: bool,
}

impl Declared {
    fn body_bytes(&self, tree: &Tree<'_>) -> Range<usize> {
        if self.body.is_empty() { self.whole.end..self.whole.end } else { tree.bytes(&self.body) }
    }
}

/// The full names of the tests that a source declares, in order, as the language's runner would
/// name them within the file. Empty for a source that can't be read.
pub fn declared(language: Language, source: &str) -> Vec<String> {
    let Ok(tree) = Tree::parse(language, source) else { return Vec::new() };
    let tests = find(&tree).into_iter().filter(|test| !test.name.contains("${"));
    let mut seen = HashSet::new();
    tests.map(|test| test.name).filter(|name| seen.insert(name.clone())).collect()
}

/// One test file, read once.
#[derive(Clone, Debug, Default)]
pub struct TestFile {
    tests: Vec<(String, BodyFacts)>,
    by_name: HashMap<String, usize>,
    /// Names with parts that only a run fills in.
    patterns: Vec<usize>,
    whole: BodyFacts,
}

impl TestFile {
    /// Reads a file of which nothing is known but itself.
    pub fn read(language: Language, source: &str) -> Result<Self, Unread> {
        Self::read_with(language, source, &Around::default())
    }

    pub fn read_with(language: Language, source: &str, around: &Around) -> Result<Self, Unread> {
        let tree = Tree::parse(language, source)?;
        let tests = find(&tree);
        let reading = body::Reading::new(&tree, &tests, around);
        let mut file = Self::default();
        for test in tests {
            let at = file.tests.len();
            file.by_name.entry(as_spelt(&test.name)).or_insert(at);
            if test.is_pattern {
                file.patterns.push(at);
            }
            let mut facts = reading.facts(&test);
            facts.may_skip = facts.skipped.is_some() || mark::says_skip(&tree, &test);
            file.tests.push((test.name, facts));
        }
        file.whole = reading.of_file(&file.tests);
        Ok(file)
    }

    /// What the body of a test holds. `test` is its full name, without the file; parameters that a
    /// runner adds (`test_a[1]`, `case_1`) are looked through. `None` if it is not found.
    pub fn body(&self, test: &str) -> Option<&BodyFacts> {
        let plain = test.split('[').next().unwrap_or(test);
        let without_case = test.rsplit_once("::case_").map_or(test, |(name, _)| name);
        let exact =
            [test, plain, without_case].into_iter().find_map(|name| self.by_name.get(&as_spelt(name)));
        let fits = |at: &&usize| javascript::matches_pattern(&self.tests[**at].0, test);
        let mut fitting = self.patterns.iter().filter(fits);
        let of_pattern = || {
            let first = fitting.next()?;
            // One that fits whatever the name is says less than another that fits.
            let least = |at: &usize| self.tests[*at].0.split("${").map(str::len).sum::<usize>();
            Some(fitting.fold(first, |one, other| if least(other) > least(one) { other } else { one }))
        };
        // Cases and subtests that are named by what they are given.
        let around = || {
            let outer = test.rsplit_once('/').or_else(|| test.rsplit_once("::")).map(|(outer, _)| outer)?;
            self.by_name.get(&as_spelt(outer))
        };
        let at = exact.or_else(of_pattern).or_else(around)?;
        self.tests.get(*at).map(|(_, facts)| facts)
    }

    /// What the file's tests hold together: for one whose name only a run knows.
    pub fn whole(&self) -> &BodyFacts {
        &self.whole
    }
}

/// pytest joins class and name by `::`, unittest by `.`.
fn as_spelt(name: &str) -> String {
    name.replace("::", ".")
}

fn find(tree: &Tree<'_>) -> Vec<Declared> {
    let mut tests = match tree.language {
        Language::Rust => rust::tests(tree),
        Language::Python => python::tests(tree),
        Language::JavaScript | Language::TypeScript | Language::Tsx => javascript::tests(tree),
        Language::Go => go::tests(tree),
    };
    tests.sort_by_key(|test| test.node);
    // Tests within tests within tests: each is read again for those around it.
    let mut open: Vec<usize> = Vec::new();
    tests.retain(|test| {
        open.retain(|end| *end > test.node);
        open.push(tree.node(test.node).last);
        open.len() <= NEST_CAP
    });
    tests
}

/// Tests within tests that are listed.
const NEST_CAP: usize = 8;

#[cfg(test)]
mod helpers_tests;
#[cfg(test)]
mod tests;
