//! Whether anything is done, and what is printed of it.

use crate::cli::{JsonOf, OutputArgs, RunArgs};

/// Whether anything is done at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Intent {
    #[default]
    Run,
    /// Without the terminal of whoever began it.
    Detached,
    /// `--dry-run`
    Describe,
}

impl Intent {
    pub(super) fn of(args: &RunArgs) -> Self {
        match (args.dry_run, args.detach.detached) {
            (true, _) => Self::Describe,
            (false, true) => Self::Detached,
            (false, false) => Self::Run,
        }
    }
}

/// What a run prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputMode {
    #[default]
    Progress,
    /// `--verbose`
    Verbose,
    /// `--quiet`
    Quiet,
    /// `--json`, with or without `--quiet`
    Json,
    /// `--json=summary`
    Summary,
}

impl OutputMode {
    /// Whether stdout is for programs.
    pub fn is_json(self) -> bool {
        match self {
            Self::Json | Self::Summary => true,
            Self::Progress | Self::Verbose | Self::Quiet => false,
        }
    }
}

impl From<OutputArgs> for OutputMode {
    fn from(args: OutputArgs) -> Self {
        if let Some(of) = args.json {
            match of {
                JsonOf::Events => Self::Json,
                JsonOf::Summary => Self::Summary,
            }
        } else if args.quiet {
            Self::Quiet
        } else if args.verbose {
            Self::Verbose
        } else {
            Self::Progress
        }
    }
}
