//! What a source gives another meaning for the whole program: a function of a library or of the language itself, which
//! others call as they always did.
//!
//! ```text
//! Python      "math.isclose = …", "setattr(math, 'isclose', …)", "builtins.round = …"
//! JavaScript  "assert.equal = …", "Math.round = …", "Array.prototype.at = …",
//!             "Object.defineProperty(Math, 'round', …)", "Object.assign(assert, { equal })"
//! Go          "func len(…)": what the language itself gives another meaning in all files of the package
//! ```
//!
//! What goes by a name of its own first (`m = math; m.isclose = …`), or by what only a run tells (`vars(math)[name]`),
//! is not seen. Rust has no such thing.

use std::collections::BTreeSet;

use super::Language;
use super::homes::{Files, Place};
use super::imports::{Import, imports};
use super::rests::{package_of, top};
use super::tree::{Tree, fold, is_function, is_name, is_string};
use tdd_core::path::RelPath;

/// A function of others that means something else once a source was loaded or called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reassigned {
    /// As the source says it: `math.isclose`.
    pub shown: String,
    /// Whether all who load the source get it, whatever they call of it.
    pub at_load: bool,
    /// From 1.
    pub line: u32,
    name: String,
    owner: Owner,
    /// Of Go, the package whose files alone are meant.
    package: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    /// A module by the first word of its name.
    Module(String),
    /// What every source has without an import, by its first name: `Math`; `None` if all call it by its own name.
    Everybody(Option<String>),
}

/// Whose functions are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Of libraries and of the language.
    Others,
    /// The project's as well.
    Anybodys,
}

/// What this source reassigns of others.
pub fn reassigned(
    language: Language,
    (files, file): (&Files, &RelPath),
    source: &str,
    whose: Whose,
) -> Vec<Reassigned> {
    if language == Language::Rust {
        return Vec::new();
    }
    let Ok(tree) = Tree::parse(language, source) else { return Vec::new() };
    if language == Language::Go {
        return redeclared(&tree);
    }
    let is_others = |import: &Import| match files.place(language, file, &import.from) {
        Place::Own | Place::Library => true,
        Place::Files(_) => whose == Whose::Anybodys && !root(&import.from).is_empty(),
        Place::Absent => false,
    };
    let all = imports(&tree);
    let (others, own): (Vec<Import>, Vec<Import>) = all.into_iter().partition(is_others);
    let own: BTreeSet<&str> = own.iter().map(|import| import.local.as_str()).collect();
    let bound = bound_names(&tree);
    let mut found = Vec::new();
    for at in tree.all() {
        for (owner, name) in targets(&tree, at) {
            let Some(owner_is) = owner_of(&tree, owner, &others, (&own, &bound)) else { continue };
            let shown = format!("{}.{name}", one_line(tree.text(owner)));
            let at_load = is_at_load(&tree, at, &name);
            let line = tree.line(at);
            found.push(Reassigned { shown, at_load, line, name, owner: owner_is, package: None });
        }
    }
    found.sort();
    found.dedup_by(|one, other| (&one.shown, one.at_load) == (&other.shown, other.at_load));
    found
}

/// What every file of Go may call without an import, by the language's specification: functions, and types that convert.
const PREDECLARED: &[&str] = &[
    "any",
    "append",
    "bool",
    "byte",
    "cap",
    "clear",
    "close",
    "comparable",
    "complex",
    "complex128",
    "complex64",
    "copy",
    "delete",
    "error",
    "false",
    "float32",
    "float64",
    "imag",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "iota",
    "len",
    "make",
    "max",
    "min",
    "new",
    "nil",
    "panic",
    "print",
    "println",
    "real",
    "recover",
    "rune",
    "string",
    "true",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintptr",
];

/// Predeclared names that this file of Go declares for its package.
fn redeclared(tree: &Tree<'_>) -> Vec<Reassigned> {
    let package = package_of(tree).map(str::to_owned);
    let names = top(tree).filter(|at| PREDECLARED.contains(&tree.text(*at)));
    let one = |at: usize| Reassigned {
        shown: tree.text(at).to_owned(),
        at_load: true,
        line: tree.line(at),
        name: tree.text(at).to_owned(),
        owner: Owner::Everybody(None),
        package: package.clone(),
    };
    names.map(one).collect()
}

/// What a file of tests has to do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    None,
    /// It says the name, and knows the module: what it means can't be told by its source.
    Says,
    /// It calls that very function.
    Calls,
}

/// Whether a file of tests uses the function that was reassigned.
pub fn use_of_reassigned(language: Language, source: &str, what: &Reassigned) -> Use {
    if !source.contains(&what.name) {
        return Use::None;
    }
    let Ok(tree) = Tree::parse(language, source) else { return Use::None };
    if what.package.is_some() && what.package.as_deref() != package_of(&tree) {
        return Use::None;
    }
    let imports = imports(&tree);
    let theirs = || {
        let module = match &what.owner {
            Owner::Module(module) => Some(module),
            Owner::Everybody(_) => None,
        };
        imports.iter().filter(move |import| Some(root(&import.from)) == module.map(String::as_str))
    };
    let by_name: BTreeSet<&str> = match &what.owner {
        Owner::Module(_) => theirs().filter(|it| it.name == what.name).map(|it| it.local.as_str()).collect(),
        // A name that the tests import is another one.
        Owner::Everybody(_) if imports.iter().any(|import| import.local == what.name) => return Use::None,
        Owner::Everybody(None) => BTreeSet::from([what.name.as_str()]),
        Owner::Everybody(Some(_)) => BTreeSet::new(),
    };
    let owners: BTreeSet<&str> = match &what.owner {
        Owner::Module(_) => theirs().filter(|it| it.name != what.name).map(|it| it.local.as_str()).collect(),
        Owner::Everybody(first) => first.iter().map(String::as_str).collect(),
    };
    if by_name.is_empty() && owners.is_empty() {
        return Use::None;
    }
    let is_called = |call: usize| {
        let called = tree.child(call, "function").map(|function| tree.text(function)).unwrap_or_default();
        let path = called.rsplit_once('.');
        by_name.contains(called)
            || path.is_some_and(|(owner, last)| {
                last == what.name && owner.split('.').next().is_some_and(|first| owners.contains(first))
            })
    };
    if tree.all().any(|at| matches!(tree.kind(at), "call" | "call_expression") && is_called(at)) {
        return Use::Calls;
    }
    let says = tree.all().any(|at| is_name(tree.kind(at)) && tree.text(at) == what.name);
    if says { Use::Says } else { Use::None }
}

/// Where something is put below a name: that of its owner, and what it is called there.
fn targets(tree: &Tree<'_>, at: usize) -> Vec<(usize, String)> {
    match tree.kind(at) {
        "assignment" | "assignment_expression" => {
            let Some(left) = tree.child(at, "left") else { return Vec::new() };
            let all = if matches!(tree.kind(left), "pattern_list" | "tuple_pattern" | "array_pattern") {
                tree.parts(left).collect()
            } else {
                vec![left]
            };
            all.into_iter().filter_map(|left| member(tree, left)).collect()
        }
        "call" | "call_expression" => put_by_call(tree, at),
        _ => Vec::new(),
    }
}

/// `math.isclose`, `Math['round']`: its owner and its name.
fn member(tree: &Tree<'_>, at: usize) -> Option<(usize, String)> {
    match tree.kind(at) {
        "attribute" => Some((tree.child(at, "object")?, tree.text(tree.child(at, "attribute")?).to_owned())),
        "member_expression" => {
            Some((tree.child(at, "object")?, tree.text(tree.child(at, "property")?).to_owned()))
        }
        "subscript_expression" => {
            let index = tree.child(at, "index").filter(|index| is_string(tree.kind(*index)))?;
            Some((tree.child(at, "object")?, unquoted(tree.text(index))))
        }
        _ => None,
    }
}

/// `setattr(math, "isclose", …)`, `Object.defineProperty(Math, "round", …)`, `Object.assign(Math, { round })`.
fn put_by_call(tree: &Tree<'_>, at: usize) -> Vec<(usize, String)> {
    let Some(function) = tree.child(at, "function").map(|function| tree.text(function)) else {
        return Vec::new();
    };
    let Some(list) = tree.child(at, "arguments") else { return Vec::new() };
    let given: Vec<usize> = tree.parts(list).collect();
    match (function, given.as_slice()) {
        (
            "setattr" | "Object.defineProperty" | "Reflect.set" | "Reflect.defineProperty",
            [owner, name, ..],
        ) if is_string(tree.kind(*name)) => {
            vec![(*owner, unquoted(tree.text(*name)))]
        }
        ("Object.assign" | "Object.defineProperties", [owner, more @ ..]) => {
            let keys = more.iter().filter(|at| tree.kind(**at) == "object").flat_map(|at| tree.parts(*at));
            let name = |part: usize| match tree.kind(part) {
                "shorthand_property_identifier" => Some(tree.text(part)),
                "pair" => tree.child(part, "key").map(|key| tree.text(key)),
                "method_definition" => tree.child(part, "name").map(|name| tree.text(name)),
                _ => None,
            };
            keys.filter_map(name).map(|name| (*owner, unquoted(name))).collect()
        }
        _ => Vec::new(),
    }
}

/// Whose it is, unless it is the project's own.
fn owner_of(
    tree: &Tree<'_>,
    at: usize,
    others: &[Import],
    (own, bound): (&BTreeSet<&str>, &BTreeSet<&str>),
) -> Option<Owner> {
    let first = first_name(tree, at)?;
    let name = tree.text(first);
    if let Some(import) = others.iter().find(|import| import.local == name) {
        let module = root(&import.from);
        return Some(if module == "builtins" {
            Owner::Everybody(None)
        } else {
            Owner::Module(module.to_owned())
        });
    }
    // A name of Python's that nothing brings is a local one; of JavaScript, what all have.
    if tree.language == Language::Python || own.contains(name) || bound.contains(name) {
        return None;
    }
    let text = tree.text(at);
    match name {
        // What a module gives to others.
        "module" | "exports" | "this" => None,
        "globalThis" | "global" | "window" | "self" if text == name => Some(Owner::Everybody(None)),
        _ if text.ends_with(".prototype") => Some(Owner::Everybody(None)),
        _ => Some(Owner::Everybody(Some(name.to_owned()))),
    }
}

/// `math` of `math.tools`, `assert` of `(assert as any)`.
fn first_name(tree: &Tree<'_>, mut at: usize) -> Option<usize> {
    loop {
        match tree.kind(at) {
            "identifier" => return Some(at),
            "attribute" | "member_expression" => at = tree.child(at, "object")?,
            "parenthesized_expression" | "as_expression" | "non_null_expression" | "satisfies_expression" => {
                at = tree.parts(at).next()?;
            }
            _ => return None,
        }
    }
}

/// What a script declares anywhere: variables, parameters, functions, classes.
fn bound_names<'s>(tree: &Tree<'s>) -> BTreeSet<&'s str> {
    let is_name = |at: usize| {
        matches!(tree.kind(at), "identifier" | "type_identifier" | "shorthand_property_identifier_pattern")
    };
    let is_bound = |at: usize| {
        let (parent, field) = (tree.kind(tree.node(at).parent), tree.node(at).field);
        (field == "name" && (parent.ends_with("declarator") || parent.ends_with("_declaration")))
            || field == "parameter"
            || matches!(
                parent,
                "formal_parameters"
                    | "required_parameter"
                    | "optional_parameter"
                    | "rest_pattern"
                    | "array_pattern"
                    | "object_pattern"
                    | "pair_pattern"
                    | "catch_clause"
                    | "assignment_pattern"
                    | "for_in_statement"
            )
    };
    tree.all().filter(|at| is_name(*at) && is_bound(*at)).map(|at| tree.text(at)).collect()
}

/// Whether it happens as soon as the source is loaded. What asks for the very name before fills a gap.
fn is_at_load(tree: &Tree<'_>, at: usize, name: &str) -> bool {
    !tree.ancestors(at).any(|around| {
        let asks = tree.child(around, "condition").is_some_and(|asked| tree.text(asked).contains(name));
        is_function(tree.kind(around)) || tree.kind(around) == "lambda" || asks
    }) && !tree.text(at).contains("??=")
        && !tree.text(at).contains("||=")
}

/// The first word of a module's name, and the scope before it; node's own modules with or without their mark.
fn root(from: &str) -> &str {
    let from = from.strip_prefix("node:").unwrap_or(from);
    if from.starts_with('@') {
        return from.match_indices('/').nth(1).map_or(from, |(at, _)| &from[..at]);
    }
    from.split([':', '.', '/']).next().unwrap_or(from)
}

fn unquoted(text: &str) -> String {
    text.trim_matches(['"', '\'', '`']).to_owned()
}

fn one_line(text: &str) -> String {
    fold(text).chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(language: Language, file: &str, source: &str) -> Vec<Reassigned> {
        let all = ["shop.py", "own.py", "src/shop.js", "src/own.js"];
        let paths = all.iter().chain([&file]).filter_map(|path| RelPath::new(path)).collect();
        let file = RelPath::new(file).expect("a path");
        reassigned(language, (&Files::new(paths, Vec::new()), &file), source, Whose::Others)
    }

    #[test]
    fn ac_tdd_8_151_what_go_itself_gives_means_something_else_in_a_package_that_declares_it() {
        let source = "package shop\n\nfunc len(all []int) int { return 1 }\n\nfunc (c Cart) min() int { return 2 }\n\n\
            func f() {\n\tnew := 3\n\tvar cap = new\n\t_ = cap\n}\n";
        let all = told(Language::Go, "shop.go", source);
        assert_eq!(all.iter().map(|one| one.shown.as_str()).collect::<Vec<_>>(), ["len"]);
        let test = |package: &str, body: &str| {
            format!("package {package}\n\nfunc TestOne(t *testing.T) {{\n\t{body}\n}}\n")
        };
        for (package, body, want) in [
            ("shop", "if len(One()) != 1 { t.Fatal() }", Use::Calls),
            ("shop_test", "if len(shop.One()) != 1 { t.Fatal() }", Use::None),
            ("shop", "if min(1, 2) != 1 { t.Fatal(\"len\") }", Use::None),
        ] {
            assert_eq!(
                use_of_reassigned(Language::Go, &test(package, body), &all[0]),
                want,
                "{package} {body}"
            );
        }
    }

    #[test]
    fn ac_tdd_8_130_what_a_source_reassigns_of_others_is_told() {
        let (python, script) = (Language::Python, Language::JavaScript);
        for (language, source, want) in [
            (python, "import math\nmath.isclose = lambda *a: True\n", "math.isclose"),
            (python, "import math as m\nm.isclose, x = 1, 2\n", "m.isclose"),
            (python, "import math\nsetattr(math, 'isclose', 1)\n", "math.isclose"),
            (python, "import builtins\nbuiltins.round = abs\n", "builtins.round"),
            (python, "from unittest import TestCase\nTestCase.assertEqual = 1\n", "TestCase.assertEqual"),
            (python, "import math\ndef f():\n    math.isclose = 1\n", "(math.isclose)"),
            (
                python,
                "import math\nif not hasattr(math, 'isclose'):\n    math.isclose = 1\n",
                "(math.isclose)",
            ),
            (python, "import own\nown.one = 1\nclass A: pass\nA.x = 1\nself.y = 2\n", ""),
            (python, "import math\nmath = 1\nx = math.isclose\n", ""),
            (script, "import assert from 'node:assert';\nassert.equal = () => {};\n", "assert.equal"),
            (script, "const assert = require('assert');\nassert['equal'] = 1;\n", "assert.equal"),
            (script, "Math.round = x => 2;\n", "Math.round"),
            (
                script,
                "Object.assign(Math, { round, floor: 1, ceil() {} });\n",
                "Math.ceil Math.floor Math.round",
            ),
            (script, "Object.defineProperty(Math, 'round', { value: 1 });\n", "Math.round"),
            (script, "Array.prototype.at = function () {};\n", "Array.prototype.at"),
            (
                script,
                "if (!Array.prototype.at) Array.prototype.at = function () {};\n",
                "(Array.prototype.at)",
            ),
            (script, "Array.prototype.at ??= function () {};\n", ""),
            (script, "module.exports = 1; exports.a = 1; module.exports.b = 2;\n", ""),
            (
                script,
                "import own from './own.js';\nown.one = 1;\nfunction A() {}\nA.prototype.b = 1; const C = {}; C.d = 1;\n",
                "",
            ),
            (script, "export const f = (a) => { a.b = 1; this.c = 2; };\n", ""),
        ] {
            let file = if language == python { "shop.py" } else { "src/shop.js" };
            let found = told(language, file, source);
            let words =
                found.iter().map(|it| if it.at_load { it.shown.clone() } else { format!("({})", it.shown) });
            assert_eq!(words.collect::<Vec<_>>().join(" "), want, "{source}");
        }
    }

    #[test]
    fn ac_tdd_8_134_a_file_of_tests_may_reassign_what_is_the_projects() {
        let file = RelPath::new("tests/test_new.py").expect("a path");
        let files = Files::new(vec![RelPath::new("shop.py").expect("a path"), file.clone()], Vec::new());
        for (source, want) in [
            ("import shop\n\nshop.one = lambda: 1\n", "shop.one 3"),
            ("from shop import Cart\nCart.total = 1\n", "Cart.total 2"),
            ("from .helpers import cart\ncart.total = 1\n", ""),
            ("import shop\n\ndef test_a(monkeypatch):\n    shop.one = 1\n", ""),
        ] {
            let found = reassigned(Language::Python, (&files, &file), source, Whose::Anybodys);
            let at_load = found.iter().filter(|it| it.at_load);
            let words: Vec<String> = at_load.map(|it| format!("{} {}", it.shown, it.line)).collect();
            assert_eq!(words.join(" "), want, "{source}");
        }
    }

    #[test]
    fn ac_tdd_8_130_tests_that_call_what_was_reassigned_are_told_from_others() {
        let (python, script) = (Language::Python, Language::JavaScript);
        let isclose = "import math\nmath.isclose = 1\n";
        let logger = "import logging\nlogging.Logger.trace = print\n";
        let round = "import builtins\nbuiltins.round = abs\n";
        let equal = "import assert from 'assert';\nassert.equal = 1;\n";
        let math = "Math.round = 1;\n";
        for (language, change, test, want) in [
            (python, isclose, "import math\nassert math.isclose(1, 2)\n", Use::Calls),
            (python, isclose, "from math import isclose as near\nassert near(1, 2)\n", Use::Calls),
            (python, isclose, "import cmath\nassert cmath.isclose(1, 2)\n", Use::None),
            (python, isclose, "import math\n# math.isclose\nassert math.floor(2)\n", Use::None),
            (python, isclose, "import math\nassert shop.isclose(math.pi, 2)\n", Use::Says),
            (python, logger, "import logging\nlogging.info('a')\nshop.trace(1)\n", Use::Says),
            (python, round, "assert round(2.5) == 2\n", Use::Calls),
            (python, round, "from shop import round\nassert round(2.5) == 2\n", Use::None),
            (script, equal, "import { equal } from 'node:assert/strict';\nequal(1, 2);\n", Use::Calls),
            (script, equal, "import assert from 'node:assert';\nassert.equal(1, 2);\n", Use::Calls),
            (script, equal, "import assert from 'chai';\nassert.equal(1, 2);\n", Use::None),
            (script, math, "expect(Math.round(2)).toBe(1);\n", Use::Calls),
            (script, math, "expect(shop.round(2)).toBe(1);\n", Use::Says),
        ] {
            let file = if language == python { "shop.py" } else { "src/shop.js" };
            let found = told(language, file, change);
            assert_eq!(found.len(), 1, "{change}");
            assert_eq!(use_of_reassigned(language, test, &found[0]), want, "{test}");
        }
    }
}
