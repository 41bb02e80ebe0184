//! The command line, as near to the flags as can be: no environment, no files.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub mod config;
pub mod corpus;
pub mod detach;
pub mod fix;
pub mod gate;
mod help;
mod internal;
pub mod look;
pub mod mcp;
pub mod mdtest;
mod output;
mod resume;
pub mod set_up;

pub use internal::{
    AgentArgs, ExecArgs, Internal, Line, ModelServerArgs, Reader, WithinArgs, like_a_command,
};
use mdtest::MdtestArgs;
pub use output::{JsonOf, OutputArgs};
pub use resume::ResumeArgs;

/// Makes test-driven development a fact for coding agents.
#[derive(Debug, Parser)]
#[command(
    name = "tdd",
    version,
    about,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub run: RunArgs,
}

/// The command line with what each command's help tells, for programs that read it.
pub fn whole() -> clap::Command {
    help::whole()
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Take a requirement through RED, GREEN and REFACTOR, as `tdd <FR>` does.
    Run(Box<RunArgs>),
    /// Go on with a run that was stopped, paused or halted.
    Resume(Box<ResumeArgs>),
    /// Wait until a run has ended, and print what it came to.
    Wait(detach::WaitArgs),
    /// Run the checks, and let an agent mend what fails: test, fix, test again.
    Fix(Box<fix::FixArgs>),
    /// Print the acceptance criteria of a requirement.
    Criteria(CriteriaArgs),
    /// Read a child's final message and print its claim, or why it holds none.
    Parse(ParseArgs),
    /// Show where the runs of this repository stand.
    Status(StatusArgs),
    /// Print the journal of a run.
    Log(LogArgs),
    /// Judge a halted run: its cause, its work, and what to do, one key each.
    Review(look::ReviewArgs),
    /// Print the report of a run again.
    Show(look::ShowArgs),
    /// Print what the roles of a run wrote, as a patch.
    Diff(look::DiffArgs),
    /// Print how each test was red, and which attempt turned it green.
    Matrix(look::MatrixArgs),
    /// Write runs as one HTML file, to look at and to pass on.
    Report(look::ReportArgs),
    /// Show what turned a criterion or a test green, with the evidence.
    Why(look::WhyArgs),
    /// Write what runs turned from red to green down for others to learn from, or replay it.
    Corpus(corpus::CorpusArgs),
    /// Bring the work tree back to how it was before a run.
    Undo(UndoArgs),
    /// Remove old runs and their checkpoints.
    Clean(CleanArgs),
    /// Run the whole cycle on a small built-in project with a scripted agent.
    Demo(DemoArgs),
    /// Have an agent carry out tests that are written in Markdown.
    Mdtest(Box<MdtestArgs>),
    /// Hold an agent's session: no edit of code without a red test.
    Gate(Box<gate::GateArgs>),
    /// Offer the gate as tools of an MCP server, for agents without hooks.
    Mcp(mcp::McpArgs),
    /// Set a project up: settings, a first requirement, and a look at what is missing.
    Init(set_up::InitArgs),
    /// Write a requirement, numbered on, with ids in its criteria.
    New(set_up::NewArgs),
    /// Say what a failure mode, an exit code, a red kind or another word means.
    Explain(set_up::ExplainArgs),
    /// Print the JSON schema of what tdd prints for programs, or of tdd.yaml.
    Schema(set_up::SchemaArgs),
    /// Print what makes a shell complete commands and flags.
    Completions(set_up::CompletionsArgs),
    /// Write the manual's pages, one for each command.
    Man(set_up::ManArgs),
    /// Print which settings hold, and where each comes from.
    Config(config::ConfigArgs),
    /// Look for what is in the way of a run, or prove what an agent does.
    Doctor(DoctorArgs),
}

#[derive(Clone, Debug, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "one for each flag; `settings` gives them words")]
pub struct RunArgs {
    /// The requirement: a tracker id (STE-12), a ULID, or a path to its Markdown file.
    #[arg(value_name = "FR")]
    pub requirement: Option<String>,
    /// More of them, one after the other; each after what `depends_on:` in its front matter names.
    #[arg(value_name = "FR", conflicts_with = "detach")]
    pub others: Vec<String>,
    /// Every requirement that no run has finished.
    #[arg(long, conflicts_with_all = ["requirement", "others", "detach"], help_heading = help::WHAT)]
    pub all: bool,
    /// With several requirements: go on with the next though one did not come to its end.
    #[arg(long, help_heading = help::HOW)]
    pub keep_going: bool,
    /// The agent program for all roles: auto, claude, codex, gemini, opencode, pi, or a name from tdd.yaml.
    #[arg(long, value_name = "NAME", help_heading = help::WHAT)]
    pub agent: Option<String>,
    /// The test command, instead of the project's own.
    #[arg(long, value_name = "COMMAND", help_heading = help::WHAT)]
    pub test: Option<String>,
    /// The gate command for REFACTOR, instead of the project's own.
    #[arg(long, value_name = "COMMAND", help_heading = help::WHAT)]
    pub gate: Option<String>,
    /// Print what would be done, and do nothing.
    #[arg(long, conflicts_with = "detach", help_heading = help::HOW)]
    pub dry_run: bool,
    /// Stop after a stage; `tdd resume` goes on (exit code 3).
    #[arg(long, value_name = "STAGE", value_parser = ["red"], help_heading = help::HOW)]
    pub stop_after: Option<String>,
    /// Only these criteria: ids, separated by commas; may be repeated.
    #[arg(long, value_name = "AC,…", value_delimiter = ',', help_heading = help::WHAT)]
    pub only: Vec<String>,
    /// Leave out the REFACTOR stage.
    #[arg(long, help_heading = help::HOW)]
    pub no_refactor: bool,
    /// How much is proven before the end: a fresh checkout, tests red without the code, stubbed bodies seen.
    #[arg(long, value_name = "HOW", value_parser = ["full", "quick", "off"], help_heading = help::HOW)]
    pub proof: Option<String>,
    /// Hide some of the tests from the implementers; all of them judge the work.
    #[arg(long, help_heading = help::HOW)]
    pub held_out: bool,
    /// These criteria are satisfied already: their tests must pass at once, no implementer. Ids,
    /// separated by commas; may be repeated.
    #[arg(long, value_name = "AC,…", value_delimiter = ',', help_heading = help::WHAT)]
    pub already_green: Vec<String>,
    /// Look for the requirement in specs/frs/archive/ too.
    #[arg(long, help_heading = help::WHAT)]
    pub archived: bool,
    /// Go on although the baseline is red and can't be read test by test.
    #[arg(long, help_heading = help::HOW)]
    pub allow_red_baseline: bool,
    /// Go on although the gate is red before the first agent is started.
    #[arg(long, help_heading = help::HOW)]
    pub allow_red_gate: bool,
    /// Refuse RED if it changes existing tests, even those that the test-writer names.
    #[arg(long, help_heading = help::HOW)]
    pub no_supersede: bool,
    #[command(flatten)]
    pub caps: CapArgs,
    #[command(flatten)]
    pub isolation: IsolationArgs,
    /// Give each agent this terminal, so that you can watch and steer it; you end it yourself.
    #[arg(long, short, conflicts_with = "json", help_heading = help::HELD)]
    pub interactive: bool,
    /// Start anew although this requirement has an unfinished run.
    #[arg(long, help_heading = help::HOW)]
    pub new: bool,
    /// A cassette for the scripted agent.
    #[arg(long, value_name = "FILE", help_heading = help::WHAT)]
    pub cassette: Option<PathBuf>,
    /// Keep the run as a cassette in this file, which must be new: what each agent did to files, its
    /// last message, its pace; secrets masked.
    #[arg(long, value_name = "FILE", help_heading = help::TOLD)]
    pub record: Option<PathBuf>,
    /// Write a JUnit report to this file at the end: each criterion's tests, and the run itself.
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run", help_heading = help::TOLD)]
    pub junit: Option<PathBuf>,
    /// Write what speaks against the work of a halt to this file, as SARIF for code scanning: each with its place.
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run", help_heading = help::TOLD)]
    pub sarif: Option<PathBuf>,
    #[command(flatten)]
    pub detach: detach::DetachArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub halt: HaltArgs,
}

impl RunArgs {
    /// Whether more than one requirement may be meant.
    pub fn means_several(&self) -> bool {
        self.all || !self.others.is_empty()
    }
}

/// As they were typed; `settings::caps` reads them.
#[derive(Clone, Debug, Default, Args)]
pub struct CapArgs {
    /// Pause the run when its agents say that they used so many dollars (exit code 3); with a higher number
    /// it goes on: `tdd resume` for a run of the cycle, `tdd fix` itself for one of its own.
    #[arg(long, value_name = "USD", help_heading = help::CAPS)]
    pub max_usd: Option<String>,
    /// The same for tokens, read and written together: 200000, 200k, 2M.
    #[arg(long, value_name = "TOKENS", help_heading = help::CAPS)]
    pub max_tokens: Option<String>,
    /// The same for the time that the run is at work: 90s, 30m, 2h.
    #[arg(long, value_name = "TIME", help_heading = help::CAPS)]
    pub max_wall: Option<String>,
    /// End an attempt, as failed, when its agent says that it used so many dollars.
    #[arg(long, value_name = "USD", help_heading = help::CAPS)]
    pub max_usd_attempt: Option<String>,
    /// The same for tokens.
    #[arg(long, value_name = "TOKENS", help_heading = help::CAPS)]
    pub max_tokens_attempt: Option<String>,
    /// The same for its time; `attempt_deadline` in tdd.yaml, 30m by default.
    #[arg(long, value_name = "TIME", help_heading = help::CAPS)]
    pub max_wall_attempt: Option<String>,
}

#[derive(Clone, Debug, Default, Args)]
pub struct IsolationArgs {
    /// How agents are contained: `enforce` by an OS sandbox, `audit` only by checking afterwards and putting
    /// protected files back, `auto` by the stronger one that works here.
    #[arg(long, value_name = "LEVEL", value_parser = ["auto", "enforce", "audit"], help_heading = help::HELD)]
    pub sandbox: Option<String>,
    /// Refuse to run without an OS sandbox.
    #[arg(long, help_heading = help::HELD)]
    pub require_sandbox: bool,
}

#[derive(Clone, Copy, Debug, Default, Args)]
pub struct HaltArgs {
    /// After a halt: the report alone, and no review at the terminal. Nor is there one with --json, --quiet or in CI.
    #[arg(long, help_heading = help::TOLD)]
    pub no_review: bool,
}

#[derive(Clone, Debug, Args)]
pub struct CriteriaArgs {
    /// The requirement: a tracker id, a ULID, or a path.
    #[arg(value_name = "FR")]
    pub requirement: String,
    /// Look in specs/frs/archive/ too.
    #[arg(long)]
    pub archived: bool,
    /// Write the ids into the file, where it does not hold them in full.
    #[arg(long)]
    pub fix: bool,
    /// Print one JSON object a line: {"id","line","verify","text"}.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct ParseArgs {
    /// The role that was asked for.
    #[arg(long, value_parser = ["test-writer", "implementer", "refactorer", "fixer"])]
    pub role: String,
    /// The repository's root, for absolute paths in `files`; the current directory if not given.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// The message; `-` or nothing reads stdin.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub struct StatusArgs {
    /// A run: its requirement, a part of its id, `@` (newest), `@-`; all runs if not given.
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Print one JSON object for each run.
    #[arg(long)]
    pub json: bool,
    /// Show it again whenever it changes, until none of these runs is at work.
    #[arg(long, short)]
    pub watch: bool,
}

#[derive(Clone, Debug, Args)]
pub struct LogArgs {
    /// A run: its requirement, a part of its id, `@` (newest), `@-`; the newest run if not given. Or a session.
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Print the journal's lines as they are, side files resolved.
    #[arg(long)]
    pub json: bool,
    /// Print what comes as well, until the run ends.
    #[arg(long, short)]
    pub follow: bool,
}

#[derive(Clone, Debug, Args)]
pub struct UndoArgs {
    /// A run: its requirement, a part of its id, `@` (newest), `@-`; the newest run if not given.
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Another checkpoint of the run than 0, by its label or commit; undone-1, once there was an undo, takes it back.
    #[arg(long, value_name = "CHECKPOINT")]
    pub to: Option<String>,
    /// Go on although files were changed since the run; a checkpoint keeps them.
    #[arg(long)]
    pub discard_changes: bool,
    /// Go on although work of the run was committed since; the commits stay.
    #[arg(long)]
    pub committed: bool,
    /// Print one JSON object on stdout and nothing else.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "one for each flag")]
pub struct CleanArgs {
    /// Just these runs or sessions, finished or not: parts of their ids, or `@` (newest run), `@-`.
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// How many of the newest runs and of the newest sessions stay; unfinished ones stay anyway.
    #[arg(long, value_name = "N", default_value_t = 5, conflicts_with_all = ["runs", "all"])]
    pub keep: usize,
    /// Remove all runs that are finished or halted, and all sessions that are over.
    #[arg(long, conflicts_with = "runs")]
    pub all: bool,
    /// Remove runs and sessions, too, that alone hold commits or changes of somebody else, or what was taken back.
    #[arg(long)]
    pub discard_commits: bool,
    /// Say what would be removed, and remove nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Print one JSON object a line on stdout and nothing else.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct DemoArgs {
    /// Where to put the demo project; a new temporary directory if not given.
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Let the scripted agent fail in this mode until its budget is spent, to see a halt (exit code 1).
    #[arg(long, value_name = "MODE", ignore_case = true, value_parser = ["A", "B", "C", "D", "E"])]
    pub halt: Option<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Clone, Debug, Default, Args)]
pub struct DoctorArgs {
    /// End and remove what killed runs of this work tree have left.
    #[arg(long, conflicts_with = "agent")]
    pub reap: bool,
    /// The agent to prove: a built-in one or a name from tdd.yaml; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub agent: Vec<String>,
    /// Only these obligations; names, separated by commas.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', requires = "agent")]
    pub only: Vec<String>,
    /// Another scripted model server than the one that this program is.
    #[arg(long, value_name = "PROGRAM", requires = "agent", hide = true)]
    pub model_server: Option<PathBuf>,
    #[command(flatten)]
    pub isolation: IsolationArgs,
    /// Print one JSON object a line on stdout and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Print a page in Markdown.
    #[arg(long, conflicts_with = "json", requires = "agent")]
    pub markdown: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_criteria_leaves_the_requirement_alone() {
        for (line, only, already_green) in [
            (&["--only", "AC-PY-1.1", "PY-1"][..], &["AC-PY-1.1"][..], &[][..]),
            (&["PY-1", "--only", "AC-1.1,AC-1.2", "--only", "AC-1.3"], &["AC-1.1", "AC-1.2", "AC-1.3"], &[]),
            (&["--only=AC-1.1", "PY-1", "--already-green", "AC-1.2"], &["AC-1.1"], &["AC-1.2"]),
            (&["--already-green", "AC-1.1, AC-1.2", "PY-1"], &[], &["AC-1.1", "AC-1.2"]),
        ] {
            for command in [&["tdd"][..], &["tdd", "run"]] {
                let cli = Cli::try_parse_from(command.iter().chain(line)).unwrap();
                let run = match cli.command {
                    Some(Command::Run(run)) => *run,
                    _ => cli.run,
                };
                let trimmed = |ids: &[String]| ids.iter().map(|id| id.trim().to_owned()).collect::<Vec<_>>();
                assert_eq!(run.requirement.as_deref(), Some("PY-1"), "{line:?}");
                assert_eq!(trimmed(&run.only), only, "{line:?}");
                assert_eq!(trimmed(&run.already_green), already_green, "{line:?}");
            }
        }
    }
}
