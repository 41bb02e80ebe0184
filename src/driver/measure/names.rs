//! Public names after REFACTOR: what others could use before the run, they can use still (contract section 7).

use std::collections::{BTreeMap, BTreeSet};

use crate::driver::cycle::Drive;
use crate::driver::work_diff::{MOST_REMARKS, borrowed};
use tdd_core::attempt::CheckpointId;
use tdd_core::finding::{LostName, NameLoss, Notice};
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::World;
use tdd_core::role::Key;
use tdd_core::trouble::Trouble;
use tdd_source::{Language, Loss};
use tdd_spec::mixed_file;

/// The sources of one language that the run changed: before it, before REFACTOR, and now.
#[derive(Default)]
struct Versions {
    zero: Vec<(String, String)>,
    base: Vec<(String, String)>,
    after: Vec<(String, String)>,
}

/// A name in words of a report: never longer than this.
const LONGEST_NAME: usize = 120;

impl<W: World> Drive<'_, W> {
    /// Names from before the run that the refactorer took away or changed; and, to be told, what else it took
    /// away, and new names of its own that no test speaks of. What tests of this run use and can't any more is
    /// red by itself.
    pub(super) fn public_names(
        &mut self,
        after: &CheckpointId,
    ) -> Result<(Vec<LostName>, Vec<Notice>), Trouble> {
        let first = self.state.ledgers.get(&Key::Refactorer).and_then(|ledger| ledger.entries.first());
        let (Some(zero), Some(first)) = (self.state.facts.zero.clone(), first) else {
            return Ok((Vec::new(), Vec::new()));
        };
        let base = first.attempt.before.clone();
        if self.differences(&base, after)?.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let languages = self.versions((&zero, &base, after))?;
        let tests = self.texts_of_tests(after)?;
        let tests: Vec<&str> = tests.iter().map(String::as_str).collect();
        let (mut lost, mut notices) = (Vec::new(), Vec::new());
        for (language, versions) in &languages {
            let (of_language, told) = versions.names(*language, &tests);
            lost.extend(of_language);
            notices.extend(told);
        }
        lost.extend(self.lost_offers((&zero, &base, after))?);
        notices.truncate(MOST_REMARKS);
        Ok((lost, notices))
    }

    /// What manifests offered before the run and still did before REFACTOR.
    fn lost_offers(
        &mut self,
        (zero, base, after): (&CheckpointId, &CheckpointId, &CheckpointId),
    ) -> Result<Vec<LostName>, Trouble> {
        let mut lost = Vec::new();
        let changed = self.differences(base, after)?.into_iter().map(|it| it.path);
        for path in changed.filter(|path| mixed_file::is_mixed(path.file_name())) {
            let mut offered = |at| -> Result<_, Trouble> {
                let text = self.source(at, &path)?;
                Ok(text.map(|text| tdd_source::offered(path.file_name(), &text)))
            };
            let (Some(Some(was)), Some(Some(then))) = (offered(zero)?, offered(base)?) else { continue };
            let now = match offered(after)? {
                Some(Some(now)) => now,
                // A manifest that can't be read fails what reads it.
                Some(None) => continue,
                None => BTreeSet::new(),
            };
            let gone = was.intersection(&then).filter(|name| !now.contains(*name));
            lost.extend(gone.map(|name| LostName {
                path: path.clone(),
                name: cut(name),
                loss: NameLoss::Gone,
            }));
        }
        Ok(lost)
    }

    fn versions(
        &mut self,
        (zero, base, after): (&CheckpointId, &CheckpointId, &CheckpointId),
    ) -> Result<BTreeMap<Language, Versions>, Trouble> {
        let mut paths: BTreeSet<RelPath> = BTreeSet::new();
        for from in [zero, base] {
            let changed = self.differences(from, after)?.into_iter();
            paths.extend(changed.filter(|it| it.class == FileClass::Source).map(|it| it.path));
        }
        let mut languages: BTreeMap<Language, Versions> = BTreeMap::new();
        for path in paths {
            let Some(language) = Language::of(path.extension()) else { continue };
            let versions = languages.entry(language).or_default();
            for (at, texts) in
                [(zero, &mut versions.zero), (base, &mut versions.base), (after, &mut versions.after)]
            {
                texts.extend(self.source(at, &path)?.map(|text| (path.to_string(), text)));
            }
        }
        Ok(languages)
    }

    /// The files of this run's tests.
    fn texts_of_tests(&mut self, at: &CheckpointId) -> Result<Vec<String>, Trouble> {
        let mapping = self.mapping();
        let files = mapping.owned.values().flat_map(|owned| {
            owned.files.iter().cloned().chain(owned.ids.iter().filter_map(|id| RelPath::new(id.file())))
        });
        let files: BTreeSet<RelPath> = files.collect();
        let mut texts = Vec::new();
        for file in files {
            texts.extend(self.source(at, &file)?);
        }
        Ok(texts)
    }
}

impl Versions {
    fn names(&self, language: Language, tests: &[&str]) -> (Vec<LostName>, Vec<Notice>) {
        let (zero, base, after) = (borrowed(&self.zero), borrowed(&self.base), borrowed(&self.after));
        let before = tdd_source::lost_names(language, &zero, &base);
        let was_lost: BTreeSet<_> = before.iter().map(|lost| (&lost.name, lost.loss)).collect();
        let now = tdd_source::lost_names(language, &zero, &after);
        let by_refactorer = now.iter().filter(|lost| !was_lost.contains(&(&lost.name, lost.loss)));
        let lost: Vec<LostName> = by_refactorer.filter_map(told).collect();
        // Only what the refactorer has changed tells of its own work.
        let (from, to) = (unlike(&base, &after), unlike(&after, &base));
        let gone = tdd_source::lost_names(language, &from, &to).into_iter().filter(|gone| {
            let is_blamed = lost.iter().any(|lost| lost.name == gone.name);
            gone.loss == Loss::Gone && !gone.name.contains('.') && !is_blamed
        });
        let gone = gone.filter_map(|gone| {
            Some(Notice::RemovedName { path: RelPath::new(&gone.path)?, name: gone.name })
        });
        let new = tdd_source::new_names(language, (&base, &after), tests).into_iter();
        let new = new.filter_map(|(path, name)| {
            Some(Notice::NewName { path: RelPath::new(&path)?, name: cut(&name) })
        });
        let notices = gone.chain(new).collect();
        (lost, notices)
    }
}

fn told(of: &tdd_source::LostName) -> Option<LostName> {
    let loss = match of.loss {
        Loss::Gone => NameLoss::Gone,
        Loss::Hidden => NameLoss::Hidden,
        Loss::Changed => NameLoss::Changed,
    };
    Some(LostName { path: RelPath::new(&of.path)?, name: cut(&of.name), loss })
}

fn cut(name: &str) -> String {
    name.chars().take(LONGEST_NAME).collect()
}

/// Files that are not among the others as they are.
fn unlike<'f>(files: &[(&'f str, &'f str)], others: &[(&'f str, &'f str)]) -> Vec<(&'f str, &'f str)> {
    let others: BTreeSet<_> = others.iter().collect();
    files.iter().filter(|file| !others.contains(file)).copied().collect()
}
