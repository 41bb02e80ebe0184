//! The cheat battery: children that try one thing each, and honest ones that must not be blamed.
//!
//! Each entry is a scripted child in one role on a tiny project. What came of it is read from the
//! exit code, the halt report, the journal and the disk, never from what the child says. Show the
//! table with `cargo test --test suite cheats -- --nocapture`.
//!
//! That plays a part of them, each at one level (`sample`), because the whole takes many minutes;
//! `TDD_CHEATS=all` plays every entry at every level, as `.ci/nightly/cheats` does.

mod code;
mod config;
mod copies;
mod crew;
mod entry;
mod files;
mod guards;
mod guide;
mod held_out;
mod helpers;
mod hollow;
mod honest;
mod names;
mod others;
mod projects;
mod proof;
mod red;
mod repository;
mod sample;
mod scene;
mod seen;
mod stage;
mod support;

use self::entry::Entry;
use self::stage::{Level, Row};

/// By what they play with.
fn cheats() -> Vec<Vec<Entry>> {
    vec![
        files::entries(),
        repository::entries(),
        config::entries(),
        code::entries(),
        names::cheats(),
        red::entries(),
        others::entries(),
        helpers::cheats(),
        proof::cheats(),
        copies::cheats(),
        support::cheats(),
        held_out::cheats(),
        hollow::cheats(),
    ]
}

fn honests() -> Vec<Vec<Entry>> {
    vec![
        honest::entries(),
        helpers::honests(),
        proof::honests(),
        copies::honests(),
        names::honests(),
        support::honests(),
        held_out::honests(),
        hollow::honests(),
    ]
}

/// What is played of these: a part, or what the environment says. `TDD_CHEAT` holds parts of names,
/// parted by `|`.
fn chosen(groups: &[Vec<Entry>]) -> Vec<(&Entry, Level)> {
    let at_every_level =
        |entry| Level::known().iter().map(move |level| (entry, *level)).collect::<Vec<(&Entry, Level)>>();
    let all = groups.iter().flatten();
    if let Ok(only) = std::env::var("TDD_CHEAT") {
        let named = |entry: &&Entry| only.split('|').any(|part| entry.name.contains(part));
        return all.filter(named).flat_map(at_every_level).collect();
    }
    if std::env::var_os("TDD_CHEATS").is_some_and(|which| which == "all") {
        return all.flat_map(at_every_level).collect();
    }
    let sample = sample::of(groups);
    println!("{} of {} entries; TDD_CHEATS=all plays all", sample.len(), all.count());
    sample
}

fn play(groups: &[Vec<Entry>]) -> Vec<Row> {
    let jobs = chosen(groups);
    crew::share(&jobs, |(entry, level)| {
        let row = stage::play(entry, *level, &[]);
        if !row.is_as_wanted() {
            println!("{}", row.complaint());
        }
        row
    })
}

fn must_be_as_wanted(groups: &[Vec<Entry>], least: usize) {
    if !super::sandbox::has_python() {
        return;
    }
    let count = groups.iter().flatten().count();
    assert!(count >= least, "{count} entries, not {least}");
    let rows = play(groups);
    println!("{}", stage::table(&rows));
    let missed: Vec<&str> = rows.iter().filter(|row| !row.is_as_wanted()).map(|row| row.entry.name).collect();
    assert!(missed.is_empty(), "{} of {} not as wanted: {missed:?}", missed.len(), rows.len());
}

#[test]
fn ac_tdd_8_1_every_cheat_is_caught() {
    must_be_as_wanted(&cheats(), 190);
}

#[test]
fn ac_tdd_8_2_no_honest_child_is_blamed() {
    must_be_as_wanted(&honests(), 50);
}
