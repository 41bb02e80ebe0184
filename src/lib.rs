//! `tdd`: red, green and refactor by findings, never by claims.
#![doc = include_str!("../specs/architecture.md")]

pub mod bug;
pub mod cli;
pub mod commands;
pub mod driver;
pub mod exit;
pub mod model_server;
pub mod settings;
pub mod text;
pub mod view;
pub mod world;
