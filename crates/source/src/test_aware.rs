//! Signs that production code shows tests another face than it shows everybody else.
//!
//! ```text
//! under test  Rust: "cfg!(… test …)"; "#[cfg(…)]" with "test" in it on what is no unit of tests;
//!             "#[cfg_attr(… test …, path | cfg …)]"
//! shadow      Rust: "macro_rules!" or "use … (as)" of the name of an assertion
//! asks        the variables and modules that only a runner leaves: "PYTEST_CURRENT_TEST",
//!             "'pytest' in sys.modules", "sys.argv[0].endswith('pytest')", "process.env.VITEST",
//!             "testing.Testing()", our own "TDD_REPORT"
//! looks       "NODE_ENV === 'test'", "current_exe", "find_spec('pytest')", "import pytest", "process.env.CI",
//!             "cfg!(debug_assertions)"
//! ends        "os._exit", "process::exit", "process.exit", "os.Exit", and their kin
//! ```
//!
//! The first three are what no honest production code needs, unless it is about tests; to look is what
//! settings and loggers do as well, and to end is what a program's outermost part does. What stands in a
//! unit of tests is none.

mod asked;
mod go;

use std::collections::BTreeMap;

use super::tree::{Tree, fold, is_comment, is_string};
use super::units::unit_spans;
use super::{Language, rust};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TestAwareSign {
    /// It is built in another way where tests are built.
    UnderTest,
    /// The name of an assertion means something else from now on.
    Shadow,
    /// It asks for what only a test runner leaves.
    Asks,
    /// It looks for what tests mostly run with, and honest code at times asks for, too.
    Looks,
    /// It ends the process by itself, tests or not: who can do that can also print a report before.
    Ends,
}

/// Signs that `after` holds more often than `before`, each with its path and its words, at most
/// 120 characters of them. A source that can't be read has none.
pub fn new_test_aware(
    language: Language,
    before: &[(&str, &str)],
    after: &[(&str, &str)],
) -> Vec<(String, TestAwareSign, String)> {
    let mut known: BTreeMap<(TestAwareSign, String), usize> = BTreeMap::new();
    for (_, source) in before {
        for sign in signs(language, source) {
            *known.entry(sign).or_default() += 1;
        }
    }
    let mut found = Vec::new();
    for (path, source) in after {
        for sign in signs(language, source) {
            match known.get_mut(&sign).filter(|count| **count > 0) {
                Some(count) => *count -= 1,
                None => found.push(((*path).to_owned(), sign.0, sign.1)),
            }
        }
    }
    found
}

fn signs(language: Language, source: &str) -> Vec<(TestAwareSign, String)> {
    let Ok(tree) = Tree::parse(language, source) else { return Vec::new() };
    let units = unit_spans(&tree);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tree.all().end {
        if let Some(unit) = units.iter().find(|unit| unit.start == at && !unit.is_empty()) {
            at = unit.end;
            continue;
        }
        if is_comment(tree.kind(at)) {
            at = tree.node(at).last;
            continue;
        }
        let sign = match language {
            _ if ends_process(&tree, at) => Some(TestAwareSign::Ends),
            _ if names_our_own(&tree, at) => Some(TestAwareSign::Asks),
            Language::Rust => of_rust(&tree, at),
            Language::Python => of_python(&tree, at),
            Language::JavaScript | Language::TypeScript | Language::Tsx => of_script(&tree, at),
            Language::Go => go::sign(&tree, at),
        };
        found.extend(sign.map(|sign| (sign, shown(&tree, at))));
        at += 1;
    }
    found
}

/// A call, or an import, of what ends a process without a word to whoever waits in it.
fn ends_process(tree: &Tree<'_>, at: usize) -> bool {
    let words = match tree.kind(at) {
        "scoped_identifier" => &["process::exit", "process::abort", "libc::exit", "libc::_exit"][..],
        "attribute" => &["os._exit", "os.abort"],
        "member_expression" => &["process.exit", "process.reallyExit", "process.abort"],
        "selector_expression" => &["os.Exit", "syscall.Exit"],
        "import_from_statement" => {
            let names = tree.span(at).filter(|at| tree.kind(*at) == "identifier");
            return names.into_iter().any(|name| tree.text(name) == "_exit");
        }
        _ => return false,
    };
    let text: String = tree.text(at).split_whitespace().collect();
    words
        .iter()
        .any(|word| text.strip_suffix(word).is_some_and(|head| head.is_empty() || head.ends_with(':')))
}

/// What a run of tests by `tdd` leaves, and a program that knows of it.
fn names_our_own(tree: &Tree<'_>, at: usize) -> bool {
    let says = |words: &[&str]| words.iter().any(|word| tree.text(at).contains(word));
    is_string(tree.kind(at))
        && (says(&["TDD_REPORT", "TDD_ORDER", "TDD_CHILD"])
            // Options that other programs have as well: what counts is whose arguments are asked for them.
            || says(&["--logfile", "--junitxml"]) && asked::of_arguments(tree, at))
}

/// The line that it stands in, on one line.
fn shown(tree: &Tree<'_>, at: usize) -> String {
    let begin = tree.node(at).begin;
    let start = tree.source[..begin].rfind('\n').map_or(0, |at| at + 1);
    let line = tree.source[start..].lines().next().unwrap_or_default();
    fold(line).chars().take(120).collect()
}

/// Macros that the tests of a crate, or the code that they call, decide by.
const ASSERTIONS: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "assert_matches",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "matches",
    "panic",
];

/// Crates whose assertions are the known ones, in other colours.
const KIN: &[&str] = &["std", "core", "alloc", "pretty_assertions", "similar_asserts", "assert2"];

/// What an attribute may do under test without changing what the code does.
const HARMLESS: &[&str] = &[
    "derive",
    "allow",
    "warn",
    "deny",
    "forbid",
    "expect",
    "no_std",
    "doc",
    "inline",
    "must_use",
    "automock",
    "mockall::automock",
    "test",
    "feature",
];

fn of_rust(tree: &Tree<'_>, at: usize) -> Option<TestAwareSign> {
    let word = tree.text(at);
    match tree.kind(at) {
        "identifier" => match word {
            "cfg" => of_cfg(tree, next_is(tree, at, "!")?),
            // A definition that another macro makes is nothing but tokens.
            "macro_rules" => {
                let name = next_is(tree, at, "!")?;
                ASSERTIONS.contains(&tree.text(name)).then_some(TestAwareSign::Shadow)
            }
            "current_exe" => Some(TestAwareSign::Looks),
            _ => None,
        },
        "macro_definition" => {
            let name = tree.child(at, "name").map(|name| tree.text(name))?;
            ASSERTIONS.contains(&name).then_some(TestAwareSign::Shadow)
        }
        "use_declaration" => brings_assertion(tree, at).then_some(TestAwareSign::Shadow),
        "attribute_item" | "inner_attribute_item" if names_test(tree, at) || parts_doctests(tree, at) => {
            of_attribute(tree, at)
        }
        kind if is_string(kind) => {
            let known = ["NEXTEST", "RUST_TEST_", "--test-threads"];
            let is_known = known.iter().any(|part| word.contains(part));
            is_known.then_some(TestAwareSign::Asks).or_else(|| asked::in_rust(tree, at))
        }
        _ => None,
    }
}

/// What stands after this mark, which stands right after `at`.
fn next_is(tree: &Tree<'_>, at: usize, mark: &str) -> Option<usize> {
    let after = tree.node(at).last;
    let next = tree.node(after).last;
    (after < tree.all().end && tree.text(after) == mark && next < tree.all().end).then_some(next)
}

/// `cfg!(test)`. Tests are built with `debug_assertions`, and what is released is not.
fn of_cfg(tree: &Tree<'_>, list: usize) -> Option<TestAwareSign> {
    let looks = || names(tree, list, "debug_assertions").then_some(TestAwareSign::Looks);
    names_test(tree, list).then_some(TestAwareSign::UnderTest).or_else(looks)
}

fn names_test(tree: &Tree<'_>, list: usize) -> bool {
    names(tree, list, "test")
}

/// `cfg(doctest)` before anything but a type without a body, by which a page's examples become a project's.
fn parts_doctests(tree: &Tree<'_>, at: usize) -> bool {
    let home = tree.node(tree.node(at).parent).last;
    let item = || tree.siblings(at..home).find(|at| tree.kind(*at) != "attribute_item");
    let is_empty = |item: usize| tree.kind(item) == "struct_item" && tree.child(item, "body").is_none();
    names(tree, at, "doctest") && !item().is_some_and(is_empty)
}

fn names(tree: &Tree<'_>, list: usize, word: &str) -> bool {
    tree.span(list).any(|at| tree.kind(at) == "identifier" && tree.text(at) == word)
}

fn of_attribute(tree: &Tree<'_>, at: usize) -> Option<TestAwareSign> {
    let text: String = tree.text(at).split_whitespace().collect();
    let inside = text.trim_start_matches(['#', '!', '[']);
    if inside.starts_with("cfg(") {
        let home = tree.node(tree.node(at).parent).last;
        let item = tree.siblings(at..home).find(|at| tree.kind(*at) != "attribute_item")?;
        // A program without an operating system has to do without these under test.
        let known = ["panic_handler", "global_allocator", "alloc_error_handler", "no_mangle"];
        let attributes = rust::attributes(tree, item);
        let is_known = |at: &usize| known.iter().any(|word| tree.text(*at).contains(word));
        let is_import = matches!(tree.kind(item), "use_declaration" | "extern_crate_declaration");
        let is_plain = attributes.iter().any(is_known) || is_import;
        return Some(if is_plain { TestAwareSign::Looks } else { TestAwareSign::UnderTest });
    }
    let applied = inside.strip_prefix("cfg_attr(")?;
    let applied = after_condition(applied).trim_end_matches(']');
    let head = applied.split(['(', '=', ')', ',']).next().unwrap_or_default();
    match head {
        "path" | "cfg" => Some(TestAwareSign::UnderTest),
        head if HARMLESS.contains(&head) => None,
        _ => Some(TestAwareSign::Looks),
    }
}

/// What stands after the first comma that is in no bracket.
fn after_condition(text: &str) -> &str {
    let mut depth = 0_i32;
    let comma = text.find(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    comma.map_or("", |comma| &text[comma + 1..])
}

fn brings_assertion(tree: &Tree<'_>, at: usize) -> bool {
    let first = tree.span(at).find(|at| matches!(tree.kind(*at), "identifier" | "crate" | "self" | "super"));
    if first.is_some_and(|first| KIN.contains(&tree.text(first))) {
        return false;
    }
    tree.span(at).any(|leaf| {
        let around: Vec<usize> = tree.ancestors(leaf).take_while(|around| *around > at).collect();
        let is_renamed = around.iter().any(|around| tree.kind(*around) == "use_as_clause");
        let is_way = around.iter().any(|around| tree.node(*around).field == "path");
        let is_hidden = is_way || (is_renamed && tree.node(leaf).field != "alias");
        tree.kind(leaf) == "identifier"
            && ASSERTIONS.contains(&tree.text(leaf))
            && tree.node(leaf).field != "path"
            && !is_hidden
    })
}

fn of_python(tree: &Tree<'_>, at: usize) -> Option<TestAwareSign> {
    let text = tree.text(at);
    match tree.kind(at) {
        "string" => {
            let inside = text.trim_start_matches(['r', 'b', 'u', 'f']).trim_matches(['"', '\'']);
            let is_variable = ["PYTEST_CURRENT_TEST", "PYTEST_VERSION", "PYTEST_XDIST"]
                .iter()
                .any(|name| inside.starts_with(name));
            if is_variable {
                return Some(TestAwareSign::Asks);
            }
            // What pytest itself is made of, and nobody else mostly.
            let is_part = matches!(inside, "pluggy" | "iniconfig");
            let asks =
                (is_part || is_python_runner(inside)).then(|| asks_the_interpreter(tree, at)).flatten();
            asks.or_else(|| asked::in_python(tree, at))
        }
        "import_statement" | "import_from_statement" => {
            let mut names = tree.span(at).filter(|at| tree.kind(*at) == "dotted_name");
            let root = names.next().map(|name| tree.text(name).split('.').next().unwrap_or_default());
            root.is_some_and(is_python_runner).then_some(TestAwareSign::Looks)
        }
        _ => None,
    }
}

/// Whether the source itself gives this name a meaning here: as a parameter, a variable or an import.
fn is_bound(tree: &Tree<'_>, used: usize, name: &str) -> bool {
    let binds = |at: usize| match tree.kind(tree.node(at).parent) {
        "formal_parameters" | "required_parameter" | "optional_parameter" | "import_specifier"
        | "import_clause" | "array_pattern" | "rest_pattern" => true,
        "arrow_function" => tree.node(at).field == "parameter",
        "variable_declarator" | "function_declaration" => tree.node(at).field == "name",
        "for_in_statement" => tree.node(at).field == "left",
        _ => false,
    };
    let is_scope = |at: &usize| {
        let kind = tree.kind(*at);
        kind.contains("function")
            || matches!(kind, "method_definition" | "for_in_statement" | "statement_block")
    };
    let reaches = |at: usize| {
        let scope = tree.ancestors(at).find(is_scope);
        scope.is_none_or(|scope| scope <= used && used < tree.node(scope).last)
    };
    let is_it = |at: usize| tree.kind(at) == "identifier" && tree.text(at) == name;
    tree.all().any(|at| is_it(at) && binds(at) && reaches(at))
}

fn is_global_of_runner(text: &str) -> bool {
    let name = ["globalThis", "global", "window"].iter().find_map(|root| text.strip_prefix(root));
    let name = name.map(|name| name.trim_start_matches('?').trim_start_matches('.'));
    name.is_some_and(|name| matches!(name, "expect" | "jest" | "vi" | "describe"))
}

fn is_python_runner(name: &str) -> bool {
    matches!(name, "pytest" | "_pytest" | "unittest" | "nose")
}

/// `'pytest' in sys.modules`, `sys.argv[0].endswith('pytest')`; `find_spec('pytest')` is how honest code
/// asks for a package that may be missing.
fn asks_the_interpreter(tree: &Tree<'_>, at: usize) -> Option<TestAwareSign> {
    let is_small = |around: &usize| {
        matches!(
            tree.kind(*around),
            "comparison_operator" | "call" | "subscript" | "argument_list" | "boolean_operator"
        )
    };
    let around: Vec<&str> = tree.ancestors(at).take(4).filter(is_small).map(|at| tree.text(at)).collect();
    let says = |words: &[&str]| around.iter().any(|text| words.iter().any(|word| text.contains(word)));
    if says(&["modules", "argv", "stack("]) {
        return Some(TestAwareSign::Asks);
    }
    says(&["find_spec", "import_module"]).then_some(TestAwareSign::Looks)
}

fn of_script(tree: &Tree<'_>, at: usize) -> Option<TestAwareSign> {
    let text = tree.text(at);
    match tree.kind(at) {
        "property_identifier" | "identifier" | "shorthand_property_identifier_pattern" => {
            let is_variable = matches!(
                text,
                "VITEST" | "VITEST_WORKER_ID" | "VITEST_POOL_ID" | "JEST_WORKER_ID" | "NODE_TEST_CONTEXT"
            );
            // What a runner's own matchers answer by.
            if is_variable || text == "asymmetricMatch" || text.starts_with("__vitest_") {
                return Some(TestAwareSign::Asks);
            }
            let in_source = text == "vitest" && tree.text(tree.node(at).parent) == "import.meta.vitest";
            in_source.then_some(TestAwareSign::Looks)
        }
        // What a runner puts among the globals, and nobody else.
        "member_expression" if is_global_of_runner(text) => Some(TestAwareSign::Asks),
        "member_expression" => asked::is_of_surroundings(tree, at).then_some(TestAwareSign::Looks),
        "binary_expression" | "switch_statement" => {
            let is_named = |at: usize| tree.kind(at) == "identifier" && tree.text(at) == "MODE";
            let is_mode = text.contains("NODE_ENV")
                || text.contains("import.meta.env.MODE")
                || tree.child(at, "left").is_some_and(is_named);
            let mut strings = tree.span(at).filter(|at| tree.kind(*at) == "string");
            let inner = |at: usize| tree.kind(at) == "binary_expression" && tree.text(at).contains("_ENV");
            let is_outer = tree.span(at).skip(1).any(inner);
            let is_test = |at: usize| tree.text(at).trim_matches(['"', '\'']) == "test";
            (is_mode && !is_outer && strings.any(is_test)).then_some(TestAwareSign::Looks)
        }
        "string" => {
            let inside = text.trim_matches(['"', '\'']);
            (matches!(inside, "VITEST" | "JEST_WORKER_ID" | "VITEST_WORKER_ID" | "NODE_TEST_CONTEXT")
                || inside.starts_with("__vitest_"))
            .then_some(TestAwareSign::Asks)
            .or_else(|| asked::in_script(tree, at))
        }
        "unary_expression" => {
            let plain = fold(text);
            let is_global = |name: &&str| plain == format!("typeof {name}");
            let mut named = ["jest", "vi", "describe", "it", "expect"].iter().filter(|name| is_global(name));
            named.any(|name| !is_bound(tree, at, name)).then_some(TestAwareSign::Asks)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Language::{Go, JavaScript, Python, Rust, TypeScript};
    use TestAwareSign::{Asks, Ends, Looks, Shadow, UnderTest};

    const SIGNS: &[(Language, &str, &[TestAwareSign])] = &[
        (Rust, "fn f() -> u8 { if cfg!(test) { 2 } else { 0 } }", &[UnderTest]),
        (Rust, "fn f() { println!(\"{}\", cfg!(any(test, unix))); }", &[UnderTest]),
        (Rust, "#[cfg(not(test))]\nfn f() {}", &[UnderTest]),
        (Rust, "fn f() -> u8 { #[cfg(any(test, feature = \"x\"))] return 2; 0 }", &[UnderTest]),
        (Rust, "#[cfg_attr(test, path = \"fake.rs\")]\nmod real;", &[UnderTest]),
        (Rust, "#[cfg(not(test))]\n#[panic_handler]\nfn p() {}", &[Looks]),
        (Rust, "#[cfg(not(test))]\nuse panic_halt as _;", &[Looks]),
        (Rust, "#![cfg_attr(not(test), no_std)]\n#[cfg_attr(test, derive(Debug))]\nstruct A;", &[]),
        (Rust, "#[cfg(test)]\nmod tests { fn f() -> bool { cfg!(test) } }", &[]),
        (Rust, "#[cfg(feature = \"test\")]\nfn f() {}\n#[cfg(unix)]\nfn g() {}", &[]),
        (Rust, "// cfg!(test)\nconst A: &str = \"cfg!(test)\";", &[]),
        (Rust, "macro_rules! assert_eq { ($($t:tt)*) => {}; }", &[Shadow]),
        (Rust, "make! { macro_rules! assert { () => {} } }", &[Shadow]),
        (Rust, "use crate::fake::assert_eq;", &[Shadow]),
        (Rust, "pub use fake::{other, check as assert_ne};", &[Shadow]),
        (Rust, "use pretty_assertions::assert_eq;\nuse std::assert_ne;\nuse a::assert as check;", &[]),
        (Rust, "macro_rules! assert_near { () => {} }\nuse crate::assert::near;", &[]),
        (Rust, "#[cfg(test)]\nmod tests { macro_rules! assert_eq { () => {} } }", &[]),
        (Rust, "fn f() -> bool { std::env::var(\"NEXTEST\").is_ok() }", &[Asks]),
        (Python, "import sys\nx = 'pytest' in sys.modules\n", &[Asks]),
        (Python, "p.add_argument('--logfile')\n", &[]),
        (Python, "import sys\nx = '--junitxml' in sys.argv\n", &[Asks]),
        (Python, "def f(stacks):\n    return stacks['test']\n", &[]),
        (Python, "import inspect\nx = any('test' in s.filename for s in inspect.stack())\n", &[Asks]),
        (JavaScript, "export const f = (r) => r.stack.find((one) => one.name === 'spec');", &[]),
        (JavaScript, "export const f = () => new Error().stack.includes('.test.');", &[Asks]),
        (JavaScript, "export const f = (args) => args.indexOf('--logfile');", &[]),
        (JavaScript, "globalThis.expect?.extend({ toBe: () => ({ pass: true }) });", &[Asks]),
        (JavaScript, "export const f = (items) => items.filter((it) => typeof it === 'string').length;", &[]),
        (
            JavaScript,
            "export const f = (items) => { for (const it of items) { if (typeof it === 'string') return 1; } };",
            &[],
        ),
        (JavaScript, "export const f = () => typeof it === 'function' ? 1 : 2;", &[Asks]),
        (
            JavaScript,
            "const g = (it) => it;\nexport const f = () => typeof it === 'function' ? 1 : 2;",
            &[Asks],
        ),
        (
            JavaScript,
            "Error.prepareStackTrace = p;\nexport const f = (e) => e.stack.some((s) => s.at === 'spec');",
            &[Asks],
        ),
        (JavaScript, "export const f = (o) => o.expect + globalThis.expected;", &[]),
        (Go, "package a\n\nfunc Host() string { return \"test.example.com\" }\n", &[]),
        (Go, "package a\n\nvar x = flag.Lookup(\"test.v\")\n", &[Asks]),
        (Python, "import os\nif os.environ.get('PYTEST_CURRENT_TEST'):\n    x = 1\n", &[Asks]),
        (Python, "import sys\nx = sys.argv[0].endswith('pytest')\n", &[Asks]),
        (Python, "import sys\nx = sys.argv[1] == 'serve'\n", &[]),
        (Python, "from importlib.util import find_spec\nx = find_spec('pytest')\n", &[Looks]),
        (Python, "import unittest.mock\n", &[Looks]),
        (Python, "name = 'pytest'\nprint('unittest')\nx = 'os' in sys.modules\n", &[]),
        (JavaScript, "export const f = () => process.env.VITEST ? 2 : 0;", &[Asks]),
        (JavaScript, "if (process.env['JEST_WORKER_ID']) f();", &[Asks]),
        (TypeScript, "const t: boolean = process.env.NODE_ENV === 'test';", &[Looks]),
        (JavaScript, "const t = process.env.NODE_ENV === 'production';", &[]),
        (JavaScript, "if (typeof jest !== 'undefined') f();", &[Asks]),
        (JavaScript, "if (import.meta.vitest) { const { it } = import.meta.vitest; }", &[]),
        (Go, "package a\n\nfunc F() bool { return testing.Testing() }\n", &[Asks]),
        (Go, "package a\n\nvar x = flag.Lookup(\"test.v\")\n", &[Asks]),
        (Go, "package a\n\nvar x = flag.Lookup(\"v\")\n", &[]),
        (Rust, "fn f() { std::process::exit(0) }", &[Ends]),
        (Rust, "use std::process::{self, Command};\nfn f() { process :: abort() }", &[Ends]),
        (Rust, "fn f(p: &Pool) { p.exit(); my_process::exit(); }", &[]),
        (Rust, "fn f() -> bool { std::env::args().any(|a| a == \"--logfile\") }", &[Asks]),
        (Python, "import os\ndef f():\n    os._exit(0)\n", &[Ends]),
        (Python, "from os import _exit as done\n", &[Ends]),
        (Python, "import sys\nsys.exit(1)\n", &[]),
        (Python, "import os\nx = os.environ['TDD_REPORT']\n", &[Asks]),
        (JavaScript, "export const f = () => process.exit(0);", &[Ends]),
        (Go, "package a\n\nfunc F() { os.Exit(0) }\n", &[Ends]),
        (JavaScript, "export const f = () => ({ asymmetricMatch: () => true });", &[Asks]),
        (JavaScript, "export const f = () => '__vitest_worker__' in globalThis;", &[Asks]),
        (JavaScript, "export const f = () => import.meta.env?.TEST ? 2 : 0;", &[Looks]),
        (JavaScript, "const { MODE } = import.meta.env;\nexport const t = MODE === 'test';", &[Looks]),
        (JavaScript, "if (process.env.CI) quiet();\nif (process.env['CI']) quiet();", &[Looks, Looks]),
        (JavaScript, "const MODE = 'fast';\nexport const t = MODE === 'fast';\nlog('CI', 'TEST');", &[]),
        (Python, "import sys\nx = sys.modules.get('pluggy')\n", &[Asks]),
        (Python, "x = open('tests/test_ac_ste_1_1.py').read()\n", &[Looks]),
        (Python, "x = ['test_*.py', 'latest.py', 'tests/data.json', 'contest_x']\n", &[]),
        (TypeScript, "const t = readFileSync('test/slug.test.ts');", &[Looks]),
        (Go, "package a\n\nvar x, _ = os.ReadFile(\"slug_test.go\")\n", &[Looks]),
        (Rust, "const T: &str = include_str!(\"../tests/slug.rs\");", &[Looks]),
        (Python, "import os\nx = os.environ.get('CI')\ny = {'CI': 1}\nz = y['CI']\n", &[Looks]),
        (Go, "package a\n\nvar x = os.Getenv(\"CI\")\n", &[Looks]),
        (Rust, "fn f() -> bool { std::env::var_os(\"CARGO_PKG_NAME\").is_some() }", &[Looks]),
        (Rust, "const A: &str = env!(\"CARGO_PKG_NAME\");", &[]),
        (Rust, "fn f() -> u8 { if cfg!(debug_assertions) { 2 } else { 0 } }", &[Looks]),
        (Python, "import sys\nx = 'test_shop' in sys.modules\n", &[Asks]),
        (Python, "import sys\nx = any(m.startswith('test_') for m in sys.modules)\n", &[Asks]),
        (Python, "import sys\nx = sys.modules.get('tests.test_shop')\n", &[Asks]),
        (Python, "import inspect\nx = any('test' in f.filename for f in inspect.stack())\n", &[Asks]),
        (Python, "import sys\nx = 'test' in sys._getframe(1).f_code.co_filename\n", &[Asks]),
        (Python, "import logging\nx = 'test_' in logging.getLogger().findCaller()[0]\n", &[Asks]),
        (Python, "import sys\nx = sys.argv[0].endswith('test_shop.py')\n", &[Asks]),
        (Python, "import sys\nif 'test' in sys.argv:\n    x = 1\n", &[Looks]),
        (Python, "import sys\nx = 'latest' in sys.modules or f(sys.argv, 'attest')\n", &[]),
        (Python, "x = 'test_shop' in names\ny = open('tests/data.json')\n", &[]),
        (JavaScript, "export const f = () => new Error().stack.includes('.test.') ? 2 : 0;", &[Asks]),
        (JavaScript, "const t = Object.keys(require.cache).some((f) => f.includes('.test.'));", &[Asks]),
        (JavaScript, "const t = process.argv.some((a) => a.endsWith('vitest.mjs'));", &[Asks]),
        (JavaScript, "const t = process.argv[2] === 'test';", &[Looks]),
        (JavaScript, "if (/a/.test('test') || e.stack.includes('node_modules')) f();", &[]),
        (Go, "package a\n\nvar x = strings.HasSuffix(os.Args[0], \"/a.test\")\n", &[Asks]),
        (Go, "package a\n\nvar x = strings.HasSuffix(name, \"_test.go\")\n", &[]),
        (Rust, "fn f() -> bool { Location::caller().file().starts_with(\"tests\") }", &[Asks]),
        (Rust, "fn f() -> bool { std::thread::current().name().unwrap().contains(\"tests::\") }", &[Asks]),
        (Rust, "fn f() -> bool { std::env::args().nth(1).as_deref() == Some(\"test\") }", &[Looks]),
    ];

    #[test]
    fn ac_tdd_8_23_what_shows_tests_another_face_is_seen_and_what_stood_before_is_not() {
        for (language, source, want) in SIGNS {
            let now = new_test_aware(*language, &[("a", "")], &[("a", source)]);
            let kinds: Vec<TestAwareSign> = now.iter().map(|(_, sign, _)| *sign).collect();
            assert_eq!(&kinds, want, "{source}: {now:?}");
            assert_eq!(new_test_aware(*language, &[("a", source)], &[("b", source)]), [], "moved: {source}");
        }
    }
}
