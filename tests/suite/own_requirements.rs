//! The project keeps its own rule: every criterion of `specs/frs` has a test that is named after
//! it, and every test that is named after a criterion has one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use tdd_core::criterion::CriterionId;

/// The prefix of all criteria of this project, as slugs have it.
const OURS: [&str; 2] = ["ac", "tdd"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let walk = ignore::WalkBuilder::new(root().join(folder)).build();
    let paths = walk.map(|entry| entry.unwrap().into_path());
    let mut found: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    found.sort();
    found
}

/// The criteria of one file, each with its text; only those of its section count.
fn criteria(text: &str) -> Vec<(CriterionId, String)> {
    let (_, section) = text.split_once("\n## Acceptance Criteria\n").expect("the section is there");
    let section = section.split("\n## ").next().unwrap();
    let items = section.lines().filter_map(|line| line.strip_prefix("- AC-"));
    items
        .map(|item| {
            let (id, text) = item.split_once(": ").expect("an id, a colon, a text");
            (CriterionId::parse(&format!("AC-{id}")).expect("a criterion id"), text.to_owned())
        })
        .collect()
}

fn all_criteria() -> BTreeMap<CriterionId, PathBuf> {
    let mut all = BTreeMap::new();
    for path in files("specs/frs", "md") {
        let text = fs::read_to_string(&path).unwrap();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        assert!(text.contains(&format!("\nid: {stem}\n")), "{stem}: the front matter names the file's stem");
        let found = criteria(&text);
        assert!(!found.is_empty(), "{stem} has no criterion");
        for (id, text) in found {
            assert_eq!(id.prefix(), stem, "{id} stands in the file of another requirement");
            assert!(!text.is_empty() && text.ends_with('.'), "{id} has no whole sentence");
            assert_eq!(all.insert(id.clone(), path.clone()), None, "{id} is there twice");
        }
    }
    all
}

/// The criterion in a function's name: letter and digit groups whole and in order.
fn criterion_of(name: &str) -> Option<CriterionId> {
    let groups: Vec<&str> = name.split('_').collect();
    let [requirement, number] =
        groups.windows(4).find(|four| four[..2] == OURS).map(|four| [four[2], four[3]])?;
    let is_number = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    let both = is_number(requirement) && is_number(number);
    CriterionId::parse(&format!("AC-TDD-{requirement}.{number}")).filter(|_| both)
}

/// The names of test functions: those right after a `#[test]` or a `#[tokio::test…]`.
fn test_names(source: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut is_test = false;
    for line in source.lines().map(str::trim) {
        if line == "#[test]" || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if let Some((_, rest)) = line.split_once("fn ").filter(|_| is_test && !line.starts_with("//"))
        {
            names.push(rest.split(['(', '<']).next().unwrap_or_default());
            is_test = false;
        }
    }
    names
}

#[test]
fn every_criterion_has_a_test_and_every_named_test_a_criterion() {
    let criteria = all_criteria();
    let mut tested = BTreeSet::new();
    for path in ["tests", "src", "crates"].into_iter().flat_map(|folder| files(folder, "rs")) {
        let source = fs::read_to_string(&path).unwrap();
        for name in test_names(&source) {
            let groups: Vec<&str> = name.split('_').collect();
            let names_one = groups.windows(2).any(|two| two == OURS);
            let criterion = criterion_of(name);
            let known = criterion.as_ref().is_some_and(|id| criteria.contains_key(id));
            assert!(!names_one || known, "{}: {name} names no criterion of specs/frs", path.display());
            tested.extend(criterion);
        }
    }
    let untested: Vec<String> =
        criteria.keys().filter(|id| !tested.contains(*id)).map(ToString::to_string).collect();
    assert!(untested.is_empty(), "no test is named after {}", untested.join(", "));
}

#[test]
fn a_name_is_read_by_whole_groups() {
    let id = |text: &str| CriterionId::parse(text);
    assert_eq!(criterion_of("ac_tdd_3_1_the_stages"), id("AC-TDD-3.1"));
    assert_eq!(criterion_of("ac_tdd_3_10_the_stages"), id("AC-TDD-3.10"));
    assert_eq!(criterion_of("so_ac_tdd_2_2"), id("AC-TDD-2.2"));
    for other in ["ac_tdds_3_1", "tac_tdd_3_1", "ac_tdd_three_1", "ac_tdd_3", "things_work"] {
        assert_eq!(criterion_of(other), None, "{other}");
    }
    let source =
        "#[test]\nfn a() {}\nfn b() {}\n#[tokio::test]\nasync fn c() {}\n#[test]\n// fn d()\nfn e() {}";
    assert_eq!(test_names(source), ["a", "c", "e"]);
}

#[test]
fn only_the_section_of_a_requirement_counts() {
    let text =
        "# x\n- AC-TDD-9.1: No.\n## Acceptance Criteria\n- AC-TDD-9.2: Yes.\n## Notes\n- AC-TDD-9.3: No.\n";
    let ids: Vec<String> = criteria(text).into_iter().map(|(id, _)| id.to_string()).collect();
    assert_eq!(ids, ["AC-TDD-9.2"]);
}
