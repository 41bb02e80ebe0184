//! The command line of `tdd mcp`.

use clap::Args;

#[derive(Clone, Debug, Args)]
pub struct McpArgs {
    /// Work in this session of the gate instead of a new one.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
}
