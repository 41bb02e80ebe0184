//! Tables: findings that pass, one flaw at a time, and the reason that each flaw must give.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error as SerdeError;

use super::*;
use crate::attempt::Exhaustion;
use crate::claim::{Claim, ClaimError, ClaimErrorKind, Dispute};
use crate::criterion::CriterionId;
use crate::finding::{
    CriterionRed, LostName, NameLoss, NoSuchTest, Rebound, RedTest, Seen, Superseded, TestAware,
    TestAwareKind,
};
use crate::greens::GreensChange;
use crate::path::RelPath;
use crate::role::Role;
use crate::test::{Exit, TestId};

/// What is spoilt, how, and the reason that it must give.
type Flaw<F> = (&'static str, fn(&mut F), Reason);

fn id(number: u64) -> CriterionId {
    CriterionId::new("X", number).unwrap()
}

fn test_aware() -> TestAware {
    TestAware { path: path("src/a.rs"), kind: TestAwareKind::UnderTest }
}

fn lost_name() -> LostName {
    LostName { path: path("src/a.rs"), name: "a".to_owned(), loss: NameLoss::Gone }
}

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

fn test(name: &str) -> TestId {
    TestId(format!("tests/a.py::{name}"))
}

/// The first criterion is to be red, the second was said to be green already.
fn plan() -> Plan {
    Plan { criteria: vec![id(1), id(2)], already_green: vec![id(2)], ..Plan::default() }
}

fn red() -> RedFindings {
    let one = |number: u64, kind: RedKind| {
        let message = String::new();
        let test =
            RedTest { id: test(&format!("own{number}")), kind, seen: Seen::Reported, message, why: None };
        CriterionRed {
            id: id(number),
            files: vec![path("tests/a.py")],
            tests: vec![test],
            may_skip: Vec::new(),
        }
    };
    let superseded =
        Superseded { criterion: id(1), id: test("old"), changed: true, kind: RedKind::Assertion };
    RedFindings {
        criteria: vec![one(1, RedKind::Assertion), one(2, RedKind::Passed)],
        superseded: vec![superseded],
        greens: GreensChange { gained: vec![test("green")], lost: Vec::new() },
        ..RedFindings::default()
    }
}

fn green() -> GreenFindings {
    GreenFindings {
        passed: vec![test("own1")],
        flaky: vec![test("flaky")],
        collected_before: 2,
        collected_now: 2,
        ..GreenFindings::default()
    }
}

fn refactor() -> RefactorFindings {
    RefactorFindings {
        flaky: vec![test("flaky")],
        collected_before: 2,
        collected_now: 2,
        ..RefactorFindings::default()
    }
}

fn rebound() -> Rebound {
    Rebound { name: "one".to_owned(), line: 3, test: test("old2"), more: 0, by: None }
}

fn no_such_test() -> NoSuchTest {
    NoSuchTest { named: test("old"), nearest: Some(test("older")) }
}

fn red_flaws() -> Vec<Flaw<RedFindings>> {
    vec![
        ("a source changed", |f| f.forbidden.push(path("src/a.py")), Reason::Forbidden(path("src/a.py"))),
        ("an old test changed", |f| f.unlisted.push(test("old2")), Reason::Unlisted(test("old2"))),
        ("a name means something else", |f| f.rebound.push(rebound()), Reason::Rebound(rebound())),
        ("no report", |f| f.no_evidence = Some("no report".into()), Reason::NoEvidence("no report".into())),
        ("a red of nobody", |f| f.unowned.push(test("stray")), Reason::Unowned(test("stray"))),
        (
            "no file, no test",
            |f| (f.criteria[0].files, f.criteria[0].tests) = (vec![], vec![]),
            Reason::NoCandidate(id(1)),
        ),
        (
            "no file, no test of what is green already",
            |f| (f.criteria[1].files, f.criteria[1].tests) = (vec![], vec![]),
            Reason::NoCandidate(id(2)),
        ),
        ("a file, no test", |f| f.criteria[0].tests.clear(), Reason::NothingRan(id(1))),
        ("an old test only named", |f| f.superseded[0].changed = false, Reason::NotSuperseded(test("old"))),
        (
            "an old test that never was",
            |f| {
                f.superseded[0].kind = RedKind::None;
                f.no_such_tests.push(no_such_test());
            },
            Reason::NoSuchTest(no_such_test()),
        ),
        (
            "an old test still green",
            |f| f.superseded[0].kind = RedKind::Passed,
            Reason::NotSuperseded(test("old")),
        ),
        ("an old test broken", |f| f.broken.push(test("green")), Reason::Broken(test("green"))),
    ]
}

fn green_flaws() -> Vec<Flaw<GreenFindings>> {
    vec![
        ("a test changed", |f| f.forbidden.push(path("tests/a.py")), Reason::Forbidden(path("tests/a.py"))),
        ("a test put back", |f| f.touched.push(path("tests/b.py")), Reason::Touched(path("tests/b.py"))),
        ("a plugin comes", |f| f.loaded.push(path("extras/a.py")), Reason::Loaded(path("extras/a.py"))),
        ("an inline test", |f| f.weakened.push(path("src/a.rs")), Reason::InlineTest(path("src/a.rs"))),
        ("a slant", |f| f.test_aware.push(test_aware()), Reason::TestAwareCode(test_aware())),
        ("no report", |f| f.no_evidence = Some("torn".into()), Reason::NoEvidence("torn".into())),
        ("nothing ran", |f| f.passed.clear(), Reason::NothingRan(id(1))),
        ("one fails beside", |f| f.failed.push(test("own2")), Reason::TestFailed(test("own2"))),
        (
            "the only one fails",
            |f| (f.passed, f.failed) = (vec![], vec![test("own1")]),
            Reason::TestFailed(test("own1")),
        ),
        ("one is skipped", |f| f.skipped.push(test("own2")), Reason::TestSkipped(test("own2"))),
        (
            "the only one is skipped",
            |f| (f.passed, f.skipped) = (vec![], vec![test("own1")]),
            Reason::TestSkipped(test("own1")),
        ),
        ("one is gone", |f| f.vanished.push(test("own2")), Reason::TestVanished(test("own2"))),
        ("another fails", |f| f.regressed.push(test("old")), Reason::Regressed(test("old"))),
        ("an example breaks", |f| f.unbuilt.push("a.rs".into()), Reason::Unbuilt("a.rs".into())),
        ("one test fewer", |f| f.collected_now = 1, Reason::FewerTests { before: 2, now: 1 }),
        ("the gate is red", |f| f.gate_red = true, Reason::GateRed),
        ("a hidden test is red", |f| f.held_out = vec![id(1)], Reason::HeldOut(id(1))),
    ]
}

fn refactor_flaws() -> Vec<Flaw<RefactorFindings>> {
    vec![
        ("a test changed", |f| f.forbidden.push(path("tests/a.py")), Reason::Forbidden(path("tests/a.py"))),
        ("a test put back", |f| f.touched.push(path("tests/b.py")), Reason::Touched(path("tests/b.py"))),
        ("a plugin comes", |f| f.loaded.push(path("extras/a.py")), Reason::Loaded(path("extras/a.py"))),
        ("an inline test", |f| f.weakened.push(path("src/a.rs")), Reason::InlineTest(path("src/a.rs"))),
        ("a slant", |f| f.test_aware.push(test_aware()), Reason::TestAwareCode(test_aware())),
        ("a name is gone", |f| f.lost_names.push(lost_name()), Reason::LostName(lost_name())),
        ("no report", |f| f.no_evidence = Some("torn".into()), Reason::NoEvidence("torn".into())),
        ("another fails", |f| f.regressed.push(test("old")), Reason::Regressed(test("old"))),
        ("an example breaks", |f| f.unbuilt.push("a.rs".into()), Reason::Unbuilt("a.rs".into())),
        ("one test fewer", |f| f.collected_now = 1, Reason::FewerTests { before: 2, now: 1 }),
        ("the gate is red", |f| f.gate_red = true, Reason::GateRed),
        ("a hidden test is red", |f| f.held_out = vec![id(1)], Reason::HeldOut(id(1))),
    ]
}

/// The reasons that what came back gives, whatever was measured, and the mode.
fn return_flaws() -> Vec<(AgentReturn, Mode, Reason)> {
    let out = Exhaustion::Wall;
    vec![
        (returned(Ok(ClaimStatus::Failed), exited()), Mode::B, Reason::ClaimedFailed),
        (returned(Ok(ClaimStatus::Failed), AgentEnd::Exhausted(out)), Mode::B, Reason::ClaimedFailed),
        (returned(Err(no_block()), AgentEnd::Exhausted(out)), Mode::E, Reason::Exhausted(out)),
        (returned(Err(no_block()), exited()), Mode::D, Reason::Format(no_block())),
    ]
}

/// Every reason that some row asks for.
fn all_rows() -> Vec<Reason> {
    let mut all: Vec<Reason> = red_flaws().into_iter().map(|(.., reason)| reason).collect();
    all.extend(green_flaws().into_iter().map(|(.., reason)| reason));
    all.extend(refactor_flaws().into_iter().map(|(.., reason)| reason));
    all.extend(return_flaws().into_iter().map(|(.., reason)| reason));
    all.push(Reason::NotRed { criterion: id(1), test: test("own1"), kind: RedKind::Flaky, why: None });
    all
}

fn exited() -> AgentEnd {
    AgentEnd::Exited(Exit::Code(0))
}

fn no_block() -> ClaimError {
    ClaimError { kind: ClaimErrorKind::NoBlock, message: "no fence".into(), line: None, meant: None }
}

fn returned(said: Result<ClaimStatus, ClaimError>, end: AgentEnd) -> AgentReturn {
    let claim = said.map(|status| Claim {
        role: Role::Implementer,
        status,
        files: vec![],
        command: "pytest".into(),
        output_excerpt: String::new(),
        notes: None,
        tests: BTreeMap::new(),
        supersedes: BTreeMap::new(),
        dispute: None,
    });
    AgentReturn {
        end,
        bound: None,
        claim,
        session: None,
        turns: None,
        duration_ms: 1,
        silent_ms: None,
        log: String::new(),
        message: None,
    }
}

fn says_ok() -> AgentReturn {
    returned(Ok(ClaimStatus::Ok), exited())
}

fn stages() -> [(Key, Findings); 3] {
    [
        (Key::TestWriter, Findings::Red(red())),
        (Key::Implementer(id(1)), Findings::Green(green())),
        (Key::Refactorer, Findings::Refactor(refactor())),
    ]
}

/// The verdict on findings that a child which says `ok` came back to.
fn verdict(key: &Key, findings: &Findings) -> Verdict {
    judge(key, &plan(), &says_ok(), findings)
}

fn failed(mode: Mode, reasons: &[Reason]) -> Verdict {
    Verdict::Failed(Fault { mode, reasons: reasons.to_vec() })
}

/// Without a flaw the findings pass; each flaw alone gives its reason and no other.
fn check<F: Clone>(key: &Key, mode: Mode, good: &F, flaws: Vec<Flaw<F>>, wrap: fn(F) -> Findings) {
    assert_eq!(verdict(key, &wrap(good.clone())), Verdict::Passed, "{key}: without a flaw");
    for (name, spoil, reason) in flaws {
        let mut findings = good.clone();
        spoil(&mut findings);
        assert_eq!(verdict(key, &wrap(findings)), failed(mode, &[reason]), "{key}: {name}");
    }
}

#[test]
fn each_flaw_gives_its_reason_and_no_other() {
    let implementer = Key::Implementer(id(1));
    check(&Key::TestWriter, Mode::A, &red(), red_flaws(), Findings::Red);
    check(&implementer, Mode::B, &green(), green_flaws(), Findings::Green);
    check(&Key::Refactorer, Mode::C, &refactor(), refactor_flaws(), Findings::Refactor);
}

/// A reason that nobody asks for could be lost without anybody's seeing it. The names of all
/// reasons come from their own codec, so a new one is missed here until a row has it.
#[test]
fn every_reason_has_a_row() {
    // Of the final proof and of copies: their own tests ask for them.
    const ELSEWHERE: [&str; 9] = [
        "gateoutside",
        "givenback",
        "hollow",
        "movedfornothing",
        "movedtoothless",
        "movedunasked",
        "outside",
        "stillgreen",
        "toothless",
    ];
    let plain = |name: &str| name.replace('-', "").to_lowercase();
    let nobody: Result<Reason, SerdeError> = Reason::deserialize("?".into_deserializer());
    let names = nobody.unwrap_err().to_string();
    let known: BTreeSet<String> = names
        .split('`')
        .skip(3)
        .step_by(2)
        .map(plain)
        .filter(|name| !ELSEWHERE.contains(&name.as_str()))
        .collect();
    assert!(known.len() > 19, "the codec's message names all reasons: {names}");
    let name = |reason: Reason| {
        let text = format!("{reason:?}");
        plain(text.split([' ', '(', '{']).next().unwrap_or_default())
    };
    let asked: BTreeSet<String> = all_rows().into_iter().map(name).collect();
    assert_eq!(asked, known);
    let guards: BTreeSet<Guard> = all_rows().iter().map(Guard::of).collect();
    // Two words for what can't be superseded.
    assert_eq!(guards.len(), known.len() - 1, "each other reason has a guard of its own");
}

#[test]
fn every_reason_is_one_line_of_its_own_that_names_what_it_is_about() {
    let lines: BTreeMap<String, Reason> =
        all_rows().into_iter().map(|reason| (reason.to_string(), reason)).collect();
    let distinct: BTreeSet<String> = all_rows().iter().map(|reason| format!("{reason:?}")).collect();
    assert_eq!(lines.len(), distinct.len(), "{lines:#?}");
    assert!(lines.keys().all(|line| !line.is_empty() && !line.contains('\n')), "{lines:#?}");
    for (reason, wanted) in [
        (Reason::Forbidden(path("src/a.py")), "src/a.py"),
        (Reason::NoCandidate(id(1)), "ac_x_1"),
        (Reason::NotRed { criterion: id(1), test: test("b"), kind: RedKind::Flaky, why: None }, "AC-X.1"),
        (
            Reason::NotRed { criterion: id(1), test: test("b"), kind: RedKind::Flaky, why: None },
            "tests/a.py::b",
        ),
        (
            Reason::NotRed { criterion: id(1), test: test("b"), kind: RedKind::Flaky, why: None },
            "two runs differ",
        ),
        (Reason::FewerTests { before: 20, now: 3 }, "3 now, 20 before"),
        (Reason::Exhausted(Exhaustion::Idle), "silent"),
        (Reason::Format(no_block()), "no-block: no fence"),
    ] {
        assert!(reason.to_string().contains(wanted), "{reason}");
    }
}

/// A retry prompt holds the line of a broken rule; where a test failed it holds the test's output.
#[test]
fn a_rule_is_told_from_a_failed_test() {
    let failures = [
        Reason::ClaimedFailed,
        Reason::Format(no_block()),
        Reason::Broken(test("green")),
        Reason::TestFailed(test("own1")),
        Reason::TestFailed(test("own2")),
        Reason::Regressed(test("old")),
        Reason::Unbuilt("a.rs".into()),
        Reason::GateRed,
        Reason::NoEvidence("torn".into()),
        Reason::NoEvidence("no report".into()),
    ];
    for reason in all_rows() {
        assert_eq!(reason.is_rule(), !failures.contains(&reason), "{reason}");
    }
}

#[test]
fn only_a_red_of_an_accepted_kind_is_one() {
    let accepted = [RedKind::Assertion, RedKind::Error, RedKind::Missing];
    for kind in RedKind::ALL {
        let mut own = red();
        own.criteria[0].tests[0].kind = kind;
        let mut already = red();
        already.criteria[1].tests[0].kind = kind;
        let mut old = red();
        old.superseded[0].kind = kind;
        let not_red = Reason::NotRed { criterion: id(1), test: test("own1"), kind, why: None };
        for (findings, passes, reason) in [
            (own, accepted.contains(&kind), not_red),
            (already, kind == RedKind::Passed, Reason::TestFailed(test("own2"))),
            (old, accepted.contains(&kind), Reason::NotSuperseded(test("old"))),
        ] {
            let want = if passes { vec![] } else { vec![reason] };
            assert_eq!(red_faults(&plan(), &findings), want, "{kind}");
        }
    }
}

#[test]
fn one_bad_test_spoils_a_criterion_whose_others_are_red() {
    let mut findings = red();
    let good = findings.criteria[0].tests[0].clone();
    findings.criteria[0].tests.push(RedTest { id: test("extra"), kind: RedKind::Passed, ..good });
    let not_red = Reason::NotRed { criterion: id(1), test: test("extra"), kind: RedKind::Passed, why: None };
    assert_eq!(red_faults(&plan(), &findings), [not_red]);
    findings.criteria[0].tests.pop();
    findings.criteria[0].files.clear();
    assert_eq!(red_faults(&plan(), &findings), [], "tests that are owned by id need no file");
}

#[test]
fn reasons_are_gathered_and_not_only_the_first_is_told() {
    let both = [Reason::Touched(path("tests/b.py")), Reason::Regressed(test("old"))];
    let spoilt = GreenFindings {
        touched: vec![path("tests/b.py")],
        regressed: vec![test("old")],
        passed: vec![test("own1")],
        ..GreenFindings::default()
    };
    assert_eq!(verdict(&Key::Implementer(id(1)), &Findings::Green(spoilt)), failed(Mode::B, &both));
}

#[test]
fn without_tests_of_its_own_a_criterion_is_green_only_where_something_else_judges_it() {
    let nothing_ran = failed(Mode::B, &[Reason::NothingRan(id(1))]);
    for (judged_by, want) in [
        (GreenJudge::OwnTests, nothing_ran),
        (GreenJudge::TheRest, Verdict::Passed),
        (GreenJudge::ExitCode, Verdict::Passed),
    ] {
        let findings = GreenFindings { judged_by, ..GreenFindings::default() };
        assert_eq!(verdict(&Key::Implementer(id(1)), &Findings::Green(findings)), want, "{judged_by:?}");
    }
}

#[test]
fn as_many_tests_as_before_are_enough_and_more_are_welcome() {
    for (before, now, is_fewer) in [(0, 0, false), (2, 2, false), (2, 3, false), (3, 2, true), (1, 0, true)] {
        let want = is_fewer.then_some(Reason::FewerTests { before, now });
        assert_eq!(fewer(before, now), want, "{before} {now}");
    }
}

#[test]
fn a_claim_can_only_make_a_verdict_worse() {
    for (key, findings) in stages() {
        let own = Mode::of_stage(key.stage());
        assert_eq!(judge(&key, &plan(), &says_ok(), &findings), Verdict::Passed, "{key}");
        let late = returned(Ok(ClaimStatus::Ok), AgentEnd::Exhausted(Exhaustion::Idle));
        assert_eq!(judge(&key, &plan(), &late, &findings), Verdict::Passed, "{key}: a block came in time");
        for (outcome, mode, reason) in return_flaws() {
            let mode = if mode == Mode::B { own } else { mode };
            let got = judge(&key, &plan(), &outcome, &findings);
            assert_eq!(got, failed(mode, &[reason]), "{key} {:?}", outcome.end);
        }
    }
}

#[test]
fn what_came_back_is_told_before_what_was_measured() {
    for (outcome, mode, reason) in return_flaws() {
        let findings = GreenFindings { gate_red: true, ..green() };
        let got = judge(&Key::Implementer(id(1)), &plan(), &outcome, &Findings::Green(findings));
        assert_eq!(got, failed(mode, &[reason, Reason::GateRed]));
    }
}

#[test]
fn a_return_alone_settles_a_missing_block_and_a_dispute_and_nothing_else() {
    let dispute = Dispute { tests: vec!["tests/a.py::own1".into()], reason: "it asks for 5".into() };
    let saying_wrong = |status: ClaimStatus, end: AgentEnd| {
        let mut outcome = returned(Ok(status), end);
        outcome.claim = outcome.claim.map(|claim| Claim { dispute: Some(dispute.clone()), ..claim });
        outcome
    };
    let disputed = || AtReturn::Settled(Verdict::Disputed(dispute.clone()));
    let no_format = || AtReturn::Settled(failed(Mode::D, &[Reason::Format(no_block())]));
    let out = || AgentEnd::Exhausted(Exhaustion::Turns);
    for (name, outcome, want) in [
        ("ok", says_ok(), AtReturn::Measure),
        ("failed", returned(Ok(ClaimStatus::Failed), exited()), AtReturn::Measure),
        ("stopped with a block", returned(Ok(ClaimStatus::Ok), out()), AtReturn::Measure),
        ("stopped without one", returned(Err(no_block()), out()), AtReturn::Measure),
        ("ended without one", returned(Err(no_block()), exited()), no_format()),
        ("crashed", returned(Err(no_block()), AgentEnd::Exited(Exit::Signal(11))), no_format()),
        ("disputes", saying_wrong(ClaimStatus::Failed, exited()), disputed()),
        ("disputes, stopped", saying_wrong(ClaimStatus::Failed, out()), disputed()),
        ("disputes and says ok", saying_wrong(ClaimStatus::Ok, exited()), AtReturn::Measure),
    ] {
        assert_eq!(at_return(&outcome), want, "{name}");
    }
}
