//! In which files tests stand that keep others from being run.

use tdd_core::finding::ClassedChange;
use tdd_core::mapping::Mapping;
use tdd_core::policy::FileClass;
use tdd_core::test::{FailureKind, LoadFailure, TestId};
use tdd_source::Language;

use crate::driver::measure::Work;
use crate::driver::measure::homes::Home;

/// Whether a file of tests that is no module of another one, and which no criterion has as a whole, waits for what is not
/// there yet.
pub(super) fn is_shared(load: &LoadFailure, work: &Work, mapping: &Mapping) -> bool {
    let is_changed = |change: &ClassedChange| change.path == load.file && change.class == FileClass::Test;
    Language::of(load.file.extension()).is_some()
        && load.failure.kind == FailureKind::Missing
        && work.changed.iter().any(is_changed)
        && !mapping.owned.values().any(|owned| owned.files.contains(&load.file))
}

/// Where a test stands that is called by its own file and by all modules that lead to it.
pub(super) fn with_fewer_modules(named: &TestId) -> Vec<Home> {
    let (file, mut rest) = named.0.split_once("::").unwrap_or((&named.0, ""));
    let mut found = Vec::new();
    while let Some((_, inner)) = rest.split_once("::") {
        found.push(Home { file: file.to_owned(), name: inner.to_owned() });
        rest = inner;
    }
    found
}
