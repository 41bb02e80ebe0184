//! How a run is gone on with.

use std::path::PathBuf;

use clap::Args;

use super::detach::DetachArgs;
use super::{CapArgs, HaltArgs, IsolationArgs, OutputArgs};

#[derive(Clone, Debug, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "one for each flag; `commands::resume` gives them words")]
#[command(group(clap::ArgGroup::new("decision").args(["retry", "take", "edited", "accept", "abandon"])))]
pub struct ResumeArgs {
    /// A run: its requirement, a part of its id, `@` (newest), `@-`; the newest run that is not finished if not given.
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// After a halt: try again with new attempts.
    #[arg(long)]
    pub retry: bool,
    /// After a halt: keep work that passes as measured although its result block is missing or invalid, and go on.
    #[arg(long)]
    pub take: bool,
    /// Code, tests or the requirement were changed on purpose: check changed tests for RED again.
    #[arg(long)]
    pub edited: bool,
    /// After a halt: take this criterion as it is; it ends as not verified (exit code 4).
    #[arg(long, value_name = "AC")]
    pub accept: Option<String>,
    /// Why it is accepted, for the journal and the summary; no agent reads it.
    #[arg(long, value_name = "TEXT", requires = "accept")]
    pub reason: Option<String>,
    /// Give the run up. The tree stays as it is.
    #[arg(long)]
    pub abandon: bool,
    /// Leave out the REFACTOR stage from now on, and finish if it is all that is left.
    #[arg(long, conflicts_with = "abandon")]
    pub no_refactor: bool,
    /// The test command again, if the run was started with one that holds a secret: secrets are not kept.
    #[arg(long, value_name = "COMMAND", conflicts_with = "abandon")]
    pub test: Option<String>,
    /// The same for the gate command.
    #[arg(long, value_name = "COMMAND", conflicts_with = "abandon")]
    pub gate: Option<String>,
    /// Another agent program for all roles from now on.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    #[command(flatten)]
    pub caps: CapArgs,
    #[command(flatten)]
    pub isolation: IsolationArgs,
    /// Let each agent have this terminal from now on, so that you see and steer it; end it yourself.
    #[arg(long, short, conflicts_with = "json")]
    pub interactive: bool,
    /// Run agents without your terminal from now on, in a run that was started with --interactive.
    #[arg(long, conflicts_with = "interactive")]
    pub headless: bool,
    /// A cassette for the scripted agent.
    #[arg(long, value_name = "FILE")]
    pub cassette: Option<PathBuf>,
    /// Keep the whole run as a cassette in this file: a new one, or its own recording until now.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Write a JUnit report to this file at the end: each criterion's tests, and the run itself.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write what speaks against the work of a halt to this file, as SARIF for code scanning: each with its place.
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    #[command(flatten)]
    pub detach: DetachArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub halt: HaltArgs,
}
