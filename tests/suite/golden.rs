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
            assert!(status.contains(&format!("attempts     {forks}\n")), "{at}: {status}");
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

/// One row of the table of events in `specs/journal.md`.
struct Row {
    is_aside: bool,
    must: Vec<String>,
    may: Vec<String>,
}

fn schema() -> std::collections::BTreeMap<String, Row> {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/journal.md")).unwrap();
    let (_, table) = text.split_once("| event | aside | fields |\n|---|---|---|\n").unwrap();
    let rows = table.lines().take_while(|line| line.starts_with('|')).map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let names = |is_optional: bool| -> Vec<String> {
            let fields = cells[2].split(", ").filter(|name| !name.is_empty());
            let wanted = fields.filter(|name| name.starts_with('[') == is_optional);
            wanted.map(|name| name.trim_matches(['[', ']']).to_owned()).collect()
        };
        let row = Row { is_aside: cells[1] == "yes", must: names(false), may: names(true) };
        (cells[0].trim_matches('`').to_owned(), row)
    });
    rows.collect()
}

/// What a line of a journal says against the schema.
fn complaint(schema: &std::collections::BTreeMap<String, Row>, event: &serde_json::Value) -> Option<String> {
    let name = event["type"].as_str()?;
    let Some(row) = schema.get(name) else { return Some(format!("no event `{name}`")) };
    let fields = event.as_object()?;
    let head = ["v", "seq", "ts", "prev", "sum", "type", "aside", "file"];
    if let Some(more) = fields
        .keys()
        .find(|key| !head.contains(&key.as_str()) && !row.must.contains(key) && !row.may.contains(key))
    {
        return Some(format!("`{name}` has no field `{more}`"));
    }
    let is_whole = !fields.contains_key("file");
    let missing = row.must.iter().find(|key| is_whole && !fields.contains_key(*key));
    missing.map(|key| format!("`{name}` lacks `{key}`"))
}

#[test]
fn ac_tdd_7_15_the_schema_of_the_journal_names_every_event_and_what_was_ever_written_fits_it() {
    let schema = schema();
    let mut names: Vec<&str> = tdd_core::event::Event::NAMES.to_vec();
    names.sort_unstable();
    assert_eq!(schema.keys().map(String::as_str).collect::<Vec<_>>(), names);
    let mut seen = std::collections::BTreeSet::new();
    for label in labels() {
        for run in label.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
            let lines = std::fs::read_to_string(run.join("events.jsonl")).unwrap();
            let files = run.join("files").read_dir().into_iter().flatten().flatten();
            let side = files.map(|file| std::fs::read_to_string(file.path()).unwrap());
            for text in lines.lines().map(str::to_owned).chain(side) {
                // Side files hold output of runs, too.
                let Ok(event) = serde_json::from_str::<serde_json::Value>(&text) else { continue };
                assert_eq!(complaint(&schema, &event), None, "{}: {text}", run.display());
                seen.extend(event["type"].as_str().map(str::to_owned));
            }
        }
    }
    assert!(seen.len() > 15, "{seen:?}");
    for (bad, want) in [
        (serde_json::json!({ "type": "teleported" }), "no event"),
        (serde_json::json!({ "type": "stopped" }), "lacks `signal`"),
        (serde_json::json!({ "type": "resumed", "by": 1 }), "no field `by`"),
    ] {
        assert!(complaint(&schema, &bad).unwrap().contains(want), "{bad}");
    }
    let asides: Vec<&str> =
        schema.iter().filter(|(_, row)| row.is_aside).map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        asides,
        ["denied", "edit_claim", "edited", "glimpsed", "isolated", "policy_settled", "restored", "test_run"]
    );
}

#[test]
fn ac_tdd_10_1_the_schema_names_every_event_of_a_session() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/journal.md")).unwrap();
    let (_, table) = text.split_once("| event | fields | |\n|---|---|---|\n").unwrap();
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let told: Vec<&str> = rows.map(|row| row.split('`').nth(1).unwrap()).collect();
    assert_eq!(told, tdd_core::event::SessionEvent::NAMES);
}
