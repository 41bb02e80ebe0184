//! Functions that tests call and others wrote: what is known of them where they stand in other files.

use std::collections::{BTreeMap, BTreeSet};

use super::body::Reading;
use super::imports::imports;
use super::tree::Tree;
use super::{Language, Unread, find, tokens};

/// What a function is to a test that calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holds {
    /// Its source was read, and expects nothing.
    Nothing,
    /// It may expect something: it calls what can't be read.
    Unreadable,
    Expectation,
}

/// The functions of files that take part in tests, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Helpers {
    functions: BTreeMap<String, Holds>,
    /// Those of them that are called on something, in Rust: who brings a trait into scope calls them
    /// on what is not of the helper's file.
    methods: BTreeMap<String, Holds>,
}

impl Helpers {
    pub(super) fn get(&self, name: &str) -> Option<Holds> {
        self.functions.get(name).copied()
    }

    pub(super) fn method(&self, name: &str) -> Option<Holds> {
        self.methods.get(name).copied()
    }

    /// Takes over what others know; of one name what says more.
    pub fn join(&mut self, others: &Self) {
        for (name, holds) in &others.functions {
            self.add(name, *holds);
        }
        self.join_methods(others);
    }

    fn join_methods(&mut self, others: &Self) {
        for (name, holds) in &others.methods {
            add(&mut self.methods, name, *holds);
        }
    }

    fn add(&mut self, name: &str, holds: Holds) {
        add(&mut self.functions, name, holds);
    }

    pub(super) fn has_expectation(&self) -> bool {
        self.functions.values().any(|holds| *holds == Holds::Expectation)
    }
}

fn add(all: &mut BTreeMap<String, Holds>, name: &str, holds: Holds) {
    let known = all.entry(name.to_owned()).or_insert(holds);
    *known = holds.max(*known);
}

/// What an import leads to, as far as it matters to a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Home {
    /// The code under test, there or yet to be written.
    Production,
    /// The language's own, or a test runner.
    Own,
    /// Of others: what its functions do can't be read.
    Library,
    /// Files that take part in tests.
    Helpers(Helpers),
}

/// What lies around a file of tests.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// For each import of the file, as [`needs`] names it.
    pub homes: BTreeMap<String, Home>,
    /// What needs no import: files of the same package, fixtures.
    pub beside: Helpers,
}

/// The imports of a file, for [`Around::homes`]. Empty for a source that can't be read.
pub fn needs(language: Language, source: &str) -> BTreeSet<String> {
    let Ok(tree) = Tree::parse(language, source) else { return BTreeSet::new() };
    let mut found: BTreeSet<String> = imports(&tree).into_iter().map(|import| import.from).collect();
    if language == Language::Rust {
        // A crate needs no import: `approx::check(…)`.
        let paths = tree.all().filter(|at| tree.kind(*at) == "scoped_identifier");
        let roots = paths.filter_map(|at| tree.child(at, "path")).filter(|at| tree.kind(*at) == "identifier");
        let roots = roots.map(|at| tree.text(at)).filter(|root| root.starts_with(char::is_lowercase));
        found.extend(roots.map(str::to_owned));
        found.extend(tokens::crates(&tree).map(str::to_owned));
    }
    found
}

/// What the functions of a file are to tests that call them, and those that it hands on.
pub fn helpers(language: Language, source: &str, around: &Around) -> Result<Helpers, Unread> {
    let tree = Tree::parse(language, source)?;
    let tests = find(&tree);
    let reading = Reading::new(&tree, &tests, around);
    let mut found = Helpers::default();
    for (name, holds) in reading.functions() {
        found.add(name, holds);
    }
    for (name, holds) in reading.methods() {
        add(&mut found.methods, name, holds);
    }
    for import in imports(&tree) {
        match around.homes.get(&import.from) {
            Some(Home::Helpers(others)) if import.local == "*" => found.join(others),
            Some(Home::Helpers(others)) => {
                if let Some(holds) = others.get(&import.name) {
                    found.add(&import.local, holds);
                }
                // A trait that is handed on has its methods with it, whatever it is called here.
                found.join_methods(others);
            }
            Some(Home::Library) => found.add(&import.local, Holds::Unreadable),
            Some(Home::Production | Home::Own) | None => {}
        }
    }
    Ok(found)
}
