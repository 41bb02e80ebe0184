use super::classify::{TypeErrors, finding};
use super::*;
use crate::attempt::{AgentEnd, AttemptKind, Digest};
use crate::claim::{ClaimError, ClaimErrorKind};
use crate::effect::RollBack;
use crate::event::Event;
use crate::halt::Ending;
use crate::machine::Machine;
use crate::test::{
    Canary, Exit, Failure, FailureKind, LoadFailure, Outcome, TestReport, TestResult, TestRun,
};

fn checkpoint(name: &str) -> CheckpointId {
    CheckpointId(name.to_owned())
}

fn run_ref() -> RunRef {
    RunRef {
        command: "c".into(),
        exit: Exit::Code(1),
        duration_ms: 1,
        log: String::new(),
        output: String::new(),
        canary: Canary::NotAsked,
        copies: crate::test::Copies::default(),
        failed: Vec::new(),
        in_place: false,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Loads {
    Yes,
    No,
}

/// What a check came to: these tests green, so many failures, loaded or not.
fn found(greens: &[&str], failures: usize, loads: Loads) -> CheckFinding {
    CheckFinding {
        run: run_ref(),
        passed: if failures == 0 { Passed::Yes } else { Passed::No },
        greens: greens.iter().map(|id| TestId((*id).to_owned())).collect(),
        reds: Vec::new(),
        skipped: Vec::new(),
        unloaded_files: Vec::new(),
        evaded: 0,
        complaints: Vec::new(),
        failures,
        unloaded: (loads == Loads::No).then(|| "why".to_owned()),
    }
}

fn findings(tree: &str, check: CheckFinding) -> FixFindings {
    FixFindings {
        tree: checkpoint(tree),
        checks: vec![check],
        changed: Vec::new(),
        put_back: Vec::new(),
        weakened: Vec::new(),
        rewritten: Vec::new(),
        tools: Vec::new(),
        test_aware: Vec::new(),
        flaky: Vec::new(),
    }
}

fn measured(findings: FixFindings) -> Event {
    Event::FixMeasured { findings: Box::new(findings), judged: None }
}

fn started(retries: u8) -> FixStarted {
    let check =
        Check { kind: CheckKind::Command, command: "c".into(), source: "--check".into(), deadline_ms: 1000 };
    FixStarted {
        run: RunId("r".into()),
        version: String::new(),
        task: "t".into(),
        checks: vec![check],
        agent: "a".into(),
        project: String::new(),
        retries,
        test_edits: TestEdits::Refused,
        caps: CapPlan::default(),
    }
}

fn attempt(number: u8) -> Event {
    let kind = if number == 1 { AttemptKind::First } else { AttemptKind::Semantic };
    let attempt =
        Attempt { key: Asked::Fixer, number, kind, before: checkpoint("before"), prompt: Vec::new() };
    Event::AttemptStarted { attempt }
}

fn returned(message: Option<&str>, end: AgentEnd) -> Event {
    let error = ClaimError { kind: ClaimErrorKind::NoBlock, message: String::new(), line: None, meant: None };
    let outcome = AgentReturn {
        end,
        bound: None,
        claim: Err(error),
        session: None,
        turns: None,
        duration_ms: 1,
        silent_ms: None,
        log: String::new(),
        message: message.map(|digest| Digest(digest.into())),
    };
    Event::AgentReturned { outcome: Box::new(outcome), judged: None }
}

fn answered() -> Event {
    returned(Some("d"), AgentEnd::Exited(Exit::Code(0)))
}

/// A run whose start is this, and so many retries.
fn begun(retries: u8, start: CheckFinding) -> FixState {
    let mut state = FixState::open(started(retries));
    state.apply(&Event::CheckpointZero { checkpoint: checkpoint("zero") }).unwrap();
    state.apply(&measured(findings("start", start))).unwrap();
    state
}

/// One more fixer, whose work comes to this.
fn round(state: &mut FixState, answer: &Event, work: FixFindings) {
    let number = state.next_number();
    state.apply(&attempt(number)).unwrap();
    state.apply(answer).unwrap();
    state.apply(&measured(work)).unwrap();
}

fn taken_back(state: &mut FixState, to: &str) {
    let extent = RollBack::Everything;
    let event = Event::WorkRolledBack { to: checkpoint(to), extent, kept_as: checkpoint("worse") };
    state.apply(&event).unwrap();
}

#[test]
fn a_green_start_asks_nobody() {
    let state = begun(3, found(&["a"], 0, Loads::Yes));
    assert_eq!((state.next(), state.is_fixed()), (Some(FixEffect::Finish), true));
    let state = begun(0, found(&[], 1, Loads::Yes));
    assert_eq!(state.next(), Some(FixEffect::Halt(FixHalt::RetriesSpent)), "no retry at all");
}

#[test]
fn a_round_stands_as_it_was_judged_whatever_this_program_would_say() {
    let broken = || begun(2, found(&["a"], 3, Loads::Yes));
    let worse = || found(&["a"], 5, Loads::Yes);
    for (judged, wants) in [
        (None, "taking-back"),
        (Some(FixJudgement { kept: true, fixed: false }), "due"),
        (Some(FixJudgement { kept: true, fixed: true }), "finishing"),
    ] {
        let mut state = broken();
        state.apply(&attempt(1)).unwrap();
        state.apply(&answered()).unwrap();
        let findings = Box::new(findings("worse", worse()));
        let now = state.fix_measured((*findings).clone());
        assert!(matches!(now, Event::FixMeasured { judged: Some(FixJudgement { kept: false, .. }), .. }));
        state.apply(&Event::FixMeasured { findings, judged }).unwrap();
        assert_eq!(state.phase.name(), wants);
    }
}

#[test]
fn the_loop_goes_on_from_what_is_better_and_never_past_its_retries() {
    let mut state = begun(2, found(&["a"], 3, Loads::Yes));
    assert_eq!(state.next(), Some(FixEffect::StartAttempt { number: 1, kind: AttemptKind::First }));
    round(&mut state, &answered(), findings("one", found(&["a"], 1, Loads::Yes)));
    assert_eq!(state.best().unwrap().tree, checkpoint("one"));
    round(&mut state, &answered(), findings("two", found(&["a"], 2, Loads::Yes)));
    assert_eq!(state.next(), Some(FixEffect::TakeBack { to: checkpoint("one") }), "worse than the best");
    taken_back(&mut state, "one");
    assert_eq!(state.next(), Some(FixEffect::Halt(FixHalt::RetriesSpent)));
    let before = state.clone();
    assert!(state.apply(&attempt(3)).is_err(), "no third fork");
    assert_eq!(state, before, "an illegal event changes nothing");
    state.apply(&Event::Halted { report: Digest("d".into()) }).unwrap();
    assert_eq!(state.phase, FixPhase::Ended { end: FixEnd::Halted(FixHalt::RetriesSpent) });
    assert_eq!(state.next(), None);
}

#[test]
fn states_are_ordered_by_loading_then_greens_then_failures() {
    let known: BTreeSet<TestId> = ["a", "b"].map(|id| TestId(id.to_owned())).into();
    let score = |check| Score::of(&findings("t", check), &known);
    let from_bad_to_good = [
        score(found(&["a", "b"], 0, Loads::No)),
        score(found(&[], 0, Loads::Yes)),
        score(found(&["a"], 0, Loads::Yes)),
        score(found(&["a", "b"], 9, Loads::Yes)),
        score(found(&["a", "b"], 1, Loads::Yes)),
        score(found(&["a", "b"], 0, Loads::Yes)),
    ];
    assert!(from_bad_to_good.is_sorted() && from_bad_to_good.windows(2).all(|two| two[0] != two[1]));
    let weakened = FixFindings {
        weakened: vec![RelPath::new("src/a.rs").unwrap()],
        ..findings("t", found(&["a", "b"], 0, Loads::Yes))
    };
    assert!(Score::of(&weakened, &known) < from_bad_to_good[0], "worse than anything honest");
}

#[test]
fn a_green_that_is_gone_is_no_success_and_a_weakened_test_is_taken_back() {
    let mut state = begun(3, found(&["a", "b"], 1, Loads::Yes));
    round(&mut state, &answered(), findings("one", found(&["a"], 0, Loads::Yes)));
    assert_eq!(state.next(), Some(FixEffect::TakeBack { to: checkpoint("start") }), "all pass, one is gone");
    taken_back(&mut state, "start");
    let weakened = FixFindings {
        weakened: vec![RelPath::new("src/a.rs").unwrap()],
        ..findings("two", found(&["a", "b"], 0, Loads::Yes))
    };
    round(&mut state, &answered(), weakened);
    assert!(!state.is_fixed());
    assert_eq!(state.next(), Some(FixEffect::TakeBack { to: checkpoint("start") }));
    taken_back(&mut state, "start");
    round(&mut state, &answered(), findings("three", found(&["a", "b", "c"], 0, Loads::Yes)));
    assert_eq!(state.next(), Some(FixEffect::Finish));
    state.apply(&Event::Finished { ending: Ending::Verified }).unwrap();
    assert_eq!(state.phase, FixPhase::Ended { end: FixEnd::Fixed });
}

#[test]
fn no_answer_ends_the_loop_after_one_more_measurement() {
    for (answer, why) in [
        (returned(None, AgentEnd::Exited(Exit::Code(0))), FixHalt::NoAnswer),
        (returned(Some("d"), AgentEnd::Exited(Exit::Signal(9))), FixHalt::NoAnswer),
        (returned(Some("d"), AgentEnd::Exhausted(crate::attempt::Exhaustion::Wall)), FixHalt::NoAnswer),
    ] {
        let mut state = begun(3, found(&[], 2, Loads::Yes));
        round(&mut state, &answer, findings("one", found(&[], 1, Loads::Yes)));
        assert_eq!(state.next(), Some(FixEffect::Halt(why)));
        assert_eq!(state.best().unwrap().tree, checkpoint("one"), "it was better, and is kept");
        let mut state = begun(3, found(&[], 2, Loads::Yes));
        round(&mut state, &answer, findings("one", found(&[], 0, Loads::Yes)));
        assert_eq!(state.next(), Some(FixEffect::Finish), "judged by findings alone");
    }
}

#[test]
fn nothing_goes_on_while_it_is_paused_and_a_cap_forks_nobody() {
    let mut state = begun(3, found(&[], 2, Loads::Yes));
    state.apply(&Event::Paused { reason: "x".into() }).unwrap();
    assert_eq!(state.next(), None);
    assert!(state.apply(&attempt(1)).is_err());
    let mut state = begun(3, found(&[], 2, Loads::Yes));
    state.run.caps.run.wall_ms = Some(10);
    state.apply(&Event::Worked { ms: 11, runs: crate::event::Runs::default() }).unwrap();
    assert_eq!(state.next(), Some(FixEffect::PauseAtCap));
    assert!(state.apply(&attempt(1)).is_err());
}

#[test]
fn a_replay_is_the_same_state() {
    let events = [
        Event::FixStarted(Box::new(started(2))),
        Event::CheckpointZero { checkpoint: checkpoint("zero") },
        measured(findings("start", found(&["a"], 1, Loads::Yes))),
        attempt(1),
        answered(),
        measured(findings("one", found(&["a"], 0, Loads::Yes))),
    ];
    let state = FixState::replay(&events).unwrap().unwrap();
    assert_eq!((state.phase.name(), state.forks(), state.children()), ("finishing", 1, 1));
    assert!(FixState::replay(&events[1..]).unwrap().is_none(), "not the journal of a fix");
    assert!(FixState::replay([&events[0], &events[2]]).is_err());
}

fn test_run(exit: Exit, report: Option<TestReport>, canary: Canary) -> TestRun {
    TestRun {
        command: "c".into(),
        exit,
        duration_ms: 1,
        build_ms: 0,
        report,
        unreadable: None,
        log: String::new(),
        output: String::new(),
        fail_code: 1,
        canary,
        copies: crate::test::Copies::default(),
    }
}

#[test]
fn exit_code_and_what_was_read_must_agree() {
    let result =
        |id: &str, outcome| TestResult { id: TestId(id.into()), file: None, outcome, duration_ms: 1 };
    let failure = || Failure {
        kind: FailureKind::Assertion,
        message: "no".into(),
        absent: None,
        absent_too: Vec::new(),
    };
    let report = |tests| Some(TestReport { tests, complete: true, ..TestReport::default() });
    let green = || report(vec![result("a", Outcome::Passed)]);
    let red = || report(vec![result("a", Outcome::Passed), result("b", Outcome::Failed(failure()))]);
    let load = LoadFailure::new(RelPath::new("a.py").unwrap(), failure());
    let unloaded = || report(vec![]).map(|report| TestReport { load_failures: vec![load.clone()], ..report });
    let types = |count| TypeErrors { shown: vec!["e".to_owned(); count], count };
    let tests = CheckKind::Tests(RunnerKind::Pytest);
    let mypy = CheckKind::Types(TypeChecker::Mypy);
    let (not, seen) = (Canary::NotAsked, Canary::SeenFailing);
    for (name, kind, exit, report, canary, count, passed, failures, loads) in [
        ("green", tests, 0, green(), not, 0, Passed::Yes, 0, true),
        ("green with its canary", tests, 1, green(), seen, 0, Passed::Yes, 0, true),
        ("red", tests, 1, red(), not, 0, Passed::No, 1, true),
        ("red that exits 0", tests, 0, red(), not, 0, Passed::No, 1, false),
        ("green that exits 3", tests, 3, green(), not, 0, Passed::No, 1, false),
        ("its canary passed", tests, 0, green(), Canary::Passed, 0, Passed::No, 1, false),
        ("a file does not load", tests, 1, unloaded(), not, 0, Passed::No, 1, false),
        ("no tests", tests, 5, report(vec![]), not, 0, Passed::Yes, 0, true),
        ("no tests, and no canary either", tests, 5, report(vec![]), Canary::NotRun, 0, Passed::No, 1, false),
        ("types are fine", mypy, 0, None, not, 0, Passed::Yes, 0, true),
        ("type errors", mypy, 1, None, not, 2, Passed::No, 2, true),
        ("type errors behind `|| true`", mypy, 0, None, not, 2, Passed::No, 2, true),
        ("a checker that broke", mypy, 2, None, not, 0, Passed::No, 1, false),
        ("a command", CheckKind::Command, 0, None, not, 0, Passed::Yes, 0, true),
        ("a failing command", CheckKind::Command, 4, None, not, 0, Passed::No, 1, true),
    ] {
        let run = test_run(Exit::Code(exit), report, canary);
        let found = finding(kind, &run, &types(count), run_ref());
        let got = (found.passed, found.failures, found.unloaded.is_none());
        assert_eq!(got, (passed, failures, loads), "{name}: {found:?}");
    }
    let hung = finding(CheckKind::Command, &test_run(Exit::Deadline, None, not), &types(0), run_ref());
    assert!(hung.unloaded.unwrap().contains("deadline") && hung.failures == 1);
}

#[test]
fn what_passed_in_one_of_two_runs_is_not_lost() {
    let complaint = |id: &str| Complaint { test: Some(TestId(id.into())), text: id.into() };
    let first = CheckFinding { complaints: vec![complaint("b")], ..found(&["a"], 1, Loads::Yes) };
    let second = CheckFinding { complaints: vec![complaint("a")], ..found(&["b"], 1, Loads::Yes) };
    let both = first.with_second(second);
    assert_eq!((both.greens.len(), both.failures, both.passed), (2, 0, Passed::Yes));
    let broken = first.with_second(found(&[], 1, Loads::No));
    assert_eq!((broken.failures, broken.passed), (1, Passed::No));
}

/// What a check came to, test by test: `+` passed, `-` failed, `o` was skipped.
fn shown(tests: &str) -> CheckFinding {
    let of = |mark: char| -> Vec<TestId> {
        let mut ids: Vec<TestId> =
            tests.split(' ').filter_map(|word| word.strip_prefix(mark)).map(|id| TestId(id.into())).collect();
        ids.sort();
        ids
    };
    let reds = of('-');
    let mut finding = found(&[], reds.len(), Loads::Yes);
    (finding.greens, finding.reds, finding.skipped) = (of('+'), reds, of('o'));
    finding
}

#[test]
fn a_test_that_was_red_must_have_passed_to_be_mended() {
    let unloaded = |file: &str, told, skips| Unloaded { file: RelPath::new(file).unwrap(), told, skips };
    let by_name = |skips| vec![unloaded("sub/t.py", Told::ByName, skips)];
    let none = Vec::new;
    for (name, start, files, end, evaded) in [
        ("it passed", "+t.py::a -t.py::b", none(), "+t.py::a +t.py::b", 0),
        ("it is skipped", "+t.py::a -t.py::b", none(), "+t.py::a ot.py::b", 1),
        ("it is gone", "+t.py::a -t.py::b", none(), "+t.py::a", 1),
        ("it still fails", "-t.py::b", none(), "-t.py::b", 0),
        ("it still fails and another is gone", "-t.py::a -t.py::b", none(), "-t.py::a", 1),
        ("it passes and another is gone", "-t.py::a -t.py::b", none(), "+t.py::a", 1),
        ("another case is in its place", "+t.py::a[1] -t.py::a[3]", none(), "+t.py::a[1] +t.py::a[2]", 0),
        ("the other case was there before", "+t.py::a -t.py::b", none(), "+t.py::a +u.py::b", 1),
        ("a case in its place is skipped", "-t.py::a[3] +t.py::b", none(), "+t.py::b ot.py::a[2]", 1),
        ("one was skipped before, too", "-t.py::a[3] ot.py::b", none(), "+t.py::a[2] ot.py::b", 0),
        ("without a file in its name", "-b +a", none(), "+a", 1),
        ("its file loads", "", by_name(Skips::Never), "+t.py::a", 0),
        ("its file is skipped", "", by_name(Skips::Never), "", 1),
        ("a test of it is skipped", "", by_name(Skips::Never), "+t.py::a ot.py::b", 1),
        ("its file is another", "", by_name(Skips::Never), "+u.py::a", 1),
        ("its name ends another's", "", by_name(Skips::Never), "+b/t.py::a", 1),
        ("a test of it was skipped before", "ot.py::b", by_name(Skips::Never), "+t.py::a ot.py::b", 0),
        ("a test of it skips itself", "", by_name(Skips::Itself), "+t.py::a ot.py::b", 0),
        ("all of it skips itself", "", by_name(Skips::Itself), "ot.py::b", 1),
        (
            "nobody knows whether it takes part",
            "",
            vec![unloaded("t.py", Told::ByNobody, Skips::Never)],
            "+u.py::a",
            0,
        ),
        (
            "nobody knew, and it is skipped",
            "",
            vec![unloaded("t.py", Told::ByNobody, Skips::Never)],
            "ot.py::a",
            1,
        ),
    ] {
        let mut before = shown(start);
        before.unloaded_files = files;
        before.failures = before.failures.max(1);
        let state = begun(3, before);
        let mut after = shown(end);
        let failures = after.failures;
        state.must_pass[0].hold(&mut after);
        assert_eq!((after.evaded, after.failures), (evaded, failures + evaded), "{name}: {after:?}");
        assert_eq!(after.is_green(), failures + evaded == 0, "{name}");
    }
}

#[test]
fn reds_that_are_in_no_report_any_more_are_named() {
    let state = begun(3, shown("+t.py::a -t.py::b -t.py::c -t.py::d -t.py::e"));
    let after = shown("+t.py::a +t.py::b -t.py::c ot.py::d");
    let gone: Vec<&str> = state.must_pass[0].gone(&after).map(|id| id.0.as_str()).collect();
    assert_eq!(gone, ["t.py::e"]);
}

#[test]
fn a_red_that_is_skipped_is_no_better_than_one_that_fails() {
    let mut state = begun(3, shown("+t.py::a -t.py::b"));
    let mut skipped = shown("+t.py::a ot.py::b");
    state.must_pass[0].hold(&mut skipped);
    round(&mut state, &answered(), findings("one", skipped));
    assert_eq!(state.next(), Some(FixEffect::TakeBack { to: checkpoint("start") }));
    taken_back(&mut state, "start");
    // A file that did not load shows its tests in a state that is kept: from there on they are must_pass.
    let mut start = shown("+t.py::a");
    (start.failures, start.passed) = (2, Passed::No);
    start.unloaded_files =
        vec![Unloaded { file: RelPath::new("u.py").unwrap(), told: Told::ByName, skips: Skips::Itself }];
    let mut state = begun(3, start);
    round(&mut state, &answered(), findings("one", shown("+t.py::a +u.py::c -u.py::d")));
    let mut skipped = shown("+t.py::a +u.py::c ou.py::d");
    state.must_pass[0].hold(&mut skipped);
    assert_eq!(skipped.evaded, 1);
}
