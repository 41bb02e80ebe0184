use super::*;

const PROJECT: Project<'_> = Project { root: "/p", aliases: &["@/"], outside: &[] };

#[test]
fn a_test_that_asks_for_what_is_not_there_misses_it_in_each_form() {
    for (said, absent) in [
        (
            "test/cart.test.ts:2:55 - error TS2339: Property 'count' does not exist on type 'Cart'.\n\n2 test(…\n   ~~~~~",
            &["count"] as &[_],
        ),
        (
            "TSError: ⨯ Unable to compile TypeScript:\ntest/a.ts(1,10): error TS2305: Module '\"../src/a\"' has no exported member 'f'.",
            &["../src/a#f"],
        ),
        ("error: TS2339 [ERROR]: Property 'total' does not exist on type 'Cart'.", &["total"]),
        (
            "TSError: test/a.test.ts:2:55 - error TS2554: Expected 1 arguments, but got 2.\n\n2 test('a', …",
            &[],
        ),
        ("TS2554 [ERROR]: Expected 1 arguments, but got 2.", &[]),
        (
            "a.ts:1:1 - error TS2353: Object literal may only specify known properties, and 'discount' does not exist in type 'Options'.",
            &["discount"],
        ),
        (
            "a.ts:1:1 - error TS2561: Object literal may only specify known properties, but 'taxx' does not exist in type 'Options'. Did you mean to write 'tax'?",
            &["taxx"],
        ),
        (
            "a.ts:1:1 - error TS2307: Cannot find module '../src/parse' or its corresponding type declarations.",
            &["../src/parse"],
        ),
        (
            "a.ts:1:1 - error TS2307: Cannot find module '@/parse' or its corresponding type declarations.",
            &["@/parse"],
        ),
        ("a.ts:1:1 - error TS2304: Cannot find name 'parse'.", &["parse"]),
        (
            "a.ts:1:1 - error TS2724: '\"../src/a\"' has no exported member named 'f'. Did you mean 'g'?",
            &["../src/a#f"],
        ),
        ("a.ts:1:1 - error TS1192: Module '\"../src/a\"' has no default export.", &["../src/a#default"]),
        (
            "a.ts:1:1 - error TS2339: Property 'a' does not exist on type 'C'.\na.ts:2:1 - error TS2339: Property 'b' does not exist on type 'C'.\n\
             a.ts:3:1 - error TS7006: Parameter 'x' implicitly has an 'any' type.",
            &["a", "b"],
        ),
    ] {
        let got = judge(said, &PROJECT).unwrap();
        let names: Vec<&str> = got.absent.iter().chain(&got.absent_too).map(String::as_str).collect();
        assert_eq!((got.kind, names.as_slice()), (FailureKind::Missing, absent), "{said}");
    }
}

#[test]
fn what_the_test_got_wrong_itself_does_not_load() {
    for said in [
        "a.ts:1:1 - error TS1005: ',' expected.",
        "a.ts:1:1 - error TS2307: Cannot find module 'left-pad' or its corresponding type declarations.",
        "a.ts:1:1 - error TS2305: Module '\"zod\"' has no exported member 'f'.",
        "a.ts:1:1 - error TS2582: Cannot find name 'test'. Do you need to install type definitions for a test runner?",
        "a.ts:1:1 - error TS7006: Parameter 'x' implicitly has an 'any' type.",
        "a.ts:1:1 - error TS18048: 'x' is possibly 'undefined'.",
        "a.ts:1:1 - error TS2339: Property 'a' does not exist on type 'C'.\na.ts:9:1 - error TS1005: ';' expected.",
    ] {
        assert_eq!(judge(said, &PROJECT).map(|failure| failure.kind), Some(FailureKind::Load), "{said}");
    }
}

#[test]
fn what_is_no_diagnostic_says_nothing() {
    for said in [
        "Property 'count' does not exist on type 'Cart'.",
        "Error: the list has TS2339: twice",
        "expected \"error TS12: x\"",
        "",
    ] {
        assert_eq!(judge(said, &PROJECT), None, "{said}");
    }
}
