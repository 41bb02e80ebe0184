//! Names that a test of Python uses and that stand for nothing: each run of it ends with a `NameError`, whatever
//! the code does.
//!
//! A name is taken for undefined only where nothing in the file can have given it a meaning: it is bound nowhere,
//! by no import, parameter or pattern, no import brings all names, and the test uses it on a path that is always
//! taken.

use std::collections::{BTreeMap, BTreeSet};

use super::Language;
use super::tree::{Span, Tree};

/// The names of a file that are bound nowhere in it.
#[derive(Debug, Default)]
pub(super) struct Unbound<'s>(BTreeSet<&'s str>);

impl<'s> Unbound<'s> {
    pub(super) fn of(tree: &Tree<'s>) -> Self {
        let opens = ["globals", "exec", "eval", "vars", "NameError", "builtins", "setattr", "__import__"];
        if tree.language != Language::Python || !tree.errors.is_empty() {
            return Self::default();
        }
        let mut only_used: BTreeMap<&'s str, bool> = BTreeMap::new();
        for at in tree.all() {
            if tree.kind(at) == "wildcard_import" {
                return Self::default();
            }
            if tree.kind(at) != "identifier" || is_no_variable(tree, at) {
                continue;
            }
            if opens.contains(&tree.text(at)) {
                return Self::default();
            }
            *only_used.entry(tree.text(at)).or_insert(true) &= is_use(tree, at);
        }
        let is_unbound = |(name, only_used): (&'s str, bool)| {
            (only_used && !BUILT_IN.contains(&name) && !name.starts_with("__")).then_some(name)
        };
        Self(only_used.into_iter().filter_map(is_unbound).collect())
    }

    /// The first of them that this body uses whatever happens in it.
    pub(super) fn first_in(&self, tree: &Tree<'s>, body: &Span) -> Option<usize> {
        let is_it = |at: &usize| {
            tree.kind(*at) == "identifier"
                && self.0.contains(tree.text(*at))
                && !is_no_variable(tree, *at)
                && tree
                    .ancestors(*at)
                    .take_while(|around| *around >= body.start)
                    .all(|around| is_plain(tree.kind(around)))
        };
        body.clone().find(is_it)
    }
}

/// `x.NAME` and `f(NAME=1)`.
fn is_no_variable(tree: &Tree<'_>, at: usize) -> bool {
    let node = tree.node(at);
    match tree.kind(node.parent) {
        "attribute" => node.field == "attribute",
        "keyword_argument" => node.field == "name",
        _ => false,
    }
}

/// Whether a name can't but be looked up at this place.
fn is_use(tree: &Tree<'_>, at: usize) -> bool {
    matches!(
        tree.kind(tree.node(at).parent),
        "attribute"
            | "call"
            | "argument_list"
            | "keyword_argument"
            | "comparison_operator"
            | "binary_operator"
            | "unary_operator"
            | "boolean_operator"
            | "not_operator"
            | "assert_statement"
            | "raise_statement"
            | "return_statement"
            | "await"
            | "expression_statement"
    )
}

/// What stands around a place that is reached whenever the body is, as far as nothing before it ends it.
fn is_plain(kind: &str) -> bool {
    matches!(
        kind,
        "attribute"
            | "call"
            | "argument_list"
            | "keyword_argument"
            | "comparison_operator"
            | "binary_operator"
            | "unary_operator"
            | "not_operator"
            | "assert_statement"
            | "await"
            | "expression_statement"
            | "assignment"
            | "with_statement"
            | "with_clause"
            | "with_item"
            | "as_pattern"
            | "block"
            | "parenthesized_expression"
            | "list"
            | "tuple"
    )
}

/// Names that every module has.
const BUILT_IN: &[&str] = &[
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "BaseExceptionGroup",
    "BlockingIOError",
    "BrokenPipeError",
    "BufferError",
    "BytesWarning",
    "ChildProcessError",
    "ConnectionAbortedError",
    "ConnectionError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "DeprecationWarning",
    "EOFError",
    "Ellipsis",
    "EncodingWarning",
    "EnvironmentError",
    "Exception",
    "ExceptionGroup",
    "False",
    "FileExistsError",
    "FileNotFoundError",
    "FloatingPointError",
    "FutureWarning",
    "GeneratorExit",
    "IOError",
    "ImportError",
    "ImportWarning",
    "IndentationError",
    "IndexError",
    "InterruptedError",
    "IsADirectoryError",
    "KeyError",
    "KeyboardInterrupt",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "None",
    "NotADirectoryError",
    "NotImplemented",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PendingDeprecationWarning",
    "PermissionError",
    "ProcessLookupError",
    "PythonFinalizationError",
    "RecursionError",
    "ReferenceError",
    "ResourceWarning",
    "RuntimeError",
    "RuntimeWarning",
    "StopAsyncIteration",
    "StopIteration",
    "SyntaxError",
    "SyntaxWarning",
    "SystemError",
    "SystemExit",
    "TabError",
    "TimeoutError",
    "True",
    "TypeError",
    "UnboundLocalError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "UnicodeError",
    "UnicodeTranslateError",
    "UnicodeWarning",
    "UserWarning",
    "ValueError",
    "Warning",
    "WindowsError",
    "ZeroDivisionError",
    "abs",
    "aiter",
    "all",
    "anext",
    "any",
    "ascii",
    "basestring",
    "bin",
    "bool",
    "breakpoint",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "classmethod",
    "cls",
    "compile",
    "complex",
    "copyright",
    "credits",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "eval",
    "exec",
    "exit",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "help",
    "hex",
    "id",
    "input",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "license",
    "list",
    "locals",
    "long",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "open",
    "ord",
    "pow",
    "print",
    "property",
    "quit",
    "range",
    "raw_input",
    "reduce",
    "repr",
    "reveal_locals",
    "reveal_type",
    "reversed",
    "round",
    "self",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "unichr",
    "unicode",
    "vars",
    "xrange",
    "zip",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn undefined(source: &str) -> Option<(String, u32)> {
        let file = crate::TestFile::read(Language::Python, source).unwrap();
        file.body("test_it").unwrap().undefined.clone()
    }

    #[test]
    fn a_name_that_nothing_gives_a_meaning_is_found_with_its_line() {
        for (source, want) in [
            ("from shop import total\n\ndef test_it():\n    assert totl([]) == 3\n", Some(("totl", 4))),
            (
                "import pytest\n\ndef test_it():\n    with pytest.raises(Empty):\n        pay()\n",
                Some(("Empty", 4)),
            ),
            (
                "import pytest\n\ndef test_it():\n    with pytest.raises(ValueError):\n        pay()\n",
                Some(("pay", 5)),
            ),
        ] {
            assert_eq!(undefined(source), want.map(|(name, line)| (name.to_owned(), line)), "{source}");
        }
    }

    /// What could have a meaning, or is not always looked up, is left alone.
    #[test]
    fn a_name_that_may_mean_something_is_none() {
        for source in [
            "from shop import *\n\ndef test_it():\n    assert totl() == 3\n",
            "def test_it(totl):\n    assert totl() == 3\n",
            "def test_it():\n    assert totl() == 3\n\ndef totl():\n    return 3\n",
            "try:\n    from shop import totl\nexcept ImportError:\n    totl = None\n\ndef test_it():\n    assert totl() == 3\n",
            "def test_it():\n    for totl in [1]:\n        assert totl == 3\n",
            "def test_it():\n    assert [totl for totl in [1]] == [3]\n",
            "def test_it():\n    if False:\n        totl()\n    assert 1 == 2\n",
            "import pytest\n\ndef test_it():\n    with pytest.raises(NameError):\n        totl()\n",
            "def test_it():\n    assert sum([1]) == cart.totl\n\ncart = None\n",
            "def test_it():\n    assert dict(totl=1) == {}\n",
            "class Test:\n    totl = 1\n\ndef test_it():\n    assert totl == 3\n",
            "def test_it():\n    (totl := 1)\n    assert totl == 3\n",
            "def test_it():\n    with open('x') as totl:\n        assert totl\n",
            "globals()['totl'] = 1\n\ndef test_it():\n    assert totl == 3\n",
        ] {
            assert_eq!(undefined(source), None, "{source}");
        }
    }
}
