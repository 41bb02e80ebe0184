//! What kind of red a Python error is (contract section 7).
//!
//! Exceptions are exact objects: class, bases, `.name`, the frame. Only two things are in the
//! text alone: which symbol `cannot import name 'x' from 'm'` is about (up to Python 3.11), and
//! whether an `AttributeError` or a `TypeError` is about a signature of the project's own.

use super::jsonl::Raised;
use super::{failure, quoted};
use tdd_core::test::{Failure, FailureKind};

/// Where a top-level module lives, as far as the adapter can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// A file or package of the project.
    Project,
    /// Declared as a dependency, or known to everybody as somebody else's.
    Foreign,
    /// Nowhere: a project that has no code yet imports the first module to be written.
    Nowhere,
}

/// When the error came up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    Loading,
    /// Before or after the test's own body: a fixture, `setUp`, `tearDownClass`.
    Around,
    Running,
}

/// Judges an error and its causes. `home` says where a top-level module lives; `is_test` whether a
/// file is one of the tests (not production).
pub fn classify(
    errors: &[Raised],
    moment: Moment,
    home: &dyn Fn(&str) -> Home,
    is_test: &dyn Fn(&str) -> bool,
) -> Failure {
    // A runner wraps what a module raised in an error of its own: the cause is what counts.
    let wrapped =
        |raised: &&Raised| raised.class == "CollectError" || raised.class == "ConftestImportFailure";
    let Some(raised) = errors.iter().find(|raised| !wrapped(raised)).or(errors.first()) else {
        return failure(FailureKind::Error, "the runner gave no reason", None);
    };
    let message = format!("{}: {}", raised.class, raised.message);
    if let Some(absent) = absent(raised, home, is_test) {
        return failure(FailureKind::Missing, &message, Some(absent));
    }
    let fixture = raised.class == "FixtureLookupError";
    let kind = match moment {
        Moment::Loading => FailureKind::Load,
        _ if fixture || is(raised, "SyntaxError") || is(raised, "ImportError") => FailureKind::Load,
        Moment::Running if is_expectation(raised) => FailureKind::Assertion,
        Moment::Around | Moment::Running => FailureKind::Error,
    };
    failure(kind, &message, None)
}

fn is(raised: &Raised, class: &str) -> bool {
    raised.class == class || raised.bases.iter().any(|base| base == class)
}

/// `pytest.fail` and `pytest.raises` that saw nothing raise a class named `Failed`.
fn is_expectation(raised: &Raised) -> bool {
    is(raised, "AssertionError") || (raised.class == "Failed" && raised.module != "__main__")
}

/// What of the project's own is still to be written, if that is all that is wrong.
fn absent(raised: &Raised, home: &dyn Fn(&str) -> Home, is_test: &dyn Fn(&str) -> bool) -> Option<String> {
    let from_test = raised.at.as_deref().is_none_or(is_test);
    let top = |name: &str| home(name.split('.').next().unwrap_or(name));
    if is(raised, "ImportError") {
        let module = raised.name.as_deref()?;
        if raised.class == "ModuleNotFoundError" {
            return match top(module) {
                Home::Project => Some(module.to_owned()),
                // Production that imports what is nowhere was broken before this test.
                Home::Nowhere if from_test => Some(module.to_owned()),
                Home::Nowhere | Home::Foreign => None,
            };
        }
        let symbol = raised.message.strip_prefix("cannot import name ").and_then(|rest| quoted(rest, 0))?;
        return (top(module) == Home::Project).then(|| format!("{module}.{symbol}"));
    }
    if is(raised, "AttributeError") {
        let name = raised.name.as_deref()?;
        let module = raised.message.strip_prefix("module '").and_then(|rest| rest.split('\'').next());
        if let Some(module) = module {
            return (top(module) == Home::Project).then(|| format!("{module}.{name}"));
        }
        let owner = owner(&raised.message)?;
        return (!BUILT_IN.contains(&owner)).then(|| format!("{owner}.{name}"));
    }
    let signature = ["positional argument", "unexpected keyword argument", "takes no arguments"];
    let wrong_arity = is(raised, "TypeError") && signature.iter().any(|word| raised.message.contains(word));
    (wrong_arity && from_test).then(|| raised.message.split('(').next().unwrap_or_default().trim().to_owned())
}

/// The type in `'Cart' object has no attribute 'total'` and `type object 'Cart' has no …`.
fn owner(message: &str) -> Option<&str> {
    quoted(message, 0)
}

/// Types that no project can add an attribute to: a test that asks them for one is wrong, or got
/// a wrong value.
const BUILT_IN: &[&str] = &[
    "NoneType",
    "int",
    "float",
    "complex",
    "bool",
    "str",
    "bytes",
    "bytearray",
    "list",
    "tuple",
    "dict",
    "set",
    "frozenset",
    "range",
    "generator",
    "coroutine",
    "function",
    "method",
    "object",
    "type",
    "slice",
    "ellipsis",
];

#[cfg(test)]
#[path = "python_error_tests.rs"]
mod tests;
