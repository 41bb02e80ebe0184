//! All of the state space of a two-criterion requirement, findings included.
//!
//! What an earlier key's attempts said does not matter to what follows, so two states are the same
//! to the walk when phase, the counts of the key in hand, the progress and the ghost facts agree.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;

use tdd_core::attempt::{AgentEnd, AgentReturn, Attempt, AttemptKind, CheckpointId, Digest, Exhaustion};
use tdd_core::budget::Bounds;
use tdd_core::claim::{Claim, ClaimError, ClaimErrorKind, ClaimStatus, Dispute};
use tdd_core::commands::{ProjectCommands, RunnerKind};
use tdd_core::criterion::{Criterion, CriterionId, Verify};
use tdd_core::effect::Effect;
use tdd_core::event::{Decision, Event, MissingBlock, Plan, Refactoring, RunId, RunStarted};
use tdd_core::finding::{
    CriterionRed, Findings, GreenFindings, GreenJudge, RedFindings, RedKind, RedTest, RefactorFindings,
    RunRef, Seen, SuiteBaseline, Superseded,
};
use tdd_core::halt::Ending;
use tdd_core::judge::Verdict;
use tdd_core::machine::Machine;
use tdd_core::next::next;
use tdd_core::path::RelPath;
use tdd_core::proof::{Extent, ProofFindings};
use tdd_core::requirement::{Reading, Requirement};
use tdd_core::role::{Key, Role, Stage};
use tdd_core::state::{AfterRollBack, End, Phase, Progress, State};
use tdd_core::test::{Canary, Exit, TestId};
use tdd_core::usage::{CapPlan, Caps, ChildUse, Usage};

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

fn criterion(number: u64) -> CriterionId {
    CriterionId::new("X", number).unwrap()
}

fn test_of(id: &CriterionId) -> TestId {
    TestId(format!("tests/{}.py::test", id.slug()))
}

fn opened(plan: Plan) -> State {
    let criteria: Vec<Criterion> = plan
        .criteria
        .iter()
        .map(|id| Criterion { id: id.clone(), line: 1, verify: Verify::Test, text: "text".into() })
        .collect();
    let command = "python3 -m pytest".to_owned();
    State::open(RunStarted {
        run: RunId("run".into()),
        version: "0".into(),
        requirement: Requirement {
            id: "X".into(),
            path: path("specs/frs/X.md"),
            title: None,
            reading: Reading::Written,
            allow_config: Vec::new(),
            criteria,
        },
        commands: ProjectCommands {
            test: command.clone(),
            test_source: "flag".into(),
            gate: command,
            gate_source: "test".into(),
            runner: RunnerKind::Pytest,
        },
        project: String::new(),
        agents: ["a".into(), "a".into(), "a".into()],
        models: <[Option<String>; 3]>::default(),
        plan,
    })
}

fn two_criteria() -> Plan {
    Plan { criteria: vec![criterion(1), criterion(2)], ..Plan::default() }
}

fn run_ref() -> RunRef {
    RunRef {
        command: "c".into(),
        exit: Exit::Code(0),
        duration_ms: 1,
        log: "l".into(),
        output: "o".into(),
        canary: Canary::NotAsked,
        copies: tdd_core::test::Copies::default(),
        failed: Vec::new(),
        in_place: false,
    }
}

fn returned(end: AgentEnd, claim: Result<Claim, ClaimError>) -> Event {
    let log = "log".to_owned();
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

fn claim(role: Role, status: ClaimStatus, dispute: Option<Dispute>) -> Claim {
    Claim {
        role,
        status,
        files: vec![],
        command: "c".into(),
        output_excerpt: String::new(),
        notes: None,
        tests: BTreeMap::new(),
        supersedes: BTreeMap::new(),
        dispute,
    }
}

/// Every way in which a child can come back.
fn returns(role: Role) -> Vec<(String, Event)> {
    let exited = AgentEnd::Exited(Exit::Code(0));
    let no_block =
        || ClaimError { kind: ClaimErrorKind::NoBlock, message: "none".into(), line: None, meant: None };
    let dispute = Dispute { tests: vec!["t".into()], reason: "wrong".into() };
    let mut all = vec![
        ("says ok".to_owned(), returned(exited, Ok(claim(role, ClaimStatus::Ok, None)))),
        ("says failed".to_owned(), returned(exited, Ok(claim(role, ClaimStatus::Failed, None)))),
        ("disputes".to_owned(), returned(exited, Ok(claim(role, ClaimStatus::Failed, Some(dispute))))),
        ("no block".to_owned(), returned(exited, Err(no_block()))),
        ("crashes".to_owned(), returned(AgentEnd::Exited(Exit::Signal(11)), Err(no_block()))),
    ];
    for what in [Exhaustion::Turns, Exhaustion::Wall, Exhaustion::Idle, Exhaustion::Output] {
        all.push((format!("exhausted {what:?}"), returned(AgentEnd::Exhausted(what), Err(no_block()))));
    }
    let late = returned(AgentEnd::Exhausted(Exhaustion::Wall), Ok(claim(role, ClaimStatus::Ok, None)));
    all.push(("exhausted with a block".to_owned(), late));
    all
}

fn red(kinds: [RedKind; 2]) -> RedFindings {
    let one = |number: u64, kind: RedKind| {
        let id = criterion(number);
        let test =
            RedTest { id: test_of(&id), kind, seen: Seen::Reported, message: String::new(), why: None };
        CriterionRed {
            files: vec![path(&format!("tests/{}.py", id.slug()))],
            id,
            tests: vec![test],
            may_skip: Vec::new(),
        }
    };
    RedFindings {
        criteria: vec![one(1, kinds[0]), one(2, kinds[1])],
        runs: vec![run_ref()],
        ..RedFindings::default()
    }
}

/// Each finding with whether it is one that a verdict may pass.
fn red_findings() -> Vec<(String, Findings, bool)> {
    let good = || red([RedKind::Assertion, RedKind::Assertion]);
    let mut all = Vec::new();
    for first in RedKind::ALL {
        for second in [RedKind::Assertion, RedKind::Passed] {
            let passes = first.is_accepted() && second.is_accepted();
            all.push((format!("red {first}+{second}"), Findings::Red(red([first, second])), passes));
        }
    }
    let mut bad = |label: &str, change: &dyn Fn(&mut RedFindings)| {
        let mut findings = good();
        change(&mut findings);
        all.push((label.to_owned(), Findings::Red(findings), false));
    };
    bad("no candidate", &|f| f.criteria[1].tests.clear());
    bad("source changed", &|f| f.forbidden.push(path("src/a.py")));
    bad("unlisted change", &|f| f.unlisted.push(TestId("t".into())));
    bad("known green broken", &|f| f.broken.push(TestId("t".into())));
    bad("no evidence", &|f| f.no_evidence = Some("torn".into()));
    let superseded = |changed: bool, kind: RedKind| Superseded {
        criterion: criterion(1),
        id: TestId("t".into()),
        changed,
        kind,
    };
    bad("superseded unchanged", &|f| f.superseded.push(superseded(false, RedKind::Assertion)));
    bad("superseded green", &|f| f.superseded.push(superseded(true, RedKind::Passed)));
    let mut fine = good();
    fine.superseded.push(superseded(true, RedKind::Assertion));
    all.push(("superseded red".to_owned(), Findings::Red(fine), true));
    all
}

fn green_findings(id: &CriterionId) -> Vec<(String, Findings, bool)> {
    let own = test_of(id);
    let mut all = Vec::new();
    for tests in ["pass", "fail", "skip", "vanish", "nothing"] {
        for touched in [false, true] {
            for regressed in [false, true] {
                let mut findings = GreenFindings { runs: vec![run_ref()], ..GreenFindings::default() };
                match tests {
                    "pass" => findings.passed.push(own.clone()),
                    "fail" => findings.failed.push(own.clone()),
                    "skip" => findings.skipped.push(own.clone()),
                    "vanish" => findings.vanished.push(own.clone()),
                    _ => {}
                }
                findings.touched.extend(touched.then(|| path("tests/a.py")));
                findings.regressed.extend(regressed.then(|| TestId("old".into())));
                let label = format!("own {tests}, touched {touched}, regressed {regressed}");
                all.push((label, Findings::Green(findings), tests == "pass" && !touched && !regressed));
            }
        }
    }
    let mut bad = |label: &str, change: &dyn Fn(&mut GreenFindings)| {
        let mut findings = GreenFindings { passed: vec![own.clone()], ..GreenFindings::default() };
        change(&mut findings);
        all.push((label.to_owned(), Findings::Green(findings), false));
    };
    bad("own pass, forbidden", &|f| f.forbidden.push(path("tests/a.py")));
    bad("own pass, fewer", &|f| (f.collected_before, f.collected_now) = (2, 1));
    bad("own pass, no evidence", &|f| f.no_evidence = Some("torn".into()));
    bad("own pass, gate red", &|f| f.gate_red = true);
    bad("own pass and fail", &|f| f.failed.push(TestId("b".into())));
    all
}

fn refactor_findings() -> Vec<(String, Findings, bool)> {
    let mut all = vec![("gate green".to_owned(), Findings::Refactor(RefactorFindings::default()), true)];
    let mut bad = |label: &str, change: &dyn Fn(&mut RefactorFindings)| {
        let mut findings = RefactorFindings::default();
        change(&mut findings);
        all.push((label.to_owned(), Findings::Refactor(findings), false));
    };
    bad("gate red", &|f| f.gate_red = true);
    bad("touched", &|f| f.touched.push(path("tests/a.py")));
    bad("forbidden", &|f| f.forbidden.push(path("Makefile")));
    bad("regressed", &|f| f.regressed.push(TestId("old".into())));
    bad("fewer", &|f| (f.collected_before, f.collected_now) = (2, 1));
    bad("no evidence", &|f| f.no_evidence = Some("torn".into()));
    all
}

fn attempt(state: &State, key: &Key, kind: AttemptKind) -> Event {
    let number = state.next_number(key);
    let before = CheckpointId(format!("before-{key}-{number}"));
    Event::AttemptStarted {
        attempt: Attempt { key: key.clone().into(), number, kind, before, prompt: vec![] },
    }
}

/// The events that can follow, each with a label, and whether it is a passing finding.
fn events(state: &State, extras: Extras) -> Vec<(String, Event, bool)> {
    let plain = |label: &str, event: Event| vec![(label.to_owned(), event, false)];
    match &state.phase {
        Phase::Opening => {
            plain("checkpoint 0", Event::CheckpointZero { checkpoint: CheckpointId("zero".into()) })
        }
        Phase::Baselining => {
            let baseline = SuiteBaseline { greens: vec![TestId("old".into())], ..SuiteBaseline::default() };
            let gate = SuiteBaseline::default();
            plain("baseline", Event::BaselineMeasured { test: baseline, gate: Box::new(gate) })
        }
        Phase::Due { .. } if state.cap_reached().is_some() => plain("at cap", at_cap()),
        Phase::Due { key, kind } => plain("forks", attempt(state, key, *kind)),
        Phase::Forked { attempt } => {
            let cut = ("tdd is killed and resumed".to_owned(), Event::Resumed);
            let cut = (extras == Extras::Cuts).then_some(cut);
            let told =
                state.ledgers[&attempt.key].entries.last().is_some_and(|entry| entry.used.children > 0);
            let uses = ("uses 60".to_owned(), used(60));
            let uses = (extras == Extras::Caps && !told).then_some(uses);
            let stopped = ("stopped at the cap".to_owned(), at_cap());
            let stopped = (extras == Extras::Caps && state.cap_reached().is_some()).then_some(stopped);
            let all = returns(attempt.key.role()).into_iter().chain(cut).chain(stopped).chain(uses);
            all.map(|(label, event)| (label, event, false)).collect()
        }
        Phase::Returned { attempt, .. } => {
            let findings = match &attempt.key {
                Key::TestWriter => red_findings(),
                Key::Implementer(id) => green_findings(id),
                Key::Refactorer => refactor_findings(),
            };
            let measured = |findings| Event::AttemptMeasured { findings: Box::new(findings), verdict: None };
            findings
                .into_iter()
                .map(|(label, findings, passes)| (label, measured(findings), passes))
                .collect()
        }
        Phase::Keeping { .. } => plain("kept", Event::WorkKept { checkpoint: CheckpointId("good".into()) }),
        Phase::RollingBack { to, extent, .. } => {
            let kept_as = CheckpointId("failed".into());
            plain("rolled back", Event::WorkRolledBack { to: to.clone(), extent: *extent, kept_as })
        }
        Phase::CutOff { .. } => plain("put back", Event::AttemptCut { kept_as: CheckpointId("cut".into()) }),
        Phase::Taking { .. } => takes(state),
        Phase::Rechecking { .. } => rechecks(state),
        Phase::GateDue => [true, false]
            .map(|green| {
                (
                    format!("gate green {green}"),
                    Event::GateMeasured { green, run: run_ref(), judged_at: None },
                    false,
                )
            })
            .to_vec(),
        Phase::Proving => {
            let findings = ProofFindings::new(Extent::Full, CheckpointId("good".into()));
            plain("proven", state.proof_made(findings))
        }
        Phase::Halting { .. } => plain("reported", Event::Halted { report: Digest("d".into()) }),
        Phase::Finishing { ending } => plain("finished", Event::Finished { ending: *ending }),
        Phase::Ended { end: End::Halted(_) } if extras == Extras::Operator => decisions(state),
        // No walk holds tests out: `held_out` has its own.
        Phase::HoldingOut { .. } | Phase::Ended { .. } => vec![],
    }
}

fn used(tokens: u64) -> Event {
    let usage = Usage { output: Some(tokens), ..Usage::default() };
    Event::Used { used: ChildUse { usage, session: Usage::default() } }
}

fn at_cap() -> Event {
    Event::Paused { reason: "the run's cap is reached".into() }
}

fn capped_at(tokens: u64) -> CapPlan {
    CapPlan { run: Caps { tokens: Some(tokens), ..Caps::default() }, ..CapPlan::default() }
}

/// All that an operator may say after a halt, where it means something.
fn decisions(state: &State) -> Vec<(String, Event, bool)> {
    let requirement = Box::new(state.run.requirement.clone());
    let open = |id: &CriterionId| matches!(state.progress.get(id), Some(Progress::Pending | Progress::Red));
    let mut all = vec![
        ("operator: retry".to_owned(), Decision::Retry),
        ("operator: edited".to_owned(), Decision::Edited(requirement)),
        ("operator: abandon".to_owned(), Decision::Abandon),
    ];
    if matches!(&state.phase, Phase::Ended { end: End::Halted(halt) } if halt.key == Key::Refactorer) {
        all.push(("operator: no refactor".to_owned(), Decision::NoRefactor));
    }
    if matches!(&state.phase, Phase::Ended { end: End::Halted(halt) } if state.takeable(halt).is_some()) {
        all.push(("operator: take".to_owned(), Decision::Take));
    }
    for id in [criterion(1), criterion(2)].into_iter().filter(open) {
        all.push((format!("operator: accept {}", id.number()), Decision::Accept(id)));
    }
    all.into_iter().map(|(label, decision)| (label, Event::Decided { decision, why: None }, false)).collect()
}

/// The tree that the operator takes is the one that was judged, or it is not.
fn takes(state: &State) -> Vec<(String, Event, bool)> {
    let Phase::Taking { attempt, tree } = &state.phase else { panic!("{:?}", state.phase) };
    let taken = |tree: &CheckpointId| {
        let (key, number) = (attempt.key.clone(), attempt.number);
        Event::WorkTaken { key, number, tree: tree.clone() }
    };
    let is_measured = state.unclaimed.as_ref().is_some_and(|work| work.is_measured());
    let what = if is_measured { "judged" } else { "unmeasured" };
    vec![
        (format!("the {what} tree is back"), taken(tree), true),
        ("another tree is back".to_owned(), taken(&CheckpointId("other".into())), false),
    ]
}

/// The edited tests of the unfinished criteria are red, or they are not.
fn rechecks(state: &State) -> Vec<(String, Event, bool)> {
    [RedKind::Assertion, RedKind::Passed]
        .map(|kind| {
            let mut findings = red([kind, kind]);
            findings.criteria.retain(|criterion| {
                matches!(state.progress.get(&criterion.id), Some(Progress::Pending | Progress::Red))
            });
            let checkpoint = CheckpointId("edited".into());
            (
                format!("edited tests are {kind}"),
                Event::Rechecked { findings: Box::new(findings), checkpoint, faults: None },
                false,
            )
        })
        .to_vec()
}

/// One line that says where a state stands; two states with the same line are the same to the walk.
fn name(state: &State) -> String {
    let counts = |key: &Key| {
        let ledger = state.ledgers.get(key).cloned().unwrap_or_default();
        let cuts = ledger.cuts.min(3);
        let cuts = if cuts == 0 { String::new() } else { format!(" cuts {cuts}") };
        format!("{key} semantic {} format {}{cuts}", ledger.spent.semantic, ledger.spent.format)
    };
    let phase = match &state.phase {
        Phase::Due { key, kind } => format!("due {kind:?}: {}", counts(key)),
        Phase::Forked { attempt } => format!("forked {:?}: {}", attempt.kind, counts(&attempt.key)),
        Phase::Returned { attempt, outcome } => {
            let says = match (&outcome.claim, outcome.end) {
                (Ok(claim), _) => format!("{:?}", claim.status),
                (Err(_), end) => format!("{end:?}"),
            };
            format!("returned {says}: {}", counts(&attempt.key))
        }
        Phase::Keeping { attempt, .. } => format!("keeping: {}", counts(&attempt.key)),
        Phase::RollingBack { attempt, extent, then, .. } => {
            let then = match then {
                AfterRollBack::Retry => "retry".to_owned(),
                AfterRollBack::GoOn => "go on".to_owned(),
                AfterRollBack::Halt(halt) => format!("halt {}", mode(&halt.verdict)),
            };
            format!("rolling back {extent:?} then {then}: {}", counts(&attempt.key))
        }
        Phase::Halting { halt } => format!("halting {} of {}", mode(&halt.verdict), halt.key),
        Phase::Ended { end: End::Halted(halt) } => format!("halted {} of {}", mode(&halt.verdict), halt.key),
        Phase::Taking { attempt, .. } => format!("taking: {}", counts(&attempt.key)),
        Phase::CutOff { attempt } => format!("cut off: {}", counts(&attempt.key)),
        Phase::Rechecking { key, halt } => format!("rechecking {key}, halted {}", halt.is_some()),
        Phase::Ended { end: End::Abandoned } => "abandoned".to_owned(),
        Phase::Ended { end: End::Refused } => "refused".to_owned(),
        Phase::Ended { end: End::Finished(ending) } => format!("finished {ending:?}"),
        Phase::Finishing { ending } => format!("finishing {ending:?}"),
        Phase::Opening | Phase::Baselining | Phase::GateDue | Phase::Proving | Phase::HoldingOut { .. } => {
            state.phase.name().to_owned()
        }
    };
    let progress: Vec<String> =
        state.progress.iter().map(|(id, p)| format!("{}:{p:?}", id.number())).collect();
    // What is above every cap of the walk makes no difference any more.
    let used = state.spending().total.told.tokens().unwrap_or(0).min(240);
    let told = state.attempt().and_then(|attempt| state.ledgers[&attempt.key].entries.last());
    let told =
        matches!(state.phase, Phase::Forked { .. }) && told.is_some_and(|entry| entry.used.children > 0);
    let used = match state.run.plan.caps.run.tokens {
        Some(cap) => format!(", used {used} of {cap}, told {told}"),
        None => String::new(),
    };
    let unclaimed = state.unclaimed.as_ref().map(|work| {
        let of = &work.attempt.key;
        let what = if work.is_measured() { "unclaimed" } else { "unmeasured" };
        format!(", {what} of {of}{}", if work.wanted { ", wanted" } else { "" })
    });
    let unclaimed = unclaimed.unwrap_or_default();
    let paused = if state.facts.suspension.is_some() { "paused, " } else { "" };
    format!("{paused}{phase}{used}{unclaimed} [{}]", progress.join(" "))
}

fn mode(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Failed(fault) => fault.mode.to_string(),
        Verdict::Disputed(_) => "disputed".to_owned(),
        Verdict::Passed => "passed".to_owned(),
    }
}

/// Facts that the machine does not keep and the walk checks it by.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Ghost {
    /// Stages, with the criterion for GREEN, for which a passing finding was fed.
    passed: BTreeSet<String>,
}

fn stage_name(key: &Key) -> String {
    key.to_string()
}

fn check(state: &State, ghost: &Ghost) {
    let bounds = state.run.plan.bounds;
    for (key, ledger) in &state.ledgers {
        let counted = ledger.entries[ledger.fresh_from..].iter().filter(|entry| !entry.cut);
        let forks = counted.count();
        assert!(forks <= usize::from(bounds.semantic + bounds.format), "{key} forked {forks} times");
        assert!(ledger.spent.semantic <= bounds.semantic, "{key}: semantic budget exceeded");
        assert!(ledger.spent.format <= bounds.format + 1, "{key}: format budget exceeded");
    }
    if let Phase::Ended { end: End::Finished(Ending::Verified) } = &state.phase {
        let mut keys = vec![Key::TestWriter, Key::Implementer(criterion(1)), Key::Implementer(criterion(2))];
        keys.extend((state.run.plan.refactor == Refactoring::Once).then_some(Key::Refactorer));
        for key in keys {
            assert!(
                ghost.passed.contains(&stage_name(&key)),
                "ended well without a passing finding for {key}"
            );
        }
        assert!(state.progress.values().all(|progress| *progress == Progress::Green));
    }
    if let Phase::Due { key, .. } = &state.phase
        && key.stage() == Stage::Green
    {
        assert!(ghost.passed.contains(&stage_name(&Key::TestWriter)), "{key} is due before a RED by finding");
    }
    if state.cap_reached().is_some()
        && matches!(state.phase, Phase::Due { .. })
        && state.facts.suspension.is_none()
    {
        assert_eq!(next(state), Some(Effect::PauseAtCap), "a child is to be forked beyond the cap");
    }
    let over = matches!(state.phase, Phase::Ended { .. }) || state.facts.suspension.is_some();
    assert_eq!(next(state).is_none(), over, "only an ended or paused run has nothing to do");
}

/// What else may happen than a run that is left alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extras {
    None,
    /// An operator answers every halt in every way.
    Operator,
    /// The program is killed while a child works, and resumed.
    Cuts,
    /// Children use what a cap of the run bounds, and the operator raises it.
    Caps,
}

/// State to next state to the events that lead there.
type Table = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Walks everything that can be reached, and gives the table of it.
fn walk(plan: Plan, extras: Extras) -> Table {
    let mut table = Table::new();
    let mut seen = BTreeSet::new();
    let mut queue = VecDeque::from([(opened(plan), Ghost::default())]);
    while let Some((state, ghost)) = queue.pop_front() {
        if !seen.insert((name(&state), ghost.clone())) {
            continue;
        }
        check(&state, &ghost);
        let paused = || {
            let mut all = vec![("resumed".to_owned(), Event::Resumed, false)];
            if extras == Extras::Caps && state.run.plan.caps == capped_at(100) {
                all.push(("the cap is raised".to_owned(), Event::Capped { caps: capped_at(200) }, false));
            }
            all
        };
        let possible = if state.facts.suspension.is_some() { paused() } else { events(&state, extras) };
        for (label, event, passing) in &possible {
            let mut after = state.clone();
            after.apply(event).unwrap();
            let mut ghost = ghost.clone();
            let kept = matches!(after.phase, Phase::Keeping { .. });
            assert!(!kept || *passing, "{label} was kept and is no passing finding");
            if kept && let Some(attempt) = after.attempt() {
                ghost.passed.insert(stage_name(&attempt.key));
            }
            let row = table.entry(name(&state)).or_default().entry(name(&after)).or_default();
            row.insert(label.clone());
            queue.push_back((after, ghost));
        }
        refuse_the_rest(&state, &possible);
    }
    table
}

/// Every kind of event that can't follow is refused, and leaves the state as it was.
fn refuse_the_rest(state: &State, possible: &[(String, Event, bool)]) {
    let legal: BTreeSet<&str> = possible.iter().map(|(_, event, _)| event.name()).collect();
    let samples = [
        Event::CheckpointZero { checkpoint: CheckpointId("z".into()) },
        Event::BaselineMeasured { test: SuiteBaseline::default(), gate: Box::default() },
        attempt(state, &Key::TestWriter, AttemptKind::First),
        returned(AgentEnd::Exited(Exit::Code(0)), Ok(claim(Role::TestWriter, ClaimStatus::Ok, None))),
        Event::AttemptMeasured {
            findings: Box::new(Findings::Red(red([RedKind::Error, RedKind::Error]))),
            verdict: None,
        },
        Event::WorkKept { checkpoint: CheckpointId("g".into()) },
        Event::GateMeasured { green: true, run: run_ref(), judged_at: None },
        Event::Halted { report: Digest("d".into()) },
        Event::Finished { ending: Ending::Verified },
        Event::RunStarted(Box::new(state.run.clone())),
    ];
    for event in samples.iter().filter(|event| !legal.contains(event.name())) {
        let mut after = state.clone();
        let error = after.apply(event).unwrap_err();
        assert_eq!(error.event, event.name());
        assert_eq!(after, *state, "a refused event changed the state");
    }
}

#[test]
fn no_path_exceeds_a_budget_and_none_ends_well_without_passing_findings() {
    let table = walk(two_criteria(), Extras::None);
    let ends: BTreeSet<&String> = table.values().flat_map(BTreeMap::keys).collect();
    for wanted in ["halted A of test-writer", "halted B of implementer AC-X.2", "halted C of refactorer"] {
        assert!(ends.iter().any(|end| end.starts_with(wanted)), "{wanted} can't be reached");
    }
    for key in ["test-writer", "implementer AC-X.1", "implementer AC-X.2", "refactorer"] {
        for mode in ["D", "E", "disputed"] {
            let wanted = format!("halted {mode} of {key}");
            assert!(ends.iter().any(|end| end.starts_with(&wanted)), "{wanted} can't be reached");
        }
    }
}

#[test]
fn an_operator_s_word_makes_no_criterion_verified() {
    left_to_the_night!();
    walk(two_criteria(), Extras::Operator);
}

/// A missing block never hides what was measured, whichever way `tdd.yaml` says.
#[test]
fn ac_tdd_3_11_work_without_a_block_is_kept_by_a_word_alone_and_only_if_it_passes() {
    left_to_the_night!();
    let table = walk(two_criteria(), Extras::Operator);
    assert!(lead(&table, "the judged tree is back").iter().all(|(_, to)| to.starts_with("keeping")));
    let mut again = lead(&table, "another tree is back");
    let unmeasured = lead(&table, "the unmeasured tree is back");
    assert!(!unmeasured.is_empty());
    again.extend(unmeasured);
    assert!(
        !again.is_empty()
            && again
                .iter()
                .all(|(_, to)| to.starts_with("returned Exited") || to.starts_with("returned Exhausted")),
        "{again:?}"
    );
    for key in ["test-writer", "implementer AC-X.1", "implementer AC-X.2", "refactorer"] {
        let halted =
            |from: &&String| from.starts_with("halted D of") && from.contains(&format!("unclaimed of {key}"));
        let taken = lead(&table, "operator: take");
        assert!(taken.iter().any(|(from, _)| halted(from)), "{key}");
    }
    let at_once = walk(Plan { on_missing_block: MissingBlock::Take, ..two_criteria() }, Extras::None);
    let all: BTreeSet<&String> = at_once.values().flat_map(BTreeMap::keys).collect();
    assert!(all.iter().all(|state| !state.contains("unclaimed")));
    let bare = |from: &String| from.starts_with("returned Exited") || from.starts_with("returned Exhausted");
    let kept = at_once.iter().filter(|(from, _)| bare(from));
    assert!(
        kept.clone().count() > 0
            && kept.into_iter().all(|(_, to)| to.keys().any(|to| to.starts_with("keeping")))
    );
}

#[test]
fn an_attempt_that_was_cut_off_never_counts() {
    left_to_the_night!();
    walk(two_criteria(), Extras::Cuts);
}

/// From which states to which others this event leads.
fn lead<'t>(table: &'t Table, label: &str) -> Vec<(&'t String, &'t String)> {
    let rows = table.iter().flat_map(|(from, rows)| rows.iter().map(move |(to, labels)| (from, to, labels)));
    rows.filter(|(_, _, labels)| labels.contains(label)).map(|(from, to, _)| (from, to)).collect()
}

#[test]
fn a_cap_of_the_run_pauses_it_and_spends_no_budget() {
    left_to_the_night!();
    let table = walk(Plan { caps: capped_at(100), ..two_criteria() }, Extras::Caps);
    let mut pauses = 0;
    for (from, to) in lead(&table, "at cap").into_iter().chain(lead(&table, "stopped at the cap")) {
        pauses += 1;
        assert_eq!(*to, format!("paused, {from}"), "nothing but the pause has changed");
    }
    assert!(pauses > 20, "{pauses}");
    for wanted in ["finished Verified", "halted B of implementer AC-X.2"] {
        let is_reached = table.values().flat_map(BTreeMap::keys).any(|end| end.starts_with(wanted));
        assert!(is_reached, "{wanted} can't be reached with a cap");
    }
    assert!(
        lead(&table, "forks").iter().all(|(from, _)| !from.contains("used 120 of 100")),
        "forked beyond the cap"
    );
}

#[test]
fn other_bounds_hold_too() {
    left_to_the_night!();
    for (semantic, format) in [(1, 0), (1, 2), (3, 0)] {
        walk(Plan { bounds: Bounds { semantic, format }, ..two_criteria() }, Extras::None);
    }
}

/// `UPDATE_FIXTURES=1 cargo test walk` writes the table anew; a change of it is read in the diff.
#[test]
fn the_table_of_transitions_is_as_recorded() {
    left_to_the_night!();
    let mut text =
        String::from("# state, and below it: the state that follows, when one of these events comes\n");
    for (from, rows) in walk(two_criteria(), Extras::None) {
        let _ = writeln!(text, "\n{from}");
        for (to, labels) in rows {
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            let _ = writeln!(text, "  -> {to}\n     when {}", labels.join("; "));
        }
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/transitions.txt");
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::write(file, &text).unwrap();
    }
    let recorded = std::fs::read_to_string(file).unwrap();
    assert!(
        recorded == text,
        "the transitions differ from fixtures/transitions.txt: run with UPDATE_FIXTURES=1 and read the diff"
    );
}

#[test]
fn a_verify_test_criterion_is_never_green_without_a_test_of_its_own() {
    let findings = GreenFindings { judged_by: GreenJudge::OwnTests, ..GreenFindings::default() };
    let claim = Ok(claim(Role::Implementer, ClaimStatus::Ok, None));
    let end = AgentEnd::Exited(Exit::Code(0));
    let outcome = AgentReturn {
        end,
        bound: None,
        claim,
        session: None,
        turns: None,
        duration_ms: 0,
        silent_ms: None,
        log: String::new(),
        message: None,
    };
    let key = Key::Implementer(criterion(1));
    let verdict = tdd_core::judge::judge(&key, &two_criteria(), &outcome, &Findings::Green(findings));
    assert_ne!(verdict, Verdict::Passed);
}
