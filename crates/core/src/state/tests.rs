//! A small run to try the transitions on, and what can be asked of a state.

use std::collections::BTreeMap;

use super::*;
use crate::attempt::AgentEnd;
use crate::budget::Bounds;
use crate::claim::{Claim, ClaimError, ClaimErrorKind, ClaimStatus};
use crate::commands::{ProjectCommands, RunnerKind};
use crate::criterion::Criterion;
use crate::event::{Plan, RunId};
use crate::finding::{CriterionRed, GreenFindings, RedKind, RedTest, RefactorFindings, Seen};
use crate::machine::Machine;
use crate::requirement::{Reading, Requirement};
use crate::test::Exit;

pub(super) fn id(number: u64) -> CriterionId {
    CriterionId::new("X", number).unwrap()
}

pub(super) fn implementer(number: u64) -> Key {
    Key::Implementer(id(number))
}

pub(super) fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

pub(super) fn at(name: &str) -> CheckpointId {
    CheckpointId(name.to_owned())
}

/// The requirement with one criterion for each of these, from 1.
pub(super) fn requirement(verify: &[Verify]) -> Requirement {
    let criterion = |(verify, number): (&Verify, u64)| Criterion {
        id: id(number),
        line: 1,
        verify: verify.clone(),
        text: "text".into(),
    };
    let criteria = verify.iter().zip(1..).map(criterion).collect();
    Requirement {
        id: "X".into(),
        path: path("specs/frs/X.md"),
        title: None,
        reading: Reading::Written,
        allow_config: Vec::new(),
        criteria,
    }
}

/// A run right after its start, all criteria of the requirement in hand.
pub(super) fn opened(verify: &[Verify], change: impl FnOnce(&mut Plan)) -> State {
    let requirement = requirement(verify);
    let criteria = requirement.criteria.iter().map(|criterion| criterion.id.clone()).collect();
    let mut plan = Plan { criteria, ..Plan::default() };
    change(&mut plan);
    let (command, source) = ("pytest".to_owned(), "flag".to_owned());
    State::open(RunStarted {
        run: RunId("run".into()),
        version: "0".into(),
        requirement,
        commands: ProjectCommands {
            test: command.clone(),
            test_source: source.clone(),
            gate: command,
            gate_source: source,
            runner: RunnerKind::Pytest,
        },
        project: String::new(),
        agents: ["a".into(), "a".into(), "a".into()],
        models: <[Option<String>; 3]>::default(),
        plan,
    })
}

/// Two criteria that their own tests judge.
pub(super) fn two() -> State {
    opened(&[Verify::Test, Verify::Test], |_| {})
}

pub(super) fn run_ref() -> RunRef {
    let exit = Exit::Code(0);
    RunRef {
        command: "c".into(),
        exit,
        duration_ms: 1,
        log: "l".into(),
        output: "o".into(),
        canary: crate::test::Canary::NotAsked,
        copies: crate::test::Copies::default(),
        failed: Vec::new(),
        in_place: false,
    }
}

pub(super) fn baseline() -> Event {
    let test = SuiteBaseline { greens: vec![TestId("old".into())], collected: 3, ..SuiteBaseline::default() };
    Event::BaselineMeasured { test, gate: Box::default() }
}

fn returned(claim: Result<Claim, ClaimError>) -> Event {
    let (end, log) = (AgentEnd::Exited(Exit::Code(0)), "log".to_owned());
    let outcome = AgentReturn {
        end,
        bound: None,
        claim,
        session: None,
        turns: None,
        duration_ms: 1,
        silent_ms: None,
        log,
        message: None,
    };
    Event::AgentReturned { outcome: Box::new(outcome), judged: None }
}

pub(super) fn says_ok(key: &Key) -> Event {
    returned(Ok(Claim {
        role: key.role(),
        status: ClaimStatus::Ok,
        files: vec![],
        command: "pytest".into(),
        output_excerpt: String::new(),
        notes: None,
        tests: BTreeMap::new(),
        supersedes: BTreeMap::new(),
        dispute: None,
    }))
}

pub(super) fn says_nothing() -> Event {
    returned(Err(ClaimError {
        kind: ClaimErrorKind::NoBlock,
        message: "none".into(),
        line: None,
        meant: None,
    }))
}

pub(super) fn red_of(numbers: &[u64], kind: RedKind) -> RedFindings {
    let one = |number: &u64| {
        let test = TestId(format!("tests/a.py::own{number}"));
        let test = RedTest { id: test, kind, seen: Seen::Reported, message: String::new(), why: None };
        CriterionRed {
            id: id(*number),
            files: vec![path("tests/a.py")],
            tests: vec![test],
            may_skip: Vec::new(),
        }
    };
    let criteria = numbers.iter().map(one).collect();
    RedFindings { criteria, runs: vec![run_ref()], ..RedFindings::default() }
}

pub(super) fn green() -> GreenFindings {
    let passed = vec![TestId("tests/a.py::own".into())];
    GreenFindings { passed, runs: vec![run_ref()], ..GreenFindings::default() }
}

pub(super) fn measured(findings: Findings) -> Event {
    Event::AttemptMeasured { findings: Box::new(findings), verdict: None }
}

/// Findings that pass for all criteria that RED must cover.
pub(super) fn good(state: &State, key: &Key) -> Findings {
    let numbers: Vec<u64> = state.covered_by_red().iter().map(CriterionId::number).collect();
    match key {
        Key::TestWriter => Findings::Red(red_of(&numbers, RedKind::Assertion)),
        Key::Implementer(_) => Findings::Green(green()),
        Key::Refactorer => Findings::Refactor(RefactorFindings::default()),
    }
}

pub(super) fn bad(key: &Key) -> Findings {
    match key {
        Key::TestWriter => Findings::Red(red_of(&[1, 2], RedKind::Passed)),
        Key::Implementer(_) => Findings::Green(GreenFindings { gate_red: true, ..green() }),
        Key::Refactorer => {
            Findings::Refactor(RefactorFindings { gate_red: true, ..RefactorFindings::default() })
        }
    }
}

#[track_caller]
pub(super) fn happen(state: &mut State, event: &Event) {
    state.apply(event).unwrap_or_else(|illegal| panic!("{illegal}"));
}

/// The event is refused, and nothing of the state has changed.
#[track_caller]
pub(super) fn refused(state: &State, event: &Event) {
    let mut after = state.clone();
    let illegal = after.apply(event).expect_err(event.name());
    assert_eq!(illegal.event, event.name());
    assert_eq!(after, *state, "{illegal}");
}

/// The attempt that is due, as the driver would journal it.
#[track_caller]
pub(super) fn due(state: &State) -> Attempt {
    let Phase::Due { key, kind } = &state.phase else { panic!("nothing is due: {}", state.phase.name()) };
    let number = state.next_number(key);
    let before = at(&format!("before {key} {number}"));
    Attempt { key: key.clone(), number, kind: *kind, before, prompt: vec![] }
}

/// Forks the attempt that is due, and gives its key.
#[track_caller]
pub(super) fn fork(state: &mut State) -> Key {
    let attempt = due(state);
    let key = attempt.key.clone();
    happen(state, &Event::AttemptStarted { attempt: attempt.into() });
    key
}

/// To where the first attempt is due.
pub(super) fn begin(state: &mut State) {
    happen(state, &Event::CheckpointZero { checkpoint: at("zero") });
    happen(state, &baseline());
}

/// The attempt that is due goes well.
#[track_caller]
pub(super) fn succeed(state: &mut State) -> Key {
    let key = fork(state);
    happen(state, &says_ok(&key));
    happen(state, &measured(good(state, &key)));
    happen(state, &Event::WorkKept { checkpoint: at(&format!("good {key}")) });
    key
}

/// The attempt that is due fails on its work, and its work is rolled back.
#[track_caller]
pub(super) fn fail(state: &mut State) {
    let key = fork(state);
    happen(state, &says_ok(&key));
    happen(state, &measured(bad(&key)));
    roll_back(state);
}

#[track_caller]
pub(super) fn roll_back(state: &mut State) {
    let Phase::RollingBack { to, extent, .. } = state.phase.clone() else {
        panic!("nothing to roll back: {}", state.phase.name())
    };
    happen(state, &Event::WorkRolledBack { to, extent, kept_as: at("failed") });
}

/// Fails what is due until the run halts.
#[track_caller]
pub(super) fn halt(state: &mut State) {
    while matches!(state.phase, Phase::Due { .. }) {
        fail(state);
    }
    happen(state, &Event::Halted { report: crate::attempt::Digest("d".into()) });
}

/// The child of what is due is forked, and we are killed; it is put back.
#[track_caller]
pub(super) fn cut(state: &mut State) {
    fork(state);
    happen(state, &Event::Resumed);
    happen(state, &Event::AttemptCut { kept_as: at("cut") });
}

pub(super) fn is_due(state: &State, key: &Key) -> bool {
    matches!(&state.phase, Phase::Due { key: due, .. } if due == key)
}

#[test]
fn red_covers_what_tests_judge_and_nobody_has_accepted() {
    let verify = [Verify::Test, Verify::Gate, Verify::Manual, Verify::Mdtest("a.md".into()), Verify::Test];
    let mut state = opened(&verify, |_| {});
    assert_eq!(state.covered_by_red(), [id(1), id(5)]);
    state.progress.insert(id(1), Progress::Accepted);
    state.progress.insert(id(5), Progress::Red);
    assert_eq!(state.covered_by_red(), [id(5)]);
    for (number, verify) in (1..).zip(&verify) {
        assert_eq!(state.verify(&id(number)), *verify);
    }
    assert_eq!(state.verify(&id(9)), Verify::Test, "of a criterion that nobody knows");
}

#[test]
fn a_criterion_is_reached_when_its_green_has_begun() {
    for (progress, forked, want) in [
        (Progress::Pending, false, false),
        (Progress::Pending, true, false),
        (Progress::Red, false, false),
        (Progress::Red, true, false),
        (Progress::Green, false, true),
        (Progress::Green, true, true),
        (Progress::AlreadyGreen, false, true),
        (Progress::Unverified, false, true),
        (Progress::Accepted, false, false),
        (Progress::Accepted, true, false),
    ] {
        let mut state = two();
        state.progress.insert(id(1), progress);
        state.ledgers.insert(implementer(if forked { 1 } else { 2 }), Ledger::default());
        assert_eq!(state.is_reached(&id(1)), want, "{progress:?} {forked}");
    }
}

#[test]
fn forks_are_counted_and_so_are_the_children_that_came_back() {
    let mut state = two();
    begin(&mut state);
    assert_eq!((state.forks(), state.children()), (0, 0));
    fork(&mut state);
    assert_eq!((state.forks(), state.children()), (1, 0));
    happen(&mut state, &says_ok(&Key::TestWriter));
    assert_eq!((state.forks(), state.children()), (1, 1));
    happen(&mut state, &measured(bad(&Key::TestWriter)));
    roll_back(&mut state);
    succeed(&mut state);
    fork(&mut state);
    assert_eq!((state.forks(), state.children()), (3, 2));
}

/// A format retry goes on with the work before it, and what was cut off counts for nothing.
#[test]
fn work_is_measured_against_the_tree_before_the_last_attempt_that_did_work() {
    let mut state = two();
    begin(&mut state);
    let base = |state: &State| state.base(&Key::TestWriter).map(|tree| tree.0.clone());
    let last = |state: &State| state.ledgers[&Key::TestWriter].last().map(|entry| entry.attempt.number);
    assert_eq!((base(&state), state.attempt()), (None, None));
    assert_eq!(Ledger::default().last(), None);
    fork(&mut state);
    assert_eq!(state.attempt().map(|attempt| attempt.number), Some(1));
    happen(&mut state, &says_nothing());
    assert_eq!((base(&state).as_deref(), last(&state)), (Some("before test-writer 1"), Some(1)));
    fork(&mut state);
    assert_eq!((base(&state).as_deref(), last(&state)), (Some("before test-writer 1"), Some(2)));
    happen(&mut state, &Event::Resumed);
    happen(&mut state, &Event::AttemptCut { kept_as: at("cut") });
    assert_eq!((base(&state).as_deref(), last(&state)), (Some("before test-writer 1"), Some(1)));
    state.phase = Phase::Due { key: Key::TestWriter, kind: AttemptKind::Semantic };
    fork(&mut state);
    assert_eq!((base(&state).as_deref(), last(&state)), (Some("before test-writer 3"), Some(3)));
    assert_eq!(state.base(&Key::Refactorer), None);
}

#[test]
fn a_journal_begins_with_the_run() {
    let state = two();
    let started = Event::RunStarted(Box::new(state.run.clone()));
    assert_eq!(State::replay([]), Ok(None));
    assert_eq!(State::replay([&started]), Ok(Some(state)));
    let illegal = State::replay([&Event::Resumed]).unwrap_err();
    assert_eq!(illegal.to_string(), "the event `resumed` can't follow the journal's beginning");
    let illegal = State::replay([&started, &baseline()]).unwrap_err();
    assert_eq!(illegal.to_string(), "the event `baseline_measured` can't follow opening");
}

#[test]
fn budgets_are_those_of_the_plan() {
    let mut state = opened(&[Verify::Test], |plan| plan.bounds = Bounds { semantic: 3, format: 0 });
    begin(&mut state);
    halt(&mut state);
    assert_eq!(state.ledgers[&Key::TestWriter].entries.len(), 3);
}
