use super::*;

/// Which of the declared titles a run's test belongs to.
fn home(test: &str, titles: &[&str]) -> Option<usize> {
    let outer = |title: &&str| OuterTest { name: (*title).to_owned(), names: vec![(*title).to_owned()] };
    home_of(&TestId(format!("test/a.test.ts::{test}")), &titles.iter().map(outer).collect::<Vec<_>>())
}

#[test]
fn ac_tdd_8_62_a_test_of_a_table_is_known_by_what_its_title_says_beside_the_values() {
    let titles = ["double > of %i is %s", "double > of $x.y too", "double > plain 100%", "costs $5"];
    for (test, want) in [
        ("double > of 3 is 6", Some(0)),
        ("double > of minus three is 'x'", Some(0)),
        ("double > of { a: 1 } too", Some(1)),
        ("double > plain 100%", Some(2)),
        ("costs $5", Some(3)),
        ("double > of 3", None),
        ("costs $6", None),
        // It may be of either.
        ("double > of 1 is 2 too", None),
    ] {
        assert_eq!(home(test, &titles), want, "{test}");
    }
    // Nothing but values tells nothing; and what is named as it is goes before.
    assert_eq!(home("3", &["%i"]), None);
    assert_eq!(home("of 3", &["of %i", "of 3"]), Some(1));
}
