//! Pure codecs between bytes and core values. Each file opens with the grammar that it reads;
//! nothing here does IO.

pub mod config;
pub mod corpus;
pub mod explain;
pub mod first_steps;
pub mod fix_report;
pub mod halt_report;
pub mod html_report;
pub mod journal_line;
pub mod json_splice;
pub mod mask;
pub mod object;
pub mod prompt;
pub mod row;
pub mod sarif;
pub mod skill;
pub mod summary;
pub mod usage_words;
