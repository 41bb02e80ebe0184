//! What lies around a file of tests: what its imports lead to, and what the functions there are to a test.

use std::collections::BTreeMap;

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

    pub(super) fn join_methods(&mut self, others: &Self) {
        for (name, holds) in &others.methods {
            add(&mut self.methods, name, *holds);
        }
    }

    pub(super) fn add(&mut self, name: &str, holds: Holds) {
        add(&mut self.functions, name, holds);
    }

    pub(super) fn add_method(&mut self, name: &str, holds: Holds) {
        add(&mut self.methods, name, holds);
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
    /// For each import of the file, as [`needs`](super::needs) names it.
    pub homes: BTreeMap<String, Home>,
    /// What needs no import: files of the same package, fixtures.
    pub beside: Helpers,
}
