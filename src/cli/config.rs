//! The flags of `tdd config`.

use clap::Args;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Settings are looked for in this order; the first that says something holds:
  flags
  TDD_SANDBOX, for the sandbox
  tdd.yaml of the project
  your own settings: tdd/tdd.yaml in $XDG_CONFIG_HOME, else in ~/.config
  for the commands: CLAUDE.md, AGENTS.md, and what the project's own files tell

Your own settings hold agent, roles, agents and max_… for all projects; the rest is a project's.

Exit codes:
  0   printed
  2   a file can't be used; it is said why
  70  a bug in tdd")]
pub struct ConfigArgs {
    /// Print one JSON object a line: {"type":"setting","key":…,"value":…,"from":…}.
    #[arg(long)]
    pub json: bool,
}
