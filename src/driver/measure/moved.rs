//! Old tests whose example comes to be wrong: a code that nobody knew gets a name, and the test that takes it for an
//! unknown one moves to another. It passes before and after, so that nothing shows it red but its own text on the new
//! code, which the final proof tries.

use std::collections::BTreeSet;

use tdd_core::claim::Claim;
use tdd_core::finding::MovedExample;
use tdd_core::mapping::Mapping;
use tdd_core::ports::World;
use tdd_core::proof::Extent;
use tdd_core::test::{Outcome, TestId, TestReport};

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
        named.into_iter().filter(|one| has_moved(&one.id)).collect()
    }

    /// They have to pass, as they did: no criterion turns them green.
    pub(super) fn disown_moved(mapping: &mut Mapping, moved: &[MovedExample]) {
        for owned in mapping.owned.values_mut() {
            owned.ids.retain(|id| moved.iter().all(|one| one.id != *id));
        }
    }
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
            && self
                .home(id, LedTo::ById)
                .is_some_and(|home| names.iter().any(|name| tdd_source::is_called(name, &home.name)))
    }
}
