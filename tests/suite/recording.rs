//! `--record`: a run becomes a cassette, and playing it gives the same journal but for ids, times
//! and costs.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::cycle::{self, honest_shop_cassette};
use super::sandbox::{Ran, Sandbox, has_python};

/// What Python leaves holds times, so it stays out of the trees that are compared.
fn shop() -> Sandbox {
    let sandbox = cycle::shop();
    sandbox.write(".gitignore", "__pycache__/\n");
    sandbox.commit();
    sandbox
}

fn beside(sandbox: &Sandbox, name: &str) -> PathBuf {
    sandbox.repo().parent().unwrap().join(name)
}

/// `tdd <words>` with this cassette, recorded into `r.yaml` beside the repository.
fn record(sandbox: &Sandbox, words: &[&str], cassette: &str) -> Ran {
    std::fs::write(beside(sandbox, "c.yaml"), cassette).unwrap();
    let (cassette, record) = (beside(sandbox, "c.yaml"), beside(sandbox, "r.yaml"));
    let mut args = words.to_vec();
    args.extend(["--cassette", cassette.to_str().unwrap(), "--record", record.to_str().unwrap()]);
    sandbox.tdd(&args)
}

fn replay(sandbox: &Sandbox, cassette: &Path) -> Ran {
    sandbox.tdd(&["STE-1", "--cassette", cassette.to_str().unwrap()])
}

/// The journal's events, without what differs from run to run.
fn journal(sandbox: &Sandbox) -> Vec<Value> {
    let lines = sandbox.tdd(&["log", "--json"]).expect(0).stdout;
    let run = sandbox.run_dir().file_name().unwrap().to_string_lossy().into_owned();
    let home = sandbox.repo().parent().unwrap().to_string_lossy().into_owned();
    let mut trees = BTreeMap::new();
    let mut tree = |commit: &str| -> String {
        let named = || sandbox.git(&["rev-parse", &format!("{commit}^{{tree}}")]);
        trees.entry(commit.to_owned()).or_insert_with(named).clone()
    };
    let mut event = |line: &str| {
        let line = line.replace(&run, "RUN").replace(&home, "HOME");
        let mut value: Value = serde_json::from_str(&line).unwrap();
        for key in ["seq", "ts", "prev", "sum"] {
            value.as_object_mut().unwrap().remove(key);
        }
        normalise(&mut value, &mut tree);
        value
    };
    lines.lines().map(&mut event).collect()
}

/// A commit holds the time, so it is told by its tree: equal ones hold the same files.
fn normalise(value: &mut Value, tree: &mut dyn FnMut(&str) -> String) {
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                match key.as_str() {
                    "duration_ms" | "silent_ms" | "ms" => *value = 0.into(),
                    // Quoted output and measured times of tests differ in both; one plays the recording of the other.
                    "output" | "digest" | "report" | "cassette" => *value = "…".into(),
                    _ => normalise(value, tree),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| normalise(item, tree)),
        Value::String(text) => {
            let is_commit = text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            if is_commit {
                *text = tree(text);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[track_caller]
fn assert_same(one: &Sandbox, other: &Sandbox) {
    let (one, other) = (journal(one), journal(other));
    for (left, right) in one.iter().zip(&other) {
        assert_eq!(left, right);
    }
    assert_eq!(one.len(), other.len());
}

/// Records a run of this cassette in one copy of the project and plays the recording in another.
#[track_caller]
fn there_and_back(cassette: &str, code: i32, make: impl Fn() -> Sandbox) -> (Sandbox, Sandbox) {
    let (first, second) = (make(), make());
    record(&first, &["STE-1"], cassette).expect(code).says(&["the run is recorded in"]);
    replay(&second, &beside(&first, "r.yaml")).expect(code);
    assert_same(&first, &second);
    (first, second)
}

#[test]
fn a_happy_run_comes_back() {
    left_to_the_night!();
    if has_python() {
        there_and_back(&honest_shop_cassette(), 0, shop);
    }
}

/// First a false RED, then an implementer without a block, whose format retry saves its work.
fn stumbling() -> String {
    let honest = honest_shop_cassette();
    let (writer, rest) = honest.split_once("- role: implementer\n").unwrap();
    let (implementer, refactorer) = rest.split_once("- role: refactorer\n").unwrap();
    let false_red = writer.replace(
        "- role: test-writer\n",
        "- role: test-writer\n  number: 1\n  usage: { output: 7, usd: 0.5 }\n  turns: 2\n",
    );
    let false_red = false_red.replace("shop.two(), 2", "shop.one(), 1");
    let told = "  usage: { output: 5 }\n";
    format!(
        "{false_red}{writer}- role: implementer\n  number: 1\n  misbehave: no-block\n{implementer}- role: implementer\n  number: 2\n{told}  say: {{ status: ok, files: [shop.py] }}\n- role: refactorer\n{refactorer}"
    )
}

#[test]
fn a_false_red_and_a_format_violation_come_back() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let (first, second) = there_and_back(&stumbling(), 0, shop);
    assert_eq!((first.forks(), second.forks()), (5, 5));
    let usage = |sandbox: &Sandbox| {
        let status = sandbox.tdd(&["status", "--json"]).expect(0).stdout;
        serde_json::from_str::<Value>(&status).unwrap()["usage"].clone()
    };
    assert_eq!(usage(&first), usage(&second), "figures are recorded too");
}

#[test]
fn a_halt_comes_back() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let cassette = honest_shop_cassette();
    let failing = cassette.replace("          return 2\n", "          return 3\n");
    assert_ne!(failing, cassette);
    there_and_back(&failing, 1, shop);
    let crashing =
        cassette.replace("- role: implementer\n", "- role: implementer\n  misbehave: { exit: 9 }\n");
    there_and_back(&crashing, 0, shop);
    let silent = cassette.replace("- role: implementer\n", "- role: implementer\n  misbehave: silence\n");
    there_and_back(&silent, 1, shop);
}

const ODD_FILES: &str = r#"  run: [sh, -c, "printf 'a\\000\\377\\r\\n' > data.bin; printf '#!/bin/sh\\n' > tool; chmod 755 tool; chmod 644 was_tool; rm old.txt; ln -s shop.py link; rm turned; ln -s nowhere turned; rm folder/a folder/b; rmdir folder; printf f > folder; rm flat; mkdir flat; printf x > flat/x; printf n > \"$(printf 'n\\377')\"; ln -s \"$(printf 'to\\376')\" odd_link; printf e > 'null: #'; printf ' a \\n\\n' > 'with space'; : > empty"]
"#;

fn shop_with_odd_files() -> Sandbox {
    let sandbox = shop();
    for (path, text) in [
        ("old.txt", "x"),
        ("turned", "t"),
        ("folder/a", "a"),
        ("folder/b", "b"),
        ("flat", "f"),
        ("was_tool", "w"),
    ] {
        sandbox.write(path, text);
    }
    std::fs::set_permissions(sandbox.path("was_tool"), std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.commit();
    sandbox
}

#[test]
fn deletions_bytes_modes_links_and_odd_names_come_back() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let cassette =
        honest_shop_cassette().replace("- role: implementer\n", &format!("- role: implementer\n{ODD_FILES}"));
    let (first, second) = there_and_back(&cassette, 0, shop_with_odd_files);
    let files = |sandbox: &Sandbox| sandbox.git(&["status", "--porcelain", "--untracked-files=all"]);
    assert_eq!(files(&first), files(&second));
    let diff = |sandbox: &Sandbox| sandbox.git(&["diff"]);
    assert_eq!(diff(&first), diff(&second));
    let odd = second.repo().join(std::ffi::OsStr::from_bytes(b"n\xff"));
    assert_eq!(std::fs::read(odd).unwrap(), b"n");
    assert_eq!(std::fs::read(second.path("data.bin")).unwrap(), b"a\0\xff\r\n");
    assert!(std::fs::read_link(second.path("turned")).unwrap().ends_with("nowhere"));
}

#[test]
fn what_cannot_be_recorded_is_said() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let secret = "sk-abcdefghijklmnopqrstuvwxyz012345";
    let actions = format!(
        "  run: [sh, -c, \"head -c 5000000 /dev/zero > huge.bin; echo {secret} > token.txt; printf '{secret}\\\\377' > token.bin\"]\n"
    );
    let cassette =
        honest_shop_cassette().replace("- role: implementer\n", &format!("- role: implementer\n{actions}"));
    record(&sandbox, &["STE-1"], &cassette).expect(0).says(&[
        "not recorded: implementer of AC-STE-1.1, attempt 1: huge.bin: it has 5000000 bytes",
        "token.txt: secrets in it are masked",
        "token.bin: it holds a secret",
    ]);
    let text = std::fs::read_to_string(beside(&sandbox, "r.yaml")).unwrap();
    assert!(!text.contains(secret) && text.contains("[masked]"), "{text}");
    assert!(text.contains("# not recorded: huge.bin"), "{text}");
    assert!(text.len() < 20_000);
}

#[test]
fn a_file_that_is_there_or_lies_in_the_repository_is_refused() {
    let sandbox = shop();
    std::fs::write(beside(&sandbox, "r.yaml"), "mine\n").unwrap();
    record(&sandbox, &["STE-1"], &honest_shop_cassette()).expect(2).says(&["is there already"]);
    assert_eq!(std::fs::read_to_string(beside(&sandbox, "r.yaml")).unwrap(), "mine\n");
    sandbox.tdd(&["STE-1", "--record", "r.yaml"]).expect(2);
    let file = beside(&sandbox, "c.yaml");
    let file = file.to_str().unwrap();
    sandbox
        .tdd(&["STE-1", "--cassette", file, "--record", "r.yaml"])
        .expect(2)
        .says(&["lies in the repository"]);
    sandbox
        .tdd(&["STE-1", "--cassette", file, "--record", "../no/r.yaml"])
        .expect(2)
        .says(&["no such folder"]);
    // Not even root can make a file there, and where there is no such folder that is said.
    sandbox
        .tdd(&["STE-1", "--cassette", file, "--record", "/proc/r.yaml"])
        .expect(2)
        .says(&["--record", "folder"]);
    assert!(!sandbox.path(".tdd/runs").exists(), "nothing was begun");
    let names = std::fs::read_dir(beside(&sandbox, ".")).unwrap().flatten();
    let left: Vec<_> =
        names.map(|entry| entry.file_name()).filter(|name| name.as_bytes().starts_with(b".tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn without_an_attempt_nothing_is_recorded_and_nothing_can_be_replayed() {
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let limit = "claude/2.1.330/status-429.jsonl";
    let limit = super::sandbox::fixtures().join("transcripts").join(limit);
    let yaml = format!(
        "{}backoff: []\nagent: mine\nagents:\n  mine: {{ like: claude, argv: [sh, -c, \"cat '{}'; exit 1\", sh, \"{{prompt_file}}\"], prompt: file }}\n",
        sandbox.read("tdd.yaml"),
        limit.display()
    );
    sandbox.write("tdd.yaml", &yaml);
    sandbox.commit();
    let file = beside(&sandbox, "r.yaml");
    sandbox.tdd(&["STE-1", "--record", file.to_str().unwrap()]).expect(3).says(&[
        "rate limit",
        "nothing is recorded",
        "tdd resume --record",
    ]);
    assert!(!file.exists());
    let other = shop();
    std::fs::write(&file, "# tdd recording of nothing\n[]\n").unwrap();
    replay(&other, &file).expect(2).says(&["the cassette has no entries"]);
    assert!(!other.path(".tdd/runs").exists() || other.forks() == 0);
}

#[test]
fn a_run_of_two_processes_is_recorded_as_one() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let ran = record(&sandbox, &["STE-1", "--stop-after", "red"], &honest_shop_cassette()).expect(3);
    let first = std::fs::read_to_string(beside(&sandbox, "r.yaml")).unwrap();
    assert_eq!(first.matches("- role:").count(), 1, "{first}");
    // The command that is proposed is one that works.
    let proposed = ran.stderr.lines().find_map(|line| line.trim().strip_prefix("go on: tdd ")).unwrap();
    let record = beside(&sandbox, "r.yaml");
    let mut words: Vec<&str> = proposed.split(' ').collect();
    words.extend(["--record", record.to_str().unwrap()]);
    sandbox.tdd(&words).expect(0);
    let whole = std::fs::read_to_string(&record).unwrap();
    assert_eq!(whole.matches("- role:").count(), 3, "{whole}");
    replay(&shop(), &record).expect(0);
}
