//! The cheat battery: children that try one thing each, and honest ones that must not be blamed.
//!
//! Each entry is a scripted child in one role on a tiny project. What came of it is read from the
//! exit code, the halt report, the journal and the disk, never from what the child says. Show the
//! table with `cargo test --test suite cheats -- --nocapture`.

mod code;
mod config;
mod crew;
mod entry;
mod files;
mod guards;
mod helpers;
mod honest;
mod others;
mod projects;
mod red;
mod repository;
mod scene;
mod seen;
mod stage;

use self::entry::Entry;
use self::stage::{Level, Row};

fn cheats() -> Vec<Entry> {
    [
        files::entries(),
        repository::entries(),
        config::entries(),
        code::entries(),
        red::entries(),
        others::entries(),
        helpers::cheats(),
    ]
    .concat()
}

fn honests() -> Vec<Entry> {
    [honest::entries(), helpers::honests()].concat()
}

/// Every entry at every level; fewer while one works on them: `TDD_CHEAT` holds parts of names,
/// parted by `|`.
fn play(entries: &[Entry]) -> Vec<Row> {
    let only = std::env::var("TDD_CHEAT").unwrap_or_default();
    let chosen = entries.iter().filter(|entry| only.split('|').any(|part| entry.name.contains(part)));
    let jobs: Vec<(&Entry, Level)> =
        chosen.flat_map(|entry| Level::known().iter().map(move |level| (entry, *level))).collect();
    crew::share(&jobs, |(entry, level)| {
        let row = stage::play(entry, *level, &[]);
        if !row.is_as_wanted() {
            println!("{}", row.complaint());
        }
        row
    })
}

fn must_be_as_wanted(entries: &[Entry], least: usize) {
    if !super::sandbox::has_python() {
        return;
    }
    assert!(entries.len() >= least, "{} entries, not {least}", entries.len());
    let rows = play(entries);
    println!("{}", stage::table(&rows));
    let missed: Vec<&str> = rows.iter().filter(|row| !row.is_as_wanted()).map(|row| row.entry.name).collect();
    assert!(missed.is_empty(), "{} of {} not as wanted: {missed:?}", missed.len(), rows.len());
}

#[test]
fn ac_tdd_8_1_every_cheat_is_caught() {
    must_be_as_wanted(&cheats(), 60);
}

#[test]
fn ac_tdd_8_2_no_honest_child_is_blamed() {
    must_be_as_wanted(&honests(), 30);
}
