//! Journals that earlier programs wrote (`fixtures/journals`, made by its `make`) mean today what they meant
//! then, in every command that reads one.
#![expect(clippy::disallowed_methods, reason = "a test lays journals out and looks at them")]

use std::path::{Path, PathBuf};

use super::sandbox::Sandbox;

/// For each kind of run: what `status` says of its end, of its criteria, and how many forks it made.
const KINDS: [(&str, &str, &[&str], &str); 10] = [
    ("finished", "finished, all verified", &["AC-STE-1.1     green", "AC-STE-1.2     green"], "4"),
    ("undone", "finished, all verified", &["AC-STE-1.1     green", "AC-STE-1.2     green"], "4"),
    (
        "halted",
        "halted: implementer AC-STE-1.2, mode B",
        &["AC-STE-1.1     green", "AC-STE-1.2     red"],
        "4",
    ),
    (
        "accepted",
        "finished, some criteria are not verified",
        &["AC-STE-1.1     green", "AC-STE-1.2     accepted, not verified"],
        "5",
    ),
    ("retried", "finished, all verified", &["AC-STE-1.1     green", "AC-STE-1.2     green"], "6"),
    (
        "disputed",
        "halted: implementer AC-STE-1.2 disputes a test: three is a crowd",
        &["AC-STE-1.1     green", "AC-STE-1.2     red"],
        "3",
    ),
    ("abandoned", "given up by the operator", &["AC-STE-1.1     green", "AC-STE-1.2     red"], "4"),
    (
        "stopped-after-red",
        "paused: stopped after RED, as asked",
        &["AC-STE-1.1     red", "AC-STE-1.2     red"],
        "1",
    ),
    ("fixed", "finished, every check is green", &[], "1 of 3"),
    ("not-fixed", "halted: the retries are spent", &[], "3 of 3"),
];

/// The folders of all programs whose journals are kept.
fn labels() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/journals");
    let entries = root.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut labels: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    labels.sort();
    assert!(labels.len() >= 2, "{labels:?}");
    labels
}

/// Lays the run of a kept journal out in a repository, and gives its name.
fn lay_out(sandbox: &Sandbox, kept: &Path) -> String {
    let run = std::fs::read_to_string(kept.join("run")).unwrap().trim().to_owned();
    let folder = sandbox.path(".tdd/runs").join(&run);
    std::fs::create_dir_all(folder.join("files")).unwrap();
    std::fs::copy(kept.join("events.jsonl"), folder.join("events.jsonl")).unwrap();
    for file in kept.join("files").read_dir().into_iter().flatten() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.join("files").join(file.file_name())).unwrap();
    }
    run
}

#[test]
fn ac_tdd_7_13_journals_of_earlier_programs_read_as_they_did() {
    for label in labels() {
        for (kind, end, criteria, forks) in KINDS {
            let at = format!("{}/{kind}", label.file_name().unwrap().to_string_lossy());
            let sandbox = Sandbox::with(&[("a", "")]);
            let run = lay_out(&sandbox, &label.join(kind));
            let status = sandbox.tdd(&["status", &run]).expect(0).stdout;
            let state = status.lines().find(|line| line.starts_with("state")).unwrap();
            assert!(state.contains(end), "{at}: {state}");
            for criterion in criteria {
                assert!(status.contains(criterion), "{at}: {status}");
            }
            assert!(status.contains(&format!("forks        {forks}\n")), "{at}: {status}");
            let log = sandbox.tdd(&["log", &run]).expect(0).stdout;
            let lines =
                std::fs::read_to_string(label.join(kind).join("events.jsonl")).unwrap().lines().count();
            assert!(log.lines().count() >= lines, "{at}: {log}");
            sandbox.tdd(&["status", &run, "--json"]).expect(0);
            sandbox.tdd(&["clean", &run]).expect(0);
            assert!(!sandbox.path(".tdd/runs").join(&run).exists(), "{at}");
        }
    }
}

/// A flipped bit anywhere is found in them, too.
#[test]
fn a_changed_journal_of_an_earlier_program_is_refused() {
    for label in labels() {
        let sandbox = Sandbox::with(&[("a", "")]);
        let run = lay_out(&sandbox, &label.join("finished"));
        let file = sandbox.path(".tdd/runs").join(&run).join("events.jsonl");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replacen("\"status\":\"ok\"", "\"status\":\"ko\"", 1)).unwrap();
        let ran = sandbox.tdd(&["status", &run]).expect(2);
        assert!(ran.stderr.contains("can't be read"), "{}", ran.stderr);
    }
}
