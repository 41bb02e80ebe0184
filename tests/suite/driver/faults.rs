//! A clock that jumps, and a disk that fails to sync.

use std::cell::Cell;
use std::fs::File;
use std::io;

use tdd::world::journal_file::{self, JournalFile};
use tdd_core::event::{Event, Plan, SupersedeRule};
use tdd_core::halt::Ending;
use tdd_core::role::Key;
use tdd_core::state::{End, State};

use super::world::{go_on, run_beside, run_cut, tree_of};
use super::{ended, essence, honest, plan, steady};

const NOW: u64 = 1_760_000_000_000;
const DAY: u64 = 86_400_000;

#[test]
fn a_clock_that_jumps_neither_stops_nor_stretches_a_run() {
    let (steady_clock, world) = run_beside(plan(), &honest(), &[NOW], None);
    let want = essence(&steady_clock.unwrap(), &tree_of(&world));
    for (name, stamps) in [
        ("back by a day", vec![NOW, NOW - DAY]),
        ("forward by a year", vec![NOW, NOW + 365 * DAY]),
        ("to and fro", vec![NOW, NOW + 365 * DAY, NOW - DAY, 0, NOW]),
        ("to the epoch and the end of time", vec![u64::MAX, 0]),
    ] {
        let dir = tempfile::TempDir::new().unwrap();
        let run = dir.path().join("run");
        let disk = JournalFile::create(&run).unwrap();
        let (state, world) = run_beside(plan(), &honest(), &stamps, Some(disk));
        let state = state.unwrap_or_else(|trouble| panic!("{name}: {trouble}"));
        assert_eq!(ended(&state), &End::Finished(Ending::Verified), "{name}");
        assert_eq!(essence(&state, &tree_of(&world)), want, "{name}");
        // A span is told by the other clock, so it can't be longer than the run has calls.
        let calls = u64::try_from(world.calls()).unwrap();
        let summary = world.kept("summary.json");
        let summary: serde_json::Value = serde_json::from_slice(&summary).unwrap();
        let took = summary["duration_ms"].as_u64().unwrap();
        assert!(took <= calls, "{name}: {took} ms, {calls} calls");
        // The stamps are as they were read, and nothing minds that they go back.
        let records = journal_file::read_only(&run).unwrap();
        assert!(records.windows(2).any(|pair| pair[0].ts != pair[1].ts), "{name}: the clock did jump");
        let replayed = State::replay(records.iter().map(|record| &record.event)).unwrap().unwrap();
        assert_eq!(replayed, state, "{name}");
    }
}

#[test]
fn whoever_goes_on_keeps_to_what_the_flags_said() {
    left_to_the_night!();
    let invites = |supersede| {
        // Cut off at each call, until it was in the test-writer's attempt.
        let both = (0..60).find_map(|fuse| {
            let (_, world) = run_cut(Plan { supersede, ..plan() }, &steady(), fuse);
            let prompts = world.prompts().into_iter().filter(|(key, ..)| *key == Key::TestWriter);
            let invites: Vec<bool> = prompts.map(|(_, prompt, _)| prompt.contains("supersedes")).collect();
            <[bool; 2]>::try_from(invites).ok()
        });
        both.expect("one prompt before the cut and one after it")
    };
    assert_eq!(invites(SupersedeRule::AsListed), [true, true]);
    assert_eq!(invites(SupersedeRule::Refuse), [false, false]);
}

thread_local! {
    /// So many syncs succeed; all after them fail.
    static SOUND: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn sync(file: &File) -> io::Result<()> {
    match SOUND.get() {
        0 => Err(io::Error::from_raw_os_error(rustix::io::Errno::IO.raw_os_error())),
        left => {
            SOUND.set(left - 1);
            file.sync_data()
        }
    }
}

#[test]
fn a_failed_sync_stops_the_run_before_the_effect_and_it_can_be_resumed() {
    left_to_the_night!();
    let (whole, world) = run_beside(plan(), &steady(), &[NOW], None);
    let want = essence(&whole.unwrap(), &tree_of(&world));
    let mut failures = 0;
    for sound in 1.. {
        let dir = tempfile::TempDir::new().unwrap();
        let run = dir.path().join("run");
        SOUND.set(sound);
        let disk = JournalFile::create(&run).unwrap().syncing_by(sync);
        let (outcome, world) = run_beside(plan(), &steady(), &[NOW], Some(disk));
        let Err(trouble) = outcome else { break };
        failures += 1;
        for (part, text) in [("what", &trouble.what), ("why", &trouble.why), ("next", &trouble.next)] {
            assert!(!text.is_empty(), "{sound}: {part} is missing: {trouble}");
        }
        assert!(trouble.advice().ends_with("`tdd resume run` goes on"), "{trouble}");
        SOUND.set(usize::MAX);
        let (disk, events) = JournalFile::open(&run).unwrap();
        let events: Vec<Event> = events.into_iter().map(|(_, event)| event).collect();
        let intents = events.iter().filter(|event| matches!(event, Event::AttemptStarted { .. })).count();
        let forks = world.forks_with_journal_length().len();
        assert!(forks <= intents, "{sound}: {forks} forks, {intents} journalled");
        let state = State::replay(&events).unwrap().unwrap();
        if matches!(state.phase, tdd_core::state::Phase::Ended { .. }) {
            continue;
        }
        let state = go_on(&world, &steady(), (disk.syncing_by(sync), state));
        assert_eq!(essence(&state, &tree_of(&world)), want, "resumed after {sound} syncs");
    }
    assert!(failures > 10, "{failures}");
}
