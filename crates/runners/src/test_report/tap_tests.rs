use super::*;

fn words(text: &str) -> Vec<String> {
    let report = parse(text.as_bytes());
    let word = |point: &Point| {
        let word = match &point.outcome {
            Outcome::Passed => "ok".to_owned(),
            Outcome::Skipped => "skip".to_owned(),
            Outcome::Failed(failure) => format!("{:?}", failure.kind).to_lowercase(),
        };
        let file = point.file.as_ref().map(|file| format!("{file}::")).unwrap_or_default();
        format!("{file}{}={word}", point.path.join(" > "))
    };
    assert_eq!(report.flaw, None, "{text}");
    report.points.iter().map(word).collect()
}

#[test]
fn points_are_read_in_every_version() {
    for (text, want) in [
        ("1..2\nok\nnot ok\n", vec!["=ok", "=assertion"]),
        ("TAP version 13\nok 1 - a\nnot ok 2 - b\n1..2\n", vec!["a=ok", "b=assertion"]),
        ("TAP version 14\n1..0 # SKIP no database\n", vec![]),
        (
            "ok 1 a # SKIP why\nnot ok 2 b # todo later\nok 3 c \\# SKIP not\nok 4 - d#1\n1..4\n",
            vec!["a=skip", "b=skip", "c # SKIP not=ok", "d#1=ok"],
        ),
        ("ok 1 - a # time=5.3ms\n1..1\n# time=9ms\n", vec!["a=ok"]),
        ("pragma +strict\nhello\n# a comment\nok 1 - 2 things\nokay\n1..1 # one\n", vec!["2 things=ok"]),
        ("ok 1 - crlf\r\n1..1\r\n", vec!["crlf=ok"]),
    ] {
        assert_eq!(words(text), want, "{text}");
    }
}

#[test]
fn subtests_take_the_names_of_those_that_sum_them_up() {
    let text = "TAP version 14\n# Subtest: outer\n    # Subtest: inner\n        ok 1 - deep\n        1..1\n    ok 1 - inner\n    not ok 2 - red\n      ---\n      error: |\n        not ok 7 - quoted\n      operator: equal\n      location: '/p/t/a.mjs:3:1'\n      ...\n    1..2\nnot ok 1 - outer\n  ---\n  at:\n    file: /p/t/b.mjs\n  ...\nok 2 - flat\n1..2\n";
    assert_eq!(
        words(text),
        ["/p/t/b.mjs::outer > inner > deep=ok", "/p/t/a.mjs::outer > red=assertion", "flat=ok"]
    );
    let hook = "    ok 1 - a\n    1..1\nnot ok 1 - outer\n1..1\n";
    assert_eq!(words(hook), ["outer > a=ok", "outer=assertion"], "what failed is the outer one itself");
    let todo = "    not ok 1 - a\n    1..1\nnot ok 1 - outer # TODO\n1..1\n";
    assert_eq!(words(todo), ["outer > a=skip"]);
    let empty = "    1..0 # skip\nok 1 - outer # SKIP\n1..1\n";
    assert_eq!(words(empty), ["outer=skip"]);
}

#[test]
fn a_subtest_with_a_time_is_one_test_and_its_assertions_are_none() {
    let text = "# Subtest: test/a.js\n    # Subtest: adds\n        ok 1 - one\n        ok 2 - should be equal\n        1..2\n    ok 1 - adds # time=17.658ms\n    # Subtest: fails\n        ok 1 - should be equal\n        not ok 2 - f is not a function\n          ---\n          stack: |\n            TypeError: f is not a function\n          ...\n        1..2\n    not ok 2 - fails # time=2ms\n      ---\n      at:\n        fileName: test/a.js\n      ...\n    ok 3 - sk # SKIP no\n    # Subtest: both\n        ok 1 - x\n        # Subtest: deep\n            ok 1 - y\n            1..1\n        ok 2 - deep # time=1ms\n        ok 3 - z\n        1..3\n    ok 4 - both # time=3ms\n    ok 5 - of the file\n    1..5\nnot ok 1 - test/a.js # time=124.773ms\n1..1\n";
    let file = "test/a.js > ";
    let want = ["adds=ok", "fails=missing", "sk=skip", "both=ok", "both > deep=ok", "of the file=ok"];
    let told: Vec<String> =
        words(text).iter().map(|word| word.replace("test/a.js::", "").replace(file, "")).collect();
    assert_eq!(told, want);
    let without = "    ok 1 - a\n    ok 2 - b\n    1..2\nok 1 - outer\n1..1\n";
    assert_eq!(words(without), ["outer > a=ok", "outer > b=ok"], "nothing says that these are assertions");
}

#[test]
fn what_fails_outside_of_a_test_may_stand_behind_the_planned_ones() {
    let text = "TAP version 13\nok 1 - adds\nnot ok 2 - Error: x\nnot ok 3 - test/c.js exited with a non-zero exit code: 1\n\n1..1\n";
    assert_eq!(words(text).len(), 3);
    let passed = "ok 1 - a\nok 2 - b\nnot ok 3 - c\n1..1\n";
    assert_eq!(parse(passed.as_bytes()).flaw, Some(Flaw::WrongCount { planned: 1, held: 3 }));
}

#[test]
fn diagnostics_say_what_kind_of_failure_it_is() {
    for (notes, want) in [
        ("name: AssertionError\n  found: 1", "assertion"),
        ("error: 'TypeError: x.y is undefined'", "error"),
        ("error: 'test timed out after 5ms'", "timeout"),
        ("stack: |\n    TypeError: shop.two is not a function\n        at x", "missing"),
    ] {
        let text = format!("not ok 1 - a\n  ---\n  {notes}\n  ...\n1..1\n");
        assert_eq!(words(&text), [format!("a={want}")], "{notes}");
    }
}

#[test]
fn what_is_not_whole_is_named() {
    for (text, want) in [
        ("", Flaw::NoPlan),
        ("ok 1 - a\n", Flaw::NoPlan),
        ("1..1\n1..1\nok\n", Flaw::SecondPlan(2)),
        ("ok\n1..2\nok\n", Flaw::PlanBetween(3)),
        ("1..2\nok 1\n", Flaw::WrongCount { planned: 2, held: 1 }),
        ("1..1\nok 1\nok 2\n", Flaw::WrongCount { planned: 1, held: 2 }),
        ("1..2\nok 2\nok 1\n", Flaw::OutOfOrder { line: 2, got: 2, want: 1 }),
        ("1..2\nok 1\nok 1\n", Flaw::OutOfOrder { line: 3, got: 1, want: 2 }),
        ("1..2\nok 1\nBail out! no database\n", Flaw::BailOut(3, "no database".to_owned())),
        ("1..1\n    ok 1\n    Bail out!\n", Flaw::BailOut(3, String::new())),
        ("1..1\nnot ok 1\n  ---\n  a: b\n", Flaw::OpenDiagnostics(3)),
        ("    ok 1\n    1..1\n", Flaw::OpenSubtest(0)),
        ("    ok 1\n    1..1\n1..1\n", Flaw::OpenSubtest(3)),
        ("    ok 1\nok 1 - a\n1..1\n", Flaw::NoPlan),
        ("    not ok 1\n    1..1\nok 1 - a\n1..1\n", Flaw::PassedOver(3)),
        ("1..99999999999999999999999\nok\n", Flaw::NoPlan),
    ] {
        assert_eq!(parse(text.as_bytes()).flaw, Some(want), "{text:?}");
    }
    let deep = format!("{}ok 1\n", " ".repeat(4 * 10_000));
    assert_eq!(parse(deep.as_bytes()).flaw, Some(Flaw::TooDeep));
    for hostile in ["\u{0}", "not", "ok\u{301}", "  ---\n  ...", "#", "1..", "ok \\#", "\u{fffd}ok"] {
        let _ = parse(hostile.as_bytes());
    }
}
