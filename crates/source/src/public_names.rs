//! Names that others use, and how they are called: what a change took away.
//!
//! ```text
//! public     Rust: "pub"; Go: a capital; JavaScript: "export" (not what "require" gives); Python: no underscore before it
//! member     a public one of a class, a type or an implementation: `Owner.name`
//! gone       declared before, and by no source after
//! changed    a function that can't be called any more as it could be
//! ```
//!
//! A function may take more than before if the rest may be left out, and other names for what is passed by
//! place. Types count where the language checks them (Rust, Go), but for what takes more than before
//! (`&String` and then `&str`) and for generic ones, which are not understood here.

use std::collections::{BTreeMap, BTreeSet};

use super::Language;
use super::symbols::{self, Home};
use super::tree::{Tree, is_name};
use super::units::unit_spans;

/// How others are kept from a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// No source declares it any more.
    Gone,
    /// It is called in another way.
    Changed,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LostName {
    /// Where it was declared.
    pub path: String,
    /// `name`, or `Owner.name` of a member.
    pub name: String,
    pub loss: Loss,
}

/// Files, each as its path and its text.
type Sources<'s> = &'s [(&'s str, &'s str)];

/// Public names, and functions with what they take.
type Declared = BTreeMap<String, Option<Shape>>;

/// What a function takes and gives.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shape {
    takes: Vec<Taken>,
    gives: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Taken {
    name: String,
    of: String,
    may_be_left_out: bool,
    takes_the_rest: bool,
}

/// Public names that were declared in `before` and that others can't use any more as they could.
pub fn lost_names(language: Language, before: &[(&str, &str)], after: &[(&str, &str)]) -> Vec<LostName> {
    let trees = trees(language, after);
    let (now, members) = (everywhere(&trees), members(&trees));
    let mut all = BTreeSet::new();
    for (path, source) in before {
        let Ok(tree) = Tree::parse(language, source) else { continue };
        for (name, shape) in declared(&tree, Reexports::AreNot) {
            let loss = match (now.get(&name), shape) {
                (Some(Some(now)), Some(was)) => {
                    (!is_callable_as(language, now, &was)).then_some(Loss::Changed)
                }
                (Some(_), _) => None,
                // What another type has now was moved to where this one may have it from.
                (None, _) => {
                    let member = name.split_once('.').map(|(_, member)| member);
                    (!member.is_some_and(|member| members.contains(member))).then_some(Loss::Gone)
                }
            };
            all.extend(loss.map(|loss| LostName { path: (*path).to_owned(), name, loss }));
        }
    }
    all.into_iter().collect()
}

/// Public names that are declared in `after` alone and that no word of `tests` names, each with its path.
pub fn new_names(
    language: Language,
    (before, after): (Sources<'_>, Sources<'_>),
    tests: &[&str],
) -> Vec<(String, String)> {
    let known = everywhere(&trees(language, before));
    let said: BTreeSet<&str> =
        tests.iter().flat_map(|text| text.split(|char: char| !is_of_name(char))).collect();
    let mut new = BTreeSet::new();
    for (path, source) in after {
        let Ok(tree) = Tree::parse(language, source) else { continue };
        let names = declared(&tree, Reexports::AreNot).into_keys().filter(|name| !known.contains_key(name));
        let unsaid = names.filter(|name| !said.contains(name.rsplit('.').next().unwrap_or_default()));
        new.extend(unsaid.map(|name| ((*path).to_owned(), name)));
    }
    new.into_iter().collect()
}

fn is_of_name(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$')
}

fn trees(language: Language, sources: Sources<'_>) -> Vec<Tree<'_>> {
    sources.iter().filter_map(|(_, source)| Tree::parse(language, source).ok()).collect()
}

fn everywhere(trees: &[Tree<'_>]) -> Declared {
    trees.iter().flat_map(|tree| declared(tree, Reexports::Are)).collect()
}

/// Members of whatever type, as a trait's implementation has them without a word.
fn members<'s>(trees: &[Tree<'s>]) -> BTreeSet<&'s str> {
    let of = |tree: &Tree<'s>| {
        let is_member = |at: &usize| matches!(symbols::home_of(tree, *at), Some(Home::Member(_)));
        tree.all().filter(is_member).map(|at| tree.text(at)).collect::<Vec<_>>()
    };
    trees.iter().flat_map(of).collect()
}

/// Whether what is only passed on is declared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reexports {
    Are,
    AreNot,
}

fn declared(tree: &Tree<'_>, reexports: Reexports) -> Declared {
    let units = unit_spans(tree);
    let mut all = Declared::new();
    for at in tree.all().filter(|at| !units.iter().any(|unit| unit.contains(at))) {
        if reexports == Reexports::AreNot && symbols::imports(tree, at) {
            continue;
        }
        let name = tree.text(at);
        let full = match symbols::home_of(tree, at) {
            Some(_) if !is_public(tree, at, name) => continue,
            Some(Home::Top) => name.to_owned(),
            Some(Home::Member(owner)) => format!("{owner}.{name}"),
            None => continue,
        };
        // Of several declarations of one name (overloads, one for each platform) none is told from the others.
        let shape = if all.contains_key(&full) { None } else { shape(tree, at) };
        all.insert(full, shape);
    }
    all
}

fn is_public(tree: &Tree<'_>, at: usize, name: &str) -> bool {
    match tree.language {
        Language::Rust => {
            let is_pub = |around: usize| {
                tree.child_of_kind(around, "visibility_modifier").is_some_and(|mark| tree.text(mark) == "pub")
            };
            tree.ancestors(at).take(4).any(is_pub)
        }
        Language::Python => {
            let outer = tree.ancestors(at).filter(|around| tree.kind(*around) == "class_definition");
            let mut outer = outer.filter_map(|class| tree.child(class, "name"));
            !name.starts_with('_') && !outer.any(|class| tree.text(class).starts_with('_'))
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => is_exported(tree, at, name),
        Language::Go => name.starts_with(char::is_uppercase),
    }
}

fn is_exported(tree: &Tree<'_>, at: usize, name: &str) -> bool {
    let is_private = |mark: usize| tree.text(mark) != "public";
    let declaration = tree.node(at).parent;
    if name.starts_with(['_', '#'])
        || tree.child_of_kind(declaration, "accessibility_modifier").is_some_and(is_private)
    {
        return false;
    }
    tree.ancestors(at).take(6).any(|around| tree.kind(around) == "export_statement")
}

/// What the function that is declared by this name takes; `None` if it is none.
fn shape(tree: &Tree<'_>, at: usize) -> Option<Shape> {
    let declaration = tree.node(at).parent;
    let function = match tree.kind(declaration) {
        "variable_declarator" => tree.child(declaration, "value")?,
        "function_item"
        | "function_definition"
        | "function_declaration"
        | "method_definition"
        | "method_declaration"
        | "generator_function_declaration" => declaration,
        _ => return None,
    };
    if tree.child(function, "type_parameters").is_some() {
        return None;
    }
    let list = tree.child(function, "parameters").or_else(|| tree.child(function, "parameter"))?;
    let takes = if tree.kind(list) == "identifier" {
        vec![plain(tree.text(list))]
    } else {
        tree.parts(list).filter_map(|part| taken(tree, part)).flatten().collect()
    };
    let gives = tree.child(function, "return_type").or_else(|| tree.child(function, "result"));
    let gives = gives.map(|gives| squeezed(tree.text(gives))).unwrap_or_default();
    Some(Shape { takes, gives })
}

fn plain(name: &str) -> Taken {
    Taken { name: name.to_owned(), of: String::new(), may_be_left_out: false, takes_the_rest: false }
}

/// The parameters of one part of a list; of the object itself, and of a mark, there is none.
fn taken(tree: &Tree<'_>, at: usize) -> Option<Vec<Taken>> {
    let kind = tree.kind(at);
    let of = tree.child(at, "type").map(|of| squeezed(tree.text(of))).unwrap_or_default();
    let name = tree.child(at, "name").or_else(|| tree.child(at, "pattern"));
    let name = name.or_else(|| tree.span(at).find(|part| is_name(tree.kind(*part))));
    let name = name.map(|name| tree.text(name)).unwrap_or_default();
    if matches!(kind, "self_parameter" | "keyword_separator" | "positional_separator" | "attribute_item")
        || matches!(name, "self" | "cls" | "this")
    {
        return None;
    }
    let is_rest = tree.span(at).take(3).any(|part| {
        matches!(tree.kind(part), "list_splat_pattern" | "dictionary_splat_pattern" | "rest_pattern")
    });
    let takes_the_rest = is_rest || matches!(kind, "variadic_parameter_declaration" | "variadic_parameter");
    let may_be_left_out = matches!(
        kind,
        "default_parameter" | "typed_default_parameter" | "optional_parameter" | "assignment_pattern"
    ) || tree.child(at, "value").is_some();
    let one = Taken { name: name.to_owned(), of, may_be_left_out, takes_the_rest };
    // Go: `a, b int`.
    let names = tree.children(at).filter(|part| tree.node(*part).field == "name").count();
    Some(vec![one; if kind == "parameter_declaration" { names.max(1) } else { 1 }])
}

/// Without space and lifetimes.
fn squeezed(text: &str) -> String {
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    while let Some(at) = words.find('\'') {
        let end =
            words[at + 1..].find(|char: char| !is_of_name(char)).map_or(words.len(), |end| at + 1 + end);
        words.replace_range(at..end, "");
    }
    words.split_whitespace().collect()
}

/// Whether who calls it as it was can call it as it is.
fn is_callable_as(language: Language, now: &Shape, was: &Shape) -> bool {
    let by_name = language == Language::Python;
    let typed = matches!(language, Language::Rust | Language::Go);
    let rest_is_taken = now.takes.iter().any(|taken| taken.takes_the_rest);
    let same = |(was, now): (&Taken, &Taken)| {
        (!by_name || was.name == now.name || was.name.starts_with('_'))
            && (!was.may_be_left_out || now.may_be_left_out || now.takes_the_rest)
            && was.takes_the_rest == now.takes_the_rest
            && (!typed || takes(&was.of, &now.of))
    };
    let firsts = now.takes.len().min(was.takes.len());
    let others_may_be_left_out =
        now.takes[firsts..].iter().all(|taken| taken.may_be_left_out || taken.takes_the_rest);
    if rest_is_taken && !was.takes.iter().any(|taken| taken.takes_the_rest) {
        return true;
    }
    now.takes.len() >= was.takes.len()
        && was.takes.iter().zip(&now.takes).all(same)
        && others_may_be_left_out
        && (!typed || now.gives == was.gives || is_open(&now.gives) || is_open(&was.gives))
}

/// Whether a parameter of the second type takes what one of the first took.
fn takes(was: &str, now: &str) -> bool {
    let wider = match was.strip_prefix('&') {
        Some("String") => now == "&str",
        Some("PathBuf") => now == "&Path",
        Some("OsString") => now == "&OsStr",
        Some(list) => {
            let item = list.strip_prefix("Vec<").and_then(|rest| rest.strip_suffix('>'));
            item.is_some_and(|item| now == format!("&[{item}]"))
        }
        None => false,
    };
    was == now || wider || is_open(was) || is_open(now)
}

/// Types that stand for several.
fn is_open(of: &str) -> bool {
    ["impl", "dyn", "interface{", "any", "Self"].iter().any(|word| of.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Language::{Go, JavaScript, Python, Rust, TypeScript};

    fn words(lost: Vec<LostName>) -> String {
        let word = |lost: LostName| match lost.loss {
            Loss::Gone => format!("-{}", lost.name),
            Loss::Changed => format!("~{}", lost.name),
        };
        lost.into_iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn public_names_that_nobody_declares_any_more_are_named() {
        for (language, before, after, want) in [
            (Rust, "pub fn a() {}\npub(crate) fn b() {}\nfn c() {}\npub struct D;", "fn a() {}", "-D -a"),
            (Rust, "pub mod a { pub fn b() {} }\n#[cfg(test)]\nmod t { pub fn c() {} }", "", "-a -b"),
            (Rust, "pub fn a() {}", "pub use b::a;", ""),
            (
                Rust,
                "pub struct A;\nimpl A { pub fn b(&self) {} fn c(&self) {} }",
                "pub struct A;\nimpl A {}",
                "-A.b",
            ),
            (Rust, "impl A { pub fn b(&self) {} }", "impl B for A { fn b(&self) {} }", ""),
            (Python, "import os\ndef a(): pass\ndef _b(): pass\nC = 1\n", "from x import a\n", "-C"),
            (
                Python,
                "class A:\n    def b(self): pass\n    def _c(self): pass\n",
                "class A:\n    pass\n",
                "-A.b",
            ),
            (
                Python,
                "class A:\n    def b(self): pass\n",
                "class Z:\n    def b(self): pass\nclass A(Z):\n    pass\n",
                "",
            ),
            (
                JavaScript,
                "export const a = 1;\nconst b = 2;\nexport function c() {}",
                "export const a = 2;",
                "-c",
            ),
            // What `require` gives can be made in many ways, and is not followed.
            (JavaScript, "function a() {}\nexports.a = a;", "function a() {}\nmodule.exports = { a };", ""),
            (Go, "package p\n\nfunc A() {}\n\nfunc b() {}\n", "package p\n", "-A"),
        ] {
            assert_eq!(words(lost_names(language, &[("a", before)], &[("b", after)])), want, "{before}");
        }
    }

    #[test]
    fn ac_tdd_8_24_what_can_not_be_called_as_before_is_named_and_what_can_is_not() {
        for (language, before, after, want) in [
            (Rust, "pub fn a(x: u8) -> u8 { x }", "pub fn a(y: u8) -> u8 { y }", ""),
            (Rust, "pub fn a(x: u8) -> u8 { x }", "pub fn a(x: u8, y: u8) -> u8 { x }", "~a"),
            (Rust, "pub fn a(x: u8) -> u8 { x }", "pub fn a(x: u8) -> u16 { x }", "~a"),
            (Rust, "pub fn a(x: &String, y: &Vec<u8>) {}", "pub fn a(x: &str, y: &[u8]) {}", ""),
            (Rust, "pub fn a<'x>(x: &'x str) -> &'x str { x }", "pub fn a(x: &str) -> &str { x }", ""),
            (Rust, "pub fn a(x: &str) {}", "pub fn a(x: impl AsRef<str>) {}", ""),
            (Rust, "pub fn a(x: &str) {}", "pub fn a(x: u8) {}", "~a"),
            (Python, "def a(x): pass\n", "def a(x, y=1): pass\n", ""),
            (Python, "def a(x): pass\n", "def a(x: int) -> int: pass\n", ""),
            (Python, "def a(x): pass\n", "def a(x, y): pass\n", "~a"),
            (Python, "def a(x, y): pass\n", "def a(y, x): pass\n", "~a"),
            (Python, "def a(x, y=1): pass\n", "def a(x): pass\n", "~a"),
            (Python, "def a(x, y=1): pass\n", "def a(*args, **more): pass\n", ""),
            (Python, "class A:\n    def b(self, x): pass\n", "class A:\n    def b(self): pass\n", "~A.b"),
            (JavaScript, "export const a = (x) => x;", "export function a(y) { return y; }", ""),
            (JavaScript, "export const a = x => x;", "export const a = (x, y) => x;", "~a"),
            (JavaScript, "export function a(x) {}", "export function a(x, y = 1) {}", ""),
            (
                TypeScript,
                "export function a(x: any): any {}",
                "export function a(x: number, y?: string): number {}",
                "",
            ),
            (
                TypeScript,
                "export function a(x: number, y: number) {}",
                "export function a(x: number) {}",
                "~a",
            ),
            (
                Go,
                "package p\n\nfunc A(x, y int) int { return x }\n",
                "package p\n\nfunc A(x int, y int) int { return x }\n",
                "",
            ),
            (
                Go,
                "package p\n\nfunc A(x int) int { return x }\n",
                "package p\n\nfunc A(x string) int { return 1 }\n",
                "~A",
            ),
            (
                Go,
                "package p\n\nfunc A(x int) int { return x }\n",
                "package p\n\nfunc A(x int) (int, error) { return x, nil }\n",
                "~A",
            ),
            (Go, "package p\n\nfunc (t T) A(x int) {}\n", "package p\n\nfunc (t T) A() {}\n", "~T.A"),
        ] {
            assert_eq!(
                words(lost_names(language, &[("a", before)], &[("b", after)])),
                want,
                "{before} => {after}"
            );
            assert_eq!(words(lost_names(language, &[("a", before)], &[("b", before)])), "", "{before}");
        }
    }

    #[test]
    fn new_names_that_no_test_speaks_of_are_named() {
        let new = new_names(
            Python,
            (
                &[("a.py", "def a(): pass\n")],
                &[("a.py", "def a(): pass\ndef b(): pass\ndef c(): pass\ndef _d(): pass\n")],
            ),
            &["import a\n\ndef test(): assert a.b() == 1\n"],
        );
        assert_eq!(new, [("a.py".to_owned(), "c".to_owned())]);
    }
}
