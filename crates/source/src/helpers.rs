//! Functions that tests call and others wrote: what is known of them where they stand in other files.

use std::collections::BTreeSet;

use super::around::{Around, Helpers, Holds, Home};
use super::body::Reading;
use super::imports::imports;
use super::tree::Tree;
use super::{Language, Unread, find, tokens};

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
        found.add_method(name, holds);
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
