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
