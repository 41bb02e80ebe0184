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
    /// `--json`
    Json(Beside),
    /// `--json=summary`
    Summary(Beside),
}

/// What people are told on stderr while stdout is for programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beside {
    #[default]
    Progress,
    /// `--quiet`
    Nothing,
}

impl OutputMode {
    /// Whether stderr tells each step as it comes.
    pub fn tells_progress(self) -> bool {
        match self {
            Self::Progress
            | Self::Verbose
            | Self::Json(Beside::Progress)
            | Self::Summary(Beside::Progress) => true,
            Self::Quiet | Self::Json(Beside::Nothing) | Self::Summary(Beside::Nothing) => false,
        }
    }

    /// Whether stdout is for programs.
    pub fn is_json(self) -> bool {
        match self {
            Self::Json(_) | Self::Summary(_) => true,
            Self::Progress | Self::Verbose | Self::Quiet => false,
        }
    }
}

impl From<OutputArgs> for OutputMode {
    fn from(args: OutputArgs) -> Self {
        let beside = if args.quiet { Beside::Nothing } else { Beside::Progress };
        if let Some(of) = args.json {
            match of {
                JsonOf::Events => Self::Json(beside),
                JsonOf::Summary => Self::Summary(beside),
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
