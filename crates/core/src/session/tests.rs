use super::*;
use crate::commands::{ProjectCommands, RunnerKind};
use crate::event::{EditFact, GateMode, SessionId, TestIdSource};
use crate::policy::Policy;

const RED: &str = "tests/test_a.py::test_one";

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

fn tree(name: &str) -> CheckpointId {
    CheckpointId(name.into())
}

fn of(event: SessionEvent) -> Event {
    Event::Session(Box::new(event))
}

fn started() -> Event {
    of(SessionEvent::SessionStarted(Box::new(SessionStarted {
        session: SessionId("s".into()),
        version: "0".into(),
        agent: "claude".into(),
        model: None,
        commands: ProjectCommands {
            test: "pytest".into(),
            test_source: "x".into(),
            gate: "pytest".into(),
            gate_source: "x".into(),
            runner: RunnerKind::Pytest,
        },
        project: String::new(),
        mode: GateMode::Strict,
        free: vec!["scratch/**".into()],
        tools: BTreeMap::new(),
        within: None,
        tree: tree("t0"),
        git: None,
    })))
}

fn run(id: &str, status: PassFail, kind: Option<FailureKind>) -> Event {
    Event::TestRun(TestRunFact {
        test_id: TestId(id.into()),
        test_id_source: TestIdSource::Native,
        status,
        kind,
        command: "pytest".into(),
        duration_ms: 1,
        file: None,
        tree: None,
        output: None,
    })
}

fn red(id: &str) -> Event {
    run(id, PassFail::Fail, Some(FailureKind::Assertion))
}

fn green(id: &str) -> Event {
    run(id, PassFail::Pass, None)
}

fn claim(id: &str, target: &str) -> Event {
    Event::EditClaim { test_id: TestId(id.into()), edit_target: path(target) }
}

fn edit(target: &str, ids: &[&str], ground: EditGround, to: &str) -> Event {
    of(SessionEvent::Edit(EditFact {
        edit_target: path(target),
        test_ids: ids.iter().map(|id| TestId((*id).into())).collect(),
        ground,
        tool: Some("Edit".into()),
        base: tree("t0"),
        tree: tree(to),
    }))
}

fn repair(ids: &[&str], files: &[&str]) -> Event {
    of(SessionEvent::Repair(Repair {
        cause: RepairCause::Red,
        test_ids: ids.iter().map(|id| TestId((*id).into())).collect(),
        taken_back: files.iter().map(|file| path(file)).collect(),
        to: tree("t0"),
        kept_as: tree("k"),
        label: "taken-1".into(),
        output: None,
    }))
}

fn after(events: &[Event]) -> Session {
    let mut session = Session::open(&started()).unwrap();
    for event in events {
        session.apply(event).unwrap();
    }
    session
}

fn permit(session: &Session, file: &str) -> Permit {
    let policy = Policy::new(&["**/tests/**", "**/test_*.py"], &[], "specs").unwrap();
    session.may_edit(&Rules::of(policy, session).unwrap(), &path(file))
}

/// In one word.
fn word(permit: &Permit) -> &'static str {
    match permit {
        Permit::Allowed(EditGround::Claim, _) => "claim",
        Permit::Allowed(EditGround::Test, _) => "test",
        Permit::Allowed(EditGround::Free, _) => "free",
        Permit::Allowed(EditGround::Refactor, _) => "refactor",
        Permit::Allowed(EditGround::Ungated, _) => "ungated",
        Permit::Refused(Refusal::NoRed { .. }) => "no red",
        Permit::Refused(Refusal::NoClaim { .. }) => "no claim",
        Permit::Refused(Refusal::NotCounted { .. }) => "not counted",
        Permit::Refused(Refusal::Protected { .. }) => "protected",
        Permit::Refused(Refusal::Link { .. }) => "link",
        Permit::Refused(Refusal::Gate { .. }) => "gate",
        Permit::Refused(Refusal::Guarded { .. }) => "guarded",
        Permit::Refused(Refusal::Halted { .. }) => "halted",
        Permit::Refused(Refusal::Run { .. }) => "run",
        Permit::Refused(Refusal::Weakened { .. }) => "weakened",
        Permit::Refused(Refusal::Part { .. }) => "part",
    }
}

#[test]
fn ac_tdd_10_2_production_code_needs_a_red_test_and_then_a_claim() {
    let load = || run(RED, PassFail::Fail, Some(FailureKind::Load));
    let hung = || run(RED, PassFail::Fail, Some(FailureKind::Timeout));
    let missing = || run(RED, PassFail::Fail, Some(FailureKind::Missing));
    for (name, events, want) in [
        ("nothing happened", vec![], "no red"),
        ("a claim and no red", vec![claim(RED, "a.py")], "no red"),
        ("a red and no claim", vec![red(RED)], "no claim"),
        ("the claim came first", vec![claim(RED, "a.py"), red(RED)], "no claim"),
        ("both, in order", vec![red(RED), claim(RED, "a.py")], "claim"),
        ("a symbol is missing", vec![missing(), claim(RED, "a.py")], "claim"),
        ("of another file", vec![red(RED), claim(RED, "b.py")], "no claim"),
        ("of another test", vec![red(RED), claim("t::x", "a.py")], "no claim"),
        ("green since", vec![red(RED), claim(RED, "a.py"), green(RED)], "no red"),
        ("red again after the claim", vec![red(RED), claim(RED, "a.py"), red(RED)], "claim"),
        ("green between", vec![red(RED), claim(RED, "a.py"), green(RED), red(RED)], "no claim"),
        ("it does not load", vec![load(), claim(RED, "a.py")], "not counted"),
        ("it hung", vec![hung(), claim(RED, "a.py")], "not counted"),
        ("hung after the claim", vec![red(RED), claim(RED, "a.py"), hung()], "not counted"),
        ("another one stands", vec![load(), red("t::x"), claim("t::x", "a.py")], "claim"),
    ] {
        assert_eq!(word(&permit(&after(&events), "a.py")), want, "{name}");
    }
}

#[test]
fn each_kind_of_file_has_its_rule() {
    let claimed = || vec![red(RED), claim(RED, "a.py")];
    for (name, events, file, want) in [
        ("a test before a claim", vec![red(RED)], "tests/test_a.py", "test"),
        ("its test after the claim", claimed(), "tests/test_a.py", "protected"),
        ("another test after the claim", claimed(), "tests/test_b.py", "test"),
        ("a helper after the claim", claimed(), "tests/data.json", "protected"),
        ("its test after the green", [claimed(), vec![green(RED)]].concat(), "tests/test_a.py", "test"),
        ("a document", vec![], "README.md", "free"),
        ("a configured glob", vec![], "scratch/x.py", "free"),
        ("what a run leaves", vec![], "pkg/__pycache__/a.pyc", "free"),
        ("a gate file", claimed(), "tests/conftest.py", "gate"),
        ("a manifest", vec![], "pyproject.toml", "no red"),
        ("the settings", vec![], "tdd.yaml", "guarded"),
        ("the journal", vec![], ".tdd/sessions/s/events.jsonl", "guarded"),
        ("an agent's hooks", vec![], ".claude/settings.json", "guarded"),
        ("deeper hooks", vec![], "sub/.codex/hooks.json", "guarded"),
        ("git's hooks", vec![], ".git/hooks/pre-commit", "guarded"),
    ] {
        assert_eq!(word(&permit(&after(&events), file)), want, "{name}");
    }
}

#[test]
fn refactor_mode_permits_what_it_names() {
    let on = |files: &[&str]| {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        of(SessionEvent::RefactorOn { files, why: "rename".into() })
    };
    let off = || of(SessionEvent::RefactorOff { command: "pytest".into(), duration_ms: 1, tree: tree("t1") });
    for (name, events, file, want) in [
        ("all", vec![on(&[])], "a.py", "refactor"),
        ("gate files too", vec![on(&[])], "tests/conftest.py", "refactor"),
        ("never what holds the gate", vec![on(&[])], "tdd.yaml", "guarded"),
        ("one of its files", vec![on(&["src/**"])], "src/a.py", "refactor"),
        ("another file", vec![on(&["src/**"])], "a.py", "no red"),
        ("another file with a claim", vec![on(&["src/**"]), red(RED), claim(RED, "a.py")], "a.py", "claim"),
        ("a claimed test", vec![on(&[]), red(RED), claim(RED, "a.py")], "tests/test_a.py", "protected"),
        ("off again", vec![on(&[]), off()], "a.py", "no red"),
        ("the gate is off", vec![of(SessionEvent::Switched { to: Switch::Off })], "tdd.yaml", "ungated"),
    ] {
        assert_eq!(word(&permit(&after(&events), file)), want, "{name}");
    }
    let done = after(&[on(&[]), edit("a.py", &[], EditGround::Refactor, "t2"), off()]);
    assert_eq!((done.good, done.tree), (tree("t1"), tree("t1")));
}

#[test]
fn ac_tdd_10_3_the_end_of_a_turn_judges_what_was_touched() {
    let touched =
        [red(RED), claim(RED, "a.py"), claim(RED, "b.py"), edit("a.py", &[RED], EditGround::Claim, "t1")];
    let session = after(&touched);
    let ids: BTreeSet<TestId> = [TestId(RED.into())].into();
    assert_eq!(session.touched(), ids);
    assert_eq!(session.files_of(&ids), [path("a.py")].into(), "what was not edited is not taken back");
    assert_eq!((&session.tree, &session.good), (&tree("t1"), &tree("t0")));

    let flushed = of(SessionEvent::Flushed { test_ids: vec![TestId(RED.into())], tree: tree("t1") });
    let kept = after(&[&touched[..], &[green(RED), flushed]].concat());
    assert_eq!((kept.touched(), kept.good.clone()), (BTreeSet::new(), tree("t1")));
    assert!(kept.claims.is_empty());

    let other = [red("t::x"), claim("t::x", "a.py"), claim("t::x", "c.py")];
    let back = after(&[&touched[..], &other, &[red(RED), repair(&[RED], &["a.py"])]].concat());
    let left: Vec<&str> = back.claims.iter().map(|claim| claim.edit_target.as_str()).collect();
    assert_eq!(left, ["c.py"], "all claims on a file that is taken back go with it");
    assert_eq!(word(&permit(&back, "a.py")), "no claim", "it has to be claimed again");
}

#[test]
fn a_second_failed_turn_halts_until_a_person_looks() {
    let turn = || {
        vec![
            red(RED),
            claim(RED, "a.py"),
            edit("a.py", &[RED], EditGround::Claim, "t1"),
            repair(&[RED], &["a.py"]),
        ]
    };
    let once = [turn(), vec![claim(RED, "a.py")]].concat();
    assert_eq!(word(&permit(&after(&once), "a.py")), "claim");
    let twice = [turn(), turn()].concat();
    let halted = after(&twice);
    assert_eq!(halted.halted(), [&TestId(RED.into())]);
    assert_eq!(word(&permit(&halted, "a.py")), "halted");
    assert_eq!(word(&permit(&halted, "tests/test_b.py")), "halted");
    assert_eq!(word(&permit(&halted, "README.md")), "free", "a document can still be written");
    let flushed = of(SessionEvent::Flushed { test_ids: vec![TestId(RED.into())], tree: tree("t2") });
    let between = after(&[turn(), vec![flushed], turn()].concat());
    assert!(between.halted().is_empty(), "only failures in a row count");
    let looked = of(SessionEvent::Looked { test_ids: vec![TestId(RED.into())] });
    let again = after(&[twice, vec![looked, claim(RED, "a.py")]].concat());
    assert_eq!(word(&permit(&again, "a.py")), "claim");
}

#[test]
fn what_a_person_changed_between_turns_is_no_edit() {
    let rebased =
        |to: &str| of(SessionEvent::Rebased { tree: tree(to), paths: vec![path("a.py")], git: None });
    assert_eq!(after(&[rebased("t5")]).good, tree("t5"));
    let open =
        after(&[red(RED), claim(RED, "a.py"), edit("a.py", &[RED], EditGround::Claim, "t1"), rebased("t5")]);
    assert_eq!(
        (open.tree, open.good),
        (tree("t5"), tree("t0")),
        "what is still to be judged has its own base"
    );
}

#[test]
fn a_plan_shows_a_dot_for_each_step() {
    let step = |id: Option<&str>| Step {
        step: "s".into(),
        test_id: id.map(|id| TestId(id.into())),
        test_file_path: None,
    };
    let session = after(&[red(RED), green("t::x"), of(SessionEvent::Planned { steps: vec![step(None)] })]);
    for (id, want) in [
        (None, Dot::Refactor),
        (Some("t::new"), Dot::NotRun),
        (Some(RED), Dot::Red),
        (Some("t::x"), Dot::Green),
    ] {
        assert_eq!(session.dot(&step(id)), want, "{id:?}");
    }
    assert_eq!(session.plan.len(), 1);
}

#[test]
fn only_events_of_a_session_are_taken() {
    let mut session = after(&[]);
    assert!(session.apply(&Event::Resumed).is_err());
    assert!(session.apply(&started()).is_err(), "it begins once");
    assert!(Session::open(&Event::Resumed).is_err());
    assert_eq!(session, after(&[]), "an error changes nothing");
}

#[test]
fn refusals_are_short_and_name_the_next_step() {
    let id = || TestId(RED.into());
    for (refusal, next) in [
        (Refusal::NoRed { path: path("src/cart.py") }, "tdd gate test"),
        (Refusal::NoClaim { path: path("src/cart.py"), red: id() }, "tdd gate claim"),
        (Refusal::NoClaim { path: path("-x.py"), red: id() }, " ./-x.py"),
        (Refusal::Protected { path: path("tests/test_a.py"), by: id() }, "production code"),
        (Refusal::Gate { path: path("conftest.py") }, "tdd gate refactor"),
        (Refusal::Guarded { path: path("tdd.yaml") }, "person"),
        (Refusal::Halted { test: id() }, "tell the person"),
        (Refusal::Run { path: path("a.py") }, "Wait"),
    ] {
        let said = refusal.to_string();
        assert!(said.contains(next) && said.len() < 200 && said.starts_with("tdd: "), "{said}");
    }
}

#[test]
fn a_run_at_work_answers_by_its_own_policy() {
    use crate::role::Role;
    let policy = Policy::new(&["**/tests/**"], &[], "specs").unwrap();
    for (role, file, want) in [
        (Some(Role::TestWriter), "tests/a.py", "ungated"),
        (Some(Role::TestWriter), "a.py", "run"),
        (Some(Role::Implementer), "a.py", "ungated"),
        (Some(Role::Implementer), "tests/a.py", "run"),
        (Some(Role::Implementer), "pyproject.toml", "run"),
        (None, "a.py", "run"),
        (None, "a/__pycache__/x.pyc", "free"),
    ] {
        assert_eq!(word(&in_run(&policy, role, &path(file))), want, "{role:?} {file}");
    }
}
