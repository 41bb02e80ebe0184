//! Old tests whose example comes to be wrong: a code that nobody knew gets a name, and the test that takes it for an
//! unknown one moves to another. It passes before and after, so that nothing shows it red but its own text on the new
//! code, which the final proof tries.

use std::collections::{BTreeMap, BTreeSet};

use tdd_core::claim::Claim;
use tdd_core::finding::MovedExample;
use tdd_core::mapping::Mapping;
use tdd_core::path::RelPath;
use tdd_core::ports::{Bench, Checkpoints, TestOrder, World};
use tdd_core::proof::{Extent, ProofFindings};
use tdd_core::test::{Outcome, TestId, TestReport};
use tdd_core::trouble::Trouble;

use super::proof::Proving;
use super::sources::{Holds, LedTo, Rewritten, SourceBook};
use crate::driver::cycle::Drive;

impl<W: World> Drive<'_, W> {
    /// Those tests that the block supersedes, that pass as they did, and of which nothing but numbers and texts differs.
    /// Without a proof nobody would see whether they had to.
    pub(super) fn moved_examples(
        &self,
        claim: Option<&Claim>,
        book: &SourceBook,
        report: &TestReport,
    ) -> Vec<MovedExample> {
        if self.state.run.plan.proof == Extent::Off {
            return Vec::new();
        }
        let (known, covered) = (self.known_tests(), self.state.covered_by_red());
        let passes =
            |id: &TestId| report.tests.iter().any(|test| test.id == *id && test.outcome == Outcome::Passed);
        let claimed = claim.iter().flat_map(|claim| &claim.supersedes);
        let named =
            claimed.filter(|(criterion, _)| covered.contains(criterion)).flat_map(|(criterion, names)| {
                names
                    .iter()
                    .map(|name| MovedExample { criterion: criterion.clone(), id: TestId(name.clone()) })
            });
        let named: Vec<MovedExample> =
            named.filter(|one| known.contains(&one.id) && passes(&one.id)).collect();
        let files: BTreeSet<&str> = named.iter().map(|one| one.id.file()).collect();
        let rewritten = book.rewritten.iter().filter(|file| files.contains(file.path.as_str()));
        let moved: Vec<(&Rewritten, BTreeSet<String>)> =
            rewritten.map(|file| (file, file.moved_examples())).collect();
        let has_moved = |id: &TestId| moved.iter().any(|(file, names)| file.is_one_of(id, names));
        named.iter().filter(|one| has_moved(&one.id)).cloned().collect()
    }

    /// They have to pass, as they did: no criterion turns them green.
    pub(super) fn disown_moved(mapping: &mut Mapping, moved: &[MovedExample]) {
        for owned in mapping.owned.values_mut() {
            owned.ids.retain(|id| moved.iter().all(|one| one.id != *id));
        }
    }

    /// Whether each of them fails with its old example now. Gives whether all do, or can't be tried.
    pub(super) async fn prove_moved(
        &mut self,
        proving: &Proving,
        findings: &mut ProofFindings,
    ) -> Result<bool, Trouble> {
        let moved = self.state.red.as_ref().map(|red| red.moved.clone()).unwrap_or_default();
        let (Some(start), false) = (self.state.start.clone(), moved.is_empty()) else { return Ok(true) };
        let mut old: BTreeMap<RelPath, Option<Vec<u8>>> = BTreeMap::new();
        for one in &moved {
            let Some(file) = RelPath::new(one.id.file()) else { continue };
            let file = self.in_repository(&file);
            old.insert(file.clone(), self.ports.checkpoints.read(&start, &file)?);
        }
        old.retain(|_, text| text.is_some());
        let only_files: Vec<RelPath> = old.keys().cloned().collect();
        self.check_out(&proving.tree, proving.bring)?;
        self.ports.bench.put(&old.into_iter().collect::<Vec<_>>())?;
        let only_ids: Vec<TestId> = moved.iter().map(|one| one.id.clone()).collect();
        let order = TestOrder {
            label: "proof: with the old examples".to_owned(),
            only_ids: only_ids.clone(),
            only_files,
            ..TestOrder::default()
        };
        let run = self.proof_run(&order, findings).await?;
        let told = run.report.map(|report| report.tests).unwrap_or_default();
        let outcome = |id: &TestId| told.iter().find(|test| test.id == *id).map(|test| &test.outcome);
        let passed: BTreeSet<&TestId> =
            only_ids.iter().filter(|id| outcome(id) == Some(&Outcome::Passed)).collect();
        findings.moved_for_nothing = passed.into_iter().cloned().collect();
        let untold = only_ids.iter().filter(|id| outcome(id).is_none());
        findings.not_made.extend(untold.map(|id| untried(id, "its file as it was does not load any more")));
        Ok(findings.moved_for_nothing.is_empty())
    }

    /// There is no checkout in which they could be tried.
    pub(super) fn leave_moved_untried(&self, findings: &mut ProofFindings) {
        let moved = self.state.red.iter().flat_map(|red| &red.moved);
        findings.not_made.extend(moved.map(|one| untried(&one.id, "there is no checkout to try it in")));
    }
}

fn untried(id: &TestId, why: &str) -> String {
    format!("whether {id} needed another example is not known: {why}")
}

impl Rewritten {
    /// The tests of which nothing differs but numbers and texts.
    fn moved_examples(&self) -> BTreeSet<String> {
        match (self.language, &self.after, self.holds) {
            (Some(language), Some(after), Holds::AllOfIts) => {
                tdd_source::moved_examples(language, &self.before, after)
            }
            (_, _, Holds::AllOfIts | Holds::Some) => BTreeSet::new(),
        }
    }

    fn is_one_of(&self, id: &TestId, names: &BTreeSet<String>) -> bool {
        id.file() == self.path
            && self.home(id, LedTo::ById).is_some_and(|home| {
                names.contains(&home.name) || names.iter().any(|name| name.replace("::", ".") == home.name)
            })
    }
}
