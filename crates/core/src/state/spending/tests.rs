use super::*;
use crate::criterion::Verify;
use crate::effect::Effect;
use crate::event::{Decision, Event};
use crate::machine::Machine;
use crate::next::next;
use crate::state::Phase;
use crate::state::tests::{
    at, bad, begin, fail, fork, good, happen, id, is_due, measured, opened, refused, says_nothing, says_ok,
    two,
};
use crate::usage::{Cap, CapPlan, Caps, ChildUse, Usage, Usd};

fn used(tokens: u64) -> Event {
    let usage = Usage { output: Some(tokens), ..Usage::default() };
    Event::Used { used: ChildUse { usage, session: Usage::default() } }
}

/// The attempt that is due uses so many tokens and goes well.
fn succeed(state: &mut State, tokens: u64) {
    let key = fork(state);
    happen(state, &used(tokens));
    happen(state, &says_ok(&key));
    happen(state, &measured(good(state, &key)));
    happen(state, &Event::WorkKept { checkpoint: at("good") });
}

fn tokens(tally: Option<&Tally>) -> u64 {
    tally.map_or(0, |tally| tally.told.tokens().unwrap_or(0))
}

#[test]
fn each_child_s_use_counts_once_by_what_it_was_good_for() {
    let mut state = two();
    begin(&mut state);
    fork(&mut state);
    happen(&mut state, &used(1));
    happen(&mut state, &says_nothing());
    // The format retry saves the work of the attempt before it.
    succeed(&mut state, 10);
    fork(&mut state);
    happen(&mut state, &used(100));
    let key = state.attempt().unwrap().key.clone();
    happen(&mut state, &says_ok(&key));
    happen(&mut state, &measured(super::super::tests::bad(&key)));
    super::super::tests::roll_back(&mut state);
    succeed(&mut state, 1000);
    // A child that we cut off, and the one that is made in its place.
    fork(&mut state);
    happen(&mut state, &used(10_000));
    happen(&mut state, &Event::Paused { reason: "cap".into() });
    happen(&mut state, &Event::Resumed);
    happen(&mut state, &Event::AttemptCut { kept_as: at("cut") });
    succeed(&mut state, 100_000);
    let spending = state.spending();
    let by = |purpose| tokens(spending.purposes.get(&purpose));
    assert_eq!(Purpose::ALL.map(by), [1, 101_000, 0, 10, 10_100]);
    let stages = [Stage::Red, Stage::Green, Stage::Refactor].map(|stage| tokens(spending.stages.get(&stage)));
    assert_eq!(stages, [11, 111_100, 0]);
    assert_eq!([1, 2].map(|number| tokens(spending.criteria.get(&id(number)))), [1100, 110_000]);
    assert_eq!(tokens(Some(&spending.total)), 111_111);
    assert_eq!((spending.total.children, spending.total.without_usd), (6, 6));
}

#[test]
fn a_format_retry_that_fails_saves_nothing() {
    let mut state = two();
    begin(&mut state);
    for tokens in [1, 10] {
        fork(&mut state);
        happen(&mut state, &used(tokens));
        happen(&mut state, &says_nothing());
    }
    happen(&mut state, &measured(bad(&Key::TestWriter)));
    let spending = state.spending();
    assert_eq!(tokens(spending.purposes.get(&Purpose::Failed)), 1);
    assert_eq!(tokens(spending.purposes.get(&Purpose::FormatRetry)), 10);
}

#[test]
fn several_children_of_one_attempt_are_added_and_the_last_one_tells_the_session() {
    let mut state = two();
    begin(&mut state);
    let key = fork(&mut state);
    let session = |output| Usage { output: Some(output), ..Usage::default() };
    for (usage, after) in [(5, 5), (7, 12)] {
        happen(
            &mut state,
            &Event::Used { used: ChildUse { usage: session(usage), session: session(after) } },
        );
    }
    let entry = state.ledgers[&key].last().unwrap();
    assert_eq!((entry.used.children, entry.used.told), (2, session(12)));
    assert_eq!(entry.session_used, session(12));
}

#[test]
fn use_is_told_only_while_a_child_is_out() {
    let mut state = two();
    refused(&state, &used(1));
    begin(&mut state);
    refused(&state, &used(1));
    let key = fork(&mut state);
    happen(&mut state, &says_ok(&key));
    refused(&state, &used(1));
}

#[test]
fn a_cap_of_the_run_keeps_the_next_child_from_being_forked() {
    let caps = |tokens| CapPlan { run: Caps { tokens, ..Caps::default() }, ..CapPlan::default() };
    let mut state = opened(&[Verify::Test, Verify::Test], |plan| plan.caps = caps(Some(100)));
    begin(&mut state);
    succeed(&mut state, 99);
    assert_eq!(state.left_of_caps().tokens, Some(1));
    assert!(matches!(next(&state), Some(Effect::StartAttempt { .. })));
    let spent = state.ledgers.clone();
    fail_using(&mut state, 5);
    assert_eq!((state.cap_reached(), state.left_of_caps().tokens), (Some(Cap::Tokens), Some(0)));
    assert_eq!(next(&state), Some(Effect::PauseAtCap));
    refused(&state, &Event::AttemptStarted { attempt: super::super::tests::due(&state).into() });
    happen(&mut state, &Event::Paused { reason: "cap".into() });
    happen(&mut state, &Event::Resumed);
    assert_eq!(next(&state), Some(Effect::PauseAtCap), "going on without a higher one leads here again");
    happen(&mut state, &Event::Decided { decision: Decision::Retry, why: None });
    assert_eq!(next(&state), Some(Effect::PauseAtCap), "nor is it the operator's retry that lifts it");
    happen(&mut state, &Event::Capped { caps: caps(Some(105)) });
    assert!(matches!(next(&state), Some(Effect::StartAttempt { number: 2, .. })));
    assert!(spent.len() < state.ledgers.len());
    fail(&mut state);
    assert!(matches!(state.phase, Phase::Halting { .. }), "the budget is what it was");
}

fn fail_using(state: &mut State, tokens: u64) {
    let key = fork(state);
    happen(state, &used(tokens));
    happen(state, &says_ok(&key));
    happen(state, &measured(super::super::tests::bad(&key)));
    super::super::tests::roll_back(state);
    assert!(is_due(state, &key));
}

#[test]
fn money_and_time_are_capped_alike() {
    let with = |run| opened(&[Verify::Test], |plan| plan.caps.run = run);
    let mut state = with(Caps { usd: Some(Usd(500)), ..Caps::default() });
    begin(&mut state);
    fork(&mut state);
    let usage = Usage { usd: Some(Usd(500)), ..Usage::default() };
    happen(&mut state, &Event::Used { used: ChildUse { usage, session: usage } });
    assert_eq!(state.cap_reached(), Some(Cap::Usd));
    let mut state = with(Caps { wall_ms: Some(1000), ..Caps::default() });
    begin(&mut state);
    happen(&mut state, &Event::Worked { ms: 999, runs: crate::event::Runs::default() });
    assert_eq!((state.cap_reached(), state.left_of_caps().wall_ms), (None, Some(1)));
    happen(&mut state, &Event::Worked { ms: u64::MAX, runs: crate::event::Runs::default() });
    assert_eq!(next(&state), Some(Effect::PauseAtCap));
}
