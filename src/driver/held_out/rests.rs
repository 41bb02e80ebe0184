//! What only hidden tests rest on goes out of the tree with them: a helper or data may hold what they ask for and
//! expect.

use tdd_core::finding::{ChangeKind, ClassedChange};
use tdd_core::held_out::{HeldOut, Parting};
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::World;
use tdd_core::trouble::Trouble;

use crate::driver::cycle::Drive;
use crate::driver::measure::Named;

/// Helpers of helpers.
const DEPTH: usize = 4;
/// Makes a package of a folder, whoever imports from it.
const PACKAGE: &str = "__init__.py";

impl<W: World> Drive<'_, W> {
    pub(super) fn hide_what_they_rest_on(&mut self, parting: &mut Parting) -> Result<(), Trouble> {
        if parting.criteria.iter().all(|parted| parted.hidden.is_empty()) {
            return Ok(());
        }
        let changed = self.changed_since_start(&parting.whole)?;
        for _ in 0..DEPTH {
            let held = HeldOut::new(parting.clone(), Vec::new());
            let helpers = self.helpers_that_came(&held, &changed);
            if helpers.is_empty() {
                return Ok(());
            }
            let shown = self.shown_users(&held, &changed)?;
            let named_by_shown = self.named_in(&helpers, &parting.whole, &shown)?;
            let mut is_done = true;
            for parted in parting.criteria.iter_mut().filter(|parted| !parted.hidden.is_empty()) {
                let mut hidden = Vec::new();
                for file in parted.all_files() {
                    let source = self.text_at(&parting.whole, &file.path)?;
                    hidden.extend(source.map(|source| (file.path, source)));
                }
                let named = self.named_in(&helpers, &parting.whole, &hidden)?;
                let theirs: Vec<RelPath> =
                    named.into_iter().filter(|file| !named_by_shown.contains(file)).collect();
                is_done &= theirs.is_empty();
                parted.snapshots.extend(theirs);
            }
            if is_done {
                return Ok(());
            }
        }
        Ok(())
    }

    /// New files beside tests that hold none, and that are not hidden already.
    fn helpers_that_came(&self, held: &HeldOut, changed: &[ClassedChange]) -> Vec<RelPath> {
        let hidden: Vec<RelPath> = held.files().into_iter().map(|file| file.path).collect();
        let mapping = self.mapping();
        let is_of_tests = |path: &RelPath| mapping.owned.values().any(|own| own.files.contains(path));
        let new = changed
            .iter()
            .filter(|change| change.kind == ChangeKind::Added && change.class == FileClass::Test)
            .map(|change| &change.path)
            .filter(|path| path.file_name() != PACKAGE);
        new.filter(|path| !is_of_tests(path) && !hidden.contains(path)).cloned().collect()
    }

    /// What the run has changed, as roles may see it.
    fn shown_users(&mut self, held: &HeldOut, changed: &[ClassedChange]) -> Result<Vec<Named>, Trouble> {
        let whole = &held.parting.whole;
        let out: Vec<RelPath> = held.files().into_iter().map(|file| file.path).collect();
        let mut users = Vec::new();
        for change in changed.iter().filter(|change| !out.contains(&change.path)) {
            let source = self.text_at(whole, &change.path)?;
            users.extend(source.map(|source| (change.path.clone(), source)));
        }
        for (path, shown) in self.shown_files(held)? {
            users.extend(shown.and_then(|text| String::from_utf8(text).ok()).map(|text| (path, text)));
        }
        Ok(users)
    }
}
