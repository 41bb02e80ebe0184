//! One integration binary, one file per subject.

mod halt_report;
mod sample;
mod state_machine_rules;
mod summary;
mod view;
