//! The flags of the commands that set a project up.

use clap::Args;

/// What `tdd init` calls a requirement to which nobody gave a title.
pub const FIRST_TITLE: &str = "A first requirement";

#[derive(Clone, Debug, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "one for each flag")]
pub struct InitArgs {
    /// The agent program, for tdd.yaml; the first that is installed if not given.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The test command, for tdd.yaml; the one that is found if not given.
    #[arg(long, value_name = "COMMAND")]
    pub test: Option<String>,
    /// The gate command, for tdd.yaml.
    #[arg(long, value_name = "COMMAND")]
    pub gate: Option<String>,
    /// The first requirement's title.
    #[arg(long, value_name = "TITLE", default_value = FIRST_TITLE)]
    pub title: String,
    /// What must hold by it; may be repeated. Without it one is left to be filled in.
    #[arg(long = "criterion", short = 'c', value_name = "TEXT")]
    pub criteria: Vec<String>,
    /// Write an agent's skills too, or a workflow, which calls the first agent that is named: claude, codex, copilot,
    /// gemini, opencode, pi, github; several with commas.
    #[arg(long, value_name = "WHOM", value_delimiter = ',', conflicts_with = "undo")]
    pub with: Vec<String>,
    /// Write without asking.
    #[arg(long, short)]
    pub yes: bool,
    /// Say what would be written, and write nothing.
    #[arg(long, conflicts_with_all = ["yes", "undo"])]
    pub dry_run: bool,
    /// Replace a tdd.yaml that is there.
    #[arg(long, conflicts_with = "undo")]
    pub force: bool,
    /// Take back what the last `tdd init` wrote, as far as it is as it wrote it.
    #[arg(long)]
    pub undo: bool,
    /// Leave out the look at what a run needs.
    #[arg(long)]
    pub no_doctor: bool,
}

#[derive(Clone, Debug, Default, Args)]
pub struct NewArgs {
    /// The requirement's id and title: STE-12 "Short links". With a title alone the next id is taken.
    #[arg(value_name = "ID TITLE", required = true, num_args = 1..=2)]
    pub words: Vec<String>,
    /// What must hold; may be repeated. Without it one is left to be filled in.
    #[arg(long = "criterion", short = 'c', value_name = "TEXT")]
    pub criteria: Vec<String>,
}

#[derive(Clone, Debug, Default, Args)]
pub struct ExplainArgs {
    /// A mode (B), an exit code (70), a red kind (missing), or another word; all of them if not given.
    #[arg(value_name = "WORD")]
    pub words: Vec<String>,
}

#[derive(Clone, Debug, Default, Args)]
pub struct SchemaArgs {
    /// Which one; the names of all if not given.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct CompletionsArgs {
    /// bash, zsh, fish, powershell or elvish.
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

#[derive(Clone, Debug, Args)]
pub struct ManArgs {
    /// The folder to write to; it is made.
    #[arg(value_name = "DIR")]
    pub folder: std::path::PathBuf,
}
