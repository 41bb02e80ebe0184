//! What is bound around tests, and what functions bind for themselves.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::imports::imports;
use crate::rust::attributes;
use crate::tree::{Tree, is_function, is_name};
use crate::{Declared, Language};

/// What kind of thing a name is looked for among.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Space {
    /// What a name alone means.
    Plain,
    /// What `self.name` means: members of a class.
    Members,
    /// What a parameter of that name is given by pytest.
    Fixtures,
}

/// One thing that gives a name a meaning.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) at: usize,
    /// What it is called at home, and where that is; `None` for what the file makes itself.
    import: Option<(String, String)>,
    /// It is called here as it is called at home.
    pub(super) keeps_name: bool,
}

impl Bound {
    pub(super) fn import(&self) -> Option<(&str, &str)> {
        self.import.as_ref().map(|(name, from)| (name.as_str(), from.as_str()))
    }
}

pub(super) struct Scopes<'t, 's> {
    tree: &'t Tree<'s>,
    /// Functions that hold tests.
    holders: HashSet<usize>,
    around: HashMap<(String, Space, String), Vec<Bound>>,
    /// Where a name is a function's own.
    own: HashMap<String, Vec<Range<usize>>>,
    /// Nodes that declare a name.
    pub(super) declaring: HashSet<usize>,
}

impl<'t, 's> Scopes<'t, 's> {
    pub(super) fn of(tree: &'t Tree<'s>, tests: &[Declared]) -> Self {
        let around_tests = tests.iter().flat_map(|test| tree.ancestors(test.node));
        let mut scopes = Self {
            tree,
            holders: around_tests.filter(|at| is_function(tree.kind(*at))).collect(),
            around: HashMap::new(),
            own: HashMap::new(),
            declaring: HashSet::new(),
        };
        let imports = imports(tree);
        let modules: HashMap<&str, &str> = imports
            .iter()
            .filter(|import| import.name.is_empty())
            .map(|import| (import.local.as_str(), import.from.as_str()))
            .collect();
        for at in tree.all() {
            scopes.take(at, &modules);
        }
        for import in imports {
            let keeps_name = match import.name.as_str() {
                "" => is_last_word(&import.from, &import.local),
                name => name == import.local,
            };
            let bound = Bound { at: import.at, import: Some((import.name, import.from)), keeps_name };
            scopes.bind(import.at, &import.local, bound);
        }
        scopes
    }

    /// `modules`: the names of imported modules, and where they come from.
    fn take(&mut self, at: usize, modules: &HashMap<&str, &str>) {
        let tree = self.tree;
        let from = taken_apart(tree, at).and_then(|module| modules.get(module));
        for leaf in declared_by(tree, at) {
            self.declaring.insert(leaf);
            let name = tree.text(leaf);
            let is_same = tree.kind(leaf) == "shorthand_property_identifier_pattern";
            let import = from.filter(|_| is_same).map(|from| (name.to_owned(), (*from).to_owned()));
            if name != "_" && !is_overload(tree, at) {
                self.bind(at, name, Bound { at: leaf, import, keeps_name: true });
            }
        }
        if tree.kind(at) == "global_statement" {
            for leaf in tree.parts(at).filter(|part| tree.kind(*part) == "identifier") {
                let bound = Bound { at: leaf, import: None, keeps_name: true };
                self.put((String::new(), Space::Plain, tree.text(leaf)), bound);
            }
        }
        if tree.kind(at) == "decorated_definition"
            && let Some(name) = fixture_name(tree, at)
        {
            let bound = Bound { at, import: None, keeps_name: true };
            self.put((self.path_of(at), Space::Fixtures, name), bound);
        }
    }

    fn put(&mut self, (path, space, name): (String, Space, &str), bound: Bound) {
        self.around.entry((path, space, name.to_owned())).or_default().push(bound);
    }

    /// What this node declares: for the tests around it, or for the function or block that it stands in.
    fn bind(&mut self, at: usize, name: &str, bound: Bound) {
        let tree = self.tree;
        // A loop binds for itself, a function its name for what is around it; `t => …` has none.
        let is_named = is_function(tree.kind(at)) && tree.kind(at) != "arrow_function";
        let itself = Some(at).filter(|_| !is_named);
        let block = itself.into_iter().chain(tree.ancestors(at)).find(|around| is_block(tree, *around));
        if let Some(scope) = block.filter(|block| !self.holds_tests(*block)) {
            // Whose it is what is assigned to stands elsewhere.
            if tree.kind(at) == "assignment_expression" {
                return;
            }
            // A value is looked up before the name is bound to it.
            let is_late = matches!(tree.language, Language::Rust | Language::Go);
            let is_value = matches!(tree.kind(at), "let_declaration" | "short_var_declaration" | "var_spec");
            let begin = if is_late && is_value { tree.node(at).last } else { scope };
            self.own.entry(name.to_owned()).or_default().push(begin..tree.node(scope).last);
            return;
        }
        let home = tree.ancestors(at).find(|around| *around == 0 || is_home(tree.kind(*around)));
        let space = match home.map(|home| (home, tree.kind(home))) {
            Some((_, "class_definition" | "class_declaration")) => Space::Members,
            // Methods of a type from elsewhere are known wherever it is.
            Some((home, "impl_item")) if !has_own_type(tree, home) => {
                self.put((String::new(), Space::Members, name), bound);
                return;
            }
            Some((_, "impl_item" | "trait_item")) => return,
            _ => Space::Plain,
        };
        let path =
            if tree.kind(at) == "macro_definition" { self.path_of_macro(at) } else { self.path_of(at) };
        self.around.entry((path, space, name.to_owned())).or_default().push(bound);
    }

    /// A function with tests in it, or its body.
    fn holds_tests(&self, block: usize) -> bool {
        let is_body = self.tree.node(block).field == "body";
        self.holders.contains(&block) || is_body && self.holders.contains(&self.tree.node(block).parent)
    }

    /// Where a macro is known: behind `#[macro_use]`, around its module as well.
    fn path_of_macro(&self, at: usize) -> String {
        let tree = self.tree;
        let hands_on = |module: usize| {
            tree.kind(module) == "mod_item"
                && attributes(tree, module).iter().any(|mark| tree.text(*mark).contains("macro_use"))
        };
        let mut place = at;
        while let Some(module) = tree.ancestors(place).find(|around| is_home(tree.kind(*around))) {
            if !hands_on(module) {
                break;
            }
            place = module;
        }
        self.path_of(place)
    }

    /// Whether the name at this place is bound by the function that it stands in.
    pub(super) fn is_own(&self, at: usize) -> bool {
        let ranges = self.own.get(self.tree.text(at));
        ranges.is_some_and(|ranges| ranges.iter().any(|range| range.contains(&at)))
    }

    /// The modules, classes and functions with tests around a node, the outermost first.
    pub(super) fn path_of(&self, at: usize) -> String {
        let tree = self.tree;
        let mut parts: Vec<&str> = Vec::new();
        for around in tree.ancestors(at) {
            if is_home(tree.kind(around)) {
                parts.extend(tree.child(around, "name").map(|name| tree.text(name)));
            } else if self.holders.contains(&around) {
                parts.push(holder_name(tree, around));
            }
        }
        parts.iter().rev().fold(String::new(), |path, part| path + part + "\n")
    }

    /// What gives a name its meaning for whatever stands at this path; empty if nothing of this file does.
    pub(super) fn bound(&self, path: &str, space: Space, name: &str) -> &[Bound] {
        let mut path = path;
        loop {
            if let Some(found) = self.around.get(&(path.to_owned(), space, name.to_owned())) {
                return found;
            }
            let Some(whole) = path.strip_suffix('\n') else { return &[] };
            path = whole.rfind('\n').map_or("", |end| &path[..=end]);
        }
    }
}

/// What a function with tests is called: by its own name, or by what the call that it is given to says first.
fn holder_name<'s>(tree: &Tree<'s>, function: usize) -> &'s str {
    if let Some(name) = tree.child(function, "name") {
        return tree.text(name);
    }
    let list = tree.node(function).parent;
    let first = tree.parts(list).next().filter(|first| *first != function);
    first.map_or("", |first| tree.text(first))
}

/// Whether the type of an `impl` stands beside it.
fn has_own_type(tree: &Tree<'_>, home: usize) -> bool {
    let Some(of) = tree.child(home, "type") else { return true };
    let Some(name) = tree.span(of).rfind(|at| tree.kind(*at) == "type_identifier") else { return false };
    let is_it = |item: usize| {
        matches!(tree.kind(item), "struct_item" | "enum_item" | "union_item" | "type_item")
            && tree.child(item, "name").is_some_and(|own| tree.text(own) == tree.text(name))
    };
    tree.parts(tree.node(home).parent).any(is_it)
}

fn is_home(kind: &str) -> bool {
    matches!(kind, "class_definition" | "class_declaration" | "mod_item" | "impl_item" | "trait_item")
}

/// Within which a name of a function's own is known.
fn is_block(tree: &Tree<'_>, at: usize) -> bool {
    let kind = tree.kind(at);
    let is_whole = is_function(kind);
    match tree.language {
        Language::Python => is_whole || kind.ends_with("_comprehension") || kind == "generator_expression",
        Language::Rust => {
            is_whole || matches!(kind, "block" | "match_arm" | "for_expression" | "if_expression")
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            is_whole
                || matches!(kind, "statement_block" | "for_statement" | "for_in_statement" | "catch_clause")
        }
        Language::Go => {
            let is_clause = kind.ends_with("_case") || kind == "default_case";
            is_whole || is_clause || matches!(kind, "block" | "for_statement" | "if_statement")
        }
    }
}

/// The names that a node binds.
fn declared_by(tree: &Tree<'_>, at: usize) -> Vec<usize> {
    let field = match tree.kind(at) {
        "mod_item" if tree.child(at, "body").is_none() => return Vec::new(),
        "function_item"
        | "const_item"
        | "static_item"
        | "struct_item"
        | "enum_item"
        | "union_item"
        | "trait_item"
        | "type_item"
        | "mod_item"
        | "macro_definition"
        | "function_definition"
        | "class_definition"
        | "function_declaration"
        | "generator_function_declaration"
        | "class_declaration"
        | "abstract_class_declaration"
        | "enum_declaration"
        | "variable_declarator"
        | "var_spec"
        | "const_spec"
        | "type_spec"
        | "type_alias"
        | "named_expression"
        | "parameter_declaration"
        | "method_definition"
        | "public_field_definition"
        | "default_parameter"
        | "typed_default_parameter" => "name",
        "let_declaration" | "let_condition" | "for_expression" | "match_arm" | "parameter"
        | "required_parameter" | "optional_parameter" => "pattern",
        "assignment"
        | "short_var_declaration"
        | "range_clause"
        | "for_statement"
        | "for_in_statement"
        | "for_in_clause"
        | "receive_statement"
        | "assignment_expression" => "left",
        "as_pattern" => "alias",
        "catch_clause" | "arrow_function" => "parameter",
        "closure_parameters" | "parameters" | "lambda_parameters" | "formal_parameters" => "",
        "case_pattern" => {
            let is_capture = |at: &usize| {
                tree.kind(*at) == "identifier" && tree.children(tree.node(*at).parent).count() == 1
            };
            return tree.span(at).filter(is_capture).collect();
        }
        _ => return Vec::new(),
    };
    if field.is_empty() {
        // Those with a type or a value declare themselves.
        return tree.parts(at).flat_map(|part| leaves(tree, part)).collect();
    }
    let parts = tree.children(at).filter(|part| tree.node(*part).field == field);
    parts.flat_map(|part| leaves(tree, part)).collect()
}

/// The names in a pattern that are bound by it. A parameter with a type or a value declares itself.
fn leaves(tree: &Tree<'_>, pattern: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = pattern;
    while at < tree.node(pattern).last {
        let node = tree.node(at);
        let in_pair = tree.kind(node.parent) == "pair_pattern";
        let is_beside = at != pattern
            && (matches!(node.field, "type" | "right" | "key") || node.field == "value" && !in_pair);
        if is_beside || is_no_pattern(tree.kind(at)) {
            at = node.last;
            continue;
        }
        let is_variant = tree.language == Language::Rust
            && tree.node(pattern).field == "pattern"
            && tree.text(at).starts_with(char::is_uppercase);
        if is_name(tree.kind(at)) && !is_variant {
            found.push(at);
        }
        at += 1;
    }
    found
}

/// What stands in a pattern, or where one may stand, and binds no name.
fn is_no_pattern(kind: &str) -> bool {
    matches!(
        kind,
        "attribute"
            | "subscript"
            | "member_expression"
            | "subscript_expression"
            | "field_expression"
            | "selector_expression"
            | "index_expression"
            | "call"
            | "call_expression"
            | "type"
            | "type_annotation"
            | "scoped_identifier"
            | "parameter"
            | "default_parameter"
            | "typed_default_parameter"
            | "required_parameter"
            | "optional_parameter"
            | "parameter_declaration"
    )
}

/// `const { one, two } = shop`: what is taken apart.
fn taken_apart<'s>(tree: &Tree<'s>, at: usize) -> Option<&'s str> {
    let name = tree.child(at, "name").filter(|_| tree.kind(at) == "variable_declarator")?;
    let value = tree.child(at, "value").filter(|value| tree.kind(*value) == "identifier")?;
    (tree.kind(name) == "object_pattern").then(|| tree.text(value))
}

/// A signature that `typing.overload` declares is none of the function that is called.
fn is_overload(tree: &Tree<'_>, function: usize) -> bool {
    let around = tree.node(function).parent;
    let is_mark = |at: usize| {
        tree.kind(at) == "decorator"
            && tree.text(at).trim_start_matches('@').rsplit('.').next().map(str::trim) == Some("overload")
    };
    tree.kind(around) == "decorated_definition" && tree.children(around).any(is_mark)
}

/// What a fixture of pytest is asked for by.
fn fixture_name<'s>(tree: &Tree<'s>, decorated: usize) -> Option<&'s str> {
    let decorator = tree.children(decorated).find(|at| {
        tree.kind(*at) == "decorator"
            && tree.span(*at).any(|at| tree.text(at) == "fixture" && tree.is_leaf(at))
    })?;
    let keyword = tree.span(decorator).find(|at| {
        tree.kind(*at) == "keyword_argument"
            && tree.child(*at, "name").is_some_and(|name| tree.text(name) == "name")
    });
    if let Some(value) = keyword.and_then(|at| tree.child(at, "value")) {
        return Some(tree.text(value).trim_matches(['"', '\'']));
    }
    let function = tree.child(decorated, "definition")?;
    tree.child(function, "name").map(|name| tree.text(name))
}

/// `shop` of `a.shop`, `./shop.mjs`, `m/shop`.
fn is_last_word(from: &str, local: &str) -> bool {
    let words = |text: &str| text.split(['.', '/', ':', ' ']).any(|word| word == local);
    words(from)
}
