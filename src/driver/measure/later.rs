//! Files of a package that compile together: a test that needs what the file of a later criterion declares can't be
//! judged before that one is reached, because files of later criteria are left out until then (contract section 7).

use crate::driver::cycle::Drive;
use tdd_core::criterion::CriterionId;
use tdd_core::finding::{RedFindings, RedKind, Why};
use tdd_core::mapping::Without;
use tdd_core::path::RelPath;
use tdd_core::ports::{TestOrder, World};
use tdd_core::trouble::Trouble;
use tdd_source::Language;

use super::Work;
use super::helpers::names;

impl<W: World> Drive<'_, W> {
    /// Said of the test-writer at once, before an implementer halts by it. What the grammar takes for a use is tried by
    /// a run without the later files, and counts only if the runner says so.
    pub(super) async fn refuse_what_needs_later_files(
        &mut self,
        work: &Work,
        findings: &mut RedFindings,
    ) -> Result<(), Trouble> {
        let order: Vec<CriterionId> =
            findings.criteria.iter().map(|criterion| criterion.id.clone()).collect();
        for (at, id) in order.iter().enumerate() {
            let left_out = findings.mapping.left_out(order.get(at + 1..).unwrap_or_default());
            let own = findings.mapping.of(id).map(|owned| owned.files.clone()).unwrap_or_default();
            if !self.may_need(work, &own, &left_out)? {
                continue;
            }
            let label = format!("RED {id} without later files");
            let asked = TestOrder {
                label,
                without: Without::files(left_out.clone()),
                only_files: own,
                ..TestOrder::default()
            };
            let Some(report) = self.run_tests(&asked).await?.report else { continue };
            for load in &report.load_failures {
                let mut needs = load.behind.iter().flat_map(|behind| &behind.needs).map(|other| &other.file);
                let Some(other) = needs.find(|file| left_out.contains(file)) else { continue };
                let words = format!(
                    "needs what {other} declares, a file of a later criterion, which takes no part when work for {id} \
                     is judged: declare it in a file that holds no tests, or in one of {id}"
                );
                blame(findings, (id, &load.file), &words);
            }
        }
        Ok(())
    }

    /// Whether one of these files uses a name that one of the others declares, as far as the grammar tells.
    fn may_need(&mut self, work: &Work, own: &[RelPath], others: &[RelPath]) -> Result<bool, Trouble> {
        let is_go = |file: &&RelPath| Language::of(file.extension()) == Some(Language::Go);
        for other in others.iter().filter(is_go) {
            let text = self.source(&work.after, other)?.unwrap_or_default();
            for file in own.iter().filter(is_go) {
                let source = self.source(&work.after, file)?.unwrap_or_default();
                if names((file, &source), (other, &text)) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Tests of this file count as not loading.
pub(super) fn blame(findings: &mut RedFindings, (id, file): (&CriterionId, &RelPath), words: &str) {
    let Some(criterion) = findings.criteria.iter_mut().find(|criterion| criterion.id == *id) else { return };
    for test in &mut criterion.tests {
        if test.kind.is_accepted() && test.id.is_in(file) {
            test.kind = RedKind::Load;
            test.why = Some(Why { words: words.to_owned(), line: None });
        }
    }
}
