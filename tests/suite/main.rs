//! One integration binary, one file per subject.

mod agents;
mod conformance;
mod corpus;
mod session;
