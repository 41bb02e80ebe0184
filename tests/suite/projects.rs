//! The tiny projects of `fixtures/projects` and what a scripted agent does in them fit together.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tdd_agents::cassette::{Action, Cassette, Entry};
use tdd_core::commands::RunnerKind;
use tdd_core::criterion::CriterionId;
use tdd_core::path::RelPath;
use tdd_core::policy::{FileClass, Policy};
use tdd_core::role::Role;
use tdd_spec::key_commands::{self, Named, Pick};
use tdd_spec::tdd_result;

struct Project {
    folder: PathBuf,
    cassette: Cassette,
    prefix: &'static str,
    runner: RunnerKind,
    test: &'static str,
}

fn projects() -> Vec<Project> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let table = [
        ("demo", "DEMO-1", RunnerKind::Cargo, "cargo test"),
        ("python", "PY-1", RunnerKind::Pytest, "python3 -m pytest"),
        ("node", "NODE-1", RunnerKind::Node, "node --test"),
        ("vitest", "VITEST-1", RunnerKind::Vitest, "npm test"),
        ("jest", "JEST-1", RunnerKind::Jest, "npx jest"),
        ("bun", "BUN-1", RunnerKind::Bun, "bun test"),
        ("go", "GO-1", RunnerKind::Go, "go test ./..."),
    ];
    let project = |(name, prefix, runner, test)| {
        let cassette = fs::read_to_string(fixtures.join(format!("cassettes/{name}.yaml"))).unwrap();
        let cassette = Cassette::read(&cassette).unwrap_or_else(|trouble| panic!("{name}: {trouble}"));
        Project { folder: fixtures.join("projects").join(name), cassette, prefix, runner, test }
    };
    table.map(project).into()
}

fn written(entry: &Entry) -> Vec<RelPath> {
    let path = |action: &Action| match action {
        Action::WriteBytes(path, _)
        | Action::Link(path, _)
        | Action::Write(path, _)
        | Action::Append(path, _) => RelPath::new(path),
        Action::Delete(_) | Action::Chmod(..) | Action::Run(_) => None,
    };
    entry.actions.iter().filter_map(path).collect()
}

#[test]
fn the_requirement_has_three_criteria_and_each_has_its_implementer() {
    for project in projects() {
        let file = project.folder.join(format!("specs/frs/{}.md", project.prefix));
        let text = fs::read_to_string(file).unwrap();
        let found: BTreeSet<CriterionId> = text
            .lines()
            .filter_map(|line| CriterionId::parse(line.strip_prefix("- ")?.split_once(": ")?.0))
            .collect();
        let wanted = (1..=3).map(|number| CriterionId::new(project.prefix, number).unwrap());
        assert_eq!(found, wanted.collect(), "{}", project.prefix);
        for id in &found {
            let entry = project.cassette.find(Role::Implementer, Some(id), 1);
            assert!(entry.is_some_and(|entry| entry.criterion.as_ref() == Some(id)), "{id}");
        }
        assert!(project.cassette.find(Role::Refactorer, None, 1).is_some());
    }
}

#[test]
fn each_role_changes_only_what_it_may_and_says_so_in_a_valid_block() {
    for project in projects() {
        let policy = Policy::new(tdd_runners::of(project.runner).test_files, &[], "specs").unwrap();
        for entry in &project.cassette.entries {
            let wanted = if entry.role == Role::TestWriter { FileClass::Test } else { FileClass::Source };
            let paths = written(entry);
            assert!(!paths.is_empty(), "{}: {} does nothing", project.prefix, entry.role);
            for path in &paths {
                assert_eq!(policy.classify(path), wanted, "{}: {path}", project.prefix);
            }
            let message = entry.message().unwrap();
            let claim = tdd_result::read(&message, entry.role, &["/project"])
                .unwrap_or_else(|error| panic!("{}: {}", project.prefix, error.message));
            assert_eq!(claim.files, paths, "{}: {}", project.prefix, entry.role);
        }
    }
}

#[test]
fn the_test_file_of_each_criterion_is_named_after_it() {
    for project in projects() {
        let writer = project.cassette.find(Role::TestWriter, None, 1).unwrap();
        let names: Vec<RelPath> = written(writer);
        for number in 1..=3 {
            let slug = CriterionId::new(project.prefix, number).unwrap().slug();
            assert_eq!(names.iter().filter(|path| path.stem().contains(&slug)).count(), 1, "{slug}");
        }
    }
}

#[test]
fn the_test_command_is_found_in_what_the_project_says_of_itself() {
    for project in projects() {
        let text = fs::read_to_string(project.folder.join("CLAUDE.md")).unwrap();
        match key_commands::read(&text).test {
            Pick::One(Named { command, .. }) => assert_eq!(command, project.test),
            other => panic!("{}: {other:?}", project.prefix),
        }
    }
}
