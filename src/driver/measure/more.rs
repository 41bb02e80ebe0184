//! The second test-writer adds files of tests for criteria that have one test; all else is as the first one left it
//! (contract section 7, held-out tests).

use std::collections::{BTreeMap, BTreeSet};

use crate::driver::cycle::Drive;
use tdd_core::claim::Claim;
use tdd_core::classify::absent_name;
use tdd_core::criterion::CriterionId;
use tdd_core::event::Event;
use tdd_core::finding::{ChangeKind, ClassedChange, RedFindings, RedKind, RedTest, Why};
use tdd_core::mapping::Mapping;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::{Checkpoints, World};
use tdd_core::test::{Failure, Outcome, TestReport};
use tdd_core::trouble::Trouble;
use tdd_proof::has_word;

use super::Work;

impl<W: World> Drive<'_, W> {
    fn is_second_writer(&self) -> bool {
        !self.state.more_tests_for().is_empty()
    }

    /// What it changed besides new tests is put back as the first one left it, and held against it.
    pub(super) fn keep_the_first_tests(&mut self, work: &mut Work) -> Result<(), Trouble> {
        let Some(good) = self.state.good.clone().filter(|_| self.is_second_writer()) else { return Ok(()) };
        let is_new =
            |change: &ClassedChange| change.kind == ChangeKind::Added && change.class == FileClass::Test;
        let differing = self.differences(&good, &work.after)?.into_iter();
        let touched: Vec<RelPath> =
            differing.filter(|change| !is_new(change)).map(|change| change.path).collect();
        if touched.is_empty() {
            return Ok(());
        }
        self.ports.checkpoints.restore(&good, &touched)?;
        work.after = self.ports.checkpoints.take(&self.label("restored"))?;
        work.events.push(Event::TreeSeen { tree: work.after.clone() });
        work.changed = self.differences(&work.base, &work.after)?;
        work.forbidden
            .extend(touched.into_iter().filter(|path| !work.forbidden.contains(path)).collect::<Vec<_>>());
        Ok(())
    }

    /// What the first one's block has said of its tests holds still; of existing ones the second one changes none.
    pub(super) fn with_the_first_claim(&self, claim: Option<Claim>) -> Option<Claim> {
        let mut claim = claim?;
        if self.is_second_writer() {
            let mut of_the_first: BTreeMap<CriterionId, Vec<String>> = BTreeMap::new();
            for test in self.state.red.iter().flat_map(|red| &red.superseded) {
                of_the_first.entry(test.criterion.clone()).or_default().push(test.id.0.clone());
            }
            claim.supersedes = of_the_first;
        }
        Some(claim)
    }

    /// The first one's tests are whose they were.
    pub(super) fn with_the_first_mapping(&self, mapping: Mapping) -> Mapping {
        let Some(red) = self.state.red.as_ref().filter(|_| self.is_second_writer()) else { return mapping };
        let mut all = red.mapping.clone();
        all.add(mapping);
        all
    }

    /// An implementer could not know what a hidden test calls by a name of its own: neither the first one's tests nor
    /// the requirement say it.
    pub(super) fn refuse_names_of_its_own(
        &mut self,
        work: &Work,
        report: &TestReport,
        findings: &mut RedFindings,
    ) -> Result<(), Trouble> {
        let Some(red) = self.state.red.as_ref().filter(|_| self.is_second_writer()) else { return Ok(()) };
        let first: BTreeSet<RelPath> = red.mapping.owned.values().flat_map(|own| own.files.clone()).collect();
        let criteria = self.state.run.requirement.criteria.iter().map(|criterion| criterion.text.clone());
        let mut known: Vec<String> = criteria.chain(self.state.run.requirement.title.clone()).collect();
        for file in &first {
            known.extend(self.source(&work.after, file)?);
        }
        let says = |name: &str| known.iter().any(|text| has_word(text, name));
        for criterion in &mut findings.criteria {
            for test in criterion.tests.iter_mut().filter(|test| test.kind == RedKind::Missing) {
                let Some(file) = criterion.files.iter().find(|file| test.id.is_in(file)) else { continue };
                let failure = failure_of(report, test, file).filter(|_| !first.contains(file));
                let absent = failure.and_then(|failure| failure.absent.as_deref()).map(absent_name);
                let Some(name) = absent.filter(|name| !name.is_empty() && !says(name)) else { continue };
                let words = format!(
                    "calls the code by a name that neither the requirement nor the tests that were there have: `{name}`"
                );
                (test.kind, test.why) = (RedKind::None, Some(Why { words, line: None }));
            }
        }
        Ok(())
    }
}

/// How a test fails, or its file.
fn failure_of<'r>(report: &'r TestReport, test: &RedTest, file: &RelPath) -> Option<&'r Failure> {
    let own = report.tests.iter().find(|result| result.id == test.id);
    let own = own.and_then(|result| match &result.outcome {
        Outcome::Failed(failure) => Some(failure),
        Outcome::Passed | Outcome::Skipped => None,
    });
    own.or_else(|| report.load_failures.iter().find(|load| load.file == *file).map(|load| &load.failure))
}
