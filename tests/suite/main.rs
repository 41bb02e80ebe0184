//! One integration binary, one file per subject.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::many_single_char_names,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::too_many_lines,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test says that something is wrong by a panic, and makes its own world"
)]

mod conformance;
mod driver;
mod core_words;
mod agents;
mod conformance;
mod session;
mod corpus;
mod halt_report;
mod own_requirements;
mod projects;
mod sample;
mod session;
mod state_machine_rules;
mod summary;
mod tidy;
mod view;
mod walk;

mod checkpoints;
mod git_state;
mod journal;
mod manifest;
mod sealed_git;

mod commands;
