//! Halts as SARIF, for code scanning: `--sarif FILE`. One result for each thing that speaks against the work, where it
//! is; a run that did not halt has none, so that an alert of an earlier one is closed.

use std::path::Path;

use crate::commands::runs::story;
use crate::text::sarif::{Finding, Log, Outcome, rule_of};
use tdd_child::run_folder::RunDir;
use tdd_core::cause::{self, Place};
use tdd_core::criterion::CriterionId;
use tdd_core::finding::NoSuchTest;
use tdd_core::halt::Halt;
use tdd_core::harmless;
use tdd_core::judge::{Fault, Reason, Verdict};
use tdd_core::path::RelPath;
use tdd_core::state::{End, Phase, State};
use tdd_core::trouble::Trouble;

pub(super) fn of_runs(repository: &Path, runs: &[RunDir]) -> Result<String, Trouble> {
    let root = repository.to_string_lossy();
    let one = |run: &RunDir| Ok(outcome(&story::story_of(run)?.state, &root));
    let outcomes = runs.iter().map(one).collect::<Result<Vec<_>, Trouble>>()?;
    Log::of(outcomes)
        .render()
        .map_err(|error| Trouble::internal("the SARIF report can't be made").because(error.to_string()))
}

fn outcome(state: &State, root: &str) -> Outcome {
    let requirement = state.run.requirement.id.clone();
    let Phase::Ended { end } = &state.phase else {
        return Outcome { requirement, has_ended: false, results: Vec::new() };
    };
    let results = if let End::Halted(halt) = end { results(state, halt, root) } else { Vec::new() };
    Outcome { requirement, has_ended: true, results }
}

fn results(state: &State, halt: &Halt, root: &str) -> Vec<Finding> {
    let last = state.ledgers.get(&halt.key).and_then(|ledger| ledger.entries.last());
    let runs = last.map_or(&[][..], |entry| &entry.runs);
    let one = |verdict: &Verdict, rule: String, place: Option<Place>| {
        let told = cause::of(&halt.key, verdict, runs, root);
        // Neither what was rolled back nor the name of tests that no report tells apart is a file to look at.
        let is_there = |place: &Place| Path::new(root).join(&place.file).is_file();
        let place = told.place.filter(is_there).or(place.filter(is_there));
        let place = place.unwrap_or_else(|| of_requirement(state, halt.key.criterion()));
        Finding { rule, message: harmless::line(&told.sentence), file: place.file, line: place.line }
    };
    match &halt.verdict {
        Verdict::Passed => Vec::new(),
        Verdict::Disputed(_) => vec![one(&halt.verdict, "disputed".to_owned(), None)],
        Verdict::Failed(fault) => {
            let alone = |reason: &Reason| {
                let fault = Fault { mode: fault.mode, reasons: vec![reason.clone()] };
                one(&Verdict::Failed(fault), rule_of(reason), of_reason(state, reason))
            };
            fault.reasons.iter().map(alone).collect()
        }
    }
}

/// What a reason is about, as far as it names it.
fn of_reason(state: &State, reason: &Reason) -> Option<Place> {
    let top = |file: &RelPath| Some(Place { file: file.as_str().to_owned(), line: 1 });
    match reason {
        Reason::Forbidden(path) | Reason::Touched(path) | Reason::Loaded(path) | Reason::InlineTest(path) => {
            top(path)
        }
        Reason::TestAwareCode(found) => top(&found.path),
        // Where a compiler named no file it is what it said.
        Reason::Unbuilt(what) => top(&RelPath::new(what).filter(|_| !what.contains(' '))?),
        Reason::LostName(lost) => top(&lost.path),
        Reason::Rebound(rebound) => {
            Some(Place { file: rebound.test.file().to_owned(), line: rebound.line.max(1) })
        }
        Reason::NoSuchTest(NoSuchTest { named: test, .. })
        | Reason::Unlisted(test)
        | Reason::Unowned(test)
        | Reason::NotSuperseded(test)
        | Reason::Broken(test)
        | Reason::TestFailed(test)
        | Reason::TestSkipped(test)
        | Reason::TestVanished(test)
        | Reason::Regressed(test)
        | Reason::Toothless(test)
        | Reason::Outside(test)
        | Reason::GivenBack { test, .. }
        | Reason::MovedForNothing(test)
        | Reason::MovedToothless(test)
        | Reason::MovedUnasked { test, .. }
        | Reason::NotRed { test, .. } => top(&RelPath::new(test.file())?),
        Reason::NoCandidate(id)
        | Reason::NothingRan(id)
        | Reason::StillGreen(id)
        | Reason::Hollow(id)
        | Reason::HeldOut(id) => Some(of_requirement(state, Some(id))),
        Reason::ClaimedFailed
        | Reason::Exhausted(_)
        | Reason::Format(_)
        | Reason::FewerTests { .. }
        | Reason::GateRed
        | Reason::GateOutside
        | Reason::NoEvidence(_) => None,
    }
}

/// Where the requirement says it: what has no file of its own has to stand somewhere.
fn of_requirement(state: &State, id: Option<&CriterionId>) -> Place {
    let requirement = &state.run.requirement;
    let criterion = requirement.criteria.iter().find(|criterion| Some(&criterion.id) == id);
    let line = criterion.and_then(|criterion| u32::try_from(criterion.line).ok()).unwrap_or(1);
    Place { file: requirement.path.as_str().to_owned(), line }
}
