//! The cheat battery: children that try one thing each, and honest ones that must not be blamed.
//!
//! Each entry is a scripted child in one role on a tiny project. What came of it is read from the
//! exit code, the halt report, the journal and the disk, never from what the child says. Show the
//! table with `cargo test --test suite cheats -- --nocapture`.

mod crew;
mod entry;
mod files;
mod projects;
mod repository;
mod stage;

use self::entry::Entry;
use self::stage::{Level, Row};

fn cheats() -> Vec<Entry> {
    [files::entries(), repository::entries()].concat()
}

/// Every entry at every level, with one line each.
fn play(entries: &[Entry]) -> Vec<Row> {
    let levels = Level::known();
    let jobs: Vec<(&Entry, Level)> =
        entries.iter().flat_map(|entry| levels.iter().map(move |level| (entry, *level))).collect();
    crew::share(&jobs, |(entry, level)| stage::play(entry, *level, &[]))
}

#[test]
fn every_cheat_is_caught() {
    if !super::sandbox::has_python() {
        return;
    }
    let rows = play(&cheats());
    println!("{}", stage::table(&rows));
    let missed: Vec<String> = rows.iter().filter(|row| !row.is_as_wanted()).map(Row::complaint).collect();
    assert!(missed.is_empty(), "{} of {} not as wanted:\n{}", missed.len(), rows.len(), missed.join("\n"));
}
