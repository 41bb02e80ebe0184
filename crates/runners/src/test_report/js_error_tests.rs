use super::*;

const NODE: Project<'static> = Project { root: "/p", aliases: &[], outside: &[] };
const VITE: Project<'static> = Project { root: "/p", aliases: &["/", "@/"], outside: &[] };

#[test]
fn a_file_that_does_not_load_is_judged_by_its_last_words() {
    use FailureKind::{Load, Missing};
    for (said, kind, absent) in [
        (
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/p/src/c1.mjs' imported from /p/test/a",
            Missing,
            Some("src/c1.mjs"),
        ),
        (
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/p/node_modules/x/y.js' imported from /p/a",
            Load,
            None,
        ),
        ("Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'nosuchpkg' imported from /p/e", Load, None),
        (
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/p/shop.js' imported from /p/a.test.mjs",
            Missing,
            Some("./shop.js"),
        ),
        ("Error: Cannot find module '../src/c1'", Missing, Some("../src/c1")),
        ("Error: Cannot find module 'left-pad'", Load, None),
        (
            "SyntaxError: The requested module '../src/core.mjs' does not provide an export named 'nope'",
            Missing,
            Some("../src/core.mjs#nope"),
        ),
        ("SyntaxError: The requested module 'node:fs' does not provide an export named 'nope'", Load, None),
        (
            "SyntaxError: Named export 'nope' not found. The requested module '../src/core.cjs' is a CommonJS module",
            Missing,
            Some("../src/core.cjs#nope"),
        ),
        (
            "SyntaxError: Export named 'nope' not found in module '/p/src/core.ts'.",
            Missing,
            Some("src/core.ts#nope"),
        ),
        ("SyntaxError: Export named 'x' not found in module '/p/node_modules/y/z.js'.", Load, None),
        ("error: Cannot find module '../src/c3.ts' from '/p/test/c3.test.ts'", Missing, Some("../src/c3.ts")),
        ("error: Cannot find package 'nosuchpkg2' from '/p/src/bad.ts'", Load, None),
        ("SyntaxError: Unexpected token ':'", Load, None),
        ("TypeError: Shop is not a constructor", Missing, Some("Shop")),
        ("Error: top", Load, None),
        ("", Load, None),
    ] {
        let output = format!("file:///p/x.mjs:2\ncode\n    ^\n\n{said}\n    at x\n");
        let got = load_failure(&output, &NODE);
        assert_eq!((got.kind, got.absent.as_deref()), (kind, absent), "{said}");
    }
}

#[test]
fn a_thrown_error_is_judged_by_its_class_and_words() {
    use FailureKind::{Assertion, Error, Load, Missing, Timeout};
    let vite_missing = "Cannot find module '/src/c9.mjs' imported from /p/k/kinds.test.mjs";
    for (class, code, message, kind, absent) in [
        ("AssertionError", Some("ERR_ASSERTION"), "1 !== 2", Assertion, None),
        ("AssertionError", None, "expected undefined to be 1 // Object.is equality", Assertion, None),
        (
            "Error",
            None,
            "expect(received).toBe(expected) // Object.is equality\n\nExpected: 2",
            Assertion,
            None,
        ),
        ("", None, "\u{1b}[2mexpect(\u{1b}[22m\u{1b}[31mreceived\u{1b}[39m).toBe(2)", Assertion, None),
        ("", None, "assert.strictEqual(received, expected)\n\nExpected", Assertion, None),
        ("TypeError", None, "core.nope is not a function", Missing, Some("core.nope")),
        (
            "TypeError",
            None,
            "(0 , __vite_ssr_import_2__.nothere) is not a function",
            Missing,
            Some("nothere"),
        ),
        ("TypeError", None, "__vite_ssr_import_2__.Cls is not a constructor", Missing, Some("Cls")),
        (
            "TypeError",
            None,
            "core.nope is not a function. (In 'core.nope()', 'core.nope' is undefined)",
            Missing,
            Some("core.nope"),
        ),
        ("TypeError", None, "Cannot read properties of undefined (reading 'x')", Error, None),
        ("TypeError", None, "f is not a functional thing", Error, None),
        ("ReferenceError", None, "x is not defined", Error, None),
        ("Error", Some("ERR_MODULE_NOT_FOUND"), vite_missing, Missing, Some("/src/c9.mjs")),
        ("Error", None, "Cannot find package '@/shop' imported from /p/a", Missing, Some("@/shop")),
        ("Error", Some("MODULE_NOT_FOUND"), "Cannot find module 'nosuchpkg' from 'e/a.test.js'", Load, None),
        ("Error", Some("BABEL_PARSE_ERROR"), "/p/e/s.test.js: Unexpected token (1:11)", Load, None),
        ("Error", Some("testTimeoutFailure"), "test timed out after 100ms", Timeout, None),
        ("Error", None, "Test timed out in 100ms.\nIf this is a long-running test", Timeout, None),
        ("", None, "thrown: \"Exceeded timeout of 100 ms for a test.", Timeout, None),
        ("TimeoutError", None, "test timed out", Timeout, None),
        ("Error", None, "rt", Error, None),
        ("", None, "", Error, None),
    ] {
        let raised = Raised {
            class: class.to_owned(),
            code: code.map(str::to_owned),
            message: message.to_owned(),
            ..Raised::default()
        };
        let got = classify(&raised, Moment::Running, &VITE);
        assert_eq!((got.kind, got.absent.as_deref()), (kind, absent), "{class}: {message}");
    }
}

#[test]
fn what_a_type_check_misses_is_absent() {
    use FailureKind::{Error, Missing};
    for (class, message, kind, absent) in [
        (
            "TypeCheckError",
            "Module '\"../core/util.js\"' has no exported member 'halfOf'.",
            Missing,
            Some("../core/util.js#halfOf"),
        ),
        (
            "TypeCheckError",
            "'\"./util\"' has no exported member named 'halfOf'. Did you mean 'half'?",
            Missing,
            Some("./util#halfOf"),
        ),
        ("TypeCheckError", "Module '\"zod\"' has no exported member 'halfOf'.", Error, None),
        ("TypeCheckError", "Cannot find name 'halfOf'.", Missing, Some("halfOf")),
        ("TypeCheckError", "Property 'half' does not exist on type 'Num'.", Missing, Some("half")),
        ("TypeCheckError", "Type 'string' is not assignable to type 'number'.", Error, None),
        ("Error", "Cannot find name 'halfOf'.", Error, None),
        (
            "TypeCheckError",
            "Cannot find module '../src/c1' or its corresponding type declarations.",
            Missing,
            Some("../src/c1"),
        ),
    ] {
        let raised = Raised { class: class.to_owned(), message: message.to_owned(), ..Raised::default() };
        let got = classify(&raised, Moment::Running, &VITE);
        assert_eq!((got.kind, got.absent.as_deref()), (kind, absent), "{class}: {message}");
    }
}

#[test]
fn a_printed_error_is_taken_apart() {
    for (text, class, code, message) in [
        ("TypeError: a: b\n    at x (y:1:2)\n    at z", "TypeError", None, "a: b"),
        ("Error [ERR_X]: m", "Error", Some("ERR_X"), "m"),
        ("rt\n\n  1 | x", "", None, "rt\n\n  1 | x"),
        ("not an error: m", "", None, "not an error: m"),
        ("", "", None, ""),
    ] {
        let got = raised(text);
        assert_eq!((got.class.as_str(), got.code.as_deref(), got.message.as_str()), (class, code, message));
    }
}

#[test]
fn what_jest_maps_into_the_project_is_the_projects_own() {
    for (mapped, absent) in [
        ("/p/src/$1", Some("@/text")),
        ("[\n  \"/elsewhere/$1\",\n  \"/p/src/$1\"\n]", Some("@/text")),
        ("/elsewhere/$1", None),
        ("/p/node_modules/$1", None),
    ] {
        let message = format!(
            "Configuration error:\n\nCould not locate module @/text mapped as:\n{mapped}.\n\nPlease check your \
             configuration for these entries:\n{{\n  \"moduleNameMapper\": {{\n    \"/^@\\/(.*)$/\": \"/p/x\"\n  }}\n}}"
        );
        let raised = Raised { class: "Error".to_owned(), message, ..Raised::default() };
        let project = Project { root: "/p", aliases: &[], outside: &[] };
        let got = classify(&raised, Moment::Loading, &project);
        assert_eq!(got.absent.as_deref(), absent, "{mapped}");
    }
}

#[test]
fn ac_tdd_8_124_a_module_that_vite_can_not_find_is_missing_if_it_is_the_projects_own() {
    for (module, kind, absent) in [
        ("./c9", FailureKind::Missing, Some("./c9")),
        ("@/shop", FailureKind::Missing, Some("@/shop")),
        ("nosuchpkg", FailureKind::Load, None),
    ] {
        let message =
            format!("Failed to resolve import \"{module}\" from \"src/a.test.tsx\". Does the file exist?");
        let raised = Raised { class: "Error".to_owned(), message, ..Raised::default() };
        let got = classify(&raised, Moment::Loading, &VITE);
        assert_eq!((got.kind, got.absent.as_deref()), (kind, absent), "{module}");
    }
}
