//! What is printed, and where.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use super::help;

/// What is printed as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonOf {
    Events,
    Summary,
}

impl JsonOf {
    fn of(word: &str) -> Self {
        if word == "summary" { Self::Summary } else { Self::Events }
    }
}

#[derive(Clone, Copy, Debug, Default, Args)]
pub struct OutputArgs {
    /// Print one JSON object a line on stdout and nothing else; with `=summary` the last one alone. Progress is on
    /// stderr as always.
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "events",
        value_parser = PossibleValuesParser::new(["events", "summary"]).map(|word| JsonOf::of(&word)),
        help_heading = help::TOLD)]
    pub json: Option<JsonOf>,
    /// No progress; results and errors only.
    #[arg(long, short, help_heading = help::TOLD)]
    pub quiet: bool,
    /// Print every step: each command that is run, each agent's end, each checkpoint. Without it: one line for
    /// each criterion, and the cause of each failure.
    #[arg(long, short, conflicts_with_all = ["quiet", "json"], help_heading = help::TOLD)]
    pub verbose: bool,
}
