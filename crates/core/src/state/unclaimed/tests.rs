use super::*;
use crate::attempt::{AgentEnd, AttemptKind, Exhaustion};
use crate::budget::Bounds;
use crate::claim::{ClaimError, ClaimErrorKind};
use crate::criterion::Verify;
use crate::effect::{Effect, RollBack};
use crate::event::{Decision, Plan};
use crate::machine::Machine;
use crate::next::next;
use crate::state::tests::{
    at, bad, begin, due, fork, good, halt as halt_all, happen, implementer, is_due, measured, opened,
    refused, requirement, roll_back, run_ref, says_nothing, says_ok, succeed, two,
};
use crate::state::{End, Progress};

fn seen(tree: &str) -> Event {
    Event::TreeSeen { tree: at(tree) }
}

fn runs_out() -> Event {
    let claim =
        Err(ClaimError { kind: ClaimErrorKind::NoBlock, message: "none".into(), line: None, meant: None });
    let (end, log) = (AgentEnd::Exhausted(Exhaustion::Turns), "log".to_owned());
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

fn decided(decision: Decision) -> Event {
    Event::Decided { decision, why: None }
}

fn taken(state: &State, tree: &str) -> Event {
    let Phase::Taking { attempt, .. } = &state.phase else { panic!("{:?}", state.phase) };
    Event::WorkTaken { key: attempt.key.clone(), number: attempt.number, tree: at(tree) }
}

/// So many keys go well, and the next one says nothing, twice; what it left is measured on `judged`.
fn mute_after(keys: usize, change: impl FnOnce(&mut Plan)) -> (State, Key) {
    let mut state = opened(&[Verify::Test, Verify::Test], change);
    begin(&mut state);
    for _ in 0..keys {
        succeed(&mut state);
    }
    if keys == 3 {
        happen(&mut state, &Event::GateMeasured { green: true, run: run_ref(), judged_at: None });
    }
    let key = fork(&mut state);
    happen(&mut state, &says_nothing());
    assert_eq!(due(&state).kind, AttemptKind::Format, "the retry comes first");
    fork(&mut state);
    happen(&mut state, &says_nothing());
    assert_eq!(next(&state), Some(Effect::Measure));
    happen(&mut state, &seen("judged"));
    (state, key)
}

fn report(state: &mut State) -> Halt {
    happen(state, &Event::Halted { report: crate::attempt::Digest("d".into()) });
    let Phase::Ended { end: End::Halted(halt) } = &state.phase else { panic!("{:?}", state.phase) };
    halt.clone()
}

/// To the halt of a key whose work measures as passed.
fn halted_after(keys: usize) -> (State, Key) {
    let (mut state, key) = mute_after(keys, |_| {});
    let findings = good(&state, &key);
    happen(&mut state, &measured(findings));
    let Phase::RollingBack { extent, .. } = &state.phase else { panic!("{:?}", state.phase) };
    assert_eq!(*extent, RollBack::Everything);
    roll_back(&mut state);
    let halt = report(&mut state);
    assert!(matches!(&halt.verdict, Verdict::Failed(fault) if fault.mode == Mode::D), "{halt:?}");
    assert_eq!(state.takeable(&halt).map(|work| work.tree.clone()), Some(at("judged")));
    (state, key)
}

#[test]
fn the_operator_takes_what_lacks_a_block_alone_and_nobody_is_forked() {
    for (keys, then) in [(0, Some(implementer(1))), (1, Some(implementer(2))), (2, None), (3, None)] {
        let (mut state, key) = halted_after(keys);
        let forks = state.forks();
        happen(&mut state, &decided(Decision::Take));
        assert_eq!(next(&state), Some(Effect::TakeWork));
        // A process that is killed here does it again.
        happen(&mut state, &Event::Resumed);
        assert_eq!(next(&state), Some(Effect::TakeWork));
        let event = taken(&state, "judged");
        happen(&mut state, &event);
        assert_eq!(next(&state), Some(Effect::KeepWork), "it is not measured again");
        happen(&mut state, &Event::WorkKept { checkpoint: at("taken") });
        assert_eq!((state.good.clone(), state.forks(), &state.unclaimed), (Some(at("taken")), forks, &None));
        assert!(state.ledgers[&key].entries.last().is_some_and(Entry::is_kept_without_claim), "{key}");
        match then {
            Some(then) => assert!(is_due(&state, &then), "{key}: {:?}", state.phase),
            None => {
                assert!(matches!(state.phase, Phase::GateDue | Phase::Finishing { .. }), "{:?}", state.phase);
            }
        }
    }
}

#[test]
fn a_tree_that_is_not_the_judged_one_is_measured_again() {
    for (passes, phase) in [(true, "keeping"), (false, "rolling-back")] {
        let (mut state, key) = halted_after(1);
        happen(&mut state, &decided(Decision::Take));
        happen(&mut state, &seen("other"));
        let event = taken(&state, "other");
        happen(&mut state, &event);
        assert_eq!(next(&state), Some(Effect::Measure), "{passes}");
        let findings = if passes { good(&state, &key) } else { bad(&key) };
        happen(&mut state, &measured(findings));
        assert_eq!((state.phase.name(), &state.unclaimed), (phase, &None));
        if !passes {
            roll_back(&mut state);
            let halt = report(&mut state);
            assert_eq!(state.takeable(&halt), None, "what fails is not offered again");
            refused(&state, &decided(Decision::Take));
        }
    }
}

#[test]
fn work_that_fails_is_never_taken_whatever_the_settings_say() {
    for then in [MissingBlock::Halt, MissingBlock::Take] {
        for keys in [0, 1, 3] {
            let (mut state, key) = mute_after(keys, |plan| plan.on_missing_block = then);
            // The retry left all as it was.
            let found = state.attempt().unwrap().before.0.clone();
            happen(&mut state, &seen(&found));
            happen(&mut state, &measured(bad(&key)));
            roll_back(&mut state);
            let halt = report(&mut state);
            let Verdict::Failed(fault) = &halt.verdict else { panic!("{halt:?}") };
            assert!(fault.mode == Mode::D && fault.reasons.len() > 1, "{fault:?}");
            refused(&state, &decided(Decision::Take));
        }
    }
}

#[test]
fn the_settings_may_take_it_at_once_after_the_format_retry() {
    for keys in [0, 1, 3] {
        let (mut state, key) = mute_after(keys, |plan| plan.on_missing_block = MissingBlock::Take);
        let findings = good(&state, &key);
        happen(&mut state, &measured(findings));
        assert_eq!(next(&state), Some(Effect::KeepWork), "{key}");
        assert!(state.ledgers[&key].entries.last().is_some_and(Entry::is_kept_without_claim), "{key}");
    }
    // Without a format retry it is the first message that decides.
    let bounds = Bounds { semantic: 2, format: 0 };
    let mut state =
        opened(&[Verify::Test], |plan| (plan.bounds, plan.on_missing_block) = (bounds, MissingBlock::Take));
    begin(&mut state);
    let key = fork(&mut state);
    happen(&mut state, &says_nothing());
    let findings = good(&state, &key);
    happen(&mut state, &measured(findings));
    assert_eq!(next(&state), Some(Effect::KeepWork));
}

/// The twin: what a valid block came with is kept as ever, and is not called so.
#[test]
fn what_came_with_a_block_has_a_claim() {
    let mut state = two();
    begin(&mut state);
    let key = succeed(&mut state);
    assert!(!state.ledgers[&key].entries.iter().any(Entry::is_kept_without_claim));
    fork(&mut state);
    happen(&mut state, &says_ok(&implementer(1)));
    happen(&mut state, &measured(bad(&implementer(1))));
    assert_eq!(state.unclaimed, None);
    roll_back(&mut state);
    halt_all(&mut state);
    refused(&state, &decided(Decision::Take));
}

/// An earlier attempt that ran into a cap may have left better work than the last one.
#[test]
fn work_of_an_earlier_attempt_is_offered_until_something_else_is_kept() {
    let mut state = two();
    begin(&mut state);
    succeed(&mut state);
    let key = fork(&mut state);
    happen(&mut state, &runs_out());
    happen(&mut state, &seen("judged"));
    let findings = good(&state, &key);
    happen(&mut state, &measured(findings));
    roll_back(&mut state);
    assert_eq!(due(&state).kind, AttemptKind::Semantic);
    let before_retry = state.clone();
    halt_all(&mut state);
    happen(&mut state, &decided(Decision::Take));
    assert_eq!(state.attempt().map(|attempt| attempt.number), Some(1));
    assert_eq!(state.base(&key), Some(&at("before implementer AC-X.1 1")), "what it was measured against");
    let event = taken(&state, "judged");
    happen(&mut state, &event);
    happen(&mut state, &Event::WorkKept { checkpoint: at("taken") });
    let kept: Vec<bool> = state.ledgers[&key].entries.iter().map(Entry::is_kept_without_claim).collect();
    assert_eq!(kept, [true, false]);
    // A retry that goes well leaves nothing to take.
    let mut state = before_retry;
    succeed(&mut state);
    assert_eq!(state.unclaimed, None);
}

#[test]
fn other_tests_or_another_plan_leave_nothing_to_take() {
    let edited = Decision::Edited(Box::new(requirement(&[Verify::Test, Verify::Test])));
    for decision in [edited, Decision::Accept(crate::state::tests::id(1))] {
        let (mut state, _) = halted_after(1);
        happen(&mut state, &decided(decision));
        assert_eq!(state.unclaimed, None);
    }
    let (mut state, _) = halted_after(1);
    happen(&mut state, &decided(Decision::Retry));
    assert!(state.unclaimed.is_some(), "a retry may fail, and then it is still there");
    refused(&state, &decided(Decision::Take));
}

#[test]
fn a_journal_of_an_earlier_version_is_read_as_ever() {
    let (mut state, key) = mute_after(1, |_| {});
    let (to, kept_as) = (state.good.clone().unwrap(), at("failed"));
    let rolled_back = |to: &CheckpointId| Event::WorkRolledBack {
        to: to.clone(),
        extent: RollBack::Everything,
        kept_as: kept_as.clone(),
    };
    refused(&state, &rolled_back(&at("elsewhere")));
    happen(&mut state, &rolled_back(&to));
    let halt = report(&mut state);
    let offered = state.takeable(&halt).map(Unclaimed::is_measured);
    assert_eq!((halt.key.clone(), offered), (key.clone(), Some(false)), "what nobody measured can be");
    assert_eq!(state.ledgers[&key].spent.format, 2);
    assert_eq!(state.progress[&crate::state::tests::id(1)], Progress::Red);
}
