//! Tests whose copies did not show what they must, run once more in the judged file's own place.

use std::collections::{BTreeMap, BTreeSet};

use super::{Plan, has_failed, seed};
use crate::runner::place::Place;
use crate::runner::verification::disk;
use tdd_child::regular_file;
use tdd_core::path::RelPath;
use tdd_core::test::{Copies, Outcome, TestId, TestReport, Untold, UntoldWhy};
use tdd_core::trouble::Trouble;
use tdd_source::{Mutant, PROBE, Reach, TestMutants, mutants, mutated};

/// A claim by the places of file, test and claim in the plan.
type At = (usize, usize, usize);

/// Tests to be looked at once more, with the claim that is looked at.
#[derive(Clone, Debug, Default)]
pub(in crate::runner) struct Suspects {
    open: BTreeMap<TestId, (At, Standing)>,
    /// What is known of each one's other claims.
    others: BTreeMap<TestId, Others>,
    /// What the file's mutants are in this round.
    mutants: BTreeMap<usize, Vec<TestMutants>>,
}

/// What became of a test's other claims where they were changed beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Others {
    /// One of them made it fail as it must.
    Fail,
    /// Each of them passed, or there is none.
    Pass,
    Unknown,
}

/// How far it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    New,
    /// The changed one passed in the judged one's place.
    Passed,
    /// It failed by something else.
    Otherwise,
    /// It passed again, changed in another way.
    PassedAgain,
    /// So it did, and the unchanged one passes there too.
    Repeatable,
}

/// What stands in the place of the judged files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::runner) enum Round {
    Changed,
    ChangedAgain,
    Unchanged,
    Probed,
}

impl Round {
    pub(in crate::runner) const ALL: [Self; 4] =
        [Self::Changed, Self::ChangedAgain, Self::Unchanged, Self::Probed];

    fn wants(self) -> &'static [Standing] {
        match self {
            Self::Changed => &[Standing::New],
            Self::ChangedAgain => &[Standing::Passed, Standing::Otherwise],
            Self::Unchanged => &[Standing::PassedAgain],
            Self::Probed => &[Standing::Repeatable],
        }
    }
}

impl Suspects {
    pub(super) fn add(&mut self, at: At, (id, others): (TestId, Others)) {
        self.others.insert(id.clone(), others);
        self.open.insert(id, (at, Standing::New));
    }

    pub(in crate::runner) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Writes the files of a round into a copy of the tree. Those that were written; none means that
    /// nothing is left for this round.
    pub(in crate::runner) fn write(
        &mut self,
        plan: &Plan,
        round: Round,
        place: &Place,
    ) -> Result<Vec<RelPath>, Trouble> {
        let wanted = |standing: &Standing| round.wants().contains(standing);
        let of_round = self.open.values().filter(|(_, standing)| wanted(standing));
        let of_round: Vec<(At, Standing)> = of_round.copied().collect();
        let files: BTreeSet<usize> = of_round.iter().map(|((file, _, _), _)| *file).collect();
        let mut written = Vec::new();
        for file in files {
            let source = &plan.sources[file];
            // Other words and numbers than those that were seen before, and no farther: one far off would tell nothing of
            // what was equal to a near one.
            let now = mutants(source.language, &source.file.source, seed()?, Reach::Near);
            let mut changes: BTreeMap<(usize, usize), &Mutant> = BTreeMap::new();
            for ((_, test, claim), standing) in of_round.iter().filter(|((of, _, _), _)| *of == file) {
                let Some(claim_now) = now.get(*test).and_then(|test| test.claims.get(*claim)) else {
                    continue;
                };
                let change = match (round, standing) {
                    (Round::Unchanged, _) => None,
                    (Round::Probed, _) => Some(&claim_now.probe),
                    (Round::ChangedAgain, Standing::Otherwise) => claim_now.ways.last(),
                    (Round::Changed | Round::ChangedAgain, _) => claim_now.ways.first(),
                };
                // One claim of a test at a time.
                if let Some(change) = change.filter(|_| !changes.keys().any(|(of, _)| of == test)) {
                    changes.insert((*test, *claim), change);
                }
            }
            let Some(text) = mutated(&source.file.source, changes.into_values()) else { continue };
            let path = place.absolute(&source.file.path);
            regular_file::write(&path, text).map_err(|error| disk(&path, &error))?;
            self.mutants.insert(file, now);
            written.push(source.file.path.clone());
        }
        Ok(written)
    }

    /// Takes in what a round has shown.
    pub(in crate::runner) fn hear(&mut self, round: Round, report: Option<&TestReport>, found: &mut Copies) {
        let outcomes: BTreeMap<&TestId, &Outcome> =
            report.iter().flat_map(|report| &report.tests).map(|test| (&test.id, &test.outcome)).collect();
        let mut open = BTreeMap::new();
        for (id, (at, standing)) in std::mem::take(&mut self.open) {
            if !round.wants().contains(&standing) {
                open.insert(id, (at, standing));
                continue;
            }
            match self.next(round, (at, standing), outcomes.get(&id).copied()) {
                Next::Open(standing) => drop(open.insert(id, (at, standing))),
                Next::Seen => found.seen += 1,
                Next::Toothless => found.toothless.push(id),
                // A branch that is not taken says nothing against the one that is.
                Next::Untold(UntoldWhy::NotReached) if self.others.get(&id) == Some(&Others::Fail) => {
                    found.seen += 1;
                }
                Next::Untold(UntoldWhy::NotReached) if self.others.get(&id) == Some(&Others::Pass) => {
                    found.untold.push(Untold { test: id, why: UntoldWhy::NeverReached });
                }
                Next::Untold(why) => found.untold.push(Untold { test: id, why }),
            }
        }
        self.open = open;
    }

    fn next(&self, round: Round, (at, standing): (At, Standing), outcome: Option<&Outcome>) -> Next {
        let (file, test, claim) = at;
        let ways = self.mutants.get(&file).and_then(|tests| Some(&tests.get(test)?.claims.get(claim)?.ways));
        let Some((ways, outcome)) = ways.zip(outcome) else { return Next::Untold(UntoldWhy::NotRepeatable) };
        let way = if standing == Standing::Otherwise { ways.last() } else { ways.first() };
        let failed = way.is_some_and(|way| has_failed(outcome, way.fails));
        match (round, outcome) {
            (Round::Changed | Round::ChangedAgain, _) if failed => Next::Seen,
            (Round::Changed, Outcome::Passed) => Next::Open(Standing::Passed),
            (Round::Changed, _) if ways.len() > 1 => Next::Open(Standing::Otherwise),
            (Round::ChangedAgain, Outcome::Passed) if standing == Standing::Passed => {
                Next::Open(Standing::PassedAgain)
            }
            (Round::Unchanged, Outcome::Passed) => Next::Open(Standing::Repeatable),
            (Round::Unchanged, _) => Next::Untold(UntoldWhy::NotRepeatable),
            (Round::Probed, Outcome::Failed(failure)) if failure.message.contains(PROBE) => Next::Toothless,
            (Round::Probed, Outcome::Passed) => Next::Untold(UntoldWhy::NotReached),
            (Round::Changed | Round::ChangedAgain | Round::Probed, _) => Next::Untold(UntoldWhy::Otherwise),
        }
    }

    /// What is left when no more rounds can be made.
    pub(in crate::runner) fn give_up(self, found: &mut Copies) {
        let why = UntoldWhy::Otherwise;
        found.untold.extend(self.open.into_keys().map(|test| Untold { test, why }));
    }
}

enum Next {
    Open(Standing),
    Seen,
    Toothless,
    Untold(UntoldWhy),
}
