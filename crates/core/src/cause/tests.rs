use super::*;
use crate::attempt::Exhaustion;
use crate::criterion::CriterionId;
use crate::finding::{FailedItem, NoSuchTest};
use crate::mode::Mode;
use crate::path::RelPath;
use crate::test::{Canary, Exit};

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

fn id(text: &str) -> TestId {
    TestId(text.to_owned())
}

fn failed(test: &str, kind: FailureKind, message: &str) -> FailedItem {
    FailedItem { test: Some(id(test)), file: None, kind, message: message.to_owned() }
}

fn unloaded(file: &str, message: &str) -> FailedItem {
    FailedItem { test: None, file: Some(path(file)), kind: FailureKind::Load, message: message.to_owned() }
}

fn run(failed: Vec<FailedItem>, output: &str) -> RunRef {
    RunRef {
        command: "pytest".to_owned(),
        exit: Exit::Code(1),
        duration_ms: 1,
        log: "log".to_owned(),
        output: output.to_owned(),
        canary: Canary::NotAsked,
        copies: crate::test::Copies::default(),
        failed,
        in_place: false,
    }
}

fn cause(reasons: Vec<Reason>, runs: &[RunRef]) -> Cause {
    let key = Key::Implementer(CriterionId::new("STE-1", 1).unwrap());
    of(&key, &Verdict::Failed(Fault { mode: Mode::B, reasons }), runs, "/repo")
}

#[test]
fn a_file_that_does_not_load_comes_before_the_tests_that_vanished_of_it() {
    let output = "tests/test_a.py:1: in <module>\n    import shop\nE     File \"/repo/shop.py\", line 3\nE       def two(:\nE               ^\nE   SyntaxError: invalid syntax\n";
    let message = "SyntaxError: invalid syntax (shop.py, line 3)";
    let other = failed("tests/b.py::x", FailureKind::Assertion, "1 != 2");
    let runs = [run(vec![unloaded("tests/test_a.py", message), other], output)];
    let reasons =
        vec![Reason::TestVanished(id("tests/test_a.py::one")), Reason::TestFailed(id("tests/b.py::x"))];
    let cause = cause(reasons, &runs);
    assert_eq!(cause.sentence, "shop.py:3 does not load: SyntaxError: invalid syntax (shop.py, line 3)");
    assert_eq!(cause.place.unwrap().to_string(), "shop.py:3");
}

/// Before there is any code every file that asks for it does not load, and that is as it should be.
#[test]
fn what_only_lacks_code_is_no_cause_of_a_false_red() {
    let missing = FailedItem {
        kind: FailureKind::Missing,
        ..unloaded("tests/test_a.py", "ImportError: cannot import name 'two' from 'shop'")
    };
    let criterion = CriterionId::new("STE-1", 2).unwrap();
    let not_red = |kind| Reason::NotRed {
        criterion: criterion.clone(),
        test: id("tests/test_b.py::two"),
        kind,
        why: None,
    };
    let runs = [run(vec![missing.clone()], "tests/test_a.py:1: in <module>\n")];
    let useless = cause(vec![not_red(RedKind::None)], &runs);
    assert_eq!(useless.sentence, "tests/test_b.py::two was skipped or not run");
    assert_eq!(useless.place.unwrap().to_string(), "tests/test_b.py:1");
    // A file that no code can mend is one.
    let runs = [run(vec![missing, unloaded("tests/test_b.py", "SyntaxError: invalid syntax")], "")];
    let broken = cause(vec![not_red(RedKind::Load)], &runs);
    assert!(broken.sentence.contains("tests/test_b.py does not load"), "{}", broken.sentence);
}

/// A test can fail in three ways and prove nothing; which one it was is what its writer has to know.
#[test]
fn a_red_that_proves_nothing_says_why() {
    let criterion = CriterionId::new("STE-1", 2).unwrap();
    let test = id("tests/test_b.py::two");
    let hollow = || {
        vec![Reason::NotRed {
            criterion: criterion.clone(),
            test: test.clone(),
            kind: RedKind::None,
            why: None,
        }]
    };
    let of = |item: FailedItem| cause(hollow(), &[run(vec![item], "")]).sentence;
    let gone = "ImportError: cannot import name 'two'";
    let missing = FailedItem { kind: FailureKind::Missing, ..unloaded("tests/test_b.py", gone) };
    assert_eq!(
        of(missing),
        "tests/test_b.py::two fails only because something is missing, and expects nothing of it: ImportError: cannot import name 'two'"
    );
    let ran = |kind, said| of(failed(&test.0, kind, said));
    assert_eq!(
        ran(FailureKind::Error, "ValueError"),
        "tests/test_b.py::two fails, but it expects nothing that code could meet: ValueError"
    );
    assert!(ran(FailureKind::Assertion, "snapshot").contains("a snapshot that nobody has recorded"));
}

#[test]
fn a_child_without_its_block_is_told_in_plain_words() {
    let error = |kind| ClaimError {
        kind,
        message: "the field `role` is missing".to_owned(),
        line: None,
        meant: None,
    };
    let told = |kind| cause(vec![Reason::Format(error(kind))], &[]).sentence;
    assert_eq!(
        told(ClaimErrorKind::NoBlock),
        "the implementer ended without the result block (`tdd-result`) that it was asked for"
    );
    assert!(
        told(ClaimErrorKind::MissingField("role".to_owned()))
            .ends_with("can't be read: the field `role` is missing")
    );
}

#[test]
fn what_python_can_t_parse_is_named_though_nothing_was_printed() {
    let runs = [run(vec![unloaded("tests/test_a.py", "SyntaxError: invalid syntax (shop.py, line 3)")], "")];
    let cause = cause(vec![Reason::TestVanished(id("tests/test_a.py::one"))], &runs);
    assert_eq!(cause.place.unwrap().to_string(), "shop.py:3");
}

#[test]
fn a_failed_expectation_shows_what_was_compared_and_comes_before_an_error() {
    let cargo = "assertion `left == right` failed\n  left: 3\n right: 2";
    let runs = [run(
        vec![
            failed(
                "src/lib.rs::tests::other",
                FailureKind::Error,
                "called `Option::unwrap()` on a `None` value",
            ),
            failed("tests/a.rs::two", FailureKind::Assertion, cargo),
        ],
        "thread 'two' panicked at tests/a.rs:5:5:\n",
    )];
    let reasons =
        ["src/lib.rs::tests::other", "tests/a.rs::two"].map(|test| Reason::TestFailed(id(test))).to_vec();
    let cause = cause(reasons, &runs);
    assert_eq!(cause.sentence, "tests/a.rs::two: assertion `left == right` failed; left: 3; right: 2");
    assert_eq!(cause.place.unwrap().to_string(), "tests/a.rs:5");
    assert_eq!(cause.anchors[0], "assertion `left == right` failed");
}

#[test]
fn what_ran_out_comes_first_and_the_state_of_the_tests_behind_it() {
    let runs = [run(vec![failed("t.py::x", FailureKind::Assertion, "1 != 2")], "")];
    let reasons = vec![Reason::Exhausted(Exhaustion::Turns), Reason::TestFailed(id("t.py::x"))];
    assert_eq!(
        cause(reasons, &runs).sentence,
        "the implementer was stopped: its turn cap was reached; its work so far fails: t.py::x: 1 != 2"
    );
}

#[test]
fn what_was_put_back_comes_before_what_does_not_load_without_it() {
    let reasons = vec![Reason::Forbidden(path("tests/help.py")), Reason::TestVanished(id("t.py::x"))];
    let runs = [run(vec![unloaded("t.py", "ImportError: no module named help")], "")];
    assert_eq!(cause(reasons, &runs).sentence, "this role may not change: tests/help.py");
    // A test that ran says more than a rule that was broken beside it.
    let reasons = vec![Reason::Touched(path("tests/help.py")), Reason::TestFailed(id("t.py::x"))];
    let runs = [run(vec![failed("t.py::x", FailureKind::Assertion, "1 != 2")], "")];
    assert_eq!(cause(reasons, &runs).sentence, "t.py::x: 1 != 2");
}

#[test]
fn a_test_that_other_reasons_name_is_not_the_cause() {
    let runs = [run(vec![failed("t.py::red_before", FailureKind::Assertion, "0 != 1")], "")];
    let reasons = vec![Reason::TestSkipped(id("t.py::x"))];
    assert_eq!(cause(reasons, &runs).sentence, "skipped: t.py::x");
}

#[test]
fn places_are_those_of_the_repository_in_every_runner_s_spelling() {
    for (message, output, place) in [
        ("1 != 2", "File \"/repo/t/a.py\", line 6, in test_new\n", Some("t/a.py:6")),
        (
            "1 != 2",
            "    at TestContext.<anonymous> (file:///repo/t/a.py:5:10)\n    at node:internal:1:1\n",
            Some("t/a.py:5"),
        ),
        // The project lies in a folder of the repository.
        ("1 != 2", "File \"/repo/svc/t/a.py\", line 6, in test_new\n", Some("t/a.py:6")),
        ("1 != 2", " ❯ t/a.py:9:20\n", Some("t/a.py:9")),
        ("1 != 2", "    a.py:9: two() = 3, want 2\n", Some("t/a.py:9")),
        // Frames that begin with `at` come the other way round: the one that failed is the first.
        (
            "3 !== 2 here",
            "t/a.py:3\nError: 3 !== 2 here\n    at x (/repo/t/a.py:5:10)\n    at run (/repo/t/a.py:4:1)\n    at y (/repo/t/a.py:20:1)\n",
            Some("t/a.py:5"),
        ),
        (
            "assertion failed",
            "panicked at t/a.py:10:5:\nassertion failed\n   4: a::x\n             at ./t/a.py:10:5\n             at ./t/a.py:9:28\n",
            Some("t/a.py:10"),
        ),
        ("1 != 2", "/usr/lib/python3/a.py:9: in x\n", None),
        ("1 != 2", "other.py:9: in x\n", None),
        ("1 != 2", "at 12:30:11 a.py:x ../t/a.py:3\n", None),
    ] {
        let runs = [run(vec![failed("t/a.py::x", FailureKind::Assertion, message)], output)];
        let found = cause(vec![Reason::TestFailed(id("t/a.py::x"))], &runs).place;
        assert_eq!(found.map(|place| place.to_string()).as_deref(), place, "{output}");
    }
}

#[test]
fn a_long_message_is_cut_and_a_stack_is_no_message() {
    let runs = [run(vec![failed("t::x", FailureKind::Error, &"ä".repeat(4000))], "")];
    let sentence = cause(vec![Reason::TestFailed(id("t::x"))], &runs).sentence;
    assert!(sentence.chars().count() <= LONGEST_MESSAGE + 10 && sentence.ends_with('…'), "{sentence}");
    assert_eq!(one_line("TypeError: x\n    at f (a.js:1:2)\nmore"), "TypeError: x");
    assert_eq!(
        one_line("Expected values to be strictly equal:\n\n3 !== 2\n"),
        "Expected values to be strictly equal: 3 !== 2"
    );
}

#[test]
fn every_reason_makes_a_sentence() {
    let reasons = [
        Reason::ClaimedFailed,
        Reason::InlineTest(path("src/a.rs")),
        Reason::FewerTests { before: 3, now: 2 },
        Reason::GateRed,
        Reason::NoEvidence("it has no report".to_owned()),
        Reason::NotSuperseded(id("t::x")),
        Reason::NoSuchTest(NoSuchTest { named: id("t::x"), nearest: None }),
    ];
    for reason in reasons {
        assert!(!cause(vec![reason.clone()], &[]).sentence.is_empty(), "{reason:?}");
    }
}

/// What is still to be written hides what can never be.
#[test]
fn what_can_never_pass_comes_before_what_is_only_missing() {
    let criterion = CriterionId::new("STE-1", 2).unwrap();
    let missing = FailedItem {
        kind: FailureKind::Missing,
        ..unloaded("tests/test_b.py", "ImportError: cannot import name 'total' from 'shop'")
    };
    let not_red = |test: &str, kind, words: &str, line| Reason::NotRed {
        criterion: criterion.clone(),
        test: id(test),
        kind,
        why: Some(crate::finding::Why { words: words.to_owned(), line }),
    };
    let never = not_red("tests/test_b.py::two", RedKind::Unconditional, "can never pass: x", Some(11));
    let idle = |line| not_red("tests/test_b.py::one", RedKind::None, "fails only because of y", line);
    let runs = [run(vec![missing], "tests/test_b.py:2: in <module>\n    from shop import total\n")];
    let found = cause(vec![idle(Some(7)), never], &runs);
    assert_eq!(found.sentence, "tests/test_b.py::two can never pass: x");
    assert_eq!(found.place.unwrap().to_string(), "tests/test_b.py:11");
    let found = cause(vec![idle(Some(7))], &runs);
    assert_eq!(found.sentence, "tests/test_b.py::one fails only because of y");
    assert_eq!(found.place.unwrap().to_string(), "tests/test_b.py:7");
    let found = cause(vec![idle(None)], &runs);
    assert_eq!(found.place.unwrap().to_string(), "tests/test_b.py:2", "where the runner says");
}

#[test]
fn where_an_object_lay_in_memory_is_left_out() {
    for (said, want) in [
        ("assert <function three at 0x7f12ab34cd56>() == 3", "assert <function three>() == 3"),
        ("<A at 0x7f12ab> != <B at 0x7f12ac>", "<A> != <B>"),
        ("a fault at 0x7f12ab in f", "a fault at 0x7f12ab in f"),
        ("<x at 0x>", "<x at 0x>"),
        ("x at 0x12 > 3", "x at 0x12 > 3"),
    ] {
        assert_eq!(one_line(said), want);
    }
}
