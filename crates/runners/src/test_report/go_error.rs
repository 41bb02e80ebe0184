//! What kind of red a Go error is (contract section 7).
//!
//! `go test` and `go vet` print what keeps a package from being built as text on standard error:
//!
//! ```text
//! said    = { header | error | more | other }
//! header  = "# " PACKAGE [ " [" PACKAGE ".test]" ] NL
//! error   = [ "vet: " ] FILE ":" LINE [ ":" COLUMN ] ": " WORDS NL
//! more    = TAB WORDS NL                               what the error above has and wants
//! ```
//!
//! All errors of a package are classified, not the first. The compiler stops after ten of them and
//! says "too many errors", unless it is called with `-gcflags=-e`.

use super::{failure, missing, quoted};
use tdd_core::test::{Failure, FailureKind};

/// One line of the compiler, of vet, or of the loader of packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// The package of the header above it, as an import path; empty without one.
    pub package: String,
    /// As printed: relative to where go ran, or absolute.
    pub file: String,
    pub line: u32,
    /// The words, with the lines that go on with them.
    pub message: String,
}

/// Errors of one run are counted up to here.
const ERROR_CAP: usize = 10_000;

/// Reads what go printed. Lines of no such form are somebody's prints.
pub fn errors(said: &str) -> Vec<BuildError> {
    let mut package = String::new();
    let mut found: Vec<BuildError> = Vec::new();
    let mut goes_on = false;
    for line in said.lines() {
        if let Some(header) = line.strip_prefix("# ") {
            header.split(' ').next().unwrap_or_default().clone_into(&mut package);
            goes_on = false;
        } else if let (Some(more), true, Some(last)) = (line.strip_prefix('\t'), goes_on, found.last_mut()) {
            last.message.push('\n');
            last.message.push_str(more);
        } else if let Some(error) = error(line, &package).filter(|_| found.len() < ERROR_CAP) {
            found.push(error);
            goes_on = true;
        } else {
            goes_on = false;
        }
    }
    found
}

/// Folders of which go says that they hold tests alone; it names nobody who imports what is not there yet.
pub fn without_code(said: &str) -> impl Iterator<Item = &str> {
    said.lines().filter_map(|line| Some(line.split_once("no non-test Go files in ")?.1.trim_end()))
}

/// Whether all that is wrong is that a package of this import path is of no use; of all its names (`import .`) go has
/// said so in other words.
pub fn is_unused(message: &str, import: &str) -> bool {
    let quoted = format!("\"{import}\"");
    let named = message
        .strip_prefix(&quoted)
        .is_some_and(|rest| rest.starts_with(" imported ") && rest.ends_with("and not used"));
    named || message.strip_prefix("imported and not used: ") == Some(&quoted)
}

fn error(line: &str, package: &str) -> Option<BuildError> {
    let line = line.strip_prefix("vet: ").unwrap_or(line);
    let (file, rest) = line.split_once(".go:")?;
    let (number, rest) = rest.split_once(':')?;
    let (column, message) = rest.split_once(' ')?;
    let column = column.trim_end_matches(':');
    let plain = column.chars().all(|digit| digit.is_ascii_digit()) && !file.contains(char::is_whitespace);
    Some(BuildError {
        package: package.to_owned(),
        file: format!("{file}.go"),
        line: number.parse().ok().filter(|_| plain)?,
        message: message.to_owned(),
    })
}

/// Judges all errors that keep one file (or package) from being built. `module` is the module's
/// path in `go.mod`; `own` says whether a package of this name, as a source spells it before a dot,
/// is the project's own.
pub fn classify(errors: &[&BuildError], module: &str, own: &dyn Fn(&str) -> bool) -> Failure {
    let mut is_missing = false;
    let mut absent = Vec::new();
    for error in errors {
        match cause(&error.message, module, own) {
            Cause::Missing(name) => {
                is_missing = true;
                absent.extend(name);
            }
            Cause::Follows => {}
            Cause::Load => return failure(FailureKind::Load, &shown(error), None),
        }
    }
    let message: Vec<String> = errors.iter().map(|error| shown(error)).collect();
    let message = message.join("\n");
    if is_missing { missing(&message, absent) } else { failure(FailureKind::Load, &message, None) }
}

fn shown(error: &BuildError) -> String {
    format!("{}:{}: {}", error.file, error.line, error.message)
}

/// Judges a test that ran and failed, by what it printed.
pub fn test_failure(output: &str) -> Failure {
    let mut lines = output.lines().map(str::trim_start);
    let fatal = lines.find(|line| line.starts_with("panic: ") || line.starts_with("fatal error: "));
    let kind = match fatal {
        Some(line) if line.starts_with("panic: test timed out after ") => FailureKind::Timeout,
        Some(line) if line.starts_with("fatal error: ") => FailureKind::Crash,
        Some(_) => FailureKind::Error,
        None => FailureKind::Assertion,
    };
    failure(kind, fatal.unwrap_or(output), None)
}

enum Cause {
    Missing(Option<String>),
    /// Comes of another error, or says only that there are more.
    Follows,
    Load,
}

fn cause(message: &str, module: &str, own: &dyn Fn(&str) -> bool) -> Cause {
    if let Some((plain, path)) = without_a_path(message) {
        let is_own = is_within(&path, module);
        return cause(&plain, module, &|_| is_own);
    }
    let first = message.lines().next().unwrap_or_default();
    if first == "too many errors" {
        return Cause::Follows;
    }
    if let Some(package) = absent_package(first) {
        return if is_within(package, module) {
            Cause::Missing(Some(package.to_owned()))
        } else {
            Cause::Load
        };
    }
    if let Some(name) = absent_name(first).or_else(|| missing_method(message)) {
        return if is_writable(&name, own) { Cause::Missing(Some(name)) } else { Cause::Load };
    }
    match of_another_shape(first) {
        Some(name) if is_writable(name, own) => Cause::Missing(None),
        Some(_) | None => Cause::Load,
    }
}

/// Where two packages are called alike go spells a type by the path of its package, in quotes: the message with all of
/// the first one's by its name, and the path. `type "example.com/errors".List has no field or method Join`
fn without_a_path(message: &str) -> Option<(String, String)> {
    let mut at = 0;
    loop {
        let opens = at + message.get(at..)?.find('"')? + 1;
        let closes = opens + message.get(opens..)?.find('"')?;
        let path = &message[opens..closes];
        let is_type = message[closes..].strip_prefix("\".").is_some_and(|rest| {
            rest.starts_with(|first: char| first.is_alphabetic()) && !path.contains(char::is_whitespace)
        });
        if is_type && !path.is_empty() {
            let name = path.rsplit('/').next().unwrap_or(path);
            return Some((message.replace(&format!("\"{path}\"."), &format!("{name}.")), path.to_owned()));
        }
        at = closes + 1;
    }
}

fn is_within(package: &str, module: &str) -> bool {
    let within = package.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    within && !module.is_empty()
}

/// A package that go finds nowhere.
fn absent_package(line: &str) -> Option<&str> {
    let standard = line.strip_prefix("package ").and_then(|rest| {
        let (package, rest) = rest.split_once(' ')?;
        rest.starts_with("is not in ").then_some(package)
    });
    let required = ["no required module provides package ", "cannot find module providing package "];
    let required = required.iter().find_map(|opening| line.strip_prefix(opening));
    standard.or_else(|| required?.split([';', ':', ' ']).next())
}

/// What the compiler misses, as the source spells it: `F`, `core.F`, `T.Method`.
fn absent_name(line: &str) -> Option<String> {
    if let Some(name) = line.strip_prefix("undefined: ") {
        return Some(name.to_owned());
    }
    // vet says the same in its own words.
    if let Some((name, package)) = line.split_once(" not declared by package ") {
        return Some(format!("{package}.{name}"));
    }
    if let Some((_, why)) = line.split_once(" undefined (type ") {
        let (owner, rest) = why.split_once(" has no field or method ")?;
        let name = rest.split([')', ',']).next()?;
        return Some(format!("{}.{name}", owner.trim_start_matches('*')));
    }
    if let Some(rest) = line.strip_prefix("unknown field ") {
        // 1.19 quotes the name, later ones do not.
        let (name, owner) = rest.split_once(" in struct literal")?;
        let name = quoted(name, 0).unwrap_or(name);
        return Some(
            format!("{}.{name}", owner.trim_start_matches(" of type ")).trim_matches('.').to_owned(),
        );
    }
    None
}

/// "*Cart does not implement fmt.Stringer (missing method String)"; up to 1.19 in a line of its own, and "(missing String
/// method)".
fn missing_method(message: &str) -> Option<String> {
    let (before, rest) = message.split_once("(missing ")?;
    let (rest, _) = rest.split_once(')')?;
    let name = rest.strip_prefix("method ").or_else(|| rest.strip_suffix(" method"))?;
    let (owner, _) = before.split_once(" does not implement ")?;
    let owner = owner.rsplit(char::is_whitespace).next()?.trim_start_matches('*');
    Some(format!("{owner}.{name}"))
}

/// What is there and has another shape than the test wants: a parameter more, another result, another type. Its name, or
/// an empty text where the compiler names nothing of it.
fn of_another_shape(line: &str) -> Option<&str> {
    for opening in ["too many arguments in call to ", "not enough arguments in call to "] {
        if let Some(name) = line.strip_prefix(opening) {
            return Some(name);
        }
    }
    // "assignment mismatch: 2 variables but core.F returns 1 value"
    if let Some((_, rest)) =
        line.strip_prefix("assignment mismatch: ").and_then(|rest| rest.split_once(" but "))
    {
        return rest.split([' ', '(']).next();
    }
    // Where nothing is called it is the test that compares what can't be compared.
    if let Some((sides, _)) =
        line.strip_prefix("invalid operation: ").and_then(|rest| rest.split_once(" (mismatched types "))
    {
        let called = sides.split('(').next().filter(|_| sides.contains('('))?;
        return called.rsplit([' ', '!', '*', '&']).next();
    }
    if line.contains(" (no value) used as value") {
        return line.split('(').next();
    }
    let used = line.strip_prefix("cannot use ")?;
    // In an argument it is the callee's signature that is still to be changed, else that of what was called. Anything
    // else is a value that the test got wrong itself.
    if let Some((_, callee)) = line.split_once(" in argument to ") {
        return callee.split([':', ' ', '(']).next();
    }
    let (operand, _) = used.split_once(" (value of type ")?;
    operand.ends_with(')').then(|| operand.split('(').next()).flatten()
}

/// What nobody in this project can add: a name of somebody else's package, and a name that is not
/// exported, seen from another package.
fn is_writable(name: &str, own: &dyn Fn(&str) -> bool) -> bool {
    let Some((owner, last)) = name.rsplit_once('.') else { return true };
    let is_type = owner.chars().next().is_some_and(char::is_uppercase);
    let package = owner.split('.').next().unwrap_or(owner);
    if is_type && !owner.contains('.') {
        return true;
    }
    let exported = last.chars().next().is_some_and(char::is_uppercase);
    // `x.field` of a variable is spelt as a name of a package is; only what is known to be neither
    // lower-case nor foreign can be told apart.
    own(package) && (exported || owner.contains('.'))
}

#[cfg(test)]
#[path = "go_error_tests.rs"]
mod tests;
