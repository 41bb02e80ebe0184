//! The flags of `tdd fix`.

use std::path::PathBuf;

use clap::Args;

use super::{CapArgs, IsolationArgs, OutputArgs};

#[derive(Clone, Debug, Default, Args)]
pub struct FixArgs {
    /// How often an agent is asked: 0 to 20, by default 3; 0 only runs the checks.
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
    /// The last message of the agent that worked before; `-` reads stdin. The first prompt quotes its beginning.
    #[arg(long, value_name = "FILE")]
    pub previous: Option<PathBuf>,
    /// The work is what differs from this commit: if those are only documents, nothing is checked.
    #[arg(long, value_name = "COMMIT", default_value = "HEAD")]
    pub since: String,
    /// Let the agent change test files. Gate files stay protected.
    #[arg(long)]
    pub allow_test_edits: bool,
    /// Deadline of one type check; 60s by default.
    #[arg(long, value_name = "TIME")]
    pub type_deadline: Option<String>,
    /// Deadline of one run of tests or of another command; 2m by default.
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
