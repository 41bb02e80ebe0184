//! Calls that are known by their names alone.

use super::Language;
use super::tree::Tree;

/// Whether what is called may hold an expectation that can't be seen from here: a macro of
/// somebody's, or a name that says so.
pub(super) fn may_assert(tree: &Tree<'_>, at: usize, name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let last = last.trim_start_matches('_');
    tree.kind(at) == "macro_invocation" || ASSERTING.iter().any(|word| last.starts_with(word))
}

/// Calls of the language itself that never fail a test because of what the code did.
pub(super) fn is_harmless(language: Language, name: &str) -> bool {
    let known = match language {
        Language::Rust => RUST,
        Language::Python => PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx => JAVASCRIPT,
        Language::Go => GO,
    };
    known.contains(&name)
}

/// Names that every script knows, or that runners give it.
pub(super) fn is_global(name: &str) -> bool {
    let first_is_capital = name.starts_with(|c: char| c.is_uppercase());
    first_is_capital || SCRIPT_GLOBALS.contains(&name)
}

/// Fixtures of pytest's own, which expect nothing.
pub(super) fn is_fixture(name: &str) -> bool {
    matches!(
        name,
        "cache"
            | "capfd"
            | "capfdbinary"
            | "caplog"
            | "capsys"
            | "capsysbinary"
            | "monkeypatch"
            | "pytestconfig"
            | "record_property"
            | "recwarn"
            | "request"
            | "testdir"
            | "tmp_path"
            | "tmp_path_factory"
            | "tmpdir"
    )
}

const SCRIPT_GLOBALS: &[&str] = &[
    "after",
    "afterAll",
    "afterEach",
    "alert",
    "atob",
    "before",
    "beforeAll",
    "beforeEach",
    "btoa",
    "clearInterval",
    "clearTimeout",
    "console",
    "decodeURIComponent",
    "describe",
    "document",
    "encodeURIComponent",
    "fetch",
    "fit",
    "global",
    "globalThis",
    "isNaN",
    "it",
    "jest",
    "module",
    "parseFloat",
    "parseInt",
    "performance",
    "process",
    "queueMicrotask",
    "setImmediate",
    "setInterval",
    "setTimeout",
    "structuredClone",
    "suite",
    "super",
    "test",
    "vi",
    "window",
    "xit",
];

const ASSERTING: &[&str] =
    &["assert", "check", "verify", "expect", "ensure", "should", "must", "validate", "require", "compare"];

const RUST: &[&str] = &[
    "Some",
    "Ok",
    "Err",
    "println",
    "print",
    "eprintln",
    "eprint",
    "dbg",
    "format",
    "vec",
    "drop",
    "Vec.new",
    "String.new",
    "String.from",
    "HashMap.new",
    "Default.default",
    "Box.new",
    "black_box",
    "std.hint.black_box",
    "write",
    "writeln",
    "concat",
    "env",
    "stringify",
    "include_str",
    "matches",
];

const PYTHON: &[&str] = &[
    "print",
    "len",
    "str",
    "repr",
    "int",
    "float",
    "bool",
    "list",
    "dict",
    "tuple",
    "set",
    "range",
    "type",
    "id",
    "sorted",
    "isinstance",
    "callable",
    "hasattr",
    "asyncio.run",
];

const JAVASCRIPT: &[&str] = &[
    "console.log",
    "console.error",
    "console.info",
    "console.warn",
    "console.debug",
    "String",
    "Number",
    "Boolean",
    "Array",
    "Object",
    "Symbol",
    "JSON.stringify",
    "Promise.resolve",
    "require",
    "import",
];

const GO: &[&str] = &[
    "fmt.Println",
    "fmt.Print",
    "fmt.Printf",
    "fmt.Sprintf",
    "fmt.Sprint",
    "len",
    "make",
    "new",
    "append",
    "t.Log",
    "t.Logf",
    "t.Helper",
    "t.Parallel",
    "t.Cleanup",
];
