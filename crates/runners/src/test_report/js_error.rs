//! What kind of red a JavaScript error is (contract section 7), as node, vitest, jest and bun say it.
//!
//! What is absent stands in the words alone, and each runner has its own:
//!
//! ```text
//! module  = "Cannot find module '" PATH "'" [ " imported from " FILE | " from '" FILE "'" | "Require stack:" … ]
//!         | "Failed to resolve import \"" PATH "\" from \"" FILE "\"" …
//! package = "Cannot find package '" NAME "'" …         never the project's own, unless an alias says so
//! export  = "The requested module '" PATH "' does not provide an export named '" NAME "'"
//!         | "Named export '" NAME "' not found. The requested module '" PATH "' is a CommonJS module" …
//!         | "Export named '" NAME "' not found in module '" PATH "'"
//!         | "Module '\"" PATH "\"' has no exported member '" NAME "'" …            all else of TypeScript is its own matter
//! callee  = PATH " is not a function" [ "." … ] | PATH " is not a constructor" [ "." … ]
//! ```
//!
//! In vitest and jest an export that is absent is `undefined`, so that the test runs and throws; a
//! transpiled callee is wrapped (`(0 , __vite_ssr_import_2__.f)`), which is taken off. bun adds an
//! explanation after the sentence. A file that does not load has no error object in node and bun:
//! its reason is in what was printed.

use std::borrow::Cow;

pub use super::js_modules::Project;
use super::js_modules::own_module;
use super::jsonl::Raised;
use super::typescript::{self, Cause};
use super::{failure, quoted};
use tdd_core::terminal_noise;
use tdd_core::test::{Failure, FailureKind};

/// The class of what vitest's type check finds.
const TYPE_CHECK: &str = "TypeCheckError";

/// When the error came up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The file could not be loaded; no test of it ran.
    Loading,
    Running,
}

/// Judges an error. Its class may be missing, as where a runner gives only a text: see [`raised`].
pub fn classify(raised: &Raised, moment: Moment, project: &Project<'_>) -> Failure {
    let said = terminal_noise::clean(raised.message.as_bytes());
    let class = raised.class.as_str();
    let message = if class.is_empty() { said.clone() } else { format!("{class}: {said}") };
    let code = raised.code.as_deref().unwrap_or_default();
    if is_timeout(class, code, &said) {
        return failure(FailureKind::Timeout, &message, None);
    }
    if moment == Moment::Running && is_expectation(class, code, &said) {
        return failure(FailureKind::Assertion, &message, None);
    }
    // Code that works on TypeScript itself may throw such words, too.
    let by_compiler = moment == Moment::Loading || class == "TSError";
    if let Some(failure) = typescript::judge(&message, project).filter(|_| by_compiler) {
        return failure;
    }
    if let Some(absent) = absent(&said, project).or_else(|| checked(class, &said, project)) {
        return failure(FailureKind::Missing, &message, Some(absent));
    }
    let broken = matches!(code, "ERR_MODULE_NOT_FOUND" | "MODULE_NOT_FOUND" | "BABEL_PARSE_ERROR")
        || class == "SyntaxError"
        || said.starts_with("Cannot find module ")
        || said.starts_with("Cannot find package ");
    match moment {
        Moment::Running if !broken => match (class, callee(&said)) {
            ("TypeError" | "", Some(callee)) => failure(FailureKind::Missing, &message, Some(callee)),
            _ => failure(FailureKind::Error, &message, None),
        },
        // A module whose top level calls what is absent does not load because of that alone.
        Moment::Loading if !broken && class == "TypeError" => match callee(&said) {
            Some(callee) => failure(FailureKind::Missing, &message, Some(callee)),
            None => failure(FailureKind::Load, &message, None),
        },
        Moment::Loading | Moment::Running => failure(FailureKind::Load, &message, None),
    }
}

/// An error as a runner prints it: `TypeError [CODE]: words`, or words alone. Lines that follow
/// with `at …` are a stack and no part of it.
pub fn raised(text: &str) -> Raised {
    let text = terminal_noise::clean(text.as_bytes());
    let message = text.split("\n    at ").next().unwrap_or_default().trim();
    let (head, rest) = message.split_once(": ").unwrap_or(("", message));
    let (class, code) = match head.split_once(" [") {
        Some((class, code)) => (class, code.strip_suffix(']')),
        None => (head, None),
    };
    let is_class = class.chars().all(char::is_alphanumeric)
        && ["Error", "Exception"].iter().any(|tail| class.ends_with(tail));
    if !is_class {
        return Raised { message: message.to_owned(), ..Raised::default() };
    }
    let code = code.map(str::to_owned);
    Raised { class: class.to_owned(), message: rest.to_owned(), code, ..Raised::default() }
}

/// Judges a file that died while it was loading, from what it printed: the first line that names
/// an error, or bun's `error: words`.
pub fn load_failure(output: &str, project: &Project<'_>) -> Failure {
    let said = output.lines().map(|line| line.strip_prefix("error: ").unwrap_or(line)).find(|line| {
        let error = raised(line);
        !error.class.is_empty() || line.starts_with("Cannot find ")
    });
    match said {
        Some(said) => classify(&raised(said), Moment::Loading, project),
        None => failure(FailureKind::Load, output, None),
    }
}

fn is_timeout(class: &str, code: &str, said: &str) -> bool {
    let begins = [
        "Test timed out in ",
        "Hook timed out in ",
        "Exceeded timeout of ",
        "thrown: \"Exceeded timeout of ",
    ];
    code == "testTimeoutFailure"
        || class == "TimeoutError"
        || begins.iter().any(|words| said.starts_with(words))
}

/// jest's own errors have no class to tell them by; all begin with the call that failed.
fn is_expectation(class: &str, code: &str, said: &str) -> bool {
    let calls = ["expect(", "expect.", "assert.", "assert("];
    class == "AssertionError"
        || class == "JestAssertionError"
        || code == "ERR_ASSERTION"
        || (matches!(class, "" | "Error") && calls.iter().any(|call| said.starts_with(call)))
}

/// What is still to be written: a module's path, or `path#export`.
fn absent(said: &str, project: &Project<'_>) -> Option<String> {
    for opening in ["Cannot find module '", "Cannot find package '"] {
        if let Some((_, rest)) = said.split_once(opening) {
            let path = rest.split('\'').next()?;
            return own_module(path, project).map(Cow::into_owned);
        }
    }
    // jest, of what `moduleNameMapper` leads to.
    if let Some((_, rest)) = said.split_once("Could not locate module ") {
        let (path, mapped) = rest.split_once(" mapped as:")?;
        let (mapped, _) = mapped.split_once("\n\n")?;
        let mut roots = mapped.lines().map(|line| line.trim().trim_start_matches('"'));
        let is_own = roots.any(|root| root.starts_with('/') && own_module(root, project).is_some());
        return is_own.then(|| path.to_owned());
    }
    // vite up to 5, of a package too.
    if let Some((_, rest)) = said.split_once("Failed to load url ") {
        return own_module(rest.split(" (resolved id: ").next()?, project).map(Cow::into_owned);
    }
    // vite, where it makes code for a browser (`jsdom`), as its analysis of imports says it.
    if let Some((_, rest)) = said.split_once("Failed to resolve import ") {
        return own_module(rest.split('"').nth(1)?, project).map(Cow::into_owned);
    }
    let export = |name: &str, module: &str| Some(format!("{}#{name}", own_module(module, project)?));
    if let Some((before, rest)) = said.split_once(" does not provide an export named ") {
        return export(quoted(rest, 0)?, quoted(before, 0)?);
    }
    if let Some((before, rest)) = said.split_once(" has no exported member ") {
        return export(quoted(rest, 0)?, quoted(before, 0)?.trim_matches('"'));
    }
    for opening in ["Named export ", "Export named "] {
        if let Some((_, rest)) = said.split_once(opening) {
            return export(quoted(rest, 0)?, quoted(rest, 1)?);
        }
    }
    None
}

/// What vitest's type check misses, which hands on the words of one diagnostic.
fn checked(class: &str, said: &str, project: &Project<'_>) -> Option<String> {
    let own = |path: &str| own_module(path, project).map(Cow::into_owned);
    match typescript::cause(said, &own) {
        Cause::Absent(name) if class == TYPE_CHECK => Some(name),
        Cause::Absent(_) | Cause::Shape | Cause::Slip | Cause::Other => None,
    }
}

/// What was called and is none: `core.nope`, with what a transpiler put around it taken off.
fn callee(said: &str) -> Option<String> {
    let line = said.lines().next()?;
    let tails = [" is not a function", " is not a constructor"];
    let called = tails.iter().find_map(|tail| {
        let (called, rest) = line.split_once(tail)?;
        (rest.is_empty() || rest.starts_with('.')).then_some(called.trim())
    })?;
    let called = called.strip_prefix("(0 , ").or_else(|| called.strip_prefix("(0, ")).unwrap_or(called);
    let called = called.trim_end_matches(')');
    let plain = match called.split_once("__.") {
        Some((head, name)) if head.starts_with("__vi") => name,
        Some(_) | None => called,
    };
    (!plain.is_empty()).then(|| plain.to_owned())
}

#[cfg(test)]
#[path = "js_error_tests.rs"]
mod tests;
