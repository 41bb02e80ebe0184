//! The flags of `tdd fix`.

use std::path::PathBuf;

use clap::Args;

use super::{CapArgs, IsolationArgs, OutputArgs};

#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "\
The checks are those that are named, else those of `fix: checks:` in tdd.yaml, else what the project's own
files tell: a type check (tsc --noEmit, cargo check, mypy, go vet), the test command, the gate command.

Exit codes:
  0   every check passes, by runs of tdd's own; or there was nothing to check, and it says so
  1   halted: the retries are spent, or the agent did not answer; the best state is kept
  2   set-up or usage error: no checks, no agent; nothing was changed
  3   paused: a usage limit, a cap, the agent vanished; the best state is kept, run it again
  70  a bug in tdd
  129, 130, 131, 143  stopped by a signal; the best state is kept")]
pub struct FixArgs {
    /// How often an agent is asked: 0 to 20, 3 if nothing is said; 0 only runs the checks.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=20))]
    pub max_retries: Option<u8>,
    /// A command that has to pass; may be repeated. Instead of all others.
    #[arg(long = "check", value_name = "COMMAND")]
    pub checks: Vec<String>,
    /// The agent program: auto, claude, codex, gemini, opencode, pi, or a name from tdd.yaml.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The title of the task whose work is mended; a prompt begins with it.
    #[arg(long, value_name = "TEXT")]
    pub task: Option<String>,
    /// What the agent before said last; `-` reads stdin. The first prompt quotes its beginning.
    #[arg(long, value_name = "FILE")]
    pub previous: Option<PathBuf>,
    /// The work is what differs from this commit: if those are only documents, nothing is checked.
    #[arg(long, value_name = "COMMIT", default_value = "HEAD")]
    pub since: String,
    /// Let the agent change test files. Gate files stay protected.
    #[arg(long)]
    pub allow_test_edits: bool,
    /// Deadline of one type check: 60s if nothing is said.
    #[arg(long, value_name = "TIME")]
    pub type_deadline: Option<String>,
    /// Deadline of one run of tests or of another command: 2m if nothing is said.
    #[arg(long, value_name = "TIME")]
    pub test_deadline: Option<String>,
    #[command(flatten)]
    pub caps: CapArgs,
    #[command(flatten)]
    pub isolation: IsolationArgs,
    /// A cassette for the scripted agent.
    #[arg(long, value_name = "FILE")]
    pub cassette: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
}
