//! One integration binary, one file per subject.

mod runners;
mod session;
