//! What people and agents write for `tdd`: requirements and their criteria, front matter, the commands that a
//! project names, settings in YAML by one strict reader, Markdown tests, JUnit reports, and the block that a child
//! ends with. Pure codecs; each file opens with its grammar.

pub mod front_matter;
pub mod junit;
pub mod key_commands;
mod markdown;
mod markdown_line;
pub mod mdtest;
pub mod mixed_file;
pub mod plain_yaml;
pub mod requirement;
pub mod strict;
pub mod tdd_result;
