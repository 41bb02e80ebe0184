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
#[command(after_help = "\
Shows the cause of a halt and what can be done, each under one key, and does it; `?` shows all keys. What
can't be taken back by the next key is asked once more. With --plain, or in a terminal that can't move its
cursor, it works line by line: a key or a number, and then Enter. Where nobody is at a terminal it prints the
first screen and ends.

Exit codes:
  0 to 4  as `tdd resume`, of the state in which the run was left; 1 if it is still halted
  2       no such run, it has not halted, or it is reviewed already
  70      a bug in tdd")]
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
#[command(after_help = "\
What is printed is a patch: `tdd diff RUN | git apply -R` takes the work out of a tree. On a terminal it is
coloured. Files that git does not know yet are in it, ignored ones are not.

Exit codes:
  0   the patch was printed; it may be empty
  2   no such run, criterion or work")]
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
#[command(after_help = "\
The file needs nothing else: it can be sent, and opened without a network. It is readable by you alone, masked
like all reports, and holds prompts, diffs, output and messages of agents, long ones cut in the middle. Several
runs stand in one file, after an index.

Exit codes:
  0   the file was written; its path is on stdout
  2   no such run, or the file can't be written")]
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
}

#[derive(Clone, Debug, Args)]
pub struct WhyArgs {
    /// A criterion (AC-STE-1.2), or a test's id or a part of it.
    #[arg(value_name = "AC|TEST")]
    pub what: String,
    /// Ask this run alone, instead of the newest that knows of it.
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
}
