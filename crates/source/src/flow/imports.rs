//! Which names of a file stand for what another one holds.

use std::collections::BTreeSet;

use super::Flow;
use crate::tree::{Tree, is_name, module_stem};

impl<'s> Flow<'s> {
    /// `use a::{b, c::d as e}`: each name with the path that leads to it.
    pub(super) fn take_use(&mut self, tree: &Tree<'s>, at: usize) {
        for leaf in tree.span(at).filter(|at| matches!(tree.kind(*at), "identifier" | "self")) {
            let around: Vec<usize> = tree.ancestors(leaf).take_while(|around| *around != at).collect();
            let mut path = BTreeSet::from([tree.text(leaf).to_owned()]);
            for around in around {
                let field = if tree.kind(around) == "use_list" { continue } else { "path" };
                let Some(prefix) = tree.child(around, field) else { continue };
                let names = tree.tokens(tree.span(prefix)).filter(|at| is_name(tree.kind(*at)));
                path.extend(names.map(|at| tree.text(at).to_owned()));
            }
            let parent = tree.node(leaf).parent;
            let alias = (tree.kind(parent) == "use_as_clause").then(|| tree.child(parent, "alias")).flatten();
            self.import(tree.text(alias.unwrap_or(leaf)), path);
        }
    }

    pub(super) fn take_import(&mut self, tree: &Tree<'s>, at: usize) {
        let mut home = BTreeSet::new();
        if let Some(module) = tree.child(at, "module_name") {
            home.extend(
                tree.span(module).filter(|at| is_name(tree.kind(*at))).map(|at| tree.text(at).to_owned()),
            );
        }
        for source in ["source", "path"].iter().filter_map(|field| tree.child(at, field)) {
            home.insert(module_stem(tree.text(source)).to_owned());
        }
        if tree.kind(at) == "import_spec" {
            let name = tree.child(at, "name").map(|name| tree.text(name));
            let last = tree.child(at, "path").map(|path| tree.text(path).trim_matches(['"', '`']));
            let last = last.and_then(|path| path.rsplit('/').next());
            if let Some(name) = name.or(last) {
                self.import(name, home);
            }
            return;
        }
        for name in tree.children(at).filter(|child| tree.node(*child).field == "name") {
            self.import_one(tree, name, &home);
        }
        for clause in tree.children(at).filter(|child| tree.kind(*child) == "import_clause") {
            for part in
                tree.span(clause).filter(|at| matches!(tree.kind(*at), "identifier" | "import_specifier"))
            {
                if tree.kind(tree.node(part).parent) != "import_specifier" {
                    self.import_one(tree, part, &home);
                }
            }
        }
    }

    /// `a.b`, `a.b as c`, `{ a as b }`.
    fn import_one(&mut self, tree: &Tree<'s>, at: usize, home: &BTreeSet<String>) {
        let names: Vec<&'s str> =
            tree.span(at).filter(|at| is_name(tree.kind(*at))).map(|at| tree.text(at)).collect();
        let alias = tree.child(at, "alias").map(|alias| tree.text(alias));
        // `import a.b` binds `a`, and what is used is written `a.b.c`.
        let is_from = !home.is_empty();
        let local = alias.or(if is_from { names.last() } else { names.first() }.copied());
        let mut all = home.clone();
        all.extend(names.iter().map(|name| (*name).to_owned()));
        // `import shop from …`: what a runner calls `default`.
        all.extend((tree.kind(tree.node(at).parent) == "import_clause").then(|| "default".to_owned()));
        if let Some(local) = local {
            self.import(local, all);
        }
    }

    /// `const { a } = require('../shop')`, `await import('../shop')`.
    pub(super) fn take_require(&mut self, tree: &Tree<'s>, at: usize) {
        let (Some(name), Some(value)) = (tree.child(at, "name"), tree.child(at, "value")) else { return };
        let is_import = |at: &usize| matches!(tree.text(*at), "require" | "import" | "importActual");
        if !tree.span(value).any(|at| is_import(&at)) {
            return;
        }
        let strings = tree.span(value).filter(|at| tree.kind(*at) == "string");
        let stems: BTreeSet<String> = strings.map(|at| module_stem(tree.text(at)).to_owned()).collect();
        for at in tree.span(name).filter(|at| is_name(tree.kind(*at))) {
            self.import(tree.text(at), stems.clone());
        }
    }

    fn import(&mut self, local: &'s str, names: BTreeSet<String>) {
        self.imports.entry(local).or_default().extend(names);
    }
}
