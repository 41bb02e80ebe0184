//! What README and guide say of the battery is what its tables hold: figures, and the case of each class.

use std::collections::BTreeSet;

use super::entry::{Entry, Intent, Wanted};
use super::guards::PROOFS;

const README: &str = include_str!("../../../README.md");
const GUIDE: &str = include_str!("../../../docs/src/guarantees.md");

fn all() -> Vec<Entry> {
    [super::cheats(), super::honests()].concat().concat()
}

/// The rows below a heading of the guide, cell by cell, without head and rule.
fn rows(heading: &str) -> Vec<Vec<&'static str>> {
    let (_, rest) = GUIDE.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    let section = rest.split("\n#").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    rows.skip(1).map(|row| row.split(" | ").collect()).collect()
}

/// At this level nothing keeps the child from it.
fn is_not_caught(wanted: Wanted) -> bool {
    matches!(wanted, Wanted::Listed(_) | Wanted::Named(_))
}

#[test]
fn ac_tdd_12_7_the_threat_table_has_each_check_with_the_case_that_proves_it() {
    let headings = [
        "### Of the test-writer",
        "### Of implementer and refactorer",
        "### Of code that runs with the tests",
        "### Of what the final proof and held-out tests look at",
        "### Of what a role says, and of what is not its own",
    ];
    let told: Vec<(String, &str)> = headings
        .iter()
        .flat_map(|heading| rows(heading))
        .map(|row| (row[2].trim_matches('`').to_owned(), row[3]))
        .collect();
    let proven: BTreeSet<(String, &str)> =
        PROOFS.iter().map(|(guard, case)| (format!("{guard:?}"), *case)).collect();
    assert_eq!(told.iter().cloned().collect::<BTreeSet<_>>(), proven);
    assert_eq!(told.len(), proven.len(), "each once");
}

#[test]
fn ac_tdd_12_7_the_guide_names_each_cheat_that_is_not_caught() {
    let words = |wanted| if is_not_caught(wanted) { "told of" } else { "prevented" };
    let cheats = all().into_iter().filter(|entry| entry.intent == Intent::Cheat);
    let missed = cheats.filter(|entry| is_not_caught(entry.audit) || is_not_caught(entry.enforce));
    let wanted: BTreeSet<[&str; 3]> = missed
        .map(|entry| match entry.audit {
            Wanted::Listed(_) => ["not caught", "not caught", entry.name],
            audit => [words(entry.enforce), words(audit), entry.name],
        })
        .collect();
    let told: BTreeSet<[&str; 3]> =
        rows("### Not caught").iter().map(|row| [row[1], row[2], row[3]]).collect();
    assert_eq!(told, wanted);
}

#[test]
fn ac_tdd_12_7_the_figures_of_readme_and_guide_are_those_of_the_battery() {
    let entries = all();
    let (cheats, honest): (Vec<&Entry>, Vec<&Entry>) =
        entries.iter().partition(|entry| entry.intent == Intent::Cheat);
    let missed =
        |wanted: fn(&Entry) -> Wanted| cheats.iter().filter(|entry| is_not_caught(wanted(entry))).count();
    let (enforce, audit) = (missed(|entry| entry.enforce), missed(|entry| entry.audit));
    let (cheats, honest) = (cheats.len(), honest.len());
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (text, words) in [
        (GUIDE, format!("{cheats} children that cheat are tried against `tdd`")),
        (GUIDE, format!("caught or prevented but {enforce} at level `enforce` and {audit} at level `audit`")),
        (GUIDE, format!("{honest} more children look unusual and mean well")),
        (
            README,
            format!(
                "Of the {cheats} cheats of that kind that are tried against `tdd` in its own tests, all but {enforce} are caught"
            ),
        ),
        (README, format!("{honest} honest children that look like one are not blamed")),
    ] {
        assert!(flat(text).contains(&words), "no {words:?}");
    }
}
