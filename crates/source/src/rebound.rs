//! Which tests see another thing behind a name after their file was changed, though they read as they did.
//!
//! ```text
//! from shop import one                   from shop import one
//!                                        def one(): return 1        another thing
//! def test_a():                          def test_a():
//!     assert one() == 1                      assert one() == 1
//! ```
//!
//! What a test binds itself is part of its text, which others compare; here counts what is bound around it, level by
//! level: modules, classes, and functions that hold tests. Not seen: what a statement does to a thing that keeps its
//! name (`shop.one = …`, `jest.mock`), and a name that is made of a string.

mod names;
mod scopes;

use std::collections::BTreeSet;

use tdd_core::path::RelPath;

use self::names::{Use, uses};
use self::scopes::{Bound, Scopes, Space};
use super::tree::Tree;
use super::{Language, Unread, find};

/// An old test that sees another thing behind a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebound {
    /// The full name of the test; `None`: what all tests of the file share uses the name.
    pub test: Option<String>,
    pub name: String,
    /// The line that gives the name its other meaning, from 1; 0 if it has none any more.
    pub line: u32,
}

/// Whose it is what an import leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Files that tests are made of: who writes tests writes them.
    Tests(BTreeSet<RelPath>),
    Production(BTreeSet<RelPath>),
    /// The project's, and not there.
    Absent,
    Library,
}

/// The uses of names in `before` that mean something else in `after`, one for each test and name, in order.
/// `origin` tells where an import of the file leads.
pub fn rebound(
    language: Language,
    before: &str,
    after: &str,
    origin: &dyn Fn(&str) -> Origin,
) -> Result<Vec<Rebound>, Unread> {
    let (old, new) = (Tree::parse(language, before)?, Tree::parse(language, after)?);
    let (old_tests, new_tests) = (find(&old), find(&new));
    let (old_scopes, new_scopes) = (Scopes::of(&old, &old_tests), Scopes::of(&new, &new_tests));
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for Use { name, at, used_at, space } in uses(&old, &old_scopes, &old_tests) {
        let path = old_scopes.path_of(at);
        let (was, is) = (old_scopes.bound(&path, space, name), new_scopes.bound(&path, space, name));
        let all = new_scopes.bound(&path, Space::Plain, "*");
        let brings = |(_, from)| !matches!(origin(from), Origin::Tests(_));
        let is_in_all = space == Space::Plain && all.iter().filter_map(Bound::import).any(brings);
        let line = match meaning(was, is, origin) {
            Meaning::Same => continue,
            // A compiler asks for what has no meaning any more.
            Meaning::Gone if matches!(language, Language::Rust | Language::Go) || is_in_all => continue,
            Meaning::Gone => 0,
            // `use super::*` for `use super::one`: what lies outside of the module comes in by it.
            Meaning::Other(by)
                if language == Language::Rust
                    && is_in_all
                    && new_scopes.path_of(by).len() < path.len()
                    && !was.is_empty()
                    && was.iter().all(|bound| bound.import().is_some()) =>
            {
                continue;
            }
            Meaning::Other(by) => new.line(by),
        };
        let around: Vec<&str> = old_tests
            .iter()
            .filter(|test| (test.first..old.node(test.node).last).contains(&used_at))
            .map(|test| test.name.as_str())
            .collect();
        let of_all = around.is_empty().then_some(None);
        for test in around.into_iter().map(Some).chain(of_all) {
            if seen.insert((test, name)) {
                found.push(Rebound { test: test.map(str::to_owned), name: name.to_owned(), line });
            }
        }
    }
    Ok(found)
}

/// What a name means after a change.
enum Meaning {
    Same,
    /// Nothing in this file gives it one any more.
    Gone,
    /// This node gives it another one.
    Other(usize),
}

fn meaning(was: &[Bound], is: &[Bound], origin: &dyn Fn(&str) -> Origin) -> Meaning {
    let made = |bounds: &[Bound]| bounds.iter().filter(|bound| bound.import().is_none()).count();
    let Some(first) = is.first() else {
        // What a library's name means without it, the language or the runner gives.
        let is_own =
            |bound: &Bound| bound.import().is_none_or(|(_, from)| !matches!(origin(from), Origin::Library));
        return if was.iter().any(is_own) { Meaning::Gone } else { Meaning::Same };
    };
    // More of them than there were: a later one hides an earlier one.
    let last = is.iter().rfind(|bound| bound.import().is_none());
    if let Some(last) = last.filter(|_| made(is) > made(was)) {
        return Meaning::Other(last.at);
    }
    let old: Vec<(&str, &str)> = was.iter().filter_map(Bound::import).collect();
    let is_new = |bound: &&Bound| bound.import().is_some_and(|import| !old.contains(&import));
    let odd = is.iter().filter(is_new).find(|bound| !may_replace(&old, bound, origin));
    let is_kept = old.is_empty() || is.iter().any(|bound| bound.import().is_some());
    match odd {
        Some(odd) => Meaning::Other(odd.at),
        None if is_kept => Meaning::Same,
        None => Meaning::Other(first.at),
    }
}

/// Whether an import may stand where these stood, or where none did: it brings what was brought, or something of that
/// name that whoever writes tests does not write.
fn may_replace(old: &[(&str, &str)], new: &Bound, origin: &dyn Fn(&str) -> Origin) -> bool {
    let Some((name, from)) = new.import() else { return false };
    let origins: Vec<(&str, Origin)> = old.iter().map(|(name, from)| (*name, origin(from))).collect();
    match origin(from) {
        Origin::Absent => true,
        Origin::Production(files) => {
            let is_it = |(was, at): &(&str, Origin)| *was == name && *at == Origin::Production(files.clone());
            name.is_empty() || new.keeps_name || origins.iter().any(is_it)
        }
        Origin::Tests(files) => {
            origins.iter().any(|(was, at)| *was == name && *at == Origin::Tests(files.clone()))
        }
        Origin::Library => {
            let is_kin = origins.iter().all(|(_, at)| *at == Origin::Library);
            is_kin && (new.keeps_name || !old.is_empty())
        }
    }
}

#[cfg(test)]
mod tests;
