//! A journal of 100,000 events: read from the disk, checked, and folded into a state.

use std::path::Path;
use std::time::{Duration, Instant};

use tdd::text::journal_line;
use tdd::world::journal_file::{self, JournalFile};
use tdd_core::attempt::{AgentEnd, AgentReturn, Attempt, AttemptKind, CheckpointId, PromptPart};
use tdd_core::claim::{Claim, ClaimStatus};
use tdd_core::commands::{ProjectCommands, RunnerKind};
use tdd_core::criterion::{Criterion, CriterionId, Verify};
use tdd_core::event::{Event, PassFail, Plan, RunId, RunStarted, TestIdSource, TestRunFact};
use tdd_core::finding::{
    CriterionRed, Findings, GreenFindings, RedFindings, RedKind, RedTest, RunRef, Seen, SuiteBaseline,
};
use tdd_core::greens::GreensChange;
use tdd_core::machine::Machine;
use tdd_core::path::RelPath;
use tdd_core::ports::Journal as _;
use tdd_core::requirement::{Reading, Requirement};
use tdd_core::role::{Key, Role};
use tdd_core::state::State;
use tdd_core::test::{Canary, Exit, TestId};

use super::table::{Figure, Row, median, ms};

const EVENTS: usize = 100_000;
pub const CRITERIA: u64 = 300;
const TIMES: usize = 5;

pub fn measure() -> Vec<Row> {
    let dir = tempfile::TempDir::with_prefix("tdd-bench-").unwrap();
    let run = dir.path().join("20260101T000000Z-B-1-abcd");
    write(&run, EVENTS);
    let (mut whole, mut folds, mut known) = (Vec::new(), Vec::new(), Vec::new());
    let began = Instant::now();
    let all = journal_file::read_only(&run).unwrap().len();
    let with_facts = began.elapsed();
    assert!(all >= EVENTS);
    for _ in 0..TIMES {
        let began = Instant::now();
        let records = journal_file::read_for_state(&run).unwrap();
        let read = began.elapsed();
        let state = State::replay(records.iter().map(|record| &record.event)).unwrap().unwrap();
        whole.push(began.elapsed());
        folds.push(began.elapsed().saturating_sub(read));
        assert_eq!(state.forks(), usize::try_from(CRITERIA).unwrap() + 1);

        if known.is_empty() {
            let glance = journal_file::glance::<State>(&run, "bench").unwrap();
            assert!(glance.state.is_none());
            glance.keep(&state);
        }
        let began = Instant::now();
        let glance = journal_file::glance::<State>(&run, "bench").unwrap();
        known.push(began.elapsed());
        assert_eq!((glance.state, glance.records.len()), (Some(state), 0));
    }
    let bytes = std::fs::metadata(run.join("events.jsonl")).unwrap().len();
    let kept = std::fs::metadata(run.join("events.snapshot")).unwrap().len();
    vec![
        Row {
            what: "fold of a 100,000-event journal".to_owned(),
            figure: Figure::Time { measured: median(whole), bound: Duration::from_millis(100) },
            note: format!(
                "median of {TIMES}, read from disk and checked; the fold alone {}; with each fact about a test read, once, {}",
                ms(median(folds)),
                ms(with_facts)
            ),
        },
        Row {
            what: "the same from its snapshot".to_owned(),
            figure: Figure::Time { measured: median(known), bound: Duration::from_millis(10) },
            note: format!("median of {TIMES}; {bytes} bytes of journal hashed, {kept} bytes of snapshot"),
        },
    ]
}

/// Writes the journal of a run of 300 criteria that has reached its last one, with as many facts
/// about tests as it takes to have `events` of them.
pub fn write(run: &Path, events: usize) {
    write_on(run, events, &[]);
}

/// The same with these trees for what was kept, as far as they go.
pub fn write_on(run: &Path, events: usize, trees: &[CheckpointId]) {
    let mut journal = JournalFile::create(run).unwrap();
    let mut story = story(events);
    let mut trees = trees.iter();
    for event in &mut story {
        if let Event::WorkKept { checkpoint } = event
            && let Some(tree) = trees.next()
        {
            checkpoint.clone_from(tree);
        }
    }
    for chunk in story.chunks(5_000) {
        journal.append(1_750_000_000_000, chunk).unwrap();
    }
}

fn story(wanted: usize) -> Vec<Event> {
    let mut events = vec![
        Event::RunStarted(Box::new(started())),
        Event::CheckpointZero { checkpoint: checkpoint(0) },
        Event::BaselineMeasured { test: SuiteBaseline::default(), gate: Box::default() },
    ];
    let each = wanted.saturating_sub(8).div_ceil(usize::try_from(CRITERIA).unwrap());
    attempt(&mut events, Key::TestWriter, Findings::Red(red()), 4);
    for number in 1..=CRITERIA {
        attempt(&mut events, Key::Implementer(criterion(number)), Findings::Green(green(number)), each);
    }
    events
}

/// One attempt that passed, in so many events.
fn attempt(events: &mut Vec<Event>, key: Key, findings: Findings, count: usize) {
    let role = key.role();
    let part = |name: &str| PromptPart { name: name.to_owned(), digest: journal_line::digest(b"part") };
    let prompt = vec![part("task"), part("criterion"), part("commands")];
    let attempt =
        Attempt { key, number: 1, kind: AttemptKind::First, before: checkpoint(events.len()), prompt };
    events.push(Event::AttemptStarted { attempt: attempt.into() });
    events.push(Event::AgentReturned { outcome: Box::new(returned(role)), judged: None });
    for _ in 4..count {
        events.push(Event::TestRun(TestRunFact {
            test_id: TestId("checks/ac_b_1_1.t::works as it should".to_owned()),
            test_id_source: TestIdSource::Native,
            status: PassFail::Pass,
            kind: None,
            command: "sh run.sh checks/ac_b_1_1.t".to_owned(),
            duration_ms: 3,
            file: None,
            tree: None,
            output: None,
        }));
    }
    events.push(Event::AttemptMeasured { findings: Box::new(findings), verdict: None });
    events.push(Event::WorkKept { checkpoint: checkpoint(events.len()) });
}

fn returned(role: Role) -> AgentReturn {
    let claim = Claim {
        role,
        status: ClaimStatus::Ok,
        files: vec![RelPath::new("src/a.rs").unwrap()],
        command: "sh run.sh".to_owned(),
        output_excerpt: "ok\n".repeat(20),
        notes: None,
        tests: std::collections::BTreeMap::default(),
        supersedes: std::collections::BTreeMap::default(),
        dispute: None,
    };
    AgentReturn {
        end: AgentEnd::Exited(Exit::Code(0)),
        bound: None,
        claim: Ok(claim),
        session: None,
        turns: Some(5),
        duration_ms: 60_000,
        silent_ms: None,
        log: ".tdd/runs/x/logs/agent.log".to_owned(),
        message: Some(journal_line::digest(b"message")),
    }
}

fn started() -> RunStarted {
    let all: Vec<u64> = (1..=CRITERIA).collect();
    let criteria = all.iter().map(|number| Criterion {
        id: criterion(*number),
        line: 5,
        verify: Verify::Test,
        text: format!("There is an impl_{number}."),
    });
    RunStarted {
        run: RunId("20260101T000000Z-B-1-abcd".to_owned()),
        version: "0.1.0".to_owned(),
        requirement: Requirement {
            id: "B-1".to_owned(),
            path: RelPath::new("specs/frs/B-1.md").unwrap(),
            title: Some("Bench".to_owned()),
            reading: Reading::Written,
            allow_config: Vec::new(),
            criteria: criteria.collect(),
        },
        commands: ProjectCommands {
            test: "sh run.sh".to_owned(),
            test_source: "tdd.yaml".to_owned(),
            gate: "sh run.sh".to_owned(),
            gate_source: "tdd.yaml".to_owned(),
            runner: RunnerKind::Junit,
        },
        project: String::new(),
        agents: ["instant".to_owned(), "instant".to_owned(), "instant".to_owned()],
        models: <[Option<String>; 3]>::default(),
        plan: Plan { criteria: all.into_iter().map(criterion).collect(), ..Plan::default() },
    }
}

fn criterion(number: u64) -> CriterionId {
    CriterionId::new("B-1", number).unwrap()
}

fn test_id(number: u64) -> TestId {
    TestId(format!("checks/ac_b_1_{number}.t::works"))
}

fn checkpoint(number: usize) -> CheckpointId {
    CheckpointId(format!("{number:040x}"))
}

fn run_ref() -> RunRef {
    RunRef {
        command: "sh run.sh".to_owned(),
        exit: Exit::Code(0),
        duration_ms: 5,
        log: ".tdd/runs/x/tests/001.log".to_owned(),
        output: "one line of output, as short ones are\n".repeat(10),
        canary: Canary::NotAsked,
        copies: tdd_core::test::Copies::default(),
        failed: Vec::new(),
        in_place: false,
    }
}

fn red() -> RedFindings {
    let one = |number: u64| CriterionRed {
        id: criterion(number),
        files: vec![RelPath::new(&format!("checks/ac_b_1_{number}.t")).unwrap()],
        tests: vec![RedTest {
            id: test_id(number),
            kind: RedKind::Assertion,
            seen: Seen::Reported,
            message: "no impl".to_owned(),
            why: None,
        }],
        may_skip: Vec::new(),
    };
    RedFindings {
        criteria: (1..=CRITERIA).map(one).collect(),
        runs: vec![run_ref(), run_ref()],
        ..RedFindings::default()
    }
}

fn green(number: u64) -> GreenFindings {
    GreenFindings {
        passed: vec![test_id(number)],
        greens: GreensChange { gained: vec![test_id(number)], lost: Vec::new() },
        collected_before: 1,
        collected_now: 1,
        runs: vec![run_ref()],
        ..GreenFindings::default()
    }
}
