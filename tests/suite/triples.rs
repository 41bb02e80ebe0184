//! `tdd corpus`: what runs turned from red to green, written down and replayed, through the real binary.
#![expect(clippy::disallowed_methods, reason = "a test looks at files")]

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;

use super::cycle::{honest_shop_cassette, shop};
use super::run_status::Place;
use super::sandbox::{Sandbox, fixtures, has_go, has_node, has_pytest, has_python};
use tdd::world::journal_file::JournalFile;
use tdd_core::attempt::{CheckpointId, Digest};
use tdd_core::commands::{ProjectCommands, RunnerKind};
use tdd_core::corpus::pairs;
use tdd_core::event::{
    EditFact, EditGround, Event, GateMode, PassFail, SessionEvent, SessionId, SessionStarted, TestIdSource,
    TestRunFact,
};
use tdd_core::path::RelPath;
use tdd_core::ports::Journal as _;
use tdd_core::test::{FailureKind, TestId};

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn exported(sandbox: &Sandbox) -> Vec<Value> {
    lines(&sandbox.tdd(&["corpus", "export"]).expect(0).stdout)
}

/// A file of these lines.
fn file(sandbox: &Sandbox, lines: &[Value]) -> String {
    let text: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    written(sandbox, text.concat().as_bytes())
}

fn written(sandbox: &Sandbox, bytes: &[u8]) -> String {
    let file = sandbox.beside("corpus.jsonl");
    std::fs::write(&file, bytes).unwrap();
    file.to_str().unwrap().to_owned()
}

/// What `verify` says of each line, and its exit code.
fn verified(sandbox: &Sandbox, file: &str) -> (Vec<(String, String)>, i32) {
    let ran = sandbox.tdd(&["corpus", "verify", file, "--json"]);
    let said = lines(&ran.stdout);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (last, all) = said.split_last().unwrap_or_else(|| panic!("{}", ran.stderr));
    assert_eq!(last["exit"], ran.code);
    (all.iter().map(|one| (text(&one["proof"]), text(&one["why"]))).collect(), ran.code)
}

#[test]
fn ac_tdd_11_1_the_pairs_are_those_of_the_vectors() {
    let text = std::fs::read_to_string(fixtures().join("conformance/red-green-pairs.json")).unwrap();
    let vectors: Value = serde_json::from_str(&text).unwrap();
    let events = vectors["events"].as_array().unwrap();
    let seen = events.iter().map(|event| {
        let status = if event["status"] == "pass" { PassFail::Pass } else { PassFail::Fail };
        (event["test_id"].as_str().unwrap(), status)
    });
    let found = pairs(seen).into_iter().map(|pair| {
        let (red, green) = (&events[pair.red], &events[pair.green]);
        json!({ "test_id": green["test_id"], "red_ts": red["ts"], "green_ts": green["ts"] })
    });
    assert_eq!(found.collect::<Vec<_>>(), *vectors["want"].as_array().unwrap());
}

#[test]
fn ac_tdd_11_1_a_run_is_told_as_red_test_edit_and_green_test() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    assert_eq!(exported(&place.sandbox), Vec::<Value>::new(), "no runs, no lines");
    place.run(&place.honest, &[]).expect(0);
    let all = exported(&place.sandbox);
    assert_eq!(all.len(), 1, "{all:?}");
    let one = &all[0];
    for (field, want) in [
        ("/from", json!("run")),
        ("/requirement", json!("STE-1")),
        ("/criterion", json!("AC-STE-1.1")),
        ("/criterion_text", json!("`two()` gives 2.")),
        ("/attempt", json!(1)),
        ("/test_id", json!("tests/test_ac_ste_1_1.py::New.test_new")),
        ("/test_file", json!("tests/test_ac_ste_1_1.py")),
        ("/test/text", json!(super::cycle::NEW_TEST)),
        ("/files", json!(["shop.py"])),
        ("/red/kind", json!("missing")),
        ("/runner", json!("unittest")),
        ("/agent", json!("scripted")),
        ("/model", Value::Null),
        ("/undone", json!(false)),
    ] {
        assert_eq!(*one.pointer(field).unwrap(), want, "{field}");
    }
    assert!(one["edit"]["text"].as_str().unwrap().ends_with("+def two():\n+    return 2\n"), "{one}");
    let red = one["red"]["output"].as_str().unwrap();
    assert!(red.contains("has no attribute 'two'") && !red.contains("```"), "{red}");
    assert!(one["green"]["output"].as_str().unwrap().contains("ok"), "{one}");
    let top = place.sandbox.repo().canonicalize().unwrap();
    assert!(!one.to_string().contains(top.to_str().unwrap()), "where it lies is nobody's business: {one}");
    for (tree, holds) in [("base", false), ("result", true)] {
        let commit = one[tree]["commit"].as_str().unwrap();
        assert_eq!(place.sandbox.git(&["rev-parse", &format!("{commit}^{{tree}}")]), one[tree]["tree"]);
        assert_eq!(place.sandbox.git(&["show", &format!("{commit}:shop.py")]).contains("two"), holds);
    }
    let again = place.tdd(&["corpus", "export"]).expect(0);
    assert_eq!(lines(&again.stdout), all, "the same journals give the same lines");
    assert!(again.stderr.contains("1 red tests") && again.stderr.contains("runs: 1"), "{}", again.stderr);
}

/// The edit is the one that followed the last red, and not all that was tried before.
#[test]
fn ac_tdd_11_1_after_failed_attempts_the_last_red_is_what_counts() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.wrong, &[]).expect(1);
    assert_eq!(exported(&place.sandbox), Vec::<Value>::new(), "nothing was kept");
    place.tdd(&["resume", "--retry", "--quiet", "--cassette", &place.honest]).expect(0);
    let all = exported(&place.sandbox);
    assert_eq!((all.len(), &all[0]["attempt"]), (1, &json!(3)), "{all:?}");
    let edit = all[0]["edit"]["text"].as_str().unwrap();
    assert!(edit.contains("-    return 3\n+    return 2\n"), "{edit}");
    let red = all[0]["red"]["output"].as_str().unwrap();
    assert!(red.contains("3 != 2"), "{red}");
    let file = file(&place.sandbox, &all);
    assert_eq!(verified(&place.sandbox, &file), (vec![("proven".into(), String::new())], 0));
}

/// Two criteria, of which the second has two tests: the first one's implementer turns one of them already.
fn generous() -> (Sandbox, String) {
    let test = |name: &str, cases: &[(&str, u8)]| {
        let cases: Vec<String> = cases
            .iter()
            .map(|(call, want)| {
                format!("          def test_{call}(self):\n              self.assertEqual(shop.{call}(), {want})\n")
            })
            .collect();
        format!(
            "    tests/test_{name}.py: |\n      import unittest\n      import shop\n\n      class T(unittest.TestCase):\n{}",
            cases.concat()
        )
    };
    let sandbox = shop();
    let requirement =
        sandbox.read("specs/frs/STE-1.md") + "- AC-STE-1.2: `three()` gives 3 and `four()` 4.\n";
    sandbox.write("specs/frs/STE-1.md", &requirement);
    sandbox.commit();
    let cassette = format!(
        "- role: test-writer\n  write:\n{}{}  say: {{ status: ok }}\n\
         - role: implementer\n  criterion: AC-STE-1.1\n  append: {{ shop.py: \"\\ndef two():\\n    return 2\\n\\ndef three():\\n    return 3\\n\" }}\n  say: {{ status: ok, files: [shop.py] }}\n\
         - role: implementer\n  criterion: AC-STE-1.2\n  append: {{ shop.py: \"\\ndef four():\\n    return 4\\n\" }}\n  say: {{ status: ok, files: [shop.py] }}\n\
         - role: refactorer\n  say: {{ status: ok, files: [] }}\n",
        test("ac_ste_1_1", &[("two", 2)]),
        test("ac_ste_1_2", &[("three", 3), ("four", 4)]),
    );
    let file = sandbox.beside("generous.yaml");
    std::fs::write(
        &file,
        cassette.replace(
            "say: { status: ok }",
            "say: { status: ok, files: [tests/test_ac_ste_1_1.py, tests/test_ac_ste_1_2.py] }",
        ),
    )
    .unwrap();
    let file = file.to_str().unwrap().to_owned();
    (sandbox, file)
}

#[test]
fn ac_tdd_11_1_what_earlier_work_has_turned_is_no_triple() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let (sandbox, cassette) = generous();
    sandbox.tdd(&["STE-1", "--cassette", &cassette, "--quiet"]).expect(0);
    let all = exported(&sandbox);
    let turned: BTreeSet<&str> = all.iter().map(|one| one["test_id"].as_str().unwrap()).collect();
    let want = ["tests/test_ac_ste_1_1.py::T.test_two", "tests/test_ac_ste_1_2.py::T.test_four"];
    assert_eq!(turned, want.into(), "three() was there before its criterion was begun");
    assert_eq!(all[0]["left_out"], json!(["tests/test_ac_ste_1_2.py"]), "it is not reached yet");
    let file = file(&sandbox, &all);
    assert_eq!(verified(&sandbox, &file).1, 0);
}

const SECRET: &str = "ghp_aB3dE6gH9kL2mN5pQ8rT1vW4xY7zA0cD3fG6";

#[test]
fn ac_tdd_11_2_what_a_child_wrote_is_masked_and_harmless() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    // A secret by its shape, one by its variable, escape sequences, a bidirectional override, bytes that are no text.
    let hostile = honest_shop_cassette().replace(
        "      def two():\n          return 2\n",
        &format!(
            "      KEY = '{SECRET}'\n      OTHER = 'correct-horse-battery'\n      MARK = '\u{202e}'\n\n\n      def two():\n          print('\\x1b]0;title\\x07')\n          return 2\n  write_bytes: {{ data.bin: \"//8A/g==\" }}\n"
        ),
    );
    let cassette = place.sandbox.beside("hostile.yaml");
    std::fs::write(&cassette, hostile).unwrap();
    place.run(cassette.to_str().unwrap(), &[]).expect(0);
    let out = place.sandbox.beside("out.jsonl");
    let mut command = place.sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.env("DEPLOY_PASSWORD", "correct-horse-battery");
    let ran = command.args(["corpus", "export", "--out", out.to_str().unwrap()]).output().unwrap();
    assert!(ran.status.success());
    let text = std::fs::read_to_string(&out).unwrap();
    for hidden in [SECRET, "correct-horse", "\u{1b}", "\u{202e}", "\\u001b"] {
        assert!(!text.contains(hidden), "{hidden:?}");
    }
    let all = lines(&text);
    let edit = all[0]["edit"]["text"].as_str().unwrap();
    assert!(edit.contains("KEY = '[masked]'") && edit.contains("OTHER = '[masked]'"), "{edit}");
    assert!(edit.contains("MARK = '\u{202e}'"), "the source is as it is: {edit}");
    assert!(edit.contains("Binary files /dev/null and b/data.bin differ"), "{edit}");
    // What is masked for one is not for another, and the hash tells that it is the same.
    let out = out.to_str().unwrap();
    assert_eq!(verified(&place.sandbox, out), (vec![("proven".into(), String::new())], 0));
}

#[test]
fn ac_tdd_11_2_there_is_one_line_of_a_kind_and_a_datasheet_beside_them() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.sandbox.write("LICENSE", "MIT License\n");
    place.sandbox.write("pyproject.toml", "[project]\nname = \"shop\"\nlicense = \"MIT\"\n");
    place.sandbox.commit();
    place.sandbox.git(&["remote", "add", "origin", &format!("https://me:{SECRET}@example.org/shop.git")]);
    place.run(&place.honest, &[]).expect(0);
    place.tdd(&["undo"]).expect(0);
    assert_eq!(exported(&place.sandbox)[0]["undone"], json!(true));
    place.run(&place.honest, &[]).expect(0);
    let out = place.sandbox.beside("out.jsonl");
    let ran = place.tdd(&["corpus", "export", "--out", out.to_str().unwrap()]).expect(0);
    assert!(ran.stderr.contains("left out: 1 (1 duplicates"), "{}", ran.stderr);
    let sheet = place.sandbox.beside("out.jsonl.datasheet.md");
    assert_eq!(ran.stdout, format!("{}\n{}\n", out.display(), sheet.display()));
    let all = lines(&std::fs::read_to_string(&out).unwrap());
    assert_eq!((all.len(), &all[0]["undone"]), (1, &json!(false)), "the newest stays");
    let repository = json!({
        "origin": "https://example.org/shop.git",
        "licence": { "declared": ["MIT (pyproject.toml)"], "files": ["LICENSE"] },
    });
    assert_eq!(all[0]["repository"], repository);
    let page = std::fs::read_to_string(&sheet).unwrap();
    for words in [
        "# Datasheet of out.jsonl",
        "Repository: https://example.org/shop.git",
        "Licence: MIT (pyproject.toml); told by LICENSE",
        "| agent | scripted | 1 |",
        "| red kind | missing | 1 |",
        "Looked through: runs 2",
        "Left out: 1 duplicates",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    for file in [&out, &sheet] {
        assert_eq!(std::fs::metadata(file).unwrap().mode() & 0o777, 0o600, "its owner alone");
    }
    // Only what was kept since.
    assert_eq!(lines(&place.tdd(&["corpus", "export", "--since", "1d"]).expect(0).stdout).len(), 1);
    assert_eq!(place.tdd(&["corpus", "export", "--since", "2100-01-01"]).expect(0).stdout, "");
    place.tdd(&["corpus", "export", "--since", "lately"]).expect(2).says(&["`lately` is no time", "7d"]);
    place.tdd(&["corpus", "export", "--out", "/no/such/folder/x"]).expect(2).says(&["can't be written"]);
    std::os::unix::fs::symlink("/etc/passwd", place.sandbox.beside("link")).unwrap();
    let link = place.sandbox.beside("link");
    place
        .tdd(&["corpus", "export", "--out", link.to_str().unwrap()])
        .expect(2)
        .says(&["something else than a file"]);
}

#[test]
fn ac_tdd_11_2_what_can_not_be_told_is_left_out_and_said() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.honest, &[]).expect(0);
    let all = exported(&place.sandbox);
    let file = file(&place.sandbox, &all);
    // The trees are gone, though the journal is there.
    for name in place.sandbox.git(&["for-each-ref", "--format=%(refname)", "refs/tdd"]).lines() {
        place.sandbox.git(&["update-ref", "-d", name]);
    }
    place.sandbox.git(&["gc", "-q", "--prune=now"]);
    let ran = place.tdd(&["corpus", "export"]).expect(0);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("1 whose trees are gone"), "{}", ran.stderr);
    let (said, code) = verified(&place.sandbox, &file);
    assert!(said[0].0 == "not proven" && code == 1, "{said:?}");
    let events = place.sandbox.run_dir().join("events.jsonl");
    let told = std::fs::read_to_string(&events).unwrap();
    std::fs::write(&events, told.replacen("STE-1", "STE-2", 1)).unwrap();
    let ran = place.tdd(&["corpus", "export"]).expect(0);
    assert!(ran.stderr.contains("can't be read") && ran.stdout.is_empty(), "{}", ran.stderr);
    assert!(verified(&place.sandbox, &file).0[0].1.contains("journal of its run can't be read"));
}

/// The journal of a session under the gate, with trees that git has.
#[test]
fn ac_tdd_11_5_a_session_is_told_and_replayed_like_a_run() {
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let commit = |path: &str, text: &str| {
        sandbox.write(path, text);
        sandbox.commit();
        CheckpointId(sandbox.git(&["rev-parse", "HEAD"]))
    };
    let base = commit("tests/test_new.py", super::cycle::NEW_TEST);
    let result = commit("shop.py", "def one():\n    return 1\n\n\ndef two():\n    return 2\n");
    let test_id = TestId("tests/test_new.py::New.test_new".to_owned());
    let ran = |status, tree: &CheckpointId, output: Option<Digest>| {
        Event::TestRun(TestRunFact {
            test_id: test_id.clone(),
            test_id_source: TestIdSource::Native,
            status,
            kind: (status == PassFail::Fail).then_some(FailureKind::Missing),
            command: "python3 -m unittest tests.test_new".to_owned(),
            duration_ms: 1,
            file: None,
            tree: Some(tree.clone()),
            output,
        })
    };
    let suite = "python3 -m unittest discover -s tests -t .".to_owned();
    let started = SessionStarted {
        session: SessionId("0b5e".to_owned()),
        version: "0.1.0".to_owned(),
        agent: "claude".to_owned(),
        model: None,
        commands: ProjectCommands {
            test: suite.clone(),
            test_source: "tdd.yaml".to_owned(),
            gate: suite,
            gate_source: "tdd.yaml".to_owned(),
            runner: RunnerKind::Unittest,
        },
        project: String::new(),
        mode: GateMode::Strict,
        free: Vec::new(),
        tools: std::collections::BTreeMap::new(),
        within: None,
        tree: base.clone(),
        git: None,
    };
    let shop_py = RelPath::new("shop.py").unwrap();
    let of_session = |event| Event::Session(Box::new(event));
    let folder = sandbox.path(".tdd/sessions/0b5e");
    let mut journal = JournalFile::create(&folder).unwrap();
    let printed = journal
        .store(format!("in {}: no \u{1b}[31mtwo, {SECRET}\n", sandbox.repo().display()).as_bytes())
        .unwrap();
    let events = [
        of_session(SessionEvent::SessionStarted(Box::new(started))),
        ran(PassFail::Fail, &base, Some(printed)),
        Event::EditClaim { test_id: test_id.clone(), edit_target: shop_py.clone() },
        of_session(SessionEvent::Edit(EditFact {
            edit_target: shop_py,
            test_ids: vec![test_id.clone()],
            ground: EditGround::Claim,
            tool: Some("Edit".to_owned()),
            base: base.clone(),
            tree: result.clone(),
        })),
        ran(PassFail::Pass, &result, None),
        of_session(SessionEvent::Flushed { test_ids: vec![test_id.clone()], tree: result.clone() }),
    ];
    journal.append(1_790_000_000_000, &events).unwrap();
    let all = exported(&sandbox);
    assert_eq!(all.len(), 1, "{all:?}");
    for (field, want) in [
        ("/from", json!("session")),
        ("/run", json!("0b5e")),
        ("/agent", json!("claude")),
        ("/red/kind", json!("missing")),
        ("/red/output", json!("in .: no two, [masked]\n")),
        ("/files", json!(["shop.py"])),
        ("/base/commit", json!(base)),
        ("/test/text", json!(super::cycle::NEW_TEST)),
        ("/criterion", Value::Null),
    ] {
        assert_eq!(*all[0].pointer(field).unwrap(), want, "{field}");
    }
    let named = file(&sandbox, &all);
    assert_eq!(verified(&sandbox, &named), (vec![("proven".into(), String::new())], 0));
    // Of a run with the name of a session, or the other way round, nothing is known.
    let mut other = all[0].clone();
    other["from"] = json!("run");
    let named = file(&sandbox, &[other]);
    assert!(verified(&sandbox, &named).0[0].1.contains("no run or session"));
}

/// A whole cycle, exported and replayed; nothing of the repository is touched by the replay.
fn holds_in(fixture: &str, requirement: &str) {
    let sandbox = Sandbox::of_fixture(fixture);
    let cassette = fixtures().join("cassettes").join(format!("{fixture}.yaml"));
    sandbox.tdd(&[requirement, "--cassette", cassette.to_str().unwrap(), "--quiet"]).expect(0);
    let all = exported(&sandbox);
    let criteria: BTreeSet<&str> = all.iter().map(|one| one["criterion"].as_str().unwrap()).collect();
    assert_eq!(criteria.len(), 3, "each criterion has its triples: {criteria:?}");
    let file = file(&sandbox, &all);
    let refs = || sandbox.git(&["for-each-ref"]);
    let beside = || {
        let entries = std::fs::read_dir(sandbox.beside("")).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect::<BTreeSet<_>>()
    };
    let before = (sandbox.everything(), refs(), beside());
    let (said, code) = verified(&sandbox, &file);
    assert!(said.iter().all(|(proof, _)| proof == "proven") && code == 0, "{said:?}");
    assert_eq!(said.len(), all.len());
    assert!((sandbox.everything(), refs(), beside()) == before, "something was left or changed");
}

#[test]
fn ac_tdd_11_3_a_corpus_holds_in_python() {
    left_to_the_night!();
    if has_pytest() {
        holds_in("python", "PY-1");
    }
}

#[test]
fn ac_tdd_11_3_a_corpus_holds_in_node() {
    left_to_the_night!();
    if has_node() {
        holds_in("node", "NODE-1");
    }
}

#[test]
fn ac_tdd_11_3_a_corpus_holds_in_rust() {
    left_to_the_night!();
    holds_in("demo", "DEMO-1");
}

#[test]
fn ac_tdd_11_3_a_corpus_holds_in_go() {
    left_to_the_night!();
    if has_go() {
        holds_in("go", "GO-1");
    }
}

/// The test looks at a file outside of its tree, which says what it does.
#[test]
fn ac_tdd_11_3_what_is_not_red_or_differs_is_not_proven() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    let moody = honest_shop_cassette().replace(
        "self.assertEqual(shop.two(), 2)",
        "import os; mood = os.environ['TDD_MOOD']\n              if os.path.exists(mood):\n                  once = open(mood).read() == 'once'\n                  once and os.remove(mood)\n                  return\n              self.assertEqual(shop.two(), 2)",
    );
    let cassette = place.sandbox.beside("moody.yaml");
    std::fs::write(&cassette, moody).unwrap();
    let mood = place.sandbox.beside("mood");
    let tdd = |args: &[&str]| {
        let mut command = place.sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        super::sandbox::Ran::of(&command.env("TDD_MOOD", &mood).args(args).output().unwrap())
    };
    tdd(&["STE-1", "--cassette", cassette.to_str().unwrap(), "--quiet"]).expect(0);
    let file = file(&place.sandbox, &lines(&tdd(&["corpus", "export"]).expect(0).stdout));
    tdd(&["corpus", "verify", &file])
        .expect(0)
        .says_on_stdout(&["proven      tests/", "proven: 1, not proven: 0"]);
    std::fs::write(&mood, "always").unwrap();
    tdd(&["corpus", "verify", &file])
        .expect(1)
        .says_on_stdout(&["not proven  tests/", "before the edit: green"]);
    std::fs::write(&mood, "once").unwrap();
    tdd(&["corpus", "verify", &file])
        .expect(1)
        .says_on_stdout(&["unstable    tests/", "before the edit: green; with the edit taken back: red"]);
}

#[test]
fn ac_tdd_11_4_a_file_makes_nothing_run_that_the_journals_do_not_name() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.honest, &[]).expect(0);
    let all = exported(&place.sandbox);
    let sandbox = &place.sandbox;
    // A commit that does harm where its tests are run, and that the file would have replayed.
    let flag = sandbox.beside("harmed");
    let harm = format!("open({:?}, 'w')\n", flag.to_str().unwrap());
    sandbox.git(&["stash", "-u", "-q"]);
    sandbox.write("tests/__init__.py", &harm);
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "harm"]);
    let harmful = sandbox.git(&["rev-parse", "HEAD"]);
    sandbox.git(&["reset", "-q", "--hard", "HEAD~1"]);
    sandbox.git(&["stash", "pop", "-q"]);
    let changed = |pointer: &str, value: Value| {
        let mut line = all[0].clone();
        *line.pointer_mut(pointer).unwrap() = value;
        line
    };
    let touch = format!("touch {}", flag.display());
    for (line, why) in [
        (changed("/base/commit", json!(harmful)), "no such test"),
        (changed("/result/commit", json!(harmful)), "no such test"),
        (changed("/result/commit", json!("HEAD")), "no such test"),
        (changed("/base/commit", json!(format!("--output={}", flag.display()))), "no such test"),
        (changed("/run", json!("../../../etc")), "no run or session"),
        (changed("/run", json!("\u{1b}[2J")), "no run or session"),
        (changed("/test_id", json!("--rootdir=/::x")), "no such test"),
        (changed("/edit/text", json!("diff --git a/x b/x\n")), "not what the repository holds"),
        (changed("/edit/hash", json!("0".repeat(64))), "not what the repository holds"),
        (changed("/test/text", json!("def test_new(): assert True\n")), "not what the repository holds"),
        (changed("/id", json!("x")), "not what the repository holds"),
    ] {
        let file = file(sandbox, std::slice::from_ref(&line));
        let (said, code) = verified(sandbox, &file);
        assert!(said.len() == 1 && said[0].0 == "not proven" && said[0].1.contains(why), "{said:?}: {line}");
        assert_eq!(code, 1);
    }
    // Commands and paths that a line names are read by nobody.
    let mut line = changed("/green/command", json!(touch));
    line["runner"] = json!(touch);
    line["files"] = json!(["/etc/passwd", "../../x"]);
    line["left_out"] = json!(["../../x"]);
    line["test_command"] = json!(touch);
    let named = file(sandbox, &[line.clone(), line]);
    assert_eq!(
        verified(sandbox, &named),
        (vec![("proven".into(), String::new())], 0),
        "once, by the journal"
    );
    assert!(!flag.exists(), "nothing of it was run");
    // What is no line is told with its number.
    let mixed = written(sandbox, b"{}\nnot json \x1b[2J\xff\n[1,2]\n");
    let ran = place.tdd(&["corpus", "verify", &mixed]).expect(1);
    ran.says_on_stdout(&["line 1 is no line of a corpus", "line 2", "line 3", "not proven: 3"]);
    for (bytes, why) in [(&b""[..], "it is empty"), (&vec![b'x'; 5 << 20], "longer than any line")] {
        let file = written(sandbox, bytes);
        place.tdd(&["corpus", "verify", &file]).expect(2).says(&[why, "tdd corpus export"]);
    }
    place.tdd(&["corpus", "verify", "/no/such/file"]).expect(2).says(&["can't be read"]);
    // A command that a flag names is the person's own.
    let plain = file(sandbox, &all);
    place
        .tdd(&["corpus", "verify", &plain, "--test", "python3 -m unittest discover -s tests -t ."])
        .expect(0)
        .says_on_stdout(&["proven: 1"]);
}

/// The journal keeps no secret, so the command is said again.
#[test]
fn ac_tdd_11_4_a_command_with_a_secret_is_said_again() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let suite = "python3 -m unittest discover -s tests -t .";
    let sandbox = shop();
    sandbox.write("tdd.yaml", &format!("test: API_KEY={SECRET} {suite}\n"));
    sandbox.commit();
    let cassette = sandbox.beside("honest.yaml");
    std::fs::write(&cassette, honest_shop_cassette()).unwrap();
    sandbox.tdd(&["STE-1", "--cassette", cassette.to_str().unwrap(), "--quiet"]).expect(0);
    let file = file(&sandbox, &exported(&sandbox));
    let (said, _) = verified(&sandbox, &file);
    assert!(said[0].1.contains("holds a secret") && said[0].1.contains("--test COMMAND"), "{said:?}");
    sandbox.tdd(&["corpus", "verify", &file, "--test", suite]).expect(0);
}
