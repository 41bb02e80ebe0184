use super::*;

fn found(seen: &[(&str, PassFail)]) -> Vec<(usize, usize)> {
    pairs(seen.iter().copied()).into_iter().map(|pair| (pair.red, pair.green)).collect()
}

#[test]
fn a_pass_pairs_with_the_last_fail_before_it_and_only_the_latest_pass_counts() {
    use PassFail::{Fail, Pass};
    for (seen, want) in [
        (&[][..], &[][..]),
        (&[("a", Pass)], &[]),
        (&[("a", Fail)], &[]),
        (&[("a", Pass), ("a", Fail)], &[]),
        (&[("a", Fail), ("b", Pass)], &[]),
        (&[("a", Fail), ("a", Pass)], &[(0, 1)]),
        (&[("a", Fail), ("a", Pass), ("a", Pass)], &[(0, 2)]),
        (&[("a", Fail), ("a", Fail), ("a", Pass), ("a", Fail)], &[(1, 2)]),
        (&[("b", Fail), ("a", Fail), ("a", Pass), ("b", Pass)], &[(1, 2), (0, 3)]),
    ] {
        assert_eq!(found(seen), want, "{seen:?}");
    }
}

fn red(seen: &[(&str, Seen)]) -> CriterionRed {
    let test = |(id, seen): &(&str, Seen)| RedTest {
        id: TestId((*id).to_owned()),
        kind: crate::finding::RedKind::Missing,
        seen: *seen,
        message: String::new(),
        why: None,
    };
    let id = CriterionId::new("X", 1).unwrap();
    CriterionRed { id, files: Vec::new(), tests: seen.iter().map(test).collect(), may_skip: Vec::new() }
}

/// Of a file that did not load the runner told no names.
#[test]
fn a_test_is_known_again_by_its_name_or_by_a_file_that_did_not_load() {
    for (seen, test, want) in [
        (&[("a.py::x", Seen::Reported)][..], "a.py::x", Some("a.py::x")),
        (&[("a.py::x", Seen::Reported)], "a.py::y", None),
        (&[("a.py::x #2", Seen::Reported)], "a.py::x", Some("a.py::x #2")),
        (&[("a.py", Seen::FileOnly)], "a.py::y", Some("a.py")),
        (&[("a.py::x", Seen::Declared), ("a.py::y", Seen::Declared)], "a.py::y", Some("a.py::y")),
        (&[("a.py::T.x", Seen::Declared)], "a.py::x[1]", Some("a.py::T.x")),
        (&[("b.py", Seen::FileOnly)], "a.py::y", None),
    ] {
        let red = red(seen);
        let found = red_of(&red, &TestId(test.to_owned())).map(|red| red.id.0.as_str());
        assert_eq!(found, want, "{seen:?} {test}");
    }
}
