//! Adapters: everything that touches the disk, a process, a clock or a terminal.

pub mod config_file;
pub mod journal_file;
pub mod lock;
pub mod project;
pub mod project_commands;
pub mod scaffold;
pub mod session_file;
pub mod written;
