//! The rules of the cycle, told from outside: which attempts are made, which end a run.

use tdd_core::attempt::{AgentEnd, Attempt, AttemptKind, Exhaustion};
use tdd_core::claim::ClaimStatus;
use tdd_core::criterion::Verify;
use tdd_core::effect::RollBack;
use tdd_core::event::{Event, Refactoring};
use tdd_core::finding::{Findings, RedKind};
use tdd_core::halt::Ending;
use tdd_core::judge::{Reason, Verdict};
use tdd_core::mode::Mode;
use tdd_core::policy::{FileClass, Permission, Policy, permission};
use tdd_core::role::{Key, Role};
use tdd_core::state::{End, Phase, Progress, State};
use tdd_core::test::Exit;

use crate::sample::{
    Play, Story, claim, criterion, disputes, first_kind, green, halted, measured, not_green, path, red,
    refactored, returned, runs_out, says_failed, says_nothing, says_ok, started, test_id, well, well_but,
};

fn failing(key: &Key) -> Play {
    let findings = match key {
        Key::TestWriter => Findings::Red(red(RedKind::Passed)),
        Key::Implementer(id) => Findings::Green(not_green(id.number())),
        Key::Refactorer => {
            let mut findings = refactored();
            findings.gate_red = true;
            Findings::Refactor(findings)
        }
    };
    Play { returned: says_ok(key.role()), measured: Some(measured(findings)) }
}

fn mode_of(story: &Story) -> Mode {
    match story.halt().verdict {
        Verdict::Failed(fault) => fault.mode,
        other => panic!("not failed: {other:?}"),
    }
}

const KEYS: fn() -> [Key; 3] = || [Key::TestWriter, Key::Implementer(criterion(1)), Key::Refactorer];

fn kinds(story: &Story, key: &Key) -> Vec<AttemptKind> {
    story.state.ledgers[key].entries.iter().map(|entry| entry.attempt.kind).collect()
}

#[test]
fn ac_tdd_3_1_the_stages_come_in_order_and_each_criterion_has_its_own_fork() {
    let mut story = Story::of(started());
    story.go(well);
    let forked: Vec<Key> = story
        .events()
        .filter_map(|event| match event {
            Event::AttemptStarted { attempt } => attempt.of_cycle().map(|attempt| attempt.key),
            _ => None,
        })
        .collect();
    let implementer = |number| Key::Implementer(criterion(number));
    assert_eq!(forked, [Key::TestWriter, implementer(1), implementer(2), Key::Refactorer]);
    assert_eq!(story.state.phase, Phase::Ended { end: End::Finished(Ending::Verified) });
}

#[test]
fn ac_tdd_3_2_a_claim_of_ok_never_passes_what_the_findings_refuse() {
    for key in KEYS() {
        let story = halted(key.clone(), failing(&key));
        assert_eq!(story.halt().key, key);
        assert_eq!(mode_of(&story), Mode::of_stage(key.stage()));
    }
}

#[test]
fn ac_tdd_3_3_a_claim_of_failed_fails_what_the_findings_would_pass() {
    for key in KEYS() {
        let bad = |attempt: &Attempt| Play { returned: says_failed(attempt.key.role()), ..well(attempt) };
        let mut story = Story::of(started());
        story.go(|attempt| if attempt.key == key { bad(attempt) } else { well(attempt) });
        let Verdict::Failed(fault) = story.halt().verdict else { panic!("not failed") };
        assert_eq!(fault.reasons, [Reason::ClaimedFailed], "{key}");
    }
}

#[test]
fn ac_tdd_3_4_a_role_has_two_attempts_on_its_work_and_then_the_run_halts() {
    for key in KEYS() {
        let story = halted(key.clone(), failing(&key));
        assert_eq!(kinds(&story, &key), [AttemptKind::First, AttemptKind::Semantic], "{key}");
        let exhausted = Play { returned: runs_out(Exhaustion::Turns), measured: failing(&key).measured };
        let story = halted(key.clone(), exhausted);
        assert_eq!(story.forks(&key), 2, "{key}");
        assert_eq!(mode_of(&story), Mode::E, "{key}");
    }
}

#[test]
fn ac_tdd_3_5_a_format_violation_gets_one_retry_that_costs_no_attempt_on_the_work() {
    for key in KEYS() {
        let story = halted(key.clone(), Play { returned: says_nothing(), measured: failing(&key).measured });
        assert_eq!(kinds(&story, &key), [AttemptKind::First, AttemptKind::Format], "{key}");
        assert_eq!(mode_of(&story), Mode::D, "{key}");
        assert_eq!(story.state.ledgers[&key].spent.semantic, 0, "{key}");

        let mut story = Story::of(started());
        let format_first = |attempt: &Attempt| match (attempt.key == key, first_kind(attempt)) {
            (true, true) => Play { returned: says_nothing(), measured: None },
            (true, false) => failing(&key),
            (false, _) => well(attempt),
        };
        story.go(format_first);
        let made = [AttemptKind::First, AttemptKind::Format, AttemptKind::Semantic];
        assert_eq!(kinds(&story, &key), made, "{key}: three forks at most");
    }
}

#[test]
fn ac_tdd_3_6_a_dispute_halts_at_once_and_blames_nobody() {
    let key = Key::Implementer(criterion(1));
    let story = halted(key.clone(), Play { returned: disputes(Role::Implementer), measured: None });
    assert_eq!(story.forks(&key), 1);
    assert!(matches!(story.halt().verdict, Verdict::Disputed(_)));
    assert_eq!(story.state.ledgers[&key].spent.semantic, 0);
}

#[test]
fn ac_tdd_3_7_the_same_events_make_the_same_state() {
    let mut story = Story::of(started());
    story.go(well_but(Key::Refactorer, failing(&Key::Refactorer)));
    let replayed = State::replay(story.events()).unwrap().unwrap();
    assert_eq!(replayed, story.state);
    let (_, last) = story.told.last().unwrap();
    let before = story.state.clone();
    assert!(story.state.apply(last).is_err(), "a run ends once");
    assert_eq!(story.state, before, "an illegal event changes nothing");
}

#[test]
fn ac_tdd_3_8_a_criterion_that_tdd_can_not_judge_never_counts_as_verified() {
    let mut run = started();
    run.requirement.criteria[1].verify = Verify::Manual;
    let mut story = Story::of(run);
    story.go(|attempt| {
        let mut one = red(RedKind::Assertion);
        one.criteria.truncate(1);
        match attempt.key {
            Key::TestWriter => Play { measured: Some(measured(Findings::Red(one))), ..well(attempt) },
            Key::Implementer(_) | Key::Refactorer => well(attempt),
        }
    });
    assert_eq!(story.state.progress[&criterion(2)], Progress::Unverified);
    assert_eq!(story.state.phase, Phase::Ended { end: End::Finished(Ending::PartlyUnverified) });
}

#[test]
fn refactoring_can_be_switched_off() {
    let mut run = started();
    run.plan.refactor = Refactoring::Off;
    let mut story = Story::of(run);
    story.go(well);
    assert_eq!(story.forks(&Key::Refactorer), 0);
}

#[test]
fn ac_tdd_4_1_a_retry_of_green_keeps_the_work_and_every_halt_gives_back_the_last_good_tree() {
    let extents = |story: &Story| -> Vec<RollBack> {
        let extent = |event: &Event| match event {
            Event::WorkRolledBack { extent, .. } => Some(*extent),
            _ => None,
        };
        story.events().filter_map(extent).collect()
    };
    let table = [
        (Key::TestWriter, RollBack::AllButTests),
        (Key::Implementer(criterion(1)), RollBack::DeletedOnly),
        (Key::Refactorer, RollBack::Everything),
    ];
    for (key, before_retry) in table {
        let story = halted(key.clone(), failing(&key));
        assert_eq!(extents(&story), [before_retry, RollBack::Everything], "{key}");
        let last = story.state.ledgers[&key].entries.last().unwrap();
        assert!(last.kept_as.is_some(), "{key}: the failed work is kept");
    }
}

#[test]
fn ac_tdd_4_2_a_change_to_a_protected_file_fails_the_attempt_though_all_tests_pass() {
    let key = Key::Implementer(criterion(1));
    for reason in [Reason::Forbidden(path("tests/a.rs")), Reason::Touched(path("tests/a.rs"))] {
        let mut findings = green(1);
        match &reason {
            Reason::Forbidden(path) => findings.forbidden.push(path.clone()),
            Reason::Touched(path) => findings.touched.push(path.clone()),
            other => panic!("no rule about files: {other}"),
        }
        let bad = Play {
            returned: says_ok(Role::Implementer),
            measured: Some(measured(Findings::Green(findings))),
        };
        let Verdict::Failed(fault) = halted(key.clone(), bad).halt().verdict else { panic!("not failed") };
        assert_eq!(fault.reasons, [reason]);
    }
}

#[test]
fn ac_tdd_4_3_tests_belong_to_the_test_writer_and_gate_files_to_nobody() {
    let policy =
        Policy::new(tdd_runners::of(tdd_core::commands::RunnerKind::Pytest).test_files, &[], "specs")
            .unwrap();
    let table = [
        ("tests/test_ac_ste_1_1.py", [Permission::Allowed, Permission::Forbidden, Permission::Forbidden]),
        ("shop/core.py", [Permission::Forbidden, Permission::Allowed, Permission::Allowed]),
        ("tests/conftest.py", [Permission::Forbidden; 3]),
        ("specs/frs/STE-1.md", [Permission::Forbidden; 3]),
        ("CLAUDE.md", [Permission::Forbidden; 3]),
        ("pyproject.toml", [Permission::ByKey; 3]),
        ("tests/__pycache__/x.pyc", [Permission::Allowed; 3]),
    ];
    for (file, want) in table {
        let class: FileClass = policy.classify(&path(file));
        assert_eq!(Role::ALL.map(|role| permission(role, class)), want, "{file}");
    }
}

#[test]
fn ac_tdd_5_1_only_an_assertion_an_error_or_a_missing_symbol_is_red() {
    let accepted = [RedKind::Assertion, RedKind::Error, RedKind::Missing];
    for kind in RedKind::ALL {
        let play =
            Play { returned: says_ok(Role::TestWriter), measured: Some(measured(Findings::Red(red(kind)))) };
        let mut story = Story::of(started());
        story.go(well_but(Key::TestWriter, play));
        let passed = !matches!(story.state.phase, Phase::Ended { end: End::Halted(_) });
        assert_eq!(passed, accepted.contains(&kind), "{kind}");
    }
}

#[test]
fn ac_tdd_5_2_a_criterion_without_a_test_of_its_own_is_a_false_red() {
    for (file_is_there, reason) in
        [(true, Reason::NothingRan(criterion(2))), (false, Reason::NoCandidate(criterion(2)))]
    {
        let mut findings = red(RedKind::Assertion);
        findings.criteria[1].tests.clear();
        findings.criteria[1].files.truncate(usize::from(file_is_there));
        let play =
            Play { returned: says_ok(Role::TestWriter), measured: Some(measured(Findings::Red(findings))) };
        let story = halted(Key::TestWriter, play);
        assert_eq!(mode_of(&story), Mode::A);
        let Verdict::Failed(fault) = story.halt().verdict else { panic!("not failed") };
        assert_eq!(fault.reasons, [reason]);
    }
}

#[test]
fn ac_tdd_5_3_skipped_vanished_regressed_or_fewer_tests_are_not_green() {
    let key = Key::Implementer(criterion(1));
    let spoil: [fn(&mut tdd_core::finding::GreenFindings); 6] = [
        |findings| findings.skipped.push(test_id(1)),
        |findings| findings.vanished.push(test_id(1)),
        |findings| findings.regressed.push(test_id(9)),
        |findings| findings.collected_now = 0,
        |findings| findings.no_evidence = Some("the report is cut off".to_owned()),
        |findings| findings.passed.clear(),
    ];
    for (number, spoil) in spoil.into_iter().enumerate() {
        let mut findings = green(1);
        spoil(&mut findings);
        let play = Play {
            returned: says_ok(Role::Implementer),
            measured: Some(measured(Findings::Green(findings))),
        };
        assert_eq!(mode_of(&halted(key.clone(), play)), Mode::B, "spoiled in way {number}");
    }
}

#[test]
fn a_child_that_exits_non_zero_with_a_valid_block_is_judged_by_findings_all_the_same() {
    let mut story = Story::of(started());
    story.go(|attempt| {
        let claim = claim(attempt.key.role(), ClaimStatus::Ok);
        Play { returned: returned(Ok(claim), AgentEnd::Exited(Exit::Code(1))), ..well(attempt) }
    });
    assert_eq!(story.state.phase, Phase::Ended { end: End::Finished(Ending::Verified) });
}
