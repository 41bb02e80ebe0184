//! `tdd corpus`: red tests and the edits that turned them green, for whoever learns from them.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Clone, Debug, Args)]
pub struct CorpusArgs {
    #[command(subcommand)]
    pub what: CorpusCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub enum CorpusCommand {
    /// Print one JSON object for each red test, edit and green test of the runs of this repository.
    Export(ExportArgs),
    /// Replay each line of such a file: red, the edit, green, and red again without it.
    Verify(VerifyArgs),
}

#[derive(Clone, Debug, Args)]
pub struct ExportArgs {
    /// Only what was kept since: a day (2026-03-01), a moment, or a span (36h, 7d, 2w).
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// The file to write, with a datasheet beside it; else stdout.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    /// A file that `tdd corpus export` has written.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The test command, instead of the one that the run's journal names.
    #[arg(long, value_name = "COMMAND")]
    pub test: Option<String>,
    #[command(flatten)]
    pub isolation: super::IsolationArgs,
    /// Print one JSON object a line on stdout and nothing else.
    #[arg(long)]
    pub json: bool,
}
