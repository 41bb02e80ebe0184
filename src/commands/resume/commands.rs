//! The commands of a run that is gone on with: as the journal has them, or found again where they hold a
//! secret, because the journal has none.

use crate::cli::ResumeArgs;
use crate::settings::Settings;
use crate::text::mask::{MASKED, Mask};
use crate::world::config_file;
use crate::world::project::Place;
use crate::world::project_commands::{self, Chosen};
use tdd_core::commands::{CommandSettings, ProjectCommands, Suite};
use tdd_core::event::RunStarted;
use tdd_core::harmless::shell_word;
use tdd_core::trouble::Trouble;

/// What the run tests with. A command without a secret is as it was when the run began, whatever is set now.
///
/// # Errors
/// A command held a secret, and none is found that was masked to the same words.
pub(super) fn of_run(
    args: &ResumeArgs,
    begun: &RunStarted,
    (place, settings): (&Place, &Settings),
    mask: &Mask,
) -> Result<Chosen, Trouble> {
    let kept = &begun.commands;
    refuse_others(args, begun)?;
    let table = settings.commands.runner.clone();
    if !holds_secret(&kept.test) && !holds_secret(&kept.gate) {
        return Ok(Chosen { commands: kept.clone(), table });
    }
    let named = CommandSettings {
        flag_test: named(args.test.as_deref(), &kept.test),
        flag_gate: named(args.gate.as_deref(), &kept.gate),
        ..settings.commands.clone()
    };
    let found = project_commands::choose(&place.project, &named);
    let masked =
        found.as_ref().ok().map(|found| found.commands.clone().with_words(|text| mask.apply(text).into()));
    let is_found =
        |of: fn(&ProjectCommands) -> &String| masked.as_ref().is_some_and(|now| of(now) == of(kept));
    let lost = [(Suite::Test, is_found(|all| &all.test)), (Suite::Gate, is_found(|all| &all.gate))];
    let lost = lost.into_iter().find(|(suite, is_found)| holds_secret(of(kept, *suite)) && !is_found);
    match (found, lost) {
        (Ok(found), None) => {
            let as_found = |suite| {
                if holds_secret(of(kept, suite)) { of(&found.commands, suite) } else { of(kept, suite) }
            };
            let (test, gate) = (as_found(Suite::Test).clone(), as_found(Suite::Gate).clone());
            let table = if holds_secret(&kept.test) { found.table } else { table };
            Ok(Chosen { commands: ProjectCommands { test, gate, ..kept.clone() }, table })
        }
        (Err(trouble), None) => Err(trouble),
        (_, Some((suite, _))) => Err(not_found(begun, suite, masked.as_ref())),
    }
}

/// Whether something of the command is not in the journal.
fn holds_secret(command: &str) -> bool {
    command.contains(MASKED)
}

fn of(commands: &ProjectCommands, suite: Suite) -> &String {
    match suite {
        Suite::Test => &commands.test,
        Suite::Gate => &commands.gate,
    }
}

fn source(commands: &ProjectCommands, suite: Suite) -> &String {
    match suite {
        Suite::Test => &commands.test_source,
        Suite::Gate => &commands.gate_source,
    }
}

/// What is looked for: as it is said now, else as it was; a secret is looked for in the settings.
fn named(flag: Option<&str>, kept: &str) -> Option<String> {
    flag.or((!holds_secret(kept)).then_some(kept)).map(str::to_owned)
}

/// `--test` and `--gate` say a command again; they are no way to another one, and what was copied from a
/// report lacks the secret.
fn refuse_others(args: &ResumeArgs, begun: &RunStarted) -> Result<(), Trouble> {
    for (suite, said) in [(Suite::Test, &args.test), (Suite::Gate, &args.gate)] {
        let (flag, kept) = (flag(suite), of(&begun.commands, suite));
        let Some(said) = said else { continue };
        if !holds_secret(kept) && said != kept {
            return Err(Trouble::user(format!(
                "{flag}: a run goes on with the commands that it was begun with"
            ))
            .because(format!("its {} command is `{kept}`", name(suite)))
            .advise(format!("go on without the flag: tdd resume {}", begun.run)));
        }
        if holds_secret(kept) && said.contains(MASKED) {
            return Err(Trouble::user(format!("{flag}: `{MASKED}` stands in the secret's place"))
                .advise("say the command with the secret itself"));
        }
    }
    Ok(())
}

/// Who has edited the command in `tdd.yaml` after a halt means it; that nothing comes of it would be found out by more
/// attempts.
pub(super) fn refuse_edited(begun: &RunStarted, settings: &Settings) -> Result<(), Trouble> {
    let now = [(Suite::Test, &settings.commands.file_test), (Suite::Gate, &settings.commands.file_gate)];
    for (suite, now) in now {
        let kept = of(&begun.commands, suite);
        let source = source(&begun.commands, suite);
        let Some(now) = now.as_ref().filter(|now| *now != kept && source == config_file::NAME) else {
            continue;
        };
        if holds_secret(kept) {
            continue;
        }
        let (run, requirement) = (&begun.run, &begun.requirement.id);
        return Err(Trouble::user(format!("{source} names another {} command now", name(suite)))
            .because(format!("a run goes on with the one that it was begun with: `{kept}`, not `{now}`"))
            .advise(format!(
                "begin anew with it: tdd undo {run}, then tdd {requirement} --new\n\
                 or put the line back as it was, and go on: tdd resume {run} --edited"
            )));
    }
    Ok(())
}

fn not_found(begun: &RunStarted, suite: Suite, now: Option<&ProjectCommands>) -> Trouble {
    let (name, flag, kept) = (name(suite), flag(suite), of(&begun.commands, suite));
    let source = source(&begun.commands, suite);
    let found = match now {
        Some(now) => format!("what is found now is `{}`", of(now, suite)),
        None => "and no command is found now".to_owned(),
    };
    Trouble::user(format!("the {name} command of the run holds a secret, which is kept nowhere"))
        .because(format!("it was `{kept}` ({source}); {found}"))
        .advise(format!(
            "say it again with the secret in the place of {MASKED}: tdd resume {} {flag} {}\n\
             where it stood in a file, make that as it was; where it is the value of a variable of your shell, \
             set that; then: tdd resume {0}",
            begun.run,
            shell_word(kept)
        ))
}

fn name(suite: Suite) -> &'static str {
    match suite {
        Suite::Test => "test",
        Suite::Gate => "gate",
    }
}

fn flag(suite: Suite) -> &'static str {
    match suite {
        Suite::Test => "--test",
        Suite::Gate => "--gate",
    }
}
