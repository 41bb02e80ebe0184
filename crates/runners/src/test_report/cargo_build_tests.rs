use super::*;

const ERRORS: &[u8] = include_bytes!("../../../../fixtures/runner-outputs/cargo/cargo-1.95.0-errors.json");

#[test]
fn each_error_of_a_real_build_is_judged() {
    let build = parse(ERRORS);
    assert_eq!(build.success, Some(false));
    let own = vec!["shop".to_owned()];
    for (target, kind, absent) in [
        ("b_crate", FailureKind::Load, None),
        ("b_crate2", FailureKind::Load, None),
        ("b_mod", FailureKind::Load, None),
        ("b_syntax", FailureKind::Load, None),
        ("b_e0432", FailureKind::Missing, Some("shop::nomod")),
        ("b_e0432b", FailureKind::Missing, Some("shop::nofn")),
        ("b_e0433", FailureKind::Missing, Some("shop::nomod2")),
        ("b_e0433b", FailureKind::Missing, Some("NoType")),
        ("b_e0425", FailureKind::Missing, Some("shop::nofn2")),
        ("b_e0412", FailureKind::Missing, Some("shop::NoTy")),
        ("b_trait", FailureKind::Missing, Some("shop::NoTrait")),
        ("b_variant", FailureKind::Missing, Some("B")),
        ("b_macro", FailureKind::Missing, Some("shop::nomac")),
        ("b_e0560", FailureKind::Missing, Some("b")),
        ("b_e0609", FailureKind::Missing, Some("zz")),
        ("b_e0603", FailureKind::Missing, None),
        ("b_e0277", FailureKind::Missing, None),
        ("b_e0308", FailureKind::Missing, None),
        ("b_e0061", FailureKind::Missing, None),
        ("c2", FailureKind::Missing, Some("shop::c2")),
    ] {
        let errors: Vec<&CompileError> =
            build.errors.iter().filter(|error| error.target.name == target).collect();
        assert!(!errors.is_empty(), "{target}");
        let got = classify(&errors, &own);
        assert_eq!((got.kind, got.absent.as_deref()), (kind, absent), "{target}: {}", got.message);
    }
}

#[test]
fn what_is_absent_from_a_foreign_crate_is_a_fault_of_the_test() {
    let build = parse(ERRORS);
    let errors: Vec<&CompileError> =
        build.errors.iter().filter(|error| ["c2", "b_e0433"].contains(&error.target.name.as_str())).collect();
    for error in errors {
        assert_eq!(classify(&[error], &["other".to_owned()]).kind, FailureKind::Load, "{}", error.message);
    }
}

#[test]
fn one_fault_of_the_test_outweighs_what_is_missing() {
    let build = parse(ERRORS);
    let errors: Vec<&CompileError> = build
        .errors
        .iter()
        .filter(|error| ["c2", "b_syntax"].contains(&error.target.name.as_str()))
        .collect();
    assert_eq!(errors.len(), 2);
    assert_eq!(classify(&errors, &["shop".to_owned()]).kind, FailureKind::Load);
}

#[test]
fn prints_between_the_lines_do_no_harm() {
    let build =
        parse(b"{\"reason\":\nhello\n{}\n[1]\n{\"reason\":\"build-finished\",\"success\":true}\n{\"re");
    assert_eq!(build.success, Some(true));
    assert_eq!((build.artifacts.len(), build.errors.len()), (0, 0));
}

#[test]
fn what_a_type_lacks_is_named_in_each_of_rustcs_words() {
    for (message, absent) in [
        ("no method named `total` found for struct `Cart` in the current scope", Some("total")),
        (
            "no function or associated item named `new` found for struct `Cart` in the current scope",
            Some("new"),
        ),
        ("no variant or associated item named `B` found for enum `E` in the current scope", Some("B")),
        (
            "the method `sorted` exists for struct `Cart`, but its trait bounds were not satisfied",
            Some("sorted"),
        ),
        // The type, which is there.
        ("`cart::Cart` is not an iterator", None),
        ("`cart::Cart` doesn't implement `std::fmt::Display`", None),
    ] {
        let error = CompileError {
            package_id: String::new(),
            target: Target { name: "t".to_owned(), kind: Vec::new(), src_path: String::new() },
            code: Some("E0599".to_owned()),
            message: message.to_owned(),
            label: String::new(),
            file: None,
            rendered: message.to_owned(),
        };
        let got = classify(&[&error], &["cart".to_owned()]);
        assert_eq!((got.kind, got.absent.as_deref()), (FailureKind::Missing, absent), "{message}");
    }
}
