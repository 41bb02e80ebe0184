use super::*;
use crate::criterion::Verify;
use crate::event::{Decision, Event, Refactoring};
use crate::finding::{Findings, RedKind, RedTest, Seen};
use crate::held_out::HeldFile;
use crate::judge;
use crate::state::tests::{
    at, begin, fork, halt, happen, id, implementer, is_due, measured, opened, path, refused, requirement,
    says_ok, succeed,
};
use crate::test::TestId;

const SHOWN: &str = "tests/a.py::shown";
const HIDDEN: &str = "tests/b.py::hidden";

fn test(name: &str) -> RedTest {
    let (kind, seen) = (RedKind::Assertion, Seen::Reported);
    RedTest { id: TestId(name.into()), kind, seen, message: String::new(), why: None }
}

/// RED with a test in each of two files.
fn red() -> RedFindings {
    let files = vec![path("tests/a.py"), path("tests/b.py")];
    let criterion = CriterionRed {
        id: id(1),
        files: files.clone(),
        tests: vec![test(SHOWN), test(HIDDEN)],
        may_skip: Vec::new(),
    };
    let mut red = RedFindings { criteria: vec![criterion], ..RedFindings::default() };
    red.mapping.owned.entry(id(1)).or_default().files = files;
    red
}

fn held(held: Held) -> Event {
    Event::HeldOut { held: Box::new(held) }
}

fn parted(none: Option<&str>) -> Event {
    let whole = at("good test-writer");
    let criteria = vec![match none {
        Some(why) => Parted::nothing(&id(1), why),
        None => Parted {
            id: id(1),
            shown: vec![TestId(SHOWN.into())],
            hidden: vec![TestId(HIDDEN.into())],
            files: vec![HeldFile { path: path("tests/b.py"), how: Hidden::Whole }],
            snapshots: Vec::new(),
            none: None,
        },
    }];
    held(Held::Parted(Parting { whole, criteria }))
}

fn back() -> Back {
    Back {
        checkpoint: at("back"),
        green: vec![TestId(HIDDEN.into())],
        not_back: Vec::new(),
        unjudged: Vec::new(),
        halt: None,
    }
}

/// RED stands, and the coin is to be thrown.
fn at_the_toss() -> State {
    let mut state = opened(&[Verify::Test], |plan| {
        plan.held_out = Holding::On;
        plan.refactor = Refactoring::Off;
    });
    begin(&mut state);
    let key = fork(&mut state);
    happen(&mut state, &says_ok(&key));
    happen(&mut state, &measured(Findings::Red(red())));
    happen(&mut state, &Event::WorkKept { checkpoint: at("good test-writer") });
    assert_eq!(state.phase, Phase::HoldingOut { step: Hold::Part });
    state
}

fn out() -> State {
    let mut state = at_the_toss();
    happen(&mut state, &parted(None));
    assert_eq!(state.phase, Phase::HoldingOut { step: Hold::TakeOut });
    refused(&state, &parted(None));
    happen(&mut state, &held(Held::Out { checkpoint: at("shown") }));
    state
}

fn names(state: &State) -> Vec<String> {
    state.red.iter().flat_map(|red| &red.criteria[0].tests).map(|test| test.id.0.clone()).collect()
}

#[test]
fn ac_tdd_8_40_what_is_hidden_is_no_part_of_red_until_it_is_back() {
    let mut state = out();
    assert!(is_due(&state, &implementer(1)) && state.good == Some(at("shown")));
    assert_eq!(names(&state), [SHOWN]);
    let owned = |mapping: &Mapping| mapping.owned[&id(1)].files.clone();
    assert_eq!(owned(&state.red.as_ref().unwrap().mapping), [path("tests/a.py")]);
    assert_eq!(owned(&state.mapping_with_hidden()), [path("tests/a.py"), path("tests/b.py")]);
    assert!(state.held_out_due().is_empty(), "nobody has worked on it");
    succeed(&mut state);
    assert_eq!(state.held_out_due(), [id(1)]);
    assert_eq!(state.phase, Phase::HoldingOut { step: Hold::BringBack });
    happen(&mut state, &held(Held::Back(back())));
    assert_eq!(names(&state), [SHOWN, HIDDEN]);
    assert!(state.greens.contains(&TestId(HIDDEN.into())) && state.good == Some(at("back")));
    assert!(!state.held.as_ref().unwrap().hides() && state.held_out_due().is_empty());
}

#[test]
fn ac_tdd_8_44_where_nothing_is_hidden_nothing_is_taken_out() {
    let mut state = at_the_toss();
    happen(&mut state, &parted(Some("it has one test")));
    assert!(is_due(&state, &implementer(1)));
    assert_eq!(names(&state), [SHOWN, HIDDEN]);
    succeed(&mut state);
    assert!(!matches!(state.phase, Phase::HoldingOut { .. }), "{:?}", state.phase);
}

#[test]
fn ac_tdd_8_41_a_hidden_test_that_is_red_at_the_end_halts_and_its_criterion_is_red() {
    let mut state = out();
    succeed(&mut state);
    happen(
        &mut state,
        &held(Held::Back(Back { green: Vec::new(), halt: judge::held_out(&[id(1)]), ..back() })),
    );
    assert!(
        matches!(&state.phase, Phase::Halting { halt } if halt.key == implementer(1)),
        "{:?}",
        state.phase
    );
    assert_eq!(state.progress[&id(1)], Progress::Red);
}

#[test]
fn ac_tdd_8_56_what_a_person_has_put_back_is_known_and_counts_once() {
    let mut state = out();
    halt(&mut state);
    assert_eq!(state.held.as_ref().unwrap().away().len(), 1);
    happen(&mut state, &Event::Resumed);
    let decision = Decision::Edited(Box::new(requirement(&[Verify::Test])));
    happen(&mut state, &Event::Decided { decision, why: None });
    let findings = Box::new(red());
    happen(&mut state, &Event::Rechecked { findings, checkpoint: at("edited"), faults: None });
    let known = state.held.as_ref().unwrap();
    assert_eq!((known.put_back.clone(), known.away()), (vec![id(1)], Vec::new()));
    succeed(&mut state);
    happen(&mut state, &held(Held::Back(back())));
    assert_eq!(names(&state), [SHOWN, HIDDEN], "and none of them twice");
}

#[test]
fn ac_tdd_8_57_what_was_not_judged_is_known_at_the_end() {
    let mut state = out();
    succeed(&mut state);
    let back =
        Back { not_back: vec![path("tests/b.py")], unjudged: vec![id(1)], green: Vec::new(), ..back() };
    happen(&mut state, &held(Held::Back(back)));
    let known = state.held.as_ref().unwrap();
    assert_eq!((known.unjudged.clone(), known.not_back.clone()), (vec![id(1)], vec![path("tests/b.py")]));
    assert_eq!(names(&state), [SHOWN], "what did not come back proves nothing");
}

fn more() -> Event {
    held(Held::More { criteria: vec![id(1)] })
}

/// The second test-writer's attempt is under way.
fn second() -> State {
    let mut state = at_the_toss();
    happen(&mut state, &more());
    assert_eq!(state.more_tests_for(), [id(1)]);
    is_due(&state, &Key::TestWriter);
    assert_eq!(fork(&mut state), Key::TestWriter);
    state
}

#[test]
fn ac_tdd_8_65_a_second_test_writer_comes_once_and_before_the_coin() {
    let mut state = second();
    happen(&mut state, &says_ok(&Key::TestWriter));
    happen(&mut state, &measured(Findings::Red(red())));
    happen(&mut state, &Event::WorkKept { checkpoint: at("more") });
    assert_eq!(state.phase, Phase::HoldingOut { step: Hold::Part });
    assert_eq!((state.more.clone(), state.good.clone()), (Some(More::Tried), Some(at("more"))));
    refused(&state, &more());
    happen(&mut state, &parted(None));
    assert_eq!(state.phase, Phase::HoldingOut { step: Hold::TakeOut });
    refused(&at_the_toss(), &held(Held::More { criteria: Vec::new() }));
}

#[test]
fn ac_tdd_8_66_a_second_test_writer_that_fails_halts_nothing() {
    let mut state = second();
    let mut green = red();
    green.criteria[0].tests[0].kind = RedKind::Passed;
    for _ in 0..state.run.plan.bounds.semantic {
        if !matches!(state.phase, Phase::Forked { .. }) {
            fork(&mut state);
        }
        happen(&mut state, &says_ok(&Key::TestWriter));
        happen(&mut state, &measured(Findings::Red(green.clone())));
        let Phase::RollingBack { to, .. } = state.phase.clone() else { panic!("{:?}", state.phase) };
        assert_eq!(to, at("good test-writer"));
        let (extent, kept_as) = (crate::effect::RollBack::Everything, at("failed"));
        happen(&mut state, &Event::WorkRolledBack { to, extent, kept_as });
    }
    assert_eq!(state.phase, Phase::HoldingOut { step: Hold::Part });
    assert_eq!((state.more.clone(), state.more_tests_for().len()), (Some(More::Tried), 0));
    assert_eq!(names(&state), [SHOWN, HIDDEN], "RED is the first one's");
}

#[test]
fn ac_tdd_8_67_a_stop_amid_the_second_session_goes_on_with_it() {
    let mut state = second();
    happen(&mut state, &Event::Resumed);
    happen(&mut state, &Event::AttemptCut { kept_as: at("cut") });
    is_due(&state, &Key::TestWriter);
    assert_eq!(state.more_tests_for(), [id(1)]);
}
