//! RED of runners where one file that does not load can hide what all others would tell.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use crate::driver::cycle::Drive;
use tdd_core::classify::{self, Sources};
use tdd_core::criterion::CriterionId;
use tdd_core::evidence::evidence;
use tdd_core::finding::{CriterionRed, RedFindings, RedKind, RedTest, RunRef, Seen};
use tdd_core::greens::GreensChange;
use tdd_core::mapping::{self, Mapping, Without};
use tdd_core::path::RelPath;
use tdd_core::ports::{TestOrder, World};
use tdd_core::test::{TestId, TestRun};
use tdd_core::trouble::Trouble;

use super::Work;
use super::sources::SourceBook;

impl<W: World> Drive<'_, W> {
    /// Whether a run with all new files in it hides nothing: each of them is told of, and so is every
    /// known green of a file that nobody changed.
    pub(super) fn tells_all(&self, run: &TestRun, mapping: &Mapping, work: &Work) -> bool {
        let Some(report) = run.report.as_ref().filter(|report| report.project_broken.is_none()) else {
            return false;
        };
        let is_told = |file: &RelPath| {
            report.tests.iter().any(|test| test.file.as_ref() == Some(file))
                || report.load_failures.iter().any(|load| load.file == *file)
        };
        let greens = self.state.baseline.as_ref().map(|baseline| baseline.test.greens.as_slice());
        let lost = classify::lost(greens.unwrap_or_default(), report);
        let in_project = |path: &RelPath| mapping::in_project(path, &self.state.run.project).to_owned();
        let changed: BTreeSet<String> = work.changed.iter().map(|change| in_project(&change.path)).collect();
        evidence(run).is_ok()
            && mapping.owned.values().flat_map(|owned| &owned.files).all(is_told)
            && lost.iter().all(|id| changed.contains(id.file()))
    }

    /// One bad file would hide all: each criterion is run alone, the others' files left out.
    pub(super) async fn classify_coupled(
        &mut self,
        mapping: &Mapping,
        book: &SourceBook,
        findings: &mut RedFindings,
    ) -> Result<(), Trouble> {
        let covered = self.state.covered_by_red();
        let known =
            self.state.baseline.as_ref().map(|baseline| baseline.test.greens.clone()).unwrap_or_default();
        let mut lost: BTreeSet<TestId> = BTreeSet::new();
        for id in &covered {
            let others: Vec<CriterionId> = covered.iter().filter(|other| *other != id).cloned().collect();
            let order = TestOrder {
                label: format!("RED {id}"),
                without: Without::files(mapping.left_out(&others)),
                told_apart: mapping.owned.get(id).map(|owned| owned.files.clone()).unwrap_or_default(),
                ..TestOrder::default()
            };
            let first = self.run_tests(&order).await?;
            let second = self.run_tests(&TestOrder { label: format!("RED {id} again"), ..order }).await?;
            findings.runs.extend([&first, &second].map(|run| RunRef::of(run, &self.setup.mask)));
            let weak = evidence(&first).err().or_else(|| evidence(&second).err());
            findings.no_evidence = findings.no_evidence.take().or(weak);
            match (&first.report, &second.report) {
                (Some(one), Some(two)) => {
                    let declared = |file: &RelPath| book.declared(file);
                    let body = |file: &RelPath, id: &TestId| book.body(file, id);
                    let takes_part = |_: &CriterionId, file: &RelPath| {
                        mapping.is_reached_with(file, id, slice::from_ref(id))
                    };
                    let sources = Sources { declared: &declared, body: &body, takes_part: &takes_part };
                    findings.criteria.push(classify::criterion_red(id, mapping, (one, Some(two)), &sources));
                    lost.extend(
                        classify::lost(&known, one)
                            .into_iter()
                            .filter(|id| classify::lost(&known, two).contains(id)),
                    );
                }
                _ => findings.criteria.push(self.by_exit_code(id, mapping, (&first, &second))),
            }
        }
        findings.broken = lost.iter().cloned().collect();
        findings.unlisted = book.changed_tests(&known, &BTreeMap::new());
        findings.greens =
            GreensChange::between(&self.state.greens, known.iter().filter(|id| !lost.contains(id)));
        Ok(())
    }

    /// RED by exit code: with the criterion's files added the command fails, twice. A command that
    /// failed before says nothing by failing again.
    fn by_exit_code(&self, id: &CriterionId, mapping: &Mapping, runs: (&TestRun, &TestRun)) -> CriterionRed {
        let (first, second) = runs;
        let files = mapping.of(id).map(|owned| owned.files.clone()).unwrap_or_default();
        let before = self.state.baseline.as_ref().and_then(|baseline| baseline.test.exit);
        let was_red = before.is_some_and(|exit| !exit.is_success());
        let kind = match (first.exit.is_success(), second.exit.is_success()) {
            (true, true) => RedKind::Passed,
            (false, false) if was_red => RedKind::Unrelated,
            (false, false) => RedKind::Error,
            (true, false) | (false, true) => RedKind::Flaky,
        };
        let message = first.exit.to_string();
        let test = |file: &RelPath| RedTest {
            id: TestId(file.to_string()),
            kind,
            seen: Seen::FileOnly,
            message: message.clone(),
            why: None,
        };
        CriterionRed { id: id.clone(), tests: files.iter().map(test).collect(), files, may_skip: Vec::new() }
    }
}
