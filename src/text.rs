//! Pure codecs between bytes and core values. Each file opens with the grammar that it reads;
//! nothing here does IO.

pub mod agent_stream;
pub mod agent_table;
pub mod canary;
pub mod cassette;
pub mod command_line;
pub mod config;
pub mod excerpt;
pub mod front_matter;
pub mod halt_report;
pub mod harmless;
pub mod journal_line;
pub mod key_commands;
pub mod lock_file;
pub mod markdown_line;
pub mod mask;
pub mod mdtest;
pub mod mixed_file;
pub mod plain_yaml;
pub mod prompt;
pub mod requirement;
pub mod skill;
pub mod summary;
pub mod tdd_result;
pub mod terminal_noise;
pub mod test_report;
pub mod test_source;
