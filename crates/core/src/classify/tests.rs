use super::*;
use crate::test::LoadFailure;

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

fn criterion() -> CriterionId {
    CriterionId::parse("AC-X.1").unwrap()
}

fn failure(kind: FailureKind) -> Failure {
    Failure { kind, message: "said\nmore".into(), absent: None, absent_too: Vec::new() }
}

fn result(name: &str, outcome: Outcome) -> TestResult {
    let file = Some(path("t/ac_x_1.py"));
    TestResult { id: TestId(format!("t/ac_x_1.py::{name}")), file, outcome, duration_ms: 1 }
}

fn report(tests: Vec<TestResult>) -> TestReport {
    TestReport { tests, complete: true, ..TestReport::default() }
}

fn mapping() -> Mapping {
    Mapping::assign(&[criterion()], &[path("t/ac_x_1.py")], &BTreeMap::new(), "")
}

fn red(
    first: &TestReport,
    second: Option<&TestReport>,
    body: &Body,
    declared: &[&str],
) -> Vec<(String, RedKind)> {
    let declared: Vec<TestId> = declared.iter().map(|name| TestId(format!("t/ac_x_1.py::{name}"))).collect();
    let sources =
        Sources { declared: &|_| declared.clone(), body: &|_, _| body.clone(), takes_part: &|_, _| true };
    let red = criterion_red(&criterion(), &mapping(), (first, second), &sources);
    red.tests.into_iter().map(|test| (test.id.0.replace("t/ac_x_1.py::", ""), test.kind)).collect()
}

#[test]
fn each_outcome_has_its_red_kind() {
    let unconditional = Body { conditional: Conditional::Unconditional, ..Body::default() };
    let vacuous = Body { expectation: Expectation::Absent, ..Body::default() };
    for (outcome, body, want) in [
        (Outcome::Passed, Body::default(), RedKind::Passed),
        (Outcome::Skipped, Body::default(), RedKind::None),
        (Outcome::Failed(failure(FailureKind::Assertion)), Body::default(), RedKind::Assertion),
        (Outcome::Failed(failure(FailureKind::Assertion)), unconditional, RedKind::Unconditional),
        (Outcome::Failed(failure(FailureKind::Error)), Body::default(), RedKind::Error),
        (Outcome::Failed(failure(FailureKind::Missing)), Body::default(), RedKind::Missing),
        (Outcome::Failed(failure(FailureKind::Missing)), vacuous.clone(), RedKind::None),
        (Outcome::Failed(failure(FailureKind::Error)), vacuous, RedKind::None),
        (Outcome::Failed(failure(FailureKind::Load)), Body::default(), RedKind::Load),
        (Outcome::Failed(failure(FailureKind::Timeout)), Body::default(), RedKind::Timeout),
        (Outcome::Failed(failure(FailureKind::Crash)), Body::default(), RedKind::Crash),
    ] {
        let first = report(vec![result("a", outcome.clone())]);
        assert_eq!(red(&first, None, &body, &[]), [("a".to_owned(), want)], "{outcome:?} {body:?}");
    }
}

#[test]
fn only_an_expectation_that_looks_at_what_is_absent_makes_it_missing() {
    use Expectation::{Absent, Held, Unknown, Unrecorded};
    for (absent, expectation, looks_at, want) in [
        (Some("f1"), Held, Some(&["f1"] as &[_]), RedKind::Missing),
        (Some("f1"), Held, Some(&["f2"]), RedKind::None),
        (Some("f1"), Held, None, RedKind::Missing),
        (Some("shop::f1"), Held, Some(&["f1"]), RedKind::Missing),
        (Some("shop::f1"), Held, Some(&["shop"]), RedKind::None),
        (Some("shop.Cart.add"), Held, Some(&["add"]), RedKind::Missing),
        (Some("../src/shop.test-d.mjs"), Held, Some(&["shop"]), RedKind::Missing),
        (Some("shop/cart"), Held, Some(&["cart"]), RedKind::Missing),
        (Some("../src/shop.js#f1"), Held, Some(&["f1"]), RedKind::Missing),
        (Some("../src/shop.js#f1"), Held, Some(&["shop"]), RedKind::None),
        (Some("f1()"), Held, Some(&["f1"]), RedKind::Missing),
        (Some("f1"), Held, Some(&["f11"]), RedKind::None),
        (Some(""), Held, Some(&[]), RedKind::Missing),
        (None, Held, Some(&[]), RedKind::Missing),
        (Some("f1"), Unknown, None, RedKind::Missing),
        (Some("f1"), Unknown, Some(&["f1"]), RedKind::Missing),
        (Some("f1"), Unknown, Some(&[]), RedKind::None),
        (None, Unknown, Some(&[]), RedKind::None),
        (None, Unknown, Some(&["x"]), RedKind::Missing),
        (Some("f1"), Absent, Some(&["f1"]), RedKind::None),
        (Some("f1"), Unrecorded, Some(&["f1"]), RedKind::None),
    ] {
        let failed = Failure { absent: absent.map(str::to_owned), ..failure(FailureKind::Missing) };
        let first = report(vec![result("a", Outcome::Failed(failed))]);
        let looks_at = looks_at.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        let body = Body { expectation, looks_at, ..Body::default() };
        assert_eq!(red(&first, None, &body, &[])[0].1, want, "{absent:?} {body:?}");
    }
}

#[test]
fn a_mark_that_will_keep_a_test_from_counting_is_no_red() {
    let failed = Failure { absent: Some("calc.add".into()), ..failure(FailureKind::Missing) };
    let first = report(vec![result("a", Outcome::Failed(failed))]);
    let under = |word: &str| Mark::Under("@skipif(…)".to_owned(), BTreeSet::from([word.to_owned()]));
    for (mark, want) in [
        (Mark::Always("@xfail".to_owned()), RedKind::None),
        (under("add"), RedKind::None),
        (under("platform"), RedKind::Missing),
        (Mark::None, RedKind::Missing),
    ] {
        let body = Body { mark: mark.clone(), ..Body::default() };
        assert_eq!(red(&first, None, &body, &[])[0].1, want, "{mark:?}");
        for (kind, is_told) in
            [(FailureKind::Missing, want == RedKind::None), (FailureKind::Assertion, false)]
        {
            let failed = Failure { absent: Some("calc.add".into()), ..failure(kind) };
            let said = first_line(&Outcome::Failed(failed.clone()), &body);
            assert_eq!(said.contains("does not count, by its mark: @"), is_told, "{mark:?} {said}");
            assert_eq!(said == failed.message.lines().next().unwrap(), !is_told, "{mark:?} {said}");
        }
    }
}

#[test]
fn what_may_expect_something_of_what_is_absent_is_no_fault() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
    for (absent, of, given, want) in [
        (Some("total"), &["same"][..], &["total"][..], RedKind::Missing),
        (Some("total"), &["same"], &["other"], RedKind::None),
        (Some("total"), &["total"], &["total"], RedKind::None),
        (None, &["same"], &["other"], RedKind::Missing),
    ] {
        for expectation in [Expectation::Unknown, Expectation::Held] {
            let ask = Ask { of: names(of), given: names(given) };
            let looks_at = Some(BTreeSet::new());
            let body = Body { expectation, looks_at, asks: vec![ask], ..Body::default() };
            let failed = Failure { absent: absent.map(str::to_owned), ..failure(FailureKind::Missing) };
            let first = report(vec![result("a", Outcome::Failed(failed))]);
            assert_eq!(red(&first, None, &body, &[])[0].1, want, "{absent:?} {of:?} {given:?}");
        }
    }
}

#[test]
fn what_stood_there_before_is_not_missing() {
    let failed = Failure { absent: Some("shop.f1".into()), ..failure(FailureKind::Missing) };
    let first = report(vec![result("a", Outcome::Failed(failed))]);
    for (existing, want) in [("shop.f1", RedKind::Load), ("shop.f2", RedKind::Missing)] {
        let body = Body { existing: BTreeSet::from([existing.to_owned()]), ..Body::default() };
        assert_eq!(red(&first, None, &body, &[])[0].1, want, "{existing}");
    }
}

#[test]
fn a_test_that_differs_between_two_runs_is_flaky() {
    let failed = report(vec![result("a", Outcome::Failed(failure(FailureKind::Assertion)))]);
    let passed = report(vec![result("a", Outcome::Passed)]);
    let gone = report(vec![]);
    assert_eq!(red(&failed, Some(&failed), &Body::default(), &[])[0].1, RedKind::Assertion);
    assert_eq!(red(&failed, Some(&passed), &Body::default(), &[])[0].1, RedKind::Flaky);
    assert_eq!(red(&failed, Some(&gone), &Body::default(), &[])[0].1, RedKind::Flaky);
}

#[test]
fn a_file_that_does_not_load_gives_what_its_source_declares() {
    let load = |kind| TestReport {
        load_failures: vec![LoadFailure::new(path("t/ac_x_1.py"), failure(kind))],
        ..report(vec![])
    };
    let vacuous = Body { expectation: Expectation::Absent, ..Body::default() };
    let missing = load(FailureKind::Missing);
    assert_eq!(red(&missing, None, &Body::default(), &["a", "b"]).len(), 2);
    assert_eq!(red(&missing, None, &Body::default(), &["a"])[0].1, RedKind::Missing);
    assert_eq!(red(&missing, None, &vacuous, &["a"])[0].1, RedKind::None);
    assert_eq!(red(&missing, None, &vacuous, &[])[0].1, RedKind::None, "the file holds no expectation");
    assert_eq!(red(&missing, None, &Body::default(), &[])[0].1, RedKind::Missing, "names that a run makes");
    assert_eq!(red(&load(FailureKind::Load), None, &Body::default(), &["a"])[0].1, RedKind::Load);
}

#[test]
fn expected_ids_come_from_red() {
    let known = |name: &str, seen| RedTest {
        id: TestId(format!("t/ac_x_1.py::{name}")),
        kind: RedKind::Assertion,
        seen,
        message: String::new(),
        why: None,
    };
    let expect = |tests: Vec<RedTest>, results: Vec<TestResult>| {
        let red =
            CriterionRed { id: criterion(), files: vec![path("t/ac_x_1.py")], tests, may_skip: Vec::new() };
        own(&red, &mapping(), &report(results)).vanished.len()
    };
    let passed = |name: &str| result(name, Outcome::Passed);
    assert_eq!(expect(vec![known("a", Seen::Reported)], vec![passed("a")]), 0);
    assert_eq!(
        expect(vec![known("a", Seen::Reported)], vec![passed("b")]),
        1,
        "another test is no replacement"
    );
    assert_eq!(expect(vec![known("a", Seen::Declared)], vec![passed("a[1]"), passed("a[2]")]), 0);
    assert_eq!(expect(vec![known("a", Seen::Declared), known("b", Seen::Declared)], vec![passed("a")]), 1);
    assert_eq!(expect(vec![known("a", Seen::Declared)], vec![]), 1);
}

#[test]
fn a_lost_green_is_one_that_fails_skips_or_vanishes_but_not_one_that_moved() {
    let id = |name: &str| TestId(format!("t/ac_x_1.py::{name}"));
    let moved = TestResult { id: TestId("src/new.rs::tests::c".into()), ..result("c", Outcome::Passed) };
    let now = report(vec![
        result("a", Outcome::Failed(failure(FailureKind::Assertion))),
        result("b", Outcome::Skipped),
        result("d", Outcome::Passed),
        moved,
    ]);
    let before = [id("a"), id("b"), id("c"), id("d"), id("e")];
    assert_eq!(lost(&before, &now), [id("a"), id("b"), id("e")]);
}

#[test]
fn a_red_tells_how_its_id_is_known_and_what_the_runner_said() {
    let body = |_: &RelPath, _: &TestId| Body::default();
    let of = |first: &TestReport, declared: &[&str]| {
        let declared: Vec<TestId> = declared.iter().map(|name| TestId((*name).to_owned())).collect();
        let sources = Sources { declared: &|_| declared.clone(), body: &body, takes_part: &|_, _| true };
        let red = criterion_red(&criterion(), &mapping(), (first, None), &sources);
        assert_eq!((red.id, red.files), (criterion(), vec![path("t/ac_x_1.py")]));
        red.tests.into_iter().map(|test| (test.id.0, test.seen, test.message)).collect::<Vec<_>>()
    };
    let known = |id: &str, seen: Seen, message: &str| (id.to_owned(), seen, message.to_owned());
    let ran = report(vec![
        result("a", Outcome::Failed(failure(FailureKind::Assertion))),
        result("b", Outcome::Passed),
        TestResult { file: Some(path("t/other.py")), ..result("c", Outcome::Passed) },
    ]);
    let want = [known("t/ac_x_1.py::a", Seen::Reported, "said"), known("t/ac_x_1.py::b", Seen::Reported, "")];
    assert_eq!(of(&ran, &["t/ac_x_1.py::z"]), want, "a source is asked only for what did not load");
    let unloaded = |file: &str| TestReport {
        load_failures: vec![LoadFailure::new(path(file), failure(FailureKind::Missing))],
        ..report(vec![])
    };
    let own = unloaded("t/ac_x_1.py");
    assert_eq!(
        of(&own, &["x", "y"]),
        [known("x", Seen::Declared, "said"), known("y", Seen::Declared, "said")]
    );
    assert_eq!(of(&own, &[]), [known("t/ac_x_1.py", Seen::FileOnly, "said")]);
    assert_eq!(of(&unloaded("t/other.py"), &["x"]), [], "another file's trouble is not this criterion's");
    let broken = TestReport { project_broken: Some(failure(FailureKind::Crash)), ..report(vec![]) };
    assert_eq!(of(&broken, &["x"]), [known("x", Seen::Declared, "said")]);
}

#[test]
fn why_a_file_did_not_load_is_what_its_tests_are() {
    for (kind, want) in [
        (FailureKind::Missing, RedKind::Missing),
        (FailureKind::Timeout, RedKind::Timeout),
        (FailureKind::Crash, RedKind::Crash),
        (FailureKind::Assertion, RedKind::Load),
        (FailureKind::Error, RedKind::Load),
        (FailureKind::Load, RedKind::Load),
    ] {
        let failed = LoadFailure::new(path("t/ac_x_1.py"), failure(kind));
        let first = TestReport { load_failures: vec![failed], ..report(vec![]) };
        assert_eq!(red(&first, None, &Body::default(), &["a"])[0].1, want, "{kind:?}");
        assert_eq!(red(&first, None, &Body::default(), &[])[0].1, want, "{kind:?}, without a name");
    }
}

#[test]
fn an_expectation_that_nobody_recorded_is_none() {
    let unrecorded = Body { expectation: Expectation::Unrecorded, ..Body::default() };
    for (kind, want) in [
        (FailureKind::Assertion, RedKind::None),
        (FailureKind::Error, RedKind::None),
        (FailureKind::Missing, RedKind::None),
        (FailureKind::Load, RedKind::Load),
        (FailureKind::Timeout, RedKind::Timeout),
        (FailureKind::Crash, RedKind::Crash),
    ] {
        let first = report(vec![result("a", Outcome::Failed(failure(kind)))]);
        assert_eq!(red(&first, None, &unrecorded, &[])[0].1, want, "{kind:?}");
    }
}

#[test]
fn own_tests_are_sorted_by_what_they_did() {
    let names = |ids: &[TestId]| ids.iter().map(|id| id.0.clone()).collect::<Vec<_>>();
    let red = CriterionRed {
        id: criterion(),
        files: vec![path("t/ac_x_1.py")],
        tests: vec![],
        may_skip: Vec::new(),
    };
    let ran = report(vec![
        result("a", Outcome::Passed),
        result("b", Outcome::Failed(failure(FailureKind::Error))),
        result("c", Outcome::Skipped),
        TestResult { file: Some(path("t/other.py")), ..result("d", Outcome::Passed) },
    ]);
    let got = own(&red, &mapping(), &ran);
    assert_eq!(names(&got.passed), ["t/ac_x_1.py::a"]);
    assert_eq!(names(&got.failed), ["t/ac_x_1.py::b"]);
    assert_eq!(names(&got.skipped), ["t/ac_x_1.py::c"]);
    assert_eq!(names(&got.vanished), Vec::<String>::new());
    let load_failures = vec![LoadFailure::new(path("t/ac_x_1.py"), failure(FailureKind::Missing))];
    let unloaded = TestReport { load_failures, ..report(vec![]) };
    assert_eq!(names(&own(&red, &mapping(), &unloaded).failed), ["t/ac_x_1.py"], "a file that does not load");
}

#[test]
fn only_ids_that_are_known_can_vanish() {
    let known = |name: &str, seen| RedTest {
        id: TestId(format!("t/ac_x_1.py::{name}")),
        kind: RedKind::Missing,
        seen,
        message: String::new(),
        why: None,
    };
    let vanished = |tests: &[RedTest], ran: &[&str]| {
        let red = CriterionRed {
            id: criterion(),
            files: vec![path("t/ac_x_1.py")],
            tests: tests.to_vec(),
            may_skip: Vec::new(),
        };
        let ran = ran.iter().map(|name| result(name, Outcome::Passed)).collect();
        let gone = own(&red, &mapping(), &report(ran)).vanished;
        gone.into_iter().map(|id| id.0.replace("t/ac_x_1.py::", "")).collect::<Vec<_>>()
    };
    let (a, b) = (known("a", Seen::Declared), known("b", Seen::Declared));
    let c = known("c", Seen::Reported);
    let file = RedTest { id: TestId("t/ac_x_1.py".to_owned()), ..known("", Seen::FileOnly) };
    let both = [a.clone(), b.clone()];
    assert_eq!(vanished(&both, &["a"]), ["b"]);
    assert_eq!(vanished(&both, &["x"]), ["a", "b"]);
    assert_eq!(vanished(&both, &["x", "y"]), [""; 0], "as many as were declared");
    assert_eq!(vanished(&both, &["x", "y", "z"]), [""; 0]);
    assert_eq!(vanished(std::slice::from_ref(&file), &[]), ["t/ac_x_1.py"], "no test of the file ran");
    assert_eq!(vanished(std::slice::from_ref(&file), &["x"]), [""; 0], "no id was known");
    assert_eq!(vanished(&[file, c.clone()], &["c"]), [""; 0]);
    assert_eq!(vanished(&[a, c.clone()], &["x", "y"]), ["c"], "what was reported must be seen itself");
    assert_eq!(vanished(&[c, b], &["c"]), ["b"]);
}

#[test]
fn a_green_has_moved_only_if_one_new_test_of_its_name_passes() {
    let id = |text: &str| TestId(text.to_owned());
    let new = |text: &str, outcome: Outcome| TestResult { id: id(text), ..result("x", outcome) };
    let before = [id("src/old.rs::tests::c")];
    for (name, now, is_lost) in [
        ("gone", vec![], true),
        ("moved", vec![new("src/new.rs::c", Outcome::Passed)], false),
        ("a bare name", vec![new("c", Outcome::Passed)], false),
        ("moved, red", vec![new("src/new.rs::c", Outcome::Failed(failure(FailureKind::Error)))], true),
        ("moved, skipped", vec![new("src/new.rs::c", Outcome::Skipped)], true),
        ("two of the name", vec![new("a::c", Outcome::Passed), new("b::c", Outcome::Passed)], true),
        ("another name", vec![new("src/new.rs::cc", Outcome::Passed)], true),
    ] {
        assert_eq!(lost(&before, &report(now)).len(), usize::from(is_lost), "{name}");
    }
    for (was, now) in [
        ("src/lib.rs::doctest of one #1", "src/kept.rs::doctest of kept::one #1"),
        ("src/lib.rs::doctest of Cart::total #2", "src/cart.rs::doctest of cart::Cart::total #2"),
        ("shop/core.py::shop.core.one", "shop/kept.py::shop.kept.one"),
        ("src/shop/core.py::shop.core.Cart.total", "src/shop/__init__.py::shop.Cart.total"),
    ] {
        assert_eq!(lost(&[id(was)], &report(vec![new(now, Outcome::Passed)])), [], "{was}");
    }
    for (was, now) in [
        ("src/lib.rs::doctest of one #1", "src/lib.rs::doctest of one #2"),
        ("shop/core.py::shop.core.Cart.total", "shop/kept.py::shop.kept.total"),
        ("shop/core.py::shop.core.one", "shop/kept.py::other.kept.one"),
    ] {
        let now = report(vec![new(now, Outcome::Passed)]);
        assert_eq!(lost(&[id(was)], &now), [id(was)], "{was}");
    }
    let known = [id("a::c"), id("b::c")];
    let stays = report(vec![new("b::c", Outcome::Passed)]);
    assert_eq!(lost(&known, &stays), [id("a::c")], "a test that was there before is no replacement");
}

#[test]
fn greens_are_what_passed_in_order_and_once() {
    let ran = report(vec![
        result("b", Outcome::Passed),
        result("c", Outcome::Skipped),
        result("a", Outcome::Passed),
        result("d", Outcome::Failed(failure(FailureKind::Error))),
        result("b", Outcome::Passed),
    ]);
    let names: Vec<String> = greens(&ran).into_iter().map(|id| id.0).collect();
    assert_eq!(names, ["t/ac_x_1.py::a", "t/ac_x_1.py::b"]);
}

#[test]
fn namesakes_of_a_known_green_must_all_pass() {
    let id = |name: &str| TestId(format!("f::{name}"));
    let test = |(name, outcome): &(&str, Outcome)| TestResult {
        id: id(name),
        file: None,
        outcome: outcome.clone(),
        duration_ms: 0,
    };
    let (passed, failed) = (Outcome::Passed, Outcome::Failed(failure(FailureKind::Assertion)));
    let (ok, bad, skip) = (passed.clone(), failed.clone(), Outcome::Skipped);
    for (name, greens, known, now, want) in [
        ("more that pass", vec!["a"], vec![], vec![("a", ok.clone()), ("a #2", ok.clone())], vec![]),
        ("a forged pass first", vec!["a"], vec![], vec![("a", ok.clone()), ("a #2", bad.clone())], vec!["a"]),
        ("a skip behind it", vec!["a"], vec![], vec![("a", ok.clone()), ("a #2", skip)], vec!["a"]),
        ("red before", vec!["a"], vec!["a #2"], vec![("a", ok.clone()), ("a #2", bad.clone())], vec![]),
        (
            "the first was red",
            vec!["a #2"],
            vec!["a"],
            vec![("a #2", ok.clone()), ("a #3", bad.clone())],
            vec!["a #2"],
        ),
        ("its own name", vec!["a"], vec![], vec![("a", ok.clone()), ("b #2", bad.clone())], vec![]),
        ("lost by itself", vec!["a", "a #2"], vec![], vec![("a", ok), ("a #2", bad)], vec![]),
    ] {
        let ids = |names: &[&str]| names.iter().map(|name| id(name)).collect::<Vec<_>>();
        let (greens, known) = (ids(&greens), ids(&known));
        let report = report(now.iter().map(test).collect());
        assert_eq!(lost_by_namesake(&greens, &known.iter().collect(), &report), ids(&want), "{name}");
    }
    let one = report(vec![test(&("a", passed))]);
    assert_eq!(lost(&[id("a"), id("a #2")], &one), [id("a #2")], "one that is gone");
}

#[test]
fn who_names_a_test_means_its_namesakes() {
    let id = criterion();
    let mut mapping = Mapping::default();
    mapping.owned.entry(id.clone()).or_default().ids.push(TestId("t/ac_x_1.py::a".into()));
    let mut both = report(vec![
        result("a", Outcome::Failed(failure(FailureKind::Assertion))),
        result("b", Outcome::Passed),
        result("a", Outcome::Failed(failure(FailureKind::Assertion))),
    ]);
    both.number_namesakes();
    let sources = Sources { declared: &|_| vec![], body: &|_, _| Body::default(), takes_part: &|_, _| true };
    let red = criterion_red(&id, &mapping, (&both, None), &sources);
    assert_eq!(red.tests.len(), 2);
    both.tests[0].outcome = Outcome::Passed;
    let own = own(&red, &mapping, &both);
    assert_eq!((own.passed.len(), own.failed), (1, vec![TestId("t/ac_x_1.py::a #2".into())]));
}

/// A runner stops at the first name that is absent.
#[test]
fn what_is_absent_beside_the_name_that_was_told_is_looked_at_too() {
    let failure = Failure {
        kind: FailureKind::Missing,
        message: "ImportError: cannot import name 'total'".to_owned(),
        absent: Some("shop.total".to_owned()),
        absent_too: Vec::new(),
    };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
    let body = Body {
        expectation: Expectation::Held,
        looks_at: Some(names(&["checkout"])),
        line: 9,
        ..Body::default()
    };
    let beside = Body { absent_too: names(&["shop.checkout"]), ..body.clone() };
    assert_eq!(kind_of_failure(&failure, &beside), RedKind::Missing);
    // Its twin looks at what is there already.
    assert_eq!(kind_of_failure(&failure, &body), RedKind::None);
    let why = why_of(&failure, &body, RedKind::None).unwrap();
    assert!(why.words.contains("`total` is missing, and expects nothing of it"), "{}", why.words);
    assert_eq!(why.line, Some(9));
    let never = Body { undefined: Some(("Emty".to_owned(), 11)), ..beside };
    assert_eq!(kind_of_failure(&failure, &never), RedKind::Unconditional);
    let why = why_of(&failure, &never, RedKind::Unconditional).unwrap();
    assert!(why.words.contains("`Emty`") && why.line == Some(11), "{}", why.words);
}
