//! The states of a run's life, and what each command says of them: one table (contract section 11). Every
//! run is made by the real binary, and whoever is asked tells the same.
#![expect(clippy::disallowed_methods, reason = "a test starts processes and looks at files")]

use std::process::{Child, Command, Stdio};

use super::battery;
use super::isolation::await_that;
use super::run_status::Place;
use super::sandbox::{Ran, has_python};

/// A run in some state, and who works on it or has followed it.
struct Made {
    run: String,
    /// The process at work, which is ended when the row is done.
    process: Option<Child>,
    /// The run that came after it.
    by: String,
}

impl Made {
    fn run(run: String) -> Self {
        Self { run, process: None, by: String::new() }
    }

    fn live(run: String, process: Child) -> Self {
        Self { run, process: Some(process), by: String::new() }
    }

    /// A word of the table with this run's own names in it.
    fn filled(&self, word: &str) -> String {
        let pid = self.process.as_ref().map(|process| process.id().to_string()).unwrap_or_default();
        word.replace("RUN", &self.run).replace("PID", &pid).replace("BY", &self.by)
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// An exit code, and words of which each must be said.
type Want<'w> = (i32, &'w [&'w str]);

struct Row {
    state: &'static str,
    make: fn(&Place) -> Made,
    status: Want<'static>,
    doctor: Want<'static>,
    run: Want<'static>,
    resume: Want<'static>,
    undo: Want<'static>,
    clean: Want<'static>,
    show: Want<'static>,
}

const NONE: Want<'static> = (0, &["no unfinished run"]);
const ANEW: Want<'static> = (0, &["attempts:    3 if nothing fails"]);
const BACK: Want<'static> = (0, &["undone: the work tree is as checkpoint 0"]);
const HALF_UNDONE: Want<'static> =
    (2, &["an undo of the run RUN was cut off", "bring the undo to its end first: tdd undo RUN"]);
const LOCKED: Want<'static> = (2, &["another tdd works in this work tree", "process PID", "works on RUN"]);

const TABLE: [Row; 9] = [
    Row {
        state: "halted",
        make: halted,
        status: (0, &["state        halted: ", "or `tdd undo RUN`"]),
        doctor: (0, &["a run halted: RUN", "or back to before it: tdd undo RUN"]),
        run: (2, &["has a halted run", "halted: ", "tdd undo RUN, then"]),
        resume: (2, &["the run RUN halted", "say how to go on"]),
        undo: BACK,
        clean: (0, &["would be removed: RUN", "  halted: "]),
        show: (0, &["cause: ", "recommended: "]),
    },
    Row {
        state: "undone",
        make: undone,
        status: (0, &["state        undone; it was: halted: "]),
        doctor: NONE,
        run: ANEW,
        resume: (2, &["the run RUN is undone", "bring its work back"]),
        undo: (0, &["nothing to undo"]),
        clean: (0, &["would be removed: RUN", "  undone; it was: halted: "]),
        show: (0, &["cause: ", "that was so when RUN ended; now it is undone"]),
    },
    Row {
        state: "superseded",
        make: superseded,
        status: (0, &["state        superseded by BY; it was: halted: ", "nothing; `tdd status BY`"]),
        doctor: NONE,
        run: (0, &["is finished already, by BY"]),
        resume: (2, &["the run RUN is superseded: BY has finished"]),
        undo: (2, &["the run RUN is superseded: BY has finished", "tdd undo BY"]),
        clean: (0, &["would be removed: RUN", "  superseded by BY; it was: halted: "]),
        show: (0, &["now it is superseded", "tdd status BY"]),
    },
    Row {
        state: "resumed elsewhere",
        make: resumed_elsewhere,
        status: (0, &["state        at work, process PID: ", "kill PID"]),
        doctor: (1, &["a run is at work: RUN", "at work, process PID: "]),
        run: LOCKED,
        resume: LOCKED,
        undo: LOCKED,
        clean: (1, &["left alone: RUN: at work, process PID: "]),
        show: (0, &["cause: "]),
    },
    Row {
        state: "abandoned",
        make: abandoned,
        status: (0, &["state        given up by the operator", "`tdd undo RUN` brings the tree back"]),
        doctor: NONE,
        run: ANEW,
        resume: (2, &["the run RUN was given up"]),
        undo: BACK,
        clean: (0, &["would be removed: RUN", "  given up by the operator"]),
        show: (0, &["that was so when RUN halted; it was given up since"]),
    },
    Row {
        state: "cleaned in part",
        make: cleaned_in_part,
        status: (
            0,
            &["state        cleaned in part", "it was: halted: ", "`tdd clean RUN` removes the rest"],
        ),
        doctor: NONE,
        run: ANEW,
        resume: (2, &["the run RUN is cleaned in part", "tdd clean RUN"]),
        undo: (0, &["undone: the work tree is as checkpoint 0", "was gone; put back"]),
        clean: (0, &["would be removed: RUN", "  cleaned in part"]),
        show: (0, &["now it is cleaned in part", "tdd clean RUN"]),
    },
    Row {
        state: "half undone",
        make: half_undone,
        status: (0, &["state        an undo of it was cut off", "`tdd undo RUN` brings it to its end"]),
        doctor: (1, &["an undo of the run RUN was cut off", "tdd undo RUN"]),
        run: HALF_UNDONE,
        resume: (2, &["the run RUN is half undone", "tdd undo RUN"]),
        undo: BACK,
        clean: (1, &["left alone: RUN: an undo of it was cut off"]),
        show: (0, &["now it is half undone", "tdd undo RUN"]),
    },
    Row {
        state: "killed before the baseline",
        make: killed_before_the_baseline,
        status: (0, &["state        cut off before any work was done: ", "`tdd STE-1` starts anew"]),
        doctor: NONE,
        run: ANEW,
        // It has all that it began with, so it can go on; nobody has to.
        resume: (0, &["done"]),
        undo: (0, &["nothing to undo"]),
        clean: (0, &["would be removed: RUN", "  cut off before any work was done: "]),
        show: (2, &["RUN has no report"]),
    },
    Row {
        state: "live",
        make: live,
        status: (0, &["state        at work, process PID: ", "kill PID"]),
        doctor: (1, &["a run is at work: RUN", "at work, process PID: "]),
        run: LOCKED,
        resume: LOCKED,
        undo: LOCKED,
        clean: (1, &["left alone: RUN: at work, process PID: "]),
        show: (2, &["RUN has no report"]),
    },
];

fn halted(place: &Place) -> Made {
    place.run(&place.wrong, &[]).expect(1);
    Made::run(place.id())
}

fn undone(place: &Place) -> Made {
    let made = halted(place);
    place.tdd(&["undo"]).expect(0);
    made
}

fn superseded(place: &Place) -> Made {
    let made = halted(place);
    place.sandbox.git(&["clean", "-fdq"]);
    place.sandbox.git(&["checkout", "-q", "."]);
    place.run(&place.honest, &["--new"]).expect(0);
    let by = place.id();
    assert_ne!(by, made.run);
    Made { by, run: made.run.clone(), process: None }
}

fn abandoned(place: &Place) -> Made {
    let made = halted(place);
    place.tdd(&["resume", "--abandon"]).expect(1);
    made
}

/// `tdd undo` was killed right after it had noted what it was about to do.
fn half_undone(place: &Place) -> Made {
    let made = halted(place);
    let all = place.sandbox.git(&["for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/tdd"]);
    let refs = all.lines().map(|line| line.split(['/', ' ']).collect::<Vec<_>>());
    let (zero, others): (Vec<_>, Vec<_>) = refs.partition(|name| name[1] == "0");
    let (run, to, label, now) = (zero[0][0], zero[0][2], others[0][1], others[0][2]);
    let note = format!(r#"{{"run":"{run}","to":"{to}","label":"{label}","now":"{now}"}}"#);
    place.sandbox.write(".git/tdd-undo.json", &note);
    made
}

/// `tdd clean` removes the refs first, and was killed right after it.
fn cleaned_in_part(place: &Place) -> Made {
    let made = halted(place);
    let refs = place.sandbox.git(&["for-each-ref", "--format=%(refname)", "refs/tdd"]);
    refs.lines().for_each(|name| drop(place.sandbox.git(&["update-ref", "-d", name])));
    made
}

/// Starts it and waits until the journal of the only run says so often that somebody was forked.
fn hanging(place: &Place, args: &[&str], forks: usize) -> Child {
    let hangs = place.sandbox.beside("hangs.yaml");
    std::fs::write(
        &hangs,
        "- role: test-writer\n  misbehave: hang\n- role: implementer\n  misbehave: hang\n",
    )
    .unwrap();
    let child = started(place, &[args, &["--cassette", hangs.to_str().unwrap()]].concat());
    await_that("the child is forked", || place.journal().matches("\"attempt_started\"").count() >= forks);
    child
}

fn started(place: &Place, args: &[&str]) -> Child {
    let mut tdd = place.sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    tdd.args(args).arg("--quiet").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn live(place: &Place) -> Made {
    let process = hanging(place, &["STE-1"], 1);
    Made::live(place.id(), process)
}

/// Another process than the one that began it has gone on with it.
fn resumed_elsewhere(place: &Place) -> Made {
    let made = halted(place);
    let forks = place.sandbox.forks();
    let process = hanging(place, &["resume", "--retry"], forks + 1);
    Made::live(made.run.clone(), process)
}

fn killed_before_the_baseline(place: &Place) -> Made {
    let holds = "import os\nwhile os.path.exists('../hold'): pass\n";
    let tests = place.sandbox.read("tests/test_old.py");
    place.sandbox.write("tests/test_old.py", &format!("{holds}{tests}"));
    place.sandbox.commit();
    std::fs::write(place.sandbox.beside("hold"), "").unwrap();
    let mut tdd = started(place, &["STE-1", "--cassette", &place.honest]);
    await_that("the baseline is under way", || place.journal().contains("\"checkpoint_zero\""));
    tdd.kill().unwrap();
    tdd.wait().unwrap();
    std::fs::remove_file(place.sandbox.beside("hold")).unwrap();
    Made::run(place.id())
}

fn copied(from: &std::path::Path, to: &std::path::Path) {
    assert!(Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
}

/// What is not as it should be.
fn missed(what: &str, made: &Made, ran: &Ran, (code, words): Want<'_>) -> Vec<String> {
    let said = format!("{}\n{}", ran.stdout, ran.stderr);
    let words = words.iter().map(|word| made.filled(word)).filter(|word| !said.contains(word));
    let mut missed: Vec<String> = words.map(|word| format!("{what}: no `{word}`")).collect();
    missed.extend((ran.code != code).then(|| format!("{what}: exit {} for {code}", ran.code)));
    missed.extend((!missed.is_empty()).then_some(said));
    missed
}

fn disagreements(row: &Row) -> Vec<String> {
    let place = Place::new();
    let made = (row.make)(&place);
    let (repo, saved) = (place.sandbox.repo(), place.sandbox.beside("saved"));
    let (run, honest) = (made.run.as_str(), place.honest.as_str());
    if made.process.is_none() {
        copied(&repo, &saved);
    }
    // What would be done and what is done is the same.
    let (code, words) = row.clean;
    let words: Vec<&str> = words.iter().map(|word| word.strip_prefix("would be ").unwrap_or(word)).collect();
    let clean = if made.process.is_some() { LOCKED } else { (code, words.as_slice()) };
    let commands: [(&str, &[&str], Want<'_>); 8] = [
        ("status", &["status", run], row.status),
        ("doctor", &["doctor"], row.doctor),
        ("run", &["STE-1", "--dry-run", "--cassette", honest], row.run),
        ("resume", &["resume", run, "--cassette", honest], row.resume),
        ("show", &["show", run], row.show),
        ("undo", &["undo", run], row.undo),
        ("clean", &["clean", run, "--dry-run"], row.clean),
        ("clean, done", &["clean", run], clean),
    ];
    let others: [(&str, &[&str], Want<'_>); 3] = [
        ("clean, all", &["clean", "--all", "--discard-commits"], (0, &["1 run kept"])),
        ("fix", &["fix", "--max-retries", "0"], HALF_UNDONE),
        ("run, anew", &["STE-1", "--new", "--cassette", honest], HALF_UNDONE),
    ];
    let others = others.into_iter().filter(|_| row.state == "half undone");
    let mut all = Vec::new();
    for (command, args, want) in commands.into_iter().chain(others) {
        // Nothing but an agent of its own is in the way of a run here; the others have the cassette.
        let agent = "agent: mine\nagents: { mine: { argv: [sh, agent.sh, '{prompt_file}'] } }\n";
        place.sandbox.own_settings(if command == "doctor" { agent } else { "" });
        all.extend(missed(&format!("{}, {command}", row.state), &made, &place.tdd(args), want));
        if made.process.is_none() {
            std::fs::remove_dir_all(&repo).unwrap();
            copied(&saved, &repo);
        }
    }
    all
}

/// Its work may be brought back, and it is gone on with by nobody.
#[test]
fn a_run_that_was_given_up_and_undone_is_not_said_to_go_on() {
    left_to_the_night!();
    if has_python() {
        let place = Place::new();
        abandoned(&place);
        place.tdd(&["undo"]).expect(0);
        let refused = place.tdd(&["resume", "--retry", "--cassette", &place.honest]).expect(2);
        refused.says(&["there is no run to go on with"]);
        let refused = place.tdd(&["resume", &place.id(), "--retry"]).expect(2).says(&["was given up"]);
        assert!(!refused.stderr.contains("then tdd resume"), "{}", refused.stderr);
    }
}

#[test]
fn ac_tdd_7_8_every_command_says_the_same_of_every_state() {
    left_to_the_night!();
    if has_python() {
        let all: Vec<String> = battery::part(&TABLE, 6).into_iter().flat_map(disagreements).collect();
        assert!(all.is_empty(), "{}", all.join("\n"));
    }
}
