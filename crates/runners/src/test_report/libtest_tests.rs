use super::*;

const KINDS: &str = include_str!("../../../../fixtures/runner-outputs/cargo/libtest-1.95.0-kinds.txt");
const SPOOF: &str = include_str!("../../../../fixtures/runner-outputs/cargo/libtest-1.95.0-spoof.txt");

fn names(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn kinds_names() -> Vec<String> {
    Printed::read(KINDS).order
}

fn outcome_of<'a>(classified: &'a Classified, name: &str) -> &'a Outcome {
    &classified.tests.iter().find(|test| test.0 == name).unwrap().1
}

#[test]
fn a_list_is_read_and_anything_else_is_none() {
    assert_eq!(listed(b"a::b: test\nc: benchmark\n\n"), Some(names("a::b c")));
    assert_eq!(listed(b""), Some(vec![]));
    assert_eq!(listed(b"running 1 test\n"), None);
}

#[test]
fn real_output_is_read_with_its_kinds() {
    let classified = classify(&kinds_names(), None, KINDS.as_bytes());
    assert_eq!(classified.flaw, None);
    assert_eq!(classified.tests.len(), 18);
    for (name, kind) in [
        ("assert_fail", FailureKind::Assertion),
        ("assert_eq_fail", FailureKind::Assertion),
        ("sp_not", FailureKind::Assertion),
        ("sp_wrong", FailureKind::Assertion),
        ("result_err", FailureKind::Error),
        ("todo_rt", FailureKind::Error),
        ("unwrap_rt", FailureKind::Error),
    ] {
        let Outcome::Failed(failure) = outcome_of(&classified, name) else { panic!("{name}") };
        assert_eq!(failure.kind, kind, "{name}: {}", failure.message);
    }
    assert_eq!(outcome_of(&classified, "ign_why"), &Outcome::Skipped);
    assert_eq!(outcome_of(&classified, "outer::inner::t"), &Outcome::Passed);
}

#[test]
fn lines_that_a_test_prints_do_not_make_it_green() {
    let listed = names("a_spoof b_child c_red");
    let log = b"ok a_spoof\nok b_child\nfailed c_red\n";
    let with_log = classify(&listed, Some(log), SPOOF.as_bytes());
    assert!(matches!(outcome_of(&with_log, "c_red"), Outcome::Failed(_)));
    assert_eq!(with_log.tests.len(), 3, "ghosts are no tests");
    assert!(classify(&listed, None, SPOOF.as_bytes()).flaw.is_some());
}

#[test]
fn what_is_cut_doubled_or_contradicted_has_a_flaw() {
    let output = "\nrunning 2 tests\ntest a ... ok\ntest b ... ok\n\n\
                  test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    let listed = names("a b");
    let log: &[u8] = b"ok a\nok b\n";
    assert_eq!(classify(&listed, Some(log), output.as_bytes()).flaw, None);
    assert_eq!(classify(&listed, None, output.as_bytes()).flaw, None);
    let forged_after = format!("{output}test a ... ok\n");
    for (name, log, output) in [
        ("no output at all", Some(&b""[..]), ""),
        ("exit before the end", Some(&b"ok a\n"[..]), "\nrunning 2 tests\ntest a ... ok\n"),
        ("forged output, honest log", Some(&b"ok a\nfailed b\n"[..]), output),
        ("no log line", Some(&b"ok a\n"[..]), output),
        ("a log line twice", Some(&b"ok a\nok b\nok b\n"[..]), output),
        ("a log line of nobody", Some(&b"ok a\nok b\nok c\n"[..]), output),
        ("no end mark", Some(log), &output[..45]),
        ("twice in the output", Some(log), forged_after.as_str()),
        ("late without a log", None, forged_after.as_str()),
        ("wrong counts", Some(log), &output.replace("2 passed", "1 passed")),
        ("wrong number", Some(log), &output.replace("running 2", "running 3")),
    ] {
        assert!(classify(&listed, log, output.as_bytes()).flaw.is_some(), "{name}");
    }
}

#[test]
fn with_one_thread_a_raw_write_may_land_in_a_result_line() {
    let output = "\nrunning 1 test\ntest a ... hello\nok\n\n\
                  test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    assert_eq!(classify(&names("a"), Some(b"ok a\n"), output.as_bytes()).flaw, None);
    assert!(classify(&names("a"), None, output.as_bytes()).flaw.is_some());
}

#[test]
fn several_transcripts_are_joined_and_each_must_be_whole() {
    let one = "\nrunning 1 test\ntest src/lib.rs - f (line 3) ... ok\n\n\
               test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s\n";
    let two = one.replace("- f", "- g");
    let both = transcripts(format!("{one}{two}\nall doctests ran in 0.3s\n").as_bytes());
    assert_eq!((both.tests.len(), both.flaw), (2, None));
    assert!(transcripts(format!("{one}{}", &two[..40]).as_bytes()).flaw.is_some());
}

#[test]
fn namesakes_have_a_result_each_and_a_count_that_differs_is_told_with_both_numbers() {
    let output = "\nrunning 3 tests\ntest a ... ok\ntest a ... FAILED\ntest b ... ok\n\nfailures:\n\n\
        ---- a stdout ----\n\nthread 'a' panicked at x.rs:1:1:\nassertion failed\n\nfailures:\n    a\n\n\
        test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
    let log = &b"ok a\nfailed a\nok b\n"[..];
    for log in [Some(log), None] {
        let classified = classify(&names("a a b"), log, output.as_bytes());
        let ok: Vec<bool> = classified.tests.iter().map(|test| test.1 == Outcome::Passed).collect();
        assert_eq!((ok, classified.flaw), (vec![true, false, true], None));
    }
    let flaw =
        |names: &[String], output: &str| classify(names, None, output.as_bytes()).flaw.unwrap_or_default();
    assert!(flaw(&names("a b"), output).contains("`running 3 tests`; its list holds 2"));
    let fewer = output.replace("2 passed", "1 passed");
    let said = flaw(&names("a a b"), &fewer);
    assert!(
        said.contains("counts 1 passed, 1 failed") && said.contains("read is 2 passed, 1 failed"),
        "{said}"
    );
}
