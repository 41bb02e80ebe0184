//! The journal on disk, its lock, and the commands that read it: contract section 11.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test works on real files and may fail anywhere"
)]

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use tdd::world::journal_file::{self, JournalFile};
use tdd::world::lock::WorkTreeLock;
use tdd_core::attempt::{Attempt, AttemptKind, CheckpointId};
use tdd_core::commands::{ProjectCommands, RunnerKind};
use tdd_core::criterion::{Criterion, CriterionId, Verify};
use tdd_core::event::{Event, Plan, RunStarted};
use tdd_core::finding::SuiteBaseline;
use tdd_core::ports::Journal;
use tdd_core::requirement::{Reading, Requirement};
use tdd_core::role::Key;
use tdd_core::trouble::TroubleKind;

use crate::sealed_git::{Repository, rel};

mod snapshot;

const NOW: u64 = 1_767_225_600_000;

fn restored(text: &str) -> Event {
    Event::Restored { what: vec![text.to_owned()] }
}

fn started() -> Event {
    let id = CriterionId::parse("AC-STE-1.1").unwrap();
    let criterion = Criterion { id: id.clone(), line: 3, verify: Verify::Test, text: "does x".to_owned() };
    let requirement = Requirement {
        id: "STE-1".to_owned(),
        path: rel("specs/frs/STE-1.md"),
        title: Some("Carts".to_owned()),
        reading: Reading::Written,
        allow_config: Vec::new(),
        criteria: vec![criterion],
    };
    let commands = ProjectCommands {
        test: "pytest".to_owned(),
        test_source: "tdd.yaml".to_owned(),
        gate: "pytest".to_owned(),
        gate_source: "tdd.yaml".to_owned(),
        runner: RunnerKind::Pytest,
    };
    Event::RunStarted(Box::new(RunStarted {
        run: Repository::run_id(),
        version: "0.1.0".to_owned(),
        requirement,
        commands,
        project: String::new(),
        agents: ["scripted", "scripted", "scripted"].map(str::to_owned),
        models: <[Option<String>; 3]>::default(),
        plan: Plan { criteria: vec![id], ..Plan::default() },
    }))
}

fn begun() -> Vec<Event> {
    let checkpoint = CheckpointId("a".repeat(40));
    let baseline: SuiteBaseline = serde_json::from_value(serde_json::json!({
        "command": "pytest", "exit": {"code": 0}, "duration_ms": 5, "greens": [], "reds": [],
        "flaky": [], "skipped": 0, "collected": 0, "log": "log"
    }))
    .unwrap();
    let attempt = Attempt {
        key: Key::TestWriter,
        number: 1,
        kind: AttemptKind::First,
        before: checkpoint.clone(),
        prompt: Vec::new(),
    };
    vec![
        started(),
        Event::CheckpointZero { checkpoint },
        Event::BaselineMeasured { test: baseline.clone(), gate: Box::new(baseline) },
        Event::AttemptStarted { attempt: attempt.into() },
    ]
}

fn journal_of(folder: &Path, events: &[Event]) -> Vec<u8> {
    let mut journal = JournalFile::create(folder).unwrap();
    for event in events {
        journal.append(NOW, std::slice::from_ref(event)).unwrap();
    }
    std::fs::read(folder.join("events.jsonl")).unwrap()
}

fn events_of(folder: &Path) -> Vec<Event> {
    JournalFile::open(folder).unwrap().1.into_iter().map(|(_, event)| event).collect()
}

#[test]
fn what_was_appended_comes_back_and_the_chain_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("runs/r");
    let long = restored(&"long ".repeat(5000));
    let mut journal = JournalFile::create(&run).unwrap();
    journal.append(NOW, &[restored("1"), long.clone(), restored("3")]).unwrap();
    journal.append(NOW + 1, &[]).unwrap();
    drop(journal);
    let (mut journal, events) = JournalFile::open(&run).unwrap();
    assert_eq!(events, [(NOW, restored("1")), (NOW, long.clone()), (NOW, restored("3"))]);
    journal.append(NOW - 9, &[restored("4")]).unwrap();
    drop(journal);
    assert_eq!(events_of(&run), [restored("1"), long, restored("3"), restored("4")]);

    let text = std::fs::read_to_string(run.join("events.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("{\"v\":1,\"seq\":0,\"ts\":1767225600000,\"prev\":\"000"), "{}", lines[0]);
    assert!(lines[1].contains("\"type\":\"restored\",\"file\":\""), "{}", lines[1]);
    for line in &lines {
        let at = line.find("\"sum\":\"").expect("a checksum");
        let rest = format!("{}{}", &line[..at], &line[at + 25..]);
        assert_eq!(line[at + 7..at + 23], blake3::hash(rest.as_bytes()).to_hex()[..16], "{line}");
    }
    assert!(lines.iter().all(|line| line.len() < 4096));
    for pair in lines.windows(2) {
        assert!(pair[1].contains(&format!("\"prev\":\"{}\"", blake3::hash(pair[0].as_bytes()).to_hex())));
    }
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&run), mode(&run.join("events.jsonl"))), (0o700, 0o600));
    let side = std::fs::read_dir(run.join("files")).unwrap().flatten().next().unwrap().path();
    assert_eq!((mode(&run.join("files")), mode(&side)), (0o700, 0o600));
    assert!(JournalFile::create(&run).is_err(), "a journal is never made anew over an old one");
}

#[test]
fn a_journal_cut_at_any_byte_of_its_last_line_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let whole = journal_of(&folder.path().join("whole"), &[restored("1"), restored("2"), restored("torn")]);
    let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for cut in last..=whole.len() {
        let run = folder.path().join(format!("cut-{cut}"));
        std::fs::create_dir(&run).unwrap();
        std::fs::write(run.join("events.jsonl"), &whole[..cut]).unwrap();
        let lines = if cut == whole.len() { 3 } else { 2 };
        assert_eq!(journal_file::read_only(&run).unwrap().len(), lines, "{cut}");
        assert_eq!(std::fs::read(run.join("events.jsonl")).unwrap(), &whole[..cut], "a look changes nothing");
        let (mut journal, events) = JournalFile::open(&run).unwrap();
        assert_eq!(events.len(), lines, "{cut}");
        journal.append(NOW, &[restored("after")]).unwrap();
        assert_eq!(events_of(&run).last(), Some(&restored("after")), "{cut}");
        let torn = std::fs::read(run.join("events.torn-1")).ok();
        let want = (cut > last && cut < whole.len()).then(|| whole[last..cut].to_vec());
        assert_eq!(torn, want, "{cut}");
    }
}

/// As an older tdd has written it.
fn without_sum(line: &str) -> String {
    let at = line.find("\"sum\":\"").unwrap();
    format!("{}{}", &line[..at], &line[at + 25..])
}

#[test]
fn a_flipped_bit_of_the_last_line_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let damaged = folder.path().join("damaged");
    std::fs::create_dir(&damaged).unwrap();
    let long = restored(&"in a side file ".repeat(600));
    for (number, last) in [restored("a path/to.some"), Event::Stopped { signal: 15 }, long].iter().enumerate()
    {
        let run = folder.path().join(number.to_string());
        let whole = journal_of(&run, &[restored("1"), last.clone()]);
        let begins = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let _ = std::fs::remove_dir_all(damaged.join("files"));
        if run.join("files").exists() {
            std::fs::rename(run.join("files"), damaged.join("files")).unwrap();
        }
        // The newline before the last line, and all of its bytes, its own newline included.
        for (at, bit) in (begins - 1..whole.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            std::fs::write(damaged.join("events.jsonl"), &bytes).unwrap();
            let told = journal_file::read_only(&damaged).err().or_else(|| JournalFile::open(&damaged).err());
            let text = String::from_utf8_lossy(&bytes);
            let trouble = told.unwrap_or_else(|| panic!("bit {bit} of byte {at} is not found: {text}"));
            assert!(trouble.why.starts_with("line "), "{trouble}");
            assert!(journal_file::read_for_state(&damaged).is_err(), "bit {bit} of byte {at}");
            assert_eq!(std::fs::read(damaged.join("events.jsonl")).unwrap(), bytes, "left as it is");
        }
        std::fs::write(damaged.join("events.jsonl"), &whole).unwrap();
        assert_eq!(events_of(&damaged).last(), Some(last));
    }
}

#[test]
fn a_journal_of_an_older_tdd_is_read_and_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = journal_of(folder.path(), &["one", "two"].map(restored));
    let lines: Vec<String> = String::from_utf8(bytes).unwrap().lines().map(without_sum).collect();
    let second = lines[1].replace(
        lines[1].split("\"prev\":\"").nth(1).unwrap().split('"').next().unwrap(),
        &blake3::hash(lines[0].as_bytes()).to_hex(),
    );
    std::fs::write(folder.path().join("events.jsonl"), format!("{}\n{second}\n", lines[0])).unwrap();
    let (mut journal, events) = JournalFile::open(folder.path()).unwrap();
    assert_eq!(events.len(), 2);
    journal.append(NOW, &[restored("three")]).unwrap();
    assert_eq!(events_of(folder.path()), ["one", "two", "three"].map(restored));
    let text = std::fs::read_to_string(folder.path().join("events.jsonl")).unwrap();
    let summed: Vec<bool> = text.lines().map(|line| line.contains("\"sum\":\"")).collect();
    assert_eq!(summed, [false, false, true]);
}

/// What a power cut does, other than a kill.
#[test]
fn zeros_in_the_last_line_are_a_torn_line() {
    for hole in [0..5, 40..400] {
        let folder = tempfile::tempdir().unwrap();
        let mut bytes = journal_of(folder.path(), &[restored("1"), restored(&"x".repeat(600))]);
        let begins = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        bytes[begins + hole.start..begins + hole.end].fill(0);
        std::fs::write(folder.path().join("events.jsonl"), &bytes).unwrap();
        assert_eq!(events_of(folder.path()), [restored("1")]);
        assert_eq!(std::fs::read(folder.path().join("events.torn-1")).unwrap(), bytes[begins..]);
    }
}

#[test]
fn any_other_damage_is_refused_with_its_line() {
    type Damage = fn(&mut Vec<String>);
    let cases: [(&str, Damage, &str); 8] = [
        ("an event is changed", |lines| lines[1] = lines[1].replace("two", "too"), "line 3"),
        ("a line is taken out", |lines| drop(lines.remove(1)), "line 2"),
        ("lines are swapped", |lines| lines.swap(1, 2), "line 2"),
        ("a line is doubled", |lines| lines.insert(1, lines[0].clone()), "line 2"),
        ("the beginning is cut", |lines| drop(lines.remove(0)), "line 1"),
        ("garbage in the middle", |lines| lines[1] = "garbage".to_owned(), "line 2"),
        (
            "an unknown event",
            |lines| lines[3] = lines[3].replace("restored\",\"aside\":true", "teleported\""),
            "line 4: it holds an event `teleported`",
        ),
        (
            "a newer version",
            |lines| lines[3] = lines[3].replace("\"v\":1", "\"v\":2"),
            "line 4: it was written by a newer tdd",
        ),
    ];
    for (name, damage, want) in cases {
        let folder = tempfile::tempdir().unwrap();
        let bytes = journal_of(folder.path(), &["one", "two", "three", "four"].map(restored));
        let mut lines: Vec<String> = String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect();
        lines[3] = without_sum(&lines[3]);
        damage(&mut lines);
        let text = lines.join("\n") + "\n";
        std::fs::write(folder.path().join("events.jsonl"), &text).unwrap();
        let trouble = JournalFile::open(folder.path()).unwrap_err();
        assert_eq!(trouble.kind, TroubleKind::Environment);
        assert!(trouble.why.contains(want), "{name}: {trouble}");
        assert!(!trouble.next.is_empty());
        let left = std::fs::read_to_string(folder.path().join("events.jsonl")).unwrap();
        assert_eq!(left, text, "{name}: a damaged journal is left as it is");
    }
}

#[test]
fn side_files_are_checked_against_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = JournalFile::create(folder.path()).unwrap();
    let digest = journal.store(b"payload").unwrap();
    assert_eq!(journal.store(b"payload").unwrap(), digest);
    assert_eq!(journal.fetch(&digest).unwrap(), b"payload");
    journal.append(NOW, &[restored(&"x".repeat(9000)), restored("y")]).unwrap();
    let at = folder.path().join("files").join(&digest.0);
    std::fs::write(&at, "tampered").unwrap();
    assert!(journal.fetch(&digest).unwrap_err().why.contains("do not match"));
    std::fs::remove_file(&at).unwrap();
    assert!(journal.fetch(&digest).is_err());
    assert!(journal.fetch(&tdd_core::attempt::Digest("../events.jsonl".to_owned())).is_err());
    let side = std::fs::read_dir(folder.path().join("files")).unwrap().flatten().next().unwrap().path();
    std::fs::write(side, "{}").unwrap();
    assert!(JournalFile::open(folder.path()).unwrap_err().why.starts_with("line 1: the side file"));
}

#[test]
fn a_full_disk_leaves_whole_lines_and_says_what_to_do() {
    // A bound on the size of files stands for the disk: the write that reaches it is cut short.
    let folder = tempfile::tempdir().unwrap();
    let script =
        "ulimit -f 8; trap '' XFSZ; exec \"$0\" --exact journal::fill_the_disk --ignored --nocapture";
    let this = std::env::current_exe().unwrap();
    let said = Command::new("sh")
        .args(["-c", script, this.to_str().unwrap()])
        .env("FILL", folder.path())
        .output()
        .unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let text = std::fs::read_to_string(folder.path().join("r/events.jsonl")).unwrap();
    assert!(text.ends_with('\n') && text.len() > 2000, "{}", text.len());
    assert_eq!(events_of(&folder.path().join("r")).len(), text.lines().count());
}

#[test]
#[ignore = "run by a_full_disk_leaves_whole_lines_and_says_what_to_do"]
fn fill_the_disk() {
    let Some(folder) = std::env::var_os("FILL") else { return };
    let mut journal = JournalFile::create(&Path::new(&folder).join("r")).unwrap();
    for _ in 0..100 {
        if let Err(trouble) = journal.append(NOW, &[restored(&"x".repeat(900))]) {
            assert_eq!(trouble.kind, TroubleKind::Environment);
            assert!(!trouble.next.is_empty(), "{trouble}");
            return;
        }
    }
    panic!("the disk was never full");
}

#[test]
fn one_tdd_works_in_a_work_tree() {
    let repository = Repository::with(&[("a", "a")]);
    let this = std::env::current_exe().unwrap();
    let mut holder = Command::new(this)
        .args(["--exact", "journal::hold_the_lock", "--ignored", "--nocapture"])
        .env("HOLD", &repository.top)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = std::io::BufReader::new(holder.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("held") {
        line.clear();
        assert!(std::io::BufRead::read_line(&mut said, &mut line).unwrap() > 0, "the holder ended early");
    }
    let trouble = WorkTreeLock::acquire(&repository.top).unwrap_err();
    assert_eq!(trouble.kind, TroubleKind::User);
    assert!(trouble.why.contains(&format!("process {}, started 20", holder.id())), "{trouble}");
    assert!(trouble.next.contains(&holder.id().to_string()), "{trouble}");
    holder.kill().unwrap();
    holder.wait().unwrap();
    let lock = WorkTreeLock::acquire(&repository.top).unwrap();
    // Two in one process exclude each other too, and another work tree is free.
    assert!(WorkTreeLock::acquire(&repository.top).is_err());
    let linked = repository.outside("linked");
    repository.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    drop(WorkTreeLock::acquire(&linked).unwrap());
    drop(lock);
    drop(soon_free(&repository.top));
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
}

/// A child that another test of this process is just starting holds a copy of the descriptor from
/// its fork to its exec, so the lock is free soon, and not at once.
fn soon_free(top: &Path) -> WorkTreeLock {
    let tries = std::iter::repeat_with(|| {
        std::thread::yield_now();
        WorkTreeLock::acquire(top)
    });
    tries.take(100_000).find_map(Result::ok).expect("the lock stays taken")
}

#[test]
#[ignore = "run by one_tdd_works_in_a_work_tree"]
fn hold_the_lock() {
    let Some(top) = std::env::var_os("HOLD") else { return };
    let lock = WorkTreeLock::acquire(Path::new(&top)).unwrap();
    println!("\nheld");
    std::io::stdout().flush().unwrap();
    // Until the other end closes, which it never does before it kills this process.
    let _ = std::io::Read::read(&mut std::io::stdin(), &mut [0]);
    drop(lock);
}

fn tdd(repository: &Repository, args: &[&str]) -> (i32, String, String) {
    let said = Command::new(env!("CARGO_BIN_EXE_tdd"))
        .args(args)
        .current_dir(repository.top.join("sub"))
        .env_clear()
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (said.status.code().unwrap(), text(said.stdout), text(said.stderr))
}

#[test]
fn status_and_log_tell_a_run() {
    let repository = Repository::with(&[("sub/a", "a")]);
    assert_eq!(
        tdd(&repository, &["status"]),
        (0, "no runs yet; `tdd` names the requirements that one can begin with\n".to_owned(), String::new())
    );
    assert_eq!(tdd(&repository, &["log"]).0, 2);
    let runs = repository.path(".tdd/runs");
    let run = runs.join(Repository::run_id().0);
    let mut events = begun();
    events.push(restored(&"a very long line\n".repeat(1000)));
    events.push(Event::Paused { reason: "usage limit".to_owned() });
    journal_of(&run, &events);
    let git = |args: &[&str]| Command::new("git").args(args).current_dir(&repository.top).output().unwrap();
    assert!(git(&["update-ref", &format!("refs/tdd/{}/0", Repository::run_id().0), "HEAD"]).status.success());
    // A writer that is alive may be in the middle of a line.
    let mut file = std::fs::File::options().append(true).open(run.join("events.jsonl")).unwrap();
    file.write_all(b"{\"v\":1,").unwrap();

    let (code, text, _) = tdd(&repository, &["status"]);
    assert_eq!(code, 0);
    for want in [
        "STE-1 (Carts)",
        "paused: usage limit",
        "AC-STE-1.1     not begun",
        "attempts     1",
        "tdd resume STE-1-abcd",
    ] {
        assert!(text.contains(want), "{want}: {text}");
    }
    let (_, text, _) = tdd(&repository, &["status", "2026", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&json["phase"], &json["forks"]), (&"forked".into(), &1.into()));
    let (code, text, _) = tdd(&repository, &["log"]);
    assert_eq!((code, text.lines().count()), (0, 6), "{text}");
    assert!(text.contains("    3 2026-01-01T00:00:00Z  test-writer, attempt 1 (first), starts"), "{text}");
    let (_, text, _) = tdd(&repository, &["log", "--json"]);
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[4]["what"][0].as_str().unwrap().len(), 17_000, "side files are resolved");
    assert_eq!(lines[4]["seq"], 4);

    journal_of(&runs.join("20260102T000000Z-STE-2-0000"), &[restored("no start")]);
    let (code, text, errors) = tdd(&repository, &["status"]);
    assert_eq!(code, 0);
    assert!(text.contains("STE-1  0/1 green  paused"), "{text}");
    assert!(errors.contains("the event `restored` can't follow the journal's beginning"), "{errors}");
    let (code, _, errors) = tdd(&repository, &["log", "2027"]);
    assert_eq!(code, 2);
    assert!(errors.contains("no run `2027`") && errors.contains("20260101T"), "{errors}");
    assert!(tdd(&repository, &["log", "2026"]).2.contains("more than one run is meant by"));
}

#[test]
fn a_journal_that_somebody_changed_meanwhile_is_written_no_further() {
    type Change = fn(&Path);
    let changes: [(&str, Change); 5] = [
        ("truncated", |run| std::fs::write(run.join("events.jsonl"), "").unwrap()),
        ("appended to", |run| {
            let mut file = std::fs::File::options().append(true).open(run.join("events.jsonl")).unwrap();
            file.write_all(b"{\"v\":1,\"seq\":99,\"ts\":1,\"type\":\"finished\"}\n").unwrap();
        }),
        ("replaced", |run| {
            std::fs::copy(run.join("events.jsonl"), run.join("other")).unwrap();
            std::fs::rename(run.join("other"), run.join("events.jsonl")).unwrap();
        }),
        ("linked", |run| {
            std::fs::rename(run.join("events.jsonl"), run.join("moved")).unwrap();
            std::os::unix::fs::symlink("moved", run.join("events.jsonl")).unwrap();
        }),
        ("removed", |run| std::fs::remove_dir_all(run).unwrap()),
    ];
    for (name, change) in changes {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        let mut journal = JournalFile::create(&run).unwrap();
        journal.append(NOW, &[restored("1")]).unwrap();
        change(&run);
        let before = std::fs::read(run.join("events.jsonl")).ok();
        let trouble = journal.append(NOW, &[restored("2")]).unwrap_err();
        assert_eq!(trouble.kind, TroubleKind::Environment, "{name}");
        assert_eq!(journal.store(b"payload").unwrap_err(), trouble, "{name}");
        let said = trouble.to_string();
        for word in [run.to_str().unwrap(), "while a child ran", "nothing more", "--new", "refs/tdd"] {
            assert!(said.contains(word), "{name}: {word} in {said}");
        }
        assert_eq!(std::fs::read(run.join("events.jsonl")).ok(), before, "{name}");
    }
}

#[test]
fn a_folder_of_the_run_that_somebody_replaced_is_written_no_further() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let theirs = folder.path().join("theirs");
    std::fs::create_dir(&theirs).unwrap();
    let mut journal = JournalFile::create(&run).unwrap();
    for name in ["files", "tests", "logs", "children", "canaries", "checkpoints", "sealed", "state"] {
        std::os::unix::fs::symlink(&theirs, run.join(name)).unwrap();
        let trouble = journal.append(NOW, &[restored("1")]).unwrap_err();
        assert_eq!(trouble.kind, TroubleKind::Environment, "{name}");
        assert_eq!(journal.store(b"payload").unwrap_err(), trouble, "{name}");
        let said = trouble.to_string();
        for word in [run.join(name).to_str().unwrap(), "a link to", "while a child ran", "do the same again"]
        {
            assert!(said.contains(word), "{name}: {word} in {said}");
        }
        std::fs::remove_file(run.join(name)).unwrap();
        std::fs::write(run.join(name), "").unwrap();
        assert!(journal.append(NOW, &[restored("1")]).unwrap_err().to_string().contains("no folder"));
        std::fs::remove_file(run.join(name)).unwrap();
        journal.append(NOW, &[restored(name)]).unwrap();
    }
    assert_eq!(std::fs::read_dir(&theirs).unwrap().count(), 0);
}
