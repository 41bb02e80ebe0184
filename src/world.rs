//! Adapters: everything that touches the disk, a process, a clock or a terminal.

pub mod agent;
pub mod checkpoints;
pub mod checks;
pub mod clock;
pub mod config_file;
pub mod exec;
mod folder;
pub mod free_space;
pub mod gate_files;
pub mod git_facts;
pub mod journal_file;
pub mod leftovers;
pub mod lock;
pub mod manifest;
pub mod mdtest;
pub mod passthrough;
pub mod process;
pub mod project;
pub mod project_commands;
pub mod pty;
pub mod random;
pub mod regular_file;
pub mod runner;
pub mod sandbox;
pub mod scaffold;
pub mod signals;
pub mod unix;
