//! One integration binary, one file per subject.

mod agents;
mod conformance;
mod session;
mod corpus;
