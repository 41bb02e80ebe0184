use super::*;

/// nextest 0.9.143.
const KINDS: &[u8] = include_bytes!("../../../../fixtures/runner-outputs/nextest/nextest-0.9.143-kinds.xml");
const ENDS: &[u8] = include_bytes!("../../../../fixtures/runner-outputs/nextest/nextest-0.9.143-ends.xml");
const LIST: &[u8] = include_bytes!("../../../../fixtures/runner-outputs/nextest/nextest-0.9.143-list.json");

fn expected(report: &[u8], pass: Pass) -> BTreeMap<Key, Pass> {
    junit::parse(report).cases.into_iter().map(|case| ((case.classname, case.name), pass)).collect()
}

fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "ok",
        Outcome::Skipped => "skip",
        Outcome::Failed(failure) => match failure.kind {
            FailureKind::Assertion => "assertion",
            FailureKind::Error => "error",
            FailureKind::Timeout => "timeout",
            FailureKind::Crash => "crash",
            FailureKind::Missing | FailureKind::Load => "load",
        },
    }
}

#[test]
fn each_kind_of_failure_is_told_apart() {
    let told = told(KINDS, &expected(KINDS, Pass::AtEnd));
    assert_eq!((told.flaw, told.failed), (None, true));
    for (name, want) in [
        ("assert_fail", "assertion"),
        ("assert_eq_fail", "assertion"),
        ("panic_rt", "error"),
        ("result_err", "error"),
        ("sp_not", "assertion"),
        ("sp_wrong", "assertion"),
        ("sp", "ok"),
        ("ok", "ok"),
        ("outer::inner::t", "ok"),
    ] {
        let (outcome, _) = &told.tests[&("shop::kinds".to_owned(), name.to_owned())];
        assert_eq!(word(outcome), want, "{name}: {outcome:?}");
    }
}

#[test]
fn a_process_that_ends_too_early_has_not_passed() {
    for (pass, zero) in [(Pass::AtEnd, "crash"), (Pass::ByExit, "ok")] {
        let told = told(ENDS, &expected(ENDS, pass));
        assert_eq!((told.flaw, told.failed), (None, true));
        let words: Vec<(&str, &str)> =
            told.tests.iter().map(|((_, name), (outcome, _))| (name.as_str(), word(outcome))).collect();
        assert_eq!(words, [("abort", "crash"), ("base", "ok"), ("slow", "timeout"), ("zero", zero)]);
    }
}

#[test]
fn a_report_of_other_tests_has_a_flaw() {
    let all = expected(ENDS, Pass::ByExit);
    let without = |name: &str| {
        let mut fewer = all.clone();
        fewer.retain(|key, _| key.1 != name);
        told(ENDS, &fewer).flaw.unwrap_or_default()
    };
    assert!(without("base").contains("was not to run"));
    let mut more = all.clone();
    more.insert(("shop::base".to_owned(), "gone".to_owned()), Pass::ByExit);
    assert!(told(ENDS, &more).flaw.unwrap_or_default().contains("no result"));
    for cut in [0, 10, ENDS.len() / 2, ENDS.len() - 5] {
        assert!(told(&ENDS[..cut], &all).flaw.is_some(), "cut at {cut}");
    }
}

#[test]
fn the_list_tells_ignored_tests_from_those_left_out() {
    let list = listed(LIST).unwrap();
    let ids: Vec<&str> = list.keys().map(String::as_str).collect();
    assert_eq!(ids, ["shop", "shop::base"]);
    let names: Vec<(&str, Ignored)> =
        list["shop::base"].iter().map(|(name, no)| (name.as_str(), *no)).collect();
    assert_eq!(names, [("base", Ignored::No), ("ign", Ignored::Yes)]);
    for hostile in
        ["", "[]", "{}", "{\"rust-suites\":[]}", "{\"rust-suites\":{\"a\":{\"testcases\":{\"t\":{}}}}}"]
    {
        assert!(listed(hostile.as_bytes()).is_err(), "{hostile}");
    }
}
