//! What is known of a runner that nobody here knows: the format of its report.

use super::Shell;
use crate::runner::adapter::{Adapter, Running};
use crate::runner::facts::{Runner, fails_as_its_language, is_never_called};
use crate::runner::place::Place;
use crate::runner::scope::Scope;
use crate::runner::verification::Verification;
use tdd_core::commands::RunnerKind;
use tdd_core::path::RelPath;
use tdd_core::ports::{CanaryWish, Isolation, Observer, Recalled};

pub(in crate::runner) static JUNIT: Runner = Runner {
    kind: RunnerKind::Junit,
    tells_tests: true,
    read_by: "its JUnit report",
    adapter: |making| match making.table.filter(|table| table.report.is_some()) {
        Some(table) => Ok(Box::new(Shell::new(table))),
        None => Err(making.underivable()),
    },
    ..ANY
};

pub(in crate::runner) static TAP: Runner = Runner {
    kind: RunnerKind::Tap,
    tells_tests: true,
    read_by: "its TAP output",
    adapter: |making| match making.table {
        Some(table) => Ok(Box::new(Shell::tap(table))),
        None => Err(making.underivable()),
    },
    ..ANY
};

pub(in crate::runner) static EXIT_CODE: Runner = ANY;

const ANY: Runner = Runner {
    kind: RunnerKind::ExitCode,
    test_files: &[
        "**/test/**",
        "**/tests/**",
        "**/__tests__/**",
        "**/spec/**",
        "**/__snapshots__/**",
        "**/*_spec.*",
        "**/*Test.{php,java,kt,groovy,scala,cs}",
        "**/*Tests.{php,java,kt,groovy,scala,cs}",
        "**/*.bats",
        "**/test.{js,mjs,cjs,ts,mts,cts}",
        "**/*_test.*",
        "**/*_tests.*",
        "**/test_*.*",
        "**/*.test.*",
        "**/*.spec.*",
        "**/*-test.*",
        "**/test-*.*",
    ],
    placement: None,
    junit: None,
    environment: &[],
    usage_error: None,
    restamps: false,
    tells_tests: false,
    read_by: "its exit code",
    called_by: is_never_called,
    failing: fails_as_its_language,
    adapter: |making| Ok(Box::new(Shell::exit_code(making.table, &making.commands.test))),
};

impl Adapter for Shell {
    fn run<'a>(
        &'a mut self,
        (place, scope): (&'a Place, &'a Scope),
        _: &'a CanaryWish,
        verification: &'a mut Verification,
        observer: Observer<'a>,
    ) -> Running<'a> {
        Box::pin(Shell::run(self, place, scope, verification, observer))
    }

    fn can_choose(&self) -> bool {
        self.select.is_some()
    }

    fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        self.selection(place, files)
    }

    fn isolation(&self) -> Isolation {
        Isolation::Coupled
    }

    fn recall(&mut self, recalled: &Recalled, place: &Place) {
        let of_ids = recalled.tests.iter().filter_map(|id| place.file_of_id(id)).map(|(file, _)| file);
        self.recall(of_ids.chain(recalled.files.iter().cloned()));
    }
}
