//! What `tdd --help` says: commands by what they are for, flags by what they bound, examples, exit codes.

mod pages;

use std::fmt::Write as _;

use clap::{Command, CommandFactory as _, FromArgMatches as _};

use super::Cli;

/// Headings of flags.
pub(super) const WHAT: &str = "What is run";
pub(super) const HOW: &str = "How it goes on";
pub(super) const CAPS: &str = "What agents may use";
pub(super) const HELD: &str = "How agents are held";
pub(super) const TOLD: &str = "What is printed";

/// Every command of a person's, by what it is for.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Work", &["run", "resume", "wait", "fix", "gate", "mcp", "mdtest", "demo"]),
    ("Judge, and go back", &["review", "undo", "clean"]),
    ("Look", &["status", "log", "show", "report", "diff", "matrix", "why", "corpus"]),
    (
        "Set up",
        &["init", "new", "doctor", "config", "criteria", "explain", "schema", "completions", "man", "parse"],
    ),
];

const AFTER: &str = "\
Examples:
  tdd demo                        the whole cycle on a small project, no agent
  tdd init                        set this project up
  tdd STE-12                      take the requirement STE-12 to green
  tdd STE-12 --only AC-STE-12.1   one criterion of it
  tdd --all --keep-going          every requirement that is not finished
  tdd review                      judge the run that halted last
  tdd fix                         run the checks, and have an agent mend what fails

Exit codes of a run:
  0   every criterion is green, as measured
  1   halted: the report says why, and what can be done
  2   the set-up or the command line is wrong; nothing was changed
  3   paused: `tdd resume` goes on
  4   finished, but not every criterion is verified
  70  a bug in tdd
  128 + the signal's number if a signal stopped it

`tdd COMMAND --help` says more.";

/// The command line with all this.
pub(super) fn command() -> Command {
    let mut command = pages::told(Cli::command());
    let listed = listed(&command);
    command.build();
    // They are listed above, and not once more.
    command
        .mut_subcommands(|one| one.hide(true))
        .override_usage("tdd [OPTIONS] [FR]...\n       tdd <COMMAND>")
        .help_template(format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{listed}\n{{all-args}}\n\n{AFTER}\n"
        ))
}

/// The same with every command in sight.
pub(super) fn whole() -> Command {
    pages::told(Cli::command())
}

/// What was typed, read by that command line.
pub(super) fn parse(words: Vec<std::ffi::OsString>) -> Result<Cli, clap::Error> {
    Cli::from_arg_matches(&command().try_get_matches_from(words)?)
}

fn listed(command: &Command) -> String {
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "{title}:");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {name:<12}{about}");
        }
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        listed.sort_unstable();
        let command = Cli::command();
        let mut there: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        there.sort_unstable();
        assert_eq!(listed, there);
        let help = super::command().render_help().to_string();
        assert_eq!(help.matches("Take a requirement through RED").count(), 1, "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        for heading in [WHAT, HOW, CAPS, HELD, TOLD, "Examples:", "Exit codes"] {
            assert!(help.contains(heading), "{heading}: {help}");
        }
    }
}
