//! Units of tests in the sources that others share: the test-writer adds them and nothing else
//! there; the others may move them, but not change them (contract section 7).

use std::collections::{BTreeMap, BTreeSet};

use crate::core::attempt::CheckpointId;
use crate::core::finding::{ChangeKind, ClassedChange};
use crate::core::path::RelPath;
use crate::core::policy::FileClass;
use crate::core::role::Key;
use crate::core::trouble::Trouble;
use crate::driver::drive::Drive;
use crate::driver::ports::{Checkpoints, World};
use crate::text::test_source::{self, Additions, Language};

/// The changed sources of one language, as they were and as they are.
#[derive(Default)]
struct Sources {
    before: Vec<(String, String)>,
    after: Vec<(String, String)>,
}

impl<W: World> Drive<'_, W> {
    /// Whether a source differs by units alone. One that its grammar can't read may hold anything.
    pub(super) fn adds_only_units(
        &mut self,
        base: &CheckpointId,
        after: &CheckpointId,
        change: &ClassedChange,
    ) -> Result<bool, Trouble> {
        let language = Language::of(change.path.extension());
        let (Some(language), ChangeKind::Added | ChangeKind::Modified) = (language, change.kind) else {
            return Ok(false);
        };
        let old = self.source(base, &change.path)?.unwrap_or_default();
        let Some(new) = self.source(after, &change.path)? else { return Ok(false) };
        let holds = test_source::has_units(language, &new);
        let added = test_source::additions(language, &old, &new);
        Ok(holds == Ok(true) && added == Ok(Additions::OnlyUnits))
    }

    /// A file of a snapshot as text; what is not UTF-8 in it is replaced.
    pub(super) fn source(&mut self, at: &CheckpointId, path: &RelPath) -> Result<Option<String>, Trouble> {
        let bytes = self.ports.checkpoints.read(at, path)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Sources in which a unit was changed or removed, or one was added that only the test-writer
    /// may write.
    /// `known` are the differences of `after` from this base, which mostly is the base asked for.
    pub(super) fn weakened(
        &mut self,
        key: &Key,
        after: &CheckpointId,
        known: (&CheckpointId, &[ClassedChange]),
    ) -> Result<BTreeSet<RelPath>, Trouble> {
        match key {
            Key::TestWriter => return Ok(BTreeSet::new()),
            Key::Implementer(_) | Key::Refactorer => {}
        }
        // Compared with the tree before the first attempt: a retry goes on with the child's work,
        // so the tree right before it may hold the weakened test already.
        let first = self.state.ledgers.get(key).and_then(|ledger| ledger.entries.first());
        let Some(base) = first.map(|entry| entry.attempt.before.clone()) else { return Ok(BTreeSet::new()) };
        let changed = if base == *known.0 { known.1.to_vec() } else { self.differences(&base, after)? };
        let mut languages: BTreeMap<Language, Sources> = BTreeMap::new();
        for change in changed.iter().filter(|change| change.class == FileClass::Source) {
            let Some(language) = Language::of(change.path.extension()) else { continue };
            let sources = languages.entry(language).or_default();
            let path = change.path.to_string();
            sources.before.extend(self.source(&base, &change.path)?.map(|text| (path.clone(), text)));
            sources.after.extend(self.source(after, &change.path)?.map(|text| (path, text)));
        }
        let mut paths = BTreeSet::new();
        for (language, sources) in languages {
            let (before, after) = (borrowed(&sources.before), borrowed(&sources.after));
            let found = test_source::changed_units(language, &before, &after);
            paths.extend(found.into_iter().filter_map(|(path, _)| RelPath::new(&path)));
        }
        Ok(paths)
    }
}

fn borrowed(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}
