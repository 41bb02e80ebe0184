//! One integration binary, one file per subject.

mod checkpoints;
mod git_state;
mod journal;
mod manifest;
mod sealed_git;
