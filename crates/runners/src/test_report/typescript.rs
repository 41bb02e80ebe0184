//! What TypeScript's compiler says of a file that it does not take, as ts-jest, ts-node, deno and vitest's type check
//! hand it on.
//!
//! ```text
//! diagnostics = { diagnostic | context }
//! diagnostic  = PLACE " - error TS" CODE ": " words        ts-jest, and ts-node where it prints for people
//!             | PLACE ": error TS" CODE ": " words         the same for programs
//!             | "TS" CODE " [ERROR]: " words               deno
//! words       = absent | shape | slip | other
//! ```
//!
//! Words and not codes are read, since vitest hands on the words alone. *Absent* is what is still to be written. *Shape*
//! is what is there and other than the test wants it: a parameter more, a key of an options type. A *slip* is the
//! test's own. Of *other* words nobody knows: beside something absent they are taken to come of that, since what is of
//! no type makes errors of its own; alone the file does not load.

use std::borrow::Cow;

use super::js_modules::{Project, own_module};
use super::{failure, missing, quoted};
use tdd_core::test::{Failure, FailureKind};

/// What one diagnostic comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Absent(String),
    Shape,
    Slip,
    Other,
}

/// Judges all diagnostics in a text; `None` if it holds none.
pub(super) fn judge(said: &str, project: &Project<'_>) -> Option<Failure> {
    let causes: Vec<Cause> =
        said.lines().filter_map(words).map(|(code, words)| of_diagnostic(code, words, project)).collect();
    if causes.is_empty() {
        return None;
    }
    let is_missing = causes.iter().any(|cause| matches!(cause, Cause::Absent(_) | Cause::Shape));
    if !is_missing || causes.contains(&Cause::Slip) {
        return Some(failure(FailureKind::Load, said, None));
    }
    let absent = causes.into_iter().filter_map(|cause| match cause {
        Cause::Absent(name) => Some(name),
        Cause::Shape | Cause::Slip | Cause::Other => None,
    });
    Some(missing(said, absent.collect()))
}

/// Code and words of a line that is a diagnostic.
fn words(line: &str) -> Option<(&str, &str)> {
    // The class of the error may stand before it, which begins the same.
    line.match_indices("TS").take(MOST_MARKS).find_map(|(at, mark)| {
        let (before, rest) = (&line[..at], &line[at + mark.len()..]);
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let code = &rest[..digits];
        let words = match rest[digits..].strip_prefix(" [ERROR]: ") {
            Some(words) => Some(words).filter(|_| before.trim().is_empty() || before.ends_with("error: ")),
            None => rest[digits..].strip_prefix(": ").filter(|_| before.ends_with("error ")),
        };
        words.filter(|_| (4..=5).contains(&code.len())).map(|words| (code, words))
    })
}

/// Places in one line where a code may begin.
const MOST_MARKS: usize = 16;

fn of_diagnostic(code: &str, words: &str, project: &Project<'_>) -> Cause {
    let cause = cause(words, &|path| own_module(path, project).map(Cow::into_owned));
    // Syntax: all else has another first digit or is longer. A default export that is absent is among them.
    let is_syntax = code.len() == 4 && code.starts_with('1') && cause == Cause::Other;
    if is_syntax { Cause::Slip } else { cause }
}

/// `own` gives a module's path if it is the project's.
pub(super) fn cause(words: &str, own: &dyn Fn(&str) -> Option<String>) -> Cause {
    let absent = |name: Option<String>| name.map_or(Cause::Slip, Cause::Absent);
    let first = || quoted(words, 0).map(str::to_owned);
    if let Some(rest) = words.strip_prefix("Cannot find module '") {
        return absent(rest.split('\'').next().and_then(own));
    }
    if let Some((before, rest)) = words.split_once(" has no exported member ") {
        let (home, name) = (quoted(before, 0).unwrap_or_default(), quoted(rest, 0).unwrap_or_default());
        // Of a namespace it is not told whose it is.
        return match before.strip_prefix("Namespace ") {
            Some(_) => Cause::Absent(name.to_owned()),
            None => absent(own(home.trim_matches('"')).map(|path| format!("{path}#{name}"))),
        };
    }
    if words.starts_with("Module '") && words.ends_with(" has no default export.") {
        return absent(
            first().and_then(|home| own(home.trim_matches('"'))).map(|path| format!("{path}#default")),
        );
    }
    // The types of the test runner itself are not installed.
    let is_environment = words.contains("Do you need to install type definitions");
    if ["Cannot find name '", "Cannot find namespace '"].iter().any(|words_of| words.starts_with(words_of)) {
        return if is_environment { Cause::Slip } else { absent(first()) };
    }
    if words.starts_with("Property '") && words.contains("' does not exist on type '")
        || words.starts_with("Object literal may only specify known properties, ")
    {
        return absent(first());
    }
    let is_shape = SHAPES.iter().any(|(begins, holds)| words.starts_with(begins) && words.contains(holds));
    if is_shape { Cause::Shape } else { Cause::Other }
}

/// How a diagnostic begins, and what it holds: about what is there and has another shape.
const SHAPES: &[(&str, &str)] = &[
    ("Expected ", " arguments, but got "),
    ("Expected ", " type arguments, but got "),
    ("Argument of type '", "' is not assignable to parameter of type '"),
    ("Type '", "' is not assignable to type '"),
    ("Type '", "is missing the following properties from type '"),
    ("Type '", " does not satisfy the constraint '"),
    ("Type '", "' is not generic."),
    ("Type '", "' has no call signatures"),
    ("Property '", "' is missing in type '"),
    ("Property '", "' is private and only accessible within class '"),
    ("Property '", "' is protected and only accessible within class '"),
    ("No overload matches this call.", ""),
    ("No overload expects ", " arguments, but overloads do exist"),
    ("This expression is not callable.", ""),
    ("This expression is not constructable.", ""),
    ("Cannot assign to '", "' because it is a read-only property."),
    ("Cannot create an instance of an abstract class.", ""),
    ("Class '", "' incorrectly implements interface '"),
    ("Non-abstract class '", " does not implement "),
    ("This comparison appears to be unintentional because the types '", "' have no overlap."),
    ("Element implicitly has an 'any' type because ", ""),
    ("Module '\"", " locally, but it is not exported."),
];

#[cfg(test)]
#[path = "typescript_tests.rs"]
mod tests;
