//! A snapshot beside a journal: what it spares, and what it may never hide.

use super::*;
use tdd::world::journal_file::snapshot::{self, Mark};
use tdd_core::event::Runs;
use tdd_core::fix::FixState;
use tdd_core::state::State;

const PART: usize = 256 << 10;

/// The journal of a run that is this many parts long, one event of it in a side file.
fn long(run: &Path, parts: usize) -> Vec<u8> {
    let mut journal = JournalFile::create(run).unwrap();
    let mut events = begun();
    // A halt in words that no line holds, so that the state rests on a side file.
    events.push(Event::Leaked { processes: Vec::new() });
    events.extend((0..parts * PART / 1000 + 10).map(|_| restored(&"x".repeat(900))));
    events.push(Event::Paused { reason: "usage limit, and more ".repeat(300) });
    journal.append(NOW, &events).unwrap();
    std::fs::read(run.join("events.jsonl")).unwrap()
}

/// Keeps a snapshot of `state` for the whole journal.
fn keep(run: &Path, state: &str) {
    let read = snapshot::read::<String>(run, "test").unwrap();
    let glance = journal_file::glance::<String>(run, "test").unwrap();
    assert!(glance.state.is_none() && read.known.is_none() && read.is_long());
    glance.keep(&state.to_owned());
}

fn known(run: &Path) -> Option<(String, Mark)> {
    snapshot::read::<String>(run, "test").unwrap().known
}

#[test]
fn what_a_snapshot_stands_for_is_not_read_again_and_what_comes_after_it_is() {
    for parts in [1, 20] {
        let folder = tempfile::tempdir().unwrap();
        let whole = long(folder.path(), parts);
        keep(folder.path(), "so far");
        let (state, mark) = known(folder.path()).unwrap();
        assert_eq!((state.as_str(), mark.bytes), ("so far", whole.len() as u64));
        let last = whole[..whole.len() - 1].rsplit(|byte| *byte == b'\n').next().unwrap();
        assert_eq!(mark.last, blake3::hash(last).to_hex().as_str(), "it names the hash of its last line");
        assert_eq!(mark.files.len(), 1, "{:?}", mark.files);
        let glance = journal_file::glance::<String>(folder.path(), "test").unwrap();
        assert_eq!((glance.state.as_deref(), glance.records.len()), (Some("so far"), 0));

        // Lines that came since, and the beginning of one.
        let next = tdd::text::journal_line::encode(mark.lines, NOW, &mark.last, &Event::Resumed).unwrap();
        let mut more = whole.clone();
        more.extend_from_slice(next.line.as_bytes());
        more.extend_from_slice(b"{\"v\":1,");
        std::fs::write(folder.path().join("events.jsonl"), &more).unwrap();
        let glance = journal_file::glance::<String>(folder.path(), "test").unwrap();
        let events: Vec<&Event> = glance.records.iter().map(|record| &record.event).collect();
        assert_eq!((glance.state.as_deref(), events), (Some("so far"), vec![&Event::Resumed]));
        assert_eq!(glance.records[0].seq, mark.lines);

        // A line that does not follow is refused by its number in the whole journal.
        more.truncate(whole.len());
        more.extend_from_slice(next.line.replace(&mark.last, &"0".repeat(64)).as_bytes());
        std::fs::write(folder.path().join("events.jsonl"), &more).unwrap();
        let trouble = journal_file::glance::<String>(folder.path(), "test").err().unwrap();
        assert!(trouble.why.starts_with(&format!("line {}: ", mark.lines + 1)), "{trouble}");
    }
}

#[test]
fn ac_tdd_7_17_a_snapshot_that_does_not_fit_is_as_good_as_none() {
    left_to_the_night!();
    for parts in [1, 20] {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path();
        let whole = long(run, parts);
        let events = run.join("events.jsonl");
        keep(run, "so far");
        let file = run.join("events.snapshot");
        let kept = std::fs::read(&file).unwrap();

        for at in (0..whole.len()).step_by(whole.len() / 40).chain([whole.len() - 1]) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            std::fs::write(&events, &bytes).unwrap();
            assert_eq!(known(run), None, "byte {at} of the journal is another");
            assert!(journal_file::glance::<String>(run, "test").is_err(), "and that is found, byte {at}");
            std::fs::write(&events, &whole[..at]).unwrap();
            assert_eq!(known(run), None, "the journal has {at} bytes");
        }
        std::fs::write(&events, &whole).unwrap();
        for at in (0..kept.len()).step_by(kept.len() / 100 + 1) {
            let mut bytes = kept.clone();
            bytes[at] ^= 1;
            std::fs::write(&file, &bytes).unwrap();
            assert_eq!(known(run), None, "byte {at}: {}", String::from_utf8_lossy(&bytes));
            std::fs::write(&file, &kept[..at]).unwrap();
            assert_eq!(known(run), None, "cut at {at}");
        }
        std::fs::write(&file, &kept).unwrap();
        assert_eq!(snapshot::read::<String>(run, "another kind").unwrap().known, None);
        assert_eq!(snapshot::read::<Vec<u8>>(run, "test").unwrap().known, None, "a state of another type");
        let side = std::fs::read_dir(run.join("files")).unwrap().flatten().next().unwrap().path();
        let payload = std::fs::read(&side).unwrap();
        std::fs::write(&side, &payload[1..]).unwrap();
        assert_eq!(known(run), None, "a side file is shorter");
        std::fs::remove_file(&side).unwrap();
        assert_eq!(known(run), None, "a side file is gone");
        std::fs::write(&side, &payload).unwrap();
        assert!(known(run).is_some(), "all is as it was");
        std::os::unix::fs::symlink(&file, run.join("link")).unwrap();
        std::fs::rename(run.join("link"), &file).unwrap();
        assert_eq!(known(run), None, "a link in its place");
    }
}

/// A snapshot whose hashes of the journal's parts are wrong, and that is otherwise as it was written.
fn with_wrong_parts(kept: &[u8]) -> Vec<u8> {
    let mut lines = kept.splitn(3, |byte| *byte == b'\n').skip(1);
    let mut head: serde_json::Value = serde_json::from_slice(lines.next().unwrap()).unwrap();
    for part in head["parts"].as_array_mut().unwrap() {
        *part = "0".repeat(64).into();
    }
    let mut body = serde_json::to_vec(&head).unwrap();
    body.push(b'\n');
    body.extend_from_slice(lines.next().unwrap());
    let mut file = format!("{}\n", blake3::hash(&body).to_hex()).into_bytes();
    file.extend_from_slice(&body);
    file
}

#[test]
fn bytes_of_a_journal_that_was_left_alone_for_long_are_not_hashed_again() {
    let folder = tempfile::tempdir().unwrap();
    let (run, file) = (folder.path(), folder.path().join("events.snapshot"));
    let whole = long(run, 3);
    let later = |seconds| std::time::SystemTime::now() + std::time::Duration::from_secs(seconds);
    let read = |now| snapshot::read_at::<String>(run, "test", now).unwrap();
    // It was changed a moment ago, so that a look can't tell it from one that is changed right now.
    keep(run, "so far");
    let mark = known(run).unwrap().1;
    std::fs::write(&file, with_wrong_parts(&std::fs::read(&file).unwrap())).unwrap();
    assert_eq!(read(later(60)).known, None);
    std::fs::remove_file(&file).unwrap();
    keep(run, "so far");
    let found = read(later(60));
    assert!(found.known.is_some() && found.is_long(), "it is worth another snapshot");
    found.keep(&"so far".to_owned(), &mark).unwrap();
    let kept = std::fs::read(&file).unwrap();
    let found = read(later(60));
    assert!(found.known.is_some() && !found.is_long() && found.rest().is_empty());
    std::fs::write(&file, with_wrong_parts(&kept)).unwrap();
    assert!(read(later(60)).known.is_some(), "nothing was hashed");
    assert_eq!(known(run), None, "a young one is");
    // Whatever was changed since, or only written again, is another file to the system.
    let events = run.join("events.jsonl");
    std::fs::write(&events, &whole).unwrap();
    assert_eq!(read(later(60)).known, None);
    std::fs::write(&file, &kept).unwrap();
    assert!(read(later(60)).known.is_some(), "all of it was hashed, and is the same");
    let mut other = whole.clone();
    other[10] ^= 1;
    let modified = std::fs::metadata(&events).unwrap().modified().unwrap();
    std::fs::write(&events, &other).unwrap();
    std::fs::File::options().write(true).open(&events).unwrap().set_modified(modified).unwrap();
    assert_eq!(read(later(60)).known, None);
}

#[test]
fn whoever_adds_to_a_journal_takes_its_snapshot_away() {
    let folder = tempfile::tempdir().unwrap();
    long(folder.path(), 1);
    keep(folder.path(), "so far");
    let (mut journal, _) = JournalFile::open(folder.path()).unwrap();
    assert!(folder.path().join("events.snapshot").exists());
    journal.append(NOW, &[Event::Resumed]).unwrap();
    assert!(!folder.path().join("events.snapshot").exists());
}

/// The states of all kept journals come back from a snapshot as they were.
#[test]
fn states_are_the_same_after_they_were_written_and_read() {
    left_to_the_night!();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/journals");
    let labels = kept.read_dir().unwrap().flatten().filter(|label| label.path().is_dir());
    let mut seen = 0;
    for run in labels.flat_map(|label| label.path().read_dir().unwrap().flatten()) {
        let records = journal_file::read_for_state(&run.path()).unwrap();
        let events: Vec<&Event> = records.iter().map(|record| &record.event).collect();
        for length in 1..=events.len() {
            let events = || events[..length].iter().copied();
            if let Some(fix) = FixState::replay(events()).unwrap() {
                let text = serde_json::to_string(&fix).unwrap();
                assert_eq!(serde_json::from_str::<FixState>(&text).unwrap(), fix, "{text}");
            } else {
                let state = State::replay(events()).unwrap().unwrap();
                let text = serde_json::to_string(&state).unwrap();
                assert_eq!(serde_json::from_str::<State>(&text).unwrap(), state, "{text}");
            }
            seen += 1;
        }
    }
    assert!(seen > 300, "{seen}");
}

/// A repository with a long run, and its folder.
fn with_long_run() -> (Repository, std::path::PathBuf, Vec<u8>) {
    let repository = Repository::with(&[("sub/a", "a")]);
    let run = repository.path(".tdd/runs").join(Repository::run_id().0);
    let whole = long(&run, 1);
    repository.git(&["update-ref", &format!("refs/tdd/{}/0", Repository::run_id().0), "HEAD"]);
    (repository, run, whole)
}

#[test]
fn ac_tdd_7_17_status_says_the_same_with_a_snapshot_and_finds_the_same_damage() {
    let (repository, run, whole) = with_long_run();
    for args in [&["status"][..], &["status", "--json"]] {
        let _ = std::fs::remove_file(run.join("events.snapshot"));
        let first = tdd(&repository, args);
        assert_eq!((first.0, first.2.as_str()), (0, ""), "{}", first.1);
        assert!(first.1.contains("usage limit"), "{}", first.1);
        assert!(run.join("events.snapshot").is_file(), "a long journal is not read again for each look");
        assert_eq!(tdd(&repository, args), first);
    }
    let mut bytes = whole.clone();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(run.join("events.jsonl"), &bytes).unwrap();
    let with = tdd(&repository, &["status", "2026"]);
    std::fs::remove_file(run.join("events.snapshot")).unwrap();
    assert_eq!((with.0, &with), (2, &tdd(&repository, &["status", "2026"])));
    assert!(with.2.contains("can't be read") && with.2.contains("line 1"), "{}", with.2);
}

#[test]
fn a_snapshot_that_can_t_be_written_is_no_harm_and_a_short_run_needs_none() {
    let (repository, run, _) = with_long_run();
    std::fs::create_dir(run.join("events.snapshot")).unwrap();
    std::fs::write(run.join("events.snapshot/in-it"), "").unwrap();
    let (code, text, errors) = tdd(&repository, &["status"]);
    assert_eq!((code, errors.as_str()), (0, ""), "{text}");
    assert_eq!(run.read_dir().unwrap().count(), 3, "nothing half written is left");

    std::fs::remove_dir_all(&run).unwrap();
    journal_of(&run, &begun());
    assert_eq!(tdd(&repository, &["status"]).0, 0);
    assert!(!run.join("events.snapshot").exists());
}

/// A child of a run that is at work could have put it there.
#[test]
fn a_snapshot_of_a_run_at_work_is_not_believed() {
    let (repository, run, _) = with_long_run();
    let honest = tdd(&repository, &["status"]).1;
    assert!(honest.contains("AC-STE-1.1     not begun"), "{honest}");
    let file = run.join("events.snapshot");
    let kept = std::fs::read_to_string(&file).unwrap();
    let (_, body) = kept.split_once('\n').unwrap();
    let lie = body.replace("\"pending\"", "\"green\"");
    assert_ne!(lie, body);
    std::fs::write(&file, format!("{}\n{lie}", blake3::hash(lie.as_bytes()).to_hex())).unwrap();
    assert!(
        tdd(&repository, &["status"]).1.contains("AC-STE-1.1     green"),
        "it is a lie that would be told"
    );
    let lock = WorkTreeLock::acquire(&repository.top).unwrap();
    lock.work_on(&Repository::run_id().0);
    let said = tdd(&repository, &["status"]).1;
    assert!(said.contains("at work") && said.contains("AC-STE-1.1     not begun"), "{said}");
    drop(lock);
    // Whoever was at work has written its last lines, and the lie is gone.
    JournalFile::open(&run)
        .unwrap()
        .0
        .append(NOW, &[Event::Worked { ms: 1, runs: Runs::default() }])
        .unwrap();
    assert!(tdd(&repository, &["status"]).1.contains("AC-STE-1.1     not begun"));
}
