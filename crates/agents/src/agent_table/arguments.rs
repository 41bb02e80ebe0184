//! Command lines, as the tables write them.
//!
//! ```text
//! argv     = [ item, … ] ;  the first item is the program
//! item     = argument | group | case
//! group    = [ argument, … ]                  left out as a whole when a placeholder has no value
//! case     = { first: items } | { resume: items } | { own_sandbox: items } | { no_own_sandbox: items },
//!            or several of these keys at once
//! items    = [ argument | group, … ]
//! ```
//!
//! `first` is there when a session begins and `resume` when one goes on, so that one list says both
//! and nothing stands twice. The sandbox cases go by the table's own `own_sandbox`.

use serde_yaml::Value;

use super::OwnSandbox;
use super::template::{Argument, Argv, Template};
use tdd_core::trouble::Trouble;
use tdd_spec::strict::{Table, about, list, text};

/// Both ways of a start: a new session, and going on with one.
pub(super) struct Starts {
    pub(super) first: Argv,
    pub(super) resume: Option<Argv>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    First,
    Resume,
}

const CASES: [&str; 4] = ["first", "resume", "own_sandbox", "no_own_sandbox"];

pub(super) fn starts(map: &Table<'_>, own_sandbox: OwnSandbox) -> Result<Starts, Trouble> {
    let at = map.at("argv");
    let Some(value) = map.get("argv") else {
        return Err(about(map.path(), "has no `argv`")
            .because("without it nothing can be started")
            .advise("add argv: [\"program\", \"{prompt_file}\"]"));
    };
    let first = argv(&at, value, Start::First, own_sandbox)?;
    let says_both = list(&at, value)?.iter().any(|item| item.get("first").or(item.get("resume")).is_some());
    let resume_at = map.at("resume_argv");
    match map.get("resume_argv") {
        Some(_) if says_both => Err(about(&resume_at, "is said twice")
            .because(format!("`{at}` says by `first:` and `resume:` how a session goes on"))
            .advise("take one of them out")),
        Some(value) => {
            Ok(Starts { first, resume: Some(argv(&resume_at, value, Start::Resume, own_sandbox)?) })
        }
        None if says_both => {
            Ok(Starts { first, resume: Some(argv(&at, value, Start::Resume, own_sandbox)?) })
        }
        None => Ok(Starts { first, resume: None }),
    }
}

/// A command line without cases that tell a first start from another.
pub(super) fn plain(at: &str, value: &Value) -> Result<Argv, Trouble> {
    argv(at, value, Start::First, OwnSandbox::Off)
}

/// One way of a start, with the cases that go by the agent's own sandbox.
pub(super) fn sandboxed(at: &str, value: &Value, own_sandbox: OwnSandbox) -> Result<Argv, Trouble> {
    argv(at, value, Start::First, own_sandbox)
}

fn argv(at: &str, value: &Value, start: Start, own_sandbox: OwnSandbox) -> Result<Argv, Trouble> {
    let items = list(at, value)?;
    let empty_program = matches!(items.first(), Some(Value::String(program)) if program.is_empty());
    if items.is_empty() || empty_program {
        return Err(about(at, "is empty")
            .because("its first item must be the program")
            .advise("for example argv: [\"python3\", \"agent.py\", \"{prompt_file}\"]"));
    }
    let mut arguments = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let at = format!("{at}[{index}]");
        if index == 0 {
            arguments.push(Argument::One(one(&at, item)?));
        } else if item.is_mapping() {
            arguments.extend(case(&at, item, start, own_sandbox)?);
        } else {
            arguments.push(argument(&at, item)?);
        }
    }
    Ok(Argv(arguments))
}

fn case(at: &str, item: &Value, start: Start, own_sandbox: OwnSandbox) -> Result<Vec<Argument>, Trouble> {
    let case = Table::open(at, item, &CASES)?;
    let mut arguments = Vec::new();
    for (key, applies) in [
        ("first", start == Start::First),
        ("resume", start == Start::Resume),
        ("own_sandbox", own_sandbox == OwnSandbox::On),
        ("no_own_sandbox", own_sandbox == OwnSandbox::Off),
    ] {
        // What does not apply is read too, so that what is wrong in it is told.
        let read = case.get(key).map(|value| in_case(&case.at(key), value)).transpose()?;
        arguments.extend(read.filter(|_| applies).into_iter().flatten());
    }
    Ok(arguments)
}

fn in_case(at: &str, value: &Value) -> Result<Vec<Argument>, Trouble> {
    let items = list(at, value)?.iter().enumerate();
    items.map(|(index, item)| argument(&format!("{at}[{index}]"), item)).collect()
}

fn argument(at: &str, item: &Value) -> Result<Argument, Trouble> {
    match item.as_sequence() {
        Some(group) if !group.is_empty() => {
            group.iter().map(|item| one(at, item)).collect::<Result<Vec<_>, _>>().map(Argument::Group)
        }
        Some(_) | None => one(at, item).map(Argument::One),
    }
}

fn one(at: &str, item: &Value) -> Result<Template, Trouble> {
    text(at, item).and_then(|text| Template::read(at, &text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(yaml: &str, own_sandbox: OwnSandbox) -> Result<(Vec<String>, Option<Vec<String>>), Trouble> {
        let value: Value = serde_yaml::from_str(yaml).unwrap();
        let map = Table::open("agents.mine", &value, &["argv", "resume_argv"])?;
        let starts = starts(&map, own_sandbox)?;
        let fill = |argv: &Argv| argv.fill(&|what| Some(what.name().to_owned())).unwrap();
        Ok((fill(&starts.first), starts.resume.as_ref().map(fill)))
    }

    #[test]
    fn one_list_says_how_a_session_begins_and_goes_on() {
        let (off, on) = (OwnSandbox::Off, OwnSandbox::On);
        for (yaml, sandbox, first, resume) in [
            ("argv: [a, b]", off, "a b", None),
            (
                "argv: [a, {first: [-n, '{session}'], resume: [-r, '{session}']}, z]",
                off,
                "a -n session z",
                Some("a -r session z"),
            ),
            ("argv: [a, {resume: [-r]}]", off, "a", Some("a -r")),
            ("argv: [a, {first: [[-m, '{model}']]}]", off, "a -m model", Some("a")),
            ("argv: [a, {own_sandbox: [--box], no_own_sandbox: [--bare]}]", off, "a --bare", None),
            ("argv: [a, {own_sandbox: [--box], no_own_sandbox: [--bare]}]", on, "a --box", None),
            ("argv: [a]\nresume_argv: [a, {own_sandbox: [--box]}, r]", on, "a", Some("a --box r")),
        ] {
            let (begins, goes_on) = read(yaml, sandbox).unwrap();
            assert_eq!(begins.join(" "), first, "{yaml}");
            assert_eq!(goes_on.map(|argv| argv.join(" ")).as_deref(), resume, "{yaml}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_case_is_named() {
        for (yaml, what) in [
            ("argv: [a, {firts: [b]}]", "firts` is not known"),
            ("argv: [a, {first: b}]", "agents.mine.argv[1].first"),
            ("argv: [a, {own_sandbox: ['{nope}']}]", "{nope}"),
            ("argv: [{first: [a]}]", "agents.mine.argv[0]"),
            ("argv: [a, {resume: [b]}]\nresume_argv: [a]", "said twice"),
        ] {
            let trouble = read(yaml, OwnSandbox::Off).unwrap_err();
            assert!(trouble.what.contains(what), "{yaml}: {trouble}");
        }
    }
}
