use super::*;

/// go 1.19.8, without times and traces.
const KINDS: &[u8] = include_bytes!("../../../../fixtures/runner-outputs/go/go-1.19.8-kinds.jsonl");
const TESTMAIN: &[u8] = include_bytes!("../../../../fixtures/runner-outputs/go/go-1.19.8-s-c-testmain.jsonl");
const EXITED: &[u8] = include_bytes!("../../../../fixtures/runner-outputs/go/go-1.19.8-x7.jsonl");
const TIMED_OUT: &[u8] = include_bytes!("../../../../fixtures/runner-outputs/go/go-1.19.8-x4.jsonl");
const PACKAGES: &[u8] = include_bytes!("../../../../fixtures/runner-outputs/go/go-1.19.8-packages.jsonl");

fn package<'a>(told: &'a Told, name: &str) -> &'a Package {
    &told.packages[name]
}

#[test]
fn each_test_and_subtest_has_its_word() {
    let told = parse(KINDS);
    let package = package(&told, "shop/k");
    assert_eq!(package.flaw("shop/k"), None);
    for (name, want) in [
        ("TestFail", Word::Fail),
        ("TestSkip", Word::Skip),
        ("TestSub", Word::Pass),
        ("TestSub/a_b", Word::Pass),
        ("TestSub/ünï_日本", Word::Pass),
        ("TestSub/dup#01", Word::Pass),
        ("TestSub/re(a|b)[c]$^", Word::Pass),
        ("TestSubFail/x", Word::Fail),
        ("TestSubFail/ok", Word::Pass),
        ("TestNoNL", Word::Pass),
        ("TestPar", Word::Pass),
        ("ExampleOut", Word::Fail),
    ] {
        assert_eq!(package.tests[name].word, Some(want), "{name}: {}", package.tests[name].output);
    }
    assert!(package.tests["TestFail"].output.contains("k_test.go:3: got 1"));
    assert!(!package.tests["TestFail"].took_the_process());
    assert!(told.plain.contains("--- FAIL: TestFail"), "what a person would have seen");
}

#[test]
fn a_package_whose_end_contradicts_its_tests_is_no_evidence() {
    let swallowed = parse(TESTMAIN);
    let flaw = package(&swallowed, "shop/core").flaw("shop/core").unwrap();
    assert!(flaw.contains("and the package passed"), "{flaw}");
    let event = |action: &str, test: &str| format!("{{\"Action\":\"{action}\",\"Package\":\"p\"{test}}}\n");
    let a = ",\"Test\":\"TestA\"";
    let old = "{\"Action\":\"output\",\"Package\":\"p\",\"Output\":\"ok  \\tp\\t(cached)\\n\"}\n".to_owned();
    for (name, lines, want) in [
        ("green", vec![event("run", a), event("pass", a), event("pass", "")], None),
        ("no end", vec![event("run", a), event("pass", a)], Some("no result for the package")),
        (
            "red without a red",
            vec![event("run", a), event("pass", a), event("fail", "")],
            Some("none of its tests"),
        ),
        ("green with an open test", vec![event("run", a), event("pass", "")], Some("did not end")),
        ("old", vec![event("pass", a), old, event("pass", "")], Some("an old result")),
        (
            "two words",
            vec![event("fail", a), event("pass", a), event("pass", "")],
            Some("a test of p failed"),
        ),
        ("two ends", vec![event("pass", a), event("fail", ""), event("pass", "")], Some("none of its tests")),
    ] {
        let told = parse(lines.concat().as_bytes());
        let flaw = package(&told, "p").flaw("p");
        assert_eq!(flaw.is_some(), want.is_some(), "{name}: {flaw:?}");
        assert!(flaw.unwrap_or_default().contains(want.unwrap_or_default()), "{name}");
    }
}

#[test]
fn tests_of_one_name_are_counted_and_the_worst_word_is_of_all() {
    let event = |action: &str| format!("{{\"Action\":\"{action}\",\"Package\":\"p\",\"Test\":\"TestA\"}}\n");
    for (actions, begun, word) in [
        (&["run", "pass"] as &[_], 1, Word::Pass),
        (&["run", "fail", "run", "pass"], 2, Word::Fail),
        (&["run", "pause", "run", "pause", "cont", "cont", "pass", "pass"], 2, Word::Pass),
        // A word that somebody has printed.
        (&["pass"], 0, Word::Pass),
    ] {
        let told = parse(actions.iter().map(|action| event(action)).collect::<String>().as_bytes());
        let ran = &package(&told, "p").tests["TestA"];
        assert_eq!((ran.begun, ran.word), (begun, Some(word)), "{actions:?}");
    }
}

#[test]
fn a_test_that_took_its_process_is_known_as_such() {
    for (bytes, name, word) in [(EXITED, "shop/x7", None), (TIMED_OUT, "shop/x4", None)] {
        let told = parse(bytes);
        let ran = &package(&told, name).tests["TestA"];
        assert_eq!((ran.word, ran.took_the_process()), (word, true), "{name}");
        assert_eq!(package(&told, name).flaw(name), None, "{name}");
    }
}

#[test]
fn packages_that_were_not_built_are_named_in_old_and_new_words() {
    let told = parse(PACKAGES);
    assert_eq!(
        told.unbuilt,
        ["shop/bad1", "shop/bad2", "shop/p3", "shop/bad3", "shop/bad4", "shop/bad5", "shop/p2"]
    );
    assert_eq!(package(&told, "shop/core").flaw("shop/core"), None);
    // As go 1.24 says it, by its documentation.
    let new = "{\"ImportPath\":\"p [p.test]\",\"Action\":\"build-output\",\"Output\":\"# p [p.test]\\n\"}\n\
        {\"ImportPath\":\"p [p.test]\",\"Action\":\"build-fail\"}\n\
        {\"Action\":\"start\",\"Package\":\"p\"}\n\
        {\"Action\":\"output\",\"Package\":\"p\",\"Output\":\"FAIL\\tp [build failed]\\n\"}\n\
        {\"Action\":\"fail\",\"Package\":\"p\",\"Elapsed\":0,\"FailedBuild\":\"p [p.test]\"}\n";
    let told = parse(new.as_bytes());
    assert_eq!(told.unbuilt, ["p"]);
    assert!(told.plain.contains("# p [p.test]"));
}

#[test]
fn nothing_that_is_cut_or_hostile_passes_or_panics() {
    for cut in (0..KINDS.len()).step_by(131) {
        let told = parse(&KINDS[..cut]);
        assert!(
            told.packages.get("shop/k").is_none_or(|package| package.flaw("shop/k").is_some()),
            "cut at {cut}"
        );
    }
    let long = format!(
        "{{\"Action\":\"output\",\"Package\":\"p\",\"Test\":\"T\",\"Output\":\"{}\"}}\n",
        "ü".repeat(50_000)
    );
    let told = parse(long.repeat(3).as_bytes());
    assert!(package(&told, "p").tests["T"].output.len() <= OUTPUT_CAP);
    for hostile in ["", "{}", "[]", "null", "{\"Action\":3}", "\u{0}\n\n", "FAIL\tx", "FAIL\tx [y]"] {
        assert!(parse(hostile.as_bytes()).unbuilt.is_empty(), "{hostile:?}");
    }
}
