use super::*;
use crate::test_report::{REPORT_CAP, jsonl};
use tdd_core::ports::TestOrder;

#[test]
fn names_become_one_pattern_that_means_only_themselves() {
    let place = Place::new(Path::new("/p"), Path::new("/p"));
    for (names, want) in [
        (vec!["a", "b c"], Some("^(?:a|b c)$")),
        (vec!["outer > in > ner"], Some("^(?:outer(?: > | )in(?: > | )ner)$")),
        (vec!["re (a|b) [c] .* $^ {1}?+\\/"], Some(r"^(?:re \(a\|b\) \[c\] \.\* \$\^ \{1\}\?\+\\\/)$")),
        (vec!["new\nline", "q \" ' `"], Some("^(?:new\\nline|q \" ' `)$")),
        (vec!["a\0", "b"], Some(r"^(?:a\x00|b)$")),
        (vec![], None),
    ] {
        let only_ids = names.iter().map(|name| TestId(format!("t/a.js::{name}"))).collect();
        let scope = Scope::new(&TestOrder { only_ids, ..TestOrder::default() }, &place);
        assert_eq!(pattern(&scope, &place).as_deref(), want, "{names:?}");
    }
    let long = TestId(format!("t/a.js::{}", "x".repeat(PATTERN_CAP)));
    let scope = Scope::new(&TestOrder { only_ids: vec![long], ..TestOrder::default() }, &place);
    assert_eq!(pattern(&scope, &place), None);
}

#[test]
fn red_that_nobody_asked_for_does_not_count_and_unexplained_red_does() {
    let load = || LoadFailure::new(RelPath::new("t/b.js").unwrap(), failure(FailureKind::Load, "", None));
    let red = TestReport { load_failures: vec![load()], complete: true, ..TestReport::default() };
    let green = TestReport { complete: true, ..TestReport::default() };
    let torn = TestReport { complete: false, ..red.clone() };
    for (exit, whole, view, want) in [
        (1, &red, &green, 0),
        (1, &red, &red, 1),
        (1, &green, &green, 1),
        (1, &torn, &green, 1),
        (2, &red, &green, 2),
        (0, &green, &green, 0),
    ] {
        assert_eq!(exit_of_view(Exit::Code(exit), whole, view), Exit::Code(want));
    }
}

/// Reports that our reporters wrote of one set of tests, and what they mean.
#[test]
fn all_kinds_of_tests_and_of_files_are_told_apart() {
    let vitest = include_bytes!("../../../../fixtures/runner-outputs/vitest/vitest-4.1.12-kinds.jsonl");
    let jest = include_bytes!("../../../../fixtures/runner-outputs/jest/jest-30.5.2-kinds.jsonl");
    let place = Place::new(Path::new("/p"), Path::new("/p"));
    for (bytes, extension, callee) in [(&vitest[..], "ts", "nope"), (&jest[..], "js", "core.nope")] {
        let reported = jsonl::parse(bytes);
        assert_eq!(reported.flaw, None);
        let report = results(&reported, &place);
        let test = |name: &str| {
            let id = TestId(format!("test/kinds.test.{extension}::{name}"));
            &report.tests.iter().find(|test| test.id == id).unwrap().outcome
        };
        for (name, kind) in [
            ("assert", FailureKind::Assertion),
            ("runtime", FailureKind::Error),
            ("missing", FailureKind::Missing),
            ("class", FailureKind::Missing),
            ("undefined", FailureKind::Assertion),
            ("slow", FailureKind::Timeout),
            ("hook > never", FailureKind::Missing),
            ("each 1 2", FailureKind::Assertion),
        ] {
            assert!(
                matches!(test(name), Outcome::Failed(failure) if failure.kind == kind),
                "{name}: {:?}",
                test(name)
            );
        }
        let dup = report.tests.iter().filter(|test| test.id.0.ends_with("::dup"));
        let dup: Vec<bool> = dup.map(|test| test.outcome == Outcome::Passed).collect();
        assert_eq!(dup, [true, false], "namesakes are told apart, in their order");
        let Outcome::Failed(missing) = test("missing") else { panic!("failed") };
        assert_eq!(missing.absent.as_deref(), Some(callee));
        for name in ["skipped", "todo", "inverted"] {
            assert_eq!(test(name), &Outcome::Skipped, "{name}");
        }
        for name in ["outer > in > ner > t", "each 1 1", "new\nline \"q\" 's' `b` (r|e) [x] ünï 🎉"] {
            assert_eq!(test(name), &Outcome::Passed, "{name}");
        }
        let loads: Vec<String> = report
            .load_failures
            .iter()
            .map(|load| format!("{} {:?} {:?}", load.file, load.failure.kind, load.failure.absent))
            .collect();
        assert_eq!(
            loads,
            [
                format!("test/module.test.{extension} Missing Some(\"../src/gone\")"),
                format!("test/package.test.{extension} Load None"),
                format!("test/syntax.test.{extension} Load None"),
            ]
        );
    }
}

/// vite tells some modules by their path from the project's root, which nothing in the file system's root is.
#[test]
fn ac_tdd_8_89_a_path_from_the_root_is_the_projects_own_unless_the_system_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::new(folder.path(), folder.path());
    let file = folder.path().join("a.test.ts");
    for (module, kind) in
        [("/new-in-the-project/todos.js", FailureKind::Missing), ("/usr/lib/todos.js", FailureKind::Load)]
    {
        let message = format!("Cannot find module '{module}' imported from {}", file.display());
        let error =
            serde_json::json!({ "class": "Error", "code": "ERR_MODULE_NOT_FOUND", "message": message });
        let line = serde_json::json!({
            "ev": "test", "file": file, "name": "saves", "outcome": "fail", "phase": "call", "ms": 1.0, "errors": [error],
        });
        let reported = jsonl::parse(format!("{{\"ev\":\"start\",\"v\":1}}\n{line}\n").as_bytes());
        let report = results(&reported, &place);
        assert!(
            matches!(&report.tests[0].outcome, Outcome::Failed(failure) if failure.kind == kind),
            "{module}: {report:?} {reported:?}"
        );
    }
}

#[test]
fn a_report_that_is_absent_cut_or_too_large_is_no_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::new(folder.path(), folder.path());
    let whole = include_bytes!("../../../../fixtures/runner-outputs/jest/jest-30.5.2-kinds.jsonl");
    let cut = whole.iter().rposition(|byte| *byte == b'{').unwrap();
    let told = folder.path().join("report.jsonl");
    let conclude = || conclude(Exit::Code(0), &told, &place, &Scope::default()).unreadable;
    assert!(conclude().is_some_and(|why| why.contains("left no report")));
    for bytes in [&b""[..], b"\xff\xfe", &whole[..cut], &[whole, whole.as_slice()].concat()] {
        std::fs::write(&told, bytes).unwrap();
        assert!(conclude().is_some(), "{}", bytes.len());
    }
    // Sparse, so that nothing of this size is written.
    std::fs::File::create(&told).unwrap().set_len(REPORT_CAP + 1).unwrap();
    assert!(conclude().is_some_and(|why| why.contains("larger than")));
    std::fs::remove_file(&told).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &told).unwrap();
    assert!(conclude().is_some_and(|why| why.contains("no regular file")));
}
