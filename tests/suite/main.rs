//! One integration binary, one file per subject.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::items_after_statements,
    clippy::many_single_char_names,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::too_many_lines,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    unreachable_pub,
    reason = "a test says that something is wrong by a panic, and makes its own world"
)]

#[macro_use]
mod battery;

mod above;
mod agent_homes;
mod agent_outcomes;
mod agents;
mod allowed_config;
mod at_hand;
mod bad_input;
mod baseline_edits;
mod beside_tests;
mod between;
mod between_copies;
mod by_name;
mod canary;
mod changed_behaviour;
mod cheats;
mod checkpoints;
mod closed;
mod command_lists;
mod commands;
mod conformance;
mod core_words;
mod corpus;
mod cycle;
mod default_exports;
mod detach;
mod doctor;
mod documents;
mod driver;
mod editable;
mod explained;
mod faults;
mod fence_words;
mod first_steps;
mod fix;
mod frames;
mod gate;
mod gate_caches;
mod gate_rests;
mod git_state;
mod given_back;
mod golden;
mod halt_report;
mod halts;
mod held_back;
mod held_out;
mod hollow;
mod hostile;
mod ignored_edits;
mod import_paths;
mod in_person;
mod in_source;
mod inherited;
mod init_with;
mod inline_tests;
mod installed_again;
mod interactive;
mod isolation;
mod journal;
mod kills;
mod kit;
mod loaded;
mod look;
mod manifest;
mod mdtest;
mod mdtest_agents;
mod meanwhile;
mod modes;
mod new_packages;
mod one_file;
mod other_forms;
mod other_runners;
mod other_work_trees;
mod others_code;
mod out_of_sight;
mod own_requirements;
mod own_settings;
mod packaging;
mod pipelines;
mod plugin;
mod printed;
mod projects;
mod reach;
mod real_agents;
mod recording;
mod reference;
mod requirement;
mod resume;
mod review;
mod review_faults;
mod run_status;
mod run_table;
mod runners;
mod rust_examples;
mod sample;
mod sandbox;
mod sandbox_places;
mod schema;
mod sealed_git;
mod secrets;
mod session;
mod set_aside;
mod several;
mod shared_helpers;
mod shops;
mod shortages;
mod since_a_stop;
mod skips;
mod somebody_elses;
mod state_machine_rules;
mod still_written;
mod stops;
mod summary;
mod tables;
mod taken_off;
mod terminal;
mod tidy;
mod transcripts;
mod triples;
mod tutorial;
mod typescript;
mod unbuilt;
mod uncompiled;
mod undo;
mod undo_kinds;
mod usage;
mod view;
mod waiting_helpers;
mod walk;
mod watched;
