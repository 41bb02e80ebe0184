//! Python: test functions and the test methods of test classes; what of a body is an expectation.

use super::Declared;
use super::claim::{Claim, arguments, callee, method};
use super::tree::{Span, Tree, fold};

pub(super) fn tests(tree: &Tree<'_>) -> Vec<Declared> {
    let functions = tree.all().filter(|at| tree.kind(*at) == "function_definition");
    functions.filter_map(|at| function(tree, at)).collect()
}

fn function(tree: &Tree<'_>, at: usize) -> Option<Declared> {
    let name = tree.text(tree.child(at, "name")?);
    if !name.starts_with("test") {
        return None;
    }
    let mut path = vec![name];
    for around in tree.ancestors(at) {
        match tree.kind(around) {
            // A function inside a function is no test.
            "function_definition" | "lambda" => return None,
            "class_definition" => path.push(test_class(tree, around)?),
            _ => {}
        }
    }
    path.reverse();
    let parent = tree.node(at).parent;
    let outer = if tree.kind(parent) == "decorated_definition" { parent } else { at };
    let whole = tree.node(outer).begin..tree.node(at).end;
    Some(Declared {
        name: path.join("::"),
        is_pattern: false,
        first: outer,
        whole,
        node: at,
        body: tree.child(at, "body").map_or(0..0, |body| body + 1..tree.node(body).last),
        skipped: skip(tree, at, outer),
        expects_failure: false,
    })
}

/// The name of a class that holds tests.
fn test_class<'s>(tree: &Tree<'s>, at: usize) -> Option<&'s str> {
    let name = tree.text(tree.child(at, "name")?);
    let bases = tree.child(at, "superclasses").map(|bases| tree.text(bases)).unwrap_or_default();
    (name.starts_with("Test") || bases.contains("Test")).then_some(name)
}

/// The decorator that keeps it from running, its class's included, or a call in the body.
fn skip(tree: &Tree<'_>, at: usize, outer: usize) -> Option<String> {
    let classes = tree.ancestors(at).filter(|at| tree.kind(*at) == "decorated_definition");
    let decorators = std::iter::once(outer).chain(classes).flat_map(|at| tree.children(at));
    let mut decorators = decorators.filter(|at| tree.kind(*at) == "decorator");
    let says = |at: &usize| {
        let names = tree.tokens(tree.span(*at)).map(|at| tree.text(at));
        names.take_while(|text| *text != "(").any(|name| {
            matches!(name, "skip" | "skipif" | "skipIf" | "skipUnless" | "xfail" | "expectedFailure")
        })
    };
    decorators.find(says).map(|at| fold(tree.text(at)))
}

pub(super) fn claim(tree: &Tree<'_>, at: usize) -> Option<Claim> {
    match tree.kind(at) {
        "assert_statement" => {
            let subject = tree.parts(at).next()?;
            let subjects = vec![tree.span(subject)];
            Some(Claim::holds("assert", at, subjects))
        }
        // A bare `raise` hands on what something else threw.
        "raise_statement" => tree.parts(at).next().map(|_| Claim::fails("raise", at)),
        "with_statement" => {
            let clause = tree.child_of_kind(at, "with_clause")?;
            let calls = tree.span(clause).filter(|at| tree.kind(*at) == "call");
            let raises = |name: String| {
                let last = name.rsplit('.').next().unwrap_or_default();
                matches!(last, "raises" | "warns" | "deprecated_call") || last.starts_with("assert")
            };
            let raises = calls.filter_map(|call| callee(tree, call)).any(raises);
            raises.then(|| Claim::holds("with", at, vec![tree.span(at)]))
        }
        "call" => of_call(tree, at),
        _ => None,
    }
}

fn of_call(tree: &Tree<'_>, at: usize) -> Option<Claim> {
    let full = callee(tree, at)?;
    let given: Vec<Span> = tree.child(at, "arguments").map(|list| arguments(tree, list)).unwrap_or_default();
    let (receiver, name) = match method(tree, at) {
        Some((receiver, name)) => (Some(receiver), name.to_owned()),
        None => (None, full.clone()),
    };
    if matches!(full.as_str(), "pytest.fail" | "self.fail") {
        return Some(Claim::fails(&full, at));
    }
    if full == "pytest.raises" {
        return Some(Claim::holds(&full, at, given));
    }
    // "assertEqual", "assert_called_with", "assert_allclose", "match_snapshot".
    let word = name.strip_prefix("assert").or_else(|| name.strip_prefix("match_snapshot"))?;
    if receiver.is_some_and(|receiver| tree.text(receiver) == "self") {
        let count = match word {
            "True" | "False" | "IsNone" | "IsNotNone" => 1,
            _ if word.contains("Raises") || word.contains("Warns") || word.contains("napshot") => given.len(),
            _ => 2,
        };
        let subjects = given.into_iter().take(count).collect();
        let claim = Claim::compares(&full, at, subjects);
        return Some(if matches!(word, "Equal" | "NotEqual") {
            claim
        } else {
            Claim::holds(&full, at, claim.subjects)
        });
    }
    let subjects = receiver.map(|receiver| tree.span(receiver)).into_iter().chain(given).collect();
    Some(Claim::holds(&full, at, subjects))
}
