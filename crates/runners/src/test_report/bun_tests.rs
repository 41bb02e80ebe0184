use super::*;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../../fixtures/runner-outputs/bun/", $name))
    };
}

const ALL_THERE: Sources<'_> =
    Sources { is_file: &|path| path.ends_with(".test.ts"), is_inverted: &|_, line| line == Some(20) };
const NO_TESTS: &[u8] = b"<testsuites/>";

/// A report with as many tests of each kind as bun counts in this output, less what did not load.
fn fitting(stderr: &str) -> String {
    let said = summary(stderr).ok().flatten().unwrap_or_default();
    let passed = "<testcase name='a'/>".repeat(said.passed);
    let failed =
        "<testcase name='b'><failure/></testcase>".repeat(said.failed - said.errors.min(said.failed));
    format!("<testsuites><testsuite name='x'>{passed}{failed}</testsuite></testsuites>")
}

fn loads(reported: &Reported) -> Vec<(&str, &str, &str)> {
    reported
        .loads
        .iter()
        .map(|load| (load.file.as_str(), load.errors[0].class.as_str(), load.errors[0].message.as_str()))
        .collect()
}

#[test]
fn all_kinds_of_tests_are_told_apart() {
    let stderr = fixture!("bun-1.4.5-kinds.stderr");
    let reported = parse(fixture!("../junit/bun-1.4.5-kinds.xml").as_bytes(), stderr, &ALL_THERE);
    assert_eq!(reported.flaw, None);
    let test = |name: &str| reported.tests.iter().find(|line| line.test.name == name).unwrap();
    for (name, outcome, class) in [
        ("assert", Said::Fail, "AssertionError"),
        ("runtime", Said::Fail, "Error"),
        ("missing fn ns", Said::Fail, "TypeError"),
        ("slow", Said::Fail, "TimeoutError"),
        ("skipped", Said::Skip, ""),
        ("todo", Said::Skip, ""),
        ("failing-inverted", Said::Skip, ""),
        ("outer > inner > x > t", Said::Pass, ""),
        ("new\nline", Said::Pass, ""),
        ("quote \" ' ` & < >", Said::Pass, ""),
        ("", Said::Pass, ""),
    ] {
        let line = test(name);
        let said = line.errors.first().map_or("", |error| error.class.as_str());
        assert_eq!((line.outcome, said), (outcome, class), "{name:?}");
        assert_eq!(line.test.file.as_deref(), Some("k/kinds.test.ts"));
    }
    assert_eq!(
        test("missing fn ns").errors[0].message,
        "core.nope is not a function. (In 'core.nope()', 'core.nope' is undefined)"
    );
    assert_eq!(test("slow").errors[0].code.as_deref(), Some("testTimeoutFailure"));
    assert!(test("dyn import").errors[0].message.contains("no message"));
}

#[test]
fn files_that_do_not_load_are_read_from_what_was_printed() {
    let absent = |n: u8| format!("Cannot find module '../src/c{n}.ts' from '/lab/bun/test/c{n}.test.ts'");
    let (one, two, three) = (absent(1), absent(2), absent(3));
    for (name, stderr, want) in [
        (
            "missing",
            fixture!("bun-1.4.5-missing.stderr"),
            vec![
                ("test/c3.test.ts", "Error", three.as_str()),
                ("test/c1.test.ts", "Error", one.as_str()),
                ("test/c2.test.ts", "Error", two.as_str()),
            ],
        ),
        (
            "syntax",
            fixture!("bun-1.4.5-syntax.stderr"),
            vec![("e/syntax.test.ts", "Error", "Expected identifier but found \":\"")],
        ),
        (
            "export",
            fixture!("bun-1.4.5-noname.stderr"),
            vec![(
                "e/noname.test.ts",
                "SyntaxError",
                "Export named 'nope' not found in module '/lab/bun/src/core.ts'.",
            )],
        ),
    ] {
        let reported = parse(fitting(stderr).as_bytes(), stderr, &ALL_THERE);
        assert_eq!((loads(&reported), &reported.flaw), (want, &None), "{name}");
    }
}

#[test]
fn what_does_not_add_up_is_a_flaw() {
    let whole = fixture!("bun-1.4.5-noname.stderr");
    let forged = format!("e/x.test.ts:\n{BLOCK}\n{RULE}\nerror: Cannot find module './y'\n{RULE}\n{whole}");
    let late = format!("{whole}\nand more\n");
    let cut = &whole[..whole.find("Ran ").unwrap()];
    let nameless = whole.replace("e/noname.test.ts:", "somewhere:");
    let fits = fitting(whole);
    for (name, xml, stderr) in [
        ("a forged block", fits.as_bytes(), forged.as_str()),
        ("words after the summary", fits.as_bytes(), &late),
        ("no summary", fits.as_bytes(), cut),
        ("nothing", NO_TESTS, ""),
        ("a block of no file", fits.as_bytes(), &nameless),
        ("empty XML", b"", whole),
        ("torn XML", b"<testsuites><testsuite name='a' tests='2'><testcase name='b'/>", whole),
        (
            "fewer tests than announced",
            b"<testsuites><testsuite name='a' tests='2'><testcase name='b'/></testsuite></testsuites>",
            whole,
        ),
    ] {
        assert!(parse(xml, stderr, &ALL_THERE).flaw.is_some(), "{name}");
    }
    assert_eq!(parse(fits.as_bytes(), whole, &ALL_THERE).flaw, None);
}

#[test]
fn what_bun_counts_is_what_its_report_holds() {
    let xml = |cases: &str| format!("<testsuites><testsuite name='x'>{cases}</testsuite></testsuites>");
    let (pass, fail, skip) = (
        "<testcase name='a'/>",
        "<testcase name='a'><failure/></testcase>",
        "<testcase name='a'><skipped/></testcase>",
    );
    let counts = "\n 2 pass\n 1 skip\n 1 fail\nRan 4 tests across 1 file. [1.00ms]\n";
    let chosen = "\n 2 pass\n 1 filtered out\n 1 fail\nRan 3 tests across 1 file. [1.00ms]\n";
    for (cases, stderr, want) in [
        (vec![pass, pass, skip, fail], counts, None),
        (vec![pass, pass, skip, fail], chosen, None),
        (vec![pass, skip, fail], counts, Some("bun counts 2 tests that passed, and its report holds 1")),
        (vec![pass, pass, skip], counts, Some("bun counts 1 tests that failed, and its report holds 0")),
        (vec![pass, pass, fail], counts, Some("bun counts 4 tests, and its report holds 3")),
    ] {
        let reported = parse(xml(&cases.concat()).as_bytes(), stderr, &ALL_THERE);
        assert_eq!(reported.flaw.as_deref(), want, "{cases:?}");
    }
}

#[test]
fn the_file_that_was_run_last_is_not_shown() {
    let head = "bun test v1.4.5\n\ntest/a.test.ts:\n(fail) a q1.ts:\n";
    let own = "\n\ntest/a.q1.ts:\n1 | throw\n  indented\nerror: t0\n(fail) q1 0 [1.00ms]\n";
    for (counts, want) in [
        (
            "\n 1 pass\n 4 fail\n 9 expect() calls\nRan 5 tests across 2 files. [1.00ms]\n",
            "\n 1 pass\n 1 fail\nRan 2 tests across 1 files. [1.00ms]\n",
        ),
        ("", ""),
    ] {
        let said = super::without_last_file(&format!("{head}{own}{counts}"), "q1", 3);
        let words = |text: &str| text.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
        assert_eq!(words(&said), words(&format!("{head}{want}")));
    }
    assert_eq!(super::without_last_file(head, "q2", 3), head);
}
