//! Files of helpers that tests share and that wait for code themselves: whose tests take part in them, and what of what
//! they wait for is asked for by whom (contract section 6).

use std::collections::{BTreeMap, BTreeSet};

use crate::driver::cycle::Drive;
use tdd_core::attempt::CheckpointId;
use tdd_core::classify::absent_name;
use tdd_core::criterion::CriterionId;
use tdd_core::finding::{ChangeKind, CriterionRed, RedFindings};
use tdd_core::mapping::Mapping;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::{Tests, World};
use tdd_core::test::{Failure, FailureKind, TestId, TestReport};
use tdd_core::trouble::Trouble;
use tdd_proof::has_word;
use tdd_source::{Language, Part, Piece, Place, pieces};

use super::Work;
use super::helpers::{HelperBook, taken_from};
use super::later::blame;

/// New and changed files of tests, and what each of them may use of the others.
#[derive(Default)]
pub(super) struct Shared {
    files: BTreeMap<RelPath, File>,
    owned: BTreeMap<CriterionId, Vec<RelPath>>,
}

struct File {
    pieces: Vec<Piece>,
    words: BTreeSet<String>,
    /// Files of tests whose names it may use.
    takes: BTreeSet<RelPath>,
    /// What it takes by name from code that is not there.
    lacks: BTreeSet<String>,
    holds_tests: bool,
}

/// What the tests of some criteria come to, through helpers.
#[derive(Default)]
struct Reach {
    files: BTreeSet<RelPath>,
    words: BTreeSet<String>,
}

impl Shared {
    /// Whether these files wait for this one, which waits for the code alone, and nothing that it lacks is nobody's:
    /// each name stands in what a criterion's tests use of it, or in what runs with every test of its package.
    pub(super) fn is_waited_for(&self, file: &RelPath, report: &TestReport) -> bool {
        let Some(helper) = self.files.get(file).filter(|helper| !helper.holds_tests) else { return false };
        let failure = report.load_failure(file, &|_| true);
        let Some(failure) = failure.filter(|failure| failure.kind == FailureKind::Missing) else {
            return false;
        };
        let reach = self.reach(&self.owned.keys().cloned().collect::<Vec<_>>());
        let of_all = of_all(&helper.pieces);
        let is_used = reach.files.contains(file);
        let is_of_all = self.owned.values().flatten().any(|own| is_of_package(own, file));
        let mut names = failure.all_absent().map(|name| absent_name(name)).peekable();
        names.peek().is_some()
            && names
                .all(|name| (is_used && reach.words.contains(name)) || (is_of_all && of_all.contains(name)))
    }

    pub(super) fn holds_tests(&self, file: &RelPath) -> bool {
        self.files.get(file).is_some_and(|file| file.holds_tests)
    }

    /// All that the tests of these criteria use: their own words, and those of the pieces that they name.
    fn reach(&self, criteria: &[CriterionId]) -> Reach {
        let own = criteria.iter().filter_map(|id| self.owned.get(id)).flatten();
        let mut reach = Reach { files: own.cloned().collect(), words: BTreeSet::new() };
        reach.words.extend(self.all(&reach.files).flat_map(|file| file.words.iter().cloned()));
        let mut taken: BTreeSet<(&RelPath, usize)> = BTreeSet::new();
        loop {
            let seen: BTreeSet<RelPath> =
                self.all(&reach.files).flat_map(|file| file.takes.iter().cloned()).collect();
            let before = (taken.len(), reach.files.len());
            for (path, file) in seen.iter().filter_map(|path| self.files.get_key_value(path)) {
                for (at, piece) in file.pieces.iter().enumerate() {
                    if !piece.names.is_disjoint(&reach.words) && taken.insert((path, at)) {
                        reach.words.extend(piece.words.iter().cloned());
                        reach.files.insert(path.clone());
                    }
                }
            }
            if before == (taken.len(), reach.files.len()) {
                return reach;
            }
        }
    }

    fn all<'s>(&'s self, files: &'s BTreeSet<RelPath>) -> impl Iterator<Item = &'s File> {
        files.iter().filter_map(|path| self.files.get(path))
    }

    /// Files that are loaded with the tests of a criterion and are nobody's.
    fn loaded_with<'s>(&'s self, id: &CriterionId, reach: &Reach) -> Vec<(&'s RelPath, &'s File)> {
        let own = self.owned.get(id).map(Vec::as_slice).unwrap_or_default();
        let mut loaded: BTreeSet<&RelPath> = own.iter().collect();
        // An import loads a file whatever is used of it.
        loop {
            let is_go = |path: &&RelPath| Language::of(path.extension()) == Some(Language::Go);
            let named = loaded.iter().filter(|path| !is_go(path)).filter_map(|path| self.files.get(*path));
            let more: Vec<&RelPath> =
                named.flat_map(|file| &file.takes).filter(|path| !loaded.contains(path)).collect();
            if more.is_empty() {
                break;
            }
            loaded.extend(more);
        }
        let is_nobodys = |path: &RelPath| !self.owned.values().flatten().any(|own| own == path);
        let is_loaded = |path: &RelPath, file: &File| {
            let with_package =
                own.iter().any(|own| is_of_package(own, path)) && !of_all(&file.pieces).is_empty();
            loaded.contains(path) || reach.files.contains(path) || with_package
        };
        let files = self.files.iter().filter(|(path, file)| is_nobodys(path) && is_loaded(path, file));
        files.collect()
    }
}

/// Whether this file does not load, and not even where one name alone is missing: vitest, jest and `require` give
/// `undefined` for an export that is not there, so there only node's own modules count, and only where it says so.
fn stops_at_names(file: &RelPath, report: &TestReport) -> bool {
    let is_script = Language::of(file.extension()).is_some_and(Language::is_javascript);
    let mut loads = report.load_failures.iter().filter(|load| load.file == *file);
    loads.any(|load| !is_script || load.failure.absent.as_deref().is_some_and(|absent| absent.contains('#')))
}

/// Names of what runs with every test of a package.
fn of_all(pieces: &[Piece]) -> BTreeSet<&str> {
    let of_all = pieces.iter().filter(|piece| piece.part == Part::OfAll);
    of_all.flat_map(|piece| piece.words.iter().map(String::as_str)).collect()
}

/// Whether these two files of Go are built into the tests of one package.
fn is_of_package(own: &RelPath, other: &RelPath) -> bool {
    let is_go = |path: &RelPath| Language::of(path.extension()) == Some(Language::Go);
    is_go(own) && is_go(other) && own.folder() == other.folder()
}

impl<W: World> Drive<'_, W> {
    pub(super) fn read_shared(
        &mut self,
        work: &Work,
        mapping: &Mapping,
        book: &HelperBook,
    ) -> Result<Shared, Trouble> {
        let owned: BTreeMap<CriterionId, Vec<RelPath>> =
            mapping.owned.iter().map(|(id, own)| (id.clone(), own.files.clone())).collect();
        let mut sources = Vec::new();
        for change in &work.changed {
            let is_test = change.class == FileClass::Test && change.kind != ChangeKind::Deleted;
            let Some(language) = Language::of(change.path.extension()).filter(|_| is_test) else { continue };
            let source = self.source(&work.after, &change.path)?.unwrap_or_default();
            sources.push((change.path.clone(), language, source));
        }
        let paths: BTreeSet<RelPath> = sources.iter().map(|(path, ..)| path.clone()).collect();
        let before: Vec<RelPath> = book.files.paths().cloned().collect();
        let mut files = BTreeMap::new();
        for (path, language, source) in sources {
            let takes: BTreeSet<RelPath> = match language {
                Language::Go => paths
                    .iter()
                    .filter(|other| *other != &path && is_of_package(&path, other))
                    .cloned()
                    .collect(),
                Language::Rust
                | Language::Python
                | Language::JavaScript
                | Language::TypeScript
                | Language::Tsx => {
                    taken_from(&book.files, (&path, &source)).intersection(&paths).cloned().collect()
                }
            };
            let pieces = pieces(language, &source);
            let words = pieces.iter().flat_map(|piece| piece.words.iter().cloned()).collect();
            let is_nobodys = !owned.values().flatten().any(|own| own == &path);
            let lacks = if is_nobodys {
                self.lacks(work, (book, &before), (&path, language, &source))?
            } else {
                BTreeSet::new()
            };
            let holds_tests = !self.ports.tests.declared(&path, source.as_bytes()).is_empty();
            files.insert(path, File { pieces, words, takes, lacks, holds_tests });
        }
        Ok(Shared { files, owned })
    }

    /// What a file takes by name from the project's code and was not there before. Go imports no names: there the
    /// compiler says.
    fn lacks(
        &mut self,
        work: &Work,
        (book, files): (&HelperBook, &[RelPath]),
        (path, language, source): (&RelPath, Language, &str),
    ) -> Result<BTreeSet<String>, Trouble> {
        let mut lacks = BTreeSet::new();
        for name in tdd_source::asked_at_load(language, source) {
            let from = match language {
                Language::JavaScript | Language::TypeScript | Language::Tsx => {
                    name.split('#').next().unwrap_or(&name).to_owned()
                }
                Language::Python => match name.rsplit_once('.') {
                    Some((module, last)) => format!("{module}:{last}"),
                    None => name.clone(),
                },
                Language::Rust | Language::Go => name.clone(),
            };
            let is_code = match book.files.place(language, path, &from) {
                Place::Absent => true,
                Place::Files(files) => !files.iter().any(|file| self.takes_part(file)),
                Place::Own | Place::Library => false,
            };
            if is_code && !self.existed(&work.base, files, (path, &name))? {
                lacks.insert(absent_name(&name).to_owned());
            }
        }
        Ok(lacks)
    }

    /// A helper that loads only when a later criterion's code is there keeps an earlier one's implementer from green:
    /// said of the test-writer at once.
    pub(super) fn refuse_what_waits_for_later(
        &self,
        shared: &Shared,
        report: &TestReport,
        findings: &mut RedFindings,
    ) {
        let order: Vec<CriterionId> =
            findings.criteria.iter().map(|criterion| criterion.id.clone()).collect();
        for (at, id) in order.iter().enumerate() {
            let (so_far, later) = order.split_at(at + 1);
            let (reach, own) = (shared.reach(so_far), shared.reach(std::slice::from_ref(id)));
            let says = |name: &str| {
                let criteria = self.state.run.requirement.criteria.iter();
                let mut texts = criteria.filter(|criterion| so_far.contains(&criterion.id));
                reach.words.contains(name) || texts.any(|criterion| has_word(&criterion.text, name))
            };
            let asks = |name: &str| {
                later.iter().find(|id| shared.reach(std::slice::from_ref(*id)).words.contains(name))
            };
            let files = shared.owned.get(id).cloned().unwrap_or_default();
            for (helper, file) in shared.loaded_with(id, &own) {
                let kept_back: Vec<&RelPath> = files
                    .iter()
                    .filter(|own| is_of_package(own, helper) || stops_at_names(own, report))
                    .collect();
                let told = report.load_failure(helper, &|_| true);
                let told = told.filter(|failure| failure.kind == FailureKind::Missing);
                let told: Vec<&str> =
                    told.iter().flat_map(|it| it.all_absent()).map(|it| absent_name(it)).collect();
                let mut lacks = told.into_iter().chain(file.lacks.iter().map(String::as_str));
                let waits = lacks.find_map(|name| Some((name, asks(name).filter(|_| !says(name))?)));
                let Some((name, other)) = waits.filter(|_| !kept_back.is_empty()) else { continue };
                let words = format!(
                    "needs {helper}, which does not load before `{name}` is written, and of these criteria {other} is \
                     the first whose tests ask for that, so nobody could turn it green in time: put what {other} alone \
                     needs into a file of its own"
                );
                for own in kept_back {
                    blame(findings, (id, own), &words);
                }
                break;
            }
        }
    }

    /// Files of the package of these tests that run with every one of them and are not built: what ran without them
    /// says nothing.
    pub(super) fn unbuilt_with_all(
        &mut self,
        report: &TestReport,
        red: &CriterionRed,
        tree: &CheckpointId,
    ) -> Result<Vec<TestId>, Trouble> {
        let mapping = self.mapping();
        let is_owned = |file: &RelPath| mapping.owned.values().any(|own| own.files.contains(file));
        let is_known = |file: &RelPath| {
            let before = self.state.baseline.as_ref().map(|baseline| &baseline.test);
            before.is_some_and(|before| before.not_green().iter().any(|id| id.0 == file.as_str()))
        };
        let suspects: Vec<(RelPath, Failure)> = report
            .load_failures
            .iter()
            .filter(|load| red.files.iter().any(|own| is_of_package(own, &load.file)))
            .filter(|load| !is_owned(&load.file) && !is_known(&load.file))
            .map(|load| (load.file.clone(), load.failure.clone()))
            .collect();
        let mut found = Vec::new();
        for (file, failure) in suspects {
            let source = self.source(tree, &file)?.unwrap_or_default();
            let pieces = pieces(Language::Go, &source);
            let of_all = of_all(&pieces);
            let absent: Vec<&str> = failure.all_absent().map(|name| absent_name(name)).collect();
            let is_it =
                !of_all.is_empty() && (absent.is_empty() || absent.iter().any(|name| of_all.contains(name)));
            if is_it {
                found.push(TestId(file.to_string()));
            }
        }
        Ok(found)
    }
}
