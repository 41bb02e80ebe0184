//! Where a run stands, in every command that speaks of it (contract section 11): halted, undone, superseded,
//! finished, live, paused elsewhere. Through the real binary.
#![expect(clippy::disallowed_methods, reason = "a test writes cassettes and looks at files")]

use super::cycle::{honest_shop_cassette, shop};
use super::sandbox::{Ran, Sandbox, has_python};
use tdd_core::path::RelPath;
use tdd_core::policy::{FileClass, Policy};

/// The shop, the honest cassette and one whose implementer never gets it right.
pub struct Place {
    pub sandbox: Sandbox,
    pub honest: String,
    pub wrong: String,
}

impl Place {
    pub fn new() -> Self {
        let sandbox = shop();
        let cassette = |name: &str, text: String| {
            let file = sandbox.beside(name);
            std::fs::write(&file, text).unwrap();
            file.to_str().unwrap().to_owned()
        };
        let honest = cassette("honest.yaml", honest_shop_cassette());
        let wrong = cassette("wrong.yaml", honest_shop_cassette().replace("return 2", "return 3"));
        Self { sandbox, honest, wrong }
    }

    pub fn tdd(&self, args: &[&str]) -> Ran {
        self.sandbox.tdd(args)
    }

    pub fn run(&self, cassette: &str, more: &[&str]) -> Ran {
        self.tdd(&[&["STE-1", "--cassette", cassette, "--quiet"], more].concat())
    }

    /// The newest run, as people name it.
    pub fn id(&self) -> String {
        tdd_core::run_name::short(self.sandbox.run_dir().file_name().unwrap().to_str().unwrap()).to_owned()
    }

    /// The journals of all runs.
    pub fn journal(&self) -> String {
        let runs = std::fs::read_dir(self.sandbox.path(".tdd/runs")).into_iter().flatten().flatten();
        runs.filter_map(|run| std::fs::read_to_string(run.path().join("events.jsonl")).ok()).collect()
    }

    /// What `status` and `doctor` say of one run.
    fn told(&self, run: &str) -> (String, String) {
        let status = self.tdd(&["status", run]).expect(0).stdout;
        let state = status.lines().find_map(|line| line.strip_prefix("state ")).unwrap().trim().to_owned();
        let json: serde_json::Value =
            serde_json::from_str(self.tdd(&["status", run, "--json"]).expect(0).stdout.trim()).unwrap();
        assert_eq!(json["state"].as_str().unwrap(), state);
        let doctor = self.tdd(&["doctor"]).stdout;
        let runs: Vec<&str> = doctor.lines().filter(|line| line.contains(" runs ")).collect();
        (state, runs.join("\n"))
    }
}

#[test]
fn a_halted_run_waits_in_every_command() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.wrong, &[]).expect(1);
    let run = place.id();
    let (state, doctor) = place.told(&run);
    assert!(state.starts_with("halted: "), "{state}");
    assert!(doctor.contains(&format!("a run halted: {run}")), "{doctor}");
    place.run(&place.honest, &[]).expect(2).says(&["halted run", &run]);
    place.tdd(&["resume", "--cassette", &place.honest]).expect(2).says(&[
        "say how to go on",
        &format!("tdd resume {run} --retry"),
        &format!("tdd resume {run} --abandon"),
    ]);
    place.tdd(&["resume", "--retry", "--quiet", "--cassette", &place.honest]).expect(0);
}

#[test]
fn ac_tdd_7_8_an_undone_run_is_undone_in_every_command_until_its_undo_is_taken_back() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.wrong, &[]).expect(1);
    let run = place.id();
    place.tdd(&["undo"]).expect(0);
    for _ in 0..2 {
        let (state, doctor) = place.told(&run);
        assert!(state.starts_with("undone; it was: halted"), "{state}");
        assert!(doctor.contains("no unfinished run"), "{doctor}");
        // A second undo does nothing, and says nothing more.
        place.tdd(&["undo"]).expect(0);
    }
    let events = place.sandbox.events();
    assert_eq!(events.iter().filter(|name| *name == "undone").count(), 1, "{events:?}");
    let refused = place.tdd(&["resume", &run, "--retry", "--cassette", &place.honest]).expect(2);
    let refused = refused.says(&["is undone", "tdd STE-1", "bring its work back"]);
    let (_, back) = refused.stderr.split_once("--to ").unwrap();
    let label = back.split(',').next().unwrap();
    place.tdd(&["resume", "--retry", "--cassette", &place.honest]).expect(2).says(&["no run to go on with"]);
    // Its work is brought back, and then it waits again.
    place.tdd(&["undo", &run, "--to", label]).expect(0);
    assert!(place.told(&run).0.starts_with("halted: "));
    place.tdd(&["undo", &run]).expect(0);
    // And the requirement can be begun anew without a word.
    place.run(&place.honest, &[]).expect(0);
    assert!(place.sandbox.read("shop.py").contains("def two"));
}

#[test]
fn ac_tdd_7_8_a_superseded_run_is_that_in_every_command() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.wrong, &[]).expect(1);
    let old = place.id();
    place.sandbox.git(&["clean", "-fdq"]);
    place.sandbox.git(&["checkout", "-q", "."]);
    place.run(&place.honest, &["--new"]).expect(0);
    let new = place.id();
    let (state, doctor) = place.told(&old);
    assert!(state.starts_with(&format!("superseded by {new}; it was: halted")), "{state}");
    assert!(doctor.contains("no unfinished run"), "{doctor}");
    let all = place.tdd(&["status"]).expect(0).stdout;
    assert!(all.contains("superseded by") && all.contains("finished, all verified"), "{all}");
    place
        .tdd(&["resume", &old, "--retry", "--cassette", &place.honest])
        .expect(2)
        .says(&["is superseded", &new]);
    place.tdd(&["resume", "--retry", "--cassette", &place.honest]).expect(2).says(&["no run to go on with"]);
    // Taken back, it supersedes nothing any more.
    place.tdd(&["undo", &new]).expect(0);
    assert!(place.told(&old).0.starts_with("halted: "));
}

#[test]
fn ac_tdd_7_9_a_finished_requirement_says_so_and_forks_nobody() {
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.honest, &[]).expect(0);
    let run = place.id();
    let again = place.run(&place.honest, &[]).expect(0);
    assert!(again.stdout.contains("is finished already") && again.stdout.contains(&run), "{}", again.stdout);
    assert!(again.stdout.contains("tdd STE-1 --new"), "{}", again.stdout);
    let json = place.run(&place.honest, &["--json"]).expect(0).stdout;
    assert!(json.contains("\"type\":\"already_finished\""), "{json}");
    assert_eq!(place.id(), run, "no run was begun");
    // Committed, it is the same tree.
    place.sandbox.git(&["add", "shop.py", "tests/test_ac_ste_1_1.py"]);
    place.sandbox.git(&["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "two"]);
    place.run(&place.honest, &[]).expect(0);
    // On another tree nothing is claimed.
    place.sandbox.write("shop.py", "def one():\n    return 1\n");
    place.run(&place.honest, &[]).expect(2).says(&[
        "is finished already",
        "files were changed since",
        "--new",
    ]);
    // A requirement that says something else now is another one.
    place.sandbox.git(&["checkout", "-q", "."]);
    let text = place.sandbox.read("specs/frs/STE-1.md").replace("gives 2", "gives two");
    place.sandbox.write("specs/frs/STE-1.md", &text);
    let other = place.run(&place.honest, &["--dry-run"]).expect(0);
    assert!(other.stdout.contains("attempts:"), "{}", other.stdout);
    assert_eq!(place.id(), run, "no run was begun");
}

#[test]
fn an_old_run_is_not_taken_for_the_newest() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place
        .sandbox
        .write("specs/frs/STE-2.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-2.1: `two()` gives 2.\n");
    place.run(&place.wrong, &[]).expect(1);
    let old = place.id();
    place.sandbox.git(&["checkout", "-q", "shop.py"]);
    std::fs::remove_file(place.sandbox.path("tests/test_ac_ste_1_1.py")).unwrap();
    let other = place.sandbox.beside("other.yaml");
    std::fs::write(&other, honest_shop_cassette().replace("ste_1_1", "ste_2_1")).unwrap();
    place.tdd(&["STE-2", "--quiet", "--cassette", other.to_str().unwrap()]).expect(0);
    let refused = place.tdd(&["resume", "--retry", "--cassette", &place.honest]).expect(2);
    refused.says(&["say which run to go on with", &old, &place.id()]);
}

#[test]
fn ac_tdd_7_11_no_advice_about_an_old_run_takes_back_later_work() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    let text = "# More\n\n## Acceptance Criteria\n\n- AC-STE-2.1: More.\n  verify: manual\n";
    place.sandbox.write("specs/frs/STE-2.md", text);
    place.run(&place.wrong, &[]).expect(1);
    let (old, folder) = (place.id(), place.sandbox.run_dir());
    let next = |place: &Place| -> String {
        let status = place.tdd(&["status", &old]).expect(0).stdout;
        let doctor = place.tdd(&["doctor"]).stdout;
        let run = place.run(&place.honest, &[]).expect(2).stderr;
        format!("{status}{doctor}{run}")
    };
    // As long as nobody came after it, going back is a way.
    assert_eq!(next(&place).matches(&format!("tdd undo {old}")).count(), 3);
    super::undo::wait_for_another_second();
    let other = place.sandbox.beside("other.yaml");
    let ok = "  say: { status: ok, files: [], command: t, output_excerpt: x }\n";
    let cassette =
        format!("- role: implementer\n  write: {{ more.py: \"x = 1\\n\" }}\n{ok}- role: refactorer\n{ok}");
    std::fs::write(&other, cassette).unwrap();
    place.tdd(&["STE-2", "--quiet", "--allow-red-gate", "--cassette", other.to_str().unwrap()]).expect(4);
    let newer = place.id();
    assert_ne!(newer, old);
    let said = next(&place);
    assert!(said.contains("halted") && !said.contains("tdd undo"), "{said}");
    let resumed = place.tdd(&["resume", &old, "--retry", "--cassette", &place.honest]).expect(3);
    let resumed = resumed.says(&["more.py", "--edited", "a later run came between", &newer]);
    assert!(!resumed.stderr.contains("tdd undo"), "{}", resumed.stderr);
    place.tdd(&["resume", &old, "--edited", "--quiet", "--cassette", &place.wrong]).expect(1);
    let report = std::fs::read_to_string(folder.join("halt.txt")).unwrap();
    assert!(
        report.contains("what can be done next") && !report.contains(&format!("tdd undo {old}\n")),
        "{report}"
    );
    // Taken back itself, it is in nobody's way.
    place.tdd(&["undo", &newer]).expect(0);
    assert_eq!(next(&place).matches(&format!("tdd undo {old}")).count(), 3);
}

#[test]
fn a_run_of_another_work_tree_is_told_as_that_and_left_alone() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.honest, &[]).expect(0);
    let run = place.id();
    let there = place.sandbox.beside("linked");
    place.sandbox.git(&["worktree", "add", "-q", there.to_str().unwrap()]);
    let before = place.sandbox.everything();
    for words in [
        &["status", &run][..],
        &["log", &run],
        &["resume", &run],
        &["undo", &run],
        &["undo", &run, "--discard-changes"],
        &["clean", &run],
    ] {
        let mut tdd = place.sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        let ran = Ran::of(&tdd.args(words).current_dir(&there).output().unwrap());
        let top = place.sandbox.repo();
        ran.expect(2).says(&["is of another work tree", &run, &format!("cd {}", top.display())]);
    }
    assert_eq!(std::fs::read_to_string(there.join("shop.py")).unwrap(), "def one():\n    return 1\n");
    assert_eq!(place.sandbox.everything(), before);
}

/// Its process was killed before the first line of the journal was written.
#[test]
fn a_run_that_never_began_is_spoken_of_by_nobody_and_goes_with_the_next_lock() {
    let sandbox = Sandbox::with(&[("a", "")]);
    let run = ".tdd/runs/20260101T000000Z-STE-1-abcd";
    sandbox.write(&format!("{run}/events.jsonl"), "");
    assert_eq!(
        sandbox.tdd(&["status"]).expect(0).stdout,
        "no runs yet; `tdd` names the requirements that one can begin with\n"
    );
    sandbox.tdd(&["undo"]).expect(2).says(&["no runs yet"]);
    // Its name is still in the lock.
    sandbox.write(".git/tdd.lock", "999999 2026-01-01T00:00:00Z\n");
    let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0);
    assert!(!cleaned.stderr.contains("damaged"), "{}", cleaned.stderr);
    assert!(!sandbox.path(run).exists());
    // One that holds more has begun, and its journal is damaged.
    sandbox.write(&format!("{run}/events.jsonl"), "");
    sandbox.write(&format!("{run}/checkpoints/rules.json"), "{}");
    sandbox.write(".git/tdd.lock", "999999 2026-01-01T00:00:00Z\n");
    sandbox.tdd(&["clean", "--all"]).expect(0).says(&["damaged"]);
    assert!(sandbox.path(run).exists());
}

#[test]
fn what_a_killed_clean_was_about_to_remove_is_no_run() {
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.honest, &[]).expect(0);
    let dir = place.sandbox.run_dir();
    std::fs::rename(&dir, dir.with_file_name(format!(".removed-{}", place.id()))).unwrap();
    assert_eq!(
        place.tdd(&["status"]).expect(0).stdout,
        "no runs yet; `tdd` names the requirements that one can begin with\n"
    );
    place.tdd(&["resume", "--retry", "--cassette", &place.honest]).expect(2).says(&["no run to go on with"]);
}

#[test]
fn edited_files_are_judged_before_anybody_is_forked() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.wrong, &[]).expect(1);
    let forks = place.sandbox.forks();
    let test = place.sandbox.read("tests/test_ac_ste_1_1.py");
    // What does not stand forks nobody.
    place.sandbox.write("tests/test_ac_ste_1_1.py", &test.replace("shop.two(), 2", "shop.one(), 1"));
    let edited = ["resume", "--edited", "--quiet", "--cassette", &place.honest];
    place.tdd(&edited).expect(1);
    assert_eq!(place.sandbox.forks(), forks);
    // What does is run first, and the person's own code stays.
    place.sandbox.write("tests/test_ac_ste_1_1.py", &test.replace("test_new", "test_mine"));
    place.sandbox.write("shop.py", "def one():\n    return 1\n\n\ndef three():\n    return 3\n");
    let before = place.sandbox.events().len();
    let keeps =
        honest_shop_cassette().replace("def two", "def three():\n          return 3\n\n\n      def two");
    let keeps_file = place.sandbox.beside("keeps.yaml");
    std::fs::write(&keeps_file, keeps).unwrap();
    place.tdd(&["resume", "--edited", "--quiet", "--cassette", keeps_file.to_str().unwrap()]).expect(0);
    let events = place.sandbox.events();
    let since = &events[before..];
    let at = |name: &str| since.iter().position(|event| event == name);
    assert!(at("decided") < at("rechecked") && at("rechecked") < at("attempt_started"), "{since:?}");
    assert!(at("rechecked").is_some(), "{since:?}");
    let log = place.tdd(&["log"]).expect(0).stdout;
    assert!(log.contains("the edited tests were run: 1 criteria"), "{log}");
    assert!(place.sandbox.read("shop.py").contains("three"));
}

#[test]
fn ac_tdd_7_10_the_level_of_isolation_holds_when_a_run_is_gone_on_with() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    for level in ["audit", "enforce"] {
        if level == "enforce" && !(cfg!(target_os = "linux") && super::isolation::has_bwrap()) {
            continue;
        }
        let place = Place::new();
        place.run(&place.honest, &["--sandbox", level, "--stop-after", "red"]).expect(3);
        assert_eq!(place.sandbox.level(), level);
        let mut resume = place.sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        resume.args(["resume", "--quiet", "--cassette", &place.honest]);
        // What the machine says since is weaker than what the run was begun with.
        resume.env("TDD_SANDBOX", "auto");
        Ran::of(&resume.output().unwrap()).expect(0);
        let journal = std::fs::read_to_string(place.sandbox.run_dir().join("events.jsonl")).unwrap();
        let levels: Vec<&str> =
            journal.lines().filter(|line| line.contains("\"type\":\"isolated\"")).collect();
        assert!(levels.len() >= 2 && levels.iter().all(|line| line.contains(level)), "{level}: {levels:?}");
    }
}

#[test]
fn a_merge_in_progress_is_refused() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    let git = |args: &[&str]| {
        let who = ["-c", "user.name=t", "-c", "user.email=t@t"];
        place.sandbox.command("git").args(who).args(args).output().unwrap()
    };
    git(&["checkout", "-q", "-b", "other"]);
    place.sandbox.write("shop.py", "def one():\n    return 1  # there\n");
    place.sandbox.commit();
    git(&["checkout", "-q", "main"]);
    place.sandbox.write("shop.py", "def one():\n    return 1  # here\n");
    place.sandbox.commit();
    git(&["merge", "-q", "other"]);
    place.run(&place.honest, &[]).expect(2).says(&["midst of a merge", "in conflict: shop.py", "--abort"]);
    place.sandbox.write("shop.py", "def one():\n    return 1\n");
    git(&["add", "-A"]);
    place.run(&place.honest, &[]).expect(2).says(&["midst of a merge", "half merged"]);
    git(&["commit", "-q", "-m", "merged"]);
    place.run(&place.honest, &[]).expect(0);
}

#[test]
fn a_live_run_is_told_as_live_and_by_which_process() {
    if !has_python() {
        return;
    }
    let place = Place::new();
    let hangs = place.sandbox.beside("hangs.yaml");
    std::fs::write(&hangs, "- role: test-writer\n  misbehave: hang\n").unwrap();
    let mut tdd = place.sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    tdd.args(["STE-1", "--quiet", "--cassette", hangs.to_str().unwrap()]);
    let mut tdd = tdd.stderr(std::process::Stdio::null()).spawn().unwrap();
    super::isolation::await_that("the child is forked", || place.journal().contains("attempt_started"));
    let run = place.id();
    let (state, doctor) = place.told(&run);
    assert!(state.starts_with(&format!("at work, process {}: ", tdd.id())), "{state}");
    assert!(doctor.contains(&format!("a run is at work: {run}")), "{doctor}");
    tdd.kill().unwrap();
    tdd.wait().unwrap();
    let (state, doctor) = place.told(&run);
    assert!(!state.contains("at work"), "{state}");
    assert!(doctor.contains(&format!("a run is unfinished: {run}")), "{doctor}");
}

#[test]
fn a_criterion_for_the_operator_is_told_as_worked_on_and_not_verified() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    let text = "# Looks\n\n## Acceptance Criteria\n\n- AC-STE-1.1: It looks good.\n  verify: manual\n";
    place.sandbox.write("specs/frs/STE-1.md", text);
    let ran = place.tdd(&["STE-1", "-v", "--cassette", &place.honest]).expect(4);
    ran.says(&["no tests of its own", "worked on, not verified", "the work for AC-STE-1.1 is kept"]);
    let ran = place.tdd(&["log"]).expect(0);
    assert!(!ran.stdout.contains("0 of 0 own tests"), "{}", ran.stdout);
    let place = Place::new();
    place.sandbox.write("specs/frs/STE-1.md", text);
    let ran = place.tdd(&["STE-1", "--cassette", &place.honest]).expect(4);
    let (before, _) = ran.stderr.split_once("REFACTOR").unwrap();
    assert!(before.contains("AC-STE-1.1 worked on, not verified") && !before.contains("green:"), "{before}");
}

/// Whoever has the journal and nothing else knows what a role may change.
#[test]
fn ac_tdd_7_16_the_journal_alone_tells_which_file_has_which_class() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    let settings = place.sandbox.read("tdd.yaml");
    place.sandbox.write("tdd.yaml", &format!("{settings}\ngate: sh gate.sh\n"));
    place.sandbox.write("gate.sh", "echo seen >seen.txt; python3 -m pytest -q\n");
    place.sandbox.commit();
    place.run(&place.wrong, &[]).expect(1);
    // It is too long for a line of the journal.
    let settled = |journal: &str| {
        let lines = journal.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let settled = lines.filter(|event| event["type"] == "policy_settled");
        let whole = |event: serde_json::Value| {
            let file = place.sandbox.run_dir().join("files").join(event["file"].as_str().unwrap());
            serde_json::from_slice::<serde_json::Value>(&std::fs::read(file).unwrap()).unwrap()
        };
        settled.map(whole).collect::<Vec<_>>()
    };
    let journal = || std::fs::read_to_string(place.sandbox.run_dir().join("events.jsonl")).unwrap();
    let before = settled(&journal());
    assert_eq!(before.len(), 1, "once, before the first child");
    let at = |name: &str| place.sandbox.events().iter().position(|event| event == name).unwrap();
    assert!(at("baseline_measured") < at("policy_settled") && at("policy_settled") < at("attempt_started"));
    let effective = serde_json::from_value(before[0]["policy"].clone()).unwrap();
    let policy = Policy::of(effective).unwrap();
    for (path, want) in [
        ("tests/test_new.py", FileClass::Test),
        ("shop.py", FileClass::Source),
        ("gate.sh", FileClass::Gate),
        ("specs/frs/STE-1.md", FileClass::Gate),
        ("pyproject.toml", FileClass::Mixed),
        ("__pycache__/shop.pyc", FileClass::ByProduct),
        ("seen.txt", FileClass::ByProduct),
    ] {
        assert_eq!(policy.classify(&RelPath::new(path).unwrap()), want, "{path}");
    }
    place.tdd(&["resume", "--retry", "--cassette", &place.honest, "--quiet"]).expect(0);
    let after = settled(&journal());
    assert_eq!(after.len(), 2, "and again by the process that goes on");
    assert_eq!(after[0]["policy"], after[1]["policy"]);
}

/// By a program that lacks one check, the verdict of a run that this one would judge otherwise.
#[test]
fn ac_tdd_7_12_a_run_that_another_program_judged_reads_as_it_was_judged() {
    if !has_python() {
        return;
    }
    let place = Place::new();
    let (role, rest) = honest_shop_cassette()
        .split_once("- role: implementer")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    let failed = format!("{role}- role: implementer{}", rest.replacen("status: ok", "status: failed", 1));
    let cassette = place.sandbox.beside("failed.yaml");
    std::fs::write(&cassette, failed).unwrap();
    let mut lenient = place.sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    lenient.args(["STE-1", "--quiet", "--cassette"]).arg(&cassette).env("TDD_SWITCH_OFF_GUARD", "ClaimWorse");
    Ran::of(&lenient.output().unwrap()).expect(0);
    let status = place.tdd(&["status"]).expect(0);
    assert!(status.stdout.contains("finished"), "{}", status.stdout);
    let log = place.tdd(&["log"]).expect(0);
    assert!(log.stdout.contains("; passed") && !log.stdout.contains("; failed"), "{}", log.stdout);
    place.tdd(&["undo"]).expect(0);
    place.tdd(&["clean"]).expect(0);
}

#[test]
fn what_is_committed_needs_no_commit() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.honest, &[]).expect(0);
    let next = || {
        let status = place.tdd(&["status"]).expect(0).stdout;
        status.lines().find_map(|line| line.strip_prefix("next ")).unwrap().trim().to_owned()
    };
    assert!(next().contains("commit them"), "{}", next());
    place.sandbox.git(&["add", "shop.py"]);
    place.sandbox.git(&["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "half", "shop.py"]);
    assert!(next().contains("commit them"), "its test is not committed: {}", next());
    place.sandbox.commit();
    assert_eq!(next(), "nothing; none of its changes is left to be committed");
}

#[test]
fn a_run_that_is_undone_says_why_nobody_goes_on_with_it() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.wrong, &[]).expect(1);
    place.tdd(&["undo"]).expect(0);
    let id = place.id();
    let words = [
        "is undone",
        "`tdd undo` has taken its work out of the tree",
        "start anew:                  tdd STE-1",
    ];
    place.tdd(&["resume", &id, "--retry"]).expect(2).says(&words);
    // Where its name is typed for its requirement's.
    for args in [&["run", &id][..], &[&id], &["@"]] {
        let words = ["is a run, and no requirement", "undone", "`tdd STE-1` works on that"];
        place.tdd(args).expect(2).says(&words);
    }
}
