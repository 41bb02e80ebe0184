//! Units of tests in the sources that others share: the test-writer adds them and nothing else
//! there; the others may move them, but not change them (contract section 7).

use crate::driver::cycle::Drive;
use crate::driver::work_diff::{MOST_REMARKS, Production};
use tdd_core::attempt::CheckpointId;
use tdd_core::finding::{ClassedChange, Notice, TestAwareKind};
use tdd_core::mapping;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::{Checkpoints, World};
use tdd_core::role::Key;
use tdd_core::state::Phase;
use tdd_core::test::TestId;
use tdd_core::trouble::Trouble;
use tdd_source::Language;

use super::Work;

/// Words of a criterion that is about tests. One that says it in other words is told of by the halt, and can
/// be worded so.
const ABOUT_TESTS: [&str; 9] =
    ["test", "tests", "testing", "pytest", "unittest", "vitest", "jest", "nextest", "mocha"];

impl<W: World> Drive<'_, W> {
    /// A file of a snapshot as text; what is not UTF-8 in it is replaced.
    pub(super) fn source(&mut self, at: &CheckpointId, path: &RelPath) -> Result<Option<String>, Trouble> {
        self.diff().source(at, path)
    }

    /// What the changed sources say of an attempt. `known` are the differences of `after` from this
    /// base, which mostly is the base asked for.
    pub(super) fn read_production(
        &mut self,
        key: &Key,
        after: &CheckpointId,
        known: (&CheckpointId, &[ClassedChange]),
    ) -> Result<Production, Trouble> {
        match key {
            Key::TestWriter => return Ok(Production::default()),
            Key::Implementer(_) | Key::Refactorer => {}
        }
        // Compared with the tree before the first attempt: a retry goes on with the child's work,
        // so the tree right before it may hold the weakened test already.
        let first = self.state.ledgers.get(key).and_then(|ledger| ledger.entries.first());
        let Some(base) = first.map(|entry| entry.attempt.before.clone()) else {
            return Ok(Production::default());
        };
        let changed = if base == *known.0 { known.1.to_vec() } else { self.differences(&base, after)? };
        let mut production = self.diff().production((&base, after), &changed)?;
        if self.is_about_tests() {
            production.test_aware.retain(|it| it.kind != TestAwareKind::Asks);
        }
        let examples = self.changed_examples((&base, after), &changed)?;
        production.notices.extend(examples.into_iter().map(Notice::ChangedExample));
        production.notices.truncate(MOST_REMARKS);
        Ok(production)
    }

    /// Known tests that are examples in sources of Python or in pages, where these are not what they were. What they say is
    /// documentation too, so whoever changes what the code does has to change them.
    fn changed_examples(
        &mut self,
        (base, after): (&CheckpointId, &CheckpointId),
        changed: &[ClassedChange],
    ) -> Result<Vec<TestId>, Trouble> {
        let mut found = Vec::new();
        let changed = || changed.iter().filter(|change| change.class == FileClass::Source);
        let language = |change: &ClassedChange| Language::of(change.path.extension());
        let mut sources = Vec::new();
        for change in changed().filter(|change| language(change) == Some(Language::Python)) {
            let before = self.source(base, &change.path)?.unwrap_or_default();
            sources.push((before, self.source(after, &change.path)?.unwrap_or_default()));
        }
        let mut examples = tdd_source::changed_examples(Language::Python, &sources).into_iter();
        for change in changed() {
            let path = mapping::in_project(&change.path, &self.state.run.project).to_owned();
            let names = match language(change) {
                Some(Language::Python) => examples.next().unwrap_or_default(),
                // A page is run as a whole.
                None => vec![change.path.file_name().to_owned()],
                Some(_) => continue,
            };
            let is_one = |id: &TestId| {
                let called = id.0.strip_prefix(&path).and_then(|rest| rest.strip_prefix("::"));
                called.is_some_and(|called| names.iter().any(|name| is_called(called, name, &change.path)))
            };
            found.extend(self.known_tests().into_iter().filter(|id| is_one(id)).cloned());
        }
        Ok(found)
    }

    /// Whether a criterion speaks of tests or of a runner, so that code has to do with them.
    fn is_about_tests(&self) -> bool {
        let is_word = |word: &str| {
            let word = word.to_lowercase();
            ABOUT_TESTS.iter().any(|about| word == *about || (about.len() > 4 && word.contains(about)))
        };
        let texts = self.state.run.requirement.criteria.iter().map(|criterion| criterion.text.as_str());
        texts.flat_map(|text| text.split(|char: char| !char.is_alphanumeric())).any(is_word)
    }

    /// Files that the role names and no snapshot holds. A claim only makes more to look at here.
    pub(super) fn unseen(&mut self, work: &Work) -> Result<Vec<Notice>, Trouble> {
        let Phase::Returned { outcome, .. } = &self.state.phase else { return Ok(Vec::new()) };
        let mut named = outcome.claim.as_ref().map(|claim| claim.files.clone()).unwrap_or_default();
        named.retain(|path| {
            let is_left = self.policy.classify(path) == FileClass::ByProduct;
            !is_left
                && !work.changed.iter().any(|change| change.path.is_meant_by(path, &self.state.run.project))
        });
        if named.is_empty() {
            return Ok(Vec::new());
        }
        let held = self.ports.checkpoints.files(&work.after)?;
        let project = &self.state.run.project;
        let is_held = |path: &RelPath| held.iter().any(|file| file.is_meant_by(path, project));
        named.retain(|path| !is_held(path));
        Ok(named.into_iter().take(MOST_REMARKS).map(Notice::Unseen).collect())
    }
}

/// Whether a runner calls an example so that stands in what has this name in a file: `pkg.shop.Cart.total`, or the name of
/// a page.
fn is_called(called: &str, name: &str, path: &RelPath) -> bool {
    let module = match name {
        "" => Some(called),
        name if name == called => return true,
        name => called.strip_suffix(name).and_then(|rest| rest.strip_suffix('.')),
    };
    let stem = path.stem();
    module.is_some_and(|module| stem == "__init__" || module.rsplit('.').next() == Some(stem))
}
