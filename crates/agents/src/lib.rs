//! Coding agents: tables of their command lines and streams, cassettes, homes, and the adapter that calls them.

pub mod agent;
pub mod agent_stream;
pub mod agent_table;
pub mod base64;
pub mod cassette;
pub mod glimpse;
pub mod mdtest;
