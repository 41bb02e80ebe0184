//! What is journalled is taken, and what is journalled now is what this program would say.

use crate::attempt::AgentReturn;
use crate::criterion::Verify;
use crate::event::{Decision, Event};
use crate::judge::{AtReturn, Fault, Reason, Verdict};
use crate::mode::Mode;
use crate::role::Key;
use crate::state::tests::{
    at, bad, begin, fork, good, halt, happen, implementer, measured, red_of, requirement, says_nothing,
    says_ok, succeed, two,
};
use crate::state::{Phase, State};

/// A run whose first implementer has come back.
fn implementer_is_back() -> (State, Key) {
    let mut state = two();
    begin(&mut state);
    succeed(&mut state);
    let key = fork(&mut state);
    happen(&mut state, &says_ok(&key));
    (state, key)
}

fn outcome_of(event: Event) -> AgentReturn {
    let Event::AgentReturned { outcome, .. } = event else { panic!("{}", event.name()) };
    *outcome
}

#[test]
fn a_verdict_of_another_program_stands_whatever_this_one_would_say() {
    for (findings, verdict, wants) in [
        (bad(&implementer(1)), Verdict::Passed, "keeping"),
        (
            good(&two(), &implementer(1)),
            Verdict::Failed(Fault { mode: Mode::B, reasons: vec![Reason::GateRed] }),
            "rolling-back",
        ),
    ] {
        let (mut state, key) = implementer_is_back();
        let journalled =
            Event::AttemptMeasured { findings: Box::new(findings.clone()), verdict: Some(verdict.clone()) };
        happen(&mut state, &journalled);
        assert_eq!(state.phase.name(), wants);
        assert_eq!(state.ledgers[&key].last().unwrap().verdict, Some(verdict.clone()));
        // What it says now is another thing.
        let (state, _) = implementer_is_back();
        let Event::AttemptMeasured { verdict: now, .. } = state.attempt_measured(findings) else { panic!() };
        assert!(now.is_some() && now != Some(verdict));
    }
}

#[test]
fn a_return_that_was_to_be_measured_is_and_one_that_was_settled_is_settled() {
    let mut state = two();
    begin(&mut state);
    fork(&mut state);
    let outcome = Box::new(outcome_of(says_nothing()));
    let lenient = Event::AgentReturned { outcome: outcome.clone(), judged: Some(AtReturn::Measure) };
    let mut read = state.clone();
    happen(&mut read, &lenient);
    assert!(matches!(read.phase, Phase::Returned { .. }));
    let fault = Fault { mode: Mode::A, reasons: vec![Reason::GateRed] };
    let strict = Event::AgentReturned { outcome, judged: Some(AtReturn::Settled(Verdict::Failed(fault))) };
    happen(&mut state, &strict);
    assert!(matches!(state.phase, Phase::RollingBack { .. }));
}

#[test]
fn edited_tests_stand_or_fall_as_they_did() {
    for (kind, faults) in [
        (crate::finding::RedKind::Passed, Vec::new()),
        (crate::finding::RedKind::Assertion, vec![Reason::GateRed]),
    ] {
        let mut state = two();
        begin(&mut state);
        succeed(&mut state);
        halt(&mut state);
        let decision = Decision::Edited(Box::new(requirement(&[Verify::Test, Verify::Test])));
        happen(&mut state, &Event::Decided { decision, why: None });
        let stands = faults.is_empty();
        let findings = Box::new(red_of(&[1, 2], kind));
        happen(&mut state, &Event::Rechecked { findings, checkpoint: at("edited"), faults: Some(faults) });
        assert_eq!(state.good == Some(at("edited")), stands);
    }
}

/// The same state comes of an event with its judgement as of one that is judged when it is read.
#[test]
fn what_is_journalled_is_what_this_program_says() {
    let mut state = two();
    begin(&mut state);
    for outcome in [says_ok(&Key::TestWriter), says_nothing()] {
        let mut before = state.clone();
        fork(&mut before);
        let mut read = before.clone();
        happen(&mut read, &outcome);
        let said = before.returned(outcome_of(outcome));
        assert!(matches!(&said, Event::AgentReturned { judged: Some(_), .. }));
        happen(&mut before, &said);
        assert_eq!(before, read);
    }
    let (state, key) = implementer_is_back();
    for findings in [good(&state, &key), bad(&key)] {
        let (mut told, mut read) = (state.clone(), state.clone());
        let said = told.attempt_measured(findings.clone());
        assert!(matches!(&said, Event::AttemptMeasured { verdict: Some(_), .. }));
        happen(&mut told, &said);
        happen(&mut read, &measured(findings));
        assert_eq!(told, read);
    }
}
