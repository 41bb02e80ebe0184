//! Requirements that do not hold the contract's ids: numbers alone, plain lists, and other tools' files.

use super::cycle::{honest_shop_cassette, shop};
use super::sandbox::{Sandbox, fixtures, has_python};

const PLAIN: &str = "# Two\n\n## Acceptance Criteria\n\n- [ ] `two()` gives 2.\n";

/// A project that holds the files of `fixtures/specifications/NAME`.
fn of_tool(name: &str) -> Sandbox {
    let sandbox = Sandbox::with(&[("tdd.yaml", "test: python3 -m unittest\n")]);
    let root = fixtures().join("specifications").join(name);
    let mut waiting = vec![root.clone()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
                continue;
            }
            let inside = path.strip_prefix(&root).unwrap();
            sandbox.write(inside.to_str().unwrap(), &std::fs::read_to_string(&path).unwrap());
        }
    }
    sandbox.commit();
    sandbox
}

/// The honest cassette beside the repository.
fn scripted(sandbox: &Sandbox) -> String {
    let file = sandbox.beside("cassette.yaml");
    std::fs::write(&file, honest_shop_cassette()).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn ids_are_shown_written_once_and_meant_by_their_numbers() {
    let sandbox = shop();
    let cassette = scripted(&sandbox);
    sandbox.write("specs/frs/STE-1.md", "# T\n\n## Acceptance Criteria\n\n1. [ ] one\n2. [ ] two\n");
    let shown = ["AC-STE-1.1  line 5", "AC-STE-1.2  line 6"];
    sandbox
        .tdd(&["criteria", "STE-1"])
        .expect(0)
        .says_on_stdout(&shown)
        .says_on_stdout(&["ids: by the places"]);
    sandbox
        .tdd(&["STE-1", "--dry-run", "--only", "2", "--cassette", &cassette])
        .expect(0)
        .says_on_stdout(&["criterion:   AC-STE-1.2: two", "attempts:    3"]);
    sandbox
        .tdd(&["STE-1", "--dry-run", "--only", "3", "--cassette", &cassette])
        .expect(2)
        .says(&["number 3", "AC-STE-1.1, AC-STE-1.2"]);
    for _ in 0..2 {
        sandbox.tdd(&["criteria", "STE-1", "--fix"]).expect(0).says_on_stdout(&shown);
        let want = "# T\n\n## Acceptance Criteria\n\n1. [ ] AC-STE-1.1: one\n2. [ ] AC-STE-1.2: two\n";
        assert_eq!(sandbox.read("specs/frs/STE-1.md"), want);
    }
    sandbox.write("specs/frs/STE-1.md", "# T\n\n## Acceptance Criteria\n\n- one\n* two\n");
    sandbox.tdd(&["criteria", "STE-1"]).expect(2).says(&["line 6 is `* two`", "AC-STE-1.1: …"]);
}

#[test]
fn a_run_whose_items_have_moved_is_not_gone_on_with() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    sandbox.write("specs/frs/STE-1.md", PLAIN);
    sandbox.commit();
    let cassette = &scripted(&sandbox);
    sandbox.tdd(&["STE-1", "--cassette", cassette, "--stop-after", "red"]).expect(3);
    let moved = PLAIN.replace("- [ ]", "- [ ] Another thing.\n- [ ]");
    sandbox.write("specs/frs/STE-1.md", &moved);
    sandbox.tdd(&["resume", "--cassette", cassette]).expect(2).says(&[
        "have moved",
        "was AC-STE-1.1 when the run began is AC-STE-1.2 now",
        "--fix",
    ]);
    // The same words under ids of their own are the same criteria.
    sandbox.write("specs/frs/STE-1.md", PLAIN);
    sandbox.tdd(&["criteria", "STE-1", "--fix"]).expect(0);
    assert!(sandbox.read("specs/frs/STE-1.md").contains("- [ ] AC-STE-1.1: `two()` gives 2."));
    sandbox.tdd(&["resume", "--edited", "--cassette", cassette]).expect(0);
}

#[test]
fn files_of_other_tools_are_requirements() {
    for (tool, path, name, ids) in [
        (
            "spec-kit",
            "specs/001-short-links/spec.md",
            "001-short-links",
            &["US1.1", "US1.2", "US2.1", "FR.1", "FR.2"][..],
        ),
        (
            "openspec",
            "openspec/changes/add-short-links/specs/links/spec.md",
            "add-short-links-links",
            &["1.1", "1.2", "2.1"],
        ),
        ("kiro", ".kiro/specs/short-links/requirements.md", "short-links", &["1.1", "1.2", "2.1"]),
    ] {
        let sandbox = of_tool(tool);
        let cassette = scripted(&sandbox);
        let ids: Vec<String> = ids.iter().map(|id| format!("AC-{name}-{id}")).collect();
        let shown: Vec<&str> = ids.iter().map(String::as_str).collect();
        sandbox.tdd(&["criteria", path]).expect(0).says_on_stdout(&shown);
        let last = ids.last().unwrap();
        let short = last.rsplit('-').next().unwrap();
        sandbox
            .tdd(&[path, "--dry-run", "--only", short, "--cassette", &cassette])
            .expect(0)
            .says_on_stdout(&[&format!("requirement: {name} ({path})"), last, "attempts:    3"]);
        sandbox.tdd(&["criteria", path, "--fix"]).expect(2).says(&["form of another tool"]);
        if tool != "openspec" {
            sandbox.tdd(&["criteria", name]).expect(0).says_on_stdout(&shown);
        }
    }
}

#[test]
fn what_lies_beside_another_tools_file_is_out_of_sight() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    sandbox.write(
        ".kiro/specs/two/requirements.md",
        "# Requirements\n\n### Requirement 1\n\n#### Acceptance Criteria\n\n1. WHEN asked THE shop SHALL have `two()` give 2\n",
    );
    sandbox.write(".kiro/specs/two/design.md", "a word of the plan\n");
    sandbox.commit();
    let look = "  run: [sh, -c, \"cat .kiro/specs/two/design.md > seen.txt 2>&1; echo x >> .kiro/specs/two/tasks.md; true\"]\n";
    let cassette = honest_shop_cassette().replace("test_ac_ste_1_1", "test_ac_two_1_1").replacen(
        "- role: implementer\n",
        &format!("- role: implementer\n{look}"),
        1,
    );
    let file = sandbox.beside("cassette.yaml");
    std::fs::write(&file, cassette).unwrap();
    let ran = sandbox.tdd(&["two", "--cassette", file.to_str().unwrap()]);
    let journal = sandbox.tdd(&["log", "--json"]).expect(0).stdout;
    assert!(
        journal.contains(r#""other_specs":".kiro/specs""#),
        "the policy holds the folder: {}",
        ran.stderr
    );
    assert!(journal.contains(r#""reading":"kiro""#), "the reading is journalled");
    assert!(!sandbox.path(".kiro/specs/two/tasks.md").exists(), "what was written there is put back");
    if sandbox.level() == "enforce" {
        ran.expect(0);
        assert!(!sandbox.read("seen.txt").contains("a word of the plan"), "{}", sandbox.read("seen.txt"));
    }
}

#[test]
fn ac_tdd_12_17_what_other_tools_hold_is_named_where_a_requirement_is_asked_for() {
    left_to_the_night!();
    for (tool, file) in [
        ("spec-kit", "specs/001-links/spec.md"),
        ("kiro", ".kiro/specs/links/requirements.md"),
        ("openspec", "openspec/changes/add-links/specs/links/spec.md"),
    ] {
        let sandbox = Sandbox::with(&[("shop.py", ""), (file, "# Links\n")]);
        sandbox.write("openspec/changes/archive/old/specs/links/spec.md", "# Old\n");
        let init = sandbox.tdd(&["init", "--yes", "--no-doctor"]).expect(0);
        assert!(!sandbox.path("specs/frs").exists(), "{tool}: {}", init.stdout);
        init.says_on_stdout(&["1 of another tool", &format!("Next: `tdd {file}`")]);
        sandbox.tdd(&[]).expect(2).says(&[&format!("name one of {file}: tdd {file}")]);
        sandbox.tdd(&["new", "STE-1", "Mine", "-c", "a"]).expect(0);
        sandbox.tdd(&[]).expect(2).says(&["name one of STE-1: tdd STE-1"]);
    }
    let sandbox = of_tool("spec-kit");
    let file = "specs/001-short-links/spec.md";
    let folder = file.trim_end_matches("spec.md");
    let of = |named: &str| sandbox.tdd(&["criteria", named]).stdout;
    assert!(!of(file).is_empty());
    assert_eq!(of(folder), of(file), "its folder is it");
}
