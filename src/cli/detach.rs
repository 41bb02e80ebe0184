//! Runs that go on without the shell that began them.

use clap::Args;

use super::help;

#[derive(Clone, Copy, Debug, Default, Args)]
pub struct DetachArgs {
    /// Begin, and return at once: the run goes on without this shell and its terminal. `tdd wait` waits for its end.
    #[arg(long, conflicts_with = "interactive", help_heading = help::HOW)]
    pub detach: bool,
    /// What `--detach` starts.
    #[arg(long, hide = true, conflicts_with_all = ["detach", "interactive"])]
    pub detached: bool,
}

#[derive(Clone, Debug, Args)]
pub struct WaitArgs {
    /// A run: its requirement, a part of its id, `@` (newest), `@-`; the newest run if not given.
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Wait so long at most: 90s, 10m. A run that is still at work then gives exit code 75.
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,
    /// Print what the run came to as one JSON object; `=summary` says the same, as for the run itself.
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "summary",
        value_parser = ["summary"])]
    pub json: Option<String>,
}
