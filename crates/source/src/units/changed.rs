//! Tests inside sources that others than the test-writer changed.

use std::collections::{BTreeMap, HashSet};

use super::{Unit, UnitKind, grew, leads, units};
use crate::tree::Tree;
use crate::{Language, Unread};

/// Units that others than the test-writer changed: those of `before` that are found in none of `after`,
/// unless they are modules to which nothing but tests was added, and new ones that only the test-writer
/// may write. Each with its path. A source that can't be read has no units; one that could be read
/// before may hold anything, and is named.
pub fn changed(language: Language, before: &[(&str, &str)], after: &[(&str, &str)]) -> Vec<(String, String)> {
    let (old_trees, new_trees) = (trees(language, before), trees(language, after));
    let (old, new) = (units_of(&old_trees), units_of(&new_trees));
    let mut balance: BTreeMap<&str, i64> = BTreeMap::new();
    for (files, sign) in [(&old, -1), (&new, 1)] {
        for unit in files.iter().filter_map(|(_, units)| units.as_ref().ok()).flatten() {
            *balance.entry(unit.text.as_str()).or_default() += sign;
        }
    }
    let difference = |unit: &&Unit| balance.get(unit.text.as_str()).copied().unwrap_or_default();
    let mut found = Vec::new();
    for (path, units) in &old {
        let now = new.iter().find(|(other, _)| other == path).and_then(|(_, units)| units.as_ref().ok());
        // Nearly all of a file stay where they are: only the others are looked for one by one.
        let same: HashSet<(&str, &str)> =
            now.into_iter().flatten().map(|unit| (unit.place.as_str(), unit.text.as_str())).collect();
        let moved = |unit: &&Unit| !same.contains(&(unit.place.as_str(), unit.text.as_str()));
        let put = units.iter().flatten().filter(|unit| moved(unit) && difference(unit) >= 0);
        let put = put.filter(|unit| is_another_one_now(unit, units, now));
        found.extend(put.map(|unit| ((*path).to_owned(), unit.name.clone())));
    }
    let added: Vec<&Unit> = new
        .iter()
        .flat_map(|(_, units)| units.iter().flatten())
        .filter(|unit| difference(unit) > 0)
        .collect();
    let has_grown = |unit: &&Unit| added.iter().any(|now| grew(unit, now));
    for (path, units) in &old {
        let gone = units.iter().flatten().filter(|unit| difference(unit) < 0 && !has_grown(unit));
        found.extend(gone.map(|unit| ((*path).to_owned(), unit.name.clone())));
    }
    for (path, units) in &new {
        let scaffold = units.iter().flatten().filter(|unit| unit.kind == UnitKind::Scaffold);
        let added = scaffold.filter(|unit| difference(unit) > 0);
        found.extend(added.map(|unit| ((*path).to_owned(), unit.name.clone())));
        let was_unread = old.iter().any(|(other, units)| other == path && units.is_err());
        if let (Err(why), false) = (units, was_unread) {
            found.push(((*path).to_owned(), why.to_string()));
        }
    }
    if language == Language::Rust && found.is_empty() {
        let (before, after) = (leads::Version::new(read(&old_trees)), leads::Version::new(read(&new_trees)));
        let (old, new) = (read_units(&old), read_units(&new));
        found.extend(leads::led_elsewhere((&before, &old), (&after, &new)));
    }
    found
}

type Files<'s, T> = Vec<(&'s str, Result<T, Unread>)>;

fn trees<'s>(language: Language, files: &[(&'s str, &'s str)]) -> Files<'s, Tree<'s>> {
    files.iter().map(|(path, source)| (*path, Tree::parse(language, source))).collect()
}

fn units_of<'s>(trees: &Files<'s, Tree<'_>>) -> Files<'s, Vec<Unit>> {
    let of = |tree: &Result<Tree<'_>, Unread>| tree.as_ref().map(units).map_err(Clone::clone);
    trees.iter().map(|(path, tree)| (*path, of(tree))).collect()
}

fn read<'f, T>(files: &'f Files<'_, T>) -> Vec<(&'f str, &'f T)> {
    files.iter().filter_map(|(path, file)| file.as_ref().ok().map(|file| (*path, file))).collect()
}

fn read_units<'f>(files: &'f Files<'_, Vec<Unit>>) -> leads::Units<'f> {
    read(files).into_iter().map(|(path, units)| (path, units.as_slice())).collect()
}

/// Whether something else stands in the place of a unit that is not there as it was, though its text may be elsewhere: who moves it leaves nothing of
/// its name there, be it that new tests, which are called otherwise, come into a module of the same name.
fn is_another_one_now(unit: &Unit, before: &Result<Vec<Unit>, Unread>, now: Option<&Vec<Unit>>) -> bool {
    let is_told_so =
        |other: &Unit| unit.tests.is_empty() || other.tests.iter().any(|test| unit.tests.contains(test));
    let is_here = |other: &&Unit| other.place == unit.place && is_told_so(other);
    let here = |units: &[Unit]| units.iter().filter(is_here).count();
    let (Ok(before), Some(now)) = (before, now) else { return false };
    let has_grown = |other: &Unit| other.place == unit.place && grew(unit, other);
    here(now) >= here(before) && !now.iter().any(has_grown)
}
