use super::*;
use crate::effect::Effect;
use crate::event::{Decision, Refactoring};
use crate::finding::RedKind;
use crate::halt::Ending;
use crate::judge::Verdict;
use crate::next::next;
use crate::proof::{Back, CriterionProof, Seen, Stub};
use crate::state::End;
use crate::state::tests::{at, begin, happen, id, is_due, succeed, two};
use crate::test::TestId;

/// Two criteria, all stages gone through, and a proof is to be made.
fn to_be_proven() -> State {
    let mut state = two();
    state.run.plan.proof = Extent::Full;
    state.run.plan.refactor = Refactoring::Off;
    begin(&mut state);
    for _ in 0..3 {
        succeed(&mut state);
    }
    state
}

fn found(state: &State, second: Seen) -> Event {
    let tree = state.good.clone().unwrap();
    let by = Seen::By { stub: Stub::NotImplemented, test: TestId("t::a".into()) };
    let criteria = [(1, by), (2, second)].map(|(number, seen)| CriterionProof {
        id: id(number),
        back: Back::Red(RedKind::Missing),
        seen,
    });
    let findings = ProofFindings { criteria: criteria.into(), ..ProofFindings::new(Extent::Full, tree) };
    state.proof_made(findings)
}

fn decided(decision: Decision) -> Event {
    Event::Decided { decision, why: None }
}

#[test]
fn a_proof_comes_before_the_end_where_one_is_asked_for() {
    let mut state = to_be_proven();
    assert_eq!((&state.phase, next(&state)), (&Phase::Proving, Some(Effect::Prove)));
    assert_eq!(state.to_prove(), [id(1), id(2)]);
    let told = found(&state, Seen::Not { why: "a constant".into() });
    assert!(matches!(&told, Event::Proved { halt: None, .. }));
    happen(&mut state, &told);
    assert_eq!(state.phase, Phase::Finishing { ending: Ending::Verified });
    assert!(state.proof.as_ref().unwrap().is_seen(&id(1)) && !state.proof.as_ref().unwrap().is_seen(&id(2)));
}

#[test]
fn ac_tdd_8_80_what_only_an_error_makes_red_ends_well_and_is_not_verified() {
    let mut state = to_be_proven();
    let told = found(&state, Seen::ByErrorAlone { test: TestId("t::b".into()) });
    assert!(matches!(&told, Event::Proved { halt: None, .. }), "nobody is blamed");
    happen(&mut state, &told);
    assert_eq!(state.phase, Phase::Finishing { ending: Ending::PartlyUnverified });
    assert!(state.asserts_nothing(&id(2)) && !state.asserts_nothing(&id(1)));
    assert!(!state.proof.as_ref().unwrap().is_seen(&id(2)));
}

#[test]
fn a_hollow_test_goes_back_to_red_with_all_stages_after_it() {
    let mut state = to_be_proven();
    let hollow = found(&state, Seen::Hollow);
    happen(&mut state, &hollow);
    let Phase::Halting { halt } = state.phase.clone() else { panic!("{:?}", state.phase) };
    assert_eq!(halt.key, Key::TestWriter);
    happen(&mut state, &Event::Halted { report: crate::attempt::Digest("d".into()) });
    happen(&mut state, &Event::Resumed);
    happen(&mut state, &decided(Decision::Retry));
    let red_tree = state.ledgers[&Key::TestWriter].entries[0].attempt.clone();
    let Phase::RollingBack { attempt, to, extent, .. } = state.phase.clone() else {
        panic!("{:?}", state.phase)
    };
    assert_eq!((attempt, extent), (red_tree, RollBack::Everything));
    happen(&mut state, &Event::WorkRolledBack { to, extent, kept_as: at("failed") });
    assert!(is_due(&state, &Key::TestWriter));
    assert!(
        !state.is_reached(&id(1))
            && state.red.is_none()
            && state.greens == state.baseline.clone().unwrap().test.greens
    );
    for _ in 0..3 {
        succeed(&mut state);
    }
    assert_eq!(state.phase, Phase::Proving, "and it is proven again");
}

#[test]
fn what_is_not_proven_can_be_accepted_by_its_criterion_alone() {
    let mut state = to_be_proven();
    let hollow = found(&state, Seen::Hollow);
    happen(&mut state, &hollow);
    happen(&mut state, &Event::Halted { report: crate::attempt::Digest("d".into()) });
    happen(&mut state, &Event::Resumed);
    let mut other = state.clone();
    assert!(other.apply(&decided(Decision::Accept(id(1)))).is_err(), "that one was seen");
    happen(&mut state, &decided(Decision::Accept(id(2))));
    assert_eq!((&state.phase, state.to_prove()), (&Phase::Proving, vec![id(1)]));
    let Verdict::Failed(_) = state.ledgers[&Key::TestWriter].entries[0].verdict.clone().unwrap() else {
        panic!("the attempt that let it through has failed after all")
    };
    assert!(!matches!(state.phase, Phase::Ended { end: End::Halted(_) }));
}
