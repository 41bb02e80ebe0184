//! Commands that look back at a run.

use std::path::PathBuf;

use clap::Args;

#[derive(Clone, Debug, Args)]
pub struct ShowArgs {
    /// A run: its requirement, a part of its id, `@` (newest), `@-`; the newest run if not given.
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Print the report as one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct ReviewArgs {
    /// A run: its requirement, a part of its id, `@` (newest), `@-`; the newest run if not given.
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Line by line instead of a whole screen, for screen readers and slow lines.
    #[arg(long)]
    pub plain: bool,
    /// What a scripted agent plays, for what is gone on with.
    #[arg(long, value_name = "FILE", hide = true)]
    pub cassette: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub struct DiffArgs {
    /// A run: its requirement, a part of its id, `@` (newest), `@-`; the newest run if not given.
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Only the work of this criterion's implementer.
    #[arg(value_name = "AC")]
    pub criterion: Option<String>,
    /// The work of the last attempt that failed, instead of what was kept.
    #[arg(long)]
    pub failed: bool,
}

#[derive(Clone, Debug, Args)]
pub struct ReportArgs {
    /// Runs: a requirement, a part of an id, `@` (newest), `@-`; the newest run if none is given.
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// The file to write; else report.html in the run's folder.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Open it in a browser ($BROWSER, xdg-open or open).
    #[arg(long)]
    pub open: bool,
}

#[derive(Clone, Debug, Args)]
pub struct MatrixArgs {
    /// A run: its requirement, a part of its id, `@` (newest), `@-`; the newest run if not given.
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Print one JSON object.
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Print a Markdown table.
    #[arg(long)]
    pub markdown: bool,
    /// Write a JUnit report to this file instead: each criterion's tests, and the run itself.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "markdown"])]
    pub junit: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub struct WhyArgs {
    /// A criterion (AC-STE-1.2), or a test's id or a part of it.
    #[arg(value_name = "AC|TEST")]
    pub what: String,
    /// Ask this run alone, instead of the newest that knows of it.
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}
