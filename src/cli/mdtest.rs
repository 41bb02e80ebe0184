//! The flags of `tdd mdtest`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::OutputArgs;

#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct MdtestArgs {
    #[command(subcommand)]
    pub command: Option<MdtestCommand>,
    #[command(flatten)]
    pub run: MdtestRunArgs,
}

#[derive(Clone, Debug, Subcommand)]
pub enum MdtestCommand {
    /// Carry the tests out (the same as `tdd mdtest`).
    Run(MdtestRunArgs),
    /// Print the tests that there are, one a line.
    List(MdtestListArgs),
}

#[derive(Clone, Debug, Args)]
pub struct MdtestRunArgs {
    #[command(flatten)]
    pub which: MdtestListArgs,
    /// The agent program: auto, claude, codex, gemini, opencode, pi, or a name from tdd.yaml.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Give the agent this terminal, so that you can watch and steer it; you end it yourself.
    #[arg(long, short, conflicts_with_all = ["jobs", "json", "quiet"])]
    pub interactive: bool,
    /// So many tests at a time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub jobs: u16,
    /// The longest time that one test may take, like 90s or 30m; 15 minutes if nothing is set.
    #[arg(long, value_name = "TIME")]
    pub deadline: Option<String>,
    /// Write a JUnit report to this file.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Clone, Debug, Args)]
pub struct MdtestListArgs {
    /// Tests, or folders of tests; all below the suite's root if not given.
    #[arg(value_name = "PATHS")]
    pub paths: Vec<PathBuf>,
    /// The suite's root, where the agent works; the current directory if not given.
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}
