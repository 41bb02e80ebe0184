//! Children: processes in terminals of their own, sessions with deadlines, the sandbox around them, and what
//! they leave. The one crate with `unsafe` code, in [`unix`].

pub mod clock;
pub mod ctrl_c;
pub mod detached;
pub mod exec;
pub mod folder;
pub mod free_space;
pub mod growth;
pub mod leftovers;
pub mod other_work_trees;
pub mod passthrough;
pub mod process;
pub mod pty;
pub mod random;
pub mod regular_file;
pub mod run_folder;
pub mod sandbox;
pub mod session;
pub mod signals;
pub mod terminal_modes;
pub mod unix;
