//! One integration binary, one file per subject.

mod commands;
