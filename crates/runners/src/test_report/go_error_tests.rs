use super::*;

/// Printed by go 1.19.8.
const PACKAGES: &str = "\
go: finding module for package github.com/no/such
# shop/bad1
bad1/x_test.go:2:7: expected ')', found 'EOF'
# shop/bad2
bad2/x_test.go:2:20: cannot find module providing package github.com/no/such: module lookup disabled by GOPROXY=off
# shop/p3
p3/c3_test.go:2:20: package shop/nopkg is not in GOROOT (/usr/lib/go-1.19/src/shop/nopkg)
# shop/bad3 [shop/bad3.test]
bad3/x_test.go:3:39: undefined: core.S
bad3/x_test.go:3:65: too many arguments in call to core.Existing
\thave (number)
\twant ()
bad3/x_test.go:3:81: cannot use \"a\" (untyped string constant) as int value in variable declaration
# shop/bad5 [shop/bad5.test]
bad5/x_test.go:4:32: T{}.Meth undefined (type T has no field or method Meth)
# shop/p2
vet: p2/c2_test.go:3:34: F2 not declared by package core
";

#[test]
fn errors_are_read_with_their_package() {
    let found = errors(PACKAGES);
    let brief: Vec<String> = found.iter().map(|e| format!("{} {}:{}", e.package, e.file, e.line)).collect();
    assert_eq!(
        brief,
        [
            "shop/bad1 bad1/x_test.go:2",
            "shop/bad2 bad2/x_test.go:2",
            "shop/p3 p3/c3_test.go:2",
            "shop/bad3 bad3/x_test.go:3",
            "shop/bad3 bad3/x_test.go:3",
            "shop/bad3 bad3/x_test.go:3",
            "shop/bad5 bad5/x_test.go:4",
            "shop/p2 p2/c2_test.go:3",
        ]
    );
    assert_eq!(found[4].message, "too many arguments in call to core.Existing\nhave (number)\nwant ()");
    assert!(errors("a.go:x:1: y\n.go:\n\t\n# \nx y.go:1:1: z\na.go:99999999999:1: z").is_empty());
}

/// Kind and absent name of one error in the module `shop`, whose package `core` is its own.
fn judged(message: &str) -> (FailureKind, Option<String>) {
    let error = BuildError { package: String::new(), file: "a.go".into(), line: 1, message: message.into() };
    let got = classify(&[&error], "shop", &|package| package == "core");
    (got.kind, got.absent)
}

#[test]
fn each_error_is_missing_or_the_tests_own_fault() {
    for (message, absent) in [
        ("undefined: F2", Some("F2")),
        ("undefined: core.F2", Some("core.F2")),
        ("undefined: strings.Nope", None),
        ("undefined: core.lower", None),
        ("F2 not declared by package core", Some("core.F2")),
        ("T{}.Meth undefined (type T has no field or method Meth)", Some("T.Meth")),
        ("s.Add undefined (type *core.Shop has no field or method Add)", Some("core.Shop.Add")),
        ("s.Add undefined (type *strings.Builder has no field or method Add)", None),
        ("unknown field 'Fld' in struct literal of type T", Some("T.Fld")),
        ("unknown field Fld in struct literal of type core.T", Some("core.T.Fld")),
        ("cannot use \"a\" (untyped string constant) as int value in variable declaration", None),
        ("package shop/nopkg is not in GOROOT (/usr/lib/go-1.19/src/shop/nopkg)", Some("shop/nopkg")),
        ("package shop/nopkg is not in std (/usr/lib/go/src/shop/nopkg)", Some("shop/nopkg")),
        ("package shopping/x is not in std", None),
        ("no required module provides package github.com/no/such; to add it:", None),
        ("no required module provides package shop/core/deep; to add it:", Some("shop/core/deep")),
        ("expected ')', found 'EOF'", None),
        ("x declared but not used", None),
        ("declared and not used: x", None),
        ("\"fmt\" imported and not used", None),
        ("(*testing.common).Logf format %d has arg \"x\" of wrong type string", None),
        ("", None),
    ] {
        let kind = if absent.is_some() { FailureKind::Missing } else { FailureKind::Load };
        assert_eq!(judged(message), (kind, absent.map(str::to_owned)), "{message}");
    }
}

#[test]
fn ac_tdd_8_158_a_type_is_spelt_by_the_path_of_its_package() {
    for (owner, absent) in [
        ("\"shop/errors\".List", Some("errors.List.Add")),
        ("*\"shop/errors\".List", Some("errors.List.Add")),
        ("\"other.org/errors\".List", None),
    ] {
        let kind = if absent.is_some() { FailureKind::Missing } else { FailureKind::Load };
        let message = format!("l.Add undefined (type {owner} has no field or method Add)");
        assert_eq!(judged(&message), (kind, absent.map(str::to_owned)), "{owner}");
    }
    assert_eq!(judged("cannot use \"a\".b as int value in variable declaration").0, FailureKind::Load);
}

#[test]
fn ac_tdd_8_101_what_is_there_and_has_another_shape_is_missing() {
    for (message, absent) in [
        ("too many arguments in call to core.Existing", Some("")),
        ("not enough arguments in call to Sum", Some("")),
        ("too many arguments in call to strings.ToUpper", None),
        ("assignment mismatch: 2 variables but core.F returns 1 value", Some("")),
        ("assignment mismatch: 2 variables but F() returns 1 value", Some("")),
        ("cannot use \"a\" (untyped string constant) as int value in argument to core.F", Some("")),
        ("cannot use \"a\" (untyped string constant) as int value in argument to strings.Repeat", None),
        ("cannot use core.F(1) (value of type int) as string value in assignment", Some("")),
        ("cannot use F(1) (value of type int) as string value in variable declaration", Some("")),
        ("cannot use strings.ToUpper(\"a\") (value of type string) as int value in assignment", None),
        ("cannot use got (variable of type int) as string value in assignment", None),
        ("F(1) (no value) used as value", Some("")),
        ("strings.NewReader(s).Reset(s) (no value) used as value", None),
        ("invalid operation: core.F(1) != \"a\" (mismatched types int and untyped string)", Some("")),
        ("invalid operation: strings.Count(s, s) != \"a\" (mismatched types int and untyped string)", None),
        ("invalid operation: got != \"a\" (mismatched types int and untyped string)", None),
        ("invalid operation: operator ! not defined on got (variable of type int)", None),
        (
            "cannot use x (variable of type X) as I value in variable declaration: X does not implement I (missing method Do)",
            Some("X.Do"),
        ),
        (
            "cannot use &Cart{} (value of type *Cart) as type fmt.Stringer in variable declaration:\n\t*Cart does not implement fmt.Stringer (missing String method)",
            Some("Cart.String"),
        ),
        (
            "cannot use &core.Cart{} (value of type *core.Cart) as fmt.Stringer value in argument to fmt.Println: *core.Cart does not implement fmt.Stringer (missing method String)",
            Some("core.Cart.String"),
        ),
        (
            "cannot use b (variable of type *bytes.Buffer) as I value in variable declaration: *bytes.Buffer does not implement I (missing method Do)",
            None,
        ),
    ] {
        let kind = if absent.is_some() { FailureKind::Missing } else { FailureKind::Load };
        // An empty name: it is there, and has another shape.
        let absent = absent.filter(|name| !name.is_empty()).map(str::to_owned);
        assert_eq!(judged(message), (kind, absent), "{message}");
    }
}

#[test]
fn what_a_package_without_code_keeps_from_being_built_is_known_by_its_folder() {
    // go 1.19 and as later ones word it.
    let said = "go build shop/cart: no non-test Go files in /p/cart\n# shop/b [shop/b.test]\nb/x_test.go:3:1: undefined: F\n\
                shop/a b: no non-test Go files in /p/a b\nno Go files in /p/docs\n";
    assert_eq!(without_code(said).collect::<Vec<_>>(), ["/p/cart", "/p/a b"]);
    for (message, is_so) in [
        ("\"shop/cart\" imported and not used", true),
        ("\"shop/cart\" imported as basket and not used", true),
        ("imported and not used: \"shop/cart\"", true),
        ("imported and not used: \"shop/cart/deep\"", false),
        ("\"shop/cart/deep\" imported and not used", false),
        ("undefined: cart.F", false),
    ] {
        assert_eq!(is_unused(message, "shop/cart"), is_so, "{message}");
    }
}

#[test]
fn one_fault_of_the_test_spoils_what_is_missing_beside_it() {
    let all = errors(PACKAGES);
    let of = |package: &str| {
        let errors: Vec<&BuildError> = all.iter().filter(|error| error.package == package).collect();
        classify(&errors, "shop", &|package| package == "core").kind
    };
    assert_eq!(of("shop/bad3"), FailureKind::Load);
    assert_eq!(of("shop/bad5"), FailureKind::Missing);
    assert_eq!(of("shop/none"), FailureKind::Load);
}

#[test]
fn a_test_that_ran_is_judged_by_how_it_ended() {
    for (output, kind) in [
        ("    a_test.go:7: got 1, want 2\n--- FAIL: TestA (0.00s)\n", FailureKind::Assertion),
        (
            "panic: runtime error: invalid memory address or nil pointer dereference [recovered]\n",
            FailureKind::Error,
        ),
        ("panic: test timed out after 2s\n", FailureKind::Timeout),
        ("fatal error: all goroutines are asleep - deadlock!\n", FailureKind::Crash),
        ("", FailureKind::Assertion),
    ] {
        assert_eq!(test_failure(output).kind, kind, "{output}");
    }
}
