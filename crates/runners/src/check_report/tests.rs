use super::*;

fn sample(name: &str) -> String {
    let path = format!("{}/../../fixtures/check-outputs/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    #[expect(clippy::disallowed_methods, reason = "a test reads its fixture")]
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn what_real_checkers_print_is_read_error_by_error() {
    for (checker, name, count, first, last) in [
        (TypeChecker::Tsc, "tsc", 4, "a.ts(2,9): error TS2322: Type 'number'", "Cannot find name 'missing'."),
        (TypeChecker::Tsc, "tsc-pretty", 4, "a.ts:2:9 - error TS2322: Type 'number'", "'missing'."),
        (TypeChecker::Tsc, "tsc-option", 1, "error TS5023: Unknown compiler option", "'--nope'."),
        (TypeChecker::Mypy, "mypy", 3, "shop.py:2: error: Incompatible return", "[attr-defined]"),
        (TypeChecker::Mypy, "mypy-pretty", 3, "shop.py:2:12: error: Incompatible", "^~~~~~~"),
        (TypeChecker::Mypy, "mypy-syntax", 2, "bad.py:1: error: Expected a parameter", "[syntax]"),
        (TypeChecker::Cargo, "cargo", 3, "error[E0308]: mismatched types", "not found in this scope"),
        (TypeChecker::Cargo, "cargo-manifest", 1, "error: unclosed table", "^"),
        (TypeChecker::Go, "vet", 2, "cart/c.go:2: cannot use", "has arg \"x\" of wrong type string"),
    ] {
        let read = read(checker, &sample(name));
        assert_eq!((read.count, read.shown.len()), (count, count), "{name}: {read:#?}");
        assert!(read.shown[0].starts_with(first), "{name}: {:?}", read.shown[0]);
        assert!(read.shown[count - 1].trim_end().contains(last), "{name}: {:?}", read.shown[count - 1]);
    }
}

#[test]
fn what_is_no_error_is_not_taken_for_one() {
    for (checker, line) in [
        (TypeChecker::Tsc, "Found 4 errors in the same file, starting at: a.ts:2"),
        (TypeChecker::Tsc, "  a.ts(2,9): error TS2322: quoted in an elaboration"),
        (TypeChecker::Tsc, "console.log(1): error TSX: no number"),
        (TypeChecker::Mypy, "shop.py:2: note: See https://mypy.rtfd.io"),
        (TypeChecker::Mypy, "error: no place"),
        (TypeChecker::Mypy, "Success: no issues found in 1 source file"),
        (TypeChecker::Cargo, "error: could not compile `shop` (lib) due to 3 previous errors"),
        (TypeChecker::Cargo, "warning: unused import: `std::fmt`"),
        (TypeChecker::Cargo, "   error: indented"),
        (TypeChecker::Go, "ok  \tshop\t0.1s"),
    ] {
        assert_eq!(read(checker, line).count, 0, "{line}");
    }
}

#[test]
fn many_long_errors_are_bounded_and_all_counted() {
    let long = "x".repeat(5000);
    let lines: Vec<String> = (0..1000).map(|n| format!("a.py:{}: error: {n} {long}", n + 1)).collect();
    let said = lines.join("\n");
    let read = read(TypeChecker::Mypy, &said);
    assert_eq!((read.count, read.shown.len()), (1000, 2 * KEPT_COMPLAINTS));
    assert!(read.shown[0].contains("error: 0 ") && read.shown.last().unwrap().contains("error: 999 "));
    assert!(read.shown.iter().all(|text| text.chars().count() <= CHARACTERS));
}

#[test]
fn a_checker_that_is_not_there_is_no_finding() {
    assert!(is_missing(TypeChecker::Mypy, &sample("mypy-missing")));
    for (checker, name) in
        [(TypeChecker::Mypy, "mypy"), (TypeChecker::Tsc, "tsc"), (TypeChecker::Cargo, "cargo")]
    {
        assert!(!is_missing(checker, &sample(name)), "{name}");
    }
}
