//! A small run to tell stories about: two criteria, one agent, every event written out.

use std::collections::BTreeMap;

use tdd_core::attempt::{
    AgentEnd, AgentReturn, Attempt, AttemptKind, Bound, CheckpointId, Digest, Exhaustion,
};
use tdd_core::claim::{Claim, ClaimError, ClaimErrorKind, ClaimStatus, Dispute};
use tdd_core::commands::{ProjectCommands, RunnerKind};
use tdd_core::criterion::{Criterion, CriterionId, Verify};
use tdd_core::effect::Effect;
use tdd_core::event::{Event, Plan, RunId, RunStarted};
use tdd_core::finding::{
    CriterionRed, Findings, GreenFindings, RedFindings, RedKind, RedTest, RefactorFindings, RunRef,
    SuiteBaseline,
};
use tdd_core::greens::GreensChange;
use tdd_core::halt::{Ending, Halt};
use tdd_core::next::next;
use tdd_core::path::RelPath;
use tdd_core::requirement::{Reading, Requirement};
use tdd_core::role::{Key, Role};
use tdd_core::state::{End, Phase, State};
use tdd_core::test::{Canary, Exit, TestId};

pub(crate) fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

pub(crate) fn criterion(number: u64) -> CriterionId {
    CriterionId::new("STE-1", number).unwrap()
}

pub(crate) fn test_id(number: u64) -> TestId {
    TestId(format!("tests/ac_ste_1_{number}.rs::works"))
}

pub(crate) fn checkpoint(name: &str) -> CheckpointId {
    CheckpointId(format!("{name:0<40}"))
}

fn one_criterion(number: u64) -> Criterion {
    Criterion {
        id: criterion(number),
        line: 10,
        verify: Verify::Test,
        text: format!("Thing {number} works."),
    }
}

/// Two criteria, RED to REFACTOR, usual budgets.
pub(crate) fn started() -> RunStarted {
    RunStarted {
        run: RunId("20260101T000000Z-ste-1-abcd".to_owned()),
        version: "0.1.0".to_owned(),
        requirement: Requirement {
            id: "STE-1".to_owned(),
            path: path("specs/frs/STE-1.md"),
            title: Some("Things that work".to_owned()),
            reading: Reading::Written,
            allow_config: Vec::new(),
            criteria: vec![one_criterion(1), one_criterion(2)],
        },
        commands: ProjectCommands {
            test: "cargo test".to_owned(),
            test_source: "CLAUDE.md".to_owned(),
            gate: "cargo clippy && cargo test".to_owned(),
            gate_source: "tdd.yaml".to_owned(),
            runner: RunnerKind::Cargo,
        },
        project: String::new(),
        agents: ["scripted".to_owned(), "scripted".to_owned(), "scripted".to_owned()],
        models: <[Option<String>; 3]>::default(),
        plan: Plan { criteria: vec![criterion(1), criterion(2)], ..Plan::default() },
    }
}

pub(crate) fn run_ref(exit: Exit, output: &str) -> RunRef {
    RunRef {
        command: "cargo test --test ac_ste_1_1".to_owned(),
        exit,
        duration_ms: 1500,
        log: "runs/x/green.log".to_owned(),
        output: output.to_owned(),
        canary: Canary::NotAsked,
        copies: tdd_core::test::Copies::default(),
        failed: Vec::new(),
        in_place: false,
    }
}

pub(crate) fn claim(role: Role, status: ClaimStatus) -> Claim {
    Claim {
        role,
        status,
        files: vec![path("src/lib.rs")],
        command: "cargo test".to_owned(),
        output_excerpt: "test result: ok".to_owned(),
        notes: None,
        tests: BTreeMap::new(),
        supersedes: BTreeMap::new(),
        dispute: None,
    }
}

pub(crate) fn returned(claim: Result<Claim, ClaimError>, end: AgentEnd) -> Event {
    let outcome = AgentReturn {
        end,
        bound: None,
        claim,
        session: None,
        turns: Some(3),
        duration_ms: 12_345,
        silent_ms: None,
        log: "runs/x/agent.log".to_owned(),
        message: None,
    };
    Event::AgentReturned { outcome: Box::new(outcome), judged: None }
}

/// The child ended by itself and says `ok`.
pub(crate) fn says_ok(role: Role) -> Event {
    returned(Ok(claim(role, ClaimStatus::Ok)), AgentEnd::Exited(Exit::Code(0)))
}

pub(crate) fn says_failed(role: Role) -> Event {
    returned(Ok(claim(role, ClaimStatus::Failed)), AgentEnd::Exited(Exit::Code(0)))
}

/// The child ended by itself with no valid block.
pub(crate) fn says_nothing() -> Event {
    returned(Err(no_block()), AgentEnd::Exited(Exit::Code(0)))
}

pub(crate) fn runs_out(of: Exhaustion) -> Event {
    returned(Err(no_block()), AgentEnd::Exhausted(of))
}

/// The same with what is known of the bound.
pub(crate) fn reaches(of: Exhaustion, bound: Option<Bound>) -> Event {
    let Event::AgentReturned { mut outcome, judged } = runs_out(of) else { panic!("it returned") };
    outcome.bound = bound;
    Event::AgentReturned { outcome, judged }
}

/// The same of one that lasted and was silent for so long.
pub(crate) fn silent(of: Bound, (silent_ms, lasted_ms): (Option<u64>, u64)) -> Event {
    let Event::AgentReturned { mut outcome, judged } = reaches(Exhaustion::Wall, Some(of)) else {
        panic!("it returned")
    };
    (outcome.silent_ms, outcome.duration_ms) = (silent_ms, lasted_ms);
    Event::AgentReturned { outcome, judged }
}

pub(crate) fn disputes(role: Role) -> Event {
    let dispute = Dispute { tests: vec![test_id(1).0], reason: "it expects 5 of 2 + 2".to_owned() };
    let claim = Claim { dispute: Some(dispute), ..claim(role, ClaimStatus::Failed) };
    returned(Ok(claim), AgentEnd::Exited(Exit::Code(0)))
}

fn no_block() -> ClaimError {
    ClaimError {
        kind: ClaimErrorKind::NoBlock,
        message: "no fence was found".to_owned(),
        line: None,
        meant: None,
    }
}

fn red_of(number: u64, kind: RedKind) -> CriterionRed {
    let message = "assertion failed".to_owned();
    let tests = vec![RedTest {
        id: test_id(number),
        kind,
        seen: tdd_core::finding::Seen::Reported,
        message,
        why: None,
    }];
    CriterionRed { id: criterion(number), files: vec![path("tests/a.rs")], tests, may_skip: Vec::new() }
}

/// RED for both criteria, the first of this kind.
pub(crate) fn red(kind: RedKind) -> RedFindings {
    RedFindings {
        criteria: vec![red_of(1, kind), red_of(2, RedKind::Assertion)],
        runs: vec![run_ref(Exit::Code(101), "failures:\n")],
        ..RedFindings::default()
    }
}

pub(crate) fn green(number: u64) -> GreenFindings {
    GreenFindings {
        passed: vec![test_id(number)],
        greens: GreensChange { gained: vec![test_id(number)], lost: Vec::new() },
        collected_before: 1,
        collected_now: 1,
        runs: vec![run_ref(Exit::Code(0), "test result: ok\n")],
        ..GreenFindings::default()
    }
}

pub(crate) fn not_green(number: u64) -> GreenFindings {
    GreenFindings {
        passed: Vec::new(),
        failed: vec![test_id(number)],
        runs: vec![run_ref(Exit::Code(101), "left: 1\nright: 2\n")],
        ..green(number)
    }
}

pub(crate) fn refactored() -> RefactorFindings {
    RefactorFindings { runs: vec![run_ref(Exit::Code(0), "ok\n")], ..RefactorFindings::default() }
}

pub(crate) fn measured(findings: Findings) -> Event {
    Event::AttemptMeasured { findings: Box::new(findings), verdict: None }
}

/// What an attempt comes to: what its child returned, and what was measured if anything was.
#[derive(Clone, Debug)]
pub(crate) struct Play {
    pub(crate) returned: Event,
    pub(crate) measured: Option<Event>,
}

/// A run that is driven by [`next`] and told what its attempts come to.
pub(crate) struct Story {
    pub(crate) state: State,
    /// All events so far, with the state after each.
    pub(crate) told: Vec<(State, Event)>,
}

impl Story {
    pub(crate) fn of(run: RunStarted) -> Self {
        let state = State::open(run.clone());
        let first = (state.clone(), Event::RunStarted(Box::new(run)));
        Self { state, told: vec![first] }
    }

    pub(crate) fn happen(&mut self, event: Event) {
        self.state.apply(&event).unwrap_or_else(|illegal| panic!("{illegal}: {event:?}"));
        self.told.push((self.state.clone(), event));
    }

    /// Goes on until nothing is left to do. `play` decides what each attempt comes to.
    pub(crate) fn go(&mut self, mut play: impl FnMut(&Attempt) -> Play) {
        let mut due: Option<Play> = None;
        while let Some(effect) = next(&self.state) {
            assert!(self.told.len() < 500, "the run does not end");
            let event = match effect {
                Effect::TakeCheckpointZero => Event::CheckpointZero { checkpoint: checkpoint("a0") },
                Effect::MeasureBaseline => {
                    let suite = SuiteBaseline {
                        command: "cargo test".to_owned(),
                        exit: Some(Exit::Code(0)),
                        duration_ms: 2000,
                        greens: vec![TestId("tests/old.rs::stays".to_owned())],
                        ..SuiteBaseline::default()
                    };
                    Event::BaselineMeasured { test: suite.clone(), gate: Box::new(suite) }
                }
                Effect::StartAttempt { key, number, kind } => {
                    let attempt = Attempt { key, number, kind, before: checkpoint("b0"), prompt: Vec::new() };
                    due = Some(play(&attempt));
                    Event::AttemptStarted { attempt: attempt.into() }
                }
                Effect::RunAgent => due.as_ref().unwrap().returned.clone(),
                Effect::Measure => {
                    due.as_ref().unwrap().measured.clone().expect("nothing was to be measured")
                }
                Effect::KeepWork => Event::WorkKept { checkpoint: checkpoint("c0") },
                Effect::RollBack { to, extent } => {
                    Event::WorkRolledBack { to, extent, kept_as: checkpoint("f0") }
                }
                Effect::PutBackCut { .. }
                | Effect::TakeWork
                | Effect::Recheck
                | Effect::HearMdtest { .. }
                | Effect::Prove
                | Effect::HoldOut(_)
                | Effect::PauseAtCap
                | Effect::PauseWithoutRed { .. } => {
                    panic!("nobody resumes these stories")
                }
                Effect::MeasureGate => {
                    Event::GateMeasured { green: true, run: run_ref(Exit::Code(0), ""), judged_at: None }
                }
                Effect::Halt => Event::Halted { report: Digest("0".repeat(64)) },
                Effect::Finish => Event::Finished { ending: self.ending() },
            };
            self.happen(event);
        }
    }

    fn ending(&self) -> Ending {
        match &self.state.phase {
            Phase::Finishing { ending } => *ending,
            other => panic!("no ending in {}", other.name()),
        }
    }

    pub(crate) fn halt(&self) -> Halt {
        match &self.state.phase {
            Phase::Ended { end: End::Halted(halt) } => halt.clone(),
            other => panic!("the run did not halt: {other:?}"),
        }
    }

    pub(crate) fn forks(&self, key: &Key) -> usize {
        self.state.ledgers.get(key).map_or(0, |ledger| ledger.entries.len())
    }

    pub(crate) fn events(&self) -> impl Iterator<Item = &Event> {
        self.told.iter().map(|(_, event)| event)
    }
}

/// What an attempt comes to when all goes well.
pub(crate) fn well(attempt: &Attempt) -> Play {
    let findings = match &attempt.key {
        Key::TestWriter => Findings::Red(red(RedKind::Assertion)),
        Key::Implementer(id) => Findings::Green(green(id.number())),
        Key::Refactorer => Findings::Refactor(refactored()),
    };
    Play { returned: says_ok(attempt.key.role()), measured: Some(measured(findings)) }
}

/// Well until the attempts of `key`, which all come to `bad`.
pub(crate) fn well_but(key: Key, bad: Play) -> impl FnMut(&Attempt) -> Play {
    move |attempt| if attempt.key == key { bad.clone() } else { well(attempt) }
}

/// A run in which every attempt of `key` comes to `bad`, so that it halts.
pub(crate) fn halted(key: Key, bad: Play) -> Story {
    let mut story = Story::of(started());
    story.go(well_but(key, bad));
    story
}

pub(crate) fn first_kind(attempt: &Attempt) -> bool {
    attempt.kind == AttemptKind::First
}
