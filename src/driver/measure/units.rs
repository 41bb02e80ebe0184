//! Units of tests in the sources that others share: the test-writer adds them and nothing else
//! there; the others may move them, but not change them (contract section 7).

use std::collections::BTreeMap;

use crate::core::attempt::CheckpointId;
use crate::core::finding::{ChangeKind, ClassedChange, Remark, Slant, SlantKind};
use crate::core::path::RelPath;
use crate::core::policy::FileClass;
use crate::core::role::{Key, Role};
use crate::core::state::Phase;
use crate::core::trouble::Trouble;
use crate::driver::drive::Drive;
use crate::driver::ports::{Checkpoints, World};
use crate::text::test_source::{self, Additions, Language, Sign};

use super::Work;

/// The changed sources of one language, as they were and as they are.
#[derive(Default)]
struct Sources {
    before: Vec<(String, String)>,
    after: Vec<(String, String)>,
}

/// What changed production code says of an attempt.
#[derive(Default)]
pub(super) struct Production {
    /// Sources in which a unit was changed or removed, or one was added that only the test-writer
    /// may write.
    pub(super) weakened: Vec<RelPath>,
    pub(super) slanted: Vec<Slant>,
    pub(super) remarks: Vec<Remark>,
}

/// Remarks on one attempt.
const MOST_REMARKS: usize = 32;

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
        let mut languages: BTreeMap<Language, Sources> = BTreeMap::new();
        for change in changed.iter().filter(|change| change.class == FileClass::Source) {
            let Some(language) = Language::of(change.path.extension()) else { continue };
            let sources = languages.entry(language).or_default();
            let path = change.path.to_string();
            sources.before.extend(self.source(&base, &change.path)?.map(|text| (path.clone(), text)));
            sources.after.extend(self.source(after, &change.path)?.map(|text| (path, text)));
        }
        let mut production = Production::default();
        for (language, sources) in languages {
            production.read(language, &sources, key.role());
        }
        let remarks = production.remarks.into_iter().take(MOST_REMARKS);
        production.remarks = remarks.map(|remark| self.masked(remark)).collect();
        Ok(production)
    }

    fn masked(&self, remark: Remark) -> Remark {
        match remark {
            Remark::LooksForTests { path, what } => {
                Remark::LooksForTests { path, what: (self.setup.mask)(&what) }
            }
            Remark::RemovedName { .. } | Remark::Unseen(_) => remark,
        }
    }

    /// Files that the role names and no snapshot holds. A claim only makes more to look at here.
    pub(super) fn unseen(&mut self, work: &Work) -> Result<Vec<Remark>, Trouble> {
        let Phase::Returned { outcome, .. } = &self.state.phase else { return Ok(Vec::new()) };
        let mut named = outcome.claim.as_ref().map(|claim| claim.files.clone()).unwrap_or_default();
        named.retain(|path| {
            let is_left = self.setup.policy.classify(path) == FileClass::ByProduct;
            !is_left && !work.changed.iter().any(|change| change.path == *path)
        });
        if named.is_empty() {
            return Ok(Vec::new());
        }
        let held = self.ports.checkpoints.files(&work.after)?;
        let is_held = |path: &RelPath| {
            let folder = format!("{path}/");
            held.binary_search(path).is_ok() || held.iter().any(|file| file.as_str().starts_with(&folder))
        };
        named.retain(|path| !is_held(path));
        Ok(named.into_iter().take(MOST_REMARKS).map(Remark::Unseen).collect())
    }
}

impl Production {
    fn read(&mut self, language: Language, sources: &Sources, role: Role) {
        let (before, after) = (borrowed(&sources.before), borrowed(&sources.after));
        let units = test_source::changed_units(language, &before, &after);
        self.weakened.extend(units.into_iter().filter_map(|(path, _)| RelPath::new(&path)));
        for (path, sign, what) in test_source::new_signs(language, &before, &after) {
            let Some(path) = RelPath::new(&path) else { continue };
            match sign {
                Sign::UnderTest => self.slanted.push(Slant { path, kind: SlantKind::UnderTest }),
                Sign::Shadow => self.slanted.push(Slant { path, kind: SlantKind::Shadow }),
                Sign::Looks => self.remarks.push(Remark::LooksForTests { path, what }),
            }
        }
        if role == Role::Refactorer {
            for (path, name) in test_source::removed_names(language, &before, &after) {
                self.remarks.extend(RelPath::new(&path).map(|path| Remark::RemovedName { path, name }));
            }
        }
        self.weakened.sort();
        self.weakened.dedup();
        self.slanted.sort();
        self.slanted.dedup();
    }
}

fn borrowed(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}
