use super::FailureKind::{Assertion, Error, Load, Missing};
use super::Moment::{Around, Loading, Running};
use super::*;

fn raised(class: &str, bases: &[&str], message: &str, name: Option<&str>) -> Raised {
    Raised {
        class: class.to_owned(),
        bases: bases.iter().map(|base| (*base).to_owned()).collect(),
        module: "builtins".to_owned(),
        message: message.to_owned(),
        name: name.map(str::to_owned),
        at: Some("/p/tests/test_a.py".to_owned()),
        ..Raised::default()
    }
}

fn home(module: &str) -> Home {
    match module {
        "shop" => Home::Project,
        "numpy" => Home::Foreign,
        _ => Home::Nowhere,
    }
}

/// Moment, class, bases, message, name; then the kind and what is absent.
type Case = (
    Moment,
    (&'static str, &'static [&'static str]),
    (&'static str, Option<&'static str>),
    (FailureKind, Option<&'static str>),
);

const NOT_FOUND: (&str, &[&str]) = ("ModuleNotFoundError", &["ImportError"]);
const ATTRIBUTE: (&str, &[&str]) = ("AttributeError", &["Exception"]);
const TYPE: (&str, &[&str]) = ("TypeError", &["Exception"]);

#[rustfmt::skip]
const CASES: &[Case] = &[
    (Loading, NOT_FOUND, ("No module named 'shop.c2'", Some("shop.c2")), (Missing, Some("shop.c2"))),
    (Loading, NOT_FOUND, ("No module named 'cart'", Some("cart")), (Missing, Some("cart"))),
    (Loading, NOT_FOUND, ("No module named 'numpy'", Some("numpy")), (Load, None)),
    (Loading, ("ImportError", &[]), ("cannot import name 'nope' from 'shop.core' (/p/shop/core.py)", Some("shop.core")), (Missing, Some("shop.core.nope"))),
    (Loading, ("ImportError", &[]), ("cannot import name 'x' from 'numpy' (/y)", Some("numpy")), (Load, None)),
    (Loading, ("SyntaxError", &[]), ("invalid syntax (test_a.py, line 1)", None), (Load, None)),
    (Loading, ("NameError", &[]), ("name 'x' is not defined", Some("x")), (Load, None)),
    (Loading, ATTRIBUTE, ("module 'shop.core' has no attribute 'nope'", Some("nope")), (Missing, Some("shop.core.nope"))),
    (Running, ATTRIBUTE, ("module 'shop.core' has no attribute 'nope'", Some("nope")), (Missing, Some("shop.core.nope"))),
    (Running, ATTRIBUTE, ("'Cart' object has no attribute 'total'", Some("total")), (Missing, Some("Cart.total"))),
    (Running, ATTRIBUTE, ("'NoneType' object has no attribute 'total'", Some("total")), (Error, None)),
    (Running, TYPE, ("f() takes 0 positional arguments but 1 was given", None), (Missing, Some("f"))),
    (Running, TYPE, ("unsupported operand type(s) for +", None), (Error, None)),
    (Running, ("AssertionError", &[]), ("assert 1 == 2", None), (Assertion, None)),
    (Running, ("Failed", &["OutcomeException"]), ("DID NOT RAISE <class 'ValueError'>", None), (Assertion, None)),
    (Running, ("ValueError", &[]), ("x", None), (Error, None)),
    (Around, ("FixtureLookupError", &["LookupError"]), ("fixture 'x' not found", None), (Load, None)),
    (Around, ("ValueError", &[]), ("in setUp", None), (Error, None)),
];

#[test]
fn errors_are_judged_by_what_they_are_about() {
    for (moment, (class, bases), (message, name), want) in CASES {
        let got = classify(&[raised(class, bases, message, *name)], *moment, &home, &|_| true);
        assert_eq!((got.kind, got.absent.as_deref()), *want, "{class}: {message}");
    }
}

#[test]
fn what_production_imports_from_nowhere_was_broken_before() {
    let error = raised("ModuleNotFoundError", &["ImportError"], "No module named 'x'", Some("x"));
    assert_eq!(classify(&[error], Moment::Loading, &home, &|_| false).kind, FailureKind::Load);
}

#[test]
fn a_runners_wrapping_error_is_looked_through() {
    let wrapping = raised("CollectError", &["Exception"], "ImportError while importing", None);
    let cause = raised("ModuleNotFoundError", &["ImportError"], "No module named 'shop.c2'", Some("shop.c2"));
    let got = classify(&[wrapping, cause], Moment::Loading, &home, &|_| true);
    assert_eq!(got.kind, FailureKind::Missing);
}
