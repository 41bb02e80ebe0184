//! Where the names lead that Rust's tests inside sources say: whether what they look at is still what others get there.
//!
//! ```text
//! src/lib.rs   pub fn one() {}           mod kept; pub use kept::one;    the function moved, and its tests with it
//!              mod tests { one() }       mod kept; pub fn one() {}       another one stands in its place, and the tests
//! src/kept.rs                            fn one() {} mod tests { one() } look at what nobody gets
//! ```
//!
//! Modules are told by the places of their files, as Cargo does without `#[path]`. A name of which no source that is
//! given says where it leads is passed over, and so is one that is gone from its place: who used it has to follow.

use std::collections::{BTreeMap, BTreeSet};

use super::{Unit, UnitKind, grew};
use crate::imports::{Import, imports};
use crate::tree::{Span, Tree, is_name};

/// The crate, and the modules that lead there.
type Path = Vec<String>;

/// A module and the name of something in it.
type Thing = (Path, String);

const DEEPEST: usize = 12;

/// What a function that only hands on does not hold, by words of its kind.
const MORE: [&str; 9] =
    ["let_", "if_", "match_", "binary_", "unary_", "macro_", "_literal", "closure_", "block"];

#[derive(Default)]
struct Module {
    /// Its own items, each with its file and its node.
    items: BTreeMap<String, (usize, usize)>,
    /// Modules whose bodies lie in files of their own.
    declared: BTreeSet<String>,
    imports: Vec<Import>,
}

/// Sources of one version, each with its path.
pub(super) struct Version<'t> {
    trees: Vec<(&'t str, &'t Tree<'t>)>,
    modules: BTreeMap<Path, Module>,
}

/// Units of one version, by the files they lie in.
pub(super) type Units<'u> = Vec<(&'u str, &'u [Unit])>;

/// Tests that look at something else now though they read as they did: the file of each, and what they say.
pub(super) fn led_elsewhere(
    (before, old): (&Version<'_>, &Units<'_>),
    (after, new): (&Version<'_>, &Units<'_>),
) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (path, unit) in all(new).filter(|(_, unit)| unit.kind == UnitKind::Tests) {
        let was: Vec<(&str, &Unit)> =
            all(old).filter(|(file, was)| is_it((file, was), (path, unit), new)).collect();
        if was.is_empty() {
            continue;
        }
        let names = after.names(path, unit);
        let another = |(file, was): (&str, &Unit)| another_one(before.names(file, was), &names, after);
        // Of two that read the same either may be the one that moved.
        let others: Option<Vec<String>> = was.into_iter().map(another).collect();
        found.extend(
            others
                .into_iter()
                .flatten()
                .next()
                .map(|name| (path.to_owned(), format!("{}: `{name}` leads elsewhere", unit.name))),
        );
    }
    found
}

fn all<'u>(units: &'u Units<'u>) -> impl Iterator<Item = (&'u str, &'u Unit)> {
    units.iter().flat_map(|(path, units)| units.iter().map(move |unit| (*path, unit)))
}

/// Whether a unit may be the old one: it stands in its place, or the old one is no more where it was.
fn is_it((file, was): (&str, &Unit), (path, now): (&str, &Unit), new: &Units<'_>) -> bool {
    let reads_so = |other: &Unit| was.text == other.text || grew(was, other);
    if !reads_so(now) {
        return false;
    }
    let in_place = |path: &str, other: &Unit| path == file && other.place == was.place && reads_so(other);
    in_place(path, now) || !all(new).any(|(path, other)| in_place(path, other))
}

/// The first name that leads elsewhere than to what stands now where it led.
fn another_one(
    was: BTreeMap<String, Thing>,
    now: &BTreeMap<String, Thing>,
    after: &Version<'_>,
) -> Option<String> {
    let is_another = |(name, thing): &(String, Thing)| {
        let (Some(seen), Some(given)) = (now.get(name), after.resolve(&thing.0, &thing.1, 0)) else {
            return false;
        };
        *seen != given && *seen != *thing && !after.only_calls(&given, seen)
    };
    was.into_iter().find(is_another).map(|(name, _)| name)
}

impl<'t> Version<'t> {
    pub(super) fn new(trees: Vec<(&'t str, &'t Tree<'t>)>) -> Self {
        let mut modules = BTreeMap::new();
        for (file, (path, tree)) in trees.iter().enumerate() {
            let home = module_of(path);
            take_items(&mut modules, (file, tree), 0, &home);
            for import in imports(tree) {
                let around = module_around(tree, import.at, &home);
                let module: &mut Module = modules.entry(around).or_default();
                match import.from.strip_prefix("mod ") {
                    Some(name) => drop(module.declared.insert(name.to_owned())),
                    None => module.imports.push(import),
                }
            }
        }
        Self { trees, modules }
    }

    /// What the names that a unit says lead to, those of its own module left out.
    fn names(&self, path: &str, unit: &Unit) -> BTreeMap<String, Thing> {
        let mut found = BTreeMap::new();
        let Some((_, tree)) = self.trees.iter().find(|(file, _)| *file == path) else { return found };
        let own = scope(tree, &unit.span).map(|module| inside(tree, module, &module_of(path)));
        let home = own.clone().unwrap_or_else(|| module_around(tree, unit.span.start, &module_of(path)));
        let tokens: Vec<usize> = tree.tokens(unit.span.clone()).collect();
        let text = |at: usize| tokens.get(at).map_or("", |at| tree.text(*at));
        let mut at = 0;
        while at < tokens.len() {
            let begin = at;
            at += 1;
            let is_led = begin > 0 && matches!(text(begin - 1), "." | "::");
            if !is_name(tree.kind(tokens[begin])) && !matches!(text(begin), "super" | "crate" | "self")
                || is_led
            {
                continue;
            }
            while text(at) == "::" && at + 1 < tokens.len() {
                at += 2;
            }
            let said: Vec<&str> = (begin..at).step_by(2).map(text).collect();
            let thing =
                if said.len() == 1 { self.resolve(&home, said[0], 0) } else { self.walk(&home, &said, 0) };
            // A path in an import is asked by the name that it brings.
            let is_import =
                tree.ancestors(tokens[begin]).any(|around| tree.kind(around) == "use_declaration");
            if let Some(thing) = thing.filter(|thing| !is_import && Some(&thing.0) != own.as_ref()) {
                let name = said.iter().rev().find(|word| **word == thing.1).unwrap_or(&said[0]);
                found.insert((*name).to_owned(), thing);
            }
        }
        found
    }

    /// What a name in a module means, as far as these sources tell.
    fn resolve(&self, module: &[String], name: &str, depth: usize) -> Option<Thing> {
        let here = self.modules.get(module).filter(|_| depth < DEEPEST)?;
        if here.items.contains_key(name) {
            return Some((module.to_vec(), name.to_owned()));
        }
        let named = here.imports.iter().filter(|import| import.local == name && !import.name.is_empty());
        let by_name = |import: &Import| {
            let path: Vec<&str> = import.from.split("::").collect();
            self.walk(module, &path, depth + 1)
        };
        let by_all = |import: &Import| {
            let path: Vec<&str> =
                import.from.trim_end_matches("::*").split("::").chain(std::iter::once(name)).collect();
            let (led_to, _) = self.walk(module, &path, depth + 1)?;
            self.modules.contains_key(&led_to).then(|| self.resolve(&led_to, name, depth + 1)).flatten()
        };
        let all = here.imports.iter().filter(|import| import.local == "*");
        let (mut named, mut all) = (named, all);
        named.find_map(by_name).or_else(|| all.find_map(by_all))
    }

    /// Where a path leads: to the first part of it that is no module.
    fn walk(&self, from: &[String], path: &[&str], depth: usize) -> Option<Thing> {
        let mut at = from.to_vec();
        for (place, part) in path.iter().enumerate() {
            match *part {
                "crate" => at.truncate(1),
                "self" => {}
                "super" => {
                    if at.len() > 1 {
                        at.pop();
                    } else {
                        return None;
                    }
                }
                part => {
                    let below: Path = at.iter().cloned().chain(std::iter::once(part.to_owned())).collect();
                    let is_declared = self.modules.get(&at).is_some_and(|here| here.declared.contains(part));
                    if is_declared || self.modules.contains_key(&below) {
                        at = below;
                        continue;
                    }
                    let found = self.resolve(&at, part, depth + 1);
                    // What begins with neither is another crate, unless this module knows it.
                    let is_of_crate = place > 0;
                    return found.or_else(|| is_of_crate.then(|| (at, part.to_owned())));
                }
            }
        }
        None
    }

    /// Whether one of these functions does nothing but call the other.
    fn only_calls(&self, outer: &Thing, inner: &Thing) -> bool {
        let Some(&(file, at)) = self.modules.get(&outer.0).and_then(|module| module.items.get(&outer.1))
        else {
            return false;
        };
        let tree = &self.trees[file].1;
        let Some(body) = tree.child(at, "body").filter(|_| tree.kind(at) == "function_item") else {
            return false;
        };
        let is_more = |at: usize| {
            let kind = tree.kind(at);
            kind == ";" || MORE.iter().any(|word| kind.contains(word))
        };
        let leads_to_it = |function: usize| {
            let path: Vec<&str> = tree.text(function).split("::").map(str::trim).collect();
            self.walk(&outer.0, &path, 0).as_ref() == Some(inner)
        };
        let is_call = |at: usize| {
            tree.kind(at) == "call_expression" && tree.child(at, "function").is_some_and(leads_to_it)
        };
        let mut within = tree.span(body).skip(1);
        within.clone().any(is_call) && !within.any(is_more)
    }
}

/// The items of a module and of those in its file.
fn take_items(
    modules: &mut BTreeMap<Path, Module>,
    (file, tree): (usize, &Tree<'_>),
    home: usize,
    path: &[String],
) {
    modules.entry(path.to_vec()).or_default();
    for item in tree.children(home) {
        let Some(name) = tree.child(item, "name").map(|name| tree.text(name).to_owned()) else { continue };
        match tree.kind(item) {
            "mod_item" => {
                if let Some(body) = tree.child(item, "body") {
                    let below: Path = path.iter().cloned().chain(std::iter::once(name)).collect();
                    take_items(modules, (file, tree), body, &below);
                }
            }
            "function_item" | "struct_item" | "enum_item" | "union_item" | "const_item" | "static_item"
            | "type_item" | "trait_item" => {
                modules.entry(path.to_vec()).or_default().items.entry(name).or_insert((file, item));
            }
            _ => {}
        }
    }
}

/// The module that a file is.
fn module_of(path: &str) -> Path {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let (package, below) = match stem.rsplit_once("/src/") {
        Some((package, below)) => (package, below),
        None => match stem.strip_prefix("src/") {
            Some(below) => ("", below),
            None => return vec![stem.to_owned()],
        },
    };
    let parts: Vec<&str> = below.split('/').collect();
    match parts.as_slice() {
        ["lib" | "main"] => vec![package.to_owned()],
        ["bin", name] | ["bin", name, "main"] => vec![format!("{package}/bin/{name}")],
        ["bin", name, rest @ ..] => module(&format!("{package}/bin/{name}"), rest),
        rest => module(package, rest),
    }
}

fn module(root: &str, parts: &[&str]) -> Path {
    let parts = parts.strip_suffix(&["mod"]).unwrap_or(parts);
    std::iter::once(root).chain(parts.iter().copied()).map(str::to_owned).collect()
}

/// The module of a file that a node stands in.
fn module_around(tree: &Tree<'_>, at: usize, home: &[String]) -> Path {
    let around: Vec<usize> = tree.ancestors(at).filter(|around| is_module(tree, *around)).collect();
    let names = around.iter().rev().filter_map(|module| tree.child(*module, "name"));
    home.iter().cloned().chain(names.map(|name| tree.text(name).to_owned())).collect()
}

fn inside(tree: &Tree<'_>, module: usize, home: &[String]) -> Path {
    let own = tree.child(module, "name").map(|name| tree.text(name).to_owned());
    module_around(tree, module, home).into_iter().chain(own).collect()
}

fn is_module(tree: &Tree<'_>, at: usize) -> bool {
    tree.kind(at) == "mod_item" && tree.child(at, "body").is_some()
}

/// The module that a unit is.
fn scope(tree: &Tree<'_>, span: &Span) -> Option<usize> {
    tree.siblings(span.clone()).find(|at| is_module(tree, *at))
}

#[cfg(test)]
mod tests {
    use crate::{Language, changed_units};

    const ONE: &str = "pub fn one() -> u8 { 1 }\n";
    const TESTS: &str =
        "#[cfg(test)]\nmod tests { use super::*; #[test] fn is_one() { assert_eq!(one(), 1) } }\n";
    const DECOY: &str = "pub fn one() -> u8 { 5 }\n";

    fn said(before: &[(&str, &str)], after: &[(&str, &str)]) -> Vec<String> {
        changed_units(Language::Rust, before, after)
            .into_iter()
            .map(|(path, what)| format!("{path} {what}"))
            .collect()
    }

    #[test]
    fn ac_tdd_8_154_tests_that_go_with_what_they_look_at_are_as_they_were() {
        let inline = [ONE, TESTS].concat();
        let before = [("src/lib.rs", inline.as_str())];
        let renamed = TESTS.replace("super::*", "super::one");
        let named = [ONE, &renamed].concat();
        let led = TESTS.replace("super::*", "super::kept::one");
        for (name, before, after) in [
            (
                "given on",
                before,
                vec![("src/lib.rs", "mod kept;\npub use kept::one;\n"), ("src/kept.rs", &inline)],
            ),
            (
                "all of it",
                before,
                vec![("src/lib.rs", "mod kept;\npub use kept::*;\n"), ("src/kept.rs", &inline)],
            ),
            (
                "public where it is",
                before,
                vec![("src/lib.rs", "pub mod kept;\n"), ("src/kept/mod.rs", &inline)],
            ),
            (
                "called by what stays",
                before,
                vec![
                    ("src/lib.rs", "mod kept;\npub fn one() -> u8 { kept::one() }\n"),
                    ("src/kept.rs", &inline),
                ],
            ),
            (
                "inside of the file",
                before,
                vec![("src/lib.rs", &format!("mod kept {{ {inline} }}\npub use kept::one;\n"))],
            ),
            (
                "its tests stay",
                [("src/lib.rs", named.as_str())],
                vec![("src/lib.rs", &format!("mod kept;\npub use kept::one;\n{led}")), ("src/kept.rs", ONE)],
            ),
            ("it is changed in its place", before, vec![("src/lib.rs", &[DECOY, TESTS].concat())]),
        ] {
            assert_eq!(said(&before, &after), [""; 0], "{name}");
        }
    }

    #[test]
    fn ac_tdd_8_154_tests_that_look_at_what_nobody_gets_are_told() {
        let inline = [ONE, TESTS].concat();
        let decoy = |rest: &str| format!("mod kept;\n{rest}");
        let before = [("src/lib.rs", inline.as_str())];
        let led = TESTS.replace("super::*", "super::kept::one");
        let kept = [("src/kept.rs", inline.as_str())];
        let tests = "src/kept.rs tests: `one` leads elsewhere";
        let own = "src/lib.rs tests: `one` leads elsewhere";
        for (name, lib, others, want) in [
            ("another in its place", decoy(DECOY), &kept[..], tests),
            ("it does more than call it", decoy("pub fn one() -> u8 { kept::one() + 4 }\n"), &kept, tests),
            ("it calls it for nothing", decoy("pub fn one() -> u8 { kept::one(); 5 }\n"), &kept, tests),
            (
                "given from elsewhere",
                decoy("mod new;\npub use new::one;\n"),
                &[kept[0], ("src/new.rs", DECOY)],
                tests,
            ),
            (
                "in a program",
                DECOY.to_owned(),
                &[("src/bin/kept.rs", &inline)],
                "src/bin/kept.rs tests: `one` leads elsewhere",
            ),
            ("inside of the file", format!("mod kept {{ {inline} }}\n{DECOY}"), &[], own),
        ] {
            let after: Vec<(&str, &str)> =
                std::iter::once(("src/lib.rs", lib.as_str())).chain(others.iter().copied()).collect();
            assert_eq!(said(&before, &after), [want], "{name}");
        }
        let named = [ONE, &TESTS.replace("super::*", "super::one")].concat();
        let now = decoy(&[DECOY, &led].concat());
        for others in [&[("src/kept.rs", ONE)][..], &[]] {
            let after: Vec<(&str, &str)> =
                std::iter::once(("src/lib.rs", now.as_str())).chain(others.iter().copied()).collect();
            assert_eq!(said(&[("src/lib.rs", &named)], &after), [own], "an import, {} files", others.len());
        }
        let path = "#[cfg(test)]\nmod tests { #[test] fn is_one() { assert_eq!(super::one(), 1) } }\n";
        let (was, now) = ([ONE, path].concat(), decoy(DECOY));
        let after = [("src/lib.rs", now.as_str()), ("src/kept.rs", was.as_str())];
        assert_eq!(said(&[("src/lib.rs", &was)], &after), [tests], "a path in a test");
    }

    #[test]
    fn of_tests_that_read_the_same_each_stays_with_its_own() {
        let inline = [ONE, TESTS].concat();
        let before = [("src/a.rs", inline.as_str()), ("src/b.rs", inline.as_str())];
        let after = [
            ("src/a.rs", "pub use crate::c::one;\n"),
            ("src/b.rs", inline.as_str()),
            ("src/c.rs", inline.as_str()),
        ];
        assert_eq!(said(&before, &after), [""; 0]);
    }
}
