//! Findings and a claim make a verdict. Nothing else decides.

use std::collections::BTreeSet;

use crate::attempt::{AgentEnd, AgentReturn};
use crate::claim::ClaimStatus;
use crate::event::Plan;
use crate::finding::{Findings, GreenFindings, GreenJudge, RedFindings, RedKind, RefactorFindings, RunRef};
use crate::guard::{self, Guard};
use crate::mode::Mode;
use crate::role::Key;
use crate::test::TestId;

pub use crate::verdict::{AtReturn, Fault, Reason, Verdict};

mod held_out;
mod proof;

pub use held_out::held_out;
pub use proof::{names_criterion, proof};

/// What can be said before anything was measured: a format violation and a dispute, nothing else.
pub fn at_return(outcome: &AgentReturn) -> AtReturn {
    match (&outcome.claim, outcome.end) {
        (Ok(claim), _) => match (&claim.dispute, claim.status) {
            (Some(dispute), ClaimStatus::Failed) if guard::stands(Guard::Dispute) => {
                AtReturn::Settled(Verdict::Disputed(dispute.clone()))
            }
            (Some(_) | None, _) => AtReturn::Measure,
        },
        (Err(error), AgentEnd::Exited(_)) if guard::stands(Guard::Format) => {
            let reasons = vec![Reason::Format(error.clone())];
            AtReturn::Settled(Verdict::Failed(Fault { mode: Mode::D, reasons }))
        }
        (Err(_), _) => AtReturn::Measure,
    }
}

/// The verdict on an attempt that was measured. The claim can only make it worse.
pub fn judge(key: &Key, plan: &Plan, outcome: &AgentReturn, findings: &Findings) -> Verdict {
    let mut reasons = match findings {
        Findings::Red(findings) => red_faults(plan, findings),
        Findings::Green(findings) => green_reasons(key, findings),
        Findings::Refactor(findings) => refactor_reasons(findings),
    };
    let mut mode = Mode::of_stage(key.stage());
    match (&outcome.claim, outcome.end) {
        (Ok(claim), _) if claim.status == ClaimStatus::Failed => reasons.insert(0, Reason::ClaimedFailed),
        (Ok(_), _) => {}
        (Err(_), AgentEnd::Exhausted(what)) => {
            mode = Mode::E;
            reasons.insert(0, Reason::Exhausted(what));
        }
        // Measured all the same where no format retry is left: it may be worth taking.
        (Err(error), AgentEnd::Exited(_)) => {
            mode = Mode::D;
            reasons.insert(0, Reason::Format(error.clone()));
        }
    }
    reasons.retain(|reason| guard::stands(Guard::of(reason)));
    if reasons.is_empty() { Verdict::Passed } else { Verdict::Failed(Fault { mode, reasons }) }
}

/// Whether nothing speaks against the work but that no valid block came with it.
pub fn lacks_only_a_block(verdict: &Verdict, outcome: &AgentReturn) -> bool {
    let Verdict::Failed(fault) = verdict else { return false };
    let is_of_block = |reason: &Reason| matches!(reason, Reason::Format(_) | Reason::Exhausted(_));
    outcome.claim.is_err() && fault.reasons.iter().all(is_of_block)
}

/// What keeps a RED from being one.
pub fn red_faults(plan: &Plan, findings: &RedFindings) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = findings.forbidden.iter().cloned().map(Reason::Forbidden).collect();
    reasons.extend(findings.unlisted.iter().cloned().map(Reason::Unlisted));
    reasons.extend(findings.rebound.iter().cloned().map(Reason::Rebound));
    reasons.extend(findings.no_evidence.iter().cloned().map(Reason::NoEvidence));
    reasons.extend(findings.unowned.iter().cloned().map(Reason::Unowned));
    for criterion in &findings.criteria {
        match (criterion.files.as_slice(), criterion.tests.as_slice()) {
            ([], []) => reasons.push(Reason::NoCandidate(criterion.id.clone())),
            ([_, ..], []) => reasons.push(Reason::NothingRan(criterion.id.clone())),
            (_, [_, ..]) => {}
        }
        let already = plan.already_green.contains(&criterion.id);
        for test in &criterion.tests {
            if already && test.kind != RedKind::Passed {
                reasons.push(Reason::TestFailed(test.id.clone()));
            } else if !already && !test.kind.is_accepted() && !is_of_put_back(test.kind, findings) {
                let (criterion, kind, why) = (criterion.id.clone(), test.kind, test.why.clone());
                reasons.push(Reason::NotRed { criterion, test: test.id.clone(), kind, why });
            }
        }
    }
    let badly_superseded =
        findings.superseded.iter().filter(|test| !test.changed || !test.kind.is_accepted());
    reasons.extend(badly_superseded.map(|test| {
        let unknown = findings.no_such_tests.iter().find(|one| one.named == test.id);
        unknown.map_or_else(|| Reason::NotSuperseded(test.id.clone()), |one| Reason::NoSuchTest(one.clone()))
    }));
    reasons.extend(findings.broken.iter().cloned().map(Reason::Broken));
    reasons
}

/// What was put back may be what the tests need, and then that they do not load says nothing more.
fn is_of_put_back(kind: RedKind, findings: &RedFindings) -> bool {
    let puts_back = !findings.forbidden.is_empty() && guard::stands(Guard::ForbiddenChange);
    match kind {
        RedKind::Load | RedKind::None => puts_back,
        RedKind::Assertion
        | RedKind::Error
        | RedKind::Missing
        | RedKind::Unconditional
        | RedKind::Passed
        | RedKind::Unrelated
        | RedKind::Flaky
        | RedKind::Timeout
        | RedKind::Crash => false,
    }
}

fn green_reasons(key: &Key, findings: &GreenFindings) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = findings.forbidden.iter().cloned().map(Reason::Forbidden).collect();
    reasons.extend(findings.touched.iter().cloned().map(Reason::Touched));
    reasons.extend(findings.loaded.iter().cloned().map(Reason::Loaded));
    reasons.extend(findings.weakened.iter().cloned().map(Reason::InlineTest));
    reasons.extend(findings.test_aware.iter().cloned().map(Reason::TestAwareCode));
    reasons.extend(findings.no_evidence.iter().cloned().map(Reason::NoEvidence));
    reasons.extend(toothless(&findings.runs));
    let ran = !(findings.passed.is_empty() && findings.failed.is_empty() && findings.skipped.is_empty());
    if let (false, GreenJudge::OwnTests, Some(id)) = (ran, findings.judged_by, key.criterion()) {
        reasons.push(Reason::NothingRan(id.clone()));
    }
    reasons.extend(findings.failed.iter().cloned().map(Reason::TestFailed));
    reasons.extend(findings.skipped.iter().cloned().map(Reason::TestSkipped));
    reasons.extend(findings.vanished.iter().cloned().map(Reason::TestVanished));
    reasons.extend(findings.regressed.iter().cloned().map(Reason::Regressed));
    reasons.extend(findings.unbuilt.iter().cloned().map(Reason::Unbuilt));
    reasons.extend(fewer(findings.collected_before, findings.collected_now));
    reasons.extend(findings.gate_red.then_some(Reason::GateRed));
    reasons.extend(findings.held_out.iter().cloned().map(Reason::HeldOut));
    reasons
}

fn refactor_reasons(findings: &RefactorFindings) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = findings.forbidden.iter().cloned().map(Reason::Forbidden).collect();
    reasons.extend(findings.touched.iter().cloned().map(Reason::Touched));
    reasons.extend(findings.loaded.iter().cloned().map(Reason::Loaded));
    reasons.extend(findings.weakened.iter().cloned().map(Reason::InlineTest));
    reasons.extend(findings.test_aware.iter().cloned().map(Reason::TestAwareCode));
    reasons.extend(findings.lost_names.iter().cloned().map(Reason::LostName));
    reasons.extend(findings.no_evidence.iter().cloned().map(Reason::NoEvidence));
    reasons.extend(toothless(&findings.runs));
    reasons.extend(findings.regressed.iter().cloned().map(Reason::Regressed));
    reasons.extend(findings.unbuilt.iter().cloned().map(Reason::Unbuilt));
    reasons.extend(fewer(findings.collected_before, findings.collected_now));
    reasons.extend(findings.gate_red.then_some(Reason::GateRed));
    reasons.extend(findings.held_out.iter().cloned().map(Reason::HeldOut));
    reasons
}

/// Tests that pass whatever they expect.
fn toothless(runs: &[RunRef]) -> impl Iterator<Item = Reason> {
    let all: BTreeSet<&TestId> = runs.iter().flat_map(|run| &run.copies.toothless).collect();
    all.into_iter().cloned().map(Reason::Toothless)
}

/// Tests that were lost, by their number.
pub fn fewer(before: usize, now: usize) -> Option<Reason> {
    (now < before).then_some(Reason::FewerTests { before, now })
}

#[cfg(test)]
mod tests;
