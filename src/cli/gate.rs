//! The command line of `tdd gate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Clone, Debug, Args)]
pub struct GateArgs {
    #[command(subcommand)]
    pub command: GateCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub enum GateCommand {
    /// Hold this session: no edit of production code without a red test and a claim.
    On(SessionArgs),
    /// Let this session go; for a person at a terminal alone.
    Off(SessionArgs),
    /// Tell where a session stands: its red tests, its claims, its plan.
    Status(StatusArgs),
    /// Run tests by their ids, in one call of the runner, and note what they say.
    Test(TestArgs),
    /// Say which red test an edit of these files advances.
    Claim(ClaimArgs),
    /// End a turn: run the tests of the claims; what is red is taken back.
    Flush(SessionArgs),
    /// Permit edits without a red test for a while; ends green only.
    Refactor(RefactorArgs),
    /// Read a plan: steps with a test each, or for refactor mode.
    Plan(PlanArgs),
    /// A person has looked at a test that failed two turns: it may be tried again.
    Look(SessionArgs),
    /// Write the hooks into an agent's settings, and prove that they hold.
    Install(InstallArgs),
    /// Edit one file, as JSON on stdin says, if the gate permits it.
    #[command(hide = true)]
    Edit(SessionArgs),
    /// Answer an agent's hook: its JSON on stdin.
    Hook(HookArgs),
}

#[derive(Clone, Debug, Default, Args)]
pub struct SessionArgs {
    /// The session; the one whose hook was called last if not given.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct StatusArgs {
    #[command(flatten)]
    pub which: SessionArgs,
    /// Print one JSON object on stdout and nothing else.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct TestArgs {
    #[command(flatten)]
    pub which: SessionArgs,
    /// Test ids (`FILE::NAME`, or an annotation's slug), or test files; all tests if none is given.
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// Run them though nothing that is compared has changed since: what git ignores may have.
    #[arg(long)]
    pub again: bool,
}

#[derive(Clone, Debug, Args)]
pub struct ClaimArgs {
    #[command(flatten)]
    pub which: SessionArgs,
    /// The red test.
    #[arg(value_name = "TEST-ID")]
    pub test_id: String,
    /// The files that are to be edited for it.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub struct RefactorArgs {
    #[command(flatten)]
    pub which: SessionArgs,
    #[arg(value_parser = ["on", "off"])]
    pub to: String,
    /// Only these files: a glob; may be repeated.
    #[arg(long, value_name = "GLOB")]
    pub files: Vec<String>,
    /// What for; it is kept and shown.
    #[arg(long, value_name = "TEXT")]
    pub why: Option<String>,
    /// With `off`: a person has looked at the tests that were changed in the mode, and means them so.
    #[arg(long)]
    pub looked: bool,
}

#[derive(Clone, Debug, Args)]
pub struct PlanArgs {
    #[command(flatten)]
    pub which: SessionArgs,
    /// JSON or YAML: a list of steps, each with `step`, `test_id` and `test_file_path`.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "one for each flag")]
pub struct InstallArgs {
    /// claude, codex, gemini, copilot, vscode, opencode or pi.
    #[arg(value_name = "AGENT")]
    pub agent: String,
    /// Into the project's settings; what is done if nothing is said.
    #[arg(long, conflicts_with = "user")]
    pub project: bool,
    /// Into your own settings, for all projects.
    #[arg(long)]
    pub user: bool,
    /// Take the hooks out again, and nothing else.
    #[arg(long)]
    pub uninstall: bool,
    /// Show what would be changed, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Clone, Debug, Args)]
pub struct HookArgs {
    /// Whose hook it is.
    #[arg(value_name = "AGENT")]
    pub agent: String,
    /// The event, where the agent's JSON does not tell.
    #[arg(long, value_name = "NAME")]
    pub event: Option<String>,
}
