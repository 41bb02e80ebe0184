//! The sources of tests, read once from checkpoints, for what reports do not tell.

use std::collections::{BTreeMap, BTreeSet};

use crate::driver::cycle::Drive;
use tdd_core::classify::{Ask, Body, Conditional, Expectation};
use tdd_core::finding::{ChangeKind, CriterionRed, VacuousAssertion};
use tdd_core::held_out;
use tdd_core::mapping::{self, Mapping};
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::{Checkpoints, Tests, World};
use tdd_core::test::TestId;
use tdd_core::trouble::Trouble;
use tdd_source::{BodyFacts, Language, Piece, TestFile, Unread};

use super::Work;
use super::cases::table_of;
use super::homes::{Home, homes};
use super::shared::Shared;
use super::views::View;

/// One test file that the test-writer wrote or changed.
struct Source {
    declared: Vec<TestId>,
    /// Those of them that the runner would never run, and why.
    never_run: BTreeMap<TestId, &'static str>,
    /// What its grammar says of it; `None` if there is no grammar for it.
    read: Option<Result<TestFile, Unread>>,
}

/// Which of the tests whose ids name a file stand in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    AllOfIts,
    Some,
}

/// How a file is known to hold a test.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LedTo {
    ById,
    /// A module may be led to its file by its name there (`#[path]`), which no id tells.
    ByPath,
}

/// An existing test file that differs from what it was, or a source with tests in it.
pub(super) struct Rewritten {
    /// As ids spell it.
    pub(super) path: String,
    pub(super) file: RelPath,
    pub(super) language: Option<Language>,
    pub(super) holds: Holds,
    pub(super) before: String,
    /// `None` if it is gone.
    pub(super) after: Option<String>,
}

/// What can be known of tests without running them.
#[derive(Default)]
pub(super) struct SourceBook {
    sources: BTreeMap<RelPath, Source>,
    pub(super) rewritten: Vec<Rewritten>,
    /// For each file, what its tests miss though it stood in the project before them.
    pub(super) existing: BTreeMap<RelPath, BTreeSet<String>>,
    /// For each file, what it imports beside what is said to be absent, and is not there either.
    pub(super) absent_too: BTreeMap<RelPath, BTreeSet<String>>,
    /// For each file that does not load, a module that it imports and nobody has.
    pub(super) nowhere: BTreeMap<RelPath, (String, u32)>,
    /// What stands in each new or changed test file that is no criterion's: what a test looks at
    /// through one of these is not in its own file.
    helpers: Vec<Piece>,
    pub(super) shared: Shared,
    /// The test-writer left recorded snapshots, so an expectation may live in one.
    records_snapshots: bool,
}

impl SourceBook {
    pub(super) fn declared(&self, file: &RelPath) -> Vec<TestId> {
        self.sources.get(file).map(|source| source.declared.clone()).unwrap_or_default()
    }

    /// Whether a file that waits for a criterion still has this test, or the one whose row it is.
    pub(super) fn still_declares(&self, mapping: &Mapping, id: &TestId) -> bool {
        let is_it = |declared: &TestId| {
            let rest = id.0.strip_prefix(&declared.0);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '/', ' ', ':']))
        };
        mapping.held_back().into_iter().any(|file| self.declared(file).iter().any(is_it))
    }

    /// Tests in such files that are a criterion's and were not there before.
    pub(super) fn new_in(&self, mapping: &Mapping, known: &[TestId]) -> Vec<TestId> {
        let declared = mapping.held_back().into_iter().flat_map(|file| self.declared(file));
        let is_owned = |id: &TestId| mapping.owned.values().any(|owned| owned.ids.contains(id));
        declared.filter(|id| is_owned(id) && !known.contains(id)).collect()
    }

    pub(super) fn body(&self, file: &RelPath, id: &TestId) -> Body {
        let source = self.sources.get(file);
        let Some(read) = source.and_then(|source| source.read.as_ref()) else {
            return Body::default();
        };
        let never_run = source.and_then(|source| source.never_run.get(id)).copied();
        let existing = self.existing.get(file).cloned().unwrap_or_default();
        // What a grammar can't follow is no evidence of an expectation.
        let Ok(read) = read else {
            return Body { expectation: Expectation::Absent, existing, ..Body::default() };
        };
        let found = facts_of(read, id);
        // A name that only a run knows: the file is judged, and what is absent may be given to its tests
        // in any way.
        let by_file = found.is_none();
        let facts = found.unwrap_or_else(|| read.whole());
        let says = !facts.asks.is_empty() || facts.expectation == tdd_source::Expectation::Yes;
        let asks =
            facts.asks.iter().map(|ask| Ask { of: ask.of.clone(), given: self.through_helpers(&ask.given) });
        // In a file from before the run it may have been recorded long ago.
        let is_new = !self.rewritten.iter().any(|old| old.file == *file);
        let is_unrecorded = is_new && !by_file && facts.on_record && !self.records_snapshots;
        Body {
            expectation: match facts.expectation {
                tdd_source::Expectation::Yes if is_unrecorded => Expectation::Unrecorded,
                tdd_source::Expectation::Yes => Expectation::Held,
                tdd_source::Expectation::No => Expectation::Absent,
                tdd_source::Expectation::Snapshot if self.records_snapshots => Expectation::Held,
                tdd_source::Expectation::Snapshot => Expectation::Unrecorded,
                tdd_source::Expectation::Unknown => Expectation::Unknown,
            },
            looks_at: (!(by_file && says)).then(|| self.through_helpers(&facts.looks_at)),
            asks: asks.collect(),
            conditional: if facts.unconditional {
                Conditional::Unconditional
            } else {
                Conditional::Conditional
            },
            existing,
            never_run,
            absent_too: self.absent_too.get(file).cloned().unwrap_or_default(),
            nowhere: self.nowhere.get(file).cloned(),
            undefined: if by_file { None } else { facts.undefined.clone() },
            line: if by_file { 0 } else { facts.line },
            may_skip: facts.may_skip,
            mark: facts.skipped.as_deref().map(tdd_source::mark).unwrap_or_default(),
        }
    }

    /// Assertions of the criteria's tests that no code can fail.
    pub(super) fn vacuous(&self, criteria: &[CriterionRed]) -> Vec<VacuousAssertion> {
        let mut found = Vec::new();
        for criterion in criteria {
            for test in &criterion.tests {
                let read = criterion
                    .files
                    .iter()
                    .find(|file| test.id.is_in(file))
                    .and_then(|file| self.sources.get(file));
                let Some(Ok(read)) = read.and_then(|source| source.read.as_ref()) else { continue };
                let facts = facts_of(read, &test.id);
                let vacuous = facts.map(|facts| facts.vacuous.as_slice()).unwrap_or_default();
                found.extend(
                    vacuous.iter().map(|what| VacuousAssertion { test: test.id.clone(), what: what.clone() }),
                );
            }
        }
        found
    }

    /// Calls that may be what a test of a criterion expects, and can't be read: where it holds no
    /// expectation of its own.
    pub(super) fn unseen(&self, criteria: &[CriterionRed]) -> Vec<(TestId, String)> {
        let mut found = Vec::new();
        for test in criteria.iter().flat_map(|criterion| &criterion.tests) {
            let read = self
                .sources
                .iter()
                .find(|(path, _)| test.id.is_in(path))
                .and_then(|(_, source)| source.read.as_ref());
            let Some(Ok(read)) = read else { continue };
            let facts = facts_of(read, &test.id).unwrap_or_else(|| read.whole());
            let ask = facts.asks.first().filter(|_| facts.expectation == tdd_source::Expectation::Unknown);
            found.extend(ask.map(|ask| (test.id.clone(), ask.what.clone())));
        }
        found
    }

    /// Files that their grammar can't read, and why.
    pub(super) fn unread(&self) -> impl Iterator<Item = (&RelPath, Unread)> {
        let why = |source: &Source| source.read.as_ref().and_then(|read| read.as_ref().err().copied());
        self.sources.iter().filter_map(move |(file, source)| Some((file, why(source)?)))
    }

    /// Assertions that existing test files held and hold no more, each with its file.
    pub(super) fn lost_assertions(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for file in &self.rewritten {
            let Some(language) = file.language else { continue };
            let after = file.after.as_deref().unwrap_or_default();
            let lost = tdd_source::lost_assertions(language, &file.before, after);
            found.extend(lost.into_iter().map(|assertion| (file.path.clone(), assertion)));
        }
        found
    }

    /// What is looked at, and all that the helpers name which are among it, or which these use.
    fn through_helpers(&self, names: &BTreeSet<String>) -> BTreeSet<String> {
        let (near, mut far): (Vec<&Piece>, Vec<&Piece>) =
            self.helpers.iter().partition(|helper| !helper.words.is_disjoint(names));
        let mut found: BTreeSet<String> =
            near.iter().flat_map(|helper| &helper.words).chain(names).cloned().collect();
        loop {
            let (used, rest): (Vec<&Piece>, Vec<&Piece>) =
                far.into_iter().partition(|helper| !helper.names.is_disjoint(&found));
            if used.is_empty() {
                return found;
            }
            found.extend(used.iter().flat_map(|helper| &helper.words).cloned());
            far = rest;
        }
    }

    /// Known tests that are not what they were: gone, another body, or anything changed or removed
    /// outside the bodies (a fixture or helper that they may use). Where bodies can't be told
    /// apart, every known test of a file that changed counts as changed. A row that is new in a table makes no test of
    /// another row a different one, nor do rows that are gone, if as many rows of the file are `answered` for.
    pub(super) fn changed_tests(
        &self,
        known: &[TestId],
        answered: &BTreeMap<String, Vec<TestId>>,
    ) -> Vec<TestId> {
        let mut changed = BTreeSet::new();
        for file in &self.rewritten {
            let mut views = None;
            let led_to = file.led_to(known);
            let at_home = known.iter().filter_map(|id| Some((id, file.home(id, led_to)?)));
            let at_home: Vec<(&TestId, Home)> = at_home.collect();
            let told: BTreeSet<&str> = at_home.iter().map(|(_, home)| home.name.as_str()).collect();
            let is_told = |name: &str| told.contains(name);
            for (id, home) in &at_home {
                let answered = || answered.get(&file.path).map(Vec::as_slice).unwrap_or_default();
                let views = views.get_or_insert_with(|| file.views(answered()));
                // In a source that others share, and in a module's own file, stand those alone that it declares.
                let is_there = file.holds == Holds::AllOfIts && id.file() == file.path
                    || views.iter().any(|view| view.declares(&home.name));
                if (is_there || views.is_empty())
                    && views.iter().all(|view| view.is_changed(&home.name, &is_told))
                {
                    changed.insert((*id).clone());
                }
            }
        }
        changed.into_iter().collect()
    }
}

impl Rewritten {
    pub(super) fn led_to(&self, known: &[TestId]) -> LedTo {
        let names_it = |id: &TestId| homes(id).iter().any(|home| home.file == self.path);
        if self.is_rust() && !known.iter().any(names_it) { LedTo::ByPath } else { LedTo::ById }
    }

    /// Where a test stands, if that may be this file.
    pub(super) fn home(&self, id: &TestId, led_to: LedTo) -> Option<Home> {
        homes(id).into_iter().rfind(|home| home.file == self.path || led_to == LedTo::ByPath)
    }

    fn is_rust(&self) -> bool {
        self.language == Some(Language::Rust)
    }

    /// The ways to look at it: as it is, and without the rows that not both versions have. Where there is none, all changed.
    fn views(&self, answered: &[TestId]) -> Vec<View> {
        let (Some(language), Some(after)) = (self.language, &self.after) else { return Vec::new() };
        let view = |before: &str, after: &str| View {
            before: tdd_source::outline_beside(language, before, after),
            after: tdd_source::outline(language, after),
        };
        let whole = view(&self.before, after);
        // A test that its source tells by its name is no row of a table.
        let is_row = |id: &&TestId| table_of(id).is_some() || whole.before.body(name_of(&id.0)).is_none();
        let answered = answered.iter().filter(is_row).count();
        let rows =
            tdd_source::common_rows(language, &self.before, after).filter(|rows| rows.gone <= answered);
        let of_rows = rows.map(|rows| view(&rows.before, &rows.after));
        std::iter::once(whole).chain(of_rows).collect()
    }
}

fn name_of(id: &str) -> &str {
    id.split_once("::").map_or(id, |(_, name)| name)
}

/// What a source says of a test; namesakes are called alike there, and a module's own file does not name the module.
fn facts_of<'a>(read: &'a TestFile, id: &TestId) -> Option<&'a BodyFacts> {
    let by_name = read.body(name_of(&id.0)).or_else(|| read.body(name_of(id.shared())));
    by_name.or_else(|| homes(id).iter().skip(1).find_map(|home| read.body(&home.name)))
}

impl<W: World> Drive<'_, W> {
    /// Sources with tests that do not compile are read like files of tests.
    pub(super) fn read_uncompiled(
        &mut self,
        mapping: &Mapping,
        work: &Work,
        book: &mut SourceBook,
    ) -> Result<(), Trouble> {
        let mut helpers = self.helper_book(&work.after)?;
        for test in mapping.owned.values().flat_map(|owned| &owned.uncompiled) {
            if let Some(source) = self.source(&work.after, &test.file)? {
                let around = self.around_test(&mut helpers, (&test.file, &source))?;
                let language = Language::of(test.file.extension()).unwrap_or(Language::Rust);
                let read = Some(TestFile::read_with(language, &source, &around));
                let source = Source { declared: Vec::new(), never_run: BTreeMap::new(), read };
                book.sources.entry(test.file.clone()).or_insert(source);
            }
        }
        Ok(())
    }

    pub(super) fn read_sources(&mut self, work: &Work, mapping: &Mapping) -> Result<SourceBook, Trouble> {
        let mut book = SourceBook::default();
        let mut helpers = self.helper_book(&work.after)?;
        for file in mapping.owned.values().flat_map(|owned| owned.files.iter().chain(&owned.held_back)) {
            if let Some(after) = self.ports.checkpoints.read(&work.after, file)? {
                let declared = self.ports.tests.declared(file, &after);
                let source = String::from_utf8_lossy(&after);
                let why = |id: &TestId| Some((id.clone(), self.ports.tests.never_runs(id, &source)?));
                let never_run = declared.iter().filter_map(why).collect();
                let around = self.around_test(&mut helpers, (file, &source))?;
                let language = Language::of(file.extension());
                let read = language.map(|language| TestFile::read_with(language, &source, &around));
                book.sources.insert(file.clone(), Source { declared, never_run, read });
            }
        }
        book.shared = self.read_shared(work, mapping, &helpers)?;
        let owned = mapping.owned.values().flat_map(|owned| owned.files.iter().chain(&owned.held_back));
        let owned: BTreeSet<&RelPath> = owned.collect();
        for change in work.changed.iter().filter(|c| c.class == FileClass::Test && !owned.contains(&c.path)) {
            if let Some(language) = Language::of(change.path.extension())
                && let Some(after) = self.source(&work.after, &change.path)?
            {
                book.helpers.extend(helpers_of(language, &after));
            }
        }
        book.records_snapshots = work.changed.iter().any(|change| held_out::is_snapshot(&change.path));
        let existing = |kind| kind != ChangeKind::Added;
        for change in work.changed.iter().filter(|change| existing(change.kind)) {
            let holds = match change.class {
                FileClass::Test => Holds::AllOfIts,
                FileClass::Source if may_hold_tests(&change.path) => Holds::Some,
                FileClass::Source
                | FileClass::ByProduct
                | FileClass::Gate
                | FileClass::Lock
                | FileClass::Mixed => continue,
            };
            if let Some(before) = self.source(&work.base, &change.path)? {
                let after = self.source(&work.after, &change.path)?;
                book.rewritten.push(Rewritten {
                    path: mapping::in_project(&change.path, &self.state.run.project).to_owned(),
                    file: change.path.clone(),
                    language: Language::of(change.path.extension()),
                    holds,
                    before,
                    after,
                });
            }
        }
        Ok(book)
    }
}

/// In Go all that a file needs is named, so each of its declarations is used by itself; and the name of the package
/// stands in every test of another one. Elsewhere the whole file may be what a name leads to.
fn helpers_of(language: Language, text: &str) -> Vec<Piece> {
    let named: Vec<Piece> = match language {
        Language::Go => tdd_source::pieces(language, text),
        Language::Rust | Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx => {
            Vec::new()
        }
    };
    if named.is_empty() { vec![Piece { words: words(text), ..Piece::default() }] } else { named }
}

/// Whether tests may stand among the code of such a source.
fn may_hold_tests(source: &RelPath) -> bool {
    Language::of(source.extension()).is_some_and(|it| it == Language::Rust || it.is_javascript())
}

/// All names and numbers that a text says.
pub(super) fn words(text: &str) -> BTreeSet<String> {
    let parts = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
