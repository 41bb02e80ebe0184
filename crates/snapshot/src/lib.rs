//! Checkpoints of a work tree as git commits outside of every branch, what brings them back, and the manifest of
//! protected files.

pub mod checkpoints;
pub mod git_facts;
pub mod half_done;
pub mod manifest;
