//! The pure heart: what a run is.
//!
//! Plain closed enums and two functions, [`State::apply`](state::State::apply) and
//! [`next`](next::next). This room does no IO, reads no clock and knows no other room;
//! whatever happens outside comes in as an [`Event`](event::Event).

pub mod attempt;
pub mod audience;
pub mod budget;
pub mod cause;
pub mod checkup;
pub mod claim;
pub mod classify;
pub mod commands;
pub mod corpus;
pub mod counted;
pub mod criterion;
pub mod effect;
pub mod event;
pub mod evidence;
pub mod excerpt;
pub mod facts;
pub mod file_class;
pub mod finding;
pub mod fix;
pub mod globs;
pub mod greens;
pub mod guard;
pub mod halt;
pub mod harmless;
pub mod held_out;
pub mod isolation;
pub mod judge;
pub mod kept_work;
pub mod labels;
pub mod likeness;
pub mod machine;
pub mod mapping;
pub mod mdtest;
pub mod mode;
pub mod next;
pub mod path;
pub mod policy;
pub mod ports;
pub mod proof;
pub mod requirement;
pub mod role;
pub mod run_name;
pub mod session;
pub mod state;
pub mod story;
pub mod terminal_noise;
pub mod test;
pub mod tokens;
pub mod tool_folder;
pub mod trouble;
pub mod turns;
pub mod usage;
pub mod verdict;
