//! A command that is a list, or calls one: which call in it is the test runner's.
//!
//! ```text
//! walk = call of a runner            its own line, less what only measures coverage
//!      | script, target, task, list  what it runs, in order, hooks included
//!      | a check                     lints, formats and types: nothing that tests would load
//!      | anything else               may make what the tests load
//! ```
//!
//! The runner's call is the test command and the whole the gate. A list with two runners has no one
//! test command. Where something else stands before the runner, a call of the runner alone could test
//! what an earlier build left: that is for the person to say.

use std::path::Path;

use super::{read, scripts};
use tdd_core::commands::RunnerKind;
use tdd_runners::command_line::{self, harmless, parts};
use tdd_runners::foreign::{self, Foreign};
use tdd_runners::recipe::{self, Recipe};

/// Scripts call scripts this deep at most.
const DEEPEST: usize = 8;
/// Calls that are looked at.
const MOST_CALLS: usize = 200;

/// Who reads what a call tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    Adapter(RunnerKind),
    /// No adapter: by a table.
    Foreign(Foreign),
}

/// One runner's call out of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) command: String,
    pub(super) reader: Reader,
    /// Where it stands: `scripts.test of package.json`, `target test of Makefile`; nothing for the
    /// command itself.
    pub(super) place: Option<String>,
    /// The script that it is a part of, as it is written.
    pub(super) script: String,
}

/// What a command runs, as far as it is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk {
    /// Each other call of a runner once, in order.
    pub(super) runners: Vec<Found>,
    /// What stands before the first runner and may make what it tests.
    pub(super) prepares: Vec<String>,
    /// Calls in all.
    pub(super) calls: usize,
}

impl Walk {
    /// Whether the command is its one runner's call and nothing else.
    pub(super) fn is_plain(&self) -> bool {
        self.calls == 1
    }
}

/// What this command runs; `None` if it can't be followed.
pub(super) fn walk(project: &Path, command: &str) -> Option<Walk> {
    let mut walker = Walker { project, walk: Walk::default(), depth: 0 };
    walker.line(command, "", None)?;
    Some(walker.walk)
}

struct Walker<'a> {
    project: &'a Path,
    walk: Walk,
    depth: usize,
}

impl Walker<'_> {
    /// Follows a line; `before` are words that go before each of its calls.
    fn line(&mut self, line: &str, before: &str, place: Option<&str>) -> Option<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let Some(calls) = parts::calls(line) else { return self.opaque(line, before) };
        for call in calls {
            self.walk.calls += 1;
            if self.walk.calls > MOST_CALLS {
                return None;
            }
            self.call(call, before, (place, line))?;
        }
        self.depth -= 1;
        Some(())
    }

    /// A line whose calls can't be told, as `eclint check $(git ls-files)`: one step, if no runner is in it.
    fn opaque(&mut self, line: &str, before: &str) -> Option<()> {
        let is_runner = |part: &str| {
            let part = format!("{before}{}", part.trim());
            tdd_runners::recognise(&part).is_some()
                || foreign::recognise(&part).is_some()
                || scripts::called_scripts(self.project, &part).is_some()
        };
        if line.contains('\n') || line.split(['&', '|', ';', '(', ')', '`', '$', '{', '}']).any(is_runner) {
            return None;
        }
        self.depth -= 1;
        self.walk.calls += 1;
        if self.walk.runners.is_empty() {
            self.walk.prepares.push(format!("({before}{line})"));
        }
        Some(())
    }

    fn call(&mut self, call: &str, before: &str, (place, line): (Option<&str>, &str)) -> Option<()> {
        let whole = format!("{before}{call}");
        if let Some(scripts) = scripts::called_scripts(self.project, call) {
            self.walk.calls -= 1;
            for script in scripts {
                self.line(&script.line, before, Some(&script.place))?;
            }
            return Some(());
        }
        if let Some((place, recipe)) = self.recipe(call) {
            self.walk.calls -= 1;
            let program = parts::written(call).first().copied().unwrap_or_default().to_owned();
            for need in &recipe.needs {
                self.line(&format!("{program} {need}"), before, Some(&place))?;
            }
            return recipe.lines.iter().try_for_each(|line| self.line(line, before, Some(&place)));
        }
        let reader = |command: &str| {
            let adapter = tdd_runners::recognise(command).map(Reader::Adapter);
            adapter.or_else(|| foreign::recognise(command).map(Reader::Foreign))
        };
        if let Some(reader) = reader(&whole) {
            self.found(whole, reader, (place, line));
            return Some(());
        }
        // `c8 mocha`, `NODE_ENV=test nyc npm run unit`: the wrapper goes, what it runs is followed.
        if let Some((kept, inner)) = command_line::unwrapped(call, &|inner| {
            reader(inner).is_some() || scripts::called_scripts(self.project, inner).is_some()
        }) {
            return self.unwrapped(&format!("{before}{kept}"), &inner, (place, line));
        }
        if !harmless::is_harmless(&whole, &|name| read(self.project, name)) && self.walk.runners.is_empty() {
            self.walk.prepares.push(whole);
        }
        Some(())
    }

    fn unwrapped(&mut self, before: &str, inner: &str, at: (Option<&str>, &str)) -> Option<()> {
        // It is more than the call alone, so it is the gate.
        self.walk.calls += 1;
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        self.call(inner, before, at)?;
        self.depth -= 1;
        Some(())
    }

    fn found(&mut self, command: String, reader: Reader, (place, line): (Option<&str>, &str)) {
        if self.walk.runners.iter().any(|known| known.command == command) {
            return;
        }
        let place = place.map(str::to_owned);
        self.walk.runners.push(Found { command, reader, place, script: line.to_owned() });
    }

    /// What `make`, `just` or `task` runs, if it is written out in the project.
    fn recipe(&self, call: &str) -> Option<(String, Recipe)> {
        type Reads = fn(&str, &str) -> Option<Recipe>;
        let words = command_line::words(call)?;
        let mut words =
            words.iter().map(String::as_str).filter(|word| !matches!(*word, "-s" | "--silent" | "-q"));
        let (program, name) = (words.next()?, words.next()?);
        let (files, kind, reads): (&[&str], &str, Reads) = match program {
            "make" => (&["GNUmakefile", "makefile", "Makefile"], "target", recipe::make),
            "just" => (&["justfile", "Justfile", ".justfile"], "recipe", recipe::just),
            "task" => (&["Taskfile.yml", "Taskfile.yaml", "taskfile.yml"], "task", recipe::task),
            _ => return None,
        };
        if words.next().is_some() || name.starts_with('-') || name.contains('=') {
            return None;
        }
        let (file, text) = files.iter().find_map(|file| Some((file, read(self.project, file)?)))?;
        Some((format!("{kind} {name} of {file}"), reads(&text, name)?))
    }
}
