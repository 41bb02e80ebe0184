//! One integration binary, one file per subject.

mod conformance;
mod corpus;
mod requirement;
