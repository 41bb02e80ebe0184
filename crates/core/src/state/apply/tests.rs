use super::*;
use crate::attempt::Digest;
use crate::claim::Dispute;
use crate::effect::Effect;
use crate::event::{Decision, Leaked, StopAfter};
use crate::finding::{ChangeKind, ClassedChange, Findings, GreenFindings, RedKind};
use crate::greens::GreensChange;
use crate::machine::Suspension;
use crate::mdtest::{AgentWord, Status, Voice};
use crate::mode::Mode;
use crate::next::next;
use crate::policy::FileClass;
use crate::state::tests::{
    at, bad, baseline, begin, cut, due, fail, fork, good, green, halt, happen, id, implementer, is_due,
    measured, opened, path, red_of, refused, roll_back, run_ref, says_nothing, says_ok, succeed, two,
};
use crate::test::TestId;

/// Each phase has its name and its one effect, in the order in which a run goes through them.
#[test]
fn a_run_that_goes_well_goes_through_these_phases() {
    let mut state = two();
    let mut seen = Vec::new();
    while let Some(effect) = next(&state) {
        let event = match effect {
            Effect::TakeCheckpointZero => Event::CheckpointZero { checkpoint: at("zero") },
            Effect::MeasureBaseline => baseline(),
            Effect::StartAttempt { number, .. } => {
                assert_eq!(number, 1);
                Event::AttemptStarted { attempt: due(&state).into() }
            }
            Effect::RunAgent => says_ok(&state.attempt().unwrap().key),
            Effect::Measure => measured(good(&state, &state.attempt().unwrap().key)),
            Effect::KeepWork => Event::WorkKept { checkpoint: at("good") },
            Effect::MeasureGate => Event::GateMeasured { green: false, run: run_ref(), judged_at: None },
            Effect::Finish => Event::Finished { ending: Ending::Verified },
            Effect::RollBack { .. }
            | Effect::PutBackCut { .. }
            | Effect::TakeWork
            | Effect::Recheck
            | Effect::HearMdtest { .. }
            | Effect::Prove
            | Effect::HoldOut(_)
            | Effect::PauseAtCap
            | Effect::PauseWithoutRed { .. }
            | Effect::Halt => {
                panic!("no part of a run that goes well: {effect:?}")
            }
        };
        seen.push(state.phase.name());
        happen(&mut state, &event);
    }
    let attempt = ["due", "forked", "returned", "keeping"];
    let want = [&["opening", "baselining"], &attempt[..], &attempt, &attempt, &["gate-due"], &attempt];
    assert_eq!(seen[..seen.len() - 1], want.concat());
    assert_eq!((seen[seen.len() - 1], state.phase.name()), ("finishing", "ended"));
    assert_eq!(state.gate, Some(GateBefore { green: false, run: run_ref() }));
    assert_eq!(state.facts.tree, Some(at("before refactorer 1")));
}

#[test]
fn only_the_attempt_that_is_due_can_be_started() {
    let mut state = two();
    begin(&mut state);
    let spoil: [fn(&mut Attempt); 5] = [
        |attempt| attempt.key = Key::Refactorer,
        |attempt| attempt.kind = AttemptKind::Semantic,
        |attempt| attempt.number = 2,
        |attempt| attempt.number = 0,
        |attempt| (attempt.key, attempt.kind) = (Key::Refactorer, AttemptKind::Format),
    ];
    for spoil in spoil {
        let mut attempt = due(&state);
        spoil(&mut attempt);
        refused(&state, &Event::AttemptStarted { attempt: attempt.into() });
    }
    for number in 1..=2 {
        assert_eq!(state.next_number(&Key::TestWriter), number);
        fail(&mut state);
    }
    assert_eq!((state.next_number(&Key::TestWriter), state.next_number(&Key::Refactorer)), (3, 1));
}

#[test]
fn an_event_that_does_not_fit_what_is_under_way_is_refused() {
    let mut state = two();
    refused(&state, &baseline());
    begin(&mut state);
    let key = fork(&mut state);
    refused(&state, &measured(good(&state, &key)));
    happen(&mut state, &says_ok(&key));
    refused(&state, &says_ok(&key));
    for other in [implementer(1), Key::Refactorer] {
        refused(&state, &measured(good(&state, &other)));
    }
    happen(&mut state, &measured(bad(&key)));
    let Phase::RollingBack { extent, .. } = state.phase else { panic!("{:?}", state.phase) };
    refused(&state, &Event::WorkRolledBack { to: at("elsewhere"), extent, kept_as: at("failed") });
    roll_back(&mut state);
    for _ in 0..3 {
        succeed(&mut state);
    }
    happen(&mut state, &Event::GateMeasured { green: true, run: run_ref(), judged_at: None });
    succeed(&mut state);
    refused(&state, &Event::Finished { ending: Ending::PartlyUnverified });
    happen(&mut state, &Event::Finished { ending: Ending::Verified });
    refused(&state, &Event::Finished { ending: Ending::Verified });
    refused(&state, &Event::Resumed);
}

#[test]
fn while_a_run_is_suspended_only_a_resume_or_a_decision_fits() {
    let mut running = two();
    begin(&mut running);
    let paused = Event::Paused { reason: "limit".into() };
    for (event, suspension) in [
        (paused.clone(), Suspension::Paused("limit".into())),
        (Event::Stopped { signal: 15 }, Suspension::Stopped(15)),
    ] {
        let mut state = running.clone();
        happen(&mut state, &event);
        assert_eq!((&state.facts.suspension, next(&state)), (&Some(suspension), None));
        refused(&state, &Event::AttemptStarted { attempt: due(&state).into() });
        refused(&state, &Event::Refused { why: "late".into() });
        let again = state
            .clone()
            .apply(&Event::GateMeasured { green: true, run: run_ref(), judged_at: None })
            .unwrap_err();
        assert_eq!(again.phase, "a pause");
        happen(&mut state, &Event::Resumed);
        assert_eq!(state, running);
    }
}

#[test]
fn facts_that_change_no_state_fit_anywhere() {
    let mut state = two();
    let before = state.clone();
    happen(&mut state, &Event::Restored { what: vec!["HEAD".into()] });
    happen(&mut state, &Event::EditClaim { test_id: TestId("a".into()), edit_target: path("a") });
    assert_eq!(state, before);
    happen(&mut state, &Event::TreeSeen { tree: at("seen") });
    assert_eq!(state.facts.tree, Some(at("seen")));
}

#[test]
fn of_leaked_processes_the_first_twenty_are_kept() {
    let mut state = two();
    let leaked = |pids: std::ops::Range<i32>| Event::Leaked {
        processes: pids.map(|pid| Leaked { pid, command: "sleep".into() }).collect(),
    };
    happen(&mut state, &leaked(0..15));
    assert_eq!(state.facts.leaked.len(), 15);
    happen(&mut state, &leaked(15..30));
    happen(&mut state, &leaked(30..31));
    let pids: Vec<i32> = state.facts.leaked.iter().map(|leaked| leaked.pid).collect();
    assert_eq!(pids, (0..20).collect::<Vec<_>>());
}

#[test]
fn a_run_is_refused_only_before_its_first_child_came_back() {
    let refuse = Event::Refused { why: "not logged in".into() };
    let mut state = two();
    begin(&mut state);
    fork(&mut state);
    let mut first = state.clone();
    happen(&mut first, &refuse);
    assert_eq!(first.phase, Phase::Ended { end: End::Refused });
    for event in [Event::Resumed, Event::Decided { decision: Decision::Abandon, why: None }] {
        refused(&first, &event);
    }
    happen(&mut state, &says_ok(&Key::TestWriter));
    refused(&state, &refuse);
}

#[test]
fn the_baseline_is_what_the_rest_is_compared_with() {
    let mut state = two();
    happen(&mut state, &Event::CheckpointZero { checkpoint: at("zero") });
    let mut seen = state.clone();
    happen(&mut seen, &Event::TreeSeen { tree: at("seen") });
    for (mut state, start) in [(state, "zero"), (seen, "seen")] {
        assert_eq!((state.facts.zero.clone(), state.good.clone()), (Some(at("zero")), Some(at("zero"))));
        happen(&mut state, &baseline());
        assert_eq!((state.start.clone(), state.good.clone()), (Some(at(start)), Some(at(start))));
        assert_eq!((&state.greens[..], state.collected), (&[TestId("old".into())][..], 3));
        assert!(state.baseline.is_some() && is_due(&state, &Key::TestWriter));
    }
}

#[test]
fn what_comes_back_after_a_failure_depends_on_the_stage() {
    for (passed, retry, to) in [
        (0, RollBack::AllButTests, "zero"),
        (1, RollBack::DeletedOnly, "before implementer AC-X.1 1"),
        (3, RollBack::Everything, "good implementer AC-X.2"),
    ] {
        let mut state = two();
        begin(&mut state);
        for _ in 0..passed {
            succeed(&mut state);
        }
        if passed == 3 {
            happen(&mut state, &Event::GateMeasured { green: true, run: run_ref(), judged_at: None });
        }
        let good_tree = state.good.clone().unwrap();
        for (kind, extent, to) in
            [(AttemptKind::First, retry, at(to)), (AttemptKind::Semantic, RollBack::Everything, good_tree)]
        {
            assert_eq!(due(&state).kind, kind);
            let key = fork(&mut state);
            happen(&mut state, &says_ok(&key));
            happen(&mut state, &measured(bad(&key)));
            let Phase::RollingBack { to: tree, extent: done, .. } = &state.phase else {
                panic!("{:?}", state.phase)
            };
            assert_eq!((done, tree), (&extent, &to), "{key} {kind:?}");
            assert_eq!(next(&state), Some(Effect::RollBack { to, extent }));
            roll_back(&mut state);
            let entry = state.entry(&key).unwrap();
            assert_eq!((entry.kept_as.clone(), &entry.runs[..]), (Some(at("failed")), bad(&key).runs()));
            assert!(matches!(entry.verdict, Some(Verdict::Failed(_))) && entry.outcome.is_some());
        }
        assert!(matches!(state.phase, Phase::Halting { .. }), "{:?}", state.phase);
        assert_eq!(next(&state), Some(Effect::Halt));
    }
}

#[test]
fn a_format_violation_asks_again_and_then_halts() {
    let mut state = two();
    begin(&mut state);
    fork(&mut state);
    happen(&mut state, &says_nothing());
    assert_eq!(due(&state).kind, AttemptKind::Format);
    fork(&mut state);
    happen(&mut state, &says_nothing());
    assert_eq!(next(&state), Some(Effect::Measure), "it may be worth taking");
    happen(&mut state, &measured(bad(&Key::TestWriter)));
    roll_back(&mut state);
    let Phase::Halting { halt } = &state.phase else { panic!("{:?}", state.phase) };
    assert!(matches!(&halt.verdict, Verdict::Failed(fault) if fault.mode == Mode::D), "{halt:?}");
    assert_eq!(state.takeable(halt), None);
    let spent = state.ledgers[&Key::TestWriter].spent;
    assert_eq!((spent.semantic, spent.format), (0, 2));
}

#[test]
fn an_accepted_red_says_what_is_green_from_now_on() {
    let mut state = opened(&[Verify::Test, Verify::Test, Verify::Gate], |plan| {
        plan.already_green = vec![id(2)];
    });
    begin(&mut state);
    let key = fork(&mut state);
    happen(&mut state, &says_ok(&key));
    let mut red = red_of(&[1, 2], RedKind::Error);
    red.criteria[1].tests[0].kind = RedKind::Passed;
    red.greens = GreensChange { gained: vec![TestId("now".into())], lost: Vec::new() };
    happen(&mut state, &measured(Findings::Red(red.clone())));
    assert_eq!(state.entry(&key).unwrap().verdict, Some(Verdict::Passed));
    happen(&mut state, &Event::WorkKept { checkpoint: at("red") });
    let progress: Vec<Progress> = state.progress.values().copied().collect();
    assert_eq!(progress, [Progress::Red, Progress::AlreadyGreen, Progress::Pending]);
    assert_eq!(
        (state.good.clone(), state.greens.clone()),
        (Some(at("red")), vec![TestId("now".into()), TestId("old".into())])
    );
    assert_eq!(state.red, Some(red));
    succeed(&mut state);
    assert!(is_due(&state, &implementer(3)), "what was green already has no implementer");
}

#[test]
fn a_run_may_stop_after_red() {
    for (stop_after, at_red, at_green) in [(StopAfter::Red, true, false), (StopAfter::End, false, false)] {
        let mut state = opened(&[Verify::Test, Verify::Test], |plan| plan.stop_after = stop_after);
        begin(&mut state);
        succeed(&mut state);
        assert_eq!((state.facts.suspension.is_some(), is_due(&state, &implementer(1))), (at_red, true));
        if state.facts.suspension.is_some() {
            happen(&mut state, &Event::Resumed);
        }
        succeed(&mut state);
        assert_eq!((state.facts.suspension.is_some(), is_due(&state, &implementer(2))), (at_green, true));
    }
}

#[test]
fn what_an_implementer_leaves_is_remembered() {
    let mut state = two();
    begin(&mut state);
    succeed(&mut state);
    let change =
        |text: &str, class: FileClass| ClassedChange { path: path(text), kind: ChangeKind::Modified, class };
    let first = GreenFindings {
        changed: vec![
            change("src/b.py", FileClass::Source),
            change("Cargo.lock", FileClass::Lock),
            change("src/a.py", FileClass::Source),
        ],
        collected_now: 7,
        greens: GreensChange { gained: vec![TestId("first".into())], lost: Vec::new() },
        ..green()
    };
    let second = GreenFindings {
        changed: vec![change("src/b.py", FileClass::Source), change("src/aa.py", FileClass::Source)],
        collected_now: 5,
        early_green: true,
        ..green()
    };
    for findings in [first, second] {
        let key = fork(&mut state);
        happen(&mut state, &says_ok(&key));
        happen(&mut state, &measured(Findings::Green(GreenFindings { collected_before: 0, ..findings })));
        happen(&mut state, &Event::WorkKept { checkpoint: at(&format!("good {key}")) });
        assert_eq!(state.collected, 7, "no role may leave fewer than the most that were kept");
    }
    assert_eq!(state.worked_on, [path("src/a.py"), path("src/aa.py"), path("src/b.py")]);
    let greens = [TestId("first".into()), TestId("old".into())];
    assert_eq!((&state.early_green[..], &state.greens[..]), (&[id(2)][..], &greens[..]));
    assert_eq!(state.good, Some(at("good implementer AC-X.2")));
}

/// An agent's word is heard once, after the last GREEN, and changes no progress and no ending.
#[test]
fn an_agent_s_word_verifies_nothing() {
    let word = |status| AgentWord {
        test: "a.md".into(),
        status,
        voice: Voice::Agent,
        reason: None,
        log: String::new(),
    };
    for (refactor, phase) in [(Refactoring::Once, "gate-due"), (Refactoring::Off, "finishing")] {
        for status in [Status::Pass, Status::Fail] {
            let mut state =
                opened(&[Verify::Mdtest("a.md".into()), Verify::Test], |plan| plan.refactor = refactor);
            begin(&mut state);
            while matches!(state.phase, Phase::Due { .. }) {
                assert_ne!(state.progress[&id(2)], Progress::Green, "not before the last GREEN");
                refused(&state, &Event::MdtestHeard { criterion: id(1), word: word(status) });
                succeed(&mut state);
            }
            assert_eq!(state.phase.name(), phase);
            assert_eq!(next(&state), Some(Effect::HearMdtest { criterion: id(1) }));
            refused(&state, &Event::MdtestHeard { criterion: id(2), word: word(status) });
            let before = state.phase.clone();
            happen(&mut state, &Event::MdtestHeard { criterion: id(1), word: word(status) });
            assert_eq!((&state.phase, state.progress[&id(1)]), (&before, Progress::Unverified));
            assert_eq!(state.words[&id(1)].status, status);
            assert_ne!(next(&state), Some(Effect::HearMdtest { criterion: id(1) }), "once");
            refused(&state, &Event::MdtestHeard { criterion: id(1), word: word(status) });
            assert_eq!(state.ending(), Ending::PartlyUnverified);
        }
    }
}

/// What can't be judged by findings ends as not verified, and so does the run.
#[test]
fn a_run_is_verified_only_if_every_criterion_is() {
    let accepted = |state: &mut State| {
        state.progress.insert(id(1), Progress::Accepted);
    };
    let all = |verify: Verify| opened(&[verify], |plan| plan.refactor = Refactoring::Off);
    for (verify, progress, ending) in [
        (Verify::Test, Progress::Green, Ending::Verified),
        (Verify::Gate, Progress::Green, Ending::Verified),
        (Verify::Manual, Progress::Unverified, Ending::PartlyUnverified),
        (Verify::Mdtest("a.md".into()), Progress::Unverified, Ending::PartlyUnverified),
    ] {
        let mut state = all(verify.clone());
        begin(&mut state);
        assert_eq!(is_due(&state, &Key::TestWriter), verify == Verify::Test, "{verify:?}");
        while matches!(state.phase, Phase::Due { .. }) {
            succeed(&mut state);
        }
        assert_eq!(state.progress[&id(1)], progress);
        assert_eq!(state.phase, Phase::Finishing { ending }, "{verify:?}");
    }
    let mut state = all(Verify::Gate);
    accepted(&mut state);
    begin(&mut state);
    assert_eq!(state.phase, Phase::Finishing { ending: Ending::PartlyUnverified });
}

#[test]
fn the_next_criterion_is_the_first_that_still_waits() {
    let waiting = [Progress::Pending, Progress::Red];
    let done = [Progress::Green, Progress::AlreadyGreen, Progress::Accepted, Progress::Unverified];
    for (first, want) in waiting.map(|p| (p, 1)).into_iter().chain(done.map(|p| (p, 2))) {
        let mut state = two();
        state.progress.insert(id(1), first);
        let key = implementer(want);
        assert_eq!(state.after_green(), Phase::Due { key, kind: AttemptKind::First }, "{first:?}");
    }
    // The operator's word that a criterion is green already is checked by its tests where it has some.
    for (verify, want) in [(Verify::Test, 1), (Verify::Gate, 2), (Verify::Manual, 2)] {
        let state = opened(&[verify.clone(), Verify::Test], |plan| plan.already_green = vec![id(1)]);
        let key = implementer(want);
        assert_eq!(state.after_green(), Phase::Due { key, kind: AttemptKind::First }, "{verify:?}");
    }
}

#[test]
fn a_red_that_is_not_the_test_writer_s_changes_no_progress() {
    let mut state = two();
    begin(&mut state);
    let attempt = due(&state);
    state.phase = Phase::Keeping { attempt, findings: Box::new(Findings::Green(GreenFindings::default())) };
    happen(&mut state, &Event::WorkKept { checkpoint: at("good") });
    assert_eq!(state.red, None);
    assert!(state.progress.values().all(|progress| *progress == Progress::Pending));
}

#[test]
fn a_dispute_halts_though_the_budget_is_whole() {
    let mut state = two();
    begin(&mut state);
    let attempt = due(&state);
    fork(&mut state);
    let dispute = Dispute { tests: vec!["a".into()], reason: "b".into() };
    let after = state.conclude(attempt, Verdict::Disputed(dispute));
    assert!(
        matches!(
            after,
            Phase::RollingBack { then: AfterRollBack::Halt(_), extent: RollBack::Everything, .. }
        ),
        "{after:?}"
    );
    assert_eq!(state.ledgers[&Key::TestWriter].spent, Spent::default());
}

#[test]
fn a_halt_keeps_whose_it_is() {
    let mut state = two();
    begin(&mut state);
    succeed(&mut state);
    cut(&mut state);
    halt(&mut state);
    let Phase::Ended { end: End::Halted(halted) } = &state.phase else { panic!("{:?}", state.phase) };
    assert_eq!(halted.key, implementer(1));
    assert_eq!(state.ledgers[&implementer(1)].entries.len(), 3, "what was cut off spends nothing");
    refused(&state, &Event::Halted { report: Digest("d".into()) });
}
