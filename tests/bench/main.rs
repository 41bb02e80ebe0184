//! `cargo bench`: what `tdd` costs beside the children and the tests that it runs.
//!
//! Prints one table. Every figure is a median, a ratio within this run, or both, because the
//! machine is somebody else's too. A bound that is missed is said and is no failure; the exit
//! code tells only whether everything could be measured.
//!
//! `cargo bench -- flood stop` measures just the rows whose names begin so.
#![allow(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    unreachable_pub,
    reason = "a benchmark makes its own world, and says that something is wrong by a panic"
)]

mod agents;
mod attempts;
mod checkpoints;
mod classify;
mod copies;
mod corpus;
mod evidence;
mod flood;
mod fold;
mod gate;
mod growth;
mod handoff;
mod held_out;
mod memory;
mod operator;
mod processor;
mod project;
mod proof;
mod protect;
mod replay;
mod sandbox;
mod start;
mod stop;
mod suites;
mod table;

use std::process::ExitCode;

use table::Row;

/// A name to choose it by, and what measures it.
type Measure = (&'static str, fn() -> Vec<Row>);

const MEASURES: [Measure; 22] = [
    ("agents", agents::measure),
    ("attempts", attempts::measure),
    ("checkpoints", checkpoints::measure),
    ("classify", classify::measure),
    ("copies", copies::measure),
    ("gate", gate::measure),
    ("corpus", corpus::measure),
    ("evidence", evidence::measure),
    ("growth", growth::measure),
    ("flood", flood::measure),
    ("fold", fold::measure),
    ("handoff", handoff::measure),
    ("held_out", held_out::measure),
    ("memory", memory::measure),
    ("operator", operator::measure),
    ("processor", processor::measure),
    ("proof", proof::measure),
    ("protect", protect::measure),
    ("sandbox", sandbox::measure),
    ("start", start::measure),
    ("stop", stop::measure),
    ("suites", suites::measure),
];

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.starts_with(word));
    table::head();
    let mut failed = Vec::new();
    for (name, measure) in MEASURES.into_iter().filter(|(name, _)| is_wanted(name)) {
        match std::panic::catch_unwind(measure) {
            Ok(rows) => rows.iter().for_each(table::print),
            Err(_) => failed.push(name),
        }
    }
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("bench: could not measure: {}", failed.join(", "));
    ExitCode::FAILURE
}
