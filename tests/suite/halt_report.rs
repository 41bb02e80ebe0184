//! The halt report: the same story as text and as JSON, in the order of the contract, for every mode.

use tdd::text::halt_report::{HaltFacts, Work, next_steps, object, review, text};
use tdd_core::attempt::{Bound, Exhaustion, SetBy};
use tdd_core::event::Event;
use tdd_core::finding::{Change, ChangeKind, Findings, RedKind};
use tdd_core::halt::Halt;
use tdd_core::role::{Key, Role};
use tdd_core::state::State;
use tdd_core::test::Exit;

use crate::sample::{
    Play, Story, criterion, disputes, halted, measured, not_green, path, reaches, red, refactored, runs_out,
    says_failed, says_nothing, says_ok, silent,
};

fn json(state: &State, halt: &Halt) -> serde_json::Value {
    serde_json::to_value(object(state, halt, &facts())).unwrap()
}

fn facts() -> HaltFacts {
    HaltFacts {
        is_edited: false,
        run_dir: ".tdd/runs/x".to_owned(),
        root: "/repo".to_owned(),
        changed: vec![Change { path: path("src/lib.rs"), kind: ChangeKind::Modified }],
        work: Work::Kept,
        remarks_alone: false,
        touched: vec![path("tests/a.rs")],
        allowable: Vec::new(),
        raw_tail: "thinking…\n\u{1b}[31mgiving up\u{1b}[0m\u{1b}]0;owned\u{7}\n".to_owned(),
        resume_with: String::new(),
        is_followed: false,
        repeats: false,
        setting_line: None,
        first_change: None,
        fences: None,
    }
}

fn implementer() -> Key {
    Key::Implementer(criterion(1))
}

fn play(role: Role, findings: Findings) -> Play {
    Play { returned: says_ok(role), measured: Some(measured(findings)) }
}

/// Name, story, and what the mode line must say.
fn stories() -> Vec<(&'static str, Story, &'static str)> {
    let mut broken = refactored();
    broken.gate_red = true;
    let a = play(Role::TestWriter, Findings::Red(red(RedKind::Passed)));
    let b = play(Role::Implementer, Findings::Green(not_green(1)));
    let c = play(Role::Refactorer, Findings::Refactor(broken));
    let d = Play { returned: says_nothing(), measured: Some(measured(Findings::Green(not_green(1)))) };
    let e = Play {
        returned: runs_out(Exhaustion::Turns),
        measured: Some(measured(Findings::Green(not_green(1)))),
    };
    let dispute = Play { returned: disputes(Role::Implementer), measured: None };
    vec![
        ("A", halted(Key::TestWriter, a), "failure mode: A, false RED"),
        ("B", halted(implementer(), b), "failure mode: B, not GREEN"),
        ("C", halted(Key::Refactorer, c), "failure mode: C, GREEN broken"),
        ("D", halted(implementer(), d), "failure mode: D, format violation"),
        ("E", halted(implementer(), e), "failure mode: E, exhaustion"),
        ("dispute", halted(implementer(), dispute), "dispute: the role says that a test is wrong"),
    ]
}

#[test]
fn ac_tdd_3_9_the_report_has_its_parts_in_order_for_every_mode() {
    for (name, story, mode_line) in stories() {
        let page = text(&story.state, &story.halt(), &facts());
        let mut parts = vec!["tdd ", mode_line, "role: "];
        if story.halt().key.criterion().is_some() {
            parts.push("criterion: AC-STE-1.1");
        }
        let no_block = matches!(name, "D" | "E");
        parts.extend(["attempts: ", if no_block { "no tdd-result block" } else { "last tdd-result block" }]);
        let measured = name != "dispute";
        parts.extend(if measured {
            ["command: cargo test", "exit status: "]
        } else {
            ["command: none was run", ""]
        });
        parts.extend(["changed since the last good checkpoint", "protected files touched"]);
        parts.extend(["run folder", "checkpoints", "criteria done: ", "your files now: "]);
        parts.push("what can be done next");
        let mut from = 0;
        for part in parts {
            let at = page[from..]
                .find(part)
                .unwrap_or_else(|| panic!("{name}: no {part:?} after {from}:\n{page}"));
            from += at + part.len();
        }
        assert!(!page.contains('\u{1b}') && !page.contains("owned"), "{name}: harmless for a terminal");
    }
}

#[test]
fn ac_tdd_3_10_the_report_is_the_same_for_a_machine() {
    for (name, story, _) in stories() {
        let halt = story.halt();
        let (page, value) = (text(&story.state, &halt, &facts()), json(&story.state, &halt));
        assert!(page.starts_with(value["headline"].as_str().unwrap()), "{name}");
        assert_eq!(value["disputed"], name == "dispute");
        assert_eq!(value["mode"].as_str().unwrap_or("dispute"), name);
        for step in value["next"].as_array().unwrap() {
            assert!(page.contains(step["command"].as_str().unwrap()), "{name}: {step}");
        }
        for reason in value["reasons"].as_array().unwrap() {
            assert!(page.contains(reason.as_str().unwrap()), "{name}: {reason}");
        }
        assert_eq!(value["block"].is_null(), !value["raw_output"].is_null(), "{name}: one of the two");
        assert_eq!(value["ran"].is_null(), page.contains("command: none was run"), "{name}");
    }
}

/// As in the summary: before the next git command, which a hook would be run by.
#[test]
fn what_was_left_in_git_is_in_the_report() {
    let (_, mut story, _) = stories().remove(1);
    let page = |story: &Story| text(&story.state, &story.halt(), &facts());
    assert!(!page(&story).contains("look at, before"));
    let line = "the hook pre-commit was left behind; left as it is";
    story.happen(Event::Restored { what: vec!["branch x was put back".to_owned(), line.to_owned()] });
    assert!(page(&story).contains(&format!("look at, before your next git command: {line}\n")));
    assert!(!page(&story).contains("branch x"), "{}", page(&story));
    let value = json(&story.state, &story.halt());
    assert_eq!(value["left_in_git"], serde_json::json!([line]));
}

#[test]
fn tests_that_pass_before_any_work_offer_already_green() {
    for (name, story, _) in stories() {
        let steps = next_steps(&story.state, &story.halt(), &facts());
        let offered = steps.iter().any(|step| step.command == "tdd STE-1 --new --already-green AC-STE-1.1");
        assert_eq!(offered, name == "A", "{name}");
    }
}

/// The first of what can be done is the recommended one.
#[test]
fn ac_tdd_9_15_what_is_recommended_after_a_false_red_fits_its_cause() {
    let first = |play: Play| {
        let story = halted(Key::TestWriter, play);
        let step = next_steps(&story.state, &story.halt(), &facts()).remove(0);
        let because = review(&story.state, &story.halt(), &facts()).advice.words;
        (step, because)
    };
    let of = |kind: RedKind| first(play(Role::TestWriter, Findings::Red(red(kind))));
    let (step, because) = of(RedKind::Passed);
    assert!(step.command.starts_with("tdd review "), "{step:?}");
    assert!(because.contains("pass before any code"), "{because}");
    for kind in [RedKind::Load, RedKind::Timeout, RedKind::Crash] {
        let (step, because) = of(kind);
        assert!(step.what.contains("what keeps the tests from running"), "{kind}: {}", step.what);
        assert!(step.command.ends_with(" --retry") && because.contains("do not run"), "{kind}: {because}");
    }
    let (step, _) = of(RedKind::Unconditional);
    assert_eq!(step.what, "try again with new attempts");
    let gave_up = Play {
        returned: says_failed(Role::TestWriter),
        measured: Some(measured(Findings::Red(red(RedKind::Assertion)))),
    };
    let (step, because) = first(gave_up);
    assert!(step.command.ends_with(" --edited") && step.what.contains("the requirement"), "{step:?}");
    assert!(because.contains("says itself"), "{because}");
}

/// That the test never calls the code and that the code is there already look the same: nothing is marked.
#[test]
fn ac_tdd_9_34_a_test_that_passes_at_once_is_told_both_ways_and_nothing_is_marked() {
    let shown = |kind: RedKind| {
        let story = halted(Key::TestWriter, play(Role::TestWriter, Findings::Red(red(kind))));
        review(&story.state, &story.halt(), &facts())
    };
    let passed = shown(RedKind::Passed);
    assert_eq!(passed.advice.step, None);
    let words = &passed.advice.words;
    assert!(words.contains("never call the project's code, try again (2)"), "{words}");
    assert!(words.contains("does it already, record that (1)"), "{words}");
    assert!(!passed.page.lines().any(|line| line.starts_with('*')), "{}", passed.page);
    assert_eq!(passed.opens, 't');
    // The honest twin: what is known to be wrong has its way on marked.
    assert_eq!(shown(RedKind::Load).advice.step, Some(0));
}

#[test]
fn only_commands_that_exist_are_offered() {
    let known = ["tdd resume ", "tdd log ", "tdd undo ", "tdd STE-1 --new", "tdd diff ", "tdd review "];
    for (name, story, _) in stories() {
        for step in next_steps(&story.state, &story.halt(), &facts()) {
            assert!(known.iter().any(|known| step.command.starts_with(known)), "{name}: {}", step.command);
        }
    }
}

#[test]
fn what_was_read_from_outside_is_bounded() {
    let mut findings = not_green(1);
    findings.runs[0].output = "x".repeat(4000) + "\n" + &"line\n".repeat(500);
    findings.failed = vec![crate::sample::test_id(1); 5000];
    let story = halted(implementer(), play(Role::Implementer, Findings::Green(findings)));
    let many = HaltFacts { raw_tail: "y".repeat(1 << 20), ..facts() };
    let page = text(&story.state, &story.halt(), &many);
    assert!(page.lines().count() < 300, "{} lines", page.lines().count());
    assert_eq!(page.matches("  | line\n").count(), 40);
}

#[test]
fn what_ran_out_is_answered_with_what_gives_more_of_it() {
    let told = |play: Play| {
        let story = halted(implementer(), play);
        let steps = next_steps(&story.state, &story.halt(), &facts());
        steps.into_iter().flat_map(|step| [step.what, step.command, "\n".to_owned()]).collect::<String>()
    };
    for (end, wanted) in [
        (Exhaustion::Turns, "`max_turns` of the role"),
        (Exhaustion::Wall, "`attempt_deadline`"),
        (Exhaustion::Idle, "`idle_deadline`"),
        (Exhaustion::Output, "`output_cap`"),
        (Exhaustion::Cost, "--max-usd-attempt"),
    ] {
        let said =
            told(Play { returned: runs_out(end), measured: Some(measured(Findings::Green(not_green(1)))) });
        assert!(said.contains(wanted), "{end:?}: {said}");
        let settings = ["`attempt_deadline`", "`idle_deadline`", "`output_cap`"];
        let others = settings.iter().filter(|setting| **setting != wanted && said.contains(**setting));
        assert_eq!(others.count(), 0, "{end:?}: {said}");
    }
    let mut cut = not_green(1);
    cut.runs[0].exit = Exit::Deadline;
    let said = told(play(Role::Implementer, Findings::Green(cut)));
    assert!(said.contains("`deadline` in tdd.yaml"), "{said}");
}

/// Under the same limit the same attempt ends in the same way.
#[test]
fn ac_tdd_9_26_a_limit_is_told_with_its_value_and_what_raises_it() {
    let screen = |end, bound: Option<(u64, SetBy)>, facts: &HaltFacts| {
        let bound = bound.map(|(amount, set_by)| Bound { amount, set_by });
        let findings = measured(Findings::Green(not_green(1)));
        let story = halted(implementer(), Play { returned: reaches(end, bound), measured: Some(findings) });
        let shown = review(&story.state, &story.halt(), facts);
        (shown.page.split_whitespace().collect::<Vec<_>>().join(" "), shown.steps[0].command.clone())
    };
    let nothing = HaltFacts { changed: Vec::new(), setting_line: Some(3), ..facts() };
    for (end, bound, words, way, command) in [
        (
            Exhaustion::Wall,
            (4000, SetBy::Settings),
            "stopped twice by its deadline of 4s (`attempt_deadline` in tdd.yaml) and changed no file",
            "1 try again with a higher deadline: 10m, not 4s",
            "--retry --max-wall-attempt 10m",
        ),
        (
            Exhaustion::Wall,
            (1_800_000, SetBy::Nobody),
            "its deadline of 30m (the default)",
            "1 try again with a higher deadline: 1h, not 30m",
            "--retry --max-wall-attempt 1h",
        ),
        (
            Exhaustion::Wall,
            (60_000, SetBy::Flag),
            "its deadline of 1m (--max-wall-attempt)",
            "10m, not 1m",
            "--max-wall-attempt 10m",
        ),
        (
            Exhaustion::Idle,
            (5000, SetBy::Settings),
            "its idle deadline of 5s (`idle_deadline` in tdd.yaml): it was silent for longer",
            "1 raise the idle deadline from 5s: set `idle_deadline: 2m` in tdd.yaml, line 3",
            "--edited",
        ),
        (
            Exhaustion::Turns,
            (4, SetBy::Settings),
            "its turn cap of 4 (`roles.implementer.max_turns` in tdd.yaml)",
            "set `roles.implementer.max_turns: 8` in tdd.yaml",
            "--edited",
        ),
        (
            Exhaustion::Turns,
            (3, SetBy::Agent),
            "its turn cap of 3 (`max_turns` of the agent `scripted`)",
            "set `agents.scripted.max_turns: 6` in tdd.yaml",
            "--edited",
        ),
        (
            Exhaustion::Output,
            (100_000, SetBy::Agent),
            "its output cap of",
            "set `agents.scripted.output_cap:",
            "--edited",
        ),
    ] {
        let (page, first) = screen(end, Some(bound), &nothing);
        assert!(page.contains(words), "{end:?}: {page}");
        assert!(page.contains(way), "{end:?}: {page}");
        assert!(page.contains("under the same limit it would be stopped again"), "{end:?}: {page}");
        assert!(first.ends_with(command), "{end:?}: {first}");
        // What was changed fails in a way of its own, and that is told, too.
        let (page, _) = screen(end, Some(bound), &facts());
        assert!(!page.contains("changed no file") && page.contains("its work so far fails"), "{page}");
    }
    // A journal of an older program tells no value.
    let (page, first) = screen(Exhaustion::Wall, None, &facts());
    assert!(page.contains("its deadline passed") && first.ends_with(" --retry"), "{page}");
}

/// More time mends what is slow, and not what hangs.
#[test]
fn ac_tdd_9_39_a_deadline_that_passed_in_silence_is_told_from_one_that_was_too_short() {
    let bound = Bound { amount: 1_800_000, set_by: SetBy::Nobody };
    let lasted = 1_800_000;
    let screen = |silent_ms, facts: &HaltFacts| {
        let findings = measured(Findings::Green(not_green(1)));
        let play = Play { returned: silent(bound, (silent_ms, lasted)), measured: Some(findings) };
        let story = halted(implementer(), play);
        let shown = review(&story.state, &story.halt(), facts);
        (shown.page.split_whitespace().collect::<Vec<_>>().join(" "), shown.steps[0].command.clone())
    };
    let nothing = HaltFacts { changed: Vec::new(), ..facts() };
    let remarks = HaltFacts { remarks_alone: true, ..facts() };
    for (facts, left) in [(&nothing, "changed no file"), (&remarks, "changed nothing but comments")] {
        let (page, first) = screen(Some(lasted), facts);
        assert!(page.contains("it had printed nothing in 30m; it looks hung, not slow"), "{page}");
        assert!(page.contains(left) && page.contains("is not mended by more time"), "{page}");
        assert!(first.ends_with(" --retry"), "{first}");
        assert!(page.contains("2 try again with a higher deadline: 1h, not 30m"), "{page}");
    }
    // Its twins: one that wrote code without a word, one that spoke to the end, and one that nobody has heard.
    for (silent_ms, facts, words) in [
        (Some(lasted), &facts(), "it looks slow, not hung"),
        (Some(400), &nothing, "it was still printing; it looks slow, not hung"),
        (None, &nothing, "1 try again with a higher deadline"),
    ] {
        let (page, first) = screen(silent_ms, facts);
        assert!(page.contains(words) && page.contains("it would be stopped again"), "{page}");
        assert!(first.ends_with("--max-wall-attempt 1h"), "{first}");
        assert_eq!(page.contains("at its deadline it"), silent_ms.is_some(), "{page}");
    }
}

#[test]
fn ac_tdd_9_27_after_attempts_that_left_the_same_another_is_not_what_is_recommended() {
    let story = halted(implementer(), play(Role::Implementer, Findings::Green(not_green(1))));
    let shown = |repeats| review(&story.state, &story.halt(), &HaltFacts { repeats, ..facts() });
    let same = shown(true);
    assert!(same.page.contains("left the same files, byte for byte"), "{}", same.page);
    // To be mended it has to lie among the files.
    assert!(same.steps[0].what.starts_with("bring the failed work back"), "{:?}", same.steps[0]);
    assert!(same.steps[1].command.ends_with(" --edited"), "{:?}", same.steps[1]);
    assert!(same.advice.words.contains("would most likely leave the same again"), "{}", same.advice.words);
    let other = shown(false);
    assert!(!other.page.contains("the same files"), "{}", other.page);
    assert!(other.steps[0].command.ends_with(" --retry"), "{:?}", other.steps[0]);
}

#[test]
fn a_patch_tells_where_it_changes_something_first() {
    let first = |patch: &str| tdd::text::halt_report::first_change(patch).map(|place| place.to_string());
    let patch = "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -3,7 +4,7 @@ def x\n a\n b\n-c\n+d\n";
    assert_eq!(first(patch).as_deref(), Some("src/a.py:6"));
    let gone = "--- a/src/b.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    assert_eq!(first(gone).as_deref(), Some("src/b.py:1"));
    assert_eq!(first("Binary files a/x and b/x differ\n"), None);
}
