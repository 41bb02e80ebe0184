//! From events to what a person or a machine sees. The only room that prints.

pub mod json;
pub mod lines;
pub mod live;
pub mod print;
