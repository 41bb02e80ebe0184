//! Go: `TestX` functions and the subtests that they name; what of a body is an expectation.

use std::collections::BTreeMap;

use super::claim::{Claim, arguments, method};
use super::tree::{Span, Tree, is_function};
use super::{Declared, Language};

pub(super) fn tests(tree: &Tree<'_>) -> Vec<Declared> {
    let run_by = suites(tree);
    let mut found = Vec::new();
    for at in tree.all() {
        match tree.kind(at) {
            "function_declaration" => found.extend(function(tree, at)),
            "call_expression" => found.extend(subtest(tree, at)),
            "method_declaration" => found.extend(of_suite(tree, at, &run_by)),
            _ => {}
        }
    }
    found
}

/// `func (s *WordsSuite) TestSplit()`, where a test of the same file has that suite run: `TestWords/TestSplit`.
fn of_suite(tree: &Tree<'_>, at: usize, run_by: &BTreeMap<&str, &str>) -> Option<Declared> {
    let name = suite_method(tree, at)?;
    let test = run_by.get(receiver_type(tree, at)?)?;
    Some(Declared {
        name: format!("{test}/{name}"),
        is_pattern: false,
        first: at,
        whole: tree.node(at).begin..tree.node(at).end,
        node: at,
        body: inside(tree, tree.child(at, "body")?),
        skipped: None,
        expects_failure: false,
    })
}

/// Nodes of one argument in which its type is looked for: `new(WordsSuite)`, `&WordsSuite{…}`.
const NEAR: usize = 12;

/// Types of suites, each with the first test that has it run.
fn suites<'s>(tree: &Tree<'s>) -> BTreeMap<&'s str, &'s str> {
    let mut found = BTreeMap::new();
    for call in tree.all().filter(|at| tree.kind(*at) == "call_expression") {
        let is_run = method(tree, call).is_some_and(|(_, name)| name == "Run");
        let Some(list) = tree.child(call, "arguments").filter(|_| is_run) else { continue };
        let around = tree.ancestors(call).find(|around| tree.kind(*around) == "function_declaration");
        let Some(test) = around.and_then(|around| test_name(tree, around)) else { continue };
        for given in tree.parts(list).filter(|part| tree.kind(*part) != "func_literal") {
            let of = tree.span(given).take(NEAR).filter(|part| tree.kind(*part) == "type_identifier");
            for part in of {
                found.entry(tree.text(part)).or_insert(test);
            }
        }
    }
    found
}

/// A method that a suite is run by.
#[derive(Debug)]
pub(super) struct SuiteTest<'s> {
    pub(super) suite: &'s str,
    pub(super) name: &'s str,
    pub(super) body: Span,
}

pub(super) fn suite_tests<'s>(tree: &Tree<'s>) -> Vec<SuiteTest<'s>> {
    let of = |at: usize| {
        let (name, suite) = (suite_method(tree, at)?, receiver_type(tree, at)?);
        Some(SuiteTest { suite, name, body: tree.span(tree.child(at, "body")?) })
    };
    tree.all().filter_map(of).collect()
}

/// The name of a method that a suite is run by.
fn suite_method<'s>(tree: &Tree<'s>, at: usize) -> Option<&'s str> {
    let name = (tree.kind(at) == "method_declaration").then(|| tree.child(at, "name")).flatten()?;
    Some(tree.text(name)).filter(|name| name.starts_with("Test"))
}

/// The type that a method belongs to.
fn receiver_type<'s>(tree: &Tree<'s>, at: usize) -> Option<&'s str> {
    let receiver = tree.child(at, "receiver")?;
    tree.span(receiver).find(|part| tree.kind(*part) == "type_identifier").map(|part| tree.text(part))
}

fn function(tree: &Tree<'_>, at: usize) -> Option<Declared> {
    let name = test_name(tree, at)?;
    let whole = tree.node(at).begin..tree.node(at).end;
    let body = inside(tree, tree.child(at, "body")?);
    let mut calls = tree.siblings(body.clone());
    let skips = calls.find_map(|statement| {
        let call = tree.child_of_kind(statement, "call_expression")?;
        let (_, name) = method(tree, call)?;
        matches!(name, "Skip" | "Skipf" | "SkipNow").then(|| tree.text(call).to_owned())
    });
    Some(Declared {
        name: name.to_owned(),
        is_pattern: false,
        first: at,
        whole,
        node: at,
        body,
        skipped: skips,
        expects_failure: false,
    })
}

/// `TestX`, not `Testify`; examples count only with what they print, which a comment says.
fn test_name<'s>(tree: &Tree<'s>, at: usize) -> Option<&'s str> {
    let name = tree.text(tree.child(at, "name")?);
    let is = |prefix: &str| {
        name.strip_prefix(prefix).is_some_and(|rest| !rest.chars().next().is_some_and(char::is_lowercase))
    };
    let example = is("Example") && tree.text(at).to_ascii_lowercase().contains("output:");
    (is("Test") && name != "TestMain" || is("Fuzz") || example).then_some(name)
}

/// Of `recover()` in a deferred function: what its function does after that.
pub(super) fn recovers(tree: &Tree<'_>, call: usize) -> Option<Span> {
    if tree.language != Language::Go || tree.kind(call) != "call_expression" {
        return None;
    }
    tree.child(call, "function").filter(|function| tree.text(*function) == "recover")?;
    let deferred = tree.ancestors(call).find(|at| is_function(tree.kind(*at)))?;
    let defer = tree.ancestors(deferred).find(|at| tree.kind(*at) == "defer_statement")?;
    let around = tree.ancestors(defer).find(|at| is_function(tree.kind(*at)))?;
    Some(tree.node(defer).last..tree.node(around).last)
}

/// The first call of a body after a deferred `recover()`: if it panics, nothing that stands behind it is reached, and the
/// test may pass.
pub(super) fn first_call_that_may_panic(tree: &Tree<'_>, body: &Span) -> Option<usize> {
    let is_own = |at: usize| {
        let mut around = tree.ancestors(at).take_while(|around| *around >= body.start);
        !around.any(|around| is_function(tree.kind(around)))
    };
    let after = body.clone().filter_map(|at| recovers(tree, at)).find(|after| is_own(after.start))?;
    after.filter(|at| body.contains(at)).find(|at| tree.kind(*at) == "call_expression" && is_own(*at))
}

/// Whether what a test looks at is what it prints, whatever it does to print it: an example, whose comment says what it must
/// print.
pub(super) fn prints_what_is_expected(tree: &Tree<'_>, test: &Declared) -> bool {
    tree.language == Language::Go && test.name.starts_with("Example")
}

/// Stands for a name that only a run knows.
const COMPUTED: &str = "${}";

/// `t.Run("name", func(t *testing.T) { … })`, `t.Run(c.name, …)`.
fn subtest(tree: &Tree<'_>, at: usize) -> Option<Declared> {
    let (_, "Run") = method(tree, at)? else { return None };
    let mut names = vec![title(tree, at)?];
    for around in tree.ancestors(at) {
        match tree.kind(around) {
            "call_expression" => names.extend(title(tree, around)),
            "function_declaration" => names.push(test_name(tree, around)?.to_owned()),
            _ => {}
        }
    }
    names.reverse();
    let is_pattern = names.iter().any(|name| name == COMPUTED);
    let list = tree.child(at, "arguments")?;
    let function = tree.child_of_kind(list, "func_literal")?;
    let whole = tree.node(at).begin..tree.node(at).end;
    Some(Declared {
        name: names.join("/"),
        is_pattern,
        first: at,
        whole,
        node: at,
        body: inside(tree, tree.child(function, "body")?),
        skipped: None,
        expects_failure: false,
    })
}

/// The name that a call of `Run` gives, as go shows it: white space is an underscore.
fn title(tree: &Tree<'_>, at: usize) -> Option<String> {
    let (_, "Run") = method(tree, at)? else { return None };
    let first = tree.parts(tree.child(at, "arguments")?).next()?;
    if !matches!(tree.kind(first), "interpreted_string_literal" | "raw_string_literal") {
        return Some(COMPUTED.to_owned());
    }
    let text = tree.text(first);
    let text = text.get(1..text.len().saturating_sub(1))?;
    Some(text.chars().map(|character| if character.is_whitespace() { '_' } else { character }).collect())
}

/// The statements of a block.
fn inside(tree: &Tree<'_>, block: usize) -> Span {
    match tree.child_of_kind(block, "statement_list") {
        Some(list) => list + 1..tree.node(list).last,
        None => 0..0,
    }
}

pub(super) fn claim(tree: &Tree<'_>, at: usize) -> Option<Claim> {
    if tree.kind(at) != "call_expression" {
        return None;
    }
    let given = arguments(tree, tree.child(at, "arguments")?);
    let Some((receiver, name)) = method(tree, at) else {
        return (tree.text(tree.child(at, "function")?) == "panic").then(|| Claim::fails("panic", at));
    };
    let base = tree.text(receiver);
    let full = format!("{base}.{name}");
    match name {
        "Error" | "Errorf" | "Fatal" | "Fatalf" | "Fail" | "FailNow"
            if is_handle(base) || is_handle_at(tree, receiver) =>
        {
            return Some(Claim::fails(&full, at));
        }
        _ => {}
    }
    match base {
        // `assert.New(t)` expects nothing yet.
        "assert" | "require" | "is" if name == "New" => None,
        "assert" | "require" | "is" | "qt" | "c" | "td" | "cmp" => {
            if matches!(name, "Fail" | "FailNow" | "Failf") {
                return Some(Claim::fails(&full, at));
            }
            let handle = |span: &Span| is_handle(tree.span_text(span));
            let subjects: Vec<Span> = given.into_iter().filter(|span| !handle(span)).collect();
            let count = match name {
                "True" | "False" | "Nil" | "NotNil" | "NoError" | "Error" | "Empty" | "NotEmpty" | "Zero" => {
                    1
                }
                _ => 2,
            };
            let subjects: Vec<Span> = subjects.into_iter().take(count).collect();
            Some(match name {
                "Equal" | "EqualValues" | "Exactly" => Claim::compares(&full, at, subjects),
                _ => Claim::holds(&full, at, subjects),
            })
        }
        // Gomega: `Expect(f()).To(Equal(1))`.
        _ if base.contains("Expect(") || base.contains("Ω(") => {
            Some(Claim::holds(name, at, vec![tree.span(at)]))
        }
        _ => None,
    }
}

/// Whether this is the value by which a test fails, by the type of the parameter or by its usual name.
pub(super) fn is_handle_at(tree: &Tree<'_>, at: usize) -> bool {
    let text = tree.text(at);
    match tree.kind(at) {
        "call_expression" => text.ends_with(".T()"),
        "identifier" => text == "t" || has_handle_type(tree, at, text),
        "selector_expression" => matches!(text.rsplit('.').next(), Some("t" | "T" | "tb")),
        _ => false,
    }
}

fn has_handle_type(tree: &Tree<'_>, at: usize, name: &str) -> bool {
    let functions = tree.ancestors(at).filter(|around| is_function(tree.kind(*around)));
    let lists = functions.filter_map(|around| tree.child(around, "parameters"));
    let declared = lists.flat_map(|list| tree.parts(list).collect::<Vec<_>>()).find(|part| {
        tree.children(*part).any(|child| tree.kind(child) == "identifier" && tree.text(child) == name)
    });
    let kind = declared.and_then(|part| tree.child(part, "type")).map(|kind| tree.text(kind));
    kind.is_some_and(|kind| {
        let last = kind.rsplit('.').next().unwrap_or(kind);
        kind.contains("testing.") || matches!(last, "TB" | "T" | "C" | "TestingT" | "GinkgoTInterface")
    })
}

/// `t.Run(…)`, `t.Helper()`: a method of that value which expects nothing.
pub(super) fn is_plain_handle_call(tree: &Tree<'_>, at: usize) -> bool {
    method(tree, at).is_some_and(|(receiver, name)| {
        let says_nothing = matches!(
            name,
            "Run"
                | "Log"
                | "Logf"
                | "Helper"
                | "Parallel"
                | "Cleanup"
                | "Setenv"
                | "TempDir"
                | "Name"
                | "Skip"
                | "Skipf"
                | "SkipNow"
                | "Context"
                | "Deadline"
                | "Chdir"
                | "Failed"
                | "Skipped"
                | "Add"
                | "Fuzz"
        );
        says_nothing && is_handle_at(tree, receiver)
    })
}

/// The value by which a test tells that it failed, by the names that everybody gives it.
fn is_handle(name: &str) -> bool {
    matches!(name, "t" | "tt" | "b" | "tb" | "f" | "c" | "T" | "s.T()" | "suite.T()" | "st" | "subt")
}
