use super::*;
use crate::budget::Spent;
use crate::criterion::Verify;
use crate::effect::Effect;
use crate::event::Event;
use crate::finding::RedKind;
use crate::greens::GreensChange;
use crate::halt::Ending;
use crate::mapping::Owned;
use crate::next::next;
use crate::state::tests::{
    at, begin, cut, due, fail, fork, halt, happen, id, implementer, is_due, opened, red_of, refused,
    requirement, run_ref, succeed, two,
};
use crate::test::TestId;

fn decided(decision: Decision) -> Event {
    Event::Decided { decision, why: None }
}

fn edited(verify: &[Verify]) -> Event {
    decided(Decision::Edited(Box::new(requirement(verify))))
}

fn rechecked(numbers: &[u64], kind: RedKind) -> Event {
    let mut findings = red_of(numbers, kind);
    findings.greens =
        GreensChange { gained: vec![TestId("edited".into())], lost: vec![TestId("old".into())] };
    findings.mapping.owned.insert(id(1), Owned::default());
    Event::Rechecked { findings: Box::new(findings), checkpoint: at("edited"), faults: None }
}

/// A run of two criteria that halted after so many keys went well.
fn halted_after(keys: usize) -> State {
    let mut state = two();
    begin(&mut state);
    for _ in 0..keys {
        succeed(&mut state);
    }
    if keys == 3 {
        happen(&mut state, &Event::GateMeasured { green: true, run: run_ref(), judged_at: None });
    }
    halt(&mut state);
    state
}

#[test]
fn an_attempt_that_we_cut_off_is_tried_twice_more_and_then_the_run_pauses() {
    let mut state = two();
    begin(&mut state);
    for cuts in 1..=3 {
        cut(&mut state);
        assert_eq!(state.facts.suspension.is_some(), cuts == 3, "after {cuts} cuts");
        assert_eq!(state.ledgers[&Key::TestWriter].cuts, cuts);
        let entry = state.entry(&Key::TestWriter).unwrap();
        assert_eq!((entry.cut, entry.kept_as.clone()), (true, Some(at("cut"))));
        assert!(is_due(&state, &Key::TestWriter));
    }
    let Some(Suspension::Paused(why)) = &state.facts.suspension else {
        panic!("{:?}", state.facts.suspension)
    };
    assert!(why.contains("3 times") && why.contains("test-writer"), "{why}");
    happen(&mut state, &decided(Decision::Retry));
    assert_eq!((&state.facts.suspension, state.ledgers[&Key::TestWriter].cuts), (&None, 0));
    assert!(is_due(&state, &Key::TestWriter));
}

#[test]
fn an_outage_that_cuts_a_child_off_may_happen_as_often_as_it_likes() {
    let mut state = two();
    begin(&mut state);
    for _ in 0..5 {
        fork(&mut state);
        happen(&mut state, &Event::Paused { reason: "limit".into() });
        happen(&mut state, &Event::Resumed);
        happen(&mut state, &Event::AttemptCut { kept_as: at("cut") });
        assert_eq!(state.facts.suspension, None);
    }
}

#[test]
fn a_resume_cuts_off_only_a_child_that_has_not_come_back() {
    let mut state = two();
    begin(&mut state);
    let before = state.clone();
    happen(&mut state, &Event::Resumed);
    assert_eq!(state, before);
    fork(&mut state);
    happen(&mut state, &Event::Resumed);
    assert!(matches!(state.phase, Phase::CutOff { .. }), "{:?}", state.phase);
    assert_eq!(next(&state), Some(Effect::PutBackCut { to: at("before test-writer 1") }));
}

#[test]
fn a_retry_begins_with_a_fresh_budget() {
    for keys in 0..4 {
        let mut state = halted_after(keys);
        let Phase::Ended { end: End::Halted(was) } = state.phase.clone() else { panic!("{:?}", state.phase) };
        happen(&mut state, &decided(Decision::Retry));
        assert_eq!((due(&state).key, due(&state).kind), (was.key.clone(), AttemptKind::First));
        let ledger = &state.ledgers[&was.key];
        assert_eq!((ledger.spent, ledger.fresh_from, ledger.entries.len()), (Spent::default(), 2, 2));
        halt(&mut state);
        assert_eq!(state.ledgers[&was.key].entries.len(), 4);
    }
}

#[test]
fn a_run_may_be_given_up_once() {
    let mut paused = two();
    begin(&mut paused);
    happen(&mut paused, &Event::Paused { reason: "limit".into() });
    for mut state in [paused, halted_after(1)] {
        happen(&mut state, &decided(Decision::Abandon));
        assert_eq!((&state.phase, &state.facts.suspension), (&Phase::Ended { end: End::Abandoned }, &None));
        for decision in [Decision::Abandon, Decision::Retry, Decision::Accept(id(1))] {
            refused(&state, &decided(decision));
        }
    }
}

#[test]
fn refactor_can_be_left_out_while_it_is_not_done() {
    let mut paused = two();
    begin(&mut paused);
    happen(&mut paused, &Event::Paused { reason: "limit".into() });
    happen(&mut paused, &Event::Resumed);
    let stood = paused.phase.clone();
    happen(&mut paused, &decided(Decision::NoRefactor));
    assert_eq!((&paused.phase, paused.run.plan.refactor), (&stood, Refactoring::Off), "it goes on");
    let mut due = two();
    due.phase = Phase::GateDue;
    happen(&mut due, &decided(Decision::NoRefactor));
    assert!(matches!(due.phase, Phase::Finishing { .. }), "{:?}", due.phase);
    refused(&halted_after(1), &decided(Decision::NoRefactor));
}

#[test]
fn only_a_criterion_that_waits_can_be_accepted() {
    for (progress, may) in [
        (Progress::Pending, true),
        (Progress::Red, true),
        (Progress::Green, false),
        (Progress::AlreadyGreen, false),
        (Progress::Accepted, false),
        (Progress::Unverified, false),
    ] {
        let mut state = halted_after(1);
        state.progress.insert(id(2), progress);
        if may {
            happen(&mut state, &decided(Decision::Accept(id(2))));
            assert_eq!(state.progress[&id(2)], Progress::Accepted);
        } else {
            refused(&state, &decided(Decision::Accept(id(2))));
        }
    }
    refused(&halted_after(1), &decided(Decision::Accept(id(9))));
    let mut running = two();
    begin(&mut running);
    refused(&running, &decided(Decision::Accept(id(1))));
}

#[test]
fn whoever_was_halted_goes_on_without_what_was_accepted() {
    let accept = |state: &mut State, number: u64| happen(state, &decided(Decision::Accept(id(number))));
    let mut state = halted_after(0);
    accept(&mut state, 1);
    assert!(is_due(&state, &Key::TestWriter), "the other still has to be seen red");
    assert_eq!(state.ledgers[&Key::TestWriter].fresh_from, 2);
    halt(&mut state);
    accept(&mut state, 2);
    assert_eq!(state.phase, Phase::GateDue, "nothing is left to be seen red");

    let mut state = halted_after(1);
    accept(&mut state, 1);
    assert!(is_due(&state, &implementer(2)));
    let mut state = halted_after(1);
    accept(&mut state, 2);
    assert!(matches!(state.phase, Phase::Ended { end: End::Halted(_) }), "the first is still not green");

    let mut state = halted_after(3);
    state.progress.insert(id(2), Progress::Red);
    accept(&mut state, 2);
    assert!(matches!(state.phase, Phase::Ended { end: End::Halted(_) }), "what it broke is still broken");
}

#[test]
fn a_new_requirement_brings_its_criteria_in_and_takes_others_out() {
    let three = [Verify::Test, Verify::Gate, Verify::Test];
    for (only, verify, want) in [
        (vec![1, 2], &three[..], vec![1, 2, 3]),
        (vec![1, 2], &three[..1], vec![1]),
        (vec![2], &three[..], vec![2]),
        (vec![2], &three[..1], vec![]),
    ] {
        let mut state = opened(&[Verify::Test, Verify::Test], |plan| {
            plan.criteria = only.iter().map(|number| id(*number)).collect();
        });
        begin(&mut state);
        state.progress.insert(id(2), Progress::Green);
        happen(&mut state, &Event::Paused { reason: "x".into() });
        happen(&mut state, &edited(verify));
        assert_eq!(state.facts.suspension, None);
        assert_eq!(state.phase, Phase::Rechecking { key: Key::TestWriter, halt: None });
        let now: Vec<u64> = state.run.plan.criteria.iter().map(CriterionId::number).collect();
        assert_eq!(now, want, "{only:?}");
        assert_eq!(state.run.requirement, requirement(verify));
        for number in want {
            let progress = if number == 2 { Progress::Green } else { Progress::Pending };
            assert_eq!(state.progress.get(&id(number)), Some(&progress), "{number}");
        }
        assert_eq!(state.progress.len(), now.len());
    }
}

#[test]
fn nothing_is_edited_in_mid_attempt() {
    let mut state = two();
    begin(&mut state);
    fork(&mut state);
    refused(&state, &edited(&[Verify::Test]));
}

/// What was judged and failed counts on: an edit is no new budget.
#[test]
fn an_edit_before_a_retry_gives_no_budget_back() {
    let both = [Verify::Test, Verify::Test];
    let mut state = two();
    begin(&mut state);
    fail(&mut state);
    assert_eq!(due(&state).kind, AttemptKind::Semantic);
    let spent = state.ledgers[&due(&state).key].spent;
    happen(&mut state, &edited(&both));
    happen(&mut state, &rechecked(&[], RedKind::Assertion));
    assert_eq!((due(&state).kind, state.ledgers[&due(&state).key].spent), (AttemptKind::First, spent));
}

#[test]
fn edited_tests_stand_if_they_are_red() {
    let both = [Verify::Test, Verify::Test];
    // Before the first RED there is nothing to check.
    let mut state = halted_after(0);
    happen(&mut state, &edited(&both));
    happen(&mut state, &rechecked(&[1, 2], RedKind::Passed));
    assert_eq!((is_due(&state, &Key::TestWriter), state.good.clone()), (true, Some(at("edited"))));
    assert_eq!(state.red, None);

    for (kind, stands) in [(RedKind::Assertion, true), (RedKind::Passed, false)] {
        let mut state = halted_after(1);
        let (was, good) = (state.phase.clone(), state.good.clone());
        happen(&mut state, &edited(&both));
        assert_eq!(next(&state), Some(Effect::Recheck));
        assert_eq!(state.ledgers[&implementer(1)].fresh_from, 2);
        happen(&mut state, &rechecked(&[1, 2], kind));
        if stands {
            assert!(is_due(&state, &implementer(1)));
            assert_eq!(
                (&state.good, &state.greens[..]),
                (&Some(at("edited")), &[TestId("edited".into())][..])
            );
        } else {
            assert_eq!((&state.phase, &state.good), (&was, &good), "the halt stands");
        }
    }
}

#[test]
fn a_finished_criterion_whose_tests_were_edited_is_no_longer_verified() {
    let mut state = halted_after(2);
    assert_eq!(state.progress[&id(1)], Progress::Green);
    happen(&mut state, &edited(&[Verify::Test, Verify::Test]));
    let mut findings = red_of(&[2], RedKind::Assertion);
    findings.finished = vec![id(1)];
    happen(
        &mut state,
        &Event::Rechecked { findings: Box::new(findings), checkpoint: at("edited"), faults: None },
    );
    assert_eq!((state.progress[&id(1)], state.ending()), (Progress::Unverified, Ending::PartlyUnverified));
    assert!(is_due(&state, &implementer(2)), "it is not done again");
    succeed(&mut state);
    assert_eq!((state.progress[&id(2)], state.ending()), (Progress::Green, Ending::PartlyUnverified));
}

#[test]
fn edited_tests_that_do_not_stand_pause_a_run_that_was_not_halted() {
    let mut state = two();
    begin(&mut state);
    succeed(&mut state);
    happen(&mut state, &edited(&[Verify::Test, Verify::Test]));
    happen(&mut state, &rechecked(&[1, 2], RedKind::Passed));
    assert!(is_due(&state, &implementer(1)));
    let Some(Suspension::Paused(why)) = &state.facts.suspension else {
        panic!("{:?}", state.facts.suspension)
    };
    assert!(why.starts_with("the edited tests do not stand: AC-X.1 is not RED"), "{why}");
    assert!(state.edit_refused);
    happen(&mut state, &edited(&[Verify::Test, Verify::Test]));
    happen(&mut state, &rechecked(&[1, 2], RedKind::Assertion));
    assert!(!state.edit_refused && is_due(&state, &implementer(1)));
}

/// Its work would be judged by nothing but what was green before.
#[test]
fn no_implementer_is_started_for_a_criterion_of_which_nothing_was_seen_red() {
    for (verify, wants_red) in [(Verify::Test, true), (Verify::Manual, false)] {
        let mut state = halted_after(2);
        happen(&mut state, &edited(&[Verify::Test, Verify::Test, verify]));
        let mut findings = red_of(&[3], RedKind::Assertion);
        findings.criteria[0].tests.clear();
        findings.criteria[0].files.clear();
        let event = Event::Rechecked { findings: Box::new(findings), checkpoint: at("edited"), faults: None };
        happen(&mut state, &event);
        assert!(state.edit_refused, "the halt stands");
        happen(&mut state, &decided(Decision::Retry));
        succeed(&mut state);
        assert!(is_due(&state, &implementer(3)));
        let pause = Effect::PauseWithoutRed { criterion: id(3) };
        assert_eq!(next(&state) == Some(pause), wants_red, "{:?}", next(&state));
    }
}

#[test]
fn the_first_criterion_that_is_judged_by_tests_leads_to_a_test_writer() {
    let mut state = opened(&[Verify::Manual], |_| {});
    begin(&mut state);
    assert!(is_due(&state, &implementer(1)));
    happen(&mut state, &Event::Paused { reason: "x".into() });
    happen(&mut state, &edited(&[Verify::Manual, Verify::Test]));
    happen(&mut state, &rechecked(&[], RedKind::Assertion));
    assert!(is_due(&state, &Key::TestWriter), "{:?}", state.phase);
}

#[test]
fn a_criterion_that_came_before_the_refactorer_is_implemented_first() {
    let mut state = halted_after(3);
    happen(&mut state, &edited(&[Verify::Test, Verify::Test, Verify::Test]));
    happen(&mut state, &rechecked(&[3], RedKind::Assertion));
    assert!(is_due(&state, &implementer(3)), "{:?}", state.phase);
}

#[test]
fn what_was_checked_again_takes_the_place_of_what_was_known() {
    let mut state = halted_after(2);
    happen(&mut state, &edited(&[Verify::Test, Verify::Test, Verify::Test]));
    let first = state.red.as_ref().unwrap().criteria[0].clone();
    happen(&mut state, &rechecked(&[2, 3], RedKind::Error));
    let red = state.red.clone().unwrap();
    let kinds: Vec<(u64, RedKind)> =
        red.criteria.iter().map(|criterion| (criterion.id.number(), criterion.tests[0].kind)).collect();
    assert_eq!(kinds, [(1, RedKind::Assertion), (2, RedKind::Error), (3, RedKind::Error)]);
    assert_eq!(red.criteria[0], first);
    assert!(red.mapping.of(&id(1)).is_some());
    let progress: Vec<Progress> = state.progress.values().copied().collect();
    assert_eq!(progress, [Progress::Green, Progress::Red, Progress::Red]);
    assert!(is_due(&state, &implementer(2)));
}

#[test]
fn after_a_recheck_the_refactorer_goes_on() {
    let mut state = halted_after(3);
    happen(&mut state, &edited(&[Verify::Test, Verify::Test]));
    happen(&mut state, &rechecked(&[], RedKind::Error));
    assert!(is_due(&state, &Key::Refactorer));
}
