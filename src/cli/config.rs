//! The flags of `tdd config`.

use clap::Args;

#[derive(Clone, Debug, Args)]
pub struct ConfigArgs {
    /// Print one JSON object a line: {"type":"setting","key":…,"value":…,"from":…}.
    #[arg(long)]
    pub json: bool,
}
