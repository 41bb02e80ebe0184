//! The only place that names all runners.

use super::facts::Runner;
use super::{bun, cargo, deno, go, jest, node, pytest, shell, unittest, vitest};
use tdd_core::commands::RunnerKind;

/// All that is known of a runner.
pub fn of(kind: RunnerKind) -> &'static Runner {
    match kind {
        RunnerKind::Cargo => &cargo::CARGO,
        RunnerKind::Nextest => &cargo::NEXTEST,
        RunnerKind::Pytest => &pytest::RUNNER,
        RunnerKind::Unittest => &unittest::RUNNER,
        RunnerKind::Vitest => &vitest::RUNNER,
        RunnerKind::Jest => &jest::RUNNER,
        RunnerKind::Bun => &bun::RUNNER,
        RunnerKind::Node => &node::RUNNER,
        RunnerKind::Go => &go::RUNNER,
        RunnerKind::Deno => &deno::RUNNER,
        RunnerKind::Junit => &shell::JUNIT,
        RunnerKind::Tap => &shell::TAP,
        RunnerKind::ExitCode => &shell::EXIT_CODE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tdd_core::path::RelPath;
    use tdd_core::policy::{FileClass, Policy};

    #[test]
    fn every_runner_is_itself_and_knows_the_files_of_its_tests() {
        for kind in RunnerKind::ALL {
            let runner = of(kind);
            assert_eq!(runner.kind, kind);
            let policy = Policy::new(runner.test_files, &[], "specs").unwrap();
            assert_eq!(policy.test_patterns(), runner.test_files, "{runner:?}");
            let is_test = |text: &str| policy.classify(&RelPath::new(text).unwrap()) == FileClass::Test;
            let names = ["a/a_test.rs", "a/a_test.py", "a/a_test.js", "a/a_test.ts", "a/a_test.go"];
            assert!(names.into_iter().any(is_test), "{runner:?} knows no test");
            assert!(!is_test("src/shop.rs") && !is_test("src/contest.py"), "{runner:?}");
        }
    }
}
