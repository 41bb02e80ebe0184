//! Files of tests that were there and do not load before what one criterion adds is there: they take no part until that
//! criterion is reached, and then all of their tests are green again.

use std::collections::BTreeSet;

use crate::driver::cycle::Drive;
use tdd_core::mapping::{self, Mapping};
use tdd_core::path::RelPath;
use tdd_core::ports::{TestOrder, World};
use tdd_core::test::TestId;

impl<W: World> Drive<'_, W> {
    /// Those files, as ids spell them.
    pub(super) fn held_back<'m>(&self, mapping: &'m Mapping) -> BTreeSet<&'m str> {
        let files = mapping.held_back().into_iter();
        files.map(|file| mapping::in_project(file, &self.state.run.project)).collect()
    }

    /// Tests that were green before the run, in those files that take part again: all but those that were superseded.
    pub(super) fn held_back_until_now(&self, leave_out: &[RelPath]) -> Vec<TestId> {
        let (Some(red), Some(baseline)) = (&self.state.red, &self.state.baseline) else { return Vec::new() };
        let out = self.spelt(leave_out);
        let mut files = self.held_back(&red.mapping);
        files.retain(|file| !out.contains(file));
        let waits = |id: &&TestId| {
            let is_set_aside = red.superseded.iter().any(|other| other.id == **id);
            files.contains(id.file()) && !is_set_aside && !self.state.greens.contains(id)
        };
        baseline.test.greens.iter().filter(waits).cloned().collect()
    }

    /// How many tests were there before the run, of those that can take part in this run.
    pub(super) fn collected_without(&self, order: &TestOrder) -> usize {
        let Some(red) = &self.state.red else { return self.state.collected };
        let out = self.spelt(&order.without.files);
        let mut files = self.held_back(&red.mapping);
        files.retain(|file| out.contains(file));
        let is_cut = |id: &TestId| order.without.tests.iter().any(|test| test.id == *id);
        let known = self.known_tests().into_iter();
        let waiting = known.filter(|id| files.contains(id.file()) || is_cut(id));
        self.state.collected.saturating_sub(waiting.count())
    }

    fn spelt<'f>(&self, files: &'f [RelPath]) -> BTreeSet<&'f str> {
        files.iter().map(|file| mapping::in_project(file, &self.state.run.project)).collect()
    }
}
