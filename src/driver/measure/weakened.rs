//! Tests that live in the sources which a role may change: it may move them, but not touch them.

use std::collections::{BTreeMap, BTreeSet};

use crate::core::attempt::CheckpointId;
use crate::core::path::RelPath;
use crate::core::policy::FileClass;
use crate::core::role::Key;
use crate::core::trouble::Trouble;
use crate::driver::drive::Drive;
use crate::driver::ports::{Checkpoints, World};
use crate::text::test_source::{self, Language};

/// The changed sources of one language, as they were and as they are.
#[derive(Default)]
struct Sources {
    before: Vec<(String, String)>,
    after: Vec<String>,
}

impl<W: World> Drive<'_, W> {
    /// Sources in which a test was changed or removed. The test-writer may do that, if it says so.
    pub(super) fn weakened(&mut self, key: &Key, after: &CheckpointId) -> Result<BTreeSet<RelPath>, Trouble> {
        match key {
            Key::TestWriter => return Ok(BTreeSet::new()),
            Key::Implementer(_) | Key::Refactorer => {}
        }
        // Compared with the tree before the first attempt: a retry goes on with the child's work,
        // so the tree right before it may hold the weakened test already.
        let first = self.state.ledgers.get(key).and_then(|ledger| ledger.entries.first());
        let Some(base) = first.map(|entry| entry.attempt.before.clone()) else { return Ok(BTreeSet::new()) };
        let changed = self.differences(&base, after)?;
        let mut languages: BTreeMap<Language, Sources> = BTreeMap::new();
        for change in changed.iter().filter(|change| change.class == FileClass::Source) {
            let Some(language) = Language::of(change.path.extension()) else { continue };
            let sources = languages.entry(language).or_default();
            let mut read = |at| -> Result<Option<String>, Trouble> {
                let bytes = self.ports.checkpoints.read(at, &change.path)?;
                Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
            };
            sources.before.extend(read(&base)?.map(|text| (change.path.to_string(), text)));
            sources.after.extend(read(after)?);
        }
        let mut paths = BTreeSet::new();
        for (language, sources) in languages {
            let before: Vec<(&str, &str)> =
                sources.before.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            let after: Vec<&str> = sources.after.iter().map(String::as_str).collect();
            let found = test_source::weakened(language, &before, &after);
            paths.extend(found.into_iter().filter_map(|(path, _)| RelPath::new(&path)));
        }
        Ok(paths)
    }
}
